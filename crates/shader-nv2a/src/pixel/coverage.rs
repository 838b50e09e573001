//! Tests that throw pixels away by where they are and by their alpha.

use super::constants::PixelRegister as R;
use super::key::{Key, WindowClip};
use super::shared::Lift;
use super::tables::Compare;
use crate::banks::Bank;
use crate::io;
use afterimage_ir::{Kind, Swizzle, Value};

/// Window clip and polygon stipple.
pub(super) fn clip(lift: &mut Lift<'_>) {
    let clip = lift.key.window_clip;
    if clip == WindowClip::Inside as u8 || clip == WindowClip::Outside as u8 {
        window_clip(lift, clip == WindowClip::Outside as u8);
    }
    if lift.key.has(Key::STIPPLE) {
        stipple(lift);
    }
    if lift.key.has(Key::CORNERS | Key::CENTERS) {
        columns(lift);
    }
}

/// Every other column.
fn columns(lift: &mut Lift<'_>) {
    let place = place(lift);
    let (column, one) = (lift.b.extract(place, 0), lift.b.i32(1));
    let odd = lift.b.iand(column, one);
    let other = if lift.key.has(Key::CENTERS) { lift.b.i32(0) } else { one };
    let fails = lift.b.ieq(odd, other);
    lift.b.demote(fails);
}

/// The pixel's column and row, as integers.
fn place(lift: &mut Lift<'_>) -> Value {
    let position = lift.frag_coord();
    let place = lift.b.resize(position, 2);
    lift.b.f2i(place)
}

fn window_clip(lift: &mut Lift<'_>, outside: bool) {
    let place = place(lift);
    let mut within: Option<Value> = None;
    for n in 0..8 {
        let rectangle = lift.constant_as(Kind::Int, R::WindowClip, n);
        let first = lift.b.resize(rectangle, 2);
        let end = lift.b.swizzle(rectangle, Swizzle::new(&[2, 3]));
        let behind_first = lift.b.ile(first, place);
        let before_end = lift.b.ilt(place, end);
        let is_in = lift.b.band(behind_first, before_end);
        let is_in = lift.b.all(is_in);
        within = Some(match within {
            Some(other) => lift.b.bor(other, is_in),
            None => is_in,
        });
    }
    if let Some(within) = within {
        let fails = if outside { within } else { lift.b.bnot(within) };
        lift.b.demote(fails);
    }
}

/// 32 rows of four bytes, repeated over the surface. The lowest byte is the leftmost, and of a byte the highest bit.
///
/// Sources: the pictures of a console (suite Stipple tests) for the bits; for the bytes Mesa's nv50 and nvc0, which swap those of
/// OpenGL's rows, whose leftmost is the highest, for the successors of this register.
fn stipple(lift: &mut Lift<'_>) {
    let place = place(lift);
    let [x, y] = [0, 1].map(|lane| lift.b.extract(place, lane));
    let [zero, one, two, three, seven, last] = [0, 1, 2, 3, 7, 31].map(|n| lift.b.i32(n));
    let register = lift.b.ushr(y, two);
    let register = lift.b.iand(register, seven);
    let bank = io::bank(&mut lift.b, Bank::Pixel, R::COUNT);
    let rows = lift.b.load_const_dyn(bank, R::Stipple.register().into(), register);
    let rows = lift.b.cast(rows, Kind::Int);
    let [first, second, third, fourth] = [0, 1, 2, 3].map(|lane| lift.b.extract(rows, lane));
    let row = lift.b.iand(y, three);
    let (odd, high) = (lift.b.iand(row, one), lift.b.iand(row, two));
    let (odd, high) = (lift.b.ine(odd, zero), lift.b.ine(high, zero));
    let low_rows = lift.b.select(odd, second, first);
    let high_rows = lift.b.select(odd, fourth, third);
    let bits = lift.b.select(high, high_rows, low_rows);
    // Column 0 is bit 7, column 8 bit 15.
    let column = lift.b.iand(x, last);
    let shift = lift.b.ixor(column, seven);
    let bit = lift.b.ushr(bits, shift);
    let bit = lift.b.iand(bit, one);
    let is_hole = lift.b.ieq(bit, zero);
    lift.b.demote(is_hole);
}

/// Compares the eight bits that alpha has with the reference.
pub(super) fn alpha_test(lift: &mut Lift<'_>, color: Value) {
    let Some(test) = lift.key.alpha_compare() else { return };
    let reference = lift.constant(R::AlphaReference, 0);
    let reference = lift.b.extract(reference, 0);
    let steps = lift.b.f32(255.0);
    let alpha = lift.b.extract(color, 3);
    let alpha = lift.b.fmul(alpha, steps);
    let alpha = lift.b.fround(alpha);
    let passes = compare(lift, test, alpha, reference);
    let fails = lift.b.bnot(passes);
    lift.b.demote(fails);
}

/// `x ? y`.
pub(super) fn compare(lift: &mut Lift<'_>, compare: Compare, x: Value, y: Value) -> Value {
    let b = &mut lift.b;
    match compare {
        Compare::Never => b.bool(false),
        Compare::Less => b.flt(x, y),
        Compare::Equal => b.feq(x, y),
        Compare::LessEqual => b.fle(x, y),
        Compare::Greater => b.flt(y, x),
        Compare::NotEqual => b.fne(x, y),
        Compare::GreaterEqual => b.fle(y, x),
        Compare::Always => b.bool(true),
    }
}
