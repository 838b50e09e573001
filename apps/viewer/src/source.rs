//! Where a capture comes from.

use afterimage_inspect::Capture;
use afterimage_vulkan::{Gpu, Options, Renderer, Stepper};
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

    /// A renderer of its own to step through it: for renderer processes.
    ///
    /// # Errors
    /// What is wrong with the capture or the device, in words.
    pub(crate) fn stepper(&self, options: &Options) -> Result<Stepper, String> {
        let options = unwritten(options);
        let gpu = Gpu::common(&options).map_err(|error| error.to_string())?;
        let renderer = Renderer::on(gpu, options).map_err(|error| error.to_string())?;
        match self {
            Self::File(path) => Stepper::open(renderer, path),
            Self::Bytes(bytes) => Stepper::from_bytes(renderer, Arc::clone(bytes)),
        }
        .map_err(|error| error.to_string())
    }
}

/// Options for what the viewer looks at: what the user asked to be written is of programs.
pub(crate) fn unwritten(options: &Options) -> Options {
    Options {
        screenshots: None,
        stats: None,
        capture_file: None,
        capture_frames: None,
        overlay: Default::default(),
        ..options.clone()
    }
}
