//! The tables of Direct3D 9 until they move to [`crate::states!`].

use crate::{Dirty, Group};
use std::fmt;
use std::marker::PhantomData;

/// One state of a `old_state_table!`.
#[derive(Clone, Copy, Debug)]
pub struct Row<G> {
    /// The guest's number of the state.
    pub number: u16,
    /// The guest's name of the state.
    pub name: &'static str,
    /// Value after a reset, as 32 bits.
    pub default: u32,
    /// The group that is applied when it changes.
    pub group: G,
}

/// A table of numbered 32-bit states. Implemented by `old_state_table!`.
pub trait Table: 'static {
    /// Groups of the states.
    type Group: Group;
    /// Every state, ascending by number.
    const ROWS: &'static [Row<Self::Group>];
    /// Row of a state by its number; `u16::MAX` where there is none.
    const INDEX: &'static [u16];

    /// The row of a state.
    #[must_use]
    #[inline]
    fn row(number: u32) -> Option<&'static Row<Self::Group>> {
        let index = *Self::INDEX.get(usize::try_from(number).ok()?)?;
        Self::ROWS.get(usize::from(index))
    }
}

/// Declares a table of states: `number NAME = default => Group;` per row, ascending.
#[macro_export]
macro_rules! old_state_table {
    ($(#[$doc:meta])* $vis:vis table $name:ident of $group:ident { $( $number:literal $state:ident = $default:expr => $in:ident ; )* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        $vis struct $name;

        impl $name {
            $( #[doc = concat!("Number of ", stringify!($state), ".")] #[allow(dead_code)] $vis const $state: u32 = $number; )*
        }

        impl $crate::old::Table for $name {
            type Group = $group;
            const ROWS: &'static [$crate::old::Row<$group>] = &[ $(
                $crate::old::Row { number: $number, name: stringify!($state), default: $default, group: $group::$in },
            )* ];
            const INDEX: &'static [u16] = {
                const ROWS: &[$crate::old::Row<$group>] = <$name as $crate::old::Table>::ROWS;
                &$crate::old::index::<$group, { ROWS[ROWS.len() - 1].number as usize + 1 }>(ROWS)
            };
        }
    };
}

/// Row indices by state number. Used by `old_state_table!` at compile time.
///
/// # Panics
/// If the rows do not ascend by number (at compile time).
#[must_use]
pub const fn index<G: Copy, const N: usize>(rows: &[Row<G>]) -> [u16; N] {
    let mut index = [u16::MAX; N];
    let mut row = 0;
    while row < rows.len() {
        assert!(row == 0 || rows[row - 1].number < rows[row].number, "state tables ascend by number");
        index[rows[row].number as usize] = row as u16;
        row += 1;
    }
    index
}

/// The values of a table's states.
pub struct States<T: Table> {
    values: Box<[u32]>,
    table: PhantomData<T>,
}

impl<T: Table> States<T> {
    /// Every state at its default.
    #[must_use]
    pub fn new() -> Self {
        let mut values = vec![0; T::INDEX.len()].into_boxed_slice();
        for row in T::ROWS {
            values[usize::from(row.number)] = row.default;
        }
        Self { values, table: PhantomData }
    }

    /// Stores a value and marks its group. Returns false where nothing changed (an equal value, or no such state:
    /// [`Table::row`] tells them apart).
    #[inline]
    pub fn set(&mut self, number: u32, value: u32, dirty: &mut Dirty<T::Group>) -> bool {
        let Some(slot) = self.values.get_mut(number as usize) else { return false };
        if *slot == value {
            return false;
        }
        let Some(row) = T::row(number) else { return false };
        *slot = value;
        dirty.mark(row.group);
        true
    }

    /// A state's value; 0 where there is no such state.
    #[must_use]
    #[inline]
    pub fn get(&self, number: u32) -> u32 {
        self.values.get(number as usize).copied().unwrap_or(0)
    }

    /// A state's value as a float.
    #[must_use]
    #[inline]
    pub fn get_f32(&self, number: u32) -> f32 {
        f32::from_bits(self.get(number))
    }
}

impl<T: Table> Clone for States<T> {
    fn clone(&self) -> Self {
        Self { values: self.values.clone(), table: PhantomData }
    }
}

impl<T: Table> Default for States<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Table> fmt::Debug for States<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(T::ROWS.iter().map(|row| (row.name, self.get(u32::from(row.number))))).finish()
    }
}
