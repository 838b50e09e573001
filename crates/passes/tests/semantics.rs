//! The golden rule of passes: what the interpreter computes stays the same. Checked with random modules, after every single pass
//! and after the whole pipeline.

use std::cell::RefCell;
use std::collections::BTreeMap;

use afterimage_interp::{Emitted, Environment, Group, Interpreter, Lod, Outcome, SampleArgs};
use afterimage_ir::{BankDecl, GeneratedMemory, InputDecl, Module, Stage, TextureDecl, generate, verify};
use afterimage_passes::*;
use proptest::prelude::*;

/// Numbers out of names and places: different everywhere, always the same, with a few that are special. Memory holds such numbers
/// until something is stored.
#[derive(Default)]
struct Surroundings(RefCell<BTreeMap<u64, u32>>);

/// Where the memory of generated modules begins: adding to the low half of an address carries.
const BASE: u64 = 0x1_ffff_ff00;

fn number(seed: u32) -> f32 {
    let mixed = seed.wrapping_mul(0x9e37_79b9) ^ seed.wrapping_mul(0x85eb_ca6b).rotate_left(13);
    match mixed >> 28 {
        0 => 0.0,
        1 => -0.0,
        2 => f32::INFINITY,
        3 => 1.0,
        _ => (mixed & 0xffff) as f32 / 8192.0 - 4.0,
    }
}

impl Environment for Surroundings {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        let seed: u32 = decl.name.bytes().map(u32::from).sum();
        std::array::from_fn(|i| number(seed * 64 + lane as u32 * 8 + i as u32).to_bits())
    }

    fn vertex_input(&self, decl: &InputDecl, vertex: u32) -> [u32; 4] {
        self.input(decl, vertex as usize)
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        std::array::from_fn(|i| match bank.id {
            0 => number(1000 + index * 4 + i as u32).to_bits(),
            GeneratedMemory::BANK => [BASE as u32, (BASE >> 32) as u32, 0, 0][i],
            _ => (index * 3 + i as u32) % 7,
        })
    }

    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        let lod = match args.lod {
            Lod::Level(level) => level,
            Lod::Gradient { dx, dy, bias } => dx.iter().zip(dy).fold(bias, |sum, (x, y)| sum + x * y),
        };
        // Sums of infinities are NaN, whose sign would tell in which order they were added.
        let tame = |f: f32| if f.is_finite() { f } else { 1.0 };
        let [x, y, z] = args.coord.map(tame);
        [x + texture.slot as f32, y + tame(lod), z - y, tame(args.reference.unwrap_or(0.5))]
    }

    fn load(&self, address: u64) -> u32 {
        let word = (address - BASE) as u32 / 4;
        let untouched = if word & 16 == 0 { number(word).to_bits() } else { word % 11 };
        self.0.borrow().get(&address).copied().unwrap_or(untouched)
    }

    fn store(&self, address: u64, word: u32) {
        self.0.borrow_mut().insert(address, word);
    }
}

/// What a run leaves behind: outputs and thrown away lanes, or vertices, and memory.
type Left = (Option<Outcome>, Option<Emitted>, BTreeMap<u64, u32>);

fn run(m: &Module) -> Left {
    let (surroundings, interpreter) = (Surroundings::default(), Interpreter::new(m).unwrap().step_limit(1 << 24));
    let (mut outcome, mut emitted) = (None, None);
    match m.stage {
        Stage::Compute => {
            let group = Group { id: [0; 3], count: [1; 3], wave: 16 };
            interpreter.run_group(&surroundings, group).unwrap();
        }
        Stage::Geometry => {
            let mut all = interpreter.run_primitive(&surroundings).unwrap();
            all.steps = 0;
            emitted = Some(all);
        }
        Stage::Vertex | Stage::Pixel => {
            outcome = Some(Outcome { steps: 0, ..interpreter.run(&surroundings).unwrap() });
        }
    }
    (outcome, emitted, surroundings.0.into_inner())
}

const STRICT: Options = Options { float_rules: FloatRules::Strict };

type Pass = (&'static str, fn(&mut Module));

const PASSES: &[Pass] = &[
    ("outputs", outputs::run),
    ("ssa", ssa::run),
    ("types", types::run),
    ("lanes", lanes::run),
    ("fold", fold::run),
    ("simplify", simplify::run),
    ("conditions", conditions::run),
    ("control_flow", control_flow::run),
    ("cse", cse::run),
    ("dce", dce::run),
    ("float_rules", |m| float_rules::run(m, FloatRules::Strict)),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    /// Passes in random order, each checked.
    #[test]
    fn every_pass_keeps_meaning(
        bytes in proptest::collection::vec(any::<u8>(), 0..1500),
        stage in 0..Stage::ALL.len(),
        order in proptest::collection::vec(0..PASSES.len(), 1..8),
    ) {
        let mut module = generate(Stage::ALL[stage], &bytes);
        let expected = run(&module);
        for &at in &order {
            let (name, pass) = PASSES[at];
            let before = module.to_string();
            pass(&mut module);
            if let Err(error) = verify(&module) {
                panic!("{name}: {error}\nbefore:\n{before}\nafter:\n{module}");
            }
            prop_assert_eq!(&run(&module), &expected, "{}\nbefore:\n{}\nafter:\n{}", name, before, module);
        }
    }

    #[test]
    fn the_pipeline_keeps_meaning(bytes in proptest::collection::vec(any::<u8>(), 0..2500), stage in 0..Stage::ALL.len()) {
        let mut module = generate(Stage::ALL[stage], &bytes);
        let before = module.to_string();
        let expected = run(&module);
        optimize(&mut module, &STRICT);
        prop_assert_eq!(&run(&module), &expected, "before:\n{}\nafter:\n{}", before, module);
        prop_assert!(module.vars.iter().all(|v| v.array.is_some()), "a variable is left");
    }
}

/// Zero times what reciprocals, roots and logarithms of zero grow to is zero, also where plain instructions multiply.
#[test]
fn relaxed_rules_make_no_infinities_of_zero() {
    struct Numbers;
    impl Environment for Numbers {
        fn input(&self, _: &InputDecl, _: usize) -> [u32; 4] {
            [0.0, 2_147_483_648.0, -2_147_483_648.0, -0.0f32].map(f32::to_bits)
        }
        fn constant(&self, _: &BankDecl, _: u32) -> [u32; 4] {
            [0; 4]
        }
        fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
            [0.0; 4]
        }
    }
    for op in ["frcpc", "frsqc", "flog2c"] {
        let text = format!(
            "pixel {{\n  input in0 : f32x4 location 0 smooth\n  output out0 : f32x4 location 0\n  v0: f32x4 = load_input in0\n  \
             v1: f32x4 = swizzle v0.xxww\n  v2: f32x4 = {op} v1\n  v3: f32x4 = swizzle v0.yzyz\n  v4: f32x4 = fmulz v2, v3\n  \
             v5: f32x4 = fmulz v4, v1\n  store_output out0, v5\n  return\n}}"
        );
        let mut module = afterimage_ir::parse(&text).unwrap();
        optimize(&mut module, &Options { float_rules: FloatRules::Relaxed });
        let outcome = Interpreter::new(&module).unwrap().run(&Numbers).unwrap();
        let found = outcome.outputs[0][0].map(f32::from_bits);
        assert_eq!(found, [0.0; 4], "{module}");
    }
}
