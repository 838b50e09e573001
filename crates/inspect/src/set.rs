//! Sets of calls, as apitrace writes them.

use crate::{Call, CallKind};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A set of calls.
///
/// A list with commas of: a number `12`; a range `3-7`, `3-*`, or `*` for all; each followed by any of `/10` (every tenth, counted
/// from the range's first), and `/draw`, `/clear`, `/dispatch`, `/copy`, `/query`, `/present`, `/frame` (only calls of that kind; a
/// frame's is its present). A kind alone is all calls of it: `draw` is `*/draw`. `@file` is a file with one set a line, in which `#`
/// begins a comment.
///
/// ```
/// # use afterimage_inspect::CallSet;
/// let set: CallSet = "0-1000/draw,1500,frame".parse()?;
/// assert_eq!(set.to_string(), "0-1000/draw,1500,*/present");
/// # Ok::<(), afterimage_inspect::SetError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallSet {
    ranges: Vec<Range>,
}

/// One entry of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    first: u64,
    last: u64,
    step: u64,
    /// `None`: of all kinds.
    kind: Option<CallKind>,
}

/// What is wrong with the text of a set, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetError {
    /// An entry that is none.
    #[error("calls, {place}: \"{text}\" {cause}; sets are lists such as 12,3-7,100-*/draw,*/10,frame or @FILE")]
    Entry {
        /// Where: a character of the argument, or a file's line.
        place: String,
        /// The entry.
        text: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A file that cannot be read.
    #[error("calls in {file}: {cause}")]
    File {
        /// Its name.
        file: String,
        /// Why.
        cause: String,
    },
}

impl CallSet {
    /// Every call.
    #[must_use]
    pub fn all() -> Self {
        Self { ranges: vec![Range { first: 0, last: u64::MAX, step: 1, kind: None }] }
    }

    /// Every call of a kind.
    #[must_use]
    pub fn of_kind(kind: CallKind) -> Self {
        Self { ranges: vec![Range { first: 0, last: u64::MAX, step: 1, kind: Some(kind) }] }
    }

    /// The calls with these numbers.
    #[must_use]
    pub fn of(numbers: impl IntoIterator<Item = u64>) -> Self {
        let mut ranges: Vec<Range> = Vec::new();
        for number in numbers {
            match ranges.last_mut() {
                Some(range) if range.last.checked_add(1) == Some(number) => range.last = number,
                _ => ranges.push(Range { first: number, last: number, step: 1, kind: None }),
            }
        }
        Self { ranges }
    }

    /// Reads a set; see [`CallSet`].
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn parse(text: &str) -> Result<Self, SetError> {
        let mut ranges = Vec::new();
        line(text, &mut ranges, &|at| format!("character {at}"), true)?;
        Ok(Self { ranges })
    }

    /// Whether a call is in the set.
    #[must_use]
    pub fn contains(&self, call: &Call) -> bool {
        self.ranges.iter().any(|range| {
            (range.first..=range.last).contains(&call.number)
                && (call.number - range.first).is_multiple_of(range.step)
                && range.kind.is_none_or(|kind| kind == call.kind)
        })
    }

    /// Those of the calls that are in the set.
    pub fn among<'a>(&'a self, calls: &'a [Call]) -> impl Iterator<Item = &'a Call> {
        calls.iter().filter(|call| self.contains(call))
    }

    /// Whether no call can be in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
}

/// Reads one list. `place` says where a character of it is; a list in a file names no other file.
fn line(text: &str, ranges: &mut Vec<Range>, place: &dyn Fn(usize) -> String, files: bool) -> Result<(), SetError> {
    let mut at = 0;
    for entry in text.split(',') {
        let trimmed = entry.trim();
        let error = |cause: &str| SetError::Entry {
            place: place(text[..at].chars().count() + 1),
            text: trimmed.to_owned(),
            cause: cause.to_owned(),
        };
        match trimmed.strip_prefix('@') {
            Some(name) if files => file(Path::new(name), ranges)?,
            Some(_) => return Err(error("names a file inside of a file")),
            None => ranges.push(range(trimmed).map_err(|cause| error(&cause))?),
        }
        at += entry.len() + 1;
    }
    Ok(())
}

fn file(path: &Path, ranges: &mut Vec<Range>) -> Result<(), SetError> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| SetError::File { file: name.clone(), cause: error.to_string() })?;
    for (number, content) in text.lines().enumerate() {
        let content = content.split('#').next().unwrap_or_default().trim();
        if !content.is_empty() {
            line(content, ranges, &|at| format!("{name}, line {}, character {at}", number + 1), false)?;
        }
    }
    Ok(())
}

fn range(text: &str) -> Result<Range, String> {
    let mut parts = text.split('/');
    let calls = parts.next().unwrap_or_default().trim();
    let mut range = Range { first: 0, last: u64::MAX, step: 1, kind: None };
    let number = |text: &str| match text.trim() {
        "" => Err("has a number missing".to_owned()),
        text => text.parse::<u64>().map_err(|_| format!("has \"{text}\" where a number must be")),
    };
    if calls.is_empty() {
        return Err("is no entry".into());
    } else if let Some(kind) = kind(calls) {
        range.kind = kind;
    } else if calls != "*" {
        let (first, last) = calls.split_once('-').unwrap_or((calls, calls));
        range.first = number(first)?;
        range.last = if last.trim() == "*" { u64::MAX } else { number(last)? };
        if range.last < range.first {
            return Err("ends before it begins".into());
        }
    }
    for part in parts {
        if let Some(kind) = kind(part.trim()) {
            if range.kind.is_some() {
                return Err("has two kinds".into());
            }
            range.kind = kind;
        } else {
            if range.step != 1 {
                return Err("has two steps".into());
            }
            range.step = number(part)?;
            if range.step == 0 {
                return Err("has a step of 0".into());
            }
        }
    }
    Ok(range)
}

/// A kind's name; `all` is every kind.
fn kind(name: &str) -> Option<Option<CallKind>> {
    match name {
        "all" => Some(None),
        "frame" => Some(Some(CallKind::Present)),
        _ => CallKind::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| Some(*kind)),
    }
}

impl FromStr for CallSet {
    type Err = SetError;

    fn from_str(text: &str) -> Result<Self, SetError> {
        Self::parse(text)
    }
}

impl fmt::Display for CallSet {
    /// What [`CallSet::parse`] reads as the same set; files are replaced by what is in them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, range) in self.ranges.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { "," })?;
            match (range.first, range.last) {
                (0, u64::MAX) => f.write_str("*")?,
                (first, u64::MAX) => write!(f, "{first}-*")?,
                (first, last) if first == last => write!(f, "{first}")?,
                (first, last) => write!(f, "{first}-{last}")?,
            }
            if range.step != 1 {
                write!(f, "/{}", range.step)?;
            }
            if let Some(kind) = range.kind {
                write!(f, "/{}", kind.name())?;
            }
        }
        Ok(())
    }
}
