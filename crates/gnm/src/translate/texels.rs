//! Where texels lie in guest memory, and copies between there and rows.

use afterimage_stream::packets::Dimension;
use afterimage_texture::gnm;

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

/// Where every element of a surface lies, and copies between there and packed lines.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    tiles: gnm::Layout,
    /// Whether slices of a level are a volume's, which are copied at once.
    is_volume: bool,
}

impl Layout {
    /// The layout of a surface.
    ///
    /// # Errors
    /// What no surface can have.
    pub(super) fn new(place: &Place, shape: &Shape) -> Result<Self, gnm::Error> {
        let tiles = gnm::Layout::new(&gnm::Description {
            tile_mode: place.tile_mode,
            bits: place.element * 8,
            block: place.block,
            width: shape.width,
            height: shape.height,
            depth: shape.depth,
            layers: shape.layers,
            levels: shape.levels,
            samples: place.samples,
            pitch: place.pitch,
            pow2_pad: place.pow2_pad,
            bank_swizzle: 0,
        })?;
        Ok(Self { tiles, is_volume: shape.dimension == Dimension::D3 })
    }

    /// Bytes from the first element to behind the last.
    pub(super) fn bytes(&self) -> u64 {
        self.tiles.bytes
    }

    /// Packed bytes of a level of a layer, every slice of it.
    pub(super) fn packed(&self, level: u32) -> usize {
        self.part(level, 0, 0).map_or(0, |(part, pitch)| pitch.slice * part.slices.len())
    }

    /// What of the surface is a level of a layer, and how packed lines of it lie.
    fn part(&self, level: u32, layer: u32, sample: u32) -> Result<(gnm::Slices, gnm::Pitch), gnm::Error> {
        let found = self.tiles.levels().get(level as usize).ok_or(gnm::Error::Part("level", level))?;
        let slices = if self.is_volume { 0..found.slices } else { layer..layer + 1 };
        let line = (found.width * self.tiles.element) as usize;
        let pitch = gnm::Pitch { line, slice: line * found.height as usize };
        Ok((gnm::Slices { level, slices, sample }, pitch))
    }

    /// Copies a sample of a level of a layer, every slice of it, into packed lines.
    ///
    /// # Errors
    /// If there is no such part.
    pub(super) fn load(
        &self,
        [level, layer, sample]: [u32; 3],
        memory: &[u8],
        packed: &mut [u8],
    ) -> Result<(), gnm::Error> {
        let (part, pitch) = self.part(level, layer, sample)?;
        self.tiles.detile(&part, memory, packed, pitch)
    }

    /// Copies packed lines into a sample of a level of a layer.
    ///
    /// # Errors
    /// If there is no such part.
    pub(super) fn store(
        &self,
        [level, layer, sample]: [u32; 3],
        packed: &[u8],
        memory: &mut [u8],
    ) -> Result<(), gnm::Error> {
        let (part, pitch) = self.part(level, layer, sample)?;
        self.tiles.tile(&part, packed, pitch, memory)
    }
}
