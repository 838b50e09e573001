//! `ProcessVertices`: the vertex stage without a picture, into a buffer.
//!
//! The stage with what makes vertices of its results is one module ([`crate::translate`]). It runs in one of two places: in the
//! reference interpreter, into the bytes that the program locks; or as a draw of points whose outputs the receiver captures into its
//! copy of the buffer, which is then newer than the bytes here. These are fetched when something here wants them, and only then: what
//! is only drawn with never comes back. What the GPU has written and nobody has fetched goes with a lost receiver, as what it has drawn
//! does; the buffer then has the bytes from before.

use super::Device;
use crate::error::{Error, Result};
use crate::handle::{BufferId, DeclarationId};
use crate::machine::*;
use crate::translate::{CODES, Processing, VERTICES};
use afterimage_d3d9_types::*;
use afterimage_interp::{Environment, Interpreter, LANES, SampleArgs};
use afterimage_ir::{BankDecl, InputAt, InputDecl, TextureDecl};
use afterimage_shader_d3d9::{Bank, SystemRegister};
use afterimage_stream::packets::*;
use afterimage_stream::{DeviceFeatures, ObjectId, ObjectKind, VertexFormat};
use std::ops::Range;

// The interpreter takes 7.5 us a vertex (lit by one light, release, this machine's processor). A processing on the GPU takes 0.4 us of
// this thread, and 30 us of a lavapipe that has nothing else to do; where the program then locks the buffer, it waits for 300 us with
// lavapipe, however many they are up to a thousand (then 20 us per 100 more).

/// Vertices from which on a processing is the GPU's work, where its results are only drawn with.
const MANY: u32 = 8;
/// Vertices from which on it is even where the program looks at the results at once, and so waits for the GPU.
const VERY_MANY: u32 = 64;
/// After so many processings that the program has not looked at, it is likely not to look at the next.
const UNSEEN: u8 = 8;
/// Vertices whose clip codes wait for somebody who asks for them.
const CODES_AT_ONCE: u32 = 1 << 18;
/// Most bytes that are fetched in one piece.
const PIECE: u32 = 16 << 20;

/// Clip codes of vertices that the GPU has processed: what they say is put together when somebody asks.
#[derive(Debug, Default)]
pub(super) struct ClipCodes {
    /// Has room for so many words.
    id: ObjectId,
    room: u32,
    /// Words that are there, and whether any are.
    used: u32,
}

impl ClipCodes {
    /// Nobody wants those that there are.
    pub(super) fn forget(&mut self) {
        self.used = 0;
    }
}

/// Bytes of a vertex as elements lay it out.
fn vertex_size(elements: &[D3DVERTEXELEMENT9]) -> u32 {
    let end = |e: &D3DVERTEXELEMENT9| u32::from(e.Offset) + decl_type(e.Type).map_or(0, |(_, size)| size);
    elements.iter().map(end).max().unwrap_or(0)
}

/// What the stage reads: a group of vertices, and registers.
struct Vertices<'a> {
    sources: [VertexSource<'a>; STREAMS],
    inputs: &'a [VertexAttribute],
    registers: &'a Registers,
    fixed: &'a Constants,
    clip_planes: [[f32; 4]; CLIP_PLANES],
    first: u64,
}

impl Environment for Vertices<'_> {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        let InputAt::Location(location) = decl.at else { return [0; 4] };
        let input = self.inputs.iter().find(|input| input.location == location);
        let source = input.and_then(|input| {
            let format = VertexFormat::from_bits(input.format)?;
            Some((input, self.sources.get(usize::from(input.slot))?, format))
        });
        match source {
            Some((input, source, format)) => source.read(self.first + lane as u64, input.offset, format),
            None => [0.0, 0.0, 0.0, 1.0],
        }
        .map(f32::to_bits)
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        let of = |constants: &Constants| constants.all().get(index as usize).copied().unwrap_or_default();
        let own = &self.registers.vertex_constants;
        match bank.id {
            id if id == Bank::VertexFloat as u8 => of(own.file(File::Floats)),
            id if id == Bank::VertexInt as u8 => of(own.file(File::Ints)),
            id if id == Bank::VertexBool as u8 => of(own.file(File::Bools)),
            id if id == Bank::FixedVertex as u8 => of(self.fixed),
            // Of the system's registers the vertex stage is only asked for clip planes here.
            _ => {
                let plane = index.checked_sub(SystemRegister::ClipPlane.register().into());
                plane.and_then(|plane| self.clip_planes.get(plane as usize)).map_or([0; 4], |p| p.map(f32::to_bits))
            }
        }
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0, 0.0, 0.0, 1.0]
    }
}

/// Which vertices are processed into where.
#[derive(Clone)]
struct Job {
    /// First vertex of the streams.
    first: u32,
    count: u32,
    target: BufferId,
    /// Bytes of the target.
    place: Range<u32>,
    stride: u32,
}

impl Device {
    /// `ProcessVertices`: runs the vertex stage for `count` vertices from `first` on of the bound streams, and writes
    /// the results into `target`, from its vertex `target_first` on. They are laid out as `declaration` says, or else by
    /// the FVF code of the buffer. Positions are written in window coordinates where the layout has `POSITIONT`, and in
    /// clip space where it has `POSITION`. Vertices past the end of a stream read as zero.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] without a vertex declaration, for an unknown flag, a buffer of indices or one without a
    /// layout, a layout of other streams than the first, and where the buffer has no room; [`Error::Fail`] for a shader
    /// that does not end.
    pub fn process_vertices(
        &mut self,
        first: u32,
        target_first: u32,
        count: u32,
        target: BufferId,
        declaration: Option<DeclarationId>,
        flags: u32,
    ) -> Result<()> {
        let buffer = self.objects.buffers.get(target).filter(|buffer| !buffer.is_index()).ok_or(Error::InvalidCall)?;
        let elements = match declaration {
            Some(id) => self.objects.declarations.get(id).ok_or(Error::InvalidCall)?.used().to_vec(),
            None => fvf_elements(buffer.fvf)?,
        };
        let stride = vertex_size(&elements);
        let start = u64::from(target_first) * u64::from(stride);
        let end = start + u64::from(count) * u64::from(stride);
        let wrong = flags & !D3DPV_DONOTCOPYDATA != 0 || elements.iter().any(|element| element.Stream != 0);
        if stride == 0 || wrong || end > u64::from(buffer.size()) {
            return Err(Error::InvalidCall);
        }
        if count == 0 {
            return Ok(());
        }
        let number = self.processing(&elements, stride, flags)?;
        self.refresh_window();
        let job = Job { first, count, target, place: start as u32..end as u32, stride };
        if self.is_for_the_gpu(number, &job) {
            match self.process_there(number, &job) {
                Err(Error::DeviceLost) => {}
                done => return done,
            }
        }
        self.process_here(number, &job)
    }

    /// Whether the GPU is to process vertices, and can.
    fn is_for_the_gpu(&mut self, number: usize, job: &Job) -> bool {
        let Some(target) = self.objects.buffers.get_mut(job.target) else { return false };
        let many = if target.unseen < UNSEEN { VERY_MANY } else { MANY };
        target.unseen = target.unseen.saturating_add(1);
        let Some(processing) = self.objects.processings.get(number) else { return false };
        // The interpreter has no textures.
        let worth = job.count >= many || !processing.module.textures.is_empty();
        // A buffer that is locked is read and written here; what has not been sent yet overwrites what the GPU would write.
        let own = |stream: &Stream| stream.buffer == Some(job.target);
        worth
            && processing.fits
            && self.port.device().features & DeviceFeatures::FEEDBACK != 0
            && !self.port.is_lost()
            && self.locked_buffers.is_empty()
            && self.late_buffers.is_empty()
            && !self.registers.streams.all().iter().any(own)
    }

    /// Processes vertices on the GPU.
    fn process_there(&mut self, number: usize, job: &Job) -> Result<()> {
        self.make_storage(job.target)?;
        self.create_processing_object(number)?;
        let has_codes = self.objects.processings.get(number).is_some_and(Processing::has_codes);
        let codes = if has_codes { Some(self.room_for_codes(job.count)?) } else { None };
        self.processing = Some(number);
        self.registers.tracker.mark(Group::VertexShader);
        let applied = self.apply_level(Group::PROCESS);
        let raster = SetRaster { discard: 1, ..self.raster() };
        self.processing = None;
        self.registers.tracker.mark(Group::VertexShader);
        applied?;
        let target = self.objects.buffers.get_mut(job.target).ok_or(Error::InvalidCall)?;
        target.newer = if target.newer.is_empty() {
            job.place.clone()
        } else {
            target.newer.start.min(job.place.start)..target.newer.end.max(job.place.end)
        };
        let vertices = FeedbackBuffer {
            buffer: target.id,
            offset: job.place.start.into(),
            size: u64::from(job.count) * u64::from(job.stride),
            ..FeedbackBuffer::default()
        };
        self.port.put(&mut self.host.sent.raster, raster);
        self.registers.tracker.mark(Group::Raster);
        self.send_window();
        let bound = [vertices, codes.unwrap_or_default()];
        self.port.push_tail(&SetFeedbackBuffers { first: VERTICES.into(), count: bound.len() as u32 }, &bound);
        self.port.push(&BeginFeedback::default());
        self.port.push(&Draw {
            topology: Topology::PointList as u32,
            first: job.first,
            count: job.count,
            instances: 1,
            first_instance: 0,
            pad: 0,
        });
        self.port.push(&EndFeedback::default());
        let none = [FeedbackBuffer::default(); 2];
        self.port.push_tail(&SetFeedbackBuffers { first: VERTICES.into(), count: none.len() as u32 }, &none);
        self.port.flush_if_due();
        Ok(())
    }

    /// Has the receiver's copy of a buffer where captures can be written to it.
    fn make_storage(&mut self, id: BufferId) -> Result<()> {
        let buffer = self.objects.buffers.get_mut(id).ok_or(Error::InvalidCall)?;
        if buffer.storage {
            return Ok(());
        }
        let new = self.port.allocate(ObjectKind::Buffer)?;
        buffer.storage = true;
        let old = std::mem::replace(&mut buffer.id, new);
        self.destroy(old);
        self.create_buffer_object(id);
        self.upload_buffer(id);
        Ok(())
    }

    /// Where so many clip codes go.
    fn room_for_codes(&mut self, count: u32) -> Result<FeedbackBuffer> {
        if count > self.clip_codes.room - self.clip_codes.used {
            self.fold_clip_codes()?;
        }
        if count > self.clip_codes.room {
            let old = std::mem::take(&mut self.clip_codes).id;
            self.destroy(old);
            let room = count.max(CODES_AT_ONCE);
            let id = self.port.allocate(ObjectKind::Buffer)?;
            self.port.push(&CreateBuffer { id, usage: CreateBuffer::STORAGE, size: 4 * u64::from(room) });
            self.clip_codes = ClipCodes { id, room, used: 0 };
        }
        let codes = &mut self.clip_codes;
        let place = (codes.used, codes.id);
        codes.used += count;
        let (offset, size) = (4 * u64::from(place.0), 4 * u64::from(count));
        Ok(FeedbackBuffer { buffer: place.1, offset, size, ..FeedbackBuffer::default() })
    }

    /// Adds what the GPU has found to the clip status. Waits for it.
    pub(super) fn fold_clip_codes(&mut self) -> Result<()> {
        let used = std::mem::take(&mut self.clip_codes.used);
        let mut bytes = vec![0; 4 * used as usize];
        match self.read_bytes(self.clip_codes.id, 0, &mut bytes) {
            Ok(()) => {}
            // Nobody knows any more.
            Err(Error::DeviceLost) => return Ok(()),
            Err(error) => return Err(error),
        }
        for word in bytes.as_chunks::<4>().0 {
            self.clipped(u32::from_le_bytes(*word));
        }
        Ok(())
    }

    fn clipped(&mut self, code: u32) {
        self.clip_status.ClipUnion |= code;
        self.clip_status.ClipIntersection &= code;
    }

    /// Reads bytes of a buffer of the receiver's. Waits for the GPU.
    fn read_bytes(&mut self, id: ObjectId, offset: u32, bytes: &mut [u8]) -> Result<()> {
        let mut at = u64::from(offset);
        for bytes in bytes.chunks_mut(PIECE as usize) {
            let data = self.port.upload(bytes.len() as u32, 16)?;
            let token = self.port.token();
            self.port.push(&ReadBuffer { id, pad: 0, offset: at, token, data });
            if self.port.wait(token)? == 0 {
                tracing::warn!("the receiver could not read a buffer back");
                return Err(Error::NotAvailable);
            }
            self.port.read(&data, 0, bytes);
            at += bytes.len() as u64;
        }
        Ok(())
    }

    /// Has the bytes of a buffer here be those that the GPU has written, where it has. Waits for it. What a lost receiver had is gone.
    ///
    /// # Errors
    /// [`Error::NotAvailable`] if they cannot be read.
    pub(crate) fn fetch_buffer(&mut self, id: BufferId) -> Result<()> {
        let Some(buffer) = self.objects.buffers.get_mut(id).filter(|buffer| !buffer.newer.is_empty()) else {
            return Ok(());
        };
        let range = std::mem::take(&mut buffer.newer);
        let object = buffer.id;
        let mut bytes = vec![0; range.len()];
        match self.read_bytes(object, range.start, &mut bytes) {
            Ok(()) => {}
            Err(Error::DeviceLost) => {
                self.say_lost();
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        let buffer = self.objects.buffers.get_mut(id).ok_or(Error::InvalidCall)?;
        buffer.filled = true;
        let mut own = buffer.bytes.write().ok_or(Error::OutOfMemory)?;
        own.get_mut(range.start as usize..range.end as usize).ok_or(Error::Internal)?.copy_from_slice(&bytes);
        Ok(())
    }

    /// As [`Device::fetch_buffer`], of every stream.
    pub(super) fn fetch_streams(&mut self) -> Result<()> {
        for stream in *self.registers.streams {
            if let Some(id) = stream.buffer {
                self.fetch_buffer(id)?;
            }
        }
        Ok(())
    }

    /// A new receiver has nothing of what the old one's GPU has written.
    pub(crate) fn lose_processed(&mut self) {
        let mut any = false;
        for id in self.objects.buffers.ids() {
            if let Some(buffer) = self.objects.buffers.get_mut(id) {
                any |= !std::mem::take(&mut buffer.newer).is_empty();
            }
        }
        if any {
            self.say_lost();
        }
        let codes = std::mem::take(&mut self.clip_codes).id;
        if !codes.is_none() {
            self.port.recycle(codes);
        }
    }

    fn say_lost(&self) {
        tracing::warn!(
            "vertices that were processed on the GPU went with it: their buffers have what was there before"
        );
    }

    /// Processes vertices in the interpreter.
    fn process_here(&mut self, number: usize, job: &Job) -> Result<()> {
        self.fetch_streams()?;
        self.fetch_buffer(job.target)?;
        let processing = self.objects.processings.get(number).ok_or(Error::Internal)?;
        if !processing.module.textures.is_empty() && self.logged.insert("ProcessVertices with vertex textures") {
            tracing::warn!("ProcessVertices: vertex textures read as black where the GPU captures nothing");
        }
        let indexed = processing.program.reads.beyond;
        if processing.fixed {
            self.refresh_fixed_vertex(indexed);
        }
        let range = job.place.start as usize..job.place.end as usize;
        let buffer = self.objects.buffers.get(job.target).ok_or(Error::InvalidCall)?;
        let mut written = {
            let bytes = buffer.bytes.read().ok_or(Error::OutOfMemory)?;
            bytes.get(range.clone()).ok_or(Error::InvalidCall)?.to_vec()
        };
        let processing = self.objects.processings.get(number).ok_or(Error::Internal)?;
        if let Some((union, intersection)) = self.run_stage(processing, job, &mut written)? {
            self.clip_status.ClipUnion |= union;
            self.clip_status.ClipIntersection &= intersection;
        }
        let buffer = self.objects.buffers.get_mut(job.target).ok_or(Error::InvalidCall)?;
        let mut bytes = buffer.bytes.write().ok_or(Error::OutOfMemory)?;
        bytes.get_mut(range).ok_or(Error::InvalidCall)?.copy_from_slice(&written);
        drop(bytes);
        buffer.filled = true;
        self.send_buffer(job.target, job.place.clone(), 0);
        Ok(())
    }

    /// Runs the stage over the vertices of a job, and writes what it captures into `out`. Gives union and intersection of their clip
    /// codes where it makes some.
    fn run_stage(&self, stage: &Processing, job: &Job, out: &mut [u8]) -> Result<Option<(u32, u32)>> {
        let bytes = self.registers.streams.map(|stream| self.objects.buffers.get(stream.buffer?)?.bytes.read());
        let sources = std::array::from_fn(|index| {
            let stream = &self.registers.streams[index];
            let (offset, stride) = (stream.offset.into(), stream.stride.into());
            bytes[index].as_deref().map_or(VertexSource::default(), |bytes| VertexSource { bytes, offset, stride })
        });
        let mut vertices = Vertices {
            sources,
            inputs: &stage.inputs,
            registers: &self.registers,
            fixed: &self.host.fixed_vertex_constants,
            clip_planes: self.registers.clip_planes_for(stage.fixed),
            first: job.first.into(),
        };
        let interpreter = Interpreter::new(&stage.module).map_err(|error| {
            tracing::error!(%error, "ProcessVertices: a module that is none");
            Error::Internal
        })?;
        let (mut union, mut intersection) = (0, u32::MAX);
        let stride = job.stride as usize;
        for group in out.chunks_mut(LANES * stride) {
            let outcome = interpreter.run(&vertices).map_err(|error| {
                tracing::warn!(%error, "ProcessVertices");
                Error::Fail
            })?;
            for (lane, vertex) in group.chunks_mut(stride).enumerate() {
                for capture in &stage.module.feedback {
                    let output = outcome.outputs.get(capture.output.index()).map_or([0; 4], |lanes| lanes[lane]);
                    if capture.buffer == CODES {
                        union |= output[0];
                        intersection &= output[0];
                        continue;
                    }
                    let words = output.iter().take(capture.lanes.into());
                    for (at, word) in (capture.offset as usize..).step_by(4).zip(words) {
                        if let Some(to) = vertex.get_mut(at..at + 4) {
                            to.copy_from_slice(&word.to_le_bytes());
                        }
                    }
                }
            }
            vertices.first += LANES as u64;
        }
        Ok(stage.has_codes().then_some((union, intersection)))
    }
}
