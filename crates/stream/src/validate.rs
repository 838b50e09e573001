//! Checking packets against the state before anything is executed.

use crate::budgets::{Budget, Budgets, shader_bytes, texture_bytes};
use crate::packets::*;
use crate::state::Created;
use crate::{
    Arena, Bank, CAPTURE_BUFFERS, COMPUTE_SLOTS, Cause, Format, Located, ObjectId, ObjectKind, STORAGE_BUFFERS,
    STORAGE_IMAGES, State, StreamError, TEXTURE_SLOTS, UploadRef, VERTEX_BUFFERS, VertexFormat,
};

/// Checks a stream packet by packet: sequence, frames, live ids, kinds, ranges, upload references.
#[derive(Debug, Default)]
pub struct Validator {
    budgets: Budgets,
    last: Option<u32>,
    open_frame: Option<u64>,
    draws: u64,
    /// Whether a capture runs: from its begin to its end, or the frame's.
    capturing: bool,
}

type Checked = Result<(), Cause>;

/// Most layers of a texture.
const MOST_LAYERS: u32 = 2048;

impl Validator {
    /// A validator for a new stream.
    #[must_use]
    pub fn new(budgets: Budgets) -> Self {
        Self { budgets, ..Self::default() }
    }

    /// What the stream may ask for.
    #[must_use]
    pub fn budgets(&self) -> &Budgets {
        &self.budgets
    }

    /// Sets what the stream may ask for from now on.
    pub fn set_budgets(&mut self, budgets: Budgets) {
        self.budgets = budgets;
    }

    /// The frame that has begun and is not presented.
    #[must_use]
    pub fn open_frame(&self) -> Option<u64> {
        self.open_frame
    }

    /// Packets are missing before the next one, which is known and no fault of it.
    pub fn resume(&mut self) {
        self.last = None;
    }

    /// Checks one packet against the state that the packets before it have built.
    ///
    /// # Errors
    /// What is wrong with it. A rejected packet must be skipped; the next one may be good again.
    #[inline(always)]
    pub fn check(&mut self, state: &State, located: &Located<'_>, arena: &dyn Arena) -> Result<(), Box<StreamError>> {
        let sequence = located.header.sequence;
        let follows = match self.last {
            Some(last) => sequence == last.wrapping_add(1),
            None => true,
        };
        if !follows {
            let last = self.last.unwrap_or(0);
            // A gap is reported once and the stream goes on behind it; a step back leaves the good number standing.
            if (sequence.wrapping_sub(last) as i32) > 0 {
                self.last = Some(sequence);
            }
            return Err(located.error(Cause::Sequence { last }));
        }
        self.last = Some(sequence);
        self.cause(state, &located.packet, arena).map_err(|cause| located.error(cause))
    }

    #[inline(always)]
    pub(crate) fn cause(&mut self, state: &State, packet: &Packet<'_>, arena: &dyn Arena) -> Checked {
        match *packet {
            Packet::Draw(body) => {
                number("topology", body.topology, Topology::ALL.len() as u32 - 1)?;
                self.draw(state)
            }
            Packet::DrawIndexed(body) => {
                number("topology", body.topology, Topology::ALL.len() as u32 - 1)?;
                if state.index_buffer.source.is_none() {
                    return Err(Cause::Missing { field: "index_buffer", id: ObjectId::NONE });
                }
                self.draw(state)
            }
            Packet::DrawIndirect(body) => {
                number("topology", body.topology, Topology::ALL.len() as u32 - 1)?;
                number("indexed", body.indexed, 1)?;
                if body.indexed != 0 && state.index_buffer.source.is_none() {
                    return Err(Cause::Missing { field: "index_buffer", id: ObjectId::NONE });
                }
                size("count", body.count, DrawIndirect::MOST)?;
                multiple("offset", body.offset, 4)?;
                let more = u64::from(body.count - 1);
                if more > 0 {
                    multiple("stride", body.stride.into(), 4)?;
                }
                let bytes = more * u64::from(body.stride) + u64::from(body.bytes());
                storage(state, "buffer", body.buffer, body.offset, bytes)?;
                self.draws += more;
                self.draw(state)
            }
            Packet::DrawByteCount(body) => {
                number("topology", body.topology, Topology::ALL.len() as u32 - 1)?;
                multiple("offset", body.offset, 4)?;
                size("stride", body.stride, u32::MAX)?;
                storage(state, "counter", body.counter, body.offset, 4)?;
                self.draw(state)
            }
            Packet::SetCaptureBuffers(body, buffers) => {
                self.runs_capture(false)?;
                range("count", u64::from(body.first) + u64::from(body.count), CAPTURE_BUFFERS as u64)?;
                for buffer in buffers.iter().filter(|buffer| !buffer.buffer.is_none()) {
                    multiple("offset", buffer.offset, 4)?;
                    range("size", buffer.size, u32::MAX.into())?;
                    // At least a word of it, whatever the size.
                    storage(state, "buffer", buffer.buffer, buffer.offset, buffer.size.max(4))?;
                }
                Ok(())
            }
            Packet::BeginCapture(body) => {
                self.runs_capture(false)?;
                // Those may have been destroyed, or made anew, since they were set.
                for buffer in state.capture_buffers.iter().filter(|buffer| !buffer.buffer.is_none()) {
                    storage(state, "capture buffer", buffer.buffer, buffer.offset, buffer.size.max(4))?;
                }
                counters(state, &body.counters)?;
                self.capturing = true;
                Ok(())
            }
            Packet::EndCapture(body) => {
                self.runs_capture(true)?;
                counters(state, &body.counters)?;
                self.capturing = false;
                Ok(())
            }
            Packet::SetConstants(body, _) => {
                let Some(bank) = Bank::from_number(body.bank.into()) else {
                    return range("bank", u64::from(body.bank), Bank::COUNT as u64 - 1);
                };
                // The banks of buffers hold addresses, which only the receiver knows.
                if bank.has_addresses() {
                    let limit = Bank::GcnVertexBuffers as u64;
                    return Err(Cause::Range { field: "bank", value: body.bank.into(), limit });
                }
                range("count", u64::from(body.first) + u64::from(body.count), u64::from(bank.registers()))
            }
            Packet::SetTextures(body, bindings) => {
                let slots = TEXTURE_SLOTS + COMPUTE_SLOTS;
                range("count", u64::from(body.first) + u64::from(body.count), slots as u64)?;
                for binding in bindings {
                    object_or_none(state, "texture", binding.texture, ObjectKind::Texture)?;
                    object_or_none(state, "sampler", binding.sampler, ObjectKind::Sampler)?;
                    if !binding.texture.is_none() && binding.sampler.is_none() {
                        return Err(Cause::Missing { field: "sampler", id: ObjectId::NONE });
                    }
                }
                Ok(())
            }
            Packet::SetVertexBuffers(body, bindings) => {
                range("count", u64::from(body.first) + u64::from(body.count), VERTEX_BUFFERS as u64)?;
                for binding in bindings {
                    range("stride", u64::from(binding.stride), 2048)?;
                    source(state, arena, binding.source, binding.offset, binding.size)?;
                }
                Ok(())
            }
            Packet::SetIndexBuffer(body) if body.source.is_none() => Ok(()),
            Packet::SetIndexBuffer(body) => {
                if !matches!(body.index_bytes, 1 | 2 | 4) {
                    return Err(Cause::Range { field: "index_bytes", value: u64::from(body.index_bytes), limit: 4 });
                }
                number("restart", body.restart.into(), 1)?;
                if body.offset % u64::from(body.index_bytes) != 0 {
                    return Err(Cause::Range { field: "offset", value: body.offset, limit: 0 });
                }
                source(state, arena, body.source, body.offset, body.size)
            }
            Packet::SetShaders(body) => {
                shader(state, "vertex", body.vertex, Stage::Vertex)?;
                shader(state, "pixel", body.pixel, Stage::Pixel)?;
                shader(state, "geometry", body.geometry, Stage::Geometry)
            }
            Packet::SetVertexInput(body) => object_or_none(state, "id", body.id, ObjectKind::VertexInput),
            Packet::SetRaster(body) => {
                byte("cull", body.cull, Cull::ALL.len())?;
                byte("front_ccw", body.front_ccw, 2)?;
                byte("fill", body.fill, Fill::ALL.len())?;
                byte("fill_back", body.fill_back, Fill::ALL.len())?;
                byte("line_mode", body.line_mode, LineMode::ALL.len())?;
                byte("provoking", body.provoking, Provoking::ALL.len())?;
                byte("alpha_to_coverage", body.alpha_to_coverage, 2)?;
                byte("discard", body.discard, 2)?;
                if !(0.0..=f32::MAX).contains(&body.line_width) {
                    let limit = f32::MAX.to_bits().into();
                    return Err(Cause::Range { field: "line_width", value: body.line_width.to_bits().into(), limit });
                }
                let sizes = [body.point_size, body.point_size_min, body.point_size_max];
                finite("point_size", &sizes)?;
                finite("depth_bias", &[body.depth_bias, body.slope_bias])
            }
            Packet::SetDepthStencil(body) => {
                byte("depth_compare", body.depth_compare, Compare::ALL.len())?;
                for face in [body.front, body.back] {
                    byte("compare", face.compare, Compare::ALL.len())?;
                    byte("fail", face.fail, StencilOp::ALL.len())?;
                    byte("depth_fail", face.depth_fail, StencilOp::ALL.len())?;
                    byte("pass", face.pass, StencilOp::ALL.len())?;
                }
                Ok(())
            }
            Packet::SetStencilBack(body) => byte("enable", body.enable, 2),
            Packet::SetBlend(body) => {
                for factor in [body.src_color, body.dst_color, body.src_alpha, body.dst_alpha] {
                    byte("factor", factor, BlendFactor::ALL.len())?;
                }
                byte("color_op", body.color_op, BlendOp::ALL.len())?;
                byte("alpha_op", body.alpha_op, BlendOp::ALL.len())?;
                let signed = |op| BlendOp::of(op).is_signed();
                if (signed(body.color_op) || signed(body.alpha_op)) && body.color_op != body.alpha_op {
                    let (value, limit) = (body.alpha_op.into(), body.color_op.into());
                    return Err(Cause::Range { field: "alpha_op", value, limit });
                }
                byte("logic_op", body.logic_op, LogicOp::ALL.len())
            }
            Packet::SetBlendTargets(body, targets) => {
                number("count", body.count, 8)?;
                for target in targets {
                    byte("enable", target.enable, 2)?;
                    for factor in [target.src_color, target.dst_color, target.src_alpha, target.dst_alpha] {
                        byte("factor", factor, BlendFactor::ALL.len())?;
                    }
                    byte("color_op", target.color_op, BlendOp::SignedAdd as usize)?;
                    byte("alpha_op", target.alpha_op, BlendOp::SignedAdd as usize)?;
                    byte("write_mask", target.write_mask, 16)?;
                }
                Ok(())
            }
            Packet::SetStorage(body, bindings) => {
                number("stage", body.stage, Stage::WITH_BINDINGS.len() as u32 - 1)?;
                range("count", u64::from(body.first) + u64::from(body.count), STORAGE_BUFFERS as u64)?;
                for binding in bindings.iter().filter(|binding| !binding.buffer.is_none()) {
                    multiple("offset", binding.offset, 4)?;
                    range("size", binding.size, u32::MAX.into())?;
                    storage(state, "buffer", binding.buffer, binding.offset, binding.size)?;
                }
                Ok(())
            }
            Packet::SetStorageImages(body, images) => {
                number("stage", body.stage, Stage::WITH_BINDINGS.len() as u32 - 1)?;
                range("count", u64::from(body.first) + u64::from(body.count), STORAGE_IMAGES as u64)?;
                for image in images.iter().filter(|image| !image.view.texture.is_none()) {
                    let texture = texture(state, "view", image.view.texture)?;
                    level_extent(texture, "view", image.view.level, image.view.layer)?;
                    if texture.usage & CreateTexture::STORAGE == 0 {
                        return Err(Cause::WrongKind { field: "view", id: image.view.texture });
                    }
                }
                Ok(())
            }
            Packet::SetPixelOps(body) => {
                byte("alpha_compare", body.alpha_compare, Compare::ALL.len())?;
                byte("fog", body.fog, FogMode::ALL.len())
            }
            Packet::SetViewport(body) => {
                finite("viewport", &[body.x, body.y, body.width, body.height, body.min_depth, body.max_depth])?;
                for depth in [body.min_depth, body.max_depth] {
                    if !(0.0..=1.0).contains(&depth) {
                        return Err(Cause::Range { field: "min_depth", value: depth.to_bits().into(), limit: 1 });
                    }
                }
                let edge = self.budgets.limit(Budget::TextureEdge) as f32 * 2.0;
                if body.width < 0.0 || body.height < 0.0 || body.width > edge || body.height > edge {
                    return Err(Cause::Range { field: "width", value: body.width as u64, limit: edge as u64 });
                }
                if let Some(far) = [body.x, body.y].into_iter().find(|at| at.abs() > edge) {
                    return Err(Cause::Range { field: "x", value: far.abs() as u64, limit: edge as u64 });
                }
                Ok(())
            }
            Packet::SetScissor(_) => Ok(()),
            Packet::Marker(body, _) => number("action", body.action, Marker::MARK),
            Packet::Overlay(body) => {
                number("items", body.items, Overlay::ALL)?;
                byte("corner", body.corner, Corner::ALL.len())?;
                if !(0.0..=Overlay::MOST_SCALE).contains(&body.scale) {
                    let limit = Overlay::MOST_SCALE.to_bits().into();
                    return Err(Cause::Range { field: "scale", value: body.scale.to_bits().into(), limit });
                }
                Ok(())
            }
            Packet::SetGamma(body, steps) => {
                object(state, "id", body.id, ObjectKind::Target)?;
                if steps.is_empty() {
                    return Ok(());
                }
                let (value, limit) = (body.count.into(), SetGamma::STEPS as u64);
                if value == limit { Ok(()) } else { Err(Cause::Range { field: "count", value, limit }) }
            }
            Packet::SetRenderTargets(body) => {
                for view in body.color {
                    target(state, "color", view, false)?;
                }
                target(state, "depth", body.depth, true)?;
                for view in body.color.iter().chain([&body.depth]).filter(|view| !view.texture.is_none()) {
                    let texture = texture(state, "color", view.texture)?;
                    let layers = if texture.depth > 1 { texture.depth >> view.level } else { texture.layers };
                    range("layers", u64::from(view.layer) + u64::from(body.layers.max(1)), layers.max(1).into())?;
                }
                Ok(())
            }
            Packet::Clear(body, _) => {
                number("flags", body.flags, 2 * Clear::ALPHA - 1)?;
                finite("color", &body.color)?;
                finite("depth", &[body.depth])
            }
            Packet::UpdateBuffer(body) => {
                let Created::Buffer(buffer) = object(state, "id", body.id, ObjectKind::Buffer)? else {
                    return Err(Cause::WrongKind { field: "id", id: body.id });
                };
                range("offset", body.offset.saturating_add(u64::from(body.data.size)), buffer.size)?;
                self.transfer(arena, body.id, &body.data)
            }
            Packet::UpdateTexture(body) => {
                let texture = texture(state, "id", body.id)?;
                let extent = level_extent(texture, "level", body.level, body.layer)?;
                inside("x", body.x, body.width, extent[0])?;
                inside("y", body.y, body.height, extent[1])?;
                match texture.samples {
                    0 | 1 => inside("z", body.z, body.depth, extent[2])?,
                    samples if (body.z, body.depth) == (0, samples.into()) => {}
                    samples => {
                        return Err(Cause::Range { field: "depth", value: body.depth.into(), limit: samples.into() });
                    }
                }
                let format = format_of(texture)?;
                let block = format.info().block;
                if body.x % block != 0 || body.y % block != 0 {
                    return Err(Cause::Range { field: "x", value: u64::from(body.x), limit: u64::from(block) });
                }
                let slice = slice_bytes(format, body.width, body.height, body.row_pitch)?;
                let needed =
                    u64::from(body.slice_pitch).saturating_mul(u64::from(body.depth) - 1).saturating_add(slice);
                range("data", needed, u64::from(body.data.size))?;
                self.transfer(arena, body.id, &body.data)
            }
            Packet::GenerateMips(body) => {
                texture(state, "id", body.id)?;
                number("filter", body.filter, Filter::ALL.len() as u32 - 1)
            }
            Packet::Blit(body) => {
                self.blit_side(state, "src", body.src, body.src_rect)?;
                self.blit_side(state, "dst", body.dst, body.dst_rect)?;
                number("filter", body.filter, Filter::ALL.len() as u32 - 1)
            }
            Packet::ReadBack(body) => {
                self.blit_side(state, "src", body.src, body.rect)?;
                let format = format_of(texture(state, "src", body.src.texture)?)?;
                let needed = slice_bytes(format, body.rect.width, body.rect.height, body.row_pitch)?;
                range("data", needed, u64::from(body.data.size))?;
                self.transfer(arena, body.src.texture, &body.data)
            }
            Packet::Dispatch(body) => {
                if body.shader.is_none() {
                    return Err(Cause::Missing { field: "shader", id: body.shader });
                }
                shader(state, "shader", body.shader, Stage::Compute)?;
                for groups in body.groups {
                    number("groups", groups, 65_535)?;
                }
                let groups =
                    body.groups.iter().fold(1, |product: u64, groups| product.saturating_mul((*groups).into()));
                self.within(Budget::Groups, body.shader, groups)?;
                self.count_draw()
            }
            Packet::CopyBuffer(body) => {
                if body.size == 0 {
                    return Err(Cause::Range {
                        field: "size",
                        value: 0,
                        limit: self.budgets.limit(Budget::BufferBytes),
                    });
                }
                storage(state, "src", body.src, body.src_offset, body.size)?;
                storage(state, "dst", body.dst, body.dst_offset, body.size)?;
                // Both ends are inside of buffers, so that nothing overflows.
                let apart = body.src_offset.abs_diff(body.dst_offset);
                if body.src == body.dst && apart < body.size {
                    return Err(Cause::Range { field: "size", value: body.size, limit: apart });
                }
                Ok(())
            }
            Packet::FillBuffer(body) => {
                multiple("offset", body.offset, 4)?;
                multiple("size", body.size, 4)?;
                if body.size == 0 {
                    return Err(Cause::Range {
                        field: "size",
                        value: 0,
                        limit: self.budgets.limit(Budget::BufferBytes),
                    });
                }
                storage(state, "id", body.id, body.offset, body.size)
            }
            Packet::ReadBuffer(body) => {
                if body.data.size == 0 {
                    return Err(Cause::Range {
                        field: "size",
                        value: 0,
                        limit: self.budgets.limit(Budget::BufferBytes),
                    });
                }
                storage(state, "id", body.id, body.offset, body.data.size.into())?;
                self.transfer(arena, body.id, &body.data)
            }
            Packet::CopyToTexture(body) => texture_copy(state, &body.copy),
            Packet::CopyFromTexture(body) => texture_copy(state, &body.copy),
            Packet::BeginQuery(body) => object(state, "id", body.id, ObjectKind::Query).map(drop),
            Packet::EndQuery(body) => object(state, "id", body.id, ObjectKind::Query).map(drop),
            // Counts for people: any will do.
            Packet::StateFigures(_) => Ok(()),
            Packet::BeginFrame(body) => {
                self.open_frame = Some(body.frame);
                self.draws = 0;
                self.capturing = false;
                Ok(())
            }
            Packet::Present(body) => {
                if self.open_frame != Some(body.frame) {
                    return Err(Cause::FrameMismatch { frame: body.frame, open: self.open_frame });
                }
                if !body.shows_nothing() {
                    object(state, "target", body.target, ObjectKind::Target)?;
                    texture(state, "texture", body.texture)?;
                }
                self.open_frame = None;
                self.capturing = false;
                Ok(())
            }
            Packet::Init(body, _) => {
                if body.version == Init::VERSION {
                    Ok(())
                } else {
                    Err(Cause::Version { have: body.version, wanted: Init::VERSION })
                }
            }
            Packet::Name(body, _) => match state.objects.get(body.id) {
                Some(_) => Ok(()),
                None => Err(Cause::Missing { field: "id", id: body.id }),
            },
            Packet::Destroy(body) => match state.objects.get(body.id) {
                Some(_) if state.objects.has_views(body.id) => Err(Cause::HasViews { field: "id", id: body.id }),
                Some(_) if self.capturing && state.capture_buffers.iter().any(|buffer| buffer.buffer == body.id) => {
                    Err(Cause::Captured { field: "id", id: body.id })
                }
                Some(_) => Ok(()),
                None => Err(Cause::Missing { field: "id", id: body.id }),
            },
            Packet::PresentTarget(body) => {
                number("window_kind", body.window_kind, WindowKind::ALL.len() as u32 - 1)?;
                for (field, edge) in [("width", body.width), ("height", body.height)] {
                    size(field, edge, u32::MAX)?;
                    self.within(Budget::TextureEdge, body.id, edge.into())?;
                }
                match state.objects.get(body.id) {
                    Some(_) if body.id.kind() == Some(ObjectKind::Target) => Ok(()),
                    _ => self.fresh(state, body.id, ObjectKind::Target),
                }
            }
            Packet::CreateBuffer(body) => {
                self.fresh(state, body.id, ObjectKind::Buffer)?;
                if body.size == 0 {
                    return Err(Cause::Range {
                        field: "size",
                        value: 0,
                        limit: self.budgets.limit(Budget::BufferBytes),
                    });
                }
                self.within(Budget::BufferBytes, body.id, body.size)?;
                self.room(state, Budget::BufferMemory, body.id, body.size)
            }
            Packet::CreateTexture(body) => {
                self.fresh(state, body.id, ObjectKind::Texture)?;
                self.texture_description(body)?;
                let bytes = texture_bytes(body);
                self.within(Budget::TextureBytes, body.id, bytes)?;
                self.room(state, Budget::TextureMemory, body.id, bytes)
            }
            Packet::CreateView(body) => {
                self.fresh(state, body.id, ObjectKind::Texture)?;
                view(state, body)
            }
            Packet::CreateSampler(body) => {
                self.fresh(state, body.id, ObjectKind::Sampler)?;
                for filter in [body.mag, body.min, body.mip] {
                    byte("filter", filter, Filter::ALL.len())?;
                }
                for address in body.address {
                    byte("address", address, Address::ALL.len())?;
                }
                byte("compare", body.compare, Compare::ALL.len())?;
                byte("gather", body.gather, 2)?;
                byte("flags", body.flags, 8)?;
                finite("lod_bias", &[body.lod_bias, body.min_lod, body.max_lod, body.max_anisotropy])?;
                match body.flags & CreateSampler::INTEGER_BORDER {
                    0 => finite("border", &body.border),
                    _ => Ok(()),
                }
            }
            Packet::CreateShader(body) => {
                self.fresh(state, body.id, ObjectKind::Shader)?;
                number("stage", body.stage, Stage::ALL.len() as u32 - 1)?;
                self.within(Budget::ShaderBytes, body.id, body.code.size.into())?;
                self.room(state, Budget::ShaderCode, body.id, shader_bytes(body))?;
                upload(arena, "code", &body.code)
            }
            Packet::CreateVertexInput(body, attributes) => {
                self.fresh(state, body.id, ObjectKind::VertexInput)?;
                range("count", attributes.len() as u64, 32)?;
                for attribute in attributes {
                    byte("location", attribute.location, 32)?;
                    if attribute.slot != VertexAttribute::DEFAULT {
                        byte("slot", attribute.slot, VERTEX_BUFFERS)?;
                    }
                    if VertexFormat::from_bits(attribute.format).is_none() {
                        let limit = VertexFormat::ALL.len() as u64;
                        return Err(Cause::Range { field: "format", value: u64::from(attribute.format), limit });
                    }
                    range("offset", u64::from(attribute.offset), 2047)?;
                }
                Ok(())
            }
            Packet::CreateQuery(body) => {
                self.fresh(state, body.id, ObjectKind::Query)?;
                number("kind", body.kind, QueryKind::ALL.len() as u32 - 1)
            }
        }
    }

    #[inline]
    fn draw(&mut self, state: &State) -> Checked {
        if state.shaders.vertex.is_none() {
            return Err(Cause::Missing { field: "vertex shader", id: ObjectId::NONE });
        }
        self.count_draw()
    }

    /// Whether a capture runs as it must.
    fn runs_capture(&self, wanted: bool) -> Checked {
        let running = self.capturing;
        if running == wanted { Ok(()) } else { Err(Cause::Capture { running }) }
    }

    #[inline]
    fn count_draw(&mut self) -> Checked {
        self.draws += 1;
        self.within(Budget::Draws, ObjectId::NONE, self.draws)
    }

    /// Whether so much may be asked for.
    #[inline]
    fn within(&self, budget: Budget, id: ObjectId, asked: u64) -> Checked {
        #[cold]
        fn past(budget: Budget, id: ObjectId, asked: u64, limit: u64) -> Checked {
            Err(Cause::Budget { budget, id, asked, limit })
        }
        let limit = self.budgets.limit(budget);
        if asked <= limit { Ok(()) } else { past(budget, id, asked, limit) }
    }

    /// Whether an object may take so much besides what lives.
    fn room(&self, state: &State, budget: Budget, id: ObjectId, more: u64) -> Checked {
        self.within(budget, id, state.objects.spent.of(budget).saturating_add(more))
    }

    /// Whether an id can be given to a new object, for which there is room.
    fn fresh(&self, state: &State, id: ObjectId, kind: ObjectKind) -> Checked {
        fresh(state, id, kind)?;
        let Some(budget) = Budget::of_kind(kind) else { return Ok(()) };
        self.room(state, budget, id, 1)?;
        // Serials are given out again, so that none is higher than there were objects; tables of objects are that long.
        self.within(budget, id, id.serial().into())
    }

    /// Data of an object on its way through the arena.
    fn transfer(&self, arena: &dyn Arena, id: ObjectId, data: &UploadRef) -> Checked {
        self.within(Budget::Transfer, id, data.size.into())?;
        upload(arena, "data", data)
    }

    fn blit_side(&self, state: &State, field: &'static str, view: View, rect: Rect) -> Checked {
        let texture = texture(state, field, view.texture)?;
        let extent = level_extent(texture, field, view.level, view.layer)?;
        if rect.x < 0 || rect.y < 0 {
            return Err(Cause::Range { field, value: 0, limit: u64::from(extent[0]) });
        }
        inside(field, rect.x as u32, rect.width, extent[0])?;
        inside(field, rect.y as u32, rect.height, extent[1])
    }

    fn texture_description(&self, body: &CreateTexture) -> Checked {
        let format = format_of(body)?;
        byte("dimension", body.dimension, Dimension::ALL.len())?;
        for (field, edge) in [("width", body.width), ("height", body.height), ("depth", body.depth)] {
            size(field, edge, u32::MAX)?;
            self.within(Budget::TextureEdge, body.id, edge.into())?;
        }
        let largest = body.width.max(body.height).max(body.depth);
        if body.levels == 0 || body.levels > largest.ilog2() + 1 {
            return Err(Cause::Range {
                field: "levels",
                value: body.levels.into(),
                limit: (largest.ilog2() + 1).into(),
            });
        }
        let dimension = Dimension::of(body.dimension);
        layers(dimension, body.layers, body.width == body.height)?;
        if dimension != Dimension::D3 && body.depth != 1 {
            return Err(Cause::Range { field: "depth", value: body.depth.into(), limit: 1 });
        }
        let one_sample = body.levels > 1 || dimension == Dimension::D3 || body.usage & CreateTexture::STORAGE != 0;
        if !matches!(body.samples, 1 | 2 | 4 | 8 | 16) || (body.samples > 1 && one_sample) {
            return Err(Cause::Range { field: "samples", value: body.samples.into(), limit: 16 });
        }
        for component in body.swizzle {
            byte("swizzle", component, Swizzle::ALL.len())?;
        }
        let sharing = if body.shared == 0 { 0 } else { CreateTexture::SHARED_NEW | CreateTexture::SHARED_OLD };
        let not_storage = format.is_depth() || format.info().block > 1 || format.info().name.ends_with("_SRGB");
        let storage = if not_storage { 0 } else { CreateTexture::STORAGE };
        let samples = if body.samples > 1 { CreateTexture::SAMPLED } else { 0 };
        let usages = CreateTexture::TARGET | CreateTexture::VIEWS | sharing | storage | samples;
        if body.usage & !usages != 0 {
            return Err(Cause::Range { field: "usage", value: body.usage.into(), limit: usages.into() });
        }
        Ok(())
    }
}

/// Width, height and depth of a level of a texture.
fn level_extent(texture: &CreateTexture, field: &'static str, level: u16, layer: u16) -> Result<[u32; 3], Cause> {
    if u32::from(level) >= texture.levels {
        return Err(Cause::Range { field, value: level.into(), limit: u64::from(texture.levels) - 1 });
    }
    let at = |edge: u32| (edge >> level).max(1);
    let extent = [at(texture.width), at(texture.height), at(texture.depth)];
    let layers = if texture.depth > 1 { extent[2] } else { texture.layers };
    if u32::from(layer) >= layers {
        return Err(Cause::Range { field, value: layer.into(), limit: u64::from(layers) - 1 });
    }
    Ok(extent)
}

/// The layers of a texture or view of a dimension.
fn layers(dimension: Dimension, count: u32, square: bool) -> Checked {
    let (fits, limit) = match dimension {
        Dimension::D2 => (count > 0, MOST_LAYERS),
        Dimension::Cube => (count > 0 && count.is_multiple_of(6) && square, MOST_LAYERS / 6 * 6),
        Dimension::D3 => (count == 1, 1),
    };
    if fits && count <= limit {
        Ok(())
    } else {
        Err(Cause::Range { field: "layers", value: count.into(), limit: limit.into() })
    }
}

/// A view of a texture.
fn view(state: &State, body: &CreateView) -> Checked {
    let source = match object(state, "source", body.source, ObjectKind::Texture)? {
        Created::Texture(source) => source,
        _ => return Err(Cause::WrongKind { field: "source", id: body.source }),
    };
    byte("dimension", body.dimension, Dimension::ALL.len())?;
    let dimension = Dimension::of(body.dimension);
    if (dimension == Dimension::D3) != (source.dimension == Dimension::D3 as u8) {
        return Err(Cause::Range { field: "dimension", value: body.dimension.into(), limit: source.dimension.into() });
    }
    range("levels", u64::from(body.levels.max(1)) + u64::from(body.level), source.levels.into())?;
    if body.levels == 0 {
        return Err(Cause::Range { field: "levels", value: 0, limit: source.levels.into() });
    }
    layers(dimension, body.layers.into(), source.width == source.height && source.samples == 1)?;
    range("layers", u64::from(body.layer) + u64::from(body.layers), source.layers.into())?;
    let (have, wanted) = (format_of(source)?, format_of(&body.texture(source))?);
    let (a, b) = (have.info(), wanted.info());
    let alike = !have.is_depth() && !wanted.is_depth() && (a.block, a.bytes) == (b.block, b.bytes);
    if have != wanted && !(alike && source.usage & CreateTexture::VIEWS != 0) {
        return Err(Cause::Range { field: "format", value: body.format.into(), limit: source.format.into() });
    }
    for component in body.swizzle {
        byte("swizzle", component, Swizzle::ALL.len())?;
    }
    Ok(())
}

/// A copy between a texture and a buffer.
fn texture_copy(state: &State, copy: &TextureCopy) -> Checked {
    let texture = texture(state, "texture", copy.texture)?;
    let extent = level_extent(texture, "level", copy.level, copy.layer)?;
    inside("x", copy.x, copy.width, extent[0])?;
    inside("y", copy.y, copy.height, extent[1])?;
    inside("z", copy.z, copy.depth, extent[2])?;
    let format = format_of(texture)?;
    if format.is_depth() || texture.samples > 1 {
        return Err(Cause::WrongKind { field: "texture", id: copy.texture });
    }
    let (block, bytes) = (format.info().block, u64::from(format.info().bytes));
    multiple("x", copy.x.into(), block.into())?;
    multiple("y", copy.y.into(), block.into())?;
    // Vulkan wants whole blocks but at the edges.
    for (first, count, edge) in [(copy.x, copy.width, extent[0]), (copy.y, copy.height, extent[1])] {
        if first + count != edge {
            multiple("width", count.into(), block.into())?;
        }
    }
    multiple("row_pitch", copy.row_pitch.into(), bytes)?;
    multiple("offset", copy.offset, bytes.max(4))?;
    let slice = slice_bytes(format, copy.width, copy.height, copy.row_pitch)?;
    if copy.depth > 1 {
        multiple("slice_pitch", copy.slice_pitch.into(), copy.row_pitch.into())?;
        if u64::from(copy.slice_pitch) < slice {
            return Err(Cause::Range { field: "slice_pitch", value: copy.slice_pitch.into(), limit: slice });
        }
    }
    let size = u64::from(copy.slice_pitch).saturating_mul(u64::from(copy.depth) - 1).saturating_add(slice);
    storage(state, "buffer", copy.buffer, copy.offset, size)
}

/// A range of a buffer that is made for storage; a size of 0 is the rest.
fn storage(state: &State, field: &'static str, id: ObjectId, offset: u64, size: u64) -> Checked {
    match object(state, field, id, ObjectKind::Buffer)? {
        Created::Buffer(buffer) if buffer.usage & CreateBuffer::STORAGE != 0 => {
            range(field, offset.saturating_add(size), buffer.size)
        }
        _ => Err(Cause::WrongKind { field, id }),
    }
}

/// Where counters of captured bytes are read or written.
fn counters(state: &State, counters: &[CounterRef; CAPTURE_BUFFERS]) -> Checked {
    for counter in counters.iter().filter(|counter| !counter.buffer.is_none()) {
        multiple("offset", counter.offset, 4)?;
        storage(state, "counter", counter.buffer, counter.offset, 4)?;
    }
    Ok(())
}

fn multiple(field: &'static str, value: u64, of: u64) -> Checked {
    if value.is_multiple_of(of) {
        Ok(())
    } else {
        Err(Cause::Range { field, value, limit: value - value.checked_rem(of).unwrap_or(0) })
    }
}

#[inline]
fn range(field: &'static str, value: u64, limit: u64) -> Checked {
    if value <= limit { Ok(()) } else { Err(Cause::Range { field, value, limit }) }
}

#[inline]
fn number(field: &'static str, value: u32, limit: u32) -> Checked {
    range(field, value.into(), limit.into())
}

#[inline]
fn byte(field: &'static str, value: u8, count: usize) -> Checked {
    range(field, value.into(), count as u64 - 1)
}

fn size(field: &'static str, value: u32, limit: u32) -> Checked {
    if value == 0 {
        return Err(Cause::Range { field, value: 0, limit: limit.into() });
    }
    number(field, value, limit)
}

fn inside(field: &'static str, first: u32, count: u32, edge: u32) -> Checked {
    size(field, count, edge)?;
    range(field, u64::from(first) + u64::from(count), edge.into())
}

#[inline]
fn finite(field: &'static str, values: &[f32]) -> Checked {
    match values.iter().find(|value| !value.is_finite()) {
        None => Ok(()),
        Some(value) => Err(Cause::Range { field, value: value.to_bits().into(), limit: f32::MAX.to_bits().into() }),
    }
}

fn upload(arena: &dyn Arena, field: &'static str, range: &UploadRef) -> Checked {
    upload_range(arena, field, range.slot, range.offset, range.size.into())
}

fn upload_range(arena: &dyn Arena, field: &'static str, slot: u32, offset: u64, size: u64) -> Checked {
    match arena.slot_size(slot) {
        Some(bytes) if offset.checked_add(size).is_some_and(|end| end <= bytes) => Ok(()),
        _ => Err(Cause::UploadRange { field, slot, size, offset }),
    }
}

#[inline]
fn object<'a>(state: &'a State, field: &'static str, id: ObjectId, kind: ObjectKind) -> Result<&'a Created, Cause> {
    if id.kind() != Some(kind) {
        return Err(if id.is_none() { Cause::Missing { field, id } } else { Cause::WrongKind { field, id } });
    }
    state.objects.get(id).ok_or(Cause::Missing { field, id })
}

#[inline]
fn object_or_none(state: &State, field: &'static str, id: ObjectId, kind: ObjectKind) -> Checked {
    if id.is_none() { Ok(()) } else { object(state, field, id, kind).map(drop) }
}

fn texture<'a>(state: &'a State, field: &'static str, id: ObjectId) -> Result<&'a CreateTexture, Cause> {
    match object(state, field, id, ObjectKind::Texture)? {
        Created::Texture(texture) | Created::View(_, texture) => Ok(texture),
        _ => Err(Cause::WrongKind { field, id }),
    }
}

fn format_of(texture: &CreateTexture) -> Result<Format, Cause> {
    let limit = Format::ALL.len() as u64;
    Format::from_bits(texture.format).ok_or(Cause::Range { field: "format", value: texture.format.into(), limit })
}

/// Bytes from the first to the last texel of `width` x `height` texels, both more than zero, with rows of blocks
/// `row_pitch` bytes apart, which must not overlap.
fn slice_bytes(format: Format, width: u32, height: u32, row_pitch: u32) -> Result<u64, Cause> {
    let (row, pitch) = (u64::from(format.row_bytes(width)), u64::from(row_pitch));
    if pitch < row {
        return Err(Cause::Range { field: "row_pitch", value: pitch, limit: row });
    }
    Ok(pitch * (u64::from(format.rows(height)) - 1) + row)
}

fn shader(state: &State, field: &'static str, id: ObjectId, stage: Stage) -> Checked {
    if id.is_none() {
        return Ok(());
    }
    match object(state, field, id, ObjectKind::Shader)? {
        Created::Shader(shader) if shader.stage == stage as u32 => Ok(()),
        _ => Err(Cause::WrongKind { field, id }),
    }
}

/// A vertex or index source: a buffer, none, or a range of an arena slot.
#[inline]
fn source(state: &State, arena: &dyn Arena, id: ObjectId, offset: u64, size: u64) -> Checked {
    if id.is_none() {
        return Ok(());
    }
    if id.kind() == Some(ObjectKind::Upload) {
        return upload_range(arena, "source", id.serial(), offset, size.max(1));
    }
    match object(state, "source", id, ObjectKind::Buffer)? {
        Created::Buffer(buffer) => range("offset", offset.saturating_add(size), buffer.size),
        _ => Err(Cause::WrongKind { field: "source", id }),
    }
}

fn target(state: &State, field: &'static str, view: View, depth: bool) -> Checked {
    if view.texture.is_none() {
        return Ok(());
    }
    let texture = texture(state, field, view.texture)?;
    level_extent(texture, field, view.level, view.layer)?;
    if texture.usage & CreateTexture::TARGET == 0 || format_of(texture)?.is_depth() != depth {
        return Err(Cause::WrongKind { field, id: view.texture });
    }
    Ok(())
}

fn fresh(state: &State, id: ObjectId, kind: ObjectKind) -> Checked {
    if id.kind() != Some(kind) {
        return Err(Cause::WrongKind { field: "id", id });
    }
    if state.objects.get(id).is_some() {
        return Err(Cause::Exists { field: "id", id });
    }
    let limit = state.objects.serial_limit(kind) - 1;
    if id.serial() == 0 {
        return Err(Cause::Range { field: "id", value: 0, limit: limit as u64 });
    }
    range("id", id.serial().into(), limit as u64)
}
