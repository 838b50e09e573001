//! What renderers of one process have in common: the open device, and images that several guests draw with.
//!
//! Everything goes through one queue, in the order of its submission, and home layouts are the same for all textures of an
//! image: so a barrier at the end of each submission of whoever has such images is all that they need.

use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::memory::Image;
use crate::options::{Options, Without};
use crate::renderer::Renderer;
use crate::submit::full_barrier;
use crate::texture::Texture;
use afterimage_stream::ObjectId;
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
struct SharedImage {
    desc: CreateTexture,
    image: Weak<Image>,
    /// Textures hold it, and let it go when they are destroyed; the image stays until the GPU is done with it.
    number: Weak<()>,
}

/// Images by their numbers.
#[derive(Default)]
pub(crate) struct SharedImages(Mutex<FxHashMap<u32, SharedImage>>);

/// What all textures of an image must agree on.
fn shape(desc: &CreateTexture) -> CreateTexture {
    let usage = desc.usage & !(CreateTexture::SHARED_NEW | CreateTexture::SHARED_OLD);
    CreateTexture { id: ObjectId::NONE, pad: 0, usage, swizzle: CreateTexture::IDENTITY, ..*desc }
}

impl Renderer {
    /// [`CreateTexture`] with a number in `shared`.
    pub(crate) fn create_shared(&mut self, body: &CreateTexture) -> Result {
        let gpu = Arc::clone(&self.gpu);
        let number = body.shared;
        let wrong = |what| Err(Error::Shared { number, what });
        let mut images = gpu.shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        images.retain(|_, shared| shared.number.strong_count() > 0);
        let found = images.get(&number);
        let found = found.and_then(|found| Some((found.desc, found.image.upgrade()?, found.number.upgrade()?)));
        let found = match found {
            None if body.usage & CreateTexture::SHARED_OLD != 0 => return wrong("there is none"),
            Some(_) if body.usage & CreateTexture::SHARED_NEW != 0 => return wrong("there is one already"),
            Some((desc, ..)) if bytemuck::bytes_of(&desc) != bytemuck::bytes_of(&shape(body)) => {
                return wrong("it has another size, format or use");
            }
            found => found.map(|(_, image, number)| (image, number)),
        };
        let is_new = found.is_none();
        let (image, held) = found.unzip();
        let mut texture = Texture::of(&gpu, body, image)?;
        let held = held.unwrap_or_default();
        if is_new {
            let (image, number_held) = (Arc::downgrade(&texture.image), Arc::downgrade(&held));
            images.insert(number, SharedImage { desc: shape(body), image, number: number_held });
        } else {
            texture.live = true;
            texture.blank = 0;
        }
        texture.number = Some(held);
        self.add_texture(body.id, texture)?;
        self.shared.push(body.id);
        if is_new {
            // Before anybody else finds it, it has its layout, and zeros in it.
            self.make_live(body.id)?;
            self.submit()?;
        }
        Ok(())
    }

    /// At the end of a submission: what was drawn to shared images is there for whatever comes after it in the queue.
    pub(crate) fn show_shared(&mut self) {
        if !self.shared.is_empty() {
            let cmd = self.main();
            full_barrier(&self.gpu, cmd);
        }
    }

    /// Other textures of the images that are drawn to are written, too.
    pub(crate) fn mark_twins(&mut self) {
        if self.shared.is_empty() {
            return;
        }
        for attachment in self.targets.colors.iter().chain(std::iter::once(&self.targets.depth)).flatten() {
            let number = self.textures.get(attachment.texture).map_or(0, |texture| texture.desc.shared);
            for &id in self.shared.iter().filter(|_| number != 0) {
                if let Some(twin) = self.textures.get_mut(id).filter(|twin| twin.desc.shared == number) {
                    twin.written = true;
                }
            }
        }
    }
}
