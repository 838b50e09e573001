//! What can be wrong with text.

use crate::encode::EncodeError;
use std::fmt;

/// Lines that are told of at most.
pub const MOST_ERRORS: usize = 20;

/// Why text is no code: what is wrong with its lines, from the first on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AsmErrors {
    /// One of each line, at most [`MOST_ERRORS`]; there is one at least.
    pub errors: Vec<AsmError>,
    /// Lines besides that are wrong.
    pub more: usize,
}

impl std::error::Error for AsmErrors {}

impl fmt::Display for AsmErrors {
    /// A line for each.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.errors.iter().enumerate() {
            write!(f, "{}{error}", if at == 0 { "" } else { "\n" })?;
        }
        match self.more {
            0 => Ok(()),
            1 => f.write_str("\nand another line is wrong"),
            more => write!(f, "\nand {more} other lines are wrong"),
        }
    }
}

/// What is wrong with a line. Lines and columns count from 1, columns in characters.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {kind}")]
pub struct AsmError {
    /// Line.
    pub line: usize,
    /// Column of what is wrong; of the mnemonic where that is the whole instruction.
    pub column: usize,
    /// What is wrong.
    pub kind: AsmErrorKind,
}

/// What is wrong with a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AsmErrorKind {
    /// The mnemonic is none.
    #[error("{found:?} is no gfx7 instruction{}", meant(near))]
    Mnemonic {
        /// What is there.
        found: String,
        /// The mnemonic that is most like it, if one is.
        near: Option<String>,
    },
    /// Something else is there than what should be.
    #[error("expected {wanted}, found {}", said(found))]
    Expected {
        /// What should be there.
        wanted: String,
        /// What is there, empty at the end of the line.
        found: String,
    },
    /// An operand that the instruction does not have there.
    #[error("{instruction} takes {takes} here, not {found}")]
    Operand {
        /// The mnemonic.
        instruction: String,
        /// What it takes.
        takes: String,
        /// What is there.
        found: String,
    },
    /// A modifier that the instruction does not have.
    #[error("{found:?} is no modifier of {instruction}, which has {has}")]
    Modifier {
        /// What is there.
        found: String,
        /// The mnemonic.
        instruction: String,
        /// Those that it has.
        has: String,
    },
    /// A number that is out of range.
    #[error("{name} is {first} to {last}, not {found}")]
    Range {
        /// What the number is of.
        name: &'static str,
        /// Its least value.
        first: u32,
        /// Its greatest value.
        last: u32,
        /// What is there.
        found: String,
    },
    /// The sources of a compressed export differ within a pair.
    #[error("a compressed export has one register for each two components")]
    Compressed,
    /// The instruction cannot be written like that.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The address of a buffer without its modifier, or the other way round.
    #[error("{0} has an address register with idxen, offen or addr64, and `off` without")]
    Address(&'static str),
    /// A label that is nowhere.
    #[error("there is no label {found:?}{}", meant(near))]
    NoLabel {
        /// What is there.
        found: String,
        /// The label that is most like it, if one is.
        near: Option<String>,
    },
    /// A label that is there already.
    #[error("the label {name:?} is there already, in line {line}")]
    Twice {
        /// The label.
        name: String,
        /// Where it is.
        line: usize,
    },
    /// A branch that is too far.
    #[error("the branch to {0:?} goes further than 32767 words")]
    Far(String),
}

fn meant(near: &Option<String>) -> String {
    near.as_ref().map_or_else(String::new, |near| format!("; did you mean {near}?"))
}

fn said(found: &str) -> String {
    if found.is_empty() { "the end of the line".to_owned() } else { format!("{found:?}") }
}
