//! `RESZ`: a depth buffer of several samples becomes a texture that shaders read, drawn by Vulkan in this process.

use super::*;

const INTZ: D3DFORMAT = u32::from_le_bytes(*b"INTZ") as D3DFORMAT;

/// Four corners of a strip over 64x48 pixels with so much depth, a diffuse colour and texture coordinates.
fn strip(right: f32, depth: f32) -> [[f32; 7]; 4] {
    let corner = |x: f32, y: f32| [x - 0.5, y - 0.5, depth, 1.0, f32::from_bits(u32::MAX), x / 64.0, y / 48.0];
    [corner(0.0, 0.0), corner(right, 0.0), corner(0.0, 48.0), corner(right, 48.0)]
}

fn draw(device: *mut IDirect3DDevice9Ex, corners: &[[f32; 7]; 4]) {
    assert_eq!(call!(device, base.BeginScene()), D3D_OK);
    // SAFETY: good for four vertices of 28 bytes.
    let vertices = unsafe { In::new(corners.as_ptr().cast()) };
    assert_eq!(call!(device, base.DrawPrimitiveUP(D3DPT_TRIANGLESTRIP, 2, vertices, 28)), D3D_OK);
    assert_eq!(call!(device, base.EndScene()), D3D_OK);
}

#[test]
fn depth_of_four_samples_is_read_as_a_texture() {
    let d3d = match crate::direct3d::create(D3D_SDK_VERSION, false, crate::renderer::in_process) {
        Ok(d3d) => d3d,
        Err(_) => return eprintln!("skipped: this machine has no Vulkan driver (cargo xtask setup gets one)"),
    };
    let device = device_of(d3d, 0);
    let (samples, mut color, mut depth) = (D3DMULTISAMPLE_4_SAMPLES, junk(), junk());
    let format = D3DFMT_X8R8G8B8;
    let made =
        call!(device, base.CreateRenderTarget(64, 48, format, samples, 0, FALSE, returned(&mut color), no_output()));
    assert_eq!(made, D3D_OK);
    let made = call!(
        device,
        base.CreateDepthStencilSurface(64, 48, D3DFMT_D24S8, samples, 0, FALSE, returned(&mut depth), no_output())
    );
    assert_eq!(made, D3D_OK);
    let (mut texture, usage) = (junk(), D3DUSAGE_DEPTHSTENCIL);
    let made =
        call!(device, base.CreateTexture(64, 48, 1, usage, INTZ, D3DPOOL_DEFAULT, returned(&mut texture), no_output()));
    assert_eq!(made, D3D_OK);
    let (mut back, mut old) = (junk(), junk());
    assert_eq!(call!(device, base.GetRenderTarget(0, returned(&mut back))), D3D_OK);
    assert_eq!(call!(device, base.GetDepthStencilSurface(returned(&mut old))), D3D_OK);

    assert_eq!(call!(device, base.SetRenderTarget(0, object(color))), D3D_OK);
    assert_eq!(call!(device, base.SetDepthStencilSurface(object(depth))), D3D_OK);
    let both = D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER;
    assert_eq!(call!(device, base.Clear(0, no_input(), both, 0, 0.75, 0)), D3D_OK);
    assert_eq!(call!(device, base.SetFVF(D3DFVF_XYZRHW | D3DFVF_DIFFUSE | D3DFVF_TEX1)), D3D_OK);
    draw(device, &strip(32.0, 0.25));
    assert_eq!(call!(device, base.SetTexture(0, object(texture.cast()))), D3D_OK);
    assert_eq!(call!(device, base.SetRenderState(D3DRS_POINTSIZE, 0x7fa0_5000)), D3D_OK);
    assert_eq!(call!(device, base.SetRenderState(D3DRS_POINTSIZE, 1f32.to_bits())), D3D_OK);

    assert_eq!(call!(device, base.SetRenderTarget(0, object(back))), D3D_OK);
    assert_eq!(call!(device, base.SetDepthStencilSurface(object(old))), D3D_OK);
    assert_eq!((release(back), release(old)), (0, 0));
    assert_eq!(call!(device, base.SetRenderState(D3DRS_ZENABLE, 0)), D3D_OK);
    draw(device, &strip(64.0, 0.0));
    let pixels = pixels::read_back(device);
    let red = |x: usize| pixels[20 * 64 + x] >> 16 & 0xff;
    assert!(red(8).abs_diff(64) < 2 && red(56).abs_diff(191) < 2, "{:#x} {:#x}", red(8), red(56));

    assert_eq!(call!(device, base.SetTexture(0, object(core::ptr::null_mut()))), D3D_OK);
    assert_eq!((release(texture), release(color), release(depth)), (0, 0, 0));
    finish(device);
}
