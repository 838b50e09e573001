//! `MTLCommandQueue`, its command buffers, and what encoders of every kind have.

use crate::check::{self, Bound, Draws, Formats, Offsets};
use crate::convert::text;
use crate::done::Done;
use crate::objects::{Buffer, Device, Writes};
use crate::pool;
use crate::refuse::refused;
use afterimage_metal_calls::{Device as _, Facts, Fault, Result, Serial, Stage};
use block2::RcBlock;
use objc2::rc::Retained;
use objc2::runtime::{AnyObject, ProtocolObject};
use objc2_foundation::{NSArray, NSError};
use objc2_metal::{
    MTLBlitCommandEncoder, MTLCommandBuffer, MTLCommandBufferDescriptor, MTLCommandBufferEncoderInfo,
    MTLCommandBufferEncoderInfoErrorKey, MTLCommandBufferError, MTLCommandBufferErrorOption, MTLCommandBufferStatus,
    MTLCommandEncoder, MTLCommandEncoderErrorState, MTLCommandQueue, MTLComputeCommandEncoder, MTLDevice as _,
    MTLRenderCommandEncoder,
};
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

/// The encoder that is open.
#[derive(Debug)]
pub(crate) enum Encoder {
    None,
    Render(Retained<ProtocolObject<dyn MTLRenderCommandEncoder>>),
    Compute(Retained<ProtocolObject<dyn MTLComputeCommandEncoder>>),
    Blit(Retained<ProtocolObject<dyn MTLBlitCommandEncoder>>),
    /// One that could not be had: what is meant for it is left out.
    Skipped,
}

/// A command buffer of copies, with its encoder open.
#[derive(Debug)]
struct Ahead {
    buffer: Retained<ProtocolObject<dyn MTLCommandBuffer>>,
    encoder: Retained<ProtocolObject<dyn MTLBlitCommandEncoder>>,
}

/// Buffers that are bound, by stage and index.
type Kept = [[Option<Buffer>; 31]; 3];

/// `MTLCommandQueue`, with the command buffer that is being written and its encoder. Metal has 64 command buffers that have not completed: a
/// call that begins another one waits.
#[derive(Debug)]
pub struct Queue {
    pub(crate) device: Device,
    raw: Retained<ProtocolObject<dyn MTLCommandQueue>>,
    pub(crate) buffer: Option<Retained<ProtocolObject<dyn MTLCommandBuffer>>>,
    pub(crate) encoder: Encoder,
    /// What is committed before the command buffer, and the encoder of its copies.
    ahead: Option<Ahead>,
    /// Debug groups that are open: of the encoder, and of the command buffer.
    groups: [u32; 2],
    committed: Serial,
    done: Arc<Done>,
    /// Managed buffers that the GPU writes to in this command buffer.
    written: Vec<Buffer>,
    /// What is bound, where it matters: for managed buffers that pipelines write to.
    kept: Option<Box<Kept>>,
    pub(crate) writes: Writes,
    // What calls are checked against.
    pub(crate) bound: Bound,
    pub(crate) offsets: Offsets,
    pub(crate) draws: Draws,
    /// The pass that is open.
    pub(crate) pass: check::Pass,
    /// Threads in a group of the compute pipeline that is set; 0 where there is none.
    pub(crate) threads: u64,
}

// SAFETY: command buffers and encoders are used by one thread at a time, and by any: Apple, `MTLCommandEncoder`. All calls of them take
// `&mut self` (or give nothing of them away).
unsafe impl Send for Queue {}

/// A pass of nothing.
const NO_PASS: check::Pass = check::Pass {
    size: [0; 2],
    formats: Formats { colors: [None; 8], depth: None, stencil: None, samples: 0 },
    visibility: 0,
};

impl Queue {
    /// `newCommandQueue`.
    pub(crate) fn new(device: &Device, label: &str) -> Result<Self> {
        pool(|| {
            let raw = device.0.raw.newCommandQueue();
            let raw = raw.ok_or_else(|| refused("newCommandQueue", "there are too many queues"))?;
            raw.setLabel(Some(&text(label)));
            let kept = (!device.facts().unified_memory).then(|| Box::new([const { [const { None }; 31] }; 3]));
            Ok(Self {
                device: device.clone(),
                raw,
                buffer: None,
                encoder: Encoder::None,
                ahead: None,
                groups: [0; 2],
                committed: 0,
                done: Arc::default(),
                written: Vec::new(),
                kept,
                writes: Writes::default(),
                bound: Bound::NONE,
                offsets: Offsets::default(),
                draws: Draws::default(),
                pass: NO_PASS,
                threads: 0,
            })
        })
    }

    pub(crate) fn facts(&self) -> &Facts {
        self.device.facts()
    }

    /// Notes a fault.
    #[cold]
    pub(crate) fn fault(&self, call: &'static str, text: impl Into<String>) {
        self.done.fault(call, text.into());
    }

    /// Whether a call is right. A fault of it otherwise.
    #[inline]
    pub(crate) fn holds(&self, call: &'static str, right: Result<(), String>) -> bool {
        match right {
            Ok(()) => true,
            Err(text) => {
                self.fault(call, text);
                false
            }
        }
    }

    /// Notes that no encoder is open that a call is for, unless it could not be had.
    #[cold]
    pub(crate) fn no_encoder(&self, call: &'static str) {
        if !matches!(self.encoder, Encoder::Skipped) {
            self.fault(call, "no encoder is open that has it");
        }
    }

    #[inline]
    pub(crate) fn render(&self, call: &'static str) -> Option<&ProtocolObject<dyn MTLRenderCommandEncoder>> {
        match &self.encoder {
            Encoder::Render(encoder) => Some(encoder),
            _ => {
                self.no_encoder(call);
                None
            }
        }
    }

    #[inline]
    pub(crate) fn compute(&self, call: &'static str) -> Option<&ProtocolObject<dyn MTLComputeCommandEncoder>> {
        match &self.encoder {
            Encoder::Compute(encoder) => Some(encoder),
            _ => {
                self.no_encoder(call);
                None
            }
        }
    }

    #[inline]
    pub(crate) fn blit(&self, call: &'static str) -> Option<&ProtocolObject<dyn MTLBlitCommandEncoder>> {
        match &self.encoder {
            Encoder::Blit(encoder) => Some(encoder),
            _ => {
                self.no_encoder(call);
                None
            }
        }
    }

    /// What encoders of every kind have.
    fn common(&self) -> Option<&ProtocolObject<dyn MTLCommandEncoder>> {
        match &self.encoder {
            Encoder::Render(encoder) => Some(ProtocolObject::from_ref(&**encoder)),
            Encoder::Compute(encoder) => Some(ProtocolObject::from_ref(&**encoder)),
            Encoder::Blit(encoder) => Some(ProtocolObject::from_ref(&**encoder)),
            Encoder::None | Encoder::Skipped => None,
        }
    }

    /// The command buffer that is being written. There is none where the device is gone. In a pool.
    pub(crate) fn command_buffer(&mut self) -> Option<&ProtocolObject<dyn MTLCommandBuffer>> {
        if self.buffer.is_none() && !self.done.is_lost() {
            self.buffer = self.new_command_buffer();
        }
        self.buffer.as_deref()
    }

    /// `commandBufferWithDescriptor:`.
    fn new_command_buffer(&self) -> Option<Retained<ProtocolObject<dyn MTLCommandBuffer>>> {
        let descriptor = MTLCommandBufferDescriptor::new();
        descriptor.setErrorOptions(MTLCommandBufferErrorOption::EncoderExecutionStatus);
        let made = self.raw.commandBufferWithDescriptor(&descriptor);
        if made.is_none() {
            self.fault("commandBufferWithDescriptor", "none came of it");
        }
        made
    }

    /// The encoder of copies that are executed before the command buffer that is being written. In a pool.
    pub(crate) fn blit_ahead(&mut self) -> Option<&ProtocolObject<dyn MTLBlitCommandEncoder>> {
        if self.ahead.is_none() && !self.done.is_lost() {
            let buffer = self.new_command_buffer()?;
            let encoder = buffer.blitCommandEncoder();
            let Some(encoder) = encoder else {
                self.fault("blitCommandEncoder", "none came of it");
                return None;
            };
            encoder.setLabel(Some(&text("ahead")));
            self.ahead = Some(Ahead { buffer, encoder });
        }
        self.ahead.as_ref().map(|ahead| &*ahead.encoder)
    }

    /// Commits copies before the command buffer of this number, whose faults theirs are. In a pool.
    fn commit_ahead(&mut self, serial: Serial) {
        let Some(Ahead { buffer, encoder }) = self.ahead.take() else { return };
        encoder.endEncoding();
        let done = self.done.clone();
        let block = RcBlock::new(move |buffer: NonNull<ProtocolObject<dyn MTLCommandBuffer>>| {
            // SAFETY: Metal calls the block with the command buffer, which is there until it returns.
            let buffer = unsafe { buffer.as_ref() };
            pool(|| {
                if let Some(fault) = outcome(serial, buffer) {
                    done.add(fault);
                }
            });
        });
        // SAFETY: a block of the type that is asked for, which Metal keeps; what it has may be used by any thread.
        unsafe { buffer.addCompletedHandler(RcBlock::as_ptr(&block)) };
        buffer.commit();
    }

    /// Ends an encoder that is open where none may be, and forgets what the last one had.
    pub(crate) fn begin(&mut self, call: &'static str) {
        if !matches!(self.encoder, Encoder::None) {
            self.fault(call, "an encoder is open");
            self.end();
        }
        self.bound = Bound::NONE;
        self.offsets.clear();
        self.draws = Draws::default();
        self.pass = NO_PASS;
        self.threads = 0;
        self.writes = Writes::default();
        if let Some(kept) = &mut self.kept {
            **kept = [const { [const { None }; 31] }; 3];
        }
    }

    /// Opens an encoder.
    pub(crate) fn open(&mut self, encoder: Option<Encoder>, label: &str) {
        self.encoder = encoder.unwrap_or(Encoder::Skipped);
        if let Some(encoder) = self.common().filter(|_| !label.is_empty()) {
            encoder.setLabel(Some(&text(label)));
        }
    }

    /// `endEncoding`.
    pub(crate) fn end(&mut self) {
        pool(|| {
            if let Some(encoder) = self.common() {
                if self.groups[0] > 0 {
                    self.fault("endEncoding", format!("{} debug groups are open", self.groups[0]));
                }
                (0..self.groups[0]).for_each(|_| encoder.popDebugGroup());
                encoder.endEncoding();
            } else if matches!(self.encoder, Encoder::None) {
                self.fault("endEncoding", "no encoder is open");
            }
            self.groups[0] = 0;
            self.encoder = Encoder::None;
        });
    }

    /// The GPU writes to a buffer.
    pub(crate) fn wrote(&mut self, buffer: &Buffer) {
        if buffer.0.managed && !self.written.iter().any(|each| Arc::ptr_eq(&each.0, &buffer.0)) {
            self.written.push(buffer.clone());
        }
    }

    /// A buffer is bound, or bytes are.
    #[inline]
    pub(crate) fn keep(&mut self, stage: Stage, index: u32, buffer: Option<&Buffer>) {
        if let Some(kept) = &mut self.kept {
            kept[stage as usize][index as usize] = buffer.cloned();
        }
    }

    /// The pipeline that is set writes to what is bound.
    #[inline]
    pub(crate) fn pipeline_writes(&mut self) {
        if self.kept.is_none() || self.writes == Writes::default() {
            return;
        }
        let Some(kept) = self.kept.take() else { return };
        for (buffers, mask) in kept.iter().zip(self.writes) {
            let each = buffers.iter().enumerate().filter(|(index, _)| mask >> index & 1 != 0);
            each.filter_map(|(_, buffer)| buffer.as_ref()).for_each(|buffer| self.wrote(buffer));
        }
        self.kept = Some(kept);
    }

    /// Fetches what the GPU wrote into managed buffers, in the command buffer of this number.
    fn synchronize(&mut self, serial: Serial) {
        let written = std::mem::take(&mut self.written);
        if written.is_empty() {
            return;
        }
        let Some(encoder) = self.command_buffer().and_then(MTLCommandBuffer::blitCommandEncoder) else { return };
        for buffer in &written {
            encoder.synchronizeResource(ProtocolObject::from_ref(&*buffer.0.raw));
            buffer.fetched_by(&self.done, serial);
        }
        encoder.endEncoding();
    }

    /// `commit`.
    pub(crate) fn submit(&mut self) -> Serial {
        if !matches!(self.encoder, Encoder::None) {
            self.fault("commit", "an encoder is open");
            self.end();
        }
        self.committed += 1;
        let serial = self.committed;
        pool(|| {
            self.commit_ahead(serial);
            self.synchronize(serial);
            if self.groups[1] > 0 {
                self.fault("commit", format!("{} debug groups are open", self.groups[1]));
            }
            let groups = std::mem::take(&mut self.groups[1]);
            if self.command_buffer().is_none() {
                // The device is gone: nothing is executed, and nobody waits for it.
                self.done.finish(serial, None, None);
            }
            let Some(buffer) = self.buffer.take() else { return };
            (0..groups).for_each(|_| buffer.popDebugGroup());
            let done = self.done.clone();
            let block = RcBlock::new(move |buffer: NonNull<ProtocolObject<dyn MTLCommandBuffer>>| {
                // SAFETY: Metal calls the block with the command buffer, which is there until it returns.
                let buffer = unsafe { buffer.as_ref() };
                pool(|| {
                    let times = [buffer.GPUStartTime(), buffer.GPUEndTime()];
                    done.finish(serial, Some(times), outcome(serial, buffer));
                });
            });
            // SAFETY: a block of the type that is asked for, which Metal keeps; what it has may be used by any thread.
            unsafe { buffer.addCompletedHandler(RcBlock::as_ptr(&block)) };
            buffer.commit();
        });
        serial
    }

    /// Waits for a command buffer.
    pub(crate) fn wait_for(&self, serial: Serial, timeout: Duration) -> bool {
        // One that was not committed would never come.
        serial <= self.committed && self.done.wait(serial, timeout)
    }

    pub(crate) fn done(&self) -> &Done {
        &self.done
    }

    /// `pushDebugGroup:`.
    pub(crate) fn push_group(&mut self, label: &str) {
        pool(|| {
            let label = text(label);
            if let Some(encoder) = self.common() {
                encoder.pushDebugGroup(&label);
                self.groups[0] += 1;
            } else if matches!(self.encoder, Encoder::None)
                && let Some(buffer) = self.command_buffer()
            {
                buffer.pushDebugGroup(&label);
                self.groups[1] += 1;
            }
        });
    }

    /// `popDebugGroup`.
    pub(crate) fn pop_group(&mut self) {
        let (which, call) = (usize::from(matches!(self.encoder, Encoder::None)), "popDebugGroup");
        if self.groups[which] == 0 {
            if !matches!(self.encoder, Encoder::Skipped) && !self.done.is_lost() {
                self.fault(call, "no debug group is open");
            }
            return;
        }
        self.groups[which] -= 1;
        pool(|| match (self.common(), &self.buffer) {
            (Some(encoder), _) => encoder.popDebugGroup(),
            (None, Some(buffer)) => buffer.popDebugGroup(),
            (None, None) => {}
        });
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // Metal ends the process for an encoder that goes without its end.
        if !matches!(self.encoder, Encoder::None) {
            self.end();
        }
        if let Some(ahead) = self.ahead.take() {
            ahead.encoder.endEncoding();
        }
    }
}

/// What was wrong with a command buffer that has completed.
fn outcome(serial: Serial, buffer: &ProtocolObject<dyn MTLCommandBuffer>) -> Option<Fault> {
    const CALL: &str = "command buffer";
    let Some(error) = buffer.error() else {
        let failed = buffer.status() == MTLCommandBufferStatus::Error;
        let text = || "it failed, and does not say why".into();
        return failed.then(|| Fault { call: CALL, text: text(), lost: false, command_buffer: serial });
    };
    let code = usize::try_from(error.code()).map(MTLCommandBufferError);
    // The device was pulled out, or has had enough of this process.
    let lost = code.is_ok_and(|code| {
        [
            MTLCommandBufferError::DeviceRemoved,
            MTLCommandBufferError::AccessRevoked,
            MTLCommandBufferError::NotPermitted,
        ]
        .contains(&code)
    });
    let mut text = format!("{} ({})", error.localizedDescription(), error.code());
    for (label, state) in encoders(&error) {
        text.push_str(&format!("; encoder {label}: {state}"));
    }
    Some(Fault { call: CALL, text, lost, command_buffer: serial })
}

/// Encoders that an error says something of: label, and what became of it.
fn encoders(error: &NSError) -> Vec<(String, &'static str)> {
    // SAFETY: a constant of Metal's.
    let key = unsafe { MTLCommandBufferEncoderInfoErrorKey };
    let Some(infos) = error.userInfo().objectForKey(key) else { return Vec::new() };
    let Ok(infos) = infos.downcast::<NSArray<AnyObject>>() else { return Vec::new() };
    let says = |info: Retained<AnyObject>| {
        // SAFETY: what is in the array under this key is of this protocol. Source: Apple, `MTLCommandBufferEncoderInfoErrorKey`.
        let info = unsafe { Retained::cast_unchecked::<ProtocolObject<dyn MTLCommandBufferEncoderInfo>>(info) };
        let state = match info.errorState() {
            MTLCommandEncoderErrorState::Faulted => "faulted",
            MTLCommandEncoderErrorState::Affected => "affected",
            MTLCommandEncoderErrorState::Pending => "not begun",
            _ => return None,
        };
        Some((info.label().to_string(), state))
    };
    infos.iter().filter_map(says).collect()
}
