//! Sets of lanes.

use smallvec::SmallVec;

/// Bit per lane.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Active(SmallVec<[u64; 1]>);

impl Active {
    /// No lane of `count`.
    pub(crate) fn none(count: usize) -> Active {
        Active(SmallVec::from_elem(0, count.div_ceil(64)))
    }

    /// All lanes of `count`.
    pub(crate) fn all(count: usize) -> Active {
        let mut all = Active::none(count);
        (0..count).for_each(|lane| all.insert(lane));
        all
    }

    pub(crate) fn insert(&mut self, lane: usize) {
        self.0[lane / 64] |= 1 << (lane % 64);
    }

    pub(crate) fn has(&self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 != 0
    }

    pub(crate) fn any(&self) -> bool {
        self.0.iter().any(|&word| word != 0)
    }

    pub(crate) fn add(&mut self, other: &Active) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    /// Those of its lanes that are not in `other`.
    pub(crate) fn without(&self, other: &Active) -> Active {
        Active(self.0.iter().zip(&other.0).map(|(word, other)| word & !other).collect())
    }

    /// Its lanes, in rising order.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = usize> + '_ {
        let bits = |mut word: u64| {
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros() as usize;
                (word != 0).then(|| word &= word - 1).map(|()| bit)
            })
        };
        self.0.iter().enumerate().flat_map(move |(at, &word)| bits(word).map(move |bit| at * 64 + bit))
    }
}
