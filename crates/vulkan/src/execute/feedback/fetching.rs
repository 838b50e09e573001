//! Where the vertices of lowered feedback come from: the vertex layout as attributes that shaders fetch, and the buffers.

use crate::feedback::bind::Accesses;
use crate::renderer::Renderer;
use crate::state::vertices::{bits, layout_of};
use afterimage_shader::feedback::block::Draw;
use afterimage_shader::feedback::{Attribute, Fetch, Options, Step};
use afterimage_stream::packets::VertexAttribute;
use afterimage_stream::{Created, ObjectKind, VERTEX_BUFFERS};

impl Renderer {
    /// How the vertex layout that is set has vertices fetched.
    pub(crate) fn find_fetching(&mut self) {
        let id = self.state.vertex_input.id;
        let attributes: &[VertexAttribute] = match self.state.objects.get(id) {
            Some(Created::VertexInput(attributes)) if !id.is_none() => attributes,
            _ => &[],
        };
        let fetching = &mut self.feedback.lowered.fetching;
        if fetching.attributes == attributes {
            return;
        }
        let (layout, needs) = layout_of(attributes, u32::MAX);
        fetching.attributes.clear();
        fetching.attributes.extend_from_slice(attributes);
        (fetching.needs, fetching.slots) = (needs, 0);
        fetching.options = Options::default();
        for attribute in layout.attributes.iter().filter(|attribute| attribute.binding < VERTEX_BUFFERS as u32) {
            let Some(fetch) = Fetch::from_vulkan(attribute.format.as_raw() as u32) else { continue };
            let divisor = layout.bindings.iter().find(|binding| binding.0 == attribute.binding).and_then(|b| b.1);
            fetching.slots |= 1 << attribute.binding;
            fetching.options.attributes.push(Attribute {
                location: attribute.location as u8,
                slot: attribute.binding as u8,
                fetch,
                offset: attribute.offset,
                // As pipelines have it: a step of no instances is one of one.
                step: divisor.map_or(Step::Vertex, |instances| Step::Instance(instances.max(1))),
            });
        }
    }

    /// Puts into a draw's block where its vertices are; the buffers that have them are noted.
    pub(crate) fn fill_vertex_buffers(&mut self, draw: &mut Draw, accesses: &mut Accesses) {
        for slot in bits(self.feedback.lowered.fetching.slots) {
            let needs = self.feedback.lowered.fetching.needs[slot];
            let binding = self.state.vertex_buffers[slot];
            let source =
                self.vertex_source(binding.source, binding.offset, binding.size, self.bound.vertex_uploads[slot]);
            let Some((buffer, offset, size)) = source else { continue };
            let (offset, size, stride) = needs.aligned(offset, size, binding.stride);
            let place = &mut draw.vertex_buffers[slot];
            (place.stride, place.bytes) = (stride, u32::try_from(size).unwrap_or(u32::MAX));
            place.address = self.address_of(buffer) + offset;
            // Nobody writes what was uploaded.
            if binding.source.kind() == Some(ObjectKind::Buffer) {
                accesses.buffers.push(binding.source);
            }
        }
    }
}
