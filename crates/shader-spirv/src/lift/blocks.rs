//! Uniform blocks, push constants, and the blocks of our own ABI: bytes of a layout become components of 16-byte registers.

use afterimage_abi::push;
use afterimage_ir::{Bank, BankDecl, BankSource, MAX_BANK, MAX_STORAGE, Swizzle, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::pointer::{Place, Pointer, Root, Step, descriptor, is_storage};
use super::{LiftErrorKind, Lifter};
use crate::io::{BlockSource, BlockUse, Descriptor};
use crate::tables::{decoration, storage};
use crate::types::{Ty, find};

/// Most scalars and vectors in a block.
const MAX_MEMBERS: u32 = 1 << 20;
/// Uniform blocks that are looked at; a bank's number is a byte.
const MAX_UNIFORMS: usize = 4096;

/// Banks so far.
#[derive(Default)]
pub(super) struct Blocks {
    banks: FxHashMap<BlockSource, (Bank, BlockUse)>,
    /// Uniform blocks and storage buffers of the module, in the order of their bank ids.
    descriptors: Option<Vec<BlockSource>>,
    /// Banks of the stage that this one goes on from.
    pub(super) before: Vec<BlockUse>,
    /// Bytes of types.
    sizes: FxHashMap<u32, u32>,
}

impl Lifter<'_> {
    /// A pointer into a block.
    pub(super) fn block_pointer(&mut self, source: BlockSource, id: u32) -> Result<Pointer, LiftErrorKind> {
        if self.d.leaves(id) > MAX_MEMBERS {
            return Err(LiftErrorKind::TooMany("members in a block"));
        }
        let ty = self.d.ty(id)?.clone();
        let size = match self.blocks.sizes.get(&id) {
            Some(&size) => size,
            None => self.block_size(&ty, None)?,
        };
        self.blocks.sizes.insert(id, size);
        let start = match &ty {
            Ty::Struct { id, members } => {
                let offsets =
                    (0..members.len() as u32).filter_map(|at| self.d.member_decoration(*id, at, decoration::Offset));
                offsets.min().unwrap_or(0)
            }
            _ => 0,
        };
        let (dynamic, matrix) = (SmallVec::new(), None);
        let root = Root::Block(Place { source, size, start, byte: 0, dynamic, component: 4, matrix });
        Ok(Pointer { ty, root, lane: None })
    }

    /// A pointer to an array of uniform blocks.
    pub(super) fn blocks_pointer(&self, first: BlockSource, ty: u32) -> Result<Pointer, LiftErrorKind> {
        Ok(Pointer { ty: self.d.ty(ty)?.clone(), root: Root::Blocks(first), lane: None })
    }

    fn block_size(&self, ty: &Ty, matrix: Option<(u32, bool)>) -> Result<u32, LiftErrorKind> {
        Ok(match ty {
            Ty::Leaf(ty) => u32::from(ty.lanes) * 4,
            Ty::Wide { lanes, .. } => u32::from(*lanes) * 8,
            Ty::Matrix { rows, columns, wide } => {
                let (stride, row_major) = matrix.ok_or(LiftErrorKind::Malformed("a matrix has no stride"))?;
                let (many, few) = if row_major { (rows, columns) } else { (columns, rows) };
                let scalar = if *wide { 8 } else { 4 };
                stride.saturating_mul(u32::from(*many) - 1).saturating_add(u32::from(*few) * scalar)
            }
            Ty::Array { element, len: Some(len), stride } => {
                let last = self.block_size(self.d.ty(*element)?, matrix)?;
                stride.saturating_mul(len - 1).saturating_add(last)
            }
            Ty::Array { len: None, .. } => u32::MAX,
            Ty::Struct { id, members } => {
                let mut size = 0;
                for (&member, at) in members.iter().zip(0..) {
                    let (offset, matrix) = self.member_layout(*id, at)?;
                    size = size.max(self.block_size(self.d.ty(member)?, matrix)?.saturating_add(offset));
                }
                size
            }
            // An address, in our own ABI.
            Ty::Pointer { .. } => 8,
            _ => return Err(LiftErrorKind::Malformed("a block holds what has no bytes")),
        })
    }

    /// Offset of a member, and the layout of matrices in it.
    fn member_layout(&self, id: u32, member: u32) -> Result<(u32, Option<(u32, bool)>), LiftErrorKind> {
        let decorations = self.d.member_decorations(id, member);
        let offset = find(decorations, decoration::Offset);
        let offset = offset.ok_or(LiftErrorKind::Malformed("a member of a block has no offset"))?;
        let row_major = find(decorations, decoration::RowMajor).is_some();
        let matrix = find(decorations, decoration::MatrixStride).map(|stride| (stride, row_major));
        if offset % 4 != 0 || matrix.is_some_and(|(stride, _)| stride % 4 != 0) {
            return Err(LiftErrorKind::Malformed("offsets and strides are multiples of 4"));
        }
        Ok((offset, matrix))
    }

    /// The place of a part.
    pub(super) fn part(&mut self, place: &Place, ty: &Ty, step: Step) -> Result<Place, LiftErrorKind> {
        let mut place = place.clone();
        let stride = match ty {
            Ty::Struct { id, .. } => {
                let Step::Const(member) = step else { return Err(LiftErrorKind::Malformed("no such member")) };
                let (offset, matrix) = self.member_layout(*id, member)?;
                place.byte = place.byte.saturating_add(offset);
                place.matrix = matrix;
                return Ok(place);
            }
            Ty::Array { stride, .. } if *stride > 0 && stride % 4 == 0 => *stride,
            Ty::Array { .. } => {
                return Err(LiftErrorKind::Malformed("an array in a block has a stride that is a multiple of 4"));
            }
            Ty::Matrix { wide, .. } => {
                let (stride, row_major) = place.matrix.ok_or(LiftErrorKind::Malformed("a matrix has no stride"))?;
                let scalar = if *wide { 8 } else { 4 };
                place.component = if row_major { stride } else { scalar };
                if row_major { scalar } else { stride }
            }
            // What is left has two words, one behind the other.
            Ty::Wide { .. } => match std::mem::replace(&mut place.component, 4) {
                4 => 8,
                stride => stride,
            },
            _ => place.component,
        };
        match step {
            Step::Const(at) => place.byte = place.byte.saturating_add(at.saturating_mul(stride)),
            Step::Dynamic(index) => place.dynamic.push((index, stride)),
            Step::Slot(_) => return Err(LiftErrorKind::Unsupported("a texture index as a number")),
        }
        Ok(place)
    }

    /// The bank of a block.
    fn bank(&mut self, source: BlockSource, size: u32, start: u32) -> Result<Bank, LiftErrorKind> {
        if let Some((bank, _)) = self.blocks.banks.get(&source) {
            return Ok(*bank);
        }
        let storage = matches!(source, BlockSource::Storage(_));
        if size == u32::MAX && !storage {
            return Err(LiftErrorKind::Unsupported(match source {
                BlockSource::Address(_) => "an array without a length behind an address",
                _ => "an array without a length in a uniform block",
            }));
        }
        let registers = match size.div_ceil(16).max(1) {
            registers if storage => registers.min(MAX_STORAGE),
            registers if registers > MAX_BANK => return Err(LiftErrorKind::TooMany("bytes in a block")),
            registers => registers,
        };
        let before = self.blocks.before.iter().find(|block| block.source == source).map(|block| block.bank);
        let id = match (before, source) {
            (Some(id), _) => id,
            (None, BlockSource::PushConstants | BlockSource::Address(_)) => 0,
            (None, source) => {
                let taken = self.blocks.before.iter().map(|block| usize::from(block.bank)).max().unwrap_or(0);
                let place = self.descriptors().binary_search(&source).map_or(usize::MAX, |at| at + 1);
                u8::try_from(place.saturating_add(taken)).map_err(|_| LiftErrorKind::TooMany("uniform blocks"))?
            }
        };
        let (name, kind) = match source {
            BlockSource::PushConstants => ("push".to_owned(), BankSource::Stage),
            BlockSource::Uniform(d) if d.element > 0 => {
                (format!("set{}_binding{}_{}", d.set, d.binding, d.element), BankSource::Stage)
            }
            BlockSource::Storage(d) => {
                (format!("buffer{}_binding{}_{}", d.set, d.binding, d.element), BankSource::Storage)
            }
            BlockSource::Uniform(d) => (format!("set{}_binding{}", d.set, d.binding), BankSource::Stage),
            BlockSource::Address(push::SYSTEM) => ("system".to_owned(), BankSource::System),
            BlockSource::Address(_) => ("constants".to_owned(), BankSource::Stage),
        };
        let taken = |bank: &BankDecl| bank.id == id && bank.source == kind;
        if self.b.module().banks.iter().any(taken) {
            return Err(LiftErrorKind::Unsupported("a push constant block beside addresses of our own ABI"));
        }
        let bank = self.b.bank(BankDecl { name, source: kind, id, size: registers, defs: Vec::new() });
        self.blocks.banks.insert(source, (bank, BlockUse { bank: id, source, start, size }));
        Ok(bank)
    }

    /// Uniform blocks and storage buffers of the module in order.
    fn descriptors(&mut self) -> &[BlockSource] {
        let d = self.d;
        self.blocks.descriptors.get_or_insert_with(|| {
            let mut all = Vec::new();
            for &number in &d.variables {
                let instruction = &d.program.instructions[number];
                let Ok(&Ty::Pointer { class: storage::Uniform | storage::StorageBuffer, to }) = d.ty(instruction.ty)
                else {
                    continue;
                };
                let first = descriptor(d, instruction.result);
                let len = match d.ty(to) {
                    Ok(Ty::Array { len: Some(len), .. }) => (*len).min(256),
                    _ => 1,
                };
                if all.len() > MAX_UNIFORMS {
                    break;
                }
                let buffer = is_storage(d, instruction.ty);
                all.extend((0..len).map(|element| {
                    let at = Descriptor { element, ..first };
                    if buffer { BlockSource::Storage(at) } else { BlockSource::Uniform(at) }
                }));
            }
            all.sort_unstable();
            all.dedup();
            all
        })
    }

    /// The blocks that are read.
    pub(super) fn block_uses(&self) -> Vec<BlockUse> {
        let mut uses: Vec<BlockUse> = self.blocks.banks.values().map(|bank| bank.1).collect();
        uses.sort_unstable_by_key(|block| (block.bank, block.source));
        uses
    }

    /// `lanes` components of a block, untyped.
    pub(super) fn load_words(&mut self, place: &Place, lanes: u8) -> Result<Value, LiftErrorKind> {
        let bank = self.bank(place.source, place.size, place.start)?;
        let byte = |lane: u8| place.byte.saturating_add(u32::from(lane).saturating_mul(place.component));
        if place.dynamic.iter().all(|(_, stride)| stride % 16 == 0) {
            // Registers are known but for an offset of whole registers.
            let mut offset = None;
            for (index, stride) in &place.dynamic {
                let index = self.index_value(index);
                let registers = self.b.i32((stride / 16) as i32);
                let term = self.b.imul(index, registers);
                offset = Some(offset.map_or(term, |sum| self.b.iadd(sum, term)));
            }
            let mut registers: SmallVec<[(u32, Value); 4]> = SmallVec::new();
            let mut parts: SmallVec<[Value; 4]> = SmallVec::new();
            for lane in 0..lanes {
                let (register, component) = (byte(lane) / 16, (byte(lane) % 16 / 4) as u8);
                let known = registers.iter().find(|known| known.0 == register).map(|known| known.1);
                let loaded = known.unwrap_or_else(|| match offset {
                    Some(offset) => self.b.load_const_dyn(bank, register.min(MAX_STORAGE) as i32, offset),
                    None => self.b.load_const(bank, register),
                });
                registers.push((register, loaded));
                parts.push(self.b.extract(loaded, component));
            }
            if let [(first, loaded), .., (last, _)] = registers[..]
                && first == last
                && place.component == 4
            {
                let start = (place.byte % 16 / 4) as u8;
                let select: SmallVec<[u8; 4]> = (start..start + lanes).collect();
                return Ok(self.b.swizzle(loaded, Swizzle::new(&select)));
            }
            return Ok(self.b.construct(&parts));
        }
        // Even the component is known only at run time.
        let mut word = self.b.i32(0);
        for (index, stride) in &place.dynamic {
            let index = self.index_value(index);
            let words = self.b.i32((stride / 4) as i32);
            let term = self.b.imul(index, words);
            word = self.b.iadd(word, term);
        }
        let (two, three) = (self.b.i32(2), self.b.i32(3));
        let mut parts: SmallVec<[Value; 4]> = SmallVec::new();
        for lane in 0..lanes {
            let start = self.b.i32((byte(lane) / 4) as i32);
            let at = self.b.iadd(word, start);
            let register = self.b.ishr(at, two);
            let component = self.b.iand(at, three);
            let loaded = self.b.load_const_dyn(bank, 0, register);
            parts.push(self.extract_dynamic(loaded, component));
        }
        Ok(self.b.construct(&parts))
    }

    /// Our own ABI: the texture slot whose word this is.
    pub(super) fn texture_word(&self, place: &Place) -> Option<u8> {
        let slot = place.byte.checked_sub(32)? / 4;
        let ours = place.source == BlockSource::PushConstants && place.dynamic.is_empty() && self.interface.own_abi;
        (ours && slot < u32::from(afterimage_ir::TEXTURE_SLOTS)).then_some(slot as u8)
    }
}
