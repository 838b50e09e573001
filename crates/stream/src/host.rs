//! The table of host state: every state that packets set, or that a renderer has beside them, with the groups that read it.
//!
//! A new state of the host is a row here, a value in [`crate::State`] (or the renderer), and an apply function in the renderer.

use afterimage_abi::slots::{COMPUTE_SLOTS, TEXTURE_SLOTS, VERTEX_BUFFERS};
use afterimage_abi::{Bank, Stage};
use afterimage_state::{Dirty, State, groups, state_table, states};

groups! {
    /// What a renderer makes of host state, in the order of application: first what shaders and pipelines are chosen by, then what
    /// is recorded before a pass, then the pass and what is recorded in it.
    pub enum Group {
        /// Whether the depth-stencil target is smaller than a colour target.
        SmallDepth changes [Aside],
        /// Whether such a target is put aside, since nothing is tested against it.
        Aside changes [Targets],
        /// Attachments, their formats and the size that they have in common.
        Targets changes [Variants, Drawable, Readable, StorageImages, Pass, Pipeline, Scissor, Raster, DepthStencil, Blend],
        /// What textures are to shaders: their dimensions, comparisons, gathers.
        Shapes changes [Variants, Textures, SystemConstants],
        /// What older pipelines do beside shaders, as far as shaders are compiled for it.
        PixelOps changes [Variants, Spec],
        /// Whether draws are drawn in two parts, and which one comes.
        Part changes [Variants, BlendKey, DepthStencil, Blend, Counting],
        /// The compiled shaders, and what they read and write.
        Variants changes [
            Spec, Geometry, VertexInput, BlendKey, Drawable, Readable, Layout, StorageImages, Pass, Pipeline, Blend,
            VertexConstants, PixelConstants, SystemConstants, Textures, Feedback,
        ],
        /// What a generic pixel shader is specialised for.
        Spec changes [Pipeline],
        /// What the guest's geometry shader takes, if it has one.
        Geometry changes [RasterKey],
        /// The vertex layout as the vertex shader reads it.
        VertexInput changes [Pipeline, VertexBuffers],
        /// The part of rasterising that is in pipelines.
        RasterKey changes [Pipeline, Raster, Lines, Feedback],
        /// Blending where it is in pipelines.
        BlendKey changes [Pipeline],
        /// Whether there is anything to draw to.
        Drawable,
        /// Textures that draws read are ready for it.
        Readable,
        /// The pipeline layout.
        Layout changes [StorageImages, Textures],
        /// The set of storage images.
        StorageImages,
        /// The render pass.
        Pass changes [Counting, Feedback],
        /// The pipeline.
        Pipeline changes [Feedback],
        /// Primitive topology.
        Topology,
        /// Viewport.
        Viewport,
        /// Scissor rectangle.
        Scissor,
        /// Dynamic state of rasterising.
        Raster,
        /// Depth and stencil.
        DepthStencil,
        /// Dynamic state of blending.
        Blend,
        /// Vertex buffers.
        VertexBuffers,
        /// Index buffer.
        IndexBuffer,
        /// Push constants of lines made of triangles.
        Lines changes [Push],
        /// Constants of the vertex stage.
        VertexConstants changes [Push],
        /// Constants of the pixel stage.
        PixelConstants changes [Push],
        /// Constants that shaders read of other state.
        SystemConstants changes [Push],
        /// Textures and samplers.
        Textures changes [Push],
        /// Push constants.
        Push,
        /// Queries that count what is drawn.
        Counting,
        /// Whether what draws capture is written.
        Feedback,
        /// The compute shader and its pipeline.
        ComputeShader changes [ComputeConstants, ComputeTextures, ComputeImages],
        /// Constants of the compute stage.
        ComputeConstants,
        /// Textures and samplers of the compute stage.
        ComputeTextures,
        /// Storage images of the compute stage.
        ComputeImages,
    }
}

/// A set of [`Group`]s.
pub type Groups = Dirty<Group>;

/// Usage levels: what must be applied before a command of a kind. Copies, blits and loads need nothing applied.
pub mod level {
    use super::{Group, Groups};

    const fn of(groups: &[Group]) -> Groups {
        let (mut bits, mut at) = (0, 0);
        while at < groups.len() {
            bits |= 1 << groups[at] as u8;
            at += 1;
        }
        Groups::of_bits(bits)
    }

    /// Of dispatches.
    pub const DISPATCH: Groups =
        of(&[Group::ComputeShader, Group::ComputeConstants, Group::ComputeTextures, Group::ComputeImages]);
    /// Of clears.
    pub const CLEAR: Groups = of(&[Group::SmallDepth, Group::Aside, Group::Targets]);
    /// Of draws of which nothing is wanted but what a dispatch captures in their place: what shaders are chosen by.
    pub const FEEDBACK: Groups = of(&[
        Group::SmallDepth,
        Group::Aside,
        Group::Targets,
        Group::Shapes,
        Group::PixelOps,
        Group::Part,
        Group::Variants,
    ]);
    /// Of draws: the groups before those of dispatches.
    pub const DRAW: Groups = Groups::of_bits((1 << Group::ComputeShader as u8) - 1);
}

state_table! {
    /// States of a texture slot.
    pub table TextureStates of Group {
        0 BINDING = 0 => Shapes, Readable, Textures;
        1 OBJECT = 0 => Shapes, Readable, Textures;
    }
}

state_table! {
    /// States of a vertex buffer slot: what is bound, the memory of that buffer, where uploaded vertices lie.
    pub table VertexBufferStates of Group {
        0 BINDING = 0 => VertexBuffers;
        1 MEMORY = 0 => VertexBuffers;
        2 UPLOAD = 0 => VertexBuffers;
    }
}

state_table! {
    /// States of the index buffer, likewise.
    pub table IndexBufferStates of Group {
        0 BINDING = 0 => Topology, IndexBuffer;
        1 MEMORY = 0 => IndexBuffer;
        2 UPLOAD = 0 => IndexBuffer;
    }
}

states! {
    /// Every state of the host.
    pub space Host of Group {
        /// [`SetRenderTargets`](crate::packets::SetRenderTargets).
        RENDER_TARGETS [1] "render targets" => SmallDepth, Targets;
        /// The textures of the targets: their sizes and formats.
        TARGET_OBJECTS [1] "textures of targets" => SmallDepth, Targets;
        /// [`SetViewport`](crate::packets::SetViewport).
        VIEWPORT [1] "viewport" => Drawable, Viewport, Lines;
        /// [`SetScissor`](crate::packets::SetScissor).
        SCISSOR [1] "scissor" => Scissor;
        /// [`SetRaster`](crate::packets::SetRaster).
        RASTER [1] "raster" => RasterKey, Drawable, Raster, Lines, SystemConstants;
        /// [`SetDepthStencil`](crate::packets::SetDepthStencil).
        DEPTH_STENCIL [1] "depth and stencil" => Aside, DepthStencil;
        /// [`SetBlend`](crate::packets::SetBlend).
        BLEND [1] "blend" => Part, RasterKey, BlendKey, Blend;
        /// Its tail.
        BLEND_TARGETS [1] "blend of targets" => Part, BlendKey, Blend;
        /// [`SetPixelOps`](crate::packets::SetPixelOps).
        PIXEL_OPS [1] "pixel operations" => PixelOps, SystemConstants;
        /// [`SetVertexInput`](crate::packets::SetVertexInput).
        VERTEX_INPUT [1] "vertex input" => VertexInput;
        /// The attributes of the layout that is set.
        VERTEX_INPUT_OBJECT [1] "vertex attributes" => VertexInput;
        /// [`SetVertexBuffers`](crate::packets::SetVertexBuffers), by slot.
        VERTEX_BUFFER [VERTEX_BUFFERS] "vertex buffer": VertexBufferStates;
        /// [`SetIndexBuffer`](crate::packets::SetIndexBuffer).
        INDEX_BUFFER [1] "index buffer": IndexBufferStates;
        /// [`SetShaders`](crate::packets::SetShaders).
        SHADERS [1] "shaders" => Variants;
        /// The code of the shaders that are set.
        SHADER_OBJECTS [1] "code of shaders" => Variants;
        /// [`SetTextures`](crate::packets::SetTextures), by slot of draws.
        TEXTURE [TEXTURE_SLOTS] "texture": TextureStates;
        /// The same of compute shaders: bindings and their objects.
        COMPUTE_TEXTURE [COMPUTE_SLOTS] "compute texture" => ComputeTextures;
        /// [`SetConstants`](crate::packets::SetConstants) in the banks of the vertex stage, in their order.
        VERTEX_BANK [Bank::count_of(Stage::Vertex)] "vertex constants" => VertexConstants;
        /// In those of the pixel stage.
        PIXEL_BANK [Bank::count_of(Stage::Pixel)] "pixel constants" => PixelConstants;
        /// In the system bank.
        SYSTEM_BANK [1] "system constants" => SystemConstants;
        /// In those of the compute stage.
        COMPUTE_BANK [Bank::count_of(Stage::Compute)] "compute constants" => ComputeConstants;
        /// [`SetStorage`](crate::packets::SetStorage) for the vertex stage, and the memory of the buffers.
        VERTEX_STORAGE [1] "vertex storage" => VertexConstants;
        /// For the pixel stage.
        PIXEL_STORAGE [1] "pixel storage" => PixelConstants;
        /// For the compute stage.
        COMPUTE_STORAGE [1] "compute storage" => ComputeConstants;
        /// [`SetStorageImages`](crate::packets::SetStorageImages) for the vertex and the pixel stage, and the images.
        STORAGE_IMAGE [2] "storage images" => StorageImages;
        /// For the compute stage.
        COMPUTE_IMAGE [1] "compute images" => ComputeImages;
        /// The topology that the last draw had.
        TOPOLOGY [1] "topology" => PixelOps, RasterKey, Topology;
        /// Whether the second of two parts is drawn.
        SECOND_PART [1] "second part" => Part;
        /// Whether a render pass is open.
        PASS [1] "open pass" => Pass, Counting, Feedback;
        /// Whether feedback runs.
        FEEDBACK [1] "feedback" => Part, RasterKey, Drawable, Pass, Raster, VertexBuffers, Feedback;
        /// Queries that run.
        QUERIES [1] "queries" => Counting;
        /// What the command buffer has: a new one has nothing, and commands that are no draws of the guest leave something else.
        COMMANDS [1] "command buffer" => Readable, Layout, StorageImages, Pipeline, Topology, Viewport, Scissor, Raster, DepthStencil,
            Blend, VertexBuffers, IndexBuffer, Lines, VertexConstants, PixelConstants, SystemConstants, Textures, Push, Counting,
            Feedback, ComputeShader, ComputeConstants, ComputeTextures, ComputeImages;
        /// Push constants, which dispatches have overwritten.
        PUSHED [1] "push constants" => Push;
        /// The shader of the last dispatch, and its code.
        COMPUTE_SHADER [1] "compute shader" => ComputeShader;
    }
}

/// The state of each bank of constants, by number.
pub(crate) const BANK_STATES: [State<Host>; Bank::COUNT] = {
    let mut states = [Host::SYSTEM_BANK.only(); Bank::COUNT];
    let mut at = 0;
    while at < Bank::COUNT {
        let (bank, place) = (Bank::ALL[at], Bank::ALL[at].place() as u32);
        states[at] = match bank.reader() {
            Some(Stage::Vertex | Stage::Geometry) => Host::VERTEX_BANK.at(place),
            Some(Stage::Pixel) => Host::PIXEL_BANK.at(place),
            Some(Stage::Compute) => Host::COMPUTE_BANK.at(place),
            None => Host::SYSTEM_BANK.only(),
        };
        at += 1;
    }
    states
};

/// The storage buffers of a stage.
pub(crate) const fn storage_of(stage: Stage) -> State<Host> {
    match stage {
        Stage::Vertex | Stage::Geometry => Host::VERTEX_STORAGE.only(),
        Stage::Pixel => Host::PIXEL_STORAGE.only(),
        Stage::Compute => Host::COMPUTE_STORAGE.only(),
    }
}

/// The storage images of a stage.
pub(crate) const fn images_of(stage: Stage) -> State<Host> {
    match stage {
        Stage::Vertex | Stage::Geometry => Host::STORAGE_IMAGE.at(0),
        Stage::Pixel => Host::STORAGE_IMAGE.at(1),
        Stage::Compute => Host::COMPUTE_IMAGE.only(),
    }
}
