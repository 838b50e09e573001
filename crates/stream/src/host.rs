//! The table of host state: every state that packets set, or that a renderer has beside them, with the groups that read it.
//!
//! A new state of the host is a row here, a value in [`crate::State`] (or the renderer), and an apply function in the renderer.

use crate::packets::{SetBlend, SetDepthStencil, SetRaster};
use afterimage_abi::slots::{COMPUTE_SLOTS, TEXTURE_SLOTS, VERTEX_BUFFERS};
use afterimage_abi::{Bank, Stage};
use afterimage_state::{Dirty, Parts, State, groups, state_table, states};

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

    /// What may differ between the draws of a run, which are recorded together: applying it records nothing, but says which vertices and
    /// push constants the next draw has; where it does record, or changes what else must be applied, the run is recorded before.
    pub const RUN: Groups = of(&[
        Group::Shapes,
        Group::Readable,
        Group::VertexBuffers,
        Group::VertexConstants,
        Group::PixelConstants,
        Group::SystemConstants,
        Group::Textures,
        Group::Push,
    ]);
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

state_table! {
    /// Parts of [`SetRaster`](crate::packets::SetRaster): what draws change often, what pipelines have of it, the sizes of points.
    pub table RasterStates of Group {
        0 FACES = 0 => Raster;
        1 PRIMITIVES = 0 => RasterKey, Drawable, Raster, Lines;
        2 POINTS = 0 => SystemConstants;
    }
}

state_table! {
    /// Parts of [`SetBlend`](crate::packets::SetBlend): blending with write masks, and the logical operation.
    pub table BlendStates of Group {
        0 BLENDING = 0 => Part, BlendKey, Blend;
        1 LOGIC_OP = 0 => Part, RasterKey, BlendKey, Blend;
    }
}

state_table! {
    /// Parts of [`SetDepthStencil`](crate::packets::SetDepthStencil): what is tested, and how.
    pub table DepthStencilStates of Group {
        0 TESTS = 0 => Aside, DepthStencil;
        1 HOW = 0 => DepthStencil;
    }
}

impl Parts for SetRaster {
    #[inline(always)]
    fn differing(&self, other: &Self) -> u32 {
        const SIZE: u64 = first_half(u32::MAX);
        // Word by word: a test of the layout says which field is in which.
        let (one, two): (&[u64; 5], &[u64; 5]) = (bytemuck::cast_ref(self), bytemuck::cast_ref(other));
        let [first, bias, sizes, range, last] = std::array::from_fn(|at| one[at] ^ two[at]);
        let faces = ((first & Self::FACES) | bias) != 0;
        // Which faces are culled says which fill mode counts, where they have two.
        let modes = (self.fill != self.fill_back) | (other.fill != other.fill_back);
        let culled = if modes { first & Self::CULL } else { 0 };
        let primitives = ((first & !Self::FACES) | culled | (sizes & !SIZE) | last) != 0;
        let points = ((sizes & SIZE) | range) != 0;
        u32::from(faces) << RasterStates::FACES
            | u32::from(primitives) << RasterStates::PRIMITIVES
            | u32::from(points) << RasterStates::POINTS
    }
}

/// A word whose first four bytes are those of a number.
const fn first_half(number: u32) -> u64 {
    let [a, b, c, d] = number.to_ne_bytes();
    u64::from_ne_bytes([a, b, c, d, 0, 0, 0, 0])
}

impl Parts for SetBlend {
    #[inline(always)]
    fn differing(&self, other: &Self) -> u32 {
        const LOGIC_OP: u64 = u64::from_ne_bytes([0, 0, 0, 0, 0, 0, 0, 0xff]);
        let (one, two): (&[u64; 5], &[u64; 5]) = (bytemuck::cast_ref(self), bytemuck::cast_ref(other));
        let [first, masks, red, blue, count] = std::array::from_fn(|at| one[at] ^ two[at]);
        let logic_op = first & LOGIC_OP != 0;
        let blending = ((first & !LOGIC_OP) | masks | red | blue | count) != 0;
        u32::from(blending) << BlendStates::BLENDING | u32::from(logic_op) << BlendStates::LOGIC_OP
    }
}

impl Parts for SetDepthStencil {
    #[inline(always)]
    fn differing(&self, other: &Self) -> u32 {
        // Word by word: a copy with some fields of the other's would be waited for where it is compared.
        const TESTS: u64 = SetDepthStencil::DEPTH_TEST | SetDepthStencil::STENCIL_TEST;
        let (one, two): (&[u64; 3], &[u64; 3]) = (bytemuck::cast_ref(self), bytemuck::cast_ref(other));
        let first = one[0] ^ two[0];
        let tests = first & TESTS != 0;
        let how = (first & !TESTS) | (one[1] ^ two[1]) | (one[2] ^ two[2]) != 0;
        u32::from(tests) << DepthStencilStates::TESTS | u32::from(how) << DepthStencilStates::HOW
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
        /// [`SetViewports`](crate::packets::SetViewports).
        VIEWPORTS [1] "further viewports" => Drawable, Viewport, Scissor;
        /// [`SetDepthBounds`](crate::packets::SetDepthBounds).
        DEPTH_BOUNDS [1] "depth bounds" => DepthStencil;
        /// [`SetRaster`](crate::packets::SetRaster).
        RASTER [1] "raster": RasterStates;
        /// [`SetDepthStencil`](crate::packets::SetDepthStencil).
        DEPTH_STENCIL [1] "depth and stencil": DepthStencilStates;
        /// [`SetBlend`](crate::packets::SetBlend).
        BLEND [1] "blend": BlendStates;
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
        /// Which tables of textures are bound, and what they hold.
        TABLES [1] "tables" => Readable;
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

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::{Pod, bytes_of, bytes_of_mut};

    /// The parts that another byte at each place changes; padding is at the end.
    fn parts_of_bytes<T: Parts + Pod>(padding: usize) -> Vec<u32> {
        let one = T::zeroed();
        let other = |at: usize| {
            let mut other = one;
            bytes_of_mut(&mut other)[at] = 1;
            assert_eq!(one.differing(&other), other.differing(&one), "byte {at}");
            one.differing(&other)
        };
        assert_eq!(one.differing(&one), 0);
        (0..bytes_of(&one).len() - padding).map(other).collect()
    }

    #[test]
    fn every_field_is_in_a_part() {
        let raster = parts_of_bytes::<SetRaster>(2);
        assert!(raster.iter().all(|parts| [1, 2, 4].contains(parts) || *parts == 3), "{raster:?}");
        assert_eq!(raster.iter().filter(|parts| **parts == 1).count(), 3 + 2 * 4, "cull, front_ccw, the bias");
        assert_eq!(raster.iter().filter(|parts| **parts == 4).count(), 3 * 4, "three sizes");
        let blend = parts_of_bytes::<SetBlend>(4);
        assert!(blend.iter().enumerate().all(|(at, parts)| *parts == if at == 7 { 2 } else { 1 }), "{blend:?}");
        let depth = parts_of_bytes::<SetDepthStencil>(0);
        assert!(
            depth.iter().enumerate().all(|(at, parts)| *parts == if at == 0 || at == 3 { 1 } else { 2 }),
            "{depth:?}"
        );
    }

    #[test]
    fn which_faces_are_culled_matters_to_pipelines_where_fill_modes_differ() {
        let one = SetRaster { fill: 1, ..SetRaster::default() };
        assert_eq!(
            one.differing(&SetRaster { cull: 1, ..one }),
            1 << RasterStates::FACES | 1 << RasterStates::PRIMITIVES
        );
        let same = SetRaster { fill_back: 1, ..one };
        assert_eq!(same.differing(&SetRaster { cull: 1, ..same }), 1 << RasterStates::FACES);
    }

    #[test]
    fn a_logical_operation_alone_is_no_change_of_blending() {
        let one = SetBlend::default();
        let other = SetBlend { logic_op: 3, enable: 1, ..one };
        assert_eq!(one.differing(&SetBlend { logic_op: 3, ..one }), 1 << BlendStates::LOGIC_OP);
        assert_eq!(one.differing(&other), 1 << BlendStates::LOGIC_OP | 1 << BlendStates::BLENDING);
    }
}
