//! The judge of written Metal shaders: compiles them with clang against a `metal_stdlib` of our own, runs them, and compares with
//! the interpreter to the bit.
//!
//! ```ignore
//! #[path = "../../msl/tests/judge/mod.rs"]
//! mod judge;
//!
//! let mut judge = judge::Judge::new();
//! let module = shader.module(&profile, &runtime)?;      // what was written, after all passes
//! let artifact = msl::emit(&module, &Options::default())?;
//! judge.add("a name for messages", &module, &artifact, &[&environment, &another]);
//! ...                                                   // hundreds: they share a run of clang
//! let report = judge.run();
//! report.assert();                                      // panics with everything that differs
//! ```
//!
//! * Sources must be written with the default name of the entry point.
//! * `add` runs the interpreter at once, with each environment, and writes down inputs, constants and texture lookups; so
//!   environments need not outlive the call. Shaders that do not end in the interpreter are not judged (`Report::endless`).
//! * The lanes of an environment are a quad (pixel stage) or four vertices. Lanes that throw their pixel away must do so in both, and
//!   their outputs are not compared.
//! * `add_on` runs a shader on memory, a compute shader in as many threadgroups as it is told. The lanes of a group take turns at
//!   barriers. What is in the memory afterwards must be what the interpreter leaves there, all of it. Nothing else may be touched.
//! * Derivatives in control flow where the lanes of the quad part are open; such runs are not compared (`Report::diverged`).
//! * There are no functions for everything: [`knows`].
//! * Comparison textures give the first component of what the environment says.
//! * What comes out must be equal to the bit, but every NaN is the same NaN, and shaders with opcodes that Metal may round
//!   ([`may_round`]) have some room. (There is no need of it on a host whose C library is also Rust's.)
//! * The text is held against the bindings as well: every attribute in the source must be in `Artifact::bindings`, in order.
//!
//! It needs `clang++-14` or a later `clang++`. Without one, `run` says so and judges nothing, but fails if `CI` is set.
//! The crate that uses it needs `afterimage-interp`, `afterimage-ir`, `afterimage-msl` and `tempfile`.

// Not every test uses all of it.
#![allow(dead_code, unreachable_pub)]

mod program;
mod record;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use afterimage_interp::{Environment, LANES};
use afterimage_ir::*;
use afterimage_msl::Artifact;
use program::{file_name, program};
use record::{LOOKUP_WORDS, record};

/// Shaders per run of clang. More save little; fewer run on more cores.
const BATCH: usize = 120;

/// Warnings that tell of a mistake of the writer.
const MISTAKES: [&str; 8] = [
    "uninitialized",
    "sometimes-uninitialized",
    "return-type",
    "sign-compare",
    "float-conversion",
    "parentheses",
    "shift-op-parentheses",
    "unsequenced",
];

/// Collects shaders and runs.
#[derive(Default)]
pub struct Judge {
    units: Vec<Unit>,
    report: Report,
}

/// What the judge found.
#[derive(Debug, Default)]
pub struct Report {
    /// Shaders judged.
    pub shaders: usize,
    /// Runs of them.
    pub runs: usize,
    /// Runs that do not end in the interpreter.
    pub endless: usize,
    /// Runs with derivatives where the quad had parted.
    pub diverged: usize,
    /// What is wrong.
    pub failures: Vec<String>,
    /// Time spent in clang and in the shaders, of all threads together.
    pub times: (Duration, Duration),
}

impl Report {
    /// Fails the test if anything is wrong.
    ///
    /// # Panics
    /// With the failures.
    pub fn assert(&self) {
        assert!(
            self.failures.is_empty(),
            "{} of {} runs of Metal shaders differ\n{}",
            self.failures.len(),
            self.runs,
            self.failures[..self.failures.len().min(5)].join("\n")
        );
    }
}

/// A shader with one choice of function constants.
struct Unit {
    name: String,
    module: Module,
    artifact: Artifact,
    specs: Vec<(u32, u32)>,
    runs: Vec<Run>,
}

struct Run {
    words: Vec<u32>,
    outputs: Vec<[[u32; 4]; LANES]>,
    demoted: [bool; LANES],
    memory: Vec<u32>,
}

/// Device memory.
#[derive(Clone, Default)]
pub struct Memory {
    /// Its address, a multiple of 4096.
    pub base: u64,
    /// What is in it.
    pub words: Vec<u32>,
}

/// Opcodes whose result Metal gives an error bound for, instead of the correctly rounded number.
pub fn may_round(op: Op) -> bool {
    matches!(op, Op::FRsq | Op::FExp2 | Op::FLog2 | Op::FSin | Op::FCos | Op::FRsqC | Op::FLog2C | Op::FDot | Op::FDotZ)
}

/// Whether the judge has functions for all that a module asks for. It has none for waves, storage images, textures of integers, arrays or
/// samples, texels without a sampler, offsets of lookups, layers of targets.
pub fn knows(m: &Module) -> bool {
    let mut knows = true;
    m.for_each_inst(|_, data| {
        knows &= !data.op.has(Flags::WAVE) && data.imm.image().is_none();
        knows &= !matches!(data.op, Op::LaneIndex | Op::WaveSize | Op::QueryLod);
        knows &= !matches!(data.op, Op::Fetch | Op::TextureSize | Op::TextureLevels);
        knows &= match data.imm {
            Imm::Gather(_, component, offset) => component == 0 && offset.is_zero(),
            Imm::Texture(_, offset) => offset.is_zero(),
            _ => true,
        };
        knows &= !matches!(data.imm, Imm::Gather(texture, ..) if m.textures[texture.index()].shadow);
    });
    let plain = |t: &TextureDecl| matches!(t.dim, Dim::D2 | Dim::Cube | Dim::D3) && t.component == Component::Float;
    let layered = |o: &OutputDecl| matches!(o.at, OutputAt::Layer | OutputAt::ViewportIndex);
    knows && m.textures.iter().all(plain) && !m.outputs.iter().any(layered)
}

impl Unit {
    fn new(name: &str, module: &Module, artifact: &Artifact, specs: Vec<(u32, u32)>) -> Unit {
        let (name, module, artifact) = (name.to_owned(), module.clone(), artifact.clone());
        Unit { name, module, artifact, specs, runs: Vec::new() }
    }
}

impl Judge {
    /// An empty judge.
    pub fn new() -> Judge {
        Judge::default()
    }

    /// Adds a shader: a module as it was written, what was written, and what it is run with.
    pub fn add(&mut self, name: &str, module: &Module, artifact: &Artifact, environments: &[&dyn Environment]) {
        if let Err(message) = bindings_match(artifact) {
            self.report.failures.push(format!("{name}: {message}\n{}", artifact.source));
        }
        for &environment in environments {
            self.record(name, module, artifact, environment, &mut Memory::default(), [1; 3]);
        }
    }

    /// Adds a run of a shader on memory, a compute shader in so many groups. The memory is then what the interpreter leaves.
    pub fn add_on(
        &mut self,
        name: &str,
        module: &Module,
        artifact: &Artifact,
        environment: &dyn Environment,
        memory: &mut Memory,
        groups: [u32; 3],
    ) {
        self.add(name, module, artifact, &[]);
        self.record(name, module, artifact, environment, memory, groups);
    }

    /// Adds a shader that is compiled and not run.
    pub fn compile(&mut self, name: &str, module: &Module, artifact: &Artifact) {
        self.add(name, module, artifact, &[]);
        self.units.push(Unit::new(name, module, artifact, Vec::new()));
    }

    fn record(
        &mut self,
        name: &str,
        module: &Module,
        artifact: &Artifact,
        environment: &dyn Environment,
        memory: &mut Memory,
        groups: [u32; 3],
    ) {
        let used = |spec: &&SpecDecl| artifact.reflection.specs.iter().any(|u| u.id == spec.id);
        // One that has its default is left unset, so that the default is tested too.
        let specs: Vec<(u32, u32)> = module
            .specs
            .iter()
            .filter(used)
            .map(|spec| (spec, environment.spec(spec)))
            .filter(|(spec, bits)| spec.default != *bits)
            .map(|(spec, bits)| (spec.id, bits))
            .collect();
        let Some(run) = record(module, artifact, environment, memory, groups) else {
            self.report.endless += 1;
            return;
        };
        let same = |unit: &&mut Unit| unit.name == name && unit.specs == specs && unit.artifact == *artifact;
        match self.units.iter_mut().rev().find(same) {
            Some(unit) => unit.runs.push(run),
            None => {
                let mut unit = Unit::new(name, module, artifact, specs);
                unit.runs.push(run);
                self.units.push(unit);
            }
        }
    }

    /// Compiles, runs and compares everything.
    ///
    /// # Panics
    /// If there is no clang and the environment has `CI`.
    pub fn run(self) -> Report {
        let Judge { units, mut report } = self;
        let Some(clang) = clang() else {
            let message = "no clang++-14 or clang++: Metal shaders are not judged; run `cargo xtask setup`";
            assert!(std::env::var_os("CI").is_none(), "{message}");
            eprintln!("{message}");
            return report;
        };
        let per_batch = BATCH.min(units.len().div_ceil(2)).max(1);
        let batches: Vec<&[Unit]> = units.chunks(per_batch).collect();
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        let next = std::sync::atomic::AtomicUsize::new(0);
        let results: Vec<Report> = std::thread::scope(|scope| {
            let work = || {
                let mut found = Vec::new();
                while let Some(batch) = batches.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    found.push(judge(&clang, batch));
                }
                found
            };
            let handles: Vec<_> = (0..threads.min(batches.len())).map(|_| scope.spawn(work)).collect();
            handles.into_iter().flat_map(|handle| handle.join().expect("the judge's threads end")).collect()
        });
        for found in results {
            report.shaders += found.shaders;
            report.runs += found.runs;
            report.diverged += found.diverged;
            report.failures.extend(found.failures);
            report.times.0 += found.times.0;
            report.times.1 += found.times.1;
        }
        eprintln!(
            "{} shaders in {} runs: clang {:.1} s, shaders {:.1} s; {} runs endless, {} with parted derivatives",
            report.shaders,
            report.runs,
            report.times.0.as_secs_f32(),
            report.times.1.as_secs_f32(),
            report.endless,
            report.diverged,
        );
        report
    }
}

fn clang() -> Option<String> {
    let works = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success());
    ["clang++-14", "clang++"].into_iter().find(works).map(str::to_owned)
}

// The bindings, as the text has them.

/// Every `name [[attribute` of a source but for the structure of inputs, in order.
fn attributes(source: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (at, _) in source.match_indices("[[") {
        let name = source[..at].trim_end().rsplit([' ', '*', '\n']).next().unwrap_or_default();
        let inside = source[at + 2..].split("]]").next().unwrap_or_default();
        // `, flat` and the like come behind it.
        let attribute = inside.split(", ").next().unwrap_or_default();
        if attribute != "stage_in" && !attribute.starts_with("max_total_threads") {
            found.push((name.to_owned(), attribute.to_owned()));
        }
    }
    found
}

/// Whether the bindings are those of the text.
fn bindings_match(artifact: &Artifact) -> Result<(), String> {
    let first = |attribute: &str| attribute.split(", ").next().unwrap_or_default().to_owned();
    let expected: Vec<(String, String)> =
        artifact.bindings.iter().map(|b| (b.name.clone(), first(&b.attribute.to_string()))).collect();
    let found = attributes(&artifact.source);
    if found != expected {
        return Err(format!("the source has {found:?}, but the bindings are {expected:?}"));
    }
    afterimage_msl::check_bindings(&artifact.bindings).map_err(|e| e.to_string())
}

// The shaders' run.

/// Compiles and runs a batch.
fn judge(clang: &str, units: &[Unit]) -> Report {
    let mut report = Report { shaders: units.len(), ..Report::default() };
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("batch.cpp"), program(units)).expect("the source can be written");
    let start = Instant::now();
    let output = Command::new(clang)
        .args([
            "-std=c++17",
            "-O0",
            "-ffp-contract=off",
            "-fno-fast-math",
            "-fno-builtin",
            "-fno-lax-vector-conversions",
        ])
        // What C++ leaves open, Metal does: a program that does it stops.
        .arg("-fsanitize=shift,signed-integer-overflow,integer-divide-by-zero,float-cast-overflow,bounds")
        .arg("-fsanitize-trap=all")
        // Warnings that tell of a mistake of the writer. Shaders themselves may be as strange as they like.
        .args(["-Wno-everything", "-ferror-limit=5"])
        .args(MISTAKES.map(|warning| format!("-Werror={warning}")))
        .arg("-I")
        .arg(include_folder())
        .args([&at("batch.cpp"), Path::new("-o"), &at("batch")])
        .output()
        .expect("clang can be run");
    report.times.0 = start.elapsed();
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        // Lines of errors begin with the shader's name.
        let wrong = units.iter().find(|unit| text.contains(&format!("{}:", file_name(&unit.name))));
        let source = wrong.map_or("", |unit| &unit.artifact.source);
        report.failures.push(format!("clang refuses the shaders:\n{text}\n{source}"));
        return report;
    }
    let mut words: Vec<u32> = Vec::new();
    for (index, unit) in units.iter().enumerate() {
        for run in &unit.runs {
            words.extend([run.words.len() as u32 + 1, index as u32]);
            words.extend(&run.words);
        }
    }
    std::fs::write(at("in"), words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>())
        .expect("runs can be written");
    let start = Instant::now();
    let output = Command::new(at("batch")).args([at("in"), at("out")]).output().expect("the shaders can be run");
    report.times.1 = start.elapsed();
    let found = std::fs::read(at("out")).unwrap_or_default();
    let mut found = found.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word));
    for unit in units {
        for (index, run) in unit.runs.iter().enumerate() {
            report.runs += 1;
            let outputs = unit.module.outputs.len() * LANES * 4;
            let size = LANES + 2 + (LOOKUP_WORDS - 4) + outputs + run.memory.len();
            let out: Vec<u32> = found.by_ref().take(size).collect();
            let message = if out.len() < size {
                format!("the program ended: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr))
            } else if out[LANES] != 0 && unit.module.stage == Stage::Compute {
                "lanes wait at barriers that not all of them reach".to_owned()
            } else if out[LANES] != 0 {
                report.diverged += 1;
                continue;
            } else {
                match compare(unit, run, &out) {
                    Ok(()) => continue,
                    Err(message) => message,
                }
            };
            let (source, module) = (&unit.artifact.source, &unit.module);
            report.failures.push(format!("{}, run {index}: {message}\n{module}\n{source}", unit.name));
            if out.len() < size {
                return report;
            }
        }
    }
    report
}

fn include_folder() -> PathBuf {
    // The file may be part of another crate's tests.
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judge");
    if here.join("metal_stdlib").exists() {
        here
    } else {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../msl/tests/judge")
    }
}

// The comparison.

fn compare(unit: &Unit, run: &Run, out: &[u32]) -> Result<(), String> {
    let (demoted, rest) = out.split_at(LANES);
    let (strange, rest) = (rest[1], &rest[2..]);
    let (lookup, outputs) = rest.split_at(LOOKUP_WORDS - 4);
    if strange != 0 {
        let floats: Vec<f32> = lookup[2..].iter().map(|&w| f32::from_bits(w)).collect();
        return Err(format!("a lookup in slot {} that the interpreter did not make: {floats:?}", lookup[0]));
    }
    let demoted: Vec<bool> = demoted.iter().map(|&d| d != 0).collect();
    if demoted != run.demoted {
        return Err(format!("pixels thrown away: {demoted:?}, not {:?}", run.demoted));
    }
    let (outputs, memory) = outputs.split_at(unit.module.outputs.len() * LANES * 4);
    if let Some(at) = memory.iter().zip(&run.memory).position(|(&found, &expected)| !same_word(found, expected)) {
        return Err(format!("word {at} of the memory: {:#x}, not {:#x}", memory[at], run.memory[at]));
    }
    let mut rounds = false;
    unit.module.for_each_inst(|_, data| rounds |= may_round(data.op));
    for (index, (decl, expected)) in unit.module.outputs.iter().zip(&run.outputs).enumerate() {
        for lane in (0..LANES).filter(|&lane| !run.demoted[lane]) {
            let found = &outputs[(index * LANES + lane) * 4..][..decl.ty.lanes as usize];
            let expected = &expected[lane][..decl.ty.lanes as usize];
            let same = found.iter().zip(expected).all(|(&f, &e)| f == e || close(decl.ty.kind, f, e, rounds));
            if !same {
                let what = if decl.name.is_empty() { decl.at.to_string() } else { decl.name.clone() };
                let [found, expected] = [found, expected].map(|words| match decl.ty.kind {
                    Kind::Float => format!("{:?}", words.iter().map(|&w| f32::from_bits(w)).collect::<Vec<_>>()),
                    _ => format!("{words:x?}"),
                });
                return Err(format!("{what} in lane {lane}: {found}, not {expected}"));
            }
        }
    }
    Ok(())
}

/// Whether words of memory are the same. What they are is not known; but the NaN that computing makes may have its sign.
fn same_word(found: u32, expected: u32) -> bool {
    let made = f32::NAN.to_bits();
    found == expected || expected == made && found == made | 1 << 31
}

/// Whether words that differ may.
fn close(kind: Kind, found: u32, expected: u32, rounds: bool) -> bool {
    let [f, e] = [found, expected].map(f32::from_bits);
    kind == Kind::Float && (f.is_nan() && e.is_nan() || rounds && (f - e).abs() <= 1e-5 + e.abs() * 1e-4)
}
