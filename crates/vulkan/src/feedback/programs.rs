//! Pipelines that capture: a vertex shader in a form of [`feedback::lower`](afterimage_shader::feedback::lower) for a vertex layout,
//! and the one that prepares draws whose numbers only the GPU knows.
//!
//! They are made by workers, as those of draws are, and found by the key of their artifact, which everything that they depend on is in.

use crate::device::memory::HeapTrim;
use crate::error::{Checked, Result};
use crate::pipeline::pipelines::{Maker, Pipeline};
use crate::pipeline::shaders::Variant;
use afterimage_render::workers::{Once, Urgency, Workers};
use afterimage_shader::feedback::table::Provoking;
use afterimage_shader::{Artifact, CacheKey, CompileError, Compiler, Profile, RuntimeInfo, Shader, feedback};
use afterimage_stream::ObjectId;
use afterimage_stream::packets::Stage;
use ash::vk;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Programs that are kept whether they are used or not.
const KEPT: usize = 512;

/// Capturing draws after which a program that none has used may go, where there are too many. The GPU has long let go of it then.
const IDLE: u64 = 1 << 16;

/// A module and its pipeline.
pub(crate) struct Program {
    pub(crate) variant: Variant,
    pub(crate) pipeline: Pipeline,
    /// Whether it is a vertex shader, which scatters, instead of a compute shader.
    pub(crate) scatters: bool,
}

/// The shaders whose outputs are captured.
#[derive(Clone)]
pub(crate) struct Stages {
    pub(crate) vertex: Arc<Shader>,
    /// The one that captures, for messages.
    pub(crate) id: ObjectId,
    /// The geometry shader, and in which order its strips record vertices.
    pub(crate) geometry: Option<(Arc<Shader>, Provoking)>,
}

impl Stages {
    fn key(&self, profile: &Profile, runtime: &RuntimeInfo, options: &feedback::Options) -> CacheKey {
        match &self.geometry {
            None => self.vertex.feedback_key(profile, runtime, options),
            Some((geometry, order)) => geometry.geometry_feedback_key(&self.vertex, profile, runtime, options, *order),
        }
    }

    fn compile(
        &self,
        compiler: &Compiler,
        runtime: &RuntimeInfo,
        options: &feedback::Options,
    ) -> std::result::Result<Artifact, CompileError> {
        match &self.geometry {
            None => compiler.feedback(&self.vertex, runtime, options),
            Some((geometry, order)) => compiler.geometry_feedback((&self.vertex, geometry), runtime, options, *order),
        }
    }
}

/// What a program is made from.
enum Source {
    /// Shaders, the state around them, and how vertices are fetched.
    Capture { stages: Stages, runtime: RuntimeInfo, options: feedback::Options },
    /// Nothing else.
    Prepare,
}

/// A program that is there, or will be once somebody makes it.
pub(crate) struct Slot {
    source: Source,
    made: Once<Program>,
}

impl Slot {
    fn new(source: Source) -> Arc<Self> {
        Arc::new(Self { source, made: Once::default() })
    }

    /// The program, once it is made.
    pub(crate) fn program(&self) -> Option<&Program> {
        self.made.get()?.as_ref()
    }

    /// Makes the program unless somebody has begun.
    fn begin(&self, maker: &Maker) {
        self.made.make(|| {
            let compiler = &maker.shaders.compiler;
            let (artifact, name) = match &self.source {
                Source::Capture { stages, runtime, options } => {
                    (stages.compile(compiler, runtime, options), format!("feedback of {}", stages.id))
                }
                Source::Prepare => (compiler.prepare(), "feedback preparation".to_owned()),
            };
            let artifact = artifact
                .inspect_err(|error| tracing::error!("{name} cannot be compiled: {error}; nothing is captured"))
                .ok()?;
            create(maker, &artifact, &name)
                .inspect_err(|error| tracing::error!("{name}: {error}; nothing is captured"))
                .ok()
        });
    }
}

fn create(maker: &Maker, artifact: &Artifact, name: &str) -> Result<Program> {
    let gpu = &maker.gpu;
    let variant = Variant::with_bindings_of(Stage::Vertex, gpu, artifact, name)?;
    let layout = maker.layouts.get(variant.reach)?.raw;
    let scatters = artifact.reflection.stage == Stage::Vertex;
    let raw = if scatters { scattering(maker, &variant, layout)? } else { gathering(maker, &variant, layout)? };
    maker.count();
    gpu.name(raw, name);
    Ok(Program { variant, pipeline: Pipeline { gpu: Arc::clone(gpu), raw }, scatters })
}

fn stage(variant: &Variant, stage: vk::ShaderStageFlags) -> vk::PipelineShaderStageCreateInfo<'static> {
    vk::PipelineShaderStageCreateInfo::default().module(variant.module).stage(stage).name(c"main")
}

fn gathering(maker: &Maker, variant: &Variant, layout: vk::PipelineLayout) -> Result<vk::Pipeline> {
    let stage = stage(variant, vk::ShaderStageFlags::COMPUTE);
    let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
    // SAFETY: module, layout and cache are alive, and every pointer lives until the call returns.
    let made = unsafe { maker.gpu.raw.create_compute_pipelines(maker.cache.raw, &info, None) };
    Ok(made.map_err(|(_, error)| error).checked("vkCreateComputePipelines")?[0])
}

fn scattering(maker: &Maker, variant: &Variant, layout: vk::PipelineLayout) -> Result<vk::Pipeline> {
    let stages = [stage(variant, vk::ShaderStageFlags::VERTEX)];
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    // Every vertex is part of a strip of two or more, as it is not of lists; points would have to have a size.
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::LINE_STRIP);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().rasterizer_discard_enable(true).line_width(1.0);
    let mut rendering = vk::PipelineRenderingCreateInfo::default();
    let info = [vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .rasterization_state(&raster)
        .layout(layout)
        .push_next(&mut rendering)];
    // SAFETY: as above.
    let made = unsafe { maker.gpu.raw.create_graphics_pipelines(maker.cache.raw, &info, None) };
    Ok(made.map_err(|(_, error)| error).checked("vkCreateGraphicsPipelines")?[0])
}

struct Entry {
    slot: Arc<Slot>,
    last_used: u64,
}

/// Every program.
pub(crate) struct Programs {
    maker: Arc<Maker>,
    workers: Arc<Workers>,
    captures: FxHashMap<CacheKey, Entry>,
    prepare: Arc<Slot>,
    /// Counts capturing draws.
    clock: u64,
}

impl Programs {
    pub(crate) fn new(maker: Arc<Maker>, workers: Arc<Workers>) -> Self {
        Self { maker, workers, captures: FxHashMap::default(), prepare: Slot::new(Source::Prepare), clock: 0 }
    }

    /// Feedback begins: workers make what prepares its draws.
    pub(crate) fn expect(&self) {
        if !self.prepare.made.begun() {
            let (slot, maker) = (Arc::clone(&self.prepare), Arc::clone(&self.maker));
            self.workers.run(Urgency::Soon, move || slot.begin(&maker));
        }
    }

    /// What captures the outputs of shaders, with vertices fetched like this; waits for it. `None` where it cannot be made.
    pub(crate) fn capture(
        &mut self,
        stages: &Stages,
        runtime: &RuntimeInfo,
        options: &feedback::Options,
    ) -> Option<Arc<Slot>> {
        self.clock += 1;
        let key = stages.key(&self.maker.shaders.compiler.profile, runtime, options);
        let entry = self.captures.entry(key).or_insert_with(|| {
            let source = Source::Capture { stages: stages.clone(), runtime: *runtime, options: options.clone() };
            Entry { slot: Slot::new(source), last_used: 0 }
        });
        entry.last_used = self.clock;
        let slot = Arc::clone(&entry.slot);
        if self.captures.len() > KEPT {
            self.trim();
        }
        self.wait(&slot);
        slot.program().is_some().then_some(slot)
    }

    /// What prepares draws; waits for it. `None` where it cannot be made.
    pub(crate) fn prepare(&self) -> Option<Arc<Slot>> {
        self.wait(&self.prepare);
        self.prepare.program().is_some().then(|| Arc::clone(&self.prepare))
    }

    fn wait(&self, slot: &Slot) {
        if slot.made.get().is_none() {
            self.workers.put_off_guesses();
            slot.begin(&self.maker);
            self.workers.help_until(&slot.made);
        }
    }

    /// Those that were not used for long go.
    #[cold]
    fn trim(&mut self) {
        let clock = self.clock;
        let gone: Vec<_> = self.captures.extract_if(|_, entry| entry.last_used + IDLE <= clock).collect();
        if !gone.is_empty() {
            self.workers.run(Urgency::Known, move || {
                drop(gone);
                drop(HeapTrim);
            });
        }
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        // No worker may be at it any more.
        self.workers.stop();
    }
}
