//! Logical operations, wide lines and their modes, faces filled in different ways, and the vertex that provokes.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::{DeviceFeatures, Format, ObjectId, ObjectKind};
use afterimage_vulkan::Without;

/// With as much dynamic state as there is, and with little.
fn profiles() -> [Without; 2] {
    [Without::default(), Without { dynamic_state3: true, multi_draw: true, ..Without::default() }]
}

fn without_options() -> Without {
    Without { raster_options: true, ..Without::default() }
}

fn colored(without: Without) -> Guest {
    let mut guest = Guest::with(without);
    guest.target(Format::R8G8B8A8_UNORM, 16, 16);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.shaders(VERTEX, COLOR);
    guest.layout();
    guest
}

fn raster() -> SetRaster {
    SetRaster { depth_clip: 1, sample_mask: u32::MAX, ..SetRaster::default() }
}

fn draw_as(guest: &mut Guest, topology: Topology, vertices: &[Vertex]) {
    let data = guest.upload(bytemuck::cast_slice(vertices));
    guest.bind_vertices(ObjectId::new(ObjectKind::Upload, data.slot), data.offset, data.size.into());
    guest.draw(topology, 0, vertices.len() as u32);
}

/// A vertex at a place in pixels of the 16 x 16 target.
fn at(x: f32, y: f32, color: [f32; 4]) -> Vertex {
    vertex(x / 8.0 - 1.0, 1.0 - y / 8.0, 0.5, color)
}

#[test]
fn alpha_is_coverage_where_there_are_samples() {
    for without in profiles() {
        let mut guest = Guest::with(without);
        let single = guest.target(Format::R8G8B8A8_UNORM, 16, 16);
        let samples = |samples| CreateTexture {
            samples,
            usage: CreateTexture::TARGET,
            ..plain(Format::R8G8B8A8_UNORM, 16, 16, 1)
        };
        let many = guest.texture_with(samples(4));
        guest.shaders(VERTEX, COLOR);
        guest.layout();
        let red = |guest: &mut Guest, target, alpha_to_coverage, alpha| {
            guest.bind(target, ObjectId::NONE);
            guest.clear(Clear::COLOR, BLACK, 1.0, 0);
            guest.encoder.push(&SetRaster { alpha_to_coverage, ..raster() });
            guest.draw_now(&full(0.5, [1.0, 0.0, 0.0, alpha]));
            if target != single {
                let view = |texture| View { texture, level: 0, layer: 0 };
                let rect = Rect { x: 0, y: 0, width: 16, height: 16 };
                let (src, dst) = (view(target), view(single));
                guest.encoder.push(&Blit { src, dst, src_rect: rect, dst_rect: rect, filter: 0, pad: 0 });
            }
            // The mean: devices may spread samples differently over neighbours.
            guest.pixels().pixels.iter().map(|pixel| u32::from(pixel[0])).sum::<u32>() / 256
        };
        assert_eq!(red(&mut guest, many, 0, 0.5), 255);
        assert!((96..=160).contains(&red(&mut guest, many, 1, 0.5)));
        assert_eq!((red(&mut guest, many, 1, 0.0), red(&mut guest, many, 1, 1.0)), (0, 255));
        // One sample is all there is.
        assert_eq!(red(&mut guest, single, 1, 0.25), 255);
        guest.finish();
    }
}

#[test]
fn logical_operations_are_those_of_the_table() {
    let (s, d) = (0b1100_0101u8, 0b1010_0011u8);
    let expected = |op: LogicOp| match op {
        LogicOp::Off | LogicOp::Copy => s,
        LogicOp::Clear => 0,
        LogicOp::And => s & d,
        LogicOp::AndReverse => s & !d,
        LogicOp::AndInverted => !s & d,
        LogicOp::NoOp => d,
        LogicOp::Xor => s ^ d,
        LogicOp::Or => s | d,
        LogicOp::Nor => !(s | d),
        LogicOp::Equivalent => !(s ^ d),
        LogicOp::Invert => !d,
        LogicOp::OrReverse => s | !d,
        LogicOp::CopyInverted => !s,
        LogicOp::OrInverted => !s | d,
        LogicOp::Nand => !(s & d),
        LogicOp::Set => 255,
    };
    // One at a time, and all of them in a row.
    for (without, in_a_row) in profiles().into_iter().flat_map(|without| [(without, false), (without, true)]) {
        let mut guest = colored(without);
        if !guest.has_logic() {
            continue;
        }
        guest.clear(Clear::COLOR, [f32::from(d) / 255.0; 4], 1.0, 0);
        for (column, &op) in (0..).zip(LogicOp::ALL) {
            // Blending says nothing where there is a logical operation.
            let enable = u8::from(op != LogicOp::Off);
            let (src_color, dst_color) = (BlendFactor::Zero as u8, BlendFactor::Zero as u8);
            guest.encoder.push_tail(
                &SetBlend {
                    enable,
                    src_color,
                    dst_color,
                    logic_op: op as u8,
                    write_masks: [0b0111; 8],
                    ..SetBlend::default()
                },
                &[],
            );
            let (x, y) = (column % 16, column / 16);
            guest.encoder.push(&SetScissor { rect: Rect { x, y, width: 1, height: 1 } });
            guest.draw_now(&full(0.5, [f32::from(s) / 255.0; 4]));
            if !in_a_row {
                guest.pixels();
            }
        }
        let pixels = guest.pixels();
        for (column, &op) in (0..).zip(LogicOp::ALL) {
            let value = expected(op);
            assert_eq!(pixels.at(column % 16, column / 16), [value, value, value, d], "{op:?}, in a row: {in_a_row}");
        }
        guest.finish();
    }
    // Where the device has none, the draw is as without.
    let mut guest = colored(without_options());
    guest
        .encoder
        .push_tail(&SetBlend { logic_op: LogicOp::Clear as u8, write_masks: [15; 8], ..SetBlend::default() }, &[]);
    guest.draw_now(&full(0.5, RED));
    assert_eq!(guest.pixels().count(rgba(RED)), 256);
    guest.finish();
}

/// Sixteen by sixteen texels that have every value in each channel.
fn every_byte(guest: &mut Guest) -> ObjectId {
    let texels: Vec<u8> = (0..=255).flat_map(|value| [value; 4]).collect();
    let texture = guest.texture(Format::R8G8B8A8_UNORM, 16, 16, 1, 0);
    guest.update_texture(texture, 0, 0, [16, 16], 64, &texels);
    let sampler = guest.sampler(sampling(Filter::Nearest));
    guest.bind_texture(0, texture, sampler);
    texture
}

#[test]
fn signed_equations_read_the_source_as_a_signed_byte() {
    for without in profiles() {
        let mut guest = colored(without);
        let screen = guest.pixels_target();
        let depth = guest.texture(Format::D24_UNORM_S8_UINT, 16, 16, 1, CreateTexture::TARGET);
        guest.bind(screen, depth);
        guest.shaders(VERTEX, TEXTURE);
        every_byte(&mut guest);
        let id = guest.id(ObjectKind::Query);
        guest.encoder.push(&CreateQuery { id, kind: QueryKind::Occlusion as u32 });
        let mut token = 0;
        for op in [BlendOp::SignedAdd, BlendOp::SignedReverseSubtract] {
            for under in [0u8, 1, 51, 127, 128, 200, 255] {
                guest.clear(Clear::COLOR | Clear::DEPTH | Clear::STENCIL, [f32::from(under) / 255.0; 4], 1.0, 7);
                // Factors say nothing.
                let (src_color, dst_color) = (BlendFactor::SrcAlpha as u8, BlendFactor::Zero as u8);
                let (color_op, alpha_op) = (op as u8, op as u8);
                let write_masks = [15; 8];
                let blend = SetBlend { src_color, dst_color, color_op, alpha_op, write_masks, ..SetBlend::default() };
                guest.encoder.push_tail(&SetBlend { enable: 1, ..blend }, &[]);
                let pass = StencilFace { pass: StencilOp::IncrementWrap as u8, compare: 7, ..StencilFace::default() };
                guest.encoder.push(&SetDepthStencil {
                    depth_test: 1,
                    depth_write: 1,
                    depth_compare: Compare::Less as u8,
                    stencil_test: 1,
                    front: pass,
                    back: pass,
                    read_mask: 255,
                    write_mask: 255,
                    ..SetDepthStencil::default()
                });
                token += 1;
                guest.encoder.push(&BeginQuery { id, pad: 0 });
                guest.draw_now(&full(0.5, RED));
                guest.encoder.push(&EndQuery { id, pad: 0, token });
                let pixels = guest.pixels();
                for source in 0..=255u8 {
                    let signed = i32::from(source as i8);
                    let sum = i32::from(under) + if op == BlendOp::SignedAdd { signed } else { -signed };
                    let expected = sum.clamp(0, 255) as u8;
                    let found = pixels.pixels[usize::from(source)];
                    assert_eq!(found, [expected; 4], "{op:?} of {source} on {under}");
                }
                let texels = guest.read(depth, Format::D24_UNORM_S8_UINT, 0, 0, [16, 16]);
                assert!(texels.chunks_exact(4).all(|t| t[3] == 8 && t[2] == 0x80), "drawn once: {texels:?}");
                let answer = afterimage_stream::Reply::Query { id, token, value: 256 };
                assert!(guest.replies.contains(&answer), "counted once: {:?}", guest.replies);
                // And as ever without blending, or with another equation.
                guest.encoder.push_tail(&SetBlend { enable: 0, ..blend }, &[]);
                guest.encoder.push(&SetDepthStencil::default());
                guest.draw_now(&full(0.5, RED));
                assert_eq!(guest.pixels().pixels[200], [200; 4]);
            }
        }
        assert_eq!(guest.renderer.draws(), 2 * 2 * 7);
        guest.finish();
    }
}

#[test]
fn lines_are_as_wide_as_asked() {
    if !HAS.wide_lines {
        return;
    }
    for without in profiles() {
        let mut guest = colored(without);
        for (width, rows) in [(0.0, 1), (1.0, 1), (3.0, 3), (6.0, 6)] {
            for mode in [LineMode::Rectangular, LineMode::Bresenham] {
                guest.clear(Clear::COLOR, BLACK, 1.0, 0);
                guest.encoder.push(&SetRaster { line_width: width, line_mode: mode as u8, ..raster() });
                // Odd widths lie around a row of pixels, even ones around the border between two.
                let y = if rows % 2 == 1 { 8.5 } else { 8.0 };
                draw_as(&mut guest, Topology::LineList, &[at(2.0, y, RED), at(14.0, y, RED)]);
                let pixels = guest.pixels();
                let count = (0..16).filter(|&y| pixels.at(8, y) == rgba(RED)).count();
                assert_eq!(count, rows, "{width} {mode:?}");
            }
        }
        // Far too wide is as wide as it gets.
        guest.encoder.push(&SetRaster { line_width: 1e6, ..raster() });
        draw_as(&mut guest, Topology::LineList, &[at(2.0, 8.0, GREEN), at(14.0, 8.0, GREEN)]);
        assert!(guest.pixels().count(rgba(GREEN)) >= 12 * 6);
        guest.finish();
    }
    if !HAS.raster_options {
        return;
    }
    let mut guest = colored(without_options());
    guest.encoder.push(&SetRaster { line_width: 5.0, line_mode: LineMode::Bresenham as u8, ..raster() });
    draw_as(&mut guest, Topology::LineList, &[at(2.0, 8.5, RED), at(14.0, 8.5, RED)]);
    let pixels = guest.pixels();
    assert_eq!((0..16).filter(|&y| pixels.at(8, y) == rgba(RED)).count(), 1);
    guest.finish();
}

#[test]
fn the_modes_of_lines_differ_where_lines_are_oblique() {
    if !HAS.wide_lines {
        return;
    }
    let mut guest = colored(Without::default());
    let mut draw = |mode: LineMode| {
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        guest.encoder.push(&SetRaster { line_width: 5.0, line_mode: mode as u8, ..raster() });
        draw_as(&mut guest, Topology::LineList, &[at(4.5, 4.5, RED), at(11.5, 11.5, RED)]);
        guest.pixels()
    };
    let rectangle = draw(LineMode::Rectangular);
    let steps = draw(LineMode::Bresenham);
    // Five pixels in every column it passes, against five across.
    let column = |pixels: &Pixels| (0..16).filter(|&y| pixels.at(8, y) == rgba(RED)).count();
    assert_eq!(column(&steps), 5);
    assert!(column(&rectangle) >= 6, "{}", column(&rectangle));
    // The corners of the rectangle stand out to the side.
    assert_eq!((rectangle.at(6, 3), steps.at(6, 3)), (rgba(RED), rgba(BLACK)));
    guest.finish();
}

#[test]
fn smoothed_lines_have_alpha_by_what_they_cover() {
    if !HAS.raster_options {
        return;
    }
    for without in profiles() {
        let mut guest = colored(without);
        let smooth = guest.renderer.device_info().features & DeviceFeatures::SMOOTH_LINES != 0;
        let opaque = SetBlend { write_masks: [15; 8], ..SetBlend::default() };
        let mut alphas = |mode: LineMode, coverage: u8, class: Topology| {
            guest.encoder.push_tail(&opaque, &[]);
            guest.clear(Clear::COLOR, [0.0; 4], 1.0, 0);
            let fill = if class == Topology::TriangleList { Fill::Line } else { Fill::Solid } as u8;
            let state = SetRaster { line_width: 1.0, line_mode: mode as u8, fill, fill_back: fill, ..raster() };
            guest.encoder.push(&SetRaster { alpha_to_coverage: coverage, ..state });
            let corners = [at(1.5, 2.5, RED), at(14.5, 7.5, RED), at(3.5, 13.5, RED)];
            draw_as(&mut guest, class, &corners[..if class == Topology::LineList { 2 } else { 3 }]);
            let drawn =
                guest.pixels().pixels.iter().map(|pixel| pixel[3]).filter(|alpha| *alpha > 0).collect::<Vec<_>>();
            (drawn.len(), drawn.iter().filter(|alpha| **alpha < 255).count())
        };
        for class in [Topology::LineList, Topology::TriangleList] {
            let (plain, partly) = alphas(LineMode::Default, 0, class);
            assert!(plain > 8 && partly == 0, "{plain} {partly}");
            let (all, partly) = alphas(LineMode::Smooth, 0, class);
            if smooth {
                assert!(all > plain && partly > 8, "{class:?}: {all} of {plain}, {partly}");
            } else {
                assert_eq!((all, partly), (plain, 0), "a device without draws them as others");
            }
        }
        // Vulkan has no pipelines with both; validation layers would say so.
        assert!(alphas(LineMode::Smooth, 1, Topology::LineList).0 > 8);
        guest.finish();
    }
    let mut guest = colored(without_options());
    assert_eq!(guest.renderer.device_info().features & DeviceFeatures::SMOOTH_LINES, 0);
    guest.encoder.push(&SetRaster { line_width: 1.0, line_mode: LineMode::Smooth as u8, ..raster() });
    draw_as(&mut guest, Topology::LineList, &[at(2.0, 8.5, RED), at(14.0, 8.5, RED)]);
    let pixels = guest.pixels();
    assert_eq!((0..16).filter(|&y| pixels.at(8, y) == rgba(RED)).count(), 1);
    guest.finish();
}

/// Whether a line covers a pixel by the rule of [`LineMode::Quad`], with ends at sixteenths of pixels. `None` on an edge.
fn quad_covers(a: [f32; 2], b: [f32; 2], width: f32, x: u32, y: u32) -> Option<bool> {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let square = dx * dx + dy * dy;
    let reach = width / 2.0 * (dx.abs().max(dy.abs()) + dx.abs().min(dy.abs()) / 2.0) / square.sqrt();
    let (px, py) = (x as f32 + 0.5 - a[0], y as f32 + 0.5 - a[1]);
    let (along, across) = ((px * dx + py * dy) / square.sqrt(), (py * dx - px * dy) / square.sqrt());
    let inside = [along, square.sqrt() - along, reach - across.abs()].into_iter().fold(f32::MAX, f32::min);
    (inside.abs() > 1.0 / 128.0).then_some(inside > 0.0)
}

#[test]
fn lines_of_two_triangles_are_those_of_early_chips() {
    if !HAS.wide_lines {
        return;
    }
    for without in profiles() {
        let mut guest = colored(without);
        // Neither culling nor the fill of triangles is about lines.
        let lines = SetRaster { line_mode: LineMode::Quad as u8, cull: Cull::Front as u8, ..raster() };
        let state = SetRaster { fill: Fill::Line as u8, fill_back: Fill::Point as u8, ..lines };
        let ends =
            [([2.0625, 3.0], [13.3125, 12.5]), ([3.0, 12.9375], [13.5, 4.1875]), ([4.3125, 2.0], [6.0625, 14.0])];
        for (a, b) in ends {
            for width in [0.5, 1.0, 1.5, 4.0, 5.625] {
                for (a, b) in [(a, b), (b, a)] {
                    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
                    guest.encoder.push(&SetRaster { line_width: width, ..state });
                    // A fraction of a sixteenth is rounded away.
                    let (first, last) = (at(a[0] + 0.02, a[1] - 0.02, RED), at(b[0], b[1], RED));
                    draw_as(&mut guest, Topology::LineList, &[first, last]);
                    let pixels = guest.pixels();
                    for (x, y) in (0..16).flat_map(|y| (0..16).map(move |x| (x, y))) {
                        let Some(covers) = quad_covers(a, b, width, x, y) else { continue };
                        let expected = if covers { RED } else { BLACK };
                        assert_eq!(pixels.at(x, y), rgba(expected), "{a:?} to {b:?}, {width} wide, at {x}, {y}");
                    }
                }
            }
        }
        // Triangles after lines are culled as ever, and the vertex that provokes gives a line's colour.
        guest.encoder.push(&SetRaster { fill: 0, fill_back: 0, ..lines });
        let flat = |y: f32| [at(1.0, y, BLUE), at(15.0, y, GREEN)];
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        guest.shaders(VERTEX, FLAT);
        draw_as(&mut guest, Topology::LineStrip, &flat(2.5));
        draw_as(&mut guest, Topology::TriangleList, &[at(1.0, 8.0, RED), at(7.0, 8.0, RED), at(1.0, 14.0, RED)]);
        draw_as(&mut guest, Topology::TriangleList, &[at(9.0, 8.0, RED), at(9.0, 14.0, RED), at(15.0, 8.0, RED)]);
        guest.encoder.push(&SetRaster { provoking: Provoking::Last as u8, ..lines });
        draw_as(&mut guest, Topology::LineStrip, &flat(4.5));
        let pixels = guest.pixels();
        assert_eq!((pixels.count(rgba(BLUE)), pixels.count(rgba(GREEN))), (14, 14));
        assert_eq!((pixels.at(2, 9), pixels.at(10, 9)), (rgba(BLACK), rgba(RED)));
        // What is interpolated is so along the line; what is behind the eye is not drawn.
        guest.shaders(VERTEX, COLOR);
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        guest.encoder.push(&SetRaster { line_width: 3.0, ..lines });
        draw_as(&mut guest, Topology::LineList, &[at(0.0, 8.5, BLACK), at(16.0, 8.5, RED)]);
        let mut behind = [at(0.0, 2.5, GREEN), at(16.0, 2.5, GREEN)];
        behind[1].position = [-1.0, 0.0, -0.5, -1.0];
        draw_as(&mut guest, Topology::LineList, &behind);
        let pixels = guest.pixels();
        for (x, y) in [(2, 7), (8, 8), (13, 9)] {
            let expected = (x as f32 + 0.5) / 16.0 * 255.0;
            assert!((f32::from(pixels.at(x, y)[0]) - expected).abs() < 2.0, "{x} {y}: {:?}", pixels.at(x, y));
        }
        assert!(pixels.pixels.iter().all(|pixel| pixel[1] == 0));
        guest.finish();
    }
}

/// Corners of the line loop of nxdk_pgraph_tests' suite "Smoothing control", in pixels.
const LOOP: [[f32; 2]; 16] = [
    [196.0, 47.0],
    [194.0, 19.0],
    [182.0, 97.0],
    [106.18625, 80.0],
    [127.0, 94.58163],
    [133.59744, 13.763389],
    [205.0, 62.0],
    [115.54392, 16.0],
    [122.0, 3.0],
    [117.062706, 87.73556],
    [201.0, 28.664894],
    [146.11409, 10.0],
    [205.3566, 88.0],
    [125.0, 107.0],
    [190.82895, 35.510303],
    [163.0, 105.95682],
];

/// The pixels that an Xbox drew for lines one pixel wide, against ours: with anti-aliasing on two triangles a line, else one
/// pixel a step.
#[test]
fn lines_are_where_a_console_has_them() {
    if !HAS.raster_options {
        return;
    }
    let suite = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/captures/nv2a/Smoothing_control");
    for (name, mode, most) in [("0xFFFF0001", LineMode::Quad, 1), ("0xFFFF0000", LineMode::Bresenham, 20)] {
        let Ok(file) = std::fs::File::open(format!("{suite}/{name}.png")) else {
            eprintln!("not tested: {suite} is not there");
            return;
        };
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
        let mut golden = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut golden).unwrap();
        let (width, size) = (info.width, info.color_type.samples());
        let golden = |x: u32, y: u32| &golden[(y * width + x) as usize * size..][..3];
        let background = golden(300, 2);

        let mut guest = colored(Without::default());
        guest.target(Format::R8G8B8A8_UNORM, 256, 128);
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        guest.encoder.push(&SetRaster { line_mode: mode as u8, ..raster() });
        // The console cuts coordinates off after sixteenths.
        let corner = |&[x, y]: &[f32; 2]| {
            let [x, y] = [x, y].map(|edge| (edge * 16.0).floor() / 16.0);
            vertex(x / 128.0 - 1.0, 1.0 - y / 64.0, 0.5, RED)
        };
        let corners: Vec<Vertex> = LOOP.iter().chain(&LOOP[..1]).map(corner).collect();
        draw_as(&mut guest, Topology::LineStrip, &corners);
        let pixels = guest.pixels();
        // Left of this part is text.
        let part = (0..112).flat_map(|y| (121..212).map(move |x| (x, y)));
        let differs = |&(x, y): &(u32, u32)| (golden(x, y) != background) != (pixels.at(x, y) == rgba(RED));
        let others: Vec<_> = part.filter(differs).collect();
        assert!(others.len() <= most, "{name}: {others:?}");
        guest.finish();
    }
}

#[test]
fn faces_are_filled_in_different_ways() {
    // Clockwise in window space is front here.
    let front = [at(1.0, 1.0, RED), at(7.0, 1.0, RED), at(1.0, 7.0, RED)];
    let back = [at(9.0, 1.0, GREEN), at(9.0, 7.0, GREEN), at(15.0, 1.0, GREEN)];
    let both: Vec<Vertex> = front.into_iter().chain(back).collect();
    for without in profiles() {
        let mut guest = colored(without);
        let mut draw = |state: SetRaster| {
            guest.clear(Clear::COLOR, BLACK, 1.0, 0);
            guest.encoder.push(&state);
            draw_as(&mut guest, Topology::TriangleList, &both);
            // The next draw of the same state, and one of lines, which have no faces.
            draw_as(&mut guest, Topology::LineList, &[at(1.0, 12.5, BLUE), at(15.0, 12.5, BLUE)]);
            let pixels = guest.pixels();
            assert_eq!(pixels.count(rgba(BLUE)), 14, "{state:?}");
            (
                pixels.at(2, 2) == rgba(RED),
                pixels.count(rgba(RED)),
                pixels.at(10, 2) == rgba(GREEN),
                pixels.count(rgba(GREEN)),
            )
        };
        let (solid, line, point) = (Fill::Solid as u8, Fill::Line as u8, Fill::Point as u8);
        let of = |fill, fill_back, cull: Cull| SetRaster { fill, fill_back, cull: cull as u8, ..raster() };
        let (red_inside, reds, green_inside, greens) = draw(of(solid, line, Cull::None));
        assert!(red_inside && reds > 10 && !green_inside && greens > 8, "{reds} {greens}");
        let (red_inside, reds, green_inside, greens) = draw(of(point, solid, Cull::None));
        assert!(!red_inside && (1..=3).contains(&reds) && green_inside && greens > 10, "{reds} {greens}");
        let (red_inside, reds, ..) = draw(of(line, solid, Cull::Back));
        assert!(!red_inside && reds > 8, "{reds}");
        let (_, reds, green_inside, greens) = draw(of(line, solid, Cull::Front));
        assert!(reds == 0 && green_inside && greens > 10);
        guest.finish();
    }
}

#[test]
fn faces_that_are_drawn_apart_are_counted_and_blended_once() {
    for without in profiles() {
        let mut guest = colored(without);
        let id = guest.id(ObjectKind::Query);
        guest.encoder.push(&CreateQuery { id, kind: QueryKind::Occlusion as u32 });
        let (one, add) = (BlendFactor::One as u8, BlendOp::Add as u8);
        let (src_color, dst_color, color_op) = (one, one, add);
        guest.encoder.push_tail(
            &SetBlend { enable: 1, src_color, dst_color, color_op, write_masks: [7; 8], ..SetBlend::default() },
            &[],
        );
        guest.encoder.push(&SetRaster { fill_back: Fill::Line as u8, ..raster() });
        guest.encoder.push(&BeginQuery { id, pad: 0 });
        let dark = [0.2, 0.0, 0.0, 1.0];
        let vertices = [at(1.5, 1.5, dark), at(14.5, 1.5, dark), at(1.5, 14.5, dark)];
        let backwards = [vertices[0], vertices[2], vertices[1]];
        // One of the windings is front.
        draw_as(&mut guest, Topology::TriangleList, &vertices);
        guest.encoder.push(&EndQuery { id, pad: 0, token: 1 });
        guest.encoder.push(&BeginQuery { id, pad: 0 });
        draw_as(&mut guest, Topology::TriangleList, &backwards);
        guest.encoder.push(&EndQuery { id, pad: 0, token: 2 });
        let pixels = guest.pixels();
        assert_eq!(pixels.at(4, 4)[0], 51, "the inside of one of the two, once");
        let value = |token| {
            guest.replies.iter().find_map(|reply| match *reply {
                afterimage_stream::Reply::Query { token: t, value, .. } if t == token => Some(value),
                _ => None,
            })
        };
        let (Some(filled), Some(outline)) = (value(1), value(2)) else { panic!("{:?}", guest.replies) };
        assert!((70..=100).contains(&filled) && (30..=50).contains(&outline), "{filled} {outline}");
        guest.finish();
    }
}

/// Writes the colour of the vertex that provokes.
const FLAT: &str = r#"pixel "flat" {
  input in0 : f32x4 location 0 flat
  output out0 : f32x4 location 0
  v0: f32x4 = load_input in0
  store_output out0, v0
  return
}"#;

#[test]
fn the_first_or_the_last_vertex_provokes() {
    let corners = [at(0.0, 0.0, RED), at(16.0, 0.0, GREEN), at(0.0, 16.0, BLUE)];
    for without in profiles() {
        let mut guest = colored(without);
        guest.shaders(VERTEX, FLAT);
        for (provoking, color) in [(Provoking::First, RED), (Provoking::Last, BLUE), (Provoking::First, RED)] {
            guest.encoder.push(&SetRaster { provoking: provoking as u8, ..raster() });
            guest.draw_now(&corners);
            assert_eq!(guest.pixels().at(4, 4), rgba(color), "{provoking:?}");
        }
        let mut lines = corners;
        lines[0].position = at(0.0, 15.5, RED).position;
        lines[1].position = at(16.0, 15.5, RED).position;
        guest.encoder.push(&SetRaster { provoking: Provoking::Last as u8, ..raster() });
        draw_as(&mut guest, Topology::LineList, &lines[..2]);
        assert_eq!(guest.pixels().at(8, 15), rgba(GREEN));
        guest.finish();
    }
    if !HAS.raster_options {
        return;
    }
    let mut guest = colored(without_options());
    guest.shaders(VERTEX, FLAT);
    guest.encoder.push(&SetRaster { provoking: Provoking::Last as u8, ..raster() });
    guest.draw_now(&corners);
    assert_eq!(guest.pixels().at(4, 4), rgba(RED), "the device has no choice");
    guest.finish();
}

#[test]
fn viewports_anywhere_are_drawn_with_or_refused() {
    let mut guest = colored(Without::default());
    for x in [0.0, -16384.0, 16384.0, -32768.0, 32768.0, 40_000.0, -1e30, f32::MAX] {
        for width in [0.0, 16.0, 16384.0, 32768.0, 40_000.0] {
            for (x, y, width, height) in [(x, 0.0, width, 16.0), (0.0, x, 16.0, width), (x, x, width, width)] {
                guest.encoder.push(&SetViewport { x, y, width, height, min_depth: 0.0, max_depth: 1.0 });
                let there = x.abs() <= 32768.0 && y.abs() <= 32768.0 && width <= 32768.0 && height <= 32768.0;
                assert_eq!(guest.try_run().is_ok(), there, "{x} {y} {width} {height}");
                guest.draw_now(&full(0.5, RED));
            }
        }
    }
    guest.replies.clear();
    guest.viewport(16, 16);
    guest.draw_now(&full(0.5, GREEN));
    assert_eq!(guest.pixels().at(4, 4), rgba(GREEN));
    guest.finish();
}
