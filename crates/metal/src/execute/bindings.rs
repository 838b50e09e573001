//! What shaders read: constants, the system block, textures and samplers.

use crate::error::Result;
use crate::execute::draw::groups;
use crate::pipeline::shaders::{TextureArgument, Variant};
use crate::renderer::Renderer;
use crate::resources::sampler;
use crate::resources::texture::Texture;
use crate::state::bound::{Prepared, Sampled, Snapshot};
use afterimage_abi::metal;
use afterimage_metal_calls::{Device, Queue, Region, Stage};
use afterimage_render::constants::{system_block, write};
use afterimage_stream::packets::{CreateBuffer, Stage as Guest, TextureBinding};
use afterimage_stream::{FIRST_TABLE, Group, Groups, ObjectId, State, TEXTURE_SLOTS};
use smallvec::SmallVec;

/// Puts the addresses of a stage's storage buffers where its constants are; the buffers. They are noted as written if they are.
pub(crate) fn write_addresses<D: Device>(
    device: &D,
    state: &State,
    resources: &mut crate::resources::Resources<D>,
    (current, version): (u64, u64),
    (stage, writes): (Guest, bool),
    variant: &Variant<D>,
    block: &mut [u8],
) -> SmallVec<[D::Buffer; 4]> {
    let mut used = SmallVec::new();
    for &(first, count, at) in &variant.buffers {
        let bindings = state.storage(stage)[..FIRST_TABLE].iter().skip(first as usize).take(count as usize);
        for (binding, register) in bindings.zip(block[at..].as_chunks_mut::<16>().0) {
            let mut words = [0, 0, 0, binding.word];
            let buffer = if binding.buffer.is_none() { None } else { resources.buffers.get_mut(binding.buffer) };
            if let Some(buffer) = buffer.filter(|buffer| buffer.desc.usage & CreateBuffer::STORAGE != 0)
                && let Some(rest) = buffer.desc.size.checked_sub(binding.offset)
            {
                let size = if binding.size == 0 { rest } else { binding.size.min(rest) };
                let address = device.gpu_address(&buffer.raw) + binding.offset;
                let size = u32::try_from(size).unwrap_or(u32::MAX);
                words[..3].copy_from_slice(&[address as u32, (address >> 32) as u32, size]);
                buffer.last_used = current;
                if writes {
                    (buffer.gpu_written, buffer.version) = (true, version);
                }
                used.push(buffer.raw.clone());
            }
            register.copy_from_slice(bytemuck::bytes_of(&words));
        }
    }
    used
}

/// What the system block comes of.
const SYSTEM: Groups = groups(&[Group::SystemConstants, Group::Shapes, Group::PixelOps]);

impl<D: Device> Renderer<D> {
    /// The textures that a draw's shaders sample: stage, argument, what is bound.
    pub(crate) fn arguments(
        &self,
        vertex: u32,
        pixel: Option<u32>,
    ) -> SmallVec<[(Stage, TextureArgument, TextureBinding); 8]> {
        let mut arguments = SmallVec::new();
        for (stage, number) in [(Stage::Vertex, Some(vertex)), (Stage::Fragment, pixel)] {
            let variant = number.and_then(|number| self.library.variant(number));
            for argument in variant.map_or(&[] as &[_], |variant| &variant.textures) {
                arguments.push((stage, *argument, self.state.textures[argument.slot]));
            }
        }
        arguments
    }

    /// Sees to it that all that draws sample has texels, which may take copies before the pass.
    pub(crate) fn ready_textures(&mut self, vertex: u32, pixel: Option<u32>) -> Result {
        let arguments = self.arguments(vertex, pixel);
        for (.., binding) in &arguments {
            self.make_live(binding.texture)?;
        }
        for (guest, number) in [(Guest::Vertex, Some(vertex)), (Guest::Pixel, pixel)] {
            self.ready_images(guest, number)?;
        }
        let read = self.read_targets(arguments.iter().map(|(.., binding)| binding.texture));
        self.bound.reads.clear();
        for texture in read {
            self.end_pass();
            let copy = self.keep_texels(texture)?;
            self.bound.reads.push(Snapshot { number: self.versions, texture, copy });
        }
        Ok(())
    }

    /// Binds what a stage's samplers have that Metal's have not, where its shader makes it. `bound` has what is bound to a slot.
    pub(crate) fn bind_sampler_values(
        &mut self,
        stage: Stage,
        number: Option<u32>,
        bound: &dyn Fn(usize) -> TextureBinding,
    ) -> Result {
        let variant = number.and_then(|number| self.library.variant(number)).filter(|variant| variant.samplers);
        let Some(variant) = variant else { return Ok(()) };
        let mut values = [[0f32; 4]; 2 * TEXTURE_SLOTS];
        for argument in &variant.textures {
            let sampler = self.resources.samplers.get(bound(argument.slot).sampler);
            let at = 2 * argument.index as usize;
            if let (Some(sampler), Some([border, rest])) = (sampler, values.get_mut(at..at + 2)) {
                let [less, equal, greater] = sampler::holds(sampler.desc.compare);
                *border = if sampler.reduced { sampler::reduction(&sampler.desc) } else { sampler.desc.border };
                *rest = [sampler.desc.lod_bias, less, equal, greater];
            }
        }
        self.set_bytes(stage, metal::SAMPLERS, bytemuck::cast_slice(&values))
    }

    /// Sees to it that all that shaders store to has texels.
    pub(crate) fn ready_images(&mut self, guest: Guest, number: Option<u32>) -> Result {
        let variant = number.and_then(|number| self.library.variant(number));
        let images = variant.map(|variant| variant.images.clone()).unwrap_or_default();
        for image in images {
            let id = self.state.storage_images(guest)[image.slot].view.texture;
            self.make_live(id)?;
            let (root, current) = (self.root(id), self.commands.current());
            if let Some(texture) = self.resources.textures.get_mut(root).filter(|_| !root.is_none()) {
                texture.last_used = current;
            }
        }
        Ok(())
    }

    /// Binds the storage images of a stage.
    pub(crate) fn bind_images(&mut self, stage: Stage, guest: Guest, number: Option<u32>) -> Result {
        let variant = number.and_then(|number| self.library.variant(number));
        let images = variant.map(|variant| variant.images.clone()).unwrap_or_default();
        for image in images {
            let bound = self.state.storage_images(guest)[image.slot].view;
            let Self { device, resources, commands, .. } = self;
            let texture = resources.textures.get_mut(bound.texture).filter(|_| !bound.texture.is_none());
            let mut view = None;
            let (mut both, mut atomic) = (true, true);
            if let Some(texture) = texture {
                let pixel = texture.choice.pixel;
                both = image.access != [true; 2] || pixel.read_write();
                atomic = !image.is_r32 || texture.atomic;
                if texture.kind() == image.kind && atomic && both {
                    view = texture.stored(device, bound.level, bound.layer, image.shape)?.cloned();
                }
            }
            let texture = match &view {
                Some(view) => Some(view),
                None => resources.nulls.image(image.shape, image.kind),
            };
            if let Some(texture) = texture {
                commands.queue.set_texture(stage, image.index, texture);
            }
            if !atomic {
                self.warn_once("atomic operations on texels of textures that are not made of 32-bit integers: they");
            }
            if !both {
                self.warn_once(
                    "storage images that are read and written, of formats that Metal has no such access for: they",
                );
            }
        }
        Ok(())
    }

    /// Textures that are sampled and drawn into at once.
    fn read_targets(&self, textures: impl Iterator<Item = ObjectId>) -> SmallVec<[ObjectId; 0]> {
        let mut found: SmallVec<[ObjectId; 0]> = SmallVec::new();
        let drawn = |id| self.bound.targets.all().any(|attachment| attachment.root == id);
        for id in textures {
            if !id.is_none() && drawn(self.root(id)) && !found.contains(&id) {
                found.push(id);
            }
        }
        found
    }

    /// Whether draws sample what they draw into.
    pub(crate) fn reads_targets(&self) -> bool {
        !self.bound.reads.is_empty()
    }

    /// A copy of what a texture holds now. Metal's passes do not see what they draw, and what they draw into may not be sampled.
    fn keep_texels(&mut self, id: ObjectId) -> Result<Texture<D>> {
        self.next_version();
        let root = self.root(id);
        let current = self.commands.current();
        if let Some(source) = self.resources.textures.get_mut(root) {
            source.last_used = current;
        }
        let Some(source) = self.resources.textures.get(root) else {
            return Err(self.unsupported("a texture that is gone"));
        };
        let mut desc = source.desc;
        desc.id = root;
        let mut copy = Texture::new(&self.device, &desc)?;
        let (from, levels) = (source.raw.clone(), desc.levels);
        let layers = if source.is_3d() { 1 } else { desc.layers };
        for level in 0..levels {
            for slice in 0..layers {
                let region = Region { slice, level, origin: [0; 3], size: copy.extent(level) };
                self.commands.blit().copy_texture(&from, region, &copy.raw, region);
                copy.filled(level, slice);
            }
        }
        if root == id {
            return Ok(copy);
        }
        // A view of the texture becomes one of the copy.
        match self.state.objects.get(id) {
            Some(afterimage_stream::Created::View(view, like)) => Texture::of_view(&self.device, view, like, &copy),
            _ => Ok(copy),
        }
    }

    /// Binds constants and system blocks of dirty groups that the encoder does not have, for a vertex and a pixel shader.
    pub(crate) fn bind_constants(&mut self, (vertex, pixel): (u32, Option<u32>), dirty: Groups) -> Result {
        if dirty.contains(Group::VertexConstants) {
            self.bind_block(0, (Stage::Vertex, Guest::Vertex), vertex)?;
        }
        if let Some(pixel) = pixel
            && dirty.contains(Group::PixelConstants)
        {
            self.bind_block(1, (Stage::Fragment, Guest::Pixel), pixel)?;
        }
        if dirty.touches(SYSTEM) {
            for (at, stage, number) in [(0, Stage::Vertex, Some(vertex)), (1, Stage::Fragment, pixel)] {
                if number.and_then(|number| self.library.variant(number)).is_some_and(|variant| variant.system) {
                    self.bind_system(at, stage)?;
                }
            }
        }
        Ok(())
    }

    /// Binds the constants of a stage.
    #[inline(always)]
    fn bind_block(&mut self, at: usize, (stage, guest): (Stage, Guest), number: u32) -> Result {
        let Some(variant) = self.library.variant(number).filter(|variant| variant.constant_bytes > 0) else {
            return Ok(());
        };
        let mut block = std::mem::take(&mut self.bound.block);
        // Segments fill all of it.
        block.resize(variant.constant_bytes, 0);
        write(&self.state, &variant.segments, &variant.defs, &mut block);
        if !variant.buffers.is_empty() {
            let (current, written) = (self.commands.current(), variant.reaches[1]);
            self.versions += 1;
            let Self { device, state, resources, versions, .. } = self;
            let of = (guest, written);
            let used = write_addresses(device, state, resources, (current, *versions), of, variant, &mut block);
            used.iter().for_each(|buffer| self.commands.queue.use_buffer(stage, buffer, written));
        }
        if self.bound.recorded.constants[at] != block {
            self.set_bytes(stage, metal::CONSTANTS, &block)?;
            std::mem::swap(&mut self.bound.recorded.constants[at], &mut block);
        }
        self.bound.block = block;
        Ok(())
    }

    fn bind_system(&mut self, at: usize, stage: Stage) -> Result {
        let points = [1.0, self.device.facts().limits.point_size as f32];
        let block = system_block(&self.state, &self.halves(), points);
        let bytes: &[u8] = bytemuck::cast_slice(&block);
        if self.bound.recorded.system[at] != bytes {
            self.set_bytes(stage, metal::SYSTEM, bytes)?;
            let kept = &mut self.bound.recorded.system[at];
            kept.clear();
            kept.extend_from_slice(bytes);
        }
        Ok(())
    }

    /// Bytes in the argument table: by value where they are few, else in a ring.
    pub(crate) fn set_bytes(&mut self, stage: Stage, index: u32, bytes: &[u8]) -> Result {
        if bytes.len() <= self.device.facts().limits.bytes as usize {
            self.commands.queue.set_bytes(stage, index, bytes);
        } else {
            let align = u64::from(self.device.facts().limits.constant_offset_step).max(16);
            let slice = self.put(bytes, align)?;
            self.commands.queue.set_buffer(stage, index, &slice.buffer, slice.offset);
        }
        Ok(())
    }

    /// Binds textures and samplers that the encoder does not have.
    pub(crate) fn bind_textures(&mut self, prepared: &Prepared) -> Result {
        for (stage, argument, binding) in self.arguments(prepared.vertex, prepared.pixel) {
            let snapshot = self.bound.reads.iter().find(|read| read.texture == binding.texture);
            let sampled = Sampled {
                texture: binding.texture,
                sampler: binding.sampler,
                snapshot: snapshot.map_or(0, |read| read.number),
                argument: argument.word(),
            };
            let table = &mut self.bound.recorded.textures[usize::from(stage == Stage::Fragment)];
            let Some(place) = table.get_mut(argument.index as usize) else { continue };
            if place.replace(sampled) != Some(sampled) {
                self.bind_texture(stage, argument, binding)?;
            }
        }
        if self.resources.made_samplers {
            let textures = *self.state.textures.all();
            for (stage, number) in [(Stage::Vertex, Some(prepared.vertex)), (Stage::Fragment, prepared.pixel)] {
                self.bind_sampler_values(stage, number, &|slot| textures.get(slot).copied().unwrap_or_default())?;
            }
        }
        self.bind_images(Stage::Vertex, Guest::Vertex, Some(prepared.vertex))?;
        self.bind_images(Stage::Fragment, Guest::Pixel, prepared.pixel)
    }

    /// Binds a texture, or nothing of its shape, and a sampler.
    pub(crate) fn bind_texture(&mut self, stage: Stage, argument: TextureArgument, binding: TextureBinding) -> Result {
        let Self { device, resources, commands, bound, .. } = self;
        let current = commands.current();
        let sampler = resources.samplers.get(binding.sampler);
        let srgb = sampler.is_some_and(|sampler| sampler.desc.srgb != 0);
        let snapshot = bound.reads.iter_mut().find(|read| read.texture == binding.texture);
        let texture = match snapshot {
            Some(read) => Some(&mut read.copy),
            None => resources.textures.get_mut(binding.texture).filter(|_| !binding.texture.is_none()),
        };
        let mut bound_texture = None;
        let mut source = None;
        if let Some(texture) = texture {
            texture.last_used = current;
            source = texture.source;
            let fits = texture.kind() == argument.kind && (!argument.shadow || texture.format.is_depth());
            bound_texture = if fits { texture.sampled(device, argument.shape, srgb)?.cloned() } else { None };
        }
        if let Some(source) = source.and_then(|source| resources.textures.get_mut(source)) {
            source.last_used = current;
        }
        let texture = match &bound_texture {
            Some(texture) => Some(texture),
            None if argument.shadow => resources.nulls.depth(argument.shape),
            None => resources.nulls.texture(argument.shape, argument.kind),
        };
        let Some(texture) = texture else {
            return Err(self.unsupported("shaders that read the samples of a texture that is not bound"));
        };
        commands.queue.set_texture(stage, argument.index, texture);
        let none = if argument.shadow { &resources.nulls.comparing } else { &resources.nulls.sampler };
        let raw = sampler.map_or(none, |sampler| &sampler.raw);
        if let Some(index) = argument.sampler {
            commands.queue.set_sampler(stage, index, raw);
        }
        if let Some(index) = argument.white {
            let white = sampler.and_then(|sampler| sampler.white.as_ref()).unwrap_or(raw);
            commands.queue.set_sampler(stage, index, white);
        }
        Ok(())
    }
}
