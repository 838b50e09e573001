//! Tables of numbered 32-bit states.

use crate::Group;

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
