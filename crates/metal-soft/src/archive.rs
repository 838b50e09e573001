//! Pipelines that are kept in files: of each a number, which is enough to find it again.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use afterimage_metal_calls::{Archives, Device as _, Error, Kept, RenderPipelineDescriptor, Result};
use xxhash_rust::xxh3::xxh3_128;

use crate::device::SoftDevice;
use crate::objects::{SoftComputePipeline, SoftFunction, SoftRenderPipeline};

/// What a file begins with.
const HEAD: &[u8; 16] = b"software Metal 1";
/// Bytes of a number.
const NUMBER: usize = 16;

/// `MTLBinaryArchive` in software: a file is its head, the number of the device, that of each pipeline, and that of all these bytes.
#[derive(Clone, Debug, Default)]
pub struct SoftArchive(Arc<Mutex<BTreeSet<u128>>>);

impl SoftArchive {
    fn numbers(&self) -> MutexGuard<'_, BTreeSet<u128>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, number: u128) -> Kept {
        if self.numbers().insert(number) { Kept::Added } else { Kept::Found }
    }
}

/// The number of a device, by what it is.
fn device_number(device: &SoftDevice) -> u128 {
    xxh3_128(format!("{:?}", device.facts()).as_bytes())
}

fn render_number(of: &RenderPipelineDescriptor<'_, SoftDevice>) -> u128 {
    let functions = [Some(of.vertex), of.fragment].map(|function| function.map(|function| function.compiled.hash));
    let targets = (of.colors, of.depth, of.stencil, of.samples);
    let rest = (of.alpha_to_coverage, of.alpha_to_one, of.rasterization, of.topology);
    xxh3_128(format!("{functions:?} {:?} {targets:?} {rest:?}", of.input).as_bytes())
}

/// The numbers in a file.
fn read(bytes: &[u8], device: u128) -> Result<BTreeSet<u128>, &'static str> {
    let (numbers, sum) = bytes.split_last_chunk::<NUMBER>().ok_or("it is cut short")?;
    if xxh3_128(numbers).to_le_bytes() != *sum {
        return Err("it is damaged");
    }
    let numbers = numbers.strip_prefix(HEAD).ok_or("it is no archive")?;
    let mut numbers = numbers.as_chunks::<NUMBER>().0.iter().map(|number| u128::from_le_bytes(*number));
    if numbers.next() != Some(device) {
        return Err("it is another device's");
    }
    Ok(numbers.collect())
}

impl Archives for SoftDevice {
    type Archive = SoftArchive;

    fn new_archive(&self, file: Option<&Path>) -> Result<SoftArchive> {
        let Some(file) = file else { return Ok(SoftArchive::default()) };
        let refused = |why: String| Error::Refused { what: "newBinaryArchiveWithDescriptor:error:", faults: vec![why] };
        let bytes = std::fs::read(file).map_err(|error| refused(error.to_string()))?;
        let numbers = read(&bytes, device_number(self)).map_err(|why| refused(why.to_owned()))?;
        Ok(SoftArchive(Arc::new(Mutex::new(numbers))))
    }

    fn render_pipeline_from(
        &self,
        descriptor: &RenderPipelineDescriptor<'_, Self>,
        archive: &SoftArchive,
    ) -> Result<(SoftRenderPipeline, Kept)> {
        Ok((self.new_render_pipeline(descriptor)?, archive.keep(render_number(descriptor))))
    }

    fn compute_pipeline_from(
        &self,
        function: &SoftFunction,
        label: &str,
        archive: &SoftArchive,
    ) -> Result<(SoftComputePipeline, Kept)> {
        Ok((self.new_compute_pipeline(function, label)?, archive.keep(function.compiled.hash)))
    }

    fn write_archive(&self, archive: &SoftArchive, file: &Path) -> Result {
        let mut bytes = HEAD.to_vec();
        bytes.extend(device_number(self).to_le_bytes());
        archive.numbers().iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend(xxh3_128(&bytes).to_le_bytes());
        let refused =
            |error: std::io::Error| Error::Refused { what: "serializeToURL:error:", faults: vec![error.to_string()] };
        let unfinished = file.with_extension("unfinished");
        std::fs::write(&unfinished, bytes).and_then(|()| std::fs::rename(&unfinished, file)).map_err(refused)
    }
}
