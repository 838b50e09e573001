//! The depth of a pixel as the depth buffer's format keeps it. Buffers of the host hold the guest's integer as a fraction of the
//! largest one.

use super::constants::PixelRegister as R;
use super::key::{Depth, Key};
use super::shared::Lift;
use crate::io;
use afterimage_ir::{InputAt, Interp, Kind, OutputAt, Type, Value};
use afterimage_texture::nv2a::depth::FLOAT_16_MAX;

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

/// Smallest depth that is not zero, zero's place among the bits, and how many bits are lost of those formats that are floats.
/// There are no denormals (suite Depth buffer).
fn float(format: Depth) -> Option<([u32; 2], i32)> {
    match format {
        Depth::Host | Depth::Fixed16 | Depth::Fixed24 => None,
        Depth::Float16 => Some(([0x3C80_0000, 0x3C00_0000], 11)),
        Depth::Float24 => Some(([0x0080_0000, 0], 7)),
    }
}

/// Largest depth of a format.
fn largest(format: Depth) -> f32 {
    match format {
        Depth::Host => 1.0,
        Depth::Fixed16 => 65535.0,
        Depth::Fixed24 => 16_777_215.0,
        Depth::Float16 => FLOAT_16_MAX,
        Depth::Float24 => f32::MAX,
    }
}

/// What a format keeps of a depth: the next below that it has.
pub(super) fn kept(lift: &mut Lift<'_>, format: Depth, depth: Value) -> Value {
    let depth = lift.clamp(depth, 0.0, largest(format));
    let Some(([smallest, _], lost)) = float(format) else {
        return if format == Depth::Host { depth } else { lift.b.ffloor(depth) };
    };
    let [smallest, zero] = [smallest, 0].map(|bits| lift.b.const_bits(Type::F32, [bits, 0, 0, 0]));
    let is_zero = lift.b.flt(depth, smallest);
    let (bits, kept) = (lift.b.cast(depth, Kind::Int), lift.b.i32(-1 << lost));
    let bits = lift.b.iand(bits, kept);
    let depth = lift.b.cast(bits, Kind::Float);
    lift.b.select(is_zero, zero, depth)
}

/// A depth as the fraction of the largest integer that its format keeps it as.
fn fraction(lift: &mut Lift<'_>, format: Depth, depth: Value) -> Value {
    if format == Depth::Host {
        return depth;
    }
    let depth = kept(lift, format, depth);
    let integer = match float(format) {
        None => depth,
        Some(([_, least], lost)) => {
            let lowest = lift.b.const_bits(Type::F32, [least, 0, 0, 0]);
            let depth = lift.b.fmax(depth, lowest);
            let bits = lift.b.cast(depth, Kind::Int);
            let (least, lost) = (lift.b.i32(least as i32), lift.b.i32(lost));
            let bits = lift.b.isub(bits, least);
            let bits = lift.b.ushr(bits, lost);
            lift.b.u2f(bits)
        }
    };
    let integers = lift.b.f32(if matches!(format, Depth::Fixed16 | Depth::Float16) { 65535.0 } else { 16_777_215.0 });
    lift.b.fdiv(integer, integers)
}
