//! What is logged while a capture is replayed, for the head of the page.

use std::collections::HashMap;
use std::sync::Mutex;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// Warnings that are kept; more are counted only.
const KEPT: usize = 1000;

static LOGGED: Mutex<Option<Logged>> = Mutex::new(None);

/// Warnings and errors, each once.
#[derive(Debug, Default)]
pub(super) struct Logged {
    /// Text, and how often it came.
    pub(super) lines: Vec<(String, u64)>,
    /// Those that were not kept.
    pub(super) more: u64,
    /// Where a text is among the lines: strangers decide how many come.
    places: HashMap<String, usize>,
}

/// From here on warnings are kept.
pub(super) fn start() {
    *locked() = Some(Logged::default());
}

/// What was logged since [`start`].
pub(super) fn take() -> Logged {
    locked().take().unwrap_or_default()
}

fn locked() -> std::sync::MutexGuard<'static, Option<Logged>> {
    LOGGED.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The part of the program's log that keeps warnings and errors while a report is made.
#[derive(Debug)]
pub(crate) struct Keeper;

impl<S: Subscriber> Layer<S> for Keeper {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let metadata = event.metadata();
        if *metadata.level() > Level::WARN {
            return;
        }
        let mut guard = locked();
        let Some(logged) = guard.as_mut() else { return };
        let text = format!("{}: {}", metadata.level().as_str().to_lowercase(), afterimage_log::of_event(event));
        if let Some(place) = logged.places.get(&text) {
            logged.lines[*place].1 += 1;
        } else if logged.lines.len() < KEPT {
            logged.places.insert(text.clone(), logged.lines.len());
            logged.lines.push((text, 1));
        } else {
            logged.more += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Keeper, start, take};
    use tracing_subscriber::layer::SubscriberExt;

    #[test]
    fn warnings_are_kept_once_between_start_and_take() {
        let subscriber = tracing_subscriber::registry().with(Keeper);
        tracing::subscriber::with_default(subscriber, || {
            tracing::warn!("too early");
            start();
            for _ in 0..3 {
                tracing::warn!(id = 7, "lost {}", "texels");
            }
            tracing::info!("not worth it");
            tracing::error!("bad");
        });
        let logged = take();
        assert_eq!(logged.lines, [("warn: lost texels id=7".into(), 3), ("error: bad".into(), 1)]);
        assert!(take().lines.is_empty());
    }
}
