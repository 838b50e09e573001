//! The depth of a pixel as the depth buffer's format keeps it. Buffers of the host hold the guest's integer as a fraction of the
//! largest one.

use super::constants::PixelRegister as R;
use super::key::{Depth, Key};
use super::lift::Lift;
use crate::io;
use afterimage_ir::{InputAt, Interp, Kind, OutputAt, Type, Value};

/// Stores the depth: that of the texture shader if it has one, else that of the primitive.
pub(super) fn store(lift: &mut Lift<'_>, shaded: Option<Value>) {
    let format = lift.key.depth();
    if format == Depth::Host {
        return;
    }
    let depth = match shaded {
        Some(depth) => depth,
        None => {
            let depth = rasterised(lift);
            if lift.key.has(Key::OFFSET) { offset(lift, depth) } else { depth }
        }
    };
    let depth = fraction(lift, format, depth);
    lift.store("depth", OutputAt::FragDepth, Type::F32, depth);
}

/// The pixel's z, or w, in units of the depth buffer.
fn rasterised(lift: &mut Lift<'_>) -> Value {
    let position = lift.frag_coord();
    let rcp_w = lift.b.extract(position, 3);
    if lift.key.has(Key::W_BUFFER) {
        return lift.b.frcp(rcp_w);
    }
    let depth = lift.input("depth", InputAt::Location(io::DEPTH), Type::F32, Interp::Smooth);
    lift.b.fmul(depth, rcp_w)
}

/// With the polygon offset: the host's is not for depths that a shader stores. The slope is the larger of those to the right and
/// downwards; that of a W buffer comes with the primitive.
fn offset(lift: &mut Lift<'_>, depth: Value) -> Value {
    let parameters = lift.constant(R::DepthOffset, 0);
    let [bias, factor] = [0, 1].map(|lane| lift.b.extract(parameters, lane));
    let slope = if lift.key.has(Key::W_BUFFER) {
        let edge = lift.input("edge", InputAt::Location(io::EDGES), Type::F32X4, Interp::Flat);
        lift.b.extract(edge, io::SLOPE)
    } else {
        let slopes = [lift.b.ddx(depth), lift.b.ddy(depth)].map(|slope| lift.b.fabs(slope));
        lift.b.fmax(slopes[0], slopes[1])
    };
    let depth = lift.b.fadd(depth, bias);
    lift.b.fmadz(slope, factor, depth)
}

/// A depth as the fraction of the largest integer that its format keeps it as: the one below.
fn fraction(lift: &mut Lift<'_>, format: Depth, depth: Value) -> Value {
    let (integer, largest) = match format {
        Depth::Host => return depth,
        Depth::Fixed16 | Depth::Fixed24 => {
            let largest = if format == Depth::Fixed16 { 65535.0 } else { 16_777_215.0 };
            let depth = lift.clamp(depth, 0.0, largest);
            (lift.b.ffloor(depth), largest)
        }
        Depth::Float16 => (float_bits(lift, depth, 0x3C00_0000, 511.9375, 11), 65535.0),
        Depth::Float24 => (float_bits(lift, depth, 0, f32::MAX, 7), 16_777_215.0),
    };
    let largest = lift.b.f32(largest);
    lift.b.fdiv(integer, largest)
}

/// The bits of a positive float from `shift` up, less those of `least`, as a number; 0 for what is less than that.
fn float_bits(lift: &mut Lift<'_>, depth: Value, least: u32, largest: f32, shift: i32) -> Value {
    let depth = lift.clamp(depth, f32::from_bits(least), largest);
    let bits = lift.b.cast(depth, Kind::Int);
    let (least, shift) = (lift.b.i32(least as i32), lift.b.i32(shift));
    let bits = lift.b.isub(bits, least);
    let bits = lift.b.ushr(bits, shift);
    lift.b.u2f(bits)
}
