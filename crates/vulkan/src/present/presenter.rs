//! Pictures on their way out: windows, screenshots, whoever wants them.

use crate::device::gpu::Gpu;
use crate::device::memory::{Buffer, Image, ImageView};
use crate::error::Result;
use crate::options::{FrameSet, Options};
use crate::present::overlay::Overlays;
use crate::present::swapchain::{SurfaceFactory, Swapchain};
use afterimage_output::{Channels, Failures};
use afterimage_render::hud::log::HudLog;
use afterimage_render::hud::notices::Notices;
use afterimage_render::hud::times::Times;
use afterimage_render::hud::{Counters, Hud, Rectangle, layout};
use afterimage_render::workers::{Urgency, Workers};
use afterimage_stream::ObjectId;
use afterimage_stream::packets::{Corner, Overlay, PresentTarget, Rect};
use ash::vk;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// A presented picture in CPU memory.
#[derive(Debug)]
pub struct Picture<'a> {
    /// The target it was presented to.
    pub target: ObjectId,
    /// Frame number.
    pub frame: u64,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Rows from the top, red, green, blue and alpha in a byte each.
    pub rgba: &'a [u8],
}

/// Receives presented pictures.
pub type PictureSink = Box<dyn FnMut(&Picture<'_>) + Send>;

/// A picture that the GPU is copying.
pub(crate) struct Pending {
    pub(crate) submission: u64,
    pub(crate) target: ObjectId,
    pub(crate) frame: u64,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) buffer: Buffer,
    /// Where it is written to.
    pub(crate) files: Vec<Wanted>,
}

/// A file that a picture is written to.
pub(crate) struct Wanted {
    path: PathBuf,
    /// Somebody waits for it: that it is there is said on the picture.
    by_hand: bool,
}

/// Targets and pictures.
pub(crate) struct Presenter {
    pub(crate) gpu: Arc<Gpu>,
    screenshots: Option<PathBuf>,
    screenshot_frames: Option<FrameSet>,
    /// Names for the next picture, which somebody wants besides.
    kept: Vec<PathBuf>,
    /// What is said on pictures in windows.
    pub(crate) notices: Arc<Notices>,
    /// A line of figures for each frame goes there.
    pub(crate) hud_log: Option<HudLog>,
    /// What was counted when that log was last told of the GPU, and when.
    pub(crate) logged: Option<(Instant, Counters)>,
    pub(crate) sink: Option<PictureSink>,
    /// Images that pictures go to for another device.
    #[cfg(unix)]
    pub(crate) exports: Option<crate::present::exported::Exports>,
    pub(crate) pending: VecDeque<Pending>,
    writers: Option<Workers>,
    /// Files that could not be written.
    pub(crate) failures: Arc<Failures>,
    pub(crate) targets: Vec<PresentTarget>,
    pub(crate) swapchains: FxHashMap<ObjectId, Swapchain>,
    pub(crate) surfaces: Option<SurfaceFactory>,
    /// Windows are not drawn to: a replay.
    pub(crate) headless: bool,
    /// Which guest presents, see [`afterimage_stream::packets::Init::guest`].
    pub(crate) guest: u32,
    /// Figures over pictures, where they are wanted.
    pub(crate) hud: Option<Box<Hud>>,
    /// What draws over pictures, once something has.
    pub(crate) overlays: Option<Box<Overlays>>,
}

/// What is said of a file that somebody waits for.
pub(crate) fn saved<T, E: Display>(path: &Path, written: &std::result::Result<T, E>) -> String {
    let name = path.file_name().unwrap_or_default().display();
    written.as_ref().map_or_else(|error| format!("{name}: {error}"), |_| format!("saved {name}"))
}

/// The log of figures that the options name. One that cannot be made is said.
fn hud_log(gpu: &Gpu, options: &Options, failures: &Failures) -> Option<HudLog> {
    let path = options.hud_log.as_ref()?;
    let made = HudLog::create(path, &gpu.profile.name, &gpu.profile.driver);
    match made {
        Ok(log) => Some(log),
        Err(error) => {
            if let Some(why) = failures.note(path, Err::<(), _>(error)) {
                tracing::error!("{why}");
            }
            None
        }
    }
}

impl Presenter {
    pub(crate) fn new(gpu: &Arc<Gpu>, options: &Options) -> Self {
        let screenshots = options.screenshots.clone();
        let failures = Arc::new(Failures::default());
        if let Some(dir) = &screenshots
            && let Some(why) = failures.note(dir, std::fs::create_dir_all(dir))
        {
            tracing::error!("{why}");
        }
        let hud_log = hud_log(gpu, options, &failures);
        Self {
            gpu: Arc::clone(gpu),
            writers: None,
            failures,
            screenshots,
            screenshot_frames: options.screenshot_frames.clone(),
            kept: Vec::new(),
            notices: Arc::default(),
            hud_log,
            logged: None,
            sink: None,
            #[cfg(unix)]
            exports: None,
            pending: VecDeque::new(),
            targets: Vec::new(),
            swapchains: FxHashMap::default(),
            surfaces: None,
            headless: false,
            guest: 0,
            hud: None,
            overlays: None,
        }
    }

    pub(crate) fn take_swapchain(&mut self, target: ObjectId) -> Option<Swapchain> {
        self.swapchains.remove(&target)
    }

    /// A target's window may have another size: some drivers only tell so after further pictures.
    pub(crate) fn make_anew(&mut self, target: ObjectId) {
        if let Some(chain) = self.swapchains.get_mut(&target) {
            chain.stale = true;
        }
    }

    pub(crate) fn put_swapchain(&mut self, target: ObjectId, swapchain: Swapchain) {
        self.swapchains.insert(target, swapchain);
    }

    /// What is drawn over pictures of this size in windows (or pictures for the CPU).
    pub(crate) fn figures(&self, picture: bool, extent: vk::Extent2D) -> Vec<Rectangle> {
        if self.headless {
            return Vec::new();
        }
        let size = [extent.width, extent.height];
        let shown = |hud: &&Hud| !picture || hud.overlay.items & Overlay::PICTURES != 0;
        let hud = self.hud.as_deref();
        let mut rectangles = hud.filter(shown).map_or_else(Vec::new, |hud| hud.rectangles(size));
        if !picture {
            // Not where the figures are.
            let overlay = hud.map_or_else(Overlay::default, |hud| hud.overlay);
            let corner = match Corner::of(overlay.corner) {
                Corner::BottomLeft => Corner::TopLeft,
                _ => Corner::BottomLeft,
            };
            let overlay = Overlay { corner: corner as u8, ..overlay };
            rectangles.extend(layout::rectangles(&overlay, &self.notices.lines(), &Times::default(), size));
        }
        rectangles
    }

    /// Writes the next picture to a file of this name and its number.
    pub(crate) fn keep_next(&mut self, name: PathBuf) {
        self.kept.push(name);
    }

    /// Where a frame's picture is to be written to.
    pub(crate) fn files(&mut self, frame: u64) -> Vec<Wanted> {
        let named = |mut name: PathBuf| {
            name.as_mut_os_string().push(format!("-frame-{frame:06}.png"));
            Wanted { path: name, by_hand: true }
        };
        let mut files: Vec<Wanted> = self.kept.drain(..).map(named).collect();
        if let Some(folder) = &self.screenshots
            && self.screenshot_frames.as_ref().is_none_or(|set| set.contains(frame))
        {
            files.push(Wanted { path: folder.join(format!("frame-{frame:06}.png")), by_hand: false });
        }
        files
    }

    /// Hands out the pictures that have arrived.
    pub(crate) fn deliver(&mut self, completed: u64) {
        while self.pending.front().is_some_and(|pending| pending.submission <= completed) {
            let Some(pending) = self.pending.pop_front() else { break };
            let bytes = pending.buffer.bytes(0, pending.width as usize * pending.height as usize * 4);
            if let Some(sink) = &mut self.sink {
                sink(&Picture {
                    target: pending.target,
                    frame: pending.frame,
                    width: pending.width,
                    height: pending.height,
                    rgba: bytes,
                });
            }
            for Wanted { path, by_hand } in pending.files {
                let writers = self.writers.get_or_insert_with(|| Workers::new("pictures"));
                let (width, height) = (pending.width, pending.height);
                let rgb: Vec<u8> = bytes.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
                let (failures, notices) = (Arc::clone(&self.failures), Arc::clone(&self.notices));
                writers.run(Urgency::Soon, move || {
                    let written = afterimage_output::png(&path, [width, height], Channels::Rgb, &rgb);
                    if by_hand {
                        notices.say(&saved(&path, &written));
                    }
                    if let Some(why) = failures.note(&path, written) {
                        tracing::error!("{why}");
                    }
                });
            }
        }
    }

    /// Waits until every picture is on disk.
    pub(crate) fn finish_screenshots(&mut self, completed: u64) {
        self.deliver(completed);
        if let Some(writers) = &self.writers {
            writers.finish();
        }
    }
}

/// An image that a presented picture goes to. Its contents are undefined before.
pub(crate) struct Outgoing {
    pub(crate) image: vk::Image,
    pub(crate) format: vk::Format,
    pub(crate) extent: vk::Extent2D,
    /// The part that the picture fills; black is around it.
    pub(crate) to: Rect,
    /// Drawn over it.
    pub(crate) figures: Vec<Rectangle>,
    /// Layout that it is left in.
    pub(crate) end: vk::ImageLayout,
}

/// An image of 8 bits per channel that can be copied to and from, and used as said.
pub(crate) fn picture_image(
    gpu: &Arc<Gpu>,
    name: &str,
    extent: vk::Extent2D,
    usage: vk::ImageUsageFlags,
) -> Result<Image> {
    let info = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(extent.into())
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST | usage);
    Image::new(gpu, name, &info)
}

/// A view of all of a colour image.
pub(crate) fn plain_view(gpu: &Arc<Gpu>, image: vk::Image, format: vk::Format) -> Result<ImageView> {
    let range =
        vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR).level_count(1).layer_count(1);
    let info = vk::ImageViewCreateInfo::default()
        .image(image)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(format)
        .subresource_range(range);
    ImageView::new(gpu, &info)
}
