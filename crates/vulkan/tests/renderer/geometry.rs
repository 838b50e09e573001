//! Geometry shaders that are drawn, by the device or by kernels where it has none.

use crate::common::code::Code;
use crate::common::*;
use afterimage_ir::{
    GeometryDecl, Input, InputAt, InputDecl, InputPrimitive, Interp, Output, OutputAt, OutputDecl, OutputPrimitive,
    Stage as In, Type, Value,
};
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId};

/// A geometry shader that is being built: position and colour of vertices come in and go out.
struct Geometry {
    code: Code,
    inputs: [Input; 2],
    outputs: [Output; 2],
}

impl Geometry {
    fn new(input: InputPrimitive, output: OutputPrimitive, vertices: u32, invocations: u32) -> Self {
        let mut code = Code::new(In::Geometry);
        code.b.geometry(GeometryDecl { input, output, vertices, invocations });
        let ty = Type::F32X4;
        let inputs = [InputAt::Position, InputAt::Location(0)]
            .map(|at| code.b.input(InputDecl { name: String::new(), ty, at, interp: Interp::Smooth, semantic: None }));
        let outputs = [OutputAt::Position, OutputAt::Location(0)]
            .map(|at| code.b.output(OutputDecl { name: String::new(), ty, at, semantic: None }));
        Self { code, inputs, outputs }
    }

    /// Position and colour of a vertex that came in.
    fn vertex(&mut self, number: i32) -> [Value; 2] {
        let number = self.code.b.i32(number);
        self.inputs.map(|input| self.code.b.load_vertex_input(input, number))
    }

    fn emit(&mut self, position: Value, color: Value) {
        self.code.b.store_output(self.outputs[0], position);
        self.code.b.store_output(self.outputs[1], color);
        self.code.b.emit_vertex(0);
    }

    /// A vertex away from a place.
    fn emit_at(&mut self, place: Value, [x, y]: [f32; 2], color: Value) {
        let by = self.code.b.f32x4([x, y, 0.0, 0.0]);
        let place = self.code.b.fadd(place, by);
        self.emit(place, color);
    }

    fn end(&mut self) {
        self.code.b.end_primitive(0);
    }
}

/// A target of 16 by 16 pixels, black, with the vertex shader, one of geometry and one that gives colours.
fn black(guest: &mut Guest, geometry: Geometry) -> SetShaders {
    guest.target(Format::R8G8B8A8_UNORM, 16, 16);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    let (vertex, pixel) = (guest.shader(Stage::Vertex, VERTEX), guest.shader(Stage::Pixel, COLOR));
    let geometry = geometry.code.create(guest);
    let shaders = SetShaders { vertex, pixel, geometry, ..SetShaders::default() };
    guest.encoder.push(&shaders);
    guest.layout();
    guest.encoder.push(&raster());
    shaders
}

fn raster() -> SetRaster {
    SetRaster { depth_clip: 1, sample_mask: u32::MAX, ..SetRaster::default() }
}

/// Draws with indices of two bytes.
fn draw_indices(guest: &mut Guest, topology: Topology, indices: &[u16]) {
    let source = guest.buffer(CreateBuffer::INDEX, bytemuck::cast_slice(indices));
    guest.encoder.push(&SetIndexBuffer { source, index_bytes: 2, restart: 0, offset: 0, size: 0 });
    guest.encoder.push(&DrawIndexed {
        topology: topology as u32,
        first: 0,
        count: indices.len() as u32,
        instances: 1,
        base_vertex: 0,
        first_instance: 0,
    });
}

/// Squares around points, of half the distance between those.
fn squares() -> Geometry {
    let mut g = Geometry::new(InputPrimitive::Points, OutputPrimitive::TriangleStrip, 4, 1);
    let [place, color] = g.vertex(0);
    for at in [[-0.25, -0.25], [0.25, -0.25], [-0.25, 0.25], [0.25, 0.25]] {
        g.emit_at(place, at, color);
    }
    g.end();
    g
}

const YELLOW: [f32; 4] = [1.0, 1.0, 0.0, 1.0];

/// A point in the middle of each quarter, from the upper left on.
fn quarters() -> [Vertex; 4] {
    let colors = [RED, GREEN, BLUE, YELLOW];
    let places = [[-0.5, 0.5], [0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]];
    std::array::from_fn(|at| vertex(places[at][0], places[at][1], 0.5, colors[at]))
}

#[test]
fn points_become_squares() {
    let mut guest = Guest::new();
    black(&mut guest, squares());
    guest.vertices(&quarters());
    guest.draw(Topology::PointList, 0, 4);
    let picture = guest.pixels();
    for (color, x, y) in [(RED, 2, 2), (GREEN, 10, 2), (BLUE, 2, 10), (YELLOW, 10, 10)] {
        assert_eq!(picture.count(rgba(color)), 16, "{color:?}");
        assert_eq!((picture.at(x, y), picture.at(x + 3, y + 3)), (rgba(color), rgba(color)));
    }
    // Some of them, by indices, one of which begins anew; and other shaders after it.
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    draw_indices(&mut guest, Topology::PointList, &[3, 0]);
    let picture = guest.pixels();
    assert_eq!([RED, GREEN, BLUE, YELLOW].map(|color| picture.count(rgba(color))), [16, 0, 0, 16]);
    guest.shaders(VERTEX, COLOR);
    guest.draw_now(&full(0.5, GREEN));
    assert_eq!(guest.pixels().count(rgba(GREEN)), 256);
    guest.finish();
}

#[test]
fn instances_and_invocations_are_drawn_in_their_order() {
    // Each invocation moves its square by a quarter of itself, and the last one lies on top.
    let mut g = Geometry::new(InputPrimitive::Points, OutputPrimitive::TriangleStrip, 5, 3);
    let number = g.code.input(InputAt::InvocationId, Type::I32);
    let [place, color] = g.vertex(0);
    let b = &mut g.code.b;
    let (step, zero) = (b.i2f(number), b.f32(0.0));
    let (quarter, half) = (b.f32(0.25), b.f32(0.5));
    let along = b.fmul(step, quarter);
    let by = b.construct(&[along, zero, zero, zero]);
    let place = b.fadd(place, by);
    let dark = b.fmul(step, half);
    let one = b.f32(1.0);
    let scale = b.construct(&[dark, dark, dark, one]);
    let color = b.fmul(color, scale);
    for at in [[-0.25, -0.25], [0.25, -0.25], [-0.25, 0.25], [0.25, 0.25]] {
        g.emit_at(place, at, color);
    }
    g.end();
    // A strip of one vertex is nothing.
    g.emit(place, color);
    let mut guest = Guest::new();
    black(&mut guest, g);
    guest.vertices(&[vertex(-0.5, 0.5, 0.5, [1.0, 0.2, 1.0, 1.0]), vertex(-0.5, 0.5, 0.5, GREEN)]);
    // Twice the same two points: the second one of the last instance is what is seen.
    let topology = Topology::PointList as u32;
    guest.encoder.push(&Draw { topology, first: 0, count: 2, instances: 2, first_instance: 7, pad: 0 });
    let picture = guest.pixels();
    let half = [0, 128, 0, 255];
    let row: Vec<[u8; 4]> = (0..16).map(|x| picture.at(x, 4)).collect();
    let near = |a: [u8; 4], b: [u8; 4]| a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 1);
    let wanted = [[0, 0, 0, 255], half, rgba(GREEN), [0, 0, 0, 255]];
    let places = [2..4, 4..6, 6..10, 10..16];
    for (wanted, place) in wanted.iter().zip(places) {
        assert!(place.clone().all(|x| near(row[x], *wanted)), "{place:?} is not {wanted:?}: {row:?}");
    }
    guest.finish();
}

#[test]
fn triangles_know_their_neighbours_and_their_numbers() {
    // The neighbours across are drawn, each primitive in its own red.
    let mut g = Geometry::new(InputPrimitive::TrianglesAdjacency, OutputPrimitive::TriangleStrip, 3, 1);
    let number = g.code.input(InputAt::PrimitiveId, Type::I32);
    let b = &mut g.code.b;
    let (number, fifth, zero, one) = (b.i2f(number), b.f32(0.2), b.f32(0.0), b.f32(1.0));
    let red = b.fmul(number, fifth);
    let red = b.fadd(red, fifth);
    let color = b.construct(&[red, zero, zero, one]);
    for at in [1, 3, 5] {
        let [place, _] = g.vertex(at);
        g.emit(place, color);
    }
    g.end();
    let mut guest = Guest::new();
    black(&mut guest, g);
    let nowhere = |x: f32| vertex(x, 5.0, 0.5, RED);
    let corners = [[-1.0, -1.0], [-1.0, 1.0], [0.0, 1.0], [0.0, -1.0], [1.0, 1.0], [1.0, -1.0]];
    let mut vertices = Vec::new();
    for corner in corners {
        vertices.extend([nowhere(corner[0]), vertex(corner[0], corner[1], 0.5, GREEN)]);
    }
    guest.vertices(&vertices);
    guest.draw(Topology::TriangleListAdjacency, 0, 12);
    let picture = guest.pixels();
    let reds = [51u8, 102].map(|red| [red, 0, 0, 255]);
    assert_eq!((picture.at(1, 8), picture.at(10, 1)), (reds[0], rgba(BLACK)));
    assert!((50..80).contains(&picture.count(reds[0])) && (50..80).contains(&picture.count(reds[1])));
    // A strip of the same: of its two triangles the last has the neighbour at the end.
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    draw_indices(&mut guest, Topology::TriangleStripAdjacency, &[0, 1, 2, 3, 4, 5, 6, 9]);
    let picture = guest.pixels();
    assert!((15..30).contains(&picture.count(reds[0])), "{}", picture.count(reds[0]));
    // Topologies that it does not take are not drawn.
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.draw(Topology::TriangleList, 0, 12);
    assert_eq!(guest.pixels().count(rgba(BLACK)), 256);
    guest.finish();
}

#[test]
fn what_is_emitted_has_faces_and_a_first_vertex() {
    // The two halves of a rectangle as one strip, each flat in the colour of the vertex that provokes.
    for (provoking, colors) in [(Provoking::First, [RED, GREEN]), (Provoking::Last, [BLUE, YELLOW])] {
        let mut g = Geometry::new(InputPrimitive::Points, OutputPrimitive::TriangleStrip, 4, 1);
        let [place, _] = g.vertex(0);
        for (at, color) in [([-1.0, 1.0], RED), ([-1.0, -1.0], GREEN), ([1.0, 1.0], BLUE), ([1.0, -1.0], YELLOW)] {
            let color = g.code.b.f32x4(color);
            g.emit_at(place, at, color);
        }
        g.end();
        let mut guest = Guest::new();
        if provoking == Provoking::Last && !guest.captures().last {
            continue;
        }
        let shaders = black(&mut guest, g);
        let pixel = guest.shader(Stage::Pixel, &COLOR.replace("location 0 smooth", "location 0 flat"));
        guest.encoder.push(&SetShaders { pixel, ..shaders });
        guest.vertices(&[vertex(0.0, 0.0, 0.5, RED)]);
        for (cull, ccw, seen) in [(Cull::None, 0, true), (Cull::Back, 1, true), (Cull::Front, 1, false)] {
            guest.clear(Clear::COLOR, BLACK, 1.0, 0);
            let raster = SetRaster { cull: cull as u8, front_ccw: ccw, provoking: provoking as u8, ..raster() };
            guest.encoder.push(&raster);
            guest.draw(Topology::PointList, 0, 1);
            let picture = guest.pixels();
            let wanted = if seen { colors.map(rgba) } else { [rgba(BLACK); 2] };
            assert_eq!([picture.at(1, 1), picture.at(14, 14)], wanted, "{provoking:?} {cull:?}");
        }
        guest.finish();
    }
}

#[test]
fn points_have_sizes_and_lines_are_lines() {
    let mut g = Geometry::new(InputPrimitive::Lines, OutputPrimitive::Points, 2, 1);
    let size = OutputDecl { name: String::new(), ty: Type::F32, at: OutputAt::PointSize, semantic: None };
    let size = g.code.b.output(size);
    for at in 0..2 {
        let [place, color] = g.vertex(at);
        let four = g.code.b.f32(4.0);
        g.code.b.store_output(size, four);
        g.emit(place, color);
    }
    let mut guest = Guest::new();
    let shaders = black(&mut guest, g);
    guest.vertices(&quarters());
    guest.draw(Topology::LineStrip, 0, 3);
    let picture = guest.pixels();
    assert_eq!([RED, GREEN, BLUE, YELLOW].map(|color| picture.count(rgba(color))), [16, 16, 16, 0]);
    // The line between them, a quarter of the picture lower.
    let mut g = Geometry::new(InputPrimitive::Lines, OutputPrimitive::LineStrip, 3, 1);
    for at in 0..2 {
        let [place, color] = g.vertex(at);
        g.emit_at(place, [0.0, -0.4375], color);
    }
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    let geometry = g.code.create(&mut guest);
    guest.encoder.push(&SetShaders { geometry, ..shaders });
    let ends = [vertex(-1.0, 0.5, 0.5, GREEN), vertex(1.0, 0.5, 0.5, GREEN)];
    guest.vertices(&ends);
    guest.draw(Topology::LineList, 0, 2);
    let picture = guest.pixels();
    assert_eq!(picture.count(rgba(GREEN)), 16);
    assert!((0..16).all(|x| picture.at(x, 7) == rgba(GREEN)));
    guest.finish();
}

#[test]
fn layers_and_distances_are_those_of_the_last_stage() {
    let mut g = Geometry::new(InputPrimitive::Points, OutputPrimitive::TriangleStrip, 8, 1);
    let decl = |at, ty| OutputDecl { name: String::new(), ty, at, semantic: None };
    let layer = g.code.b.output(decl(OutputAt::Layer, Type::I32));
    let distance = g.code.b.output(decl(OutputAt::ClipDistance(0), Type::F32));
    let [place, color] = g.vertex(0);
    for number in 0..2 {
        for at in [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]] {
            // The lower half of the first layer, the upper one of the second.
            let (number_of, side) = (g.code.b.i32(number), if number == 0 { -at[1] } else { at[1] });
            let side = g.code.b.f32(side);
            g.code.b.store_output(layer, number_of);
            g.code.b.store_output(distance, side);
            g.emit_at(place, at, color);
        }
        g.end();
    }
    let mut guest = Guest::new();
    black(&mut guest, g);
    let (format, usage) = (Format::R8G8B8A8_UNORM, CreateTexture::TARGET);
    let array = guest.texture_with(CreateTexture { layers: 2, usage, ..plain(format, 4, 4, 1) });
    let mut body = SetRenderTargets { layers: 2, ..SetRenderTargets::default() };
    body.color[0] = View { texture: array, level: 0, layer: 0 };
    guest.encoder.push(&body);
    guest.viewport(4, 4);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.vertices(&[vertex(0.0, 0.0, 0.5, GREEN)]);
    guest.draw(Topology::PointList, 0, 1);
    for layer in 0..2u16 {
        let texels = guest.read(array, format, 0, layer, [4, 4]);
        let green: Vec<bool> = texels.chunks(16).map(|row| row == rgba(GREEN).repeat(4)).collect();
        let wanted = [[false, false, true, true], [true, true, false, false]][usize::from(layer)];
        assert_eq!(green, wanted, "layer {layer}");
    }
    guest.finish();
}

#[test]
fn much_is_emitted_in_order() {
    // More than twice as much as there may be of it at once, and the last of it is on top. Many varyings make vertices large.
    let mut g = Geometry::new(InputPrimitive::Points, OutputPrimitive::TriangleStrip, 16, 32);
    let others: Vec<Output> = (1..14)
        .map(|location| {
            let at = OutputAt::Location(location);
            g.code.b.output(OutputDecl { name: String::new(), ty: Type::F32X4, at, semantic: None })
        })
        .collect();
    let [place, color] = g.vertex(0);
    for at in [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]] {
        others.iter().for_each(|output| g.code.b.store_output(*output, color));
        g.emit_at(place, at, color);
    }
    g.end();
    let mut guest = Guest::new();
    black(&mut guest, g);
    let mut vertices = vec![vertex(0.0, 0.0, 0.5, RED); 150];
    vertices[149] = vertex(0.0, 0.0, 0.5, GREEN);
    guest.vertices(&vertices);
    guest.draw(Topology::PointList, 0, 150);
    assert_eq!(guest.pixels().count(rgba(GREEN)), 256);
    guest.finish();
}

#[test]
fn nothing_is_drawn_with_what_is_no_shader() {
    let mut guest = Guest::new();
    let shaders = black(&mut guest, squares());
    guest.vertices(&quarters());
    let geometry = guest.shader(Stage::Geometry, "no shader at all");
    guest.encoder.push(&SetShaders { geometry, ..shaders });
    guest.draw(Topology::PointList, 0, 4);
    assert_eq!(guest.pixels().count(rgba(BLACK)), 256);
    guest.encoder.push(&SetShaders { geometry: ObjectId::NONE, ..shaders });
    guest.draw_now(&full(0.5, GREEN));
    assert_eq!(guest.pixels().count(rgba(GREEN)), 256);
    guest.finish();
}
