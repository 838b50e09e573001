//! Rules that go over several instructions: declarations before use, nesting, subroutines, the order of ps_1_x.
//!
//! They are the shader reference's; which of them a shader may break, [`crate::refusals`] says. Limits that only said what
//! hardware could hold (instruction counts, read ports) are not checked. Nothing is allocated but for shaders with more than eight subroutines.

use crate::error::{Broken, ParseErrorKind as Kind};
use crate::instruction::{Instruction, Register};
use crate::refusals::{Rule, RuleSet};
use crate::tables::{Flow, Opcode, RegisterType, Stage, Version};
use smallvec::SmallVec;

/// Deepest nesting of branches, of loops and of calls.
pub const MAX_DEPTH: usize = 24;
/// Deepest nesting of loops by the reference; software vertex processing allows [`MAX_DEPTH`].
pub const MAX_LOOPS: usize = 4;
/// Deepest nesting of calls by the reference; software vertex processing allows [`MAX_DEPTH`].
pub const MAX_CALLS: usize = 4;

const MAX_BLOCKS: usize = 2 * MAX_DEPTH;
/// No file whose registers are declared has more.
const DECLARABLE: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    If,
    Else,
    Loop,
    Rep,
}

/// A subroutine that was called and not yet defined.
#[derive(Clone, Copy, Debug)]
struct Call {
    label: u16,
    /// Nesting of the deepest call.
    depth: u8,
    /// Place of the first call.
    offset: u32,
}

/// What has been seen of a shader so far.
#[derive(Debug)]
pub(crate) struct Rules {
    version: Version,
    /// Every rule refuses.
    strict: bool,
    /// What was broken and does not refuse.
    pub(crate) broken: RuleSet,
    blocks: SmallVec<[Block; 8]>,
    /// Components declared, by file ([`file`]) and register.
    declared: [[u8; DECLARABLE]; 5],
    calls: SmallVec<[Call; 8]>,
    labels: SmallVec<[u16; 8]>,
    /// Nesting of calls of the subroutine here; `None` in the main program.
    subroutine: Option<u8>,
    /// The open `texm3x2pad` or `texm3x3pad`s: opcode, number of the last register, how many.
    pads: Option<(Opcode, u16, u8)>,
    /// Something that is no texture opcode came in this phase of a ps_1_x.
    arithmetic: bool,
    /// There was a `phase`.
    phase: bool,
    /// The instruction before can have a partner.
    pairs: bool,
}

/// Index of a file whose registers are declared.
fn file(ty: RegisterType) -> Option<usize> {
    Some(match ty {
        RegisterType::Input => 0,
        RegisterType::Output => 1,
        RegisterType::Texture => 2,
        RegisterType::Sampler => 3,
        RegisterType::Misc => 4,
        _ => return None,
    })
}

impl Rules {
    pub(crate) fn new(version: Version, strict: bool) -> Self {
        Self {
            version,
            strict,
            broken: RuleSet::default(),
            blocks: SmallVec::new(),
            declared: [[0; DECLARABLE]; 5],
            calls: SmallVec::new(),
            labels: SmallVec::new(),
            subroutine: None,
            pads: None,
            arithmetic: false,
            phase: false,
            pairs: false,
        }
    }

    /// A rule is broken: that refuses the shader, or is noted.
    pub(crate) fn judge(&mut self, rule: Rule, kind: Kind) -> Result<(), Broken> {
        if self.strict || !rule.is_lenient() {
            return Err((rule, kind));
        }
        self.broken.insert(rule);
        Ok(())
    }

    /// A register that an instruction other than `dcl` names.
    pub(crate) fn used(&mut self, register: Register, field: &'static str) -> Result<(), Broken> {
        if register.relative.is_some() || !register.ty.is_declared_in(self.version) {
            return Ok(());
        }
        let components = file(register.ty).and_then(|file| self.declared[file].get(usize::from(register.number)));
        match components {
            Some(0) => self.judge(Rule::Undeclared, Kind::Undeclared { field, register }),
            _ => Ok(()),
        }
    }

    /// `aL` as an index. A subroutine may have the loop around its call.
    pub(crate) fn loop_counter(&mut self) -> Result<(), Broken> {
        match self.subroutine.is_some() || self.blocks.contains(&Block::Loop) {
            true => Ok(()),
            false => self.judge(Rule::LoopCounter, Kind::NoLoop),
        }
    }

    /// An instruction whose fields are right by themselves.
    pub(crate) fn instruction(&mut self, i: &mut Instruction) -> Result<(), Broken> {
        let info = i.op.info();
        let pairs = info.can_pair(self.version);
        if i.coissue && !(pairs && self.pairs) {
            self.judge(Rule::Pair, Kind::Pair)?;
            i.coissue = false;
        }
        self.pairs = pairs && !i.coissue;
        if info.flow != Flow::None {
            return self.flow(i);
        }
        if i.op == Opcode::Dcl {
            return self.declare(i);
        }
        if let Some(rows) = info.rows()
            && overlaps(i, rows)
        {
            self.judge(Rule::MatrixOverlap, Kind::MatrixOverlap)?;
        }
        if self.version.is_ps_1() { self.model_1(i, pairs) } else { Ok(()) }
    }

    /// The end token: `Err` has the offset if it is that of an instruction.
    pub(crate) fn finish(&self) -> Result<(), (Option<u32>, Broken)> {
        if !self.blocks.is_empty() {
            return Err((None, (Rule::Blocks, Kind::Unclosed { opened: self.blocks.len() as u32 })));
        }
        match self.calls.first() {
            Some(call) => Err((Some(call.offset), (Rule::Labels, Kind::UndefinedLabel { label: call.label }))),
            None => Ok(()),
        }
    }

    fn declare(&mut self, i: &Instruction) -> Result<(), Broken> {
        let Some(dst) = i.dst else { return Ok(()) };
        let register = dst.register;
        let packs = is_packed(register.ty, self.version);
        let components = file(register.ty).and_then(|file| self.declared[file].get_mut(usize::from(register.number)));
        let Some(components) = components else { return Ok(()) };
        let mask = if dst.mask != 0 { dst.mask } else { 0xF };
        let free = match packs {
            true => packed(*components, mask).map(|(mask, _)| mask),
            false => (*components == 0).then_some(0xF),
        };
        *components |= free.unwrap_or(mask);
        match free {
            Some(_) => Ok(()),
            None => self.judge(Rule::Redeclared, Kind::Redeclared { register }),
        }
    }

    /// ps_1_x: texture opcodes come first, matrices in rows of registers.
    fn model_1(&mut self, i: &Instruction, pairs: bool) -> Result<(), Broken> {
        match i.op {
            Opcode::Def | Opcode::Nop => return Ok(()),
            Opcode::Phase => {
                self.arithmetic = false;
                if std::mem::replace(&mut self.phase, true) {
                    self.judge(Rule::Phases, Kind::Phases)?;
                }
            }
            _ if pairs => self.arithmetic = true,
            _ if self.arithmetic => self.judge(Rule::TextureOrder, Kind::TextureOrder)?,
            _ => {}
        }
        let Some(dst) = i.dst else { return Ok(()) };
        let number = dst.register.number;
        let (pad, rows) = match i.op {
            Opcode::TexM3x2Pad | Opcode::TexM3x2Tex | Opcode::TexM3x2Depth => (Opcode::TexM3x2Pad, 1),
            Opcode::TexM3x3Pad | Opcode::TexM3x3 | Opcode::TexM3x3Tex | Opcode::TexM3x3Spec | Opcode::TexM3x3VSpec => {
                (Opcode::TexM3x3Pad, 2)
            }
            _ => return Ok(()),
        };
        let missing = Err((Rule::Pads, Kind::MissingPad));
        let rows_before = match self.pads {
            Some((op, last, rows)) if op == pad => {
                if last + 1 != number {
                    self.judge(Rule::PadRegisters, Kind::PadRegisters)?;
                }
                rows
            }
            None => 0,
            _ => return missing,
        };
        if i.op == pad && rows_before < rows {
            self.pads = Some((pad, number, rows_before + 1));
            return Ok(());
        }
        self.pads = None;
        if i.op != pad && rows_before == rows { Ok(()) } else { missing }
    }

    fn flow(&mut self, i: &Instruction) -> Result<(), Broken> {
        let top = self.blocks.last().copied();
        match i.op.info().flow {
            Flow::None => {}
            Flow::Open => {
                let block = match i.op {
                    Opcode::Loop => Block::Loop,
                    Opcode::Rep => Block::Rep,
                    _ => Block::If,
                };
                return self.open(block);
            }
            Flow::Else => match self.blocks.last_mut() {
                Some(block) if *block == Block::If => *block = Block::Else,
                _ => return Err((Rule::Blocks, Kind::Unopened)),
            },
            Flow::Close => {
                let fits = match i.op {
                    Opcode::EndLoop => top == Some(Block::Loop),
                    Opcode::EndRep => top == Some(Block::Rep),
                    _ => matches!(top, Some(Block::If | Block::Else)),
                };
                if !fits {
                    return Err((Rule::Blocks, Kind::Unopened));
                }
                self.blocks.pop();
            }
            Flow::Break => {
                if !self.blocks.iter().any(|block| is_loop(*block)) {
                    return Err((Rule::Blocks, Kind::Unopened));
                }
            }
            Flow::Call => return self.subroutine(i),
        }
        Ok(())
    }

    fn open(&mut self, block: Block) -> Result<(), Broken> {
        let open = self.blocks.iter().filter(|other| is_loop(**other) == is_loop(block)).count();
        if open >= MAX_DEPTH || self.blocks.len() >= MAX_BLOCKS {
            return Err((Rule::Depth, Kind::Nesting { limit: MAX_DEPTH as u32 }));
        }
        if is_loop(block) && open >= MAX_LOOPS && !self.version.is_software() {
            self.judge(Rule::LoopNesting, Kind::Nesting { limit: MAX_LOOPS as u32 })?;
        }
        self.blocks.push(block);
        Ok(())
    }

    /// Calls only go forward, so a subroutine's callers have all been seen where it begins.
    fn subroutine(&mut self, i: &Instruction) -> Result<(), Broken> {
        if matches!(i.op, Opcode::Ret | Opcode::Label) && !self.blocks.is_empty() {
            return Err((Rule::Blocks, Kind::Unclosed { opened: self.blocks.len() as u32 }));
        }
        let Some(label) = i.srcs.first().map(|src| src.register.number) else { return Ok(()) };
        let known = self.calls.iter().position(|call| call.label == label);
        if self.labels.contains(&label) {
            let twice = i.op == Opcode::Label;
            return Err((Rule::Labels, if twice { Kind::LabelTwice { label } } else { Kind::BackwardCall { label } }));
        }
        if i.op == Opcode::Label {
            self.labels.push(label);
            // One that nobody calls is as good as called by the main program.
            self.subroutine = Some(known.map_or(1, |known| self.calls.swap_remove(known).depth));
            return Ok(());
        }
        let depth = self.subroutine.unwrap_or(0) + 1;
        if usize::from(depth) > MAX_DEPTH {
            return Err((Rule::Depth, Kind::CallDepth { limit: MAX_DEPTH as u8 }));
        }
        if usize::from(depth) > MAX_CALLS && !self.version.is_software() {
            self.judge(Rule::CallNesting, Kind::CallDepth { limit: MAX_CALLS as u8 })?;
        }
        match known {
            Some(known) => self.calls[known].depth = self.calls[known].depth.max(depth),
            None => self.calls.push(Call { label, depth, offset: i.offset }),
        }
        Ok(())
    }
}

fn is_loop(block: Block) -> bool {
    matches!(block, Block::Loop | Block::Rep)
}

/// True for what goes from stage to stage in model 3, where registers hold several semantics in different components.
pub(crate) fn is_packed(ty: RegisterType, version: Version) -> bool {
    match ty {
        RegisterType::Output => true,
        RegisterType::Input => version.stage == Stage::Pixel && version.major >= 3,
        _ => false,
    }
}

/// The components that a `dcl` with this mask means in a register of which some are `used`, and by how many they lie further
/// on than those of the semantic.
///
/// By the reference they are those of the mask, and of the semantic. Wine's HLSL compiler (1.14 of vkd3d-shader) packs
/// semantics one after the other too, but declares each from `.x` on, and the point size as all four; where that overlaps,
/// the next free components are meant, and they are the semantic's first. `None` if none is free behind those in use.
pub(crate) fn packed(used: u8, mask: u8) -> Option<(u8, u8)> {
    if used & mask == 0 {
        return Some((mask, 0));
    }
    let shift = 8 - used.leading_zeros();
    let count = mask.count_ones().min(4 - shift.min(4));
    (count != 0).then(|| (((1 << count) - 1) << shift, shift as u8))
}

/// Matrix opcodes stand for several dot products, so by the reference the result is not written over what they read.
fn overlaps(i: &Instruction, rows: u16) -> bool {
    let (Some(dst), [vector, matrix, ..]) = (&i.dst, &i.srcs[..]) else { return false };
    let first = matrix.register.number;
    let in_matrix = matrix.register.ty == dst.register.ty && (first..first + rows).contains(&dst.register.number);
    vector.register == dst.register || in_matrix
}
