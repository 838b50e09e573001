//! Names of the values that methods take. Source: `docs/sources/nv2a.md#enumerations` and the sections behind it.

/// Values and their names.
pub type Names = &'static [(u32, &'static str)];

/// The name of a value.
#[must_use]
pub fn name_of(names: Names, value: u32) -> Option<&'static str> {
    names.iter().find(|(number, _)| *number == value).map(|(_, name)| *name)
}

/// A table is `NAME [-> Host] { value [HARDWARE] "words" [=> Host's], ... }`: words are for people, HARDWARE is the name in the
/// published headers. Tables with such names have a module besides: constants, and [`pairs`](afterimage_abi::pairs) where the host
/// has an enumeration of the kind.
macro_rules! names {
    ($( $(#[$doc:meta])* $table:ident $(-> $host:ident)? {
        $( $value:literal $($hardware:ident)? $name:literal $(=> $variant:ident)? ),* $(,)?
    } )*) => {
        $( $(#[$doc])* pub const $table: Names = &[ $( ($value, $name) ),* ]; )*
        $( names!(@module $table [$($host)?] $( $value [$($hardware)?] [$($variant)?] )*); )*
    };
    (@module $table:ident [] $( $value:literal [] [] )*) => {};
    (@module $table:ident [$($host:ident)?] $( $value:literal [$hardware:ident] [$($variant:ident)?] )*) => {
        #[doc = concat!("Values of [`", stringify!($table), "`](const@", stringify!($table), ") by the names of the headers.")]
        #[allow(missing_docs, non_snake_case, reason = "the names are the hardware's")]
        pub mod $table {
            $( pub const $hardware: u32 = $value; )*
            names!(@pairs [$($host)?] $( $value $hardware [$($variant)?] )*);
        }
    };
    (@pairs [] $($rows:tt)*) => {};
    (@pairs [$host:ident] $($rows:tt)*) => { afterimage_abi::pairs!($host: $($rows)*); };
}

names! {
    /// `SET_BEGIN_END`.
    PRIMITIVE {
        0 "end", 1 "points", 2 "lines", 3 "line loop", 4 "line strip", 5 "triangles", 6 "triangle strip",
        7 "triangle fan", 8 "quads", 9 "quad strip", 10 "polygon",
    }
    /// Sides of a patch, in one direction, that get a transition (`SET_BEGIN_PATCH3`); the words are ours.
    PATCH_TRANSITIONS {
        0 "none", 1 "first", 2 "second", 3 "both", 5 "first, reversed", 6 "second, reversed",
    }
    /// Comparisons of alpha, depth and stencil.
    COMPARE -> Compare {
        0x200 V_NEVER "never" => Never, 0x201 V_LESS "<" => Less, 0x202 V_EQUAL "==" => Equal, 0x203 V_LEQUAL "<=" => LessEqual,
        0x204 V_GREATER ">" => Greater, 0x205 V_NOTEQUAL "!=" => NotEqual, 0x206 V_GEQUAL ">=" => GreaterEqual,
        0x207 V_ALWAYS "always" => Always,
    }
    /// Comparisons of shadow maps.
    SHADOW_COMPARE { 0 "never", 1 ">", 2 "==", 3 ">=", 4 "<", 5 "!=", 6 "<=", 7 "always" }
    /// Stencil operations.
    STENCIL_OP -> StencilOp {
        0x1E00 V_KEEP "keep" => Keep, 0 V_ZERO "zero" => Zero, 0x1E01 V_REPLACE "replace" => Replace,
        0x1E02 V_INCRSAT "increment, saturate" => IncrementClamp, 0x1E03 V_DECRSAT "decrement, saturate" => DecrementClamp,
        0x150A V_INVERT "invert" => Invert, 0x8507 V_INCR "increment, wrap" => IncrementWrap,
        0x8508 V_DECR "decrement, wrap" => DecrementWrap,
    }
    /// Blend factors.
    BLEND_FACTOR -> BlendFactor {
        0 V_ZERO "0" => Zero, 1 V_ONE "1" => One, 0x300 V_SRC_COLOR "source colour" => SrcColor,
        0x301 V_ONE_MINUS_SRC_COLOR "1 - source colour" => OneMinusSrcColor, 0x302 V_SRC_ALPHA "source alpha" => SrcAlpha,
        0x303 V_ONE_MINUS_SRC_ALPHA "1 - source alpha" => OneMinusSrcAlpha, 0x304 V_DST_ALPHA "destination alpha" => DstAlpha,
        0x305 V_ONE_MINUS_DST_ALPHA "1 - destination alpha" => OneMinusDstAlpha,
        0x306 V_DST_COLOR "destination colour" => DstColor,
        0x307 V_ONE_MINUS_DST_COLOR "1 - destination colour" => OneMinusDstColor,
        0x308 V_SRC_ALPHA_SATURATE "source alpha, saturate" => SrcAlphaSaturate,
        0x8001 V_CONSTANT_COLOR "constant colour" => ConstantColor,
        0x8002 V_ONE_MINUS_CONSTANT_COLOR "1 - constant colour" => OneMinusConstantColor,
        0x8003 V_CONSTANT_ALPHA "constant alpha" => ConstantAlpha,
        0x8004 V_ONE_MINUS_CONSTANT_ALPHA "1 - constant alpha" => OneMinusConstantAlpha,
    }
    /// Blend equations.
    BLEND_EQUATION -> BlendOp {
        0x8006 V_FUNC_ADD "add" => Add, 0x800A V_FUNC_SUBTRACT "subtract" => Subtract,
        0x800B V_FUNC_REVERSE_SUBTRACT "reverse subtract" => ReverseSubtract, 0x8007 V_MIN "minimum" => Min,
        0x8008 V_MAX "maximum" => Max, 0xF005 V_FUNC_REVERSE_SUBTRACT_SIGNED "reverse subtract, signed" => SignedReverseSubtract,
        0xF006 V_FUNC_ADD_SIGNED "add, signed" => SignedAdd,
    }
    /// Logic operations.
    LOGIC_OP -> LogicOp {
        0x1500 V_CLEAR "clear" => Clear, 0x1501 V_AND "and" => And, 0x1502 V_AND_REVERSE "and reverse" => AndReverse,
        0x1503 V_COPY "copy" => Copy, 0x1504 V_AND_INVERTED "and inverted" => AndInverted, 0x1505 V_NOOP "noop" => NoOp,
        0x1506 V_XOR "xor" => Xor, 0x1507 V_OR "or" => Or, 0x1508 V_NOR "nor" => Nor, 0x1509 V_EQUIV "equiv" => Equivalent,
        0x150A V_INVERT "invert" => Invert, 0x150B V_OR_REVERSE "or reverse" => OrReverse,
        0x150C V_COPY_INVERTED "copy inverted" => CopyInverted, 0x150D V_OR_INVERTED "or inverted" => OrInverted,
        0x150E V_NAND "nand" => Nand, 0x150F V_SET "set" => Set,
    }
    /// Polygon modes.
    POLYGON_MODE {
        0x1B00 V_POINT "point", 0x1B01 V_LINE "line", 0x1B02 V_FILL "fill",
    }
    /// Culled faces.
    CULL_FACE -> Cull {
        0x404 V_FRONT "front" => Front, 0x405 V_BACK "back" => Back, 0x408 V_FRONT_AND_BACK "both",
    }
    /// Winding of front faces.
    FRONT_FACE {
        0x900 V_CW "clockwise", 0x901 V_CCW "counterclockwise",
    }
    /// Shade models.
    SHADE_MODEL {
        0x1D00 V_FLAT "flat", 0x1D01 V_SMOOTH "smooth",
    }
    /// Provoking vertex of flat shading.
    FLAT_SHADE_OP { 0 "last vertex", 1 "first vertex" }
    /// Fog equations.
    FOG_MODE { 0x2601 "linear", 0x800 "exp", 0x801 "exp2", 0x802 "exp abs", 0x803 "exp2 abs", 0x804 "linear abs" }
    /// Where fog distances come from.
    FOG_GEN_MODE { 0 "specular alpha", 1 "radial", 2 "planar", 3 "abs planar", 6 "fog coordinate" }
    /// Texture coordinate generation.
    TEXGEN {
        0 "off", 0x2400 "eye linear", 0x2401 "object linear", 0x2402 "sphere map", 0x8511 "normal map",
        0x8512 "reflection map",
    }
    /// Skinning.
    SKIN_MODE {
        0 "off", 1 "2, last generated", 2 "2", 3 "3, last generated", 4 "3", 5 "4, last generated", 6 "4",
    }
    /// Kinds of lights.
    LIGHT { 0 "off", 1 "infinite", 2 "local", 3 "spot" }
    /// Sources of material colours.
    COLOR_SOURCE { 0 "material", 1 "diffuse", 2 "specular" }
    /// Colour formats of surfaces.
    SURFACE_COLOR {
        1 "X1R5G5B5 x=0", 2 "X1R5G5B5 x=1", 3 "R5G6B5", 4 "X8R8G8B8 x=0", 5 "X8R8G8B8 x=FF", 6 "X1A7R8G8B8 x=0",
        7 "X1A7R8G8B8 x=1", 8 "A8R8G8B8", 9 "B8", 10 "G8B8",
    }
    /// Zeta formats of surfaces.
    SURFACE_ZETA { 1 "Z16", 2 "Z24S8" }
    /// Layouts of surfaces.
    SURFACE_TYPE { 1 "pitch", 2 "swizzle" }
    /// Anti-aliasing.
    ANTI_ALIASING { 0 "center 1", 1 "2x center corner", 2 "4x square offset" }
    /// Window clip.
    WINDOW_CLIP { 0 "inside", 1 "outside" }
    /// Colour formats of textures.
    TEXTURE_COLOR {
        0x00 "SZ_Y8", 0x01 "SZ_AY8", 0x02 "SZ_A1R5G5B5", 0x03 "SZ_X1R5G5B5", 0x04 "SZ_A4R4G4B4", 0x05 "SZ_R5G6B5",
        0x06 "SZ_A8R8G8B8", 0x07 "SZ_X8R8G8B8", 0x0B "SZ_I8_A8R8G8B8", 0x0C "L_DXT1_A1R5G5B5",
        0x0E "L_DXT23_A8R8G8B8", 0x0F "L_DXT45_A8R8G8B8", 0x10 "LU_A1R5G5B5", 0x11 "LU_R5G6B5", 0x12 "LU_A8R8G8B8",
        0x13 "LU_Y8", 0x16 "LU_R8B8", 0x17 "LU_G8B8", 0x19 "SZ_A8", 0x1A "SZ_A8Y8", 0x1B "LU_AY8",
        0x1C "LU_X1R5G5B5", 0x1D "LU_A4R4G4B4", 0x1E "LU_X8R8G8B8", 0x1F "LU_A8", 0x20 "LU_A8Y8",
        0x24 "LC_CR8YB8CB8YA8", 0x25 "LC_YB8CR8YA8CB8", 0x27 "SZ_R6G5B5", 0x28 "SZ_G8B8", 0x29 "SZ_R8B8",
        0x2C "SZ_DEPTH_Y16_FIXED", 0x2E "LU_DEPTH_X8_Y24_FIXED", 0x30 "LU_DEPTH_Y16_FIXED",
        0x31 "LU_DEPTH_Y16_FLOAT", 0x35 "LU_Y16", 0x3A "SZ_A8B8G8R8", 0x3B "SZ_B8G8R8A8", 0x3C "SZ_R8G8B8A8",
        0x3F "LU_A8B8G8R8", 0x40 "LU_B8G8R8A8", 0x41 "LU_R8G8B8A8",
    }
    /// Where textures' memory is.
    TEXTURE_DMA { 1 "A", 2 "B" }
    /// Where borders of textures come from.
    BORDER_SOURCE { 0 TEXTURE "texture", 1 COLOR "color" }
    /// Texture address modes.
    ADDRESS -> Address {
        1 WRAP "repeat" => Repeat, 2 MIRROR "mirror" => Mirror, 3 CLAMP_TO_EDGE "clamp to edge" => ClampToEdge,
        4 BORDER "border" => ClampToBorder, 5 CLAMP_OGL "clamp" => ClampToEdge,
    }
    /// Filters for minification.
    MIN_FILTER {
        1 BOX_LOD0 "nearest", 2 TENT_LOD0 "linear", 3 BOX_NEARESTLOD "nearest, nearest mip",
        4 TENT_NEARESTLOD "linear, nearest mip", 5 BOX_TENT_LOD "nearest, linear mip", 6 TENT_TENT_LOD "linear, linear mip",
        7 CONVOLUTION_2D_LOD0 "convolution",
    }
    /// Filters for magnification.
    MAG_FILTER {
        1 BOX_LOD0 "nearest", 2 TENT_LOD0 "linear", 4 CONVOLUTION_2D_LOD0 "convolution",
    }
    /// Kernels of convolution.
    KERNEL { 1 "quincunx", 2 "gaussian 3" }
    /// Colour keys.
    COLOR_KEY { 0 DISABLE "off", 1 ALPHA "alpha", 2 RGBA "RGBA", 3 KILL "kill" }
    /// Entries of palettes.
    PALETTE_LENGTH { 0 "256", 1 "128", 2 "64", 3 "32" }
    /// Types of vertex arrays.
    ARRAY_TYPE { 0 "bytes BGRA", 1 "short, normalised", 2 "float", 4 "bytes RGBA", 5 "short", 6 "11_11_10" }
    /// Modes of texture shader stages.
    STAGE_PROGRAM {
        0x00 "none", 0x01 "2D", 0x02 "3D", 0x03 "cube", 0x04 "pass through", 0x05 "clip plane", 0x06 "bump",
        0x07 "bump, luminance", 0x08 "BRDF", 0x09 "dot ST", 0x0A "dot ZW", 0x0B "dot reflect diffuse",
        0x0C "dot reflect specular", 0x0D "dot STR 3D", 0x0E "dot STR cube", 0x0F "dependent AR",
        0x10 "dependent GB", 0x11 "dot product", 0x12 "dot reflect specular, constant eye",
    }
    /// Mappings of dot products.
    DOT_MAPPING {
        0 "0..1", 1 "-1..1 D3D", 2 "-1..1 GL", 3 "-1..1", 4 "HILO", 5 "hemisphere D3D", 6 "hemisphere GL", 7 "hemisphere",
    }
    /// Sources of combiner inputs.
    COMBINER_SOURCE {
        0 "0", 1 "c0", 2 "c1", 3 "fog", 4 "v0", 5 "v1", 8 "t0", 9 "t1", 10 "t2", 11 "t3", 12 "r0", 13 "r1",
        14 "v1+r0", 15 "E*F",
    }
    /// Vertex execution modes.
    EXECUTION_MODE { 0 FIXED "fixed", 2 PROGRAM "program" }
    /// Ranges of vertex programs.
    EXECUTION_RANGE { 0 "user", 1 "privileged" }
    /// Which vertex array memory.
    VERTEX_DMA { 0 "A", 1 "B" }
    /// What the depth range does.
    ZCLAMP { 0 CULL "cull", 1 CLAMP "clamp" }
    /// Formats of `SET_CONTROL0`.
    Z_FORMAT { 0 "fixed", 1 "float" }
    /// Kinds of reports.
    REPORT { 1 "pixel count" }
    /// Texture generation's viewer.
    VIEWER { 0 "local", 1 "infinite" }
}
