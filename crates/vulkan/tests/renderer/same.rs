//! The same stream gives the same pixels whatever way it takes: uploads in place or copied, textures by index or by slot,
//! live or replayed.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::{Arena, Executor, Format, Kind, ObjectId, ObjectKind, Reader};
use afterimage_vulkan::{Renderer, Without};
use std::sync::{Arc, Mutex};

/// Objects of the scene.
struct Scene {
    texture: ObjectId,
    dynamic: ObjectId,
    copy: ObjectId,
}

/// Everything that a stream can upload, and some state.
fn set_up(guest: &mut Guest) -> Scene {
    guest.target(Format::B8G8R8A8_UNORM, 32, 32);
    let screen = guest.pixels_target();
    let depth = guest.texture(Format::D24_UNORM_S8_UINT, 32, 32, 1, CreateTexture::TARGET);
    guest.bind(screen, depth);
    guest.shaders(VERTEX, TEXTURE);
    guest.layout();
    let texture = guest.texture(Format::R8G8B8A8_UNORM, 8, 8, 4, 0);
    let texels: Vec<u8> = (0..8 * 8 * 4).map(|i| (i * 37 % 251) as u8).collect();
    guest.update_texture(texture, 0, 0, [8, 8], 32, &texels);
    guest.encoder.push(&GenerateMips { id: texture, filter: Filter::Linear as u32 });
    let sampler = guest.sampler(sampling(Filter::Linear));
    guest.bind_texture(0, texture, sampler);
    let dynamic = guest.id(ObjectKind::Buffer);
    let size = 6 * size_of::<Vertex>() as u64;
    guest.encoder.push(&CreateBuffer { id: dynamic, usage: CreateBuffer::VERTEX | CreateBuffer::DYNAMIC, size });
    guest.encoder.push(&SetDepthStencil {
        depth_test: 1,
        depth_write: 1,
        depth_compare: Compare::LessEqual as u8,
        ..Default::default()
    });
    let copy = guest.texture(Format::B8G8R8A8_UNORM, 16, 16, 2, 0);
    Scene { texture, dynamic, copy }
}

/// A frame that depends on what came before: a part of the texture changes each time.
fn frame(guest: &mut Guest, scene: &Scene, n: u32) {
    guest.clear(Clear::COLOR | Clear::DEPTH | Clear::STENCIL, [0.1, 0.2, 0.3, 1.0], 1.0, 0);
    let row: Vec<u8> = (0..32).map(|i| (i * n * 7 % 256) as u8).collect();
    let data = guest.upload(&row);
    let zero: UpdateTexture = bytemuck::Zeroable::zeroed();
    let part =
        UpdateTexture { id: scene.texture, y: n % 8, width: 8, height: 1, depth: 1, row_pitch: 32, data, ..zero };
    guest.encoder.push(&part);
    guest.encoder.push(&SetRaster { depth_clip: 1, sample_mask: u32::MAX, point_size: 1.0, ..Default::default() });
    guest.encoder.push_tail(
        &SetBlend {
            enable: 1,
            src_color: BlendFactor::SrcAlpha as u8,
            dst_color: BlendFactor::OneMinusSrcAlpha as u8,
            src_alpha: BlendFactor::One as u8,
            write_masks: [15; 8],
            ..Default::default()
        },
        &[],
    );
    guest.encoder.push(&SetScissor { rect: Rect { x: 1, y: 1, width: 30, height: 30 } });
    guest.viewport(32, 32);
    guest.draw_now(&quad([-0.9, 0.5], [-0.9, 0.5], 0.5, RED));
    let part = Rect { x: 0, y: 0, width: 8, height: 8 };
    let (src, dst) = (guest.pixels_target(), scene.copy);
    let view = |texture| View { texture, level: 0, layer: 0 };
    guest.encoder.push(&Blit { src: view(src), dst: view(dst), src_rect: part, dst_rect: part, filter: 1, pad: 0 });
    let moved = quad([-0.2, 0.9], [-0.5 + n as f32 * 0.1, 0.9], 0.4, RED);
    let data = guest.upload(bytemuck::cast_slice(&moved));
    guest.encoder.push(&UpdateBuffer { id: scene.dynamic, flags: UpdateBuffer::DISCARD, offset: 0, data });
    guest.bind_vertices(scene.dynamic, 0, 0);
    guest.draw(Topology::TriangleList, 0, 6);
    let screen = guest.pixels_target();
    guest.present(screen);
}

fn last_picture(mut guest: Guest) -> Vec<[u8; 4]> {
    let scene = set_up(&mut guest);
    (1..5).for_each(|n| frame(&mut guest, &scene, n));
    let pixels = guest.pixels().pixels;
    guest.finish();
    pixels
}

#[test]
fn every_way_gives_the_same_pixels() {
    let reference = last_picture(Guest::new());
    let colors: std::collections::HashSet<_> = reference.iter().collect();
    assert!(colors.len() > 50, "the scene must have something to compare: {} colours", colors.len());
    let ways = [
        ("uploads in device memory", Guest::with_device_slots()),
        ("uploads in shared memory", Guest::in_shared_memory()),
        ("textures by slot", Guest::with(Without { bindless: true, ..Without::default() })),
        ("blending in pipelines", Guest::with(Without { dynamic_state3: true, ..Without::default() })),
        ("submissions within frames", Guest::with_early_submissions()),
        ("single draws", Guest::with(Without { multi_draw: true, ..Without::default() })),
    ];
    for (way, guest) in ways {
        assert!(last_picture(guest) == reference, "{way}: other pixels");
    }
}

#[test]
fn the_device_copies_out_of_shared_memory_and_draws_from_none() {
    let mut guest = Guest::in_shared_memory();
    guest.run();
    let data = guest.upload(&[7; 64]);
    assert!(guest.renderer.gpu().profile.host_import > 0, "lavapipe reads memory of programs");
    assert!(guest.arena.source_slot(data.slot).is_some(), "the slot was not made known to the device");
    assert_eq!(guest.arena.device_slot(data.slot), None, "a program may change what a draw reads");
    assert_eq!(guest.arena.source_slot(63), None);
    guest.finish();
}

/// Box after box with rows and slices further apart than their texels, of formats with and without blocks.
fn loose_uploads(mut guest: Guest) -> Vec<[u8; 4]> {
    guest.target(Format::B8G8R8A8_UNORM, 32, 32);
    let screen = guest.pixels_target();
    guest.bind(screen, ObjectId::NONE);
    guest.shaders(VERTEX, TEXTURE);
    guest.layout();
    guest.viewport(32, 32);
    guest.clear(Clear::COLOR, [0.0; 4], 1.0, 0);
    let sampler = guest.sampler(sampling(Filter::Nearest));
    let formats =
        [Format::R8G8B8A8_UNORM, Format::B5G6R5_UNORM, Format::R8_UNORM, Format::BC1_RGBA_UNORM, Format::BC3_UNORM];
    for (at, format) in formats.into_iter().enumerate() {
        let texture = guest.texture(format, 16, 16, 1, 0);
        let bytes = format.info().bytes;
        for (n, gap) in [0, bytes, 3 * bytes, 1].into_iter().enumerate() {
            let (rows, pitch) = (format.rows(8), format.row_bytes(8) + gap);
            let texels: Vec<u8> = (0..rows * pitch).map(|i| (i * 31 + n as u32 * 7 + at as u32) as u8).collect();
            guest.upload(&vec![0; n + 1]);
            let data = guest.upload(&texels);
            let zero: UpdateTexture = bytemuck::Zeroable::zeroed();
            let (x, y) = (n as u32 % 2 * 8, n as u32 / 2 * 8);
            guest.encoder.push(&UpdateTexture {
                id: texture,
                x,
                y,
                width: 8,
                height: 8,
                depth: 1,
                row_pitch: pitch,
                data,
                ..zero
            });
        }
        guest.bind_texture(0, texture, sampler);
        let place = at as f32 * 0.4 - 1.0;
        guest.draw_now(&quad([place, place + 0.4], [-1.0, 1.0], 0.5, [1.0; 4]));
    }
    let pixels = guest.pixels().pixels;
    guest.finish();
    pixels
}

#[test]
fn boxes_of_any_pitch_come_the_same_by_every_way() {
    let reference = loose_uploads(Guest::new());
    let colors: std::collections::HashSet<_> = reference.iter().collect();
    assert!(colors.len() > 50, "there must be something to compare: {} colours", colors.len());
    for (way, guest) in [("device memory", Guest::with_device_slots()), ("shared memory", Guest::in_shared_memory())] {
        assert!(loose_uploads(guest) == reference, "uploads in {way}: other pixels");
    }
}

/// Many draws with some hundred calls, each draw with other state, among what is recorded at once: clears and copies.
fn many_draws(mut guest: Guest) -> Vec<[u8; 4]> {
    let scene = set_up(&mut guest);
    frame(&mut guest, &scene, 1);
    for n in 0..130u32 {
        let choose = |step: u32, count: u32| (n / step % count) as u8;
        guest.encoder.push(&SetRaster {
            cull: choose(1, 2) * Cull::Back as u8,
            front_ccw: choose(2, 2),
            depth_clip: 1,
            sample_mask: u32::MAX,
            point_size: 1.0,
            ..Default::default()
        });
        guest.encoder.push(&SetDepthStencil {
            depth_test: choose(3, 2),
            depth_write: choose(5, 2),
            depth_compare: choose(7, 8),
            stencil_test: choose(11, 2),
            read_mask: 0xff,
            write_mask: 0xff,
            reference: n as u8,
            front: StencilFace { compare: Compare::Always as u8, pass: StencilOp::Replace as u8, ..Default::default() },
            back: StencilFace { compare: Compare::Less as u8, pass: StencilOp::Invert as u8, ..Default::default() },
            ..Default::default()
        });
        let one = BlendFactor::One as u8;
        let (enable, src_color, dst_color) = (choose(2, 2), choose(3, 2) * one, choose(13, 2) * one);
        guest.encoder.push_tail(
            &SetBlend {
                enable,
                src_color,
                dst_color,
                src_alpha: one,
                write_masks: [choose(17, 15) + 1; 8],
                ..Default::default()
            },
            &[],
        );
        let at = |step: u32| (n * step % 29) as i32;
        guest.encoder.push(&SetScissor { rect: Rect { x: at(1), y: at(5), width: 9, height: 7 } });
        let place = at(3) as f32 / 40.0 - 0.5;
        guest.draw_now(&quad([place - 0.4, place + 0.4], [-0.9, 0.9], n as f32 / 130.0, RED));
        match n {
            30 | 90 => guest.clear(Clear::DEPTH | Clear::STENCIL, [0.0; 4], 0.5, 7),
            60 | 110 => frame(&mut guest, &scene, n),
            _ => {}
        }
    }
    let pixels = guest.pixels().pixels;
    guest.finish();
    pixels
}

#[test]
fn a_thread_that_plays_calls_draws_the_same() {
    let reference = many_draws(Guest::with_record_thread(false));
    let colors: std::collections::HashSet<_> = reference.iter().collect();
    assert!(colors.len() > 50, "the draws must have something to compare: {} colours", colors.len());
    assert!(many_draws(Guest::with_record_thread(true)) == reference, "other pixels");
}

type Pictures = Arc<Mutex<Vec<(u64, Vec<u8>)>>>;

fn collect(renderer: &mut Renderer) -> Pictures {
    let pictures = Pictures::default();
    let sink = Arc::clone(&pictures);
    renderer.set_picture_sink(Some(Box::new(move |picture| {
        sink.lock().unwrap().push((picture.frame, picture.rgba.to_vec()));
    })));
    pictures
}

#[test]
fn a_capture_replays_to_the_same_pictures() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("test.aftercap");
    let mut guest = Guest::new();
    let live = collect(&mut guest.renderer);
    guest.renderer.start_capture(&path, 3..=4);
    let scene = set_up(&mut guest);
    for n in 1..=6 {
        frame(&mut guest, &scene, n);
        // Frames begin in the middle of batches as well as at their start.
        if n % 2 == 0 {
            guest.run();
        }
    }
    guest.run();
    guest.renderer.finish(&mut |_| {}).unwrap();
    guest.finish();
    let live = live.lock().unwrap().clone();
    assert_eq!(live.iter().map(|(frame, _)| *frame).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);

    let mut guest = Guest::new();
    let replayed = collect(&mut guest.renderer);
    let mut reader = afterimage_capture::Reader::open(&path).unwrap();
    let summary = guest.renderer.replay(&mut reader).unwrap();
    assert_eq!((summary.frames, summary.draws, summary.errors), (2, 4, 0));
    let replayed = replayed.lock().unwrap().clone();
    assert!(replayed == live[2..4], "the pictures of frames 3 and 4 differ");
    guest.finish();
}

#[test]
fn a_damaged_capture_draws_what_is_good() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("test.aftercap");
    let mut guest = Guest::new();
    guest.renderer.start_capture(&path, 1..=3);
    let scene = set_up(&mut guest);
    guest.run();
    for n in 1..=3 {
        frame(&mut guest, &scene, n);
        guest.run();
    }
    guest.finish();
    let bytes = std::fs::read(&path).unwrap();
    let mut guest = Guest::new();
    let error = match afterimage_capture::Reader::new(&bytes[..bytes.len() - 40]) {
        Ok(mut reader) => guest.renderer.replay(&mut reader).unwrap_err(),
        Err(error) => error.into(),
    };
    assert!(error.to_string().contains("ends"), "{error}");
    guest.finish();
}

/// The stream's object limits, the arena and the state are checked before anything reaches Vulkan: random words must
/// neither panic nor make the validation layer speak.
#[test]
fn random_streams_do_no_harm() {
    let mut guest = Guest::new();
    let scene = set_up(&mut guest);
    guest.run();
    let mut seed = 12345u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize
    };
    for n in 0..400 {
        frame(&mut guest, &scene, n);
        let mut words = std::mem::take(guest.encoder.batch());
        // Headers stay, so that what is behind them is looked at; and draws, since a million instances of a full screen
        // are no error, but take their time.
        let mut kept = vec![false; words.len()];
        for located in Reader::new(&words).map(Result::unwrap) {
            let all = located.packet.kind() == Kind::Draw;
            let units = if all { usize::from(located.header.units) } else { 1 };
            kept[located.at..located.at + units].fill(true);
        }
        for _ in 0..1 + random() % 8 {
            let at = random() % words.len();
            if !kept[at] {
                words[at] ^= 1 << (random() % 64);
            }
        }
        // Errors are what is expected.
        drop(guest.renderer.execute(&words, &guest.arena, &mut |_| {}));
        guest.arena.rewind();
    }
    guest.replies.clear();
    guest.finish();
}
