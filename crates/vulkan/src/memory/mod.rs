//! What buffers of guests, constants and uploads lie in.

pub(crate) mod buffer;
mod imported;
pub(crate) mod pools;
pub(crate) mod ring;
pub(crate) mod slots;
