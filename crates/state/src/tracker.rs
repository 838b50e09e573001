//! What changed since it was last applied.

use crate::{Dirty, Edges, Group, Kind, Space, State, trace};
use afterimage_config::Settings;
use std::fmt;
use std::ops::{Deref, Index};

/// Counts of one user since they were last taken. See `docs/state.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Draws that asked for everything to be applied.
    pub draws: u64,
    /// Writes of a value that a state had already.
    pub filtered: u64,
    /// Writes that changed a state.
    pub marked: u64,
    /// Groups applied.
    pub applied: u64,
    /// Of those, the ones that gave the result that was there before.
    pub unchanged: u64,
}

impl Figures {
    /// Adds those of another, which may be anything.
    pub fn add(&mut self, other: &Self) {
        self.draws = self.draws.saturating_add(other.draws);
        self.filtered = self.filtered.saturating_add(other.filtered);
        self.marked = self.marked.saturating_add(other.marked);
        self.applied = self.applied.saturating_add(other.applied);
        self.unchanged = self.unchanged.saturating_add(other.unchanged);
    }

    /// What came after an earlier moment's counts of the same user.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            draws: self.draws.saturating_sub(earlier.draws),
            filtered: self.filtered.saturating_sub(earlier.filtered),
            marked: self.marked.saturating_sub(earlier.marked),
            applied: self.applied.saturating_sub(earlier.applied),
            unchanged: self.unchanged.saturating_sub(earlier.unchanged),
        }
    }
}

/// The dirty set of one user: which groups have to be applied, which instances of which kinds changed.
#[derive(Clone)]
pub struct Tracker<S: Space> {
    dirty: Dirty<S::Group>,
    /// Groups that could not be applied for now and do not keep a draw from being clean ([`Effect::Parked`](crate::Effect)).
    pub(crate) parked: Dirty<S::Group>,
    /// A bit for each changed instance, by kind.
    instances: Box<[u64]>,
    edges: &'static Edges,
    /// Those of states in it.
    marks: &'static [u64],
    /// Those of results in it.
    changed: &'static [u64],
    /// Groups that are applied at every draw: by the options `apply_all` and `apply`.
    always: Dirty<S::Group>,
    pub(crate) figures: Figures,
    /// In debug builds: how often each state changed, then each group's result.
    #[cfg(debug_assertions)]
    pub(crate) versions: Vec<u32>,
    /// In debug builds: what each group read when it was last applied, with versions.
    #[cfg(debug_assertions)]
    pub(crate) reads: Vec<Vec<(u32, u32)>>,
}

/// The groups that are applied at every draw as configured, with those that they require. What is named and not among these groups may be
/// another user's: so both are said.
fn always<G: Group>(settings: &Settings) -> Dirty<G> {
    if settings.apply_all {
        return Dirty::all();
    }
    let Some(wanted) = &settings.apply else { return Dirty::none() };
    let mut groups = Dirty::none();
    let is_wanted = |group: &&G| wanted.split(',').any(|name| name.trim().eq_ignore_ascii_case(group.name()));
    G::ALL.iter().filter(is_wanted).for_each(|group| groups.mark(*group));
    let names = |groups: &mut dyn Iterator<Item = G>| groups.map(|group| group.name()).collect::<Vec<_>>().join(", ");
    let (found, all) = (names(&mut groups.iter()), names(&mut G::ALL.iter().copied()));
    let found = if found.is_empty() { "none" } else { &found };
    tracing::warn!("apply = {wanted}: {found} of these groups at every draw: {all}");
    groups
}

impl<S: Space> Tracker<S> {
    /// Everything dirty.
    #[must_use]
    pub fn new() -> Self {
        Self {
            dirty: Dirty::all(),
            parked: Dirty::none(),
            instances: vec![u64::MAX; S::KINDS].into_boxed_slice(),
            edges: Edges::of::<S>(),
            marks: &Edges::of::<S>().marks,
            changed: &Edges::of::<S>().changed,
            always: always(afterimage_config::settings()),
            figures: Figures::default(),
            #[cfg(debug_assertions)]
            versions: vec![0; S::MARKS.len() + S::Group::ALL.len()],
            #[cfg(debug_assertions)]
            reads: vec![Vec::new(); S::Group::ALL.len()],
        }
    }

    /// Follows other edges than the table's: for tests of what happens without one of them.
    pub fn follow(&mut self, edges: &'static Edges) {
        self.edges = edges;
        self.marks = &edges.marks;
        self.changed = &edges.changed;
    }

    /// Stores a value, marks the state's readers, and returns true, where the value is another.
    #[inline]
    pub fn write<T: PartialEq>(&mut self, state: State<S>, slot: &mut T, value: T) -> bool {
        if *slot == value {
            self.filtered();
            return false;
        }
        *slot = value;
        self.changed(state);
        true
    }

    /// Counts a write that changed nothing.
    #[inline]
    pub fn filtered(&mut self) {
        self.figures.filtered += 1;
    }

    /// Marks the readers of a state that has another value now.
    #[inline]
    pub fn changed(&mut self, state: State<S>) {
        self.figures.marked += 1;
        let marks = self.marks[state.number as usize];
        self.dirty.bits |= marks;
        if S::KINDS > 0 {
            self.instances[usize::from(state.kind)] |= 1 << (state.instance & 63);
        }
        #[cfg(debug_assertions)]
        {
            self.versions[state.number as usize] += 1;
        }
    }

    /// Stores a run of words whose states are consecutive, `first` that of the first, without a branch for each.
    #[inline]
    pub fn write_run(&mut self, first: usize, words: &mut [u32], values: &[u32]) {
        let mut changed = 0;
        let mut marks = 0;
        for (at, ((word, mark), &value)) in (first..).zip(words.iter_mut().zip(&self.marks[first..]).zip(values)) {
            let differs = *word != value;
            #[cfg(debug_assertions)]
            {
                self.versions[at] += u32::from(differs);
            }
            #[cfg(not(debug_assertions))]
            let _ = at;
            changed += u64::from(differs);
            marks |= if differs { *mark } else { 0 };
            *word = value;
        }
        self.figures.marked += changed;
        self.figures.filtered += values.len() as u64 - changed;
        self.dirty.bits |= marks;
    }

    /// Marks a group whose inputs are no states: new texels, a lost device.
    #[inline]
    pub fn mark(&mut self, group: S::Group) {
        let marks = self.edges.closure[group.index()];
        self.dirty.bits |= marks;
    }

    /// Marks everything.
    pub fn mark_all(&mut self) {
        self.dirty = Dirty::all();
        self.parked = Dirty::none();
        self.instances.fill(u64::MAX);
    }

    /// What has to be applied.
    #[must_use]
    #[inline]
    pub fn dirty(&self) -> Dirty<S::Group> {
        self.dirty
    }

    /// What waits to be woken.
    #[must_use]
    pub fn parked(&self) -> Dirty<S::Group> {
        self.parked
    }

    /// Whether nothing has to be applied.
    #[must_use]
    #[inline]
    pub fn is_clean(&self) -> bool {
        self.dirty.is_empty() && self.always.is_empty()
    }

    /// Empties the dirty set without applying anything.
    pub fn take(&mut self) -> Dirty<S::Group> {
        self.dirty.take()
    }

    /// Adds groups to the dirty set, as they are.
    pub fn merge(&mut self, groups: Dirty<S::Group>) {
        self.dirty.merge(groups);
    }

    /// A draw is about to be applied: counted, and what the options `apply_all` and `apply` name is dirty for it.
    #[inline]
    pub fn drawn(&mut self) {
        self.figures.draws += 1;
        if !self.always.is_empty() {
            self.mark_always();
        }
    }

    #[cold]
    fn mark_always(&mut self) {
        self.dirty.merge(self.always);
        self.parked.bits &= !self.always.bits;
        self.instances.fill(u64::MAX);
    }

    /// How many writes changed something so far: a number to compare with a later one.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.figures.marked
    }

    /// Takes a group out: true if it was dirty.
    #[inline]
    pub fn clear(&mut self, group: S::Group) -> bool {
        self.dirty.clear(group)
    }

    /// The first dirty group of a usage level. It is clean from now on.
    #[inline]
    pub fn next(&mut self, level: Dirty<S::Group>) -> Option<S::Group> {
        let bits = self.dirty.bits & level.bits;
        if bits == 0 {
            return None;
        }
        self.dirty.bits &= !(bits & bits.wrapping_neg());
        Some(S::Group::ALL[bits.trailing_zeros() as usize])
    }

    /// Whether a group is the first dirty one of a usage level, as [`Tracker::next`] finds it. It is clean from now on.
    #[inline(always)]
    pub fn is_next(&mut self, level: Dirty<S::Group>, group: S::Group) -> bool {
        let own = 1 << group.index();
        // Most are clean, and that is seen without the others.
        let first = self.dirty.bits & level.bits & own != 0 && self.dirty.bits & level.bits & (own - 1) == 0;
        if first {
            self.dirty.bits &= !own;
        }
        first
    }

    /// Keeps a group for later: what reads its result does not need it now, so draws are clean without it.
    pub fn park(&mut self, group: S::Group) {
        self.parked.bits |= 1 << group.index();
    }

    /// Marks those of some groups that were parked.
    pub fn wake(&mut self, groups: Dirty<S::Group>) {
        self.dirty.bits |= self.parked.bits & groups.bits;
        self.parked.bits &= !groups.bits;
    }

    /// Notes that applying a group gave another result, and marks what reads it.
    #[inline]
    pub fn result_changed(&mut self, group: S::Group) {
        // Most results are read by no group: then the dirty set is not written, which the next group waits for.
        let changed = self.changed[group.index()];
        if changed != 0 {
            self.dirty.bits |= changed;
        }
        #[cfg(debug_assertions)]
        {
            self.versions[S::MARKS.len() + group.index()] += 1;
        }
    }

    /// Bits of the instances of a kind that changed.
    #[must_use]
    #[inline]
    pub fn instances(&self, kind: Kind<S>) -> u64 {
        self.instances[usize::from(kind.index)]
    }

    /// Takes those of `mask` out of the changed instances of a kind.
    #[inline]
    pub fn take_instances(&mut self, kind: Kind<S>, mask: u64) -> u64 {
        let instances = &mut self.instances[usize::from(kind.index)];
        let taken = *instances & mask;
        *instances &= !mask;
        taken
    }

    /// Marks instances of a kind whose inputs are no states.
    #[inline]
    pub fn mark_instances(&mut self, kind: Kind<S>, mask: u64) {
        self.instances[usize::from(kind.index)] |= mask;
    }

    /// Counts since they were last taken.
    #[must_use]
    pub fn figures(&self) -> Figures {
        self.figures
    }

    /// Counts since this was last called.
    pub fn take_figures(&mut self) -> Figures {
        std::mem::take(&mut self.figures)
    }

    #[cfg(debug_assertions)]
    pub(crate) fn edges(&self) -> &'static Edges {
        self.edges
    }
}

impl<S: Space> Default for Tracker<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Space> fmt::Debug for Tracker<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tracker").field("dirty", &self.dirty).field("figures", &self.figures).finish_non_exhaustive()
    }
}

/// A value that is read and written only with notice. To readers it is the value itself.
#[derive(Clone, Copy)]
pub struct Tracked<T, S: Space> {
    value: T,
    state: State<S>,
}

impl<T: PartialEq, S: Space> Tracked<T, S> {
    /// A state's value after a reset.
    pub const fn new(state: State<S>, value: T) -> Self {
        Self { value, state }
    }

    /// The value.
    #[inline]
    pub fn get(&self) -> &T {
        trace::read(self.state);
        &self.value
    }

    /// Stores a value and marks its readers, where it is another: then true.
    #[inline]
    pub fn set(&mut self, value: T, tracker: &mut Tracker<S>) -> bool {
        tracker.write(self.state, &mut self.value, value)
    }
}

impl<T: PartialEq, S: Space> Deref for Tracked<T, S> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.get()
    }
}

impl<T: PartialEq, S: Space> PartialEq for Tracked<T, S> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: fmt::Debug, S: Space> fmt::Debug for Tracked<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// A value whose parts are states: those of one instance of a kind, in their order.
pub trait Parts: Copy {
    /// Bit n: part n is another in `other`.
    fn differing(&self, other: &Self) -> u32;
}

/// A [`Tracked`] value of which groups read parts. To readers it is the value itself, all parts of it.
#[derive(Clone, Copy)]
pub struct TrackedParts<T, S: Space> {
    value: T,
    kind: Kind<S>,
}

impl<T: Parts, S: Space> TrackedParts<T, S> {
    /// The value after a reset. The kind has one instance.
    pub const fn new(kind: Kind<S>, value: T) -> Self {
        Self { value, kind }
    }

    /// The value, for who reads all parts.
    #[inline]
    pub fn get(&self) -> &T {
        (0..self.kind.states).for_each(|part| trace::read(self.kind.only().plus(part)));
        &self.value
    }

    /// The value, for who reads nothing but a part of it.
    #[inline]
    pub fn part(&self, part: u32) -> &T {
        trace::read(self.kind.only().plus(part));
        &self.value
    }

    /// The value, for who reads nothing but some parts of it.
    #[inline]
    pub fn parts<const N: usize>(&self, parts: [u32; N]) -> &T {
        parts.into_iter().for_each(|part| trace::read(self.kind.only().plus(part)));
        &self.value
    }

    /// Stores a value and marks the readers of the parts that are others.
    #[inline]
    pub fn set(&mut self, value: T, tracker: &mut Tracker<S>) {
        let mut differing = self.value.differing(&value);
        if differing == 0 {
            return tracker.filtered();
        }
        self.value = value;
        while differing != 0 {
            tracker.changed(self.kind.only().plus(differing.trailing_zeros()));
            differing &= differing - 1;
        }
    }
}

impl<T: Parts, S: Space> Deref for TrackedParts<T, S> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.get()
    }
}

impl<T: PartialEq, S: Space> PartialEq for TrackedParts<T, S> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: fmt::Debug, S: Space> fmt::Debug for TrackedParts<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// Values of the instances of a kind, each in the instance's first state. To readers it is the array itself; indexing reads one.
#[derive(Clone)]
pub struct TrackedArray<T, S: Space, const N: usize> {
    values: [T; N],
    kind: Kind<S>,
}

impl<T: PartialEq, S: Space, const N: usize> TrackedArray<T, S, N> {
    /// Values after a reset.
    pub const fn new(kind: Kind<S>, values: [T; N]) -> Self {
        Self { values, kind }
    }

    /// An instance's value.
    ///
    /// # Panics
    /// For instances from `N` on.
    #[inline]
    pub fn get(&self, instance: usize) -> &T {
        trace::read(self.kind.at(instance as u32));
        &self.values[instance]
    }

    /// Every value.
    pub fn all(&self) -> &[T; N] {
        (0..N as u32).for_each(|instance| trace::read(self.kind.at(instance)));
        &self.values
    }

    /// Stores an instance's value and marks its readers, where it is another: then true.
    ///
    /// # Panics
    /// For instances from `N` on.
    #[inline]
    pub fn set(&mut self, instance: usize, value: T, tracker: &mut Tracker<S>) -> bool {
        tracker.write(self.kind.at(instance as u32), &mut self.values[instance], value)
    }
}

impl<T: PartialEq, S: Space, const N: usize> Index<usize> for TrackedArray<T, S, N> {
    type Output = T;

    #[inline]
    fn index(&self, instance: usize) -> &T {
        self.get(instance)
    }
}

impl<T: PartialEq, S: Space, const N: usize> Deref for TrackedArray<T, S, N> {
    type Target = [T; N];

    #[inline]
    fn deref(&self) -> &[T; N] {
        self.all()
    }
}

impl<T: fmt::Debug, S: Space, const N: usize> fmt::Debug for TrackedArray<T, S, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    crate::groups! {
        /// Groups of a device.
        enum Unit {
            /// Reads nothing else.
            Raster,
            /// Changing it changes lighting.
            Layout requires [Lighting],
            /// Lighting.
            Lighting,
        }
    }

    #[test]
    fn groups_are_named_in_any_case_and_bring_what_they_require() {
        let of = |text: &str| always::<Unit>(&Settings::of_text("x", Path::new("f"), text)).iter().collect::<Vec<_>>();
        assert_eq!(of(""), []);
        assert_eq!(of("apply = raster"), [Unit::Raster]);
        assert_eq!(of("apply = Layout, Blend"), [Unit::Layout, Unit::Lighting]);
        assert_eq!(of("apply = Blend"), [], "another user's");
        assert_eq!(of("apply_all = on\napply = raster"), Unit::ALL);
    }
}
