//! Targets, viewport, scissor and the fixed blocks of the pipeline.

use crate::driver::Device;
use crate::format::{FormatKind, color};
use crate::handle::Surface;
use crate::machine::{CLIP_PLANES, DeviceState, RenderStates as RS, STREAMS, StageStates as TSS};
use afterimage_d3d9_types::*;
use afterimage_shader_d3d9::{Bank, SystemRegister};
use afterimage_stream::packets::*;

/// `D3DCMPFUNC` to [`Compare`]; values that are none are [`Compare::Always`].
pub(crate) fn compare(value: u32) -> u8 {
    host::D3DCMPFUNC::of(value).unwrap_or(Compare::Always) as u8
}

fn stencil_op(value: u32) -> u8 {
    host::D3DSTENCILOP::of(value).unwrap_or(StencilOp::Keep) as u8
}

fn blend_op(value: u32) -> u8 {
    host::D3DBLENDOP::of(value).unwrap_or(BlendOp::Add) as u8
}

/// `D3DBLEND` to [`BlendFactor`]. Without destination alpha, that alpha is one.
fn blend_factor(value: u32, alpha: bool) -> u8 {
    use BlendFactor as F;
    let factor = match host::D3DBLEND::of(value).unwrap_or(F::One) {
        F::DstAlpha if !alpha => F::One,
        F::OneMinusDstAlpha | F::SrcAlphaSaturate if !alpha => F::Zero,
        factor => factor,
    };
    factor as u8
}

/// A float that a packet may carry: garbage counts as `otherwise`.
fn finite(value: f32, otherwise: f32) -> f32 {
    if value.is_finite() { value } else { otherwise }
}

/// The depth range of a viewport: never empty nor inverted, but at least a thousandth.
pub(crate) fn depth_range(viewport: &D3DVIEWPORT9) -> [f32; 2] {
    let clamp = |value: f32| finite(value, 0.0).clamp(0.0, 1.0);
    let near = clamp(viewport.MinZ);
    [near, clamp(viewport.MaxZ).max(near + 0.001)]
}

impl Device {
    /// The view of a bound target; none for formats without memory.
    fn view(&self, surface: Option<Surface>) -> View {
        let Some(surface) = surface else { return View::default() };
        let Some(image) = self.objects.images.get(surface.image) else { return View::default() };
        if image.id.is_none() {
            return View::default();
        }
        View { texture: image.id, level: surface.level.into(), layer: surface.face.into() }
    }

    /// Width and height of what is drawn to.
    pub(crate) fn target_size(&self) -> Option<[u32; 2]> {
        let target = self.registers.targets[0].filter(|target| self.has_memory(*target));
        let surface = target.or(*self.registers.depth)?;
        let sub = self.objects.images.get(surface.image)?.sub_of(surface)?;
        Some([sub.extent[0], sub.extent[1]])
    }

    pub(super) fn render_targets(&self) -> SetRenderTargets {
        let mut packet = SetRenderTargets::default();
        for (view, target) in packet.color.iter_mut().zip(*self.registers.targets) {
            *view = self.view(target);
        }
        packet.depth = self.view(*self.registers.depth);
        // For all targets.
        packet.srgb = if self.registers.render.get(RS::D3DRS_SRGBWRITEENABLE) & 1 != 0 { 0xFF } else { 0 };
        packet
    }

    #[inline(never)]
    pub(super) fn apply_render_targets(&mut self) -> bool {
        let packet = self.render_targets();
        for target in self.registers.targets.iter().flatten() {
            if let Some(image) = self.objects.images.get_mut(target.image) {
                image.mips_stale |= image.autogen();
            }
        }
        self.port.put(&mut self.host.sent.targets, packet)
    }

    /// The samples that are written. The program's mask is of maskable samples only.
    fn sample_mask(&self) -> u32 {
        let target = self.registers.targets[0].and_then(|target| self.objects.images.get(target.image));
        let maskable = target.is_some_and(|image| image.samples > D3DMULTISAMPLE_NONMASKABLE);
        if maskable { self.registers.render.get(RS::D3DRS_MULTISAMPLEMASK) } else { u32::MAX }
    }

    #[inline(always)]
    pub(super) fn viewport_packet(&self) -> SetViewport {
        let viewport = &*self.registers.viewport;
        let edge = |value: u32| value.min(16_384) as f32;
        let [min_depth, max_depth] = depth_range(viewport);
        SetViewport {
            // Pixel centres are at whole numbers in Direct3D 9, at halves in the host.
            x: edge(viewport.X) + 0.5,
            y: edge(viewport.Y) + 0.5,
            width: edge(viewport.Width),
            height: edge(viewport.Height),
            min_depth,
            max_depth: max_depth.min(1.0),
        }
    }

    /// The pixels that a draw may touch: viewport, and scissor where that is on, inside of the targets.
    pub(crate) fn drawable(&self) -> Rect {
        let mut area = self.clip_area();
        if let Some([width, height]) = self.target_size() {
            let inside = |first: i32, length: u32, edge: u32| {
                i64::from(length).min(i64::from(edge) - i64::from(first)).max(0) as u32
            };
            area.width = inside(area.x, area.width, width);
            area.height = inside(area.y, area.height, height);
        }
        area
    }

    /// Viewport, and scissor where that is on.
    pub(crate) fn clip_area(&self) -> Rect {
        let viewport = *self.registers.viewport;
        let edge = |value: u32| value.min(i32::MAX as u32 / 2) as i32;
        let (mut left, mut top) = (edge(viewport.X), edge(viewport.Y));
        let mut right = left.saturating_add(edge(viewport.Width));
        let mut bottom = top.saturating_add(edge(viewport.Height));
        if self.registers.render.get(RS::D3DRS_SCISSORTESTENABLE) != 0 {
            let scissor = *self.registers.scissor;
            left = left.max(scissor.left);
            top = top.max(scissor.top);
            right = right.min(scissor.right);
            bottom = bottom.min(scissor.bottom);
        }
        Rect { x: left, y: top, width: (right - left).max(0) as u32, height: (bottom - top).max(0) as u32 }
    }

    #[inline(always)]
    pub(super) fn scissor_packet(&self) -> SetScissor {
        SetScissor { rect: self.drawable() }
    }

    /// How lines become pixels: smoothed where the program asks for it and the target has one sample a pixel. Direct3D leaves the
    /// lines of others as they are.
    fn line_mode(&self) -> LineMode {
        let target = self.registers.targets[0].and_then(|target| self.objects.images.get(target.image));
        let smooth = self.registers.render.get(RS::D3DRS_ANTIALIASEDLINEENABLE) != 0
            && target.is_none_or(|image| image.host_samples <= 1);
        if smooth { LineMode::Smooth } else { LineMode::Default }
    }

    /// Whether the bound declaration's positions are in window coordinates.
    pub(super) fn transformed(&self) -> bool {
        let declaration = self.registers.declaration.and_then(|id| self.objects.declarations.get(id));
        declaration.is_some_and(|declaration| declaration.transformed)
    }

    #[inline(always)]
    pub(crate) fn raster(&self) -> SetRaster {
        let render = &self.registers.render;
        let transformed = self.transformed();
        let float = |state| finite(render.get_f32(state), 1.0);
        let bias = finite(render.get_f32(RS::D3DRS_DEPTHBIAS), 0.0);
        let slope = finite(render.get_f32(RS::D3DRS_SLOPESCALEDEPTHBIAS), 0.0);
        let fill = host::D3DFILLMODE::of(render.get(RS::D3DRS_FILLMODE)).unwrap_or(Fill::Solid) as u8;
        SetRaster {
            // Direct3D's front faces are clockwise; D3DCULL names the winding that goes.
            cull: host::D3DCULL::of(render.get(RS::D3DRS_CULLMODE)).unwrap_or(Cull::None) as u8,
            front_ccw: 0,
            fill,
            fill_back: fill,
            // Without D3DPMISCCAPS_CLIPTLVERTS, pre-transformed vertices are never clipped by depth. All others are: to turn
            // D3DRS_CLIPPING off only promises that nothing has to be, and hardware clips nonetheless.
            depth_clip: (!transformed).into(),
            bias_enable: u8::from(bias != 0.0 || slope != 0.0),
            depth_bias: bias,
            slope_bias: slope,
            point_size: float(RS::D3DRS_POINTSIZE),
            sample_mask: self.sample_mask(),
            point_size_min: float(RS::D3DRS_POINTSIZE_MIN),
            point_size_max: float(RS::D3DRS_POINTSIZE_MAX),
            line_width: 1.0,
            line_mode: self.line_mode() as u8,
            alpha_to_coverage: self.alpha_to_coverage().into(),
            ..SetRaster::default()
        }
    }

    #[inline(always)]
    pub(super) fn depth_stencil_packet(&self) -> SetDepthStencil {
        let render = &self.registers.render;
        let bound = self.registers.depth.and_then(|depth| self.objects.images.get(depth.image));
        let depth_test = bound.is_some() && render.get(RS::D3DRS_ZENABLE) != 0;
        let stencil_test =
            bound.is_some_and(|image| image.row.has_stencil()) && render.get(RS::D3DRS_STENCILENABLE) != 0;
        let face = |func, fail, depth_fail, pass| StencilFace {
            compare: compare(render.get(func)),
            fail: stencil_op(render.get(fail)),
            depth_fail: stencil_op(render.get(depth_fail)),
            pass: stencil_op(render.get(pass)),
        };
        let front = face(RS::D3DRS_STENCILFUNC, RS::D3DRS_STENCILFAIL, RS::D3DRS_STENCILZFAIL, RS::D3DRS_STENCILPASS);
        let back = if render.get(RS::D3DRS_TWOSIDEDSTENCILMODE) != 0 {
            face(
                RS::D3DRS_CCW_STENCILFUNC,
                RS::D3DRS_CCW_STENCILFAIL,
                RS::D3DRS_CCW_STENCILZFAIL,
                RS::D3DRS_CCW_STENCILPASS,
            )
        } else {
            front
        };
        SetDepthStencil {
            depth_test: depth_test.into(),
            depth_write: u8::from(depth_test && render.get(RS::D3DRS_ZWRITEENABLE) != 0),
            depth_compare: compare(render.get(RS::D3DRS_ZFUNC)),
            stencil_test: stencil_test.into(),
            front,
            back,
            reference: render.get(RS::D3DRS_STENCILREF) as u8,
            read_mask: render.get(RS::D3DRS_STENCILMASK) as u8,
            write_mask: render.get(RS::D3DRS_STENCILWRITEMASK) as u8,
            pad: 0,
            own_back: StencilBack::default(),
        }
    }

    #[inline(always)]
    pub(super) fn blend(&self) -> SetBlend {
        let render = &self.registers.render;
        let target = self.registers.targets[0].and_then(|target| self.objects.images.get(target.image));
        let alpha = target.is_none_or(|image| image.row.alpha);
        // Two source factors fix the destination factor with them.
        let pair = |source, destination| match render.get(source) {
            D3DBLEND_BOTHSRCALPHA => (D3DBLEND_SRCALPHA, D3DBLEND_INVSRCALPHA),
            D3DBLEND_BOTHINVSRCALPHA => (D3DBLEND_INVSRCALPHA, D3DBLEND_SRCALPHA),
            value => (value, render.get(destination)),
        };
        let (source, destination) = pair(RS::D3DRS_SRCBLEND, RS::D3DRS_DESTBLEND);
        let op = blend_op(render.get(RS::D3DRS_BLENDOP));
        let ((source_alpha, destination_alpha), alpha_op) = if render.get(RS::D3DRS_SEPARATEALPHABLENDENABLE) != 0 {
            let factors = pair(RS::D3DRS_SRCBLENDALPHA, RS::D3DRS_DESTBLENDALPHA);
            (factors, blend_op(render.get(RS::D3DRS_BLENDOPALPHA)))
        } else {
            ((source, destination), op)
        };
        let mut write_masks = [0; 8];
        let masks = [
            RS::D3DRS_COLORWRITEENABLE,
            RS::D3DRS_COLORWRITEENABLE1,
            RS::D3DRS_COLORWRITEENABLE2,
            RS::D3DRS_COLORWRITEENABLE3,
        ];
        for (mask, state) in write_masks.iter_mut().zip(masks) {
            *mask = (render.get(state) & 15) as u8;
        }
        let enable = render.get(RS::D3DRS_ALPHABLENDENABLE) != 0;
        let factors = SetBlend {
            enable: 1,
            src_color: blend_factor(source, alpha),
            dst_color: blend_factor(destination, alpha),
            color_op: op,
            src_alpha: blend_factor(source_alpha, alpha),
            dst_alpha: blend_factor(destination_alpha, alpha),
            alpha_op,
            constant: color(render.get(RS::D3DRS_BLENDFACTOR)),
            ..SetBlend::default()
        };
        // Factors that nothing uses are left out, so that setting them without blending sends nothing.
        SetBlend { write_masks, ..if enable { factors } else { SetBlend::default() } }
    }

    #[inline(never)]
    pub(super) fn apply_blend(&mut self) -> bool {
        let packet = self.blend();
        if packet.enable != 0 {
            let second = |state| matches!(self.registers.render.get(state), D3DBLEND_SRCCOLOR2 | D3DBLEND_INVSRCCOLOR2);
            let asked = second(RS::D3DRS_SRCBLEND) || second(RS::D3DRS_DESTBLEND);
            if asked && self.logged.insert("D3DBLEND_SRCCOLOR2") {
                tracing::warn!(
                    "blending with a second colour of the shader is not supported (nor a capability): it counts as one"
                );
            }
        }
        self.port.put_without_tail(&mut self.host.sent.blend, packet)
    }

    #[inline(always)]
    pub(super) fn pixel_ops(&self) -> SetPixelOps {
        let render = &self.registers.render;
        let alpha_test = render.get(RS::D3DRS_ALPHATESTENABLE) != 0;
        let model = self.host.stages.pixel().model;
        // Shaders of model 3 do fog themselves.
        let fog = if render.get(RS::D3DRS_FOGENABLE) == 0 || model >= 3 {
            FogMode::None
        } else {
            // Table fog goes by w unless the projection leaves w at one.
            let by_w = self.registers.transforms.projection().map(|row| row[3]) != [0.0, 0.0, 0.0, 1.0];
            let mode = host::D3DFOGMODE::of(render.get(RS::D3DRS_FOGTABLEMODE)).unwrap_or(FogMode::Vertex);
            if by_w { mode.of_w() } else { mode }
        };
        let start = match fog {
            FogMode::Exp | FogMode::Exp2 | FogMode::ExpW | FogMode::Exp2W => RS::D3DRS_FOGDENSITY,
            _ => RS::D3DRS_FOGSTART,
        };
        // Shaders that say themselves whether a lookup is projected do not ask the stages.
        let mut projected = 0;
        if model == 1 {
            for (stage, states) in self.registers.stages.iter().enumerate() {
                let flags = states.get(TSS::D3DTSS_TEXTURETRANSFORMFLAGS);
                projected |= u8::from(flags & D3DTTFF_PROJECTED != 0) << stage;
            }
        }
        // Vertices in window coordinates have no place that a plane could cut.
        let clip_planes =
            if self.transformed() { 0 } else { render.get(RS::D3DRS_CLIPPLANEENABLE) & ((1 << CLIP_PLANES) - 1) };
        let mut packet = SetPixelOps {
            alpha_compare: if alpha_test { compare(render.get(RS::D3DRS_ALPHAFUNC)) } else { Compare::Always as u8 },
            fog: fog as u8,
            flat: u8::from(render.get(RS::D3DRS_SHADEMODE) == D3DSHADE_FLAT),
            point_sprite: u8::from(render.get(RS::D3DRS_POINTSPRITEENABLE) != 0),
            clip_planes: clip_planes as u8,
            projected,
            ..SetPixelOps::default()
        };
        if alpha_test {
            packet.alpha_ref = (render.get(RS::D3DRS_ALPHAREF) & 0xff) as f32 / 255.0;
        }
        if fog != FogMode::None {
            packet.fog_start = finite(render.get_f32(start), 0.0);
            packet.fog_end = finite(render.get_f32(RS::D3DRS_FOGEND), 1.0);
            packet.fog_color = color(render.get(RS::D3DRS_FOGCOLOR));
        }
        packet
    }

    /// The clip planes that are on, by index, as they go to the system bank.
    pub(super) fn clip_planes(&self) -> impl Iterator<Item = (usize, [u32; 4])> + use<> {
        let enabled = self.registers.render.get(RS::D3DRS_CLIPPLANEENABLE) & ((1 << CLIP_PLANES) - 1);
        let planes = if enabled == 0 {
            [[0.0; 4]; CLIP_PLANES]
        } else {
            self.registers.clip_planes_for(!self.host.stages.vertex().is_own())
        };
        planes
            .map(|plane| plane.map(f32::to_bits))
            .into_iter()
            .enumerate()
            .filter(move |(at, _)| enabled >> at & 1 == 1)
    }

    #[inline(never)]
    pub(super) fn apply_clip_planes(&mut self) -> bool {
        let mut changed = false;
        for (index, bits) in self.clip_planes() {
            if self.host.clip_planes[index] != Some(bits) {
                self.host.clip_planes[index] = Some(bits);
                changed = true;
                let first = SystemRegister::ClipPlane.element(index as u16);
                self.port.push_tail(&SetConstants { bank: Bank::System as u16, first, count: 1 }, &[bits]);
            }
        }
        changed
    }

    /// The streams that a draw takes from the registers: a draw from the program's memory brings the first.
    fn own_streams(&self) -> u64 {
        if self.from_memory { 0xfffe } else { 0xffff }
    }

    #[inline(always)]
    fn stream_binding(&self, slot: usize) -> VertexBuffer {
        let stream = &self.registers.streams[slot];
        match stream.buffer.and_then(|id| self.objects.buffers.get(id)) {
            Some(buffer) if stream.offset < buffer.size() => {
                VertexBuffer { source: buffer.id, stride: stream.stride, offset: stream.offset.into(), size: 0 }
            }
            _ => VertexBuffer::default(),
        }
    }

    #[inline(never)]
    pub(super) fn apply_vertex_buffers(&mut self) -> bool {
        let mut slots = self.registers.tracker.take_instances(DeviceState::STREAM, self.own_streams());
        let mut changed = false;
        while slots != 0 {
            let slot = slots.trailing_zeros() as usize;
            slots &= slots - 1;
            changed |= self.put_vertex_buffer(slot, self.stream_binding(slot));
        }
        changed
    }

    /// The first stream that is bound otherwise than it should be, of those that did not change.
    pub(super) fn stale_stream(&self) -> Option<String> {
        let clean = self.own_streams() & !self.registers.tracker.instances(DeviceState::STREAM);
        (0..STREAMS).filter(|slot| clean >> slot & 1 == 1).find_map(|slot| {
            let (sent, wanted) = (self.host.sent.vertex_buffers[slot], self.stream_binding(slot));
            (sent != wanted).then(|| format!("stream {slot}: {wanted:?} instead of {sent:?}"))
        })
    }

    /// Binds a vertex buffer slot where that is new: then true.
    #[inline]
    pub(crate) fn put_vertex_buffer(&mut self, slot: usize, binding: VertexBuffer) -> bool {
        self.host.sent.uploads_are_of(self.port.frame());
        let sent = &mut self.host.sent.vertex_buffers[slot];
        if *sent == binding {
            return false;
        }
        *sent = binding;
        self.port.push_tail(&SetVertexBuffers { first: slot as u32, count: 1 }, &[binding]);
        true
    }

    #[inline(always)]
    pub(super) fn index_buffer(&self) -> SetIndexBuffer {
        match self.registers.indices.and_then(|id| self.objects.buffers.get(id)) {
            Some(buffer) => SetIndexBuffer {
                source: buffer.id,
                index_bytes: buffer.index_bytes() as u16,
                ..SetIndexBuffer::default()
            },
            None => SetIndexBuffer::default(),
        }
    }

    /// Whether a surface is a colour target that a clear or a draw can reach.
    pub(crate) fn has_memory(&self, surface: Surface) -> bool {
        self.objects.images.get(surface.image).is_some_and(|image| image.row.kind != FormatKind::Null)
    }
}
