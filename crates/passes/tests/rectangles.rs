//! Rectangles of vertex shaders that draw triangles, in the interpreter.

use afterimage_interp::{Environment, Interpreter, SampleArgs};
use afterimage_ir::{BankDecl, InputAt, InputDecl, TextureDecl, parse, verify};
use afterimage_passes::rectangles::{self, RectangleError};

/// Four lanes: four vertices one after the other.
struct From(u32);

impl Environment for From {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        assert_eq!(decl.at, InputAt::VertexIndex);
        [self.0 + lane as u32, 0, 0, 0]
    }

    fn constant(&self, _: &BankDecl, _: u32) -> [u32; 4] {
        [0; 4]
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }
}

/// Corners on a parabola, so that none follows from the others; what every third vertex alone stores is zero in the others, though the
/// variable is the same one.
const VERTEX: &str = "vertex {
  input in0 \"\" : i32 vertex_index flat
  output out0 \"\" : f32x4 position
  output out1 \"\" : f32x2 location 0
  output out2 \"\" : i32 location 1
  var r0 \"\" : f32x2
  v0: i32 = load_input in0
  v1: f32 = i2f v0
  v2: f32 = fmul v1, v1
  v3: f32 = const 1.0
  v4: f32x4 = construct v1, v2, v3, v3
  store_output out0, v4
  v5: i32 = const 3
  v6: i32 = umod v0, v5
  v7: i32 = const 0
  v8: bool = ieq v6, v7
  if v8 {
    v9: f32x2 = construct v2, v3
    store r0.xy, v9
    yield
  } else {
    yield
  }
  v10: f32x2 = load r0
  store_output out1, v10
  store_output out2, v0
  return
}";

/// What vertex n of the shader as it was gives.
fn before(n: u32) -> ([f32; 4], [f32; 2], u32) {
    let x = n as f32;
    let second = if n.is_multiple_of(3) { [x * x, 1.0] } else { [0.0; 2] };
    ([x, x * x, 1.0, 1.0], second, n)
}

#[test]
fn six_vertices_are_two_triangles_of_a_rectangle() {
    let mut module = parse(VERTEX).unwrap();
    rectangles::run(&mut module).unwrap();
    verify(&module).unwrap_or_else(|error| panic!("{error}\n{module}"));
    let mut optimized = module.clone();
    afterimage_passes::optimize(
        &mut optimized,
        &afterimage_passes::Options { float_rules: afterimage_passes::FloatRules::Relaxed },
    );
    for module in [module, optimized] {
        let interpreter = Interpreter::new(&module).unwrap();
        for vertex in 0..48u32 {
            let outcome = interpreter.run(&From(vertex / 4 * 4)).unwrap();
            let found = |output: usize| outcome.outputs[output][vertex as usize % 4];
            let first = vertex / 6 * 3;
            let corners = [0, 1, 2].map(|n| before(first + n));
            let opposite = |values: [f32; 3]| values[2] + (values[1] - values[0]);
            let corner = [0, 1, 2, 1, 3, 2][vertex as usize % 6];
            let position: [f32; 4] = std::array::from_fn(|lane| match corner {
                3 => opposite(corners.map(|corner| corner.0[lane])),
                n => corners[n].0[lane],
            });
            let second: [f32; 2] = std::array::from_fn(|lane| match corner {
                3 => opposite(corners.map(|corner| corner.1[lane])),
                n => corners[n].1[lane],
            });
            assert_eq!(found(0).map(f32::from_bits), position, "vertex {vertex}");
            assert_eq!(found(1).map(f32::from_bits)[..2], second, "vertex {vertex}");
            assert_eq!(found(2)[0], first, "vertex {vertex}: integers are those of the first corner");
        }
    }
}

#[test]
fn what_cannot_draw_rectangles_is_left_alone() {
    let cases = [
        (VERTEX.replace("vertex_index", "location 0"), RectangleError::Attributes),
        (VERTEX.replacen("    yield", "    return", 1), RectangleError::Returns),
    ];
    for (text, error) in cases {
        let mut module = parse(&text).unwrap();
        let as_it_was = module.to_string();
        assert_eq!(rectangles::run(&mut module), Err(error));
        assert_eq!(module.to_string(), as_it_was);
    }
}
