//! What the configuration has to do with the log: how much is logged, and what of the configuration could not be understood.
//!
//! One rule holds for every process, the program's, the viewer's and the commands': a line that cannot be understood is left out, the rest
//! holds, and the process goes on. It is said as a warning, however little is logged. (`afterimage config`, which is asked about just that,
//! ends with status 1 besides.)

use crate::layer;
use afterimage_config::Settings;
use tracing::Level;
use tracing_subscriber::EnvFilter;

/// What a configuration wants to be logged; `more` are directives that come first, so that the user's win.
#[must_use]
pub fn filter(settings: &Settings, more: &str) -> EnvFilter {
    // The configuration has been read: what it has is levels.
    let packets = if settings.trace_packets { ",packets=debug" } else { "" };
    EnvFilter::new(format!("{more},{}{packets}", settings.log).trim_start_matches(','))
}

/// Says what of a configuration could not be understood. Once, by the process that a user has started.
pub fn tell(settings: &Settings) {
    for problem in &settings.problems {
        match layer::of_process() {
            Some(log) => log.line(Level::WARN, "configuration", &problem.to_string()),
            // The program that we are in has a subscriber of its own.
            None => tracing::warn!("configuration: {problem}"),
        }
    }
}
