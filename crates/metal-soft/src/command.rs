//! What is encoded, until it is executed.

use std::collections::BTreeMap;
use std::sync::Arc;

use afterimage_metal_calls::{
    Aspect, BufferLayout, CullMode, DepthClipMode, DepthResolve, Device, DrawCount, FillMode, IndexType, LoadAction,
    PrimitiveType, Region, ScissorRect, StencilReferences, StoreAction, Subresource, Viewport, VisibilityMode, Winding,
};

use crate::layer::SoftLayer;
use crate::objects::{SoftBuffer, SoftComputePipeline, SoftDepthStencil, SoftRenderPipeline, SoftSampler};
use crate::texture::SoftTexture;

/// The argument tables of a stage, and what it reaches by address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// With offsets.
    pub(crate) buffers: BTreeMap<u32, (SoftBuffer, u64)>,
    pub(crate) textures: BTreeMap<u32, SoftTexture>,
    pub(crate) samplers: BTreeMap<u32, SoftSampler>,
    /// And whether it may be written.
    pub(crate) resident: Vec<(SoftBuffer, bool)>,
}

/// What draws are done with.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) pipeline: Option<SoftRenderPipeline>,
    pub(crate) depth_stencil: Option<SoftDepthStencil>,
    pub(crate) references: StencilReferences,
    /// One at least.
    pub(crate) viewports: Vec<Viewport>,
    /// As many where something is drawn.
    pub(crate) scissors: Vec<ScissorRect>,
    pub(crate) cull: CullMode,
    pub(crate) winding: Winding,
    pub(crate) fill: FillMode,
    /// Bias, scale of the slope, clamp.
    pub(crate) bias: [f32; 3],
    pub(crate) clip: DepthClipMode,
    /// Of the depth stored; 0 and 1 are none.
    pub(crate) depth_bounds: [f32; 2],
    pub(crate) blend_color: [f32; 4],
    pub(crate) visibility: (VisibilityMode, u64),
    pub(crate) vertex: Arc<Table>,
    pub(crate) fragment: Arc<Table>,
}

impl State {
    /// That of a new encoder.
    pub(crate) fn new(size: [u32; 2]) -> Self {
        Self {
            pipeline: None,
            depth_stencil: None,
            references: StencilReferences { front: 0, back: 0 },
            viewports: vec![Viewport { origin: [0.0; 2], size: size.map(f64::from), depth: [0.0, 1.0] }],
            scissors: vec![ScissorRect { origin: [0; 2], size }],
            cull: CullMode::None,
            winding: Winding::Clockwise,
            fill: FillMode::Fill,
            bias: [0.0; 3],
            clip: DepthClipMode::Clip,
            depth_bounds: [0.0, 1.0],
            blend_color: [0.0; 4],
            visibility: (VisibilityMode::Disabled, 0),
            vertex: Arc::default(),
            fragment: Arc::default(),
        }
    }
}

/// What a pass is drawn with: width, height, samples and layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) size: [u32; 2],
    pub(crate) samples: u32,
    pub(crate) layers: u32,
}

/// A level and slice of a texture.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) texture: SoftTexture,
    pub(crate) level: u32,
    pub(crate) slice: u32,
    pub(crate) plane: u32,
}

impl Target {
    pub(crate) fn of<D: Device<Texture = SoftTexture>>(from: &Subresource<'_, D>) -> Self {
        let texture = from.texture.clone();
        Self { texture, level: from.level, slice: from.slice, plane: from.depth_plane }
    }
}

/// An attachment.
#[derive(Clone, Debug)]
pub(crate) struct Attachment<T> {
    pub(crate) target: Target,
    pub(crate) resolve: Option<(Target, DepthResolve)>,
    pub(crate) load: LoadAction<T>,
    pub(crate) store: StoreAction,
}

/// A pass.
#[derive(Clone, Debug)]
pub(crate) struct Pass {
    pub(crate) label: String,
    pub(crate) extent: Extent,
    pub(crate) colors: Vec<Option<Attachment<[f64; 4]>>>,
    pub(crate) depth: Option<Attachment<f64>>,
    pub(crate) stencil: Option<Attachment<u32>>,
    pub(crate) visibility: Option<SoftBuffer>,
    /// Offsets that were set.
    pub(crate) counted: Vec<u64>,
    /// `renderTargetArrayLength` is not 0.
    pub(crate) layers_set: bool,
}

/// Where the indices of a draw are.
#[derive(Clone, Debug)]
pub(crate) struct IndexSource {
    pub(crate) buffer: SoftBuffer,
    pub(crate) offset: u64,
    pub(crate) ty: IndexType,
}

/// How much is drawn: said, or in a buffer.
#[derive(Clone, Debug)]
pub(crate) enum Amount {
    Direct(DrawCount),
    Indirect(SoftBuffer, u64),
}

/// Threadgroups: said, or in a buffer.
#[derive(Clone, Debug)]
pub(crate) enum Groups {
    Direct([u32; 3]),
    Indirect(SoftBuffer, u64),
}

/// A draw.
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    pub(crate) state: State,
    pub(crate) pipeline: SoftRenderPipeline,
    pub(crate) primitive: PrimitiveType,
    pub(crate) amount: Amount,
    pub(crate) indices: Option<IndexSource>,
}

/// A dispatch.
#[derive(Clone, Debug)]
pub(crate) struct Dispatch {
    pub(crate) pipeline: SoftComputePipeline,
    pub(crate) table: Arc<Table>,
    pub(crate) groups: Groups,
    pub(crate) threads: [u32; 3],
}

/// What is executed.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    Render(Box<Pass>, Vec<Draw>),
    Dispatch(Box<Dispatch>),
    CopyBuffer {
        from: SoftBuffer,
        from_offset: u64,
        to: SoftBuffer,
        to_offset: u64,
        size: u64,
    },
    FillBuffer {
        buffer: SoftBuffer,
        offset: u64,
        size: u64,
        value: u8,
    },
    /// Between a buffer and a texture.
    CopyTexels {
        to_texture: bool,
        buffer: SoftBuffer,
        layout: BufferLayout,
        texture: SoftTexture,
        region: Region,
        aspect: Aspect,
    },
    CopyTexture {
        from: SoftTexture,
        region: Region,
        to: SoftTexture,
        destination: Region,
    },
    GenerateMipmaps(SoftTexture),
    /// The picture is seen from here on.
    Present(SoftLayer, SoftTexture),
}
