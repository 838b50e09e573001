//! What each packet does, in one place: which objects it makes, reads and writes, and which bytes of the upload arena it reads. What
//! captures store, what listings say of a call and what a part of a capture needs all follow from here.

use super::*;
use crate::{Arena, ObjectId, ObjectKind, UploadRef};

/// An object, or a subresource of one, and what it is to the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The object; never none.
    pub id: ObjectId,
    /// The subresource, of a texture of which one is named.
    pub view: Option<View>,
    /// As what, for people: `source`, `counter`.
    pub role: &'static str,
}

/// How much of an object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Bytes of a buffer. All others become undefined with `discard`.
    Bytes {
        /// The first.
        offset: u64,
        /// How many.
        size: u64,
        /// [`UpdateBuffer::DISCARD`].
        discard: bool,
    },
    /// A rectangle of one subresource.
    Texels(Rect),
    /// Some of it.
    Some,
}

/// One thing that a packet does. What it says of objects that are bound is for the reader of the state to find.
#[derive(Clone, Copy, Debug)]
pub enum Effect<'a> {
    /// Makes an object.
    Creates {
        /// Its id.
        id: ObjectId,
        /// The texture whose texels it shows, of a view; else none.
        of: ObjectId,
    },
    /// Makes a present target, or changes it.
    Declares(ObjectId),
    /// Says something about an object.
    Describes(ObjectId),
    /// Ends an object.
    Destroys(ObjectId),
    /// Reads bytes of the upload arena. What they fill, if anything, comes next.
    Uploads(UploadRef),
    /// Writes bytes of the upload arena, which the guest reads.
    Answers(UploadRef),
    /// Binds what later draws read, of a buffer or of the upload arena.
    Binds {
        /// Slot of vertex buffers; [`crate::VERTEX_BUFFERS`] is the index buffer.
        slot: usize,
        /// A buffer, none, or an arena slot as [`ObjectKind::Upload`].
        source: ObjectId,
        /// First byte.
        offset: u64,
        /// Bytes; 0 is the rest.
        size: u64,
    },
    /// Reads an object's contents.
    Reads(Part),
    /// Writes an object's contents.
    Writes(Part, Extent),
    /// Gives a result to an object without contents that packets could read: a query, a present target.
    Outputs(Part),
    /// Draws with everything that is bound.
    Draws {
        /// With the index buffer.
        indexed: bool,
    },
    /// Runs a compute shader with everything that is bound for it.
    Dispatches(ObjectId),
    /// Clears rectangles of the bound targets, or all of them.
    Clears(&'a Clear, &'a [Rect]),
    /// Begins to write the bound feedback buffers, or ends it.
    Feedback {
        /// Ends it.
        ends: bool,
    },
}

impl<'a> Packet<'a> {
    /// Calls `each` with everything that the packet does, in order; with nothing for one that sets state or only says something.
    #[inline]
    pub fn effects(&self, mut each: impl FnMut(Effect<'a>)) {
        use Effect::*;
        let part = |id: ObjectId, role| Part { id, view: None, role };
        let view = |view: View, role| Part { id: view.texture, view: Some(view), role };
        let copied =
            |copy: &TextureCopy, role| view(View { texture: copy.texture, level: copy.level, layer: copy.layer }, role);
        let creates = |id| Creates { id, of: ObjectId::NONE };
        let counters = |counters: &[CounterRef; crate::FEEDBACK_BUFFERS]| {
            counters.map(|counter| counter.buffer).into_iter().filter(|buffer| !buffer.is_none())
        };
        let bytes = |offset, size| Extent::Bytes { offset, size, discard: false };
        match *self {
            Packet::CreateBuffer(body) => each(creates(body.id)),
            Packet::CreateTexture(body) => each(creates(body.id)),
            Packet::CreateView(body) => each(Creates { id: body.id, of: body.source }),
            Packet::CreateSampler(body) => each(creates(body.id)),
            Packet::CreateShader(body) => {
                each(Uploads(body.code));
                each(creates(body.id));
            }
            Packet::CreateVertexInput(body, _) => each(creates(body.id)),
            Packet::CreateQuery(body) => each(creates(body.id)),
            Packet::CreateTable(body) => each(creates(body.id)),
            Packet::PresentTarget(body) => each(Declares(body.id)),
            Packet::Name(body, _) => each(Describes(body.id)),
            Packet::SetGamma(body, _) => each(Describes(body.id)),
            Packet::Destroy(body) => each(Destroys(body.id)),
            Packet::UpdateBuffer(body) => {
                let discard = body.flags & UpdateBuffer::DISCARD != 0;
                let extent = Extent::Bytes { offset: body.offset, size: body.data.size.into(), discard };
                each(Uploads(body.data));
                each(Writes(part(body.id, "buffer"), extent));
            }
            Packet::UpdateTexture(body) => {
                let to = View { texture: body.id, level: body.level, layer: body.layer };
                let rect = Rect { x: body.x as i32, y: body.y as i32, width: body.width, height: body.height };
                each(Uploads(body.data));
                each(Writes(view(to, "texture"), Extent::Texels(rect)));
            }
            Packet::SetVertexBuffers(body, bindings) => {
                for (slot, binding) in (body.first as usize..).zip(bindings) {
                    let VertexBuffer { source, offset, size, .. } = *binding;
                    each(Binds { slot, source, offset, size });
                }
            }
            Packet::SetIndexBuffer(&SetIndexBuffer { source, offset, size, .. }) => {
                each(Binds { slot: crate::VERTEX_BUFFERS, source, offset, size });
            }
            Packet::Clear(body, rects) => each(Clears(body, rects)),
            Packet::Draw(_) => each(Draws { indexed: false }),
            Packet::DrawIndexed(_) => each(Draws { indexed: true }),
            Packet::DrawIndirect(body) => {
                each(Reads(part(body.buffer, "arguments")));
                each(Draws { indexed: body.indexed != 0 });
            }
            Packet::DrawByteCount(body) => {
                each(Reads(part(body.counter, "counter")));
                each(Draws { indexed: false });
            }
            Packet::Dispatch(body) => each(Dispatches(body.shader)),
            Packet::BeginFeedback(body) => {
                counters(&body.counters).for_each(|buffer| each(Reads(part(buffer, "counter"))));
                each(Feedback { ends: false });
            }
            Packet::EndFeedback(body) => {
                counters(&body.counters).for_each(|buffer| each(Writes(part(buffer, "counter"), Extent::Some)));
                each(Feedback { ends: true });
            }
            Packet::Blit(body) => {
                each(Reads(view(body.src, "source")));
                each(Writes(view(body.dst, "destination"), Extent::Texels(body.dst_rect)));
            }
            Packet::GenerateMips(body) => {
                each(Reads(view(View { texture: body.id, level: 0, layer: 0 }, "level 0")));
                each(Writes(part(body.id, "levels"), Extent::Some));
            }
            Packet::CopyBuffer(body) => {
                each(Reads(part(body.src, "source")));
                each(Writes(part(body.dst, "destination"), bytes(body.dst_offset, body.size)));
            }
            Packet::FillBuffer(body) => {
                each(Writes(part(body.id, "destination"), bytes(body.offset, body.size)));
            }
            Packet::CopyToTexture(body) => {
                each(Reads(part(body.copy.buffer, "source")));
                each(Writes(copied(&body.copy, "destination"), Extent::Some));
            }
            Packet::CopyFromTexture(body) => {
                each(Reads(copied(&body.copy, "source")));
                each(Writes(part(body.copy.buffer, "destination"), Extent::Some));
            }
            Packet::ReadBack(body) => {
                each(Reads(view(body.src, "source")));
                each(Answers(body.data));
            }
            Packet::ReadBuffer(body) => {
                each(Reads(part(body.id, "source")));
                each(Answers(body.data));
            }
            Packet::BeginQuery(body) => each(Outputs(part(body.id, "query"))),
            Packet::EndQuery(body) => each(Outputs(part(body.id, "query"))),
            Packet::Present(body) if body.shows_nothing() => {}
            Packet::Present(body) => {
                each(Reads(part(body.texture, "picture")));
                each(Outputs(part(body.target, "target")));
            }
            Packet::Init(..)
            | Packet::BeginFrame(_)
            | Packet::Marker(..)
            | Packet::Overlay(_)
            | Packet::StateFigures(_)
            | Packet::SetRenderTargets(_)
            | Packet::SetViewport(_)
            | Packet::SetScissor(_)
            | Packet::SetViewports(..)
            | Packet::SetDepthBounds(_)
            | Packet::SetRaster(_)
            | Packet::SetDepthStencil(_)
            | Packet::SetBlend(..)
            | Packet::SetPixelOps(_)
            | Packet::SetVertexInput(_)
            | Packet::SetShaders(_)
            | Packet::SetTextures(..)
            | Packet::SetConstants(..)
            | Packet::SetStorage(..)
            | Packet::SetStorageImages(..)
            | Packet::UpdateTable(..)
            | Packet::SetFeedbackBuffers(..) => {}
        }
    }

    /// The object that the packet makes, or whose present target it declares.
    #[must_use]
    pub fn created(&self) -> Option<ObjectId> {
        let mut created = None;
        self.effects(|effect| {
            if let Effect::Creates { id, .. } | Effect::Declares(id) = effect {
                created = Some(id);
            }
        });
        created
    }

    /// Where in the upload arena the data lies that the packet brings or waits for, if it has any. It is what its body ends with:
    /// [`Packet::DATA_WORDS`] say it.
    #[must_use]
    pub fn data(&self) -> Option<UploadRef> {
        let mut data = None;
        self.effects(|effect| {
            if let Effect::Uploads(range) | Effect::Answers(range) = effect {
                data = Some(range);
            }
        });
        data
    }

    /// Words at the end of a body that are an [`UploadRef`].
    pub const DATA_WORDS: usize = size_of::<UploadRef>() / 8;

    /// Calls `each` with every range of the upload arena that the packet reads. A binding whose size is 0 means the rest
    /// of its slot, which only the arena knows.
    pub fn uploads(&self, arena: &dyn Arena, mut each: impl FnMut(UploadRef)) {
        self.effects(|effect| match effect {
            Effect::Uploads(range) => each(range),
            Effect::Binds { source, offset, size, .. } if source.kind() == Some(ObjectKind::Upload) => {
                let slot = source.serial();
                let rest = arena.slot_size(slot).unwrap_or(0).saturating_sub(offset);
                let size = if size == 0 { rest } else { size.min(rest) };
                each(UploadRef { slot, size: u32::try_from(size).unwrap_or(u32::MAX), offset });
            }
            _ => {}
        });
    }
}

// Data is what a body ends with.
const _: () = {
    const fn ends<B>(offset: usize) {
        assert!(offset + size_of::<UploadRef>() == size_of::<B>());
    }
    ends::<CreateShader>(std::mem::offset_of!(CreateShader, code));
    ends::<UpdateBuffer>(std::mem::offset_of!(UpdateBuffer, data));
    ends::<UpdateTexture>(std::mem::offset_of!(UpdateTexture, data));
    ends::<ReadBack>(std::mem::offset_of!(ReadBack, data));
    ends::<ReadBuffer>(std::mem::offset_of!(ReadBuffer, data));
};
