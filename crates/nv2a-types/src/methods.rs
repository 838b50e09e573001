//! Every Kelvin method with a public name: the one table. Names, decoding of arguments for people, and what a write makes
//! dirty derive from its rows.
//!
//! Source: `docs/sources/nv2a.md#methods` (names from XboxDev's `nv_regs.h`); those of patches, 0x1DE0 to 0x1E1C, are in
//! Cxbx-Reloaded's table of names and in envytools' tests of the hardware ([`crate::patches`]). A row is
//! `offset NAME count stride words format what`: `count` instances (stages, lights, attributes) lie `stride` bytes apart,
//! each of `words` arguments. `what` is the groups that read it; or `Drawn` for state that every draw reads anew, `Context` for a
//! window into constant memory, `None` for what is no state of draws.

use crate::groups::Group;

/// What an argument word holds, for printing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Bits.
    Hex,
    /// An IEEE single.
    Float,
    /// Zero or not.
    Bool,
    /// Two 16-bit fields, low half first.
    Halves,
    /// Two signed 16-bit numbers, low half first.
    Short,
    /// Four bytes, lowest first.
    Bytes,
    /// A colour, alpha in the top byte, blue in the lowest.
    Color,
    /// A colour, alpha in the top byte, red in the lowest.
    ColorAbgr,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// Byte offset of the first argument of the first instance.
    pub offset: u16,
    /// The public name, without `NV097_`.
    pub name: &'static str,
    /// Instances.
    pub count: u16,
    /// Bytes from one instance to the next.
    pub stride: u16,
    /// Arguments of an instance.
    pub words: u16,
    /// How an argument reads.
    pub format: Format,
    /// What it is to draws.
    pub what: What,
}

/// What a method is to draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// Nothing: an action, an attribute, or state of something else.
    None,
    /// State that every draw reads anew.
    Drawn,
    /// A window into constant memory ([`crate::context`]).
    Context,
    /// State, with a bit for each of the groups that read it.
    State(u64),
}

macro_rules! methods {
    ($( $offset:literal $name:ident $count:literal $stride:literal $words:literal $format:ident $($what:ident)+; )*) => {
        /// Offsets of the methods, by name.
        #[allow(missing_docs, reason = "the names are the hardware's")]
        pub mod method { $( pub const $name: u16 = $offset; )* }

        /// The rows, in the order of their offsets.
        pub const METHODS: &[Method] = &[ $( Method {
            offset: $offset, name: stringify!($name), count: $count, stride: $stride, words: $words,
            format: Format::$format, what: methods!(@what $($what)+),
        } ),* ];
    };
    (@what None) => { What::None };
    (@what Drawn) => { What::Drawn };
    (@what Context) => { What::Context };
    (@what $($group:ident)+) => { What::State(0 $(| 1 << Group::$group as u64)+) };
}

methods! {
    // offset name                          count stride words format what
    0x0000 SET_OBJECT                              1 0x04  1 Hex       None;
    0x0100 NO_OPERATION                            1 0x04  1 Hex       None;
    0x0104 NOTIFY                                  1 0x04  1 Hex       None;
    0x0110 WAIT_FOR_IDLE                           1 0x04  1 Hex       None;
    0x0120 SET_FLIP_READ                           1 0x04  1 Hex       None;
    0x0124 SET_FLIP_WRITE                          1 0x04  1 Hex       None;
    0x0128 SET_FLIP_MODULO                         1 0x04  1 Hex       None;
    0x012C FLIP_INCREMENT_WRITE                    1 0x04  1 Hex       None;
    0x0130 FLIP_STALL                              1 0x04  1 Hex       None;
    0x0180 SET_CONTEXT_DMA_NOTIFIES                1 0x04  1 Hex       None;
    0x0184 SET_CONTEXT_DMA_A                       1 0x04  1 Hex       Textures;
    0x0188 SET_CONTEXT_DMA_B                       1 0x04  1 Hex       Textures;
    0x0190 SET_CONTEXT_DMA_STATE                   1 0x04  1 Hex       Drawn;
    0x0194 SET_CONTEXT_DMA_COLOR                   1 0x04  1 Hex       Drawn;
    0x0198 SET_CONTEXT_DMA_ZETA                    1 0x04  1 Hex       Drawn;
    0x019C SET_CONTEXT_DMA_VERTEX_A                1 0x04  1 Hex       Drawn;
    0x01A0 SET_CONTEXT_DMA_VERTEX_B                1 0x04  1 Hex       Drawn;
    0x01A4 SET_CONTEXT_DMA_SEMAPHORE               1 0x04  1 Hex       None;
    0x01A8 SET_CONTEXT_DMA_REPORT                  1 0x04  1 Hex       None;
    0x0200 SET_SURFACE_CLIP_HORIZONTAL             1 0x04  1 Halves    Pixel;
    0x0204 SET_SURFACE_CLIP_VERTICAL               1 0x04  1 Halves    Pixel;
    0x0208 SET_SURFACE_FORMAT                      1 0x04  1 Hex       Screen PixelConstants Pixel;
    0x020C SET_SURFACE_PITCH                       1 0x04  1 Hex       Drawn;
    0x0210 SET_SURFACE_COLOR_OFFSET                1 0x04  1 Hex       Drawn;
    0x0214 SET_SURFACE_ZETA_OFFSET                 1 0x04  1 Hex       Drawn;
    0x0260 SET_COMBINER_ALPHA_ICW                  8 0x04  1 Hex       Pixel;
    0x0288 SET_COMBINER_SPECULAR_FOG_CW0           1 0x04  1 Hex       Pixel;
    0x028C SET_COMBINER_SPECULAR_FOG_CW1           1 0x04  1 Hex       Pixel;
    0x0290 SET_CONTROL0                            1 0x04  1 Hex       Screen Textures Pixel DepthStencil;
    0x0294 SET_LIGHT_CONTROL                       1 0x04  1 Hex       Screen Vertex;
    0x0298 SET_COLOR_MATERIAL                      1 0x04  1 Hex       Vertex;
    0x029C SET_FOG_MODE                            1 0x04  1 Hex       Pixel;
    0x02A0 SET_FOG_GEN_MODE                        1 0x04  1 Hex       Vertex;
    0x02A4 SET_FOG_ENABLE                          1 0x04  1 Bool      Pixel;
    0x02A8 SET_FOG_COLOR                           1 0x04  1 ColorAbgr PixelConstants;
    0x02B4 SET_WINDOW_CLIP_TYPE                    1 0x04  1 Hex       Pixel;
    0x02C0 SET_WINDOW_CLIP_HORIZONTAL              8 0x04  1 Halves    PixelConstants Pixel;
    0x02E0 SET_WINDOW_CLIP_VERTICAL                8 0x04  1 Halves    PixelConstants Pixel;
    0x0300 SET_ALPHA_TEST_ENABLE                   1 0x04  1 Bool      Pixel;
    0x0304 SET_BLEND_ENABLE                        1 0x04  1 Bool      Blend;
    0x0308 SET_CULL_FACE_ENABLE                    1 0x04  1 Bool      Raster;
    0x030C SET_DEPTH_TEST_ENABLE                   1 0x04  1 Bool      Pixel DepthStencil;
    0x0310 SET_DITHER_ENABLE                       1 0x04  1 Bool      Blend;
    0x0314 SET_LIGHTING_ENABLE                     1 0x04  1 Bool      Vertex;
    0x0318 SET_POINT_PARAMS_ENABLE                 1 0x04  1 Bool      Screen;
    0x031C SET_POINT_SMOOTH_ENABLE                 1 0x04  1 Bool      Pixel;
    0x0320 SET_LINE_SMOOTH_ENABLE                  1 0x04  1 Bool      Drawn;
    0x0324 SET_POLY_SMOOTH_ENABLE                  1 0x04  1 Bool      Drawn;
    0x0328 SET_SKIN_MODE                           1 0x04  1 Hex       Vertex;
    0x032C SET_STENCIL_TEST_ENABLE                 1 0x04  1 Bool      DepthStencil;
    0x0330 SET_POLY_OFFSET_POINT_ENABLE            1 0x04  1 Bool      Drawn;
    0x0334 SET_POLY_OFFSET_LINE_ENABLE             1 0x04  1 Bool      Drawn;
    0x0338 SET_POLY_OFFSET_FILL_ENABLE             1 0x04  1 Bool      Screen Pixel Raster;
    0x033C SET_ALPHA_FUNC                          1 0x04  1 Hex       Pixel;
    0x0340 SET_ALPHA_REF                           1 0x04  1 Hex       PixelConstants;
    0x0344 SET_BLEND_FUNC_SFACTOR                  1 0x04  1 Hex       Blend;
    0x0348 SET_BLEND_FUNC_DFACTOR                  1 0x04  1 Hex       Blend;
    0x034C SET_BLEND_COLOR                         1 0x04  1 Color     Blend;
    0x0350 SET_BLEND_EQUATION                      1 0x04  1 Hex       Blend;
    0x0354 SET_DEPTH_FUNC                          1 0x04  1 Hex       DepthStencil;
    0x0358 SET_COLOR_MASK                          1 0x04  1 Hex       Blend;
    0x035C SET_DEPTH_MASK                          1 0x04  1 Hex       DepthStencil;
    0x0360 SET_STENCIL_MASK                        1 0x04  1 Hex       DepthStencil;
    0x0364 SET_STENCIL_FUNC                        1 0x04  1 Hex       DepthStencil;
    0x0368 SET_STENCIL_FUNC_REF                    1 0x04  1 Hex       DepthStencil;
    0x036C SET_STENCIL_FUNC_MASK                   1 0x04  1 Hex       DepthStencil;
    0x0370 SET_STENCIL_OP_FAIL                     1 0x04  1 Hex       DepthStencil;
    0x0374 SET_STENCIL_OP_ZFAIL                    1 0x04  1 Hex       DepthStencil;
    0x0378 SET_STENCIL_OP_ZPASS                    1 0x04  1 Hex       DepthStencil;
    0x037C SET_SHADE_MODEL                         1 0x04  1 Hex       Screen Pixel;
    0x0380 SET_LINE_WIDTH                          1 0x04  1 Hex       Drawn;
    0x0384 SET_POLYGON_OFFSET_SCALE_FACTOR         1 0x04  1 Float     PixelConstants Raster;
    0x0388 SET_POLYGON_OFFSET_BIAS                 1 0x04  1 Float     Screen PixelConstants Raster;
    0x038C SET_FRONT_POLYGON_MODE                  1 0x04  1 Hex       Raster;
    0x0390 SET_BACK_POLYGON_MODE                   1 0x04  1 Hex       Raster;
    0x0394 SET_CLIP_MIN                            1 0x04  1 Float     Screen;
    0x0398 SET_CLIP_MAX                            1 0x04  1 Float     Screen;
    0x039C SET_CULL_FACE                           1 0x04  1 Hex       Raster;
    0x03A0 SET_FRONT_FACE                          1 0x04  1 Hex       Raster;
    0x03A4 SET_NORMALIZATION_ENABLE                1 0x04  1 Bool      Vertex;
    0x03A8 SET_MATERIAL_EMISSION                   1 0x04  3 Float     FixedConstants;
    0x03B4 SET_MATERIAL_ALPHA                      1 0x04  1 Float     FixedConstants;
    0x03B8 SET_SPECULAR_ENABLE                     1 0x04  1 Bool      Screen Vertex;
    0x03BC SET_LIGHT_ENABLE_MASK                   1 0x04  1 Hex       Vertex;
    0x03C0 SET_TEXGEN_S                            4 0x10  1 Hex       Vertex;
    0x03C4 SET_TEXGEN_T                            4 0x10  1 Hex       Vertex;
    0x03C8 SET_TEXGEN_R                            4 0x10  1 Hex       Vertex;
    0x03CC SET_TEXGEN_Q                            4 0x10  1 Hex       Vertex;
    0x0420 SET_TEXTURE_MATRIX_ENABLE               4 0x04  1 Bool      Vertex;
    0x043C SET_POINT_SIZE                          1 0x04  1 Hex       Screen;
    0x0440 SET_PROJECTION_MATRIX                   1 0x04 16 Float     Context;
    0x0480 SET_MODEL_VIEW_MATRIX                   4 0x40 16 Float     Context;
    0x0580 SET_INVERSE_MODEL_VIEW_MATRIX           4 0x40 16 Float     Context;
    0x0680 SET_COMPOSITE_MATRIX                    1 0x04 16 Float     Context;
    0x06C0 SET_TEXTURE_MATRIX                      4 0x40 16 Float     Context;
    0x0840 SET_TEXGEN_PLANE_S                      4 0x40  4 Float     Context;
    0x0850 SET_TEXGEN_PLANE_T                      4 0x40  4 Float     Context;
    0x0860 SET_TEXGEN_PLANE_R                      4 0x40  4 Float     Context;
    0x0870 SET_TEXGEN_PLANE_Q                      4 0x40  4 Float     Context;
    0x09C0 SET_FOG_PARAMS                          1 0x04  3 Float     PixelConstants;
    0x09CC SET_TEXGEN_VIEW_MODEL                   1 0x04  1 Hex       Vertex;
    0x09D0 SET_FOG_PLANE                           1 0x04  4 Float     Context;
    0x09E0 SET_SPECULAR_PARAMS                     1 0x04  6 Float     FixedConstants;
    0x09F8 SET_SWATH_WIDTH                         1 0x04  1 Hex       None;
    0x09FC SET_FLAT_SHADE_OP                       1 0x04  1 Hex       Drawn;
    0x0A10 SET_SCENE_AMBIENT_COLOR                 1 0x04  3 Float     FixedConstants;
    0x0A20 SET_VIEWPORT_OFFSET                     1 0x04  4 Float     Context;
    0x0A30 SET_POINT_PARAMS                        1 0x04  1 Float     Screen;
    0x0A34 SET_POINT_PARAMS_SCALE_FACTOR_B         1 0x04  1 Float     Screen;
    0x0A38 SET_POINT_PARAMS_SCALE_FACTOR_C         1 0x04  1 Float     Screen;
    0x0A3C SET_POINT_PARAMS_SIZE_RANGE             1 0x04  1 Float     Screen;
    0x0A40 SET_POINT_PARAMS_SIZE_RANGE_DUP_1       1 0x04  1 Float     Screen;
    0x0A44 SET_POINT_PARAMS_SIZE_RANGE_DUP_2       1 0x04  1 Float     Screen;
    0x0A48 SET_POINT_PARAMS_SCALE_BIAS             1 0x04  1 Float     Screen;
    0x0A4C SET_POINT_PARAMS_MIN_SIZE               1 0x04  1 Float     Screen;
    0x0A50 SET_EYE_POSITION                        1 0x04  4 Float     Context;
    0x0A60 SET_COMBINER_FACTOR0                    8 0x04  1 Color     PixelConstants;
    0x0A80 SET_COMBINER_FACTOR1                    8 0x04  1 Color     PixelConstants;
    0x0AA0 SET_COMBINER_ALPHA_OCW                  8 0x04  1 Hex       Pixel;
    0x0AC0 SET_COMBINER_COLOR_ICW                  8 0x04  1 Hex       Pixel;
    0x0AE0 SET_COLOR_KEY_COLOR                     4 0x04  1 Color     Textures PixelConstants;
    0x0AF0 SET_VIEWPORT_SCALE                      1 0x04  4 Float     Context;
    0x0B00 SET_TRANSFORM_PROGRAM                   1 0x04 32 Hex       None;
    0x0B80 SET_TRANSFORM_CONSTANT                  1 0x04 32 Float     Context;
    0x0C00 SET_BACK_LIGHT_AMBIENT_COLOR            8 0x40  3 Float     FixedConstants;
    0x0C0C SET_BACK_LIGHT_DIFFUSE_COLOR            8 0x40  3 Float     FixedConstants;
    0x0C18 SET_BACK_LIGHT_SPECULAR_COLOR           8 0x40  3 Float     FixedConstants;
    0x1000 SET_LIGHT_AMBIENT_COLOR                 8 0x80  3 Float     FixedConstants;
    0x100C SET_LIGHT_DIFFUSE_COLOR                 8 0x80  3 Float     FixedConstants;
    0x1018 SET_LIGHT_SPECULAR_COLOR                8 0x80  3 Float     FixedConstants;
    0x1024 SET_LIGHT_LOCAL_RANGE                   8 0x80  1 Float     FixedConstants;
    0x1028 SET_LIGHT_INFINITE_HALF_VECTOR          8 0x80  3 Float     FixedConstants;
    0x1034 SET_LIGHT_INFINITE_DIRECTION            8 0x80  3 Float     FixedConstants;
    0x1040 SET_LIGHT_SPOT_FALLOFF                  8 0x80  3 Float     FixedConstants;
    0x104C SET_LIGHT_SPOT_DIRECTION                8 0x80  4 Float     FixedConstants;
    0x105C SET_LIGHT_LOCAL_POSITION                8 0x80  3 Float     FixedConstants;
    0x1068 SET_LIGHT_LOCAL_ATTENUATION             8 0x80  3 Float     FixedConstants;
    0x147C SET_STIPPLE_ENABLE                      1 0x04  1 Bool      Pixel;
    0x1480 SET_STIPPLE_PATERN_0                    1 0x04 32 Hex       PixelConstants;
    0x1500 SET_VERTEX3F                            1 0x04  3 Float     None;
    0x1518 SET_VERTEX4F                            1 0x04  4 Float     None;
    0x1530 SET_NORMAL3F                            1 0x04  3 Float     None;
    0x1540 SET_NORMAL3S                            1 0x04  2 Short     None;
    0x1550 SET_DIFFUSE_COLOR4F                     1 0x04  4 Float     None;
    0x1560 SET_DIFFUSE_COLOR3F                     1 0x04  3 Float     None;
    0x156C SET_DIFFUSE_COLOR4I                     1 0x04  1 Color     None;
    0x1570 SET_SPECULAR_COLOR4F                    1 0x04  4 Float     None;
    0x1580 SET_SPECULAR_COLOR3F                    1 0x04  3 Float     None;
    0x158C SET_SPECULAR_COLOR4I                    1 0x04  1 Color     None;
    0x1590 SET_TEXCOORD0_2F                        1 0x04  2 Float     None;
    0x1598 SET_TEXCOORD0_2S                        1 0x04  1 Short     None;
    0x15A0 SET_TEXCOORD0_4F                        1 0x04  4 Float     None;
    0x15B0 SET_TEXCOORD0_4S                        1 0x04  2 Short     None;
    0x15B8 SET_TEXCOORD1_2F                        1 0x04  2 Float     None;
    0x15C0 SET_TEXCOORD1_2S                        1 0x04  1 Short     None;
    0x15C8 SET_TEXCOORD1_4F                        1 0x04  4 Float     None;
    0x15D8 SET_TEXCOORD1_4S                        1 0x04  2 Short     None;
    0x15E0 SET_TEXCOORD2_2F                        1 0x04  2 Float     None;
    0x15E8 SET_TEXCOORD2_2S                        1 0x04  1 Short     None;
    0x15F0 SET_TEXCOORD2_4F                        1 0x04  4 Float     None;
    0x1600 SET_TEXCOORD2_4S                        1 0x04  2 Short     None;
    0x1608 SET_TEXCOORD3_2F                        1 0x04  2 Float     None;
    0x1610 SET_TEXCOORD3_2S                        1 0x04  1 Short     None;
    0x1620 SET_TEXCOORD3_4F                        1 0x04  4 Float     None;
    0x1630 SET_TEXCOORD3_4S                        1 0x04  2 Short     None;
    0x1698 SET_FOG_COORD                           1 0x04  1 Float     None;
    0x169C SET_WEIGHT1F                            1 0x04  1 Float     None;
    0x16A0 SET_WEIGHT2F                            1 0x04  2 Float     None;
    0x16B0 SET_WEIGHT3F                            1 0x04  3 Float     None;
    0x16BC SET_EDGE_FLAG                           1 0x04  1 Hex       None;
    0x16C0 SET_WEIGHT4F                            1 0x04  4 Float     None;
    0x1710 BREAK_VERTEX_BUFFER_CACHE               1 0x04  1 Hex       None;
    0x1720 SET_VERTEX_DATA_ARRAY_OFFSET           16 0x04  1 Hex       Drawn;
    0x1760 SET_VERTEX_DATA_ARRAY_FORMAT           16 0x04  1 Hex       Drawn;
    0x17A0 SET_BACK_SCENE_AMBIENT_COLOR            1 0x04  3 Float     FixedConstants;
    0x17AC SET_BACK_MATERIAL_ALPHA                 1 0x04  1 Float     FixedConstants;
    0x17B0 SET_BACK_MATERIAL_EMISSION              1 0x04  3 Float     FixedConstants;
    0x17BC SET_LOGIC_OP_ENABLE                     1 0x04  1 Bool      Blend;
    0x17C0 SET_LOGIC_OP                            1 0x04  1 Hex       Blend;
    0x17C4 SET_LIGHT_TWO_SIDE_ENABLE               1 0x04  1 Bool      Vertex Pixel;
    0x17C8 CLEAR_REPORT_VALUE                      1 0x04  1 Hex       None;
    0x17CC SET_ZPASS_PIXEL_COUNT_ENABLE            1 0x04  1 Bool      None;
    0x17D0 GET_REPORT                              1 0x04  1 Hex       None;
    0x17E0 SET_EYE_DIRECTION                       1 0x04  3 Float     FixedConstants;
    0x17F8 SET_SHADER_CLIP_PLANE_MODE              1 0x04  1 Hex       Pixel;
    0x17FC SET_BEGIN_END                           1 0x04  1 Hex       None;
    0x1800 ARRAY_ELEMENT16                         1 0x04  1 Hex       None;
    0x1808 ARRAY_ELEMENT32                         1 0x04  1 Hex       None;
    0x1810 DRAW_ARRAYS                             1 0x04  1 Hex       None;
    0x1818 INLINE_ARRAY                            1 0x04  1 Hex       None;
    0x181C SET_EYE_VECTOR                          1 0x04  3 Float     PixelConstants;
    0x1880 SET_VERTEX_DATA2F_M                    16 0x08  2 Float     None;
    0x1900 SET_VERTEX_DATA2S                      16 0x04  1 Short     None;
    0x1940 SET_VERTEX_DATA4UB                     16 0x04  1 Bytes     None;
    0x1980 SET_VERTEX_DATA4S_M                    16 0x08  2 Short     None;
    0x1A00 SET_VERTEX_DATA4F_M                    16 0x10  4 Float     None;
    0x1B00 SET_TEXTURE_OFFSET                      4 0x40  1 Hex       Textures;
    0x1B04 SET_TEXTURE_FORMAT                      4 0x40  1 Hex       Textures PixelConstants Pixel;
    0x1B08 SET_TEXTURE_ADDRESS                     4 0x40  1 Hex       Textures;
    0x1B0C SET_TEXTURE_CONTROL0                    4 0x40  1 Hex       Textures Pixel;
    0x1B10 SET_TEXTURE_CONTROL1                    4 0x40  1 Hex       Textures;
    0x1B14 SET_TEXTURE_FILTER                      4 0x40  1 Hex       Textures Pixel;
    0x1B1C SET_TEXTURE_IMAGE_RECT                  4 0x40  1 Hex       Textures PixelConstants;
    0x1B20 SET_TEXTURE_PALETTE                     4 0x40  1 Hex       Textures;
    0x1B24 SET_TEXTURE_BORDER_COLOR                4 0x40  1 Color     Textures;
    0x1B28 SET_TEXTURE_SET_BUMP_ENV_MAT            4 0x40  4 Float     PixelConstants;
    0x1B38 SET_TEXTURE_SET_BUMP_ENV_SCALE          4 0x40  1 Float     PixelConstants;
    0x1B3C SET_TEXTURE_SET_BUMP_ENV_OFFSET         4 0x40  1 Float     PixelConstants;
    0x1D6C SET_SEMAPHORE_OFFSET                    1 0x04  1 Hex       None;
    0x1D70 BACK_END_WRITE_SEMAPHORE_RELEASE        1 0x04  1 Hex       None;
    0x1D78 SET_ZMIN_MAX_CONTROL                    1 0x04  1 Hex       Screen;
    0x1D7C SET_ANTI_ALIASING_CONTROL               1 0x04  1 Hex       Drawn;
    0x1D80 SET_COMPRESS_ZBUFFER_EN                 1 0x04  1 Bool      None;
    0x1D84 SET_OCCLUDE_ZSTENCIL_EN                 1 0x04  1 Hex       None;
    0x1D8C SET_ZSTENCIL_CLEAR_VALUE                1 0x04  1 Hex       None;
    0x1D90 SET_COLOR_CLEAR_VALUE                   1 0x04  1 Color     None;
    0x1D94 CLEAR_SURFACE                           1 0x04  1 Hex       None;
    0x1D98 SET_CLEAR_RECT_HORIZONTAL               1 0x04  1 Halves    None;
    0x1D9C SET_CLEAR_RECT_VERTICAL                 1 0x04  1 Halves    None;
    0x1DE0 SET_BEGIN_PATCH0                        1 0x04  1 Hex       None;
    0x1DE4 SET_BEGIN_PATCH1                        1 0x04  1 Hex       None;
    0x1DE8 SET_BEGIN_PATCH2                        1 0x04  1 Hex       None;
    0x1DEC SET_BEGIN_PATCH3                        1 0x04  1 Hex       None;
    0x1DF0 SET_END_PATCH                           1 0x04  1 Hex       None;
    0x1DF4 SET_BEGIN_END_SWATCH                    1 0x04  1 Hex       None;
    0x1DF8 SET_BEGIN_END_CURVE                     1 0x04  1 Hex       None;
    0x1E00 SET_CURVE_COEFFICIENTS                  1 0x04  4 Float     None;
    0x1E10 SET_BEGIN_TRANSITION0                   1 0x04  1 Hex       None;
    0x1E14 SET_BEGIN_TRANSITION1                   1 0x04  1 Hex       None;
    0x1E18 SET_BEGIN_TRANSITION2                   1 0x04  1 Hex       None;
    0x1E1C SET_END_TRANSITION                      1 0x04  1 Hex       None;
    0x1E20 SET_SPECULAR_FOG_FACTOR                 2 0x04  1 Color     PixelConstants;
    0x1E28 SET_SPECULAR_PARAMS_BACK                1 0x04  6 Float     FixedConstants;
    0x1E40 SET_COMBINER_COLOR_OCW                  8 0x04  1 Hex       Pixel;
    0x1E60 SET_COMBINER_CONTROL                    1 0x04  1 Hex       Pixel;
    0x1E68 SET_SHADOW_ZSLOPE_THRESHOLD             1 0x04  1 Float     None;
    0x1E6C SET_SHADOW_COMPARE_FUNC                 1 0x04  1 Hex       Pixel;
    0x1E70 SET_SHADER_STAGE_PROGRAM                1 0x04  1 Hex       Textures Pixel;
    0x1E74 SET_DOT_RGBMAPPING                      1 0x04  1 Hex       Pixel;
    0x1E78 SET_SHADER_OTHER_STAGE_INPUT            1 0x04  1 Hex       Pixel;
    0x1E80 SET_TRANSFORM_DATA                      1 0x04  4 Float     None;
    0x1E90 LAUNCH_TRANSFORM_PROGRAM                1 0x04  1 Hex       None;
    0x1E94 SET_TRANSFORM_EXECUTION_MODE            1 0x04  1 Hex       Vertex;
    0x1E98 SET_TRANSFORM_PROGRAM_CXT_WRITE_EN      1 0x04  1 Bool      Drawn;
    0x1E9C SET_TRANSFORM_PROGRAM_LOAD              1 0x04  1 Hex       None;
    0x1EA0 SET_TRANSFORM_PROGRAM_START             1 0x04  1 Hex       Vertex;
    0x1EA4 SET_TRANSFORM_CONSTANT_LOAD             1 0x04  1 Hex       None;
}

/// Words of the method space.
pub const METHOD_WORDS: usize = 0x800;

/// Index into [`METHODS`], plus one, of the row that each word of the method space belongs to; 0 where nothing is known.
const ROWS: [u8; METHOD_WORDS] = {
    assert!(METHODS.len() < 255);
    let mut rows = [0; METHOD_WORDS];
    let mut row = 0;
    while row < METHODS.len() {
        let m = &METHODS[row];
        let mut instance = 0;
        while instance < m.count {
            let mut word = 0;
            while word < m.words {
                let at = ((m.offset + instance * m.stride) / 4 + word) as usize;
                assert!(rows[at] == 0, "two rows have one offset");
                rows[at] = row as u8 + 1;
                word += 1;
            }
            instance += 1;
        }
        row += 1;
    }
    rows
};

/// Bits of the groups that read each word of the method space.
pub(crate) const READERS: [u64; METHOD_WORDS] = {
    let mut readers = [0; METHOD_WORDS];
    let mut at = 0;
    while at < METHOD_WORDS {
        if ROWS[at] != 0
            && let What::State(groups) = METHODS[ROWS[at] as usize - 1].what
        {
            readers[at] = groups;
        }
        at += 1;
    }
    readers
};

/// The row of a method's byte offset.
#[must_use]
pub fn row_of(method: u16) -> Option<&'static Method> {
    let row = *ROWS.get(usize::from(method / 4))?;
    METHODS.get(usize::from(row).checked_sub(1)?)
}

impl Method {
    /// Which instance and which argument of it a byte offset of this row is.
    #[must_use]
    pub fn place(&self, method: u16) -> (u16, u16) {
        let delta = method.saturating_sub(self.offset);
        if self.count == 1 { (0, delta / 4) } else { (delta / self.stride, delta % self.stride / 4) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order_and_are_found() {
        assert!(METHODS.is_sorted_by_key(|m| m.offset));
        for m in METHODS {
            let last = m.offset + (m.count - 1) * m.stride + (m.words - 1) * 4;
            assert_eq!(row_of(last).map(|r| r.name), Some(m.name));
            assert_eq!(m.place(last), (m.count - 1, m.words - 1), "{}", m.name);
        }
        assert_eq!(row_of(0x1FFC), None);
        assert_eq!(row_of(u16::MAX), None);
    }
}
