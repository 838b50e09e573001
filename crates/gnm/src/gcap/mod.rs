//! Recordings of GNM work (GNMCAP01): what the processor wrote, which command buffers ran, which buffers were shown.
//!
//! [`Writer`] writes records, [`Reader`] gives them, [`Player`] carries them out on a [`crate::machine::Machine`].

mod player;
mod reader;
mod record;
mod writer;

pub use player::{Event, Player};
pub use reader::{GcapError, Located, Reader};
pub use record::{Dump, Picture, Record, Submission};
pub use writer::Writer;

/// First bytes of a recording.
const MAGIC: &[u8; 8] = b"GNMCAP01";
/// Bytes of a name at most.
const LONGEST_NAME: u32 = 4096;
