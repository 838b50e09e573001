//! What the targets share: fields out of bytes, and what must hold for every shader that a front end accepts.

#[path = "../../crates/shader/tests/kept/mod.rs"]
mod kept;

pub mod mutate;
pub mod scenes;
pub mod tame;

use afterimage_ir::{Module, parse, verify};
use afterimage_passes::{FloatRules, Options, optimize};
use afterimage_shader::{CompileError, Features, Profile, RuntimeInfo, Shader, decode_artifact, encode_artifact};
use afterimage_stream::{Arena, UploadRef};
use bytemuck::Pod;
use std::cell::RefCell;

/// The fuzzer's bytes, front to back; zeros behind the last one.
pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        self.value()
    }

    /// The next value of any plain type.
    pub fn value<T: Pod>(&mut self) -> T {
        let mut value = T::zeroed();
        let (bytes, rest) = self.0.split_at(self.0.len().min(size_of::<T>()));
        bytemuck::bytes_of_mut(&mut value)[..bytes.len()].copy_from_slice(bytes);
        self.0 = rest;
        value
    }

    /// All that is left.
    pub fn rest(self) -> &'a [u8] {
        self.0
    }
}

/// An arena of one slot in ordinary memory.
pub struct Slot(pub RefCell<Vec<u8>>);

impl Slot {
    fn range(&self, range: &UploadRef, at: u32, len: usize) -> Option<std::ops::Range<usize>> {
        let start = usize::try_from(range.offset.checked_add(at.into())?).ok()?;
        let end = start.checked_add(len)?;
        (range.slot == 0 && end <= self.0.borrow().len()).then_some(start..end)
    }
}

impl Arena for Slot {
    fn slot_size(&self, slot: u32) -> Option<u64> {
        (slot == 0).then_some(self.0.borrow().len() as u64)
    }

    fn copy_out(&self, range: &UploadRef, at: u32, out: &mut [u8]) -> bool {
        let Some(place) = self.range(range, at, out.len()) else { return false };
        out.copy_from_slice(&self.0.borrow()[place]);
        true
    }

    fn copy_in(&self, range: &UploadRef, at: u32, bytes: &[u8]) -> bool {
        let Some(place) = self.range(range, at, bytes.len()) else { return false };
        self.0.borrow_mut()[place].copy_from_slice(bytes);
        true
    }
}

/// Takes a shader through everything behind its front end. Both back ends must take what was lifted, and the passes may not
/// change what it computes, which `exact` says can be told.
pub fn compile(shader: &Shader, runtime: &RuntimeInfo, relaxed: bool, exact: bool) {
    let lifted = match shader.lift(runtime) {
        Ok(lifted) => lifted,
        Err(error) => return assert!(!error.to_string().is_empty(), "an error says something"),
    };
    back_ends(&lifted, relaxed);
    if exact && let Err(difference) = kept::kept(&lifted) {
        panic!("the passes change what the shader computes: {difference}");
    }
    let profile = Profile { float_rules: rules(relaxed), features: Features::ALL, ..Profile::default() };
    match shader.compile(&profile, runtime) {
        Ok(artifact) => assert_eq!(
            decode_artifact(&encode_artifact(&artifact)).as_ref(),
            Ok(&artifact),
            "the cache keeps artifacts as they are"
        ),
        Err(error) => panic!("what is lifted can be written, but: {error}"),
    }
    use afterimage_msl::EmitError::{Binding, Stage, Unsupported};
    match shader.compile_msl(&profile, runtime) {
        // Metal has room for less than Direct3D or the IR, and its writer does not know all of the IR.
        Ok(_) | Err(CompileError::Msl(Binding(_) | Unsupported(_) | Stage(_))) => {}
        Err(error) => panic!("what is lifted can be written for Metal, but: {error}"),
    }
}

fn rules(relaxed: bool) -> FloatRules {
    if relaxed { FloatRules::Relaxed } else { FloatRules::Strict }
}

/// A module is valid, also when it was text, and after each pass (which debug assertions check).
fn back_ends(lifted: &Module, relaxed: bool) {
    assert_eq!(verify(lifted), Ok(()), "what is lifted is valid\n{lifted}");
    let text = lifted.to_string();
    let again = parse(&text).expect("a valid module's text parses");
    assert_eq!(again.to_string(), text, "the text form round-trips");
    let mut module = again;
    optimize(&mut module, &Options { float_rules: rules(relaxed) });
}
