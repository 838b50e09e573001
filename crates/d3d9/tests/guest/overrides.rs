//! What the user wants goes before what the program says.

use crate::common::{Rig, assemble};
use afterimage_config::Settings;
use afterimage_d3d9::{Error, Surface};
use afterimage_d3d9_types::*;

fn rig(text: &str) -> Rig {
    let settings = Settings::of_text("game.exe", std::path::Path::new("f"), text);
    assert_eq!(settings.problems, []);
    let mut rig = Rig::new();
    rig.device.set_wishes(&settings);
    rig
}

/// Binds a filled texture with mip maps and a buffer, for draws that read both.
fn scene(rig: &mut Rig) {
    let d = &mut rig.device;
    let texture = d.create_texture(4, 4, 3, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED).unwrap();
    d.lock_surface(Surface::of(texture), None, 0).unwrap();
    d.unlock_surface(Surface::of(texture)).unwrap();
    let buffer = d.create_vertex_buffer(256, 0, 0, D3DPOOL_DEFAULT).unwrap();
    d.set_fvf(D3DFVF_XYZ | D3DFVF_TEX1).unwrap();
    d.set_stream_source(0, Some(buffer), 0, 20).unwrap();
    d.set_texture(0, Some(texture)).unwrap();
    for (state, value) in [
        (D3DSAMP_MINFILTER, D3DTEXF_LINEAR),
        (D3DSAMP_MAGFILTER, D3DTEXF_LINEAR),
        (D3DSAMP_MIPFILTER, D3DTEXF_LINEAR),
        (D3DSAMP_MIPMAPLODBIAS, 0.5f32.to_bits()),
    ] {
        d.set_sampler_state(0, state, value).unwrap();
    }
}

fn with(rig: &mut Rig, start: &str) -> Vec<String> {
    rig.packets().into_iter().filter(|line| line.starts_with(start)).collect()
}

/// The sampler that a draw of the scene uses.
fn sampler(text: &str) -> String {
    let mut rig = rig(text);
    scene(&mut rig);
    rig.device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    let sampler = with(&mut rig, "CreateSampler").pop().unwrap();
    rig.check();
    sampler
}

#[test]
fn samplers() {
    let plain = sampler("");
    assert!(plain.contains("lod_bias: 0.5,") && plain.contains("max_anisotropy: 1.0"), "{plain}");
    let forced = sampler("force_anisotropy = 8\nlod_bias = -1\n");
    assert!(forced.contains("lod_bias: -0.5,") && forced.contains("max_anisotropy: 8.0"), "{forced}");
}

#[test]
fn an_anisotropy_of_one_is_none() {
    for (text, anisotropy) in [("", "max_anisotropy: 8.0"), ("force_anisotropy = 1\n", "max_anisotropy: 1.0")] {
        let mut rig = rig(text);
        scene(&mut rig);
        for (state, value) in [(D3DSAMP_MINFILTER, D3DTEXF_ANISOTROPIC), (D3DSAMP_MAXANISOTROPY, 8)] {
            rig.device.set_sampler_state(0, state, value).unwrap();
        }
        rig.device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
        let sampler = with(&mut rig, "CreateSampler").pop().unwrap();
        assert!(sampler.contains(anisotropy), "{text}{sampler}");
        rig.check();
    }
}

#[test]
fn the_interval_of_presents() {
    let interval = |text: &str| {
        let mut rig = rig(text);
        rig.present().unwrap();
        let said = with(&mut rig, "Present ").pop().unwrap();
        said.split("interval: ").nth(1).unwrap().split([',', ' ']).next().unwrap().to_owned()
    };
    assert_eq!((interval("").as_str(), interval("present_interval = off\n").as_str()), ("1", "0"));
    assert_eq!(interval("present_interval = three\n"), "3");
}

#[test]
fn managed_textures_are_sent_anew() {
    let mut rig = rig("texture_refresh_frames = 2\n");
    scene(&mut rig);
    let mut sent = Vec::new();
    for _ in 0..5 {
        rig.device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
        rig.present().unwrap();
        sent.push(!with(&mut rig, "UpdateTexture").is_empty());
    }
    assert_eq!(sent, [true, false, true, false, true]);
    rig.check();
}

#[test]
fn a_reset_may_be_let_pass() {
    for (text, answer) in [("", Err(Error::InvalidCall)), ("strict_reset = off\n", Ok(()))] {
        let mut rig = rig(text);
        let held = rig.device.create_vertex_buffer(256, 0, 0, D3DPOOL_DEFAULT).unwrap();
        assert_eq!(rig.device.reset(&mut Rig::parameters(TRUE), Rig::window()), answer);
        // It is as good as before.
        rig.device.set_stream_source(0, Some(held), 0, 20).unwrap();
        rig.check();
    }
}

#[test]
fn draws_without_a_stream_may_be_refused() {
    for (text, answer) in [("", Ok(())), ("guard_draws = on\n", Err(Error::InvalidCall))] {
        let mut rig = rig(text);
        scene(&mut rig);
        rig.device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
        rig.device.set_stream_source(0, None, 0, 0).unwrap();
        for _ in 0..2 {
            assert_eq!(rig.device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1), answer);
        }
        // Vertices in the program's memory need no buffer.
        rig.device.draw_primitive_up(D3DPT_TRIANGLELIST, 1, &[0; 60], 20).unwrap();
        rig.check();
    }
}

#[test]
fn memory_and_shader_model() {
    let mut rig = rig("vram_mb = 64\nshader_model = 2\n");
    assert!(rig.device.available_texture_memory() <= 64 << 20);
    assert!(rig.device.available_texture_memory() > 32 << 20);
    assert_eq!(rig.device.create_pixel_shader(&assemble("ps_3_0\nmov oC0, c0")).unwrap_err(), Error::InvalidCall);
    assert!(rig.device.create_pixel_shader(&assemble("ps_2_0\nmov oC0, c0")).is_ok());
}

#[test]
fn wishes_that_change_reach_samplers_that_are_bound() {
    let mut rig = rig("");
    scene(&mut rig);
    rig.device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    rig.packets();
    let settings = Settings::of_text("game.exe", std::path::Path::new("f"), "force_anisotropy = 8");
    rig.device.set_wishes(&settings);
    rig.device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    let made = with(&mut rig, "CreateSampler");
    assert!(made.len() == 1 && made[0].contains("max_anisotropy: 8.0"), "{made:?}");
}
