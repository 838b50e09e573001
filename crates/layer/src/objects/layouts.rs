//! Layouts of sets and pipelines: what a vertex shader reads, its lowered form reads in the compute stage.

use crate::below::{Below, used_up};
use crate::offer::PUSH;
use ash::vk::{self, ShaderStageFlags as Stages};

/// What the layer knows of a descriptor set layout.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SetLayout {
    /// Descriptors with dynamic offsets.
    pub(crate) dynamic: u32,
}

impl SetLayout {
    /// Of bindings.
    pub(crate) fn of(bindings: &[vk::DescriptorSetLayoutBinding<'_>]) -> Self {
        let dynamic = |binding: &&vk::DescriptorSetLayoutBinding<'_>| {
            let ty = binding.descriptor_type;
            ty == vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC || ty == vk::DescriptorType::STORAGE_BUFFER_DYNAMIC
        };
        Self { dynamic: bindings.iter().filter(dynamic).map(|binding| binding.descriptor_count).sum() }
    }
}

/// Stages of a binding that the driver is asked for in place of a program's.
pub(crate) fn stages(asked: Stages) -> Stages {
    if asked.intersects(Stages::VERTEX | Stages::GEOMETRY) { asked | Stages::COMPUTE } else { asked }
}

/// A pipeline layout.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The layout of lowered shaders, or why there is none.
    pub(crate) compute: Result<vk::PipelineLayout, &'static str>,
    /// Byte of the push constants where lowered shaders have the address of their block.
    pub(crate) push: u32,
    /// Layouts of the sets.
    pub(crate) sets: Vec<vk::DescriptorSetLayout>,
    /// Dynamic offsets of each set.
    pub(crate) dynamic: Vec<u32>,
}

impl Layout {
    /// Beside a program's.
    ///
    /// # Errors
    /// When there is no memory for it.
    ///
    /// # Safety
    /// The structure is the program's, for vkCreatePipelineLayout; `sets` are what is known of its sets.
    pub(crate) unsafe fn new(
        below: &Below,
        info: &vk::PipelineLayoutCreateInfo<'_>,
        sets: &[SetLayout],
        most: u32,
    ) -> Result<Self, vk::Result> {
        // SAFETY: as the caller says.
        let (layouts, ranges) = unsafe {
            let none = info.set_layout_count == 0;
            let layouts =
                if none { &[] } else { std::slice::from_raw_parts(info.p_set_layouts, info.set_layout_count as usize) };
            let none = info.push_constant_range_count == 0;
            let count = info.push_constant_range_count as usize;
            (layouts, if none { &[] } else { std::slice::from_raw_parts(info.p_push_constant_ranges, count) })
        };
        let end = ranges.iter().map(|range| range.offset.saturating_add(range.size)).max().unwrap_or(0);
        let push = end.next_multiple_of(8);
        let mut made = Self {
            compute: Err(""),
            push,
            sets: layouts.to_vec(),
            dynamic: sets.iter().map(|set| set.dynamic).collect(),
        };
        made.compute = if layouts.contains(&vk::DescriptorSetLayout::null()) {
            Err("its pipeline layout lacks sets")
        } else if push + PUSH > most {
            Err("its push constants leave no 8 bytes free")
        } else {
            let range = [vk::PushConstantRange { stage_flags: Stages::COMPUTE, offset: 0, size: push + PUSH }];
            let own = vk::PipelineLayoutCreateInfo::default().set_layouts(layouts).push_constant_ranges(&range);
            let mut layout = vk::PipelineLayout::null();
            // SAFETY: as the caller says.
            let result =
                unsafe { (below.functions.create_pipeline_layout)(below.device, &own, std::ptr::null(), &mut layout) };
            Ok(result.result_with_success(layout).map_err(used_up)?)
        };
        Ok(made)
    }

    /// # Safety
    /// Nothing uses it any more.
    pub(crate) unsafe fn destroy(&self, below: &Below) {
        if let Ok(layout) = self.compute {
            // SAFETY: as the caller says.
            unsafe { (below.functions.destroy_pipeline_layout)(below.device, layout, std::ptr::null()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_vertex_shaders_see_compute_shaders_see() {
        assert_eq!(stages(Stages::FRAGMENT), Stages::FRAGMENT);
        assert_eq!(stages(Stages::VERTEX), Stages::VERTEX | Stages::COMPUTE);
        assert_eq!(stages(Stages::ALL), Stages::ALL);
    }

    #[test]
    fn dynamic_descriptors_are_counted() {
        let binding = |ty, count| vk::DescriptorSetLayoutBinding::default().descriptor_type(ty).descriptor_count(count);
        let bindings = [
            binding(vk::DescriptorType::UNIFORM_BUFFER, 3),
            binding(vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC, 2),
            binding(vk::DescriptorType::STORAGE_BUFFER_DYNAMIC, 1),
        ];
        assert_eq!(SetLayout::of(&bindings).dynamic, 3);
    }
}
