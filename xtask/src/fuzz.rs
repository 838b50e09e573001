//! `cargo xtask fuzz`: the fuzz targets, with the stable toolchain.
//!
//! cargo-fuzz wants a nightly compiler; all that it adds is a set of flags that make the code report its coverage, and
//! those the stable compiler takes as well. libFuzzer itself comes with the crate `libfuzzer-sys`, built by the C++
//! compiler.

use std::path::PathBuf;
use std::process::Command;

use xtask::build;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

/// Arguments of `fuzz`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Targets to run; all if none is named.
    names: Vec<String>,
    /// Seconds for each target.
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// Build with AddressSanitizer, the standard library too: accesses outside of what is allocated, or of what was freed, are findings.
    #[arg(long)]
    address: bool,
}

/// A fuzz target and its first inputs.
struct Target {
    name: &'static str,
    seeds: Seeds,
}

/// What watches the targets besides their own assertions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watch {
    /// Nothing.
    Plain,
    /// AddressSanitizer.
    Address,
}

impl Watch {
    /// Flags of the compiler besides [`FLAGS`].
    fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &[],
            // Without the second, linkers leave out some of what libFuzzer counts and not the rest. `-Clink-dead-code` is no way:
            // the compiler refuses the standard library with it.
            Self::Address => &["-Zsanitizer=address", "-Clink-arg=-Wl,--no-gc-sections"],
        }
    }

    /// Where the targets are built.
    fn folder(self) -> &'static str {
        match self {
            Self::Plain => "fuzz",
            Self::Address => "fuzz-address",
        }
    }
}

/// Drivers keep what they have until the process ends, which is no finding.
const ADDRESS_OPTIONS: &str = "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1";

/// What a target begins with.
enum Seeds {
    /// What is in these folders.
    Folders(&'static [&'static str]),
    /// Random bytes: the target makes something well-formed out of any, and more out of more of them.
    Random,
}

/// The targets; their code is in `fuzz/targets/NAME.rs`.
const TARGETS: &[Target] = &[
    Target { name: "packets", seeds: Seeds::Random },
    Target { name: "renderer", seeds: Seeds::Random },
    Target { name: "metal", seeds: Seeds::Random },
    Target { name: "captures", seeds: Seeds::Folders(&["fuzz/seeds/captures"]) },
    Target { name: "inspect", seeds: Seeds::Folders(&["fuzz/seeds/captures"]) },
    Target { name: "shader_tokens", seeds: Seeds::Folders(&["fuzz/seeds/shader_tokens", "crates/shader/tests/hlsl"]) },
    Target { name: "shader_programs", seeds: Seeds::Random },
    Target { name: "shader_states", seeds: Seeds::Random },
    Target { name: "ring", seeds: Seeds::Folders(&[]) },
    Target { name: "ir_text", seeds: Seeds::Folders(&["crates/ir/tests", "crates/passes/tests"]) },
    Target { name: "ir_modules", seeds: Seeds::Random },
    Target { name: "spirv", seeds: Seeds::Random },
    Target { name: "texture", seeds: Seeds::Random },
    Target { name: "microcode", seeds: Seeds::Random },
    Target { name: "gcn_words", seeds: Seeds::Random },
    Target { name: "gcn_programs", seeds: Seeds::Random },
    Target { name: "gnm_packets", seeds: Seeds::Random },
    Target { name: "gnm_recordings", seeds: Seeds::Random },
    Target { name: "gnm_c", seeds: Seeds::Random },
    Target { name: "nv2a_pusher", seeds: Seeds::Random },
    Target { name: "nv2a_recordings", seeds: Seeds::Random },
    Target { name: "d3d9_calls", seeds: Seeds::Random },
    Target { name: "config", seeds: Seeds::Folders(&["fuzz/seeds/config"]) },
];

/// What makes the compiler report coverage to libFuzzer.
const FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg=fuzzing",
];

/// MiB of memory after which a target counts as failed.
const MEMORY_MIB: u32 = 2048;
/// Seconds for one input after which a target counts as hanging.
const HANG_SECONDS: u32 = 60;

/// What the random choices of targets begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seed {
    /// Something else each time: to find what nobody has found yet.
    Fresh,
    /// Always the same: to see whether a change has broken something.
    Same,
}

/// The command itself.
///
/// # Errors
/// When a target is not known, does not build, or finds something.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    let watch = if args.address { Watch::Address } else { Watch::Plain };
    let (good, bad) = run(ws, &args.names, args.seconds, Seed::Fresh, watch)?;
    println!("{good} fuzz targets passed, {bad} failed");
    if bad > 0 { Err(Failure::new("fuzzing", format!("{bad} targets found something"))) } else { Ok(()) }
}

/// Builds the targets and runs each for so many seconds, as many at a time as there are cores. Returns how many found
/// nothing and how many found something.
///
/// # Errors
/// When a target is not known or does not build.
pub(crate) fn run(ws: &Workspace, names: &[String], seconds: u32, seed: Seed, watch: Watch) -> Result<(usize, usize)> {
    if let Some(unknown) = names.iter().find(|name| TARGETS.iter().all(|target| target.name != **name)) {
        let known: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        return Err(Failure::new("fuzzing", format!("there is no target `{unknown}`; there are {}", known.join(", "))));
    }
    let wanted: Vec<&Target> =
        TARGETS.iter().filter(|t| names.is_empty() || names.iter().any(|n| n == t.name)).collect();
    let folder = compile(ws, &wanted, seed, watch)?;
    let mut good = 0;
    for group in wanted.chunks(step::cores()) {
        let titles: Vec<_> = group.iter().map(|target| target.name).collect();
        let progress = Progress::start(format!("fuzzing {} for {seconds} s", titles.join(", ")));
        let run = |target: &Target| fuzz(ws, target, &folder, (seconds, seed, watch), &progress);
        let results = step::at_once(group.len(), group, |target| run(target));
        good += results.iter().filter(|result| result.is_ok()).count();
        let mut all = Ok(());
        for failure in results.into_iter().filter_map(Result::err) {
            eprintln!("{failure}");
            all = Err(failure);
        }
        progress.finish(&all);
    }
    Ok((good, wanted.len() - good))
}

/// Builds all targets as `cargo xtask test` runs them.
///
/// # Errors
/// When one does not build.
pub(crate) fn build(ws: &Workspace) -> Result {
    compile(ws, &TARGETS.iter().collect::<Vec<_>>(), Seed::Same, Watch::Plain).map(drop)
}

fn compile(ws: &Workspace, targets: &[&Target], seed: Seed, watch: Watch) -> Result<PathBuf> {
    let host = "x86_64-unknown-linux-gnu";
    let host = if cfg!(target_arch = "aarch64") { "aarch64-unknown-linux-gnu" } else { host };
    let target_dir = ws.target.join(watch.folder());
    let mut cargo = build::cargo(ws);
    // With --target, the flags apply to the fuzzed code and not to build scripts and macros.
    cargo.current_dir(ws.root.join("fuzz")).args(["build", "--release", "--target", host]);
    cargo.args(targets.iter().flat_map(|target| ["--bin", target.name]));
    cargo.arg("--target-dir").arg(&target_dir).env("RUSTFLAGS", [FLAGS, watch.flags()].concat().join(" "));
    if seed == Seed::Same {
        // Seconds of fuzzing are not worth minutes of optimising.
        for setting in ["opt-level=1", "debug=false", "lto=\"off\"", "codegen-units=4"] {
            cargo.args(["--config", &format!("profile.release.{setting}")]);
        }
    }
    if watch == Watch::Address {
        // As for the Windows targets, the stable compiler builds the library from the source that set-up has fetched.
        cargo.arg("-Zbuild-std=std,panic_abort").env("RUSTC_BOOTSTRAP", "1");
    }
    step::run(
        ws,
        &mut cargo,
        "building the fuzz targets",
        "libfuzzer-sys needs a C++ compiler (Debian: apt-get install g++); --address needs Rust's library source (`cargo xtask setup`)",
    )?;
    Ok(target_dir.join(host).join("release"))
}

fn fuzz(
    ws: &Workspace,
    target: &Target,
    folder: &std::path::Path,
    (seconds, seed, watch): (u32, Seed, Watch),
    progress: &Progress,
) -> Result {
    let corpus = ws.target.join("fuzz/corpus").join(target.name);
    let findings = ws.target.join("fuzz/findings").join(target.name);
    for dir in [&corpus, &findings] {
        std::fs::create_dir_all(dir).doing(format!("creating {}", dir.display()))?;
    }
    let mut command = Command::new(folder.join(target.name));
    let memory = if watch == Watch::Address { 2 * MEMORY_MIB } else { MEMORY_MIB };
    command.arg(format!("-max_total_time={seconds}")).arg(format!("-rss_limit_mb={memory}"));
    command.env("ASAN_OPTIONS", ADDRESS_OPTIONS);
    command.arg(format!("-timeout={HANG_SECONDS}")).arg("-max_len=8192").arg("-print_final_stats=1");
    if seed == Seed::Same {
        command.arg("-seed=1");
    }
    // Inputs need not grow slowly: many targets make something well-formed of any bytes.
    command.arg("-len_control=0");
    command.arg(format!("-artifact_prefix={}/", findings.display())).arg(&corpus);
    match target.seeds {
        Seeds::Folders(folders) => {
            command.args(folders.iter().map(|seeds| ws.root.join(seeds)).filter(|seeds| seeds.is_dir()));
        }
        Seeds::Random => {
            command.arg(random(ws)?);
        }
    }
    let again = format!("{} {}/INPUT runs one input again", folder.join(target.name).display(), findings.display());
    step::run_in(ws, &mut command, &format!("fuzz target {}", target.name), &again, progress).map(drop)
}

/// A folder with files of random bytes, always the same ones.
fn random(ws: &Workspace) -> Result<PathBuf> {
    let folder = ws.target.join("fuzz/random");
    std::fs::create_dir_all(&folder).doing(format!("creating {}", folder.display()))?;
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for number in 0..64 {
        let bytes: Vec<u8> = (0..32 * (number + 1))
            .map(|_| {
                // Marsaglia's xorshift.
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 32) as u8
            })
            .collect();
        let file = folder.join(number.to_string());
        std::fs::write(&file, bytes).doing(format!("writing {}", file.display()))?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::TARGETS;

    #[test]
    fn every_target_has_its_file_and_its_row_in_the_manifest() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
        let manifest = std::fs::read_to_string(root.join("Cargo.toml")).expect("fuzz/Cargo.toml is there");
        for target in TARGETS {
            assert!(root.join("targets").join(format!("{}.rs", target.name)).is_file(), "{}", target.name);
            assert!(manifest.contains(&format!("name = \"{}\"", target.name)), "{}", target.name);
        }
        assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
    }
}
