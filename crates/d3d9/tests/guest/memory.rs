//! Resources that do not fit, and resources that lie outside of the address space.

use crate::common::Rig;
use afterimage_d3d9::*;
use afterimage_d3d9_types::*;
use afterimage_ipc::store::keep_outside;

#[test]
fn what_does_not_fit_is_refused_and_takes_nothing() {
    let mut rig = Rig::new();
    let d = &mut rig.device;
    let free = d.available_texture_memory();
    let float = D3DFMT_A32B32G32R32F;
    // A slice of 4 GiB, which 32 bits cannot count; half of that, which the device does not have.
    for (edge, pool) in [(16_384, D3DPOOL_SYSTEMMEM), (16_384, D3DPOOL_DEFAULT), (11_000, D3DPOOL_DEFAULT)] {
        let texture = d.create_texture(edge, edge, 0, 0, float, pool);
        assert_eq!(texture, Err(Error::OutOfVideoMemory), "{edge}");
    }
    assert_eq!(d.create_render_target(16_384, 16_384, float, 0, 0, false), Err(Error::OutOfVideoMemory));
    assert_eq!(d.available_texture_memory(), free);
    // Many that fit alone do not fit together, until one goes.
    let mut targets = Vec::new();
    let full = loop {
        match d.create_render_target(4096, 4096, D3DFMT_A8R8G8B8, 0, 0, false) {
            Ok(target) => targets.push(target),
            Err(error) => break error,
        }
    };
    assert_eq!((full, targets.len()), (Error::OutOfVideoMemory, (free >> 26) as usize));
    assert!(d.release(targets[0]));
    assert!(d.create_render_target(4096, 4096, D3DFMT_A8R8G8B8, 0, 0, false).is_ok());
    rig.check();
}

/// What a device sends for managed textures and buffers that are locked in turn.
fn packets_of_locks() -> Vec<String> {
    let mut rig = Rig::new();
    let d = &mut rig.device;
    let textures: Vec<ImageId> =
        (0..40).map(|_| d.create_texture(1024, 1024, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED).unwrap()).collect();
    let buffer = d.create_vertex_buffer(1 << 20, 0, 0, D3DPOOL_MANAGED).unwrap();
    d.set_fvf(D3DFVF_XYZ).unwrap();
    d.set_stream_source(0, Some(buffer), 0, 12).unwrap();
    for round in 0..2 {
        let d = &mut rig.device;
        for &texture in &textures {
            let surface = Surface::of(texture);
            let rect = RECT { left: 0, top: round * 8, right: 64, bottom: round * 8 + 8 };
            let first = d.lock_surface(surface, Some(&rect), 0).unwrap();
            assert_eq!((first.row_pitch, first.bits.addr() % 64), (4096, 0));
            d.lock_buffer(buffer, 0, 64, 0).unwrap();
            d.unlock_buffer(buffer).unwrap();
            d.unlock_surface(surface).unwrap();
            d.set_texture(0, Some(texture)).unwrap();
            d.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
        }
        rig.present().unwrap();
    }
    rig.check();
    rig.packets()
}

#[test]
fn a_32_bit_process_sends_what_a_64_bit_process_sends() {
    keep_outside(true);
    let outside = packets_of_locks();
    keep_outside(false);
    assert_eq!(outside, packets_of_locks());
}
