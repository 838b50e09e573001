//! Pictures of windows that are asked for and shown.

use afterimage_metal_calls::{
    Device, Error, LayerDescriptor, PixelFormat, Presents, Result, StorageMode, TextureDescriptor, TextureType,
    TextureUsage,
};

use super::SoftQueue;
use crate::command::Command;
use crate::layer::SoftLayer;
use crate::texture::SoftTexture;

/// Pictures of a layer that are drawn or shown at once, as `maximumDrawableCount` has it.
const PICTURES: usize = 3;

/// `CAMetalDrawable` in software.
#[derive(Debug)]
pub struct SoftDrawable {
    layer: SoftLayer,
    texture: SoftTexture,
}

impl Drop for SoftDrawable {
    fn drop(&mut self) {
        let mut inner = self.layer.inner();
        inner.drawn = inner.drawn.saturating_sub(1);
    }
}

impl Presents for SoftQueue {
    type Layer = SoftLayer;
    type Drawable = SoftDrawable;

    fn configure(&mut self, layer: &SoftLayer, descriptor: &LayerDescriptor) -> Result {
        let most = self.device().facts().limits.texture_edge;
        if descriptor.size.iter().any(|s| !(1..=most).contains(s)) {
            let faults = vec![format!("{:?} is not 1 to {most}", descriptor.size)];
            return Err(Error::Refused { what: "drawableSize", faults });
        }
        layer.inner().size = Some(descriptor.size);
        Ok(())
    }

    fn next_drawable(&mut self, layer: &SoftLayer) -> Option<SoftDrawable> {
        let [width, height] = layer.inner().size?;
        // The one that is seen is one of them. Nobody else gives one back, so to wait is of no use.
        let shown = usize::from(layer.inner().shown.is_some());
        if layer.inner().drawn + shown >= PICTURES {
            return None;
        }
        let texture = self.device().new_texture(&TextureDescriptor {
            ty: TextureType::D2,
            format: PixelFormat::BGRA8Unorm,
            size: [width, height, 1],
            levels: 1,
            samples: 1,
            layers: 1,
            // `framebufferOnly`.
            usage: TextureUsage { target: true, ..TextureUsage::default() },
            storage: StorageMode::Private,
            label: "drawable".to_owned(),
        });
        let texture = texture.ok()?;
        layer.inner().drawn += 1;
        Some(SoftDrawable { layer: layer.clone(), texture })
    }

    fn drawable_texture(drawable: &SoftDrawable) -> SoftTexture {
        drawable.texture.clone()
    }

    fn present(&mut self, drawable: SoftDrawable) {
        let (layer, texture) = (drawable.layer.clone(), drawable.texture.clone());
        self.encode_outside("presentDrawable:", Command::Present(layer, texture));
    }
}
