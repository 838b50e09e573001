//! A guest for tests: encodes packets, owns an upload arena, runs a renderer with validation, compares pixels.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part of it")]

pub mod code;
pub mod drawn;
pub mod has;
pub mod in_tables;
pub mod streams;
pub mod ways;

use afterimage_ipc::ArenaConfig;
use afterimage_ipc::in_process;
use afterimage_shader::FloatRules;
use afterimage_shader::feedback::Form;
use afterimage_stream::packets::*;
use afterimage_stream::{
    Arena, Encoder, Executor, Format, ObjectId, ObjectKind, Reader, Reply, StreamError, UploadRef, VertexFormat,
};
use afterimage_vulkan::{Gpu, Options, OwnProcess, Without};
use bytemuck::Zeroable;
use std::cell::RefCell;
use std::sync::{Arc, LazyLock};
use ways::{Ends, Filed, Tally};

pub use drawn::*;

/// Everything.
pub const HAS: has::Has = has::Has {
    primitives: true,
    raster_options: true,
    wide_lines: true,
    sampler_options: true,
    images: true,
    image_atomics: true,
    sample_arrays: true,
};

/// The renderer whose tests these are.
pub type Renderer = afterimage_vulkan::Renderer;

/// A stepper with it.
pub type Stepper = afterimage_vulkan::Stepper;

/// Edge of a target that it takes a while to fill often.
pub const MUCH: u32 = 512;

/// What the device found wrong.
pub fn messages(renderer: &Renderer) -> u64 {
    renderer.validation_messages()
}

/// Language number of Direct3D 9's tokens.
const D3D9: u32 = 1;

/// Bytes of the test arena's one slot.
const ARENA: usize = 64 << 20;

/// An arena of one slot in ordinary memory, or that of a link.
pub struct TestArena {
    bytes: RefCell<Vec<u8>>,
    used: usize,
    ends: Option<Ends>,
}

impl TestArena {
    fn range(range: &UploadRef, at: u32, len: usize) -> Option<std::ops::Range<usize>> {
        let first = range.offset as usize + at as usize;
        (range.slot == 0 && first + len <= ARENA).then_some(first..first + len)
    }

    /// Starts to fill it from the start again.
    pub fn rewind(&mut self) {
        self.used = 0;
    }

    fn put(&mut self, bytes: &[u8]) -> UploadRef {
        if let Some(Ends { link, .. }) = &mut self.ends {
            let range = link.alloc(bytes.len() as u32, 16).unwrap();
            link.write(&range, 0, bytes);
            return range;
        }
        let offset = self.used.next_multiple_of(64);
        assert!(offset + bytes.len() <= ARENA, "the test arena is full");
        self.bytes.borrow_mut()[offset..offset + bytes.len()].copy_from_slice(bytes);
        self.used = offset + bytes.len();
        UploadRef { slot: 0, size: bytes.len() as u32, offset: offset as u64 }
    }
}

impl Arena for TestArena {
    fn slot_size(&self, slot: u32) -> Option<u64> {
        match &self.ends {
            Some(Ends { receiver, .. }) => receiver.slot_size(slot),
            None => (slot == 0).then_some(ARENA as u64),
        }
    }

    fn copy_out(&self, range: &UploadRef, at: u32, out: &mut [u8]) -> bool {
        if let Some(Ends { receiver, .. }) = &self.ends {
            return receiver.copy_out(range, at, out);
        }
        let Some(place) = Self::range(range, at, out.len()) else { return false };
        out.copy_from_slice(&self.bytes.borrow()[place]);
        true
    }

    fn copy_in(&self, range: &UploadRef, at: u32, bytes: &[u8]) -> bool {
        if let Some(Ends { receiver, .. }) = &self.ends {
            return receiver.copy_in(range, at, bytes);
        }
        let Some(place) = Self::range(range, at, bytes.len()) else { return false };
        self.bytes.borrow_mut()[place].copy_from_slice(bytes);
        true
    }

    fn device_slot(&self, slot: u32) -> Option<u64> {
        self.ends.as_ref().and_then(|ends| ends.receiver.device_slot(slot))
    }

    fn source_slot(&self, slot: u32) -> Option<u64> {
        self.ends.as_ref().and_then(|ends| ends.receiver.source_slot(slot))
    }
}

/// A guest with its renderer.
pub struct Guest {
    pub encoder: Encoder,
    pub arena: TestArena,
    pub renderer: Renderer,
    pub replies: Vec<Reply>,
    serials: [u32; 9],
    pub frame: u64,
    target: ObjectId,
    picture: (ObjectId, Format, u32, u32),
    /// Whether every packet is a batch of its own.
    pub in_pieces: bool,
    /// A capture of everything that is sent.
    pub filed: Option<Filed>,
}

/// The device of a profile.
fn gpu(without: Without) -> Arc<Gpu> {
    gpu_of(&options(without))
}

/// What devices are told apart by: abilities left out, and whether pipelines are linked of stages.
type Abilities = (Without, Option<bool>);

/// Every device that these tests ask for.
fn every_device() -> Vec<Abilities> {
    let all = Without::default();
    let slots = Without { bindless: true, ..all };
    let pipelines = Without { dynamic_state3: true, ..all };
    let lowered = Without { transform_feedback: true, ..all };
    let left_out = [
        all,
        Options::from_env().without,
        slots,
        pipelines,
        lowered,
        Without { multi_draw: true, ..all },
        Without { raster_options: true, ..all },
        Without { shader_features: true, ..all },
        Without { shader_features: true, ..lowered },
        Without { multi_draw: true, ..pipelines },
        Without { raster_options: true, ..pipelines },
        Without { dynamic_state3: true, ..slots },
        Without { dynamic_state3: true, device_slots: true, ..slots },
        Without { null_descriptor: true, ..all },
        Without { beyond_moltenvk: true, ..all },
        Without { beyond_kosmickrisp: true, ..all },
    ];
    let as_set = left_out.map(|without| (without, options(without).pipeline_libraries));
    let linked = [all, slots, pipelines].map(|without| [false, true].map(|on| (without, Some(on))));
    as_set.into_iter().chain(linked.into_iter().flatten()).collect()
}

/// The device with the abilities of the options. Devices are opened once, since that takes longer than most tests, and **all before the
/// first is used**: Debian 12's validation layer (1.3.239) finds a device in a table without a lock, so that a thread which draws while
/// another opens a device may find nothing there, and end the process.
pub fn gpu_of(options: &Options) -> Arc<Gpu> {
    static OPENED: LazyLock<Vec<(Abilities, Arc<Gpu>)>> = LazyLock::new(|| {
        let mut opened: Vec<(Abilities, Arc<Gpu>)> = Vec::new();
        for (without, pipeline_libraries) in every_device() {
            if opened.iter().all(|(other, _)| *other != (without, pipeline_libraries)) {
                let options = Options { pipeline_libraries, ..self::options(without) };
                let gpu = Gpu::open(&options).unwrap_or_else(|error| {
                    panic!(
                        "{error}\n\nThese tests need a Vulkan driver and the validation layer: run `cargo xtask setup`."
                    )
                });
                opened.push(((without, pipeline_libraries), gpu));
            }
        }
        opened
    });
    let abilities = (options.without, options.pipeline_libraries);
    let found = OPENED.iter().find(|(other, _)| *other == abilities);
    let (_, gpu) = found.unwrap_or_else(|| panic!("{abilities:?} is missing in `every_device`"));
    Arc::clone(gpu)
}

/// Shows the log of the tests that fail.
fn log() {
    static LOG: std::sync::Once = std::sync::Once::new();
    LOG.call_once(|| {
        let level = std::env::var("RUST_LOG").ok().and_then(|text| text.parse().ok());
        let level = level.unwrap_or(tracing_subscriber::filter::LevelFilter::WARN);
        tracing_subscriber::fmt().with_max_level(level).with_test_writer().init();
    });
}

fn options(without: Without) -> Options {
    Options { validate: true, without, cache_dir: None, raw_addresses: true, ..Options::from_env() }
}

impl Guest {
    pub fn new() -> Self {
        Self::with(Without::default())
    }

    /// A guest of a renderer that does not use some abilities.
    pub fn with(without: Without) -> Self {
        log();
        let renderer = Renderer::on(gpu(without), options(without)).expect("a renderer");
        Self::over(renderer)
    }

    /// A guest whose shaders come from a stranger: none may have addresses of its own.
    pub fn strange(without: Without) -> Self {
        log();
        let options = Options { raw_addresses: false, ..options(without) };
        Self::over(Renderer::on(gpu(without), options).expect("a renderer"))
    }

    /// Guests of the ways to capture vertices: with the device's own captures, and without.
    pub fn that_capture() -> Vec<Self> {
        let native = Self::new();
        let profile = &native.renderer.gpu().profile;
        assert!(profile.name.contains("llvmpipe") <= profile.transform_feedback.is_some(), "lavapipe captures");
        vec![native, Self::with(Without { transform_feedback: true, ..Without::default() })]
    }

    /// Guests of the ways to capture from geometry shaders. What is lowered needs none of the device.
    pub fn that_capture_geometry() -> Vec<Self> {
        let none = Without { transform_feedback: true, shader_features: true, ..Without::default() };
        let mut guests = Self::that_capture();
        guests.push(Self::with(none));
        for guest in &guests {
            let profile = &guest.renderer.gpu().profile;
            assert!(profile.adjacency || profile.transform_feedback.is_none());
        }
        guests
    }

    /// Guests of the ways to fetch vertices that are captured: with the device's own captures where it has them, and without, in both forms.
    pub fn that_fetch() -> Vec<Self> {
        let lowered = [Form::Gather, Form::Scatter].map(Self::with_feedback_form);
        assert!(lowered.iter().all(|guest| guest.renderer.gpu().profile.transform_feedback.is_none()));
        let native = Self::new();
        let has = native.renderer.gpu().profile.transform_feedback.is_some();
        lowered.into_iter().chain(has.then_some(native)).collect()
    }

    /// Whether its device does logical operations.
    pub fn has_logic(&self) -> bool {
        self.renderer.gpu().profile.logic_op
    }

    /// How its renderer captures vertices.
    pub fn captures(&self) -> has::Captures {
        let profile = &self.renderer.gpu().profile;
        has::Captures {
            native: profile.transform_feedback.is_some(),
            last: profile.provoking_last,
            lists_restart: profile.list_restart || profile.transform_feedback.is_none(),
            first_instance: profile.indirect_first_instance,
        }
    }

    /// A guest of a renderer that captures without the device's help, in a form.
    pub fn with_feedback_form(feedback_form: Form) -> Self {
        let without = Without { transform_feedback: true, ..Without::default() };
        let options = Options { feedback_form, ..options(without) };
        Self::over(Renderer::on(gpu(without), options).expect("a renderer"))
    }

    /// A guest of a renderer that links pipelines of stages, or does not.
    pub fn with_libraries(on: bool, without: Without) -> Self {
        log();
        let options = Options { pipeline_libraries: Some(on), ..options(without) };
        Self::over(Renderer::on(gpu_of(&options), options).expect("a renderer"))
    }

    /// A guest of a renderer that follows these float rules.
    pub fn with_float_rules(rules: FloatRules) -> Self {
        let options = Options { float_rules: Some(rules), ..options(Without::default()) };
        Self::over(Renderer::on(gpu(options.without), options).expect("a renderer"))
    }

    /// A guest of a renderer that has a thread play its calls, or none.
    pub fn with_record_thread(on: bool) -> Self {
        log();
        let options = Options { record_thread: Some(on), ..options(Without::default()) };
        Self::over(Renderer::on(gpu(options.without), options).expect("a renderer"))
    }

    /// A guest of a renderer that records runs of draws in one call, or does not.
    pub fn with_merged_draws(on: bool, without: Without) -> Self {
        log();
        let options = Options { merge_draws: Some(on), ..options(without) };
        Self::over(Renderer::on(gpu(without), options).expect("a renderer"))
    }

    /// A guest of a renderer that has its process for itself.
    pub fn with_own_process(own: OwnProcess) -> Self {
        log();
        let options = Options { own_process: Some(own), ..options(Without::default()) };
        Self::over(Renderer::on(gpu(options.without), options).expect("a renderer"))
    }

    /// A guest whose every draw goes to the GPU at once.
    pub fn with_early_submissions() -> Self {
        let mut guest = Self::new();
        guest.renderer.submit_early(1);
        guest.in_pieces = true;
        guest
    }

    /// A guest whose uploads lie in memory that the GPU reads.
    pub fn with_device_slots() -> Self {
        let mut guest = Self::new();
        let slots = Box::new(guest.renderer.slot_factory());
        let device = guest.renderer.device_info();
        let (link, receiver) = in_process::pair(ArenaConfig::default(), device, slots);
        guest.arena.ends = Some(Ends::new(link, receiver));
        guest
    }

    /// A guest whose packets and data come by the memory that a program and the viewer share, out of which the device copies.
    pub fn in_shared_memory() -> Self {
        let mut guest = Self::new();
        guest.arena.ends = Some(Ends::shared(&guest.renderer.device_info(), guest.renderer.slot_importer()));
        guest
    }

    /// A guest of [`Guest::strange`] whose packets and data come by the memory that a program and the viewer share.
    pub fn strange_in_shared_memory() -> Self {
        let mut guest = Self::strange(Without::default());
        guest.arena.ends = Some(Ends::shared(&guest.renderer.device_info(), guest.renderer.slot_importer()));
        guest
    }

    pub fn over(renderer: Renderer) -> Self {
        let mut guest = Self {
            encoder: Encoder::new(),
            arena: TestArena { bytes: RefCell::new(vec![0; ARENA]), used: 0, ends: None },
            renderer,
            replies: Vec::new(),
            serials: [0; 9],
            frame: 0,
            in_pieces: false,
            filed: None,
            target: ObjectId::NONE,
            picture: (ObjectId::NONE, Format::R8G8B8A8_UNORM, 0, 0),
        };
        let name = b"test";
        guest.encoder.push_tail(&Init { version: Init::VERSION, count: 4, process: 1, guest: 1 }, name);
        let id = guest.id(ObjectKind::Target);
        guest.target = id;
        guest.encoder.push(&PresentTarget { id, width: 64, height: 64, window_kind: 0, window: 0 });
        guest.begin_frame();
        guest
    }

    pub fn id(&mut self, kind: ObjectKind) -> ObjectId {
        self.serials[kind as usize] += 1;
        ObjectId::new(kind, self.serials[kind as usize])
    }

    pub fn begin_frame(&mut self) {
        self.frame += 1;
        self.encoder.push(&BeginFrame { frame: self.frame });
    }

    /// Presents a texture and begins the next frame.
    pub fn present(&mut self, texture: ObjectId) {
        let (frame, target) = (self.frame, self.target);
        self.encoder.push(&Present {
            frame,
            target,
            texture,
            src: Rect::default(),
            dst: Rect::default(),
            interval: 0,
            pad: 0,
        });
        self.begin_frame();
    }

    /// Puts bytes into the arena.
    pub fn upload(&mut self, bytes: &[u8]) -> UploadRef {
        self.arena.put(bytes)
    }

    /// Runs what was encoded; the first rejection.
    pub fn try_run(&mut self) -> Result<(), Box<StreamError>> {
        let mut batch = std::mem::take(self.encoder.batch());
        if let Some(ends) = &mut self.arena.ends {
            batch = ends.cross(batch);
        }
        if let Some(mut filed) = self.filed.take_if(|_| !batch.is_empty()) {
            filed.batch(&batch, &self.arena);
            let result = self.execute(&batch);
            filed.tally(Tally::of(self));
            self.filed = Some(filed);
            return result;
        }
        self.execute(&batch)
    }

    fn execute(&mut self, batch: &[u64]) -> Result<(), Box<StreamError>> {
        let mut run = |words: &[u64]| self.renderer.execute(words, &self.arena, &mut |reply| self.replies.push(reply));
        if !self.in_pieces {
            return run(batch);
        }
        let ends = Reader::new(batch).map_while(|packet| packet.ok().map(|p| p.at + usize::from(p.header.units)));
        let mut from = 0;
        ends.map(|end| run(&batch[std::mem::replace(&mut from, end)..end])).fold(Ok(()), Result::and)
    }

    /// Runs what was encoded, which must be right.
    pub fn run(&mut self) {
        self.try_run().unwrap();
        assert!(!self.replies.iter().any(|reply| matches!(reply, Reply::Error { .. })), "{:?}", self.replies);
    }

    /// Checks that the validation layer had nothing to say.
    pub fn finish(mut self) {
        let mut replies = Vec::new();
        self.renderer.finish(&mut |reply| replies.push(reply)).unwrap();
        let gpu = Arc::clone(self.renderer.gpu());
        drop(self.renderer);
        assert_eq!(gpu.instance.validation_messages(), 0, "the validation layer reported something: see the log");
    }

    /// Whether it has arrays of cubes.
    pub fn has_cube_arrays(&self) -> bool {
        self.renderer.gpu().profile.shaders.cube_arrays
    }

    /// Samples, bit n of n, that textures of integers may have.
    pub fn integer_samples(&self) -> u32 {
        self.renderer.gpu().profile.limits.sampled_image_integer_sample_counts.as_raw()
    }

    /// Another renderer of the same device, that nothing has been drawn with.
    pub fn another_renderer(&self) -> Renderer {
        let options = Options { raw_addresses: true, cache_dir: None, ..Default::default() };
        Renderer::on(Arc::clone(self.renderer.gpu()), options).expect("a renderer")
    }

    pub fn texture_with(&mut self, body: CreateTexture) -> ObjectId {
        let id = self.id(ObjectKind::Texture);
        self.encoder.push(&CreateTexture { id, ..body });
        id
    }

    /// A 2D texture without contents.
    pub fn texture(&mut self, format: Format, width: u32, height: u32, levels: u32, usage: u8) -> ObjectId {
        self.texture_with(CreateTexture { usage, ..plain(format, width, height, levels) })
    }

    /// A colour target, bound as the only one, with a viewport over all of it.
    pub fn target(&mut self, format: Format, width: u32, height: u32) -> ObjectId {
        let id = self.texture(format, width, height, 1, CreateTexture::TARGET);
        self.bind(id, ObjectId::NONE);
        self.viewport(width, height);
        self.picture = (id, format, width, height);
        id
    }

    pub fn bind(&mut self, color: ObjectId, depth: ObjectId) {
        let mut body = SetRenderTargets::default();
        body.color[0].texture = color;
        body.depth.texture = depth;
        self.encoder.push(&body);
    }

    pub fn viewport(&mut self, width: u32, height: u32) {
        let (width, height) = (width as f32, height as f32);
        self.encoder.push(&SetViewport { x: 0.0, y: 0.0, width, height, min_depth: 0.0, max_depth: 1.0 });
    }

    pub fn update_texture(&mut self, id: ObjectId, level: u16, layer: u16, size: [u32; 2], row: u32, data: &[u8]) {
        let data = self.upload(data);
        let [width, height] = size;
        let zero = UpdateTexture::zeroed();
        self.encoder.push(&UpdateTexture { id, level, layer, width, height, depth: 1, row_pitch: row, data, ..zero });
    }

    pub fn shader(&mut self, stage: Stage, text: &str) -> ObjectId {
        self.shader_in(stage, Language::Ir as u32, text.as_bytes())
    }

    /// A shader in a language by its number.
    pub fn shader_in(&mut self, stage: Stage, language: u32, code: &[u8]) -> ObjectId {
        let id = self.id(ObjectKind::Shader);
        let code = self.upload(code);
        self.encoder.push(&CreateShader { id, stage: stage as u32, language, pad: 0, code });
        id
    }

    /// A shader from Direct3D 9's assembly text.
    pub fn d3d9_shader(&mut self, stage: Stage, text: &str) -> ObjectId {
        let tokens = afterimage_shader_d3d9::assemble(text).expect("a right shader");
        let id = self.id(ObjectKind::Shader);
        let code = self.upload(bytemuck::cast_slice(&tokens));
        self.encoder.push(&CreateShader { id, stage: stage as u32, language: D3D9, pad: 0, code });
        id
    }

    /// One of the renderer's figures.
    pub fn figure(&self, name: &str) -> f64 {
        let stats = self.renderer.stats_json();
        let (_, rest) = stats.split_once(&format!("\"{name}\": ")).expect("a figure of the renderer");
        rest.split([',', '\n']).next().and_then(|number| number.parse().ok()).expect("a number")
    }

    /// Creates and binds shaders.
    pub fn shaders(&mut self, vertex: &str, pixel: &str) {
        let vertex = self.shader(Stage::Vertex, vertex);
        let pixel = self.shader(Stage::Pixel, pixel);
        self.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
    }

    pub fn buffer(&mut self, usage: u32, bytes: &[u8]) -> ObjectId {
        let id = self.id(ObjectKind::Buffer);
        self.encoder.push(&CreateBuffer { id, usage, size: bytes.len() as u64 });
        let data = self.upload(bytes);
        self.encoder.push(&UpdateBuffer { id, flags: 0, offset: 0, data });
        id
    }

    /// Binds the layout of [`Vertex`].
    pub fn layout(&mut self) {
        let id = self.id(ObjectKind::VertexInput);
        let attribute = |location, format, offset| VertexAttribute::per_vertex(location, 0, format, offset);
        let attributes = [
            attribute(0, VertexFormat::R32G32B32A32_SFLOAT, 0),
            attribute(1, VertexFormat::R32G32B32A32_SFLOAT, 16),
            attribute(2, VertexFormat::R32G32_SFLOAT, 32),
        ];
        self.encoder.push_tail(&CreateVertexInput { id, count: 3 }, &attributes);
        self.encoder.push(&SetVertexInput { id, pad: 0 });
    }

    pub fn bind_vertices(&mut self, source: ObjectId, offset: u64, size: u64) {
        let binding = VertexBuffer { source, stride: size_of::<Vertex>() as u32, offset, size };
        self.encoder.push_tail(&SetVertexBuffers { first: 0, count: 1 }, &[binding]);
    }

    /// Creates and binds a vertex buffer of these vertices.
    pub fn vertices(&mut self, vertices: &[Vertex]) -> ObjectId {
        let id = self.buffer(CreateBuffer::VERTEX, bytemuck::cast_slice(vertices));
        self.bind_vertices(id, 0, 0);
        id
    }

    pub fn draw(&mut self, topology: Topology, first: u32, count: u32) {
        self.encoder.push(&Draw { topology: topology as u32, first, count, instances: 1, first_instance: 0, pad: 0 });
    }

    /// Draws vertices from fresh upload data, as DrawPrimitiveUP does.
    pub fn draw_now(&mut self, vertices: &[Vertex]) {
        let data = self.upload(bytemuck::cast_slice(vertices));
        let source = ObjectId::new(ObjectKind::Upload, data.slot);
        self.bind_vertices(source, data.offset, data.size.into());
        self.draw(Topology::TriangleList, 0, vertices.len() as u32);
    }

    pub fn clear(&mut self, flags: u32, color: [f32; 4], depth: f32, stencil: u8) {
        self.encoder.push_tail(&Clear { flags, count: 0, color, depth, stencil, ..Clear::zeroed() }, &[]);
    }

    pub fn pixel_constant(&mut self, register: u16, value: [f32; 4]) {
        let value = value.map(f32::to_bits);
        self.encoder.push_tail(&SetConstants { bank: 3, first: register, count: 1 }, &[value]);
    }

    pub fn sampler(&mut self, body: CreateSampler) -> ObjectId {
        let id = self.id(ObjectKind::Sampler);
        self.encoder.push(&CreateSampler { id, ..body });
        id
    }

    pub fn bind_texture(&mut self, slot: u32, texture: ObjectId, sampler: ObjectId) {
        self.encoder.push_tail(&SetTextures { first: slot, count: 1 }, &[TextureBinding { texture, sampler }]);
    }

    pub fn read(&mut self, texture: ObjectId, format: Format, level: u16, layer: u16, size: [u32; 2]) -> Vec<u8> {
        let [width, height] = size;
        let row_pitch = format.row_bytes(width);
        let data = self.upload(&vec![0xcd; (row_pitch * format.rows(height)) as usize]);
        let token = 1000 + data.offset;
        let rect = Rect { x: 0, y: 0, width, height };
        self.encoder.push(&ReadBack { src: View { texture, level, layer }, rect, row_pitch, pad: 0, token, data });
        self.run();
        assert!(self.replies.contains(&Reply::ReadBack { token, ok: true }), "{:?}", self.replies);
        let mut out = vec![0; data.size as usize];
        assert!(self.arena.copy_out(&data, 0, &mut out));
        out
    }

    /// Words of a storage buffer.
    pub fn read_words(&mut self, id: ObjectId, offset: u64, count: usize) -> Vec<u32> {
        let data = self.upload(&vec![0xcd; count * 4]);
        let token = 500_000 + data.offset;
        self.encoder.push(&ReadBuffer { id, pad: 0, offset, token, data });
        self.run();
        assert!(self.replies.contains(&Reply::ReadBack { token, ok: true }), "{:?}", self.replies);
        let mut out = vec![0; data.size as usize];
        assert!(self.arena.copy_out(&data, 0, &mut out));
        code::words(&out)
    }

    /// A storage buffer with these words.
    pub fn words(&mut self, words: &[u32]) -> ObjectId {
        self.buffer(CreateBuffer::STORAGE, bytemuck::cast_slice(words))
    }

    pub fn dispatch(&mut self, shader: ObjectId, groups: [u32; 3]) {
        self.encoder.push(&Dispatch { shader, groups });
    }

    /// The target that [`Guest::pixels`] reads.
    pub fn pixels_target(&self) -> ObjectId {
        self.picture.0
    }

    /// [`Guest::pixels`], whatever was refused before.
    pub fn pixels_or_errors(&mut self) -> Vec<[u8; 4]> {
        self.replies.clear();
        self.pixels().pixels
    }

    /// The picture of [`Guest::target`], four bytes per pixel.
    pub fn pixels(&mut self) -> Pixels {
        let (id, format, width, height) = self.picture;
        assert_eq!(format.info().bytes, 4);
        let bytes = self.read(id, format, 0, 0, [width, height]);
        let pixels = bytes.chunks_exact(4).map(|p| [p[0], p[1], p[2], p[3]]).collect();
        Pixels { width, pixels }
    }
}
