//! The layer that writes the log.

use crate::budget::{Budget, Limits, Verdict};
use crate::text::{clean, of_event};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// Kinds that are listed at the end.
const LISTED: usize = 20;
/// Bytes of a kind's example there.
const EXAMPLE: usize = 200;
/// Between two times that a process which goes on begins anew: who connects again and again must not be a flood, either.
const ANEW: Duration = Duration::from_secs(60);

/// Where lines go.
pub struct Writer {
    out: Box<dyn Write + Send>,
    colour: bool,
    most: Level,
}

impl Writer {
    /// Lines go to `out`, in colour if that is wanted.
    pub fn new(out: impl Write + Send + 'static, colour: bool) -> Self {
        Self { out: Box::new(out), colour, most: Level::TRACE }
    }

    /// It gets lines up to this level only, of those that are logged at all.
    #[must_use]
    pub fn up_to(self, most: Level) -> Self {
        Self { most, ..self }
    }
}

/// Writes events as lines: level, target, message, fields.
#[derive(Clone)]
pub struct Log(Arc<Mutex<State>>);

struct State {
    budget: Budget,
    writers: Vec<Writer>,
    /// When it began anew for the last time.
    begun: Instant,
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Log")
    }
}

/// The process's log, for its end.
static PROCESS: OnceLock<Log> = OnceLock::new();

/// The process's log, if it has one.
pub(crate) fn of_process() -> Option<&'static Log> {
    PROCESS.get()
}

/// Says what was left out of the process's log, if anything was. To be called before a process ends.
pub fn finish() {
    if let Some(log) = PROCESS.get() {
        log.finish();
    }
}

/// Says what was left out of the process's log, if anything was, and begins anew, unless it has lately. To be called where one of the
/// things that a process logs about has ended, such as a program of several.
pub fn settle() {
    if let Some(log) = PROCESS.get() {
        log.settle(ANEW);
    }
}

impl Log {
    /// Writes to these places.
    #[must_use]
    pub fn new(writers: Vec<Writer>) -> Self {
        Self::with(Limits::default(), writers)
    }

    /// Writes no more than these limits allow.
    #[must_use]
    pub fn with(limits: Limits, writers: Vec<Writer>) -> Self {
        Self(Arc::new(Mutex::new(State { budget: Budget::new(limits), writers, begun: Instant::now() })))
    }

    /// This is the log that [`finish`] ends.
    #[must_use]
    pub fn of_process(self) -> Self {
        PROCESS.get_or_init(|| self.clone());
        self
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a line that is no event's, such as what a command says of a file that a stranger made. `place` is a number that no other
    /// place has.
    pub fn line(&self, level: Level, place: &'static str, text: &str) {
        let mut state = self.state();
        let number = number(&place);
        state.say(level, place, number, &clean(text));
    }

    /// Says what was left out, and begins anew.
    pub fn finish(&self) {
        self.state().finish();
    }

    /// The same, if it began so long ago.
    fn settle(&self, least: Duration) {
        let mut state = self.state();
        if state.begun.elapsed() >= least {
            state.finish();
        }
    }
}

fn number(place: &impl Hash) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    place.hash(&mut hasher);
    hasher.finish()
}

impl State {
    fn finish(&mut self) {
        let left_out = self.budget.take();
        self.begun = Instant::now();
        for said in left_out.iter().take(LISTED) {
            let example: String = said.example.lines().next().unwrap_or_default().chars().take(EXAMPLE).collect();
            let missing = said.count - said.written;
            self.write(
                Level::WARN,
                "log",
                &format!("{missing} of {} lines of this kind were left out: {example}", said.count),
            );
        }
        if let Some(more) = left_out.len().checked_sub(LISTED).filter(|more| *more > 0) {
            let lines: u64 = left_out[LISTED..].iter().map(|said| said.count - said.written).sum();
            self.write(Level::WARN, "log", &format!("{lines} lines of {more} other kinds were left out"));
        }
    }

    fn say(&mut self, level: Level, target: &str, place: u64, text: &str) {
        let verdict = if level > Level::INFO { Verdict::Full } else { self.budget.admit(place, text) };
        match verdict {
            Verdict::Full => self.write(level, target, text),
            Verdict::Last => self.write(level, target, &format!("{text} (more of this kind are counted)")),
            Verdict::Count(count) => self.write(level, target, &format!("{text} (the {count}th of this kind)")),
            Verdict::Silent => {}
        }
    }

    fn write(&mut self, level: Level, target: &str, text: &str) {
        let colour = match level {
            Level::ERROR => "31",
            Level::WARN => "33",
            Level::INFO => "32",
            Level::DEBUG => "34",
            Level::TRACE => "35",
        };
        for writer in self.writers.iter_mut().filter(|writer| level <= writer.most) {
            let line = match writer.colour {
                true => format!("\u{1b}[{colour}m{level:>5}\u{1b}[0m \u{1b}[2m{target}:\u{1b}[0m {text}\n"),
                false => format!("{level:>5} {target}: {text}\n"),
            };
            // There is nobody to be told.
            let _lost = writer.out.write_all(line.as_bytes());
        }
    }
}

impl<S: Subscriber> Layer<S> for Log {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let metadata = event.metadata();
        let text = of_event(event);
        self.state().say(*metadata.level(), metadata.target(), number(&metadata.callsite()), &text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing_subscriber::layer::SubscriberExt;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn logged(say: impl FnOnce()) -> String {
        let kept = Kept::default();
        let log = Log::new(vec![Writer::new(kept.clone(), false)]);
        let subscriber = tracing_subscriber::registry().with(log.clone());
        tracing::subscriber::with_default(subscriber, say);
        log.finish();
        String::from_utf8(kept.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn a_flood_is_a_few_lines_with_the_right_count() {
        let text = logged(|| {
            for number in 0..250_000 {
                tracing::error!(
                    "Draw: packet {number} (sequence {number}, byte {} of the batch): truncated",
                    number * 8
                );
            }
            tracing::warn!("once");
        });
        assert!(text.len() < 10_000, "{} bytes", text.len());
        assert_eq!(text.lines().count(), 20 + 4 + 1 + 1, "{text}");
        assert!(text.contains("WARN afterimage_log::layer::tests: once\n"));
        assert!(text.contains("(the 100000th of this kind)"));
        let end = text.lines().last().unwrap();
        assert!(
            end.starts_with(" WARN log: 249980 of 250000 lines of this kind were left out: Draw: packet 0"),
            "{end}"
        );
    }

    #[test]
    fn a_line_is_level_target_message_and_fields() {
        let text = logged(|| {
            tracing::info!(id = 7, name = "a\u{1b}b", "lost {}", "texels");
            tracing::error!("a\n\u{7}b");
        });
        assert_eq!(
            text,
            " INFO afterimage_log::layer::tests: lost texels id=7 name=\"a\\u{1b}b\"\n\
             ERROR afterimage_log::layer::tests: a\n    \\u{7}b\n"
        );
    }

    #[test]
    fn a_process_that_goes_on_begins_anew_but_not_at_once() {
        let kept = Kept::default();
        let log = Log::new(vec![Writer::new(kept.clone(), false)]);
        let flood = || (0..1000).for_each(|number| log.line(Level::WARN, "test", &format!("bad {number}")));
        flood();
        log.settle(Duration::from_secs(1 << 30));
        flood();
        log.settle(Duration::ZERO);
        flood();
        let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        let told = " WARN log: 1980 of 2000 lines of this kind were left out: bad 0";
        assert_eq!(text.lines().filter(|line| *line == told).count(), 1, "{text}");
        assert_eq!(text.lines().count(), 20 + 2 + 1 + 20 + 2, "{text}");
    }

    #[test]
    fn who_asks_for_all_gets_all() {
        let text = logged(|| (0..1000).for_each(|number| tracing::debug!("step {number}")));
        assert_eq!(text.lines().count(), 1000);
    }
}
