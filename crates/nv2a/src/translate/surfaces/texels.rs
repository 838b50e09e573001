//! Samples in memory to texels of the host's format, and back.

use super::{Arrangement, Layout, Samples};
use crate::memory::{GuestMemory, OutOfRange, PAGE};
use afterimage_stream::packets::Rect;
use afterimage_texture::nv2a::{ColorFormat, Surface as Pixels, ZetaFormat};
use afterimage_texture::plane::{Order, Plane};
use afterimage_texture::swizzle::{Morton, Pitch, Region};
use std::ops::Range;

/// Why samples cannot be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(transparent)]
    Memory(#[from] OutOfRange),
    #[error(transparent)]
    Texels(#[from] afterimage_texture::Error),
}

/// The generation of a range, or 0 where the memory cannot tell when it was written: then surfaces count as newest.
pub(super) fn generation(memory: &dyn GuestMemory, address: u32, size: u32) -> u64 {
    let tells = memory.generation(address, 1) == memory.generation(address, 1);
    if tells { memory.generation(address, size) } else { 0 }
}

/// The parts of a range that lie in one page each.
fn pages(address: u32, size: u32) -> impl Iterator<Item = Range<u32>> {
    let end = address + size;
    let mut at = address;
    std::iter::from_fn(move || {
        let start = at;
        at = (start / PAGE + 1).saturating_mul(PAGE).min(end);
        (start < end).then_some(start..at)
    })
}

/// The rows of a surface that lie in pages written after `known`.
pub(super) fn newer_rows(memory: &dyn GuestMemory, layout: &Layout, size: [u32; 2], known: u64) -> Range<u32> {
    let Arrangement::Pitch(pitch) = layout.arrangement else { return 0..size[1] };
    let start = layout.address;
    let mut newer = pages(start, layout.bytes(size)).filter(|page| memory.generation(page.start, 1) > known);
    let Some(first) = newer.next() else { return 0..0 };
    let end = newer.last().map_or(first.end, |last| last.end);
    (first.start - start) / pitch..((end - 1 - start) / pitch + 1).min(size[1])
}

/// Rows of a surface as texels of the host, packed, and whether some have bits that are no component as draws do not leave them. A
/// swizzled surface comes whole.
pub(super) fn load(
    memory: &dyn GuestMemory,
    layout: &Layout,
    size: [u32; 2],
    rows: Range<u32>,
) -> Result<(Vec<u8>, bool), Error> {
    let Layout { address, samples, arrangement } = *layout;
    let [width, height] = [size[0], rows.end.saturating_sub(rows.start)];
    let row = (width * samples.bytes()) as usize;
    let mut raw = vec![0; row * height as usize];
    match arrangement {
        Arrangement::Pitch(pitch) => {
            for (y, row) in rows.zip(raw.chunks_exact_mut(row)) {
                memory.read(address + y * pitch, row)?;
            }
        }
        Arrangement::Swizzled(..) => {
            let mut bytes = vec![0; layout.bytes(size) as usize];
            memory.read(address, &mut bytes)?;
            plane(layout, size)?.read(&bytes, Region::rectangle(0, 0, width, height), &mut raw, packed(row))?;
        }
    }
    let stray = samples.color().is_some_and(|format| format.has_stray_bits(&raw));
    Ok((decode(samples, raw, [width, height])?, stray))
}

/// Writes texels of the host, packed, into a rectangle of a surface, except for pages that were written after `known`. With `marked`,
/// alpha says which of them were drawn ([`super::Surface::stray`]).
pub(super) fn store(
    memory: &mut dyn GuestMemory,
    layout: &Layout,
    size: [u32; 2],
    rect: Rect,
    texels: Vec<u8>,
    (known, marked): (u64, bool),
) -> Result<(), Error> {
    let samples = layout.samples;
    let kept = kept(samples, &texels, marked);
    let mut raw = encode(samples, texels, [rect.width, rect.height])?;
    let [x, y] = [rect.x as u32, rect.y as u32];
    let row = (rect.width * samples.bytes()) as usize;
    let all = pages(layout.address, layout.bytes(size));
    let newer: Vec<u32> =
        all.map(|page| page.start / PAGE).filter(|page| generation(memory, page * PAGE, 1) > known).collect();
    let mut whole = Vec::new();
    if let Arrangement::Swizzled(..) = layout.arrangement {
        whole.resize(layout.bytes(size) as usize, 0);
        memory.read(layout.address, &mut whole)?;
    }
    if let Some((format, kept)) = kept {
        let mut before = vec![0; raw.len()];
        match layout.arrangement {
            Arrangement::Pitch(pitch) => {
                for (line, before) in (y..).zip(before.chunks_exact_mut(row)) {
                    memory.read(layout.address + line * pitch + x * samples.bytes(), before)?;
                }
            }
            Arrangement::Swizzled(..) => {
                let region = Region::rectangle(x, y, rect.width, rect.height);
                plane(layout, size)?.read(&whole, region, &mut before, packed(row))?;
            }
        }
        keep(format, kept.as_deref(), &before, &mut raw);
    }
    let mut put = |at: u32, bytes: &[u8]| -> Result<(), OutOfRange> {
        if newer.is_empty() {
            return memory.write(at, bytes);
        }
        pages(at, bytes.len() as u32)
            .filter(|part| newer.binary_search(&(part.start / PAGE)).is_err())
            .try_for_each(|part| memory.write(part.start, &bytes[(part.start - at) as usize..(part.end - at) as usize]))
    };
    match layout.arrangement {
        Arrangement::Pitch(pitch) => {
            for (line, bytes) in raw.chunks_exact(row).enumerate() {
                put(layout.address + (y + line as u32) * pitch + x * samples.bytes(), bytes)?;
            }
        }
        Arrangement::Swizzled(..) => {
            let region = Region::rectangle(x, y, rect.width, rect.height);
            plane(layout, size)?.write(&raw, packed(row), &mut whole, region)?;
            put(layout.address, &whole)?;
        }
    }
    Ok(())
}

/// What has to be known to give pixels that were not drawn the bits back that are no component: the format, and which pixels those are.
/// Where alpha cannot say it, those that are as they were.
fn kept(samples: Samples, texels: &[u8], marked: bool) -> Option<(ColorFormat, Option<Vec<bool>>)> {
    let format = samples.color().filter(|format| format.rest() != 0)?;
    if has_alpha(format) {
        return Some((format, None));
    }
    let kept: Vec<bool> = texels.chunks_exact(4).map(|texel| marked && texel[3] != 0).collect();
    kept.contains(&true).then_some((format, Some(kept)))
}

/// Whether pixels have a component alpha.
pub(super) fn has_alpha(format: ColorFormat) -> bool {
    matches!(format, ColorFormat::X1A7R8G8B8_Z1A7R8G8B8 | ColorFormat::X1A7R8G8B8_O1A7R8G8B8 | ColorFormat::A8R8G8B8)
}

/// Gives pixels that were not drawn the bits back that are no component.
fn keep(format: ColorFormat, kept: Option<&[bool]>, before: &[u8], pixels: &mut [u8]) {
    let bytes = format.bytes() as usize;
    let rest = format.rest().to_le_bytes();
    for (i, (pixel, before)) in pixels.chunks_exact_mut(bytes).zip(before.chunks_exact(bytes)).enumerate() {
        let same = || pixel.iter().zip(before).zip(rest).all(|((now, before), rest)| (now ^ before) & !rest == 0);
        if kept.map_or_else(same, |kept| kept[i]) {
            for ((byte, before), rest) in pixel.iter_mut().zip(before).zip(rest) {
                *byte = *byte & !rest | *before & rest;
            }
        }
    }
}

fn packed(row: usize) -> Pitch {
    Pitch { row, slice: 0 }
}

/// A swizzled surface.
fn plane(layout: &Layout, [width, height]: [u32; 2]) -> Result<Plane, Error> {
    let order = Order::Swizzled(Morton::new([width.ilog2(), height.ilog2(), 0])?);
    Ok(Plane { bytes: layout.samples.bytes(), size: [width, height, 1], order })
}

fn decode(samples: Samples, mut raw: Vec<u8>, [width, height]: [u32; 2]) -> Result<Vec<u8>, Error> {
    match samples {
        Samples::Color(ColorFormat::A8R8G8B8) | Samples::Zeta(ZetaFormat::Z16) => Ok(raw),
        Samples::Zeta(ZetaFormat::Z24S8) => {
            rotate(&mut raw, 24);
            Ok(raw)
        }
        Samples::Color(format) => {
            let pixels = Pixels::by_pitch(format.bytes(), width, height, width * format.bytes())?;
            let mut colors = vec![0; 4 * width as usize * height as usize];
            pixels.load(format, &raw, Region::rectangle(0, 0, width, height), &mut colors, 4 * width as usize)?;
            Ok(colors)
        }
    }
}

fn encode(samples: Samples, mut texels: Vec<u8>, [width, height]: [u32; 2]) -> Result<Vec<u8>, Error> {
    match samples {
        Samples::Color(ColorFormat::A8R8G8B8) | Samples::Zeta(ZetaFormat::Z16) => Ok(texels),
        Samples::Zeta(ZetaFormat::Z24S8) => {
            rotate(&mut texels, 8);
            Ok(texels)
        }
        Samples::Color(format) => {
            let pixels = Pixels::by_pitch(format.bytes(), width, height, width * format.bytes())?;
            let mut raw = vec![0; (width * format.bytes()) as usize * height as usize];
            pixels.store(format, &texels, 4 * width as usize, &mut raw, Region::rectangle(0, 0, width, height))?;
            Ok(raw)
        }
    }
}

/// Rotates words to the left: the guest has depth above stencil, the stream stencil above depth.
fn rotate(words: &mut [u8], bits: u32) {
    for word in words.chunks_exact_mut(4) {
        let value = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        word.copy_from_slice(&value.rotate_left(bits).to_le_bytes());
    }
}
