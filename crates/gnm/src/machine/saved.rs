//! The state as bytes, and back, for [`crate::Gpu::save`] and [`crate::Gpu::load`].
//!
//! What a type keeps is said once, by [`kept`] in its file, and read and written by the same walk ([`Archive`]). Bytes come from
//! anywhere: each length has a bound, and what a ring could not be is refused ([`StateError`]).

use super::engine::{ComputeQueue, Waiting};
use super::wait::{Compare, Wait};
use super::{Context, Machine, PIPES, QUEUES, Shared};
use afterimage_gnm_types::{Opcode, Registers, registers::Space};
use std::collections::VecDeque;

/// First bytes of a saved state; the last is the version of the format.
const MAGIC: [u8; 8] = *b"GNMSTAT\x01";
/// Elements of a list at most: more than any queue has room for.
const MOST: usize = 1 << 16;

/// Why bytes are no saved state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// They do not begin as one of this version does.
    #[error("it is no saved state of this version: it does not begin with \"GNMSTAT\" and the byte 1")]
    Magic,
    /// They end too early.
    #[error("the saved state ends within its {0}")]
    Truncated(&'static str),
    /// Something is behind its end.
    #[error("{0} bytes are behind the end of the saved state")]
    TooLong(usize),
    /// A number that cannot be there.
    #[error("{what} is {value:#x} in the saved state, which cannot be")]
    Value {
        /// Which.
        what: &'static str,
        /// The number.
        value: u64,
    },
}

/// Bytes that a state goes into, or comes from.
#[derive(Debug)]
pub(crate) enum Archive<'a> {
    /// Values are appended.
    Save(Vec<u8>),
    /// Values are taken from the front.
    Load(&'a [u8]),
}

impl Archive<'_> {
    /// Whether values come from it.
    pub(crate) fn loads(&self) -> bool {
        matches!(self, Self::Load(_))
    }

    /// Bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &mut [u8], what: &'static str) -> Result<(), StateError> {
        match self {
            Self::Save(out) => out.extend_from_slice(bytes),
            Self::Load(rest) => {
                let (front, behind) = rest.split_at_checked(bytes.len()).ok_or(StateError::Truncated(what))?;
                bytes.copy_from_slice(front);
                *rest = behind;
            }
        }
        Ok(())
    }
}

/// What a state has in it.
pub(crate) trait Kept {
    /// Goes into the archive, or comes from it.
    fn keep(&mut self, archive: &mut Archive<'_>) -> Result<(), StateError>;
}

macro_rules! numbers {
    ($($type:ident)*) => { $(
        impl Kept for $type {
            fn keep(&mut self, archive: &mut Archive<'_>) -> Result<(), StateError> {
                let mut bytes = self.to_le_bytes();
                archive.bytes(&mut bytes, "numbers")?;
                *self = Self::from_le_bytes(bytes);
                Ok(())
            }
        }
    )* };
}
numbers!(u8 u32 u64);

impl Kept for bool {
    fn keep(&mut self, archive: &mut Archive<'_>) -> Result<(), StateError> {
        let mut byte = u8::from(*self);
        byte.keep(archive)?;
        *self = byte != 0;
        Ok(())
    }
}

/// A number of the host's size.
pub(crate) fn size(value: &mut usize, most: usize, what: &'static str, a: &mut Archive<'_>) -> Result<(), StateError> {
    let mut long = *value as u64;
    long.keep(a)?;
    *value = usize::try_from(long).ok().filter(|size| *size <= most).ok_or(StateError::Value { what, value: long })?;
    Ok(())
}

impl<T: Kept> Kept for [T] {
    fn keep(&mut self, archive: &mut Archive<'_>) -> Result<(), StateError> {
        self.iter_mut().try_for_each(|value| value.keep(archive))
    }
}

impl<T: Kept, const N: usize> Kept for [T; N] {
    fn keep(&mut self, archive: &mut Archive<'_>) -> Result<(), StateError> {
        self.as_mut_slice().keep(archive)
    }
}

impl<A: Kept, B: Kept> Kept for (A, B) {
    fn keep(&mut self, archive: &mut Archive<'_>) -> Result<(), StateError> {
        self.0.keep(archive)?;
        self.1.keep(archive)
    }
}

impl<T: Kept + Default> Kept for Option<T> {
    fn keep(&mut self, archive: &mut Archive<'_>) -> Result<(), StateError> {
        let mut is_some = self.is_some();
        is_some.keep(archive)?;
        if is_some {
            return self.get_or_insert_default().keep(archive);
        }
        *self = None;
        Ok(())
    }
}

impl<T: Kept + Default> Kept for Vec<T> {
    fn keep(&mut self, archive: &mut Archive<'_>) -> Result<(), StateError> {
        let mut count = self.len();
        size(&mut count, MOST, "the length of a list", archive)?;
        if archive.loads() {
            self.clear();
            for _ in 0..count {
                let mut value = T::default();
                value.keep(archive)?;
                self.push(value);
            }
            return Ok(());
        }
        self.as_mut_slice().keep(archive)
    }
}

impl<T: Kept + Default> Kept for VecDeque<T> {
    fn keep(&mut self, archive: &mut Archive<'_>) -> Result<(), StateError> {
        let mut list: Vec<T> = std::mem::take(self).into();
        let kept = list.keep(archive);
        *self = list.into();
        kept
    }
}

/// Says what a struct keeps.
macro_rules! kept {
    ($type:ty { $($field:ident),* $(,)? }) => {
        impl $crate::machine::Kept for $type {
            fn keep(
                &mut self,
                archive: &mut $crate::machine::Archive<'_>,
            ) -> Result<(), $crate::machine::StateError> {
                $( self.$field.keep(archive)?; )*
                Ok(())
            }
        }
    };
}
pub(crate) use kept;

kept!(Compare { function, mask, reference });
kept!(Waiting { wait, address, opcode });
kept!(Context { registers, indirect_base, predicate, predicate_sum, atomic_result, gds_atomic_result });
kept!(Shared { constants, gds, statistics, time });

impl Kept for Opcode {
    fn keep(&mut self, archive: &mut Archive<'_>) -> Result<(), StateError> {
        self.0.keep(archive)
    }
}

impl Kept for Registers {
    fn keep(&mut self, archive: &mut Archive<'_>) -> Result<(), StateError> {
        for space in Space::ALL {
            let at = |word: usize| space.base() + 4 * word as u32;
            let mut words: Vec<u32> = (0..space.words()).map(|word| self.get(at(word))).collect();
            words.as_mut_slice().keep(archive)?;
            if archive.loads() {
                // Which have no name was said when they were set.
                let _unnamed = self.set_run(space.base(), &words);
            }
        }
        Ok(())
    }
}

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

impl Kept for Machine {
    fn keep(&mut self, archive: &mut Archive<'_>) -> Result<(), StateError> {
        let Self { shared, ring, context, draw, constant, compute } = self;
        shared.keep(archive)?;
        ring.keep(archive)?;
        context.keep(archive)?;
        draw.keep(archive)?;
        constant.keep(archive)?;
        for (place, slot) in compute.iter_mut().enumerate() {
            let mut is_there = slot.is_some();
            is_there.keep(archive)?;
            let (pipe, queue) = ((place / usize::from(QUEUES)) as u8, (place % usize::from(QUEUES)) as u8);
            match is_there {
                true => slot.get_or_insert_with(|| Box::new(ComputeQueue::new(pipe, queue))).keep(archive)?,
                false => *slot = None,
            }
        }
        Ok(())
    }
}

impl Machine {
    /// The state of every queue between two runs, also of those that wait: registers, rings, what is left of command buffers, constant
    /// memory, the global data share as the command processor has it; and behind it `more`. Memory is not in it.
    pub(crate) fn save_with(&mut self, mut more: impl Kept) -> Vec<u8> {
        let mut archive = Archive::Save(MAGIC.to_vec());
        let saved = self.keep(&mut archive).and_then(|()| more.keep(&mut archive));
        debug_assert!(saved.is_ok(), "what a machine holds is refused: {saved:?}");
        match archive {
            Archive::Save(bytes) => bytes,
            Archive::Load(_) => Vec::new(),
        }
    }

    /// Puts a saved state in place of this one, and gives what is behind it. Limits, and what was said of faults, stay.
    ///
    /// # Errors
    /// If the bytes are none; the machine is as it was then.
    pub(crate) fn load_with<T: Kept + Default>(&mut self, bytes: &[u8]) -> Result<T, StateError> {
        let mut archive = Archive::Load(bytes.strip_prefix(&MAGIC[..]).ok_or(StateError::Magic)?);
        let (mut machine, mut more) = (Self::new(), T::default());
        machine.keep(&mut archive)?;
        more.keep(&mut archive)?;
        if let Archive::Load(rest) = archive
            && !rest.is_empty()
        {
            return Err(StateError::TooLong(rest.len()));
        }
        std::mem::swap(&mut self.shared.reports, &mut machine.shared.reports);
        machine.shared.limits = self.shared.limits;
        *self = machine;
        Ok(more)
    }

    /// All of the global data share as the command processor has it.
    pub(crate) fn gds(&mut self) -> &mut [u8] {
        &mut self.shared.gds
    }
}

const _: () = assert!(PIPES as usize * QUEUES as usize <= MOST);
