//! The renderer: executes a command stream.

use crate::ahead::{Batch, Followers, Foreseen, Rest};
use crate::buffer::{DynamicPool, GuestBuffer};
use crate::cache::PipelineCache;
use crate::compute::{ComputePipelines, Computing};
use crate::descriptors::Descriptors;
use crate::draw::{Pending, Recorded};
use crate::error::{Error, Result};
use crate::feedback::Feedback;
use crate::gpu::Gpu;
use crate::known::History;
use crate::layouts::Table as Descriptor;
use crate::memory::{Buffer, HeapTrim, Place};
use crate::objects::GuestSampler;
use crate::options::Options;
use crate::order::Order;
use crate::partners::Partners;
use crate::pipeline::Key;
use crate::pipelines::Pipelines;
use crate::present::Presenter;
use crate::query::{GuestQuery, Queries};
use crate::raster::Raster;
use crate::readback::ReadBacks;
use crate::record::Captures;
use crate::ring::{Ring, Slice};
use crate::sampler::Sampler;
use crate::samples::Movers;
use crate::shaders::{GuestShader, Library, ShaderReplacer};
use crate::slots::{DeviceSlots, Slots};
use crate::stats::Stats;
use crate::storage::NullImages;
use crate::submit::Submissions;
use crate::table::Table;
use crate::targets::Targets;
use crate::texture::Texture;
use crate::variants::Shading;
use crate::vertices::Input;
use afterimage_shader::{Compiler, DiskCache};
use afterimage_state::Tracked;
use afterimage_stream::packets::{CreateTexture, Dimension, Swizzle};
use afterimage_stream::{
    Arena, Budget, Budgets, DeviceInfo, Executor, Format, Host, Kind, Located, ObjectId, ObjectKind, Packet, Reader,
    Reply, State, StreamError, VERTEX_BUFFERS, Validator,
};
use ash::vk;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Frames that the CPU may be ahead of the GPU.
const FRAMES_IN_FLIGHT: usize = 3;
/// Draws that a GPU with nothing to do gets at once. A submission and the state anew take the CPU 8 us, the time of 70 draws.
const EARLY_DRAWS: u64 = 1000;
/// Bytes of a chunk of the constants ring and of the upload rings.
const CONSTANTS_CHUNK: u64 = 1 << 20;
const UPLOADS_CHUNK: u64 = 4 << 20;

/// Executes a command stream with Vulkan. Used by one thread at a time.
pub struct Renderer {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) options: Options,
    pub(crate) state: State,
    pub(crate) validator: Validator,
    pub(crate) submissions: Submissions,
    pub(crate) constants: Ring,
    pub(crate) uploads: Ring,
    /// Uploads that vertex and index bindings read until the frame ends.
    pub(crate) frame_uploads: Ring,
    /// Bytes of uploads that the frame's bindings have read.
    pub(crate) frame_upload_bytes: u64,
    pub(crate) slots: Slots,
    pub(crate) descriptors: Descriptors,
    pub(crate) pipelines: Pipelines,
    pub(crate) compute: ComputePipelines,
    pub(crate) order: Order,
    pub(crate) cache: Arc<PipelineCache>,
    pub(crate) library: Library,
    pub(crate) replace_shader: Option<ShaderReplacer>,
    /// What is known of the program from its last runs.
    pub(crate) history: Option<History>,
    /// Which shaders may belong together.
    pub(crate) partners: Partners,
    /// What new pixel shaders may be drawn with, until it is translated.
    pub(crate) guesses: VecDeque<Foreseen>,
    /// Scenes that more than one pixel shader was drawn in, and those that may follow.
    pub(crate) followers: VecDeque<Followers>,
    /// Whether any draw has had alpha test or fog.
    pub(crate) generic_seen: bool,
    /// Whether the present batch has been searched for what its draws need.
    pub(crate) looked_ahead: bool,
    /// When the caches were last written, and how many pipelines had been made by then.
    pub(crate) kept: (Instant, u64),
    pub(crate) dynamic: DynamicPool,
    /// Bytes of the dynamic pool when the renderer last waited for the GPU because of it.
    pub(crate) dynamic_floor: u64,
    /// Bytes of large buffers renamed since the last wait.
    pub(crate) large_renames: u64,
    pub(crate) buffers: Table<GuestBuffer>,
    pub(crate) textures: Table<Texture>,
    /// Those of them whose images are shared.
    pub(crate) shared: Vec<ObjectId>,
    pub(crate) samplers: Table<GuestSampler>,
    pub(crate) shaders: Table<GuestShader>,
    pub(crate) guest_queries: Table<GuestQuery>,
    pub(crate) queries: Queries,
    pub(crate) readbacks: ReadBacks,
    pub(crate) presenter: Presenter,
    pub(crate) stats: Stats,
    pub(crate) captures: Captures,
    /// Where samples of multisampled textures were read or written.
    pub(crate) movers: Option<Box<Movers>>,

    pub(crate) targets: Targets,
    pub(crate) recorded: Recorded,
    pub(crate) shading: Shading,
    pub(crate) key: Key,
    /// The part of the key of back faces, where they are filled in another way and how is in the pipeline.
    pub(crate) back_raster: Option<Raster>,
    /// What is dispatched.
    pub(crate) computing: Computing,
    /// What the last draw said.
    pub(crate) topology: Tracked<u32, Host>,
    /// Whether the depth-stencil target is smaller than a colour target, and put aside.
    pub(crate) small_depth: bool,
    pub(crate) depth_aside: bool,
    pub(crate) pending: Pending,
    /// Captures.
    pub(crate) feedback: Feedback,
    /// Whether draws are drawn in two parts, and which one is being drawn: see [`crate::parts`].
    pub(crate) in_parts: bool,
    /// The bound shaders look up what they draw to.
    pub(crate) reads_target: bool,
    pub(crate) second_part: Tracked<bool, Host>,
    /// The pipeline for back faces, where there is one.
    pub(crate) back_pipeline: vk::Pipeline,
    /// Where the constants of each stage lie.
    pub(crate) blocks: [Option<Slice>; 3],
    pub(crate) push: [u32; 32],
    /// Words of `push` that must be recorded: first and end.
    pub(crate) push_range: (usize, usize),
    /// Where uploaded vertices and indices of the current bindings lie.
    pub(crate) vertex_uploads: [Option<(vk::Buffer, u64, u64)>; VERTEX_BUFFERS],
    pub(crate) index_upload: Option<(vk::Buffer, u64, u64)>,
    /// Indices in the bound index buffer.
    pub(crate) index_limit: u32,
    /// Vertices that a draw can read.
    pub(crate) vertex_limit: u32,
    /// What draws read of the vertex layout.
    pub(crate) input: Input,
    /// Textures in the transfer layout in the `before` commands.
    pub(crate) uploading: Vec<ObjectId>,
    /// Read by attributes that no buffer feeds: (0, 0, 0, 1), then zeros.
    pub(crate) default_vertex: Buffer,
    /// Null objects of the descriptor tables.
    null_textures: Vec<Texture>,
    /// In place of storage images that are not bound.
    pub(crate) null_images: NullImages,
    null_sampler: Option<Sampler>,
    /// Presented frames that the GPU may not have completed: number and submission.
    frames: VecDeque<(u64, u64)>,
    /// Groups of markers that are open.
    pub(crate) groups: u32,
    pub(crate) draws: u64,
    /// What [`Renderer::draws`] was at the last submission.
    draws_submitted: u64,
    /// See [`Renderer::submit_early`].
    pub(crate) early_draws: u64,
    pub(crate) skipped_draws: u64,
    pub(crate) applies_everything: bool,
    lost: Option<Error>,
    /// What has been warned of.
    warned: Vec<&'static str>,
    /// Last, so that everything else is gone.
    _heap: HeapTrim,
}

impl std::fmt::Debug for Renderer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Renderer").field("gpu", &self.gpu).field("frame", &self.state.frame).finish_non_exhaustive()
    }
}

impl Renderer {
    /// Opens a device as the options ask and makes a renderer for it.
    ///
    /// # Errors
    /// Where no device fits, or Vulkan refuses something basic.
    pub fn new(options: Options) -> Result<Self> {
        Self::on(Gpu::open(&options)?, options)
    }

    /// Makes a renderer for a device that is open.
    ///
    /// # Errors
    /// Where Vulkan refuses something basic.
    pub fn on(gpu: Arc<Gpu>, options: Options) -> Result<Self> {
        let submissions = Submissions::new(&gpu, options.own_process.as_ref())?;
        let descriptors = Descriptors::new(&gpu)?;
        let cache = Arc::new(PipelineCache::load(&gpu, options.cache_dir.as_deref(), options.cache_bytes)?);
        let disk = options.cache_dir.as_ref().and_then(|dir| {
            DiskCache::open(dir.join("shaders"))
                .inspect_err(|error| tracing::warn!("{}: {error}; shaders are not cached", dir.display()))
                .ok()
        });
        let profile = afterimage_shader::Profile {
            bindless: gpu.profile.bindless.is_some(),
            float_rules: options.float_rules.unwrap_or(gpu.profile.float_rules),
            preserve: gpu.profile.float_controls,
            wave: gpu.profile.shaders.subgroup_size,
            features: gpu.profile.shader_features(),
            ..Default::default()
        };
        let journal = submissions.watch.as_ref().map(|watch| Arc::clone(watch.journal()));
        let library = Library::new(&gpu, Compiler { profile, cache: disk }, options.raw_addresses, journal);
        let pipelines = Pipelines::new(&gpu, &descriptors, &cache, &library, options.idle_pipelines);
        let compute = ComputePipelines::new(pipelines.maker(), Arc::clone(&library.workers));
        let default_vertex = Buffer::new(&gpu, "default vertex", 256, Place::Stream)?;
        default_vertex.bytes_mut(0, 256).fill(0);
        default_vertex.bytes_mut(12, 4).copy_from_slice(&1f32.to_le_bytes());
        let early_draws = if gpu.profile.kind == vk::PhysicalDeviceType::DISCRETE_GPU { EARLY_DRAWS } else { u64::MAX };
        // What a device has is the most that can be asked of it.
        let memory = gpu.memory_bytes();
        let budgets = [Budget::TextureMemory, Budget::BufferMemory]
            .into_iter()
            .fold(Budgets::default(), |budgets, of| budgets.with(of, budgets.limit(of).min(memory)));
        let mut renderer = Self {
            state: State::default(),
            validator: Validator::new(budgets),
            submissions,
            constants: Ring::new(&gpu, "constants", Place::Near, CONSTANTS_CHUNK),
            uploads: Ring::new(&gpu, "uploads", Place::Stream, UPLOADS_CHUNK),
            frame_uploads: Ring::new(&gpu, "frame uploads", Place::Stream, UPLOADS_CHUNK),
            frame_upload_bytes: 0,
            slots: Slots::default(),
            descriptors,
            pipelines,
            compute,
            order: Order::default(),
            cache,
            library,
            replace_shader: None,
            history: None,
            partners: Partners::default(),
            guesses: VecDeque::new(),
            followers: VecDeque::new(),
            generic_seen: false,
            looked_ahead: false,
            kept: (Instant::now(), 0),
            dynamic: DynamicPool::new(&gpu),
            dynamic_floor: 0,
            large_renames: 0,
            buffers: Table::default(),
            textures: Table::default(),
            groups: 0,
            shared: Vec::new(),
            samplers: Table::default(),
            shaders: Table::default(),
            guest_queries: Table::default(),
            queries: Queries::new(&gpu),
            readbacks: ReadBacks::default(),
            presenter: Presenter::new(&gpu, &options),
            stats: Stats::default(),
            captures: Captures::default(),
            movers: None,
            targets: Targets::default(),
            recorded: Recorded::default(),
            shading: Shading::default(),
            key: Key::EMPTY,
            back_raster: None,
            computing: Computing::default(),
            topology: Tracked::new(Host::TOPOLOGY.only(), 0),
            small_depth: false,
            depth_aside: false,
            pending: Pending::default(),
            feedback: Feedback::new(&gpu),
            in_parts: false,
            reads_target: false,
            second_part: Tracked::new(Host::SECOND_PART.only(), false),
            back_pipeline: vk::Pipeline::null(),
            blocks: [None; 3],
            push: [0; 32],
            push_range: (0, 32),
            vertex_uploads: [None; VERTEX_BUFFERS],
            index_upload: None,
            index_limit: 0,
            vertex_limit: 0,
            input: Input::default(),
            uploading: Vec::new(),
            default_vertex,
            null_textures: Vec::new(),
            null_images: NullImages::default(),
            null_sampler: None,
            frames: VecDeque::new(),
            draws: 0,
            draws_submitted: 0,
            early_draws,
            skipped_draws: 0,
            applies_everything: options.apply_all,
            lost: None,
            warned: Vec::new(),
            _heap: HeapTrim,
            gpu,
            options,
        };
        renderer.make_null_objects()?;
        renderer.prune_caches();
        if renderer.options.skip_unready {
            tracing::warn!("AFTERIMAGE_ASYNC: draws are skipped while their pipelines are made, so things appear late");
        }
        match (renderer.options.capture_frames.clone(), renderer.options.capture_file.clone()) {
            (Some(frames), Some(path)) => renderer.start_captures(&path, &frames),
            (Some(_), None) => tracing::warn!("AFTERIMAGE_CAPTURE_FRAMES needs AFTERIMAGE_CAPTURE_FILE"),
            _ => {}
        }
        Ok(renderer)
    }

    /// The first numbers of every table: textures that read (0, 0, 0, 1), of floats, unsigned and signed integers, and a plain
    /// sampler.
    fn make_null_objects(&mut self) -> Result {
        let gpu = Arc::clone(&self.gpu);
        let shapes = [
            (Descriptor::D2, Dimension::D2, 1, 1),
            (Descriptor::Cube, Dimension::Cube, 6, 1),
            (Descriptor::D3, Dimension::D3, 1, 1),
            (Descriptor::D2Array, Dimension::D2, 2, 1),
            (Descriptor::CubeArray, Dimension::Cube, 12, 1),
            (Descriptor::D2Ms, Dimension::D2, 1, 4),
            (Descriptor::D2MsArray, Dimension::D2, 2, 4),
        ];
        for (table, dimension, layers, samples) in shapes {
            if table == Descriptor::CubeArray && !gpu.profile.shaders.cube_arrays {
                continue;
            }
            for format in [Format::R8G8B8A8_UNORM, Format::R8G8B8A8_UINT, Format::R8G8B8A8_SINT] {
                let samples = if samples > 1 { gpu.profile.null_samples(format) } else { 1 };
                let desc = CreateTexture {
                    layers,
                    dimension: dimension as u8,
                    samples,
                    usage: if samples > 1 { CreateTexture::SAMPLED } else { 0 },
                    swizzle: [Swizzle::Zero as u8, Swizzle::Zero as u8, Swizzle::Zero as u8, Swizzle::One as u8],
                    ..CreateTexture::plain(ObjectId::NONE, format, [1, 1])
                };
                let texture = Texture::new(&gpu, &desc)?;
                let cmd = self.submissions.before()?;
                texture.transition(&gpu, cmd, vk::ImageLayout::UNDEFINED, texture.home);
                if let Some(view) = &texture.view {
                    self.descriptors.add_view(table, view.raw, texture.home, 0);
                }
                self.null_textures.push(texture);
            }
        }
        let sampler = Sampler::plain(&gpu)?;
        self.descriptors.add_sampler(sampler.raw, 0);
        self.null_sampler = Some(sampler);
        Ok(())
    }

    /// The device.
    #[must_use]
    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// What guests are told about the device.
    #[must_use]
    pub fn device_info(&self) -> DeviceInfo {
        let mut info = self.gpu.profile.device_info();
        info.markers = (self.options.capture_file.is_some() || self.gpu.shows_labels).into();
        info
    }

    /// Makes upload arena slots that the GPU reads in place, for an in-process link.
    #[must_use]
    pub fn slot_factory(&self) -> DeviceSlots {
        self.slots.factory(&self.gpu)
    }

    /// Warnings and errors of the validation layer so far; 0 where it is off.
    #[must_use]
    pub fn validation_messages(&self) -> u64 {
        self.gpu.instance.validation_messages()
    }

    /// Why the renderer draws no more, if so: the device was lost. A new one must be made.
    #[must_use]
    pub fn lost(&self) -> Option<&Error> {
        self.lost.as_ref()
    }

    /// Takes the error that [`Renderer::lost`] names; the renderer draws no more all the same.
    pub(crate) fn take_loss(&mut self) -> Option<Error> {
        match self.lost {
            Some(Error::DeviceLost(call)) => Some(Error::DeviceLost(call)),
            _ => None,
        }
    }

    /// Everything that the stream has set so far.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Draws that were dropped because their shaders, targets or pipeline could not be made.
    #[must_use]
    pub fn skipped_draws(&self) -> u64 {
        self.skipped_draws
    }

    /// At the end of a batch, `draws` or more that have been recorded go to a GPU that has nothing to do, instead of at the end
    /// of the frame. A GPU of its own gets a thousand if nothing is said; for others, which would load and store their tiles
    /// once more or need the core for drawing, the frame is one piece.
    pub fn submit_early(&mut self, draws: u64) {
        self.early_draws = draws;
    }

    /// Whether all state is applied for each draw, as if nothing was known of it: what tracking is measured against.
    pub fn apply_everything(&mut self, on: bool) {
        self.flush_draws();
        self.applies_everything = on;
        self.forget();
    }

    /// The shader that was refused last when the guest created it, and why.
    #[must_use]
    pub fn refused_shader(&self) -> Option<(ObjectId, &afterimage_shader::CompileError)> {
        self.library.refusal.as_ref().map(|(id, error)| (*id, error))
    }

    /// Pictures presented.
    #[must_use]
    pub fn presented(&self) -> u64 {
        self.stats.frames
    }

    /// Draws asked for.
    #[must_use]
    pub fn draws(&self) -> u64 {
        self.draws
    }

    /// Waits until the worker threads have nothing left to do, for tests and measurements: what they make ahead is there
    /// then.
    pub fn finish_workers(&self) {
        self.library.workers.finish();
    }

    /// What the stream may ask for. Each begins with the defaults, and no more memory than the device has.
    #[must_use]
    pub fn budgets(&self) -> &Budgets {
        self.validator.budgets()
    }

    /// Sets what the stream may ask for from now on, and the streams after it.
    pub fn set_budgets(&mut self, budgets: Budgets) {
        self.validator.set_budgets(budgets);
        self.library.maker.set_budget(budgets.limit(Budget::Translated));
        self.pipelines.set_budget(budgets.limit(Budget::Pipelines));
    }

    /// Has shaders replaced that are created from now on.
    pub fn set_shader_replacer(&mut self, replacer: Option<ShaderReplacer>) {
        self.replace_shader = replacer;
    }

    /// The command buffer that is recorded in order.
    #[inline]
    pub(crate) fn main(&mut self) -> vk::CommandBuffer {
        self.submissions.main_used = true;
        self.submissions.main
    }

    /// Ends the guest's stream and makes room for another: finishes what was asked for, answers it, and lets go of every
    /// object and every slot of [`Renderer::slot_factory`]. What was compiled stays, so that guests that draw alike share
    /// it. Takes about a millisecond. The next packet must be the first of a stream.
    ///
    /// # Errors
    /// Where the device is lost.
    pub fn restart(&mut self, replies: &mut dyn FnMut(Reply)) -> Result {
        if let Some(error) = self.take_loss() {
            return Err(error);
        }
        self.forget_captures();
        self.finish(replies)?;
        let objects = &self.state.objects;
        let ids: Vec<_> = ObjectKind::OBJECTS.iter().flat_map(|&kind| objects.iter(kind).map(|(id, _)| id)).collect();
        for id in ids {
            self.destroy(id);
        }
        self.end_groups();
        // Objects stay until the submission that is being recorded is done.
        let number = self.submit()?;
        self.submissions.wait(number)?;
        self.slots.clear();
        self.frame_uploads.end_frame(number);
        self.frames.clear();
        self.guesses.clear();
        self.followers.clear();
        (self.history, self.partners, self.generic_seen) = (None, Partners::default(), false);
        self.feedback.stop();
        self.state = State::default();
        self.validator = Validator::new(*self.validator.budgets());
        self.frame_upload_bytes = 0;
        self.targets = Targets::default();
        self.shading = Shading::default();
        self.key = Key::EMPTY;
        (self.computing, self.blocks) = (Computing::default(), [None; 3]);
        (self.in_parts, self.small_depth, self.depth_aside) = (false, false, false);
        self.reads_target = false;
        (self.vertex_uploads, self.index_upload) = ([None; VERTEX_BUFFERS], None);
        (self.index_limit, self.vertex_limit, self.input) = (0, 0, Input::default());
        self.warned.clear();
        Ok(())
    }

    /// Notes an error of execution. A lost device ends drawing; anything else costs what was being done.
    #[cold]
    pub(crate) fn fail(&mut self, error: Error) {
        tracing::error!("{error}");
        if matches!(error, Error::DeviceLost(_)) && self.lost.is_none() {
            self.lose(error);
        }
    }

    fn lose(&mut self, error: Error) {
        self.gpu.lost.store(true, Ordering::Relaxed);
        if let Some(watch) = &mut self.submissions.watch {
            watch.lost();
        }
        self.lost = Some(error);
    }

    /// Says once that a guest does something that is not drawn as it should be.
    #[cold]
    pub(crate) fn warn_once(&mut self, what: &'static str, detail: &str) {
        if !self.warned.contains(&what) {
            self.warned.push(what);
            tracing::warn!("{what}: {detail} are not drawn exactly (said once)");
        }
    }

    /// Submits what was recorded so far; its number.
    pub(crate) fn submit(&mut self) -> Result<u64> {
        self.submit_with(&[], &[])
    }

    pub(crate) fn submit_with(
        &mut self,
        waits: &[vk::SemaphoreSubmitInfo<'_>],
        signals: &[vk::Semaphore],
    ) -> Result<u64> {
        self.end_pass();
        self.draws_submitted = self.draws;
        self.leave_uploads()?;
        self.show_shared();
        let number = self.submissions.submit(waits, signals)?;
        self.descriptors.end_submission(number);
        self.queries.asked = false;
        // A new command buffer has nothing.
        self.disturbed();
        Ok(number)
    }

    /// Checks, applies and executes a packet.
    ///
    /// # Errors
    /// What the validator says of it.
    #[inline(always)]
    fn step(
        &mut self,
        located: Located<'_>,
        whole: &Batch<'_>,
        replies: &mut dyn FnMut(Reply),
    ) -> std::result::Result<(), Box<StreamError>> {
        /// For the kinds that draws come with, the three are one piece of code that asks for the kind only once: a third of
        /// the time that packets took.
        macro_rules! run {
            ($($kind:ident($($part:ident),+))*) => {
                match located.packet {
                    $( Packet::$kind($($part),+) => {
                        self.run::<false>(Located { packet: Packet::$kind($($part),+), ..located }, whole, replies)
                    } )*
                    _ => self.run_other(located, whole, replies),
                }
            };
        }
        run! {
            Draw(body)
            DrawIndexed(body)
            SetConstants(body, tail)
            SetTextures(body, tail)
            SetVertexBuffers(body, tail)
            SetRaster(body)
            SetDepthStencil(body)
            SetBlend(body)
            UpdateBuffer(body)
        }
    }

    #[inline(never)]
    fn run_other(
        &mut self,
        located: Located<'_>,
        whole: &Batch<'_>,
        replies: &mut dyn FnMut(Reply),
    ) -> std::result::Result<(), Box<StreamError>> {
        self.run::<true>(located, whole, replies)
    }

    /// Checks, applies and executes a packet, and notes it for the watchdog. Of the hot kinds draws alone are noted, in
    /// [`Self::packet`]: the others only change what the next draw finds, and what takes its time, or fails, is that draw.
    #[inline(always)]
    fn run<const NOTED: bool>(
        &mut self,
        located: Located<'_>,
        whole: &Batch<'_>,
        replies: &mut dyn FnMut(Reply),
    ) -> std::result::Result<(), Box<StreamError>> {
        self.validator.check(&self.state, &located, whole.arena)?;
        // Values of their own, which need not be in memory as what the check was given.
        let Located { header, packet, at, .. } = located;
        if self.captures.are_active() {
            match packet {
                Packet::BeginFrame(body) => self.record_begin(body.frame, at),
                Packet::Present(_) => {
                    self.record_until(whole.words, at + usize::from(header.units), whole.arena);
                }
                _ => {}
            }
        }
        if NOTED && let Some(watch) = &mut self.submissions.watch {
            let frame = if let Packet::BeginFrame(body) = packet { Some(body.frame) } else { None };
            watch.begin(packet.kind(), frame, header.sequence);
        }
        self.state.apply(&packet);
        if self.lost.is_some() {
            self.answer_for_the_dead(packet, replies);
            return Ok(());
        }
        let rest = Rest { batch: whole, at, sequence: header.sequence };
        if let Err(error) = self.packet(&packet, rest, replies) {
            self.failed(packet, header.sequence, error, replies);
        }
        Ok(())
    }

    /// A packet could not be executed.
    #[cold]
    fn failed(&mut self, packet: Packet<'_>, sequence: u32, error: Error, replies: &mut dyn FnMut(Reply)) {
        tracing::error!("{} (sequence {sequence}): {error}", packet.kind().name());
        replies(Reply::Error { sequence });
        if matches!(error, Error::DeviceLost(_)) {
            self.lose(error);
            self.answer_for_the_dead(packet, replies);
        }
    }

    #[inline(always)]
    fn packet(&mut self, packet: &Packet<'_>, rest: Rest<'_>, replies: &mut dyn FnMut(Reply)) -> Result {
        let arena = rest.batch.arena;
        match *packet {
            Packet::Draw(body) => {
                self.submissions.note_draw(Kind::Draw, rest.sequence);
                self.draw(body, rest);
            }
            Packet::DrawIndexed(body) => {
                self.submissions.note_draw(Kind::DrawIndexed, rest.sequence);
                self.draw_indexed(body, rest);
            }
            Packet::SetVertexBuffers(body, bindings) => {
                return self.resolve_vertex_uploads(body.first as usize, bindings, arena);
            }
            Packet::SetIndexBuffer(body) => return self.resolve_index_upload(body, arena),
            Packet::SetRenderTargets(_)
            | Packet::SetViewport(_)
            | Packet::SetScissor(_)
            | Packet::SetRaster(_)
            | Packet::SetDepthStencil(_)
            | Packet::SetBlend(_)
            | Packet::SetPixelOps(_)
            | Packet::SetVertexInput(_)
            | Packet::SetShaders(_)
            | Packet::SetTextures(..)
            | Packet::SetConstants(..)
            | Packet::SetGamma(..)
            | Packet::SetStorage(..)
            | Packet::SetStorageImages(..)
            | Packet::SetBlendTargets(..)
            | Packet::SetStencilBack(_)
            | Packet::SetCaptureBuffers(..)
            | Packet::CreateVertexInput(..) => {}
            Packet::BeginCapture(body) => return self.begin_capture(body),
            Packet::EndCapture(body) => return self.end_capture(body),
            Packet::DrawIndirect(body) => return self.draw_indirect(body, rest),
            Packet::DrawByteCount(body) => return self.draw_byte_count(body, rest),
            Packet::CreateView(body) => return self.create_view(body),
            Packet::Dispatch(body) => return self.dispatch(body),
            Packet::CopyBuffer(body) => self.copy_buffers(body),
            Packet::FillBuffer(body) => self.fill_buffer(body),
            Packet::ReadBuffer(body) => return self.read_buffer(body, arena),
            Packet::CopyToTexture(body) => return self.copy_texture_bytes(&body.copy, true),
            Packet::CopyFromTexture(body) => return self.copy_texture_bytes(&body.copy, false),
            Packet::BeginFrame(_) => {
                self.end_frame_of_capture()?;
                self.stats.begin();
            }
            Packet::UpdateBuffer(body) => return self.update_buffer(body, arena),
            Packet::UpdateTexture(body) => return self.update_texture(body, arena),
            Packet::Clear(body, rects) => return self.clear(body, rects),
            Packet::Blit(body) => return self.blit(body),
            Packet::GenerateMips(body) => return self.generate_mips(body),
            Packet::BeginQuery(body) => self.begin_query(body),
            Packet::EndQuery(body) => return self.end_query(body),
            Packet::ReadBack(body) => return self.read_back(body, arena),
            Packet::Present(body) => {
                self.end_frame_of_capture()?;
                return self.present(body, arena, replies);
            }
            Packet::PresentTarget(body) => return self.present_target(body),
            Packet::Overlay(body) => self.set_overlay(body),
            Packet::StateFigures(body) => self.stats.guest.add(&(*body).into()),
            Packet::CreateBuffer(body) => {
                let completed = self.submissions.completed;
                let buffer = GuestBuffer::new(&self.gpu, &mut self.dynamic, body, completed)?;
                self.buffers.insert(body.id, buffer);
            }
            Packet::CreateTexture(body) => return self.create_texture(body),
            Packet::CreateSampler(body) => return self.create_sampler(body),
            Packet::CreateShader(body) => {
                self.create_shader(body, arena);
                self.compute_shader_changed(body.id);
            }
            Packet::CreateQuery(body) => self.create_query(body),
            Packet::Destroy(body) => self.destroy(body.id),
            Packet::Name(body, name) => self.name_object(body.id, &String::from_utf8_lossy(name)),
            Packet::Marker(body, text) => self.marker(body, text),
            Packet::Init(body, name) => {
                self.presenter.guest = body.guest;
                let overlay = self.options.overlay;
                self.set_overlay(&overlay);
                self.stats.program = String::from_utf8_lossy(name).into_owned();
                self.recall();
            }
        }
        Ok(())
    }

    /// A frame was presented and submitted.
    pub(crate) fn frame_submitted(&mut self, frame: u64, submission: u64, replies: &mut dyn FnMut(Reply)) -> Result {
        self.frame_uploads.end_frame(submission);
        self.frame_upload_bytes = 0;
        if self.pipelines.end_frame() {
            let codes = self.shaders.iter().filter_map(|guest| Some(guest.shader.as_ref()?.hash()));
            self.library.trim(&codes.collect::<Vec<_>>());
            self.guesses.clear();
        }
        self.follow_guesses();
        self.keep_caches_in_time();
        self.frames.push_back((frame, submission));
        if let Some(over) = self.frames.len().checked_sub(FRAMES_IN_FLIGHT)
            && let Some(&(_, oldest)) = self.frames.get(over)
        {
            self.submissions.wait(oldest)?;
        }
        self.answer(replies)
    }

    /// Answers what has completed.
    fn answer(&mut self, replies: &mut dyn FnMut(Reply)) -> Result {
        let completed = self.submissions.completed;
        self.queries.answer(&self.gpu, completed, replies)?;
        self.readbacks.answer(completed, replies);
        self.presenter.deliver(completed);
        self.trim_queries();
        let mut done = None;
        let waiting = self.frames.len();
        while let Some(&(frame, submission)) = self.frames.front()
            && submission <= completed
        {
            self.frames.pop_front();
            done = Some(frame);
        }
        if let Some(frame) = done {
            self.stats.complete((waiting - self.frames.len()) as u64);
            replies(Reply::FrameDone { frame });
        }
        Ok(())
    }

    /// With the device gone nothing is drawn, but nobody may wait forever.
    #[cold]
    fn answer_for_the_dead(&mut self, packet: Packet<'_>, replies: &mut dyn FnMut(Reply)) {
        self.queries.abandon(replies);
        self.readbacks.abandon(replies);
        match packet {
            Packet::Present(body) => {
                self.frames.clear();
                replies(Reply::FrameDone { frame: body.frame });
            }
            Packet::EndQuery(body) => replies(Reply::Query { id: body.id, token: body.token, value: 0 }),
            Packet::ReadBack(body) => replies(Reply::ReadBack { token: body.token, ok: false }),
            Packet::ReadBuffer(body) => replies(Reply::ReadBack { token: body.token, ok: false }),
            _ => {}
        }
    }

    /// What must not wait for the end of the frame: somebody waits for an answer.
    fn end_batch(&mut self, arena: &dyn Arena, replies: &mut dyn FnMut(Reply)) -> Result {
        if self.queries.asked || self.readbacks.asked {
            self.submit()?;
            self.readbacks.asked = false;
        }
        if let Some(last) = self.readbacks.last_copied() {
            self.submissions.wait(last)?;
            self.readbacks.copy(arena, self.submissions.completed);
        }
        self.submissions.retire()?;
        if self.draws - self.draws_submitted >= self.early_draws && self.submissions.is_idle() {
            self.submit()?;
        }
        self.answer(replies)
    }

    /// Waits until everything executed so far is done, and answers it.
    ///
    /// # Errors
    /// Where the device is lost.
    pub fn finish(&mut self, replies: &mut dyn FnMut(Reply)) -> Result {
        if !self.submissions.is_empty() {
            self.submit()?;
        }
        self.submissions.wait(self.submissions.current - 1)?;
        self.presenter.finish_screenshots(self.submissions.completed);
        self.answer(replies)
    }
}

impl Executor for Renderer {
    fn execute(
        &mut self,
        batch: &[u64],
        arena: &dyn Arena,
        replies: &mut dyn FnMut(Reply),
    ) -> std::result::Result<(), Box<StreamError>> {
        self.looked_ahead = false;
        self.take_requests();
        let whole = Batch { words: batch, arena };
        let mut first_error = None;
        for located in Reader::new(batch) {
            // No closure: as one, all that draws take was a function of its own, which took them a fifth longer.
            let checked = match located {
                Ok(located) => self.step(located, &whole, replies),
                Err(error) => Err(error),
            };
            if let Err(error) = checked {
                tracing::error!("{error}");
                replies(Reply::Error { sequence: error.sequence });
                first_error.get_or_insert(error);
            }
        }
        self.record_batch_end(batch, arena);
        if self.lost.is_none()
            && let Err(error) = self.end_batch(arena, replies)
        {
            self.fail(error);
        }
        if let Some(watch) = &mut self.submissions.watch {
            watch.idle();
        }
        first_error.map_or(Ok(()), Err)
    }

    fn poll(&mut self, replies: &mut dyn FnMut(Reply)) {
        if self.lost.is_none()
            && let Err(error) = self.submissions.retire().and_then(|()| self.answer(replies))
        {
            self.fail(error);
        }
    }

    fn wait(&mut self, timeout: Duration) -> bool {
        self.lost.is_none()
            && self.submissions.wait_for_more(timeout).unwrap_or_else(|error| {
                self.fail(error);
                false
            })
    }
}

impl Drop for Renderer {
    fn drop(&mut self) {
        self.finish_capture();
        if self.lost.is_none()
            && let Err(error) = self.finish(&mut |_| {})
        {
            tracing::warn!("at the end: {error}");
        }
        self.gpu.wait_idle();
        self.library.workers.stop();
        self.keep_caches();
        self.write_stats();
    }
}
