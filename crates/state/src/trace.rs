//! Which states an apply function reads. In builds with debug assertions each read of a tracked value is noted while a group is
//! applied; in others nothing of this is left.

use crate::{Space, State};

#[cfg(debug_assertions)]
mod log {
    use std::any::TypeId;
    use std::cell::RefCell;

    /// What is noted for one apply: whose states, and the numbers read.
    pub(super) type Log = (TypeId, Vec<u32>);

    thread_local! {
        pub(super) static LOGS: RefCell<Vec<Log>> = const { RefCell::new(Vec::new()) };
    }
}

/// Notes that a state was read. Whatever gives out a tracked value calls it.
#[inline(always)]
pub fn read<S: Space>(state: State<S>) {
    #[cfg(debug_assertions)]
    log::LOGS.with_borrow_mut(|logs| {
        if let Some((space, log)) = logs.last_mut()
            && *space == std::any::TypeId::of::<S>()
            && log.last() != Some(&state.number)
        {
            log.push(state.number);
        }
    });
    #[cfg(not(debug_assertions))]
    let _ = state;
}

/// Notes that a group's result was read: what it sent, or the object it chose.
#[inline(always)]
pub fn read_result<S: Space>(group: S::Group) {
    use crate::Group;
    read(State::<S>::of((S::MARKS.len() + group.index()) as u32));
}

/// Does something and returns the numbers of the states it read, in order and without repeats. From [`Space::MARKS`]'s length on
/// they are results of groups. Empty without debug assertions.
pub fn record<S: Space, R>(run: impl FnOnce() -> R) -> (R, Vec<u32>) {
    #[cfg(debug_assertions)]
    {
        log::LOGS.with_borrow_mut(|logs| logs.push((std::any::TypeId::of::<S>(), Vec::new())));
        let result = run();
        let mut reads = log::LOGS.with_borrow_mut(|logs| logs.pop()).map(|(_, reads)| reads).unwrap_or_default();
        reads.sort_unstable();
        reads.dedup();
        (result, reads)
    }
    #[cfg(not(debug_assertions))]
    (run(), Vec::new())
}
