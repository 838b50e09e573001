//! The capture container: write, read, replay source.
#![forbid(unsafe_code)]
