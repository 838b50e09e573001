//! Vertex data of a draw as a table.

use crate::data::{Contents, Data, INDICES};
use crate::walk::Bound;
use crate::{Capture, Walk};
use afterimage_stream::packets::{Topology, VertexAttribute};
use afterimage_stream::{Created, ObjectId, ObjectKind, Packet, State, VertexFormat};
use std::sync::Arc;

/// An attribute of the vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// What the shader calls it: `POSITION`, `TEXCOORD1`, `v3`.
    pub name: String,
    /// The shader's input location.
    pub location: u8,
    /// Format in the buffer.
    pub format: VertexFormat,
    /// Components, 1 to 4.
    pub components: usize,
    /// Whether it is of the instance, not of the vertex.
    pub per_instance: bool,
}

/// A vertex, in the order in which the draw takes them.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Number of the vertex in its buffers; `None` where the index begins a strip anew, or is not known.
    pub vertex: Option<u64>,
    /// A value for each column as the shader reads it, missing components 0, 0, 0, 1; `None` where the bytes are not known.
    pub values: Vec<Option<[f32; 4]>>,
}

/// The vertices of a draw.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexTable {
    /// How they form primitives.
    pub topology: Topology,
    /// Whether there are indices.
    pub indexed: bool,
    /// Vertices, or indices, of the whole draw.
    pub total: u64,
    /// Instances.
    pub instances: u32,
    /// Attributes.
    pub columns: Vec<Column>,
    /// The first of them, at most as many as were asked for; of the first instance.
    pub rows: Vec<Row>,
    /// What should be known about them.
    pub notes: Vec<String>,
}

/// Why there is no table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoVertices {
    /// The call is none, or no draw.
    #[error("call {0} is no draw")]
    NoDraw(u64),
    /// The GPU says how many there are.
    #[error("how many vertices are drawn is in a buffer of the GPU")]
    Indirect,
}

impl Capture {
    /// The first `most` vertices of a draw.
    ///
    /// # Errors
    /// There are none to be shown, and why.
    pub fn vertices(&self, call: u64, most: usize) -> Result<VertexTable, NoVertices> {
        let mut walk = Walk::new(self, call);
        walk.to(call).ok_or(NoVertices::NoDraw(call))?;
        walk.vertices(most)
    }
}

impl Walk<'_> {
    /// The first `most` vertices of the draw.
    ///
    /// # Errors
    /// There are none to be shown, and why.
    pub fn vertices(&mut self, most: usize) -> Result<VertexTable, NoVertices> {
        let Some((call, packet)) = self.call().zip(self.packet()) else {
            return Err(NoVertices::NoDraw(self.number()));
        };
        let (topology, indexed, first, total, instances, base, instance) = match packet {
            Packet::Draw(d) => (d.topology, false, d.first, d.count, d.instances, 0, d.first_instance),
            Packet::DrawIndexed(d) => {
                (d.topology, true, d.first, d.count, d.instances, d.base_vertex, d.first_instance)
            }
            Packet::DrawIndirect(_) | Packet::DrawByteCount(_) => return Err(NoVertices::Indirect),
            _ => return Err(NoVertices::NoDraw(call.number)),
        };
        let (capture, state, bound, contents) = self.parts();
        let attributes: &[VertexAttribute] = match state.objects.get(state.vertex_input.id) {
            Some(Created::VertexInput(attributes)) => attributes,
            _ => &[],
        };
        let sources =
            attributes.iter().filter_map(|attribute| state.vertex_buffers.all().get(usize::from(attribute.slot)));
        let sources = sources.map(|binding| binding.source).chain(indexed.then_some(state.index_buffer.source));
        for id in sources.filter(|id| id.kind() == Some(ObjectKind::Buffer)) {
            contents.prepare(&capture.data, id, call.place);
        }
        let sources = Sources { data: &capture.data, state, bound, contents };
        let shown = most.min(total as usize);
        let mut notes = Vec::new();
        let vertices: Vec<Option<u64>> = if indexed {
            sources.indices(first, shown, base, &mut notes)
        } else {
            (0..shown as u64).map(|at| Some(u64::from(first) + at)).collect()
        };
        if attributes.is_empty() {
            notes.push("the vertex shader reads no vertex buffers: it fetches its vertices by itself".into());
        }
        let shader = capture.shader(state.shaders.vertex, call.number);
        let (mut columns, mut data) = (Vec::new(), Vec::new());
        for attribute in attributes {
            let Some(format) = VertexFormat::from_bits(attribute.format) else { continue };
            let location = attribute.location;
            columns.push(Column {
                name: shader.map_or_else(|| format!("location {location}"), |shader| shader.input_name(location)),
                location,
                format,
                components: components(format),
                per_instance: attribute.per_instance != 0,
            });
            data.push((attribute, format, sources.vertices(attribute.slot.into(), &mut notes)));
        }
        let rows = vertices.into_iter().map(|vertex| {
            let values = data.iter().map(|(attribute, format, source)| {
                if attribute.slot == VertexAttribute::DEFAULT {
                    return Some([0.0, 0.0, 0.0, 1.0]);
                }
                let (stride, bytes) = source.as_ref()?;
                // The first instance's is the one that the draw begins with.
                let step = if attribute.per_instance != 0 { Some(u64::from(instance)) } else { vertex };
                let at = step?.checked_mul((*stride).into())?.checked_add(attribute.offset.into())?;
                let mut element = [0; 16];
                let element = element.get_mut(..format.bytes() as usize)?;
                if bytes.read(at, element) { decode(*format, element) } else { None }
            });
            Row { vertex, values: values.collect() }
        });
        let rows = rows.collect();
        notes.dedup();
        let topology = Topology::of(u8::try_from(topology).unwrap_or(0));
        Ok(VertexTable { topology, indexed, total: total.into(), instances, columns, rows, notes })
    }
}

/// Where a draw's vertices and indices are.
struct Sources<'a> {
    data: &'a Data,
    state: &'a State,
    bound: &'a Bound,
    contents: &'a Contents,
}

impl<'a> Sources<'a> {
    /// A slot's stride and bytes.
    fn vertices(&self, slot: usize, notes: &mut Vec<String>) -> Option<(u32, Bytes<'a>)> {
        let binding = self.state.vertex_buffers.all().get(slot)?;
        if let Some(Created::Buffer(buffer)) = self.state.objects.get(binding.source)
            && buffer.usage & afterimage_stream::packets::CreateBuffer::STORAGE != 0
        {
            notes.push(format!("{} may be written by shaders: what is shown is what was uploaded", binding.source));
        }
        Some((binding.stride, self.bytes(slot, binding.source, binding.offset)?))
    }

    fn bytes(&self, slot: usize, source: ObjectId, offset: u64) -> Option<Bytes<'a>> {
        match source.kind() {
            Some(ObjectKind::Upload) => Some(Bytes::Upload(self.data.upload((*self.bound.get(slot)?)?, slot)?)),
            Some(ObjectKind::Buffer) => {
                Some(Bytes::Buffer { data: self.data, contents: self.contents, id: source, offset })
            }
            _ => None,
        }
    }

    fn indices(&self, first: u32, count: usize, base: i32, notes: &mut Vec<String>) -> Vec<Option<u64>> {
        let binding = self.state.index_buffer.get();
        let bytes = self.bytes(INDICES, binding.source, binding.offset);
        let size = usize::from(binding.index_bytes).clamp(1, 4);
        let none = u32::MAX >> (32 - 8 * size);
        let index = |at: usize| {
            let start = (u64::from(first) + at as u64).checked_mul(size as u64)?;
            let mut word = [0; 4];
            bytes.as_ref()?.read(start, &mut word[..size]).then(|| u32::from_le_bytes(word))
        };
        let mut unknown = false;
        let indices = (0..count)
            .map(|at| match index(at) {
                Some(index) if binding.restart != 0 && index == none => None,
                Some(index) => u64::try_from(i64::from(index) + i64::from(base)).ok(),
                None => {
                    unknown = true;
                    None
                }
            })
            .collect();
        if unknown {
            notes.push("some indices are not in the capture".into());
        }
        indices
    }
}

/// Bytes of a binding.
enum Bytes<'a> {
    Upload(Arc<[u8]>),
    Buffer { data: &'a Data, contents: &'a Contents, id: ObjectId, offset: u64 },
}

impl Bytes<'_> {
    /// Reads bytes from `at` on; whether all of them are known.
    fn read(&self, at: u64, out: &mut [u8]) -> bool {
        match self {
            Self::Upload(bytes) => {
                let bytes = usize::try_from(at).ok().and_then(|at| bytes.get(at..at.checked_add(out.len())?));
                bytes.map(|bytes| out.copy_from_slice(bytes)).is_some()
            }
            Self::Buffer { data, contents, id, offset } => {
                offset.checked_add(at).is_some_and(|at| contents.read(data, *id, at, out))
            }
        }
    }
}

/// Components of a format.
fn components(format: VertexFormat) -> usize {
    use VertexFormat::*;
    match format {
        R32_SFLOAT => 1,
        R32G32_SFLOAT | R16G16_SSCALED | R16G16_SNORM | R16G16_UNORM | R16G16_SFLOAT => 2,
        R32G32B32_SFLOAT => 3,
        _ => 4,
    }
}

/// An attribute as a shader reads it.
fn decode(format: VertexFormat, bytes: &[u8]) -> Option<[f32; 4]> {
    use VertexFormat::*;
    let mut value = [0.0, 0.0, 0.0, 1.0];
    let word = |at: usize| Some(u32::from_le_bytes(*bytes.get(at * 4..)?.first_chunk()?));
    let short = |at: usize| Some(u16::from_le_bytes(*bytes.get(at * 2..)?.first_chunk()?));
    let byte = |at: usize| bytes.get(at).copied();
    let snorm = |bits: i32, most: f32| (bits as f32 / most).max(-1.0);
    // Signed and unsigned fields of 10, 10, 10 and 2 bits, red lowest.
    let packed = |at: usize| Some((word(0)? >> (10 * at), if at == 3 { 2 } else { 10 }));
    for (at, component) in value.iter_mut().enumerate().take(components(format)) {
        *component = match format {
            R32_SFLOAT | R32G32_SFLOAT | R32G32B32_SFLOAT | R32G32B32A32_SFLOAT => f32::from_bits(word(at)?),
            B8G8R8A8_UNORM => f32::from(byte([2, 1, 0, 3][at])?) / 255.0,
            R8G8B8A8_UNORM => f32::from(byte(at)?) / 255.0,
            R8G8B8A8_USCALED => f32::from(byte(at)?),
            R16G16_SSCALED | R16G16B16A16_SSCALED => f32::from(short(at)? as i16),
            R16G16_SNORM | R16G16B16A16_SNORM => snorm((short(at)? as i16).into(), 32767.0),
            R16G16_UNORM | R16G16B16A16_UNORM => f32::from(short(at)?) / 65535.0,
            R16G16_SFLOAT | R16G16B16A16_SFLOAT => half::f16::from_bits(short(at)?).to_f32(),
            A2B10G10R10_USCALED => {
                let (bits, width) = packed(at)?;
                (bits & ((1 << width) - 1)) as f32
            }
            A2B10G10R10_SNORM => {
                let (bits, width) = packed(at)?;
                let signed = ((bits << (32 - width)) as i32) >> (32 - width);
                snorm(signed, ((1 << (width - 1)) - 1) as f32)
            }
        };
    }
    Some(value)
}
