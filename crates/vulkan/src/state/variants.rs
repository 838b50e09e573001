//! The variants of the bound shaders.

use crate::device::profile::Profile;
use crate::pipeline::shaders::Variant;
use crate::resources::layouts::Reach;
use afterimage_ir::InputPrimitive;
use afterimage_shader::{RuntimeInfo, bound};
use afterimage_stream::TEXTURE_SLOTS;
use afterimage_stream::packets::SetPixelOps;
use std::sync::Arc;

/// Shaders of the draws, and what depends on them.
#[derive(Default)]
pub(crate) struct Shading {
    pub(crate) vertex: Option<Arc<Variant>>,
    pub(crate) pixel: Option<Arc<Variant>>,
    /// What it writes: a byte of 15 for each target.
    pub(crate) written: u64,
    /// The guest's, if it has one.
    pub(crate) geometry: Option<Arc<Variant>>,
    /// See [`Renderer::geometry`].
    pub(crate) takes: Option<(InputPrimitive, bool)>,
    /// State around the shaders. Several groups put their parts in it.
    pub(crate) runtime: RuntimeInfo,
    /// Bit per texture slot that either shader samples.
    pub(crate) used: u32,
    /// Which table each slot is read from, three bits each, and what its texels are to the shader, two bits each.
    pub(crate) tables: u64,
    pub(crate) kinds: u64,
    /// What both shaders reach.
    pub(crate) reach: Reach,
    /// The layout for that; none is the plain one.
    pub(crate) layout: Option<crate::resources::layouts::Layout>,
    /// Whether either shader takes textures out of tables by itself.
    pub(crate) in_tables: bool,
    /// Whether either shader writes buffers by address, or storage images.
    pub(crate) stores: bool,
    /// Words of the textures bound, whether a shader reads them or not.
    pub(crate) words: [u32; TEXTURE_SLOTS],
    /// The table that each bound texture is in, and from bit 3 on its kind.
    pub(crate) bound: [u8; TEXTURE_SLOTS],
    /// Half a texel, where lookups in the texture of a slot give four texels.
    pub(crate) halves: [[f32; 2]; TEXTURE_SLOTS],
}

/// The part of the state around shaders that a [`SetPixelOps`] says, but for alpha test and fog: those are not in the
/// modules, see [`Shader::wants_generic`](afterimage_shader::Shader::wants_generic). `vertex_ops.point_size` is known.
pub(crate) fn set_pixel_ops(runtime: &mut RuntimeInfo, profile: &Profile, ops: &SetPixelOps) {
    runtime.pixel_ops.alpha_compare = ops.alpha_compare;
    runtime.pixel_ops.fog = ops.fog;
    runtime.pixel_ops.flat = ops.flat;
    // Only points have a place in the point.
    runtime.pixel_ops.point_sprite = ops.point_sprite & runtime.vertex_ops.point_size;
    let planes = (1u32 << profile.clip_distances().min(6)) - 1;
    runtime.vertex_ops.clip_planes = ops.clip_planes & planes as u8;
    for (slot, texture) in runtime.textures.iter_mut().enumerate().take(8) {
        let projected = if ops.projected >> slot & 1 != 0 { bound::PROJECTED } else { 0 };
        *texture = *texture & !bound::PROJECTED | projected;
    }
}
