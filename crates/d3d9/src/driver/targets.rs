//! Colour and depth targets.

use super::Device;
use crate::error::{Error, Result};
use crate::handle::{Handle, Surface};
use crate::machine::*;
use afterimage_d3d9_types::*;

impl Device {
    /// `SetRenderTarget`. Setting target 0 also sets viewport and scissor to its size.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for an index past the last, none at 0, or a surface that is no render target.
    pub fn set_render_target(&mut self, index: u32, surface: Option<Surface>) -> Result<()> {
        let slot = index as usize;
        if slot >= TARGETS || (slot == 0 && surface.is_none()) {
            return Err(Error::InvalidCall);
        }
        let mut size = None;
        if let Some(surface) = surface {
            let image = self.objects.images.get(surface.image).ok_or(Error::InvalidCall)?;
            let sub = image.sub_of(surface).ok_or(Error::InvalidCall)?;
            if image.usage & D3DUSAGE_RENDERTARGET == 0 {
                return Err(Error::InvalidCall);
            }
            size = Some(sub.extent);
        }
        let old = self.registers.targets[slot];
        if self.registers.targets.set(slot, surface, &mut self.registers.tracker) {
            self.objects.images.bind(surface.map(|surface| surface.image));
            self.left_target(old);
        }
        if let (0, Some([width, height, _])) = (slot, size) {
            self.set_target_area(width, height);
        }
        Ok(())
    }

    /// Viewport and scissor become the whole of a target.
    pub(crate) fn set_target_area(&mut self, width: u32, height: u32) {
        let viewport = D3DVIEWPORT9 { X: 0, Y: 0, Width: width, Height: height, MinZ: 0.0, MaxZ: 1.0 };
        let scissor = RECT { left: 0, top: 0, right: width as i32, bottom: height as i32 };
        let registers = &mut self.registers;
        registers.viewport.set(viewport, &mut registers.tracker);
        registers.scissor.set(scissor, &mut registers.tracker);
    }

    /// A surface is no target any more: what was drawn may now be sampled, which makes automatic mip maps due.
    pub(super) fn left_target(&mut self, surface: Option<Surface>) {
        let Some(surface) = surface else { return };
        if self.objects.images.get(surface.image).is_some_and(|image| image.mips_stale) {
            self.registers.touch_texture(surface.image);
        }
        self.unbind_handle(Handle::Image(surface.image));
    }

    /// `GetRenderTarget`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] past the last index, [`Error::NotFound`] where nothing is bound.
    pub fn render_target(&self, index: u32) -> Result<Surface> {
        self.registers.targets.all().get(index as usize).ok_or(Error::InvalidCall)?.ok_or(Error::NotFound)
    }

    /// `SetDepthStencilSurface`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a surface that is no depth buffer.
    pub fn set_depth_stencil(&mut self, surface: Option<Surface>) -> Result<()> {
        if let Some(surface) = surface {
            let image = self.objects.images.get(surface.image).ok_or(Error::InvalidCall)?;
            image.sub_of(surface).ok_or(Error::InvalidCall)?;
            if image.usage & D3DUSAGE_DEPTHSTENCIL == 0 {
                return Err(Error::InvalidCall);
            }
        }
        let old = *self.registers.depth;
        if self.registers.depth.set(surface, &mut self.registers.tracker) {
            self.objects.images.bind(surface.map(|surface| surface.image));
            self.left_target(old);
        }
        Ok(())
    }

    /// `GetDepthStencilSurface`.
    ///
    /// # Errors
    /// [`Error::NotFound`] where nothing is bound.
    pub fn depth_stencil(&self) -> Result<Surface> {
        self.registers.depth.ok_or(Error::NotFound)
    }
}
