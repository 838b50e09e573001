//! Tokens to instructions. Every field is checked here, so that what follows can rely on it; see [`Decoder`].

use crate::error::{Broken, ParseError, ParseErrorKind as Kind};
use crate::instruction::{ControlBits, Declaration, Dst, Instruction, MAX_SOURCES, Register, Relative, Src, Swizzle};
use crate::refusals::{Rule, RuleSet};
use crate::tables::{
    COMMENT, Comparison, Control, END, MISC_FACE, Opcode, OpcodeInfo, Operand, RESULT_SHIFTS, RegisterType,
    SourceModifier, Stage, TextureDimension, Usage, Version,
};
use crate::validate::Rules;
use smallvec::SmallVec;

/// Longest shader that is read, in tokens. The largest models allow 32,768 instructions of at most eight tokens.
pub const MAX_TOKENS: usize = 1 << 19;

/// Turns bytes into tokens; for code that comes from a file or a packet.
///
/// # Errors
/// [`Kind::Unaligned`] if the size is no multiple of four, [`Kind::TooLong`] beyond [`MAX_TOKENS`].
pub fn tokens_from_bytes(bytes: &[u8]) -> Result<Vec<u32>, ParseError> {
    let error = |kind| ParseError { offset: (bytes.len() / 4) as u32, opcode: None, rule: Rule::Tokens, kind };
    if bytes.len() / 4 > MAX_TOKENS {
        return Err(error(Kind::TooLong));
    }
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(error(Kind::Unaligned { bytes: bytes.len() }));
    }
    Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

/// Finds the length of a shader whose end nobody has told, end token included, reading each token once and in order.
///
/// `read(i)` gives token `i`, or `None` where the memory ends. The end token is only looked for where an instruction
/// can stand, so constants and comments that contain `0x0000ffff` do not end the shader.
///
/// # Errors
/// A version, an opcode or a length that does not exist, or no end within [`MAX_TOKENS`].
pub fn token_length(mut read: impl FnMut(usize) -> Option<u32>) -> Result<usize, ParseError> {
    let error = |offset: usize, rule, kind| ParseError { offset: offset as u32, opcode: None, rule, kind };
    let fail = |offset, kind| error(offset, Rule::Tokens, kind);
    let first = read(0).ok_or_else(|| fail(0, Kind::Truncated))?;
    let version = Version::from_token(first).ok_or_else(|| error(0, Rule::Version, Kind::Version { token: first }))?;
    let mut at = 1;
    while at < MAX_TOKENS {
        let token = read(at).ok_or_else(|| fail(at, Kind::Truncated))?;
        if token == END {
            return Ok(at + 1);
        }
        let number = token as u16;
        let operands = if number == COMMENT {
            (token >> 16 & 0x7FFF) as usize
        } else if version.has_lengths() {
            (token >> 24 & 0xF) as usize
        } else {
            let op = find_opcode(number, version).map_err(|(rule, kind)| error(at, rule, kind))?;
            op.info().operands.iter().map(|operand| operand_tokens(*operand)).sum()
        };
        at += 1;
        // Comments are stepped over token by token too: `read` may be looking for the end of its memory.
        for _ in 0..operands {
            read(at).ok_or_else(|| fail(at, Kind::Truncated))?;
            at += 1;
        }
    }
    Err(fail(at, Kind::TooLong))
}

fn operand_tokens(operand: Operand) -> usize {
    match operand {
        Operand::Floats | Operand::Ints => 4,
        _ => 1,
    }
}

fn find_opcode(number: u16, version: Version) -> Result<Opcode, Broken> {
    Opcode::find(number, version).map_err(|known| match known {
        true => (Rule::FlowOpcode, Kind::OpcodeVersion { number, version }),
        false => (Rule::Tokens, Kind::UnknownOpcode { number }),
    })
}

/// How many constant registers a shader may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constants {
    /// As many as its model has.
    OfModel,
    /// As many as vertex processing in software has, which devices that can do it grant vertex shaders of every model.
    OfSoftware,
}

/// A comment: whatever a compiler put beside the code, the constant table ([`crate::ctab`]) above all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Index of the instruction that follows.
    pub before: u32,
    /// What stands in it, at most 32,767 tokens.
    pub words: Vec<u32>,
}

/// A whole shader, decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Shader model.
    pub version: Version,
    /// Instructions in order; comments and the end token are not among them.
    pub instructions: Vec<Instruction>,
    /// Comments in order.
    pub comments: Vec<Comment>,
    /// Length in tokens, version and end token included.
    pub length: u32,
}

impl Program {
    /// Decodes and checks a shader. What follows its end token is ignored.
    ///
    /// # Errors
    /// The first thing wrong with it.
    pub fn parse(tokens: &[u32]) -> Result<Self, ParseError> {
        Self::parse_with(tokens, Constants::OfModel)
    }

    /// As [`Self::parse`], with these constants.
    ///
    /// # Errors
    /// The first thing wrong with it.
    pub fn parse_with(tokens: &[u32], constants: Constants) -> Result<Self, ParseError> {
        let mut decoder = Decoder::new(tokens, constants)?;
        let mut instructions = Vec::with_capacity(tokens.len().min(MAX_TOKENS) / 3);
        for instruction in decoder.by_ref() {
            instructions.push(instruction?);
        }
        let comments = decoder.comments.iter().map(|(before, start, len)| Comment {
            before: *before,
            words: tokens[*start as usize..][..usize::from(*len)].to_vec(),
        });
        Ok(Self { version: decoder.version, instructions, comments: comments.collect(), length: decoder.at as u32 })
    }
}

/// Decodes one instruction after the other without allocating.
///
/// It checks what the creation of a shader does, or with [`Decoder::strict`] what the validator does ([`crate::refusals`] has
/// which is whose; what is broken of the others, [`Decoder::broken`] says): the version; that each opcode exists in it; control
/// bits; the instruction length; register types, numbers, access and relative addressing; modifiers, masks and swizzles
/// ([`crate::rules`]); declarations, nesting, subroutines and order ([`crate::validate`]); that an end token comes. After an
/// error it yields nothing more.
#[derive(Debug)]
pub struct Decoder<'a> {
    tokens: &'a [u32],
    at: usize,
    version: Version,
    constants: Constants,
    done: bool,
    yielded: u32,
    /// Instructions before it, first token and number of tokens of each comment.
    comments: SmallVec<[(u32, u32, u16); 2]>,
    rules: Rules,
}

impl<'a> Decoder<'a> {
    /// Starts at the version token.
    ///
    /// # Errors
    /// [`Kind::Truncated`] or [`Kind::Version`].
    pub fn new(tokens: &'a [u32], constants: Constants) -> Result<Self, ParseError> {
        Self::with(tokens, constants, false)
    }

    /// As the validator, which refuses whatever breaks a rule.
    ///
    /// # Errors
    /// [`Kind::Truncated`] or [`Kind::Version`].
    pub fn strict(tokens: &'a [u32], constants: Constants) -> Result<Self, ParseError> {
        Self::with(tokens, constants, true)
    }

    fn with(tokens: &'a [u32], constants: Constants, strict: bool) -> Result<Self, ParseError> {
        let fail = |rule, kind| ParseError { offset: 0, opcode: None, rule, kind };
        let token = *tokens.first().ok_or_else(|| fail(Rule::Tokens, Kind::Truncated))?;
        let version = Version::from_token(token).ok_or_else(|| fail(Rule::Version, Kind::Version { token }))?;
        let tokens = &tokens[..tokens.len().min(MAX_TOKENS)];
        let rules = Rules::new(version, strict);
        Ok(Self { tokens, at: 1, version, constants, done: false, yielded: 0, comments: SmallVec::new(), rules })
    }

    /// The shader model.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The rules that the shader has broken so far, none of which refuses it.
    pub fn broken(&self) -> RuleSet {
        self.rules.broken
    }

    /// Tokens read so far; after the last instruction, the length of the shader.
    pub fn position(&self) -> usize {
        self.at
    }

    fn take(&mut self) -> Result<u32, Broken> {
        let missing = if self.at >= MAX_TOKENS { Kind::TooLong } else { Kind::Truncated };
        let token = *self.tokens.get(self.at).ok_or((Rule::Tokens, missing))?;
        self.at += 1;
        Ok(token)
    }

    fn field(&self, field: &'static str, value: u32) -> Kind {
        Kind::Field { field, value, version: self.version }
    }

    fn step(&mut self) -> Result<Option<Instruction>, ParseError> {
        loop {
            let offset = self.at;
            let fail = |(rule, kind)| ParseError { offset: offset as u32, opcode: None, rule, kind };
            let token = self.take().map_err(fail)?;
            if token == END {
                return self.rules.finish().map(|()| None).map_err(|(place, (rule, kind))| ParseError {
                    offset: place.unwrap_or(offset as u32),
                    opcode: place.map(|_| Opcode::Call.info().name),
                    rule,
                    kind,
                });
            }
            if token as u16 == COMMENT {
                let len = (token >> 16 & 0x7FFF) as u16;
                let end = self.at + usize::from(len);
                if end > self.tokens.len() {
                    return Err(fail((Rule::Tokens, Kind::Truncated)));
                }
                self.comments.push((self.yielded, self.at as u32, len));
                self.at = end;
                continue;
            }
            let op = find_opcode(token as u16, self.version).map_err(fail)?;
            let error = |offset: usize, (rule, kind)| {
                Err(ParseError { offset: offset as u32, opcode: Some(op.info().name), rule, kind })
            };
            return match self.instruction(offset, token, op) {
                Ok(mut instruction) => match self.rules.instruction(&mut instruction) {
                    Ok(()) => Ok(Some(instruction)),
                    Err(broken) => error(offset, broken),
                },
                // A wrong operand is reported at its own token, which is the last one that was taken.
                Err(broken) => error((self.at - 1).max(offset), broken),
            };
        }
    }

    fn instruction(&mut self, offset: usize, token: u32, op: Opcode) -> Result<Instruction, Broken> {
        let info = op.info();
        if !info.exists_in(self.version) {
            let kind = Kind::OpcodeVersion { number: info.number, version: self.version };
            self.rules.judge(Rule::ArithmeticOpcode, kind)?;
        }
        let mut instruction = Instruction::new(op);
        instruction.offset = offset as u32;
        instruction.control = self.control(info, token >> 16 & 0xFF)?;
        instruction.coissue = token & 1 << 30 != 0;
        if token & 1 << 31 != 0 {
            return Err((Rule::Tokens, self.field("instruction token bit 31", 1)));
        }
        let predicated = token & 1 << 28 != 0;
        if predicated && !info.can_be_predicated(self.version) {
            return Err((Rule::Predicate, self.field("predication bit", 1)));
        }

        let mut usage = None;
        for operand in info.operands {
            match *operand {
                Operand::Usage => usage = Some(self.take()?),
                Operand::Floats | Operand::Ints => {
                    for word in &mut instruction.immediate {
                        *word = self.take()?;
                    }
                }
                Operand::Flag => instruction.immediate[0] = self.take()?,
                operand if operand.is_dst() => {
                    instruction.dst = Some(self.dst(info, operand)?);
                    if predicated {
                        instruction.predicate = Some(self.src(op, Operand::Predicate, "predicate")?);
                    }
                }
                operand => {
                    let field = SOURCE_NAMES[instruction.srcs.len() % MAX_SOURCES];
                    let src = self.src(op, operand, field)?;
                    instruction.srcs.push(src);
                }
            }
        }
        if let (Some(usage), Some(dst)) = (usage, instruction.dst) {
            instruction.declaration = Some(self.declaration(usage, dst.register.ty)?);
        }
        if self.version.has_lengths() {
            let (field, expected) = (token >> 24 & 0xF, (self.at - offset - 1) as u32);
            if field != expected {
                return Err((Rule::Tokens, Kind::Length { field, expected }));
            }
        }
        Ok(instruction)
    }

    fn control(&mut self, info: &OpcodeInfo, bits: u32) -> Result<ControlBits, Broken> {
        match (info.control, bits) {
            (Control::None, 0) | (Control::Texture, 0) => Ok(ControlBits::None),
            (Control::Texture, 1) => Ok(ControlBits::Project),
            (Control::Texture, 2) => Ok(ControlBits::Bias),
            (Control::Comparison, bits) => Comparison::from_number(bits as u8)
                .map(ControlBits::Comparison)
                .ok_or_else(|| (Rule::Values, self.field("comparison", bits))),
            (Control::Texture, bits) => Err((Rule::Values, self.field("control bits", bits))),
            (Control::None, bits) => {
                self.rules.judge(Rule::ControlBits, self.field("control bits", bits))?;
                Ok(ControlBits::None)
            }
        }
    }

    fn registers(&self, ty: RegisterType) -> u16 {
        match self.constants {
            Constants::OfModel => ty.info().count(self.version),
            Constants::OfSoftware => ty.info().software_count(self.version),
        }
    }

    /// Judges the number of a register, or of the last of several.
    fn in_file(&mut self, ty: RegisterType, number: u32, field: &'static str) -> Result<(), Broken> {
        let count = self.registers(ty);
        if number < count.into() {
            return Ok(());
        }
        let kind = Kind::RegisterNumber { field, file: ty.info().name, number, count, version: self.version };
        let rule = match ty {
            _ if number < ty.info().most(self.version).into() => Rule::RegisterCount,
            RegisterType::Const | RegisterType::ConstInt | RegisterType::ConstBool => Rule::Constants,
            _ => Rule::Registers,
        };
        self.rules.judge(rule, kind)
    }

    /// Register type and number of a parameter token, both checked against the version.
    fn register(&mut self, token: u32, field: &'static str) -> Result<Register, Broken> {
        if token & 1 << 31 == 0 {
            return Err((Rule::Tokens, self.field("parameter token bit 31", 0)));
        }
        let mut number = token & 0x7FF;
        let mut ty = token >> 28 & 7 | token >> 8 & 0x18;
        // CONST2 to CONST4 carry on the constant file in steps of 2048 (software vertex processing).
        if let (11..=13, true) = (ty, self.registers(RegisterType::Const) > 2048) {
            number += 2048 * (ty - 10);
            ty = RegisterType::Const.info().number.into();
        }
        let found = RegisterType::find(ty as u8, self.version);
        let ty = found.ok_or_else(|| (Rule::Files, self.field("register type", ty)))?;
        self.in_file(ty, number, field)?;
        Ok(Register::new(ty, number as u16))
    }

    /// Reads what bit 13 of a parameter token asks for.
    fn relative(
        &mut self,
        token: u32,
        register: &mut Register,
        is_dst: bool,
        field: &'static str,
    ) -> Result<(), Broken> {
        if token & 1 << 13 == 0 {
            return Ok(());
        }
        let impossible = |ty: RegisterType| Kind::Relative { field, file: ty.info().name };
        if !register.ty.can_be_relative(self.version, is_dst) {
            let constant = register.ty == RegisterType::Const && !is_dst && self.version.major >= 3;
            let rule = if constant { Rule::RelativeConstant } else { Rule::Relative };
            self.rules.judge(rule, impossible(register.ty))?;
        }
        if !self.version.has_lengths() {
            register.relative = Some(Relative::Address(0));
            return Ok(());
        }
        let token = self.take()?;
        let by = self.register(token, "relative address")?;
        register.relative = Some(match by.ty {
            RegisterType::Address => Relative::Address((token >> 16 & 3) as u8),
            RegisterType::Loop => {
                self.rules.loop_counter()?;
                Relative::Loop
            }
            other => return Err((Rule::Relative, impossible(other))),
        });
        Ok(())
    }

    fn dst(&mut self, info: &OpcodeInfo, operand: Operand) -> Result<Dst, Broken> {
        const FIELD: &str = "destination";
        let token = self.take()?;
        let mut register = self.register(token, FIELD)?;
        if !operand.takes(register.ty, info.op, self.version) {
            let address = info.op == Opcode::Mov && register.ty == RegisterType::Address;
            let rule = if address { Rule::AddressByMov } else { Rule::Files };
            self.rules.judge(rule, Kind::RegisterUse { field: FIELD, file: register.ty.info().name })?;
        }
        // The number is that of the stage, too.
        let stage = matches!(operand, Operand::DstTemp | Operand::DstDepth) || info.op == Opcode::Bem;
        let count = register.ty.info().count(self.version);
        if stage && register.number >= count {
            let (file, number) = (register.ty.info().name, register.number.into());
            let kind = Kind::RegisterNumber { field: FIELD, file, number, count, version: self.version };
            return Err((Rule::Registers, kind));
        }
        let mut shift = ((token >> 24 & 0xF) as i8) << 4 >> 4;
        if shift != 0 && !info.result_shifts(self.version).any(|allowed| allowed == shift) {
            let assigned = RESULT_SHIFTS.iter().any(|(value, _)| *value == shift);
            let rule = if assigned { Rule::ResultShift } else { Rule::Values };
            self.rules.judge(rule, self.field("result shift", token >> 24 & 0xF))?;
            if operand != Operand::Dst || register.ty == RegisterType::Address {
                shift = 0;
            }
        }
        let allowed = info.result_modifiers(self.version);
        let modifiers = token & 0xF << 20;
        if modifiers & !allowed != 0 {
            self.rules.judge(Rule::ResultModifier, self.field("result modifier", token >> 20 & 0xF))?;
        }
        let mask = (token >> 16 & 0xF) as u8;
        if !info.allows_mask(mask, self.version) {
            self.rules.judge(Rule::Masks, Kind::Mask { mask, allowed: info.masks })?;
        }
        self.relative(token, &mut register, true, FIELD)?;
        if operand != Operand::DstDeclared {
            self.rules.used(register, FIELD)?;
        }
        Ok(Dst { register, mask, modifiers: modifiers & allowed, shift })
    }

    fn src(&mut self, op: Opcode, operand: Operand, field: &'static str) -> Result<Src, Broken> {
        let token = self.take()?;
        let mut register = self.register(token, field)?;
        let ty = register.ty;
        if !operand.takes(ty, op, self.version) {
            let coordinate = matches!(operand, Operand::Src | Operand::Scalar) && ty == RegisterType::Texture;
            let rule = if coordinate { Rule::CoordinateSource } else { Rule::Files };
            self.rules.judge(rule, Kind::RegisterUse { field, file: ty.info().name })?;
        }
        if let Operand::Rows(rows) = operand {
            self.in_file(ty, u32::from(register.number) + u32::from(rows) - 1, field)?;
        }
        let bits = (token >> 24 & 0xF) as u8;
        let modifier = SourceModifier::from_number(bits);
        let mut modifier = modifier.ok_or_else(|| (Rule::Values, self.field("source modifier", bits.into())))?;
        if !operand.takes_modifier(modifier, self.version) {
            self.rules.judge(Rule::SourceModifier, self.field("source modifier", bits.into()))?;
            if !operand.can_be_modified(modifier) {
                modifier = SourceModifier::None;
            }
        }
        let swizzle = Swizzle((token >> 16) as u8);
        // `vFace` has one component, so none need be named.
        let face = ty == RegisterType::Misc && register.number == MISC_FACE;
        if !face && !operand.takes_swizzle(swizzle, self.version) {
            self.rules.judge(Rule::Swizzle, Kind::Swizzle { field })?;
        }
        self.relative(token, &mut register, false, field)?;
        self.rules.used(register, field)?;
        Ok(Src { register, swizzle, modifier })
    }

    fn declaration(&mut self, token: u32, ty: RegisterType) -> Result<Declaration, Broken> {
        let usage = token & 0x1F;
        match ty {
            RegisterType::Sampler => {
                let value = token >> 27 & 0xF;
                let dimension = TextureDimension::from_number(value as u8);
                if dimension.is_none() && value != 0 {
                    self.rules.judge(Rule::SamplerType, self.field("texture type", value))?;
                }
                Ok(Declaration::Sampler(dimension))
            }
            RegisterType::Input | RegisterType::Output
                if self.version.stage == Stage::Vertex || self.version.major >= 3 =>
            {
                let semantic = Usage::from_number(usage as u8);
                let semantic = semantic.ok_or_else(|| (Rule::Values, self.field("usage", usage)))?;
                let index = (token >> 16 & 0xF) as u8;
                // The position belongs to the rasteriser; pixel shaders have it in `vPos`.
                if self.version.stage == Stage::Pixel && (semantic, index) == (Usage::Position, 0) {
                    return Err((Rule::PixelPosition, self.field("usage", usage)));
                }
                Ok(Declaration::Semantic(semantic, index))
            }
            _ => Ok(Declaration::Plain),
        }
    }
}

const SOURCE_NAMES: [&str; MAX_SOURCES] = ["source 0", "source 1", "source 2", "source 3"];

impl Iterator for Decoder<'_> {
    type Item = Result<Instruction, ParseError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let step = self.step().transpose();
        self.done = !matches!(step, Some(Ok(_)));
        self.yielded += 1;
        step
    }
}
