//! Instructions to tokens: the inverse of [`crate::parse`].

use crate::instruction::{ControlBits, Declaration, Dst, Instruction, Register, Relative, Src, Swizzle};
use crate::parse::Program;
use crate::tables::{COMMENT, END, Operand, RegisterType, Version};

impl Program {
    /// The tokens of the program, from the version to the end token.
    pub fn encode(&self) -> Vec<u32> {
        let mut tokens = vec![self.version.token()];
        let mut comments = self.comments.iter().peekable();
        let mut comment = |before: usize, tokens: &mut Vec<u32>| {
            while let Some(comment) = comments.next_if(|comment| comment.before as usize <= before) {
                let words = &comment.words[..comment.words.len().min(0x7FFF)];
                tokens.push(u32::from(COMMENT) | (words.len() as u32) << 16);
                tokens.extend(words);
            }
        };
        for (index, instruction) in self.instructions.iter().enumerate() {
            comment(index, &mut tokens);
            encode(instruction, self.version, &mut tokens);
        }
        comment(usize::MAX, &mut tokens);
        tokens.push(END);
        tokens
    }
}

/// Appends the tokens of one instruction.
pub fn encode(instruction: &Instruction, version: Version, tokens: &mut Vec<u32>) {
    let info = instruction.op.info();
    let start = tokens.len();
    let control = match instruction.control {
        ControlBits::None => 0,
        ControlBits::Comparison(comparison) => comparison as u32,
        ControlBits::Project => 1,
        ControlBits::Bias => 2,
    };
    tokens.push(u32::from(info.number) | control << 16 | u32::from(instruction.coissue) << 30);
    let mut srcs = instruction.srcs.iter();
    for operand in info.operands {
        match operand {
            Operand::Usage => tokens.push(usage_token(instruction.declaration)),
            operand if operand.is_dst() => {
                if let Some(dst) = &instruction.dst {
                    encode_dst(dst, version, tokens);
                }
                if let Some(predicate) = &instruction.predicate {
                    tokens[start] |= 1 << 28;
                    encode_src(predicate, version, tokens);
                }
            }
            Operand::Floats | Operand::Ints => tokens.extend(instruction.immediate),
            Operand::Flag => tokens.push(instruction.immediate[0]),
            _ => {
                if let Some(src) = srcs.next() {
                    encode_src(src, version, tokens);
                }
            }
        }
    }
    if version.has_lengths() {
        tokens[start] |= ((tokens.len() - start - 1) as u32 & 0xF) << 24;
    }
}

fn usage_token(declaration: Option<Declaration>) -> u32 {
    let bits = match declaration {
        Some(Declaration::Semantic(usage, index)) => usage as u32 | u32::from(index) << 16,
        Some(Declaration::Sampler(Some(dimension))) => (dimension as u32) << 27,
        _ => 0,
    };
    1 << 31 | bits
}

fn register_bits(register: &Register) -> u32 {
    let (mut ty, mut number) = (u32::from(register.ty.info().number), u32::from(register.number));
    if register.ty == RegisterType::Const && number >= 2048 {
        // Constants of software vertex processing carry on in three more register types.
        ty = 10 + number / 2048;
        number %= 2048;
    }
    1 << 31 | (ty & 7) << 28 | (ty & 0x18) << 8 | number | u32::from(register.relative.is_some()) << 13
}

fn encode_relative(register: &Register, version: Version, tokens: &mut Vec<u32>) {
    let (ty, swizzle) = match register.relative {
        Some(Relative::Address(component)) => (RegisterType::Address, Swizzle::replicate(component)),
        Some(Relative::Loop) => (RegisterType::Loop, Swizzle::IDENTITY),
        None => return,
    };
    if version.has_lengths() {
        tokens.push(register_bits(&Register::new(ty, 0)) | u32::from(swizzle.0) << 16);
    }
}

fn encode_dst(dst: &Dst, version: Version, tokens: &mut Vec<u32>) {
    let shift = (dst.shift as u32 & 0xF) << 24;
    tokens.push(register_bits(&dst.register) | u32::from(dst.mask & 0xF) << 16 | dst.modifiers | shift);
    encode_relative(&dst.register, version, tokens);
}

fn encode_src(src: &Src, version: Version, tokens: &mut Vec<u32>) {
    tokens.push(register_bits(&src.register) | u32::from(src.swizzle.0) << 16 | (src.modifier as u32) << 24);
    encode_relative(&src.register, version, tokens);
}
