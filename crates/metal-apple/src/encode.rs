//! The trait of queues: each call checked, and made.

use crate::check::{self, Draws, Rows};
use crate::convert::{ToMetal as _, bytes, origin, size};
use crate::objects::{Buffer, ComputePipeline, DepthStencil, Device, RenderPipeline, Sampler, Texture};
use crate::queue::{Encoder, Queue};
use crate::{passes, pool};
use afterimage_metal_calls as calls;
use afterimage_metal_calls::{
    Aspect, BufferLayout, CullMode, DepthClipMode, DrawCount, Error, Fault, FillMode, Indices, PrimitiveType, Region,
    RenderPass, ScissorRect, Serial, Stage, StencilReferences, Viewport, VisibilityMode, Winding,
};
use objc2::runtime::ProtocolObject;
use objc2_foundation::NSRange;
use objc2_metal::{
    MTLBlitCommandEncoder, MTLBlitOption, MTLCommandBuffer as _, MTLComputeCommandEncoder as _,
    MTLRenderCommandEncoder as _, MTLRenderStages, MTLResourceUsage, MTLScissorRect, MTLViewport,
};
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

/// Metal's option of a part of a format: formats of one part have none.
fn option(texture: &Texture, aspect: Aspect) -> MTLBlitOption {
    let format = texture.0.is.format;
    match aspect {
        Aspect::Depth if format.has_stencil() => MTLBlitOption::DepthFromDepthStencil,
        Aspect::Stencil if format.has_depth() => MTLBlitOption::StencilFromDepthStencil,
        _ => MTLBlitOption::None,
    }
}

/// `copyFromBuffer:toBuffer:`.
///
/// # Safety
/// Both ranges lie in their buffers, and do not overlap.
unsafe fn copy_bytes(
    encoder: &ProtocolObject<dyn MTLBlitCommandEncoder>,
    (from, from_offset): (&Buffer, u64),
    (to, to_offset): (&Buffer, u64),
    size: u64,
) {
    // SAFETY: the caller's.
    unsafe {
        encoder.copyFromBuffer_sourceOffset_toBuffer_destinationOffset_size(
            &from.0.raw,
            bytes(from_offset),
            &to.0.raw,
            bytes(to_offset),
            bytes(size),
        );
    }
}

/// `copyFromBuffer:toTexture:options:`.
///
/// # Safety
/// The rows lie in the buffer, and the region in the texture.
unsafe fn copy_texels(
    encoder: &ProtocolObject<dyn MTLBlitCommandEncoder>,
    (buffer, layout): (&Buffer, BufferLayout),
    (texture, region, aspect): (&Texture, Region, Aspect),
) {
    // SAFETY: the caller's.
    unsafe {
        encoder.copyFromBuffer_sourceOffset_sourceBytesPerRow_sourceBytesPerImage_sourceSize_toTexture_destinationSlice_destinationLevel_destinationOrigin_options(
            &buffer.0.raw,
            bytes(layout.offset),
            bytes(layout.bytes_per_row),
            bytes(layout.bytes_per_image),
            size(region.size),
            &texture.0.raw,
            region.slice as usize,
            region.level as usize,
            origin(region.origin),
            option(texture, aspect),
        );
    }
}

impl calls::Queue for Queue {
    type Device = Device;

    fn commit(&mut self) -> Serial {
        self.submit()
    }

    fn completed(&mut self) -> Serial {
        self.done().completed()
    }

    fn wait(&mut self, serial: Serial, timeout: Duration) -> bool {
        self.wait_for(serial, timeout)
    }

    fn times(&self, serial: Serial) -> Option<(f64, f64)> {
        self.done().times(serial)
    }

    fn faults(&mut self) -> Vec<Fault> {
        self.done().take()
    }

    fn push_debug_group(&mut self, label: &str) {
        self.push_group(label);
    }

    fn pop_debug_group(&mut self) {
        self.pop_group();
    }

    fn end_encoding(&mut self) {
        self.end();
    }

    fn begin_render(&mut self, pass: &RenderPass<'_, Device>) {
        const CALL: &str = "renderCommandEncoderWithDescriptor";
        self.begin(CALL);
        match passes::check(&self.device, pass) {
            Ok(is) => self.pass = is,
            Err(Error::Refused { faults, .. }) => {
                self.fault(CALL, faults.join("; "));
                return self.open(None, "");
            }
            Err(error) => {
                self.fault(CALL, error.to_string());
                return self.open(None, "");
            }
        }
        pool(|| {
            let descriptor = passes::descriptor(pass);
            let encoder =
                self.command_buffer().and_then(|buffer| buffer.renderCommandEncoderWithDescriptor(&descriptor));
            self.open(encoder.map(Encoder::Render), pass.label);
        });
        if let Some(visibility) = pass.visibility {
            self.wrote(visibility);
        }
    }

    fn set_render_pipeline(&mut self, pipeline: &RenderPipeline) {
        const CALL: &str = "setRenderPipelineState";
        let Some(encoder) = self.render(CALL) else { return };
        if pipeline.formats != self.pass.formats {
            self.fault(CALL, self.pass.formats.differs(&pipeline.formats));
            self.draws = Draws::default();
            return;
        }
        encoder.setRenderPipelineState(&pipeline.raw);
        self.draws = Draws { pipeline: true };
        self.writes = pipeline.writes;
    }

    fn set_depth_stencil(&mut self, state: &DepthStencil) {
        const CALL: &str = "setDepthStencilState";
        let Some(encoder) = self.render(CALL) else { return };
        let has = [self.pass.formats.depth.is_some(), self.pass.formats.stencil.is_some()];
        if state.uses.iter().zip(has).any(|(uses, has)| *uses && !has) {
            return self.fault(CALL, "it uses depth or stencil, which the pass does not have");
        }
        encoder.setDepthStencilState(Some(&state.raw));
    }

    fn set_stencil_references(&mut self, references: StencilReferences) {
        if let Some(encoder) = self.render("setStencilFrontReferenceValue") {
            encoder.setStencilFrontReferenceValue_backReferenceValue(references.front, references.back);
        }
    }

    fn set_viewport(&mut self, viewport: Viewport) {
        const CALL: &str = "setViewport";
        if !self.holds(CALL, check::viewport(&viewport, self.facts())) {
            return;
        }
        if let Some(encoder) = self.render(CALL) {
            encoder.setViewport(viewport.metal());
        }
    }

    fn set_viewports(&mut self, viewports: &[Viewport]) {
        const CALL: &str = "setViewports";
        let facts = self.facts();
        let checked = check::count(viewports.len(), facts)
            .and_then(|()| viewports.iter().try_for_each(|viewport| check::viewport(viewport, facts)));
        if !self.holds(CALL, checked) {
            return;
        }
        let Some(encoder) = self.render(CALL) else { return };
        let all: Vec<MTLViewport> = viewports.iter().map(|viewport| viewport.metal()).collect();
        // SAFETY: so many lie there, as many as encoders take.
        unsafe { encoder.setViewports_count(NonNull::from(&*all).cast(), all.len()) };
    }

    fn set_scissor(&mut self, rect: ScissorRect) {
        const CALL: &str = "setScissorRect";
        let Some(encoder) = self.render(CALL) else { return };
        if self.holds(CALL, check::scissor(&rect, self.pass.size)) {
            encoder.setScissorRect(rect.metal());
        }
    }

    fn set_scissors(&mut self, rects: &[ScissorRect]) {
        const CALL: &str = "setScissorRects";
        let size = self.pass.size;
        let checked = check::count(rects.len(), self.facts())
            .and_then(|()| rects.iter().try_for_each(|rect| check::scissor(rect, size)));
        if !self.holds(CALL, checked) {
            return;
        }
        let Some(encoder) = self.render(CALL) else { return };
        let all: Vec<MTLScissorRect> = rects.iter().map(|rect| rect.metal()).collect();
        // SAFETY: so many lie there, as many as encoders take.
        unsafe { encoder.setScissorRects_count(NonNull::from(&*all).cast(), all.len()) };
    }

    fn set_cull_mode(&mut self, mode: CullMode) {
        if let Some(encoder) = self.render("setCullMode") {
            encoder.setCullMode(mode.metal());
        }
    }

    fn set_winding(&mut self, winding: Winding) {
        if let Some(encoder) = self.render("setFrontFacingWinding") {
            encoder.setFrontFacingWinding(winding.metal());
        }
    }

    fn set_fill_mode(&mut self, mode: FillMode) {
        if let Some(encoder) = self.render("setTriangleFillMode") {
            encoder.setTriangleFillMode(mode.metal());
        }
    }

    fn set_depth_bias(&mut self, bias: f32, slope_scale: f32, clamp: f32) {
        if let Some(encoder) = self.render("setDepthBias") {
            encoder.setDepthBias_slopeScale_clamp(bias, slope_scale, clamp);
        }
    }

    fn set_depth_clip(&mut self, mode: DepthClipMode) {
        if let Some(encoder) = self.render("setDepthClipMode") {
            encoder.setDepthClipMode(mode.metal());
        }
    }

    fn set_depth_bounds(&mut self, bounds: [f32; 2]) {
        const CALL: &str = "setDepthTestMinBound";
        if !self.holds(CALL, check::depth_bounds(bounds, self.facts())) {
            return;
        }
        if let Some(encoder) = self.render(CALL) {
            encoder.setDepthTestMinBound_maxBound(bounds[0], bounds[1]);
        }
    }

    fn set_blend_color(&mut self, [red, green, blue, alpha]: [f32; 4]) {
        if let Some(encoder) = self.render("setBlendColor") {
            encoder.setBlendColorRed_green_blue_alpha(red, green, blue, alpha);
        }
    }

    fn set_visibility(&mut self, mode: VisibilityMode, offset: u64) {
        const CALL: &str = "setVisibilityResultMode";
        if self.render(CALL).is_none() {
            return;
        }
        let counts = mode != VisibilityMode::Disabled;
        if !counts && self.pass.visibility == 0 {
            // That is what passes begin with, and Metal takes no mode without a buffer.
            return;
        }
        let right = if counts {
            self.offsets.set(offset, self.pass.visibility, calls::Device::facts(&self.device))
        } else {
            Ok(())
        };
        if self.holds(CALL, right)
            && let Some(encoder) = self.render(CALL)
        {
            encoder.setVisibilityResultMode_offset(mode.metal(), if counts { bytes(offset) } else { 0 });
        }
    }

    fn draw(&mut self, primitive: PrimitiveType, count: DrawCount) {
        const CALL: &str = "drawPrimitives";
        let Some(encoder) = self.render(CALL) else { return };
        if !self.holds(CALL, check::draw(self.draws, count, false)) {
            return;
        }
        let first = count.first.unsigned_abs() as usize;
        // SAFETY: numbers of vertices and instances point to nothing of this process.
        unsafe {
            encoder.drawPrimitives_vertexStart_vertexCount_instanceCount_baseInstance(
                primitive.metal(),
                first,
                count.count as usize,
                count.instances as usize,
                count.base_instance as usize,
            );
        }
        self.pipeline_writes();
    }

    fn draw_indexed(&mut self, primitive: PrimitiveType, count: DrawCount, indices: Indices<'_, Device>) {
        const CALL: &str = "drawIndexedPrimitives";
        let Some(encoder) = self.render(CALL) else { return };
        let Indices { buffer, offset, ty } = indices;
        let right = check::draw(self.draws, count, true)
            .and_then(|()| check::indices(offset, ty, count.count, buffer.0.length));
        if !self.holds(CALL, right) {
            return;
        }
        // SAFETY: the indices were found to be in the buffer.
        unsafe {
            encoder.drawIndexedPrimitives_indexCount_indexType_indexBuffer_indexBufferOffset_instanceCount_baseVertex_baseInstance(
                primitive.metal(),
                count.count as usize,
                ty.metal(),
                &buffer.0.raw,
                bytes(offset),
                count.instances as usize,
                count.first as isize,
                count.base_instance as usize,
            );
        }
        self.pipeline_writes();
    }

    fn draw_indirect(&mut self, primitive: PrimitiveType, arguments: &Buffer, offset: u64) {
        const CALL: &str = "drawPrimitives:indirectBuffer";
        let Some(encoder) = self.render(CALL) else { return };
        let right = check::pipeline(self.draws).and_then(|()| check::inside(offset, 4, arguments.0.length));
        if !self.holds(CALL, right) {
            return;
        }
        // SAFETY: the arguments were found to be in the buffer.
        unsafe {
            let arguments = &arguments.0.raw;
            encoder.drawPrimitives_indirectBuffer_indirectBufferOffset(primitive.metal(), arguments, bytes(offset));
        }
        self.pipeline_writes();
    }

    fn draw_indexed_indirect(
        &mut self,
        primitive: PrimitiveType,
        indices: Indices<'_, Device>,
        arguments: &Buffer,
        offset: u64,
    ) {
        const CALL: &str = "drawIndexedPrimitives:indirectBuffer";
        let Some(encoder) = self.render(CALL) else { return };
        let Indices { buffer, offset: first, ty } = indices;
        let right = check::pipeline(self.draws)
            .and_then(|()| check::indices(first, ty, 1, buffer.0.length))
            .and_then(|()| check::inside(offset, 5, arguments.0.length));
        if !self.holds(CALL, right) {
            return;
        }
        // SAFETY: the arguments, and the first index, were found to be in their buffers.
        unsafe {
            encoder.drawIndexedPrimitives_indexType_indexBuffer_indexBufferOffset_indirectBuffer_indirectBufferOffset(
                primitive.metal(),
                ty.metal(),
                &buffer.0.raw,
                bytes(first),
                &arguments.0.raw,
                bytes(offset),
            );
        }
        self.pipeline_writes();
    }

    fn set_buffer(&mut self, stage: Stage, index: u32, buffer: &Buffer, offset: u64) {
        const CALL: &str = "setBuffer";
        let right = self.bound.set(stage, index, offset, buffer.0.length);
        if !self.holds(CALL, right) {
            return;
        }
        self.keep(stage, index, Some(buffer));
        let (buffer, offset, index) = (Some(&*buffer.0.raw), bytes(offset), index as usize);
        // SAFETY: the index was found to be in the table, and the offset in the buffer.
        unsafe {
            match (stage, &self.encoder) {
                (Stage::Vertex, Encoder::Render(to)) => to.setVertexBuffer_offset_atIndex(buffer, offset, index),
                (Stage::Fragment, Encoder::Render(to)) => to.setFragmentBuffer_offset_atIndex(buffer, offset, index),
                (Stage::Kernel, Encoder::Compute(to)) => to.setBuffer_offset_atIndex(buffer, offset, index),
                _ => self.no_encoder(CALL),
            }
        }
    }

    fn set_buffer_offset(&mut self, stage: Stage, index: u32, offset: u64) {
        const CALL: &str = "setBufferOffset";
        if !self.holds(CALL, self.bound.offset(stage, index, offset)) {
            return;
        }
        let (offset, index) = (bytes(offset), index as usize);
        // SAFETY: a buffer was found to be at the index, and the offset in it.
        unsafe {
            match (stage, &self.encoder) {
                (Stage::Vertex, Encoder::Render(to)) => to.setVertexBufferOffset_atIndex(offset, index),
                (Stage::Fragment, Encoder::Render(to)) => to.setFragmentBufferOffset_atIndex(offset, index),
                (Stage::Kernel, Encoder::Compute(to)) => to.setBufferOffset_atIndex(offset, index),
                _ => self.no_encoder(CALL),
            }
        }
    }

    fn set_bytes(&mut self, stage: Stage, index: u32, bytes: &[u8]) {
        const CALL: &str = "setBytes";
        let right = self.bound.bytes(stage, index, bytes.len(), calls::Device::facts(&self.device));
        if !self.holds(CALL, right) {
            return;
        }
        self.keep(stage, index, None);
        let (from, length, index) = (NonNull::from(bytes).cast(), bytes.len(), index as usize);
        // SAFETY: so many bytes are there, which Metal copies; the index was found to be in the table.
        unsafe {
            match (stage, &self.encoder) {
                (Stage::Vertex, Encoder::Render(to)) => to.setVertexBytes_length_atIndex(from, length, index),
                (Stage::Fragment, Encoder::Render(to)) => to.setFragmentBytes_length_atIndex(from, length, index),
                (Stage::Kernel, Encoder::Compute(to)) => to.setBytes_length_atIndex(from, length, index),
                _ => self.no_encoder(CALL),
            }
        }
    }

    fn set_texture(&mut self, stage: Stage, index: u32, texture: &Texture) {
        const CALL: &str = "setTexture";
        if !self.holds(CALL, check::bind_texture(&texture.0.is, index, self.facts())) {
            return;
        }
        let (texture, index) = (Some(&*texture.0.raw), index as usize);
        // SAFETY: the index was found to be in the table.
        unsafe {
            match (stage, &self.encoder) {
                (Stage::Vertex, Encoder::Render(to)) => to.setVertexTexture_atIndex(texture, index),
                (Stage::Fragment, Encoder::Render(to)) => to.setFragmentTexture_atIndex(texture, index),
                (Stage::Kernel, Encoder::Compute(to)) => to.setTexture_atIndex(texture, index),
                _ => self.no_encoder(CALL),
            }
        }
    }

    fn set_sampler(&mut self, stage: Stage, index: u32, sampler: &Sampler) {
        const CALL: &str = "setSamplerState";
        if !self.holds(CALL, check::entry(index, self.facts().limits.samplers)) {
            return;
        }
        let (sampler, index) = (Some(&*sampler.0), index as usize);
        // SAFETY: the index was found to be in the table.
        unsafe {
            match (stage, &self.encoder) {
                (Stage::Vertex, Encoder::Render(to)) => to.setVertexSamplerState_atIndex(sampler, index),
                (Stage::Fragment, Encoder::Render(to)) => to.setFragmentSamplerState_atIndex(sampler, index),
                (Stage::Kernel, Encoder::Compute(to)) => to.setSamplerState_atIndex(sampler, index),
                _ => self.no_encoder(CALL),
            }
        }
    }

    fn use_buffer(&mut self, stage: Stage, buffer: &Buffer, write: bool) {
        let usage = if write { MTLResourceUsage::Read | MTLResourceUsage::Write } else { MTLResourceUsage::Read };
        let resource = ProtocolObject::from_ref(&*buffer.0.raw);
        match (stage, &self.encoder) {
            (Stage::Vertex, Encoder::Render(to)) => {
                to.useResource_usage_stages(resource, usage, MTLRenderStages::Vertex);
            }
            (Stage::Fragment, Encoder::Render(to)) => {
                to.useResource_usage_stages(resource, usage, MTLRenderStages::Fragment);
            }
            (Stage::Kernel, Encoder::Compute(to)) => to.useResource_usage(resource, usage),
            _ => return self.no_encoder("useResource"),
        }
        if write {
            self.wrote(buffer);
        }
    }

    fn begin_compute(&mut self, label: &str) {
        self.begin("computeCommandEncoder");
        pool(|| {
            let encoder = self.command_buffer().and_then(|buffer| buffer.computeCommandEncoder());
            self.open(encoder.map(Encoder::Compute), label);
        });
    }

    fn set_compute_pipeline(&mut self, pipeline: &ComputePipeline) {
        if let Some(encoder) = self.compute("setComputePipelineState") {
            encoder.setComputePipelineState(&pipeline.raw);
            self.threads = pipeline.threads;
            self.writes = pipeline.writes;
        }
    }

    fn dispatch(&mut self, groups: [u32; 3], threads: [u32; 3]) {
        const CALL: &str = "dispatchThreadgroups";
        let Some(encoder) = self.compute(CALL) else { return };
        if self.holds(CALL, check::dispatch(groups, threads, self.threads)) {
            encoder.dispatchThreadgroups_threadsPerThreadgroup(size(groups), size(threads));
            self.pipeline_writes();
        }
    }

    fn dispatch_indirect(&mut self, arguments: &Buffer, offset: u64, threads: [u32; 3]) {
        const CALL: &str = "dispatchThreadgroupsWithIndirectBuffer";
        let Some(encoder) = self.compute(CALL) else { return };
        let right =
            check::dispatch([1; 3], threads, self.threads).and_then(|()| check::inside(offset, 3, arguments.0.length));
        if !self.holds(CALL, right) {
            return;
        }
        // SAFETY: the arguments were found to be in the buffer.
        unsafe {
            encoder.dispatchThreadgroupsWithIndirectBuffer_indirectBufferOffset_threadsPerThreadgroup(
                &arguments.0.raw,
                bytes(offset),
                size(threads),
            );
        }
        self.pipeline_writes();
    }

    fn begin_blit(&mut self, label: &str) {
        self.begin("blitCommandEncoder");
        pool(|| {
            let encoder = self.command_buffer().and_then(|buffer| buffer.blitCommandEncoder());
            self.open(encoder.map(Encoder::Blit), label);
        });
    }

    fn copy_buffer(&mut self, from: &Buffer, from_offset: u64, to: &Buffer, to_offset: u64, size: u64) {
        const CALL: &str = "copyFromBuffer:toBuffer";
        let Some(encoder) = self.blit(CALL) else { return };
        let places = [(from_offset, from.0.length), (to_offset, to.0.length)];
        let same = Arc::ptr_eq(&from.0, &to.0);
        if !self.holds(CALL, check::copy_buffers(places, size, same, self.facts())) {
            return;
        }
        // SAFETY: both ranges were found to be in their buffers, and not to overlap.
        unsafe { copy_bytes(encoder, (from, from_offset), (to, to_offset), size) };
        self.wrote(to);
    }

    fn fill_buffer(&mut self, buffer: &Buffer, offset: u64, size: u64, value: u8) {
        const CALL: &str = "fillBuffer";
        let Some(encoder) = self.blit(CALL) else { return };
        if self.holds(CALL, check::fill(offset, size, buffer.0.length, self.facts())) {
            encoder.fillBuffer_range_value(&buffer.0.raw, NSRange::new(bytes(offset), bytes(size)), value);
            self.wrote(buffer);
        }
    }

    fn copy_buffer_to_texture(
        &mut self,
        buffer: &Buffer,
        layout: BufferLayout,
        texture: &Texture,
        region: Region,
        aspect: Aspect,
    ) {
        const CALL: &str = "copyFromBuffer:toTexture";
        let Some(encoder) = self.blit(CALL) else { return };
        let rows = Rows { layout, aspect, length: buffer.0.length, written: false };
        if !self.holds(CALL, rows.check(&texture.0.is, &region, self.facts())) {
            return;
        }
        // SAFETY: the rows were found to be in the buffer, and the region in the texture.
        unsafe { copy_texels(encoder, (buffer, layout), (texture, region, aspect)) };
    }

    fn copy_texture_to_buffer(
        &mut self,
        texture: &Texture,
        region: Region,
        aspect: Aspect,
        buffer: &Buffer,
        layout: BufferLayout,
    ) {
        const CALL: &str = "copyFromTexture:toBuffer";
        let Some(encoder) = self.blit(CALL) else { return };
        let rows = Rows { layout, aspect, length: buffer.0.length, written: true };
        if !self.holds(CALL, rows.check(&texture.0.is, &region, self.facts())) {
            return;
        }
        // SAFETY: the rows were found to be in the buffer, and the region in the texture.
        unsafe {
            encoder.copyFromTexture_sourceSlice_sourceLevel_sourceOrigin_sourceSize_toBuffer_destinationOffset_destinationBytesPerRow_destinationBytesPerImage_options(
                &texture.0.raw,
                region.slice as usize,
                region.level as usize,
                origin(region.origin),
                size(region.size),
                &buffer.0.raw,
                bytes(layout.offset),
                bytes(layout.bytes_per_row),
                bytes(layout.bytes_per_image),
                option(texture, aspect),
            );
        }
        self.wrote(buffer);
    }

    fn copy_texture(&mut self, from: &Texture, region: Region, to: &Texture, destination: Region) {
        const CALL: &str = "copyFromTexture:toTexture";
        let Some(encoder) = self.blit(CALL) else { return };
        let right = check::copy_textures((&from.0.is, &region), (&to.0.is, &destination));
        if !self.holds(CALL, right) {
            return;
        }
        // SAFETY: both regions were found to be in their textures.
        unsafe {
            encoder.copyFromTexture_sourceSlice_sourceLevel_sourceOrigin_sourceSize_toTexture_destinationSlice_destinationLevel_destinationOrigin(
                &from.0.raw,
                region.slice as usize,
                region.level as usize,
                origin(region.origin),
                size(region.size),
                &to.0.raw,
                destination.slice as usize,
                destination.level as usize,
                origin(destination.origin),
            );
        }
    }

    fn generate_mipmaps(&mut self, texture: &Texture) {
        const CALL: &str = "generateMipmapsForTexture";
        let Some(encoder) = self.blit(CALL) else { return };
        if self.holds(CALL, check::mipmaps(&texture.0.is, self.facts())) {
            encoder.generateMipmapsForTexture(&texture.0.raw);
        }
    }

    fn copy_buffer_ahead(&mut self, from: &Buffer, from_offset: u64, to: &Buffer, to_offset: u64, size: u64) {
        let places = [(from_offset, from.0.length), (to_offset, to.0.length)];
        let same = Arc::ptr_eq(&from.0, &to.0);
        if !self.holds("copyFromBuffer:toBuffer (ahead)", check::copy_buffers(places, size, same, self.facts())) {
            return;
        }
        pool(|| {
            if let Some(encoder) = self.blit_ahead() {
                // SAFETY: both ranges were found to be in their buffers, and not to overlap.
                unsafe { copy_bytes(encoder, (from, from_offset), (to, to_offset), size) };
            }
        });
        self.wrote(to);
    }

    fn copy_buffer_to_texture_ahead(
        &mut self,
        buffer: &Buffer,
        layout: BufferLayout,
        texture: &Texture,
        region: Region,
        aspect: Aspect,
    ) {
        let rows = Rows { layout, aspect, length: buffer.0.length, written: false };
        if !self.holds("copyFromBuffer:toTexture (ahead)", rows.check(&texture.0.is, &region, self.facts())) {
            return;
        }
        pool(|| {
            if let Some(encoder) = self.blit_ahead() {
                // SAFETY: the rows were found to be in the buffer, and the region in the texture.
                unsafe { copy_texels(encoder, (buffer, layout), (texture, region, aspect)) };
            }
        });
    }
}
