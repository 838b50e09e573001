//! What is bound, and what the encoder has of it.

use crate::memory::ring::Slice;
use crate::pipeline::key::{Blend, Key};
use crate::pipeline::shaders::TextureArgument;
use crate::resources::texture::Texture;
use crate::state::targets::{Load, Targets};
use crate::state::vertices::Input;
use afterimage_metal_calls::{Device, PrimitiveType, ScissorRect, Stage, StencilReferences, Viewport};
use afterimage_render::dynamic::{DynamicTests, PackedRaster};
use afterimage_shader::RuntimeInfo;
use afterimage_shader::msl::Samplers;
use afterimage_stream::packets::{Cull, Fill, SetBlend, Topology};
use afterimage_stream::{Groups, ObjectId, VERTEX_BUFFERS};
use smallvec::SmallVec;

/// Uploaded bytes that a binding names.
#[derive(Clone, Debug)]
pub(crate) struct Upload<D: Device> {
    pub(crate) slice: Slice<D>,
    pub(crate) size: u64,
    /// Another number for each upload.
    pub(crate) version: u64,
}

/// What a texture held before a draw that samples it and draws into it.
#[derive(Debug)]
pub(crate) struct Snapshot<D: Device> {
    /// Another one for each snapshot.
    pub(crate) number: u64,
    pub(crate) texture: ObjectId,
    pub(crate) copy: Texture<D>,
}

/// What is in a slot of a stage's argument tables of textures and samplers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sampled {
    pub(crate) texture: ObjectId,
    pub(crate) sampler: ObjectId,
    /// Of snapshots of targets, another one each time.
    pub(crate) snapshot: u64,
    /// What it is bound for ([`TextureArgument::word`]).
    pub(crate) argument: u64,
}

/// What is drawn of triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fills {
    /// Both faces in the same way.
    Same(Fill),
    /// Front and back faces in two ways, one after the other.
    Apart(Fill, Fill),
    /// One face alone.
    One(Cull, Fill),
}

/// A draw that was encoded as it came, without copies, indices of our own, or passes around it: where the next one is like it, only what
/// changed is applied (`execute/again.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    pub(crate) topology: Topology,
    pub(crate) primitive: PrimitiveType,
    /// How triangles are filled.
    pub(crate) fill: Fill,
    /// Vertices that every buffer has which advances by them.
    pub(crate) end: u64,
}

/// What an encoder has for draws. `None`, or nothing, where it has nothing yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorded {
    /// The last draw, if it was plain: then the encoder has all that it needed.
    pub(crate) plain: Option<Plain>,
    /// The pipeline's number, and those of its variants.
    pub(crate) pipeline: Option<u32>,
    pub(crate) shaders: Option<(u32, Option<u32>)>,
    pub(crate) tests: Option<DynamicTests>,
    pub(crate) references: Option<StencilReferences>,
    pub(crate) viewport: Option<Viewport>,
    pub(crate) scissor: Option<ScissorRect>,
    /// If there are several; none if there is one.
    pub(crate) viewports: (Vec<Viewport>, Vec<ScissorRect>),
    /// Least and greatest; none of a new encoder's.
    pub(crate) depth_bounds: Option<[f32; 2]>,
    pub(crate) raster: Option<PackedRaster>,
    pub(crate) fills: Option<Fills>,
    pub(crate) blend_color: Option<[u32; 4]>,
    /// Number of the memory, and offset, by slot.
    pub(crate) vertices: [Option<(u64, u64)>; VERTEX_BUFFERS],
    pub(crate) default_vertices: bool,
    /// Constants of the vertex and of the pixel stage, and their system blocks.
    pub(crate) constants: [Vec<u8>; 2],
    pub(crate) system: [Vec<u8>; 2],
    /// By index, of the vertex and of the pixel stage.
    pub(crate) textures: [[Option<Sampled>; 16]; 2],
    /// Whether samples are counted.
    pub(crate) counts: Option<bool>,
    /// Whether it has all that the last draw needed.
    pub(crate) complete: bool,
}

/// Blend states that a pipeline is kept for.
const MOST_RECENT: usize = 8;

/// Pipelines that differ in blending alone: the state, what is in keys of it, the number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recent {
    all: SmallVec<[(SetBlend, [Blend; 8], u32); 2]>,
    next: usize,
}

impl Recent {
    /// Where a state is.
    #[inline(always)]
    pub(crate) fn find(&self, state: &SetBlend) -> Option<&(SetBlend, [Blend; 8], u32)> {
        let words: &[u64; 5] = bytemuck::cast_ref(state);
        self.all.iter().find(|(other, ..)| {
            let other: &[u64; 5] = bytemuck::cast_ref(other);
            (0..5).fold(0, |differing, at| differing | (words[at] ^ other[at])) == 0
        })
    }

    /// Keeps another, in the place of the oldest.
    pub(crate) fn keep(&mut self, state: SetBlend, blends: [Blend; 8], pipeline: u32) {
        if self.find(&state).is_some() {
            return;
        }
        if self.all.len() < MOST_RECENT {
            self.all.push((state, blends, pipeline));
        } else if let Some(place) = self.all.get_mut(self.next) {
            *place = (state, blends, pipeline);
            self.next = (self.next + 1) % MOST_RECENT;
        }
    }

    /// Something else of the key is another.
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.next = 0;
    }
}

/// What draws were last prepared for.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    pub(crate) vertex: u32,
    pub(crate) pixel: Option<u32>,
    pub(crate) key: Key,
    pub(crate) input: Input,
    /// The layout's number, with the slots that are copied.
    pub(crate) layout: Option<(u32, u32)>,
    /// Number of the key's pipeline, where that was looked up.
    pub(crate) pipeline: Option<u32>,
    /// Other pipelines, which differ in blending.
    pub(crate) recent: Recent,
    /// What its shaders sample.
    pub(crate) textures: SmallVec<[(Stage, TextureArgument); 4]>,
    /// What is chosen by of [`SetPixelOps`](afterimage_stream::packets::SetPixelOps).
    pub(crate) ops: u64,
    /// Whether its shaders have nothing but constants, textures and vertices: no images, no values of samplers, nothing that they store.
    pub(crate) simple: bool,
}

/// What is bound.
#[derive(Debug)]
pub(crate) struct Bound<D: Device> {
    pub(crate) targets: Targets<D>,
    /// What changed since it was bound.
    pub(crate) dirty: Groups,
    /// What is cleared when the next pass begins.
    pub(crate) load: Load,
    pub(crate) recorded: Recorded,
    pub(crate) runtime: RuntimeInfo,
    /// Of the bound samplers of the vertex and of the pixel stage.
    pub(crate) samplers: [Samplers; 2],
    pub(crate) vertex_uploads: [Option<Upload<D>>; VERTEX_BUFFERS],
    pub(crate) index_upload: Option<Upload<D>>,
    /// Whether samples of draws count at all: not those of clears.
    pub(crate) draws_count: bool,
    /// The part of signed blending that is drawn: see [`afterimage_shader::PixelOps::signed_part`].
    pub(crate) part: u8,
    /// Textures that draws sample and draw into.
    pub(crate) reads: SmallVec<[Snapshot<D>; 0]>,
    /// Room for constants, and for updates of buffers.
    pub(crate) block: Vec<u8>,
}

impl<D: Device> Default for Bound<D> {
    fn default() -> Self {
        Self {
            targets: Targets::default(),
            dirty: Groups::all(),
            load: Load::default(),
            recorded: Recorded::default(),
            runtime: RuntimeInfo::default(),
            samplers: [Samplers::default(); 2],
            vertex_uploads: [const { None }; VERTEX_BUFFERS],
            index_upload: None,
            draws_count: true,
            part: 0,
            reads: SmallVec::new(),
            block: Vec::new(),
        }
    }
}
