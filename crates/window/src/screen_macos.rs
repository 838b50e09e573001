//! A display that nobody sees: macOS has none.

use std::convert::Infallible;
use std::ffi::OsString;

/// Why there is no such display.
#[derive(Debug, thiserror::Error)]
pub enum ScreenError {
    /// The system has none.
    #[error("macOS has no displays that nobody sees")]
    Start(std::io::Error),
}

/// A display, which there cannot be.
#[derive(Debug)]
pub struct Screen(Infallible);

impl Screen {
    /// Starts one.
    ///
    /// # Errors
    /// Always.
    pub fn start() -> Result<Self, ScreenError> {
        Err(ScreenError::Start(std::io::ErrorKind::Unsupported.into()))
    }

    /// What a program's environment is to have, so that it is shown there; and what it is to have not.
    #[must_use]
    pub fn environment(&self) -> [(&'static str, Option<OsString>); 3] {
        match self.0 {}
    }
}
