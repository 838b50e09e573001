//! Fetch shaders: code that a vertex shader calls to load its attributes. The lifter inlines them as they are; this reads what
//! attributes they load, for tools and for those who look at vertex layouts, and writes them.
//!
//! A fetch shader loads V#s from a table that a pair of user SGPRs points to, loads from each with an index register, and
//! returns to the address in `s[0:1]`. Source: `docs/sources/gcn.md#fetch-shaders`.

use crate::encode::EncodeError;
use crate::inst::{Buffer, Fields, Inst, Operand};
use crate::io::HwStage;
use crate::parse::{ParseError, Program};
use crate::tables::{Encoding, Kind, Op};
use std::fmt;

/// What picks the element of a vertex buffer, by the register that it is in when a vertex shader starts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Index {
    /// The vertex, in v0.
    Vertex = 0,
    /// The instance over the first step rate, in v1.
    Step0 = 1,
    /// The instance over the second step rate, in v2.
    Step1 = 2,
    /// The instance, in v3.
    Instance = 3,
}

impl Index {
    /// Every one, by register.
    pub const ALL: [Index; 4] = [Index::Vertex, Index::Step0, Index::Step1, Index::Instance];
}

/// Where a V# comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Descriptor {
    /// A table in memory.
    Table {
        /// First of the two SGPRs with the table's address.
        pointer: u8,
        /// Words from there.
        offset: u32,
    },
    /// Four SGPRs from this one on.
    Registers(u8),
}

/// An attribute that a fetch shader loads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Attribute {
    /// First destination VGPR.
    pub register: u8,
    /// Components, 1 to 4.
    pub components: u8,
    /// Its V#.
    pub descriptor: Descriptor,
    /// What picks the element.
    pub index: Index,
    /// Bytes from the element's first.
    pub offset: u16,
    /// Data and number format of the instruction, where it is not the V#'s.
    pub format: Option<(u8, u8)>,
}

impl fmt::Display for Attribute {
    /// As `v[4:7] = s[2:3]+0x4 by vertex`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = u16::from(self.register) + u16::from(self.components) - 1;
        write!(f, "v[{}:{last}] = ", self.register)?;
        match self.descriptor {
            Descriptor::Table { pointer, offset } => write!(f, "s[{pointer}:{}]+{offset:#x}", u16::from(pointer) + 1)?,
            Descriptor::Registers(first) => write!(f, "s[{first}:{}]", u16::from(first) + 3)?,
        }
        if self.offset != 0 {
            write!(f, ", byte {}", self.offset)?;
        }
        f.write_str(
            [" by vertex", " by instance / step 0", " by instance / step 1", " by instance"][self.index as usize],
        )
    }
}

/// A fetch shader.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FetchShader {
    /// What it loads, in the order of its instructions.
    pub attributes: Vec<Attribute>,
    /// SGPR that is added to the vertex index.
    pub base_vertex: Option<u8>,
    /// SGPR that is added to the instance.
    pub base_instance: Option<u8>,
}

/// Why code is no fetch shader.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FetchError {
    /// It is no code.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// It has an instruction that fetch shaders do not have.
    #[error("the fetch shader has `{text}` at word {at:#06x}; its attributes cannot be told")]
    Instruction {
        /// Word index.
        at: u32,
        /// The instruction.
        text: String,
    },
    /// It cannot be written: registers are missing or out of range.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// What scalar registers hold, as far as it is a V# of a table: (pointer, word offset), by register.
type Loaded = [Option<(u8, u32)>; 104];

/// Components that an instruction loads for a vertex.
fn components(kind: Kind) -> Option<u8> {
    match kind {
        Kind::LoadFormat { components } => Some(components),
        Kind::Load { bytes, .. } => Some(bytes.div_ceil(4)),
        _ => None,
    }
}

impl FetchShader {
    /// Reads the attributes off a fetch shader's code.
    ///
    /// # Errors
    /// When it is no code, or has instructions that are not those of fetch shaders.
    pub fn parse(words: &[u32]) -> Result<FetchShader, FetchError> {
        let program = Program::parse(words, HwStage::Vs)?;
        let mut out = FetchShader::default();
        let mut loaded: Loaded = [None; 104];
        for inst in program.insts() {
            if out.instruction(inst, &mut loaded).is_none() {
                return Err(FetchError::Instruction { at: inst.at, text: inst.to_string() });
            }
        }
        Ok(out)
    }

    /// Takes an instruction in; none if it is not one that is understood.
    fn instruction(&mut self, inst: &Inst, loaded: &mut Loaded) -> Option<()> {
        match (inst.kind(), inst.op) {
            (Kind::ScalarLoad { buffer: false }, _) => {
                let (Operand::Sgpr(first), Operand::Sgpr(pointer)) = (inst.dst, inst.src[0]) else { return None };
                let offset = inst.src[1].constant(crate::tables::Ty::U32)? as u32;
                for n in 0..inst.dst_dwords() {
                    *loaded.get_mut(usize::from(first) + usize::from(n))? =
                        Some((pointer, offset.checked_add(n.into())?));
                }
            }
            (_, Op::SWaitcnt | Op::SNop | Op::SSetpcB64) => {}
            (_, Op::VAddI32) => {
                let (Operand::Vgpr(to), [Operand::Sgpr(base), Operand::Vgpr(from), ..]) = (inst.dst, inst.src) else {
                    return None;
                };
                match (from, to) {
                    (0, 0) => self.base_vertex = Some(base),
                    (3, 3) => self.base_instance = Some(base),
                    _ => return None,
                }
            }
            (kind, _) => self.attributes.push(attribute(inst, components(kind)?, loaded)?),
        }
        Some(())
    }

    /// The code of a fetch shader like those of the console: V#s come from their tables into SGPRs from `scratch` on, which
    /// the vertex shader does not need, sixteen at a time.
    ///
    /// # Errors
    /// When a register is out of range.
    pub fn write(&self, scratch: u8) -> Result<Vec<u32>, FetchError> {
        let mut out = Vec::new();
        for (index, base) in [(0, self.base_vertex), (3, self.base_instance)] {
            if let Some(base) = base {
                let mut inst = blank(Op::VAddI32);
                (inst.dst, inst.sdst) = (Operand::Vgpr(index), Operand::VccLo);
                inst.src = [Operand::Sgpr(base), Operand::Vgpr(index), Operand::None, Operand::None];
                out.extend(inst.encode()?);
            }
        }
        for attributes in self.attributes.chunks(16) {
            let mut registers = Vec::new();
            for attribute in attributes {
                let free = Operand::Sgpr(scratch.saturating_add(4 * registers.len() as u8));
                if !matches!(free.word(3), Some(Operand::Sgpr(_))) {
                    return Err(EncodeError::Operand { op: Op::SLoadDwordx4, operand: free }.into());
                }
                registers.push(match attribute.descriptor {
                    Descriptor::Registers(first) => Operand::Sgpr(first),
                    Descriptor::Table { pointer, offset } => {
                        let mut inst = blank(Op::SLoadDwordx4);
                        let offset = match offset {
                            0..=255 => Operand::Int(offset as i32),
                            _ => Operand::Literal(offset),
                        };
                        (inst.dst, inst.src[0], inst.src[1]) = (free, Operand::Sgpr(pointer), offset);
                        out.extend(inst.encode()?);
                        free
                    }
                });
            }
            out.extend(wait(0x7F)?);
            for (attribute, &register) in attributes.iter().zip(&registers) {
                out.extend(load(attribute, register).encode()?);
            }
        }
        out.extend(wait(0)?);
        let mut inst = blank(Op::SSetpcB64);
        inst.src[0] = Operand::Sgpr(0);
        out.extend(inst.encode()?);
        Ok(out)
    }
}

/// The attribute that a buffer load loads.
fn attribute(inst: &Inst, components: u8, loaded: &Loaded) -> Option<Attribute> {
    let fields = inst.buffer()?;
    let plain = fields.idxen && !fields.offen && !fields.addr64 && !fields.lds && !fields.tfe;
    let (Operand::Sgpr(first), true, Operand::Int(0)) = (inst.srsrc(), plain, inst.soffset()) else { return None };
    let descriptor = match loaded.get(usize::from(first)..usize::from(first) + 4)? {
        [Some((pointer, offset)), rest @ ..] => {
            let follows = (1..).zip(rest).all(|(n, word)| *word == Some((*pointer, offset + n)));
            follows.then_some(Descriptor::Table { pointer: *pointer, offset: *offset })?
        }
        [None, None, None, None] => Descriptor::Registers(first),
        _ => return None,
    };
    Some(Attribute {
        register: inst.vdata()?,
        components,
        descriptor,
        index: *Index::ALL.get(usize::from(inst.vaddr()?))?,
        offset: fields.offset,
        format: (inst.enc == Encoding::Mtbuf).then_some((fields.dfmt, fields.nfmt)),
    })
}

/// An instruction without operands.
fn blank(op: Op) -> Inst {
    Inst::blank(op, op.row().encoding)
}

fn wait(simm: u16) -> Result<impl IntoIterator<Item = u32>, EncodeError> {
    Inst { simm, ..blank(Op::SWaitcnt) }.encode()
}

/// The instruction that loads an attribute through a V# in registers.
fn load(attribute: &Attribute, descriptor: Operand) -> Inst {
    let untyped = [Op::BufferLoadFormatX, Op::BufferLoadFormatXy, Op::BufferLoadFormatXyz, Op::BufferLoadFormatXyzw];
    let typed = [Op::TbufferLoadFormatX, Op::TbufferLoadFormatXy, Op::TbufferLoadFormatXyz, Op::TbufferLoadFormatXyzw];
    let count = usize::from(attribute.components.clamp(1, 4)) - 1;
    let (dfmt, nfmt) = attribute.format.unwrap_or_default();
    let mut inst = blank(if attribute.format.is_some() { typed[count] } else { untyped[count] });
    inst.dst = Operand::Vgpr(attribute.register);
    inst.src = [Operand::Vgpr(attribute.index as u8), descriptor, Operand::Int(0), Operand::None];
    inst.fields = Fields::Buffer(Buffer { idxen: true, offset: attribute.offset, dfmt, nfmt, ..Buffer::default() });
    inst
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble;

    fn table(register: u8, components: u8, offset: u32, index: Index) -> Attribute {
        let descriptor = Descriptor::Table { pointer: 2, offset };
        Attribute { register, components, descriptor, index, offset: 0, format: None }
    }

    /// The example of the blog that `docs/sources/gcn.md#fetch-shaders` names.
    #[test]
    fn the_documents_fetch_shader_has_three_attributes() {
        let text = "s_load_dwordx4 s[8:11], s[2:3], 0x00\n\
                    s_load_dwordx4 s[12:15], s[2:3], 0x04\n\
                    s_load_dwordx4 s[16:19], s[2:3], 0x08\n\
                    s_waitcnt lgkmcnt(0)\n\
                    buffer_load_format_xyzw v[4:7], v0, s[8:11], 0 idxen\n\
                    buffer_load_format_xyz v[8:10], v0, s[12:15], 0 idxen\n\
                    buffer_load_format_xy v[12:13], v0, s[16:19], 0 idxen\n\
                    s_waitcnt 0\n\
                    s_setpc_b64 s[0:1]";
        let words = assemble(text).expect("it assembles");
        let fetch = FetchShader::parse(&words).expect("a fetch shader");
        let attributes =
            vec![table(4, 4, 0, Index::Vertex), table(8, 3, 4, Index::Vertex), table(12, 2, 8, Index::Vertex)];
        assert_eq!(fetch, FetchShader { attributes, ..FetchShader::default() });
        assert_eq!(fetch.write(8).as_ref(), Ok(&words), "and that is what is written of it");
        assert_eq!(fetch.attributes[1].to_string(), "v[8:10] = s[2:3]+0x4 by vertex");
    }

    #[test]
    fn everything_that_is_written_reads_back() {
        let mut attributes: Vec<_> =
            (0..20).map(|n| table(4 + n, 1, 4 * u32::from(n) + 250, Index::ALL[usize::from(n) % 4])).collect();
        attributes[3].format = Some((14, 7));
        attributes[4].offset = 12;
        attributes[5].descriptor = Descriptor::Registers(4);
        let fetch = FetchShader { attributes, base_vertex: Some(6), base_instance: Some(7) };
        let words = fetch.write(20).expect("it fits");
        assert_eq!(FetchShader::parse(&words), Ok(fetch));
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for text in [
            "buffer_load_format_x v4, v0, s[8:11], s3 idxen\ns_setpc_b64 s[0:1]",
            "buffer_load_format_x v4, v9, s[8:11], 0 idxen\ns_setpc_b64 s[0:1]",
            "s_load_dwordx2 s[8:9], s[2:3], 0x0\nbuffer_load_format_x v4, v0, s[8:11], 0 idxen\ns_setpc_b64 s[0:1]",
            "v_mul_f32 v0, v1, v2\ns_setpc_b64 s[0:1]",
            "v_add_i32 v1, vcc, s4, v0\ns_setpc_b64 s[0:1]",
        ] {
            let words = assemble(text).expect("it assembles");
            assert!(matches!(FetchShader::parse(&words), Err(FetchError::Instruction { .. })), "{text}");
        }
        let high = FetchShader { attributes: vec![table(4, 4, 0, Index::Vertex)], ..FetchShader::default() };
        assert!(matches!(high.write(103), Err(FetchError::Encode(_))));
        assert!(matches!(FetchShader::parse(&[0]), Err(FetchError::Parse(_))));
    }
}
