//! GCN shaders as inputs: what Afterimage sends to its renderer, the console's shader files, raw code, or assembler text.

use super::error::Why;
use super::io;
use afterimage_shader::Stage;
use afterimage_shader_gcn::binary::Binary;
use afterimage_shader_gcn::fetch::FetchShader;
use afterimage_shader_gcn::file::ShaderFile;
use afterimage_shader_gcn::io::{BufferSpec, HwStage, ImageSpec, Registers, Source};
use afterimage_shader_gcn::slots::{self, Difference};
use afterimage_shader_gcn::{Program, assemble, code_length, resources};
use std::fmt::Write as _;

/// First bytes of a [`Source`].
const MAGIC: &[u8] = b"GCN1";

/// Code as it was found.
#[derive(Default)]
struct Found {
    /// From the entry to the last instruction that can be reached.
    code: Vec<u32>,
    /// What lies behind it, in words or as a header, says what it is for.
    stage: Option<HwStage>,
    binary: Option<Binary>,
    file: Option<ShaderFile>,
}

impl Found {
    /// Text has no zero bytes, and code of more than a few instructions has.
    fn read(bytes: &[u8]) -> Result<Self, Why> {
        if ShaderFile::is_file(bytes) {
            let file = ShaderFile::parse(bytes)?;
            let found = Self::in_words(&file.words)?;
            return Ok(Self { stage: Some(file.stage), file: Some(file), ..found });
        }
        if !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok() {
            return Ok(Self { code: assemble(io::text(bytes)?)?, ..Self::default() });
        }
        let (words, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() || words.is_empty() {
            return Err(Why::NoWords(bytes.len()));
        }
        Self::in_words(&words.iter().map(|word| u32::from_le_bytes(*word)).collect::<Vec<_>>())
    }

    /// Raw code, and its footer if it has one.
    fn in_words(words: &[u32]) -> Result<Self, Why> {
        let length = code_length(|at| words.get(at).copied())?;
        let binary = Binary::find(|at| words.get(at).copied()).ok();
        let stage = binary.as_ref().and_then(Binary::stage).and_then(|stage| stage.hw_stage());
        Ok(Self { code: words[..length].to_vec(), stage, binary, file: None })
    }
}

/// Whether bytes are raw code: words that can be followed from the first to the end of the program on every way.
pub(super) fn is_code(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<4>();
    rest.is_empty() && code_length(|at| words.get(at).map(|word| u32::from_le_bytes(*word))).is_ok()
}

/// Whether bytes are a shader that says by its first bytes that it is one.
pub(super) fn is_shader(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || ShaderFile::is_file(bytes)
}

/// The shader as assembler text, with what its file says of it in front.
pub(super) fn text(bytes: &[u8]) -> Result<String, Why> {
    if bytes.starts_with(MAGIC) {
        let source = Source::from_bytes(bytes)?;
        let mut text = Program::parse(&source.code, source.stage)?.to_string();
        if !source.fetch.is_empty() {
            let fetch = Program::parse(&source.fetch, source.stage)?;
            text.push_str(&format!("; fetch shader\n{fetch}"));
        }
        return Ok(text);
    }
    let found = Found::read(bytes)?;
    let mut text = String::new();
    // Writing to a string cannot fail.
    if let Some(file) = &found.file {
        let [major, minor] = file.version;
        let _ = writeln!(text, "; shader file {major}.{minor}, stage {}", file.stage);
        for input in &file.inputs {
            let last = u16::from(input.register) + u16::from(input.components) - 1;
            let _ = writeln!(text, "; input {} in v[{}:{last}]", input.semantic, input.register);
        }
    }
    if let Some(binary) = &found.binary {
        let stage = binary.stage().map_or("unknown", |stage| stage.name());
        let _ = writeln!(text, "; footer: {stage}, hash {:016x}", binary.hash);
        for slot in &binary.slots {
            let _ = writeln!(text, "; {slot}");
        }
    }
    if let Some(fetch) = found.file.as_ref().and_then(ShaderFile::fetch) {
        // It is one of ours.
        for attribute in FetchShader::parse(&fetch).unwrap_or_default().attributes {
            let _ = writeln!(text, "; attribute {attribute}");
        }
    }
    for difference in differences(&found) {
        let _ = writeln!(text, "; warning: {difference}");
    }
    let program = Program::parse(&found.code, found.stage.unwrap_or(HwStage::Cs))?;
    Ok(text + &program.to_string())
}

/// Where the footer's slots and the code say different things, as far as what the code reads is known.
fn differences(found: &Found) -> Vec<Difference> {
    let (Some(binary), Some(stage)) = (&found.binary, found.stage) else { return Vec::new() };
    let registers = found.file.as_ref().and_then(ShaderFile::registers).unwrap_or_else(|| usual(stage));
    let (code, fetch, buffers, images, tables) = (found.code.clone(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let source = Source { stage, code, fetch, registers, buffers, images, tables };
    resources(&source).map(|used| slots::differences(binary, &used)).unwrap_or_default()
}

/// The registers of raw code that make most of it: 16 user SGPRs, every system value that the stage can have, one target of floats.
fn usual(stage: HwStage) -> Registers {
    // USER_SGPR is bits 1 to 5.
    let mut registers = Registers { rsrc1: 0x000C_0000, rsrc2: 16 << 1, ..Registers::default() };
    match stage {
        HwStage::Cs => {
            // Group ids in x, y, z; local ids in as many.
            registers.rsrc2 |= 7 << 7 | 2 << 11;
            registers.num_thread = [64, 1, 1];
        }
        HwStage::Ps => {
            // Perspective centre.
            (registers.ps_input_ena, registers.ps_input_addr) = (2, 2);
            (registers.ps_in_control, registers.col_format) = (32, 9);
            registers.ps_input_cntl = std::array::from_fn(|n| n as u32);
        }
        _ => {
            // All of v0 to v3; a position.
            registers.rsrc1 |= 3 << 24;
            (registers.vs_out_config, registers.pos_format) = (31 << 1, 4);
        }
    }
    registers
}

/// The shader with all that its translation depends on. What its file does not say is [`usual`]; buffers are of 32-bit floats and images
/// two-dimensional.
pub(super) fn source(bytes: &[u8], stage: Option<Stage>) -> Result<Source, Why> {
    if bytes.starts_with(MAGIC) {
        return Ok(Source::from_bytes(bytes)?);
    }
    let found = Found::read(bytes)?;
    let wanted = match stage {
        Some(Stage::Vertex) => Some(HwStage::Vs),
        Some(Stage::Pixel) => Some(HwStage::Ps),
        Some(Stage::Compute) => Some(HwStage::Cs),
        Some(Stage::Geometry) | None => None,
    };
    let stage = found.stage.or(wanted).ok_or(Why::NeedsStage)?;
    if !matches!(stage, HwStage::Vs | HwStage::Ps | HwStage::Cs) {
        return Err(Why::GcnStage(stage));
    }
    let registers = found.file.as_ref().and_then(ShaderFile::registers).unwrap_or_else(|| usual(stage));
    let fetch = found.file.as_ref().and_then(ShaderFile::fetch).unwrap_or_default();
    let code = found.code;
    let mut source =
        Source { stage, code, fetch, registers, buffers: Vec::new(), images: Vec::new(), tables: Vec::new() };
    let used = resources(&source).map_err(afterimage_shader::CompileError::from)?;
    for difference in found.binary.iter().flat_map(|binary| slots::differences(binary, &used)) {
        tracing::warn!("{difference}");
    }
    // Four selects from x to w, floats of 32 bits, records of 16 bytes.
    let buffer = BufferSpec { word1: 16 << 16, word3: 0x0007_7FAC };
    source.buffers = vec![buffer; used.buffers.len()];
    source.images = used
        .images
        .iter()
        .map(|image| ImageSpec {
            kind: 9,
            format: if image.storage { 14 | 7 << 8 } else { 0 },
            select: 0xFAC,
            compare: 0,
        })
        .collect();
    for texture in used.textures.iter().filter(|texture| texture.compare) {
        if let Some(image) = source.images.get_mut(texture.image as usize) {
            image.compare = 4;
        }
    }
    Ok(source)
}
