//! Instruction streams of every version out of arbitrary bytes, from the same tables that the parser uses, for tests and
//! fuzzing.

use crate::Program;
use crate::instruction::{ControlBits, Declaration, Dst, Instruction, Register, Relative, Src, Swizzle};
use crate::tables::{
    Access, Comparison, Control, Flow, Opcode, Operand, REGISTERS, RESULT_SHIFTS, RegisterType, SourceModifier, Stage,
    TextureDimension, Usage, Version,
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

    fn register(&mut self, version: Version, rows: u16, fits: impl Fn(RegisterType) -> bool) -> Option<Register> {
        let files: Vec<_> = REGISTERS
            .iter()
            .filter(|row| row.count(version) >= rows && fits(row.ty))
            .filter(|row| row.stage.is_none_or(|stage| stage == version.stage))
            .map(|row| (row.ty, row.count(version)))
            .collect();
        let (ty, count) = self.pick(&files)?;
        // Mostly those constants of software vertex processing that others have too, and few labels, to have subroutines.
        let count = match ty {
            RegisterType::Const if !self.chance(200) => count.min(256),
            RegisterType::ConstInt | RegisterType::ConstBool if !self.chance(200) => count.min(16),
            RegisterType::Label => 3,
            _ => count,
        };
        Some(Register::new(ty, self.below(usize::from(count - rows + 1)) as u16))
    }

    fn dst(&mut self, version: Version, op: Opcode) -> Option<Dst> {
        use RegisterType as R;
        let register = self.register(version, 1, |ty| match op {
            Opcode::Dcl => matches!(ty, R::Input | R::Output | R::Texture | R::Sampler | R::Misc),
            Opcode::Def => ty == R::Const,
            Opcode::DefI => ty == R::ConstInt,
            Opcode::DefB => ty == R::ConstBool,
            Opcode::SetP => ty == R::Predicate,
            Opcode::MovA => ty == R::Address,
            Opcode::TexKill | Opcode::TexDepth => ty == R::Temp,
            _ => {
                let written = ty.info().access != Access::Read && !matches!(ty, R::Predicate | R::Address);
                written && (ty != R::Texture || version.is_ps_before_1_4())
            }
        })?;
        let mut dst = Dst::new(register);
        dst.mask = self.below(16) as u8;
        if !matches!(op, Opcode::Def | Opcode::DefI | Opcode::DefB) {
            dst.modifiers = (self.below(8) as u32) << 20;
        }
        if version.stage == Stage::Pixel && version.major == 1 && self.chance(3) {
            dst.shift = RESULT_SHIFTS[self.below(RESULT_SHIFTS.len())].0;
        }
        if register.ty == R::Output && op != Opcode::Dcl && self.in_loop && self.chance(4) {
            dst.register.relative = Some(Relative::Loop);
        }
        Some(dst)
    }

    fn src(&mut self, version: Version, operand: Operand) -> Option<Src> {
        use RegisterType as R;
        let rows = if let Operand::Rows(rows) = operand { rows } else { 1 };
        let register = self.register(version, rows.into(), |ty| match operand {
            Operand::Sampler => ty == R::Sampler,
            Operand::Bool => matches!(ty, R::ConstBool | R::Predicate),
            Operand::Int => ty == R::ConstInt,
            Operand::LoopCounter => ty == R::Loop,
            Operand::Predicate => ty == R::Predicate,
            Operand::Label => ty == R::Label,
            Operand::Rows(_) => matches!(ty, R::Const | R::Temp | R::Input),
            _ => matches!(ty, R::Temp | R::Input | R::Const | R::Texture | R::Misc),
        })?;
        let mut src = Src::new(register);
        if self.chance(2) {
            src.swizzle = Swizzle(self.below(256) as u8);
        }
        let logical = matches!(operand, Operand::Bool | Operand::Predicate);
        let modifiers: Vec<_> = SourceModifier::ALL
            .iter()
            .map(|(modifier, _)| *modifier)
            .filter(|modifier| modifier.exists_in(version) && logical == (*modifier == SourceModifier::Not))
            .collect();
        let plain = matches!(operand, Operand::Sampler | Operand::Int | Operand::Label | Operand::LoopCounter);
        if !plain && self.chance(2) {
            src.modifier = self.pick(&modifiers).unwrap_or(SourceModifier::None);
        }
        let vertex = version.stage == Stage::Vertex;
        let relative = match register.ty {
            R::Const => vertex,
            R::Input => version.major >= 3,
            _ => false,
        };
        if relative && self.chance(3) {
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
        instruction.coissue = version.stage == Stage::Pixel && version.major == 1 && self.chance(5);
        for operand in info.operands {
            match operand {
                Operand::Usage => {}
                Operand::Dst | Operand::DstRead => instruction.dst = Some(self.dst(version, op)?),
                Operand::Floats | Operand::Ints => {
                    instruction.immediate = [0; 4].map(|_| u32::from_le_bytes([0; 4].map(|_| self.byte())));
                }
                Operand::Flag => instruction.immediate[0] = self.below(3) as u32,
                operand => instruction.srcs.push(self.src(version, *operand)?),
            }
        }
        let definition = matches!(op, Opcode::Dcl | Opcode::Def | Opcode::DefI | Opcode::DefB);
        if instruction.dst.is_some() && !definition && version.number() >= 0x201 && self.chance(6) {
            instruction.predicate = Some(self.src(version, Operand::Predicate)?);
        }
        if op == Opcode::Dcl {
            let semantic = version.stage == Stage::Vertex || version.major >= 3;
            instruction.declaration = Some(match instruction.dst?.register.ty {
                RegisterType::Sampler => Declaration::Sampler(self.pick(TextureDimension::ALL).map(|(d, _)| d)),
                RegisterType::Input | RegisterType::Output if semantic => {
                    Declaration::Semantic(self.pick(Usage::ALL)?.0, self.below(16) as u8)
                }
                _ => Declaration::Plain,
            });
        }
        Some(instruction)
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
        Program { version, instructions, length: 0 }
    }

    fn block(&mut self, version: Version, most: usize, calls: bool) -> Vec<Instruction> {
        let rows: Vec<_> = Opcode::TABLE.iter().filter(|row| row.exists_in(version)).collect();
        let mut open = Vec::new();
        let mut instructions = Vec::new();
        for _ in 0..self.below(most) {
            if self.bytes.len() == 0 {
                break;
            }
            let Some(row) = self.pick(&rows) else { break };
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
            if fits && let Some(instruction) = self.instruction(version, row.op) {
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
