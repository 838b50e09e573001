//! Vertex layouts: which element of the declaration feeds which input of the vertex shader.

use super::Source;
use crate::driver::Device;
use crate::error::{Error, Result};
use crate::handle::VertexShaderId;
use crate::machine::{Declaration, Layout, Program, STREAMS, decl_type};
use afterimage_d3d9_types::{
    D3DDECLTYPE_D3DCOLOR, D3DDECLTYPE_UBYTE4N, D3DDECLUSAGE_BLENDINDICES, D3DDECLUSAGE_POSITION,
    D3DSTREAMSOURCE_INSTANCEDATA, D3DVERTEXELEMENT9,
};
use afterimage_stream::packets::{CreateVertexInput, Language, SetVertexInput, VertexAttribute};
use afterimage_stream::{ObjectId, ObjectKind, VertexFormat};
use smallvec::SmallVec;

/// Frequencies of the streams where one of them is not 1.
fn instancing(frequencies: &[u32; STREAMS]) -> Option<Box<[u32; 16]>> {
    // How often the indexed streams repeat is a number in the draw, not a part of the layout.
    let layout = frequencies.map(|f| if f & D3DSTREAMSOURCE_INSTANCEDATA != 0 { f } else { 1 });
    (layout != [1; STREAMS]).then(|| Box::new(layout))
}

/// The attributes of a layout.
pub(crate) fn attributes(
    declaration: &Declaration,
    program: &Program,
    frequencies: Option<&[u32; 16]>,
) -> SmallVec<[VertexAttribute; 16]> {
    let mut attributes: SmallVec<[VertexAttribute; 16]> = SmallVec::new();
    let fixed = program.language == Language::FixedVertex;
    for input in &program.inputs {
        let matches = |e: &&D3DVERTEXELEMENT9| (e.Usage, e.UsageIndex) == (input.usage, input.index);
        let element = declaration.used().iter().find(matches);
        let mut attribute = VertexAttribute {
            location: input.location,
            slot: VertexAttribute::DEFAULT,
            format: VertexFormat::R32G32B32A32_SFLOAT as u8,
            per_instance: 0,
            offset: 0,
            divisor: 1,
        };
        if let Some((element, (format, _))) = element.and_then(|e| Some((e, decl_type(e.Type)?))) {
            attribute.slot = element.Stream as u8;
            attribute.format = format as u8;
            // The fixed stage takes positions as points: their fourth component is one whatever the vertex says.
            if fixed && u32::from(element.Usage) == D3DDECLUSAGE_POSITION && format == VertexFormat::R32G32B32A32_SFLOAT
            {
                attribute.format = VertexFormat::R32G32B32_SFLOAT as u8;
            }
            // It takes blend indices as numbers: a colour's bytes in memory are those of `D3DDECLTYPE_UBYTE4`.
            if fixed
                && u32::from(element.Usage) == D3DDECLUSAGE_BLENDINDICES
                && matches!(u32::from(element.Type), D3DDECLTYPE_D3DCOLOR | D3DDECLTYPE_UBYTE4N)
            {
                attribute.format = VertexFormat::R8G8B8A8_USCALED as u8;
            }
            attribute.offset = element.Offset;
            let frequency = frequencies.map_or(1, |f| f[usize::from(element.Stream) & 15]);
            if frequency & D3DSTREAMSOURCE_INSTANCEDATA != 0 {
                attribute.per_instance = 1;
                attribute.divisor = (frequency & 0xffff) as u16;
            }
        }
        // One register may carry several semantics; the location is fed by the first that the declaration has.
        let same = attributes.iter().position(|other: &VertexAttribute| other.location == attribute.location);
        match same {
            Some(index) if attributes[index].slot == VertexAttribute::DEFAULT => attributes[index] = attribute,
            Some(_) => {}
            None if attributes.len() < 32 && attribute.location < 32 => attributes.push(attribute),
            None => {}
        }
    }
    attributes
}

impl Device {
    /// What names a layout of the bound declaration: the vertex shader, and frequencies.
    fn layout_key(&self) -> (Option<VertexShaderId>, Option<Box<[u32; 16]>>) {
        let shader = match self.host.stages.vertex().source {
            Some(Source::VertexProgram(id)) => Some(id),
            _ => None,
        };
        (shader, instancing(&self.registers.frequencies))
    }

    #[inline(never)]
    pub(super) fn apply_vertex_input(&mut self) -> Result<bool> {
        if let Some(number) = self.processing {
            let id = self.processing_layout(number)?;
            return Ok(self.port.put(&mut self.host.sent.vertex_input, SetVertexInput { id, pad: 0 }));
        }
        let id = self.registers.declaration.ok_or(Error::InvalidCall)?;
        let (shader, instancing) = self.layout_key();
        let declaration = self.objects.declarations.get_mut(id).ok_or(Error::InvalidCall)?;
        let layout = match declaration.layout(shader, instancing.as_deref()) {
            Some(layout) => layout,
            None => {
                let program = match self.host.stages.vertex().source {
                    Some(Source::VertexProgram(id)) => self.objects.vertex_shaders.get(id),
                    Some(Source::Fixed(index)) => self.objects.fixed.get(index),
                    _ => None,
                };
                let program = program.ok_or(Error::Internal)?;
                let list = attributes(declaration, program, instancing.as_deref());
                let id = self.port.allocate(ObjectKind::VertexInput)?;
                self.port.push_tail(&CreateVertexInput { id, count: list.len() as u32 }, &list);
                declaration.layouts.push(Layout { shader, instancing, id });
                id
            }
        };
        Ok(self.port.put(&mut self.host.sent.vertex_input, SetVertexInput { id: layout, pad: 0 }))
    }

    /// The layout of a processing's vertices, made once.
    fn processing_layout(&mut self, number: usize) -> Result<ObjectId> {
        let processing = self.objects.processings.get_mut(number).ok_or(Error::Internal)?;
        if processing.layout.is_none() {
            processing.layout = self.port.allocate(ObjectKind::VertexInput)?;
            let packet = CreateVertexInput { id: processing.layout, count: processing.inputs.len() as u32 };
            self.port.push_tail(&packet, &processing.inputs);
        }
        Ok(processing.layout)
    }

    /// The layout that should be bound; none if it has not been made.
    pub(super) fn vertex_input(&self) -> Option<SetVertexInput> {
        if let Some(number) = self.processing {
            return Some(SetVertexInput { id: self.objects.processings.get(number)?.layout, pad: 0 });
        }
        let (shader, instancing) = self.layout_key();
        let declaration = self.objects.declarations.get((*self.registers.declaration)?)?;
        declaration.layout(shader, instancing.as_deref()).map(|id| SetVertexInput { id, pad: 0 })
    }
}
