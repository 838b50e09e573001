//! Shader files of the PlayStation 4 (`.sb`): a header with the stage and its registers, then the code with its footer
//! ([`binary`](crate::binary)).
//!
//! Source: `docs/sources/gcn.md#shader-files`.

use crate::binary::{Binary, Usage};
use crate::fetch::{Attribute, Descriptor, FetchShader, Index};
use crate::io::{HwStage, Registers};
use std::ops::Range;

/// First bytes of a file's header.
const MAGIC: &[u8] = b"Shdr";
/// Bytes of what compilers put in front of the header, where they do.
const IN_FRONT: usize = 0x24;
/// Bytes of the header.
const HEADER: usize = 16;
/// Bytes of what every stage's part begins with: sizes and counts.
const COMMON: usize = 8;
/// High half of a program's address where the low half counts the bytes from the stage's part to the code.
const OFFSET: u32 = u32::MAX;

/// What a file is for, by number: name, hardware stage, words of registers. All begin with the program's address and `PGM_RSRC1` and `2`.
const STAGES: [(u8, HwStage, usize); 7] = [
    (1, HwStage::Vs, 7),
    (2, HwStage::Ps, 12),
    (3, HwStage::Gs, 7),
    (4, HwStage::Cs, 7),
    (5, HwStage::Es, 4),
    (6, HwStage::Ls, 4),
    (7, HwStage::Hs, 7),
];

/// A shader file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShaderFile {
    /// Version of the format.
    pub version: [u16; 2],
    /// The stage that it is for.
    pub stage: HwStage,
    /// The stage's registers, from the program's address on: 4 to 12.
    pub stage_registers: Vec<u32>,
    /// What a vertex shader wants its fetch shader to load.
    pub inputs: Vec<VertexInput>,
    /// The code and what lies behind it, to the end of the file.
    pub words: Vec<u32>,
}

/// An input of a vertex shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VertexInput {
    /// Number of the vertex buffer in its table.
    pub semantic: u8,
    /// First vector register.
    pub register: u8,
    /// Components, 1 to 4.
    pub components: u8,
}

/// Why bytes are no shader file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FileError {
    /// There is no header.
    #[error("it is no PlayStation 4 shader file: there is no \"Shdr\" at its first byte, nor at byte 0x24")]
    Header,
    /// It ends too early.
    #[error("the shader file ends within its {what}, which is bytes {start:#x} to {end:#x} of its {size:#x}")]
    Truncated {
        /// Within what.
        what: &'static str,
        /// Its first byte.
        start: usize,
        /// The byte behind its last.
        end: usize,
        /// Bytes of the file.
        size: usize,
    },
    /// The type's number is none of these.
    #[error("the shader file's type is {0}, at byte 8 of its header; types are 1 to 7")]
    Type(u8),
    /// The code does not begin where words do, or within the header.
    #[error(
        "the shader file has its code at byte {0:#x} of its stage's part, which is within that or no multiple of 4"
    )]
    Code(u32),
    /// An input of a vertex shader has no or too many components.
    #[error("input {input} of the shader file has {components} components; there are 1 to 4")]
    Components {
        /// Which input.
        input: usize,
        /// Its components.
        components: u8,
    },
}

/// A file's bytes from its header on.
fn from_header(bytes: &[u8]) -> Option<&[u8]> {
    [0, IN_FRONT].iter().filter_map(|at| bytes.get(*at..)).find(|bytes| bytes.starts_with(MAGIC))
}

impl ShaderFile {
    /// Whether bytes begin as a shader file does.
    #[must_use]
    pub fn is_file(bytes: &[u8]) -> bool {
        from_header(bytes).is_some()
    }

    /// Reads a file.
    ///
    /// # Errors
    /// It is none, or what its header says cannot be.
    pub fn parse(bytes: &[u8]) -> Result<Self, FileError> {
        let bytes = from_header(bytes).ok_or(FileError::Header)?;
        let part = |what, range: Range<usize>| {
            let Range { start, end } = range;
            bytes.get(range).ok_or(FileError::Truncated { what, start, end, size: bytes.len() })
        };
        let header = part("header", 0..HEADER)?;
        let half = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let (number, part_words) = (header[8], header[9]);
        let (_, stage, registers) =
            *STAGES.iter().find(|(known, ..)| *known == number).ok_or(FileError::Type(number))?;
        let common = part("stage's part", HEADER..HEADER + COMMON)?;
        let slots = usize::from(common[3]);
        let registers_at = HEADER + COMMON;
        let tables_at = registers_at + 4 * registers;
        let stage_registers = words(part("stage's registers", registers_at..tables_at)?);
        let code = match stage_registers[..] {
            [offset, OFFSET, ..] => offset,
            _ => 4 * u32::from(part_words),
        };
        let code_at = HEADER + code as usize;
        if code % 4 != 0 || code_at < tables_at {
            return Err(FileError::Code(code));
        }
        let mut inputs = Vec::new();
        if stage == HwStage::Vs {
            let counts = part("number of inputs", tables_at..tables_at + 4)?;
            let first = tables_at + 4 + 4 * slots;
            let table = part("inputs", first..first + 4 * usize::from(counts[0]))?;
            for (input, entry) in table.as_chunks::<4>().0.iter().enumerate() {
                let [semantic, register, components, _] = *entry;
                if !(1..=4).contains(&components) {
                    return Err(FileError::Components { input, components });
                }
                inputs.push(VertexInput { semantic, register, components });
            }
        }
        let code = part("code", code_at..bytes.len().max(code_at + 4))?;
        Ok(Self { version: [half(4), half(6)], stage, stage_registers, inputs, words: words(code) })
    }

    /// The registers that a translation depends on, of vertex, pixel and compute shaders. Of other stages, and of what pixel shaders read
    /// and draw to, the draw has registers that no file has: parameters are as they are numbered, targets are of floats.
    #[must_use]
    pub fn registers(&self) -> Option<Registers> {
        let mut registers = Registers::default();
        match (self.stage, &self.stage_registers[..]) {
            (HwStage::Cs, &[_, _, rsrc1, rsrc2, x, y, z]) => {
                registers = Registers { rsrc1, rsrc2, num_thread: [x, y, z], ..registers };
            }
            (HwStage::Vs, &[_, _, rsrc1, rsrc2, vs_out_config, pos_format, vs_out_cntl]) => {
                registers = Registers { rsrc1, rsrc2, vs_out_config, pos_format, vs_out_cntl, ..registers };
            }
            (HwStage::Ps, &[_, _, rsrc1, rsrc2, z, col, ena, addr, control, baryc, db, _]) => {
                (registers.rsrc1, registers.rsrc2, registers.z_format, registers.col_format) = (rsrc1, rsrc2, z, col);
                (registers.ps_input_ena, registers.ps_input_addr, registers.ps_in_control) = (ena, addr, control);
                (registers.baryc_cntl, registers.db_shader_control) = (baryc, db);
                registers.ps_input_cntl = std::array::from_fn(|n| n as u32);
            }
            _ => return None,
        }
        Some(registers)
    }

    /// A fetch shader that loads a vertex shader's inputs, each from the buffer of its number by the vertex, as programs make one when they
    /// run; `None` where it needs none, or where it lies with its table is not said in the first user data registers.
    #[must_use]
    pub fn fetch(&self) -> Option<Vec<u32>> {
        let binary = Binary::find(|at| self.words.get(at).copied()).ok()?;
        let register = |usage| binary.slots_of(usage).map(|slot| slot.register).find(|register| *register < 15);
        // Where it returns to is in the registers that it is called by.
        let pointer = register(Usage::FetchShader)
            .filter(|register| *register == 0)
            .and(register(Usage::VertexBufferTablePointer))?;
        let attributes = self.inputs.iter().map(|input| Attribute {
            register: input.register,
            components: input.components,
            descriptor: Descriptor::Table { pointer, offset: 4 * u32::from(input.semantic) },
            index: Index::Vertex,
            offset: 0,
            format: None,
        });
        // USER_SGPR: behind user data there is room.
        let user_data = self.stage_registers[3] >> 1 & 31;
        let fetch = FetchShader { attributes: attributes.collect(), ..FetchShader::default() };
        fetch.write(user_data.next_multiple_of(4) as u8).ok()
    }
}

/// Little-endian words; what is left of less than a word at the end is left out.
fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary::{BinaryStage, UsageSlot};

    const END: u32 = 0xBF81_0000;

    /// A file with this type, part of the stage and code.
    fn file(number: u8, part: &[u32], code: &[u32]) -> Vec<u8> {
        let mut bytes = b"Shdr".to_vec();
        bytes.extend([7, 0, 2, 0, number, part.len() as u8, 0, 0, 0, 0, 0, 0]);
        part.iter().chain(code).for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes
    }

    /// The part of a vertex shader: two usage slots, two inputs.
    fn vertex() -> Vec<u32> {
        let offset = 4 * (2 + 7 + 1 + 2 + 2);
        vec![2 << 24, 0, offset, OFFSET, 0x000C_0080, 8 << 1, 2, 4, 0, 2, 0x12, 0x0002_0017, 0x0004_0400, 0x0002_0801]
    }

    #[test]
    fn headers_say_what_lies_where() {
        let bytes = file(1, &vertex(), &[END]);
        let found = ShaderFile::parse(&bytes).expect("a file");
        assert_eq!((found.version, found.stage, &found.words[..]), ([7, 2], HwStage::Vs, &[END][..]));
        let input = |semantic, register, components| VertexInput { semantic, register, components };
        assert_eq!(found.inputs, [input(0, 4, 4), input(1, 8, 2)]);
        let registers = found.registers().expect("registers");
        assert_eq!((registers.rsrc1, registers.rsrc2), (0x000C_0080, 16));
        assert_eq!((registers.vs_out_config, registers.pos_format), (2, 4));
        // As compilers write it.
        let behind = [&[7; IN_FRONT][..], &bytes].concat();
        assert!(ShaderFile::is_file(&behind) && !ShaderFile::is_file(&behind[1..]));
        assert_eq!(ShaderFile::parse(&behind).as_ref(), Ok(&found));
        // Where the address is one, the header's size says where the code is.
        let mut part = vertex();
        (part[2], part[3]) = (0x1234, 0);
        assert_eq!(ShaderFile::parse(&file(1, &part, &[END])).map(|file| file.words), Ok(vec![END]));

        let compute = [0, 0, 36, OFFSET, 0x000C_0080, 0xA0, 64, 2, 1];
        let found = ShaderFile::parse(&file(4, &compute, &[END])).expect("a file");
        assert_eq!(found.registers().map(|registers| registers.num_thread), Some([64, 2, 1]));
        let geometry = ShaderFile::parse(&file(3, &compute, &[END])).expect("a file");
        assert_eq!((geometry.stage, geometry.registers()), (HwStage::Gs, None));
    }

    #[test]
    fn the_fetch_shader_loads_the_inputs() {
        let slot = |usage: Usage, register| UsageSlot { usage: usage as u8, api_slot: 0, register, flags: 0 };
        let slots = vec![slot(Usage::FetchShader, 0), slot(Usage::VertexBufferTablePointer, 2)];
        let binary = Binary { stage: BinaryStage::Vertex as u8, slots, ..Binary::default() };
        let code = binary.append_to(&[END]).expect("it fits");
        let fetch = ShaderFile::parse(&file(1, &vertex(), &code)).expect("a file").fetch().expect("a fetch shader");
        let read = FetchShader::parse(&fetch).expect("what was written");
        let texts: Vec<String> = read.attributes.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["v[4:7] = s[2:3]+0x0 by vertex", "v[8:9] = s[2:3]+0x4 by vertex"]);
        assert_eq!(ShaderFile::parse(&file(1, &vertex(), &[END])).expect("a file").fetch(), None, "no footer");
    }

    #[test]
    fn what_cannot_be_is_said() {
        let whole = file(1, &vertex(), &[END]);
        for cut in 0..whole.len() {
            let error = ShaderFile::parse(&whole[..cut]).expect_err("a part of it");
            assert_eq!(matches!(error, FileError::Header), cut < 4, "{cut}: {error}");
        }
        assert_eq!(ShaderFile::parse(&file(9, &vertex(), &[END])), Err(FileError::Type(9)));
        for offset in [3, 8, u32::MAX - 2] {
            let mut part = vertex();
            part[2] = offset;
            assert_eq!(ShaderFile::parse(&file(1, &part, &[END])), Err(FileError::Code(offset)));
        }
        let mut part = vertex();
        part[2] = 0x7FFF_FFF0;
        let error = ShaderFile::parse(&file(1, &part, &[END])).expect_err("far");
        assert!(error.to_string().contains("within its code"), "{error}");
        part = vertex();
        part[12] = 0x0005_0400;
        assert_eq!(ShaderFile::parse(&file(1, &part, &[END])), Err(FileError::Components { input: 0, components: 5 }));
    }
}
