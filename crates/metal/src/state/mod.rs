//! What is bound, what the encoder has of it, and how Metal takes it.

pub(crate) mod bound;
pub(crate) mod feedback;
pub(crate) mod indices;
pub(crate) mod targets;
pub(crate) mod vertices;
