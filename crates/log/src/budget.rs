//! How many lines of a kind are written.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// How many lines are written in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Of one kind.
    pub of_kind: u64,
    /// From one place in the code, whatever they say.
    pub of_place: u64,
    /// Of all.
    pub of_all: u64,
    /// Bytes of all, those that say how many of a kind there were included.
    pub bytes: u64,
    /// Kinds of one place that are told apart; what else comes from there is one more kind.
    pub kinds: usize,
}

impl Default for Limits {
    /// 20 of a kind, 200 of a place, 5000 in all, and 800 KB; 64 kinds of a place.
    fn default() -> Self {
        Self { of_kind: 20, of_place: 200, of_all: 5000, bytes: 800_000, kinds: 64 }
    }
}

/// What becomes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is written.
    Full,
    /// It is written, and that from here on its kind is counted.
    Last,
    /// It is written as the example of so many of its kind.
    Count(u64),
    /// It is counted.
    Silent,
}

/// Lines of a kind that were left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The first of them.
    pub example: String,
    /// How many there were, those that were written included.
    pub count: u64,
    /// How many of them were written.
    pub written: u64,
}

/// Counts lines by kind.
#[derive(Debug, Default)]
pub struct Budget {
    limits: Limits,
    places: FxHashMap<u64, Place>,
    written: u64,
    bytes: u64,
}

#[derive(Debug, Default)]
struct Place {
    written: u64,
    kinds: FxHashMap<u64, LeftOut>,
}

/// The kind of what is said when no more kinds are told apart.
const OTHER: u64 = 0;

/// What a line says, without what has a digit in it.
fn words(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if !word.bytes().any(|byte| byte.is_ascii_digit()) {
            word.hash(&mut hasher);
        }
    }
    hasher.finish().max(1)
}

impl Budget {
    /// With these limits.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// What becomes of a line from a place, of which `place` is any number that no other place has.
    pub fn admit(&mut self, place: u64, text: &str) -> Verdict {
        let Limits { of_kind, of_place, of_all, bytes, kinds } = self.limits;
        let room = self.bytes.saturating_add(text.len() as u64) <= bytes;
        let place = self.places.entry(place).or_default();
        let mut kind = words(text);
        if !place.kinds.contains_key(&kind) && place.kinds.len() >= kinds {
            kind = OTHER;
        }
        let said =
            place.kinds.entry(kind).or_insert_with(|| LeftOut { example: text.to_owned(), count: 0, written: 0 });
        said.count += 1;
        let verdict = if !room {
            Verdict::Silent
        } else if said.count <= of_kind && place.written < of_place && self.written < of_all {
            if said.count == of_kind { Verdict::Last } else { Verdict::Full }
        } else if said.count > of_kind && is_power_of_ten(said.count) {
            // Logarithmic in what comes, of a bounded number of kinds.
            Verdict::Count(said.count)
        } else {
            Verdict::Silent
        };
        if verdict != Verdict::Silent {
            self.bytes += text.len() as u64;
        }
        if matches!(verdict, Verdict::Full | Verdict::Last) {
            said.written += 1;
            place.written += 1;
            self.written += 1;
        }
        verdict
    }

    /// What was left out since the beginning, the most frequent first, and starts anew.
    pub fn take(&mut self) -> Vec<LeftOut> {
        let places = std::mem::take(&mut self.places);
        (self.written, self.bytes) = (0, 0);
        let said = places.into_values().flat_map(|place| place.kinds.into_values());
        let mut cut: Vec<LeftOut> = said.filter(|said| said.written < said.count).collect();
        cut.sort_by(|a, b| (b.count, &a.example).cmp(&(a.count, &b.example)));
        cut
    }
}

fn is_power_of_ten(count: u64) -> bool {
    10u64.checked_pow(count.ilog10()) == Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_of_a_kind_and_then_powers_of_ten() {
        let mut budget = Budget::default();
        let mut told = Vec::new();
        for number in 0..123_456u64 {
            // Only numbers differ.
            match budget.admit(1, &format!("Texture#{number}: no such object, {:#x}", number * 77)) {
                Verdict::Full => {}
                verdict => told.extend((verdict != Verdict::Silent).then_some(verdict)),
            }
        }
        assert_eq!(told, [vec![Verdict::Last], [100, 1000, 10_000, 100_000].map(Verdict::Count).to_vec()].concat());
        // Another kind of the same place is written all the same.
        assert_eq!(budget.admit(1, "field size: too large"), Verdict::Full);
        let said = budget.take();
        assert_eq!(said.len(), 1, "{said:?}");
        assert_eq!((said[0].count, said[0].written), (123_456, 20));
        assert!(said[0].example.starts_with("Texture#0:"));
        assert_eq!(budget.admit(1, "Texture#1: no such object, 0x5"), Verdict::Full, "it began anew");
    }

    #[test]
    fn words_of_a_stranger_make_no_endless_kinds() {
        let mut budget = Budget::default();
        let mut spoken = 0;
        let letters = |mut number: u64| {
            let mut text = String::new();
            while number > 0 {
                text.push(char::from(b'a' + (number % 26) as u8));
                number /= 26;
            }
            text
        };
        for number in 0..1_000_000 {
            spoken += u64::from(budget.admit(1, &letters(number)) != Verdict::Silent);
        }
        assert!(spoken < 220, "{spoken} lines");
        let said = budget.take();
        // Those of the first kinds came once each and were written.
        assert_eq!(said.iter().map(|said| said.count).sum::<u64>(), 1_000_000 - 64);
        for place in 0..1000 {
            for number in 0..20 {
                spoken += u64::from(budget.admit(place, &format!("line {number}")) != Verdict::Silent);
            }
        }
        assert!(spoken < 5300, "{spoken} lines");
    }

    #[test]
    fn long_lines_are_fewer() {
        let mut budget = Budget::default();
        let mut bytes = 0;
        for place in 0..1000 {
            let long = format!("{place} {}", "x".repeat(1990));
            for _ in 0..20 {
                let spoken = budget.admit(place, &long) != Verdict::Silent;
                bytes += if spoken { long.len() } else { 0 };
            }
        }
        assert!((790_000..=800_000).contains(&bytes), "{bytes} bytes");
        let said = budget.take();
        assert_eq!(said.iter().map(|said| said.count - said.written).sum::<u64>(), 20_000 - (bytes / 1992) as u64);
    }
}
