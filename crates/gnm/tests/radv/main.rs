//! Everything that RADV compiled for the corpus, as a recording that is played: code, tables and contents in ranges of memory of exact
//! size that begin and end inside of pages, packets on the graphics ring or one of compute. Every shader is sent, translated and valid, and
//! every compute shader leaves the memory that its original SPIR-V leaves on the device (Debian's lavapipe); what was sent leaves it in
//! the interpreter, too, with waves of 64, where it uses no images.
//!
//! What does not is listed in `crates/shader-gcn/tests/radv/known.txt` with the step at which it fails. A shader that fails and is not
//! listed, or is listed and does not fail at that step, fails the test; `AFTERIMAGE_BLESS=1` writes the list anew.

mod compare;
#[path = "../../../spirv/tests/gpu/device.rs"]
mod device;
mod dispatch;
#[path = "../../../spirv/tests/judges/mod.rs"]
mod judges;
mod memory;
mod play;
mod recorded;
#[path = "../../../shader-gcn/tests/rig"]
#[allow(dead_code, reason = "of another test, of which this one uses a part")]
mod rig {
    pub(crate) mod interpret;
    mod source;
    pub(crate) mod translate;
}
#[path = "../stages/mod.rs"]
#[allow(dead_code, reason = "of two tests, of which this one uses a part")]
mod stages;
mod subject;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use afterimage_gcn_corpus::{Program, folder, programs};
use device::Gpu;
use subject::Subject;

/// How many work at a time.
const THREADS: usize = 2;
/// Characters of a reason that are written to the list.
const REASON: usize = 160;

/// The first line of the list.
const HEAD: &str = "# Shaders that are not what they should be: name, compiler, hardware stage, step; why. Written by\n\
                    # AFTERIMAGE_BLESS=1 cargo test -p afterimage-gnm --test radv\n";

/// What fails, by name and step: why.
type Failures = BTreeMap<String, String>;

/// All shaders of a program.
fn check(gpu: &Gpu, number: u64, program: &Program) -> (usize, Failures) {
    let subject = Subject::new(gpu, program);
    let mut failures = Failures::new();
    let mut count = 0;
    for (at, &compiler) in program.compilers().iter().enumerate() {
        let compiled = program.compiled(compiler).unwrap_or_else(|e| panic!("{e}"));
        count += compiled.shaders.len();
        for (stage, (step, why)) in subject.check(gpu, &compiled, 2 * number + at as u64) {
            let key = format!("{}.{compiler} {stage} {}", program.name, step.name());
            let why = why.lines().next().unwrap_or_default().chars().take(REASON).collect();
            failures.insert(key, why);
        }
    }
    (count, failures)
}

#[test]
fn translations_do_what_the_shaders_do() {
    let only = std::env::var("AFTERIMAGE_ONLY").ok();
    let mut programs = programs().unwrap_or_else(|e| panic!("{e}"));
    assert!(programs.len() >= 150, "only {} programs are there", programs.len());
    programs.retain(|program| only.as_ref().is_none_or(|only| program.name.starts_with(only)));
    let next = AtomicUsize::new(0);
    let all = Mutex::new((0, Failures::new()));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (next, all, programs) = (&next, &all, &programs);
            // A driver that crashes takes the process with it: the file says at what.
            let at = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("radv-{thread}.txt"));
            scope.spawn(move || {
                let gpu = Gpu::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(program) = programs.get(number) else { break };
                    let _ = std::fs::write(&at, &program.name);
                    let (count, failures) = check(&gpu, number as u64, program);
                    let mut all = all.lock().unwrap();
                    all.0 += count;
                    all.1.extend(failures);
                }
            });
        }
    });
    let (count, failures) = all.into_inner().unwrap();
    let path = folder().join("known.txt");
    let mut text = HEAD.to_owned();
    for (key, why) in &failures {
        writeln!(text, "{key}: {why}").unwrap();
    }
    println!("{} of {count} shaders fail", failures.len());
    if only.is_some() {
        assert!(failures.is_empty(), "{text}");
        return;
    }
    if std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, text).unwrap();
        return;
    }
    let known = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let lines = known.lines().filter(|line| !line.starts_with('#'));
    let known: Vec<&str> = lines.filter_map(|line| line.split_once(": ").map(|(key, _)| key)).collect();
    let new: Vec<String> = failures
        .iter()
        .filter(|(key, _)| !known.contains(&key.as_str()))
        .map(|(key, why)| format!("{key}: {why}"))
        .collect();
    let mended: Vec<&str> = known.into_iter().filter(|key| !failures.contains_key(*key)).collect();
    assert!(new.is_empty(), "{} fail and are not listed:\n{}", new.len(), new.join("\n"));
    assert!(mended.is_empty(), "listed in {} and do not fail so:\n{}", path.display(), mended.join("\n"));
}
