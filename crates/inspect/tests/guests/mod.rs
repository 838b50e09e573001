//! Guests that are ready to draw, for tests of this crate and, by this path, of others.

pub(crate) mod d3d9;
pub(crate) mod gnm;
