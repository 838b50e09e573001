//! Compiled pipelines in files: `MTLBinaryArchive`.

use crate::convert::text;
use crate::objects::{ComputePipeline, Device, Function, RenderPipeline};
use crate::refuse::refused;
use crate::{pipelines, pool};
use afterimage_metal_calls::{Archives, Kept, RenderPipelineDescriptor, Result};
use objc2::rc::Retained;
use objc2::runtime::ProtocolObject;
use objc2_foundation::{NSArray, NSError, NSURL};
use objc2_metal::{MTLBinaryArchive, MTLBinaryArchiveDescriptor, MTLDevice as _, MTLPipelineOption};
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

/// `MTLBinaryArchive`.
#[derive(Clone, Debug)]
pub struct Archive(Arc<RwLock<Raw>>);

#[derive(Debug)]
struct Raw(Retained<ProtocolObject<dyn MTLBinaryArchive>>);

// SAFETY: Apple says nothing of threads, so whoever changes an archive is alone with it: that is behind a lock, and nothing of it is bound to the
// thread that made it.
unsafe impl Send for Raw {}
// SAFETY: as above: what several threads do at once is to look pipelines up.
unsafe impl Sync for Raw {}

/// Archives that a pipeline is looked up in.
pub(crate) type Looked = NSArray<ProtocolObject<dyn MTLBinaryArchive>>;

impl Archive {
    /// Makes something that the archive has, or puts it in first.
    pub(crate) fn make<T>(
        &self,
        make: impl Fn(&Looked, MTLPipelineOption) -> Result<T>,
        add: impl FnOnce(&ProtocolObject<dyn MTLBinaryArchive>) -> Result<(), Retained<NSError>>,
    ) -> Result<(T, Kept)> {
        let looked = |option| {
            let raw = self.0.read().unwrap_or_else(PoisonError::into_inner);
            make(&NSArray::from_slice(&[&*raw.0]), option)
        };
        if let Ok(found) = looked(MTLPipelineOption::FailOnBinaryArchiveMiss) {
            return Ok((found, Kept::Found));
        }
        let added = add(&self.0.write().unwrap_or_else(PoisonError::into_inner).0);
        let kept = added.map_or_else(|error| Kept::Refused(error.localizedDescription().to_string()), |()| Kept::Added);
        Ok((looked(MTLPipelineOption::None)?, kept))
    }
}

/// Where a file is.
fn url(file: &Path) -> Result<Retained<NSURL>> {
    let path = file.to_str().ok_or_else(|| refused("NSURL", format!("{} is no text", file.display())))?;
    Ok(NSURL::fileURLWithPath(&text(path)))
}

impl Archives for Device {
    type Archive = Archive;

    fn new_archive(&self, file: Option<&Path>) -> Result<Archive> {
        pool(|| {
            let descriptor = MTLBinaryArchiveDescriptor::new();
            if let Some(file) = file {
                descriptor.setUrl(Some(&*url(file)?));
            }
            let raw =
                self.0.raw.newBinaryArchiveWithDescriptor_error(&descriptor).map_err(|error| {
                    refused("newBinaryArchiveWithDescriptor", error.localizedDescription().to_string())
                })?;
            Ok(Archive(Arc::new(RwLock::new(Raw(raw)))))
        })
    }

    fn render_pipeline_from(
        &self,
        descriptor: &RenderPipelineDescriptor<'_, Self>,
        archive: &Archive,
    ) -> Result<(RenderPipeline, Kept)> {
        pool(|| pipelines::render_from(self, descriptor, archive))
    }

    fn compute_pipeline_from(
        &self,
        function: &Function,
        label: &str,
        archive: &Archive,
    ) -> Result<(ComputePipeline, Kept)> {
        pool(|| pipelines::compute_from(self, function, label, archive))
    }

    fn write_archive(&self, archive: &Archive, file: &Path) -> Result {
        const CALL: &str = "serializeToURL";
        let mut unfinished = file.as_os_str().to_owned();
        unfinished.push(".unfinished");
        // What another time did not finish. That it is not there is as well.
        let _ = std::fs::remove_file(&unfinished);
        pool(|| {
            let to = url(Path::new(&unfinished))?;
            let raw = archive.0.write().unwrap_or_else(PoisonError::into_inner);
            raw.0.serializeToURL_error(&to).map_err(|error| refused(CALL, error.localizedDescription().to_string()))
        })?;
        std::fs::rename(&unfinished, file).map_err(|error| refused(CALL, format!("{}: {error}", file.display())))
    }
}
