//! What a crash patch is, and how one is written: `null-call@0x1510 pop=8 result=0`.
//!
//! A program may follow a null pointer at a place that is known, where going on does no harm. A patch names the place and says how
//! to go on. It is about that one place in that one program: nothing else is caught.

use crate::hash::{self, FileHash};
use std::fmt;

/// Most patches of one program, and most bytes of code that one compares.
const MOST: usize = 64;
/// Most bytes of code or of the stack that are skipped.
const FAR: u32 = 4096;

/// What happens at the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A call of a null function; the place is where it would return to.
    NullCall,
    /// An instruction, at the place, reads or writes through a null pointer.
    NullAccess,
}

/// A fault that is known, and how the program goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrashPatch {
    /// What happens.
    pub fault: Fault,
    /// Where: bytes from where the program's own image begins in memory, as reports about crashes say it.
    pub at: u32,
    /// The code that has to be there, if that is said.
    pub code: Vec<u8>,
    /// The file that the program has to be, if that is said.
    pub file: Option<FileHash>,
    /// Bytes of code, from the place on, that are not run.
    pub skip: u32,
    /// Bytes of arguments that are taken from the stack.
    pub pop: u32,
    /// What the accumulator holds then, if it changes: what the call would have returned.
    pub result: Option<u32>,
}

impl CrashPatch {
    /// Whether it can be about another version of the program, whose code lies elsewhere.
    #[must_use]
    pub fn is_loose(&self) -> bool {
        self.code.is_empty() && self.file.is_none()
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let (fault, at) = words.next()?.split_once('@')?;
        let fault = [Fault::NullCall, Fault::NullAccess].into_iter().find(|one| one.name() == fault)?;
        let result = (fault == Fault::NullCall).then_some(0);
        let mut patch = Self { fault, at: number(at)?, code: Vec::new(), file: None, skip: 0, pop: 0, result };
        for word in words {
            let (key, value) = word.split_once('=')?;
            match key {
                "code" => patch.code = hash::bytes(value).filter(|code| (1..=MOST).contains(&code.len()))?,
                "sha256" => patch.file = Some(FileHash::parse(value)?),
                "skip" => patch.skip = number(value).filter(|&bytes| bytes <= FAR)?,
                "pop" => patch.pop = number(value).filter(|&bytes| bytes <= FAR && bytes.is_multiple_of(4))?,
                "result" => patch.result = Some(number(value)?),
                _ => return None,
            }
        }
        // The same instruction would fault again.
        (fault == Fault::NullCall || patch.skip > 0).then_some(patch)
    }
}

fn number(text: &str) -> Option<u32> {
    let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16));
    // Numbers of the standard library may have a sign.
    digits.starts_with(|c: char| c.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, radix).ok())?
}

impl Fault {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NullCall => "null-call",
            Self::NullAccess => "null-access",
        }
    }
}

/// As [`CrashPatches::parse`] takes it.
impl fmt::Display for CrashPatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{:#x}", self.fault.name(), self.at)?;
        if !self.code.is_empty() {
            f.write_str(" code=")?;
            self.code.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        }
        if let Some(file) = self.file {
            write!(f, " sha256={file}")?;
        }
        write!(f, " skip={} pop={}", self.skip, self.pop)?;
        self.result.map_or(Ok(()), |result| write!(f, " result={result:#x}"))
    }
}

/// Patches of one program, with `;` between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrashPatches(Vec<CrashPatch>);

impl CrashPatches {
    /// Parses them. `None` if any of them is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let patches = text.split(';').map(CrashPatch::parse).collect::<Option<Vec<_>>>()?;
        (patches.len() <= MOST).then_some(Self(patches))
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &CrashPatch> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_are_read_and_written() {
        let sha = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let text =
            format!("null-call@0x1510 pop=8 sha256={sha}; null-access@4096 code=8B06ff skip=0x29 pop=4 result=7");
        let patches = CrashPatches::parse(&text).unwrap();
        let [call, access] = patches.0.as_slice() else { panic!("{patches:?}") };
        assert_eq!((call.fault, call.at, call.skip, call.pop, call.result), (Fault::NullCall, 0x1510, 0, 8, Some(0)));
        assert_eq!((call.file, call.is_loose()), (FileHash::parse(sha), false));
        assert_eq!((access.fault, access.at, access.skip, access.pop), (Fault::NullAccess, 4096, 41, 4));
        assert_eq!((access.code.as_slice(), access.result), (&[0x8b, 6, 0xff][..], Some(7)));
        for patch in patches.iter() {
            assert_eq!(CrashPatch::parse(&patch.to_string()).as_ref(), Some(patch));
        }
        assert!(CrashPatches::parse("null-call@1").unwrap().0[0].is_loose());
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for bad in [
            "",
            ";",
            "null-call",
            "null-call@",
            "null-call@+1",
            "null-call@0x100000000",
            "null-call@1 pop=3",
            "null-call@1 pop=8192",
            "null-call@1 code=",
            "null-call@1 code=123",
            "null-call@1 sha256=12",
            "null-call@1 push=4",
            "null-access@1",
            "null-access@1 skip=0",
            "null-access@1 skip=4097",
            "anything@1 skip=1",
            "null-call@1;",
        ] {
            assert_eq!(CrashPatches::parse(bad), None, "{bad}");
        }
        assert_eq!(CrashPatches::parse(&vec!["null-call@1"; MOST + 1].join(";")), None);
    }
}
