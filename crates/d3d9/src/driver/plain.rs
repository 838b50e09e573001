//! Copies between plain surfaces of different formats. They happen in memory: that is where plain surfaces live.

use super::Device;
use crate::error::{Error, Result};
use crate::format::FormatRow;
use crate::handle::ImageId;
use crate::memory::Region;
use afterimage_d3d9_types::*;
use afterimage_texture::d3d9::Source;
use afterimage_texture::field::{Field, argb, bits, texel};

/// Where red, green, blue and alpha of a texel are, for the formats whose texels are fields of at most eight bits.
fn fields(format: D3DFORMAT) -> Option<[Field; 4]> {
    Some(match format {
        D3DFMT_A8R8G8B8 => [bits(16, 8), bits(8, 8), bits(0, 8), bits(24, 8)],
        D3DFMT_X8R8G8B8 | D3DFMT_R8G8B8 => [bits(16, 8), bits(8, 8), bits(0, 8), Field::One],
        D3DFMT_A8B8G8R8 => [bits(0, 8), bits(8, 8), bits(16, 8), bits(24, 8)],
        D3DFMT_X8B8G8R8 => [bits(0, 8), bits(8, 8), bits(16, 8), Field::One],
        D3DFMT_R5G6B5 => [bits(11, 5), bits(5, 6), bits(0, 5), Field::One],
        D3DFMT_A1R5G5B5 => [bits(10, 5), bits(5, 5), bits(0, 5), bits(15, 1)],
        D3DFMT_X1R5G5B5 => [bits(10, 5), bits(5, 5), bits(0, 5), Field::One],
        D3DFMT_A4R4G4B4 => [bits(8, 4), bits(4, 4), bits(0, 4), bits(12, 4)],
        D3DFMT_X4R4G4B4 => [bits(8, 4), bits(4, 4), bits(0, 4), Field::One],
        D3DFMT_A8R3G3B2 => [bits(5, 3), bits(2, 3), bits(0, 2), bits(8, 8)],
        D3DFMT_R3G3B2 => [bits(5, 3), bits(2, 3), bits(0, 2), Field::One],
        _ => return None,
    })
}

/// Texels of a row as colours 0xAARRGGBB, from `x` on.
fn colors(row: &FormatRow, source: &Source<'_>, x: u32, y: u32, out: &mut [u32]) {
    let Some(fields) = fields(row.format) else {
        let Some(convert) = row.convert else { return };
        let mut bytes = vec![0; out.len() * 4];
        convert.row(source, x as usize, y as usize, &mut bytes);
        for (color, bytes) in out.iter_mut().zip(bytes.chunks_exact(4)) {
            *color = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        return;
    };
    let start = y as usize * source.pitch + x as usize * row.bytes as usize;
    let bytes = source.bytes.get(start..).unwrap_or_default();
    for (color, bytes) in out.iter_mut().zip(bytes.chunks_exact(row.bytes as usize)) {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        *color = argb(fields, u32::from_le_bytes(word));
    }
}

impl FormatRow {
    /// Whether colours can be converted from this format to another between plain surfaces.
    pub(super) fn converts_to(&self, to: &Self) -> bool {
        let colors = self.convert.is_some_and(|convert| convert.bytes() == 4);
        (fields(self.format).is_some() || colors) && fields(to.format).is_some()
    }
}

impl Device {
    /// Copies a rectangle of texels from memory to memory of another format (see [`FormatRow::converts_to`]).
    pub(super) fn convert_memory(
        &mut self,
        source: (ImageId, usize),
        region: Region,
        target: (ImageId, usize),
        at: [u32; 2],
    ) -> Result<()> {
        let from = self.objects.images.get(source.0).ok_or(Error::InvalidCall)?;
        let width = region.width as usize;
        let mut texels = vec![0; width * region.height as usize];
        let memory = from.memory.as_ref().and_then(|memory| memory.read()).ok_or(Error::OutOfMemory)?;
        let sub = &from.subs[source.1];
        let source = Source {
            bytes: memory.get(sub.offset..).unwrap_or_default(),
            pitch: sub.row_pitch as usize,
            height: sub.extent[1] as usize,
            palette: &self.palettes.colors,
        };
        for (y, line) in (0..region.height).zip(texels.chunks_exact_mut(width)) {
            colors(from.row, &source, region.x, region.y + y, line);
        }
        drop(memory);
        let to = self.objects.images.get_mut(target.0).ok_or(Error::InvalidCall)?;
        let (sub, bytes) = (&to.subs[target.1], to.row.bytes as usize);
        let fields = fields(to.row.format).ok_or(Error::InvalidCall)?;
        let mut memory = to.memory.as_mut().and_then(|memory| memory.write()).ok_or(Error::OutOfMemory)?;
        for (y, line) in texels.chunks_exact(width).enumerate() {
            let start = sub.offset + (at[1] as usize + y) * sub.row_pitch as usize + at[0] as usize * bytes;
            let out = memory.get_mut(start..start + width * bytes).ok_or(Error::InvalidCall)?;
            for (out, color) in out.chunks_exact_mut(bytes).zip(line) {
                out.copy_from_slice(&texel(fields, *color).to_le_bytes()[..bytes]);
            }
        }
        drop(memory);
        to.touch(target.1, Region { x: at[0], y: at[1], ..region });
        Ok(())
    }
}
