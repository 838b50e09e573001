//! The renderer: executes a command stream.

use crate::device::commands::Commands;
use crate::device::info::device_info;
use crate::device::info::driver;
use crate::error::{Error, Result};
use crate::memory::ring::Ring;
use crate::memory::room::Room;
use crate::options::Options;
use crate::pipeline::kept::{KeptPipelines, Store};
use crate::pipeline::pipelines::Pipelines;
use crate::pipeline::shaders::{GuestShader, Library};
use crate::present::Presenter;
use crate::present::windows::{LayerFactory, Windows};
use crate::resources::Resources;
use crate::state::bound::{Bound, Prepared, Recorded};
use crate::state::feedback::Feedback;
use crate::state::vertices::Copied;
use crate::transfer::query::Queries;
use crate::transfer::readback::ReadBacks;
use afterimage_metal_calls::{Archives, BufferDescriptor, Device, Fault, Presents, Serial, StorageMode};
use afterimage_render::captures::Captures;
use afterimage_render::looked::ReadSink;
use afterimage_render::pictures::PictureSink;
use afterimage_render::stats::Stats;
use afterimage_render::table::Table;
use afterimage_stream::packets::Overlay;
use afterimage_stream::{Budget, Budgets, DeviceInfo, ObjectKind, Reply, State, Validator};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// Bytes of uploads and read backs under way, after which the GPU is waited for.
pub(crate) const OUTSTANDING_LIMIT: u64 = 256 << 20;

/// Draws of a command buffer: a frame of more is several.
pub(crate) const MOST_DRAWS: u64 = 1 << 16;

/// Executes a command stream with Metal's calls, whoever answers them. Used by one thread at a time.
#[derive(Debug)]
pub struct Renderer<D: Device> {
    pub(crate) device: D,
    /// What the stream has set so far, and what checks what it sets next.
    pub(crate) state: State,
    pub(crate) validator: Validator,
    pub(crate) commands: Commands<D>,
    /// Constants and uploads of a command buffer, and what bindings of a frame read.
    pub(crate) uploads: Ring<D>,
    pub(crate) frame_uploads: Ring<D>,
    pub(crate) frame_upload_bytes: u64,
    pub(crate) resources: Resources<D>,
    pub(crate) shaders: Table<GuestShader>,
    pub(crate) library: Library<D>,
    pub(crate) pipelines: Pipelines<D>,
    pub(crate) bound: Bound<D>,
    /// What the last draw was prepared for, while nothing that it depends on has changed.
    pub(crate) prepared: Option<Box<Prepared>>,
    pub(crate) queries: Queries<D>,
    pub(crate) feedback: Feedback,
    /// Room for what geometry shaders emit.
    pub(crate) emitted: Room<D>,
    pub(crate) readbacks: ReadBacks<D>,
    pub(crate) presenter: Presenter<D>,
    pub(crate) stats: Stats,
    /// Where the figures go at the end.
    pub(crate) stats_file: Option<PathBuf>,
    /// What is drawn over the pictures of guests that do not say.
    pub(crate) overlay: Overlay,
    /// Capture files that are being written.
    pub(crate) captures: Captures,
    /// Whether every packet is logged.
    pub(crate) traces: bool,
    /// What was found of indices: by memory, version, place and width, the greatest that is a vertex and whether the greatest there can be
    /// occurs.
    pub(crate) index_facts: FxHashMap<(u64, u64, u64, u64), (u32, bool)>,
    /// Copies of vertices that were made in the frame.
    pub(crate) vertex_copies: Vec<Copied<D>>,
    /// Presented frames that the GPU may not have completed: number and command buffer.
    pub(crate) frames: VecDeque<(u64, Serial)>,
    pub(crate) draws: u64,
    pub(crate) skipped_draws: u64,
    /// Numbers of memory and of its contents.
    pub(crate) versions: u64,
    pub(crate) lost: Option<Error>,
    /// See [`Renderer::apply_everything`].
    pub(crate) applies_everything: bool,
    /// What has been warned of.
    warned: Vec<&'static str>,
}

impl<D: Device> Renderer<D> {
    /// Makes a renderer for a device.
    ///
    /// # Errors
    /// Where the device makes no queue or no buffer, or the system has no thread for the watchdog.
    pub fn new(device: D, options: Options) -> Result<Self> {
        // What a device has is the most that can be asked of it.
        let memory = device.facts().working_set;
        let budgets = [Budget::TextureMemory, Budget::BufferMemory]
            .into_iter()
            .fold(Budgets::default(), |budgets, of| budgets.with(of, budgets.limit(of).min(memory)));
        let mut commands = Commands::new(&device)?;
        if let Some(own) = &options.own_process {
            commands.watch(own)?;
        }
        let resources = Resources::new(&device, commands.blit())?;
        let presenter = Presenter::new(&options.wishes, &device.facts().name, &driver(&device));
        let mut renderer = Self {
            state: State::default(),
            validator: Validator::new(budgets),
            commands,
            uploads: Ring::new("uploads"),
            frame_uploads: Ring::new("uploads of a frame"),
            frame_upload_bytes: 0,
            resources,
            shaders: Table::default(),
            library: Library::new(&device, options.float_rules, options.raw_addresses),
            pipelines: Pipelines::default(),
            bound: Bound::default(),
            prepared: None,
            queries: Queries::default(),
            feedback: Feedback::default(),
            emitted: Room::new("emitted vertices"),
            readbacks: ReadBacks::default(),
            presenter,
            stats: Stats::default(),
            stats_file: options.wishes.stats.clone(),
            overlay: options.wishes.overlay,
            captures: Captures::new(&options.wishes),
            traces: options.trace_packets,
            index_facts: FxHashMap::default(),
            vertex_copies: Vec::new(),
            frames: VecDeque::new(),
            draws: 0,
            skipped_draws: 0,
            versions: 1,
            lost: None,
            applies_everything: options.apply_all,
            warned: Vec::new(),
            device,
        };
        renderer.measure_gpu();
        Ok(renderer)
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &D {
        &self.device
    }

    /// What guests are told about the device.
    #[must_use]
    pub fn device_info(&self) -> DeviceInfo {
        device_info(self.device.facts())
    }

    /// Sends every presented picture to `sink`, some frames late.
    pub fn set_picture_sink(&mut self, sink: Option<PictureSink>) {
        self.presenter.pictures.sink = sink;
    }

    /// Shows presented pictures in the windows of their targets, whose layers this makes.
    pub fn set_layer_factory(&mut self, factory: LayerFactory<<D::Queue as Presents>::Layer>)
    where
        D::Queue: Presents,
    {
        self.presenter.windows = Some(Box::new(Windows::<D::Queue>::new(factory)));
    }

    /// Finds pipelines that an earlier process has compiled in a folder, and keeps those of this one for a later one
    /// ([`Renderer::write_pipelines`]). The file is for this device and this version of the compiler of shaders.
    ///
    /// # Errors
    /// Where the device makes no archive. A file that is damaged is none, and said in the log.
    pub fn keep_pipelines(&mut self, folder: &Path) -> Result
    where
        D: Archives,
    {
        let facts = self.device.facts();
        let device = format!("{} {:?}", facts.name, facts.family);
        let number = xxhash_rust::xxh3::xxh3_64_with_seed(device.as_bytes(), afterimage_shader::compiler());
        let file = folder.join(format!("metal-{number:016x}.pipelines"));
        self.pipelines.store = Some(Store::open(&self.device, file)?);
        Ok(())
    }

    /// What the archive of [`Renderer::keep_pipelines`] had, and was given.
    #[must_use]
    pub fn kept_pipelines(&self) -> KeptPipelines {
        self.pipelines.store.as_ref().map(|store| store.counts).unwrap_or_default()
    }

    /// Writes the archive of [`Renderer::keep_pipelines`], if there is one and something new is in it. To be called at the end.
    ///
    /// # Errors
    /// In words, why the file cannot be written.
    pub fn write_pipelines(&self) -> std::result::Result<(), String> {
        self.pipelines.store.as_ref().map_or(Ok(()), |store| store.write(&self.device))
    }

    /// Sends what guests read back to `sink`, too.
    pub fn set_read_sink(&mut self, sink: Option<ReadSink>) {
        self.readbacks.looker.set(sink);
    }

    /// Whether each draw takes nothing for granted, and sets all that it needs. What is drawn is the same; if it is not, a state was missed.
    pub fn apply_everything(&mut self, on: bool) {
        self.applies_everything = on;
        self.bound.recorded.plain = None;
    }

    /// Nothing is known of what draws were prepared for, or of what the encoder has.
    pub(crate) fn forget(&mut self) {
        self.prepared = None;
        self.bound.recorded = Recorded { counts: self.bound.recorded.counts, ..Recorded::default() };
        self.state.tracker.mark_all();
    }

    /// Why the renderer draws no more, if so: the device was lost. A new one must be made.
    #[must_use]
    pub fn lost(&self) -> Option<&Error> {
        self.lost.as_ref()
    }

    /// The first of what was wrong with what was encoded, and how often something was.
    #[must_use]
    pub fn faults(&self) -> (&[Fault], u64) {
        (&self.commands.faults, self.commands.fault_count)
    }

    /// Everything that the stream has set so far.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Draws asked for.
    #[must_use]
    pub fn draws(&self) -> u64 {
        self.draws
    }

    /// Draws that were dropped because their shaders, targets or pipeline could not be made.
    #[must_use]
    pub fn skipped_draws(&self) -> u64 {
        self.skipped_draws
    }

    /// Shaders that could not be compiled.
    #[must_use]
    pub fn shader_failures(&self) -> u64 {
        self.library.failures
    }

    /// Pictures presented.
    #[must_use]
    pub fn presented(&self) -> u64 {
        self.stats.frames
    }

    /// What the stream may ask for.
    #[must_use]
    pub fn budgets(&self) -> &Budgets {
        self.validator.budgets()
    }

    /// Sets what the stream may ask for from now on.
    pub fn set_budgets(&mut self, budgets: Budgets) {
        self.validator.set_budgets(budgets);
        self.library.budget = budgets.limit(Budget::Translated);
        self.pipelines.budget = budgets.limit(Budget::Pipelines);
    }

    /// Ends the guest's stream and makes room for another: finishes what was asked for, answers it, and lets go of every object. What was
    /// compiled stays. The next packet must be the first of a stream.
    ///
    /// # Errors
    /// Where the device is lost.
    pub fn restart(&mut self, replies: &mut dyn FnMut(Reply)) -> Result {
        self.captures.forget(&self.presenter.pictures);
        self.finish(replies)?;
        let objects = &self.state.objects;
        let ids: Vec<_> = ObjectKind::OBJECTS.iter().flat_map(|&kind| objects.iter(kind).map(|(id, _)| id)).collect();
        ids.into_iter().for_each(|id| self.destroy(id));
        self.frames.clear();
        self.state = State::default();
        self.validator = Validator::new(*self.validator.budgets());
        self.frame_upload_bytes = 0;
        self.bound = Bound::default();
        self.feedback.running = None;
        self.prepared = None;
        self.warned.clear();
        Ok(())
    }

    /// What neither Metal nor this renderer has.
    pub(crate) fn unsupported(&self, what: impl Into<String>) -> Error {
        Error::Unsupported { device: self.device.facts().name.clone(), what: what.into() }
    }

    /// Says once that a guest does something that is not drawn as it should be.
    #[cold]
    pub(crate) fn warn_once(&mut self, what: &'static str) {
        if !self.warned.contains(&what) {
            self.warned.push(what);
            tracing::warn!("{what} are not drawn exactly with Metal (said once)");
        }
    }

    /// The device is gone.
    pub(crate) fn lose(&mut self, error: Error) {
        tracing::error!("{error}");
        self.lost.get_or_insert(error);
    }

    /// Another number for memory, or for what is in it.
    pub(crate) fn next_version(&mut self) -> u64 {
        self.versions += 1;
        self.versions
    }

    /// Memory that the CPU reads once the GPU has written it.
    pub(crate) fn readable_buffer(&self, length: u64, label: &str) -> Result<D::Buffer> {
        let descriptor =
            BufferDescriptor { length: length.max(1), storage: StorageMode::Shared, label: label.to_owned() };
        Ok(self.device.new_buffer(&descriptor)?)
    }

    /// Bytes in a ring, for the command buffer that is being written.
    pub(crate) fn put(&mut self, bytes: &[u8], align: u64) -> Result<crate::memory::ring::Slice<D>> {
        self.uploads.put(&self.device, bytes, align, self.commands.current(), self.commands.completed)
    }

    /// As [`Renderer::put`], of so many bytes that `fill` writes.
    pub(crate) fn put_by(
        &mut self,
        len: usize,
        align: u64,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<crate::memory::ring::Slice<D>> {
        let (current, completed) = (self.commands.current(), self.commands.completed);
        let slice = self.uploads.alloc(&self.device, len as u64, align, current, completed)?;
        self.device.fill(&slice.buffer, slice.offset, len, fill)?;
        Ok(slice)
    }

    /// Commits what was encoded so far; the number of the last command buffer.
    pub(crate) fn submit(&mut self) -> Result<Serial> {
        self.end_pass();
        let serial = self.commands.commit();
        self.commands.retire()?;
        Ok(serial)
    }

    /// Where much waits for the GPU, waits for the GPU.
    pub(crate) fn limit_outstanding(&mut self) -> Result {
        let much = self.uploads.outstanding() > OUTSTANDING_LIMIT;
        if much || self.commands.draws > MOST_DRAWS {
            let serial = self.submit()?;
            if much {
                self.commands.wait(serial)?;
                self.uploads.reclaim(self.commands.completed);
            }
        }
        Ok(())
    }
}
