//! Commands with structures, which take more to be kept than a row has.

use super::{list, passes};
use crate::barriers::{self, Place};
use crate::record::{Pass, Recording};
use ash::vk;

/// What a command is made of that is kept, or given at once.
struct Barrier {
    stages: [vk::PipelineStageFlags; 2],
    flags: vk::DependencyFlags,
    memory: Vec<vk::MemoryBarrier<'static>>,
    buffers: Vec<vk::BufferMemoryBarrier<'static>>,
    images: Vec<vk::ImageMemoryBarrier<'static>>,
}

pub(super) fn place(recording: &Recording) -> Place {
    if recording.pass == Pass::Outside { Place::Outside } else { Place::Inside }
}

pub(super) fn access(place: Place, flags: vk::AccessFlags) -> vk::AccessFlags {
    vk::AccessFlags::from_raw(barriers::accesses(place, flags.as_raw().into()) as u32)
}

pub(super) fn access2(place: Place, flags: vk::AccessFlags2) -> vk::AccessFlags2 {
    vk::AccessFlags2::from_raw(barriers::accesses(place, flags.as_raw()))
}

pub(super) fn stages(
    place: Place,
    stages: vk::PipelineStageFlags,
    accesses: vk::AccessFlags,
) -> vk::PipelineStageFlags {
    vk::PipelineStageFlags::from_raw(barriers::stages(place, stages.as_raw().into(), accesses.as_raw().into()) as u32)
}

pub(super) fn stages2(
    place: Place,
    stages: vk::PipelineStageFlags2,
    accesses: vk::AccessFlags2,
) -> vk::PipelineStageFlags2 {
    vk::PipelineStageFlags2::from_raw(barriers::stages(place, stages.as_raw(), accesses.as_raw()))
}

/// Stages and accesses of both sides of a dependency; stages depend on what the accesses were.
macro_rules! both_sides {
    ($of:expr, $place:ident, $stages:ident, $access:ident) => {
        $of.src_stage_mask = $stages($place, $of.src_stage_mask, $of.src_access_mask);
        $of.dst_stage_mask = $stages($place, $of.dst_stage_mask, $of.dst_access_mask);
        $of.src_access_mask = $access($place, $of.src_access_mask);
        $of.dst_access_mask = $access($place, $of.dst_access_mask);
    };
}

pub(super) use both_sides;

/// Structures without what hangs on them; `None` if something does.
macro_rules! without_chain {
    ($list:expr, $place:ident, $access:ident, $ty:ident { $($field:ident),* }) => {
        $list.iter().map(|barrier| barrier.p_next.is_null().then(|| vk::$ty {
            src_access_mask: $access($place, barrier.src_access_mask),
            dst_access_mask: $access($place, barrier.dst_access_mask),
            $($field: barrier.$field,)*
            ..Default::default()
        })).collect::<Option<Vec<vk::$ty<'static>>>>()
    };
}

/// Likewise of buffers, of either generation: the second has stages in each barrier.
macro_rules! buffers_without_chain {
    ($list:expr, $place:ident, $access:ident, $ty:ident $(, $stages:ident)*) => {
        without_chain!(
            $list,
            $place,
            $access,
            $ty { $($stages,)* src_queue_family_index, dst_queue_family_index, buffer, offset, size }
        )
    };
}

/// Likewise of images.
macro_rules! images_without_chain {
    ($list:expr, $place:ident, $access:ident, $ty:ident $(, $stages:ident)*) => {
        without_chain!(
            $list,
            $place,
            $access,
            $ty {
                $($stages,)*
                old_layout,
                new_layout,
                src_queue_family_index,
                dst_queue_family_index,
                image,
                subresource_range
            }
        )
    };
}

#[allow(clippy::too_many_arguments, reason = "as Vulkan has them")]
pub(super) unsafe extern "system" fn pipeline_barrier(
    buffer: vk::CommandBuffer,
    before: vk::PipelineStageFlags,
    after: vk::PipelineStageFlags,
    flags: vk::DependencyFlags,
    memory_count: u32,
    memory: *const vk::MemoryBarrier<'_>,
    buffer_count: u32,
    buffers: *const vk::BufferMemoryBarrier<'_>,
    image_count: u32,
    images: *const vk::ImageMemoryBarrier<'_>,
) {
    // SAFETY: the program's arguments are as the specification of the command has them, here and below.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let place = place(recording);
        let (m, b, i) = (list(memory, memory_count), list(buffers, buffer_count), list(images, image_count));
        let all = || {
            let of = |source: bool| {
                let pick = |(s, d): (vk::AccessFlags, vk::AccessFlags)| u64::from(if source { s } else { d }.as_raw());
                let m = m.iter().map(|b| (b.src_access_mask, b.dst_access_mask));
                let b = b.iter().map(|b| (b.src_access_mask, b.dst_access_mask));
                m.chain(b)
                    .chain(i.iter().map(|b| (b.src_access_mask, b.dst_access_mask)))
                    .map(pick)
                    .fold(0, |a, b| a | b)
            };
            [of(true), of(false)]
        };
        let accesses = all();
        let stages = [before, after].map(|stage| u64::from(stage.as_raw()));
        passes::waits(recording, stages[0], accesses[0], stages[1]);
        let concerns = stages.iter().zip(accesses).any(|(stages, accesses)| barriers::concerns(*stages, accesses));
        if !concerns && recording.kept().is_none() {
            if let Some(command) = recording.commands().pipeline_barrier {
                command(buffer, before, after, flags, memory_count, memory, buffer_count, buffers, image_count, images);
            }
            return;
        }
        let kept = (
            without_chain!(m, place, access, MemoryBarrier {}),
            buffers_without_chain!(b, place, access, BufferMemoryBarrier),
            images_without_chain!(i, place, access, ImageMemoryBarrier),
        );
        let (Some(memory), Some(buffers), Some(images)) = kept else {
            // It stands where it is: the render pass begins.
            recording.flush();
            if let Some(command) = recording.commands().pipeline_barrier {
                command(buffer, before, after, flags, memory_count, memory, buffer_count, buffers, image_count, images);
            }
            return;
        };
        let mask = |n: usize| vk::PipelineStageFlags::from_raw(barriers::stages(place, stages[n], accesses[n]) as u32);
        let kept = Barrier { stages: [mask(0), mask(1)], flags, memory, buffers, images };
        let kept = passes::Owned::new(kept);
        recording.give(Box::new(move |commands, buffer| {
            let Some(command) = commands.pipeline_barrier else { return };
            let Barrier { stages, flags, memory, buffers, images } = kept.get();
            command(
                buffer,
                stages[0],
                stages[1],
                *flags,
                memory.len() as u32,
                memory.as_ptr(),
                buffers.len() as u32,
                buffers.as_ptr(),
                images.len() as u32,
                images.as_ptr(),
            );
        }));
    }
}

fn same(_: Place, flags: vk::AccessFlags2) -> vk::AccessFlags2 {
    flags
}

/// A dependency of the second generation.
pub(super) struct Dependency {
    flags: vk::DependencyFlags,
    memory: Vec<vk::MemoryBarrier2<'static>>,
    buffers: Vec<vk::BufferMemoryBarrier2<'static>>,
    images: Vec<vk::ImageMemoryBarrier2<'static>>,
}

impl Dependency {
    /// Without the extension's stages and accesses. `None` if there is something in it that is not known.
    ///
    /// # Safety
    /// The structure is the program's.
    pub(super) unsafe fn of(info: &vk::DependencyInfo<'_>, place: Place) -> Option<Self> {
        // SAFETY: as the caller says.
        let (m, b, i) = unsafe {
            (
                list(info.p_memory_barriers, info.memory_barrier_count),
                list(info.p_buffer_memory_barriers, info.buffer_memory_barrier_count),
                list(info.p_image_memory_barriers, info.image_memory_barrier_count),
            )
        };
        if !info.p_next.is_null() {
            return None;
        }
        let mut memory = without_chain!(m, place, same, MemoryBarrier2 { src_stage_mask, dst_stage_mask })?;
        let mut buffers = buffers_without_chain!(b, place, same, BufferMemoryBarrier2, src_stage_mask, dst_stage_mask)?;
        let mut images = images_without_chain!(i, place, same, ImageMemoryBarrier2, src_stage_mask, dst_stage_mask)?;
        for barrier in &mut memory {
            both_sides!(barrier, place, stages2, access2);
        }
        for barrier in &mut buffers {
            both_sides!(barrier, place, stages2, access2);
        }
        for barrier in &mut images {
            both_sides!(barrier, place, stages2, access2);
        }
        Some(Self { flags: info.dependency_flags, memory, buffers, images })
    }

    /// As a command takes it.
    pub(super) fn info(&self) -> vk::DependencyInfo<'_> {
        vk::DependencyInfo::default()
            .dependency_flags(self.flags)
            .memory_barriers(&self.memory)
            .buffer_memory_barriers(&self.buffers)
            .image_memory_barriers(&self.images)
    }
}

/// The stages and accesses that a dependency is from, and the stages that it waits in.
///
/// # Safety
/// The structure is the program's.
unsafe fn scopes(info: &vk::DependencyInfo<'_>) -> [u64; 3] {
    let mut all = [0; 3];
    let mut add = |from: vk::PipelineStageFlags2, access: vk::AccessFlags2, to: vk::PipelineStageFlags2| {
        all = [all[0] | from.as_raw(), all[1] | access.as_raw(), all[2] | to.as_raw()];
    };
    // SAFETY: as the caller says.
    unsafe {
        for b in list(info.p_memory_barriers, info.memory_barrier_count) {
            add(b.src_stage_mask, b.src_access_mask, b.dst_stage_mask);
        }
        for b in list(info.p_buffer_memory_barriers, info.buffer_memory_barrier_count) {
            add(b.src_stage_mask, b.src_access_mask, b.dst_stage_mask);
        }
        for b in list(info.p_image_memory_barriers, info.image_memory_barrier_count) {
            add(b.src_stage_mask, b.src_access_mask, b.dst_stage_mask);
        }
    }
    all
}

pub(super) unsafe extern "system" fn pipeline_barrier2(buffer: vk::CommandBuffer, info: *const vk::DependencyInfo<'_>) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let [before, accesses, after] = scopes(&*info);
        passes::waits(recording, before, accesses, after);
        match Dependency::of(&*info, place(recording)) {
            Some(dependency) => {
                let dependency = passes::Owned::new(dependency);
                recording.give(Box::new(move |commands, buffer| {
                    if let Some(command) = commands.pipeline_barrier2 {
                        command(buffer, &dependency.get().info());
                    }
                }));
            }
            None => {
                recording.flush();
                if let Some(command) = recording.commands().pipeline_barrier2 {
                    command(buffer, info);
                }
            }
        }
    }
}
