//! From guest code and state to pipelines.

pub(crate) mod around;
pub(crate) mod behind;
pub(crate) mod captures;
pub(crate) mod emitting;
pub(crate) mod kept;
pub(crate) mod key;
mod over;
pub(crate) mod own;
pub(crate) mod pipelines;
pub(crate) mod shaders;
