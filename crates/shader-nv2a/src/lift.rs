//! Microcode to IR.
//!
//! A program is a straight line, so registers are values here, not variables: a masked write mixes the old value with the new.
//!
//! The rules of the vertex engine's arithmetic, from envytools (`nvhw/xf.c`, held against an NV20 by `hwtest/xf.cc`), with
//! which the results that abaire's `nv2a_vsh_cpu` has from an Xbox agree:
//!
//! * In a product, zero times anything is +0, and denormals are zeros: attributes are made so when they are read. Constants have
//!   none: who uploads them makes them zeros.
//! * `slt`, `sge`, `min` and `max` compare bits by sign and magnitude: -0 is less than +0, NaN lies beyond infinity.
//! * `rcp` and `rsq` of zero are infinite; `rsq` and `log` take the size of their operand.
//! * What hardware truncates is rounded here, and its tables of 13 bits for `exp` and `log` are exact functions: at most the
//!   last bit of a colour shows it.

use crate::banks::{Bank, ScreenRegister};
use crate::instruction::{Instruction, Mask, Register, Source, Target, Unit, Write};
use crate::io::{self, VertexResult};
use crate::parse::{Program, flags};
use crate::tables::{Ilu, Mac, OUTPUTS, Output, Slot, TEMP_POSITION, TEMPS};
use afterimage_ir::{self as ir, BuildError, Builder, Kind, Module, Swizzle, Value};
use afterimage_nv2a_types::{ATTRIBUTES, CONSTANT_SLOTS};

/// Added before `arl` rounds down, so that what should be a whole number is taken for it (xemu, `nv2a_vsh_cpu`).
pub(crate) const ARL_BIAS: f32 = 0.001;
/// Smallest number that is not a denormal.
pub(crate) const MIN_NORMAL: u32 = 0x0080_0000;
/// Limits of `rcc`: 2^-64 and 2^64.
pub(crate) const RCC_LIMITS: [f32; 2] = [f32::from_bits(0x1F80_0000), f32::from_bits(0x5F80_0000)];
/// Limits of the power of `lit`.
pub(crate) const LIT_LIMITS: [f32; 2] = [-128.0, 128.0 - 1.0 / 8192.0];
/// From here on floats have no fraction: 2^23.
pub(crate) const NO_FRACTION: f32 = 8_388_608.0;

/// Translates a program.
///
/// Attribute n is the input at location n, four floats. Outputs are those of [`io`], all of them written.
///
/// # Errors
/// None that a program can cause; what the builder reports would be a bug of this module.
pub fn lift(program: &Program) -> Result<Module, BuildError> {
    let mut b = Builder::new(ir::Stage::Vertex);
    b.set_name("nv2a");
    let registers = outputs(&mut b, program);
    let output = |output: Output| registers[output as usize];
    let fog = if program.flags & flags::RADIAL_FOG != 0 {
        b.f32(f32::INFINITY)
    } else {
        let fog =
            if program.writes(Output::Fog) { output(Output::Fog) } else { io::screen(&mut b, ScreenRegister::Carried) };
        b.extract(fog, 0)
    };
    let point_size = (program.flags & flags::POINTS != 0).then(|| {
        let size = b.extract(output(Output::PointSize), 0);
        io::point_size(&mut b, Some(size), None)
    });
    let result = VertexResult {
        position: output(Output::Position),
        diffuse: [Output::FrontDiffuse, Output::BackDiffuse].map(output),
        specular: [Output::FrontSpecular, Output::BackSpecular].map(output),
        fog,
        texture: [Output::Texture0, Output::Texture1, Output::Texture2, Output::Texture3].map(output),
        point_size,
    };
    io::epilogue(&mut b, &result);
    b.finish()
}

/// What a program leaves in the output registers, four floats each, by the number of the register: what [`crate::run()`]
/// gives, as IR. The fog coordinate is the first component of its register.
pub fn outputs(b: &mut Builder, program: &Program) -> [Value; OUTPUTS] {
    let start = b.f32x4([0.0, 0.0, 0.0, 1.0]);
    let mut lifter =
        Lifter { b, inputs: [None; ATTRIBUTES], temps: [None; TEMPS], outputs: [start; OUTPUTS], address: None };
    for instruction in &program.instructions {
        lifter.instruction(instruction);
    }
    lifter.outputs
}

struct Lifter<'a> {
    b: &'a mut Builder,
    inputs: [Option<Value>; ATTRIBUTES],
    temps: [Option<Value>; TEMPS],
    /// By the number of the output. They start as (0, 0, 0, 1).
    outputs: [Value; OUTPUTS],
    /// `A0.x`, an integer.
    address: Option<Value>,
}

impl Lifter<'_> {
    fn instruction(&mut self, i: &Instruction) {
        let sources =
            [Slot::A, Slot::B, Slot::C].map(|slot| i.source(slot).map(|source| self.source(source, i.relative)));
        let mac = self.mac(i.mac, sources);
        let ilu = sources[2].and_then(|c| self.ilu(i.ilu, c));
        let results = [(mac, i.mac_temp, Unit::Mac), (ilu, i.ilu_temp, Unit::Ilu)];
        for (value, temp, unit) in results {
            let Some(value) = value else { continue };
            if i.mac == Mac::Arl && unit == Unit::Mac {
                self.address = Some(value);
                continue;
            }
            if let Some((temp, mask)) = temp {
                let old = self.temp(temp);
                let new = self.mix(old, value, mask);
                match temp {
                    TEMP_POSITION => self.outputs[Output::Position as usize] = new,
                    _ => self.temps[usize::from(temp)] = Some(new),
                }
            }
            if let Some(Write { target: Target::Output(output), mask, .. }) = i.write.filter(|write| write.unit == unit)
            {
                self.output(output, mask, value);
            }
        }
    }

    fn temp(&mut self, number: u8) -> Value {
        if number == TEMP_POSITION {
            return self.outputs[Output::Position as usize];
        }
        match self.temps[usize::from(number)] {
            Some(value) => value,
            None => *self.temps[usize::from(number)].insert(self.b.f32x4([0.0; 4])),
        }
    }

    fn output(&mut self, output: Output, mask: Mask, value: Value) {
        // The fog unit takes the first component of whatever is written to it.
        let mask = if output == Output::Fog { Mask(1) } else { mask };
        if output != Output::Address {
            let old = self.outputs[output as usize];
            self.outputs[output as usize] = self.mix(old, value, mask);
        } else if mask.has(0) {
            self.address = Some(arl(self.b, value));
        }
    }

    /// `old` with the masked components of `new`.
    fn mix(&mut self, old: Value, new: Value, mask: Mask) -> Value {
        let new = self.b.resize(new, 4);
        if mask == Mask::XYZW {
            return new;
        }
        self.b.shuffle(old, new, Swizzle::new(&[0, 1, 2, 3].map(|lane| if mask.has(lane) { lane + 4 } else { lane })))
    }

    fn source(&mut self, source: &Source, relative: bool) -> Value {
        let value = match source.register {
            Register::Temp(number) => self.temp(number),
            Register::Input(number) => self.input(number),
            Register::Constant(number) => self.constant(number, relative),
        };
        let value = self.b.swizzle(value, Swizzle::new(&source.swizzle));
        if source.negate { self.b.fneg(value) } else { value }
    }

    fn input(&mut self, number: u8) -> Value {
        if let Some(value) = self.inputs[usize::from(number)] {
            return value;
        }
        let b = &mut *self.b;
        let value = io::attribute(b, number);
        // Denormals become zeros here once, instead of in each product.
        let size = b.fabs(value);
        let least = b.f32(f32::from_bits(MIN_NORMAL));
        let denormal = b.flt(size, least);
        let sign = b.i32(i32::MIN);
        let zero = b.iand(value, sign);
        let zero = b.cast(zero, Kind::Float);
        let value = b.select(denormal, zero, value);
        *self.inputs[usize::from(number)].insert(value)
    }

    fn constant(&mut self, number: u8, relative: bool) -> Value {
        let b = &mut *self.b;
        let bank = io::bank(b, Bank::Transform, CONSTANT_SLOTS as u16);
        if !relative {
            return b.load_const_as(Kind::Float, bank, number.into());
        }
        let address = *self.address.get_or_insert_with(|| b.i32(0));
        // Beyond the memory there are zeros.
        let base = b.i32(number.into());
        let index = b.iadd(address, base);
        let slots = b.i32(CONSTANT_SLOTS as i32);
        let inside = b.ult(index, slots);
        let value = b.load_const_dyn(bank, number.into(), address);
        let value = b.cast(value, Kind::Float);
        let inside = b.resize(inside, 4);
        let zero = b.f32x4([0.0; 4]);
        b.select(inside, value, zero)
    }

    /// The result of the MAC; of `arl` an integer.
    fn mac(&mut self, op: Mac, [a, b_, c]: [Option<Value>; 3]) -> Option<Value> {
        let b = &mut *self.b;
        let a = a?;
        let second = || b_.unwrap_or(a);
        let third = || c.unwrap_or(a);
        Some(match op {
            Mac::Nop => return None,
            Mac::Mov => a,
            Mac::Mul => {
                let zero = b.f32x4([0.0; 4]);
                b.fmadz(a, second(), zero)
            }
            Mac::Add => b.fadd(a, third()),
            Mac::Mad => b.fmadz(a, second(), third()),
            Mac::Dp3 => {
                let (x, y) = (b.resize(a, 3), b.resize(second(), 3));
                b.fdotz(x, y)
            }
            Mac::Dph => {
                let (xyz, one) = (b.resize(a, 3), b.f32(1.0));
                let x = b.construct(&[xyz, one]);
                b.fdotz(x, second())
            }
            Mac::Dp4 => b.fdotz(a, second()),
            Mac::Dst => {
                let (x, y, zero) = (b.extract(a, 1), b.extract(second(), 1), b.f32(0.0));
                let parts = [b.f32(1.0), b.fmadz(x, y, zero), b.extract(a, 2), b.extract(second(), 3)];
                b.construct(&parts)
            }
            Mac::Min => {
                let less = less(b, a, second());
                b.select(less, a, second())
            }
            Mac::Max => {
                let less = less(b, a, second());
                b.select(less, second(), a)
            }
            Mac::Slt | Mac::Sge => {
                let less = less(b, a, second());
                let (one, zero) = (b.f32x4([1.0; 4]), b.f32x4([0.0; 4]));
                if op == Mac::Slt { b.select(less, one, zero) } else { b.select(less, zero, one) }
            }
            Mac::Arl => arl(b, a),
        })
    }

    fn ilu(&mut self, op: Ilu, c: Value) -> Option<Value> {
        let b = &mut *self.b;
        let x = b.extract(c, 0);
        Some(match op {
            Ilu::Nop => return None,
            Ilu::Mov => c,
            Ilu::Rcp => b.frcp(x),
            Ilu::Rcc => rcc(b, x),
            Ilu::Rsq => {
                let size = b.fabs(x);
                b.frsq(size)
            }
            Ilu::Exp => exp(b, x),
            Ilu::Log => log(b, x),
            Ilu::Lit => lit(b, c),
        })
    }
}

/// `a < b` in the order of the bits: by sign, then by magnitude.
fn less(b: &mut Builder, x: Value, y: Value) -> Value {
    let [x, y] = [x, y].map(|value| {
        let bits = b.cast(value, Kind::Int);
        let (shift, magnitude) = (b.i32(31), b.i32(i32::MAX));
        let sign = b.ishr(bits, shift);
        let turned = b.iand(sign, magnitude);
        b.ixor(bits, turned)
    });
    b.ilt(x, y)
}

/// The address that the first component is.
fn arl(b: &mut Builder, value: Value) -> Value {
    let (x, bias) = (b.extract(value, 0), b.f32(ARL_BIAS));
    let biased = b.fadd(x, bias);
    let floor = b.ffloor(biased);
    b.f2i(floor)
}

fn rcc(b: &mut Builder, x: Value) -> Value {
    let value = b.frcp(x);
    let [least, most] = RCC_LIMITS.map(|limit| b.f32(limit));
    let size = b.fabs(value);
    let size = b.fmax(size, least);
    let size = b.fmin(size, most);
    let sign = b.i32(i32::MIN);
    let sign = b.iand(value, sign);
    let clamped = b.ior(size, sign);
    let clamped = b.cast(clamped, Kind::Float);
    let nan = b.fne(value, value);
    b.select(nan, value, clamped)
}

fn exp(b: &mut Builder, x: Value) -> Value {
    let floor = b.ffloor(x);
    let (size, limit, zero) = (b.fabs(x), b.f32(NO_FRACTION), b.f32(0.0));
    let whole = b.fle(limit, size);
    let fraction = b.fsub(x, floor);
    let fraction = b.select(whole, zero, fraction);
    let parts = [b.fexp2(floor), fraction, b.fexp2(x), b.f32(1.0)];
    b.construct(&parts)
}

fn log(b: &mut Builder, x: Value) -> Value {
    let size = b.fabs(x);
    let bits = b.cast(size, Kind::Int);
    let [shift, bias, normal, infinite, fraction, one_bits] =
        [23, 127, MIN_NORMAL as i32, 0x7F80_0000, 0x007F_FFFF, 0x3F80_0000].map(|n| b.i32(n));
    let (one, minus) = (b.f32(1.0), b.f32(f32::NEG_INFINITY));
    let zero = b.ilt(bits, normal);

    let exponent = b.ushr(bits, shift);
    let exponent = b.isub(exponent, bias);
    let exponent = b.i2f(exponent);
    let finite = b.ilt(bits, infinite);
    let exponent = b.select(finite, exponent, size);
    let exponent = b.select(zero, minus, exponent);

    let mantissa = b.iand(bits, fraction);
    let mantissa = b.ior(mantissa, one_bits);
    let mantissa = b.cast(mantissa, Kind::Float);
    let nan = b.ilt(infinite, bits);
    let mantissa = b.select(nan, size, mantissa);
    let mantissa = b.select(zero, one, mantissa);

    let logarithm = b.flog2(size);
    let logarithm = b.select(zero, minus, logarithm);
    b.construct(&[exponent, mantissa, logarithm, one])
}

fn lit(b: &mut Builder, c: Value) -> Value {
    let [x, y, w] = [0, 1, 3].map(|lane| b.extract(c, lane));
    let (zero, one) = (b.f32(0.0), b.f32(1.0));
    let [least, most] = LIT_LIMITS.map(|limit| b.f32(limit));
    // By selections and not by `fmin` and `fmax`, so that NaN stays.
    let low = b.flt(w, least);
    let power = b.select(low, least, w);
    let high = b.flt(most, power);
    let power = b.select(high, most, power);
    let negative = b.flt(y, zero);
    let base = b.select(negative, zero, y);
    let logarithm = b.flog2(base);
    let exponent = b.fmul(power, logarithm);
    let specular = b.fexp2(exponent);
    let none = b.feq(w, zero);
    let specular = b.select(none, one, specular);

    let bits = b.cast(x, Kind::Int);
    let (normal, none) = (b.i32(MIN_NORMAL as i32), b.i32(0));
    let lit = b.ile(normal, bits);
    let specular = b.select(lit, specular, zero);
    let behind = b.ilt(bits, none);
    let diffuse = b.select(behind, zero, x);
    b.construct(&[one, diffuse, specular, one])
}
