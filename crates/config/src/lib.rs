//! The configuration of Afterimage: one table of options, from which the file, the environment's names and the
//! documentation come.
//!
//! * `table`: the options, a row each; `words`, `frames`, `value`: what they can be.
//! * `file`: the file's syntax; `place`: where it lies, and what else the configuration depends on.
//! * `settings`: what holds for a program, and where each value comes from.
//! * `generate`: `afterimage.conf` and docs/configuration.md.
//!
//! [`settings()`] is what a process asks; its fields are [`Values`]'.
#![forbid(unsafe_code)]

mod file;
mod frames;
mod generate;
mod place;
mod settings;
mod table;
mod value;
mod words;

pub use file::{Entry, MAX_BYTES, Mistake, matches, parse};
pub use frames::FrameSet;
pub use generate::{conf, explain, markdown};
pub use place::{FILE_NAME, Surroundings, VARIABLE, home, host_path, log_beside, of_user};
pub use settings::{Effective, Origin, Problem, Settings, settings};
pub use table::{OPTIONS, Reader, Row, Values, find, guess};
pub use value::Kind;
pub use words::{
    Ability, ExtraFormat, FloatRules, HudCorner, HudItem, OldFormat, PresentInterval, Renderer, ShaderModel, Switch,
    Word, Words,
};
