//! Where the vertex stage and the pixel stage meet: fixed locations, always all written.

/// Location of the front faces' diffuse colour, four floats.
pub const FRONT_DIFFUSE: u8 = 0;
/// Location of the front faces' specular colour.
pub const FRONT_SPECULAR: u8 = 1;
/// Location of the back faces' diffuse colour.
pub const BACK_DIFFUSE: u8 = 2;
/// Location of the back faces' specular colour.
pub const BACK_SPECULAR: u8 = 3;
/// Location of texture coordinate set 0; sets 1 to 3 follow.
pub const TEXTURE_0: u8 = 4;
/// Location of the fog value, one float.
pub const FOG: u8 = 8;
