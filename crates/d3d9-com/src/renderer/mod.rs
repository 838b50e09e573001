//! Who renders: this process, or the viewer. Option `renderer` is `auto` (this process if it has a Vulkan driver of its width,
//! else the viewer), `in-process` or `viewer`.

#[cfg(feature = "in-process")]
mod asked;
#[cfg(feature = "in-process")]
mod ending;
#[cfg(feature = "in-process")]
mod in_process;
#[cfg(all(feature = "in-process", target_os = "macos"))]
mod on_metal;
mod refused;
mod start;
#[cfg(feature = "in-process")]
mod surfaces;

use afterimage_config::{Graphics, Renderer, settings};
use afterimage_ipc::shared::{ConnectError, Options, SharedLink};
use afterimage_stream::Link;
use afterimage_stream::packets::{Corner, Overlay};
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) use refused::open_or_say;

use crate::captures;

/// Why nothing renders.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    /// No viewer.
    #[error(transparent)]
    Viewer(#[from] ConnectError),
    /// The viewer that the user named does not start.
    #[error("start_viewer = {}: {source}", program.display())]
    Start {
        /// Its program.
        program: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// No Vulkan.
    #[cfg(feature = "in-process")]
    #[error(transparent)]
    InProcess(#[from] afterimage_vulkan::Error),
    /// No Metal.
    #[cfg(all(feature = "in-process", target_os = "macos"))]
    #[error("graphics = metal: {0}")]
    Metal(String),
    /// No thread to render on.
    #[cfg(feature = "in-process")]
    #[error("starting the render thread: {0}")]
    Thread(std::io::Error),
    /// This library was built to use the viewer.
    #[cfg(not(feature = "in-process"))]
    #[error("renderer = in-process: this library was built without its own renderer; use the viewer")]
    NotBuilt,
    /// Neither way.
    #[error("this process cannot render ({0}), and the viewer cannot either ({1})")]
    Neither(Box<OpenError>, Box<OpenError>),
}

/// Where the renderer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In this process.
    #[cfg_attr(not(any(feature = "in-process", test)), allow(dead_code, reason = "this library has no renderer"))]
    Here,
    /// In the viewer, which knows nothing of this process's window handles.
    Viewer,
}

/// A way to a renderer.
pub(crate) struct Way {
    pub(crate) link: Box<dyn Link>,
    pub(crate) place: Place,
}

/// Opens a way to a renderer.
pub(crate) type Open = fn() -> Result<Way, OpenError>;

/// Opens a way to a renderer.
///
/// # Errors
/// Nobody renders; the error says what to do.
pub(crate) fn open() -> Result<Way, OpenError> {
    match settings().renderer {
        Renderer::InProcess => in_process(),
        Renderer::Viewer => viewer(),
        // What is below Windows, and whether it is a Mac, the viewer knows.
        Renderer::Auto if cfg!(windows) && settings().graphics != Graphics::Vulkan => viewer(),
        Renderer::Auto => in_process().or_else(|here| {
            tracing::info!("not rendering in this process: {here}");
            viewer().map_err(|there| OpenError::Neither(Box::new(here), Box::new(there)))
        }),
    }
}

/// Whether the renderer in this process has no way to draw into a window.
#[cfg(feature = "in-process")]
pub(crate) use surfaces::is_refused;

/// This library has no renderer that could.
#[cfg(not(feature = "in-process"))]
pub(crate) fn is_refused(_window: u64) -> bool {
    false
}

/// What this process's configuration wants to see over pictures.
fn figures() -> Overlay {
    let settings = settings();
    let corner = Corner::from_name(settings.hud_position.name()).unwrap_or(Corner::TopLeft);
    Overlay::of(settings.hud.iter().map(|item| item.name()), settings.hud_scale, corner)
}

/// Tells the renderer what this process's configuration wants to see over pictures, wherever it renders.
pub(crate) fn show_figures(guest: &mut afterimage_d3d9::Device) {
    let overlay = figures();
    if !overlay.is_off() {
        guest.set_overlay(overlay);
    }
}

/// Shows figures where none are shown, and none where some are. Who has named none gets those that most want to see.
pub(crate) fn turn_figures(guest: &mut afterimage_d3d9::Device) {
    let wanted = figures();
    let items = if wanted.is_off() { wanted.items | Overlay::USUAL } else { wanted.items };
    let shown = !guest.overlay().is_off();
    guest.set_overlay(Overlay { items: if shown { 0 } else { items }, ..wanted });
}

fn viewer() -> Result<Way, OpenError> {
    let options = Options::default();
    let options = Options { wait: refused::patience(options.wait), ..options };
    let link = match &settings().start_viewer {
        None => SharedLink::connect(&options)?,
        Some(program) => start::connect(program, options)?,
    };
    captures::add(Arc::clone(link.requests()));
    Ok(Way { link: Box::new(link), place: Place::Viewer })
}

#[cfg(feature = "in-process")]
pub(crate) fn in_process() -> Result<Way, OpenError> {
    let link = match settings().graphics {
        Graphics::Vulkan => in_process::open()?,
        #[cfg(target_os = "macos")]
        Graphics::Metal => on_metal::open()?,
        other => {
            tracing::warn!("graphics = {}: this process has none of it; Vulkan draws", other.name());
            in_process::open()?
        }
    };
    Ok(Way { link, place: Place::Here })
}

#[cfg(not(feature = "in-process"))]
fn in_process() -> Result<Way, OpenError> {
    Err(OpenError::NotBuilt)
}
