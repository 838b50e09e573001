//! `cargo xtask gnm shaders`: our GLSL to SPIR-V to gfx7 code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use afterimage_gcn_corpus::{Compiled, Compiler, Program, programs_in};
use xtask::build;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

use crate::wine::root;

/// What each compiler's output and SPIR-V lie in, beside the sources.
const FOLDERS: [&str; 2] = ["spirv", "gcn"];

/// Seconds that a compiler may take for everything; LLVM hangs on what it cannot do now and then.
const LIMIT: &str = "300";

/// Arguments of `gnm shaders`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only say whether the files are what the tools give.
    #[arg(long)]
    check: bool,
    /// Only programs whose names begin so.
    names: Vec<String>,
}

/// The command itself.
///
/// # Errors
/// When a tool is missing or fails, or, with `--check`, a file differs.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    let corpus = ws.root.join("crates/shader-gcn/tests/radv");
    let wanted =
        |program: &Program| args.names.is_empty() || args.names.iter().any(|name| program.name.starts_with(name));
    let all = programs_in(&corpus).doing("reading the sources' headers")?;
    let programs: Vec<Program> = all.iter().filter(|program| wanted(program)).cloned().collect();
    if programs.is_empty() {
        return Err(Failure::new("looking for shaders", format!("no program in {} is so named", corpus.display())));
    }
    // The listings are LLVM's of trixie.
    let radv = Radv(Some(root::ensure(ws)?));
    build(ws)?;
    let work = ws.target.join("gnm/radv");
    let _ = std::fs::remove_dir_all(&work);
    for folder in FOLDERS {
        let folder = work.join(folder);
        std::fs::create_dir_all(&folder).doing(format!("creating {}", folder.display()))?;
    }
    to_spirv(&programs, &work)?;
    for compiler in Compiler::ALL {
        to_gcn(ws, &radv, &work, compiler, &programs)?;
    }
    let programs = programs_in(&work).doing("reading the sources' headers")?;
    println!("{}", count(&programs)?);
    let differences = bring(&work, &corpus, args)?;
    match &differences[..] {
        [] => println!("{}: all is as it was", corpus.display()),
        list if args.check => {
            return Err(Failure::new("comparing with what is committed", list.join("\n"))
                .advise("write it anew: cargo xtask gnm shaders"));
        }
        list => println!("{}", list.join("\n")),
    }
    Ok(())
}

/// Builds the program that talks to RADV.
fn build(ws: &Workspace) -> Result {
    let mut cargo = build::cargo(ws);
    cargo.args(["build", "--quiet", "-p", "afterimage-gcn-corpus", "--example", "radv"]);
    step::run(ws, &mut cargo, "building the program that talks to RADV", "").map(drop)
}

/// Compiles every stage with glslang into the work folder, and puts the sources there.
fn to_spirv(programs: &[Program], work: &Path) -> Result {
    let progress = Progress::start("compiling GLSL to SPIR-V");
    let compile = || -> Result {
        for program in programs {
            for &stage in &program.stages {
                let source = program.source(stage);
                let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
                progress.now(&name);
                std::fs::copy(&source, work.join(&name)).doing(format!("copying {}", source.display()))?;
                let mut glslang = Command::new("glslangValidator");
                glslang.args(["--quiet", "-V", "--target-env", "vulkan1.2"]).arg(&source).arg("-o");
                glslang.arg(work.join(FOLDERS[0]).join(format!("{name}.spv")));
                let output = glslang
                    .output()
                    .doing("starting glslangValidator")
                    .map_err(|failure| failure.advise("install it: apt-get install glslang-tools"))?;
                if !output.status.success() {
                    return Err(Failure::new(format!("compiling {name}"), String::from_utf8_lossy(&output.stdout)));
                }
            }
        }
        Ok(())
    };
    let result = compile();
    progress.finish(&result);
    result
}

/// Where the RADV is that we can read: this machine's, or that of a Debian trixie in the cache folder.
pub(super) struct Radv(Option<PathBuf>);

/// The Debian package with it, and its version.
const DRIVERS: (&str, &str) = ("mesa-vulkan-drivers", "25.0.7-");

impl Radv {
    /// Whether this machine has it.
    pub(super) fn is_here() -> bool {
        let mut query = Command::new("dpkg-query");
        let version = step::output(query.args(["-W", "-f=${Version}", DRIVERS.0]), "asking for Mesa's version");
        version.is_ok_and(|version| version.starts_with(DRIVERS.1))
    }

    /// Looks for it; makes the trixie if there is none.
    ///
    /// # Errors
    /// When there is none and trixie cannot be made.
    pub(super) fn find(ws: &Workspace) -> Result<Self> {
        if Self::is_here() { Ok(Self(None)) } else { root::ensure(ws).map(|root| Self(Some(root))) }
    }

    /// A call of the program that talks to it.
    pub(super) fn command(&self, ws: &Workspace, compiler: Compiler, program: &Path) -> Command {
        let mut command = match &self.0 {
            Some(root) => root::command(root, &[&ws.root, &ws.target], "env"),
            None => Command::new("env"),
        };
        command.args(["VK_DRIVER_FILES=/usr/share/vulkan/icd.d/radeon_icd.json", "RADV_FORCE_FAMILY=bonaire"]);
        command.arg("MESA_SHADER_CACHE_DISABLE=true");
        if compiler == Compiler::Llvm {
            command.arg("RADV_DEBUG=llvm");
        }
        command.arg(program);
        command
    }
}

/// Compiles every program with one of RADV's compilers, in one process.
fn to_gcn(ws: &Workspace, radv: &Radv, work: &Path, compiler: Compiler, programs: &[Program]) -> Result {
    let mut command = radv.command(ws, compiler, Path::new("timeout"));
    command.arg(LIMIT).arg(ws.target.join("debug/examples/radv")).arg(work).arg(work.join(FOLDERS[1]));
    let fit = programs.iter().filter(|program| program.compilers().contains(&compiler));
    command.args(fit.map(|program| &program.name));
    let what = format!("compiling SPIR-V to gfx7 code with {compiler}");
    step::run(
        ws,
        &mut command,
        &what,
        "a crash or hang is at the last name in the log; `//! no_llvm` in a header leaves LLVM out",
    )
    .map(drop)
}

/// A line about what there is.
fn count(programs: &[Program]) -> Result<String> {
    let mut shaders: BTreeMap<String, usize> = BTreeMap::new();
    let (mut instructions, mut mnemonics) = (0, BTreeSet::new());
    for program in programs {
        for &compiler in program.compilers() {
            let Compiled { shaders: compiled } = program.compiled(compiler).doing("reading what was compiled")?;
            for shader in compiled {
                instructions += shader.listing.len();
                mnemonics.extend(shader.listing.into_iter().map(|listed| {
                    let name = listed.mnemonic;
                    name.trim_end_matches("_e32").trim_end_matches("_e64").to_owned()
                }));
                *shaders.entry(shader.stage).or_default() += 1;
            }
        }
    }
    let all: usize = shaders.values().sum();
    let stages: Vec<String> = shaders.iter().map(|(stage, count)| format!("{count} {stage}")).collect();
    let sources: usize = programs.iter().map(|program| program.stages.len()).sum();
    let stages = stages.join(", ");
    Ok(format!(
        "{} programs of {sources} shaders; compiled {all} ({stages}), {instructions} instructions, {} mnemonics",
        programs.len(),
        mnemonics.len()
    ))
}

/// Compares what was made with what lies beside the sources, and, unless only a check is wanted, brings it there. Gives a line for
/// each difference.
fn bring(work: &Path, corpus: &Path, args: &Args) -> Result<Vec<String>> {
    let mut differences = Vec::new();
    for folder in FOLDERS {
        let [new, old] = [work, corpus].map(|root| root.join(folder));
        let names = files(&new)?;
        for name in &names {
            let bytes = std::fs::read(new.join(name)).doing(format!("reading {name}"))?;
            let there = std::fs::read(old.join(name)).ok();
            if there.as_ref() == Some(&bytes) {
                continue;
            }
            let what = if there.is_some() { "differs" } else { "is new" };
            differences.push(format!("{folder}/{name} {what}"));
            if !args.check {
                std::fs::create_dir_all(&old).doing(format!("creating {}", old.display()))?;
                std::fs::write(old.join(name), bytes).doing(format!("writing {name}"))?;
            }
        }
        if args.names.is_empty() {
            for name in files(&old)?.difference(&names) {
                differences.push(format!("{folder}/{name} has no source"));
                if !args.check {
                    std::fs::remove_file(old.join(name)).doing(format!("removing {name}"))?;
                }
            }
        }
    }
    Ok(differences)
}

/// Names of a folder's files; none if there is no folder.
fn files(folder: &PathBuf) -> Result<BTreeSet<String>> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(BTreeSet::new()) };
    let name = |entry: std::io::Result<std::fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into_owned());
    let names: std::io::Result<_> = entries.map(name).collect();
    names.doing(format!("listing {}", folder.display()))
}
