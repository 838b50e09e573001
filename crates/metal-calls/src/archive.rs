//! Compiled pipelines in files.

use crate::{Device, Object, RenderPipelineDescriptor, Result};
use std::path::Path;

/// What an archive has of a pipeline that was made with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It had it: nothing was compiled for the device.
    Found,
    /// It has it now.
    Added,
    /// It does not take it, and why. The pipeline is there all the same.
    Refused(String),
}

/// A device that keeps compiled pipelines: `MTLBinaryArchive`. What is in an archive is for one device, and one version of the system: on
/// any other it is as if it were empty. Functions are compiled from their sources all the same, as far as that is the same for all devices.
pub trait Archives: Device {
    /// `MTLBinaryArchive`.
    type Archive: Object;

    /// `newBinaryArchiveWithDescriptor:error:`: what [`Self::write_archive`] left in a file, or an empty one.
    ///
    /// # Errors
    /// The file is not there, or is no archive of this device and system: begin an empty one.
    fn new_archive(&self, file: Option<&Path>) -> Result<Self::Archive>;

    /// [`Device::new_render_pipeline`] from an archive. What that does not have is compiled, and put into it.
    ///
    /// # Errors
    /// As without an archive.
    fn render_pipeline_from(
        &self,
        descriptor: &RenderPipelineDescriptor<'_, Self>,
        archive: &Self::Archive,
    ) -> Result<(Self::RenderPipeline, Kept)>;

    /// [`Device::new_compute_pipeline`] from an archive. What that does not have is compiled, and put into it.
    ///
    /// # Errors
    /// As without an archive.
    fn compute_pipeline_from(
        &self,
        function: &Self::Function,
        label: &str,
        archive: &Self::Archive,
    ) -> Result<(Self::ComputePipeline, Kept)>;

    /// `serializeToURL:error:`. The file is there when all of it is written, and not before.
    ///
    /// # Errors
    /// The file cannot be written.
    fn write_archive(&self, archive: &Self::Archive, file: &Path) -> Result;
}
