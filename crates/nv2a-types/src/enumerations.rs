//! Methods whose argument is one of a few numbers. Any other number is refused: the method keeps the argument that it had.
//!
//! Sources: the numbers are those of `facts/nv2a.md`, section 5; that others are refused, the pictures of a console (suites Depth
//! function, Front face).

use crate::method;
use crate::methods::METHOD_WORDS;

/// Numbers that a method takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enumeration {
    /// Offsets of the methods.
    pub methods: &'static [u16],
    /// What they take.
    pub values: &'static [u32],
}

const FACTORS: &[u32] = &[
    0, 1, 0x300, 0x301, 0x302, 0x303, 0x304, 0x305, 0x306, 0x307, 0x308, 0x8001, 0x8002, 0x8003, 0x8004,
];

/// The table.
pub const ENUMERATIONS: &[Enumeration] = &[
    Enumeration {
        methods: &[method::SET_ALPHA_FUNC, method::SET_DEPTH_FUNC, method::SET_STENCIL_FUNC],
        values: &[0x200, 0x201, 0x202, 0x203, 0x204, 0x205, 0x206, 0x207],
    },
    Enumeration {
        methods: &[method::SET_STENCIL_OP_FAIL, method::SET_STENCIL_OP_ZFAIL, method::SET_STENCIL_OP_ZPASS],
        values: &[0x1E00, 0, 0x1E01, 0x1E02, 0x1E03, 0x150A, 0x8507, 0x8508],
    },
    Enumeration { methods: &[method::SET_BLEND_FUNC_SFACTOR, method::SET_BLEND_FUNC_DFACTOR], values: FACTORS },
    Enumeration {
        methods: &[method::SET_BLEND_EQUATION],
        values: &[0x8006, 0x800A, 0x800B, 0x8007, 0x8008, 0xF005, 0xF006],
    },
    Enumeration {
        methods: &[method::SET_FRONT_POLYGON_MODE, method::SET_BACK_POLYGON_MODE],
        values: &[0x1B00, 0x1B01, 0x1B02],
    },
    Enumeration { methods: &[method::SET_CULL_FACE], values: &[0x404, 0x405, 0x408] },
    Enumeration { methods: &[method::SET_FRONT_FACE], values: &[0x900, 0x901] },
    Enumeration { methods: &[method::SET_SHADE_MODEL], values: &[0x1D00, 0x1D01] },
];

/// Index into [`ENUMERATIONS`], plus one, for each word of the method space; 0 where every number is taken.
pub(crate) static ROWS: [u8; METHOD_WORDS] = {
    let mut rows = [0; METHOD_WORDS];
    let mut row = 0;
    while row < ENUMERATIONS.len() {
        let mut at = 0;
        while at < ENUMERATIONS[row].methods.len() {
            rows[ENUMERATIONS[row].methods[at] as usize / 4] = row as u8 + 1;
            at += 1;
        }
        row += 1;
    }
    rows
};

/// Whether the method at a byte offset takes an argument.
#[must_use]
#[inline]
pub fn takes(method: u16, value: u32) -> bool {
    let row = ROWS[usize::from(method / 4) % METHOD_WORDS];
    row == 0 || takes_by_row(row, value)
}

/// Whether the methods of a row of [`ROWS`] other than 0 take an argument.
pub(crate) fn takes_by_row(row: u8, value: u32) -> bool {
    ENUMERATIONS[usize::from(row) - 1].values.contains(&value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_of_an_enumeration_are_taken() {
        assert!(takes(method::SET_DEPTH_FUNC, 0x203) && !takes(method::SET_DEPTH_FUNC, 3));
        assert!(takes(method::SET_STENCIL_OP_ZPASS, 0) && !takes(method::SET_STENCIL_OP_ZPASS, 1));
        assert!(takes(method::SET_COLOR_MASK, 12345) && takes(u16::MAX, 7));
    }
}
