//! The global data share: a host buffer that has what shaders and the command processor left there.

use super::Translator;
use super::own::Use;
use afterimage_shader_gcn::io::GLOBAL_SHARE;
use afterimage_stream::packets::*;
use afterimage_stream::{ObjectId, PortError};
use std::ops::Range;

/// What is known of it.
#[derive(Debug)]
pub(super) struct GlobalShare {
    /// What the command processor has.
    bytes: Box<[u8]>,
    /// Bytes that the host buffer does not have yet.
    stale: Range<usize>,
    /// Whether shaders may have changed it since the command processor last had it.
    newer: bool,
}

impl Default for GlobalShare {
    fn default() -> Self {
        Self { bytes: vec![0; GLOBAL_SHARE].into(), stale: 0..GLOBAL_SHARE, newer: false }
    }
}

impl GlobalShare {
    /// The receiver is gone, and with it what only shaders knew.
    pub(super) fn forget(&mut self) {
        (self.stale, self.newer) = (0..GLOBAL_SHARE, false);
    }

    /// What shaders did to it counts no more.
    pub(super) fn mark_known(&mut self) {
        self.newer = false;
    }

    /// A shader that may change it ran.
    pub(super) fn mark_written(&mut self) {
        self.newer = true;
    }
}

impl Translator {
    /// The host buffer, with what is newest in it.
    pub(super) fn global_share(&mut self) -> Result<StorageBinding, PortError> {
        let id = self.own_buffer(Use::GlobalShare, GLOBAL_SHARE as u64)?;
        let stale = self.global_share.stale.clone();
        if !stale.is_empty() {
            let data = self.port.upload_bytes(&self.global_share.bytes[stale.clone()])?;
            self.port.push(&UpdateBuffer { id, flags: 0, offset: stale.start as u64, data });
            self.global_share.stale = 0..0;
        }
        Ok(StorageBinding { buffer: id, word: 0, offset: 0, size: GLOBAL_SHARE as u64 })
    }

    /// What shaders did to it goes into `gds`.
    pub(super) fn store_global_share(&mut self, gds: &mut [u8]) {
        let id = self.owned.get(Use::GlobalShare).id;
        if !std::mem::take(&mut self.global_share.newer) || id == ObjectId::NONE {
            return;
        }
        let mut bytes = std::mem::take(&mut self.global_share.bytes);
        match self.read_buffer(id, 0, &mut bytes) {
            Ok(()) => gds.copy_from_slice(&bytes),
            Err(error) => self.once.warn(format!("what shaders did to the global data share is lost: {error}")),
        }
        self.global_share.bytes = bytes;
    }

    /// The command processor wrote these bytes of it.
    pub(super) fn global_share_changed(&mut self, gds: &[u8], written: Range<usize>) {
        let share = &mut self.global_share;
        share.bytes[written.clone()].copy_from_slice(&gds[written.clone()]);
        share.stale = match share.stale.is_empty() {
            true => written,
            false => share.stale.start.min(written.start)..share.stale.end.max(written.end),
        };
    }
}
