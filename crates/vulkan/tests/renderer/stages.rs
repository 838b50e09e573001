//! Vertex and pixel stages that read and write buffers and images themselves, and what else GNM asks of draws: blending of each
//! target, arrays, samples, layers, views, rectangles, integers, two colours.

use crate::common::code::{Code, bind_storage, bytes, words};
use crate::common::*;
use afterimage_ir::{
    AtomicOp, Component, Dim, ImageDecl, ImageFormat, InputAt, Offset, OutputAt, Stage as In, TextureDecl, Type, Value,
};
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId, ObjectKind};
use afterimage_vulkan::Without;
use bytemuck::Zeroable;

fn without() -> Without {
    Without { bindless: true, dynamic_state3: true, device_slots: true, ..Without::default() }
}

/// With every ability and without those that there is another path for.
fn guests() -> [Guest; 2] {
    [Guest::new(), Guest::with(without())]
}

/// A triangle over everything by the number of the vertex.
fn everywhere(code: &mut Code) {
    let position = code.everywhere();
    code.output(OutputAt::Position, position);
}

fn vertex(guest: &mut Guest) -> ObjectId {
    let mut code = Code::new(In::Vertex);
    everywhere(&mut code);
    code.create(guest)
}

/// One colour for each target.
fn colors(guest: &mut Guest, colors: &[[f32; 4]]) -> ObjectId {
    let mut code = Code::new(In::Pixel);
    for (target, color) in colors.iter().enumerate() {
        let color = code.b.f32x4(*color);
        code.output(OutputAt::Location(target as u8), color);
    }
    code.create(guest)
}

fn bind_targets(guest: &mut Guest, targets: &[ObjectId], layers: u32) {
    let mut body = SetRenderTargets { layers, ..SetRenderTargets::default() };
    for (view, texture) in body.color.iter_mut().zip(targets) {
        view.texture = *texture;
    }
    guest.encoder.push(&body);
}

/// Whole-numbered place of the pixel.
fn pixel(code: &mut Code) -> (Value, Value) {
    let place = code.input(InputAt::FragCoord, Type::F32X4);
    let (x, y) = (code.b.extract(place, 0), code.b.extract(place, 1));
    (code.b.f2i(x), code.b.f2i(y))
}

#[test]
fn vertices_and_colours_come_from_buffers_that_a_dispatch_wrote() {
    for mut guest in guests() {
        // Corners of a rectangle from (-1, -1) to (x, y), where the dispatch says, and a colour behind them.
        let mut code = Code::compute(1);
        let (zero, four) = (code.b.i32(0), code.b.i32(4));
        let (corner, color) = (code.b.f32x4([0.0, 1.0, 0.0, 0.0]), code.b.f32x4([0.0, 1.0, 0.0, 1.0]));
        let at = code.word(0, zero);
        code.b.store_global(at, corner);
        let at = code.word(0, four);
        code.b.store_global(at, color);
        let compute = code.create(&mut guest);
        let mut code = Code::new(In::Vertex);
        let number = code.input(InputAt::VertexIndex, Type::I32);
        let zero = code.b.i32(0);
        let at = code.word(3, zero);
        let corner = code.b.load_global(at, 2);
        let corner = code.b.cast(corner, afterimage_ir::Kind::Float);
        let b = &mut code.b;
        let (one, two, low) = (b.i32(1), b.i32(2), b.f32(-1.0));
        let (right, up) = (b.iand(number, one), b.iand(number, two));
        let (right, up) = (b.ine(right, zero), b.ine(up, zero));
        let (x, y) = (b.extract(corner, 0), b.extract(corner, 1));
        let (x, y) = (b.select(right, x, low), b.select(up, y, low));
        let (z, w) = (b.f32(0.5), b.f32(1.0));
        let position = b.construct(&[x, y, z, w]);
        code.output(OutputAt::Position, position);
        let vertex = code.create(&mut guest);
        let mut code = Code::new(In::Pixel);
        let four = code.b.i32(4);
        let at = code.word(0, four);
        let color = code.b.load_global(at, 4);
        let color = code.b.cast(color, afterimage_ir::Kind::Float);
        code.output(OutputAt::Location(0), color);
        let pixel = code.create(&mut guest);
        let buffer = guest.words(&[0; 16]);
        bind_storage(&mut guest, Stage::Compute, &[buffer]);
        bind_storage(&mut guest, Stage::Vertex, &[ObjectId::NONE, ObjectId::NONE, ObjectId::NONE, buffer]);
        bind_storage(&mut guest, Stage::Pixel, &[buffer]);
        guest.target(Format::R8G8B8A8_UNORM, 16, 16);
        guest.clear(Clear::COLOR, RED, 1.0, 0);
        guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
        guest.dispatch(compute, [1, 1, 1]);
        guest.draw(Topology::TriangleStrip, 0, 4);
        let picture = guest.pixels();
        assert_eq!(picture.count(rgba(GREEN)), 8 * 16);
        assert_eq!((picture.at(7, 0), picture.at(8, 15)), (rgba(GREEN), rgba(RED)));
        // An update between draws, which the second sees and the first does not; nothing is bound anew.
        guest.clear(Clear::COLOR, RED, 1.0, 0);
        guest.draw(Topology::TriangleStrip, 0, 4);
        let data = guest.upload(bytes(&[1f32.to_bits(), 0f32.to_bits(), 0, 0, 0, 0, 1f32.to_bits(), 1f32.to_bits()]));
        guest.encoder.push(&UpdateBuffer { id: buffer, flags: 0, offset: 0, data });
        guest.draw(Topology::TriangleStrip, 0, 4);
        let picture = guest.pixels();
        assert_eq!((picture.at(3, 3), picture.at(12, 12)), (rgba(GREEN), rgba(BLUE)));
        assert_eq!((picture.at(3, 12), picture.at(12, 3)), (rgba(BLUE), rgba(RED)));
        guest.finish();
    }
}

#[test]
fn pixels_count_and_paint() {
    for mut guest in guests() {
        let mut code = Code::new(In::Pixel);
        let (zero, one) = (code.b.i32(0), code.b.i32(1));
        let at = code.word(0, zero);
        code.b.atomic_global(AtomicOp::Add, at, &[one]);
        let (x, y) = pixel(&mut code);
        let image = ImageDecl { slot: 2, dim: Dim::D2, component: Component::Uint, format: ImageFormat::Any };
        let image = code.b.image(image);
        let place = code.b.construct(&[x, y]);
        let texel = code.b.construct(&[y, x, zero, one]);
        code.b.image_store(image, place, None, texel);
        let color = code.b.f32x4(GREEN);
        code.output(OutputAt::Location(0), color);
        let pixel = code.create(&mut guest);
        let vertex = vertex(&mut guest);
        let count = guest.words(&[5; 4]);
        let usage = CreateTexture::STORAGE;
        let format = Format::R32G32_UINT;
        let texture = guest.texture_with(CreateTexture { usage, ..plain(format, 8, 8, 1) });
        bind_storage(&mut guest, Stage::Pixel, &[count]);
        let image = StorageImage { view: View { texture, level: 0, layer: 0 } };
        guest.encoder.push_tail(&SetStorageImages { stage: Stage::Pixel as u32, first: 2, count: 1 }, &[image]);
        guest.target(Format::R8G8B8A8_UNORM, 8, 8);
        guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
        guest.draw(Topology::TriangleList, 0, 3);
        guest.draw(Topology::TriangleList, 0, 3);
        assert_eq!(guest.pixels().count(rgba(GREEN)), 64);
        assert_eq!(guest.read_words(count, 0, 1), [5 + 128]);
        let texels = words(&guest.read(texture, format, 0, 0, [8, 8]));
        assert_eq!(texels[(3 * 8 + 6) * 2..][..2], [3, 6]);
        // A dispatch behind the draws sees what they stored, and a draw behind that what it stored.
        let mut code = Code::compute(1);
        let zero = code.b.i32(0);
        let at = code.word(0, zero);
        let found = code.b.load_global(at, 1);
        let doubled = code.b.iadd(found, found);
        code.b.store_global(at, doubled);
        let double = code.create(&mut guest);
        bind_storage(&mut guest, Stage::Compute, &[count]);
        guest.draw(Topology::TriangleList, 0, 3);
        guest.dispatch(double, [1, 1, 1]);
        guest.draw(Topology::TriangleList, 0, 3);
        assert_eq!(guest.read_words(count, 0, 1), [(133 + 64) * 2 + 64]);
        guest.finish();
    }
}

#[test]
fn stages_that_cannot_store_draw_nothing_and_say_so() {
    let mut guest = Guest::with(Without { shader_features: true, ..Without::default() });
    let mut code = Code::new(In::Pixel);
    let (zero, one) = (code.b.i32(0), code.b.i32(1));
    let at = code.word(0, zero);
    code.b.atomic_global(AtomicOp::Add, at, &[one]);
    let pixel = code.create(&mut guest);
    let vertex = vertex(&mut guest);
    let count = guest.words(&[5; 4]);
    bind_storage(&mut guest, Stage::Pixel, &[count]);
    guest.target(Format::R8G8B8A8_UNORM, 8, 8);
    guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
    guest.draw(Topology::TriangleList, 0, 3);
    assert_eq!(guest.read_words(count, 0, 1), [5]);
    assert_eq!(guest.renderer.skipped_draws(), 1);
    guest.finish();
}

fn blend(src: BlendFactor, dst: BlendFactor, op: BlendOp, write_mask: u8) -> BlendTarget {
    let (src, dst, op) = (src as u8, dst as u8, op as u8);
    BlendTarget {
        enable: 1,
        src_color: src,
        dst_color: dst,
        color_op: op,
        src_alpha: src,
        dst_alpha: dst,
        alpha_op: op,
        write_mask,
    }
}

#[test]
fn each_target_blends_in_its_own_way() {
    for mut guest in guests() {
        let format = Format::R8G8B8A8_UNORM;
        let targets = [0; 4].map(|_| guest.texture(format, 4, 4, 1, CreateTexture::TARGET));
        bind_targets(&mut guest, &targets, 0);
        guest.viewport(4, 4);
        let half = [0.4, 0.2, 0.0, 1.0];
        guest.clear(Clear::COLOR, half, 1.0, 0);
        let pixel = colors(&mut guest, &[half; 4]);
        let vertex = vertex(&mut guest);
        guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
        let all = SetBlend { write_masks: [15; 8], ..SetBlend::default() };
        let (one, zero) = (BlendFactor::One, BlendFactor::Zero);
        let own = [
            blend(one, one, BlendOp::Add, 15),
            blend(BlendFactor::DstColor, zero, BlendOp::Add, 0b1011),
            BlendTarget { enable: 0, ..blend(one, one, BlendOp::Add, 15) },
        ];
        guest.encoder.push_tail(&SetBlend { count: 3, ..all }, &own);
        guest.draw(Topology::TriangleList, 0, 3);
        let seen = |guest: &mut Guest| targets.map(|id| guest.read(id, format, 0, 0, [4, 4])[..4].to_vec());
        assert_eq!(seen(&mut guest), [[204, 102, 0, 255], [41, 10, 0, 255], [102, 51, 0, 255], [102, 51, 0, 255]]);
        // A packet says all of blending: what was said of each target is gone.
        guest.encoder.push_tail(&SetBlend { enable: 1, src_color: 1, dst_color: 1, src_alpha: 1, ..all }, &[]);
        guest.draw(Topology::TriangleList, 0, 3);
        assert_eq!(seen(&mut guest)[1..3], [[143, 61, 0, 255], [204, 102, 0, 255]]);
        guest.finish();
    }
}

#[test]
fn two_colours_blend_one_target() {
    for mut guest in guests() {
        if !guest.renderer.gpu().profile.dual_source {
            continue;
        }
        let mut code = Code::new(In::Pixel);
        let (first, second) = (code.b.f32x4([0.2, 0.2, 0.2, 1.0]), code.b.f32x4([1.0, 0.5, 0.0, 1.0]));
        code.output(OutputAt::Location(0), first);
        code.output(OutputAt::SecondColor, second);
        let pixel = code.create(&mut guest);
        let vertex = vertex(&mut guest);
        guest.target(Format::R8G8B8A8_UNORM, 4, 4);
        guest.clear(Clear::COLOR, [0.4, 0.4, 0.4, 0.0], 1.0, 0);
        guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
        let own = blend(BlendFactor::One, BlendFactor::Src1Color, BlendOp::Add, 15);
        let all = SetBlend { write_masks: [15; 8], count: 1, ..SetBlend::default() };
        guest.encoder.push_tail(&all, &[own]);
        guest.draw(Topology::TriangleList, 0, 3);
        assert_eq!(guest.pixels().at(2, 2), [153, 102, 51, 255]);
        guest.finish();
    }
}

#[test]
fn integer_targets_are_cleared_and_written_and_never_blended() {
    for mut guest in guests() {
        let format = Format::R16G16B16A16_UINT;
        let target = guest.texture(format, 4, 4, 1, CreateTexture::TARGET);
        bind_targets(&mut guest, &[target], 0);
        guest.viewport(4, 4);
        guest.clear(Clear::COLOR, [7.0, 8.0, 9.0, 65_535.0], 1.0, 0);
        let first = |bytes: &[u8]| [0, 1, 2, 3].map(|n| u16::from_ne_bytes([bytes[2 * n], bytes[2 * n + 1]]));
        assert_eq!(first(&guest.read(target, format, 0, 0, [4, 4])), [7, 8, 9, 65_535]);
        let mut code = Code::new(In::Pixel);
        let color = code.b.const_bits(Type::new(afterimage_ir::Kind::Int, 4), [1, 300, 3, 4]);
        code.output(OutputAt::Location(0), color);
        let pixel = code.create(&mut guest);
        let vertex = vertex(&mut guest);
        guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
        guest.encoder.push_tail(
            &SetBlend { enable: 1, src_color: 1, dst_color: 1, write_masks: [15; 8], ..SetBlend::default() },
            &[],
        );
        guest.draw(Topology::TriangleList, 0, 3);
        assert_eq!(first(&guest.read(target, format, 0, 0, [4, 4])), [1, 300, 3, 4]);
        guest.finish();
    }
}

/// Writes a texel of a texture of a shape, at the pixel's place in layer or sample `n`.
fn texel_of(guest: &mut Guest, dim: Dim, component: Component, layer: i32, level_or_sample: i32) -> ObjectId {
    let mut code = Code::new(In::Pixel);
    let texture = code.b.texture(TextureDecl { slot: 1, dim, shadow: false, component });
    let (x, y) = pixel(&mut code);
    let (layer, last) = (code.b.i32(layer), code.b.i32(level_or_sample));
    let place = if dim.texel_coords() == 3 { code.b.construct(&[x, y, layer]) } else { code.b.construct(&[x, y]) };
    let mut texel = code.b.fetch(texture, place, last, Offset::default());
    if component != Component::Float {
        let floats = code.b.i2f(texel);
        let scale = code.b.f32x4([1.0 / 255.0; 4]);
        texel = code.b.fmul(floats, scale);
    }
    code.output(OutputAt::Location(0), texel);
    code.create(guest)
}

fn draw_texel(guest: &mut Guest, texture: ObjectId, dim: Dim, component: Component, at: [i32; 2]) -> [u8; 4] {
    let pixel = texel_of(guest, dim, component, at[0], at[1]);
    let vertex = vertex(guest);
    let sampler = guest.sampler(sampling(Filter::Nearest));
    guest.bind_texture(1, texture, sampler);
    guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
    guest.draw(Topology::TriangleList, 0, 3);
    guest.pixels().at(2, 1)
}

#[test]
fn textures_have_every_shape_and_kind() {
    for mut guest in guests() {
        let target = guest.target(Format::R8G8B8A8_UNORM, 4, 4);
        for (format, component) in [
            (Format::R8G8B8A8_UNORM, Component::Float),
            (Format::R8G8B8A8_UINT, Component::Uint),
            (Format::R8G8B8A8_SINT, Component::Sint),
        ] {
            let array = guest.texture_with(CreateTexture { layers: 3, ..plain(format, 4, 4, 2) });
            for layer in 0..3u8 {
                guest.update_texture(array, 0, layer.into(), [4, 4], 16, &[10 + layer; 64]);
            }
            guest.update_texture(array, 1, 2, [2, 2], 8, &[77; 16]);
            assert_eq!(draw_texel(&mut guest, array, Dim::D2Array, component, [1, 0]), [11; 4]);
            assert_eq!(draw_texel(&mut guest, array, Dim::D2Array, component, [2, 0]), [12; 4]);
            // A shader without layers sees the first one, and one with layers the only one of what has no more.
            assert_eq!(draw_texel(&mut guest, array, Dim::D2, component, [0, 0]), [10; 4]);
            let one = guest.texture_with(plain(format, 4, 4, 1));
            guest.update_texture(one, 0, 0, [4, 4], 16, &[33; 64]);
            assert_eq!(draw_texel(&mut guest, one, Dim::D2Array, component, [0, 0]), [33; 4]);
            // Of another kind there is nothing, and of another shape neither.
            let none = if component == Component::Float { [0, 0, 0, 255] } else { [0, 0, 0, 1] };
            let other = if component == Component::Uint { Component::Sint } else { Component::Uint };
            assert_eq!(draw_texel(&mut guest, one, Dim::D2, other, [0, 0]), [0, 0, 0, 1]);
            assert_eq!(draw_texel(&mut guest, one, Dim::D3, component, [0, 0]), none);
            assert_eq!(draw_texel(&mut guest, ObjectId::NONE, Dim::D2Array, component, [0, 0]), none);
        }
        // Samples, one by one.
        let usage = CreateTexture::TARGET | CreateTexture::SAMPLED;
        let many = guest.texture_with(CreateTexture { samples: 4, usage, ..plain(Format::R8G8B8A8_UNORM, 4, 4, 1) });
        bind_targets(&mut guest, &[many], 0);
        guest.clear(Clear::COLOR, RED, 1.0, 0);
        let pixel = colors(&mut guest, &[GREEN]);
        let vertex = vertex(&mut guest);
        guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
        let raster = SetRaster { depth_clip: 1, sample_mask: 0b0100, ..SetRaster::default() };
        guest.encoder.push(&raster);
        guest.draw(Topology::TriangleList, 0, 3);
        guest.encoder.push(&SetRaster { sample_mask: u32::MAX, ..raster });
        bind_targets(&mut guest, &[target], 0);
        let found = [0, 1, 2, 3].map(|n| draw_texel(&mut guest, many, Dim::D2Ms, Component::Float, [0, n]));
        assert_eq!(found, [RED, RED, GREEN, RED].map(rgba));
        guest.finish();
    }
}

#[test]
fn cubes_have_layers() {
    let mut guest = Guest::new();
    if !guest.renderer.gpu().profile.shaders.cube_arrays {
        return;
    }
    guest.target(Format::R8G8B8A8_UNORM, 4, 4);
    let dimension = Dimension::Cube as u8;
    let cubes = guest.texture_with(CreateTexture { layers: 12, dimension, ..plain(Format::R8G8B8A8_UNORM, 2, 2, 1) });
    for face in 0..12u8 {
        guest.update_texture(cubes, 0, face.into(), [2, 2], 8, &[face + 1; 16]);
    }
    let sampled = |guest: &mut Guest, dim: Dim, direction: [f32; 4]| {
        let mut code = Code::new(In::Pixel);
        let texture = TextureDecl { slot: 0, dim, shadow: false, component: Component::Float };
        let texture = code.b.texture(texture);
        let (direction, level) = (code.b.f32x4(direction), code.b.f32(0.0));
        let direction = code.b.resize(direction, dim.coords());
        let color = code.b.sample_lod(texture, direction, level, None);
        code.output(OutputAt::Location(0), color);
        let pixel = code.create(guest);
        let vertex = vertex(guest);
        guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
        guest.draw(Topology::TriangleList, 0, 3);
        guest.pixels().at(1, 1)
    };
    let sampler = guest.sampler(sampling(Filter::Nearest));
    guest.bind_texture(0, cubes, sampler);
    assert_eq!(sampled(&mut guest, Dim::CubeArray, [0.0, -1.0, 0.0, 1.0]), [6 + 4; 4]);
    assert_eq!(sampled(&mut guest, Dim::CubeArray, [0.0, 0.0, 1.0, 0.0]), [5; 4]);
    assert_eq!(sampled(&mut guest, Dim::Cube, [-1.0, 0.0, 0.0, 0.0]), [2; 4]);
    assert_eq!(sampled(&mut guest, Dim::D2Array, [0.5, 0.5, 11.0, 0.0]), [12; 4]);
    guest.finish();
}

fn view_of(guest: &mut Guest, source: ObjectId, body: CreateView) -> ObjectId {
    let id = guest.id(ObjectKind::Texture);
    guest.encoder.push(&CreateView { id, source, ..body });
    id
}

#[test]
fn views_show_parts_in_other_formats_and_are_drawn_to() {
    for mut guest in guests() {
        let format = Format::R8G8B8A8_UNORM;
        let usage = CreateTexture::TARGET | CreateTexture::VIEWS;
        let source = guest.texture_with(CreateTexture { layers: 6, usage, ..plain(format, 8, 8, 2) });
        let (levels, layers) = (1, 1);
        let whole = CreateView {
            format: format as u32,
            levels: 2,
            layers: 6,
            swizzle: CreateTexture::IDENTITY,
            ..CreateView::zeroed()
        };
        // Level 1 of layer 4, with red and blue changed about.
        let part = CreateView { level: 1, levels, layer: 4, layers, swizzle: [2, 1, 0, 3], ..whole };
        let part = view_of(&mut guest, source, part);
        bind_targets(&mut guest, &[part], 0);
        guest.viewport(4, 4);
        let pixel = colors(&mut guest, &[[1.0, 0.2, 0.0, 1.0]]);
        let vertex_shader = vertex(&mut guest);
        guest.encoder.push(&SetShaders { vertex: vertex_shader, pixel, ..SetShaders::default() });
        guest.draw(Topology::TriangleList, 0, 3);
        assert_eq!(guest.read(source, format, 1, 4, [4, 4])[..4], [255, 51, 0, 255]);
        assert_eq!(guest.read(part, format, 0, 0, [4, 4])[..4], [255, 51, 0, 255]);
        guest.target(format, 4, 4);
        assert_eq!(draw_texel(&mut guest, part, Dim::D2, Component::Float, [0, 0]), [0, 51, 255, 255]);
        // Integers of the same bytes.
        let integers = CreateView { format: Format::R8G8B8A8_UINT as u32, ..whole };
        let integers = view_of(&mut guest, source, integers);
        guest.update_texture(integers, 0, 3, [8, 8], 32, &[9; 256]);
        assert_eq!(draw_texel(&mut guest, integers, Dim::D2Array, Component::Uint, [3, 0]), [9; 4]);
        assert_eq!(draw_texel(&mut guest, integers, Dim::D2Array, Component::Uint, [4, 0]), [0; 4]);
        // One 32-bit number, and a cube.
        let number = CreateView { format: Format::R32_SFLOAT as u32, layer: 3, layers, ..whole };
        let number = view_of(&mut guest, source, number);
        assert_eq!(words(&guest.read(number, Format::R32_SFLOAT, 0, 0, [8, 8])), [0x0909_0909; 64]);
        let cube = view_of(&mut guest, source, CreateView { dimension: Dimension::Cube as u8, ..whole });
        guest.present(cube);
        guest.run();
        // A texture goes after its views.
        guest.encoder.push(&Destroy { id: source, pad: 0 });
        let error = guest.try_run().unwrap_err();
        assert!(error.to_string().contains("has views"), "{error}");
        for id in [part, integers, number, cube, source] {
            guest.encoder.push(&Destroy { id, pad: 0 });
        }
        guest.replies.clear();
        guest.run();
        guest.finish();
    }
}

#[test]
fn the_vertex_stage_chooses_the_layer() {
    let mut guest = Guest::new();
    let shaders = guest.renderer.gpu().profile.shaders;
    if !shaders.output_layer || !shaders.output_viewport {
        return;
    }
    let mut code = Code::new(In::Vertex);
    everywhere(&mut code);
    let instance = code.input(InputAt::InstanceIndex, Type::I32);
    code.output(OutputAt::Layer, instance);
    let vertex = code.create(&mut guest);
    let pixel = colors(&mut guest, &[GREEN]);
    let (format, usage) = (Format::R8G8B8A8_UNORM, CreateTexture::TARGET);
    let array = guest.texture_with(CreateTexture { layers: 4, usage, ..plain(format, 4, 4, 1) });
    let mut body = SetRenderTargets { layers: 3, ..SetRenderTargets::default() };
    body.color[0] = View { texture: array, level: 0, layer: 1 };
    guest.encoder.push(&body);
    guest.viewport(4, 4);
    guest.clear(Clear::COLOR, RED, 1.0, 0);
    guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
    guest.encoder.push(&Draw {
        topology: Topology::TriangleList as u32,
        first: 0,
        count: 3,
        instances: 2,
        first_instance: 0,
        pad: 0,
    });
    let layers = [0, 1, 2, 3].map(|layer| guest.read(array, format, 0, layer, [4, 4])[..4].to_vec());
    assert_eq!(layers, [[0; 4], rgba(GREEN), rgba(GREEN), rgba(RED)]);
    // Slices of a volume likewise.
    let dimension = Dimension::D3 as u8;
    let volume = guest.texture_with(CreateTexture { depth: 4, dimension, usage, ..plain(format, 4, 4, 1) });
    body.color[0].texture = volume;
    guest.encoder.push(&body);
    guest.encoder.push(&Draw {
        topology: Topology::TriangleList as u32,
        first: 0,
        count: 3,
        instances: 3,
        first_instance: 0,
        pad: 0,
    });
    let slices = [0, 1, 2, 3].map(|slice| guest.read(volume, format, 0, slice, [4, 4])[..4].to_vec());
    assert_eq!(slices, [[0; 4], rgba(GREEN), rgba(GREEN), rgba(GREEN)]);
    guest.finish();
}

/// A vertex shader that knows its vertices: position, red and green of each by its number.
fn shader_of_corners(corners: &[([f32; 2], [f32; 2])]) -> String {
    let mut text = "vertex {
  input in0 \"\" : i32 vertex_index flat
  output out0 \"\" : f32x4 position
  output out1 \"\" : f32x4 location 0
  v0: i32 = load_input in0
  v1: f32x4 = const 0.0, 0.0, 0.0, 1.0
  v2: f32x4 = const 0.0, 0.0, 0.0, 1.0\n"
        .to_owned();
    let (mut position, mut color) = (1, 2);
    for (number, ([x, y], [red, green])) in corners.iter().enumerate() {
        let at = 10 * (number + 1);
        text += &format!(
            "  v{at}: i32 = const {number}
  v{}: bool = ieq v0, v{at}
  v{}: boolx4 = construct v{}, v{}, v{}, v{}
  v{}: f32x4 = const {x:?}, {y:?}, 0.5, 1.0
  v{}: f32x4 = const {red:?}, {green:?}, 0.0, 1.0
  v{}: f32x4 = select v{}, v{}, v{position}
  v{}: f32x4 = select v{}, v{}, v{color}\n",
            at + 1,
            at + 2,
            at + 1,
            at + 1,
            at + 1,
            at + 1,
            at + 3,
            at + 4,
            at + 5,
            at + 2,
            at + 3,
            at + 6,
            at + 2,
            at + 4,
        );
        (position, color) = (at + 5, at + 6);
    }
    text + &format!("  store_output out0, v{position}\n  store_output out1, v{color}\n  return\n}}")
}

#[test]
fn three_corners_make_a_rectangle() {
    // By geometry shaders, and by the vertex shader where there are none.
    let without = Without { beyond_moltenvk: true, ..Without::default() };
    for mut guest in guests().into_iter().chain([Guest::with(without)]) {
        guest.target(Format::R8G8B8A8_UNORM, 8, 8);
        // The upper left quarter and six pixels, then a rectangle in the lower right corner.
        let corners = [
            ([-1.0, 1.0], [0.0, 0.0]),
            ([0.5, 1.0], [0.75, 0.0]),
            ([-1.0, 0.0], [0.0, 0.5]),
            ([1.0, -1.0], [1.0, 1.0]),
            ([0.5, -1.0], [1.0, 1.0]),
            ([1.0, -0.5], [1.0, 1.0]),
        ];
        guest.shaders(&shader_of_corners(&corners), COLOR);
        // Both; the second alone.
        for (first, count) in [(0, 6), (3, 3), (0, 5)] {
            guest.clear(Clear::COLOR, BLUE, 1.0, 0);
            guest.draw(Topology::RectList, first, count);
            let picture = guest.pixels();
            for y in 0..8 {
                for x in 0..8 {
                    let center = |n: u32| ((n as f32 + 0.5) / 8.0 * 255.0).round() as u8;
                    let wanted = match (x, y) {
                        (0..6, 0..4) if first == 0 => [center(x), center(y), 0, 255],
                        (6.., 6..) if first + count == 6 => [255, 255, 0, 255],
                        _ => rgba(BLUE),
                    };
                    let found = picture.at(x, y);
                    let near = found.iter().zip(wanted).all(|(a, b)| a.abs_diff(b) <= 1);
                    assert!(near, "{first}, {count} at {x}, {y}: {found:?} instead of {wanted:?}");
                }
            }
        }
        // Triangles after it are triangles.
        guest.clear(Clear::COLOR, BLUE, 1.0, 0);
        guest.draw(Topology::TriangleList, 0, 3);
        assert_eq!(guest.pixels().at(5, 3), rgba(BLUE));
        guest.finish();
    }
}

#[test]
fn depth_is_sampled_after_it_is_drawn() {
    for mut guest in guests() {
        for format in [Format::D16_UNORM, Format::D32_SFLOAT, Format::D32_SFLOAT_S8_UINT] {
            let depth = guest.texture(format, 4, 4, 1, CreateTexture::TARGET);
            guest.target(Format::R8G8B8A8_UNORM, 4, 4);
            let (color, vertex) = (guest.pixels_target(), vertex(&mut guest));
            guest.bind(ObjectId::NONE, depth);
            guest.clear(Clear::DEPTH, RED, 1.0, 0);
            let always = Compare::Always as u8;
            let body = SetDepthStencil { depth_test: 1, depth_write: 1, depth_compare: always, ..Default::default() };
            guest.encoder.push(&body);
            guest.encoder.push(&SetShaders { vertex, ..SetShaders::default() });
            guest.draw(Topology::TriangleList, 0, 3);
            guest.encoder.push(&SetDepthStencil::default());
            guest.bind(color, ObjectId::NONE);
            let found = draw_texel(&mut guest, depth, Dim::D2, Component::Float, [0, 0]);
            assert!(found[0].abs_diff(128) <= 1, "{format:?}: {found:?}");
            // A dispatch reads it, too.
            let mut code = Code::compute(1);
            let t = TextureDecl { slot: 20, dim: Dim::D2, shadow: false, component: Component::Float };
            let t = code.b.texture(t);
            let zero = code.b.i32(0);
            let place = code.b.construct(&[zero, zero]);
            let texel = code.b.fetch(t, place, zero, Offset::default());
            let value = code.b.extract(texel, 0);
            let at = code.word(0, zero);
            code.b.store_global(at, value);
            let compute = code.create(&mut guest);
            let (out, sampler) = (guest.words(&[0; 4]), guest.sampler(sampling(Filter::Nearest)));
            guest.bind_texture(20, depth, sampler);
            bind_storage(&mut guest, Stage::Compute, &[out]);
            guest.dispatch(compute, [1, 1, 1]);
            let value = f32::from_bits(guest.read_words(out, 0, 1)[0]);
            assert!((value - 0.5).abs() < 1e-4, "{format:?}: {value}");
        }
        guest.finish();
    }
}
