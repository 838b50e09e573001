//! Vertices that are processed into a buffer.

use super::*;

/// A buffer of an FVF that holds these words.
pub(super) fn buffer(device: *mut IDirect3DDevice9Ex, fvf: u32, words: &[u32]) -> *mut IDirect3DVertexBuffer9 {
    let mut buffer = junk();
    let size = size_of_val(words) as u32;
    let made =
        call!(device, base.CreateVertexBuffer(size, 0, fvf, D3DPOOL_SYSTEMMEM, returned(&mut buffer), no_output()));
    assert_eq!(made, D3D_OK);
    let data = locked(buffer);
    // SAFETY: all of the buffer is locked.
    unsafe { core::ptr::copy_nonoverlapping(words.as_ptr(), data, words.len()) };
    assert_eq!(call!(buffer, Unlock()), D3D_OK);
    buffer
}

pub(super) fn locked(buffer: *mut IDirect3DVertexBuffer9) -> *mut u32 {
    let mut data = junk::<c_void>();
    assert_eq!(call!(buffer, Lock(0, 0, returned(&mut data), 0)), D3D_OK);
    data.cast()
}

/// The words of a buffer.
pub(super) fn words(buffer: *mut IDirect3DVertexBuffer9, count: usize) -> Vec<u32> {
    let data = locked(buffer);
    // SAFETY: all of the buffer is locked.
    let words = unsafe { core::slice::from_raw_parts(data, count) }.to_vec();
    assert_eq!(call!(buffer, Unlock()), D3D_OK);
    words
}

pub(super) fn floats(words: &[u32]) -> Vec<f32> {
    words.iter().map(|word| f32::from_bits(*word)).collect()
}

pub(super) fn bits(floats: &[f32]) -> Vec<u32> {
    floats.iter().map(|float| float.to_bits()).collect()
}

pub(super) fn process(
    device: *mut IDirect3DDevice9Ex,
    (first, to, count): (u32, u32, u32),
    target: *mut IDirect3DVertexBuffer9,
    flags: u32,
) -> HRESULT {
    call!(device, base.ProcessVertices(first, to, count, object(target), object(core::ptr::null_mut()), flags))
}

pub(super) fn set(device: *mut IDirect3DDevice9Ex, state: D3DRENDERSTATETYPE, value: u32) {
    assert_eq!(call!(device, base.SetRenderState(state, value)), D3D_OK);
}

#[test]
fn processed_vertices_are_in_window_coordinates() {
    let device = device(false, 0);
    set(device, D3DRS_LIGHTING, 0);
    // Five vertices, so that more than one group of lanes runs; a colour and coordinates behind each position.
    let fvf = D3DFVF_XYZ | D3DFVF_DIFFUSE | D3DFVF_TEX1;
    let mut source = Vec::new();
    for vertex in 0..5u32 {
        source.extend(bits(&[-1.0 + 0.5 * vertex as f32, 0.5, 0.25]));
        source.push(0x8000_0000 + vertex);
        source.extend(bits(&[vertex as f32, 7.0]));
    }
    let source = buffer(device, fvf, &source);
    assert_eq!(call!(device, base.SetFVF(fvf)), D3D_OK);
    assert_eq!(call!(device, base.SetStreamSource(0, object(source), 0, 24)), D3D_OK);
    let viewport = D3DVIEWPORT9 { X: 8, Y: 4, Width: 32, Height: 16, MinZ: 0.5, MaxZ: 1.0 };
    assert_eq!(call!(device, base.SetViewport(input(&viewport))), D3D_OK);
    // The perspective has w = 2.
    let projection =
        D3DMATRIX { m: [[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 2.0]] };
    assert_eq!(call!(device, base.SetTransform(D3DTS_PROJECTION, input(&projection))), D3D_OK);
    let target = buffer(device, D3DFVF_XYZRHW | D3DFVF_DIFFUSE | D3DFVF_TEX1, &[0xaaaa_aaaa; 7 * 6]);
    assert_eq!(process(device, (0, 1, 5), target, 0), D3D_OK);
    let got = words(target, 7 * 6);
    assert_eq!(got[..7], [0xaaaa_aaaa; 7], "the vertex before");
    for (vertex, got) in got[7..].chunks(7).enumerate() {
        let x = -1.0 + 0.5 * vertex as f32;
        assert_eq!(floats(&got[..4]), [8.0 + (x + 1.0) * 16.0, 4.0 + 0.5 * 8.0, 0.5 + 0.25 * 0.5, 0.5]);
        assert_eq!(got[4], 0x8000_0000 + vertex as u32);
        assert_eq!(floats(&got[5..]), [vertex as f32, 7.0]);
    }
    // What processing does not change stays where the program asks for that.
    let target_2 = buffer(device, D3DFVF_XYZRHW | D3DFVF_DIFFUSE, &[0xaaaa_aaaa; 5]);
    assert_eq!(process(device, (4, 0, 1), target_2, D3DPV_DONOTCOPYDATA), D3D_OK);
    let got = words(target_2, 5);
    assert_eq!((f32::from_bits(got[0]), got[4]), (40.0, 0xaaaa_aaaa));
    // Past the end of the source there is nothing.
    assert_eq!(process(device, (100, 0, 1), target_2, 0), D3D_OK);
    assert_eq!(floats(&words(target_2, 2)), [24.0, 12.0]);
    for (range, flags) in [((0, 0, 7), 0), ((0, u32::MAX, u32::MAX), 0), ((0, 0, 1), 2)] {
        assert_eq!(process(device, range, target, flags), D3DERR_INVALIDCALL);
    }
    assert_eq!(process(device, (0, 0, 1), core::ptr::null_mut(), 0), D3DERR_INVALIDCALL);
    let untyped = buffer(device, 0, &[0; 4]);
    assert_eq!(process(device, (0, 0, 1), untyped, 0), D3DERR_INVALIDCALL);
    for buffer in [source, target, target_2, untyped] {
        release(buffer);
    }
    finish(device);
}

#[test]
fn processed_vertices_are_lit_fogged_and_given_coordinates() {
    let device = device(false, 0);
    set(device, D3DRS_LIGHTING, 1);
    set(device, D3DRS_AMBIENT, 0xff20_4060);
    set(device, D3DRS_FOGENABLE, 1);
    set(device, D3DRS_FOGVERTEXMODE, D3DFOG_LINEAR);
    set(device, D3DRS_FOGEND, 2.0f32.to_bits());
    let white = D3DCOLORVALUE { r: 1.0, g: 1.0, b: 1.0, a: 1.0 };
    let material = D3DMATERIAL9 { Diffuse: white, Ambient: white, ..Default::default() };
    assert_eq!(call!(device, base.SetMaterial(input(&material))), D3D_OK);
    // The third stage is off for pixels, and makes coordinates nonetheless.
    let generated = D3DTSS_TCI_CAMERASPACEPOSITION;
    assert_eq!(call!(device, base.SetTextureStageState(2, D3DTSS_TEXCOORDINDEX, generated)), D3D_OK);
    let source = buffer(device, D3DFVF_XYZ, &bits(&[0.25, 0.5, 0.5]));
    assert_eq!(call!(device, base.SetFVF(D3DFVF_XYZ)), D3D_OK);
    assert_eq!(call!(device, base.SetStreamSource(0, object(source), 0, 12)), D3D_OK);
    let fvf = D3DFVF_XYZRHW | D3DFVF_DIFFUSE | D3DFVF_SPECULAR | D3DFVF_TEX3;
    let target = buffer(device, fvf, &[0; 12]);
    assert_eq!(process(device, (0, 0, 1), target, D3DPV_DONOTCOPYDATA), D3D_OK);
    let got = words(target, 12);
    assert_eq!(got[4], 0xff20_4060);
    assert_eq!(got[5], 0xbf00_0000, "the fog factor of 1.5 of 2");
    assert_eq!(floats(&got[10..]), [0.25, 0.5]);
    release(source);
    release(target);
    finish(device);
}

#[test]
fn vertex_shaders_process_by_the_declaration() {
    let device = device(false, 0);
    // dcl_position v0; dcl_texcoord v1; mov oPos, v0; mul oT3, v1, c200; mov oD0, c200
    let code = [
        0xfffe_0200,
        0x0200_001f,
        0x8000_0000,
        0x900f_0000,
        0x0200_001f,
        0x8000_0005,
        0x900f_0001,
        0x0200_0001,
        0xc00f_0000,
        0x90e4_0000,
        0x0300_0005,
        0xe00f_0003,
        0x90e4_0001,
        0xa0e4_00c8,
        0x0200_0001,
        0xd00f_0000,
        0xa0e4_00c8,
        0x0000_ffff,
    ];
    let mut shader = junk();
    assert_eq!(call!(device, base.CreateVertexShader(array(&code), returned(&mut shader))), D3D_OK);
    assert_eq!(call!(device, base.SetVertexShader(object(shader))), D3D_OK);
    let constant = [2.0f32, 0.5, 4.0, 1.0];
    assert_eq!(call!(device, base.SetVertexShaderConstantF(200, array(&constant), 1)), D3D_OK);
    // Position and coordinates come from two streams.
    let element = |stream: u16, offset: u16, ty: u32, usage: u32, index: u8| D3DVERTEXELEMENT9 {
        Stream: stream,
        Offset: offset,
        Type: ty as u8,
        Method: 0,
        Usage: usage as u8,
        UsageIndex: index,
    };
    let declare = |elements: &[D3DVERTEXELEMENT9]| {
        let mut declaration = junk();
        assert_eq!(call!(device, base.CreateVertexDeclaration(array(elements), returned(&mut declaration))), D3D_OK);
        declaration
    };
    let from = declare(&[
        element(0, 0, D3DDECLTYPE_FLOAT3, D3DDECLUSAGE_POSITION, 0),
        element(1, 4, D3DDECLTYPE_FLOAT16_2, D3DDECLUSAGE_TEXCOORD, 0),
        D3DDECL_END,
    ]);
    let to = declare(&[
        element(0, 0, D3DDECLTYPE_FLOAT4, D3DDECLUSAGE_POSITION, 0),
        element(0, 16, D3DDECLTYPE_SHORT2, D3DDECLUSAGE_TEXCOORD, 3),
        element(0, 20, D3DDECLTYPE_D3DCOLOR, D3DDECLUSAGE_COLOR, 0),
        D3DDECL_END,
    ]);
    assert_eq!(call!(device, base.SetVertexDeclaration(object(from))), D3D_OK);
    let positions = buffer(device, 0, &bits(&[9.0, 9.0, 9.0, 1.0, 2.0, 3.0]));
    // 3 and 8 as 16-bit floats, in the second vertex.
    let coordinates = buffer(device, 0, &[0, 0, 0, 0x4800_4200]);
    assert_eq!(call!(device, base.SetStreamSource(0, object(positions), 0, 12)), D3D_OK);
    assert_eq!(call!(device, base.SetStreamSource(1, object(coordinates), 0, 8)), D3D_OK);
    let target = buffer(device, 0, &[0; 6]);
    let result = call!(device, base.ProcessVertices(1, 0, 1, object(target), object(to), 0));
    assert_eq!(result, D3D_OK);
    let got = words(target, 6);
    assert_eq!(floats(&got[..4]), [1.0, 2.0, 3.0, 1.0], "clip space");
    assert_eq!(got[4..], [0x0004_0006, 0xffff_80ff]);
    // A layout of two streams has no place to go.
    let result = call!(device, base.ProcessVertices(1, 0, 1, object(target), object(from), 0));
    assert_eq!(result, D3DERR_INVALIDCALL);
    assert_eq!(call!(device, base.SetVertexShader(object(core::ptr::null_mut()))), D3D_OK);
    for object in [shader.cast::<c_void>(), from.cast(), to.cast(), positions.cast(), coordinates.cast(), target.cast()]
    {
        release(object);
    }
    finish(device);
}

#[test]
fn processing_says_what_was_clipped() {
    let device = device(false, 0);
    let source = buffer(device, D3DFVF_XYZ, &bits(&[2.0, 0.0, 0.5, 3.0, 5.0, -1.0]));
    assert_eq!(call!(device, base.SetFVF(D3DFVF_XYZ)), D3D_OK);
    assert_eq!(call!(device, base.SetStreamSource(0, object(source), 0, 12)), D3D_OK);
    let plane = [-1.0f32, 0.0, 0.0, 2.5];
    assert_eq!(call!(device, base.SetClipPlane(3, array(&plane))), D3D_OK);
    set(device, D3DRS_CLIPPLANEENABLE, 8);
    let target = buffer(device, D3DFVF_XYZRHW, &[0; 8]);
    let status = || {
        let mut status = D3DCLIPSTATUS9::default();
        assert_eq!(call!(device, base.GetClipStatus(output(&mut status))), D3D_OK);
        (status.ClipUnion, status.ClipIntersection)
    };
    set(device, D3DRS_CLIPPING, 0);
    assert_eq!(process(device, (0, 0, 2), target, 0), D3D_OK);
    assert_eq!(status(), (0, u32::MAX));
    set(device, D3DRS_CLIPPING, 1);
    assert_eq!(process(device, (0, 0, 2), target, 0), D3D_OK);
    assert_eq!(status(), (D3DCS_RIGHT | D3DCS_TOP | D3DCS_FRONT | D3DCS_PLANE3, D3DCS_RIGHT));
    release(source);
    release(target);
    finish(device);
}
