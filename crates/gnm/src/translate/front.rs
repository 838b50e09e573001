//! What stages in front of the vertex stage made, for that to draw or capture.

use super::emitted::Emitted;
use super::primitives::Primitive;
use super::resources::Needs;
use super::shaders::{COPY_FEEDBACK_ON_CHIP, COPY_ON_CHIP, FEEDBACK, Stages, VERTEX};
use afterimage_shader_gcn::io::BufferAt;
use afterimage_stream::ObjectId;
use afterimage_stream::packets::StorageBinding;

/// What stages in front of the vertex stage made.
#[derive(Debug)]
pub(super) enum Front {
    Geometry(Output),
    Patches(Patches),
}

/// A ring that the guest's descriptors name, and what stands for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    /// Guest address.
    pub(super) address: u64,
    /// Bytes of a wave: descriptors that begin within them are of this ring.
    pub(super) wave: u64,
    pub(super) buffer: ObjectId,
    pub(super) size: u64,
}

/// What a geometry shader put out of a stream.
#[derive(Debug)]
pub(super) struct Output {
    /// The stream.
    pub(super) stream: u32,
    /// Strips of what.
    pub(super) primitive: Primitive,
    /// Offsets in the ring, in words, of the vertices of primitives.
    pub(super) made: Made,
    /// What the copy shader reads.
    pub(super) behind: Behind,
}

/// Indices that are made of what a geometry shader said.
#[derive(Debug)]
pub(super) enum Made {
    /// By the processor.
    Here(Vec<u32>),
    /// On the GPU, when they are drawn.
    There(Emitted),
}

/// What is behind a geometry shader.
#[derive(Clone, Copy, Debug)]
pub(super) enum Behind {
    /// A ring in memory.
    Ring(Ring),
    /// The windows of the data share.
    Share(StorageBinding),
}

impl Behind {
    /// The copy shader's stage.
    pub(super) fn stage(&self) -> &'static Stages {
        if matches!(self, Self::Share(_)) { &COPY_ON_CHIP } else { &VERTEX }
    }

    /// The same where it captures.
    pub(super) fn feedback_stage(&self) -> &'static Stages {
        if matches!(self, Self::Share(_)) { &COPY_FEEDBACK_ON_CHIP } else { &FEEDBACK }
    }

    /// Gives it to the copy shader.
    pub(super) fn serve(&self, needs: &mut Needs) {
        match self {
            Self::Ring(ring) => needs.use_rings(&[*ring]),
            Self::Share(share) => serve(needs, *share, StorageBinding::default()),
        }
    }
}

impl Needs {
    /// Puts what stands for rings in the place of the buffers that are of them.
    pub(super) fn use_rings(&mut self, rings: &[Ring]) {
        for buffer in &mut self.buffers {
            let start = buffer.range.start;
            let near =
                |ring: &&Ring| ring.address == start || (ring.address..ring.address + ring.wave).contains(&start);
            let Some(ring) = rings.iter().filter(near).max_by_key(|ring| ring.address) else { continue };
            let offset = start - ring.address;
            let size = ring.size.saturating_sub(offset);
            buffer.ring = Some(StorageBinding { buffer: ring.buffer, word: buffer.word, offset, size });
        }
    }

    /// The ring that the program writes: what is swizzled by the lane's number.
    pub(super) fn ring(&self) -> Option<u64> {
        let swizzled =
            |spec: &afterimage_shader_gcn::io::BufferSpec| spec.word1 >> 31 != 0 && spec.word3 >> 23 & 1 != 0;
        let rings = self.buffer_specs.iter().zip(&self.buffers).filter(|(spec, _)| swizzled(spec));
        rings.map(|(_, buffer)| buffer.range.start).min()
    }
}

/// A part of a draw that was tessellated.
#[derive(Debug)]
pub(super) struct Patches {
    pub(super) indices: Vec<u32>,
    /// The patch of each primitive that the indices make.
    pub(super) numbers: Vec<u32>,
    /// Bytes of a thread group in off-chip memory.
    pub(super) off_chip: u32,
    pub(super) points: StorageBinding,
    pub(super) share: StorageBinding,
}

impl Patches {
    /// Gives the domain program its points and its data share.
    pub(super) fn serve(&self, needs: &mut Needs) {
        serve(needs, self.share, self.points);
    }
}

/// Gives a program its data share, and what the tessellator gives.
pub(super) fn serve(needs: &mut Needs, share: StorageBinding, given: StorageBinding) {
    let uses = needs.code.resources.buffers.iter().map(|buffer| buffer.at);
    for (at, buffer) in uses.zip(&mut needs.buffers) {
        match at {
            BufferAt::SharedMemory => buffer.ring = Some(share),
            BufferAt::Tessellator => buffer.ring = Some(given),
            _ => {}
        }
    }
}
