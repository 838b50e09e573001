//! How a renderer process ends, and what its parent says of that.

use signal_hook::consts::*;
use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// Exit code of a renderer process whose device was lost.
pub const LOST: u8 = 123;
/// Exit code of a renderer process whose GPU or packet did not end within the limit; also that of `timeout`.
pub const HUNG: u8 = 124;
/// Exit code of a command whose renderer process crashed or was killed.
pub const DIED: u8 = 125;

/// How a process ended that nobody asked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By its own will, with this code.
    Exited(i32),
    /// The watchdog ended it: see [`HUNG`].
    Hung,
    /// By a signal of this number.
    Killed(i32),
}

impl From<ExitStatus> for Ending {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) if code == i32::from(HUNG) => Self::Hung,
            (Some(code), _) => Self::Exited(code),
            (None, signal) => Self::Killed(signal.unwrap_or_default()),
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "ended with code {code}"),
            Self::Hung => f.write_str("was ended by the watchdog"),
            Self::Killed(signal) => match name(*signal) {
                Some(name) => write!(f, "crashed or was killed ({name})"),
                None => write!(f, "was killed by signal {signal}"),
            },
        }
    }
}

/// The name of a signal that ends processes. The numbers of some are different elsewhere.
fn name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        SIGINT => "SIGINT",
        SIGILL => "SIGILL",
        SIGTRAP => "SIGTRAP",
        SIGABRT => "SIGABRT",
        SIGBUS => "SIGBUS",
        SIGFPE => "SIGFPE",
        SIGKILL => "SIGKILL, perhaps for want of memory",
        SIGSEGV => "SIGSEGV",
        SIGTERM => "SIGTERM",
        SIGSYS => "SIGSYS",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_told_apart() {
        let of = |raw| Ending::from(ExitStatus::from_raw(raw)).to_string();
        assert_eq!(of(0), "ended with code 0");
        assert_eq!(of(i32::from(HUNG) << 8), "was ended by the watchdog");
        assert_eq!(of(11), "crashed or was killed (SIGSEGV)");
        assert_eq!(of(64), "was killed by signal 64");
    }
}
