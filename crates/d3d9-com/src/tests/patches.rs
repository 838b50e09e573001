//! Patches from the first call to the last pixel, drawn by Vulkan in this process.

use super::fixed_function::{drawing_device, render};
use super::pixels::read_back;
use super::*;

/// A buffer of positions, bound to stream 0.
fn positions(device: *mut IDirect3DDevice9Ex, positions: &[[f32; 3]]) -> *mut IDirect3DVertexBuffer9 {
    let mut buffer = junk();
    let size = size_of_val(positions) as u32;
    let made = call!(
        device,
        base.CreateVertexBuffer(size, 0, D3DFVF_XYZ, D3DPOOL_MANAGED, returned(&mut buffer), no_output())
    );
    assert_eq!(made, D3D_OK);
    let mut data = junk::<c_void>();
    assert_eq!(call!(buffer, Lock(0, 0, returned(&mut data), 0)), D3D_OK);
    // SAFETY: all of the buffer is locked.
    unsafe { core::ptr::copy_nonoverlapping(positions.as_ptr(), data.cast(), positions.len()) };
    assert_eq!(call!(buffer, Unlock()), D3D_OK);
    assert_eq!(call!(device, base.SetStreamSource(0, object(buffer), 0, 12)), D3D_OK);
    buffer
}

/// The picture of what `draw` draws.
fn picture(device: *mut IDirect3DDevice9Ex, draw: impl FnOnce()) -> impl Fn(usize, usize) -> bool {
    assert_eq!(call!(device, base.Clear(0, no_input(), D3DCLEAR_TARGET, 0, 1.0, 0)), D3D_OK);
    assert_eq!(call!(device, base.BeginScene()), D3D_OK);
    draw();
    assert_eq!(call!(device, base.EndScene()), D3D_OK);
    let pixels = read_back(device);
    move |x, y| pixels[y * 64 + x] & 0xff_ffff == 0xff_ffff
}

fn rect(device: *mut IDirect3DDevice9Ex, handle: u32, segments: &[f32], info: Option<&D3DRECTPATCH_INFO>) -> HRESULT {
    let segments = if segments.is_empty() { no_input() } else { array(segments) };
    call!(device, base.DrawRectPatch(handle, segments, info.map_or(no_input(), input)))
}

#[test]
fn a_rectangle_patch_bulges_as_its_control_vertices_say() {
    let Some(device) = drawing_device() else { return };
    // Culling shows that the front is where rows from left to right and top to bottom are seen.
    render(device, D3DRS_CULLMODE, D3DCULL_CCW);
    assert_eq!(call!(device, base.SetFVF(D3DFVF_XYZ)), D3D_OK);
    // Four rows of four in an array whose rows are six wide; the inner columns of the lower rows hang down.
    let mut net = vec![[9.0f32; 3]; 6 * 5];
    for row in 0..4 {
        for column in 0..4 {
            let sag = if row == 3 && (column == 1 || column == 2) { 1.0 } else { 0.0 };
            net[(row + 1) * 6 + column + 2] = [-0.75 + 0.5 * column as f32, 0.75 - 0.25 * row as f32 - sag, 0.5];
        }
    }
    let buffer = positions(device, &net);
    let info = D3DRECTPATCH_INFO {
        StartVertexOffsetWidth: 2,
        StartVertexOffsetHeight: 1,
        Width: 4,
        Height: 4,
        Stride: 6,
        Basis: D3DBASIS_BEZIER,
        Degree: D3DDEGREE_CUBIC,
    };
    let at = picture(device, || assert_eq!(rect(device, 7, &[16.0; 4], Some(&info)), D3D_OK));
    // The lower edge is a curve from y = 0 down to -0.75 in the middle, as a Bezier curve goes three quarters of the way.
    assert!(at(32, 12) && at(32, 23) && at(32, 39) && !at(32, 44), "the middle");
    assert!(at(10, 12) && !at(10, 30), "the side");
    assert!(!at(4, 12) && !at(32, 3), "outside");
    // One segment per edge has nothing of the curve. The handle keeps the control vertices, whatever is bound.
    assert_eq!(call!(device, base.SetStreamSource(0, object(core::ptr::null_mut()), 0, 0)), D3D_OK);
    let at = picture(device, || assert_eq!(rect(device, 7, &[1.0; 4], None), D3D_OK));
    assert!(at(32, 12) && !at(32, 30));
    // The back of it is culled.
    render(device, D3DRS_CULLMODE, D3DCULL_CW);
    let at = picture(device, || assert_eq!(rect(device, 7, &[], None), D3D_OK));
    assert!(!at(32, 12));
    assert_eq!(call!(device, base.DeletePatch(7)), D3D_OK);
    assert_eq!(call!(device, base.DeletePatch(7)), D3DERR_INVALIDCALL);
    assert_eq!(rect(device, 7, &[1.0; 4], None), D3DERR_INVALIDCALL);
    assert_eq!(rect(device, 0, &[1.0; 4], None), D3DERR_INVALIDCALL);
    let short = D3DRECTPATCH_INFO { Width: 3, ..info };
    assert_eq!(rect(device, 7, &[1.0; 4], Some(&short)), D3DERR_INVALIDCALL);
    release(buffer);
    finish(device);
}

#[test]
fn a_triangle_patch_leaves_the_streams_alone() {
    let Some(device) = drawing_device() else { return };
    render(device, D3DRS_CULLMODE, D3DCULL_CCW);
    assert_eq!(call!(device, base.SetFVF(D3DFVF_XYZ)), D3D_OK);
    let corners = [[-0.5, 0.5, 0.5], [-0.5, -0.5, 0.5], [0.5, -0.5, 0.5]];
    let buffer = positions(device, &corners);
    let info =
        D3DTRIPATCH_INFO { StartVertexOffset: 0, NumVertices: 3, Basis: D3DBASIS_BEZIER, Degree: D3DDEGREE_LINEAR };
    let at = picture(device, || {
        let segments = [3.0f32; 3];
        assert_eq!(call!(device, base.DrawTriPatch(0, array(&segments), input(&info))), D3D_OK);
    });
    assert!(at(20, 33) && !at(44, 15) && !at(10, 24));
    // What was bound is bound, and drawn with.
    render(device, D3DRS_CULLMODE, D3DCULL_NONE);
    let at = picture(device, || assert_eq!(call!(device, base.DrawPrimitive(D3DPT_TRIANGLELIST, 0, 1)), D3D_OK));
    assert!(at(20, 33) && !at(44, 15));
    let (mut bound, mut offset, mut stride) = (junk(), 7, 7);
    let got = call!(device, base.GetStreamSource(0, returned(&mut bound), output(&mut offset), output(&mut stride)));
    assert_eq!((got, bound, offset, stride), (D3D_OK, buffer, 0, 12));
    release(bound);
    let mut declaration = junk();
    assert_eq!(call!(device, base.GetVertexDeclaration(returned(&mut declaration))), D3D_OK);
    let mut length = 0;
    assert_eq!(call!(declaration, GetDeclaration(no_output(), output(&mut length))), D3D_OK);
    assert_eq!(length, 2);
    release(declaration);
    let wrong = D3DTRIPATCH_INFO { NumVertices: 4, ..info };
    assert_eq!(call!(device, base.DrawTriPatch(0, no_input(), input(&wrong))), D3DERR_INVALIDCALL);
    release(buffer);
    finish(device);
}
