//! What the renderer whose tests these are can draw at all. Those of `afterimage-metal` are these, too.

/// What tests ask for before they begin.
#[derive(Clone, Copy, Debug)]
pub struct Has {
    /// Queries of primitives.
    pub primitives: bool,
    /// Logical operations, wide lines, modes of lines.
    pub raster_options: bool,
    /// Samplers with a bias of the level of detail, and with any colour of borders.
    pub sampler_options: bool,
    /// Storage images.
    pub images: bool,
}
