//! What a capture holds, as a model: its calls, the state before each, what each changed, resources, shaders, vertices.
//!
//! [`Capture::open`] reads a capture, up to its damage if it has any, and keeps packets, shader code and vertex data, within
//! [`Limits`]. All else is asked of it:
//!
//! ```no_run
//! use afterimage_inspect::{Capture, CallSet};
//! let capture = Capture::open("scene.aftercap".as_ref())?;
//! let mut walk = capture.walk();
//! for draw in CallSet::parse("draw")?.among(capture.calls()) {
//!     walk.to(draw.number);
//!     for change in walk.changes() {
//!         println!("{}: {change}", draw.number);
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! State is named by paths: `depth_stencil.front.compare`, `textures[3].sampler.mag`, `vertex float[12]` for a register of a bank.
//! [`state_fields`] lists them all.
#![forbid(unsafe_code)]

mod access;
mod call;
mod capture;
mod data;
mod dds;
mod json;
mod limits;
mod resources;
mod set;
mod shaders;
mod state;
mod store;
mod subresources;
pub mod terms;
mod vertices;
mod walk;

pub use access::{Access, Accesses};
pub use afterimage_stream::CallKind;
pub use afterimage_stream::describe::{Field, Value};
pub use call::{Call, Frame, Moment, Place};
pub use capture::{Capture, Packets, Problem};
pub use dds::dds_header;
pub use json::{fields, fields_json, value_json};
pub use limits::Limits;
pub use resources::{Resource, Uses};
pub use set::{CallSet, SetError};
pub use shaders::{Form, ShaderCode, shader_hash};
pub use state::{Change, StateField, changes_between, constants, state_fields};
pub use subresources::{subresource_name, subresources};
pub use vertices::{Column, NoVertices, Row, VertexTable};
pub use walk::Walk;
