//! The C API of `afterimage-gnm`, `include/afterimage_gnm.h`, and the calls of `libSceGnmDriver` over it.
//!
//! * `handles`: who has which processor, and what is told to those who may not call.
//! * `processor`, `memory`: a processor behind the callbacks of an embedder.
//! * `calls`: the functions of the header; `types`: its structs and constants.
//! * `library`: the symbols of the console's library, on its architecture; `absent`: those that nothing is behind.
//! * `border`: codes, messages, pointers, panics.
//!
//! Every function takes pointers that C made. What can be checked is (null, alignment, counts, numbers, whether a processor is there);
//! what a pointer points at cannot, so that it does is what each function asks of its caller. No panic crosses the border.
#![cfg(unix)]
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "the console's library is not there"))]

#[cfg(target_arch = "x86_64")]
pub mod absent;
mod border;
mod calls;
mod handles;
#[cfg(target_arch = "x86_64")]
pub mod library;
mod log;
mod memory;
mod processor;
pub mod types;

pub use calls::*;
pub use handles::Gnm;
