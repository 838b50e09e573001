//! What the command buffer has of the state, and what draws find bound.

pub(crate) mod apply;
pub(crate) mod bindings;
pub(crate) mod bound;
pub(crate) mod draw;
pub(crate) mod dynamic;
pub(crate) mod storage;
pub(crate) mod targets;
pub(crate) mod variants;
pub(crate) mod vertices;
