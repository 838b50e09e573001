//! GCN shaders as inputs: what Afterimage sends to its renderer, raw code, or assembler text.

use super::error::Why;
use super::io;
use afterimage_shader::Stage;
use afterimage_shader_gcn::io::{BufferSpec, HwStage, ImageSpec, Registers, Source};
use afterimage_shader_gcn::{Program, assemble, code_length, resources};

/// First bytes of a [`Source`].
const MAGIC: &[u8] = b"GCN1";

/// Words of raw code or of text. Text has no zero bytes, and code of more than a few instructions has.
fn words(bytes: &[u8]) -> Result<Vec<u32>, Why> {
    if !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok() {
        return Ok(assemble(io::text(bytes)?)?);
    }
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() || words.is_empty() {
        return Err(Why::NoWords(bytes.len()));
    }
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let length = code_length(|at| words.get(at).copied())?;
    Ok(words[..length].to_vec())
}

/// The shader as assembler text.
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
    Ok(Program::parse(&words(bytes)?, HwStage::Cs)?.to_string())
}

/// The shader with all that its translation depends on. Of raw code that is what makes most of it: 16 user SGPRs, every system
/// value that the stage can have, one target of floats, buffers of 32-bit floats and two-dimensional images.
pub(super) fn source(bytes: &[u8], stage: Option<Stage>) -> Result<Source, Why> {
    if bytes.starts_with(MAGIC) {
        return Ok(Source::from_bytes(bytes)?);
    }
    let code = words(bytes)?;
    let stage = match stage.ok_or(Why::NeedsStage)? {
        Stage::Vertex => HwStage::Vs,
        Stage::Pixel => HwStage::Ps,
        Stage::Compute => HwStage::Cs,
        Stage::Geometry => return Err(Why::NeedsStage),
    };
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
    let mut source = Source { stage, code, fetch: Vec::new(), registers, buffers: Vec::new(), images: Vec::new() };
    let used = resources(&source).map_err(afterimage_shader::CompileError::from)?;
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
