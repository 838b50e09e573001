//! A guest for tests: encodes packets, owns an upload arena, runs a renderer, reads pixels back. It has what that of `afterimage-vulkan`'s
//! tests has, so that they are tests of this renderer, too.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part of it")]

#[path = "../../../../vulkan/tests/common/code.rs"]
pub mod code;
#[path = "../../../../vulkan/tests/common/drawn.rs"]
pub mod drawn;
pub mod everything;
#[path = "../../../../vulkan/tests/common/has.rs"]
pub mod has;
pub mod recorder;
pub mod watched;

use afterimage_metal::Options;
use afterimage_metal_calls::{Device, Family};
use afterimage_metal_soft::SoftDevice;
use afterimage_shader::Language;
use afterimage_stream::packets::*;
use afterimage_stream::{
    Arena, Encoder, Executor, Format, ObjectId, ObjectKind, Reply, StreamError, UploadRef, VertexFormat,
};
use afterimage_vulkan::Without;
use bytemuck::Zeroable;
use std::cell::RefCell;

pub use drawn::*;

/// What Metal has, and the writer of its shaders.
pub const HAS: has::Has = has::Has {
    primitives: false,
    raster_options: false,
    wide_lines: true,
    sampler_options: true,
    images: true,
    image_atomics: true,
    sample_arrays: false,
};

/// The renderer on the software Metal.
pub type Renderer = afterimage_metal::Renderer<SoftDevice>;

/// A stepper with it.
pub type Stepper = afterimage_metal::Stepper<SoftDevice>;

/// Edge of a target that it takes a while to fill often.
pub const MUCH: u32 = 16;

/// What the device found wrong.
pub fn messages(renderer: &Renderer) -> u64 {
    renderer.faults().1
}

/// Bytes of the test arena's one slot.
const ARENA: usize = 16 << 20;

/// An arena of one slot in ordinary memory.
pub struct TestArena {
    bytes: RefCell<Vec<u8>>,
    used: usize,
}

impl TestArena {
    fn range(range: &UploadRef, at: u32, len: usize) -> Option<std::ops::Range<usize>> {
        let first = range.offset as usize + at as usize;
        (range.slot == 0 && first + len <= ARENA).then_some(first..first + len)
    }

    fn put(&mut self, bytes: &[u8]) -> UploadRef {
        let offset = self.used.next_multiple_of(64);
        assert!(offset + bytes.len() <= ARENA, "the test arena is full");
        self.bytes.borrow_mut()[offset..offset + bytes.len()].copy_from_slice(bytes);
        self.used = offset + bytes.len();
        UploadRef { slot: 0, size: bytes.len() as u32, offset: offset as u64 }
    }
}

impl Arena for TestArena {
    fn slot_size(&self, slot: u32) -> Option<u64> {
        (slot == 0).then_some(ARENA as u64)
    }

    fn copy_out(&self, range: &UploadRef, at: u32, out: &mut [u8]) -> bool {
        let Some(place) = Self::range(range, at, out.len()) else { return false };
        out.copy_from_slice(&self.bytes.borrow()[place]);
        true
    }

    fn copy_in(&self, range: &UploadRef, at: u32, bytes: &[u8]) -> bool {
        let Some(place) = Self::range(range, at, bytes.len()) else { return false };
        self.bytes.borrow_mut()[place].copy_from_slice(bytes);
        true
    }
}

/// A guest with its renderer.
pub struct GuestOn<D: Device> {
    pub encoder: Encoder,
    pub arena: TestArena,
    pub renderer: afterimage_metal::Renderer<D>,
    pub replies: Vec<Reply>,
    serials: [u32; 9],
    pub frame: u64,
    pub target: ObjectId,
    picture: (ObjectId, Format, u32, u32),
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

/// A guest of the renderer on the software Metal.
pub type Guest = GuestOn<SoftDevice>;

impl Guest {
    /// Of an M1's, or of the family that `METAL_FAMILY` names.
    pub fn new() -> Self {
        log();
        let wanted = std::env::var("METAL_FAMILY").unwrap_or_default();
        let named = Family::ALL.into_iter().find(|family| format!("{family:?}") == wanted);
        Self::on(SoftDevice::new(named.unwrap_or(Family::Apple7)))
    }

    /// There is one way to capture vertices: without the device's help.
    pub fn that_capture() -> Vec<Self> {
        vec![Self::new()]
    }

    /// As [`Guest::that_capture`].
    pub fn that_capture_geometry() -> Vec<Self> {
        Self::that_capture()
    }

    /// As [`Guest::that_capture`].
    pub fn that_fetch() -> Vec<Self> {
        Self::that_capture()
    }

    /// Whether its device does logical operations: Apple's GPUs do.
    pub fn has_logic(&self) -> bool {
        self.renderer.device().facts().family.is_apple()
    }

    /// Whether it has arrays of cubes.
    pub fn has_cube_arrays(&self) -> bool {
        true
    }

    /// Samples, bit n of n, that textures of integers may have.
    pub fn integer_samples(&self) -> u32 {
        (0..5)
            .filter(|bit| self.renderer.device().facts().samples >> bit & 1 != 0)
            .fold(0, |bits, bit| bits | 1 << (1 << bit))
    }

    /// Another renderer of the same device, that nothing has been drawn with.
    pub fn another_renderer(&self) -> Renderer {
        let options = Options { raw_addresses: true, ..Options::default() };
        Renderer::new(self.renderer.device().clone(), options).expect("a renderer")
    }

    /// How its renderer captures vertices.
    pub fn captures(&self) -> has::Captures {
        has::Captures { native: false, last: true, lists_restart: true, first_instance: true }
    }

    /// A guest whose shaders come from a stranger: none may have addresses of its own.
    pub fn strange(_: Without) -> Self {
        log();
        Self::with_options(SoftDevice::new(Family::Apple7), Options::default())
    }

    /// Metal has none of these abilities of Vulkan to be left out: where some are, it is another Mac's, one by Intel.
    pub fn with(without: Without) -> Self {
        log();
        let family = if without == Without::default() { Family::Apple7 } else { Family::Mac2 };
        Self::on(SoftDevice::new(family))
    }
}

impl<D: Device> GuestOn<D> {
    pub fn on(device: D) -> Self {
        Self::with_options(device, Options { raw_addresses: true, ..Options::default() })
    }

    pub fn with_options(device: D, options: Options) -> Self {
        let renderer = afterimage_metal::Renderer::new(device, options).expect("a renderer");
        let mut guest = Self {
            encoder: Encoder::new(),
            arena: TestArena { bytes: RefCell::new(vec![0; ARENA]), used: 0 },
            renderer,
            replies: Vec::new(),
            serials: [0; 9],
            frame: 0,
            target: ObjectId::NONE,
            picture: (ObjectId::NONE, Format::R8G8B8A8_UNORM, 0, 0),
        };
        guest.encoder.push_tail(&Init { version: Init::VERSION, count: 4, process: 1, guest: 1 }, b"test");
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
        let frame = self.frame;
        let target = if texture.is_none() { texture } else { self.target };
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
        let batch = std::mem::take(self.encoder.batch());
        self.renderer.execute(&batch, &self.arena, &mut |reply| self.replies.push(reply))
    }

    /// Runs what was encoded, which must be right, and find nothing wrong with what comes of it.
    pub fn run(&mut self) {
        self.try_run().unwrap();
        assert!(!self.replies.iter().any(|reply| matches!(reply, Reply::Error { .. })), "{:?}", self.replies);
        assert_eq!(self.renderer.faults().0, [], "{:?}", self.renderer.faults());
    }

    /// Checks that nothing was wrong up to the end.
    pub fn finish(mut self) {
        let mut replies = Vec::new();
        self.renderer.finish(&mut |reply| replies.push(reply)).unwrap();
        assert_eq!(self.renderer.faults().0, []);
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
        self.shader_in(stage, Language::D3d9 as u32, bytemuck::cast_slice(&tokens))
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

    /// Binds a layout of attributes.
    pub fn layout_of(&mut self, attributes: &[VertexAttribute]) {
        let id = self.id(ObjectKind::VertexInput);
        self.encoder.push_tail(&CreateVertexInput { id, count: attributes.len() as u32 }, attributes);
        self.encoder.push(&SetVertexInput { id, pad: 0 });
    }

    /// Binds the layout of [`Vertex`].
    pub fn layout(&mut self) {
        let attribute = |location, format, offset| VertexAttribute::per_vertex(location, 0, format, offset);
        self.layout_of(&[
            attribute(0, VertexFormat::R32G32B32A32_SFLOAT, 0),
            attribute(1, VertexFormat::R32G32B32A32_SFLOAT, 16),
            attribute(2, VertexFormat::R32G32_SFLOAT, 32),
        ]);
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

    /// Draws with indices of so many bytes.
    pub fn draw_indices(&mut self, topology: Topology, indices: &[u32], bytes: u16, restart: u16) {
        let data: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()[..bytes.into()].to_vec()).collect();
        let source = self.buffer(CreateBuffer::INDEX, &data);
        self.encoder.push(&SetIndexBuffer { source, index_bytes: bytes, restart, offset: 0, size: 0 });
        self.encoder.push(&DrawIndexed {
            topology: topology as u32,
            first: 0,
            count: indices.len() as u32,
            instances: 1,
            base_vertex: 0,
            first_instance: 0,
        });
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

    pub fn clear_rects(&mut self, flags: u32, color: [f32; 4], depth: f32, rects: &[Rect]) {
        let count = rects.len() as u32;
        self.encoder.push_tail(&Clear { flags, count, color, depth, ..Clear::zeroed() }, rects);
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
        out.as_chunks::<4>().0.iter().map(|bytes| u32::from_ne_bytes(*bytes)).collect()
    }

    /// A storage buffer with these words.
    pub fn words(&mut self, words: &[u32]) -> ObjectId {
        self.buffer(CreateBuffer::STORAGE, bytemuck::cast_slice(words))
    }

    pub fn dispatch(&mut self, shader: ObjectId, groups: [u32; 3]) {
        self.encoder.push(&Dispatch { shader, groups });
    }

    /// The target that [`GuestOn::pixels`] reads.
    pub fn pixels_target(&self) -> ObjectId {
        self.picture.0
    }

    /// [`GuestOn::pixels`], whatever was refused before.
    pub fn pixels_or_errors(&mut self) -> Vec<[u8; 4]> {
        self.replies.clear();
        self.pixels().pixels
    }

    /// The picture of [`GuestOn::target`], four bytes per pixel.
    pub fn pixels(&mut self) -> Pixels {
        let (id, format, width, height) = self.picture;
        assert_eq!(format.info().bytes, 4);
        let bytes = self.read(id, format, 0, 0, [width, height]);
        let pixels = bytes.chunks_exact(4).map(|p| [p[0], p[1], p[2], p[3]]).collect();
        Pixels { width, pixels }
    }
}
