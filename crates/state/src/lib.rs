//! State tables with representatives, and the dirty sets that say which groups a draw must apply.
//!
//! The idea is that of WineD3D's state management (`docs/architecture.md`): every state has a number; states that affect
//! each other form a group, whose representative stands for all of them in the dirty set; a draw applies each dirty
//! group once. Where group A's result needs group B applied too (but not the other way round), A's row declares it, and
//! the closure is taken at compile time: marking A marks B.
//!
//! * [`groups!`] declares the groups of one user (a guest's device, the renderer) and what each requires.
//! * [`state_table!`] declares numbered states: number, name, default, group. One row per state.
//! * [`States`] holds the values: [`States::set`] filters equal writes, stores, and marks.
//! * [`Dirty`] is the dirty set: one machine word, iterated in the order of the groups, each group at most once.
#![forbid(unsafe_code)]

use std::fmt;
use std::marker::PhantomData;

/// The groups of one user. Implemented by [`groups!`].
pub trait Group: Copy + Eq + fmt::Debug + 'static {
    /// Every group, in the order of application.
    const ALL: &'static [Self];
    /// For each group the bits to mark when it changes: its own, and those of every group it requires, closed.
    const CLOSURE: &'static [u64];
    /// Index into [`Group::ALL`].
    fn index(self) -> usize;
    /// The group's name.
    fn name(self) -> &'static str;
}

/// Declares groups. A row is `Name` or `Name requires [Other, ...]`; applying happens in the order of the rows.
///
/// ```
/// afterimage_state::groups! {
///     /// Groups of a small device.
///     pub enum Unit {
///         /// The vertex layout; changing it may change lighting.
///         Layout requires [Lighting],
///         /// Lighting.
///         Lighting,
///     }
/// }
/// let mut dirty = afterimage_state::Dirty::<Unit>::none();
/// dirty.mark(Unit::Layout);
/// assert_eq!(dirty.iter().collect::<Vec<_>>(), [Unit::Layout, Unit::Lighting]);
/// ```
#[macro_export]
macro_rules! groups {
    ($(#[$doc:meta])* $vis:vis enum $name:ident {
        $( $(#[$gdoc:meta])* $group:ident $(requires [$($other:ident),* $(,)?])? ),* $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        $vis enum $name { $( $(#[$gdoc])* $group ),* }

        impl $crate::Group for $name {
            const ALL: &'static [Self] = &[ $( Self::$group ),* ];
            const CLOSURE: &'static [u64] = {
                const COUNT: usize = [ $( $name::$group ),* ].len();
                const DIRECT: [u64; COUNT] = [ $( (1u64 << $name::$group as u8) $( $(| (1u64 << $name::$other as u8))* )? ),* ];
                &$crate::close(DIRECT)
            };
            #[inline]
            fn index(self) -> usize { self as usize }
            fn name(self) -> &'static str { match self { $( Self::$group => stringify!($group) ),* } }
        }
    };
}

/// Transitive closure of the direct requirements. Used by [`groups!`] at compile time.
///
/// # Panics
/// With more than 64 groups (at compile time).
#[must_use]
pub const fn close<const N: usize>(direct: [u64; N]) -> [u64; N] {
    assert!(N <= 64, "a dirty set is one 64-bit word");
    let mut closed = direct;
    let mut round = 0;
    while round < N {
        let mut group = 0;
        while group < N {
            let mut other = 0;
            while other < N {
                if closed[group] >> other & 1 == 1 {
                    closed[group] |= closed[other];
                }
                other += 1;
            }
            group += 1;
        }
        round += 1;
    }
    closed
}

/// A set of groups that must be applied before the next draw.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Dirty<G> {
    bits: u64,
    group: PhantomData<G>,
}

impl<G: Group> Dirty<G> {
    /// Nothing to apply.
    #[must_use]
    pub const fn none() -> Self {
        Self { bits: 0, group: PhantomData }
    }

    /// Everything to apply, as for a new context.
    #[must_use]
    pub const fn all() -> Self {
        let count = G::ALL.len();
        Self { bits: if count == 64 { u64::MAX } else { (1 << count) - 1 }, group: PhantomData }
    }

    /// The groups whose bits, by [`Group::index`], these are, and nothing that they require. Bits beyond mean nothing.
    #[must_use]
    pub const fn of_bits(bits: u64) -> Self {
        Self { bits: bits & Self::all().bits, group: PhantomData }
    }

    /// Whether it has a group that `other` has too.
    #[must_use]
    #[inline]
    pub const fn touches(self, other: Self) -> bool {
        self.bits & other.bits != 0
    }

    /// Marks a group and everything that it requires.
    #[inline]
    pub fn mark(&mut self, group: G) {
        self.bits |= G::CLOSURE[group.index()];
    }

    /// Adds every group of `other`.
    #[inline]
    pub fn merge(&mut self, other: Self) {
        self.bits |= other.bits;
    }

    /// Whether nothing is dirty.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Whether a group is dirty.
    #[must_use]
    #[inline]
    pub fn contains(self, group: G) -> bool {
        self.bits >> group.index() & 1 == 1
    }

    /// Takes a group out: true if it was dirty.
    #[inline]
    pub fn clear(&mut self, group: G) -> bool {
        let was = self.contains(group);
        self.bits &= !(1 << group.index());
        was
    }

    /// Empties the set and returns what was in it. States are clean before they are applied.
    #[inline]
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// The groups of this set that are also in `only`, a usage level such as "what a blit needs".
    #[must_use]
    pub const fn intersect(self, only: Self) -> Self {
        Self { bits: self.bits & only.bits, group: PhantomData }
    }

    /// The dirty groups in the order of application.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = G> {
        let mut bits = self.bits;
        std::iter::from_fn(move || {
            if bits == 0 {
                return None;
            }
            let index = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            Some(G::ALL[index])
        })
    }
}

impl<G: Group> Default for Dirty<G> {
    fn default() -> Self {
        Self::none()
    }
}

impl<G: Group> FromIterator<G> for Dirty<G> {
    fn from_iter<I: IntoIterator<Item = G>>(groups: I) -> Self {
        let mut dirty = Self::none();
        groups.into_iter().for_each(|group| dirty.mark(group));
        dirty
    }
}

impl<G: Group> fmt::Debug for Dirty<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// One state of a [`state_table!`].
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

/// A table of numbered 32-bit states. Implemented by [`state_table!`].
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
macro_rules! state_table {
    ($(#[$doc:meta])* $vis:vis table $name:ident of $group:ident { $( $number:literal $state:ident = $default:expr => $in:ident ; )* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        $vis struct $name;

        impl $name {
            $( #[doc = concat!("Number of ", stringify!($state), ".")] #[allow(dead_code)] $vis const $state: u32 = $number; )*
        }

        impl $crate::Table for $name {
            type Group = $group;
            const ROWS: &'static [$crate::Row<$group>] = &[ $(
                $crate::Row { number: $number, name: stringify!($state), default: $default, group: $group::$in },
            )* ];
            const INDEX: &'static [u16] = {
                const ROWS: &[$crate::Row<$group>] = <$name as $crate::Table>::ROWS;
                &$crate::index::<$group, { ROWS[ROWS.len() - 1].number as usize + 1 }>(ROWS)
            };
        }
    };
}

/// Row indices by state number. Used by [`state_table!`] at compile time.
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

#[cfg(test)]
mod tests {
    use super::*;

    groups! {
        enum Unit {
            A requires [B],
            B requires [C],
            C,
            D,
        }
    }

    state_table! {
        table Numbers of Unit {
            3 FIRST = 7 => A;
            5 SECOND = 0 => D;
        }
    }

    #[test]
    fn requirements_are_closed_and_iterate_in_order() {
        let mut dirty = Dirty::<Unit>::none();
        dirty.mark(Unit::A);
        assert_eq!(dirty.iter().collect::<Vec<_>>(), [Unit::A, Unit::B, Unit::C]);
        assert!(dirty.clear(Unit::B) && !dirty.clear(Unit::B));
        assert_eq!(Dirty::<Unit>::all().iter().count(), 4);
        assert_eq!(format!("{:?}", dirty.take()), "{A, C}");
        assert!(dirty.is_empty());
        let some = Dirty::<Unit>::of_bits(1 << Unit::A as u8 | 1 << Unit::D as u8 | 1 << 63);
        assert_eq!(some.iter().collect::<Vec<_>>(), [Unit::A, Unit::D]);
        assert!(some.touches(Dirty::all()) && !some.touches(Dirty::of_bits(1 << Unit::B as u8)));
    }

    #[test]
    fn equal_writes_and_unknown_states_mark_nothing() {
        let mut states = States::<Numbers>::new();
        let mut dirty = Dirty::none();
        assert_eq!(states.get(Numbers::FIRST), 7);
        assert!(!states.set(Numbers::FIRST, 7, &mut dirty));
        assert!(!states.set(4, 1, &mut dirty) && !states.set(1000, 1, &mut dirty));
        assert!(dirty.is_empty());
        assert!(states.set(Numbers::SECOND, 1, &mut dirty));
        assert_eq!(dirty.iter().collect::<Vec<_>>(), [Unit::D]);
        assert_eq!(Numbers::row(5).map(|row| row.name), Some("SECOND"));
        assert!(Numbers::row(4).is_none());
    }
}
