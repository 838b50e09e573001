//! Patches that the machine cuts itself: followed from their begin to their end and named in the log, but not drawn, because no
//! public source says what the coefficients of their curves mean ([`patches`] has what is known).
//!
//! Nothing of a patch is kept but its four words and some counts, whatever comes between begin and end. After a word that is
//! refused the rest of the patch is, until `SET_END_PATCH`; the console does the same while it checks, and raises an error, which
//! this machine does not.

use super::Around;
use crate::machine::KELVIN;
use afterimage_nv2a_types::patches::{self, Patch, Refusal};
use afterimage_nv2a_types::{ATTRIBUTES, method};
use std::fmt::Write;

/// What was said of the patch that comes or is open.
#[derive(Debug, Default)]
pub(super) struct Patches {
    patch: Patch,
    /// Bit `n`: `SET_BEGIN_PATCHn` was said. Bit 3: the patch is open.
    said: u8,
    /// A word was refused, and everything is until the end.
    failed: bool,
    /// A patch that is not drawn was named in the log.
    named: bool,
    seen: Seen,
}

/// What came of a patch, as far as it can be counted.
#[derive(Debug, Default)]
struct Seen {
    swatches: u32,
    curves: u32,
    vectors: u32,
    transitions: u32,
}

/// In [`Patches::said`]: the patch is open.
const OPEN: u8 = 1 << 3;

impl Patches {
    /// Executes a method of a patch.
    pub(super) fn execute(&mut self, at: u16, word: u32, around: &mut Around<'_, '_>) {
        if at == method::SET_END_PATCH {
            self.end(word, around);
        } else if !self.failed
            && let Err(refusal) = self.part(at, word)
        {
            self.failed = true;
            refuse(at, word, refusal, around);
        }
    }

    fn part(&mut self, at: u16, word: u32) -> Result<(), Refusal> {
        match at {
            method::SET_BEGIN_PATCH0 => patches::check0(word).and_then(|()| self.begin(0, word)),
            method::SET_BEGIN_PATCH1 => self.begin(1, word),
            method::SET_BEGIN_PATCH2 => patches::check2(word).and_then(|()| self.begin(2, word)),
            method::SET_BEGIN_PATCH3 => {
                patches::check3(word)?;
                if self.said & (OPEN - 1) != OPEN - 1 {
                    return Err(Refusal::Missing);
                }
                self.patch.0[3] = word;
                // Before it is open: what is refused changes nothing that counts, since only an end comes next.
                self.patch.check()?;
                self.begin(3, word)
            }
            _ if self.said & OPEN == 0 => Err(Refusal::Outside),
            method::SET_BEGIN_TRANSITION0 => patches::check0(word),
            method::SET_BEGIN_END_SWATCH => count(&mut self.seen.swatches),
            method::SET_BEGIN_END_CURVE => count(&mut self.seen.curves),
            method::SET_END_TRANSITION => count(&mut self.seen.transitions),
            LAST_COEFFICIENT => count(&mut self.seen.vectors),
            // The other words of coefficients and transitions.
            _ => Ok(()),
        }
    }

    fn begin(&mut self, part: usize, word: u32) -> Result<(), Refusal> {
        let bit = 1 << part;
        if self.said & (bit | OPEN) != 0 {
            return Err(Refusal::Twice);
        }
        self.said |= bit;
        self.patch.0[part] = word;
        Ok(())
    }

    fn end(&mut self, word: u32, around: &mut Around<'_, '_>) {
        let failed = std::mem::take(&mut self.failed);
        if let Err(refusal) = patches::check_end(word) {
            return refuse(method::SET_END_PATCH, word, refusal, around);
        }
        let (said, seen) = (std::mem::take(&mut self.said), std::mem::take(&mut self.seen));
        if failed {
            return;
        }
        if said & OPEN == 0 {
            return refuse(method::SET_END_PATCH, word, Refusal::Outside, around);
        }
        let nothing = self.patch.is_empty() && self.patch.transitions() == 0;
        if !nothing && !std::mem::replace(&mut self.named, true) {
            around.unknown.argument(KELVIN, method::SET_END_PATCH, word, &describe(&self.patch, &seen));
        }
    }
}

/// The word that completes a vector of coefficients.
const LAST_COEFFICIENT: u16 = method::SET_CURVE_COEFFICIENTS + 12;

fn count(what: &mut u32) -> Result<(), Refusal> {
    *what = what.saturating_add(1);
    Ok(())
}

#[cold]
fn refuse(at: u16, word: u32, refusal: Refusal, around: &mut Around<'_, '_>) {
    around.unknown.argument(KELVIN, at, word, &format!("{refusal}; the patch is not drawn"));
}

#[cold]
fn describe(patch: &Patch, seen: &Seen) -> String {
    let [rows, columns] = patch.swatches();
    let mut text = format!("ends a patch of {rows} by {columns} swatches with attributes");
    for attribute in (0..ATTRIBUTES).filter(|&attribute| patch.attribute(attribute) != 0) {
        let _ = write!(text, " {attribute}");
    }
    let Seen { swatches, curves, vectors, transitions } = seen;
    let _ =
        write!(text, " (SET_BEGIN_END_SWATCH {swatches} times, SET_BEGIN_END_CURVE {curves}, {vectors} vectors of ");
    let _ = write!(
        text,
        "coefficients, {transitions} of {} transitions): patches that the machine cuts ",
        patch.transitions()
    );
    text.push_str("itself are not drawn, since what their curves mean is not public");
    text
}
