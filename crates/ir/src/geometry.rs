//! What a geometry shader says of the primitives that it takes and gives.

use crate::error::{VerifyError, fail};
use crate::module::{InputAt, Module, Stage, named_enum};

/// Most vertices that an invocation may emit: what every device takes that has geometry shaders.
pub const MAX_GEOMETRY_VERTICES: u32 = 256;
/// Most invocations of a primitive.
pub const MAX_GEOMETRY_INVOCATIONS: u32 = 32;

named_enum! {
    /// What a geometry shader takes.
    InputPrimitive {
        /// One vertex.
        Points "points",
        /// Two vertices.
        Lines "lines",
        /// Four vertices: a line with a neighbour at each end.
        LinesAdjacency "lines_adjacency",
        /// Three vertices.
        Triangles "triangles",
        /// Six vertices: those of a triangle, each followed by the neighbour across the edge that it begins.
        TrianglesAdjacency "triangles_adjacency",
    }
}

impl InputPrimitive {
    /// Vertices of a primitive.
    pub const fn corners(self) -> u32 {
        match self {
            InputPrimitive::Points => 1,
            InputPrimitive::Lines => 2,
            InputPrimitive::LinesAdjacency => 4,
            InputPrimitive::Triangles => 3,
            InputPrimitive::TrianglesAdjacency => 6,
        }
    }
}

named_enum! {
    /// What a geometry shader gives.
    OutputPrimitive {
        /// Each vertex is one.
        Points "points",
        /// Strips of lines.
        LineStrip "line_strip",
        /// Strips of triangles.
        TriangleStrip "triangle_strip",
    }
}

impl OutputPrimitive {
    /// Vertices of a primitive: a strip of fewer is none.
    pub const fn corners(self) -> u32 {
        match self {
            OutputPrimitive::Points => 1,
            OutputPrimitive::LineStrip => 2,
            OutputPrimitive::TriangleStrip => 3,
        }
    }
}

/// Primitives of a geometry shader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GeometryDecl {
    /// What it takes.
    pub input: InputPrimitive,
    /// What it gives.
    pub output: OutputPrimitive,
    /// Most vertices that an invocation emits, into all streams together, 1 to [`MAX_GEOMETRY_VERTICES`]. Further ones are lost.
    pub vertices: u32,
    /// How often it runs for a primitive, 1 to [`MAX_GEOMETRY_INVOCATIONS`].
    pub invocations: u32,
}

impl InputAt {
    /// Whether, in the geometry stage, each vertex of the primitive has an input of its own: one that
    /// [`Op::LoadVertexInput`](crate::Op::LoadVertexInput) reads.
    pub fn is_of_vertex(self) -> bool {
        matches!(
            self,
            InputAt::Location(_)
                | InputAt::Position
                | InputAt::PointSize
                | InputAt::ClipDistance(_)
                | InputAt::CullDistance(_)
        )
    }
}

/// The rules of a geometry shader's declaration.
pub(crate) fn verify_geometry(m: &Module) -> Result<(), VerifyError> {
    match (m.stage, m.geometry) {
        (Stage::Geometry, None) => fail("module", "a geometry shader declares its primitives"),
        (Stage::Geometry, Some(decl))
            if !(1..=MAX_GEOMETRY_VERTICES).contains(&decl.vertices)
                || !(1..=MAX_GEOMETRY_INVOCATIONS).contains(&decl.invocations) =>
        {
            let limits =
                format!("1 to {MAX_GEOMETRY_VERTICES} vertices and 1 to {MAX_GEOMETRY_INVOCATIONS} invocations");
            fail("module", format!("a geometry shader has {limits}"))
        }
        (Stage::Geometry, _) | (_, None) => Ok(()),
        _ => fail("module", "only the geometry stage has primitives"),
    }
}
