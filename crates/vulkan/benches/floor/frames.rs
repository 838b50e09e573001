//! Frames: command buffers, the rings that each has for itself, and the clock.

use std::time::Instant;

use ash::vk;

use super::cases::Case;
use super::check::CHECKED;
use super::gpu::{Gpu, Multi};
use super::memory::Ring;
use super::scene::{OUTSIDE, STRIDE, Scene, Triangle};
use super::shaders::RECORD;
use super::{Arguments, Result, WARM_UP};

/// Frames that take turns.
const SLOTS: usize = 2;
/// Most bytes of constants of a draw.
pub(crate) const CONSTANTS: usize = 128;
/// Bytes of a `VkDrawIndirectCommand`.
pub(crate) const COMMAND: usize = 16;

/// What a frame has for itself.
pub(crate) struct Slot {
    pool: vk::CommandPool,
    pub(crate) c: vk::CommandBuffer,
    fence: vk::Fence,
    pub(crate) constants: Ring,
    pub(crate) vertices: Ring,
    pub(crate) records: Ring,
    pub(crate) commands: Ring,
    pub(crate) draws: Vec<vk::MultiDrawInfoEXT>,
}

impl Slot {
    fn new(gpu: &Gpu, draws: usize) -> Result<Self> {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(gpu.family);
        // SAFETY: what is made lives as long as the process.
        unsafe {
            let pool = gpu.device.create_command_pool(&info, None)?;
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            Ok(Self {
                pool,
                c: gpu.device.allocate_command_buffers(&info)?[0],
                fence: gpu.device.create_fence(&vk::FenceCreateInfo::default(), None)?,
                constants: Ring::new(gpu, draws * CONSTANTS)?,
                vertices: Ring::new(gpu, draws * 3 * STRIDE)?,
                records: Ring::new(gpu, draws * RECORD as usize)?,
                commands: Ring::new(gpu, draws * COMMAND)?,
                draws: Vec::with_capacity(draws),
            })
        }
    }

    /// Begins to record, with empty rings. The frame that was here before has ended.
    ///
    /// # Errors
    /// Where Vulkan fails.
    pub(crate) fn begin(&mut self, gpu: &Gpu) -> Result {
        for ring in [&mut self.constants, &mut self.vertices, &mut self.records, &mut self.commands] {
            ring.restart();
        }
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: its frame has ended, so that nothing uses the pool.
        unsafe {
            gpu.device.reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty())?;
            Ok(gpu.device.begin_command_buffer(self.c, &info)?)
        }
    }

    /// Records a frame of a case, its draws in runs if `multi` says how.
    ///
    /// # Errors
    /// Where Vulkan fails.
    pub(crate) fn record(
        &mut self,
        gpu: &Gpu,
        multi: Option<&Multi>,
        scene: &Scene,
        case: Case,
        triangle: &Triangle,
        draws: u32,
    ) -> Result {
        self.begin(gpu)?;
        // SAFETY: the command buffer is being recorded, and the slot has room for so many draws.
        unsafe {
            scene.begin(gpu, self.c, vk::AttachmentLoadOp::CLEAR);
            scene.bind(gpu, self.c);
            match multi {
                Some(multi) if case.merges() => case.record_merged(gpu, multi, scene, self, triangle, draws),
                _ => case.record(gpu, scene, self, triangle, draws),
            }
            gpu.device.cmd_end_rendering(self.c);
        }
        self.end(gpu)
    }

    /// Ends recording.
    ///
    /// # Errors
    /// Where Vulkan fails.
    pub(crate) fn end(&self, gpu: &Gpu) -> Result {
        // SAFETY: it is being recorded, outside of rendering.
        Ok(unsafe { gpu.device.end_command_buffer(self.c) }?)
    }

    /// Submits what was recorded, between semaphores if there are any.
    ///
    /// # Errors
    /// Where Vulkan fails.
    pub(crate) fn submit(&self, gpu: &Gpu, between: Option<[vk::Semaphore; 2]>) -> Result {
        let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(self.c)];
        let stage = vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT;
        let [before, after] = [0, 1].map(|at| {
            let semaphore = between.map(|both| both[at]).unwrap_or_default();
            [vk::SemaphoreSubmitInfo::default().semaphore(semaphore).stage_mask(stage)]
        });
        let mut info = vk::SubmitInfo2::default().command_buffer_infos(&buffers);
        if between.is_some() {
            info = info.wait_semaphore_infos(&before).signal_semaphore_infos(&after);
        }
        // SAFETY: the command buffer is recorded, the fence not in use.
        Ok(unsafe { gpu.device.queue_submit2(gpu.queue, &[info], self.fence) }?)
    }

    /// Waits as `bench_d3d9` does, without sleeping, until what was submitted has been carried out.
    ///
    /// # Errors
    /// Where Vulkan fails.
    pub(crate) fn wait(&self, gpu: &Gpu) -> Result {
        // SAFETY: the fence is the device's; it is reset once nothing uses it.
        unsafe {
            while !gpu.device.get_fence_status(self.fence)? {
                std::thread::yield_now();
            }
            Ok(gpu.device.reset_fences(&[self.fence])?)
        }
    }

    /// The same asleep, as who has frames in flight waits for the oldest.
    ///
    /// # Errors
    /// Where Vulkan fails.
    pub(crate) fn wait_asleep(&self, gpu: &Gpu) -> Result {
        // SAFETY: as above.
        unsafe {
            gpu.device.wait_for_fences(&[self.fence], true, u64::MAX)?;
            Ok(gpu.device.reset_fences(&[self.fence])?)
        }
    }
}

/// The frames that take turns.
pub(crate) struct Frames {
    pub(crate) slots: [Slot; SLOTS],
}

impl Frames {
    /// Makes them for so many draws each.
    ///
    /// # Errors
    /// Where Vulkan fails.
    pub(crate) fn new(gpu: &Gpu, draws: u32) -> Result<Self> {
        let draws = draws.max(CHECKED) as usize;
        Ok(Self { slots: [Slot::new(gpu, draws)?, Slot::new(gpu, draws)?] })
    }

    /// Records commands once, and waits until they have been carried out.
    ///
    /// # Errors
    /// Where Vulkan fails.
    pub(crate) fn once(&mut self, gpu: &Gpu, record: impl FnOnce(vk::CommandBuffer)) -> Result {
        let slot = &mut self.slots[0];
        slot.begin(gpu)?;
        record(slot.c);
        slot.end(gpu)?;
        slot.submit(gpu, None)?;
        slot.wait(gpu)
    }

    /// Microseconds of a draw: to record it, and until the frame has been drawn; medians over the frames.
    ///
    /// # Errors
    /// Where Vulkan fails.
    pub(crate) fn time(&mut self, gpu: &Gpu, scene: &Scene, case: Case, arguments: &Arguments) -> Result<[f64; 2]> {
        let mut times = [Vec::new(), Vec::new()];
        for frame in 0..WARM_UP + arguments.frames {
            let slot = &mut self.slots[frame as usize % SLOTS];
            let start = Instant::now();
            slot.record(gpu, gpu.multi.as_ref(), scene, case, &OUTSIDE, arguments.draws)?;
            let recorded = start.elapsed();
            slot.submit(gpu, None)?;
            slot.wait(gpu)?;
            let complete = start.elapsed();
            if frame >= WARM_UP {
                for (times, time) in times.iter_mut().zip([recorded, complete]) {
                    times.push(time.as_secs_f64() * 1e6 / f64::from(arguments.draws));
                }
            }
        }
        Ok(times.map(median))
    }
}

/// The middle one.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
