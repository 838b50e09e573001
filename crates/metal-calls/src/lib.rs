//! The calls of Metal that the renderer makes: the seam between it and what executes them.
//!
//! ```text
//!   renderer ──> Device, Queue ──┬─> objc2-metal, on Macs
//!                                ├─> software Metal, in tests: refuses what Apple's validation refuses
//!                                └─> nothing at all, to measure the renderer's own share of a draw
//! ```
//!
//! * [`Device`] makes objects, on any thread. Objects are handles of the other side: clones are the same object, the last one that goes
//!   gives it back. The GPU may use an object for as long as it likes: whoever executes keeps what a command buffer uses.
//! * [`Queue`] is a command queue with one command buffer that is being written. Encoders are modes of it: between
//!   [`Queue::begin_render`] and [`Queue::end_encoding`] the calls of [`Queue`]'s render section may be made, and so on. State does not
//!   carry over from one encoder to the next.
//! * Beside it is another command buffer, which is committed just before it and has copies alone: [`Queue::copy_buffer_ahead`]. What
//!   comes in the middle of a pass goes there, so that the pass needs not be broken for it.
//! * Everything else is plain data: [`descriptors`](crate) as Metal's headers have them, without what we do not use. Names are Metal's in
//!   Rust's spelling; sizes are in texels and bytes, rows from the top left.
//!
//! Calls that encode return nothing, as Metal's do. What is wrong with them is a [`Fault`] that [`Queue::faults`] gives: a software
//! Metal finds what Apple's validation layer would, a Mac tells only of command buffers that failed.
//!
//! Source of limits and abilities: Apple, Metal Feature Set Tables, edition of 2025.
#![forbid(unsafe_code)]

mod archive;
mod command;
mod device;
mod error;
mod format;
pub mod null;
mod pass;
mod pipeline;
mod present;
mod resource;

pub use archive::{Archives, Kept};
pub use command::{
    CullMode, DepthClipMode, DrawCount, FillMode, IndexType, Indices, PrimitiveType, ScissorRect, Stage,
    StencilReferences, Viewport, VisibilityMode, Winding,
};
pub use device::{Facts, Family, Limits};
pub use error::{Error, Fault, Result};
pub use format::{Caps, Class, PixelFormat};
pub use pass::{
    ColorAttachment, DepthAttachment, DepthResolve, LoadAction, RenderPass, StencilAttachment, StoreAction, Subresource,
};
pub use pipeline::{
    Attribute, BlendFactor, BlendOperation, Blending, ColorTarget, CompareFunction, Constant, DepthStencilDescriptor,
    FunctionDescriptor, Layout, RenderPipelineDescriptor, StencilDescriptor, StencilOperation, StepFunction,
    TopologyClass, VertexDescriptor, VertexFormat, WriteMask,
};
pub use present::{LayerDescriptor, Presents};
pub use resource::{
    AddressMode, Aspect, BorderColor, BufferDescriptor, BufferLayout, Filter, MipFilter, Region, SamplerDescriptor,
    StorageMode, Swizzle, TextureDescriptor, TextureType, TextureUsage, TextureView,
};

use std::time::Duration;

/// A handle of an object: clones are the same object.
pub trait Object: Clone + Send + Sync + std::fmt::Debug + 'static {}

impl<T: Clone + Send + Sync + std::fmt::Debug + 'static> Object for T {}

/// `MTLDevice`: makes objects, on any thread. A clone is the same device.
pub trait Device: Object {
    /// `MTLBuffer`.
    type Buffer: Object;
    /// `MTLTexture`, or a view of one.
    type Texture: Object;
    /// `MTLSamplerState`.
    type Sampler: Object;
    /// `MTLFunction`, with its constants.
    type Function: Object;
    /// `MTLRenderPipelineState`.
    type RenderPipeline: Object;
    /// `MTLComputePipelineState`.
    type ComputePipeline: Object;
    /// `MTLDepthStencilState`.
    type DepthStencil: Object;
    /// `MTLCommandQueue`.
    type Queue: Queue<Device = Self>;

    /// What the device is and can do.
    fn facts(&self) -> &Facts;

    /// `newBufferWithLength:options:`. Its bytes are zero.
    ///
    /// # Errors
    /// No memory, or a length that the device does not take.
    fn new_buffer(&self, descriptor: &BufferDescriptor) -> Result<Self::Buffer>;

    /// `MTLBuffer.gpuAddress`; 0 where the device has no addresses.
    fn gpu_address(&self, buffer: &Self::Buffer) -> u64;

    /// Writes to the memory of a buffer that is not private, at once. What lies outside of the buffer is a fault. The GPU must not be
    /// using these bytes.
    ///
    /// # Errors
    /// Outside of the buffer, or a private one.
    fn write(&self, buffer: &Self::Buffer, offset: u64, bytes: &[u8]) -> Result;

    /// Reads from the memory of a buffer that is not private. What the GPU writes is there once its command buffer has completed.
    ///
    /// # Errors
    /// Outside of the buffer, or a private one.
    fn read(&self, buffer: &Self::Buffer, offset: u64, bytes: &mut [u8]) -> Result;

    /// [`Device::write`] of what somebody else has: `fill` gets the place for so many bytes, whatever is in it, and fills all of it.
    ///
    /// # Errors
    /// As [`Device::write`]; then it is not called.
    fn fill(&self, buffer: &Self::Buffer, offset: u64, length: usize, fill: &mut dyn FnMut(&mut [u8])) -> Result {
        let mut bytes = vec![0; length];
        fill(&mut bytes);
        self.write(buffer, offset, &bytes)
    }

    /// `newTextureWithDescriptor:`. What is in it is undefined.
    ///
    /// # Errors
    /// No memory, or a descriptor that Metal refuses.
    fn new_texture(&self, descriptor: &TextureDescriptor) -> Result<Self::Texture>;

    /// `newTextureViewWithPixelFormat:textureType:levels:slices:swizzle:`.
    ///
    /// # Errors
    /// A view that Metal refuses.
    fn new_view(&self, texture: &Self::Texture, view: &TextureView) -> Result<Self::Texture>;

    /// `newSamplerStateWithDescriptor:`.
    ///
    /// # Errors
    /// A descriptor that Metal refuses.
    fn new_sampler(&self, descriptor: &SamplerDescriptor) -> Result<Self::Sampler>;

    /// `newLibraryWithSource:options:error:` with fast math off and invariance preserved, then `newFunctionWithName:constantValues:`.
    ///
    /// # Errors
    /// [`Error::Source`] with the compiler's text; a constant that the function does not have is no error.
    fn new_function(&self, descriptor: &FunctionDescriptor<'_>) -> Result<Self::Function>;

    /// `newRenderPipelineStateWithDescriptor:error:`.
    ///
    /// # Errors
    /// A descriptor that Metal refuses, or functions that do not fit each other or the attachments.
    fn new_render_pipeline(&self, descriptor: &RenderPipelineDescriptor<'_, Self>) -> Result<Self::RenderPipeline>;

    /// `newComputePipelineStateWithFunction:error:`.
    ///
    /// # Errors
    /// More threads in a group than the device has room for.
    fn new_compute_pipeline(&self, function: &Self::Function, label: &str) -> Result<Self::ComputePipeline>;

    /// `newDepthStencilStateWithDescriptor:`.
    ///
    /// # Errors
    /// A descriptor that Metal refuses.
    fn new_depth_stencil(&self, descriptor: &DepthStencilDescriptor) -> Result<Self::DepthStencil>;

    /// `newCommandQueue`.
    ///
    /// # Errors
    /// When there are too many.
    fn new_queue(&self, label: &str) -> Result<Self::Queue>;

    /// Gives an object a name for debuggers and messages: `label`.
    fn label_buffer(&self, buffer: &Self::Buffer, label: &str);

    /// As [`Self::label_buffer`].
    fn label_texture(&self, texture: &Self::Texture, label: &str);
}

/// Numbers of command buffers, from 1 on, in the order of their commits.
pub type Serial = u64;

/// `MTLCommandQueue`, its command buffer that is being written, and the encoder of that.
pub trait Queue: Send + std::fmt::Debug + 'static {
    /// Whose objects it takes.
    type Device: Device<Queue = Self>;

    // Command buffers.

    /// `commit`: what has been encoded since the last one is executed behind it. The number of the command buffer; no encoder may be open.
    fn commit(&mut self) -> Serial;

    /// The last command buffer that has completed, and with it all before; 0 before the first.
    fn completed(&mut self) -> Serial;

    /// Waits for a command buffer, for a while. Whether it has completed.
    fn wait(&mut self, serial: Serial, timeout: Duration) -> bool;

    /// Seconds on the GPU's clock at which a command buffer that has completed began and ended: `GPUStartTime`, `GPUEndTime`. They are
    /// kept for the last 64.
    fn times(&self, serial: Serial) -> Option<(f64, f64)>;

    /// What was wrong since the last call, in order.
    fn faults(&mut self) -> Vec<Fault>;

    /// `pushDebugGroup:` of the encoder that is open, or of the command buffer.
    fn push_debug_group(&mut self, label: &str);

    /// `popDebugGroup`.
    fn pop_debug_group(&mut self);

    /// `endEncoding` of the encoder that is open.
    fn end_encoding(&mut self);

    // Render encoders.

    /// `renderCommandEncoderWithDescriptor:`.
    fn begin_render(&mut self, pass: &RenderPass<'_, Self::Device>);

    /// `setRenderPipelineState:`.
    fn set_render_pipeline(&mut self, pipeline: &<Self::Device as Device>::RenderPipeline);

    /// `setDepthStencilState:`.
    fn set_depth_stencil(&mut self, state: &<Self::Device as Device>::DepthStencil);

    /// `setStencilFrontReferenceValue:backReferenceValue:`.
    fn set_stencil_references(&mut self, references: StencilReferences);

    /// `setViewport:`.
    fn set_viewport(&mut self, viewport: Viewport);

    /// `setViewports:count:`, 1 to [`Limits::viewports`]: that of a primitive is its `[[viewport_array_index]]`.
    fn set_viewports(&mut self, viewports: &[Viewport]);

    /// `setScissorRect:`. It must lie inside of the pass and have texels.
    fn set_scissor(&mut self, rect: ScissorRect);

    /// `setScissorRects:count:`, one for each viewport.
    fn set_scissors(&mut self, rects: &[ScissorRect]);

    /// `setCullMode:`.
    fn set_cull_mode(&mut self, mode: CullMode);

    /// `setFrontFacingWinding:`.
    fn set_winding(&mut self, winding: Winding);

    /// `setTriangleFillMode:`.
    fn set_fill_mode(&mut self, mode: FillMode);

    /// `setDepthBias:slopeScale:clamp:`.
    fn set_depth_bias(&mut self, bias: f32, slope_scale: f32, clamp: f32);

    /// `setDepthClipMode:`.
    fn set_depth_clip(&mut self, mode: DepthClipMode);

    /// `setDepthTestMinBound:maxBound:`, 0 to 1 and in order: drops samples where the stored depth is not within. 0 and 1 are no test;
    /// others need [`Facts::depth_bounds`].
    fn set_depth_bounds(&mut self, bounds: [f32; 2]);

    /// `setBlendColorRed:green:blue:alpha:`.
    fn set_blend_color(&mut self, color: [f32; 4]);

    /// `setVisibilityResultMode:offset:`. An offset, in bytes, counts once in a pass.
    fn set_visibility(&mut self, mode: VisibilityMode, offset: u64);

    /// `drawPrimitives:vertexStart:vertexCount:instanceCount:baseInstance:`.
    fn draw(&mut self, primitive: PrimitiveType, count: DrawCount);

    /// `drawIndexedPrimitives:indexCount:indexType:indexBuffer:indexBufferOffset:instanceCount:baseVertex:baseInstance:`; of the count,
    /// [`DrawCount::first`] is the base vertex.
    fn draw_indexed(&mut self, primitive: PrimitiveType, count: DrawCount, indices: Indices<'_, Self::Device>);

    /// `drawPrimitives:indirectBuffer:indirectBufferOffset:`: vertexCount, instanceCount, vertexStart, baseInstance, u32 each.
    fn draw_indirect(&mut self, primitive: PrimitiveType, arguments: &<Self::Device as Device>::Buffer, offset: u64);

    /// `drawIndexedPrimitives:…indirectBuffer:indirectBufferOffset:`: indexCount, instanceCount, indexStart, baseVertex (signed),
    /// baseInstance, 32 bits each.
    fn draw_indexed_indirect(
        &mut self,
        primitive: PrimitiveType,
        indices: Indices<'_, Self::Device>,
        arguments: &<Self::Device as Device>::Buffer,
        offset: u64,
    );

    // Render and compute encoders.

    /// `set*Buffer:offset:atIndex:`. A stage's vertex buffers are in the same table.
    fn set_buffer(&mut self, stage: Stage, index: u32, buffer: &<Self::Device as Device>::Buffer, offset: u64);

    /// `set*BufferOffset:atIndex:` of the buffer that is there.
    fn set_buffer_offset(&mut self, stage: Stage, index: u32, offset: u64);

    /// `set*Bytes:length:atIndex:`, 1 to 4096 bytes.
    fn set_bytes(&mut self, stage: Stage, index: u32, bytes: &[u8]);

    /// `set*Texture:atIndex:`.
    fn set_texture(&mut self, stage: Stage, index: u32, texture: &<Self::Device as Device>::Texture);

    /// `set*SamplerState:atIndex:`.
    fn set_sampler(&mut self, stage: Stage, index: u32, sampler: &<Self::Device as Device>::Sampler);

    /// `useResource:usage:stages:` of a buffer that shaders reach by its address, for reading and, if so, writing.
    fn use_buffer(&mut self, stage: Stage, buffer: &<Self::Device as Device>::Buffer, write: bool);

    // Compute encoders.

    /// `computeCommandEncoder`, serial.
    fn begin_compute(&mut self, label: &str);

    /// `setComputePipelineState:`.
    fn set_compute_pipeline(&mut self, pipeline: &<Self::Device as Device>::ComputePipeline);

    /// `dispatchThreadgroups:threadsPerThreadgroup:`.
    fn dispatch(&mut self, groups: [u32; 3], threads: [u32; 3]);

    /// `dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:`: three u32.
    fn dispatch_indirect(&mut self, arguments: &<Self::Device as Device>::Buffer, offset: u64, threads: [u32; 3]);

    // Blit encoders.

    /// `blitCommandEncoder`.
    fn begin_blit(&mut self, label: &str);

    /// `copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:`.
    fn copy_buffer(
        &mut self,
        from: &<Self::Device as Device>::Buffer,
        from_offset: u64,
        to: &<Self::Device as Device>::Buffer,
        to_offset: u64,
        size: u64,
    );

    /// `fillBuffer:range:value:`.
    fn fill_buffer(&mut self, buffer: &<Self::Device as Device>::Buffer, offset: u64, size: u64, value: u8);

    /// `copyFromBuffer:…toTexture:…options:`.
    fn copy_buffer_to_texture(
        &mut self,
        buffer: &<Self::Device as Device>::Buffer,
        layout: BufferLayout,
        texture: &<Self::Device as Device>::Texture,
        region: Region,
        aspect: Aspect,
    );

    /// `copyFromTexture:…toBuffer:…options:`.
    fn copy_texture_to_buffer(
        &mut self,
        texture: &<Self::Device as Device>::Texture,
        region: Region,
        aspect: Aspect,
        buffer: &<Self::Device as Device>::Buffer,
        layout: BufferLayout,
    );

    /// `copyFromTexture:…toTexture:…destinationOrigin:`: both of a size, a format and a number of samples; of the destination's region
    /// the size does not count.
    fn copy_texture(
        &mut self,
        from: &<Self::Device as Device>::Texture,
        region: Region,
        to: &<Self::Device as Device>::Texture,
        destination: Region,
    );

    /// `generateMipmapsForTexture:`.
    fn generate_mipmaps(&mut self, texture: &<Self::Device as Device>::Texture);

    // Ahead: blits of a command buffer of their own, which is committed with the one that is being written, before it. Any encoder may be
    // open, or none. What is copied to may not have been used in the command buffer that is being written, nor what is copied from been
    // written in it: that would be another order than that of the calls.

    /// [`Queue::copy_buffer`], ahead.
    fn copy_buffer_ahead(
        &mut self,
        from: &<Self::Device as Device>::Buffer,
        from_offset: u64,
        to: &<Self::Device as Device>::Buffer,
        to_offset: u64,
        size: u64,
    );

    /// [`Queue::copy_buffer_to_texture`], ahead.
    fn copy_buffer_to_texture_ahead(
        &mut self,
        buffer: &<Self::Device as Device>::Buffer,
        layout: BufferLayout,
        texture: &<Self::Device as Device>::Texture,
        region: Region,
        aspect: Aspect,
    );
}
