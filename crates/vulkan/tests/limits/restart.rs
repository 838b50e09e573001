//! One renderer, many guests, one after the other: each finds it as if it were new, and nothing of the one before stays.

use crate::common::*;
use afterimage_ipc::{ArenaConfig, in_process};
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId, ObjectKind, Port};
use afterimage_vulkan::{Renderer, Without};
use std::sync::Arc;

/// A guest that uses objects of every kind and leaves them all, with its state set to what would disturb another.
fn draw_and_leave(guest: &mut Guest, number: u32) {
    let edge = 16 + number % 5;
    let screen = guest.target(Format::R8G8B8A8_UNORM, edge, edge);
    let depth = guest.texture(Format::D24_UNORM_S8_UINT, edge, edge, 1, CreateTexture::TARGET);
    guest.bind(screen, depth);
    guest.clear(Clear::COLOR | Clear::DEPTH, BLACK, 1.0, 0);
    guest.shaders(VERTEX, TEXTURE);
    guest.layout();
    let texture = guest.texture(Format::R8G8B8A8_UNORM, 128, 128, 3, 0);
    let color = [number as u8, 10, 20, 255];
    guest.update_texture(texture, 0, 0, [128, 128], 512, &color.repeat(128 * 128));
    guest.encoder.push(&GenerateMips { id: texture, filter: 1 });
    let sampler = guest.sampler(sampling(Filter::Nearest));
    guest.bind_texture(0, texture, sampler);
    let query = guest.id(ObjectKind::Query);
    guest.encoder.push(&CreateQuery { id: query, kind: QueryKind::Occlusion as u32 });
    guest.encoder.push(&BeginQuery { id: query, pad: 0 });
    guest.vertices(&full(0.5, RED));
    guest.draw(Topology::TriangleList, 0, 6);
    assert_eq!(guest.pixels().count(color), (edge * edge) as usize, "guest {number}");
    guest.encoder.push(&SetScissor { rect: Rect { x: 1, y: 1, width: 1, height: 1 } });
    guest.encoder.push(&SetDepthStencil { depth_test: 1, depth_compare: Compare::Never as u8, ..Default::default() });
    guest
        .encoder
        .push_tail(&SetBlend { enable: 1, color_op: 5, alpha_op: 5, write_masks: [1; 8], ..Default::default() }, &[]);
    guest.encoder.push(&SetRaster { fill_back: Fill::Line as u8, cull: Cull::None as u8, ..Default::default() });
    guest.draw(Topology::TriangleList, 0, 6);
    guest.present(screen);
    guest.run();
}

#[test]
fn guests_follow_each_other_and_leave_nothing() {
    for without in [Without::default(), Without { bindless: true, dynamic_state3: true, ..Without::default() }] {
        let mut guest = Guest::with(without);
        let mut settled = None;
        let mut made = 0.0;
        for number in 0..24 {
            draw_and_leave(&mut guest, number);
            let mut renderer = guest.renderer;
            renderer.restart(&mut |_| {}).unwrap();
            let bytes = renderer.gpu().allocated_bytes();
            // The rings have their size after a few.
            if number == 7 {
                settled = Some(bytes);
            }
            guest = Guest::over(renderer);
            match number {
                7 => made = guest.figure("pipelines"),
                8.. => assert_eq!(guest.figure("pipelines"), made, "what one guest compiled serves the next"),
                _ => {}
            }
            if let Some(settled) = settled {
                assert_eq!(bytes, settled, "guest {number}");
            }
        }
        guest.finish();
    }
}

#[test]
fn a_new_link_for_each_guest() {
    // A device that no other test of this file has, since what it has allocated is counted.
    let mut renderer = Guest::with(Without { multi_draw: true, ..Without::default() }).renderer;
    let gpu = Arc::clone(renderer.gpu());
    let mut settled = 0;
    for number in 0..12u8 {
        let color = [f32::from(number) / 255.0, 1.0, 0.0, 1.0];
        assert_eq!(through_a_port(&mut renderer, color), rgba(color));
        renderer.restart(&mut |_| {}).unwrap();
        match number {
            0..=2 => settled = gpu.allocated_bytes(),
            _ => assert_eq!(gpu.allocated_bytes(), settled, "the slots of guest {number} are still there"),
        }
    }
    Guest::over(renderer).finish();
}

/// What a front end does: a link, a thread that serves it, a port; and reads a picture back.
fn through_a_port(renderer: &mut Renderer, color: [f32; 4]) -> [u8; 4] {
    let slots = Box::new(renderer.slot_factory());
    let (link, mut receiver) = in_process::pair(ArenaConfig::default(), renderer.device_info(), slots);
    std::thread::scope(|scope| {
        scope.spawn(|| in_process::serve(&mut receiver, renderer));
        let mut port = Port::new(Box::new(link), Init::NV2A, "restart");
        let texture = port.allocate(ObjectKind::Texture).unwrap();
        port.push(&CreateTexture {
            id: texture,
            usage: CreateTexture::TARGET,
            ..plain(Format::R8G8B8A8_UNORM, 4, 4, 1)
        });
        let mut targets = SetRenderTargets::default();
        targets.color[0].texture = texture;
        port.push(&targets);
        let body = Clear { flags: Clear::COLOR, color, ..bytemuck::Zeroable::zeroed() };
        port.push_tail(&body, &[]);
        let data = port.upload(64, 16).unwrap();
        let token = port.token();
        port.push(&ReadBack {
            src: View { texture, ..View::default() },
            rect: Rect { x: 0, y: 0, width: 4, height: 4 },
            row_pitch: 16,
            pad: 0,
            token,
            data,
        });
        assert_eq!(port.wait(token), Ok(1));
        let mut texels = [0; 64];
        port.read(&data, 0, &mut texels);
        assert_eq!(port.frame(), 1);
        assert_ne!(texture, ObjectId::NONE);
        [texels[0], texels[1], texels[2], texels[3]]
    })
}
