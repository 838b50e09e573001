//! Dirty groups to packets: one function per group, applied in the order of [`Group`] before a draw.
//!
//! Each function builds the whole packet from the registers and from results of groups before it, and
//! [`Port::put`](afterimage_stream::Port::put) drops it where the receiver has the same already. So applying a group too often
//! costs time and never changes a picture.
//!
//! [`Group`]: crate::machine::Group

mod apply;
mod constants;
mod fixed_constants;
mod fixed_keys;
mod inputs;
mod pack;
mod processing;
mod resend;
mod shaders;
mod stages;
mod states;
mod textures;

pub(crate) use fixed_keys::texture_kind;
pub(crate) use inputs::attributes;
pub(crate) use processing::{CODES, Processing, Processings, VERTICES};
pub(crate) use shaders::Source;

use crate::driver::Device;
use crate::error::{Error, Result};
use crate::machine::{Constants, Group};
use afterimage_shader_d3d9::{FixedPixelKey, FixedVertexKey, FixedVertexRegister};
use afterimage_state::{Dirty, apply_often, check_clean};
use afterimage_stream::packets::*;
use afterimage_stream::{ObjectId, Sent, TEXTURE_SLOTS, VERTEX_BUFFERS};
use rustc_hash::FxHashMap;

/// The host's side of the state: what was sent, and objects that stand for combinations of states.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) sent: Sent,
    pub(crate) stages: stages::Stages,
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
            stages: stages::Stages::default(),
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
    /// Applies the dirty groups that a draw needs, or those of a draw that brings its own buffers.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] without a vertex declaration; whatever stands in the way of creating a shader or layout.
    #[cold]
    #[inline(never)]
    pub(crate) fn apply_for_draw(&mut self, level: Dirty<Group>) -> Result<()> {
        if self.registers.declaration.is_none() {
            return Err(Error::InvalidCall);
        }
        if self.lacks_stream() {
            return Err(Error::InvalidCall);
        }
        self.apply_level(level)
    }

    /// Applies the dirty groups of a usage level.
    pub(crate) fn apply_level(&mut self, level: Dirty<Group>) -> Result<()> {
        apply_often!(
            &mut *self,
            level,
            [Group::Raster, Group::DepthStencil, Group::Blend],
            [Group::VertexBuffers, Group::Textures, Group::VertexConstants, Group::PixelConstants]
        )?;
        if self.checks {
            check_clean(self, level);
        }
        Ok(())
    }

    /// Marks everything, as the WineD3D document suggests for finding states that were not marked: if a picture changes
    /// by it, a group misses something. For tests.
    #[doc(hidden)]
    pub fn touch_everything(&mut self) {
        self.host.sent = Sent::default();
        self.host.stages.forget();
        self.host.slot_samplers = [ObjectId::NONE; TEXTURE_SLOTS];
        self.host.clip_planes = [None; crate::machine::CLIP_PLANES];
        self.host.fixed_vertex_constants.invalidate();
        self.host.fixed_pixel_constants.invalidate();
        self.registers.invalidate();
        // What the receiver has bound is not known here, so each slot is said anew.
        self.host.sent.index_buffer = None;
        for slot in 0..VERTEX_BUFFERS {
            self.put_vertex_buffer(slot, VertexBuffer { stride: 1, ..VertexBuffer::default() });
        }
    }
}
