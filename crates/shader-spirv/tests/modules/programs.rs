//! Shaders like those of real programs (`programs/`, compiled by `glsl/compile.sh`): each becomes a module that passes and back
//! end take, in which everything that it captures is where it says.

use crate::judges;
use std::path::{Path, PathBuf};

use crate::shaders::{Version, has, versions};
use afterimage_interp::{Environment, Interpreter, SampleArgs};
use afterimage_ir::*;
use afterimage_passes::FloatRules;
use afterimage_shader_spirv::io::Bindings;
use afterimage_shader_spirv::{Lifted, Options, Program, lift};
use afterimage_spirv::{Bound, emit_bound};
use proptest::prelude::*;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

fn program(name: &str) -> Lifted {
    lifted(name, &std::fs::read(folder().join(format!("{name}.spv"))).expect("compile.sh makes it"))
}

fn lifted(name: &str, bytes: &[u8]) -> Lifted {
    let program = Program::from_bytes(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
    lift(&program, &Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn optimised(module: &Module) -> Module {
    let mut module = module.clone();
    afterimage_passes::optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Strict });
    module
}

#[test]
fn every_program_is_translated_and_written_again() {
    let validate = has("spirv-val");
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "spv") {
            continue;
        }
        count += 1;
        for Version { name, bytes } in versions(&path) {
            let module = optimised(&lifted(&name, &bytes).module);
            let bindings = lifted(&name, &bytes).bindings;
            let bound = Bound { bindings: &bindings, feedback: None };
            let bound = emit_bound(&module, &OPTIONS, &bound).unwrap_or_else(|e| panic!("{name}: {e}")).words;
            if validate {
                valid(&name, &bound);
            }
            let same = lifted(&name, bytemuck::cast_slice(&bound)).bindings;
            assert_eq!(same.textures, bindings.textures, "{name}");
            let sources = |bindings: &Bindings| bindings.blocks.iter().map(|b| (b.bank, b.source)).collect::<Vec<_>>();
            assert_eq!(sources(&same), sources(&bindings), "{name}");
            if buffers(&module) {
                continue;
            }
            let words = emit(&name, &module);
            if validate {
                valid(&name, &words);
            }
            let again = lift(&Program::parse(&words).unwrap(), &Options::default());
            let again = again.unwrap_or_else(|e| panic!("{name}, read again: {e}"));
            assert_eq!(again.module.stage, module.stage, "{name}");
        }
    }
    assert!(count >= 14, "{count}");
}

const OPTIONS: afterimage_spirv::Options = afterimage_spirv::Options {
    bindless: false,
    preserve: false,
    debug_names: true,
    features: afterimage_spirv::Features::ALL,
};

/// Whether it reads storage buffers, which our own ABI has not.
fn buffers(module: &Module) -> bool {
    module.banks.iter().any(|bank| bank.source == BankSource::Storage)
}

fn emit(name: &str, module: &Module) -> Vec<u32> {
    afterimage_spirv::emit(module, &OPTIONS).unwrap_or_else(|e| panic!("{name}: {e}")).words
}

fn valid(name: &str, words: &[u32]) {
    judges::validate(words).unwrap_or_else(|why| panic!("{name}: {why}"));
}

/// Captures as `at.component+lanes -> buffer:stream offset/stride`.
fn captures(module: &Module) -> Vec<String> {
    let text = |c: &FeedbackDecl| {
        let at = module.outputs[c.output.index()].at;
        format!("{at}.{}+{} -> {}:{} {}/{}", c.component, c.lanes, c.buffer, c.stream, c.offset, c.stride)
    };
    let mut all: Vec<String> = module.feedback.iter().map(text).collect();
    all.sort();
    all
}

#[test]
fn what_is_captured_is_where_the_source_says() {
    let of = |name: &str| captures(&program(name).module);
    let skinning = ["location 0.0+3 -> 0:0 0/28", "location 1.0+3 -> 0:0 12/28", "location 2.0+1 -> 0:0 24/28"];
    assert_eq!(of("skinning.vert"), skinning);
    // The size would be captured if it were not written too; the compiler leaves the stride that it was given for its own.
    let instances = ["location 0.0+4 -> 1:0 4/24", "point_size.0+1 -> 0:0 24/28", "position.0+4 -> 0:0 8/28"];
    assert_eq!(of("instances.vert"), instances);
    let doubles = [
        "location 0.0+4 -> 0:0 0/64",
        "location 1.0+2 -> 0:0 16/64",
        "location 2.0+4 -> 0:0 24/64",
        "location 3.0+4 -> 0:0 40/64",
        "location 4.0+1 -> 1:0 0/16",
        "location 5.0+2 -> 1:0 8/16",
    ];
    assert_eq!(of("doubles.vert"), doubles);
    assert_eq!(of("billboards.geom"), ["location 0.0+2 -> 0:0 0/24", "position.0+4 -> 0:0 8/24"]);
    let streams = [
        "location 0.0+4 -> 0:0 0/32",
        "location 1.0+4 -> 0:0 16/32",
        "location 2.0+4 -> 1:1 0/20",
        "location 3.0+1 -> 1:1 16/20",
    ];
    assert_eq!(of("streams.geom"), streams);
    let pieces = [
        "location 0.0+3 -> 1:0 4/36",
        "location 1.0+1 -> 1:0 16/36",
        "location 10.0+1 -> 0:0 48/64",
        "location 11.0+3 -> 0:0 52/64",
        "location 2.0+3 -> 2:0 4/36",
        "location 3.0+1 -> 2:0 16/36",
        "location 4.0+2 -> 0:0 8/64",
        "location 5.0+1 -> 0:0 16/64",
        "location 6.0+1 -> 0:0 20/64",
        "location 7.0+3 -> 0:0 24/64",
        "location 8.0+2 -> 0:0 36/64",
        "location 9.0+1 -> 0:0 44/64",
    ];
    assert_eq!(of("pieces.vert"), pieces);
    assert_eq!(of("debris.vert"), ["location 0.0+4 -> 2:0 4/48", "position.0+4 -> 2:0 20/48"]);
}

#[test]
fn what_geometry_shaders_say_is_kept() {
    let of = |name: &str| program(name).module.geometry.expect("it is a geometry shader");
    let decl = |input, output, vertices, invocations| GeometryDecl { input, output, vertices, invocations };
    use {InputPrimitive as In, OutputPrimitive as Out};
    assert_eq!(of("billboards.geom"), decl(In::Points, Out::TriangleStrip, 4, 1));
    assert_eq!(of("shadow.geom"), decl(In::TrianglesAdjacency, Out::TriangleStrip, 18, 1));
    assert_eq!(of("layers.geom"), decl(In::Triangles, Out::TriangleStrip, 3, 6));
    assert_eq!(of("wires.geom"), decl(In::LinesAdjacency, Out::TriangleStrip, 8, 1));
    assert_eq!(of("streams.geom"), decl(In::Points, Out::Points, 3, 1));
}

/// Inputs by location, and one register of constants.
struct World<'a> {
    inputs: &'a [[u32; 4]],
    constants: &'a dyn Fn(u32) -> [u32; 4],
}

impl Environment for World<'_> {
    fn input(&self, decl: &InputDecl, _lane: usize) -> [u32; 4] {
        match decl.at {
            InputAt::Location(n) => self.inputs[usize::from(n)],
            _ => [0; 4],
        }
    }
    fn constant(&self, _bank: &BankDecl, index: u32) -> [u32; 4] {
        (self.constants)(index)
    }
    fn sample(&self, _texture: &TextureDecl, _args: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }
}

/// Outputs by location.
fn run(module: &Module, world: &World<'_>) -> Vec<[u32; 4]> {
    let outcome = Interpreter::new(module).unwrap().run(world).unwrap();
    let mut all = vec![[0; 4]; 64];
    for (decl, values) in module.outputs.iter().zip(&outcome.outputs) {
        if let OutputAt::Location(n) = decl.at {
            all[usize::from(n)] = values[0];
        }
    }
    all
}

fn pair(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

fn four(low: u64, high: u64) -> [u32; 4] {
    let ([a, b], [c, d]) = (pair(low), pair(high));
    [a, b, c, d]
}

/// What `long.vert` computes.
fn long(x: u64, y: u64, by: u32, divisor: u32) -> [[u32; 4]; 11] {
    let (s, t) = (x as i64, y as i64);
    let small = i64::from(divisor as i32);
    let [min_low, min_high] = pair(x.min(y));
    let order = [x < y, s < t, x >= y, s <= t, x == y, x != y];
    let order = order.iter().enumerate().fold(0, |bits, (at, &holds)| bits | u32::from(holds) << at);
    let [d_low, d_high] = pair((x as f64).to_bits());
    [
        four(x.wrapping_add(y), x.wrapping_sub(y)),
        four(x.wrapping_mul(y), s.wrapping_neg() as u64),
        four(x << by, x >> by),
        four((s >> by) as u64, t.wrapping_abs() as u64),
        [order, min_low, min_high, s.signum() as u32],
        four(s.max(t) as u64, i64::from(x as u32 as i32) as u64),
        four(x / y, x / u64::from(divisor)),
        four(x % y, x % u64::from(divisor)),
        four(s.wrapping_div(t) as u64, s.wrapping_div(small) as u64),
        [d_low, d_high, (x as f32).to_bits(), (s as f32).to_bits()],
        four((x >> 1) as f64 as u64, ((s >> 8) as f64 as i64) as u64),
    ]
}

fn number() -> impl Strategy<Value = u64> {
    let edge = prop::sample::select(vec![0, 1, 2, u64::MAX, 1 << 31, 1 << 32, 1 << 63, u64::MAX >> 1, 0xffff_ffff]);
    prop_oneof![
        any::<u64>(),
        (any::<u64>(), 0..64u32).prop_map(|(value, by)| value >> by),
        (edge, 0..3u64).prop_map(|(value, more)| value.wrapping_add(more)),
        // Halves between floats.
        (any::<u32>(), 0..39u32, 0..3u64).prop_map(|(value, by, more)| {
            ((u64::from(value >> 7) << 1 | 1) << by).wrapping_add(more).wrapping_sub(1)
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn integers_of_64_bits_are_computed(x in number(), y in number(), by in 0..64u32, divisor in any::<u32>()) {
        let (y, divisor) = (y.max(1), divisor.max(1));
        let inputs = [four(x, y), [by, divisor, 0, 0]];
        let world = World { inputs: &inputs, constants: &|_| [0; 4] };
        let expected = long(x, y, by, divisor);
        static MODULES: std::sync::OnceLock<[Module; 2]> = std::sync::OnceLock::new();
        let modules = MODULES.get_or_init(|| {
            let lifted = program("long.vert").module;
            let optimised = optimised(&lifted);
            [lifted, optimised]
        });
        for module in modules {
            let found = run(module, &world);
            for (location, expected) in expected.iter().enumerate() {
                prop_assert_eq!(found[location], *expected, "location {} of {:#x}, {:#x}, {}", location, x, y, by);
            }
        }
    }
}

#[test]
fn doubles_are_computed() {
    let place: [[f64; 4]; 4] =
        [[0.5, 0.0, 0.25, 0.0], [0.0, 2.0, 0.0, 0.0], [1.0, 0.0, 3.0, 0.0], [1e9, 2e9, -3e9, 1.0]];
    let (origin, scale, key) = ([1.0, -2.0, 1e-3], 1.5, 0x0123_4567_89ab_cdef_u64);
    // Columns of 32 bytes, the origin at byte 128, the scale behind it, the key at 160.
    let mut words: Vec<u64> = place.iter().flatten().map(|v| v.to_bits()).collect();
    words.extend(origin.map(f64::to_bits));
    words.push(f64::to_bits(scale));
    words.extend([key, 0]);
    let constants = |index: u32| four(words[index as usize * 2], words[index as usize * 2 + 1]);
    let (position, size, id) = ([3.0, -4.5, 0.125], [2.5, -7.75], -5_i64);
    let [p, s] = [position, [size[0], size[1], 0.0]].map(|v: [f64; 3]| v.map(f64::to_bits));
    let inputs = [four(p[0], p[1]), four(p[2], 0), four(s[0], s[1]), four(id as u64, 0)];
    let point = [position[0] * scale, position[1] * scale, position[2] * scale, 1.0];
    let far: [f64; 3] = std::array::from_fn(|row| {
        (0..4).map(|column| place[column][row] * point[column]).reduce(|a, b| a + b).unwrap() + origin[row]
    });
    let square = far[0] * far[0] + far[1] * far[1] + far[2] * far[2];
    let area = (size[0] * size[1]).abs() + square.sqrt();
    let mut hash = (id as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(key);
    hash ^= hash >> 29;
    hash = hash.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash ^= hash << 31;
    let mixed = size[0] * 0.75 + size[1] * 0.25;
    let lifted = program("doubles.vert").module;
    for module in [&lifted, &optimised(&lifted)] {
        let found = run(module, &World { inputs: &inputs, constants: &constants });
        assert_eq!(found[0], four(far[0].to_bits(), far[1].to_bits()));
        assert_eq!(found[1][..2], pair(far[2].to_bits()));
        assert_eq!(found[2], four(area.to_bits(), hash));
        assert_eq!(found[3], four(size[0].floor().to_bits(), f64::to_bits(-5.0)));
        assert_eq!(found[4][0], (area as f32).to_bits());
        assert_eq!(found[5][..2], pair(mixed.to_bits()));
    }
}

/// What the vertices of a primitive have, by location: `vertex * 100 + location * 10 + component`, and builtins.
struct Corners {
    invocation: u32,
}

fn corner(vertex: u32, location: u32, component: u32) -> f32 {
    (vertex * 100 + location * 10 + component) as f32
}

impl Environment for Corners {
    fn input(&self, decl: &InputDecl, _lane: usize) -> [u32; 4] {
        match decl.at {
            InputAt::InvocationId => [self.invocation, 0, 0, 0],
            _ => [0; 4],
        }
    }
    fn vertex_input(&self, decl: &InputDecl, vertex: u32) -> [u32; 4] {
        let location = match decl.at {
            InputAt::Location(n) => n.into(),
            InputAt::Position => 20,
            InputAt::PointSize => 30,
            InputAt::ClipDistance(_) => 40,
            _ => panic!("nothing else is read"),
        };
        std::array::from_fn(|i| corner(vertex, location, i as u32).to_bits())
    }
    /// Matrices of one number each, that of the face, on the diagonal.
    fn constant(&self, _bank: &BankDecl, index: u32) -> [u32; 4] {
        std::array::from_fn(|row| if row as u32 == index % 4 { (index as f32 / 4.0).floor().to_bits() } else { 0 })
    }
    fn sample(&self, _texture: &TextureDecl, _args: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }
}

/// `layers.geom` against what its source says.
#[test]
fn geometry_shaders_read_their_vertices() {
    let lifted = program("layers.geom").module;
    let short = optimised(&lifted);
    for (module, invocation) in [(&lifted, 2), (&short, 2), (&short, 5)] {
        let world = Corners { invocation };
        let emitted = Interpreter::new(module).unwrap().run_primitive(&world).unwrap();
        let [strips, rest @ ..] = &emitted.strips;
        assert!(rest.iter().all(Vec::is_empty) && strips.len() == 1 && strips[0].len() == 3);
        // Three weights, a location each, of every vertex.
        let total: f32 = (0..3).flat_map(|v| (5..8).map(move |location| corner(v, location, 0))).sum();
        for (v, found) in (0..).zip(&strips[0]) {
            let of = |at: OutputAt| found[module.outputs.iter().position(|o| o.at == at).expect("it is written")];
            let floats = |at| of(at).map(f32::from_bits);
            assert_eq!(floats(OutputAt::Location(0)), std::array::from_fn(|i| corner(v, 0, i as u32) * total));
            assert_eq!(floats(OutputAt::Location(1))[..3], [0, 1, 2].map(|i| corner(v, 1, i)));
            assert_eq!(floats(OutputAt::Location(2))[..2], [0, 1].map(|i| corner(v, 2, i)));
            assert_eq!(floats(OutputAt::Location(3))[..2], [0, 1].map(|i| corner(v, 3, i)));
            let face = invocation as f32;
            assert_eq!(floats(OutputAt::Position), std::array::from_fn(|i| corner(v, 20, i as u32) * face));
            assert_eq!(floats(OutputAt::ClipDistance(0))[0], corner(v, 40, 0) + corner(v, 30, 0));
            assert_eq!((of(OutputAt::Layer)[0], of(OutputAt::ViewportIndex)[0]), (invocation, invocation % 2));
        }
    }
}
