//! What draws read of vertices and indices: layouts, and how far the bound buffers reach.

use crate::pipeline::key::{Attribute, VertexLayout};
use afterimage_stream::packets::VertexAttribute;
use afterimage_stream::{VERTEX_BUFFERS, VertexFormat};
use ash::vk;

/// The binding that feeds attributes without a buffer.
pub(crate) const DEFAULT_BINDING: u32 = VERTEX_BUFFERS as u32;

/// The limit of draws that no vertex buffer limits.
pub(crate) const NO_BUFFER_LIMITS: u32 = u32::MAX;

/// What a vertex layout asks of the buffer in a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Alignment of offset and stride, a power of two; 0 where nothing is read.
    pub(crate) align: u32,
    /// Bytes from the start of a vertex to the end of its last attribute.
    pub(crate) extent: u32,
}

impl Needs {
    /// Offset, size and stride of a buffer with the first and the last at multiples of what the layout wants.
    pub(crate) fn aligned(self, offset: u64, size: u64, stride: u32) -> (u64, u64, u32) {
        let mask = self.align.max(1) - 1;
        let skipped = offset & u64::from(mask);
        (offset - skipped, size + skipped, stride.checked_next_multiple_of(mask + 1).unwrap_or(0))
    }
}

/// What draws read of a vertex layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Input {
    /// Vertex buffer slots that it reads.
    pub(crate) slots: u32,
    /// Those of them that advance by instances.
    pub(crate) by_instance: u32,
    pub(crate) needs: [Needs; VERTEX_BUFFERS],
    /// Whether it reads the buffer for attributes without one. Strides are dynamic in every pipeline, so even one that reads no
    /// buffer wants to have seen one.
    pub(crate) default: bool,
}

/// A vertex buffer as it is bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bound {
    /// Number of the vertex layout. Bound strides outlive a pipeline, but llvmpipe (Mesa 25.0) gives them only to the attributes
    /// of the pipeline that is bound with them; those that a later one adds have a stride of zero until the next binding.
    pub(crate) input: u32,
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    pub(crate) size: u64,
    pub(crate) stride: u64,
}

impl Bound {
    /// Vertices from where a buffer is bound to where this would be, if it is that buffer, with the same end: then draws may begin so
    /// many vertices later instead.
    #[inline]
    pub(crate) fn vertices_behind(&self, other: &Self) -> Option<u32> {
        let bytes = self.offset.checked_sub(other.offset)?;
        let same = Self { offset: other.offset, size: self.size + bytes, ..*self } == *other;
        (same && self.stride > 0 && bytes % self.stride == 0).then(|| u32::try_from(bytes / self.stride).ok()).flatten()
    }

    /// Without where the memory lies.
    #[cfg(test)]
    pub(crate) fn shape(self) -> String {
        let Self { input, size, stride, .. } = self;
        format!("{:?}", (input, size, stride))
    }
}

/// An index buffer as it is bound, and the indices in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Indices {
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    pub(crate) kind: vk::IndexType,
    pub(crate) limit: u32,
}

/// A vertex layout as a shader with these inputs (a bit per location) reads it, and what it asks of the buffers.
pub(crate) fn layout_of(attributes: &[VertexAttribute], inputs: u32) -> (VertexLayout, [Needs; VERTEX_BUFFERS]) {
    let mut layout = VertexLayout::default();
    let mut needs = [Needs::default(); VERTEX_BUFFERS];
    let mut missing = inputs;
    for attribute in attributes {
        let bit = 1u32.checked_shl(attribute.location.into()).unwrap_or(0);
        if missing & bit == 0 || attribute.slot == VertexAttribute::DEFAULT {
            continue;
        }
        missing &= !bit;
        let Some(format) = VertexFormat::from_bits(attribute.format) else { continue };
        let binding = u32::from(attribute.slot);
        // What Vulkan asks for; where a guest does otherwise something is drawn wrong, but nothing breaks.
        let align = crate::device::format::vertex_alignment(format);
        let offset = u32::from(attribute.offset) & !(align - 1);
        if let Some(needs) = needs.get_mut(usize::from(attribute.slot)) {
            needs.align = needs.align.max(align);
            needs.extent = needs.extent.max(offset + format.bytes());
        }
        layout.attributes.push(Attribute {
            location: attribute.location.into(),
            binding,
            format: crate::device::format::vertex(format),
            offset,
        });
        if !layout.bindings.iter().any(|(other, _)| *other == binding) {
            let divisor = (attribute.per_instance != 0).then_some(u32::from(attribute.divisor));
            layout.bindings.push((binding, divisor));
        }
    }
    for location in bits(missing) {
        layout.attributes.push(Attribute {
            location: location as u32,
            binding: DEFAULT_BINDING,
            format: vk::Format::R32G32B32A32_SFLOAT,
            offset: 0,
        });
    }
    if missing != 0 {
        layout.bindings.push((DEFAULT_BINDING, None));
    }
    (layout, needs)
}

/// Numbers of the bits that are set.
#[inline]
pub(crate) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let bit = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            bit
        })
    })
}
