//! What the configuration changes about objects, where they are made.

use afterimage_config::settings;
use afterimage_d3d9 as guest;
use afterimage_d3d9_types::{D3DPRESENT_PARAMETERS, FALSE, TRUE};

/// Makes full-screen parameters windowed, if the user wants that; whether it was done.
pub(crate) fn force_window(parameters: &mut D3DPRESENT_PARAMETERS) -> bool {
    let force = settings().force_windowed && parameters.Windowed == FALSE;
    if force {
        windowed(parameters);
    }
    force
}

/// Full-screen parameters as those of a window. The program's size stays.
fn windowed(parameters: &mut D3DPRESENT_PARAMETERS) {
    parameters.Windowed = TRUE;
    parameters.FullScreen_RefreshRateInHz = 0;
}

/// Has a new device do what the user wants otherwise.
pub(crate) fn apply(device: &mut guest::Device) {
    device.set_wishes(settings());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_screen_device_becomes_windowed() {
        let mut parameters = D3DPRESENT_PARAMETERS { FullScreen_RefreshRateInHz: 60, ..Default::default() };
        windowed(&mut parameters);
        assert_eq!((parameters.Windowed, parameters.FullScreen_RefreshRateInHz), (TRUE, 0));
    }
}
