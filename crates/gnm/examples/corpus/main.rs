//! `corpus FOLDER OUT [--alone] NAME...`: shaders that RADV compiled, as recordings that are played as a user plays them.
//!
//! FOLDER has programs as `afterimage_gcn_corpus` reads them. Of each, OUT gets recordings (NAME.COMPILER.gcap). They are played; every
//! shader that is sent is compiled and shown to `spirv-val`; and what a compute shader left in memory is held against what its original
//! SPIR-V leaves on the same device. What draws left in resources and targets is in NAME.COMPILER.left, in the order of the dumps. A line
//! for each shader: name, compiler, stage, how far it came, and why no further, between tabs. `--alone`: without the original, which does
//! not end. Without names it prints the device's. `cargo xtask gnm corpus` calls it.

#[path = "../../tests/radv/compare.rs"]
mod compare;
#[path = "../../../spirv/tests/gpu/device.rs"]
mod device;
#[path = "../../tests/radv/dispatch.rs"]
mod dispatch;
#[path = "../../../spirv/tests/judges/mod.rs"]
mod judges;
#[path = "../../tests/radv/memory.rs"]
mod memory;
#[path = "../../tests/radv/play.rs"]
mod play;
#[path = "../../tests/radv/recorded.rs"]
mod recorded;
#[path = "../../tests/stages/mod.rs"]
#[allow(dead_code, reason = "of tests, of which this one uses a part")]
mod stages;

use afterimage_gcn_corpus::limits;
use afterimage_gcn_corpus::reflect::reflect;
use afterimage_gcn_corpus::{Compare, Compiler, Header, Kind, Program, Shader, Stage, World, programs_in};
use afterimage_shader::{Features, Language, Profile, RuntimeInfo};
use afterimage_shader_gcn::io::Source;
use device::Gpu;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What the contents of memory come from.
const SEED: u32 = 1;

/// The exit status when an original has lost the device.
const LOST: i32 = 3;

/// How far a shader came, in words of the table, and why no further.
type Outcome = (&'static str, String);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, out, names @ ..] = &arguments[..] else {
        eprintln!("usage: corpus FOLDER OUT [--alone] NAME...");
        return ExitCode::from(2);
    };
    let programs = match programs_in(Path::new(folder)) {
        Ok(programs) => programs,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    let gpu = Gpu::new();
    if names.is_empty() {
        println!("{}", gpu.name);
        return ExitCode::SUCCESS;
    }
    let alone = names.iter().any(|name| name == "--alone");
    let runner = Runner { gpu, out: PathBuf::from(out), alone };
    for (number, program) in (0..).zip(programs.iter()).filter(|(_, program)| names.contains(&program.name)) {
        runner.program(number, program);
    }
    ExitCode::SUCCESS
}

struct Runner {
    gpu: Gpu,
    out: PathBuf,
    /// Whether originals are not run.
    alone: bool,
}

/// Why a program's memory is not compared, if it is not.
fn uncompared(program: &Program) -> Option<&'static str> {
    let samples = |header: &Header| {
        let several = |resource: &afterimage_gcn_corpus::Resource| {
            use afterimage_gcn_corpus::header::Shape;
            let shape = resource.image().map(|image| image.shape);
            matches!(shape, Some(Shape::D2Samples | Shape::D2SamplesArray))
        };
        header.resources.iter().any(several)
    };
    match () {
        () if !program.is_compute() => Some("graphics"),
        () if program.header.compare == Compare::Translated => Some("what it writes depends on the size of waves"),
        () if samples(&program.header) => Some("images of several samples"),
        () => None,
    }
}

impl Runner {
    fn program(&self, number: u64, program: &Program) {
        println!("begin\t{}\toriginal", program.name);
        let wanted = match uncompared(program) {
            Some(why) => Err(why.to_owned()),
            None if self.alone => Err("the original does not end here".to_owned()),
            None => self.original(program).map_err(|why| format!("the original does not run here: {why}")),
        };
        if wanted.as_ref().is_err_and(|why| why.contains(&device::LOST.to_string())) {
            // Nothing runs on this device any more: the next process has another.
            std::process::exit(LOST);
        }
        for (at, &compiler) in program.compilers().iter().enumerate() {
            println!("begin\t{}\t{compiler}", program.name);
            if !program.compiled_file(compiler).is_file() {
                continue;
            }
            let number = 2 * number + at as u64;
            for (stage, (step, why)) in self.compiled(program, compiler, number, wanted.as_ref()) {
                let why = why.replace(['\n', '\t'], " ");
                println!("{}\t{compiler}\t{stage}\t{step}\t{why}", program.name);
            }
        }
    }

    /// What a program's own SPIR-V leaves in memory. Not the same twice: an error.
    fn original(&self, program: &Program) -> Result<Vec<Vec<u32>>, String> {
        let words = program.spirv(Stage::Comp).map_err(|why| why.to_string())?;
        let lanes = reflect(&words)?.threads.iter().fold(1u32, |all, axis| all.saturating_mul(*axis));
        let asked = (lanes, limits::shared_bytes(&words));
        let (most, bytes) = self.gpu.group;
        if lanes > most || asked.1 > bytes.into() {
            // NVIDIA's driver takes it, and then nothing runs on the device any more.
            return Err(format!(
                "a group of {} lanes and {} bytes: the device has {most} and {bytes}",
                asked.0, asked.1
            ));
        }
        let [first, again] = [(); 2].map(|()| self.original_once(program).map_err(|why| why.to_string()));
        let (first, again) = (first?, again?);
        if compare::compare(&program.header, &first, &again).is_err() {
            return Err("its memory is another each time".to_owned());
        }
        Ok(first)
    }

    fn original_once(&self, program: &Program) -> device::Result<Vec<Vec<u32>>> {
        let words = program.spirv(Stage::Comp).unwrap_or_else(|error| panic!("{error}"));
        dispatch::original(&self.gpu, &program.header, &World::new(&program.name, &program.header, SEED), &words)
    }

    /// How far what a compiler made of a program came, by hardware stage.
    fn compiled(
        &self,
        program: &Program,
        compiler: Compiler,
        number: u64,
        wanted: Result<&Vec<Vec<u32>>, &String>,
    ) -> Vec<(String, Outcome)> {
        let compiled = match program.compiled(compiler) {
            Ok(compiled) => compiled,
            Err(why) => return vec![("-".to_owned(), ("unread", why.to_string()))],
        };
        let tested = &program.header.tested;
        let is_tested = |shader: &&Shader| tested.is_empty() || shader.from == *tested || shader.from == "copy";
        let played = recorded::records(program, &compiled, number, SEED).and_then(|recorded| {
            let path = self.out.join(format!("{}.{compiler}.gcap", program.name));
            let file = recorded.file()?;
            std::fs::write(&path, &file).map_err(|why| format!("{}: {why}", path.display()))?;
            let played = play::play(file)?;
            if !program.is_compute() {
                let path = path.with_extension("left");
                std::fs::write(&path, played.dumps.concat()).map_err(|why| format!("{}: {why}", path.display()))?;
            }
            Ok((played, recorded))
        });
        let (played, recorded) = match played {
            Ok(played) => played,
            Err(why) => {
                let stages = compiled.shaders.iter().filter(is_tested);
                return stages.map(|shader| (shader.stage.clone(), ("unplayed", why.clone()))).collect();
            }
        };
        let mut rows = Vec::new();
        for shader in compiled.shaders.iter().filter(is_tested) {
            let mut outcome = self.translated(shader, &played);
            if played.lost {
                outcome = ("died", format!("the device was lost {}", played.log));
            } else if outcome.0 == "translated" && program.is_compute() {
                outcome = ran(&program.header, &played, &recorded, wanted);
            }
            rows.push((shader.stage.clone(), outcome));
        }
        rows
    }

    /// Whether a shader was sent, can be compiled, and is valid.
    fn translated(&self, shader: &Shader, played: &play::Played) -> Outcome {
        let words = shader.words();
        let sent = played.shaders.iter().filter_map(|bytes| Some((bytes, Source::from_bytes(bytes).ok()?)));
        let mut own = sent.filter(|(_, source)| words.starts_with(&source.code)).peekable();
        if own.peek().is_none() {
            // Pixel shaders that write nothing, and copy shaders of geometry that emits nothing, are not needed.
            let end = if played.log.is_empty() { "unsent" } else { "refused" };
            return (end, played.log.clone());
        }
        let options = &self.gpu.options;
        // As the renderer compiles them where there is descriptor indexing.
        let features = Features { tables: true, ..options.features };
        let profile = Profile {
            bindless: true,
            preserve: options.preserve,
            wave: self.gpu.subgroup,
            features,
            ..Profile::default()
        };
        for (bytes, _) in own {
            let artifact = afterimage_shader::compile(Language::Gcn, bytes, &profile, &RuntimeInfo::default());
            match artifact.map(|artifact| judges::validate(&artifact.words)) {
                Err(why) => return ("refused", why.to_string()),
                Ok(Err(why)) => return ("invalid", why),
                Ok(Ok(())) => {}
            }
        }
        ("translated", played.log.clone())
    }
}

/// Whether a compute shader left the right memory.
fn ran(
    header: &Header,
    played: &play::Played,
    recorded: &recorded::Recorded,
    wanted: Result<&Vec<Vec<u32>>, &String>,
) -> Outcome {
    let left = recorded.left(header, &played.dumps);
    if let Err(why) = header.meets(&left) {
        return ("differs", format!("{why}, as its test expects {}", played.log));
    }
    let wanted = match wanted {
        Ok(wanted) => wanted,
        Err(_) if !header.expected.is_empty() => return ("equal", "it is as its test expects".to_owned()),
        Err(why) => return ("uncompared", why.clone()),
    };
    let writes = |kind: Kind| matches!(kind, Kind::Buffer | Kind::TexelImage(_) | Kind::Image(_));
    match compare::compare(header, &left, wanted) {
        Ok(()) if header.resources.iter().any(|resource| writes(resource.kind)) => ("equal", played.log.clone()),
        Ok(()) => ("equal", "it writes nothing".to_owned()),
        Err(why) => ("differs", format!("{why} {}", played.log)),
    }
}
