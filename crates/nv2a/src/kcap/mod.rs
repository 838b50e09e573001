//! Recordings of NV2A work (KELVCAP1): what the processor wrote, which push buffers ran, which pictures were saved.
//!
//! [`Reader`] gives the records, [`Player`] carries them out on a [`crate::machine::Machine`].

mod frame;
mod player;
mod reader;

pub use frame::{Frame, FrameError};
pub use player::{Event, Player};
pub use reader::{KcapError, Located, Reader, Record};
