//! Register combiners and the final combiner.
//!
//! A combiner reads all its operands before it writes anything, and its alpha half writes after its colour half. Registers hold
//! -1..1; what comes from outside is in 0..1 but for texture results with signed components.

use super::constants::PixelRegister as R;
use super::key::Key;
use super::shared::Lift;
use super::tables::{Final, Map, Operand, Register, Results, Scale};
use afterimage_ir::{Swizzle, Value};
use afterimage_nv2a_types::COMBINERS;

/// What the combiners start with; four floats each.
pub(super) struct Inputs {
    pub(super) diffuse: Value,
    pub(super) specular: Value,
    pub(super) fog: Value,
    pub(super) textures: [Value; 4],
}

/// A register's red, green and blue, and its alpha.
#[derive(Clone, Copy)]
struct Pair {
    rgb: Value,
    alpha: Value,
}

/// The registers, by number.
struct Registers([Pair; 16]);

impl Registers {
    fn get(&self, register: Register) -> Pair {
        self.0[register as usize]
    }

    fn slot(&mut self, register: Register) -> &mut Pair {
        &mut self.0[register as usize]
    }
}

/// The colour of the pixel, in 0..1.
pub(super) fn run(lift: &mut Lift<'_>, inputs: Inputs) -> Value {
    let mut registers = start(lift, inputs);
    for n in 0..usize::from(lift.key.combiners).min(COMBINERS) {
        stage(lift, &mut registers, n);
    }
    match Final::of_words(lift.key.last) {
        Some(last) => finish(lift, &mut registers, &last),
        None => {
            let Pair { rgb, alpha } = registers.get(Register::R0);
            let color = lift.b.construct(&[rgb, alpha]);
            lift.b.fsat(color)
        }
    }
}

fn start(lift: &mut Lift<'_>, inputs: Inputs) -> Registers {
    let zero = lift.b.f32(0.0);
    let black = lift.b.resize(zero, 3);
    let mut registers = Registers([Pair { rgb: black, alpha: zero }; 16]);
    use Register::*;
    let [t0, t1, t2, t3] = inputs.textures;
    for (register, value) in
        [(Fog, inputs.fog), (V0, inputs.diffuse), (V1, inputs.specular), (T0, t0), (T1, t1), (T2, t2), (T3, t3)]
    {
        *registers.slot(register) = pair(lift, value);
    }
    registers.slot(R0).alpha = registers.get(T0).alpha;
    registers
}

fn pair(lift: &mut Lift<'_>, value: Value) -> Pair {
    Pair { rgb: lift.b.resize(value, 3), alpha: lift.b.extract(value, 3) }
}

fn load_factor(lift: &mut Lift<'_>, register: R, element: u16) -> Pair {
    let value = lift.constant(register, element);
    pair(lift, value)
}

/// Combiner `n`.
fn stage(lift: &mut Lift<'_>, registers: &mut Registers, n: usize) {
    let [color_in, color_out] = lift.key.color[n];
    let [alpha_in, alpha_out] = lift.key.alpha[n];
    let (color_out, alpha_out) = (Results::of_word(color_out), Results::of_word(alpha_out));
    let own = |flag: u32| if lift.key.has(flag) { n as u16 } else { 0 };
    let (own0, own1) = (own(Key::OWN_FACTOR0), own(Key::OWN_FACTOR1));
    *registers.slot(Register::Factor0) = load_factor(lift, R::Factor0, own0);
    *registers.slot(Register::Factor1) = load_factor(lift, R::Factor1, own1);
    let selector = if color_out.mux || alpha_out.mux { Some(mux_selector(lift, registers)) } else { None };

    let color = (!color_out.is_idle()).then(|| {
        let operands = Operand::of_word(color_in).map(|operand| color_operand(lift, registers, operand));
        combine(lift, operands, &color_out, selector)
    });
    let alpha = (!alpha_out.is_idle()).then(|| {
        let operands = Operand::of_word(alpha_in).map(|operand| alpha_operand(lift, registers, operand));
        let scalar = Results { ab_dot: false, cd_dot: false, ..alpha_out };
        combine(lift, operands, &scalar, selector)
    });
    if let Some(values) = color {
        let blues = [color_out.ab_blue_to_alpha, color_out.cd_blue_to_alpha, false];
        for ((to, value), blue) in color_out.destinations().into_iter().zip(values).zip(blues) {
            if to.is_writable() {
                let rgb = scaled_result(lift, value, color_out.scale);
                registers.slot(to).rgb = lift.b.resize(rgb, 3);
                if blue {
                    registers.slot(to).alpha = lift.b.extract(rgb, 2);
                }
            }
        }
    }
    if let Some(values) = alpha {
        for (to, value) in alpha_out.destinations().into_iter().zip(values) {
            if to.is_writable() {
                registers.slot(to).alpha = scaled_result(lift, value, alpha_out.scale);
            }
        }
    }
}

/// Whether a mux takes C and D: by the highest or lowest of the eight bits of temporary 0's alpha.
fn mux_selector(lift: &mut Lift<'_>, registers: &Registers) -> Value {
    let alpha = registers.get(Register::R0).alpha;
    if lift.key.has(Key::MUX_MSB) {
        let half = lift.b.f32(0.5);
        return lift.b.fle(half, alpha);
    }
    let (steps, one, zero) = (lift.b.f32(255.0), lift.b.i32(1), lift.b.i32(0));
    let alpha = lift.b.fsat(alpha);
    let alpha = lift.b.fmul(alpha, steps);
    let alpha = lift.b.fround(alpha);
    let alpha = lift.b.f2u(alpha);
    let lowest = lift.b.iand(alpha, one);
    lift.b.ine(lowest, zero)
}

/// A and B, C and D, and their sum or one of them.
fn combine(lift: &mut Lift<'_>, [a, b, c, d]: [Value; 4], to: &Results, selector: Option<Value>) -> [Value; 3] {
    let product = |lift: &mut Lift<'_>, x, y, dot: bool| if dot { lift.b.fdot(x, y) } else { lift.b.fmul(x, y) };
    let ab = product(lift, a, b, to.ab_dot);
    let cd = product(lift, c, d, to.cd_dot);
    let sum = match selector {
        Some(takes_cd) if to.mux => {
            // One of them may be a dot product.
            let lanes = lift.b.ty(ab).lanes.max(lift.b.ty(cd).lanes);
            let (ab, cd) = (lift.b.resize(ab, lanes), lift.b.resize(cd, lanes));
            lift.b.select(takes_cd, cd, ab)
        }
        _ => lift.b.fadd(ab, cd),
    };
    [ab, cd, sum]
}

/// A result as a register holds it.
fn scaled_result(lift: &mut Lift<'_>, value: Value, scale: Scale) -> Value {
    let (factor, bias) = match scale {
        Scale::None => (1.0, 0.0),
        Scale::Bias => (1.0, -0.5),
        Scale::Two => (2.0, 0.0),
        Scale::TwoBias => (2.0, -1.0),
        Scale::Four => (4.0, 0.0),
        Scale::Half => (0.5, 0.0),
    };
    let value = scaled(lift, value, factor, bias);
    lift.clamp(value, -1.0, 1.0)
}

/// `value * factor + bias`, without what does nothing.
fn scaled(lift: &mut Lift<'_>, value: Value, factor: f32, bias: f32) -> Value {
    let value = if factor == 1.0 {
        value
    } else {
        let factor = lift.b.f32(factor);
        lift.b.fmul(value, factor)
    };
    if bias == 0.0 {
        return value;
    }
    let bias = lift.b.f32(bias);
    lift.b.fadd(value, bias)
}

fn color_operand(lift: &mut Lift<'_>, registers: &Registers, operand: Operand) -> Value {
    let pair = registers.get(operand.register);
    let value = if operand.alpha { lift.b.swizzle(pair.alpha, Swizzle::splat(0, 3)) } else { pair.rgb };
    mapped(lift, value, operand.map)
}

fn alpha_operand(lift: &mut Lift<'_>, registers: &Registers, operand: Operand) -> Value {
    let pair = registers.get(operand.register);
    let value = if operand.alpha { pair.alpha } else { lift.b.extract(pair.rgb, 2) };
    mapped(lift, value, operand.map)
}

fn mapped(lift: &mut Lift<'_>, value: Value, map: Map) -> Value {
    let positive = |lift: &mut Lift<'_>| {
        let zero = lift.b.f32(0.0);
        lift.b.fmax(value, zero)
    };
    match map {
        Map::Unsigned => positive(lift),
        Map::UnsignedInvert => {
            let one = lift.b.f32(1.0);
            let value = lift.b.fsat(value);
            lift.b.fsub(one, value)
        }
        Map::Expand | Map::ExpandNegate | Map::HalfBias | Map::HalfBiasNegate => {
            let (factor, bias) = match map {
                Map::Expand => (2.0, -1.0),
                Map::ExpandNegate => (-2.0, 1.0),
                Map::HalfBias => (1.0, -0.5),
                _ => (-1.0, 0.5),
            };
            let value = positive(lift);
            scaled(lift, value, factor, bias)
        }
        Map::Signed => value,
        Map::SignedNegate => lift.b.fneg(value),
    }
}

/// The final combiner: `A B + (1 - A) C + D`.
fn finish(lift: &mut Lift<'_>, registers: &mut Registers, last: &Final) -> Value {
    *registers.slot(Register::Factor0) = load_factor(lift, R::FinalFactor, 0);
    *registers.slot(Register::Factor1) = load_factor(lift, R::FinalFactor, 1);
    if last.reads(Register::V1R0Sum) {
        registers.slot(Register::V1R0Sum).rgb = specular_sum(lift, registers, last);
    }
    let [a, b, c, d, e, f] = last.operands;
    if last.reads(Register::EfProduct) {
        let [e, f] = [e, f].map(|operand| color_operand(lift, registers, operand));
        registers.slot(Register::EfProduct).rgb = lift.b.fmul(e, f);
    }
    let [a, b, c, d] = [a, b, c, d].map(|operand| color_operand(lift, registers, operand));
    let one = lift.b.f32(1.0);
    let rest = lift.b.fsub(one, a);
    let rest = lift.b.fmul(rest, c);
    let mixed = lift.b.fmad(a, b, rest);
    let rgb = lift.b.fadd(mixed, d);
    let alpha = alpha_operand(lift, registers, last.alpha);
    let color = lift.b.construct(&[rgb, alpha]);
    lift.b.fsat(color)
}

/// `v1 + r0`; its alpha is zero.
fn specular_sum(lift: &mut Lift<'_>, registers: &Registers, last: &Final) -> Value {
    let mut part = |register: Register, invert: bool| {
        let map = if invert { Map::UnsignedInvert } else { Map::Unsigned };
        mapped(lift, registers.get(register).rgb, map)
    };
    let (v1, r0) = (part(Register::V1, last.invert_v1), part(Register::R0, last.invert_r0));
    let sum = lift.b.fadd(v1, r0);
    if last.clamp_sum { lift.b.fsat(sum) } else { sum }
}
