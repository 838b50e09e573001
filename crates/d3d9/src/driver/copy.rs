//! Copies between surfaces.

use super::Device;
use crate::error::{Error, Result};
use crate::format::FormatRow;
use crate::handle::*;
use crate::machine::Group;
use crate::memory::{ImageKind, Region};
use afterimage_d3d9_types::*;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, FormatFeatures};

/// What a copy needs to know of one side.
#[derive(Clone, Copy)]
struct Side {
    surface: Surface,
    index: usize,
    extent: [u32; 3],
    format: D3DFORMAT,
    pool: D3DPOOL,
    usage: u32,
    samples: u8,
    depth: bool,
    plain: bool,
    locked: bool,
    row: &'static FormatRow,
    host: Option<Format>,
}

fn stream_rect(region: Region) -> Rect {
    Rect { x: region.x as i32, y: region.y as i32, width: region.width, height: region.height }
}

impl Device {
    fn side(&self, surface: Surface) -> Result<Side> {
        let image = self.objects.images.get(surface.image).ok_or(Error::InvalidCall)?;
        let index = image.sub_index(surface.level.into(), surface.face.into()).ok_or(Error::InvalidCall)?;
        if image.kind == ImageKind::Volume {
            return Err(Error::InvalidCall);
        }
        Ok(Side {
            surface,
            index,
            extent: image.subs[index].extent,
            format: image.row.format,
            pool: image.pool,
            usage: image.usage,
            samples: image.host_samples,
            depth: image.row.is_depth(),
            plain: image.kind == ImageKind::Surface && !image.is_target(),
            locked: image.subs[index].lock.is_some(),
            row: image.row,
            host: image.host,
        })
    }

    fn view_of(&self, side: Side) -> View {
        View {
            texture: self.object(side.surface.image),
            level: side.surface.level.into(),
            layer: side.surface.face.into(),
        }
    }

    /// Copies a box of texels from memory to memory. Both images have the same format.
    fn copy_memory(&mut self, source: (ImageId, usize), region: Region, target: (ImageId, usize), at: [u32; 3]) {
        // Out and in again: the two are entries of one table.
        let Some(mut slot) = self.objects.images.take(target.0) else { return };
        if let Some(from) = self.objects.images.get(source.0)
            && let (Some(source_memory), Some(memory)) = (&from.memory, &mut slot.value.memory)
        {
            let (sub, into) = (&from.subs[source.1], &slot.value.subs[target.1]);
            let row = from.row;
            let (block, bytes) = (row.block, row.row_bytes(region.width) as usize);
            let place = |sub: &crate::memory::Sub, x: u32, y: u32, z: u32| {
                sub.offset
                    + z as usize * sub.slice_pitch as usize
                    + (y / block[1]) as usize * sub.row_pitch as usize
                    + (x / block[0] * row.bytes) as usize
            };
            let (Some(read), Some(mut write)) = (source_memory.read(), memory.write()) else {
                tracing::error!(format = row.name, "a copy is lost: no addresses are left for it");
                self.objects.images.put(target.0, slot);
                return;
            };
            for z in 0..region.depth {
                for y in 0..row.rows(region.height) {
                    let from = place(sub, region.x, region.y + y * block[1], region.z + z);
                    let to = place(into, at[0], at[1] + y * block[1], at[2] + z);
                    if let (Some(read), Some(write)) = (read.get(from..from + bytes), write.get_mut(to..to + bytes)) {
                        write.copy_from_slice(read);
                    }
                }
            }
            slot.value.touch(target.1, Region { x: at[0], y: at[1], z: at[2], ..region });
        }
        self.objects.images.put(target.0, slot);
        self.registers.touch_texture(target.0);
    }

    /// Moves texels from an image with memory to one that is a target: through the upload arena.
    fn copy_to_target(&mut self, source: Side, region: Region, target: Side, at: [u32; 2]) -> Result<()> {
        let id = self.object(target.surface.image);
        let image = self.objects.images.get(source.surface.image).ok_or(Error::InvalidCall)?;
        let memory = image.memory.as_ref().ok_or(Error::InvalidCall)?.read().ok_or(Error::OutOfMemory)?;
        let (sub, row) = (&image.subs[source.index], image.row);
        let row_bytes = row.row_bytes(region.width);
        let rows = row.rows(region.height);
        let data = self.port.upload(row_bytes.checked_mul(rows).ok_or(Error::OutOfMemory)?, 16)?;
        for y in 0..rows {
            let start = sub.offset
                + (region.y / row.block[1] + y) as usize * sub.row_pitch as usize
                + (region.x / row.block[0] * row.bytes) as usize;
            self.port.write(&data, y * row_bytes, &memory[start..start + row_bytes as usize]);
        }
        self.port.push(&UpdateTexture {
            id,
            level: target.surface.level.into(),
            layer: target.surface.face.into(),
            x: at[0],
            y: at[1],
            z: 0,
            width: region.width,
            height: region.height,
            depth: 1,
            row_pitch: row_bytes,
            slice_pitch: 0,
            data,
        });
        self.port.flush_if_due();
        Ok(())
    }

    /// `UpdateSurface`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for pools, formats or rectangles that do not fit.
    pub fn update_surface(
        &mut self,
        source: Surface,
        rect: Option<&RECT>,
        destination: Surface,
        point: Option<&POINT>,
    ) -> Result<()> {
        let (from, to) = (self.side(source)?, self.side(destination)?);
        let region = match rect {
            Some(rect) => Region::from_rect(rect, from.extent).ok_or(Error::InvalidCall)?,
            None => Region::whole(from.extent),
        };
        let point = point.copied().unwrap_or_default();
        let (Ok(x), Ok(y)) = (u32::try_from(point.x), u32::try_from(point.y)) else { return Err(Error::InvalidCall) };
        let inside = |first: u32, length: u32, edge: u32| first.checked_add(length).is_some_and(|end| end <= edge);
        let fits = inside(x, region.width, to.extent[0]) && inside(y, region.height, to.extent[1]);
        let pools = from.pool == D3DPOOL_SYSTEMMEM && to.pool == D3DPOOL_DEFAULT;
        // On both sides whole blocks, or what is left of them at the edge.
        let place = Region { x, y, ..region };
        let blocks = region.is_aligned(from.row.block, from.extent) && place.is_aligned(to.row.block, to.extent);
        // Planes of chroma move only as a whole.
        let planes = from.row.is_planar() && (region != Region::whole(from.extent) || from.extent != to.extent);
        if !fits
            || !blocks
            || planes
            || !pools
            || from.format != to.format
            || to.samples != 1
            || to.depth
            || from.locked
            || to.locked
        {
            return Err(Error::InvalidCall);
        }
        if to.usage & D3DUSAGE_RENDERTARGET != 0 {
            return match self.copy_to_target(from, region, to, [x, y]) {
                Err(Error::DeviceLost) => Ok(()),
                other => other,
            };
        }
        self.copy_memory((source.image, from.index), region, (destination.image, to.index), [x, y, 0]);
        Ok(())
    }

    /// `UpdateTexture`: the dirty parts of a system memory texture go to one of the default pool. Levels meet where their sizes
    /// do, and where these differ what fits is copied (Wine's `test_updatetexture` has what drivers on Windows do; of formats
    /// with other bits they make nothing that could be used).
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for pools, kinds and formats that do not fit.
    pub fn update_texture(&mut self, source: ImageId, destination: ImageId) -> Result<()> {
        let from = self.objects.images.get(source).ok_or(Error::InvalidCall)?;
        let to = self.objects.images.get(destination).ok_or(Error::InvalidCall)?;
        let pools = from.pool == D3DPOOL_SYSTEMMEM && to.pool == D3DPOOL_DEFAULT;
        let same = from.kind == to.kind && from.is_texture();
        let bits = |row: &FormatRow| (row.hosts, row.convert, row.bytes);
        if !pools || !same || bits(from.row) != bits(to.row) || to.is_target() && to.row.is_depth() {
            return Err(Error::InvalidCall);
        }
        let edge = |extent: [u32; 3]| extent.into_iter().max().unwrap_or(0);
        let largest = edge(to.extent);
        let skip =
            (0..from.app_levels).take_while(|&level| edge(from.subs[level as usize].extent) > largest).count() as u32;
        let levels = to.app_levels.min(from.app_levels - skip);
        let (faces, from_levels, to_levels) = (from.faces, from.levels, to.levels);
        let block = from.row.block;
        let target = to.is_target();
        for face in 0..faces {
            let Some(from) = self.objects.images.get_mut(source) else { break };
            let dirty = std::mem::take(&mut from.dirty[face as usize]);
            if dirty.is_empty() {
                continue;
            }
            for level in 0..levels {
                let Some(from) = self.objects.images.get(source) else { break };
                let index = (face * from_levels + level + skip) as usize;
                let extent = from.subs[index].extent;
                let to_index = (face * to_levels + level) as usize;
                let room = self.objects.images.get(destination).map_or([0; 3], |to| to.subs[to_index].extent);
                let whole = dirty.scaled_down((level + skip) as u8).clip(extent).aligned(block, extent);
                let region = whole.clip(room);
                if region.is_empty() {
                    continue;
                }
                let at = [region.x, region.y, region.z];
                if target {
                    let surface = |image, level| Surface { image, level: level as u8, face: face as u8 };
                    let from = self.side(surface(source, level + skip))?;
                    let to = self.side(surface(destination, level))?;
                    if let Err(error) = self.copy_to_target(from, region, to, [at[0], at[1]])
                        && error != Error::DeviceLost
                    {
                        return Err(error);
                    }
                } else {
                    self.copy_memory((source, index), region, (destination, to_index), at);
                }
            }
        }
        Ok(())
    }

    /// `GetRenderTargetData`. Waits for the GPU.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] unless the source is a render target of one sample and the destination a system memory
    /// surface of the same size and format; [`Error::DeviceLost`].
    pub fn render_target_data(&mut self, source: Surface, destination: Surface) -> Result<()> {
        let (from, to) = (self.side(source)?, self.side(destination)?);
        let fits = from.format == to.format && from.extent == to.extent;
        let kinds = from.usage & D3DUSAGE_RENDERTARGET != 0 && to.pool == D3DPOOL_SYSTEMMEM;
        if !fits || !kinds || from.samples != 1 {
            return Err(Error::InvalidCall);
        }
        self.copy_to_memory(source, destination, POINT::default())
    }

    /// Reads a target back into a surface in memory, its corner at a place there; as much of it as finds room.
    pub(crate) fn copy_to_memory(&mut self, source: Surface, destination: Surface, at: POINT) -> Result<()> {
        let (from, to) = (self.side(source)?, self.side(destination)?);
        let (x, y) = (at.x.max(0) as u32, at.y.max(0) as u32);
        let skip = |at: i32| at.min(0).unsigned_abs();
        let room = |from: u32, skip: u32, to: u32, at: u32| from.saturating_sub(skip).min(to.saturating_sub(at));
        let width = room(from.extent[0], skip(at.x), to.extent[0], x);
        let height = room(from.extent[1], skip(at.y), to.extent[1], y);
        if width == 0 || height == 0 {
            return Ok(());
        }
        self.read_back(source)?;
        let region = Region { x: skip(at.x), y: skip(at.y), width, height, ..Region::whole(from.extent) };
        self.copy_memory((source.image, from.index), region, (destination.image, to.index), [x, y, 0]);
        if let Some(image) = self.objects.images.get_mut(destination.image) {
            image.add_dirty(destination.level.into(), destination.face.into(), Region { x, y, ..region });
        }
        // What was read is only good until the next draw.
        if let Some(image) = self.objects.images.get_mut(source.image)
            && image.is_target()
            && image.subs.iter().all(|sub| sub.lock.is_none())
        {
            image.memory = None;
        }
        Ok(())
    }

    /// `StretchRect`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] by Direct3D's table of what may be copied to what.
    pub fn stretch_rect(
        &mut self,
        source: Surface,
        source_rect: Option<&RECT>,
        destination: Surface,
        destination_rect: Option<&RECT>,
        filter: D3DTEXTUREFILTERTYPE,
    ) -> Result<()> {
        let (from, to) = (self.side(source)?, self.side(destination)?);
        let region = |rect: Option<&RECT>, side: Side| match rect {
            Some(rect) => Region::from_rect(rect, side.extent).ok_or(Error::InvalidCall),
            None => Ok(Region { depth: 1, ..Region::whole(side.extent) }),
        };
        let (src, dst) = (region(source_rect, from)?, region(destination_rect, to)?);
        let stretches = (src.width, src.height) != (dst.width, dst.height);
        let target = to.usage & D3DUSAGE_RENDERTARGET != 0;
        // Formats of the same bits (with and without alpha) are copied as they are.
        let same_bits = from.host == to.host && from.row.convert == to.row.convert;
        let right = if from.depth || to.depth {
            // Depth moves whole, between depth buffers.
            let whole = (src.width, src.height) == (from.extent[0], from.extent[1]);
            from.depth && to.depth && !stretches && whole && !self.in_scene && from.format == to.format
        } else if to.plain {
            let blocks = src.is_aligned(from.row.block, from.extent) && dst.is_aligned(to.row.block, to.extent);
            let whole = src == Region::whole(from.extent) && dst == Region::whole(to.extent);
            let copies = blocks && (whole || !from.row.is_planar());
            from.plain && !stretches && if same_bits { copies } else { from.row.converts_to(to.row) }
        } else {
            target
        };
        let pools = from.pool == D3DPOOL_DEFAULT && to.pool == D3DPOOL_DEFAULT;
        let filters = matches!(filter, D3DTEXF_NONE | D3DTEXF_POINT | D3DTEXF_LINEAR);
        if !right || !pools || !filters || source == destination {
            return Err(Error::InvalidCall);
        }
        if to.plain {
            // Plain surfaces live in memory: the receiver's copy follows.
            let (from, to) = ((source.image, from.index), (destination.image, to.index));
            if same_bits {
                self.copy_memory(from, src, to, [dst.x, dst.y, 0]);
            } else {
                self.convert_memory(from, src, to, [dst.x, dst.y])?;
            }
            self.settle(destination.image);
            return Ok(());
        }
        if (stretches || from.format != to.format) && !self.can_blit(from.format, to.format) {
            return Err(Error::InvalidCall);
        }
        self.settle(source.image);
        self.settle(destination.image);
        let (src_view, dst_view) = (self.view_of(from), self.view_of(to));
        if src_view.texture.is_none() || dst_view.texture.is_none() {
            return Ok(());
        }
        let linear = filter == D3DTEXF_LINEAR && stretches;
        self.port.push(&Blit {
            src: src_view,
            dst: dst_view,
            src_rect: stream_rect(src),
            dst_rect: stream_rect(dst),
            filter: if linear { Filter::Linear } else { Filter::Nearest } as u32,
            pad: 0,
        });
        if let Some(image) = self.objects.images.get_mut(destination.image)
            && image.autogen()
        {
            image.mips_stale = true;
            self.registers.touch_texture(destination.image);
        }
        self.port.flush_if_due();
        Ok(())
    }

    /// `ColorFill`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] unless it is a render target or an offscreen plain surface of the default pool.
    pub fn color_fill(&mut self, surface: Surface, rect: Option<&RECT>, color: D3DCOLOR) -> Result<()> {
        let side = self.side(surface)?;
        let region = match rect {
            Some(rect) => Region::from_rect(rect, side.extent).ok_or(Error::InvalidCall)?,
            None => Region { depth: 1, ..Region::whole(side.extent) },
        };
        let target = side.usage & D3DUSAGE_RENDERTARGET != 0;
        if side.pool != D3DPOOL_DEFAULT || side.depth || !(target || side.plain) {
            return Err(Error::InvalidCall);
        }
        if side.plain {
            return self.fill_memory(side, region, color);
        }
        if !self.can(side.format, FormatFeatures::TARGET) || self.object(surface.image).is_none() {
            return Ok(());
        }
        // A clear of a target that is bound for this purpose only.
        let mut targets = SetRenderTargets::default();
        targets.color[0] = self.view_of(side);
        self.port.put(&mut self.host.sent.targets, targets);
        let packet =
            Clear { flags: Clear::COLOR, count: 1, color: crate::format::color(color), ..bytemuck::Zeroable::zeroed() };
        self.port.push_tail(&packet, &[stream_rect(region)]);
        self.registers.tracker.mark(Group::RenderTargets);
        self.port.flush_if_due();
        Ok(())
    }

    fn fill_memory(&mut self, side: Side, region: Region, color: D3DCOLOR) -> Result<()> {
        let row = side.row;
        let image = self.objects.images.get_mut(side.surface.image).ok_or(Error::InvalidCall)?;
        let Some(texel) = crate::texel::texel(row, color) else {
            if self.logged.insert("ColorFill") {
                tracing::warn!(format = row.name, "ColorFill of a surface with planes of chroma is not supported");
            }
            return Err(Error::InvalidCall);
        };
        if !region.is_aligned(row.block, side.extent) {
            return Err(Error::InvalidCall);
        }
        let sub = &image.subs[side.index];
        let (first, length) = (region.x / row.block[0] * row.bytes, row.row_bytes(region.width));
        if let Some(memory) = &mut image.memory {
            let mut memory = memory.write().ok_or(Error::OutOfMemory)?;
            for y in 0..row.rows(region.height) {
                let line = (region.y / row.block[1] + y) as usize * sub.row_pitch as usize;
                let start = sub.offset + line + first as usize;
                let out = &mut memory[start..start + length as usize];
                out.chunks_exact_mut(row.bytes as usize).for_each(|out| out.copy_from_slice(&texel[..out.len()]));
            }
        }
        image.touch(side.index, region);
        Ok(())
    }
}
