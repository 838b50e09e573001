//! What each body's own checks are made of. A body's `check` stands beside it and knows nothing but the packet; what takes the state
//! (objects, budgets, upload memory) is the [`Validator`](crate::Validator)'s, which calls it first.

use crate::Cause;

/// Whether a packet may be executed.
pub(crate) type Checked = Result<(), Cause>;

/// At most `limit`.
#[inline]
pub(crate) fn range(field: &'static str, value: u64, limit: u64) -> Checked {
    if value <= limit { Ok(()) } else { Err(Cause::Range { field, value, limit }) }
}

/// At most `limit`.
#[inline]
pub(crate) fn number(field: &'static str, value: u32, limit: u32) -> Checked {
    range(field, value.into(), limit.into())
}

/// A number below `count`.
#[inline]
pub(crate) fn byte(field: &'static str, value: u8, count: usize) -> Checked {
    range(field, value.into(), count as u64 - 1)
}

/// What [`all_below`] takes for bytes that are below these limits, each 1 to 128.
pub(crate) const fn limits(limits: [usize; 8]) -> u64 {
    let (mut bytes, mut at) = ([0; 8], 0);
    while at < bytes.len() {
        assert!(0 < limits[at] && limits[at] <= 128);
        bytes[at] = (128 - limits[at]) as u8;
        at += 1;
    }
    u64::from_ne_bytes(bytes)
}

/// Whether each byte of a word is below its limit. What would carry into the next byte is 128 at least, and is refused itself.
#[inline(always)]
pub(crate) fn all_below(word: u64, limits: u64) -> bool {
    const TOP: u64 = u64::from_ne_bytes([0x80; 8]);
    (word.wrapping_add(limits) | word) & TOP == 0
}

/// Whether both floats of a word are numbers and none is infinite.
#[inline(always)]
pub(crate) fn both_finite(word: u64) -> bool {
    const EXPONENTS: u64 = 0x7f80_0000_7f80_0000;
    ((word & EXPONENTS) + 0x0080_0000_0080_0000) & 0x8000_0000_8000_0000 == 0
}

/// Elements from `first` on, below `limit`.
#[inline]
pub(crate) fn elements(first: impl Into<u64>, count: impl Into<u64>, limit: usize) -> Checked {
    range("count", first.into() + count.into(), limit as u64)
}

/// 1 to `limit`.
pub(crate) fn size(field: &'static str, value: u32, limit: u32) -> Checked {
    if value == 0 {
        return Err(Cause::Range { field, value: 0, limit: limit.into() });
    }
    number(field, value, limit)
}

/// A multiple of `of`.
pub(crate) fn multiple(field: &'static str, value: u64, of: u64) -> Checked {
    if value.is_multiple_of(of) {
        Ok(())
    } else {
        Err(Cause::Range { field, value, limit: value - value.checked_rem(of).unwrap_or(0) })
    }
}

/// Numbers, none of which is infinite.
#[inline]
pub(crate) fn finite(field: &'static str, values: &[f32]) -> Checked {
    match values.iter().find(|value| !value.is_finite()) {
        None => Ok(()),
        Some(value) => Err(Cause::Range { field, value: value.to_bits().into(), limit: f32::MAX.to_bits().into() }),
    }
}

/// From 0 to `limit`, and a number.
pub(crate) fn positive(field: &'static str, value: f32, limit: f32) -> Checked {
    if (0.0..=limit).contains(&value) {
        Ok(())
    } else {
        Err(Cause::Range { field, value: value.to_bits().into(), limit: limit.to_bits().into() })
    }
}
