//! Why a program is not translated.

use crate::inst::{Inst, Operand};

/// Why a program is not translated: the instruction, and what is wrong with it.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("GCN code, word {at:#x}, `{text}`: {reason}")]
pub struct LiftError {
    /// Index of the instruction's first word, in the code, or behind it in the fetch shader's.
    pub at: u32,
    /// The instruction.
    pub text: String,
    /// What is wrong.
    pub reason: Reason,
}

/// What is wrong with an instruction.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Reason {
    /// Something that has a name and no translation.
    #[error("{0} has no translation")]
    Unsupported(&'static str),
    /// A descriptor or pointer that depends on what the lanes do.
    #[error(
        "{what} in {register} is not known at the draw: it does not come from user data and scalar loads at known \
         addresses alone"
    )]
    Unresolved {
        /// What it should be.
        what: &'static str,
        /// Its first register, as text.
        register: String,
    },
    /// Too many of something.
    #[error("the program has more than {most} {what}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there may be.
        most: usize,
    },
    /// 64-bit operands begin at an even register.
    #[error("64 bits begin at an odd scalar register")]
    Misaligned,
    /// The code cannot be read.
    #[error(transparent)]
    Code(#[from] crate::parse::ParseError),
    /// The translation is larger or deeper than IR may be.
    #[error(transparent)]
    Build(#[from] afterimage_ir::BuildError),
}

impl Reason {
    pub(crate) fn unresolved(what: &'static str, register: Operand) -> Reason {
        let register = match register {
            Operand::Sgpr(n) => format!("s{n}"),
            other => format!("{other:?}"),
        };
        Reason::Unresolved { what, register }
    }

    pub(crate) fn at(self, inst: &Inst) -> LiftError {
        LiftError { at: inst.at, text: inst.op.name().to_owned(), reason: self }
    }
}
