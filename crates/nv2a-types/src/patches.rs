//! Patches that the machine cuts itself: what is known of the words of `SET_BEGIN_PATCH0` to `SET_END_PATCH`.
//!
//! Source of numbers and limits: envytools, `hwtest/pgraph_class_kelvin.cc` and `nvhw/pgraph_kelvin.c`, which are held against an
//! NV20 there: which arguments it refuses, and what becomes of those that it takes. They leave most fields without a name. The
//! names here are ours, from how the fields depend on each other and from US patent 6,624,811 (a patch is strips of curves, with
//! guard curves at its sides and stitching to its borders): *swatch* (pieces that a patch is cut into), *rows* and *columns* of
//! them, *transition* (what stitches a side to its border). Not compared with a console.
//!
//! What `SET_BEGIN_END_SWATCH`, `SET_BEGIN_END_CURVE`, `SET_BEGIN_TRANSITION2` and `SET_END_TRANSITION` take, and what the
//! coefficients of curves mean, no public source says. So patches are checked and named here, and not drawn.

use std::fmt;

/// Vectors of coefficients that fit the machine, less those that [`Patch::most_vectors`] takes away.
const VECTORS: u32 = 0x3C;
/// Sizes that a swatch may have.
const SIZES: std::ops::RangeInclusive<u32> = 4..=17;

/// Why a word of a patch is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// `SET_BEGIN_PATCH0` and `SET_BEGIN_TRANSITION0`: attribute 0 has no order.
    NoPosition,
    /// `SET_BEGIN_PATCH2`: no swatch has this size.
    Size(u32),
    /// `SET_BEGIN_PATCH2`: what is left for the last swatch is as large as a whole one.
    Rest {
        /// What is left.
        rest: u32,
        /// Size of a whole swatch.
        size: u32,
    },
    /// `SET_BEGIN_PATCH3`: bits 6 to 9 are zero.
    Zero,
    /// `SET_BEGIN_PATCH3`: no sides have transitions like this.
    Transitions(u32),
    /// Bits that must be zero.
    Bits(u32),
    /// `SET_BEGIN_PATCH3`: too few or too many vectors of coefficients.
    Vectors {
        /// How many.
        vectors: u32,
        /// How many there may be at most; 2 are the fewest.
        most: u32,
    },
    /// `SET_BEGIN_PATCH3`: a patch without whole swatches that is too small for the transitions at its sides.
    Small {
        /// Rows and columns of it.
        has: [u32; 2],
        /// What it needs at least.
        needs: [u32; 2],
    },
    /// `SET_BEGIN_PATCH0`, `1` or `2` did not come before `SET_BEGIN_PATCH3`.
    Missing,
    /// A begin while a patch is open, or the same word of one twice.
    Twice,
    /// A part of a patch while none is open.
    Outside,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPosition => write!(f, "says nothing of attribute 0, the position"),
            Self::Size(size) => write!(f, "has swatches of size {size}, which is not from 4 to 17"),
            Self::Rest { rest, size } => write!(f, "leaves {rest} for the last swatch, but whole ones have {size}"),
            Self::Zero => write!(f, "has zero in bits 6 to 9"),
            Self::Transitions(value) => write!(f, "has transitions {value}, which is none of 0, 1, 2, 3, 5, 6"),
            Self::Bits(bits) => write!(f, "has bits {bits:#x} set, which must be zero"),
            Self::Vectors { vectors, most } => {
                write!(f, "has {vectors} vectors of coefficients, which is not from 2 to {most}")
            }
            Self::Small { has: [rows, columns], needs: [least_rows, least_columns] } => {
                write!(f, "begins a patch of {rows} rows and {columns} columns, whose transitions need ")?;
                write!(f, "{least_rows} and {least_columns}")
            }
            Self::Missing => write!(f, "begins a patch of which SET_BEGIN_PATCH0, 1 or 2 says nothing"),
            Self::Twice => write!(f, "is said of a patch a second time"),
            Self::Outside => write!(f, "is outside of a patch"),
        }
    }
}

/// The arguments of `SET_BEGIN_PATCH0` to `3`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Patch(pub [u32; 4]);

/// Sides of one direction that get a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sides(u32);

impl Sides {
    /// The first one, reversed or not.
    fn first(self) -> bool {
        self.0 & 1 != 0
    }

    fn count(self) -> u32 {
        (self.0 & 3).count_ones()
    }
}

const fn bits(word: u32, low: u32, width: u32) -> u32 {
    word >> low & ((1 << width) - 1)
}

impl Patch {
    /// What is said of a vertex attribute: 0 if the patch does not have it. It is four bits; envytools counts those that are not
    /// zero, and whether they are orders or degrees is not known.
    #[must_use]
    pub const fn attribute(&self, attribute: usize) -> u32 {
        bits(self.0[attribute / 8 % 2], attribute as u32 % 8 * 4, 4)
    }

    /// Whole swatches: rows, columns.
    const fn whole(&self) -> [u32; 2] {
        [bits(self.0[2], 8, 8), bits(self.0[2], 0, 8)]
    }

    /// What is left for the last swatch: rows, columns.
    const fn rest(&self) -> [u32; 2] {
        [bits(self.0[2], 21, 5), bits(self.0[2], 26, 5)]
    }

    /// Sides with transitions: of rows, of columns.
    const fn sides(&self) -> [Sides; 2] {
        [Sides(bits(self.0[3], 3, 3)), Sides(bits(self.0[3], 0, 3))]
    }

    /// Rows and columns of swatches, with the last ones that are smaller.
    #[must_use]
    pub fn swatches(&self) -> [u32; 2] {
        let ([rows, columns], [rest_rows, rest_columns]) = (self.whole(), self.rest());
        let [row_sides, column_sides] = self.sides();
        // A rest of one, where a transition begins, is no swatch of its own, unless there is nothing else.
        let more_rows = rest_rows > 1 || rest_rows == 1 && (rows != 0 || !row_sides.first());
        let more_columns =
            rest_columns > 1 || rest_columns == 1 && (columns != 0 || !column_sides.first() || rows == 0);
        [rows + u32::from(more_rows), columns + u32::from(more_columns)]
    }

    /// How many transitions come before the end: one for each side that has one.
    #[must_use]
    pub fn transitions(&self) -> u32 {
        self.sides().map(Sides::count).iter().sum()
    }

    /// Whether it may end without a swatch.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let ([rest_rows, rest_columns], [row_sides, column_sides]) = (self.rest(), self.sides());
        self.whole() == [0, 0]
            && (rest_rows == u32::from(row_sides.first()) || rest_columns == u32::from(column_sides.first()))
    }

    /// Vectors of coefficients (`SET_CURVE_COEFFICIENTS` gives one) that a curve may have at most.
    #[must_use]
    pub const fn most_vectors(&self) -> u32 {
        let (a, b) = (bits(self.0[3], 6, 4), bits(self.0[3], 10, 4));
        let taken = 2 + a + if b == 0 { 0 } else { 2 + b };
        VECTORS - (taken & 0x1F)
    }

    /// Rows and columns that a patch without whole swatches needs for its transitions.
    fn least(&self) -> [u32; 2] {
        let [rows, columns] = self.sides();
        match (rows.0, columns.0) {
            // With transitions in one direction only, at one side, the other direction may be nothing.
            (0, 2 | 6) | (2 | 6, 0) => [0, 0],
            (0, 1 | 5) => [0, 1],
            (1 | 5, 0) => [1, 0],
            _ => [1 + u32::from(rows.first()), 1 + u32::from(columns.first())],
        }
    }

    /// Checks what the words of a patch say together, each of which `check` has taken.
    ///
    /// # Errors
    /// The first thing that the machine refuses `SET_BEGIN_PATCH3` for.
    pub fn check(&self) -> Result<(), Refusal> {
        let (vectors, most) = (bits(self.0[3], 24, 8), self.most_vectors());
        if !(2..=most).contains(&vectors) {
            return Err(Refusal::Vectors { vectors, most });
        }
        let (has, needs) = (self.rest(), self.least());
        let any_size = bits(self.0[3], 16, 1) != 0;
        if !any_size && self.whole() == [0, 0] && (has[0] < needs[0] || has[1] < needs[1]) {
            return Err(Refusal::Small { has, needs });
        }
        Ok(())
    }
}

/// Checks the first word of a patch or transition.
///
/// # Errors
/// [`Refusal::NoPosition`].
pub const fn check0(word: u32) -> Result<(), Refusal> {
    if bits(word, 0, 4) == 0 { Err(Refusal::NoPosition) } else { Ok(()) }
}

/// Checks the word of `SET_BEGIN_PATCH2`.
///
/// # Errors
/// The first field that the machine refuses.
pub fn check2(word: u32) -> Result<(), Refusal> {
    let size = bits(word, 16, 5);
    if !SIZES.contains(&size) {
        return Err(Refusal::Size(size));
    }
    for rest in [bits(word, 21, 5), bits(word, 26, 5)] {
        if rest >= size {
            return Err(Refusal::Rest { rest, size });
        }
    }
    no_bits(word, 0x8000_0000)
}

/// Checks the word of `SET_BEGIN_PATCH3` by itself.
///
/// # Errors
/// The first field that the machine refuses.
pub fn check3(word: u32) -> Result<(), Refusal> {
    for sides in [bits(word, 0, 3), bits(word, 3, 3)] {
        if matches!(sides, 4 | 7) {
            return Err(Refusal::Transitions(sides));
        }
    }
    if bits(word, 6, 4) == 0 {
        return Err(Refusal::Zero);
    }
    no_bits(word, 0x00FE_0000)
}

/// Checks the word of `SET_END_PATCH`.
///
/// # Errors
/// [`Refusal::Bits`] unless it is zero.
pub fn check_end(word: u32) -> Result<(), Refusal> {
    no_bits(word, u32::MAX)
}

fn no_bits(word: u32, mask: u32) -> Result<(), Refusal> {
    if word & mask == 0 { Ok(()) } else { Err(Refusal::Bits(word & mask)) }
}
