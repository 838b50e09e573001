//! The NV2A, what the bound stages' keys tell: the modes of transform, texture shader and combiners, and the registers that they read.

use super::*;
use afterimage_nv2a_types::context::WINDOWS;
use afterimage_nv2a_types::methods::{METHODS as ALL_METHODS, Method};
use afterimage_shader::Language;
use afterimage_shader_nv2a::banks::{Bank, FixedRegister, ScreenRegister};
use afterimage_shader_nv2a::pixel::PixelRegister;
use afterimage_shader_nv2a::{fixed, pixel};

/// Adds what both stages' keys and banks tell.
pub(super) fn terms(state: &State, code: Code<'_>, out: &mut Vec<Term>) {
    for id in [state.shaders.vertex, state.shaders.pixel] {
        let Some(Created::Shader(shader)) = state.objects.get(id) else { continue };
        let Some(bytes) = code(id) else { continue };
        match Language::from_number(shader.language) {
            Some(Language::Nv2aProgram) => {
                put(out, "Transform", "NV097_SET_TRANSFORM_EXECUTION_MODE", "PROGRAM (2)".to_owned(), "shaders.vertex");
                transform_constants(state, out);
            }
            Some(Language::Nv2aFixed) if bytes.len() == size_of::<fixed::Key>() => {
                put(out, "Transform", "NV097_SET_TRANSFORM_EXECUTION_MODE", "FIXED (0)".to_owned(), "shaders.vertex");
                fixed_function(id, &bytemuck::pod_read_unaligned(bytes), out);
                context(state, out);
                bank(state, Bank::Fixed, "Lighting", FixedRegister::TABLE, out);
            }
            Some(Language::Nv2aPixel) if bytes.len() == size_of::<pixel::Key>() => {
                pixels(id, &bytemuck::pod_read_unaligned(bytes), out);
                bank(state, Bank::Pixel, "Pixel registers", PixelRegister::TABLE, out);
            }
            _ => {}
        }
    }
    bank(state, Bank::Screen, "Screen", ScreenRegister::TABLE, out);
}

fn put(
    out: &mut Vec<Term>,
    group: &'static str,
    name: impl Into<Cow<'static, str>>,
    value: String,
    host: impl Into<Cow<'static, str>>,
) {
    out.push(Term { group: group.into(), name: name.into(), value, note: "".into(), host: host.into() });
}

/// Constants of programs that are not zero, by the numbers that programs have for them.
fn transform_constants(state: &State, out: &mut Vec<Term>) {
    let registers = state.bank(Bank::Transform as usize);
    for (n, value) in registers.iter().enumerate().filter(|(_, value)| **value != [0; 4]) {
        let name = format!("NV097_SET_TRANSFORM_CONSTANT c[{}]", n as i32 - 96);
        put(out, "Transform constants", name, register(*value), format!("nv2a vertex[{n}]"));
    }
}

/// What fixed function has in the constants: matrices, planes, viewport.
fn context(state: &State, out: &mut Vec<Term>) {
    let registers = state.bank(Bank::Transform as usize);
    for window in WINDOWS {
        for row in 0..window.slots {
            let at = usize::from(window.slot + row);
            let Some(value) = registers.get(at).filter(|value| **value != [0; 4]) else { continue };
            let mut name = method_name(window.method);
            if window.slots > 1 {
                name.push_str(&format!(" row {row}"));
            }
            put(out, "Transform", name, register(*value), format!("nv2a vertex[{at}]"));
        }
    }
}

/// A method's name, with the number of its instance where there are several.
fn method_name(offset: u16) -> String {
    let has = |row: &&Method| (row.offset..row.offset + row.count * row.stride).contains(&offset);
    match ALL_METHODS.iter().find(has) {
        Some(row) if row.count > 1 => format!("NV097_{}[{}]", row.name, (offset - row.offset) / row.stride.max(1)),
        Some(row) => format!("NV097_{}", row.name),
        None => format!("{offset:#06x}"),
    }
}

/// Registers of a bank whose layout is ours, those that are not zero, by the methods that fill them.
fn bank<T: Copy + fmt::Debug>(
    state: &State,
    bank: Bank,
    group: &'static str,
    table: &[(T, u16, u16, u16)],
    out: &mut Vec<Term>,
) {
    let registers = state.bank(bank as usize);
    for (entry, first, stride, count) in table {
        for element in 0..*count {
            let at = first + element * stride;
            let Some(value) = registers.get(usize::from(at)).filter(|value| **value != [0; 4]) else { continue };
            let entry = format!("{entry:?}");
            let method = METHODS.iter().find(|(name, ..)| *name == entry);
            let name = match method {
                // Those of a light are in turn of front and back, those of specular parameters half and half.
                Some((_, method, Faces::InTurn)) if element % 2 == 0 => format!("NV097_{method}[{}]", element / 2),
                Some((_, method, Faces::InTurn)) => format!("NV097_{}[{}]", back(method), element / 2),
                Some((_, method, Faces::Halves)) if element < count / 2 => format!("NV097_{method}[{element}]"),
                Some((_, method, Faces::Halves)) => format!("NV097_{}[{}]", back(method), element - count / 2),
                Some((_, method, Faces::One)) if *count > 1 => format!("NV097_{method}[{element}]"),
                Some((_, method, Faces::One)) => format!("NV097_{method}"),
                None if *count > 1 => format!("{entry}[{element}]"),
                None => entry,
            };
            let host = format!("{}[{at}]", afterimage_stream::BANKS[bank as usize].name);
            put(out, group, name, register(*value), host);
        }
    }
}

/// How the registers of a method that back faces have too follow each other.
enum Faces {
    One,
    InTurn,
    Halves,
}

/// The method of back faces.
fn back(method: &str) -> String {
    format!("SET_BACK_{}", method.strip_prefix("SET_").unwrap_or(method))
}

/// The methods that registers of our layouts are filled by.
const METHODS: &[(&str, &str, Faces)] = &[
    ("Factor0", "SET_COMBINER_FACTOR0", Faces::One),
    ("Factor1", "SET_COMBINER_FACTOR1", Faces::One),
    ("FinalFactor", "SET_SPECULAR_FOG_FACTOR", Faces::One),
    ("FogColor", "SET_FOG_COLOR", Faces::One),
    ("FogParams", "SET_FOG_PARAMS", Faces::One),
    ("AlphaReference", "SET_ALPHA_REF", Faces::One),
    ("EyeVector", "SET_EYE_VECTOR", Faces::One),
    ("BumpMatrix", "SET_TEXTURE_SET_BUMP_ENV_MAT", Faces::One),
    ("BumpLuminance", "SET_TEXTURE_SET_BUMP_ENV_SCALE", Faces::One),
    ("Stipple", "SET_STIPPLE_PATERN_0", Faces::One),
    ("DepthOffset", "SET_POLYGON_OFFSET_SCALE_FACTOR", Faces::One),
    ("WindowClip", "SET_WINDOW_CLIP_HORIZONTAL", Faces::One),
    ("SceneAmbient", "SET_SCENE_AMBIENT_COLOR", Faces::Halves),
    ("MaterialEmission", "SET_MATERIAL_EMISSION", Faces::Halves),
    ("SpecularParams", "SET_SPECULAR_PARAMS", Faces::Halves),
    ("EyeDirection", "SET_EYE_DIRECTION", Faces::One),
    ("LightAmbient", "SET_LIGHT_AMBIENT_COLOR", Faces::InTurn),
    ("LightDiffuse", "SET_LIGHT_DIFFUSE_COLOR", Faces::InTurn),
    ("LightSpecular", "SET_LIGHT_SPECULAR_COLOR", Faces::InTurn),
    ("LightHalfVector", "SET_LIGHT_INFINITE_HALF_VECTOR", Faces::One),
    ("LightDirection", "SET_LIGHT_INFINITE_DIRECTION", Faces::One),
    ("LightPosition", "SET_LIGHT_LOCAL_POSITION", Faces::One),
    ("LightAttenuation", "SET_LIGHT_LOCAL_ATTENUATION", Faces::One),
    ("LightSpotFalloff", "SET_LIGHT_SPOT_FALLOFF", Faces::One),
    ("LightSpotDirection", "SET_LIGHT_SPOT_DIRECTION", Faces::One),
    ("PointSize", "SET_POINT_SIZE", Faces::One),
    ("PointRange", "SET_POINT_PARAMS_SIZE_RANGE", Faces::One),
    ("SpecularScale", "SET_SPECULAR_ENABLE", Faces::One),
    ("TexelSize", "SET_TEXTURE_IMAGE_RECT", Faces::One),
    ("ColorKey", "SET_COLOR_KEY_COLOR", Faces::One),
    ("PointFactors", "SET_POINT_PARAMS", Faces::One),
];

fn number(names: &[&str], value: u8) -> String {
    names.get(usize::from(value)).map_or_else(|| format!("{value:#x}"), |name| (*name).to_owned())
}

fn fixed_function(id: ObjectId, key: &fixed::Key, out: &mut Vec<Term>) {
    let host = format!("{id} code");
    let mut say = |name: &'static str, value: String| put(out, "Transform", name, value, host.clone());
    say("NV097_SET_LIGHT_ENABLE_MASK", format!("{:#x}", key.lights));
    say("NV097_SET_COLOR_MATERIAL", format!("{:#x}", key.color_material));
    say("NV097_SET_SKIN_MODE", number(&["OFF", "2G", "2", "3G", "3", "4G", "4"], key.skin));
    let fog = ["SPEC_ALPHA", "RADIAL", "PLANAR", "ABS_PLANAR", "0x4", "0x5", "FOG_X"];
    say("NV097_SET_FOG_GEN_MODE", format!("V_{}", number(&fog, key.fog)));
    for (stage, coordinates) in key.texgen.iter().enumerate() {
        let on = key.texture_matrices >> stage & 1 != 0;
        put(
            out,
            "Transform",
            format!("NV097_SET_TEXTURE_MATRIX_ENABLE[{stage}]"),
            on.to_string().to_uppercase(),
            host.clone(),
        );
        for (letter, texgen) in ["S", "T", "R", "Q"].iter().zip(coordinates).filter(|(_, texgen)| **texgen != 0) {
            let modes = ["DISABLE", "EYE_LINEAR", "OBJECT_LINEAR", "SPHERE_MAP", "NORMAL_MAP", "REFLECTION_MAP"];
            let name = format!("NV097_SET_TEXGEN_{letter}[{stage}]");
            put(out, "Transform", name, format!("V_{}", number(&modes, *texgen)), host.clone());
        }
    }
}

fn pixels(id: ObjectId, key: &pixel::Key, out: &mut Vec<Term>) {
    use pixel::Key as K;
    const COMPARE: [&str; 8] = ["NEVER", "LESS", "EQUAL", "LEQUAL", "GREATER", "NOTEQUAL", "GEQUAL", "ALWAYS"];
    let host = format!("{id} code");
    let mut say = |name: &'static str, value: String| put(out, "Pixels", name, value, host.clone());
    let truth = |on: bool| (if on { "V_TRUE" } else { "V_FALSE" }).to_owned();
    say("NV097_SET_ALPHA_TEST_ENABLE", truth(key.alpha_test != 0));
    let compare = key.alpha_test.checked_sub(1).unwrap_or(7);
    say("NV097_SET_ALPHA_FUNC", format!("V_{} ({:#x})", number(&COMPARE, compare), 0x200 + u32::from(compare)));
    if let (0, Some(func)) = (key.alpha_test, out.last_mut()) {
        func.note = "or any without NV097_SET_ALPHA_TEST_ENABLE".into();
    }
    let mut say = |name: &'static str, value: String| put(out, "Pixels", name, value, host.clone());
    say("NV097_SET_FOG_ENABLE", truth(key.fog != 0));
    say("NV097_SET_SHADE_MODEL", (if key.has(K::FLAT) { "V_FLAT (0x1d00)" } else { "V_SMOOTH (0x1d01)" }).to_owned());
    say("NV097_SET_LIGHT_TWO_SIDE_ENABLE", truth(key.has(K::TWO_SIDED)));
    say("NV097_SET_POINT_SMOOTH_ENABLE", truth(key.has(K::POINT_SPRITE)));
    say(
        "NV097_SET_WINDOW_CLIP_TYPE",
        number(&["no rectangle counts", "INCLUSIVE (0)", "EXCLUSIVE (1)"], key.window_clip),
    );
    say("NV097_SET_SHADOW_DEPTH_FUNC", number(&COMPARE, key.shadow));
    say("NV097_SET_FOG_MODE", key.fog_curve().map_or_else(|| "none".to_owned(), |curve| format!("{curve:?}")));
    say("NV097_SET_STIPPLE_ENABLE", truth(key.has(K::STIPPLE)));
    let mut control = format!("{} combiners", key.combiners);
    for (flag, name) in
        [(K::OWN_FACTOR0, "FACTOR0_EACH_STAGE"), (K::OWN_FACTOR1, "FACTOR1_EACH_STAGE"), (K::MUX_MSB, "MUX_SELECT_MSB")]
    {
        if key.has(flag) {
            control.push_str(&format!(" | {name}"));
        }
    }
    say("NV097_SET_COMBINER_CONTROL", control);
    for n in 0..usize::from(key.combiners).min(key.color.len()) {
        for (name, word) in [
            ("COLOR_ICW", key.color[n][0]),
            ("COLOR_OCW", key.color[n][1]),
            ("ALPHA_ICW", key.alpha[n][0]),
            ("ALPHA_OCW", key.alpha[n][1]),
        ] {
            put(out, "Combiners", format!("NV097_SET_COMBINER_{name}[{n}]"), format!("{word:#010x}"), host.clone());
        }
    }
    for (n, word) in key.last.iter().enumerate() {
        put(out, "Combiners", format!("NV097_SET_COMBINER_SPECULAR_FOG_CW{n}"), format!("{word:#010x}"), host.clone());
    }
    for (n, stage) in key.stages.iter().enumerate() {
        let mut say =
            |name: &str, value: String| put(out, "Combiners", format!("NV097_{name}[{n}]"), value, host.clone());
        say("SET_SHADER_STAGE_PROGRAM", format!("{:?} ({:#x})", key.mode(n), stage.mode));
        if stage.mode == 0 {
            continue;
        }
        if key.mode(n).reads_other() {
            say("SET_SHADER_OTHER_STAGE_INPUT", format!("stage {}", stage.other));
        }
        for (name, value) in [("SET_DOT_RGBMAPPING", stage.mapping), ("SET_SHADER_CLIP_PLANE_MODE", stage.clip)] {
            if value != 0 {
                say(name, format!("{value:#x}"));
            }
        }
        for (flag, name) in [
            (pixel::StageKey::ALPHA_KILL, "SET_TEXTURE_CONTROL0.ALPHA_KILL_ENABLE"),
            (pixel::StageKey::COLOR_KEY, "SET_TEXTURE_CONTROL0.COLOR_KEY_OPERATION"),
        ] {
            if stage.flags & flag != 0 {
                say(name, "1".to_owned());
            }
        }
        if stage.signs != 0 {
            // Alpha, red, green, blue from the lowest on.
            let said = bits(stage.signs.into(), &["ASIGNED", "RSIGNED", "GSIGNED", "BSIGNED"]);
            say("SET_TEXTURE_FILTER signs", said.value);
        }
    }
}
