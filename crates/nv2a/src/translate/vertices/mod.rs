//! Vertices of a primitive: from arrays in memory, inline words and immediate data to four floats for each attribute that
//! the shader reads.
//!
//! An attribute without an array has its current value in every vertex. After vertices from arrays or inline words, the last
//! one's values are the current ones.

mod arrays;

pub(super) use arrays::{Array, Arrays, arrays};

use crate::machine::{Attributes, Part};
use crate::memory::GuestMemory;
use afterimage_nv2a_types::ATTRIBUTES;
use smallvec::SmallVec;

/// Vertices that may lie between the elements of a part for each element that there is, before they are gathered one by one
/// instead of converting the whole range.
const SPARSE: u64 = 4;

/// Vertices that are converted attribute by attribute before the next ones are.
const BLOCK: u32 = 256;

/// Vertices of one primitive. Its memory is used again for the next.
#[derive(Debug, Default)]
pub(super) struct Vertices {
    /// Attributes of [`Vertices::columns`], vertex after vertex.
    data: Vec<[f32; 4]>,
    /// Vertices that `data` holds.
    stored: u32,
    /// Slots of the attributes that differ from vertex to vertex.
    columns: Vec<u8>,
    /// Column of each slot, where it has one.
    column_of: [Option<u8>; ATTRIBUTES],
    /// Which stored vertices make the sequence, if not all of them in order.
    order: Vec<u32>,
    ordered: bool,
    /// Bytes from memory.
    bytes: Vec<u8>,
}

/// Slots of a mask.
pub(super) fn slots(mask: u16) -> impl Iterator<Item = u8> {
    (0..ATTRIBUTES as u8).filter(move |slot| mask >> slot & 1 != 0)
}

/// Which attributes of `inputs` differ from vertex to vertex in these parts.
pub(super) fn varying(arrays: &Arrays, parts: &[Part], inputs: u16) -> u16 {
    let immediate = parts.iter().any(|part| matches!(part, Part::Immediate(_)));
    if immediate { inputs } else { arrays.iter().fold(0, |mask, array| mask | 1 << array.slot) & inputs }
}

impl Vertices {
    /// Collects the vertices of all parts, with the attributes of `inputs` that [`varying`] names. Leaves the last
    /// vertex in `current`.
    pub(super) fn collect(
        &mut self,
        memory: &dyn GuestMemory,
        arrays: &Arrays,
        parts: &[Part],
        varying: u16,
        current: &mut Attributes,
    ) {
        self.clear(varying);
        for part in parts {
            match part {
                Part::Arrays { first, count } => {
                    self.range(memory, arrays, *first, *count, current);
                    if let Some(last) = count.checked_sub(1) {
                        carry_over(memory, arrays, first.saturating_add(last), current);
                    }
                }
                Part::Elements(elements) => {
                    self.elements(memory, arrays, elements, current);
                    if let Some(last) = elements.last() {
                        carry_over(memory, arrays, *last, current);
                    }
                }
                Part::Inline(words) => self.inline(arrays, words, current),
                Part::Immediate(vertices) => self.immediate(vertices),
                Part::EdgeFlag(_) => {}
            }
        }
    }

    /// Makes these the vertices, with the attributes of a mask.
    pub(super) fn set(&mut self, vertices: &[Attributes], varying: u16) {
        self.clear(varying);
        self.immediate(vertices);
    }

    fn clear(&mut self, varying: u16) {
        self.columns.clear();
        self.columns.extend(slots(varying));
        self.column_of = [None; ATTRIBUTES];
        for (column, slot) in (0..).zip(&self.columns) {
            self.column_of[usize::from(*slot)] = Some(column);
        }
        (self.stored, self.ordered) = (0, false);
        self.data.clear();
        self.order.clear();
    }

    /// Vertices of the sequence.
    pub(super) fn len(&self) -> u32 {
        if self.ordered { self.order.len() as u32 } else { self.stored }
    }

    /// Which stored vertices make the sequence, if not all of them in order.
    pub(super) fn order(&self) -> Option<&[u32]> {
        self.ordered.then_some(&self.order)
    }

    /// The stored vertices, packed.
    pub(super) fn data(&self) -> &[[f32; 4]] {
        &self.data
    }

    /// Attributes of a stored vertex.
    pub(super) fn columns(&self) -> u32 {
        self.columns.len() as u32
    }

    /// An attribute of a vertex of the sequence, if it differs from vertex to vertex.
    pub(super) fn get(&self, vertex: u32, slot: usize) -> Option<[f32; 4]> {
        let column = (*self.column_of.get(slot)?)?;
        let stored = if self.ordered { *self.order.get(vertex as usize)? } else { vertex };
        self.data.get(stored as usize * self.columns.len() + usize::from(column)).copied()
    }

    /// Adds `count` stored vertices, and gives the first's place in `data`. Columns without an array have their current value;
    /// the others are to be converted, and what cannot be stays [`arrays::NOTHING`].
    fn grow(&mut self, arrays: &Arrays, count: u32, current: &Attributes) -> usize {
        let start = self.data.len();
        let value = |slot: &u8| {
            let has_array = arrays.iter().any(|array| array.slot == *slot);
            if has_array { arrays::NOTHING } else { current[usize::from(*slot)] }
        };
        let vertex: SmallVec<[_; ATTRIBUTES]> = self.columns.iter().map(value).collect();
        if vertex.iter().all(|value| *value == arrays::NOTHING) {
            self.data.resize(start + count as usize * vertex.len(), arrays::NOTHING);
        } else {
            self.data.reserve(count as usize * vertex.len());
            (0..count).for_each(|_| self.data.extend_from_slice(&vertex));
        }
        self.stored += count;
        start
    }

    /// The sequence goes on with these stored vertices.
    fn sequence(&mut self, first: u32, count: u32) {
        if self.ordered {
            self.order.extend(first..first + count);
        }
    }

    /// `count` vertices from the arrays.
    fn range(&mut self, memory: &dyn GuestMemory, arrays: &Arrays, first: u32, count: u32, current: &Attributes) {
        let before = self.stored;
        self.sequence(before, count);
        self.store(memory, arrays, first, count, current);
    }

    /// Stores `count` vertices from the arrays, in blocks that stay in the cache from the first attribute to the last.
    fn store(&mut self, memory: &dyn GuestMemory, arrays: &Arrays, first: u32, count: u32, current: &Attributes) {
        let mut done = 0;
        while done < count {
            let block = (count - done).min(BLOCK);
            let start = self.grow(arrays, block, current);
            self.convert_range(memory, arrays, first.saturating_add(done), block, start);
            done += block;
        }
    }

    /// Converts `count` vertices from the arrays to `data[start..]`.
    fn convert_range(&mut self, memory: &dyn GuestMemory, arrays: &Arrays, first: u32, count: u32, start: usize) {
        let step = self.columns.len();
        // Physical addresses that `bytes` holds: attributes of one vertex lie side by side, and are read once.
        let mut held = 0..0;
        for (i, array) in arrays.iter().enumerate() {
            let Some(column) = self.column_of[usize::from(array.slot)] else { continue };
            let to = &mut self.data[start + usize::from(column)..];
            let Some((address, fit)) = span(array, first, count) else { continue };
            if !(held.start <= address.start && address.end <= held.end) {
                held = address.clone();
                for other in &arrays[i + 1..] {
                    let near = |other: u32| other.abs_diff(address.start) < array.stride();
                    if let Some((other, _)) = span(other, first, count)
                        .filter(|(span, _)| other.stride() == array.stride() && near(span.start))
                    {
                        held = held.start.min(other.start)..held.end.max(other.end);
                    }
                }
                held.end = held.end.min(memory.size().max(held.start));
                self.bytes.resize(held.len(), 0);
                if memory.read(held.start, &mut self.bytes).is_err() {
                    self.bytes.clear();
                }
            }
            let from = self.bytes.get((address.start - held.start) as usize..).unwrap_or_default();
            array.convert(from, array.stride() as usize, to, step, fit as usize);
        }
    }

    /// Vertices from the arrays by their numbers.
    fn elements(&mut self, memory: &dyn GuestMemory, arrays: &Arrays, elements: &[u32], current: &Attributes) {
        let (Some(&least), Some(&greatest)) = (elements.iter().min(), elements.iter().max()) else { return };
        let between = u64::from(greatest - least) + 1;
        if between > SPARSE * elements.len() as u64 {
            for element in elements {
                self.range(memory, arrays, *element, 1, current);
            }
            return;
        }
        if !self.ordered {
            self.ordered = true;
            self.order.extend(0..self.stored);
        }
        let base = self.stored;
        self.order.extend(elements.iter().map(|element| base + (element - least)));
        self.store(memory, arrays, least, between as u32, current);
    }

    /// Vertices in words of the push buffer; words after the last whole vertex are dropped.
    fn inline(&mut self, arrays: &Arrays, words: &[u32], current: &mut Attributes) {
        let stride: u32 = arrays.iter().map(Array::inline_bytes).sum();
        let Some(count) = (words.len() as u32 * 4).checked_div(stride).filter(|count| *count > 0) else { return };
        let before = self.stored;
        let start = self.grow(arrays, count, current);
        self.sequence(before, count);
        self.bytes.clear();
        self.bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        let (stride, count, step) = (stride as usize, count as usize, self.columns.len());
        let mut offset = 0;
        for array in arrays {
            if let Some(column) = self.column_of[usize::from(array.slot)] {
                let to = &mut self.data[start + usize::from(column)..];
                array.convert(&self.bytes[offset..], stride, to, step, count);
            }
            current[usize::from(array.slot)] = array.value(&self.bytes[stride * (count - 1) + offset..]);
            offset += array.inline_bytes() as usize;
        }
    }

    fn immediate(&mut self, vertices: &[Attributes]) {
        let before = self.stored;
        self.stored += vertices.len() as u32;
        self.sequence(before, vertices.len() as u32);
        self.data.reserve(vertices.len() * self.columns.len());
        for vertex in vertices {
            self.data.extend(self.columns.iter().map(|slot| vertex[usize::from(*slot)]));
        }
    }
}

/// Physical addresses of `count` vertices of an array, and how many of them there are.
fn span(array: &Array, first: u32, count: u32) -> Option<(std::ops::Range<u32>, u32)> {
    let (address, fit) = array.locate(first, count)?;
    let end =
        u64::from(address) + u64::from(fit.checked_sub(1)?) * u64::from(array.stride()) + u64::from(array.bytes());
    Some((address..u32::try_from(end).ok()?, fit))
}

/// The values of a vertex of the arrays become the current ones.
fn carry_over(memory: &dyn GuestMemory, arrays: &Arrays, vertex: u32, current: &mut Attributes) {
    for array in arrays {
        let mut bytes = [0; 16];
        let bytes = &mut bytes[..array.bytes() as usize];
        let there = array.locate(vertex, 1).is_some_and(|(address, _)| memory.read(address, bytes).is_ok());
        current[usize::from(array.slot)] = if there { array.value(bytes) } else { arrays::NOTHING };
    }
}

#[cfg(test)]
mod tests;
