//! What can be varied in one instruction: modifiers, swizzles, masks, predication, addressing, control bits, texture shapes.

use afterimage_shader_d3d9::instruction::{ControlBits, Declaration, Instruction, Register, Relative, Src, Swizzle};
use afterimage_shader_d3d9::tables::{
    Comparison, Control, MISC_FACE, MISC_POSITION, Opcode, Operand, RESULT_MODIFIERS, RESULT_SHIFTS, RegisterType,
    SourceModifier, Stage, Usage, Version,
};

/// A variation of one instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Change {
    /// Of a source.
    Modifier(usize, SourceModifier),
    /// Of a source.
    Swizzle(usize, Swizzle),
    /// Of the destination.
    Mask(u8),
    /// Result modifier bits.
    Result(u32),
    /// Result shift.
    Shift(i8),
    /// Result shift and `_sat`.
    ShiftSaturated(i8),
    /// Predication.
    Predicate(SourceModifier, Swizzle),
    /// Issued together with the instruction before.
    CoIssue,
    /// A source from another register file.
    File(usize, Register),
    /// A source chosen by `a0` or `aL`.
    Relative(usize, Relative),
    /// Comparison of the control bits.
    Comparison(Comparison),
    /// `texldp`, `texldb`.
    Control(ControlBits),
    /// The sampler: 0 is a 2D texture, 1 a cube, 2 a volume.
    Sampler(usize, u16),
    /// Semantic of a declaration.
    Usage(Usage),
}

/// Groups of changes: those of one group may share a shader.
pub(crate) const GROUPS: usize = 11;

impl Change {
    /// The number of its group, and what the group is called.
    pub(crate) fn group(self) -> (usize, &'static str) {
        match self {
            Self::Modifier(..) => (0, "source modifiers"),
            Self::Swizzle(..) => (1, "swizzles"),
            Self::Mask(_) => (2, "masks"),
            Self::Result(_) => (3, "result modifiers"),
            Self::Shift(_) | Self::ShiftSaturated(_) => (4, "shifts"),
            Self::Predicate(..) => (5, "predication"),
            Self::CoIssue => (6, "co-issue"),
            Self::File(..) => (7, "register files"),
            Self::Relative(..) => (8, "relative addressing"),
            Self::Comparison(_) | Self::Control(_) | Self::Sampler(..) => (9, "control"),
            Self::Usage(_) => (10, "semantics"),
        }
    }

    /// The instruction with the change.
    pub(crate) fn apply(self, instruction: &Instruction, version: Version) -> Instruction {
        let mut i = *instruction;
        let vertex = version.stage == Stage::Vertex;
        let mut source = |at: usize, change: &dyn Fn(&mut Src)| {
            let mut sources = i.srcs.to_vec();
            if let Some(src) = sources.get_mut(at) {
                change(src);
            }
            i.srcs = afterimage_shader_d3d9::instruction::Sources::NONE;
            sources.into_iter().for_each(|src| i.srcs.push(src));
        };
        match self {
            Self::Modifier(at, modifier) => source(at, &|src| src.modifier = modifier),
            Self::Swizzle(at, swizzle) => source(at, &|src| src.swizzle = swizzle),
            Self::File(at, register) => source(at, &|src| src.register = register),
            Self::Sampler(at, number) => source(at, &|src| src.register.number = number),
            Self::Relative(at, relative) => source(at, &|src| {
                let ty = if vertex { RegisterType::Const } else { RegisterType::Input };
                src.register = Register { relative: Some(relative), ..Register::new(ty, 1) };
            }),
            Self::Predicate(modifier, swizzle) => {
                let p0 = Register::new(RegisterType::Predicate, 0);
                i.predicate = Some(Src { modifier, swizzle, ..Src::new(p0) });
            }
            Self::CoIssue => i.coissue = true,
            Self::Comparison(comparison) => i.control = ControlBits::Comparison(comparison),
            Self::Control(control) => i.control = control,
            Self::Usage(usage) => {
                // Another index for each, so that no two declarations of a shader are the same.
                let register = i.dst.map_or(0, |dst| dst.register.number);
                let index = (usage as u8 + register as u8) % 15 + 1;
                i.declaration = Some(Declaration::Semantic(usage, index));
            }
            Self::Mask(_) | Self::Result(_) | Self::Shift(_) | Self::ShiftSaturated(_) => {}
        }
        if let Some(dst) = &mut i.dst {
            match self {
                Self::Mask(mask) => dst.mask = mask,
                Self::Result(bits) => dst.modifiers |= bits,
                Self::Shift(shift) => dst.shift = shift,
                Self::ShiftSaturated(shift) => {
                    dst.shift = shift;
                    dst.modifiers |= RESULT_MODIFIERS[0].0;
                }
                // Two instructions issued together write different components.
                Self::CoIssue => dst.mask &= 8,
                _ => {}
            }
        }
        i
    }

    /// Whether the rules of the tables allow the change.
    pub(crate) fn is_legal(self, op: Opcode, version: Version) -> bool {
        let info = op.info();
        let operand = |at: usize| info.operands.iter().copied().filter(|operand| operand.is_src()).nth(at);
        let of = |at: usize, rule: &dyn Fn(Operand) -> bool| operand(at).is_some_and(rule);
        match self {
            Self::Modifier(at, modifier) => of(at, &|operand| operand.takes_modifier(modifier, version)),
            Self::Swizzle(at, swizzle) => of(at, &|operand| operand.takes_swizzle(swizzle, version)),
            Self::Mask(mask) => info.allows_mask(mask, version),
            Self::Result(bits) => info.result_modifiers(version) & bits == bits,
            Self::Shift(shift) | Self::ShiftSaturated(shift) => {
                info.result_shifts(version).any(|allowed| allowed == shift)
            }
            Self::Predicate(..) => info.can_be_predicated(version),
            Self::CoIssue => info.can_pair(version) && info.allows_mask(8, version),
            Self::File(at, register) => {
                register.number < register.ty.info().count(version)
                    && of(at, &|operand| operand.takes(register.ty, op, version))
            }
            Self::Relative(at, relative) => {
                let by = match relative {
                    Relative::Address(component) => {
                        RegisterType::Address.info().count(version) != 0 && (component == 0 || version.major > 1)
                    }
                    Relative::Loop => RegisterType::Loop.info().count(version) != 0,
                };
                // The source that the template has there is a constant or, in others than vertex shaders, an input.
                let files = [RegisterType::Const, RegisterType::Input];
                let ty = files.into_iter().find(|ty| ty.can_be_relative(version, false));
                by && ty.is_some_and(|ty| of(at, &|operand| operand.takes(ty, op, version)))
            }
            Self::Comparison(_) => info.control == Control::Comparison,
            Self::Control(_) => info.control == Control::Texture,
            Self::Sampler(at, _) => operand(at) == Some(Operand::Sampler),
            Self::Usage(_) => RegisterType::Input.is_declared_in(version),
        }
    }

    /// The line that must stand before the instruction.
    pub(crate) fn line_before(self, version: Version) -> Option<&'static str> {
        Some(match self {
            Self::Predicate(..) => "setp_gt p0, $A, $B",
            Self::CoIssue => "mul r0.rgb, $A, $B",
            Self::Relative(_, Relative::Address(_)) if version.major == 1 => "mov a0.x, v3.x",
            Self::Relative(_, Relative::Address(_)) => "mova a0, v3",
            _ => return None,
        })
    }
}

/// A source of floats, that modifiers, swizzles and register files can be varied of.
fn is_float(operand: Operand) -> bool {
    operand.is_src()
        && !matches!(
            operand,
            Operand::Sampler
                | Operand::Bool
                | Operand::Int
                | Operand::LoopCounter
                | Operand::Predicate
                | Operand::Label
        )
}

/// Every change that could make sense for an opcode; the parser says which of them are legal.
pub(crate) fn changes(op: Opcode, version: Version) -> Vec<Change> {
    let info = op.info();
    let mut list = Vec::new();
    if op == Opcode::Dcl {
        let semantics = version.stage == Stage::Vertex || version.major == 3;
        list.extend(Usage::ALL.iter().filter(|_| semantics).map(|(usage, _)| Change::Usage(*usage)));
        return list;
    }
    let sources: Vec<Operand> = info.operands.iter().copied().filter(|operand| operand.is_src()).collect();
    let floats: Vec<usize> = (0..sources.len()).filter(|at| is_float(sources[*at])).collect();
    // Modifiers and swizzles go round the sources; from one opcode to the next they begin at another one.
    let mut turn = info.number as usize;
    let mut next = || {
        turn += 1;
        floats[turn % floats.len()]
    };
    if !floats.is_empty() {
        for (modifier, _) in SourceModifier::ALL {
            if !matches!(modifier, SourceModifier::None | SourceModifier::Not) {
                list.push(Change::Modifier(next(), *modifier));
            }
        }
        list.extend((0..4).map(|component| Change::Swizzle(next(), Swizzle::replicate(component))));
        let others = [0b00_01_10_11, 0b11_00_10_01, 0b11_01_00_10, 0b10_01_00_00];
        list.extend(others.map(|bits| Change::Swizzle(next(), Swizzle(bits))));
        let file = |ty, number| Change::File(floats[0], Register::new(ty, number));
        list.extend([
            file(RegisterType::Temp, if version.major == 1 { 1 } else { 4 }),
            file(RegisterType::Temp, RegisterType::Temp.info().most(version) - 1),
            file(RegisterType::Input, 1),
            file(RegisterType::Const, 3),
            file(RegisterType::Texture, 1),
            file(RegisterType::Misc, MISC_POSITION),
            file(RegisterType::Misc, MISC_FACE),
        ]);
    }
    for (at, operand) in sources.iter().enumerate() {
        match operand {
            Operand::Bool | Operand::Predicate => list.push(Change::Modifier(at, SourceModifier::Not)),
            Operand::Sampler => list.extend([1, 2].map(|number| Change::Sampler(at, number))),
            operand if is_float(*operand) => {
                // Each component of the address register is used for one of the sources at least.
                let components =
                    (0..if version.major == 1 { 1 } else { 4 }).filter(|c| c % floats.len() == at % floats.len());
                list.extend(components.map(|component| Change::Relative(at, Relative::Address(component as u8))));
                // Tokens of model 1 do not say which register it is that they are relative to: it is `a0.x`.
                list.extend((version.major > 1).then_some(Change::Relative(at, Relative::Loop)));
            }
            _ => {}
        }
    }
    match info.control {
        Control::Comparison => list.extend(Comparison::ALL.iter().map(|(c, _)| Change::Comparison(*c))),
        Control::Texture => list.extend([ControlBits::Project, ControlBits::Bias].map(Change::Control)),
        Control::None => {}
    }
    let writes = info.operands.first().is_some_and(|operand| operand.is_dst());
    if writes && !matches!(op, Opcode::Def | Opcode::DefI | Opcode::DefB) {
        match info.lanes() == 0xF && info.rows().is_none() {
            true => list.extend([0x7, 0x8, 0x1, 0x6].map(Change::Mask)),
            // Of each component some code or other might think that it is there.
            false => list.extend((1..16).map(Change::Mask)),
        }
        let [saturate, partial, _] = [0, 1, 2].map(|at: usize| RESULT_MODIFIERS[at].0);
        list.extend([saturate, partial, saturate | partial].map(Change::Result));
        list.extend(RESULT_SHIFTS.iter().map(|(shift, _)| Change::Shift(*shift)));
        list.push(Change::ShiftSaturated(1));
        list.push(Change::CoIssue);
        let forms = [
            (SourceModifier::None, Swizzle::IDENTITY),
            (SourceModifier::Not, Swizzle::IDENTITY),
            (SourceModifier::None, Swizzle::replicate(0)),
            (SourceModifier::Not, Swizzle::replicate(3)),
        ];
        list.extend(forms.map(|(modifier, swizzle)| Change::Predicate(modifier, swizzle)));
    }
    list
}
