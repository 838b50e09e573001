//! Tables of textures and samplers that shaders look into by themselves ([`afterimage_abi::tables`]), in memory that the GPU reads.
//!
//! What a table holds may change while the GPU still reads what it held before. So it has other memory then: the last that it had is used
//! again when the submissions that read it are done.

use crate::device::gpu::Gpu;
use crate::device::memory::{Buffer, Place};
use crate::error::Result;
use crate::resources::descriptors::word;
use crate::resources::trash::Trash;
use afterimage_abi::tables::{self, ENTRY_BYTES};
use afterimage_render::table::Table;
use afterimage_stream::ObjectId;
use afterimage_stream::packets::TableEntry;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Memory of a table that is kept for when it changes again.
const MOST_KEPT: usize = 3;

/// A table of the stream.
pub(crate) struct TextureTable {
    /// What the guest has put there, as far as it lives.
    pub(crate) entries: Vec<TableEntry>,
    /// The same as shaders read it.
    words: Vec<[u32; 4]>,
    /// Whether the memory lacks something of that.
    changed: bool,
    memory: Option<Buffer>,
    /// Last submission that reads the memory.
    last_used: u64,
    /// What it had before, with the last submission that reads it.
    kept: Vec<(u64, Buffer)>,
}

impl TextureTable {
    pub(crate) fn new(entries: u32) -> Self {
        let count = entries as usize;
        Self {
            entries: vec![TableEntry::default(); count],
            words: vec![[0; 4]; count],
            changed: true,
            memory: None,
            last_used: 0,
            kept: Vec::new(),
        }
    }

    /// Puts an entry in its place: `found` says the number of its texture and what that is, `sampler` the number of its sampler.
    pub(crate) fn set(&mut self, at: usize, entry: TableEntry, found: Option<(u32, u32)>, sampler: u32) {
        let (Some(held), Some(words)) = (self.entries.get_mut(at), self.words.get_mut(at)) else { return };
        let (texture, what) = found.unwrap_or_default();
        let [low, high] = entry.tag;
        let new = [low, high, word(texture, sampler), what | entry.value << tables::VALUE_BIT];
        self.changed |= std::mem::replace(words, new) != new;
        *held = entry;
    }

    /// Bytes of all entries.
    pub(crate) fn bytes(&self) -> u32 {
        self.words.len() as u32 * ENTRY_BYTES
    }

    /// Whether the first change from now on needs other memory, since the GPU reads what the table has.
    pub(crate) fn would_move(&self, completed: u64) -> bool {
        !self.changed && self.last_used > completed
    }

    /// Where it is for a submission.
    fn address(&mut self, gpu: &Arc<Gpu>, current: u64, completed: u64) -> Result<u64> {
        if self.changed
            && let Some(read) = self.memory.take_if(|_| self.last_used > completed)
        {
            self.kept.push((self.last_used, read));
        }
        let memory = match self.memory.take() {
            Some(memory) => memory,
            None => match self.kept.iter().position(|(used, _)| *used <= completed) {
                Some(free) => self.kept.swap_remove(free).1,
                None => Buffer::new(gpu, "table of textures", self.bytes().into(), Place::Near)?,
            },
        };
        let memory = self.memory.insert(memory);
        if self.changed {
            let bytes: &[u8] = bytemuck::cast_slice(&self.words);
            memory.bytes_mut(0, bytes.len()).copy_from_slice(bytes);
            self.changed = false;
        }
        self.last_used = current;
        Ok(memory.address)
    }
}

/// Tables that a texture or a sampler is in, with the number of their entries that have it.
#[derive(Default)]
pub(crate) struct InTables(BTreeMap<ObjectId, u32>);

impl InTables {
    /// It is in one entry of a table more, or in one less.
    pub(crate) fn count(&mut self, table: ObjectId, more: bool) {
        if more {
            *self.0.entry(table).or_default() += 1;
        } else if let Some(count) = self.0.get_mut(&table) {
            *count -= 1;
            if *count == 0 {
                self.0.remove(&table);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The tables.
    pub(crate) fn all(&self) -> impl Iterator<Item = ObjectId> {
        self.0.keys().copied()
    }
}

/// Every table, and what the textures in them have to go through before shaders read them.
#[derive(Default)]
pub(crate) struct TextureTables {
    pub(crate) all: Table<TextureTable>,
    /// Last submission whose `main` commands read tables.
    pub(crate) last_used: u64,
    /// Last epoch in which dispatches read some.
    pub(crate) epoch: u64,
    /// Textures in tables that were drawn to since shaders last read tables.
    pub(crate) drawn: Vec<ObjectId>,
}

impl TextureTables {
    /// Where a table is for a submission, and its bytes; nothing where there is no such table.
    pub(crate) fn address(
        &mut self,
        gpu: &Arc<Gpu>,
        id: ObjectId,
        current: u64,
        completed: u64,
    ) -> Result<Option<(u64, u32)>> {
        let Some(table) = self.all.get_mut(id) else { return Ok(None) };
        let address = table.address(gpu, current, completed)?;
        let too_many = table.kept.len().saturating_sub(MOST_KEPT);
        // The oldest are done with, or nearly.
        let done = |(used, _): &(u64, Buffer)| *used <= completed;
        if too_many > 0 && table.kept.first().is_some_and(done) {
            table.kept.remove(0);
        }
        Ok(Some((address, table.bytes())))
    }

    /// Takes a table out; what the GPU may still read goes to `discard`.
    pub(crate) fn remove(&mut self, id: ObjectId, mut discard: impl FnMut(Trash)) -> Option<TextureTable> {
        let mut table = self.all.remove(id)?;
        table.memory.take().into_iter().for_each(|memory| discard(Trash::Buffer(memory)));
        table.kept.drain(..).for_each(|(_, memory)| discard(Trash::Buffer(memory)));
        Some(table)
    }
}
