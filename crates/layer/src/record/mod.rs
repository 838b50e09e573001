//! Command buffers of programs that use the extension.
//!
//! **How a capture leaves its render pass.** The extension captures inside of render passes, where nothing can be dispatched. So the commands
//! of a render pass are kept in a [list](List) until it ends. Then what was captured in it is dispatched ([`work`]), what that has disturbed is put
//! back, and the kept commands are recorded, from the begin of the pass to its end. What a captured draw reads has been written before
//! its render pass began, or was captured in it, unless a barrier in its subpass, or a dependency between an earlier subpass and its own, makes
//! something else visible to it, or lets it capture into what was read before. Where there is one, behind which captures would have to
//! be done ([`Recording::hazard`]), it is said, and nothing is captured any more in the subpass. A dependency holds for one subpass: what the next
//! may see, its own dependencies say.
//!
//! A secondary command buffer that is all inside of a subpass keeps what it captures until it is executed: by a primary one, which
//! keeps that command, too.
//!
//! * [`state`]: what is bound and set.
//! * [`draw`](self::draw): captures.

pub(crate) mod draw;
pub(crate) mod state;
pub(crate) mod work;

pub(crate) use draw::{ByteCount, Numbers};

use crate::active::Active;
use crate::barriers::Waits;
use crate::commands::list::Deep;
use crate::commands::{Commands, List};
use crate::handles::Handles;
use crate::objects::passes::Subpasses;
use crate::objects::sets::{Contents, Set, Write};
use crate::scratch::{Arena, Block};
use ash::vk::{self, Handle as _};
use state::{DescriptorBuffers, Saved, State};
use std::ffi::CStr;
use std::sync::Arc;
use work::Work;

static RECORDINGS: Handles<Recording> = Handles::new();

/// Frees what is kept to find command buffers, when there are none.
pub(crate) fn release() {
    RECORDINGS.release(|| {});
}

/// Where a command buffer is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pass {
    /// Outside of render passes.
    Outside,
    /// In a render pass whose commands are kept.
    Kept,
    /// In a render pass that has begun, for a reason, so that nothing can be captured in it.
    Begun(&'static str),
    /// In the render pass of the primary command buffer.
    Inherited,
}

/// Conditional rendering.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition {
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    pub(crate) flags: vk::ConditionalRenderingFlagsEXT,
}

impl Condition {
    /// Begins it.
    ///
    /// # Safety
    /// The command buffer is being recorded, and the buffer is valid.
    pub(crate) unsafe fn begin(&self, commands: &Commands, buffer: vk::CommandBuffer) {
        if let Some(begin) = commands.begin_conditional_rendering {
            let info = vk::ConditionalRenderingBeginInfoEXT::default()
                .buffer(self.buffer)
                .offset(self.offset)
                .flags(self.flags);
            // SAFETY: as the caller says.
            unsafe { begin(buffer, &info) };
        }
    }
}

/// A query of transform feedback between its begin and its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActiveQuery {
    pub(crate) pool: vk::QueryPool,
    pub(crate) query: u32,
    pub(crate) stream: u32,
    /// Where its values are.
    pub(crate) values: Block,
}

/// A command buffer.
pub(crate) struct Recording {
    pub(crate) active: Arc<Active>,
    pub(crate) buffer: vk::CommandBuffer,
    pub(crate) level: vk::CommandBufferLevel,
    pub(crate) state: State,
    pub(crate) pass: Pass,
    /// Commands of the render pass.
    list: List,
    /// What captures disturb, as it was when the render pass began, once it has changed.
    saved: Option<Box<Saved>>,
    /// What is to be done before the render pass.
    pub(crate) work: Vec<Work>,
    pub(crate) arena: Arena,
    pub(crate) capture: Option<draw::Capture>,
    pub(crate) queries: Vec<ActiveQuery>,
    /// Conditional rendering that began in the render pass.
    pub(crate) condition: Option<Condition>,
    /// What is known of the subpasses of the render pass, and which of them it is.
    subpasses: Option<Subpasses>,
    subpass: u32,
    /// It draws several views.
    pub(crate) multiview: bool,
    /// What makes captures in the rest of the subpass impossible.
    pub(crate) hazard: Option<&'static str>,
    /// A command that bound or set what captures would have to know, and do not.
    pub(crate) unknown: Option<&'static CStr>,
    /// What went wrong, for vkEndCommandBuffer.
    pub(crate) failed: Option<vk::Result>,
}

impl Recording {
    /// The recording of a command buffer.
    ///
    /// # Safety
    /// The handle is valid, and the caller the only one who uses the command buffer: Vulkan asks that of whoever records it.
    pub(crate) unsafe fn of<'a>(buffer: vk::CommandBuffer) -> Option<&'a mut Self> {
        // SAFETY: as the caller says.
        unsafe { RECORDINGS.get_mut(buffer.as_raw()) }
    }

    /// Likewise, of one that is only looked at: secondary command buffers may be executed by several at once.
    ///
    /// # Safety
    /// The handle is valid, and nobody records the command buffer.
    pub(crate) unsafe fn read<'a>(buffer: vk::CommandBuffer) -> Option<&'a Self> {
        // SAFETY: as the caller says.
        unsafe { RECORDINGS.get(buffer.as_raw()) }
    }

    /// Notes that there is a command buffer.
    pub(crate) fn add(active: &Arc<Active>, buffer: vk::CommandBuffer, level: vk::CommandBufferLevel) {
        let recording = Self {
            active: Arc::clone(active),
            buffer,
            level,
            state: State::default(),
            pass: Pass::Outside,
            list: List::default(),
            saved: None,
            work: Vec::new(),
            arena: Arena::default(),
            capture: None,
            queries: Vec::new(),
            condition: None,
            subpasses: None,
            subpass: 0,
            multiview: false,
            hazard: None,
            unknown: None,
            failed: None,
        };
        RECORDINGS.insert(buffer.as_raw(), recording);
    }

    /// Notes that a command buffer is gone.
    ///
    /// # Safety
    /// The handle was valid, and the device does not execute it.
    pub(crate) unsafe fn remove(buffer: vk::CommandBuffer) {
        if let Some(mut recording) = RECORDINGS.remove(buffer.as_raw()) {
            // SAFETY: as the caller says.
            unsafe { recording.reset(Pass::Outside) };
        }
    }

    /// Begins anew.
    ///
    /// # Safety
    /// The device does not execute the command buffer.
    pub(crate) unsafe fn reset(&mut self, pass: Pass) {
        self.state = State::default();
        self.pass = pass;
        self.list.clear();
        self.work.clear();
        self.queries.clear();
        self.condition = None;
        (self.saved, self.capture, self.hazard, self.unknown, self.failed) = (None, None, None, None, None);
        (self.subpasses, self.subpass, self.multiview) = (None, 0, false);
        // SAFETY: as the caller says.
        unsafe { self.arena.clear(&self.active.below, &self.active.scratch) };
    }

    /// Commands of what stands below.
    pub(crate) fn commands(&self) -> &Commands {
        &self.active.commands
    }

    /// The list, if commands are kept.
    pub(crate) fn kept(&mut self) -> Option<&mut List> {
        (self.pass == Pass::Kept).then_some(&mut self.list)
    }

    /// A command that is more than numbers and arrays: recorded, or kept.
    pub(crate) fn give(&mut self, command: Deep) {
        match self.kept() {
            Some(list) => list.push(command),
            None => command(&self.active.commands, self.buffer),
        }
    }

    /// Something that is to be done before the render pass, or, outside of one, now.
    pub(crate) fn step(&mut self, step: Work) {
        tracing::trace!("{:?}: {} in {:?}", self.buffer, step.name(), self.pass);
        match self.pass {
            Pass::Kept | Pass::Inherited => self.work.push(step),
            // SAFETY: the command buffer is being recorded, and what is bound is valid.
            Pass::Outside => unsafe {
                work::emit(&self.active, self.buffer, &[step], &Saved::of(&self.state));
            },
            Pass::Begun(why) => tracing::error!("{why}: {} is not done behind it in its render pass", step.name()),
        }
    }

    /// Begins a render pass, by a command that can be kept, or for a reason cannot. In dynamic rendering there is no object of one, and the
    /// views stand in the command.
    pub(crate) fn begin_pass(
        &mut self,
        pass: vk::RenderPass,
        views: u32,
        command: Result<Deep, &'static str>,
    ) -> Option<&'static str> {
        self.saved = None;
        let begun = match command {
            Ok(command) => {
                self.list.push(command);
                self.pass = Pass::Kept;
                // Of graphics, descriptor buffers alone are disturbed.
                if !self.state.descriptor_buffers.is_empty() {
                    self.save();
                }
                None
            }
            Err(why) => {
                self.pass = Pass::Begun(why);
                Some(why)
            }
        };
        self.enter(pass, views, 0);
        begun
    }

    /// A subpass of a render pass begins here.
    pub(crate) fn enter(&mut self, pass: vk::RenderPass, views: u32, subpass: u32) {
        let known = || self.active.passes.get(pass.as_raw());
        self.subpasses = if pass == vk::RenderPass::null() { None } else { known() };
        self.multiview = views != 0 || self.subpasses.as_ref().is_some_and(|known| known.multiview);
        self.at(subpass);
    }

    /// The next subpass begins.
    pub(crate) fn next_subpass(&mut self) {
        self.at(self.subpass + 1);
    }

    /// In a subpass, captures wait for what its dependencies say.
    fn at(&mut self, subpass: u32) {
        (self.subpass, self.hazard) = (subpass, None);
        let known = self.subpasses.as_ref().and_then(|subpasses| subpasses.waits.get(subpass as usize));
        if let Some(known) = known {
            self.wait(*known, "a dependency of its subpass on an earlier one makes something visible to draws");
        }
    }

    /// Draws behind wait for something, for a reason.
    pub(crate) fn wait(&mut self, waits: Waits, why: &'static str) {
        match waits {
            Waits::No => {}
            // What was captured is read by draws behind: both are done in their order.
            Waits::Captures if matches!(self.pass, Pass::Begun(_)) => {}
            Waits::Captures => self.step(Work::Barrier),
            Waits::Else => self.hazard = Some(why),
        }
    }

    /// Ends it.
    ///
    /// # Safety
    /// The command buffer is being recorded.
    pub(crate) unsafe fn end_pass(&mut self, command: Deep) {
        self.give(command);
        // SAFETY: as the caller says.
        unsafe { self.flush() };
        if self.pass != Pass::Inherited {
            self.pass = Pass::Outside;
        }
    }

    /// Does what is to be done before the render pass, and records the commands that were kept. If the pass goes on, no more of it are kept.
    ///
    /// # Safety
    /// The command buffer is being recorded.
    pub(crate) unsafe fn flush(&mut self) {
        if self.pass != Pass::Kept {
            return;
        }
        let work = std::mem::take(&mut self.work);
        // SAFETY: as the caller says; what the commands name is valid while the command buffer is recorded.
        unsafe {
            if work::is_any(&work) {
                self.save();
                if let Some(saved) = &self.saved {
                    work::emit(&self.active, self.buffer, &work, saved);
                }
            }
            self.list.replay(&self.active.commands, self.buffer);
        }
        self.pass = Pass::Begun("its render pass had to begin");
        self.list.clear();
        self.saved = None;
    }

    /// A command of which nothing is kept stands here: if it is in a render pass, that begins.
    ///
    /// # Safety
    /// The command buffer is being recorded.
    pub(crate) unsafe fn interrupt(&mut self, command: &'static CStr) {
        // SAFETY: as the caller says.
        unsafe { self.flush() };
        let command = command.to_str().unwrap_or_default();
        match &mut self.pass {
            Pass::Begun(why) => *why = command,
            // Where it is recorded is not known here, and what it lets draws see neither.
            Pass::Inherited => self.hazard = Some(command),
            Pass::Outside | Pass::Kept => {}
        }
    }

    /// Likewise of a command that binds or sets what captures would have to know: nothing is captured behind it in the command buffer.
    ///
    /// # Safety
    /// The command buffer is being recorded.
    pub(crate) unsafe fn lose(&mut self, command: &'static CStr) {
        // SAFETY: as the caller says.
        unsafe { self.interrupt(command) };
        self.unknown = Some(command);
    }

    /// What was bound for compute, and the push constants, are about to change.
    fn save(&mut self) {
        if self.pass == Pass::Kept && self.saved.is_none() {
            self.saved = Some(Box::new(Saved::of(&self.state)));
        }
    }

    /// Nothing is bound or set any more.
    pub(crate) fn forget_state(&mut self) {
        self.save();
        self.state = State::default();
    }

    pub(crate) fn bind_pipeline(&mut self, point: vk::PipelineBindPoint, pipeline: vk::Pipeline) {
        if point == vk::PipelineBindPoint::COMPUTE {
            self.save();
        }
        if let Some(bound) = self.state.bound(point) {
            bound.pipeline = pipeline;
        }
    }

    pub(crate) fn bind_sets(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        first: u32,
        sets: &[vk::DescriptorSet],
        offsets: &[u32],
    ) {
        if point == vk::PipelineBindPoint::COMPUTE {
            self.save();
        }
        // Which of the offsets are whose, its layout knows.
        let known = if offsets.is_empty() { None } else { self.active.layouts.get(layout.as_raw()) };
        let Some(bound) = self.state.bound(point) else { return };
        let mut rest = offsets;
        for (number, &set) in (first..).zip(sets) {
            let count = known.as_ref().and_then(|layout| layout.dynamic.get(number as usize)).copied().unwrap_or(0);
            let (own, behind) = rest.split_at(rest.len().min(count as usize));
            rest = behind;
            bound.bind(number, Set { layout, contents: Contents::Bound(set, own.to_vec()) });
        }
    }

    /// Adds descriptors that are pushed to a set.
    pub(crate) fn add_to_set(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        number: u32,
        writes: &[Arc<Write>],
    ) {
        if point == vk::PipelineBindPoint::COMPUTE {
            self.save();
        }
        let set_of = |layout: vk::PipelineLayout| {
            self.active.layouts.get(layout.as_raw()).and_then(|layout| layout.sets.get(number as usize).copied())
        };
        let new = set_of(layout);
        let same = |known: &Set| known.layout == layout || new.is_some() && set_of(known.layout) == new;
        let known = match point {
            vk::PipelineBindPoint::GRAPHICS => &self.state.graphics,
            _ => &self.state.compute,
        };
        let mut set = known.sets.get(number as usize).cloned().flatten().filter(same);
        let set = match &mut set {
            Some(set) => {
                set.add(layout, writes);
                set.clone()
            }
            None => Set { layout, contents: Contents::Pushed(writes.to_vec()) },
        };
        if let Some(bound) = self.state.bound(point) {
            bound.bind(number, set);
        }
    }

    pub(crate) fn bind_descriptor_buffers(&mut self, all: &DescriptorBuffers) {
        self.save();
        self.state.descriptor_buffers = Arc::clone(all);
    }

    /// Places in descriptor buffers.
    pub(crate) fn set_offsets(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        first: u32,
        indices: &[u32],
        offsets: &[u64],
    ) {
        if point == vk::PipelineBindPoint::COMPUTE {
            self.save();
        }
        let Some(bound) = self.state.bound(point) else { return };
        for (number, (&index, &offset)) in (first..).zip(indices.iter().zip(offsets)) {
            bound.bind(number, Set { layout, contents: Contents::Buffer(index, offset) });
        }
    }

    /// The samplers of a layout.
    pub(crate) fn embed_samplers(&mut self, point: vk::PipelineBindPoint, layout: vk::PipelineLayout, number: u32) {
        if point == vk::PipelineBindPoint::COMPUTE {
            self.save();
        }
        if let Some(bound) = self.state.bound(point) {
            bound.bind(number, Set { layout, contents: Contents::Embedded });
        }
    }

    pub(crate) fn push_constants(
        &mut self,
        layout: vk::PipelineLayout,
        stages: vk::ShaderStageFlags,
        offset: u32,
        values: &[u8],
    ) {
        self.save();
        self.state.push.set(layout, stages, offset, values);
    }
}
