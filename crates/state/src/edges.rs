//! The edges that marks follow, as data: so that tests can take one out and see that it is missed.

use crate::groups::united;
use crate::{Group, Space, State};
use std::fmt;

/// What follows from what, closed.
#[derive(Debug)]
pub struct Edges {
    /// By state: what a change of it marks.
    pub(crate) marks: Box<[u64]>,
    /// By group: what a mark of it marks.
    pub(crate) closure: Box<[u64]>,
    /// By group: what a new result of it marks.
    pub(crate) changed: Box<[u64]>,
}

/// One edge of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Edge<S: Space> {
    /// A group reads the states of a row.
    Reads {
        /// [`Space::row`] of the states.
        row: u32,
        /// The reader.
        group: S::Group,
    },
    /// A mark of one group marks another.
    Requires(S::Group, S::Group),
    /// A new result of one group marks another.
    Changes(S::Group, S::Group),
}

impl<S: Space> fmt::Debug for Edge<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reads { row, group } => write!(f, "{} => {}", S::name(State::of(*row)), group.name()),
            Self::Requires(group, other) => write!(f, "{} requires {}", group.name(), other.name()),
            Self::Changes(group, other) => write!(f, "{} changes {}", group.name(), other.name()),
        }
    }
}

fn bits(word: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |bit| word >> bit & 1 == 1)
}

impl<S: Space> Edge<S> {
    /// Every edge of a table.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut edges = Vec::new();
        for (number, readers) in (0..).zip(S::READERS) {
            let row = S::row(State::of(number));
            if row == number {
                edges.extend(bits(*readers).map(|group| Self::Reads { row, group: S::Group::ALL[group] }));
            }
        }
        for group in S::Group::ALL {
            let others = |sets: &[u64]| {
                bits(sets[group.index()] & !(1 << group.index())).map(|o| S::Group::ALL[o]).collect::<Vec<_>>()
            };
            edges.extend(others(S::Group::REQUIRES).into_iter().map(|other| Self::Requires(*group, other)));
            edges.extend(others(S::Group::CHANGES).into_iter().map(|other| Self::Changes(*group, other)));
        }
        edges
    }
}

impl<S: Space> Edge<S> {
    /// The edges that nothing notices: each is taken out in turn, and `notices` says whether that stream of so many notices. The stream
    /// that noticed the last one is asked first, since it likely has what the next one needs.
    pub fn unnoticed(streams: usize, mut notices: impl FnMut(&'static Edges, usize) -> bool) -> Vec<Self> {
        let mut last = 0;
        let mut unnoticed = Self::all();
        unnoticed.retain(|edge| {
            let without = Edges::without(*edge);
            let noticed = (0..streams).map(|at| (last + at) % streams).find(|at| notices(without, *at));
            last = noticed.unwrap_or(last);
            noticed.is_none()
        });
        unnoticed
    }
}

impl Edges {
    /// A table's own, made once.
    #[must_use]
    pub fn of<S: Space>() -> &'static Self {
        use std::any::TypeId;
        use std::sync::{LazyLock, Mutex};
        static ALL: LazyLock<Mutex<Vec<(TypeId, &'static Edges)>>> = LazyLock::new(Mutex::default);
        let mut all = ALL.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let id = TypeId::of::<S>();
        if let Some((_, edges)) = all.iter().find(|(known, _)| *known == id) {
            return edges;
        }
        let edges: &'static Self = Box::leak(Box::new(Self {
            marks: S::MARKS.into(),
            closure: S::Group::CLOSURE.into(),
            changed: S::Group::CHANGED.into(),
        }));
        all.push((id, edges));
        edges
    }

    /// A table's without one of them. It is never freed: this is for tests.
    #[must_use]
    pub fn without<S: Space>(edge: Edge<S>) -> &'static Self {
        let mut readers = S::READERS.to_vec();
        let mut requires = S::Group::REQUIRES.to_vec();
        let mut changes = S::Group::CHANGES.to_vec();
        let take = |word: &mut u64, group: S::Group| *word &= !(1 << group.index());
        match edge {
            Edge::Reads { row, group } => {
                for (number, word) in (0..).zip(&mut readers) {
                    if S::row(State::of(number)) == row {
                        take(word, group);
                    }
                }
            }
            Edge::Requires(group, other) => take(&mut requires[group.index()], other),
            Edge::Changes(group, other) => take(&mut changes[group.index()], other),
        }
        loop {
            let next: Vec<u64> = requires.iter().map(|word| word | united(*word, &requires)).collect();
            if next == requires {
                break;
            }
            requires = next;
        }
        Box::leak(Box::new(Self {
            marks: readers.iter().map(|word| united(*word, &requires)).collect(),
            changed: changes.iter().map(|word| united(*word, &requires)).collect(),
            closure: requires.into(),
        }))
    }
}
