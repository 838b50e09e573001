//! Tables of numbered 32-bit states, and their values.

use crate::{Group, Space, State, Tracker, trace};
use std::fmt;
use std::marker::PhantomData;

/// One state of a [`state_table!`](crate::state_table!).
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The guest's number of the state.
    pub number: u16,
    /// The guest's name of the state.
    pub name: &'static str,
    /// Value after a reset, as 32 bits.
    pub default: u32,
    /// Bits of the groups that read it; 0 where nothing is drawn by it.
    pub readers: u64,
}

/// A table of numbered 32-bit states. Implemented by [`state_table!`](crate::state_table!).
pub trait Table: 'static {
    /// Groups of the states.
    type Group: Group;
    /// Every state, ascending by number.
    const ROWS: &'static [Row];
    /// Row of a state by its number; `u16::MAX` where there is none.
    const INDEX: &'static [u16];
    /// Readers of a state by its number; 0 where there is none.
    const READERS: &'static [u64];

    /// The row of a state.
    #[must_use]
    #[inline]
    fn row(number: u32) -> Option<&'static Row> {
        let index = *Self::INDEX.get(usize::try_from(number).ok()?)?;
        Self::ROWS.get(usize::from(index))
    }
}

/// Declares a table of states: `number NAME = default => Group, ...;` per row, ascending. The groups are those whose apply function
/// reads the state; a row without any is of a state that is kept and drawn by nothing.
#[macro_export]
macro_rules! state_table {
    ($(#[$doc:meta])* $vis:vis table $name:ident of $group:ident {
        $( $number:literal $state:ident = $default:expr $(=> $($in:ident),+)? ; )*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        $vis struct $name;

        impl $name {
            $( #[doc = concat!("Number of ", stringify!($state), ".")] #[allow(dead_code)] $vis const $state: u32 = $number; )*
        }

        impl $crate::Table for $name {
            type Group = $group;
            const ROWS: &'static [$crate::Row] = &[ $(
                $crate::Row {
                    number: $number,
                    name: stringify!($state),
                    default: $default,
                    readers: 0 $( $(| 1u64 << $group::$in as u8)+ )?,
                },
            )* ];
            const INDEX: &'static [u16] = {
                const ROWS: &[$crate::Row] = <$name as $crate::Table>::ROWS;
                &$crate::index::<{ ROWS[ROWS.len() - 1].number as usize + 1 }>(ROWS)
            };
            const READERS: &'static [u64] = {
                const ROWS: &[$crate::Row] = <$name as $crate::Table>::ROWS;
                &$crate::readers::<{ ROWS[ROWS.len() - 1].number as usize + 1 }>(ROWS)
            };
        }
    };
}

/// Row indices by state number. Used by [`state_table!`](crate::state_table!) at compile time.
///
/// # Panics
/// If the rows do not ascend by number (at compile time).
#[must_use]
pub const fn index<const N: usize>(rows: &[Row]) -> [u16; N] {
    let mut index = [u16::MAX; N];
    let mut row = 0;
    while row < rows.len() {
        assert!(row == 0 || rows[row - 1].number < rows[row].number, "state tables ascend by number");
        index[rows[row].number as usize] = row as u16;
        row += 1;
    }
    index
}

/// Readers by state number. Used by [`state_table!`](crate::state_table!) at compile time.
#[must_use]
pub const fn readers<const N: usize>(rows: &[Row]) -> [u64; N] {
    let mut readers = [0; N];
    let mut row = 0;
    while row < rows.len() {
        readers[rows[row].number as usize] = rows[row].readers;
        row += 1;
    }
    readers
}

/// Numbers of a table's states are less.
const NUMBERS: usize = 256;

/// The values of one instance of a table's states, e.g. of one sampler.
pub struct States<T: Table, S: Space> {
    /// By number; so many that reads of a state with a known number check nothing.
    values: Box<[u32; NUMBERS]>,
    /// The state with number 0 in the field of all states.
    first: State<S>,
    table: PhantomData<T>,
}

impl<T: Table, S: Space> States<T, S> {
    /// Every state at its default. `first` is the instance's state number 0: `Space::KIND.at(instance)`.
    #[must_use]
    pub fn new(first: State<S>) -> Self {
        const { assert!(T::INDEX.len() <= NUMBERS, "numbers of states are less than 256") };
        let mut values = Box::new([0; NUMBERS]);
        for row in T::ROWS {
            values[usize::from(row.number)] = row.default;
        }
        Self { values, first, table: PhantomData }
    }

    /// Stores a value and marks its readers. Returns false where nothing changed (an equal value, or no such state:
    /// [`Table::row`] tells them apart).
    #[inline]
    pub fn set(&mut self, number: u32, value: u32, tracker: &mut Tracker<S>) -> bool {
        let Some(slot) = self.values.get_mut(number as usize) else { return false };
        if *slot == value {
            tracker.filtered();
            return false;
        }
        if T::row(number).is_none() {
            return false;
        }
        *slot = value;
        tracker.changed(self.first.plus(number));
        true
    }

    /// A state's value; 0 where there is no such state.
    #[must_use]
    #[inline]
    pub fn get(&self, number: u32) -> u32 {
        trace::read(self.first.plus(number));
        self.values.get(number as usize).copied().unwrap_or(0)
    }

    /// A state's value as a float.
    #[must_use]
    #[inline]
    pub fn get_f32(&self, number: u32) -> f32 {
        f32::from_bits(self.get(number))
    }
}

impl<T: Table, S: Space> Clone for States<T, S> {
    fn clone(&self) -> Self {
        Self { values: self.values.clone(), first: self.first, table: PhantomData }
    }
}

impl<T: Table, S: Space> fmt::Debug for States<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |number: u16| self.values.get(usize::from(number)).copied().unwrap_or(0);
        f.debug_map().entries(T::ROWS.iter().map(|row| (row.name, value(row.number)))).finish()
    }
}
