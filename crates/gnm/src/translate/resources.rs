//! What shaders read and write: words, buffers, textures and storage images of a draw or dispatch.
//!
//! A draw's needs are gathered first, for all of its stages ([`Translator::gather`]): making room for one buffer or surface may
//! move others. Then everything is brought up to date, and bound.

use super::Translator;
use super::buffers::{self, MOST_VISIBLE};
use super::convert::Conversion;
use super::formats::{self, Use};
use super::samplers::SamplerUse;
use super::shaders::{Code, Stages};
use super::surfaces::{ViewDesc, Wanted};
use super::tables;
use super::texels::{Place, Shape};
use crate::memory::{GuestMemory, PAGE};
use afterimage_abi::slots::{COMPUTE_SLOTS, FIRST_VERTEX_TEXTURE, PIXEL_TEXTURES, TEXTURE_SLOTS, VERTEX_TEXTURES};
use afterimage_gnm_types::{BufferDescriptor, ImageDescriptor, SamplerDescriptor, View as RegisterView, reg, value::*};
use afterimage_shader_gcn::io::{
    BufferAt, BufferSpec, CUBE_LAYERS, FRAGMENT_MASK, IN_TEXELS, ImageSpec, ImageUse, Scalars, TableSpec, TargetKind,
    Texels, TextureUse, Values, WINDOW_PAGE,
};
use afterimage_stream::packets::*;
use afterimage_stream::{Bank, DeviceInfo, Format, FormatFeatures, GcnBank, ObjectId, Port, PortError};
use smallvec::SmallVec;
use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

/// Bytes that are visible through a pointer without a size.
const BEHIND_POINTER: u64 = 16 << 20;

/// What expressions are evaluated against.
pub(super) struct Memory<'a> {
    program: u64,
    user: &'a [u32; 16],
    memory: &'a dyn GuestMemory,
    translator: Option<&'a Translator>,
    /// A word that somebody has newer than memory.
    stale: Cell<Option<u64>>,
    /// The page that was last found to be as new as can be.
    clean: Cell<u64>,
    /// Where the words that were read last begin: descriptors are read word by word.
    line: Cell<u64>,
    words: [Cell<u32>; LINE],
}

/// Words that are read at once.
const LINE: usize = 16;

impl<'a> Memory<'a> {
    /// What a program at an address has.
    pub(super) fn new(program: u64, user: &'a [u32; 16], memory: &'a dyn GuestMemory) -> Self {
        let (stale, clean, line) = (Cell::new(None), Cell::new(u64::MAX), Cell::new(u64::MAX));
        Self { program, user, memory, translator: None, stale, clean, line, words: [const { Cell::new(0) }; LINE] }
    }
}

impl Scalars for Memory<'_> {
    fn user(&self, n: u8) -> u32 {
        self.user.get(usize::from(n)).copied().unwrap_or(0)
    }

    fn word(&self, address: u64) -> Option<u32> {
        let line = address & !(4 * LINE as u64 - 1);
        let at = (address - line) as usize / 4;
        if self.line.get() == line {
            return Some(self.words[at].get());
        }
        let page = address / PAGE;
        if let Some(translator) = self.translator
            && self.clean.get() != page
        {
            if translator.is_newer(&(page * PAGE..(page + 1) * PAGE)) {
                self.stale.set(Some(address));
            } else {
                self.clean.set(page);
            }
        }
        let mut bytes = [0; 4 * LINE];
        if self.memory.read(line, &mut bytes).is_err() {
            return self.memory.word(address);
        }
        self.line.set(line);
        let words = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
        self.words.iter().zip(words).for_each(|(held, word)| held.set(word));
        Some(self.words[at].get())
    }

    fn program(&self) -> u64 {
        self.program
    }
}

/// Of a range the bytes from its begin to behind the last that is mapped, and how many there are not mapped.
fn visible(memory: &dyn GuestMemory, range: Range<u64>) -> (u64, u64) {
    let size = range.end - range.start;
    if memory.mapped(range.start, size) == size {
        return (size, 0);
    }
    let (start, parts) = (range.start, memory.parts(range));
    let there: u64 = parts.iter().map(|part| part.end - part.start).sum();
    (parts.last().map_or(0, |last| last.end - start), size - there)
}

/// A buffer of a shader: its part of memory, and the word that it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Buffer {
    pub(super) range: Range<u64>,
    pub(super) word: u32,
    written: bool,
    /// What stands for it where it is a ring, or nothing of the guest's.
    pub(super) ring: Option<StorageBinding>,
}

/// An image of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Image {
    pub(super) wanted: Wanted,
    desc: ViewDesc,
    pub(super) srgb: bool,
    /// Whether its texels are integers.
    integer: bool,
    /// What they are to shaders.
    texels: TargetKind,
    min_lod: u32,
    written: bool,
    /// What stands for it where it is compared, if that is another.
    compared: Option<Compared>,
}

/// The texels of an image as they are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Compared {
    format: Format,
    convert: Option<Conversion>,
    swizzle: [u8; 4],
}

impl Image {
    /// Layers of the first level of a surface, as they are.
    pub(super) fn plain(wanted: Wanted, layers: [u16; 2]) -> Self {
        let desc = ViewDesc {
            format: wanted.format,
            dimension: Dimension::D2,
            swizzle: CreateTexture::IDENTITY,
            levels: [0, 1],
            layers,
        };
        let integer = wanted.format.is_integer();
        let texels = TargetKind::Float;
        Self { wanted, desc, srgb: false, integer, texels, min_lod: 0, written: false, compared: None }
    }

    /// The image that is compared in its place.
    pub(super) fn compared(mut self) -> Self {
        if let Some(Compared { format, convert, swizzle }) = self.compared {
            (self.wanted.format, self.wanted.convert) = (format, convert);
            (self.desc.format, self.desc.swizzle) = (format, swizzle);
            self.srgb = false;
        }
        self
    }

    /// What its texels are to shaders: 0 floats, 1 unsigned, 2 signed integers.
    pub(super) fn kind_of_texels(&self) -> u32 {
        self.texels as u32
    }

    /// What samplers depend on.
    pub(super) fn class(&self) -> (bool, u32) {
        (self.integer, self.min_lod)
    }
}

/// What a stage needs for a draw or dispatch.
#[derive(Debug)]
pub(super) struct Needs {
    pub(super) code: Arc<Code>,
    words: Vec<[u32; 4]>,
    pub(super) buffers: Vec<Buffer>,
    /// What is bound behind them.
    pub(super) behind: Vec<StorageBinding>,
    pub(super) buffer_specs: Vec<BufferSpec>,
    images: Vec<Option<Image>>,
    pub(super) image_specs: Vec<ImageSpec>,
    samplers: Vec<SamplerDescriptor>,
    pub(super) tables: Vec<tables::Key>,
    pub(super) table_specs: Vec<TableSpec>,
    /// Where border colours are.
    border: u64,
}

impl Needs {
    /// Whether the same shader serves for both.
    pub(super) fn has_code_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.code, &other.code)
            && self.buffer_specs == other.buffer_specs
            && self.image_specs == other.image_specs
            && self.table_specs == other.table_specs
    }

    /// Whether both are bound in the same way.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.has_code_of(other)
            && self.words == other.words
            && self.buffers == other.buffers
            && self.images == other.images
            && self.samplers == other.samplers
            && self.tables == other.tables
            && self.border == other.border
    }

    /// The image of a number, if it is there.
    pub(super) fn image(&self, number: u32) -> Option<Image> {
        self.images.get(number as usize).copied().flatten()
    }

    /// The image that a program samples.
    pub(super) fn sampled(&self, texture: &TextureUse) -> Option<Image> {
        self.image(texture.image).map(|image| if texture.compare { image.compared() } else { image })
    }

    /// Whether a program samples something as sRGB: the image says so, or the sampler.
    pub(super) fn is_decoded(&self, texture: &TextureUse) -> bool {
        let sampler = texture.sampler.and_then(|sampler| self.samplers.get(sampler as usize));
        let image = self.sampled(texture);
        image.is_some_and(|image| image.srgb) || sampler.is_some_and(|sampler| sampler.force_degamma() != 0)
    }

    /// Those that stand for others where they are compared.
    fn compared(&self) -> impl Iterator<Item = Image> {
        let textures = self.code.resources.textures.iter().filter(|texture| texture.compare);
        let images = textures.filter_map(|texture| self.image(texture.image));
        images.filter(|image| image.compared.is_some()).map(Image::compared)
    }

    /// Whether the stage writes buffers or images.
    pub(super) fn writes(&self) -> bool {
        self.buffers.iter().any(|buffer| buffer.written) || self.images.iter().flatten().any(|image| image.written)
    }
}

/// A stage's bindings, as the receiver has them.
#[derive(Debug, Default)]
struct Sent {
    words: Vec<[u32; 4]>,
    draw: Vec<[u32; 4]>,
    storage: Vec<StorageBinding>,
    images: Vec<StorageImage>,
}

/// Bindings that the receiver has.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    stages: [Sent; 3],
    textures: Vec<TextureBinding>,
}

impl Bindings {
    /// Takes a buffer or table out of every binding.
    pub(super) fn forget_buffer(&mut self, port: &mut Port, id: ObjectId) {
        for (stage, sent) in self.stages.iter_mut().enumerate() {
            for (at, binding) in sent.storage.iter_mut().enumerate() {
                if binding.buffer == id {
                    *binding = StorageBinding::default();
                    let packet = SetStorage { stage: stage as u32, first: at as u16, count: 1 };
                    port.push_tail(&packet, &[*binding]);
                }
            }
        }
    }

    /// Binds tables of a stage, behind its buffers.
    pub(super) fn put_tables(&mut self, port: &mut Port, host: Stage, first: usize, tables: &[StorageBinding]) {
        let held = &mut self.stages[host as usize].storage;
        if held.len() < first + tables.len() {
            held.resize(first + tables.len(), StorageBinding::default());
        }
        let held = &mut held[first..first + tables.len()];
        if held != tables {
            held.copy_from_slice(tables);
            let packet = SetStorage { stage: host as u32, first: first as u16, count: tables.len() as u16 };
            port.push_tail(&packet, tables);
        }
    }

    /// Takes a texture out of every binding.
    pub(super) fn forget_texture(&mut self, port: &mut Port, id: ObjectId) {
        for (slot, binding) in self.textures.iter_mut().enumerate() {
            if binding.texture == id {
                *binding = TextureBinding::default();
                port.push_tail(&SetTextures { first: slot as u32, count: 1 }, &[*binding]);
            }
        }
        for (stage, sent) in self.stages.iter_mut().enumerate() {
            for (at, binding) in sent.images.iter_mut().enumerate() {
                if binding.view.texture == id {
                    *binding = StorageImage::default();
                    let packet = SetStorageImages { stage: stage as u32, first: at as u16, count: 1 };
                    port.push_tail(&packet, &[*binding]);
                }
            }
        }
    }

    /// Takes every texture and sampler out.
    pub(super) fn forget_textures(&mut self, port: &mut Port) {
        for (slot, binding) in self.textures.iter_mut().enumerate() {
            if *binding != TextureBinding::default() {
                *binding = TextureBinding::default();
                port.push_tail(&SetTextures { first: slot as u32, count: 1 }, &[*binding]);
            }
        }
    }

    /// What is bound to a slot.
    pub(super) fn texture(&self, slot: usize) -> TextureBinding {
        self.textures.get(slot).copied().unwrap_or_default()
    }

    /// Whether a texture is bound.
    pub(super) fn has_texture(&self, id: ObjectId) -> bool {
        let images = self.stages.iter().flat_map(|sent| &sent.images).map(|image| image.view.texture);
        self.textures.iter().map(|binding| binding.texture).chain(images).any(|bound| bound == id)
    }
}

/// Registers that did not change are sent along rather than beginning another packet, up to so many.
const GAP: usize = 4;

/// Makes `registers` what a bank holds from register 0 on.
fn put_constants(port: &mut Port, bank: Bank, held: &mut Vec<[u32; 4]>, registers: &[[u32; 4]]) {
    if held.len() < registers.len() {
        held.resize(registers.len(), [0; 4]);
    }
    let mut at = 0;
    while let Some(first) = (at..registers.len()).find(|at| held[*at] != registers[*at]) {
        let mut end = first + 1;
        while let Some(next) = (end..registers.len().min(end + GAP)).find(|at| held[*at] != registers[*at]) {
            end = next + 1;
        }
        let body = SetConstants { bank: bank as u16, first: first as u16, count: (end - first) as u32 };
        port.push_tail(&body, &registers[first..end]);
        held[first..end].copy_from_slice(&registers[first..end]);
        at = end;
    }
}

/// An image of a descriptor, unless it is none.
pub(super) fn image(
    device: &DeviceInfo,
    descriptor: ImageDescriptor,
    used: &ImageUse,
) -> Result<Option<Image>, String> {
    let &ImageUse { storage, written, texels, .. } = used;
    if !descriptor.is_image() || descriptor.address() == 0 {
        return Ok(None);
    }
    let (data, num) = (descriptor.data_format(), descriptor.num_format());
    // Programs that read one are told what it has.
    if !storage && is_fragment_mask(data) {
        return Ok(None);
    }
    let (host, use_) = match storage {
        true => (formats::storage(data, num)?, Use::Storage),
        false => (formats::image(data, num)?, Use::Sampled),
    };
    let host = host.on(device, use_);
    // Atomic operations change such texels as one number.
    let long = storage && texels == Texels::Words && data == IMG_DATA_FORMAT_32_32;
    if long && (host.convert.is_some() || device.features(Format::R64_UINT) & FormatFeatures::STORAGE_ATOMIC == 0) {
        return Err("the host has no atomic operations on texels of 64 bits".to_owned());
    }
    if written && !host.can_store() {
        return Err(format!("texels of data format {data} that share components can only be read"));
    }
    let kind = descriptor.kind();
    let is_volume = kind == SQ_RSRC_IMG_3D;
    let multisampled = matches!(kind, SQ_RSRC_IMG_2D_MSAA | SQ_RSRC_IMG_2D_MSAA_ARRAY);
    let is_array =
        matches!(kind, SQ_RSRC_IMG_CUBE | SQ_RSRC_IMG_1D_ARRAY | SQ_RSRC_IMG_2D_ARRAY | SQ_RSRC_IMG_2D_MSAA_ARRAY);
    let (first, last) = (descriptor.base_array(), descriptor.last_array().max(descriptor.base_array()));
    let (first, mut count) = match (is_volume, is_array) {
        (true, _) => (0, 1),
        (_, true) => (first, last - first + 1),
        _ => (first, 1),
    };
    let is_cube = kind == SQ_RSRC_IMG_CUBE && !storage;
    if is_cube {
        count = count.next_multiple_of(6);
    }
    let flat = matches!(kind, SQ_RSRC_IMG_1D | SQ_RSRC_IMG_1D_ARRAY);
    let levels = if multisampled { 1 } else { descriptor.last_level() + 1 };
    let base_level = if multisampled { 0 } else { descriptor.base_level().min(levels - 1) };
    let height = if flat { 1 } else { descriptor.height() };
    let depth = if is_volume { descriptor.depth() } else { 1 };
    let longest = descriptor.width().max(height).max(depth);
    let levels = levels.min(longest.ilog2() + 1);
    let place = Place {
        address: descriptor.address(),
        element: host.element,
        block: host.format.info().block,
        tile_mode: descriptor.tiling_index(),
        pitch: descriptor.pitch(),
        samples: if multisampled { 1 << descriptor.last_level().min(4) } else { 1 },
        // One level of one layer lies the same way.
        pow2_pad: descriptor.pow2_pad() != 0 && (levels > 1 || count > 1),
    };
    let dimension = if is_volume { Dimension::D3 } else { Dimension::D2 };
    let shape = Shape { dimension, width: descriptor.width(), height, depth, layers: first + count, levels };
    let select = [descriptor.dst_sel_x(), descriptor.dst_sel_y(), descriptor.dst_sel_z(), descriptor.dst_sel_w()];
    let base_level = base_level.min(levels - 1);
    let desc = ViewDesc {
        format: if long { Format::R64_UINT } else { host.format },
        dimension: if is_cube { Dimension::Cube } else { dimension },
        swizzle: if storage { CreateTexture::IDENTITY } else { host.swizzle(select) },
        levels: [base_level as u16, if storage { 1 } else { (levels - base_level) as u16 }],
        layers: [first as u16, count as u16],
    };
    let usage = if storage { CreateTexture::STORAGE } else { 0 };
    let wanted = Wanted { place, stencil: None, shape, exact: true, format: host.format, convert: host.convert, usage };
    // Of the whole image, while samplers count from the view's first level.
    let min_lod = descriptor.min_lod().saturating_sub(base_level << 8);
    let (srgb, integer, texels) = (host.srgb, host.format.is_integer(), texels_of(num));
    let other = host.compared().filter(|_| !storage);
    let compared =
        other.map(|host| Compared { format: host.format, convert: host.convert, swizzle: host.swizzle(select) });
    Ok(Some(Image { wanted, desc, srgb, integer, texels, min_lod, written, compared }))
}

/// What texels of a number format are to shaders.
fn texels_of(num: u32) -> TargetKind {
    match num {
        IMG_NUM_FORMAT_UINT => TargetKind::Uint,
        IMG_NUM_FORMAT_SINT => TargetKind::Sint,
        _ => TargetKind::Float,
    }
}

/// Whether a data format is that of masks which say where samples of an image have their colours.
fn is_fragment_mask(data: u32) -> bool {
    (IMG_DATA_FORMAT_FMASK8_S2_F1..=IMG_DATA_FORMAT_FMASK64_S16_F8).contains(&data)
}

/// What a translation depends on in an image's descriptor.
pub(super) fn image_spec(descriptor: ImageDescriptor, storage: bool, compare: u32) -> ImageSpec {
    let faces = descriptor.last_array().saturating_sub(descriptor.base_array()) + 1;
    let is_layered = descriptor.kind() == SQ_RSRC_IMG_CUBE && faces > 6;
    let kind = descriptor.kind() + if is_layered { CUBE_LAYERS } else { 0 };
    let (data, num) = (descriptor.data_format(), descriptor.num_format());
    if !storage && is_fragment_mask(data) {
        return ImageSpec { kind, format: data | FRAGMENT_MASK, select: descriptor.0[3] & 0xFFF, compare };
    }
    let seen = texels_of(num);
    ImageSpec {
        kind,
        format: if storage { data | num << 8 } else { (seen as u32) << 16 },
        select: if storage { descriptor.0[3] & 0xFFF } else { 0 },
        compare,
    }
}

/// The first texture slot of a stage of the receiver's, and how many it has.
pub(super) fn slots_of(host: Stage) -> (usize, usize) {
    match host {
        Stage::Pixel => (0, PIXEL_TEXTURES),
        Stage::Vertex | Stage::Geometry => (FIRST_VERTEX_TEXTURE, VERTEX_TEXTURES),
        Stage::Compute => (TEXTURE_SLOTS, COMPUTE_SLOTS),
    }
}

impl Translator {
    /// Whether somebody has something of a range that memory does not have.
    pub(super) fn is_newer(&self, range: &Range<u64>) -> bool {
        self.surfaces.is_newer(range) || self.buffers.is_newer(range)
    }

    /// The values of a program's expressions, against memory as shaders left it.
    fn evaluate(&mut self, code: &Code, program: u64, user: &[u32; 16], memory: &mut dyn GuestMemory) -> Values {
        // Each time round brings the page of one stale word back.
        for _ in 0..64 {
            let world = Memory { translator: Some(self), ..Memory::new(program, user, memory) };
            let values = code.resources.evaluate(&world);
            let Some(stale) = world.stale.get() else { return values };
            let range = stale / PAGE * PAGE..(stale / PAGE + 1) * PAGE;
            self.store_buffers(memory, &range);
            self.store_surfaces(memory, &range, None);
        }
        code.resources.evaluate(&Memory::new(program, user, memory))
    }

    /// What a stage needs. None, with a warning, if its program cannot be had.
    pub(super) fn gather(
        &mut self,
        stage: &Stages,
        registers: &RegisterView,
        memory: &mut dyn GuestMemory,
    ) -> Option<Needs> {
        let user: [u32; 16] = std::array::from_fn(|n| registers.get_nth(stage.user_data, n as u32, 4));
        let address = registers.program(stage.program);
        let code = match self.code(stage, registers, memory, &user) {
            Ok(code) => code,
            Err(error) => {
                let name = stage.stage.name();
                self.once.warn(format!("{name} program at {address:#x}: {error}; what it is for is not done"));
                return None;
            }
        };
        let values = self.evaluate(&code, address, &user, memory);
        if let Some(fault) = values.fault {
            let name = stage.stage.name();
            self.once.warn(format!("{name} program at {address:#x} reads {fault:#x}, which is not mapped: it reads 0"));
        }
        if let Some((table, most)) = values.crowded {
            let name = stage.stage.name();
            self.once.warn(format!(
                "{name} program at {address:#x} chooses of more than {most} descriptors at {table:#x}: those behind the first {most} read as 0"
            ));
        }
        let resources = &code.resources;
        let word = |at: usize| resources.words.get(at).map_or(0, |id| values.get(*id));
        let words =
            (0..resources.words.len().div_ceil(4)).map(|at| std::array::from_fn(|n| word(4 * at + n))).collect();
        let mut buffers = Vec::with_capacity(resources.buffers.len());
        let mut buffer_specs = Vec::with_capacity(resources.buffers.len());
        let mut windows = None;
        for wanted in &resources.buffers {
            let (start, size, num_records, spec) = match wanted.at {
                BufferAt::Descriptor(ids) => {
                    let descriptor = BufferDescriptor(values.all(ids));
                    let [_, word1, _, word3] = descriptor.0;
                    // Memory types and address translation make no difference, nor does an unused format. Where the
                    // format is the instruction's, components are still selected by the descriptor.
                    let bits = if wanted.typed { 0x00FF_FFFF } else { 0x00F8_0FFF };
                    let inside = descriptor.address() as u32 % 4;
                    let spec = BufferSpec { word1: word1 & 0xFFFF_0000 | inside, word3: word3 & bits };
                    (descriptor.address(), descriptor.size(), descriptor.num_records(), spec)
                }
                BufferAt::Pointer(ids) => (values.address(ids), BEHIND_POINTER, 0, BufferSpec::default()),
                BufferAt::SharedMemory | BufferAt::Tessellator | BufferAt::GlobalShare => {
                    (0, 0, 0, BufferSpec::default())
                }
                BufferAt::Window(n) => {
                    let windows: &Vec<Range<u64>> = windows.get_or_insert_with(|| buffers::windows(memory));
                    let window = windows.get(n as usize).or(windows.last()).cloned().unwrap_or_default();
                    let page = (window.start / WINDOW_PAGE) as u32;
                    (window.start, window.end - window.start, page, BufferSpec::default())
                }
            };
            buffer_specs.push(spec);
            let (visible, missing) = visible(memory, start..start.saturating_add(size.min(MOST_VISIBLE)));
            if size > MOST_VISIBLE && visible == MOST_VISIBLE {
                self.once.warn(format!("of a buffer of {size} bytes at {start:#x}, {MOST_VISIBLE} can be accessed"));
            } else if missing > 0 && matches!(wanted.at, BufferAt::Descriptor(_)) && num_records != u32::MAX {
                // That many is what programs write that do not say how many.
                let name = stage.stage.name();
                self.once.warn(format!(
                    "{name} program at {address:#x}: of the {size} bytes of its buffer at {start:#x} {missing} are not mapped: \
                     they read as 0, and what is stored there is lost"
                ));
            }
            let ring = match wanted.at {
                BufferAt::GlobalShare => self.global_share().map_err(|error| self.once.warn(error.to_string())).ok(),
                _ => None,
            };
            // The host's begins with a word.
            let range = start & !3..start + visible;
            buffers.push(Buffer { range, word: num_records, written: wanted.written, ring });
        }
        let samplers: Vec<_> =
            resources.samplers.iter().map(|sampler| SamplerDescriptor(values.all(sampler.descriptor))).collect();
        let mut images = Vec::with_capacity(resources.images.len());
        let mut image_specs = Vec::with_capacity(resources.images.len());
        for (at, wanted) in resources.images.iter().enumerate() {
            let descriptor = ImageDescriptor(wanted.seen(values.all(wanted.descriptor)));
            let compares = resources.textures.iter().find(|texture| texture.image as usize == at && texture.compare);
            let is_compared = compares.is_some();
            let compare = compares.and_then(|texture| samplers.get(texture.sampler? as usize));
            let compare = compare.map_or(0, |sampler| sampler.depth_compare_func() + 1);
            let mut spec = image_spec(descriptor, wanted.storage, compare);
            let uses = resources.textures.iter().filter(|texture| texture.image as usize == at);
            let uses = uses.filter_map(|texture| samplers.get(texture.sampler? as usize));
            // Of each whether coordinates are in texels.
            let in_texels = uses.map(|sampler| sampler.force_unnormalized() != 0);
            let (mask, all) = (0..).zip(in_texels).fold((0u64, true), |(mask, all), (nth, in_texels)| {
                (mask | u64::from(in_texels) << u32::min(nth, 32), all && in_texels)
            });
            match (mask, all) {
                (0, _) => {}
                (_, true) => spec.format |= IN_TEXELS,
                (some, false) => {
                    if some > u32::MAX.into() {
                        self.once.warn("S#.FORCE_UNNORMALIZED of a sampler behind the 32nd of an image: coordinates are not in texels");
                    }
                    spec.select = some as u32;
                }
            }
            image_specs.push(spec);
            let image = image(self.port.device(), descriptor, wanted);
            if is_compared && matches!(&image, Ok(Some(image)) if image.wanted.place.block > 1) {
                self.once.warn("a comparison of compressed texels: what is compared of them is the device's affair");
            }
            images.push(image.unwrap_or_else(|error| {
                self.once.warn(format!("image at {:#x}: {error}; it reads as 0", descriptor.address()));
                None
            }));
        }
        let behind = Vec::new();
        let border = registers.program(reg::TA_BC_BASE_ADDR);
        let about = (border, stage.host, stage.stage.name());
        let (tables, table_specs) = self.gather_tables(resources, &values, about, memory);
        let code = code.clone();
        Some(Needs {
            code,
            words,
            buffers,
            behind,
            buffer_specs,
            images,
            image_specs,
            samplers,
            tables,
            table_specs,
            border,
        })
    }

    /// Makes buffers and surfaces for what stages need, with what is newest in them.
    pub(super) fn ready(&mut self, needs: &[&Needs], memory: &mut dyn GuestMemory) -> Result<(), PortError> {
        let buffers = || needs.iter().flat_map(|needs| &needs.buffers).filter(|buffer| buffer.ring.is_none());
        let ranges = || buffers().map(|buffer| &buffer.range).filter(|range| !range.is_empty());
        for range in ranges() {
            self.cover(memory, range)?;
        }
        let images = needs.iter().flat_map(|needs| &needs.images).flatten().copied();
        for image in images.chain(needs.iter().flat_map(|needs| needs.compared())) {
            if let Err(error) = self.surface(memory, &image.wanted) {
                self.once.warn(format!("image at {:#x}: {error}; it reads as 0", image.wanted.place.address));
            }
        }
        for needs in needs {
            self.ready_tables(needs, memory)?;
        }
        for range in ranges() {
            self.refresh_buffer(memory, range)?;
        }
        Ok(())
    }

    /// Binds what a stage needs, which is ready.
    pub(super) fn bind(
        &mut self,
        stage: &Stages,
        needs: &Needs,
        memory: &mut dyn GuestMemory,
    ) -> Result<(), PortError> {
        let host = stage.host;
        let sent = &mut self.bindings.stages[host as usize];
        put_constants(&mut self.port, Bank::gcn(host, GcnBank::Words), &mut sent.words, &needs.words);
        let storage: SmallVec<[StorageBinding; 8]> = needs
            .buffers
            .iter()
            .map(|buffer| {
                if let Some(ring) = buffer.ring {
                    return ring;
                }
                let size = buffer.range.end - buffer.range.start;
                let none = StorageBinding { word: buffer.word, ..StorageBinding::default() };
                match self.buffers.at(buffer.range.start) {
                    Some((id, offset)) if size > 0 => StorageBinding { buffer: id, word: buffer.word, offset, size },
                    _ => none,
                }
            })
            .chain(needs.behind.iter().copied())
            .collect();
        self.bind_storage(host, &storage);
        self.bind_textures(stage, needs, memory)?;
        self.bind_tables(host, needs, memory)?;
        self.bind_images(host, needs, memory)
    }

    /// Binds buffers, from the first slot on.
    pub(super) fn bind_storage(&mut self, host: Stage, storage: &[StorageBinding]) {
        let sent = &mut self.bindings.stages[host as usize];
        if sent.storage.len() < storage.len() {
            sent.storage.resize(storage.len(), StorageBinding::default());
        }
        if sent.storage[..storage.len()] != *storage {
            let packet = SetStorage { stage: host as u32, first: 0, count: storage.len() as u16 };
            self.port.push_tail(&packet, storage);
            sent.storage[..storage.len()].copy_from_slice(storage);
        }
    }

    fn bind_textures(&mut self, stage: &Stages, needs: &Needs, memory: &mut dyn GuestMemory) -> Result<(), PortError> {
        let (first, slots) = slots_of(stage.host);
        let textures = &needs.code.resources.textures;
        if textures.len() > slots && !self.has_tables() {
            let name = stage.stage.name();
            self.once.warn(format!("a {name} program samples {} textures; {slots} are supported", textures.len()));
        }
        for (at, texture) in textures.iter().take(slots).enumerate() {
            let binding = self.texture_binding(needs, texture, memory)?;
            self.bind_texture(first + at, binding);
        }
        Ok(())
    }

    /// Binds a texture and its sampler to a slot.
    pub(super) fn bind_texture(&mut self, slot: usize, binding: TextureBinding) {
        if self.bindings.textures.len() <= slot {
            self.bindings.textures.resize(slot + 1, TextureBinding::default());
        }
        if self.bindings.textures[slot] != binding {
            self.bindings.textures[slot] = binding;
            self.port.push_tail(&SetTextures { first: slot as u32, count: 1 }, &[binding]);
        }
    }

    /// The texture and sampler for what a program samples.
    pub(super) fn texture_binding(
        &mut self,
        needs: &Needs,
        texture: &TextureUse,
        memory: &mut dyn GuestMemory,
    ) -> Result<TextureBinding, PortError> {
        let mut binding = TextureBinding::default();
        if let Some(image) = needs.sampled(texture) {
            binding.texture = self.texture(&image, memory)?;
            let plain = SamplerDescriptor::default();
            let sampler = texture.sampler.and_then(|sampler| needs.samplers.get(sampler as usize));
            let Image { srgb, integer, min_lod, .. } = image;
            let used = SamplerUse { srgb, integer, compare: texture.compare, min_lod };
            binding.sampler = self.sampler(needs.border, memory, sampler.copied().unwrap_or(plain), used);
        }
        Ok(binding)
    }

    /// The texture for an image; none where it cannot be had, which was said.
    pub(super) fn texture(&mut self, image: &Image, memory: &mut dyn GuestMemory) -> Result<ObjectId, PortError> {
        let Ok(surface) = self.surface(memory, &image.wanted) else { return Ok(ObjectId::NONE) };
        self.texture_of(surface, image)
    }

    /// The texture that shows a surface as an image says.
    pub(super) fn texture_of(&mut self, surface: ObjectId, image: &Image) -> Result<ObjectId, PortError> {
        let mut desc = image.desc;
        if let Some(surface) = self.surfaces.get(surface)
            && surface.format().is_depth()
        {
            desc.format = surface.format();
        }
        self.view_of(surface, &desc)
    }

    fn bind_images(&mut self, host: Stage, needs: &Needs, memory: &mut dyn GuestMemory) -> Result<(), PortError> {
        for (at, image) in needs.code.resources.storage_images.iter().enumerate() {
            let mut binding = StorageImage::default();
            if let Some(image) = needs.images.get(*image as usize).copied().flatten()
                && let Ok(surface) = self.surface(memory, &image.wanted)
            {
                let ViewDesc { format, levels, layers, .. } = image.desc;
                let own = self.surfaces.get(surface).map(|surface| (*surface.shape(), surface.format()));
                let (shape, own_format) = own.unwrap_or((image.wanted.shape, Format::R8G8B8A8_UNORM));
                let whole = ViewDesc {
                    format: if own_format.is_depth() { own_format } else { format },
                    dimension: shape.dimension,
                    swizzle: CreateTexture::IDENTITY,
                    levels: [0, shape.levels as u16],
                    layers: [0, shape.layers as u16],
                };
                let texture = self.view_of(surface, &whole)?;
                binding.view = View { texture, level: levels[0], layer: layers[0] };
            }
            let sent = &mut self.bindings.stages[host as usize].images;
            if sent.len() <= at {
                sent.resize(at + 1, StorageImage::default());
            }
            if sent[at] != binding {
                sent[at] = binding;
                let packet = SetStorageImages { stage: host as u32, first: at as u16, count: 1 };
                self.port.push_tail(&packet, &[binding]);
            }
        }
        Ok(())
    }

    /// What the draw says, to a stage.
    pub(super) fn put_draw(&mut self, host: Stage, registers: &[[u32; 4]]) {
        let sent = &mut self.bindings.stages[host as usize];
        put_constants(&mut self.port, Bank::gcn(host, GcnBank::Draw), &mut sent.draw, registers);
    }

    /// Notes what a stage may have written.
    pub(super) fn mark_written(&mut self, needs: &Needs, memory: &mut dyn GuestMemory) {
        for buffer in needs.buffers.iter().filter(|buffer| buffer.written && buffer.ring.is_none()) {
            self.buffers.mark_written(&buffer.range);
        }
        if needs.code.resources.buffers.iter().any(|buffer| buffer.at == BufferAt::GlobalShare && buffer.written) {
            self.global_share.mark_written();
        }
        for image in needs.images.iter().flatten().filter(|image| image.written) {
            if let Ok(surface) = self.surface(memory, &image.wanted) {
                let ViewDesc { levels: [level, _], layers: [first, count], .. } = image.desc;
                self.surfaces.mark_drawn(surface, level, first..first + count);
            }
        }
    }
}
