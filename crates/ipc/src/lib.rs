//! Transport of the stream between a guest and its receiver.
//!
//! Two transports, one protocol. [`in_process`]: a bounded queue of batches to a render thread of the same process,
//! with an upload arena in memory that the renderer supplies ([`SlotFactory`]), so that the GPU can read uploads where
//! the guest wrote them. [`shared`]: a file that two processes map, with a ring for packets, a ring for replies and the
//! arena, between programs of either width and the 64-bit viewer.
//!
//! Both share [`ArenaConfig`] and the bookkeeping of slots ([`Rotation`]): memory written for a frame is reused only
//! after the receiver has reported [`afterimage_stream::Reply::FrameDone`] for that frame.
//!
//! Beside them is the [`Journal`]: what a renderer is doing, for whoever looks after its process.

mod arena;
pub mod in_process;
mod journal;
mod maker;
mod memory;
mod receiver;
pub mod shared;
pub mod store;

pub use arena::{ArenaConfig, MAX_SLOTS, Outcome, PROCESSOR_SLOT, Rotation};
pub use journal::{Doer, Doing, Journal, SUSPECTS, Suspect, Task, Work};
pub use memory::{HeapSlots, SlotFactory, SlotImporter, SlotMemory};
pub use receiver::{Pump, Received, Receiver, serve};

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
