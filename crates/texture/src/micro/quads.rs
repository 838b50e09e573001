//! Two cells of 4 x 4 elements of one byte, side by side, and the four rows of eight that they make.
//!
//! A cell has pairs of columns: those of rows 0 and 1 in turn, then those of rows 2 and 3. With shuffles of a vector unit that is
//! six instructions; elsewhere words do it. (No closures: the compiler leaves calls of those in the loops over tiles.)

pub(super) use by::{detile, tile_rows};

/// With SSE2, which every x86-64 processor has.
#[cfg(target_feature = "sse2")]
mod by {
    use safe_arch::{
        m128i, shuffle_ai_i16_h64all_m128i, shuffle_ai_i16_l64all_m128i, unpack_high_i32_m128i, unpack_high_i64_m128i,
        unpack_low_i32_m128i, unpack_low_i64_m128i,
    };

    /// Exchanges the second and the third of every four pairs.
    #[inline(always)]
    fn exchange(cell: m128i) -> m128i {
        const ORDER: i32 = 0b11_01_10_00;
        shuffle_ai_i16_h64all_m128i::<ORDER>(shuffle_ai_i16_l64all_m128i::<ORDER>(cell))
    }

    /// The rows of two cells.
    #[inline(always)]
    pub(in super::super) fn detile(left: [u8; 16], right: [u8; 16]) -> (u64, u64, u64, u64) {
        let (left, right) = (exchange(left.into()), exchange(right.into()));
        let [a, b] = unpack_low_i32_m128i(left, right).into();
        let [c, d] = unpack_high_i32_m128i(left, right).into();
        (a, b, c, d)
    }

    /// The halves of two rows in turn.
    #[inline(always)]
    fn halves(upper: u64, lower: u64) -> m128i {
        unpack_low_i32_m128i([upper, 0].into(), [lower, 0].into())
    }

    /// The cells of four rows.
    #[inline(always)]
    pub(in super::super) fn tile_rows(a: u64, b: u64, c: u64, d: u64) -> ([u8; 16], [u8; 16]) {
        let (upper, lower) = (halves(a, b), halves(c, d));
        let (left, right) = (unpack_low_i64_m128i(upper, lower), unpack_high_i64_m128i(upper, lower));
        (exchange(left).into(), exchange(right).into())
    }
}

#[cfg(not(target_feature = "sse2"))]
mod by {
    /// The low half of a word.
    const LOW: u64 = 0xFFFF_FFFF;

    /// Exchanges the pairs in the middle of a word.
    const fn exchange(word: u64) -> u64 {
        let differ = (word ^ word >> 16) & 0xFFFF_0000;
        word ^ differ ^ differ << 16
    }

    /// The upper and the lower row of two words.
    const fn zip(left: u64, right: u64) -> (u64, u64) {
        (left & LOW | right << 32, left >> 32 | right & !LOW)
    }

    /// The rows of two cells.
    pub(in super::super) fn detile(left: [u8; 16], right: [u8; 16]) -> (u64, u64, u64, u64) {
        let (left, right) = (u128::from_le_bytes(left), u128::from_le_bytes(right));
        let (a, b) = zip(exchange(left as u64), exchange(right as u64));
        let (c, d) = zip(exchange((left >> 64) as u64), exchange((right >> 64) as u64));
        (a, b, c, d)
    }

    /// The cells of four rows.
    pub(in super::super) fn tile_rows(a: u64, b: u64, c: u64, d: u64) -> ([u8; 16], [u8; 16]) {
        let (upper, lower) = (zip(a, b), zip(c, d));
        let cell = |upper: u64, lower: u64| u128::from(exchange(upper)) | u128::from(exchange(lower)) << 64;
        (cell(upper.0, lower.0).to_le_bytes(), cell(upper.1, lower.1).to_le_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_four_by_four() {
        // Byte 16 * y + x of row y, at the place that the order of a tile gives it.
        let row = |y: usize| u64::from_le_bytes(std::array::from_fn(|x| (16 * y + x) as u8));
        let cell = |left: usize| -> [u8; 16] {
            std::array::from_fn(|n| {
                let (x, y) = (n & 1 | n >> 1 & 2, n >> 1 & 1 | n >> 2 & 2);
                (16 * y + left + x) as u8
            })
        };
        assert_eq!(detile(cell(0), cell(4)), (row(0), row(1), row(2), row(3)));
        assert_eq!(tile_rows(row(0), row(1), row(2), row(3)), (cell(0), cell(4)));
    }
}
