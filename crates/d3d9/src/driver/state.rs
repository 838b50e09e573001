//! Render, sampler and texture stage states.

use super::Device;
use super::state_block::Setting;
use crate::error::{Error, Result};
use crate::machine::*;
use afterimage_d3d9_types::*;
use afterimage_state::Table;

impl Device {
    /// Pure devices do not tell what was set: by the list in Microsoft's "DirectX 9 Frequently Asked Questions" ("What is
    /// the purpose of the D3DCREATE_PUREDEVICE flag?").
    #[inline]
    pub(super) fn not_pure(&self) -> Result<()> {
        if self.creation.BehaviorFlags & D3DCREATE_PUREDEVICE == 0 { Ok(()) } else { Err(Error::InvalidCall) }
    }

    /// `SetRenderState`. A state that does not exist is ignored, as Direct3D does.
    ///
    /// # Errors
    /// None so far.
    #[inline]
    pub fn set_render_state(&mut self, state: D3DRENDERSTATETYPE, value: u32) -> Result<()> {
        if self.record(|| Setting::Render(state, value)) {
            return Ok(());
        }
        let registers = &mut self.registers;
        if registers.render.set(state, value, &mut registers.tracker) && RenderStates::READERS[state as usize] == 0 {
            self.undrawn_set(state, value);
        }
        if matches!(state, D3DRS_POINTSIZE | D3DRS_ADAPTIVETESS_X | D3DRS_ADAPTIVETESS_Y) {
            self.order_to_driver(state, value);
        }
        Ok(())
    }

    /// A state that nothing reads has another value.
    #[cold]
    fn undrawn_set(&mut self, state: D3DRENDERSTATETYPE, value: u32) {
        let row = RenderStates::row(state).filter(|row| UNDRAWN.contains(&state) && value != row.default);
        if let Some(row) = row
            && self.logged.insert(row.name)
        {
            tracing::warn!(state = row.name, value, "a state that is not supported: nothing is drawn by it");
        }
    }

    /// `GetRenderState`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a state that does not exist, and of a pure device.
    pub fn render_state(&self, state: D3DRENDERSTATETYPE) -> Result<u32> {
        self.not_pure()?;
        RenderStates::row(state).ok_or(Error::InvalidCall)?;
        Ok(self.registers.render.get(state))
    }

    /// `SetSamplerState`; samplers are 0 to 15, 256 (displacement) and 257 to 260 (vertex).
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a sampler that does not exist.
    #[inline]
    pub fn set_sampler_state(&mut self, sampler: u32, state: D3DSAMPLERSTATETYPE, value: u32) -> Result<()> {
        let slot = sampler_slot(sampler).ok_or(Error::InvalidCall)?;
        if self.record(|| Setting::Sampler(sampler, state, value)) {
            return Ok(());
        }
        let registers = &mut self.registers;
        registers.samplers[slot].set(state, value, &mut registers.tracker);
        Ok(())
    }

    /// `GetSamplerState`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a sampler or state that does not exist, and of a pure device.
    pub fn sampler_state(&self, sampler: u32, state: D3DSAMPLERSTATETYPE) -> Result<u32> {
        self.not_pure()?;
        let slot = sampler_slot(sampler).ok_or(Error::InvalidCall)?;
        SamplerStates::row(state).ok_or(Error::InvalidCall)?;
        Ok(self.registers.samplers[slot].get(state))
    }

    /// `SetTextureStageState`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a stage past 7.
    pub fn set_texture_stage_state(&mut self, stage: u32, state: D3DTEXTURESTAGESTATETYPE, value: u32) -> Result<()> {
        if stage >= 8 {
            return Err(Error::InvalidCall);
        }
        if self.record(|| Setting::Stage(stage, state, value)) {
            return Ok(());
        }
        let registers = &mut self.registers;
        registers.stages[stage as usize].set(state, value, &mut registers.tracker);
        Ok(())
    }

    /// `GetTextureStageState`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a stage or state that does not exist, and of a pure device.
    pub fn texture_stage_state(&self, stage: u32, state: D3DTEXTURESTAGESTATETYPE) -> Result<u32> {
        self.not_pure()?;
        let states = self.registers.stages.get(stage as usize).ok_or(Error::InvalidCall)?;
        StageStates::row(state).ok_or(Error::InvalidCall)?;
        Ok(states.get(state))
    }

    /// `SetScissorRect`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for an inverted rectangle.
    pub fn set_scissor_rect(&mut self, rect: &RECT) -> Result<()> {
        if rect.right < rect.left || rect.bottom < rect.top {
            return Err(Error::InvalidCall);
        }
        if self.record(|| Setting::Scissor(*rect)) {
            return Ok(());
        }
        self.registers.scissor.set(*rect, &mut self.registers.tracker);
        Ok(())
    }

    /// `GetScissorRect`.
    #[must_use]
    pub fn scissor_rect(&self) -> RECT {
        *self.registers.scissor
    }

    /// `SetViewport`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a depth range that is inverted beyond use.
    pub fn set_viewport(&mut self, viewport: &D3DVIEWPORT9) -> Result<()> {
        if self.record(|| Setting::Viewport(*viewport)) {
            return Ok(());
        }
        self.registers.viewport.set(*viewport, &mut self.registers.tracker);
        Ok(())
    }

    /// `GetViewport`.
    #[must_use]
    pub fn viewport(&self) -> D3DVIEWPORT9 {
        *self.registers.viewport
    }

    /// `SetNPatchMode`. The number is kept; nothing is drawn by it.
    ///
    /// # Errors
    /// None.
    pub fn set_npatch_mode(&mut self, segments: f32) -> Result<()> {
        if self.record(|| Setting::NPatch(segments)) {
            return Ok(());
        }
        self.registers.npatch_segments.set(segments, &mut self.registers.tracker);
        if segments > 1.0 && self.logged.insert("SetNPatchMode") {
            tracing::warn!(segments, "N-patches are not supported (nor a capability): triangles stay flat");
        }
        Ok(())
    }

    /// `GetNPatchMode`.
    #[must_use]
    pub fn npatch_mode(&self) -> f32 {
        *self.registers.npatch_segments
    }

    /// `SetClipStatus`.
    pub fn set_clip_status(&mut self, status: &D3DCLIPSTATUS9) {
        self.clip_codes.forget();
        self.clip_status = *status;
    }

    /// `GetClipStatus`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] of a pure device.
    pub fn clip_status(&mut self) -> Result<D3DCLIPSTATUS9> {
        self.not_pure()?;
        self.fold_clip_codes()?;
        Ok(self.clip_status)
    }

    /// `ValidateDevice`: the number of passes.
    ///
    /// # Errors
    /// None so far: what cannot be drawn is logged.
    pub fn validate(&self) -> Result<u32> {
        Ok(1)
    }

    /// `SetSoftwareVertexProcessing`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] unless the device was created for mixed processing.
    pub fn set_software_vertex_processing(&mut self, software: bool) -> Result<()> {
        if self.creation.BehaviorFlags & D3DCREATE_MIXED_VERTEXPROCESSING == 0 {
            return Err(Error::InvalidCall);
        }
        let registers = &mut self.registers;
        registers.software_processing.set(software, &mut registers.tracker);
        registers.vertex_shader_failed.set(false, &mut registers.tracker);
        Ok(())
    }

    /// `GetSoftwareVertexProcessing`.
    #[must_use]
    pub fn software_vertex_processing(&self) -> bool {
        *self.registers.software_processing
    }
}
