//! Memory by its guest address: the window that it lies in.
//!
//! A lane's address may be anywhere, and only the draw knows where what is mapped lies on the device. So the program has some windows,
//! each with its place in both, which rise: the last that does not begin behind the address is found by halving.

use afterimage_ir::{Builder, Kind, Value};

use super::Lifter;
use super::memory::Place;
use super::vector::notation::{halves, ir};
use crate::io::{WINDOW_PAGE, WINDOWS};

/// Bits of an address within a page of a window.
const PAGE_BITS: i32 = WINDOW_PAGE.ilog2() as i32;

/// The page of an address: 44 bits of it count, and what is above makes it the last page.
fn page(b: &mut Builder, low: Value, high: Value) -> Value {
    let page = ir!(b, ior(ushr(low, { b.i32(PAGE_BITS) }), ishl(high, { b.i32(32 - PAGE_BITS) })));
    let above = ir!(b, ine(ushr(high, { b.i32(PAGE_BITS) }), 0));
    ir!(b, select(above, { b.i32(-1) }, page))
}

/// Where an address lies on the device, for programs that have windows.
pub(super) fn find(l: &mut Lifter<'_>, address: Value) -> Option<Place> {
    let first = l.analysis.windows?;
    let (low, high) = halves(&mut l.b, address);
    let page = page(&mut l.b, low, high);
    let mut index = l.b.i32(0);
    let mut step = WINDOWS / 2;
    while step > 0 {
        let step_by = l.b.i32(step as i32);
        let next = l.b.iadd(index, step_by);
        let window = l.buffer_words_behind(first, next);
        let b = &mut l.b;
        let begins = b.extract(window, 3);
        index = ir!(b, select(ule(begins, page), next, index));
        step /= 2;
    }
    let window = l.buffer_words_behind(first, index);
    let b = &mut l.b;
    let begins = b.extract(window, 3);
    let distance = b.isub(page, begins);
    // Windows have less than 4 GiB, so their pages are few.
    let near = ir!(b, ult(distance, { b.i32(1 << (32 - PAGE_BITS)) }));
    let within = ir!(b, iand(low, { b.i32((1 << PAGE_BITS) - 1) }));
    let offset = ir!(b, ior(ishl(distance, { b.i32(PAGE_BITS) }), within));
    let base = b.resize(window, 2);
    let base = b.cast(base, Kind::Int);
    let bytes = b.extract(window, 2);
    Some(Place { base, offset, bytes, condition: Some(near), odd: false })
}
