//! What is copied, counted and read back for somebody who waits.

pub(crate) mod depth;
pub(crate) mod expand;
pub(crate) mod query;
pub(crate) mod readback;
