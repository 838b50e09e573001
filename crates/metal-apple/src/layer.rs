//! Pictures in windows: `CAMetalLayer`.

use crate::check;
use crate::objects::{Device, Texture};
use crate::pool;
use crate::queue::{Encoder, Queue};
use crate::refuse::refused;
use afterimage_metal_calls::{
    LayerDescriptor, PixelFormat, Presents, Result, StorageMode, TextureDescriptor, TextureType, TextureUsage,
};
use objc2::MainThreadMarker;
use objc2::rc::Retained;
use objc2::runtime::ProtocolObject;
use objc2_core_foundation::CGSize;
use objc2_metal::{MTLCommandBuffer as _, MTLPixelFormat, MTLTexture as _};
use objc2_quartz_core::{CAMetalDrawable, CAMetalLayer};
use raw_window_handle::RawWindowHandle;
use std::ffi::c_void;
use std::sync::Arc;

/// `CAMetalLayer`, over a view of AppKit's.
#[derive(Clone, Debug)]
pub struct Layer(Arc<LayerParts>);

#[derive(Debug)]
struct LayerParts {
    raw: Retained<CAMetalLayer>,
}

// SAFETY: what is done with the layer here (its own properties, its drawables) is safe on any thread, as Core Animation's layers are; its view,
// which is not, is not touched. Source: Apple, "Core Animation Programming Guide".
unsafe impl Send for LayerParts {}
// SAFETY: as above.
unsafe impl Sync for LayerParts {}

impl Layer {
    /// A layer over all of a window's view, that follows its size; nothing can be seen of it before it is [configured](Presents::configure).
    ///
    /// # Safety
    /// The handle is of a window that is there.
    ///
    /// # Errors
    /// On another thread than the main one, and for windows of others than AppKit.
    pub unsafe fn of_window(device: &Device, handle: RawWindowHandle) -> Result<Self> {
        const CALL: &str = "CAMetalLayer";
        let RawWindowHandle::AppKit(handle) = handle else {
            return Err(refused(CALL, format!("windows of {handle:?} are not known")));
        };
        if MainThreadMarker::new().is_none() {
            return Err(refused(CALL, "views are the main thread's"));
        }
        pool(|| {
            // SAFETY: the view of a window that is there, on the main thread.
            let layer = unsafe { raw_window_metal::Layer::from_ns_view(handle.ns_view) };
            // SAFETY: `into_raw` gives a layer that it has retained.
            let raw = unsafe { Retained::from_raw(layer.into_raw().as_ptr().cast::<CAMetalLayer>()) };
            Ok(Self::ready(device, raw.ok_or_else(|| refused(CALL, "the view has none"))?))
        })
    }

    /// A layer that somebody else has made, as SDL does; it lives as long as this one.
    ///
    /// # Safety
    /// The pointer is of a `CAMetalLayer` that is there.
    ///
    /// # Errors
    /// Where it is null.
    pub unsafe fn of_layer(device: &Device, layer: *mut c_void) -> Result<Self> {
        pool(|| {
            // SAFETY: the caller vouches for it.
            let raw = unsafe { Retained::retain(layer.cast::<CAMetalLayer>()) };
            Ok(Self::ready(device, raw.ok_or_else(|| refused("CAMetalLayer", "there is none"))?))
        })
    }

    fn ready(device: &Device, raw: Retained<CAMetalLayer>) -> Self {
        raw.setDevice(Some(&device.0.raw));
        raw.setPixelFormat(MTLPixelFormat::BGRA8Unorm);
        raw.setFramebufferOnly(true);
        Self(Arc::new(LayerParts { raw }))
    }
}

/// `CAMetalDrawable`: a picture of a layer.
#[derive(Debug)]
pub struct Drawable {
    raw: Retained<ProtocolObject<dyn CAMetalDrawable>>,
    texture: Texture,
}

// SAFETY: a drawable is given to one command buffer, on whichever thread that is written; nothing else is done with it.
unsafe impl Send for Drawable {}

impl Presents for Queue {
    type Layer = Layer;
    type Drawable = Drawable;

    fn configure(&mut self, layer: &Layer, descriptor: &LayerDescriptor) -> Result {
        let ([width, height], most) = (descriptor.size, self.facts().limits.texture_edge);
        if !(1..=most).contains(&width) || !(1..=most).contains(&height) {
            return Err(refused("setDrawableSize", format!("{width} by {height}, not 1 to {most}")));
        }
        pool(|| {
            layer.0.raw.setDrawableSize(CGSize { width: width.into(), height: height.into() });
            layer.0.raw.setDisplaySyncEnabled(descriptor.sync);
        });
        Ok(())
    }

    fn next_drawable(&mut self, layer: &Layer) -> Option<Drawable> {
        if self.done().is_lost() {
            return None;
        }
        pool(|| {
            let raw = layer.0.raw.nextDrawable()?;
            let texture = raw.texture();
            let edge = |edge: usize| u32::try_from(edge).unwrap_or(u32::MAX);
            let is = check::Texture {
                framebuffer_only: true,
                ..check::Texture::of(&TextureDescriptor {
                    ty: TextureType::D2,
                    format: PixelFormat::BGRA8Unorm,
                    size: [edge(texture.width()), edge(texture.height()), 1],
                    levels: 1,
                    samples: 1,
                    layers: 1,
                    usage: TextureUsage { target: true, ..TextureUsage::default() },
                    storage: StorageMode::Private,
                    label: String::new(),
                })
            };
            Some(Drawable { texture: Texture::root(texture, is), raw })
        })
    }

    fn drawable_texture(drawable: &Drawable) -> Texture {
        drawable.texture.clone()
    }

    fn present(&mut self, drawable: Drawable) {
        if !matches!(self.encoder, Encoder::None) {
            return self.fault("presentDrawable", "an encoder is open");
        }
        pool(|| {
            if let Some(buffer) = self.command_buffer() {
                buffer.presentDrawable(ProtocolObject::from_ref(&*drawable.raw));
            }
        });
    }
}
