//! Read backs: what was copied for whom, and what is waited for.

use crate::device::memory::Buffer;
use crate::transfer::depth;
use afterimage_render::looked::{Looker, ReadTexels};
use afterimage_stream::{Arena, Format, Reply, UploadRef};
use ash::vk;
use std::collections::VecDeque;

/// A copy of texels that the GPU is making.
pub(crate) struct Copied {
    pub(crate) buffer: Buffer,
    pub(crate) format: Format,
    pub(crate) kind: vk::Format,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) depth: u32,
    pub(crate) stencil_at: u64,
}

impl Copied {
    /// Hands out the texels slice by slice: number, bytes from row to row, texels.
    pub(crate) fn each_slice(&self, mut f: impl FnMut(u32, u32, &[u8])) {
        let row = self.format.row_bytes(self.width);
        let texels = self.texels();
        let slice = self.format.packed_size(self.width, self.height) as usize;
        for (z, texels) in texels.chunks_exact(slice).enumerate() {
            f(z as u32, row, texels);
        }
    }

    /// The texels, rows of blocks packed, once the GPU is done.
    pub(crate) fn texels(&self) -> Vec<u8> {
        let bytes = self.format.packed_size(self.width, self.height) as usize * self.depth as usize;
        if !self.format.is_depth() {
            return self.buffer.bytes(0, bytes).to_vec();
        }
        let count = self.width as usize * self.height as usize * self.depth as usize;
        let depths = self.buffer.bytes(0, count * depth::aspect_bytes(self.kind));
        let stencils: &[u8] =
            if depth::has_stencil(self.kind) { self.buffer.bytes(self.stencil_at, count) } else { &[] };
        let mut texels = vec![0; bytes];
        depth::join(self.format, self.kind, depths, stencils, &mut texels);
        texels
    }
}

/// What the CPU has to copy once the GPU is done.
pub(crate) enum Pending {
    Texels { copied: Copied, row_pitch: u32 },
    Bytes(Buffer),
}

pub(crate) struct Waiting {
    pub(crate) submission: u64,
    pub(crate) token: u64,
    pub(crate) copied: Option<Pending>,
    pub(crate) data: UploadRef,
    /// Whether the bytes are in the arena.
    pub(crate) ok: bool,
}

/// Read backs under way.
#[derive(Default)]
pub(crate) struct ReadBacks {
    pub(crate) waiting: VecDeque<Waiting>,
    /// Whether one waits for the submission being recorded.
    pub(crate) asked: bool,
    /// Who sees the texels besides the guest.
    pub(crate) looker: Looker,
}

impl ReadBacks {
    /// The last submission that one waits for whose bytes the CPU must copy.
    pub(crate) fn last_copied(&self) -> Option<u64> {
        self.waiting.iter().rev().find(|waiting| waiting.copied.is_some()).map(|waiting| waiting.submission)
    }

    /// Bytes that are kept until the GPU has written them and the CPU has copied them.
    pub(crate) fn outstanding(&self) -> u64 {
        let bytes = |waiting: &Waiting| match &waiting.copied {
            Some(Pending::Texels { copied, .. }) => copied.buffer.size,
            Some(Pending::Bytes(buffer)) => buffer.size,
            None => 0,
        };
        self.waiting.iter().map(bytes).sum()
    }

    /// Copies what has arrived into the arena.
    pub(crate) fn copy(&mut self, arena: &dyn Arena, completed: u64) {
        for waiting in self.waiting.iter_mut().filter(|waiting| waiting.submission <= completed) {
            let Some(copied) = waiting.copied.take() else { continue };
            waiting.ok = match copied {
                Pending::Texels { copied, row_pitch } => {
                    let texels = copied.texels();
                    let row = copied.format.row_bytes(copied.width) as usize;
                    let Copied { format, width, height, .. } = copied;
                    self.looker.show(&ReadTexels { token: waiting.token, format, width, height, bytes: &texels });
                    texels.chunks_exact(row).enumerate().all(|(y, bytes)| {
                        let at = y as u64 * u64::from(row_pitch);
                        u32::try_from(at).is_ok_and(|at| arena.copy_in(&waiting.data, at, bytes))
                    })
                }
                Pending::Bytes(buffer) => arena.copy_in(&waiting.data, 0, buffer.bytes(0, waiting.data.size as usize)),
            };
        }
    }

    /// Answers what is done.
    pub(crate) fn answer(&mut self, completed: u64, replies: &mut dyn FnMut(Reply)) {
        while let Some(waiting) = self.waiting.front()
            && waiting.submission <= completed
            && waiting.copied.is_none()
        {
            replies(Reply::ReadBack { token: waiting.token, ok: waiting.ok });
            self.waiting.pop_front();
        }
    }

    /// The device is gone.
    pub(crate) fn abandon(&mut self, replies: &mut dyn FnMut(Reply)) {
        for waiting in self.waiting.drain(..) {
            replies(Reply::ReadBack { token: waiting.token, ok: false });
        }
    }
}
