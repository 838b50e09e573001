//! The driver and the interpreter must agree, opcode by opcode and on random shaders.

#[path = "gpu/mod.rs"]
mod gpu;
#[path = "../../interp/tests/operands/mod.rs"]
mod operands;

use afterimage_interp::{Environment, Interpreter, SampleArgs};
use afterimage_ir::*;
use afterimage_passes::{FloatRules, float_rules, optimize};
use afterimage_spirv::{Artifact, Options, emit};
use ash::vk;
use gpu::{Draw, Gpu, corners};
use operands::{FLOATS, Row, opcode_module, registers};

/// A triangle over everything. Three varyings, the same at each vertex, come from the constants.
const VERTEX: &str = "vertex {
  input in0 : i32 vertex_index smooth
  output out0 : f32x4 position
  output out1 : f32x4 location 0
  output out2 : f32x4 location 1
  output out3 : f32x4 location 2
  bank c0 stage 0 [6]
  v0: i32 = load_input in0
  v1: f32x4 = load_const_dyn c0[0], v0
  store_output out0, v1
  v2: f32x4 = load_const c0[3]
  store_output out1, v2
  v3: f32x4 = load_const c0[4]
  store_output out2, v3
  v4: f32x4 = load_const c0[5]
  store_output out3, v4
  return
}";

fn varying(index: u32) -> [u32; 4] {
    [1.5, -2.0, 0.25, 3.0].map(|f: f32| (f * (index as f32 + 1.0)).to_bits())
}

fn vertex(options: &Options) -> (Vec<u32>, Vec<[u32; 4]>) {
    let mut constants = corners();
    constants.extend((0..3).map(varying));
    let module = parse(VERTEX).unwrap();
    verify(&module).unwrap();
    (emit(&module, options).unwrap().words, constants)
}

fn bank(id: u8, index: u32) -> [u32; 4] {
    std::array::from_fn(|lane| match id {
        0 => FLOATS[(index as usize * 3 + lane * 5) % FLOATS.len()].to_bits(),
        _ => (index * 3 + lane as u32) % 7,
    })
}

/// How far the driver's result may be from the interpreter's.
enum Tolerance {
    Exact,
    /// Relative to the result.
    Relative(f32),
    /// Plain difference.
    Absolute(f32),
}

/// From the precision that Vulkan asks of the instruction; none of it for what it asks to be exact.
fn tolerance(op: Op) -> Tolerance {
    match op {
        Op::FDiv | Op::FRcp | Op::FRsq | Op::FSqrt | Op::FRcpC | Op::FRsqC => Tolerance::Relative(1e-6),
        Op::FExp2 => Tolerance::Relative(1e-5),
        Op::FMad | Op::FFma | Op::FMadZ | Op::FDot | Op::FDotZ => Tolerance::Relative(1e-5),
        Op::FLog2 | Op::FLog2C => Tolerance::Absolute(1e-4),
        Op::FSin | Op::FCos => Tolerance::Absolute(1e-3),
        Op::DDiv | Op::DRcp | Op::DRsq | Op::DSqrt => Tolerance::Relative(1e-7),
        _ => Tolerance::Exact,
    }
}

/// As [`close`], on one of the two results of a module of doubles.
fn close_pair(op: Op, found: [u32; 2], expected: [u32; 2]) -> bool {
    if op.info().result != Some(Pattern::D) {
        return close(op, found[0], expected[0]);
    }
    let [f, e] = [found, expected].map(|[low, high]| f64::from_bits(u64::from(low) | u64::from(high) << 32));
    match tolerance(op) {
        _ if f == e || f.is_nan() && e.is_nan() => true,
        // One rounding or two matters where large terms cancel.
        _ if op == Op::DFma => (f - e).abs() <= 1e-12 * e.abs().max(1.0),
        Tolerance::Relative(by) => (f - e).abs() <= e.abs() * f64::from(by) * 1e-6 || e.is_subnormal() && f == 0.0,
        _ => false,
    }
}

fn close(op: Op, found: u32, expected: u32) -> bool {
    let (f, e) = (f32::from_bits(found), f32::from_bits(expected));
    let is_float = op.info().result == Some(Pattern::F);
    if found == expected || is_float && (f.is_nan() && e.is_nan() || f == e) {
        return true;
    }
    match tolerance(op) {
        Tolerance::Exact => false,
        Tolerance::Relative(by) => (f - e).abs() <= e.abs() * by,
        Tolerance::Absolute(by) => (f - e).abs() <= by,
    }
}

/// Whether the driver may give anything for these operands.
fn is_open(op: Op, operands: &[f32]) -> bool {
    let odd = operands.iter().any(|f| !f.is_finite());
    match op {
        // Vulkan bounds the error of sine and cosine only near zero.
        Op::FSin | Op::FCos => odd || operands[0].abs() > std::f32::consts::PI,
        // The results of invalid operations, and overflow on the way.
        Op::FRsq | Op::FSqrt | Op::FLog2 | Op::FRsqC | Op::FLog2C => odd || operands[0] < 0.0,
        Op::FFract => odd,
        Op::FDiv => odd || operands[1].abs() > 1e30 || operands[1] == 0.0,
        Op::FRcp => operands[0].abs() > 1e30,
        Op::FRcpC => operands[0].abs() > 1e30 || operands[0].is_nan(),
        // One rounding or two matters where two large terms cancel.
        Op::FMad | Op::FFma | Op::FDot | Op::FMadZ | Op::FDotZ => operands.iter().any(|f| f.abs() > 1e9),
        _ => false,
    }
}

/// Whether this is a double that a driver without rounding of doubles may leave as it is.
fn is_open_pair(op: Op, gpu: &Gpu, [low, high]: [u32; 2]) -> bool {
    let large = f64::from_bits(u64::from(low) | u64::from(high) << 32).abs() >= f64::from(i32::MAX);
    large && !gpu.rounds_doubles() && matches!(op, Op::DTrunc | Op::DRound)
}

#[test]
fn every_scalar_opcode_agrees() {
    let gpu = Gpu::new();
    let (vertex_words, vertex_constants) = vertex(&gpu.options);
    let mut wrong = Vec::new();
    for row in OPCODES.iter().filter(|row| !matches!(row.meaning, Meaning::Special)) {
        let patterns = row.args.unwrap();
        let constants = registers(row);
        let module = opcode_module(row, true, Kind::Int);
        let mut lowered = module.clone();
        float_rules::run(&mut lowered, FloatRules::Strict);
        verify(&lowered).unwrap();
        let pixel = emit(&lowered, &gpu.options).unwrap();
        let draw = Draw {
            vertex: &vertex_words,
            pixel: &pixel.words,
            vertex_constants: &vertex_constants,
            pixel_constants: &constants,
            width: 64,
            formats: &[vk::Format::R32G32B32A32_UINT],
        };
        let picture = &gpu.draw(&draw)[0];
        let interpreter = Interpreter::new(&module).unwrap();
        for first in (0..64).step_by(4) {
            let outcome = interpreter.run(&Row { constants: &constants, first }).unwrap();
            for lane in 0..4 {
                let pixel = first + lane;
                if matches!(row.meaning, Meaning::Pairs(_)) {
                    let expected = outcome.outputs[0][lane];
                    for half in 0..2 {
                        let pair = |all: [u32; 4]| [all[half * 2], all[half * 2 + 1]];
                        let operands = &constants[pixel * 3..pixel * 3 + patterns.len()];
                        if !close_pair(row.op, pair(picture[pixel]), pair(expected))
                            && !is_open_pair(row.op, &gpu, pair(operands[0]))
                        {
                            let found = picture[pixel];
                            wrong.push(format!("{} {operands:x?}: {found:x?}, not {expected:x?}", row.name));
                        }
                    }
                    continue;
                }
                let reduces = matches!(row.meaning, Meaning::Reduce(..));
                for (component, &found) in picture[pixel].iter().enumerate() {
                    let expected = outcome.outputs[0][lane][component];
                    let lanes = if reduces { 0..4 } else { component..component + 1 };
                    let operands: Vec<f32> = (0..patterns.len())
                        .flat_map(|n| lanes.clone().map(move |l| (n, l)))
                        .map(|(n, l)| f32::from_bits(constants[pixel * 3 + n][l]))
                        .collect();
                    if !close(row.op, found, expected) && !is_open(row.op, &operands) {
                        wrong.push(format!("{} {operands:?}: {found:#x}, not {expected:#x}", row.name));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {} differ\n{}", gpu.name, wrong.len(), wrong.join("\n"));
}

/// What random shaders read: flat varyings, two banks, and textures of one texel.
struct Flat;

impl Environment for Flat {
    fn input(&self, decl: &InputDecl, _: usize) -> [u32; 4] {
        match decl.at {
            InputAt::Location(n) => varying(n as u32),
            _ => [0; 4],
        }
    }
    fn constant(&self, decl: &BankDecl, index: u32) -> [u32; 4] {
        bank(decl.id, index)
    }
    fn sample(&self, texture: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        if texture.shadow { [1.0; 4] } else { [0.25, 0.5, 0.75, 1.0] }
    }
}

/// Opcodes whose result Vulkan prescribes to the bit for all operands, so that errors do not grow through a shader.
fn is_exact(op: Op) -> bool {
    matches!(tolerance(op), Tolerance::Exact) && !matches!(op, Op::FFract)
}

/// Bytes that look random and are always the same.
struct Random(u64);

impl Random {
    fn bytes(&mut self) -> Vec<u8> {
        let state = &mut self.0;
        (0..2500)
            .map(|_| {
                *state ^= *state << 13;
                *state ^= *state >> 7;
                *state ^= *state << 17;
                (*state >> 24) as u8
            })
            .collect()
    }
}

/// Two outputs of floats, one of integers.
const RANDOM_FORMATS: [vk::Format; 3] =
    [vk::Format::R32G32B32A32_SFLOAT, vk::Format::R32G32B32A32_SFLOAT, vk::Format::R32G32B32A32_UINT];

/// The constants that an artifact asks for, its segments one after the other.
fn segments(artifact: &Artifact) -> Vec<[u32; 4]> {
    let r = &artifact.reflection;
    let registers = r.segments.iter().flat_map(|s| (s.first..s.first + s.count).map(move |index| (s.bank, index)));
    registers
        .map(|place| {
            let def = r.const_defs.iter().find(|d| (d.bank, d.index) == place);
            def.map_or(bank(place.0, place.1), |d| d.bits)
        })
        .collect()
}

fn agree(target: usize, found: [u32; 4], expected: [u32; 4]) -> bool {
    found.into_iter().zip(expected).all(|(found, expected)| {
        // Drivers may flush denormals.
        let [f, e] = [found, expected].map(f32::from_bits).map(|f| if f.is_subnormal() { 0.0 } else { f });
        found == expected || target < 2 && (f == e || f.is_nan() && e.is_nan())
    })
}

#[test]
fn random_shaders_agree() {
    let gpu = Gpu::new();
    let profiles = [gpu.options, Options { bindless: false, ..gpu.options }];
    let mut random = Random(0x0123_4567_89ab_cdef);
    let mut wrong = Vec::new();
    for round in 0..150 {
        let options = &profiles[round % 2];
        let (vertex_words, vertex_constants) = vertex(options);
        let mut module = generate_of(Stage::Pixel, &random.bytes(), is_exact);
        module.inputs.iter_mut().for_each(|input| input.interp = Interp::Flat);
        let expected = Interpreter::new(&module).unwrap().run(&Flat).unwrap();
        if expected.demoted[0] {
            continue;
        }
        let mut lowered = module.clone();
        if round % 3 == 0 {
            float_rules::run(&mut lowered, FloatRules::Strict);
        } else {
            optimize(&mut lowered, &afterimage_passes::Options { float_rules: FloatRules::Strict });
        }
        let pixel = emit(&lowered, options).unwrap();
        let picture = gpu.draw(&Draw {
            vertex: &vertex_words,
            pixel: &pixel.words,
            vertex_constants: &vertex_constants,
            pixel_constants: &segments(&pixel),
            width: 2,
            formats: &RANDOM_FORMATS,
        });
        for (target, pixels) in picture.iter().enumerate() {
            let expected = expected.outputs[target][0];
            if !agree(target, pixels[0], expected) {
                wrong.push(format!("round {round}, target {target}: {:x?}, not {expected:x?}\n{lowered}", pixels[0]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {} differ\n{}", gpu.name, wrong.len(), wrong[0]);
}

/// Makes a random vertex shader one that covers the picture: inputs become numbers, and the position is that of a corner.
fn cover(m: &mut Module) {
    for inst in &mut m.insts {
        if let Imm::Input(input) = inst.imm {
            (inst.op, inst.imm) = (Op::Const, Imm::Const(varying(input.0)));
        }
    }
    m.outputs[0].at = OutputAt::Location(3);
    let (name, ty, interp) = ("index".to_owned(), Type::I32, Interp::Smooth);
    m.inputs.push(InputDecl { name, ty, at: InputAt::VertexIndex, interp, semantic: None });
    let (name, ty) = ("corner".to_owned(), Type::F32X4);
    m.outputs.push(OutputDecl { name, ty, at: OutputAt::Position, semantic: None });
    let (input, output) = (Input::new(m.inputs.len() - 1), Output::new(m.outputs.len() - 1));
    let mut insts = Vec::new();
    let mut push = |m: &mut Module, op, imm, args: &[Value], ty: &[Type]| {
        let inst = m.new_inst(op, imm, args.iter().copied().collect(), ty);
        insts.push(inst);
        m.inst(inst).results.first().copied().unwrap_or(Value(0))
    };
    let mut scalar = |m: &mut Module, ty: Type, bits| push(m, Op::Const, Imm::Const([bits, 0, 0, 0]), &[], &[ty]);
    let [low, high, middle, one] = [-1.0f32, 3.0, 0.5, 1.0].map(|f| scalar(m, Type::F32, f.to_bits()));
    let corners = [1, 2].map(|corner| scalar(m, Type::I32, corner));
    let index = push(m, Op::LoadInput, Imm::Input(input), &[], &[Type::I32]);
    let [x, y] = corners.map(|corner| {
        let here = push(m, Op::IEq, Imm::None, &[index, corner], &[Type::BOOL]);
        push(m, Op::Select, Imm::None, &[here, high, low], &[Type::F32])
    });
    let position = push(m, Op::Construct, Imm::None, &[x, y, middle, one], &[Type::F32X4]);
    push(m, Op::StoreOutput, Imm::Output(output), &[position], &[]);
    let body = m.body;
    m.regions[body.index()].insts.splice(0..0, insts);
    verify(m).unwrap();
}

/// The vertex stage, with textures and arrays of its own; what it computes comes back through flat varyings.
#[test]
fn random_vertex_shaders_agree() {
    let gpu = Gpu::new();
    let show = parse(
        "pixel {
          input in0 : f32x4 location 0 flat
          input in1 : f32x4 location 1 flat
          input in2 : i32x4 location 2 flat
          output out0 : f32x4 location 0
          output out1 : f32x4 location 1
          output out2 : i32x4 location 2
          v0: f32x4 = load_input in0
          v1: f32x4 = load_input in1
          v2: i32x4 = load_input in2
          store_output out0, v0
          store_output out1, v1
          store_output out2, v2
          return
        }",
    );
    let show = emit(&show.unwrap(), &gpu.options).unwrap();
    let mut random = Random(0xfeed_beef_0123_4567);
    let mut wrong = Vec::new();
    for round in 0..100 {
        let mut module = generate_of(Stage::Vertex, &random.bytes(), is_exact);
        cover(&mut module);
        let expected = Interpreter::new(&module).unwrap().run(&Flat).unwrap();
        let mut lowered = module.clone();
        if round % 3 == 0 {
            float_rules::run(&mut lowered, FloatRules::Strict);
        } else {
            optimize(&mut lowered, &afterimage_passes::Options { float_rules: FloatRules::Strict });
        }
        let vertex = emit(&lowered, &gpu.options).unwrap();
        let picture = gpu.draw(&Draw {
            vertex: &vertex.words,
            pixel: &show.words,
            vertex_constants: &segments(&vertex),
            pixel_constants: &[],
            width: 2,
            formats: &RANDOM_FORMATS,
        });
        for (target, pixels) in picture.iter().enumerate() {
            // Output 0 was the position.
            let expected = expected.outputs[target + 1][0];
            if !agree(target, pixels[0], expected) {
                wrong.push(format!("round {round}, target {target}: {:x?}, not {expected:x?}\n{lowered}", pixels[0]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {} differ\n{}", gpu.name, wrong.len(), wrong[0]);
}
