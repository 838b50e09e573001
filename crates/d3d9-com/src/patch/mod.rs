//! Crash patches: a program that follows a null pointer at a place that is known goes on as its configuration says
//! (option `crash_patch`, docs/profiles.md).
//!
//! * this file: which patch fits a fault, and what the machine is like then.
//! * `windows`: who is told of faults.

#[cfg(windows)]
mod windows;

use afterimage_config::{CrashPatch, Fault, FileHash, Settings};

/// Addresses below this are null pointers, with a field's or a method's offset added: nothing can be there.
const NULL_PAGES: usize = 0x1_0000;

/// What of the machine a patch looks at, and changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Machine {
    /// Where the program is.
    instruction: usize,
    /// Where its stack is.
    stack: usize,
    /// The accumulator: what a call returns.
    result: usize,
}

/// Has the program's faults looked at, if it has patches. Called once.
pub(crate) fn start(settings: &Settings) {
    let Some(patches) = &settings.crash_patch else { return };
    let program = std::env::current_exe().and_then(|file| FileHash::of(&file)).ok();
    let (fit, others): (Vec<_>, Vec<_>) =
        patches.iter().cloned().partition(|patch| patch.file.is_none_or(|file| Some(file) == program));
    for patch in others {
        let is = program.map_or_else(|| "cannot be read".to_owned(), |hash| format!("has SHA-256 {hash}"));
        tracing::warn!("crash_patch: {patch} is for another file: this program's {is}");
    }
    if fit.is_empty() {
        return;
    }
    #[cfg(windows)]
    windows::watch(fit);
    #[cfg(not(windows))]
    tracing::warn!("crash_patch: faults are passed over in Windows programs alone");
}

/// The machine as a patch has it behind a fault; `None` if the fault is another one.
///
/// `base` is where the program's image begins, `touched` the address that could not be reached, and `read` copies memory that may not be
/// there.
#[cfg_attr(not(windows), allow(dead_code, reason = "only Windows has handlers that come before the program's"))]
fn mended(
    patch: &CrashPatch,
    base: usize,
    touched: usize,
    machine: Machine,
    read: &dyn Fn(usize, &mut [u8]) -> usize,
) -> Option<Machine> {
    const WORD: usize = size_of::<usize>();
    let place = base.checked_add(patch.at as usize)?;
    let mut stack = machine.stack;
    match patch.fault {
        Fault::NullCall => {
            let mut word = [0; WORD];
            let back = (read(stack, &mut word) == WORD).then(|| usize::from_ne_bytes(word))?;
            if machine.instruction >= NULL_PAGES || back != place {
                return None;
            }
            // As the function would have returned.
            stack = stack.checked_add(WORD)?;
        }
        Fault::NullAccess if machine.instruction != place || touched >= NULL_PAGES => return None,
        Fault::NullAccess => {}
    }
    let mut code = [0; 64];
    let code = code.get_mut(..patch.code.len())?;
    if read(place, code) != patch.code.len() || code != patch.code {
        return None;
    }
    Some(Machine {
        instruction: place.checked_add(patch.skip as usize)?,
        stack: stack.checked_add(patch.pop as usize)?,
        result: patch.result.map_or(machine.result, |result| result as usize),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterimage_config::CrashPatches;

    const BASE: usize = 0x40_0000;
    const STACK: usize = 0x1000_0000;
    const PLACE: usize = BASE + 0x1510;
    const WORD: usize = size_of::<usize>();

    /// Memory in which the place is on top of the stack, and has some code.
    fn read(address: usize, out: &mut [u8]) -> usize {
        let there: &[u8] = match address {
            STACK => &PLACE.to_ne_bytes(),
            PLACE => &[0x8b, 0x06, 0xff, 0xd2],
            _ => &[],
        };
        let most = out.len().min(there.len());
        out[..most].copy_from_slice(&there[..most]);
        most
    }

    fn after(patch: &str, touched: usize, instruction: usize, stack: usize) -> Option<Machine> {
        let patches = CrashPatches::parse(patch).unwrap();
        let machine = Machine { instruction, stack, result: 5 };
        mended(patches.iter().next().unwrap(), BASE, touched, machine, &read)
    }

    #[test]
    fn a_null_function_returns() {
        let back = Machine { instruction: PLACE, stack: STACK + WORD + 8, result: 0 };
        assert_eq!(after("null-call@0x1510 pop=8", 0, 0, STACK), Some(back));
        let value = Machine { instruction: PLACE + 2, stack: STACK + WORD, result: 7 };
        assert_eq!(after("null-call@0x1510 code=8b06 skip=2 result=7", 0, 0, STACK), Some(value));
    }

    #[test]
    fn an_access_is_skipped() {
        let behind = Machine { instruction: PLACE + 3, stack: STACK + 4, result: 5 };
        assert_eq!(after("null-access@0x1510 code=8b06ffd2 skip=3 pop=4", 0x50, PLACE, STACK), Some(behind));
        let value = Machine { instruction: PLACE + 1, stack: STACK, result: 0 };
        assert_eq!(after("null-access@0x1510 skip=1 result=0", 0xffff, PLACE, STACK), Some(value));
    }

    #[test]
    fn other_faults_stay_faults() {
        // Called from elsewhere, a stack that cannot be read, a function that is not null.
        assert_eq!(after("null-call@0x1514", 0, 0, STACK), None);
        assert_eq!(after("null-call@0x1510", 0, 0, STACK + 64), None);
        assert_eq!(after("null-call@0x1510", 0x20_0000, 0x20_0000, STACK), None);
        // Another instruction, a pointer that is not null, other code.
        assert_eq!(after("null-access@0x1510 skip=1", 0, PLACE + 1, STACK), None);
        assert_eq!(after("null-access@0x1510 skip=1", 0x1_0000, PLACE, STACK), None);
        assert_eq!(after("null-access@0x1510 skip=1 code=8b07", 0, PLACE, STACK), None);
        assert_eq!(after("null-access@0x1510 skip=1 code=8b06ffd200", 0, PLACE, STACK), None);
        assert_eq!(after("null-call@0x1510 code=00", 0, 0, STACK), None);
    }
}
