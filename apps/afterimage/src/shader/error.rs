//! Why a shader could not be translated, and the exit code that says so to a script.

use crate::outputs::{LOST, Refused};
use afterimage_distribution::{Need, advice};
use afterimage_ir::VerifyError;
use afterimage_shader::{CompileError, Stage};
use afterimage_shader_d3d9::{AsmError, ParseError};
use afterimage_shader_gcn as gcn;
use afterimage_shader_nv2a as nv2a;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// Exit codes of `afterimage shader`. They do not change; of many failures the greatest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Code {
    Done = 0,
    Untranslated = 1,
    Usage = 2,
    File = 3,
    NoTool = 4,
    OurFault = 5,
}

impl Code {
    /// What `--help` says about them.
    pub(super) const HELP: &str = "\
Exit codes (of several failures, the greatest):
  0  every input was translated
  1  an input could not be translated: it is wrong, or uses what is not supported
  2  the command line is wrong; nothing was read
  3  a file could not be read or written
  4  a program that was asked for is not installed (spirv-val)
  5  the result failed --validate or --verify-each, or a translation broke off: a bug of Afterimage";
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code as u8)
    }
}

/// Why an input has no output. The text does not name the input.
#[derive(Debug, thiserror::Error)]
pub(super) enum Why {
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Refused(#[from] Refused),
    #[error("cannot read it: {0}")]
    Read(io::Error),
    #[error("cannot read {}: {error}", path.display())]
    Folder { path: PathBuf, error: io::Error },
    #[error("cannot write {}: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("it has more than {} MiB, which no shader has", super::io::LARGEST >> 20)]
    TooLarge,
    #[error("{0}")]
    Tokens(#[from] ParseError),
    #[error("{0}")]
    Asm(#[from] AsmError),
    #[error("{0}")]
    Microcode(#[from] nv2a::AsmError),
    #[error("{0}")]
    GcnAsm(#[from] gcn::AsmErrors),
    #[error("{0}")]
    GcnCode(#[from] gcn::ParseError),
    #[error("{0}")]
    GcnSource(#[from] gcn::io::SourceError),
    #[error("{0}")]
    GcnFile(#[from] gcn::file::FileError),
    #[error("{0} bytes are no words of GCN code; is it --from gcn?")]
    NoWords(usize),
    #[error("raw GCN code does not say what it is for: say it with --stage vertex, pixel or compute")]
    NeedsStage,
    #[error(
        "it is for hardware stage {0}, whose translation depends on registers of the draw: \
         `afterimage shader disasm` reads it, a capture of the draw has them"
    )]
    GcnStage(gcn::io::HwStage),
    #[error("{0}")]
    Compile(#[from] CompileError),
    #[error("{0}")]
    Feedback(#[from] afterimage_feedback::Error),
    #[error(
        "it is no SPIR-V, which begins with the number 0x07230203; `afterimage shader translate` makes it of other languages"
    )]
    NotSpirv,
    #[error(
        "it is neither shader tokens, nor SPIR-V, nor microcode, nor GCN code, nor text; say what it is with --from"
    )]
    Unknown,
    #[error("byte {0} is not UTF-8, and this should be text; say what it is with --from")]
    NotText(usize),
    #[error("IR is no assembler text of another language; --to ir or --to spirv-asm is what it can become")]
    NoDisassembly,
    #[error("it has one entry point without a name; --entry is for SPIR-V")]
    NoEntry,
    #[error("it is a {} shader, and --stage asks for a {} shader", has.name(), wanted.name())]
    OtherStage { has: Stage, wanted: Stage },
    #[error("there is no pass `{name}`; --emit-after knows {known}")]
    Pass { name: String, known: String },
    #[error("the output is binary and standard output is a terminal: give -o FILE, or pick a text with --to")]
    Terminal,
    #[error("{tool} is not installed: {}", advice(Need::SpirvTools))]
    NoTool { tool: &'static str },
    #[error("{tool} could not be run: {error}")]
    ToolFailed { tool: &'static str, error: io::Error },
    #[error("{tool} rejects the result, which is a bug of Afterimage:\n{message}")]
    Rejected { tool: &'static str, message: String },
    #[error("the {pass} pass breaks the IR, which is a bug of Afterimage: {error}")]
    Broken { pass: &'static str, error: VerifyError },
    #[error("the translation broke off, which is a bug of Afterimage: {0}")]
    Panic(String),
}

impl Why {
    pub(super) fn code(&self) -> Code {
        match self {
            Self::Refused(refused) if refused.code == LOST => Code::File,
            Self::Usage(_) | Self::Refused(_) | Self::Pass { .. } => Code::Usage,
            Self::Read(_) | Self::Folder { .. } | Self::Write { .. } | Self::Terminal => Code::File,
            Self::NoTool { .. } | Self::ToolFailed { .. } => Code::NoTool,
            Self::Rejected { .. } | Self::Broken { .. } | Self::Panic(_) => Code::OurFault,
            Self::TooLarge
            | Self::Tokens(_)
            | Self::Asm(_)
            | Self::Microcode(_)
            | Self::GcnAsm(_)
            | Self::GcnCode(_)
            | Self::GcnSource(_)
            | Self::GcnFile(_)
            | Self::NoWords(_)
            | Self::NeedsStage
            | Self::GcnStage(_)
            | Self::Compile(_)
            | Self::Feedback(_)
            | Self::NotSpirv
            | Self::Unknown
            | Self::NotText(_)
            | Self::NoDisassembly
            | Self::NoEntry
            | Self::OtherStage { .. } => Code::Untranslated,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn the_documentation_has_the_exit_codes_of_the_help() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/shaders.md");
        let text = std::fs::read_to_string(file).expect("docs/shaders.md").replace('`', "");
        let codes: Vec<_> = Code::HELP.lines().skip(1).collect();
        assert_eq!(codes.len(), Code::OurFault as usize + 1);
        for line in codes {
            let (code, meaning) = line.trim().split_once("  ").expect("a code and its meaning");
            assert!(text.contains(&format!("| {code} | {meaning} |")), "{file}: {line}");
        }
    }
}
