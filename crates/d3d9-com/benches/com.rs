//! What a call through a vtable costs the program's thread, before any draw: `cargo xtask bench com`.
//!
//! The baseline is `AddRef` and `Release` of a device: two calls that do nothing but count.

use afterimage_bench::Bench;
use afterimage_d3d9_types::*;
use d3d9::abi::{IDirect3DDevice9, IDirect3DTexture9, IDirect3DVertexBuffer9, In, Object, Out, OutObject};

const CALLS: usize = 1000;

macro_rules! call {
    ($object:expr, $method:ident $(. $of_base:ident)* ($($argument:expr),* $(,)?)) => {{
        let object = $object;
        // SAFETY: an object of this library, which the benchmark has a reference to.
        unsafe { ((*(*object).vtable).$method $(.$of_base)*)(object.cast() $(, $argument)*) }
    }};
}

/// A device without a window, if this machine can render.
fn device() -> Option<*mut IDirect3DDevice9> {
    let d3d = d3d9::exports::Direct3DCreate9(D3D_SDK_VERSION);
    if d3d.is_null() {
        return None;
    }
    let mut wanted = D3DPRESENT_PARAMETERS {
        BackBufferWidth: 64,
        BackBufferHeight: 64,
        BackBufferFormat: D3DFMT_X8R8G8B8,
        SwapEffect: D3DSWAPEFFECT_DISCARD,
        Windowed: TRUE,
        ..Default::default()
    };
    let mut device = core::ptr::null_mut();
    // SAFETY: both are good for what the method writes.
    let (wanted, out) = unsafe { (Out::new(&mut wanted), OutObject::new(&mut device)) };
    let hardware = D3DCREATE_HARDWARE_VERTEXPROCESSING;
    let result = call!(d3d, CreateDevice(D3DADAPTER_DEFAULT, D3DDEVTYPE_HAL, 0, hardware, wanted, out));
    call!(d3d, base.Release());
    (result == D3D_OK).then_some(device)
}

fn main() -> std::io::Result<()> {
    let Some(device) = device() else {
        println!("com        skipped: this machine has no Vulkan driver (cargo xtask setup gets one)");
        return Ok(());
    };
    let texture = || {
        let mut texture: *mut IDirect3DTexture9 = core::ptr::null_mut();
        // SAFETY: null, and good for a pointer.
        let (shared, out) = unsafe { (Out::new(core::ptr::null_mut()), OutObject::new(&mut texture)) };
        call!(device, CreateTexture(4, 4, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED, out, shared));
        // SAFETY: the device has just made it.
        unsafe { Object::new(texture.cast()) }
    };
    let textures = [texture(), texture()];
    let mut buffer: *mut IDirect3DVertexBuffer9 = core::ptr::null_mut();
    // SAFETY: null, and good for a pointer.
    let (shared, out) = unsafe { (Out::new(core::ptr::null_mut()), OutObject::new(&mut buffer)) };
    call!(device, CreateVertexBuffer(4096, 0, 0, D3DPOOL_MANAGED, out, shared));
    // SAFETY: the device has just made it.
    let buffer = unsafe { Object::new(buffer) };
    let constants = [1.0f32; 32];
    // SAFETY: good for eight registers.
    let constants = unsafe { In::new(constants.as_ptr()) };

    let mut bench = Bench::new("com");
    bench.case("AddRef and Release", CALLS, || {
        for _ in 0..CALLS {
            call!(device, base.AddRef());
            call!(device, base.Release());
        }
    });
    bench.case("SetRenderState, same value", CALLS, || {
        for _ in 0..CALLS {
            call!(device, SetRenderState(D3DRS_ZENABLE, 1));
        }
    });
    bench.case("SetRenderState, another value", CALLS, || {
        for n in 0..CALLS as u32 {
            call!(device, SetRenderState(D3DRS_ZENABLE, n & 1));
        }
    });
    bench.case("SetTexture, another texture", CALLS, || {
        for n in 0..CALLS {
            call!(device, SetTexture(0, textures[n & 1]));
        }
    });
    bench.case("SetVertexShaderConstantF, 8 registers", CALLS, || {
        for n in 0..CALLS as u32 {
            call!(device, SetVertexShaderConstantF(n & 7, constants, 8));
        }
    });
    bench.case("SetStreamSource, another offset", CALLS, || {
        for n in 0..CALLS as u32 {
            call!(device, SetStreamSource(0, buffer, n * 4, 16));
        }
    });
    bench.finish()
}
