//! Images and samplers: which slot each access has, and which of several where nobody knows the descriptors before the program runs.

use super::{
    ExprId, Finder, Flow, From, ImageUse, LiftError, MAX_IMAGES, MAX_STORAGE_IMAGES, MAX_WORDS, Reason, Resources,
    SamplerUse, TableOf, TableUse, Texels, TextureUse, Use, What, number, tables,
};
use crate::io::MAX_TABLES;

/// Most levels of an image that is stored to.
const MOST_LEVELS: usize = 15;

/// An image instruction, with what is known of its descriptors.
pub(super) struct ImageAccess {
    pub(super) at: usize,
    pub(super) image: From<8>,
    pub(super) sampler: Option<From<4>>,
    pub(super) compare: bool,
    /// Whether image and sampler come out of one table, where they lie side by side.
    pub(super) pairs: bool,
    /// Where the table of the sampler begins then.
    pub(super) sampler_base: Option<[ExprId; 2]>,
    /// Whether it names a level of an image that has several, as what is stored to does.
    pub(super) mip: bool,
    /// Whether texels are converted.
    pub(super) texels: Texels,
    /// Whether it stores; whether it needs a sampler's derivatives does not matter here.
    pub(super) stores: bool,
}

/// An access of an image that chooses among slots.
pub(super) struct Chosen {
    pub(super) at: usize,
    pub(super) image: From<8>,
    pub(super) sampler: Option<From<4>>,
    /// Whether the slots are storage images'.
    pub(super) storage: bool,
    pub(super) slots: Vec<Slot>,
}

/// One of them, with the words that are bound to it.
pub(super) struct Slot {
    pub(super) slot: u32,
    pub(super) level: Option<Level>,
    pub(super) image: [ExprId; 8],
    pub(super) sampler: Option<[ExprId; 4]>,
}

/// The level of an image that is bound.
#[derive(Clone, Copy)]
pub(super) enum Level {
    Known(u8),
    /// Of an image out of a table, what says it.
    At(ExprId),
}

impl Finder {
    /// The slot of a storage image.
    pub(super) fn storage(
        &mut self,
        descriptor: [ExprId; 8],
        level: u8,
        written: bool,
        texels: Texels,
    ) -> Result<u32, Reason> {
        let Resources { images, storage_images, .. } = &mut self.resources;
        // Bits have a view of their own.
        let is_bits = |texels: Texels| texels == Texels::Bits;
        let same = |image: &ImageUse| {
            let own = image.storage && image.descriptor == descriptor && image.level == level;
            own && is_bits(image.texels) == is_bits(texels)
        };
        let image = ImageUse { descriptor, storage: true, written, layers: false, level, texels };
        let index = number(images, same, image, "images", MAX_IMAGES)?;
        let image = &mut images[index as usize];
        image.written |= written;
        if texels == Texels::Words {
            image.texels = texels;
        }
        number(storage_images, |&image| image == index, index, "storage images", MAX_STORAGE_IMAGES)
    }

    pub(super) fn image(&mut self, access: &ImageAccess) -> Result<Use, Reason> {
        let From::Known(descriptor) = access.image else { return Ok(Use::None) };
        let sampler = match access.sampler {
            Some(From::Known(descriptor)) => Some(descriptor),
            _ => None,
        };
        let (slot, storage) = self.slot(access, descriptor, sampler, 0)?;
        Ok(if storage { Use::StorageImage(slot) } else { Use::Texture(slot) })
    }

    /// The slot for an access with these descriptors, and whether it is a storage image's.
    fn slot(
        &mut self,
        access: &ImageAccess,
        descriptor: [ExprId; 8],
        sampler: Option<[ExprId; 4]>,
        level: u8,
    ) -> Result<(u32, bool), Reason> {
        let bits = access.texels == Texels::Bits;
        if access.stores || bits || (sampler.is_none() && self.is_stored(descriptor)) {
            return Ok((self.storage(descriptor, level, access.stores, access.texels)?, true));
        }
        let Resources { images, samplers, textures, .. } = &mut self.resources;
        let layers = sampler.is_none();
        let same = |image: &ImageUse| !image.storage && image.descriptor == descriptor && image.layers == layers;
        let texels = Texels::Converted;
        let image = ImageUse { descriptor, storage: false, written: false, layers, level: 0, texels };
        let image = number(images, same, image, "images", MAX_IMAGES)?;
        let sampler = match sampler {
            Some(descriptor) => {
                let same = |sampler: &SamplerUse| sampler.descriptor == descriptor;
                Some(number(samplers, same, SamplerUse { descriptor }, "samplers", MAX_IMAGES)?)
            }
            None => None,
        };
        let texture = TextureUse { image, sampler, compare: access.compare };
        let same = |other: &TextureUse| *other == texture;
        // Those that have no slot are in a table, where the receiver has such.
        let most = if self.has_tables { MAX_IMAGES } else { self.slots };
        Ok((number(textures, same, texture, "textures in its stage", most)?, false))
    }

    /// Has accesses out of tables look into the receiver's, where it has any; what is left chooses among slots: that which is stored to.
    pub(super) fn in_tables(&mut self, flow: &Flow, accesses: Vec<ImageAccess>) -> Result<Vec<ImageAccess>, LiftError> {
        if !self.has_tables {
            return Ok(accesses);
        }
        let stored: Vec<From<8>> = accesses.iter().filter(|access| access.stores).map(|access| access.image).collect();
        let mut rest = Vec::new();
        for access in accesses {
            let is_stored = match access.image {
                From::Known(descriptor) => self.is_stored(descriptor),
                From::Table(_) => stored.contains(&access.image),
            };
            // Bits are those of a storage image.
            let bits = access.texels == Texels::Bits;
            if access.stores || bits || access.sampler.is_none() && is_stored {
                rest.push(access);
                continue;
            }
            self.uses[access.at] = self.looked_up(&access).map_err(|reason| reason.at(&flow.insts[access.at]))?;
        }
        Ok(rest)
    }

    /// The tables that an access looks into.
    fn looked_up(&mut self, access: &ImageAccess) -> Result<Use, Reason> {
        let of = match access.image {
            From::Table(base) => TableOf::Images(base),
            From::Known(words) => TableOf::Image(words),
        };
        let image = self.table(TableUse { of, layers: access.sampler.is_none(), compare: access.compare })?;
        let sampler = match access.sampler {
            None => None,
            Some(From::Table(base)) => Some(TableOf::Samplers(access.sampler_base.unwrap_or(base))),
            Some(From::Known(words)) => Some(TableOf::Sampler(words)),
        };
        let sampler = match sampler {
            Some(of) => Some(self.table(TableUse { of, layers: false, compare: access.compare })?),
            None => None,
        };
        let pair = sampler.map(|sampler| [image, sampler]);
        let pairs = &mut self.resources.table_pairs;
        pairs.extend(pair.filter(|pair| !pairs.contains(pair)));
        Ok(Use::Tables { image, sampler })
    }

    fn table(&mut self, table: TableUse) -> Result<u32, Reason> {
        let same = |other: &TableUse| *other == table;
        number(&mut self.resources.tables, same, table.clone(), "tables of descriptors", MAX_TABLES)
    }

    /// A table for the textures that have no slots, if there are such.
    pub(super) fn beyond_slots(&mut self) -> Result<(), Reason> {
        if self.resources.textures.len() > self.slots {
            self.table(TableUse { of: TableOf::Textures, layers: false, compare: false })?;
        }
        Ok(())
    }

    /// Whether the program stores to an image.
    fn is_stored(&self, descriptor: [ExprId; 8]) -> bool {
        self.resources.images.iter().any(|image| image.storage && image.descriptor == descriptor)
    }

    /// Whether something of an access is chosen while the program runs: the image, the sampler, or the level of what is stored to.
    pub(super) fn chooses(&self, access: &ImageAccess) -> bool {
        match access.image {
            From::Table(_) => true,
            From::Known(descriptor) => {
                let storage = access.texels == Texels::Bits || self.is_stored(descriptor);
                matches!(access.sampler, Some(From::Table(_))) || access.mip && storage
            }
        }
    }

    /// Gives slots to accesses of images out of tables. What is stored to comes first, for loads of it find it there.
    pub(super) fn choices(&mut self, flow: &Flow, accesses: &[ImageAccess]) -> Result<(), LiftError> {
        let stored: Vec<From<8>> = accesses.iter().filter(|access| access.stores).map(|access| access.image).collect();
        // Of tables of which levels are bound, as bits or converted, how many.
        let mut bound: Vec<([ExprId; 2], bool, usize)> = Vec::new();
        for stores in [true, false] {
            let some = || accesses.iter().filter(|access| access.stores == stores);
            let mut kinds: Vec<(From<8>, Option<From<4>>, bool, bool)> = Vec::new();
            for access in some() {
                let kind = (access.image, access.sampler, access.compare, access.mip);
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
            let (used, most) = if stores {
                (self.resources.storage_images.len(), MAX_STORAGE_IMAGES)
            } else {
                (self.resources.textures.len(), if self.has_tables { MAX_IMAGES } else { self.slots })
            };
            let each = most.saturating_sub(used) / kinds.len().max(1);
            for access in some() {
                let of_levels = access.mip
                    && matches!(access.image, From::Table(_))
                    && (access.texels == Texels::Bits || stored.contains(&access.image));
                let found = match access.image {
                    From::Table(base) if of_levels => {
                        // Loads find what is stored to in its slots.
                        let left = MAX_STORAGE_IMAGES.saturating_sub(self.resources.storage_images.len());
                        let most = if stores { each } else { left };
                        let bits = access.texels == Texels::Bits;
                        let known = bound.iter().find(|known| (known.0, known.1) == (base, bits));
                        let most = known.map_or(most.min(tables::MOST_LEVELS), |known| known.2);
                        bound.push((base, bits, most));
                        self.choice_of_levels(access, base, most)
                    }
                    _ => self.choice(access, each.min(tables::MOST)),
                };
                found.map_err(|reason| reason.at(&flow.insts[access.at]))?;
            }
        }
        Ok(())
    }

    /// Gives an access of what is stored to, which names a level of an image out of a table, at most `most` slots.
    fn choice_of_levels(&mut self, access: &ImageAccess, base: [ExprId; 2], most: usize) -> Result<(), Reason> {
        let full = || Reason::TooMany { what: "expressions", most: MAX_WORDS };
        if most == 0 {
            return Err(Reason::TooMany { what: "storage images beside its tables", most: MAX_STORAGE_IMAGES });
        }
        let mut slots = Vec::new();
        for entry in 0..most as u8 {
            let image: [ExprId; 8] = self.table_words(base, What::Levels, entry, 0).ok_or_else(full)?;
            let of_level: [ExprId; 2] = self.table_words(base, What::Levels, entry, tables::LEVEL).ok_or_else(full)?;
            let mut descriptor = image;
            descriptor[3] = of_level[1];
            let slot = self.storage(descriptor, 0, access.stores, access.texels)?;
            slots.push(Slot { slot, level: Some(Level::At(of_level[0])), image, sampler: None });
        }
        self.uses[access.at] = Use::Table(Vec::new());
        self.chosen.push(Chosen { at: access.at, image: access.image, sampler: None, storage: true, slots });
        Ok(())
    }

    /// Gives an access out of tables at most `most` slots.
    fn choice(&mut self, access: &ImageAccess, most: usize) -> Result<(), Reason> {
        if most == 0 {
            return Err(Reason::TooMany { what: "textures or storage images beside its tables", most: self.slots });
        }
        // Of two tables not each entry goes with each other: there are as many as would be too many.
        let (images, samplers) = match (access.image, access.sampler) {
            (From::Table(_), Some(From::Table(_))) if !access.pairs => {
                let samplers = most.isqrt().max(1);
                (most / samplers, samplers)
            }
            (From::Table(_), _) => (most, 1),
            (From::Known(_), Some(From::Table(_))) => (1, most),
            (From::Known(_), _) => (1, 1),
        };
        let levels = match access.image {
            From::Known(descriptor)
                if access.mip && (access.stores || access.texels == Texels::Bits || self.is_stored(descriptor)) =>
            {
                Some((most + 1).min(MOST_LEVELS))
            }
            _ => None,
        };
        let full = || Reason::TooMany { what: "expressions", most: MAX_WORDS };
        let mut slots = Vec::new();
        for entry in 0..images * samplers {
            let (image, sampler) = (entry / samplers, entry % samplers);
            let image = match access.image {
                From::Known(words) => words,
                From::Table(base) => {
                    let what = if access.pairs { What::Pairs } else { What::Images };
                    self.table_words(base, what, image as u8, 0).ok_or_else(full)?
                }
            };
            let sampler = match access.sampler {
                None => None,
                Some(From::Known(words)) => Some(words),
                Some(From::Table(base)) => {
                    let (what, entry) = if access.pairs { (What::Pairs, entry) } else { (What::Samplers, sampler) };
                    Some(self.table_words(base, what, entry as u8, 8).ok_or_else(full)?)
                }
            };
            if let Some(levels) = levels {
                for level in 0..levels as u8 {
                    let (slot, _) = self.slot(access, image, None, level)?;
                    slots.push(Slot { slot, level: Some(Level::Known(level)), image, sampler: None });
                }
                continue;
            }
            let (slot, _) = self.slot(access, image, sampler, 0)?;
            slots.push(Slot { slot, level: None, image, sampler });
        }
        self.uses[access.at] = Use::Table(Vec::new());
        let storage = access.stores || access.texels == Texels::Bits || levels.is_some();
        self.chosen.push(Chosen { at: access.at, image: access.image, sampler: access.sampler, storage, slots });
        Ok(())
    }

    /// Words of an entry of a table, from a word on.
    fn table_words<const N: usize>(
        &mut self,
        base: [ExprId; 2],
        what: What,
        entry: u8,
        first: u8,
    ) -> Option<[ExprId; N]> {
        let mut words = [0; N];
        for (n, word) in (first..).zip(&mut words) {
            *word = self.exprs.table(base, what, entry, n)?;
        }
        Some(words)
    }
}
