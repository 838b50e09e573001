//! The renderer: executes a command stream.

use crate::commands::recorder::Recorder;
use crate::device::gpu::Gpu;
use crate::device::memory::HeapTrim;
use crate::error::{Error, Result};
use crate::feedback::Feedback;
use crate::memory::pools::Memory;
use crate::memory::slots::{DeviceSlots, SharedSlots};
use crate::options::Options;
use crate::pipeline::programs::Programs;
use crate::pipeline::shaders::ShaderReplacer;
use crate::present::presenter::Presenter;
use crate::resources::tables::Resources;
use crate::state::bound::Bound;
use crate::transfer::transfers::Transfers;
use afterimage_render::captures::Captures;
use afterimage_render::stats::Stats;
use afterimage_stream::{Budget, Budgets, DeviceInfo, ObjectId, ObjectKind, Reply, State, Validator};
use ash::vk;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Executes a command stream with Vulkan. Used by one thread at a time.
pub struct Renderer {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) options: Options,
    /// What the stream has set so far, and what checks what it sets next.
    pub(crate) state: State,
    pub(crate) validator: Validator,
    /// What is being recorded, and what the GPU has to do.
    pub(crate) recorder: Recorder,
    /// What constants, uploads and dynamic buffers lie in.
    pub(crate) memory: Memory,
    /// What the guest has created, and how shaders find it.
    pub(crate) resources: Resources,
    /// From its shaders and states to pipelines.
    pub(crate) programs: Programs,
    /// What is bound, and what the command buffer has of it.
    pub(crate) bound: Bound,
    /// What is copied, counted and read back.
    pub(crate) transfers: Transfers,
    /// Captures of vertices.
    pub(crate) feedback: Feedback,
    pub(crate) presenter: Presenter,
    pub(crate) stats: Stats,
    /// Capture files that are being written.
    pub(crate) captures: Captures,
    /// Presented frames that the GPU may not have completed: number and submission.
    pub(crate) frames: VecDeque<(u64, u64)>,
    pub(crate) applies_everything: bool,
    /// Whether runs of draws are recorded in one call where they can be.
    pub(crate) merges: bool,
    pub(crate) lost: Option<Error>,
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
        let recorder = Recorder::new(&gpu, options.own_process.as_ref(), options.record_thread)?;
        let resources = Resources::new(&gpu)?;
        let journal = recorder.submissions.watch.as_ref().map(|watch| Arc::clone(watch.journal()));
        let programs = Programs::new(&gpu, &options, &resources.descriptors, journal)?;
        // What a device has is the most that can be asked of it.
        let memory = gpu.memory_bytes();
        let budgets = [Budget::TextureMemory, Budget::BufferMemory]
            .into_iter()
            .fold(Budgets::default(), |budgets, of| budgets.with(of, budgets.limit(of).min(memory)));
        let mut renderer = Self {
            state: State::default(),
            validator: Validator::new(budgets),
            recorder,
            memory: Memory::new(&gpu),
            resources,
            programs,
            bound: Bound::default(),
            transfers: Transfers::new(&gpu),
            feedback: Feedback::new(&gpu),
            presenter: Presenter::new(&gpu, &options),
            stats: Stats::default(),
            captures: Captures::new(&options.wishes),
            frames: VecDeque::new(),
            applies_everything: options.apply_all,
            merges: gpu.profile.draw_records
                && options.merge_draws.unwrap_or(gpu.profile.suits_records && options.own_process.is_none()),
            lost: None,
            warned: Vec::new(),
            _heap: HeapTrim,
            gpu,
            options,
        };
        let before = renderer.recorder.submissions.before()?;
        renderer.resources.make_null_objects(&renderer.gpu, before)?;
        renderer.prune_caches();
        renderer.measure_gpu();
        if renderer.options.skip_unready {
            tracing::warn!("AFTERIMAGE_ASYNC: draws are skipped while their pipelines are made, so things appear late");
        }
        Ok(renderer)
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
        info.markers = (self.options.wishes.capture_file.is_some() || self.gpu.shows_labels).into();
        info
    }

    /// Makes upload arena slots that the GPU reads in place, for an in-process link.
    #[must_use]
    pub fn slot_factory(&self) -> DeviceSlots {
        self.memory.slots.factory(&self.gpu)
    }

    /// Has the device copy out of the slots of a shared file itself, where it can: for a link to another process.
    #[must_use]
    pub fn slot_importer(&self) -> SharedSlots {
        self.memory.slots.importer(&self.gpu)
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
        self.recorder.skipped_draws
    }

    /// At the end of a batch, `draws` or more (4 KiB of uploads count as one) that have been recorded go to a GPU that has nothing to do, instead of at the end
    /// of the frame. A GPU of its own gets a thousand if nothing is said; for others, which would load and store their tiles
    /// once more or need the core for drawing, the frame is one piece.
    pub fn submit_early(&mut self, draws: u64) {
        self.recorder.early_draws = draws;
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
        self.programs.library.refusal.as_ref().map(|(id, error)| (*id, error))
    }

    /// Pictures presented.
    #[must_use]
    pub fn presented(&self) -> u64 {
        self.stats.frames
    }

    /// Draws asked for.
    #[must_use]
    pub fn draws(&self) -> u64 {
        self.recorder.draws
    }

    /// Waits until the worker threads have nothing left to do, for tests and measurements: what they make ahead is there
    /// then.
    pub fn finish_workers(&self) {
        self.programs.library.workers.finish();
    }

    /// What the stream may ask for. Each begins with the defaults, and no more memory than the device has.
    #[must_use]
    pub fn budgets(&self) -> &Budgets {
        self.validator.budgets()
    }

    /// Sets what the stream may ask for from now on, and the streams after it.
    pub fn set_budgets(&mut self, budgets: Budgets) {
        self.validator.set_budgets(budgets);
        self.programs.library.maker.set_budget(budgets.limit(Budget::Translated));
        self.programs.pipelines.set_budget(budgets.limit(Budget::Pipelines));
    }

    /// Has shaders replaced that are created from now on.
    pub fn set_shader_replacer(&mut self, replacer: Option<ShaderReplacer>) {
        self.programs.replace_shader = replacer;
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
        self.captures.forget(&self.presenter.pictures);
        self.finish(replies)?;
        let objects = &self.state.objects;
        let ids: Vec<_> = ObjectKind::OBJECTS.iter().flat_map(|&kind| objects.iter(kind).map(|(id, _)| id)).collect();
        for id in ids {
            self.destroy(id);
        }
        self.end_groups();
        // Objects stay until the submission that is being recorded is done.
        let number = self.submit()?;
        self.recorder.submissions.wait(number)?;
        self.memory.slots.clear();
        self.memory.frame_uploads.end_frame(number);
        self.frames.clear();
        self.programs.forget_program();
        self.feedback.stop();
        self.state = State::default();
        self.validator = Validator::new(*self.validator.budgets());
        self.memory.frame_upload_bytes = 0;
        self.bound.unbind();
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

    pub(crate) fn lose(&mut self, error: Error) {
        self.gpu.lost.store(true, Ordering::Relaxed);
        if let Some(watch) = &mut self.recorder.submissions.watch {
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
        (self.recorder.draws_submitted, self.recorder.uploaded) = (self.recorder.draws, 0);
        self.leave_uploads()?;
        self.show_shared();
        self.recorder.play();
        let number = self.recorder.submissions.submit(waits, signals)?;
        self.resources.descriptors.end_submission(number);
        self.transfers.queries.asked = false;
        // A new command buffer has nothing.
        self.disturbed();
        Ok(number)
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
        self.programs.library.workers.stop();
        self.keep_caches();
        self.write_stats();
    }
}
