//! Flips: the display's buffers, shown and as pictures.

use super::Translator;
use super::formats::{self, HostFormat, Use};
use super::surfaces::{SurfaceError, ViewDesc, Wanted};
use super::targets::Color;
use super::texels::{Place, Shape};
use crate::memory::GuestMemory;
use afterimage_gnm_types::value::*;
use afterimage_stream::packets::*;
use afterimage_stream::{DeviceInfo, Format, ObjectId, ObjectKind, Port, PortError};
use rustc_hash::FxHashMap;

/// A buffer that the display can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Display {
    /// Guest address of its first byte.
    pub address: u64,
    /// Columns.
    pub width: u32,
    /// Lines.
    pub height: u32,
    /// Pixels from one line to the next.
    pub pitch: u32,
    /// Data format: `IMG_DATA_FORMAT_...`, with numbers from 0 to 1.
    pub format: u32,
    /// Whether blue comes first in memory.
    pub blue_first: bool,
    /// Index in the table of tile modes.
    pub tile_mode: u32,
}

/// A picture: four bytes for each pixel, red to alpha.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Columns.
    pub width: u32,
    /// Lines.
    pub height: u32,
    /// `width * height * 4` bytes, from the top.
    pub rgba: Vec<u8>,
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The host has nothing like it.
    #[error("pictures of data format {0} are not supported")]
    Format(u32),
    /// What is wrong with the buffer.
    #[error("the display's buffer at {address:#x}: {why}")]
    Buffer {
        /// Where it is.
        address: u64,
        /// Why it cannot be shown.
        why: String,
    },
}

/// What is shown where.
#[derive(Debug, Default)]
pub(super) struct Screen {
    target: ObjectId,
    size: [u32; 2],
    /// Buffers by handle and index.
    pub(super) buffers: FxHashMap<(u32, u32), Display>,
    /// What was shown last.
    pub(super) shown: Option<Display>,
}

impl Screen {
    /// The receiver is gone.
    pub(super) fn forget(&mut self, port: &mut Port) {
        if !self.target.is_none() {
            port.recycle(std::mem::take(&mut self.target));
        }
    }
}

impl Display {
    fn wanted(&self, device: &DeviceInfo) -> Result<Wanted, PictureError> {
        let swap = if self.blue_first { SWAP_ALT } else { SWAP_STD };
        let host = formats::color(self.format, NUMBER_UNORM, swap).map_err(|_| PictureError::Format(self.format))?;
        let place = Place {
            address: self.address,
            element: host.element,
            block: 1,
            tile_mode: self.tile_mode,
            pitch: self.pitch,
            samples: 1,
            pow2_pad: false,
        };
        let (width, height) = (self.width, self.height);
        let shape = Shape { dimension: Dimension::D2, width, height, depth: 1, layers: 1, levels: 1 };
        // A target there may be larger.
        let HostFormat { format, convert, .. } = host.on(device, Use::Target);
        Ok(Wanted { place, stencil: None, shape, exact: false, format, convert, usage: 0 })
    }
}

impl Translator {
    /// Says what the display shows for a handle and index, as `sceVideoOutRegisterBuffers` does.
    pub fn register_display(&mut self, handle: u32, buffer: u32, display: Display) {
        self.screen.buffers.insert((handle, buffer), display);
    }

    /// The buffer of the last flip.
    #[must_use]
    pub fn shown(&self) -> Option<Display> {
        self.screen.shown
    }

    /// The texture that a display's buffer is, with what is newest in it.
    fn display(&mut self, memory: &mut dyn GuestMemory, display: &Display) -> Result<(ObjectId, Format), PictureError> {
        let wanted = display.wanted(self.port.device())?;
        let failed = |why: String| PictureError::Buffer { address: display.address, why };
        let surface = self.surface(memory, &wanted).map_err(|error| failed(error.to_string()))?;
        let layers = self.surfaces.get(surface).map_or(1, |surface| surface.shape().layers);
        let levels = self.surfaces.get(surface).map_or(1, |surface| surface.shape().levels);
        let desc = ViewDesc {
            format: wanted.format,
            dimension: Dimension::D2,
            swizzle: CreateTexture::IDENTITY,
            levels: [0, levels as u16],
            layers: [0, layers as u16],
        };
        let texture = self.view_of(surface, &desc).map_err(|error| failed(error.to_string()))?;
        Ok((texture, wanted.format))
    }

    /// What a display's buffer holds, as the GPU left it.
    ///
    /// # Errors
    /// If its format is not supported, or it is not mapped.
    pub fn picture(&mut self, memory: &mut dyn GuestMemory, display: &Display) -> Result<Picture, PictureError> {
        self.recover();
        let (texture, format) = self.display(memory, display)?;
        let rect = Rect { x: 0, y: 0, width: display.width, height: display.height };
        let view = View { texture, ..View::default() };
        let texels = self
            .read_texels(view, format, rect)
            .map_err(|error| PictureError::Buffer { address: display.address, why: error.to_string() })?;
        let rgba = to_rgba(format, &texels).ok_or(PictureError::Format(display.format))?;
        Ok(Picture { width: display.width, height: display.height, rgba })
    }

    /// Ends the frame with a display's buffer as its picture, or with none.
    pub(super) fn present(&mut self, memory: &mut dyn GuestMemory, display: Option<Display>) {
        self.recover();
        let texture = display.and_then(|display| match self.display(memory, &display) {
            Ok((texture, _)) => Some((texture, [display.width, display.height])),
            Err(error) => {
                self.once.warn(format!("flip: {error}"));
                None
            }
        });
        self.port.push(&StateFigures::from(std::mem::take(&mut self.figures)));
        let shown = texture.is_some_and(|(texture, size)| self.show(texture, size).is_ok());
        if !shown {
            self.port.push(&Present::nothing(self.port.frame()));
        }
        self.port.end_frame();
    }

    fn show(&mut self, texture: ObjectId, [width, height]: [u32; 2]) -> Result<(), PortError> {
        if self.screen.target.is_none() || self.screen.size != [width, height] {
            if self.screen.target.is_none() {
                self.screen.target = self.port.allocate(ObjectKind::Target)?;
            }
            self.screen.size = [width, height];
            let window_kind = WindowKind::Headless as u32;
            self.port.push(&PresentTarget { id: self.screen.target, width, height, window_kind, window: 0 });
        }
        self.port.push(&Present {
            frame: self.port.frame(),
            target: self.screen.target,
            texture,
            src: Rect { x: 0, y: 0, width, height },
            dst: Rect::default(),
            interval: 0,
            pad: 0,
        });
        Ok(())
    }

    /// Waits until every frame that was shown has left the GPU; the number of the last.
    pub fn finish_frames(&mut self) -> u64 {
        self.port.wait_for_frames(0);
        self.port.frame() - 1
    }

    /// Shows a buffer, and ends the frame.
    pub fn show_display(&mut self, memory: &mut dyn GuestMemory, display: &Display) {
        self.screen.shown = Some(*display);
        self.present(memory, Some(*display));
    }

    /// A flip of the program's.
    pub(super) fn show_flip(&mut self, memory: &mut dyn GuestMemory, handle: u32, buffer: u32) {
        let display = self.screen.buffers.get(&(handle, buffer)).copied();
        if display.is_none() {
            self.once.warn(format!("a flip to buffer {buffer} of video output {handle}, which nobody registered"));
        }
        self.screen.shown = display.or(self.screen.shown);
        self.present(memory, display);
    }

    /// Copies a multisampled colour target into another.
    pub(super) fn resolve_into(
        &mut self,
        memory: &mut dyn GuestMemory,
        from: &Color,
        to: &Color,
    ) -> Result<(), SurfaceError> {
        let source = self.surface(memory, &from.wanted)?;
        let target = self.surface(memory, &to.wanted)?;
        let [width, height] = [from.wanted.shape.width, from.wanted.shape.height];
        let rect =
            Rect { x: 0, y: 0, width: width.min(to.wanted.shape.width), height: height.min(to.wanted.shape.height) };
        let [src, dst] =
            [(source, from), (target, to)].map(|(texture, color)| View { texture, level: 0, layer: color.layers[0] });
        self.port.push(&Blit { src, dst, src_rect: rect, dst_rect: rect, filter: Filter::Nearest as u32, pad: 0 });
        self.surfaces.mark_drawn(target, 0, to.layers[0]..to.layers[0] + 1);
        Ok(())
    }
}

/// Texels of a displayable format as bytes from red to alpha.
fn to_rgba(format: Format, texels: &[u8]) -> Option<Vec<u8>> {
    Some(match format {
        Format::R8G8B8A8_UNORM => texels.to_vec(),
        Format::B8G8R8A8_UNORM => texels.as_chunks::<4>().0.iter().flat_map(|[b, g, r, a]| [*r, *g, *b, *a]).collect(),
        Format::A2B10G10R10_UNORM => texels
            .as_chunks::<4>()
            .0
            .iter()
            .flat_map(|texel| {
                let word = u32::from_le_bytes(*texel);
                let ten = |at: u32| ((word >> at & 0x3FF) * 255 / 1023) as u8;
                [ten(0), ten(10), ten(20), ((word >> 30) * 85) as u8]
            })
            .collect(),
        _ => return None,
    })
}
