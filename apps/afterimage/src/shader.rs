//! `afterimage shader`: translates, disassembles and assembles single shaders.

use afterimage_shader::{
    CompileError, FloatRules, FogMode, Language, PixelOps, Profile, Reflection, RuntimeInfo, Shader, Stage,
};
use afterimage_shader_d3d9::tables::Usage;
use afterimage_shader_d3d9::{AsmError, ParseError, Program, assemble, tokens_from_bytes};
use clap::{Parser, Subcommand, ValueEnum};
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Translate, disassemble and assemble shaders.
#[derive(Debug, Parser)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Translate a shader to SPIR-V, or to a step on the way there.
    ///
    /// Examples:
    ///   afterimage shader translate scene.vs.asm -o scene.spv --validate
    ///   afterimage shader translate scene.ps.cso --to spirv-asm
    ///   afterimage shader translate scene.ps.asm --to ir --emit-after lift
    #[command(verbatim_doc_comment)]
    Translate(Translate),
    /// Turn Direct3D 9 shader tokens into assembler text.
    Disasm(Convert),
    /// Turn assembler text into Direct3D 9 shader tokens.
    Asm(Convert),
}

#[derive(Debug, Parser)]
struct Convert {
    /// File to read; - is standard input.
    input: PathBuf,
    /// File to write; - is standard output.
    #[arg(short, long, default_value = "-")]
    output: PathBuf,
}

#[derive(Debug, Parser)]
struct Translate {
    /// File to read; - is standard input.
    input: PathBuf,
    /// File to write; - is standard output.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// What the input is. Without this it goes by extension (.asm .txt: assembler text; .o .bin .cso: tokens; .air: IR
    /// text), else by content.
    #[arg(long, value_enum)]
    from: Option<From>,
    /// What to write. Without this it goes by the output's extension (.spv .spvasm .air .asm .txt); else SPIR-V.
    #[arg(long, value_enum)]
    to: Option<To>,
    /// Write the IR as it is after this pass (the last run of it); `lift` is the IR before any pass.
    #[arg(long, value_name = "PASS")]
    emit_after: Option<String>,
    /// Check the SPIR-V with spirv-val.
    #[arg(long)]
    validate: bool,
    /// Print what the shader uses: inputs, outputs, constants, textures. On its own it prints nothing else.
    #[arg(long)]
    reflect: bool,
    /// Textures through runtime arrays and indices in the push constants, instead of by slot.
    #[arg(long)]
    bindless: bool,
    /// Follow the guest's float rules only as far as plain instructions do it.
    #[arg(long)]
    relaxed: bool,
    /// Append an alpha test to a pixel shader.
    #[arg(long, value_enum, default_value = "always")]
    alpha_test: Compare,
    /// Append fog to a pixel shader before model 3.
    #[arg(long, value_enum, default_value = "none")]
    fog: Fog,
    /// Do not interpolate colours.
    #[arg(long)]
    flat: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum From {
    /// Direct3D 9 shader tokens.
    D3d9,
    /// Direct3D 9 assembler text.
    Asm,
    /// IR text.
    Ir,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum To {
    /// SPIR-V.
    Spirv,
    /// SPIR-V as text (needs spirv-dis).
    SpirvAsm,
    /// The IR after all passes.
    Ir,
    /// Direct3D 9 assembler text.
    Disasm,
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

/// Why the command failed; the text names the file.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {why}")]
pub(crate) struct ShaderError {
    file: String,
    why: Why,
}

#[derive(Debug, thiserror::Error)]
enum Why {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Tokens(#[from] ParseError),
    #[error("{0}")]
    Asm(#[from] AsmError),
    #[error("{0}")]
    Compile(#[from] CompileError),
    #[error("this is SPIR-V, which can only be an output")]
    SpirvInput,
    #[error("it is neither shader tokens nor text; say what it is with --from")]
    Unknown,
    #[error("assembler text must be UTF-8")]
    NotText,
    #[error("only Direct3D 9 shaders can be disassembled")]
    NoDisassembly,
    #[error("there is no pass `{name}`; they are: lift, {known}")]
    Pass { name: String, known: String },
    #[error("SPIR-V and tokens are binary and this is a terminal: give -o FILE, or pick a text with --to")]
    Terminal,
    #[error("{tool} is not installed: apt-get install spirv-tools")]
    NoTool { tool: &'static str },
    #[error("{tool} says:\n{message}")]
    Tool { tool: &'static str, message: String },
}

/// Runs `afterimage shader ...`.
///
/// # Errors
/// What went wrong, with the name of the file.
pub(crate) fn run(args: &Args) -> Result<(), ShaderError> {
    let (input, result) = match &args.action {
        Action::Translate(args) => (&args.input, translate(args)),
        Action::Disasm(args) => (&args.input, disasm(args)),
        Action::Asm(args) => (&args.input, asm(args)),
    };
    result.map_err(|why| ShaderError { file: display(input), why })
}

fn display(path: &Path) -> String {
    if is_stdio(path) { "standard input".to_owned() } else { path.display().to_string() }
}

fn is_stdio(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn read(path: &Path) -> Result<Vec<u8>, Why> {
    if is_stdio(path) {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    Ok(std::fs::read(path)?)
}

enum Content<'a> {
    Text(&'a str),
    Binary(&'a [u8]),
}

fn write(path: &Path, content: &Content<'_>) -> Result<(), Why> {
    let bytes = match content {
        Content::Text(text) => text.as_bytes(),
        Content::Binary(bytes) => bytes,
    };
    if !is_stdio(path) {
        return Ok(std::fs::write(path, bytes)?);
    }
    let mut out = io::stdout().lock();
    if matches!(content, Content::Binary(_)) && out.is_terminal() {
        return Err(Why::Terminal);
    }
    match out.write_all(bytes).and_then(|()| out.flush()) {
        // A reader such as `head` has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

fn text(bytes: &[u8]) -> Result<&str, Why> {
    std::str::from_utf8(bytes).map_err(|_| Why::NotText)
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

/// What an input is: by its extension, else by what is in it.
fn detect(path: &Path, bytes: &[u8]) -> Result<From, Why> {
    match extension(path) {
        "asm" | "txt" => return Ok(From::Asm),
        "o" | "bin" | "cso" => return Ok(From::D3d9),
        "air" => return Ok(From::Ir),
        _ => {}
    }
    match bytes.first_chunk().map(|word| u32::from_le_bytes(*word)) {
        Some(0x0723_0203) => return Err(Why::SpirvInput),
        Some(0xFFFE_0000..=0xFFFF_FFFF) => return Ok(From::D3d9),
        _ => {}
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Why::Unknown)?;
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with([';', '/']));
    match first {
        Some(line) if line.starts_with("vs_") || line.starts_with("ps_") => Ok(From::Asm),
        Some(_) => Ok(From::Ir),
        None => Err(Why::Unknown),
    }
}

fn tokens(bytes: &[u8], from: From) -> Result<Vec<u32>, Why> {
    match from {
        From::D3d9 => Ok(tokens_from_bytes(bytes)?),
        From::Asm => Ok(assemble(text(bytes)?)?),
        From::Ir => Err(Why::NoDisassembly),
    }
}

fn disasm(args: &Convert) -> Result<(), Why> {
    let bytes = read(&args.input)?;
    let from = detect(&args.input, &bytes)?;
    let program = Program::parse(&tokens(&bytes, from)?)?;
    write(&args.output, &Content::Text(&program.to_string()))
}

fn asm(args: &Convert) -> Result<(), Why> {
    let bytes = read(&args.input)?;
    let tokens = assemble(text(&bytes)?)?;
    write(&args.output, &Content::Binary(&little_endian(&tokens)))
}

fn little_endian(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn translate(args: &Translate) -> Result<(), Why> {
    let bytes = read(&args.input)?;
    let from = match args.from {
        Some(from) => from,
        None => detect(&args.input, &bytes)?,
    };
    let stdout = PathBuf::from("-");
    let output = args.output.as_deref().unwrap_or(&stdout);
    let to = args.to.unwrap_or(match extension(output) {
        "spvasm" => To::SpirvAsm,
        "air" => To::Ir,
        "asm" | "txt" => To::Disasm,
        _ => To::Spirv,
    });
    if to == To::Disasm && args.emit_after.is_none() {
        return write(output, &Content::Text(&Program::parse(&tokens(&bytes, from)?)?.to_string()));
    }
    let (language, code) = match from {
        From::Ir => (Language::Ir, bytes),
        _ => (Language::D3d9, little_endian(&tokens(&bytes, from)?)),
    };
    let shader = Shader::new(language, &code)?;
    let profile = Profile {
        bindless: args.bindless,
        float_rules: if args.relaxed { FloatRules::Relaxed } else { FloatRules::Strict },
        debug_names: true,
    };
    let runtime = runtime(args, &shader);
    if let Some(pass) = &args.emit_after {
        return write(output, &Content::Text(&after(&shader, &profile, &runtime, pass)?));
    }
    if to == To::Ir {
        return write(output, &Content::Text(&passes(&shader, &profile, &runtime)?.pop().unwrap_or_default().1));
    }
    let artifact = shader.compile(&profile, &runtime)?;
    let words = little_endian(&artifact.words);
    if args.validate {
        tool("spirv-val", &["--target-env", "vulkan1.3"], &words)?;
    }
    if args.reflect {
        let reflection = reflection(&artifact.reflection);
        if args.output.is_none() && args.to.is_none() {
            return write(&stdout, &Content::Text(&reflection));
        }
        io::stderr().write_all(reflection.as_bytes())?;
    }
    match to {
        To::SpirvAsm => {
            let listing = tool("spirv-dis", &["--no-color"], &words)?;
            write(output, &Content::Text(&String::from_utf8_lossy(&listing)))
        }
        _ => write(output, &Content::Binary(&words)),
    }
}

fn runtime(args: &Translate, shader: &Shader) -> RuntimeInfo {
    let fog = match args.fog {
        Fog::None => FogMode::None,
        Fog::Exp => FogMode::Exp,
        Fog::Exp2 => FogMode::Exp2,
        Fog::Linear => FogMode::Linear,
        Fog::Vertex => FogMode::Vertex,
    };
    let pixel_ops =
        PixelOps { alpha_compare: args.alpha_test as u8, fog: fog as u8, flat: args.flat.into(), point_sprite: 0 };
    RuntimeInfo { link: shader.own_link(), pixel_ops, ..RuntimeInfo::default() }
}

/// The IR after each pass, `lift` being the first.
fn passes(shader: &Shader, profile: &Profile, runtime: &RuntimeInfo) -> Result<Vec<(&'static str, String)>, Why> {
    let mut module = shader.lift(runtime)?;
    let mut steps = vec![("lift", module.to_string())];
    let options = afterimage_passes::Options { float_rules: profile.float_rules };
    afterimage_passes::optimize_observed(&mut module, &options, &mut |name, module| {
        steps.push((name, module.to_string()));
    });
    Ok(steps)
}

fn after(shader: &Shader, profile: &Profile, runtime: &RuntimeInfo, pass: &str) -> Result<String, Why> {
    let mut steps = passes(shader, profile, runtime)?;
    match steps.iter().rposition(|(name, _)| *name == pass) {
        Some(at) => Ok(steps.swap_remove(at).1),
        None => {
            let mut known: Vec<_> = steps.iter().skip(1).map(|(name, _)| *name).collect();
            known.sort_unstable();
            known.dedup();
            Err(Why::Pass { name: pass.to_owned(), known: known.join(", ") })
        }
    }
}

/// Feeds a SPIR-V tool through its standard input and gives what it prints.
fn tool(tool: &'static str, args: &[&str], input: &[u8]) -> Result<Vec<u8>, Why> {
    let child = Command::new(tool)
        .args(args)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Why::NoTool { tool }),
        child => child?,
    };
    // The tools read all of their input before they print, so this does not block.
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input)?;
    }
    let output = child.wait_with_output()?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let message = [output.stdout, output.stderr].concat();
    Err(Why::Tool { tool, message: String::from_utf8_lossy(&message).trim_end().to_owned() })
}

fn reflection(r: &Reflection) -> String {
    let mut text = format!("stage     {}\n", r.stage.name());
    let semantic = |semantic: Option<afterimage_ir::Semantic>| {
        semantic.map_or(String::new(), |s| {
            let usage = Usage::from_number(s.usage).map_or("?", Usage::text);
            format!("  {usage}{}", s.index)
        })
    };
    // Writing to a string cannot fail.
    for input in &r.inputs {
        let _ = writeln!(text, "input     {} {}{}", input.at, input.ty, semantic(input.semantic));
    }
    for output in &r.outputs {
        let _ = writeln!(text, "output    {} {}{}", output.at, output.ty, semantic(output.semantic));
    }
    let mut at = 0;
    for s in &r.segments {
        let last = s.first + s.count - 1;
        let _ = writeln!(text, "constants bank {} registers {}..={last} at byte {at}", s.bank, s.first);
        at += s.count * 16;
    }
    for def in &r.const_defs {
        let _ = writeln!(text, "defined   bank {} register {} = {:x?}", def.bank, def.index, def.bits);
    }
    for texture in &r.textures {
        let shadow = if texture.shadow { " shadow" } else { "" };
        let _ = writeln!(text, "texture   slot {} {}{shadow}", texture.slot, texture.dim.name());
    }
    if r.system {
        text.push_str("system    block is read\n");
    }
    if r.demotes && r.stage == Stage::Pixel {
        text.push_str("discards  pixels\n");
    }
    text
}
