//! Descriptors that are pushed, descriptor buffers, and the second generation of commands that bind sets and push constants.

use super::{Answer, list, pass_on};
use crate::devices::Device;
use crate::objects::sets::{self, Write};
use crate::record::Recording;
use crate::record::state::DescriptorBuffers;
use ash::vk::{self, Handle as _, ShaderStageFlags as Stages};
use std::ffi::c_void;
use std::sync::Arc;

unsafe extern "system" fn create_template(
    device: vk::Device,
    info: *const vk::DescriptorUpdateTemplateCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    template: *mut vk::DescriptorUpdateTemplate,
) -> vk::Result {
    // SAFETY: the program's arguments are as the specification of the function has them, here and below.
    unsafe {
        let create = pass_on!(@find device, c"vkCreateDescriptorUpdateTemplate": vk::PFN_vkCreateDescriptorUpdateTemplate, vk::Result::ERROR_DEVICE_LOST);
        let result = create(device, info, allocator, template);
        if result == vk::Result::SUCCESS
            && (*info).template_type == vk::DescriptorUpdateTemplateType::PUSH_DESCRIPTORS_KHR
            && let Some(active) = Device::active(device)
        {
            let entries = list((*info).p_descriptor_update_entries, (*info).descriptor_update_entry_count);
            active.templates.insert((*template).as_raw(), ((*info).pipeline_bind_point, entries.into()));
        }
        result
    }
}

unsafe extern "system" fn destroy_template(
    device: vk::Device,
    template: vk::DescriptorUpdateTemplate,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let destroy =
            pass_on!(@find device, c"vkDestroyDescriptorUpdateTemplate": vk::PFN_vkDestroyDescriptorUpdateTemplate);
        if let Some(active) = Device::active(device) {
            active.templates.remove(template.as_raw());
        }
        destroy(device, template, allocator);
    }
}

/// The bind points that stages belong to.
fn points(stages: Stages) -> impl Iterator<Item = vk::PipelineBindPoint> {
    let graphics = Stages::ALL_GRAPHICS | Stages::TASK_EXT | Stages::MESH_EXT;
    let rays = Stages::RAYGEN_KHR
        | Stages::ANY_HIT_KHR
        | Stages::CLOSEST_HIT_KHR
        | Stages::MISS_KHR
        | Stages::INTERSECTION_KHR
        | Stages::CALLABLE_KHR;
    let all = [
        (graphics, vk::PipelineBindPoint::GRAPHICS),
        (Stages::COMPUTE, vk::PipelineBindPoint::COMPUTE),
        (rays, vk::PipelineBindPoint::RAY_TRACING_KHR),
    ];
    all.into_iter().filter(move |(mask, _)| stages.intersects(*mask)).map(|(_, point)| point)
}

impl Recording {
    /// Pushes descriptors.
    pub(super) fn push_sets(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        number: u32,
        writes: Vec<Arc<Write>>,
    ) {
        self.add_to_set(point, layout, number, &writes);
        self.give(Box::new(move |commands, buffer| {
            // SAFETY: the command buffer is being recorded, and what was valid still is.
            unsafe { sets::push(commands, buffer, point, layout, number, &writes) };
        }));
    }
}

pub(super) unsafe extern "system" fn push_descriptor_set(
    buffer: vk::CommandBuffer,
    point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    number: u32,
    count: u32,
    writes: *const vk::WriteDescriptorSet<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let copies = list(writes, count).iter().map(|write| Write::of(write).map(Arc::new));
        match copies.collect::<Option<Vec<_>>>() {
            Some(copies) => recording.push_sets(point, layout, number, copies),
            None => {
                recording.lose(c"vkCmdPushDescriptorSet");
                if let Some(push) = recording.commands().push_descriptor_set {
                    push(buffer, point, layout, number, count, writes);
                }
            }
        }
    }
}

/// The bind point of a template, and what it pushes of a program's data.
///
/// # Safety
/// The data is as the template says.
unsafe fn out_of_template(
    recording: &Recording,
    template: vk::DescriptorUpdateTemplate,
    data: *const c_void,
) -> Option<(vk::PipelineBindPoint, Vec<Arc<Write>>)> {
    let (point, entries) = recording.active.templates.get(template.as_raw())?;
    // SAFETY: as the caller says.
    let copies = entries.iter().map(|entry| unsafe { Write::out_of(entry, data.cast()) }.map(Arc::new));
    Some((point, copies.collect::<Option<_>>()?))
}

pub(super) unsafe extern "system" fn push_descriptor_set_with_template(
    buffer: vk::CommandBuffer,
    template: vk::DescriptorUpdateTemplate,
    layout: vk::PipelineLayout,
    number: u32,
    data: *const c_void,
) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        match out_of_template(recording, template, data) {
            Some((point, copies)) => recording.push_sets(point, layout, number, copies),
            None => {
                recording.lose(c"vkCmdPushDescriptorSetWithTemplate");
                if let Some(push) = recording.commands().push_descriptor_set_with_template {
                    push(buffer, template, layout, number, data);
                }
            }
        }
    }
}

pub(super) unsafe extern "system" fn push_descriptor_set2(
    buffer: vk::CommandBuffer,
    info: *const vk::PushDescriptorSetInfoKHR<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let info = &*info;
        let writes = list(info.p_descriptor_writes, info.descriptor_write_count);
        let copies = writes.iter().map(|write| Write::of(write).map(Arc::new)).collect::<Option<Vec<_>>>();
        match copies.filter(|_| info.layout != vk::PipelineLayout::null()) {
            Some(copies) => points(info.stage_flags)
                .for_each(|point| recording.push_sets(point, info.layout, info.set, copies.clone())),
            None => {
                recording.lose(c"vkCmdPushDescriptorSet2");
                if let Some(push) = recording.commands().push_descriptor_set2 {
                    push(buffer, info);
                }
            }
        }
    }
}

pub(super) unsafe extern "system" fn push_descriptor_set_with_template2(
    buffer: vk::CommandBuffer,
    info: *const vk::PushDescriptorSetWithTemplateInfoKHR<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let info = &*info;
        let known = out_of_template(recording, info.descriptor_update_template, info.p_data);
        match known.filter(|_| info.layout != vk::PipelineLayout::null()) {
            Some((point, copies)) => recording.push_sets(point, info.layout, info.set, copies),
            None => {
                recording.lose(c"vkCmdPushDescriptorSetWithTemplate2");
                if let Some(push) = recording.commands().push_descriptor_set_with_template2 {
                    push(buffer, info);
                }
            }
        }
    }
}

pub(super) unsafe extern "system" fn bind_descriptor_sets2(
    buffer: vk::CommandBuffer,
    info: *const vk::BindDescriptorSetsInfoKHR<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let info = &*info;
        if info.layout == vk::PipelineLayout::null() {
            recording.lose(c"vkCmdBindDescriptorSets2");
            if let Some(bind) = recording.commands().bind_descriptor_sets2 {
                bind(buffer, info);
            }
            return;
        }
        let (layout, first) = (info.layout, info.first_set);
        let sets = list(info.p_descriptor_sets, info.descriptor_set_count).to_vec();
        let offsets = list(info.p_dynamic_offsets, info.dynamic_offset_count).to_vec();
        let points: Vec<_> = points(info.stage_flags).collect();
        points.iter().for_each(|point| recording.bind_sets(*point, layout, first, &sets, &offsets));
        recording.give(Box::new(move |commands, buffer| {
            let Some(bind) = commands.bind_descriptor_sets else { return };
            let (count, dynamic) = (sets.len() as u32, offsets.len() as u32);
            for &point in &points {
                bind(buffer, point, layout, first, count, sets.as_ptr(), dynamic, offsets.as_ptr());
            }
        }));
    }
}

pub(super) unsafe extern "system" fn push_constants2(
    buffer: vk::CommandBuffer,
    info: *const vk::PushConstantsInfoKHR<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let info = &*info;
        if info.layout == vk::PipelineLayout::null() {
            recording.lose(c"vkCmdPushConstants2");
            if let Some(push) = recording.commands().push_constants2 {
                push(buffer, info);
            }
            return;
        }
        let values = list(info.p_values.cast::<u8>(), info.size).to_vec();
        let (layout, stages, offset) = (info.layout, info.stage_flags, info.offset);
        recording.push_constants(layout, stages, offset, &values);
        recording.give(Box::new(move |commands, buffer| {
            if let Some(push) = commands.push_constants {
                push(buffer, layout, stages, offset, values.len() as u32, values.as_ptr());
            }
        }));
    }
}

pub(super) unsafe extern "system" fn bind_descriptor_buffers(
    buffer: vk::CommandBuffer,
    count: u32,
    infos: *const vk::DescriptorBufferBindingInfoEXT<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let given = list(infos, count);
        if given.iter().any(|info| !info.p_next.is_null()) {
            recording.lose(c"vkCmdBindDescriptorBuffersEXT");
            if let Some(bind) = recording.commands().bind_descriptor_buffers {
                bind(buffer, count, infos);
            }
            return;
        }
        let bound: DescriptorBuffers = given.iter().map(|info| (info.address, info.usage)).collect();
        recording.bind_descriptor_buffers(&bound);
        recording.give(Box::new(move |commands, buffer| sets::bind_buffers(commands, buffer, &bound)));
    }
}

pub(super) unsafe extern "system" fn set_descriptor_buffer_offsets2(
    buffer: vk::CommandBuffer,
    info: *const vk::SetDescriptorBufferOffsetsInfoEXT<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let info = &*info;
        if info.layout == vk::PipelineLayout::null() {
            recording.lose(c"vkCmdSetDescriptorBufferOffsets2EXT");
            if let Some(set) = recording.commands().set_descriptor_buffer_offsets2 {
                set(buffer, info);
            }
            return;
        }
        let (layout, first) = (info.layout, info.first_set);
        let indices = list(info.p_buffer_indices, info.set_count).to_vec();
        let offsets = list(info.p_offsets, info.set_count).to_vec();
        let points: Vec<_> = points(info.stage_flags).collect();
        points.iter().for_each(|point| recording.set_offsets(*point, layout, first, &indices, &offsets));
        recording.give(Box::new(move |commands, buffer| {
            let Some(set) = commands.set_descriptor_buffer_offsets_ext else { return };
            for &point in &points {
                set(buffer, point, layout, first, indices.len() as u32, indices.as_ptr(), offsets.as_ptr());
            }
        }));
    }
}

pub(super) unsafe extern "system" fn bind_embedded_samplers2(
    buffer: vk::CommandBuffer,
    info: *const vk::BindDescriptorBufferEmbeddedSamplersInfoEXT<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let info = &*info;
        if info.layout == vk::PipelineLayout::null() {
            recording.lose(c"vkCmdBindDescriptorBufferEmbeddedSamplers2EXT");
            if let Some(bind) = recording.commands().bind_embedded_samplers2 {
                bind(buffer, info);
            }
            return;
        }
        let (layout, number) = (info.layout, info.set);
        let points: Vec<_> = points(info.stage_flags).collect();
        points.iter().for_each(|point| recording.embed_samplers(*point, layout, number));
        recording.give(Box::new(move |commands, buffer| {
            let Some(bind) = commands.bind_descriptor_buffer_embedded_samplers_ext else { return };
            points.iter().for_each(|point| bind(buffer, *point, layout, number));
        }));
    }
}

pub(super) const ANSWERS: &[Answer] = &[
    (c"vkCreateDescriptorUpdateTemplate", create_template as *const ()),
    (c"vkCreateDescriptorUpdateTemplateKHR", create_template as *const ()),
    (c"vkDestroyDescriptorUpdateTemplate", destroy_template as *const ()),
    (c"vkDestroyDescriptorUpdateTemplateKHR", destroy_template as *const ()),
];
