//! The shader validator that `Direct3DShaderValidatorCreate9` makes. D3DX and shader compilers hand a shader to it one
//! instruction at a time, and are told of each error with the line of the source that it stands in.
//!
//! Its interface is in no published header; what is known of it is the order of its methods, their parameters, and the
//! numbers of some messages.

use core::ffi::{CStr, c_char, c_void};
use std::ffi::CString;
use std::sync::{Mutex, MutexGuard, PoisonError};

use afterimage_d3d9_types::*;
use afterimage_shader_d3d9::parse::Decoder;
use afterimage_shader_d3d9::tables::Version;
use afterimage_shader_d3d9::{Constants, ParseError, ParseErrorKind};

use crate::abi::macros::guard;
use crate::abi::{IUnknown, In, OutObject};
use crate::object::Refs;

/// What is told of an error: file, line, `Begin`'s third argument, number of the message, message, context. What it returns
/// has no meaning.
type Callback = unsafe extern "system" fn(*const c_char, i32, usize, usize, *const c_char, *mut c_void) -> HRESULT;

/// Most tokens of a shader. No real one comes near.
const MAX_TOKENS: usize = 1 << 16;

/// Numbers of messages.
mod message {
    pub(super) const BEGIN_TWICE: usize = 0xeb;
    pub(super) const NO_VERSION: usize = 0xef;
    pub(super) const GIVEN_UP: usize = 0xf0;
    pub(super) const DECLARED_NUMBER: usize = 0x12c;
    pub(super) const REGISTER_NUMBER: usize = 0x167;
    /// For errors whose number is not known.
    pub(super) const OTHER: usize = 0;
}

/// `IDirect3DShaderValidator9`.
#[repr(C)]
pub(crate) struct Vtable {
    query_interface: unsafe extern "system" fn(*mut c_void, In<GUID>, OutObject<c_void>) -> HRESULT,
    add_ref: unsafe extern "system" fn(*mut c_void) -> u32,
    release: unsafe extern "system" fn(*mut c_void) -> u32,
    begin: unsafe extern "system" fn(*mut c_void, Option<Callback>, *mut c_void, usize) -> HRESULT,
    instruction: unsafe extern "system" fn(*mut c_void, *const c_char, i32, In<u32>, u32) -> HRESULT,
    end: unsafe extern "system" fn(*mut c_void) -> HRESULT,
}

static VTABLE: Vtable = Vtable { query_interface, add_ref, release, begin, instruction, end };

/// A validator.
#[repr(C)]
pub(crate) struct Validator {
    vtable: *const Vtable,
    refs: Refs,
    /// Not held while the program is called.
    check: Mutex<Check>,
}

/// Who is told of errors.
#[derive(Clone, Copy)]
struct Audience {
    callback: Option<Callback>,
    context: *mut c_void,
    argument: usize,
}

impl Audience {
    fn tell(self, file: *const c_char, line: i32, number: usize, message: &CStr) {
        if let Some(callback) = self.callback {
            // SAFETY: the program's function, with the program's file name and a string.
            unsafe { callback(file, line, self.argument, number, message.as_ptr(), self.context) };
        }
    }
}

/// How far a shader is.
#[derive(Default)]
enum Check {
    /// Before `Begin`.
    #[default]
    Idle,
    /// Between `Begin` and `End`.
    Open { audience: Audience, tokens: Vec<u32>, failed: bool },
    /// The shader had no version. Nothing ends this.
    Broken,
}

/// Something to tell.
struct Complaint {
    number: usize,
    text: String,
}

/// Checks the instructions so far, of which only the last can be wrong. One that ends with them is no error yet.
fn complaint(tokens: &[u32]) -> Option<Complaint> {
    let wrong = |error: &ParseError| {
        let incomplete = error.opcode.is_none() && error.offset as usize >= tokens.len();
        !(incomplete && error.kind == ParseErrorKind::Truncated)
    };
    let error = match Decoder::strict(tokens, Constants::OfModel) {
        Ok(decoder) => decoder.filter_map(Result::err).find(wrong)?,
        Err(error) => error,
    };
    let number = match (&error.kind, error.opcode) {
        (ParseErrorKind::RegisterNumber { .. }, Some("dcl")) => message::DECLARED_NUMBER,
        (ParseErrorKind::RegisterNumber { .. }, _) => message::REGISTER_NUMBER,
        _ => message::OTHER,
    };
    Some(Complaint { number, text: error.to_string() })
}

impl Validator {
    /// A new one, with one reference for the program.
    pub(crate) fn create() -> *mut Self {
        let validator = Self { vtable: &VTABLE, refs: Refs::default(), check: Mutex::default() };
        validator.refs.add();
        Box::into_raw(Box::new(validator))
    }

    fn check(&self) -> MutexGuard<'_, Check> {
        self.check.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, audience: Audience) -> HRESULT {
        {
            let mut check = self.check();
            if matches!(*check, Check::Idle) {
                *check = Check::Open { audience, tokens: Vec::new(), failed: false };
                return S_OK;
            }
        }
        audience.tell(core::ptr::null(), 0, message::BEGIN_TWICE, c"Begin: the shader before has not ended");
        E_FAIL
    }

    fn instruction(&self, file: *const c_char, line: i32, added: &[u32]) -> HRESULT {
        let mut check = self.check();
        let Check::Open { audience, tokens, failed } = &mut *check else { return E_FAIL };
        let audience = *audience;
        if tokens.is_empty() && added.first().is_none_or(|&token| Version::from_token(token).is_none()) {
            *check = Check::Broken;
            drop(check);
            audience.tell(
                core::ptr::null(),
                -1,
                message::NO_VERSION,
                c"the first token is no version of a shader model",
            );
            audience.tell(core::ptr::null(), 0, message::GIVEN_UP, c"without a version, nothing can be checked");
            return E_FAIL;
        }
        let before = tokens.len();
        let too_long = before + added.len() > MAX_TOKENS;
        let complaint = if too_long {
            Some(Complaint { number: message::OTHER, text: format!("more than {MAX_TOKENS} tokens") })
        } else {
            tokens.extend_from_slice(added);
            complaint(tokens)
        };
        let Some(complaint) = complaint else { return S_OK };
        // What follows is checked as if the wrong instruction were not there.
        tokens.truncate(before);
        *failed = true;
        drop(check);
        let text = CString::new(complaint.text).unwrap_or_default();
        audience.tell(file, line, complaint.number, &text);
        S_OK
    }

    fn end(&self) -> HRESULT {
        let mut check = self.check();
        let Check::Open { audience, tokens, failed } = &mut *check else { return E_FAIL };
        let (audience, failed) = (*audience, *failed);
        let complete = Decoder::strict(tokens, Constants::OfModel)
            .is_ok_and(|decoder| decoder.last().is_none_or(|last| last.is_ok()));
        *check = Check::Idle;
        drop(check);
        if !complete && !failed {
            audience.tell(core::ptr::null(), 0, message::OTHER, c"End: the shader has no end token");
        }
        if complete && !failed { S_OK } else { E_FAIL }
    }
}

/// The object behind an interface pointer.
///
/// # Safety
/// `this` is a validator that the program has a reference to.
unsafe fn object<'a>(this: *mut c_void) -> &'a Validator {
    // SAFETY: the caller's promise.
    unsafe { &*this.cast::<Validator>() }
}

unsafe extern "system" fn query_interface(this: *mut c_void, id: In<GUID>, out: OutObject<c_void>) -> HRESULT {
    if out.is_null() {
        return E_POINTER;
    }
    if id.read() != Some(IUnknown::IID) {
        out.write(core::ptr::null_mut());
        return E_NOINTERFACE;
    }
    // SAFETY: COM's contract.
    unsafe { object(this) }.refs.add();
    out.write(this);
    S_OK
}

unsafe extern "system" fn add_ref(this: *mut c_void) -> u32 {
    // SAFETY: COM's contract.
    unsafe { object(this) }.refs.add() + 1
}

unsafe extern "system" fn release(this: *mut c_void) -> u32 {
    // SAFETY: COM's contract.
    match unsafe { object(this) }.refs.drop_one() {
        None => 0,
        Some(before) => {
            if before == 1 {
                // SAFETY: made by `Box::into_raw`, and the last reference is gone.
                drop(unsafe { Box::from_raw(this.cast::<Validator>()) });
            }
            before - 1
        }
    }
}

unsafe extern "system" fn begin(
    this: *mut c_void,
    callback: Option<Callback>,
    context: *mut c_void,
    argument: usize,
) -> HRESULT {
    guard("IDirect3DShaderValidator9::Begin", E_FAIL, || {
        // SAFETY: COM's contract.
        unsafe { object(this) }.begin(Audience { callback, context, argument })
    })
}

unsafe extern "system" fn instruction(
    this: *mut c_void,
    file: *const c_char,
    line: i32,
    tokens: In<u32>,
    count: u32,
) -> HRESULT {
    guard("IDirect3DShaderValidator9::Instruction", E_FAIL, || match tokens.slice(count as usize) {
        // SAFETY: COM's contract.
        Some(tokens) => unsafe { object(this) }.instruction(file, line, tokens),
        None => E_FAIL,
    })
}

unsafe extern "system" fn end(this: *mut c_void) -> HRESULT {
    // SAFETY: COM's contract.
    guard("IDirect3DShaderValidator9::End", E_FAIL, || unsafe { object(this) }.end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    const PS_3_0: u32 = 0xffff_0300;
    const END: u32 = 0xffff;
    /// `mov r0, c0`.
    const MOV: [u32; 3] = [0x0200_0001, 0x800f_0000, 0xa0e4_0000];
    /// `mov r40, c0`: there are 32 temporaries.
    const MOV_TOO_FAR: [u32; 3] = [0x0200_0001, 0x800f_0028, 0xa0e4_0000];
    /// `dcl_texcoord v12`: there are ten inputs.
    const DCL_TOO_FAR: [u32; 3] = [0x0200_001f, 0x8000_0005, 0x900f_000c];

    type Told = RefCell<Vec<(i32, usize)>>;

    unsafe extern "system" fn hear(
        _: *const c_char,
        line: i32,
        _: usize,
        number: usize,
        text: *const c_char,
        context: *mut c_void,
    ) -> HRESULT {
        // SAFETY: what `audience` was given.
        let with_overrides = unsafe { &*context.cast::<Told>() };
        // SAFETY: a message is a string.
        assert!(!unsafe { CStr::from_ptr(text) }.is_empty());
        with_overrides.borrow_mut().push((line, number));
        S_OK
    }

    fn audience(with_overrides: &Told) -> Audience {
        Audience { callback: Some(hear), context: core::ptr::from_ref(with_overrides).cast_mut().cast(), argument: 0 }
    }

    fn validator() -> Validator {
        Validator { vtable: &VTABLE, refs: Refs::default(), check: Mutex::default() }
    }

    fn add(validator: &Validator, line: i32, tokens: &[u32]) -> HRESULT {
        validator.instruction(core::ptr::null(), line, tokens)
    }

    #[test]
    fn a_good_shader_is_told_nothing() {
        let (with_overrides, validator) = (Told::default(), validator());
        for _ in 0..2 {
            assert_eq!(validator.begin(audience(&with_overrides)), S_OK);
            for tokens in [&[PS_3_0][..], &MOV, &[END]] {
                assert_eq!(add(&validator, 1, tokens), S_OK);
            }
            assert_eq!(validator.end(), S_OK);
        }
        assert_eq!(with_overrides.into_inner(), []);
    }

    #[test]
    fn each_wrong_instruction_is_told_with_its_line() {
        let (with_overrides, validator) = (Told::default(), validator());
        validator.begin(audience(&with_overrides));
        for (line, tokens) in [(1, &[PS_3_0][..]), (2, &DCL_TOO_FAR), (3, &MOV), (4, &MOV_TOO_FAR), (5, &[END])] {
            assert_eq!(add(&validator, line, tokens), S_OK);
        }
        assert_eq!(validator.end(), E_FAIL);
        assert_eq!(with_overrides.into_inner(), [(2, message::DECLARED_NUMBER), (4, message::REGISTER_NUMBER)]);
    }

    #[test]
    fn without_a_version_there_is_no_way_on() {
        let (with_overrides, validator) = (Told::default(), validator());
        validator.begin(audience(&with_overrides));
        assert_eq!(add(&validator, 1, &MOV), E_FAIL);
        assert_eq!((validator.end(), validator.begin(audience(&with_overrides))), (E_FAIL, E_FAIL));
        let expected = [(-1, message::NO_VERSION), (0, message::GIVEN_UP), (0, message::BEGIN_TWICE)];
        assert_eq!(with_overrides.into_inner(), expected);
    }

    #[test]
    fn a_shader_without_an_end_is_told_at_the_end() {
        let (with_overrides, validator) = (Told::default(), validator());
        assert_eq!(validator.end(), E_FAIL);
        validator.begin(audience(&with_overrides));
        add(&validator, 1, &[PS_3_0]);
        // An instruction that lacks a token is wrong at once.
        add(&validator, 2, &MOV[..2]);
        add(&validator, 3, &MOV);
        assert_eq!(validator.end(), E_FAIL);
        validator.begin(audience(&with_overrides));
        add(&validator, 1, &[PS_3_0]);
        assert_eq!(validator.end(), E_FAIL);
        assert_eq!(with_overrides.into_inner(), [(2, message::OTHER), (0, message::OTHER)]);
    }

    #[test]
    fn the_program_holds_it() {
        let validator = Validator::create().cast::<c_void>();
        // SAFETY: one reference is held until the end.
        unsafe {
            assert_eq!((add_ref(validator), release(validator)), (2, 1));
            let mut found = core::ptr::null_mut();
            assert_eq!(query_interface(validator, In::new(&IUnknown::IID), OutObject::new(&mut found)), S_OK);
            assert_eq!((found, release(validator), release(validator)), (validator, 1, 0));
        }
    }
}
