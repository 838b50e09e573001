//! Pictures on their way out.

pub(crate) mod windows;

use afterimage_metal_calls::{Device, Serial};
use afterimage_render::pictures::{Picture, PictureFile, Pictures};
use afterimage_render::wishes::Wishes;
use afterimage_stream::ObjectId;
use std::collections::VecDeque;

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
    /// Where it is written to.
    pub(crate) files: Vec<PictureFile>,
}

/// Who gets pictures, and which are under way.
pub(crate) struct Presenter<D: Device> {
    /// Who wants pictures, and what is drawn over them.
    pub(crate) pictures: Pictures,
    pub(crate) pending: VecDeque<Pending<D>>,
    /// Where pictures are shown in windows.
    pub(crate) windows: Option<Box<dyn windows::Shows<D>>>,
    /// The bits of the font, once something was drawn with them.
    pub(crate) font: Option<D::Buffer>,
}

impl<D: Device> std::fmt::Debug for Presenter<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Presenter").field("pending", &self.pending).finish_non_exhaustive()
    }
}

impl<D: Device> Presenter<D> {
    /// Without windows.
    pub(crate) fn new(wishes: &Wishes, device: &str, driver: &str) -> Self {
        let pictures = Pictures::new(wishes, device, driver);
        Self { pictures, pending: VecDeque::new(), windows: None, font: None }
    }

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
            let Pending { target, frame, files, .. } = pending;
            self.pictures.deliver(&Picture { target, frame, width, height, rgba: &rgba }, files);
        }
        Ok(())
    }
}
