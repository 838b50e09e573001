//! The C API of `afterimage-feedback`: `include/afterimage_feedback.h`, which a test writes from the tables here.
//!
//! Every function takes pointers that C made. What can be checked is (null, counts, numbers); what a pointer points at cannot, so
//! that it does is what each function asks of its caller. No panic crosses the border.

pub mod types;

use afterimage_feedback::block::{Counters, Draw, Request};
use afterimage_feedback::table::{Provoking, row};
use afterimage_feedback::{AttributeSource, Error, FeedbackPlace, FeedbackSource, Form, Lowered, Lowering, formats};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::OnceLock;
use types::{ARGUMENT, Attribute, BUG, Capture, OK, Options, REFUSED, SPIRV, Uses};

/// Most attributes, and most captures: more than any shader has.
const MOST: usize = 1 << 12;
/// Most words of a shader: 64 MiB.
const MOST_WORDS: usize = 1 << 24;

/// A lowered shader, which C sees by its address alone.
pub struct Shader {
    lowered: Lowered,
    attributes: Vec<Attribute>,
}

/// Why a call failed.
struct Failure {
    code: u32,
    message: String,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = if matches!(error, Error::Parse(_)) { SPIRV } else { REFUSED };
        Self { code, message: error.to_string() }
    }
}

fn argument(message: impl Into<String>) -> Failure {
    Failure { code: ARGUMENT, message: message.into() }
}

thread_local! {
    /// What the thread's last call that failed has to say.
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Runs `call`, keeps what it says where it fails, and gives its code.
fn guarded(call: impl FnOnce() -> Result<(), Failure>) -> u32 {
    let result = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| {
        Err(Failure { code: BUG, message: "the translation broke off, which is a bug of Afterimage".into() })
    });
    let Err(Failure { code, message }) = result else { return OK };
    // A text without zeros always is one of C's.
    MESSAGE.set(CString::new(message.replace('\0', " ")).unwrap_or_default());
    code
}

/// What a pointer and a count of C's mean; nothing where the count is 0.
///
/// # Safety
/// `start` is null or points at `count` values, which nobody writes while the result is used.
unsafe fn slice<'a, T>(start: *const T, count: usize, most: usize, what: &str) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    if count > most {
        return Err(argument(format!("{what}: {count} are more than {most}")));
    }
    if start.is_null() || !start.is_aligned() {
        return Err(argument(format!("{what}: the pointer is NULL or not aligned")));
    }
    // SAFETY: the caller says so, and the count is below what an allocation may have.
    Ok(unsafe { std::slice::from_raw_parts(start, count) })
}

/// A place that a result is written to.
///
/// # Safety
/// `place` is null or points at memory for a `T` that nobody else uses meanwhile.
unsafe fn put<T>(place: *mut T, value: T, what: &str) -> Result<(), Failure> {
    if place.is_null() || !place.is_aligned() {
        return Err(argument(format!("{what}: the pointer is NULL or not aligned")));
    }
    // SAFETY: the caller says so.
    unsafe { place.write(value) };
    Ok(())
}

/// A value that C points at.
///
/// # Safety
/// As for [`slice`].
unsafe fn get<'a, T>(place: *const T, what: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller says so.
    unsafe { slice(place, 1, 1, what) }.map(|values| &values[0])
}

fn small(value: u32, what: &str) -> Result<u8, Failure> {
    value.try_into().map_err(|_| argument(format!("{what}: {value} is more than 255")))
}

fn provoking(vertex: u32) -> Result<Provoking, Failure> {
    match vertex {
        0 => Ok(Provoking::First),
        1 => Ok(Provoking::Last),
        other => Err(argument(format!("provoking vertex {other} is neither 0 nor 1"))),
    }
}

fn attribute(a: &Attribute) -> Result<AttributeSource, Failure> {
    let format = formats::by_number(a.format).ok_or_else(|| {
        argument(format!("attribute at location {}: VkFormat {} is no vertex format", a.location, a.format))
    })?;
    let divisor = match a.rate {
        0 => None,
        1 => Some(a.divisor),
        rate => return Err(argument(format!("attribute at location {}: rate {rate} is neither 0 nor 1", a.location))),
    };
    Ok(AttributeSource {
        location: small(a.location, "location of an attribute")?,
        format,
        slot: small(a.slot, "slot of an attribute")?,
        offset: a.offset,
        divisor,
    })
}

fn shared(a: &AttributeSource) -> Attribute {
    Attribute {
        location: a.location.into(),
        slot: a.slot.into(),
        format: a.format.number,
        offset: a.offset,
        rate: a.divisor.is_some().into(),
        divisor: a.divisor.unwrap_or(0),
    }
}

fn capture(c: &Capture) -> Result<FeedbackPlace, Failure> {
    let what = match c.what {
        types::POSITION => FeedbackSource::Position,
        types::POINT_SIZE => FeedbackSource::PointSize,
        types::CLIP => FeedbackSource::ClipDistance(0),
        types::CLIP4 => FeedbackSource::ClipDistance(4),
        location => FeedbackSource::Location(small(location, "location of a capture")?),
    };
    let components = match (c.component, c.components) {
        (0, 0) => None,
        (first, count) => Some((small(first, "component of a capture")?, small(count, "components of a capture")?)),
    };
    let offset = Some(c.offset).filter(|offset| *offset != types::NEXT);
    Ok(FeedbackPlace { what, components, buffer: small(c.buffer, "buffer of a capture")?, offset })
}

/// What `options` ask for, of the shader in `words`.
///
/// # Safety
/// What `options` point at is there.
unsafe fn lowering(words: &[u32], options: &Options) -> Result<Lowering, Failure> {
    let mut lowering = Lowering::new(words)?;
    lowering = lowering.form(match options.form {
        types::GATHER => Form::Gather,
        types::SCATTER => Form::Scatter,
        form => return Err(argument(format!("form {form} is neither AFTERIMAGE_FEEDBACK_GATHER nor _SCATTER"))),
    });
    if options.geometry_words != 0 {
        // SAFETY: the caller says that pointer and count fit.
        lowering =
            lowering.geometry(unsafe { slice(options.geometry, options.geometry_words, MOST_WORDS, "geometry")? })?;
    }
    lowering = lowering.push(options.push).provoking(provoking(options.provoking)?);
    if !options.entry.is_null() {
        // SAFETY: the caller says that it is a text with its zero.
        let name = unsafe { CStr::from_ptr(options.entry) };
        lowering = lowering.entry(name.to_str().map_err(|_| argument("entry: the name is not UTF-8"))?);
    }
    // SAFETY: the caller says that pointers and counts fit.
    let (attributes, captures) = unsafe {
        (
            slice(options.attributes, options.attribute_count, MOST, "attributes")?,
            slice(options.captures, options.capture_count, MOST, "captures")?,
        )
    };
    for a in attributes {
        lowering = lowering.attribute(attribute(a)?);
    }
    for c in captures {
        lowering = lowering.capture(capture(c)?);
    }
    for (buffer, stride) in (0..).zip(options.strides).filter(|(_, stride)| *stride != 0) {
        lowering = lowering.stride(buffer, stride);
    }
    Ok(lowering)
}

/// Lowers the shader in `count` words of SPIR-V. `*shader` is to be given to [`afterimage_feedback_free`].
///
/// # Safety
/// `words` has `count` words, `options` is NULL or all that it points at is there, and `shader` has room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_feedback_lower(
    words: *const u32,
    count: usize,
    options: *const Options,
    shader: *mut *mut Shader,
) -> u32 {
    guarded(|| {
        // SAFETY: as above.
        unsafe { put(shader, ptr::null_mut(), "shader")? };
        // SAFETY: as above.
        let words = unsafe { slice(words, count, MOST_WORDS, "words")? };
        let lowering = if options.is_null() {
            Lowering::new(words)?
        } else {
            // SAFETY: as above.
            unsafe { lowering(words, get(options, "options")?)? }
        };
        let lowered = lowering.lower()?;
        let attributes = lowered.uses.attributes.iter().map(shared).collect();
        // SAFETY: as above.
        unsafe { put(shader, Box::into_raw(Box::new(Shader { lowered, attributes })), "shader") }
    })
}

/// Frees a lowered shader; NULL is none.
///
/// # Safety
/// `shader` comes from [`afterimage_feedback_lower`], and neither it nor what was got of it is used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_feedback_free(shader: *mut Shader) {
    if !shader.is_null() {
        // SAFETY: it was made by `Box::into_raw`, and is freed once.
        drop(unsafe { Box::from_raw(shader) });
    }
}

/// The lowered shader's SPIR-V, and the number of its words; NULL where there is no shader. It lives as long as the shader.
///
/// # Safety
/// `shader` is NULL or lives, and `count` is NULL or has room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_feedback_words(shader: *const Shader, count: *mut usize) -> *const u32 {
    // SAFETY: as above.
    let words = unsafe { shader.as_ref() }.map_or(&[][..], |shader| &shader.lowered.words);
    // SAFETY: as above.
    unsafe { list(words, count) }
}

/// Every attribute that the lowered shader reads, those included that were not asked for, by rising location. It lives as long as
/// the shader.
///
/// # Safety
/// `shader` is NULL or lives, and `count` is NULL or has room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_feedback_attributes(shader: *const Shader, count: *mut usize) -> *const Attribute {
    // SAFETY: as above.
    let attributes = unsafe { shader.as_ref() }.map_or(&[][..], |shader| &shader.attributes);
    // SAFETY: as above.
    unsafe { list(attributes, count) }
}

/// A slice as C takes it.
///
/// # Safety
/// `count` is null or has room.
unsafe fn list<T>(values: &[T], count: *mut usize) -> *const T {
    if !count.is_null() && count.is_aligned() {
        // SAFETY: as above.
        unsafe { count.write(values.len()) };
    }
    if values.is_empty() { ptr::null() } else { values.as_ptr() }
}

/// What the lowered shader has to be given.
///
/// # Safety
/// `shader` is NULL or lives, and `uses` has room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_feedback_uses(shader: *const Shader, uses: *mut Uses) -> u32 {
    guarded(|| {
        // SAFETY: as above.
        let shader = unsafe { get(shader, "shader")? };
        let of = &shader.lowered.uses;
        let value = Uses {
            stage: if of.form == Form::Gather { 0x20 } else { 1 },
            geometry: of.geometry.into(),
            push: of.push,
            slots: of.slots().iter().filter(|slot| **slot < 32).fold(0, |mask, slot| mask | 1 << slot),
            strides: of.strides,
            streams: of.streams.map(u32::from),
        };
        // SAFETY: as above.
        unsafe { put(uses, value, "uses") }
    })
}

/// SPIR-V of the `prepare` shader, and the number of its words. It lives as long as the program.
///
/// # Safety
/// `count` is NULL or has room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_feedback_prepare(count: *mut usize) -> *const u32 {
    static WORDS: OnceLock<Vec<u32>> = OnceLock::new();
    let words = WORDS.get_or_init(|| catch_unwind(afterimage_feedback::prepare).unwrap_or_default());
    // SAFETY: as above.
    unsafe { list(words, count) }
}

/// The table row of a topology (`VkPrimitiveTopology`, 0 to 9) and a provoking vertex (0 first, 1 last), for
/// `AfterimageFeedbackRequest.row`.
///
/// # Safety
/// `words` has room for four words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_feedback_row(topology: u32, provoking: u32, words: *mut u32) -> u32 {
    guarded(|| {
        let row = row(topology).ok_or_else(|| argument(format!("topology {topology} is none of 0 to 9")))?;
        let provoking = crate::provoking(provoking)?;
        // SAFETY: as above.
        unsafe { put(words.cast(), row.words(provoking), "row") }
    })
}

/// Plans a draw whose numbers the host knows. `draw` may be the same for all draws: its vertex buffers stay as they are.
///
/// # Safety
/// Each pointer points at what its type says; `counters` is read and written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_feedback_plan(
    request: *const Request,
    counters: *mut Counters,
    draw: *mut Draw,
    groups: *mut u32,
) -> u32 {
    guarded(|| {
        // SAFETY: as above; each is copied before anything is written.
        let (request, before, old) =
            unsafe { (*get(request, "request")?, *get(counters, "counters")?, *get(draw, "draw")?) };
        let plan = afterimage_feedback::plan(&request, &before).ok_or_else(|| {
            argument("the host does not know this draw's numbers (indirect, byte count, or restarts): prepare does")
        })?;
        // SAFETY: as above.
        unsafe {
            put(groups.cast(), plan.groups, "groups")?;
            put(draw, Draw { vertex_buffers: old.vertex_buffers, ..plan.draw }, "draw")?;
            put(counters, plan.counters, "counters")
        }
    })
}

/// What the last call of this thread that failed has to say, until the next one fails. Never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_feedback_message() -> *const c_char {
    MESSAGE.with_borrow(|message| message.as_ptr())
}
