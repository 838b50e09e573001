//! Commands of several draws, and labels.

use super::list;
use crate::record::{Condition, Numbers, Pass, Recording};
use ash::vk;
use std::ffi::CStr;

/// Every so many bytes a structure, copied.
///
/// # Safety
/// There are so many.
unsafe fn strided<T: Copy>(from: *const T, count: u32, stride: u32) -> Vec<T> {
    let at = |n: u32| from.cast::<u8>().wrapping_add(n as usize * stride as usize).cast::<T>();
    // SAFETY: as the caller says.
    (0..count).map(|n| unsafe { at(n).read_unaligned() }).collect()
}

pub(super) unsafe extern "system" fn draw_multi(
    buffer: vk::CommandBuffer,
    count: u32,
    draws: *const vk::MultiDrawInfoEXT,
    instances: u32,
    first_instance: u32,
    stride: u32,
) {
    // SAFETY: the program's arguments are as the specification of the command has them, here and below.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let draws = strided(draws, count, stride);
        for draw in &draws {
            let (first, count) = (draw.first_vertex, draw.vertex_count);
            let numbers = Numbers::Direct { first, count, vertex_offset: 0, instances, first_instance };
            recording.draw(numbers, false);
        }
        recording.give(Box::new(move |commands, buffer| {
            if let Some(command) = commands.draw_multi {
                let stride = size_of::<vk::MultiDrawInfoEXT>() as u32;
                command(buffer, draws.len() as u32, draws.as_ptr(), instances, first_instance, stride);
            }
        }));
    }
}

pub(super) unsafe extern "system" fn draw_multi_indexed(
    buffer: vk::CommandBuffer,
    count: u32,
    draws: *const vk::MultiDrawIndexedInfoEXT,
    instances: u32,
    first_instance: u32,
    stride: u32,
    offset: *const i32,
) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let draws = strided(draws, count, stride);
        let offset = offset.as_ref().copied();
        for draw in &draws {
            let (first, count) = (draw.first_index, draw.index_count);
            let vertex_offset = offset.unwrap_or(draw.vertex_offset) as u32;
            recording.draw(Numbers::Direct { first, count, vertex_offset, instances, first_instance }, true);
        }
        recording.give(Box::new(move |commands, buffer| {
            if let Some(command) = commands.draw_multi_indexed {
                let stride = size_of::<vk::MultiDrawIndexedInfoEXT>() as u32;
                let offset = offset.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
                command(buffer, draws.len() as u32, draws.as_ptr(), instances, first_instance, stride, offset);
            }
        }));
    }
}

pub(super) unsafe extern "system" fn begin_condition(
    buffer: vk::CommandBuffer,
    info: *const vk::ConditionalRenderingBeginInfoEXT<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let condition = Condition { buffer: (*info).buffer, offset: (*info).offset, flags: (*info).flags };
        // Outside of render passes it holds for what captures, too, since that is dispatched.
        if recording.pass != Pass::Outside {
            recording.condition = Some(condition);
        }
        recording.give(Box::new(move |commands, buffer| condition.begin(commands, buffer)));
    }
}

/// A label's name and colour.
unsafe fn label(info: &vk::DebugUtilsLabelEXT<'_>) -> (std::ffi::CString, [f32; 4]) {
    // SAFETY: as above.
    let name = unsafe { info.p_label_name.as_ref().map(|name| CStr::from_ptr(name)) };
    (name.unwrap_or_default().to_owned(), info.color)
}

pub(super) unsafe extern "system" fn begin_label(buffer: vk::CommandBuffer, info: *const vk::DebugUtilsLabelEXT<'_>) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let (name, color) = label(&*info);
        recording.give(Box::new(move |commands, buffer| {
            if let Some(command) = commands.begin_label {
                command(buffer, &vk::DebugUtilsLabelEXT::default().label_name(&name).color(color));
            }
        }));
    }
}

pub(super) unsafe extern "system" fn insert_label(buffer: vk::CommandBuffer, info: *const vk::DebugUtilsLabelEXT<'_>) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let (name, color) = label(&*info);
        recording.give(Box::new(move |commands, buffer| {
            if let Some(command) = commands.insert_label {
                command(buffer, &vk::DebugUtilsLabelEXT::default().label_name(&name).color(color));
            }
        }));
    }
}

pub(super) unsafe extern "system" fn set_depth_bias2(buffer: vk::CommandBuffer, info: *const vk::DepthBiasInfoEXT<'_>) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let given = &*info;
        let represented = crate::chain::find::<vk::DepthBiasRepresentationInfoEXT<'_>>(given.p_next)
            .map(|info| (info.depth_bias_representation, info.depth_bias_exact));
        let (constant, clamp, slope) =
            (given.depth_bias_constant_factor, given.depth_bias_clamp, given.depth_bias_slope_factor);
        recording.give(Box::new(move |commands, buffer| {
            let Some(command) = commands.set_depth_bias2 else { return };
            let info = vk::DepthBiasInfoEXT::default()
                .depth_bias_constant_factor(constant)
                .depth_bias_clamp(clamp)
                .depth_bias_slope_factor(slope);
            match represented {
                Some((how, exact)) => {
                    let mut more = vk::DepthBiasRepresentationInfoEXT::default().depth_bias_representation(how);
                    more.depth_bias_exact = exact;
                    command(buffer, &info.push_next(&mut more));
                }
                None => command(buffer, &info),
            }
        }));
    }
}

pub(super) unsafe extern "system" fn set_attachment_locations(
    buffer: vk::CommandBuffer,
    info: *const vk::RenderingAttachmentLocationInfoKHR<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let (count, given) = ((*info).color_attachment_count, (*info).p_color_attachment_locations);
        let locations = (!given.is_null()).then(|| list(given, count).to_vec());
        recording.give(Box::new(move |commands, buffer| {
            if let Some(command) = commands.set_attachment_locations {
                let info = vk::RenderingAttachmentLocationInfoKHR {
                    color_attachment_count: count,
                    p_color_attachment_locations: locations.as_ref().map_or(std::ptr::null(), |all| all.as_ptr()),
                    ..Default::default()
                };
                command(buffer, &info);
            }
        }));
    }
}
