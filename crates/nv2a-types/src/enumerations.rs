//! Methods whose argument is one of a few numbers. Any other number is refused: the method keeps the argument that it had.
//!
//! Source: the pictures of a console (suites Depth function, Front face, Point size, Line width); the numbers are those of [`enums`].

use crate::enums::{self, Names};
use crate::method;
use crate::methods::METHOD_WORDS;

/// Numbers that a method takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enumeration {
    /// Offsets of the methods.
    pub methods: &'static [u16],
    /// What they take.
    pub values: Names,
}

/// The table.
pub const ENUMERATIONS: &[Enumeration] = &[
    Enumeration {
        methods: &[method::SET_ALPHA_FUNC, method::SET_DEPTH_FUNC, method::SET_STENCIL_FUNC],
        values: enums::COMPARE,
    },
    Enumeration {
        methods: &[method::SET_STENCIL_OP_FAIL, method::SET_STENCIL_OP_ZFAIL, method::SET_STENCIL_OP_ZPASS],
        values: enums::STENCIL_OP,
    },
    Enumeration {
        methods: &[method::SET_BLEND_FUNC_SFACTOR, method::SET_BLEND_FUNC_DFACTOR],
        values: enums::BLEND_FACTOR,
    },
    Enumeration { methods: &[method::SET_BLEND_EQUATION], values: enums::BLEND_EQUATION },
    Enumeration {
        methods: &[method::SET_FRONT_POLYGON_MODE, method::SET_BACK_POLYGON_MODE],
        values: enums::POLYGON_MODE,
    },
    Enumeration { methods: &[method::SET_CULL_FACE], values: enums::CULL_FACE },
    Enumeration { methods: &[method::SET_FRONT_FACE], values: enums::FRONT_FACE },
    Enumeration { methods: &[method::SET_SHADE_MODEL], values: enums::SHADE_MODEL },
];

/// In [`ROWS`]: numbers of nine bits are taken.
const NINE_BITS: u8 = u8::MAX;

/// Index into [`ENUMERATIONS`], plus one, for each word of the method space; [`NINE_BITS`]; 0 where every number is taken.
static ROWS: [u8; METHOD_WORDS] = {
    let mut rows = [0; METHOD_WORDS];
    rows[method::SET_POINT_SIZE as usize / 4] = NINE_BITS;
    rows[method::SET_LINE_WIDTH as usize / 4] = NINE_BITS;
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

/// Whether the method at a byte offset refuses numbers.
#[must_use]
pub const fn is_enumeration(method: u16) -> bool {
    (method as usize / 4) < METHOD_WORDS && ROWS[method as usize / 4] != 0
}

/// Whether the method at a byte offset takes an argument.
#[must_use]
#[inline]
pub fn takes(method: u16, value: u32) -> bool {
    let row = ROWS[usize::from(method / 4) % METHOD_WORDS];
    match row {
        0 => true,
        NINE_BITS => value < 1 << 9,
        row => enums::name_of(ENUMERATIONS[usize::from(row) - 1].values, value).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_of_an_enumeration_are_taken() {
        assert!(takes(method::SET_DEPTH_FUNC, 0x203) && !takes(method::SET_DEPTH_FUNC, 3));
        assert!(takes(method::SET_STENCIL_OP_ZPASS, 0) && !takes(method::SET_STENCIL_OP_ZPASS, 1));
        assert!(takes(method::SET_POINT_SIZE, 0x1FF) && !takes(method::SET_POINT_SIZE, 0x2F0));
        assert!(takes(method::SET_LINE_WIDTH, 0x1FF) && !takes(method::SET_LINE_WIDTH, 0x200));
        assert!(takes(method::SET_COLOR_MASK, 12345) && takes(u16::MAX, 7));
    }
}
