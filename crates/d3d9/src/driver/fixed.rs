//! State of the fixed-function pipeline: transforms, material, lights, clip planes.

use super::Device;
use super::state_block::Setting;
use crate::error::{Error, Result};
use crate::machine::*;
use afterimage_d3d9_types::*;

/// Largest index of a light.
const MAX_LIGHT: u32 = 65_535;

impl Device {
    /// `SetTransform`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a transform that does not exist.
    pub fn set_transform(&mut self, state: D3DTRANSFORMSTATETYPE, matrix: &D3DMATRIX) -> Result<()> {
        let slot = Transforms::slot(state).ok_or(Error::InvalidCall)?;
        if self.record(|| Setting::Transform(state, Box::new(*matrix))) {
            return Ok(());
        }
        self.registers.transforms.set(slot, matrix, &mut self.registers.tracker);
        Ok(())
    }

    /// `GetTransform`.
    ///
    /// # Errors
    /// As [`Device::set_transform`], and of a pure device.
    pub fn transform(&self, state: D3DTRANSFORMSTATETYPE) -> Result<D3DMATRIX> {
        self.not_pure()?;
        let slot = Transforms::slot(state).ok_or(Error::InvalidCall)?;
        Ok(D3DMATRIX { m: *self.registers.transforms.get(slot) })
    }

    /// `MultiplyTransform`: the given matrix times the current one. Never recorded.
    ///
    /// # Errors
    /// As [`Device::set_transform`].
    pub fn multiply_transform(&mut self, state: D3DTRANSFORMSTATETYPE, matrix: &D3DMATRIX) -> Result<()> {
        let slot = Transforms::slot(state).ok_or(Error::InvalidCall)?;
        let product = multiply(&matrix.m, self.registers.transforms.get(slot));
        self.registers.transforms.set(slot, &D3DMATRIX { m: product }, &mut self.registers.tracker);
        Ok(())
    }

    /// `SetMaterial`.
    ///
    /// # Errors
    /// None.
    pub fn set_material(&mut self, material: &D3DMATERIAL9) -> Result<()> {
        if self.record(|| Setting::Material(Box::new(*material))) {
            return Ok(());
        }
        self.registers.material.set(*material, &mut self.registers.tracker);
        Ok(())
    }

    /// `GetMaterial`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] of a pure device.
    pub fn material(&self) -> Result<D3DMATERIAL9> {
        self.not_pure()?;
        Ok(*self.registers.material)
    }

    /// `SetLight`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a type that does not exist or an index past 65535.
    pub fn set_light(&mut self, index: u32, light: &D3DLIGHT9) -> Result<()> {
        if index > MAX_LIGHT || !(D3DLIGHT_POINT..=D3DLIGHT_DIRECTIONAL).contains(&light.Type) {
            return Err(Error::InvalidCall);
        }
        if self.record(|| Setting::Light(index, Box::new(*light))) {
            return Ok(());
        }
        self.registers.lights.set(index, light, &mut self.registers.tracker);
        Ok(())
    }

    /// `GetLight`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a light that was never set, and of a pure device.
    pub fn light(&self, index: u32) -> Result<D3DLIGHT9> {
        self.not_pure()?;
        self.registers.lights.get(index).map(|(light, _)| *light).ok_or(Error::InvalidCall)
    }

    /// `LightEnable`. A light that was never set gets Direct3D's default.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for an index past 65535.
    pub fn enable_light(&mut self, index: u32, enable: bool) -> Result<()> {
        if index > MAX_LIGHT {
            return Err(Error::InvalidCall);
        }
        if self.record(|| Setting::LightEnable(index, enable)) {
            return Ok(());
        }
        self.registers.lights.enable(index, enable, &mut self.registers.tracker);
        Ok(())
    }

    /// `GetLightEnable`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a light that was never set, and of a pure device.
    pub fn light_enabled(&self, index: u32) -> Result<bool> {
        self.not_pure()?;
        self.registers.lights.get(index).map(|(_, on)| *on).ok_or(Error::InvalidCall)
    }

    /// The plane of an index: those past the last are the last.
    fn clip_plane_slot(&self, index: u32) -> usize {
        let planes = (self.port.device().max_clip_planes as usize).clamp(1, CLIP_PLANES);
        (index as usize).min(planes - 1)
    }

    /// `SetClipPlane`. An index past the last plane means the last.
    ///
    /// # Errors
    /// None.
    pub fn set_clip_plane(&mut self, index: u32, plane: &[f32; 4]) -> Result<()> {
        if self.record(|| Setting::ClipPlane(index, *plane)) {
            return Ok(());
        }
        let slot = self.clip_plane_slot(index);
        self.registers.clip_planes.set(slot, plane.map(f32::to_bits), &mut self.registers.tracker);
        Ok(())
    }

    /// `GetClipPlane`. An index past the last plane means the last.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] of a pure device.
    pub fn clip_plane(&self, index: u32) -> Result<[f32; 4]> {
        self.not_pure()?;
        Ok(self.registers.clip_planes[self.clip_plane_slot(index)].map(f32::from_bits))
    }
}
