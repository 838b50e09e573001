//! `--read-backs`: what the program of a capture read back, as pictures.

use super::Args;
use crate::Failure;
use afterimage_output::{Channels, png};
use afterimage_vulkan::{ReadSink, ReadTexels, Texels};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where they go.
pub(super) struct Reads {
    folder: PathBuf,
    read: Arc<AtomicU64>,
    unwritten: Arc<AtomicU64>,
}

impl Reads {
    /// Where they were asked for.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub(super) fn of(args: &Args) -> Result<Option<Self>, Failure> {
        let Some(folder) = args.output.clone().filter(|_| args.read_backs) else { return Ok(None) };
        std::fs::create_dir_all(&folder).map_err(|error| Failure::file("making", &folder, error))?;
        Ok(Some(Self { folder, read: Arc::default(), unwritten: Arc::default() }))
    }

    /// What writes them.
    pub(super) fn sink(&self) -> ReadSink {
        let (folder, count) = (self.folder.clone(), Arc::clone(&self.read));
        let unwritten = Arc::clone(&self.unwritten);
        Box::new(move |read| {
            count.fetch_add(1, Ordering::Relaxed);
            if let Err(error) = write(&folder, read) {
                tracing::error!("{error}");
                unwritten.fetch_add(1, Ordering::Relaxed);
            }
        })
    }

    /// How many the program read.
    pub(super) fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// How many could not be written.
    pub(super) fn unwritten(&self) -> u64 {
        self.unwritten.load(Ordering::Relaxed)
    }
}

/// Compressed texels are no picture, and left out.
fn write(folder: &Path, read: &ReadTexels<'_>) -> Result<(), String> {
    let Some(texels) = Texels::of_bytes(read.format, [read.width, read.height], read.bytes) else { return Ok(()) };
    let rgb: Vec<u8> = texels.rgba().chunks_exact(4).flat_map(|pixel| &pixel[..3]).copied().collect();
    let path = folder.join(format!("read-{:06}.png", read.token));
    png(&path, [read.width, read.height], Channels::Rgb, &rgb).map_err(|error| format!("{}: {error}", path.display()))
}
