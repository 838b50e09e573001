//! What buffers of guests, constants and uploads lie in.

pub(crate) mod buffer;
pub(crate) mod pools;
pub(crate) mod ring;
pub(crate) mod slots;
