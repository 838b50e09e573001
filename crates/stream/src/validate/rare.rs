//! Packets that do not come with every draw: what they may name and how much they may take.

use super::Validator;
use super::objects::*;
use crate::budgets::{Budget, shader_bytes, texture_bytes};
use crate::packets::check::{Checked, elements, range};
use crate::packets::*;
use crate::state::{Created, VIEWPORTS};
use crate::{Arena, Cause, ObjectKind, State};

impl Validator {
    /// Bytes into a buffer.
    #[inline]
    pub(super) fn update_buffer(&self, state: &State, arena: &dyn Arena, body: &UpdateBuffer) -> Checked {
        let Created::Buffer(buffer) = object(state, "id", body.id, ObjectKind::Buffer)? else {
            return Err(Cause::WrongKind { field: "id", id: body.id });
        };
        range("offset", body.offset.saturating_add(u64::from(body.data.size)), buffer.size)?;
        self.transfer(arena, body.id, &body.data)
    }

    /// A box of texels, all samples of each.
    pub(super) fn update_texture(&self, state: &State, arena: &dyn Arena, body: &UpdateTexture) -> Checked {
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
        if !body.x.is_multiple_of(block) || !body.y.is_multiple_of(block) {
            return Err(Cause::Range { field: "x", value: u64::from(body.x), limit: u64::from(block) });
        }
        let slice = slice_bytes(format, body.width, body.height, body.row_pitch)?;
        let needed = u64::from(body.slice_pitch).saturating_mul(u64::from(body.depth) - 1).saturating_add(slice);
        range("data", needed, u64::from(body.data.size))?;
        self.transfer(arena, body.id, &body.data)
    }

    /// Texels into upload memory.
    pub(super) fn read_back(&self, state: &State, arena: &dyn Arena, body: &ReadBack) -> Checked {
        self.blit_side(state, "src", body.src, body.rect)?;
        let format = format_of(texture(state, "src", body.src.texture)?)?;
        let needed = slice_bytes(format, body.rect.width, body.rect.height, body.row_pitch)?;
        range("data", needed, u64::from(body.data.size))?;
        self.transfer(arena, body.src.texture, &body.data)
    }

    /// Bytes between buffers; ranges of one do not overlap.
    pub(super) fn copy_buffer(&self, state: &State, body: &CopyBuffer) -> Checked {
        if body.size == 0 {
            return Err(Cause::Range { field: "size", value: 0, limit: self.budgets.limit(Budget::BufferBytes) });
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

    /// A range of a buffer.
    pub(super) fn fill_buffer(&self, state: &State, body: &FillBuffer) -> Checked {
        body.check()?;
        if body.size == 0 {
            return Err(Cause::Range { field: "size", value: 0, limit: self.budgets.limit(Budget::BufferBytes) });
        }
        storage(state, "id", body.id, body.offset, body.size)
    }

    /// Bytes of a buffer into upload memory.
    pub(super) fn read_buffer(&self, state: &State, arena: &dyn Arena, body: &ReadBuffer) -> Checked {
        if body.data.size == 0 {
            return Err(Cause::Range { field: "size", value: 0, limit: self.budgets.limit(Budget::BufferBytes) });
        }
        storage(state, "id", body.id, body.offset, body.data.size.into())?;
        self.transfer(arena, body.id, &body.data)
    }

    /// A target that is there, or a new one.
    pub(super) fn present_target(&self, state: &State, body: &PresentTarget) -> Checked {
        body.check()?;
        for edge in [body.width, body.height] {
            self.within(Budget::TextureEdge, body.id, edge.into())?;
        }
        match state.objects.get(body.id) {
            Some(_) if body.id.kind() == Some(ObjectKind::Target) => Ok(()),
            _ => self.fresh(state, body.id, ObjectKind::Target),
        }
    }

    /// A new buffer.
    pub(super) fn create_buffer(&self, state: &State, body: &CreateBuffer) -> Checked {
        self.fresh(state, body.id, ObjectKind::Buffer)?;
        if body.size == 0 {
            return Err(Cause::Range { field: "size", value: 0, limit: self.budgets.limit(Budget::BufferBytes) });
        }
        self.within(Budget::BufferBytes, body.id, body.size)?;
        self.room(state, Budget::BufferMemory, body.id, body.size)
    }

    /// A new texture.
    pub(super) fn create_texture(&self, state: &State, body: &CreateTexture) -> Checked {
        self.fresh(state, body.id, ObjectKind::Texture)?;
        body.check()?;
        for edge in [body.width, body.height, body.depth] {
            self.within(Budget::TextureEdge, body.id, edge.into())?;
        }
        let bytes = texture_bytes(body);
        self.within(Budget::TextureBytes, body.id, bytes)?;
        self.room(state, Budget::TextureMemory, body.id, bytes)
    }

    /// A new shader.
    pub(super) fn create_shader(&self, state: &State, arena: &dyn Arena, body: &CreateShader) -> Checked {
        self.fresh(state, body.id, ObjectKind::Shader)?;
        body.check()?;
        self.within(Budget::ShaderBytes, body.id, body.code.size.into())?;
        self.room(state, Budget::ShaderCode, body.id, shader_bytes(body))?;
        upload(arena, "code", &body.code)
    }

    /// Targets, with as many layers as are wanted.
    pub(super) fn set_render_targets(state: &State, body: &SetRenderTargets) -> Checked {
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

    /// Viewports beside the first, each within the bounds of all devices.
    pub(super) fn set_viewports(&self, body: &SetViewports, viewports: &[FurtherViewport]) -> Checked {
        elements(1u32, body.count, VIEWPORTS)?;
        viewports.iter().try_for_each(|further| self.set_viewport(&further.viewport))
    }

    /// A viewport within the bounds of all devices.
    pub(super) fn set_viewport(&self, body: &SetViewport) -> Checked {
        body.check()?;
        let edge = self.budgets.limit(Budget::TextureEdge) as f32 * 2.0;
        if body.width < 0.0 || body.height < 0.0 || body.width > edge || body.height > edge {
            return Err(Cause::Range { field: "width", value: body.width as u64, limit: edge as u64 });
        }
        if let Some(far) = [body.x, body.y].into_iter().find(|at| at.abs() > edge) {
            return Err(Cause::Range { field: "x", value: far.abs() as u64, limit: edge as u64 });
        }
        Ok(())
    }
}
