//! The picture that was presented last.

use crate::common::Rig;
use afterimage_d3d9::{Device, Error, Surface};
use afterimage_d3d9_types::*;

fn memory(device: &mut Device, format: D3DFORMAT, pool: D3DPOOL) -> Surface {
    Surface::of(device.create_offscreen_plain(100, 80, format, pool).unwrap())
}

/// Presents a frame; which packets it was made of.
fn frame(rig: &mut Rig) -> Vec<String> {
    let chain = rig.device.swap_chain(0).unwrap();
    rig.device.present(chain, None, None, None, 0).unwrap();
    rig.packets().into_iter().map(|line| line.chars().take_while(|c| c.is_alphanumeric()).collect()).collect()
}

#[test]
fn pictures_are_kept_as_long_as_somebody_asks() {
    let mut rig = Rig::new();
    let chain = rig.device.swap_chain(0).unwrap();
    let copy = memory(&mut rig.device, D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM);
    assert!(!frame(&mut rig).contains(&"Blit".into()), "nobody has asked");
    rig.device.front_buffer_data(chain, copy, POINT::default()).unwrap();
    let packets = frame(&mut rig);
    let at = |name: &str| packets.iter().position(|packet| packet == name).unwrap();
    assert!(at("Blit") < at("Present"), "{packets:?}");
    let mut kept = 1;
    while frame(&mut rig).contains(&"Blit".into()) {
        kept += 1;
        assert!(kept < 1000, "kept for ever");
    }
    assert!(kept > 100);
    rig.device.front_buffer_data(chain, copy, POINT::default()).unwrap();
    assert!(frame(&mut rig).contains(&"Blit".into()));
    rig.device.reset(&mut Rig::parameters(TRUE), Rig::window()).unwrap();
    assert!(!frame(&mut rig).contains(&"Blit".into()), "a new chain has shown nothing");
    rig.check();
}

#[test]
fn what_is_outside_of_the_surface_is_cut_off() {
    let mut rig = Rig::new();
    let chain = rig.device.swap_chain(0).unwrap();
    let copy = memory(&mut rig.device, D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM);
    for x in [i32::MIN, -1, 0, 99, 100, i32::MAX] {
        for y in [i32::MIN, -1, 0, 79, 80, i32::MAX] {
            rig.device.front_buffer_data(chain, copy, POINT { x, y }).unwrap();
        }
    }
    rig.check();
}

#[test]
fn only_surfaces_in_memory_of_one_format_take_it() {
    let mut rig = Rig::new();
    let chain = rig.device.swap_chain(0).unwrap();
    for (format, pool) in [(D3DFMT_X8R8G8B8, D3DPOOL_SYSTEMMEM), (D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT)] {
        let surface = memory(&mut rig.device, format, pool);
        assert_eq!(rig.device.front_buffer_data(chain, surface, POINT::default()), Err(Error::InvalidCall));
    }
    rig.check();
}
