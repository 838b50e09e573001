//! Arguments that are wrong are told, and touch nothing.

use afterimage_feedback::block::{Counters, Draw, Request};
use afterimage_feedback_c::types::{self, Attribute, Capture, Options, Uses};
use afterimage_feedback_c::*;
use std::ffi::CStr;
use std::ptr;

const PLAIN: &[u8] = include_bytes!("../../feedback/tests/shaders/plain.vert.spv");

fn words() -> Vec<u32> {
    PLAIN.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

fn nothing() -> Options {
    Options {
        form: types::GATHER,
        provoking: 0,
        push: 0,
        entry: ptr::null(),
        geometry: ptr::null(),
        geometry_words: 0,
        attributes: ptr::null(),
        attribute_count: 0,
        captures: ptr::null(),
        capture_count: 0,
        strides: [0; 4],
    }
}

fn message() -> String {
    // SAFETY: it is never null, and ends with a zero.
    unsafe { CStr::from_ptr(afterimage_feedback_message()) }.to_string_lossy().into_owned()
}

/// The code and the message; a shader that is made is freed.
fn lower(words: &[u32], options: &Options) -> (u32, String) {
    let mut shader = ptr::dangling_mut();
    // SAFETY: pointers and counts fit.
    let code = unsafe { afterimage_feedback_lower(words.as_ptr(), words.len(), options, &mut shader) };
    assert_eq!(code == types::OK, !shader.is_null());
    // SAFETY: it was made, or is null.
    unsafe { afterimage_feedback_free(shader) };
    (code, message())
}

#[test]
fn options() {
    let capture = Capture { what: types::POSITION, component: 0, components: 0, buffer: 0, offset: types::NEXT };
    let attribute = Attribute { location: 0, slot: 0, format: 106, offset: 0, rate: 0, divisor: 0 };
    let good = Options { captures: &raw const capture, capture_count: 1, ..nothing() };
    assert_eq!(lower(&words(), &good).0, types::OK);
    let captures = |capture: &Capture| lower(&words(), &Options { captures: &raw const *capture, ..good });
    let attributes =
        |a: &Attribute| lower(&words(), &Options { attributes: &raw const *a, attribute_count: 1, ..good });
    assert_eq!(attributes(&attribute).0, types::OK);
    for ((code, message), wanted, says) in [
        (lower(&words(), &nothing()), types::REFUSED, "no transform feedback decorations"),
        (lower(&[0; 8], &good), types::SPIRV, "magic"),
        (lower(&[], &good), types::SPIRV, ""),
        (lower(&words(), &Options { form: 2, ..good }), types::ARGUMENT, "form 2"),
        (lower(&words(), &Options { provoking: 2, ..good }), types::ARGUMENT, "provoking vertex 2"),
        (lower(&words(), &Options { push: 4, ..good }), types::REFUSED, "byte 4"),
        (lower(&words(), &Options { entry: c"other".as_ptr(), ..good }), types::REFUSED, "no entry point"),
        (lower(&words(), &Options { entry: c"\xff".as_ptr(), ..good }), types::ARGUMENT, "UTF-8"),
        (lower(&words(), &Options { geometry_words: 9, ..good }), types::ARGUMENT, "geometry: the pointer is NULL"),
        (lower(&words(), &Options { capture_count: 1 << 20, ..good }), types::ARGUMENT, "captures: 1048576 are more"),
        (lower(&words(), &Options { strides: [12, 0, 0, 0], ..good }), types::REFUSED, "stride of 12"),
        (captures(&Capture { buffer: 300, ..capture }), types::ARGUMENT, "buffer of a capture: 300"),
        (captures(&Capture { what: 9, ..capture }), types::REFUSED, "location 9"),
        (captures(&Capture { components: 9, ..capture }), types::REFUSED, "has 4 components"),
        (attributes(&Attribute { format: 1, ..attribute }), types::ARGUMENT, "VkFormat 1"),
        (attributes(&Attribute { rate: 2, ..attribute }), types::ARGUMENT, "rate 2"),
        (attributes(&Attribute { location: 9, ..attribute }), types::REFUSED, "location 9"),
    ] {
        assert_eq!(code, wanted, "{message}");
        assert!(message.contains(says), "{message}");
    }
}

#[test]
fn null() {
    let mut count = 7;
    let (mut draw, mut counters, mut groups) = (Draw::default(), Counters::default(), [0; 3]);
    let request = Request::default();
    let mut shader = ptr::null_mut();
    // SAFETY: null is allowed everywhere, and the other pointers are good.
    unsafe {
        afterimage_feedback_free(ptr::null_mut());
        assert!(afterimage_feedback_words(ptr::null(), &mut count).is_null() && count == 0);
        assert!(afterimage_feedback_attributes(ptr::null(), ptr::null_mut()).is_null());
        assert_eq!(afterimage_feedback_lower(ptr::null(), 9, ptr::null(), &mut shader), types::ARGUMENT);
        assert_eq!(afterimage_feedback_lower(words().as_ptr(), 9, ptr::null(), ptr::null_mut()), types::ARGUMENT);
        assert_eq!(afterimage_feedback_uses(ptr::null(), ptr::null_mut::<Uses>()), types::ARGUMENT);
        assert_eq!(afterimage_feedback_row(4, 0, ptr::null_mut()), types::ARGUMENT);
        assert_eq!(afterimage_feedback_row(10, 0, groups.as_mut_ptr()), types::ARGUMENT);
        for (a, b, c, d) in [
            (ptr::null(), &raw mut counters, &raw mut draw, groups.as_mut_ptr()),
            (&raw const request, ptr::null_mut(), &raw mut draw, groups.as_mut_ptr()),
            (&raw const request, &raw mut counters, ptr::null_mut(), groups.as_mut_ptr()),
            (&raw const request, &raw mut counters, &raw mut draw, ptr::null_mut()),
        ] {
            assert_eq!(afterimage_feedback_plan(a, b, c, d), types::ARGUMENT);
        }
    }
    assert!(message().contains("groups"), "{}", message());
    assert_eq!(counters, Counters::default());
}
