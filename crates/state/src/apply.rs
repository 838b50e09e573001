//! The loop that applies, and what makes sure that it misses nothing.

#[cfg(debug_assertions)]
use crate::State;
use crate::{Dirty, Group, Space, Tracker, trace};
use afterimage_config::settings;
use std::cell::RefCell;
use std::fmt;
use std::sync::LazyLock;

/// What applying a group came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The same result as before.
    Same,
    /// Another result: what reads it is marked.
    Changed,
    /// Nothing needs the result for now. The group waits for [`Tracker::wake`].
    Parked,
}

impl Effect {
    /// From whether the result is another.
    #[must_use]
    #[inline]
    pub const fn of(changed: bool) -> Self {
        if changed { Self::Changed } else { Self::Same }
    }
}

/// Whoever has states and applies them. An apply function computes a result from states and results of groups before it, and from
/// nothing else; it keeps the result and sends it where it is another.
pub trait Apply<S: Space> {
    /// Why a group cannot be applied.
    type Error;

    /// The dirty set.
    fn tracker(&mut self) -> &mut Tracker<S>;

    /// Applies a group.
    ///
    /// # Errors
    /// What stands in the way: the group stays dirty.
    fn apply(&mut self, group: S::Group) -> Result<Effect, Self::Error>;

    /// Computes a clean group's result again and compares it with what was applied, which stays as it is. Returns what differs, e.g.
    /// the packet that would be sent.
    fn recompute(&mut self, group: S::Group) -> Option<String>;
}

/// Applies every dirty group of a usage level, each once, in the order of the groups.
///
/// # Errors
/// That of the first group which cannot be applied; it stays dirty, as do those behind it.
#[inline]
pub fn apply_dirty<S: Space, U: Apply<S>>(user: &mut U, level: Dirty<S::Group>) -> Result<(), U::Error> {
    // A group is clean before it is applied, and its result changes only groups behind it: each runs once.
    while let Some(group) = user.tracker().next(level) {
        apply_one(user, group)?;
    }
    Ok(())
}

/// Applies a group that was taken out of the dirty set.
///
/// # Errors
/// That of the group, which is dirty again then.
#[inline(always)]
pub fn apply_one<S: Space, U: Apply<S>>(user: &mut U, group: S::Group) -> Result<(), U::Error> {
    let (effect, reads) = trace::record::<S, _>(|| user.apply(group));
    let tracker = user.tracker();
    match effect {
        Ok(effect) => tracker.applied(group, effect, reads),
        Err(error) => {
            tracker.mark(group);
            return Err(error);
        }
    }
    Ok(())
}

/// [`apply_dirty`], with the code of some groups, given in their order, one behind the other: those that most draws need. The loop
/// jumps to each by its number, which processors foresee badly. The order of application is the same. Groups that seldom come with the
/// others are in lists of their own, which are passed over at once.
#[macro_export]
macro_rules! apply_often {
    ($user:expr, $level:expr, $([$($group:expr),+ $(,)?]),+ $(,)?) => {{
        let (user, level) = ($user, $level);
        (|| {
            $( if $crate::Apply::tracker(user).dirty().touches($crate::Dirty::of_bits(0 $(| 1 << $group as u8)+)) {
                $( if $crate::Apply::tracker(user).is_next(level, $group) { $crate::apply_one(user, $group)?; } )+
            } )+
            $crate::apply_dirty(user, level)
        })()
    }};
}

impl<S: Space> Tracker<S> {
    #[inline]
    fn applied(&mut self, group: S::Group, effect: Effect, reads: Vec<u32>) {
        self.figures.applied += 1;
        if !self.parked.is_empty() {
            self.parked.clear(group);
        }
        match effect {
            Effect::Changed => self.result_changed(group),
            Effect::Same => self.figures.unchanged += 1,
            Effect::Parked => self.park(group),
        }
        #[cfg(debug_assertions)]
        self.note_reads(group, reads);
        #[cfg(not(debug_assertions))]
        drop(reads);
    }

    /// Holds what a group read against what it says it reads.
    #[cfg(debug_assertions)]
    fn note_reads(&mut self, group: S::Group, reads: Vec<u32>) {
        let edges = self.edges();
        let bit = 1 << group.index();
        for &read in &reads {
            let declared = match (read as usize).checked_sub(S::MARKS.len()) {
                None => edges.marks[read as usize] & bit != 0,
                // A result of its own, of a group whose marks reach this one, or of one that says it changes this one.
                Some(other) => other == group.index() || (edges.closure[other] | edges.changed[other]) & bit != 0,
            };
            if !declared {
                report(Missed { group: group.name(), found: Found::Undeclared(name::<S>(read)) });
            }
        }
        let versions = &self.versions;
        self.reads[group.index()] = reads.into_iter().map(|read| (read, versions[read as usize])).collect();
    }

    /// The states and results that a group read when it was last applied and that are others now. Empty without debug assertions.
    fn changed_since(&self, group: S::Group) -> Vec<String> {
        #[cfg(debug_assertions)]
        return self.reads[group.index()]
            .iter()
            .filter(|(read, version)| self.versions[*read as usize] != *version)
            .map(|(read, _)| name::<S>(*read))
            .collect();
        #[cfg(not(debug_assertions))]
        {
            let _ = group;
            Vec::new()
        }
    }
}

#[cfg(debug_assertions)]
fn name<S: Space>(read: u32) -> String {
    match (read as usize).checked_sub(S::MARKS.len()) {
        None => S::name(State::of(read)),
        Some(group) => format!("the result of {}", S::Group::ALL[group].name()),
    }
}

/// Whether clean groups are computed again behind each draw: by the option `check_state`, else in builds with debug assertions.
#[must_use]
#[inline]
pub fn checking() -> bool {
    static ON: LazyLock<bool> = LazyLock::new(|| settings().check_state.forced().unwrap_or(cfg!(debug_assertions)));
    *ON
}

/// Behind a draw: computes every clean group of a usage level again and reports those whose result is not the one applied.
pub fn check_clean<S: Space, U: Apply<S>>(user: &mut U, level: Dirty<S::Group>) {
    let tracker = user.tracker();
    let skip = tracker.dirty().bits | tracker.parked().bits;
    for group in level.iter().filter(|group| skip >> group.index() & 1 == 0) {
        if let Some(what) = user.recompute(group) {
            let states = user.tracker().changed_since(group);
            report(Missed { group: group.name(), found: Found::Stale { what, states } });
        }
    }
}

/// Something that the edges of a table miss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    /// The group whose result is, or may be, out of date.
    pub group: &'static str,
    /// How it was noticed.
    pub found: Found,
}

/// How an edge was missed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The group read a state, or another group's result, that does not mark it.
    Undeclared(String),
    /// The group was clean, and its result is another now.
    Stale {
        /// What would be sent.
        what: String,
        /// What the group had read that changed since; known with debug assertions.
        states: Vec<String>,
    },
}

impl fmt::Display for Missed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.found {
            Found::Undeclared(state) => write!(f, "group {} reads {state}, which does not mark it", self.group),
            Found::Stale { what, states } => {
                write!(f, "group {} was clean, but its result is another: {what}", self.group)?;
                if states.is_empty() { Ok(()) } else { write!(f, "; changed since: {}", states.join(", ")) }
            }
        }
    }
}

thread_local! {
    static COLLECTED: RefCell<Option<Vec<Missed>>> = const { RefCell::new(None) };
}

/// Does something and returns what was missed meanwhile on this thread.
pub fn collect_missed<R>(run: impl FnOnce() -> R) -> (R, Vec<Missed>) {
    let before = COLLECTED.replace(Some(Vec::new()));
    let result = run();
    (result, COLLECTED.replace(before).unwrap_or_default())
}

/// Tells what was missed: to [`collect_missed`] where somebody collects; else by a panic in builds with debug assertions, and
/// in the log, once for each group, in others.
fn report(missed: Missed) {
    let collected = COLLECTED.with_borrow_mut(|collected| match collected {
        Some(list) => {
            list.push(missed.clone());
            true
        }
        None => false,
    });
    if !collected {
        debug_assert!(false, "{missed}");
        log_once(&missed);
    }
}

#[cold]
fn log_once(missed: &Missed) {
    use std::collections::BTreeSet;
    use std::sync::Mutex;
    static TOLD: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    if TOLD.lock().is_ok_and(|mut told| told.insert(missed.group)) {
        tracing::error!("{missed}");
    }
}
