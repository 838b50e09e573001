//! Command buffers and their order: recording, submission, what may be reused or freed when.
//!
//! A submission has two command buffers. `before` holds uploads to objects that `main` has not touched yet in this
//! submission, so that they need not break a render pass; it runs first. A timeline semaphore counts submissions.

use crate::commands::meter::Meter;
use crate::commands::watch::Watch;
use crate::device::barrier::memory_barrier;
use crate::device::gpu::Gpu;
use crate::error::{Checked, Result};
use crate::resources::trash::Trash;
use afterimage_render::own_process::OwnProcess;
use ash::vk;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

struct Commands {
    /// Of `before` and of `main`, which may be recorded by two threads.
    pools: [vk::CommandPool; 2],
    before: vk::CommandBuffer,
    main: vk::CommandBuffer,
}

/// The queue's work, numbered from 1.
pub(crate) struct Submissions {
    gpu: Arc<Gpu>,
    timeline: vk::Semaphore,
    /// Number of the submission that is being recorded.
    pub(crate) current: u64,
    /// Number of the last submission that the GPU has completed, as far as known.
    pub(crate) completed: u64,
    /// The buffer that is recorded in order.
    pub(crate) main: vk::CommandBuffer,
    /// Whether anything was recorded into `main`.
    pub(crate) main_used: bool,
    before_used: bool,
    commands: Option<Commands>,
    in_flight: VecDeque<(u64, Commands)>,
    free: Vec<Commands>,
    trash: VecDeque<(u64, Trash)>,
    /// In a process of its own: what is noted of them, and who looks at them.
    pub(crate) watch: Option<Box<Watch>>,
    /// How long they take, where somebody wants to know.
    meter: Option<Meter>,
}

impl Submissions {
    pub(crate) fn new(gpu: &Arc<Gpu>, own: Option<&OwnProcess>) -> Result<Self> {
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: valid description.
        let timeline = unsafe { gpu.raw.create_semaphore(&info, None) }.checked("vkCreateSemaphore")?;
        gpu.name(timeline, "submissions");
        let mut submissions = Self {
            gpu: Arc::clone(gpu),
            timeline,
            current: 1,
            completed: 0,
            main: vk::CommandBuffer::null(),
            main_used: false,
            before_used: false,
            commands: None,
            in_flight: VecDeque::new(),
            free: Vec::new(),
            trash: VecDeque::new(),
            watch: None,
            meter: None,
        };
        submissions.watch = own.map(|own| Watch::new(gpu, timeline, own).map(Box::new)).transpose()?;
        submissions.begin()?;
        Ok(submissions)
    }

    fn begin(&mut self) -> Result {
        let commands = match self.free.pop() {
            Some(commands) => {
                for pool in commands.pools {
                    // SAFETY: the pool's buffer has completed (see `retire`).
                    unsafe { self.gpu.raw.reset_command_pool(pool, vk::CommandPoolResetFlags::empty()) }
                        .checked("vkResetCommandPool")?;
                }
                commands
            }
            None => self.make_commands()?,
        };
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the buffer is fresh or reset.
        unsafe { self.gpu.raw.begin_command_buffer(commands.main, &info) }.checked("vkBeginCommandBuffer")?;
        if let Some(meter) = &mut self.meter {
            meter.begin(commands.main);
        }
        self.main = commands.main;
        self.main_used = false;
        self.before_used = false;
        self.commands = Some(commands);
        Ok(())
    }

    fn make_commands(&self) -> Result<Commands> {
        let (before_pool, before) = self.make_buffer("uploads")?;
        let (main_pool, main) = self.make_buffer("main")?;
        Ok(Commands { pools: [before_pool, main_pool], before, main })
    }

    fn make_buffer(&self, name: &str) -> Result<(vk::CommandPool, vk::CommandBuffer)> {
        let raw = &self.gpu.raw;
        let info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::TRANSIENT)
            .queue_family_index(self.gpu.profile.queue_family);
        // SAFETY: valid description.
        let pool = unsafe { raw.create_command_pool(&info, None) }.checked("vkCreateCommandPool")?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        // SAFETY: the pool was just made.
        let buffers = unsafe { raw.allocate_command_buffers(&info) }.checked("vkAllocateCommandBuffers")?;
        self.gpu.name(pool, "commands");
        self.gpu.name(buffers[0], name);
        Ok((pool, buffers[0]))
    }

    /// The command buffer that runs before `main`. The first use in a submission orders it behind everything earlier.
    pub(crate) fn before(&mut self) -> Result<vk::CommandBuffer> {
        let Some(commands) = &self.commands else { return Ok(vk::CommandBuffer::null()) };
        let before = commands.before;
        if !self.before_used {
            self.before_used = true;
            let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
            // SAFETY: the buffer is fresh or reset.
            unsafe { self.gpu.raw.begin_command_buffer(before, &info) }.checked("vkBeginCommandBuffer")?;
            if let Some(meter) = &mut self.meter {
                meter.before(before);
            }
            memory_barrier(
                &self.gpu,
                before,
                (vk::PipelineStageFlags2::ALL_COMMANDS, vk::AccessFlags2::MEMORY_WRITE),
                (
                    vk::PipelineStageFlags2::ALL_TRANSFER,
                    vk::AccessFlags2::TRANSFER_READ | vk::AccessFlags2::TRANSFER_WRITE,
                ),
            );
        }
        Ok(before)
    }

    /// Has the GPU's time measured from the next submission on. It is not where the device tells no time.
    ///
    /// # Errors
    /// Vulkan refuses.
    pub(crate) fn measure(&mut self) -> Result {
        if self.meter.is_none() {
            self.meter = Meter::new(&self.gpu)?;
        }
        Ok(())
    }

    /// How long the GPU was busy since it is measured; `None` if it is not.
    pub(crate) fn busy(&self) -> Option<Duration> {
        self.meter.as_ref().map(Meter::busy)
    }

    /// Whether the GPU has done everything that it was given.
    pub(crate) fn is_idle(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Whether there is anything to submit.
    pub(crate) fn is_empty(&self) -> bool {
        !self.main_used && !self.before_used
    }

    /// Submits what was recorded and begins the next submission. Returns the number of the one submitted.
    pub(crate) fn submit(&mut self, waits: &[vk::SemaphoreSubmitInfo<'_>], signals: &[vk::Semaphore]) -> Result<u64> {
        let Some(commands) = self.commands.take() else { return Ok(self.current) };
        let raw = &self.gpu.raw;
        let mut infos = smallvec::SmallVec::<[vk::CommandBufferSubmitInfo<'_>; 2]>::new();
        if self.before_used {
            memory_barrier(
                &self.gpu,
                commands.before,
                (vk::PipelineStageFlags2::ALL_TRANSFER, vk::AccessFlags2::TRANSFER_WRITE),
                (vk::PipelineStageFlags2::ALL_COMMANDS, vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE),
            );
            // SAFETY: the buffer is being recorded.
            unsafe { raw.end_command_buffer(commands.before) }.checked("vkEndCommandBuffer")?;
            infos.push(vk::CommandBufferSubmitInfo::default().command_buffer(commands.before));
        }
        if let Some(meter) = &mut self.meter {
            meter.end(commands.main, self.current);
        }
        // SAFETY: the buffer is being recorded; the caller has closed the render pass.
        unsafe { raw.end_command_buffer(commands.main) }.checked("vkEndCommandBuffer")?;
        infos.push(vk::CommandBufferSubmitInfo::default().command_buffer(commands.main));
        let mut signal = smallvec::SmallVec::<[vk::SemaphoreSubmitInfo<'_>; 2]>::new();
        let all = vk::PipelineStageFlags2::ALL_COMMANDS;
        signal.push(vk::SemaphoreSubmitInfo::default().semaphore(self.timeline).value(self.current).stage_mask(all));
        signal.extend(signals.iter().map(|&s| vk::SemaphoreSubmitInfo::default().semaphore(s).stage_mask(all)));
        let submit = [vk::SubmitInfo2::default()
            .command_buffer_infos(&infos)
            .wait_semaphore_infos(waits)
            .signal_semaphore_infos(&signal)];
        let number = self.current;
        if let Some(watch) = &mut self.watch {
            // Before it, since some drivers do the work in there.
            watch.submit(number);
        }
        let queue = self.gpu.queue();
        // SAFETY: nobody else uses the queue while the guard lives; every handle is alive.
        let result = unsafe { raw.queue_submit2(*queue, &submit, vk::Fence::null()) };
        drop(queue);
        self.in_flight.push_back((number, commands));
        if let (Err(_), Some(watch)) = (result, &mut self.watch) {
            watch.withdraw(number);
        }
        result.checked("vkQueueSubmit2")?;
        self.current += 1;
        self.retire()?;
        self.begin()?;
        Ok(number)
    }

    /// Looks how far the GPU is and frees what it has let go.
    pub(crate) fn retire(&mut self) -> Result {
        // SAFETY: the semaphore is a timeline of this device.
        self.completed =
            unsafe { self.gpu.raw.get_semaphore_counter_value(self.timeline) }.checked("vkGetSemaphoreCounterValue")?;
        if let Some(watch) = &mut self.watch {
            watch.completed(self.completed);
        }
        if let Some(meter) = &mut self.meter {
            meter.collect(self.completed)?;
        }
        while let Some((number, _)) = self.in_flight.front()
            && *number <= self.completed
        {
            self.free.extend(self.in_flight.pop_front().map(|(_, commands)| commands));
        }
        while self.trash.front().is_some_and(|(number, _)| *number <= self.completed) {
            self.trash.pop_front();
        }
        Ok(())
    }

    /// Waits until a submission has completed.
    pub(crate) fn wait(&mut self, number: u64) -> Result {
        if number > self.completed {
            let (semaphores, values) = ([self.timeline], [number]);
            let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
            // SAFETY: the semaphore is a timeline of this device, and `number` was submitted.
            unsafe { self.gpu.raw.wait_semaphores(&info, u64::MAX) }.checked("vkWaitSemaphores")?;
            self.retire()?;
        }
        Ok(())
    }

    /// Waits until the oldest submission in flight has completed, at most `timeout`. False if there is none.
    ///
    /// A GPU is looked at for a while before the thread sleeps: waking up takes longer than a short frame. A CPU device
    /// needs the core itself.
    pub(crate) fn wait_for_more(&mut self, timeout: Duration) -> Result<bool> {
        const LOOK: Duration = Duration::from_micros(60);
        let Some(&(number, _)) = self.in_flight.front() else { return Ok(false) };
        if self.gpu.profile.kind != vk::PhysicalDeviceType::CPU {
            let start = Instant::now();
            while start.elapsed() < LOOK.min(timeout) {
                self.retire()?;
                if number <= self.completed {
                    return Ok(true);
                }
                std::hint::spin_loop();
            }
        }
        let (semaphores, values) = ([self.timeline], [number]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        // SAFETY: the semaphore is a timeline of this device, and `number` was submitted.
        match unsafe { self.gpu.raw.wait_semaphores(&info, timeout.as_nanos() as u64) } {
            Ok(()) | Err(vk::Result::TIMEOUT) => Ok(true),
            Err(error) => Err(error).checked("vkWaitSemaphores"),
        }
    }

    /// Keeps something until the submission being recorded has completed.
    pub(crate) fn discard(&mut self, trash: Trash) {
        self.trash.push_back((self.current, trash));
    }
}

impl Drop for Submissions {
    fn drop(&mut self) {
        self.gpu.wait_idle();
        self.trash.clear();
        // It looks at the semaphore.
        self.watch = None;
        // SAFETY: the device is idle.
        unsafe {
            let pools = self.in_flight.drain(..).map(|(_, c)| c).chain(self.free.drain(..)).chain(self.commands.take());
            for commands in pools {
                for pool in commands.pools {
                    self.gpu.raw.destroy_command_pool(pool, None);
                }
            }
            self.gpu.raw.destroy_semaphore(self.timeline, None);
        }
    }
}
