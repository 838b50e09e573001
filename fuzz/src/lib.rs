//! What the targets share: fields out of bytes, and what must hold for every shader that a front end accepts.

use afterimage_interp::{Environment, Interpreter, Outcome, SampleArgs};
use afterimage_ir::{BankDecl, InputAt, InputDecl, Module, TextureDecl, parse, verify};
use afterimage_passes::{FloatRules, Options, optimize};
use afterimage_shader::{CompileError, Profile, RuntimeInfo, Shader, decode_artifact, encode_artifact};
use bytemuck::Pod;

/// The fuzzer's bytes, front to back; zeros behind the last one.
pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        self.value()
    }

    /// The next value of any plain type.
    pub fn value<T: Pod>(&mut self) -> T {
        let mut value = T::zeroed();
        let (bytes, rest) = self.0.split_at(self.0.len().min(size_of::<T>()));
        bytemuck::bytes_of_mut(&mut value)[..bytes.len()].copy_from_slice(bytes);
        self.0 = rest;
        value
    }

    /// All that is left.
    pub fn rest(self) -> &'a [u8] {
        self.0
    }
}

/// Takes a shader through everything behind its front end. Both back ends must take what was lifted, and the passes may not
/// change what it computes, which `exact` says can be told.
pub fn compile(shader: &Shader, runtime: &RuntimeInfo, relaxed: bool, exact: bool) {
    let lifted = match shader.lift(runtime) {
        Ok(lifted) => lifted,
        Err(error) => return assert!(!error.to_string().is_empty(), "an error says something"),
    };
    back_ends(&lifted, relaxed);
    if exact {
        meaning(&lifted);
    }
    let profile = Profile { float_rules: rules(relaxed), ..Profile::default() };
    let artifact = shader.compile(&profile, runtime).expect("what is lifted can be written");
    assert_eq!(
        decode_artifact(&encode_artifact(&artifact)).as_ref(),
        Ok(&artifact),
        "the cache keeps artifacts as they are"
    );
    match shader.compile_msl(&profile, runtime) {
        // Metal has room for less than Direct3D or the IR.
        Ok(_) | Err(CompileError::Msl(afterimage_msl::EmitError::Binding(_))) => {}
        Err(error) => panic!("what is lifted can be written for Metal, but: {error}"),
    }
}

fn rules(relaxed: bool) -> FloatRules {
    if relaxed { FloatRules::Relaxed } else { FloatRules::Strict }
}

/// A module is valid, also when it was text, and after each pass (which debug assertions check).
fn back_ends(lifted: &Module, relaxed: bool) {
    assert_eq!(verify(lifted), Ok(()), "what is lifted is valid\n{lifted}");
    let text = lifted.to_string();
    let again = parse(&text).expect("a valid module's text parses");
    assert_eq!(again.to_string(), text, "the text form round-trips");
    let mut module = again;
    optimize(&mut module, &Options { float_rules: rules(relaxed) });
}

/// Strictly optimised, a module computes the same bits.
pub fn meaning(module: &Module) {
    let Some(before) = run(module) else { return };
    let mut optimized = module.clone();
    optimize(&mut optimized, &Options { float_rules: FloatRules::Strict });
    let after = run(&optimized).expect("what ends also ends when it is optimised");
    assert_eq!(before.demoted, after.demoted, "pixels that are thrown away\n{module}\n{optimized}");
    for (index, decl) in module.outputs.iter().enumerate() {
        for lane in (0..4).filter(|lane| !before.demoted[*lane]) {
            let [old, new] = [&before, &after].map(|outcome| outcome.outputs[index][lane].map(bits));
            assert_eq!(old, new, "{} in lane {lane}\n{module}\n{optimized}", decl.name);
        }
    }
}

fn run(module: &Module) -> Option<Outcome> {
    Interpreter::new(module).expect("verified").step_limit(100_000).run(&World).ok()
}

/// Bits, but every NaN is the same.
fn bits(word: u32) -> u32 {
    if f32::from_bits(word).is_nan() { 0x7FC0_0000 } else { word }
}

/// What a shader reads: small numbers of both signs, zeros, now and then infinity.
struct World;

fn value(seed: u32) -> u32 {
    const VALUES: [f32; 16] =
        [0.0, 1.0, -1.0, 0.5, 2.0, -0.25, 3.0, 0.75, -2.0, 0.125, 4.0, -0.0, 1.5, 0.9, f32::INFINITY, -3.5];
    VALUES[(seed.wrapping_mul(0x9E37_79B1) >> 28) as usize].to_bits()
}

impl Environment for World {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        match decl.at {
            InputAt::Location(location) => [0, 1, 2, 3].map(|i| value(u32::from(location) * 16 + lane as u32 * 4 + i)),
            InputAt::FrontFacing => [lane as u32 & 1, 0, 0, 0],
            _ => [lane as f32 + 0.5, 7.5, 0.25, 0.5].map(f32::to_bits),
        }
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        // The second and third bank of each stage of Direct3D hold integers and truth values.
        if matches!(bank.id, 1 | 2 | 4 | 5) {
            return [index % 5, index % 3, 1, 0];
        }
        [0, 1, 2, 3].map(|i| value(index * 7 + i + u32::from(bank.id) * 1000))
    }

    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        [args.coord[0].fract(), args.coord[1].fract(), f32::from(texture.slot), args.reference.unwrap_or(1.0)]
    }
}
