//! What can go wrong.

use crate::Serial;

/// Why an object cannot be made, or its memory not be reached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The device has no room.
    #[error("{what}: out of memory")]
    OutOfMemory {
        /// What was to be made.
        what: String,
    },
    /// What Metal refuses. On a Mac some of these end the process, so nobody should count on getting one.
    #[error("{what}: {}", faults.join("; "))]
    Refused {
        /// The call.
        what: &'static str,
        /// Every fault of it.
        faults: Vec<String>,
    },
    /// A source that does not compile, or functions that cannot be linked: the compiler's text.
    #[error("{what} does not compile: {text}")]
    Source {
        /// The label of the function or pipeline.
        what: String,
        /// What the compiler says.
        text: String,
    },
}

/// What comes of making an object.
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

/// Something wrong with what was encoded, or with its execution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{call}: {text}")]
pub struct Fault {
    /// Metal's call, or `command buffer` for what became of one.
    pub call: &'static str,
    /// What is wrong.
    pub text: String,
    /// The device is gone: nothing that is encoded from here on is executed.
    pub lost: bool,
    /// The command buffer that failed; 0 where it is a call that is wrong.
    pub command_buffer: Serial,
}
