//! Whatever a program passes: nothing panics, and every packet that comes of it is one that the receiver accepts.
#![forbid(unsafe_code)]

mod common;

use afterimage_d3d9::*;
use afterimage_d3d9_types::*;
use common::Rig;
use proptest::prelude::*;

/// Small numbers, flags, and anything.
fn number() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 0u32..20, 2 => (0u32..32).prop_map(|bit| 1 << bit), 1 => any::<u32>(), 1 => Just(u32::MAX)]
}

fn rect(n: &[u32]) -> RECT {
    RECT { left: n[0] as i32, top: n[1] as i32, right: n[2] as i32, bottom: n[3] as i32 }
}

fn lock(d: &mut Device, surface: Surface, area: Option<&RECT>, flags: u32) {
    if d.lock_surface(surface, area, flags).is_ok() {
        let _ = d.unlock_surface(surface);
    }
}

/// One call, chosen and fed by numbers.
fn call(rig: &mut Rig, images: &mut Vec<ImageId>, buffers: &mut Vec<BufferId>, which: u32, n: &[u32]) {
    let formats = [D3DFMT_A8R8G8B8, D3DFMT_DXT5, D3DFMT_D24S8, D3DFMT_R5G6B5, D3DFMT_L8, n[5]];
    let format = formats[n[4] as usize % formats.len()];
    let image = |index: u32| images.get(index as usize % images.len().max(1)).copied();
    let buffer = |index: u32| buffers.get(index as usize % buffers.len().max(1)).copied();
    let surface =
        |index: u32, n: &[u32]| image(index).map(|image| Surface { image, level: n[0] as u8, face: n[1] as u8 });
    // Sizes that do not ask for all of this machine's memory.
    let edge = |value: u32| if value > 4096 { u32::MAX } else { value };
    let d = &mut rig.device;
    let area = rect(&n[..4]);
    match which % 30 {
        0 => images.extend(d.create_texture(edge(n[0]), edge(n[1]), n[2], n[3], format, n[6] % 5)),
        1 => images.extend(d.create_cube_texture(edge(n[0]), n[2], n[3], format, n[6] % 5)),
        2 => images.extend(d.create_volume_texture(n[0] % 64, n[1] % 64, n[2] % 64, n[3] % 9, n[5], format, n[6] % 5)),
        3 => images.extend(d.create_render_target(edge(n[0]), edge(n[1]), format, n[2] % 18, n[3] % 4, n[6] & 1 == 1)),
        4 => images.extend(d.create_depth_stencil(edge(n[0]), edge(n[1]), format, n[2] % 18, n[3] % 4, true)),
        5 => images.extend(d.create_offscreen_plain(edge(n[0]), edge(n[1]), format, n[6] % 5)),
        6 => buffers.extend(d.create_vertex_buffer(n[0] % 70_000, n[1], n[2], n[3] % 5)),
        7 => buffers.extend(d.create_index_buffer(n[0] % 70_000, n[1], 100 + n[2] % 4, n[3] % 5)),
        8 => surface(n[7], n).into_iter().for_each(|s| lock(d, s, (n[6] & 1 == 1).then_some(&area), n[5])),
        9 => {
            let locked = buffer(n[7]).filter(|b| d.lock_buffer(*b, n[0], n[1], n[2]).is_ok());
            if let Some(b) = locked {
                let _ = d.unlock_buffer(b);
            }
        }
        10 => drop(d.set_texture(n[0], image(n[7]))),
        11 => drop(d.set_stream_source(n[0], buffer(n[7]), n[1], n[2])),
        12 => drop(d.set_indices(buffer(n[7]))),
        13 => drop(d.set_render_target(n[0] % 5, surface(n[7], &n[1..]))),
        14 => drop(d.set_depth_stencil(surface(n[7], n))),
        15 => drop(d.set_render_state(n[0], n[1])),
        16 => drop(d.set_sampler_state(n[0], n[1], n[2])),
        17 => drop(d.set_texture_stage_state(n[0], n[1], n[2])),
        18 => {
            let (min, max) = (f32::from_bits(n[4]), f32::from_bits(n[5]));
            let viewport = D3DVIEWPORT9 { X: n[0], Y: n[1], Width: n[2], Height: n[3], MinZ: min, MaxZ: max };
            let _ = d.set_viewport(&viewport);
            let _ = d.set_scissor_rect(&area);
        }
        19 => {
            let clear = D3DRECT { x1: area.left, y1: area.top, x2: area.right, y2: area.bottom };
            let rects = if n[7] & 1 == 1 { vec![clear; n[7] as usize % 5] } else { Vec::new() };
            let _ = d.clear(&rects, n[4], n[5], f32::from_bits(n[6]), n[7]);
        }
        20 => drop(d.set_fvf(n[0])),
        21 => drop(d.draw_primitive(n[0] % 8, n[1], n[2])),
        22 => drop(d.draw_indexed_primitive(n[0] % 8, n[1] as i32, n[2], n[3], n[4], n[5])),
        23 => drop(d.draw_primitive_up(n[0] % 8, n[1], &[0xff; 4096], n[2])),
        24 => {
            let bytes = [0x7f; 4096];
            let _ = d.draw_indexed_primitive_up(n[0] % 8, n[1], n[2], n[3], &bytes, 100 + n[4] % 4, &bytes, n[5]);
        }
        25 => {
            let (from, to) = (surface(n[7], &n[4..]), surface(n[6], &n[5..]));
            if let (Some(from), Some(to)) = (from, to) {
                let _ = d.stretch_rect(
                    from,
                    (n[0] & 1 == 1).then_some(&area),
                    to,
                    (n[1] & 1 == 1).then_some(&area),
                    n[2] % 4,
                );
                let _ = d.update_surface(from, None, to, Some(&POINT { x: n[0] as i32, y: n[1] as i32 }));
                let _ = d.update_texture(from.image, to.image);
                let _ = d.render_target_data(from, to);
                let _ = d.color_fill(to, (n[3] & 1 == 1).then_some(&area), n[5]);
            }
        }
        26 => {
            let matrix = D3DMATRIX { m: [[f32::from_bits(n[1]); 4]; 4] };
            let _ = d.set_transform(n[0], &matrix);
            let light = D3DLIGHT9 {
                Type: n[2],
                Range: f32::from_bits(n[3]),
                Phi: f32::from_bits(n[4]),
                ..D3DLIGHT9::default()
            };
            let _ = d.set_light(n[5], &light);
            let _ = d.enable_light(n[5], n[6] & 1 == 1);
            let _ = d.set_clip_plane(n[0], &[f32::from_bits(n[1]); 4]);
        }
        27 => {
            if !images.is_empty() {
                let gone = images.swap_remove(n[0] as usize % images.len());
                d.release(gone);
            }
        }
        28 => {
            if !buffers.is_empty() {
                let gone = buffers.swap_remove(n[0] as usize % buffers.len());
                d.release(gone);
            }
        }
        _ => drop(rig.present()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics_and_nothing_is_rejected(
        calls in prop::collection::vec((any::<u32>(), prop::collection::vec(number(), 8)), 1..80)
    ) {
        let mut rig = Rig::new();
        rig.device.set_fvf(D3DFVF_XYZ | D3DFVF_DIFFUSE).unwrap();
        let (mut images, mut buffers) = (Vec::new(), Vec::new());
        for (which, numbers) in &calls {
            call(&mut rig, &mut images, &mut buffers, *which, numbers);
        }
        rig.device.flush();
        let errors = std::mem::take(&mut rig.log().errors);
        prop_assert!(errors.is_empty(), "{errors:#?}");
    }
}
