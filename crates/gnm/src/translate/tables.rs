//! Tables of descriptors that shaders look into by themselves: see [`afterimage_shader_gcn::io::tables`].
//!
//! What lies in the guest's memory from where a table begins is looked through when its generation has changed, and each descriptor there
//! gets a texture or sampler of the receiver's, in a table of the receiver's that all programs share which have the same address. As long
//! as nothing has moved ([`Translator::moves`]), a draw costs a look-up of the address; after that the images are looked at again, and
//! entries that are others are sent.

use super::Translator;
use super::ranges::overlap;
use super::resources::{Image, Needs};
use super::samplers::SamplerUse;
use super::surfaces::SurfaceError;
use crate::memory::{GuestMemory, PAGE};
use afterimage_abi::Table;
use afterimage_abi::tables::MOST_ENTRIES;
use afterimage_gnm_types::{ImageDescriptor, SamplerDescriptor};
use afterimage_shader_gcn::io::tables::{self, Places, What};
use afterimage_shader_gcn::io::{
    CUBE_LAYERS, IN_TEXELS, ImageSpec, ImageUse, Resources, TableOf, TableSpec, TableUse, Texels, Values,
};
use afterimage_stream::packets::*;
use afterimage_stream::{DeviceFeatures, FIRST_TABLE, ObjectId, ObjectKind, Port, PortError};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::ops::Range;

/// Tables that are kept.
const MOST: usize = 512;
/// Entries that one packet brings.
const ENTRIES_AT_ONCE: usize = 2048;
/// Bytes of a descriptor, at most.
const LONGEST: u64 = 32;
/// Memory that the receiver has stored to so many bytes behind a table is none of it.
const APART: u64 = 256;
/// Entries that did not change are sent along rather than beginning another packet, up to so many; of a new table all between those that
/// there are.
const GAP: usize = 4;

/// What is in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Of {
    /// The images that are found in memory from an address on.
    Images(u64),
    Image([u32; 8]),
    Samplers(u64),
    Sampler([u32; 4]),
    /// Textures that have no slots, of a stage of the receiver's.
    Textures(Stage),
}

/// What tables are known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    of: Of,
    /// [`TableUse::layers`], [`TableUse::compare`].
    layers: bool,
    compare: bool,
    /// Images: whether there are samplers that decode sRGB whatever the images say.
    decodes: bool,
    /// Samplers: where border colours are.
    border: u64,
}

/// What texels of images are to samplers, and their least level.
type Class = (bool, u32);

/// An image in a table.
#[derive(Clone, Debug)]
struct Entry {
    tag: [u32; 2],
    image: Image,
    /// [`ImageSpec::kind`].
    kind: u32,
    class: u32,
    /// What stands for it, as of the last time that it was looked at, and the memory of that.
    surface: Option<ObjectId>,
    range: Range<u64>,
}

/// A table of the receiver's, as that has it.
#[derive(Debug, Default)]
struct Held {
    id: ObjectId,
    entries: Vec<TableEntry>,
}

/// A table.
#[derive(Debug, Default)]
struct Mirror {
    held: Held,
    /// Generation of the memory that was looked through, and how much of it is mapped.
    looked: Option<(u64, u64)>,
    /// What was found there.
    found: tables::Descriptors,
    /// Of each page of it the generation, and whether something is found in it.
    pages: Vec<(u64, bool)>,
    /// [`Translator::moves`] when that was last compared, when the images were last looked at, and when the entries were last sent.
    compared: u64,
    ready: u64,
    sent: u64,
    images: Vec<Entry>,
    samplers: Vec<([u32; 2], SamplerDescriptor)>,
    places: Places,
    spec: TableSpec,
    /// When it was last used.
    used: u64,
}

/// Every table.
#[derive(Debug, Default)]
pub(super) struct Tables {
    all: FxHashMap<Key, Mirror>,
    classes: Vec<Class>,
    /// Textures that may be in one.
    textures: FxHashSet<ObjectId>,
    clock: u64,
}

impl Tables {
    /// The receiver is gone, and with it every table.
    pub(super) fn forget(&mut self, port: &mut Port) {
        let held = self.all.drain().map(|(_, mirror)| mirror.held.id).filter(|id| !id.is_none());
        held.for_each(|id| port.recycle(id));
        *self = Self::default();
    }

    /// A texture is gone, and so out of the receiver's tables.
    pub(super) fn forget_texture(&mut self, id: ObjectId) {
        if self.textures.remove(&id) {
            self.entries().filter(|entry| entry.texture == id).for_each(|entry| entry.texture = ObjectId::NONE);
        }
    }

    /// Every sampler is gone.
    pub(super) fn forget_samplers(&mut self) {
        self.entries().for_each(|entry| entry.sampler = ObjectId::NONE);
    }

    /// What the receiver has; all of it is to be compared again.
    fn entries(&mut self) -> impl Iterator<Item = &mut TableEntry> {
        self.all.values_mut().flat_map(|mirror| {
            mirror.sent = 0;
            &mut mirror.held.entries
        })
    }

    /// The number of a class. Where there are too many, the last stands for all that come.
    fn class(&mut self, class: Class) -> u32 {
        let known = self.classes.iter().position(|known| *known == class).unwrap_or_else(|| {
            if self.classes.len() < tables::MOST_CLASSES as usize {
                self.classes.push(class);
            }
            self.classes.len() - 1
        });
        known as u32
    }
}

/// Bytes up to the end of the last that is found.
fn end_of(found: &tables::Descriptors) -> u64 {
    found.at.last().map_or(0, |at| 4 * u64::from(*at) + LONGEST)
}

impl Mirror {
    /// The parts of pages that a table's memory has.
    fn parts(address: u64, size: u64) -> impl Iterator<Item = Range<u64>> {
        let end = address + size;
        (address / PAGE..end.div_ceil(PAGE)).map(move |page| (page * PAGE).max(address)..((page + 1) * PAGE).min(end))
    }

    /// Notes how the pages of memory are that was looked through.
    fn look_at_pages(&mut self, address: u64, size: u64, memory: &dyn GuestMemory) {
        let page = |part: Range<u64>| {
            let place = |at: u32| address + 4 * u64::from(at);
            let first = self.found.at.partition_point(|at| place(*at) + LONGEST <= part.start);
            let end = self.found.at.partition_point(|at| place(*at) < part.end);
            (memory.generation(part.start, part.end - part.start), first < end)
        };
        self.pages = Self::parts(address, size).map(page).collect();
    }

    /// Whether all that has changed lies beside what is found: programs have other memory behind their tables.
    fn is_beside(&mut self, address: u64, size: u64, what: What, memory: &dyn GuestMemory) -> bool {
        if self.looked.is_none_or(|(_, looked)| looked != size) {
            return false;
        }
        for ((generation, has), part) in self.pages.iter_mut().zip(Self::parts(address, size)) {
            let now = memory.generation(part.start, part.end - part.start);
            if now == *generation {
                continue;
            }
            // With what begins in the page before, and what ends in the next.
            let start = part.start.max(address + LONGEST) - LONGEST;
            let end = (part.end + LONGEST).min(address + size);
            if *has || tables::may_have(&words_at(memory, start, end - start), what) {
                return false;
            }
            *generation = now;
        }
        true
    }
}

impl Key {
    /// Of what a program uses, at a draw.
    fn new(table: &TableUse, values: &Values, border: u64, host: Stage) -> Self {
        let (of, border) = match table.of {
            TableOf::Images(base) => (Of::Images(values.address(base) & !3), 0),
            TableOf::Image(words) => (Of::Image(values.all(words)), 0),
            TableOf::Samplers(base) => (Of::Samplers(values.address(base) & !3), border),
            TableOf::Sampler(words) => (Of::Sampler(values.all(words)), border),
            TableOf::Textures => (Of::Textures(host), 0),
        };
        Self { of, layers: table.layers, compare: table.compare, decodes: false, border }
    }
}

/// The receiver's descriptors among which shaders look for an image of a kind.
fn shape(kind: u32) -> Table {
    match kind {
        10 => Table::D3,
        11 => Table::Cube,
        12 | 13 => Table::D2Array,
        14 => Table::D2Ms,
        15 => Table::D2MsArray,
        _ if kind == 11 + CUBE_LAYERS => Table::CubeArray,
        _ => Table::D2,
    }
}

/// What a program has to know of a sampler.
fn sampler_value(sampler: &SamplerDescriptor) -> u32 {
    let in_texels = if sampler.force_unnormalized() != 0 { tables::SAMPLER_IN_TEXELS } else { 0 };
    let decodes = if sampler.force_degamma() != 0 { tables::SAMPLER_DECODES } else { 0 };
    tables::SAMPLER_VALUE | in_texels | decodes
}

/// The words of mapped memory from an address on.
fn words_at(memory: &dyn GuestMemory, address: u64, size: u64) -> Vec<u32> {
    let mut bytes = vec![0; size as usize / 4 * 4];
    if memory.read(address, &mut bytes).is_err() {
        return Vec::new();
    }
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

impl Translator {
    /// Whether shaders of the receiver look into tables.
    pub(super) fn has_tables(&self) -> bool {
        self.port.device().features & DeviceFeatures::TABLES != 0
    }

    /// What a program's tables are at a draw, and what of them its translation depends on.
    pub(super) fn gather_tables(
        &mut self,
        resources: &Resources,
        values: &Values,
        (border, host, name): (u64, Stage, &str),
        memory: &mut dyn GuestMemory,
    ) -> (Vec<Key>, Vec<TableSpec>) {
        let mut keys: Vec<Key> = resources.tables.iter().map(|table| Key::new(table, values, border, host)).collect();
        let mut specs: Vec<TableSpec> = keys.iter().map(|key| self.look_through(key, name, memory)).collect();
        for &[image, sampler] in &resources.table_pairs {
            let (image, sampler) = (image as usize, sampler as usize);
            if specs[sampler].samplers & tables::SOME_DECODE != 0 && !keys[image].decodes {
                keys[image].decodes = true;
                specs[image] = self.look_through(&keys[image], name, memory);
            }
        }
        (keys, specs)
    }

    /// Looks through the memory of a table, if that has changed.
    fn look_through(&mut self, key: &Key, name: &str, memory: &mut dyn GuestMemory) -> TableSpec {
        self.tables.clock += 1;
        let (moves, used) = (self.moves(), self.tables.clock);
        let mirror = self.tables.all.entry(*key).or_default();
        mirror.used = used;
        if mirror.compared == moves {
            return mirror.spec;
        }
        mirror.compared = moves;
        let found = match key.of {
            Of::Images(address) | Of::Samplers(address) => {
                let what = if matches!(key.of, Of::Images(_)) { What::Images } else { What::Samplers };
                let mapped = memory.mapped(address, tables::REACH);
                let mut size = self.current_bytes(address, mapped);
                let mut looked = Some((memory.generation(address, size), size));
                let mirror = self.tables.all.entry(*key).or_default();
                if mirror.looked == looked || mirror.is_beside(address, size, what, memory) {
                    mirror.looked = looked;
                    return mirror.spec;
                }
                let mut found = tables::scan(&words_at(memory, address, size), what);
                if size < mapped && end_of(&found) + APART > size {
                    // It may go on in what the receiver has stored.
                    let range = address..address + mapped;
                    self.store_buffers(memory, &range);
                    self.store_surfaces(memory, &range, None);
                    size = mapped;
                    looked = Some((memory.generation(address, size), size));
                    found = tables::scan(&words_at(memory, address, size), what);
                }
                let moves = self.moves();
                let mirror = self.tables.all.entry(*key).or_default();
                let is_first = mirror.looked.is_none();
                (mirror.compared, mirror.looked) = (moves, looked);
                let is_same = !is_first && mirror.found == found;
                mirror.found.clone_from(&found);
                mirror.look_at_pages(address, size, memory);
                if is_same {
                    return mirror.spec;
                }
                if found.more {
                    let (images, samplers) = (tables::MOST_IMAGES, tables::MOST_SAMPLERS);
                    self.once.warn(format!(
                        "{name} program: of the descriptors from {address:#x} on {images} images and {samplers} samplers are found: others read as 0"
                    ));
                }
                found
            }
            _ if mirror.looked.is_some() => return mirror.spec,
            Of::Image(words) => tables::Descriptors { images: vec![words], ..Default::default() },
            Of::Sampler(words) => tables::Descriptors { samplers: vec![words], ..Default::default() },
            Of::Textures(_) => tables::Descriptors::default(),
        };
        let images: Vec<Entry> = found.images.iter().filter_map(|words| self.entry(*words, key)).collect();
        let Some(mirror) = self.tables.all.get_mut(key) else { return TableSpec::default() };
        mirror.looked.get_or_insert_default();
        let samplers = found.samplers.iter().map(|words| (tables::tag(words), SamplerDescriptor(*words)));
        (mirror.images, mirror.samplers) = (images, samplers.collect());
        mirror.places = match key.of {
            // There is nothing to be looked for.
            Of::Image(_) | Of::Sampler(_) | Of::Textures(_) => Places { bits: 0, held: vec![Some(0)] },
            _ => {
                let tags = mirror.images.iter().map(|entry| entry.tag);
                tables::places(&tags.chain(mirror.samplers.iter().map(|(tag, _)| *tag)).collect::<Vec<_>>())
            }
        };
        // What was there may come again: shaders that can do more serve, too.
        for entry in &mirror.images {
            let of_kind = match entry.image.kind_of_texels() {
                1 => &mut mirror.spec.uints,
                2 => &mut mirror.spec.sints,
                _ => &mut mirror.spec.floats,
            };
            *of_kind |= 1 << (entry.kind & 31);
        }
        let values = mirror.samplers.iter().map(|(_, sampler)| sampler_value(sampler));
        let (some, all) = values.fold((0, !0), |(some, all), value| (some | value, all & value));
        let in_texels = match [some, all].map(|values| values & tables::SAMPLER_IN_TEXELS != 0) {
            [false, _] => 0,
            [true, true] => tables::ALL_IN_TEXELS,
            [true, false] => tables::SOME_IN_TEXELS,
        };
        let decodes = if some & tables::SAMPLER_DECODES != 0 { tables::SOME_DECODE } else { 0 };
        mirror.spec.samplers = in_texels | decodes;
        (mirror.ready, mirror.sent) = (0, 0);
        mirror.spec
    }

    /// Bytes from an address on that memory has as the receiver has them.
    fn current_bytes(&self, address: u64, size: u64) -> u64 {
        let range = address..address.saturating_add(size);
        let newer = self.surfaces.newer().map(|(_, newer)| newer).chain(self.buffers.written());
        let inside = newer.filter(|newer| overlap(newer, &range)).map(|newer| newer.start.saturating_sub(address));
        inside.min().unwrap_or(size)
    }

    /// The image of a descriptor as accesses of a table have it, if it is one that the host can have.
    fn entry(&mut self, words: [u32; 8], key: &Key) -> Option<Entry> {
        let (layers, texels) = (key.layers, Texels::Converted);
        let used = ImageUse { descriptor: [0; 8], storage: false, written: false, layers, level: 0, texels };
        let descriptor = ImageDescriptor(used.seen(words));
        let image = match super::resources::image(self.port.device(), descriptor, &used) {
            Ok(image) if key.compare => image?.compared(),
            Ok(image) => image?,
            Err(error) => {
                self.once.warn(format!("image at {:#x}: {error}; it reads as 0", descriptor.address()));
                return None;
            }
        };
        let ImageSpec { kind, .. } = super::resources::image_spec(descriptor, false, 0);
        let class = self.tables.class(image.class());
        Some(Entry { tag: tables::tag(&words), image, kind, class, surface: None, range: 0..0 })
    }

    /// Makes surfaces for the images of tables, with what is newest in them.
    pub(super) fn ready_tables(&mut self, needs: &Needs, memory: &mut dyn GuestMemory) -> Result<(), PortError> {
        for key in &needs.tables {
            let moves = self.moves();
            let Some(mirror) = self.tables.all.get_mut(key).filter(|mirror| mirror.ready != moves) else { continue };
            // Nothing that makes surfaces looks at tables.
            let mut images = std::mem::take(&mut mirror.images);
            let stored = self.buffers.written().into_iter().map(|range| (ObjectId::NONE, range));
            let newer: Vec<(ObjectId, Range<u64>)> = self.surfaces.newer().chain(stored).collect();
            for entry in &mut images {
                let others = |(id, range): &(ObjectId, _)| Some(*id) != entry.surface && overlap(range, &entry.range);
                if entry.surface.is_some_and(|surface| self.is_current(surface)) && !newer.iter().any(others) {
                    continue;
                }
                let wanted = &entry.image.wanted;
                entry.surface = match self.surface(memory, wanted) {
                    Ok(surface) => {
                        entry.range = self.surfaces.range_of(surface);
                        Some(surface)
                    }
                    Err(SurfaceError::Port(error)) => return Err(error),
                    Err(error) => {
                        self.once.warn(format!("image at {:#x}: {error}; it reads as 0", wanted.place.address));
                        None
                    }
                };
            }
            let after = self.moves();
            if let Some(mirror) = self.tables.all.get_mut(key) {
                mirror.images = images;
                // Those that gave way to others are looked for again.
                mirror.ready = after;
                if after != moves {
                    mirror.sent = 0;
                }
            }
        }
        Ok(())
    }

    /// Sends what tables hold, and binds them.
    pub(super) fn bind_tables(
        &mut self,
        host: Stage,
        needs: &Needs,
        memory: &mut dyn GuestMemory,
    ) -> Result<(), PortError> {
        if needs.tables.is_empty() {
            return Ok(());
        }
        let mut bindings: SmallVec<[StorageBinding; 4]> = SmallVec::new();
        for key in &needs.tables {
            let Some(mut mirror) = self.tables.all.remove(key) else {
                bindings.push(StorageBinding::default());
                continue;
            };
            let sent = self.send_table(key, &mut mirror, needs, memory);
            let at_each = match key.of {
                Of::Samplers(_) | Of::Sampler(_) => self.tables.classes.len().max(1) as u32,
                _ if key.decodes => 2,
                _ => 0,
            };
            let word = tables::table_word(mirror.places.bits, at_each);
            bindings.push(StorageBinding { buffer: mirror.held.id, word, ..StorageBinding::default() });
            self.tables.all.insert(*key, mirror);
            sent?;
        }
        self.bindings.put_tables(&mut self.port, host, FIRST_TABLE, &bindings);
        Ok(())
    }

    fn send_table(
        &mut self,
        key: &Key,
        mirror: &mut Mirror,
        needs: &Needs,
        memory: &mut dyn GuestMemory,
    ) -> Result<(), PortError> {
        let moves = self.moves();
        // Classes that have come since have entries, too.
        let stamp =
            moves.wrapping_mul(u64::from(tables::MOST_CLASSES) + 1).wrapping_add(self.tables.classes.len() as u64);
        let is_own = matches!(key.of, Of::Textures(_));
        if mirror.sent == stamp && !is_own && !mirror.held.id.is_none() {
            return Ok(());
        }
        let entries = match key.of {
            Of::Textures(host) => self.entries_beyond(host, needs, memory)?,
            Of::Images(_) | Of::Image(_) => self.entries_of_images(key, mirror)?,
            Of::Samplers(_) | Of::Sampler(_) => self.entries_of_samplers(key, mirror, memory),
        };
        let entries = if entries.len() > MOST_ENTRIES as usize {
            self.once.warn("a table whose descriptors all want the same places: they read as 0");
            Vec::new()
        } else {
            entries
        };
        let is_new = mirror.held.entries.len() < entries.len() || mirror.held.id.is_none();
        if is_new {
            let old = std::mem::take(&mut mirror.held);
            if !old.id.is_none() {
                self.bindings.forget_buffer(&mut self.port, old.id);
                self.port.destroy(old.id);
            }
            let id = self.port.allocate(ObjectKind::Table)?;
            let room = entries.len().max(1).next_power_of_two();
            self.port.push(&CreateTable { id, entries: room as u32 });
            mirror.held = Held { id, entries: vec![TableEntry::default(); room] };
        }
        let held = &mut mirror.held;
        let mut at = 0;
        let differs = |held: &[TableEntry], at: usize| held[at] != entries.get(at).copied().unwrap_or_default();
        while let Some(first) = (at..held.entries.len()).find(|at| differs(&held.entries, *at)) {
            let mut end = first + 1;
            let most = held.entries.len().min(first + ENTRIES_AT_ONCE);
            let gap = if is_new { ENTRIES_AT_ONCE } else { GAP };
            while let Some(next) = (end..most.min(end + gap)).find(|at| differs(&held.entries, *at)) {
                end = next + 1;
            }
            for at in first..end {
                held.entries[at] = entries.get(at).copied().unwrap_or_default();
            }
            let body = UpdateTable { id: held.id, first: first as u32, count: (end - first) as u32, pad: 0 };
            self.port.push_tail(&body, &held.entries[first..end]);
            at = end;
        }
        self.tables.textures.extend(entries.iter().map(|entry| entry.texture));
        mirror.sent = stamp;
        Ok(())
    }

    fn entries_of_images(&mut self, key: &Key, mirror: &Mirror) -> Result<Vec<TableEntry>, PortError> {
        let mut entries = Vec::with_capacity(mirror.places.held.len() << u32::from(key.decodes));
        for held in &mirror.places.held {
            let entry = held.and_then(|number| mirror.images.get(number as usize));
            let plain = match entry.and_then(|entry| Some((entry, entry.surface?))) {
                Some((entry, surface)) => TableEntry {
                    tag: entry.tag,
                    texture: self.texture_of(surface, &entry.image)?,
                    value: tables::image_value(entry.kind, entry.class),
                    shape: shape(entry.kind) as u8,
                    srgb: entry.image.srgb.into(),
                    ..TableEntry::default()
                },
                None => TableEntry::default(),
            };
            entries.push(plain);
            if key.decodes {
                entries.push(TableEntry { srgb: 1, ..plain });
            }
        }
        Ok(entries)
    }

    fn entries_of_samplers(&mut self, key: &Key, mirror: &Mirror, memory: &dyn GuestMemory) -> Vec<TableEntry> {
        let classes = match &self.tables.classes[..] {
            [] => vec![(false, 0)],
            some => some.to_vec(),
        };
        let mut entries = Vec::with_capacity(mirror.places.held.len() * classes.len());
        for held in &mirror.places.held {
            let sampler = held.and_then(|number| mirror.samplers.get(number as usize));
            for &(integer, min_lod) in &classes {
                entries.push(match sampler {
                    Some(&(tag, descriptor)) => {
                        let use_ = SamplerUse { srgb: false, integer, compare: key.compare, min_lod };
                        let sampler = self.sampler(key.border, memory, descriptor, use_);
                        TableEntry { tag, sampler, value: sampler_value(&descriptor), ..TableEntry::default() }
                    }
                    None => TableEntry::default(),
                });
            }
        }
        entries
    }

    /// Entries for the textures that have no slots.
    fn entries_beyond(
        &mut self,
        host: Stage,
        needs: &Needs,
        memory: &mut dyn GuestMemory,
    ) -> Result<Vec<TableEntry>, PortError> {
        let mut entries = Vec::new();
        let (_, slots) = super::resources::slots_of(host);
        for texture in needs.code.resources.textures.iter().skip(slots) {
            let binding = self.texture_binding(needs, texture, memory)?;
            let spec = needs.image_specs.get(texture.image as usize).copied().unwrap_or_default();
            let srgb = needs.is_decoded(texture);
            entries.push(match binding.texture {
                ObjectId::NONE => TableEntry::default(),
                texture => TableEntry {
                    texture,
                    sampler: binding.sampler,
                    shape: shape(spec.kind) as u8,
                    srgb: srgb.into(),
                    ..TableEntry::default()
                },
            });
            debug_assert!(spec.format & !(IN_TEXELS | 3 << 16) == 0);
        }
        Ok(entries)
    }

    /// Where too many tables are kept, drops those that were not used for longest. To be called between draws.
    pub(super) fn bound_tables(&mut self) {
        if self.tables.all.len() <= MOST {
            return;
        }
        let mut used: Vec<u64> = self.tables.all.values().map(|mirror| mirror.used).collect();
        used.sort_unstable();
        let oldest = used[used.len() / 2];
        let gone: Vec<Mirror> =
            self.tables.all.extract_if(|_, mirror| mirror.used < oldest).map(|(_, mirror)| mirror).collect();
        for mirror in gone.into_iter().filter(|mirror| !mirror.held.id.is_none()) {
            self.bindings.forget_buffer(&mut self.port, mirror.held.id);
            self.port.destroy(mirror.held.id);
        }
        self.moved += 1;
    }
}
