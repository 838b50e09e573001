//! What a guest must know of a shader without compiling it: semantics, samplers, constants.
//!
//! One pass over the tokens; the only allocations are those of shaders with more than sixteen inputs or outputs.

use crate::error::ParseError;
use crate::instruction::{Declaration, Instruction, Register, Src};
use crate::parse::{Constants, Decoder, Program};
use crate::refusals::RuleSet;
use crate::tables::{Opcode, Operand, RAST_FOG, RAST_POSITION, RegisterType, Stage, TextureDimension, Usage, Version};
use crate::validate::{is_packed, packed};
use smallvec::SmallVec;

/// Most samplers of one stage.
pub const MAX_SAMPLERS: usize = 16;

/// An input or output with its semantic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// Semantic.
    pub usage: Usage,
    /// Semantic index, 0 to 15.
    pub index: u8,
    /// Register file: `v#`, `t#`, `o#`, `oPos`... Models before 3.0 keep outputs in several files.
    pub file: RegisterType,
    /// Number in the file. For vertex inputs this is also the shader's input location.
    pub register: u16,
    /// Components of the register that the shader declares (inputs) or writes (outputs), bit 0 is x.
    pub mask: u8,
    /// The register's component of this number is the semantic's first; 0 but for some shaders of Wine's compiler.
    pub shift: u8,
}

/// Constants of one file that the shader reads from the application; those it defines itself are not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ConstantUse {
    /// One past the highest register that may be read; with relative addressing, the size of the file.
    pub count: u16,
    /// True if a register is chosen by `a0` or `aL`.
    pub relative: bool,
    /// Registers 0 to 255 that are read directly.
    pub read: [u64; 4],
    /// Registers 0 to 255 that the shader defines itself (`def`, `defi`, `defb`).
    pub defined: [u64; 4],
}

impl ConstantUse {
    /// True if the value that the application sets in `register` can be read.
    pub fn reads(&self, register: u16) -> bool {
        let bit = |mask: &[u64; 4]| mask.get(usize::from(register / 64)).is_some_and(|m| m >> (register % 64) & 1 != 0);
        register < self.count && (self.relative || register >= 256 || bit(&self.read)) && !bit(&self.defined)
    }

    fn set(mask: &mut [u64; 4], register: u16) {
        if let Some(word) = mask.get_mut(usize::from(register / 64)) {
            *word |= 1 << (register % 64);
        }
    }

    fn read(&mut self, register: Register, rows: u16, file_size: u16) {
        if register.relative.is_some() {
            self.relative = true;
            self.count = file_size;
            return;
        }
        for number in register.number..register.number + rows {
            Self::set(&mut self.read, number);
            if number >= 256 {
                self.count = self.count.max(number + 1);
            }
        }
    }

    fn define(&mut self, register: u16) {
        Self::set(&mut self.defined, register);
    }

    /// Takes the definitions out of what was read, which works wherever in the shader they stand.
    fn finish(&mut self) {
        for word in (0..4).rev() {
            self.read[word] &= !self.defined[word];
            if self.read[word] != 0 {
                self.count = self.count.max(word as u16 * 64 + 64 - self.read[word].leading_zeros() as u16);
            }
        }
    }
}

/// How a shader uses one sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SamplerUse {
    /// Sampled, and the shader says from what.
    Declared(TextureDimension),
    /// Sampled, but only the bound texture says from what (ps_1_x).
    Undeclared,
}

/// What a shader takes and gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Shader model; its stage is the shader's.
    pub version: Version,
    /// Length in tokens, version and end token included.
    pub length: u32,
    /// Inputs.
    pub inputs: SmallVec<[Element; 16]>,
    /// Outputs of a vertex shader.
    pub outputs: SmallVec<[Element; 16]>,
    /// Colour outputs that a pixel shader writes, bit 0 is `oC0`.
    pub color_outputs: u8,
    /// The pixel shader writes `oDepth`.
    pub depth_output: bool,
    /// The pixel shader reads `vPos`.
    pub reads_position: bool,
    /// The pixel shader reads `vFace`.
    pub reads_face: bool,
    /// The pixel shader discards pixels.
    pub discards: bool,
    /// Samplers, by number.
    pub samplers: [Option<SamplerUse>; MAX_SAMPLERS],
    /// `c#`.
    pub floats: ConstantUse,
    /// `i#`.
    pub ints: ConstantUse,
    /// `b#`.
    pub bools: ConstantUse,
}

/// Reads the signature of a shader and checks the whole of it on the way. What follows its end token is ignored.
///
/// # Errors
/// Those of [`crate::parse::Program::parse`].
pub fn signature(tokens: &[u32]) -> Result<Signature, ParseError> {
    signature_with(tokens, Constants::OfModel)
}

/// As [`signature`], with these constants.
///
/// # Errors
/// Those of [`crate::parse::Program::parse_with`].
pub fn signature_with(tokens: &[u32], constants: Constants) -> Result<Signature, ParseError> {
    check(tokens, constants).map(|(signature, _)| signature)
}

/// As [`signature_with`], and the rules that the shader breaks without being refused.
///
/// # Errors
/// Those of [`crate::parse::Program::parse_with`].
pub fn check(tokens: &[u32], constants: Constants) -> Result<(Signature, RuleSet), ParseError> {
    let mut decoder = Decoder::new(tokens, constants)?;
    let mut signature = Signature::new(decoder.version());
    for instruction in decoder.by_ref() {
        signature.add(&instruction?);
    }
    signature.finish(decoder.position() as u32);
    Ok((signature, decoder.broken()))
}

impl Signature {
    fn new(version: Version) -> Self {
        Self {
            version,
            length: 0,
            inputs: SmallVec::new(),
            outputs: SmallVec::new(),
            color_outputs: 0,
            depth_output: false,
            reads_position: false,
            reads_face: false,
            discards: false,
            samplers: [None; MAX_SAMPLERS],
            floats: ConstantUse::default(),
            ints: ConstantUse::default(),
            bools: ConstantUse::default(),
        }
    }

    /// The signature of a shader that has been decoded already.
    pub fn of(program: &Program) -> Self {
        let mut signature = Self::new(program.version);
        for instruction in &program.instructions {
            signature.add(instruction);
        }
        signature.finish(program.length);
        signature
    }

    fn finish(&mut self, length: u32) {
        self.length = length;
        if self.version.stage == Stage::Pixel && self.version.major == 1 {
            self.color_outputs = 1;
        }
        for constants in [&mut self.floats, &mut self.ints, &mut self.bools] {
            constants.finish();
        }
    }

    /// Stage of the shader.
    pub fn stage(&self) -> Stage {
        self.version.stage
    }

    fn add(&mut self, instruction: &Instruction) {
        if let Some(dst) = instruction.dst {
            let number = dst.register.number;
            match instruction.op {
                Opcode::Dcl => self.declare(instruction, dst.register, dst.mask),
                Opcode::Def => self.floats.define(number),
                Opcode::DefI => self.ints.define(number),
                Opcode::DefB => self.bools.define(number),
                Opcode::TexKill => self.discards = true,
                Opcode::Tex
                | Opcode::TexLd14
                | Opcode::TexBem
                | Opcode::TexBemL
                | Opcode::TexReg2Ar
                | Opcode::TexReg2Gb
                | Opcode::TexReg2Rgb
                | Opcode::TexM3x2Tex
                | Opcode::TexM3x3Tex
                | Opcode::TexM3x3Spec
                | Opcode::TexM3x3VSpec
                | Opcode::TexDp3Tex => self.sample(number),
                Opcode::TexM3x2Depth | Opcode::TexDepth => self.depth_output = true,
                _ => {}
            }
            if self.version.is_ps_before_1_4() || instruction.op == Opcode::TexKill {
                self.implied(dst.register);
            }
            if instruction.op != Opcode::Dcl {
                self.write(dst.register, dst.mask);
            }
        }
        for (src, operand) in instruction.srcs.iter().zip(source_operands(instruction.op)) {
            self.source(src, operand);
        }
    }

    fn source(&mut self, src: &Src, operand: Operand) {
        let register = src.register;
        let rows = if let Operand::Rows(rows) = operand { rows.into() } else { 1 };
        let file_size = register.ty.info().count(self.version);
        match register.ty {
            RegisterType::Const => self.floats.read(register, rows, file_size),
            RegisterType::ConstInt => self.ints.read(register, 1, file_size),
            RegisterType::ConstBool => self.bools.read(register, 1, file_size),
            RegisterType::Sampler => self.sample(register.number),
            RegisterType::Misc if register.number == crate::tables::MISC_FACE => self.reads_face = true,
            RegisterType::Misc => self.reads_position = true,
            _ => self.implied(register),
        }
    }

    /// An input of a pixel shader before 3.0 is what its number says, declared or not.
    fn implied(&mut self, register: Register) {
        let usage = match register.ty {
            _ if self.version.stage == Stage::Vertex || self.version.major >= 3 => return,
            RegisterType::Input => Usage::Color,
            RegisterType::Texture => Usage::TexCoord,
            _ => return,
        };
        if !self.inputs.iter().any(|e| (e.file, e.register) == (register.ty, register.number)) {
            self.input(usage, register.number as u8, register, 0xF);
        }
    }

    fn declare(&mut self, instruction: &Instruction, register: Register, mask: u8) {
        match (instruction.declaration, register.ty) {
            (Some(Declaration::Sampler(dimension)), _) => {
                if let Some(slot) = self.samplers.get_mut(usize::from(register.number)) {
                    *slot = Some(dimension.map_or(SamplerUse::Undeclared, SamplerUse::Declared));
                }
            }
            (Some(Declaration::Semantic(usage, index)), ty) if is_packed(ty, self.version) => {
                let list = if ty == RegisterType::Output { &mut self.outputs } else { &mut self.inputs };
                let here = list.iter().filter(|e| (e.file, e.register) == (ty, register.number));
                let used = here.fold(0, |used, e| used | e.mask);
                let (mask, shift) = packed(used, mask).unwrap_or((mask, 0));
                add_element(list, (usage, index), register, mask, shift);
            }
            (Some(Declaration::Semantic(usage, index)), _) => self.input(usage, index, register, mask),
            (_, RegisterType::Texture) => self.input(Usage::TexCoord, register.number as u8, register, mask),
            (_, RegisterType::Input) => self.input(Usage::Color, register.number as u8, register, mask),
            _ => {}
        }
    }

    fn input(&mut self, usage: Usage, index: u8, register: Register, mask: u8) {
        add_element(&mut self.inputs, (usage, index), register, mask, 0);
    }

    fn write(&mut self, register: Register, mask: u8) {
        let (usage, index) = match register.ty {
            RegisterType::RastOut if register.number == RAST_POSITION => (Usage::Position, 0),
            RegisterType::RastOut if register.number == RAST_FOG => (Usage::Fog, 0),
            RegisterType::RastOut => (Usage::PSize, 0),
            RegisterType::AttrOut => (Usage::Color, register.number as u8),
            RegisterType::TexCoordOut => (Usage::TexCoord, register.number as u8),
            RegisterType::ColorOut => {
                self.color_outputs |= 1 << (register.number & 3);
                return;
            }
            RegisterType::DepthOut => {
                self.depth_output = true;
                return;
            }
            _ => return,
        };
        add_element(&mut self.outputs, (usage, index), register, mask, 0);
    }

    fn sample(&mut self, number: u16) {
        if let Some(slot) = self.samplers.get_mut(usize::from(number)) {
            slot.get_or_insert(SamplerUse::Undeclared);
        }
    }
}

/// A hostile shader may declare each register with every semantic; no real one comes near this.
const MAX_ELEMENTS: usize = 256;

/// The operands of an opcode that are sources, in order.
pub(crate) fn source_operands(op: Opcode) -> impl Iterator<Item = Operand> {
    op.info().operands.iter().copied().filter(|operand| operand.is_src())
}

fn add_element(list: &mut SmallVec<[Element; 16]>, semantic: (Usage, u8), register: Register, mask: u8, shift: u8) {
    let (usage, index) = semantic;
    let same = |e: &&mut Element| {
        e.file == register.ty && e.register == register.number && (e.usage, e.index, e.shift) == (usage, index, shift)
    };
    if let Some(element) = list.iter_mut().find(same) {
        element.mask |= mask;
    } else if list.len() < MAX_ELEMENTS {
        list.push(Element { usage, index, file: register.ty, register: register.number, mask, shift });
    }
}
