//! What the driver makes of a shader beyond single opcodes: texels around a place, levels of detail, derivatives beside pixels that
//! are thrown away, specialisation constants, and positions that are the same in different shaders.

#[path = "gpu/mod.rs"]
mod gpu;

use afterimage_interp::{Environment, Interpreter, Lod, Outcome, SampleArgs};
use afterimage_ir::*;
use afterimage_passes::{FloatRules, optimize};
use afterimage_spirv::{Artifact, Options, emit};
use ash::vk;
use gpu::{Draw, Extra, Gpu, TRIANGLE, corners};

const WIDTH: u32 = 16;
/// Texels along a side of the texture's largest level.
const SIDE: usize = 8;

fn module(text: &str) -> Module {
    let module = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify(&module).unwrap_or_else(|e| panic!("{e}\n{text}"));
    module
}

fn written(module: &Module, options: &Options) -> Artifact {
    let mut module = module.clone();
    optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Strict });
    emit(&module, options).unwrap()
}

/// A texture with a number in each texel that says where it is: 100 * level + 10 * row + column, in the first component.
fn levels() -> Vec<Vec<[f32; 4]>> {
    let side = |level: usize| (SIDE >> level).max(1);
    (0..4)
        .map(|level| {
            let texel = |at: usize| (100 * level + 10 * (at / side(level)) + at % side(level)) as f32;
            (0..side(level).pow(2)).map(|at| [texel(at), -1.0, 0.5, 1.0]).collect()
        })
        .collect()
}

/// Pixels of a row, two and the helpers below at a time, and the texture as Vulkan defines its use: nearest texels, clamped to the
/// edge.
struct Row {
    first: u32,
    specs: Vec<(u32, u32)>,
}

impl Row {
    fn texel(level: usize, x: i32, y: i32) -> [f32; 4] {
        let side = (SIDE >> level).max(1) as i32;
        let [x, y] = [x, y].map(|at| at.clamp(0, side - 1));
        levels()[level][(y * side + x) as usize]
    }
}

impl Environment for Row {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        assert_eq!(decl.at, InputAt::FragCoord);
        let place = [self.first + (lane as u32 & 1), lane as u32 >> 1].map(|at| at as f32 + 0.5);
        [place[0].to_bits(), place[1].to_bits(), 0.5f32.to_bits(), 1f32.to_bits()]
    }

    fn constant(&self, _: &BankDecl, _: u32) -> [u32; 4] {
        [0; 4]
    }

    fn sample(&self, _: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        let level = match args.lod {
            Lod::Level(level) => level,
            Lod::Gradient { dx, dy, bias } => {
                let length = |d: [f32; 3]| (d[0] * SIDE as f32).hypot(d[1] * SIDE as f32);
                length(dx).max(length(dy)).log2() + bias
            }
        };
        let level = level.clamp(0.0, 3.0).round() as usize;
        let [x, y] = [0, 1].map(|i| (args.coord[i] * (SIDE >> level) as f32).floor() as i32);
        Row::texel(level, x, y)
    }

    fn gather(&self, _: &TextureDecl, coord: [f32; 3]) -> [f32; 4] {
        let [x, y] = [0, 1].map(|i| (coord[i] * SIDE as f32 - 0.5).floor() as i32);
        [(x, y + 1), (x + 1, y + 1), (x + 1, y), (x, y)].map(|(x, y)| Row::texel(0, x, y)[0])
    }

    fn spec(&self, decl: &SpecDecl) -> u32 {
        self.specs.iter().find(|spec| spec.0 == decl.id).map_or(decl.default, |spec| spec.1)
    }
}

/// Draws a row with the pixel shader and compares it with the interpreter.
fn compare(gpu: &Gpu, text: &str, specs: &[(u32, u32)]) {
    let module = module(text);
    let vertex = written(&self::module(TRIANGLE), &gpu.options);
    let pixel = written(&module, &gpu.options);
    let draw = Draw {
        vertex: &vertex.words,
        pixel: &pixel.words,
        vertex_constants: &corners(),
        pixel_constants: &[],
        width: WIDTH,
        formats: &[vk::Format::R32G32B32A32_SFLOAT],
    };
    let picture = &gpu.draw_with(&draw, Extra { specs, levels: &levels() })[0];
    for first in (0..WIDTH).step_by(2) {
        let row = Row { first, specs: specs.to_vec() };
        let expected: Outcome = Interpreter::new(&module).unwrap().run(&row).unwrap();
        for lane in 0..2 {
            let at = first as usize + lane;
            // The row was cleared to zero.
            let expected = if expected.demoted[lane] { [0; 4] } else { expected.outputs[0][lane] };
            let [found, expected] = [picture[at], expected].map(|bits| bits.map(f32::from_bits));
            assert_eq!(found, expected, "{}: pixel {at}\n{text}", gpu.name);
        }
    }
}

/// Declarations, and coordinates `v5` that step through the texture by `step` texels per pixel.
fn pixel(step: f32, body: &str) -> String {
    let by = step / SIDE as f32;
    format!(
        "pixel {{
          input in0 : f32x4 frag_coord smooth
          output out0 : f32x4 location 0
          texture t0 slot 0 2d
          spec s0 \"mode\" : i32 id 3 default 2
          spec s1 : f32 id 4 default 0.25
          spec s2 : bool id 9 default true
          v0: f32x4 = load_input in0
          v1: f32 = swizzle v0.x
          v2: f32 = const {by:?}
          v3: f32 = fmul v1, v2
          v4: f32 = const 0.3
          v5: f32x2 = construct v3, v4
          {body}
          store_output out0, v9
          return
        }}"
    )
}

#[test]
fn gathers_the_four_texels() {
    compare(&Gpu::new(), &pixel(0.7, "v9: f32x4 = gather t0, v5"), &[]);
}

#[test]
fn levels_follow_the_derivatives() {
    let gpu = Gpu::new();
    for step in [0.5, 1.0, 2.0, 4.0] {
        compare(&gpu, &pixel(step, "v9: f32x4 = sample t0, v5"), &[]);
    }
    compare(&gpu, &pixel(0.5, "v6: f32 = const 2.0 v9: f32x4 = sample_lod t0, v5, v6"), &[]);
    compare(&gpu, &pixel(1.0, "v6: f32 = const 1.0 v9: f32x4 = sample_bias t0, v5, v6"), &[]);
    compare(&gpu, &pixel(1.0, "v6: f32x2 = const 0.25, 0.0 v9: f32x4 = sample_grad t0, v5, v6, v6"), &[]);
}

/// A pixel that is thrown away goes on for its neighbours' derivatives, with what it computes afterwards.
#[test]
fn helpers_go_on_after_they_are_thrown_away() {
    let odd = "v6: i32 = f2i v1
          v7: i32 = const 1
          v8: i32 = iand v6, v7
          v10: bool = ieq v8, v7
          demote v10
          v11: f32 = fmul v1, v1
          v12: f32 = ddx v11
          v13: f32 = ddy v11";
    let gpu = Gpu::new();
    compare(&gpu, &pixel(1.0, &format!("{odd} v9: f32x4 = construct v12, v13, v11, v3")), &[]);
    compare(&gpu, &pixel(2.0, &format!("{odd} v9: f32x4 = sample t0, v5")), &[]);
}

/// Set or not, folded or not: the code is the same, the driver's result too.
#[test]
fn specialisation_constants_are_set() {
    let text = pixel(
        1.0,
        "v6: i32 = load_spec s0
          v7: f32 = i2f v6
          v8: f32 = load_spec s1
          v10: bool = load_spec s2
          v11: i32 = const 1
          v12: bool = ilt v11, v6
          v13: f32 = if v12 {
            v14: f32 = fmul v1, v8
            yield v14
          } else {
            yield v8
          }
          v15: f32 = select v10, v1, v8
          v9: f32x4 = construct v7, v13, v15, v8",
    );
    let gpu = Gpu::new();
    compare(&gpu, &text, &[]);
    compare(&gpu, &text, &[(3, 0), (4, 2f32.to_bits())]);
    compare(&gpu, &text, &[(9, 0), (3, 7)]);
}

/// A position out of products and sums that a compiler would like to do in another order, and two shaders that compute it: one
/// does nothing else, the other uses parts of it elsewhere.
#[test]
fn equal_code_gives_equal_positions() {
    let gpu = Gpu::new();
    let shader = |extra: &str| {
        module(&format!(
            "vertex {{
              input in0 : i32 vertex_index smooth
              output out0 : f32x4 position
              output out1 : f32x4 location 0
              output out2 : f32x4 location 1
              bank c0 stage 0 [40]
              v0: i32 = load_input in0
              v1: f32x4 = load_const_dyn c0[0], v0
              v2: f32x4 = load_const c0[3]
              v3: f32x4 = load_const c0[4]
              v4: f32x4 = load_const c0[5]
              v5: f32x4 = fmulz v2, v3
              v6: f32x4 = fmadz v2, v4, v5
              v7: f32x4 = const 0.1, 0.2, 0.3, 0.4
              v9: f32x4 = fmul v6, v7
              v10: f32x4 = fmul v9, v2
              v11: f32x4 = fadd v10, v7
              v12: f32x4 = fadd v11, v4
              v13: f32 = fdotz v12, v3
              v14: f32x4 = swizzle v13.xxxx
              v15: f32x4 = fmad v14, v2, v12
              v16: f32x4 = ffract v15
              v17: f32x4 = shuffle v1, v16 [0, 1, 4, 3]
              store_output out0, v17
              store_output out1, v15
              {extra}
              return
            }}"
        ))
    };
    let shaders = [
        shader("store_output out2, v1"),
        shader(
            "v18: f32x4 = fadd v9, v6
              v19: f32x4 = fmul v10, v5
              v20: f32x4 = fsub v19, v18
              v21: f32x4 = fmad v11, v20, v14
              store_output out2, v21",
        ),
        shader("v18: f32x4 = fmul v5, v12 v19: f32x4 = fsub v15, v18 store_output out2, v19"),
    ];
    let show = module(
        "pixel {
          input in0 : f32x4 location 0 flat
          input in1 : f32x4 location 1 flat
          output out0 : f32x4 location 0
          output out1 : f32x4 location 1
          v0: f32x4 = load_input in0
          v1: f32x4 = load_input in1
          store_output out0, v0
          store_output out1, v1
          return
        }",
    );
    let show = written(&show, &gpu.options);
    let mut state = 12345u32;
    for round in 0..16 {
        let mut constants = corners();
        constants.extend((0..37).map(|_| {
            [0; 4].map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ((state >> 8) as f32 / 4_194_304.0 - 2.0).to_bits()
            })
        }));
        let positions = shaders.each_ref().map(|shader| {
            let vertex = written(shader, &gpu.options);
            let constants: Vec<[u32; 4]> = vertex
                .reflection
                .segments
                .iter()
                .flat_map(|s| constants[s.first as usize..(s.first + s.count) as usize].to_vec())
                .collect();
            let draw = Draw {
                vertex: &vertex.words,
                pixel: &show.words,
                vertex_constants: &constants,
                pixel_constants: &[],
                width: 2,
                formats: &[vk::Format::R32G32B32A32_UINT; 2],
            };
            gpu.draw(&draw)[0].clone()
        });
        assert!(positions[0][0].iter().any(|&bits| bits != 0), "nothing was drawn");
        assert!(positions.iter().all(|p| *p == positions[0]), "round {round}: {positions:x?}");
    }
}
