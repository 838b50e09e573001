//! What the machine hands to whoever draws, and what it asks of it.

use crate::memory::{DmaObject, GuestMemory};
use afterimage_nv2a_types::{ATTRIBUTES, KelvinStates, Registers, method};
use afterimage_state::{State, trace};

/// A vertex: four floats for each attribute.
pub type Attributes = [[f32; 4]; ATTRIBUTES];

/// The DMA objects that a Kelvin object is bound to, resolved when they were bound.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dma {
    /// Notifies.
    pub notifies: Option<DmaObject>,
    /// Textures that say A.
    pub a: Option<DmaObject>,
    /// Textures that say B, and palettes.
    pub b: Option<DmaObject>,
    /// State.
    pub state: Option<DmaObject>,
    /// Colour surface.
    pub color: Option<DmaObject>,
    /// Zeta surface.
    pub zeta: Option<DmaObject>,
    /// Vertex arrays whose offset has bit 31 clear.
    pub vertex_a: Option<DmaObject>,
    /// Vertex arrays whose offset has bit 31 set.
    pub vertex_b: Option<DmaObject>,
    /// Semaphores.
    pub semaphore: Option<DmaObject>,
    /// Reports.
    pub report: Option<DmaObject>,
}

/// A Kelvin object: all that a draw depends on.
#[derive(Clone, Debug, Default)]
pub struct Kelvin {
    /// The register file. `registers.tracker` says what changed; whoever applies a group takes its mark away.
    pub registers: Registers,
    /// DMA objects. A change marks the groups that depend on it.
    pub dma: Dma,
    /// Current value of every attribute: what a vertex has where no array gives it. Draws from arrays leave the last vertex'
    /// values here; whoever draws writes them.
    pub attributes: Attributes,
}

impl Kelvin {
    /// DMA object A of textures and palettes, or B.
    #[must_use]
    pub fn texture_object(&self, b: bool) -> Option<DmaObject> {
        let (method, object) =
            if b { (method::SET_CONTEXT_DMA_B, self.dma.b) } else { (method::SET_CONTEXT_DMA_A, self.dma.a) };
        trace::read(State::<KelvinStates>::of(u32::from(method / 4)));
        object
    }
}

/// How vertices form primitives: the argument of `SET_BEGIN_END`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PrimitiveKind {
    /// Points.
    Points = 1,
    /// Lines.
    Lines = 2,
    /// A closed run of lines.
    LineLoop = 3,
    /// A run of lines.
    LineStrip = 4,
    /// Triangles.
    Triangles = 5,
    /// A strip of triangles.
    TriangleStrip = 6,
    /// A fan of triangles.
    TriangleFan = 7,
    /// Quads.
    Quads = 8,
    /// A strip of quads.
    QuadStrip = 9,
    /// A convex polygon.
    Polygon = 10,
}

/// A piece of what came between begin and end, in the order of the push buffer.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// `DRAW_ARRAYS`: vertices from the arrays.
    Arrays {
        /// Index of the first vertex.
        first: u32,
        /// Vertices.
        count: u32,
    },
    /// `ARRAY_ELEMENT16` and `ARRAY_ELEMENT32`: indices of vertices in the arrays.
    Elements(Vec<u32>),
    /// `INLINE_ARRAY`: words of vertices, in the formats of the arrays.
    Inline(Vec<u32>),
    /// `SET_VERTEX...` and the like: each write of the position gave a vertex, with all attributes as they were.
    Immediate(Vec<Attributes>),
    /// `SET_EDGE_FLAG` changed to this. Vertices before the first change had the opposite; without any change all vertices have
    /// what the register says.
    EdgeFlag(bool),
}

/// What came between begin and end.
#[derive(Clone, Debug, PartialEq)]
pub struct Primitive {
    /// How vertices form primitives.
    pub kind: PrimitiveKind,
    /// Where the vertices come from.
    pub parts: Vec<Part>,
}

/// Draws for the machine. Everything happens in the order of the calls; what is in host memory comes back into guest memory
/// when [`Graphics::write_back`] asks for it.
pub trait Graphics {
    /// Draws a primitive with the state of the object, and leaves the last vertex in `kelvin.attributes`.
    fn draw(&mut self, kelvin: &mut Kelvin, memory: &mut dyn GuestMemory, primitive: &Primitive);

    /// `CLEAR_SURFACE` with its argument.
    fn clear(&mut self, kelvin: &mut Kelvin, memory: &mut dyn GuestMemory, flags: u32);

    /// Whatever was drawn into this range of physical memory goes there before this returns. Called before the processor, the
    /// 2D classes or the display read it.
    fn write_back(&mut self, memory: &mut dyn GuestMemory, address: u32, size: u32);

    /// `CLEAR_REPORT_VALUE`: the count of passed pixels starts from zero.
    fn reset_pixel_count(&mut self);

    /// Pixels that passed the depth test since the last reset, while `SET_ZPASS_PIXEL_COUNT_ENABLE` was on. Waits for the
    /// draws before.
    fn pixel_count(&mut self) -> u32;

    /// A frame ends (`FLIP_STALL`, or the program shows a picture): a chance to hand batches over.
    fn flush(&mut self);
}
