//! Buffers and images that shaders read and write themselves, and copies of buffers.

use crate::commands::list::Call;
use crate::device::format::LONG;
use crate::device::memory::{Buffer, Place};
use crate::error::{Error, Result};
use crate::pipeline::shaders::Variant;
use crate::renderer::Renderer;
use crate::resources::descriptors::ImageKey;
use crate::resources::layouts::Table;
use crate::resources::objects::NullKey;
use crate::resources::texture::Texture;
use crate::state::apply::Applied;
use afterimage_ir::{Component, ImageDecl, ImageFormat};
use afterimage_state::{Effect, trace};
use afterimage_stream::packets::{
    CopyBuffer, CreateTexture, CreateView, Dimension, FillBuffer, ReadBuffer, Stage, TextureCopy,
};
use afterimage_stream::{Arena, FIRST_TABLE, Format, Group, Host, ObjectId, STORAGE_IMAGES};
use ash::vk;
use bytemuck::Zeroable;
use smallvec::SmallVec;
use std::sync::Arc;

/// What texels of an image are to a shader: the numbers of [`Component`], or [`LONG`].
fn kind_of(image: &ImageDecl) -> u8 {
    if image.format == ImageFormat::R64 { LONG } else { image.component as u8 }
}

/// What shaders declare of a slot of storage images.
#[derive(Clone, Copy)]
struct Declared {
    table: Table,
    kind: u8,
    /// Whether any of them says that texels are one 32-bit component.
    is_r32: bool,
    /// Whether they read it and write it.
    access: [bool; 2],
}

/// Whether texels are one 32-bit component.
fn is_r32(format: Format) -> bool {
    matches!(format, Format::R32_SFLOAT | Format::R32_UINT | Format::R32_SINT)
}

impl Renderer {
    /// The buffers whose addresses a shader gets.
    pub(crate) fn storage_buffers(&self, stage: Stage, variant: &Variant) -> SmallVec<[ObjectId; 16]> {
        let storage = self.state.storage(stage);
        let ranges = variant
            .buffers
            .iter()
            .map(|&(first, count, _)| storage[..FIRST_TABLE].iter().skip(first as usize).take(count as usize));
        ranges.flatten().map(|binding| binding.buffer).filter(|id| !id.is_none()).collect()
    }

    /// The storage images of some shaders, each where its slot is.
    pub(crate) fn image_key(&mut self, variants: &[(Stage, &Variant)]) -> Result<ImageKey> {
        let mut slots: [Option<Declared>; STORAGE_IMAGES] = [None; STORAGE_IMAGES];
        for (_, variant) in variants {
            for image in &variant.images {
                let slot = usize::from(image.decl.slot);
                if slot >= self.gpu.profile.limits.max_per_stage_descriptor_storage_images as usize {
                    let what = format!("storage image {slot}");
                    return Err(Error::Unsupported { device: self.gpu.profile.name.clone(), what });
                }
                let (table, kind) = (image.decl.dim.table(), kind_of(&image.decl));
                let declared = slots[slot].get_or_insert(Declared { table, kind, is_r32: false, access: [false; 2] });
                // One descriptor cannot be two kinds of images.
                if (declared.table, declared.kind) != (table, kind) {
                    let what = format!("stages that have images of different shapes or kinds in slot {slot}");
                    return Err(Error::Unsupported { device: "a draw".to_owned(), what });
                }
                declared.is_r32 |= image.decl.format == ImageFormat::R32;
                declared.access[0] |= image.read;
                declared.access[1] |= image.written;
            }
        }
        let mut key = ImageKey { views: [vk::ImageView::null(); STORAGE_IMAGES], slots: 0 };
        for (stage, variant) in variants {
            for image in &variant.images {
                let slot = usize::from(image.decl.slot);
                let Some(declared) = slots.get(slot).copied().flatten() else { continue };
                let Declared { table, kind, .. } = declared;
                let bound = self.state.storage_images(*stage)[slot].view;
                let gpu = Arc::clone(&self.gpu);
                let texture =
                    if bound.texture.is_none() { None } else { self.resources.textures.get_mut(bound.texture) };
                // What the shader says is one number is accessed as such.
                let fits = |texture: &&mut Texture| {
                    texture.kind == kind && (image.decl.format != ImageFormat::R32 || is_r32(texture.format))
                };
                let view = match texture.filter(fits) {
                    Some(texture) => texture.storage_view(&gpu, bound.level, bound.layer, table)?,
                    None => None,
                };
                let view = match view {
                    Some(view) => view,
                    None => self.null_image(declared)?,
                };
                let bit = 1 << slot;
                if key.slots & bit != 0 && key.views[slot] != view {
                    self.warn_once("storage images", "draws whose stages have different images in one slot");
                }
                key.views[slot] = view;
                key.slots |= bit;
            }
        }
        Ok(key)
    }

    /// What stands where none of the images is bound that shaders want: none, or else an image of one texel. There is one for shaders that
    /// read, one for those that write and one for those that do both, which is [emptied](Self::empty_null_images).
    fn null_image(&mut self, declared: Declared) -> Result<vk::ImageView> {
        if self.gpu.profile.null_descriptor {
            return Ok(vk::ImageView::null());
        }
        let Declared { kind, access, .. } = declared;
        let table = match declared.table {
            Table::Cube | Table::CubeArray => Table::D2Array,
            table => table,
        };
        // Where nothing is known of the format all components are zeros, the fourth as well.
        let format = match (Component::ALL.get(usize::from(kind)), declared.is_r32) {
            (Some(Component::Float), true) => Format::R32_SFLOAT,
            (Some(Component::Uint), true) => Format::R32_UINT,
            (Some(Component::Sint), true) => Format::R32_SINT,
            (Some(Component::Float), false) => Format::R8G8B8A8_UNORM,
            (Some(Component::Uint), false) => Format::R8G8B8A8_UINT,
            (Some(Component::Sint), false) => Format::R8G8B8A8_SINT,
            (None, _) => Format::R32G32_UINT,
        };
        let number = NullKey { table, format, access };
        if !self.resources.null_images.contains_key(&number) {
            let multisampled = matches!(table, Table::D2Ms | Table::D2MsArray);
            let desc = CreateTexture {
                dimension: if table == Table::D3 { Dimension::D3 } else { Dimension::D2 } as u8,
                samples: if multisampled { self.gpu.profile.null_storage_samples() } else { 1 },
                usage: CreateTexture::STORAGE | if kind == LONG { CreateTexture::VIEWS } else { 0 },
                ..CreateTexture::plain(ObjectId::NONE, format, [1, 1])
            };
            let mut texture = Texture::new(&self.gpu, &desc)?;
            let cmd = self.recorder.submissions.before()?;
            texture.clear_all(&self.gpu, cmd);
            if kind == LONG {
                let format = Format::R64_UINT as u32;
                let (dimension, swizzle) = (desc.dimension, desc.swizzle);
                let view = CreateView { format, levels: 1, layers: 1, dimension, swizzle, ..CreateView::zeroed() };
                texture = Texture::of_view(&self.gpu, &view, &view.texture(&desc), &texture)?;
            }
            self.resources.null_images.insert(number, texture);
        }
        let gpu = Arc::clone(&self.gpu);
        let texture = self.resources.null_images.get_mut(&number);
        let view = match texture {
            Some(texture) => texture.storage_view(&gpu, 0, 0, table)?,
            None => None,
        };
        view.ok_or_else(|| Error::Unsupported { device: gpu.profile.name.clone(), what: "storage images".to_owned() })
    }

    /// Before a command whose shaders have these images: those in the place of none that shaders read and write are zeros again. A draw
    /// behind another one without a change of shaders or images between them finds what that stored, since to empty an image ends a pass.
    pub(crate) fn empty_null_images(&mut self, key: &ImageKey) -> Result {
        let gpu = Arc::clone(&self.gpu);
        let mut found = SmallVec::<[NullKey; 2]>::new();
        for (number, texture) in &mut self.resources.null_images {
            if number.access == [true; 2]
                && let Some(view) = texture.storage_view(&gpu, 0, 0, number.table)?
                && key.views.contains(&view)
            {
                found.push(*number);
            }
        }
        if found.is_empty() {
            return Ok(());
        }
        self.end_pass();
        let cmd = self.recorder.main();
        for number in found {
            if let Some(texture) = self.resources.null_images.get(&number) {
                texture.clear_all(&gpu, cmd);
            }
        }
        Ok(())
    }

    /// The shaders of draws that access storage images.
    fn with_images(&self) -> SmallVec<[(Stage, Arc<Variant>); 2]> {
        trace::read_result::<Host>(Group::Variants);
        let mut variants = SmallVec::new();
        if self.bound.shading.reach.images {
            variants.extend(self.bound.shading.vertex.clone().map(|variant| (Stage::Vertex, variant)));
            variants.extend(self.bound.shading.pixel.clone().map(|variant| (Stage::Pixel, variant)));
        }
        variants
    }

    /// The storage images of draws, if they access any.
    pub(crate) fn wanted_images(&mut self) -> Result<Option<ImageKey>> {
        let variants = self.with_images();
        if variants.is_empty() {
            return Ok(None);
        }
        let variants: SmallVec<[_; 2]> = variants.iter().map(|(stage, variant)| (*stage, &**variant)).collect();
        self.image_key(&variants).map(Some)
    }

    /// [`Group::StorageImages`], before the pass, which may have to end for them.
    pub(crate) fn apply_storage_images(&mut self) -> Applied {
        self.commands();
        trace::read_result::<Host>(Group::Targets);
        trace::read_result::<Host>(Group::Layout);
        let current = self.recorder.submissions.current;
        for (stage, variant) in self.with_images() {
            for image in &variant.images {
                let bound = self.state.storage_images(stage)[usize::from(image.decl.slot)].view.texture;
                let id = self.root(bound);
                if bound.is_none() || self.resources.textures.get(id).is_none() {
                    continue;
                }
                self.make_live(id)?;
                let mut drawn_to = false;
                if let Some(texture) = self.resources.textures.get_mut(id) {
                    texture.last_used = current;
                    drawn_to = texture.written && !texture.is_target;
                    texture.written &= texture.is_target;
                }
                if drawn_to {
                    self.end_pass();
                    self.recorder.order.written = true;
                }
            }
        }
        let Some(key) = self.wanted_images()? else { return Ok(Effect::Same) };
        self.empty_null_images(&key)?;
        if self.bound.recorded.image_key == Some(key) {
            return Ok(Effect::Same);
        }
        let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
        let set = self.resources.descriptors.image_set(&key, current, completed)?;
        self.stats.calls.made += 1;
        let (layout, number) = (self.draw_layout().raw, afterimage_abi::descriptors::STORAGE_IMAGES);
        self.recorder.call(Call::Set { layout, number, set });
        self.bound.recorded.image_key = Some(key);
        Ok(Effect::Changed)
    }

    /// Orders a command that reads and writes buffers behind what came before it. True if all of them are there.
    pub(crate) fn order_buffers(&mut self, accesses: &[(ObjectId, bool)]) -> bool {
        self.end_pass();
        let (current, mut epoch) = (self.recorder.submissions.current, self.recorder.order.epoch);
        let mut waits = self.recorder.order.drawn;
        for &(id, writes) in accesses {
            let Some(buffer) = self.resources.buffers.get(id) else { return false };
            waits |= buffer.order.conflicts(epoch, writes);
        }
        if waits {
            self.begin_epoch();
            epoch = self.recorder.order.epoch;
        }
        for &(id, writes) in accesses {
            if let Some(buffer) = self.resources.buffers.get_mut(id) {
                buffer.order.note(epoch, writes);
                buffer.last_used = current;
            }
            self.recorder.order.written |= writes;
        }
        true
    }

    /// Where a byte of a buffer is.
    pub(crate) fn byte_of(&self, id: ObjectId, offset: u64) -> (vk::Buffer, u64) {
        self.resources.buffers.get(id).map_or_else(Default::default, |b| (b.backing.buffer, b.backing.offset + offset))
    }

    /// [`CopyBuffer`].
    pub(crate) fn copy_buffers(&mut self, body: &CopyBuffer) {
        if !self.order_buffers(&[(body.src, false), (body.dst, true)]) {
            return;
        }
        let (source, src_offset) = self.byte_of(body.src, body.src_offset);
        let (target, dst_offset) = self.byte_of(body.dst, body.dst_offset);
        let region = [vk::BufferCopy { src_offset, dst_offset, size: body.size }];
        let cmd = self.recorder.main();
        // SAFETY: the validator has checked the ranges; the buffers are alive until the submission has completed.
        unsafe { self.gpu.raw.cmd_copy_buffer(cmd, source, target, &region) };
    }

    /// [`FillBuffer`].
    pub(crate) fn fill_buffer(&mut self, body: &FillBuffer) {
        if !self.order_buffers(&[(body.id, true)]) {
            return;
        }
        let (target, offset) = self.byte_of(body.id, body.offset);
        let cmd = self.recorder.main();
        // SAFETY: as above; offset and size are multiples of four.
        unsafe { self.gpu.raw.cmd_fill_buffer(cmd, target, offset, body.size, body.value) };
    }

    /// [`ReadBuffer`].
    pub(crate) fn read_buffer(&mut self, body: &ReadBuffer, arena: &dyn Arena) -> Result {
        self.limit_read_backs(&body.data, arena)?;
        let size = u64::from(body.data.size);
        let copy = match Buffer::new(&self.gpu, "read back", size, Place::ReadBack) {
            Ok(copy) => Some(copy),
            Err(error @ Error::DeviceLost(_)) => return Err(error),
            Err(error) => {
                tracing::error!("read back of {}: {error}", body.id);
                None
            }
        };
        let copy = copy.filter(|_| self.order_buffers(&[(body.id, false)]));
        if let Some(copy) = &copy {
            let (source, src_offset) = self.byte_of(body.id, body.offset);
            let region = [vk::BufferCopy { src_offset, dst_offset: 0, size }];
            let cmd = self.recorder.main();
            // SAFETY: as above.
            unsafe { self.gpu.raw.cmd_copy_buffer(cmd, source, copy.raw, &region) };
            self.host_barrier(cmd);
        }
        self.wait_for_bytes(body, copy);
        Ok(())
    }

    /// [`CopyToTexture`](afterimage_stream::packets::CopyToTexture), or else
    /// [`CopyFromTexture`](afterimage_stream::packets::CopyFromTexture).
    pub(crate) fn copy_texture_bytes(&mut self, body: &TextureCopy, to_texture: bool) -> Result {
        let place = self.rooted(afterimage_stream::packets::View {
            texture: body.texture,
            level: body.level,
            layer: body.layer,
        });
        let Some(texture) = self.resources.textures.get(place.texture) else { return Ok(()) };
        let info = texture.format.info();
        let image = texture.image.raw;
        let slices = if body.depth > 1 { body.slice_pitch / body.row_pitch * info.block } else { 0 };
        let (buffer, offset) = self.byte_of(body.buffer, body.offset);
        let region = [vk::BufferImageCopy::default()
            .buffer_offset(offset)
            .buffer_row_length(body.row_pitch / info.bytes * info.block)
            .buffer_image_height(slices)
            .image_subresource(texture.layers(vk::ImageAspectFlags::COLOR, place.level, place.layer))
            .image_offset(vk::Offset3D { x: body.x as i32, y: body.y as i32, z: body.z as i32 })
            .image_extent(vk::Extent3D { width: body.width, height: body.height, depth: body.depth })];
        if !self.order_buffers(&[(body.buffer, !to_texture)]) {
            return Ok(());
        }
        let layout = match to_texture {
            true => vk::ImageLayout::TRANSFER_DST_OPTIMAL,
            false => vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
        };
        let layout = self.begin_copy(place.texture, layout)?;
        let cmd = self.recorder.main();
        // SAFETY: the validator has checked box and bytes; the image is in the layout named.
        unsafe {
            match to_texture {
                true => self.gpu.raw.cmd_copy_buffer_to_image(cmd, buffer, image, layout, &region),
                false => self.gpu.raw.cmd_copy_image_to_buffer(cmd, image, layout, buffer, &region),
            }
        }
        self.end_copy(place.texture, layout);
        Ok(())
    }
}
