//! Parts of pipelines: each stage is compiled by itself, as soon as its shader is there and whatever that will be drawn with. A draw
//! whose pipeline is not there yet links four of them, which takes no compiler (VK_EXT_graphics_pipeline_library).
//!
//! What is linked is not as good as what is made whole, and draws only until that is there. Pipelines of which a part would depend on
//! another one are always made whole: with geometry shaders, with transform feedback, with pixel shaders that run for each sample.

use crate::pipeline::create;
pub(crate) use crate::pipeline::create::Part as Kind;
use crate::pipeline::key::{Fixed, Key, Spec};
use crate::pipeline::pipelines::{Maker, Pipeline};
use crate::pipeline::raster::Raster;
use crate::pipeline::shaders;
use crate::resources::layouts::Reach;
use afterimage_ipc::Task;
use afterimage_render::workers::{Once, Urgency, Workers};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What a part is made from. Numbers are those of [`Key`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PartKey {
    /// How vertices are fetched; `class` is the topology's.
    Input { input: u32, class: u32 },
    /// The vertex stage, and what is made of its vertices.
    Vertex { vertex: u32, reach: Option<Reach>, raster: Raster },
    /// The pixel stage, or [`Key::NONE`].
    Pixel { pixel: u32, reach: Option<Reach> },
    /// What becomes of pixels.
    Output { targets: u32, blend: u32, sample_mask: u32, raster: Raster },
}

impl PartKey {
    /// The parts of a pipeline, or nothing where it is made whole. A stage has a `reach` where it is not the shader's own.
    pub(crate) fn of(key: &Key, [of_vertex, of_pixel]: [Option<Reach>; 2]) -> Option<[Self; 4]> {
        let &Key { vertex, pixel, geometry, input, targets, blend, sample_mask, raster, spec } = key;
        if geometry != Key::NONE || raster.rects() || raster.line_quads() || spec != Spec::DYNAMIC {
            return None;
        }
        Some([
            Self::Vertex { vertex, reach: of_vertex, raster: raster.of_vertices() },
            Self::Pixel { pixel, reach: of_pixel },
            Self::Input { input, class: raster.class() },
            Self::Output { targets, blend, sample_mask, raster: raster.of_targets() },
        ])
    }

    fn kind(self) -> Kind {
        match self {
            Self::Input { .. } => Kind::VERTEX_INPUT_INTERFACE,
            Self::Vertex { .. } => Kind::PRE_RASTERIZATION_SHADERS,
            Self::Pixel { .. } => Kind::FRAGMENT_SHADER,
            Self::Output { .. } => Kind::FRAGMENT_OUTPUT_INTERFACE,
        }
    }

    /// Whether the compiler has something to do for it.
    fn is_stage(self) -> bool {
        matches!(self, Self::Vertex { .. } | Self::Pixel { .. })
    }
}

/// A part that is there, or will be once somebody makes it.
pub(crate) struct Part {
    key: PartKey,
    /// As far as it is of the part.
    fixed: Fixed,
    shader: Option<Arc<shaders::Slot>>,
    pub(crate) made: Once<Pipeline>,
}

impl Part {
    /// Makes it unless somebody has begun. False where its shader is missing.
    pub(crate) fn begin(&self, maker: &Maker) -> bool {
        if self.made.begun() {
            return true;
        }
        if self.shader.as_ref().is_some_and(|shader| !shader.begin(&maker.shaders)) {
            return false;
        }
        self.made.make(|| self.make(maker));
        true
    }

    fn make(&self, maker: &Maker) -> Option<Pipeline> {
        let variant = match &self.shader {
            Some(slot) => Some(&**slot.wait()?),
            None => None,
        };
        if variant.is_some_and(|variant| !variant.can_be_part()) {
            return None;
        }
        let (mut stages, mut shared) = (create::Stages::default(), None);
        match self.key {
            PartKey::Vertex { reach, .. } => (stages.vertex, shared) = (variant, reach),
            PartKey::Pixel { reach, .. } => (stages.pixel, shared) = (variant, reach),
            PartKey::Input { .. } | PartKey::Output { .. } => {}
        }
        let reach = shared.or(variant.map(|variant| variant.reach)).unwrap_or_default();
        let (gpu, cache) = (&maker.gpu, maker.cache.raw);
        let name = self.shader.as_ref().and_then(|slot| slot.name()).map_or(0, |(_, name)| name);
        let _task = self.shader.as_ref().map(|_| maker.shaders.begin_task(Task::Pipeline, name));
        let raw = maker
            .layouts
            .get(reach)
            .and_then(|layout| create::create(gpu, layout.raw, cache, &self.fixed, stages, Some(self.key.kind())))
            .inspect_err(|error| tracing::error!("{error}; pipelines with this {:?} are not linked", self.key.kind()))
            .ok()?;
        Some(Pipeline { gpu: Arc::clone(gpu), raw })
    }
}

struct Entry {
    part: Arc<Part>,
    /// How soon workers were told that it is wanted.
    queued: Option<Urgency>,
    /// Frame of the last draw that linked it; before the first, the frame that it was thought of.
    last_used: u64,
}

/// Every part of a renderer's pipelines.
pub(crate) struct Parts {
    maker: Arc<Maker>,
    workers: Arc<Workers>,
    entries: FxHashMap<PartKey, Entry>,
}

impl Parts {
    pub(crate) fn new(maker: &Arc<Maker>, workers: &Arc<Workers>) -> Self {
        Self { maker: Arc::clone(maker), workers: Arc::clone(workers), entries: FxHashMap::default() }
    }

    /// A part, which nobody may have begun to make.
    pub(crate) fn get(
        &mut self,
        key: PartKey,
        frame: u64,
        of: impl FnOnce() -> (Fixed, Option<Arc<shaders::Slot>>),
    ) -> &Arc<Part> {
        &self.entry(key, frame, of).part
    }

    fn entry(
        &mut self,
        key: PartKey,
        frame: u64,
        of: impl FnOnce() -> (Fixed, Option<Arc<shaders::Slot>>),
    ) -> &mut Entry {
        let entry = self.entries.entry(key).or_insert_with(|| {
            let (fixed, shader) = of();
            Entry { part: Arc::new(Part { key, fixed, shader, made: Once::default() }), queued: None, last_used: frame }
        });
        entry.last_used = frame;
        entry
    }

    /// Lets workers make a part if it is not there.
    pub(crate) fn prepare(
        &mut self,
        key: PartKey,
        frame: u64,
        urgency: Urgency,
        of: impl FnOnce() -> (Fixed, Option<Arc<shaders::Slot>>),
    ) {
        let entry = self.entry(key, frame, of);
        if entry.queued >= Some(urgency) || entry.part.made.begun() {
            return;
        }
        entry.queued = Some(urgency);
        let part = Arc::clone(&entry.part);
        let maker = Arc::clone(&self.maker);
        self.workers.run(urgency, move || {
            part.begin(&maker);
        });
    }

    /// Whether linking these would wait for no compiler.
    pub(crate) fn are_ready(&self, keys: &[PartKey; 4]) -> bool {
        let made = |key: &PartKey| self.entries.get(key).is_some_and(|entry| entry.part.made.get().is_some());
        keys.iter().filter(|key| key.is_stage()).all(made)
    }

    /// Waits for parts, which are made at the same time.
    pub(crate) fn wait(&self, parts: &[Arc<Part>; 4]) -> Option<[ash::vk::Pipeline; 4]> {
        let mut missing = parts.iter().filter(|part| part.key.is_stage() && !part.made.begun());
        if let (Some(first), Some(_)) = (missing.next(), missing.next()) {
            let (part, maker) = (Arc::clone(first), Arc::clone(&self.maker));
            self.workers.run(Urgency::Soon, move || {
                part.begin(&maker);
            });
        }
        // The last first: the worker has begun with the other.
        for part in parts.iter().rev() {
            part.begin(&self.maker);
        }
        let mut raw = [ash::vk::Pipeline::null(); 4];
        for (raw, part) in raw.iter_mut().zip(parts) {
            *raw = self.workers.help_until(&part.made).as_ref()?.raw;
        }
        Some(raw)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Takes out what nothing was linked of since a frame.
    pub(crate) fn take_idle(&mut self, since: u64) -> Vec<Arc<Part>> {
        self.entries.extract_if(|_, entry| entry.last_used <= since).map(|(_, entry)| entry.part).collect()
    }
}
