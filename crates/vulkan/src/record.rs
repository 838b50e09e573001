//! Captures: the stream from the start of a frame on, behind a keyframe with the whole state.

use crate::error::{Error, Result};
use crate::memory::{Buffer, Place};
use crate::readback::Copied;
use crate::renderer::Renderer;
use crate::submit::full_barrier;
use afterimage_capture::{CaptureError, Info, MemoryArena, Writer};
use afterimage_stream::packets::{CreateShader, Rect, UpdateBuffer, UpdateTexture, View};
use afterimage_stream::{Arena, Created, Encoder, ObjectId, ObjectKind, UploadRef};
use ash::vk;
use rustc_hash::FxHashMap;
use std::fs::File;
use std::io::BufWriter;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// A capture that was asked for or is being written.
pub(crate) struct Recording {
    path: PathBuf,
    frames: RangeInclusive<u64>,
    /// Open from the first frame on.
    writer: Option<Writer<BufWriter<File>>>,
    /// Word of the batch being executed from which on nothing has been written yet.
    from: usize,
}

/// The largest piece of data that one update packet of a keyframe carries.
const PIECE: usize = 64 << 20;

impl Renderer {
    /// Captures `frames` (numbers of their `BeginFrame`) to a file. A capture that has begun goes on; one that has not is
    /// replaced.
    pub fn start_capture(&mut self, path: &Path, frames: RangeInclusive<u64>) {
        if self.is_capturing() {
            tracing::warn!("a capture is being written; the next one can start when it is done");
            return;
        }
        self.recording = Some(Recording { path: path.to_owned(), frames, writer: None, from: 0 });
    }

    /// Captures the next `count` frames: what F10 does.
    pub fn capture_next_frames(&mut self, path: &Path, count: u64) {
        let next = self.state.frame + 1;
        self.start_capture(path, next..=next + count.saturating_sub(1));
    }

    /// Whether a capture is being written.
    #[must_use]
    pub fn is_capturing(&self) -> bool {
        self.recording.as_ref().is_some_and(|recording| recording.writer.is_some())
    }

    /// A frame begins with the packet at word `at` of the batch.
    pub(crate) fn record_begin(&mut self, frame: u64, at: usize) {
        let Some(recording) = &self.recording else { return };
        if recording.writer.is_some() || !recording.frames.contains(&frame) {
            return;
        }
        match self.open_recording() {
            Ok(writer) => {
                if let Some(recording) = &mut self.recording {
                    tracing::info!(
                        "capturing frames {frame} to {} to {}",
                        recording.frames.end(),
                        recording.path.display()
                    );
                    recording.writer = Some(writer);
                    recording.from = at;
                }
            }
            Err(error) => {
                tracing::error!("the capture cannot start: {error}");
                self.recording = None;
            }
        }
    }

    fn open_recording(&mut self) -> std::result::Result<Writer<BufWriter<File>>, String> {
        let Some(recording) = &self.recording else { return Err("none was asked for".into()) };
        let path = recording.path.clone();
        let info =
            Info { program: self.stats.program.clone(), device: self.gpu.profile.name.clone(), ..Info::default() };
        let (words, arena) = self.snapshot().map_err(|error| error.to_string())?;
        let open = || -> std::result::Result<_, CaptureError> {
            let mut writer = Writer::create(&path, &info)?;
            writer.keyframe(&words, &arena)?;
            Ok(writer)
        };
        open().map_err(|error| error.to_string())
    }

    /// Words up to `end` of the batch may be written: what they refer to may be gone when they have been executed.
    pub(crate) fn record_until(&mut self, batch: &[u64], end: usize, arena: &dyn Arena) {
        let Some(recording) = &mut self.recording else { return };
        let Some(writer) = &mut recording.writer else { return };
        let words = &batch[recording.from.min(end)..end];
        recording.from = end;
        if let Err(error) = writer.batch(words, arena) {
            tracing::error!("{}: {error}; the capture ends here", recording.path.display());
            self.recording = None;
        }
    }

    /// The batch has been executed.
    pub(crate) fn record_batch_end(&mut self, batch: &[u64], arena: &dyn Arena) {
        self.record_until(batch, batch.len(), arena);
        if let Some(recording) = &mut self.recording {
            recording.from = 0;
        }
    }

    /// A frame was presented.
    pub(crate) fn record_present(&mut self, frame: u64) {
        if self.is_capturing() && self.recording.as_ref().is_some_and(|recording| frame >= *recording.frames.end()) {
            self.finish_capture();
        }
    }

    /// Completes a capture that is being written; it is good up to here.
    pub fn finish_capture(&mut self) {
        if !self.is_capturing() {
            return;
        }
        let Some(recording) = self.recording.take() else { return };
        let Some(writer) = recording.writer else { return };
        match writer.finish() {
            Ok(summary) => tracing::info!(
                "{}: {} frames, {} packets, {} KiB",
                recording.path.display(),
                summary.frames,
                summary.packets,
                summary.file_bytes >> 10
            ),
            Err(error) => tracing::error!("{}: {error}", recording.path.display()),
        }
    }

    /// Packets that build the present state from nothing, with contents, and the arena that they refer to.
    ///
    /// # Errors
    /// Where the GPU does not give the contents out.
    pub fn snapshot(&mut self) -> Result<(Vec<u64>, MemoryArena)> {
        let mut buffers = FxHashMap::default();
        let mut textures: FxHashMap<ObjectId, Vec<(u16, u16, Copied)>> = FxHashMap::default();
        let ids = |kind| self.state.objects.iter(kind).map(|(id, _)| id).collect::<Vec<_>>();
        let (buffer_ids, mut texture_ids) = (ids(ObjectKind::Buffer), ids(ObjectKind::Texture));
        // Views have no texels of their own.
        texture_ids.retain(|id| self.root(*id) == *id);
        for id in buffer_ids {
            if let Some(copy) = self.copy_buffer(id)? {
                buffers.insert(id, copy);
            }
        }
        for id in texture_ids {
            textures.insert(id, self.copy_texture(id)?);
        }
        let number = self.submit()?;
        self.submissions.wait(number)?;
        let mut arena = MemoryArena::default();
        let mut encoder = Encoder::new();
        let (state, shaders) = (&self.state, &self.shaders);
        state.write(&mut encoder, |id, created, out| match created {
            Created::Buffer(body) => {
                let Some(copy) = buffers.get(&id) else { return };
                let bytes = copy.bytes(0, body.size as usize);
                for (index, piece) in bytes.chunks(PIECE).enumerate() {
                    let data = arena.push(piece);
                    out.push(&UpdateBuffer { id, flags: 0, offset: (index * PIECE) as u64, data });
                }
            }
            Created::Texture(_) => {
                for (level, layer, copied) in textures.get(&id).into_iter().flatten() {
                    copied.each_slice(|z, row_pitch, texels| {
                        let data: UploadRef = arena.push(texels);
                        out.push(&UpdateTexture {
                            id,
                            level: *level,
                            layer: *layer,
                            x: 0,
                            y: 0,
                            z,
                            width: copied.width,
                            height: copied.height,
                            depth: 1,
                            row_pitch,
                            slice_pitch: 0,
                            data,
                        });
                    });
                }
            }
            Created::Shader(body) => {
                let Some(shader) = shaders.get(id) else { return };
                let code = arena.push(&shader.code);
                out.push(&CreateShader { code, ..**body });
            }
            _ => {}
        });
        Ok((std::mem::take(encoder.batch()), arena))
    }

    /// Records a copy of a buffer's bytes for the CPU.
    fn copy_buffer(&mut self, id: ObjectId) -> Result<Option<Buffer>> {
        let Some(buffer) = self.buffers.get(id) else { return Ok(None) };
        let (backing, size) = (buffer.backing, buffer.desc.size);
        let copy = Buffer::new(&self.gpu, "snapshot", size, Place::ReadBack)?;
        self.end_pass();
        let cmd = self.main();
        full_barrier(&self.gpu, cmd);
        let region = [vk::BufferCopy { src_offset: backing.offset, dst_offset: 0, size }];
        // SAFETY: both buffers have `size` bytes from their offsets on.
        unsafe { self.gpu.raw.cmd_copy_buffer(cmd, backing.buffer, copy.raw, &region) };
        self.host_barrier(cmd);
        if let Some(buffer) = self.buffers.get_mut(id) {
            buffer.last_used = self.submissions.current;
        }
        Ok(Some(copy))
    }

    /// Records copies of a texture's subresources for the CPU: level, layer, texels.
    fn copy_texture(&mut self, id: ObjectId) -> Result<Vec<(u16, u16, Copied)>> {
        let Some(texture) = self.textures.get(id) else { return Ok(Vec::new()) };
        let desc = texture.desc;
        if desc.samples > 1 {
            tracing::warn!("{id} is multisampled: the capture starts with it cleared");
            return Ok(Vec::new());
        }
        if !texture.live {
            // Never written: zeros, as after creation.
            return Ok(Vec::new());
        }
        let mut copies = Vec::new();
        for layer in 0..desc.layers as u16 {
            for level in 0..desc.levels as u16 {
                let Some(texture) = self.textures.get(id) else { continue };
                if texture.blank & texture.bit(level.into(), layer.into()) != 0 {
                    continue;
                }
                let extent = texture.extent(level.into());
                let rect = Rect { x: 0, y: 0, width: extent.width, height: extent.height };
                let view = View { texture: id, level, layer };
                if let Some(copied) = self.copy_texels(view, rect, extent.depth)? {
                    copies.push((level, layer, copied));
                }
            }
        }
        Ok(copies)
    }
}

/// Why a replay stopped.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The file is damaged; what came before was drawn.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The renderer cannot go on.
    #[error(transparent)]
    Renderer(#[from] Error),
}

/// What a replay has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Frames presented.
    pub frames: u64,
    /// Draws asked for.
    pub draws: u64,
    /// Packets that were rejected or could not be executed.
    pub errors: u64,
}

impl Renderer {
    /// Draws a capture. Pictures go where the options say; windows that the capture names are not used.
    ///
    /// # Errors
    /// Where the file is damaged (what came before is drawn), or the device is lost.
    pub fn replay<R: std::io::Read>(
        &mut self,
        reader: &mut afterimage_capture::Reader<R>,
    ) -> std::result::Result<Replayed, ReplayError> {
        use afterimage_stream::{Executor, Reply};
        self.presenter.headless = true;
        self.stats.program.clone_from(&reader.info().program);
        self.recall();
        let (frames, draws) = (self.stats.frames, self.draws);
        let mut errors = 0;
        let mut count = |reply| errors += u64::from(matches!(reply, Reply::Error { .. }));
        let mut damage = None;
        loop {
            match reader.next() {
                // Rejected packets are counted by their replies.
                Ok(Some(batch)) => drop(self.execute(&batch.words, reader.arena(), &mut count)),
                Ok(None) => break,
                Err(error) => {
                    damage = Some(error);
                    break;
                }
            }
            if let Some(error) = self.take_loss() {
                return Err(error.into());
            }
        }
        self.finish(&mut count)?;
        match damage {
            Some(error) => Err(error.into()),
            None => Ok(Replayed { frames: self.stats.frames - frames, draws: self.draws - draws, errors }),
        }
    }
}
