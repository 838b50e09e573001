//! The NV2A: every method that is state of draws is given a value of its own, which is said by the method's name, or is known to be
//! in nothing that the host has.

use crate::nv2a::{Rig, Writes, with};
use crate::{missing, report};
use afterimage_inspect::terms::Term;
use afterimage_nv2a::machine::PrimitiveKind;
use afterimage_nv2a_types::method as m;
use afterimage_nv2a_types::methods::{METHODS, What};
use std::collections::BTreeSet;

/// A word that is written behind others, and what is said of it under which field.
type Case = (u16, Writes, u32, &'static str, &'static str);

const LIT: Writes = &[(m::SET_LIGHTING_ENABLE, 1), (m::SET_LIGHT_ENABLE_MASK, 0x5555)];
const ZETA: Writes = &[(m::SET_DEPTH_TEST_ENABLE, 1)];
const SPECULAR: Writes = &[(m::SET_SPECULAR_ENABLE, 1)];
const LIT_SPECULAR: Writes = &[(m::SET_LIGHTING_ENABLE, 1), (m::SET_SPECULAR_ENABLE, 1)];
const FOG: Writes = &[(m::SET_FOG_ENABLE, 1)];
const SPHERES: Writes = &[(m::SET_TEXGEN_S, 0x2402)];
const EIGHT: Writes = &[(m::SET_COMBINER_CONTROL, 8)];
/// Stage 1 bumps by stage 0.
const BUMP: Writes =
    &[(m::SET_SHADER_STAGE_PROGRAM, 6 << 5 | 1), (m::SET_TEXTURE_CONTROL0 + 0x40, 0x4003_FFC0), TEXTURE_1, FILTER_1];
const TEXTURE_1: (u16, u32) = (m::SET_TEXTURE_FORMAT + 0x40, 0x0552_0629);
const FILTER_1: (u16, u32) = (m::SET_TEXTURE_FILTER + 0x40, 0x0202_0000);
/// Stage 1 has a dot product, stage 2 takes it.
const DOTS: Writes = &[
    (m::SET_SHADER_STAGE_PROGRAM, 9 << 10 | 0x11 << 5 | 1),
    (m::SET_TEXTURE_CONTROL0 + 0x40, 0x4003_FFC0),
    (m::SET_TEXTURE_CONTROL0 + 0x80, 0x4003_FFC0),
];
const SHADOW: Writes = &[
    (m::SET_TEXTURE_FORMAT, 0x0001_2E29),
    (m::SET_TEXTURE_CONTROL1, 256 << 16),
    (m::SET_TEXTURE_IMAGE_RECT, 32 << 16 | 32),
];
const LINEAR: Writes = &[(m::SET_TEXTURE_FORMAT, 0x0001_1229), (m::SET_TEXTURE_CONTROL1, 256 << 16)];
const CLAMPS: Writes = &[(m::SET_ZMIN_MAX_CONTROL, 0x10), (m::SET_DEPTH_TEST_ENABLE, 1)];
const KEYED: Writes = &[(m::SET_TEXTURE_CONTROL0, 0x4003_FFC3)];

/// Bits of a float that no other case has.
const fn f(value: f32) -> u32 {
    value.to_bits()
}

/// Methods with one instance and one word, or fields of them.
const CASES: &[Case] = &[
    (m::SET_SURFACE_CLIP_HORIZONTAL, &[], 30 << 16 | 4, "", "x 4, width 30"),
    (m::SET_SURFACE_CLIP_VERTICAL, &[], 40 << 16 | 6, "", "y 6, height 40"),
    (m::SET_SURFACE_FORMAT, ZETA, 0x118, ".ZETA", "0x1 (Z16)"),
    (m::SET_SURFACE_FORMAT, ZETA, 0x128, ".ZETA", "0x2 (Z24S8)"),
    (m::SET_CONTROL0, ZETA, 0x0010_1001, ".Z_FORMAT", "0x1 (float)"),
    (m::SET_CONTROL0, ZETA, 0x0010_0001, ".Z_FORMAT", "0x0 (fixed)"),
    (m::SET_CONTROL0, ZETA, 0x0011_0001, ".Z_PERSPECTIVE_ENABLE", "V_TRUE"),
    (m::SET_CONTROL0, ZETA, 0x0010_0001, ".Z_PERSPECTIVE_ENABLE", "V_FALSE"),
    (m::SET_CONTROL0, &[], 0x0010_0001, ".TEXTURE_PERSPECTIVE_ENABLE", "V_TRUE"),
    (m::SET_CONTROL0, &[], 0x0000_0001, ".TEXTURE_PERSPECTIVE_ENABLE", "V_FALSE"),
    (m::SET_LIGHT_CONTROL, LIT, 1 << 16, ".LOCALEYE", "1"),
    (m::SET_LIGHT_CONTROL, LIT, 0, ".LOCALEYE", "0"),
    (m::SET_LIGHT_CONTROL, LIT_SPECULAR, 1, ".SEPARATE_SPECULAR", "1"),
    (m::SET_LIGHT_CONTROL, LIT_SPECULAR, 1 << 16, ".SEPARATE_SPECULAR", "0"),
    (m::SET_LIGHT_CONTROL, SPECULAR, 1 << 17, ".ALPHA_FROM_MATERIAL_SPECULAR", "1"),
    (m::SET_LIGHT_CONTROL, SPECULAR, 1, ".ALPHA_FROM_MATERIAL_SPECULAR", "0"),
    (m::SET_COLOR_MATERIAL, LIT, 0x9641, "", "0x9641"),
    (m::SET_FOG_MODE, FOG, 0x2601, "", "0x2601 (linear)"),
    (m::SET_FOG_MODE, FOG, 0x800, "", "0x800 (exp)"),
    (m::SET_FOG_MODE, FOG, 0x801, "", "0x801 (exp2)"),
    (m::SET_FOG_MODE, FOG, 0x802, "", "0x802 (exp abs)"),
    (m::SET_FOG_MODE, FOG, 0x803, "", "0x803 (exp2 abs)"),
    (m::SET_FOG_MODE, FOG, 0x804, "", "0x804 (linear abs)"),
    (m::SET_FOG_GEN_MODE, &[], 0, "", "0x0 (specular alpha)"),
    (m::SET_FOG_GEN_MODE, &[], 1, "", "0x1 (radial)"),
    (m::SET_FOG_GEN_MODE, &[], 2, "", "0x2 (planar)"),
    (m::SET_FOG_GEN_MODE, &[], 3, "", "0x3 (abs planar)"),
    (m::SET_FOG_GEN_MODE, &[], 6, "", "0x6 (fog coordinate)"),
    (m::SET_FOG_COLOR, &[], 0x8040_20FF, "", "0x804020ff"),
    (m::SET_WINDOW_CLIP_TYPE, &[], 0, "", "0x0 (inside)"),
    (m::SET_WINDOW_CLIP_TYPE, &[], 1, "", "0x1 (outside)"),
    (m::SET_ALPHA_REF, &[], 0x5A, "", "0x5a"),
    (m::SET_LIGHT_ENABLE_MASK, LIT, 0xE4E4, "", "0xe4e4"),
    (m::SET_SKIN_MODE, &[], 0, "", "0x0 (off)"),
    (m::SET_SKIN_MODE, &[], 1, "", "0x1 (2, last generated)"),
    (m::SET_SKIN_MODE, &[], 4, "", "0x4 (3)"),
    (m::SET_SKIN_MODE, &[], 6, "", "0x6 (4)"),
    (m::SET_POLYGON_OFFSET_SCALE_FACTOR, OFFSET, f(-1.25), "", "-1.25"),
    (m::SET_POLYGON_OFFSET_BIAS, OFFSET, f(2.75), "", "2.75"),
    (m::SET_CLIP_MIN, CLAMPS, f(4096.0), "", "4096.0"),
    (m::SET_CLIP_MAX, CLAMPS, f(1_048_577.0), "", "1048577.0"),
    (m::SET_MATERIAL_ALPHA, LIT, f(0.7), "", "0.7"),
    (m::SET_BACK_MATERIAL_ALPHA, LIT, f(0.6), "", "0.6"),
    (m::SET_POINT_SIZE, &[], 0x1B3, "", "0x1b3"),
    (m::SET_TEXGEN_VIEW_MODEL, SPHERES, 1, "", "0x1 (infinite)"),
    (m::SET_TEXGEN_VIEW_MODEL, SPHERES, 0, "", "0x0 (local)"),
    (m::SET_POINT_PARAMS, &[], f(0.375), "", "0.375"),
    (m::SET_POINT_PARAMS_SCALE_FACTOR_B, &[], f(1.375), "", "1.375"),
    (m::SET_POINT_PARAMS_SCALE_FACTOR_C, &[], f(2.375), "", "2.375"),
    (m::SET_POINT_PARAMS_SIZE_RANGE, &[], f(3.375), "", "3.375"),
    (m::SET_POINT_PARAMS_SCALE_BIAS, &[], f(4.375), "", "4.375"),
    (m::SET_POINT_PARAMS_MIN_SIZE, &[], f(5.375), "", "5.375"),
    (m::SET_COMBINER_SPECULAR_FOG_CW0, &[], 0x130C_0300, "", "0x130c0300"),
    (m::SET_COMBINER_SPECULAR_FOG_CW1, &[], 0x0000_1C80, "", "0x00001c80"),
    (m::SET_SHADER_CLIP_PLANE_MODE, &[(m::SET_SHADER_STAGE_PROGRAM, 5)], 0xB, "[0]", "0xb"),
    (m::SET_ZMIN_MAX_CONTROL, &[], 0x10, ".ZCLAMP_EN", "CLAMP (1)"),
    (m::SET_ZMIN_MAX_CONTROL, &[], 0x00, ".ZCLAMP_EN", "CULL (0)"),
    (m::SET_ZMIN_MAX_CONTROL, &[], 0x01, ".CULL_NEAR_FAR_EN", "V_TRUE"),
    (m::SET_ZMIN_MAX_CONTROL, &[], 0x10, ".CULL_NEAR_FAR_EN", "V_FALSE"),
    (
        m::SET_COMBINER_CONTROL,
        &[],
        0x0001_1105,
        "",
        "5 combiners | FACTOR0_EACH_STAGE | FACTOR1_EACH_STAGE | MUX_SELECT_MSB",
    ),
    (m::SET_SHADOW_COMPARE_FUNC, SHADOW, 1, "", "0x1 (>)"),
    (m::SET_SHADOW_COMPARE_FUNC, SHADOW, 4, "", "0x4 (<)"),
    (m::SET_SHADOW_COMPARE_FUNC, SHADOW, 6, "", "0x6 (<=)"),
    (m::SET_SHADER_STAGE_PROGRAM, &[], 4, "[0]", "0x4"),
    (m::SET_DOT_RGBMAPPING, DOTS, 3, "[1]", "0x3 (-1..1)"),
    (m::SET_SHADER_OTHER_STAGE_INPUT, DOTS, 1 << 16, "[2]", "1 (stage)"),
    (m::SET_TRANSFORM_EXECUTION_MODE, &[], 4, "", "FIXED (0)"),
    (m::SET_TRANSFORM_EXECUTION_MODE, &[], 6, "", "PROGRAM (2)"),
    (m::SET_TEXTURE_FORMAT, &[], 0x0452_0629, "[0].BASE_SIZE_U", "5"),
    (m::SET_TEXTURE_FORMAT, &[], 0x0452_0629, "[0].BASE_SIZE_V", "4"),
    (m::SET_TEXTURE_FORMAT, &[], 0x0452_0629, "[0].BORDER_SOURCE", "COLOR (1)"),
    (m::SET_TEXTURE_FORMAT, &[], 0x0451_0621, "[0].BORDER_SOURCE", "TEXTURE (0)"),
    (m::SET_TEXTURE_FORMAT, &[], 0x0451_0621, "[0].BASE_SIZE_U", "5"),
    (m::SET_TEXTURE_IMAGE_RECT, LINEAR, 40 << 16 | 24, "[0]", "0x00280018"),
    (m::SET_TEXTURE_CONTROL0, &[], 0x4003_FFC4, "[0].ALPHA_KILL_ENABLE", "1"),
    (m::SET_TEXTURE_CONTROL0, &[], 0x4003_FFC3, "[0].COLOR_KEY_OPERATION", "KILL (3)"),
    (m::SET_TEXTURE_FILTER, &[], 0xA202_0000, "[0].SIGNED", "0xa (RSIGNED | BSIGNED)"),
    (m::SET_TEXTURE_FILTER, &[], 0x0407_4000, "[0].MIN", "CONVOLUTION_2D_LOD0 (7)"),
    (m::SET_TEXTURE_FILTER, &[], 0x0202_1F00, "[0].MIPMAP_LOD_BIAS", "-1.0"),
    (m::SET_TEXTURE_ADDRESS, &[], 0x0001_0203, "[0].U", "3"),
    (m::SET_TEXTURE_ADDRESS, &[], 0x0001_0203, "[0].V", "2"),
    (m::SET_TEXTURE_BORDER_COLOR, &[(m::SET_TEXTURE_ADDRESS, 0x0001_0104)], 0x1122_3344, "[0]", "0x11223344"),
    (m::SET_COLOR_KEY_COLOR, KEYED, 0x1122_3344, "[0]", "0x11223344"),
    (m::SET_TEXTURE_SET_BUMP_ENV_SCALE + 0x40, BUMP, f(0.875), "[1]", "0.875"),
    (m::SET_TEXTURE_SET_BUMP_ENV_OFFSET + 0x40, BUMP, f(1.875), "[1]", "1.875"),
    (m::SET_TEXTURE_OFFSET, &[], 0x21_0000, "[0]", "texture at 0x210000"),
    (m::SET_SURFACE_COLOR_OFFSET, &[], 0x4000, "", "A8R8G8B8 surface at 0x4000"),
    (m::SET_SURFACE_ZETA_OFFSET, ZETA, 0x12_0000, "", "Z24S8 surface at 0x120000"),
];

const OFFSET: Writes = &[(m::SET_POLY_OFFSET_FILL_ENABLE, 1)];

/// What is on or off.
const SWITCHES: &[(u16, Writes)] = &[
    (m::SET_FOG_ENABLE, &[]),
    (m::SET_ALPHA_TEST_ENABLE, &[(m::SET_ALPHA_FUNC, 0x201)]),
    (m::SET_BLEND_ENABLE, &[]),
    (m::SET_CULL_FACE_ENABLE, &[(m::SET_CULL_FACE, 0x405)]),
    (m::SET_DEPTH_TEST_ENABLE, &[]),
    (m::SET_LIGHTING_ENABLE, &[]),
    (m::SET_POINT_PARAMS_ENABLE, &[]),
    (m::SET_STENCIL_TEST_ENABLE, &[]),
    (m::SET_POLY_OFFSET_FILL_ENABLE, &[]),
    (m::SET_DEPTH_MASK, ZETA),
    (m::SET_NORMALIZATION_ENABLE, LIT),
    (m::SET_SPECULAR_ENABLE, &[]),
    (m::SET_STIPPLE_ENABLE, &[]),
    (m::SET_LOGIC_OP_ENABLE, &[]),
    (m::SET_LIGHT_TWO_SIDE_ENABLE, LIT),
];

/// Methods with several instances of one word, which is said in hexadecimal.
const WORDS: &[(u16, Writes)] = &[
    (m::SET_COMBINER_ALPHA_ICW, EIGHT),
    (m::SET_COMBINER_ALPHA_OCW, EIGHT),
    (m::SET_COMBINER_COLOR_ICW, EIGHT),
    (m::SET_COMBINER_COLOR_OCW, EIGHT),
    (m::SET_COMBINER_FACTOR0, &[]),
    (m::SET_COMBINER_FACTOR1, &[]),
    (m::SET_SPECULAR_FOG_FACTOR, &[]),
];

/// Methods of floats, and how many of the words are said.
const FLOATS: &[(u16, u16)] = &[
    (m::SET_FOG_PARAMS, 2),
    (m::SET_MATERIAL_EMISSION, 3),
    (m::SET_SCENE_AMBIENT_COLOR, 3),
    (m::SET_BACK_MATERIAL_EMISSION, 3),
    (m::SET_BACK_SCENE_AMBIENT_COLOR, 3),
    (m::SET_EYE_DIRECTION, 3),
    (m::SET_EYE_VECTOR, 3),
    (m::SET_BACK_LIGHT_AMBIENT_COLOR, 3),
    (m::SET_BACK_LIGHT_DIFFUSE_COLOR, 3),
    (m::SET_BACK_LIGHT_SPECULAR_COLOR, 3),
    (m::SET_LIGHT_AMBIENT_COLOR, 3),
    (m::SET_LIGHT_DIFFUSE_COLOR, 3),
    (m::SET_LIGHT_SPECULAR_COLOR, 3),
    (m::SET_LIGHT_LOCAL_RANGE, 1),
    (m::SET_LIGHT_INFINITE_HALF_VECTOR, 3),
    (m::SET_LIGHT_INFINITE_DIRECTION, 3),
    (m::SET_LIGHT_SPOT_FALLOFF, 3),
    (m::SET_LIGHT_SPOT_DIRECTION, 4),
    (m::SET_LIGHT_LOCAL_POSITION, 3),
    (m::SET_LIGHT_LOCAL_ATTENUATION, 3),
    (m::SET_TEXTURE_SET_BUMP_ENV_MAT, 4),
];

/// Enumerations and their like, which have a test of their own beside this.
const ELSEWHERE: &[u16] = &[
    m::SET_ALPHA_FUNC,
    m::SET_DEPTH_FUNC,
    m::SET_STENCIL_FUNC,
    m::SET_STENCIL_FUNC_REF,
    m::SET_STENCIL_FUNC_MASK,
    m::SET_STENCIL_MASK,
    m::SET_STENCIL_OP_FAIL,
    m::SET_STENCIL_OP_ZFAIL,
    m::SET_STENCIL_OP_ZPASS,
    m::SET_BLEND_FUNC_SFACTOR,
    m::SET_BLEND_FUNC_DFACTOR,
    m::SET_BLEND_EQUATION,
    m::SET_BLEND_COLOR,
    m::SET_COLOR_MASK,
    m::SET_CULL_FACE,
    m::SET_FRONT_FACE,
    m::SET_SHADE_MODEL,
    m::SET_LOGIC_OP,
];

/// Methods without a term, and why.
const UNSAID: &[(u16, &str)] = &[
    (m::SET_CONTEXT_DMA_A, "a part of addresses"),
    (m::SET_CONTEXT_DMA_B, "a part of addresses"),
    (m::SET_CONTEXT_DMA_STATE, "programs cannot write it here"),
    (m::SET_CONTEXT_DMA_COLOR, "a part of addresses"),
    (m::SET_CONTEXT_DMA_ZETA, "a part of addresses"),
    (m::SET_CONTEXT_DMA_VERTEX_A, "vertices are gathered before they are sent"),
    (m::SET_CONTEXT_DMA_VERTEX_B, "vertices are gathered before they are sent"),
    (m::SET_VERTEX_DATA_ARRAY_OFFSET, "vertices are gathered before they are sent"),
    (m::SET_VERTEX_DATA_ARRAY_FORMAT, "vertices are gathered before they are sent"),
    (m::SET_SURFACE_PITCH, "rows are packed in the host's images"),
    (m::SET_TEXTURE_CONTROL1, "rows are packed in the host's images"),
    (m::SET_TEXTURE_PALETTE, "texels are decoded before they are sent"),
    (m::SET_DITHER_ENABLE, "is not supported, and said so in the log"),
    (m::SET_POLY_OFFSET_POINT_ENABLE, "of outlines, whose vertices are computed"),
    (m::SET_POLY_OFFSET_LINE_ENABLE, "of outlines, whose vertices are computed"),
    (m::SET_LINE_WIDTH, "of outlines, whose vertices are computed"),
    (m::SET_FRONT_POLYGON_MODE, "outlines are drawn as triangles"),
    (m::SET_BACK_POLYGON_MODE, "outlines are drawn as triangles"),
    (m::SET_FLAT_SHADE_OP, "vertices come in the order that it asks for"),
    (m::SET_ANTI_ALIASING_CONTROL, "decides whether edges are smoothed"),
    (m::SET_POINT_PARAMS_SIZE_RANGE_DUP_1, "the hardware wants the range three times"),
    (m::SET_POINT_PARAMS_SIZE_RANGE_DUP_2, "the hardware wants the range three times"),
    (m::SET_TRANSFORM_PROGRAM_CXT_WRITE_EN, "of programs that are run here"),
    (m::SET_TRANSFORM_PROGRAM_START, "programs are sent from there on"),
];

/// What was tried, and what was said wrongly.
struct Check {
    failures: Vec<String>,
    tried: BTreeSet<u16>,
}

impl Check {
    fn new() -> Self {
        Self { failures: Vec::new(), tried: BTreeSet::new() }
    }

    fn said(&mut self, writes: &[(u16, u32)], method: u16, field: &str, expected: &str) {
        let row = METHODS.iter().find(|row| {
            (0..row.count).any(|n| (row.offset + n * row.stride..row.offset + n * row.stride + 4).contains(&method))
        });
        let row = row.expect("a method");
        self.tried.insert(row.offset);
        let name = format!("NV097_{}{field}", row.name);
        self.failures.extend(missing(&with(writes), &name, expected));
    }
}

#[test]
fn every_method_of_state_is_said_or_known_to_be_gone() {
    let mut check = Check::new();
    for (method, gates, value, field, expected) in CASES {
        check.said(&[*gates, &[(*method, *value)]].concat(), *method, field, expected);
    }
    for (method, gates) in SWITCHES {
        let all = [0, 1].map(|value| [*gates, &[(*method, value)]].concat());
        check.said(&all[0], *method, "", "V_FALSE");
        check.said(&all[1], *method, "", "V_TRUE");
        // A note may say either; the value is another one.
        let name = format!("NV097_{}", METHODS.iter().find(|row| row.offset == *method).expect("a method").name);
        let values = all.map(|writes| -> Vec<String> {
            with(&writes).into_iter().filter(|term| term.name == name).map(|term| term.value).collect()
        });
        if values[0] == values[1] {
            check.failures.push(format!("{name} is {:?} either way", values[0]));
        }
    }
    let row = |method: u16| METHODS.iter().find(|row| row.offset == method).expect("a method");
    let instance = |method: u16, n: u16| if row(method).count > 1 { format!("[{n}]") } else { String::new() };
    for (method, gates) in WORDS {
        for n in 0..row(*method).count {
            let (at, value) = (method + n * row(*method).stride, 0x1021_3040 + u32::from(n) * 0x0101_0101);
            check.said(&[*gates, &[(at, value)]].concat(), at, &instance(*method, n), &format!("{value:#010x}"));
        }
    }
    for (method, words) in FLOATS {
        for n in 0..row(*method).count {
            let at = method + n * row(*method).stride;
            let floats: Vec<f32> = (0..*words).map(|word| f32::from(n) + f32::from(word) / 8.0 + 0.0625).collect();
            let values = floats.iter().zip(0..).map(|(float, word)| (at + 4 * word, f(*float)));
            let all = [LIT, &values.collect::<Vec<_>>()].concat();
            let said: Vec<String> = floats.iter().map(|float| format!("{float:?}")).collect();
            check.said(&all, at, &instance(*method, n), &said.join(", "));
        }
    }
    for (method, field) in [(m::SET_SPECULAR_PARAMS, ""), (m::SET_SPECULAR_PARAMS_BACK, "")] {
        for half in [0, 1] {
            let at = method + 12 * half;
            let writes = [LIT, &[(at, f(0.5)), (at + 4, f(1.5)), (at + 8, f(2.5))]].concat();
            let words = format!("{field} words {} to {}", 3 * half, 3 * half + 2);
            check.said(&writes, method, &words, "0.5, 1.5, 2.5");
        }
    }
    for stage in 0..4 {
        for (coordinate, method) in
            [m::SET_TEXGEN_S, m::SET_TEXGEN_T, m::SET_TEXGEN_R, m::SET_TEXGEN_Q].iter().enumerate()
        {
            for (value, name) in afterimage_nv2a_types::enums::TEXGEN {
                let fits = match value {
                    0x2402 => coordinate < 2,
                    0x8511 | 0x8512 => coordinate < 3,
                    value => *value != 0,
                };
                if fits {
                    let expected = format!("{value:#x} ({name})");
                    check.said(
                        &[(method + 0x10 * stage, *value)],
                        method + 0x10 * stage,
                        &format!("[{stage}]"),
                        &expected,
                    );
                }
            }
        }
        for (value, expected) in [(0, "V_FALSE"), (1, "V_TRUE")] {
            let at = m::SET_TEXTURE_MATRIX_ENABLE + 4 * stage;
            check.said(&[(at, value)], at, &format!("[{stage}]"), expected);
        }
    }
    for n in 0..8 {
        for (method, value) in
            [(m::SET_WINDOW_CLIP_HORIZONTAL, 50 << 16 | 10), (m::SET_WINDOW_CLIP_VERTICAL, 40 << 16 | 20)]
        {
            check.said(&[(method, value)], method + 4 * n, &format!("[{n}]"), &format!("{value:#010x}"));
        }
        let rows = [0x8000_0001, 0x4000_0002, 0x2000_0004, 0x1000_0008u32];
        let writes: Vec<_> =
            rows.iter().zip(0..).map(|(row, word)| (m::SET_STIPPLE_PATERN_0 + 16 * n + 4 * word, *row)).collect();
        let said: Vec<String> = rows.iter().map(|row| format!("{row:#010x}")).collect();
        let words = format!(" words {} to {}", 4 * n, 4 * n + 3);
        check.said(&writes, m::SET_STIPPLE_PATERN_0, &words, &said.join(", "));
    }
    let Check { mut failures, tried } = check;
    for row in METHODS.iter().filter(|row| matches!(row.what, What::State(_) | What::Drawn)) {
        let unsaid = UNSAID.iter().any(|(method, _)| *method == row.offset);
        let known = tried.contains(&row.offset) || ELSEWHERE.contains(&row.offset) || is_of_primitives(row.offset);
        if known == unsaid {
            let what = if known { "is said, and listed as unsaid" } else { "is not tried" };
            failures.push(format!("{} {what}", row.name));
        }
    }
    report(failures);
}

/// Those that take points or lines to be drawn.
fn is_of_primitives(method: u16) -> bool {
    matches!(method, m::SET_POINT_SMOOTH_ENABLE | m::SET_LINE_SMOOTH_ENABLE | m::SET_POLY_SMOOTH_ENABLE)
}

#[test]
fn what_is_drawn_decides_what_is_smoothed() {
    let mut failures = Vec::new();
    let mut check = |kind, method: u16, said: &str| {
        for (value, expected) in [(0, "V_FALSE"), (1, "V_TRUE")] {
            let mut rig = Rig::new();
            // The program leaves corners where they are. Without anti-aliasing edges may be smoothed.
            for (method, value) in [
                (m::SET_TRANSFORM_EXECUTION_MODE, 6),
                (m::SET_LINE_WIDTH, 8),
                (m::SET_ANTI_ALIASING_CONTROL, 0xFFFF_0000),
                (method, value),
            ] {
                rig.kelvin.registers.set(method, value);
            }
            let terms = rig.draw_as(kind);
            match (value, said == "NV097_SET_POINT_SMOOTH_ENABLE") {
                (0, false) => assert!(!terms.iter().any(|term| term.name == said), "{said} is off"),
                _ => failures.extend(missing(&terms, said, expected)),
            }
        }
    };
    check(PrimitiveKind::Points, m::SET_POINT_SMOOTH_ENABLE, "NV097_SET_POINT_SMOOTH_ENABLE");
    check(PrimitiveKind::Lines, m::SET_LINE_SMOOTH_ENABLE, "NV097_SET_LINE_SMOOTH_ENABLE");
    // Of polygons the note says it.
    check(PrimitiveKind::Triangles, m::SET_POLY_SMOOTH_ENABLE, "NV097_SET_LINE_SMOOTH_ENABLE");
    report(failures);
}

#[test]
fn constants_of_programs_are_said_by_their_numbers() {
    let mut failures = Vec::new();
    for slot in [0usize, 58, 96, 191] {
        let mut rig = Rig::new();
        rig.kelvin.registers.set(m::SET_TRANSFORM_EXECUTION_MODE, 6);
        rig.kelvin.registers.set_constants(slot, 0, &[0.5, 1.5, 2.5, 3.5].map(f));
        let name = format!("NV097_SET_TRANSFORM_CONSTANT c[{}]", slot as i32 - 96);
        failures.extend(missing(&rig.draw(), &name, "0.5, 1.5, 2.5, 3.5"));
    }
    report(failures);
}

/// Names are those of methods, and none says that a state is two things.
#[test]
fn names_are_those_of_methods() {
    let on: Vec<(u16, u32)> = SWITCHES.iter().map(|(method, _)| (*method, 1)).collect();
    let mut all: Vec<Vec<Term>> = vec![with(&[]), with(&on), with(DOTS), with(BUMP), with(SHADOW), with(KEYED)];
    let mut rig = Rig::new();
    rig.kelvin.registers.set(m::SET_TRANSFORM_EXECUTION_MODE, 6);
    all.push(rig.draw());
    let mut failures = BTreeSet::new();
    for term in all.iter().flatten() {
        let name = term.name.strip_prefix("NV097_").unwrap_or("?");
        let name = name.split(['[', '.', ' ']).next().unwrap_or_default();
        if !METHODS.iter().any(|row| row.name == name) {
            failures.insert(format!("{} is no method", term.name));
        }
    }
    for terms in &all {
        for term in terms {
            let other = terms.iter().find(|other| other.name == term.name && other.value != term.value);
            let notes = |other: &Term| !other.note.is_empty() || !term.note.is_empty();
            if let Some(other) = other.filter(|other| !notes(other)) {
                failures.insert(format!("{} is {} and {}", term.name, term.value, other.value));
            }
        }
    }
    report(failures.into_iter().collect());
}
