//! A device that does nothing but count, so that what a renderer itself takes can be measured.
//!
//! Objects are empty, command buffers complete when they are committed, and nothing is wrong with anything. What is read from a buffer is zero.
//!
//! ```
//! use afterimage_metal_calls::null::{self, Counts};
//! use afterimage_metal_calls::{
//!     BufferDescriptor, Device as _, DrawCount, Family, PrimitiveType, Queue as _, RenderPass, Stage, StorageMode,
//! };
//!
//! # fn main() -> afterimage_metal_calls::Result {
//! let device = null::Device::new(Family::Apple7);
//! let descriptor = BufferDescriptor { length: 256, storage: StorageMode::Shared, label: "constants".into() };
//! let constants = device.new_buffer(&descriptor)?;
//! device.write(&constants, 0, &[0; 64])?;
//!
//! let mut queue = device.new_queue("draws")?;
//! queue.begin_render(&RenderPass {
//!     label: "a pass",
//!     colors: &[],
//!     depth: None,
//!     stencil: None,
//!     layers: 0,
//!     without_attachments: Some([640, 480, 1]),
//!     visibility: None,
//! });
//! queue.set_buffer(Stage::Vertex, 0, &constants, 0);
//! queue.draw(PrimitiveType::Triangle, DrawCount { first: 0, count: 3, instances: 1, base_instance: 0 });
//! queue.end_encoding();
//! let serial = queue.commit();
//!
//! assert_eq!(queue.completed(), serial);
//! assert_eq!(queue.counts(), Counts { encoders: 1, passes: 1, sets: 1, draws: 1, commits: 1, ..Counts::default() });
//! assert_eq!((device.objects(), device.written()), (2, 64));
//! # Ok(())
//! # }
//! ```

use crate::{
    Aspect, BufferDescriptor, BufferLayout, CullMode, DepthClipMode, DepthStencilDescriptor, DrawCount, Error, Facts,
    Family, Fault, FillMode, FunctionDescriptor, Indices, LayerDescriptor, Presents, PrimitiveType, Region, RenderPass,
    RenderPipelineDescriptor, Result, SamplerDescriptor, ScissorRect, Serial, Stage, StencilReferences,
    TextureDescriptor, TextureView, Viewport, VisibilityMode, Winding,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How many calls of a kind a queue got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Encoders that were begun.
    pub encoders: u64,
    /// Calls that set a state, a pipeline, or an entry of a table, or say what is used.
    pub sets: u64,
    /// Draws.
    pub draws: u64,
    /// Dispatches.
    pub dispatches: u64,
    /// Of them, passes.
    pub passes: u64,
    /// Copies, fills and mipmaps.
    pub copies: u64,
    /// Copies ahead.
    pub ahead: u64,
    /// Command buffers.
    pub commits: u64,
    /// Pictures that were shown.
    pub presents: u64,
}

/// A buffer: its length and address.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    length: u64,
    address: u64,
}

/// A texture.
#[derive(Clone, Copy, Debug)]
pub struct Texture;

/// Any other object.
#[derive(Clone, Copy, Debug)]
pub struct Empty;

/// A device that does nothing.
#[derive(Clone, Debug)]
pub struct Device(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    facts: Facts,
    objects: AtomicU64,
    written: AtomicU64,
    address: AtomicU64,
    /// See [`Device::refuse_every`].
    refused: AtomicU64,
}

/// Where the first buffer lies: an address that is no small number.
const FIRST: u64 = 1 << 32;
/// What addresses are multiples of.
const STEP: u64 = 256;

impl Device {
    /// A device that says of itself what the best of a family would.
    #[must_use]
    pub fn new(family: Family) -> Self {
        let apple = family.is_apple();
        let facts = Facts {
            name: format!("nothing, as {family:?}"),
            family,
            limits: family.limits(),
            max_buffer: 1 << 34,
            working_set: 1 << 34,
            unified_memory: apple,
            samples: if apple { 0b111 } else { 0b1111 },
            float32_filtering: true,
            msaa32: true,
            bc: true,
            depth24: !apple,
            addresses: true,
            // Later families than Apple9 have them, which it stands for.
            depth_bounds: family == Family::Apple9,
            language: 320,
        };
        Self(Arc::new(Parts {
            facts,
            objects: AtomicU64::new(0),
            written: AtomicU64::new(0),
            address: AtomicU64::new(FIRST),
            refused: AtomicU64::new(0),
        }))
    }

    /// From here on there is no memory for every so many-th buffer, texture, view and sampler; 0 is none of them.
    pub fn refuse_every(&self, objects: u64) {
        self.0.refused.store(objects, Ordering::Relaxed);
    }

    /// One more object, where there is memory for it.
    fn given<T>(&self, object: T) -> Result<T> {
        let every = self.0.refused.load(Ordering::Relaxed);
        let number = self.objects() + 1;
        let given = self.made(object)?;
        if every > 0 && number.is_multiple_of(every) {
            return Err(Error::OutOfMemory { what: format!("object {number}") });
        }
        Ok(given)
    }

    /// How many objects were made, queues and views among them.
    #[must_use]
    pub fn objects(&self) -> u64 {
        self.0.objects.load(Ordering::Relaxed)
    }

    /// How many bytes were written to buffers.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.0.written.load(Ordering::Relaxed)
    }

    /// Fills bytes, and writes them.
    #[inline(always)]
    fn filled(&self, buffer: &Buffer, offset: u64, bytes: &mut [u8], fill: &mut dyn FnMut(&mut [u8])) -> Result {
        fill(bytes);
        crate::Device::write(self, buffer, offset, bytes)
    }

    /// One more object.
    fn made<T>(&self, object: T) -> Result<T> {
        self.0.objects.fetch_add(1, Ordering::Relaxed);
        Ok(object)
    }
}

/// Whether so many bytes are in a buffer.
fn inside(buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result {
    let end = offset.checked_add(bytes.len() as u64);
    if end.is_some_and(|end| end <= buffer.length) {
        return Ok(());
    }
    let fault = format!("{} bytes from {offset} on of {}", bytes.len(), buffer.length);
    Err(Error::Refused { what: "contents", faults: vec![fault] })
}

impl crate::Device for Device {
    type Buffer = Buffer;
    type Texture = Texture;
    type Sampler = Empty;
    type Function = Empty;
    type RenderPipeline = Empty;
    type ComputePipeline = Empty;
    type DepthStencil = Empty;
    type Queue = Queue;

    fn facts(&self) -> &Facts {
        &self.0.facts
    }

    fn new_buffer(&self, descriptor: &BufferDescriptor) -> Result<Buffer> {
        let length = descriptor.length;
        let Some(room) = length.checked_next_multiple_of(STEP).filter(|_| length <= self.0.facts.max_buffer) else {
            return Err(Error::OutOfMemory { what: format!("buffer {}", descriptor.label) });
        };
        let address = self.0.address.fetch_add(room, Ordering::Relaxed);
        self.given(Buffer { length, address })
    }

    fn gpu_address(&self, buffer: &Buffer) -> u64 {
        buffer.address
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result {
        inside(buffer, offset, bytes)?;
        self.0.written.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    fn read(&self, buffer: &Buffer, offset: u64, bytes: &mut [u8]) -> Result {
        inside(buffer, offset, bytes)?;
        bytes.fill(0);
        Ok(())
    }

    fn fill(&self, buffer: &Buffer, offset: u64, length: usize, fill: &mut dyn FnMut(&mut [u8])) -> Result {
        // Room for it takes time that no device does: little for what is small, where most fit.
        match length {
            0..=128 => self.filled(buffer, offset, &mut [0; 128][..length], fill),
            129..=512 => self.filled(buffer, offset, &mut [0; 512][..length], fill),
            _ => self.filled(buffer, offset, &mut vec![0; length], fill),
        }
    }

    fn new_texture(&self, _: &TextureDescriptor) -> Result<Texture> {
        self.given(Texture)
    }

    fn new_view(&self, _: &Texture, _: &TextureView) -> Result<Texture> {
        self.given(Texture)
    }

    fn new_sampler(&self, _: &SamplerDescriptor) -> Result<Empty> {
        self.given(Empty)
    }

    fn new_function(&self, _: &FunctionDescriptor<'_>) -> Result<Empty> {
        self.made(Empty)
    }

    fn new_render_pipeline(&self, _: &RenderPipelineDescriptor<'_, Self>) -> Result<Empty> {
        self.made(Empty)
    }

    fn new_compute_pipeline(&self, _: &Empty, _: &str) -> Result<Empty> {
        self.made(Empty)
    }

    fn new_depth_stencil(&self, _: &DepthStencilDescriptor) -> Result<Empty> {
        self.made(Empty)
    }

    fn new_queue(&self, _: &str) -> Result<Queue> {
        self.made(Queue { counts: Counts::default() })
    }

    fn label_buffer(&self, _: &Buffer, _: &str) {}

    fn label_texture(&self, _: &Texture, _: &str) {}
}

/// A queue that does nothing but count.
#[derive(Debug)]
pub struct Queue {
    counts: Counts,
}

impl Queue {
    /// What it has counted.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        self.counts
    }
}

impl crate::Queue for Queue {
    type Device = Device;

    fn commit(&mut self) -> Serial {
        self.counts.commits += 1;
        self.counts.commits
    }

    fn completed(&mut self) -> Serial {
        self.counts.commits
    }

    fn wait(&mut self, serial: Serial, _: Duration) -> bool {
        serial <= self.counts.commits
    }

    fn times(&self, serial: Serial) -> Option<(f64, f64)> {
        (1..=self.counts.commits).contains(&serial).then_some((0.0, 0.0))
    }

    fn faults(&mut self) -> Vec<Fault> {
        Vec::new()
    }

    fn push_debug_group(&mut self, _: &str) {}

    fn pop_debug_group(&mut self) {}

    fn end_encoding(&mut self) {}

    fn begin_render(&mut self, _: &RenderPass<'_, Device>) {
        self.counts.encoders += 1;
        self.counts.passes += 1;
    }

    fn set_render_pipeline(&mut self, _: &Empty) {
        self.counts.sets += 1;
    }

    fn set_depth_stencil(&mut self, _: &Empty) {
        self.counts.sets += 1;
    }

    fn set_stencil_references(&mut self, _: StencilReferences) {
        self.counts.sets += 1;
    }

    fn set_viewport(&mut self, _: Viewport) {
        self.counts.sets += 1;
    }

    fn set_viewports(&mut self, _: &[Viewport]) {
        self.counts.sets += 1;
    }

    fn set_scissor(&mut self, _: ScissorRect) {
        self.counts.sets += 1;
    }

    fn set_scissors(&mut self, _: &[ScissorRect]) {
        self.counts.sets += 1;
    }

    fn set_cull_mode(&mut self, _: CullMode) {
        self.counts.sets += 1;
    }

    fn set_winding(&mut self, _: Winding) {
        self.counts.sets += 1;
    }

    fn set_fill_mode(&mut self, _: FillMode) {
        self.counts.sets += 1;
    }

    fn set_depth_bias(&mut self, _: f32, _: f32, _: f32) {
        self.counts.sets += 1;
    }

    fn set_depth_clip(&mut self, _: DepthClipMode) {
        self.counts.sets += 1;
    }

    fn set_depth_bounds(&mut self, _: [f32; 2]) {
        self.counts.sets += 1;
    }

    fn set_blend_color(&mut self, _: [f32; 4]) {
        self.counts.sets += 1;
    }

    fn set_visibility(&mut self, _: VisibilityMode, _: u64) {
        self.counts.sets += 1;
    }

    fn draw(&mut self, _: PrimitiveType, _: DrawCount) {
        self.counts.draws += 1;
    }

    fn draw_indexed(&mut self, _: PrimitiveType, _: DrawCount, _: Indices<'_, Device>) {
        self.counts.draws += 1;
    }

    fn draw_indirect(&mut self, _: PrimitiveType, _: &Buffer, _: u64) {
        self.counts.draws += 1;
    }

    fn draw_indexed_indirect(&mut self, _: PrimitiveType, _: Indices<'_, Device>, _: &Buffer, _: u64) {
        self.counts.draws += 1;
    }

    fn set_buffer(&mut self, _: Stage, _: u32, _: &Buffer, _: u64) {
        self.counts.sets += 1;
    }

    fn set_buffer_offset(&mut self, _: Stage, _: u32, _: u64) {
        self.counts.sets += 1;
    }

    fn set_bytes(&mut self, _: Stage, _: u32, _: &[u8]) {
        self.counts.sets += 1;
    }

    fn set_texture(&mut self, _: Stage, _: u32, _: &Texture) {
        self.counts.sets += 1;
    }

    fn set_sampler(&mut self, _: Stage, _: u32, _: &Empty) {
        self.counts.sets += 1;
    }

    fn use_buffer(&mut self, _: Stage, _: &Buffer, _: bool) {
        self.counts.sets += 1;
    }

    fn begin_compute(&mut self, _: &str) {
        self.counts.encoders += 1;
    }

    fn set_compute_pipeline(&mut self, _: &Empty) {
        self.counts.sets += 1;
    }

    fn dispatch(&mut self, _: [u32; 3], _: [u32; 3]) {
        self.counts.dispatches += 1;
    }

    fn dispatch_indirect(&mut self, _: &Buffer, _: u64, _: [u32; 3]) {
        self.counts.dispatches += 1;
    }

    fn begin_blit(&mut self, _: &str) {
        self.counts.encoders += 1;
    }

    fn copy_buffer(&mut self, _: &Buffer, _: u64, _: &Buffer, _: u64, _: u64) {
        self.counts.copies += 1;
    }

    fn fill_buffer(&mut self, _: &Buffer, _: u64, _: u64, _: u8) {
        self.counts.copies += 1;
    }

    fn copy_buffer_to_texture(&mut self, _: &Buffer, _: BufferLayout, _: &Texture, _: Region, _: Aspect) {
        self.counts.copies += 1;
    }

    fn copy_texture_to_buffer(&mut self, _: &Texture, _: Region, _: Aspect, _: &Buffer, _: BufferLayout) {
        self.counts.copies += 1;
    }

    fn copy_texture(&mut self, _: &Texture, _: Region, _: &Texture, _: Region) {
        self.counts.copies += 1;
    }

    fn generate_mipmaps(&mut self, _: &Texture) {
        self.counts.copies += 1;
    }

    fn copy_buffer_ahead(&mut self, _: &Buffer, _: u64, _: &Buffer, _: u64, _: u64) {
        self.counts.ahead += 1;
    }

    fn copy_buffer_to_texture_ahead(&mut self, _: &Buffer, _: BufferLayout, _: &Texture, _: Region, _: Aspect) {
        self.counts.ahead += 1;
    }
}

impl Presents for Queue {
    type Layer = Empty;
    type Drawable = Empty;

    fn configure(&mut self, _: &Empty, _: &LayerDescriptor) -> Result {
        Ok(())
    }

    fn next_drawable(&mut self, _: &Empty) -> Option<Empty> {
        Some(Empty)
    }

    fn drawable_texture(_: &Empty) -> Texture {
        Texture
    }

    fn present(&mut self, _: Empty) {
        self.counts.presents += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device as _, StorageMode};

    #[test]
    fn buffers_lie_apart_and_have_ends() {
        let device = Device::new(Family::Apple7);
        let of = |length| {
            device.new_buffer(&BufferDescriptor { length, storage: StorageMode::Shared, label: String::new() })
        };
        let (one, other) = (of(1).unwrap(), of(300).unwrap());
        assert_eq!((device.gpu_address(&one), device.gpu_address(&other)), (FIRST, FIRST + STEP));
        assert_eq!(device.gpu_address(&of(1).unwrap()), FIRST + 3 * STEP);
        device.refuse_every(3);
        let made = [1; 6].map(|length| of(length).is_ok());
        assert_eq!(made.iter().filter(|made| **made).count(), 4);
        device.refuse_every(0);
        assert!(of(u64::MAX).is_err());
        let mut bytes = [1; 4];
        assert_eq!(device.read(&other, 296, &mut bytes), Ok(()));
        assert_eq!(bytes, [0; 4]);
        assert!(device.read(&other, 297, &mut bytes).is_err() && device.write(&other, u64::MAX, &bytes).is_err());
    }
}
