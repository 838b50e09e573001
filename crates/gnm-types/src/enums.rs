//! Numbers that fields hold, and their names.
//!
//! Source: `docs/sources/gnm.md#registers` (Mesa 25.0.7, `src/amd/registers/gfx7.json`, MIT; event types and 8-bit indices from PAL
//! at commit 0423623, `si_ci_vi_merged_enum.h`, MIT). Reserved numbers are left out.

/// The names of the numbers of one enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names {
    /// What every name begins with, which [`Names::of`] leaves out.
    pub prefix: &'static str,
    /// Numbers and names, ascending.
    pub rows: &'static [(u32, &'static str)],
}

impl Names {
    /// The name of a number without the prefix, if it has one.
    #[must_use]
    pub fn of(&self, value: u32) -> Option<&'static str> {
        let (_, name) = self.rows.iter().find(|(number, _)| *number == value)?;
        Some(name.strip_prefix(self.prefix).unwrap_or(name))
    }
}

/// A table is `NAME "PREFIX" [-> Host] { value NAME [=> Host's], ... }`. Of those that the host has too there are
/// [`pairs`](afterimage_abi::pairs) in a module of the table's name.
macro_rules! names {
    ($( $(#[$doc:meta])* $table:ident $prefix:literal $(-> $host:ident)? {
        $( $value:literal $name:ident $(=> $variant:ident)? ),* $(,)?
    } )*) => {
        $(
            $(#[$doc])*
            pub const $table: Names = Names { prefix: $prefix, rows: &[ $( ($value, stringify!($name)) ),* ] };
        )*

        /// The numbers by their names.
        #[allow(missing_docs, non_upper_case_globals, reason = "the names are the hardware's")]
        pub mod value {
            $( $( pub const $name: u32 = $value; )* )*
        }

        $( names!(@host $table [$($host)?] $( $value $name [$($variant)?] )*); )*
    };
    (@host $table:ident [] $( $value:literal $name:ident [] )*) => {};
    (@host $table:ident [$host:ident] $($rows:tt)*) => {
        #[doc = concat!("[`", stringify!($table), "`](const@", stringify!($table), ") in the host.")]
        #[allow(non_snake_case, reason = "the names are the hardware's")]
        pub mod $table {
            afterimage_abi::pairs!($host: $($rows)*);
        }
    };
}

names! {
    /// Formats of colour targets.
    COLOR_FORMAT "COLOR_" {
        0 COLOR_INVALID, 1 COLOR_8, 2 COLOR_16, 3 COLOR_8_8, 4 COLOR_32, 5 COLOR_16_16, 6 COLOR_10_11_11,
        7 COLOR_11_11_10, 8 COLOR_10_10_10_2, 9 COLOR_2_10_10_10, 10 COLOR_8_8_8_8, 11 COLOR_32_32,
        12 COLOR_16_16_16_16, 14 COLOR_32_32_32_32, 16 COLOR_5_6_5, 17 COLOR_1_5_5_5, 18 COLOR_5_5_5_1,
        19 COLOR_4_4_4_4, 20 COLOR_8_24, 21 COLOR_24_8, 22 COLOR_X24_8_32_FLOAT,
    }
    /// Number formats of colour targets.
    SURFACE_NUMBER "NUMBER_" {
        0 NUMBER_UNORM, 1 NUMBER_SNORM, 2 NUMBER_USCALED, 3 NUMBER_SSCALED, 4 NUMBER_UINT, 5 NUMBER_SINT, 6 NUMBER_SRGB,
        7 NUMBER_FLOAT,
    }
    /// Orders of components of colour targets.
    SURFACE_SWAP "SWAP_" {
        0 SWAP_STD, 1 SWAP_ALT, 2 SWAP_STD_REV, 3 SWAP_ALT_REV,
    }
    /// Blend factors.
    BLEND_OP "BLEND_" -> BlendFactor {
        0 BLEND_ZERO => Zero, 1 BLEND_ONE => One, 2 BLEND_SRC_COLOR => SrcColor,
        3 BLEND_ONE_MINUS_SRC_COLOR => OneMinusSrcColor, 4 BLEND_SRC_ALPHA => SrcAlpha,
        5 BLEND_ONE_MINUS_SRC_ALPHA => OneMinusSrcAlpha, 6 BLEND_DST_ALPHA => DstAlpha,
        7 BLEND_ONE_MINUS_DST_ALPHA => OneMinusDstAlpha, 8 BLEND_DST_COLOR => DstColor,
        9 BLEND_ONE_MINUS_DST_COLOR => OneMinusDstColor, 10 BLEND_SRC_ALPHA_SATURATE => SrcAlphaSaturate,
        11 BLEND_BOTH_SRC_ALPHA, 12 BLEND_BOTH_INV_SRC_ALPHA, 13 BLEND_CONSTANT_COLOR => ConstantColor,
        14 BLEND_ONE_MINUS_CONSTANT_COLOR => OneMinusConstantColor, 15 BLEND_SRC1_COLOR => Src1Color,
        16 BLEND_INV_SRC1_COLOR => OneMinusSrc1Color, 17 BLEND_SRC1_ALPHA => Src1Alpha,
        18 BLEND_INV_SRC1_ALPHA => OneMinusSrc1Alpha, 19 BLEND_CONSTANT_ALPHA => ConstantAlpha,
        20 BLEND_ONE_MINUS_CONSTANT_ALPHA => OneMinusConstantAlpha,
    }
    /// Blend equations.
    COMB_FUNC "COMB_" -> BlendOp {
        0 COMB_DST_PLUS_SRC => Add, 1 COMB_SRC_MINUS_DST => Subtract, 2 COMB_MIN_DST_SRC => Min, 3 COMB_MAX_DST_SRC => Max,
        4 COMB_DST_MINUS_SRC => ReverseSubtract,
    }
    /// Depth formats.
    Z_FORMAT "Z_" {
        0 Z_INVALID, 1 Z_16, 2 Z_24, 3 Z_32_FLOAT,
    }
    /// Stencil formats.
    STENCIL_FORMAT "STENCIL_" {
        0 STENCIL_INVALID, 1 STENCIL_8,
    }
    /// Stencil operations.
    STENCIL_OP "STENCIL_" {
        0 STENCIL_KEEP, 1 STENCIL_ZERO, 2 STENCIL_ONES, 3 STENCIL_REPLACE_TEST, 4 STENCIL_REPLACE_OP,
        5 STENCIL_ADD_CLAMP, 6 STENCIL_SUB_CLAMP, 7 STENCIL_INVERT, 8 STENCIL_ADD_WRAP, 9 STENCIL_SUB_WRAP,
        10 STENCIL_AND, 11 STENCIL_OR, 12 STENCIL_XOR, 13 STENCIL_NAND, 14 STENCIL_NOR, 15 STENCIL_XNOR,
    }
    /// Comparisons of depth and stencil.
    COMPARE_FRAG "FRAG_" -> Compare {
        0 FRAG_NEVER => Never, 1 FRAG_LESS => Less, 2 FRAG_EQUAL => Equal, 3 FRAG_LEQUAL => LessEqual,
        4 FRAG_GREATER => Greater, 5 FRAG_NOTEQUAL => NotEqual, 6 FRAG_GEQUAL => GreaterEqual, 7 FRAG_ALWAYS => Always,
    }
    /// When depth is tested.
    Z_ORDER "" {
        0 LATE_Z, 1 EARLY_Z_THEN_LATE_Z, 2 RE_Z, 3 EARLY_Z_THEN_RE_Z,
    }
    /// Primitives.
    DI_PRIM_TYPE "DI_PT_" {
        0 DI_PT_NONE, 1 DI_PT_POINTLIST, 2 DI_PT_LINELIST, 3 DI_PT_LINESTRIP, 4 DI_PT_TRILIST, 5 DI_PT_TRIFAN,
        6 DI_PT_TRISTRIP, 9 DI_PT_PATCH, 10 DI_PT_LINELIST_ADJ, 11 DI_PT_LINESTRIP_ADJ, 12 DI_PT_TRILIST_ADJ,
        13 DI_PT_TRISTRIP_ADJ, 16 DI_PT_TRI_WITH_WFLAGS, 17 DI_PT_RECTLIST, 18 DI_PT_LINELOOP, 19 DI_PT_QUADLIST,
        20 DI_PT_QUADSTRIP, 21 DI_PT_POLYGON, 22 DI_PT_2D_COPY_RECT_LIST_V0, 23 DI_PT_2D_COPY_RECT_LIST_V1,
        24 DI_PT_2D_COPY_RECT_LIST_V2, 25 DI_PT_2D_COPY_RECT_LIST_V3, 26 DI_PT_2D_FILL_RECT_LIST,
        27 DI_PT_2D_LINE_STRIP, 28 DI_PT_2D_TRI_STRIP,
    }
    /// Where indices come from.
    DI_SOURCE_SELECT "DI_SRC_SEL_" {
        0 DI_SRC_SEL_DMA, 1 DI_SRC_SEL_IMMEDIATE, 2 DI_SRC_SEL_AUTO_INDEX,
    }
    /// Types of indices.
    INDEX_TYPE "VGT_INDEX_" {
        0 VGT_INDEX_16, 1 VGT_INDEX_32, 2 VGT_INDEX_8,
    }
    /// Events.
    EVENT_TYPE "" {
        1 SAMPLE_STREAMOUTSTATS1, 2 SAMPLE_STREAMOUTSTATS2, 3 SAMPLE_STREAMOUTSTATS3, 4 CACHE_FLUSH_TS, 5 CONTEXT_DONE,
        6 CACHE_FLUSH, 7 CS_PARTIAL_FLUSH, 8 VGT_STREAMOUT_SYNC, 10 VGT_STREAMOUT_RESET, 11 END_OF_PIPE_INCR_DE,
        12 END_OF_PIPE_IB_END, 13 RST_PIX_CNT, 15 VS_PARTIAL_FLUSH, 16 PS_PARTIAL_FLUSH, 17 FLUSH_HS_OUTPUT,
        18 FLUSH_LS_OUTPUT, 20 CACHE_FLUSH_AND_INV_TS_EVENT, 21 ZPASS_DONE, 22 CACHE_FLUSH_AND_INV_EVENT,
        23 PERFCOUNTER_START, 24 PERFCOUNTER_STOP, 25 PIPELINESTAT_START, 26 PIPELINESTAT_STOP, 27 PERFCOUNTER_SAMPLE,
        28 FLUSH_ES_OUTPUT, 29 FLUSH_GS_OUTPUT, 30 SAMPLE_PIPELINESTAT, 31 SO_VGTSTREAMOUT_FLUSH,
        32 SAMPLE_STREAMOUTSTATS, 33 RESET_VTX_CNT, 34 BLOCK_CONTEXT_DONE, 35 CS_CONTEXT_DONE, 36 VGT_FLUSH,
        38 SQ_NON_EVENT, 39 SC_SEND_DB_VPZ, 40 BOTTOM_OF_PIPE_TS, 41 FLUSH_SX_TS, 42 DB_CACHE_FLUSH_AND_INV,
        43 FLUSH_AND_INV_DB_DATA_TS, 44 FLUSH_AND_INV_DB_META, 45 FLUSH_AND_INV_CB_DATA_TS, 46 FLUSH_AND_INV_CB_META,
        47 CS_DONE, 48 PS_DONE, 49 FLUSH_AND_INV_CB_PIXEL_DATA, 50 SX_CB_RAT_ACK_REQUEST, 51 THREAD_TRACE_START,
        52 THREAD_TRACE_STOP, 53 THREAD_TRACE_MARKER, 54 THREAD_TRACE_FLUSH, 55 THREAD_TRACE_FINISH,
        56 PIXEL_PIPE_STAT_CONTROL, 57 PIXEL_PIPE_STAT_DUMP, 58 PIXEL_PIPE_STAT_RESET, 59 CONTEXT_SUSPEND,
    }
    /// Array modes of surfaces.
    ARRAY_MODE "ARRAY_" {
        0 ARRAY_LINEAR_GENERAL, 1 ARRAY_LINEAR_ALIGNED, 2 ARRAY_1D_TILED_THIN1, 3 ARRAY_1D_TILED_THICK,
        4 ARRAY_2D_TILED_THIN1, 5 ARRAY_PRT_TILED_THIN1, 6 ARRAY_PRT_2D_TILED_THIN1, 7 ARRAY_2D_TILED_THICK,
        8 ARRAY_2D_TILED_XTHICK, 9 ARRAY_PRT_TILED_THICK, 10 ARRAY_PRT_2D_TILED_THICK, 11 ARRAY_PRT_3D_TILED_THIN1,
        12 ARRAY_3D_TILED_THIN1, 13 ARRAY_3D_TILED_THICK, 14 ARRAY_3D_TILED_XTHICK, 15 ARRAY_PRT_3D_TILED_THICK,
    }
    /// Orders of elements in a micro tile.
    MICRO_TILE_MODE "ADDR_SURF_" {
        0 ADDR_SURF_DISPLAY_MICRO_TILING, 1 ADDR_SURF_THIN_MICRO_TILING, 2 ADDR_SURF_DEPTH_MICRO_TILING,
        3 ADDR_SURF_ROTATED_MICRO_TILING, 4 ADDR_SURF_THICK_MICRO_TILING,
    }
    /// Pipe configurations.
    PIPE_CONFIG "ADDR_SURF_" {
        0 ADDR_SURF_P2, 4 ADDR_SURF_P4_8x16, 5 ADDR_SURF_P4_16x16, 6 ADDR_SURF_P4_16x32, 7 ADDR_SURF_P4_32x32,
        8 ADDR_SURF_P8_16x16_8x16, 9 ADDR_SURF_P8_16x32_8x16, 10 ADDR_SURF_P8_32x32_8x16, 11 ADDR_SURF_P8_16x32_16x16,
        12 ADDR_SURF_P8_32x32_16x16, 13 ADDR_SURF_P8_32x32_16x32, 14 ADDR_SURF_P8_32x64_32x32,
        16 ADDR_SURF_P16_32x32_8x16, 17 ADDR_SURF_P16_32x32_16x16,
    }
    /// Tile splits.
    TILE_SPLIT "ADDR_SURF_TILE_SPLIT_" {
        0 ADDR_SURF_TILE_SPLIT_64B, 1 ADDR_SURF_TILE_SPLIT_128B, 2 ADDR_SURF_TILE_SPLIT_256B,
        3 ADDR_SURF_TILE_SPLIT_512B, 4 ADDR_SURF_TILE_SPLIT_1KB, 5 ADDR_SURF_TILE_SPLIT_2KB, 6 ADDR_SURF_TILE_SPLIT_4KB,
    }
    /// Formats of pixel exports.
    EXPORT_FORMAT "SPI_SHADER_" {
        0 SPI_SHADER_ZERO, 1 SPI_SHADER_32_R, 2 SPI_SHADER_32_GR, 3 SPI_SHADER_32_AR, 4 SPI_SHADER_FP16_ABGR,
        5 SPI_SHADER_UNORM16_ABGR, 6 SPI_SHADER_SNORM16_ABGR, 7 SPI_SHADER_UINT16_ABGR, 8 SPI_SHADER_SINT16_ABGR,
        9 SPI_SHADER_32_ABGR,
    }
    /// Formats of position exports.
    POSITION_FORMAT "SPI_SHADER_" {
        0 SPI_SHADER_NONE, 1 SPI_SHADER_1COMP, 2 SPI_SHADER_2COMP, 3 SPI_SHADER_4COMPRESS, 4 SPI_SHADER_4COMP,
    }
    /// Raster operations of three: of source and target, and those of brush and target, where what the pixel shader puts out is the brush.
    ROP3 "" -> LogicOp {
        0 ROP3_CLEAR => Clear, 5 X_0X05 => Nor, 10 X_0X0A => AndInverted, 15 X_0X0F => CopyInverted, 17 ROP3_NOR => Nor,
        34 ROP3_AND_INVERTED => AndInverted, 51 ROP3_COPY_INVERTED => CopyInverted, 68 ROP3_AND_REVERSE => AndReverse,
        80 X_0X50 => AndReverse, 85 ROP3_INVERT => Invert, 90 X_0X5A => Xor, 95 X_0X5F => Nand, 102 ROP3_XOR => Xor,
        119 ROP3_NAND => Nand, 136 ROP3_AND => And, 153 ROP3_EQUIVALENT => Equivalent, 160 X_0XA0 => And,
        165 X_0XA5 => Equivalent, 170 ROP3_NO_OP => NoOp, 175 X_0XAF => OrInverted, 187 ROP3_OR_INVERTED => OrInverted,
        204 ROP3_COPY => Off, 221 ROP3_OR_REVERSE => OrReverse, 238 ROP3_OR => Or, 240 X_0XF0 => Off,
        245 X_0XF5 => OrReverse, 250 X_0XFA => Or, 255 ROP3_SET => Set,
    }
    /// Data formats of buffers.
    BUF_DATA_FORMAT "BUF_DATA_FORMAT_" {
        0 BUF_DATA_FORMAT_INVALID, 1 BUF_DATA_FORMAT_8, 2 BUF_DATA_FORMAT_16, 3 BUF_DATA_FORMAT_8_8,
        4 BUF_DATA_FORMAT_32, 5 BUF_DATA_FORMAT_16_16, 6 BUF_DATA_FORMAT_10_11_11, 7 BUF_DATA_FORMAT_11_11_10,
        8 BUF_DATA_FORMAT_10_10_10_2, 9 BUF_DATA_FORMAT_2_10_10_10, 10 BUF_DATA_FORMAT_8_8_8_8,
        11 BUF_DATA_FORMAT_32_32, 12 BUF_DATA_FORMAT_16_16_16_16, 13 BUF_DATA_FORMAT_32_32_32,
        14 BUF_DATA_FORMAT_32_32_32_32,
    }
    /// Number formats of buffers.
    BUF_NUM_FORMAT "BUF_NUM_FORMAT_" {
        0 BUF_NUM_FORMAT_UNORM, 1 BUF_NUM_FORMAT_SNORM, 2 BUF_NUM_FORMAT_USCALED, 3 BUF_NUM_FORMAT_SSCALED,
        4 BUF_NUM_FORMAT_UINT, 5 BUF_NUM_FORMAT_SINT, 6 BUF_NUM_FORMAT_SNORM_OGL, 7 BUF_NUM_FORMAT_FLOAT,
    }
    /// Data formats of images.
    IMG_DATA_FORMAT "IMG_DATA_FORMAT_" {
        0 IMG_DATA_FORMAT_INVALID, 1 IMG_DATA_FORMAT_8, 2 IMG_DATA_FORMAT_16, 3 IMG_DATA_FORMAT_8_8,
        4 IMG_DATA_FORMAT_32, 5 IMG_DATA_FORMAT_16_16, 6 IMG_DATA_FORMAT_10_11_11, 7 IMG_DATA_FORMAT_11_11_10,
        8 IMG_DATA_FORMAT_10_10_10_2, 9 IMG_DATA_FORMAT_2_10_10_10, 10 IMG_DATA_FORMAT_8_8_8_8,
        11 IMG_DATA_FORMAT_32_32, 12 IMG_DATA_FORMAT_16_16_16_16, 13 IMG_DATA_FORMAT_32_32_32,
        14 IMG_DATA_FORMAT_32_32_32_32, 16 IMG_DATA_FORMAT_5_6_5, 17 IMG_DATA_FORMAT_1_5_5_5,
        18 IMG_DATA_FORMAT_5_5_5_1, 19 IMG_DATA_FORMAT_4_4_4_4, 20 IMG_DATA_FORMAT_8_24, 21 IMG_DATA_FORMAT_24_8,
        22 IMG_DATA_FORMAT_X24_8_32, 32 IMG_DATA_FORMAT_GB_GR, 33 IMG_DATA_FORMAT_BG_RG, 34 IMG_DATA_FORMAT_5_9_9_9,
        35 IMG_DATA_FORMAT_BC1, 36 IMG_DATA_FORMAT_BC2, 37 IMG_DATA_FORMAT_BC3, 38 IMG_DATA_FORMAT_BC4,
        39 IMG_DATA_FORMAT_BC5, 40 IMG_DATA_FORMAT_BC6, 41 IMG_DATA_FORMAT_BC7, 44 IMG_DATA_FORMAT_FMASK8_S2_F1,
        45 IMG_DATA_FORMAT_FMASK8_S4_F1, 46 IMG_DATA_FORMAT_FMASK8_S8_F1, 47 IMG_DATA_FORMAT_FMASK8_S2_F2,
        48 IMG_DATA_FORMAT_FMASK8_S4_F2, 49 IMG_DATA_FORMAT_FMASK8_S4_F4, 50 IMG_DATA_FORMAT_FMASK16_S16_F1,
        51 IMG_DATA_FORMAT_FMASK16_S8_F2, 52 IMG_DATA_FORMAT_FMASK32_S16_F2, 53 IMG_DATA_FORMAT_FMASK32_S8_F4,
        54 IMG_DATA_FORMAT_FMASK32_S8_F8, 55 IMG_DATA_FORMAT_FMASK64_S16_F4, 56 IMG_DATA_FORMAT_FMASK64_S16_F8,
        57 IMG_DATA_FORMAT_4_4, 58 IMG_DATA_FORMAT_6_5_5, 59 IMG_DATA_FORMAT_1, 60 IMG_DATA_FORMAT_1_REVERSED,
        61 IMG_DATA_FORMAT_32_AS_8, 62 IMG_DATA_FORMAT_32_AS_8_8, 63 IMG_DATA_FORMAT_32_AS_32_32_32_32,
    }
    /// Number formats of images.
    IMG_NUM_FORMAT "IMG_NUM_FORMAT_" {
        0 IMG_NUM_FORMAT_UNORM, 1 IMG_NUM_FORMAT_SNORM, 2 IMG_NUM_FORMAT_USCALED, 3 IMG_NUM_FORMAT_SSCALED,
        4 IMG_NUM_FORMAT_UINT, 5 IMG_NUM_FORMAT_SINT, 6 IMG_NUM_FORMAT_SNORM_OGL, 7 IMG_NUM_FORMAT_FLOAT,
        9 IMG_NUM_FORMAT_SRGB, 10 IMG_NUM_FORMAT_UBNORM, 11 IMG_NUM_FORMAT_UBNORM_OGL, 12 IMG_NUM_FORMAT_UBINT,
        13 IMG_NUM_FORMAT_UBSCALED,
    }
    /// Sources of a component.
    SELECT "SQ_SEL_" {
        0 SQ_SEL_0, 1 SQ_SEL_1, 4 SQ_SEL_X, 5 SQ_SEL_Y, 6 SQ_SEL_Z, 7 SQ_SEL_W,
    }
    /// Shapes of images.
    IMG_TYPE "SQ_RSRC_IMG_" {
        8 SQ_RSRC_IMG_1D, 9 SQ_RSRC_IMG_2D, 10 SQ_RSRC_IMG_3D, 11 SQ_RSRC_IMG_CUBE, 12 SQ_RSRC_IMG_1D_ARRAY,
        13 SQ_RSRC_IMG_2D_ARRAY, 14 SQ_RSRC_IMG_2D_MSAA, 15 SQ_RSRC_IMG_2D_MSAA_ARRAY,
    }
    /// Address modes of samplers.
    TEX_CLAMP "SQ_TEX_" -> Address {
        0 SQ_TEX_WRAP => Repeat, 1 SQ_TEX_MIRROR => Mirror, 2 SQ_TEX_CLAMP_LAST_TEXEL => ClampToEdge,
        3 SQ_TEX_MIRROR_ONCE_LAST_TEXEL => MirrorOnce, 4 SQ_TEX_CLAMP_HALF_BORDER, 5 SQ_TEX_MIRROR_ONCE_HALF_BORDER,
        6 SQ_TEX_CLAMP_BORDER => ClampToBorder, 7 SQ_TEX_MIRROR_ONCE_BORDER,
    }
    /// Filters in a level.
    XY_FILTER "SQ_TEX_XY_FILTER_" {
        0 SQ_TEX_XY_FILTER_POINT, 1 SQ_TEX_XY_FILTER_BILINEAR, 2 SQ_TEX_XY_FILTER_ANISO_POINT,
        3 SQ_TEX_XY_FILTER_ANISO_BILINEAR,
    }
    /// Filters between levels.
    MIP_FILTER "SQ_TEX_MIP_FILTER_" {
        0 SQ_TEX_MIP_FILTER_NONE, 1 SQ_TEX_MIP_FILTER_POINT, 2 SQ_TEX_MIP_FILTER_LINEAR,
    }
    /// Border colours.
    BORDER_COLOR "SQ_TEX_BORDER_COLOR_" {
        0 SQ_TEX_BORDER_COLOR_TRANS_BLACK, 1 SQ_TEX_BORDER_COLOR_OPAQUE_BLACK, 2 SQ_TEX_BORDER_COLOR_OPAQUE_WHITE,
        3 SQ_TEX_BORDER_COLOR_REGISTER,
    }
    /// Comparisons of depth samples.
    DEPTH_COMPARE "SQ_TEX_DEPTH_COMPARE_" -> Compare {
        0 SQ_TEX_DEPTH_COMPARE_NEVER => Never, 1 SQ_TEX_DEPTH_COMPARE_LESS => Less, 2 SQ_TEX_DEPTH_COMPARE_EQUAL => Equal,
        3 SQ_TEX_DEPTH_COMPARE_LESSEQUAL => LessEqual, 4 SQ_TEX_DEPTH_COMPARE_GREATER => Greater,
        5 SQ_TEX_DEPTH_COMPARE_NOTEQUAL => NotEqual, 6 SQ_TEX_DEPTH_COMPARE_GREATEREQUAL => GreaterEqual,
        7 SQ_TEX_DEPTH_COMPARE_ALWAYS => Always,
    }
}
