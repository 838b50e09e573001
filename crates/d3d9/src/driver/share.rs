//! Images that devices share: `pSharedHandle` of Direct3D 9Ex.
//!
//! Handles are numbers that the receiver knows: devices share what has the same receiver's process, which is this one, or the
//! viewer's and then any program's that it draws.

use super::Device;
use crate::error::{Error, Result};
use crate::handle::ImageId;
use crate::memory::ImageKind;
use afterimage_d3d9_types::D3DPOOL_DEFAULT;
use afterimage_stream::packets::CreateTexture;
use afterimage_stream::{FormatFeatures, ObjectKind};
use std::hash::{BuildHasher, RandomState};

/// How often another number is tried.
const TRIES: u32 = 4;

/// Handles have this in their low bits, as Windows' global handles do, and fit into 31 bits.
const TAG: u32 = 2;

impl Device {
    /// Lets other devices have an image, which must be new: its handle.
    ///
    /// # Errors
    /// [`Error::NotAvailable`] for what cannot be shared: anything but two-dimensional images of the default pool that the
    /// device can draw to.
    pub fn share_image(&mut self, image: ImageId) -> Result<u32> {
        for salt in 0..TRIES {
            let number = RandomState::new().hash_one((std::process::id(), image, salt)) as u32;
            let handle = number & 0x7fff_fffc | TAG;
            if self.change_image(image, handle, CreateTexture::SHARED_NEW)? {
                return Ok(handle);
            }
        }
        Err(Error::NotAvailable)
    }

    /// Makes an image, which must be new, the one that a handle names.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] where there is no such handle, or its image is another in size, format or use;
    /// [`Error::NotAvailable`] as [`Device::share_image`].
    pub fn open_image(&mut self, image: ImageId, handle: u32) -> Result<()> {
        let can_be = handle & 0x8000_0003 == TAG;
        let opened = can_be && self.change_image(image, handle, CreateTexture::SHARED_OLD)?;
        if !opened && self.logged.insert("pSharedHandle") {
            let handle = format!("{handle:#x}");
            tracing::warn!(
                handle,
                "no such image is shared here (pSharedHandle); programs that share one need the viewer"
            );
        }
        if opened { Ok(()) } else { Err(Error::InvalidCall) }
    }

    /// Gives an image another object in the stream, with a number. False: the receiver says no, and all is as before.
    fn change_image(&mut self, id: ImageId, number: u32, condition: u8) -> Result<bool> {
        let info = self.port.device();
        let image = self.objects.images.get(id).ok_or(Error::InvalidCall)?;
        let drawn = if image.row.is_depth() { FormatFeatures::DEPTH } else { FormatFeatures::TARGET };
        let fits = image.pool == D3DPOOL_DEFAULT
            && matches!(image.kind, ImageKind::Surface | ImageKind::Texture)
            && image.row.convert.is_none()
            && !image.id.is_none()
            && image.host.is_some_and(|host| info.features(host) & drawn != 0);
        if !fits {
            let what = "resources of this kind or format cannot be shared between devices (pSharedHandle)";
            if self.logged.insert(what) {
                tracing::warn!(format = image.row.name, kind = ?image.kind, "{what}; making one fails");
            }
            return Err(Error::NotAvailable);
        }
        let new = self.port.allocate(ObjectKind::Texture)?;
        let image = self.objects.images.get_mut(id).ok_or(Error::InvalidCall)?;
        let old = (std::mem::replace(&mut image.id, new), std::mem::replace(&mut image.shared, number));
        if let Some(packet) = image.packet() {
            self.port.push(&CreateTexture { usage: packet.usage | condition, ..packet });
        }
        let accepted = self.port.accepted();
        let image = self.objects.images.get_mut(id).ok_or(Error::InvalidCall)?;
        if accepted == Ok(true) {
            image.memory = None;
            self.port.name(image.id, &image.title());
            self.port.destroy(old.0);
        } else {
            (image.id, image.shared) = old;
            self.port.destroy(new);
        }
        Ok(accepted?)
    }
}
