//! Presenting: frames end, and pictures go to whoever wants them.

use crate::error::Result;
use crate::pipeline::key::TargetFormats;
use crate::pipeline::own::{Own, Source};
use crate::present::Pending;
use crate::renderer::Renderer;
use crate::state::targets::clip;
use afterimage_metal_calls::{
    Aspect, BufferLayout, Device, PixelFormat, Queue, Region, Stage, StorageMode, TextureDescriptor, TextureType,
    TextureUsage,
};
use afterimage_stream::Reply;
use afterimage_stream::packets::{Present, Rect, View};

impl<D: Device> Renderer<D> {
    /// [`Present`]. Windows are not drawn to: the calls have no layers.
    pub(crate) fn present(&mut self, body: &Present, replies: &mut dyn FnMut(Reply)) -> Result {
        if !body.shows_nothing() {
            if self.presenter.sink.is_some()
                && let Err(error) = self.copy_picture(body)
            {
                tracing::error!("Present: {error}");
            }
            self.stats.frames += 1;
        }
        self.end_frame_of_feedback()?;
        let serial = self.submit()?;
        self.frame_submitted(body.frame, serial, replies)
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
    fn copy_picture(&mut self, body: &Present) -> Result {
        let Some(from) = self.shown(body) else { return Ok(()) };
        let Some(texture) = self.resources.textures.get(body.texture) else { return Ok(()) };
        if texture.format.is_depth() || texture.format.is_integer() {
            return Err(self.unsupported(format!("a picture from {} ({:?})", body.texture, texture.format)));
        }
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
        formats.colors[0] = Some(PixelFormat::RGBA8Unorm);
        let to = Rect { x: 0, y: 0, width: size[0], height: size[1] };
        let steps = gamma.map(|steps| {
            let channel = |channel: usize, step: usize| {
                f32::from(steps.get(channel * 256 + step).copied().unwrap_or(0)) / 65535.0
            };
            (0..256).map(|step| [channel(0, step), channel(1, step), channel(2, step), 1.0]).collect::<Vec<_>>()
        });
        self.draw_copy(own, &source, &from, (&picture, 0, 0, false), &formats, &to, false, |renderer| match &steps {
            Some(steps) => renderer.set_bytes(Stage::Fragment, 1, bytemuck::cast_slice(steps)),
            None => Ok(()),
        })?;
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
        });
        Ok(())
    }
}

/// Whether a source needs a sampler.
pub(crate) fn samples(kind: Source) -> bool {
    matches!(kind, Source::Float | Source::Volume | Source::Depth)
}
