//! Fog: from the coordinate to how much of the pixel's own colour is left.
//!
//! The rasteriser computes `x = bias + multiplier * coordinate`. Where x is 2 (straight) or 1.5 (the curves) there is no fog;
//! below, it grows with the difference d: `1 - d`, `2 ^ -16d` or `2 ^ -32d^2` is left. Above there is none either, but for "exp2",
//! and the curves with "abs", which grow both ways. The straight one with "abs" takes the coordinate without its sign instead.
//! Infinities and NaN give a result of their own; for the curves a multiplier of zero makes zero of infinity.
//!
//! Source: the pictures of a console (suites Fog param, Fog exceptional value).

use super::constants::PixelRegister as R;
use super::shared::Lift;
use super::tables::FogCurve;
use crate::io;
use afterimage_ir::{Type, Value};

/// The fog register: the colour, and how much is not fog as alpha.
pub(super) fn register(lift: &mut Lift<'_>) -> Value {
    let color = lift.constant(R::FogColor, 0);
    let factor = match lift.key.fog_curve() {
        Some(curve) => factor(lift, curve),
        None => lift.b.f32(1.0),
    };
    let rgb = lift.b.resize(color, 3);
    lift.b.construct(&[rgb, factor])
}

fn factor(lift: &mut Lift<'_>, curve: FogCurve) -> Value {
    let coordinate = lift.interpolated("fog", io::FOG, Type::F32);
    let params = lift.constant(R::FogParams, 0);
    let (bias, multiplier) = (lift.b.extract(params, 0), lift.b.extract(params, 1));
    let coordinate = if curve == FogCurve::LinearAbs { lift.b.fabs(coordinate) } else { coordinate };
    let is_straight = matches!(curve, FogCurve::Linear | FogCurve::LinearAbs);
    let (x, is_number) = position(lift, coordinate, [bias, multiplier], is_straight);

    let clear = lift.b.f32(if is_straight { 2.0 } else { 1.5 });
    let distance = lift.b.fsub(clear, x);
    let [zero, one] = [0.0, 1.0].map(|value| lift.b.f32(value));
    let distance = match curve {
        FogCurve::ExpAbs | FogCurve::Exp2 | FogCurve::Exp2Abs => lift.b.fabs(distance),
        FogCurve::Linear | FogCurve::LinearAbs | FogCurve::Exp => lift.b.fmax(distance, zero),
    };
    let factor = match curve {
        FogCurve::Linear | FogCurve::LinearAbs => lift.b.fsub(one, distance),
        FogCurve::Exp | FogCurve::ExpAbs => power(lift, distance, -16.0),
        FogCurve::Exp2 | FogCurve::Exp2Abs => {
            let square = lift.b.fmul(distance, distance);
            power(lift, square, -32.0)
        }
    };
    let factor = lift.b.fsat(factor);
    let of_no_number = match curve {
        FogCurve::Linear | FogCurve::LinearAbs | FogCurve::Exp => one,
        FogCurve::ExpAbs | FogCurve::Exp2 | FogCurve::Exp2Abs => zero,
    };
    lift.b.select(is_number, factor, of_no_number)
}

/// `bias + multiplier * coordinate`, and whether it is a finite number. Zero times infinity is none for the straight curves, and
/// zero for the others.
fn position(
    lift: &mut Lift<'_>,
    coordinate: Value,
    [bias, multiplier]: [Value; 2],
    is_straight: bool,
) -> (Value, Value) {
    let product = lift.b.fmul(coordinate, multiplier);
    let zero = lift.b.f32(0.0);
    let is_off = lift.b.feq(multiplier, zero);
    let product = lift.b.select(is_off, zero, product);
    let x = lift.b.fadd(bias, product);

    // Where the vertex stage's numbers for these end, with room for what interpolation loses.
    let [infinite, no_number] = [io::FOG_INFINITE, io::FOG_NO_NUMBER].map(|value| lift.b.f32(value / 16.0));
    let magnitude = lift.b.fabs(coordinate);
    let below_infinite = lift.b.flt(magnitude, infinite);
    let is_finite = if is_straight { below_infinite } else { lift.b.bor(below_infinite, is_off) };
    let is_number = lift.b.flt(magnitude, no_number);
    let is_finite = lift.b.band(is_finite, is_number);
    let overflow = lift.b.f32(f32::MAX);
    let size = lift.b.fabs(x);
    let within = lift.b.fle(size, overflow);
    (x, lift.b.band(is_finite, within))
}

/// 2 to the power of `distance * steepness`.
fn power(lift: &mut Lift<'_>, distance: Value, steepness: f32) -> Value {
    let steepness = lift.b.f32(steepness);
    let exponent = lift.b.fmul(distance, steepness);
    lift.b.fexp2(exponent)
}
