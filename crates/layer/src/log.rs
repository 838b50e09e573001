//! The log: option `log` says how much, and it goes to standard error. Each line says that it is the layer's.
//!
//! What is started here stays in memory when the library is unloaded, so it is little: events, without the registry of spans (32 KiB) and the
//! patterns that others filter by.

use afterimage_config::Settings;
use afterimage_log::{Log, Writer};
use std::io::IsTerminal as _;
use std::sync::Once;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// What has no spans.
struct Events;

impl Subscriber for Events {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Starts it, once. The subscriber is this library's own, whatever else the program is made of.
pub(crate) fn start(settings: &Settings) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let log = Log::new(vec![Writer::new(std::io::stderr(), std::io::stderr().is_terminal())]);
        // The configuration has been read: what it has is levels.
        let levels = settings.log.parse().unwrap_or_else(|_| Targets::new().with_default(LevelFilter::WARN));
        // It fails where it was done before, by another crate of this library: that one is as good.
        let _there = Events.with(levels).with(log).try_init();
        afterimage_log::tell(settings);
    });
}
