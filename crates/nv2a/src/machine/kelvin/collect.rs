//! What comes between begin and end.
//!
//! A second begin changes nothing: the vertices go on as what the first began ([H] Degenerate_begin_end). A vertex outside of
//! begin and end is nothing.

use super::kinds::Kind;
use crate::machine::{Attributes, Part, Primitive, PrimitiveKind};

/// Vertices of one primitive that are kept at most; immediate ones are 256 bytes each. What comes behind is not drawn.
const MOST_IMMEDIATE: usize = 1 << 18;
/// The same for all others, in indices, words and vertices of arrays.
const MOST: usize = 1 << 20;

/// Collects a primitive.
#[derive(Debug)]
pub(super) struct Collector {
    begun: bool,
    primitive: Primitive,
    /// Vertices and words so far.
    size: usize,
    immediate: usize,
    /// An empty vector whose memory is used again.
    spare: Vec<Attributes>,
}

impl Default for Collector {
    fn default() -> Self {
        let primitive = Primitive { kind: PrimitiveKind::Points, parts: Vec::new() };
        Self { begun: false, primitive, size: 0, immediate: 0, spare: Vec::new() }
    }
}

impl Collector {
    /// Whether a begin was not ended.
    pub(super) fn begun(&self) -> bool {
        self.begun
    }

    /// Whether something waits to be drawn.
    pub(super) fn has_vertices(&self) -> bool {
        self.begun && !self.primitive.parts.is_empty()
    }

    /// Begins a primitive, unless one was begun.
    pub(super) fn begin(&mut self, kind: PrimitiveKind) {
        if !self.begun {
            self.begun = true;
            self.primitive.kind = kind;
            self.primitive.parts.clear();
        }
    }

    /// Ends the primitive: what there is to draw. Nothing if there was no begin or no vertex.
    pub(super) fn end(&mut self) -> Option<Primitive> {
        let vertices = self.primitive.parts.iter().any(|part| !matches!(part, Part::EdgeFlag(_)));
        let drawn = std::mem::take(&mut self.begun) && vertices;
        (self.size, self.immediate) = (0, 0);
        drawn.then(|| Primitive { kind: self.primitive.kind, parts: std::mem::take(&mut self.primitive.parts) })
    }

    /// Takes a primitive back that was drawn, for its memory.
    pub(super) fn recycle(&mut self, primitive: Primitive) {
        let mut parts = primitive.parts;
        for part in parts.drain(..) {
            if let Part::Immediate(mut vertices) = part
                && vertices.capacity() > self.spare.capacity()
            {
                vertices.clear();
                self.spare = vertices;
            }
        }
        self.primitive.parts = parts;
    }

    /// A vertex with all attributes; false if there are too many.
    pub(super) fn vertex(&mut self, attributes: &Attributes) -> bool {
        if self.immediate == MOST_IMMEDIATE {
            return false;
        }
        self.immediate += 1;
        match self.primitive.parts.last_mut() {
            Some(Part::Immediate(vertices)) => vertices.push(*attributes),
            _ => {
                let mut vertices = std::mem::take(&mut self.spare);
                vertices.push(*attributes);
                self.part(Part::Immediate(vertices));
            }
        }
        true
    }

    /// `DRAW_ARRAYS`; false outside of begin and end, or if there are too many.
    pub(super) fn arrays(&mut self, first: u32, count: u32) -> bool {
        if !self.begun || self.size + count as usize > MOST {
            return false;
        }
        self.size += count as usize;
        match self.primitive.parts.last_mut() {
            Some(Part::Arrays { first: before, count: so_far }) if before.wrapping_add(*so_far) == first => {
                *so_far += count;
            }
            _ => self.part(Part::Arrays { first, count }),
        }
        true
    }

    /// Indices or inline words; false outside of begin and end, or if there are too many.
    pub(super) fn words(&mut self, kind: Kind, words: &[u32]) -> bool {
        let size = words.len() * if kind == Kind::Elements16 { 2 } else { 1 };
        if !self.begun || self.size + size > MOST {
            return false;
        }
        self.size += size;
        let inline = kind == Kind::Inline;
        match (self.primitive.parts.last(), inline) {
            (Some(Part::Inline(_)), true) | (Some(Part::Elements(_)), false) => {}
            (_, true) => self.part(Part::Inline(Vec::new())),
            (_, false) => self.part(Part::Elements(Vec::new())),
        }
        if let Some(Part::Inline(to) | Part::Elements(to)) = self.primitive.parts.last_mut() {
            match kind {
                Kind::Elements16 => to.extend(words.iter().flat_map(|word| [word & 0xFFFF, word >> 16])),
                _ => to.extend_from_slice(words),
            }
        }
        true
    }

    /// The edge flag became another; false if there are too many.
    pub(super) fn edge_flag(&mut self, on: bool) -> bool {
        if self.begun {
            if self.size == MOST {
                return false;
            }
            self.size += 1;
            self.part(Part::EdgeFlag(on));
        }
        true
    }

    fn part(&mut self, part: Part) {
        self.primitive.parts.push(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_one_sort_are_one_part() {
        let mut collector = Collector::default();
        assert!(!collector.arrays(0, 3) && !collector.words(Kind::Inline, &[1]));
        collector.begin(PrimitiveKind::TriangleStrip);
        collector.begin(PrimitiveKind::Points);
        assert!(
            collector.words(Kind::Elements16, &[0x0001_0000, 0x0003_0002]) && collector.words(Kind::Elements32, &[9])
        );
        assert!(collector.arrays(4, 3) && collector.arrays(7, 256) && collector.arrays(2, 1));
        assert!(collector.words(Kind::Inline, &[1, 2]) && collector.words(Kind::Inline, &[3]));
        assert!(collector.vertex(&[[1.0; 4]; 16]) && collector.vertex(&[[2.0; 4]; 16]));
        let primitive = collector.end().unwrap();
        assert_eq!(primitive.kind, PrimitiveKind::TriangleStrip);
        assert_eq!(
            primitive.parts,
            [
                Part::Elements(vec![0, 1, 2, 3, 9]),
                Part::Arrays { first: 4, count: 259 },
                Part::Arrays { first: 2, count: 1 },
                Part::Inline(vec![1, 2, 3]),
                Part::Immediate(vec![[[1.0; 4]; 16], [[2.0; 4]; 16]]),
            ]
        );
        assert_eq!(collector.end(), None);
        collector.recycle(primitive);
        collector.begin(PrimitiveKind::Points);
        collector.edge_flag(true);
        assert_eq!(collector.end(), None, "begin and end without a vertex draw nothing");
    }

    #[test]
    fn what_is_too_much_is_not_kept() {
        let mut collector = Collector::default();
        collector.begin(PrimitiveKind::Points);
        while collector.words(Kind::Elements16, &[0; 0x7FF]) {}
        assert!(collector.size <= MOST && collector.size > MOST - 0x1000);
        assert!(!collector.arrays(0, 0x1000));
        assert!(collector.vertex(&Attributes::default()));
    }
}
