//! Writing what is kept: every call behind packets that set what it needs.

use super::needs::{Selection, Shaders, has_views, lives};
use super::settle::Settle;
use super::touch;
use crate::Failure;
use afterimage_capture::{CaptureError, MemoryArena, Reader, Summary, Writer};
use afterimage_inspect::{Capture, Place};
use afterimage_output::Output;
use afterimage_stream::packets::*;
use afterimage_stream::{Arena, Encoder, ObjectKind, Packet, State, UploadRef};
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// Writes a capture of what is kept from one file to the other. Everything before its first frame is the keyframe.
pub(super) fn write(capture: &Capture, kept: &Selection, [from, path]: [&Path; 2]) -> Result<Summary, Failure> {
    let failed = |error: CaptureError| Failure::new(format!("{}: {error}", path.display()));
    let writer = Writer::create(path, capture.info()).map_err(failed)?;
    let mut rebuild = Rebuild {
        kept,
        shaders: Shaders::of(capture),
        wanted: State::default(),
        have: State::default(),
        out: Encoder::new(),
        writer,
        keyframe: Some(MemoryArena::default()),
        open: None,
        next: 1,
    };
    let lost = |error: CaptureError| Failure::capture(from, &error);
    let mut reader = capture.reader().map_err(lost)?;
    let mut packets = capture.packets(Place::default()).peekable();
    let mut frames = capture.frames().iter();
    for (number, batch) in (0..).zip(capture.batches()) {
        // Read again for what its packets refer to.
        if !goes_on(&mut reader).map_err(lost)? {
            break;
        }
        let (arena, time) = (reader.arena(), reader.time());
        while let Some((place, packet)) = packets.next_if(|(place, _)| place.batch == number) {
            if let Packet::BeginFrame(body) = packet {
                rebuild.end_frame();
                rebuild.flush(arena).map_err(failed)?;
                if frames.next().is_some_and(|frame| kept.any_of(&frame.calls)) {
                    rebuild.begin_frame(body, time).map_err(failed)?;
                }
            }
            let words = &batch.words[place.word as usize..];
            rebuild.packet(place, &packet, words, arena);
        }
        rebuild.flush(arena).map_err(failed)?;
    }
    rebuild.end_frame();
    rebuild.flush(reader.arena()).map_err(failed)?;
    rebuild.begin().map_err(failed)?;
    rebuild.writer.finish().map_err(failed)
}

/// Reads the next batch, behind damage as the model of the capture has.
fn goes_on<R: Read>(reader: &mut Reader<R>) -> Result<bool, CaptureError> {
    loop {
        match reader.next() {
            Ok(batch) => return Ok(batch.is_some()),
            Err(error @ CaptureError::Io { .. }) => return Err(error),
            // Told when the capture was opened.
            Err(_) => {}
        }
    }
}

struct Rebuild<'a> {
    kept: &'a Selection,
    shaders: Shaders<'a>,
    /// The state of the whole capture.
    wanted: State,
    /// The state that what was written builds.
    have: State,
    out: Encoder,
    writer: Writer<Output>,
    /// What packets before the first frame refer to, until that begins.
    keyframe: Option<MemoryArena>,
    /// The frame that has begun in what is written.
    open: Option<u64>,
    /// The next packet's number.
    next: u32,
}

type Written = Result<(), CaptureError>;

impl Rebuild<'_> {
    /// Hands on the packets so far, unless they are for the keyframe, which is written at once.
    fn flush(&mut self, arena: &dyn Arena) -> Written {
        if self.keyframe.is_some() || self.out.is_empty() {
            return Ok(());
        }
        let words = self.numbered();
        self.writer.batch(&words, arena)
    }

    /// Writes the keyframe, once.
    fn begin(&mut self) -> Written {
        match self.keyframe.take() {
            Some(arena) => {
                let words = self.numbered();
                self.writer.keyframe(&words, &arena)
            }
            None => Ok(()),
        }
    }

    /// The packets so far, numbered on.
    fn numbered(&mut self) -> Vec<u64> {
        let mut words = std::mem::take(self.out.batch());
        let starts: Vec<usize> = afterimage_stream::Reader::new(&words).flatten().map(|located| located.at).collect();
        for at in starts {
            let header: Header = bytemuck::cast(words[at]);
            words[at] = bytemuck::cast(Header { sequence: self.next, ..header });
            self.next = self.next.wrapping_add(1);
        }
        words
    }

    fn begin_frame(&mut self, body: &BeginFrame, time: Option<Duration>) -> Written {
        self.begin()?;
        if let Some(time) = time {
            self.writer.frame_at(time);
        }
        self.push(|out| out.push(body));
        self.open = Some(body.frame);
        // Uploaded vertices are there for one frame: bindings of them must be made anew.
        for (slot, binding) in (0..).zip(*self.have.vertex_buffers.all()) {
            if binding.source.kind() == Some(ObjectKind::Upload) {
                let body = SetVertexBuffers { first: slot, count: 1 };
                self.have.apply(&Packet::SetVertexBuffers(&body, &[VertexBuffer::default()]));
            }
        }
        if self.have.index_buffer.source.kind() == Some(ObjectKind::Upload) {
            self.have.apply(&Packet::SetIndexBuffer(&SetIndexBuffer::default()));
        }
        Ok(())
    }

    /// Ends the frame that has begun without a picture, if one has.
    fn end_frame(&mut self) {
        if let Some(frame) = self.open.take() {
            self.push(|out| out.push(&Present::nothing(frame)));
        }
    }

    /// Goes on in the whole capture; `words` begin with the packet.
    fn packet(&mut self, place: Place, packet: &Packet<'_>, words: &[u64], arena: &dyn Arena) {
        self.shaders.packet(packet);
        match packet {
            Packet::Init(..) => self.copy(words),
            Packet::Marker(..) if self.open.is_some() => self.copy(words),
            Packet::Destroy(body) if lives(&self.have, body.id) && !has_views(&self.have, body.id) => self.copy(words),
            _ if !self.kept.contains(place) => {
                if let Packet::Present(_) = packet {
                    self.end_frame();
                }
            }
            _ => {
                self.settle(packet, arena);
                // What it brings, as long as the keyframe is written, into whose memory that goes.
                let mut brings = None;
                packet.effects(|effect| {
                    if let Effect::Uploads(data) = effect {
                        brings = Some(data);
                    }
                });
                match brings.filter(|_| self.keyframe.is_some()) {
                    Some(data) => {
                        let header: Header = bytemuck::cast(words[0]);
                        let mut words = words[..usize::from(header.units)].to_vec();
                        let behind = words.len() - Packet::DATA_WORDS;
                        let data: [u64; Packet::DATA_WORDS] = bytemuck::cast(self.carry(data, arena));
                        words[behind..].copy_from_slice(&data);
                        self.copy(&words);
                    }
                    None => self.copy(words),
                }
                if let Packet::Present(_) = packet {
                    self.open = None;
                }
            }
        }
        self.wanted.apply(packet);
    }

    /// Sets what a call needs.
    fn settle(&mut self, packet: &Packet<'_>, arena: &dyn Arena) {
        let from = self.out.len();
        let Self { shaders, wanted, have, out, .. } = self;
        let slots = |wanted: &State, shaders: &mut Shaders<'_>| touch::slots(wanted, &mut |id| shaders.facts(id));
        let mut settle = Settle { wanted, have, out, arena };
        packet.effects(|effect| match effect {
            Effect::Draws { indexed } => {
                settle.draw(slots(wanted, shaders));
                if indexed {
                    settle.indices();
                }
            }
            Effect::Clears(..) => settle.targets(),
            Effect::Dispatches(shader) => settle.dispatch(shaders.facts(shader).slots),
            Effect::Feedback { ends: false } => settle.feedback_buffers(),
            // These name all that they need.
            Effect::Feedback { ends: true }
            | Effect::Creates { .. }
            | Effect::Declares(_)
            | Effect::Describes(_)
            | Effect::Destroys(_)
            | Effect::Uploads(_)
            | Effect::Answers(_)
            | Effect::Binds { .. }
            | Effect::Reads(_)
            | Effect::Writes(..)
            | Effect::Outputs(_) => {}
        });
        self.applied(from);
    }

    /// The same data where the keyframe has it. What is not there stays missing.
    fn carry(&mut self, data: UploadRef, arena: &dyn Arena) -> UploadRef {
        let mut bytes = Vec::new();
        while bytes.len() < data.size as usize {
            let at = bytes.len();
            bytes.resize((at + (1 << 20)).min(data.size as usize), 0);
            if !arena.copy_out(&data, at as u32, &mut bytes[at..]) {
                return UploadRef { slot: u32::MAX, ..data };
            }
        }
        self.keyframe.as_mut().map_or(data, |keyframe| keyframe.push(&bytes))
    }

    /// Writes a packet as it is.
    fn copy(&mut self, words: &[u64]) {
        let header: Header = bytemuck::cast(words[0]);
        self.push(|out| out.batch().extend_from_slice(&words[..usize::from(header.units)]));
    }

    fn push(&mut self, write: impl FnOnce(&mut Encoder)) {
        let from = self.out.len();
        write(&mut self.out);
        self.applied(from);
    }

    /// Takes over what the packets from a word on say.
    fn applied(&mut self, from: usize) {
        for located in afterimage_stream::Reader::new(&self.out.batch()[from..]).flatten() {
            self.have.apply(&located.packet);
        }
    }
}
