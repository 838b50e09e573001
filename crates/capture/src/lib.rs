//! The capture container, `.aftercap`: a piece of a command stream with all the data it needs, made for replaying.
//!
//! A capture starts with a keyframe, packets that build the whole state from nothing, and goes on with the batches as
//! the receiver got them. Data that packets refer to lies before the batch that refers to it; equal data is stored
//! once. `docs/capture-format.md` has every byte.
//!
//! ```
//! use afterimage_capture::{Info, MemoryArena, Reader, Writer};
//! use afterimage_stream::{Encoder, packets};
//!
//! let mut stream = Encoder::new();
//! stream.push(&packets::BeginFrame { frame: 1 });
//! let mut file = Vec::new();
//! let mut writer = Writer::new(&mut file, &Info::default())?;
//! writer.batch(stream.batch(), &MemoryArena::default())?;
//! writer.finish()?;
//!
//! let mut reader = Reader::new(&file[..])?;
//! let batch = reader.next()?.expect("a batch");
//! assert_eq!(batch.words, *stream.batch());
//! assert!(reader.next()?.is_none());
//! # Ok::<_, afterimage_capture::CaptureError>(())
//! ```
#![forbid(unsafe_code)]

mod arena;
mod blob;
mod chunk;
mod error;
mod gathered;
mod info;
mod limits;
mod reader;
mod recorder;
mod recording;
mod sizes;
mod uses;
mod writer;

pub use arena::{MemoryArena, ReplayArena};
pub use chunk::VERSION;
pub use error::CaptureError;
pub use info::Info;
pub use limits::Limits;
pub use reader::{Batch, Index, Reader, fuzz};
pub use recorder::Recorder;
pub use recording::Recording;
pub use sizes::{ChunkSizes, Sizes};
pub use uses::Uses;
pub use writer::{Sink, Summary, Writer};

const _: () = assert!(cfg!(target_endian = "little"), "packets and captures are little-endian memory images");

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
