//! The NV2A, what the bound stages' keys tell: the modes of transform, texture shader and combiners; and the constants of transform.

use super::nv2a::{decimal, method, name, value};
use super::*;
use afterimage_nv2a_types::context::WINDOWS;
use afterimage_nv2a_types::enums::{self, Names};
use afterimage_nv2a_types::methods::{METHODS as ALL_METHODS, Method};
use afterimage_shader::Language;
use afterimage_shader_nv2a::banks::Bank;
use afterimage_shader_nv2a::pixel::tables::FogCurve;
use afterimage_shader_nv2a::{fixed, pixel};
use afterimage_stream::packets::Compare;

/// Adds what both stages' keys and banks tell.
pub(super) fn terms(state: &State, code: Code<'_>, out: &mut Vec<Term>) {
    for id in [state.shaders.vertex, state.shaders.pixel] {
        let Some(Created::Shader(shader)) = state.objects.get(id) else { continue };
        let Some(bytes) = code(id) else { continue };
        match Language::from_number(shader.language) {
            Some(Language::Nv2aProgram) => {
                put(
                    out,
                    "Transform",
                    name!(SET_TRANSFORM_EXECUTION_MODE),
                    decimal!(EXECUTION_MODE::PROGRAM),
                    "shaders.vertex",
                );
                transform_constants(state, out);
            }
            Some(Language::Nv2aFixed) if bytes.len() == size_of::<fixed::Key>() => {
                put(
                    out,
                    "Transform",
                    name!(SET_TRANSFORM_EXECUTION_MODE),
                    decimal!(EXECUTION_MODE::FIXED),
                    "shaders.vertex",
                );
                fixed_function(id, &bytemuck::pod_read_unaligned(bytes), out);
                context(state, out);
                nv2a_registers::lighting(state, out);
            }
            Some(Language::Nv2aPixel) if bytes.len() == size_of::<pixel::Key>() => {
                let key = bytemuck::pod_read_unaligned(bytes);
                pixels(id, &key, out);
                nv2a_registers::pixels(state, &key, out);
            }
            _ => {}
        }
    }
    nv2a_registers::screen(state, out);
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

/// A number with the name that the guest's tables have for it.
fn named(names: Names, value: u32) -> String {
    match enums::name_of(names, value) {
        Some(name) => format!("{value:#x} ({name})"),
        None => format!("{value:#x}"),
    }
}

fn truth(on: bool) -> String {
    (if on { "V_TRUE" } else { "V_FALSE" }).to_owned()
}

fn fixed_function(id: ObjectId, key: &fixed::Key, out: &mut Vec<Term>) {
    use fixed::Key as K;
    let host = format!("{id} code");
    let mut say = |name: &str, value: String, note: &'static str| {
        let (name, host) = (format!("NV097_{name}").into(), host.clone().into());
        out.push(Term { group: "Transform".into(), name, value, note: note.into(), host });
    };
    const UNLIT: &str = "or V_TRUE without NV097_SET_LIGHTING_ENABLE";
    let lit = key.has(K::LIGHTING);
    say(method!(SET_LIGHTING_ENABLE), truth(lit), "");
    say(method!(SET_LIGHT_ENABLE_MASK), format!("{:#x}", key.lights), if lit { "" } else { "or any without lighting" });
    say(
        method!(SET_COLOR_MATERIAL),
        format!("{:#x}", key.color_material),
        if lit { "" } else { "or any without lighting" },
    );
    say(method!(SET_LIGHT_TWO_SIDE_ENABLE), truth(key.has(K::TWO_SIDED)), if lit { "" } else { UNLIT });
    let bit = |on: bool| (if on { "1" } else { "0" }).to_owned();
    say(method!(SET_LIGHT_CONTROL.LOCALEYE), bit(key.has(K::LOCAL_EYE)), if lit { "" } else { "or 1 without lights" });
    let separate = key.has(K::SEPARATE_SPECULAR);
    let note = if separate { "" } else { "or 1 without NV097_SET_SPECULAR_ENABLE, or without lighting" };
    say(method!(SET_LIGHT_CONTROL.SEPARATE_SPECULAR), bit(separate), note);
    let normalize = key.has(K::NORMALIZE);
    say(
        method!(SET_NORMALIZATION_ENABLE),
        truth(normalize),
        if normalize { "" } else { "or V_TRUE where nothing reads normals" },
    );
    say(method!(SET_SKIN_MODE), named(enums::SKIN_MODE, key.skin.into()), "");
    say(method!(SET_FOG_GEN_MODE), named(enums::FOG_GEN_MODE, key.fog.into()), "");
    let far = key.has(K::INFINITE_VIEWER);
    let note = if far { "" } else { "or 1 where no reflections are made" };
    say(method!(SET_TEXGEN_VIEW_MODEL), named(enums::VIEWER, far.into()), note);
    for stage in 0..key.texgen.len() {
        let on = key.texture_matrices >> stage & 1 != 0;
        say(&format!("{}[{stage}]", method!(SET_TEXTURE_MATRIX_ENABLE)), truth(on), "");
        let methods = [method!(SET_TEXGEN_S), method!(SET_TEXGEN_T), method!(SET_TEXGEN_R), method!(SET_TEXGEN_Q)];
        for (coordinate, method) in methods.into_iter().enumerate() {
            let mode = key.texgen(stage, coordinate);
            let mut arguments = enums::TEXGEN.iter().map(|(argument, _)| *argument);
            let argument = arguments.find(|argument| fixed::texgen(*argument, coordinate) == mode);
            if let Some(argument) = argument.filter(|argument| *argument != 0) {
                say(&format!("{method}[{stage}]"), named(enums::TEXGEN, argument), "");
            }
        }
    }
}

fn pixels(id: ObjectId, key: &pixel::Key, out: &mut Vec<Term>) {
    use pixel::Key as K;
    let host = format!("{id} code");
    let mut say = |name: &str, value: String, note: &'static str| {
        let (name, host) = (format!("NV097_{name}").into(), host.clone().into());
        out.push(Term { group: "Pixels".into(), name, value, note: note.into(), host });
    };
    let on_or = |on: bool, note: &'static str| (truth(on), if on { "" } else { note });
    let (value, note) = on_or(key.alpha_test != 0, "or V_TRUE with V_ALWAYS");
    say(method!(SET_ALPHA_TEST_ENABLE), value, note);
    // The key has one more than the comparison, and zero where all pass.
    let compare = word(&nv2a::COMPARE, key.alpha_test.checked_sub(1).unwrap_or(Compare::Always as u8));
    let note = if key.alpha_test == 0 { "or any without NV097_SET_ALPHA_TEST_ENABLE" } else { "" };
    say(method!(SET_ALPHA_FUNC), compare.map(|said| said.value).unwrap_or_default(), note);
    say(method!(SET_FOG_ENABLE), truth(key.fog != 0), "");
    if let Some(curve) = FogCurve::ALL.iter().find(|(curve, ..)| Some(*curve) == key.fog_curve()) {
        say(method!(SET_FOG_MODE), named(enums::FOG_MODE, curve.2), "");
    }
    say(
        method!(SET_SHADE_MODEL),
        if key.has(K::FLAT) { value!(SHADE_MODEL::V_FLAT) } else { value!(SHADE_MODEL::V_SMOOTH) },
        "",
    );
    let (value, note) = on_or(key.has(K::TWO_SIDED), "or V_TRUE, where points or lines are drawn");
    say(method!(SET_LIGHT_TWO_SIDE_ENABLE), value, note);
    let (value, note) = on_or(key.has(K::POINT_SPRITE), "or V_TRUE, where no points are drawn");
    say(method!(SET_POINT_SMOOTH_ENABLE), value, note);
    let (value, note) = on_or(key.has(K::STIPPLE), "or V_TRUE, where points or lines are drawn");
    say(method!(SET_STIPPLE_ENABLE), value, note);
    if key.has(K::SMOOTH) {
        say(method!(SET_LINE_SMOOTH_ENABLE), truth(true), "or NV097_SET_POLY_SMOOTH_ENABLE of polygons");
    }
    if key.has(K::OFFSET) {
        say(method!(SET_POLY_OFFSET_FILL_ENABLE), truth(true), "");
    }
    match key.window_clip {
        0 => say(method!(SET_WINDOW_CLIP_TYPE), named(enums::WINDOW_CLIP, 0), "a rectangle covers the surface"),
        kind => say(method!(SET_WINDOW_CLIP_TYPE), named(enums::WINDOW_CLIP, u32::from(kind) - 1), ""),
    }
    let depth = match key.depth() {
        pixel::Depth::Host => None,
        pixel::Depth::Fixed16 => Some((1, 0)),
        pixel::Depth::Fixed24 => Some((2, 0)),
        pixel::Depth::Float16 => Some((1, 1)),
        pixel::Depth::Float24 => Some((2, 1)),
    };
    if let Some((zeta, float)) = depth {
        say(method!(SET_SURFACE_FORMAT.ZETA), named(enums::SURFACE_ZETA, zeta), "");
        say(method!(SET_CONTROL0.Z_FORMAT), named(enums::Z_FORMAT, float), "");
        say(method!(SET_CONTROL0.Z_PERSPECTIVE_ENABLE), truth(key.has(K::W_BUFFER)), "");
    }
    if key.stages.iter().any(|stage| stage.depth().is_some()) {
        let means = |number: &u32| pixel::tables::Compare::of_shadow(*number) as u8 == key.shadow;
        let number = (0..8).find(means).unwrap_or_default();
        say(method!(SET_SHADOW_COMPARE_FUNC), named(enums::SHADOW_COMPARE, number), "");
    }
    let mut say = |name: &'static str, value: String| put(out, "Pixels", name, value, host.clone());
    let mut control = format!("{} combiners", key.combiners);
    for (flag, name) in
        [(K::OWN_FACTOR0, "FACTOR0_EACH_STAGE"), (K::OWN_FACTOR1, "FACTOR1_EACH_STAGE"), (K::MUX_MSB, "MUX_SELECT_MSB")]
    {
        if key.has(flag) {
            control.push_str(&format!(" | {name}"));
        }
    }
    say(name!(SET_COMBINER_CONTROL), control);
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
        let mut say = |name: String, value: String| put(out, "Combiners", format!("NV097_{name}"), value, host.clone());
        say(format!("{}[{n}]", method!(SET_SHADER_STAGE_PROGRAM)), format!("{:?} ({:#x})", key.mode(n), stage.mode));
        if stage.mode == 0 {
            continue;
        }
        if key.mode(n).reads_other() {
            say(format!("{}[{n}]", method!(SET_SHADER_OTHER_STAGE_INPUT)), format!("{} (stage)", stage.other));
        }
        if stage.mapping != 0 {
            say(format!("{}[{n}]", method!(SET_DOT_RGBMAPPING)), named(enums::DOT_MAPPING, stage.mapping.into()));
        }
        if stage.clip != 0 {
            say(format!("{}[{n}]", method!(SET_SHADER_CLIP_PLANE_MODE)), format!("{:#x}", stage.clip));
        }
        for (flag, field, value) in [
            (pixel::StageKey::ALPHA_KILL, "CONTROL0[{n}].ALPHA_KILL_ENABLE", "1".to_owned()),
            (pixel::StageKey::COLOR_KEY, "CONTROL0[{n}].COLOR_KEY_OPERATION", decimal!(COLOR_KEY::KILL)),
            (pixel::StageKey::CONVOLVED, "FILTER[{n}].MIN", decimal!(MIN_FILTER::CONVOLUTION_2D_LOD0)),
        ] {
            if stage.has(flag) {
                say(format!("SET_TEXTURE_{}", numbered(field, n)), value);
            }
        }
        if stage.signs != 0 {
            // Alpha, red, green, blue from the lowest on.
            let said = bits(stage.signs.into(), &["ASIGNED", "RSIGNED", "GSIGNED", "BSIGNED"]);
            say(format!("{}[{n}].SIGNED", method!(SET_TEXTURE_FILTER)), said.value);
        }
    }
}
