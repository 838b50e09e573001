//! Render targets, viewport, clears, and the end of a frame.

use super::{Device, DriverError};
use afterimage_nv2a_types::method;

/// Formats of colour surfaces; the number is the hardware's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(non_camel_case_types, missing_docs, reason = "the names are the hardware's")]
pub enum SurfaceFormat {
    X1R5G5B5 = 2,
    R5G6B5 = 3,
    X8R8G8B8 = 5,
    A8R8G8B8 = 8,
}

impl SurfaceFormat {
    /// Bytes of a pixel.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::X1R5G5B5 | Self::R5G6B5 => 2,
            Self::X8R8G8B8 | Self::A8R8G8B8 => 4,
        }
    }
}

/// A colour surface, with or without a 24-bit depth and 8-bit stencil surface of the same size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Physical address of the colour surface.
    pub color: u32,
    /// Physical address of the depth-stencil surface, `Z24S8`.
    pub depth: Option<u32>,
    /// Format of the colour surface.
    pub format: SurfaceFormat,
    /// Pixels, at most 4095.
    pub width: u32,
    /// Pixels, at most 4095.
    pub height: u32,
    /// Bytes from one row to the next, of both; a multiple of 64.
    pub pitch: u32,
}

/// Where clip space comes to lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Left edge in pixels.
    pub x: f32,
    /// Top edge in pixels.
    pub y: f32,
    /// Width in pixels.
    pub width: f32,
    /// Height in pixels.
    pub height: f32,
    /// Depth of the near plane, 0 to 1.
    pub min_z: f32,
    /// Depth of the far plane, 0 to 1.
    pub max_z: f32,
}

/// Largest value of the depth buffer.
pub(super) const DEPTH_MAX: f32 = 16_777_215.0;

/// What a clear writes to the colour surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearColor {
    /// 0xAARRGGBB for 32-bit surfaces; a pixel's bits for others.
    pub value: u32,
    /// Bits 0 to 3: red, green, blue, alpha.
    pub channels: u32,
}

impl Device {
    /// `SetRenderTarget`. The viewport becomes the whole of it.
    ///
    /// # Errors
    /// [`DriverError::Range`] names the size that does not fit.
    pub fn set_render_target(&mut self, target: Target) -> Result<(), DriverError> {
        const MOST: u32 = 4095;
        for (what, value) in [("width", target.width), ("height", target.height)] {
            if value == 0 || value > MOST {
                return Err(DriverError::Range { what, value, most: MOST });
            }
        }
        if target.pitch > 0xFFFF {
            return Err(DriverError::Range { what: "pitch", value: target.pitch, most: 0xFFFF });
        }
        const LINEAR: u32 = 1 << 8;
        const Z24S8: u32 = 2 << 4;
        self.emit(method::SET_SURFACE_CLIP_HORIZONTAL, &[target.width << 16, target.height << 16]);
        self.emit(method::SET_SURFACE_FORMAT, &[target.format as u32 | Z24S8 | LINEAR]);
        self.emit(method::SET_SURFACE_PITCH, &[target.pitch << 16 | target.pitch]);
        self.emit(method::SET_SURFACE_COLOR_OFFSET, &[target.color, target.depth.unwrap_or(0)]);
        self.emit(method::SET_CONTROL0, &[1 << 20 | u32::from(target.depth.is_some())]);
        self.target = Some(target);
        self.send_zeta_states();
        let (width, height) = (target.width as f32, target.height as f32);
        self.set_viewport(Viewport { x: 0.0, y: 0.0, width, height, min_z: 0.0, max_z: 1.0 });
        Ok(())
    }

    /// Pixels outside of the window's clip rectangles are not drawn. After reset these are one pixel; the first is that of all.
    pub(super) fn send_viewport_clip(&mut self, viewport: Viewport) {
        let Some(target) = self.target else { return };
        // Casts saturate; a last pixel before the first lets nothing through.
        let span = |start: f32, size: f32, most: u32| {
            let (first, end) = (start.round() as u32, (start + size).round() as u32);
            let first = first.min(most);
            if end > first { (end.min(most) - 1) << 16 | first } else { most }
        };
        self.emit(method::SET_WINDOW_CLIP_TYPE, &[0]);
        self.emit(method::SET_WINDOW_CLIP_HORIZONTAL, &[span(viewport.x, viewport.width, target.width)]);
        self.emit(method::SET_WINDOW_CLIP_VERTICAL, &[span(viewport.y, viewport.height, target.height)]);
    }

    /// The target of [`Device::set_render_target`].
    #[must_use]
    pub fn render_target(&self) -> Option<Target> {
        self.target
    }

    /// `Clear` of the whole target: colour, depth (0 to 1), stencil.
    pub fn clear(&mut self, color: Option<ClearColor>, depth: Option<f32>, stencil: Option<u8>) {
        let Some(target) = self.target else { return };
        let mut flags = 0;
        self.emit(method::SET_CLEAR_RECT_HORIZONTAL, &[(target.width - 1) << 16, (target.height - 1) << 16]);
        if let Some(color) = color {
            self.emit(method::SET_COLOR_CLEAR_VALUE, &[color.value]);
            flags |= (color.channels & 0xF) << 4;
        }
        if target.depth.is_some() && (depth.is_some() || stencil.is_some()) {
            // Rounded in f64: f32 holds the product, but not every sum on the way to it.
            let depth_value = (f64::from(depth.unwrap_or(0.0).clamp(0.0, 1.0)) * f64::from(DEPTH_MAX)).round() as u32;
            self.emit(method::SET_ZSTENCIL_CLEAR_VALUE, &[depth_value << 8 | u32::from(stencil.unwrap_or(0))]);
            flags |= u32::from(depth.is_some()) | u32::from(stencil.is_some()) << 1;
        }
        if flags != 0 {
            self.packets.method(method::CLEAR_SURFACE, &[flags]);
        }
    }

    /// The end of a frame: the next one may start when the display has taken this one.
    pub fn swap(&mut self) {
        self.packets.method(method::FLIP_INCREMENT_WRITE, &[0]);
        self.packets.method(method::FLIP_STALL, &[0]);
    }

    /// Inserts a wait for the end of all drawing before.
    pub fn wait_for_idle(&mut self) {
        self.packets.method(method::WAIT_FOR_IDLE, &[0]);
    }
}
