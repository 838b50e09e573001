//! Where a capture comes from.

use afterimage_inspect::Capture;
use afterimage_vulkan::{Options, Wishes};
use std::path::PathBuf;
use std::sync::Arc;

/// Where a capture comes from.
#[derive(Clone)]
pub(crate) enum Source {
    /// A file.
    File(PathBuf),
    /// A frame that was captured while its program ran.
    Bytes(Arc<[u8]>),
}

impl Source {
    /// The file, if it is one.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        match self {
            Self::File(path) => Some(path.clone()),
            Self::Bytes(_) => None,
        }
    }

    /// What is no file.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::File(_) => None,
            Self::Bytes(bytes) => Some(bytes),
        }
    }

    /// What it holds.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(crate) fn capture(&self) -> Result<Capture, String> {
        match self {
            Self::File(path) => Capture::open(path),
            Self::Bytes(bytes) => Capture::from_bytes(Arc::clone(bytes)),
        }
        .map_err(|error| error.to_string())
    }
}

/// Options for what the viewer looks at: what the user asked to be written is of programs.
pub(crate) fn unwritten(options: &Options) -> Options {
    Options { wishes: Wishes::default(), ..options.clone() }
}
