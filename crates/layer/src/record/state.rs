//! What a command buffer has bound and set, as far as captures need it, or have to put it back.

use crate::objects::input::{Attribute, Binding, Input};
use crate::objects::sets::Set;
use ash::vk;
use std::sync::Arc;

/// Vertex buffers that lowered shaders can read.
pub(crate) const VERTEX_BUFFERS: usize = 32;
/// Buffers that are captured into.
pub(crate) const BUFFERS: usize = 4;

/// A bind point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bound {
    pub(crate) pipeline: vk::Pipeline,
    /// By number.
    pub(crate) sets: Vec<Option<Set>>,
}

/// Push constants.
#[derive(Clone, Debug, Default)]
pub(crate) struct Push {
    /// The values of all bytes.
    pub(crate) bytes: Vec<u8>,
    /// Ranges that were set, in their order: layout, stages, first byte, bytes.
    pub(crate) ranges: Vec<(vk::PipelineLayout, vk::ShaderStageFlags, u32, u32)>,
}

impl Push {
    /// Sets a range.
    pub(crate) fn set(&mut self, layout: vk::PipelineLayout, stages: vk::ShaderStageFlags, offset: u32, values: &[u8]) {
        let (first, end) = (offset as usize, offset as usize + values.len());
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[first..end].copy_from_slice(values);
        // A range that is set again as a whole counts for nothing any more.
        let end = end as u32;
        let covered = |&(_, _, first, bytes): &(_, _, u32, u32)| first >= offset && first + bytes <= end;
        self.ranges.retain(|range| !covered(range));
        self.ranges.push((layout, stages, offset, values.len() as u32));
    }
}

/// A bound vertex buffer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Vertices {
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    /// Bytes, or `VK_WHOLE_SIZE`.
    pub(crate) size: u64,
    /// Where the stride is dynamic.
    pub(crate) stride: u32,
}

/// The bound index buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Indices {
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    /// Bytes, or `VK_WHOLE_SIZE`.
    pub(crate) size: u64,
    pub(crate) ty: vk::IndexType,
}

/// A buffer that is captured into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    /// Bytes, or `VK_WHOLE_SIZE`.
    pub(crate) size: u64,
}

impl Bound {
    /// Binds a set.
    pub(crate) fn bind(&mut self, number: u32, set: Set) {
        let at = number as usize;
        if self.sets.len() <= at {
            self.sets.resize(at + 1, None);
        }
        self.sets[at] = Some(set);
    }
}

/// The descriptor buffers that are bound: where they are, and what for.
pub(crate) type DescriptorBuffers = Arc<[(u64, vk::BufferUsageFlags)]>;

/// Everything.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) graphics: Bound,
    pub(crate) compute: Bound,
    pub(crate) descriptor_buffers: DescriptorBuffers,
    pub(crate) push: Push,
    pub(crate) vertices: [Vertices; VERTEX_BUFFERS],
    pub(crate) indices: Option<Indices>,
    pub(crate) targets: [Option<Target>; BUFFERS],
    pub(crate) topology: vk::PrimitiveTopology,
    pub(crate) restart: bool,
    pub(crate) provoking: vk::ProvokingVertexModeEXT,
    /// Dynamic vertex input.
    pub(crate) input: Input,
}

/// What captures disturb.
#[derive(Clone, Debug)]
pub(crate) struct Saved {
    pub(crate) compute: Bound,
    pub(crate) push: Push,
    pub(crate) descriptor_buffers: DescriptorBuffers,
    /// Sets of graphics that lie in descriptor buffers, by number.
    pub(crate) in_buffers: Vec<(u32, Set)>,
}

impl Saved {
    /// Of what is bound and set.
    pub(crate) fn of(state: &State) -> Self {
        let sets = (0..).zip(&state.graphics.sets);
        let in_buffers =
            sets.filter_map(|(number, set)| set.clone().filter(Set::is_in_buffer).map(|set| (number, set)));
        Self {
            compute: state.compute.clone(),
            push: state.push.clone(),
            descriptor_buffers: Arc::clone(&state.descriptor_buffers),
            in_buffers: in_buffers.collect(),
        }
    }
}

impl Default for State {
    fn default() -> Self {
        Self {
            graphics: Bound::default(),
            compute: Bound::default(),
            descriptor_buffers: Arc::new([]),
            push: Push::default(),
            vertices: [Vertices::default(); VERTEX_BUFFERS],
            indices: None,
            targets: [None; BUFFERS],
            topology: vk::PrimitiveTopology::POINT_LIST,
            restart: false,
            provoking: vk::ProvokingVertexModeEXT::FIRST_VERTEX,
            input: Input::default(),
        }
    }
}

impl State {
    /// A bind point, if captures have to do with it.
    pub(crate) fn bound(&mut self, point: vk::PipelineBindPoint) -> Option<&mut Bound> {
        match point {
            vk::PipelineBindPoint::GRAPHICS => Some(&mut self.graphics),
            vk::PipelineBindPoint::COMPUTE => Some(&mut self.compute),
            _ => None,
        }
    }

    /// Dynamic vertex input. Strides are what was set last, here or where buffers are bound.
    pub(crate) fn set_input(
        &mut self,
        bindings: &[vk::VertexInputBindingDescription2EXT<'_>],
        attributes: &[vk::VertexInputAttributeDescription2EXT<'_>],
    ) {
        self.input = Input {
            bindings: bindings
                .iter()
                .map(|b| Binding {
                    binding: b.binding,
                    stride: 0,
                    divisor: (b.input_rate == vk::VertexInputRate::INSTANCE).then_some(b.divisor),
                })
                .collect(),
            attributes: attributes
                .iter()
                .map(|a| Attribute { location: a.location, binding: a.binding, format: a.format, offset: a.offset })
                .collect(),
        };
        for binding in bindings {
            if let Some(to) = self.vertices.get_mut(binding.binding as usize) {
                to.stride = binding.stride;
            }
        }
    }

    pub(crate) fn bind_indices(&mut self, buffer: vk::Buffer, offset: u64, size: u64, ty: vk::IndexType) {
        self.indices = Some(Indices { buffer, offset, size, ty });
    }

    /// Of sizes and strides there are none, or as many as of buffers.
    pub(crate) fn bind_vertices(
        &mut self,
        first: u32,
        buffers: &[vk::Buffer],
        offsets: &[u64],
        sizes: &[u64],
        strides: &[u64],
    ) {
        for (n, (&buffer, &offset)) in buffers.iter().zip(offsets).enumerate() {
            if let Some(to) = self.vertices.get_mut(first as usize + n) {
                let stride = strides.get(n).map_or(to.stride, |stride| *stride as u32);
                *to = Vertices { buffer, offset, size: sizes.get(n).copied().unwrap_or(vk::WHOLE_SIZE), stride };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn push_constants_are_those_set_last() {
        let mut push = Push::default();
        let (layout, stages) = (vk::PipelineLayout::null(), vk::ShaderStageFlags::VERTEX);
        push.set(layout, stages, 0, &[1; 8]);
        push.set(layout, stages, 8, &[2; 8]);
        push.set(layout, stages, 4, &[3; 8]);
        assert_eq!(push.bytes, [1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2]);
        assert_eq!(push.ranges.len(), 3);
        push.set(layout, stages, 0, &[4; 16]);
        assert_eq!((push.bytes, push.ranges.len()), (vec![4; 16], 1));
    }
}
