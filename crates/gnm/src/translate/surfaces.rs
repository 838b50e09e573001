//! Host images that stand for surfaces in guest memory: textures, targets and storage images alike.
//!
//! A [`Surface`] is one image for one [`Place`]; in which format, order of components, levels or layers it is looked at is a
//! matter of views of it. Memory is the truth between surfaces: before one is used, what others (or buffers) have newer of its
//! bytes goes there, and what is newer in memory comes from there. Within one surface nothing moves.

use super::Translator;
use super::convert::Conversion;
use super::ranges::overlap;
use super::texels::{Layout, Place, Shape};
use crate::memory::{GuestMemory, PAGE, Unmapped};
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId, ObjectKind, Port, PortError};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::ops::Range;

/// Surfaces that are kept at once, and the bytes of their images.
const MOST: usize = 16_384;
const MOST_BYTES: u64 = 4 << 30;
/// Bytes of one surface in memory.
const MOST_OF_ONE: u64 = 512 << 20;
/// Bytes of memory for one that are kept.
const MOST_ROOM: usize = 16 << 20;

/// What is wanted of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Wanted {
    pub(super) place: Place,
    /// Address of the stencil plane of a depth target, where that has one.
    pub(super) stencil: Option<(u64, u32)>,
    pub(super) shape: Shape,
    /// Whether the extent is known; of targets, which have a pitch only, it is a guess, and a surface may be larger.
    pub(super) exact: bool,
    /// The host's format, of depth targets with or without stencil.
    pub(super) format: Format,
    /// What happens to texels on the way from and to memory, if the host's are others.
    pub(super) convert: Option<Conversion>,
    /// [`CreateTexture::TARGET`], [`CreateTexture::STORAGE`] or nothing.
    pub(super) usage: u8,
}

/// How a surface is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ViewDesc {
    pub(super) format: Format,
    pub(super) dimension: Dimension,
    pub(super) swizzle: [u8; 4],
    /// First level and count.
    pub(super) levels: [u16; 2],
    /// First layer and count.
    pub(super) layers: [u16; 2],
}

/// Why there is no surface.
#[derive(Debug, thiserror::Error)]
pub(super) enum SurfaceError {
    #[error(transparent)]
    Layout(#[from] afterimage_texture::gnm::Error),
    #[error(transparent)]
    Port(#[from] PortError),
    #[error("no byte of it is mapped")]
    NotMapped,
    #[error("{0} bytes are more than the {MOST_OF_ONE} that a surface may have here")]
    TooLarge(u64),
    #[error("the host has no images of {0} samples of {1:?}")]
    Samples(u32, Format),
    #[error("shaders of the host store to no images of {0} samples of {1:?}")]
    StoredSamples(u32, Format),
    #[error("{0} x {1} x {2} texels are more than the host's images have")]
    Extent(u32, u32, u32),
}

/// A plane of a surface in memory.
#[derive(Clone, Debug)]
struct Plane {
    address: u64,
    layout: Layout,
}

impl Plane {
    fn range(&self) -> Range<u64> {
        self.address..self.address.saturating_add(self.layout.bytes())
    }
}

/// A host image.
#[derive(Debug)]
pub(super) struct Surface {
    wanted: Wanted,
    id: ObjectId,
    planes: Vec<Plane>,
    /// Generation of its memory that it has.
    generation: u64,
    /// Epoch in which that was last looked at.
    epoch: u64,
    /// Levels and layers that memory does not have.
    drawn: Vec<(u16, u16)>,
    /// When it was last used.
    used: u64,
    views: FxHashMap<ViewDesc, ObjectId>,
}

impl Surface {
    /// Its extent.
    pub(super) fn shape(&self) -> &Shape {
        &self.wanted.shape
    }

    /// The image's format.
    pub(super) fn format(&self) -> Format {
        self.wanted.format
    }

    /// Samples of a pixel.
    pub(super) fn samples(&self) -> u32 {
        self.wanted.place.samples
    }

    fn overlaps(&self, range: &Range<u64>) -> bool {
        self.planes.iter().any(|plane| overlap(&plane.range(), range))
    }

    fn newest(&self, memory: &dyn GuestMemory) -> u64 {
        let generation = |plane: &Plane| memory.generation(plane.address, plane.layout.bytes());
        self.planes.iter().map(generation).max().unwrap_or(0)
    }

    fn host_bytes(&self) -> u64 {
        let Shape { width, height, depth, layers, .. } = self.wanted.shape;
        self.wanted.format.packed_size(width, height) * u64::from(depth * layers * self.wanted.place.samples)
    }

    /// Whether it is one in which `wanted` can be found.
    fn fits(&self, wanted: &Wanted) -> bool {
        let (a, b) = (&self.wanted.shape, &wanted.shape);
        let covers = a.width >= b.width && a.height >= b.height;
        let same = [a.width, a.height, a.depth] == [b.width, b.height, b.depth];
        let size = if wanted.exact { same } else { covers };
        // Views of a cube begin and end anywhere; an image has to be made for them when it is created.
        size && a.layers >= b.layers
            && a.levels >= b.levels
            && a.dimension == b.dimension
            && self.wanted.usage & wanted.usage == wanted.usage
            && (self.wanted.stencil == wanted.stencil || wanted.stencil.is_none())
            && (!wanted.format.is_depth() || self.wanted.format.is_depth())
    }
}

/// Every surface that lives.
#[derive(Debug, Default)]
pub(super) struct Surfaces {
    all: FxHashMap<ObjectId, Surface>,
    /// By address, for those that ask for one.
    by_address: FxHashMap<u64, Vec<ObjectId>>,
    /// Those with something that memory does not have.
    dirty: Vec<ObjectId>,
    bytes: u64,
    clock: u64,
    /// Goes up where surfaces are let go, or what memory lacks of them changes.
    pub(super) changes: u64,
    room: Room,
}

/// Memory in which surfaces come out of their tiles, for each of two planes. It is kept, since fresh pages take longer than texels.
#[derive(Debug, Default)]
struct Room {
    bytes: [Vec<u8>; 2],
    packed: [Vec<u8>; 2],
}

impl Room {
    /// Keeps what most surfaces need.
    fn shrink(mut self) -> Self {
        for bytes in self.bytes.iter_mut().chain(&mut self.packed) {
            bytes.truncate(MOST_ROOM);
            bytes.shrink_to(MOST_ROOM);
        }
        self
    }
}

impl Surfaces {
    /// The receiver is gone, and with it every image.
    pub(super) fn forget(&mut self, port: &mut Port) {
        for (_, surface) in self.all.drain() {
            surface.views.values().chain([&surface.id]).for_each(|id| port.recycle(*id));
        }
        *self = Self { changes: self.changes + 1, ..Self::default() };
    }

    /// A surface.
    pub(super) fn get(&self, id: ObjectId) -> Option<&Surface> {
        self.all.get(&id)
    }

    /// What surfaces have newer than memory, and which.
    pub(super) fn newer(&self) -> impl Iterator<Item = (ObjectId, Range<u64>)> {
        self.dirty.iter().flat_map(|id| self.all[id].planes.iter().map(|plane| (*id, plane.range())))
    }

    /// A range that has all of a surface's memory.
    pub(super) fn range_of(&self, id: ObjectId) -> Range<u64> {
        let planes = self.all.get(&id).into_iter().flat_map(|surface| &surface.planes).map(Plane::range);
        planes.reduce(|one, other| one.start.min(other.start)..one.end.max(other.end)).unwrap_or_default()
    }

    /// Whether a surface has something newer than memory in a range.
    pub(super) fn is_newer(&self, range: &Range<u64>) -> bool {
        self.dirty.iter().any(|id| self.all[id].overlaps(range))
    }

    /// Notes that levels and layers of a surface may have changed.
    pub(super) fn mark_drawn(&mut self, id: ObjectId, level: u16, layers: Range<u16>) {
        let Some(surface) = self.all.get_mut(&id) else { return };
        if surface.drawn.is_empty() {
            self.dirty.push(id);
        }
        for layer in layers {
            if !surface.drawn.contains(&(level, layer)) {
                surface.drawn.push((level, layer));
                self.changes += 1;
            }
        }
    }

    /// Memory was written: what lies there is looked at again.
    pub(super) fn memory_changed(&mut self, range: &Range<u64>) {
        // Generations are those of whole pages.
        let pages = range.start / PAGE * PAGE..range.end.div_ceil(PAGE).saturating_mul(PAGE);
        self.all.values_mut().filter(|surface| surface.overlaps(&pages)).for_each(|surface| surface.epoch = 0);
    }

    /// Surfaces that lie in the pages of a range, but beside it, and know all that is in memory.
    pub(super) fn beside(&self, range: &Range<u64>, memory: &dyn GuestMemory) -> SmallVec<[ObjectId; 4]> {
        let pages = range.start / PAGE * PAGE..range.end.div_ceil(PAGE).saturating_mul(PAGE);
        let is_beside = |surface: &Surface| surface.overlaps(&pages) && !surface.overlaps(range);
        let beside = self.all.iter().filter(|(_, surface)| is_beside(surface));
        beside.filter(|(_, surface)| surface.generation >= surface.newest(memory)).map(|(id, _)| *id).collect()
    }

    /// What has been written since is no news to these.
    pub(super) fn know(&mut self, beside: &[ObjectId], memory: &dyn GuestMemory) {
        for id in beside {
            if let Some(surface) = self.all.get_mut(id) {
                surface.generation = surface.newest(memory);
            }
        }
    }
}

impl Translator {
    /// The surface for what is wanted, with what is newest in it.
    pub(super) fn surface(&mut self, memory: &mut dyn GuestMemory, wanted: &Wanted) -> Result<ObjectId, SurfaceError> {
        let same = |surface: &Surface| {
            let (a, b) = (&surface.wanted, wanted);
            // A depth target is looked at as colours of the same size through its own format.
            a.place == b.place && a.shape.dimension == b.shape.dimension && a.convert == b.convert
        };
        let candidates: Vec<ObjectId> = self
            .surfaces
            .by_address
            .get(&wanted.place.address)
            .map_or(Vec::new(), |all| all.iter().copied().filter(|id| same(&self.surfaces.all[id])).collect());
        let fitting = candidates.iter().copied().filter(|id| self.surfaces.all[id].fits(wanted));
        if let Some(id) = fitting.max_by_key(|id| self.surfaces.all[id].used) {
            self.refresh_surface(memory, id)?;
            return Ok(id);
        }
        // Those that do not fit give way to one that does for all, as far as their extent allows it.
        let mut wanted = *wanted;
        for id in candidates {
            let old = &self.surfaces.all[&id].wanted;
            let grows =
                !wanted.exact || [old.shape.width, old.shape.height] == [wanted.shape.width, wanted.shape.height];
            if grows {
                wanted.shape = wanted.shape.with(&old.shape);
            }
            wanted.usage |= old.usage;
            // Of formats of which each is looked at through views of the other, one may be none that is drawn to or stored to.
            if !self.has_usage(wanted.format, wanted.usage) && self.has_usage(old.format, wanted.usage) {
                wanted.format = old.format;
            }
            if old.format.is_depth() {
                (wanted.format, wanted.stencil) = (old.format, wanted.stencil.or(old.stencil));
            }
            self.drop_surface(memory, id);
        }
        self.create_surface(memory, wanted)
    }

    /// Whether a surface is there and was looked at in this epoch; it counts as used.
    pub(super) fn is_current(&mut self, id: ObjectId) -> bool {
        self.surfaces.clock += 1;
        let (epoch, clock) = (self.epoch, self.surfaces.clock);
        self.surfaces.all.get_mut(&id).is_some_and(|surface| {
            surface.used = clock;
            surface.epoch == epoch
        })
    }

    /// Whether the device can do with colours of a format what an image is for: [`CreateTexture::TARGET`], [`CreateTexture::STORAGE`].
    fn has_usage(&self, format: Format, usage: u8) -> bool {
        use afterimage_stream::FormatFeatures as F;
        let features = self.port.device().features(format);
        let has = |bit: u8, feature: u32| usage & bit == 0 || features & feature != 0;
        has(CreateTexture::TARGET, F::TARGET) && has(CreateTexture::STORAGE, F::STORAGE)
    }

    fn create_surface(&mut self, memory: &mut dyn GuestMemory, mut wanted: Wanted) -> Result<ObjectId, SurfaceError> {
        let mut planes =
            vec![Plane { address: wanted.place.address, layout: Layout::new(&wanted.place, &wanted.shape)? }];
        if let Some((address, tile_mode)) = wanted.stencil {
            let place = Place { address, element: 1, tile_mode, ..wanted.place };
            planes.push(Plane { address, layout: Layout::new(&place, &wanted.shape)? });
        }
        let parts: Vec<_> = planes.iter().map(|plane| memory.parts(plane.range())).collect();
        if parts.iter().all(Vec::is_empty) {
            return Err(SurfaceError::NotMapped);
        }
        let bytes: u64 = planes.iter().map(|plane| plane.layout.bytes()).sum();
        let mapped: u64 = parts.iter().flatten().map(|part| part.end - part.start).sum();
        if mapped < bytes {
            let address = wanted.place.address;
            self.once.warn(format!(
                "of the {bytes} bytes of the surface at {address:#x} {} are not mapped: they read as 0",
                bytes - mapped
            ));
        }
        if bytes > MOST_OF_ONE {
            return Err(SurfaceError::TooLarge(bytes));
        }
        let Shape { dimension, width, height, depth, layers, levels } = wanted.shape;
        let device = self.port.device();
        let most = if dimension == Dimension::D3 { device.max_texture_3d } else { device.max_texture_2d };
        if width.max(height).max(depth) > most {
            return Err(SurfaceError::Extent(width, height, depth));
        }
        self.make_room_for_surfaces(memory);
        let format = wanted.format;
        let features = self.port.device().features(format);
        let is_color = !format.is_depth();
        if is_color && features & afterimage_stream::FormatFeatures::TARGET != 0 {
            wanted.usage |= CreateTexture::TARGET;
        }
        let samples = wanted.place.samples;
        if samples > 1 {
            // What memory has comes into them by draws, and goes back by being sampled.
            let is_drawn_to = !is_color || wanted.usage & CreateTexture::TARGET != 0;
            if !is_drawn_to || self.port.device().sample_counts >> (samples - 1) & 1 == 0 {
                return Err(SurfaceError::Samples(samples, format));
            }
            let stored = wanted.usage & CreateTexture::STORAGE != 0;
            if stored && self.port.device().storage_sample_counts >> (samples - 1) & 1 == 0 {
                return Err(SurfaceError::StoredSamples(samples, format));
            }
            wanted.usage |= CreateTexture::SAMPLED;
        }
        let id = self.port.allocate(ObjectKind::Texture)?;
        self.port.push(&CreateTexture {
            depth,
            levels,
            layers,
            dimension: dimension as u8,
            samples: samples as u8,
            usage: wanted.usage | if is_color && wanted.place.block == 1 { CreateTexture::VIEWS } else { 0 },
            ..CreateTexture::plain(id, format, [width, height])
        });
        self.port.name(id, &format!("surface at {:#x}, tile mode {}", wanted.place.address, wanted.place.tile_mode));
        tracing::debug!(%id, ?wanted, "surface");
        let surface = Surface {
            wanted,
            id,
            planes,
            generation: 0,
            epoch: 0,
            drawn: Vec::new(),
            used: 0,
            views: FxHashMap::default(),
        };
        self.surfaces.bytes += surface.host_bytes();
        self.surfaces.by_address.entry(wanted.place.address).or_default().push(id);
        self.surfaces.all.insert(id, surface);
        self.refresh_surface(memory, id)?;
        Ok(id)
    }

    /// A texture that shows a surface in a certain way: itself, or a view of it.
    pub(super) fn view_of(&mut self, id: ObjectId, desc: &ViewDesc) -> Result<ObjectId, PortError> {
        let Some(surface) = self.surfaces.all.get_mut(&id) else { return Ok(ObjectId::NONE) };
        let shape = &surface.wanted.shape;
        let itself = ViewDesc {
            format: surface.wanted.format,
            dimension: shape.dimension,
            swizzle: CreateTexture::IDENTITY,
            levels: [0, shape.levels as u16],
            layers: [0, shape.layers as u16],
        };
        if itself == *desc {
            return Ok(id);
        }
        if let Some(view) = surface.views.get(desc) {
            return Ok(*view);
        }
        let view = self.port.allocate(ObjectKind::Texture)?;
        self.port.push(&CreateView {
            id: view,
            source: id,
            format: desc.format as u32,
            level: desc.levels[0],
            levels: desc.levels[1],
            layer: desc.layers[0],
            layers: desc.layers[1],
            dimension: desc.dimension as u8,
            pad: [0; 3],
            swizzle: desc.swizzle,
            pad2: 0,
        });
        surface.views.insert(*desc, view);
        Ok(view)
    }

    /// Takes over what is newer in memory, or in others that have something of it.
    pub(super) fn refresh_surface(&mut self, memory: &mut dyn GuestMemory, id: ObjectId) -> Result<(), SurfaceError> {
        self.surfaces.clock += 1;
        let (epoch, used) = (self.epoch, self.surfaces.clock);
        let Some(surface) = self.surfaces.all.get_mut(&id) else { return Ok(()) };
        surface.used = used;
        let ranges: Vec<_> = surface.planes.iter().map(Plane::range).collect();
        for range in &ranges {
            if self.buffers.is_newer(range) {
                self.store_buffers(memory, range);
            }
            self.store_surfaces(memory, range, Some(id));
        }
        let Some(surface) = self.surfaces.all.get_mut(&id) else { return Ok(()) };
        if surface.epoch == epoch {
            return Ok(());
        }
        let newest = surface.newest(memory);
        // An image begins with zeros, and memory that was never written is zero.
        let is_new = surface.epoch == 0 && surface.generation == 0;
        surface.epoch = epoch;
        if surface.generation >= newest && !is_new {
            return Ok(());
        }
        let known = std::mem::replace(&mut surface.generation, newest);
        if !surface.drawn.is_empty() {
            self.store_surface(memory, id, Some(known));
            if let Some(surface) = self.surfaces.all.get_mut(&id) {
                surface.generation = surface.newest(memory);
            }
        }
        self.load_surface(memory, id)
    }

    /// Memory to the image.
    fn load_surface(&mut self, memory: &dyn GuestMemory, id: ObjectId) -> Result<(), SurfaceError> {
        let Some(surface) = self.surfaces.all.get(&id) else { return Ok(()) };
        let Wanted { shape, place, format, convert, .. } = surface.wanted;
        let planes = surface.planes.clone();
        let mut room = std::mem::take(&mut self.surfaces.room);
        let Room { bytes, packed } = &mut room;
        for (plane, all) in planes.iter().zip(&mut *bytes) {
            all.resize(plane.layout.bytes() as usize, 0);
            if !super::read_mapped(memory, plane.address, all) {
                all.fill(0);
                super::read_mapped(memory, plane.address, all);
            }
        }
        let packed = &mut packed[..planes.len()];
        for level in 0..shape.levels {
            let [width, height, depth] = shape.level(level);
            for layer in 0..shape.layers {
                let mut samples = Vec::with_capacity(place.samples as usize);
                for sample in 0..place.samples {
                    for ((plane, bytes), packed) in planes.iter().zip(&*bytes).zip(&mut *packed) {
                        packed.resize(plane.layout.packed(level), 0);
                        plane.layout.load([level, layer, sample], bytes, packed)?;
                    }
                    if place.samples > 1 {
                        samples.push(texels(convert.as_ref(), format, width, packed).into_owned());
                    }
                }
                if place.samples > 1 {
                    self.load_samples(id, layer, samples)?;
                    continue;
                }
                let row_pitch = format.row_bytes(width);
                let data = self.port.upload_bytes(&texels(convert.as_ref(), format, width, packed))?;
                self.port.push(&UpdateTexture {
                    id,
                    level: level as u16,
                    layer: layer as u16,
                    x: 0,
                    y: 0,
                    z: 0,
                    width,
                    height,
                    depth,
                    row_pitch,
                    slice_pitch: row_pitch * format.rows(height),
                    data,
                });
            }
        }
        self.surfaces.room = room.shrink();
        Ok(())
    }

    /// Writes into memory what was drawn into a range of it, but for what `except` has.
    pub(super) fn store_surfaces(
        &mut self,
        memory: &mut dyn GuestMemory,
        range: &Range<u64>,
        except: Option<ObjectId>,
    ) {
        while let Some(id) =
            self.surfaces.dirty.iter().copied().find(|id| Some(*id) != except && self.surfaces.all[id].overlaps(range))
        {
            self.store_surface(memory, id, None);
        }
    }

    /// Writes what was drawn into a surface. `known`: pages that are newer stay as they are.
    fn store_surface(&mut self, memory: &mut dyn GuestMemory, id: ObjectId, known: Option<u64>) {
        self.surfaces.dirty.retain(|dirty| *dirty != id);
        let Some(surface) = self.surfaces.all.get_mut(&id) else { return };
        let drawn = std::mem::take(&mut surface.drawn);
        let Wanted { place, format, convert, .. } = surface.wanted;
        if drawn.is_empty() {
            return;
        }
        let planes = surface.planes.clone();
        let current = surface.generation >= surface.newest(memory);
        let mut bytes: Vec<Vec<u8>> = planes.iter().map(|plane| vec![0; plane.layout.bytes() as usize]).collect();
        for (plane, bytes) in planes.iter().zip(&mut bytes) {
            super::read_mapped(memory, plane.address, bytes);
        }
        for (level, layer) in drawn {
            let samples = match self.read_layer(id, level, layer) {
                Ok(samples) => samples,
                Err(error) => return self.once.warn(format!("reading what was drawn: {error}")),
            };
            for (sample, texels) in samples.into_iter().enumerate() {
                let at = [level.into(), layer.into(), sample as u32];
                let packed = match convert {
                    Some(convert) => converted(&convert, &planes[0].layout, at, &bytes[0], &texels),
                    None => Ok(from_host(format, place.element as usize, texels, planes.len())),
                };
                let stored: Result<(), afterimage_texture::gnm::Error> = packed.and_then(|packed| {
                    let mut planes = planes.iter().zip(&mut bytes).zip(&packed);
                    planes.try_for_each(|((plane, bytes), packed)| plane.layout.store(at, packed, bytes))
                });
                if let Err(error) = stored {
                    return self.once.warn(format!("writing what was drawn: {error}"));
                }
            }
        }
        for (plane, bytes) in planes.iter().zip(&bytes) {
            let beside = self.surfaces.beside(&plane.range(), memory);
            if let Err(error) = write_pages(memory, plane.address, bytes, known) {
                self.once
                    .warn(format!("what was drawn into the surface at {:#x} is lost in part: {error}", place.address));
            }
            self.memory_changed(&plane.range(), false);
            self.surfaces.know(&beside, memory);
        }
        if let Some(surface) = self.surfaces.all.get_mut(&id)
            && current
        {
            surface.generation = surface.newest(memory);
            surface.epoch = self.epoch;
        }
    }

    /// Writes bytes into memory that lie in no surface: those that have something of the same pages have nothing new there.
    pub(super) fn write_beside_surfaces(
        &mut self,
        memory: &mut dyn GuestMemory,
        address: u64,
        bytes: &[u8],
    ) -> Result<(), Unmapped> {
        let range = address..address + bytes.len() as u64;
        let beside = self.surfaces.beside(&range, memory);
        let written = super::write_mapped(memory, address, bytes);
        self.memory_changed(&range, false);
        self.surfaces.know(&beside, memory);
        written
    }

    /// What an image has in a level of a layer, every slice of it, for each sample.
    fn read_layer(&mut self, id: ObjectId, level: u16, layer: u16) -> Result<Vec<Vec<u8>>, SurfaceError> {
        let Some(surface) = self.surfaces.all.get(&id) else { return Ok(Vec::new()) };
        let Wanted { shape, format, place, .. } = surface.wanted;
        if place.samples > 1 {
            return self.read_samples(id, layer.into());
        }
        let [width, height, depth] = shape.level(level.into());
        let mut texels = Vec::new();
        for slice in 0..depth as u16 {
            let view = View { texture: id, level, layer: if shape.depth > 1 { slice } else { layer } };
            let rect = Rect { x: 0, y: 0, width, height };
            texels.extend(self.read_texels(view, format, rect)?);
        }
        Ok(vec![texels])
    }

    /// Texels of an image, rows packed.
    pub(super) fn read_texels(&mut self, src: View, format: Format, rect: Rect) -> Result<Vec<u8>, PortError> {
        let row_pitch = format.row_bytes(rect.width);
        let size = row_pitch * format.rows(rect.height);
        let data = self.port.upload(size, 16)?;
        let token = self.port.token();
        self.port.push(&ReadBack { src, rect, row_pitch, pad: 0, token, data });
        let mut texels = vec![0; size as usize];
        if self.port.wait(token)? == 0 {
            return Err(PortError::Token(token));
        }
        self.port.read(&data, 0, &mut texels);
        Ok(texels)
    }

    /// Writes a surface into memory and lets it go.
    fn drop_surface(&mut self, memory: &mut dyn GuestMemory, id: ObjectId) {
        self.store_surface(memory, id, None);
        let Some(surface) = self.surfaces.all.remove(&id) else { return };
        self.surfaces.changes += 1;
        self.surfaces.bytes -= surface.host_bytes();
        if let Some(same) = self.surfaces.by_address.get_mut(&surface.wanted.place.address) {
            same.retain(|other| *other != id);
            if same.is_empty() {
                self.surfaces.by_address.remove(&surface.wanted.place.address);
            }
        }
        surface.views.values().for_each(|view| self.destroy_texture(*view));
        self.destroy_texture(id);
    }

    /// Lets surfaces go that were not used for longest, until there is room for one more.
    fn make_room_for_surfaces(&mut self, memory: &mut dyn GuestMemory) {
        while self.surfaces.all.len() >= MOST || self.surfaces.bytes > MOST_BYTES {
            let in_use = |id: &ObjectId| self.bindings.has_texture(*id) || self.targets.has(*id);
            let old = self.surfaces.all.values().filter(|surface| !in_use(&surface.id)).min_by_key(|s| s.used);
            let Some(id) = old.map(|surface| surface.id) else { return };
            self.drop_surface(memory, id);
        }
    }
}

/// Texels of the host, of a level as memory has it in lines of `width` texels.
fn texels<'packed>(
    convert: Option<&Conversion>,
    format: Format,
    width: u32,
    planes: &'packed [Vec<u8>],
) -> Cow<'packed, [u8]> {
    match (convert, planes) {
        (Some(convert), [first, ..]) => convert.decode(width, first).into(),
        _ => to_host(format, planes),
    }
}

/// Texels of the host, of the planes of memory: depth and stencil lie apart there.
fn to_host(format: Format, planes: &[Vec<u8>]) -> Cow<'_, [u8]> {
    let [depths, stencils @ ..] = planes else { return Cow::default() };
    if format != Format::D32_SFLOAT_S8_UINT {
        return Cow::Borrowed(depths);
    }
    let wide = |element: &[u8]| match *element {
        [a, b] => (f32::from(u16::from_le_bytes([a, b])) / 65535.0).to_le_bytes(),
        [a, b, c, d] => [a, b, c, d],
        _ => [0; 4],
    };
    let stencil = |at: usize| stencils.first().and_then(|plane| plane.get(at)).copied().unwrap_or(0);
    let element = depths.len() / stencils.first().map_or(depths.len() / 4, Vec::len).max(1);
    let texels = depths.chunks_exact(element.clamp(2, 4)).enumerate();
    texels
        .flat_map(|(at, depth)| {
            let [a, b, c, d] = wide(depth);
            [a, b, c, d, stencil(at), 0, 0, 0]
        })
        .collect()
}

/// The planes of memory, of texels of the host.
fn from_host(format: Format, element: usize, texels: Vec<u8>, planes: usize) -> Vec<Vec<u8>> {
    if format != Format::D32_SFLOAT_S8_UINT {
        return vec![texels];
    }
    let (texels, _) = texels.as_chunks::<8>();
    let mut depths = Vec::with_capacity(texels.len() * element);
    for [a, b, c, d, ..] in texels {
        let word = [*a, *b, *c, *d];
        match element {
            2 => depths.extend(((f32::from_le_bytes(word).clamp(0.0, 1.0) * 65535.0).round() as u16).to_le_bytes()),
            _ => depths.extend(word),
        }
    }
    let mut all = vec![depths];
    if planes > 1 {
        all.push(texels.iter().map(|texel| texel[4]).collect());
    }
    all
}

/// A sample of a level and layer of memory's plane with texels of the host in it.
fn converted(
    convert: &Conversion,
    layout: &Layout,
    at: [u32; 3],
    memory: &[u8],
    texels: &[u8],
) -> Result<Vec<Vec<u8>>, afterimage_texture::gnm::Error> {
    let mut packed = vec![0; layout.packed(at[0])];
    layout.load(at, memory, &mut packed)?;
    convert.encode(texels, &mut packed);
    Ok(vec![packed])
}

/// Writes bytes into memory, but for pages that are newer than `known`.
///
/// # Errors
/// If something was to go where nothing is mapped.
fn write_pages(memory: &mut dyn GuestMemory, address: u64, bytes: &[u8], known: Option<u64>) -> Result<(), Unmapped> {
    let Some(known) = known else { return super::write_mapped(memory, address, bytes) };
    let end = address + bytes.len() as u64;
    let (mut at, mut written) = (address, Ok(()));
    while at < end {
        let next = ((at / PAGE + 1) * PAGE).min(end);
        if memory.generation(at / PAGE * PAGE, PAGE) <= known {
            let page = super::write_mapped(memory, at, &bytes[(at - address) as usize..(next - address) as usize]);
            written = written.and(page);
        }
        at = next;
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_and_stencil_lie_apart_in_memory() {
        let depths: Vec<u8> = [0.25f32, 1.0].iter().flat_map(|depth| depth.to_le_bytes()).collect();
        let planes = vec![depths, vec![7, 9]];
        let host = to_host(Format::D32_SFLOAT_S8_UINT, &planes);
        assert_eq!(host[8..], [0, 0, 0x80, 0x3F, 9, 0, 0, 0]);
        assert_eq!(from_host(Format::D32_SFLOAT_S8_UINT, 4, host.into_owned(), 2), planes);
        let planes = vec![vec![0xFF, 0xFF, 0, 0], vec![1, 2]];
        let host = to_host(Format::D32_SFLOAT_S8_UINT, &planes);
        assert_eq!(host[..5], [0, 0, 0x80, 0x3F, 1]);
        assert_eq!(from_host(Format::D32_SFLOAT_S8_UINT, 2, host.into_owned(), 2), planes);
        assert_eq!(*to_host(Format::D16_UNORM, &[vec![1, 2]]), [1, 2]);
    }
}
