//! What the GPU may still use when the guest is done with it.

use crate::device::memory::{Buffer, Image, ImageView};
use crate::resources::sampler::Sampler;
#[cfg(unix)]
use std::any::Any;
use std::sync::Arc;

/// Something that the GPU may still use.
#[allow(dead_code, reason = "the values are only kept alive")]
pub(crate) enum Trash {
    Buffer(Buffer),
    Image(Arc<Image>),
    View(ImageView),
    Sampler(Sampler),
    #[cfg(unix)]
    Shared(Arc<dyn Any + Send + Sync>),
}
