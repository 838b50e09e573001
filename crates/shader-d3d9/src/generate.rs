//! Instruction streams of every version out of arbitrary bytes, from the same tables that the parser uses, for tests and
//! fuzzing.

use crate::Program;
use crate::instruction::{ControlBits, Declaration, Dst, Instruction, Register, Relative, Src, Swizzle};
use crate::parse::Comment;
use crate::tables::{
    Comparison, Control, Flow, Opcode, Operand, REGISTERS, RegisterType, SourceModifier, Stage, TextureDimension,
    Usage, Version,
};

/// A program of `version` that parses, decided by `bytes`: about twenty an instruction. The same bytes give the same
/// program, and where they end it ends.
pub fn generate(version: Version, bytes: &[u8]) -> Program {
    Generator { bytes: bytes.iter(), in_loop: false, labels: Vec::new() }.program(version)
}

struct Generator<'a> {
    bytes: std::slice::Iter<'a, u8>,
    /// `aL` may be used.
    in_loop: bool,
    /// Labels that were called.
    labels: Vec<u16>,
}

impl Generator<'_> {
    /// The next byte; zeros behind the last one.
    fn byte(&mut self) -> u8 {
        self.bytes.next().copied().unwrap_or(0)
    }

    fn below(&mut self, end: usize) -> usize {
        let high = if end > 256 { usize::from(self.byte()) << 8 } else { 0 };
        (high | usize::from(self.byte())) % end.max(1)
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> Option<T> {
        (!list.is_empty()).then(|| list[self.below(list.len())])
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn register(
        &mut self,
        version: Version,
        rows: u16,
        beyond: bool,
        fits: impl Fn(RegisterType) -> bool,
    ) -> Option<Register> {
        let files: Vec<_> = REGISTERS
            .iter()
            .filter(|row| row.count(version) >= rows && fits(row.ty))
            .filter(|row| row.stage.is_none_or(|stage| stage == version.stage))
            .map(|row| (row.ty, row.count(version), row.most(version)))
            .collect();
        let (ty, count, most) = self.pick(&files)?;
        // Some that the model does not have.
        let count = if beyond && self.chance(8) { most } else { count };
        // Mostly those constants of software vertex processing that others have too, and few labels, to have subroutines.
        let count = match ty {
            RegisterType::Const if !self.chance(200) => count.min(256),
            RegisterType::ConstInt | RegisterType::ConstBool if !self.chance(200) => count.min(16),
            RegisterType::Label => 3,
            _ => count,
        };
        Some(Register::new(ty, self.below(usize::from(count - rows + 1)) as u16))
    }

    fn dst(&mut self, version: Version, op: Opcode, operand: Operand) -> Option<Dst> {
        let info = op.info();
        // The number of the register is that of the stage, too.
        let stage = matches!(operand, Operand::DstTemp | Operand::DstDepth) || op == Opcode::Bem;
        let register = self.register(version, 1, !stage, |ty| operand.takes(ty, op, version))?;
        let mut dst = Dst::new(register);
        let any = self.chance(8);
        let masks: Vec<u8> = (0..16).filter(|mask| any || info.allows_mask(*mask, version)).collect();
        dst.mask = self.pick(&masks)?;
        dst.modifiers = (self.below(8) as u32) << 20 & info.result_modifiers(version);
        let shifts: Vec<i8> = info.result_shifts(version).collect();
        if self.chance(3) {
            dst.shift = self.pick(&shifts).unwrap_or(0);
        }
        if register.ty == RegisterType::Output && operand == Operand::Dst && self.in_loop && self.chance(4) {
            dst.register.relative = Some(Relative::Loop);
        }
        Some(dst)
    }

    fn src(&mut self, version: Version, op: Opcode, operand: Operand) -> Option<Src> {
        let rows = if let Operand::Rows(rows) = operand { rows } else { 1 };
        let register = self.register(version, rows.into(), true, |ty| operand.takes(ty, op, version))?;
        let mut src = Src::new(register);
        if self.chance(2) {
            src.swizzle = Swizzle(self.below(256) as u8);
        }
        if !operand.takes_swizzle(src.swizzle, version) && !self.chance(8) {
            src.swizzle = Swizzle::replicate(self.byte());
        }
        let any = self.chance(8);
        let modifiers: Vec<_> = SourceModifier::ALL
            .iter()
            .map(|(modifier, _)| *modifier)
            .filter(|modifier| operand.takes_modifier(*modifier, version) || any && operand.can_be_modified(*modifier))
            .collect();
        if self.chance(2) {
            src.modifier = self.pick(&modifiers).unwrap_or(SourceModifier::None);
        }
        let vertex = version.stage == Stage::Vertex;
        if register.ty.can_be_relative(version, false) && self.chance(3) {
            src.register.relative = match (version.has_lengths(), vertex) {
                (false, _) => Some(Relative::Address(0)),
                (true, true) if !self.in_loop || self.chance(2) => Some(Relative::Address(self.below(4) as u8)),
                (true, _) => self.in_loop.then_some(Relative::Loop),
            };
        }
        Some(src)
    }

    fn instruction(&mut self, version: Version, op: Opcode) -> Option<Instruction> {
        let mut instruction = Instruction::new(op);
        let info = op.info();
        instruction.control = match info.control {
            Control::None => ControlBits::None,
            Control::Comparison => ControlBits::Comparison(self.pick(Comparison::ALL)?.0),
            Control::Texture => self.pick(&[ControlBits::None, ControlBits::Project, ControlBits::Bias])?,
        };
        instruction.coissue = info.can_pair(version) && self.chance(5);
        for operand in info.operands {
            match operand {
                Operand::Usage => {}
                Operand::Floats | Operand::Ints => {
                    instruction.immediate = [0; 4].map(|_| u32::from_le_bytes([0; 4].map(|_| self.byte())));
                }
                Operand::Flag => instruction.immediate[0] = self.below(3) as u32,
                operand if operand.is_dst() => instruction.dst = Some(self.dst(version, op, *operand)?),
                operand => instruction.srcs.push(self.src(version, op, *operand)?),
            }
        }
        if info.can_be_predicated(version) && self.chance(6) {
            instruction.predicate = Some(self.src(version, op, Operand::Predicate)?);
        }
        if op == Opcode::Dcl {
            instruction.declaration = Some(self.declaration(version, instruction.dst?.register.ty)?);
        }
        Some(instruction)
    }

    fn declaration(&mut self, version: Version, ty: RegisterType) -> Option<Declaration> {
        let semantic = version.stage == Stage::Vertex || version.major >= 3;
        Some(match ty {
            RegisterType::Sampler => Declaration::Sampler(self.pick(TextureDimension::ALL).map(|(d, _)| d)),
            RegisterType::Input | RegisterType::Output if semantic => {
                let (usage, index) = (self.pick(Usage::ALL)?.0, self.below(16) as u8);
                let taken = version.stage == Stage::Pixel && (usage, index) == (Usage::Position, 0);
                Declaration::Semantic(usage, if taken { 1 } else { index })
            }
            _ => Declaration::Plain,
        })
    }

    /// Declarations of all that the instructions name, and of some that they do not.
    fn declarations(&mut self, version: Version, instructions: &[Instruction]) -> Vec<Instruction> {
        let mut named: Vec<Register> = Vec::new();
        for i in instructions {
            let registers = i.dst.iter().map(|dst| dst.register).chain(i.srcs.iter().map(|src| src.register));
            for register in registers.filter(|register| register.ty.is_declared_in(version)) {
                let register = Register::new(register.ty, register.number);
                if !named.contains(&register) {
                    named.push(register);
                }
            }
        }
        let mut declarations = Vec::new();
        for register in named {
            let mut dst = Dst::new(register);
            dst.modifiers = (self.below(8) as u32) << 20 & Opcode::Dcl.info().result_modifiers(version);
            let declaration = self.declaration(version, register.ty);
            declarations.push(Instruction { declaration, ..Instruction::new(Opcode::Dcl).dst(dst) });
        }
        declarations
    }

    fn program(&mut self, version: Version) -> Program {
        let mut instructions = self.block(version, 40, true);
        let labels = std::mem::take(&mut self.labels);
        for label in (0..3).filter(|label| labels.contains(label)) {
            let name = Src::new(Register::new(RegisterType::Label, label));
            instructions.extend([Instruction::new(Opcode::Ret), Instruction::new(Opcode::Label).src(name)]);
            instructions.extend(self.block(version, 6, false));
        }
        if !labels.is_empty() {
            instructions.push(Instruction::new(Opcode::Ret));
        }
        let mut declared = self.declarations(version, &instructions);
        declared.extend(instructions);
        let comments = match self.chance(4) {
            true => {
                let before = self.below(declared.len() + 1) as u32;
                vec![Comment { before, words: (0..self.below(9)).map(|_| self.byte().into()).collect() }]
            }
            false => Vec::new(),
        };
        Program { version, instructions: declared, comments, length: 0 }
    }

    /// Puts the rows of a texture matrix before its last one; false if there are no registers for them.
    fn pads(&mut self, version: Version, last: &Instruction, instructions: &mut Vec<Instruction>) -> bool {
        let (pad, rows) = match last.op.info().name.get(..6) {
            Some("texm3x") if last.op.info().name.starts_with("texm3x2") => (Opcode::TexM3x2Pad, 1),
            Some("texm3x") => (Opcode::TexM3x3Pad, 2),
            _ => return true,
        };
        let number = last.dst.map_or(0, |dst| dst.register.number);
        if number < rows {
            return false;
        }
        for row in (1..=rows).rev() {
            let Some(mut instruction) = self.instruction(version, pad) else { return false };
            if let Some(dst) = &mut instruction.dst {
                dst.register.number = number - row;
            }
            instructions.push(instruction);
        }
        true
    }

    fn block(&mut self, version: Version, most: usize, calls: bool) -> Vec<Instruction> {
        let elsewhere = [Opcode::Dcl, Opcode::TexM3x2Pad, Opcode::TexM3x3Pad];
        let rows = Opcode::TABLE.iter().filter(|row| row.is_taken_in(version) && !elsewhere.contains(&row.op));
        let rows: Vec<_> = rows.collect();
        let texture_rows: Vec<_> = rows.iter().copied().filter(|row| !row.can_pair(version)).collect();
        // In ps_1_x texture opcodes come first, or not at all.
        let mut textures = version.is_ps_1();
        let mut open = Vec::new();
        let mut instructions = Vec::new();
        for _ in 0..self.below(most) {
            if self.bytes.len() == 0 {
                break;
            }
            textures &= !self.chance(4);
            let Some(row) = self.pick(if textures { &texture_rows } else { &rows }) else { break };
            let fits = match row.flow {
                Flow::None => true,
                Flow::Open => open.len() < 4,
                Flow::Break => open.iter().any(|op| matches!(op, Opcode::Loop | Opcode::Rep)),
                Flow::Call => calls && matches!(row.op, Opcode::Call | Opcode::CallNz),
                // Every block that is open is closed at the end, and some before.
                Flow::Else | Flow::Close => {
                    if let Some(op) = open.pop() {
                        instructions.push(closing(op));
                    }
                    false
                }
            };
            self.in_loop = open.contains(&Opcode::Loop);
            let instruction = if fits { self.instruction(version, row.op) } else { None };
            if let Some(instruction) = instruction.filter(|next| may_follow(version, &instructions, next)) {
                textures |= row.op == Opcode::Phase;
                if !self.pads(version, &instruction, &mut instructions) {
                    continue;
                }
                match row.flow {
                    Flow::Open => open.push(row.op),
                    Flow::Call => self.labels.extend(instruction.srcs.first().map(|src| src.register.number)),
                    _ => {}
                }
                instructions.push(instruction);
                if row.flow == Flow::Open && matches!(row.op, Opcode::If | Opcode::IfC) && self.chance(2) {
                    instructions.push(Instruction::new(Opcode::Nop));
                    instructions.push(Instruction::new(Opcode::Else));
                }
            }
        }
        self.in_loop = false;
        instructions.extend(open.into_iter().rev().map(closing));
        instructions
    }
}

fn closing(op: Opcode) -> Instruction {
    Instruction::new(match op {
        Opcode::Loop => Opcode::EndLoop,
        Opcode::Rep => Opcode::EndRep,
        _ => Opcode::EndIf,
    })
}

/// Whether what goes over several instructions lets this one follow.
fn may_follow(version: Version, before: &[Instruction], next: &Instruction) -> bool {
    if !version.is_ps_1() {
        return true;
    }
    let phase = before.iter().rposition(|i| i.op == Opcode::Phase).map_or(before, |at| &before[at..]);
    match next.op {
        Opcode::Phase => !before.iter().any(|i| i.op == Opcode::Phase),
        Opcode::Def | Opcode::Nop => true,
        op if op.info().can_pair(version) => {
            let partner = before.last().is_some_and(|i| i.op.info().can_pair(version) && !i.coissue);
            !next.coissue || partner
        }
        _ => !phase.iter().any(|i| i.op.info().can_pair(version)),
    }
}
