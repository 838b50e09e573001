//! What the adapter says can be created, can be; what it denies, cannot. Every format with every usage in every kind of
//! resource.

use crate::common::{self, Rig};
use afterimage_config::{OldFormat, Values, Words as _};
use afterimage_d3d9::*;
use afterimage_d3d9_types::*;

/// Every format that Direct3D names, and those of drivers, whether we have them or not.
fn formats() -> Vec<D3DFORMAT> {
    let four = [
        b"ATI1", b"ATI2", b"INTZ", b"DF16", b"DF24", b"RAWZ", b"NULL", b"NV12", b"YV12", b"R2VB", b"DXT1", b"DXT2",
        b"DXT3", b"DXT4", b"DXT5", b"UYVY", b"YUY2", b"RGBG", b"GRGB", b"INST", b"DXT6",
    ];
    (1..=120).chain([199]).chain(four.map(|name| fourcc(*name))).collect()
}

fn adapter() -> Adapter {
    let desktop = D3DDISPLAYMODE { Width: 1280, Height: 1024, RefreshRate: 60, Format: D3DFMT_X8R8G8B8 };
    Adapter::new(common::info(), desktop)
}

/// What is there without being asked for, and with all that the user can ask for.
#[test]
fn what_the_adapter_says_is_true() {
    let [plain, old] = [vec![], OldFormat::ALL.to_vec()].map(all_that_the_adapter_says);
    assert!(plain.0 > 300 && plain.1 > 1000, "{plain:?} combinations can and cannot be created");
    // Each as a texture, dynamic or not; all but the video memory's limits of volumes and cubes.
    assert!(old.0 >= plain.0 + 7 * 6, "{old:?} with old formats");
}

/// How many combinations can be created, and how many cannot.
fn all_that_the_adapter_says(old_formats: Vec<OldFormat>) -> (usize, usize) {
    let values = Values { old_formats, ..Default::default() };
    let (adapter, mut rig) = (adapter().with_overrides(&values), Rig::new());
    rig.device.set_wishes(&values);
    let (mut yes, mut no) = (0, 0);
    for format in formats() {
        for usage in [0, D3DUSAGE_RENDERTARGET, D3DUSAGE_DEPTHSTENCIL, D3DUSAGE_DYNAMIC, D3DUSAGE_AUTOGENMIPMAP] {
            for resource in [D3DRTYPE_SURFACE, D3DRTYPE_TEXTURE, D3DRTYPE_CUBETEXTURE, D3DRTYPE_VOLUMETEXTURE] {
                let surface = resource == D3DRTYPE_SURFACE;
                // Surfaces have neither of these usages.
                if surface && usage & (D3DUSAGE_DYNAMIC | D3DUSAGE_AUTOGENMIPMAP) != 0 {
                    continue;
                }
                let (device_type, adapter_format) = (D3DDEVTYPE_HAL, D3DFMT_X8R8G8B8);
                let said = adapter.check_format(&FormatQuery { device_type, adapter_format, usage, resource, format });
                let (d, pool) = (&mut rig.device, D3DPOOL_DEFAULT);
                let made = match (resource, usage) {
                    (D3DRTYPE_SURFACE, D3DUSAGE_RENDERTARGET) => d.create_render_target(16, 16, format, 0, 0, false),
                    (D3DRTYPE_SURFACE, D3DUSAGE_DEPTHSTENCIL) => d.create_depth_stencil(16, 16, format, 0, 0, false),
                    (D3DRTYPE_SURFACE, _) => d.create_offscreen_plain(16, 16, format, pool),
                    (D3DRTYPE_TEXTURE, _) => d.create_texture(16, 16, 0, usage, format, pool),
                    (D3DRTYPE_CUBETEXTURE, _) => d.create_cube_texture(16, 0, usage, format, pool),
                    _ => d.create_volume_texture(16, 16, 4, 0, usage, format, pool),
                };
                let what = format!("format {format:#x}, usage {usage:#x}, resource {resource}");
                assert_eq!(said.is_ok(), made.is_ok(), "{what}: {said:?}, but {made:?}");
                let Ok(image) = made else {
                    no += 1;
                    continue;
                };
                yes += 1;
                // System memory and managed ones follow, where such usages exist there.
                if usage == 0 && !format_row(format).unwrap().is_depth() {
                    let other = match resource {
                        D3DRTYPE_SURFACE => d.create_offscreen_plain(16, 16, format, D3DPOOL_SYSTEMMEM),
                        D3DRTYPE_TEXTURE => d.create_texture(16, 16, 0, 0, format, D3DPOOL_MANAGED),
                        D3DRTYPE_CUBETEXTURE => d.create_cube_texture(16, 0, 0, format, D3DPOOL_MANAGED),
                        _ => d.create_volume_texture(16, 16, 4, 0, 0, format, D3DPOOL_MANAGED),
                    };
                    d.release(other.unwrap_or_else(|error| panic!("{what} elsewhere: {error}")));
                }
                d.release(image);
            }
        }
        rig.check();
    }
    (yes, no)
}

/// System memory holds what the device has; in the scratch pool and as plain surfaces these formats stay.
#[test]
fn textures_of_old_formats_are_scratch() {
    let mut rig = Rig::new();
    let d = &mut rig.device;
    for format in [D3DFMT_R8G8B8, D3DFMT_P8, D3DFMT_A4L4, D3DFMT_YUY2] {
        for pool in [D3DPOOL_DEFAULT, D3DPOOL_MANAGED, D3DPOOL_SYSTEMMEM, D3DPOOL_SCRATCH] {
            let there = pool == D3DPOOL_SCRATCH;
            assert_eq!(d.create_texture(4, 4, 1, 0, format, pool).is_ok(), there, "{format} in {pool}");
            assert_eq!(d.create_volume_texture(4, 4, 4, 1, 0, format, pool).is_ok(), there, "{format} in {pool}");
            let plain = d.create_offscreen_plain(4, 4, format, pool).is_ok();
            assert_eq!(plain, pool != D3DPOOL_MANAGED, "{format} in {pool}");
        }
    }
}

#[test]
fn names_of_switches_are_answered_where_they_do_something() {
    let (adapter, mut rig) = (adapter(), Rig::new());
    let ask = |name: &[u8; 4], usage, resource| {
        let (device_type, adapter_format) = (D3DDEVTYPE_HAL, D3DFMT_X8R8G8B8);
        adapter.check_format(&FormatQuery { device_type, adapter_format, usage, resource, format: fourcc(*name) })
    };
    assert_eq!(ask(b"ATOC", 0, D3DRTYPE_SURFACE), Ok(true));
    assert_eq!(ask(b"ATOC", 0, D3DRTYPE_TEXTURE), Err(Error::NotAvailable));
    assert_eq!(ask(b"RESZ", D3DUSAGE_RENDERTARGET, D3DRTYPE_SURFACE), Ok(true));
    assert_eq!(ask(b"R2VB", 0, D3DRTYPE_SURFACE), Err(Error::NotAvailable));
    // Alpha to coverage, NVIDIA's way and AMD's.
    let d = &mut rig.device;
    d.set_fvf(D3DFVF_XYZRHW).unwrap();
    let mut coverage = |states: &[(u32, u32)]| {
        states.iter().for_each(|(state, value)| d.set_render_state(*state, *value).unwrap());
        d.draw_primitive_up(D3DPT_TRIANGLELIST, 1, &[0; 48], 16).unwrap();
        d.flush();
        rig.log.lock().unwrap().state.raster.alpha_to_coverage
    };
    let atoc = fourcc(*b"ATOC");
    assert_eq!(coverage(&[(D3DRS_ADAPTIVETESS_Y, atoc)]), 0, "not without the alpha test");
    assert_eq!(coverage(&[(D3DRS_ALPHATESTENABLE, 1)]), 1);
    assert_eq!(coverage(&[(D3DRS_ALPHATESTENABLE, 0)]), 0);
    assert_eq!(coverage(&[(D3DRS_POINTSIZE, fourcc(*b"A2M1")), (D3DRS_POINTSIZE, 1f32.to_bits())]), 1);
    assert_eq!(coverage(&[(D3DRS_POINTSIZE, fourcc(*b"A2M0"))]), 0);
    // A depth buffer with several samples into a texture, each time that it is asked for.
    let intz = fourcc(*b"INTZ");
    let texture = d.create_texture(64, 48, 1, D3DUSAGE_DEPTHSTENCIL, intz, D3DPOOL_DEFAULT).unwrap();
    let target = d.create_render_target(64, 48, D3DFMT_X8R8G8B8, 4, 0, false).unwrap();
    let depth = d.create_depth_stencil(64, 48, D3DFMT_D24S8, 4, 0, false).unwrap();
    d.set_render_target(0, Some(Surface::of(target))).unwrap();
    d.set_depth_stencil(Some(Surface::of(depth))).unwrap();
    d.set_texture(0, Some(texture)).unwrap();
    d.flush();
    rig.log.lock().unwrap().take_lines();
    for _ in 0..2 {
        d.set_render_state(D3DRS_POINTSIZE, 0x7fa0_5000).unwrap();
    }
    let blits = rig.packets().iter().filter(|line| line.contains("Blit")).count();
    assert_eq!(blits, 2);
    rig.check();
}

#[test]
fn what_can_be_converted_is_stretched() {
    let (adapter, mut rig) = (adapter(), Rig::new());
    let mut pairs = 0;
    for source in formats() {
        for target in formats() {
            if adapter.check_conversion(D3DDEVTYPE_HAL, source, target).is_err() || source == target {
                continue;
            }
            let d = &mut rig.device;
            let from = match format_row(source).unwrap().target {
                true => d.create_render_target(16, 16, source, 0, 0, false).unwrap(),
                false => d.create_offscreen_plain(16, 16, source, D3DPOOL_DEFAULT).unwrap(),
            };
            let to = d.create_render_target(32, 32, target, 0, 0, false).unwrap();
            let done = d.stretch_rect(Surface::of(from), None, Surface::of(to), None, D3DTEXF_LINEAR);
            assert_eq!(done, Ok(()), "{source:#x} to {target:#x}");
            d.release(from);
            d.release(to);
            pairs += 1;
        }
    }
    assert!(pairs > 40, "{pairs}");
    rig.check();
}
