//! What shaders read: constants in the ring, textures by index or by set, push constants.

use crate::descriptors::{PUSH_LINES, PUSH_TEXTURES, SlotKey, word};
use crate::draw::bits;
use crate::error::Result;
use crate::gpu::Gpu;
use crate::layouts::{Layout, PUSH_STAGES, Table};
use crate::objects::GuestSampler;
use crate::renderer::Renderer;
use crate::shaders::Variant;
use crate::storage::write_addresses;
use crate::texture::Texture;
use afterimage_shader::bound;
use afterimage_stream::packets::{Stage, TextureBinding};
use afterimage_stream::{State, TEXTURE_SLOTS};
use ash::vk;

/// Constants begin at a cache line: see [`Place::Near`](crate::memory::Place::Near).
const CONSTANTS_ALIGN: u64 = 64;
/// Words of push constants.
const PUSH_WORDS: usize = crate::descriptors::PUSH_BYTES as usize / 4;

impl Renderer {
    /// Words and dimensions of the textures in the slots of `mask`.
    pub(crate) fn take_textures(&mut self, mask: u32) {
        for slot in bits(mask & ((1 << TEXTURE_SLOTS) - 1)) {
            let binding = self.state.textures[slot];
            let sampler = self.samplers.get(binding.sampler);
            let texture = self.textures.get(binding.texture).filter(|_| !binding.texture.is_none());
            let word = texture.map_or(0, |texture| {
                let index = match sampler {
                    Some(sampler) if sampler.desc.srgb != 0 => texture.srgb_index,
                    _ => texture.index,
                };
                word(index, sampler.map_or(0, |sampler| sampler.index))
            });
            let seen = &mut self.shading.runtime.textures[slot];
            let shape = shape_of(texture, sampler, *seen);
            self.shading.words[slot] = word;
            self.shading.bound[slot] = texture.map_or(0, |texture| texture.table() as u8 | texture.kind << 3);
            if std::mem::replace(seen, shape) != shape {
                self.variants_dirty = true;
            }
        }
    }

    /// Whether lookups in the texture of a slot give four texels.
    pub(crate) fn gathers(&self, slot: usize) -> bool {
        self.shading.runtime.textures[slot] & bound::FETCH4 != 0
    }

    /// Copies a stage's constants to the ring; their address goes into the push constants.
    #[inline]
    pub(crate) fn push_constants_of(&mut self, stage: Stage) -> Result {
        let (variant, at) = match stage {
            Stage::Vertex => (&self.shading.vertex, 0),
            Stage::Pixel => (&self.shading.pixel, 2),
            Stage::Compute => return Ok(()),
        };
        let Some(variant) = variant.as_deref().filter(|variant| variant.constant_bytes > 0) else { return Ok(()) };
        let slice = self.constants.alloc(
            variant.constant_bytes,
            CONSTANTS_ALIGN,
            self.submissions.current,
            self.submissions.completed,
        )?;
        write_constants(&self.state, variant, slice.bytes());
        if !variant.buffers.is_empty() {
            write_addresses(&self.state, &mut self.buffers, self.submissions.current, stage, variant, slice.bytes());
        }
        self.set_address(at, slice.address);
        Ok(())
    }

    /// The system block: alpha reference, fog, point size, clip planes, sizes of texels
    /// (`afterimage_shader_d3d9::banks::SystemRegister`).
    pub(crate) fn push_system_constants(&mut self) -> Result {
        const REGISTERS: usize = 30;
        let ops = &self.state.pixel_ops;
        let mut block = [[0f32; 4]; REGISTERS];
        block[0][0] = ops.alpha_ref;
        block[1] = ops.fog_color;
        let range = ops.fog_end - ops.fog_start;
        // Fog that ends where it starts is a step: none before that place, all of it from there on.
        let per_unit = if range == 0.0 { f32::MAX } else { 1.0 / range };
        block[2] = [ops.fog_start, ops.fog_end, per_unit, 0.0];
        let raster = &self.state.raster;
        let [device_min, device_max] = self.gpu.profile.limits.point_size_range;
        let smallest = raster.point_size_min.max(device_min);
        let largest = if raster.point_size_max > 0.0 { raster.point_size_max.min(device_max) } else { device_max };
        block[3] = [raster.point_size, smallest, largest.max(device_min), raster.point_size_min];
        block[4] = [f32::from_bits(ops.alpha_compare.into()), f32::from_bits(ops.fog.into()), 0.0, 0.0];
        let planes: &[[f32; 4]] = bytemuck::cast_slice(&self.state.bank(8)[8..14]);
        block[8..14].copy_from_slice(planes);
        for (slot, half) in block[14..].iter_mut().enumerate().filter(|(slot, _)| self.gathers(*slot)) {
            if let Some(texture) = self.textures.get(self.state.textures[slot].texture) {
                *half = [0.5 / texture.desc.width as f32, 0.5 / texture.desc.height as f32, 0.0, 0.0];
            }
        }
        let bytes: &[u8] = bytemuck::cast_slice(&block);
        let slice =
            self.constants.alloc(bytes.len(), CONSTANTS_ALIGN, self.submissions.current, self.submissions.completed)?;
        slice.bytes().copy_from_slice(bytes);
        self.set_address(4, slice.address);
        Ok(())
    }

    #[inline]
    pub(crate) fn set_address(&mut self, at: usize, address: u64) {
        self.push[at] = address as u32;
        self.push[at + 1] = (address >> 32) as u32;
        self.push_range = (self.push_range.0.min(at), self.push_range.1.max(at + 2));
    }

    /// Puts the words of the textures that changed and that a shader reads into the push constants, or binds their set.
    pub(crate) fn bind_textures(&mut self, check: u32) -> Result {
        let layout = self.draw_layout();
        if self.recorded.layout != layout.raw {
            self.recorded.layout = layout.raw;
            (self.recorded.descriptors_bound, self.recorded.slot_key, self.recorded.image_key) = (false, None, None);
        }
        let used = self.shading.used;
        if let Some((_, set)) = self.descriptors.bindless {
            if !std::mem::replace(&mut self.recorded.descriptors_bound, true) {
                bind_set(&self.gpu, self.submissions.main, layout.raw, 0, set);
            }
            for slot in bits(check & used) {
                let (at, word) = (PUSH_TEXTURES + slot, self.word_of(slot)?);
                if self.push[at] != word {
                    self.push[at] = word;
                    self.push_range = (self.push_range.0.min(at), self.push_range.1.max(at + 1));
                }
            }
            return Ok(());
        }
        if used == 0 || (check & used == 0 && self.recorded.slot_key.is_some()) {
            return Ok(());
        }
        let tables = self.shading.tables | SlotKey::reach(self.shading.reach);
        let mut key = SlotKey { words: [0; TEXTURE_SLOTS], tables, kinds: self.shading.kinds };
        for slot in bits(used) {
            key.words[slot] = self.word_of(slot)?;
        }
        if self.recorded.slot_key != Some(key) {
            let (current, completed) = (self.submissions.current, self.submissions.completed);
            let set = self.descriptors.slot_set(&key, layout.textures, current, completed)?;
            bind_set(&self.gpu, self.submissions.main, layout.raw, 0, set);
            self.recorded.slot_key = Some(key);
        }
        Ok(())
    }

    /// The layout of the pipelines that the bound shaders make.
    #[inline]
    pub(crate) fn draw_layout(&self) -> Layout {
        self.shading.layout.unwrap_or(self.descriptors.plain)
    }

    /// The word of the texture in a slot for the shader that reads it.
    #[inline]
    fn word_of(&mut self, slot: usize) -> Result<u32> {
        let shading = &self.shading;
        let wanted = (shading.tables >> (3 * slot) & 7) as u8 | ((shading.kinds >> (2 * slot) & 3) as u8) << 3;
        if shading.bound[slot] == wanted {
            return Ok(shading.words[slot]);
        }
        self.other_word(self.state.textures[slot], wanted)
    }

    /// The word of a texture for a shader that reads a table (the lowest three bits) and a kind of texels. A texture of another shape
    /// is as good as none, unless a view of it has that shape.
    #[cold]
    pub(crate) fn other_word(&mut self, binding: TextureBinding, wanted: u8) -> Result<u32> {
        let (table, kind) = (Table::ALL[usize::from(wanted & 7)], wanted >> 3);
        // The null objects come first.
        let none = word(kind.into(), 0);
        let (srgb, sampler) = match self.samplers.get(binding.sampler) {
            Some(sampler) => (sampler.desc.srgb != 0, sampler.index),
            None => (false, 0),
        };
        let completed = self.submissions.completed;
        let texture = self.textures.get_mut(binding.texture).filter(|texture| texture.view.is_some());
        let Some(texture) = texture.filter(|texture| texture.kind == kind) else { return Ok(none) };
        if texture.table() == table {
            return Ok(word(if srgb { texture.srgb_index } else { texture.index }, sampler));
        }
        let layout = texture.home;
        let Some(view) = texture.other_view(&self.gpu, table, srgb)? else { return Ok(none) };
        if view.index == 0 {
            let Some(index) = self.descriptors.add_view(table, view.view.raw, layout, completed) else {
                return Ok(none);
            };
            view.index = index;
        }
        Ok(word(view.index, sampler))
    }

    /// What the shader that makes triangles of lines reads: their width, and the size of the viewport, in pixels.
    pub(crate) fn push_lines(&mut self) {
        let (state, viewport) = (&self.state.raster, &self.state.viewport);
        let width = if state.line_width == 0.0 { 1.0 } else { state.line_width };
        let words = [width, viewport.width, viewport.height, 0.0].map(f32::to_bits);
        self.push[PUSH_LINES..PUSH_LINES + 4].copy_from_slice(&words);
        self.push_range = (self.push_range.0.min(PUSH_LINES), self.push_range.1.max(PUSH_LINES + 4));
    }

    /// Records the push constants that changed.
    #[inline]
    pub(crate) fn push(&mut self) {
        let (first, end) = std::mem::replace(&mut self.push_range, (PUSH_WORDS, 0));
        if first < end {
            self.push_words(PUSH_STAGES, first, end.min(PUSH_LINES));
            if end > PUSH_LINES && self.gpu.profile.geometry_shader {
                self.push_words(vk::ShaderStageFlags::GEOMETRY, first.max(PUSH_LINES), end);
            }
        }
    }

    #[inline]
    fn push_words(&self, stages: vk::ShaderStageFlags, first: usize, end: usize) {
        let Some(words) = self.push.get(first..end).filter(|words| !words.is_empty()) else { return };
        let (cmd, layout) = (self.submissions.main, self.draw_layout().raw);
        // SAFETY: the words lie inside of the layout's range for these stages.
        unsafe { self.gpu.raw.cmd_push_constants(cmd, layout, stages, first as u32 * 4, bytemuck::cast_slice(words)) };
    }
}

/// What shaders are compiled for where this is bound; `before` is what it was for the slot.
#[inline]
pub(crate) fn shape_of(texture: Option<&Texture>, sampler: Option<&GuestSampler>, before: u8) -> u8 {
    // Projection is a matter of the pixel operations.
    let projected = before & bound::PROJECTED;
    // There is nothing of every shape: what was compiled for the texture before serves.
    let Some(texture) = texture else { return projected | before & bound::KIND };
    let mut shape = match texture.table() {
        Table::Cube | Table::CubeArray => bound::CUBE,
        Table::D3 => bound::D3,
        _ => bound::D2,
    };
    if texture.format.is_depth() && sampler.is_some_and(|sampler| sampler.desc.compare_enable != 0) {
        shape |= bound::SHADOW;
    }
    if shape == bound::D2 && sampler.is_some_and(|sampler| sampler.desc.gather != 0) {
        shape |= bound::FETCH4;
    }
    shape | projected
}

/// Lays a variant's constants out one segment after the other.
#[inline]
pub(crate) fn write_constants(state: &State, variant: &Variant, block: &mut [u8]) {
    let mut bytes = &mut *block;
    for segment in &variant.segments {
        let registers = &state.bank(usize::from(segment.bank))[segment.first as usize..][..segment.count as usize];
        let (part, rest) = bytes.split_at_mut(size_of_val(registers));
        part.copy_from_slice(bytemuck::cast_slice(registers));
        bytes = rest;
    }
    for (offset, value) in &variant.defs {
        block[*offset..*offset + 16].copy_from_slice(bytemuck::bytes_of(value));
    }
}

/// Binds a set for draws.
pub(crate) fn bind_set(
    gpu: &Gpu,
    cmd: vk::CommandBuffer,
    layout: vk::PipelineLayout,
    number: u32,
    set: vk::DescriptorSet,
) {
    // SAFETY: set and layout are alive until the submission has completed.
    unsafe {
        gpu.raw.cmd_bind_descriptor_sets(cmd, vk::PipelineBindPoint::GRAPHICS, layout, number, &[set], &[]);
    }
}
