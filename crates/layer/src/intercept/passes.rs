//! Render passes: their commands are kept until they end, so that what they capture can be done before they begin.

use super::list;
use crate::barriers;
use crate::chain::Chain;
use crate::commands::list::Deep;
use crate::record::work::{self, Work};
use crate::record::{Pass, Recording};
use ash::vk::{self, TaggedStructure as _};
use std::ffi::c_void;

/// Something with pointers into what it owns, or to nothing of its own.
pub(super) struct Owned<T>(T);

// SAFETY: what it points to is not changed any more.
unsafe impl<T> Send for Owned<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Owned<T> {}

impl<T> Owned<T> {
    pub(super) fn new(of: T) -> Self {
        Self(of)
    }

    /// What is in it. (A closure that names a field takes the field alone, and not what makes it safe to send.)
    pub(super) fn get(&self) -> &T {
        &self.0
    }
}

const STRANGE: &str = "its render pass begins with a structure that is not known";

/// A chain, to be kept.
struct Kept {
    head: *const c_void,
    _chain: Chain,
    _views: Vec<vk::ImageView>,
}

impl Kept {
    /// # Safety
    /// `head` is null or a valid chain.
    unsafe fn of(head: *const c_void) -> Result<Self, &'static str> {
        let attachments = vk::RenderPassAttachmentBeginInfo::STRUCTURE_TYPE;
        // SAFETY: as the caller says.
        unsafe {
            let mut chain = Chain::keep(head, attachments).ok_or(STRANGE)?;
            let mut views = Vec::new();
            if let Some(info) = chain.get::<vk::RenderPassAttachmentBeginInfo<'_>>() {
                views = list(info.p_attachments, info.attachment_count).to_vec();
                info.p_attachments = views.as_ptr();
            }
            Ok(Self { head: chain.head(), _chain: chain, _views: views })
        }
    }
}

/// The begin of a render pass, and of a subpass.
struct Begin {
    info: vk::RenderPassBeginInfo<'static>,
    subpass: Option<vk::SubpassBeginInfo<'static>>,
    contents: vk::SubpassContents,
    _clear: Vec<vk::ClearValue>,
    _chain: Kept,
}

impl Begin {
    /// # Safety
    /// The structures are the program's, for vkCmdBeginRenderPass2.
    unsafe fn keep(
        info: &vk::RenderPassBeginInfo<'_>,
        subpass: Option<&vk::SubpassBeginInfo<'_>>,
        contents: vk::SubpassContents,
    ) -> Result<Deep, &'static str> {
        // SAFETY: as the caller says.
        let (chain, clear) =
            unsafe { (Kept::of(info.p_next)?, list(info.p_clear_values, info.clear_value_count).to_vec()) };
        let subpass = subpass.map(plain).transpose()?;
        let info = vk::RenderPassBeginInfo {
            p_next: chain.head,
            render_pass: info.render_pass,
            framebuffer: info.framebuffer,
            render_area: info.render_area,
            clear_value_count: clear.len() as u32,
            p_clear_values: clear.as_ptr(),
            ..Default::default()
        };
        let begin = Owned(Self { info, subpass, contents, _clear: clear, _chain: chain });
        Ok(Box::new(move |commands, buffer| {
            let begin = begin.get();
            // SAFETY: the command buffer is being recorded, and the program's objects are valid.
            unsafe {
                match (&begin.subpass, commands.begin_render_pass2, commands.begin_render_pass) {
                    (Some(subpass), Some(command), _) => command(buffer, &begin.info, subpass),
                    (None, _, Some(command)) => command(buffer, &begin.info, begin.contents),
                    _ => {}
                }
            }
        }))
    }
}

/// The begin of a subpass, if nothing hangs on it.
fn plain(subpass: &vk::SubpassBeginInfo<'_>) -> Result<vk::SubpassBeginInfo<'static>, &'static str> {
    if !subpass.p_next.is_null() {
        return Err(STRANGE);
    }
    Ok(vk::SubpassBeginInfo::default().contents(subpass.contents))
}

pub(super) unsafe extern "system" fn begin_render_pass(
    buffer: vk::CommandBuffer,
    info: *const vk::RenderPassBeginInfo<'_>,
    contents: vk::SubpassContents,
) {
    // SAFETY: the program's arguments are as the specification of the command has them, here and below.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let kept = Begin::keep(&*info, None, contents);
        if recording.begin_pass((*info).render_pass, 0, kept).is_some()
            && let Some(command) = recording.commands().begin_render_pass
        {
            command(buffer, info, contents);
        }
    }
}

pub(super) unsafe extern "system" fn begin_render_pass2(
    buffer: vk::CommandBuffer,
    info: *const vk::RenderPassBeginInfo<'_>,
    subpass: *const vk::SubpassBeginInfo<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let kept = Begin::keep(&*info, Some(&*subpass), (*subpass).contents);
        if recording.begin_pass((*info).render_pass, 0, kept).is_some()
            && let Some(command) = recording.commands().begin_render_pass2
        {
            command(buffer, info, subpass);
        }
    }
}

/// The begin of dynamic rendering.
struct Rendering {
    info: vk::RenderingInfo<'static>,
    _colours: Vec<vk::RenderingAttachmentInfo<'static>>,
    #[allow(clippy::vec_box, reason = "the info has their addresses")]
    _others: Vec<Box<vk::RenderingAttachmentInfo<'static>>>,
    _chain: Kept,
}

/// An attachment, if nothing hangs on it.
fn attachment(info: &vk::RenderingAttachmentInfo<'_>) -> Result<vk::RenderingAttachmentInfo<'static>, &'static str> {
    if !info.p_next.is_null() {
        return Err(STRANGE);
    }
    Ok(vk::RenderingAttachmentInfo {
        image_view: info.image_view,
        image_layout: info.image_layout,
        resolve_mode: info.resolve_mode,
        resolve_image_view: info.resolve_image_view,
        resolve_image_layout: info.resolve_image_layout,
        load_op: info.load_op,
        store_op: info.store_op,
        clear_value: info.clear_value,
        ..Default::default()
    })
}

impl Rendering {
    /// # Safety
    /// The structure is the program's, for vkCmdBeginRendering.
    unsafe fn keep(info: &vk::RenderingInfo<'_>) -> Result<Deep, &'static str> {
        if info.flags.contains(vk::RenderingFlags::RESUMING) {
            return Err("its rendering goes on from another command buffer");
        }
        // SAFETY: as the caller says.
        let (chain, colours) = unsafe {
            let colours = list(info.p_color_attachments, info.color_attachment_count);
            (Kept::of(info.p_next)?, colours.iter().map(attachment).collect::<Result<Vec<_>, _>>()?)
        };
        let mut others = Vec::new();
        let mut other = |from: *const vk::RenderingAttachmentInfo<'_>| {
            // SAFETY: as the caller says.
            let Some(from) = (unsafe { from.as_ref() }) else { return Ok(std::ptr::null()) };
            let kept = Box::new(attachment(from)?);
            let at: *const vk::RenderingAttachmentInfo<'static> = &raw const *kept;
            others.push(kept);
            Ok::<_, &'static str>(at)
        };
        let info = vk::RenderingInfo {
            p_next: chain.head,
            flags: info.flags,
            render_area: info.render_area,
            layer_count: info.layer_count,
            view_mask: info.view_mask,
            color_attachment_count: colours.len() as u32,
            p_color_attachments: colours.as_ptr(),
            p_depth_attachment: other(info.p_depth_attachment)?,
            p_stencil_attachment: other(info.p_stencil_attachment)?,
            ..Default::default()
        };
        let begin = Owned(Self { info, _colours: colours, _others: others, _chain: chain });
        Ok(Box::new(move |commands, buffer| {
            if let Some(command) = commands.begin_rendering {
                // SAFETY: the command buffer is being recorded, and the program's objects are valid.
                unsafe { command(buffer, &begin.get().info) };
            }
        }))
    }
}

pub(super) unsafe extern "system" fn begin_rendering(buffer: vk::CommandBuffer, info: *const vk::RenderingInfo<'_>) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        if recording.begin_pass(vk::RenderPass::null(), (*info).view_mask, Rendering::keep(&*info)).is_some()
            && let Some(command) = recording.commands().begin_rendering
        {
            command(buffer, info);
        }
    }
}

pub(super) unsafe extern "system" fn next_subpass(buffer: vk::CommandBuffer, contents: vk::SubpassContents) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        recording.next_subpass();
        recording.give(Box::new(move |commands, buffer| {
            if let Some(command) = commands.next_subpass {
                command(buffer, contents);
            }
        }));
    }
}

pub(super) unsafe extern "system" fn next_subpass2(
    buffer: vk::CommandBuffer,
    begin: *const vk::SubpassBeginInfo<'_>,
    end: *const vk::SubpassEndInfo<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        recording.next_subpass();
        let kept = plain(&*begin).ok().zip(Chain::keep((*end).p_next, vk::StructureType::default()));
        match kept {
            Some((begin, mut chain)) => {
                let head = chain.head();
                let end = Owned((vk::SubpassEndInfo { p_next: head, ..Default::default() }, chain));
                let begin = Owned(begin);
                recording.give(Box::new(move |commands, buffer| {
                    if let Some(command) = commands.next_subpass2 {
                        command(buffer, begin.get(), &end.get().0);
                    }
                }));
            }
            None => {
                recording.flush();
                if let Some(command) = recording.commands().next_subpass2 {
                    command(buffer, begin, end);
                }
            }
        }
    }
}

pub(super) unsafe extern "system" fn end_render_pass(buffer: vk::CommandBuffer) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        recording.end_pass(Box::new(|commands, buffer| {
            if let Some(command) = commands.end_render_pass {
                command(buffer);
            }
        }));
    }
}

pub(super) unsafe extern "system" fn end_render_pass2(buffer: vk::CommandBuffer, end: *const vk::SubpassEndInfo<'_>) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        // The pass ends at once, so that nothing of it needs to be kept.
        let end = Owned(end.cast::<vk::SubpassEndInfo<'static>>());
        recording.end_pass(Box::new(move |commands, buffer| {
            if let Some(command) = commands.end_render_pass2 {
                command(buffer, *end.get());
            }
        }));
    }
}

pub(super) unsafe extern "system" fn end_rendering(buffer: vk::CommandBuffer) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        recording.end_pass(Box::new(|commands, buffer| {
            if let Some(command) = commands.end_rendering {
                command(buffer);
            }
        }));
    }
}

pub(super) unsafe extern "system" fn end_rendering2(buffer: vk::CommandBuffer, end: *const c_void) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        // As above.
        let end = Owned(end);
        recording.end_pass(Box::new(move |commands, buffer| {
            if let Some(command) = commands.end_rendering2 {
                command(buffer, *end.get());
            }
        }));
    }
}

pub(super) unsafe extern "system" fn execute_commands(
    buffer: vk::CommandBuffer,
    count: u32,
    buffers: *const vk::CommandBuffer,
) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let executed = list(buffers, count).to_vec();
        for other in executed.iter().filter_map(|other| Recording::read(*other)) {
            let what = "nothing of what a secondary command buffer captures is captured";
            match (recording.pass, recording.hazard) {
                _ if !work::is_any(&other.work) => {}
                (Pass::Begun(why), _) => tracing::error!("{why}: {what}"),
                (_, Some(hazard)) => tracing::error!("{hazard}: {what}"),
                (_, None) => recording.work.push(Work::Secondary(other.buffer)),
            }
            // What it has waited for, those behind it in the subpass have, too.
            if recording.pass != Pass::Outside {
                recording.hazard = recording.hazard.or(other.hazard);
            }
        }
        recording.give(Box::new(move |commands, buffer| {
            if let Some(command) = commands.execute_commands {
                command(buffer, executed.len() as u32, executed.as_ptr());
            }
        }));
        recording.forget_state();
    }
}

/// A barrier, from these stages and accesses on, that waits in these stages.
pub(super) fn waits(recording: &mut Recording, before: u64, accesses: u64, after: u64) {
    if recording.pass != Pass::Outside {
        let waits = barriers::waits(before, accesses, after);
        recording.wait(waits, "a barrier in its subpass that makes something visible to draws");
    }
}
