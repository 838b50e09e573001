//! Platforms whose crashes are not reported.

use afterimage_config::{Settings, Switch};

/// Says so to who wants reports.
pub(crate) fn start(settings: &Settings) {
    if settings.crash_report == Switch::On {
        tracing::warn!("crash_report: reports are not done yet for this system");
    }
}

/// Notes which device renders.
pub(crate) fn device(_text: &str) {}

/// The device was lost.
pub(crate) fn device_lost() {}
