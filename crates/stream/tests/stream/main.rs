//! The stream: its contract, what is kept and told of it, and what it does with packets that are wrong. One program, since each would
//! compile the receiver.
#![forbid(unsafe_code)]

mod black_box;
mod budgets;
#[path = "../common/mod.rs"]
mod common;
mod contract;
mod describe;
mod docs;
mod feedback;
mod hostile;
mod keyframe;
mod port;
mod storage;
