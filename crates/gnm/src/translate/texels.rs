//! Where texels lie in guest memory, and copies between there and rows.

use afterimage_stream::packets::Dimension;

/// Where the texels of a surface lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    /// Guest address of the first byte.
    pub(super) address: u64,
    /// Bytes of an element: a texel, or a block of a compressed format.
    pub(super) element: u32,
    /// Texels along the edge of an element.
    pub(super) block: u32,
    /// Index in the table of tile modes.
    pub(super) tile_mode: u32,
    /// Texels from one line to the next.
    pub(super) pitch: u32,
    /// Samples per pixel.
    pub(super) samples: u32,
    /// Levels and layers lie as if sizes were powers of two.
    pub(super) pow2_pad: bool,
}

/// Extent of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    /// [`Dimension::D3`], or [`Dimension::D2`] for everything else.
    pub(super) dimension: Dimension,
    /// Texels of level 0.
    pub(super) width: u32,
    /// Texels of level 0.
    pub(super) height: u32,
    /// Slices of level 0 of 3D images; 1 elsewhere.
    pub(super) depth: u32,
    /// Layers; 1 of 3D images.
    pub(super) layers: u32,
    /// Levels.
    pub(super) levels: u32,
}

impl Shape {
    /// Columns, lines and slices of a level.
    pub(super) fn level(&self, level: u32) -> [u32; 3] {
        [self.width, self.height, self.depth].map(|edge| (edge >> level).max(1))
    }

    /// A shape that has both.
    pub(super) fn with(&self, other: &Self) -> Self {
        Self {
            dimension: self.dimension,
            width: self.width.max(other.width),
            height: self.height.max(other.height),
            depth: self.depth.max(other.depth),
            layers: self.layers.max(other.layers),
            levels: self.levels.max(other.levels),
        }
    }
}

/// Bytes of the largest surface.
const MOST_BYTES: u64 = 1 << 30;
/// Texels along the longest edge.
const MOST_EDGE: u32 = 16384;

/// What is wrong with a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum LayoutError {
    #[error("tile mode {0} is not supported")]
    TileMode(u32),
    #[error("levels are not supported in tile mode {0}")]
    Levels(u32),
    #[error("{0} x {1} x {2} texels and {3} layers are too many")]
    TooLarge(u32, u32, u32, u32),
    #[error("a pitch of {pitch} texels is less than the width of {width}")]
    Pitch { pitch: u32, width: u32 },
}

/// Where every element of a surface lies.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    element: usize,
    /// Bytes from one line of elements to the next.
    pitch: usize,
    /// Bytes from one slice or layer to the next.
    slice: usize,
    /// Elements of a line, lines, slices.
    extent: [usize; 3],
    layers: usize,
}

impl Layout {
    /// The layout of a surface.
    pub(super) fn new(place: &Place, shape: &Shape) -> Result<Self, LayoutError> {
        let &Shape { width, height, depth, layers, levels, .. } = shape;
        let large = LayoutError::TooLarge(width, height, depth, layers);
        if [width, height, depth, layers].iter().any(|edge| *edge == 0 || *edge > MOST_EDGE) {
            return Err(large);
        }
        if place.pitch < width {
            return Err(LayoutError::Pitch { pitch: place.pitch, width });
        }
        if !matches!(place.tile_mode, 8 | 31) {
            return Err(LayoutError::TileMode(place.tile_mode));
        }
        if levels > 1 {
            return Err(LayoutError::Levels(place.tile_mode));
        }
        let elements = |texels: u32| texels.div_ceil(place.block) as usize;
        let element = place.element as usize;
        let pitch = elements(place.pitch) * element;
        let lines = elements(height);
        let bytes = (pitch * lines) as u64 * u64::from(depth) * u64::from(layers) * u64::from(place.samples);
        if bytes > MOST_BYTES {
            return Err(large);
        }
        let extent = [elements(width), lines, depth as usize];
        Ok(Self { element, pitch, slice: pitch * lines, extent, layers: layers as usize })
    }

    /// Bytes from the first element to behind the last.
    pub(super) fn bytes(&self) -> u64 {
        (self.slice * self.extent[2] * self.layers) as u64
    }

    /// Elements of a line, lines and slices of a level.
    pub(super) fn extent(&self, _level: u32) -> [usize; 3] {
        self.extent
    }

    /// Copies a level of a layer, every slice of it, into packed lines.
    pub(super) fn load(&self, level: u32, layer: u32, memory: &[u8], packed: &mut [u8]) {
        self.lines(level, layer, |at, line, row| {
            if let (Some(from), Some(to)) = (memory.get(at..at + row), packed.get_mut(line..line + row)) {
                to.copy_from_slice(from);
            }
        });
    }

    /// Copies packed lines into a level of a layer.
    pub(super) fn store(&self, level: u32, layer: u32, packed: &[u8], memory: &mut [u8]) {
        self.lines(level, layer, |at, line, row| {
            if let (Some(from), Some(to)) = (packed.get(line..line + row), memory.get_mut(at..at + row)) {
                to.copy_from_slice(from);
            }
        });
    }

    fn lines(&self, _level: u32, layer: u32, mut each: impl FnMut(usize, usize, usize)) {
        let [columns, lines, slices] = self.extent;
        let row = columns * self.element;
        for slice in 0..slices {
            for line in 0..lines {
                let at = (layer as usize * slices + slice) * self.slice + line * self.pitch;
                each(at, (slice * lines + line) * row, row);
            }
        }
    }
}
