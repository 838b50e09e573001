//! What our own back end writes is read back to a module that computes the same.

use afterimage_interp::{Environment, Interpreter, SampleArgs};
use afterimage_ir::*;
use afterimage_passes::FloatRules;
use afterimage_shader_spirv::{Lifted, Options, Program, lift};
use afterimage_spirv::{Artifact, Reflection, emit};

/// Inputs and constants that are not all the same; textures are functions of their first coordinate.
struct World;

fn float(n: u32) -> u32 {
    (((n * 37 % 101) as f32 - 50.0) / 8.0).to_bits()
}

impl Environment for World {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        match decl.at {
            InputAt::Location(n) => std::array::from_fn(|i| float(u32::from(n) * 16 + lane as u32 * 4 + i as u32)),
            InputAt::FrontFacing => [(lane % 2) as u32, 0, 0, 0],
            _ => std::array::from_fn(|i| {
                let number = (lane + i) as u32;
                if decl.ty.kind == Kind::Float { (number as f32 + 0.5).to_bits() } else { number }
            }),
        }
    }
    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        std::array::from_fn(|i| match bank.id {
            1 => (index * 3 + i as u32) % 7,
            id => float(u32::from(id) * 1000 + index * 4 + i as u32),
        })
    }
    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        let first = f32::from(texture.slot) * 0.25 + args.coord[0].clamp(-1.0, 1.0);
        match args.reference {
            // A comparison has one result.
            Some(reference) => [if reference > first { 1.0 } else { 0.0 }; 4],
            None => std::array::from_fn(|i| first + i as f32),
        }
    }
}

/// The same world, seen through the ABI: bank 0 is what lies behind the stage's address.
struct Behind<'a> {
    module: &'a Module,
    reflection: &'a Reflection,
}

impl Environment for Behind<'_> {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        World.input(decl, lane)
    }
    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        if bank.source == BankSource::System {
            let system = self.module.banks.iter().find(|b| b.source == BankSource::System);
            return World.constant(system.expect("only read if there is one"), index);
        }
        let mut at = 0;
        for segment in &self.reflection.segments {
            if index < at + segment.count {
                let (id, register) = (segment.bank, segment.first + index - at);
                let def = self.reflection.const_defs.iter().find(|d| d.bank == id && d.index == register);
                let bank = self.module.banks.iter().find(|b| b.id == id && b.source == BankSource::Stage);
                return def.map_or_else(|| World.constant(bank.expect("a bank"), register), |d| d.bits);
            }
            at += segment.count;
        }
        panic!("register {index} is beyond the segments");
    }
    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        World.sample(texture, args)
    }
}

fn read(artifact: &Artifact) -> Lifted {
    let program = Program::parse(&artifact.words).expect("our own words");
    lift(&program, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// The lifted module, as it is and optimised, against the module that was written.
fn compare(written: &Module, artifact: &Artifact, what: &str) {
    let lifted = read(artifact);
    let expected = Interpreter::new(written).unwrap().run(&World).unwrap();
    let mut optimised = lifted.module.clone();
    afterimage_passes::optimize(&mut optimised, &afterimage_passes::Options { float_rules: FloatRules::Strict });
    let world = Behind { module: written, reflection: &artifact.reflection };
    for module in [&lifted.module, &optimised] {
        let found = Interpreter::new(module).unwrap().run(&world).unwrap();
        assert_eq!(found.demoted, expected.demoted, "{what}");
        for (at, decl) in module.outputs.iter().enumerate() {
            let same =
                written.outputs.iter().position(|other| other.at == decl.at).expect("an output of the same place");
            for lane in 0..4 {
                if expected.demoted[lane] {
                    continue;
                }
                let (found, expected) = (found.outputs[at][lane], expected.outputs[same][lane]);
                let pairs = found.iter().zip(expected).take(decl.ty.lanes as usize);
                let equal = pairs.clone().all(|(&f, e)| {
                    let number = |bits: u32| decl.ty.kind == Kind::Float && f32::from_bits(bits).is_nan();
                    f == e || number(f) && number(e)
                });
                assert!(
                    equal,
                    "{what}, {:?}, lane {lane}: {found:x?}, not {expected:x?}\n{written}\n{module}",
                    decl.at
                );
            }
        }
    }
}

fn options(bindless: bool) -> afterimage_spirv::Options {
    afterimage_spirv::Options {
        bindless,
        preserve: bindless,
        debug_names: bindless,
        features: afterimage_spirv::Features::ALL,
    }
}

fn bytes(state: &mut u64, count: usize) -> Vec<u8> {
    (0..count)
        .map(|_| {
            *state ^= *state << 13;
            *state ^= *state >> 7;
            *state ^= *state << 17;
            (*state >> 24) as u8
        })
        .collect()
}

#[test]
fn random_modules_survive() {
    let mut state = 0x9e37_79b9_7f4a_7c15;
    for round in 0..300 {
        let stage = if round % 2 == 0 { Stage::Pixel } else { Stage::Vertex };
        let mut module = generate(stage, &bytes(&mut state, 800));
        let rules = FloatRules::Strict;
        if round % 3 == 0 {
            afterimage_passes::float_rules::run(&mut module, rules);
        } else {
            afterimage_passes::optimize(&mut module, &afterimage_passes::Options { float_rules: rules });
        }
        let artifact = emit(&module, &options(round % 4 < 2)).unwrap();
        compare(&module, &artifact, &format!("round {round}"));
    }
}

/// Direct3D 9 shaders, through our back end and back.
#[test]
fn direct3d_shaders_survive() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shader-d3d9/tests/filetests");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "asm") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let tokens = afterimage_shader_d3d9::assemble(text.split("; --- IR").next().unwrap()).unwrap();
        let link =
            afterimage_shader_d3d9::io::link_of_pixel_shader(&afterimage_shader_d3d9::signature(&tokens).unwrap());
        let runtime = afterimage_shader_d3d9::RuntimeInfo { link, ..Default::default() };
        let mut module = afterimage_shader_d3d9::lift(&tokens, &runtime).unwrap();
        let rules = FloatRules::Strict;
        afterimage_passes::optimize(&mut module, &afterimage_passes::Options { float_rules: rules });
        for bindless in [false, true] {
            let artifact = emit(&module, &options(bindless)).unwrap();
            compare(&module, &artifact, &path.display().to_string());
        }
        count += 1;
    }
    assert!(count >= 8);
}
