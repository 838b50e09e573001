//! A texture's texels without samples, for copies.

use crate::device::memory::Image;
use afterimage_stream::Format;
use ash::vk;

/// A plain image of one subresource, ready to be copied from.
pub(crate) struct Flat {
    pub(crate) image: Image,
    pub(crate) format: Format,
    /// Of the image.
    pub(crate) kind: vk::Format,
}
