//! Current targets and the render pass on them. A pass stays open across draws until something needs it closed.

use crate::device::barrier::memory_barrier;
use crate::error::Result;
use crate::renderer::Renderer;
use crate::state::apply::Applied;
use crate::state::targets::{Attachment, Load, Targets};
use afterimage_state::{Effect, trace};
use afterimage_stream::host::{DepthStencilStates, RasterStates};
use afterimage_stream::packets::{Clear, View};
use afterimage_stream::{FormatFeatures, Group, Host, ObjectId};
use ash::vk;
use smallvec::SmallVec;

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
            let texture = self.resources.textures.get(view.texture).filter(|_| !view.texture.is_none());
            texture.map(|texture| texture.extent(view.level.into()))
        };
        let Some(depth) = extent(&wanted.depth) else { return false };
        wanted.color.iter().filter_map(extent).any(|color| color.width > depth.width || color.height > depth.height)
    }

    /// [`Group::SmallDepth`].
    pub(crate) fn apply_small_depth(&mut self) -> Effect {
        let small = self.has_small_depth();
        Effect::of(std::mem::replace(&mut self.bound.small_depth, small) != small)
    }

    /// Whether a depth-stencil target is put aside: it is too small, and nothing is tested against it.
    pub(crate) fn puts_depth_aside(&self) -> bool {
        trace::read_result::<Host>(Group::SmallDepth);
        let state = self.state.depth_stencil.part(DepthStencilStates::TESTS);
        self.bound.small_depth && state.depth_test | state.stencil_test == 0
    }

    /// [`Group::Aside`].
    pub(crate) fn apply_aside(&mut self) -> Effect {
        let aside = self.puts_depth_aside();
        Effect::of(std::mem::replace(&mut self.bound.depth_aside, aside) != aside)
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
                targets.kinds[index] = self.resources.textures.get(view.texture).map_or(0, |texture| texture.kind);
                targets.blendable |= u8::from(self.blends(view.texture)) << index;
            }
        }
        if self.bound.depth_aside {
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
        if targets.is_like(&self.bound.targets) {
            return Ok(Effect::Same);
        }
        self.end_pass();
        let mark = |renderer: &mut Self, is_target: bool| {
            let aside = renderer.bound.targets.aside.as_ref().map(|(attachment, _)| attachment);
            let all: SmallVec<[ObjectId; 9]> = renderer.bound.targets.all().chain(aside).map(|a| a.texture).collect();
            for id in all {
                if let Some(texture) = renderer.resources.textures.get_mut(id) {
                    texture.is_target = is_target;
                }
                if is_target {
                    renderer.make_live(id)?;
                }
            }
            Ok::<_, crate::Error>(())
        };
        mark(self, false)?;
        self.bound.key.targets = self.programs.pipelines.targets.number(&targets.formats);
        self.bound.shading.runtime.pixel_ops.srgb_write = targets.srgb_write;
        self.bound.targets = targets;
        mark(self, true)?;
        Ok(Effect::Changed)
    }

    /// Whether there is anything to draw to.
    pub(crate) fn is_drawable(&self) -> bool {
        trace::read_result::<Host>(Group::Targets);
        let viewport = &*self.state.viewport;
        // What is captured or stored is written although nothing is rasterised.
        let visible = !self.state.viewports.is_empty() || viewport.width > 0.0 && viewport.height > 0.0;
        let there = !self.bound.targets.is_empty() && visible;
        there || self.state.raster.part(RasterStates::PRIMITIVES).discard != 0 || self.may_write_feedback()
    }

    /// Whether blending with a texture's texels is possible.
    fn blends(&self, id: ObjectId) -> bool {
        self.resources.textures.get(id).is_none_or(|texture| texture.choice.features & FormatFeatures::BLEND != 0)
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
        let Some(texture) = self.resources.textures.get_mut(view.texture) else { return Ok(None) };
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
        self.bound.shading.stores
    }

    /// [`Group::Pass`].
    pub(crate) fn apply_pass(&mut self) -> Effect {
        trace::read(Host::PASS.only());
        trace::read_result::<Host>(Group::Targets);
        let opens = !self.bound.targets.open;
        self.open_pass();
        if self.stores() || self.may_write_feedback() {
            (self.recorder.order.written, self.recorder.order.pass_stores) = (true, true);
        }
        Effect::of(opens)
    }

    /// Opens the render pass if it is closed.
    #[inline]
    pub(crate) fn open_pass(&mut self) {
        if !self.bound.targets.open {
            self.begin_pass(Load::default());
        }
    }

    pub(crate) fn begin_pass(&mut self, load: Load) {
        use vk::{AccessFlags2 as Access, PipelineStageFlags2 as Stage};
        if self.recorder.order.written {
            self.begin_epoch();
        }
        self.recorder.order.drawn = true;
        self.recorder.order.pass_stores = false;
        let cmd = self.recorder.main();
        let tests = Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS;
        let writes = Access::COLOR_ATTACHMENT_WRITE | Access::DEPTH_STENCIL_ATTACHMENT_WRITE;
        let reads = Access::COLOR_ATTACHMENT_READ | Access::DEPTH_STENCIL_ATTACHMENT_READ;
        let (lookups, texels) = match self.bound.reads_target {
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
        let count = self.bound.targets.formats.color_count();
        let colors: SmallVec<[_; 8]> = self.bound.targets.colors[..count]
            .iter()
            .zip(self.bound.targets.kinds)
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
        let of_depth = |flag| match &self.bound.targets.depth {
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
        let vk::Extent2D { width, height } = self.bound.targets.extent;
        let extent = vk::Extent2D { width: width.max(1), height: height.max(1) };
        let mut info = vk::RenderingInfo::default()
            .render_area(vk::Rect2D { offset: vk::Offset2D::default(), extent })
            .layer_count(self.bound.targets.layers.max(1))
            .color_attachments(&colors);
        if self.bound.targets.depth.is_some() {
            info = info.depth_attachment(&depth);
            if self.bound.targets.formats.stencil() != vk::Format::UNDEFINED {
                info = info.stencil_attachment(&stencil);
            }
        }
        // SAFETY: the command buffer is being recorded outside of a pass; views are alive and in the layouts named.
        unsafe { self.gpu.raw.cmd_begin_rendering(cmd, &info) };
        self.bound.targets.open = true;
        let current = self.recorder.submissions.current;
        let mut in_tables: SmallVec<[ObjectId; 4]> = SmallVec::new();
        for attachment in self.bound.targets.colors.iter().chain(std::iter::once(&self.bound.targets.depth)).flatten() {
            if let Some(texture) = self.resources.textures.get_mut(attachment.texture) {
                texture.last_used = current;
                texture.written = true;
                if !texture.in_tables.is_empty() {
                    in_tables.push(attachment.texture);
                }
            }
        }
        in_tables.into_iter().for_each(|id| self.drawn_in_table(id));
        self.mark_twins();
    }

    /// Closes the render pass if it is open.
    pub(crate) fn end_pass(&mut self) {
        self.flush_draws();
        if self.bound.targets.open {
            self.put_off_feedback();
            self.end_segment();
            self.bound.targets.open = false;
            self.state.tracker.changed(Host::PASS.only());
            // SAFETY: a pass is open.
            unsafe { self.gpu.raw.cmd_end_rendering(self.recorder.main()) };
        }
    }
}
