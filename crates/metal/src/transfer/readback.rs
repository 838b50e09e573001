//! Read backs: what was copied for whom, and what is waited for.

use crate::error::Result;
use crate::transfer::depth;
use crate::transfer::expand::pack;
use afterimage_metal_calls::{Device, Serial};
use afterimage_render::looked::{Looker, ReadTexels};
use afterimage_stream::{Arena, Format, Reply, UploadRef};
use std::collections::VecDeque;

/// A copy of texels that the GPU is making.
#[derive(Debug)]
pub(crate) struct Copied<D: Device> {
    pub(crate) buffer: D::Buffer,
    pub(crate) format: Format,
    /// Whether the texels have other bits: see [`crate::transfer::expand`].
    pub(crate) expanded: bool,
    pub(crate) size: [u32; 2],
    /// Bytes from row to row in the buffer, of the plane of depth for such formats.
    pub(crate) pitch: u32,
    /// Where the plane of stencil begins, and its bytes from row to row.
    pub(crate) stencil: Option<(u64, u32)>,
}

impl<D: Device> Copied<D> {
    /// The texels, rows of blocks packed, once the GPU is done.
    pub(crate) fn texels(&self, device: &D) -> Result<Vec<u8>> {
        let rows = self.format.rows(self.size[1]) as usize;
        let plane = |offset: u64, pitch: u32, row: usize| -> Result<Vec<u8>> {
            let mut bytes = vec![0; pitch as usize * rows.saturating_sub(1) + row];
            device.read(&self.buffer, offset, &mut bytes)?;
            Ok(bytes.chunks(pitch.max(1) as usize).flat_map(|bytes| &bytes[..row.min(bytes.len())]).copied().collect())
        };
        if self.expanded {
            return Ok(pack(self.format, &plane(0, self.pitch, self.size[0] as usize * 4)?));
        }
        if !self.format.is_depth() {
            return plane(0, self.pitch, self.format.row_bytes(self.size[0]) as usize);
        }
        let width = self.size[0] as usize;
        let texel = if self.format == Format::D16_UNORM { 2 } else { 4 };
        let depths = plane(0, self.pitch, width * texel)?;
        let stencils = match self.stencil {
            Some((offset, pitch)) => plane(offset, pitch, width)?,
            None => Vec::new(),
        };
        Ok(depth::join(self.format, &depths, &stencils))
    }
}

/// What the CPU has to copy once the GPU is done.
#[derive(Debug)]
pub(crate) enum Pending<D: Device> {
    Texels { copied: Copied<D>, row_pitch: u32 },
    Bytes(D::Buffer),
}

/// Somebody who waits.
#[derive(Debug)]
pub(crate) struct Waiting<D: Device> {
    pub(crate) serial: Serial,
    pub(crate) token: u64,
    /// None where nothing could be copied, or all is.
    pub(crate) pending: Option<Pending<D>>,
    pub(crate) data: UploadRef,
    pub(crate) ok: bool,
}

/// Read backs under way.
#[derive(Debug)]
pub(crate) struct ReadBacks<D: Device> {
    pub(crate) waiting: VecDeque<Waiting<D>>,
    /// Whether one waits for the command buffer that is being written.
    pub(crate) asked: bool,
    /// Who sees the texels besides the guest.
    pub(crate) looker: Looker,
}

impl<D: Device> Default for ReadBacks<D> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), asked: false, looker: Looker::default() }
    }
}

impl<D: Device> ReadBacks<D> {
    /// The last command buffer whose copies the CPU must take.
    pub(crate) fn last(&self) -> Option<Serial> {
        self.waiting.iter().rev().find(|waiting| waiting.pending.is_some()).map(|waiting| waiting.serial)
    }

    /// Bytes that are kept until the CPU has copied them.
    pub(crate) fn outstanding(&self) -> u64 {
        self.waiting
            .iter()
            .filter(|waiting| waiting.pending.is_some())
            .map(|waiting| u64::from(waiting.data.size))
            .sum()
    }

    /// Copies what has completed to the arena.
    pub(crate) fn copy(&mut self, device: &D, arena: &dyn Arena, completed: Serial) {
        for waiting in self.waiting.iter_mut().filter(|waiting| waiting.serial <= completed) {
            let Some(pending) = waiting.pending.take() else { continue };
            let copied = copy(device, arena, waiting, pending, &mut self.looker);
            waiting.ok = copied.unwrap_or_else(|error| {
                tracing::error!("read back: {error}");
                false
            });
        }
    }

    /// Answers what was copied.
    pub(crate) fn answer(&mut self, completed: Serial, replies: &mut dyn FnMut(Reply)) {
        while self.waiting.front().is_some_and(|waiting| waiting.serial <= completed && waiting.pending.is_none()) {
            let Some(waiting) = self.waiting.pop_front() else { break };
            replies(Reply::ReadBack { token: waiting.token, ok: waiting.ok });
        }
    }

    /// Nothing more will be copied.
    pub(crate) fn abandon(&mut self, replies: &mut dyn FnMut(Reply)) {
        for waiting in self.waiting.drain(..) {
            replies(Reply::ReadBack { token: waiting.token, ok: waiting.ok });
        }
    }
}

fn copy<D: Device>(
    device: &D,
    arena: &dyn Arena,
    waiting: &Waiting<D>,
    pending: Pending<D>,
    looker: &mut Looker,
) -> Result<bool> {
    let data = &waiting.data;
    match pending {
        Pending::Bytes(buffer) => {
            let mut bytes = vec![0; data.size as usize];
            device.read(&buffer, 0, &mut bytes)?;
            Ok(arena.copy_in(data, 0, &bytes))
        }
        Pending::Texels { copied, row_pitch } => {
            let texels = copied.texels(device)?;
            let (format, [width, height]) = (copied.format, copied.size);
            looker.show(&ReadTexels { token: waiting.token, format, width, height, bytes: &texels });
            let row = copied.format.row_bytes(copied.size[0]) as usize;
            let mut ok = true;
            for (y, bytes) in (0u32..).zip(texels.chunks(row.max(1))) {
                ok &= y.checked_mul(row_pitch).is_some_and(|at| arena.copy_in(data, at, bytes));
            }
            Ok(ok)
        }
    }
}
