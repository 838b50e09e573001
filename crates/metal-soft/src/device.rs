//! The device: makes objects.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use afterimage_metal_calls::{
    BufferDescriptor, DepthStencilDescriptor, Device, Error, Facts, Family, FunctionDescriptor,
    RenderPipelineDescriptor, Result, SamplerDescriptor, StorageMode, TextureDescriptor, TextureView,
};

use crate::checks;
use crate::compile::compile;
use crate::memory::{Memory, Turn};
use crate::mishaps::{Fate, Mishaps};
use crate::objects::{
    Bytes, RenderState, SoftBuffer, SoftComputePipeline, SoftDepthStencil, SoftFunction, SoftRenderPipeline,
    SoftSampler,
};
use crate::queue::SoftQueue;
use crate::sampler::Sampler;
use crate::texture::{SoftTexture, Texels};

/// Bytes of a buffer or texture at most: enough for a test, and no more than a machine has.
const MOST_BYTES: u64 = 1 << 30;

#[derive(Debug)]
struct Inner {
    facts: Facts,
    steps: u64,
    fate: Fate,
    /// What was compiled before.
    compiled: Option<PathBuf>,
}

/// `MTLDevice` in software.
///
/// ```
/// use afterimage_metal_calls::{BufferDescriptor, Device, Family, StorageMode};
/// let device = afterimage_metal_soft::SoftDevice::new(Family::Apple7);
/// let storage = StorageMode::Shared;
/// let buffer = device.new_buffer(&BufferDescriptor { length: 4, storage, label: "four".into() }).unwrap();
/// device.write(&buffer, 0, &[1, 2, 3, 4]).unwrap();
/// assert!(device.new_buffer(&BufferDescriptor { length: 0, storage, label: "none".into() }).is_err());
/// ```
#[derive(Clone, Debug)]
pub struct SoftDevice(Arc<Inner>);

impl SoftDevice {
    /// A device as Macs of this family have it.
    #[must_use]
    pub fn new(family: Family) -> Self {
        let apple = family.is_apple();
        Self::with_facts(Facts {
            name: format!("software Metal ({family:?})"),
            family,
            limits: family.limits(),
            max_buffer: MOST_BYTES,
            working_set: 4 * MOST_BYTES,
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
        })
    }

    /// A device with these facts, which should be those of some Mac.
    #[must_use]
    pub fn with_facts(facts: Facts) -> Self {
        Self::fated(facts, 1 << 32, Mishaps::default(), None)
    }

    /// Ends shaders of a command buffer that run so many blocks of code, all invocations together: a timeout. 2^32 unless said.
    #[must_use]
    pub fn with_steps(self, steps: u64) -> Self {
        Self::fated(self.0.facts.clone(), steps, self.0.fate.mishaps().clone(), self.0.compiled.clone())
    }

    /// Lets things go wrong. What was made of the device before is of another.
    #[must_use]
    pub fn with_mishaps(self, mishaps: Mishaps) -> Self {
        Self::fated(self.0.facts.clone(), self.0.steps, mishaps, self.0.compiled.clone())
    }

    /// Buffers and textures that were asked for: [`Mishaps::no_memory`] has their numbers.
    #[must_use]
    pub fn memory_asked(&self) -> u64 {
        self.0.fate.counts()[0]
    }

    /// Calls that [`Mishaps::lost_after`] counts.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.0.fate.counts()[1]
    }

    /// A buffer, whatever goes wrong on purpose.
    pub(crate) fn buffer(&self, descriptor: &BufferDescriptor) -> Result<SoftBuffer> {
        refused("newBufferWithLength:options:", checks::buffer(&self.0.facts, descriptor))?;
        let out_of_memory = || Error::OutOfMemory { what: descriptor.label.clone() };
        let memory = Arc::new(Memory::new(descriptor.length).ok_or_else(out_of_memory)?);
        let label = Mutex::new(descriptor.label.clone());
        Ok(SoftBuffer(Arc::new(Bytes { memory, descriptor: descriptor.clone(), label })))
    }

    /// Keeps what clang makes in a folder of the user's own, which later processes look into: what lies there is loaded. What was made of the
    /// device before is of another.
    #[must_use]
    pub fn with_compiled(self, folder: PathBuf) -> Self {
        Self::fated(self.0.facts.clone(), self.0.steps, self.0.fate.mishaps().clone(), Some(folder))
    }

    fn fated(facts: Facts, steps: u64, mishaps: Mishaps, compiled: Option<PathBuf>) -> Self {
        Self(Arc::new(Inner { facts, steps, fate: Fate::new(mishaps), compiled }))
    }

    pub(crate) fn fate(&self) -> &Fate {
        &self.0.fate
    }

    pub(crate) fn steps(&self) -> u64 {
        self.0.steps
    }
}

/// The faults of a call that makes something.
fn refused(what: &'static str, faults: Vec<String>) -> Result {
    if faults.is_empty() { Ok(()) } else { Err(Error::Refused { what, faults }) }
}

impl Device for SoftDevice {
    type Buffer = SoftBuffer;
    type Texture = SoftTexture;
    type Sampler = SoftSampler;
    type Function = SoftFunction;
    type RenderPipeline = SoftRenderPipeline;
    type ComputePipeline = SoftComputePipeline;
    type DepthStencil = SoftDepthStencil;
    type Queue = SoftQueue;

    fn facts(&self) -> &Facts {
        &self.0.facts
    }

    fn new_buffer(&self, descriptor: &BufferDescriptor) -> Result<SoftBuffer> {
        self.0.fate.memory(&descriptor.label)?;
        self.buffer(descriptor)
    }

    fn gpu_address(&self, buffer: &SoftBuffer) -> u64 {
        if self.0.facts.addresses { buffer.0.memory.address() } else { 0 }
    }

    fn write(&self, buffer: &SoftBuffer, offset: u64, bytes: &[u8]) -> Result {
        refused("contents", checks::contents(buffer, offset, bytes.len()))?;
        buffer.0.memory.write(&Turn::take(), offset, bytes);
        Ok(())
    }

    fn read(&self, buffer: &SoftBuffer, offset: u64, bytes: &mut [u8]) -> Result {
        refused("contents", checks::contents(buffer, offset, bytes.len()))?;
        buffer.0.memory.read(&Turn::take(), offset, bytes);
        Ok(())
    }

    fn new_texture(&self, descriptor: &TextureDescriptor) -> Result<SoftTexture> {
        self.0.fate.memory(&descriptor.label)?;
        refused("newTextureWithDescriptor:", checks::texture(&self.0.facts, descriptor))?;
        let out_of_memory = || Error::OutOfMemory { what: descriptor.label.clone() };
        let texels: u64 = descriptor.size.iter().map(|&s| u64::from(s)).product();
        let bytes = texels * u64::from(descriptor.format.bytes() * descriptor.samples * descriptor.layers);
        let block = u64::from(descriptor.format.block());
        if bytes / (block * block) > MOST_BYTES {
            return Err(out_of_memory());
        }
        Ok(SoftTexture::whole(Texels::new(descriptor).ok_or_else(out_of_memory)?))
    }

    fn new_view(&self, texture: &SoftTexture, view: &TextureView) -> Result<SoftTexture> {
        self.0.fate.call("a view")?;
        let what = "newTextureViewWithPixelFormat:textureType:levels:slices:swizzle:";
        refused(what, checks::view(&self.0.facts, texture, view))?;
        let mut view = *view;
        // Of the texture, whatever this one is of it.
        view.levels[0] += texture.view.levels[0];
        view.slices[0] += texture.view.slices[0];
        Ok(SoftTexture { texels: Arc::clone(&texture.texels), view })
    }

    fn new_sampler(&self, descriptor: &SamplerDescriptor) -> Result<SoftSampler> {
        self.0.fate.call("a sampler")?;
        refused("newSamplerStateWithDescriptor:", checks::sampler(&self.0.facts, descriptor))?;
        Ok(SoftSampler(Arc::new(Sampler { of: *descriptor, pixels: false })))
    }

    fn new_function(&self, descriptor: &FunctionDescriptor<'_>) -> Result<SoftFunction> {
        self.0.fate.call(descriptor.label)?;
        let compiled = compile(descriptor, self.0.facts.language, self.0.compiled.as_deref())?;
        let faults = checks::function(&self.0.facts, &compiled.interface);
        if !faults.is_empty() {
            return Err(Error::Source { what: descriptor.label.to_owned(), text: faults.join("; ") });
        }
        Ok(SoftFunction { compiled, label: descriptor.label.into() })
    }

    fn new_render_pipeline(&self, descriptor: &RenderPipelineDescriptor<'_, Self>) -> Result<SoftRenderPipeline> {
        self.0.fate.call(descriptor.label)?;
        let (links, faults) = checks::render_pipeline(&self.0.facts, descriptor);
        refused("newRenderPipelineStateWithDescriptor:error:", faults)?;
        Ok(SoftRenderPipeline(Arc::new(RenderState {
            label: descriptor.label.to_owned(),
            vertex: descriptor.vertex.clone(),
            fragment: descriptor.fragment.cloned(),
            input: descriptor.input.clone(),
            links,
            colors: descriptor.colors.to_vec(),
            depth: descriptor.depth,
            stencil: descriptor.stencil,
            samples: descriptor.samples,
            alpha_to_coverage: descriptor.alpha_to_coverage,
            alpha_to_one: descriptor.alpha_to_one,
            rasterization: descriptor.rasterization,
            topology: descriptor.topology,
        })))
    }

    fn new_compute_pipeline(&self, function: &SoftFunction, label: &str) -> Result<SoftComputePipeline> {
        self.0.fate.call(label)?;
        let faults = checks::compute_pipeline(&self.0.facts, function);
        refused("newComputePipelineStateWithFunction:error:", faults)?;
        Ok(SoftComputePipeline { function: function.clone(), label: label.into() })
    }

    fn new_depth_stencil(&self, descriptor: &DepthStencilDescriptor) -> Result<SoftDepthStencil> {
        self.0.fate.call("depth and stencil")?;
        Ok(SoftDepthStencil(Arc::new(*descriptor)))
    }

    fn new_queue(&self, _label: &str) -> Result<SoftQueue> {
        self.0.fate.call("a queue")?;
        Ok(SoftQueue::new(self.clone()))
    }

    fn label_buffer(&self, buffer: &SoftBuffer, label: &str) {
        *buffer.0.label.lock().unwrap_or_else(PoisonError::into_inner) = label.to_owned();
    }

    fn label_texture(&self, texture: &SoftTexture, label: &str) {
        *texture.texels.label.lock().unwrap_or_else(PoisonError::into_inner) = label.to_owned();
    }
}

/// Who reaches memory is looked at where it is made.
pub(crate) const fn is_memoryless(storage: StorageMode) -> bool {
    matches!(storage, StorageMode::Memoryless)
}
