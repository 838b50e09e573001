//! The groups of Direct3D state that are applied together.

use afterimage_state::groups;

groups! {
    /// Groups of the device's state, in the order of application. A group whose result may change what a later one has
    /// to send either requires it here (always) or marks it while it is applied (only where its own result changed:
    /// the shader groups, whose dependents are many).
    pub(crate) enum Group {
        /// Colour and depth targets. Size and formats of the targets limit all of these.
        RenderTargets requires [Viewport, Scissor, DepthStencil, Blend],
        /// Viewport. Pre-transformed vertices are in its units.
        Viewport requires [FixedVertexConstants],
        /// Scissor rectangle and its enable.
        Scissor,
        /// The vertex declaration: inputs of the fixed vertex stage, and whether vertices are transformed already.
        Declaration requires [Raster, VertexShader, PixelShader, PixelOps, VertexInput],
        /// Point size: what points have where a shader writes none, and a register of the fixed stage.
        PointSize requires [Raster, FixedVertexConstants],
        /// Culling, filling, depth bias, sample mask, point size.
        Raster,
        /// Depth and stencil.
        DepthStencil,
        /// Blending and write masks.
        Blend,
        /// Fog enable and modes. No packet of its own: a part of what both stages do.
        Fog requires [PixelOps, VertexShader, FixedVertexConstants],
        /// Specular enable, likewise.
        Specular requires [VertexShader, PixelShader],
        /// Texture coordinate routing of the fixed stages and how many of them run, likewise. Older pixel shaders project
        /// by it.
        Coordinates requires [VertexShader, PixelShader, PixelOps],
        /// The program's vertex shader, or the key of the fixed vertex stage. Marks what depends on it where it changed.
        VertexShader,
        /// The program's pixel shader, or the key of the fixed pixel stage. Marks what depends on it where it changed.
        PixelShader,
        /// Alpha test, fog, flat shading, point sprites, clip plane enables.
        PixelOps requires [ClipPlanes],
        /// Clip plane equations.
        ClipPlanes,
        /// The pair of shaders.
        Shaders,
        /// Attribute layout.
        VertexInput,
        /// Vertex buffers.
        VertexBuffers,
        /// Index buffer.
        IndexBuffer,
        /// Textures and samplers.
        Textures,
        /// Registers of the program's vertex shader.
        VertexConstants,
        /// Registers of the program's pixel shader.
        PixelConstants,
        /// Registers of the fixed vertex stage.
        FixedVertexConstants,
        /// Registers of the fixed pixel stage.
        FixedPixelConstants,
        /// States that nothing is drawn by; a warning names those that a program sets.
        Undrawn,
    }
}

/// Which costly registers of the fixed stages are stale (the others are cheap to compute anew). They stay so while the program's own shaders are bound.
pub(crate) struct FixedParts;

impl FixedParts {
    /// World, view, projection.
    pub(crate) const MATRICES: u32 = 1;
    /// Viewport, for pre-transformed vertices.
    pub(crate) const VIEWPORT: u32 = 2;
    /// Lights: these also depend on the view.
    pub(crate) const LIGHTS: u32 = 4;
    /// Texture matrix of stage 0; those of the other stages follow.
    pub(crate) const TEXTURE_MATRIX: u32 = 1 << 8;
    /// Everything.
    pub(crate) const ALL: u32 = u32::MAX;
}
