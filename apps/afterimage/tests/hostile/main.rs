//! Files that would do harm: what commands take of memory, time and lines of a log.

mod attack;
mod bounds;
#[path = "../drivers/mod.rs"]
mod drivers;
mod flood;
