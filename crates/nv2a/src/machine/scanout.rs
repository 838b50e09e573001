//! The picture that the display shows.

/// Pixels of a picture in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PixelFormat {
    /// 16 bits, the highest unused.
    X1R5G5B5,
    /// 16 bits.
    R5G6B5,
    /// 32 bits.
    #[default]
    X8R8G8B8,
}

/// What the display is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DisplayMode {
    /// Columns.
    pub width: u32,
    /// Lines.
    pub height: u32,
    /// Bytes from one line to the next.
    pub pitch: u32,
    /// What a pixel is.
    pub format: PixelFormat,
}

impl Default for DisplayMode {
    /// 640 by 480 pixels of 32 bits.
    fn default() -> Self {
        Self { width: 640, height: 480, pitch: 2560, format: PixelFormat::X8R8G8B8 }
    }
}

/// A picture: lines from the top, four bytes R, G, B, A a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Columns.
    pub width: u32,
    /// Lines.
    pub height: u32,
    /// Pixels.
    pub rgba: Vec<u8>,
}
