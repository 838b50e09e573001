//! The command stream: the only seam between guests and the renderer.
//!
//! A guest writes packets through a [`Port`], which hands them over a [`Link`] in batches of 64-bit words, and the receiving
//! side checks each one with a [`Validator`] before an [`Executor`] sees it. Packets are plain old data; they name
//! objects by [`ObjectId`] and bulk data by [`UploadRef`]. No type of a guest's API and no Vulkan type appears here.
//!
//! Layout of a packet: an 8-byte [`Header`], a body with the size its row in [`packets`] declares, and for some packets
//! a tail of equal elements whose number the body's `count` field gives. Every packet is a multiple of eight bytes.
#![forbid(unsafe_code)]

pub mod black_box;
pub mod budgets;
pub mod describe;
mod encode;
mod error;
mod format;
mod hash;
pub mod host;
mod id;
mod keyframe;
mod link;
mod null_link;
mod observer;
mod once;
mod overlay;
pub mod packets;
mod port;
mod reader;
mod recording;
mod sample_count;
mod sent;
mod state;
pub mod trace;
mod validate;

pub use budgets::{Budget, Budgets};
pub use encode::Encoder;
pub use error::{Cause, StreamError};
pub use format::{Aspects, Format, FormatInfo, VertexFormat};
pub use hash::ReplayHash;
pub use host::{Group, Groups, Host};
pub use id::{IdAllocator, ObjectId, ObjectKind};
pub use link::{Arena, DeviceFeatures, DeviceInfo, Executor, FormatFeatures, Link, LinkError, Reply, UploadRef};
pub use null_link::NullLink;
pub use observer::{Effective, first_difference, observer};
pub use once::Once;
pub use packets::{CallKind, Header, Kind, Packet};
pub use port::{Port, PortError};
pub use reader::{Located, Reader, renumber};
pub use recording::{Recording, recorder};
pub use sample_count::SampleCount;
pub use sent::Sent;
pub use state::{
    Bank, COMPUTE_SLOTS, Created, FEEDBACK_BUFFERS, FIRST_TABLE, GcnBank, Objects, STORAGE, STORAGE_IMAGES, State,
    TABLES, TEXTURE_SLOTS, VERTEX_BUFFERS, VIEWPORTS,
};
pub use validate::Validator;

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
