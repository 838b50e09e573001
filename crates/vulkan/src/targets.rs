//! Current targets and the render pass on them. A pass stays open across draws until something needs it closed.

use crate::apply::Applied;
use crate::error::Result;
use crate::pipeline::TargetFormats;
use crate::renderer::Renderer;
use crate::submit::memory_barrier;
use afterimage_state::{Effect, trace};
use afterimage_stream::packets::{Clear, Rect, View};
use afterimage_stream::{FormatFeatures, Group, Host, ObjectId};
use ash::vk;
use smallvec::SmallVec;

/// A target that is bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Attachment {
    pub(crate) texture: ObjectId,
    view: vk::ImageView,
    layout: vk::ImageLayout,
    pub(crate) extent: vk::Extent2D,
}

/// The current targets and whether a pass is open on them.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Targets {
    pub(crate) open: bool,
    pub(crate) colors: [Option<Attachment>; 8],
    pub(crate) depth: Option<Attachment>,
    /// A depth-stencil target that is smaller than a colour target, with its format, while nothing is tested against it: draws
    /// may go beyond it then.
    pub(crate) aside: Option<(Attachment, vk::Format)>,
    pub(crate) formats: TargetFormats,
    /// What texels of the colour targets are: [`crate::texture::Texture::kind`].
    pub(crate) kinds: [u8; 8],
    /// Part that every target has.
    pub(crate) extent: vk::Extent2D,
    /// Layers that every target has.
    pub(crate) layers: u32,
    /// Bit per colour target that can be blended with; the others are written as if blending were off.
    pub(crate) blendable: u8,
    /// Bit per colour target that shaders encode to sRGB.
    pub(crate) srgb_write: u8,
    /// Number of bits of the depth format, or 0 for a float format: scales depth bias.
    pub(crate) depth_bits: u32,
}

impl Targets {
    pub(crate) fn all(&self) -> impl Iterator<Item = &Attachment> {
        self.colors.iter().chain(std::iter::once(&self.depth)).flatten()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.extent.width == 0
    }

    /// Whether others are the same targets, whether a pass is open or not.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let Self { open: _, colors, depth, aside, formats, kinds, extent, layers, blendable, srgb_write, depth_bits } =
            self;
        (colors, depth, aside, formats, kinds)
            == (&other.colors, &other.depth, &other.aside, &other.formats, &other.kinds)
            && (extent, layers, blendable) == (&other.extent, &other.layers, &other.blendable)
            && (srgb_write, depth_bits) == (&other.srgb_write, &other.depth_bits)
    }

    /// A texture is destroyed: none of these is it any more.
    pub(crate) fn forget(&mut self, id: ObjectId) {
        let aside = self.aside.iter_mut().map(|(attachment, _)| attachment);
        for attachment in self.colors.iter_mut().flatten().chain(&mut self.depth).chain(aside) {
            if attachment.texture == id {
                attachment.texture = ObjectId::NONE;
            }
        }
    }
}

/// Values that a pass begins with.
#[derive(Clone, Copy, Default)]
pub(crate) struct Load {
    /// Bits of [`Clear`]: all channels of a colour, or none.
    pub(crate) flags: u32,
    pub(crate) color: [f32; 4],
    pub(crate) depth: f32,
    pub(crate) stencil: u32,
}

impl Load {
    /// The colour as texels of a kind want it: integers get the nearest to zero.
    pub(crate) fn color_of(self, kind: u8) -> vk::ClearColorValue {
        match kind {
            0 => vk::ClearColorValue { float32: self.color },
            1 => vk::ClearColorValue { uint32: self.color.map(|channel| channel as u32) },
            _ => vk::ClearColorValue { int32: self.color.map(|channel| channel as i32) },
        }
    }

    fn op(self, flag: u32) -> vk::AttachmentLoadOp {
        if self.flags & flag != 0 { vk::AttachmentLoadOp::CLEAR } else { vk::AttachmentLoadOp::LOAD }
    }
}

/// Whether sRGB must be encoded before a target of this format is written: it has few bits and no sRGB view.
fn encoded_by_shader(format: vk::Format) -> bool {
    matches!(
        format,
        vk::Format::R8_UNORM
            | vk::Format::R8G8_UNORM
            | vk::Format::R8G8B8A8_UNORM
            | vk::Format::B8G8R8A8_UNORM
            | vk::Format::R5G6B5_UNORM_PACK16
            | vk::Format::B5G6R5_UNORM_PACK16
            | vk::Format::A1R5G5B5_UNORM_PACK16
            | vk::Format::A4R4G4B4_UNORM_PACK16
            | vk::Format::A2R10G10B10_UNORM_PACK32
            | vk::Format::A2B10G10R10_UNORM_PACK32
    )
}

impl Renderer {
    /// Whether the depth-stencil target is smaller than a colour target.
    pub(crate) fn has_small_depth(&self) -> bool {
        trace::read(Host::TARGET_OBJECTS.only());
        let wanted = &*self.state.render_targets;
        let extent = |view: &View| {
            let texture = self.textures.get(view.texture).filter(|_| !view.texture.is_none());
            texture.map(|texture| texture.extent(view.level.into()))
        };
        let Some(depth) = extent(&wanted.depth) else { return false };
        wanted.color.iter().filter_map(extent).any(|color| color.width > depth.width || color.height > depth.height)
    }

    /// [`Group::SmallDepth`].
    pub(crate) fn apply_small_depth(&mut self) -> Effect {
        let small = self.has_small_depth();
        Effect::of(std::mem::replace(&mut self.small_depth, small) != small)
    }

    /// Whether a depth-stencil target is put aside: it is too small, and nothing is tested against it.
    pub(crate) fn puts_depth_aside(&self) -> bool {
        trace::read_result::<Host>(Group::SmallDepth);
        self.small_depth && self.state.depth_stencil.depth_test | self.state.depth_stencil.stencil_test == 0
    }

    /// [`Group::Aside`].
    pub(crate) fn apply_aside(&mut self) -> Effect {
        let aside = self.puts_depth_aside();
        Effect::of(std::mem::replace(&mut self.depth_aside, aside) != aside)
    }

    /// The targets that the state asks for. `tells` says whether what does not fit is logged.
    pub(crate) fn wanted_targets(&mut self, tells: bool) -> Result<Targets> {
        trace::read(Host::TARGET_OBJECTS.only());
        trace::read_result::<Host>(Group::Aside);
        let wanted = *self.state.render_targets;
        let mut targets = Targets::default();
        let mut extent = vk::Extent2D { width: u32::MAX, height: u32::MAX };
        for (index, view) in wanted.color.into_iter().enumerate() {
            let srgb = wanted.srgb >> index & 1 != 0;
            if let Some((attachment, format)) = self.attach(view, srgb, &mut targets, &mut extent, tells)? {
                if srgb && encoded_by_shader(format) {
                    targets.srgb_write |= 1 << index;
                }
                targets.colors[index] = Some(attachment);
                targets.formats.colors[index] = format;
                targets.kinds[index] = self.textures.get(view.texture).map_or(0, |texture| texture.kind);
                targets.blendable |= u8::from(self.blends(view.texture)) << index;
            }
        }
        if self.depth_aside {
            let mut unlimited = vk::Extent2D { width: u32::MAX, height: u32::MAX };
            targets.aside = self.attach(wanted.depth, false, &mut Targets::default(), &mut unlimited, tells)?;
        } else if let Some((attachment, format)) = self.attach(wanted.depth, false, &mut targets, &mut extent, tells)? {
            targets.depth = Some(attachment);
            targets.formats.depth = format;
            targets.depth_bits = match format {
                vk::Format::D16_UNORM => 16,
                vk::Format::D24_UNORM_S8_UINT | vk::Format::X8_D24_UNORM_PACK32 => 24,
                _ => 0,
            };
        }
        if targets.all().next().is_some() {
            targets.extent = extent;
        }
        targets.layers = wanted.layers.max(1);
        Ok(targets)
    }

    /// [`Group::Targets`].
    pub(crate) fn apply_targets(&mut self) -> Applied {
        let targets = self.wanted_targets(true)?;
        if targets.is_like(&self.targets) {
            return Ok(Effect::Same);
        }
        self.end_pass();
        let mark = |renderer: &mut Self, is_target: bool| {
            let aside = renderer.targets.aside.as_ref().map(|(attachment, _)| attachment);
            let all: SmallVec<[ObjectId; 9]> = renderer.targets.all().chain(aside).map(|a| a.texture).collect();
            for id in all {
                if let Some(texture) = renderer.textures.get_mut(id) {
                    texture.is_target = is_target;
                }
                if is_target {
                    renderer.make_live(id)?;
                }
            }
            Ok::<_, crate::Error>(())
        };
        mark(self, false)?;
        self.key.targets = self.pipelines.targets.number(&targets.formats);
        self.shading.runtime.pixel_ops.srgb_write = targets.srgb_write;
        self.targets = targets;
        mark(self, true)?;
        Ok(Effect::Changed)
    }

    /// Whether there is anything to draw to.
    pub(crate) fn is_drawable(&self) -> bool {
        trace::read_result::<Host>(Group::Targets);
        let viewport = &*self.state.viewport;
        // What is captured or stored is written although nothing is rasterised.
        let there = !self.targets.is_empty() && viewport.width > 0.0 && viewport.height > 0.0;
        there || self.state.raster.discard != 0 || self.may_capture()
    }

    /// Whether blending with a texture's texels is possible.
    fn blends(&self, id: ObjectId) -> bool {
        self.textures.get(id).is_none_or(|texture| texture.choice.features & FormatFeatures::BLEND != 0)
    }

    fn attach(
        &mut self,
        view: View,
        srgb: bool,
        targets: &mut Targets,
        extent: &mut vk::Extent2D,
        tells: bool,
    ) -> Result<Option<(Attachment, vk::Format)>> {
        if view.texture.is_none() {
            return Ok(None);
        }
        let root = self.root(view.texture);
        let layers = self.state.render_targets.layers.max(1) as u16;
        let Some(texture) = self.textures.get_mut(view.texture) else { return Ok(None) };
        let samples = u32::from(texture.desc.samples);
        if targets.formats.samples != 0 && targets.formats.samples != samples {
            if tells {
                tracing::error!(
                    "{} has {samples} samples, the targets before it {}: it is not drawn to",
                    view.texture,
                    targets.formats.samples
                );
            }
            return Ok(None);
        }
        let size = texture.extent(view.level.into());
        let raw = texture.target_view(&self.gpu, view.level, (view.layer, layers), srgb)?;
        targets.formats.samples = samples;
        extent.width = extent.width.min(size.width);
        extent.height = extent.height.min(size.height);
        let format = texture.target_format(&self.gpu, srgb);
        let layout = texture.home;
        let attachment = Attachment {
            texture: root,
            view: raw,
            layout,
            extent: vk::Extent2D { width: size.width, height: size.height },
        };
        Ok(Some((attachment, format)))
    }

    /// Whether draws store, so that what comes behind them waits for them.
    #[inline]
    pub(crate) fn stores(&self) -> bool {
        trace::read_result::<Host>(Group::Variants);
        self.shading.stores
    }

    /// [`Group::Pass`].
    pub(crate) fn apply_pass(&mut self) -> Effect {
        trace::read(Host::PASS.only());
        trace::read_result::<Host>(Group::Targets);
        let opens = !self.targets.open;
        self.open_pass();
        if self.stores() || self.may_capture() {
            (self.order.written, self.order.pass_stores) = (true, true);
        }
        Effect::of(opens)
    }

    /// Opens the render pass if it is closed.
    #[inline]
    pub(crate) fn open_pass(&mut self) {
        if !self.targets.open {
            self.begin_pass(Load::default());
        }
    }

    pub(crate) fn begin_pass(&mut self, load: Load) {
        use vk::{AccessFlags2 as Access, PipelineStageFlags2 as Stage};
        if self.order.written {
            self.begin_epoch();
        }
        self.order.drawn = true;
        self.order.pass_stores = false;
        let cmd = self.main();
        let tests = Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS;
        let writes = Access::COLOR_ATTACHMENT_WRITE | Access::DEPTH_STENCIL_ATTACHMENT_WRITE;
        let reads = Access::COLOR_ATTACHMENT_READ | Access::DEPTH_STENCIL_ATTACHMENT_READ;
        let (lookups, texels) = match self.reads_target {
            true => (Stage::VERTEX_SHADER | Stage::FRAGMENT_SHADER, Access::SHADER_SAMPLED_READ),
            false => (Stage::NONE, Access::NONE),
        };
        memory_barrier(
            &self.gpu,
            cmd,
            (Stage::COLOR_ATTACHMENT_OUTPUT | tests | Stage::FRAGMENT_SHADER | Stage::VERTEX_SHADER, writes),
            (Stage::COLOR_ATTACHMENT_OUTPUT | tests | lookups, reads | writes | texels),
        );
        let depth_stencil =
            vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: load.depth, stencil: load.stencil } };
        let count = self.targets.formats.color_count();
        let colors: SmallVec<[_; 8]> = self.targets.colors[..count]
            .iter()
            .zip(self.targets.kinds)
            .map(|(attachment, kind)| match attachment {
                None => vk::RenderingAttachmentInfo::default(),
                Some(a) => vk::RenderingAttachmentInfo::default()
                    .image_view(a.view)
                    .image_layout(a.layout)
                    .load_op(load.op(Clear::COLOR))
                    .store_op(vk::AttachmentStoreOp::STORE)
                    .clear_value(vk::ClearValue { color: load.color_of(kind) }),
            })
            .collect();
        let of_depth = |flag| match &self.targets.depth {
            None => vk::RenderingAttachmentInfo::default(),
            Some(a) => vk::RenderingAttachmentInfo::default()
                .image_view(a.view)
                .image_layout(a.layout)
                .load_op(load.op(flag))
                .store_op(vk::AttachmentStoreOp::STORE)
                .clear_value(depth_stencil),
        };
        let (depth, stencil) = (of_depth(Clear::DEPTH), of_depth(Clear::STENCIL));
        // Without targets there is one pixel that nothing is drawn to.
        let vk::Extent2D { width, height } = self.targets.extent;
        let extent = vk::Extent2D { width: width.max(1), height: height.max(1) };
        let mut info = vk::RenderingInfo::default()
            .render_area(vk::Rect2D { offset: vk::Offset2D::default(), extent })
            .layer_count(self.targets.layers.max(1))
            .color_attachments(&colors);
        if self.targets.depth.is_some() {
            info = info.depth_attachment(&depth);
            if self.targets.formats.stencil() != vk::Format::UNDEFINED {
                info = info.stencil_attachment(&stencil);
            }
        }
        // SAFETY: the command buffer is being recorded outside of a pass; views are alive and in the layouts named.
        unsafe { self.gpu.raw.cmd_begin_rendering(cmd, &info) };
        self.targets.open = true;
        let current = self.submissions.current;
        for attachment in self.targets.colors.iter().chain(std::iter::once(&self.targets.depth)).flatten() {
            if let Some(texture) = self.textures.get_mut(attachment.texture) {
                texture.last_used = current;
                texture.written = true;
            }
        }
        self.mark_twins();
    }

    /// Closes the render pass if it is open.
    pub(crate) fn end_pass(&mut self) {
        self.flush_draws();
        if self.targets.open {
            self.put_off_capture();
            self.end_segment();
            self.targets.open = false;
            self.state.tracker.changed(Host::PASS.only());
            // SAFETY: a pass is open.
            unsafe { self.gpu.raw.cmd_end_rendering(self.submissions.main) };
        }
    }
}

/// The part of a rectangle inside of an extent, if there is any.
pub(crate) fn clip(rect: &Rect, extent: vk::Extent2D) -> Option<vk::Rect2D> {
    let edge = |at: i32, len: u32, limit: u32| {
        let first = i64::from(at).clamp(0, limit.into());
        let last = (i64::from(at) + i64::from(len)).clamp(0, limit.into());
        (last > first).then_some((first as i32, (last - first) as u32))
    };
    let (x, width) = edge(rect.x, rect.width, extent.width)?;
    let (y, height) = edge(rect.y, rect.height, extent.height)?;
    Some(vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width, height } })
}
