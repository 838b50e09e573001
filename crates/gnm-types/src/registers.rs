//! The register file.

use crate::groups::GnmStates;
use crate::rows::{ROWS, Register, What};
use crate::view::View;
use afterimage_state::{State, Tracker};

/// Where a kind of registers lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Context registers, from 0x28000 on.
    Context,
    /// Shader registers, from 0xB000 on.
    Shader,
    /// User configuration registers, from 0x30000 on.
    UserConfig,
    /// Configuration registers, from 0x8000 on.
    Config,
}

impl Space {
    /// Every space, in the order of the register file.
    pub const ALL: [Self; 4] = [Self::Context, Self::Shader, Self::UserConfig, Self::Config];

    /// Byte address of its first register.
    #[must_use]
    pub const fn base(self) -> u32 {
        match self {
            Self::Context => 0x28000,
            Self::Shader => 0xB000,
            Self::UserConfig => 0x30000,
            Self::Config => 0x8000,
        }
    }

    /// Registers of it that are kept. User configuration registers behind them count events for profilers.
    #[must_use]
    pub const fn words(self) -> usize {
        match self {
            Self::Context | Self::Shader => 0x400,
            Self::UserConfig => 0x1000,
            Self::Config => 0xC00,
        }
    }

    /// Index of its first register in the register file.
    const fn start(self) -> usize {
        match self {
            Self::Context => 0,
            Self::Shader => 0x400,
            Self::UserConfig => 0x800,
            Self::Config => 0x1800,
        }
    }

    /// The space of a register, if it is kept.
    #[must_use]
    #[inline]
    pub const fn of(address: u32) -> Option<Self> {
        match address {
            0x28000..0x29000 => Some(Self::Context),
            0xB000..0xC000 => Some(Self::Shader),
            0x30000..0x34000 => Some(Self::UserConfig),
            0x8000..0xB000 => Some(Self::Config),
            _ => None,
        }
    }
}

/// Registers that are kept.
pub(crate) const WORDS: usize = 0x2400;

/// Where the word of a register is in the register file.
pub(crate) const fn index(address: u32) -> Option<usize> {
    match Space::of(address) {
        Some(space) => Some(space.start() + (address - space.base()) as usize / 4),
        None => None,
    }
}

/// In [`PLACES`]: the register has no row.
const NO_PLACE: u16 = u16::MAX;

/// For each register that is kept where its row is: which table of [`ROWS`] in the high four bits, and the place in it.
static PLACES: [u16; WORDS] = {
    let mut places = [NO_PLACE; WORDS];
    let mut space = 0;
    while space < ROWS.len() {
        assert!(ROWS[space].len() < 0x1000);
        let mut row = 0;
        while row < ROWS[space].len() {
            let register = &ROWS[space][row];
            let mut instance = 0;
            while instance < register.count {
                let Some(at) = index(register.address + instance * register.stride) else {
                    panic!("a register outside of every space")
                };
                places[at] = (space as u16) << 12 | row as u16;
                instance += 1;
            }
            row += 1;
        }
        space += 1;
    }
    places
};

const fn row_at(place: u16) -> Option<&'static Register> {
    if place == NO_PLACE { None } else { Some(&ROWS[(place >> 12) as usize][(place & 0xFFF) as usize]) }
}

/// The row of the register at a byte address.
pub(crate) fn row_of(address: u32) -> Option<&'static Register> {
    index(address).and_then(|at| row_at(PLACES[at]))
}

/// For each register the bits of the groups that read it.
pub(crate) static READERS: [u64; WORDS] = {
    let mut readers = [0; WORDS];
    let mut at = 0;
    while at < WORDS {
        if let Some(Register { what: What::State(groups), .. }) = row_at(PLACES[at]) {
            readers[at] = *groups;
        }
        at += 1;
    }
    readers
};

/// The byte address of the register at a place in the register file.
pub(crate) const fn address_of(at: usize) -> u32 {
    let mut space = Space::ALL.len() - 1;
    while Space::ALL[space].start() > at {
        space -= 1;
    }
    Space::ALL[space].base() + (at - Space::ALL[space].start()) as u32 * 4
}

/// The last value of every register, and what changed since somebody applied it. Addresses are byte addresses, as in
/// [`crate::reg`].
#[derive(Clone, Debug)]
pub struct Registers {
    view: View,
    /// What changed. Whoever applies a group takes its mark away.
    pub tracker: Tracker<GnmStates>,
}

impl Default for Registers {
    fn default() -> Self {
        Self::new()
    }
}

/// Reading is the view's.
impl std::ops::Deref for Registers {
    type Target = View;

    #[inline]
    fn deref(&self) -> &View {
        &self.view
    }
}

impl Registers {
    /// All zeros, everything dirty.
    #[must_use]
    pub fn new() -> Self {
        Self { view: View { words: Box::new([0; WORDS]) }, tracker: Tracker::new() }
    }

    /// Stores a register. False where it has no name.
    #[inline]
    pub fn set(&mut self, address: u32, value: u32) -> bool {
        self.set_run(address, &[value]).is_none()
    }

    /// [`Registers::set_run`] of one, as most packets are.
    #[inline]
    fn set_one(&mut self, space: Space, address: u32, value: u32) -> Option<u32> {
        let at = space.start() + (address - space.base()) as usize / 4;
        let is_new = self.tracker.write(State::of(at as u32), &mut self.view.words[at], value);
        (is_new && PLACES[at] == NO_PLACE).then_some(address)
    }

    /// Stores consecutive registers and marks what reads those that changed. Registers that are not kept are left out.
    /// The address of the first register without a name that got another value, or of the first that is not kept.
    #[inline]
    pub fn set_run(&mut self, address: u32, values: &[u32]) -> Option<u32> {
        let Some(space) = Space::of(address) else { return (!values.is_empty()).then_some(address) };
        if let &[value] = values {
            return self.set_one(space, address, value);
        }
        let first = space.start() + (address - space.base()) as usize / 4;
        let end = (space.start() + space.words()).min(first + values.len());
        let words = &mut self.view.words[first..end];
        let unnamed = (first..end)
            .zip(words.iter().zip(values))
            .find(|(at, (word, value))| PLACES[*at] == NO_PLACE && word != value)
            .map(|(at, _)| at - first);
        self.tracker.write_run(first, words, &values[..end - first]);
        let unnamed = unnamed.or((values.len() > end - first).then_some(end - first));
        unnamed.map(|at| address + 4 * at as u32)
    }

    /// Every register of a space becomes 0, which marks what reads those that were not.
    pub fn clear(&mut self, space: Space) {
        let range = space.start()..space.start() + space.words();
        self.tracker.write_run(range.start, &mut self.view.words[range], &[0; 0x1000][..space.words()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Group, reg};

    #[test]
    fn a_write_marks_the_group_of_what_changes() {
        let mut registers = Registers::new();
        registers.tracker.take();
        assert!(registers.set(reg::DB_DEPTH_CONTROL, reg::DB_DEPTH_CONTROL::ZFUNC.bits(3)));
        let depth = [Group::Plan, Group::Targets, Group::DepthStencil];
        assert_eq!(registers.tracker.dirty().iter().filter(|group| depth.contains(group)).count(), 2);
        assert_eq!(registers.field(reg::DB_DEPTH_CONTROL::ZFUNC), 3);
        registers.tracker.take();
        assert!(registers.set(reg::DB_DEPTH_CONTROL, 0x30));
        assert!(registers.tracker.is_clean(), "an equal write marks nothing");
        assert_eq!(registers.set_run(reg::CB_COLOR0_BASE + 0x3C * 7, &[1; 6]), None);
        assert!(registers.tracker.dirty().contains(Group::Targets));
        assert_eq!(registers.get_nth(reg::CB_COLOR0_BASE, 7, 0x3C), 1);
    }

    #[test]
    fn what_has_no_name_is_told_and_what_is_not_kept_is_left_out() {
        let mut registers = Registers::new();
        assert_eq!(registers.set_run(0x28FF8, &[0, 9, 7]), Some(0x28FFC));
        assert_eq!(registers.get(0x28FFC), 9);
        assert_eq!(registers.get(0x29000), 0);
        assert_eq!(registers.set_run(0x28FFC, &[9, 7]), Some(0x29000));
        assert_eq!(registers.set_run(0x40000, &[7]), Some(0x40000));
        assert_eq!((registers.set_run(0x28FFC, &[9]), registers.set_run(0x28FFC, &[8])), (None, Some(0x28FFC)));
        assert_eq!((registers.get(u32::MAX), registers.get_nth(u32::MAX, 9, 9)), (0, 0));
    }

    #[test]
    fn clearing_marks_what_was_set() {
        let mut registers = Registers::new();
        registers.set(reg::CB_BLEND_RED, 1);
        registers.tracker.take();
        registers.clear(Space::Context);
        assert_eq!(registers.tracker.dirty().iter().collect::<Vec<_>>(), [Group::Blend]);
        assert_eq!(registers.get(reg::CB_BLEND_RED), 0);
    }

    #[test]
    fn programs_have_addresses_of_48_bits() {
        let mut registers = Registers::new();
        registers.set(reg::SPI_SHADER_PGM_LO_PS, 0x1234_5678);
        registers.set(reg::SPI_SHADER_PGM_HI_PS, 0xAB);
        assert_eq!(registers.program(reg::SPI_SHADER_PGM_LO_PS), 0xAB12_3456_7800);
    }
}
