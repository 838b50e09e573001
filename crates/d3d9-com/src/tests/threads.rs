//! Devices that several threads use.

use super::*;
use std::time::{Duration, Instant};

/// A device's address, for other threads.
#[derive(Clone, Copy)]
struct Shared(*mut IDirect3DDevice9Ex);

// SAFETY: the device is made for several threads, and outlives them.
unsafe impl Send for Shared {}

/// What programs do between two frames: resources come and go, states change, something is drawn. Returns how often.
fn work(device: *mut IDirect3DDevice9Ex, number: u32) -> u32 {
    let (start, mut rounds) = (Instant::now(), 0);
    while rounds == 0 || start.elapsed() < Duration::from_millis(500) {
        rounds += 1;
        let texture = texture(device, 1);
        let mut locked = D3DLOCKED_RECT::default();
        assert_eq!(call!(texture, LockRect(0, output(&mut locked), no_input(), 0)), D3D_OK);
        // SAFETY: sixteen rows of sixteen pixels are locked, by this thread alone.
        unsafe { locked.pBits.cast::<u32>().write(number) };
        assert_eq!(call!(texture, UnlockRect(0)), D3D_OK);
        assert_eq!(call!(device, base.SetTexture(number, object(texture.cast()))), D3D_OK);
        assert_eq!(call!(device, base.SetRenderState(D3DRS_FOGCOLOR, rounds)), D3D_OK);
        assert_eq!(call!(device, base.SetFVF(D3DFVF_XYZRHW)), D3D_OK);
        let corners = [[0.0f32, 0.0, 0.5, 1.0]; 3];
        // SAFETY: good for three vertices of sixteen bytes.
        let vertices = unsafe { In::new(corners.as_ptr().cast()) };
        assert_eq!(call!(device, base.DrawPrimitiveUP(D3DPT_TRIANGLELIST, 1, vertices, 16)), D3D_OK);
        // Bound, it outlives the program's reference; another may be asked for it meanwhile.
        release(texture);
        let mut bound = junk();
        assert_eq!(call!(device, base.GetTexture((number + 1) % 4, returned(&mut bound))), D3D_OK);
        if !bound.is_null() {
            release(bound);
        }
        if rounds % 16 == 0 {
            assert_eq!(call!(device, base.Present(no_input(), no_input(), 0, no_input())), D3D_OK);
        }
    }
    rounds
}

#[test]
fn four_threads_use_one_device() {
    let device = device(false, D3DCREATE_MULTITHREADED);
    let shared = Shared(device);
    let threads: Vec<_> = (0..4)
        .map(|number| {
            std::thread::spawn(move || {
                let Shared(device) = { shared };
                work(device, number)
            })
        })
        .collect();
    assert!(threads.into_iter().all(|thread| thread.join().expect("no panic") > 0));
    for stage in 0..4 {
        assert_eq!(call!(device, base.SetTexture(stage, object(core::ptr::null_mut()))), D3D_OK);
    }
    finish(device);
}

#[test]
fn each_thread_has_a_device_of_its_own() {
    let thread = |number| {
        std::thread::spawn(move || {
            let device = device(false, 0);
            let rounds = work(device, number);
            assert_eq!(call!(device, base.SetTexture(number, object(core::ptr::null_mut()))), D3D_OK);
            finish(device);
            rounds
        })
    };
    assert!([thread(0), thread(1)].into_iter().all(|thread| thread.join().expect("no panic") > 0));
}
