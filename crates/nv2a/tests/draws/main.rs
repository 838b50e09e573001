//! Draws through the renderer, compared with a plain reference of which pixels they cover.

#[allow(dead_code, reason = "the clears' tests use the rest")]
#[path = "../surfaces/rig.rs"]
mod rig;

use afterimage_nv2a::machine::{Attributes, Part, Primitive, PrimitiveKind};
use afterimage_nv2a::memory::{DmaClass, DmaObject, DmaTarget, GuestMemory};
use afterimage_nv2a_types::method;
use rig::Rig;

const COLOR: u32 = 0x10_0000;
const ZETA: u32 = 0x20_0000;
const VERTICES: u32 = 0x30_0000;
const SIZE: u32 = 64;
/// Bytes of a vertex in memory: position of four floats, diffuse in Direct3D's order.
const STRIDE: u32 = 20;

/// A vertex: place on the screen, colour 0xAARRGGBB.
type Vertex = ([f32; 2], u32);

/// The combiners' source that is the diffuse colour.
const DIFFUSE: u32 = 0x04;

/// A scene that draws vertices where they are, in their diffuse colour.
fn scene() -> Rig {
    let mut rig = Rig::on_screen(SIZE, DIFFUSE);
    for (at, value) in [(method::SET_LINE_WIDTH, 8), (method::SET_POINT_SIZE, 8), (method::SET_SPECULAR_ENABLE, 1)] {
        rig.set(at, value);
    }
    let limit = rig.memory.size() - 1;
    let all = DmaObject { class: DmaClass::ReadWrite, target: DmaTarget::Nvm, address: 0, limit };
    rig.kelvin.dma.vertex_a = Some(all);
    rig.clear(0xF0, 0, 0, [0, 0, SIZE, SIZE]);
    rig
}

/// Arrays of positions and, if wanted, colours.
fn arrays(rig: &mut Rig, vertices: &[Vertex], colors: bool) {
    for (i, (place, color)) in (0..).zip(vertices) {
        let position = [place[0], place[1], 0.0, 1.0].map(f32::to_le_bytes).concat();
        rig.memory.write(VERTICES + i * STRIDE, &position).expect("inside of memory");
        rig.memory.write(VERTICES + i * STRIDE + 16, &color.to_le_bytes()).expect("inside of memory");
    }
    rig.set(method::SET_VERTEX_DATA_ARRAY_OFFSET, VERTICES);
    rig.set(method::SET_VERTEX_DATA_ARRAY_FORMAT, STRIDE << 8 | 4 << 4 | 2);
    rig.set(method::SET_VERTEX_DATA_ARRAY_OFFSET + 12, VERTICES + 16);
    rig.set(method::SET_VERTEX_DATA_ARRAY_FORMAT + 12, if colors { STRIDE << 8 | 4 << 4 } else { 0 });
}

fn draw(rig: &mut Rig, kind: PrimitiveKind, parts: Vec<Part>) {
    rig.graphics.draw(&mut rig.kelvin, &mut rig.memory, &Primitive { kind, parts });
}

/// The picture in memory.
fn picture(rig: &mut Rig) -> Vec<u32> {
    rig.graphics.write_back(&mut rig.memory, COLOR, SIZE * SIZE * 4);
    (0..SIZE * SIZE).map(|i| rig.memory.word(COLOR + 4 * i).expect("inside of memory")).collect()
}

fn immediate(vertices: &[Vertex]) -> Part {
    let vertex = |(place, color): &Vertex| {
        let mut attributes = Attributes::default();
        attributes.iter_mut().for_each(|attribute| *attribute = [0.0, 0.0, 0.0, 1.0]);
        attributes[0] = [place[0], place[1], 0.0, 1.0];
        let [blue, green, red, alpha] = color.to_le_bytes().map(|byte| f32::from(byte) / 255.0);
        attributes[3] = [red, green, blue, alpha];
        attributes
    };
    Part::Immediate(vertices.iter().map(vertex).collect())
}

/// Places off the centres and the corners of pixels, so that no rule for ties decides.
const ZIGZAG: [Vertex; 8] = [
    ([4.3, 50.2], 0xFFFF_0000),
    ([8.2, 8.3], 0xFF00_FF00),
    ([20.3, 55.3], 0xFF00_00FF),
    ([25.3, 5.2], 0xFFFF_FF00),
    ([38.2, 52.3], 0xFFFF_00FF),
    ([41.3, 9.3], 0xFF00_FFFF),
    ([57.3, 58.2], 0xFFFF_FFFF),
    ([60.2, 12.3], 0xFF80_8080),
];

#[test]
fn four_ways_to_submit_vertices_give_the_same_pixels() {
    let words = |vertices: &[Vertex]| {
        let word = |(place, color): &Vertex| [place[0].to_bits(), place[1].to_bits(), 0, 1.0f32.to_bits(), *color];
        vertices.iter().flat_map(word).collect::<Vec<_>>()
    };
    let ways = [
        vec![Part::Arrays { first: 0, count: 8 }],
        vec![Part::Elements((0..8).collect())],
        vec![Part::Inline(words(&ZIGZAG))],
        vec![immediate(&ZIGZAG)],
        vec![Part::Elements(vec![0, 1, 2]), Part::Arrays { first: 3, count: 3 }, Part::Elements(vec![6, 7])],
    ];
    for kind in [PrimitiveKind::TriangleStrip, PrimitiveKind::Quads, PrimitiveKind::LineLoop, PrimitiveKind::Points] {
        let mut pictures = ways.iter().map(|parts| {
            let mut rig = scene();
            arrays(&mut rig, &ZIGZAG, true);
            draw(&mut rig, kind, parts.clone());
            let picture = picture(&mut rig);
            rig.finish();
            picture
        });
        let first = pictures.next().expect("a way");
        assert!(first.iter().any(|pixel| *pixel != 0), "{kind:?}");
        assert!(pictures.all(|picture| picture == first), "{kind:?}");
    }
}

#[test]
fn the_last_vertex_of_arrays_is_carried_over() {
    let mut rig = scene();
    arrays(&mut rig, &ZIGZAG, true);
    draw(&mut rig, PrimitiveKind::Triangles, vec![Part::Elements(vec![0, 1, 4])]);
    rig.clear(0xF0, 0, 0, [0, 0, SIZE, SIZE]);
    arrays(&mut rig, &ZIGZAG, false);
    draw(&mut rig, PrimitiveKind::Triangles, vec![Part::Arrays { first: 0, count: 3 }]);
    let picture = picture(&mut rig);
    rig.finish();
    let drawn: Vec<_> = picture.iter().filter(|pixel| **pixel != 0).collect();
    assert!(drawn.len() > 100 && drawn.iter().all(|pixel| **pixel == ZIGZAG[4].1), "{:x?}", drawn.first());
}

/// Whether the centre of a pixel is inside of a triangle.
fn inside(triangle: [[f32; 2]; 3], x: u32, y: u32) -> bool {
    let (x, y) = (x as f32 + 0.5, y as f32 + 0.5);
    let side = |a: [f32; 2], b: [f32; 2]| (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) > 0.0;
    let [a, b, c] = triangle;
    let sides = [side(a, b), side(b, c), side(c, a)];
    sides == [true; 3] || sides == [false; 3]
}

/// Positions as the rasteriser keeps them.
fn cut(place: [f32; 2]) -> [f32; 2] {
    place.map(|at| (at * 16.0).floor() / 16.0)
}

/// The triangles of each kind, by the definition of the kind.
fn triangles(kind: PrimitiveKind, count: usize) -> Vec<[usize; 3]> {
    use PrimitiveKind as P;
    match kind {
        P::Triangles => (0..count / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect(),
        P::TriangleStrip => (2..count).map(|i| [i - 2, i - 1, i]).collect(),
        P::TriangleFan | P::Polygon => (2..count).map(|i| [0, i - 1, i]).collect(),
        P::Quads => {
            (0..count / 4).flat_map(|q| [[4 * q, 4 * q + 1, 4 * q + 2], [4 * q, 4 * q + 2, 4 * q + 3]]).collect()
        }
        P::QuadStrip => (2..count & !1).map(|i| [i - 2, i - 1, i]).collect(),
        other => panic!("{other:?}"),
    }
}

/// The two triangles of a line.
fn line([a, b]: [[f32; 2]; 2], width: f32) -> [[[f32; 2]; 3]; 2] {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length = dx.abs().max(dy.abs()) + dx.abs().min(dy.abs()) / 2.0;
    let factor = width / 2.0 * length / (dx * dx + dy * dy);
    let at = |p: [f32; 2], side: f32| [p[0] - dy * factor * side, p[1] + dx * factor * side];
    let corners = [at(a, 1.0), at(b, 1.0), at(b, -1.0), at(a, -1.0)];
    [[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]]
}

/// Draws `count` vertices of the zigzag and compares which pixels are covered. The host keeps eight bits of a pixel, so a few on
/// edges may differ.
fn check(kind: PrimitiveKind, count: usize, prepare: impl Fn(&mut Rig), expected: &[[[f32; 2]; 3]]) {
    let mut rig = scene();
    prepare(&mut rig);
    draw(&mut rig, kind, vec![immediate(&ZIGZAG[..count])]);
    let picture = picture(&mut rig);
    rig.finish();
    let pixels = (0..SIZE * SIZE).map(|i| (i % SIZE, i / SIZE));
    let wrong: Vec<_> = pixels
        .zip(&picture)
        .filter(|((x, y), pixel)| expected.iter().any(|t| inside(*t, *x, *y)) != (**pixel != 0))
        .map(|(place, _)| place)
        .collect();
    assert!(wrong.len() <= 4, "{kind:?} of {count}: {wrong:?}");
}

#[test]
fn every_kind_covers_its_pixels() {
    use PrimitiveKind as P;
    let place = |i: usize| cut(ZIGZAG[i].0);
    for kind in [P::Triangles, P::TriangleStrip, P::TriangleFan, P::Quads, P::QuadStrip, P::Polygon] {
        for count in [2, 3, 5, 8] {
            let expected: Vec<_> = triangles(kind, count).iter().map(|t| t.map(place)).collect();
            check(kind, count, |_| {}, &expected);
        }
    }
    let lines = |pairs: &[[usize; 2]], width| pairs.iter().flat_map(|p| line(p.map(place), width)).collect::<Vec<_>>();
    check(P::Lines, 5, |_| {}, &lines(&[[0, 1], [2, 3]], 1.0));
    check(P::LineStrip, 4, |_| {}, &lines(&[[0, 1], [1, 2], [2, 3]], 1.0));
    let wide = |rig: &mut Rig| rig.set(method::SET_LINE_WIDTH, 36);
    check(P::LineLoop, 3, wide, &lines(&[[0, 1], [1, 2], [2, 0]], 4.5));
    check(P::Points, 8, |_| {}, &(0..8).flat_map(|i| pixel(place(i))).collect::<Vec<_>>());
}

/// The two triangles of a point of one pixel.
fn pixel([x, y]: [f32; 2]) -> [[[f32; 2]; 3]; 2] {
    let corners = [[x - 0.5, y - 0.5], [x + 0.5, y - 0.5], [x + 0.5, y + 0.5], [x - 0.5, y + 0.5]];
    [[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]]
}

#[test]
fn outlines_follow_edge_flags_and_culling() {
    use PrimitiveKind as P;
    let place = |i: usize| cut(ZIGZAG[i].0);
    let lines = |pairs: &[[usize; 2]]| pairs.iter().flat_map(|p| line(p.map(place), 1.0)).collect::<Vec<_>>();
    let outlines = |rig: &mut Rig| {
        rig.set(method::SET_FRONT_POLYGON_MODE, 0x1B01);
        rig.set(method::SET_BACK_POLYGON_MODE, 0x1B01);
        rig.set(method::SET_EDGE_FLAG, 1);
    };
    check(P::QuadStrip, 4, outlines, &lines(&[[0, 1], [1, 3], [3, 2], [2, 0]]));
    check(P::Triangles, 3, outlines, &lines(&[[0, 1], [1, 2], [2, 0]]));
    let unflagged = |rig: &mut Rig| {
        outlines(rig);
        rig.set(method::SET_EDGE_FLAG, 0);
    };
    check(P::Triangles, 3, unflagged, &[]);
    check(P::TriangleStrip, 3, unflagged, &lines(&[[0, 1], [1, 2], [2, 0]]));
    let culled = |face: u32| {
        move |rig: &mut Rig| {
            outlines(rig);
            rig.set(method::SET_FRONT_FACE, 0x900);
            rig.set(method::SET_CULL_FACE, face);
            rig.set(method::SET_CULL_FACE_ENABLE, 1);
        }
    };
    // The first triangle turns clockwise.
    check(P::Triangles, 3, culled(0x404), &[]);
    check(P::Triangles, 3, culled(0x405), &lines(&[[0, 1], [1, 2], [2, 0]]));
    let mut rig = scene();
    outlines(&mut rig);
    let [a, b, c] = [0, 1, 2].map(|i| immediate(&ZIGZAG[i..=i]));
    draw(&mut rig, P::Triangles, vec![a, Part::EdgeFlag(false), b, Part::EdgeFlag(true), c]);
    let picture = picture(&mut rig);
    rig.finish();
    let drawn = |x: usize, y: usize| picture[y * SIZE as usize + x] != 0;
    assert!(drawn(6, 29) && !drawn(14, 31), "from the first vertex to the second, and not on to the third");
}

#[test]
fn passed_pixels_are_counted_over_draws_while_it_is_on() {
    let mut rig = scene();
    rig.set(method::SET_ZPASS_PIXEL_COUNT_ENABLE, 1);
    let square = |x: f32| [[x, 8.0], [x + 4.0, 8.0], [x + 4.0, 12.0], [x, 12.0]].map(|place| (place, 0xFFFF_FFFF));
    rig.graphics.reset_pixel_count();
    draw(&mut rig, PrimitiveKind::Quads, vec![immediate(&square(8.0))]);
    draw(&mut rig, PrimitiveKind::Quads, vec![immediate(&square(16.0))]);
    rig.set(method::SET_ZPASS_PIXEL_COUNT_ENABLE, 0);
    draw(&mut rig, PrimitiveKind::Quads, vec![immediate(&square(24.0))]);
    rig.set(method::SET_ZPASS_PIXEL_COUNT_ENABLE, 1);
    assert_eq!(rig.graphics.pixel_count(), 32);
    draw(&mut rig, PrimitiveKind::Quads, vec![immediate(&square(32.0))]);
    assert_eq!(rig.graphics.pixel_count(), 48, "a report does not reset the count");
    rig.graphics.reset_pixel_count();
    assert_eq!(rig.graphics.pixel_count(), 0);
    rig.finish();
}

#[test]
fn a_program_that_writes_constants_runs_vertex_by_vertex() {
    let mut rig = scene();
    // Each vertex lies ten pixels to the right of the one before.
    let program = afterimage_shader_nv2a::assemble(
        "add r0, v0, c[20]\nmov oPos, r0\nmov oD0, v3\nmov r1, c[21]\nadd r1, r1, c[20]\nmov c[20], r1",
    )
    .expect("a program");
    for (slot, words) in program.words().enumerate() {
        (0..4).for_each(|word| rig.kelvin.registers.set_program(slot, word, words[word]));
    }
    rig.set(method::SET_TRANSFORM_PROGRAM_CXT_WRITE_EN, 1);
    rig.kelvin.registers.set_constant(21, 0, 10.0f32.to_bits());
    let points = [([4.5, 20.5], 0xFFFF_FFFF); 3];
    draw(&mut rig, PrimitiveKind::Points, vec![immediate(&points)]);
    let picture = picture(&mut rig);
    let drawn: Vec<_> = (0..SIZE).filter(|x| picture[(20 * SIZE + x) as usize] != 0).collect();
    assert_eq!(drawn, [4, 14, 24]);
    assert_eq!(rig.kelvin.registers.constant(20)[0], 30.0);
    rig.finish();
}

/// Whatever the host does with them: this program compares bits.
#[test]
fn denormals_among_constants_are_zeros() {
    let mut rig = scene();
    let program =
        afterimage_shader_nv2a::assemble("mov oPos, v0\nmov r0, c[20]\nmov oD0, v3\nslt oD0.xyz, c[21].xyzw, r0")
            .expect("a program");
    for (slot, words) in program.words().enumerate() {
        (0..4).for_each(|word| rig.kelvin.registers.set_program(slot, word, words[word]));
    }
    // Greater than zero are the largest that is none, the smallest number, and one.
    for (lane, bits) in [0x007F_FFFF, 0x0080_0000, 0x3F80_0000].into_iter().enumerate() {
        rig.kelvin.registers.set_constant(20, lane, bits);
    }
    draw(&mut rig, PrimitiveKind::Points, vec![immediate(&[([4.5, 20.5], 0xFF80_8080)])]);
    let picture = picture(&mut rig);
    assert_eq!(picture[(20 * SIZE + 4) as usize], 0xFF00_FFFF);
    rig.finish();
}

/// What is drawn to a surface of two samples per pixel, of each pixel the sample at its corner and that in its middle.
fn samples(kind: PrimitiveKind, vertices: &[Vertex], control: u32) -> Vec<[u32; 2]> {
    let mut rig = scene();
    rig.surface(0x1128, [SIZE, SIZE], [SIZE * 8, SIZE * 8]);
    rig.set(method::SET_ANTI_ALIASING_CONTROL, control);
    rig.clear(0xF0, 0, 0, [0, 0, SIZE, SIZE]);
    draw(&mut rig, kind, vec![immediate(vertices)]);
    rig.graphics.write_back(&mut rig.memory, COLOR, SIZE * SIZE * 8);
    let word = |i: u32| rig.memory.word(COLOR + 4 * i).expect("inside of memory");
    let samples = (0..SIZE * SIZE).map(|i| [word(2 * i), word(2 * i + 1)]).collect();
    rig.finish();
    samples
}

#[test]
fn of_two_samples_one_is_the_corner_and_one_the_middle() {
    for (control, shared) in [(0xFFFF_0001, true), (0xFFFF_0000, false)] {
        let triangle = [0, 1, 3].map(|i| cut(ZIGZAG[i].0));
        let samples = samples(PrimitiveKind::Triangles, &[ZIGZAG[0], ZIGZAG[1], ZIGZAG[3]], control);
        let (mut wrong, mut alike, mut both) = (0, 0, 0);
        for ((x, y), [corner, middle]) in (0..SIZE * SIZE).map(|i| (i % SIZE, i / SIZE)).zip(samples) {
            let at = |step| triangle.map(|[x, y]: [f32; 2]| [x + step, y + step]);
            wrong +=
                u32::from(inside(at(0.5), x, y) != (corner != 0)) + u32::from(inside(at(0.0), x, y) != (middle != 0));
            if corner != 0 && middle != 0 {
                let near = corner.to_le_bytes().iter().zip(middle.to_le_bytes()).all(|(a, b)| a.abs_diff(b) <= 1);
                (both, alike) = (both + 1, alike + u32::from(near));
            }
        }
        assert!(wrong <= 4, "{wrong}");
        assert!(both > 300 && if shared { alike == both } else { alike < both / 10 }, "{alike} of {both}");
    }
}

#[test]
fn a_point_has_both_samples_of_a_pixel() {
    let samples = samples(PrimitiveKind::Points, &[([20.25, 30.25], 0xFF12_3456)], 0xFFFF_0001);
    let drawn: Vec<_> = samples.iter().enumerate().filter(|(_, pixel)| **pixel != [0; 2]).collect();
    assert_eq!(drawn, [((30 * SIZE + 20) as usize, &[0xFF12_3456; 2])]);
}

#[test]
fn a_point_between_pixels_is_the_left_one_or_the_right_one_where_edges_may_be_smoothed() {
    for (control, x) in [(0xFFFF_0001, 19), (0xFFFF_0000, 20)] {
        let mut rig = scene();
        rig.set(method::SET_ANTI_ALIASING_CONTROL, control);
        draw(&mut rig, PrimitiveKind::Points, vec![immediate(&[([20.0, 30.0], 0xFF12_3456)])]);
        let picture = picture(&mut rig);
        rig.finish();
        let drawn: Vec<_> = picture.iter().enumerate().filter(|(_, pixel)| **pixel != 0).collect();
        assert_eq!(drawn, [((29 * SIZE + x) as usize, &0xFF12_3456)], "{control:x}");
    }
}

#[test]
fn a_point_has_the_pixels_whose_centres_are_on_its_edges() {
    // At the corner of pixels centres are on the edges of odd sizes, in their middle on those of even ones. Sizes that are powers
    // of two leave those on the right and lower edge out.
    for (size, at, first, count) in
        [(3, 20.0, 18, 4), (7, 20.0, 16, 8), (6, 20.5, 17, 7), (1, 20.0, 19, 1), (4, 20.5, 18, 4)]
    {
        let mut rig = scene();
        rig.set(method::SET_ANTI_ALIASING_CONTROL, 0xFFFF_0001);
        rig.set(method::SET_POINT_SIZE, size * 8);
        draw(&mut rig, PrimitiveKind::Points, vec![immediate(&[([at, at], 0xFF12_3456)])]);
        let picture = picture(&mut rig);
        rig.finish();
        let is_drawn = |x: u32| (first..first + count).contains(&x);
        for (i, pixel) in (0..).zip(picture) {
            let wanted = if is_drawn(i % SIZE) && is_drawn(i / SIZE) { 0xFF12_3456 } else { 0 };
            assert_eq!(pixel, wanted, "size {size}: {}, {}", i % SIZE, i / SIZE);
        }
    }
}
