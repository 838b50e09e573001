//! Blit encoders.

use afterimage_metal_calls::{Aspect, BufferLayout, Region};

use super::depth_bytes;
use crate::command::Command;
use crate::memory::Turn;
use crate::objects::SoftBuffer;
use crate::texel::{self, Rounding};
use crate::texture::{Place, SoftTexture};

pub(super) fn blit(turn: &Turn, command: &Command) {
    match command {
        Command::CopyBuffer { from, from_offset, to, to_offset, size } => {
            let mut bytes = vec![0; *size as usize];
            from.0.memory.read(turn, *from_offset, &mut bytes);
            to.0.memory.write(turn, *to_offset, &bytes);
        }
        Command::FillBuffer { buffer, offset, size, value } => {
            buffer.0.memory.fill(turn, *offset, *size, *value);
        }
        Command::CopyTexels { to_texture, buffer, layout, texture, region, aspect } => {
            copy_texels(turn, *to_texture, buffer, *layout, texture, region, *aspect);
        }
        Command::CopyTexture { from, region, to, destination } => copy_texture(turn, from, region, to, destination),
        Command::GenerateMipmaps(texture) => generate_mipmaps(turn, texture),
        Command::Render(..) | Command::Dispatch(..) | Command::Present(..) => {}
    }
}

/// The first texel of every block of a region, relative to it.
fn blocks(texture: &SoftTexture, region: &Region) -> impl Iterator<Item = [u32; 3]> + use<> {
    let block = texture.format().block();
    let [width, height, depth] = [region.size[0].div_ceil(block), region.size[1].div_ceil(block), region.size[2]];
    (0..depth).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])))
}

fn place(texture: &SoftTexture, region: &Region, [x, y, z]: [u32; 3], sample: u32) -> Place {
    let block = texture.format().block();
    let [left, top, front] = region.origin;
    Place { level: region.level, slice: region.slice, at: [left + x * block, top + y * block, front + z], sample }
}

/// Bytes of a texel or block in a buffer.
pub(crate) fn texel_bytes(texture: &SoftTexture, aspect: Aspect) -> usize {
    match aspect {
        Aspect::All => texture.format().bytes() as usize,
        Aspect::Depth => depth_bytes(texture.format()),
        Aspect::Stencil => 1,
    }
}

fn copy_texels(
    turn: &Turn,
    to_texture: bool,
    buffer: &SoftBuffer,
    layout: BufferLayout,
    texture: &SoftTexture,
    region: &Region,
    aspect: Aspect,
) {
    let format = texture.format();
    let count = texel_bytes(texture, aspect);
    for at in blocks(texture, region) {
        let [x, y, z] = at.map(u64::from);
        let offset = layout.offset + z * layout.bytes_per_image + y * layout.bytes_per_row + x * count as u64;
        let mut there = [0; 16];
        let Some(address) = texture.bytes(turn, place(texture, region, at, 0), &mut there) else { continue };
        let whole = format.bytes() as usize;
        if to_texture {
            let mut bytes = [0; 16];
            buffer.0.memory.read(turn, offset, &mut bytes[..count]);
            match aspect {
                Aspect::All => there = bytes,
                // As it is: 24 bits of depth in the low bits.
                Aspect::Depth if whole == 4 && format.has_stencil() => there[..3].copy_from_slice(&bytes[..3]),
                Aspect::Depth => there[..count].copy_from_slice(&bytes[..count]),
                Aspect::Stencil => texel::set_stencil(format, &mut there[..whole], bytes[0]),
            }
            texture.texels.memory.write(turn, address, &there[..whole]);
        } else {
            let mut bytes = there;
            match aspect {
                Aspect::Depth if whole == 4 && format.has_stencil() => bytes[3] = 0,
                Aspect::Stencil => bytes[0] = texel::stencil(format, &there[..whole]),
                _ => {}
            }
            buffer.0.memory.write(turn, offset, &bytes[..count]);
        }
    }
}

fn copy_texture(turn: &Turn, from: &SoftTexture, region: &Region, to: &SoftTexture, destination: &Region) {
    let count = from.format().bytes() as usize;
    // All of it first: the two may be one texture.
    let mut all = Vec::new();
    for at in blocks(from, region) {
        for sample in 0..from.samples() {
            let mut bytes = [0; 16];
            from.bytes(turn, place(from, region, at, sample), &mut bytes);
            all.push((at, sample, bytes));
        }
    }
    for (at, sample, bytes) in all {
        let mut old = [0; 16];
        if let Some(address) = to.bytes(turn, place(to, destination, at, sample), &mut old) {
            to.texels.memory.write(turn, address, &bytes[..count]);
        }
    }
}

/// Each texel is the average of those that it covers, of sRGB in light.
fn generate_mipmaps(turn: &Turn, texture: &SoftTexture) {
    let format = texture.format();
    for level in 1..texture.view.levels[1] {
        let (above, size) = (texture.size(level - 1), texture.size(level));
        for slice in 0..texture.view.slices[1] {
            let texels =
                (0..size[2]).flat_map(|z| (0..size[1]).flat_map(move |y| (0..size[0]).map(move |x| [x, y, z])));
            for at in texels {
                let mut sum = [0.0f64; 4];
                let mut weight = 0.0;
                let span = |i: usize| {
                    let (from, to) = (at[i] * above[i] / size[i], ((at[i] + 1) * above[i]).div_ceil(size[i]));
                    from..to.min(above[i])
                };
                for z in span(2) {
                    for y in span(1) {
                        for x in span(0) {
                            let place = Place { level: level - 1, slice, at: [x, y, z], sample: 0 };
                            let Some(words) = texture.plain(turn, place) else { continue };
                            sum.iter_mut().zip(words).for_each(|(s, w)| *s += f64::from(f32::from_bits(w)));
                            weight += 1.0;
                        }
                    }
                }
                let words = sum.map(|s| ((s / f64::max(weight, 1.0)) as f32).to_bits());
                let mut bytes = [0; 16];
                if let Some(address) = texture.bytes(turn, Place { level, slice, at, sample: 0 }, &mut bytes) {
                    let bytes = &mut bytes[..format.bytes() as usize];
                    texel::encode(format, words, Rounding::Up, bytes);
                    texture.texels.memory.write(turn, address, bytes);
                }
            }
        }
    }
}
