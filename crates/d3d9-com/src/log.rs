//! The log: `AFTERIMAGE_LOG` says how much (`warn`, `info`, `afterimage_d3d9=debug`, ...), `AFTERIMAGE_LOG_FILE` where.

use std::fs::File;
use std::io::IsTerminal as _;
use std::sync::{Mutex, Once};

use tracing_subscriber::EnvFilter;

/// Starts logging, once; does nothing where the program has a subscriber of its own.
pub(crate) fn start() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let filter = EnvFilter::try_from_env("AFTERIMAGE_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
        let builder = tracing_subscriber::fmt().with_env_filter(filter).without_time();
        let file = std::env::var_os("AFTERIMAGE_LOG_FILE").map(|path| (File::create(&path), path));
        // An error here means that the program has a subscriber already: its own is as good.
        match file {
            Some((Ok(file), _)) => drop(builder.with_ansi(false).with_writer(Mutex::new(file)).try_init()),
            failed_or_none => {
                let started =
                    builder.with_ansi(std::io::stderr().is_terminal()).with_writer(std::io::stderr).try_init();
                if let (Ok(()), Some((Err(error), path))) = (started, failed_or_none) {
                    tracing::warn!("AFTERIMAGE_LOG_FILE={}: {error}; logging to stderr", path.display());
                }
            }
        }
    });
}
