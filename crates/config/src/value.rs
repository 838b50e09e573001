//! What values options may have, and how text becomes one.

use crate::crash_patch::CrashPatches;
use crate::frames::FrameSet;
use crate::place::host_path;
use crate::words::{Word, Words};
use std::ffi::OsStr;
use std::path::PathBuf;

/// What an option's value may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// `on` or `off`.
    OnOff,
    /// A whole number; also as `0x...`.
    Integer {
        /// The smallest.
        least: u32,
        /// The largest.
        most: u32,
    },
    /// A number.
    Real {
        /// The smallest.
        least: f32,
        /// The largest.
        most: f32,
    },
    /// One of these words.
    Choice(&'static [Word]),
    /// Any of these words, with commas between.
    List(&'static [Word]),
    /// Any text.
    Text,
    /// How much is logged: `warn`, `info,afterimage_d3d9=debug`.
    Levels,
    /// A file or folder.
    Path,
    /// Frame numbers: `1,5,10-20`.
    Frames,
    /// Crash patches: `null-call@0x1510 pop=8`.
    CrashPatches,
}

impl Kind {
    /// What is allowed, as a phrase.
    #[must_use]
    pub fn allowed(&self) -> String {
        let names = |words: &[Word]| words.iter().map(|word| word.name).collect::<Vec<_>>().join(", ");
        match self {
            Self::OnOff => "on or off".into(),
            Self::Integer { least: 0, most: u32::MAX } => "a whole number".into(),
            Self::Integer { least, most: u32::MAX } => format!("a whole number of at least {least}"),
            Self::Integer { least, most } => format!("a whole number from {least} to {most}"),
            Self::Real { least, most } => format!("a number from {least} to {most}"),
            Self::Choice(words) => format!("one of {}", names(words)),
            Self::List(words) => format!("any of {}, with commas between them", names(words)),
            Self::Text => "any text".into(),
            Self::Levels => {
                format!("one of {}, or the same of modules, such as info,afterimage_d3d9=debug", LEVELS.join(", "))
            }
            Self::Path => "a path".into(),
            Self::Frames => "frame numbers such as 1,5,10-20".into(),
            Self::CrashPatches => "patches such as null-call@0x1510 pop=8 result=0, with ; between them".into(),
        }
    }

    /// The words it is made of, if it is.
    #[must_use]
    pub fn words(&self) -> &'static [Word] {
        match self {
            Self::Choice(words) | Self::List(words) => words,
            _ => &[],
        }
    }
}

/// A type of an option's value.
pub(crate) trait Read: Sized {
    /// The value of a text; `None` if it is not one that the kind allows.
    fn read(text: &str, kind: &Kind) -> Option<Self>;

    /// The same of what the system gives, which need not be text.
    fn read_os(text: &OsStr, kind: &Kind) -> Option<Self> {
        Self::read(text.to_str()?, kind)
    }
}

impl Read for bool {
    fn read(text: &str, _: &Kind) -> Option<Self> {
        crate::words::Switch::from_word(text)?.forced()
    }
}

impl Read for u32 {
    fn read(text: &str, kind: &Kind) -> Option<Self> {
        let Kind::Integer { least, most } = *kind else { return None };
        let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        // Numbers of the standard library may have a sign.
        let digits = hex.unwrap_or(text);
        if !digits.starts_with(|c: char| c.is_ascii_hexdigit()) {
            return None;
        }
        let value = Self::from_str_radix(digits, if hex.is_some() { 16 } else { 10 }).ok()?;
        (least..=most).contains(&value).then_some(value)
    }
}

impl Read for f32 {
    fn read(text: &str, kind: &Kind) -> Option<Self> {
        let Kind::Real { least, most } = *kind else { return None };
        // Excludes NaN.
        text.parse().ok().filter(|value| (least..=most).contains(value))
    }
}

impl Read for String {
    fn read(text: &str, kind: &Kind) -> Option<Self> {
        (*kind != Kind::Levels || are_levels(text)).then(|| text.into())
    }
}

/// How much is logged, from nothing to everything.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Whether a text says how much is logged. A word that is no level would be taken for a module of which everything is logged, and of all
/// others nothing.
fn are_levels(text: &str) -> bool {
    let is_level = |word: &str| LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word));
    let is_module =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-:".contains(c));
    text.split(',').map(str::trim).all(|part| match part.split_once('=') {
        None => is_level(part),
        Some((module, level)) => is_module(module.trim_end()) && is_level(level.trim_start()),
    })
}

/// Unix paths are good under Wine, too.
impl Read for PathBuf {
    fn read(text: &str, _: &Kind) -> Option<Self> {
        Some(host_path(text))
    }

    fn read_os(text: &OsStr, _: &Kind) -> Option<Self> {
        Some(text.to_str().map_or_else(|| text.into(), host_path))
    }
}

impl Read for FrameSet {
    fn read(text: &str, _: &Kind) -> Option<Self> {
        Self::parse(text)
    }
}

impl Read for CrashPatches {
    fn read(text: &str, _: &Kind) -> Option<Self> {
        Self::parse(text)
    }
}

impl<T: Read> Read for Option<T> {
    fn read(text: &str, kind: &Kind) -> Option<Self> {
        if text.is_empty() { Some(None) } else { T::read(text, kind).map(Some) }
    }

    fn read_os(text: &OsStr, kind: &Kind) -> Option<Self> {
        if text.is_empty() { Some(None) } else { T::read_os(text, kind).map(Some) }
    }
}

/// One of a few words.
impl<W: Words> Read for W {
    fn read(text: &str, _: &Kind) -> Option<Self> {
        W::from_word(text)
    }
}

/// A list of words; each counts once.
impl<W: Words + PartialEq> Read for Vec<W> {
    fn read(text: &str, _: &Kind) -> Option<Self> {
        let mut list = Self::new();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let value = W::from_word(word)?;
            if !list.contains(&value) {
                list.push(value);
            }
        }
        Some(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_told_from_other_words() {
        for text in ["warn", "OFF", "info,afterimage_d3d9=debug", "error, afterimage_vulkan::device = trace"] {
            assert!(String::read(text, &Kind::Levels).is_some(), "{text}");
        }
        for text in ["wran", "", "info,", "info,afterimage_d3d9", "=debug", "a b=debug", "afterimage_d3d9=loud"] {
            assert_eq!(String::read(text, &Kind::Levels), None, "{text}");
        }
        assert!(String::read("anything", &Kind::Text).is_some());
    }
}
