//! Captures: the stream from the start of a frame on, behind a keyframe with the whole state.

use crate::device::barrier::full_barrier;
use crate::device::memory::{Buffer, Place};
use crate::error::Result;
use crate::options::FrameSet;
use crate::pipeline::shaders::GuestShader;
use crate::renderer::Renderer;
use crate::transfer::readback::Copied;
use crate::transfer::samples::Samples;
use afterimage_capture::{Info, MemoryArena, Recorder};
use afterimage_render::snapshot::{self, Contents};
use afterimage_render::table::Table;
use afterimage_stream::packets::{CreateTexture, Rect, UpdateTexture, View};
use afterimage_stream::{Arena, ObjectId, ObjectKind};
use ash::vk;
use rustc_hash::FxHashMap;
use std::ops::RangeInclusive;
use std::path::Path;

/// A copy of a subresource's texels that the GPU is making.
enum Texels {
    Plain(Copied),
    Samples(Samples),
}

impl Texels {
    /// Updates that bring the texels back; `at` says where.
    fn write(&self, at: &UpdateTexture, texture: &CreateTexture, each: &mut dyn FnMut(UpdateTexture, &[u8])) {
        match self {
            Self::Plain(copied) => copied.each_slice(|z, row_pitch, texels| {
                snapshot::plane(at, z, ([copied.width, copied.height], row_pitch), texels, each);
            }),
            Self::Samples(samples) => {
                snapshot::samples(at, (samples.size(), texture.samples.into()), &samples.texels(), each);
            }
        }
    }
}

/// What the GPU has given out for a keyframe.
struct Kept<'a> {
    buffers: FxHashMap<ObjectId, Buffer>,
    textures: FxHashMap<ObjectId, Vec<(u16, u16, Texels)>>,
    shaders: &'a Table<GuestShader>,
}

impl Contents for Kept<'_> {
    fn buffer(&self, id: ObjectId, size: usize) -> Option<&[u8]> {
        self.buffers.get(&id).map(|copy| copy.bytes(0, size))
    }

    fn code(&self, id: ObjectId) -> Option<&[u8]> {
        self.shaders.get(id).map(|shader| &shader.code[..])
    }

    fn texels(&self, id: ObjectId, texture: &CreateTexture, each: &mut dyn FnMut(UpdateTexture, &[u8])) {
        for (level, layer, texels) in self.textures.get(&id).into_iter().flatten() {
            texels.write(&snapshot::part(id, *level, *layer), texture, each);
        }
    }
}

impl Renderer {
    /// Captures `frames` (numbers of their `BeginFrame`) to a file, besides what was asked for already. One capture runs at a
    /// time; the next begins when it is done.
    pub fn start_capture(&mut self, path: &Path, frames: RangeInclusive<u64>) {
        self.captures.want(path, frames);
    }

    /// Captures a set of frames: each range of numbers that follow each other to a file of its own, since each needs the state
    /// that it begins with. A single range goes to `path`, several to `NAME-FIRST-LAST.aftercap` beside it.
    pub fn start_captures(&mut self, path: &Path, frames: &FrameSet) {
        self.captures.want_set(path, frames);
    }

    /// Captures the next `count` frames: what F10 does.
    pub fn capture_next_frames(&mut self, path: &Path, count: u64) {
        self.captures.want_next(path, self.state.frame, count);
    }

    /// What any thread may call, as often as it likes, to have that many frames captured to a file, from the next one on that
    /// begins here.
    pub fn capture_requests(&self) -> impl Fn(&Path, u64) + Clone + Send + Sync + 'static {
        self.captures.capture_requests()
    }

    /// What any thread may call, as often as it likes, to have the next presented picture written as `NAME-frame-000123.png`,
    /// which comes with its number; the name may have folders before it.
    pub fn picture_requests(&self) -> impl Fn(&Path) + Clone + Send + Sync + 'static {
        self.captures.picture_requests()
    }

    /// Whether a capture is being recorded.
    #[must_use]
    pub fn is_capturing(&self) -> bool {
        self.captures.is_recording()
    }

    /// A frame begins with the packet at word `at` of the batch.
    pub(crate) fn record_begin(&mut self, frame: u64, at: usize) {
        if let Some(due) = self.captures.due(frame, &self.presenter.pictures) {
            let opened = self.open_recorder(&due.path);
            self.captures.begin(due, at, opened, &self.presenter.pictures);
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
        self.captures.record(batch, end, arena);
    }

    /// Ends a capture that is being recorded; it is good up to here. Waits until all files are complete.
    pub fn finish_capture(&mut self) {
        self.captures.finish(&self.presenter.pictures);
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
        let kept = Kept { buffers, textures, shaders: &self.programs.shaders };
        Ok(snapshot::write(&self.state, &kept, self.open_queries()))
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
