//! Reference interpreter of the IR: the oracle of every back end and pass.
#![forbid(unsafe_code)]
