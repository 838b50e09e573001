//! Blit encoders.

use afterimage_metal_calls::{Aspect, BufferLayout, Class, Facts, Region, Swizzle, TextureType};

use super::Faults;
use crate::execute::texel_bytes;
use crate::objects::SoftBuffer;
use crate::texture::SoftTexture;

fn inside(faults: &mut Faults, what: &str, buffer: &SoftBuffer, offset: u64, size: u64) {
    let end = offset.checked_add(size);
    faults.must(end.is_some_and(|end| end <= buffer.length()), || {
        format!("{what}: {size} bytes from {offset} on are beyond the buffer's {}", buffer.length())
    });
}

/// Whole words, where the device copies no others.
fn words(faults: &mut Faults, facts: &Facts, values: &[(&str, u64)]) {
    for (what, value) in values {
        faults.must(facts.family.is_apple() || value.is_multiple_of(4), || {
            format!("{what} ({value}) is no multiple of 4")
        });
    }
}

pub(crate) fn copy_buffer(
    facts: &Facts,
    [(from, from_offset), (to, to_offset)]: [(&SoftBuffer, u64); 2],
    size: u64,
) -> Vec<String> {
    let mut faults = Faults::default();
    faults.must(size > 0, || "size is 0".to_owned());
    inside(&mut faults, "sourceOffset", from, from_offset, size);
    inside(&mut faults, "destinationOffset", to, to_offset, size);
    let overlap =
        from.same(to) && from_offset < to_offset.saturating_add(size) && to_offset < from_offset.saturating_add(size);
    faults.must(!overlap, || "source and destination overlap".to_owned());
    words(&mut faults, facts, &[("sourceOffset", from_offset), ("destinationOffset", to_offset), ("size", size)]);
    faults.0
}

pub(crate) fn fill_buffer(facts: &Facts, buffer: &SoftBuffer, offset: u64, size: u64) -> Vec<String> {
    let mut faults = Faults::default();
    faults.must(size > 0, || "the range has length 0".to_owned());
    inside(&mut faults, "range", buffer, offset, size);
    words(&mut faults, facts, &[("range.location", offset), ("range.length", size)]);
    faults.0
}

/// A region of a texture.
fn region(faults: &mut Faults, what: &str, texture: &SoftTexture, of: &Region, size: [u32; 3]) {
    faults.must(texture.view.swizzle == Swizzle::IDENTITY, || format!("{what}: a swizzled texture cannot be copied"));
    faults.must(of.level < texture.view.levels[1], || format!("{what}: level {} is outside of the texture", of.level));
    faults.must(of.slice < texture.view.slices[1], || format!("{what}: slice {} is outside of the texture", of.slice));
    let whole = texture.size(of.level);
    let block = texture.format().block();
    for (n, name) in ["x", "y", "z"].into_iter().enumerate() {
        let block = if n < 2 { block } else { 1 };
        let (origin, size) = (of.origin[n], size[n]);
        faults.must(size > 0, || format!("{what}: size.{name} is 0"));
        let end = u64::from(origin) + u64::from(size);
        // Blocks at the edge are whole.
        let most = u64::from(whole[n]).next_multiple_of(u64::from(block));
        faults.must(end <= most, || format!("({what}.origin.{name} + size.{name})({end}) must be <= ({})", whole[n]));
        faults.must(origin.is_multiple_of(block), || {
            format!("{what}.origin.{name} ({origin}) is no multiple of {block}")
        });
        let whole_blocks = size.is_multiple_of(block) || end == u64::from(whole[n]);
        faults.must(whole_blocks, || {
            format!("{what}: size.{name} ({size}) is no multiple of {block}, nor ends at the edge")
        });
    }
    let is_3d = texture.view.ty == TextureType::D3;
    faults.must(is_3d || size[2] == 1, || format!("{what}: depth ({}) of a texture that is not 3D is not 1", size[2]));
}

/// A copy between a buffer and a texture.
pub(crate) fn copy_buffer_texture(
    facts: &Facts,
    to_texture: bool,
    buffer: &SoftBuffer,
    layout: BufferLayout,
    texture: &SoftTexture,
    of: Region,
    aspect: Aspect,
) -> Vec<String> {
    let mut faults = Faults::default();
    let format = texture.format();
    region(&mut faults, if to_texture { "destination" } else { "source" }, texture, &of, of.size);
    faults.must(texture.samples() == 1, || "multisampled textures are not copied to or from buffers".to_owned());
    let fits = match aspect {
        Aspect::All => format.class() != Class::DepthStencil,
        Aspect::Depth => format.has_depth(),
        Aspect::Stencil => format.has_stencil() && format.class() == Class::DepthStencil,
    };
    faults.must(fits, || format!("{aspect:?} of {} cannot be copied", format.name()));
    let texel = texel_bytes(texture, aspect) as u64;
    let block = format.block();
    let row = u64::from(of.size[0].div_ceil(block)) * texel;
    let rows = u64::from(of.size[1].div_ceil(block));
    let per_row = layout.bytes_per_row;
    faults.must(per_row.is_multiple_of(texel), || format!("bytesPerRow ({per_row}) is no multiple of {texel}"));
    faults.must(per_row >= row, || format!("bytesPerRow ({per_row}) is less than the row's {row}"));
    let most = texel * u64::from(facts.limits.texture_edge);
    faults.must(per_row <= most, || format!("bytesPerRow ({per_row}) is greater than {most}"));
    let images = u64::from(of.size[2]);
    let per_image = layout.bytes_per_image;
    if images > 1 {
        faults.must(per_image >= per_row * rows, || {
            format!("bytesPerImage ({per_image}) is less than {}", per_row * rows)
        });
        faults
            .must(per_image.is_multiple_of(texel), || format!("bytesPerImage ({per_image}) is no multiple of {texel}"));
    }
    faults.must(layout.offset.is_multiple_of(texel), || {
        format!("the buffer's offset ({}) is no multiple of {texel}", layout.offset)
    });
    let step = u64::from(facts.limits.buffer_copy_step);
    faults.must(to_texture || layout.offset.is_multiple_of(step), || {
        format!("destinationOffset ({}) is no multiple of {step}", layout.offset)
    });
    // The layer counts the last row in full.
    let room = per_image.max(per_row.saturating_mul(rows)).saturating_mul(images.saturating_sub(1));
    inside(&mut faults, "the buffer", buffer, layout.offset, room.saturating_add(per_row.saturating_mul(rows)));
    faults.0
}

pub(crate) fn copy_texture(from: &SoftTexture, of: Region, to: &SoftTexture, destination: Region) -> Vec<String> {
    let mut faults = Faults::default();
    region(&mut faults, "source", from, &of, of.size);
    region(&mut faults, "destination", to, &destination, of.size);
    let (a, b) = (from.format(), to.format());
    faults.must(a == b, || format!("{} is copied to {}", a.name(), b.name()));
    faults
        .must(from.samples() == to.samples(), || format!("{} samples are copied to {}", from.samples(), to.samples()));
    let same = std::sync::Arc::ptr_eq(&from.texels, &to.texels);
    let at = |t: &SoftTexture, r: &Region| (t.view.levels[0] + r.level, t.view.slices[0] + r.slice);
    let apart = (0..3).any(|n| {
        let (a, b) = (of.origin[n], destination.origin[n]);
        a.abs_diff(b) >= of.size[n]
    });
    faults.must(!(same && at(from, &of) == at(to, &destination) && !apart), || {
        "source and destination overlap".to_owned()
    });
    faults.0
}

pub(crate) fn generate_mipmaps(facts: &Facts, of: &SoftTexture) -> Vec<String> {
    let mut faults = Faults::default();
    let levels = of.view.levels[1];
    faults.must(levels > 1, || format!("mipmapLevelCount ({levels}) must be > 1"));
    let (caps, name) = (of.format().caps(facts), of.format().name());
    faults.must(caps.render && caps.filter && of.format().class() == Class::Float, || {
        format!("{name} is not both color renderable and filterable")
    });
    faults.must(of.view.swizzle == Swizzle::IDENTITY, || "a swizzled texture".to_owned());
    faults.0
}
