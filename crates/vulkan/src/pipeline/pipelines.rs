//! Every pipeline of a renderer: made on worker threads ahead of the draws where that can be, else when a draw asks.
//!
//! Programs that make shaders for as long as they run would make pipelines without end, so those that no draw has used for
//! longest go when there are many.

use crate::device::gpu::Gpu;
use crate::device::memory::HeapTrim;
use crate::device::profile::Profile;
use crate::error::{Error, Result};
use crate::pipeline::cache::PipelineCache;
use crate::pipeline::history::PipelineRecord;
use crate::pipeline::key::{Blend, Fixed, Interner, Key, TargetFormats, VertexLayout};
use crate::pipeline::parts::{Part, PartKey, Parts};
use crate::pipeline::raster::Raster;
use crate::pipeline::shaders::Library;
use crate::pipeline::{create, shaders};
use crate::resources::descriptors::Descriptors;
use crate::resources::layouts::{Layouts, Reach};
use afterimage_ipc::Task;
use afterimage_ir::Component;
use afterimage_render::workers::{Once, Urgency, Workers};
use afterimage_stream::Budget;
use ash::vk;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::collections::hash_map::Entry as MapEntry;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// What makes pipelines, on any thread.
pub(crate) struct Maker {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) layouts: Arc<Layouts>,
    pub(crate) cache: Arc<PipelineCache>,
    pub(crate) shaders: Arc<shaders::Maker>,
    made: AtomicU64,
}

impl Maker {
    /// One more is made.
    pub(crate) fn count(&self) {
        self.made.fetch_add(1, Ordering::Relaxed);
    }
}

/// Pipelines that are kept whether they are used or not. A large game has a few thousand.
const KEPT: usize = 8192;

/// Likewise on a device that is the CPU, where one takes about a megabyte.
const KEPT_BY_CPU: usize = 512;

/// A pipeline goes when no draw has used it for this many frames. The GPU has long let go of it then.
const IDLE_FRAMES: u64 = 600;

/// Frames between looks for pipelines that can go.
const FRAMES_PER_LOOK: u64 = 64;

/// What the shaders of a draw reach together.
pub(crate) fn reach(vertex: &shaders::Variant, pixel: Option<&shaders::Variant>) -> Reach {
    let reach = vertex.reach;
    pixel.map_or(reach, |pixel| reach.with(pixel.reach.tables(), pixel.reach.images))
}

/// A Vulkan pipeline, destroyed when dropped.
pub(crate) struct Pipeline {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) raw: vk::Pipeline,
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        // SAFETY: no draw has used it for `IDLE_FRAMES`, which are more than may be in flight; or the renderer, which waits
        // for the device first, drops its parts.
        unsafe { self.gpu.raw.destroy_pipeline(self.raw, None) };
    }
}

/// A pipeline that is there, or will be once somebody makes it.
struct Slot {
    fixed: Fixed,
    vertex: Arc<shaders::Slot>,
    pixel: Option<Arc<shaders::Slot>>,
    geometry: Option<Arc<shaders::Slot>>,
    pipeline: Once<Pipeline>,
}

impl Slot {
    /// Makes the pipeline unless somebody has begun. False where a shader is missing: the guest has not created it in
    /// this run, and the disk cache does not have it.
    fn begin(&self, maker: &Maker) -> bool {
        if self.pipeline.begun() {
            return true;
        }
        let mut others = self.pixel.iter().chain(&self.geometry);
        if !self.vertex.begin(&maker.shaders) || !others.all(|slot| slot.begin(&maker.shaders)) {
            return false;
        }
        self.pipeline.make(|| {
            let vertex = self.vertex.wait()?;
            let pixel = match &self.pixel {
                Some(slot) => Some(slot.wait()?),
                None => None,
            };
            let geometry = match &self.geometry {
                Some(slot) => Some(&**slot.wait()?),
                None => None,
            };
            // Only a file of the last run can be wrong about this.
            if !self.fixed.layout.feeds(vertex.inputs) {
                tracing::warn!("a known pipeline does not fit its vertex shader; it is not made");
                return None;
            }
            let after = [geometry, pixel.map(|variant| &**variant)];
            self.fits(vertex, after, &maker.gpu.profile)
                .inspect_err(|error| tracing::error!("{error}; draws with it are skipped"))
                .ok()?;
            let (gpu, cache) = (&maker.gpu, maker.cache.raw);
            let reach = reach(vertex, pixel.map(|variant| &**variant));
            let layout = maker.layouts.get(reach).inspect_err(|error| tracing::error!("{error}")).ok()?.raw;
            // The pixel shader mostly has more to do.
            let named = self.pixel.as_ref().unwrap_or(&self.vertex).name();
            let _task = maker.shaders.begin_task(Task::Pipeline, named.map_or(0, |(_, name)| name));
            let stages = create::Stages { vertex: Some(vertex), pixel: pixel.map(|variant| &**variant), geometry };
            let raw = create::create(gpu, layout, cache, &self.fixed, stages, None)
                .inspect_err(|error| tracing::error!("{error}; draws with this pipeline are skipped"))
                .ok()?;
            maker.count();
            gpu.name(raw, &format!("pipeline {:016x}", self.vertex.identity.code as u64));
            Some(Pipeline { gpu: Arc::clone(gpu), raw })
        });
        true
    }

    /// Whether each stage reads what the one before it writes. Translations are made for each other; what comes as a module is not.
    fn fits(&self, vertex: &shaders::Variant, after: [Option<&shaders::Variant>; 2], profile: &Profile) -> Result<()> {
        let mut slots = [Some(&self.vertex), self.geometry.as_ref(), self.pixel.as_ref()].into_iter().flatten();
        if !slots.any(|slot| slot.came_as_module()) {
            return Ok(());
        }
        let mut before = vertex;
        for stage in after.into_iter().flatten() {
            if let Some(read) = stage.unfed(before) {
                return Err(Error::Interface { location: read.location, lanes: read.lanes, float: read.float });
            }
            before = stage;
        }
        match (&self.pixel, after[1]) {
            (Some(slot), Some(pixel)) => self.fits_targets(slot, pixel, profile),
            _ => Ok(()),
        }
    }

    /// Whether a pixel shader that comes as a module writes to each target what it holds: floats, unsigned or signed integers.
    fn fits_targets(&self, slot: &shaders::Slot, pixel: &shaders::Variant, profile: &Profile) -> Result<()> {
        let Some(signed) = slot.signed_outputs() else { return Ok(()) };
        for given in &pixel.gives {
            let Some(&format) = self.fixed.targets.colors.get(given.location as usize) else { continue };
            let Some(holds) = profile.component_of(format) else { continue };
            let gives = match (given.float, signed >> given.location & 1 != 0) {
                (true, _) => Component::Float,
                (false, false) => Component::Uint,
                (false, true) => Component::Sint,
            };
            if gives != holds {
                let (gives, holds) = (gives.name(), holds.name());
                return Err(Error::Target { location: given.location, gives, holds });
            }
        }
        Ok(())
    }

    /// What a part of it is made from.
    fn part(&self, part: PartKey) -> (Fixed, Option<Arc<shaders::Slot>>) {
        let shader = match part {
            PartKey::Vertex { .. } => Some(&self.vertex),
            PartKey::Pixel { .. } => self.pixel.as_ref(),
            PartKey::Input { .. } | PartKey::Output { .. } => None,
        };
        (self.fixed.clone(), shader.cloned())
    }

    /// The pipeline, once somebody has made it; `None` inside: it cannot be made.
    fn made(&self) -> Option<Option<vk::Pipeline>> {
        self.pipeline.get().map(|made| made.as_ref().map(|pipeline| pipeline.raw))
    }
}

/// A pipeline that was linked of its parts.
struct Linked {
    pipeline: Pipeline,
    _parts: [Arc<Part>; 4],
}

struct Entry {
    slot: Arc<Slot>,
    /// What draws use until the pipeline is made whole.
    linked: Option<Linked>,
    /// What draws use, once they have asked for it: `None` inside cannot be made.
    used: Option<Option<vk::Pipeline>>,
    /// How soon workers were told that it is wanted; `None`: they were not.
    queued: Option<Urgency>,
    /// Whether the last run had it.
    known: bool,
    /// Frame of the last draw with it; before the first, the frame that it was thought of.
    last_used: u64,
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
    /// Pipelines that were linked of their parts when a draw first asked.
    pub(crate) linked: u64,
}

/// Pipelines by key, and the interned parts of keys.
pub(crate) struct Pipelines {
    maker: Arc<Maker>,
    workers: Arc<Workers>,
    pub(crate) targets: Interner<TargetFormats>,
    pub(crate) inputs: Interner<VertexLayout>,
    pub(crate) blends: Interner<Blend>,
    entries: FxHashMap<Key, Entry>,
    parts: Parts,
    /// Linked pipelines that whole ones have taken the place of, and the frames of that.
    replaced: VecDeque<(u64, Linked)>,
    /// Keys that draws have asked for, in the order of the first draw.
    used: Vec<Key>,
    /// Frames so far.
    frame: u64,
    /// Pipelines that are kept whatever draws use.
    kept: usize,
    /// How many there may be: [`Budget::Pipelines`].
    most: usize,
    pub(crate) figures: Figures,
}

impl Pipelines {
    pub(crate) fn new(
        gpu: &Arc<Gpu>,
        descriptors: &Descriptors,
        cache: &Arc<PipelineCache>,
        library: &Library,
        kept: Option<usize>,
    ) -> Self {
        let suits = if gpu.profile.kind == vk::PhysicalDeviceType::CPU { KEPT_BY_CPU } else { KEPT };
        let mut blends = Interner::default();
        // Number 0 stands for dynamic blending.
        blends.number(&Blend::default());
        let maker = Arc::new(Maker {
            gpu: Arc::clone(gpu),
            layouts: Arc::clone(&descriptors.layouts),
            cache: Arc::clone(cache),
            shaders: Arc::clone(&library.maker),
            made: AtomicU64::new(0),
        });
        Self {
            parts: Parts::new(&maker, &library.workers),
            replaced: VecDeque::new(),
            maker,
            workers: Arc::clone(&library.workers),
            targets: Interner::default(),
            inputs: Interner::default(),
            blends,
            entries: FxHashMap::default(),
            used: Vec::new(),
            frame: 0,
            kept: kept.unwrap_or(suits),
            most: Budget::Pipelines.row().default as usize,
            figures: Figures::default(),
        }
    }

    /// What makes pipelines.
    pub(crate) fn maker(&self) -> Arc<Maker> {
        Arc::clone(&self.maker)
    }

    /// The pipeline of a key if a draw has asked for it before. `None` inside: it cannot be made.
    #[inline]
    pub(crate) fn get(&mut self, key: &Key) -> Option<Option<vk::Pipeline>> {
        let entry = self.entries.get_mut(key)?;
        entry.last_used = self.frame;
        if entry.used.is_none() && entry.linked.is_some() {
            return self.get_linked(key);
        }
        entry.used
    }

    /// The linked pipeline of a key, or the whole one that is there by now. What is being recorded keeps the other.
    #[cold]
    fn get_linked(&mut self, key: &Key) -> Option<Option<vk::Pipeline>> {
        let entry = self.entries.get_mut(key)?;
        match entry.slot.made() {
            Some(Some(whole)) => {
                self.replaced.extend(entry.linked.take().map(|linked| (self.frame, linked)));
                entry.used = Some(Some(whole));
                entry.used
            }
            _ => Some(entry.linked.as_ref().map(|linked| linked.pipeline.raw)),
        }
    }

    /// Whether a draw would get the pipeline without waiting.
    pub(crate) fn is_ready(&self, key: &Key) -> bool {
        self.entries.get(key).is_some_and(|entry| entry.slot.pipeline.get().is_some())
    }

    /// Whether it would be linked of parts that are there.
    pub(crate) fn parts_are_ready(&self, key: &Key, library: &Library) -> bool {
        self.part_keys(key, library).is_some_and(|keys| self.parts.are_ready(&keys))
    }

    /// The pipeline of a key; waits for it, or for its parts.
    #[cold]
    pub(crate) fn wait(&mut self, key: &Key, library: &Library) -> Option<vk::Pipeline> {
        if !self.has_room(key) {
            let limit = self.most as u64;
            let (what, asked, budget) = ("a draw".to_owned(), limit + 1, Budget::Pipelines);
            tracing::error!("{}; draws with it are skipped", Error::Budget { what, budget, asked, limit });
            return None;
        }
        let parts = (&self.inputs, &self.targets, &self.blends);
        let entry = Self::entry(&mut self.entries, parts, key, library, self.frame)?;
        entry.last_used = self.frame;
        let pipeline = match entry.slot.made() {
            Some(pipeline) => {
                self.figures.ahead += 1;
                self.figures.known += u64::from(entry.known);
                pipeline
            }
            None => {
                let start = Instant::now();
                self.workers.put_off_guesses();
                let slot = Arc::clone(&entry.slot);
                if let Some(linked) = self.link(key, &slot, library) {
                    return Some(linked);
                }
                let entry = self.entries.get_mut(key)?;
                if entry.slot.begin(&self.maker) {
                    self.workers.help_until(&entry.slot.pipeline);
                }
                let pipeline = entry.slot.made().flatten();
                self.figures.waited += 1;
                self.figures.nanoseconds += start.elapsed().as_nanos() as u64;
                pipeline
            }
        };
        let entry = self.entries.get_mut(key)?;
        if entry.used.is_none() {
            entry.used = Some(pipeline);
            self.used.push(*key);
        }
        pipeline
    }

    /// Links a pipeline of its parts, and lets workers make it whole. `None` where it cannot be linked.
    fn link(&mut self, key: &Key, slot: &Slot, library: &Library) -> Option<vk::Pipeline> {
        let start = Instant::now();
        let keys = self.part_keys(key, library)?;
        let (vertex, pixel) = (slot.vertex.made()?, slot.pixel.as_ref().map(|pixel| pixel.made()));
        let pixel = match pixel {
            Some(made) => Some(&**made?),
            None => None,
        };
        // Who makes it whole says why it does not fit.
        slot.fits(vertex, [None, pixel], &self.maker.gpu.profile).ok()?;
        let ready = self.parts.are_ready(&keys);
        let layout = self.maker.layouts.get(reach(vertex, pixel)).ok()?.raw;
        let parts = keys.map(|part| Arc::clone(self.parts.get(part, self.frame, || slot.part(part))));
        let raw = self.parts.wait(&parts)?;
        let gpu = &self.maker.gpu;
        let raw = create::link(gpu, layout, &raw)
            .inspect_err(|error| tracing::error!("{error}; a pipeline is not linked"))
            .ok()?;
        gpu.name(raw, &format!("linked pipeline {:016x}", slot.vertex.identity.code as u64));
        let pipeline = Pipeline { gpu: Arc::clone(gpu), raw };
        self.entries.get_mut(key)?.linked = Some(Linked { pipeline, _parts: parts });
        self.used.push(*key);
        self.figures.linked += 1;
        if ready {
            self.figures.ahead += 1;
        } else {
            self.figures.waited += 1;
            self.figures.nanoseconds += start.elapsed().as_nanos() as u64;
        }
        self.prepare(key, library, Urgency::Likely);
        Some(raw)
    }

    /// The parts that a pipeline is linked of; nothing where it is not.
    fn part_keys(&self, key: &Key, library: &Library) -> Option<[PartKey; 4]> {
        if !self.maker.gpu.profile.pipeline_libraries {
            return None;
        }
        let made = |number| library.slot(number).and_then(|slot| slot.made());
        if ![made(key.vertex), made(key.pixel)].into_iter().flatten().all(|variant| variant.can_be_part()) {
            return None;
        }
        // Before translation nobody knows what shaders reach, which is mostly the same.
        let shared = match (made(key.vertex), made(key.pixel)) {
            (Some(vertex), pixel) if pixel.is_some() || key.pixel == Key::NONE => {
                let both = reach(vertex, pixel.map(|pixel| &**pixel));
                let own = |own: Reach| (!self.maker.layouts.are_alike(both, own)).then_some(both);
                [own(vertex.reach), own(pixel.map_or(Reach::PLAIN, |pixel| pixel.reach))]
            }
            _ => [None; 2],
        };
        PartKey::of(key, shared)
    }

    /// Lets workers make the stages of a pipeline; false where it is made whole.
    fn prepare_parts(&mut self, key: &Key, library: &Library, urgency: Urgency) -> bool {
        let Some([vertex, pixel, ..]) = self.part_keys(key, library) else { return false };
        for part in [vertex, pixel] {
            self.prepare_part(part, library, urgency);
        }
        true
    }

    fn prepare_part(&mut self, part: PartKey, library: &Library, urgency: Urgency) {
        let (number, raster) = match part {
            PartKey::Vertex { vertex, raster, .. } => (vertex, raster),
            PartKey::Pixel { pixel, .. } => (pixel, Raster::NONE),
            PartKey::Input { .. } | PartKey::Output { .. } => return,
        };
        let shader = library.slot(number).cloned();
        if (shader.is_some() || number == Key::NONE) && self.parts.len() < self.most {
            self.parts.prepare(part, self.frame, urgency, || (Fixed { raster, ..Fixed::default() }, shader));
        }
    }

    /// Lets workers make the part that draws with a vertex shader's variant have in common.
    pub(crate) fn prepare_vertex(&mut self, vertex: u32, raster: Raster, library: &Library) {
        let part = PartKey::Vertex { vertex, reach: None, raster: raster.of_vertices() };
        self.prepare_part(part, library, Urgency::Part);
    }

    /// Likewise with a pixel shader's.
    pub(crate) fn prepare_pixel(&mut self, pixel: u32, library: &Library, urgency: Urgency) {
        self.prepare_part(PartKey::Pixel { pixel, reach: None }, library, urgency);
    }

    /// Sets how many there may be.
    pub(crate) fn set_budget(&mut self, most: u64) {
        self.most = most.try_into().unwrap_or(usize::MAX);
    }

    fn has_room(&self, key: &Key) -> bool {
        self.entries.len() < self.most || self.entries.contains_key(key)
    }

    /// Lets workers make the pipeline of a key if it is not there.
    pub(crate) fn prepare(&mut self, key: &Key, library: &Library, urgency: Urgency) {
        if !self.has_room(key) {
            return;
        }
        let parts = (&self.inputs, &self.targets, &self.blends);
        let Some(entry) = Self::entry(&mut self.entries, parts, key, library, self.frame) else { return };
        entry.known |= urgency == Urgency::Known;
        // What is known is tried again when the guest creates a shader: it may have been missing before.
        let queued = entry.queued >= Some(urgency) && urgency != Urgency::Known;
        if queued || entry.slot.pipeline.begun() {
            return;
        }
        if urgency == Urgency::Soon && self.prepare_parts(key, library, urgency) {
            return;
        }
        let Some(entry) = self.entries.get_mut(key) else { return };
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
        frame: u64,
    ) -> Option<&'a mut Entry> {
        Some(match entries.entry(*key) {
            MapEntry::Occupied(found) => found.into_mut(),
            MapEntry::Vacant(place) => {
                let slot = Slot {
                    fixed: Fixed {
                        layout: inputs.get(key.input).clone(),
                        targets: *targets.get(key.targets),
                        blend: blends.get(key.blend).clone(),
                        sample_mask: key.sample_mask,
                        raster: key.raster,
                        spec: key.spec,
                    },
                    vertex: Arc::clone(library.slot(key.vertex)?),
                    pixel: match key.pixel {
                        Key::NONE => None,
                        number => Some(Arc::clone(library.slot(number)?)),
                    },
                    geometry: match key.geometry {
                        Key::NONE => None,
                        number => Some(Arc::clone(library.slot(number)?)),
                    },
                    pipeline: Once::default(),
                };
                place.insert(Entry {
                    slot: Arc::new(slot),
                    linked: None,
                    used: None,
                    queued: None,
                    known: false,
                    last_used: frame,
                })
            }
        })
    }

    /// The pipelines that draws used, in the order of the first draw.
    pub(crate) fn used(&self) -> Vec<PipelineRecord> {
        let entries = self.used.iter().filter_map(|key| self.entries.get(key));
        // Geometry shaders of guests are so rare that nothing is known of them.
        let drawn = entries.filter(|entry| {
            (matches!(entry.used, Some(Some(_))) || entry.linked.is_some()) && entry.slot.geometry.is_none()
        });
        drawn
            .map(|entry| PipelineRecord {
                vertex: entry.slot.vertex.identity,
                pixel: entry.slot.pixel.as_ref().map(|pixel| pixel.identity),
                fixed: entry.slot.fixed.clone(),
                unused: 0,
            })
            .collect()
    }

    /// A frame has ended. Where there are too many pipelines, those that draws have not used for longest go: true, and then
    /// shaders may have nobody who needs them.
    pub(crate) fn end_frame(&mut self) -> bool {
        self.frame += 1;
        if !self.frame.is_multiple_of(FRAMES_PER_LOOK) {
            return false;
        }
        let too_many = self.entries.len() > self.kept;
        self.drop_parts(too_many);
        if !too_many {
            return false;
        }
        let idle = |entry: &Entry| entry.last_used + IDLE_FRAMES <= self.frame;
        let mut idle: Vec<_> =
            self.entries.iter().filter(|(_, entry)| idle(entry)).map(|(key, entry)| (entry.last_used, *key)).collect();
        // Some more than must, so that the next one is not made for the room of one.
        let most = self.entries.len() - self.kept / 4 * 3;
        if idle.len() > most {
            idle.select_nth_unstable_by_key(most, |(last_used, _)| *last_used);
            idle.truncate(most);
        }
        let gone: Vec<_> = idle.iter().filter_map(|(_, key)| self.entries.remove(key)).collect();
        if gone.is_empty() {
            return false;
        }
        tracing::debug!("{} pipelines that no draw has used for long go, {} stay", gone.len(), self.entries.len());
        self.used.retain(|key| self.entries.contains_key(key));
        // Drivers take their time.
        self.workers.run(Urgency::Known, move || {
            drop(gone);
            drop(HeapTrim);
        });
        true
    }

    /// Linked pipelines go that were replaced, and, where there is too much, parts that nothing was linked of for long.
    fn drop_parts(&mut self, too_many: bool) {
        let Some(since) = self.frame.checked_sub(IDLE_FRAMES) else { return };
        let replaced = self.replaced.partition_point(|(frame, _)| *frame <= since);
        let replaced: Vec<_> = self.replaced.drain(..replaced).collect();
        let idle = if too_many || self.parts.len() > self.kept { self.parts.take_idle(since) } else { Vec::new() };
        if !replaced.is_empty() || !idle.is_empty() {
            // Drivers take their time.
            self.workers.run(Urgency::Known, move || drop((replaced, idle)));
        }
    }

    /// Pipelines that are there or will be.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
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
    }
}
