//! Vertices that the GPU processes are those that the interpreter makes. Many go to the GPU, few do not: the same vertices are
//! processed at once and in portions.

use super::fixed_function::{drawing_device, render};
use super::pixels::read_back;
use super::vertices::{bits, buffer, floats, process, words};
use super::*;

/// Vertices that the GPU is worth it for, and portions that it is not.
const MANY: u32 = 200;
const FEW: u32 = 40;

fn element(stream: u16, offset: u32, ty: u32, usage: u32, index: u8) -> D3DVERTEXELEMENT9 {
    D3DVERTEXELEMENT9 {
        Stream: stream,
        Offset: offset as u16,
        Type: ty as u8,
        Method: 0,
        Usage: usage as u8,
        UsageIndex: index,
    }
}

fn declare(
    device: *mut IDirect3DDevice9Ex,
    elements: impl IntoIterator<Item = D3DVERTEXELEMENT9>,
) -> *mut IDirect3DVertexDeclaration9 {
    let elements: Vec<_> = elements.into_iter().chain([D3DDECL_END]).collect();
    let mut declaration = junk();
    assert_eq!(call!(device, base.CreateVertexDeclaration(array(&elements), returned(&mut declaration))), D3D_OK);
    declaration
}

fn shader(device: *mut IDirect3DDevice9Ex, text: &str) -> *mut IDirect3DVertexShader9 {
    let code = afterimage_shader_d3d9::assemble(text).unwrap();
    let mut shader = junk();
    assert_eq!(call!(device, base.CreateVertexShader(array(&code), returned(&mut shader))), D3D_OK);
    assert_eq!(call!(device, base.SetVertexShader(object(shader))), D3D_OK);
    shader
}

fn source(device: *mut IDirect3DDevice9Ex, stream: u32, buffer: *mut IDirect3DVertexBuffer9, stride: u32) {
    assert_eq!(call!(device, base.SetStreamSource(stream, object(buffer), 0, stride)), D3D_OK);
}

/// Numbers from -2 to 2 that are no pattern.
fn numbers(count: u32) -> impl Iterator<Item = u32> {
    (0..count).map(|at| ((at.wrapping_mul(2_654_435_761) >> 16) as f32 / 16_384.0 - 2.0).to_bits())
}

fn clip_status(device: *mut IDirect3DDevice9Ex) -> (u32, u32) {
    let mut status = D3DCLIPSTATUS9::default();
    assert_eq!(call!(device, base.GetClipStatus(output(&mut status))), D3D_OK);
    let fresh = D3DCLIPSTATUS9 { ClipUnion: 0, ClipIntersection: u32::MAX };
    assert_eq!(call!(device, base.SetClipStatus(input(&fresh))), D3D_OK);
    (status.ClipUnion, status.ClipIntersection)
}

/// What is processed into vertices of so many words by the GPU, and by the interpreter; both find the same clipped. The buffers'
/// words are no zeros before.
fn both(
    device: *mut IDirect3DDevice9Ex,
    fvf: u32,
    declaration: *mut IDirect3DVertexDeclaration9,
    size: u32,
    flags: u32,
) -> [Vec<u32>; 2] {
    let before = vec![0x5a5a_5a5a; ((MANY + 2) * size) as usize];
    let targets = [(); 2].map(|()| buffer(device, fvf, &before));
    let run = |target, first: u32, count: u32| {
        let to = first + 1;
        let result = call!(device, base.ProcessVertices(first, to, count, object(target), object(declaration), flags));
        assert_eq!(result, D3D_OK);
    };
    clip_status(device);
    run(targets[0], 0, MANY);
    let gpu = clip_status(device);
    (0..MANY).step_by(FEW as usize).for_each(|first| run(targets[1], first, FEW));
    assert_eq!(gpu, clip_status(device), "clip codes");
    targets.map(|target| {
        let made = words(target, before.len());
        assert_eq!(made[..size as usize], before[..size as usize], "the vertex before");
        assert_eq!(made[made.len() - size as usize..], before[..size as usize], "the vertex behind");
        release(target);
        made
    })
}

/// Floats differ by rounding alone.
#[track_caller]
fn assert_floats(gpu: &[u32], here: &[u32], what: &str) {
    for (at, (a, b)) in floats(gpu).into_iter().zip(floats(here)).enumerate() {
        assert!((a - b).abs() <= 1e-4 * b.abs().max(1.0), "{what}: {a} instead of {b} in word {at}");
    }
}

/// Fields of so many bits differ by one at most.
#[track_caller]
fn assert_fields(gpu: u32, here: u32, bits: u32, what: &str) {
    for shift in (0..32).step_by(bits as usize) {
        let field = |word: u32| (word >> shift & ((1 << bits) - 1)) as i32;
        let difference = (field(gpu) - field(here)).rem_euclid(1 << bits);
        assert!([0, 1, (1 << bits) - 1].contains(&difference), "{what}: {gpu:08x} instead of {here:08x}");
    }
}

#[test]
fn the_fixed_stage_makes_the_same_on_the_gpu() {
    let Some(device) = drawing_device() else { return };
    render(device, D3DRS_LIGHTING, 1);
    render(device, D3DRS_AMBIENT, 0xff20_4060);
    render(device, D3DRS_FOGENABLE, 1);
    render(device, D3DRS_FOGVERTEXMODE, D3DFOG_LINEAR);
    render(device, D3DRS_FOGEND, 2.0f32.to_bits());
    render(device, D3DRS_POINTSIZE, 3.5f32.to_bits());
    let plane = [-1.0f32, 0.25, 0.0, 1.5];
    assert_eq!(call!(device, base.SetClipPlane(3, array(&plane))), D3D_OK);
    render(device, D3DRS_CLIPPLANEENABLE, 8);
    let white = D3DCOLORVALUE { r: 1.0, g: 1.0, b: 1.0, a: 1.0 };
    let material = D3DMATERIAL9 { Diffuse: white, Ambient: white, ..Default::default() };
    assert_eq!(call!(device, base.SetMaterial(input(&material))), D3D_OK);
    let light = D3DLIGHT9 {
        Type: D3DLIGHT_DIRECTIONAL,
        Diffuse: D3DCOLORVALUE { r: 0.5, g: 0.25, b: 0.75, a: 1.0 },
        Direction: D3DVECTOR { x: 0.3, y: -0.5, z: 1.0 },
        ..Default::default()
    };
    assert_eq!(call!(device, base.SetLight(0, input(&light))), D3D_OK);
    assert_eq!(call!(device, base.LightEnable(0, TRUE)), D3D_OK);
    let projection = [[1.5, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.25], [0.0, 0.0, 0.5, 3.0]];
    assert_eq!(call!(device, base.SetTransform(D3DTS_PROJECTION, input(&D3DMATRIX { m: projection }))), D3D_OK);
    let viewport = D3DVIEWPORT9 { X: 8, Y: 4, Width: 32, Height: 16, MinZ: 0.25, MaxZ: 0.75 };
    assert_eq!(call!(device, base.SetViewport(input(&viewport))), D3D_OK);
    let generated = D3DTSS_TCI_CAMERASPACEPOSITION;
    assert_eq!(call!(device, base.SetTextureStageState(1, D3DTSS_TEXCOORDINDEX, generated)), D3D_OK);
    let fvf = D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_TEX1;
    let vertices = buffer(device, fvf, &numbers(MANY * 8).collect::<Vec<_>>());
    assert_eq!(call!(device, base.SetFVF(fvf)), D3D_OK);
    source(device, 0, vertices, 32);
    let none = core::ptr::null_mut();
    let target = D3DFVF_XYZRHW | D3DFVF_PSIZE | D3DFVF_DIFFUSE | D3DFVF_SPECULAR | D3DFVF_TEX2;
    let [gpu, here] = both(device, target, none, 11, 0);
    assert_ne!(gpu[11..22], gpu[..11], "nothing was made");
    for (gpu, here) in gpu.chunks(11).zip(here.chunks(11)) {
        assert_floats(&gpu[..5], &here[..5], "position and size");
        assert_fields(gpu[5], here[5], 8, "diffuse");
        assert_fields(gpu[6], here[6], 8, "specular");
        assert_floats(&gpu[7..], &here[7..], "coordinates");
    }
    // The coordinates of the first set are nobody's work.
    let [gpu, here] = both(device, target, none, 11, D3DPV_DONOTCOPYDATA);
    for (gpu, here) in gpu.chunks(11).zip(here.chunks(11)) {
        assert_eq!((gpu[4], gpu[7], gpu[8]), (0x5a5a_5a5a, 0x5a5a_5a5a, 0x5a5a_5a5a), "left alone");
        assert_eq!((here[4], here[7], here[8]), (gpu[4], gpu[7], gpu[8]));
        assert_floats(&gpu[..4], &here[..4], "position");
        assert_floats(&gpu[9..], &here[9..], "generated coordinates");
    }
    // Clip space.
    let [gpu, here] = both(device, D3DFVF_XYZW | D3DFVF_NORMAL, none, 7, 0);
    assert_floats(&gpu[7..], &here[7..], "clip space");
    release(vertices);
    finish(device);
}

#[test]
fn shaders_make_every_type_the_same_on_the_gpu() {
    let Some(device) = drawing_device() else { return };
    let text = "vs_2_0\ndef c10, 0.5, 1.0, 2.0, 0.25\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c0\nmov oD0, v1\n\
                mul oD1, v1, c10\nmad oT3, v0, c10, v1\nmov oFog, v1.y\nmov oT0, v1\nmov oT1.xy, v0";
    let vertex_shader = shader(device, text);
    let rows = [[1.0f32, 0.0, 0.0, 0.25], [0.0, 1.0, 0.5, 0.0], [0.0, 0.0, 0.5, 0.5], [0.25, 0.0, 0.0, 3.0]];
    assert_eq!(call!(device, base.SetVertexShaderConstantF(0, array(rows.as_flattened()), 4)), D3D_OK);
    let from = declare(
        device,
        [
            element(0, 0, D3DDECLTYPE_FLOAT3, D3DDECLUSAGE_POSITION, 0),
            element(1, 0, D3DDECLTYPE_FLOAT4, D3DDECLUSAGE_TEXCOORD, 0),
            element(1, 16, D3DDECLTYPE_D3DCOLOR, D3DDECLUSAGE_COLOR, 2),
            element(1, 20, D3DDECLTYPE_SHORT4, D3DDECLUSAGE_TANGENT, 0),
            element(1, 28, D3DDECLTYPE_UBYTE4, D3DDECLUSAGE_BLENDINDICES, 0),
            element(1, 32, D3DDECLTYPE_FLOAT16_2, D3DDECLUSAGE_NORMAL, 1),
        ],
    );
    assert_eq!(call!(device, base.SetVertexDeclaration(object(from))), D3D_OK);
    let positions = buffer(device, 0, &numbers(MANY * 3).collect::<Vec<_>>());
    let rest = (0..MANY).flat_map(|vertex| {
        let values = bits(&[0.0, 0.25, 0.5, 0.75].map(|part| (part + vertex as f32 / 77.0) % 1.0));
        let more =
            [0x1234_5678 + vertex, 0xfff0_0010 - vertex, 0x7fff_8000, 0x0403_0201 + vertex, 0x3c00_b800 + vertex];
        values.into_iter().chain(more)
    });
    let rest = buffer(device, 0, &rest.collect::<Vec<_>>());
    source(device, 0, positions, 12);
    source(device, 1, rest, 36);
    // Every type of what the stage makes, a gap, and what it leaves alone in types of its own and in others.
    let made: Vec<(u32, u32, u8)> = vec![
        (D3DDECLTYPE_FLOAT4, D3DDECLUSAGE_POSITION, 0),
        (D3DDECLTYPE_D3DCOLOR, D3DDECLUSAGE_COLOR, 0),
        (D3DDECLTYPE_SHORT4N, D3DDECLUSAGE_COLOR, 1),
        (D3DDECLTYPE_FLOAT3, D3DDECLUSAGE_TEXCOORD, 3),
        (D3DDECLTYPE_USHORT4N, D3DDECLUSAGE_TEXCOORD, 0),
        (D3DDECLTYPE_SHORT2, D3DDECLUSAGE_TEXCOORD, 1),
        (D3DDECLTYPE_SHORT4, D3DDECLUSAGE_TANGENT, 0),
        (D3DDECLTYPE_FLOAT4, D3DDECLUSAGE_BLENDINDICES, 0),
        (D3DDECLTYPE_D3DCOLOR, D3DDECLUSAGE_COLOR, 2),
        (D3DDECLTYPE_FLOAT16_2, D3DDECLUSAGE_NORMAL, 1),
        (D3DDECLTYPE_FLOAT1, D3DDECLUSAGE_PSIZE, 0),
        (D3DDECLTYPE_FLOAT2, D3DDECLUSAGE_SAMPLE, 0),
    ];
    let mut layouts = vec![made];
    for ty in D3DDECLTYPE_FLOAT1..=D3DDECLTYPE_FLOAT16_4 {
        layouts.push(vec![(ty, D3DDECLUSAGE_TEXCOORD, 0), (D3DDECLTYPE_FLOAT4, D3DDECLUSAGE_POSITION, 0)]);
    }
    for layout in layouts {
        let mut at = 0;
        let mut elements = Vec::new();
        for &(ty, usage, index) in &layout {
            elements.push(element(0, at, ty, usage, index));
            at += size_of_type(ty);
        }
        let to = declare(device, elements.iter().copied());
        let [gpu, here] = both(device, 0, to, at / 4, 0);
        for (gpu, here) in gpu.chunks(at as usize / 4).zip(here.chunks(at as usize / 4)) {
            for e in &elements {
                let ty = u32::from(e.Type);
                let words = usize::from(e.Offset) / 4..(u32::from(e.Offset) + size_of_type(ty)) as usize / 4;
                let what = format!("type {ty} of usage {}", e.Usage);
                match field_of_type(ty) {
                    32 => assert_floats(&gpu[words.clone()], &here[words], &what),
                    bits => words.for_each(|word| assert_fields(gpu[word], here[word], bits, &what)),
                }
            }
        }
        release(to);
    }
    assert_eq!(call!(device, base.SetVertexShader(object(core::ptr::null_mut()))), D3D_OK);
    for object in [vertex_shader.cast::<c_void>(), from.cast(), positions.cast(), rest.cast()] {
        release(object);
    }
    finish(device);
}

fn size_of_type(ty: u32) -> u32 {
    match ty {
        D3DDECLTYPE_FLOAT2 => 8,
        D3DDECLTYPE_FLOAT3 => 12,
        D3DDECLTYPE_FLOAT4 => 16,
        D3DDECLTYPE_SHORT4 | D3DDECLTYPE_SHORT4N | D3DDECLTYPE_USHORT4N | D3DDECLTYPE_FLOAT16_4 => 8,
        _ => 4,
    }
}

fn field_of_type(ty: u32) -> u32 {
    match ty {
        D3DDECLTYPE_FLOAT1..=D3DDECLTYPE_FLOAT4 => 32,
        D3DDECLTYPE_D3DCOLOR | D3DDECLTYPE_UBYTE4 | D3DDECLTYPE_UBYTE4N => 8,
        D3DDECLTYPE_UDEC3 | D3DDECLTYPE_DEC3N => 10,
        _ => 16,
    }
}

#[test]
fn what_the_gpu_has_processed_is_drawn_locked_and_written_over() {
    let Some(device) = drawing_device() else { return };
    // A rectangle of triangles, of which each vertex says its colour; the left half red, the right half green.
    let fvf = D3DFVF_XYZ | D3DFVF_DIFFUSE;
    let corner = |x: f32, y: f32, color: u32| [x.to_bits(), y.to_bits(), 0.5f32.to_bits(), color];
    let half = |left: f32, color: u32| {
        let (top, bottom, right) = (1.0, -1.0, left + 1.0);
        let corners = [(left, top), (right, top), (left, bottom), (right, top), (right, bottom), (left, bottom)];
        corners.map(|(x, y)| corner(x, y, color))
    };
    let mut vertices: Vec<u32> = half(-1.0, 0xffff_0000).into_iter().chain(half(0.0, 0xff00_ff00)).flatten().collect();
    vertices.resize((MANY * 4) as usize, 0);
    let vertices = buffer(device, fvf, &vertices);
    let target = D3DFVF_XYZRHW | D3DFVF_DIFFUSE;
    let made = buffer(device, target, &vec![0; (MANY * 5) as usize]);
    assert_eq!(call!(device, base.SetFVF(fvf)), D3D_OK);
    source(device, 0, vertices, 16);
    let picture = |first: u32| {
        assert_eq!(call!(device, base.Clear(0, no_input(), D3DCLEAR_TARGET, 0, 1.0, 0)), D3D_OK);
        assert_eq!(call!(device, base.BeginScene()), D3D_OK);
        assert_eq!(call!(device, base.SetFVF(target)), D3D_OK);
        source(device, 0, made, 20);
        assert_eq!(call!(device, base.DrawPrimitive(D3DPT_TRIANGLELIST, first, 4)), D3D_OK);
        assert_eq!(call!(device, base.EndScene()), D3D_OK);
        assert_eq!(call!(device, base.SetFVF(fvf)), D3D_OK);
        source(device, 0, vertices, 16);
        let pixels = read_back(device);
        [16, 48].map(|x| pixels[24 * 64 + x] & 0xff_ffff)
    };
    assert_eq!(process(device, (0, 0, MANY), made, 0), D3D_OK);
    assert_eq!(picture(0), [0xff_0000, 0x00_ff00]);
    // The program writes over a vertex's colour of each triangle of the left half; the others stay as the GPU has them.
    let data = vertices_locked(made, 0, 6);
    for vertex in 0..6 {
        // SAFETY: six vertices of five words are locked.
        unsafe { *data.add(5 * vertex + 4) = 0xff00_00ff };
    }
    assert_eq!(call!(made, Unlock()), D3D_OK);
    assert_eq!(picture(0), [0x00_00ff, 0x00_ff00]);
    // The GPU writes over what the program wrote. Those of the last lock were wanted, so that there have to be more.
    assert_eq!(process(device, (0, 0, MANY), made, 0), D3D_OK);
    assert_eq!(picture(0), [0xff_0000, 0x00_ff00]);
    let words = words(made, 10);
    assert_eq!((words[4], words[9]), (0xffff_0000, 0xffff_0000));
    assert_eq!(floats(&words[..4]), [0.0, 0.0, 0.5, 1.0]);
    // From a buffer that the GPU has written into another: in window coordinates nothing changes.
    let copy = buffer(device, target, &vec![0; (MANY * 5) as usize]);
    assert_eq!(call!(device, base.SetFVF(target)), D3D_OK);
    source(device, 0, made, 20);
    assert_eq!(process(device, (0, 0, MANY), copy, 0), D3D_OK);
    assert_eq!(vertices::words(copy, 10), words);
    for buffer in [vertices, made, copy] {
        release(buffer);
    }
    finish(device);
}

fn vertices_locked(buffer: *mut IDirect3DVertexBuffer9, first: u32, count: u32) -> *mut u32 {
    let mut data = junk::<c_void>();
    assert_eq!(call!(buffer, Lock(20 * first, 20 * count, returned(&mut data), 0)), D3D_OK);
    data.cast()
}

#[test]
fn vertex_textures_are_looked_up() {
    let Some(device) = drawing_device() else { return };
    let text = "vs_3_0\ndcl_position v0\ndcl_2d s0\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\nmov r0, v0.xyzz\n\
                texldl o1, r0, s0";
    let vertex_shader = shader(device, text);
    let mut texture = junk();
    let (format, pool) = (D3DFMT_A32B32G32R32F, D3DPOOL_MANAGED);
    let made = call!(device, base.CreateTexture(2, 1, 1, 0, format, pool, returned(&mut texture), no_output()));
    assert_eq!(made, D3D_OK);
    let mut locked = D3DLOCKED_RECT::default();
    assert_eq!(call!(texture, LockRect(0, output(&mut locked), no_input(), 0)), D3D_OK);
    let texels = [[1.0f32, 2.0, 3.0, 4.0], [-5.0, 6.5, 7.0, 8.0]];
    // SAFETY: two texels of four floats are locked.
    unsafe { core::ptr::copy_nonoverlapping(texels.as_ptr(), locked.pBits.cast(), 2) };
    assert_eq!(call!(texture, UnlockRect(0)), D3D_OK);
    assert_eq!(call!(device, base.SetTexture(D3DVERTEXTEXTURESAMPLER0, object(texture.cast()))), D3D_OK);
    let positions = bits(&[0.25, 0.5, 0.0, 0.75, 0.5, 0.0]);
    let positions = buffer(device, D3DFVF_XYZ, &positions);
    assert_eq!(call!(device, base.SetFVF(D3DFVF_XYZ)), D3D_OK);
    source(device, 0, positions, 12);
    let to = declare(device, [element(0, 0, D3DDECLTYPE_FLOAT4, D3DDECLUSAGE_TEXCOORD, 0)]);
    let target = buffer(device, 0, &[0; 8]);
    assert_eq!(call!(device, base.ProcessVertices(0, 0, 2, object(target), object(to), 0)), D3D_OK);
    assert_eq!(floats(&words(target, 8)), texels.as_flattened());
    let none = core::ptr::null_mut();
    assert_eq!(call!(device, base.SetTexture(D3DVERTEXTEXTURESAMPLER0, object(none))), D3D_OK);
    assert_eq!(call!(device, base.SetVertexShader(object(core::ptr::null_mut()))), D3D_OK);
    for object in [vertex_shader.cast::<c_void>(), texture.cast(), positions.cast(), to.cast(), target.cast()] {
        release(object);
    }
    finish(device);
}
