//! What happens to pictures on their way to a window.

use crate::common::Rig;
use afterimage_d3d9_types::*;
use afterimage_stream::packets::Overlay;

fn ramp(step: u16) -> D3DGAMMARAMP {
    D3DGAMMARAMP { red: std::array::from_fn(|at| at as u16 * step), green: [7; 256], blue: [9; 256] }
}

/// Presents a frame; what it said of gamma.
fn gamma_of_a_frame(rig: &mut Rig) -> Vec<String> {
    let chain = rig.device.swap_chain(0).unwrap();
    rig.device.present(chain, None, None, None, 0).unwrap();
    let packets = rig.packets();
    packets
        .into_iter()
        .filter(|line| line.starts_with("SetGamma"))
        .map(|line| line.chars().take(90).collect())
        .collect()
}

fn full_screen(windowed: BOOL) -> D3DPRESENT_PARAMETERS {
    D3DPRESENT_PARAMETERS {
        Windowed: windowed,
        BackBufferWidth: 64,
        BackBufferHeight: 48,
        BackBufferFormat: D3DFMT_X8R8G8B8,
        ..Rig::parameters(TRUE)
    }
}

#[test]
fn gamma_is_of_full_screens_and_said_when_it_changes() {
    let mut rig = Rig::new();
    let chain = rig.device.swap_chain(0).unwrap();
    let first = rig.device.gamma_ramp(chain);
    assert_eq!((first.red[0], first.green[128], first.blue[255]), (0, 128 * 257, 65_535));
    rig.device.set_gamma_ramp(chain, &ramp(100));
    assert_eq!(rig.device.gamma_ramp(chain), ramp(100));
    assert!(gamma_of_a_frame(&mut rig).is_empty(), "in a window it is only kept");

    rig.device.reset(&mut full_screen(FALSE), Rig::window()).unwrap();
    rig.device.set_gamma_ramp(chain, &ramp(100));
    let [said] = &gamma_of_a_frame(&mut rig)[..] else { panic!("said once") };
    assert!(said.contains("count: 768"), "{said}");
    assert!(said.contains("[0, 100, 200, 300"), "{said}");
    rig.device.set_gamma_ramp(chain, &ramp(100));
    assert!(gamma_of_a_frame(&mut rig).is_empty(), "nothing new");

    // A new receiver is told again, and of what the user wants to see.
    rig.device.set_overlay(Overlay { items: Overlay::FPS, ..Overlay::default() });
    rig.device.flush();
    rig.log().kill();
    rig.device.flush();
    rig.log().restart();
    rig.device.test_cooperative_level().unwrap();
    let packets = rig.packets();
    assert_eq!(packets.iter().filter(|line| line.starts_with("SetGamma")).count(), 1);
    assert_eq!(packets.iter().filter(|line| line.starts_with("Overlay")).count(), 1);

    rig.device.reset(&mut full_screen(TRUE), Rig::window()).unwrap();
    let [said] = &gamma_of_a_frame(&mut rig)[..] else { panic!("said once") };
    assert!(said.contains("count: 0"), "{said}");
    // What changes nothing is nothing.
    rig.device.reset(&mut full_screen(FALSE), Rig::window()).unwrap();
    rig.device.set_gamma_ramp(chain, &first);
    assert!(gamma_of_a_frame(&mut rig).is_empty());
    rig.check();
}
