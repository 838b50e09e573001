//! What else has the extension's stages and accesses: submissions, render passes, events, timestamps.

use super::own::{Dependency, access, access2, both_sides, stages, stages2};
use super::{Answer, list, own, pass_on};
use crate::barriers::{self, Place};
use crate::chain::{self, Chain};
use crate::devices::Device;
use crate::objects::passes;
use crate::record::Recording;
use ash::vk::{self, Handle as _};

/// Where something of a device, a queue or a command buffer outside of render passes stands.
///
/// # Safety
/// The handle is valid.
unsafe fn outside(handle: u64) -> Place {
    // SAFETY: as the caller says.
    let known = unsafe { Device::of(handle) };
    if known.is_some_and(|device| device.active.is_some()) { Place::Outside } else { Place::Foreign }
}

/// Likewise of something in a render pass.
///
/// # Safety
/// The handle is valid.
unsafe fn inside(handle: u64) -> Place {
    // SAFETY: as the caller says.
    if unsafe { outside(handle) } == Place::Foreign { Place::Foreign } else { Place::Inside }
}

unsafe extern "system" fn queue_submit(
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo<'_>,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: the program's arguments are as the specification of the function has them, here and below.
    unsafe {
        let submit = pass_on!(@find queue, c"vkQueueSubmit": vk::PFN_vkQueueSubmit, vk::Result::ERROR_DEVICE_LOST);
        let given = list(submits, count);
        let waits = |info: &vk::SubmitInfo<'_>| list(info.p_wait_dst_stage_mask, info.wait_semaphore_count);
        let concerns = |mask: &vk::PipelineStageFlags| barriers::concerns(mask.as_raw().into(), 0);
        if !given.iter().any(|info| waits(info).iter().any(concerns)) {
            return submit(queue, count, submits, fence);
        }
        let place = outside(queue.as_raw());
        let plain = |mask: &vk::PipelineStageFlags| stages(place, *mask, vk::AccessFlags::empty());
        let masks: Vec<Vec<_>> = given.iter().map(|info| waits(info).iter().map(plain).collect()).collect();
        let mut changed = given.to_vec();
        for (info, masks) in changed.iter_mut().zip(&masks) {
            info.p_wait_dst_stage_mask = masks.as_ptr();
        }
        submit(queue, count, changed.as_ptr(), fence)
    }
}

/// `vkQueueSubmit2` by either name.
unsafe fn submit2(
    submit: vk::PFN_vkQueueSubmit2,
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo2<'_>,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        let given = list(submits, count);
        let mut semaphores = Vec::new();
        for info in given {
            semaphores.push([
                list(info.p_wait_semaphore_infos, info.wait_semaphore_info_count).to_vec(),
                list(info.p_signal_semaphore_infos, info.signal_semaphore_info_count).to_vec(),
            ]);
        }
        let (mut concerns, place) = (false, outside(queue.as_raw()));
        for semaphore in semaphores.iter_mut().flatten().flatten() {
            concerns |= barriers::concerns(semaphore.stage_mask.as_raw(), 0);
            semaphore.stage_mask = stages2(place, semaphore.stage_mask, vk::AccessFlags2::empty());
        }
        if !concerns {
            return submit(queue, count, submits, fence);
        }
        let mut changed = given.to_vec();
        for (info, [waits, signals]) in changed.iter_mut().zip(&semaphores) {
            (info.p_wait_semaphore_infos, info.p_signal_semaphore_infos) = (waits.as_ptr(), signals.as_ptr());
        }
        submit(queue, count, changed.as_ptr(), fence)
    }
}

unsafe extern "system" fn create_render_pass(
    device: vk::Device,
    info: *const vk::RenderPassCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pass: *mut vk::RenderPass,
) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        let create =
            pass_on!(@find device, c"vkCreateRenderPass": vk::PFN_vkCreateRenderPass, vk::Result::ERROR_DEVICE_LOST);
        let place = inside(device.as_raw());
        let given = list((*info).p_dependencies, (*info).dependency_count);
        let mut dependencies = given.to_vec();
        for d in &mut dependencies {
            // Captures are done before the render pass, between barriers of the layer's.
            both_sides!(d, place, stages, access);
        }
        let changed = vk::RenderPassCreateInfo { p_dependencies: dependencies.as_ptr(), ..*info };
        let result = create(device, &changed, allocator, pass);
        keep_pass(device, result, pass, || {
            let known = given.iter().map(|d| passes::Dependency {
                subpasses: [d.src_subpass, d.dst_subpass],
                before: d.src_stage_mask.as_raw().into(),
                accesses: d.src_access_mask.as_raw().into(),
                after: d.dst_stage_mask.as_raw().into(),
            });
            let views = chain::find::<vk::RenderPassMultiviewCreateInfo<'_>>((*info).p_next);
            let multiview =
                views.is_some_and(|views| list(views.p_view_masks, views.subpass_count).iter().any(|mask| *mask != 0));
            passes::Subpasses { waits: passes::waits_of((*info).subpass_count, known), multiview }
        });
        result
    }
}

/// Keeps what is known of a render pass, if one was created.
///
/// # Safety
/// The device is valid, and so is the render pass if one was created.
unsafe fn keep_pass(
    device: vk::Device,
    result: vk::Result,
    pass: *const vk::RenderPass,
    known: impl FnOnce() -> passes::Subpasses,
) {
    // SAFETY: as the caller says.
    unsafe {
        if result == vk::Result::SUCCESS
            && let Some(active) = Device::active(device)
        {
            active.passes.insert((*pass).as_raw(), known());
        }
    }
}

unsafe extern "system" fn destroy_render_pass(
    device: vk::Device,
    pass: vk::RenderPass,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let destroy = pass_on!(@find device, c"vkDestroyRenderPass": vk::PFN_vkDestroyRenderPass);
        if let Some(active) = Device::active(device) {
            active.passes.remove(pass.as_raw());
        }
        destroy(device, pass, allocator);
    }
}

/// `vkCreateRenderPass2` by either name.
unsafe fn render_pass2(
    create: vk::PFN_vkCreateRenderPass2,
    device: vk::Device,
    info: *const vk::RenderPassCreateInfo2<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pass: *mut vk::RenderPass,
) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        let place = inside(device.as_raw());
        let given = list((*info).p_dependencies, (*info).dependency_count);
        let mut dependencies = given.to_vec();
        let mut chains = Vec::new();
        for d in &mut dependencies {
            both_sides!(d, place, stages, access);
            let mut chain = Chain::copy(d.p_next);
            if let Some(barrier) = chain.get::<vk::MemoryBarrier2<'_>>() {
                both_sides!(barrier, place, stages2, access2);
            }
            d.p_next = chain.head();
            chains.push(chain);
        }
        let changed = vk::RenderPassCreateInfo2 { p_dependencies: dependencies.as_ptr(), ..*info };
        let result = create(device, &changed, allocator, pass);
        keep_pass(device, result, pass, || {
            let multiview =
                list((*info).p_subpasses, (*info).subpass_count).iter().any(|subpass| subpass.view_mask != 0);
            let waits = passes::waits_of((*info).subpass_count, given.iter().map(|d| dependency2(d)));
            passes::Subpasses { waits, multiview }
        });
        result
    }
}

/// A dependency of the second generation, whose stages and accesses may hang on it.
///
/// # Safety
/// The structure is the program's, for vkCreateRenderPass2.
unsafe fn dependency2(d: &vk::SubpassDependency2<'_>) -> passes::Dependency {
    // SAFETY: as the caller says.
    let barrier = unsafe { chain::find::<vk::MemoryBarrier2<'_>>(d.p_next) };
    let [before, accesses, after] = match barrier {
        Some(b) => [b.src_stage_mask.as_raw(), b.src_access_mask.as_raw(), b.dst_stage_mask.as_raw()],
        None => [d.src_stage_mask.as_raw(), d.src_access_mask.as_raw(), d.dst_stage_mask.as_raw()].map(u64::from),
    };
    passes::Dependency { subpasses: [d.src_subpass, d.dst_subpass], before, accesses, after }
}

unsafe extern "system" fn set_event(buffer: vk::CommandBuffer, event: vk::Event, mask: vk::PipelineStageFlags) {
    // SAFETY: as above.
    unsafe {
        let set = pass_on!(@find buffer, c"vkCmdSetEvent": vk::PFN_vkCmdSetEvent);
        set(buffer, event, stages(outside(buffer.as_raw()), mask, vk::AccessFlags::empty()));
    }
}

unsafe extern "system" fn reset_event(buffer: vk::CommandBuffer, event: vk::Event, mask: vk::PipelineStageFlags) {
    // SAFETY: as above.
    unsafe {
        let reset = pass_on!(@find buffer, c"vkCmdResetEvent": vk::PFN_vkCmdResetEvent);
        reset(buffer, event, stages(outside(buffer.as_raw()), mask, vk::AccessFlags::empty()));
    }
}

unsafe extern "system" fn wait_events(
    buffer: vk::CommandBuffer,
    count: u32,
    events: *const vk::Event,
    before: vk::PipelineStageFlags,
    after: vk::PipelineStageFlags,
    memory_count: u32,
    memory: *const vk::MemoryBarrier<'_>,
    buffer_count: u32,
    buffers: *const vk::BufferMemoryBarrier<'_>,
    image_count: u32,
    images: *const vk::ImageMemoryBarrier<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let wait = pass_on!(@find buffer, c"vkCmdWaitEvents": vk::PFN_vkCmdWaitEvents);
        let mut place = Place::Foreign;
        if let Some(recording) = Recording::of(buffer) {
            place = own::place(recording);
            recording.interrupt(c"vkCmdWaitEvents");
        }
        let mut m = list(memory, memory_count).to_vec();
        let mut b = list(buffers, buffer_count).to_vec();
        let mut i = list(images, image_count).to_vec();
        let mut all = [vk::AccessFlags::empty(); 2];
        let mut adapt = |source: &mut vk::AccessFlags, target: &mut vk::AccessFlags| {
            all = [all[0] | *source, all[1] | *target];
            (*source, *target) = (access(place, *source), access(place, *target));
        };
        m.iter_mut().for_each(|m| adapt(&mut m.src_access_mask, &mut m.dst_access_mask));
        b.iter_mut().for_each(|b| adapt(&mut b.src_access_mask, &mut b.dst_access_mask));
        i.iter_mut().for_each(|i| adapt(&mut i.src_access_mask, &mut i.dst_access_mask));
        let (before, after) = (stages(place, before, all[0]), stages(place, after, all[1]));
        let (m, b, i) = (m.as_ptr(), b.as_ptr(), i.as_ptr());
        wait(buffer, count, events, before, after, memory_count, m, buffer_count, b, image_count, i);
    }
}

/// A dependency of an event. What hangs on it is the program's: then the extension may not occur in it.
unsafe fn dependency(info: &vk::DependencyInfo<'_>, place: Place) -> Option<Dependency> {
    // SAFETY: as above.
    let known = unsafe { Dependency::of(info, place) };
    if known.is_none() {
        tracing::warn!("an event's dependency has a structure that is not known: it goes to the driver as it is");
    }
    known
}

unsafe fn set_event2_by(
    set: vk::PFN_vkCmdSetEvent2,
    buffer: vk::CommandBuffer,
    event: vk::Event,
    info: *const vk::DependencyInfo<'_>,
) {
    // SAFETY: as above.
    unsafe {
        match dependency(&*info, outside(buffer.as_raw())) {
            Some(known) => set(buffer, event, &known.info()),
            None => set(buffer, event, info),
        }
    }
}

unsafe fn reset_event2_by(
    reset: vk::PFN_vkCmdResetEvent2,
    buffer: vk::CommandBuffer,
    event: vk::Event,
    mask: vk::PipelineStageFlags2,
) {
    // SAFETY: as above.
    unsafe { reset(buffer, event, stages2(outside(buffer.as_raw()), mask, vk::AccessFlags2::empty())) };
}

unsafe fn wait_events2_by(
    wait: vk::PFN_vkCmdWaitEvents2,
    buffer: vk::CommandBuffer,
    count: u32,
    events: *const vk::Event,
    infos: *const vk::DependencyInfo<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let mut place = Place::Foreign;
        if let Some(recording) = Recording::of(buffer) {
            place = own::place(recording);
            recording.interrupt(c"vkCmdWaitEvents2");
        }
        let given = list(infos, count);
        let known: Vec<Option<Dependency>> = given.iter().map(|info| dependency(info, place)).collect();
        let mut changed = given.to_vec();
        for (info, known) in changed.iter_mut().zip(&known) {
            if let Some(known) = known {
                *info = known.info();
            }
        }
        wait(buffer, count, events, changed.as_ptr());
    }
}

/// Functions that have two names: each finds what stands below under the name that it was called by.
macro_rules! by_both_names {
    ($( $name:ident $symbol:literal, $khr:ident $khr_symbol:literal: $ty:ident by
        $by:ident($handle:ident: $handle_ty:ty $(, $argument:ident: $of:ty)*) $(-> $result:ty, or $otherwise:expr)?; )*) => { $(
        by_both_names!(@one $name $symbol: $ty by $by($handle: $handle_ty $(, $argument: $of)*) $(-> $result, or $otherwise)?);
        by_both_names!(@one $khr $khr_symbol: $ty by $by($handle: $handle_ty $(, $argument: $of)*) $(-> $result, or $otherwise)?);
    )* };
    (@one $name:ident $symbol:literal: $ty:ident by
        $by:ident($handle:ident: $handle_ty:ty $(, $argument:ident: $of:ty)*) $(-> $result:ty, or $otherwise:expr)?) => {
        unsafe extern "system" fn $name($handle: $handle_ty $(, $argument: $of)*) $(-> $result)? {
            // SAFETY: as above.
            unsafe { $by(pass_on!(@find $handle, $symbol: vk::$ty $(, $otherwise)?), $handle $(, $argument)*) }
        }
    };
}

by_both_names! {
    queue_submit2 c"vkQueueSubmit2", queue_submit2_khr c"vkQueueSubmit2KHR": PFN_vkQueueSubmit2 by
        submit2(queue: vk::Queue, count: u32, submits: *const vk::SubmitInfo2<'_>, fence: vk::Fence)
        -> vk::Result, or vk::Result::ERROR_DEVICE_LOST;
    create_render_pass2 c"vkCreateRenderPass2", create_render_pass2_khr c"vkCreateRenderPass2KHR": PFN_vkCreateRenderPass2 by
        render_pass2(
            device: vk::Device,
            info: *const vk::RenderPassCreateInfo2<'_>,
            allocator: *const vk::AllocationCallbacks<'_>,
            pass: *mut vk::RenderPass
        ) -> vk::Result, or vk::Result::ERROR_DEVICE_LOST;
    set_event2 c"vkCmdSetEvent2", set_event2_khr c"vkCmdSetEvent2KHR": PFN_vkCmdSetEvent2 by
        set_event2_by(buffer: vk::CommandBuffer, event: vk::Event, info: *const vk::DependencyInfo<'_>);
    reset_event2 c"vkCmdResetEvent2", reset_event2_khr c"vkCmdResetEvent2KHR": PFN_vkCmdResetEvent2 by
        reset_event2_by(buffer: vk::CommandBuffer, event: vk::Event, mask: vk::PipelineStageFlags2);
    wait_events2 c"vkCmdWaitEvents2", wait_events2_khr c"vkCmdWaitEvents2KHR": PFN_vkCmdWaitEvents2 by
        wait_events2_by(
            buffer: vk::CommandBuffer,
            count: u32,
            events: *const vk::Event,
            infos: *const vk::DependencyInfo<'_>
        );
}

pub(super) const ANSWERS: &[Answer] = &[
    (c"vkQueueSubmit", queue_submit as *const ()),
    (c"vkQueueSubmit2", queue_submit2 as *const ()),
    (c"vkQueueSubmit2KHR", queue_submit2_khr as *const ()),
    (c"vkCreateRenderPass", create_render_pass as *const ()),
    (c"vkCreateRenderPass2", create_render_pass2 as *const ()),
    (c"vkCreateRenderPass2KHR", create_render_pass2_khr as *const ()),
    (c"vkDestroyRenderPass", destroy_render_pass as *const ()),
    (c"vkCmdSetEvent", set_event as *const ()),
    (c"vkCmdResetEvent", reset_event as *const ()),
    (c"vkCmdWaitEvents", wait_events as *const ()),
    (c"vkCmdSetEvent2", set_event2 as *const ()),
    (c"vkCmdSetEvent2KHR", set_event2_khr as *const ()),
    (c"vkCmdResetEvent2", reset_event2 as *const ()),
    (c"vkCmdResetEvent2KHR", reset_event2_khr as *const ()),
    (c"vkCmdWaitEvents2", wait_events2 as *const ()),
    (c"vkCmdWaitEvents2KHR", wait_events2_khr as *const ()),
];
