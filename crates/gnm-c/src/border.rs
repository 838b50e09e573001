//! What every call across the border has: a code, a message where it fails, pointers that are looked at, and no panic.

use crate::types::{ARGUMENT, BUG, OK};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Bytes of a text at most.
const LONGEST: usize = 4096;

/// Why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: u32,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(code: u32, message: impl ToString) -> Self {
        Self { code, message: message.to_string() }
    }
}

pub(crate) fn argument(message: impl ToString) -> Failure {
    Failure::new(ARGUMENT, message)
}

thread_local! {
    /// What the thread's last call that failed has to say.
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// A text of C's.
pub(crate) fn c_text(text: &str) -> CString {
    // A text without zeros always is one.
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

/// Keeps what a call that failed has to say.
pub(crate) fn say(message: &str) {
    MESSAGE.set(c_text(message));
}

/// What was kept.
pub(crate) fn said() -> *const c_char {
    MESSAGE.with_borrow(|message| message.as_ptr())
}

/// Runs `call`, keeps what it says where it fails, and gives its code.
pub(crate) fn guarded(call: impl FnOnce() -> Result<(), Failure>) -> u32 {
    let result = catch_unwind(AssertUnwindSafe(call))
        .unwrap_or_else(|_| Err(Failure::new(BUG, "the call broke off, which is a bug of Afterimage")));
    let Err(Failure { code, message }) = result else { return OK };
    say(&message);
    code
}

/// What a pointer and a count of C's mean; nothing where the count is 0.
///
/// # Safety
/// `start` is null or points at `count` values, which nobody writes while the result is used.
pub(crate) unsafe fn slice<'a, T>(start: *const T, count: usize, most: usize, what: &str) -> Result<&'a [T], Failure> {
    check(start, count, most, what)?;
    if count == 0 {
        return Ok(&[]);
    }
    // SAFETY: the caller says so, and the count is below what an allocation may have.
    Ok(unsafe { std::slice::from_raw_parts(start, count) })
}

/// The same, to be written.
///
/// # Safety
/// `start` is null or points at `count` values that nobody else uses meanwhile.
pub(crate) unsafe fn slice_mut<'a, T>(
    start: *mut T,
    count: usize,
    most: usize,
    what: &str,
) -> Result<&'a mut [T], Failure> {
    check(start, count, most, what)?;
    if count == 0 {
        return Ok(&mut []);
    }
    // SAFETY: as above.
    Ok(unsafe { std::slice::from_raw_parts_mut(start, count) })
}

fn check<T>(start: *const T, count: usize, most: usize, what: &str) -> Result<(), Failure> {
    if count > most {
        return Err(argument(format!("{what}: {count} are more than {most}")));
    }
    if count > 0 && (start.is_null() || !start.is_aligned()) {
        return Err(argument(format!("{what}: the pointer is NULL or not aligned")));
    }
    Ok(())
}

/// Writes a result to where C wants it.
///
/// # Safety
/// `place` is null or points at memory for a `T` that nobody else uses meanwhile.
pub(crate) unsafe fn put<T>(place: *mut T, value: T, what: &str) -> Result<(), Failure> {
    check(place, 1, 1, what)?;
    // SAFETY: the caller says so.
    unsafe { place.write(value) };
    Ok(())
}

/// A value that C points at.
///
/// # Safety
/// As for [`slice`].
pub(crate) unsafe fn get<'a, T>(place: *const T, what: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller says so.
    unsafe { slice(place, 1, 1, what) }.map(|values| &values[0])
}

/// A text that C points at, with its zero.
///
/// # Safety
/// `text` is null or points at bytes with a zero among them.
pub(crate) unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(argument(format!("{what}: the pointer is NULL")));
    }
    // SAFETY: the caller says so.
    let text = unsafe { CStr::from_ptr(text) };
    if text.count_bytes() > LONGEST {
        return Err(argument(format!("{what}: the text has more than {LONGEST} bytes")));
    }
    text.to_str().map_err(|_| argument(format!("{what}: the text is not UTF-8")))
}
