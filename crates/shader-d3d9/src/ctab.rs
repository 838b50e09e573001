//! The constant table: names, types and registers of a shader's constants and samplers, which HLSL compilers leave in a
//! comment. It says nothing about the code; it is kept for people.
//!
//! The layout is that of `D3DXSHADER_CONSTANTTABLE`, `D3DXSHADER_CONSTANTINFO` and `D3DXSHADER_TYPEINFO`
//! (`d3dx9shader.h`): behind the four characters come structures that refer to each other by byte offsets.

use crate::parse::Program;
use std::fmt;

/// First word of the comment that is a constant table.
pub const CTAB: u32 = u32::from_le_bytes(*b"CTAB");

/// Most constants that are read; no shader has as many registers.
const MAX_CONSTANTS: u32 = 8192;
/// Most characters of a name that are read.
const MAX_NAME: usize = 256;

/// A constant table.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ConstantTable {
    /// Which compiler wrote it.
    pub creator: String,
    /// What it compiled for, such as `vs_2_0`.
    pub target: String,
    /// Constants in the order of the table.
    pub constants: Vec<Constant>,
}

/// The register file of a constant, `D3DXREGISTER_SET`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterSet {
    /// `b#`.
    Bool,
    /// `i#`.
    Int,
    /// `c#`.
    Float,
    /// `s#`.
    Sampler,
}

/// One constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its name in the source.
    pub name: String,
    /// Its type as HLSL writes it, such as `float4x4`; an array has its size, such as `float4[8]`.
    pub ty: String,
    /// Register file.
    pub set: RegisterSet,
    /// First register.
    pub first: u16,
    /// Number of registers.
    pub count: u16,
}

impl Program {
    /// The constant table, if the shader has one that can be read.
    pub fn constant_table(&self) -> Option<ConstantTable> {
        self.comments.iter().find_map(|comment| ConstantTable::parse(&comment.words))
    }
}

impl ConstantTable {
    /// Reads the words of a comment; `None` if it is no constant table or a damaged one.
    pub fn parse(words: &[u32]) -> Option<Self> {
        let (first, words) = words.split_first()?;
        if *first != CTAB {
            return None;
        }
        let bytes = Bytes(words);
        let mut table =
            Self { creator: bytes.text(bytes.long(4)?), target: bytes.text(bytes.long(24)?), ..Self::default() };
        let (count, info) = (bytes.long(12)?, bytes.long(16)?);
        for index in 0..count.min(MAX_CONSTANTS) {
            let at = info.checked_add(index * 20)?;
            table.constants.push(Constant {
                name: bytes.text(bytes.long(at)?),
                ty: bytes.type_name(bytes.long(at.checked_add(12)?)?)?,
                set: match bytes.short(at.checked_add(4)?)? {
                    0 => RegisterSet::Bool,
                    1 => RegisterSet::Int,
                    2 => RegisterSet::Float,
                    3 => RegisterSet::Sampler,
                    _ => return None,
                },
                first: bytes.short(at.checked_add(6)?)?,
                count: bytes.short(at.checked_add(8)?)?,
            });
        }
        Some(table)
    }
}

/// Words that are addressed by byte.
#[derive(Clone, Copy)]
struct Bytes<'a>(&'a [u32]);

impl Bytes<'_> {
    fn byte(self, at: u32) -> Option<u8> {
        self.0.get((at / 4) as usize).map(|word| word.to_le_bytes()[(at % 4) as usize])
    }

    fn short(self, at: u32) -> Option<u16> {
        Some(u16::from_le_bytes([self.byte(at)?, self.byte(at.checked_add(1)?)?]))
    }

    fn long(self, at: u32) -> Option<u32> {
        Some(u32::from(self.short(at.checked_add(2)?)?) << 16 | u32::from(self.short(at)?))
    }

    /// Text up to a zero, with question marks for what does not belong into a line.
    fn text(self, at: u32) -> String {
        let bytes = (at..=u32::MAX).map_while(|at| self.byte(at)).take_while(|byte| *byte != 0).take(MAX_NAME);
        bytes.map(|byte| if byte == b' ' || byte.is_ascii_graphic() { char::from(byte) } else { '?' }).collect()
    }

    /// The name of a `D3DXSHADER_TYPEINFO`.
    fn type_name(self, at: u32) -> Option<String> {
        let field = |index: u32| self.short(at.checked_add(2 * index)?);
        let (class, kind, rows, columns, elements) = (field(0)?, field(1)?, field(2)?, field(3)?, field(4)?);
        let kind = match kind {
            0 => "void",
            1 => "bool",
            2 => "int",
            3 => "float",
            4 => "string",
            5 => "texture",
            6 => "texture1D",
            7 => "texture2D",
            8 => "texture3D",
            9 => "textureCUBE",
            10 => "sampler",
            11 => "sampler1D",
            12 => "sampler2D",
            13 => "sampler3D",
            14 => "samplerCUBE",
            _ => "unknown",
        };
        let name = match class {
            1 => format!("{kind}{columns}"),
            2 => format!("row_major {kind}{rows}x{columns}"),
            3 => format!("{kind}{rows}x{columns}"),
            5 => "struct".to_owned(),
            _ => kind.to_owned(),
        };
        Some(if elements > 1 { format!("{name}[{elements}]") } else { name })
    }
}

impl fmt::Display for Constant {
    /// Type, name, registers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = match self.set {
            RegisterSet::Bool => 'b',
            RegisterSet::Int => 'i',
            RegisterSet::Float => 'c',
            RegisterSet::Sampler => 's',
        };
        write!(f, "{} {}: {file}{}", self.ty, self.name, self.first)?;
        match self.count {
            0 | 1 => Ok(()),
            count => write!(f, "..{file}{}", u32::from(self.first) + u32::from(count) - 1),
        }
    }
}
