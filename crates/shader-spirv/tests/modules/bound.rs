//! Shaders that keep the blocks, buffers and textures that they had: what is written reads them where the source did, computes the
//! same, and still does when it is lowered.

use crate::judges;
use crate::shaders;
use afterimage_interp::{Emitted, Environment, Interpreter, SampleArgs};
use afterimage_ir::bindings::{Bindings, BlockSource, Descriptor};
use afterimage_ir::*;
use afterimage_passes::FloatRules;
use afterimage_passes::feedback::{self, Attribute, Fetch, Form, Number, Step};
use afterimage_shader_spirv::{Lifted, Options, Program, lift, lift_after};
use afterimage_spirv::{Bound, EmitError, emit_bound};

const OPTIONS: afterimage_spirv::Options = afterimage_spirv::Options {
    bindless: false,
    preserve: false,
    debug_names: true,
    features: afterimage_spirv::Features::ALL,
};

fn program(name: &str) -> Program {
    let path = shaders::folder().join(format!("../programs/{name}.spv"));
    Program::from_bytes(&std::fs::read(path).expect("compile.sh makes it")).unwrap()
}

fn lifted(name: &str) -> Lifted {
    lift(&program(name), &Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn optimised(module: &Module) -> Module {
    let mut module = module.clone();
    afterimage_passes::optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Strict });
    module
}

/// Every program of a stage.
fn programs(extension: &str) -> Vec<String> {
    let names = shaders::everything().into_iter().filter(|path| path.parent().unwrap().ends_with("programs"));
    let names = names.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(extension)).collect()
}

/// Everything that a shader may read, made of numbers; constants are those of their bank.
struct World(u32);

impl World {
    fn hash(&self, parts: &[u32]) -> u32 {
        parts.iter().fold(self.0.wrapping_mul(0x9e37_79b9), |sum, &part| {
            let mixed = (sum ^ part).wrapping_mul(0x85eb_ca6b);
            mixed ^ mixed >> 13
        })
    }

    fn floats(&self, parts: &[u32]) -> [u32; 4] {
        std::array::from_fn(|i| {
            let hash = self.hash(&[parts[0], parts[1], i as u32]);
            // Some are whole numbers, which are indices too.
            if hash.is_multiple_of(5) { hash >> 8 & 7 } else { ((hash >> 8) as f32 / 4_194_304.0 - 2.0).to_bits() }
        })
    }
}

impl Environment for World {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        match decl.at {
            InputAt::Location(n) => self.floats(&[n.into(), lane as u32]),
            _ => [lane as u32 + 1, 0, 0, 0],
        }
    }
    fn vertex_input(&self, decl: &InputDecl, vertex: u32) -> [u32; 4] {
        let at = match decl.at {
            InputAt::Location(n) => u32::from(n),
            InputAt::ClipDistance(n) => 100 + u32::from(n),
            _ => 200,
        };
        self.floats(&[at, vertex])
    }
    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        self.floats(&[1000 + u32::from(bank.id), index])
    }
    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        std::array::from_fn(|i| f32::from(texture.slot) * 0.25 + args.coord[0] - args.layer + i as f32)
    }
    fn fetch(&self, texture: &TextureDecl, coord: [i32; 3], level: i32) -> [u32; 4] {
        self.floats(&[u32::from(texture.slot) * 64 + level as u32, (coord[0] * 7 + coord[1]) as u32])
    }
    fn texture_size(&self, _: &TextureDecl, level: i32) -> [u32; 3] {
        [16 >> level.clamp(0, 4), 8, 2]
    }
}

fn same(decl: &OutputDecl, a: [u32; 4], b: [u32; 4]) -> bool {
    let nan = |bits| decl.ty.kind == Kind::Float && f32::from_bits(bits).is_nan();
    a.iter().zip(b).take(decl.ty.lanes.into()).all(|(&a, b)| a == b || nan(a) && nan(b))
}

/// Values of each vertex by what they are, so that modules that declare their outputs in other orders can be compared.
fn compare(what: &str, a: &Module, b: &Module, world: &World) {
    let place = |decl: &OutputDecl| b.outputs.iter().position(|other| other.at == decl.at);
    let pair = |values: (&[[u32; 4]], &[[u32; 4]])| {
        for (at, decl) in a.outputs.iter().enumerate() {
            let other = place(decl).unwrap_or_else(|| panic!("{what}: {} is lost", decl.at));
            let (first, second) = (values.0[at], values.1[other]);
            assert!(same(decl, first, second), "{what}, {}: {first:x?}, then {second:x?}", decl.at);
        }
    };
    let run = |module: &Module| -> Emitted { Interpreter::new(module).unwrap().run_primitive(world).unwrap() };
    if a.stage == Stage::Geometry {
        let (first, second) = (run(a), run(b));
        for (first, second) in first.strips.iter().zip(&second.strips) {
            assert_eq!(first.len(), second.len(), "{what}: strips");
            for (first, second) in first.iter().zip(second) {
                assert_eq!(first.len(), second.len(), "{what}: vertices");
                first.iter().zip(second).for_each(|(first, second)| pair((first, second)));
            }
        }
        return;
    }
    let [first, second] = [a, b].map(|module| Interpreter::new(module).unwrap().run(world).unwrap());
    for lane in 0..4 {
        let of = |outputs: &[[[u32; 4]; 4]]| outputs.iter().map(|values| values[lane]).collect::<Vec<_>>();
        let values = [&first.outputs, &second.outputs].map(|outputs| of(outputs));
        pair((&values[0], &values[1]));
    }
}

#[test]
fn what_is_written_computes_the_same() {
    let mut emitted = 0;
    for name in programs(".vert").into_iter().chain(programs(".geom")) {
        let Lifted { module, bindings, .. } = lifted(&name);
        let short = optimised(&module);
        let bound = Bound { bindings: &bindings, feedback: None };
        let words = emit_bound(&short, &OPTIONS, &bound).unwrap_or_else(|e| panic!("{name}: {e}")).words;
        let again = lift(&Program::parse(&words).unwrap(), &Options::default());
        let again = again.unwrap_or_else(|e| panic!("{name}, read again: {e}")).module;
        for seed in 0..24 {
            compare(&format!("{name}, optimised, {seed}"), &module, &short, &World(seed));
            compare(&format!("{name}, read again, {seed}"), &short, &again, &World(seed));
            if module.stage == Stage::Geometry {
                let run = Interpreter::new(&module).unwrap().run_primitive(&World(seed)).unwrap();
                emitted += run.strips.iter().flatten().map(Vec::len).sum::<usize>();
            }
        }
    }
    assert!(emitted > 200, "{emitted}: hardly anything is emitted");
}

fn valid(name: &str, words: &[u32]) {
    if shaders::has("spirv-val") {
        judges::validate(words).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}

fn attributes(module: &Module) -> Vec<Attribute> {
    let attribute = |input: &InputDecl| {
        let InputAt::Location(location) = input.at else { return None };
        let number = if input.ty.kind == Kind::Float { Number::Float } else { Number::Uint };
        let fetch = Fetch::new(number, input.ty.lanes, 32);
        Some(Attribute { location, slot: location, fetch, offset: 0, step: Step::Vertex })
    };
    module.inputs.iter().filter_map(attribute).collect()
}

/// Members of the push constant block with their offsets, and descriptors, as the disassembly has them.
fn places(words: &[u32]) -> Vec<String> {
    let text = afterimage_shader_spirv::disassemble(words).unwrap();
    let wanted = ["DescriptorSet", "Binding"];
    let mut found: Vec<String> = text
        .lines()
        .filter(|line| wanted.iter().any(|wanted| line.contains(wanted)))
        .map(|line| line.split_whitespace().skip(2).collect::<Vec<_>>().join(" "))
        .collect();
    found.sort();
    found
}

#[test]
fn what_is_lowered_keeps_its_interface() {
    for name in programs(".vert") {
        let Lifted { module, bindings, .. } = lifted(&name);
        if module.feedback.is_empty() {
            continue;
        }
        let module = optimised(&module);
        let bound = Bound { bindings: &bindings, feedback: None };
        let native = emit_bound(&module, &OPTIONS, &bound).unwrap().words;
        for form in [Form::Gather, Form::Scatter] {
            let options = feedback::Options { form, attributes: attributes(&module) };
            let lowered = feedback::lower(&module, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
            let lowered = optimised(&lowered);
            let words = emit_bound(&lowered, &OPTIONS, &bound).unwrap_or_else(|e| panic!("{name}: {e}")).words;
            valid(&format!("{name} {form:?}"), &words);
            let (before, after) = (places(&native), places(&words));
            // What no feedback depends on is not read any more.
            assert!(after.iter().all(|place| before.contains(place)), "{name} {form:?}: {after:?}, not {before:?}");
            assert!(after.len() * 2 >= before.len(), "{name} {form:?}: {after:?} of {before:?}");
        }
    }
}

#[test]
fn the_address_of_system_values_has_a_place_of_its_own() {
    let Lifted { module, bindings, .. } = lifted("instances.vert");
    assert_eq!(bindings.push_size(), 92);
    let push = bindings.blocks.iter().find(|block| block.source == BlockSource::PushConstants).unwrap();
    assert_eq!(push.start, 16);
    let options = feedback::Options { form: Form::Gather, attributes: attributes(&module) };
    let lowered = optimised(&feedback::lower(&optimised(&module), &options).unwrap());
    let emit = |feedback| {
        let bound = Bound { bindings: &bindings, feedback };
        emit_bound(&lowered, &OPTIONS, &bound).map(|artifact| artifact.words)
    };
    assert_eq!(Bound { bindings: &bindings, feedback: None }.feedback(), 96);
    for (place, offset) in [(None, 96), (Some(8), 8), (Some(0), 0), (Some(120), 120)] {
        let words = emit(place).unwrap();
        valid("instances.vert", &words);
        let text = afterimage_shader_spirv::disassemble(&words).unwrap();
        assert!(text.lines().any(|line| line.ends_with(&format!("1 Offset {offset}"))), "{offset}");
        assert!(text.lines().any(|line| line.ends_with("0 Offset 16")), "the shader's own stay where they are");
    }
    for offset in [12, 16, 88, u32::MAX - 7] {
        let error = emit(Some(offset)).unwrap_err();
        assert!(matches!(error, EmitError::Push { taken: 92, .. }), "{offset}: {error}");
    }
}

#[test]
fn what_is_not_bound_is_named() {
    let Lifted { module, .. } = lifted("terrain.vert");
    let nothing = Bindings::default();
    let error = emit_bound(&module, &OPTIONS, &Bound { bindings: &nothing, feedback: None }).unwrap_err();
    assert_eq!(error, EmitError::Unbound("a bank that is no block of the shader"));
    let pulling = optimised(&lifted("pulling.vert").module);
    assert_eq!(afterimage_spirv::emit(&pulling, &OPTIONS).unwrap_err(), EmitError::Unbound("a storage buffer"));
}

/// A geometry shader behind a vertex shader: equal blocks have one number, others have others.
#[test]
fn a_second_stage_goes_on_with_the_numbers() {
    let first = lifted("skinning.vert").bindings;
    let second = lift_after(&program("billboards.geom"), &Options::default(), &first).unwrap();
    let uniform = |binding| BlockSource::Uniform(Descriptor { set: 0, binding, element: 0 });
    let of = |bindings: &Bindings| bindings.blocks.iter().map(|b| (b.bank, b.source)).collect::<Vec<_>>();
    assert_eq!(of(&first), [(1, uniform(0)), (2, uniform(1))]);
    assert_eq!(of(&second.bindings), [(2, uniform(1))]);
    let third = lift_after(&program("pulling.vert"), &Options::default(), &first).unwrap();
    let mut both = first.clone();
    both.join(&third.bindings);
    let mut banks: Vec<u8> = both.blocks.iter().map(|block| block.bank).collect();
    let count = banks.len();
    banks.dedup();
    assert_eq!(banks.len(), count, "{both:?}");
    assert!(both.blocks.len() >= first.blocks.len() + 5, "{both:?}");
}
