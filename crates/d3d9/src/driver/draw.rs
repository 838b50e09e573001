//! Draws.

use super::Device;
use crate::error::{Error, Result};
use crate::machine::{DeviceState, Group, STREAMS, Stream};
use afterimage_d3d9_types::*;
use afterimage_state::Dirty;
use afterimage_stream::ObjectId;
use afterimage_stream::ObjectKind;
use afterimage_stream::packets::{Draw, DrawIndexed, SetIndexBuffer, VertexBuffer};

/// Vertices (or indices) that so many primitives take; none for a type that does not exist or a number too large.
#[inline]
fn elements(primitive: D3DPRIMITIVETYPE, count: u32) -> Option<u32> {
    match primitive {
        D3DPT_POINTLIST => Some(count),
        D3DPT_LINELIST => count.checked_mul(2),
        D3DPT_LINESTRIP => count.checked_add(1),
        D3DPT_TRIANGLELIST => count.checked_mul(3),
        D3DPT_TRIANGLESTRIP | D3DPT_TRIANGLEFAN => count.checked_add(2),
        _ => None,
    }
}

impl Device {
    /// Makes the receiver's state that of the registers.
    #[inline]
    pub(super) fn prepare(&mut self, level: Dirty<Group>) -> Result<()> {
        if !self.locked_buffers.is_empty() {
            self.send_locked_buffers();
        }
        self.registers.tracker.drawn();
        if self.registers.tracker.dirty().touches(level) || self.checks { self.apply_for_draw(level) } else { Ok(()) }
    }

    /// `DrawPrimitive`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a bad type, no primitives, or no vertex declaration.
    #[inline]
    pub fn draw_primitive(&mut self, primitive: D3DPRIMITIVETYPE, first: u32, count: u32) -> Result<()> {
        let vertices = elements(primitive, count).ok_or(Error::InvalidCall)?;
        if count == 0 {
            return Err(Error::InvalidCall);
        }
        self.prepare(Group::DRAW)?;
        // The numbers of D3DPRIMITIVETYPE are those of the stream, from 1 instead of 0.
        self.port.push(&Draw {
            topology: primitive - 1,
            first,
            count: vertices,
            instances: 1,
            first_instance: 0,
            pad: 0,
        });
        self.port.flush_if_due();
        Ok(())
    }

    /// `DrawIndexedPrimitive`.
    ///
    /// # Errors
    /// As [`Device::draw_primitive`]. Without an index buffer nothing is drawn, and that is no error.
    #[inline]
    pub fn draw_indexed_primitive(
        &mut self,
        primitive: D3DPRIMITIVETYPE,
        base_vertex: i32,
        _min_vertex: u32,
        _vertices: u32,
        first_index: u32,
        count: u32,
    ) -> Result<()> {
        let indices = elements(primitive, count).ok_or(Error::InvalidCall)?;
        if count == 0 || self.registers.declaration.is_none() {
            return Err(Error::InvalidCall);
        }
        if self.registers.indices.is_none() {
            // Direct3D draws nothing and says nothing.
            return Ok(());
        }
        self.prepare(Group::DRAW)?;
        let frequency = self.registers.frequencies[0];
        let instances = if frequency & D3DSTREAMSOURCE_INDEXEDDATA != 0 { frequency & 0x3fff_ffff } else { 1 };
        self.port.push(&DrawIndexed {
            topology: primitive - 1,
            first: first_index,
            count: indices,
            instances,
            base_vertex,
            first_instance: 0,
        });
        self.port.flush_if_due();
        Ok(())
    }

    /// Vertices (or indices) that [`Device::draw_primitive_up`] reads for so many primitives; none for a type that does
    /// not exist.
    #[must_use]
    pub fn up_vertex_count(primitive: D3DPRIMITIVETYPE, count: u32) -> Option<u32> {
        elements(primitive, count)
    }

    /// Stream 0 becomes `vertices` for one draw that otherwise needs `level`, and unbound after it. Gives the number of the first
    /// vertex.
    fn stream_vertices(&mut self, vertices: &[u8], stride: u32, level: Dirty<Group>) -> Result<u32> {
        if stride == 0 || stride > 2048 {
            return Err(Error::InvalidCall);
        }
        let registers = &mut self.registers;
        let old = registers.streams[0];
        registers.streams.set(0, Stream::default(), &mut registers.tracker);
        // Where no other stream changed, all that the group would do is left for later.
        let others = registers.tracker.instances(DeviceState::STREAM) & !1 & ((1 << STREAMS) - 1);
        let level = if others == 0 { level.without(Group::VertexBuffers) } else { level };
        self.unbind_buffer(old.buffer);
        self.from_memory = true;
        let prepared = self.prepare(level);
        self.from_memory = false;
        // Whatever is bound next, the slot no longer holds what it says.
        self.registers.lose_first_stream();
        if let Err(error) = prepared {
            let unbound = Stream { buffer: None, ..old };
            self.registers.streams.set(0, unbound, &mut self.registers.tracker);
            return Err(error);
        }
        let (chunk, first) = self.port.stream(false, stride, vertices)?;
        let source = ObjectId::new(ObjectKind::Upload, chunk.slot);
        self.put_vertex_buffer(0, VertexBuffer { source, stride, offset: chunk.offset, size: chunk.size.into() });
        Ok(first)
    }

    /// `DrawPrimitiveUP`; `vertices` holds [`Device::up_vertex_count`] times `stride` bytes. Unbinds stream 0.
    ///
    /// # Errors
    /// As [`Device::draw_primitive`], or for no data.
    pub fn draw_primitive_up(
        &mut self,
        primitive: D3DPRIMITIVETYPE,
        count: u32,
        vertices: &[u8],
        stride: u32,
    ) -> Result<()> {
        let needed = elements(primitive, count).ok_or(Error::InvalidCall)?;
        let bytes = (needed as usize).checked_mul(stride as usize).ok_or(Error::InvalidCall)?;
        let vertices = vertices.get(..bytes).filter(|_| count != 0).ok_or(Error::InvalidCall)?;
        let first = match self.stream_vertices(vertices, stride, Group::DRAW) {
            Err(Error::DeviceLost) => return Ok(()),
            other => other?,
        };
        self.port.push(&Draw {
            topology: primitive - 1,
            first,
            count: needed,
            instances: 1,
            first_instance: 0,
            pad: 0,
        });
        self.port.flush_if_due();
        Ok(())
    }

    /// `DrawIndexedPrimitiveUP`; `vertices` holds the vertices from 0 on ((`min_vertex` + `vertex_count`) times `stride`
    /// bytes), `indices` [`Device::up_vertex_count`] indices. Unbinds stream 0 and the indices.
    ///
    /// # Errors
    /// As [`Device::draw_primitive_up`], or for a format that is no index format.
    #[allow(clippy::too_many_arguments, reason = "Direct3D's own")]
    pub fn draw_indexed_primitive_up(
        &mut self,
        primitive: D3DPRIMITIVETYPE,
        min_vertex: u32,
        vertex_count: u32,
        count: u32,
        indices: &[u8],
        index_format: D3DFORMAT,
        vertices: &[u8],
        stride: u32,
    ) -> Result<()> {
        let index_bytes = match index_format {
            D3DFMT_INDEX16 => 2,
            D3DFMT_INDEX32 => 4,
            _ => return Err(Error::InvalidCall),
        };
        let needed = elements(primitive, count).ok_or(Error::InvalidCall)?;
        let range = |first: u32, length: u32, size: u32| {
            let start = (first as usize).checked_mul(size as usize)?;
            Some(start..start.checked_add((length as usize).checked_mul(size as usize)?)?)
        };
        let vertices = range(min_vertex, vertex_count, stride).and_then(|range| vertices.get(range));
        let indices = range(0, needed, index_bytes).and_then(|range| indices.get(range));
        let (Some(vertices), Some(indices)) = (vertices, indices) else { return Err(Error::InvalidCall) };
        if count == 0 || vertices.is_empty() {
            return Err(Error::InvalidCall);
        }
        let old = *self.registers.indices;
        self.registers.indices.set(None, &mut self.registers.tracker);
        self.unbind_buffer(old);
        let streamed = self
            .stream_vertices(vertices, stride, Group::DRAW.without(Group::IndexBuffer))
            .and_then(|first| Ok((first, self.port.stream(true, index_bytes, indices)?)));
        self.registers.tracker.mark(Group::IndexBuffer);
        let (first_vertex, (chunk, first)) = match streamed {
            Err(Error::DeviceLost) => return Ok(()),
            other => other?,
        };
        let source = ObjectId::new(ObjectKind::Upload, chunk.slot);
        let packet = SetIndexBuffer {
            source,
            index_bytes: index_bytes as u16,
            restart: 0,
            offset: chunk.offset,
            size: chunk.size.into(),
        };
        self.port.put(&mut self.host.sent.index_buffer, packet);
        self.port.push(&DrawIndexed {
            topology: primitive - 1,
            first,
            count: needed,
            instances: 1,
            base_vertex: first_vertex as i32 - min_vertex as i32,
            first_instance: 0,
        });
        self.port.flush_if_due();
        Ok(())
    }
}
