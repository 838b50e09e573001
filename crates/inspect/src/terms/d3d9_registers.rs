//! Direct3D 9, registers of the fixed stages: the states, material, lights and matrices that they are computed from.

use super::d3d9::{constant, member};
use super::*;
use afterimage_shader_d3d9::ffp::{FixedPixelKey, FixedVertexKey};
use afterimage_shader_d3d9::{Bank, FixedPixelRegister, FixedVertexRegister};

/// What a register tells of a state: its name, its value, and what else is to be said.
type Part = (String, String, &'static str);

type Register = [u32; 4];

/// Of matrices, whose registers say products.
const ROWS: u16 = 4;

fn float(word: u32) -> String {
    format!("{:?}", f32::from_bits(word))
}

fn floats(words: &[u32]) -> String {
    words.iter().map(|word| float(*word)).collect::<Vec<_>>().join(", ")
}

/// A colour as the word that was set.
fn color(value: Register) -> String {
    format!("{:#010x}", argb(value.map(f32::from_bits)))
}

fn part(name: impl Into<String>, value: String) -> Part {
    (name.into(), value, "")
}

/// Adds what registers tell, but for those that are zero, which is how they come. Registers are of an element of an entry and a row in it.
fn bank<T: Copy>(
    state: &State,
    bank: Bank,
    group: &'static str,
    layout: &[(T, u16, u16, u16)],
    parts: impl Fn(T, u16, u16, Register) -> Vec<Part>,
    out: &mut Vec<Term>,
) {
    let registers = state.bank(bank as usize);
    for (entry, first, stride, count) in layout {
        // Lights are eight registers apart, of which each entry has one.
        let rows = if *stride > ROWS { 1 } else { *stride };
        for (element, row) in (0..*count).flat_map(|element| (0..rows).map(move |row| (element, row))) {
            let at = first + element * stride + row;
            let Some(value) = registers.get(usize::from(at)).filter(|value| **value != [0; 4]) else { continue };
            let host = format!("{}[{at}]", afterimage_stream::Bank::ALL[bank as usize].name());
            out.extend(parts(*entry, element, row, *value).into_iter().map(|(name, value, note)| Term {
                group: group.into(),
                name: name.into(),
                value,
                note: note.into(),
                host: host.clone().into(),
            }));
        }
    }
}

/// What the fixed vertex stage of a key reads.
pub(super) fn vertices(state: &State, key: &FixedVertexKey, out: &mut Vec<Term>) {
    use FixedVertexRegister as R;
    let parts = |entry: R, n: u16, row: u16, value: Register| {
        let [x, y, z, w] = value;
        let matrix = |name: String| vec![part(format!("{name}[{row}]"), floats(&value))];
        let of_material = |name: &str| vec![part(name, floats(&value))];
        let light = |name: &str, value: String| part(format!("{name} of light {n}"), value);
        // The cosine of half of it is kept.
        let angle = |cosine: u32| format!("{:.4}", 2.0 * f32::from_bits(cosine).clamp(-1.0, 1.0).acos());
        match entry {
            R::WorldViewProjection => matrix("D3DTS_WORLD * D3DTS_VIEW * D3DTS_PROJECTION".into()),
            R::WorldView => matrix("D3DTS_WORLD * D3DTS_VIEW".into()),
            R::Projection => matrix(constant!(D3DTS_PROJECTION).into()),
            R::TextureMatrix => matrix(format!("D3DTS_TEXTURE{n}")),
            R::BlendWorldView => matrix(format!("D3DTS_WORLD{} * D3DTS_VIEW", n + 1)),
            R::IndexedWorldView => matrix(format!("D3DTS_WORLDMATRIX({n}) * D3DTS_VIEW")),
            R::MaterialDiffuse => of_material(member!(D3DMATERIAL9::Diffuse)),
            R::MaterialAmbient => of_material(member!(D3DMATERIAL9::Ambient)),
            R::MaterialSpecular => of_material(member!(D3DMATERIAL9::Specular)),
            R::MaterialEmissive => of_material(member!(D3DMATERIAL9::Emissive)),
            R::MaterialPower => vec![part(member!(D3DMATERIAL9::Power), float(x))],
            R::GlobalAmbient => vec![part(constant!(D3DRS_AMBIENT), color(value))],
            R::PointSize => vec![part(constant!(D3DRS_POINTSIZE), float(x))],
            R::PointScale if key.has(FixedVertexKey::POINT_SCALE) => vec![
                part(constant!(D3DRS_POINTSCALE_A), float(x)),
                part(constant!(D3DRS_POINTSCALE_B), float(y)),
                part(constant!(D3DRS_POINTSCALE_C), float(z)),
            ],
            R::Tween if key.has(FixedVertexKey::TWEENING) => vec![part(constant!(D3DRS_TWEENFACTOR), float(x))],
            R::Fog if key.fog_mode != 0 => vec![
                part(constant!(D3DRS_FOGSTART), float(x)),
                part(constant!(D3DRS_FOGEND), float(y)),
                part(constant!(D3DRS_FOGDENSITY), float(w)),
            ],
            R::LightDiffuse => vec![light(member!(D3DLIGHT9::Diffuse), floats(&value))],
            R::LightSpecular => vec![light(member!(D3DLIGHT9::Specular), floats(&value))],
            R::LightAmbient => vec![light(member!(D3DLIGHT9::Ambient), floats(&value))],
            R::LightPosition => {
                let (name, value, _) = light(member!(D3DLIGHT9::Position), floats(&value[..3]));
                vec![(name, value, "times D3DTS_VIEW"), light(member!(D3DLIGHT9::Range), float(w))]
            }
            R::LightDirection => {
                let (name, value, _) = light(member!(D3DLIGHT9::Direction), floats(&value[..3]));
                vec![(name, value, "times D3DTS_VIEW, with length 1"), light(member!(D3DLIGHT9::Falloff), float(w))]
            }
            R::LightAttenuation => {
                vec![
                    light(member!(D3DLIGHT9::Attenuation0), float(x)),
                    light(member!(D3DLIGHT9::Attenuation1), float(y)),
                    light(member!(D3DLIGHT9::Attenuation2), float(z)),
                ]
            }
            R::LightSpot => vec![light(member!(D3DLIGHT9::Theta), angle(x)), light(member!(D3DLIGHT9::Phi), angle(y))],
            // Of states that are off; and what follows from others.
            R::PointScale | R::Tween | R::Fog => Vec::new(),
            R::Normal | R::ViewportScale | R::ViewportOffset | R::WindowScale | R::WindowOffset => Vec::new(),
        }
    };
    bank(state, Bank::FixedVertex, "Fixed vertex constants", FixedVertexRegister::TABLE, parts, out);
}

/// What the fixed pixel stage of a key reads.
pub(super) fn pixels(state: &State, key: &FixedPixelKey, out: &mut Vec<Term>) {
    use FixedPixelRegister as R;
    let parts = |entry: R, n: u16, _: u16, value: Register| {
        // Stages behind the last are all zero.
        let runs = key.stages.get(usize::from(n)).is_some_and(|stage| stage.color_op > 1);
        let state = |name: &str, value: String| part(format!("{name} of stage {n}"), value);
        match entry {
            R::TextureFactor => vec![part(constant!(D3DRS_TEXTUREFACTOR), color(value))],
            _ if !runs => Vec::new(),
            R::StageConstant => vec![state(constant!(D3DTSS_CONSTANT), color(value))],
            R::BumpMatrix => {
                let names = [
                    constant!(D3DTSS_BUMPENVMAT00),
                    constant!(D3DTSS_BUMPENVMAT01),
                    constant!(D3DTSS_BUMPENVMAT10),
                    constant!(D3DTSS_BUMPENVMAT11),
                ];
                names.iter().zip(value).map(|(name, word)| state(name, float(word))).collect()
            }
            R::BumpLuminance => {
                vec![
                    state(constant!(D3DTSS_BUMPENVLSCALE), float(value[0])),
                    state(constant!(D3DTSS_BUMPENVLOFFSET), float(value[1])),
                ]
            }
        }
    };
    bank(state, Bank::FixedPixel, "Fixed pixel constants", FixedPixelRegister::TABLE, parts, out);
}
