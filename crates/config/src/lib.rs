//! The configuration of Afterimage: one table of options, from which the file, the environment's names and the
//! documentation come.
//!
//! * `table`: the options, a row each; `words`, `frames`, `value`: what they can be.
//! * `file`: the file's syntax; `place`: where it lies, and what else the configuration depends on.
//! * `built_in`: what is set for programs that are known to need it; `hash`: which file one is; `crash_patch`: faults that are passed over.
//! * `settings`: what holds for a program, and where each value comes from.
//! * `generate`: `afterimage.conf`, docs/configuration.md and docs/profiles.md.
//!
//! [`settings()`] is what a process asks; its fields are [`Values`]'.
#![forbid(unsafe_code)]

mod built_in;
mod crash_patch;
mod file;
mod frames;
mod generate;
mod hash;
mod place;
mod settings;
mod table;
mod value;
mod words;

pub use built_in::{BUILT_IN, BuiltIn};
pub use crash_patch::{CrashPatch, CrashPatches, Fault};
pub use file::{Entry, MAX_BYTES, Mistake, matches, parse};
pub use frames::FrameSet;
pub use generate::{conf, explain, markdown, profiles};
pub use hash::FileHash;
pub use place::{FILE_NAME, Surroundings, VARIABLE, home, host_path, log_beside, of_user};
pub use settings::{Effective, Origin, Problem, Settings, settings};
pub use table::{OPTIONS, Reader, Row, Values, find, guess};
pub use value::Kind;
pub use words::{
    Ability, ExtraFormat, Feedback, FloatRules, Graphics, HudCorner, HudItem, OldFormat, PresentInterval, Renderer,
    ShaderModel, Switch, Word, Words,
};

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
