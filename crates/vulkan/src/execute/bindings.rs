//! What shaders read: constants in the ring, textures by index or by set, push constants.

use crate::commands::list::Call;
use crate::error::Result;
use crate::memory::ring::Slice;
use crate::renderer::Renderer;
use crate::resources::descriptors::{COMPARED, PUSH_LINES, PUSH_TEXTURES, SlotKey, word};
use crate::resources::layouts::{Layout, Table};
use crate::resources::objects::GuestSampler;
use crate::resources::texture::Texture;
use crate::state::apply::{Applied, differs};
use crate::state::bindings::shape_of;
use crate::state::storage::{write_addresses, write_tables};
use crate::state::vertices::bits;
use afterimage_abi::{bound, descriptors, push};
use afterimage_ir::Component;
use afterimage_render::constants::{self, SystemBlock};
use afterimage_state::{Effect, trace};
use afterimage_stream::host::{RasterStates, TextureStates};
use afterimage_stream::packets::{Stage, TextureBinding};
use afterimage_stream::{Group, Host, ObjectId, TEXTURE_SLOTS};

/// Constants begin at a cache line: see [`Place::Near`](crate::device::memory::Place::Near).
const CONSTANTS_ALIGN: u64 = 64;

/// Words of push constants.
const PUSH_WORDS: usize = push::word(push::BYTES);

impl Renderer {
    /// What is in a texture slot: the texture, if there is one, and the sampler.
    #[inline]
    fn bound_to(&self, slot: usize) -> (Option<&Texture>, Option<&GuestSampler>) {
        trace::read(Host::TEXTURE.at(slot as u32).plus(TextureStates::OBJECT));
        let binding = &self.state.textures[slot];
        let texture = self.resources.textures.get(binding.texture).filter(|_| !binding.texture.is_none());
        (texture, self.resources.samplers.get(binding.sampler))
    }

    /// Shape, half a texel where lookups give four, word, and table with kind of what is in a slot.
    #[inline(always)]
    fn shape(&self, slot: usize) -> (u8, [f32; 2], u32, u8) {
        let (texture, sampler) = self.bound_to(slot);
        let word = texture.map_or(0, |texture| {
            let index = match sampler {
                Some(sampler) if sampler.desc.srgb != 0 => texture.srgb_index,
                _ => texture.index,
            };
            word(index, sampler.map_or(0, |sampler| sampler.index))
        });
        let shape = shape_of(texture, sampler, self.bound.shading.runtime.textures[slot]);
        let half = match texture {
            Some(texture) if shape & bound::FETCH4 != 0 => {
                [0.5 / texture.desc.width as f32, 0.5 / texture.desc.height as f32]
            }
            _ => [0.0; 2],
        };
        (shape, half, word, texture.map_or(0, |texture| texture.table() as u8 | texture.kind << 3))
    }

    /// [`Group::Shapes`], of the slots that changed.
    pub(crate) fn apply_shapes(&mut self) -> Effect {
        let mut changed = false;
        let slots = self.state.tracker.take_instances(Host::TEXTURE, u64::MAX) as u32;
        for slot in bits(slots & ((1 << TEXTURE_SLOTS) - 1)) {
            let (shape, half, word, bound) = self.shape(slot);
            let shading = &mut self.bound.shading;
            shading.words[slot] = word;
            shading.bound[slot] = bound;
            let [across, down] = std::mem::replace(&mut shading.halves[slot], half);
            changed |= (across != half[0]) | (down != half[1]);
            changed |= std::mem::replace(&mut shading.runtime.textures[slot], shape) != shape;
        }
        Effect::of(changed)
    }

    /// A slot whose shape, or word, is not the one that was found last.
    pub(crate) fn shapes_differ(&self) -> Option<String> {
        let shading = &self.bound.shading;
        (0..TEXTURE_SLOTS).find_map(|slot| {
            let there =
                (shading.runtime.textures[slot], shading.halves[slot], shading.words[slot], shading.bound[slot]);
            differs(&self.shape(slot), &there).map(|what| format!("slot {slot}: {what}"))
        })
    }

    /// [`Group::Readable`].
    pub(crate) fn apply_readable(&mut self) -> Applied {
        self.commands();
        trace::read_result::<Host>(Group::Targets);
        for slot in bits(self.used_slots()) {
            trace::read(Host::TEXTURE.at(slot as u32).plus(TextureStates::OBJECT));
            self.touch_texture(self.state.textures[slot].texture)?;
        }
        if self.bound.shading.in_tables {
            trace::read(Host::TABLES.only());
            self.ready_tables()?;
        }
        self.bound.reads_target = self.would_read_target();
        if self.bound.reads_target {
            // What was drawn before is what this draw finds.
            self.end_pass();
        }
        Ok(Effect::Same)
    }

    /// Whether the bound shaders look up what is drawn to.
    fn would_read_target(&self) -> bool {
        let drawn = |id| self.bound.targets.colors.iter().flatten().any(|attachment| attachment.texture == id);
        bits(self.used_slots()).any(|slot| {
            let texture = self.state.textures[slot].texture;
            !texture.is_none() && drawn(self.root(texture))
        })
    }

    /// A texture that draws read and that is not ready for it.
    pub(crate) fn unreadable(&self) -> Option<String> {
        if self.would_read_target() != self.bound.reads_target {
            return Some(format!("draws read what they draw to: not {}", self.bound.reads_target));
        }
        if self.bound.shading.in_tables
            && let Some(id) = self.lags_in_tables()
        {
            return Some(format!("a table: {id} is not ready"));
        }
        bits(self.used_slots()).find_map(|slot| {
            let id = self.root(self.state.textures[slot].texture);
            let texture = self.resources.textures.get(id)?;
            // Images that several textures have are drawn to under another's name.
            let written = texture.written && !texture.is_target && texture.desc.shared == 0;
            let fine = texture.live
                && texture.blank == 0
                && !written
                && texture.last_used == self.recorder.submissions.current;
            (!fine).then(|| format!("slot {slot}: {id} is not ready"))
        })
    }

    /// Bit per slot that the bound shaders read.
    #[inline]
    fn used_slots(&self) -> u32 {
        trace::read_result::<Host>(Group::Variants);
        self.bound.shading.used
    }

    /// Copies a stage's constants to the ring; their address goes into the push constants.
    #[inline]
    pub(crate) fn apply_constants(&mut self, stage: Stage) -> Applied {
        self.commands();
        trace::read_result::<Host>(if stage == Stage::Compute { Group::ComputeShader } else { Group::Variants });
        let variant = match stage {
            Stage::Vertex | Stage::Geometry => &self.bound.shading.vertex,
            Stage::Pixel => &self.bound.shading.pixel,
            Stage::Compute => &self.bound.computing.variant,
        };
        let Some(variant) = variant.as_deref().filter(|variant| variant.constant_bytes > 0) else {
            self.bound.blocks[stage as usize] = None;
            return Ok(Effect::Same);
        };
        let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
        let mut slice = self.memory.constants.alloc(variant.constant_bytes, CONSTANTS_ALIGN, current, completed)?;
        constants::write(&self.state, &variant.segments, &variant.defs, slice.bytes_mut());
        if !variant.buffers.is_empty() {
            write_addresses(&self.state, &mut self.resources.buffers, current, stage, variant, slice.bytes_mut());
            let tables = &mut self.resources.texture_tables;
            write_tables(&self.state, tables, &self.gpu, (current, completed), stage, variant, slice.bytes_mut())?;
        }
        // Dispatches push all that they have at once.
        if stage != Stage::Compute {
            self.set_address(push::constants(stage.bindings()), slice.address);
        }
        self.bound.blocks[stage as usize] = Some(slice);
        Ok(Effect::Changed)
    }

    /// Whether a stage's constants are not those that were copied.
    pub(crate) fn constants_differ(&mut self, stage: Stage) -> Option<String> {
        let variant = match stage {
            Stage::Vertex | Stage::Geometry => &self.bound.shading.vertex,
            Stage::Pixel => &self.bound.shading.pixel,
            Stage::Compute => &self.bound.computing.variant,
        };
        let variant = variant.as_deref().filter(|variant| variant.constant_bytes > 0)?;
        let mut block = vec![0; variant.constant_bytes];
        constants::write(&self.state, &variant.segments, &variant.defs, &mut block);
        write_addresses(
            &self.state,
            &mut self.resources.buffers,
            self.recorder.submissions.current,
            stage,
            variant,
            &mut block,
        );
        let now = (self.recorder.submissions.current, self.recorder.submissions.completed);
        let tables = &mut self.resources.texture_tables;
        write_tables(&self.state, tables, &self.gpu, now, stage, variant, &mut block).ok()?;
        let there = self.bound.blocks[stage as usize].as_ref().map(Slice::bytes);
        let at = match there {
            Some(there) => (0..block.len()).find(|&at| block.get(at) != there.get(at))?,
            None => 0,
        };
        Some(format!("{stage:?} constants, from byte {at} on"))
    }

    /// Whether the bound shaders read the system block.
    pub(crate) fn needs_system(&self) -> bool {
        trace::read_result::<Host>(Group::Variants);
        self.bound.shading.vertex.iter().chain(&self.bound.shading.pixel).any(|variant| variant.system)
    }

    /// The system block: alpha reference, fog, point size, clip planes, sizes of texels.
    pub(crate) fn system_block(&self) -> SystemBlock {
        trace::read_result::<Host>(Group::Shapes);
        constants::system_block(&self.state, &self.bound.shading.halves, self.gpu.profile.limits.point_size_range)
    }

    /// [`Group::SystemConstants`].
    pub(crate) fn apply_system_constants(&mut self) -> Applied {
        self.commands();
        if !self.needs_system() {
            return Ok(Effect::Same);
        }
        let block = self.system_block();
        if self.bound.recorded.system == Some(block) {
            return Ok(Effect::Same);
        }
        let bytes: &[u8] = bytemuck::cast_slice(&block);
        let mut slice = self.memory.constants.alloc(
            bytes.len(),
            CONSTANTS_ALIGN,
            self.recorder.submissions.current,
            self.recorder.submissions.completed,
        )?;
        slice.bytes_mut().copy_from_slice(bytes);
        self.bound.recorded.system = Some(block);
        self.set_address(push::SYSTEM, slice.address);
        Ok(Effect::Changed)
    }

    /// Puts an address into the push constants, at a byte.
    #[inline]
    pub(crate) fn set_address(&mut self, byte: u32, address: u64) {
        let at = push::word(byte);
        self.bound.push[at] = address as u32;
        self.bound.push[at + 1] = (address >> 32) as u32;
        self.push_changed(at, at + 2);
    }

    /// Words of the push constants are others.
    #[inline]
    fn push_changed(&mut self, first: usize, end: usize) {
        let range = &mut self.bound.push_range;
        *range = (range.0.min(first), range.1.max(end));
    }

    /// [`Group::Layout`]: sets that were bound with another layout are gone.
    pub(crate) fn apply_layout(&mut self) -> Effect {
        self.commands();
        let layout = self.draw_layout();
        if self.bound.recorded.layout == layout.raw {
            return Effect::Same;
        }
        self.bound.recorded.layout = layout.raw;
        (self.bound.recorded.descriptors_bound, self.bound.recorded.slot_key, self.bound.recorded.image_key) =
            (false, None, None);
        Effect::Changed
    }

    /// [`Group::Textures`]: puts the words of the textures that a shader reads into the push constants, or binds their set.
    pub(crate) fn apply_textures(&mut self) -> Applied {
        self.commands();
        trace::read_result::<Host>(Group::Layout);
        let (layout, used) = (self.draw_layout(), self.used_slots());
        if let Some((_, set)) = self.resources.descriptors.bindless {
            if !std::mem::replace(&mut self.bound.recorded.descriptors_bound, true) {
                self.flush_draws();
                self.stats.calls.made += 1;
                self.recorder.call(Call::Set { layout: layout.raw, number: descriptors::TEXTURES, set });
            }
            let mut changed = false;
            for slot in bits(used) {
                let (at, word) = (PUSH_TEXTURES + slot, self.word_of(slot)?);
                if self.bound.push[at] != word {
                    self.bound.push[at] = word;
                    self.push_changed(at, at + 1);
                    changed = true;
                }
            }
            return Ok(Effect::of(changed));
        }
        if used == 0 {
            return Ok(Effect::Same);
        }
        let key = self.slot_key()?;
        if self.bound.recorded.slot_key != Some(key) {
            let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
            let set = self.resources.descriptors.slot_set(&key, layout.textures, current, completed)?;
            self.flush_draws();
            self.stats.calls.made += 1;
            self.recorder.call(Call::Set { layout: layout.raw, number: descriptors::TEXTURES, set });
            self.bound.recorded.slot_key = Some(key);
        }
        Ok(Effect::Same)
    }

    fn slot_key(&mut self) -> Result<SlotKey> {
        let tables = self.bound.shading.tables | SlotKey::reach(self.bound.shading.reach);
        let mut key = SlotKey { words: [0; TEXTURE_SLOTS], tables, kinds: self.bound.shading.kinds };
        for slot in bits(self.used_slots()) {
            key.words[slot] = self.word_of(slot)?;
        }
        Ok(key)
    }

    /// Whether the textures that shaders read are not those that they find.
    pub(crate) fn textures_differ(&mut self) -> Option<String> {
        let used = self.used_slots();
        if self.resources.descriptors.bindless.is_none() {
            return if used == 0 { None } else { differs(&Some(self.slot_key().ok()?), &self.bound.recorded.slot_key) };
        }
        bits(used).find_map(|slot| {
            let word = self.word_of(slot).ok()?;
            differs(&word, &self.bound.push[PUSH_TEXTURES + slot]).map(|what| format!("slot {slot}: {what}"))
        })
    }

    /// The layout of the pipelines that the bound shaders make.
    #[inline]
    pub(crate) fn draw_layout(&self) -> Layout {
        trace::read_result::<Host>(Group::Variants);
        self.bound.shading.layout.unwrap_or(self.resources.descriptors.plain)
    }

    /// The word of the texture in a slot for the shader that reads it.
    #[inline]
    fn word_of(&mut self, slot: usize) -> Result<u32> {
        trace::read_result::<Host>(Group::Shapes);
        let shading = &self.bound.shading;
        let wanted = (shading.tables >> (3 * slot) & 7) as u8 | ((shading.kinds >> (2 * slot) & 3) as u8) << 3;
        if shading.bound[slot] == wanted {
            return Ok(shading.words[slot]);
        }
        trace::read(Host::TEXTURE.at(slot as u32).plus(TextureStates::OBJECT));
        self.other_word(self.state.textures[slot], wanted)
    }

    /// The word of a texture for a shader that reads a table (the lowest three bits) and a kind of texels. A texture of another shape
    /// is as good as none, unless a view of it has that shape.
    #[cold]
    pub(crate) fn other_word(&mut self, binding: TextureBinding, wanted: u8) -> Result<u32> {
        let (table, kind) = (Table::ALL[usize::from(wanted & 7)], wanted >> 3);
        let (srgb, sampler, compares) = match self.resources.samplers.get(binding.sampler) {
            Some(sampler) => (sampler.desc.srgb != 0, sampler.index, sampler.desc.compare_enable != 0),
            None => (false, 0, false),
        };
        let texels = if kind == COMPARED { Component::Float as u8 } else { kind };
        Ok(match self.texture_index(binding.texture, table, srgb)? {
            Some((index, of)) if of == texels => word(index, sampler),
            // The null objects come first. Zero is compared as the sampler says.
            _ if kind == COMPARED => word(kind.into(), if compares { sampler } else { 1 }),
            _ => word(kind.into(), 0),
        })
    }

    /// The number of a texture in a table, and the kind of its texels. None where the texture has nothing of the table's shape.
    pub(crate) fn texture_index(&mut self, id: ObjectId, table: Table, srgb: bool) -> Result<Option<(u32, u8)>> {
        let completed = self.recorder.submissions.completed;
        let there = if id.is_none() { None } else { self.resources.textures.get_mut(id) };
        let Some(texture) = there.filter(|texture| texture.view.is_some()) else { return Ok(None) };
        let kind = texture.kind;
        if texture.table() == table {
            return Ok(Some((if srgb { texture.srgb_index } else { texture.index }, kind)));
        }
        let layout = texture.home;
        let Some(view) = texture.other_view(&self.gpu, table, srgb)? else { return Ok(None) };
        if view.index == 0 {
            let Some(index) = self.resources.descriptors.add_view(table, view.view.raw, layout, completed) else {
                return Ok(None);
            };
            view.index = index;
        }
        Ok(Some((view.index, kind)))
    }

    /// What the shader that makes triangles of lines reads, where they are: their width, and the size of the viewport, in pixels.
    fn lines(&self) -> Option<[u32; 4]> {
        trace::read_result::<Host>(Group::RasterKey);
        let (state, viewport) = (self.state.raster.part(RasterStates::PRIMITIVES), &self.state.viewport);
        let width = if state.line_width == 0.0 { 1.0 } else { state.line_width };
        self.bound.key.raster.line_quads().then(|| [width, viewport.width, viewport.height, 0.0].map(f32::to_bits))
    }

    /// [`Group::Lines`].
    pub(crate) fn apply_lines(&mut self) -> Effect {
        self.commands();
        let Some(words) = self.lines().filter(|words| self.bound.recorded.lines != Some(*words)) else {
            return Effect::Same;
        };
        self.bound.recorded.lines = Some(words);
        self.bound.push[PUSH_LINES..PUSH_LINES + 4].copy_from_slice(&words);
        self.push_changed(PUSH_LINES, PUSH_LINES + 4);
        Effect::Changed
    }

    /// Whether lines made of triangles are others than was pushed.
    pub(crate) fn lines_differ(&self) -> Option<String> {
        differs(&Some(self.lines()?), &self.bound.recorded.lines)
    }

    /// [`Group::Push`]: the next draw has these push constants.
    #[inline]
    pub(crate) fn apply_push(&mut self) -> Effect {
        self.commands();
        trace::read(Host::PUSHED.only());
        for group in
            [Group::Lines, Group::VertexConstants, Group::PixelConstants, Group::SystemConstants, Group::Textures]
        {
            trace::read_result::<Host>(group);
        }
        self.stage_push();
        Effect::Same
    }

    /// What draws so far do not have of the push constants is the next draw's.
    #[inline]
    pub(crate) fn stage_push(&mut self) {
        let range = std::mem::replace(&mut self.bound.push_range, (PUSH_WORDS, 0));
        if range.0 < range.1 {
            self.bound.pending.set_push(range, &self.bound.push);
        }
    }

    /// Whether push constants changed that the next draw would not have.
    pub(crate) fn push_is_pending(&self) -> bool {
        self.bound.push_range.0 < self.bound.push_range.1
    }
}
