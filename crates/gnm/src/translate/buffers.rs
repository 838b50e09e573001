//! Host buffers that stand for ranges of guest memory: vertices, indices, constants, storage.
//!
//! A [`Region`] is a run of pages with a host buffer of the same size. What a draw names is a part of a region; regions that a
//! new one overlaps become part of it. Pages are uploaded when their generation has changed, at most once in an epoch
//! ([`Translator::memory_changed`] begins one for the pages that it names). What shaders store is in the host buffer only,
//! until somebody asks for the memory ([`Translator::store_buffers`]); those bytes are never overwritten by an upload.

use super::Translator;
use super::ranges::{Ranges, overlap};
use crate::memory::{GuestMemory, PAGE};
use afterimage_shader_gcn::io::{WINDOW_PAGE, WINDOWS};
use afterimage_stream::packets::*;
use afterimage_stream::{ObjectId, ObjectKind, Port, PortError};
use std::collections::BTreeMap;
use std::ops::Range;

/// Regions begin and end at multiples of this, so that neighbours that are used together seldom grow one by one.
const GRANULE: u64 = 64 << 10;
/// Bytes of a buffer that are visible to shaders; what lies behind reads as zero.
pub(super) const MOST_VISIBLE: u64 = 256 << 20;
/// Bytes of all regions that are kept.
const MOST_BYTES: u64 = 2 << 30;

/// What a region has of a page.
#[derive(Clone, Copy, Debug)]
struct Page {
    /// Generation of memory that it has; none if nothing was uploaded.
    generation: Option<u64>,
    /// Epoch in which that was last looked at.
    epoch: u64,
}

/// A host buffer for a run of pages.
#[derive(Debug)]
struct Region {
    id: ObjectId,
    pages: Vec<Page>,
    /// What shaders may have stored since memory last had it.
    written: Ranges,
    /// The epoch that last used it.
    used: u64,
}

impl Region {
    fn size(&self) -> u64 {
        self.pages.len() as u64 * PAGE
    }
}

/// Every region, by its first address.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    regions: BTreeMap<u64, Region>,
    bytes: u64,
    /// Goes up where memory or what it lacks changes.
    pub(super) changes: u64,
}

impl Buffers {
    /// The receiver is gone, and with it what memory did not have.
    pub(super) fn forget(&mut self, port: &mut Port) {
        self.regions.values().for_each(|region| port.recycle(region.id));
        *self = Self { changes: self.changes + 1, ..Self::default() };
    }

    /// The regions that overlap a range, with their first addresses.
    fn touching(&self, range: &Range<u64>) -> impl Iterator<Item = (u64, &Region)> {
        let before = self.regions.range(..=range.start).next_back();
        let after = self.regions.range((std::ops::Bound::Excluded(range.start), std::ops::Bound::Unbounded));
        let end = range.end;
        let touching = before.into_iter().chain(after.take_while(move |(start, _)| **start < end));
        let range = range.clone();
        touching
            .map(|(start, region)| (*start, region))
            .filter(move |(start, region)| overlap(&(*start..start + region.size()), &range))
    }

    /// First addresses of the regions that overlap a range.
    fn overlapping(&self, range: &Range<u64>) -> Vec<u64> {
        self.touching(range).map(|(start, _)| start).collect()
    }

    /// The host buffer that has an address, and the address' offset there.
    pub(super) fn at(&self, address: u64) -> Option<(ObjectId, u64)> {
        let (start, region) = self.regions.range(..=address).next_back()?;
        let offset = address - start;
        (offset < region.size()).then_some((region.id, offset))
    }

    /// Notes that shaders may store in a range, all of which regions cover.
    pub(super) fn mark_written(&mut self, range: &Range<u64>) {
        for start in self.overlapping(range) {
            if let Some(region) = self.regions.get_mut(&start) {
                let inside = range.start.max(start)..range.end.min(start + region.size());
                if !region.written.covers(&inside) {
                    region.written.insert(inside);
                    self.changes += 1;
                }
            }
        }
    }

    /// Whether shaders may have stored in a range what memory does not have.
    pub(super) fn is_newer(&self, range: &Range<u64>) -> bool {
        self.touching(range).any(|(_, region)| region.written.touches(range))
    }

    /// Everything that memory does not have.
    pub(super) fn written(&self) -> Vec<Range<u64>> {
        self.regions.values().flat_map(|region| region.written.iter().cloned()).collect()
    }

    /// Memory was written: its pages are looked at again. `over`: what was stored there by shaders is overwritten.
    pub(super) fn memory_changed(&mut self, range: &Range<u64>, over: bool) {
        self.changes += 1;
        for start in self.overlapping(range) {
            let Some(region) = self.regions.get_mut(&start) else { continue };
            if over {
                region.written.remove(range);
            }
            let first = (range.start.max(start) - start) / PAGE;
            let end = (range.end - start).div_ceil(PAGE).min(region.pages.len() as u64);
            region.pages[first as usize..end as usize].iter_mut().for_each(|page| page.epoch = 0);
        }
    }
}

/// What programs that access memory by its guest address see it through: runs of pages in order, apart from each other, that have all
/// that is mapped between them. Where ranges are more than windows, those with the smallest gaps between them share one.
pub(super) fn windows(memory: &dyn GuestMemory) -> Vec<Range<u64>> {
    let ranges = memory.ranges();
    let gap = |at: usize| {
        let behind = ranges[at - 1].end.div_ceil(WINDOW_PAGE);
        (ranges[at].start / WINDOW_PAGE).saturating_sub(behind)
    };
    let mut cuts: Vec<usize> = (1..ranges.len()).filter(|at| gap(*at) > 0).collect();
    cuts.sort_by_key(|at| std::cmp::Reverse(gap(*at)));
    cuts.truncate(WINDOWS as usize - 1);
    cuts.extend([0, ranges.len()]);
    cuts.sort_unstable();
    cuts.dedup();
    let window = |cut: &[usize]| ranges[cut[0]].start / WINDOW_PAGE * WINDOW_PAGE..ranges[cut[1] - 1].end;
    cuts.windows(2).map(window).collect()
}

impl Translator {
    /// Sees to it that one region covers a range of guest memory. Offsets that [`Buffers::at`] gave before are void.
    pub(super) fn cover(&mut self, memory: &mut dyn GuestMemory, range: &Range<u64>) -> Result<(), PortError> {
        let epoch = self.epoch;
        if let Some((start, region)) = self.buffers.regions.range_mut(..=range.start).next_back()
            && range.end <= start + region.size()
        {
            region.used = epoch;
            return Ok(());
        }
        self.make_room_for_buffers(memory, range)?;
        let around = range.start / GRANULE * GRANULE..range.end.div_ceil(GRANULE) * GRANULE;
        let mut whole = around;
        // Growing may meet more neighbours.
        let mut parts = Vec::new();
        loop {
            let found = self.buffers.overlapping(&whole);
            if found.len() == parts.len() {
                break;
            }
            for start in &found {
                let end = start + self.buffers.regions[start].size();
                whole = whole.start.min(*start)..whole.end.max(end);
            }
            parts = found;
        }
        let size = whole.end - whole.start;
        let id = self.port.allocate(ObjectKind::Buffer)?;
        let usage = CreateBuffer::STORAGE | CreateBuffer::INDEX;
        self.port.push(&CreateBuffer { id, usage, size });
        self.port.name(id, &format!("memory at {:#x}", whole.start));
        let mut pages = vec![Page { generation: None, epoch: 0 }; (size / PAGE) as usize];
        let mut written = Ranges::default();
        for start in parts {
            let Some(part) = self.buffers.regions.remove(&start) else { continue };
            self.buffers.bytes -= part.size();
            let dst_offset = start - whole.start;
            self.port.push(&CopyBuffer { src: part.id, dst: id, src_offset: 0, dst_offset, size: part.size() });
            let first = (dst_offset / PAGE) as usize;
            pages[first..first + part.pages.len()].copy_from_slice(&part.pages);
            part.written.iter().for_each(|range| written.insert(range.clone()));
            self.destroy_buffer(part.id);
        }
        self.buffers.bytes += size;
        self.buffers.regions.insert(whole.start, Region { id, pages, written, used: epoch });
        Ok(())
    }

    /// Takes over what is newer in memory in a range that a region covers.
    pub(super) fn refresh_buffer(&mut self, memory: &mut dyn GuestMemory, range: &Range<u64>) -> Result<(), PortError> {
        let epoch = self.epoch;
        let start_of = |buffers: &Buffers| buffers.regions.range(..=range.start).next_back().map(|(start, _)| *start);
        let Some(start) = start_of(&self.buffers) else { return Ok(()) };
        let pages_of = (range.start - start) / PAGE..(range.end - start).div_ceil(PAGE);
        let fresh = |region: &Region| {
            region.pages[pages_of.start as usize..(pages_of.end as usize).min(region.pages.len())]
                .iter()
                .all(|page| page.epoch == epoch)
        };
        if self.buffers.regions.get(&start).is_none_or(fresh) && !self.surfaces.is_newer(range) {
            return Ok(());
        }
        // What was drawn there goes to memory first.
        self.store_surfaces(memory, range, None);
        let Some(region) = self.buffers.regions.get_mut(&start) else { return Ok(()) };
        let last = (pages_of.end as usize).min(region.pages.len());
        let (mut newer, mut empty) = (Ranges::default(), Ranges::default());
        for number in pages_of.start as usize..last {
            let page = &mut region.pages[number];
            if page.epoch == epoch {
                continue;
            }
            page.epoch = epoch;
            let address = start + number as u64 * PAGE;
            let generation = Some(memory.generation(address, PAGE));
            if page.generation != generation {
                let is_empty = page.generation.is_none() && memory.unmapped(address, PAGE) == PAGE;
                page.generation = generation;
                let pages = if is_empty { &mut empty } else { &mut newer };
                pages.insert(address..address + PAGE);
            }
        }
        region.written.iter().for_each(|stored| newer.remove(stored));
        let id = region.id;
        for part in empty.iter() {
            self.port.push(&FillBuffer { id, value: 0, offset: part.start - start, size: part.end - part.start });
        }
        for part in newer.iter() {
            self.upload_buffer(memory, id, start, part)?;
        }
        Ok(())
    }

    /// Copies a part of memory into the buffer of the region that begins at `start`. What is not mapped is zero.
    fn upload_buffer(
        &mut self,
        memory: &dyn GuestMemory,
        id: ObjectId,
        start: u64,
        part: &Range<u64>,
    ) -> Result<(), PortError> {
        let mut at = part.start;
        while at < part.end {
            let size = (part.end - at).min(16 << 20);
            self.bytes.clear();
            self.bytes.resize(size as usize, 0);
            super::read_mapped(memory, at, &mut self.bytes);
            let data = self.port.upload_bytes(&self.bytes)?;
            self.port.push(&UpdateBuffer { id, flags: 0, offset: at - start, data });
            at += size;
        }
        Ok(())
    }

    /// Writes into memory what shaders stored in a range of it.
    pub(super) fn store_buffers(&mut self, memory: &mut dyn GuestMemory, range: &Range<u64>) {
        for start in self.buffers.overlapping(range) {
            let Some(region) = self.buffers.regions.get_mut(&start) else { continue };
            let parts: Vec<_> = region.written.within(range).collect();
            let id = region.id;
            for part in parts {
                if let Some(region) = self.buffers.regions.get_mut(&start) {
                    region.written.remove(&part);
                }
                if let Err(error) = self.store_buffer(memory, id, start, &part) {
                    self.once.warn(format!("what shaders stored at {:#x} is lost: {error}", part.start));
                }
            }
        }
    }

    fn store_buffer(
        &mut self,
        memory: &mut dyn GuestMemory,
        id: ObjectId,
        start: u64,
        part: &Range<u64>,
    ) -> Result<(), PortError> {
        let mut at = part.start;
        while at < part.end {
            let mut bytes = vec![0; (part.end - at).min(16 << 20) as usize];
            self.read_buffer(id, at - start, &mut bytes)?;
            self.write_memory(memory, at, &bytes);
            at += bytes.len() as u64;
        }
        Ok(())
    }

    /// Writes bytes that the region at this address has into memory, of which that is no news to the region.
    fn write_memory(&mut self, memory: &mut dyn GuestMemory, address: u64, bytes: &[u8]) {
        let range = address..address + bytes.len() as u64;
        let pages = range.start / PAGE..range.end.div_ceil(PAGE);
        let known: Vec<_> = pages.clone().map(|page| memory.generation(page * PAGE, PAGE)).collect();
        let beside = self.surfaces.beside(&range, memory);
        if let Err(error) = super::write_mapped(memory, address, bytes) {
            self.once.warn(format!("what shaders stored is lost: {error}"));
        }
        self.memory_changed(&range, false);
        self.surfaces.know(&beside, memory);
        for start in self.buffers.overlapping(&range) {
            let Some(region) = self.buffers.regions.get_mut(&start) else { continue };
            for (page, known) in pages.clone().zip(&known) {
                let Some(number) = (page * PAGE).checked_sub(start).map(|offset| (offset / PAGE) as usize) else {
                    continue;
                };
                if let Some(held) = region.pages.get_mut(number)
                    && held.generation == Some(*known)
                {
                    held.generation = Some(memory.generation(page * PAGE, PAGE));
                }
            }
        }
    }

    /// Takes a buffer out of every binding, then destroys it.
    pub(super) fn destroy_buffer(&mut self, id: ObjectId) {
        self.moved += 1;
        self.bindings.forget_buffer(&mut self.port, id);
        self.sent.index_buffer.take_if(|bound| bound.source == id).inspect(|_| {
            self.port.push(&SetIndexBuffer::default());
        });
        self.port.destroy(id);
    }

    /// Lets regions go that this epoch did not use, where there are too many bytes.
    fn make_room_for_buffers(&mut self, memory: &mut dyn GuestMemory, wanted: &Range<u64>) -> Result<(), PortError> {
        while self.buffers.bytes > MOST_BYTES {
            let unused = |(start, region): &(&u64, &Region)| {
                region.used != self.epoch && !overlap(&(**start..**start + region.size()), wanted)
            };
            let oldest = self.buffers.regions.iter().filter(unused).min_by_key(|(_, region)| region.used);
            let Some((start, size)) = oldest.map(|(start, region)| (*start, region.size())) else { break };
            self.store_buffers(memory, &(start..start + size));
            if let Some(region) = self.buffers.regions.remove(&start) {
                self.buffers.bytes -= size;
                self.destroy_buffer(region.id);
            }
        }
        Ok(())
    }
}
