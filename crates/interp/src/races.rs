//! Accesses of the work group's memory that come in no order.
//!
//! Lanes go in step here, so a barrier that is missing changes nothing of what is computed. Where a run is asked to, it looks for two accesses
//! of a word by different lanes without a barrier between, one of which is a store. Atomic operations may meet, and stores of the same.

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Does {
    Read,
    /// Whether the word is another one behind it.
    Write {
        changes: bool,
    },
    Atomic,
}

/// Lanes that have accessed a word in one way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Who {
    #[default]
    Nobody,
    Lane(usize),
    Several,
}

impl Who {
    fn add(&mut self, lane: usize) {
        *self = match *self {
            Who::Nobody => Who::Lane(lane),
            Who::Lane(other) if other == lane => Who::Lane(lane),
            _ => Who::Several,
        };
    }

    /// Whether there is one besides `lane`.
    fn others(self, lane: usize) -> bool {
        match self {
            Who::Nobody => false,
            Who::Lane(other) => other != lane,
            Who::Several => true,
        }
    }
}

/// Accesses of a word since lanes waited.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    /// How often they had waited at that time.
    when: u64,
    read: Who,
    written: Who,
    atomic: Who,
}

/// The accesses of memory since lanes waited.
#[derive(Clone, Debug, Default)]
pub(crate) struct Races {
    /// The first word that is looked at, if any is.
    first: Option<usize>,
    words: Vec<Word>,
    waited: u64,
    found: Option<usize>,
}

impl Races {
    /// Looks at the words from `first` to `end`; at none without a first.
    pub(crate) fn new(first: Option<usize>, end: usize) -> Races {
        let words = first.map_or(0, |first| end.saturating_sub(first));
        Races { first, words: vec![Word::default(); words], ..Races::default() }
    }

    /// All lanes have waited for each other.
    pub(crate) fn wait(&mut self) {
        self.waited += 1;
    }

    /// The first word of which two accesses were in no order.
    pub(crate) fn found(&self) -> Option<usize> {
        self.found
    }

    /// A lane accesses a word.
    pub(crate) fn access(&mut self, at: usize, lane: usize, does: Does) {
        let Some(place) = self.first.and_then(|first| at.checked_sub(first)) else { return };
        let Some(word) = self.words.get_mut(place) else { return };
        if word.when != self.waited {
            *word = Word { when: self.waited, ..Word::default() };
        }
        let meets = match does {
            Does::Read => word.written.others(lane) || word.atomic.others(lane),
            Does::Write { changes } => {
                word.read.others(lane) || word.atomic.others(lane) || changes && word.written.others(lane)
            }
            Does::Atomic => word.read.others(lane) || word.written.others(lane),
        };
        match does {
            Does::Read => word.read.add(lane),
            Does::Write { .. } => word.written.add(lane),
            Does::Atomic => word.atomic.add(lane),
        }
        if meets {
            self.found.get_or_insert(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(accesses: &[(usize, usize, Does)]) -> Option<usize> {
        let mut races = Races::new(Some(4), 8);
        accesses.iter().for_each(|&(at, lane, does)| races.access(at, lane, does));
        races.found()
    }

    #[test]
    fn a_store_and_another_lanes_access_are_in_no_order() {
        let store = Does::Write { changes: true };
        assert_eq!(found(&[(5, 0, store), (5, 1, Does::Read)]), Some(5));
        assert_eq!(found(&[(5, 0, Does::Read), (5, 1, Does::Read), (5, 0, store)]), Some(5));
        assert_eq!(found(&[(5, 0, store), (5, 1, store)]), Some(5));
        assert_eq!(found(&[(5, 0, Does::Atomic), (5, 1, Does::Read)]), Some(5));
        // One lane's own, the same value, atomic operations, other words.
        assert_eq!(found(&[(5, 0, store), (5, 0, Does::Read), (5, 0, store)]), None);
        assert_eq!(found(&[(5, 0, store), (5, 1, Does::Write { changes: false })]), None);
        assert_eq!(found(&[(5, 0, Does::Atomic), (5, 1, Does::Atomic)]), None);
        assert_eq!(found(&[(5, 0, store), (6, 1, Does::Read), (3, 0, store), (3, 1, store)]), None);
    }

    #[test]
    fn behind_a_barrier_all_begins_anew() {
        let mut races = Races::new(Some(0), 1);
        races.access(0, 0, Does::Write { changes: true });
        races.wait();
        races.access(0, 1, Does::Read);
        assert_eq!(races.found(), None);
    }
}
