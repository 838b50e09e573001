//! What pixel shaders take and give besides colours: interpolation in several ways, masks of samples, numbers of primitives, second colours.

use crate::common::code::Code;
use crate::common::*;
use afterimage_ir::{InputAt, InputDecl, Interp, OutputAt, Stage as In, Type, Value};
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId};

/// The colour that vertices give, in a way.
fn color(code: &mut Code, interp: Interp) -> Value {
    let (ty, at) = (Type::F32X4, InputAt::Location(0));
    let input = code.b.input(InputDecl { name: String::new(), ty, at, interp, semantic: None });
    code.b.load_input(input)
}

fn opaque(code: &mut Code, red: Value, green: Value) {
    let (zero, one) = (code.b.f32(0.0), code.b.f32(1.0));
    let out = code.b.construct(&[red, green, zero, one]);
    code.output(OutputAt::Location(0), out);
}

/// A target with four samples of a pixel, and one that they are resolved to.
fn samples(guest: &mut Guest) -> [ObjectId; 2] {
    let format = Format::R8G8B8A8_UNORM;
    let single = guest.target(format, 8, 8);
    let many = guest.texture_with(CreateTexture { samples: 4, usage: CreateTexture::TARGET, ..plain(format, 8, 8, 1) });
    guest.bind(many, ObjectId::NONE);
    [single, many]
}

fn resolved(guest: &mut Guest, [single, many]: [ObjectId; 2]) -> Pixels {
    let view = |texture| View { texture, level: 0, layer: 0 };
    let rect = Rect { x: 0, y: 0, width: 8, height: 8 };
    let (src, dst) = (view(many), view(single));
    guest.encoder.push(&Blit { src, dst, src_rect: rect, dst_rect: rect, filter: 0, pad: 0 });
    guest.pixels()
}

#[test]
fn an_input_is_interpolated_at_several_places() {
    let drawn = |red: Interp, green: Interp| {
        let mut guest = Guest::new();
        let targets = samples(&mut guest);
        guest.layout();
        let vertex_shader = guest.shader(Stage::Vertex, VERTEX);
        let mut code = Code::new(In::Pixel);
        let red_of = color(&mut code, red);
        let green_of = if red == green { red_of } else { color(&mut code, green) };
        let (x, y) = (code.b.extract(red_of, 0), code.b.extract(green_of, 1));
        opaque(&mut code, x, y);
        let pixel = code.create(&mut guest);
        guest.encoder.push(&SetShaders { vertex: vertex_shader, pixel, ..SetShaders::default() });
        guest.clear(Clear::COLOR, BLUE, 1.0, 0);
        // A triangle whose edges cross pixels, steep in both colours.
        let mut vertices = full(0.5, [0.0, 0.0, 0.0, 1.0]);
        let corners = [([-0.9, -0.8], [0.0, 0.1]), ([0.7, -0.6], [1.0, 0.3]), ([-0.3, 0.9], [0.2, 1.0])];
        for (vertex, ([x, y], [red, green])) in vertices.iter_mut().zip(corners) {
            (vertex.position, vertex.color) = ([x, y, 0.5, 1.0], [red, green, 0.0, 1.0]);
        }
        guest.draw_now(&vertices[..3]);
        let pixels = resolved(&mut guest, targets).pixels;
        guest.finish();
        pixels
    };
    let ways = [Interp::Smooth, Interp::Centroid, Interp::Sample];
    let alone = ways.map(|way| drawn(way, way));
    let differ = |a: &[[u8; 4]], b: &[[u8; 4]]| a.iter().zip(b).filter(|(a, b)| a[0].abs_diff(b[0]) > 2).count();
    assert!(differ(&alone[0], &alone[1]) > 3 && differ(&alone[0], &alone[2]) > 3, "{alone:?}");
    for (red, green) in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)] {
        let mixed = drawn(ways[red], ways[green]);
        for (at, pixel) in mixed.iter().enumerate() {
            let wanted = [alone[red][at][0], alone[green][at][1]];
            let near = wanted.iter().zip(pixel).all(|(wanted, got)| wanted.abs_diff(*got) <= 1);
            assert!(near, "{:?} and {:?} at {at}: {pixel:?}, not {wanted:?}", ways[red], ways[green]);
        }
    }
}

#[test]
fn shaders_say_which_samples_are_kept() {
    for (own, state, kept) in [(0b0101, !0, 2), (0b0111, 0b0011, 2), (0, !0, 0), (!0, 0b1000, 1), (!0, !0, 4)] {
        let mut guest = Guest::new();
        let targets = samples(&mut guest);
        guest.layout();
        let mut code = Code::new(In::Pixel);
        let mask = code.b.i32(own);
        code.output(OutputAt::SampleMask, mask);
        let red = code.b.f32x4(RED);
        code.output(OutputAt::Location(0), red);
        let pixel = code.create(&mut guest);
        let vertex = guest.shader(Stage::Vertex, VERTEX);
        guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
        guest.encoder.push(&SetRaster { depth_clip: 1, sample_mask: state as u32, ..SetRaster::default() });
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        guest.draw_now(&full(0.5, RED));
        let found = resolved(&mut guest, targets).at(3, 4);
        let red = (kept as f32 * 255.0 / 4.0).round() as u8;
        assert!(found[0].abs_diff(red) <= 1, "{own:b}, {state:b}: {found:?}");
        guest.finish();
    }
}

#[test]
fn shaders_run_for_each_sample_and_know_it() {
    let mut guest = Guest::new();
    let targets = samples(&mut guest);
    guest.layout();
    // Red of the first two samples, green of the others; nothing that is not covered runs.
    let mut code = Code::new(In::Pixel);
    let sample = code.input(InputAt::SampleId, Type::I32);
    let covered = code.input(InputAt::SampleMask, Type::I32);
    let b = &mut code.b;
    let (one, zero, two) = (b.i32(1), b.i32(0), b.i32(2));
    let bit = b.ishl(one, sample);
    let own = b.iand(covered, bit);
    let is_own = b.ine(own, zero);
    let low = b.ult(sample, two);
    let (on, off) = (b.f32(1.0), b.f32(0.0));
    let (red, green) = (b.select(low, on, off), b.select(low, off, on));
    let (red, green) = (b.select(is_own, red, off), b.select(is_own, green, off));
    opaque(&mut code, red, green);
    let pixel = code.create(&mut guest);
    let vertex = guest.shader(Stage::Vertex, VERTEX);
    guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.draw_now(&full(0.5, RED));
    let found = resolved(&mut guest, targets).at(3, 4);
    assert!(found[0].abs_diff(128) <= 1 && found[1].abs_diff(128) <= 1, "{found:?}");
    guest.finish();
}

#[test]
fn primitives_have_numbers() {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 8, 8);
    guest.layout();
    let mut code = Code::new(In::Pixel);
    let number = code.input(InputAt::PrimitiveId, Type::I32);
    let b = &mut code.b;
    let (number, tenth) = (b.i2f(number), b.f32(0.2));
    let red = b.fmul(number, tenth);
    let red = b.fadd(red, tenth);
    let green = b.f32(0.0);
    opaque(&mut code, red, green);
    let pixel = code.create(&mut guest);
    let vertex = guest.shader(Stage::Vertex, VERTEX);
    guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.draw_now(&full(0.5, RED));
    let picture = guest.pixels();
    let (first, second) = (picture.count([51, 0, 0, 255]), picture.count([102, 0, 0, 255]));
    assert!(first >= 28 && second >= 28 && first + second == 64, "{first}, {second}");
    guest.finish();
}

#[test]
fn a_second_colour_is_blended_with() {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 4, 4);
    guest.layout();
    let mut code = Code::new(In::Pixel);
    let (first, second) = (code.b.f32x4([0.2, 0.2, 0.2, 1.0]), code.b.f32x4([1.0, 0.5, 0.0, 1.0]));
    code.output(OutputAt::Location(0), first);
    code.output(OutputAt::SecondColor, second);
    let pixel = code.create(&mut guest);
    let vertex = guest.shader(Stage::Vertex, VERTEX);
    guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
    guest.clear(Clear::COLOR, [0.4, 0.4, 0.4, 0.0], 1.0, 0);
    let own = BlendTarget {
        enable: 1,
        src_color: BlendFactor::One as u8,
        dst_color: BlendFactor::Src1Color as u8,
        color_op: BlendOp::Add as u8,
        src_alpha: BlendFactor::One as u8,
        dst_alpha: BlendFactor::Src1Color as u8,
        alpha_op: BlendOp::Add as u8,
        write_mask: 15,
    };
    guest.encoder.push_tail(&SetBlend { write_masks: [15; 8], count: 1, ..SetBlend::default() }, &[own]);
    guest.draw_now(&full(0.5, RED));
    assert_eq!(guest.pixels().at(2, 2), [153, 102, 51, 255]);
    guest.finish();
}
