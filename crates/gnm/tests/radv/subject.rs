//! A program of the corpus: what it does by its own SPIR-V, and how far what a compiler made of it comes.

use crate::compare::compare;
use crate::device::Gpu;
use crate::dispatch;
use crate::judges;
use crate::play::{Played, play};
use crate::recorded::{Recorded, records};
use crate::rig::interpret::interpret;
use crate::rig::translate::{Translated, sent};
use afterimage_gcn_corpus::{Compare, Compiled, Header, Program, Shader, Stage, World};
use afterimage_ir::MAX_WAVE;
use afterimage_shader_gcn::io::Source;
use afterimage_spirv::{Options, emit};

/// What the contents of memory come from.
const SEED: u32 = 1;

/// How far a shader comes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Step {
    /// It is not sent, or has no translation.
    Translate,
    /// A judge does not take it.
    Validate,
    /// The interpreter gives other memory than the original on the device, or does not end.
    Interpret,
    /// The recording does.
    Run,
}

impl Step {
    pub(crate) fn name(self) -> &'static str {
        ["translate", "validate", "interpret", "run"][self as usize]
    }
}

/// A step at which something fails, and why.
type Failure = (Step, String);

/// A program with what it does to memory by its own SPIR-V.
pub(crate) struct Subject<'a> {
    program: &'a Program,
    /// Contents of all resources afterwards; nothing if that is not looked at, or depends on the size of waves.
    wanted: Option<Vec<Vec<u32>>>,
}

impl<'a> Subject<'a> {
    /// Runs a compute shader as glslang wrote it.
    pub(crate) fn new(gpu: &Gpu, program: &'a Program) -> Subject<'a> {
        let header = &program.header;
        let is_run = program.is_compute() && header.compare != Compare::Translated;
        let wanted = is_run.then(|| {
            let words = program.spirv(Stage::Comp).unwrap_or_else(|e| panic!("{e}"));
            let world = World::new(&program.name, header, SEED);
            let left = dispatch::original(gpu, header, &world, &words);
            left.unwrap_or_else(|e| panic!("{} does not run on {}: {e}", program.name, gpu.name))
        });
        Subject { program, wanted }
    }

    /// Whether what SPIRV-Cross says against a translation is what Metal lacks. The renderer refuses such shaders there, by name.
    fn lacked_by_metal(&self, why: &str) -> bool {
        let name = self.program.name.as_str();
        match () {
            () if why.contains("64-bit atomics") => name == "int64_atomics",
            // Streams are written by lanes that tell each other where.
            () if why.contains("Subgroup builtins are not available in this type of function") => {
                name.contains("stream")
            }
            () => false,
        }
    }

    /// Plays what a compiler made of it; the hardware stages that fail. What varies from one recording to the next goes by `number`.
    pub(crate) fn check(&self, gpu: &Gpu, compiled: &Compiled, number: u64) -> Vec<(String, Failure)> {
        let played = records(self.program, compiled, number, SEED)
            .and_then(|recorded| Ok((play(recorded.file()?)?, recorded)))
            .unwrap_or_else(|why| panic!("{}: {why}", self.program.name));
        let each = |shader: &Shader| {
            let failure = self.shader(gpu, shader, &played.0, &played.1).err()?;
            Some((shader.stage.clone(), failure))
        };
        compiled.shaders.iter().filter_map(each).collect()
    }

    fn shader(&self, gpu: &Gpu, shader: &Shader, played: &Played, recorded: &Recorded) -> Result<(), Failure> {
        let words = shader.words();
        let came = played.shaders.iter().filter_map(|bytes| Source::from_bytes(bytes).ok());
        let own: Vec<Source> = came.filter(|source| words.starts_with(&source.code)).collect();
        if own.is_empty() {
            return Err((Step::Translate, format!("it is not sent: {}", played.log)));
        }
        if !played.log.is_empty() {
            return Err((Step::Translate, played.log.clone()));
        }
        let world = World::new(&self.program.name, &self.program.header, SEED).with_code(shader);
        let user = world.user(shader).map_err(|name| (Step::Translate, format!("no user data `{name}`")))?;
        for source in own {
            let translated = sent(&source, &world, user).map_err(|why| (Step::Translate, why))?;
            let options = Options { bindless: false, ..gpu.options };
            let mut written = translated.module.clone();
            assert!(afterimage_passes::wave_order::run(&mut written, gpu.subgroup));
            assert!(afterimage_passes::guest_waves::run(&mut written, gpu.subgroup));
            let artifact = emit(&written, &options).map_err(|why| (Step::Translate, why.to_string()))?;
            judges::validate(&artifact.words).map_err(|why| (Step::Validate, why))?;
            judges::cross(&artifact.words)
                .or_else(|why| self.lacked_by_metal(&why).then_some(()).ok_or((Step::Validate, why)))?;
            if self.program.is_compute() {
                self.runs(gpu, &translated, &written, &world, &recorded.left(&self.program.header, &played.dumps))?;
            }
        }
        Ok(())
    }

    /// Holds what the recording left, and what the interpreter leaves, against the original.
    fn runs(
        &self,
        gpu: &Gpu,
        translated: &Translated,
        written: &afterimage_ir::Module,
        world: &World,
        left: &[Vec<u32>],
    ) -> Result<(), Failure> {
        let header: &Header = &self.program.header;
        let guest = || interpret(translated, &translated.module, MAX_WAVE, world, header.groups);
        let smaller = || interpret(translated, written, gpu.subgroup, world, header.groups);
        // What depends on the size of waves: the interpreter's are the guest's.
        let Some(wanted) = &self.wanted else {
            let wanted = guest().map_err(|why| (Step::Interpret, why))?;
            let same = smaller().and_then(|memory| compare(header, &memory, &wanted));
            same.map_err(|why| (Step::Interpret, format!("in waves of {}: {why}", gpu.subgroup)))?;
            return compare(header, left, &wanted).map_err(|why| (Step::Run, why));
        };
        let driver_is_right = self.program.name != "double_rounding" || gpu.rounds_doubles();
        if driver_is_right && !header.resources.iter().any(|resource| resource.image().is_some()) {
            // In the interpreter, waves do not wait for each other at barriers; where they are brought in step they do.
            let lanes: u32 = written.group.iter().product();
            let memory = if written.guest_waves && lanes > MAX_WAVE { smaller() } else { guest() };
            let same = memory.and_then(|memory| compare(header, &memory, wanted));
            same.map_err(|why| (Step::Interpret, why))?;
        }
        compare(header, left, wanted).map_err(|why| (Step::Run, why))
    }
}
