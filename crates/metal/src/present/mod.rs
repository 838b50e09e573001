//! Pictures on their way out.

pub(crate) mod windows;

use afterimage_metal_calls::{Device, Serial};
use afterimage_stream::ObjectId;
use std::collections::VecDeque;

/// A presented picture in CPU memory.
#[derive(Debug)]
pub struct Picture<'a> {
    /// The target it was presented to.
    pub target: ObjectId,
    /// Frame number.
    pub frame: u64,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Rows from the top, red, green, blue and alpha in a byte each.
    pub rgba: &'a [u8],
}

/// Receives presented pictures.
pub type PictureSink = Box<dyn FnMut(&Picture<'_>) + Send>;

/// A picture that the GPU is copying.
#[derive(Debug)]
pub(crate) struct Pending<D: Device> {
    pub(crate) serial: Serial,
    pub(crate) target: ObjectId,
    pub(crate) frame: u64,
    pub(crate) size: [u32; 2],
    /// Bytes from row to row.
    pub(crate) pitch: u32,
    pub(crate) buffer: D::Buffer,
}

/// Who gets pictures, and which are under way.
pub(crate) struct Presenter<D: Device> {
    pub(crate) sink: Option<PictureSink>,
    pub(crate) pending: VecDeque<Pending<D>>,
    /// Where pictures are shown in windows.
    pub(crate) windows: Option<Box<dyn windows::Shows<D>>>,
}

impl<D: Device> std::fmt::Debug for Presenter<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Presenter").field("pending", &self.pending).finish_non_exhaustive()
    }
}

impl<D: Device> Default for Presenter<D> {
    fn default() -> Self {
        Self { sink: None, pending: VecDeque::new(), windows: None }
    }
}

impl<D: Device> Presenter<D> {
    /// Hands out the pictures that have arrived.
    pub(crate) fn deliver(&mut self, device: &D, completed: Serial) -> crate::Result {
        while self.pending.front().is_some_and(|pending| pending.serial <= completed) {
            let Some(pending) = self.pending.pop_front() else { break };
            let [width, height] = pending.size;
            let (row, pitch) = (width as usize * 4, pending.pitch as usize);
            let mut bytes = vec![0; pitch * (height as usize).saturating_sub(1) + row];
            device.read(&pending.buffer, 0, &mut bytes)?;
            let rgba: Vec<u8> =
                bytes.chunks(pitch.max(1)).flat_map(|bytes| &bytes[..row.min(bytes.len())]).copied().collect();
            if let Some(sink) = &mut self.sink {
                sink(&Picture { target: pending.target, frame: pending.frame, width, height, rgba: &rgba });
            }
        }
        Ok(())
    }
}
