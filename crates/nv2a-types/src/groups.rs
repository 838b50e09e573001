//! Groups of Kelvin state: what a write to a method makes dirty.

use afterimage_state::{Dirty, groups};

groups! {
    /// A group of Kelvin methods that one part of the translation applies. The order is that of application.
    pub enum Group {
        /// Colour and zeta surface: format, pitch, offsets, DMA objects, surface clip.
        Surface requires [Screen, WindowClip],
        /// `SET_CONTROL0`: stencil writes, float depth, W buffering, texture perspective, YUV.
        Control requires [Screen, Pixel, DepthStencil, Textures],
        /// What ends every vertex shader: from screen space to clip space, specular enable, point size.
        Screen,
        /// The window clip rectangles.
        WindowClip requires [Pixel],
        /// Program memory, start and execution mode of the vertex engine.
        Program requires [Fixed],
        /// Constant memory of the vertex engine: program constants, matrices, planes, viewport.
        TransformConstants,
        /// Modes of fixed-function transform and lighting: what decides the shader.
        Fixed requires [FixedConstants, Screen, Pixel],
        /// Lights, materials and other values of fixed-function lighting.
        FixedConstants,
        /// Modes of texture shader, combiners, fog, alpha test: what decides the pixel shader.
        Pixel requires [PixelConstants],
        /// Values that the pixel shader reads.
        PixelConstants,
        /// Texture stages: memory, format, addressing, filtering.
        Textures requires [Pixel],
        /// Culling, polygon modes and offsets, lines, shade model, depth range.
        Raster requires [Screen, Pixel],
        /// Depth and stencil tests.
        DepthStencil requires [Pixel],
        /// Blending, logic operation, colour mask, dithering.
        Blend,
        /// Vertex arrays: offsets, formats, DMA objects.
        VertexArrays,
    }
}

/// A set of groups.
pub type Groups = Dirty<Group>;
