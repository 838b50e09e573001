//! The footer behind a shader's code ("OrbShdr"): what it is for, how long it is, and its input usage slots, which say what
//! the user data registers hold.
//!
//! Source: `docs/sources/gcn.md#footers` (shadPS4 and GPCS4 agree on the footer, GPCS4 and Kyty on the numbers of usages).

use crate::io::HwStage;
use crate::parse::{MAX_WORDS, code_length};
use std::fmt;

/// `s_mov_b32 vcc_hi, LITERAL` as the first instruction: the literal says where the footer is.
pub const MARKER: u32 = 0xBEEB_03FF;
/// The first word of the footer and the low three bytes of the second: "OrbShdr".
const SIGNATURE: [u32; 2] = [u32::from_le_bytes(*b"OrbS"), u32::from_le_bytes(*b"hdr\0")];
/// Words of the footer.
const FOOTER: usize = 7;
/// Words behind the code that are searched for a footer where no instruction says where it is.
const SEARCHED: usize = 1 << 12;

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $number:literal $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum $name { $($(#[$vdoc])* $variant = $number),* }

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The one with this number.
            pub const fn from_number(number: u8) -> Option<$name> {
                match number {
                    $($number => Some($name::$variant),)*
                    _ => None,
                }
            }

            /// What it is called.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
        }
    };
}

numbered! {
    /// What a binary is for.
    #[allow(missing_docs, reason = "the names say it")]
    BinaryStage {
        Pixel = 0 "pixel",
        Vertex = 1 "vertex",
        Export = 2 "export",
        Local = 3 "local",
        Compute = 4 "compute",
        Geometry = 5 "geometry",
        Unknown = 6 "unknown",
        Hull = 7 "hull",
        /// A domain shader whose front end is a compute shader.
        DomainCompute = 8 "domain, compute front end",
    }
}

impl BinaryStage {
    /// The hardware stage that it runs in.
    pub const fn hw_stage(self) -> Option<HwStage> {
        Some(match self {
            BinaryStage::Pixel => HwStage::Ps,
            BinaryStage::Vertex => HwStage::Vs,
            BinaryStage::Export => HwStage::Es,
            BinaryStage::Local => HwStage::Ls,
            BinaryStage::Compute | BinaryStage::DomainCompute => HwStage::Cs,
            BinaryStage::Geometry => HwStage::Gs,
            BinaryStage::Hull => HwStage::Hs,
            BinaryStage::Unknown => return None,
        })
    }
}

numbered! {
    /// What user data registers hold.
    #[allow(missing_docs, reason = "the names say it")]
    Usage {
        Resource = 0x00 "resource",
        Sampler = 0x01 "sampler",
        ConstantBuffer = 0x02 "constant buffer",
        VertexBuffer = 0x03 "vertex buffer",
        RwResource = 0x04 "read/write resource",
        FloatConstants = 0x05 "float constants",
        BoolConstants = 0x06 "bool constants",
        GdsCounters = 0x07 "GDS counter range",
        GdsMemory = 0x08 "GDS memory range",
        GwsBase = 0x09 "GWS base",
        ResourceTable = 0x0A "resource table",
        LdsEsGsSize = 0x0D "LDS ES/GS ring size",
        FetchShader = 0x12 "pointer to fetch shader",
        ResourceTablePointer = 0x13 "pointer to resource table",
        InternalResourceTablePointer = 0x14 "pointer to internal resource table",
        SamplerTablePointer = 0x15 "pointer to sampler table",
        ConstantBufferTablePointer = 0x16 "pointer to constant buffer table",
        VertexBufferTablePointer = 0x17 "pointer to vertex buffer table",
        StreamOutTablePointer = 0x18 "pointer to stream-out buffer table",
        RwResourceTablePointer = 0x19 "pointer to read/write resource table",
        InternalGlobalTablePointer = 0x1A "pointer to internal global table",
        ExtendedUserData = 0x1B "pointer to extended user data",
        ResourceTablePointerPointer = 0x1C "pointer to pointer to resource table",
        InternalResourceTablePointerPointer = 0x1D "pointer to pointer to internal resource table",
        RwResourceTablePointerPointer = 0x1E "pointer to pointer to read/write resource table",
    }
}

impl Usage {
    /// Whether the registers hold a 64-bit address.
    pub const fn is_pointer(self) -> bool {
        self as u8 >= Usage::FetchShader as u8
    }
}

/// An input usage slot: four bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UsageSlot {
    /// Number of the [`Usage`].
    pub usage: u8,
    /// Slot of the programming interface.
    pub api_slot: u8,
    /// First user SGPR; from 16 on a word of the extended user data, less 16.
    pub register: u8,
    /// Size, kind and chunks, or of a resource table its size.
    pub flags: u8,
}

impl UsageSlot {
    /// What it is, if the number is known.
    pub const fn usage(self) -> Option<Usage> {
        Usage::from_number(self.usage)
    }

    /// Words that it takes.
    pub const fn dwords(self) -> u16 {
        match self.usage() {
            Some(Usage::ResourceTable) => self.flags as u16 + 1,
            Some(usage) if usage.is_pointer() => 2,
            Some(Usage::GdsCounters | Usage::GdsMemory | Usage::GwsBase | Usage::LdsEsGsSize) => 1,
            _ if self.flags & 1 != 0 => 8,
            _ => 4,
        }
    }

    /// Whether a resource is a T#; else it is a V#.
    pub const fn is_texture(self) -> bool {
        self.flags & 2 != 0
    }

    /// Word of the extended user data, if it is there.
    pub const fn extended(self) -> Option<u8> {
        self.register.checked_sub(16)
    }
}

impl fmt::Display for UsageSlot {
    /// As `constant buffer 1 in s[4:7]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.usage() {
            Some(usage) => f.write_str(usage.name())?,
            None => write!(f, "usage {:#04x}", self.usage)?,
        }
        let (file, first) = match self.extended() {
            Some(word) => ("extended", word),
            None => ("s", self.register),
        };
        write!(f, " {} in {file}", self.api_slot)?;
        match self.dwords() {
            1 => write!(f, "[{first}]"),
            words => write!(f, "[{first}:{}]", u16::from(first) + words - 1),
        }
    }
}

/// The footer of a shader, and what lies between it and the code.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Binary {
    /// Version of the format.
    pub version: u8,
    /// The source was in the high-level language; else in IL.
    pub high_level: bool,
    /// The source is cached.
    pub cached: bool,
    /// Number of the [`BinaryStage`], 4 bits.
    pub stage: u8,
    /// Type of the source, 2 bits.
    pub source_type: u8,
    /// Bytes of the code, 24 bits.
    pub code_bytes: u32,
    /// A shader resource table is used.
    pub resource_table: bool,
    /// What is said of its use is valid.
    pub resource_table_info: bool,
    /// Extended usage info is there.
    pub extended_info: bool,
    /// Hash of the program.
    pub hash: u64,
    /// CRC-32 of the code and the footer up to here.
    pub crc: u32,
    /// Input usage slots, at most 255.
    pub slots: Vec<UsageSlot>,
    /// Words between the slots and the footer, at most 255: chunk usage masks.
    pub masks: Vec<u32>,
}

/// Why there is no footer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BinaryError {
    /// It is neither where the first instruction says nor behind the code.
    #[error("no \"OrbShdr\" follows the shader's code")]
    Missing,
    /// The slots would begin in front of the code, or lie where nothing is mapped.
    #[error(
        "the footer at word {footer:#x} has {slots} usage slots {distance} words in front of it, which is outside of the shader"
    )]
    Slots {
        /// Word index of the footer.
        footer: usize,
        /// Usage slots.
        slots: u8,
        /// Words of masks.
        distance: u8,
    },
    /// More slots or masks than a byte counts, or more code than 24 bits count.
    #[error("a shader has at most 255 usage slots, 255 words of masks and 16 MiB of code")]
    Size,
}

impl Binary {
    /// Finds and reads the footer of a shader, of which `read` gives the words from its first instruction on: at the place
    /// that the first instruction names, else behind the code.
    ///
    /// # Errors
    /// When there is none, or its slots are not within the shader.
    pub fn find(read: impl Fn(usize) -> Option<u32>) -> Result<Binary, BinaryError> {
        let is_footer = |at: usize| {
            read(at) == Some(SIGNATURE[0]) && read(at + 1).is_some_and(|word| word & 0xFF_FFFF == SIGNATURE[1])
        };
        let named = || (read(0)? == MARKER).then_some((read(1)? as usize).checked_add(1)?.checked_mul(2)?);
        let footer = named().filter(|at| *at < MAX_WORDS * 2 && is_footer(*at)).or_else(|| {
            let first = code_length(&read).unwrap_or(0);
            (first..first + SEARCHED).take_while(|at| read(*at).is_some()).find(|at| is_footer(*at))
        });
        let footer = footer.ok_or(BinaryError::Missing)?;
        let word = |n: usize| read(footer + n).ok_or(BinaryError::Missing);
        let [info, sizes] = [word(2)?, word(3)?];
        let [distance, slots, flags, _] = sizes.to_le_bytes();
        let bad = BinaryError::Slots { footer, slots, distance };
        let first = footer.checked_sub(usize::from(distance) + usize::from(slots)).ok_or(bad)?;
        let words: Option<Vec<u32>> = (first..footer).map(&read).collect();
        let mut words = words.ok_or(bad)?;
        let masks = words.split_off(slots.into());
        let slots = words.iter().map(|word| {
            let [usage, api_slot, register, flags] = word.to_le_bytes();
            UsageSlot { usage, api_slot, register, flags }
        });
        Ok(Binary {
            version: (word(1)? >> 24) as u8,
            high_level: info & 1 != 0,
            cached: info & 2 != 0,
            stage: (info >> 2 & 15) as u8,
            source_type: (info >> 6 & 3) as u8,
            code_bytes: info >> 8,
            resource_table: flags & 1 != 0,
            resource_table_info: flags & 2 != 0,
            extended_info: flags & 4 != 0,
            hash: u64::from(word(4)?) | u64::from(word(5)?) << 32,
            crc: word(6)?,
            slots: slots.collect(),
            masks,
        })
    }

    /// What the shader is for, if the number is known.
    pub const fn stage(&self) -> Option<BinaryStage> {
        BinaryStage::from_number(self.stage)
    }

    /// The slots of a usage.
    pub fn slots_of(&self, usage: Usage) -> impl Iterator<Item = &UsageSlot> {
        self.slots.iter().filter(move |slot| slot.usage == usage as u8)
    }

    /// The code with its footer behind it; `code_bytes` and `crc` are made of the code. Code that begins with
    /// [`MARKER`] gets the place of the footer into the next word.
    ///
    /// # Errors
    /// [`BinaryError::Size`].
    pub fn append_to(&self, code: &[u32]) -> Result<Vec<u32>, BinaryError> {
        let counts = (u8::try_from(self.slots.len()), u8::try_from(self.masks.len()));
        let (Ok(slots), Ok(masks)) = counts else { return Err(BinaryError::Size) };
        let code_bytes =
            u32::try_from(code.len() * 4).ok().filter(|bytes| *bytes < 1 << 24).ok_or(BinaryError::Size)?;
        let mut words = code.to_vec();
        let gap = self.slots.len() + self.masks.len();
        // The footer lies at a multiple of eight bytes.
        words.resize(code.len() + (code.len() + gap) % 2, 0);
        let footer = words.len() + gap;
        if let [MARKER, place, ..] = &mut words[..] {
            *place = (footer / 2 - 1) as u32;
        }
        words.extend(
            self.slots.iter().map(|slot| u32::from_le_bytes([slot.usage, slot.api_slot, slot.register, slot.flags])),
        );
        words.extend(&self.masks);
        let flag = |on: bool, bit: u32| u32::from(on) << bit;
        let flags = flag(self.resource_table, 0) | flag(self.resource_table_info, 1) | flag(self.extended_info, 2);
        words.extend([
            SIGNATURE[0],
            SIGNATURE[1] | u32::from(self.version) << 24,
            flag(self.high_level, 0)
                | flag(self.cached, 1)
                | u32::from(self.stage & 15) << 2
                | u32::from(self.source_type & 3) << 6
                | code_bytes << 8,
            u32::from_le_bytes([masks, slots, flags as u8, 0]),
            self.hash as u32,
            (self.hash >> 32) as u32,
        ]);
        let mut crc = crc32fast::Hasher::new();
        for words in [&words[..code.len()], &words[footer..footer + FOOTER - 1]] {
            words.iter().for_each(|word| crc.update(&word.to_le_bytes()));
        }
        words.push(crc.finalize());
        Ok(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `s_mov_b32 vcc_hi, 0`, `s_endpgm`.
    const CODE: [u32; 3] = [MARKER, 0, 0xBF81_0000];

    fn binary() -> Binary {
        let slot =
            |usage: Usage, api_slot, register, flags| UsageSlot { usage: usage as u8, api_slot, register, flags };
        Binary {
            version: 3,
            high_level: true,
            stage: BinaryStage::Vertex as u8,
            source_type: 2,
            extended_info: true,
            hash: 0x0123_4567_89AB_CDEF,
            slots: vec![
                slot(Usage::FetchShader, 0, 0, 0),
                slot(Usage::VertexBufferTablePointer, 0, 2, 0),
                slot(Usage::Resource, 1, 4, 3),
                slot(Usage::ConstantBuffer, 2, 18, 0),
            ],
            masks: vec![5],
            ..Binary::default()
        }
    }

    fn found(words: &[u32]) -> Result<Binary, BinaryError> {
        Binary::find(|n| words.get(n).copied())
    }

    #[test]
    fn the_footer_is_found_in_both_ways() {
        let words = binary().append_to(&CODE).expect("it fits");
        let by_marker = found(&words).expect("a footer");
        let expected = Binary { code_bytes: 12, crc: by_marker.crc, ..binary() };
        assert_eq!(by_marker, expected);
        assert_eq!(by_marker.stage().and_then(BinaryStage::hw_stage), Some(HwStage::Vs));
        // A wrong place, and code without a marker: the footer is found behind the code.
        let mut wrong = words;
        wrong[1] = 77;
        assert_eq!(found(&wrong), Ok(by_marker.clone()));
        let plain = binary().append_to(&CODE[2..]).expect("it fits");
        assert_eq!(found(&plain).map(|binary| binary.slots), Ok(by_marker.slots));
    }

    #[test]
    fn slots_say_what_they_are() {
        let texts: Vec<String> = binary().slots.iter().map(UsageSlot::to_string).collect();
        let expected = [
            "pointer to fetch shader 0 in s[0:1]",
            "pointer to vertex buffer table 0 in s[2:3]",
            "resource 1 in s[4:11]",
            "constant buffer 2 in extended[2:5]",
        ];
        assert_eq!(texts, expected);
        assert!(binary().slots[2].is_texture());
        assert_eq!(binary().slots_of(Usage::ConstantBuffer).count(), 1);
    }

    #[test]
    fn damaged_footers_are_errors() {
        let words = binary().append_to(&CODE).expect("it fits");
        for cut in 0..words.len() {
            assert_eq!(found(&words[..cut]), Err(BinaryError::Missing), "cut at {cut}");
        }
        let footer = words.len() - FOOTER;
        let mut many = words;
        many[footer + 3] |= 0xFF00;
        assert!(matches!(found(&many), Err(BinaryError::Slots { slots: 255, .. })));
        let masks = Binary { masks: vec![0; 256], ..binary() };
        assert_eq!(masks.append_to(&CODE), Err(BinaryError::Size));
    }
}
