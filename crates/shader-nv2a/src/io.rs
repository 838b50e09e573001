//! Where the vertex stage and the pixel stage meet, and how the vertex engine's screen space becomes clip space.
//!
//! # Varyings
//! Fixed locations, always all written by [`epilogue`]:
//!
//! * Colours are clamped to 0..1 (NaN is 1) and rounded to 8 bits before they are interpolated. The specular colours have been through
//!   `SET_SPECULAR_ENABLE` (off: black, alpha one) and `SET_LIGHT_CONTROL`'s alpha source (not from the specular colour: one).
//! * [`FOG`] is the fog coordinate: what a program writes to oFog, or the distance that fixed function generates. The pixel stage
//!   applies the mode and `SET_FOG_PARAMS`, because those are registers of the rasteriser.
//!   What cannot be interpolated is a number that can: see [`FOG_INFINITE`] and [`FOG_NO_NUMBER`].
//! * [`DEPTH`] is the screen space z times w: times the `1 / w` of a pixel (`FragCoord.w`) it is the z of that pixel in units of the
//!   depth buffer, of any magnitude, before it is clamped.
//! * Without texture perspective (`SET_CONTROL0`) the others are times w in the same way, colours unless they are flat: so what a
//!   pixel makes of them is linear on the screen, wherever a primitive is clipped. Hosts that interpolate without perspective
//!   by themselves do not get through clipping well: lavapipe loses what two planes cut.
//!
//! # Position
//! The rasteriser has four fractional bits and drops the rest: x and y are cut, toward zero, to sixteenths of a pixel. Pixels are
//! sampled at their centres. w is kept away from zero and infinity, 2^-64 to 2^64 of either sign; a primitive with a negative w is
//! clipped as homogeneous coordinates say, so its visible part is the outer one. Hosts get what lies beyond 2^-48 and 2^48 by a
//! factor nearer to one: clippers and interpolation multiply several w, of which NVIDIA's lose those of 2^-64 and 2^64.
//!
//! # Depth
//! Host state must not clip by depth (`depth_clip` 0): what lies outside of `SET_CLIP_MIN` to `SET_CLIP_MAX` is cut off here, by
//! clip distances, where `SET_ZMIN_MAX_CONTROL` says so, and is clamped by the viewport's [`depth_range`] where it does not. In a W
//! buffer w takes the place of z. Apart from that a primitive whose vertices all lie in front of the range, or all behind it, is
//! dropped where that register's lowest bit says so; that goes by z.
//!
//! Sources: the pictures of a console (suites Viewport, Vertex shader rounding tests, W param, ZMinMaxControl); for the order of
//! the colour outputs also Material alpha, Specular.

use crate::banks::{Bank, ScreenRegister as R};
use afterimage_abi::varyings::nv2a as varyings;
use afterimage_ir::{
    self as ir, BankDecl, BankSource, Builder, InputAt, InputDecl, Interp, Kind, OutputAt, OutputDecl, Type, Value,
};
use afterimage_nv2a_types::{Registers, method};

/// Location of the front faces' diffuse colour, four floats.
pub const FRONT_DIFFUSE: u8 = varyings::FRONT_DIFFUSE;
/// Location of the front faces' specular colour.
pub const FRONT_SPECULAR: u8 = varyings::FRONT_SPECULAR;
/// Location of the back faces' diffuse colour.
pub const BACK_DIFFUSE: u8 = varyings::BACK_DIFFUSE;
/// Location of the back faces' specular colour.
pub const BACK_SPECULAR: u8 = varyings::BACK_SPECULAR;
/// Location of texture coordinate set 0; sets 1 to 3 follow.
pub const TEXTURE_0: u8 = varyings::TEXTURE_0;
/// Location of the fog coordinate, one float.
pub const FOG: u8 = varyings::FOG;
/// A fog coordinate of this magnitude is infinite; finite ones end at [`FOG_FARTHEST`]. Between them there is room for what
/// interpolation loses.
pub const FOG_INFINITE: f32 = (1u128 << 110) as f32;
/// A fog coordinate of this magnitude is no number.
pub const FOG_NO_NUMBER: f32 = (1u128 << 120) as f32;
/// Largest magnitude of a finite fog coordinate.
pub const FOG_FARTHEST: f32 = (1u128 << 100) as f32;
/// Location of screen space z times w, one float.
pub const DEPTH: u8 = varyings::DEPTH;
/// First location of four edges, for pixel shaders that smooth them: (a, b, c) of which `a x + b y + c` is positive inside, for
/// x and y in pixels of the host. Not of the common epilogue; whoever draws smoothed primitives writes them, the same in each vertex.
pub const EDGES: u8 = varyings::EDGES;
/// The component of the first edge that is no part of it: where a polygon of a W buffer has an offset, how steep w is, per pixel.
pub const SLOPE: u8 = 3;

/// `SET_SHADE_MODEL`: flat.
pub const FLAT: u32 = 0x1D00;
/// `SET_FOG_GEN_MODE`: radial.
pub const RADIAL_FOG: u32 = 1;
/// Smallest and greatest magnitude of w: 2^-64 and 2^64.
const W_RANGE: [u32; 2] = [0x1F80_0000, 0x5F80_0000];
/// Hosts reckon well with w from the inverse of this to this, 2^48. What is beyond comes nearer by [`W_STEP`], so that vertices
/// there keep their ratios, and are still as good as infinitely near, or far, beside all others.
const W_REACH: f32 = (1u64 << 48) as f32;
/// 2^24.
const W_STEP: f32 = (1u32 << 24) as f32;
/// Coordinates beyond this many pixels come nearer along their ray, so that products with w stay finite.
const FARTHEST: f32 = (1u64 << 40) as f32;

/// How far behind its place a clip plane lies, in parts of the depth range.
const PLANE_MARGIN: f32 = 1.0 / (1u32 << 22) as f32;

/// What a vertex shader computed, as the vertex engine's outputs hold it.
#[derive(Clone, Copy, Debug)]
pub struct VertexResult {
    /// Screen space: x and y in pixels, z in units of the depth buffer, w as it is. Four floats.
    pub position: Value,
    /// Front and back diffuse colour, four floats each.
    pub diffuse: [Value; 2],
    /// Front and back specular colour, four floats each.
    pub specular: [Value; 2],
    /// The fog coordinate, one float.
    pub fog: Value,
    /// Texture coordinates, four floats each.
    pub texture: [Value; 4],
    /// Where points are drawn, their size in pixels ([`point_size`]).
    pub point_size: Option<Value>,
}

/// Stores all outputs of a vertex shader.
pub fn epilogue(b: &mut Builder, result: &VertexResult) {
    let [coordinate_weight, color_weight] = position(b, result.position);
    for (location, color) in [(FRONT_DIFFUSE, result.diffuse[0]), (BACK_DIFFUSE, result.diffuse[1])] {
        let color = color_output(b, color);
        let color = b.fmul(color, color_weight);
        store(b, "diffuse", location, Type::F32X4, color);
    }
    let scale = screen(b, R::SpecularScale);
    let bias = screen(b, R::SpecularBias);
    for (location, color) in [(FRONT_SPECULAR, result.specular[0]), (BACK_SPECULAR, result.specular[1])] {
        let color = color_output(b, color);
        let color = b.fmad(color, scale, bias);
        let color = b.fmul(color, color_weight);
        store(b, "specular", location, Type::F32X4, color);
    }
    for (location, coordinates) in (TEXTURE_0..).zip(result.texture) {
        let coordinates = b.fmul(coordinates, coordinate_weight);
        store(b, "texture", location, Type::F32X4, coordinates);
    }
    let fog = fog_output(b, result.fog);
    let fog = b.fmul(fog, coordinate_weight);
    store(b, "fog", FOG, Type::F32, fog);
    if let Some(size) = result.point_size {
        store_at(b, "point_size", OutputAt::PointSize, Type::F32, size);
    }
}

/// A colour as the rasteriser takes it: 8 bits, nearest to what 13 bits of fraction hold.
fn color_output(b: &mut Builder, color: Value) -> Value {
    let color = b.cast(color, Kind::Float);
    let number = b.feq(color, color);
    let one = b.f32(1.0);
    let color = b.select(number, color, one);
    let color = b.fsat(color);
    let kept = b.i32(!0x3FF);
    let color = b.iand(color, kept);
    let (steps, half) = (b.f32(255.0), b.f32(0.5));
    let color = b.fmad(color, steps, half);
    let color = b.ffloor(color);
    b.fdiv(color, steps)
}

/// A fog coordinate as it is interpolated.
fn fog_output(b: &mut Builder, fog: Value) -> Value {
    let fog = b.cast(fog, Kind::Float);
    let bits = b.cast(fog, Kind::Int);
    let (magnitude, infinity) = (b.i32(0x7FFF_FFFF), b.i32(0x7F80_0000));
    let bits = b.iand(bits, magnitude);
    let (is_infinite, is_no_number) = (b.ieq(bits, infinity), b.ilt(infinity, bits));
    let (infinite, no_number) = (b.f32(FOG_INFINITE), b.f32(FOG_NO_NUMBER));
    let fog = within(b, fog, FOG_FARTHEST);
    let fog = b.select(is_infinite, infinite, fog);
    b.select(is_no_number, no_number, fog)
}

/// Stores the position. Returns what coordinates and what colours are weighted by: w, or one.
fn position(b: &mut Builder, position: Value) -> [Value; 2] {
    let position = b.cast(position, Kind::Float);
    let w = b.extract(position, 3);
    let w = away_from_zero_and_infinity(b, w);
    let w = within_reach(b, w);
    let xy = b.resize(position, 2);
    let xy = to_sixteenths(b, xy);
    let z = b.extract(position, 2);
    let z = within(b, z, f32::MAX);
    let scale = screen(b, R::Scale);
    let bias = screen(b, R::Bias);
    let (xy_scale, xy_bias) = (b.resize(scale, 2), b.resize(bias, 2));
    let (z_scale, z_bias) = (b.extract(scale, 2), b.extract(bias, 2));
    let xy = b.fmad(xy, xy_scale, xy_bias);
    let xy = b.fmul(xy, w);
    let clip_z = b.fmad(z, z_scale, z_bias);
    let clip_z = within(b, clip_z, FARTHEST);
    let clip_z = b.fmul(clip_z, w);
    let clip = b.construct(&[xy, clip_z, w]);
    store_at(b, "position", OutputAt::Position, Type::F32X4, clip);
    let depth = b.fmul(z, w);
    let depth = within(b, depth, f32::MAX);
    store(b, "depth", DEPTH, Type::F32, depth);
    clip_distances(b, z, depth, w);

    let (zero, one) = (b.f32(0.0), b.f32(1.0));
    [scale, bias].map(|register| {
        let weighted = b.extract(register, 3);
        let weighted = b.fne(weighted, zero);
        b.select(weighted, w, one)
    })
}

/// Distances to the near and far planes that cut, then two that drop whole primitives: a vertex inside is very far inside, so that
/// nothing is cut off a primitive that is not all outside. That is far in comparison with w, by which places are weighted.
fn clip_distances(b: &mut Builder, z: Value, depth: Value, w: Value) {
    let one = b.f32(1.0);
    let place = b.construct(&[depth, w, one]);
    let [near, far] = [R::Near, R::Far].map(|plane| {
        let plane = screen(b, plane);
        let plane = b.resize(plane, 3);
        b.fdot(place, plane)
    });
    let range = screen(b, R::Reject);
    let (min, max) = (b.extract(range, 0), b.extract(range, 1));
    let (outside, inside) = (b.f32(-1.0), b.f32(FARTHEST));
    let (below, above) = (b.flt(z, min), b.flt(max, z));
    let weight = b.fabs(w);
    let [below, above] = [below, above].map(|is_outside| {
        let distance = b.select(is_outside, outside, inside);
        b.fmul(distance, weight)
    });
    let distances = b.construct(&[near, far, below, above]);
    store_at(b, "clip", OutputAt::ClipDistance(0), Type::F32X4, distances);
}

/// w with a magnitude of 2^-64 to 2^64. +0 is positive; -0 and NaN are negative.
pub fn away_from_zero_and_infinity(b: &mut Builder, w: Value) -> Value {
    let [least, greatest] = W_RANGE.map(|bits| b.const_bits(Type::F32, [bits, 0, 0, 0]));
    let [minus_least, minus_greatest] = [least, greatest].map(|value| b.fneg(value));
    let positive = b.fmin(w, greatest);
    let positive = b.fmax(positive, least);
    let negative = b.fmax(w, minus_greatest);
    let negative = b.fmin(negative, minus_least);
    let (zero, no_bits) = (b.f32(0.0), b.i32(0));
    let bits = b.cast(w, Kind::Int);
    let is_positive = b.flt(zero, w);
    let is_zero = b.ieq(bits, no_bits);
    let is_positive = b.bor(is_positive, is_zero);
    b.select(is_positive, positive, negative)
}

/// w of a magnitude that hosts reckon well with.
fn within_reach(b: &mut Builder, w: Value) -> Value {
    let size = b.fabs(w);
    let [least, greatest, nearer, farther] = [1.0 / W_REACH, W_REACH, 1.0 / W_STEP, W_STEP].map(|value| b.f32(value));
    let (is_small, is_great) = (b.flt(size, least), b.flt(greatest, size));
    let (small, great) = (b.fmul(w, farther), b.fmul(w, nearer));
    let w = b.select(is_small, small, w);
    b.select(is_great, great, w)
}

/// x and y in pixels, cut to what the rasteriser keeps.
fn to_sixteenths(b: &mut Builder, xy: Value) -> Value {
    let xy = within(b, xy, f32::MAX);
    let size = b.fabs(xy);
    let (width, height) = (b.extract(size, 0), b.extract(size, 1));
    let farthest = b.f32(FARTHEST);
    let size = b.fmax(width, height);
    let size = b.fmax(size, farthest);
    let nearer = b.fdiv(farthest, size);
    let xy = b.fmul(xy, nearer);
    let (steps, step) = (b.f32(16.0), b.f32(1.0 / 16.0));
    let xy = b.fmul(xy, steps);
    let xy = b.ftrunc(xy);
    b.fmul(xy, step)
}

/// Clamped to `limit` of either sign. NaN becomes `-limit`.
fn within(b: &mut Builder, value: Value, limit: f32) -> Value {
    clamp(b, value, -limit, limit)
}

/// A vertex attribute, four floats.
pub(crate) fn attribute(b: &mut Builder, number: u8) -> Value {
    let at = InputAt::Location(number);
    let decl = || InputDecl { name: format!("v{number}"), ty: Type::F32X4, at, interp: Interp::Smooth, semantic: None };
    b.input_at(at, decl)
}

/// Clamped to `low..high`. NaN becomes `low`.
pub(crate) fn clamp(b: &mut Builder, value: Value, low: f32, high: f32) -> Value {
    let (low, high) = (b.f32(low), b.f32(high));
    let value = b.fmax(value, low);
    b.fmin(value, high)
}

/// A register of [`Bank::Screen`], as four floats.
pub(crate) fn screen(b: &mut Builder, register: R) -> Value {
    let bank = bank(b, Bank::Screen, R::COUNT);
    b.load_const_as(Kind::Float, bank, register.register().into())
}

/// The constant bank, declared when it is first used.
pub(crate) fn bank(b: &mut Builder, bank: Bank, registers: u16) -> ir::Bank {
    let known = b.module().banks.iter().position(|decl| decl.id == bank as u8);
    known.map(ir::Bank::new).unwrap_or_else(|| {
        b.bank(BankDecl {
            name: bank.name().to_owned(),
            source: BankSource::Stage,
            id: bank as u8,
            size: registers.into(),
            defs: Vec::new(),
        })
    })
}

fn store(b: &mut Builder, name: &str, location: u8, ty: Type, value: Value) {
    store_at(b, name, OutputAt::Location(location), ty, value);
}

fn store_at(b: &mut Builder, name: &str, at: OutputAt, ty: Type, value: Value) {
    let output = b.output(OutputDecl { name: name.to_owned(), ty, at, semantic: None });
    b.store_output(output, value);
}

/// The size of a point in pixels, within what the rasteriser draws. `program` is what a program wrote to oPts (one float);
/// `distance` is what fixed function scales by, the eye's distance.
///
/// With `SET_POINT_PARAMS_ENABLE` off it is `SET_POINT_SIZE`, whatever a program wrote. With it on a program's size is used as
/// it is, and fixed function's is
/// `min_size + range * clamp(1 / sqrt(a + b d + c d^2) + bias, 0, 1)` with the parameters of `SET_POINT_PARAMS`, where the root is
/// one of 128 from a table. Sizes have three fractional bits.
pub fn point_size(b: &mut Builder, program: Option<Value>, distance: Option<Value>) -> Value {
    let state = screen(b, R::PointSize);
    let (fixed, scaled) = (b.extract(state, 0), b.extract(state, 1));
    let own = match (program, distance) {
        (Some(size), _) => b.cast(size, Kind::Float),
        (None, Some(distance)) => scaled_size(b, distance),
        (None, None) => fixed,
    };
    let zero = b.f32(0.0);
    let is_scaled = b.fne(scaled, zero);
    let size = b.select(is_scaled, own, fixed);
    let (steps, step) = (b.f32(8.0), b.f32(0.125));
    let size = b.fmul(size, steps);
    let size = b.ffloor(size);
    let size = b.fmul(size, step);
    let size = clamp(b, size, LEAST_POINT, GREATEST_POINT);
    with_both_edges(b, size)
}

/// Sizes of points that the rasteriser draws, in pixels: sizes are 6.3 fixed point.
const LEAST_POINT: f32 = 1.0;
const GREATEST_POINT: f32 = 63.875;
/// What a point's size grows by to reach what lies on its edge, in pixels: the granularity of hosts' sizes is up to this
/// (NVIDIA's), and the guest's are multiples of twice as much.
pub(crate) const POINT_EDGE: f32 = 1.0 / 16.0;

/// A size that makes the host's points cover what the console's do: pixels whose centres lie on the right or lower edge belong to
/// them, too, unless the size is a power of two (suites Point size, Point params). What is added is less than the rasteriser's
/// smallest step.
fn with_both_edges(b: &mut Builder, size: Value) -> Value {
    let [fraction, none] = [0x7F_FFFF, 0].map(|bits| b.i32(bits));
    let fraction = b.iand(size, fraction);
    let is_power_of_two = b.ieq(fraction, none);
    let edge = b.f32(POINT_EDGE);
    let wider = b.fadd(size, edge);
    b.select(is_power_of_two, size, wider)
}

fn scaled_size(b: &mut Builder, distance: Value) -> Value {
    let (factors, limits) = (screen(b, R::PointFactors), screen(b, R::PointRange));
    let [a, linear, square] = [0, 1, 2].map(|lane| b.extract(factors, lane));
    let [range, bias, least] = [0, 1, 2].map(|lane| b.extract(limits, lane));
    let slope = b.fmadz(square, distance, linear);
    let sum = b.fmadz(slope, distance, a);
    let factor = coarse_root(b, sum);
    let factor = b.fadd(factor, bias);
    let factor = b.fsat(factor);
    b.fmadz(factor, range, least)
}

/// `1 / sqrt(x)` as the lighting unit looks it up: x by six bits of its fraction, at their middle; the root has seven bits, and
/// is below the next power of two.
fn coarse_root(b: &mut Builder, x: Value) -> Value {
    let [kept, half, exponent] = [!0x1_FFFF, 0x1_0000, 0x7F80_0000].map(|bits| b.i32(bits));
    let x = b.iand(x, kept);
    let x = b.ior(x, half);
    let x = b.cast(x, Kind::Float);
    let root = b.frsq(x);
    let root = b.cast(root, Kind::Int);
    let rounded = b.iadd(root, half);
    let difference = b.ixor(root, rounded);
    let carried = b.iand(difference, exponent);
    let none = b.i32(0);
    let carried = b.ine(carried, none);
    let root = b.select(carried, root, rounded);
    let root = b.iand(root, kept);
    b.cast(root, Kind::Float)
}

/// Samples of a pixel across and down, each of which is a pixel of the host, as `SET_SURFACE_FORMAT` says.
#[must_use]
pub fn samples(registers: &Registers) -> [u32; 2] {
    match registers.bits(method::SET_SURFACE_FORMAT, 12, 4) {
        1 => [2, 1],
        2 => [2, 2],
        _ => [1, 1],
    }
}

/// Largest value of the depth buffer that `SET_SURFACE_FORMAT` and `SET_CONTROL0` say, as a number that screen space z is
/// divided by: 65535 or 16777215, and 1 for the formats in floating point, whose values the pixel stage computes from
/// [`DEPTH`].
#[must_use]
pub fn depth_units(registers: &Registers) -> f32 {
    let float = registers.bits(method::SET_CONTROL0, 12, 1) != 0;
    match registers.bits(method::SET_SURFACE_FORMAT, 4, 4) {
        _ if float => 1.0,
        1 => 65535.0,
        _ => 16_777_215.0,
    }
}

/// `min_depth` and `max_depth` of the host's viewport, 0 to 1: `SET_CLIP_MIN` to `SET_CLIP_MAX` of a fixed-point Z buffer. Host
/// state that clamps to the viewport's depth clamps to them.
#[must_use]
pub fn depth_range(registers: &Registers) -> [f32; 2] {
    let units = depth_units(registers);
    let w_buffer = registers.bits(method::SET_CONTROL0, 16, 1) != 0;
    if units == 1.0 || w_buffer {
        return [0.0, 1.0];
    }
    let [min, max] = [method::SET_CLIP_MIN, method::SET_CLIP_MAX].map(|m| (registers.float(m) / units).clamp(0.0, 1.0));
    if min < max { [min, max] } else { [0.0, 1.0] }
}

/// What [`Bank::Screen`] holds, from register 0, for a surface of `width` by `height` pixels of the clip space (before
/// anti-aliasing enlarges it). What [`afterimage_nv2a_types::Group::Screen`] computes.
#[must_use]
pub fn screen_constants(registers: &Registers, width: f32, height: f32) -> [[u32; 4]; R::COUNT as usize] {
    let mut out = [[0.0f32; 4]; R::COUNT as usize];
    let mut set = |register: R, value: [f32; 4]| out[usize::from(register.register())] = value;
    let units = depth_units(registers);
    let [near, far] = depth_range(registers).map(|depth| depth * units);
    let z_scale = 1.0 / (far - near);
    let affine = registers.bits(method::SET_CONTROL0, 20, 1) == 0;
    let flat = registers.get(method::SET_SHADE_MODEL) == FLAT;
    let [coordinates, colors] = [affine, affine && !flat].map(|weighted| f32::from(u8::from(weighted)));
    set(R::Scale, [2.0 / width, -2.0 / height, z_scale, coordinates]);
    set(R::Bias, [-1.0, 1.0, -near * z_scale, colors]);

    let [min, max] = [method::SET_CLIP_MIN, method::SET_CLIP_MAX].map(|m| registers.float(m));
    let clamps = registers.bits(method::SET_ZMIN_MAX_CONTROL, 4, 1) != 0;
    let w_buffer = registers.bits(method::SET_CONTROL0, 16, 1) != 0;
    // What lies in a plane is inside, however a host rounds products.
    let margin = min.abs().max(max.abs()) * PLANE_MARGIN;
    // The range is for depths with their offset.
    let offset = registers.is_set(method::SET_POLY_OFFSET_FILL_ENABLE);
    let offset = if offset { registers.float(method::SET_POLYGON_OFFSET_BIAS) } else { 0.0 };
    let (low, high) = (min - offset - margin, max - offset + margin);
    const NOWHERE: [f32; 4] = [0.0, 0.0, 1.0, 0.0];
    let [mut near, mut far] = match (clamps, w_buffer) {
        (true, _) => [NOWHERE; 2],
        (false, false) => [[1.0, -low, 0.0, 0.0], [-1.0, high, 0.0, 0.0]],
        (false, true) => [[0.0, 1.0, -low, 0.0], [0.0, -1.0, high, 0.0]],
    };
    // A plane at the end of floats cuts nothing, and hosts drop what is infinitely far from a plane.
    const END: f32 = f32::MAX / 4.0;
    for (plane, place) in [(&mut near, -low), (&mut far, high)] {
        if place > END {
            *plane = NOWHERE;
        }
    }
    set(R::Near, near);
    set(R::Far, far);
    let rejects = registers.bits(method::SET_ZMIN_MAX_CONTROL, 0, 1) != 0;
    set(R::Reject, if rejects { [min, max, 0.0, 0.0] } else { [f32::MIN, f32::MAX, 0.0, 0.0] });

    let specular = registers.is_set(method::SET_SPECULAR_ENABLE);
    let own_alpha = specular && registers.bits(method::SET_LIGHT_CONTROL, 17, 1) != 0;
    let (rgb, alpha) = (f32::from(u8::from(specular)), f32::from(u8::from(own_alpha)));
    set(R::SpecularScale, [rgb, rgb, rgb, alpha]);
    set(R::SpecularBias, [0.0, 0.0, 0.0, 1.0 - alpha]);

    let size = registers.bits(method::SET_POINT_SIZE, 0, 9) as f32 / 8.0;
    let scaled = f32::from(u8::from(registers.is_set(method::SET_POINT_PARAMS_ENABLE)));
    set(R::PointSize, [size, scaled, 0.0, 0.0]);
    let [a, linear, square, range, _, _, bias, least] = registers.floats(method::SET_POINT_PARAMS);
    set(R::PointFactors, [a, linear, square, 0.0]);
    set(R::PointRange, [range, bias, least, 0.0]);
    out.map(|register| register.map(f32::to_bits))
}
