//! From guest code and state to pipelines: modules, keys, what is made ahead, what the disk keeps.

pub(crate) mod behind;
pub(crate) mod cache;
pub(crate) mod compute;
pub(crate) mod corners;
pub(crate) mod create;
pub(crate) mod history;
pub(crate) mod key;
pub(crate) mod line_quads;
pub(crate) mod parts;
pub(crate) mod pipelines;
pub(crate) mod prediction;
pub(crate) mod programs;
pub(crate) mod raster;
pub(crate) mod rects;
pub(crate) mod shaders;
pub(crate) mod spirv_words;
