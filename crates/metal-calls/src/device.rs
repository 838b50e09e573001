//! What a device is.

/// GPU families that matter here. Source: Metal Feature Set Tables, 2025; a Mac with Apple's processor reports `Mac2` too, and has what
/// either column of the tables has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// `MTLGPUFamilyMac2` alone: Macs by Intel.
    Mac2,
    /// `MTLGPUFamilyApple7` and `Mac2`: M1.
    Apple7,
    /// `MTLGPUFamilyApple8` and `Mac2`: M2.
    Apple8,
    /// `MTLGPUFamilyApple9` and `Mac2`, or a later one: M3, M4.
    Apple9,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 4] = [Self::Mac2, Self::Apple7, Self::Apple8, Self::Apple9];

    /// Whether it is one of Apple's own processors, whose GPUs draw tile by tile.
    #[must_use]
    pub const fn is_apple(self) -> bool {
        !matches!(self, Self::Mac2)
    }

    /// Its limits, as the tables have them.
    #[must_use]
    pub const fn limits(self) -> Limits {
        let apple = self.is_apple();
        Limits {
            buffers: 31,
            textures: 128,
            samplers: 16,
            bytes: 4096,
            vertex_attributes: 31,
            vertex_stride: if apple { u32::MAX } else { 4096 },
            vertex_stride_step: if apple { 1 } else { 4 },
            constant_offset_step: if apple { 4 } else { 32 },
            fragment_inputs: if apple { 124 } else { 32 },
            threads: 1024,
            threadgroup_memory: 32768,
            texture_edge: 16384,
            texture_edge_3d: 2048,
            texture_layers: 2048,
            buffer_copy_step: if apple { 16 } else { 256 },
            targets: 8,
            clip_distances: 8,
            viewport: 65536,
            viewports: 16,
            visibility: 65528,
            point_size: 511,
            sampler_anisotropy: 16,
        }
    }
}

/// Limits of a family; sizes in bytes unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Entries of a stage's argument table of buffers, with vertex buffers.
    pub buffers: u32,
    /// Entries of a stage's argument table of textures.
    pub textures: u32,
    /// Entries of a stage's argument table of samplers.
    pub samplers: u32,
    /// Of one `set*Bytes`.
    pub bytes: u32,
    /// Vertex attributes, and layouts.
    pub vertex_attributes: u32,
    /// The longest stride of a layout.
    pub vertex_stride: u32,
    /// What strides are multiples of.
    pub vertex_stride_step: u32,
    /// What offsets of buffers in the constant address space are multiples of.
    pub constant_offset_step: u32,
    /// Inputs of a fragment function.
    pub fragment_inputs: u32,
    /// Threads of a threadgroup.
    pub threads: u32,
    /// Memory of a threadgroup.
    pub threadgroup_memory: u32,
    /// The longest edge of 1D, 2D and cube textures, in texels.
    pub texture_edge: u32,
    /// The longest edge of 3D textures, in texels.
    pub texture_edge_3d: u32,
    /// Layers of an array.
    pub texture_layers: u32,
    /// What offsets of buffers are multiples of that textures are copied to.
    pub buffer_copy_step: u32,
    /// Colour attachments.
    pub targets: u32,
    /// Clip distances of a vertex.
    pub clip_distances: u32,
    /// How far from the origin viewports reach, in texels.
    pub viewport: u32,
    /// Viewports of an encoder, and scissor rectangles.
    pub viewports: u32,
    /// The last offset of a visibility result.
    pub visibility: u32,
    /// The largest point, in texels.
    pub point_size: u32,
    /// The largest anisotropy.
    pub sampler_anisotropy: u32,
}

/// A device: what it says of itself when asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// `MTLDevice.name`.
    pub name: String,
    /// The highest family that it reports.
    pub family: Family,
    /// Its limits.
    pub limits: Limits,
    /// `maxBufferLength`.
    pub max_buffer: u64,
    /// `recommendedMaxWorkingSetSize`.
    pub working_set: u64,
    /// `hasUnifiedMemory`.
    pub unified_memory: bool,
    /// Bit n: textures can have 2^n samples (`supportsTextureSampleCount:`).
    pub samples: u32,
    /// `supports32BitFloatFiltering`.
    pub float32_filtering: bool,
    /// `supports32BitMSAA`.
    pub msaa32: bool,
    /// `supportsBCTextureCompression`.
    pub bc: bool,
    /// `isDepth24Stencil8PixelFormatSupported`.
    pub depth24: bool,
    /// Buffers have addresses that shaders can be given: Metal 3 and argument buffers of tier 2.
    pub addresses: bool,
    /// `setDepthTestMinBound:maxBound:`: `MTLGPUFamilyApple10`, macOS 26.
    pub depth_bounds: bool,
    /// The newest version of the language that the compiler takes, as `__METAL_VERSION__` has it: 320 is 3.2.
    pub language: u32,
}

impl Facts {
    /// Whether texels are changed atomically at all: `MTLTextureUsageShaderAtomic` came with version 3.1 of the language.
    #[must_use]
    pub const fn has_texel_atomics(&self) -> bool {
        self.language >= 310
    }
}
