//! What a saved state is written to and read from: each type says once what it keeps ([`kept`]), and the same walk writes and reads it.
//! Bytes come from anywhere: each length has a bound, and what cannot be is refused ([`StateError`]).

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

impl<'a> Archive<'a> {
    /// One that saves.
    pub(crate) fn saving() -> Self {
        Self::Save(MAGIC.to_vec())
    }

    /// One that loads.
    pub(crate) fn loading(bytes: &'a [u8]) -> Result<Self, StateError> {
        bytes.strip_prefix(&MAGIC[..]).map(Self::Load).ok_or(StateError::Magic)
    }

    /// What was saved; nothing of what was loaded may be left.
    pub(crate) fn end(self) -> Result<Vec<u8>, StateError> {
        match self {
            Self::Save(bytes) => Ok(bytes),
            Self::Load([]) => Ok(Vec::new()),
            Self::Load(rest) => Err(StateError::TooLong(rest.len())),
        }
    }

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
