//! Dirty groups to packets: one function per group, applied in the order of [`Group`] before a draw.
//!
//! Each function builds the whole packet from the registers, and [`Port::put`] drops it where the receiver has the same
//! already. So applying a group too often costs time and never changes a picture.

mod constants;
mod fixed_constants;
mod fixed_keys;
mod inputs;
mod resend;
mod shaders;
mod states;
mod textures;

pub(crate) use inputs::attributes;
pub(crate) use shaders::Source;
pub(crate) use states::depth_range;

use crate::driver::Device;
use crate::error::{Error, Result};
use crate::machine::{Constants, Group, Reads, Wants};
use afterimage_shader_d3d9::signature::MAX_SAMPLERS;
use afterimage_shader_d3d9::{FixedPixelKey, FixedVertexKey, FixedVertexRegister};
use afterimage_state::Dirty;
use afterimage_stream::packets::*;
use afterimage_stream::{ObjectId, Sent, TEXTURE_SLOTS, VERTEX_BUFFERS};
use rustc_hash::FxHashMap;

/// What is bound to a stage now, in short.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StageInfo {
    /// Which program it is; `None` before the first draw.
    pub(crate) source: Option<Source>,
    pub(crate) id: ObjectId,
    pub(crate) reads: Reads,
    pub(crate) samplers: u32,
    pub(crate) wants: [Wants; MAX_SAMPLERS],
    pub(crate) model: u8,
}

impl Default for StageInfo {
    fn default() -> Self {
        Self {
            source: None,
            id: ObjectId::NONE,
            reads: Reads::default(),
            samplers: 0,
            wants: [Wants::Any; MAX_SAMPLERS],
            model: 0,
        }
    }
}

/// The host's side of the state: what was sent, and objects that stand for combinations of states.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) sent: Sent,
    pub(crate) vertex: StageInfo,
    pub(crate) pixel: StageInfo,
    /// Samplers by their description without the id.
    pub(crate) samplers: FxHashMap<[u64; 6], ObjectId>,
    /// The sampler of each slot, where its states have been looked up.
    pub(crate) slot_samplers: [ObjectId; TEXTURE_SLOTS],
    /// What of the texture the slot's sampler was made for.
    pub(crate) slot_classes: [textures::SamplerClass; TEXTURE_SLOTS],
    /// Fixed stages by key: index into [`crate::driver::Objects`]' list of them.
    pub(crate) fixed_vertex: FxHashMap<FixedVertexKey, usize>,
    pub(crate) fixed_pixel: FxHashMap<FixedPixelKey, usize>,
    /// Registers of the fixed stages as last computed, and which of them have not been sent.
    pub(crate) fixed_vertex_constants: Constants,
    pub(crate) fixed_pixel_constants: Constants,
    /// Clip planes as last sent.
    pub(crate) clip_planes: [Option<[u32; 4]>; crate::machine::CLIP_PLANES],
}

impl Default for Host {
    fn default() -> Self {
        Self {
            sent: Sent::default(),
            vertex: StageInfo::default(),
            pixel: StageInfo::default(),
            samplers: FxHashMap::default(),
            slot_samplers: [ObjectId::NONE; TEXTURE_SLOTS],
            slot_classes: [textures::SamplerClass::default(); TEXTURE_SLOTS],
            fixed_vertex: FxHashMap::default(),
            fixed_pixel: FxHashMap::default(),
            fixed_vertex_constants: Constants::new(FixedVertexRegister::COUNT.into()),
            fixed_pixel_constants: Constants::new(64),
            clip_planes: [None; crate::machine::CLIP_PLANES],
        }
    }
}

impl Device {
    /// Applies every dirty group.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] without a vertex declaration; whatever stands in the way of creating a shader or layout.
    #[cold]
    #[inline(never)]
    pub(crate) fn apply(&mut self) -> Result<()> {
        if self.registers.declaration.is_none() {
            return Err(Error::InvalidCall);
        }
        if self.lacks_stream() {
            return Err(Error::InvalidCall);
        }
        // A group is clean before it is applied, and marks only later ones: each runs once.
        while let Some(group) = self.registers.dirty.iter().next() {
            self.registers.dirty.clear(group);
            if let Err(error) = self.apply_group(group) {
                self.registers.dirty.mark(group);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Applies the dirty ones of a few groups, for work that is no draw.
    pub(crate) fn apply_only(&mut self, groups: &[Group]) -> Result<()> {
        for &group in groups {
            if self.registers.dirty.clear(group) {
                self.apply_group(group)?;
            }
        }
        Ok(())
    }

    fn apply_group(&mut self, group: Group) -> Result<()> {
        match group {
            Group::RenderTargets => self.apply_render_targets(),
            Group::Viewport => self.apply_viewport(),
            Group::Scissor => self.apply_scissor(),
            Group::Raster => self.apply_raster(),
            Group::DepthStencil => self.apply_depth_stencil(),
            Group::Blend => self.apply_blend(),
            // These only mark others.
            Group::PointSize | Group::Fog | Group::Specular | Group::Coordinates | Group::Declaration => {}
            Group::VertexShader => self.apply_vertex_shader()?,
            Group::PixelShader => self.apply_pixel_shader()?,
            Group::PixelOps => self.apply_pixel_ops(),
            Group::ClipPlanes => self.apply_clip_planes(),
            Group::Shaders => self.apply_shaders(),
            Group::VertexInput => self.apply_vertex_input()?,
            Group::VertexBuffers => self.apply_vertex_buffers(),
            Group::IndexBuffer => self.apply_index_buffer(),
            Group::Textures => self.apply_textures()?,
            Group::VertexConstants => self.apply_vertex_constants(),
            Group::PixelConstants => self.apply_pixel_constants(),
            Group::FixedVertexConstants => self.apply_fixed_vertex_constants(),
            Group::FixedPixelConstants => self.apply_fixed_pixel_constants(),
            Group::Undrawn => self.apply_undrawn(),
        }
        Ok(())
    }

    /// Marks everything, as the WineD3D document suggests for finding states that were not marked: if a picture changes
    /// by it, a group misses something. For tests.
    #[doc(hidden)]
    pub fn touch_everything(&mut self) {
        self.host.sent = Sent::default();
        self.host.vertex.source = None;
        self.host.pixel.source = None;
        self.host.slot_samplers = [ObjectId::NONE; TEXTURE_SLOTS];
        self.host.clip_planes = [None; crate::machine::CLIP_PLANES];
        self.host.fixed_vertex_constants.invalidate();
        self.host.fixed_pixel_constants.invalidate();
        self.registers.invalidate();
        // What the receiver has bound is not known here, so each slot is said anew.
        for slot in 0..VERTEX_BUFFERS {
            self.put_vertex_buffer(slot, VertexBuffer { stride: 1, ..VertexBuffer::default() });
        }
    }

    /// Marks groups from within a group's function: their inputs have changed.
    pub(crate) fn mark(&mut self, groups: &[Group]) {
        self.registers.dirty.merge(groups.iter().copied().collect::<Dirty<Group>>());
    }
}
