//! Captures: the stream from the start of a frame on, behind a keyframe with the whole state.

use crate::device::barrier::full_barrier;
use crate::device::memory::{Buffer, Place};
use crate::error::Result;
use crate::options::FrameSet;
use crate::present::presenter::saved;
use crate::renderer::Renderer;
use crate::transfer::readback::Copied;
use crate::transfer::samples::Samples;
use afterimage_capture::{CaptureError, Info, MemoryArena, Recorder, Summary};
use afterimage_output::{Failures, part_of};
use afterimage_render::captures::{Request, Running, files};
use afterimage_stream::packets::{BeginQuery, CreateShader, CreateTexture, Rect, UpdateBuffer, UpdateTexture, View};
use afterimage_stream::{Arena, Created, Encoder, ObjectId, ObjectKind};
use ash::vk;
use bytemuck::Zeroable;
use rustc_hash::FxHashMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

/// Says how a capture's thread has ended.
fn tell(path: &Path, result: std::result::Result<Summary, CaptureError>, failures: &Failures) {
    match &result {
        Ok(summary) => tracing::info!(
            "{}: {} frames, {} packets, {} KiB",
            path.display(),
            summary.frames,
            summary.packets,
            summary.file_bytes >> 10
        ),
        Err(error) => {
            let _told = failures.note(path, Err::<(), _>(error));
            tracing::error!(
                "cannot write {}: {error}; what it is good for is in {}",
                path.display(),
                part_of(path).display()
            );
        }
    }
}

/// The largest piece of data that one update packet of a keyframe carries.
const PIECE: usize = 64 << 20;

/// A copy of a subresource's texels that the GPU is making.
enum Texels {
    Plain(Copied),
    Samples(Samples),
}

impl Texels {
    /// Updates that bring the texels back; `at` says where.
    fn write(&self, at: &UpdateTexture, texture: &CreateTexture, out: &mut Encoder, arena: &mut MemoryArena) {
        match self {
            Self::Plain(copied) => copied.each_slice(|z, row_pitch, texels| {
                let data = arena.push(texels);
                let (width, height) = (copied.width, copied.height);
                out.push(&UpdateTexture { z, width, height, depth: 1, row_pitch, data, ..*at });
            }),
            Self::Samples(samples) => {
                let ([width, height], depth) = (samples.size(), u32::from(texture.samples));
                let texels = samples.texels();
                let sample = texels.len() / depth as usize;
                let row = sample / height as usize;
                // All samples of some rows.
                let rows = (PIECE / (row * depth as usize)).clamp(1, height as usize);
                for y in (0..height).step_by(rows) {
                    let height = (height - y).min(rows as u32);
                    let part = y as usize * row..(y + height) as usize * row;
                    let pieces: Vec<u8> =
                        texels.chunks_exact(sample).flat_map(|texels| &texels[part.clone()]).copied().collect();
                    let (row_pitch, slice_pitch) = (row as u32, part.len() as u32);
                    let data = arena.push(&pieces);
                    out.push(&UpdateTexture { y, width, height, depth, row_pitch, slice_pitch, data, ..*at });
                }
            }
        }
    }
}

impl Renderer {
    /// Captures `frames` (numbers of their `BeginFrame`) to a file, besides what was asked for already. One capture runs at a
    /// time; the next begins when it is done.
    pub fn start_capture(&mut self, path: &Path, frames: RangeInclusive<u64>) {
        self.captures.wanted.push((path.to_owned(), frames));
    }

    /// Captures a set of frames: each range of numbers that follow each other to a file of its own, since each needs the state
    /// that it begins with. A single range goes to `path`, several to `NAME-FIRST-LAST.aftercap` beside it.
    pub fn start_captures(&mut self, path: &Path, frames: &FrameSet) {
        self.captures.wanted.extend(files(path, frames));
    }

    /// Captures the next `count` frames: what F10 does.
    pub fn capture_next_frames(&mut self, path: &Path, count: u64) {
        let next = self.state.frame + 1;
        self.start_capture(path, next..=next.saturating_add(count.saturating_sub(1)));
    }

    /// What any thread may call, as often as it likes, to have that many frames captured to a file, from the next one on that
    /// begins here.
    pub fn capture_requests(&self) -> impl Fn(&Path, u64) + Clone + Send + Sync + 'static {
        let requests = Arc::clone(&self.captures.requests);
        move |path, frames| requests.add(Request::Capture(path.to_owned(), frames))
    }

    /// What any thread may call, as often as it likes, to have the next presented picture written as `NAME-frame-000123.png`,
    /// which comes with its number; the name may have folders before it.
    pub fn picture_requests(&self) -> impl Fn(&Path) + Clone + Send + Sync + 'static {
        let requests = Arc::clone(&self.captures.requests);
        move |name| requests.add(Request::Picture(name.to_owned()))
    }

    /// A batch begins: what was asked for since the last one.
    #[inline]
    pub(crate) fn take_requests(&mut self) {
        if !self.captures.requests.any.load(Ordering::Relaxed) {
            return;
        }
        self.captures.requests.any.store(false, Ordering::Release);
        let requests = Arc::clone(&self.captures.requests);
        let list = std::mem::take(&mut *requests.list.lock().unwrap_or_else(PoisonError::into_inner));
        for request in list {
            match request {
                Request::Capture(path, frames) => {
                    self.capture_next_frames(&path, frames);
                    self.captures.by_hand.push(path);
                }
                Request::Picture(name) => self.presenter.keep_next(name),
            }
        }
    }

    /// Whether a capture is being recorded.
    #[must_use]
    pub fn is_capturing(&self) -> bool {
        self.captures.running.is_some()
    }

    /// A frame begins with the packet at word `at` of the batch.
    pub(crate) fn record_begin(&mut self, frame: u64, at: usize) {
        self.finish_writing(false);
        if self.captures.running.is_some() {
            self.record_time();
            return;
        }
        let wanted = &mut self.captures.wanted;
        // One that could not begin in time because another ran is done late rather than not at all.
        let Some(index) = wanted.iter().position(|(_, frames)| *frames.start() <= frame) else { return };
        let (path, frames) = wanted.remove(index);
        let count = frames.end() - frames.start();
        let last = if frames.contains(&frame) { *frames.end() } else { frame.saturating_add(count) };
        match self.open_recorder(&path) {
            Ok(recorder) => {
                tracing::info!("capturing frames {frame} to {last} to {}", path.display());
                self.captures.running = Some(Running { path, last, recorder, begun: Instant::now(), from: at });
                self.record_time();
            }
            Err(error) => {
                let _told = self.presenter.failures.note(&path, Err::<(), _>(&error));
                tracing::error!("the capture cannot start: {error}");
            }
        }
    }

    /// Says in the capture when the frame began: now, or as the capture that is being replayed says.
    fn record_time(&mut self) {
        let replayed = self.captures.replayed;
        if let Some(running) = &mut self.captures.running
            && let Some(time) = replayed.unwrap_or_else(|| Some(running.begun.elapsed()))
        {
            running.recorder.frame_at(time);
        }
    }

    fn open_recorder(&mut self, path: &Path) -> std::result::Result<Recorder, String> {
        let info =
            Info { program: self.stats.program.clone(), device: self.gpu.profile.name.clone(), ..Info::default() };
        let mut recorder = Recorder::create(path, &info).map_err(|error| error.to_string())?;
        let (words, arena) = self.snapshot().map_err(|error| error.to_string())?;
        self.warn_of_losses();
        // Where this fails, the first batch does.
        recorder.keyframe(words, arena);
        Ok(recorder)
    }

    /// Says by name what a capture that starts now does not have. (Of texels and samples it was said when they were read.)
    fn warn_of_losses(&self) {
        for id in self.open_queries() {
            tracing::warn!("{id} has begun before the capture, and counts from there on when that is replayed");
        }
        for id in &self.resources.shared {
            tracing::warn!("{id} is shared: what other programs draw into it during the capture is not in it");
        }
        for (id, _) in self.state.objects.iter(ObjectKind::Texture) {
            if let Some(texture) = self.resources.textures.get(id)
                && texture.source.is_none()
                && texture.live
                && texture.choice.replaced
                && texture.format.is_depth()
                && texture.format.info().bytes <= 4
            {
                let (name, format) = (&self.gpu.profile.name, texture.format.info().name);
                tracing::warn!(
                    "{id}: {name} has {:?} for {format}: the capture has its depth as {format}, which may be less exact",
                    texture.choice.format
                );
            }
        }
    }

    /// Words up to `end` of the batch may be recorded: what they refer to may be gone when they have been executed.
    pub(crate) fn record_until(&mut self, batch: &[u64], end: usize, arena: &dyn Arena) {
        let Some(running) = &mut self.captures.running else { return };
        let words = &batch[running.from.min(end)..end];
        running.from = end;
        if !running.recorder.batch(words, arena) {
            self.stop_recording();
        }
    }

    /// The batch has been executed.
    pub(crate) fn record_batch_end(&mut self, batch: &[u64], arena: &dyn Arena) {
        self.record_until(batch, batch.len(), arena);
        if let Some(running) = &mut self.captures.running {
            running.from = 0;
        }
    }

    /// A frame was presented.
    pub(crate) fn record_present(&mut self, frame: u64) {
        if self.captures.running.as_ref().is_some_and(|running| frame >= running.last) {
            self.stop_recording();
        }
    }

    /// Records no more; the thread completes the file.
    fn stop_recording(&mut self) {
        if let Some(mut running) = self.captures.running.take() {
            running.recorder.finish();
            self.captures.writing.push((running.path, running.recorder));
        }
    }

    /// Says which files have been written; waits for those that have not if `all`.
    fn finish_writing(&mut self, all: bool) {
        let done = |(_, recorder): &mut (PathBuf, Recorder)| all || recorder.is_done();
        for (path, recorder) in self.captures.writing.extract_if(.., done) {
            let written = recorder.wait();
            if let Some(at) = self.captures.by_hand.iter().position(|asked| *asked == path) {
                self.captures.by_hand.swap_remove(at);
                self.presenter.notices.say(&saved(&path, &written));
            }
            tell(&path, written, &self.presenter.failures);
        }
    }

    /// Says which captures have been written by now.
    pub(crate) fn say_captured(&mut self) {
        if !self.captures.writing.is_empty() {
            self.finish_writing(false);
        }
    }

    /// Ends a capture that is being recorded; it is good up to here. Waits until all files are complete.
    pub fn finish_capture(&mut self) {
        self.stop_recording();
        self.finish_writing(true);
    }

    /// No capture is wanted any more.
    pub(crate) fn forget_captures(&mut self) {
        self.finish_capture();
        self.captures.wanted.clear();
    }

    /// Packets that build the present state from nothing, with contents, and the arena that they refer to.
    ///
    /// # Errors
    /// Where the GPU does not give the contents out.
    pub fn snapshot(&mut self) -> Result<(Vec<u64>, MemoryArena)> {
        let mut buffers = FxHashMap::default();
        let mut textures: FxHashMap<ObjectId, Vec<(u16, u16, Texels)>> = FxHashMap::default();
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
        self.recorder.submissions.wait(number)?;
        let mut arena = MemoryArena::default();
        let mut encoder = Encoder::new();
        let shaders = &self.programs.shaders;
        self.state.write(&mut encoder, |id, created, out| match created {
            Created::Buffer(body) => {
                let Some(copy) = buffers.get(&id) else { return };
                let bytes = copy.bytes(0, body.size as usize);
                for (index, piece) in bytes.chunks(PIECE).enumerate() {
                    let data = arena.push(piece);
                    out.push(&UpdateBuffer { id, flags: 0, offset: (index * PIECE) as u64, data });
                }
            }
            Created::Texture(texture) => {
                for (level, layer, texels) in textures.get(&id).into_iter().flatten() {
                    let zero = UpdateTexture::zeroed();
                    let at = UpdateTexture { id, level: *level, layer: *layer, ..zero };
                    texels.write(&at, texture, out, &mut arena);
                }
            }
            Created::Shader(body) => {
                let Some(shader) = shaders.get(id) else { return };
                let code = arena.push(&shader.code);
                out.push(&CreateShader { code, ..**body });
            }
            _ => {}
        });
        for id in self.open_queries() {
            encoder.push(&BeginQuery { id, pad: 0 });
        }
        Ok((std::mem::take(encoder.batch()), arena))
    }

    /// Records a copy of a buffer's bytes for the CPU.
    fn copy_buffer(&mut self, id: ObjectId) -> Result<Option<Buffer>> {
        let Some(buffer) = self.resources.buffers.get(id) else { return Ok(None) };
        let (source, offset, size) = (buffer.backing.buffer, buffer.backing.offset, buffer.desc.size);
        let copy = Buffer::new(&self.gpu, "snapshot", size, Place::ReadBack)?;
        self.end_pass();
        let cmd = self.recorder.main();
        full_barrier(&self.gpu, cmd);
        let region = [vk::BufferCopy { src_offset: offset, dst_offset: 0, size }];
        // SAFETY: both buffers have `size` bytes from their offsets on.
        unsafe { self.gpu.raw.cmd_copy_buffer(cmd, source, copy.raw, &region) };
        self.host_barrier(cmd);
        if let Some(buffer) = self.resources.buffers.get_mut(id) {
            buffer.last_used = self.recorder.submissions.current;
        }
        Ok(Some(copy))
    }

    /// Records copies of a texture's subresources for the CPU: level, layer, texels.
    fn copy_texture(&mut self, id: ObjectId) -> Result<Vec<(u16, u16, Texels)>> {
        let Some(texture) = self.resources.textures.get(id) else { return Ok(Vec::new()) };
        let desc = texture.desc;
        if !texture.live {
            // Never written: zeros, as after creation.
            return Ok(Vec::new());
        }
        let mut copies = Vec::new();
        for layer in 0..desc.layers as u16 {
            for level in 0..desc.levels as u16 {
                let Some(texture) = self.resources.textures.get(id) else { continue };
                if texture.blank & texture.bit(level.into(), layer.into()) != 0 {
                    continue;
                }
                let extent = texture.extent(level.into());
                let rect = Rect { x: 0, y: 0, width: extent.width, height: extent.height };
                let view = View { texture: id, level, layer };
                let texels = match desc.samples {
                    0 | 1 => self.copy_texels(view, rect, extent.depth)?.map(Texels::Plain),
                    _ => self.read_samples(view)?.map(Texels::Samples),
                };
                copies.extend(texels.map(|texels| (level, layer, texels)));
            }
        }
        Ok(copies)
    }
}
