//! Images that several guests draw with: made, found, and shown to the others.
//!
//! Everything goes through one queue, in the order of its submission, and home layouts are the same for all textures of an
//! image: so a barrier at the end of each submission of whoever has such images is all that they need.

use crate::device::barrier::full_barrier;
use crate::device::shared::SharedImage;
use crate::error::{Error, Result};
use crate::renderer::Renderer;
use crate::resources::texture::Texture;
use afterimage_stream::ObjectId;
use afterimage_stream::packets::CreateTexture;
use std::sync::{Arc, PoisonError};

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
        self.resources.shared.push(body.id);
        if is_new {
            // Before anybody else finds it, it has its layout, and zeros in it.
            self.make_live(body.id)?;
            self.submit()?;
        }
        Ok(())
    }

    /// At the end of a submission: what was drawn to shared images is there for whatever comes after it in the queue.
    pub(crate) fn show_shared(&mut self) {
        if !self.resources.shared.is_empty() {
            let cmd = self.recorder.main();
            full_barrier(&self.gpu, cmd);
        }
    }

    /// Other textures of the images that are drawn to are written, too.
    pub(crate) fn mark_twins(&mut self) {
        if self.resources.shared.is_empty() {
            return;
        }
        for attachment in self.bound.targets.colors.iter().chain(std::iter::once(&self.bound.targets.depth)).flatten() {
            let number = self.resources.textures.get(attachment.texture).map_or(0, |texture| texture.desc.shared);
            for &id in self.resources.shared.iter().filter(|_| number != 0) {
                if let Some(twin) = self.resources.textures.get_mut(id).filter(|twin| twin.desc.shared == number) {
                    twin.written = true;
                }
            }
        }
    }
}
