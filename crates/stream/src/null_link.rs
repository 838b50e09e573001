//! A link whose other end does nothing, to measure what a guest's side costs; or nothing but keep what comes.

use crate::{DeviceInfo, Link, LinkError, Recording, Reply, UploadRef};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of the arena.
const ARENA: usize = 64 << 20;

/// A receiver that takes every batch and never answers. Its arena of 64 MiB starts over with each frame, and when it is full.
#[derive(Debug)]
pub struct NullLink {
    info: DeviceInfo,
    end: End,
}

/// What becomes of what is sent.
#[derive(Debug)]
enum End {
    Dropped {
        arena: Vec<u8>,
        used: u32,
    },
    /// The last frame that ended is to be said to be done.
    Kept {
        recording: Arc<Mutex<Recording>>,
        done: Option<u64>,
    },
}

impl NullLink {
    /// A link to a device that says this of itself.
    #[must_use]
    pub fn new(info: DeviceInfo) -> Self {
        Self { info, end: End::Dropped { arena: vec![0; ARENA], used: 0 } }
    }

    /// One that keeps everything: see [`crate::recorder`].
    pub(crate) fn kept(info: DeviceInfo, recording: Arc<Mutex<Recording>>) -> Self {
        Self { info, end: End::Kept { recording, done: None } }
    }
}

fn lock(recording: &Mutex<Recording>) -> MutexGuard<'_, Recording> {
    recording.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes to a range, from `at` bytes in. What lies past its end is dropped.
fn write(arena: &mut [u8], range: &UploadRef, at: u32, bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(range.size.saturating_sub(at) as usize)];
    let start = usize::try_from(range.offset).ok().and_then(|start| start.checked_add(at as usize));
    let place = start.and_then(|start| arena.get_mut(start..)?.get_mut(..bytes.len()));
    if let Some(place) = place {
        place.copy_from_slice(bytes);
    }
}

impl Link for NullLink {
    fn submit(&mut self, batch: &mut Vec<u64>) -> Result<(), LinkError> {
        match &self.end {
            End::Dropped { .. } => {
                std::hint::black_box(&*batch);
                batch.clear();
            }
            End::Kept { recording, .. } => lock(recording).batches.push(std::mem::take(batch)),
        }
        Ok(())
    }

    fn is_idle(&self) -> bool {
        false
    }

    fn alloc(&mut self, size: u32, align: u32) -> Result<UploadRef, LinkError> {
        match &mut self.end {
            End::Dropped { arena, used } => {
                let mut offset = used.next_multiple_of(align);
                if offset as usize + size as usize > arena.len() {
                    offset = 0;
                }
                *used = offset + size;
                Ok(UploadRef { slot: 0, size, offset: offset.into() })
            }
            End::Kept { recording, .. } => Ok(lock(recording).alloc(size, align)),
        }
    }

    fn frame_bytes(&self) -> u64 {
        u64::MAX
    }

    fn write(&mut self, range: &UploadRef, at: u32, bytes: &[u8]) {
        match &mut self.end {
            End::Dropped { arena, .. } => write(arena, range, at, bytes),
            End::Kept { recording, .. } => write(lock(recording).uploads(), range, at, bytes),
        }
    }

    fn read(&mut self, _: &UploadRef, _: u32, _: &mut [u8]) {}

    fn end_frame(&mut self, frame: u64) -> Result<(), LinkError> {
        match &mut self.end {
            End::Dropped { used, .. } => *used = 0,
            End::Kept { done, .. } => *done = Some(frame),
        }
        Ok(())
    }

    fn poll(&mut self) -> Option<Reply> {
        match &mut self.end {
            End::Dropped { .. } => None,
            End::Kept { done, .. } => done.take().map(|frame| Reply::FrameDone { frame }),
        }
    }

    fn wait(&mut self) -> Result<Reply, LinkError> {
        self.poll().ok_or(LinkError::Lost)
    }

    fn epoch(&mut self) -> u32 {
        1
    }

    fn device(&self) -> &DeviceInfo {
        &self.info
    }

    fn capture_frames(&mut self, _: &Path, _: u64) -> bool {
        false
    }
}
