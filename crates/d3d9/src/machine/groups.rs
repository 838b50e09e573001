//! The groups of Direct3D state that are applied together.

use afterimage_state::{Dirty, groups};

groups! {
    /// Groups of the device's state, in the order of application. Which states a group reads is in the tables of states; which
    /// results of others it reads is here.
    pub enum Group {
        /// Colour and depth targets.
        RenderTargets,
        /// Viewport.
        Viewport,
        /// Viewport and scissor rectangle inside of the targets.
        Scissor,
        /// Culling, filling, depth bias, sample mask, point size, smoothed lines, alpha to coverage.
        Raster,
        /// Depth and stencil.
        DepthStencil,
        /// Blending and write masks.
        Blend,
        /// The program's vertex shader, or the key of the fixed vertex stage. A fixed stage wakes the groups that wait for one.
        VertexShader changes [ClipPlanes, Shaders, VertexInput, Textures, VertexConstants, FixedVertexConstants],
        /// The program's pixel shader, or the key of the fixed pixel stage.
        PixelShader changes [PixelOps, Shaders, Textures, PixelConstants, FixedPixelConstants],
        /// Alpha test, fog, flat shading, point sprites, clip plane enables.
        PixelOps,
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
        /// Registers of the fixed vertex stage that are made of the world, view and projection matrices.
        FixedMatrices changes [FixedVertexConstants],
        /// Its world matrices for blending by index.
        FixedWorlds changes [FixedVertexConstants],
        /// What takes its vertices in window coordinates back to clip space.
        FixedViewport changes [FixedVertexConstants],
        /// Its lights, in view space.
        FixedLights changes [FixedVertexConstants],
        /// Its texture matrices.
        FixedTextureMatrices changes [FixedVertexConstants],
        /// Its material.
        FixedMaterial changes [FixedVertexConstants],
        /// Its other registers: ambient light, fog, point size, tweening.
        FixedParameters changes [FixedVertexConstants],
        /// Sends those of them that are others.
        FixedVertexConstants,
        /// Registers of the fixed pixel stage.
        FixedPixelConstants,
    }
}

/// What a vertex stage is run by.
const VERTEX: &[Group] = &[
    Group::VertexShader,
    Group::ClipPlanes,
    Group::Shaders,
    Group::VertexInput,
    Group::VertexBuffers,
    Group::Textures,
    Group::VertexConstants,
    Group::FixedMatrices,
    Group::FixedWorlds,
    Group::FixedViewport,
    Group::FixedLights,
    Group::FixedTextureMatrices,
    Group::FixedMaterial,
    Group::FixedParameters,
    Group::FixedVertexConstants,
];

const fn bits(groups: &[Group]) -> u64 {
    let (mut bits, mut at) = (0, 0);
    while at < groups.len() {
        bits |= 1 << groups[at] as u64;
        at += 1;
    }
    bits
}

/// What makes registers of the fixed vertex stage whichever key it has.
const FIXED_VERTEX: u64 = 1 << Group::FixedMatrices as u64
    | 1 << Group::FixedViewport as u64
    | 1 << Group::FixedLights as u64
    | 1 << Group::FixedTextureMatrices as u64
    | 1 << Group::FixedMaterial as u64
    | 1 << Group::FixedParameters as u64;

impl Group {
    /// What a draw needs: everything.
    pub(crate) const DRAW: Dirty<Self> = Dirty::all();
    /// What a draw needs that only runs the vertex stage.
    pub(crate) const PROCESS: Dirty<Self> = Dirty::of_bits(bits(VERTEX));
    /// What a clear needs.
    pub(crate) const CLEAR: Dirty<Self> = Dirty::of_bits(1 << Self::RenderTargets as u64);
    /// What makes registers for a fixed vertex stage. It is parked while the program's own shader is bound.
    pub(crate) const FIXED_VERTEX: Dirty<Self> = Dirty::of_bits(FIXED_VERTEX);
    /// What makes registers for one that blends by index. The matrices for that are parked while another fixed stage is bound,
    /// too.
    pub(crate) const FIXED_INDEXED: Dirty<Self> = Dirty::of_bits(FIXED_VERTEX | 1 << Self::FixedWorlds as u64);
}
