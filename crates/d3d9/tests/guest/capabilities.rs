//! What the capabilities claim is so: each bit has a row in `adapter/claims.rs`, and what the row says shows here.

use crate::common::{self, Rig};
use afterimage_d3d9::claims::{CLAIMS, Claim, ReadBy};
use afterimage_d3d9::*;
use afterimage_d3d9_types::*;
use std::collections::HashMap;

/// The fields of bits. Those for cubes and volumes are as those for other textures.
fn fields(caps: &D3DCAPS9) -> Vec<(&'static str, u32)> {
    assert_eq!(caps.CubeTextureFilterCaps, caps.TextureFilterCaps);
    assert_eq!(caps.VolumeTextureFilterCaps, caps.TextureFilterCaps);
    assert_eq!(caps.VolumeTextureAddressCaps, caps.TextureAddressCaps);
    vec![
        ("Caps", caps.Caps),
        ("Caps2", caps.Caps2),
        ("Caps3", caps.Caps3),
        ("PresentationIntervals", caps.PresentationIntervals),
        ("CursorCaps", caps.CursorCaps),
        ("DevCaps", caps.DevCaps),
        ("PrimitiveMiscCaps", caps.PrimitiveMiscCaps),
        ("RasterCaps", caps.RasterCaps),
        ("ZCmpCaps", caps.ZCmpCaps),
        ("SrcBlendCaps", caps.SrcBlendCaps),
        ("DestBlendCaps", caps.DestBlendCaps),
        ("AlphaCmpCaps", caps.AlphaCmpCaps),
        ("ShadeCaps", caps.ShadeCaps),
        ("TextureCaps", caps.TextureCaps),
        ("TextureFilterCaps", caps.TextureFilterCaps),
        ("StretchRectFilterCaps", caps.StretchRectFilterCaps),
        ("VertexTextureFilterCaps", caps.VertexTextureFilterCaps),
        ("TextureAddressCaps", caps.TextureAddressCaps),
        ("LineCaps", caps.LineCaps),
        ("StencilCaps", caps.StencilCaps),
        // The low bits are a number.
        ("FVFCaps", caps.FVFCaps & !D3DFVFCAPS_TEXCOORDCOUNTMASK),
        ("TextureOpCaps", caps.TextureOpCaps),
        ("VertexProcessingCaps", caps.VertexProcessingCaps),
        ("DevCaps2", caps.DevCaps2),
        ("DeclTypes", caps.DeclTypes),
        ("VS20Caps", caps.VS20Caps.Caps),
        ("PS20Caps", caps.PS20Caps.Caps),
    ]
}

fn rows() -> impl Iterator<Item = (&'static str, &'static Claim)> {
    CLAIMS.iter().flat_map(|(field, claims)| claims.iter().map(|claim| (*field, claim)))
}

#[test]
fn every_bit_has_its_row() {
    let desktop = D3DDISPLAYMODE { Width: 640, Height: 480, RefreshRate: 60, Format: D3DFMT_X8R8G8B8 };
    let caps = Adapter::new(common::info(), desktop).caps(D3DDEVTYPE_HAL).unwrap();
    let mut claimed: HashMap<&str, u32> = HashMap::new();
    for (field, claim) in rows() {
        let bits = claimed.entry(field).or_default();
        assert_eq!(*bits & claim.bit, 0, "{} stands there twice", claim.name);
        *bits |= claim.bit;
    }
    for (field, bits) in fields(&caps) {
        assert_eq!(bits, claimed.remove(field).unwrap_or(0), "{field}");
    }
    assert!(claimed.is_empty(), "{claimed:?}");
}

/// All that a draw sends after a change, in which every state counts: blending, tests, fog, lighting, two textures, two targets.
fn sent(change: impl FnOnce(&mut Device)) -> (Vec<String>, Vec<Vec<u8>>) {
    let mut rig = Rig::new();
    let d = &mut rig.device;
    let targets = [(); 2].map(|()| d.create_render_target(64, 48, D3DFMT_A8R8G8B8, 0, 0, false).unwrap());
    for (index, image) in targets.into_iter().enumerate() {
        d.set_render_target(index as u32, Some(Surface::of(image))).unwrap();
    }
    for (stage, format) in [D3DFMT_A8R8G8B8, D3DFMT_V8U8].into_iter().enumerate() {
        let texture = d.create_texture(16, 16, 0, 0, format, D3DPOOL_MANAGED).unwrap();
        d.set_texture(stage as u32, Some(texture)).unwrap();
    }
    for (state, value) in [
        (D3DRS_ALPHABLENDENABLE, 1),
        (D3DRS_ALPHATESTENABLE, 1),
        (D3DRS_STENCILENABLE, 1),
        (D3DRS_FOGENABLE, 1),
        (D3DRS_FOGVERTEXMODE, D3DFOG_EXP2),
        (D3DRS_SRCBLENDALPHA, D3DBLEND_DESTCOLOR),
        (D3DRS_CCW_STENCILPASS, D3DSTENCILOP_INVERT),
        (D3DRS_BLENDFACTOR, 0x1234_5678),
        (D3DRS_SHADEMODE, D3DSHADE_FLAT),
    ] {
        d.set_render_state(state, value).unwrap();
    }
    for (state, value) in [
        (D3DSAMP_MINFILTER, D3DTEXF_LINEAR),
        (D3DSAMP_MIPFILTER, D3DTEXF_LINEAR),
        (D3DSAMP_MAGFILTER, D3DTEXF_LINEAR),
        (D3DSAMP_MAXANISOTROPY, 2),
        (D3DSAMP_BORDERCOLOR, 0x1234_5678),
    ] {
        d.set_sampler_state(0, state, value).unwrap();
    }
    d.set_sampler_state(1, D3DSAMP_MINFILTER, D3DTEXF_ANISOTROPIC).unwrap();
    for (state, value) in [
        (D3DTSS_COLORARG1, D3DTA_TEXTURE),
        (D3DTSS_COLORARG2, D3DTA_DIFFUSE),
        (D3DTSS_ALPHAOP, D3DTOP_MODULATE),
        (D3DTSS_ALPHAARG1, D3DTA_TFACTOR),
    ] {
        d.set_texture_stage_state(0, state, value).unwrap();
    }
    d.set_texture_stage_state(1, D3DTSS_COLOROP, D3DTOP_ADD).unwrap();
    d.set_light(0, &D3DLIGHT9 { Type: D3DLIGHT_POINT, ..D3DLIGHT9::default() }).unwrap();
    d.enable_light(0, true).unwrap();
    d.set_scissor_rect(&RECT { left: 3, top: 3, right: 9, bottom: 9 }).unwrap();
    d.set_fvf(D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_DIFFUSE | D3DFVF_TEX1).unwrap();
    change(d);
    d.draw_primitive_up(D3DPT_TRIANGLELIST, 1, &[0; 36 * 3], 36).unwrap();
    rig.check();
    let mut log = rig.log();
    (log.take_lines(), std::mem::take(&mut log.uploads).into_iter().map(|(_, bytes)| bytes).collect())
}

/// What sets a state.
type Setting = Box<dyn FnOnce(&mut Device)>;

/// A state that a row names, and what sets it to the row's value.
fn setting(read_by: ReadBy) -> Option<(String, Setting)> {
    Some(match read_by {
        ReadBy::Render(state, value) => {
            (format!("render state {state}"), Box::new(move |d| d.set_render_state(state, value).unwrap()))
        }
        ReadBy::Sampler(state, value) => {
            let set = move |d: &mut Device| (0..2).for_each(|slot| d.set_sampler_state(slot, state, value).unwrap());
            (format!("sampler state {state}"), Box::new(set))
        }
        ReadBy::Stage(state, value) => {
            (format!("stage state {state}"), Box::new(move |d| d.set_texture_stage_state(0, state, value).unwrap()))
        }
        ReadBy::Element(kind) => {
            let set = move |d: &mut Device| {
                let element = |offset: u16, kind: u32, usage: u32| D3DVERTEXELEMENT9 {
                    Offset: offset,
                    Type: kind as u8,
                    Usage: usage as u8,
                    ..D3DVERTEXELEMENT9::default()
                };
                let place = element(0, D3DDECLTYPE_FLOAT3, D3DDECLUSAGE_POSITION);
                let elements = [place, element(12, kind, D3DDECLUSAGE_TEXCOORD), D3DDECL_END];
                let declaration = d.create_declaration(&elements).unwrap();
                d.set_vertex_declaration(Some(declaration)).unwrap();
            };
            ("element type".to_owned(), Box::new(set))
        }
        ReadBy::Function(_) | ReadBy::Shader(_) | ReadBy::Always => return None,
    })
}

#[test]
fn each_state_that_is_claimed_makes_another_draw() {
    // By state: what was sent for each of its values, and for none.
    let nothing = sent(|_| {});
    let mut seen: HashMap<String, Vec<(&str, _)>> = HashMap::new();
    for (_, claim) in rows() {
        let Some((state, set)) = setting(claim.read_by) else { continue };
        let packets = sent(set);
        let values = seen.entry(state).or_default();
        if let Some((other, _)) = values.iter().find(|(_, other)| *other == packets) {
            panic!("{} is no other draw than {other}", claim.name);
        }
        values.push((claim.name, packets));
    }
    for (state, values) in seen {
        if let [(only, packets)] = &values[..] {
            assert!(*packets != nothing, "{only}: {state} changes nothing");
        }
    }
}

#[test]
fn each_function_that_is_named_is_there() {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (_, claim) in rows() {
        let ReadBy::Function(place) = claim.read_by else { continue };
        let (file, name) = place.split_once(": ").expect(place);
        let text = std::fs::read_to_string(source.join(file)).unwrap_or_else(|error| panic!("{place}: {error}"));
        assert!(text.contains(&format!("fn {name}(")), "{}: {place}", claim.name);
    }
}

#[test]
fn each_shader_that_is_named_is_taken() {
    for (_, claim) in rows() {
        let ReadBy::Shader(text) = claim.read_by else { continue };
        let tokens = common::assemble(text);
        let d = &mut Rig::new().device;
        let taken = match text.starts_with("vs") {
            true => d.create_vertex_shader(&tokens).map(|_| ()),
            false => d.create_pixel_shader(&tokens).map(|_| ()),
        };
        assert_eq!(taken, Ok(()), "{}", claim.name);
    }
}
