//! The log, for programs that have none of their own: option `log` says how much, and it goes to standard error.

use afterimage_config::settings;
use afterimage_log::{Log, Writer};
use std::io::IsTerminal as _;
use std::sync::Once;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Starts it, once.
pub(crate) fn start() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let settings = settings();
        let log = Log::new(vec![Writer::new(std::io::stderr(), std::io::stderr().is_terminal())]);
        // An error here means that the program has a subscriber already: its own is as good.
        if tracing_subscriber::registry()
            .with(afterimage_log::filter(settings, ""))
            .with(log.clone())
            .try_init()
            .is_ok()
        {
            let _told_at_the_end = log.of_process();
        }
        afterimage_log::tell(settings);
    });
}
