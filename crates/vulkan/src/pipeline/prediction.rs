//! What is foreseen of draws: scenes, the pixel shaders that may follow in them, and the batch that is looked through.

use crate::pipeline::key::TargetFormats;
use afterimage_render::workers::Urgency;
use afterimage_shader::RuntimeInfo;
use afterimage_stream::packets::{BlendTarget, SetBlend, SetPixelOps, SetRaster, SetShaders};
use afterimage_stream::{Arena, ObjectId};

/// A batch that is being executed.
pub(crate) struct Batch<'a> {
    pub(crate) words: &'a [u64],
    pub(crate) arena: &'a dyn Arena,
}

/// A packet of a batch, and what comes after it.
#[derive(Clone, Copy)]
pub(crate) struct Rest<'a> {
    pub(crate) batch: &'a Batch<'a>,
    /// Word that the packet begins at.
    pub(crate) at: usize,
    /// Its sequence number.
    pub(crate) sequence: u32,
}

/// The state that a draw's pipeline depends on.
#[derive(Clone)]
pub(crate) struct Scene {
    pub(crate) shaders: SetShaders,
    pub(crate) vertex_input: ObjectId,
    pub(crate) targets: TargetFormats,
    pub(crate) ops: SetPixelOps,
    pub(crate) raster: SetRaster,
    pub(crate) blend: SetBlend,
    pub(crate) blend_targets: Vec<BlendTarget>,
    /// Texture shapes and what else the state around shaders has beside [`Scene::ops`].
    pub(crate) runtime: RuntimeInfo,
    pub(crate) class: u32,
    /// Whether triangles are corners of rectangles.
    pub(crate) rects: bool,
}

/// A draw that may come.
pub(crate) struct Foreseen {
    pub(crate) scene: Scene,
    pub(crate) vertex: u32,
    /// Or [`Key::NONE`].
    pub(crate) pixel: u32,
    pub(crate) urgency: Urgency,
    /// Frames that it may still wait for a vertex layout that feeds it, and for targets: at load there may be none yet.
    pub(crate) patience: u16,
}

/// A scene that pixel shaders were drawn in, and others that may be.
pub(crate) struct Followers {
    pub(crate) scene: Scene,
    pub(crate) pixels: std::vec::IntoIter<ObjectId>,
}
