//! `afterimage shader feedback`: transform feedback out of a shader's own code.

use super::error::{Code, Why};
use super::io::{self, Content};
use super::kind::{From, of_extension};
use super::reflect::{ReflectAs, place, source};
use super::tool;
use afterimage_feedback::block::{BLOCKS, Block, DRAW, Field, GROUP};
use afterimage_feedback::layout::{plain, type_of};
use afterimage_feedback::{
    AttributeSource, BlockSource, BlockUse, FeedbackPlace, FeedbackUse, Form, Lowering, Uses, prepare, text,
};
use afterimage_ir::Module;
use afterimage_msl::{Artifact, Binding, Source};
use afterimage_passes::{FloatRules, Options, feedback, optimize};
use afterimage_shader::{CompileError, Segment};
use afterimage_shader_spirv as spirv;
use clap::{Parser, ValueEnum};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Turn a vertex shader in SPIR-V whose outputs are captured into a shader that stores them itself.
///
/// What comes out runs on Vulkan devices without VK_EXT_transform_feedback: a compute shader that
/// captures the same bytes in the same order. It reads the numbers of a draw (topology, counts,
/// addresses of buffers) from a block in device memory, whose address is in the push constants;
/// --layout lists every field. --prepare writes the shader that fills the block where only the
/// device knows the numbers: indirect draws, appends, restarts. docs/transform-feedback.md shows
/// what to record.
///
/// What is captured is what the module's XfbBuffer, XfbStride and Offset decorations say, or else
///   --capture WHAT[.COMPONENTS]=BUFFER[+OFFSET]
/// where WHAT is a location, position, point_size, clip or clip4. Vertex attributes are read by the
/// shader itself, from buffers whose addresses and strides are in the block, as
///   --attribute LOCATION=FORMAT[@SLOT][+OFFSET][/instance[ N]]
/// says, with Vulkan's names of formats. An input without one is read as the shader declares it
/// (32 bits a component), tightly packed, from the slot of its location's number.
///
/// Examples:
///   afterimage shader feedback scene.vert.spv -o captured.spv --prepare prepare.spv
///   afterimage shader feedback scene.vert.spv --layout
///   afterimage shader feedback plain.vert.spv -o out.spv --capture position=0 --capture 2.xyz=0+16
///   afterimage shader feedback scene.vert.spv -o out.spv --attribute 0=R16G16B16A16_SFLOAT@0 \
///       --attribute 1=R8G8B8A8_UNORM@0+8 --attribute '3=R32G32_SFLOAT@1/instance'
///   afterimage shader feedback scene.vert.spv --geometry fins.geom.spv -o captured.spv
///   afterimage shader feedback scene.vert.spv -o captured.metal --prepare prepare.metal --layout
///   afterimage shader feedback scene.vert.spv --to ir
#[derive(Debug, Parser)]
#[command(verbatim_doc_comment, after_long_help = Code::HELP)]
pub(super) struct Args {
    /// SPIR-V of the vertex shader; - is standard input.
    pub(super) input: PathBuf,
    /// File to write; - is standard output. Without this and --to, --layout and --prepare write only what they say.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// What to write. Without this it goes by the output's extension, which has to be one of those below; SPIR-V where there is none.
    #[arg(long, value_enum)]
    to: Option<Written>,
    /// A compute shader (gather), or a vertex shader (scatter), which needs vertexPipelineStoresAndAtomics.
    #[arg(long, value_enum, default_value = "gather")]
    form: FormName,
    /// SPIR-V of the geometry shader behind it, whose outputs are then captured.
    #[arg(long, value_name = "FILE")]
    geometry: Option<PathBuf>,
    /// The entry point to take. Without this, the only one of the stage.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Capture an output; once for each. The module's own captures are then left out.
    #[arg(long = "capture", value_name = "CAPTURE")]
    captures: Vec<FeedbackPlace>,
    /// Bytes between the vertices in a buffer of --capture, as in 0=32. Without this, as many as its captures need.
    #[arg(long = "stride", value_name = "BUFFER=BYTES", value_parser = text::stride, requires = "captures")]
    strides: Vec<(u8, u32)>,
    /// Where a vertex attribute is read; once for each.
    #[arg(long = "attribute", value_name = "ATTRIBUTE")]
    attributes: Vec<AttributeSource>,
    /// Byte of the push constants, a multiple of 8, where the address of the block shall be. Without this, behind the shader's own.
    #[arg(long, value_name = "BYTE")]
    feedback_push: Option<u32>,
    /// Also write the shader that fills the block on the device, as what the file's extension says; else SPIR-V.
    #[arg(long, value_name = "FILE")]
    prepare: Option<PathBuf>,
    /// Print what the shader has to be given: the block's fields, attributes, captures, descriptors.
    #[arg(long, value_enum, value_name = "FORM", num_args = 0..=1, default_missing_value = "text")]
    layout: Option<ReflectAs>,
    /// Check the SPIR-V with spirv-val.
    #[arg(long)]
    validate: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormName {
    /// A compute shader, an invocation for each captured vertex.
    Gather,
    /// A vertex shader, an invocation for each vertex.
    Scatter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Written {
    /// SPIR-V for Vulkan 1.3 (.spv).
    Spirv,
    /// SPIR-V as text (.spvasm).
    SpirvAsm,
    /// Metal Shading Language 2.4 (.metal).
    Msl,
    /// IR text (.air).
    Ir,
}

impl Written {
    pub(super) const EXTENSIONS: [(&str, Self); 4] =
        [("spv", Self::Spirv), ("spvasm", Self::SpirvAsm), ("metal", Self::Msl), ("air", Self::Ir)];

    /// By the file's extension; SPIR-V where it has none.
    fn of_path(path: &Path) -> Self {
        of_extension(&Self::EXTENSIONS, path).unwrap_or(Self::Spirv)
    }
}

pub(super) fn run(args: &Args) -> Result<(), Why> {
    let mut lowering = Lowering::new(&words(&args.input)?)?;
    if let Some(file) = &args.geometry {
        let named = |why: Why| Why::Usage(format!("--geometry {}: {why}", file.display()));
        lowering = lowering.geometry(&words(file).map_err(named)?).map_err(|e| named(e.into()))?;
    }
    if let Some(name) = &args.entry {
        lowering = lowering.entry(name);
    }
    if let Some(byte) = args.feedback_push {
        lowering = lowering.push(byte);
    }
    lowering = lowering.form(match args.form {
        FormName::Gather => Form::Gather,
        FormName::Scatter => Form::Scatter,
    });
    for attribute in &args.attributes {
        lowering = lowering.attribute(*attribute);
    }
    for capture in &args.captures {
        lowering = lowering.capture(*capture);
    }
    for (buffer, bytes) in &args.strides {
        lowering = lowering.stride(*buffer, *bytes);
    }
    let lowered = lowering.lower()?;
    if args.validate {
        tool::validate(Content::words(&lowered.words).bytes())?;
    }
    if let Some(file) = &args.prepare {
        io::write(file, &prepare_as(Written::of_path(file))?)?;
    }
    let quiet = args.layout.is_some() || args.prepare.is_some() || args.validate;
    let to = args.to.or_else(|| args.output.as_deref().map(Written::of_path));
    let metal = if to == Some(Written::Msl) { Some(lowered.metal()?) } else { None };
    let shader_in_stdout = if to.is_some() || !quiet {
        let output = args.output.as_deref().unwrap_or(Path::new("-"));
        let content = match &metal {
            Some(artifact) => Content::Text(artifact.source.clone()),
            None => content(&lowered.words, &lowered.module, to.unwrap_or(Written::Spirv))?,
        };
        io::write(output, &content)?;
        io::is_stdio(output)
    } else {
        false
    };
    let printed = args.layout.map(|form| match form {
        ReflectAs::Text => listing(&args.input, &lowered.uses, metal.as_ref()),
        ReflectAs::Json => format!("{}\n", json(&args.input, &lowered.uses, metal.as_ref())),
    });
    match printed {
        // Standard output is the shader's.
        Some(text) if shader_in_stdout => eprint!("{text}"),
        Some(text) => crate::say(&text),
        None => {}
    }
    Ok(())
}

/// A file's words; what is no SPIR-V is said so with a way out.
fn words(file: &Path) -> Result<Vec<u32>, Why> {
    let bytes = io::read(file)?;
    match From::of_content(&bytes) {
        Ok(From::Spirv) => Ok(spirv::words_from_bytes(&bytes).map_err(CompileError::from)?),
        _ => Err(Why::NotSpirv),
    }
}

fn content(words: &[u32], module: &Module, to: Written) -> Result<Content, Why> {
    Ok(match to {
        Written::Spirv => Content::words(words),
        Written::SpirvAsm => Content::Text(spirv::disassemble(words).map_err(CompileError::from)?),
        Written::Msl => {
            let artifact = afterimage_msl::emit(module, &afterimage_msl::Options::default());
            Content::Text(artifact.map_err(CompileError::from)?.source)
        }
        Written::Ir => Content::Text(module.to_string()),
    })
}

/// The shader that fills the block.
fn prepare_as(to: Written) -> Result<Content, Why> {
    let mut module = feedback::prepare();
    optimize(&mut module, &Options { float_rules: FloatRules::Strict });
    content(&prepare(), &module, to)
}

/// What the registers that Metal has behind each other are of: block, first register, how many, first byte in the buffer.
fn constants(uses: &Uses, metal: &Artifact) -> Vec<(String, u32, u32, u32)> {
    let mut at = 0;
    let segment = |s: &Segment| {
        let block = uses.blocks.iter().find(|b| b.bank == s.bank && !matches!(b.source, BlockSource::Storage(_)));
        let begin = at;
        at += 16 * s.count;
        (block.map_or_else(|| format!("bank {}", s.bank), source), s.first, s.count, begin)
    };
    metal.reflection.segments.iter().map(segment).collect()
}

/// What an argument of Metal's function stands for, where its name does not say it.
fn stands_for(uses: &Uses, binding: &Binding) -> Option<String> {
    match binding.source {
        Source::Feedback => Some(format!("a {} block, {} bytes", DRAW.name, DRAW.size)),
        Source::Storage(bank) => {
            let is = |b: &&BlockUse| b.bank == bank && matches!(b.source, BlockSource::Storage(_));
            uses.blocks.iter().find(is).map(source)
        }
        _ => None,
    }
}

fn form(form: Form) -> &'static str {
    match form {
        Form::Gather => "gather",
        Form::Scatter => "scatter",
    }
}

fn components(capture: &FeedbackUse) -> String {
    (capture.component..capture.component + capture.lanes).map(|n| char::from(b"xyzw"[usize::from(n & 3)])).collect()
}

fn listing(input: &Path, uses: &Uses, metal: Option<&Artifact>) -> String {
    let mut text =
        format!("shader    {}\nform      {}, a {} shader\n", io::name(input), form(uses.form), uses.stage.name());
    // Writing to a string cannot fail.
    if metal.is_none() {
        let (byte, size) = (uses.push, DRAW.size);
        let _ = writeln!(text, "push      byte {byte}, 8 bytes: device address of a Draw block ({size} bytes)");
    }
    for binding in metal.iter().flat_map(|artifact| &artifact.bindings) {
        let what = stands_for(uses, binding).map_or(String::new(), |what| format!(": {what}"));
        let _ = writeln!(text, "metal     {} [[{}]]{what}", binding.name, binding.attribute);
    }
    for (block, first, count, at) in metal.iter().flat_map(|artifact| constants(uses, artifact)) {
        let _ = writeln!(text, "constants registers {first}..={} of {block} at byte {at}", first + count - 1);
    }
    let run = match (uses.geometry, uses.form) {
        (true, _) => "one work group; Draw::request says where captures go".to_owned(),
        (_, Form::Gather) => format!("work groups of {GROUP}, as many as plan or prepare says"),
        (_, Form::Scatter) => "a draw of Draw::vertices points in each instance, without indices, from 0 on".to_owned(),
    };
    let _ = writeln!(text, "dispatch  {run}");
    for c in &uses.captures {
        let stream = if c.stream == 0 { String::new() } else { format!(" of stream {}", c.stream) };
        let _ =
            writeln!(text, "capture   {}.{} in buffer {}{stream} at byte {}", c.at, components(c), c.buffer, c.offset);
    }
    for (buffer, stride) in uses.strides.iter().enumerate().filter(|(_, stride)| **stride != 0) {
        let _ = writeln!(text, "buffer    {buffer}: {stride} bytes a vertex");
    }
    for a in &uses.attributes {
        let step = match a.divisor {
            None => "each vertex".to_owned(),
            Some(0) => "the same for all instances".to_owned(),
            Some(1) => "each instance".to_owned(),
            Some(n) => format!("every {n} instances"),
        };
        let _ = writeln!(
            text,
            "attribute location {}: {} in slot {} at byte {}, {step}",
            a.location, a.format, a.slot, a.offset
        );
    }
    for b in &uses.blocks {
        let _ = writeln!(text, "block     {}, {} bytes", source(b), b.size);
    }
    for t in &uses.textures {
        let _ = writeln!(text, "texture   {} with the sampler of {}", place(&t.image), place(&t.sampler));
    }
    for id in &uses.frozen {
        let _ = writeln!(text, "frozen    specialisation constant {id} keeps its default");
    }
    for block in BLOCKS {
        let _ = writeln!(text, "\n{}, {} bytes: {}", block.name, block.size, plain(block.about));
        for f in block.fields {
            let _ =
                writeln!(text, "  {:>4} {:>4}  {:<15} {:<18} {}", f.offset, f.size, f.name, type_of(f), plain(f.about));
        }
    }
    text
}

fn json(input: &Path, uses: &Uses, metal: Option<&Artifact>) -> Value {
    let fields = |block: &Block| -> Vec<Value> {
        let field = |f: &Field| json!({ "name": f.name, "type": type_of(f), "offset": f.offset, "size": f.size, "meaning": plain(f.about) });
        block.fields.iter().map(field).collect()
    };
    let block = |b: &Block| json!({ "name": b.name, "size": b.size, "meaning": plain(b.about), "fields": fields(b) });
    let capture = |c: &FeedbackUse| {
        json!({ "of": c.at.to_string(), "component": c.component, "components": c.lanes, "buffer": c.buffer,
                "stream": c.stream, "offset": c.offset })
    };
    let attribute = |a: &AttributeSource| {
        json!({ "location": a.location, "format": a.format.to_string(), "slot": a.slot, "offset": a.offset,
                "divisor": a.divisor })
    };
    let argument =
        |b: &Binding| json!({ "name": b.name, "attribute": b.attribute.to_string(), "of": stands_for(uses, b) });
    let metal = metal.map(|artifact| {
        let constants = constants(uses, artifact)
            .into_iter()
            .map(|(block, first, count, byte)| json!({ "of": block, "first": first, "count": count, "byte": byte }));
        json!({
            "arguments": artifact.bindings.iter().map(argument).collect::<Vec<_>>(),
            "constants": constants.collect::<Vec<_>>(),
            "threads": artifact.reflection.group,
        })
    });
    json!({
        "shader": io::name(input),
        "metal": metal,
        "form": form(uses.form),
        "stage": uses.stage.name(),
        "push": { "offset": uses.push, "size": 8, "block": DRAW.name },
        "group": GROUP,
        "captures": uses.captures.iter().map(capture).collect::<Vec<_>>(),
        "geometry": uses.geometry,
        "strides": uses.strides,
        "streams": uses.streams,
        "attributes": uses.attributes.iter().map(attribute).collect::<Vec<_>>(),
        "blocks": uses.blocks.iter().map(|b| json!({ "source": source(b), "bytes": b.size })).collect::<Vec<_>>(),
        "textures": uses.textures.iter().map(|t| json!({ "image": place(&t.image), "sampler": place(&t.sampler) })).collect::<Vec<_>>(),
        "frozen": uses.frozen,
        "system": BLOCKS.iter().map(block).collect::<Vec<_>>(),
    })
}
