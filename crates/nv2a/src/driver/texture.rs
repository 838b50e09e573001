//! Textures and how they are sampled.
//!
//! Source: `docs/sources/nv2a.md#textures`.

use super::{Device, DriverError};
use afterimage_nv2a_types::{STAGES, method};

/// A texture in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texture {
    /// Physical address, a multiple of 128.
    pub address: u32,
    /// The hardware's number of the format (`SET_TEXTURE_FORMAT`, bits 8 to 15), such as 0x06 for swizzled A8R8G8B8.
    pub format: u8,
    /// Shape.
    pub shape: Shape,
}

/// Shape of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Sizes of the power of two, swizzled or compressed, with mip levels.
    Swizzled {
        /// Two to the power of this wide, high and deep (0 for depth 1), at most 12.
        log2: [u8; 3],
        /// Mip levels, 1 to 15.
        levels: u8,
        /// Six faces.
        cube: bool,
    },
    /// Rows of any length; coordinates are texels.
    Linear {
        /// Texels, at most 4096.
        width: u32,
        /// Texels, at most 4096.
        height: u32,
        /// Bytes from one row to the next, below 64 KiB.
        pitch: u32,
    },
}

/// How a stage samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    /// u, v, w: 1 repeat, 2 mirror, 3 clamp to edge, 4 border, 5 clamp.
    pub address: [u8; 3],
    /// 1 nearest, 2 linear, 3 to 6 with mip levels, 7 a convolution.
    pub min: u8,
    /// 1 nearest, 2 linear, 4 a convolution.
    pub mag: u8,
    /// Level of detail bias, -16 to 16.
    pub lod_bias: f32,
    /// Two to the power of this many samples of anisotropy, 0 to 3.
    pub anisotropy_log2: u8,
    /// Border colour, 0xAARRGGBB.
    pub border: u32,
}

impl Default for Sampler {
    /// Repeated, nearest.
    fn default() -> Self {
        Self { address: [1; 3], min: 1, mag: 1, lod_bias: 0.0, anisotropy_log2: 0, border: 0 }
    }
}

/// The stages' textures and samplers, and which were not sent yet.
#[derive(Clone, Debug)]
pub(super) struct Stages {
    stages: [(Option<Texture>, Sampler); STAGES],
    dirty: [bool; STAGES],
}

impl Default for Stages {
    fn default() -> Self {
        Self { stages: [(None, Sampler::default()); STAGES], dirty: [true; STAGES] }
    }
}

impl Stages {
    pub(super) fn mark_all(&mut self) {
        self.dirty = [true; STAGES];
    }

    /// Texture mode of a stage without pixel shader: none, 2D, 3D, cube.
    pub(super) fn mode(&self, stage: usize) -> u32 {
        match self.stages[stage].0.map(|texture| texture.shape) {
            None => 0,
            Some(Shape::Swizzled { cube: true, .. }) => 3,
            Some(Shape::Swizzled { log2: [_, _, depth], .. }) if depth > 0 => 2,
            Some(_) => 1,
        }
    }
}

fn at_most(what: &'static str, value: u32, most: u32) -> Result<(), DriverError> {
    if value > most { Err(DriverError::Range { what, value, most }) } else { Ok(()) }
}

fn index(stage: usize) -> DriverError {
    DriverError::Index { what: "texture stage", index: stage, count: STAGES }
}

impl Device {
    /// `SetTexture`.
    ///
    /// # Errors
    /// [`DriverError::Index`] beyond stage 3; [`DriverError::Range`] for sizes that the hardware's fields cannot hold.
    pub fn set_texture(&mut self, stage: usize, texture: Option<Texture>) -> Result<(), DriverError> {
        match texture.map(|texture| texture.shape) {
            Some(Shape::Swizzled { log2, levels, .. }) => {
                log2.iter().try_for_each(|log2| at_most("log2 of a texture size", (*log2).into(), 12))?;
                at_most("mip levels", levels.into(), 15)?;
            }
            Some(Shape::Linear { width, height, pitch }) => {
                at_most("texture width", width, 4096)?;
                at_most("texture height", height, 4096)?;
                at_most("texture pitch", pitch, 0xFFFF)?;
            }
            None => {}
        }
        let slot = self.textures.stages.get_mut(stage).ok_or(index(stage))?;
        if slot.0 != texture {
            slot.0 = texture;
            self.textures.dirty[stage] = true;
            self.combine.mark();
        }
        Ok(())
    }

    /// `SetTextureStageState` for everything that is about sampling.
    ///
    /// # Errors
    /// [`DriverError::Index`] beyond stage 3; [`DriverError::Range`] for modes and filters that do not exist.
    pub fn set_sampler(&mut self, stage: usize, sampler: Sampler) -> Result<(), DriverError> {
        sampler.address.iter().try_for_each(|mode| at_most("texture address mode", (*mode).into(), 5))?;
        at_most("texture min filter", sampler.min.into(), 7)?;
        at_most("texture mag filter", sampler.mag.into(), 4)?;
        self.textures.stages.get_mut(stage).ok_or(index(stage))?.1 = sampler;
        self.textures.dirty[stage] = true;
        Ok(())
    }

    /// `SetPalette`: 32, 64, 128 or 256 entries of A8R8G8B8 at a physical address, for palettised formats.
    ///
    /// # Errors
    /// [`DriverError::Index`] beyond stage 3, [`DriverError::Palette`] for other sizes and addresses that are no multiple of 64.
    pub fn set_palette(&mut self, stage: usize, address: u32, entries: u32) -> Result<(), DriverError> {
        if stage >= STAGES {
            return Err(index(stage));
        }
        let size = [256, 128, 64, 32].iter().position(|size| *size == entries);
        let size = size.filter(|_| address.is_multiple_of(64)).ok_or(DriverError::Palette { address, entries })?;
        self.emit(method::SET_TEXTURE_PALETTE + 0x40 * stage as u16, &[address | (size as u32) << 2]);
        Ok(())
    }

    pub(super) fn apply_textures(&mut self) {
        for stage in 0..STAGES {
            if std::mem::take(&mut self.textures.dirty[stage]) {
                self.send_texture(stage);
            }
        }
    }

    fn send_texture(&mut self, stage: usize) {
        const ENABLE: u32 = 1 << 30;
        const MAX_LOD: u32 = 0xFFF << 6;
        const DMA_A: u32 = 1;
        const BORDER_IS_COLOR: u32 = 1 << 3;
        let (texture, sampler) = self.textures.stages[stage];
        let at = |method: u16| method + 0x40 * stage as u16;
        let Some(texture) = texture else {
            self.emit(at(method::SET_TEXTURE_CONTROL0), &[0]);
            return;
        };
        let mut format = DMA_A | BORDER_IS_COLOR | u32::from(texture.format) << 8;
        match texture.shape {
            Shape::Swizzled { log2: [u, v, p], levels, cube } => {
                let dimensions = if p > 0 { 3 } else { 2 };
                format |= u32::from(cube) << 2
                    | dimensions << 4
                    | u32::from(levels.max(1)) << 16
                    | u32::from(u) << 20
                    | u32::from(v) << 24
                    | u32::from(p) << 28;
            }
            Shape::Linear { width, height, pitch } => {
                format |= 2 << 4 | 1 << 16;
                self.emit(at(method::SET_TEXTURE_CONTROL1), &[pitch << 16]);
                self.emit(at(method::SET_TEXTURE_IMAGE_RECT), &[width << 16 | height]);
            }
        }
        let [u, v, p] = sampler.address.map(u32::from);
        let bias = ((sampler.lod_bias * 256.0) as i32).clamp(-0x1000, 0xFFF) as u32 & 0x1FFF;
        let kernel = 1 << 13;
        self.emit(at(method::SET_TEXTURE_OFFSET), &[texture.address, format, u | v << 8 | p << 16]);
        self.emit(
            at(method::SET_TEXTURE_CONTROL0),
            &[ENABLE | MAX_LOD | u32::from(sampler.anisotropy_log2.min(3)) << 4],
        );
        self.emit(
            at(method::SET_TEXTURE_FILTER),
            &[bias | kernel | u32::from(sampler.min) << 16 | u32::from(sampler.mag) << 24],
        );
        self.emit(at(method::SET_TEXTURE_BORDER_COLOR), &[sampler.border]);
    }
}
