//! Words to instructions. Every length, id and string is checked here; what they mean is the lifter's business.

use rustc_hash::FxHashMap;

use crate::error::{ParseError, ParseErrorKind};
use crate::tables::{self, MAGIC, Row, decoration, op};

/// Most words of a module: 16 MiB.
pub const MAX_WORDS: usize = 1 << 22;
/// Most ids of a module, from the specification's universal limits.
pub const MAX_BOUND: u32 = 4_194_303;

/// An instruction, its operands still being words.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// Place of its first word, counted from the magic number.
    pub offset: u32,
    /// Its row.
    pub row: &'static Row,
    /// Id of the result's type; 0 without.
    pub ty: u32,
    /// Id of the result; 0 without.
    pub result: u32,
    first: u32,
    end: u32,
}

impl Instruction {
    /// The opcode, one of [`op`].
    pub fn opcode(&self) -> u16 {
        self.row.opcode
    }
}

/// A module whose instructions are well formed.
#[derive(Clone, Debug)]
pub struct Program {
    /// The version word: major version in bits 16 to 23, minor in 8 to 15.
    pub version: u32,
    /// Who wrote it, as registered with Khronos.
    pub generator: u32,
    /// All ids are below.
    pub bound: u32,
    /// In the order of the module.
    pub instructions: Vec<Instruction>,
    words: Vec<u32>,
    /// Instruction that has the id as result.
    definitions: FxHashMap<u32, u32>,
}

impl Program {
    /// Reads a module from bytes in either byte order.
    ///
    /// # Errors
    /// The first thing that is malformed.
    pub fn from_bytes(bytes: &[u8]) -> Result<Program, ParseError> {
        Program::parse(&words_from_bytes(bytes)?)
    }

    /// Reads a module from words in either byte order.
    ///
    /// # Errors
    /// The first thing that is malformed.
    pub fn parse(words: &[u32]) -> Result<Program, ParseError> {
        let fail = |offset: usize, kind| Err(ParseError { offset: offset as u32, opcode: None, kind });
        if words.len() > MAX_WORDS {
            return fail(MAX_WORDS, ParseErrorKind::TooLong { words: words.len() });
        }
        if words.len() < 5 {
            return fail(words.len(), ParseErrorKind::Truncated { missing: 5 - words.len() as u32 });
        }
        let words: Vec<u32> = match words[0] {
            MAGIC => words.to_vec(),
            other if other.swap_bytes() == MAGIC => words.iter().map(|word| word.swap_bytes()).collect(),
            found => return fail(0, ParseErrorKind::Magic { found }),
        };
        if !(0x0001_0000..=0x0001_0600).contains(&words[1]) || words[1] & 0xff != 0 {
            return fail(1, ParseErrorKind::Version { word: words[1] });
        }
        if !(1..=MAX_BOUND).contains(&words[3]) {
            return fail(3, ParseErrorKind::Bound { bound: words[3] });
        }
        let mut program = Program {
            version: words[1],
            generator: words[2],
            bound: words[3],
            instructions: Vec::new(),
            words: Vec::new(),
            definitions: FxHashMap::default(),
        };
        let mut offset = 5;
        while offset < words.len() {
            let length = (words[offset] >> 16) as usize;
            let instruction = program.instruction(&words, offset, length)?;
            if instruction.result != 0 {
                let number = program.instructions.len() as u32;
                if let Some(first) = program.definitions.insert(instruction.result, number) {
                    let first = program.instructions[first as usize].offset;
                    let kind = ParseErrorKind::Duplicate { id: instruction.result, first };
                    return Err(ParseError { offset: offset as u32, opcode: Some(instruction.row.name), kind });
                }
            }
            program.instructions.push(instruction);
            offset += length;
        }
        program.words = words;
        Ok(program)
    }

    fn instruction(&self, words: &[u32], offset: usize, length: usize) -> Result<Instruction, ParseError> {
        let number = words[offset] as u16;
        let row = tables::row(number);
        let fail = |at: usize, kind| Err(ParseError { offset: at as u32, opcode: row.map(|row| row.name), kind });
        if length == 0 {
            return fail(offset, ParseErrorKind::Length);
        }
        let Some(row) = row else { return fail(offset, ParseErrorKind::UnknownOpcode { number }) };
        let Some(operands) = words.get(offset + 1..offset + length) else {
            let missing = (offset + length - words.len()) as u32;
            return fail(words.len(), ParseErrorKind::Truncated { missing });
        };
        let mut found = Instruction {
            offset: offset as u32,
            row,
            ty: 0,
            result: 0,
            first: offset as u32 + 1,
            end: (offset + length) as u32,
        };
        let mut operand = 0;
        for_each_operand(row, operands, &mut |letter, at, words| {
            operand += 1;
            let kind = match (letter, words) {
                ('t' | 'r' | 'i', &[id]) if id == 0 || id >= self.bound => {
                    ParseErrorKind::Id { operand, what: describe(letter), id, bound: self.bound }
                }
                ('s', words) if !words.iter().any(|word| has_nul(*word)) => ParseErrorKind::String { operand },
                (_, []) => ParseErrorKind::MissingOperand { operand, what: describe(letter) },
                ('!', words) => ParseErrorKind::ExtraOperands { words: words.len() as u32 },
                ('t', &[id]) => {
                    (found.ty, found.first) = (id, (offset + at + 2) as u32);
                    return Ok(());
                }
                ('r', &[id]) => {
                    (found.result, found.first) = (id, (offset + at + 2) as u32);
                    return Ok(());
                }
                _ => return Ok(()),
            };
            Err(ParseError { offset: (offset + 1 + at) as u32, opcode: Some(row.name), kind })
        })?;
        Ok(found)
    }

    /// The operands behind result type and result.
    pub fn operands(&self, instruction: &Instruction) -> &[u32] {
        &self.words[instruction.first as usize..instruction.end as usize]
    }

    /// Calls `visit` with letter and words of each operand, result type and result included.
    pub(crate) fn visit_operands(&self, instruction: &Instruction, mut visit: impl FnMut(char, &[u32])) {
        let words = &self.words[instruction.offset as usize + 1..instruction.end as usize];
        let done: Result<(), std::convert::Infallible> =
            for_each_operand(instruction.row, words, &mut |letter, _, words| {
                visit(letter, words);
                Ok(())
            });
        let Ok(()) = done;
    }

    /// Number of the instruction whose result is `id`.
    pub fn definition(&self, id: u32) -> Option<usize> {
        self.definitions.get(&id).map(|&number| number as usize)
    }
}

/// Bytes to words in the order in which they lie; [`Program::parse`] turns them over where needed.
///
/// # Errors
/// When the number of bytes is no multiple of four.
pub fn words_from_bytes(bytes: &[u8]) -> Result<Vec<u32>, ParseError> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        let kind = ParseErrorKind::Unaligned { bytes: bytes.len() };
        return Err(ParseError { offset: words.len() as u32, opcode: None, kind });
    }
    Ok(words.iter().map(|&word| u32::from_le_bytes(word)).collect())
}

/// The string at the begin of `words`, as far as it is UTF-8.
pub(crate) fn string(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Words that the string at the begin of `words` takes.
pub(crate) fn string_words(words: &[u32]) -> usize {
    words.iter().position(|&word| has_nul(word)).map_or(words.len(), |last| last + 1)
}

fn has_nul(word: u32) -> bool {
    word.to_le_bytes().contains(&0)
}

/// What an operand's letter stands for.
pub(crate) fn describe(letter: char) -> &'static str {
    match letter {
        't' => "result type",
        'r' => "result",
        'i' => "id",
        's' => "string",
        'S' => "storage class",
        'D' => "decoration",
        'M' => "execution mode",
        'E' => "execution model",
        'C' => "capability",
        'd' => "dimension",
        'f' => "image format",
        'x' => "extended instruction",
        'o' => "opcode",
        'm' => "memory operands",
        'I' => "image operands",
        _ => "literal",
    }
}

/// Calls `visit` with letter, place and words of each operand. Missing ones have no words; what is too much comes as `!`.
/// Operands that follow from a mask or an enumerant come as `i`, `n`, `s` or `B` (a builtin).
fn for_each_operand<E>(
    row: &Row,
    words: &[u32],
    visit: &mut impl FnMut(char, usize, &[u32]) -> Result<(), E>,
) -> Result<(), E> {
    walk(row.opcode, row.operands, words, 0, visit)
}

fn walk<E>(
    opcode: u16,
    letters: &str,
    words: &[u32],
    mut at: usize,
    visit: &mut impl FnMut(char, usize, &[u32]) -> Result<(), E>,
) -> Result<(), E> {
    let mut letters = letters.chars().peekable();
    while let Some(letter) = letters.next() {
        let many = letters.next_if_eq(&'*').is_some();
        let may_miss = many || letters.next_if_eq(&'?').is_some();
        loop {
            let rest = words.get(at..).unwrap_or_default();
            if rest.is_empty() && may_miss {
                break;
            }
            let one = &rest[..rest.len().min(1)];
            let first = one.first().copied().unwrap_or(0);
            match letter {
                's' => {
                    let length = string_words(rest);
                    visit('s', at, &rest[..length])?;
                    at += length;
                }
                'v' => {
                    visit('v', at, rest)?;
                    at = words.len();
                }
                'p' | 'q' => {
                    for (place, letter) in if letter == 'p' { ['n', 'i'] } else { ['i', 'n'] }.into_iter().enumerate() {
                        visit(letter, at + place, rest.get(place..=place).unwrap_or_default())?;
                    }
                    at += 2;
                }
                'o' => {
                    visit('o', at, one)?;
                    // What follows are the operands that the opcode has elsewhere, behind type and result.
                    if let Some(row) = u16::try_from(first).ok().and_then(tables::row)
                        && let Some(operands) = row.operands.strip_prefix("tr")
                        && !operands.contains('o')
                    {
                        return walk(row.opcode, operands, words, at + 1, visit);
                    }
                    at += 1;
                }
                'D' | 'M' | 'L' | 'I' => {
                    visit(letter, at, one)?;
                    at += 1;
                    while at < words.len() {
                        let (letter, length) = match (opcode, letter, first) {
                            (_, 'I', _) | (op::DecorateId | op::ExecutionModeId, ..) => ('i', 1),
                            (op::DecorateString | op::MemberDecorateString, ..) => ('s', string_words(&words[at..])),
                            (_, 'D', decoration::BuiltIn) => ('B', 1),
                            (_, 'D', decoration::LinkageAttributes) if at + 1 < words.len() => {
                                ('s', string_words(&words[at..]))
                            }
                            _ => ('n', 1),
                        };
                        visit(letter, at, &words[at..at + length])?;
                        at += length;
                    }
                }
                'm' => {
                    visit('m', at, one)?;
                    at += 1;
                    for (bit, letter) in [(2, 'n'), (8, 'i'), (16, 'i')] {
                        if first & bit != 0 {
                            visit(letter, at, words.get(at..=at).unwrap_or_default())?;
                            at += 1;
                        }
                    }
                }
                _ => {
                    visit(letter, at, one)?;
                    at += 1;
                }
            }
            if !many {
                break;
            }
        }
    }
    match words.get(at..) {
        Some(rest) if !rest.is_empty() => visit('!', at, rest),
        _ => Ok(()),
    }
}
