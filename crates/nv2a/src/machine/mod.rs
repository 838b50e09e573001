//! Runs push buffers: decodes their words into registers and actions. Knows nothing of the host.

mod graphics;

pub use graphics::{Attributes, Dma, Graphics, Kelvin, Part, Primitive, PrimitiveKind};
