//! The library's own shaders. The code is ours; addresses, registers and what the shaders do are those of the console's library, as
//! shadPS4 describes them in `src/core/libraries/gnmdriver/gnmdriver.cpp`.

use crate::memory::{GuestMemory, MapError, Regions, Unmapped};

/// Guest address of the first shader; each has 256 bytes.
pub const ADDRESS: u64 = 0xF_E000_F000;
/// Bytes that the shaders take.
pub const SIZE: u64 = 0x300;

/// A rectangle over the screen: vertices 0 to 3 are at (-1, -1), (1, -1), (-1, 1), (1, 1); parameter 0 is one.
///
/// ```text
/// v_and_b32 v1, 1, v0
/// v_cvt_f32_u32 v1, v1
/// v_mad_f32 v1, v1, 2.0, -1.0
/// v_and_b32 v2, -2, v0
/// v_cvt_f32_i32 v2, v2
/// v_add_f32 v2, -1.0, v2
/// v_mov_b32 v3, 0
/// v_mov_b32 v0, 1.0
/// exp pos0 v1, v2, v3, v0 done
/// exp param0 v0, v0, v0, v0
/// s_endpgm
/// ```
const VERTEX: &[u32] = &[
    0x3602_0081,
    0x7E02_0D01,
    0xD282_0001,
    0x03CD_E901,
    0x3604_00C2,
    0x7E04_0B02,
    0x0604_04F3,
    0x7E06_0280,
    0x7E00_02F2,
    0xF800_08CF,
    0x0003_0201,
    0xF800_020F,
    0x0000_0000,
    0xBF81_0000,
];

/// Zeros of 16 bits.
///
/// ```text
/// v_mov_b32 v0, 0
/// exp mrt0 v0, v0, v0, v0 compr vm done
/// s_endpgm
/// ```
const PIXEL_16: &[u32] = &[0x7E00_0280, 0xF800_1C0F, 0x0000_0000, 0xBF81_0000];

/// Zeros of 32 bits in red and green.
///
/// ```text
/// v_mov_b32 v0, 0
/// exp mrt0 v0, v0, off, off vm done
/// s_endpgm
/// ```
const PIXEL_32: &[u32] = &[0x7E00_0280, 0xF800_1803, 0x0000_0000, 0xBF81_0000];

/// Round to nearest even, and denormals of 16 and 64 bits.
const FLOAT_MODE: u32 = 0xC_0000;

const fn program(index: u64) -> u32 {
    ((ADDRESS + 0x100 * index) >> 8) as u32
}

/// As of [`super::SetVsShader`].
const VERTEX_REGISTERS: [u32; 7] = [program(1), 0, FLOAT_MODE, 0, 0, 4, 0];
/// As of [`super::SetPsShader`].
const PIXEL_REGISTERS: [[u32; 12]; 2] = [
    [program(0), 0, FLOAT_MODE, 0, 0, 4, 2, 2, 0, 0, 0x10, 0xF],
    [program(2), 0, FLOAT_MODE, 0, 0, 2, 2, 2, 0, 0, 0x10, 3],
];

pub(super) fn vertex(id: u32) -> Option<&'static [u32; 7]> {
    (id == 0).then_some(&VERTEX_REGISTERS)
}

pub(super) fn pixel(id: u32) -> Option<&'static [u32; 12]> {
    PIXEL_REGISTERS.get(id as usize)
}

/// Maps the memory of the embedded shaders.
///
/// # Errors
/// Never: the address is one that can be mapped.
pub fn map(memory: &mut Regions) -> Result<(), MapError> {
    memory.map(ADDRESS, SIZE)
}

/// Puts the embedded shaders into memory, at [`ADDRESS`] and [`SIZE`] bytes long, as the console's kernel does. A program that sets
/// one of them needs that.
///
/// # Errors
/// If nothing is mapped there.
pub fn install(memory: &mut dyn GuestMemory) -> Result<(), Unmapped> {
    for (index, code) in [PIXEL_16, VERTEX, PIXEL_32].into_iter().enumerate() {
        let bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.write(ADDRESS + 0x100 * index as u64, &bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterimage_shader_gcn::assemble;

    #[test]
    fn the_words_are_those_of_the_text() {
        let here = include_str!("embedded.rs");
        let texts: Vec<String> = here
            .split("/// ```text")
            .skip(1)
            .filter_map(|part| part.split_once("/// ```"))
            .map(|(text, _)| text.replace("///", ""))
            .collect();
        for (text, code) in texts.iter().zip([VERTEX, PIXEL_16, PIXEL_32]) {
            let words = assemble(text).unwrap();
            assert!(words == code, "{text}: {words:#010X?}");
        }
    }

    #[test]
    fn the_shaders_are_where_the_registers_say() {
        let mut memory = Regions::default();
        assert!(install(&mut memory).is_err());
        map(&mut memory).unwrap();
        install(&mut memory).unwrap();
        assert_eq!(memory.word(u64::from(VERTEX_REGISTERS[0]) << 8), Some(VERTEX[0]));
        assert_eq!(memory.word(u64::from(PIXEL_REGISTERS[1][0]) << 8), Some(PIXEL_32[0]));
    }
}
