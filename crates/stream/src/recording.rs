//! A link whose other end keeps what a guest sends: for tests of guests, and of programs that have one.

use crate::{Arena, DeviceInfo, Link, Located, NullLink, Reader, StreamError, UploadRef};
use std::sync::{Arc, Mutex};

/// What a guest has sent: see [`recorder`]. It is an [`Arena`], so a writer of captures or an executor can be given the batches.
#[derive(Debug, Default)]
pub struct Recording {
    /// The batches, in order, as they were handed over. Whoever is done with some may take them out.
    pub batches: Vec<Vec<u64>>,
    uploads: Vec<u8>,
}

/// A link to nobody, and what has come over it so far. Each frame is done when it ends, and nothing else is ever answered. Uploads
/// stay, whatever frames end.
#[must_use]
pub fn recorder(info: DeviceInfo) -> (Box<dyn Link>, Arc<Mutex<Recording>>) {
    let recording = Arc::default();
    (Box::new(NullLink::kept(info, Arc::clone(&recording))), recording)
}

impl Recording {
    /// The packets of every batch.
    pub fn packets(&self) -> impl Iterator<Item = Result<Located<'_>, Box<StreamError>>> {
        self.batches.iter().flat_map(|batch| Reader::new(batch))
    }

    /// The bytes of an upload.
    #[must_use]
    pub fn upload(&self, range: &UploadRef) -> Option<&[u8]> {
        let start = usize::try_from(range.offset).ok().filter(|_| range.slot == 0)?;
        self.uploads.get(start..)?.get(..range.size as usize)
    }

    pub(crate) fn alloc(&mut self, size: u32, align: u32) -> UploadRef {
        let offset = self.uploads.len().next_multiple_of(align as usize);
        self.uploads.resize(offset + size as usize, 0);
        UploadRef { slot: 0, size, offset: offset as u64 }
    }

    pub(crate) fn uploads(&mut self) -> &mut [u8] {
        &mut self.uploads
    }
}

impl Arena for Recording {
    fn slot_size(&self, slot: u32) -> Option<u64> {
        (slot == 0).then_some(self.uploads.len() as u64)
    }

    fn copy_out(&self, range: &UploadRef, at: u32, out: &mut [u8]) -> bool {
        let bytes = self.upload(range).and_then(|upload| upload.get(at as usize..)?.get(..out.len()));
        bytes.map(|bytes| out.copy_from_slice(bytes)).is_some()
    }

    fn copy_in(&self, _: &UploadRef, _: u32, _: &[u8]) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::{Init, UpdateBuffer};
    use crate::{ObjectId, Packet, Port};

    #[test]
    fn what_several_frames_sent_is_there() {
        let (link, recording) = recorder(DeviceInfo::default());
        let mut port = Port::new(link, Init::NV2A, "test");
        for byte in 1..=3 {
            let data = port.upload(20, 256).unwrap();
            port.write(&data, 16, &[byte; 9]);
            port.push(&UpdateBuffer { id: ObjectId::NONE, flags: 0, offset: 0, data });
            port.end_frame();
            port.wait_for_frames(0);
        }
        assert!(!port.is_lost());
        let recording = recording.lock().unwrap();
        let sent: Vec<_> = recording.packets().map(|located| located.unwrap().packet).collect();
        let frames = sent.iter().filter(|packet| matches!(packet, Packet::BeginFrame(_))).count();
        let ranges: Vec<UploadRef> = sent
            .iter()
            .filter_map(|packet| if let Packet::UpdateBuffer(body) = packet { Some(body.data) } else { None })
            .collect();
        assert_eq!((frames, ranges.len()), (3, 3), "the fourth frame has not been handed over");
        for (byte, range) in (1..).zip(&ranges) {
            let expected = [&[0; 16][..], &[byte; 4]].concat();
            assert_eq!(recording.upload(range), Some(&expected[..]), "bytes past the end are dropped");
        }
    }

    #[test]
    fn what_was_never_there_is_not_copied() {
        let (mut link, recording) = recorder(DeviceInfo::default());
        let range = link.alloc(8, 8).unwrap();
        link.write(&UploadRef { offset: 1 << 40, ..range }, 0, &[1]);
        link.write(&range, 100, &[1]);
        let recording = recording.lock().unwrap();
        let copied = |range: UploadRef, at, size| recording.copy_out(&range, at, &mut vec![1; size]);
        assert!(copied(range, 0, 8) && copied(range, 8, 0));
        assert!(!copied(range, 4, 5) && !copied(range, u32::MAX, 0));
        assert!(!copied(UploadRef { slot: 1, ..range }, 0, 8));
        assert!(!copied(UploadRef { offset: 1, ..range }, 0, 8));
        assert!(!copied(UploadRef { offset: u64::MAX, ..range }, 0, 8));
        assert_eq!((recording.slot_size(0), recording.slot_size(1)), (Some(8), None));
    }
}
