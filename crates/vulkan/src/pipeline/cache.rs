//! The disk cache of pipelines: Vulkan's own cache data in a file per device and driver; and when caches are written.
//!
//! Our header comes first: magic, the device's cache UUID, length and hash of the data. A file that does not fit is
//! ignored with a warning and written anew; drivers check their own header again behind it. Nothing can be taken out of
//! such data, so a file that has grown too large is given up: what programs still use comes back into a new one.

use crate::device::gpu::Gpu;
use crate::error::{Checked, Result};
use afterimage_shader::store;
use ash::vk;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"AFTRPIP1";

const HEADER: usize = 8 + 16 + 8 + 8;

/// Nothing larger is read: a cache of this size has gone wrong.
const LARGEST: u64 = 512 << 20;

/// Vulkan's pipeline cache with its file.
pub(crate) struct PipelineCache {
    gpu: Arc<Gpu>,
    pub(crate) raw: vk::PipelineCache,
    path: Option<PathBuf>,
    uuid: [u8; 16],
    /// Bytes of data in the file.
    stored: AtomicUsize,
}

/// The data of a file's bytes, or why they are not used.
fn parse<'a>(bytes: &'a [u8], uuid: &[u8; 16]) -> std::result::Result<&'a [u8], &'static str> {
    let (header, data) = bytes.split_at_checked(HEADER).ok_or("it is shorter than its header")?;
    let number = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().unwrap_or_default());
    if &header[..8] != MAGIC {
        return Err("it is not a pipeline cache of this version");
    }
    if &header[8..24] != uuid {
        return Err("it was made by another device or driver");
    }
    if number(24) != data.len() as u64 || number(32) != xxh3_64(data) {
        return Err("it is damaged");
    }
    Ok(data)
}

fn header(data: &[u8], uuid: &[u8; 16]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(uuid);
    bytes.extend_from_slice(&(data.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&xxh3_64(data).to_le_bytes());
    bytes
}

impl PipelineCache {
    /// Reads the device's file in `dir`, if there is one that fits. `limit` bytes are what all caches may have together,
    /// 0 anything.
    pub(crate) fn load(gpu: &Arc<Gpu>, dir: Option<&Path>, limit: u64) -> Result<Self> {
        // SAFETY: the physical device is the one opened.
        let properties = unsafe { gpu.instance.raw.get_physical_device_properties(gpu.physical) };
        let uuid = properties.pipeline_cache_uuid;
        let name = uuid.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let path = dir.map(|dir| dir.join(format!("pipelines-{name}.bin")));
        let bytes = path.as_ref().and_then(|path| {
            let size = std::fs::metadata(path).ok()?.len();
            if size > LARGEST || (limit > 0 && size > limit / 2) {
                tracing::warn!("{}: {size} bytes are too large for a pipeline cache; it starts anew", path.display());
                return None;
            }
            std::fs::read(path).ok()
        });
        let data = match bytes.as_deref().map(|bytes| parse(bytes, &uuid)) {
            Some(Ok(data)) => data,
            Some(Err(why)) => {
                if let Some(path) = &path {
                    tracing::warn!("{}: ignored, {why}; it will be written anew", path.display());
                }
                &[]
            }
            None => &[],
        };
        let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
        // SAFETY: the data is what a driver with this UUID gave out, checked by its hash.
        let raw = unsafe { gpu.raw.create_pipeline_cache(&info, None) }.checked("vkCreatePipelineCache")?;
        Ok(Self { gpu: Arc::clone(gpu), raw, path, uuid, stored: AtomicUsize::new(data.len()) })
    }

    /// Writes the file, if the cache has grown. Trouble is logged and does no harm. Any thread may call it.
    pub(crate) fn store(&self) {
        let Some(path) = &self.path else { return };
        // SAFETY: the cache is alive, and Vulkan keeps threads apart.
        let Ok(data) = (unsafe { self.gpu.raw.get_pipeline_cache_data(self.raw) }) else { return };
        let size = data.len();
        if size <= self.stored.load(Ordering::Relaxed) {
            return;
        }
        let data = self.with_others(path).unwrap_or(data);
        match store::write(path, &[&header(&data, &self.uuid), &data]) {
            Ok(()) => self.stored.store(size, Ordering::Relaxed),
            Err(error) => tracing::warn!("{}: {error}; the pipeline cache is not kept", path.display()),
        }
    }

    /// The data with what other processes have written since. `None` where there is nothing.
    fn with_others(&self, path: &Path) -> Option<Vec<u8>> {
        let bytes = std::fs::read(path).ok()?;
        let theirs = parse(&bytes, &self.uuid).ok().filter(|data| data.len() != self.stored.load(Ordering::Relaxed))?;
        let info = vk::PipelineCacheCreateInfo::default().initial_data(theirs);
        let raw = &self.gpu.raw;
        // SAFETY: the data is what a driver with this UUID gave out; the merged cache is this thread's alone and is
        // destroyed here, and ours is alive.
        unsafe {
            let all = raw.create_pipeline_cache(&info, None).ok()?;
            let merged = raw.merge_pipeline_caches(all, &[self.raw]).and_then(|()| raw.get_pipeline_cache_data(all));
            raw.destroy_pipeline_cache(all, None);
            merged.ok()
        }
    }
}

impl Drop for PipelineCache {
    fn drop(&mut self) {
        // SAFETY: no pipeline is being made any more.
        unsafe { self.gpu.raw.destroy_pipeline_cache(self.raw, None) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_intact_file_of_the_same_driver_is_taken() {
        let uuid = [7; 16];
        let mut good = header(b"data", &uuid);
        good.extend_from_slice(b"data");
        assert_eq!(parse(&good, &uuid), Ok(&b"data"[..]));
        assert!(parse(&good, &[8; 16]).is_err());
        for len in 0..good.len() {
            assert!(parse(&good[..len], &uuid).is_err(), "{len} bytes");
        }
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert!(parse(&bad, &uuid).is_err(), "byte {at}");
        }
    }
}
