//! `afterimage shader translate`: its options, and what happens to one input.

use super::error::{Code, Why};
use super::gcn;
use super::io::{self, Content};
use super::kind::{From, To};
use super::reflect::{self, Origin, ReflectAs};
use super::{convert, tool};
use afterimage_ir::{Builder, Module, VerifyError, verify};
use afterimage_msl::Binding;
use afterimage_passes::optimize_observed;
use afterimage_shader::{
    CompileError, FloatRules, FogMode, Language, PixelOps, Reflection, RuntimeInfo, Shader, Stage,
};
use afterimage_shader_d3d9::Program;
use afterimage_shader_spirv as spirv;
use clap::{Parser, ValueEnum};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Translate shaders to SPIR-V or Metal's language, or to a step on the way there.
///
/// Of folders, every shader inside is taken. Many inputs are translated by all cores at once;
/// one that fails does not stop the others. With many inputs, or with --validate or --reflect,
/// nothing is written unless -o or --to is given.
///
/// Examples:
///   afterimage shader translate scene.vs.asm -o scene.spv --validate
///   afterimage shader translate scene.ps.cso --to spirv-asm
///   afterimage shader translate scene.ps.asm -o scene.metal --reflect
///   afterimage shader translate scene.ps.asm --emit-after lift
///   afterimage shader translate xbox.vsh --to ir
///   afterimage shader translate code.bin --stage compute --to ir
///   afterimage shader translate scene.sb -o scene.spv
///   afterimage shader translate shaders/ -o translated/ --to spirv
///   afterimage shader translate shaders/ --validate --reflect=json
#[derive(Debug, Parser)]
#[command(verbatim_doc_comment, after_long_help = Code::HELP)]
pub(super) struct Args {
    /// Files and folders to read; - is standard input.
    #[arg(required = true)]
    pub(super) inputs: Vec<PathBuf>,
    /// File to write, - being standard output, in a folder that is there; with many inputs, the folder of the outputs, which is made.
    #[arg(short, long)]
    pub(super) output: Option<PathBuf>,
    /// What the inputs are. Without this it goes by extension, else by content.
    #[arg(long, value_enum)]
    pub(super) from: Option<From>,
    /// What to write. Without this it goes by the output's extension, which has to be one of those below; SPIR-V where there is none.
    #[arg(long, value_enum)]
    pub(super) to: Option<To>,
    /// Write the IR as it is after this pass (the last run of it); `lift` is the IR before any pass.
    #[arg(long, value_name = "PASS", conflicts_with = "to")]
    pub(super) emit_after: Option<String>,
    /// Check the rules of the IR after each pass.
    #[arg(long)]
    verify_each: bool,
    /// Check the SPIR-V with spirv-val.
    #[arg(long)]
    pub(super) validate: bool,
    /// Print what the shader uses: inputs, outputs, constants, textures, and Metal's attributes. JSON has a line per input.
    #[arg(long, value_enum, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub(super) reflect: Option<ReflectAs>,
    /// SPIR-V inputs: the entry point to take. Without this, the only one (of the stage).
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// The stage that the shader must be for; of raw GCN code, what it is for.
    #[arg(long, value_enum)]
    stage: Option<StageName>,
    /// Textures through runtime arrays and indices in the push constants, instead of by slot.
    #[arg(long)]
    bindless: bool,
    /// Follow the guest's float rules only as far as plain instructions do it.
    #[arg(long)]
    relaxed: bool,
    /// Leave alpha test and fog of a pixel shader to specialisation constants.
    #[arg(long, conflicts_with_all = ["alpha_test", "fog"])]
    generic: bool,
    /// Append an alpha test to a pixel shader.
    #[arg(long, value_enum, default_value = "always")]
    alpha_test: Compare,
    /// Append fog to a pixel shader before model 3.
    #[arg(long, value_enum, default_value = "none")]
    fog: Fog,
    /// Do not interpolate colours.
    #[arg(long)]
    flat: bool,
    /// Threads for many inputs; 0 takes one a core.
    #[arg(short, long, default_value_t = 0)]
    pub(super) jobs: usize,
    /// Say nothing but what went wrong: no progress, no summary.
    #[arg(short, long)]
    pub(super) quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StageName {
    Vertex,
    #[value(alias = "fragment")]
    Pixel,
    Compute,
    /// SPIR-V and IR alone.
    Geometry,
}

impl StageName {
    fn stage(self) -> Stage {
        match self {
            Self::Vertex => Stage::Vertex,
            Self::Pixel => Stage::Pixel,
            Self::Compute => Stage::Compute,
            Self::Geometry => Stage::Geometry,
        }
    }
}

/// In the order of the stream's `Compare`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Compare {
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Fog {
    None,
    Exp,
    Exp2,
    Linear,
    Vertex,
}

impl Fog {
    fn mode(self) -> FogMode {
        match self {
            Self::None => FogMode::None,
            Self::Exp => FogMode::Exp,
            Self::Exp2 => FogMode::Exp2,
            Self::Linear => FogMode::Linear,
            Self::Vertex => FogMode::Vertex,
        }
    }
}

/// What became of an input.
#[derive(Debug)]
pub(super) struct Translated {
    pub(super) content: Content,
    /// What the shader uses, if that was asked for.
    pub(super) reflection: Option<String>,
    /// Time from bytes to bytes.
    pub(super) time: Duration,
}

impl Args {
    /// What can be said against the options before anything is read.
    pub(super) fn check(&self) -> Result<(), Why> {
        if let Some(name) = &self.emit_after {
            let known = passes();
            if !known.contains(&name.as_str()) {
                return Err(Why::Pass { name: name.clone(), known: known.join(", ") });
            }
        }
        Ok(())
    }

    fn options(&self) -> afterimage_passes::Options {
        let float_rules = if self.relaxed { FloatRules::Relaxed } else { FloatRules::Strict };
        afterimage_passes::Options { float_rules }
    }

    fn runtime(&self, shader: &Shader) -> RuntimeInfo {
        let pixel_ops = PixelOps {
            alpha_compare: self.alpha_test as u8,
            fog: self.fog.mode() as u8,
            flat: self.flat.into(),
            generic: self.generic.into(),
            ..PixelOps::default()
        };
        RuntimeInfo { link: shader.own_link(), pixel_ops, ..RuntimeInfo::default() }
    }
}

/// The names that `--emit-after` knows.
fn passes() -> Vec<&'static str> {
    let mut names = vec!["lift"];
    let options = afterimage_passes::Options { float_rules: FloatRules::Strict };
    let Ok(mut empty) = Builder::new(Stage::Vertex).finish() else { return names };
    optimize_observed(&mut empty, &options, &mut |name, _| {
        if !names.contains(&name) {
            names.push(name);
        }
    });
    names
}

/// Translates one input.
pub(super) fn translate(args: &Args, to: To, input: &Path) -> Result<Translated, Why> {
    let bytes = io::read(input)?;
    let start = Instant::now();
    let from = match args.from.or_else(|| From::of_path(input)) {
        Some(from) => from,
        None => From::of_content(&bytes)?,
    };
    let mut reflection = None;
    let content = if to == To::Disasm && args.emit_after.is_none() {
        Content::Text(convert::text(from, &bytes)?)
    } else {
        let (module, origin) = lift(args, from, &bytes)?;
        if let Some(wanted) = args.stage.map(StageName::stage).filter(|wanted| *wanted != module.stage) {
            return Err(Why::OtherStage { has: module.stage, wanted });
        }
        write(args, to, module, |r, metal| {
            let uses = reflect::Uses { module: r, origin: &origin, metal };
            reflection = args.reflect.map(|form| reflect::print(form, input, &uses));
        })?
    };
    Ok(Translated { content, reflection, time: start.elapsed() })
}

/// The input as a module, before any pass, and what its own language says of its names and places.
fn lift(args: &Args, from: From, bytes: &[u8]) -> Result<(Module, Origin), Why> {
    if from == From::Spirv {
        let program = spirv::Program::from_bytes(bytes).map_err(CompileError::from)?;
        let options = spirv::Options { entry: args.entry.as_deref(), stage: args.stage.map(StageName::stage) };
        let lifted = spirv::lift(&program, &options).map_err(CompileError::from)?;
        return Ok((lifted.module, Origin { bindings: lifted.bindings, ..Origin::default() }));
    }
    if args.entry.is_some() {
        return Err(Why::NoEntry);
    }
    let mut origin = Origin::default();
    let shader = if from == From::Ir {
        Shader::new(Language::Ir, bytes)?
    } else if from == From::Gcn {
        Shader::new(Language::Gcn, &gcn::source(bytes, args.stage.map(StageName::stage))?.to_bytes())?
    } else if from == From::Nv2a {
        Shader::new(Language::Nv2aProgram, &convert::microcode(bytes)?.to_bytes())?
    } else {
        let tokens = convert::tokens(from, bytes)?;
        if args.reflect.is_some() {
            origin.constants = Program::parse(&tokens)?.constant_table().map_or(Vec::new(), |table| table.constants);
        }
        Shader::new(Language::D3d9, Content::words(&tokens).bytes())?
    };
    Ok((shader.lift(&args.runtime(&shader))?, origin))
}

/// The module through the passes and a back end.
fn write(
    args: &Args,
    to: To,
    mut module: Module,
    reflect: impl FnOnce(&Reflection, &[Binding]),
) -> Result<Content, Why> {
    // Text was checked when it was read; what fails here comes from a front end of ours.
    verify(&module).map_err(|error| Why::Broken { pass: "lift", error })?;
    let wanted = args.emit_after.as_deref();
    let mut emitted = wanted.filter(|pass| *pass == "lift").map(|_| module.to_string());
    let mut broken: Option<(&'static str, VerifyError)> = None;
    optimize_observed(&mut module, &args.options(), &mut |pass, module| {
        if args.verify_each && broken.is_none() {
            broken = verify(module).err().map(|error| (pass, error));
        }
        if wanted == Some(pass) {
            emitted = Some(module.to_string());
        }
    });
    if let Some((pass, error)) = broken {
        return Err(Why::Broken { pass, error });
    }
    if let Some(text) = emitted {
        return Ok(Content::Text(text));
    }
    if to == To::Ir && args.reflect.is_none() {
        return Ok(Content::Text(module.to_string()));
    }
    if to == To::Msl {
        let artifact =
            afterimage_msl::emit(&module, &afterimage_msl::Options::default()).map_err(CompileError::from)?;
        reflect(&artifact.reflection, &artifact.bindings);
        return Ok(Content::Text(artifact.source));
    }
    let options = afterimage_spirv::Options {
        bindless: args.bindless,
        preserve: false,
        debug_names: true,
        features: afterimage_spirv::Features::ALL,
    };
    let artifact = afterimage_spirv::emit(&module, &options).map_err(CompileError::from)?;
    reflect(&artifact.reflection, &[]);
    let binary = Content::words(&artifact.words);
    if args.validate {
        tool::validate(binary.bytes())?;
    }
    match to {
        To::Ir => Ok(Content::Text(module.to_string())),
        To::SpirvAsm => Ok(Content::Text(spirv::disassemble(&artifact.words).map_err(CompileError::from)?)),
        _ => Ok(binary),
    }
}
