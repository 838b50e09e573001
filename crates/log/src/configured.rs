//! What the configuration has to do with the log: how much is logged, and what of the configuration could not be understood.
//!
//! One rule holds for every process, the program's, the viewer's and the commands': a line that cannot be understood is left out, the rest
//! holds, and the process goes on. It is said as a warning, however little is logged. (`afterimage config`, which is asked about just that,
//! ends with status 1 besides.)

use crate::layer;
use afterimage_config::Settings;
use tracing::Level;
use tracing_subscriber::filter::{LevelFilter, Targets};

/// What a configuration wants to be logged; `more` are directives that come first, so that the user's win.
#[must_use]
pub fn filter(settings: &Settings, more: &str) -> Targets {
    let packets = if settings.trace_packets { "packets=debug" } else { "" };
    let directives = [more, &settings.log, packets].into_iter().filter(|text| !text.is_empty());
    directives.flat_map(|text| text.split(',')).fold(Targets::new(), with)
}

/// A filter with one more directive. The configuration has been read: what it has is a level, of everything or of a module.
fn with(filter: Targets, directive: &str) -> Targets {
    let (module, level) = directive.split_once('=').map_or((None, directive), |(module, level)| (Some(module), level));
    match (module, level.trim().parse::<LevelFilter>()) {
        (None, Ok(level)) => filter.with_default(level),
        (Some(module), Ok(level)) => filter.with_target(module.trim(), level),
        (_, Err(_)) => filter,
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_user_s_levels_win() {
        let text = "log = warn, afterimage_vulkan::device = TRACE,winit=info\n";
        let settings = Settings::of_text("game.exe", Path::new("/a.conf"), text);
        let filter = filter(&settings, "winit=error,packets=off");
        for (module, level, wanted) in [
            ("afterimage_d3d9", Level::WARN, true),
            ("afterimage_d3d9", Level::INFO, false),
            ("afterimage_vulkan::device::profile", Level::TRACE, true),
            ("afterimage_vulkan::execute", Level::INFO, false),
            ("winit", Level::INFO, true),
            ("packets", Level::ERROR, false),
        ] {
            assert_eq!(filter.would_enable(module, &level), wanted, "{module} {level}");
        }
    }
}
