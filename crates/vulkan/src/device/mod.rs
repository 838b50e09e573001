//! The device: what is open, what it can do, which formats it has.

pub(crate) mod barrier;
pub(crate) mod format;
pub(crate) mod gpu;
pub(crate) mod instance;
pub(crate) mod memory;
pub(crate) mod portability;
pub(crate) mod profile;
pub(crate) mod shared;
