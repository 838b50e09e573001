//! `MTLDevice`.

use crate::convert::{ToMetal as _, bytes, range, text};
use crate::objects::{
    Buffer, ComputePipeline, DepthStencil, Device, DeviceParts, Function, RenderPipeline, Sampler, Texture,
};
use crate::refuse::{no_memory, refused};
use crate::{Queue, check, facts, pipelines, pool};
use afterimage_metal_calls::{
    AddressMode, BufferDescriptor, DepthStencilDescriptor, Facts, FunctionDescriptor, RenderPipelineDescriptor, Result,
    SamplerDescriptor, StorageMode, TextureDescriptor, TextureView,
};
use objc2::rc::Retained;
use objc2::runtime::ProtocolObject;
use objc2_metal::{
    MTLBuffer as _, MTLCopyAllDevices, MTLCreateSystemDefaultDevice, MTLDevice, MTLResource as _, MTLResourceOptions,
    MTLSamplerDescriptor, MTLStorageMode, MTLTexture as _, MTLTextureDescriptor,
};
use std::sync::Arc;

// Metal finds the system's own device only where Core Graphics is loaded. Source: Apple, `MTLCreateSystemDefaultDevice`.
#[link(name = "CoreGraphics", kind = "framework")]
unsafe extern "C" {}

impl Device {
    /// The device of a name, of a part of one (of any case), or of a `registryID`; without a choice the system's own.
    ///
    /// # Errors
    /// There is no such device, or it is too old.
    pub fn choose(choice: Option<&str>) -> Result<Self> {
        pool(|| {
            let Some(choice) = choice else {
                let raw = MTLCreateSystemDefaultDevice()
                    .ok_or_else(|| refused("MTLCreateSystemDefaultDevice", "there is no device of Metal"))?;
                return Self::of(raw);
            };
            let all = MTLCopyAllDevices().to_vec();
            let (wanted, number) = (choice.to_lowercase(), choice.parse().ok());
            let found = all.iter().find(|raw| {
                Some(raw.registryID()) == number || raw.name().to_string().to_lowercase().contains(&wanted)
            });
            let Some(raw) = found else {
                let names: Vec<String> = all.iter().map(|raw| raw.name().to_string()).collect();
                return Err(refused("MTLCopyAllDevices", format!("no {choice}; there is {}", names.join(", "))));
            };
            Self::of(raw.clone())
        })
    }

    /// Every device that is not too old.
    #[must_use]
    pub fn all() -> Vec<Self> {
        pool(|| MTLCopyAllDevices().to_vec().into_iter().filter_map(|raw| Self::of(raw).ok()).collect())
    }

    /// `registryID`: the device's number for as long as the Mac runs, which other programs know it by.
    #[must_use]
    pub fn registry_id(&self) -> u64 {
        self.0.raw.registryID()
    }

    fn of(raw: Retained<ProtocolObject<dyn MTLDevice>>) -> Result<Self> {
        let facts = facts::ask(&raw)?;
        Ok(Self(Arc::new(DeviceParts { raw, facts })))
    }

    /// Where memory is that both reach.
    fn shared(&self) -> MTLStorageMode {
        if self.0.facts.unified_memory { MTLStorageMode::Shared } else { MTLStorageMode::Managed }
    }
}

impl afterimage_metal_calls::Device for Device {
    type Buffer = Buffer;
    type Texture = Texture;
    type Sampler = Sampler;
    type Function = Function;
    type RenderPipeline = RenderPipeline;
    type ComputePipeline = ComputePipeline;
    type DepthStencil = DepthStencil;
    type Queue = Queue;

    fn facts(&self) -> &Facts {
        &self.0.facts
    }

    fn new_buffer(&self, descriptor: &BufferDescriptor) -> Result<Buffer> {
        let facts = &self.0.facts;
        check::buffer(descriptor, facts)?;
        let private = descriptor.storage == StorageMode::Private;
        let options = match self.shared() {
            _ if private => MTLResourceOptions::StorageModePrivate,
            MTLStorageMode::Managed => MTLResourceOptions::StorageModeManaged,
            _ => MTLResourceOptions::StorageModeShared,
        };
        pool(|| {
            let raw = self
                .0
                .raw
                .newBufferWithLength_options(bytes(descriptor.length), options)
                .ok_or_else(|| no_memory("buffer", &descriptor.label))?;
            let address = if facts.addresses { raw.gpuAddress() } else { 0 };
            let buffer = Buffer::new(raw, private, !private && !facts.unified_memory, address);
            if !descriptor.label.is_empty() {
                self.label_buffer(&buffer, &descriptor.label);
            }
            Ok(buffer)
        })
    }

    fn gpu_address(&self, buffer: &Buffer) -> u64 {
        buffer.0.address
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result {
        buffer.write(offset, bytes).map_err(|fault| refused("contents", fault))
    }

    fn fill(&self, buffer: &Buffer, offset: u64, length: usize, fill: &mut dyn FnMut(&mut [u8])) -> Result {
        buffer.fill(offset, length, fill).map_err(|fault| refused("contents", fault))
    }

    fn read(&self, buffer: &Buffer, offset: u64, bytes: &mut [u8]) -> Result {
        buffer.read(offset, bytes).map_err(|fault| refused("contents", fault))
    }

    fn new_texture(&self, descriptor: &TextureDescriptor) -> Result<Texture> {
        check::texture(descriptor, &self.0.facts)?;
        pool(|| {
            let metal = MTLTextureDescriptor::new();
            let [width, height, depth] = descriptor.size.map(|edge| edge as usize);
            metal.setTextureType(descriptor.ty.metal());
            metal.setPixelFormat(descriptor.format.metal());
            // SAFETY: all of these were found to be in the device's limits.
            unsafe {
                metal.setWidth(width);
                metal.setHeight(height);
                metal.setDepth(depth);
                metal.setMipmapLevelCount(descriptor.levels as usize);
                metal.setSampleCount(descriptor.samples as usize);
                metal.setArrayLength(descriptor.layers as usize);
            }
            metal.setUsage(descriptor.usage.metal());
            metal.setStorageMode(match descriptor.storage {
                StorageMode::Shared => self.shared(),
                StorageMode::Private => MTLStorageMode::Private,
                StorageMode::Memoryless => MTLStorageMode::Memoryless,
            });
            let raw =
                self.0.raw.newTextureWithDescriptor(&metal).ok_or_else(|| no_memory("texture", &descriptor.label))?;
            let texture = Texture::root(raw, check::Texture::of(descriptor));
            if !descriptor.label.is_empty() {
                self.label_texture(&texture, &descriptor.label);
            }
            Ok(texture)
        })
    }

    fn new_view(&self, texture: &Texture, view: &TextureView) -> Result<Texture> {
        let of = &texture.0.is;
        check::view(of, view, &self.0.facts)?;
        pool(|| {
            // SAFETY: the ranges were found to be inside of the texture.
            let raw = unsafe {
                texture.0.raw.newTextureViewWithPixelFormat_textureType_levels_slices_swizzle(
                    view.format.metal(),
                    view.ty.metal(),
                    range(view.levels),
                    range(view.slices),
                    view.swizzle.metal(),
                )
            };
            let raw = raw.ok_or_else(|| refused("newTextureViewWithPixelFormat", "no view came of it"))?;
            Ok(Texture::new(raw, of.seen(view)))
        })
    }

    fn new_sampler(&self, descriptor: &SamplerDescriptor) -> Result<Sampler> {
        check::sampler(descriptor, &self.0.facts)?;
        pool(|| {
            let metal = MTLSamplerDescriptor::new();
            metal.setMinFilter(descriptor.min.metal());
            metal.setMagFilter(descriptor.mag.metal());
            metal.setMipFilter(descriptor.mip.metal());
            let [s, t, r] = descriptor.address.map(AddressMode::metal);
            metal.setSAddressMode(s);
            metal.setTAddressMode(t);
            metal.setRAddressMode(r);
            metal.setBorderColor(descriptor.border.metal());
            metal.setMaxAnisotropy(descriptor.anisotropy as usize);
            let [least, greatest] = descriptor.lod.map(f32::from_bits);
            metal.setLodMinClamp(least);
            metal.setLodMaxClamp(greatest);
            if let Some(compare) = descriptor.compare {
                metal.setCompareFunction(compare.metal());
            }
            let raw = self.0.raw.newSamplerStateWithDescriptor(&metal);
            raw.map(Sampler).ok_or_else(|| no_memory("sampler", ""))
        })
    }

    fn new_function(&self, descriptor: &FunctionDescriptor<'_>) -> Result<Function> {
        pool(|| pipelines::function(self, descriptor))
    }

    fn new_render_pipeline(&self, descriptor: &RenderPipelineDescriptor<'_, Self>) -> Result<RenderPipeline> {
        pool(|| pipelines::render(self, descriptor))
    }

    fn new_compute_pipeline(&self, function: &Function, label: &str) -> Result<ComputePipeline> {
        pool(|| pipelines::compute(self, function, label))
    }

    fn new_depth_stencil(&self, descriptor: &DepthStencilDescriptor) -> Result<DepthStencil> {
        pool(|| pipelines::depth_stencil(self, descriptor)).ok_or_else(|| no_memory("depth-stencil state", ""))
    }

    fn new_queue(&self, label: &str) -> Result<Queue> {
        Queue::new(self, label)
    }

    fn label_buffer(&self, buffer: &Buffer, label: &str) {
        pool(|| buffer.0.raw.setLabel(Some(&text(label))));
    }

    fn label_texture(&self, texture: &Texture, label: &str) {
        pool(|| texture.0.raw.setLabel(Some(&text(label))));
    }
}
