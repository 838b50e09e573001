//! Pipelines that were compiled by an earlier process, in an archive of the device's.
//!
//! Beside the archive lies a file with its checksum: what was cut short, or changed, is not given to a driver. Another archive is begun then.

use afterimage_metal_calls::{Archives, Device, Error, Kept, RenderPipelineDescriptor, Result};
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// Bytes of an archive at most: more is no archive of ours.
const MOST_BYTES: u64 = 1 << 30;

/// An archive of a device that has archives.
trait Archive<D: Device>: Send + fmt::Debug {
    fn render(&self, device: &D, descriptor: &RenderPipelineDescriptor<'_, D>) -> Result<(D::RenderPipeline, Kept)>;
    fn compute(&self, device: &D, function: &D::Function, label: &str) -> Result<(D::ComputePipeline, Kept)>;
    fn write(&self, device: &D, file: &Path) -> Result;
}

#[derive(Debug)]
struct Of<D: Archives>(D::Archive);

impl<D: Archives> Archive<D> for Of<D> {
    fn render(&self, device: &D, descriptor: &RenderPipelineDescriptor<'_, D>) -> Result<(D::RenderPipeline, Kept)> {
        device.render_pipeline_from(descriptor, &self.0)
    }

    fn compute(&self, device: &D, function: &D::Function, label: &str) -> Result<(D::ComputePipeline, Kept)> {
        device.compute_pipeline_from(function, label, &self.0)
    }

    fn write(&self, device: &D, file: &Path) -> Result {
        device.write_archive(&self.0, file)
    }
}

/// What an archive had, and was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptPipelines {
    /// Pipelines that were found.
    pub found: u64,
    /// Pipelines that were compiled and are in it now.
    pub added: u64,
    /// Pipelines that it did not take.
    pub refused: u64,
}

/// Where pipelines are kept.
#[derive(Debug)]
pub(crate) struct Store<D: Device> {
    archive: Box<dyn Archive<D>>,
    file: PathBuf,
    pub(crate) counts: KeptPipelines,
}

/// The file of an archive's checksum.
fn sum_file(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".sum");
    name.into()
}

/// The checksum of a file, in the form in which it is written.
fn sum(file: &Path) -> std::io::Result<String> {
    let mut from = std::fs::File::open(file)?.take(MOST_BYTES + 1);
    let (mut hash, mut length, mut buffer) = (Xxh3::new(), 0, vec![0; 1 << 16]);
    loop {
        let read = from.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        length += read as u64;
        hash.update(&buffer[..read]);
    }
    if length > MOST_BYTES {
        return Err(std::io::Error::other(format!("more than {MOST_BYTES} bytes")));
    }
    Ok(format!("{:032x} {length}\n", hash.digest128()))
}

/// Whether an archive is as it was written; `None` where there is none.
fn is_whole(file: &Path) -> Option<std::io::Result<bool>> {
    let there = match sum(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        there => there,
    };
    Some(there.map(|there| {
        let mut said = String::new();
        let read = std::fs::File::open(sum_file(file)).and_then(|from| from.take(128).read_to_string(&mut said));
        read.is_ok() && said == there
    }))
}

impl<D: Device> Store<D> {
    /// The archive of a file, or another one where that is damaged, or none of this device.
    ///
    /// # Errors
    /// Where the device makes no archive.
    pub(crate) fn open(device: &D, file: PathBuf) -> Result<Self>
    where
        D: Archives,
    {
        let found = match is_whole(&file) {
            None => None,
            Some(Ok(true)) => {
                let refused = |error: &Error| tracing::warn!("{}: {error}; another is begun", file.display());
                device.new_archive(Some(&file)).inspect_err(refused).ok()
            }
            Some(Ok(false)) => {
                tracing::warn!("{} is damaged; another is begun", file.display());
                None
            }
            Some(Err(error)) => {
                tracing::warn!("{}: {error}; another is begun", file.display());
                None
            }
        };
        let archive = found.map_or_else(|| device.new_archive(None), Ok)?;
        Ok(Self { archive: Box::new(Of::<D>(archive)), file, counts: KeptPipelines::default() })
    }

    fn count(&mut self, kept: &Kept) {
        match kept {
            Kept::Found => self.counts.found += 1,
            Kept::Added => self.counts.added += 1,
            Kept::Refused(why) => {
                if self.counts.refused == 0 {
                    tracing::warn!("{} does not take a pipeline: {why} (said once)", self.file.display());
                }
                self.counts.refused += 1;
            }
        }
    }

    /// A pipeline for draws.
    pub(crate) fn render(
        &mut self,
        device: &D,
        descriptor: &RenderPipelineDescriptor<'_, D>,
    ) -> Result<D::RenderPipeline> {
        let (pipeline, kept) = self.archive.render(device, descriptor)?;
        self.count(&kept);
        Ok(pipeline)
    }

    /// A pipeline for dispatches.
    pub(crate) fn compute(&mut self, device: &D, function: &D::Function, label: &str) -> Result<D::ComputePipeline> {
        let (pipeline, kept) = self.archive.compute(device, function, label)?;
        self.count(&kept);
        Ok(pipeline)
    }

    /// Writes the file, if something is new.
    ///
    /// # Errors
    /// The file cannot be written. Where it is but its checksum is not, it is begun anew the next time.
    pub(crate) fn write(&self, device: &D) -> std::result::Result<(), String> {
        if self.counts.added == 0 {
            return Ok(());
        }
        self.archive.write(device, &self.file).map_err(|error| error.to_string())?;
        let said = |error: &dyn fmt::Display| format!("{}: {error}", self.file.display());
        let sum = sum(&self.file).map_err(|error| said(&error))?;
        afterimage_output::write(&sum_file(&self.file), sum.as_bytes()).map_err(|error| said(&error))
    }
}
