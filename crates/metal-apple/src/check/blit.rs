//! Blits.

use super::{Faults, Texture, fits};
use afterimage_metal_calls::{Aspect, BufferLayout, Class, Facts, Family, PixelFormat, Region};

/// `copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:`; of both buffers, offset and length.
pub(crate) fn copy_buffers([from, to]: [(u64, u64); 2], size: u64, same: bool, facts: &Facts) -> Result<(), String> {
    let mut faults = Faults::default();
    faults.unless(size > 0, || "no bytes".into());
    for (what, (offset, length)) in [("from", from), ("to", to)] {
        faults.unless(fits(offset, size, length), || format!("{what} {offset} on, {size} bytes of {length}"));
    }
    let step = u64::from(if facts.family == Family::Mac2 { 4_u32 } else { 1 });
    let whole = [from.0, to.0, size].iter().all(|each| each.is_multiple_of(step));
    faults.unless(whole, || format!("{size} bytes from {} to {} in steps of {step}", from.0, to.0));
    faults.unless(!same || from.0.abs_diff(to.0) >= size, || "a part of a buffer onto itself".into());
    faults.joined()
}

/// `fillBuffer:range:value:`.
pub(crate) fn fill(offset: u64, size: u64, length: u64, facts: &Facts) -> Result<(), String> {
    copy_buffers([(offset, length); 2], size, false, facts)
}

/// Whether a region is one of a texture.
pub(crate) fn region(texture: &Texture, region: &Region) -> Result<(), String> {
    let mut faults = Faults::default();
    let Region { slice, level, origin, size } = *region;
    faults.unless(level < texture.levels, || format!("level {level} of {}", texture.levels));
    faults.unless(slice < texture.slices, || format!("slice {slice} of {}", texture.slices));
    faults.unless(!texture.framebuffer_only, || "a layer's picture is only drawn into".into());
    faults.unless(!texture.swizzled, || "a view with a swizzle".into());
    let edges = texture.level(level);
    let block = texture.format.block();
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let (from, count, edge) = (origin[axis], size[axis], edges[axis]);
        let block = if axis < 2 { block } else { 1 };
        let end = from.checked_add(count);
        let inside = count > 0 && end.is_some_and(|end| end <= edge.next_multiple_of(block));
        faults.unless(inside, || format!("{name}: {count} texels from {from} on of {edge}"));
        let whole = from.is_multiple_of(block) && (count.is_multiple_of(block) || end == Some(edge));
        faults.unless(whole, || format!("{name}: {count} texels from {from} on are no whole blocks of {block}"));
    }
    faults.joined()
}

/// Bytes of a texel or block of a part of a format.
fn bytes(format: PixelFormat, aspect: Aspect) -> Option<u64> {
    let bytes = match (aspect, format.class()) {
        (Aspect::All, Class::DepthStencil) => return None,
        (Aspect::All, _) => format.bytes(),
        (Aspect::Depth, Class::Depth) => format.bytes(),
        (Aspect::Depth, Class::DepthStencil) => 4,
        (Aspect::Stencil, Class::Stencil | Class::DepthStencil) => 1,
        _ => return None,
    };
    Some(bytes.into())
}

/// Texels in a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub(crate) layout: BufferLayout,
    pub(crate) aspect: Aspect,
    /// The buffer's bytes.
    pub(crate) length: u64,
    /// Whether they are copied to the buffer.
    pub(crate) written: bool,
}

impl Rows {
    /// `copyFromBuffer:…toTexture:…` and `copyFromTexture:…toBuffer:…`. The last row may end with its last texel: that it does not is
    /// a rule of the validation layer alone.
    pub(crate) fn check(&self, texture: &Texture, region: &Region, facts: &Facts) -> Result<(), String> {
        super::region(texture, region)?;
        let mut faults = Faults::default();
        let BufferLayout { offset, bytes_per_row, bytes_per_image } = self.layout;
        let name = texture.format.name();
        faults.unless(texture.samples == 1, || format!("{} samples", texture.samples));
        let Some(unit) = bytes(texture.format, self.aspect) else {
            return Err(format!("{:?} of {name}", self.aspect));
        };
        let block = texture.format.block();
        let [columns, rows] = [region.size[0], region.size[1]].map(|edge| u64::from(edge.div_ceil(block)));
        let images = u64::from(region.size[2]);
        let row = columns * unit;
        let whole = bytes_per_row.is_multiple_of(unit) && bytes_per_image.is_multiple_of(unit);
        faults.unless(whole && offset.is_multiple_of(unit), || {
            format!("offset {offset}, rows of {bytes_per_row}, planes of {bytes_per_image} in steps of {unit}")
        });
        faults.unless(bytes_per_row >= row, || format!("rows of {bytes_per_row} bytes for {row}"));
        let most = u64::from(facts.limits.texture_edge).saturating_mul(unit);
        faults.unless(bytes_per_row <= most, || format!("rows of {bytes_per_row} bytes, not up to {most}"));
        let plane = bytes_per_row.saturating_mul(rows);
        faults.unless(images == 1 || bytes_per_image >= plane, || {
            format!("planes of {bytes_per_image} bytes for {plane}")
        });
        let step = u64::from(facts.limits.buffer_copy_step);
        faults.unless(!self.written || offset.is_multiple_of(step), || {
            format!("offset {offset} of a copy to a buffer, in steps of {step}")
        });
        let planes = bytes_per_image.saturating_mul(images.saturating_sub(1));
        let size = planes.saturating_add(bytes_per_row.saturating_mul(rows.saturating_sub(1))).saturating_add(row);
        faults.unless(fits(offset, size, self.length), || format!("{size} bytes from {offset} on of {}", self.length));
        faults.joined()
    }
}

/// `copyFromTexture:…toTexture:…destinationOrigin:`.
pub(crate) fn copy_textures(from: (&Texture, &Region), to: (&Texture, &Region)) -> Result<(), String> {
    region(from.0, from.1)?;
    region(to.0, &Region { size: from.1.size, ..*to.1 })?;
    let mut faults = Faults::default();
    let (one, other) = (from.0, to.0);
    faults.unless(one.format == other.format, || format!("{} to {}", one.format.name(), other.format.name()));
    faults.unless(one.samples == other.samples, || format!("{} samples to {}", one.samples, other.samples));
    faults.joined()
}

/// `generateMipmapsForTexture:`.
pub(crate) fn mipmaps(texture: &Texture, facts: &Facts) -> Result<(), String> {
    let caps = texture.format.caps(facts);
    let mut faults = Faults::default();
    faults.unless(texture.levels > 1, || "a single level".into());
    faults.unless(!texture.swizzled && !texture.framebuffer_only, || "a view with a swizzle, or a layer's".into());
    let makes = texture.format.class() == Class::Float && caps.render && caps.filter;
    faults.unless(makes, || format!("{} has no mipmaps made", texture.format.name()));
    faults.joined()
}
