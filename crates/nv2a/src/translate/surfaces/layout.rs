//! Where a surface lies in memory and how: what the registers say, checked against the DMA objects and the memory.

use crate::machine::Kelvin;
use crate::memory::DmaObject;
use afterimage_nv2a_types::method;
use afterimage_shader_nv2a::io;
use afterimage_stream::Format;
use afterimage_texture::nv2a::{ColorFormat, ZetaFormat};

/// Longest edge of a surface, in samples.
pub(super) const MAX_EDGE: u32 = 4096;

/// What a surface's samples are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::translate) enum Samples {
    /// Colours.
    Color(ColorFormat),
    /// Depth and stencil.
    Zeta(ZetaFormat),
}

impl Samples {
    /// Bytes of a sample in memory.
    pub(in crate::translate) fn bytes(self) -> u32 {
        match self {
            Self::Color(format) => format.bytes(),
            Self::Zeta(format) => format.bytes(),
        }
    }

    /// The host's format. Colours of fewer bits are kept with eight each, and lose the rest on their way into memory.
    pub(in crate::translate) fn host(self) -> Format {
        match self {
            Self::Color(_) => Format::B8G8R8A8_UNORM,
            Self::Zeta(ZetaFormat::Z16) => Format::D16_UNORM,
            Self::Zeta(ZetaFormat::Z24S8) => Format::D24_UNORM_S8_UINT,
        }
    }
}

impl Samples {
    /// The format of colours.
    pub(in crate::translate) fn color(self) -> Option<ColorFormat> {
        if let Self::Color(format) = self { Some(format) } else { None }
    }

    /// The format of depths.
    pub(in crate::translate) fn zeta(self) -> Option<ZetaFormat> {
        if let Self::Zeta(format) = self { Some(format) } else { None }
    }
}

/// How samples are arranged in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::translate) enum Arrangement {
    /// Rows this many bytes apart.
    Pitch(u32),
    /// In Morton order; logarithms of width and height.
    Swizzled(u8, u8),
}

/// One way of seeing a piece of memory as a surface. Surfaces with the same layout are one; whatever else shares memory
/// sees it through the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::translate) struct Layout {
    /// Physical address.
    pub(in crate::translate) address: u32,
    /// What the samples are.
    pub(in crate::translate) samples: Samples,
    /// How they are arranged.
    pub(in crate::translate) arrangement: Arrangement,
}

impl Layout {
    /// Bytes from the first to the last of `width` x `height` samples, both more than zero.
    pub(in crate::translate) fn bytes(&self, [width, height]: [u32; 2]) -> u32 {
        match self.arrangement {
            Arrangement::Pitch(pitch) => pitch * (height - 1) + width * self.samples.bytes(),
            Arrangement::Swizzled(width, height) => self.samples.bytes() << (width + height),
        }
    }
}

/// A surface that registers ask for: its layout, and the samples that must be there, which are at least one.
pub(super) type Wanted = (Layout, [u32; 2]);

/// Whether two surfaces share bytes.
pub(super) fn overlap((a, a_size): Wanted, (b, b_size): Wanted) -> bool {
    a.address < b.address + b.bytes(b_size) && b.address < a.address + a.bytes(a_size)
}

/// `SET_SURFACE_FORMAT` and what goes with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// Samples per pixel, across and down.
    pub(super) scale: [u32; 2],
    /// First pixel of the surface clip.
    pub(super) origin: [u32; 2],
    /// Pixels of the surface clip.
    pub(super) size: [u32; 2],
    pub(super) color: Result<Wanted, &'static str>,
    pub(super) zeta: Result<Wanted, &'static str>,
}

impl Asked {
    /// Reads the registers. `memory` is the memory's size in bytes.
    pub(super) fn of(kelvin: &Kelvin, memory: u32) -> Self {
        let registers = &kelvin.registers;
        let format = registers.get(method::SET_SURFACE_FORMAT);
        let halves = |method| {
            let word = registers.get(method);
            [word & 0xFFFF, word >> 16]
        };
        let [x, width] = halves(method::SET_SURFACE_CLIP_HORIZONTAL);
        let [y, height] = halves(method::SET_SURFACE_CLIP_VERTICAL);
        let [color_pitch, zeta_pitch] = halves(method::SET_SURFACE_PITCH);
        let scale = io::samples(registers);
        let swizzled = (format >> 8 & 0xF == 2).then_some([format >> 16 & 0xFF, format >> 24]);
        let place = Place { swizzled, needed: [(x + width) * scale[0], (y + height) * scale[1]], memory };
        let color = ColorFormat::from_code(format & 0xF)
            .map(Samples::Color)
            .map_err(|_| "SET_SURFACE_FORMAT: no such colour format");
        let zeta = ZetaFormat::from_code(format >> 4 & 0xF)
            .map(Samples::Zeta)
            .map_err(|_| "SET_SURFACE_FORMAT: no such zeta format");
        let dma = &kelvin.dma;
        Self {
            scale,
            origin: [x, y],
            size: [width, height],
            color: color.and_then(|samples| {
                let offset = registers.get(method::SET_SURFACE_COLOR_OFFSET);
                let object = dma.color.ok_or("SET_CONTEXT_DMA_COLOR: no object")?;
                place.find(samples, object, offset, color_pitch, "SET_SURFACE_COLOR_OFFSET: beyond the memory")
            }),
            zeta: zeta.and_then(|samples| {
                let offset = registers.get(method::SET_SURFACE_ZETA_OFFSET);
                let object = dma.zeta.ok_or("SET_CONTEXT_DMA_ZETA: no object")?;
                place.find(samples, object, offset, zeta_pitch, "SET_SURFACE_ZETA_OFFSET: beyond the memory")
            }),
        }
    }
}

/// What colour and zeta surface have in common.
#[derive(Clone, Copy)]
struct Place {
    /// Logarithms of width and height.
    swizzled: Option<[u32; 2]>,
    /// Samples up to the end of the surface clip.
    needed: [u32; 2],
    memory: u32,
}

impl Place {
    fn find(
        &self,
        samples: Samples,
        object: DmaObject,
        offset: u32,
        pitch: u32,
        beyond: &'static str,
    ) -> Result<Wanted, &'static str> {
        let address = object.resolve(offset, samples.bytes()).ok_or(beyond)?;
        let room = (object.limit - offset).saturating_add(1).min(self.memory.saturating_sub(address));
        let layout = |arrangement| Layout { address, samples, arrangement };
        if let Some([width, height]) = self.swizzled {
            if width > MAX_EDGE.ilog2() || height > MAX_EDGE.ilog2() {
                return Err("SET_SURFACE_FORMAT: more than 4096 texels along an edge");
            }
            let layout = layout(Arrangement::Swizzled(width as u8, height as u8));
            let size = [1 << width, 1 << height];
            return if layout.bytes(size) <= room { Ok((layout, size)) } else { Err(beyond) };
        }
        let fit = pitch / samples.bytes();
        if fit == 0 {
            return Err("SET_SURFACE_PITCH: less than a pixel");
        }
        let width = self.needed[0].clamp(1, MAX_EDGE.min(fit));
        if width * samples.bytes() > room {
            return Err(beyond);
        }
        let rows = (room - width * samples.bytes()) / pitch + 1;
        Ok((layout(Arrangement::Pitch(pitch)), [width, self.needed[1].clamp(1, MAX_EDGE.min(rows))]))
    }
}
