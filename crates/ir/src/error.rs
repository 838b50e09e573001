//! What is wrong with a module.

/// Which rule a module breaks, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {message}")]
pub struct VerifyError {
    /// The instruction as text, or the declaration's name.
    pub place: String,
    /// What is wrong.
    pub message: String,
}

/// A broken rule.
pub(crate) fn fail<T>(place: impl ToString, message: impl ToString) -> Result<T, VerifyError> {
    Err(VerifyError { place: place.to_string(), message: message.to_string() })
}
