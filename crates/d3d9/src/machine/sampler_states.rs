//! `D3DSAMP_*`: number, name, default, groups that read it.

use super::groups::Group;
use afterimage_state::state_table;

state_table! {
    /// States of one sampler.
    pub(crate) table SamplerStates of Group {
        1 D3DSAMP_ADDRESSU = 1 => Textures;
        2 D3DSAMP_ADDRESSV = 1 => Textures;
        3 D3DSAMP_ADDRESSW = 1 => Textures;
        4 D3DSAMP_BORDERCOLOR = 0 => Textures;
        5 D3DSAMP_MAGFILTER = 1 => Textures;
        6 D3DSAMP_MINFILTER = 1 => Textures;
        7 D3DSAMP_MIPFILTER = 0 => Textures;
        8 D3DSAMP_MIPMAPLODBIAS = 0 => Textures;
        9 D3DSAMP_MAXMIPLEVEL = 0 => Textures;
        10 D3DSAMP_MAXANISOTROPY = 1 => Textures;
        11 D3DSAMP_SRGBTEXTURE = 0 => Textures;
        12 D3DSAMP_ELEMENTINDEX = 0;
        13 D3DSAMP_DMAPOFFSET = 256;
    }
}

/// Where a sampler number lies in our tables: pixel samplers 0 to 15, vertex samplers (257 to 260) 16 to 19 as in the
/// stream, the displacement sampler (256), which nothing reads, 20.
#[inline]
pub(crate) fn sampler_slot(sampler: u32) -> Option<usize> {
    match sampler {
        0..=15 => Some(sampler as usize),
        257..=260 => Some(sampler as usize - 257 + 16),
        256 => Some(20),
        _ => None,
    }
}
