//! What renderers of one process have in common: the open device, and the images that several guests draw with.

use crate::device::gpu::Gpu;
use crate::device::memory::Image;
use crate::error::Result;
use crate::options::{Options, Without};
use afterimage_stream::packets::CreateTexture;
use rustc_hash::FxHashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// What decides which device is opened, and how.
#[derive(PartialEq)]
struct Opening {
    device: Option<String>,
    validate: [bool; 2],
    without: Without,
}

static OPEN: Mutex<Vec<(Opening, Weak<Gpu>)>> = Mutex::new(Vec::new());

impl Gpu {
    /// The device that the options ask for: the one that this process has open already, if there is one, so that guests can
    /// share images.
    ///
    /// # Errors
    /// As [`Gpu::open`].
    pub fn common(options: &Options) -> Result<Arc<Self>> {
        let opening = Opening {
            device: options.device.clone(),
            validate: [options.validate, options.validate_if_there],
            without: options.without,
        };
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(_, gpu)| gpu.upgrade().is_some_and(|gpu| !gpu.is_lost()));
        let found = open.iter().find(|(other, _)| *other == opening).and_then(|(_, gpu)| gpu.upgrade());
        if let Some(gpu) = found {
            return Ok(gpu);
        }
        let gpu = Self::open(options)?;
        open.push((opening, Arc::downgrade(&gpu)));
        Ok(gpu)
    }

    /// Whether a renderer has found the device lost.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }
}

/// An image of several textures.
pub(crate) struct SharedImage {
    pub(crate) desc: CreateTexture,
    pub(crate) image: Weak<Image>,
    /// Textures hold it, and let it go when they are destroyed; the image stays until the GPU is done with it.
    pub(crate) number: Weak<()>,
}

/// Images by their numbers.
#[derive(Default)]
pub(crate) struct SharedImages(pub(crate) Mutex<FxHashMap<u32, SharedImage>>);
