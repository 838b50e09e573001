//! Libraries that windows need: macOS has them.

/// A library that windows need.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// The file's name.
    pub name: &'static str,
    /// The package that has it.
    pub package: &'static str,
}

/// The libraries that are not there.
#[must_use]
pub fn missing() -> Vec<Library> {
    Vec::new()
}

/// Which libraries are missing, and how to get them; `None` if there are none.
#[must_use]
pub fn advice() -> Option<String> {
    None
}
