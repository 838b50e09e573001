//! Every pipeline of a renderer: made on worker threads ahead of the draws where that can be, else when a draw asks.

use crate::cache::PipelineCache;
use crate::descriptors::Descriptors;
use crate::gpu::Gpu;
use crate::known::Known;
use crate::pipeline::{self, Blend, Fixed, Interner, Key, TargetFormats, VertexLayout};
use crate::shaders::{self, Library};
use crate::workers::{Once, Urgency, Workers};
use ash::vk;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry as MapEntry;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// What makes pipelines, on any thread.
struct Maker {
    gpu: Arc<Gpu>,
    layout: vk::PipelineLayout,
    cache: Arc<PipelineCache>,
    shaders: Arc<shaders::Maker>,
    made: AtomicU64,
}

/// A pipeline that is there, or will be once somebody makes it.
struct Slot {
    fixed: Fixed,
    vertex: Arc<shaders::Slot>,
    pixel: Option<Arc<shaders::Slot>>,
    pipeline: Once<vk::Pipeline>,
}

impl Slot {
    /// Makes the pipeline unless somebody has begun. False where a shader is missing: the guest has not created it in
    /// this run, and the disk cache does not have it.
    fn begin(&self, maker: &Maker) -> bool {
        if self.pipeline.begun() {
            return true;
        }
        if !self.vertex.begin(&maker.shaders) || !self.pixel.iter().all(|slot| slot.begin(&maker.shaders)) {
            return false;
        }
        self.pipeline.make(|| {
            let vertex = self.vertex.wait()?;
            let pixel = match &self.pixel {
                Some(slot) => Some(slot.wait()?),
                None => None,
            };
            // Only a file of the last run can be wrong about this.
            if !self.fixed.layout.feeds(vertex.inputs) {
                tracing::warn!("a known pipeline does not fit its vertex shader; it is not made");
                return None;
            }
            let (gpu, cache) = (&maker.gpu, maker.cache.raw);
            let pipeline =
                pipeline::create(gpu, maker.layout, cache, &self.fixed, vertex, pixel.map(|variant| &**variant))
                    .inspect_err(|error| tracing::error!("{error}; draws with this pipeline are skipped"))
                    .ok()?;
            maker.made.fetch_add(1, Ordering::Relaxed);
            gpu.name(pipeline, &format!("pipeline {:016x}", self.vertex.identity.code as u64));
            Some(pipeline)
        });
        true
    }
}

struct Entry {
    slot: Arc<Slot>,
    /// What draws use, once they have asked for it: `None` inside cannot be made.
    used: Option<Option<vk::Pipeline>>,
    /// How soon workers were told that it is wanted; `None`: they were not.
    queued: Option<Urgency>,
    /// Whether the last run had it.
    known: bool,
}

/// Figures about pipelines.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    /// Draws with a new pipeline that had to wait for it.
    pub(crate) waited: u64,
    /// Nanoseconds of these waits.
    pub(crate) nanoseconds: u64,
    /// Pipelines that were there when a draw first asked.
    pub(crate) ahead: u64,
    /// Of these, pipelines that the last run left.
    pub(crate) known: u64,
}

/// Pipelines by key, and the interned parts of keys.
pub(crate) struct Pipelines {
    maker: Arc<Maker>,
    workers: Arc<Workers>,
    pub(crate) targets: Interner<TargetFormats>,
    pub(crate) inputs: Interner<VertexLayout>,
    pub(crate) blends: Interner<Blend>,
    entries: FxHashMap<Key, Entry>,
    /// Keys that draws have asked for, in the order of the first draw.
    used: Vec<Key>,
    pub(crate) figures: Figures,
}

impl Pipelines {
    pub(crate) fn new(
        gpu: &Arc<Gpu>,
        descriptors: &Descriptors,
        cache: &Arc<PipelineCache>,
        library: &Library,
    ) -> Self {
        let mut blends = Interner::default();
        // Number 0 stands for dynamic blending.
        blends.number(&Blend::default());
        Self {
            maker: Arc::new(Maker {
                gpu: Arc::clone(gpu),
                layout: descriptors.pipeline_layout,
                cache: Arc::clone(cache),
                shaders: Arc::clone(&library.maker),
                made: AtomicU64::new(0),
            }),
            workers: Arc::clone(&library.workers),
            targets: Interner::default(),
            inputs: Interner::default(),
            blends,
            entries: FxHashMap::default(),
            used: Vec::new(),
            figures: Figures::default(),
        }
    }

    /// The pipeline of a key if a draw has asked for it before. `None` inside: it cannot be made.
    #[inline]
    pub(crate) fn get(&self, key: &Key) -> Option<Option<vk::Pipeline>> {
        self.entries.get(key)?.used
    }

    /// Whether a draw would get the pipeline without waiting.
    pub(crate) fn is_ready(&self, key: &Key) -> bool {
        self.entries.get(key).is_some_and(|entry| entry.slot.pipeline.get().is_some())
    }

    /// The pipeline of a key; waits for it.
    #[cold]
    pub(crate) fn wait(&mut self, key: &Key, library: &Library) -> Option<vk::Pipeline> {
        let entry = Self::entry(&mut self.entries, (&self.inputs, &self.targets, &self.blends), key, library)?;
        let pipeline = match entry.slot.pipeline.get() {
            Some(pipeline) => {
                self.figures.ahead += 1;
                self.figures.known += u64::from(entry.known);
                *pipeline
            }
            None => {
                let start = Instant::now();
                self.workers.put_off_guesses();
                let begun = entry.slot.begin(&self.maker);
                let pipeline = if begun { *self.workers.help_until(&entry.slot.pipeline) } else { None };
                self.figures.waited += 1;
                self.figures.nanoseconds += start.elapsed().as_nanos() as u64;
                pipeline
            }
        };
        if entry.used.is_none() {
            entry.used = Some(pipeline);
            self.used.push(*key);
        }
        pipeline
    }

    /// Lets workers make the pipeline of a key if it is not there.
    pub(crate) fn prepare(&mut self, key: &Key, library: &Library, urgency: Urgency) {
        let parts = (&self.inputs, &self.targets, &self.blends);
        let Some(entry) = Self::entry(&mut self.entries, parts, key, library) else { return };
        entry.known |= urgency == Urgency::Known;
        // What is known is tried again when the guest creates a shader: it may have been missing before.
        let queued = entry.queued >= Some(urgency) && urgency != Urgency::Known;
        if queued || entry.slot.pipeline.begun() {
            return;
        }
        entry.queued = Some(urgency);
        let (slot, maker) = (Arc::clone(&entry.slot), Arc::clone(&self.maker));
        self.workers.run(urgency, move || {
            slot.begin(&maker);
        });
    }

    /// `None` where the key's shaders have no number.
    fn entry<'a>(
        entries: &'a mut FxHashMap<Key, Entry>,
        (inputs, targets, blends): (&Interner<VertexLayout>, &Interner<TargetFormats>, &Interner<Blend>),
        key: &Key,
        library: &Library,
    ) -> Option<&'a mut Entry> {
        Some(match entries.entry(*key) {
            MapEntry::Occupied(found) => found.into_mut(),
            MapEntry::Vacant(place) => {
                let slot = Slot {
                    fixed: Fixed {
                        layout: inputs.get(key.input).clone(),
                        targets: *targets.get(key.targets),
                        blend: *blends.get(key.blend),
                        sample_mask: key.sample_mask,
                        raster: key.raster,
                        spec: key.spec,
                    },
                    vertex: Arc::clone(library.slot(key.vertex)?),
                    pixel: match key.pixel {
                        Key::NONE => None,
                        number => Some(Arc::clone(library.slot(number)?)),
                    },
                    pipeline: Once::default(),
                };
                place.insert(Entry { slot: Arc::new(slot), used: None, queued: None, known: false })
            }
        })
    }

    /// The pipelines that draws used, in the order of the first draw.
    pub(crate) fn used(&self) -> Vec<Known> {
        let entries = self.used.iter().filter_map(|key| self.entries.get(key));
        let drawn = entries.filter(|entry| matches!(entry.used, Some(Some(_))));
        drawn
            .map(|entry| Known {
                vertex: entry.slot.vertex.identity,
                pixel: entry.slot.pixel.as_ref().map(|pixel| pixel.identity),
                fixed: entry.slot.fixed.clone(),
                unused: 0,
            })
            .collect()
    }

    /// Pipelines made so far.
    pub(crate) fn made(&self) -> u64 {
        self.maker.made.load(Ordering::Relaxed)
    }
}

impl Drop for Pipelines {
    fn drop(&mut self) {
        // No worker may be at it any more.
        self.workers.stop();
        for pipeline in self.entries.values().filter_map(|entry| entry.slot.pipeline.get().copied().flatten()) {
            // SAFETY: the renderer waits for the device before it drops its parts.
            unsafe { self.maker.gpu.raw.destroy_pipeline(pipeline, None) };
        }
    }
}
