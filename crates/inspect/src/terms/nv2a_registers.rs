//! The NV2A, registers of the banks whose layout is ours: the methods that fill them, and what these were given.

use super::nv2a::{decimal, method};
use super::*;
use afterimage_shader_nv2a::banks::{Bank, FixedRegister, ScreenRegister};
use afterimage_shader_nv2a::pixel::{self, PixelRegister};

/// What a register tells of a method, without `NV097_`. No value where it does not tell.
type Part = (String, Option<String>, &'static str);

type Register = [u32; 4];

/// What the register's layout of a bank says.
type Layout<T> = &'static [(T, u16, u16, u16)];

fn floats(value: &[u32]) -> Option<String> {
    let words: Vec<String> = value.iter().map(|word| format!("{:?}", f32::from_bits(*word))).collect();
    Some(words.join(", "))
}

/// A word 0xAARRGGBB.
fn color(value: Register) -> Option<String> {
    Some(format!("{:#010x}", argb(value.map(f32::from_bits))))
}

/// A word 0xAABBGGRR.
fn color_abgr([red, green, blue, alpha]: Register) -> Option<String> {
    color([blue, green, red, alpha])
}

fn truth(on: bool) -> Option<String> {
    Some((if on { "V_TRUE" } else { "V_FALSE" }).to_owned())
}

fn part(method: impl Into<String>, value: Option<String>) -> Part {
    (method.into(), value, "")
}

/// Adds what the registers of a bank tell. Those that are zero are as they come, and are left out unless `zeros` is set.
fn bank<T: Copy>(
    state: &State,
    bank: Bank,
    group: &'static str,
    (layout, zeros): (Layout<T>, bool),
    parts: impl Fn(T, u16, Register) -> Vec<Part>,
    out: &mut Vec<Term>,
) {
    let registers = state.bank(bank as usize);
    for (entry, first, stride, count) in layout {
        for element in 0..*count {
            let at = first + element * stride;
            let Some(value) = registers.get(usize::from(at)).filter(|value| zeros || **value != [0; 4]) else {
                continue;
            };
            for (method, value, note) in parts(*entry, element, *value) {
                let Some(value) = value else { continue };
                let host = format!("{}[{at}]", afterimage_stream::Bank::ALL[bank as usize].name());
                let (name, note) = (format!("NV097_{method}").into(), note.into());
                out.push(Term { group: group.into(), name, value, note, host: host.into() });
            }
        }
    }
}

/// What fixed function lights with.
pub(super) fn lighting(state: &State, out: &mut Vec<Term>) {
    bank(state, Bank::Fixed, "Lighting", (FixedRegister::TABLE, false), fixed, out);
}

fn fixed(entry: FixedRegister, n: u16, value: Register) -> Vec<Part> {
    use FixedRegister as R;
    let last = floats(&value[3..]);
    let rounded = |method: &str| {
        let note = "with the 13 bits of fraction that the lighting unit has";
        (method.to_owned(), floats(&value[..3]), note)
    };
    let of_light = |method: &str| rounded(&format!("{method}[{n}]"));
    // Of colours of lights, front and back take turns.
    let of_face = |color: &str| {
        let back = if n.is_multiple_of(2) { "" } else { "BACK_" };
        vec![rounded(&format!("SET_{back}LIGHT_{color}_COLOR[{}]", n / 2))]
    };
    match (entry, n) {
        (R::SceneAmbient, 0) => {
            vec![rounded(method!(SET_SCENE_AMBIENT_COLOR)), part(method!(SET_MATERIAL_ALPHA), last)]
        }
        (R::SceneAmbient, _) => {
            vec![rounded(method!(SET_BACK_SCENE_AMBIENT_COLOR)), part(method!(SET_BACK_MATERIAL_ALPHA), last)]
        }
        (R::MaterialEmission, 0) => vec![rounded(method!(SET_MATERIAL_EMISSION))],
        (R::MaterialEmission, _) => vec![rounded(method!(SET_BACK_MATERIAL_EMISSION))],
        (R::SpecularParams, 0) => vec![rounded(method!(SET_SPECULAR_PARAMS "words 0 to 2"))],
        (R::SpecularParams, 1) => vec![rounded(method!(SET_SPECULAR_PARAMS "words 3 to 5"))],
        (R::SpecularParams, 2) => vec![rounded(method!(SET_SPECULAR_PARAMS_BACK "words 0 to 2"))],
        (R::SpecularParams, _) => vec![rounded(method!(SET_SPECULAR_PARAMS_BACK "words 3 to 5"))],
        (R::EyeDirection, _) => vec![rounded(method!(SET_EYE_DIRECTION))],
        (R::LightAmbient, _) => of_face("AMBIENT"),
        (R::LightDiffuse, _) => of_face("DIFFUSE"),
        (R::LightSpecular, _) => of_face("SPECULAR"),
        (R::LightHalfVector, _) => vec![of_light(method!(SET_LIGHT_INFINITE_HALF_VECTOR))],
        (R::LightDirection, _) => vec![of_light(method!(SET_LIGHT_INFINITE_DIRECTION))],
        (R::LightPosition, _) => vec![
            part(format!("{}[{n}]", method!(SET_LIGHT_LOCAL_POSITION)), floats(&value[..3])),
            part(format!("{}[{n}]", method!(SET_LIGHT_LOCAL_RANGE)), last),
        ],
        (R::LightAttenuation, _) => vec![of_light(method!(SET_LIGHT_LOCAL_ATTENUATION))],
        (R::LightSpotFalloff, _) => vec![of_light(method!(SET_LIGHT_SPOT_FALLOFF))],
        (R::LightSpotDirection, _) => vec![part(format!("{}[{n}]", method!(SET_LIGHT_SPOT_DIRECTION)), floats(&value))],
    }
}

/// What is between the vertex engine and the rasteriser.
pub(super) fn screen(state: &State, out: &mut Vec<Term>) {
    bank(state, Bank::Screen, "Screen", (ScreenRegister::TABLE, true), screen_parts, out);
}

fn screen_parts(entry: ScreenRegister, _: u16, value: Register) -> Vec<Part> {
    use ScreenRegister as R;
    let [x, y, z, w] = value.map(f32::from_bits);
    let float = |value: f32| Some(format!("{value:?}"));
    // A plane that cuts nothing.
    let nowhere = [x, y, z, w] == [0.0, 0.0, 1.0, 0.0];
    match entry {
        R::Scale => vec![part(method!(SET_CONTROL0.TEXTURE_PERSPECTIVE_ENABLE), truth(w == 0.0))],
        R::Near => vec![
            (
                method!(SET_ZMIN_MAX_CONTROL.ZCLAMP_EN).into(),
                Some(if nowhere { decimal!(ZCLAMP::CLAMP) } else { decimal!(ZCLAMP::CULL) }),
                if nowhere { "or CULL (0), where NV097_SET_CLIP_MIN is lower than anything" } else { "" },
            ),
            part(method!(SET_CONTROL0.Z_PERSPECTIVE_ENABLE), if nowhere { None } else { truth(x == 0.0) }),
        ],
        R::Reject => vec![part(method!(SET_ZMIN_MAX_CONTROL.CULL_NEAR_FAR_EN), truth([x, y] != [f32::MIN, f32::MAX]))],
        R::SpecularScale => {
            let alpha = if w != 0.0 { ("1", "") } else { ("0", "or 1 without NV097_SET_SPECULAR_ENABLE") };
            vec![
                part(method!(SET_SPECULAR_ENABLE), truth(x != 0.0)),
                (method!(SET_LIGHT_CONTROL.ALPHA_FROM_MATERIAL_SPECULAR).into(), Some(alpha.0.to_owned()), alpha.1),
            ]
        }
        R::PointSize => vec![
            (method!(SET_POINT_SIZE).into(), Some(format!("{:#x}", (x * 8.0) as u32)), "eighths of a pixel"),
            part(method!(SET_POINT_PARAMS_ENABLE), truth(y != 0.0)),
        ],
        R::PointFactors => vec![
            part(method!(SET_POINT_PARAMS), float(x)),
            part(method!(SET_POINT_PARAMS_SCALE_FACTOR_B), float(y)),
            part(method!(SET_POINT_PARAMS_SCALE_FACTOR_C), float(z)),
        ],
        R::PointRange => vec![
            part(method!(SET_POINT_PARAMS_SIZE_RANGE), float(x)),
            part(method!(SET_POINT_PARAMS_SCALE_BIAS), float(y)),
            part(method!(SET_POINT_PARAMS_MIN_SIZE), float(z)),
        ],
        // What the viewport, the shade model and the registers beside them say already.
        R::Bias | R::Far | R::SpecularBias | R::Carried => Vec::new(),
    }
}

/// What the combiners and the texture shader read, where `key` is what they do.
pub(super) fn pixels(state: &State, key: &pixel::Key, out: &mut Vec<Term>) {
    let registers = state.bank(Bank::Pixel as usize);
    let of = |register: u16| registers.get(usize::from(register)).copied().unwrap_or_default();
    let parts = |entry: PixelRegister, n: u16, value: Register| {
        use PixelRegister as R;
        let stage = key.stages.get(usize::from(n));
        let [x, y, z, w] = value;
        let one = |method: &str, said| vec![part(format!("{method}[{n}]"), said)];
        match entry {
            R::Factor0 => one(method!(SET_COMBINER_FACTOR0), color(value)),
            R::Factor1 => one(method!(SET_COMBINER_FACTOR1), color(value)),
            R::FinalFactor => one(method!(SET_SPECULAR_FOG_FACTOR), color(value)),
            R::FogColor => vec![part(method!(SET_FOG_COLOR), color_abgr(value))],
            R::FogParams => {
                vec![(method!(SET_FOG_PARAMS).into(), floats(&value[..2]), "the first two words, which count")]
            }
            R::AlphaReference => vec![part(method!(SET_ALPHA_REF), Some(format!("{:#x}", f32::from_bits(x) as u32)))],
            R::EyeVector => vec![part(method!(SET_EYE_VECTOR), floats(&value[..3]))],
            R::BumpMatrix => one(method!(SET_TEXTURE_SET_BUMP_ENV_MAT), floats(&value)),
            R::BumpLuminance => vec![
                part(format!("{}[{n}]", method!(SET_TEXTURE_SET_BUMP_ENV_SCALE)), floats(&[x])),
                part(format!("{}[{n}]", method!(SET_TEXTURE_SET_BUMP_ENV_OFFSET)), floats(&[y])),
            ],
            R::TexelSize if stage.is_some_and(|stage| stage.shape != 0) => {
                sizes(n, of(R::CoordinateScale.element(n)), of(R::CoordinateOffset.element(n)), value)
            }
            R::ColorKey if stage.is_some_and(|stage| stage.has(pixel::StageKey::COLOR_KEY)) => {
                vec![(
                    format!("{}[{n}]", method!(SET_COLOR_KEY_COLOR)),
                    Some(format!("{x:#010x}")),
                    "as a texel of A8R8G8B8",
                )]
            }
            R::WindowClip => {
                let word = |first: u32, end: u32| Some(format!("{:#010x}", end.wrapping_sub(1) << 16 | first));
                let note = "in samples of the surface";
                vec![
                    (format!("{}[{n}]", method!(SET_WINDOW_CLIP_HORIZONTAL)), word(x, z), note),
                    (format!("{}[{n}]", method!(SET_WINDOW_CLIP_VERTICAL)), word(y, w), note),
                ]
            }
            R::Stipple => {
                let rows = format!("{x:#010x}, {y:#010x}, {z:#010x}, {w:#010x}");
                vec![part(format!("{} words {} to {}", method!(SET_STIPPLE_PATERN_0), 4 * n, 4 * n + 3), Some(rows))]
            }
            R::DepthOffset if key.has(pixel::Key::OFFSET) => vec![
                part(method!(SET_POLYGON_OFFSET_BIAS), floats(&[x])),
                part(method!(SET_POLYGON_OFFSET_SCALE_FACTOR), floats(&[y])),
            ],
            // Of stages and offsets that are off; and what the size of texels says already.
            R::TexelSize | R::ColorKey | R::DepthOffset | R::CoordinateScale | R::CoordinateOffset => Vec::new(),
        }
    };
    bank(state, Bank::Pixel, "Pixel registers", (PixelRegister::TABLE, false), parts, out);
}

/// The size of a stage's texture: in texels, or as powers of two, then with where its border is from.
fn sizes(n: u16, scale: Register, offset: Register, texel: Register) -> Vec<Part> {
    let [scale, texel] = [scale, texel].map(|register| register.map(f32::from_bits));
    let size = |axis: usize| (scale[axis] / texel[axis]).round() as u32;
    if scale[..2] == texel[..2] && scale[..2] != [1.0, 1.0] {
        let [width, height] = [0, 1].map(|axis: usize| (1.0 / texel[axis]).round() as u32);
        let note = "or a power of two in NV097_SET_TEXTURE_FORMAT, of one texel";
        return vec![(
            format!("{}[{n}]", method!(SET_TEXTURE_IMAGE_RECT)),
            Some(format!("{:#010x}", width << 16 | height)),
            note,
        )];
    }
    let mut parts: Vec<Part> = ["U", "V", "P"]
        .iter()
        .enumerate()
        .map(|(axis, letter)| {
            let log = size(axis).max(1).ilog2();
            part(format!("SET_TEXTURE_FORMAT[{n}].BASE_SIZE_{letter}"), Some(format!("{log}")))
        })
        .collect();
    let border = if offset[..3] == [0; 3] { decimal!(BORDER_SOURCE::COLOR) } else { decimal!(BORDER_SOURCE::TEXTURE) };
    parts.push(part(format!("{}[{n}].BORDER_SOURCE", method!(SET_TEXTURE_FORMAT)), Some(border)));
    parts
}
