//! The table of calls as filters of the kernel's (seccomp).
//!
//! A filter of `seccompiler` has two answers, and three are wanted: permitted, EPERM, ENOSYS. So there are two filters. The kernel asks both and takes the
//! stricter answer; of two errors, that of the filter that came last, which is the one that knows the table's calls from all others.

use super::calls::{CALLS, Row, Test, Verdict};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Compare, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::collections::BTreeMap;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Result<T> = std::result::Result<T, seccompiler::BackendError>;

/// The filters, in the order in which they have to come, for the process of a number.
pub(super) fn programs(process: u32, display: bool) -> Result<[BpfProgram; 2]> {
    let processor = TargetArch::try_from(std::env::consts::ARCH)?;
    let program = |rules: Rules, otherwise: i32| -> Result<BpfProgram> {
        SeccompFilter::new(rules, SeccompAction::Errno(otherwise as u32), SeccompAction::Allow, processor)?.try_into()
    };
    let mut permitted = Rules::new();
    let mut known = Rules::new();
    for (row, number) in CALLS.iter().filter_map(|row| Some((row, row.number?))) {
        if !matches!(row.verdict, Verdict::Unknown) {
            known.insert(number, Vec::new());
        }
        if let Some(rules) = ways(row, process, display)? {
            permitted.insert(number, rules);
        }
    }
    // The second filter is still to come. It does not know this call, so there will be no third.
    permitted.insert(libc::SYS_seccomp, Vec::new());
    Ok([program(permitted, libc::EPERM)?, program(known, libc::ENOSYS)?])
}

/// In which ways a call may be made: in any where there are no rules, in none for `None`.
fn ways(row: &Row, process: u32, display: bool) -> Result<Option<Vec<SeccompRule>>> {
    let groups = match row.verdict {
        Verdict::Always => &[],
        Verdict::Where(groups) => groups,
        Verdict::Display(groups) if display => groups,
        Verdict::Display(_) | Verdict::Never | Verdict::Unknown => return Ok(None),
    };
    let rule =
        |tests: &&[Test]| SeccompRule::new(tests.iter().map(|test| condition(test, process)).collect::<Result<_>>()?);
    Ok(Some(groups.iter().map(rule).collect::<Result<_>>()?))
}

fn condition(test: &Test, process: u32) -> Result<SeccompCondition> {
    match *test {
        Test::Is(argument, _, _, value) => SeccompCondition::new(argument, Length::Dword, Compare::Eq, value.into()),
        Test::Bits(argument, _, mask, _, value) => {
            SeccompCondition::new(argument, Length::Dword, Compare::MaskedEq(mask.into()), value.into())
        }
        Test::Own(argument, _) => SeccompCondition::new(argument, Length::Dword, Compare::Eq, process.into()),
        Test::Null(argument, _) => SeccompCondition::new(argument, Length::Qword, Compare::Eq, 0),
    }
}

/// Installs them for all threads. In words, what stood in the way.
pub(super) fn install(display: bool) -> std::result::Result<(), String> {
    let programs = programs(std::process::id(), display).map_err(|error| error.to_string())?;
    for (at, program) in programs.iter().enumerate() {
        seccompiler::apply_filter_all_threads(program).map_err(|error| match at {
            0 => error.to_string(),
            _ => format!("the second filter: {error}"),
        })?;
    }
    Ok(())
}
