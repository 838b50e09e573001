//! Captures that begin in the middle: whatever the frames before have left is there when they are replayed, to the bit.

use crate::common::code::{Code, bind_storage, bytes};
use crate::common::*;
use crate::compute::{add, bind_image, paint};
use afterimage_ir::{
    Component, Dim, FeedbackDecl, InputAt, Offset, OutputAt, OutputDecl, Stage as In, TextureDecl, Type,
};
use afterimage_stream::packets::*;
use afterimage_stream::{Arena, FEEDBACK_BUFFERS, Format, FormatFeatures, ObjectId, ObjectKind, Reader, UploadRef};
use afterimage_vulkan::Without;
use bytemuck::Zeroable;
use std::sync::{Arc, Mutex};

const SIZE: u32 = 16;

type Pictures = Arc<Mutex<Vec<(u64, ObjectId, Vec<u8>)>>>;

fn collect(renderer: &mut Renderer) -> Pictures {
    let pictures = Pictures::default();
    let sink = Arc::clone(&pictures);
    renderer.set_picture_sink(Some(Box::new(move |picture| {
        sink.lock().unwrap().push((picture.frame, picture.target, picture.rgba.to_vec()));
    })));
    pictures
}

/// Everything that the renderer holds: the packets of a keyframe and their data.
fn whole(renderer: &mut Renderer) -> (Vec<u64>, Vec<u8>) {
    let (words, arena) = renderer.snapshot().unwrap();
    let size = arena.slot_size(0).unwrap() as u32;
    let mut data = vec![0; size as usize];
    assert!(arena.copy_out(&UploadRef { slot: 0, size, offset: 0 }, 0, &mut data));
    (words, data)
}

/// Says where two of them differ.
fn assert_same(a: &(Vec<u64>, Vec<u8>), b: &(Vec<u64>, Vec<u8>), what: &str) {
    let mut others = Reader::new(&b.0);
    for located in Reader::new(&a.0) {
        let (one, other) = (located.unwrap().packet, others.next().unwrap().unwrap().packet);
        assert_eq!(format!("{one:?}"), format!("{other:?}"), "{what}");
        let data = match one {
            Packet::UpdateBuffer(body) => body.data,
            Packet::UpdateTexture(body) => body.data,
            _ => continue,
        };
        let range = data.offset as usize..data.offset as usize + data.size as usize;
        let (x, y) = (&a.1[range.clone()], &b.1[range]);
        if let Some(first) = x.iter().zip(y).position(|(x, y)| x != y) {
            let from = first / 16 * 16;
            let (x, y) = (x.get(from..from + 16), y.get(from..from + 16));
            panic!("{what}: byte {first} of {one:?}: from {from} on {x:x?} and {y:x?}");
        }
    }
    assert!(others.next().is_none() && a.1 == b.1, "{what}");
}

/// Draws two frames and captures the second one: its picture and what there is behind it are the same when it is replayed.
fn continues<S>(
    what: &str,
    without: Without,
    set_up: impl Fn(&mut Guest) -> S,
    then: impl Fn(&mut Guest, &S),
) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("test.aftercap");
    let mut guest = Guest::with(without);
    let live = collect(&mut guest.renderer);
    guest.renderer.start_capture(&path, 2..=2);
    guest.target(Format::R8G8B8A8_UNORM, SIZE, SIZE);
    let scene = set_up(&mut guest);
    let screen = guest.pixels_target();
    guest.present(screen);
    guest.run();
    then(&mut guest, &scene);
    guest.present(screen);
    guest.run();
    guest.renderer.finish(&mut |_| {}).unwrap();
    let live_end = whole(&mut guest.renderer);
    guest.finish();
    let mut guest = Guest::with(without);
    let replayed = collect(&mut guest.renderer);
    let mut reader = afterimage_capture::Reader::open(&path).unwrap();
    let summary = guest.renderer.replay(&mut reader).unwrap();
    assert_eq!((summary.frames, summary.errors), (1, 0), "{what}");
    assert_same(&live_end, &whole(&mut guest.renderer), what);
    let (live, replayed) = (live.lock().unwrap().clone(), replayed.lock().unwrap().clone());
    assert!(live[1..] == replayed[..], "{what}: the picture differs");
    guest.finish();
    live[1].2.clone()
}

/// Samples that targets can have, besides one.
fn sample_counts(guest: &Guest, integers: bool) -> Vec<u8> {
    let counts = guest.renderer.device_info().sample_counts;
    let limits = guest.integer_samples();
    let can = |samples: &u8| counts & 1 << (samples - 1) != 0 && (!integers || limits & u32::from(*samples) != 0);
    [2, 4, 8].into_iter().filter(can).collect()
}

fn many(format: Format, samples: u8, layers: u32, usage: u8) -> CreateTexture {
    CreateTexture { samples, usage, layers, ..plain(format, SIZE, SIZE, 1) }
}

/// A triangle whose edges cross pixels, at different depths, of different colours.
fn slanted(z: [f32; 3]) -> [Vertex; 3] {
    [
        vertex(-0.9, -0.77, z[0], [0.9, 0.1, 0.3, 0.7]),
        vertex(0.83, -0.31, z[1], [0.2, 0.8, 0.1, 1.0]),
        vertex(-0.21, 0.93, z[2], [0.1, 0.3, 0.6, 0.2]),
    ]
}

fn resolve(guest: &mut Guest, from: ObjectId) {
    let (src, dst) = (View { texture: from, level: 0, layer: 0 }, guest.pixels_target());
    let rect = Rect { x: 0, y: 0, width: SIZE, height: SIZE };
    let dst = View { texture: dst, level: 0, layer: 0 };
    guest.encoder.push(&Blit { src, dst, src_rect: rect, dst_rect: rect, filter: 0, pad: 0 });
}

/// Half a picture, and the other half behind it, which depends on colour, depth and stencil of each sample.
fn half_and_half(color: Format, depth: Format, samples: u8) {
    let stencil = |compare: Compare, reference: u8, pass: StencilOp| {
        let face = StencilFace { compare: compare as u8, pass: pass as u8, ..StencilFace::default() };
        SetDepthStencil {
            depth_test: 1,
            depth_write: 1,
            depth_compare: Compare::LessEqual as u8,
            stencil_test: 1,
            front: face,
            back: face,
            reference,
            read_mask: 255,
            write_mask: 255,
            ..SetDepthStencil::default()
        }
    };
    let has_stencil = matches!(depth, Format::D24_UNORM_S8_UINT | Format::D32_SFLOAT_S8_UINT);
    let clear = Clear::COLOR | Clear::DEPTH | if has_stencil { Clear::STENCIL } else { 0 };
    let set_up = |guest: &mut Guest| {
        let target = guest.texture_with(many(color, samples, 1, CreateTexture::TARGET));
        let deep = guest.texture_with(many(depth, samples, 1, CreateTexture::TARGET));
        guest.shaders(VERTEX, COLOR);
        guest.layout();
        guest.bind(target, deep);
        guest.encoder.push(&SetRaster { depth_clip: 1, sample_mask: u32::MAX, ..SetRaster::default() });
        guest.clear(clear, [0.3, 0.5, 0.7, 0.9], 0.8, 5);
        guest.encoder.push(&stencil(Compare::Always, 0xa6, StencilOp::Replace));
        guest.draw_now(&slanted([0.1, 0.6, 0.95]));
        target
    };
    let then = |guest: &mut Guest, target: &ObjectId| {
        if has_stencil {
            guest.encoder.push(&stencil(Compare::Equal, 0xa6, StencilOp::Invert));
        }
        guest.draw_now(&slanted([0.9, 0.4, 0.2]).map(|v| Vertex { color: [0.0, 1.0, 1.0, 1.0], ..v }));
        if has_stencil {
            guest.encoder.push(&stencil(Compare::Equal, 5, StencilOp::IncrementWrap));
        }
        guest.draw_now(&full(0.5, RED)[..3]);
        resolve(guest, *target);
    };
    let what = format!("{color:?} and {depth:?}, {samples} samples");
    let picture = continues(&what, Without::default(), set_up, then);
    let colors: std::collections::HashSet<_> = picture.chunks_exact(4).collect();
    assert!(colors.len() > 8, "{what}: there must be something to compare: {colors:?}");
}

#[test]
fn samples_of_colours_depth_and_stencil_are_kept() {
    let guest = Guest::new();
    let info = guest.renderer.device_info();
    let counts = sample_counts(&guest, false);
    assert!(!counts.is_empty());
    let depths = [Format::D16_UNORM, Format::D32_SFLOAT, Format::D32_SFLOAT_S8_UINT, Format::X8_D24_UNORM];
    let colors = [
        Format::R8_UNORM,
        Format::R5G6B5_UNORM,
        Format::B8G8R8A8_UNORM,
        Format::R8G8B8A8_SRGB,
        Format::A2B10G10R10_UNORM,
        Format::R16G16B16A16_SFLOAT,
        Format::R32G32B32A32_SFLOAT,
        Format::B10G11R11_UFLOAT,
    ];
    let blits = FormatFeatures::TARGET | FormatFeatures::BLEND | FormatFeatures::BLIT_SOURCE;
    for samples in counts {
        half_and_half(Format::R8G8B8A8_UNORM, Format::D24_UNORM_S8_UINT, samples);
        for depth in depths.into_iter().filter(|depth| info.features(*depth) & FormatFeatures::DEPTH != 0) {
            half_and_half(Format::R8G8B8A8_UNORM, depth, samples);
        }
        for color in colors.into_iter().filter(|color| info.features(*color) & blits == blits) {
            half_and_half(color, Format::D24_UNORM_S8_UINT, samples);
        }
    }
    guest.finish();
}

/// A triangle over everything by the number of the vertex.
fn everywhere(guest: &mut Guest) -> ObjectId {
    let mut code = Code::new(In::Vertex);
    let position = code.everywhere();
    code.output(OutputAt::Position, position);
    code.create(guest)
}

/// Writes integers that depend on the pixel and a number.
fn integers(guest: &mut Guest, number: i32) -> ObjectId {
    let mut code = Code::new(In::Pixel);
    let place = code.input(InputAt::FragCoord, Type::F32X4);
    let b = &mut code.b;
    let (x, y) = (b.extract(place, 0), b.extract(place, 1));
    let (x, y, number, far) = (b.f2i(x), b.f2i(y), b.i32(number), b.i32(77 - 1000 * number));
    let color = b.construct(&[x, number, y, far]);
    code.output(OutputAt::Location(0), color);
    code.create(guest)
}

/// Shows a sample of a layer of the texture in slot 1, a step of 1/255 for each one.
fn show_sample(guest: &mut Guest, layer: i32, sample: i32) -> ObjectId {
    let mut code = Code::new(In::Pixel);
    let texture =
        code.b.texture(TextureDecl { slot: 1, dim: Dim::D2MsArray, shadow: false, component: Component::Uint });
    let place = code.input(InputAt::FragCoord, Type::F32X4);
    let (x, y) = (code.b.extract(place, 0), code.b.extract(place, 1));
    let (x, y, layer, sample) = (code.b.f2i(x), code.b.f2i(y), code.b.i32(layer), code.b.i32(sample));
    let place = code.b.construct(&[x, y, layer]);
    let texel = code.b.fetch(texture, place, sample, Offset::default());
    let (floats, mask) = (code.b.i32(255), code.b.i32(255));
    let low = [0, 1, 2, 3].map(|lane| {
        let value = code.b.extract(texel, lane);
        let low = code.b.iand(value, mask);
        code.b.i2f(low)
    });
    let scale = code.b.i2f(floats);
    let scaled = low.map(|value| code.b.fdiv(value, scale));
    let texel = code.b.construct(&scaled);
    code.output(OutputAt::Location(0), texel);
    code.create(guest)
}

/// Every sample has integers of its own, in two layers; and a texture that is no target has them, too.
#[test]
fn samples_of_integers_layers_and_what_is_no_target_are_kept() {
    if !HAS.sample_arrays {
        return;
    }
    let guest = Guest::new();
    let info = guest.renderer.device_info();
    let formats = [
        Format::R8G8B8A8_UINT,
        Format::R32G32B32A32_UINT,
        Format::R16G16B16A16_UINT,
        Format::R32_UINT,
        Format::R16_UINT,
        Format::R8_UINT,
    ];
    let can = |format: &Format| info.features(*format) & FormatFeatures::TARGET != 0;
    for samples in sample_counts(&guest, true) {
        for format in formats.into_iter().filter(can) {
            let numbers = i32::from(samples);
            let set_up = |guest: &mut Guest| {
                let usage = CreateTexture::TARGET | CreateTexture::SAMPLED;
                let target = guest.texture_with(many(format, samples, 2, usage));
                let copy = guest.texture_with(many(format, samples, 2, CreateTexture::SAMPLED));
                let vertex = everywhere(guest);
                for layer in 0..2 {
                    let view = View { texture: target, level: 0, layer };
                    let mut targets = SetRenderTargets::default();
                    targets.color[0] = view;
                    guest.encoder.push(&targets);
                    for sample in 0..numbers {
                        let pixel = integers(guest, 10 * i32::from(layer) + sample);
                        guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
                        let raster = SetRaster { depth_clip: 1, sample_mask: 1 << sample, ..SetRaster::default() };
                        guest.encoder.push(&raster);
                        guest.draw(Topology::TriangleList, 0, 3);
                    }
                    let rect = Rect { x: 0, y: 0, width: SIZE, height: SIZE };
                    let dst = View { texture: copy, ..view };
                    guest.encoder.push(&Blit { src: view, dst, src_rect: rect, dst_rect: rect, filter: 0, pad: 0 });
                }
                guest.encoder.push(&SetRaster { depth_clip: 1, sample_mask: u32::MAX, ..SetRaster::default() });
                [target, copy]
            };
            // A stripe for each sample, of the target from the left and of the copy from the top.
            let then = |guest: &mut Guest, textures: &[ObjectId; 2]| {
                let screen = guest.pixels_target();
                guest.bind(screen, ObjectId::NONE);
                let sampler = guest.sampler(sampling(Filter::Nearest));
                let vertex = everywhere(guest);
                for (way, texture) in textures.iter().enumerate() {
                    guest.bind_texture(1, *texture, sampler);
                    for stripe in 0..2 * numbers {
                        let pixel = show_sample(guest, stripe / numbers, stripe % numbers);
                        guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
                        let (width, first) = (SIZE / 2 / u32::from(samples), stripe as u32);
                        let (x, y) = ((first * width) as i32, 8 * way as i32);
                        guest.encoder.push(&SetScissor { rect: Rect { x, y, width, height: 8 } });
                        guest.draw(Topology::TriangleList, 0, 3);
                    }
                }
            };
            let what = format!("{format:?}, {samples} samples");
            let picture = continues(&what, Without::default(), set_up, then);
            if matches!(format, Format::R8G8B8A8_UINT | Format::R32G32B32A32_UINT) {
                let at = |x: u32, y: u32| &picture[((y * SIZE + x) * 4) as usize..][..3];
                let width = SIZE / 2 / u32::from(samples);
                for stripe in 0..2 * u32::from(samples) {
                    let number = 10 * (stripe / u32::from(samples)) + stripe % u32::from(samples);
                    let x = stripe * width;
                    assert_eq!(at(x, 3), [x as u8, number as u8, 3], "{what}: sample {stripe}");
                    assert_eq!(at(x, 11), [x as u8, number as u8, 11], "{what}: sample {stripe} of the copy");
                }
            }
        }
    }
    guest.finish();
}

/// Texels of every level, layer and slice come back, of every kind of texture.
#[test]
fn textures_of_every_shape_and_format_are_kept() {
    let of = |format, width, height, levels| plain(format, width, height, levels);
    let (cube, volume) = (Dimension::Cube as u8, Dimension::D3 as u8);
    let mut all: Vec<CreateTexture> = Format::ALL
        .iter()
        .map(|&format| of(format, 8, 8, if format.is_depth() { 1 } else { 4 }))
        .chain([
            of(Format::R8_UNORM, 5, 3, 3),
            of(Format::R16G16_UINT, 16, 1, 5),
            CreateTexture { layers: 6, dimension: cube, ..of(Format::R8G8B8A8_UNORM, 8, 8, 4) },
            CreateTexture { layers: 6, dimension: cube, ..of(Format::BC3_UNORM, 8, 8, 4) },
            CreateTexture { layers: 6, dimension: cube, ..of(Format::D16_UNORM, 4, 4, 1) },
            CreateTexture { depth: 6, dimension: volume, ..of(Format::R8G8B8A8_SINT, 8, 4, 4) },
            CreateTexture { depth: 4, dimension: volume, ..of(Format::BC1_RGBA_UNORM, 8, 8, 2) },
            CreateTexture { layers: 3, ..of(Format::R32G32B32A32_UINT, 4, 4, 2) },
            CreateTexture { layers: 3, usage: CreateTexture::TARGET, ..of(Format::D32_SFLOAT, 4, 4, 2) },
            CreateTexture { layers: 60, ..of(Format::R32_UINT, 4, 4, 3) },
            CreateTexture { usage: CreateTexture::STORAGE, ..of(Format::R32_UINT, 4, 4, 1) },
            CreateTexture { usage: CreateTexture::VIEWS, ..of(Format::R8G8B8A8_UNORM, 4, 4, 2) },
        ])
        .collect();
    let guest = Guest::new();
    if guest.has_cube_arrays() {
        all.push(CreateTexture { layers: 12, dimension: cube, ..of(Format::R16_SFLOAT, 4, 4, 2) });
    }
    let info = guest.renderer.device_info();
    all.retain(|texture| {
        let format = Format::from_bits(texture.format).unwrap();
        info.features(format) & if format.is_depth() { FormatFeatures::DEPTH } else { FormatFeatures::SAMPLED } != 0
    });
    guest.finish();
    // Boxes of one texture with their bytes: level, layer, slices.
    let parts = |texture: &CreateTexture| {
        let texture = *texture;
        let edge = |edge: u32, level: u32| (edge >> level).max(1);
        (0..texture.layers).flat_map(move |layer| (0..texture.levels).map(move |level| (level, layer))).map(
            move |(level, layer)| {
                let size = [texture.width, texture.height, texture.depth].map(|e| edge(e, level));
                let format = Format::from_bits(texture.format).unwrap();
                let count = format.packed_size(size[0], size[1]) as u32 * size[2];
                let seed = texture.format * 31 + level * 7 + layer * 13;
                // Depth below one, and no number that is none.
                let byte = |at: u32| match format.is_depth() {
                    true if at % 4 == 3 => 0x3e,
                    true => ((seed + at * 5) % 251) as u8,
                    false => ((seed + at * 29) % 120) as u8,
                };
                (level as u16, layer as u16, size, format, (0..count).map(byte).collect::<Vec<u8>>())
            },
        )
    };
    let set_up = |guest: &mut Guest| {
        let mut ids = Vec::new();
        for texture in &all {
            let id = guest.texture_with(*texture);
            for (level, layer, [width, height, depth], format, texels) in parts(texture) {
                let (row_pitch, slice_pitch) = (format.row_bytes(width), format.packed_size(width, height) as u32);
                let data = guest.upload(&texels);
                let zero = UpdateTexture::zeroed();
                let body =
                    UpdateTexture { id, level, layer, width, height, depth, row_pitch, slice_pitch, data, ..zero };
                guest.encoder.push(&body);
            }
            ids.push(id);
        }
        let source = *ids.last().unwrap();
        let texture = all.last().unwrap();
        let view = guest.id(ObjectKind::Texture);
        guest.encoder.push(&CreateView {
            id: view,
            source,
            format: texture.format,
            level: 1,
            levels: 1,
            layer: 0,
            layers: texture.layers as u16,
            dimension: texture.dimension,
            swizzle: CreateTexture::IDENTITY,
            ..CreateView::zeroed()
        });
        let buffer = guest.words(&[0; 64 << 10]);
        (ids, buffer)
    };
    // Copies all colours to a buffer, which is then compared.
    let places = Mutex::new(Vec::new());
    let then = |guest: &mut Guest, (ids, buffer): &(Vec<ObjectId>, ObjectId)| {
        let mut offset = 0;
        for (id, texture) in ids.iter().zip(&all) {
            for (level, layer, [width, height, depth], format, texels) in parts(texture) {
                if format.is_depth() {
                    continue;
                }
                let copy = TextureCopy {
                    texture: *id,
                    buffer: *buffer,
                    level,
                    layer,
                    width,
                    height,
                    depth,
                    row_pitch: format.row_bytes(width),
                    slice_pitch: format.packed_size(width, height) as u32,
                    offset,
                    ..TextureCopy::zeroed()
                };
                guest.encoder.push(&CopyFromTexture { copy });
                places.lock().unwrap().push((offset, texels.clone()));
                offset += (texels.len() as u64).next_multiple_of(16);
            }
        }
        assert!(offset <= 256 << 10, "{offset}");
        let words = guest.read_words(*buffer, 0, 64 << 10);
        for (at, texels) in places.lock().unwrap().iter() {
            assert!(bytes(&words)[*at as usize..][..texels.len()] == texels[..], "what is compared must be right");
        }
    };
    continues("textures", Without::default(), set_up, then);
}

fn counters(buffer: ObjectId, offset: u64) -> [CounterRef; FEEDBACK_BUFFERS] {
    let mut counters = [CounterRef::default(); FEEDBACK_BUFFERS];
    counters[0] = CounterRef { buffer, pad: 0, offset };
    counters
}

/// Buffers and images that the GPU has written, counters of captured vertices, arguments of draws, queries that run.
#[test]
fn what_the_gpu_wrote_is_kept() {
    for transform_feedback in [false, true] {
        let without = Without { transform_feedback, ..Without::default() };
        let set_up = |guest: &mut Guest| {
            // Each lane adds its number to a word.
            let mut code = Code::compute(8);
            let lane = code.lane(8);
            let at = code.word(0, lane);
            code.b.atomic_global(afterimage_ir::AtomicOp::Add, at, &[lane]);
            let compute = code.create(guest);
            let sums = guest.words(&[100; 64]);
            bind_storage(guest, Stage::Compute, &[sums]);
            guest.dispatch(compute, [4, 1, 1]);
            // Vertices that are captured, and drawn where they are.
            let mut code = Code::new(In::Vertex);
            let number = code.input(InputAt::VertexIndex, Type::I32);
            let zero = code.b.f32x4([0.0, 0.0, 0.0, 1.0]);
            let one = code.b.f32(1.0);
            code.output(OutputAt::Position, zero);
            code.output(OutputAt::PointSize, one);
            let ty = code.b.ty(number);
            let decl = OutputDecl { name: String::new(), ty, at: OutputAt::Location(10), semantic: None };
            let output = code.b.output(decl);
            code.b.store_output(output, number);
            let place = FeedbackDecl { output, component: 0, lanes: 1, buffer: 0, stream: 0, stride: 4, offset: 0 };
            code.b.feedback(place);
            let vertex = code.create(guest);
            let pixel = guest.shader(Stage::Pixel, CONSTANT);
            guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
            guest.pixel_constant(0, GREEN);
            let (captured, counter) = (guest.words(&[7; 64]), guest.words(&[0; 4]));
            let all = [FeedbackBuffer { buffer: captured, pad: 0, offset: 8, size: 0 }];
            guest.encoder.push_tail(&SetFeedbackBuffers { first: 0, count: 1 }, &all);
            guest.encoder.push(&BeginFeedback::default());
            guest.draw(Topology::PointList, 3, 5);
            guest.encoder.push(&EndFeedback { counters: counters(counter, 4) });
            // What a draw will be told.
            let arguments = guest.words(&[0; 8]);
            guest.encoder.push(&FillBuffer { id: arguments, value: 2, offset: 0, size: 8 });
            let queries = [QueryKind::Occlusion, QueryKind::Written0, QueryKind::Primitives].map(|kind| {
                let id = guest.id(ObjectKind::Query);
                guest.encoder.push(&CreateQuery { id, kind: kind as u32 });
                guest.encoder.push(&BeginQuery { id, pad: 0 });
                id
            });
            guest.draw(Topology::PointList, 0, 1);
            (compute, sums, captured, counter, arguments, queries)
        };
        type Scene = (ObjectId, ObjectId, ObjectId, ObjectId, ObjectId, [ObjectId; 3]);
        let then = |guest: &mut Guest, &(compute, sums, captured, counter, arguments, queries): &Scene| {
            guest.dispatch(compute, [8, 1, 1]);
            guest.encoder.push(&BeginFeedback { counters: counters(counter, 4) });
            let topology = Topology::PointList as u32;
            guest.encoder.push(&DrawIndirect {
                topology,
                indexed: 0,
                buffer: arguments,
                count: 1,
                offset: 0,
                stride: 0,
                pad: 0,
            });
            guest.encoder.push(&EndFeedback { counters: counters(counter, 8) });
            guest.encoder.push(&DrawByteCount {
                topology,
                instances: 1,
                first_instance: 0,
                counter,
                offset: 8,
                counter_offset: 0,
                stride: 4,
            });
            for id in queries {
                guest.encoder.push(&EndQuery { id, pad: 0, token: id.0.into() });
            }
            let expected: Vec<u32> = (0..64).map(|n| 100 + n + if n < 32 { n } else { 0 }).collect();
            assert_eq!(guest.read_words(sums, 0, 64), expected);
            // Five from the first frame, then two twice.
            let words = guest.read_words(captured, 0, 12);
            assert_eq!(words, [7, 7, 3, 4, 5, 6, 7, 0, 1, 0, 1, 7]);
            assert_eq!(guest.read_words(counter, 0, 4), [0, 20, 36, 0]);
        };
        continues("what the GPU wrote", without, set_up, then);
    }
}

/// Writes the interpolated colour to two targets.
const BOTH: &str = r#"pixel "both" {
  input in0 : f32x4 location 0 smooth
  output out0 : f32x4 location 0
  output out1 : f32x4 location 1
  v0: f32x4 = load_input in0
  store_output out0, v0
  store_output out1, v0
  return
}"#;

/// Two windows, one of them with gamma, and what is set for draws.
#[test]
fn windows_and_settings_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("windows.aftercap");
    let mut guest = Guest::new();
    let live = collect(&mut guest.renderer);
    guest.renderer.start_capture(&path, 3..=4);
    let first = guest.target(Format::R8G8B8A8_UNORM, SIZE, SIZE);
    let second = guest.texture(Format::B8G8R8A8_UNORM, SIZE, SIZE, 1, CreateTexture::TARGET);
    let window = guest.id(ObjectKind::Target);
    guest.encoder.push(&PresentTarget { id: window, width: SIZE, height: SIZE, window_kind: 0, window: 0 });
    let steps: Vec<u16> = (0..SetGamma::STEPS).map(|step| 65_535 - (step % 256) as u16 * 257).collect();
    guest.encoder.push_tail(&SetGamma { id: window, count: SetGamma::STEPS as u32 }, &steps);
    guest.encoder.push_tail(&Name { id: second, count: 6 }, b"second");
    guest.shaders(VERTEX, BOTH);
    guest.layout();
    let mut targets = SetRenderTargets::default();
    (targets.color[0].texture, targets.color[1].texture) = (first, second);
    guest.encoder.push(&targets);
    guest.clear(Clear::COLOR, [0.2, 0.4, 0.6, 1.0], 1.0, 0);
    guest.encoder.push(&SetScissor { rect: Rect { x: 2, y: 3, width: 9, height: 8 } });
    let viewport = SetViewport { x: 1.0, y: 2.0, width: 12.0, height: 13.0, min_depth: 0.25, max_depth: 0.75 };
    guest.encoder.push(&viewport);
    let further = FurtherViewport { viewport, scissor: Rect { x: 1, y: 2, width: 3, height: 4 } };
    guest.encoder.push_tail(&SetViewports { count: 2, pad: 0 }, &[further; 2]);
    guest.encoder.push(&SetDepthBounds { enable: 1, min: 0.25, max: 0.5, pad: 0 });
    let blend = SetBlend {
        enable: 1,
        src_color: BlendFactor::ConstantColor as u8,
        dst_color: BlendFactor::One as u8,
        src_alpha: BlendFactor::One as u8,
        write_masks: [15; 8],
        constant: [0.5, 0.25, 0.75, 1.0],
        ..SetBlend::default()
    };
    guest.encoder.push_tail(&blend, &[]);
    guest.encoder.push(&SetRaster {
        depth_clip: 1,
        sample_mask: u32::MAX,
        cull: Cull::None as u8,
        ..SetRaster::default()
    });
    let vertices: Vec<Vertex> = quad([-0.9, 0.9], [-0.9, 0.9], 0.5, [0.5, 0.6, 0.7, 0.8]).to_vec();
    guest.vertices(&vertices);
    let indices = guest.buffer(CreateBuffer::INDEX, bytes(&[0x0001_0000, 0x0003_0002, 0x0005_0004]));
    guest.encoder.push(&SetIndexBuffer { source: indices, index_bytes: 2, restart: 0, offset: 0, size: 0 });
    // What is bound and gone must not take anything else with it.
    let gone = guest.texture(Format::R8G8B8A8_UNORM, 4, 4, 1, 0);
    let sampler = guest.sampler(sampling(Filter::Linear));
    guest.bind_texture(3, gone, sampler);
    guest.encoder.push(&Destroy { id: gone, ..Destroy::zeroed() });
    for n in 0..4u64 {
        guest.encoder.push(&DrawIndexed {
            topology: Topology::TriangleList as u32,
            first: 0,
            count: 6,
            instances: 1,
            base_vertex: 0,
            first_instance: 0,
        });
        if n % 2 == 0 {
            guest.present(first);
            continue;
        }
        let (src, dst) = (Rect::default(), Rect::default());
        let frame = guest.frame;
        guest.encoder.push(&Present { frame, target: window, texture: second, src, dst, interval: 0, pad: 0 });
        guest.begin_frame();
    }
    guest.run();
    guest.renderer.finish(&mut |_| {}).unwrap();
    let end = whole(&mut guest.renderer);
    guest.finish();
    let mut guest = Guest::new();
    let replayed = collect(&mut guest.renderer);
    let mut reader = afterimage_capture::Reader::open(&path).unwrap();
    let summary = guest.renderer.replay(&mut reader).unwrap();
    assert_eq!((summary.frames, summary.errors), (2, 0));
    assert_same(&end, &whole(&mut guest.renderer), "windows");
    let (live, replayed) = (live.lock().unwrap().clone(), replayed.lock().unwrap().clone());
    assert_eq!(live.iter().map(|(_, target, _)| *target).collect::<Vec<_>>(), [live[0].1, window, live[0].1, window]);
    assert!(live[0].2 != live[2].2 && live[1].2 != live[3].2, "each frame adds something");
    assert!(live[2..] == replayed[..]);
    guest.finish();
}

#[test]
fn a_keyframe_has_what_the_gpu_wrote() {
    let mut guest = Guest::new();
    let (a, b) = (guest.words(&[20; 16]), guest.words(&[3; 16]));
    let shader = add(&mut guest);
    let usage = CreateTexture::STORAGE | CreateTexture::VIEWS;
    let texture = guest.texture_with(CreateTexture { usage, ..plain(Format::R8G8B8A8_UNORM, 8, 8, 1) });
    let view = guest.id(ObjectKind::Texture);
    let seen = Format::R8G8B8A8_UINT as u32;
    let swizzle = CreateTexture::IDENTITY;
    let body =
        CreateView { id: view, source: texture, format: seen, levels: 1, layers: 1, swizzle, ..Zeroable::zeroed() };
    guest.encoder.push(&body);
    let painter = paint(&mut guest, Dim::D2, Component::Uint);
    bind_storage(&mut guest, Stage::Compute, &[a, b]);
    bind_image(&mut guest, view, 0, 0);
    guest.dispatch(shader, [1, 1, 1]);
    guest.dispatch(painter, [1, 1, 1]);
    guest.run();
    let (packets, arena) = guest.renderer.snapshot().expect("a snapshot");
    // Another renderer goes on from there.
    let mut other = Guest::new();
    let mut replies = Vec::new();
    other.renderer = guest.another_renderer();
    afterimage_stream::Executor::execute(&mut other.renderer, &packets, &arena, &mut |reply| replies.push(reply))
        .unwrap();
    assert!(replies.is_empty(), "{replies:?}");
    other.encoder = afterimage_stream::Encoder::new();
    // The numbers of packets go on where the snapshot's ended.
    for _ in 0..Reader::new(&packets).count() {
        other.encoder.push(&SetScissor::default());
    }
    other.encoder.batch().clear();
    other.frame = 0;
    other.begin_frame();
    assert_eq!(other.read_words(a, 0, 16), [23; 16]);
    other.dispatch(shader, [1, 1, 1]);
    assert_eq!(other.read_words(a, 0, 16), [26; 16], "with the shader and the bindings of the snapshot");
    let texels = other.read(texture, Format::R8G8B8A8_UNORM, 0, 0, [8, 8]);
    assert_eq!(texels[(5 * 8 + 6) * 4..][..4], [6, 5, 0, 255]);
    other.finish();
    guest.finish();
}
