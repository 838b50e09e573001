//! What guests create, as Vulkan has it, and the tables of descriptors through which shaders find it.

pub(crate) mod descriptors;
pub(crate) mod layouts;
pub(crate) mod objects;
pub(crate) mod sampler;
pub(crate) mod tables;
pub(crate) mod texture;
pub(crate) mod texture_tables;
pub(crate) mod trash;
