//! Memory of resources: what locks show of it, what copies and fills do to it, and what of it the receiver gets.

use crate::common::Rig;
use afterimage_d3d9::*;
use afterimage_d3d9_types::*;

fn rect(left: i32, top: i32, right: i32, bottom: i32) -> RECT {
    RECT { left, top, right, bottom }
}

/// Binds a texture, draws, and gives the texels that were sent for it, if any were.
fn draw_with(rig: &mut Rig, texture: ImageId) -> Option<Vec<u8>> {
    let d = &mut rig.device;
    d.set_texture(0, Some(texture)).unwrap();
    d.set_fvf(D3DFVF_XYZRHW | D3DFVF_TEX1).unwrap();
    d.draw_primitive_up(D3DPT_TRIANGLELIST, 1, &[0; 72], 24).unwrap();
    rig.device.flush();
    let mut log = rig.log();
    let lines = log.take_lines();
    let sent = lines.iter().any(|line| line.contains("UpdateTexture"));
    let uploads = std::mem::take(&mut log.uploads);
    let last = uploads.into_iter().rev().find(|(id, _)| id.kind() == Some(afterimage_stream::ObjectKind::Texture));
    last.filter(|_| sent).map(|(_, bytes)| bytes)
}

#[test]
fn palettes_are_applied_on_the_way_to_the_receiver() {
    let mut rig = Rig::new();
    let old_formats = vec![afterimage_config::OldFormat::P8];
    rig.device.set_wishes(&afterimage_config::Values { old_formats, ..Default::default() });
    let d = &mut rig.device;
    let entry = |red| PALETTEENTRY { peRed: red, peGreen: 2, peBlue: 1, peFlags: 0xff };
    d.set_palette(1, &[entry(0x10); 256]).unwrap();
    d.set_palette(2, &[entry(0x20); 256]).unwrap();
    d.set_current_palette(1).unwrap();
    let [a, b] = [(); 2].map(|()| d.create_texture(2, 1, 1, 0, D3DFMT_P8, D3DPOOL_MANAGED).unwrap());
    for texture in [a, b] {
        d.lock_surface(Surface::of(texture), None, 0).unwrap();
        d.unlock_surface(Surface::of(texture)).unwrap();
    }
    assert_eq!(draw_with(&mut rig, a).unwrap(), [1, 2, 0x10, 255, 1, 2, 0x10, 255]);
    assert_eq!(draw_with(&mut rig, a), None);
    // Another palette, with which another texture is drawn; the first one stays as it is until it is drawn with it, too.
    rig.device.set_current_palette(2).unwrap();
    assert_eq!(draw_with(&mut rig, b).unwrap()[..4], [1, 2, 0x20, 255]);
    rig.device.set_current_palette(1).unwrap();
    assert_eq!(draw_with(&mut rig, a), None);
    // New entries of the current palette show in what is bound.
    rig.device.set_palette(1, &[entry(0x30); 256]).unwrap();
    assert_eq!(draw_with(&mut rig, a).unwrap()[..4], [1, 2, 0x30, 255]);
    rig.check();
}

/// A texture in system memory whose bytes in each level are the level's number plus one.
fn numbered(rig: &mut Rig, edge: u32, levels: u32, format: D3DFORMAT) -> ImageId {
    let texture = rig.device.create_texture(edge, edge, levels, 0, format, D3DPOOL_SYSTEMMEM).unwrap();
    for level in 0..levels as u8 {
        let target = rig.device.create_render_target(edge >> level, edge >> level, format, 0, 0, false).unwrap();
        rig.log().read_value = level + 1;
        rig.device.render_target_data(Surface::of(target), Surface { level, ..Surface::of(texture) }).unwrap();
    }
    texture
}

#[test]
fn levels_meet_where_their_sizes_do() {
    let argb = D3DFMT_A8R8G8B8;
    // Edge, levels and format of both; the first bytes of the levels that are sent, the largest first.
    for ((edge, levels, format), (to_edge, to_levels, to_format), wanted) in [
        ((8, 4, argb), (8, 4, argb), &[1, 2, 3, 4][..]),
        ((8, 4, argb), (4, 2, argb), &[2, 3]),
        ((8, 4, argb), (8, 2, argb), &[1, 2]),
        ((8, 1, argb), (8, 4, argb), &[1]),
        ((4, 1, argb), (8, 1, argb), &[1]),
        ((8, 1, argb), (4, 1, argb), &[]),
        ((8, 2, argb), (8, 2, D3DFMT_X8R8G8B8), &[1, 2]),
    ] {
        let mut rig = Rig::new();
        let source = numbered(&mut rig, edge, levels, format);
        let target = rig.device.create_texture(to_edge, to_edge, to_levels, 0, to_format, D3DPOOL_DEFAULT).unwrap();
        draw_with(&mut rig, target);
        rig.device.update_texture(source, target).unwrap();
        rig.log().uploads.clear();
        rig.device.set_texture(0, Some(target)).unwrap();
        rig.device.draw_primitive_up(D3DPT_TRIANGLELIST, 1, &[0; 72], 24).unwrap();
        rig.device.flush();
        let textures = Some(afterimage_stream::ObjectKind::Texture);
        let sent: Vec<u8> =
            rig.log().uploads.iter().filter(|(id, _)| id.kind() == textures).map(|(_, bytes)| bytes[0]).collect();
        assert_eq!(sent, wanted, "{edge}, {levels} levels to {to_edge}, {to_levels} levels of {to_format}");
        rig.check();
    }
    let d = &mut Rig::new().device;
    let source = d.create_texture(8, 8, 1, 0, argb, D3DPOOL_SYSTEMMEM).unwrap();
    for other in [D3DFMT_R32F, D3DFMT_R5G6B5] {
        let target = d.create_texture(8, 8, 1, 0, other, D3DPOOL_DEFAULT).unwrap();
        assert_eq!(d.update_texture(source, target), Err(Error::InvalidCall), "other bits");
    }
}

#[test]
fn video_is_converted_when_it_is_copied_to_a_target() {
    let mut rig = Rig::new();
    for format in [D3DFMT_YUY2, D3DFMT_UYVY, fourcc(*b"NV12"), fourcc(*b"YV12")] {
        let d = &mut rig.device;
        let plain = d.create_offscreen_plain(4, 2, format, D3DPOOL_DEFAULT).unwrap();
        let target = d.create_render_target(8, 8, D3DFMT_X8R8G8B8, 0, 0, false).unwrap();
        let locked = d.lock_surface(Surface::of(plain), None, 0).unwrap();
        let planar = format != D3DFMT_YUY2 && format != D3DFMT_UYVY;
        assert_eq!((locked.row_pitch, locked.size), if planar { (4, 12) } else { (8, 16) });
        d.unlock_surface(Surface::of(plain)).unwrap();
        d.stretch_rect(Surface::of(plain), None, Surface::of(target), None, D3DTEXF_POINT).unwrap();
        d.flush();
        // Nothing of luma or chroma is green.
        let sent = rig.log().uploads.pop().unwrap().1;
        assert_eq!(sent.len(), 4 * 2 * 4);
        assert_eq!(sent[..4], [0, 135, 0, 255]);
        rig.check();
    }
}

#[test]
fn pairs_and_blocks_are_locked_as_a_whole_where_the_gpu_reads_them() {
    let mut rig = Rig::new();
    let d = &mut rig.device;
    for (format, whole, part) in [
        (D3DFMT_YUY2, rect(2, 1, 4, 2), rect(1, 0, 2, 1)),
        (D3DFMT_DXT1, rect(4, 4, 8, 8), rect(0, 2, 4, 4)),
        (D3DFMT_R8G8_B8G8, rect(0, 0, 2, 1), rect(0, 0, 3, 1)),
    ] {
        let surface = d.create_offscreen_plain(8, 8, format, D3DPOOL_DEFAULT).map(Surface::of).unwrap();
        let scratch = d.create_offscreen_plain(8, 8, format, D3DPOOL_SCRATCH).map(Surface::of).unwrap();
        assert!(d.lock_surface(surface, Some(&whole), 0).is_ok(), "{format:#x}");
        assert_eq!(d.unlock_surface(surface), Ok(()));
        assert_eq!(d.lock_surface(surface, Some(&part), 0).err(), Some(Error::InvalidCall), "{format:#x}");
        assert!(d.lock_surface(scratch, Some(&part), 0).is_ok(), "{format:#x}");
        // Neither can a part of a block be filled.
        assert_eq!(d.color_fill(surface, Some(&whole), 0xff12_3456), Ok(()), "{format:#x}");
        assert_eq!(d.color_fill(surface, Some(&part), 0xff12_3456), Err(Error::InvalidCall), "{format:#x}");
    }
    rig.check();
}

#[test]
fn opaque_formats_are_locked_by_bytes() {
    let mut rig = Rig::new();
    let d = &mut rig.device;
    for format in [fourcc(*b"ATI1"), fourcc(*b"ATI2")] {
        let surface = d.create_offscreen_plain(64, 64, format, D3DPOOL_SCRATCH).map(Surface::of).unwrap();
        let all = d.lock_surface(surface, None, 0).unwrap();
        d.unlock_surface(surface).unwrap();
        let part = d.lock_surface(surface, Some(&rect(20, 12, 32, 16)), 0).unwrap();
        assert_eq!((all.row_pitch, part.bits.addr() - all.bits.addr()), (64, 12 * 64 + 20));
    }
    // Blocks go to the receiver packed, however small the level.
    let texture = d.create_texture(2, 2, 2, 0, fourcc(*b"ATI2"), D3DPOOL_MANAGED).unwrap();
    for level in 0..2 {
        let surface = Surface { image: texture, level, face: 0 };
        assert!(d.lock_surface(surface, None, 0).unwrap().size >= 16);
        d.unlock_surface(surface).unwrap();
    }
    assert_eq!(draw_with(&mut rig, texture).unwrap().len(), 16);
    rig.check();
}

#[test]
fn what_has_several_samples_is_not_locked() {
    let mut rig = Rig::new();
    let d = &mut rig.device;
    for (samples, is_locked) in [(D3DMULTISAMPLE_NONE, true), (4, false), (D3DMULTISAMPLE_NONMASKABLE, false)] {
        let target = d.create_render_target(4, 4, D3DFMT_A8R8G8B8, samples, 0, true).map(Surface::of).unwrap();
        let depth = d.create_depth_stencil(4, 4, D3DFMT_D16_LOCKABLE, samples, 0, true).map(Surface::of).unwrap();
        for surface in [target, depth] {
            assert_eq!(d.lock_surface(surface, None, 0).is_ok(), is_locked, "{samples}");
            assert_eq!(d.unlock_surface(surface).is_ok(), is_locked, "{samples}");
        }
    }
    d.flush();
    // Also of what is sent with the next frame.
    rig.present().unwrap();
    rig.check();
}

#[test]
fn a_device_context_has_the_image_for_itself() {
    let mut rig = Rig::new();
    let d = &mut rig.device;
    let cube = d.create_cube_texture(8, 2, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED).unwrap();
    let (first, second) = (Surface::of(cube), Surface { image: cube, level: 1, face: 3 });
    let refused = Some(Error::InvalidCall);
    d.lock_surface(second, None, D3DLOCK_READONLY).unwrap();
    assert_eq!(d.lock_context(first).err(), refused, "another face is locked");
    d.unlock_surface(second).unwrap();
    assert!(d.lock_context(first).is_ok());
    assert_eq!(d.lock_context(first).err(), refused);
    assert_eq!(d.lock_context(second).err(), refused);
    assert_eq!(d.lock_surface(second, None, 0).err(), refused);
    // Unlocking does nothing to it, and is no error as long as there is a context.
    assert_eq!((d.unlock_surface(first), d.unlock_surface(second)), (Ok(()), Ok(())));
    assert_eq!(d.release_context(second), Err(Error::InvalidCall));
    assert_eq!(d.release_context(first), Ok(()));
    assert_eq!(d.unlock_surface(first), Err(Error::InvalidCall));
    assert!(d.lock_surface(second, None, 0).is_ok());
    rig.check();
}

#[test]
fn what_was_written_without_marking_shows_once_it_is_evicted() {
    let mut rig = Rig::new();
    let texture = rig.device.create_texture(2, 2, 1, 0, D3DFMT_L8, D3DPOOL_MANAGED).unwrap();
    let write = |rig: &mut Rig, flags| {
        rig.device.lock_surface(Surface::of(texture), None, flags).unwrap();
        rig.device.unlock_surface(Surface::of(texture)).unwrap();
    };
    write(&mut rig, 0);
    assert!(draw_with(&mut rig, texture).is_some());
    write(&mut rig, D3DLOCK_NO_DIRTY_UPDATE);
    assert!(draw_with(&mut rig, texture).is_none());
    rig.device.evict_managed();
    assert!(draw_with(&mut rig, texture).is_some());
    rig.check();
}

#[test]
fn a_program_s_memory_is_used_where_it_is_and_has_no_gaps() {
    let mut rig = Rig::with(true, TRUE);
    let d = &mut rig.device;
    let mut asked = 0;
    let texture = d.create_texture_in(33, 3, 0, D3DFMT_L8, |size| {
        asked = size;
        afterimage_ipc::store::Store::resident(size).unwrap()
    });
    let locked = d.lock_surface(Surface::of(texture.unwrap()), None, 0).unwrap();
    assert_eq!((asked, locked.row_pitch, locked.size), (99, 33, 99));
    let refused = d.create_texture_in(0, 3, 0, D3DFMT_L8, |_| unreachable!("there is no such texture"));
    assert_eq!(refused, Err(Error::InvalidCall));
    rig.check();
}

#[test]
fn plain_surfaces_of_other_formats_are_converted() {
    let mut rig = Rig::new();
    let d = &mut rig.device;
    let mut plain = |format| d.create_offscreen_plain(4, 4, format, D3DPOOL_DEFAULT).map(Surface::of).unwrap();
    let [a, small, video, x] = [D3DFMT_A8R8G8B8, D3DFMT_R5G6B5, D3DFMT_YUY2, D3DFMT_X8R8G8B8].map(&mut plain);
    let float = plain(D3DFMT_R16F);
    let d = &mut rig.device;
    let sent = |d: &mut Device, from, rect: Option<&RECT>, to| {
        d.stretch_rect(from, rect, to, rect, D3DTEXF_NONE).unwrap();
        d.flush();
    };
    d.color_fill(a, None, 0x80ff_8008).unwrap();
    sent(d, a, Some(&rect(1, 1, 3, 2)), small);
    // The nearest of five, six and five bits: red 31, green 32, blue 1.
    assert_eq!(rig.log.lock().unwrap().uploads.pop().unwrap().1, [0x01, 0xfc, 0x01, 0xfc]);
    d.color_fill(video, None, 0xffff_ffff).unwrap();
    sent(d, video, None, a);
    let upload = rig.log.lock().unwrap().uploads.pop().unwrap().1;
    assert_eq!(upload, [0xff; 64]);
    // The same bits are copied whatever they mean; nothing becomes video, and half floats are nobody's neighbours.
    sent(d, a, None, x);
    for (from, to) in [(a, video), (a, float), (float, a)] {
        assert_eq!(d.stretch_rect(from, None, to, None, D3DTEXF_NONE), Err(Error::InvalidCall));
    }
    rig.check();
}
