//! Modules of one opcode and operands at the edges, which the tests of every back end run.

use afterimage_interp::{Environment, SampleArgs};
use afterimage_ir::*;

/// Floats around which rules change.
pub(crate) const FLOATS: [f32; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.5,
    -3.75,
    7.0,
    1e10,
    -1e10,
    1e-10,
    f32::MAX,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    3.0e9,
];

/// Integers around which rules change.
pub(crate) const INTS: [u32; 8] = [0, 1, 2, 31, 32, 0x7fff_ffff, 0x8000_0000, 0xffff_fff9];

/// Doubles around which rules change.
pub(crate) const DOUBLES: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.5,
    -3.75,
    7.0,
    1e300,
    -1e10,
    1e-300,
    4294967295.5,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    -2147483649.0,
];

/// Pixels of an opcode's module, four operand pairs each.
pub(crate) const PIXELS: usize = 64;

/// The registers that an opcode's module reads: all pairs of operands in the first two places; what the third is hardly matters.
pub(crate) fn registers(row: &OpInfo) -> Vec<[u32; 4]> {
    let patterns = row.args.unwrap_or_default();
    if matches!(row.meaning, Meaning::Pairs(_)) {
        return (0..3 * PIXELS).map(|register| pair_register(register, patterns)).collect();
    }
    let register = |register: usize| {
        std::array::from_fn(|lane| {
            let (pixel, operand) = (register / 3, register % 3);
            let pair = pixel * 4 + lane;
            let at = [pair % 16, pair / 16, pixel + lane][operand];
            match patterns.get(operand).and_then(|p| p.kind()) {
                Some(Kind::Float) => FLOATS[at % 16].to_bits(),
                Some(Kind::Bool) => (at % 2) as u32,
                _ => INTS[at % 8],
            }
        })
    };
    (0..3 * PIXELS).map(register).collect()
}

/// Operands of two instructions on doubles: two doubles, or scalars in the first two components. Half of the pairs fit in.
fn pair_register(register: usize, patterns: &[Pattern]) -> [u32; 4] {
    let (pixel, operand) = (register / 3, register % 3);
    let at = [0, 1].map(|n| {
        let pair = pixel * 4 + pixel / 16 % 2 + n * 2;
        [pair % 16, pair / 16, pixel + n][operand]
    });
    match patterns.get(operand) {
        Some(Pattern::D) => {
            let [a, b] = at.map(|at| DOUBLES[at % 16].to_bits());
            [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32]
        }
        Some(Pattern::F) => [FLOATS[at[0] % 16].to_bits(), FLOATS[at[1] % 16].to_bits(), 0, 0],
        _ => [INTS[at[0] % 8], INTS[at[1] % 8], 0, 0],
    }
}

/// A module of one opcode on four components at once, or on each alone. Pixel `n` takes its operands from registers `3 n` to
/// `3 n + 2`; the result goes out as `kind`, with the same bits.
pub(crate) fn opcode_module(row: &OpInfo, at_once: bool, kind: Kind) -> Module {
    let mut b = Builder::new(Stage::Pixel);
    let at = b.input(InputDecl {
        name: "vPos".into(),
        ty: Type::F32X4,
        at: InputAt::FragCoord,
        interp: Interp::Smooth,
        semantic: None,
    });
    let ty = Type::new(kind, 4);
    let out = b.output(OutputDecl { name: "bits".into(), ty, at: OutputAt::Location(0), semantic: None });
    let size = 3 * PIXELS as u32;
    let c = b.bank(BankDecl { name: "c".into(), source: BankSource::Stage, id: 0, size, defs: Vec::new() });
    let place = b.load_input(at);
    let x = b.extract(place, 0);
    let x = b.f2i(x);
    let three = b.i32(3);
    let first = b.imul(x, three);
    let patterns = row.args.unwrap();
    let args: Vec<Value> = (0..patterns.len())
        .map(|n| {
            let value = b.load_const_dyn(c, n as i32, first);
            b.cast(value, patterns[n].kind().unwrap_or(Kind::Int))
        })
        .collect();
    let value = if matches!(row.meaning, Meaning::Pairs(_)) {
        let parts: Vec<Value> = (0..2u8)
            .map(|half| {
                let pick = |b: &mut Builder, (&arg, pattern): (&Value, &Pattern)| match pattern {
                    Pattern::D => b.swizzle(arg, Swizzle::new(&[half * 2, half * 2 + 1])),
                    _ => b.extract(arg, half),
                };
                let args: Vec<Value> = args.iter().zip(patterns).map(|arg| pick(&mut b, arg)).collect();
                let value = b.op(row.op, &args).unwrap();
                let value = b.cast(value, kind);
                b.resize(value, 2)
            })
            .collect();
        b.construct(&parts)
    } else if at_once {
        b.op(row.op, &args).unwrap()
    } else {
        let parts: Vec<Value> = (0..4)
            .map(|lane| {
                let args: Vec<Value> = args.iter().map(|&arg| b.extract(arg, lane)).collect();
                b.op(row.op, &args).unwrap()
            })
            .collect();
        b.construct(&parts)
    };
    let value = b.cast(value, kind);
    b.store_output(out, value);
    b.finish().unwrap()
}

/// What an opcode's module reads in the quad of pixels that begins with `first`.
pub(crate) struct Row<'a> {
    pub(crate) constants: &'a [[u32; 4]],
    pub(crate) first: usize,
}

impl Environment for Row<'_> {
    fn input(&self, _: &InputDecl, lane: usize) -> [u32; 4] {
        [((self.first + lane) as f32 + 0.5).to_bits(), 0.5f32.to_bits(), 0, 0]
    }
    fn constant(&self, _: &BankDecl, index: u32) -> [u32; 4] {
        self.constants[index as usize]
    }
    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }
}
