//! Where registers lie: their spaces, their places in the register file, and the row of each place.

use crate::rows::{ROWS, Register, What};

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
    pub(crate) const fn start(self) -> usize {
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

/// Whether the register at a place in the register file has a row.
#[inline]
pub(crate) fn has_row(at: usize) -> bool {
    PLACES[at] != NO_PLACE
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
