//! What the renderer whose tests these are can draw at all. Those of `afterimage-metal` are these, too.

/// How a guest's renderer captures vertices.
#[derive(Clone, Copy, Debug)]
pub struct Captures {
    /// Whether the device does.
    pub native: bool,
    /// Whether the last vertex of a primitive may provoke.
    pub last: bool,
    /// Whether indices of lists may begin anew.
    pub lists_restart: bool,
    /// Whether draws that buffers describe may have a first instance.
    pub first_instance: bool,
}

/// What tests ask for before they begin.
#[derive(Clone, Copy, Debug)]
pub struct Has {
    /// Queries of primitives.
    pub primitives: bool,
    /// Smooth lines, and devices that lack modes of lines.
    pub raster_options: bool,
    /// Wide lines, and modes of them.
    pub wide_lines: bool,
    /// Samplers with a bias of the level of detail, and with any colour of borders.
    pub sampler_options: bool,
    /// Storage images.
    pub images: bool,
    /// Atomic operations on texels.
    pub image_atomics: bool,
    /// Textures that are arrays, each texel of which has samples.
    pub sample_arrays: bool,
}
