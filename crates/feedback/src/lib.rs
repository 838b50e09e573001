//! Transform feedback for devices that have none: a vertex shader in SPIR-V in, a shader that stores what it captures out, and what
//! that one has to be given.
//!
//! * [`Lowering`] takes the shader and gives [`Lowered`]: words, and [`Uses`].
//! * [`block`] has the blocks that a lowered shader reads in device memory, each with a table of its fields.
//! * [`plan`] fills them where the host knows the numbers of a draw; [`prepare`] is a compute shader that does it on the device.
//! * [`table`] says which vertices each topology records.
//! * [`text`] reads attributes and captures in the short form of `afterimage shader feedback`.
//!
//! ```
//! use afterimage_feedback::block::{Counters, Draw, Request, VertexBuffer};
//! use afterimage_feedback::table::{Provoking, row};
//! use afterimage_feedback::{Lowering, plan};
//! # use afterimage_interp::{Environment, Group, Interpreter, SampleArgs};
//! # use afterimage_ir::{BankDecl, InputDecl, TextureDecl};
//! # use std::{cell::RefCell, collections::HashMap};
//! # struct Device(Draw, RefCell<HashMap<u64, u32>>);
//! # impl Environment for Device {
//! #     fn input(&self, _: &InputDecl, _: usize) -> [u32; 4] { [0; 4] }
//! #     fn constant(&self, _: &BankDecl, n: u32) -> [u32; 4] {
//! #         let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&self.0));
//! #         words[4 * n as usize..][..4].try_into().unwrap()
//! #     }
//! #     fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] { [0.0; 4] }
//! #     fn load(&self, at: u64) -> u32 { self.1.borrow().get(&at).copied().unwrap_or(0) }
//! #     fn store(&self, at: u64, word: u32) { self.1.borrow_mut().insert(at, word); }
//! # }
//! # impl Device {
//! #     fn dispatch(&self, lowered: &afterimage_feedback::Lowered, groups: [u32; 3]) {
//! #         for x in 0..groups[0] {
//! #             let group = Group { id: [x, 0, 0], count: groups, wave: 32 };
//! #             Interpreter::new(&lowered.module).unwrap().run_group(self, group).unwrap();
//! #         }
//! #     }
//! # }
//! # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/shaders/place.vert.spv"));
//! # let words: Vec<u32> = file.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
//! // A vertex shader that captures gl_Position, whose z is gl_VertexIndex.
//! let lowered = Lowering::new(&words)?.lower()?;
//!
//! // A triangle strip of 4 vertices, captured into 1024 bytes.
//! let request = Request {
//!     row: row(4).expect("a topology").words(Provoking::First),
//!     count: 4,
//!     instances: 1,
//!     strides: lowered.uses.strides,
//!     buffers: [0x1000, 0, 0, 0],
//!     sizes: [1024, 0, 0, 0],
//!     ..Request::default()
//! };
//! let plan = plan(&request, &Counters::default()).expect("the host knows all of it");
//! let mut draw = plan.draw;
//! draw.vertex_buffers[0] = VertexBuffer { address: 0x2000, stride: 8, bytes: 4 * 8 };
//!
//! // With Vulkan this is a dispatch; here the interpreter is the device.
//! let device = Device(draw, RefCell::default());
//! device.dispatch(&lowered, plan.groups);
//!
//! // Two triangles, the second turned over.
//! let z = |vertex: u64| f32::from_bits(device.load(0x1000 + 16 * vertex + 8));
//! assert_eq!([0, 1, 2, 3, 4, 5].map(z), [0.0, 1.0, 2.0, 1.0, 3.0, 2.0]);
//! assert_eq!((plan.counters.written[0], plan.counters.bytes[0]), (2, 6 * 16));
//! # Ok::<(), afterimage_feedback::Error>(())
//! ```
//!
//! docs/transform-feedback.md shows how these go together with Vulkan; `afterimage-feedback-c` has the same for C.
#![forbid(unsafe_code)]

pub mod formats;
pub mod layout;
mod lowering;
pub mod text;
mod uses;

pub use afterimage_passes::feedback::{FeedbackError, Form, Plan, block, plan, table};
pub use afterimage_shader_spirv::io::{BlockSource, BlockUse, Descriptor, TextureUse};
pub use lowering::{AttributeSource, Error, FeedbackPlace, FeedbackSource, Lowered, Lowering, prepare};
pub use uses::{FeedbackUse, Uses};

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
