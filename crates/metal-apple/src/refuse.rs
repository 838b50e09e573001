//! Errors of calls that make something.

use afterimage_metal_calls::Error;

/// Refused for one reason.
pub(crate) fn refused(what: &'static str, fault: impl Into<String>) -> Error {
    Error::Refused { what, faults: vec![fault.into()] }
}

/// What a creator means that returns nothing for a descriptor that was checked.
pub(crate) fn no_memory(what: &str, label: &str) -> Error {
    Error::OutOfMemory { what: if label.is_empty() { what.into() } else { format!("{what} {label}") } }
}
