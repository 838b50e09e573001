//! Context registers after `CLEAR_STATE`, where they are not 0. Source: Linux `drivers/gpu/drm/radeon/clearstate_ci.h` (MIT).

use super::Registers;
use afterimage_gnm_types::reg;
use afterimage_gnm_types::registers::Space;

/// Scissors: the largest corner, and the bit that turns the window offset off.
const LARGEST: u32 = 0x4000_4000;
const NO_OFFSET: u32 = 1 << 31;

/// Register and value.
const VALUES: &[(u32, u32)] = &[
    (reg::PA_SC_SCREEN_SCISSOR_BR, LARGEST),
    (reg::PA_SC_WINDOW_SCISSOR_TL, NO_OFFSET),
    (reg::PA_SC_WINDOW_SCISSOR_BR, LARGEST),
    (reg::PA_SC_CLIPRECT_RULE, 0xFFFF),
    (reg::PA_SC_CLIPRECT_0_BR, LARGEST),
    (reg::PA_SC_CLIPRECT_1_BR, LARGEST),
    (reg::PA_SC_CLIPRECT_2_BR, LARGEST),
    (reg::PA_SC_CLIPRECT_3_BR, LARGEST),
    (reg::PA_SC_EDGERULE, 0xAA99_AAAA),
    (reg::CB_TARGET_MASK, u32::MAX),
    (reg::CB_SHADER_MASK, u32::MAX),
    (reg::PA_SC_GENERIC_SCISSOR_TL, NO_OFFSET),
    (reg::PA_SC_GENERIC_SCISSOR_BR, LARGEST),
    (reg::VGT_MAX_VTX_INDX, u32::MAX),
    (reg::SPI_PS_IN_CONTROL, 2),
    (reg::PA_CL_CLIP_CNTL, 0x0009_0000),
    (reg::PA_SU_SC_MODE_CNTL, 4),
    (reg::VGT_GS_PER_ES, 0x100),
    (reg::VGT_ES_PER_GS, 0x80),
    (reg::VGT_GS_PER_VS, 2),
    (reg::IA_MULTI_VGT_PARAM, 0xFF),
    (reg::PA_SC_LINE_CNTL, 0x1000),
    (reg::PA_SU_VTX_CNTL, 5),
    (reg::PA_CL_GB_VERT_CLIP_ADJ, 0x3F80_0000),
    (reg::PA_CL_GB_VERT_DISC_ADJ, 0x3F80_0000),
    (reg::PA_CL_GB_HORZ_CLIP_ADJ, 0x3F80_0000),
    (reg::PA_CL_GB_HORZ_DISC_ADJ, 0x3F80_0000),
    (reg::PA_SC_AA_MASK_X0Y0_X1Y0, u32::MAX),
    (reg::PA_SC_AA_MASK_X0Y1_X1Y1, u32::MAX),
    (reg::VGT_VERTEX_REUSE_BLOCK_CNTL, 0x0E),
    (reg::VGT_OUT_DEALLOC_CNTL, 0x10),
];

/// Puts every context register to what it is after `CLEAR_STATE`.
pub(super) fn clear(registers: &mut Registers) {
    registers.clear(Space::Context);
    for &(register, value) in VALUES {
        registers.set(register, value);
    }
    for viewport in 0..16 {
        registers.set(reg::PA_SC_VPORT_SCISSOR_0_TL + 8 * viewport, NO_OFFSET);
        registers.set(reg::PA_SC_VPORT_SCISSOR_0_BR + 8 * viewport, LARGEST);
        registers.set(reg::PA_SC_VPORT_ZMAX_0 + 8 * viewport, 1f32.to_bits());
    }
}
