//! Groups: what is applied together, and what follows from what.

use std::fmt;
use std::marker::PhantomData;

/// The groups of one user. Implemented by [`groups!`](crate::groups!).
pub trait Group: Copy + Eq + fmt::Debug + 'static {
    /// Every group, in the order of application.
    const ALL: &'static [Self];
    /// For each group the bits of itself and of the groups that its row `requires`.
    const REQUIRES: &'static [u64];
    /// For each group the bits of the groups that its row says it `changes`.
    const CHANGES: &'static [u64];
    /// [`Group::REQUIRES`], closed.
    const CLOSURE: &'static [u64];
    /// For each group what an apply that changed its value marks: those that it changes, closed.
    const CHANGED: &'static [u64];
    /// Index into [`Group::ALL`].
    fn index(self) -> usize;
    /// The group's name.
    fn name(self) -> &'static str;
}

/// Declares groups; applying happens in the order of the rows. A row is `Name`, and behind it
///
/// * `requires [Other, ...]`: what marks this group marks those too (their results depend on what this group reads);
/// * `changes [Other, ...]`: they read this group's *result*, so they are marked where applying it gave another one. Only groups
///   further down, so that each is applied once.
///
/// ```
/// afterimage_state::groups! {
///     /// Groups of a small device.
///     pub enum Unit {
///         /// The vertex layout; changing it may change lighting.
///         Layout requires [Lighting],
///         /// Lighting.
///         Lighting changes [Shader],
///         /// The shader that lighting asks for.
///         Shader,
///     }
/// }
/// let mut dirty = afterimage_state::Dirty::<Unit>::none();
/// dirty.mark(Unit::Layout);
/// assert_eq!(dirty.iter().collect::<Vec<_>>(), [Unit::Layout, Unit::Lighting]);
/// ```
#[macro_export]
macro_rules! groups {
    ($(#[$doc:meta])* $vis:vis enum $name:ident {
        $( $(#[$gdoc:meta])* $group:ident $(requires [$($other:ident),* $(,)?])? $(changes [$($changed:ident),* $(,)?])? ),* $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        $vis enum $name { $( $(#[$gdoc])* $group ),* }

        const _: () = {
            const COUNT: usize = [ $( $name::$group ),* ].len();
            const DIRECT: [u64; COUNT] = [ $( (1u64 << $name::$group as u8) $( $(| (1u64 << $name::$other as u8))* )? ),* ];
            const VALUES: [u64; COUNT] = [ $( 0 $( $(| (1u64 << $name::$changed as u8))* )? ),* ];
            impl $crate::Group for $name {
                const ALL: &'static [Self] = &[ $( Self::$group ),* ];
                const REQUIRES: &'static [u64] = &DIRECT;
                const CHANGES: &'static [u64] = &VALUES;
                const CLOSURE: &'static [u64] = &$crate::close(DIRECT);
                const CHANGED: &'static [u64] = &$crate::close_changes(DIRECT, VALUES);
                #[inline]
                fn index(self) -> usize { self as usize }
                fn name(self) -> &'static str { match self { $( Self::$group => stringify!($group) ),* } }
            }
        };
    };
}

/// Transitive closure of the direct requirements. Used by [`groups!`](crate::groups!) at compile time.
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
            closed[group] |= united(closed[group], &closed);
            group += 1;
        }
        round += 1;
    }
    closed
}

/// What a changed result of each group marks. Used by [`groups!`](crate::groups!) at compile time.
///
/// # Panics
/// If a group changes one that is not applied behind it (at compile time): it could be applied twice.
#[must_use]
pub const fn close_changes<const N: usize>(direct: [u64; N], changes: [u64; N]) -> [u64; N] {
    let closed = close(direct);
    let mut changed = [0; N];
    let mut group = 0;
    while group < N {
        changed[group] = united(changes[group], &closed);
        assert!(changed[group] & ((2u64 << group) - 1) == 0, "a group may only change groups behind it");
        group += 1;
    }
    changed
}

/// The union of `sets[bit]` over the bits of a word.
pub(crate) const fn united(bits: u64, sets: &[u64]) -> u64 {
    let mut all = 0;
    let mut index = 0;
    while index < sets.len() {
        if bits >> index & 1 == 1 {
            all |= sets[index];
        }
        index += 1;
    }
    all
}

/// A set of groups: those that must be applied before the next draw, or a usage level such as what a clear needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Dirty<G> {
    pub(crate) bits: u64,
    group: PhantomData<G>,
}

impl<G: Group> Dirty<G> {
    /// Nothing to apply.
    #[must_use]
    pub const fn none() -> Self {
        Self::from_bits(0)
    }

    /// Everything to apply, as at the start.
    #[must_use]
    pub const fn all() -> Self {
        let count = G::ALL.len();
        Self::from_bits(if count == 64 { u64::MAX } else { (1 << count) - 1 })
    }

    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self { bits, group: PhantomData }
    }

    /// The groups whose bits, by [`Group::index`], these are, and nothing that they require: a usage level, as a constant. Bits
    /// beyond mean nothing.
    #[must_use]
    pub const fn of_bits(bits: u64) -> Self {
        Self::from_bits(bits & Self::all().bits)
    }

    /// Its groups that `other` does not have.
    #[must_use]
    #[inline]
    pub const fn except(self, other: Self) -> Self {
        Self::from_bits(self.bits & !other.bits)
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

    /// The set without a group, such as a usage level that leaves something for later.
    #[must_use]
    #[inline]
    pub fn without(mut self, group: G) -> Self {
        self.clear(group);
        self
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
        Self::from_bits(self.bits & only.bits)
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

#[cfg(test)]
mod tests {
    use super::*;

    groups! {
        enum Unit {
            A requires [B],
            B requires [C],
            C changes [D],
            D requires [E],
            E,
        }
    }

    #[test]
    fn requirements_are_closed_and_iterate_in_order() {
        let mut dirty = Dirty::<Unit>::none();
        dirty.mark(Unit::A);
        assert_eq!(dirty.iter().collect::<Vec<_>>(), [Unit::A, Unit::B, Unit::C]);
        assert!(dirty.clear(Unit::B) && !dirty.clear(Unit::B));
        assert_eq!(Dirty::<Unit>::all().iter().count(), 5);
        assert_eq!(format!("{:?}", dirty.take()), "{A, C}");
        assert!(dirty.is_empty());
    }

    #[test]
    fn a_changed_result_marks_its_readers_and_what_they_require() {
        assert_eq!(Unit::CHANGED[Unit::C.index()], 0b11000);
        assert_eq!(Unit::CHANGED[Unit::A.index()], 0);
    }
}
