//! The device: formats, what guests are told, the command queue.

pub(crate) mod commands;
pub(crate) mod format;
pub(crate) mod info;
pub(crate) mod work;
