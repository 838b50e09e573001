//! Descriptors as programs bind and push them.

use crate::commands::Commands;
use ash::vk;
use std::sync::Arc;

/// What is in a set.
#[derive(Clone, Debug)]
pub(crate) enum Contents {
    /// A descriptor set, with dynamic offsets.
    Bound(vk::DescriptorSet, Vec<u32>),
    /// Descriptors that were pushed, the last of each counting.
    Pushed(Vec<Arc<Write>>),
    /// A place in a descriptor buffer: which of those that are bound, and the offset in it.
    Buffer(u32, u64),
    /// The samplers of its layout.
    Embedded,
}

/// A set, and the layout that it was bound with.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) contents: Contents,
}

/// Descriptors.
#[derive(Clone, Debug)]
enum Descriptors {
    Images(Vec<vk::DescriptorImageInfo>),
    Buffers(Vec<vk::DescriptorBufferInfo>),
    Views(Vec<vk::BufferView>),
}

/// A write of descriptors that are pushed.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    binding: u32,
    element: u32,
    ty: vk::DescriptorType,
    count: u32,
    descriptors: Descriptors,
}

/// What kind of structure descriptors of a type have.
enum Kind {
    Image,
    Buffer,
    View,
}

fn kind(ty: vk::DescriptorType) -> Option<Kind> {
    use vk::DescriptorType as Type;
    match ty {
        Type::SAMPLER
        | Type::COMBINED_IMAGE_SAMPLER
        | Type::SAMPLED_IMAGE
        | Type::STORAGE_IMAGE
        | Type::INPUT_ATTACHMENT
        | Type::SAMPLE_WEIGHT_IMAGE_QCOM
        | Type::BLOCK_MATCH_IMAGE_QCOM => Some(Kind::Image),
        Type::UNIFORM_BUFFER | Type::STORAGE_BUFFER | Type::UNIFORM_BUFFER_DYNAMIC | Type::STORAGE_BUFFER_DYNAMIC => {
            Some(Kind::Buffer)
        }
        Type::UNIFORM_TEXEL_BUFFER | Type::STORAGE_TEXEL_BUFFER => Some(Kind::View),
        _ => None,
    }
}

impl Write {
    /// A copy of a program's. `None` of descriptors of another kind.
    ///
    /// # Safety
    /// The structure is the program's, for vkCmdPushDescriptorSet.
    pub(crate) unsafe fn of(write: &vk::WriteDescriptorSet<'_>) -> Option<Self> {
        let count = write.descriptor_count as usize;
        // SAFETY: as the caller says.
        let descriptors = unsafe {
            match kind(write.descriptor_type)? {
                Kind::Image => Descriptors::Images(std::slice::from_raw_parts(write.p_image_info, count).to_vec()),
                Kind::Buffer => Descriptors::Buffers(std::slice::from_raw_parts(write.p_buffer_info, count).to_vec()),
                Kind::View => Descriptors::Views(std::slice::from_raw_parts(write.p_texel_buffer_view, count).to_vec()),
            }
        };
        Some(Self {
            binding: write.dst_binding,
            element: write.dst_array_element,
            ty: write.descriptor_type,
            count: write.descriptor_count,
            descriptors,
        })
    }

    /// Likewise of a template's entry, out of the program's data.
    ///
    /// # Safety
    /// The data is as the entry says.
    pub(crate) unsafe fn out_of(entry: &vk::DescriptorUpdateTemplateEntry, data: *const u8) -> Option<Self> {
        unsafe fn read<T: Copy>(entry: &vk::DescriptorUpdateTemplateEntry, data: *const u8) -> Vec<T> {
            let at = |n: usize| entry.offset + n * entry.stride;
            // SAFETY: as the caller says.
            (0..entry.descriptor_count as usize)
                .map(|n| unsafe { data.add(at(n)).cast::<T>().read_unaligned() })
                .collect()
        }
        // SAFETY: as the caller says.
        let descriptors = unsafe {
            match kind(entry.descriptor_type)? {
                Kind::Image => Descriptors::Images(read(entry, data)),
                Kind::Buffer => Descriptors::Buffers(read(entry, data)),
                Kind::View => Descriptors::Views(read(entry, data)),
            }
        };
        Some(Self {
            binding: entry.dst_binding,
            element: entry.dst_array_element,
            ty: entry.descriptor_type,
            count: entry.descriptor_count,
            descriptors,
        })
    }

    /// As a command takes it.
    fn info(&self) -> vk::WriteDescriptorSet<'_> {
        let write = vk::WriteDescriptorSet {
            dst_binding: self.binding,
            dst_array_element: self.element,
            descriptor_type: self.ty,
            descriptor_count: self.count,
            ..Default::default()
        };
        match &self.descriptors {
            Descriptors::Images(all) => vk::WriteDescriptorSet { p_image_info: all.as_ptr(), ..write },
            Descriptors::Buffers(all) => vk::WriteDescriptorSet { p_buffer_info: all.as_ptr(), ..write },
            Descriptors::Views(all) => vk::WriteDescriptorSet { p_texel_buffer_view: all.as_ptr(), ..write },
        }
    }

    /// Whether another one writes to the same descriptors, and maybe more.
    fn is_covered_by(&self, other: &Self) -> bool {
        let end = |write: &Self| write.element.saturating_add(write.count);
        self.binding == other.binding && self.element >= other.element && end(self) <= end(other)
    }
}

/// Binds descriptor buffers.
///
/// # Safety
/// The command buffer is being recorded, and the buffers are there.
pub(crate) unsafe fn bind_buffers(commands: &Commands, buffer: vk::CommandBuffer, all: &[(u64, vk::BufferUsageFlags)]) {
    let Some(bind) = commands.bind_descriptor_buffers.filter(|_| !all.is_empty()) else { return };
    let info = |&(address, usage): &_| vk::DescriptorBufferBindingInfoEXT::default().address(address).usage(usage);
    let infos: Vec<_> = all.iter().map(info).collect();
    // SAFETY: as the caller says.
    unsafe { bind(buffer, infos.len() as u32, infos.as_ptr()) };
}

/// Pushes descriptors.
///
/// # Safety
/// The command buffer is being recorded, and what is named is valid.
pub(crate) unsafe fn push(
    commands: &Commands,
    buffer: vk::CommandBuffer,
    point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    number: u32,
    writes: &[Arc<Write>],
) {
    let Some(push) = commands.push_descriptor_set else { return };
    let infos: Vec<_> = writes.iter().map(|write| write.info()).collect();
    // SAFETY: as the caller says.
    unsafe { push(buffer, point, layout, number, infos.len() as u32, infos.as_ptr()) };
}

impl Set {
    /// Whether its descriptors lie in a descriptor buffer.
    pub(crate) fn is_in_buffer(&self) -> bool {
        matches!(self.contents, Contents::Buffer(..))
    }

    /// Adds descriptors that are pushed to a set of the same layout.
    pub(crate) fn add(&mut self, layout: vk::PipelineLayout, writes: &[Arc<Write>]) {
        self.layout = layout;
        match &mut self.contents {
            Contents::Pushed(all) => {
                all.retain(|known| !writes.iter().any(|write| known.is_covered_by(write)));
                all.extend_from_slice(writes);
            }
            other => *other = Contents::Pushed(writes.to_vec()),
        }
    }

    /// Binds it.
    ///
    /// # Safety
    /// The command buffer is being recorded, and what is named is valid.
    pub(crate) unsafe fn bind(
        &self,
        commands: &Commands,
        buffer: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        number: u32,
    ) {
        // SAFETY: as the caller says.
        unsafe {
            match &self.contents {
                Contents::Bound(set, offsets) => {
                    if let Some(bind) = commands.bind_descriptor_sets {
                        bind(buffer, point, layout, number, 1, set, offsets.len() as u32, offsets.as_ptr());
                    }
                }
                Contents::Pushed(writes) => push(commands, buffer, point, layout, number, writes),
                Contents::Buffer(index, offset) => {
                    if let Some(set) = commands.set_descriptor_buffer_offsets_ext {
                        set(buffer, point, layout, number, 1, index, offset);
                    }
                }
                Contents::Embedded => {
                    if let Some(bind) = commands.bind_descriptor_buffer_embedded_samplers_ext {
                        bind(buffer, point, layout, number);
                    }
                }
            }
        }
    }
}
