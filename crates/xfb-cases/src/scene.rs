//! A scene of feedback for people: particles that a vertex shader moves, 90 times, each time from what it captured before, and then
//! draws as often as were captured. Native and lowered give the same pixels.

use afterimage_ir::{
    BuildError, Builder, FeedbackDecl, InputAt, InputDecl, Interp, OutputAt, OutputDecl, Stage as IrStage, Type, Value,
};
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectKind, VertexFormat};
use afterimage_vulkan::Options;
use bytemuck::Zeroable;

use crate::guest::{Guest, GuestError};

/// Pixels of the picture.
pub const SIZE: [u32; 2] = [640, 480];
/// Particles.
const PARTICLES: u32 = 60_000;
/// How often they move.
const STEPS: u32 = 90;
/// Bytes of a particle: place and speed.
const STRIDE: u32 = 16;
/// Places that draw particles near, and how strongly.
const SUNS: [[f32; 3]; 3] = [[-0.45, 0.1, 1.0], [0.5, 0.3, 0.8], [0.1, -0.5, 0.6]];

const PIXEL: &str = r#"pixel "particle" {
  input in0 : f32x4 location 0 smooth
  output out0 : f32x4 location 0
  v0: f32x4 = load_input in0
  store_output out0, v0
  return
}"#;

/// Moves particles and captures them, or, where `drawn`, says where they are and in which colour.
fn vertex(drawn: bool) -> Result<String, BuildError> {
    let mut b = Builder::new(IrStage::Vertex);
    b.set_name(if drawn { "draw particles" } else { "move particles" });
    let (at, interp) = (InputAt::Location(0), Interp::Smooth);
    let input = b.input_at(at, || InputDecl { name: String::new(), ty: Type::F32X4, at, interp, semantic: None });
    let [mut x, mut y, mut dx, mut dy] = [0, 1, 2, 3].map(|lane| b.extract(input, lane));
    let (zero, one) = (b.f32(0.0), b.f32(1.0));
    let output = |b: &mut Builder, at, value: Value| {
        let ty = b.ty(value);
        let output = b.output(OutputDecl { name: String::new(), ty, at, semantic: None });
        b.store_output(output, value);
        output
    };
    output(&mut b, OutputAt::PointSize, one);
    if drawn {
        let aspect = b.f32(SIZE[1] as f32 / SIZE[0] as f32);
        let x = b.fmul(x, aspect);
        let position = b.construct(&[x, y, zero, one]);
        output(&mut b, OutputAt::Position, position);
        let (h, v) = (b.fmul(dx, dx), b.fmul(dy, dy));
        let speed = b.fadd(h, v);
        let [red, green, blue] = [[0.08, 0.12], [0.13, 0.06], [0.25, 0.015]].map(|[base, slope]| {
            let (base, slope) = (b.f32(base), b.f32(slope));
            b.fmad(speed, slope, base)
        });
        let color = b.construct(&[red, green, blue, one]);
        output(&mut b, OutputAt::Location(0), color);
    } else {
        let step = b.f32(0.02);
        for [sun_x, sun_y, force] in SUNS {
            let (sun_x, sun_y, force) = (b.f32(sun_x), b.f32(sun_y), b.f32(force));
            let (to_x, to_y) = (b.fsub(sun_x, x), b.fsub(sun_y, y));
            let (h, v, soft) = (b.fmul(to_x, to_x), b.fmul(to_y, to_y), b.f32(0.05));
            let distance = b.fadd(h, v);
            let distance = b.fadd(distance, soft);
            let pull = b.fdiv(force, distance);
            let pull = b.fmul(pull, step);
            dx = b.fmad(to_x, pull, dx);
            dy = b.fmad(to_y, pull, dy);
        }
        x = b.fmad(dx, step, x);
        y = b.fmad(dy, step, y);
        let moved = b.construct(&[x, y, dx, dy]);
        let output = output(&mut b, OutputAt::Location(0), moved);
        b.feedback(FeedbackDecl { output, component: 0, lanes: 4, buffer: 0, stream: 0, stride: STRIDE, offset: 0 });
    }
    b.return_();
    Ok(b.finish()?.to_string())
}

/// Draws the scene: rows of red, green, blue and alpha.
///
/// # Errors
/// Where there is no device for it, or it refuses something.
pub fn draw(options: Options) -> Result<Vec<u8>, GuestError> {
    let wrong = |error: BuildError| GuestError::Device(format!("our own shader: {error}"));
    let mut guest = Guest::open(options)?;
    let (moves, draws) = (guest.shader(&vertex(false).map_err(wrong)?), guest.shader(&vertex(true).map_err(wrong)?));
    let pixel = guest.id(ObjectKind::Shader);
    let code = guest.uploads.put(PIXEL.as_bytes());
    guest.encoder.push(&CreateShader {
        id: pixel,
        stage: Stage::Pixel as u32,
        language: Language::Ir as u32,
        pad: 0,
        code,
    });
    let layout = guest.id(ObjectKind::VertexInput);
    let attribute = VertexAttribute::per_vertex(0, 0, VertexFormat::R32G32B32A32_SFLOAT, 0);
    guest.encoder.push_tail(&CreateVertexInput { id: layout, count: 1 }, &[attribute]);
    guest.encoder.push(&SetVertexInput { id: layout, pad: 0 });
    // A disc that turns.
    let words: Vec<u32> = (0..PARTICLES)
        .flat_map(|n| {
            let (angle, radius) = (n as f32 * 2.399_963_2, (n as f32 / PARTICLES as f32).sqrt() * 0.9);
            let (sin, cos) = angle.sin_cos();
            [radius * cos, radius * sin, -radius * sin, radius * cos].map(f32::to_bits)
        })
        .collect();
    let usage = CreateBuffer::VERTEX | CreateBuffer::STORAGE;
    let particles = [guest.buffer(usage, &words), guest.room(usage, u64::from(PARTICLES * STRIDE))];
    let counter = guest.buffer(CreateBuffer::STORAGE, &[PARTICLES * STRIDE]);
    let counters = |buffer| {
        let mut counters = [CounterRef::default(); 4];
        counters[0].buffer = buffer;
        counters
    };
    let points = DrawByteCount {
        topology: Topology::PointList as u32,
        instances: 1,
        first_instance: 0,
        counter,
        offset: 0,
        counter_offset: 0,
        stride: STRIDE,
    };
    guest.encoder.push(&SetShaders { vertex: moves, ..Default::default() });
    guest.encoder.push(&SetRaster { discard: 1, ..SetRaster::default() });
    for step in 0..STEPS as usize {
        let source = VertexBuffer { source: particles[step % 2], stride: STRIDE, offset: 0, size: 0 };
        let bound = FeedbackBuffer { buffer: particles[(step + 1) % 2], pad: 0, offset: 0, size: 0 };
        guest.encoder.push_tail(&SetVertexBuffers { first: 0, count: 1 }, &[source]);
        guest.encoder.push_tail(&SetFeedbackBuffers { first: 0, count: 1 }, &[bound]);
        guest.encoder.push(&BeginFeedback::default());
        guest.encoder.push(&points);
        guest.encoder.push(&EndFeedback { counters: counters(counter) });
    }
    let [width, height] = SIZE;
    let target = guest.id(ObjectKind::Texture);
    guest.encoder.push(&CreateTexture {
        usage: CreateTexture::TARGET,
        ..CreateTexture::plain(target, Format::R8G8B8A8_UNORM, [width, height])
    });
    let mut targets = SetRenderTargets::default();
    targets.color[0].texture = target;
    guest.encoder.push(&targets);
    let (w, h) = (width as f32, height as f32);
    guest.encoder.push(&SetViewport { x: 0.0, y: 0.0, width: w, height: h, min_depth: 0.0, max_depth: 1.0 });
    let color = [0.01, 0.01, 0.03, 1.0];
    guest.encoder.push_tail(&Clear { flags: Clear::COLOR, color, ..Clear::zeroed() }, &[]);
    let source = VertexBuffer { source: particles[STEPS as usize % 2], stride: STRIDE, offset: 0, size: 0 };
    guest.encoder.push_tail(&SetVertexBuffers { first: 0, count: 1 }, &[source]);
    guest.encoder.push(&SetShaders { vertex: draws, pixel, ..Default::default() });
    guest.encoder.push(&SetRaster { sample_mask: u32::MAX, ..SetRaster::default() });
    let one = BlendFactor::One as u8;
    guest.encoder.push_tail(
        &SetBlend {
            enable: 1,
            src_color: one,
            dst_color: one,
            src_alpha: one,
            write_masks: [15; 8],
            ..SetBlend::default()
        },
        &[],
    );
    guest.encoder.push(&points);
    let data = guest.uploads.put(&vec![0; (width * height * 4) as usize]);
    let src = View { texture: target, level: 0, layer: 0 };
    let rect = Rect { x: 0, y: 0, width, height };
    guest.encoder.push(&ReadBack { src, rect, row_pitch: width * 4, pad: 0, token: 0, data });
    guest.end_frame();
    guest.execute()?;
    Ok(bytemuck::cast_slice(&guest.uploads.words(&data)).to_vec())
}
