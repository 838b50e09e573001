//! Calls of render and compute encoders.

use super::{Faults, Texture, fits};
use afterimage_metal_calls::{DrawCount, Facts, IndexType, ScissorRect, Stage, Viewport};

/// Entries of a table of buffers.
const ENTRIES: usize = 31;

/// Whether buffers are in the tables, and how long they are.
#[derive(Debug)]
pub(crate) struct Bound([[u64; ENTRIES]; 3]);

impl Bound {
    /// Nothing is bound.
    pub(crate) const NONE: Self = Self([[0; ENTRIES]; 3]);

    /// Whether a buffer fits in, and then it is in.
    pub(crate) fn set(&mut self, stage: Stage, index: u32, offset: u64, length: u64) -> Result<(), String> {
        let Some(entry) = self.0[stage as usize].get_mut(index as usize) else {
            return Err(format!("index {index} of {ENTRIES}"));
        };
        if offset >= length {
            return Err(format!("offset {offset} of {length} bytes"));
        }
        *entry = length;
        Ok(())
    }

    /// Whether the buffer that is there can have an offset.
    pub(crate) fn offset(&self, stage: Stage, index: u32, offset: u64) -> Result<(), String> {
        match self.0[stage as usize].get(index as usize) {
            None => Err(format!("index {index} of {ENTRIES}")),
            Some(0) => Err(format!("no buffer at index {index}")),
            Some(length) if offset >= *length => Err(format!("offset {offset} of {length} bytes")),
            Some(_) => Ok(()),
        }
    }

    /// Whether bytes fit in, and then no buffer is there.
    pub(crate) fn bytes(&mut self, stage: Stage, index: u32, size: usize, facts: &Facts) -> Result<(), String> {
        let most = facts.limits.bytes;
        if size == 0 || size > most as usize {
            return Err(format!("{size} bytes, not 1 to {most}"));
        }
        match self.0[stage as usize].get_mut(index as usize) {
            Some(entry) => *entry = 0,
            None => return Err(format!("index {index} of {ENTRIES}")),
        }
        Ok(())
    }
}

/// Offsets of visibility results that a pass has used, each of which counts once.
#[derive(Debug, Default)]
pub(crate) struct Offsets(Vec<u64>);

impl Offsets {
    /// Bytes of a result.
    const SIZE: u64 = 8;

    /// None is used.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// `setVisibilityResultMode:offset:` of another mode than none, with a buffer of so many bytes.
    pub(crate) fn set(&mut self, offset: u64, length: u64, facts: &Facts) -> Result<(), String> {
        let most = u64::from(facts.limits.visibility);
        if length == 0 {
            return Err("the pass has no buffer for results".into());
        }
        if !offset.is_multiple_of(Self::SIZE) || offset > most || !fits(offset, Self::SIZE, length) {
            return Err(format!("offset {offset} of {length} bytes, up to {most} in steps of {}", Self::SIZE));
        }
        let (word, bit) = ((offset / Self::SIZE / 64) as usize, 1 << (offset / Self::SIZE % 64));
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let used = self.0[word] & bit != 0;
        self.0[word] |= bit;
        if used { Err(format!("offset {offset} a second time in a pass")) } else { Ok(()) }
    }
}

/// What must be there before a draw.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Draws {
    /// A pipeline is set.
    pub(crate) pipeline: bool,
}

/// `drawPrimitives:vertexStart:vertexCount:instanceCount:baseInstance:`, and of an indexed draw what it has of it.
#[inline]
pub(crate) fn draw(draws: Draws, count: DrawCount, indexed: bool) -> Result<(), String> {
    if count.count == 0 || count.instances == 0 {
        return Err(format!("{} vertices in {} instances", count.count, count.instances));
    }
    pipeline(draws)?;
    if indexed || (count.first >= 0 && (count.first.unsigned_abs()).checked_add(count.count).is_some()) {
        return Ok(());
    }
    Err(format!("{} vertices from {} on", count.count, count.first))
}

/// A pipeline is there, for draws of which nothing else is known.
#[inline]
pub(crate) fn pipeline(draws: Draws) -> Result<(), String> {
    if draws.pipeline { Ok(()) } else { Err("no pipeline is set".into()) }
}

/// An index of a table.
#[inline]
pub(crate) fn entry(index: u32, count: u32) -> Result<(), String> {
    if index < count { Ok(()) } else { Err(format!("index {index} of {count}")) }
}

/// `set*Texture:atIndex:`.
#[inline]
pub(crate) fn bind_texture(texture: &Texture, index: u32, facts: &Facts) -> Result<(), String> {
    entry(index, facts.limits.textures)?;
    let usage = texture.usage;
    if usage.read || usage.write || usage.atomic { Ok(()) } else { Err("the texture is not made for shaders".into()) }
}

/// Whether so many indices are in a buffer, which has so many bytes.
#[inline]
pub(crate) fn indices(offset: u64, ty: IndexType, count: u32, length: u64) -> Result<(), String> {
    let size = match ty {
        IndexType::UInt16 => 2,
        IndexType::UInt32 => 4,
    };
    if !offset.is_multiple_of(size) || !fits(offset, u64::from(count) * size, length) {
        return Err(format!("{count} indices of {size} bytes from {offset} on of {length}"));
    }
    Ok(())
}

/// Whether so many words of arguments are in a buffer.
pub(crate) fn inside(offset: u64, words: u64, length: u64) -> Result<(), String> {
    if !offset.is_multiple_of(4) || !fits(offset, words * 4, length) {
        return Err(format!("{words} words from {offset} on of {length} bytes"));
    }
    Ok(())
}

/// `dispatchThreadgroups:threadsPerThreadgroup:`; the pipeline has room for so many threads, 0 where there is none.
pub(crate) fn dispatch(groups: [u32; 3], threads: [u32; 3], most: u64) -> Result<(), String> {
    if groups.contains(&0) {
        return Err(format!("{groups:?} threadgroups"));
    }
    if most == 0 {
        return Err("no pipeline is set".into());
    }
    let count = threads.iter().fold(1_u64, |count, edge| count.saturating_mul(u64::from(*edge)));
    if count == 0 || count > most {
        return Err(format!("{threads:?} threads in a group, not 1 to {most}"));
    }
    Ok(())
}

/// `setViewport:`.
pub(crate) fn viewport(viewport: &Viewport, facts: &Facts) -> Result<(), String> {
    let Viewport { origin, size, depth } = *viewport;
    let most = f64::from(facts.limits.viewport);
    let mut faults = Faults::default();
    for axis in 0..2 {
        let (from, count) = (origin[axis], size[axis]);
        let inside = from.abs() <= most && count >= 0.0 && count <= most && (from + count).abs() <= most;
        faults.unless(inside, || format!("{count} texels from {from} on"));
    }
    faults.unless(depth.iter().all(|each| each.is_finite()), || format!("depth {depth:?}"));
    faults.joined()
}

/// How many `setViewports:count:` and `setScissorRects:count:` are given.
pub(crate) fn count(given: usize, facts: &Facts) -> Result<(), String> {
    let most = facts.limits.viewports;
    if (1..=most as usize).contains(&given) { Ok(()) } else { Err(format!("{given} of them, not 1 to {most}")) }
}

/// `setDepthTestMinBound:maxBound:`.
pub(crate) fn depth_bounds([least, most]: [f32; 2], facts: &Facts) -> Result<(), String> {
    if !facts.depth_bounds {
        return Err("the device has no depth bounds".into());
    }
    // What is no number is not in order.
    if 0.0 <= least && least <= most && most <= 1.0 { Ok(()) } else { Err(format!("depth from {least} to {most}")) }
}

/// `setScissorRect:` in a pass of so many texels.
pub(crate) fn scissor(rect: &ScissorRect, pass: [u32; 2]) -> Result<(), String> {
    let inside = |axis: usize| {
        let count = rect.size[axis];
        count > 0 && fits(rect.origin[axis].into(), count.into(), pass[axis].into())
    };
    if inside(0) && inside(1) {
        return Ok(());
    }
    Err(format!("{:?} texels from {:?} on of {pass:?}", rect.size, rect.origin))
}
