//! Executes microcode on the CPU, one vertex at a time: for what no shader can do, programs that write constants for the
//! vertices after them and state programs, and as what the translation is held against. The rules are those of
//! [`lift`](mod@crate::lift), written a second time.

use crate::instruction::{Instruction, Mask, Register, Source, Target, Unit, Write};
use crate::lift::{ARL_BIAS, LIT_LIMITS, MIN_NORMAL, NO_FRACTION, RCC_LIMITS};
use crate::parse::Program;
use crate::tables::{Ilu, Mac, OUTPUTS, Output, Slot, TEMP_POSITION, TEMPS};
use afterimage_nv2a_types::{ATTRIBUTES, CONSTANT_SLOTS};

type Vector = [f32; 4];

/// Constant memory: bits of floats.
pub type Constants = [[u32; 4]; CONSTANT_SLOTS];

/// What a program leaves in the output registers, before the rasteriser clamps anything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outputs([Vector; OUTPUTS]);

impl Outputs {
    /// An output register. Of the fog coordinate the first component counts.
    pub fn get(&self, output: Output) -> [f32; 4] {
        self.0[output as usize]
    }

    /// Sets an output register.
    pub fn set(&mut self, output: Output, value: [f32; 4]) {
        self.0[output as usize] = value;
    }

    /// The outputs as attributes for [`Program::pass_through`]: each at the number of its register.
    pub fn attributes(&self) -> [[f32; 4]; ATTRIBUTES] {
        self.0
    }
}

impl Default for Outputs {
    /// (0, 0, 0, 1) everywhere.
    fn default() -> Self {
        Self([[0.0, 0.0, 0.0, 1.0]; OUTPUTS])
    }
}

/// Executes a program for one vertex, with its 16 attributes. `write_constants` is
/// `SET_TRANSFORM_PROGRAM_CXT_WRITE_EN`: without it, writes of constants do nothing. Constant memory stays as it is between
/// vertices and draws.
///
/// Where the program does not write the fog coordinate ([`Program::writes`]), it is for the caller to put in what the vertex
/// before left.
pub fn run(
    program: &Program,
    inputs: &[[f32; 4]; ATTRIBUTES],
    constants: &mut Constants,
    write_constants: bool,
) -> Outputs {
    let mut engine = Engine {
        inputs,
        constants,
        write_constants,
        temps: [[0.0; 4]; TEMPS],
        outputs: Outputs::default(),
        address: 0,
    };
    for instruction in &program.instructions {
        engine.execute(instruction);
    }
    engine.outputs
}

struct Engine<'a> {
    inputs: &'a [Vector; ATTRIBUTES],
    constants: &'a mut Constants,
    write_constants: bool,
    temps: [Vector; TEMPS],
    outputs: Outputs,
    /// `A0.x`.
    address: i32,
}

impl Engine<'_> {
    fn execute(&mut self, i: &Instruction) {
        let [a, b, c] = [Slot::A, Slot::B, Slot::C]
            .map(|slot| i.source(slot).map_or([0.0; 4], |source| self.source(source, i.relative)));
        let results = [(mac(i.mac, a, b, c), i.mac_temp, Unit::Mac), (ilu(i.ilu, c), i.ilu_temp, Unit::Ilu)];
        if i.mac == Mac::Arl {
            self.address = arl(a[0]);
        }
        for (value, temp, unit) in results {
            match temp {
                Some((TEMP_POSITION, mask)) => write(&mut self.outputs.0[Output::Position as usize], mask, value),
                Some((temp, mask)) => write(&mut self.temps[usize::from(temp)], mask, value),
                None => {}
            }
            let Some(Write { target, mask, .. }) = i.write.filter(|write| write.unit == unit) else { continue };
            match target {
                Target::Output(Output::Address) if mask.has(0) => self.address = arl(value[0]),
                Target::Output(Output::Address) => {}
                // The fog unit takes the first component of whatever is written to it.
                Target::Output(Output::Fog) => write(&mut self.outputs.0[Output::Fog as usize], Mask(1), value),
                Target::Output(output) => write(&mut self.outputs.0[output as usize], mask, value),
                Target::Constant(slot) if self.write_constants => {
                    if let Some(constant) = self.constants.get_mut(usize::from(slot)) {
                        let bits = value.map(f32::to_bits);
                        mask.lanes().for_each(|lane| constant[usize::from(lane)] = bits[usize::from(lane)]);
                    }
                }
                Target::Constant(_) => {}
            }
        }
    }

    fn source(&self, source: &Source, relative: bool) -> Vector {
        let value = match source.register {
            Register::Temp(TEMP_POSITION) => self.outputs.get(Output::Position),
            Register::Temp(number) => self.temps[usize::from(number)],
            Register::Input(number) => self.inputs[usize::from(number)].map(without_denormals),
            Register::Constant(number) => {
                let offset = if relative { self.address } else { 0 };
                let index = i32::from(number).wrapping_add(offset);
                // Beyond the memory there are zeros.
                let constant = usize::try_from(index).ok().and_then(|index| self.constants.get(index));
                constant.map_or([0.0; 4], |bits| bits.map(|bits| without_denormals(f32::from_bits(bits))))
            }
        };
        let value = source.swizzle.map(|lane| value[usize::from(lane & 3)]);
        if source.negate { value.map(|lane| number(-lane)) } else { value }
    }
}

fn write(to: &mut Vector, mask: Mask, from: Vector) {
    mask.lanes().for_each(|lane| to[usize::from(lane)] = from[usize::from(lane)]);
}

fn mac(op: Mac, a: Vector, b: Vector, c: Vector) -> Vector {
    let each = |f: fn(f32, f32) -> f32| std::array::from_fn(|i| f(a[i], b[i]));
    let dot = |x: Vector, lanes: usize| [(0..lanes).fold(0.0, |sum, i| number(sum + product(x[i], b[i]))); 4];
    match op {
        Mac::Nop | Mac::Arl => [0.0; 4],
        Mac::Mov => a,
        Mac::Mul => each(|a, b| number(product(a, b) + 0.0)),
        Mac::Add => std::array::from_fn(|i| number(a[i] + c[i])),
        Mac::Mad => std::array::from_fn(|i| number(product(a[i], b[i]) + c[i])),
        Mac::Dp3 => dot(a, 3),
        Mac::Dph => dot([a[0], a[1], a[2], 1.0], 4),
        Mac::Dp4 => dot(a, 4),
        Mac::Dst => [1.0, number(product(a[1], b[1]) + 0.0), a[2], b[3]],
        Mac::Min => each(|a, b| if less(a, b) { a } else { b }),
        Mac::Max => each(|a, b| if less(a, b) { b } else { a }),
        Mac::Slt => each(|a, b| if less(a, b) { 1.0 } else { 0.0 }),
        Mac::Sge => each(|a, b| if less(a, b) { 0.0 } else { 1.0 }),
    }
}

fn ilu(op: Ilu, c: Vector) -> Vector {
    let x = c[0];
    match op {
        Ilu::Nop => [0.0; 4],
        Ilu::Mov => c,
        Ilu::Rcp => [number(1.0 / x); 4],
        Ilu::Rcc => [rcc(x); 4],
        Ilu::Rsq => [number(1.0 / x.abs().sqrt()); 4],
        Ilu::Exp => exp(x).map(number),
        Ilu::Log => log(number(x.abs())),
        Ilu::Lit => lit(c),
    }
}

fn without_denormals(x: f32) -> f32 {
    if x.is_subnormal() { f32::from_bits(x.to_bits() & 1 << 31) } else { x }
}

/// What was computed has one NaN, which is positive: the vertex engine makes no other.
fn number(x: f32) -> f32 {
    if x.is_nan() { f32::NAN } else { x }
}

/// Zero times anything is zero, of any sign until something is added.
fn product(a: f32, b: f32) -> f32 {
    let [x, y] = [if b == 0.0 { 0.0 } else { a }, if a == 0.0 { 0.0 } else { b }];
    x * y
}

/// By sign, then by magnitude.
fn less(a: f32, b: f32) -> bool {
    a.total_cmp(&b).is_lt()
}

fn arl(x: f32) -> i32 {
    (x + ARL_BIAS).floor() as i32
}

fn rcc(x: f32) -> f32 {
    let value = number(1.0 / x);
    let [least, most] = RCC_LIMITS;
    if value.is_nan() { value } else { value.abs().clamp(least, most).copysign(value) }
}

fn exp(x: f32) -> Vector {
    let fraction = if x.abs() >= NO_FRACTION { 0.0 } else { x - x.floor() };
    [x.floor().exp2(), fraction, x.exp2(), 1.0]
}

/// Of a number without sign.
fn log(size: f32) -> Vector {
    let bits = size.to_bits();
    if bits < MIN_NORMAL {
        return [f32::NEG_INFINITY, 1.0, f32::NEG_INFINITY, 1.0];
    }
    let exponent = if size.is_finite() { (bits >> 23) as f32 - 127.0 } else { size };
    let mantissa = if size.is_nan() { size } else { f32::from_bits(bits & 0x007F_FFFF | 0x3F80_0000) };
    [exponent, mantissa, size.log2(), 1.0]
}

fn lit([x, y, _, w]: Vector) -> Vector {
    let [least, most] = LIT_LIMITS;
    let diffuse = if x.is_sign_negative() { 0.0 } else { x };
    let specular = if (x.to_bits() as i32) < MIN_NORMAL as i32 {
        0.0
    } else if w == 0.0 {
        1.0
    } else {
        let base = if y < 0.0 { 0.0 } else { y };
        number((w.clamp(least, most) * base.log2()).exp2())
    };
    [1.0, diffuse, specular, 1.0]
}
