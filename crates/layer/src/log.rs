//! The log: option `log` says how much, and it goes to standard error. Each line says that it is the layer's.

use afterimage_config::settings;
use afterimage_log::{Log, Writer};
use std::io::IsTerminal as _;
use std::sync::Once;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Starts it, once. The subscriber is this library's own, whatever else the program is made of.
pub(crate) fn start() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let settings = settings();
        let log = Log::new(vec![Writer::new(std::io::stderr(), std::io::stderr().is_terminal())]);
        // It fails where it was done before, by another crate of this library: that one is as good.
        let _there = tracing_subscriber::registry().with(afterimage_log::filter(settings, "")).with(log).try_init();
        afterimage_log::tell(settings);
    });
}
