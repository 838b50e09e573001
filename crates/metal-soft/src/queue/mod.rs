//! The queue: what is encoded, and when it is executed.

mod ahead;
mod encoder;
mod present;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use afterimage_metal_calls::{
    Aspect, BufferDescriptor, BufferLayout, CullMode, DepthClipMode, Device, DrawCount, Fault, FillMode, Indices,
    PrimitiveType, Queue, Region, RenderPass, ScissorRect, Serial, Stage, StencilReferences, StorageMode, Viewport,
    VisibilityMode, Winding,
};

use crate::checks;
use crate::command::{Amount, Command, Groups, IndexSource, State};
use crate::device::SoftDevice;
use crate::execute::{Stopper, execute};
use crate::memory::Turn;
use crate::objects::{SoftBuffer, SoftComputePipeline, SoftDepthStencil, SoftRenderPipeline, SoftSampler};
use crate::texture::SoftTexture;
use ahead::Used;
use encoder::{Mode, owned};

pub use present::SoftDrawable;

/// Command buffers whose times are kept.
const TIMES: usize = 64;

/// `MTLCommandQueue` in software. Command buffers are executed at [`Queue::commit`], on the thread that calls it.
#[derive(Debug)]
pub struct SoftQueue {
    device: SoftDevice,
    commands: Vec<Command>,
    /// Copies that are executed before them.
    ahead: Vec<Command>,
    used: Used,
    mode: Mode,
    faults: Vec<Fault>,
    committed: Serial,
    /// That it is gone was said.
    lost: bool,
    times: VecDeque<(Serial, (f64, f64))>,
    begun: Instant,
    /// Debug groups that are open: of the command buffer, of the encoder.
    groups: [u32; 2],
}

impl SoftQueue {
    pub(crate) fn new(device: SoftDevice) -> Self {
        Self {
            device,
            commands: Vec::new(),
            ahead: Vec::new(),
            used: Used::default(),
            mode: Mode::None,
            faults: Vec::new(),
            committed: 0,
            lost: false,
            times: VecDeque::new(),
            begun: Instant::now(),
            groups: [0; 2],
        }
    }
}

impl Queue for SoftQueue {
    type Device = SoftDevice;

    fn commit(&mut self) -> Serial {
        if !matches!(self.mode, Mode::None) {
            self.fault("commit", "commit called with an uncommitted encoder: endEncoding first");
            self.end_encoding();
        }
        if self.groups[0] > 0 {
            self.fault("commit", format!("{} debug groups are not popped", self.groups[0]));
            self.groups[0] = 0;
        }
        let mut commands = std::mem::take(&mut self.ahead);
        commands.append(&mut self.commands);
        self.used = Used::default();
        if !self.device.fate().lives() {
            commands.clear();
            if !std::mem::replace(&mut self.lost, true) {
                let text = "MTLCommandBufferErrorDeviceRemoved: the device is gone".to_owned();
                self.faults.push(Fault {
                    call: "command buffer",
                    text,
                    lost: true,
                    command_buffer: self.committed + 1,
                });
            }
        }
        let begin = self.begun.elapsed().as_secs_f64();
        if !commands.is_empty() {
            let turn = Turn::take();
            let mut stopper = Stopper::new(&mut self.faults, self.device.steps(), self.committed + 1);
            for command in &commands {
                if stopper.ended() {
                    break;
                }
                execute(&turn, command, &mut stopper);
            }
        }
        let end = self.begun.elapsed().as_secs_f64();
        self.committed += 1;
        self.times.push_back((self.committed, (begin, end)));
        if self.times.len() > TIMES {
            self.times.pop_front();
        }
        self.committed
    }

    fn completed(&mut self) -> Serial {
        self.committed.min(self.device.fate().mishaps().hangs_after.unwrap_or(Serial::MAX))
    }

    fn wait(&mut self, serial: Serial, _timeout: Duration) -> bool {
        serial <= self.completed()
    }

    fn times(&self, serial: Serial) -> Option<(f64, f64)> {
        self.times.iter().find(|(of, _)| *of == serial).map(|(_, times)| *times)
    }

    fn faults(&mut self) -> Vec<Fault> {
        std::mem::take(&mut self.faults)
    }

    fn push_debug_group(&mut self, _label: &str) {
        self.groups[usize::from(!matches!(self.mode, Mode::None))] += 1;
    }

    fn pop_debug_group(&mut self) {
        let open = &mut self.groups[usize::from(!matches!(self.mode, Mode::None))];
        match open.checked_sub(1) {
            Some(less) => *open = less,
            None => self.fault("popDebugGroup", "no debug group is open"),
        }
    }

    fn end_encoding(&mut self) {
        if self.groups[1] > 0 {
            self.fault("endEncoding", format!("{} debug groups are not popped", self.groups[1]));
            self.groups[1] = 0;
        }
        match std::mem::take(&mut self.mode) {
            Mode::None => self.fault("endEncoding", "no encoder is open"),
            Mode::Render(pass, _, draws) => self.commands.push(Command::Render(pass, draws)),
            Mode::Refused | Mode::Compute(..) | Mode::Blit => {}
        }
    }

    fn begin_render(&mut self, pass: &RenderPass<'_, SoftDevice>) {
        let call = "renderCommandEncoderWithDescriptor:";
        self.begins(call);
        let (extent, faults) = checks::pass(self.device.facts(), pass);
        self.mode = if self.fine(call, faults) {
            Mode::Render(Box::new(owned(pass, extent)), Box::new(State::new(extent.size)), Vec::new())
        } else {
            Mode::Refused
        };
    }

    fn set_render_pipeline(&mut self, pipeline: &SoftRenderPipeline) {
        let call = "setRenderPipelineState:";
        if self.state(call).is_none() {
            return;
        }
        let faults = match &self.mode {
            Mode::Render(pass, ..) => checks::pipeline_in_pass(&pipeline.0, pass),
            _ => return,
        };
        let fine = self.fine(call, faults);
        if let Some(state) = self.state(call) {
            state.pipeline = fine.then(|| pipeline.clone());
        }
    }

    fn set_depth_stencil(&mut self, of: &SoftDepthStencil) {
        if let Some(state) = self.state("setDepthStencilState:") {
            state.depth_stencil = Some(of.clone());
        }
    }

    fn set_stencil_references(&mut self, references: StencilReferences) {
        if let Some(state) = self.state("setStencilFrontReferenceValue:backReferenceValue:") {
            state.references = references;
        }
    }

    fn set_viewport(&mut self, viewport: Viewport) {
        self.viewports("setViewport:", &[viewport]);
    }

    fn set_viewports(&mut self, viewports: &[Viewport]) {
        self.viewports("setViewports:count:", viewports);
    }

    fn set_scissor(&mut self, rect: ScissorRect) {
        self.scissors("setScissorRect:", &[rect]);
    }

    fn set_scissors(&mut self, rects: &[ScissorRect]) {
        self.scissors("setScissorRects:count:", rects);
    }

    fn set_cull_mode(&mut self, mode: CullMode) {
        if let Some(state) = self.state("setCullMode:") {
            state.cull = mode;
        }
    }

    fn set_winding(&mut self, winding: Winding) {
        if let Some(state) = self.state("setFrontFacingWinding:") {
            state.winding = winding;
        }
    }

    fn set_fill_mode(&mut self, mode: FillMode) {
        if let Some(state) = self.state("setTriangleFillMode:") {
            state.fill = mode;
        }
    }

    fn set_depth_bias(&mut self, bias: f32, slope_scale: f32, clamp: f32) {
        if let Some(state) = self.state("setDepthBias:slopeScale:clamp:") {
            state.bias = [bias, slope_scale, clamp];
        }
    }

    fn set_depth_clip(&mut self, mode: DepthClipMode) {
        if let Some(state) = self.state("setDepthClipMode:") {
            state.clip = mode;
        }
    }

    fn set_depth_bounds(&mut self, bounds: [f32; 2]) {
        let call = "setDepthTestMinBound:maxBound:";
        let has = self.device.facts().depth_bounds;
        let Some(state) = self.state(call) else { return };
        let [least, most] = bounds;
        // What is no number is not in order.
        let in_order = 0.0 <= least && least <= most && most <= 1.0;
        if !has {
            self.fault(call, "this device has no depth bounds".to_owned());
        } else if in_order {
            state.depth_bounds = bounds;
        } else {
            self.fault(call, format!("{bounds:?} are not 0 to 1 and in order"));
        }
    }

    fn set_blend_color(&mut self, color: [f32; 4]) {
        if let Some(state) = self.state("setBlendColorRed:green:blue:alpha:") {
            state.blend_color = color;
        }
    }

    fn set_visibility(&mut self, mode: VisibilityMode, offset: u64) {
        let call = "setVisibilityResultMode:offset:";
        if self.state(call).is_none() {
            return;
        }
        let most = u64::from(self.device.facts().limits.visibility);
        let Mode::Render(pass, state, _) = &mut self.mode else { return };
        if mode == VisibilityMode::Disabled {
            state.visibility = (mode, offset);
            return;
        }
        let mut faults = Vec::new();
        match &pass.visibility {
            None => faults.push("the pass has no visibilityResultBuffer".to_owned()),
            Some(buffer) if offset.saturating_add(8) > buffer.length() => {
                faults.push(format!("offset ({offset}) is beyond the buffer's {} bytes", buffer.length()));
            }
            Some(_) => {}
        }
        if !offset.is_multiple_of(8) || offset > most {
            faults.push(format!("offset ({offset}) is no multiple of 8 up to {most}"));
        }
        // To go on with what is being counted is no second time.
        if pass.counted.contains(&offset) && state.visibility != (mode, offset) {
            faults.push(format!("offset ({offset}) was used before in this pass"));
        }
        if faults.is_empty() {
            if !pass.counted.contains(&offset) {
                pass.counted.push(offset);
            }
            state.visibility = (mode, offset);
        }
        self.fine(call, faults);
    }

    fn draw(&mut self, primitive: PrimitiveType, count: DrawCount) {
        let call = "drawPrimitives:vertexStart:vertexCount:instanceCount:baseInstance:";
        self.draw_with(call, primitive, Amount::Direct(count), None);
    }

    fn draw_indexed(&mut self, primitive: PrimitiveType, count: DrawCount, indices: Indices<'_, SoftDevice>) {
        let call = "drawIndexedPrimitives:indexCount:indexType:indexBuffer:indexBufferOffset:instanceCount:baseVertex:baseInstance:";
        let source = IndexSource { buffer: indices.buffer.clone(), offset: indices.offset, ty: indices.ty };
        self.draw_with(call, primitive, Amount::Direct(count), Some(source));
    }

    fn draw_indirect(&mut self, primitive: PrimitiveType, arguments: &SoftBuffer, offset: u64) {
        let call = "drawPrimitives:indirectBuffer:indirectBufferOffset:";
        self.draw_with(call, primitive, Amount::Indirect(arguments.clone(), offset), None);
    }

    fn draw_indexed_indirect(
        &mut self,
        primitive: PrimitiveType,
        indices: Indices<'_, SoftDevice>,
        arguments: &SoftBuffer,
        offset: u64,
    ) {
        let call = "drawIndexedPrimitives:indexType:indexBuffer:indexBufferOffset:indirectBuffer:indirectBufferOffset:";
        let source = IndexSource { buffer: indices.buffer.clone(), offset: indices.offset, ty: indices.ty };
        self.draw_with(call, primitive, Amount::Indirect(arguments.clone(), offset), Some(source));
    }

    fn set_buffer(&mut self, stage: Stage, index: u32, buffer: &SoftBuffer, offset: u64) {
        let call = "setBuffer:offset:atIndex:";
        let most = self.device.facts().limits.buffers;
        if self.table(call, stage).is_none() || !self.index(call, index, most) {
            return;
        }
        if offset >= buffer.length() {
            self.fault(call, format!("offset ({offset}) must be < {}", buffer.length()));
        } else if let Some(table) = self.table(call, stage) {
            table.buffers.insert(index, (buffer.clone(), offset));
        }
    }

    fn set_buffer_offset(&mut self, stage: Stage, index: u32, offset: u64) {
        let call = "setBufferOffset:atIndex:";
        let Some(table) = self.table(call, stage) else { return };
        let length = table.buffers.get(&index).map(|(buffer, _)| buffer.length());
        match length {
            None => self.fault(call, format!("no buffer is set at index {index}")),
            Some(length) if offset >= length => self.fault(call, format!("offset ({offset}) must be < {length}")),
            Some(_) => {
                if let Some((_, at)) = self.table(call, stage).and_then(|t| t.buffers.get_mut(&index)) {
                    *at = offset;
                }
            }
        }
    }

    fn set_bytes(&mut self, stage: Stage, index: u32, bytes: &[u8]) {
        let call = "setBytes:length:atIndex:";
        let limits = self.device.facts().limits;
        if self.table(call, stage).is_none() || !self.index(call, index, limits.buffers) {
            return;
        }
        if bytes.is_empty() || bytes.len() > limits.bytes as usize {
            return self.fault(call, format!("length ({}) is not 1 to {}", bytes.len(), limits.bytes));
        }
        let (length, storage) = (bytes.len() as u64, StorageMode::Shared);
        let made = self.device.buffer(&BufferDescriptor { length, storage, label: "set*Bytes".to_owned() });
        let made = made.and_then(|buffer| self.device.write(&buffer, 0, bytes).map(|()| buffer));
        match made {
            Err(error) => self.fault(call, error.to_string()),
            Ok(buffer) => {
                if let Some(table) = self.table(call, stage) {
                    table.buffers.insert(index, (buffer, 0));
                }
            }
        }
    }

    fn set_texture(&mut self, stage: Stage, index: u32, texture: &SoftTexture) {
        let call = "setTexture:atIndex:";
        let most = self.device.facts().limits.textures;
        if self.table(call, stage).is_some()
            && self.index(call, index, most)
            && let Some(table) = self.table(call, stage)
        {
            table.textures.insert(index, texture.clone());
        }
    }

    fn set_sampler(&mut self, stage: Stage, index: u32, sampler: &SoftSampler) {
        let call = "setSamplerState:atIndex:";
        let most = self.device.facts().limits.samplers;
        if self.table(call, stage).is_some()
            && self.index(call, index, most)
            && let Some(table) = self.table(call, stage)
        {
            table.samplers.insert(index, sampler.clone());
        }
    }

    fn use_buffer(&mut self, stage: Stage, buffer: &SoftBuffer, write: bool) {
        if let Some(table) = self.table("useResource:usage:stages:", stage) {
            match table.resident.iter_mut().find(|(there, _)| there.same(buffer)) {
                Some((_, writable)) => *writable |= write,
                None => table.resident.push((buffer.clone(), write)),
            }
        }
    }

    fn begin_compute(&mut self, _label: &str) {
        self.begins("computeCommandEncoder");
        self.mode = Mode::Compute(None, Arc::default());
    }

    fn set_compute_pipeline(&mut self, pipeline: &SoftComputePipeline) {
        match &mut self.mode {
            Mode::Compute(set, _) => *set = Some(pipeline.clone()),
            Mode::Refused => {}
            _ => self.fault("setComputePipelineState:", "no compute encoder is open"),
        }
    }

    fn dispatch(&mut self, groups: [u32; 3], threads: [u32; 3]) {
        self.dispatch_with("dispatchThreadgroups:threadsPerThreadgroup:", Groups::Direct(groups), threads);
    }

    fn dispatch_indirect(&mut self, arguments: &SoftBuffer, offset: u64, threads: [u32; 3]) {
        let call = "dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:";
        self.dispatch_with(call, Groups::Indirect(arguments.clone(), offset), threads);
    }

    fn begin_blit(&mut self, _label: &str) {
        self.begins("blitCommandEncoder");
        self.mode = Mode::Blit;
    }

    fn copy_buffer(&mut self, from: &SoftBuffer, from_offset: u64, to: &SoftBuffer, to_offset: u64, size: u64) {
        let call = "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:";
        if !self.in_blit(call) {
            return;
        }
        let faults = checks::copy_buffer(self.device.facts(), [(from, from_offset), (to, to_offset)], size);
        if self.fine(call, faults) {
            let (from, to) = (from.clone(), to.clone());
            self.commands.push(Command::CopyBuffer { from, from_offset, to, to_offset, size });
        }
    }

    fn fill_buffer(&mut self, buffer: &SoftBuffer, offset: u64, size: u64, value: u8) {
        let call = "fillBuffer:range:value:";
        if !self.in_blit(call) {
            return;
        }
        let faults = checks::fill_buffer(self.device.facts(), buffer, offset, size);
        if self.fine(call, faults) {
            self.commands.push(Command::FillBuffer { buffer: buffer.clone(), offset, size, value });
        }
    }

    fn copy_buffer_to_texture(
        &mut self,
        buffer: &SoftBuffer,
        layout: BufferLayout,
        texture: &SoftTexture,
        region: Region,
        aspect: Aspect,
    ) {
        let call = "copyFromBuffer:toTexture:options:";
        self.copy_texels(call, true, (buffer, layout), (texture, region, aspect));
    }

    fn copy_texture_to_buffer(
        &mut self,
        texture: &SoftTexture,
        region: Region,
        aspect: Aspect,
        buffer: &SoftBuffer,
        layout: BufferLayout,
    ) {
        let call = "copyFromTexture:toBuffer:options:";
        self.copy_texels(call, false, (buffer, layout), (texture, region, aspect));
    }

    fn copy_texture(&mut self, from: &SoftTexture, region: Region, to: &SoftTexture, destination: Region) {
        let call = "copyFromTexture:toTexture:destinationOrigin:";
        if !self.in_blit(call) {
            return;
        }
        if self.fine(call, checks::copy_texture(from, region, to, destination)) {
            let (from, to) = (from.clone(), to.clone());
            self.commands.push(Command::CopyTexture { from, region, to, destination });
        }
    }

    fn generate_mipmaps(&mut self, texture: &SoftTexture) {
        let call = "generateMipmapsForTexture:";
        if !self.in_blit(call) {
            return;
        }
        let faults = checks::generate_mipmaps(self.device.facts(), texture);
        if self.fine(call, faults) {
            self.commands.push(Command::GenerateMipmaps(texture.clone()));
        }
    }

    fn copy_buffer_ahead(&mut self, from: &SoftBuffer, from_offset: u64, to: &SoftBuffer, to_offset: u64, size: u64) {
        let faults = checks::copy_buffer(self.device.facts(), [(from, from_offset), (to, to_offset)], size);
        let (from, to) = (from.clone(), to.clone());
        let command = Command::CopyBuffer { from, from_offset, to, to_offset, size };
        self.encode_ahead("copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size: (ahead)", faults, command);
    }

    fn copy_buffer_to_texture_ahead(
        &mut self,
        buffer: &SoftBuffer,
        layout: BufferLayout,
        texture: &SoftTexture,
        region: Region,
        aspect: Aspect,
    ) {
        let facts = self.device.facts();
        let faults = checks::copy_buffer_texture(facts, true, buffer, layout, texture, region, aspect);
        let (buffer, texture) = (buffer.clone(), texture.clone());
        let command = Command::CopyTexels { to_texture: true, buffer, layout, texture, region, aspect };
        self.encode_ahead("copyFromBuffer:toTexture:options: (ahead)", faults, command);
    }
}
