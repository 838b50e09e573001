//! The four draws, and the forms of Windows' Direct3D that are made of them.

use super::declaration::Declaration;
use super::vertex_state::check_stride;
use super::{Channel, Device, DriverError};
use crate::machine::PrimitiveKind;
use afterimage_nv2a_types::method;

/// Vertices of one `DRAW_ARRAYS` word.
const ARRAY_WORD: u32 = 256;

/// Vertices of `count` primitives of a kind.
///
/// # Errors
/// [`DriverError::TooMany`] if that overflows.
pub fn vertices_of(kind: PrimitiveKind, count: u32) -> Result<u32, DriverError> {
    let (each, more) = match kind {
        PrimitiveKind::Points | PrimitiveKind::LineLoop | PrimitiveKind::Polygon => (1, 0),
        PrimitiveKind::Lines => (2, 0),
        PrimitiveKind::LineStrip => (1, 1),
        PrimitiveKind::Triangles => (3, 0),
        PrimitiveKind::TriangleStrip | PrimitiveKind::TriangleFan => (1, 2),
        PrimitiveKind::Quads => (4, 0),
        PrimitiveKind::QuadStrip => (2, 2),
    };
    count.checked_mul(each).and_then(|n| n.checked_add(more)).ok_or(DriverError::TooMany { count })
}

/// Most words of an inline draw: 64 MiB, which is all the memory that a console has.
const MAX_INLINE_WORDS: usize = 1 << 24;

/// The words of vertices in an inline array: attributes in ascending slot order, each in whole words.
fn inline_words(
    declaration: &Declaration,
    data: &[u8],
    stride: u32,
    vertices: impl ExactSizeIterator<Item = u32>,
) -> Result<Vec<u32>, DriverError> {
    let size = vertices.len().checked_mul(declaration.inline_words()).filter(|size| *size <= MAX_INLINE_WORDS);
    let size = size.ok_or(DriverError::TooMany { count: u32::try_from(vertices.len()).unwrap_or(u32::MAX) })?;
    let mut words = Vec::with_capacity(size);
    for vertex in vertices {
        let start = u64::from(vertex) * u64::from(stride);
        for element in declaration.elements() {
            let from = start + u64::from(element.offset);
            let bytes = usize::try_from(from).ok().and_then(|at| data.get(at..)?.get(..element.ty.bytes() as usize));
            let bytes = bytes.ok_or(DriverError::UserData { vertex, bytes: data.len() })?;
            for chunk in bytes.chunks(4) {
                let mut word = [0; 4];
                word[..chunk.len()].copy_from_slice(chunk);
                words.push(u32::from_le_bytes(word));
            }
        }
    }
    Ok(words)
}

impl Device {
    fn begin(&mut self, kind: PrimitiveKind) {
        self.packets.method(method::SET_BEGIN_END, &[kind as u32]);
    }

    fn end(&mut self) {
        self.packets.method(method::SET_BEGIN_END, &[0]);
    }

    /// `DrawVertices`: vertices from the streams, from `start` on.
    ///
    /// # Errors
    /// [`DriverError::Immediate`] between [`Device::begin_immediate`] and its end; [`DriverError::TooMany`] beyond the 24 bits
    /// of a start index; [`DriverError::Stream`] where a stream is out of reach.
    pub fn draw_vertices(&mut self, kind: PrimitiveKind, start: u32, count: u32) -> Result<(), DriverError> {
        self.outside_immediate()?;
        if start.checked_add(count).is_none_or(|end| end > 1 << 24) {
            return Err(DriverError::TooMany { count });
        }
        self.apply();
        self.send_buffers(0)?;
        self.begin(kind);
        let words = (0..count.div_ceil(ARRAY_WORD)).map(|word| {
            let first = word * ARRAY_WORD;
            (count - first).min(ARRAY_WORD).wrapping_sub(1) << 24 | (start + first)
        });
        self.packets.repeat(method::DRAW_ARRAYS, words);
        self.end();
        Ok(())
    }

    /// `DrawVerticesUP`: vertices from `data`, `stride` bytes apart, as the elements of stream 0 say.
    ///
    /// # Errors
    /// [`DriverError::Immediate`] as [`Device::draw_vertices`]; [`DriverError::TooMany`] beyond 64 MiB of vertices;
    /// [`DriverError::Stream`] for strides from 2^24 on; [`DriverError::UserStream`] if the declaration reads another stream,
    /// [`DriverError::UserData`] if `data` is too short.
    pub fn draw_vertices_up(
        &mut self,
        kind: PrimitiveKind,
        count: u32,
        data: &[u8],
        stride: u32,
    ) -> Result<(), DriverError> {
        self.draw_inline(kind, data, stride, 0..count)
    }

    /// `DrawIndexedVertices`: vertices from the streams by index. The base of [`Device::set_indices`] is added.
    ///
    /// # Errors
    /// As [`Device::draw_vertices`].
    pub fn draw_indexed_vertices(&mut self, kind: PrimitiveKind, indices: &[u16]) -> Result<(), DriverError> {
        self.outside_immediate()?;
        self.apply();
        self.send_buffers(self.vertex.index_base)?;
        self.begin(kind);
        let (pairs, odd) = indices.as_chunks::<2>();
        self.packets
            .repeat(method::ARRAY_ELEMENT16, pairs.iter().map(|[low, high]| u32::from(*high) << 16 | u32::from(*low)));
        if let [last] = odd {
            self.packets.method(method::ARRAY_ELEMENT32, &[u32::from(*last)]);
        }
        self.end();
        Ok(())
    }

    /// `DrawIndexedVerticesUP`: vertices from `data` by index. No base is added.
    ///
    /// # Errors
    /// As [`Device::draw_vertices_up`].
    pub fn draw_indexed_vertices_up(
        &mut self,
        kind: PrimitiveKind,
        indices: &[u16],
        data: &[u8],
        stride: u32,
    ) -> Result<(), DriverError> {
        self.draw_inline(kind, data, stride, indices.iter().map(|index| u32::from(*index)))
    }

    fn draw_inline(
        &mut self,
        kind: PrimitiveKind,
        data: &[u8],
        stride: u32,
        vertices: impl ExactSizeIterator<Item = u32>,
    ) -> Result<(), DriverError> {
        self.outside_immediate()?;
        check_stride(0, stride)?;
        let (declaration, _) = self.vertex.current();
        if let Some(element) = declaration.elements().find(|element| element.stream != 0) {
            return Err(DriverError::UserStream { attribute: element.attribute, stream: element.stream });
        }
        let words = inline_words(&declaration, data, stride, vertices)?;
        self.apply();
        self.send_inline(stride);
        self.begin(kind);
        self.packets.repeat(method::INLINE_ARRAY, words.into_iter());
        self.end();
        Ok(())
    }

    /// `DrawPrimitive` of Windows' Direct3D, in primitives instead of vertices.
    ///
    /// # Errors
    /// As [`Device::draw_vertices`].
    pub fn draw_primitive(&mut self, kind: PrimitiveKind, start: u32, count: u32) -> Result<(), DriverError> {
        self.draw_vertices(kind, start, vertices_of(kind, count)?)
    }

    /// `DrawPrimitiveUP`.
    ///
    /// # Errors
    /// As [`Device::draw_vertices_up`].
    pub fn draw_primitive_up(
        &mut self,
        kind: PrimitiveKind,
        count: u32,
        data: &[u8],
        stride: u32,
    ) -> Result<(), DriverError> {
        self.draw_vertices_up(kind, vertices_of(kind, count)?, data, stride)
    }

    /// `DrawIndexedPrimitive`: indices from the memory that [`Device::set_indices`] named, from index `start` on.
    ///
    /// # Errors
    /// As [`Device::draw_indexed_vertices`]; [`DriverError::Memory`] if the indices lie beyond the memory.
    pub fn draw_indexed_primitive(
        &mut self,
        kind: PrimitiveKind,
        start: u32,
        count: u32,
        channel: &mut dyn Channel,
    ) -> Result<(), DriverError> {
        let vertices = vertices_of(kind, count)?;
        let address = start.checked_mul(2).and_then(|bytes| self.vertex.index_data.checked_add(bytes));
        let memory = channel.memory();
        let (Some(address), true) = (address, vertices <= memory.size() / 2) else {
            return Err(DriverError::TooMany { count });
        };
        let mut indices = vec![0u16; vertices as usize];
        memory.read(address, bytemuck::cast_slice_mut(&mut indices))?;
        indices.iter_mut().for_each(|index| *index = u16::from_le(*index));
        self.draw_indexed_vertices(kind, &indices)
    }

    /// `DrawIndexedPrimitiveUP`: vertices from `data`, by as many of the first indices as the primitives have vertices.
    ///
    /// # Errors
    /// As [`Device::draw_indexed_vertices_up`]; [`DriverError::TooMany`] if there are not so many indices.
    pub fn draw_indexed_primitive_up(
        &mut self,
        kind: PrimitiveKind,
        count: u32,
        indices: &[u16],
        data: &[u8],
        stride: u32,
    ) -> Result<(), DriverError> {
        let indices = indices.get(..vertices_of(kind, count)? as usize).ok_or(DriverError::TooMany { count })?;
        self.draw_indexed_vertices_up(kind, indices, data, stride)
    }
}
