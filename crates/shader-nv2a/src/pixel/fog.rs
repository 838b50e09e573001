//! Fog: from the coordinate to how much of the pixel's own colour is left.
//!
//! The rasteriser computes `x = bias + multiplier * coordinate` and looks its curve up: `x - 1` where it is linear, 2 to the
//! power of `16 (x - 1.5)` and of `-32 (x - 1.5)^2`.

use super::constants::PixelRegister as R;
use super::lift::Lift;
use super::tables::FogCurve;
use crate::io;
use afterimage_ir::{InputAt, Type, Value};

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
    let interp = lift.smooth();
    let coordinate = lift.input("fog", InputAt::Location(io::FOG), Type::F32, interp);
    let params = lift.constant(R::FogParams, 0);
    let (bias, multiplier) = (lift.b.extract(params, 0), lift.b.extract(params, 1));
    let scaled = lift.b.fmul(coordinate, multiplier);
    let factor = match curve {
        FogCurve::Linear | FogCurve::LinearAbs => {
            let one = lift.b.f32(1.0);
            let sum = lift.b.fadd(bias, scaled);
            lift.b.fsub(sum, one)
        }
        FogCurve::Exp | FogCurve::ExpAbs => exponential(lift, scaled, 16.0, bias),
        FogCurve::Exp2 | FogCurve::Exp2Abs => {
            let square = lift.b.fmul(scaled, scaled);
            exponential(lift, square, -32.0, bias)
        }
    };
    let factor = match curve {
        FogCurve::LinearAbs | FogCurve::ExpAbs | FogCurve::Exp2Abs => lift.b.fabs(factor),
        _ => factor,
    };
    lift.b.fsat(factor)
}

fn exponential(lift: &mut Lift<'_>, distance: Value, steepness: f32, bias: Value) -> Value {
    let (steepness, middle) = (lift.b.f32(steepness), lift.b.f32(1.5));
    let exponent = lift.b.fmul(distance, steepness);
    let power = lift.b.fexp2(exponent);
    let sum = lift.b.fadd(bias, power);
    lift.b.fsub(sum, middle)
}
