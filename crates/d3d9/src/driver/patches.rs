//! `DrawRectPatch`, `DrawTriPatch`, `DeletePatch`.
//!
//! No device tessellates them any more, so that is done here: control vertices are read from the bound streams,
//! [`super::tessellate`] makes triangles of them, and these are drawn as vertices of one stream.

use super::Device;
use super::tessellate::{Place, Shape};
use crate::error::{Error, Result};
use crate::handle::DeclarationId;
use crate::machine::*;
use afterimage_d3d9_types::*;
use afterimage_stream::packets::{DrawIndexed, SetIndexBuffer, Topology, VertexBuffer};
use afterimage_stream::{ObjectId, ObjectKind};
use rustc_hash::FxHashMap;

/// Patches that the program gave handles, and what patches are drawn with.
#[derive(Debug, Default)]
pub(super) struct Patches {
    cached: FxHashMap<u32, Patch>,
    /// Declarations of tessellated vertices; they stay for as long as the device.
    declarations: Vec<DeclarationId>,
}

/// A patch: its surface, and the values that the surface goes through.
#[derive(Debug)]
struct Patch {
    shape: Shape,
    channels: Vec<Channel>,
    segments: [f32; 4],
}

/// One vertex element of a patch.
#[derive(Debug)]
struct Channel {
    usage: u8,
    usage_index: u8,
    /// `D3DDECLMETHOD_*`.
    method: u8,
    /// Floats that come out.
    components: u8,
    control: Vec<[f32; 4]>,
}

impl Channel {
    /// What a tessellated vertex has of it.
    fn value(&self, shape: &Shape, [u, v]: [f32; 2]) -> [f32; 4] {
        let place = || shape.evaluate(&self.control, [u, v]);
        match u32::from(self.method) {
            D3DDECLMETHOD_UV => [u, v, 0.0, 1.0],
            D3DDECLMETHOD_PARTIALU => place().along_u,
            D3DDECLMETHOD_PARTIALV => place().along_v,
            D3DDECLMETHOD_CROSSUV => normal(&place()),
            _ => place().value,
        }
    }
}

/// Where a surface faces, of length one.
fn normal(place: &Place) -> [f32; 4] {
    let ([ax, ay, az, _], [bx, by, bz, _]) = (place.along_u, place.along_v);
    let cross = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
    let length = cross.iter().map(|c| c * c).sum::<f32>().sqrt();
    let [x, y, z] = if length > 0.0 { cross.map(|c| c / length) } else { cross };
    [x, y, z, 0.0]
}

impl Device {
    /// `DrawRectPatch`. `segments` are those of the four edges; none keeps those of the handle, or one each. A patch with
    /// a handle (not 0) is kept and drawn again without `info`, whatever the streams are then.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a patch that makes no surface, without a vertex declaration, and without `info` for a
    /// handle that no patch has.
    pub fn draw_rect_patch(
        &mut self,
        handle: u32,
        segments: Option<[f32; 4]>,
        info: Option<&D3DRECTPATCH_INFO>,
    ) -> Result<()> {
        let patch = match info {
            None => None,
            Some(info) => {
                let shape = Shape::rect(info)?;
                let (first_row, first_column) = (info.StartVertexOffsetHeight, info.StartVertexOffsetWidth);
                let vertex = |row: u32, column: u32| {
                    (u64::from(first_row) + u64::from(row))
                        .saturating_mul(info.Stride.into())
                        .saturating_add(u64::from(first_column) + u64::from(column))
                };
                let rows = (0..info.Height).flat_map(|row| (0..info.Width).map(move |column| (row, column)));
                let vertices: Vec<u64> = rows.map(|(row, column)| vertex(row, column)).collect();
                Some((shape, vertices))
            }
        };
        self.draw_patch(handle, segments, patch)
    }

    /// `DrawTriPatch`. As [`Device::draw_rect_patch`], with three edges.
    ///
    /// # Errors
    /// As [`Device::draw_rect_patch`].
    pub fn draw_tri_patch(
        &mut self,
        handle: u32,
        segments: Option<[f32; 3]>,
        info: Option<&D3DTRIPATCH_INFO>,
    ) -> Result<()> {
        let patch = match info {
            None => None,
            Some(info) => {
                let shape = Shape::tri(info)?;
                let first = u64::from(info.StartVertexOffset);
                Some((shape, (first..first + u64::from(info.NumVertices)).collect()))
            }
        };
        self.draw_patch(handle, segments.map(|[a, b, c]| [a, b, c, 1.0]), patch)
    }

    /// `DeletePatch`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a handle that no patch has.
    pub fn delete_patch(&mut self, handle: u32) -> Result<()> {
        self.patches.cached.remove(&handle).map(|_| ()).ok_or(Error::InvalidCall)
    }

    fn draw_patch(&mut self, handle: u32, segments: Option<[f32; 4]>, patch: Option<(Shape, Vec<u64>)>) -> Result<()> {
        let mut patch = match patch {
            Some((shape, vertices)) => Patch { shape, channels: self.channels(&vertices)?, segments: [1.0; 4] },
            None => self.patches.cached.remove(&handle).ok_or(Error::InvalidCall)?,
        };
        if let Some(segments) = segments {
            patch.segments = segments;
        }
        let drawn = self.draw_triangles(&patch);
        if handle != 0 {
            self.patches.cached.insert(handle, patch);
        }
        drawn
    }

    /// The elements of the bound declaration with the values of these vertices.
    fn channels(&mut self, vertices: &[u64]) -> Result<Vec<Channel>> {
        self.fetch_streams()?;
        let declaration = self.registers.declaration.and_then(|id| self.objects.declarations.get(id));
        let mut channels = Vec::new();
        for element in declaration.ok_or(Error::InvalidCall)?.used() {
            let (method, Some((format, _))) = (u32::from(element.Method), decl_type(element.Type)) else { continue };
            if method >= D3DDECLMETHOD_LOOKUP {
                if self.logged.insert("displacement maps") {
                    tracing::warn!("patches: displacement maps are not supported; what looks them up is left out");
                }
                continue;
            }
            let stream = &self.registers.streams[usize::from(element.Stream) & (STREAMS - 1)];
            let bytes = stream.buffer.and_then(|id| self.objects.buffers.get(id)?.bytes.read());
            let (offset, stride) = (stream.offset.into(), stream.stride.into());
            let source =
                bytes.as_deref().map_or(VertexSource::default(), |bytes| VertexSource { bytes, offset, stride });
            channels.push(Channel {
                usage: element.Usage,
                usage_index: element.UsageIndex,
                method: element.Method,
                components: match method {
                    D3DDECLMETHOD_UV => 2,
                    D3DDECLMETHOD_CROSSUV => 3,
                    _ => components(element.Type),
                },
                control: vertices.iter().map(|&vertex| source.read(vertex, element.Offset, format)).collect(),
            });
        }
        Ok(channels)
    }

    /// Tessellates a patch and draws it, with the bound state except for streams, indices and declaration.
    fn draw_triangles(&mut self, patch: &Patch) -> Result<()> {
        let mut elements = Vec::new();
        let mut stride = 0;
        for channel in &patch.channels {
            elements.push(D3DVERTEXELEMENT9 {
                Stream: 0,
                Offset: stride as u16,
                Type: (D3DDECLTYPE_FLOAT1 + u32::from(channel.components) - 1) as u8,
                Method: 0,
                Usage: channel.usage,
                UsageIndex: channel.usage_index,
            });
            stride += 4 * u32::from(channel.components);
        }
        if stride == 0 {
            return Err(Error::InvalidCall);
        }
        let grid = patch.shape.grid(patch.segments);
        let mut vertices: Vec<u8> = Vec::with_capacity(grid.places.len() * stride as usize);
        for place in &grid.places {
            for channel in &patch.channels {
                let value = channel.value(&patch.shape, *place);
                let floats = &value[..usize::from(channel.components)];
                vertices.extend(floats.iter().flat_map(|float| float.to_le_bytes()));
            }
        }
        let declaration = self.tessellated_declaration(&elements)?;
        // The program's bindings make room for one draw; nothing that counts their owners sees it.
        let registers = &self.registers;
        let bound = (*registers.declaration, registers.streams[0], registers.frequencies[0]);
        self.bind_for_patch((Some(declaration), Stream::default(), 1));
        let drawn = self.draw_streamed(&vertices, stride, &grid.indices);
        self.bind_for_patch(bound);
        self.registers.lose_first_stream();
        self.registers.tracker.mark(Group::IndexBuffer);
        match drawn {
            Err(Error::DeviceLost) => Ok(()),
            drawn => drawn,
        }
    }

    fn bind_for_patch(&mut self, (declaration, stream, frequency): (Option<DeclarationId>, Stream, u32)) {
        let registers = &mut self.registers;
        registers.declaration.set(declaration, &mut registers.tracker);
        registers.streams.set(0, stream, &mut registers.tracker);
        registers.frequencies.set(0, frequency, &mut registers.tracker);
    }

    fn draw_streamed(&mut self, vertices: &[u8], stride: u32, indices: &[u32]) -> Result<()> {
        self.prepare(Group::DRAW)?;
        let (chunk, first_vertex) = self.port.stream(false, stride, vertices)?;
        let source = ObjectId::new(ObjectKind::Upload, chunk.slot);
        self.put_vertex_buffer(0, VertexBuffer { source, stride, offset: chunk.offset, size: chunk.size.into() });
        let (chunk, first) = self.port.stream(true, 4, bytemuck::cast_slice(indices))?;
        let source = ObjectId::new(ObjectKind::Upload, chunk.slot);
        let packet =
            SetIndexBuffer { source, index_bytes: 4, restart: 0, offset: chunk.offset, size: chunk.size.into() };
        self.port.put(&mut self.host.sent.index_buffer, packet);
        self.port.push(&DrawIndexed {
            topology: Topology::TriangleList as u32,
            first,
            count: indices.len() as u32,
            instances: 1,
            base_vertex: first_vertex as i32,
            first_instance: 0,
        });
        self.port.flush_if_due();
        Ok(())
    }

    /// A declaration of these elements, made once.
    fn tessellated_declaration(&mut self, elements: &[D3DVERTEXELEMENT9]) -> Result<DeclarationId> {
        let same = |id: &&DeclarationId| self.objects.declarations.get(**id).is_some_and(|d| d.used() == elements);
        if let Some(&known) = self.patches.declarations.iter().find(same) {
            return Ok(known);
        }
        let id = self.objects.declarations.insert(Declaration::new(elements, 0)?, false);
        self.objects.declarations.bind(Some(id));
        self.patches.declarations.push(id);
        Ok(id)
    }
}
