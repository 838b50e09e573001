//! Runs command buffers: decodes their words into registers and actions. Knows nothing of the host.

mod graphics;

pub use afterimage_gnm_types::Registers;
pub use graphics::{Dispatch, Draw, Flip, Graphics, IndexKind, Indices, Marker, Queue};
