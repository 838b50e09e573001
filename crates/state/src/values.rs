//! The values of a table's states.

use crate::{Space, State, Table, Tracker, trace};
use std::fmt;
use std::marker::PhantomData;

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
