//! Vertices as Metal takes them: a layout for each pair of attributes and bindings, and copies of what it does not take as it lies.
//!
//! Metal wants offsets that are multiples of four, strides that are not 0 and, on Macs by Intel, multiples of four, elements within their
//! stride, and reads past the end of buffers. Where a binding is otherwise, or shorter than a draw asks, the CPU copies what is read of it:
//! elements that are cut off, or not there, are zero.

use crate::device::format;
use crate::memory::ring::Slice;
use afterimage_abi::metal::{NO_VERTICES, vertex_buffer};
use afterimage_metal_calls::{
    Attribute, Device, Layout, Limits, StepFunction, VertexDescriptor, VertexFormat as Metal,
};
use afterimage_shader::feedback::{Attribute as Fetched, Fetch, Layout as FetchLayout, Number, Step};
use afterimage_stream::packets::VertexAttribute;
use afterimage_stream::{VERTEX_BUFFERS, VertexFormat};
use smallvec::SmallVec;

/// An attribute as it lies in the guest's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    location: u32,
    format: VertexFormat,
    offset: u32,
}

/// What a draw reads of a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    /// Its number.
    pub(crate) slot: usize,
    fields: SmallVec<[Field; 4]>,
    /// Bytes from the start of an element to the end of its last attribute.
    extent: u32,
    /// Of the guest's buffer.
    stride: u32,
    /// Instances per step; none where it advances by vertices.
    pub(crate) divisor: Option<u32>,
    /// Whether it must be copied however long it is.
    odd: bool,
}

/// A vertex layout with its bindings, and whether attributes without a buffer are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Input {
    pub(crate) slots: SmallVec<[Slot; 4]>,
    /// Locations that no buffer feeds.
    missing: u32,
}

/// A copy that was made in the frame.
#[derive(Clone, Debug)]
pub(crate) struct Copied<D: Device> {
    /// Version of the source, where in it, how much.
    pub(crate) key: (u64, u64, u64),
    pub(crate) slot: Slot,
    pub(crate) elements: u64,
    pub(crate) slice: Slice<D>,
    pub(crate) version: u64,
}

/// A binding: bytes from vertex to vertex, and the first byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Binding {
    pub(crate) stride: u32,
    pub(crate) offset: u64,
}

impl Slot {
    /// Whole elements in so many bytes.
    pub(crate) fn elements(&self, size: u64) -> u64 {
        match (size.checked_sub(self.extent.into()), self.stride) {
            (None, _) => 0,
            (Some(_), 0) => u64::MAX,
            (Some(rest), stride) => rest / u64::from(stride) + 1,
        }
    }

    /// Bytes up to the end of an element.
    pub(crate) fn bytes(&self, elements: u64) -> u64 {
        elements.saturating_sub(1).saturating_mul(self.stride.into()).saturating_add(self.extent.into())
    }

    /// Whether another binding is as good to the layout, and lies as well. `self` is bound where it lies.
    #[inline]
    pub(crate) fn is_like(&self, stride: u32, offset: u64) -> bool {
        !self.odd && self.stride == stride && offset.is_multiple_of(4)
    }

    /// Whether it can be bound where it lies for draws that read so many elements of so many bytes.
    pub(crate) fn lies_well(&self, size: u64, needed: u64) -> bool {
        !self.odd && self.elements(size) >= needed.min(if self.stride == 0 { 1 } else { u64::MAX })
    }

    /// Whether kernels that fetch vertices by themselves want a copy: they load whole words of what has 32 bits.
    pub(crate) fn is_odd_to_kernels(&self) -> bool {
        self.odd
            && self.fields.iter().any(|field| {
                matches!(
                    format::fetch(field.format).layout,
                    FetchLayout::Components { bits: 32, .. } | FetchLayout::Packed1010102
                )
            })
    }

    /// The attributes as kernels fetch them, of a copy or of what is bound.
    pub(crate) fn fetched(&self, is_copy: bool) -> impl Iterator<Item = Fetched> + '_ {
        let mut at = 0;
        self.fields.iter().map(move |field| {
            let (copy, bytes) = copied(field.format);
            let unpacked = is_copy && copy == Metal::Float4;
            let fetch = if unpacked { Fetch::new(Number::Float, 4, 32) } else { format::fetch(field.format) };
            let offset = if is_copy { at } else { field.offset };
            at += bytes;
            Fetched {
                location: field.location as u8,
                slot: self.slot as u8,
                fetch,
                offset,
                step: self.divisor.map_or(Step::Vertex, Step::Instance),
            }
        })
    }

    /// Bytes from vertex to vertex, of a copy or of what is bound.
    pub(crate) fn fetched_stride(&self, is_copy: bool) -> u32 {
        match (is_copy, self.stride) {
            (true, 1..) => self.copied_stride(),
            (_, stride) => stride,
        }
    }

    /// Bytes of an element of a copy.
    pub(crate) fn copied_stride(&self) -> u32 {
        self.fields.iter().map(|field| copied(field.format).1).sum()
    }

    /// The copy of so many elements of a binding's bytes.
    pub(crate) fn copy(&self, bytes: &[u8], count: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(count * self.copied_stride() as usize);
        for element in 0..if self.stride == 0 { count.min(1) } else { count } {
            for field in &self.fields {
                let at = element * self.stride as usize + field.offset as usize;
                let mut value = [0; 16];
                let len = field.format.bytes() as usize;
                let there = bytes.get(at..).unwrap_or_default();
                let there = &there[..there.len().min(len)];
                value[..there.len()].copy_from_slice(there);
                if format::attribute(field.format).is_none() {
                    value = bytemuck::cast(unpacked(u32::from_le_bytes([value[0], value[1], value[2], value[3]])));
                }
                out.extend_from_slice(&value[..copied(field.format).1 as usize]);
            }
        }
        out
    }
}

/// The format of an attribute in a copy, and its bytes there.
fn copied(format: VertexFormat) -> (Metal, u32) {
    let metal = format::attribute(format).unwrap_or(Metal::Float4);
    (metal, metal.bytes())
}

/// Four floats of three fields of ten bits, and two bits above them.
fn unpacked(word: u32) -> [f32; 4] {
    [word & 0x3ff, word >> 10 & 0x3ff, word >> 20 & 0x3ff, word >> 30].map(|field| field as f32)
}

/// What a shader with these inputs (a bit per location) reads of a layout and its bindings.
pub(crate) fn input(
    attributes: &[VertexAttribute],
    inputs: u32,
    bindings: &[Option<Binding>; VERTEX_BUFFERS],
    limits: &Limits,
) -> Input {
    let mut input = Input { slots: SmallVec::new(), missing: inputs };
    for attribute in attributes {
        let bit = 1u32.checked_shl(attribute.location.into()).unwrap_or(0);
        let (slot, format) = (usize::from(attribute.slot), VertexFormat::from_bits(attribute.format));
        let (Some(Some(binding)), Some(format)) = (bindings.get(slot), format) else { continue };
        if input.missing & bit == 0 {
            continue;
        }
        input.missing &= !bit;
        let at = input.slots.iter().position(|other| other.slot == slot).unwrap_or_else(|| {
            input.slots.push(Slot {
                slot,
                fields: SmallVec::new(),
                extent: 0,
                stride: binding.stride,
                // A step of no instances is one of one.
                divisor: (attribute.per_instance != 0).then_some(u32::from(attribute.divisor).max(1)),
                odd: !binding.offset.is_multiple_of(4),
            });
            input.slots.len() - 1
        });
        let field = Field { location: attribute.location.into(), format, offset: attribute.offset.into() };
        let place = &mut input.slots[at];
        place.extent = place.extent.max(field.offset + format.bytes());
        place.odd |= !field.offset.is_multiple_of(4) || format::attribute(format).is_none();
        place.fields.push(field);
    }
    for slot in &mut input.slots {
        slot.odd |= slot.stride != 0
            && (!slot.stride.is_multiple_of(limits.vertex_stride_step)
                || slot.stride > limits.vertex_stride
                || slot.stride < slot.extent
                || !slot.stride.is_multiple_of(4));
    }
    input
}

impl Input {
    /// Whether the buffer for attributes without one is read.
    pub(crate) fn reads_default(&self) -> bool {
        self.missing != 0
    }

    /// As pipelines have it. `copies` has a bit for each slot that is copied.
    pub(crate) fn descriptor(&self, copies: u32) -> VertexDescriptor {
        let mut descriptor = VertexDescriptor::default();
        for slot in &self.slots {
            let buffer = vertex_buffer(slot.slot as u32);
            let is_copy = copies >> slot.slot & 1 != 0;
            let mut at = 0;
            for field in &slot.fields {
                let (format, bytes) = copied(field.format);
                let offset = if is_copy { at } else { field.offset };
                descriptor.attributes.push(Attribute { location: field.location, format, offset, buffer });
                at += bytes;
            }
            let stride = match (is_copy, slot.stride) {
                (true, _) => at,
                (false, 0) => slot.extent.next_multiple_of(4),
                (false, stride) => stride,
            };
            let step = match slot.divisor {
                _ if slot.stride == 0 => StepFunction::Constant,
                None => StepFunction::PerVertex,
                Some(rate) => StepFunction::PerInstance(rate),
            };
            descriptor.layouts.push(Layout { buffer, stride, step });
        }
        for location in (0..32).filter(|location| self.missing >> location & 1 != 0) {
            descriptor.attributes.push(Attribute { location, format: Metal::Float4, offset: 0, buffer: NO_VERTICES });
        }
        if self.missing != 0 {
            descriptor.layouts.push(Layout { buffer: NO_VERTICES, stride: 16, step: StepFunction::Constant });
        }
        descriptor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterimage_metal_calls::Family;

    fn input_of(attributes: &[VertexAttribute], stride: u32, offset: u64) -> Input {
        let mut bindings = [None; VERTEX_BUFFERS];
        bindings[0] = Some(Binding { stride, offset });
        input(attributes, 0b111, &bindings, &Family::Apple7.limits())
    }

    #[test]
    fn a_plain_layout_is_bound_where_it_lies() {
        let attributes = [
            VertexAttribute::per_vertex(0, 0, VertexFormat::R32G32B32_SFLOAT, 0),
            VertexAttribute::per_vertex(1, 0, VertexFormat::B8G8R8A8_UNORM, 12),
        ];
        let input = input_of(&attributes, 16, 4);
        assert!(input.reads_default(), "nothing feeds the third");
        let slot = &input.slots[0];
        assert_eq!((slot.elements(15), slot.elements(16), slot.elements(31), slot.elements(32)), (0, 1, 1, 2));
        assert!(slot.lies_well(32, 2) && !slot.lies_well(32, 3));
        let descriptor = input.descriptor(0);
        assert_eq!(descriptor.layouts[0], Layout { buffer: 30, stride: 16, step: StepFunction::PerVertex });
        assert_eq!(descriptor.layouts[1], Layout { buffer: 14, stride: 16, step: StepFunction::Constant });
        assert_eq!(descriptor.attributes[1].format, Metal::UChar4NormalizedBgra);
    }

    #[test]
    fn what_metal_does_not_take_is_copied() {
        let attributes = [
            VertexAttribute::per_vertex(0, 0, VertexFormat::R16G16_SSCALED, 1),
            VertexAttribute::per_vertex(1, 0, VertexFormat::A2B10G10R10_USCALED, 5),
        ];
        let input = input_of(&attributes, 9, 0);
        let slot = &input.slots[0];
        assert!(!slot.lies_well(1000, 1));
        let mut bytes = vec![0xaa, 1, 2, 3, 4];
        bytes.extend((3u32 << 30 | 5 << 20 | 1023).to_le_bytes());
        bytes.extend([0xbb, 9]);
        let copy = slot.copy(&bytes, 3);
        assert_eq!(copy.len(), 3 * 20);
        assert_eq!(copy[..4], [1, 2, 3, 4]);
        assert_eq!(bytemuck::pod_read_unaligned::<[f32; 4]>(&copy[4..20]), [1023.0, 0.0, 5.0, 3.0]);
        assert_eq!(copy[20..24], [9, 0, 0, 0], "cut off");
        let descriptor = input.descriptor(1);
        assert_eq!(descriptor.layouts[0].stride, 20);
        assert_eq!((descriptor.attributes[1].format, descriptor.attributes[1].offset), (Metal::Float4, 4));
    }
}
