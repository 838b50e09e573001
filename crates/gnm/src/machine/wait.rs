//! What a queue waits for.

use super::archive::{Archive, Kept, StateError, kept};
use super::{Bus, Context, Shared};

/// A comparison of `WAIT_REG_MEM` and its like, by its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Compare {
    pub(super) function: u32,
    pub(super) mask: u32,
    pub(super) reference: u32,
}

impl Compare {
    pub(super) fn holds(self, value: u32) -> bool {
        let (value, reference) = (value & self.mask, self.reference);
        match self.function {
            1 => value < reference,
            2 => value <= reference,
            3 => value == reference,
            4 => value != reference,
            5 => value >= reference,
            6 => value > reference,
            _ => true,
        }
    }

    fn sign(self) -> &'static str {
        ["is", "<", "<=", "==", "!=", ">=", ">", "is"][(self.function & 7) as usize]
    }
}

impl std::fmt::Display for Compare {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.mask != u32::MAX {
            write!(f, " & {:#x}", self.mask)?;
        }
        write!(f, " {} {:#x}", self.sign(), self.reference)
    }
}

/// What a queue waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Wait {
    /// A word of memory.
    Memory { address: u64, compare: Compare },
    /// A register, by its byte address.
    Register { register: u32, compare: Compare },
    /// A semaphore that is not zero, of which one is taken.
    Semaphore { address: u64 },
    /// `ATOMIC` that loops: memory that holds a value, which is then replaced.
    Exchange { address: u64, compare: u64, value: u64, wide: bool },
    /// The constant engine is ahead.
    #[default]
    ConstantCounter,
    /// The constant engine is less than so far ahead.
    DrawCounter { difference: u32 },
}

impl Wait {
    /// Whether the processor could do something about it.
    pub(super) fn is_outside(&self) -> bool {
        matches!(self, Self::Memory { .. } | Self::Semaphore { .. } | Self::Exchange { .. })
    }

    /// Whether it is over. What is taken with that is taken. Memory that is there no more is waited for: the processor may map it
    /// again.
    pub(super) fn is_over(&self, bus: &mut Bus<'_>, context: &Context, shared: &Shared) -> bool {
        match *self {
            Self::Memory { address, compare } => bus.word(address).is_ok_and(|value| compare.holds(value)),
            Self::Register { register, compare } => compare.holds(context.registers.get(register)),
            Self::Semaphore { address } => match bus.long(address) {
                Ok(0) | Err(_) => false,
                Ok(count) => bus.write(address & !3, &(count - 1).to_le_bytes()).is_ok(),
            },
            Self::Exchange { address, compare, value, wide } => {
                let now = if wide { bus.long(address) } else { bus.word(address).map(u64::from) };
                let size = if wide { 8 } else { 4 };
                now == Ok(compare) && bus.write(address & !3, &value.to_le_bytes()[..size]).is_ok()
            }
            Self::ConstantCounter => shared.constants.ahead() > 0,
            Self::DrawCounter { difference } => shared.constants.ahead() < i64::from(difference),
        }
    }
}

impl std::fmt::Display for Wait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Memory { address, compare } => write!(f, "it waits until the word at {address:#x}{compare}"),
            Self::Register { register, compare } => {
                let name = afterimage_gnm_types::rows::name_of(*register).unwrap_or_default();
                write!(f, "it waits until register {name} {register:#x}{compare}")
            }
            Self::Semaphore { address } => write!(f, "it waits for the semaphore at {address:#x}"),
            Self::Exchange { address, compare, .. } => {
                write!(f, "it waits until {address:#x} holds {compare:#x}")
            }
            Self::ConstantCounter => f.write_str("it waits for the constant engine"),
            Self::DrawCounter { difference } => {
                write!(f, "it waits until the constant engine is less than {difference} ahead")
            }
        }
    }
}

kept!(Compare { function, mask, reference });

impl Kept for Wait {
    fn keep(&mut self, archive: &mut Archive<'_>) -> Result<(), StateError> {
        let mut number: u8 = match self {
            Self::Memory { .. } => 0,
            Self::Register { .. } => 1,
            Self::Semaphore { .. } => 2,
            Self::Exchange { .. } => 3,
            Self::ConstantCounter => 4,
            Self::DrawCounter { .. } => 5,
        };
        number.keep(archive)?;
        if archive.loads() {
            let compare = Compare::default();
            *self = match number {
                0 => Self::Memory { address: 0, compare },
                1 => Self::Register { register: 0, compare },
                2 => Self::Semaphore { address: 0 },
                3 => Self::Exchange { address: 0, compare: 0, value: 0, wide: false },
                4 => Self::ConstantCounter,
                5 => Self::DrawCounter { difference: 0 },
                _ => return Err(StateError::Value { what: "what a queue waits for", value: number.into() }),
            };
        }
        match self {
            Self::Memory { address, compare } => {
                address.keep(archive)?;
                compare.keep(archive)
            }
            Self::Register { register, compare } => {
                register.keep(archive)?;
                compare.keep(archive)
            }
            Self::Semaphore { address } => address.keep(archive),
            Self::Exchange { address, compare, value, wide } => {
                address.keep(archive)?;
                compare.keep(archive)?;
                value.keep(archive)?;
                wide.keep(archive)
            }
            Self::ConstantCounter => Ok(()),
            Self::DrawCounter { difference } => difference.keep(archive),
        }
    }
}
