//! The state that the library begins with. Source: shadPS4, `src/core/libraries/gnmdriver/gnmdriver.cpp` (the values that libraries
//! from 3.50 on write).

use super::CallError;
use super::words::Words;
use afterimage_gnm_types::{op, reg};

/// Compute units and waves of graphics shaders, without the first unit and with it.
const UNITS: u32 = 0x0017_01FD;
const ALL_UNITS: u32 = 0x0017_01FF;

/// Registers from one on, and their values, in the library's order.
const GRAPHICS: &[(u32, &[u32])] = &[
    (reg::COMPUTE_STATIC_THREAD_MGMT_SE0, &[u32::MAX]),
    (reg::COMPUTE_STATIC_THREAD_MGMT_SE1, &[u32::MAX]),
    (reg::COMPUTE_RESOURCE_LIMITS, &[0]),
    (reg::PA_SU_VTX_CNTL, &[0x2D]),
    (reg::PA_SU_LINE_CNTL, &[8]),
    (reg::PA_SU_POINT_SIZE, &[0x0008_0008]),
    (reg::PA_SU_POINT_MINMAX, &[0xFFFF_0000]),
    (reg::PA_CL_CLIP_CNTL, &[0]),
    (reg::PA_CL_VTE_CNTL, &[0x43F]),
    (reg::PA_SC_CLIPRECT_RULE, &[0xFFFF]),
    (reg::VGT_OUT_DEALLOC_CNTL, &[0x10]),
    (reg::PA_CL_GB_VERT_CLIP_ADJ, &[0x3F80_0000]),
    (reg::PA_CL_GB_HORZ_CLIP_ADJ, &[0x3F80_0000]),
    (reg::PA_CL_GB_VERT_DISC_ADJ, &[0x3F80_0000]),
    (reg::PA_CL_GB_HORZ_DISC_ADJ, &[0x3F80_0000]),
    (reg::CB_COLOR_CONTROL, &[0x00CC_0010]),
    (reg::PA_SC_AA_MASK_X0Y0_X1Y0, &[u32::MAX]),
    (reg::PA_SC_AA_MASK_X0Y1_X1Y1, &[u32::MAX]),
    (reg::SPI_SHADER_PGM_RSRC3_PS, &[ALL_UNITS]),
    (reg::SPI_SHADER_PGM_RSRC3_VS, &[UNITS]),
    (reg::SPI_SHADER_PGM_RSRC3_GS, &[ALL_UNITS]),
    (reg::SPI_SHADER_PGM_RSRC3_ES, &[UNITS]),
    (reg::SPI_SHADER_PGM_RSRC3_HS, &[0x17]),
    (reg::SPI_SHADER_PGM_RSRC3_LS, &[UNITS]),
    (reg::SPI_SHADER_LATE_ALLOC_VS, &[0x1C]),
    (reg::SPI_VS_OUT_CONFIG, &[2]),
    (reg::VGT_MIN_VTX_INDX, &[0]),
    (reg::VGT_MAX_VTX_INDX, &[u32::MAX]),
    (reg::VGT_MULTI_PRIM_IB_RESET_INDX, &[0]),
    (reg::VGT_OUTPUT_PATH_CNTL, &[0]),
    (reg::VGT_GS_MODE, &[0]),
    (reg::VGT_VTX_CNT_EN, &[0]),
    (reg::VGT_INDX_OFFSET, &[0]),
    (reg::PA_SC_MODE_CNTL_0, &[0]),
    (reg::PA_SC_MODE_CNTL_1, &[0x0602_0000]),
    (reg::PA_SC_AA_CONFIG, &[0]),
    (reg::PA_SU_POLY_OFFSET_DB_FMT_CNTL, &[0x1E9]),
    (reg::VGT_GS_PER_ES, &[0x100, 0x100, 4]),
    (reg::GRBM_GFX_INDEX, &[0xE000_0000]),
    (reg::IA_MULTI_VGT_PARAM, &[0xFF]),
];

/// Of the graphics ring: a clear context, caches flushed, and the table.
pub(super) fn draw(out: &mut Words<'_>) -> Result<(), CallError> {
    out.packet(op::CONTEXT_CONTROL, 0, &[0x8000_0000, 0x8000_0000])?;
    out.packet(op::CLEAR_STATE, 0, &[0])?;
    out.packet(op::ACQUIRE_MEM, 0, &[0x2EC4_7FC0, u32::MAX, 0, 0, 0, 10])?;
    out.packet(op::NUM_INSTANCES, 0, &[1])?;
    GRAPHICS.iter().try_for_each(|(register, values)| out.set(*register, values))
}

/// Of compute shaders.
pub(super) fn dispatch(out: &mut Words<'_>) -> Result<(), CallError> {
    out.set(reg::COMPUTE_STATIC_THREAD_MGMT_SE0, &[u32::MAX])?;
    out.set(reg::COMPUTE_STATIC_THREAD_MGMT_SE1, &[u32::MAX])?;
    out.set(reg::COMPUTE_RESOURCE_LIMITS, &[0x170])?;
    out.packet(op::ACQUIRE_MEM, 0, &[0x2800_0000, 0, 0, 0, 0, 0])
}
