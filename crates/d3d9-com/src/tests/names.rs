//! Names that programs give their resources reach the receiver, watched or not.

use super::markers::{wait, wide};
use super::*;

/// `WKPDID_D3DDebugObjectName`, as the SDK publishes it.
const NAME: GUID =
    GUID { Data1: 0x429b_8c22, Data2: 0x9188, Data3: 0x4b0c, Data4: [0x87, 0x42, 0xac, 0xb0, 0xbf, 0x85, 0xc2, 0] };
/// `WKPDID_D3DDebugObjectNameW`.
const WIDE: GUID =
    GUID { Data1: 0x4cca_5fd8, Data2: 0x921f, Data3: 0x42c8, Data4: [0x85, 0x66, 0x70, 0xca, 0xf2, 0xa9, 0xb7, 0x41] };

fn set(resource: *mut IDirect3DResource9, guid: &GUID, data: &[u8]) {
    // SAFETY: good for so many bytes.
    let bytes = unsafe { In::new(data.as_ptr().cast()) };
    assert_eq!(call!(resource, SetPrivateData(input(guid), bytes, data.len() as u32, 0)), D3D_OK);
}

#[test]
fn what_a_program_calls_its_resources_is_known_to_the_receiver() {
    let device = device(false, 0);
    let texture = texture(device, 1);
    let (mut vertices, mut target, mut level) = (junk(), junk(), junk());
    let made = call!(device, base.CreateVertexBuffer(64, 0, 0, D3DPOOL_MANAGED, returned(&mut vertices), no_output()));
    assert_eq!(made, D3D_OK);
    let (format, samples) = (D3DFMT_A8R8G8B8, D3DMULTISAMPLE_NONE);
    let made =
        call!(device, base.CreateRenderTarget(8, 8, format, samples, 0, FALSE, returned(&mut target), no_output()));
    assert_eq!(made, D3D_OK);
    wait(device);
    assert!(receiver::has_named("D3DFMT_A8R8G8B8 texture, D3DPOOL_MANAGED"), "without a name of its own");

    set(texture.cast(), &NAME, b"bark\0left over");
    set(vertices.cast(), &NAME, "Bl\u{e4}tter".as_bytes());
    let units: Vec<u8> = wide("Schatten").iter().flat_map(|unit| unit.to_ne_bytes()).collect();
    set(target.cast(), &WIDE, &units);
    // Other private data is no name, and the name of a level is not that of its texture.
    set(texture.cast(), &GUID { Data1: 1, ..NAME }, b"no name");
    assert_eq!(call!(texture, GetSurfaceLevel(0, returned(&mut level))), D3D_OK);
    set(level.cast(), &NAME, b"its level");
    set(target.cast(), &NAME, &[b'x'; 1000]);
    wait(device);
    for name in [
        "bark (D3DFMT_A8R8G8B8 texture, D3DPOOL_MANAGED)",
        "Bl\u{e4}tter (vertex buffer, D3DPOOL_MANAGED)",
        "Schatten (D3DFMT_A8R8G8B8 surface, D3DPOOL_DEFAULT)",
        &"x".repeat(256),
    ] {
        assert!(receiver::has_named(name), "{name}");
    }
    for name in ["no name", "its level"] {
        assert!(!receiver::has_named(&format!("{name} (D3DFMT_A8R8G8B8 texture, D3DPOOL_MANAGED)")), "{name}");
    }
    assert_eq!(call!(vertices, base.FreePrivateData(input(&NAME))), D3D_OK);
    assert_eq!((release(level), release(texture), release(vertices), release(target)), (1, 0, 0, 0));
    finish(device);
}
