//! Checks of what packets name: objects that live and are of the right kind, ranges inside of them and inside of upload memory.

use crate::packets::check::{Checked, byte, multiple, range, size};
use crate::packets::*;
use crate::state::Created;
use crate::{Arena, Cause, FEEDBACK_BUFFERS, Format, ObjectId, ObjectKind, State, UploadRef};

/// Width, height and depth of a level of a texture.
pub(super) fn level_extent(
    texture: &CreateTexture,
    field: &'static str,
    level: u16,
    layer: u16,
) -> Result<[u32; 3], Cause> {
    if u32::from(level) >= texture.levels {
        return Err(Cause::Range { field, value: level.into(), limit: u64::from(texture.levels) - 1 });
    }
    let at = |edge: u32| (edge >> level).max(1);
    let extent = [at(texture.width), at(texture.height), at(texture.depth)];
    let layers = if texture.depth > 1 { extent[2] } else { texture.layers };
    if u32::from(layer) >= layers {
        return Err(Cause::Range { field, value: layer.into(), limit: u64::from(layers) - 1 });
    }
    Ok(extent)
}

/// A view of a texture.
pub(super) fn view(state: &State, body: &CreateView) -> Checked {
    let source = match object(state, "source", body.source, ObjectKind::Texture)? {
        Created::Texture(source) => source,
        _ => return Err(Cause::WrongKind { field: "source", id: body.source }),
    };
    byte("dimension", body.dimension, Dimension::ALL.len())?;
    let dimension = Dimension::of(body.dimension);
    if (dimension == Dimension::D3) != (source.dimension == Dimension::D3 as u8) {
        return Err(Cause::Range { field: "dimension", value: body.dimension.into(), limit: source.dimension.into() });
    }
    range("levels", u64::from(body.levels.max(1)) + u64::from(body.level), source.levels.into())?;
    if body.levels == 0 {
        return Err(Cause::Range { field: "levels", value: 0, limit: source.levels.into() });
    }
    layers(dimension, body.layers.into(), source.width == source.height && source.samples == 1)?;
    range("layers", u64::from(body.layer) + u64::from(body.layers), source.layers.into())?;
    let (have, wanted) = (format_of(source)?, format_of(&body.texture(source))?);
    let (a, b) = (have.info(), wanted.info());
    let alike = !have.is_depth() && !wanted.is_depth() && (a.block, a.bytes) == (b.block, b.bytes);
    if have != wanted && !(alike && source.usage & CreateTexture::VIEWS != 0) {
        return Err(Cause::Range { field: "format", value: body.format.into(), limit: source.format.into() });
    }
    for component in body.swizzle {
        byte("swizzle", component, Swizzle::ALL.len())?;
    }
    Ok(())
}

/// A copy between a texture and a buffer.
pub(super) fn texture_copy(state: &State, copy: &TextureCopy) -> Checked {
    let texture = texture(state, "texture", copy.texture)?;
    let extent = level_extent(texture, "level", copy.level, copy.layer)?;
    inside("x", copy.x, copy.width, extent[0])?;
    inside("y", copy.y, copy.height, extent[1])?;
    inside("z", copy.z, copy.depth, extent[2])?;
    let format = format_of(texture)?;
    if format.is_depth() || texture.samples > 1 {
        return Err(Cause::WrongKind { field: "texture", id: copy.texture });
    }
    let (block, bytes) = (format.info().block, u64::from(format.info().bytes));
    multiple("x", copy.x.into(), block.into())?;
    multiple("y", copy.y.into(), block.into())?;
    // Vulkan wants whole blocks but at the edges.
    for (first, count, edge) in [(copy.x, copy.width, extent[0]), (copy.y, copy.height, extent[1])] {
        if first + count != edge {
            multiple("width", count.into(), block.into())?;
        }
    }
    multiple("row_pitch", copy.row_pitch.into(), bytes)?;
    multiple("offset", copy.offset, bytes.max(4))?;
    let slice = slice_bytes(format, copy.width, copy.height, copy.row_pitch)?;
    if copy.depth > 1 {
        multiple("slice_pitch", copy.slice_pitch.into(), copy.row_pitch.into())?;
        if u64::from(copy.slice_pitch) < slice {
            return Err(Cause::Range { field: "slice_pitch", value: copy.slice_pitch.into(), limit: slice });
        }
    }
    let size = u64::from(copy.slice_pitch).saturating_mul(u64::from(copy.depth) - 1).saturating_add(slice);
    storage(state, "buffer", copy.buffer, copy.offset, size)
}

/// A range of a buffer that is made for storage; a size of 0 is the rest.
pub(super) fn storage(state: &State, field: &'static str, id: ObjectId, offset: u64, size: u64) -> Checked {
    match object(state, field, id, ObjectKind::Buffer)? {
        Created::Buffer(buffer) if buffer.usage & CreateBuffer::STORAGE != 0 => {
            range(field, offset.saturating_add(size), buffer.size)
        }
        _ => Err(Cause::WrongKind { field, id }),
    }
}

/// New entries of a table: what they name lives.
pub(super) fn update_table(state: &State, body: &UpdateTable, entries: &[TableEntry]) -> Checked {
    let Created::Table(held) = object(state, "id", body.id, ObjectKind::Table)? else {
        return Err(Cause::WrongKind { field: "id", id: body.id });
    };
    range("count", u64::from(body.first) + u64::from(body.count), held.len() as u64)?;
    for entry in entries {
        entry.check()?;
        object_or_none(state, "texture", entry.texture, ObjectKind::Texture)?;
        object_or_none(state, "sampler", entry.sampler, ObjectKind::Sampler)?;
    }
    Ok(())
}

/// Where counters of captured bytes are read or written.
pub(super) fn counters(state: &State, counters: &[CounterRef; FEEDBACK_BUFFERS]) -> Checked {
    for counter in counters.iter().filter(|counter| !counter.buffer.is_none()) {
        multiple("offset", counter.offset, 4)?;
        storage(state, "counter", counter.buffer, counter.offset, 4)?;
    }
    Ok(())
}

pub(super) fn inside(field: &'static str, first: u32, count: u32, edge: u32) -> Checked {
    size(field, count, edge)?;
    range(field, u64::from(first) + u64::from(count), edge.into())
}

pub(super) fn upload(arena: &dyn Arena, field: &'static str, range: &UploadRef) -> Checked {
    upload_range(arena, field, range.slot, range.offset, range.size.into())
}

pub(super) fn upload_range(arena: &dyn Arena, field: &'static str, slot: u32, offset: u64, size: u64) -> Checked {
    match arena.slot_size(slot) {
        Some(bytes) if offset.checked_add(size).is_some_and(|end| end <= bytes) => Ok(()),
        _ => Err(Cause::UploadRange { field, slot, size, offset }),
    }
}

#[inline]
pub(super) fn object<'a>(
    state: &'a State,
    field: &'static str,
    id: ObjectId,
    kind: ObjectKind,
) -> Result<&'a Created, Cause> {
    if id.kind() != Some(kind) {
        return Err(if id.is_none() { Cause::Missing { field, id } } else { Cause::WrongKind { field, id } });
    }
    state.objects.get(id).ok_or(Cause::Missing { field, id })
}

#[inline]
pub(super) fn object_or_none(state: &State, field: &'static str, id: ObjectId, kind: ObjectKind) -> Checked {
    if id.is_none() { Ok(()) } else { object(state, field, id, kind).map(drop) }
}

pub(super) fn texture<'a>(state: &'a State, field: &'static str, id: ObjectId) -> Result<&'a CreateTexture, Cause> {
    match object(state, field, id, ObjectKind::Texture)? {
        Created::Texture(texture) | Created::View(_, texture) => Ok(texture),
        _ => Err(Cause::WrongKind { field, id }),
    }
}

/// Bytes from the first to the last texel of `width` x `height` texels, both more than zero, with rows of blocks
/// `row_pitch` bytes apart, which must not overlap.
pub(super) fn slice_bytes(format: Format, width: u32, height: u32, row_pitch: u32) -> Result<u64, Cause> {
    let (row, pitch) = (u64::from(format.row_bytes(width)), u64::from(row_pitch));
    if pitch < row {
        return Err(Cause::Range { field: "row_pitch", value: pitch, limit: row });
    }
    Ok(pitch * (u64::from(format.rows(height)) - 1) + row)
}

pub(super) fn shader(state: &State, field: &'static str, id: ObjectId, stage: Stage) -> Checked {
    if id.is_none() {
        return Ok(());
    }
    match object(state, field, id, ObjectKind::Shader)? {
        Created::Shader(shader) if shader.stage == stage as u32 => Ok(()),
        _ => Err(Cause::WrongKind { field, id }),
    }
}

/// A vertex or index source: a buffer, none, or a range of an arena slot.
#[inline]
pub(super) fn source(state: &State, arena: &dyn Arena, id: ObjectId, offset: u64, size: u64) -> Checked {
    if id.is_none() {
        return Ok(());
    }
    if id.kind() == Some(ObjectKind::Upload) {
        return upload_range(arena, "source", id.serial(), offset, size.max(1));
    }
    match object(state, "source", id, ObjectKind::Buffer)? {
        Created::Buffer(buffer) => range("offset", offset.saturating_add(size), buffer.size),
        _ => Err(Cause::WrongKind { field: "source", id }),
    }
}

pub(super) fn target(state: &State, field: &'static str, view: View, depth: bool) -> Checked {
    if view.texture.is_none() {
        return Ok(());
    }
    let texture = texture(state, field, view.texture)?;
    level_extent(texture, field, view.level, view.layer)?;
    if texture.usage & CreateTexture::TARGET == 0 || format_of(texture)?.is_depth() != depth {
        return Err(Cause::WrongKind { field, id: view.texture });
    }
    Ok(())
}

pub(super) fn fresh(state: &State, id: ObjectId, kind: ObjectKind) -> Checked {
    if id.kind() != Some(kind) {
        return Err(Cause::WrongKind { field: "id", id });
    }
    if state.objects.get(id).is_some() {
        return Err(Cause::Exists { field: "id", id });
    }
    let limit = state.objects.serial_limit(kind) - 1;
    if id.serial() == 0 {
        return Err(Cause::Range { field: "id", value: 0, limit: limit as u64 });
    }
    range("id", id.serial().into(), limit as u64)
}
