//! The fixed-function pipeline from the first call to the last pixel, drawn by Vulkan in this process. Fog and vertex
//! blending are as Windows drivers do them, by the tests of the Wine project (`dlls/d3d9/tests/visual.c`).

use super::pixels::read_back;
use super::*;

const RED: u32 = 0xffff_0000;
const GREEN: u32 = 0xff00_ff00;
const BLUE: u32 = 0xff00_00ff;

/// A device that draws without lights and depth; none where there is no Vulkan.
pub(super) fn drawing_device() -> Option<*mut IDirect3DDevice9Ex> {
    let Ok(d3d) = crate::direct3d::create(D3D_SDK_VERSION, false, crate::renderer::in_process) else {
        eprintln!("skipped: this machine has no Vulkan driver (cargo xtask setup gets one)");
        return None;
    };
    let device = device_of(d3d, 0);
    render(device, D3DRS_LIGHTING, 0);
    render(device, D3DRS_ZENABLE, 0);
    render(device, D3DRS_CULLMODE, D3DCULL_NONE);
    Some(device)
}

pub(super) fn render(device: *mut IDirect3DDevice9Ex, state: D3DRENDERSTATETYPE, value: u32) {
    assert_eq!(call!(device, base.SetRenderState(state, value)), D3D_OK);
}

fn transform(device: *mut IDirect3DDevice9Ex, state: D3DTRANSFORMSTATETYPE, rows: [[f32; 4]; 4]) {
    assert_eq!(call!(device, base.SetTransform(state, input(&D3DMATRIX { m: rows }))), D3D_OK);
}

fn moved(x: f32, y: f32) -> [[f32; 4]; 4] {
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [x, y, 0.0, 1.0]]
}

/// The picture of a strip of four vertices.
fn strip<const N: usize>(device: *mut IDirect3DDevice9Ex, fvf: u32, vertices: &[[f32; N]; 4]) -> Vec<u32> {
    assert_eq!(call!(device, base.Clear(0, no_input(), D3DCLEAR_TARGET, 0, 1.0, 0)), D3D_OK);
    assert_eq!(call!(device, base.BeginScene()), D3D_OK);
    assert_eq!(call!(device, base.SetFVF(fvf)), D3D_OK);
    // SAFETY: good for four vertices of so many bytes.
    let data = unsafe { In::new(vertices.as_ptr().cast()) };
    assert_eq!(call!(device, base.DrawPrimitiveUP(D3DPT_TRIANGLESTRIP, 2, data, 4 * N as u32)), D3D_OK);
    assert_eq!(call!(device, base.EndScene()), D3D_OK);
    read_back(device).into_iter().map(|pixel| pixel & 0x00ff_ffff).collect()
}

/// The middle of the left and of the right half after a rectangle between two places along x has been drawn; `more` is what
/// its vertices have behind their position.
fn halves(device: *mut IDirect3DDevice9Ex, fvf: u32, [left, right]: [f32; 2], z: f32, more: u32) -> [u32; 2] {
    let corners = [[left, 1.0], [left, -1.0], [right, 1.0], [right, -1.0]];
    let pixels = strip(device, fvf, &corners.map(|[x, y]| [x, y, z, f32::from_bits(more)]));
    [16, 48].map(|x| pixels[24 * 64 + x])
}

#[track_caller]
fn assert_near(got: u32, expected: u32) {
    let steps = |shift: u32| (got >> shift & 0xff).abs_diff(expected >> shift & 0xff);
    assert!([0, 8, 16].into_iter().all(|shift| steps(shift) <= 2), "{got:06x} instead of {expected:06x}");
}

#[test]
fn fog_has_the_measured_colours() {
    let Some(device) = drawing_device() else { return };
    let fog = |table, vertex, start: f32, end: f32| {
        render(device, D3DRS_FOGENABLE, 1);
        render(device, D3DRS_FOGCOLOR, GREEN);
        render(device, D3DRS_FOGTABLEMODE, table);
        render(device, D3DRS_FOGVERTEXMODE, vertex);
        render(device, D3DRS_FOGSTART, start.to_bits());
        render(device, D3DRS_FOGEND, end.to_bits());
    };
    let draw = |z, color| halves(device, D3DFVF_XYZ | D3DFVF_DIFFUSE, [-1.0, 1.0], z, color)[0];
    // Vertex fog that ends before it starts.
    fog(D3DFOG_NONE, D3DFOG_LINEAR, 0.8, 0.2);
    for (z, expected) in [(0.1, 0x00_ff00), (0.4, 0x00_aa55), (0.7, 0x00_2bd4), (0.9, 0x00_00ff)] {
        assert_near(draw(z, BLUE), expected);
    }
    // Table fog by depth.
    for (mode, z, expected) in [
        (D3DFOG_LINEAR, 0.2, 0xdf_2000),
        (D3DFOG_LINEAR, 0.5, 0x7f_8000),
        (D3DFOG_EXP, 0.3, 0xbd_4200),
        (D3DFOG_EXP2, 0.6, 0xb2_4d00),
    ] {
        fog(mode, D3DFOG_NONE, 0.1, 0.9);
        assert_near(draw(z, RED), expected);
    }
    // With a projection that has a w, table fog goes by that: two of four, where depth is a half.
    fog(D3DFOG_LINEAR, D3DFOG_NONE, 0.0, 4.0);
    let projection = [[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0], [0.0, 0.0, -1.0, 0.0]];
    transform(device, D3DTS_PROJECTION, projection);
    assert_near(draw(2.0, RED), 0x7f_8000);
    finish(device);
}

#[test]
fn vertices_go_where_their_index_says() {
    let Some(device) = drawing_device() else { return };
    render(device, D3DRS_VERTEXBLEND, D3DVBF_0WEIGHTS);
    render(device, D3DRS_INDEXEDVERTEXBLENDENABLE, 1);
    transform(device, D3DTS_WORLD + 200, moved(1.0, 0.0));
    // The left half of the picture, by the world matrix that the first byte names.
    for (indices, expected) in [(0, [0xff_ffff, 0]), (200, [0, 0xff_ffff])] {
        for last in [D3DFVF_LASTBETA_UBYTE4, D3DFVF_LASTBETA_D3DCOLOR] {
            assert_eq!(halves(device, D3DFVF_XYZB1 | last, [-1.0, 0.0], 0.5, indices), expected, "{indices}");
        }
    }
    finish(device);
}

#[test]
fn vertices_are_blended_to_the_measured_places() {
    let Some(device) = drawing_device() else { return };
    let view = [[0.2, 0.0, 0.0, 0.0], [0.0, 0.2, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    transform(device, D3DTS_VIEW, view);
    // A corner of the picture for each matrix: upper left, lower left, lower right, upper right.
    let corners = [[-4.0, 4.0], [-4.0, -4.0], [4.0, -4.0], [4.0, 4.0]];
    for (index, [x, y]) in (0..).zip(corners) {
        transform(device, D3DTS_WORLD + index, moved(x, y));
    }
    render(device, D3DRS_VERTEXBLEND, D3DVBF_3WEIGHTS);
    let places = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]];
    let draw = |weights: [[f32; 3]; 4]| {
        let vertex = |vertex: usize| {
            let ([x, y], [a, b, c]) = (places[vertex], weights[vertex]);
            [x, y, 0.0, a, b, c]
        };
        let pixels = strip(device, D3DFVF_XYZB3, &[0, 1, 2, 3].map(vertex));
        // Upper left, upper right, lower left, lower right, middle, above the middle.
        [[6, 4], [57, 4], [6, 43], [57, 43], [32, 24], [32, 4]].map(|[x, y]| u8::from(pixels[y * 64 + x] == 0xff_ffff))
    };
    assert_eq!(draw([[0.0, 0.0, 0.0]; 4]), [0, 1, 0, 0, 0, 0], "what the weights leave is the last matrix's");
    assert_eq!(draw([[0.25, 0.25, 0.25]; 4]), [0, 0, 0, 0, 1, 0]);
    assert_eq!(draw([[0.5, 0.0, 0.0]; 4]), [0, 0, 0, 0, 0, 1]);
    assert_eq!(draw([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]), [1; 6]);
    finish(device);
}

/// A texture of four by four texels of eight bits.
fn luminance(device: *mut IDirect3DDevice9Ex, rows: [[u8; 4]; 4]) -> *mut IDirect3DTexture9 {
    let mut texture = junk();
    let (format, pool) = (D3DFMT_L8, D3DPOOL_MANAGED);
    let made = call!(device, base.CreateTexture(4, 4, 1, 0, format, pool, returned(&mut texture), no_output()));
    assert_eq!(made, D3D_OK);
    let mut locked = D3DLOCKED_RECT::default();
    assert_eq!(call!(texture, LockRect(0, output(&mut locked), no_input(), 0)), D3D_OK);
    for (y, row) in rows.iter().enumerate() {
        // SAFETY: four bytes of this row are locked.
        unsafe {
            let start = locked.pBits.cast::<u8>().add(y * locked.Pitch as usize);
            core::ptr::copy_nonoverlapping(row.as_ptr(), start, 4);
        }
    }
    assert_eq!(call!(texture, UnlockRect(0)), D3D_OK);
    for (state, value) in [(D3DSAMP_ADDRESSU, D3DTADDRESS_CLAMP), (D3DSAMP_ADDRESSV, D3DTADDRESS_CLAMP)] {
        assert_eq!(call!(device, base.SetSamplerState(0, state, value)), D3D_OK);
    }
    assert_eq!(call!(device, base.SetTexture(0, object(texture.cast()))), D3D_OK);
    texture
}

const VS_1_1: u32 = 0xfffe_0101;
const END: u32 = 0x0000_ffff;

#[test]
fn projected_coordinates_are_divided_whoever_writes_them() {
    let Some(device) = drawing_device() else { return };
    let texture = luminance(device, [[0, 0, 0, 0], [0, 255, 0, 0], [0; 4], [0; 4]]);
    assert_eq!(call!(device, base.SetTextureStageState(0, D3DTSS_COLOROP, D3DTOP_SELECTARG1)), D3D_OK);
    assert_eq!(call!(device, base.SetTextureStageState(0, D3DTSS_TEXTURETRANSFORMFLAGS, D3DTTFF_PROJECTED)), D3D_OK);
    // dcl_position v0; dcl_texcoord v1; mov oPos, v0; mov oT0, v1
    let code = [
        [0x1f, 0x8000_0000, 0x900f_0000],
        [0x1f, 0x8000_0005, 0x900f_0001],
        [0x01, 0xc00f_0000, 0x90e4_0000],
        [0x01, 0xe00f_0000, 0x90e4_0001],
    ];
    let code: Vec<u32> = [VS_1_1].into_iter().chain(code.concat()).chain([END]).collect();
    let mut shader = junk();
    assert_eq!(call!(device, base.CreateVertexShader(array(&code), returned(&mut shader))), D3D_OK);
    let corner = |x: f32, y: f32| [x, y, 0.5, 2.0 + 2.0 * x, 2.0 - 2.0 * y, 4.0, 6.0];
    let corners = [corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, 1.0), corner(1.0, -1.0)];
    // The set has four coordinates.
    let fvf = D3DFVF_XYZ | D3DFVF_TEX1 | 2 << 16;
    // ps_1_3; tex t0; mov r0, t0
    let code = [0xffff_0103, 0x42, 0xb00f_0000, 0x01, 0x800f_0000, 0xb0e4_0000, END];
    let mut program = junk();
    assert_eq!(call!(device, base.CreatePixelShader(array(&code), returned(&mut program))), D3D_OK);
    let (no_shader, no_program) = (core::ptr::null_mut(), core::ptr::null_mut());
    // Each pair after the one that shares least with it.
    for (vertex, pixel) in [
        (shader, no_program),
        (shader, program),
        (no_shader, no_program),
        (no_shader, program),
        (shader, no_program),
        (no_shader, no_program),
    ] {
        assert_eq!(call!(device, base.SetVertexShader(object(vertex))), D3D_OK);
        assert_eq!(call!(device, base.SetPixelShader(object(pixel))), D3D_OK);
        let pixels = strip(device, fvf, &corners);
        let white: Vec<usize> = (0..64).filter(|x| pixels[24 * 64 + x] == 0xff_ffff).collect();
        // The second of four columns, of coordinates that go from nothing to four sixths.
        assert_eq!((white.first(), white.last()), (Some(&24), Some(&47)));
    }
    // Both in one scene, with nothing else between them.
    assert_eq!(call!(device, base.SetPixelShader(object(no_program))), D3D_OK);
    assert_eq!(call!(device, base.Clear(0, no_input(), D3DCLEAR_TARGET, 0, 1.0, 0)), D3D_OK);
    assert_eq!(call!(device, base.BeginScene()), D3D_OK);
    for (vertex, from, to) in [(shader, -1.0, 0.0), (no_shader, 0.0, 1.0)] {
        assert_eq!(call!(device, base.SetVertexShader(object(vertex))), D3D_OK);
        let corner = |x: f32, y: f32| [x, y, 0.5, 4.0 * (x - from), 2.0 - 2.0 * y, 4.0, 6.0];
        let corners = [corner(from, 1.0), corner(from, -1.0), corner(to, 1.0), corner(to, -1.0)];
        // SAFETY: good for four vertices of seven floats.
        let data = unsafe { In::new(corners.as_ptr().cast()) };
        assert_eq!(call!(device, base.DrawPrimitiveUP(D3DPT_TRIANGLESTRIP, 2, data, 28)), D3D_OK);
    }
    assert_eq!(call!(device, base.EndScene()), D3D_OK);
    let pixels = read_back(device);
    let white: Vec<usize> = (0..64).filter(|x| pixels[24 * 64 + x] & 0xff_ffff == 0xff_ffff).collect();
    assert_eq!(white, (12..24).chain(44..56).collect::<Vec<_>>());
    assert_eq!(call!(device, base.SetTexture(0, object(core::ptr::null_mut()))), D3D_OK);
    assert_eq!((release(shader), release(program), release(texture)), (0, 0, 0));
    finish(device);
}

#[test]
fn fog_that_ends_where_it_starts_is_a_step_by_depth() {
    let Some(device) = drawing_device() else { return };
    render(device, D3DRS_FOGENABLE, 1);
    render(device, D3DRS_FOGCOLOR, GREEN);
    render(device, D3DRS_FOGTABLEMODE, D3DFOG_LINEAR);
    render(device, D3DRS_FOGSTART, 0.5f32.to_bits());
    render(device, D3DRS_FOGEND, 0.5f32.to_bits());
    let draw = |z| halves(device, D3DFVF_XYZ | D3DFVF_DIFFUSE, [-1.0, 1.0], z, RED)[0];
    assert_eq!([0.2, 0.45, 0.55, 0.9].map(draw), [0xff_0000, 0xff_0000, 0x00_ff00, 0x00_ff00]);
    finish(device);
}

#[test]
fn specular_alpha_is_the_fog_of_a_shader_that_writes_none() {
    let Some(device) = drawing_device() else { return };
    render(device, D3DRS_FOGENABLE, 1);
    render(device, D3DRS_FOGCOLOR, GREEN);
    // def c0, 0.25, 0.25, 0.25, 0.25; dcl_position v0; dcl_color v1; mov oPos, v0; mov oD0, v1
    let mut code = vec![VS_1_1, 0x51, 0xa00f_0000];
    code.extend([0.25f32.to_bits(); 4]);
    code.extend([0x1f, 0x8000_0000, 0x900f_0000, 0x1f, 0x8000_000a, 0x900f_0001]);
    code.extend([0x01, 0xc00f_0000, 0x90e4_0000, 0x01, 0xd00f_0000, 0x90e4_0001]);
    // mov oD1, c0; mov oFog, c0.x
    let (specular, fog) = ([0x01, 0xd00f_0001, 0xa0e4_0000], [0x01, 0xc00f_0001, 0xa000_0000]);
    let draw = |more: &[u32]| {
        let code = [&code, more, &[END]].concat();
        let mut shader = junk();
        assert_eq!(call!(device, base.CreateVertexShader(array(&code), returned(&mut shader))), D3D_OK);
        assert_eq!(call!(device, base.SetVertexShader(object(shader))), D3D_OK);
        let pixel = halves(device, D3DFVF_XYZ | D3DFVF_DIFFUSE, [-1.0, 1.0], 0.5, RED)[0];
        assert_eq!(call!(device, base.SetVertexShader(object(core::ptr::null_mut()))), D3D_OK);
        assert_eq!(release(shader), 0);
        pixel
    };
    assert_near(draw(&[]), 0x00_ff00);
    assert_near(draw(&specular), 0x40_bf00);
    assert_near(draw(&fog), 0x40_bf00);
    finish(device);
}
