//! Rendering in the program's own process with Metal itself, on a thread of its own.

use super::OpenError;
use super::asked::Requests;
use crate::captures;
use afterimage_config::settings;
use afterimage_ipc::ArenaConfig;
use afterimage_metal::{Options, Renderer};
use afterimage_metal_apple::{Device, Layer, pool};
use afterimage_stream::Link;
use afterimage_stream::packets::{PresentTarget, WindowKind};
use std::sync::Arc;

/// Opens the Metal device and starts the render thread, which ends with the link: dropping that waits until the last frame is drawn, and
/// compiled pipelines are kept for the next time.
///
/// # Errors
/// No device, or none that will do.
pub(super) fn open() -> Result<Box<dyn Link>, OpenError> {
    let said = |error: &dyn std::fmt::Display| OpenError::Metal(error.to_string());
    let device = Device::choose(settings().device.as_deref()).map_err(|error| said(&error))?;
    let options = Options::of(settings());
    let mut renderer = Renderer::new(device.clone(), options).map_err(|error| said(&error))?;
    renderer.set_layer_factory(Box::new(move |target| layer(&device, target)));
    if let Some(folder) = afterimage_vulkan::Options::from_env().cache_dir {
        let kept = std::fs::create_dir_all(&folder).map_err(|error| error.to_string());
        let kept = kept.and_then(|()| renderer.keep_pipelines(&folder).map_err(|error| error.to_string()));
        if let Err(error) = kept {
            tracing::warn!("pipelines are not kept in {}: {error}", folder.display());
        }
    }
    let asked = Arc::new(Requests { capture: renderer.capture_requests(), picture: renderer.picture_requests() });
    let kept = Arc::clone(&asked);
    let link = renderer.on_thread(ArenaConfig::from_env(), |work| pool(work), kept).map_err(OpenError::Thread)?;
    captures::add(Arc::clone(&asked));
    Ok(Box::new(link))
}

/// The layer of a target's window; `None` where it has no window.
fn layer(device: &Device, target: &PresentTarget) -> Option<Result<Layer, String>> {
    if [WindowKind::Headless as u32, WindowKind::Blit as u32].contains(&target.window_kind) {
        return None;
    }
    let window = usize::try_from(target.window).ok()?;
    // SAFETY: the window is the program's, which has promised to keep it as long as its device.
    let raw = unsafe { crate::platform::metal_layer(window) };
    Some(raw.and_then(|raw| {
        // SAFETY: SDL made it, and keeps it as long as the window.
        unsafe { Layer::of_layer(device, raw) }.map_err(|error| error.to_string())
    }))
}
