//! Registers and memory of GNM.

use afterimage_gnm::machine::Registers;
use afterimage_gnm::memory::{GuestMemory, Regions};
use afterimage_gnm_types::{reg, value::*};

/// Where the mapped memory begins, with the programs.
pub(crate) const START: u64 = 0x10_0000_0000;
/// Where the colour target lies.
pub(crate) const COLOR: u64 = START + 0x10_0000;

/// What draws a list of triangles into a colour target of 64 by 64 pixels: by these programs for vertices and pixels, which lie 256
/// bytes apart, with these words of user data for pixels.
pub(crate) fn triangles(programs: [&str; 2], user: &[u32]) -> (Registers, Regions) {
    let mut memory = Regions::default();
    memory.map(START, 0x40_0000).expect("a range of 48 bits");
    for (at, text) in (START..).step_by(256).zip(programs) {
        let words = afterimage_shader_gcn::assemble(text).expect("a program");
        memory.write(at, bytemuck::cast_slice(&words)).expect("mapped memory");
    }
    let mut registers = Registers::new();
    use reg::CB_COLOR0_INFO as I;
    let corner = 64 << 16 | 64;
    for (register, values) in [
        (reg::SPI_SHADER_PGM_LO_VS, &[(START >> 8) as u32, 0, 0xC0 << 12, 0][..]),
        (reg::SPI_SHADER_PGM_LO_PS, &[((START + 256) >> 8) as u32, 0, 0xC0 << 12, (user.len() as u32) << 1]),
        (reg::SPI_SHADER_USER_DATA_PS_0, user),
        (
            reg::CB_COLOR0_BASE,
            &[(COLOR >> 8) as u32, 7, 63, 0, I::FORMAT.bits(COLOR_8_8_8_8) | I::LINEAR_GENERAL.bits(1)],
        ),
        (reg::PA_SC_CLIPRECT_RULE, &[0xFFFF]),
        (reg::CB_TARGET_MASK, &[15]),
        (reg::CB_SHADER_MASK, &[15]),
        (reg::CB_COLOR_CONTROL, &[1 << 4 | ROP3_COPY << 16]),
        (reg::SPI_SHADER_POS_FORMAT, &[4]),
        (reg::SPI_SHADER_COL_FORMAT, &[9]),
        (reg::PA_SC_SCREEN_SCISSOR_BR, &[corner]),
        (reg::PA_SC_WINDOW_SCISSOR_BR, &[corner]),
        (reg::PA_SC_GENERIC_SCISSOR_BR, &[corner]),
        (reg::PA_SC_AA_MASK_X0Y0_X1Y0, &[0xFFFF_FFFF]),
        (reg::VGT_PRIMITIVE_TYPE, &[DI_PT_TRILIST]),
    ] {
        assert_eq!(registers.set_run(register, values), None);
    }
    (registers, memory)
}
