//! Presenting: frames end, and pictures go to whoever wants them.

use crate::error::Result;
use crate::pipeline::key::TargetFormats;
use crate::pipeline::own::{Own, Source};
use crate::present::Pending;
use crate::renderer::Renderer;
use crate::state::targets::clip;
use afterimage_metal_calls::{
    Aspect, BufferLayout, ColorAttachment, Device, LoadAction, PixelFormat, Queue, Region, RenderPass, Stage,
    StorageMode, StoreAction, Subresource, TextureDescriptor, TextureType, TextureUsage,
};
use afterimage_render::pictures::PictureFile;
use afterimage_stream::packets::{Present, PresentTarget, Rect, View};
use afterimage_stream::{Arena, Created, Reply};

impl<D: Device> Renderer<D> {
    /// [`Present`].
    pub(crate) fn present(&mut self, body: &Present, arena: &dyn Arena, replies: &mut dyn FnMut(Reply)) -> Result {
        if !body.shows_nothing() {
            if self.presenter.pictures.hud.is_some() {
                self.hud_frame(arena);
            }
            self.log_frame();
            self.captures.say_written(&self.presenter.pictures);
            let files = self.presenter.pictures.files(body.frame);
            if (!files.is_empty() || self.presenter.pictures.sink.is_some())
                && let Err(error) = self.copy_picture(body, files)
            {
                tracing::error!("Present: {error}");
            }
            if self.presenter.windows.is_some()
                && let Err(error) = self.show(body)
            {
                tracing::error!("Present, in a window: {error}");
            }
            self.stats.frames += 1;
        }
        self.end_frame_of_feedback()?;
        let serial = self.submit()?;
        self.captures.end_frame(body.frame);
        self.frame_submitted(body.frame, serial, replies)
    }

    /// Draws what is shown into a picture of the target's window, and shows that.
    fn show(&mut self, body: &Present) -> Result {
        let Some(from) = self.shown(body) else { return Ok(()) };
        let Some(Created::Target(target)) = self.state.objects.get(body.target) else { return Ok(()) };
        let target = **target;
        let Some(mut windows) = self.presenter.windows.take() else { return Ok(()) };
        let picture = windows.next(&mut self.commands.queue, &target, body.interval > 0);
        let drawn = match &picture {
            Some(picture) => self.draw_into_window(body, &target, &from, picture),
            None => Ok(()),
        };
        self.commands.end();
        // One that could not be drawn into has nothing to show.
        if drawn.is_ok() {
            windows.show(&mut self.commands.queue);
        }
        self.presenter.windows = Some(windows);
        drawn
    }

    fn draw_into_window(
        &mut self,
        body: &Present,
        target: &PresentTarget,
        from: &Rect,
        picture: &D::Texture,
    ) -> Result {
        let size = [target.width, target.height];
        let whole = Rect { x: 0, y: 0, width: size[0], height: size[1] };
        let to = match body.dst.is_empty() {
            true => whole,
            false => clip(&body.dst, size).map_or(whole, |part| Rect {
                x: part.origin[0] as i32,
                y: part.origin[1] as i32,
                width: part.size[0],
                height: part.size[1],
            }),
        };
        self.end_pass();
        if to != whole {
            self.clear_picture(picture);
        }
        self.draw_picture(body, from, picture, PixelFormat::BGRA8Unorm, &to)?;
        let figures = self.presenter.pictures.figures(false, size);
        self.draw_over(picture, PixelFormat::BGRA8Unorm, size, &figures)
    }

    /// Makes a picture black in which there is nothing yet.
    fn clear_picture(&mut self, picture: &D::Texture) {
        self.commands.end();
        let target = Subresource::<D> { texture: picture, level: 0, slice: 0, depth_plane: 0 };
        let load = LoadAction::Clear([0.0, 0.0, 0.0, 1.0]);
        self.commands.queue.begin_render(&RenderPass {
            label: "black",
            colors: &[Some(ColorAttachment { target, resolve: None, load, store: StoreAction::Store })],
            depth: None,
            stencil: None,
            layers: 0,
            without_attachments: None,
            visibility: None,
        });
        self.commands.begun_render();
    }

    /// Draws a part of the texture that is presented into a picture of a format with 8 bits a channel, through the target's gamma.
    fn draw_picture(
        &mut self,
        body: &Present,
        from: &Rect,
        picture: &D::Texture,
        format: PixelFormat,
        to: &Rect,
    ) -> Result {
        let Some(texture) = self.resources.textures.get(body.texture) else { return Ok(()) };
        if texture.format.is_depth() || texture.format.is_integer() {
            return Err(self.unsupported(format!("a picture from {} ({:?})", body.texture, texture.format)));
        }
        let view = self.rooted(View { texture: body.texture, level: 0, layer: 0 });
        self.make_live(body.texture)?;
        self.end_pass();
        let gamma = self.state.gammas.get(&body.target).cloned();
        let source = self.copy_source(view)?;
        let own = match (&gamma, source.kind) {
            (Some(_), kind) => Own::Present(kind),
            (None, kind) => Own::Copy(kind),
        };
        let mut formats = TargetFormats { samples: 1, ..TargetFormats::default() };
        formats.colors[0] = Some(format);
        let steps = gamma.map(|steps| {
            let channel = |channel: usize, step: usize| {
                f32::from(steps.get(channel * 256 + step).copied().unwrap_or(0)) / 65535.0
            };
            (0..256).map(|step| [channel(0, step), channel(1, step), channel(2, step), 1.0]).collect::<Vec<_>>()
        });
        let scales = [from.width, from.height] != [to.width, to.height];
        self.draw_copy(own, &source, from, (picture, 0, 0, false), &formats, to, scales, |renderer| match &steps {
            Some(steps) => renderer.set_bytes(Stage::Fragment, 1, bytemuck::cast_slice(steps)),
            None => Ok(()),
        })
    }

    /// The part of the texture that is shown.
    fn shown(&self, body: &Present) -> Option<Rect> {
        let [width, height, _] = self.resources.textures.get(body.texture)?.extent(0);
        let whole = Rect { x: 0, y: 0, width, height };
        if body.src.is_empty() {
            return Some(whole);
        }
        let part = clip(&body.src, [width, height])?;
        Some(Rect { x: part.origin[0] as i32, y: part.origin[1] as i32, width: part.size[0], height: part.size[1] })
    }

    /// Converts what is shown to 8 bits per channel, through the target's gamma, and copies it for the CPU.
    fn copy_picture(&mut self, body: &Present, files: Vec<PictureFile>) -> Result {
        let Some(from) = self.shown(body) else { return Ok(()) };
        let size = [from.width, from.height];
        let picture = self.device.new_texture(&TextureDescriptor {
            ty: TextureType::D2,
            format: PixelFormat::RGBA8Unorm,
            size: [size[0], size[1], 1],
            levels: 1,
            samples: 1,
            layers: 1,
            usage: TextureUsage { target: true, read: true, ..TextureUsage::default() },
            storage: StorageMode::Private,
            label: "picture".to_owned(),
        })?;
        let to = Rect { x: 0, y: 0, width: size[0], height: size[1] };
        self.draw_picture(body, &from, &picture, PixelFormat::RGBA8Unorm, &to)?;
        let figures = self.presenter.pictures.figures(true, size);
        self.draw_over(&picture, PixelFormat::RGBA8Unorm, size, &figures)?;
        let pitch = (size[0] * 4).next_multiple_of(self.device.facts().limits.buffer_copy_step.max(1));
        let buffer = self.readable_buffer(u64::from(pitch) * u64::from(size[1]), "picture")?;
        let region = Region { slice: 0, level: 0, origin: [0; 3], size: [size[0], size[1], 1] };
        let layout = BufferLayout { offset: 0, bytes_per_row: pitch.into(), bytes_per_image: 0 };
        self.commands.blit().copy_texture_to_buffer(&picture, region, Aspect::All, &buffer, layout);
        let serial = self.commands.current();
        self.presenter.pending.push_back(Pending {
            serial,
            target: body.target,
            frame: body.frame,
            size,
            pitch,
            buffer,
            files,
        });
        Ok(())
    }
}

/// Whether a source needs a sampler.
pub(crate) fn samples(kind: Source) -> bool {
    matches!(kind, Source::Float | Source::Volume | Source::Depth)
}
