//! GCN code to IR.
//!
//! One wave's code becomes one lane's code. Guest registers are IR variables, which the `ssa` pass makes values of; pairs of
//! scalar registers that hold masks are this lane's bit of it (`masks`). Branches on exec and vcc go by the lane's own bit, so
//! that lanes part where the guest only masks them; what runs in all lanes of the guest and here in some can differ only in lanes
//! whose exec is false. What lanes do together (ballots, first lanes, counts) is done by the host's wave.
//!
//! `flow` finds blocks, `structure` makes `if`s and loops of them, `resources` says where descriptors come from. Scalar code is
//! in `scalar`, `masks` and `smem`; the other files have an encoding each: a function `lift(&mut Lifter, &Inst)`.

mod error;
mod masks;
mod registers;
mod scalar;
mod smem;
mod start;

use afterimage_ir::{self as ir, Bank, BankDecl, BankSource, Builder, Module, Value};
pub use error::{LiftError, Reason};
pub(crate) use masks::{Live, Masks};
use registers::Registers;

use crate::flow::Flow;
use crate::inst::Inst;
use crate::io::{BufferSpec, HwStage, ImageSpec, Source, bank};
use crate::resources::{Analysis, Use};
use crate::structure::{Step, structure};
use crate::tables::{Condition, Encoding, Kind};

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
    /// Names that were warned of.
    warned: Vec<&'static str>,
    error: Option<LiftError>,
}

impl Lifter<'_> {
    /// The instruction that is translated.
    pub fn inst(&self) -> Inst {
        self.flow.insts[self.at]
    }

    /// The program cannot be translated, because of the instruction that is translated. The first reason counts.
    pub fn fail(&mut self, reason: Reason) {
        if self.error.is_none() {
            self.error = Some(reason.at(&self.inst()));
        }
    }

    /// Something is left out, and what is left is good for most programs: logged, once for each name and translation.
    pub fn warn(&mut self, name: &'static str) {
        if !self.warned.contains(&name) {
            self.warned.push(name);
            let inst = self.inst();
            tracing::warn!("GCN code, word {:#x}, `{}`: {name} is left out", inst.at, inst.op.name());
        }
    }

    /// The buffer that the instruction that is translated accesses: MUBUF, MTBUF and dynamic scalar loads.
    pub fn buffer(&mut self) -> Option<BufferRef> {
        match self.analysis.uses[self.at] {
            Use::Buffer(index) => {
                let spec = self.source.buffers.get(index as usize).copied().unwrap_or_default();
                Some(BufferRef { index, spec })
            }
            _ => None,
        }
    }

    /// Address (low and high half), bytes and records of a buffer: four untyped components.
    pub fn buffer_words(&mut self, buffer: u32) -> Value {
        let bank = self.bank(bank::BUFFERS);
        self.b.load_const(bank, buffer)
    }

    /// The image that the instruction that is translated samples or accesses.
    pub fn image(&mut self) -> Option<ImageRef> {
        let resources = &self.analysis.resources;
        let spec = |image: u32| self.source.images.get(image as usize).copied().unwrap_or_default();
        match self.analysis.uses[self.at] {
            Use::Texture(slot) => {
                let texture = resources.textures.get(slot as usize)?;
                Some(ImageRef { slot, storage: false, compare: texture.compare, spec: spec(texture.image) })
            }
            Use::StorageImage(slot) => {
                let image = *resources.storage_images.get(slot as usize)?;
                Some(ImageRef { slot, storage: true, compare: false, spec: spec(image) })
            }
            _ => None,
        }
    }

    /// Register `register` of the bank of what the draw says.
    pub fn draw_words(&mut self, register: u32) -> Value {
        let bank = self.bank(bank::DRAW);
        self.b.load_const(bank, register)
    }

    /// Word `word` of the bank of words.
    fn delivered(&mut self, word: u32) -> Value {
        let bank = self.bank(bank::WORDS);
        let register = self.b.load_const(bank, word / 4);
        self.b.extract(register, (word % 4) as u8)
    }

    fn bank(&mut self, id: u8) -> Bank {
        let resources = &self.analysis.resources;
        let (name, size) = match id {
            bank::WORDS => ("words", resources.words.len().div_ceil(4) as u32),
            bank::BUFFERS => ("buffers", resources.buffers.len() as u32),
            _ => ("draw", bank::DRAW_REGISTERS),
        };
        let at = usize::from(id.min(bank::DRAW));
        *self.banks[at].get_or_insert_with(|| {
            let size = size.max(1);
            self.b.bank(BankDecl { name: name.into(), source: BankSource::Stage, id, size, defs: Vec::new() })
        })
    }
}
