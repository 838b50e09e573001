//! Files that appear whole or not at all.
//!
//! Whatever this project writes for a user is written beside its place first and gets its name when all of it is on the disk: who looks
//! sees the old file or the new one, never half of one, and a disk that is full leaves neither an empty file nor a temporary one. Where
//! the system has files without names, the new one has none until it is whole: nothing is left of it when its process is killed.
//!
//! ```
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("figures.json");
//! afterimage_output::write(&path, b"{}")?;
//! assert_eq!(std::fs::read(&path)?, b"{}");
//! # Ok::<_, std::io::Error>(())
//! ```
#![forbid(unsafe_code)]

mod failures;
mod file;
mod picture;
mod same;

pub use failures::Failures;
pub use file::{Output, folder_of, part_of, write};
pub use picture::{Channels, png};
pub use same::{FileId, same_file};

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
