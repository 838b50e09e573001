//! Program memory to instructions, with every field that has an effect checked; and programs as the bytes that the stream
//! carries.

use crate::error::{ParseError, ParseErrorKind};
use crate::instruction::{
    Instruction, Mask, Register, SOURCE_CONSTANT, SOURCE_INPUT, SOURCE_TEMP, Source, Target, Unit, Write, reversed,
};
use crate::tables::{self, Field, Ilu, Mac, Output, Slot, TEMP_PAIRED, TEMP_POSITION, Words};
use afterimage_nv2a_types::{CONSTANT_SLOTS, PROGRAM_SLOTS};

/// What else a translation depends on: flags of [`Program::flags`].
pub mod flags {
    /// Points are drawn, so their size is written.
    pub const POINTS: u32 = 1;
    /// `SET_FOG_GEN_MODE` is radial: the fog coordinate is infinite, whatever the program writes (suite Fog gen).
    pub const RADIAL_FOG: u32 = 2;
    /// All of them.
    pub const ALL: u32 = POINTS | RADIAL_FOG;
}

/// A program: what [`crate::lift()`] translates and [`crate::run()`] executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The instructions that run, one after the other; 1 to 136.
    pub instructions: Vec<Instruction>,
    /// [`flags`].
    pub flags: u32,
}

/// Bytes before the instructions: flags, and zero.
const HEADER: usize = 16;

impl Program {
    /// Reads the program that starts at slot `start` of program memory. It ends with the instruction that has the final bit,
    /// or with the memory.
    ///
    /// # Errors
    /// The first field that is wrong.
    pub fn parse(memory: &[Words], start: usize) -> Result<Self, ParseError> {
        let code = memory.get(start..).filter(|code| !code.is_empty());
        let none = ParseError { slot: start, kind: ParseErrorKind::Start { slots: memory.len() } };
        let code = code.ok_or(none)?;
        let end = code.iter().position(|words| tables::FINAL.get(words) != 0).map_or(code.len(), |last| last + 1);
        let mut instructions = Vec::with_capacity(end);
        for (at, words) in code[..end].iter().enumerate() {
            instructions.push(Instruction::decode(words).map_err(|kind| ParseError { slot: start + at, kind })?);
        }
        Ok(Self { instructions, flags: 0 })
    }

    /// The program with these [`flags`].
    #[must_use]
    pub fn with_flags(self, flags: u32) -> Self {
        Self { flags: flags & flags::ALL, ..self }
    }

    /// A program that puts out attributes: each output register takes the attribute of its number. What [`crate::run()`] has
    /// computed is drawn with it ([`crate::Outputs::attributes`]).
    #[must_use]
    pub fn pass_through() -> Self {
        let outputs = Output::ALL.iter().filter(|output| **output != Output::Address);
        let instructions = outputs.map(|&output| Instruction {
            mac: Mac::Mov,
            sources: [Some(Source::new(Register::Input(output as u8))), None, None],
            write: Some(Write { target: Target::Output(output), mask: Mask::XYZW, unit: Unit::Mac }),
            ..Instruction::default()
        });
        Self { instructions: instructions.collect(), flags: 0 }
    }

    /// The instructions as words, the last with the final bit.
    pub fn words(&self) -> impl Iterator<Item = Words> + '_ {
        let last = self.instructions.len().saturating_sub(1);
        self.instructions.iter().enumerate().map(move |(at, instruction)| instruction.encode(at == last))
    }

    /// The code that the stream's `CreateShader` carries: 16 bytes of flags and zeros, then the instructions, all in
    /// little-endian words. Programs that do the same have the same code.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + 16 * self.instructions.len());
        for word in [[self.flags, 0, 0, 0]].into_iter().chain(self.words()).flatten() {
            bytes.extend(word.to_le_bytes());
        }
        bytes
    }

    /// Reads what [`Program::to_bytes`] wrote.
    ///
    /// # Errors
    /// What is wrong with the header, or the first field that is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ParseError> {
        let wrong = |kind| ParseError { slot: 0, kind };
        let (rows, rest) = bytes.as_chunks::<16>();
        let Some((header, code)) = rows.split_first().filter(|_| rest.is_empty()) else {
            return Err(wrong(ParseErrorKind::Size { bytes: bytes.len(), header: HEADER }));
        };
        let flags = words_of(header)[0];
        if flags & !flags::ALL != 0 {
            return Err(wrong(ParseErrorKind::Flags(flags)));
        }
        if !(1..=PROGRAM_SLOTS).contains(&code.len()) {
            return Err(wrong(ParseErrorKind::Count(code.len())));
        }
        let memory: Vec<Words> = code.iter().map(words_of).collect();
        Ok(Self { flags, ..Self::parse(&memory, 0)? })
    }

    /// Bit n: the program reads attribute n.
    pub fn inputs(&self) -> u16 {
        self.instructions.iter().flat_map(Instruction::reads).fold(0, |mask, register| match register {
            Register::Input(number) => mask | 1 << number,
            _ => mask,
        })
    }

    /// Whether an instruction writes this output. The fog coordinate stays what it was before where none does.
    pub fn writes(&self, output: Output) -> bool {
        let position = |temp: Option<(u8, Mask)>| temp.is_some_and(|(temp, _)| temp == TEMP_POSITION);
        self.instructions.iter().any(|i| {
            i.write.is_some_and(|write| write.target == Target::Output(output))
                || output == Output::Position && (position(i.mac_temp) || position(i.ilu_temp))
        })
    }

    /// Whether it writes constant memory, where `SET_TRANSFORM_PROGRAM_CXT_WRITE_EN` lets it. What one vertex writes the next
    /// one reads, which no shader can do: such draws go through [`crate::run()`].
    pub fn writes_constants(&self) -> bool {
        let constant = |i: &Instruction| matches!(i.write, Some(Write { target: Target::Constant(_), .. }));
        self.instructions.iter().any(constant)
    }
}

/// Program memory out of a file: little-endian words, four an instruction, perhaps behind the header of a shader function of
/// Xbox Direct3D, which is 4 bytes: `x` (vertex shader), `s` (state shader) or `w` (vertex shader that writes constants), then
/// 0x20, and the number of instructions.
///
/// # Errors
/// [`ParseErrorKind::Unaligned`].
pub fn memory_from_bytes(bytes: &[u8]) -> Result<Vec<Words>, ParseError> {
    let code = match bytes {
        [b'x' | b's' | b'w', 0x20, _, _, code @ ..] if code.len() % 16 == 0 => code,
        _ => bytes,
    };
    match code.as_chunks::<16>() {
        (rows, []) => Ok(rows.iter().map(words_of).collect()),
        _ => Err(ParseError { slot: bytes.len() / 16, kind: ParseErrorKind::Unaligned { bytes: bytes.len() } }),
    }
}

/// Words of 16 bytes, little-endian.
pub(crate) fn words_of(bytes: &[u8; 16]) -> Words {
    let (words, _) = bytes.as_chunks::<4>();
    std::array::from_fn(|i| u32::from_le_bytes(words[i]))
}

/// Fields of a source: negation, swizzle, what it reads.
const SOURCES: [(Slot, Field, Field, Field); 3] = [
    (Slot::A, tables::A_NEGATE, tables::A_SWIZZLE, tables::A_SOURCE),
    (Slot::B, tables::B_NEGATE, tables::B_SWIZZLE, tables::B_SOURCE),
    (Slot::C, tables::C_NEGATE, tables::C_SWIZZLE, tables::C_SOURCE),
];

impl Instruction {
    /// Reads the words of an instruction.
    ///
    /// # Errors
    /// A field that has an effect and a value without meaning.
    pub fn decode(words: &Words) -> Result<Self, ParseErrorKind> {
        // The opcodes 14 and 15 do nothing.
        let mac = Mac::from_number(tables::MAC.get(words)).unwrap_or_default();
        let ilu = Ilu::from_number(tables::ILU.get(words)).unwrap_or_default();
        let relative = tables::RELATIVE.get(words) != 0;
        let mut i = Self { mac, ilu, ..Self::default() };

        for (slot, negate, swizzle, kind) in SOURCES {
            if !mac.sources().contains(&slot) && !ilu.sources().contains(&slot) {
                continue;
            }
            let register = decode_register(words, slot, kind, relative)?;
            i.relative |= relative && matches!(register, Register::Constant(_));
            let bits = swizzle.get(words);
            i.sources[slot as usize] = Some(Source {
                register,
                swizzle: [bits >> 6, bits >> 4 & 3, bits >> 2 & 3, bits & 3],
                negate: negate.get(words) != 0,
            });
        }
        // Opcodes that read one component read that which is x.
        let scalar_c = ilu.is_scalar() && !mac.sources().contains(&Slot::C);
        for (slot, scalar) in [(Slot::A, mac == Mac::Arl), (Slot::C, scalar_c)] {
            if let (Some(source), true) = (&mut i.sources[slot as usize], scalar) {
                source.swizzle = [source.swizzle[0]; 4];
            }
        }

        let temp = tables::TEMP.get(words);
        let mac_mask = Mask(reversed(tables::MAC_MASK.get(words)));
        let ilu_mask = Mask(reversed(tables::ILU_MASK.get(words)));
        // `arl` writes the address register and nothing else.
        if !matches!(mac, Mac::Nop | Mac::Arl) && mac_mask.0 != 0 && !(ilu != Ilu::Nop && temp == TEMP_PAIRED) {
            i.mac_temp = Some((check_temp(tables::TEMP, temp)?, mac_mask));
        }
        if ilu != Ilu::Nop && ilu_mask.0 != 0 {
            let temp = if mac == Mac::Nop { check_temp(tables::TEMP, temp)? } else { TEMP_PAIRED };
            i.ilu_temp = Some((temp, ilu_mask));
        }

        let mask = Mask(reversed(tables::OUTPUT_MASK.get(words)));
        let unit = if tables::OUTPUT_UNIT.get(words) == 0 { Unit::Mac } else { Unit::Ilu };
        let computes = match unit {
            Unit::Mac => !matches!(mac, Mac::Nop | Mac::Arl),
            Unit::Ilu => ilu != Ilu::Nop,
        };
        if mask.0 != 0 && computes {
            let address = tables::OUTPUT_ADDRESS.get(words);
            let target = if tables::OUTPUT_BANK.get(words) == 0 {
                Target::Constant(check_constant(tables::OUTPUT_ADDRESS, address)?)
            } else {
                let output = Output::from_number(address & 15).ok_or(ParseErrorKind::Output(address & 15))?;
                Target::Output(output)
            };
            i.write = Some(Write { target, mask, unit });
        }
        Ok(i)
    }
}

fn decode_register(words: &Words, slot: Slot, kind: Field, relative: bool) -> Result<Register, ParseErrorKind> {
    match kind.get(words) {
        SOURCE_TEMP => {
            let (field, number) = match slot {
                Slot::A => (tables::A_TEMP, tables::A_TEMP.get(words)),
                Slot::B => (tables::B_TEMP, tables::B_TEMP.get(words)),
                Slot::C => {
                    let high = tables::C_TEMP_HIGH.get(words);
                    (tables::C_TEMP_LOW, high << 2 | tables::C_TEMP_LOW.get(words))
                }
            };
            check_temp(field, number).map(Register::Temp)
        }
        SOURCE_INPUT => Ok(Register::Input(tables::INPUT.get(words))),
        SOURCE_CONSTANT => {
            let number = tables::CONSTANT.get(words);
            let number = if relative { number } else { check_constant(tables::CONSTANT, number)? };
            Ok(Register::Constant(number))
        }
        value => Err(ParseErrorKind::Source { field: kind.name, value }),
    }
}

fn check_temp(field: Field, value: u8) -> Result<u8, ParseErrorKind> {
    let count = TEMP_POSITION + 1;
    let error = ParseErrorKind::Register { field: field.name, value, file: "the file of temporaries", count };
    if value < count { Ok(value) } else { Err(error) }
}

fn check_constant(field: Field, value: u8) -> Result<u8, ParseErrorKind> {
    let count = CONSTANT_SLOTS as u8;
    let error = ParseErrorKind::Register { field: field.name, value, file: "constant memory", count };
    if value < count { Ok(value) } else { Err(error) }
}
