//! Presenting: to nothing, to pictures on disk, to whoever asked for the frames, to windows.

use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::hud::Hud;
use crate::memory::{Buffer, Image, ImageView, Place};
use crate::options::{FrameSet, Options};
use crate::overlay::{Canvas, Overlays, Rectangle};
use crate::renderer::Renderer;
use crate::submit::Trash;
use crate::swapchain::{SurfaceFactory, Swapchain};
use crate::workers::{Urgency, Workers};
use afterimage_output::{Channels, Failures};
use afterimage_stream::packets::{Overlay, Present, PresentTarget, Rect};
use afterimage_stream::{Arena, ObjectId, Reply};
use ash::vk;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

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
struct Pending {
    submission: u64,
    target: ObjectId,
    frame: u64,
    width: u32,
    height: u32,
    buffer: Buffer,
    /// Where it is written to.
    files: Vec<PathBuf>,
}

/// Targets and pictures.
pub(crate) struct Presenter {
    gpu: Arc<Gpu>,
    screenshots: Option<PathBuf>,
    screenshot_frames: Option<FrameSet>,
    /// Names for the next picture, which somebody wants besides.
    kept: Vec<PathBuf>,
    pub(crate) sink: Option<PictureSink>,
    pending: VecDeque<Pending>,
    writers: Option<Workers>,
    /// Files that could not be written.
    pub(crate) failures: Arc<Failures>,
    targets: Vec<PresentTarget>,
    swapchains: FxHashMap<ObjectId, Swapchain>,
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

impl Presenter {
    pub(crate) fn new(gpu: &Arc<Gpu>, options: &Options) -> Self {
        let screenshots = options.screenshots.clone();
        let failures = Arc::new(Failures::default());
        if let Some(dir) = &screenshots
            && let Some(why) = failures.note(dir, std::fs::create_dir_all(dir))
        {
            tracing::error!("{why}");
        }
        Self {
            gpu: Arc::clone(gpu),
            writers: None,
            failures,
            screenshots,
            screenshot_frames: options.screenshot_frames.clone(),
            kept: Vec::new(),
            sink: None,
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
        let shown = |hud: &&Hud| !self.headless && (!picture || hud.overlay.items & Overlay::PICTURES != 0);
        self.hud.as_deref().filter(shown).map_or_else(Vec::new, |hud| hud.rectangles(extent))
    }

    /// Writes the next picture to a file of this name and its number.
    pub(crate) fn keep_next(&mut self, name: PathBuf) {
        self.kept.push(name);
    }

    /// Where a frame's picture is to be written to.
    fn files(&mut self, frame: u64) -> Vec<PathBuf> {
        let named = |mut name: PathBuf| {
            name.as_mut_os_string().push(format!("-frame-{frame:06}.png"));
            name
        };
        let mut files: Vec<PathBuf> = self.kept.drain(..).map(named).collect();
        if let Some(folder) = &self.screenshots
            && self.screenshot_frames.as_ref().is_none_or(|set| set.contains(frame))
        {
            files.push(folder.join(format!("frame-{frame:06}.png")));
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
            for path in pending.files {
                let writers = self.writers.get_or_insert_with(|| Workers::new("pictures"));
                let (width, height) = (pending.width, pending.height);
                let rgb: Vec<u8> = bytes.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
                let failures = Arc::clone(&self.failures);
                writers.run(Urgency::Soon, move || {
                    let written = afterimage_output::png(&path, [width, height], Channels::Rgb, &rgb);
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

impl Renderer {
    /// Sends every presented picture to `sink` as well, some frames late. For windows that are drawn by a blit.
    pub fn set_picture_sink(&mut self, sink: Option<PictureSink>) {
        self.presenter.sink = sink;
    }

    /// Where windows' surfaces come from. Targets declared before are looked at again at their next declaration.
    pub fn set_surface_factory(&mut self, factory: Option<SurfaceFactory>) {
        self.presenter.surfaces = factory;
    }

    /// [`PresentTarget`].
    pub(crate) fn present_target(&mut self, body: &PresentTarget) -> Result {
        let wanted = vk::Extent2D { width: body.width, height: body.height };
        let presenter = &mut self.presenter;
        let was = presenter.targets.iter().position(|target| target.id == body.id);
        let was = was.map(|at| presenter.targets.swap_remove(at));
        presenter.targets.push(*body);
        if was.is_some_and(|was| (was.window_kind, was.window) == (body.window_kind, body.window))
            && let Some(chain) = presenter.swapchains.get_mut(&body.id)
        {
            chain.set_wanted(wanted);
            return Ok(());
        }
        presenter.swapchains.remove(&body.id);
        if presenter.headless || !self.gpu.instance.surfaces {
            return Ok(());
        }
        let Some(factory) = &mut presenter.surfaces else { return Ok(()) };
        match factory(body, &self.gpu.instance) {
            Some(Ok(surface)) => {
                let chain = Swapchain::new(&self.gpu, surface, wanted)?;
                presenter.swapchains.insert(body.id, chain);
            }
            // Pictures, captures and read backs go on without a window.
            Some(Err(error)) => tracing::error!("{}: no surface for its window: {error}", body.id),
            None => {}
        }
        Ok(())
    }

    /// Shows figures over the pictures in windows, or none. What a guest wants with [`Overlay`] goes before what this process was
    /// told.
    pub fn set_overlay(&mut self, body: &Overlay) {
        self.presenter.hud = Hud::new(body);
    }

    /// A target was destroyed.
    pub(crate) fn remove_target(&mut self, id: ObjectId) {
        self.presenter.targets.retain(|target| target.id != id);
        self.presenter.swapchains.remove(&id);
    }

    /// [`Present`].
    pub(crate) fn present(&mut self, body: &Present, arena: &dyn Arena, replies: &mut dyn FnMut(Reply)) -> Result {
        if body.shows_nothing() {
            let number = self.submit()?;
            self.record_present(body.frame);
            return self.frame_submitted(body.frame, number, replies);
        }
        if let Some(texture) = self.textures.get(body.texture).filter(|texture| !texture.can_be_shown()) {
            let what = format!("a window's picture from {} ({:?})", body.texture, texture.format);
            self.fail(Error::Unsupported { device: self.gpu.profile.name.clone(), what });
        }
        if self.presenter.hud.is_some() {
            self.hud_frame(arena);
        }
        let files = self.presenter.files(body.frame);
        if !files.is_empty() || self.presenter.sink.is_some() {
            self.copy_picture(body, files)?;
        }
        let shown = self.show(body).unwrap_or_else(|error| {
            self.fail(error);
            None
        });
        let number = match shown {
            Some(number) => number,
            None => self.submit()?,
        };
        self.stats.frames += 1;
        self.record_present(body.frame);
        self.frame_submitted(body.frame, number, replies)
    }

    /// The part of the texture that is shown; none of one whose texels are no colours for a window.
    pub(crate) fn shown(&self, body: &Present) -> Option<Rect> {
        let texture = self.textures.get(body.texture).filter(|texture| texture.can_be_shown())?;
        let whole = Rect { x: 0, y: 0, width: texture.desc.width, height: texture.desc.height };
        if body.src.is_empty() {
            return Some(whole);
        }
        let extent = vk::Extent2D { width: whole.width, height: whole.height };
        let clipped = crate::targets::clip(&body.src, extent)?;
        Some(Rect {
            x: clipped.offset.x,
            y: clipped.offset.y,
            width: clipped.extent.width,
            height: clipped.extent.height,
        })
    }

    /// Converts what is shown to 8 bits per channel and copies it for the CPU.
    fn copy_picture(&mut self, body: &Present, files: Vec<PathBuf>) -> Result {
        let Some(rect) = self.shown(body) else { return Ok(()) };
        let extent = vk::Extent2D { width: rect.width, height: rect.height };
        let picture = picture_image(&self.gpu, "picture", extent, vk::ImageUsageFlags::COLOR_ATTACHMENT)?;
        let bytes = u64::from(rect.width) * u64::from(rect.height) * 4;
        let buffer = Buffer::new(&self.presenter.gpu, "picture", bytes, Place::ReadBack)?;
        let source = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        let whole = Rect { x: 0, y: 0, width: rect.width, height: rect.height };
        let mut view = None;
        let outgoing = Outgoing {
            image: picture.raw,
            format: vk::Format::R8G8B8A8_UNORM,
            extent,
            to: whole,
            figures: self.presenter.figures(true, extent),
            end: source,
        };
        self.draw_out(body, rect, outgoing, |gpu| {
            let new = plain_view(gpu, picture.raw, vk::Format::R8G8B8A8_UNORM)?;
            Ok(view.insert(new).raw)
        })?;
        if let Some(view) = view {
            self.submissions.discard(Trash::View(view));
        }
        let cmd = self.main();
        let region = [vk::BufferImageCopy::default()
            .image_subresource(
                vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1),
            )
            .image_extent(extent.into())];
        // SAFETY: the image has this size and layout, the buffer as many bytes.
        unsafe { self.gpu.raw.cmd_copy_image_to_buffer(cmd, picture.raw, source, buffer.raw, &region) };
        self.host_barrier(cmd);
        self.submissions.discard(Trash::Image(picture.into()));
        self.presenter.pending.push_back(Pending {
            submission: self.submissions.current,
            target: body.target,
            frame: body.frame,
            width: rect.width,
            height: rect.height,
            buffer,
            files,
        });
        Ok(())
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

impl Renderer {
    /// Records how a part of the presented texture gets into an image: by a blit, or through gamma, and with figures over it.
    /// `view` is only asked for where something is drawn.
    pub(crate) fn draw_out(
        &mut self,
        body: &Present,
        from: Rect,
        out: Outgoing,
        view: impl FnOnce(&Arc<Gpu>) -> Result<vk::ImageView>,
    ) -> Result {
        let gamma = self.state.gammas.get(&body.target).cloned();
        let canvas = match gamma.is_some() || !out.figures.is_empty() {
            true => Some(Canvas { view: view(&self.gpu)?, format: out.format, extent: out.extent }),
            false => None,
        };
        let (copied, drawn) = (vk::ImageLayout::TRANSFER_DST_OPTIMAL, vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL);
        self.end_pass();
        let mut layout = vk::ImageLayout::UNDEFINED;
        let mut turn = |renderer: &mut Self, new: vk::ImageLayout| {
            let cmd = renderer.main();
            renderer.image_barrier(cmd, out.image, std::mem::replace(&mut layout, new), new);
        };
        match (&gamma, canvas) {
            (Some(steps), Some(canvas)) => {
                turn(self, drawn);
                self.draw_with_gamma(body.texture, from, canvas, out.to, steps)?;
            }
            _ => {
                turn(self, copied);
                let whole = Rect { x: 0, y: 0, width: out.extent.width, height: out.extent.height };
                if out.to != whole {
                    self.clear_to_black(out.image, copied);
                }
                self.blit_out(body.texture, from, out.image, copied, out.to)?;
            }
        }
        if let Some(canvas) = canvas.filter(|_| !out.figures.is_empty()) {
            turn(self, drawn);
            self.draw_rectangles(canvas, &out.figures)?;
        }
        turn(self, out.end);
        Ok(())
    }

    fn clear_to_black(&mut self, image: vk::Image, layout: vk::ImageLayout) {
        let cmd = self.main();
        let black = vk::ClearColorValue { float32: [0.0, 0.0, 0.0, 1.0] };
        let range =
            vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR).level_count(1).layer_count(1);
        // SAFETY: the image is in the layout named.
        unsafe { self.gpu.raw.cmd_clear_color_image(cmd, image, layout, &black, &[range]) };
        self.image_barrier(cmd, image, layout, layout);
    }
}
