//! Figures about a run, written at its end.

use afterimage_state::Figures;
use std::time::Instant;

/// Calls of the host's API that set state or bind something.
#[derive(Clone, Copy, Debug, Default)]
pub struct Calls {
    /// Those made.
    pub made: u64,
    /// Those that applying everything for each draw would have made.
    pub of_all: u64,
    /// Those that applying everything takes for a draw like the last one.
    pub of_draw: u64,
}

impl Calls {
    /// Calls that were not needed.
    pub fn saved(&self) -> u64 {
        self.of_all.saturating_sub(self.made)
    }
}

/// What is counted for `Options::stats`.
#[derive(Debug, Default)]
pub struct Stats {
    /// The program's name from its first packet.
    pub program: String,
    /// Presents.
    pub frames: u64,
    /// Calls that set state.
    pub calls: Calls,
    /// When the first frame began.
    began: Option<Instant>,
    /// Frames that the GPU has completed, and when it completed the last of them.
    done: u64,
    ended: Option<Instant>,
    /// What the guest said of its state tracking.
    pub guest: Figures,
}

impl Stats {
    /// A frame begins.
    pub fn begin(&mut self) {
        self.began.get_or_insert_with(Instant::now);
    }

    /// Frames left the GPU.
    pub fn complete(&mut self, frames: u64) {
        self.done += frames;
        self.ended = Some(Instant::now());
    }

    /// Milliseconds per frame from the first one's begin to the last one's end on the GPU; 0 without a frame.
    pub fn ms_per_frame(&self) -> f64 {
        match (self.began, self.ended) {
            (Some(began), Some(ended)) if self.done > 0 => (ended - began).as_secs_f64() * 1000.0 / self.done as f64,
            _ => 0.0,
        }
    }
}

/// Counts of state tracking as JSON.
pub fn state_json(figures: &Figures) -> String {
    let Figures { draws, filtered, marked, applied, unchanged } = figures;
    format!(
        "{{ \"draws\": {draws}, \"filtered\": {filtered}, \"marked\": {marked}, \"applied\": {applied}, \
         \"unchanged\": {unchanged} }}"
    )
}

/// Text as a JSON string.
pub fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn json_strings_are_escaped() {
        assert_eq!(super::quote("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
    }
}
