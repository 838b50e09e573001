//! Locations of what the vertex stage hands to the pixel stage. Vertex inputs are at the location of the guest's register, colour
//! outputs at the number of their target.

/// The number of the draw among those of its call, an integer, where shaders read records ([`push::RECORDS`](crate::push::RECORDS)).
pub const DRAW: u8 = 31;

/// Locations of Direct3D 9's semantics ([`Usage::fixed_location`](crate::Usage::fixed_location)). Others are at [`FIRST_EXTRA`](d3d9::FIRST_EXTRA) on, in
/// the order of the vertex shader's outputs ([`LinkInfo`](crate::LinkInfo)).
pub mod d3d9 {
    /// `COLOR0` and `COLOR1`.
    pub const COLORS: u8 = 0;
    /// Number of colours.
    pub const COLOR_COUNT: u8 = 2;
    /// `TEXCOORD0` to `TEXCOORD7`.
    pub const TEXCOORDS: u8 = COLORS + COLOR_COUNT;
    /// Number of texture coordinates.
    pub const TEXCOORD_COUNT: u8 = 8;
    /// The fog factor.
    pub const FOG: u8 = TEXCOORDS + TEXCOORD_COUNT;
    /// First location of semantics that have no fixed one.
    pub const FIRST_EXTRA: u8 = FOG + 1;
    /// Most semantics without a fixed location; vs_3_0 has 12 output registers, each of which may be split.
    pub const MAX_EXTRA: usize = 20;

    const _: () = assert!(FIRST_EXTRA as usize + MAX_EXTRA <= super::DRAW as usize, "locations fit into a mask");
}

/// Locations of the NV2A's outputs, all of which every vertex stage writes (`afterimage_shader_nv2a::io` says what is in them).
pub mod nv2a {
    /// Diffuse colour of front faces, four floats.
    pub const FRONT_DIFFUSE: u8 = 0;
    /// Specular colour of front faces.
    pub const FRONT_SPECULAR: u8 = 1;
    /// Diffuse colour of back faces.
    pub const BACK_DIFFUSE: u8 = 2;
    /// Specular colour of back faces.
    pub const BACK_SPECULAR: u8 = 3;
    /// Texture coordinate set 0; sets 1 to 3 follow.
    pub const TEXTURE_0: u8 = 4;
    /// The fog coordinate, one float.
    pub const FOG: u8 = 8;
    /// Screen space z times w, one float.
    pub const DEPTH: u8 = 9;
    /// Four edges of smoothed primitives.
    pub const EDGES: u8 = 10;
}
