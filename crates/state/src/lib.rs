//! State tables, the dirty sets that say which groups a draw must apply, and what makes sure that nothing is missed.
//!
//! The idea is that of WineD3D's state management (`docs/state.md`): every state has a number; states that affect
//! each other form a group, which stands for all of them in the dirty set; a draw applies each dirty group once. Here the table
//! says which groups *read* a state, so that it can be checked.
//!
//! * [`groups!`] declares the groups of one user (a guest's device, the renderer), what each requires and changes.
//! * [`state_table!`] declares numbered states: number, name, default, readers. One row per state.
//! * [`states!`] joins tables and single states to one field of numbers, a [`Space`].
//! * [`Tracker`] is the dirty set. [`States`], [`Tracked`], [`TrackedArray`] hold values: they filter equal writes, mark, and
//!   note who reads.
//! * [`apply_dirty`] is the loop; [`Apply`] what a user implements.
//! * [`check_clean`] computes clean groups again behind a draw; [`Edges`] and [`Edge`] are the table as data, for tests that take out
//!   one edge after the other.
#![forbid(unsafe_code)]

mod apply;
mod edges;
mod groups;
mod space;
mod table;
pub mod trace;
mod tracker;
mod values;

pub use apply::{Apply, Effect, Found, Missed, apply_dirty, apply_one, check_clean, checking, collect_missed};
pub use edges::{Edge, Edges};
pub use groups::{Dirty, Group, close, close_changes};
pub use space::{Kind, KindRow, Space, State, close_marks, count_states, flatten, kind_of, name_in, row_in};
pub use table::{Row, Table, index, readers};
pub use tracker::{Figures, Parts, Tracked, TrackedArray, TrackedParts, Tracker};
pub use values::States;

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
