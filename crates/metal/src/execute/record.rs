//! Captures: the stream from the start of a frame on, behind a keyframe with the whole state.

use crate::error::Result;
use crate::pipeline::shaders::GuestShader;
use crate::renderer::Renderer;
use crate::transfer::readback::Copied;
use afterimage_capture::{Info, MemoryArena, Recorder};
use afterimage_metal_calls::Device;
use afterimage_render::snapshot::{self, Contents};
use afterimage_render::table::Table;
use afterimage_stream::packets::{CreateTexture, Rect, UpdateTexture, View};
use afterimage_stream::{Arena, ObjectId, ObjectKind};
use rustc_hash::FxHashMap;
use std::ops::RangeInclusive;
use std::path::Path;

/// A level and layer of a texture.
struct Part<T> {
    level: u16,
    layer: u16,
    size: [u32; 2],
    /// Its planes, or its samples.
    planes: Vec<T>,
}

/// What the GPU has given out for a keyframe.
struct Kept<'a> {
    buffers: FxHashMap<ObjectId, Vec<u8>>,
    /// Texels in rows that are packed.
    textures: FxHashMap<ObjectId, Vec<Part<Vec<u8>>>>,
    shaders: &'a Table<GuestShader>,
}

impl Contents for Kept<'_> {
    fn buffer(&self, id: ObjectId, size: usize) -> Option<&[u8]> {
        self.buffers.get(&id).map(|bytes| &bytes[..size.min(bytes.len())])
    }

    fn code(&self, id: ObjectId) -> Option<&[u8]> {
        self.shaders.get(id).map(|shader| &shader.code[..])
    }

    fn texels(&self, id: ObjectId, texture: &CreateTexture, each: &mut dyn FnMut(UpdateTexture, &[u8])) {
        let Some(format) = afterimage_stream::Format::from_bits(texture.format) else { return };
        for Part { level, layer, size, planes } in self.textures.get(&id).into_iter().flatten() {
            let at = snapshot::part(id, *level, *layer);
            if texture.samples > 1 {
                snapshot::samples(&at, (*size, texture.samples.into()), &planes.concat(), each);
                continue;
            }
            for (z, texels) in (0..).zip(planes) {
                snapshot::plane(&at, z, (*size, format.row_bytes(size[0])), texels, each);
            }
        }
    }
}

impl<D: Device> Renderer<D> {
    /// Captures `frames` (numbers of their `BeginFrame`) to a file, besides what was asked for already. One capture runs at a time; the
    /// next begins when it is done.
    pub fn start_capture(&mut self, path: &Path, frames: RangeInclusive<u64>) {
        self.captures.want(path, frames);
    }

    /// Captures the next `count` frames: what F10 does.
    pub fn capture_next_frames(&mut self, path: &Path, count: u64) {
        self.captures.want_next(path, self.state.frame, count);
    }

    /// What any thread may call, as often as it likes, to have that many frames captured to a file, from the next one on that begins here.
    pub fn capture_requests(&self) -> impl Fn(&Path, u64) + Clone + Send + Sync + 'static + use<D> {
        self.captures.capture_requests()
    }

    /// What any thread may call, as often as it likes, to have the next presented picture written as `NAME-frame-000123.png`, which comes
    /// with its number; the name may have folders before it.
    pub fn picture_requests(&self) -> impl Fn(&Path) + Clone + Send + Sync + 'static + use<D> {
        self.captures.picture_requests()
    }

    /// Whether a capture is being recorded.
    #[must_use]
    pub fn is_capturing(&self) -> bool {
        self.captures.is_recording()
    }

    /// A frame begins with the packet at word `at` of the batch.
    #[cold]
    pub(crate) fn record_begin(&mut self, frame: u64, at: usize) {
        if let Some(due) = self.captures.due(frame, &self.presenter.pictures) {
            let opened = self.open_recorder(&due.path);
            self.captures.begin(due, at, opened, &self.presenter.pictures);
        }
    }

    fn open_recorder(&mut self, path: &Path) -> std::result::Result<Recorder, String> {
        let device = self.device.facts().name.clone();
        let info = Info { program: self.stats.program.clone(), device, ..Info::default() };
        let mut recorder = Recorder::create(path, &info).map_err(|error| error.to_string())?;
        let (words, arena) = self.snapshot().map_err(|error| error.to_string())?;
        for id in self.open_queries() {
            tracing::warn!("{id} has begun before the capture, and counts from there on when that is replayed");
        }
        // Where this fails, the first batch does.
        recorder.keyframe(words, arena);
        Ok(recorder)
    }

    /// Words up to `end` of the batch may be recorded: what they refer to may be gone when they have been executed.
    #[cold]
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
        // What waits for a pass to begin is part of the state.
        self.end_pass();
        let mut textures = Vec::new();
        let ids: Vec<_> = self.state.objects.iter(ObjectKind::Texture).map(|(id, _)| id).collect();
        // Views have no texels of their own.
        for id in ids.into_iter().filter(|id| self.root(*id) == *id).collect::<Vec<_>>() {
            textures.push((id, self.copy_texture(id)?));
        }
        let serial = self.submit()?;
        self.commands.wait(serial)?;
        let mut kept = Kept { buffers: FxHashMap::default(), textures: FxHashMap::default(), shaders: &self.shaders };
        for (id, _) in self.state.objects.iter(ObjectKind::Buffer) {
            if let Some(buffer) = self.resources.buffers.get(id) {
                let mut bytes = vec![0; buffer.desc.size as usize];
                self.device.read(&buffer.raw, 0, &mut bytes)?;
                kept.buffers.insert(id, bytes);
            }
        }
        for (id, parts) in textures {
            let read = |part: Part<Copied<D>>| -> Result<Part<Vec<u8>>> {
                let Part { level, layer, size, planes } = part;
                let planes = planes.iter().map(|copied| copied.texels(&self.device)).collect::<Result<_>>()?;
                Ok(Part { level, layer, size, planes })
            };
            kept.textures.insert(id, parts.into_iter().map(read).collect::<Result<_>>()?);
        }
        Ok(snapshot::write(&self.state, &kept, self.open_queries()))
    }

    /// Encodes copies of a texture's parts for the CPU.
    fn copy_texture(&mut self, id: ObjectId) -> Result<Vec<Part<Copied<D>>>> {
        let Some(texture) = self.resources.textures.get(id) else { return Ok(Vec::new()) };
        let desc = texture.desc;
        let mut parts = Vec::new();
        for layer in 0..desc.layers as u16 {
            for level in 0..desc.levels as u16 {
                let Some(texture) = self.resources.textures.get(id) else { continue };
                if texture.is_blank(level.into(), layer.into()) {
                    // Never written: zeros, as after creation.
                    continue;
                }
                let [width, height, depth] = texture.extent(level.into());
                let rect = Rect { x: 0, y: 0, width, height };
                let mut planes = Vec::new();
                if desc.samples > 1 {
                    for sample in 0..desc.samples {
                        planes.extend(self.copy_sample(View { texture: id, level, layer }, sample.into())?);
                    }
                } else if depth > 1 {
                    for z in 0..depth as u16 {
                        planes.extend(self.copy_texels(View { texture: id, level, layer: z }, rect)?);
                    }
                } else {
                    planes.extend(self.copy_texels(View { texture: id, level, layer }, rect)?);
                }
                parts.push(Part { level, layer, size: [width, height], planes });
            }
        }
        Ok(parts)
    }

    /// Completes every file that the options and requests ask for: pictures, captures, figures. How many could not be written, each of
    /// which is in the log. To be called when nothing more is to be drawn.
    pub fn finish_files(&mut self) -> u64 {
        self.finish_capture();
        if self.lost.is_none()
            && let Err(error) = self.finish(&mut |_| {})
        {
            tracing::warn!("at the end: {error}");
        }
        self.presenter.pictures.finish_files();
        self.write_stats();
        self.presenter.pictures.finish_log();
        self.presenter.pictures.failures.count()
    }
}
