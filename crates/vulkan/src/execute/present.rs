//! Presenting: to nothing, to pictures on disk, to whoever asked for the frames, to windows.

use crate::device::gpu::Gpu;
use crate::device::memory::{Buffer, Place};
use crate::error::{Error, Result};
use crate::present::overlay::Canvas;
use crate::present::presenter::{Outgoing, Pending, picture_image, plain_view};
use crate::present::swapchain::{SurfaceFactory, Swapchain};
use crate::renderer::Renderer;
use crate::resources::trash::Trash;
use afterimage_render::hud::Hud;
use afterimage_render::pictures::{PictureFile, PictureSink};
use afterimage_stream::packets::{Overlay, Present, PresentTarget, Rect};
use afterimage_stream::{Arena, ObjectId, Reply};
use ash::vk;
use std::sync::Arc;

impl Renderer {
    /// Sends every presented picture to `sink` as well, some frames late. For windows that are drawn by a blit.
    pub fn set_picture_sink(&mut self, sink: Option<PictureSink>) {
        self.presenter.pictures.sink = sink;
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
        if presenter.pictures.headless || !self.gpu.instance.surfaces {
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
        self.presenter.pictures.hud = Hud::new(body);
        self.measure_gpu();
    }

    /// Says something on the pictures in windows, for two seconds.
    pub fn notice(&mut self, text: &str) {
        self.presenter.pictures.notices.say(text);
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
            self.captures.end_frame(body.frame);
            return self.frame_submitted(body.frame, number, replies);
        }
        if let Some(texture) = self.resources.textures.get(body.texture).filter(|texture| !texture.can_be_shown()) {
            let what = format!("a window's picture from {} ({:?})", body.texture, texture.format);
            self.fail(Error::Unsupported { device: self.gpu.profile.name.clone(), what });
        }
        if self.presenter.pictures.hud.is_some() {
            self.hud_frame(arena);
        }
        self.log_frame();
        self.captures.say_written(&self.presenter.pictures);
        let files = self.presenter.pictures.files(body.frame);
        if !files.is_empty() || self.presenter.pictures.sink.is_some() {
            self.copy_picture(body, files)?;
        }
        #[cfg(unix)]
        if let Err(error) = self.export_picture(body) {
            self.fail(error);
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
        self.captures.end_frame(body.frame);
        self.frame_submitted(body.frame, number, replies)
    }

    /// The part of the texture that is shown; none of one whose texels are no colours for a window.
    pub(crate) fn shown(&self, body: &Present) -> Option<Rect> {
        let texture = self.resources.textures.get(body.texture).filter(|texture| texture.can_be_shown())?;
        let whole = Rect { x: 0, y: 0, width: texture.desc.width, height: texture.desc.height };
        if body.src.is_empty() {
            return Some(whole);
        }
        let extent = vk::Extent2D { width: whole.width, height: whole.height };
        let clipped = crate::state::targets::clip(&body.src, extent)?;
        Some(Rect {
            x: clipped.offset.x,
            y: clipped.offset.y,
            width: clipped.extent.width,
            height: clipped.extent.height,
        })
    }

    /// Converts what is shown to 8 bits per channel and copies it for the CPU.
    fn copy_picture(&mut self, body: &Present, files: Vec<PictureFile>) -> Result {
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
            figures: self.presenter.pictures.figures(true, [extent.width, extent.height]),
            end: source,
        };
        self.draw_out(body, rect, outgoing, |gpu| {
            let new = plain_view(gpu, picture.raw, vk::Format::R8G8B8A8_UNORM)?;
            Ok(view.insert(new).raw)
        })?;
        if let Some(view) = view {
            self.recorder.submissions.discard(Trash::View(view));
        }
        let cmd = self.recorder.main();
        let region = [vk::BufferImageCopy::default()
            .image_subresource(
                vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1),
            )
            .image_extent(extent.into())];
        // SAFETY: the image has this size and layout, the buffer as many bytes.
        unsafe { self.gpu.raw.cmd_copy_image_to_buffer(cmd, picture.raw, source, buffer.raw, &region) };
        self.host_barrier(cmd);
        self.recorder.submissions.discard(Trash::Image(picture.into()));
        self.presenter.pending.push_back(Pending {
            submission: self.recorder.submissions.current,
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
            let cmd = renderer.recorder.main();
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
        let cmd = self.recorder.main();
        let black = vk::ClearColorValue { float32: [0.0, 0.0, 0.0, 1.0] };
        let range =
            vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR).level_count(1).layer_count(1);
        // SAFETY: the image is in the layout named.
        unsafe { self.gpu.raw.cmd_clear_color_image(cmd, image, layout, &black, &[range]) };
        self.image_barrier(cmd, image, layout, layout);
    }
}
