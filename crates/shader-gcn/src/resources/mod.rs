//! What a program reads from outside, found by following its scalar registers back to user data.
//!
//! Forwards through the blocks goes, for each scalar register, the one expression that it holds there ([`follow`](self)), where
//! ways join only if it is the same on all. At the instructions that use a descriptor the expressions of its words are the
//! resource; scalar loads at known addresses are words that the guest delivers with the draw, unless they only lead to others.

mod exprs;
mod follow;
mod images;

use exprs::Exprs;
use follow::{Loaded, State, follow};
use images::{Chosen, ImageAccess, Level, Slot};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::inst::{Inst, Operand};
use crate::io::geometry::Message;
use crate::io::{
    BufferAt, BufferUse, ExprId, HwStage, ImageUse, MAX_BUFFERS, MAX_STORAGE_IMAGES, MAX_WORDS, Registers, Resources,
    SamplerUse, Source, TableOf, TableUse, Texels, TextureUse, WINDOWS,
    tables::{self, What},
    texture_slots,
};
use crate::lift::flow::Flow;
use crate::lift::structure::Exit;
use crate::lift::{LiftError, Masks, Reason};
use crate::tables::{Encoding, Kind, Op};

/// Messages of `s_sendmsg` that a vertex or a strip is complete; the second, that it was the last.
const MSG_GS: [u16; 2] = [2, 3];

/// Most images, and samplers, of a program.
const MAX_IMAGES: usize = 256;

/// Most bytes from an image's descriptor to that of the sampler that belongs to it.
const MOST_BETWEEN: u32 = 112;

/// What an instruction has to do with the resources.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) enum Use {
    /// Nothing.
    #[default]
    None,
    /// A scalar load whose words are delivered: their numbers, of those that somebody reads.
    Words(SmallVec<[Option<u32>; 4]>),
    /// An access of a buffer, by its number: MUBUF, MTBUF, scalar loads at offsets that are not known.
    Buffer(u32),
    /// A scalar load from somewhere behind a pointer: the number of the buffer, and of the word that is delivered of the low half of
    /// its address.
    Near(u32, u32),
    /// An access by guest address, relative to one that is delivered: the numbers of its words.
    Base([u32; 2]),
    /// An access through a descriptor or pointer that registers hold, and that nobody knows before: by guest address.
    Registers,
    /// A sample or load of a texture, by its slot.
    Texture(u32),
    /// An access of a storage image, by its slot.
    StorageImage(u32),
    /// `v_readlane_b32` of what `v_writelane_b32` wrote, or that: a scalar, by vector register and lane. `alone`: nothing else does anything
    /// to the register.
    Lane { place: (u8, u8), alone: bool },
    /// An access of an image whose descriptors are chosen out of tables.
    Table(Vec<Choice>),
    /// One that is looked for in tables of the receiver's: the numbers of those with the image and the sampler.
    Tables { image: u32, sampler: Option<u32> },
}

/// One of the images that an instruction may access, and when it does: where the words in its registers are those that are delivered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Choice {
    /// Slot of the texture, or of the storage image.
    pub slot: u32,
    /// Whether it is a storage image.
    pub storage: bool,
    /// Number of the word that is delivered of T#, which the others follow, if it is out of a table.
    pub image: Option<u32>,
    /// The same of S#.
    pub sampler: Option<u32>,
    /// Which level the instruction has to name.
    pub level: Option<Named>,
}

/// A level that is chosen by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Named {
    /// Of an image that is known.
    Level(u8),
    /// Of one out of a table: the number of the word that is delivered.
    Word(u32),
}

/// Where a descriptor comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum From<const N: usize> {
    /// Its words are known.
    Known([ExprId; N]),
    /// A table: low and high half of the address at which it begins.
    Table([ExprId; 2]),
}

/// The resources of a program, and which instruction uses what.
pub(crate) struct Analysis {
    /// What the guest is told.
    pub resources: Resources,
    /// For each instruction of the flow.
    pub uses: Vec<Use>,
    /// Numbers of the buffers that are the data share, where it lies in memory, and what the tessellator gives.
    pub share: Option<u32>,
    pub tessellator: Option<u32>,
    /// Number of the buffer that is the global data share.
    pub global_share: Option<u32>,
    /// Number of the first window of guest memory.
    pub windows: Option<u32>,
    /// Number of the word that is delivered for each user register, of those that somebody reads.
    pub users: [Option<u32>; USERS],
}

/// User registers.
const USERS: usize = 16;

/// Number of user registers.
pub(crate) fn user_count(registers: &Registers) -> u8 {
    (registers.rsrc2 >> 1 & 31).min(USERS as u32) as u8
}

/// How many system registers of a vertex stage stream-out has, which are the first: with it configuration, index, and the offsets of
/// the buffers that are enabled; without it one that says nothing, where there is an offset in off-chip memory behind.
pub(crate) fn stream_out_count(rsrc2: u32) -> u8 {
    let has_off_chip = rsrc2 >> 7 & 1 != 0;
    let captures = rsrc2 >> 12 & 1 != 0;
    if captures { 2 + (rsrc2 >> 8 & 15).count_ones() as u8 } else { has_off_chip.into() }
}

/// How many system registers of an export stage come before its offset in the ring: that in off-chip memory, if there is one, and
/// one that says nothing.
pub(crate) fn export_offset(rsrc2: u32) -> u8 {
    2 * (rsrc2 >> 7 & 1) as u8
}

/// The system register with the offset of the wave's scratch memory, which comes last. Private memory is the lane's own here, so
/// it begins at 0.
fn scratch_offset(source: &Source) -> Option<u8> {
    (source.registers.rsrc2 & 1 != 0).then(|| user_count(&source.registers) + system_count(source))
}

/// The first scalar register that a program begins with nothing in, where that is known.
fn free_register(source: &Source) -> Option<u8> {
    let scratch = (source.registers.rsrc2 & 1) as u8;
    let is_known = matches!(source.stage, HwStage::Cs | HwStage::Ps);
    is_known.then(|| user_count(&source.registers) + system_count(source) + scratch)
}

/// How many system registers come before the offset of scratch memory.
fn system_count(source: &Source) -> u8 {
    let rsrc2 = source.registers.rsrc2;
    let enabled = |bits: std::ops::RangeInclusive<u32>| bits.filter(|bit| rsrc2 >> bit & 1 != 0).count() as u8;
    // They depend on the stage.
    match source.stage {
        HwStage::Cs => enabled(7..=10),
        // The base of the parameters; the wave's number; gfx9's register of collisions.
        HwStage::Ps => 1 + enabled(7..=7) + enabled(25..=25),
        // Stream-out, and the offset in off-chip memory.
        HwStage::Vs => stream_out_count(rsrc2) + enabled(7..=7),
        HwStage::Es => export_offset(rsrc2) + 1,
        HwStage::Hs => enabled(7..=7) + 1,
        HwStage::Gs => 2,
        HwStage::Ls => 0,
    }
}

/// What a program reads, and what is known of its masks, which depends on it.
pub(crate) fn analyze(flow: &Flow, source: &Source) -> Result<(Analysis, Masks), LiftError> {
    let mut exprs = Exprs::new();
    let start = State::start(&mut exprs, user_count(&source.registers), scratch_offset(source), free_register(source));
    let starts = follow(flow, &mut exprs, start);
    let mut finder = Finder {
        exprs,
        resources: Resources::default(),
        uses: vec![Use::None; flow.insts.len()],
        loads: Vec::new(),
        near: Vec::new(),
        bases: Vec::new(),
        by_address: None,
        images: Vec::new(),
        chosen: Vec::new(),
        slots: texture_slots(source.stage),
        has_tables: source.registers.tables != 0,
    };
    for (block, start) in flow.blocks.iter().zip(starts) {
        let Some(mut state) = start else { continue };
        for at in block.first..block.end {
            let inst = &flow.insts[at];
            finder.inst(at, inst, &state).map_err(|reason| reason.at(inst))?;
            state.step(&mut finder.exprs, inst);
        }
    }
    finder.lanes(flow);
    // Tables have the slots that are left.
    let (tables, known): (Vec<_>, Vec<_>) =
        std::mem::take(&mut finder.images).into_iter().partition(|access| finder.chooses(access));
    for access in known {
        let inst = &flow.insts[access.at];
        finder.uses[access.at] = finder.image(&access).map_err(|reason| reason.at(inst))?;
    }
    let tables = finder.in_tables(flow, tables)?;
    finder.choices(flow, &tables)?;
    finder.beyond_slots().map_err(|reason| reason.at(&flow.insts[0]))?;
    let share = if source.shares_memory() && flow.insts.iter().any(Inst::accesses_share) {
        let inst = &flow.insts[0];
        Some(finder.buffer(BufferAt::SharedMemory, true, false).map_err(|reason| reason.at(inst))?)
    } else {
        None
    };
    let tessellator = if source.stage == HwStage::Ls || source.is_domain() {
        let inst = &flow.insts[0];
        Some(finder.buffer(BufferAt::Tessellator, false, false).map_err(|reason| reason.at(inst))?)
    } else {
        None
    };
    let mut global_share = None;
    for inst in flow.insts.iter().filter(|inst| inst.accesses_global_share()) {
        let written = !matches!(inst.kind(), Kind::Load { .. });
        let share = finder.buffer(BufferAt::GlobalShare, written, false);
        global_share = Some(share.map_err(|reason| reason.at(inst))?);
    }
    let mut windows = None;
    for inst in flow.insts.iter().filter(|inst| inst.is_by_address()) {
        *finder.by_address.get_or_insert(false) |= !matches!(inst.kind(), Kind::Load { .. });
    }
    if let (Some(written), Some(first)) = (finder.by_address, flow.insts.first()) {
        for n in 0..WINDOWS {
            let window = finder.buffer(BufferAt::Window(n), written, false).map_err(|reason| reason.at(first))?;
            windows.get_or_insert(window);
        }
    }
    let masks = Masks::new(flow, &finder.uses);
    let users = finder.deliver(flow, &masks)?;
    let Finder { exprs, mut resources, uses, .. } = finder;
    resources.exprs = exprs.compact(|visit| visit_ids(&mut resources, visit));
    resources.messages = if source.stage == HwStage::Gs { messages(flow, &masks) } else { None };
    Ok((Analysis { resources, uses, share, tessellator, global_share, windows, users }, masks))
}

/// What a geometry shader tells the hardware, if there is one way through it and every lane goes there.
fn messages(flow: &Flow, masks: &Masks) -> Option<Vec<Message>> {
    let mut messages = Vec::new();
    let mut number = 0;
    for _ in &flow.blocks {
        let block = flow.blocks[number];
        for at in block.first..block.end {
            let inst = &flow.insts[at];
            let operation = inst.simm >> 4 & 3;
            match inst.op {
                Op::SSendmsg if operation != 0 && MSG_GS.contains(&(inst.simm & 15)) => {
                    if !masks.exec[at] {
                        return None;
                    }
                    let stream = (inst.simm >> 8 & 3) as u8;
                    messages.push(Message { stream, emits: operation & 2 != 0, cuts: operation & 1 != 0 });
                }
                Op::SSendmsghalt => return None,
                _ => {}
            }
        }
        match block.exit {
            Exit::Return => return Some(messages),
            Exit::Goto(next) => number = next as usize,
            Exit::Branch(..) => return None,
        }
    }
    None
}

/// Calls `visit` for every expression that resources name.
fn visit_ids(resources: &mut Resources, visit: &mut dyn FnMut(&mut ExprId)) {
    resources.words.iter_mut().for_each(&mut *visit);
    for buffer in &mut resources.buffers {
        match &mut buffer.at {
            BufferAt::Descriptor(words) => words.iter_mut().for_each(&mut *visit),
            BufferAt::Pointer(words) => words.iter_mut().for_each(&mut *visit),
            BufferAt::SharedMemory | BufferAt::Tessellator | BufferAt::GlobalShare | BufferAt::Window(_) => {}
        }
    }
    resources.images.iter_mut().for_each(|image| image.descriptor.iter_mut().for_each(&mut *visit));
    resources.samplers.iter_mut().for_each(|sampler| sampler.descriptor.iter_mut().for_each(&mut *visit));
    for table in &mut resources.tables {
        match &mut table.of {
            TableOf::Images(base) | TableOf::Samplers(base) => base.iter_mut().for_each(&mut *visit),
            TableOf::Image(words) => words.iter_mut().for_each(&mut *visit),
            TableOf::Sampler(words) => words.iter_mut().for_each(&mut *visit),
            TableOf::Textures => {}
        }
    }
    resources.fetch.iter_mut().flatten().for_each(&mut *visit);
}

struct Finder {
    exprs: Exprs,
    resources: Resources,
    uses: Vec<Use>,
    /// Scalar loads at known addresses, and their words.
    loads: Vec<(usize, Loaded)>,
    /// Scalar loads from somewhere behind a pointer, and the low half of its address.
    near: Vec<(usize, u32, ExprId)>,
    /// Accesses by guest address, and what it is relative to.
    bases: Vec<(usize, [ExprId; 2])>,
    /// Whether something is accessed by guest address through registers, and whether something is written so.
    by_address: Option<bool>,
    /// Image instructions, in the order of the code.
    images: Vec<ImageAccess>,
    /// What accesses of images choose out of.
    chosen: Vec<Chosen>,
    /// Textures of the stage that have slots.
    slots: usize,
    /// Whether the receiver has tables.
    has_tables: bool,
}

/// The number of what equals `wanted` in a list, which it is added to if it is not there.
fn number<T>(
    list: &mut Vec<T>,
    same: impl Fn(&T) -> bool,
    new: T,
    what: &'static str,
    most: usize,
) -> Result<u32, Reason> {
    if let Some(at) = list.iter().position(same) {
        return Ok(at as u32);
    }
    if list.len() >= most {
        return Err(Reason::TooMany { what, most });
    }
    list.push(new);
    Ok(list.len() as u32 - 1)
}

impl Finder {
    fn inst(&mut self, at: usize, inst: &Inst, state: &State) -> Result<(), Reason> {
        match (inst.enc, inst.kind()) {
            (Encoding::Smrd, Kind::ScalarLoad { buffer }) => {
                if let Some(words) = state.loaded(&mut self.exprs, inst) {
                    self.uses[at] = Use::Words(SmallVec::new());
                    self.loads.push((at, words));
                    return Ok(());
                }
                let place = if buffer {
                    state.words(&mut self.exprs, inst.src[0]).map(BufferAt::Descriptor)
                } else {
                    state.words(&mut self.exprs, inst.src[0]).map(BufferAt::Pointer)
                };
                if !buffer
                    && place.is_none()
                    && let Some(base) = state.near(&mut self.exprs, inst.src[0])
                {
                    let buffer = self.buffer(BufferAt::Pointer(base), false, false)?;
                    self.uses[at] = Use::Near(buffer, 0);
                    self.near.push((at, buffer, base[0]));
                    return Ok(());
                }
                self.uses[at] = match place {
                    Some(place) => Use::Buffer(self.buffer(place, false, false)?),
                    None => self.by_registers(false),
                };
            }
            // The lanes' addresses are added to that of the descriptor, and nothing is compared with its size.
            (Encoding::Mubuf | Encoding::Mtbuf, _) if inst.is_by_address() => {
                match state.words::<2>(&mut self.exprs, inst.srsrc()) {
                    Some(base) => self.bases.push((at, base)),
                    None => self.uses[at] = Use::Registers,
                }
            }
            (Encoding::Mubuf | Encoding::Mtbuf, kind) if inst.srsrc().is_some() => {
                let written = matches!(kind, Kind::Store { .. } | Kind::StoreFormat { .. } | Kind::Atomic(_));
                let Some(words) = state.words(&mut self.exprs, inst.srsrc()) else {
                    self.uses[at] = self.by_registers(written);
                    return Ok(());
                };
                let formatted = matches!(kind, Kind::LoadFormat { .. } | Kind::StoreFormat { .. });
                let typed = formatted && inst.enc == Encoding::Mubuf;
                self.uses[at] = Use::Buffer(self.buffer(BufferAt::Descriptor(words), written, typed)?);
            }
            (Encoding::Mimg, kind) => {
                let short = inst.src_dwords(1) == 4;
                let known = if short {
                    let words: Option<[ExprId; 4]> = state.words(&mut self.exprs, inst.srsrc());
                    let words = words.zip(self.exprs.constant(0));
                    words.map(|(words, zero)| std::array::from_fn(|n| words.get(n).copied().unwrap_or(zero)))
                } else {
                    state.words(&mut self.exprs, inst.srsrc())
                };
                let image = match known {
                    Some(words) => From::Known(words),
                    None => {
                        let table = state.table(&mut self.exprs, inst.srsrc()).filter(|_| !short);
                        From::Table(table.ok_or_else(|| Reason::unresolved("the image descriptor", inst.srsrc()))?)
                    }
                };
                let sampled = matches!(kind, Kind::Sample(_) | Kind::Gather(_) | Kind::ImageLod);
                let sampler = if sampled && inst.ssamp().is_some() {
                    Some(match state.words(&mut self.exprs, inst.ssamp()) {
                        Some(words) => From::Known(words),
                        None => {
                            let table = state.table(&mut self.exprs, inst.ssamp());
                            From::Table(
                                table.ok_or_else(|| Reason::unresolved("the sampler descriptor", inst.ssamp()))?,
                            )
                        }
                    })
                } else {
                    None
                };
                let compare = matches!(kind, Kind::Sample(form) | Kind::Gather(form) if form.compare());
                let stores = matches!(kind, Kind::ImageStore(_) | Kind::Atomic(_));
                let texels = match kind {
                    Kind::Atomic(_) => Texels::Words,
                    Kind::ImageLoad(form) | Kind::ImageStore(form) if form.packed() => Texels::Bits,
                    _ => Texels::Converted,
                };
                // Their tables begin apart by what lies between the two descriptors.
                let pairs = match (image, sampler) {
                    (From::Table(a), Some(From::Table(b))) => {
                        let [(a, first), (b, second)] = [a, b].map(|base| self.exprs.without_constant(base[0]));
                        a == b && (1..=MOST_BETWEEN).contains(&second.wrapping_sub(first))
                    }
                    _ => false,
                };
                let sampler_base = match sampler {
                    Some(From::Table(base)) => Some(base),
                    _ => None,
                };
                let sampler = match (image, sampler) {
                    (From::Table(base), Some(_)) if pairs => Some(From::Table(base)),
                    (_, sampler) => sampler,
                };
                let mip = matches!(kind, Kind::ImageLoad(form) | Kind::ImageStore(form) if form.mip());
                self.images.push(ImageAccess { at, image, sampler, compare, pairs, sampler_base, mip, texels, stores });
                if let (From::Known(image), true) = (image, stores) {
                    self.storage(image, 0, true, texels)?;
                }
            }
            (_, Kind::Call) => {
                let address = state.words(&mut self.exprs, inst.src[0]);
                let address = address.ok_or_else(|| Reason::unresolved("the fetch shader's address", inst.src[0]))?;
                if *self.resources.fetch.get_or_insert(address) != address {
                    return Err(Reason::Unsupported("a call of a second shader"));
                }
            }
            _ if inst.op == Op::VReadlaneB32 => {
                if let Some(place) = state.written_lane(&mut self.exprs, inst) {
                    self.uses[at] = Use::Lane { place, alone: false };
                }
            }
            _ if inst.op == Op::VWritelaneB32 => {
                if let Some(place) = state.lane_of(&mut self.exprs, inst) {
                    self.uses[at] = Use::Lane { place, alone: false };
                }
            }
            _ if inst.op == Op::SGetpcB64 => {
                if let Some(words) = state.after(&mut self.exprs, inst) {
                    self.uses[at] = Use::Words(SmallVec::new());
                    self.loads.push((at, words.into_iter().collect()));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// An access by guest address, for which the program has windows.
    fn by_registers(&mut self, written: bool) -> Use {
        *self.by_address.get_or_insert(false) |= written;
        Use::Registers
    }

    fn buffer(&mut self, at: BufferAt, written: bool, typed: bool) -> Result<u32, Reason> {
        let new = BufferUse { at, written: false, typed: false };
        let buffers = &mut self.resources.buffers;
        let index = number(buffers, |buffer| buffer.at == at, new, "buffers", MAX_BUFFERS)?;
        let buffer = &mut buffers[index as usize];
        buffer.written |= written;
        buffer.typed |= typed;
        Ok(index)
    }

    /// Finds out which vector registers have scalars in their lanes and nothing else.
    fn lanes(&mut self, flow: &Flow) {
        let is_lane = |used: &Use| matches!(used, Use::Lane { .. });
        if !self.uses.iter().any(is_lane) {
            return;
        }
        let mut others = [false; 256];
        for (inst, used) in flow.insts.iter().zip(&self.uses) {
            if inst.indexes_registers() {
                return;
            }
            if is_lane(used) {
                continue;
            }
            for registers in inst.reads().into_iter().chain(inst.writes()) {
                if let Operand::Vgpr(first) = registers.first {
                    let last = usize::from(first) + usize::from(registers.count.max(1));
                    others[usize::from(first)..last.min(256)].fill(true);
                }
            }
        }
        for used in &mut self.uses {
            if let Use::Lane { place, alone } = used {
                *alone = !others[usize::from(place.0)];
            }
        }
    }

    /// Numbers the words that somebody reads.
    fn deliver(&mut self, flow: &Flow, masks: &Masks) -> Result<[Option<u32>; USERS], LiftError> {
        let mut known: FxHashMap<ExprId, u32> = FxHashMap::default();
        let mut known_tables: FxHashMap<ExprId, u32> = FxHashMap::default();
        let mut word = |words: &mut Vec<ExprId>, id: ExprId| {
            *known.entry(id).or_insert_with(|| {
                words.push(id);
                words.len() as u32 - 1
            })
        };
        let words = &mut self.resources.words;
        let mut users = [None; USERS];
        for (n, user) in users.iter_mut().enumerate() {
            if masks.start.word(n as u8) || masks.start.mask(n as u8) {
                *user = self.exprs.known_user(n as u8).map(|id| word(words, id));
            }
        }
        for (at, loaded) in std::mem::take(&mut self.loads) {
            let inst = &flow.insts[at];
            let live = &masks.live[at];
            let Some(first) = inst.dst.scalar_code() else { continue };
            let numbers = loaded.iter().enumerate().map(|(n, &id)| {
                let code = first.saturating_add(n as u8) & 127;
                (live.word(code) || live.mask(code)).then(|| word(words, id))
            });
            self.uses[at] = Use::Words(numbers.collect());
            if words.len() > MAX_WORDS {
                return Err(Reason::TooMany { what: "words of user data and scalar loads", most: MAX_WORDS }.at(inst));
            }
        }
        for (at, buffer, base) in std::mem::take(&mut self.near) {
            self.uses[at] = Use::Near(buffer, word(words, base));
        }
        // Descriptors that are compared begin with a register.
        let mut whole = |words: &mut Vec<ExprId>, ids: &[ExprId]| {
            *known_tables.entry(ids[0]).or_insert_with(|| {
                while !words.len().is_multiple_of(4) {
                    words.push(ids[0]);
                }
                words.extend_from_slice(ids);
                (words.len() - ids.len()) as u32
            })
        };
        for Chosen { at, image, sampler, storage, slots } in std::mem::take(&mut self.chosen) {
            let mut choices = Vec::with_capacity(slots.len());
            for Slot { slot, level, image: image_words, sampler: sampler_words } in slots {
                let image = matches!(image, From::Table(_)).then(|| whole(words, &image_words));
                let sampler = match (sampler, sampler_words) {
                    (Some(From::Table(_)), Some(ids)) => Some(whole(words, &ids)),
                    _ => None,
                };
                let level = level.map(|level| match level {
                    Level::Known(level) => Named::Level(level),
                    Level::At(id) => Named::Word(word(words, id)),
                });
                choices.push(Choice { slot, storage, image, sampler, level });
            }
            if words.len() > MAX_WORDS {
                return Err(Reason::TooMany { what: "words of tables", most: MAX_WORDS }.at(&flow.insts[at]));
            }
            self.uses[at] = Use::Table(choices);
        }
        for (at, base) in std::mem::take(&mut self.bases) {
            self.uses[at] = Use::Base(base.map(|half| word(words, half)));
        }
        Ok(users)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where private memory's offset lies behind two user registers.
    fn scratch(stage: HwStage, rsrc2: u32) -> Option<u8> {
        let registers = Registers { rsrc2: rsrc2 | 2 << 1, ..Registers::default() };
        let (code, fetch, buffers, images, tables) = Default::default();
        scratch_offset(&Source { stage, code, fetch, registers, buffers, images, tables })
    }

    fn messages(code: &[u32]) -> Option<Vec<Message>> {
        let (fetch, buffers, images, tables, registers) = Default::default();
        let source = Source { stage: HwStage::Gs, code: code.to_vec(), fetch, registers, buffers, images, tables };
        crate::resources(&source).unwrap().messages
    }

    #[test]
    fn what_every_lane_says_is_known() {
        const EMIT: u32 = 0xBF90_0122;
        const CUT: u32 = 0xBF90_0012;
        const DONE: u32 = 0xBF90_0003;
        const END: u32 = 0xBF81_0000;
        let [emit, cut] =
            [(1, true, false), (0, false, true)].map(|(stream, emits, cuts)| Message { stream, emits, cuts });
        assert_eq!(messages(&[EMIT, EMIT, CUT, DONE, END]), Some(vec![emit, emit, cut]));
        assert_eq!(messages(&[DONE, END]), Some(Vec::new()));
        // v_cmpx_lt_f32 0, v0: only some lanes go on.
        assert_eq!(messages(&[EMIT, 0x7C22_0080, EMIT, DONE, END]), None);
        // s_cbranch_scc0 over it.
        assert_eq!(messages(&[0xBF84_0001, EMIT, DONE, END]), None);
    }

    #[test]
    fn private_memory_comes_behind_what_else_is_asked_for() {
        const OFF_CHIP: u32 = 1 << 7;
        const BASES: u32 = 3 << 8;
        const STREAM_OUT: u32 = 1 << 12;
        assert_eq!(scratch(HwStage::Vs, 0), None);
        assert_eq!(scratch(HwStage::Vs, 1), Some(2));
        // Domain programs: a register that says nothing, and the offset off chip.
        assert_eq!(scratch(HwStage::Vs, 1 | OFF_CHIP), Some(4));
        assert_eq!(scratch(HwStage::Vs, 1 | STREAM_OUT | BASES), Some(6));
        assert_eq!(scratch(HwStage::Vs, 1 | STREAM_OUT | BASES | OFF_CHIP), Some(7));
        assert_eq!(scratch(HwStage::Es, 1), Some(3));
        assert_eq!(scratch(HwStage::Es, 1 | OFF_CHIP), Some(5));
        assert_eq!(scratch(HwStage::Hs, 1 | OFF_CHIP), Some(4));
        assert_eq!(scratch(HwStage::Gs, 1), Some(4));
    }
}
