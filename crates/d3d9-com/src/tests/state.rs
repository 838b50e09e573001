//! What is set can be got, locked memory keeps its bytes, a frame goes through.

use super::*;

#[test]
fn state_comes_back() {
    let device = device(false, 0);
    let mut value = 0;
    assert_eq!(call!(device, base.SetRenderState(D3DRS_ZENABLE, 0)), D3D_OK);
    assert_eq!(call!(device, base.GetRenderState(D3DRS_ZENABLE, output(&mut value))), D3D_OK);
    assert_eq!(value, 0);
    assert_eq!(call!(device, base.GetRenderState(D3DRS_ZENABLE, no_output())), D3DERR_INVALIDCALL);
    assert_eq!(call!(device, base.SetSamplerState(257, D3DSAMP_MINFILTER, D3DTEXF_LINEAR)), D3D_OK);
    assert_eq!(call!(device, base.GetSamplerState(257, D3DSAMP_MINFILTER, output(&mut value))), D3D_OK);
    assert_eq!(value, D3DTEXF_LINEAR);
    let matrix = D3DMATRIX { m: [[2.0; 4]; 4] };
    let mut got = D3DMATRIX::default();
    assert_eq!(call!(device, base.SetTransform(world_matrix(0), input(&matrix))), D3D_OK);
    assert_eq!(call!(device, base.GetTransform(world_matrix(0), output(&mut got))), D3D_OK);
    assert_eq!(got, matrix);
    assert_eq!(call!(device, base.SetTransform(world_matrix(0), no_input())), D3DERR_INVALIDCALL);
    let registers = [[1.0f32, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]];
    let mut back = [[0.0f32; 4]; 2];
    assert_eq!(call!(device, base.SetVertexShaderConstantF(10, array(registers.as_flattened()), 2)), D3D_OK);
    let out = output(&mut back.as_flattened_mut()[0]);
    assert_eq!(call!(device, base.GetVertexShaderConstantF(10, out, 2)), D3D_OK);
    assert_eq!(back, registers);
    assert_eq!(
        call!(device, base.SetVertexShaderConstantF(255, array(registers.as_flattened()), 2)),
        D3DERR_INVALIDCALL
    );
    assert_eq!(call!(device, base.SetVertexShaderConstantF(0, no_input(), 1)), D3DERR_INVALIDCALL);
    assert_eq!(call!(device, base.SetFVF(D3DFVF_XYZ | D3DFVF_DIFFUSE)), D3D_OK);
    let mut declaration = junk();
    assert_eq!(call!(device, base.GetVertexDeclaration(returned(&mut declaration))), D3D_OK);
    let mut elements = [D3DVERTEXELEMENT9::default(); 65];
    let mut length = 0;
    assert_eq!(call!(declaration, GetDeclaration(output(&mut elements[0]), output(&mut length))), D3D_OK);
    assert_eq!((length, elements[2]), (3, D3DDECL_END), "position, colour and the end");
    assert_eq!(release(declaration), 0);
    finish(device);
}

#[test]
fn a_pure_device_does_not_tell_what_was_set() {
    let device = device(false, D3DCREATE_PUREDEVICE);
    let mut value = 7;
    assert_eq!(call!(device, base.SetRenderState(D3DRS_ZENABLE, 0)), D3D_OK);
    assert_eq!(call!(device, base.GetRenderState(D3DRS_ZENABLE, output(&mut value))), D3DERR_INVALIDCALL);
    assert_eq!(call!(device, base.GetSamplerState(0, D3DSAMP_MINFILTER, output(&mut value))), D3DERR_INVALIDCALL);
    assert_eq!(call!(device, base.GetTextureStageState(0, D3DTSS_COLOROP, output(&mut value))), D3DERR_INVALIDCALL);
    let (mut matrix, mut material) = (D3DMATRIX::default(), D3DMATERIAL9::default());
    assert_eq!(call!(device, base.GetTransform(D3DTS_VIEW, output(&mut matrix))), D3DERR_INVALIDCALL);
    assert_eq!(call!(device, base.GetMaterial(output(&mut material))), D3DERR_INVALIDCALL);
    let mut register = [7.0f32; 4];
    let out = output(&mut register[0]);
    assert_eq!(call!(device, base.GetVertexShaderConstantF(0, out, 1)), D3DERR_INVALIDCALL);
    assert_eq!((value, register), (7, [7.0; 4]), "nothing is written");
    // What is bound is no state of these.
    let mut viewport = D3DVIEWPORT9::default();
    assert_eq!(call!(device, base.GetViewport(output(&mut viewport))), D3D_OK);
    finish(device);
}

#[test]
fn locked_memory_keeps_its_bytes() {
    let device = device(false, 0);
    let mut buffer = junk();
    let result = call!(device, base.CreateVertexBuffer(64, 0, 0, D3DPOOL_MANAGED, returned(&mut buffer), no_output()));
    assert_eq!(result, D3D_OK);
    let mut memory = junk();
    assert_eq!(call!(buffer, Lock(16, 16, returned(&mut memory), 0)), D3D_OK);
    // SAFETY: sixteen bytes are locked.
    unsafe { memory.cast::<u8>().write_bytes(0x5a, 16) };
    assert_eq!(call!(buffer, Unlock()), D3D_OK);
    assert_eq!(call!(buffer, Lock(0, 0, returned(&mut memory), D3DLOCK_READONLY)), D3D_OK);
    // SAFETY: all of the buffer is locked.
    let bytes = unsafe { core::slice::from_raw_parts(memory.cast::<u8>(), 64) };
    assert_eq!((bytes[15], bytes[16], bytes[31], bytes[32]), (0, 0x5a, 0x5a, 0));
    assert_eq!(call!(buffer, Unlock()), D3D_OK);
    assert_eq!(call!(buffer, Lock(0, 0, not_returned(), 0)), D3DERR_INVALIDCALL);
    assert_eq!(call!(buffer, Lock(60, 16, returned(&mut memory), 0)), D3DERR_INVALIDCALL);
    assert!(memory.is_null());
    assert_eq!(call!(buffer, base.SetPriority(7)), 0);
    assert_eq!(call!(buffer, base.GetPriority()), 7);
    assert_eq!(release(buffer), 0);

    let texture = texture(device, 2);
    let mut locked = D3DLOCKED_RECT::default();
    assert_eq!(call!(texture, LockRect(1, output(&mut locked), no_input(), 0)), D3D_OK);
    assert!(locked.Pitch >= 32 && !locked.pBits.is_null());
    assert_eq!(call!(texture, LockRect(1, output(&mut locked), no_input(), 0)), D3DERR_INVALIDCALL);
    assert_eq!(call!(texture, UnlockRect(1)), D3D_OK);
    assert_eq!(call!(texture, UnlockRect(1)), D3D_OK, "no error for a texture");
    assert_eq!(call!(texture, UnlockRect(2)), D3DERR_INVALIDCALL);
    let mut level = junk();
    assert_eq!(call!(texture, GetSurfaceLevel(1, returned(&mut level))), D3D_OK);
    assert_eq!((call!(level, base.SetPriority(3)), call!(level, base.GetPriority())), (0, 0));
    assert_eq!(release(level), 1);
    assert_eq!(call!(texture, LockRect(2, output(&mut locked), no_input(), 0)), D3DERR_INVALIDCALL);
    assert_eq!(release(texture), 0);
    finish(device);
}

#[test]
fn frames_go_through() {
    let device = device(false, 0);
    let corner = |x: f32, y: f32| [x, y, 0.5, 1.0, f32::from_bits(0xffff_0000)];
    let triangle = [corner(0.0, 0.0), corner(64.0, 0.0), corner(0.0, 48.0)];
    for _ in 0..10 {
        let flags = D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER;
        assert_eq!(call!(device, base.Clear(0, no_input(), flags, 0xff00_00ff, 1.0, 0)), D3D_OK);
        assert_eq!(call!(device, base.BeginScene()), D3D_OK);
        assert_eq!(call!(device, base.SetFVF(D3DFVF_XYZRHW | D3DFVF_DIFFUSE)), D3D_OK);
        // SAFETY: good for three vertices of twenty bytes.
        let vertices = unsafe { In::new(triangle.as_ptr().cast()) };
        assert_eq!(call!(device, base.DrawPrimitiveUP(D3DPT_TRIANGLELIST, 1, vertices, 20)), D3D_OK);
        assert_eq!(call!(device, base.DrawPrimitiveUP(D3DPT_TRIANGLELIST, 1, no_input(), 20)), D3DERR_INVALIDCALL);
        assert_eq!(call!(device, base.EndScene()), D3D_OK);
        assert_eq!(call!(device, base.Present(no_input(), no_input(), 0, no_input())), D3D_OK);
    }
    finish(device);
}
