//! What an event says, as text that any reader takes.

use std::fmt::{self, Write};
use tracing::Event;
use tracing::field::{Field, Visit};

/// Bytes of a line at most; what is longer is cut, and says so.
pub const LINE: usize = 2000;

/// A text in a line of the log: control characters and what turns the direction of text are shown as `\u{1b}`, lines but the first are
/// indented, and what is longer than [`LINE`] is cut.
#[must_use]
pub fn clean(text: &str) -> String {
    let mut out = Bounded(String::new());
    // Refused where it is full.
    let _full = out.write_str(text);
    out.finish()
}

/// What an event says: its message, then its fields; clean.
#[must_use]
pub fn of_event(event: &Event<'_>) -> String {
    let mut out = Bounded(String::new());
    event.record(&mut out);
    out.finish()
}

/// Takes text as long as there is room.
struct Bounded(String);

impl Bounded {
    fn finish(mut self) -> String {
        if self.0.len() > LINE {
            self.0.truncate(self.0.floor_char_boundary(LINE));
            self.0.push_str(" ... (cut)");
        }
        self.0
    }
}

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            if self.0.len() > LINE {
                return Err(fmt::Error);
            }
            match c {
                '\n' => self.0.push_str("\n    "),
                '\t' => self.0.push(' '),
                c if is_harmful(c) => write!(self.0, "\\u{{{:x}}}", u32::from(c))?,
                c => self.0.push(c),
            }
        }
        Ok(())
    }
}

/// Whether a character does something else than being seen.
fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

impl Visit for Bounded {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _full = match field.name() {
            "message" => write!(self, "{value:?}"),
            name => {
                let gap = if self.0.is_empty() { "" } else { " " };
                write!(self, "{gap}{name}={value:?}")
            }
        };
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        // Quoted and escaped as a value, plain as a message.
        if field.name() == "message" {
            let _full = self.write_str(value);
        } else {
            self.record_debug(field, &value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stranger_writes_no_line_of_ours_and_no_colours() {
        assert_eq!(clean("a\u{1b}[31mb\r\nERROR forged\u{202e}"), "a\\u{1b}[31mb\\u{d}\n    ERROR forged\\u{202e}");
        assert_eq!(clean("plain: \u{e4}\u{6f22}"), "plain: \u{e4}\u{6f22}");
    }

    #[test]
    fn lines_are_cut_where_a_character_ends() {
        for text in ["x".repeat(1 << 20), "\u{6f22}".repeat(1 << 18), "\u{1b}".repeat(1 << 18)] {
            let cut = clean(&text);
            assert!(cut.len() < LINE + 20 && cut.ends_with(" ... (cut)"), "{}", cut.len());
        }
        assert_eq!(clean(&"x".repeat(LINE)).len(), LINE);
    }
}
