//! Ownership, locks, state blocks, queries, reset, and what happens when the receiver dies.

use crate::common::{self, Rig};
use afterimage_d3d9::*;
use afterimage_d3d9_types::*;
use afterimage_stream::packets::{LineMode, Rect};
use afterimage_stream::{Created, ObjectKind};

fn shaders(rig: &mut Rig) -> (VertexShaderId, PixelShaderId) {
    let vs = rig.device.create_vertex_shader(&common::assemble(common::VS)).unwrap();
    let ps = rig.device.create_pixel_shader(&common::assemble(common::PS)).unwrap();
    (vs, ps)
}

/// A texture, a buffer and shaders, bound; one draw done.
fn scene(rig: &mut Rig) -> (ImageId, BufferId) {
    let (vs, ps) = shaders(rig);
    let d = &mut rig.device;
    let texture = d.create_texture(4, 4, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED).unwrap();
    let buffer = d.create_vertex_buffer(256, 0, 0, D3DPOOL_DEFAULT).unwrap();
    d.lock_buffer(buffer, 0, 0, 0).unwrap();
    d.unlock_buffer(buffer).unwrap();
    d.lock_surface(Surface::of(texture), None, 0).unwrap();
    d.unlock_surface(Surface::of(texture)).unwrap();
    d.set_fvf(D3DFVF_XYZ | D3DFVF_TEX1).unwrap();
    d.set_stream_source(0, Some(buffer), 0, 20).unwrap();
    d.set_vertex_shader(Some(vs)).unwrap();
    d.set_pixel_shader(Some(ps)).unwrap();
    d.set_texture(0, Some(texture)).unwrap();
    d.set_vertex_shader_constant_f(0, &[[1.0, 2.0, 3.0, 4.0]]).unwrap();
    d.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    (texture, buffer)
}

#[test]
fn a_bound_object_outlives_the_program_s_reference() {
    let mut rig = Rig::new();
    let (texture, buffer) = scene(&mut rig);
    rig.device.set_user(texture, 0x1234);
    assert!(!rig.device.release(texture));
    assert_eq!(rig.device.texture(0), Ok(Some(texture)));
    assert_eq!(rig.device.user(texture), 0x1234);
    assert!(!rig.device.has_dead());
    rig.device.set_texture(0, None).unwrap();
    assert_eq!(rig.device.take_dead(), Some((Handle::Image(texture), 0x1234)));
    assert_eq!(rig.device.take_dead(), None);
    // Held again before it is unbound, it stays.
    assert!(!rig.device.release(buffer));
    rig.device.retain(buffer);
    rig.device.set_stream_source(0, None, 0, 0).unwrap();
    assert!(!rig.device.has_dead());
    assert!(rig.device.vertex_buffer_desc(buffer).is_ok());
    assert!(rig.device.release(buffer));
    assert_eq!(rig.device.vertex_buffer_desc(buffer), Err(Error::InvalidCall));
    rig.check();
}

#[test]
fn locks_give_aligned_memory_and_their_bytes_travel() {
    let mut rig = Rig::new();
    let d = &mut rig.device;
    let texture = d.create_texture(8, 8, 0, 0, D3DFMT_L8, D3DPOOL_MANAGED).unwrap();
    let surface = Surface { image: texture, level: 1, face: 0 };
    let locked = d.lock_surface(surface, None, 0).unwrap();
    assert_eq!(locked.bits as usize % 64, 0);
    assert_eq!((locked.row_pitch, locked.size), (4, 16));
    assert_eq!(d.lock_surface(surface, None, 0).unwrap_err(), Error::InvalidCall, "locked twice");
    d.unlock_surface(surface).unwrap();
    assert_eq!(d.unlock_surface(surface), Ok(()), "2D textures may be unlocked twice");
    let part = RECT { left: 2, top: 1, right: 4, bottom: 3 };
    let inner = d.lock_surface(surface, Some(&part), D3DLOCK_READONLY).unwrap();
    assert_eq!(inner.bits as usize - locked.bits as usize, 4 + 2);
    d.unlock_surface(surface).unwrap();
    let outside = RECT { left: -1, top: 2, right: 9, bottom: 1 };
    let odd = d.lock_surface(surface, Some(&outside), 0).unwrap();
    assert_eq!((odd.bits as isize - locked.bits as isize, odd.size), (2 * 4 - 1, 9));
    d.unlock_surface(surface).unwrap();
    let bad = D3DLOCK_DISCARD | D3DLOCK_READONLY;
    assert_eq!(d.lock_surface(surface, None, bad).unwrap_err(), Error::InvalidCall);
    let fixed = d.create_texture(8, 8, 1, 0, D3DFMT_L8, D3DPOOL_DEFAULT).unwrap();
    assert_eq!(d.lock_surface(Surface::of(fixed), None, 0).unwrap_err(), Error::InvalidCall);
    let dynamic = d.create_texture(8, 8, 1, D3DUSAGE_DYNAMIC, D3DFMT_L8, D3DPOOL_DEFAULT).unwrap();
    d.lock_surface(Surface::of(dynamic), None, D3DLOCK_DISCARD).unwrap();
    d.unlock_surface(Surface::of(dynamic)).unwrap();
    // Nested locks of a buffer travel once, as the union of what they cover.
    let buffer = d.create_vertex_buffer(256, D3DUSAGE_DYNAMIC, 0, D3DPOOL_DEFAULT).unwrap();
    let id = buffer_object(&mut rig);
    let d = &mut rig.device;
    d.lock_buffer(buffer, 16, 16, D3DLOCK_NOOVERWRITE).unwrap();
    d.lock_buffer(buffer, 64, 32, 0).unwrap();
    d.unlock_buffer(buffer).unwrap();
    d.unlock_buffer(buffer).unwrap();
    assert_eq!(d.unlock_buffer(buffer).unwrap_err(), Error::InvalidCall);
    rig.check();
    let log = rig.log();
    let updates: Vec<_> = log.uploads.iter().filter(|(object, _)| *object == id).collect();
    assert_eq!(updates.len(), 1);
    assert_eq!(updates[0].1.len(), 80);
}

fn buffer_object(rig: &mut Rig) -> afterimage_stream::ObjectId {
    rig.device.flush();
    let log = rig.log();
    log.state.objects.iter(ObjectKind::Buffer).last().unwrap().0
}

#[test]
fn a_volume_is_locked_by_boxes() {
    let mut rig = Rig::new();
    let d = &mut rig.device;
    let volume = d.create_volume_texture(8, 4, 4, 0, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED).unwrap();
    let all = d.lock_volume(volume, 0, None, 0).unwrap();
    assert_eq!((all.row_pitch, all.slice_pitch, all.size), (32, 128, 512));
    d.unlock_volume(volume, 0).unwrap();
    let part = D3DBOX { Left: 2, Top: 1, Right: 4, Bottom: 2, Front: 3, Back: 4 };
    let inner = d.lock_volume(volume, 0, Some(&part), 0).unwrap();
    assert_eq!(inner.bits as usize - all.bits as usize, 3 * 128 + 32 + 8);
    d.unlock_volume(volume, 0).unwrap();
    assert_eq!(d.volume_desc(volume, 3).map(|desc| (desc.Width, desc.Depth)), Ok((1, 1)));
    assert_eq!(d.volume_desc(volume, 4), Err(Error::InvalidCall));
    rig.check();
}

/// A register has what the program wrote, though a shader asks only whether it is zero.
#[test]
fn truth_values_come_back_as_they_are() {
    let mut rig = Rig::new();
    let d = &mut rig.device;
    let read = |d: &Device| {
        let (mut vertex, mut pixel) = ([7; 2], [7; 2]);
        d.vertex_shader_constant_b(3, &mut vertex).unwrap();
        d.pixel_shader_constant_b(3, &mut pixel).unwrap();
        [vertex, pixel].concat()
    };
    let write = |d: &mut Device, values: [BOOL; 2]| {
        d.set_vertex_shader_constant_b(3, &values).unwrap();
        d.set_pixel_shader_constant_b(3, &values).unwrap();
    };
    write(d, [42, -1]);
    assert_eq!(read(d), [42, -1, 42, -1]);
    let all = d.create_state_block(D3DSBT_ALL).unwrap();
    d.begin_state_block().unwrap();
    write(d, [0x1234, 0]);
    let recorded = d.end_state_block().unwrap();
    assert_eq!(read(d), [42, -1, 42, -1]);
    d.apply_state_block(recorded).unwrap();
    assert_eq!(read(d), [0x1234, 0, 0x1234, 0]);
    write(d, [5, 6]);
    d.capture_state_block(recorded).unwrap();
    d.apply_state_block(all).unwrap();
    assert_eq!(read(d), [42, -1, 42, -1]);
    d.apply_state_block(recorded).unwrap();
    assert_eq!(read(d), [5, 6, 5, 6]);
}

#[test]
fn a_recorded_block_holds_what_was_set_and_nothing_else() {
    let mut rig = Rig::new();
    let (texture, _) = scene(&mut rig);
    let d = &mut rig.device;
    d.begin_state_block().unwrap();
    assert_eq!(d.begin_state_block(), Err(Error::InvalidCall));
    d.set_render_state(D3DRS_ZENABLE, 0).unwrap();
    d.set_texture(0, None).unwrap();
    d.set_pixel_shader_constant_f(1, &[[9.0; 4]]).unwrap();
    assert_eq!(d.render_state(D3DRS_ZENABLE), Ok(1), "recorded, not set");
    assert_eq!(d.texture(0), Ok(Some(texture)));
    let block = d.end_state_block().unwrap();
    assert_eq!(d.end_state_block(), Err(Error::InvalidCall));
    d.set_render_state(D3DRS_CULLMODE, D3DCULL_NONE).unwrap();
    d.apply_state_block(block).unwrap();
    let mut constant = [[0.0; 4]];
    d.pixel_shader_constant_f(1, &mut constant).unwrap();
    assert_eq!((d.render_state(D3DRS_ZENABLE), d.texture(0), constant), (Ok(0), Ok(None), [[9.0; 4]]));
    assert_eq!(d.render_state(D3DRS_CULLMODE), Ok(D3DCULL_NONE));
    // Capture takes the current values of the same states.
    d.set_render_state(D3DRS_ZENABLE, 2).unwrap();
    d.set_texture(0, Some(texture)).unwrap();
    d.capture_state_block(block).unwrap();
    d.set_render_state(D3DRS_ZENABLE, 1).unwrap();
    d.set_texture(0, None).unwrap();
    // The block keeps the texture alive.
    assert!(!d.release(texture));
    d.apply_state_block(block).unwrap();
    assert_eq!((d.render_state(D3DRS_ZENABLE), d.texture(0)), (Ok(2), Ok(Some(texture))));
    d.set_texture(0, None).unwrap();
    assert!(d.release(block));
    assert_eq!(d.texture(0), Ok(None));
    assert_eq!(d.image_type(texture), 0, "gone with the last block that had it");
    rig.check();
}

#[test]
fn predefined_blocks_hold_their_share() {
    let mut rig = Rig::new();
    let (texture, buffer) = scene(&mut rig);
    let d = &mut rig.device;
    d.set_light(3, &D3DLIGHT9 { Type: D3DLIGHT_POINT, ..D3DLIGHT9::default() }).unwrap();
    let blocks = [D3DSBT_ALL, D3DSBT_PIXELSTATE, D3DSBT_VERTEXSTATE].map(|kind| d.create_state_block(kind).unwrap());
    assert_eq!(d.create_state_block(4), Err(Error::InvalidCall));
    let change = |d: &mut Device| {
        d.set_render_state(D3DRS_ALPHABLENDENABLE, 1).unwrap();
        d.set_render_state(D3DRS_CULLMODE, D3DCULL_NONE).unwrap();
        d.set_sampler_state(2, D3DSAMP_MINFILTER, D3DTEXF_LINEAR).unwrap();
        d.set_texture(0, None).unwrap();
        d.set_stream_source(0, None, 0, 0).unwrap();
        d.set_vertex_shader_constant_f(0, &[[0.0; 4]]).unwrap();
        d.enable_light(3, true).unwrap();
    };
    let look = |d: &Device| {
        let mut constant = [[0.0; 4]];
        d.vertex_shader_constant_f(0, &mut constant).unwrap();
        (
            d.render_state(D3DRS_ALPHABLENDENABLE).unwrap() == 0,
            d.render_state(D3DRS_CULLMODE).unwrap() == D3DCULL_CCW,
            d.sampler_state(2, D3DSAMP_MINFILTER).unwrap() == D3DTEXF_POINT,
            d.texture(0).unwrap() == Some(texture),
            d.stream_source(0).unwrap().0 == Some(buffer),
            constant[0][1] == 2.0,
            d.light_enabled(3) == Ok(false),
        )
    };
    let mut seen = Vec::new();
    for block in blocks {
        change(d);
        d.apply_state_block(block).unwrap();
        seen.push(look(d));
        d.apply_state_block(blocks[0]).unwrap();
    }
    assert_eq!(seen[0], (true, true, true, true, true, true, true));
    assert_eq!(seen[1], (true, false, true, false, false, false, false));
    assert_eq!(seen[2], (false, true, false, false, false, true, true));
    rig.check();
}

/// A render target of 64 by 48 pixels.
fn render_target(d: &mut Device, format: D3DFORMAT, samples: D3DMULTISAMPLE_TYPE) -> Surface {
    Surface::of(d.create_render_target(64, 48, format, samples, 0, false).unwrap())
}

#[test]
fn samples_are_masked_where_they_are_maskable() {
    let mut rig = Rig::with(false, FALSE);
    scene(&mut rig);
    let back = rig.device.render_target(0).unwrap();
    let [many, nameless] = [D3DMULTISAMPLE_4_SAMPLES, D3DMULTISAMPLE_NONMASKABLE]
        .map(|samples| render_target(&mut rig.device, D3DFMT_A8R8G8B8, samples));
    rig.device.set_render_state(D3DRS_MULTISAMPLEMASK, 5).unwrap();
    rig.log().keep_states = true;
    for (target, expected) in [(back, u32::MAX), (many, 5), (nameless, u32::MAX), (many, 5), (back, u32::MAX)] {
        rig.device.set_render_target(0, Some(target)).unwrap();
        rig.device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
        rig.device.flush();
        assert_eq!(rig.log().draws.pop().unwrap().raster.sample_mask, expected);
    }
    rig.check();
}

#[test]
fn lines_are_smoothed_where_a_pixel_has_one_sample() {
    let mut rig = Rig::with(false, FALSE);
    scene(&mut rig);
    let back = rig.device.render_target(0).unwrap();
    let many = render_target(&mut rig.device, D3DFMT_A8R8G8B8, D3DMULTISAMPLE_4_SAMPLES);
    rig.log().keep_states = true;
    let (smooth, plain) = (LineMode::Smooth as u8, LineMode::Default as u8);
    for (target, enable, expected) in [(back, 0, plain), (back, 1, smooth), (many, 1, plain), (back, 2, smooth)] {
        rig.device.set_render_state(D3DRS_ANTIALIASEDLINEENABLE, enable).unwrap();
        rig.device.set_render_target(0, Some(target)).unwrap();
        rig.device.draw_primitive(D3DPT_LINELIST, 0, 1).unwrap();
        rig.device.flush();
        assert_eq!(rig.log().draws.pop().unwrap().raster.line_mode, expected, "{enable}");
    }
    rig.check();
}

#[test]
fn a_target_without_memory_leaves_the_others_theirs() {
    let mut rig = Rig::with(false, FALSE);
    scene(&mut rig);
    let nothing = render_target(&mut rig.device, fourcc(*b"NULL"), D3DMULTISAMPLE_NONE);
    let second = render_target(&mut rig.device, D3DFMT_A8R8G8B8, D3DMULTISAMPLE_NONE);
    rig.log().keep_states = true;
    rig.device.set_render_target(0, Some(nothing)).unwrap();
    rig.device.set_render_target(1, Some(second)).unwrap();
    rig.device.clear(&[], D3DCLEAR_TARGET, 0xffff_ffff, 1.0, 0).unwrap();
    rig.device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    rig.device.flush();
    let state = rig.log().draws.pop().unwrap();
    let bound = state.render_targets.color.map(|view| !view.texture.is_none());
    assert_eq!(bound, [false, true, false, false, false, false, false, false]);
    assert_eq!(state.scissor.rect, Rect { x: 0, y: 0, width: 64, height: 48 });
    rig.check();
}

#[test]
fn queries_answer_when_the_receiver_has() {
    let mut rig = Rig::new();
    scene(&mut rig);
    rig.log().query_value = None;
    let d = &mut rig.device;
    for kind in (0..40).filter(|kind| !(D3DQUERYTYPE_EVENT..=D3DQUERYTYPE_TIMESTAMPFREQ).contains(kind)) {
        let expected = match kind {
            D3DQUERYTYPE_VCACHE => Ok(16),
            D3DQUERYTYPE_VERTEXSTATS => Ok(8),
            _ => Err(Error::NotAvailable),
        };
        assert_eq!(d.query_size(kind), expected, "{kind}");
    }
    let cache = d.create_query(D3DQUERYTYPE_VCACHE).unwrap();
    d.issue_query(cache, D3DISSUE_END).unwrap();
    let Ok(Some(QueryData::Cache(answer))) = d.query_data(cache, true) else { panic!("a cache's data") };
    assert_eq!((answer.Pattern, answer.OptMethod), (u32::from_le_bytes(*b"CACH"), 1));
    assert_eq!(QueryData::Cache(answer).to_bytes()[8..12], answer.CacheSize.to_le_bytes());
    let vertices = d.create_query(D3DQUERYTYPE_VERTEXSTATS).unwrap();
    rig.log().query_value = Some(5 | 7 << 32);
    let d = &mut rig.device;
    for flags in [D3DISSUE_BEGIN, D3DISSUE_END] {
        d.issue_query(vertices, flags).unwrap();
    }
    let _ = d.query_data(vertices, true);
    let stats = D3DDEVINFO_D3DVERTEXSTATS { NumRenderedTriangles: 5, NumExtraClippingTriangles: 2 };
    assert_eq!(d.query_data(vertices, true), Ok(Some(QueryData::Vertices(stats))));
    rig.log().query_value = None;
    let d = &mut rig.device;
    let occlusion = d.create_query(D3DQUERYTYPE_OCCLUSION).unwrap();
    let event = d.create_query(D3DQUERYTYPE_EVENT).unwrap();
    let frequency = d.create_query(D3DQUERYTYPE_TIMESTAMPFREQ).unwrap();
    assert_eq!(d.issue_query(event, D3DISSUE_BEGIN), Err(Error::InvalidCall));
    d.issue_query(occlusion, D3DISSUE_BEGIN).unwrap();
    assert_eq!(d.query_data(occlusion, false), Ok(None), "between begin and end");
    d.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    d.issue_query(occlusion, D3DISSUE_END).unwrap();
    d.issue_query(event, D3DISSUE_END).unwrap();
    assert_eq!(d.query_data(occlusion, true), Ok(None));
    assert_eq!(d.query_data(frequency, true), Ok(Some(QueryData::Long(0xdddd_dddd_dddd_dddd))), "never issued");
    d.issue_query(frequency, D3DISSUE_END).unwrap();
    assert_eq!(d.query_data(frequency, true), Ok(Some(QueryData::Long(1_000_000_000))));
    rig.log().query_value = Some(42);
    let d = &mut rig.device;
    d.issue_query(occlusion, D3DISSUE_BEGIN).unwrap();
    d.issue_query(occlusion, D3DISSUE_END).unwrap();
    d.issue_query(event, D3DISSUE_END).unwrap();
    // The first question hands the batch over, even without the flag.
    let _ = d.query_data(occlusion, false);
    assert_eq!(d.query_data(occlusion, false), Ok(Some(QueryData::Long(42))));
    assert_eq!(d.query_data(occlusion, false), Ok(Some(QueryData::Long(42))), "asked again");
    assert_eq!(d.query_data(event, false), Ok(Some(QueryData::Word(1))));
    assert!(d.release(occlusion));
    rig.check();
}

#[test]
fn a_target_is_read_back_into_memory() {
    let mut rig = Rig::new();
    let d = &mut rig.device;
    let target = d.create_render_target(5, 3, D3DFMT_A4R4G4B4, 0, 0, false);
    assert_eq!(target, Err(Error::InvalidCall), "not a target format here");
    let target = d.create_render_target(5, 3, D3DFMT_L8, 0, 0, false).unwrap();
    let memory = d.create_offscreen_plain(5, 3, D3DFMT_L8, D3DPOOL_SYSTEMMEM).unwrap();
    d.render_target_data(Surface::of(target), Surface::of(memory)).unwrap();
    let system = d.create_texture(5, 3, 1, 0, D3DFMT_L8, D3DPOOL_SYSTEMMEM).unwrap();
    let texture = d.create_texture(5, 3, 1, 0, D3DFMT_L8, D3DPOOL_DEFAULT).unwrap();
    d.render_target_data(Surface::of(target), Surface::of(system)).unwrap();
    d.update_texture(system, texture).unwrap();
    scene(&mut rig);
    rig.device.set_texture(0, Some(texture)).unwrap();
    rig.device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    rig.check();
    let log = rig.log();
    // What was read back has gone to the other texture: rows of five bytes.
    assert_eq!(log.uploads.last().unwrap().1, [0xab; 15]);
    drop(log);
    let lockable = rig.device.create_render_target(4, 4, D3DFMT_A8R8G8B8, 0, 0, true).unwrap();
    rig.device.lock_surface(Surface::of(lockable), None, 0).unwrap();
    rig.device.unlock_surface(Surface::of(lockable)).unwrap();
    rig.check();
    assert_eq!(rig.log().uploads.last().unwrap().1, [0xab; 64]);
    assert_eq!(rig.device.lock_surface(Surface::of(target), None, 0).unwrap_err(), Error::InvalidCall);
}

#[test]
fn reset_wants_the_default_pool_back_and_keeps_handles_of_back_buffers() {
    let mut rig = Rig::new();
    let (texture, buffer) = scene(&mut rig);
    let d = &mut rig.device;
    let chain = d.swap_chain(0).unwrap();
    let back = d.back_buffer(chain, 0).unwrap();
    d.set_user(back.image, 77);
    let mut parameters = Rig::parameters(TRUE);
    parameters.BackBufferWidth = 100;
    parameters.BackBufferHeight = 50;
    assert_eq!(d.reset(&mut parameters, Rig::window()), Err(Error::InvalidCall), "a vertex buffer is held");
    d.release(buffer);
    d.set_render_state(D3DRS_ALPHABLENDENABLE, 1).unwrap();
    d.reset(&mut parameters, Rig::window()).unwrap();
    assert_eq!(d.render_state(D3DRS_ALPHABLENDENABLE), Ok(0));
    assert_eq!(d.texture(0), Ok(None));
    assert_eq!(d.back_buffer(chain, 0), Ok(back));
    assert_eq!(d.user(back.image), 77);
    assert_eq!(d.surface_desc(back).map(|desc| (desc.Width, desc.Height)), Ok((100, 50)));
    assert_eq!((d.viewport().Width, d.scissor_rect().bottom), (100, 50));
    assert_eq!(d.image_type(texture), D3DRTYPE_TEXTURE, "managed resources stay");
    rig.present().unwrap();
    rig.check();
    let log = rig.log();
    // One back buffer, one depth buffer, the managed texture.
    assert_eq!(log.state.objects.iter(ObjectKind::Texture).count(), 3);
    drop(log);
    assert!(rig.device.release(texture));
    rig.check();
}

#[test]
fn a_new_receiver_gets_everything_again() {
    let mut rig = Rig::new();
    rig.log().keep_states = true;
    let (texture, buffer) = scene(&mut rig);
    let volume = rig.device.create_volume_texture(4, 4, 4, 0, 0, D3DFMT_L8, D3DPOOL_MANAGED).unwrap();
    rig.device.lock_volume(volume, 0, None, 0).unwrap();
    rig.device.unlock_volume(volume, 0).unwrap();
    let query = rig.device.create_query(D3DQUERYTYPE_EVENT).unwrap();
    rig.log().query_value = None;
    rig.device.issue_query(query, D3DISSUE_END).unwrap();
    assert_eq!(rig.device.query_data(query, true), Ok(None));
    rig.present().unwrap();
    rig.check();
    rig.log().kill();
    // The frame after the death is dropped, and so are the calls until there is a receiver; resources go on working.
    let d = &mut rig.device;
    d.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    assert_eq!(rig.present(), Err(Error::DeviceLost));
    let d = &mut rig.device;
    assert_eq!(d.test_cooperative_level(), Err(Error::DeviceLost));
    assert_eq!(d.query_data(query, true), Err(Error::DeviceLost));
    let late = d.create_texture(4, 4, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED).unwrap();
    d.lock_surface(Surface::of(late), None, 0).unwrap();
    d.unlock_surface(Surface::of(late)).unwrap();
    d.set_texture(0, Some(late)).unwrap();
    d.lock_buffer(buffer, 0, 16, 0).unwrap();
    d.unlock_buffer(buffer).unwrap();
    d.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    d.draw_primitive_up(D3DPT_TRIANGLELIST, 1, &[0; 60], 20).unwrap();
    let memory = d.create_offscreen_plain(64, 48, D3DFMT_X8R8G8B8, D3DPOOL_SYSTEMMEM).unwrap();
    let back = d.render_target(0).unwrap();
    assert_eq!(d.render_target_data(back, Surface::of(memory)), Err(Error::DeviceLost));
    d.set_stream_source(0, Some(buffer), 0, 20).unwrap();
    d.release(texture);
    rig.log().restart();
    assert_eq!(rig.device.test_cooperative_level(), Ok(()));
    assert_eq!(rig.device.query_data(query, true), Ok(Some(QueryData::Word(1))), "nobody is kept waiting");
    rig.device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    rig.present().unwrap();
    rig.check();
    let log = rig.log();
    assert_eq!(log.present_frames.len(), 1);
    let draw = &log.draws[0];
    assert_eq!(f32::from_bits(draw.bank(0)[0][2]), 3.0);
    let bound = draw.textures[0].texture;
    assert!(log.uploads.iter().any(|(id, bytes)| *id == bound && bytes.len() == 64));
    assert!(log.uploads.iter().any(|(id, bytes)| *id == draw.vertex_buffers[0].source && bytes.len() == 256));
    assert!(matches!(draw.objects.get(draw.shaders.vertex), Some(Created::Shader(_))));
    // Back buffer, depth buffer, volume, late texture; the first texture went while nobody listened.
    assert_eq!(log.state.objects.iter(ObjectKind::Texture).count(), 4);
    assert_eq!(log.state.objects.iter(ObjectKind::Query).count(), 1);
}

#[test]
fn a_receiver_that_changes_in_mid_frame_gets_the_next_frame_whole() {
    let mut rig = Rig::new();
    scene(&mut rig);
    rig.present().unwrap();
    rig.device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    rig.log().restart();
    rig.device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    rig.present().unwrap();
    assert_eq!(rig.log().present_frames, [] as [u64; 0], "half a frame is not shown");
    rig.device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    rig.present().unwrap();
    rig.check();
    assert_eq!(rig.log().present_frames.len(), 1);
}

#[test]
fn what_does_not_fit_into_the_arena_goes_with_the_next_frame() {
    let mut rig = Rig::new();
    let (texture, buffer) = scene(&mut rig);
    rig.device.flush();
    rig.log().uploads.clear();
    rig.log().room = 60;
    let d = &mut rig.device;
    d.lock_surface(Surface::of(texture), None, 0).unwrap();
    d.unlock_surface(Surface::of(texture)).unwrap();
    d.lock_buffer(buffer, 0, 0, 0).unwrap();
    d.unlock_buffer(buffer).unwrap();
    d.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    d.flush();
    assert!(rig.log().uploads.is_empty());
    rig.log().room = u32::MAX;
    rig.present().unwrap();
    rig.device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    rig.check();
    let sizes: Vec<_> = rig.log().uploads.iter().map(|(_, bytes)| bytes.len()).collect();
    assert_eq!(sizes, [256, 64]);
}

#[test]
fn a_query_that_finds_a_new_receiver_does_not_show_the_rest_of_its_frame() {
    let mut rig = Rig::new();
    scene(&mut rig);
    let query = rig.device.create_query(D3DQUERYTYPE_OCCLUSION).unwrap();
    rig.present().unwrap();
    let d = &mut rig.device;
    d.issue_query(query, D3DISSUE_BEGIN).unwrap();
    d.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    d.issue_query(query, D3DISSUE_END).unwrap();
    rig.log().restart();
    while rig.device.query_data(query, true) == Ok(None) {}
    assert!(rig.device.query_data(query, true).is_ok());
    rig.device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    rig.present().unwrap();
    assert_eq!(rig.log().present_frames, [] as [u64; 0], "half a frame is not shown");
    rig.device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    rig.present().unwrap();
    rig.check();
    assert_eq!(rig.log().present_frames.len(), 1);
}

#[test]
fn bad_arguments_are_invalid_calls() {
    let mut rig = Rig::with(false, FALSE);
    let d = &mut rig.device;
    assert_eq!(d.draw_primitive(D3DPT_TRIANGLELIST, 0, 1), Err(Error::InvalidCall), "no declaration");
    assert_eq!(d.clear(&[], D3DCLEAR_ZBUFFER, 0, 1.0, 0), Err(Error::InvalidCall), "no depth buffer");
    assert_eq!(d.set_vertex_shader_constant_f(255, &[[0.0; 4]; 2]), Err(Error::InvalidCall));
    assert_eq!(d.set_pixel_shader_constant_f(224, &[[0.0; 4]]), Err(Error::InvalidCall));
    assert_eq!(d.create_vertex_shader(&common::assemble(common::PS)).err(), Some(Error::InvalidCall));
    assert_eq!(d.create_pixel_shader(&[0xffff_0200, 0x1234]).err(), Some(Error::InvalidCall));
    assert_eq!(d.create_texture(0, 4, 1, 0, D3DFMT_L8, D3DPOOL_MANAGED).err(), Some(Error::InvalidCall));
    assert_eq!(d.create_texture(4, 4, 4, 0, D3DFMT_L8, D3DPOOL_MANAGED).err(), Some(Error::InvalidCall));
    let both = D3DUSAGE_RENDERTARGET;
    assert_eq!(d.create_texture(4, 4, 1, both, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED).err(), Some(Error::InvalidCall));
    assert_eq!(d.create_texture(u32::MAX, 1, 1, 0, D3DFMT_L8, D3DPOOL_SCRATCH).err(), Some(Error::InvalidCall));
    assert_eq!(d.set_texture(16, None), Err(Error::InvalidCall));
    assert_eq!(d.set_texture(257, None), Ok(()));
    assert_eq!(d.set_stream_source_freq(0, D3DSTREAMSOURCE_INSTANCEDATA | 1), Err(Error::InvalidCall));
    assert_eq!(d.set_stream_source_freq(1, 0), Err(Error::InvalidCall));
    assert_eq!(d.begin_scene().and_then(|()| d.begin_scene()), Err(Error::InvalidCall));
    assert_eq!(d.end_scene(), Ok(()));
    assert_eq!(d.end_scene(), Err(Error::InvalidCall));
    assert_eq!(d.set_render_target(4, None), Err(Error::InvalidCall));
    assert_eq!(d.depth_stencil(), Err(Error::NotFound));
    assert_eq!(d.render_state(10), Err(Error::InvalidCall));
    assert_eq!(d.draw_primitive_up(D3DPT_TRIANGLELIST, u32::MAX, &[], 20), Err(Error::InvalidCall));
    rig.check();
}
