//! Shader constant registers and which of them the receiver does not have yet.

use super::states::{DeviceState, DeviceTracker};
use afterimage_state::{Kind, trace};

/// A set of up to 256 registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    words: [u64; 4],
    /// A bit for each word that is not zero.
    some: u8,
}

impl From<[u64; 4]> for Bits {
    fn from(words: [u64; 4]) -> Self {
        let some = (0..4).fold(0, |some, word| some | u8::from(words[word] != 0) << word);
        Self { words, some }
    }
}

impl Bits {
    /// The first `count` registers.
    pub(crate) fn first(count: usize) -> Self {
        let mut bits = Self::default();
        bits.insert(0, count);
        bits
    }

    /// Adds `count` registers from `first` on.
    #[inline]
    pub(crate) fn insert(&mut self, first: usize, count: usize) {
        if first / 64 == (first + count).saturating_sub(1) / 64 && count < 64 {
            self.mark((first / 64) & 3, ((1u64 << count) - 1) << (first % 64));
            return;
        }
        for register in first..(first + count).min(256) {
            self.mark(register / 64, 1 << (register % 64));
        }
    }

    #[inline]
    fn mark(&mut self, word: usize, bits: u64) {
        self.words[word] |= bits;
        self.some |= u8::from(bits != 0) << word;
    }

    #[inline]
    pub(crate) fn without(self, other: Self) -> Self {
        Self::from(std::array::from_fn(|word| self.words[word] & !other.words[word]))
    }

    /// Whether the two have a register in common.
    #[inline]
    fn touches(&self, other: &Self) -> bool {
        self.some & other.some != 0 && (0..4).any(|word| self.words[word] & other.words[word] != 0)
    }

    /// Takes out the registers of `of`, and hands on their runs as first and one past the last. False if there are none. One run in
    /// one word, as most are, goes through registers of the processor alone: a set that is put together in memory by words would be
    /// waited for when it is copied as a whole.
    #[inline]
    pub(crate) fn take(&mut self, of: &Self, mut each: impl FnMut(usize, usize)) -> bool {
        let both = self.some & of.some;
        if both == 0 {
            return false;
        }
        let word = both.trailing_zeros() as usize & 3;
        let bits = self.words[word] & of.words[word];
        let first = bits.trailing_zeros();
        let count = (bits >> (first & 63)).trailing_ones();
        let run = (u64::MAX >> ((64 - count.max(1)) & 63)) << (first & 63);
        if both != 1 << word || bits != run {
            let taken = self.take_many(of);
            taken.runs().for_each(|(first, end)| each(first, end));
            return taken.some != 0;
        }
        self.unmark(word, bits);
        let first = word * 64 + first as usize;
        each(first, first + count as usize);
        true
    }

    fn take_many(&mut self, of: &Self) -> Self {
        let taken = Self::from(std::array::from_fn(|word| self.words[word] & of.words[word]));
        (0..4).for_each(|word| self.unmark(word, taken.words[word]));
        taken
    }

    #[inline]
    fn unmark(&mut self, word: usize, bits: u64) {
        self.words[word] &= !bits;
        self.some &= !(u8::from(self.words[word] == 0) << word);
    }

    /// The first register at or after `from`.
    #[inline]
    fn next(&self, from: usize) -> Option<usize> {
        let mut word = from / 64;
        let mut bits = *self.words.get(word)? & (u64::MAX << (from % 64));
        while bits == 0 {
            word += 1;
            bits = *self.words.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    /// The first register at or after `from` that is not in the set.
    #[inline]
    fn next_gap(&self, from: usize) -> usize {
        let mut word = from / 64;
        while word < 4 {
            let bits = !self.words[word] & (u64::MAX << if word == from / 64 { from % 64 } else { 0 });
            if bits != 0 {
                return word * 64 + bits.trailing_zeros() as usize;
            }
            word += 1;
        }
        256
    }

    /// Runs of registers: first and one past the last. A gap of one register is closed, since a packet's own words cost
    /// as much.
    pub(crate) fn runs(self) -> impl Iterator<Item = (usize, usize)> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let first = self.next(at)?;
            let mut end = self.next_gap(first);
            while end < 255 && self.words[(end + 1) / 64] >> ((end + 1) % 64) & 1 == 1 {
                end = self.next_gap(end + 1);
            }
            at = end;
            Some((first, end))
        })
    }
}

/// One file of registers.
#[derive(Clone, Debug)]
pub(crate) struct Constants {
    values: Box<[[u32; 4]]>,
    /// Registers below 256 whose value the receiver does not have.
    stale: Bits,
    /// The same of each further 256, which only a few files have: those of software vertex processing, and the matrices of
    /// indexed vertex blending.
    stale_beyond: Box<[Bits]>,
}

/// Registers of one [`Bits`].
const BLOCK: usize = 256;
/// Float registers of vertex processing in software.
pub(crate) const SOFTWARE_FLOATS: u32 = 8192;

impl Constants {
    pub(crate) fn new(registers: usize) -> Self {
        let beyond = registers.saturating_sub(BLOCK).div_ceil(BLOCK);
        let mut constants = Self {
            values: vec![[0; 4]; registers].into_boxed_slice(),
            stale: Bits::default(),
            stale_beyond: vec![Bits::default(); beyond].into_boxed_slice(),
        };
        constants.invalidate();
        constants
    }

    /// Whether `count` registers from `first` on exist.
    #[inline]
    pub(crate) fn holds(&self, first: usize, count: usize) -> bool {
        first.checked_add(count).is_some_and(|end| end <= self.values.len())
    }

    /// Stores registers that exist. True if one of them changed.
    #[inline]
    pub(crate) fn set(&mut self, first: usize, values: &[[u32; 4]]) -> bool {
        let Some(stored) = self.values.get_mut(first..first + values.len()) else { return false };
        let mut differs = false;
        // Most programs set a few: no call for comparing them, and none for copying.
        for (stored, value) in stored.iter_mut().zip(values) {
            differs |= *stored != *value;
            *stored = *value;
        }
        if !differs {
            return false;
        }
        if first + values.len() <= BLOCK {
            self.stale.insert(first, values.len());
        } else {
            self.mark_beyond(first, values.len());
        }
        true
    }

    /// Marks registers of which some are past the first block.
    #[cold]
    fn mark_beyond(&mut self, first: usize, count: usize) {
        for register in first..first + count {
            let bits = match register / BLOCK {
                0 => Some(&mut self.stale),
                block => self.stale_beyond.get_mut(block - 1),
            };
            if let Some(bits) = bits {
                bits.insert(register % BLOCK, 1);
            }
        }
    }

    /// Takes the stale registers below 256 that are read, and hands them on: the first of each run, and the values. False if there are
    /// none.
    #[inline]
    pub(crate) fn take_stale(&mut self, reads: &Bits, mut each: impl FnMut(usize, &[[u32; 4]])) -> bool {
        let values = &self.values;
        self.stale.take(reads, |first, end| {
            if let Some(values) = values.get(first..end.min(values.len())) {
                each(first, values);
            }
        })
    }

    /// Takes the stale registers past the first block: ranges of first and one past the last.
    pub(crate) fn take_stale_beyond(&mut self) -> Vec<(usize, usize)> {
        let blocks = self.stale_beyond.iter_mut().zip((BLOCK..).step_by(BLOCK));
        blocks
            .flat_map(|(bits, start)| {
                let runs = std::mem::take(bits).runs();
                runs.map(move |(first, end)| (start + first, start + end))
            })
            .collect()
    }

    /// Whether one of the registers that are read has not arrived; `beyond`: those past the first block are.
    pub(crate) fn waits(&self, reads: &Bits, beyond: bool) -> bool {
        self.stale.touches(reads) || beyond && self.stale_beyond.iter().any(|stale| *stale != Bits::default())
    }

    pub(crate) fn get(&self, first: usize, count: usize) -> Option<&[[u32; 4]]> {
        self.values.get(first..first.checked_add(count)?)
    }

    pub(crate) fn all(&self) -> &[[u32; 4]] {
        &self.values
    }

    /// Nothing has arrived.
    pub(crate) fn invalidate(&mut self) {
        let registers = self.values.len();
        self.stale = Bits::first(registers);
        for (block, bits) in self.stale_beyond.iter_mut().enumerate() {
            *bits = Bits::first((registers - BLOCK * (block + 1)).min(BLOCK));
        }
    }
}

/// A file of a shader stage's constants.
#[derive(Clone, Copy, Debug)]
pub(crate) enum File {
    Floats,
    Ints,
    Bools,
}

/// The three files of one shader stage, by [`File`].
#[derive(Clone, Debug)]
pub(crate) struct ConstantsOf {
    files: [Constants; 3],
    kind: Kind<DeviceState>,
}

impl ConstantsOf {
    /// Those of the stage whose files' states are of a kind.
    pub(crate) fn new(kind: Kind<DeviceState>, floats: usize) -> Self {
        Self { files: [Constants::new(floats), Constants::new(16), Constants::new(16)], kind }
    }

    /// Those of a vertex stage in software.
    pub(crate) fn software(kind: Kind<DeviceState>) -> Self {
        Self { files: [SOFTWARE_FLOATS as usize, 2048, 2048].map(Constants::new), kind }
    }

    /// A file's registers.
    #[inline]
    pub(crate) fn file(&self, file: File) -> &Constants {
        trace::read(self.kind.at(file as u32));
        &self.files[file as usize]
    }

    /// Stores registers that exist.
    #[inline]
    pub(crate) fn set(&mut self, file: File, first: usize, values: &[[u32; 4]], tracker: &mut DeviceTracker) {
        if self.files[file as usize].set(first, values) {
            tracker.changed(self.kind.at(file as u32));
        } else {
            tracker.filtered();
        }
    }

    /// Every file, to take out what the receiver does not have.
    #[inline]
    pub(crate) fn files_mut(&mut self) -> &mut [Constants; 3] {
        (0..3).for_each(|file| trace::read(self.kind.at(file)));
        &mut self.files
    }

    pub(crate) fn invalidate(&mut self) {
        self.files.iter_mut().for_each(Constants::invalidate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_close_gaps_of_one() {
        let mut bits = Bits::default();
        bits.insert(0, 2);
        bits.insert(3, 1);
        bits.insert(60, 10);
        bits.insert(255, 1);
        assert_eq!(bits.runs().collect::<Vec<_>>(), [(0, 4), (60, 70), (255, 256)]);
        assert_eq!(Bits::first(256).runs().collect::<Vec<_>>(), [(0, 256)]);
        assert_eq!(Bits::first(64).runs().collect::<Vec<_>>(), [(0, 64)]);
        assert_eq!(Bits::first(0), Bits::default());
    }

    #[test]
    fn all_that_is_inserted_is_taken_as_runs() {
        let all = Bits::first(256);
        for (first, count) in [(0, 1), (0, 63), (5, 8), (63, 1), (64, 64), (64, 63), (192, 64), (60, 100)] {
            let mut bits = Bits::default();
            bits.insert(first, count);
            assert_eq!(taken(&mut bits.clone(), &Bits::default()), []);
            assert_eq!(taken(&mut bits, &all), [(first, first + count)]);
            assert_eq!(bits, Bits::default());
        }
        let mut bits = Bits::first(2);
        bits.insert(5, 1);
        assert_eq!(taken(&mut bits.clone(), &Bits::first(2)), [(0, 2)]);
        assert_eq!(taken(&mut bits, &all), [(0, 2), (5, 6)]);
    }

    #[test]
    fn registers_are_taken_once() {
        let (mut bits, mut of) = (Bits::first(3), Bits::default());
        bits.insert(200, 2);
        of.insert(2, 10);
        of.insert(201, 1);
        assert_eq!(taken(&mut bits, &of), [(2, 3), (201, 202)]);
        assert_eq!(bits.runs().collect::<Vec<_>>(), [(0, 2), (200, 201)]);
        assert!(taken(&mut bits, &of).is_empty());
    }

    fn taken(bits: &mut Bits, of: &Bits) -> Vec<(usize, usize)> {
        let mut runs = Vec::new();
        assert_eq!(bits.take(of, |first, end| runs.push((first, end))), !runs.is_empty());
        runs
    }

    #[test]
    fn only_changed_registers_are_stale() {
        let mut constants = Constants::new(16);
        constants.stale = Bits::default();
        assert!(!constants.set(3, &[[0; 4]]));
        assert!(constants.set(3, &[[1; 4], [2; 4]]));
        assert_eq!(constants.stale.runs().collect::<Vec<_>>(), [(3, 5)]);
        assert!(constants.holds(15, 1) && !constants.holds(15, 2) && !constants.holds(usize::MAX, 2));
    }

    #[test]
    fn registers_past_the_first_block_are_stale_by_themselves() {
        let mut constants = Constants::new(600);
        assert_eq!(constants.take_stale_beyond(), [(256, 512), (512, 600)]);
        constants.stale = Bits::default();
        assert!(constants.set(254, &[[1; 4]; 3]) && constants.set(511, &[[2; 4]; 2]) && constants.set(599, &[[3; 4]]));
        assert!(!constants.set(599, &[[3; 4]]));
        assert_eq!(constants.stale.runs().collect::<Vec<_>>(), [(254, 256)]);
        assert_eq!(constants.take_stale_beyond(), [(256, 257), (511, 512), (512, 513), (599, 600)]);
        assert!(constants.take_stale_beyond().is_empty());
    }
}
