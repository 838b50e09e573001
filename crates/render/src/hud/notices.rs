//! What happened, said on the picture for a moment: that a file was saved, mostly.

use crate::hud::layout::Line;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a notice stays.
const STAYS: Duration = Duration::from_secs(2);
/// Notices that are shown at once; older ones go.
const MOST: usize = 4;
/// Characters of a notice.
const LENGTH: usize = 120;

/// What is being said. Threads that write files say it, too.
#[derive(Debug, Default)]
pub struct Notices(Mutex<Vec<(Instant, String)>>);

impl Notices {
    /// Says something from now on.
    pub fn say(&self, text: &str) {
        self.say_at(text, Instant::now());
    }

    fn say_at(&self, text: &str, now: Instant) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if list.len() == MOST {
            list.remove(0);
        }
        list.push((now, text.chars().take(LENGTH).collect()));
    }

    /// The lines that are shown now.
    pub fn lines(&self) -> Vec<Line> {
        self.lines_at(Instant::now())
    }

    fn lines_at(&self, now: Instant) -> Vec<Line> {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.retain(|(since, _)| now.saturating_duration_since(*since) < STAYS);
        list.iter().map(|(_, text)| Line::Text(text.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_stays_for_two_seconds() {
        let notices = Notices::default();
        let begin = Instant::now();
        let after = |milliseconds| notices.lines_at(begin + Duration::from_millis(milliseconds));
        let said = |texts: &[&str]| texts.iter().map(|text| Line::Text((*text).to_owned())).collect::<Vec<_>>();
        assert_eq!(after(0), []);
        notices.say_at("saved one.png", begin);
        notices.say_at("saved two.png", begin + Duration::from_millis(500));
        assert_eq!(after(1999), said(&["saved one.png", "saved two.png"]));
        assert_eq!(after(2000), said(&["saved two.png"]));
        assert_eq!(after(2500), []);
        for number in 0..10 {
            notices.say_at(&format!("{number}{}", "x".repeat(500)), begin);
        }
        let lines = after(0);
        assert_eq!(lines.len(), MOST);
        assert!(matches!(&lines[MOST - 1], Line::Text(text) if text.starts_with("9x") && text.len() == LENGTH));
    }
}
