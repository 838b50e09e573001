//! What a draw costs on our side of the seam: packets are checked, applied and encoded for a device that does nothing
//! (`afterimage_metal_calls::null`), 1,000 draws a frame, in the cases of `samples/bench_d3d9.cpp`.
//!
//! The renderer on Vulkan executes the same packets, in turn, sample by sample: with a thread that plays its calls, where the calling thread
//! only lists them, which is its own share; and without one, where the driver's `vkCmd*` are in the figure, too. Measured is the time that
//! `Executor::execute` takes the calling thread, from the clear to the last draw: frames are ended and waited for between samples.
//!
//! What it takes to translate shaders to Metal's language is in `cargo xtask bench shader`: `tokens to MSL`.
#![forbid(unsafe_code)]

#[path = "../tests/renderer/common/mod.rs"]
mod common;

use afterimage_bench::{Bench, Way};
use afterimage_metal_calls::{Family, null};
use afterimage_stream::packets::*;
use afterimage_stream::{Encoder, Executor, Format, ObjectId, ObjectKind, Reader, Reply, UploadRef, VertexFormat};
use afterimage_vulkan as vulkan;
use common::{BLACK, GuestOn, TestArena, sampling};
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// Draws of a frame.
const DRAWS: u32 = 1000;
const TEXTURES: usize = 16;
/// Bytes of the dynamic buffer.
const RING: u64 = 1 << 20;
const VERTEX: &str = include_str!("../../../samples/shaders/bench.vs.asm");
const PIXEL: &str = include_str!("../../../samples/shaders/bench.ps.asm");

/// A vertex of the sample: position, colour, texture coordinates.
type Vertex = [u32; 7];

/// Outside of the clip volume: nothing is filled.
fn outside() -> [Vertex; 3] {
    [[5.0f32, 5.0, 0.0, 0.0], [5.0, 5.1, 0.0, 1.0], [5.1, 5.0, 1.0, 0.0]]
        .map(|[x, y, u, v]| [x.to_bits(), y.to_bits(), 0, 1f32.to_bits(), u32::MAX, u.to_bits(), v.to_bits()])
}

/// A renderer, the number of the last packet that it got, and of the frame that is open.
struct Contestant<E> {
    renderer: E,
    sequence: u32,
    frame: u64,
    finish: fn(&mut E, &mut dyn FnMut(Reply)),
}

impl<E: Executor> Contestant<E> {
    fn new(renderer: E, finish: fn(&mut E, &mut dyn FnMut(Reply))) -> Self {
        Self { renderer, sequence: 0, frame: 1, finish }
    }

    /// How long the calling thread executes a batch, numbered anew for this renderer.
    fn execute(&mut self, batch: &mut [u64], arena: &TestArena) -> Duration {
        let starts: Vec<usize> = Reader::new(batch).map(|located| located.expect("whole packets").at).collect();
        for at in starts {
            self.sequence = self.sequence.wrapping_add(1);
            let header: Header = bytemuck::cast(batch[at]);
            batch[at] = bytemuck::cast(Header { sequence: self.sequence, ..header });
        }
        let mut lost = false;
        let mut replies = |reply| lost |= matches!(reply, Reply::Error { .. });
        let start = Instant::now();
        let result = self.renderer.execute(batch, arena, &mut replies);
        let took = start.elapsed();
        result.expect("packets that are right");
        assert!(!lost, "a packet failed: see the log");
        took
    }

    /// How long it takes to execute what a frame draws. Then the frame is shown, and waited for.
    fn frame(&mut self, batch: &mut [u64], [target, texture]: [ObjectId; 2], arena: &TestArena) -> Duration {
        let took = self.execute(batch, arena);
        let (frame, whole) = (self.frame, Rect::default());
        let mut end = Encoder::new();
        end.push(&Present { frame, target, texture, src: whole, dst: whole, interval: 0, pad: 0 });
        end.push(&BeginFrame { frame: frame + 1 });
        self.frame += 1;
        self.execute(end.batch(), arena);
        (self.finish)(&mut self.renderer, &mut |_| {});
        took
    }
}

fn on_vulkan(record_thread: bool) -> Contestant<vulkan::Renderer> {
    let options =
        vulkan::Options { cache_dir: None, record_thread: Some(record_thread), ..vulkan::Options::from_env() };
    let renderer = vulkan::Renderer::new(options).expect("a Vulkan device: run `cargo xtask setup`");
    Contestant::new(renderer, |renderer, replies| renderer.finish(replies).expect("the device is there"))
}

/// What the cases change.
struct Scene {
    guest: GuestOn<null::Device>,
    screen: ObjectId,
    textures: [ObjectId; TEXTURES],
    sampler: ObjectId,
    triangle: ObjectId,
    dynamic: ObjectId,
    vertices: UploadRef,
    /// Where the dynamic buffer is filled next, in bytes.
    at: u64,
}

impl Scene {
    /// Makes everything that draws need.
    fn new() -> Self {
        let mut guest = GuestOn::on(null::Device::new(Family::Apple7));
        let screen = guest.target(Format::B8G8R8A8_UNORM, 64, 64);
        let depth = guest.texture(Format::D24_UNORM_S8_UINT, 64, 64, 1, CreateTexture::TARGET);
        guest.bind(screen, depth);
        let vertex = guest.d3d9_shader(Stage::Vertex, VERTEX);
        let pixel = guest.d3d9_shader(Stage::Pixel, PIXEL);
        guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
        let attribute = |location, format, offset| VertexAttribute::per_vertex(location, 0, format, offset);
        guest.layout_of(&[
            attribute(0, VertexFormat::R32G32B32A32_SFLOAT, 0),
            attribute(1, VertexFormat::B8G8R8A8_UNORM, 16),
            attribute(2, VertexFormat::R32G32_SFLOAT, 20),
        ]);
        let outside = outside();
        let triangle = guest.buffer(CreateBuffer::VERTEX, bytemuck::cast_slice(&outside));
        let dynamic = guest.id(ObjectKind::Buffer);
        let usage = CreateBuffer::VERTEX | CreateBuffer::DYNAMIC;
        guest.encoder.push(&CreateBuffer { id: dynamic, usage, size: RING });
        let vertices = guest.upload(bytemuck::cast_slice(&outside));
        let sampler = guest.sampler(sampling(Filter::Nearest));
        let textures = std::array::from_fn(|number| {
            let texture = guest.texture(Format::B8G8R8A8_UNORM, 16, 16, 1, 0);
            guest.update_texture(texture, 0, 0, [16, 16], 64, &[number as u8 * 16; 1024]);
            texture
        });
        Self { guest, screen, textures, sampler, triangle, dynamic, vertices, at: 0 }
    }

    /// What was encoded so far.
    fn take(&mut self) -> Vec<u64> {
        std::mem::take(self.guest.encoder.batch())
    }

    fn bind_vertices(&mut self, source: ObjectId, offset: u64) {
        let binding = VertexBuffer { source, stride: size_of::<Vertex>() as u32, offset, size: 0 };
        self.guest.encoder.push_tail(&SetVertexBuffers { first: 0, count: 1 }, &[binding]);
    }

    fn constants(&mut self, first: u32, count: u32) {
        let mut registers = vec![[0; 4]; count as usize];
        registers[0][0] = (first as f32).to_bits();
        self.guest.encoder.push_tail(&SetConstants { bank: 0, first: 0, count }, &registers);
    }

    fn texture(&mut self, draw: u32) {
        self.guest.bind_texture(0, self.textures[draw as usize % TEXTURES], self.sampler);
    }

    fn raster(&mut self, cull: u32) {
        let body =
            SetRaster { cull: cull as u8, depth_clip: 1, sample_mask: !0, point_size: 1.0, ..Default::default() };
        self.guest.encoder.push(&body);
    }

    fn depth(&mut self, write: u32, compare: u32) {
        let (depth_write, depth_compare) = (write as u8, compare as u8);
        self.guest.encoder.push(&SetDepthStencil { depth_test: 1, depth_write, depth_compare, ..Default::default() });
    }

    fn blend(&mut self, enable: u32, source: BlendFactor) {
        let (enable, factor) = (enable as u8, source as u8);
        let body =
            SetBlend { enable, src_color: factor, src_alpha: factor, write_masks: [15; 8], ..Default::default() };
        self.guest.encoder.push_tail(&body, &[]);
    }

    /// A frame of draws, each after what `change` does; it begins in the same state each time.
    fn frame(&mut self, change: fn(&mut Self, u32)) -> Vec<u64> {
        self.texture(0);
        self.constants(0, 1);
        self.raster(0);
        self.depth(1, Compare::LessEqual as u32);
        self.blend(0, BlendFactor::One);
        self.bind_vertices(self.triangle, 0);
        self.guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        for draw in 0..DRAWS {
            change(self, draw);
            self.guest.draw(Topology::TriangleList, 0, 3);
        }
        self.take()
    }
}

/// A case: its name as the sample has it, and what it does before a draw.
type Case = (&'static str, fn(&mut Scene, u32));

const CASES: [Case; 6] = [
    ("same state", |_, _| {}),
    ("vertex constant", |scene, draw| scene.constants(draw, 1)),
    ("texture", |scene, draw| scene.texture(draw)),
    ("blend and depth state", |scene, draw| {
        scene.blend(draw & 1, BlendFactor::One);
        scene.depth(1, draw & 7);
    }),
    ("texture, 8 constants, 4 states", |scene, draw| {
        scene.constants(draw, 8);
        scene.texture(draw);
        scene.blend(draw & 1, if draw & 2 == 0 { BlendFactor::One } else { BlendFactor::SrcAlpha });
        scene.raster(draw % 3);
        scene.depth(draw >> 2 & 1, Compare::LessEqual as u32);
    }),
    ("dynamic buffer lock", |scene, _| {
        let bytes = u64::from(scene.vertices.size);
        let fits = scene.at + bytes <= RING;
        let flags = if fits { UpdateBuffer::NO_OVERWRITE } else { UpdateBuffer::DISCARD };
        let offset = if fits { scene.at } else { 0 };
        scene.guest.encoder.push(&UpdateBuffer { id: scene.dynamic, flags, offset, data: scene.vertices });
        scene.bind_vertices(scene.dynamic, offset);
        scene.at = offset + bytes;
    }),
];

fn main() {
    let mut scene = Scene::new();
    let renderer =
        afterimage_metal::Renderer::new(null::Device::new(Family::Apple7), afterimage_metal::Options::default());
    let renderer = renderer.expect("a device that does nothing");
    let finish = |renderer: &mut afterimage_metal::Renderer<null::Device>, replies: &mut dyn FnMut(Reply)| {
        renderer.finish(replies).expect("the device is there");
    };
    let metal = RefCell::new(Contestant::new(renderer, finish));
    let (listing, calling) = (RefCell::new(on_vulkan(true)), RefCell::new(on_vulkan(false)));
    println!("{}", calling.borrow().renderer.gpu().profile);
    let mut setup = scene.take();
    let arena = &scene.guest.arena;
    metal.borrow_mut().execute(&mut setup, arena);
    listing.borrow_mut().execute(&mut setup, arena);
    calling.borrow_mut().execute(&mut setup, arena);

    let mut bench = Bench::new("metal-calls");
    for (name, change) in CASES {
        let words = scene.frame(change);
        let (arena, shown) = (&scene.guest.arena, [scene.guest.target, scene.screen]);
        let (mut one, mut two, mut three) = (words.clone(), words.clone(), words);
        let ways: &mut [Way<'_>] = &mut [
            ("on Vulkan, its own share", &mut || listing.borrow_mut().frame(&mut one, shown, arena)),
            ("on Metal", &mut || metal.borrow_mut().frame(&mut two, shown, arena)),
            ("on Vulkan, with the driver's", &mut || calling.borrow_mut().frame(&mut three, shown, arena)),
        ];
        bench.by_turns(name, DRAWS as usize, ways);
    }
    assert_eq!(metal.borrow().renderer.skipped_draws(), 0, "every draw must be drawn");
    for vulkan in [&listing, &calling] {
        assert_eq!(vulkan.borrow().renderer.skipped_draws(), 0, "every draw must be drawn");
    }
    bench.finish().expect("the file for the figures");
}
