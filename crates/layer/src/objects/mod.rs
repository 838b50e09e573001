//! What the layer knows of a program's objects, and the objects of its own that belong to them.
//!
//! * [`buffers`]: usages, and where buffers lie.
//! * [`layouts`]: pipeline layouts, each with one for compute beside it.
//! * [`code`]: shader modules.
//! * [`input`]: vertex input as lowered shaders have it.
//! * [`passes`]: render passes.
//! * [`sets`](self::sets): descriptors.
//! * [`queries`]: pools of transform feedback queries.
//! * [`pipelines`]: pipelines whose draws can be captured, and what they are lowered to.

pub(crate) mod buffers;
pub(crate) mod code;
pub(crate) mod input;
pub(crate) mod layouts;
pub(crate) mod passes;
pub(crate) mod pipelines;
pub(crate) mod queries;
pub(crate) mod sets;
