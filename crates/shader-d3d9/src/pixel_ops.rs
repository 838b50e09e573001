//! The ends of every pixel shader: inputs by the link, and alpha test, fog and outputs after the shader's own code.

use crate::banks::SystemRegister;
use crate::io::{COMPARE_ALWAYS, FogMode, RuntimeInfo};
use crate::lift::interface::{semantic, system_bank};
use crate::tables::Usage;
use afterimage_ir::{Builder, Input, InputAt, InputDecl, Interp, Mask, OutputAt, OutputDecl, Type, Value};

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
    let known = b.module().inputs.iter().position(|input| input.at == at).map(Input::new);
    let input = known.unwrap_or_else(|| {
        b.input(InputDecl { name: name.to_owned(), ty, at, interp: Interp::Smooth, semantic: None })
    });
    b.load_input(input)
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
    let known = b.module().inputs.iter().position(|input| input.at == at).map(Input::new);
    let input = known.unwrap_or_else(|| {
        b.input(InputDecl {
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
    });
    b.load_input(input)
}

/// Alpha test, fog and the stores of the outputs.
pub(crate) fn epilogue(b: &mut Builder, runtime: &RuntimeInfo, mut result: PixelResult) {
    if let Some(color) = result.colors[0] {
        alpha_test(b, runtime.pixel_ops.alpha_compare, color);
        if result.fog {
            result.colors[0] = Some(fog(b, runtime, color));
        }
    }
    for (location, color) in result.colors.into_iter().enumerate() {
        if let Some(color) = color {
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

/// Throws the pixel away unless `alpha COMPARE reference`.
fn alpha_test(b: &mut Builder, compare: u8, color: Value) {
    if compare >= COMPARE_ALWAYS {
        return;
    }
    let system = system_bank(b);
    let register = b.load_const(system, SystemRegister::AlphaReference.register().into());
    let (alpha, reference) = (b.extract(color, 3), b.extract(register, 0));
    let pass = match compare {
        0 => b.bool(false),
        1 => b.flt(alpha, reference),
        2 => b.feq(alpha, reference),
        3 => b.fle(alpha, reference),
        4 => b.flt(reference, alpha),
        5 => b.fne(alpha, reference),
        _ => b.fle(reference, alpha),
    };
    let fail = b.bnot(pass);
    b.demote(fail);
}

/// Mixes the fog colour in.
fn fog(b: &mut Builder, runtime: &RuntimeInfo, color: Value) -> Value {
    let mode = runtime.pixel_ops.fog;
    if mode == FogMode::None as u8 {
        return color;
    }
    let system = system_bank(b);
    let parameters = b.load_const(system, SystemRegister::Fog.register().into());
    let factor = if mode == FogMode::Vertex as u8 {
        let fog = input(b, runtime, Usage::Fog, 0, false);
        b.extract(fog, 0)
    } else {
        let distance = fog_distance(b);
        fog_factor(b, mode, distance, parameters, 0)
    };
    let factor = b.fsat(factor);
    let fog_color = b.load_const(system, SystemRegister::FogColor.register().into());
    let difference = b.fsub(color, fog_color);
    let mixed = b.fmad(difference, factor, fog_color);
    let out = b.var("fogged", Type::F32X4);
    b.store(out, color);
    b.store_masked(out, Mask(0b0111), mixed);
    b.load(out)
}

/// Table fog goes by w where the projection has one, and by depth where w is one throughout.
fn fog_distance(b: &mut Builder) -> Value {
    const NEARLY: f32 = 1e-5;
    let position = frag_coord(b);
    let (z, rcp_w) = (b.extract(position, 2), b.extract(position, 3));
    let one = b.f32(1.0);
    let w = b.fdiv(one, rcp_w);
    let away = b.fsub(w, one);
    let away = b.fabs(away);
    let nearly = b.f32(NEARLY);
    let affine = b.flt(away, nearly);
    b.select(affine, z, w)
}

/// The fog factor at a distance; 1 is no fog. `parameters`: y end, z 1 / (end - start), and the density in component
/// `density`.
pub(crate) fn fog_factor(b: &mut Builder, mode: u8, distance: Value, parameters: Value, density: u8) -> Value {
    if mode == FogMode::Linear as u8 {
        let (end, scale) = (b.extract(parameters, 1), b.extract(parameters, 2));
        let left = b.fsub(end, distance);
        return b.fmul(left, scale);
    }
    let density = b.extract(parameters, density);
    let depth = b.fmul(distance, density);
    let depth = if mode == FogMode::Exp2 as u8 { b.fmul(depth, depth) } else { depth };
    let base = b.f32(-std::f32::consts::LOG2_E);
    let exponent = b.fmul(depth, base);
    b.fexp2(exponent)
}
