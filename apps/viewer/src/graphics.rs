//! What programs are drawn with: Vulkan, or Metal where the user has chosen that.

use crate::source::Source;
use afterimage_config::{Graphics, settings};
use afterimage_ipc::SlotImporter;
use afterimage_metal_calls::Archives;
use afterimage_render::pictures::PictureSink;
use afterimage_render::step::{Stepper, Steps};
use afterimage_render::texels::Texels;
use afterimage_stream::packets::{Overlay, View};
use afterimage_stream::{DeviceInfo, Executor, Reply};
use afterimage_vulkan::{Gpu, Options, SurfaceFactory, ash};
use afterimage_window::Handles;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A renderer, whatever it draws with.
pub(crate) trait Draws: Executor + Send {
    /// What guests are told about the device.
    fn info(&self) -> DeviceInfo;

    /// Has the device copy out of a shared file itself, where it can.
    fn importer(&self) -> Option<Box<dyn SlotImporter>>;

    /// Why it draws no more, if so.
    fn loss(&self) -> Option<String>;

    /// Pictures presented, and draws asked for.
    fn counts(&self) -> (u64, u64);

    /// Shows figures over the pictures in windows, or none.
    fn overlay(&mut self, body: &Overlay);

    /// Says something on the pictures in windows.
    fn say(&mut self, text: &str);

    /// Sends every presented picture to somebody, some frames late.
    fn picture_sink(&mut self, sink: Option<PictureSink>);

    /// Whether a capture is being recorded.
    fn captures(&self) -> bool;

    /// Captures the next frames.
    fn capture_next(&mut self, path: &Path, frames: u64);

    /// Waits until everything executed so far is done.
    ///
    /// # Errors
    /// The device is lost, in words.
    fn end(&mut self) -> Result<(), String>;

    /// Completes every file that the options and requests ask for. How many could not be written.
    fn end_files(&mut self) -> u64;
}

impl Draws for afterimage_vulkan::Renderer {
    fn info(&self) -> DeviceInfo {
        self.device_info()
    }

    fn importer(&self) -> Option<Box<dyn SlotImporter>> {
        Some(Box::new(self.slot_importer()))
    }

    fn loss(&self) -> Option<String> {
        self.lost().map(ToString::to_string)
    }

    fn counts(&self) -> (u64, u64) {
        (self.presented(), self.draws())
    }

    fn overlay(&mut self, body: &Overlay) {
        self.set_overlay(body);
    }

    fn say(&mut self, text: &str) {
        self.notice(text);
    }

    fn picture_sink(&mut self, sink: Option<PictureSink>) {
        self.set_picture_sink(sink);
    }

    fn captures(&self) -> bool {
        self.is_capturing()
    }

    fn capture_next(&mut self, path: &Path, frames: u64) {
        self.capture_next_frames(path, frames);
    }

    fn end(&mut self) -> Result<(), String> {
        self.finish(&mut |_| {}).map_err(|error| error.to_string())
    }

    fn end_files(&mut self) -> u64 {
        self.finish_files()
    }
}

impl<D: Archives> Draws for afterimage_metal::Renderer<D> {
    fn info(&self) -> DeviceInfo {
        self.device_info()
    }

    fn importer(&self) -> Option<Box<dyn SlotImporter>> {
        None
    }

    fn loss(&self) -> Option<String> {
        self.lost().map(ToString::to_string)
    }

    fn counts(&self) -> (u64, u64) {
        (self.presented(), self.draws())
    }

    fn overlay(&mut self, body: &Overlay) {
        self.set_overlay(body);
    }

    fn say(&mut self, text: &str) {
        self.notice(text);
    }

    fn picture_sink(&mut self, sink: Option<PictureSink>) {
        self.set_picture_sink(sink);
    }

    fn captures(&self) -> bool {
        self.is_capturing()
    }

    fn capture_next(&mut self, path: &Path, frames: u64) {
        self.capture_next_frames(path, frames);
    }

    fn end(&mut self) -> Result<(), String> {
        self.finish(&mut |_: Reply| {}).map_err(|error| error.to_string())
    }

    fn end_files(&mut self) -> u64 {
        let unwritten = self.finish_files();
        if let Err(error) = self.write_pipelines() {
            tracing::warn!("pipelines are not kept: {error}");
        }
        unwritten
    }
}

/// A capture that is gone through call by call, whatever draws it.
pub(crate) trait Walks: Send {
    /// Goes to the place right behind a call.
    ///
    /// # Errors
    /// There is no such call, or the device is lost.
    fn run_to(&mut self, call: u64) -> Result<(), String>;

    /// What best shows what the last call did.
    fn shown(&self) -> Option<View>;

    /// What a subresource of a texture holds behind the last call.
    ///
    /// # Errors
    /// The device is lost, or has no memory left.
    fn picture(&mut self, view: View) -> Result<Option<Texels>, String>;

    /// How long each of these calls takes on the GPU.
    ///
    /// # Errors
    /// As [`Walks::run_to`].
    fn times(&mut self, calls: Range<u64>) -> Result<Vec<(u64, Option<Duration>)>, String>;
}

impl<R: Steps + Send> Walks for Stepper<R> {
    fn run_to(&mut self, call: u64) -> Result<(), String> {
        Stepper::run_to(self, call).map_err(|error| error.to_string())
    }

    fn shown(&self) -> Option<View> {
        Stepper::shown(self)
    }

    fn picture(&mut self, view: View) -> Result<Option<Texels>, String> {
        Stepper::picture(self, view).map_err(|error| error.to_string())
    }

    fn times(&mut self, calls: Range<u64>) -> Result<Vec<(u64, Option<Duration>)>, String> {
        Stepper::times(self, calls).map_err(|error| error.to_string())
    }
}

/// A stepper in a capture.
fn walk<R: Steps + Send + 'static>(renderer: R, source: &Source) -> Result<Box<dyn Walks>, String> {
    let stepper = match source {
        Source::File(path) => Stepper::open(renderer, path),
        Source::Bytes(bytes) => Stepper::from_bytes(renderer, Arc::clone(bytes)),
    };
    Ok(Box::new(stepper.map_err(|error| error.to_string())?))
}

/// A device that is open.
#[derive(Clone)]
pub(crate) enum Device {
    Vulkan(Arc<Gpu>),
    #[cfg(target_os = "macos")]
    Metal(afterimage_metal_apple::Device),
    #[cfg(target_os = "linux")]
    MetalSoft(afterimage_metal_soft::SoftDevice),
}

/// Whether renderers may be in a sandbox: the software Metal starts a compiler, and loads what that makes.
pub(crate) fn may_be_confined() -> bool {
    !(cfg!(target_os = "linux") && settings().graphics == Graphics::MetalSoft)
}

impl Device {
    /// Opens the device that the options and the configuration ask for.
    ///
    /// # Errors
    /// There is none that will do, in words.
    pub(crate) fn open(options: &Options) -> Result<Self, String> {
        match settings().graphics {
            Graphics::Vulkan => {}
            #[cfg(target_os = "macos")]
            Graphics::Metal => {
                let device = afterimage_metal_apple::Device::choose(options.device.as_deref());
                return device.map(Self::Metal).map_err(|error| format!("graphics = metal: {error}"));
            }
            #[cfg(target_os = "linux")]
            Graphics::MetalSoft => {
                afterimage_metal_soft::compiler().map_err(|why| {
                    format!("graphics = metal-soft: the software Metal needs clang (apt-get install clang-14): {why}")
                })?;
                let device = afterimage_metal_soft::SoftDevice::new(afterimage_metal_calls::Family::Apple7);
                let compiled = options.cache_dir.iter().map(|folder| folder.join("metal-soft"));
                return Ok(Self::MetalSoft(compiled.fold(device, afterimage_metal_soft::SoftDevice::with_compiled)));
            }
            other => {
                tracing::warn!("graphics = {}: this system has none of it; Vulkan draws", other.name());
            }
        }
        Gpu::common(options).map(Self::Vulkan).map_err(|error| error.to_string())
    }

    /// Whether the CPU draws.
    pub(crate) fn is_cpu(&self) -> bool {
        match self {
            Self::Vulkan(gpu) => gpu.profile.kind == ash::vk::PhysicalDeviceType::CPU,
            #[cfg(target_os = "macos")]
            Self::Metal(_) => false,
            #[cfg(target_os = "linux")]
            Self::MetalSoft(_) => true,
        }
    }

    /// A renderer. With Vulkan it draws into windows; of what Metal draws, programs and the viewer's own window show the pictures.
    ///
    /// # Errors
    /// The device makes none, in words.
    pub(crate) fn renderer(&self, options: Options, windows: Option<SurfaceFactory>) -> Result<Box<dyn Draws>, String> {
        match self {
            Self::Vulkan(gpu) => {
                let renderer = afterimage_vulkan::Renderer::on(Arc::clone(gpu), options);
                let mut renderer = renderer.map_err(|error| error.to_string())?;
                if windows.is_some() {
                    renderer.set_surface_factory(windows);
                }
                Ok(Box::new(renderer))
            }
            #[cfg(target_os = "macos")]
            Self::Metal(device) => Ok(Box::new(self.on_metal(device, &options)?)),
            #[cfg(target_os = "linux")]
            Self::MetalSoft(device) => Ok(Box::new(self.on_metal(device, &options)?)),
        }
    }

    /// A renderer on Metal, with the pipelines that earlier ones have compiled.
    fn on_metal<D: Archives>(&self, device: &D, options: &Options) -> Result<afterimage_metal::Renderer<D>, String> {
        let mut own_process = options.own_process.clone();
        if let Some(own) = own_process.as_mut().filter(|_| self.is_cpu()) {
            own.gpu_timeout = own.timeout_on(true);
        }
        let own = afterimage_metal::Options {
            float_rules: options.float_rules.unwrap_or(afterimage_metal::FloatRules::Strict),
            trace_packets: options.trace_packets,
            wishes: options.wishes.clone(),
            own_process,
            ..afterimage_metal::Options::default()
        };
        let mut renderer = afterimage_metal::Renderer::new(device.clone(), own).map_err(|error| error.to_string())?;
        if let Some(folder) = &options.cache_dir {
            let kept = std::fs::create_dir_all(folder).map_err(|error| error.to_string());
            let kept = kept.and_then(|()| renderer.keep_pipelines(folder).map_err(|error| error.to_string()));
            if let Err(error) = kept {
                tracing::warn!("pipelines are not kept in {}: {error}", folder.display());
            }
        }
        Ok(renderer)
    }

    /// Goes through a capture with a renderer of its own.
    ///
    /// # Errors
    /// What is wrong with the capture or the device, in words.
    pub(crate) fn stepper(&self, options: Options, source: &Source) -> Result<Box<dyn Walks>, String> {
        match self {
            Self::Vulkan(gpu) => {
                let renderer = afterimage_vulkan::Renderer::on(Arc::clone(gpu), options);
                walk(renderer.map_err(|error| error.to_string())?, source)
            }
            #[cfg(target_os = "macos")]
            Self::Metal(device) => walk(self.on_metal(device, &options)?, source),
            #[cfg(target_os = "linux")]
            Self::MetalSoft(device) => walk(self.on_metal(device, &options)?, source),
        }
    }

    /// A renderer for a window of the viewer's, and the device that it is on: the software Metal has no windows, for which Vulkan stands in.
    ///
    /// # Errors
    /// There is no device that will do, in words.
    pub(crate) fn of_window(options: &Options, handles: Handles) -> Result<(Self, Box<dyn Draws>), String> {
        let windows: SurfaceFactory = Box::new(move |_, instance| Some(handles.surface(instance)));
        let device = match Self::open(options)? {
            #[cfg(target_os = "macos")]
            Self::Metal(device) => {
                let layer = handles.layer(&device)?;
                let own = Self::Metal(device.clone());
                let mut renderer = own.on_metal(&device, options)?;
                renderer.set_layer_factory(Box::new(move |_| Some(Ok(layer.clone()))));
                return Ok((own, Box::new(renderer)));
            }
            #[cfg(target_os = "linux")]
            Self::MetalSoft(_) => Self::Vulkan(Gpu::common(options).map_err(|error| error.to_string())?),
            device => device,
        };
        let renderer = device.renderer(options.clone(), Some(windows))?;
        Ok((device, renderer))
    }

    /// Does a piece of a thread's work: on Macs in a pool for what Metal makes meanwhile.
    pub(crate) fn around<T>(&self, work: impl FnOnce() -> T) -> T {
        #[cfg(target_os = "macos")]
        return afterimage_metal_apple::pool(work);
        #[cfg(not(target_os = "macos"))]
        work()
    }
}
