//! `cargo xtask newcomer`: how long somebody waits who has just cloned this: in a bare Debian with cargo and a C compiler, from what is
//! committed here, with nothing built or downloaded before.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use xtask::chroot;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

/// The release that README's commands are for.
const SUITE: &str = "bookworm";
/// What is installed besides the smallest Debian: what a newcomer has who has cloned a program in Rust before.
const PACKAGES: &str = "ca-certificates,git,gcc,libc6-dev";
/// Where the clone lies, inside.
const CLONE: &str = "root/afterimage";
/// How the demo says that the page has its first picture.
const FIRST: &str = "the first pictures";

/// Arguments of `newcomer`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// `demo --all` from nothing in the place of `demo`.
    #[arg(long)]
    all: bool,
    /// Keep the Debian, in the cache folder, to look at it.
    #[arg(long)]
    keep: bool,
}

/// What a demo took.
struct Waited {
    first: Option<Duration>,
    all: Duration,
    warnings: usize,
}

/// The command itself.
///
/// # Errors
/// When the Debian cannot be made, or the demo fails in it.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    let root = make(ws)?;
    let demo: &[&str] = if args.all { &["demo", "--yes", "--all"] } else { &["demo", "--yes"] };
    let result = wait(&root, demo, "from nothing").and_then(|cold| {
        let warm = if args.all { None } else { Some(wait(&root, demo, "again")?) };
        print(args.all, &cold, warm.as_ref());
        Ok(())
    });
    if args.keep {
        println!("the Debian is kept: {}", root.display());
        return result;
    }
    let removed =
        step::output(Command::new("rm").arg("-rf").arg("--one-file-system").arg(&root), "removing the Debian");
    result.and(removed.map(drop))
}

fn print(all: bool, cold: &Waited, warm: Option<&Waited>) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("in a bare Debian {SUITE}, {cores} cores, minutes from the command on, set-up and downloads with it:");
    let row = |what: &str, goal: f32, took: Option<Duration>| match took {
        Some(took) => println!("  {what:<40} {:>6.1}   goal {goal:>4.0}", took.as_secs_f32() / 60.0),
        None => println!("  {what:<40}   none   goal {goal:>4.0}"),
    };
    row("first picture, from nothing", 6.0, cold.first);
    row(
        if all { "demo --all, from nothing" } else { "demo, from nothing" },
        if all { 25.0 } else { 15.0 },
        Some(cold.all),
    );
    if let Some(warm) = warm {
        row("demo, again", 3.0, Some(warm.all));
    }
    println!("  {:<40} {:>6}   goal    0", "warnings of compilers", cold.warnings);
}

/// The Debian, with a clone of what is committed and nothing else of this machine but its toolchain, which is bound.
fn make(ws: &Workspace) -> Result<PathBuf> {
    let what = "making a bare Debian for a newcomer";
    let root = ws.cache.join("newcomer");
    step::output(Command::new("rm").arg("-rf").arg("--one-file-system").arg(&root), what)?;
    chroot::make(ws, &root, SUITE, PACKAGES)?;
    // How this machine reaches others, and whom it trusts.
    for file in ["etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt"] {
        std::fs::copy(Path::new("/").join(file), root.join(file)).doing(format!("copying /{file}"))?;
    }
    let mut clone = Command::new("git");
    clone.args(["clone", "--quiet", "--no-hardlinks"]).arg(&ws.root).arg(root.join(CLONE));
    step::run(ws, &mut clone, "cloning", "")?;
    Ok(root)
}

/// Waits for `cargo xtask` with some words.
fn wait(root: &Path, words: &[&str], how: &str) -> Result<Waited> {
    let what = format!("cargo xtask {}, {how}", words.join(" "));
    let progress = Progress::start(&what);
    let result = watch(root, words, &what, &progress);
    progress.finish(&result);
    result
}

fn watch(root: &Path, words: &[&str], what: &str, progress: &Progress) -> Result<Waited> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let folder = |variable: &str, name: &str| std::env::var_os(variable).map_or_else(|| home.join(name), PathBuf::from);
    let (toolchains, cargo) = (folder("RUSTUP_HOME", ".rustup"), folder("CARGO_HOME", ".cargo").join("bin"));
    let mut command = chroot::command(root, &[&toolchains, &cargo], "env");
    let path = format!("PATH={}:/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin", cargo.display());
    command.args(["-i", "-C"]).arg(Path::new("/").join(CLONE)).args([&path, "HOME=/root", "LC_ALL=C.UTF-8"]);
    command.arg(format!("RUSTUP_HOME={}", toolchains.display())).args(["cargo", "xtask"]).args(words);
    // It is not to see what this run has set, and a folder that is there inside.
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn().doing(what)?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (first, warnings) = std::thread::scope(|scope| {
        let errors = scope.spawn(|| {
            let lines =
                stderr.into_iter().flat_map(|pipe| BufReader::new(pipe).lines().map_while(std::result::Result::ok));
            let lines = lines.inspect(|line| progress.now(line));
            lines.filter(|line| line.starts_with("warning: ")).count()
        });
        let mut first = None;
        for line in stdout.into_iter().flat_map(|pipe| BufReader::new(pipe).lines().map_while(std::result::Result::ok))
        {
            if line.starts_with(FIRST) {
                first.get_or_insert_with(|| start.elapsed());
            }
            progress.now(&line);
        }
        (first, errors.join().unwrap_or_default())
    });
    let status = child.wait().doing(what)?;
    let all = start.elapsed();
    if !status.success() {
        let advice =
            format!("look into {} with --keep, whose logs are in target/xtask-logs", root.join(CLONE).display());
        return Err(Failure::new(what, format!("{status}")).advise(advice));
    }
    // What cargo says where the demo starts it is in the demo's logs.
    let logs = root.join(CLONE).join("target/xtask-logs");
    let logged: usize =
        std::fs::read_dir(&logs).into_iter().flatten().flatten().map(|entry| warned(&entry.path())).sum();
    Ok(Waited { first, all, warnings: warnings + logged })
}

/// Lines of a log that are a compiler's warnings.
fn warned(log: &Path) -> usize {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.lines().filter(|line| line.starts_with("warning: ") || line.contains(": warning: ")).count()
}
