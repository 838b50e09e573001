//! What CMASK and HTILE say of the tiles of targets, each time that they are written: tiles that are clear are cleared.
//!
//! Images of the host have every texel. So what is written there means a clear, of a slice, of a part of one or of all, and behind it the
//! tile is said to be expanded, as the hardware says of tiles that it has written: a clear counts once, also if the next one is of other
//! tiles. Passes that expand (`CB_COLOR_CONTROL.MODE`) have nothing more to do.
//!
//! * CMASK has four bits a tile: the upper two are 0 where the colour is clear and 3 where it is not; the lower two say how fragments are
//!   compressed, which they are not here. (PAL and Mesa write 0x0 to clear, 0xC and 0xF.)
//! * HTILE has a word a tile: bits 3 to 0 (`ZMASK`) are 0 where the depth is clear and 15 where it is expanded; where it has stencil, bits
//!   9 and 8 (`SMEM`) say the same of that. Behind the depth's come its least and its greatest.

use super::Translator;
use super::formats::HostFormat;
use super::masks::{Cmask, Htile};
use super::targets::{Bound, Described};
use crate::memory::GuestMemory;
use afterimage_stream::ObjectId;
use afterimage_stream::packets::*;
use afterimage_texture::gnm::EDGE;
use std::ops::Range;

/// Places of metadata that are remembered.
const MOST: usize = 4096;
/// Rectangles of a packet.
const MOST_RECTS: usize = 2048;

/// A part of a slice that is clear.
#[derive(Debug, PartialEq)]
enum Part {
    Nothing,
    Rects(Vec<Rect>),
    Whole,
}

impl Part {
    /// The tiles of which `is_clear` says so, in a slice of so many pixels.
    fn of([width, height]: [u32; 2], mut is_clear: impl FnMut(u32, u32) -> bool) -> Self {
        let (mut rects, mut area) = (Vec::<Rect>::new(), 0);
        // Those that end where the row begins.
        let mut above = 0..0;
        for y in 0..height.div_ceil(EDGE) {
            let begin = rects.len();
            for x in 0..width.div_ceil(EDGE) {
                if !is_clear(x, y) {
                    continue;
                }
                let [left, top] = [x, y].map(|tile| tile * EDGE);
                let [right, bottom] = [(left + EDGE).min(width), (top + EDGE).min(height)];
                area += u64::from(right - left) * u64::from(bottom - top);
                match rects[begin..].last_mut() {
                    Some(rect) if rect.x as u32 + rect.width == left => rect.width += right - left,
                    _ => rects.push(Rect { x: left as i32, y: top as i32, width: right - left, height: bottom - top }),
                }
            }
            let alike = |(rect, above): (&Rect, &Rect)| [rect.x, rect.width as i32] == [above.x, above.width as i32];
            let same =
                rects.len() - begin == above.len() && rects[begin..].iter().zip(&rects[above.clone()]).all(alike);
            if same && !above.is_empty() {
                let more = rects[begin].height;
                rects.truncate(begin);
                rects[above.clone()].iter_mut().for_each(|rect| rect.height += more);
            } else {
                above = begin..rects.len();
            }
        }
        match area {
            0 => Self::Nothing,
            area if area == u64::from(width) * u64::from(height) => Self::Whole,
            _ => Self::Rects(rects),
        }
    }
}

impl Translator {
    /// Clears what the metadata of the bound targets says is clear, once for each time that it is written.
    pub(super) fn clear_by_metadata(&mut self, described: &Described, memory: &mut dyn GuestMemory) {
        for (n, color) in described.colors.iter().enumerate() {
            let Some(cmask) = color.as_ref().and_then(|color| color.cmask) else { continue };
            if let (Some(color), Some(bound)) = (color, self.targets.colors[n]) {
                self.clear_by_cmask(n, &cmask, color.format, &bound, memory);
            }
        }
        let htile = described.depth.as_ref().and_then(|depth| depth.htile);
        if let (Some(htile), Some(bound)) = (htile, self.targets.depth) {
            self.clear_by_htile(&htile, &bound, memory);
        }
    }

    fn clear_by_cmask(
        &mut self,
        n: usize,
        cmask: &Cmask,
        format: HostFormat,
        bound: &Bound,
        memory: &mut dyn GuestMemory,
    ) {
        let [first, count] = bound.layers;
        let begin = cmask.address.saturating_add(u64::from(first) * cmask.slice);
        let range = begin..begin.saturating_add(u64::from(count) * cmask.slice);
        let Some(mut bytes) = self.written_metadata(cmask.address, &range, memory) else { return };
        let size = self.extent_of(bound.surface);
        let mut parts = Vec::with_capacity(count.into());
        for slice in bytes.chunks_exact_mut(cmask.slice as usize) {
            if slice.iter().all(|byte| *byte == 0) {
                slice.fill(0xFF);
                parts.push(Part::Whole);
                continue;
            }
            if slice.iter().all(|byte| byte & 0xC != 0 && byte & 0xC0 != 0) {
                parts.push(Part::Nothing);
                continue;
            }
            parts.push(Part::of(size, |x, y| {
                let bit = cmask.mask.bit(x, y);
                let Some(byte) = slice.get_mut((bit / 8) as usize) else { return false };
                let clear = *byte >> (bit % 8) & 0xC == 0;
                *byte |= if clear { 0xF << (bit % 8) } else { 0 };
                clear
            }));
        }
        if parts.iter().all(|part| *part == Part::Nothing) {
            return;
        }
        self.say_expanded(memory, cmask.address, begin, &bytes);
        // The clear words are a texel of the target.
        let Some(rgba) = format.numbers(u128::from(cmask.value[0]) | u128::from(cmask.value[1]) << 32) else {
            return self.once.warn(format!("CMASK's clear of CB_COLOR{n}, {:?}, is not supported", format.format));
        };
        let Some(all) = self.sent.targets else { return };
        let clear = Clear { flags: Clear::COLOR, color: rgba, ..bytemuck::Zeroable::zeroed() };
        // The packet clears every bound target, so only this one is.
        let only = |layer, layers| {
            let mut only = SetRenderTargets { srgb: 0, layers, ..SetRenderTargets::default() };
            only.color[0] = View { layer, ..all.color[n] };
            only
        };
        self.clear_parts(&clear, bound, &parts, only);
        self.port.put(&mut self.sent.targets, all);
    }

    fn clear_by_htile(&mut self, htile: &Htile, bound: &Bound, memory: &mut dyn GuestMemory) {
        let [first, count] = bound.layers;
        let slice = htile.mask.slice_bytes();
        let begin = htile.address.saturating_add(u64::from(first) * slice);
        let range = begin..begin.saturating_add(u64::from(count) * slice);
        let Some(mut bytes) = self.written_metadata(htile.address, &range, memory) else { return };
        let size = self.extent_of(bound.surface);
        let [has_depth, has_stencil] = self.targets.has;
        let looks = [has_depth, has_stencil && !htile.stencil_apart];
        let parts = |bytes: &mut [u8], says: fn(u32) -> bool, expanded: fn(u32) -> u32| -> Vec<Part> {
            let slices = bytes.chunks_exact_mut(slice as usize);
            let part = |slice: &mut [u8]| {
                Part::of(size, |x, y| {
                    let at = (htile.mask.bit(x, y) / 8) as usize;
                    let Some(word) = slice.get_mut(at..).and_then(|words| words.first_chunk_mut::<4>()) else {
                        return false;
                    };
                    let value = u32::from_le_bytes(*word);
                    if says(value) {
                        *word = expanded(value).to_le_bytes();
                    }
                    says(value)
                })
            };
            slices.map(part).collect()
        };
        // Of a tile whose depth is expanded any depth may be; without stencil the least has its bits.
        let depth_expanded: fn(u32) -> u32 = if looks[1] { |word| word & 0x3F0 | 0xFFFF_FC0F } else { |_| 0xFFFC_000F };
        let depths = if looks[0] { parts(&mut bytes, |word| word & 15 == 0, depth_expanded) } else { Vec::new() };
        let stencils = match looks[1] {
            true => parts(&mut bytes, |word| word >> 8 & 3 == 0, |word| word | 0x3F0),
            false => Vec::new(),
        };
        let is_nothing = |parts: &[Part]| parts.iter().all(|part| *part == Part::Nothing);
        if is_nothing(&depths) && is_nothing(&stencils) {
            return;
        }
        self.say_expanded(memory, htile.address, begin, &bytes);
        let (Some(all), Some(clear)) = (self.sent.targets, self.targets.clear) else { return };
        let only = |layer, layers| SetRenderTargets {
            depth: View { layer, ..all.depth },
            layers,
            ..SetRenderTargets::default()
        };
        for (flags, parts) in [(Clear::DEPTH, depths), (Clear::STENCIL, stencils)] {
            let clear = Clear { flags, depth: clear.depth, stencil: clear.stencil, ..bytemuck::Zeroable::zeroed() };
            self.clear_parts(&clear, bound, &parts, only);
        }
        self.port.put(&mut self.sent.targets, all);
    }

    /// Clears parts of the layers of a target. `only` binds it alone, from a layer on.
    fn clear_parts(
        &mut self,
        clear: &Clear,
        bound: &Bound,
        parts: &[Part],
        only: impl Fn(u16, u32) -> SetRenderTargets,
    ) {
        let [first, count] = bound.layers;
        if !parts.is_empty() && parts.iter().all(|part| *part == Part::Whole) {
            self.port.put(&mut self.sent.targets, only(first, count.into()));
            self.port.push_tail(clear, &[]);
            return self.surfaces.mark_drawn(bound.surface, 0, first..first + count);
        }
        for (layer, part) in (first..).zip(parts) {
            let rects: &[Rect] = match part {
                Part::Nothing => continue,
                Part::Rects(rects) => rects,
                Part::Whole => &[],
            };
            self.port.put(&mut self.sent.targets, only(layer, 1));
            if rects.is_empty() {
                self.port.push_tail(clear, &[]);
            }
            for rects in rects.chunks(MOST_RECTS) {
                self.port.push_tail(&Clear { count: rects.len() as u32, ..*clear }, rects);
            }
            self.surfaces.mark_drawn(bound.surface, 0, layer..layer + 1);
        }
    }

    /// Columns and lines of a surface.
    fn extent_of(&self, surface: ObjectId) -> [u32; 2] {
        self.surfaces.get(surface).map_or([0; 2], |surface| [surface.shape().width, surface.shape().height])
    }

    /// Bytes of metadata, if they were written since the last look. What is not mapped is expanded.
    fn written_metadata(&mut self, address: u64, range: &Range<u64>, memory: &mut dyn GuestMemory) -> Option<Vec<u8>> {
        let size = range.end - range.start;
        // Sizes are of registers: a layer of the largest target has a megabyte.
        if address == 0 || size == 0 || size > 64 << 20 || memory.mapped(range.start, 1) == 0 {
            return None;
        }
        if self.buffers.is_newer(range) {
            self.store_buffers(memory, range);
        }
        let known = &mut self.targets.metadata.known;
        if known.len() > MOST {
            known.clear();
        }
        let generation = memory.generation(range.start, size);
        if known.insert(range.start, generation) == Some(generation) {
            return None;
        }
        let mut bytes = vec![0xFF; size as usize];
        super::read_mapped(memory, range.start, &mut bytes);
        Some(bytes)
    }

    /// Writes metadata back in which what was clear is expanded, which is no news.
    fn say_expanded(&mut self, memory: &mut dyn GuestMemory, address: u64, begin: u64, bytes: &[u8]) {
        let written = self.write_beside_surfaces(memory, begin, bytes);
        if let Err(error) = written {
            self.once.warn(format!("metadata at {address:#x}: {error}"));
        }
        let generation = memory.generation(begin, bytes.len() as u64);
        self.targets.metadata.known.insert(begin, generation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(size: [u32; 2], map: &[&str]) -> Part {
        Part::of(size, |x, y| map[y as usize].as_bytes()[x as usize] == b'#')
    }

    #[test]
    fn clear_tiles_become_rectangles() {
        let rect = |x, y, width, height| Rect { x, y, width, height };
        assert_eq!(part([20, 12], &["###", "###"]), Part::Whole);
        assert_eq!(part([20, 12], &["...", "..."]), Part::Nothing);
        assert_eq!(
            part([20, 12], &["#.#", "#.#"]),
            Part::Rects(vec![rect(0, 0, 8, 12), rect(16, 0, 4, 12)]),
            "up to the edges"
        );
        assert_eq!(
            part([32, 32], &["##..", "##..", ".##.", "...."]),
            Part::Rects(vec![rect(0, 0, 16, 16), rect(8, 16, 16, 8)])
        );
        assert_eq!(
            part([16, 24], &["#.", "..", "#."]),
            Part::Rects(vec![rect(0, 0, 8, 8), rect(0, 16, 8, 8)]),
            "not through what is not clear"
        );
    }
}
