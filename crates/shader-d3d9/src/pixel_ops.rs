//! The ends of every pixel shader: inputs by the link, and alpha test, fog and outputs after the shader's own code.

use crate::banks::SystemRegister;
use crate::io::{FogMode, PixelOps, RuntimeInfo, bound, spec};
use crate::lift::interface::{semantic, system_bank};
use crate::tables::Usage;
use afterimage_abi::Compare;
use afterimage_ir::{
    Builder, InputAt, InputDecl, Interp, Kind, Offset, OutputAt, OutputDecl, SpecDecl, Swizzle, Texture, Type, Value,
};

/// What a pixel shader computed.
#[derive(Default)]
pub(crate) struct PixelResult {
    /// Colours, of which the unwritten are none.
    pub(crate) colors: [Option<Value>; 4],
    /// Depth, in the first component.
    pub(crate) depth: Option<Value>,
    /// Whether this shader model has fog.
    pub(crate) fog: bool,
}

/// The value of a built-in input; declared once however often it is read.
pub(crate) fn builtin(b: &mut Builder, name: &str, at: InputAt, ty: Type) -> Value {
    b.input_at(at, || InputDecl { name: name.to_owned(), ty, at, interp: Interp::Smooth, semantic: None })
}

/// Pixel position, depth and 1/w.
pub(crate) fn frag_coord(b: &mut Builder) -> Value {
    builtin(b, "vPos", InputAt::FragCoord, Type::F32X4)
}

/// An interpolated input by its semantic, or the value of one that the vertex stage does not write.
pub(crate) fn input(b: &mut Builder, runtime: &RuntimeInfo, usage: Usage, index: u8, centroid: bool) -> Value {
    if runtime.pixel_ops.point_sprite != 0 && usage == Usage::TexCoord {
        let place = builtin(b, "sprite", InputAt::PointCoord, Type::F32X2);
        let rest = b.const_bits(Type::F32X2, [0, 1f32.to_bits(), 0, 0]);
        return b.construct(&[place, rest]);
    }
    let Some(location) = runtime.link.location(usage, index) else {
        let missing = if (usage, index) == (Usage::Color, 0) { 1.0 } else { 0.0 };
        return b.f32x4([missing; 4]);
    };
    let at = InputAt::Location(location);
    b.input_at(at, || InputDecl {
        name: format!("{}{index}", usage.text()),
        ty: Type::F32X4,
        at,
        interp: match usage {
            Usage::Color if runtime.pixel_ops.flat != 0 => Interp::Flat,
            _ if centroid => Interp::Centroid,
            _ => Interp::Smooth,
        },
        semantic: semantic(usage, index),
    })
}

/// The texels of a "Fetch-4" lookup, see [`bound::FETCH4`](crate::io::bound::FETCH4).
pub(crate) fn fetch4(b: &mut Builder, texture: Texture, slot: u8, bound: u8, coord: Value) -> Value {
    // The middle of the four is half a texel to the right of the place and below it.
    let system = system_bank(b);
    let half = b.load_const(system, SystemRegister::HalfTexel.element(slot.into()).into());
    let half = b.cast(half, Kind::Float);
    let (half, xy) = (b.resize(half, 2), b.resize(coord, 2));
    let middle = b.fadd(xy, half);
    let component = if bound & bound::FETCH4_ALPHA != 0 { 3 } else { 0 };
    let texels = b.gather_at(texture, middle, component, Offset::default(), None);
    b.swizzle(texels, Swizzle::new(&[2, 0, 1, 3]))
}

/// Alpha test, fog, conversion to sRGB, and the stores of the outputs.
pub(crate) fn epilogue(b: &mut Builder, runtime: &RuntimeInfo, mut result: PixelResult) {
    let ops = runtime.pixel_ops;
    if let Some(color) = result.colors[0] {
        alpha_test(b, ops, color);
        if result.fog {
            result.colors[0] = Some(fog(b, runtime, color));
        }
    }
    for (location, color) in result.colors.into_iter().enumerate() {
        if let Some(color) = color {
            let color = if ops.srgb_write >> location & 1 != 0 { to_srgb(b, color) } else { color };
            let at = OutputAt::Location(location as u8);
            let name = format!("oC{location}");
            let output =
                b.output(OutputDecl { name, ty: Type::F32X4, at, semantic: semantic(Usage::Color, location as u8) });
            b.store_output(output, color);
        }
    }
    if let Some(depth) = result.depth {
        let name = "oDepth".to_owned();
        let output = b.output(OutputDecl { name, ty: Type::F32, at: OutputAt::FragDepth, semantic: None });
        let depth = b.extract(depth, 0);
        b.store_output(output, depth);
    }
}

/// A mode of a generic module: the specialisation constant, or component `lane` of the system block's register.
fn mode(b: &mut Builder, name: &str, id: u32, lane: u8) -> Value {
    let constant = b.spec(SpecDecl { name: name.to_owned(), id, kind: Kind::Int, default: spec::DYNAMIC });
    let constant = b.load_spec(constant);
    let system = system_bank(b);
    let register = b.load_const(system, SystemRegister::PixelOps.register().into());
    let register = b.extract(register, lane);
    let register = b.cast(register, Kind::Int);
    let unset = b.i32(spec::DYNAMIC as i32);
    let unset = b.ieq(constant, unset);
    b.select(unset, register, constant)
}

/// Throws the pixel away unless `alpha COMPARE reference`.
fn alpha_test(b: &mut Builder, ops: PixelOps, color: Value) {
    if ops.generic == 0 && ops.alpha_compare >= Compare::Always as u8 {
        return;
    }
    let system = system_bank(b);
    let register = b.load_const(system, SystemRegister::AlphaReference.register().into());
    let (alpha, reference) = (b.extract(color, 3), b.extract(register, 0));
    let pass = if ops.generic != 0 {
        let compare = mode(b, "alpha_compare", spec::ALPHA_COMPARE, 0);
        passes(b, compare, alpha, reference)
    } else {
        match ops.alpha_compare {
            0 => b.bool(false),
            1 => b.flt(alpha, reference),
            2 => b.feq(alpha, reference),
            3 => b.fle(alpha, reference),
            4 => b.flt(reference, alpha),
            5 => b.fne(alpha, reference),
            _ => b.fle(reference, alpha),
        }
    };
    let fail = b.bnot(pass);
    b.demote(fail);
}

/// Whether a comparison that only the running shader knows holds. Its number has a bit each for less, equal and greater;
/// what is none of them (NaN) passes "not equal" and "always", which have the first and the last.
fn passes(b: &mut Builder, compare: Value, alpha: Value, reference: Value) -> Value {
    let [zero, one, two, four, eight] = [0, 1, 2, 4, 8].map(|bit| b.i32(bit));
    let (less, equal, greater) = (b.flt(alpha, reference), b.feq(alpha, reference), b.flt(reference, alpha));
    let is = b.select(greater, four, eight);
    let is = b.select(equal, two, is);
    let is = b.select(less, one, is);
    let last = b.ushr(compare, two);
    let unordered = b.iand(compare, last);
    let unordered = b.iand(unordered, one);
    let unordered = b.imul(unordered, eight);
    let wanted = b.ior(compare, unordered);
    let hit = b.iand(wanted, is);
    b.ine(hit, zero)
}

/// Mixes the fog colour in.
fn fog(b: &mut Builder, runtime: &RuntimeInfo, color: Value) -> Value {
    let ops = runtime.pixel_ops;
    if ops.generic == 0 {
        if ops.fog == FogMode::None as u8 {
            return color;
        }
        let factor = static_fog(b, runtime, ops.fog);
        return mix_fog(b, color, factor);
    }
    let mode = mode(b, "fog_mode", spec::FOG_MODE, 1);
    let none = b.i32(0);
    let on = b.ine(mode, none);
    b.if_else(
        on,
        |b| {
            let factor = dynamic_fog(b, runtime, mode);
            mix_fog(b, color, factor)
        },
        |_| color,
    )
}

fn mix_fog(b: &mut Builder, color: Value, factor: Value) -> Value {
    let factor = b.fsat(factor);
    let system = system_bank(b);
    let fog_color = b.load_const(system, SystemRegister::FogColor.register().into());
    let difference = b.fsub(color, fog_color);
    let mixed = b.fmad(difference, factor, fog_color);
    let (rgb, alpha) = (b.resize(mixed, 3), b.extract(color, 3));
    b.construct(&[rgb, alpha])
}

/// The system block's fog; its first component is the density in the modes that have one.
fn fog_parameters(b: &mut Builder) -> FogParameters {
    let system = system_bank(b);
    let register = b.load_const(system, SystemRegister::Fog.register().into());
    let register = b.cast(register, Kind::Float);
    let [density, end, scale] = [0, 1, 2].map(|lane| b.extract(register, lane));
    FogParameters { end, scale, density }
}

fn vertex_fog(b: &mut Builder, runtime: &RuntimeInfo) -> Value {
    let Some((usage, index)) = runtime.link.fog() else { return b.f32(0.0) };
    let fog = input(b, runtime, usage, index, false);
    b.extract(fog, if usage == Usage::Fog { 0 } else { 3 })
}

/// The pixel's depth, and its w.
fn fog_distances(b: &mut Builder) -> (Value, Value) {
    let position = frag_coord(b);
    let (z, rcp_w) = (b.extract(position, 2), b.extract(position, 3));
    (z, b.frcp(rcp_w))
}

/// The factor of a [`FogMode`] other than none.
fn static_fog(b: &mut Builder, runtime: &RuntimeInfo, mode: u8) -> Value {
    if mode == FogMode::Vertex as u8 {
        return vertex_fog(b, runtime);
    }
    let (z, w) = fog_distances(b);
    let distance = if mode >= FogMode::ExpW as u8 { w } else { z };
    let parameters = fog_parameters(b);
    fog_curve(b, mode & 3, distance, parameters)
}

/// The factor of a [`FogMode`] other than none that only the running shader knows: its low two bits are the curve, and none
/// of them the vertex stage's factor; the third is w.
fn dynamic_fog(b: &mut Builder, runtime: &RuntimeInfo, mode: Value) -> Value {
    let [zero, exp2, linear, by_w] = [0, 2, 3, 4].map(|mode| b.i32(mode));
    let (z, w) = fog_distances(b);
    let far = b.iand(mode, by_w);
    let far = b.ine(far, zero);
    let distance = b.select(far, w, z);
    let curve = b.iand(mode, linear);
    let FogParameters { end, scale, density } = fog_parameters(b);
    let depth = b.fmul(distance, density);
    let square = b.fmul(depth, depth);
    let squared = b.ieq(curve, exp2);
    let depth = b.select(squared, square, depth);
    let exponential = e_to_minus(b, depth);
    let straight = line(b, distance, end, scale);
    let is_line = b.ieq(curve, linear);
    let factor = b.select(is_line, straight, exponential);
    let vertex = vertex_fog(b, runtime);
    let is_vertex = b.ieq(curve, zero);
    b.select(is_vertex, vertex, factor)
}

/// What the curves of fog depend on.
#[derive(Clone, Copy)]
pub(crate) struct FogParameters {
    pub(crate) end: Value,
    /// `1 / (end - start)`.
    pub(crate) scale: Value,
    pub(crate) density: Value,
}

/// The fog factor at a distance; 1 is no fog. The curves are `D3DFOGMODE`'s: 1 exp, 2 exp2, 3 linear.
pub(crate) fn fog_curve(b: &mut Builder, curve: u8, distance: Value, parameters: FogParameters) -> Value {
    let FogParameters { end, scale, density } = parameters;
    if curve == FogMode::Linear as u8 {
        return line(b, distance, end, scale);
    }
    let depth = b.fmul(distance, density);
    let depth = if curve == FogMode::Exp2 as u8 { b.fmul(depth, depth) } else { depth };
    e_to_minus(b, depth)
}

fn line(b: &mut Builder, distance: Value, end: Value, scale: Value) -> Value {
    let left = b.fsub(end, distance);
    b.fmul(left, scale)
}

fn e_to_minus(b: &mut Builder, depth: Value) -> Value {
    let base = b.f32(-std::f32::consts::LOG2_E);
    let exponent = b.fmul(depth, base);
    b.fexp2(exponent)
}

/// Linear colour to sRGB, by the curve of IEC 61966-2-1; alpha stays.
fn to_srgb(b: &mut Builder, color: Value) -> Value {
    let rgb = b.resize(color, 3);
    let rgb = b.fsat(rgb);
    let [edge, slope, scale, offset, power] = [0.003_130_8, 12.92, 1.055, -0.055, 1.0 / 2.4].map(|value| b.f32(value));
    let low = b.fmul(rgb, slope);
    let log = b.flog2c(rgb);
    let log = b.fmul(log, power);
    let root = b.fexp2(log);
    let high = b.fmad(root, scale, offset);
    let is_low = b.fle(rgb, edge);
    let rgb = b.select(is_low, low, high);
    let alpha = b.extract(color, 3);
    b.construct(&[rgb, alpha])
}
