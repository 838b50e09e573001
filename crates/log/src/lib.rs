//! The log's lines, whoever writes them: renderer, validator, guests, replays.
//!
//! What is logged is mostly about what strangers sent, so it must not matter how much of it there is and what it looks like. [`Log`] is
//! the one place that all lines go through:
//!
//! * So many lines of a kind are written in full; then the kind is only counted, and told again at each power of ten and at the end. A
//!   kind is a place in the code together with the words of the message: what has a digit in it (ids, numbers, addresses) is no word.
//! * A line has a bounded length, and control characters in it are shown as such; what begins a line is ours.
//!
//! * What of the configuration cannot be understood is said in one way ([`tell`]), and a file is kept for one run more ([`LogFile`]).
//!
//! Lines at `debug` and `trace`, which somebody has asked for, are written however many there are.
#![forbid(unsafe_code)]

mod budget;
mod configured;
mod file;
mod layer;
mod text;

pub use budget::{Budget, LeftOut, Limits, Verdict};
pub use configured::{filter, tell};
pub use file::{LogFile, kept};
pub use layer::{Log, Writer, finish, settle};
pub use text::{LINE, clean, of_event};
