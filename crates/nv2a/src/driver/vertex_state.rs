//! Streams, indices and the shader input: what `SET_VERTEX_DATA_ARRAY_FORMAT` and `..._OFFSET` are made from.

use super::declaration::{Declaration, STREAMS};
use super::{Device, DriverError};
use afterimage_nv2a_types::{ATTRIBUTES, method};
use std::rc::Rc;

/// Format word of an attribute that no array feeds: no components.
const NONE: u32 = 0x02;

/// A stream: vertices in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamSource {
    /// Physical address of vertex 0.
    pub address: u32,
    /// Bytes from one vertex to the next, below 2^24.
    pub stride: u32,
}

/// What the vertex arrays were last told, so that equal draws send nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Arrays {
    Unknown,
    /// `SetStateVB`: addresses and strides of the streams, moved by the index base.
    Buffers {
        base: u32,
    },
    /// `SetStateUP`: formats only.
    User {
        stride: u32,
    },
}

/// The bound input.
#[derive(Debug)]
pub(super) struct VertexState {
    pub(super) declaration: Rc<Declaration>,
    pub(super) streams: [StreamSource; STREAMS],
    /// `SetVertexShaderInput`: declaration and streams that replace those of the shader, while set.
    pub(super) input: Option<(Rc<Declaration>, [StreamSource; STREAMS])>,
    pub(super) sent: Arrays,
    /// `D3D__IndexData`: physical address of the indices, and what is added to each.
    pub(super) index_data: u32,
    pub(super) index_base: u32,
}

impl VertexState {
    pub(super) fn new() -> Self {
        Self {
            declaration: Rc::default(),
            streams: [StreamSource::default(); STREAMS],
            input: None,
            sent: Arrays::Unknown,
            index_data: 0,
            index_base: 0,
        }
    }

    /// Declaration and streams in effect.
    pub(super) fn current(&self) -> (Rc<Declaration>, &[StreamSource; STREAMS]) {
        match &self.input {
            Some((declaration, streams)) => (declaration.clone(), streams),
            None => (self.declaration.clone(), &self.streams),
        }
    }
}

/// Checks that the hardware's format word can hold a stride.
pub(super) fn check_stride(stream: usize, stride: u32) -> Result<(), DriverError> {
    if stride < 1 << 24 { Ok(()) } else { Err(DriverError::Stream { stream, stride }) }
}

impl Device {
    /// `SetStreamSource`.
    ///
    /// # Errors
    /// [`DriverError::Stream`] for streams from 16 on and strides that the hardware cannot hold (24 bits).
    pub fn set_stream_source(&mut self, stream: usize, source: StreamSource) -> Result<(), DriverError> {
        check_stride(stream, source.stride)?;
        let slot = self.vertex.streams.get_mut(stream);
        let slot = slot.ok_or(DriverError::Stream { stream, stride: source.stride })?;
        if *slot != source {
            *slot = source;
            self.vertex.sent = Arrays::Unknown;
        }
        Ok(())
    }

    /// `SetIndices`: the indices of [`Device::draw_indexed_primitive`], and the base that is added to every index of
    /// [`Device::draw_indexed_vertices`] (and, through it, of the compatibility form).
    pub fn set_indices(&mut self, address: u32, base: u32) {
        self.vertex.index_data = address;
        self.vertex.index_base = base;
    }

    /// Sets the declaration of the current vertex shader without a program: the fixed function, or whatever program is
    /// loaded. [`Device::set_vertex_shader`] sets both.
    pub fn set_vertex_declaration(&mut self, declaration: Rc<Declaration>) {
        if *self.vertex.declaration != *declaration {
            self.vertex.sent = Arrays::Unknown;
        }
        self.vertex.declaration = declaration;
    }

    /// `SetVertexShaderInput`: declaration and streams that take the place of those set otherwise, until it is called with
    /// `None`.
    ///
    /// # Errors
    /// [`DriverError::Stream`] as [`Device::set_stream_source`].
    pub fn set_vertex_shader_input(
        &mut self,
        input: Option<(Rc<Declaration>, &[StreamSource])>,
    ) -> Result<(), DriverError> {
        let input = match input {
            None => None,
            Some((declaration, sources)) => {
                let mut streams = [StreamSource::default(); STREAMS];
                for (stream, source) in sources.iter().enumerate() {
                    check_stride(stream, source.stride)?;
                    let slot = streams.get_mut(stream);
                    *slot.ok_or(DriverError::Stream { stream, stride: source.stride })? = *source;
                }
                Some((declaration, streams))
            }
        };
        self.vertex.input = input;
        self.vertex.sent = Arrays::Unknown;
        Ok(())
    }

    /// `SetVertexShaderInputDirect`: the raw words of the sixteen formats and offsets. They stay until the next draw that has
    /// to send its own.
    pub fn set_vertex_shader_input_direct(&mut self, formats: &[u32; ATTRIBUTES], offsets: &[u32; ATTRIBUTES]) {
        self.packets.method(method::SET_VERTEX_DATA_ARRAY_FORMAT, formats);
        self.packets.method(method::SET_VERTEX_DATA_ARRAY_OFFSET, offsets);
        self.vertex.sent = Arrays::Buffers { base: 0 };
    }

    /// `SetStateVB`: arrays in memory, each moved by `base` vertices.
    pub(super) fn send_buffers(&mut self, base: u32) -> Result<(), DriverError> {
        let wanted = Arrays::Buffers { base };
        if self.vertex.sent == wanted {
            return Ok(());
        }
        let (declaration, streams) = self.vertex.current();
        let (mut formats, mut offsets) = ([NONE; ATTRIBUTES], [0; ATTRIBUTES]);
        for element in declaration.elements() {
            let source = streams[usize::from(element.stream)];
            let slot = usize::from(element.attribute);
            formats[slot] = source.stride << 8 | element.ty as u32;
            let start =
                u64::from(source.address) + u64::from(element.offset) + u64::from(source.stride) * u64::from(base);
            offsets[slot] = u32::try_from(start)
                .ok()
                .filter(|o| *o < 1 << 31)
                .ok_or(DriverError::Stream { stream: element.stream.into(), stride: source.stride })?;
        }
        self.packets.method(method::SET_VERTEX_DATA_ARRAY_FORMAT, &formats);
        self.packets.method(method::SET_VERTEX_DATA_ARRAY_OFFSET, &offsets);
        self.vertex.sent = wanted;
        Ok(())
    }

    /// `SetStateUP`: the formats of vertices that come inline.
    pub(super) fn send_inline(&mut self, stride: u32) {
        let wanted = Arrays::User { stride };
        if self.vertex.sent == wanted {
            return;
        }
        let (declaration, _) = self.vertex.current();
        let mut formats = [NONE; ATTRIBUTES];
        for element in declaration.elements() {
            formats[usize::from(element.attribute)] = stride << 8 | element.ty as u32;
        }
        self.packets.method(method::SET_VERTEX_DATA_ARRAY_FORMAT, &formats);
        self.vertex.sent = wanted;
    }
}
