//! Memory that lasts for a frame or a command buffer.

pub(crate) mod ring;
pub(crate) mod room;
pub(crate) mod spare;
