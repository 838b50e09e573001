//! What `cargo xtask`, the laboratory (`lab`) and `release` share: where things lie, running commands, setting a machine up, building
//! the tree.

#![forbid(unsafe_code)]

pub mod build;
pub mod chroot;
pub mod laboratory;
pub mod macos;
pub mod samples;
pub mod score;
pub mod setup;
pub mod step;
pub mod wheel;
pub mod workspace;
