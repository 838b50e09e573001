//! Indices of a draw as Metal takes them, and how many vertices it reads.

use crate::error::Result;
use crate::execute::draw::{Call, MOST_VERTICES};
use crate::memory::ring::Slice;
use crate::renderer::Renderer;
use crate::state::indices::{greatest, is_strip, list, primitive, read};
use crate::state::vertices::Input;
use afterimage_metal_calls::{Device, DrawCount, IndexType, PrimitiveType};
use afterimage_stream::packets::Topology;
use afterimage_stream::{ObjectId, ObjectKind};

/// A draw as it is encoded.
#[derive(Debug)]
pub(crate) struct Indexed<D: Device> {
    pub(crate) primitive: PrimitiveType,
    pub(crate) count: DrawCount,
    /// Where its indices are, if it has some.
    pub(crate) indices: Option<(Slice<D>, IndexType)>,
    /// Vertices that it reads of each buffer, from the first one on.
    pub(crate) needed: u64,
    /// What a vertex function is told that fetches by itself.
    pub(crate) told: Option<Told<D>>,
}

/// What a vertex function is told that fetches by itself: its system values, and what it reaches by address.
#[derive(Debug)]
pub(crate) struct Told<D: Device> {
    pub(crate) block: Vec<u8>,
    pub(crate) reached: Vec<D::Buffer>,
}

/// What a binding of vertices or indices names.
#[derive(Clone, Debug)]
pub(crate) struct Bytes<D: Device> {
    pub(crate) slice: Slice<D>,
    pub(crate) size: u64,
    /// Another number for other memory.
    pub(crate) memory: u64,
    /// Another number for other memory or other contents.
    pub(crate) version: u64,
    pub(crate) buffer: ObjectId,
}

impl<D: Device> Renderer<D> {
    /// Where the bytes of a binding are. `upload` has those that were uploaded.
    pub(crate) fn bytes_of(
        &self,
        source: ObjectId,
        offset: u64,
        size: u64,
        upload: Option<&crate::state::bound::Upload<D>>,
    ) -> Option<Bytes<D>> {
        match source.kind() {
            Some(ObjectKind::Buffer) => {
                let buffer = self.resources.buffers.get(source)?;
                let rest = buffer.desc.size.checked_sub(offset).filter(|rest| *rest > 0)?;
                let size = if size == 0 { rest } else { size.min(rest) };
                let slice = Slice { buffer: buffer.raw.clone(), offset };
                Some(Bytes { slice, size, memory: buffer.memory, version: buffer.version, buffer: source })
            }
            Some(ObjectKind::Upload) => {
                let upload = upload?;
                Some(Bytes {
                    slice: upload.slice.clone(),
                    size: upload.size,
                    memory: upload.version,
                    version: upload.version,
                    buffer: ObjectId::NONE,
                })
            }
            _ => None,
        }
    }

    /// Reads bytes of a binding, and waits for the GPU where that writes them.
    pub(crate) fn read_bytes(&mut self, bytes: &Bytes<D>, offset: u64, len: u64) -> Result<Vec<u8>> {
        let completed = self.commands.completed;
        let written = self
            .resources
            .buffers
            .get(bytes.buffer)
            .is_some_and(|buffer| buffer.gpu_written && buffer.is_busy(completed));
        if written && !bytes.buffer.is_none() {
            let serial = self.submit()?;
            self.commands.wait(serial)?;
        }
        let mut out = vec![0; len.min(bytes.size.saturating_sub(offset)) as usize];
        self.device.read(&bytes.slice.buffer, bytes.slice.offset + offset, &mut out)?;
        Ok(out)
    }

    /// The draw as Metal takes it. `None` where nothing is drawn.
    pub(crate) fn ready_indices(&mut self, call: &Call, points: bool, input: &Input) -> Result<Option<Indexed<D>>> {
        let last = self.state.raster.provoking != 0 && call.topology != Topology::PointList;
        // Vertices outside of every buffer are all alike: zero, and one of them is enough.
        let limit = self.vertex_limit(input);
        let as_it_is = primitive(call.topology).filter(|_| !last && (!points || call.topology == Topology::PointList));
        let source = if call.indexed { self.index_source() } else { None };
        let count = match (&source, call.indexed) {
            (None, true) => 0,
            (Some((bytes, width)), _) => {
                let there = bytes.size / *width as u64;
                u64::from(call.count).min(there.saturating_sub(call.first.into()))
            }
            (None, false) => match limit {
                None => call.count.into(),
                Some(limit) => u64::from(call.count).min((limit + 1).saturating_sub(call.first.into())),
            },
        };
        let count = count.min(MOST_VERTICES) as u32;
        let instances = match call.instances {
            0 | 1 => call.instances,
            wanted => u64::from(wanted).min(MOST_VERTICES / u64::from(count.max(1))) as u32,
        };
        if count == 0 || instances == 0 {
            return Ok(None);
        }
        let drawn = |first: i32, count: u32| DrawCount { first, count, instances, base_instance: call.first_instance };
        if call.topology == Topology::RectList {
            // The vertex shader runs for each of the six corners of two triangles.
            let first = i32::try_from(u64::from(call.first) * 2).ok().filter(|_| call.first.is_multiple_of(3));
            let (Some(first), 1..) = (first, count / 3) else {
                if count >= 3 {
                    self.warn_once("lists of rectangles that begin within one: they");
                }
                return Ok(None);
            };
            let (primitive, count) = (PrimitiveType::Triangle, drawn(first, count / 3 * 6));
            return Ok(Some(Indexed { primitive, count, indices: None, needed: 0, told: None }));
        }
        let Some((bytes, width)) = source else {
            let end = u64::from(call.first) + u64::from(count);
            if let Some(primitive) = as_it_is
                && let Ok(first) = i32::try_from(call.first)
            {
                return Ok(Some(Indexed {
                    primitive,
                    count: drawn(first, count),
                    indices: None,
                    needed: end,
                    told: None,
                }));
            }
            let indices = (call.first..call.first.saturating_add(count)).map(Some);
            let (primitive, indices) = self.list_of(call.topology, points, last, indices);
            return self.listed(primitive, &indices, end, drawn);
        };
        let (width_bytes, restart) = (width as u64, self.state.index_buffer.restart != 0);
        let at = u64::from(call.first) * width_bytes;
        let len = u64::from(count) * width_bytes;
        let key = (bytes.version, bytes.slice.offset + at, len, width_bytes << 1 | u64::from(restart));
        let (most, has_greatest) = match self.index_facts.get(&key) {
            Some(facts) => *facts,
            None => {
                let read_back = self.read_bytes(&bytes, at, len)?;
                let greatest = greatest(width);
                let facts = read(&read_back, width, false).flatten().fold((0, false), |(most, found), index| {
                    let none = index == greatest;
                    (if none && restart { most } else { index.max(most) }, found | none)
                });
                self.index_facts.insert(key, facts);
                facts
            }
        };
        let limit = limit.unwrap_or(u64::from(u32::MAX - 1));
        let base = i64::from(call.base_vertex);
        let fits = base >= 0 && u64::from(most).saturating_add_signed(base) <= limit;
        let greatest_is_fine = !has_greatest || (restart && is_strip(call.topology));
        let aligned = (bytes.slice.offset + at).is_multiple_of(width_bytes);
        let ty = if width == 2 { IndexType::UInt16 } else { IndexType::UInt32 };
        if let Some(primitive) = as_it_is
            && width > 1
            && fits
            && greatest_is_fine
            && aligned
        {
            let slice = Slice { buffer: bytes.slice.buffer.clone(), offset: bytes.slice.offset + at };
            let needed = u64::from(most).saturating_add_signed(base) + 1;
            let current = self.commands.current();
            if let Some(buffer) = self.resources.buffers.get_mut(bytes.buffer).filter(|_| !bytes.buffer.is_none()) {
                buffer.last_used = current;
            }
            return Ok(Some(Indexed {
                primitive,
                count: drawn(call.base_vertex, count),
                indices: Some((slice, ty)),
                needed,
                told: None,
            }));
        }
        let all = self.read_bytes(&bytes, at, len)?;
        let outside = limit.min(u64::from(u32::MAX - 1)) as u32;
        let moved = |index: u32| u32::try_from(i64::from(index) + base).unwrap_or(outside).min(outside);
        let indices = read(&all, width, restart).map(|index| index.map(moved));
        let needed = u64::from(u32::try_from(i64::from(most) + base).unwrap_or(outside).min(outside)) + 1;
        let needed = if base < 0 || !fits { u64::from(outside) + 1 } else { needed };
        if let Some(primitive) = as_it_is.filter(|_| is_strip(call.topology) || !restart) {
            let indices: Vec<u32> = indices.map(|index| index.unwrap_or(u32::MAX)).collect();
            return self.listed(primitive, &indices, needed, drawn);
        }
        let (primitive, indices) = self.list_of(call.topology, points, last, indices);
        self.listed(primitive, &indices, needed, drawn)
    }

    /// A list of primitives, or of the vertices of those where they are drawn as points.
    fn list_of(
        &self,
        topology: Topology,
        points: bool,
        last: bool,
        indices: impl Iterator<Item = Option<u32>>,
    ) -> (PrimitiveType, Vec<u32>) {
        let (primitive, indices) = list(topology, last, indices);
        (if points { PrimitiveType::Point } else { primitive }, indices)
    }

    fn listed(
        &mut self,
        primitive: PrimitiveType,
        indices: &[u32],
        needed: u64,
        drawn: impl Fn(i32, u32) -> DrawCount,
    ) -> Result<Option<Indexed<D>>> {
        if indices.is_empty() {
            return Ok(None);
        }
        self.limit_outstanding()?;
        let slice = self.put(bytemuck::cast_slice(indices), 16)?;
        let indexed = Indexed {
            primitive,
            count: drawn(0, indices.len() as u32),
            indices: Some((slice, IndexType::UInt32)),
            needed,
            told: None,
        };
        Ok(Some(indexed))
    }

    /// The bytes of the index buffer, and of an index.
    pub(crate) fn index_source(&self) -> Option<(Bytes<D>, usize)> {
        let body = *self.state.index_buffer;
        let bytes = self.bytes_of(body.source, body.offset, body.size, self.bound.index_upload.as_ref())?;
        Some((bytes, usize::from(body.index_bytes.max(1))))
    }
}
