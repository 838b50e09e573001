//! GCN code to IR.
//!
//! One wave's code becomes one lane's code. Guest registers are IR variables, which the `ssa` pass makes values of; pairs of
//! scalar registers that hold masks are this lane's bit of it (`masks`). Branches on exec and vcc go by the lane's own bit, so
//! that lanes part where the guest only masks them; what runs in all lanes of the guest and here in some can differ only in lanes
//! whose exec is false. What lanes do together (ballots, first lanes, counts) is done by the host's wave.
//!
//! `flow` finds blocks, `structure` makes `if`s and loops of them, `resources` says where descriptors come from. Scalar code is
//! in `scalar`, `logic` and `smem`; the other files have an encoding each: a function `lift(&mut Lifter, &Inst)`.

mod atomics;
mod barycentrics;
mod data_share;
mod error;
mod export;
pub(crate) mod flow;
mod format;
mod geometry;
mod image;
mod inputs;
mod interlock;
mod interpolate;
mod lds;
mod levels;
mod lockstep;
mod logic;
mod masks;
mod memory;
mod registers;
mod run_time;
mod scalar;
mod smem;
mod start;
pub(crate) mod structure;
mod tables;
mod tessellation;
mod vector;
mod windows;

use std::borrow::Cow;

use afterimage_ir::{self as ir, Bank, BankDecl, BankSource, Builder, Module, Type, Value, Var};
use data_share::DataShare;
pub use error::{LiftError, Reason};
pub use export::clip_distances;
use flow::Flow;
pub(crate) use masks::{Live, Masks};
use registers::Registers;
use structure::{Exit, Step, structure};
pub(crate) use vector::arithmetic::advance;

use crate::analyzed::{Analyzed, analyzed};
use crate::inst::{EXEC, Inst, VCC};
use crate::io::{self, BufferSpec, HwStage, ImageSpec, Source, Texels, bank, groups};
use crate::resources::{Analysis, Use};
use crate::tables::{Condition, Encoding, Kind, Op};

/// Registers of the bank of what the draw says.
const DRAW_REGISTERS: u32 = 4;

/// Instructions of the IR, with those that passes add, for one of the guest: of most programs less.
const USUAL: usize = 20;

/// A buffer that an instruction accesses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BufferRef {
    /// Index in [`Resources::buffers`](crate::io::Resources), which is its register in the bank of buffers.
    pub index: u32,
    /// What is known of its descriptor.
    pub spec: BufferSpec,
}

/// An image that an instruction samples or accesses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImageRef {
    /// Index in [`Resources::textures`](crate::io::Resources), or in `storage_images` for a storage image: the slot.
    pub slot: u32,
    /// Whether it is a storage image.
    pub storage: bool,
    /// Whether samples are compared with a reference value.
    pub compare: bool,
    /// What is known of its descriptor.
    pub spec: ImageSpec,
    /// What the texels of a storage image are to the program.
    pub texels: Texels,
    /// The word of one that is in a table of the receiver's.
    pub word: Option<Value>,
    /// Whether it is there; where not, it reads as zero.
    pub present: Option<Value>,
    /// Whether coordinates are in its texels, where that is found out while the program runs.
    pub in_texels: Option<Value>,
}

/// A translation in progress.
///
/// Reading and writing registers cannot fail: what cannot be is remembered with the instruction that is translated, and
/// returned at the end.
pub(crate) struct Lifter<'a> {
    /// Where code goes.
    pub b: Builder,
    /// What is translated.
    pub source: &'a Source,
    analysis: &'a Analysis,
    flow: &'a Flow,
    masks: &'a Masks,
    registers: Registers,
    /// Number of the instruction that is translated, in the flow.
    at: usize,
    /// What is read of its results.
    wanted: Live,
    exec_known: bool,
    banks: [Option<Bank>; 3],
    /// State variables of the structured code, by number.
    states: Vec<Var>,
    /// The block whose code was last.
    block: u32,
    /// Names that were warned of.
    warned: Vec<&'static str>,
    kept: vector::VectorState,
    share: DataShare,
    /// Whether lanes of the group may be elsewhere.
    diverged: bool,
    /// Whether all branches are the wave's, so that they never are.
    lockstep: bool,
    error: Option<LiftError>,
}

/// Translates a program. Constant banks, buffers, texture slots and storage images have the numbers that
/// [`resources`](crate::resources()) gives them.
///
/// # Errors
/// When the code cannot be read, or something in it has no translation.
pub fn lift(source: &Source) -> Result<Module, LiftError> {
    let known = analyzed(source)?;
    let Analyzed { flow, analysis, .. } = &*known;
    let mut masks = Cow::Borrowed(&known.masks);
    if source.registers.groups & groups::PARTIAL != 0 {
        masks.to_mut().begin_partial(flow);
    }
    let lifted = translate(source, flow, analysis, &masks, false)?;
    if !lifted.wants_lockstep {
        return Ok(lifted.module);
    }
    masks.to_mut().keep_in_lockstep(flow, lockstep::fills_up(source));
    translate(source, flow, analysis, &masks, true).map(|lifted| lifted.module)
}

/// What comes of a translation.
struct Lifted {
    module: Module,
    /// Whether lanes have to be kept together, for smaller waves to do the same.
    wants_lockstep: bool,
}

fn translate(
    source: &Source,
    flow: &Flow,
    analysis: &Analysis,
    masks: &Masks,
    lockstep: bool,
) -> Result<Lifted, LiftError> {
    let exits = flow.exits();
    let ends: Vec<bool> = flow.blocks.iter().map(|block| block.end - block.first == 1).collect();
    let ends: Vec<bool> = ends.iter().zip(&exits).map(|(&one, &exit)| one && exit == Exit::Return).collect();
    let structured = structure(&exits, &ends);
    let stage = match source.stage {
        HwStage::Ps => ir::Stage::Pixel,
        HwStage::Vs if !source.captures() => ir::Stage::Vertex,
        _ => ir::Stage::Compute,
    };
    let mut b = Builder::with_room(stage, USUAL * flow.insts.len());
    b.set_name(source.stage.name());
    if matches!(source.stage, HwStage::Ls | HwStage::Hs) {
        b.work_group([tessellation::corners(source), 1, 1], 0);
    } else if source.stage == HwStage::Cs {
        let group = group_size(source).map_err(|reason| reason.at(&flow.insts[0]))?;
        let group = if lockstep && lockstep::fills_up(source) { lockstep::whole_waves(group) } else { group };
        b.work_group(group, lds_bytes(source));
    } else if geometry::has_list(source) {
        b.work_group([io::geometry::LANES, 1, 1], 0);
    }
    let states = (0..structured.states).map(|n| b.var(format!("state{n}"), Type::I32)).collect();
    let mut l = Lifter {
        b,
        source,
        analysis,
        flow,
        masks,
        registers: Registers::new(),
        at: 0,
        wanted: Live::default(),
        exec_known: true,
        banks: [None; 3],
        states,
        block: 0,
        warned: Vec::new(),
        kept: vector::VectorState::default(),
        share: DataShare::Group,
        diverged: false,
        lockstep,
        error: None,
    };
    if flow.calls && source.fetch.is_empty() {
        l.at = flow.insts.iter().position(|inst| inst.kind() == Kind::Call).unwrap_or(0);
        l.fail(Reason::Unsupported("a call without the fetch shader's code"));
    }
    if let Some(fork) = flow.blocks.iter().find(|block| lockstep && block.forks) {
        l.at = fork.end - 1;
        l.fail(Reason::Unsupported("a branch by the hardware's stack of masks where lanes of a group ask each other"));
    }
    if flow.insts.iter().any(Inst::indexes_registers) {
        l.index_vgprs();
    }
    start::lift(&mut l);
    if source.stage == HwStage::Cs && memory::waits_for_others(flow) {
        // Memory is read and written as often as the code says from here on.
        l.b.memory_barrier();
    }
    l.steps(&structured.steps);
    export::finish(&mut l);
    if lockstep {
        l.b.guest_waves();
    }
    let wants_lockstep = !lockstep && lockstep::wanted(&mut l);
    let Lifter { b, error, .. } = l;
    match error {
        Some(error) => Err(error),
        None => {
            let module = b.finish().map_err(|error| Reason::from(error).at(&flow.insts[0]))?;
            Ok(Lifted { module, wants_lockstep })
        }
    }
}

/// Lanes of a work group in each direction.
fn group_size(source: &Source) -> Result<[u32; 3], Reason> {
    let group = source.registers.num_thread.map(|n| n.max(1));
    let lanes = group.iter().fold(1u32, |lanes, &n| lanes.saturating_mul(n));
    match lanes {
        0..=ir::MAX_GROUP => Ok(group),
        _ => Err(Reason::TooMany { what: "lanes in a work group", most: ir::MAX_GROUP as usize }),
    }
}

/// Bytes of the group's memory: `LDS_SIZE` counts 128 words.
fn lds_bytes(source: &Source) -> u32 {
    ((source.registers.rsrc2 >> 15 & 0x1FF) * 512).min(ir::MAX_SHARED)
}

impl Lifter<'_> {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                &Step::Block(block) => self.block(block),
                Step::If(yes, no) => {
                    let cond = self.condition();
                    let parts = !self.lockstep && !lockstep::is_scalar(self.flow, self.block);
                    let before = self.diverged;
                    if parts {
                        lockstep::before_parting(self, &[yes, no]);
                    }
                    self.diverged |= parts;
                    let open = self.kept.share.open;
                    self.b.begin_if(cond);
                    self.steps(yes);
                    self.b.begin_else();
                    let yes_open = self.kept.share.open;
                    // Where lanes part, the guest comes here after the other arm.
                    self.kept.share.open = if parts { open.or(yes_open) } else { open };
                    self.steps(no);
                    self.b.end_if();
                    self.kept.share.open = self.kept.share.open.or(yes_open);
                    self.diverged = before || parts && [yes, no].iter().any(|arm| lockstep::leaves(arm));
                }
                Step::Loop(body) => {
                    let before = self.diverged;
                    let parts = !self.lockstep && lockstep::parts_for_good(self.flow, body, false);
                    if parts {
                        lockstep::before_parting(self, &[body]);
                    }
                    self.diverged |= parts;
                    let open = self.kept.share.open.or(lockstep::accesses(self.flow, body));
                    self.kept.share.open = open;
                    self.b.begin_loop();
                    self.steps(body);
                    self.b.end_loop();
                    self.kept.share.open = open;
                    self.diverged = before || !self.lockstep && lockstep::parts_for_good(self.flow, body, true);
                }
                Step::When(state, is, body) => {
                    let value = self.b.load(self.states[*state as usize]);
                    let is = self.b.i32(*is as i32);
                    let cond = self.b.ieq(value, is);
                    let before = self.diverged;
                    if !self.lockstep {
                        lockstep::before_parting(self, &[body]);
                    }
                    self.diverged = !self.lockstep;
                    let open = self.kept.share.open;
                    self.b.begin_if(cond);
                    self.steps(body);
                    self.b.end_if();
                    self.kept.share.open = self.kept.share.open.or(open);
                    self.diverged = before || !self.lockstep && lockstep::leaves(body);
                }
                &Step::Set(state, to) => {
                    let value = self.b.i32(to as i32);
                    self.b.store(self.states[state as usize], value);
                }
                Step::Break => self.b.break_(),
                Step::Continue => self.b.continue_(),
                Step::Return => {
                    export::finish(self);
                    self.b.return_();
                }
            }
        }
    }

    fn block(&mut self, number: u32) {
        self.block = number;
        let block = self.flow.blocks[number as usize];
        for at in block.first..block.end {
            if !self.lockstep && lockstep::wanted(self) {
                // Nothing is done with what comes of this translation.
                return;
            }
            self.at = at;
            self.wanted = self.masks.live[at];
            self.exec_known = self.masks.exec[at];
            let inst = self.flow.insts[at];
            if masks::needed(&inst, &self.wanted)
                && let Err(reason) = self.instruction(&inst)
            {
                self.fail(reason);
            }
        }
    }

    /// Whether the block whose code was last goes on to the first of its two ways: by this lane's bits, or by those of the wave.
    fn condition(&mut self) -> Value {
        if self.flow.blocks[self.block as usize].skips {
            return self.skips();
        }
        if self.flow.blocks[self.block as usize].forks {
            let last = self.flow.blocks[self.block as usize].end - 1;
            let stays = self.read_mask(self.flow.insts[last].src[0]);
            return self.b.bnot(stays);
        }
        let (value, expected) = match self.flow.condition(self.block) {
            Some(Condition::Scc0) => (self.scc(), false),
            Some(Condition::Scc1) => (self.scc(), true),
            Some(Condition::Vccz) => (self.any(VCC), false),
            Some(Condition::Vccnz) => (self.any(VCC), true),
            Some(Condition::Execz) => (self.any(EXEC), false),
            Some(Condition::Execnz) => (self.any(EXEC), true),
            Some(Condition::Always | Condition::Debug) | None => (self.b.bool(true), true),
        };
        if expected { value } else { self.b.bnot(value) }
    }

    /// A mask for a branch: whether the lane goes there, or any of its wave where they stay together.
    fn any(&mut self, code: u8) -> Value {
        let mask = self.mask(code);
        if self.lockstep { self.b.wave_any(mask) } else { mask }
    }

    /// Translates an instruction.
    fn instruction(&mut self, inst: &Inst) -> Result<(), Reason> {
        match inst.enc {
            Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopk | Encoding::Sopc | Encoding::Sopp => {
                if logic::lift(self, inst)? { Ok(()) } else { scalar::lift(self, inst) }
            }
            Encoding::Smrd if inst.op == Op::SMemtime => scalar::lift(self, inst),
            Encoding::Smrd => smem::lift(self, inst),
            Encoding::Vop1 | Encoding::Vop2 | Encoding::Vop3 | Encoding::Vopc => {
                vector::lift(self, inst);
                Ok(())
            }
            Encoding::Mubuf | Encoding::Mtbuf | Encoding::Flat => {
                memory::lift(self, inst);
                Ok(())
            }
            Encoding::Mimg => {
                image::lift(self, inst);
                Ok(())
            }
            Encoding::Ds if self.shares_nothing(inst) => {
                Err(Reason::Unsupported("the data share of a program that asks for none of it"))
            }
            Encoding::Ds => {
                lds::lift(self, inst);
                Ok(())
            }
            Encoding::Vintrp if self.source.stage != HwStage::Ps => {
                Err(Reason::Unsupported("interpolation outside of the pixel stage"))
            }
            Encoding::Vintrp => {
                interpolate::lift(self, inst);
                Ok(())
            }
            Encoding::Exp => {
                export::lift(self, inst);
                Ok(())
            }
        }
    }

    /// Whether an instruction of the data share accesses memory that the program does not have.
    fn shares_nothing(&self, inst: &Inst) -> bool {
        matches!(self.share, DataShare::Group) && self.b.module().shared == 0 && inst.accesses_share()
    }

    /// The instruction that is translated.
    pub(crate) fn inst(&self) -> Inst {
        self.flow.insts[self.at]
    }

    /// The program cannot be translated, because of the instruction that is translated. The first reason counts.
    pub(crate) fn fail(&mut self, reason: Reason) {
        if self.error.is_none() {
            self.error = Some(reason.at(&self.inst()));
        }
    }

    /// Something is left out, and what is left is good for most programs: logged, once for each name and translation.
    pub(crate) fn warn(&mut self, name: &'static str) {
        if !self.warned.contains(&name) {
            self.warned.push(name);
            let inst = self.inst();
            tracing::warn!("GCN code, word {:#x}, `{}`: {name} is left out", inst.at, inst.op.name());
        }
    }

    /// The buffer that the instruction that is translated accesses: MUBUF, MTBUF and dynamic scalar loads.
    pub(crate) fn buffer(&mut self) -> Option<BufferRef> {
        match self.analysis.uses[self.at] {
            Use::Buffer(index) => {
                let spec = self.source.buffers.get(index as usize).copied().unwrap_or_default();
                Some(BufferRef { index, spec })
            }
            _ => None,
        }
    }

    /// Address (low and high half), bytes and records of a buffer: four untyped components.
    pub(crate) fn buffer_words(&mut self, buffer: u32) -> Value {
        let bank = self.bank(bank::BUFFERS);
        self.b.load_const(bank, buffer)
    }

    /// The same of a buffer behind another one, in all lanes of which it need not be the same.
    pub(crate) fn buffer_words_behind(&mut self, first: u32, index: Value) -> Value {
        let bank = self.bank(bank::BUFFERS);
        self.b.load_const_dyn(bank, first as i32, index)
    }

    /// The image that the instruction that is translated samples or accesses.
    pub(crate) fn image(&mut self) -> Option<ImageRef> {
        match self.analysis.uses[self.at] {
            Use::Texture(slot) => self.image_of(slot, false),
            Use::StorageImage(slot) => self.image_of(slot, true),
            _ => None,
        }
    }

    /// The image of a slot.
    pub(crate) fn image_of(&self, slot: u32, storage: bool) -> Option<ImageRef> {
        let resources = &self.analysis.resources;
        let (image, compare) = if storage {
            (*resources.storage_images.get(slot as usize)?, false)
        } else {
            let texture = resources.textures.get(slot as usize)?;
            (texture.image, texture.compare)
        };
        let mut spec = self.source.images.get(image as usize).copied().unwrap_or_default();
        if !storage && spec.format & io::FRAGMENT_MASK == 0 {
            let some = std::mem::take(&mut spec.select);
            let before = resources.textures.iter().take(slot as usize);
            let nth = before.filter(|texture| texture.image == image && texture.sampler.is_some()).count() as u32;
            if some.checked_shr(nth).unwrap_or(0) & 1 != 0 {
                spec.format |= io::IN_TEXELS;
            }
        }
        let texels = resources.images.get(image as usize).map_or(Texels::Converted, |image| image.texels);
        Some(ImageRef { slot, storage, compare, spec, texels, word: None, present: None, in_texels: None })
    }

    /// Register `register` of the bank of what the draw says.
    pub(crate) fn draw_words(&mut self, register: u32) -> Value {
        let bank = self.bank(bank::DRAW);
        self.b.load_const(bank, register)
    }

    /// Four words of the bank of words: those of a register of it.
    pub(crate) fn delivered_four(&mut self, register: u32) -> Value {
        let bank = self.bank(bank::WORDS);
        let four = self.b.load_const(bank, register);
        self.b.cast(four, ir::Kind::Int)
    }

    /// Word `word` of the bank of words.
    fn delivered(&mut self, word: u32) -> Value {
        let bank = self.bank(bank::WORDS);
        let register = self.b.load_const(bank, word / 4);
        self.b.extract(register, (word % 4) as u8)
    }

    /// Buffers behind those of the program.
    fn own_buffers(&self) -> u32 {
        if geometry::has_list(self.source) { io::geometry::OWN } else { 0 }
    }

    fn bank(&mut self, id: u8) -> Bank {
        let resources = &self.analysis.resources;
        let (name, size) = match id {
            bank::WORDS => ("words", resources.words.len().div_ceil(4) as u32),
            bank::BUFFERS if !resources.tables.is_empty() => {
                ("buffers", io::FIRST_TABLE + resources.tables.len() as u32)
            }
            bank::BUFFERS => ("buffers", resources.buffers.len() as u32 + self.own_buffers()),
            _ => ("draw", DRAW_REGISTERS),
        };
        let at = usize::from(id.min(bank::DRAW));
        *self.banks[at].get_or_insert_with(|| {
            let size = size.max(1);
            self.b.bank(BankDecl { name: name.into(), source: BankSource::Stage, id, size, defs: Vec::new() })
        })
    }
}
