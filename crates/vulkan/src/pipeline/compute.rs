//! Compute pipelines, and what is bound for dispatches.

use crate::device::memory::HeapTrim;
use crate::error::{Checked, Result};
use crate::pipeline::pipelines::{Maker, Pipeline};
use crate::pipeline::shaders;
use crate::pipeline::shaders::Variant;
use crate::resources::descriptors::{ImageKey, SlotKey};
use crate::resources::layouts::Layout;
use afterimage_ipc::Task;
use afterimage_render::workers::{Once, Urgency, Workers};
use afterimage_state::Tracked;
use afterimage_stream::{Host, ObjectId, TEXTURE_SLOTS};
use ash::vk;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Pipelines that are kept whether they are used or not.
const KEPT: usize = 2048;

/// Dispatches and creations after which a pipeline that none has used may go, where there are too many. The GPU has long let go of
/// it then.
const IDLE: u64 = 1 << 16;

/// What the command buffer being recorded has of compute.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Recorded {
    pub(crate) pipeline: vk::Pipeline,
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) slot_key: Option<SlotKey>,
    pub(crate) image_key: Option<ImageKey>,
    pub(crate) descriptors_bound: bool,
}

/// The shader of the last dispatch, and what is made of it.
pub(crate) struct Computing {
    pub(crate) shader: Tracked<ObjectId, Host>,
    pub(crate) variant: Option<Arc<Variant>>,
    pub(crate) pipeline: vk::Pipeline,
    pub(crate) layout: Option<Layout>,
    /// Words of the textures that it reads.
    pub(crate) words: [u32; TEXTURE_SLOTS],
}

impl Default for Computing {
    fn default() -> Self {
        Self {
            shader: Tracked::new(Host::COMPUTE_SHADER.only(), ObjectId::NONE),
            variant: None,
            pipeline: vk::Pipeline::null(),
            layout: None,
            words: [0; TEXTURE_SLOTS],
        }
    }
}

struct Slot {
    shader: Arc<shaders::Slot>,
    pipeline: Once<Pipeline>,
}

impl Slot {
    /// Makes the pipeline unless somebody has begun.
    fn begin(&self, maker: &Maker) {
        if self.pipeline.begun() || !self.shader.begin(&maker.shaders) {
            return;
        }
        self.pipeline.make(|| {
            let variant = self.shader.wait()?;
            create(maker, variant, self.shader.name().map_or(0, |(_, name)| name))
                .inspect_err(|error| tracing::error!("{error}; dispatches of this shader are skipped"))
                .ok()
        });
    }
}

/// The pipeline of a shader, which is called so.
pub(crate) fn create(maker: &Maker, variant: &Variant, name: u64) -> Result<Pipeline> {
    let stage = vk::PipelineShaderStageCreateInfo::default()
        .module(variant.module)
        .stage(vk::ShaderStageFlags::COMPUTE)
        .name(c"main");
    let layout = maker.layouts.get(variant.reach)?.raw;
    let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
    let gpu = &maker.gpu;
    let _task = maker.shaders.begin_task(Task::Pipeline, name);
    // SAFETY: module, layout and cache are alive, and every pointer lives until the call returns.
    let made = unsafe { gpu.raw.create_compute_pipelines(maker.cache.raw, &info, None) };
    let raw = made.map_err(|(_, error)| error).checked("vkCreateComputePipelines")?[0];
    maker.count();
    Ok(Pipeline { gpu: Arc::clone(gpu), raw })
}

struct Entry {
    slot: Arc<Slot>,
    last_used: u64,
}

/// Every compute pipeline, by the number of its shader's variant.
pub(crate) struct ComputePipelines {
    pub(crate) maker: Arc<Maker>,
    workers: Arc<Workers>,
    entries: FxHashMap<u32, Entry>,
    /// Counts dispatches and creations.
    clock: u64,
}

impl ComputePipelines {
    pub(crate) fn new(maker: Arc<Maker>, workers: Arc<Workers>) -> Self {
        Self { maker, workers, entries: FxHashMap::default(), clock: 0 }
    }

    fn slot(&mut self, number: u32, shader: &Arc<shaders::Slot>) -> Arc<Slot> {
        self.clock += 1;
        let entry = self.entries.entry(number).or_insert_with(|| {
            let slot = Slot { shader: Arc::clone(shader), pipeline: Once::default() };
            Entry { slot: Arc::new(slot), last_used: 0 }
        });
        entry.last_used = self.clock;
        Arc::clone(&entry.slot)
    }

    /// Lets workers make the pipeline of a variant.
    pub(crate) fn prepare(&mut self, number: u32, shader: &Arc<shaders::Slot>) {
        let slot = self.slot(number, shader);
        let maker = Arc::clone(&self.maker);
        self.workers.run(Urgency::Soon, move || slot.begin(&maker));
        self.trim();
    }

    /// The pipeline of a variant; waits for it. `None` where it cannot be made.
    pub(crate) fn wait(&mut self, number: u32, shader: &Arc<shaders::Slot>) -> Option<vk::Pipeline> {
        let slot = self.slot(number, shader);
        if slot.pipeline.get().is_none() {
            self.workers.put_off_guesses();
            slot.begin(&self.maker);
            if slot.pipeline.begun() {
                self.workers.help_until(&slot.pipeline);
            }
        }
        slot.pipeline.get()?.as_ref().map(|pipeline| pipeline.raw)
    }

    /// Where there are too many, those that were not used for long go.
    fn trim(&mut self) {
        if self.entries.len() <= KEPT {
            return;
        }
        let clock = self.clock;
        let gone: Vec<_> = self.entries.extract_if(|_, entry| entry.last_used + IDLE <= clock).collect();
        if !gone.is_empty() {
            self.workers.run(Urgency::Known, move || {
                drop(gone);
                drop(HeapTrim);
            });
        }
    }
}

impl Drop for ComputePipelines {
    fn drop(&mut self) {
        // No worker may be at it any more.
        self.workers.stop();
    }
}
