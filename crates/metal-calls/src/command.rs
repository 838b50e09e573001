//! Data of the calls that encode.

/// The argument tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Of vertex functions, in render encoders.
    Vertex,
    /// Of fragment functions, in render encoders.
    Fragment,
    /// Of kernels, in compute encoders.
    Kernel,
}

/// `MTLPrimitiveType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrimitiveType {
    /// One vertex each.
    Point,
    /// Two vertices each.
    Line,
    /// Each vertex with the one before. The greatest index begins a new strip.
    LineStrip,
    /// Three vertices each.
    Triangle,
    /// Each vertex with the two before. The greatest index begins a new strip.
    TriangleStrip,
}

/// How much is drawn. A call that draws nothing is a fault: skip it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DrawCount {
    /// The first vertex, or with indices what is added to each.
    pub first: i32,
    /// Vertices or indices.
    pub count: u32,
    /// Instances.
    pub instances: u32,
    /// The first instance.
    pub base_instance: u32,
}

/// `MTLIndexType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexType {
    /// Two bytes.
    UInt16,
    /// Four bytes.
    UInt32,
}

/// Where indices are.
#[derive(Debug)]
pub struct Indices<'a, D: crate::Device> {
    /// The buffer.
    pub buffer: &'a D::Buffer,
    /// The first index in it, in bytes; a multiple of an index.
    pub offset: u64,
    /// What they are.
    pub ty: IndexType,
}

/// `MTLViewport`, in texels from the top left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Left and top.
    pub origin: [f64; 2],
    /// Width and height.
    pub size: [f64; 2],
    /// Depth of the near and of the far plane.
    pub depth: [f64; 2],
}

/// `MTLScissorRect`, in texels from the top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScissorRect {
    /// Left and top.
    pub origin: [u32; 2],
    /// Width and height, not 0.
    pub size: [u32; 2],
}

/// `MTLCullMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CullMode {
    /// Draws both.
    None,
    /// Does not draw what faces the front.
    Front,
    /// Does not draw what faces the back.
    Back,
}

/// `MTLWinding` of triangles that face the front, as seen in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Winding {
    /// Clockwise.
    Clockwise,
    /// Counter-clockwise.
    CounterClockwise,
}

/// `MTLTriangleFillMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FillMode {
    /// All of a triangle.
    Fill,
    /// Its edges.
    Lines,
}

/// `MTLDepthClipMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DepthClipMode {
    /// What is before the near or behind the far plane is cut off.
    Clip,
    /// It is drawn with the nearest depth of the viewport.
    Clamp,
}

/// `MTLVisibilityResultMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VisibilityMode {
    /// Counts nothing.
    Disabled,
    /// Anything but 0 where a sample passed.
    Boolean,
    /// The samples that passed.
    Counting,
}

/// Stencil reference values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StencilReferences {
    /// Of what faces the front.
    pub front: u32,
    /// Of what faces the back.
    pub back: u32,
}
