//! From this process's memory to the receiver, and back.

use super::{Image, Region};
use crate::driver::Device;
use crate::error::{Error, Result};
use crate::format::FormatRow;
use crate::handle::{ImageId, Surface};
use afterimage_d3d9_types::D3DTEXF_POINT;
use afterimage_stream::Port;
use afterimage_stream::packets::*;
use afterimage_texture::d3d9::{Palette, Source};

/// Most bytes that go in one piece: what is larger would make a slot of its own in the upload arena.
const PIECE: u32 = 16 << 20;

/// Boxes that make up `region`, each of at most `limit` bytes where it has more than a row of blocks.
fn pieces(region: Region, slice: u64, row_bytes: u32, block_rows: u32, limit: u32) -> impl Iterator<Item = Region> {
    let fits = |each: u64| u32::try_from(u64::from(limit) / each.max(1)).unwrap_or(u32::MAX).max(1);
    let depth = fits(slice).min(region.depth);
    let height = if slice > u64::from(limit) {
        fits(row_bytes.into()).saturating_mul(block_rows).min(region.height)
    } else {
        region.height
    };
    (0..region.depth).step_by(depth as usize).flat_map(move |z| {
        (0..region.height).step_by(height.max(1) as usize).map(move |y| Region {
            y: region.y + y,
            z: region.z + z,
            height: height.min(region.height - y),
            depth: depth.min(region.depth - z),
            ..region
        })
    })
}

/// Bytes of a row of blocks as the receiver gets it, and rows of them.
fn rows(row: &FormatRow, width: u32, height: u32) -> (u32, u32) {
    match row.convert {
        Some(convert) => (width.saturating_mul(convert.bytes() as u32), height),
        None => (row.row_bytes(width), row.rows(height)),
    }
}

/// Copies a box of one subresource into the arena and sends it.
fn send_region(port: &mut Port, image: &Image, index: usize, region: Region, palette: &Palette) -> Result<()> {
    let Some(sub) = image.subs.get(index) else { return Ok(()) };
    let region = region.clip(sub.extent).aligned(image.row.block, sub.extent);
    if region.is_empty() || image.id.is_none() {
        return Ok(());
    }
    let (row_bytes, rows) = rows(image.row, region.width, region.height);
    let slice = u64::from(row_bytes) * u64::from(rows);
    for piece in pieces(region, slice, row_bytes, image.row.block[1], PIECE) {
        send_piece(port, image, index, piece, palette)?;
    }
    Ok(())
}

fn send_piece(port: &mut Port, image: &Image, index: usize, region: Region, palette: &Palette) -> Result<()> {
    let (Some(sub), Some(memory)) = (image.subs.get(index), &image.memory) else { return Ok(()) };
    let row = image.row;
    let (row_bytes, rows) = rows(row, region.width, region.height);
    let slice = row_bytes.checked_mul(rows).ok_or(Error::OutOfMemory)?;
    let size = slice.checked_mul(region.depth).ok_or(Error::OutOfMemory)?;
    let bytes = memory.read().ok_or(Error::OutOfMemory)?;
    let data = port.upload(size, 16)?;
    let mut converted = Vec::new();
    for z in 0..region.depth {
        let start = sub.offset + (region.z + z) as usize * sub.slice_pitch as usize;
        if let Some(convert) = row.convert {
            let bytes = bytes.get(start..).unwrap_or_default();
            let source = Source { bytes, pitch: sub.row_pitch as usize, height: sub.extent[1] as usize, palette };
            converted.resize(row_bytes as usize, 0);
            for line in 0..rows {
                convert.row(&source, region.x as usize, (region.y + line) as usize, &mut converted);
                port.write(&data, z * slice + line * row_bytes, &converted);
            }
            continue;
        }
        let start = start
            + (region.y / row.block[1]) as usize * sub.row_pitch as usize
            + (region.x / row.block[0] * row.bytes) as usize;
        if row_bytes == sub.row_pitch {
            port.write(&data, z * slice, &bytes[start..start + slice as usize]);
            continue;
        }
        for line in 0..rows {
            let at = start + line as usize * sub.row_pitch as usize;
            port.write(&data, z * slice + line * row_bytes, &bytes[at..at + row_bytes as usize]);
        }
    }
    port.push(&UpdateTexture {
        id: image.id,
        level: (index as u32 % image.levels) as u16,
        layer: (index as u32 / image.levels) as u16,
        x: region.x,
        y: region.y,
        z: region.z,
        width: region.width,
        height: region.height,
        depth: region.depth,
        row_pitch: row_bytes,
        slice_pitch: slice,
        data,
    });
    Ok(())
}

impl Device {
    /// Sends what of an image the receiver does not have. What does not go, because the link is lost or the arena is
    /// full, stays stale: it goes with the next frame that has room.
    pub(crate) fn upload_image(&mut self, id: ImageId) {
        let outdated = self.is_outdated(id);
        let Some(image) = self.objects.images.get_mut(id) else { return };
        if outdated {
            image.touch_all();
            image.palette = self.palettes.version;
        }
        if image.stale && !self.port.is_lost() {
            image.stale = false;
            for index in 0..image.subs.len() {
                let region = std::mem::take(&mut image.subs[index].stale);
                if !region.is_empty()
                    && send_region(&mut self.port, image, index, region, &self.palettes.colors).is_err()
                {
                    image.subs[index].stale = region;
                    image.stale = true;
                    self.late = true;
                    break;
                }
            }
        }
        if std::mem::take(&mut image.mips_stale) && image.levels > 1 && !image.id.is_none() {
            let filter = if image.autogen_filter == D3DTEXF_POINT { Filter::Nearest } else { Filter::Linear };
            self.port.push(&GenerateMips { id: image.id, filter: filter as u32 });
        }
    }

    /// Makes sure that the receiver has all of an image.
    pub(crate) fn settle(&mut self, id: ImageId) {
        if self.objects.images.get(id).is_some_and(|image| image.stale) || self.is_outdated(id) {
            self.upload_image(id);
        }
    }

    /// Reads a subresource's texels back from the receiver into its memory here. Waits for the GPU.
    pub(crate) fn read_back(&mut self, surface: Surface) -> Result<()> {
        self.settle(surface.image);
        let Some(image) = self.objects.images.get_mut(surface.image) else { return Err(Error::InvalidCall) };
        let index = image.sub_index(surface.level.into(), surface.face.into()).ok_or(Error::InvalidCall)?;
        if !image.allocate() {
            return Err(Error::OutOfMemory);
        }
        if image.id.is_none() {
            return Ok(());
        }
        let sub = &image.subs[index];
        let (width, height) = (sub.extent[0], sub.extent[1]);
        let row_bytes = image.row.row_bytes(width);
        let rows = image.row.rows(height);
        let data = self.port.upload(row_bytes.checked_mul(rows).ok_or(Error::OutOfMemory)?, 16)?;
        let token = self.port.token();
        self.port.push(&ReadBack {
            src: View { texture: image.id, level: surface.level.into(), layer: surface.face.into() },
            rect: Rect { x: 0, y: 0, width, height },
            row_pitch: row_bytes,
            pad: 0,
            token,
            data,
        });
        if self.port.wait(token)? == 0 {
            tracing::warn!(format = image.row.name, "the receiver could not read a surface back");
            return Err(Error::NotAvailable);
        }
        let (offset, pitch) = (sub.offset, sub.row_pitch as usize);
        if let Some(memory) = &mut image.memory {
            let mut bytes = memory.write().ok_or(Error::OutOfMemory)?;
            for row in 0..rows {
                let at = offset + row as usize * pitch;
                self.port.read(&data, row * row_bytes, &mut bytes[at..at + row_bytes as usize]);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_large_goes_in_pieces_of_whole_rows() {
        let region = Region { x: 1, y: 8, z: 2, width: 10, height: 22, depth: 3 };
        let cut = |slice, row_bytes, limit| pieces(region, slice, row_bytes, 4, limit).collect::<Vec<_>>();
        assert_eq!(cut(240, 40, 720), [region]);
        assert_eq!(cut(240, 40, 719), [Region { depth: 2, ..region }, Region { z: 4, depth: 1, ..region }]);
        let rows = cut(240, 40, 100);
        assert_eq!(rows.len(), 9);
        assert_eq!(
            rows[..3].iter().map(|r| (r.y, r.z, r.height, r.depth)).collect::<Vec<_>>(),
            [(8, 2, 8, 1), (16, 2, 8, 1), (24, 2, 6, 1)]
        );
        assert_eq!(cut(240, 40, 1).len(), 18, "a row of blocks is not cut");
    }
}
