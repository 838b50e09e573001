//! Groups of state: what a write to a register makes dirty.

use afterimage_state::{Dirty, groups};

groups! {
    /// A group of registers that are about one thing. Which groups each part of a draw reads, whoever draws says.
    pub enum Group {
        /// Colour targets: memory, format, layout, masks, clear words.
        Targets,
        /// Depth and stencil target: memory, format, layout, clears, HTILE.
        DepthTarget,
        /// Multisampling and pixel iteration.
        Samples,
        /// Scissors, window offset, clip rectangles.
        Scissor,
        /// Viewports, their transform, clipping against them.
        Viewport,
        /// User clip planes.
        ClipPlanes,
        /// Primitive assembly: kind, restart, offsets, step rates, grouping.
        Primitive,
        /// Which hardware stages run, geometry and tessellation set-up.
        Stages,
        /// The vertex shader's program and outputs.
        VertexProgram,
        /// The vertex shader's user data.
        VertexData,
        /// Export and geometry shader programs.
        GeometryProgram,
        /// Export and geometry shader user data.
        GeometryData,
        /// Local and hull shader programs.
        TessellationProgram,
        /// Local and hull shader user data.
        TessellationData,
        /// The pixel shader's program, inputs and exports.
        PixelProgram,
        /// The pixel shader's user data.
        PixelData,
        /// The compute shader's program and group size.
        ComputeProgram,
        /// The compute shader's user data.
        ComputeData,
        /// Stream-out buffers.
        StreamOut,
        /// Scratch memory of graphics shaders.
        Scratch,
        /// The table of border colours.
        BorderColors,
        /// Culling, polygon modes and offsets, lines, points.
        Raster,
        /// Depth and stencil tests.
        DepthStencil,
        /// Blending, logic operation, alpha to mask.
        Blend,
        /// The constant blend colour.
        BlendConstants,
        /// What occlusion queries count.
        Queries,
    }
}

/// A set of groups.
pub type Groups = Dirty<Group>;
