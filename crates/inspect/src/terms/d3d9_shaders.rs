//! Direct3D 9, what the code of the bound shaders tells: declarations, constants by the names of the constant table, and the states
//! of fixed function, which are keys in the place of code.

use super::d3d9::constant;
use super::*;
use afterimage_d3d9_types::{D3DTA_SELECTMASK, name_of};
use afterimage_shader::Language;
use afterimage_shader_d3d9::ctab::{ConstantTable, RegisterSet};
use afterimage_shader_d3d9::ffp::{FixedPixelKey, FixedVertexKey};
use afterimage_shader_d3d9::signature::{ConstantUse, Signature};
use afterimage_shader_d3d9::{Bank, Program, tokens_from_bytes};
use afterimage_stream::VertexFormat;
use afterimage_stream::packets::VertexAttribute;

/// Published constants with their names.
macro_rules! constants {
    ($($constant:ident),*) => { [$( (afterimage_d3d9_types::$constant, stringify!($constant)) ),*] };
}

/// Adds what both stages' code tells.
pub(super) fn terms(state: &State, code: Code<'_>, out: &mut Vec<Term>) {
    stage(state, state.shaders.vertex, code, false, out);
    stage(state, state.shaders.pixel, code, true, out);
    clip_planes(state, out);
}

fn push(out: &mut Vec<Term>, group: &'static str, name: impl Into<Cow<'static, str>>, value: String, host: String) {
    let (group, note) = (Cow::Borrowed(group), Cow::Borrowed(""));
    out.push(Term { group, name: name.into(), value, note, host: host.into() });
}

fn stage(state: &State, id: ObjectId, code: Code<'_>, pixel: bool, out: &mut Vec<Term>) {
    let Some(Created::Shader(shader)) = state.objects.get(id) else { return };
    let Some(bytes) = code(id) else { return };
    match Language::from_number(shader.language) {
        Some(Language::D3d9) => {
            if let Some(program) = tokens_from_bytes(bytes).ok().and_then(|tokens| Program::parse(&tokens).ok()) {
                programmed(state, id, &program, pixel, out);
            }
        }
        Some(Language::FixedVertex) if bytes.len() == size_of::<FixedVertexKey>() => {
            fixed_vertex(state, id, &bytemuck::pod_read_unaligned(bytes), out);
        }
        Some(Language::FixedPixel) if bytes.len() == size_of::<FixedPixelKey>() => {
            fixed_pixel(state, id, &bytemuck::pod_read_unaligned(bytes), out);
        }
        _ => {}
    }
}

/// A constant's name in the source of the shader, such as ` world[2]` for the third row of a matrix; empty without a table.
fn source_name(table: Option<&ConstantTable>, set: RegisterSet, register: u16) -> String {
    let has = |at: &&afterimage_shader_d3d9::ctab::Constant| {
        at.set == set && register >= at.first && u32::from(register) < u32::from(at.first) + u32::from(at.count)
    };
    match table.and_then(|table| table.constants.iter().find(has)) {
        Some(constant) if constant.count > 1 => format!(" {}[{}]", constant.name, register - constant.first),
        Some(constant) => format!(" {}", constant.name),
        None => String::new(),
    }
}

fn programmed(state: &State, id: ObjectId, program: &Program, pixel: bool, out: &mut Vec<Term>) {
    let signature = Signature::of(program);
    let table = program.constant_table();
    let table = table.as_ref();
    let (name, host, group) = if pixel {
        ("SetPixelShader", "shaders.pixel", "Pixel shader constants")
    } else {
        ("SetVertexShader", "shaders.vertex", "Vertex shader constants")
    };
    push(out, "Shaders", name, format!("{id} {}", program.version), host.to_owned());
    if !pixel {
        declaration(state, out, |location| {
            let at = |element: &&afterimage_shader_d3d9::signature::Element| element.register == u16::from(location);
            let element = signature.inputs.iter().find(at)?;
            let usage = name_of("D3DDECLUSAGE", element.usage as u32)?;
            Some(format!("{usage}{}", element.index))
        });
    }
    let banks = if pixel {
        [Bank::PixelFloat, Bank::PixelInt, Bank::PixelBool]
    } else {
        [Bank::VertexFloat, Bank::VertexInt, Bank::VertexBool]
    };
    let files: [(&ConstantUse, &str, RegisterSet); 3] = [
        (&signature.floats, "c", RegisterSet::Float),
        (&signature.ints, "i", RegisterSet::Int),
        (&signature.bools, "b", RegisterSet::Bool),
    ];
    for (bank, (uses, letter, set)) in banks.into_iter().zip(files) {
        let registers = state.bank(bank as usize);
        // Where a register is chosen by a number, all may be read: those behind the last that was set are zero.
        let used = registers.iter().rposition(|register| *register != [0; 4]).map_or(0, |last| last + 1);
        for (n, value) in registers.iter().enumerate() {
            let register_number = n as u16;
            if !uses.reads(register_number) || uses.relative && n >= used {
                continue;
            }
            let value = match set {
                RegisterSet::Bool => (if value[0] != 0 { "TRUE" } else { "FALSE" }).to_owned(),
                RegisterSet::Int => format!("{:?}", value.map(u32::cast_signed)).replace(['[', ']'], ""),
                _ => register(*value),
            };
            let name = format!("{letter}{n}{}", source_name(table, set, register_number));
            let host = format!("{}[{n}]", afterimage_stream::Bank::ALL[bank as usize].name());
            push(out, group, name, value, host);
        }
    }
    let group = if pixel { "Pixel shader samplers" } else { "Vertex shader samplers" };
    for constant in table.into_iter().flat_map(|table| &table.constants).filter(|c| c.set == RegisterSet::Sampler) {
        let slot = constant.first + if pixel { 0 } else { 16 };
        push(
            out,
            group,
            format!("s{} {}", constant.first, constant.name),
            constant.ty.clone(),
            format!("textures[{slot}]"),
        );
    }
}

/// `D3DDECLTYPE_*` of a format.
fn declared_type(format: u8) -> &'static str {
    use VertexFormat as F;
    match VertexFormat::from_bits(format) {
        Some(F::R32_SFLOAT) => constant!(D3DDECLTYPE_FLOAT1),
        Some(F::R32G32_SFLOAT) => constant!(D3DDECLTYPE_FLOAT2),
        Some(F::R32G32B32_SFLOAT) => constant!(D3DDECLTYPE_FLOAT3),
        Some(F::R32G32B32A32_SFLOAT) => constant!(D3DDECLTYPE_FLOAT4),
        Some(F::B8G8R8A8_UNORM) => constant!(D3DDECLTYPE_D3DCOLOR),
        Some(F::R8G8B8A8_UNORM) => constant!(D3DDECLTYPE_UBYTE4N),
        Some(F::R8G8B8A8_USCALED) => constant!(D3DDECLTYPE_UBYTE4),
        Some(F::R16G16_SSCALED) => constant!(D3DDECLTYPE_SHORT2),
        Some(F::R16G16B16A16_SSCALED) => constant!(D3DDECLTYPE_SHORT4),
        Some(F::R16G16_SNORM) => constant!(D3DDECLTYPE_SHORT2N),
        Some(F::R16G16B16A16_SNORM) => constant!(D3DDECLTYPE_SHORT4N),
        Some(F::R16G16_UNORM) => constant!(D3DDECLTYPE_USHORT2N),
        Some(F::R16G16B16A16_UNORM) => constant!(D3DDECLTYPE_USHORT4N),
        Some(F::A2B10G10R10_USCALED) => constant!(D3DDECLTYPE_UDEC3),
        Some(F::A2B10G10R10_SNORM) => constant!(D3DDECLTYPE_DEC3N),
        Some(F::R16G16_SFLOAT) => constant!(D3DDECLTYPE_FLOAT16_2),
        Some(F::R16G16B16A16_SFLOAT) => constant!(D3DDECLTYPE_FLOAT16_4),
        None => "?",
    }
}

/// The bound vertex declaration, by what the shader takes each element for.
fn declaration(state: &State, out: &mut Vec<Term>, usage: impl Fn(u8) -> Option<String>) {
    let Some(Created::VertexInput(attributes)) = state.objects.get(state.vertex_input.id) else { return };
    for (n, attribute) in attributes.iter().enumerate() {
        let name = usage(attribute.location).unwrap_or_else(|| format!("v{}", attribute.location));
        let value = if attribute.slot == VertexAttribute::DEFAULT {
            "not in the declaration: 0, 0, 0, 1".to_owned()
        } else {
            format!("stream {}, offset {}, {}", attribute.slot, attribute.offset, declared_type(attribute.format))
        };
        push(out, "Vertex declaration", name, value, format!("vertex_input.attributes[{n}]"));
    }
}

/// A value by its name in an enumeration.
fn named(enumeration: &str, value: impl Into<u32>) -> String {
    let value = value.into();
    name_of(enumeration, value).map_or_else(|| format!("{value:#x}"), str::to_owned)
}

fn truth(on: bool) -> String {
    (if on { "TRUE" } else { "FALSE" }).to_owned()
}

/// The element that feeds an input of the fixed vertex stage.
fn fixed_usage(location: u8) -> Option<String> {
    let (usage, index) = match location {
        0 => (constant!(D3DDECLUSAGE_POSITION), 0),
        1 => (constant!(D3DDECLUSAGE_BLENDWEIGHT), 0),
        2 => (constant!(D3DDECLUSAGE_BLENDINDICES), 0),
        3 => (constant!(D3DDECLUSAGE_NORMAL), 0),
        4 => (constant!(D3DDECLUSAGE_PSIZE), 0),
        5 => (constant!(D3DDECLUSAGE_COLOR), 0),
        6 => (constant!(D3DDECLUSAGE_COLOR), 1),
        7..=14 => (constant!(D3DDECLUSAGE_TEXCOORD), location - 7),
        15 => (constant!(D3DDECLUSAGE_POSITION), 1),
        16 => (constant!(D3DDECLUSAGE_NORMAL), 1),
        _ => return None,
    };
    Some(format!("{usage}{index}"))
}

/// Where coordinates are from: the high half of `D3DTSS_TEXCOORDINDEX`.
const GENERATION: [(u32, &str); 5] = constants![
    D3DTSS_TCI_PASSTHRU,
    D3DTSS_TCI_CAMERASPACENORMAL,
    D3DTSS_TCI_CAMERASPACEPOSITION,
    D3DTSS_TCI_CAMERASPACEREFLECTIONVECTOR,
    D3DTSS_TCI_SPHEREMAP
];

fn fixed_vertex(state: &State, id: ObjectId, key: &FixedVertexKey, out: &mut Vec<Term>) {
    use FixedVertexKey as K;
    push(out, "Shaders", "SetVertexShader", "NULL: fixed function".to_owned(), "shaders.vertex".to_owned());
    declaration(state, out, fixed_usage);
    let host = format!("{id} code");
    let mut put = |name: &'static str, value: String| push(out, "Fixed vertices", name, value, host.clone());
    for (name, flag) in [
        (constant!(D3DRS_LIGHTING), K::LIGHTING),
        (constant!(D3DRS_NORMALIZENORMALS), K::NORMALIZE_NORMALS),
        (constant!(D3DRS_LOCALVIEWER), K::LOCAL_VIEWER),
        (constant!(D3DRS_SPECULARENABLE), K::SPECULAR),
        (constant!(D3DRS_RANGEFOGENABLE), K::RANGE_FOG),
        (constant!(D3DRS_INDEXEDVERTEXBLENDENABLE), K::INDEXED_BLEND),
        (constant!(D3DRS_POINTSCALEENABLE), K::POINT_SCALE),
    ] {
        put(name, truth(key.has(flag)));
    }
    let blend = match key.blend_weights {
        _ if key.has(K::TWEENING) => constant!(D3DVBF_TWEENING).to_owned(),
        0 if key.has(K::INDEXED_BLEND) => constant!(D3DVBF_0WEIGHTS).to_owned(),
        weights => named("D3DVERTEXBLENDFLAGS", weights),
    };
    put(constant!(D3DRS_VERTEXBLEND), blend);
    put(constant!(D3DRS_FOGVERTEXMODE), named("D3DFOGMODE", key.fog_mode));
    let sources = [key.diffuse_source, key.ambient_source, key.specular_source, key.emissive_source];
    put(constant!(D3DRS_COLORVERTEX), truth(sources != [0; 4]));
    for (name, source) in [
        (constant!(D3DRS_DIFFUSEMATERIALSOURCE), key.diffuse_source),
        (constant!(D3DRS_AMBIENTMATERIALSOURCE), key.ambient_source),
        (constant!(D3DRS_SPECULARMATERIALSOURCE), key.specular_source),
        (constant!(D3DRS_EMISSIVEMATERIALSOURCE), key.emissive_source),
    ] {
        put(name, named("D3DMATERIALCOLORSOURCE", source));
    }
    let without = "or any without D3DRS_LIGHTING or D3DRS_COLORVERTEX";
    let of_sources = |term: &&mut Term| term.name.ends_with("MATERIALSOURCE") || term.name == "D3DRS_COLORVERTEX";
    if !key.has(K::LIGHTING) || sources == [0; 4] {
        out.iter_mut().filter(of_sources).for_each(|term| term.note = without.into());
    }
    for (n, kind) in key.lights.iter().enumerate().take_while(|(_, kind)| **kind != 0) {
        push(out, "Fixed vertices", format!("light {n}"), named("D3DLIGHTTYPE", *kind), host.clone());
    }
    for (n, coordinates) in key.tex_coords.iter().enumerate().filter(|(_, coordinates)| coordinates.used != 0) {
        let generation = u32::from(coordinates.generation) << 16;
        let generation = GENERATION.iter().find(|(number, _)| *number == generation).map_or("?", |(_, name)| *name);
        let value = format!("{generation} | {}", coordinates.set);
        push(out, "Fixed vertices", format!("{} of stage {n}", constant!(D3DTSS_TEXCOORDINDEX)), value, host.clone());
        let mut value = named("D3DTEXTURETRANSFORMFLAGS", coordinates.transform & 0x7F);
        if coordinates.transform & 0x80 != 0 {
            value.push_str(" | D3DTTFF_PROJECTED");
        }
        push(
            out,
            "Fixed vertices",
            format!("{} of stage {n}", constant!(D3DTSS_TEXTURETRANSFORMFLAGS)),
            value,
            host.clone(),
        );
    }
    d3d9_registers::vertices(state, key, out);
}

/// `D3DTA_*`.
fn argument(value: u8) -> String {
    const NAMES: [(u32, &str); 7] = constants![
        D3DTA_DIFFUSE,
        D3DTA_CURRENT,
        D3DTA_TEXTURE,
        D3DTA_TFACTOR,
        D3DTA_SPECULAR,
        D3DTA_TEMP,
        D3DTA_CONSTANT
    ];
    const FLAGS: [(u32, &str); 2] = constants![D3DTA_COMPLEMENT, D3DTA_ALPHAREPLICATE];
    let (value, source) = (u32::from(value), u32::from(value) & D3DTA_SELECTMASK);
    let name = NAMES.iter().find(|(number, _)| *number == source);
    let mut text = name.map_or_else(|| format!("{source:#x}"), |(_, name)| (*name).to_owned());
    for (bit, name) in FLAGS {
        if value & bit != 0 {
            text.push_str(&format!(" | {name}"));
        }
    }
    text
}

fn fixed_pixel(state: &State, id: ObjectId, key: &FixedPixelKey, out: &mut Vec<Term>) {
    push(out, "Shaders", "SetPixelShader", "NULL: fixed function".to_owned(), "shaders.pixel".to_owned());
    let host = format!("{id} code");
    for (n, stage) in key.stages.iter().enumerate() {
        let mut put = |name: &str, value: String| {
            push(out, "Fixed pixels", format!("{name} of stage {n}"), value, host.clone());
        };
        // Stages behind the last are all zero.
        put(constant!(D3DTSS_COLOROP), named("D3DTEXTUREOP", stage.color_op.max(1)));
        if stage.color_op <= 1 {
            break;
        }
        put(constant!(D3DTSS_ALPHAOP), named("D3DTEXTUREOP", stage.alpha_op));
        for (argument_number, (color, alpha)) in stage.color_args.iter().zip(&stage.alpha_args).enumerate() {
            put(&format!("D3DTSS_COLORARG{argument_number}"), argument(*color));
            put(&format!("D3DTSS_ALPHAARG{argument_number}"), argument(*alpha));
        }
        put(
            constant!(D3DTSS_RESULTARG),
            (if stage.result_temp != 0 { constant!(D3DTA_TEMP) } else { constant!(D3DTA_CURRENT) }).to_owned(),
        );
    }
    push(out, "Fixed pixels", constant!(D3DRS_SPECULARENABLE), truth(key.flags & FixedPixelKey::SPECULAR != 0), host);
    d3d9_registers::pixels(state, key, out);
}

/// The planes that are on.
fn clip_planes(state: &State, out: &mut Vec<Term>) {
    use afterimage_shader_d3d9::SystemRegister::ClipPlane;
    for n in (0..6).filter(|n| state.pixel_ops.clip_planes >> n & 1 != 0) {
        let at = ClipPlane.element(n);
        if let Some(plane) = state.bank(Bank::System as usize).get(usize::from(at)) {
            push(out, "Pixels", format!("SetClipPlane({n})"), register(*plane), format!("system[{at}]"));
        }
    }
}
