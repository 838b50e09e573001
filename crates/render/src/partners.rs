//! Which vertex shader a pixel shader may be drawn with: guesses from the order in which a program creates them, and from what it
//! draws. Programs compile effect by effect, or all shaders of one stage and then those of the other, or many pixel shaders for
//! one vertex shader; none of that is known, so each pixel shader is tried with a few and no more.

use afterimage_shader::{LinkInfo, Stage};
use afterimage_stream::ObjectId;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::Hash;

/// How many vertex shaders a pixel shader is tried with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tries {
    /// When it is created.
    pub at_creation: u8,
    /// In all, before it is drawn with.
    pub in_all: u8,
}

impl Tries {
    /// Where a draw with a pair that was not tried waits for the compiler.
    pub const MANY: Self = Self { at_creation: 2, in_all: 5 };
    /// Where it does not.
    pub const FEW: Self = Self { at_creation: 1, in_all: 2 };
}

/// Vertex shaders that are looked at, newest first.
const RECENT: usize = 16;

/// What is remembered: shaders of a row, pixel shaders that nothing was drawn with, surroundings of draws.
const MOST: usize = 4096;

/// Sets of outputs of vertex shaders that pixel shaders are translated for before they are drawn with: programs have few.
const LINKS: usize = 8;

/// Shaders in the order of their creation. `K` says in which surroundings a pixel shader is drawn: the pipeline but for it.
pub struct Partners<K> {
    /// Those of one stage that were created last, one after the other.
    row: Vec<ObjectId>,
    stage: Option<Stage>,
    /// Those of the other stage before them.
    row_before: Vec<ObjectId>,
    /// The last vertex shaders, newest in front.
    vertices: VecDeque<ObjectId>,
    /// What vertex shaders write, each set once, the latest in front.
    links: VecDeque<LinkInfo>,
    /// Pixel shaders that nothing was drawn with yet, and how many vertex shaders each was tried with.
    undrawn: BTreeMap<ObjectId, u8>,
    /// Surroundings of draws, which are pipelines but for their pixel shader, with the first that was drawn in them; none once
    /// others were tried.
    surroundings: FxHashMap<K, Option<ObjectId>>,
}

impl<K> Default for Partners<K> {
    fn default() -> Self {
        Self {
            row: Vec::new(),
            stage: None,
            row_before: Vec::new(),
            vertices: VecDeque::new(),
            links: VecDeque::new(),
            undrawn: BTreeMap::new(),
            surroundings: FxHashMap::default(),
        }
    }
}

impl<K: Hash + Eq> Partners<K> {
    /// A shader of one of the two stages is created.
    pub fn created(&mut self, id: ObjectId, stage: Stage) {
        if self.stage.replace(stage) != Some(stage) {
            self.row_before = std::mem::take(&mut self.row);
        }
        if self.row.len() < MOST {
            self.row.push(id);
        }
        if stage == Stage::Vertex {
            self.vertices.truncate(RECENT - 1);
            self.vertices.push_front(id);
        } else if self.undrawn.len() < MOST {
            self.undrawn.insert(id, 0);
        }
    }

    /// A vertex shader writes this; whether none before it did.
    pub fn writes(&mut self, link: LinkInfo) -> bool {
        let known = self.links.iter().position(|other| *other == link);
        if let Some(at) = known {
            self.links.remove(at);
        }
        self.links.truncate(LINKS - 1);
        self.links.push_front(link);
        known.is_none()
    }

    /// What the vertex shaders write that pixel shaders may be drawn with, likeliest first.
    pub fn links(&self) -> impl Iterator<Item = LinkInfo> {
        self.links.iter().copied()
    }

    /// Pixel shaders that nothing was drawn with yet.
    pub fn undrawn(&self) -> Vec<ObjectId> {
        self.undrawn.keys().copied().collect()
    }

    /// The shader of the other stage that is as far from the beginning of its row as the last one is of its own.
    fn opposite(&self) -> Option<ObjectId> {
        self.row_before.get(self.row.len().checked_sub(1)?).copied()
    }

    /// Vertex shaders for the pixel shader that was just created, likeliest first; `bound` is the one that draws would have.
    pub fn vertices(&self, bound: ObjectId) -> Vec<ObjectId> {
        let all = self.opposite().into_iter().chain([bound]).chain(self.vertices.iter().copied());
        all.fold(Vec::new(), |mut list, id| {
            if !list.contains(&id) {
                list.push(id);
            }
            list
        })
    }

    /// Pixel shaders for the vertex shader that was just created: its opposite, and all that fitted none so far. The first one
    /// behind a row of pixel shaders may be that of all.
    pub fn pixels(&self) -> BTreeSet<ObjectId> {
        let lonely = self.undrawn.iter().filter(|(_, tried)| **tried == 0).map(|(id, _)| *id);
        let first = if self.row.len() == 1 { &self.row_before[..] } else { &[] };
        lonely.chain(first.iter().copied()).chain(self.opposite()).collect()
    }

    /// Whether a pixel shader may be tried with one more; it then was.
    pub fn try_one(&mut self, pixel: ObjectId, tries: Tries) -> bool {
        let tried = self.undrawn.get_mut(&pixel).filter(|tried| **tried < tries.in_all);
        tried.map(|tried| *tried += 1).is_some()
    }

    /// Nothing needs to be guessed of a pixel shader any more: something was drawn with it, or it is gone.
    pub fn is_known(&mut self, pixel: ObjectId) {
        self.undrawn.remove(&pixel);
    }

    /// A draw has a new pipeline with this pixel shader. Where it is the second in the same surroundings, the others that
    /// nothing was drawn with may follow: they are given.
    pub fn drawn(&mut self, pixel: ObjectId, around: K) -> Vec<ObjectId> {
        self.is_known(pixel);
        if self.surroundings.len() >= MOST {
            self.surroundings.clear();
        }
        let first = self.surroundings.entry(around).or_insert(Some(pixel));
        if first.is_none_or(|first| first == pixel) {
            return Vec::new();
        }
        *first = None;
        self.undrawn()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterimage_stream::ObjectKind;

    fn id(serial: u32) -> ObjectId {
        ObjectId::new(ObjectKind::Shader, serial)
    }

    /// Creates shaders by the letters of a text: the likeliest partner of each pixel shader, by number, as its creation has it.
    fn partners(order: &str) -> (Partners<&'static str>, Vec<Option<ObjectId>>) {
        let mut partners = Partners::default();
        let mut likeliest = Vec::new();
        for (serial, letter) in (1..).zip(order.chars()) {
            let stage = if letter == 'v' { Stage::Vertex } else { Stage::Pixel };
            partners.created(id(serial), stage);
            if stage == Stage::Pixel {
                let found = partners.vertices(ObjectId::NONE);
                likeliest.push(found.into_iter().find(|id| !id.is_none()));
            }
        }
        (partners, likeliest)
    }

    #[test]
    fn effects_one_after_the_other() {
        assert_eq!(partners("vpvpvp").1, [Some(id(1)), Some(id(3)), Some(id(5))]);
    }

    #[test]
    fn one_stage_after_the_other() {
        assert_eq!(partners("vvvppp").1, [Some(id(1)), Some(id(2)), Some(id(3))]);
        let (mut partners, first) = partners("pppv");
        assert_eq!(first, [None; 3]);
        // The first vertex shader may be that of all.
        assert_eq!(partners.pixels(), [id(1), id(2), id(3)].into());
        assert!((1..4).all(|serial| partners.try_one(id(serial), Tries::MANY)));
        // Also where they have been tried with one that was bound.
        assert_eq!(partners.pixels(), [id(1), id(2), id(3)].into());
        partners.created(id(5), Stage::Vertex);
        assert_eq!(partners.pixels(), [id(2)].into());
    }

    #[test]
    fn many_for_one() {
        assert_eq!(partners("vppp").1, [Some(id(1)); 3]);
    }

    #[test]
    fn sets_of_outputs_are_few_and_distinct() {
        let mut partners = Partners::<u32>::default();
        let link = |mask| LinkInfo { mask, ..LinkInfo::default() };
        assert!(partners.writes(link(1)) && partners.writes(link(2)) && !partners.writes(link(1)));
        assert!(partners.links().eq([link(1), link(2)]));
        for mask in 0..100 {
            partners.writes(link(mask));
        }
        assert_eq!((partners.links().count(), partners.links().next()), (LINKS, Some(link(99))));
    }

    #[test]
    fn two_that_are_drawn_alike_are_followed() {
        let (mut partners, _) = partners("vpppv");
        assert_eq!(partners.drawn(id(2), "here"), []);
        // Only another pixel shader says something, and only in the same surroundings.
        assert_eq!(partners.drawn(id(2), "here"), []);
        assert_eq!(partners.drawn(id(3), "there"), []);
        assert_eq!(partners.drawn(id(3), "here"), [id(4)]);
        assert_eq!(partners.drawn(id(4), "here"), []);
    }

    #[test]
    fn a_thousand_shaders_are_not_a_million_pipelines() {
        let (mut partners, _) = partners(&"vp".repeat(1000));
        let mut tried = 0;
        for serial in 1..2000 {
            tried += (0..20).filter(|_| partners.try_one(id(serial), Tries::MANY)).count();
        }
        assert!(tried <= 1000 * usize::from(Tries::MANY.in_all), "{tried}");
        assert!(partners.vertices.len() <= RECENT);
    }
}
