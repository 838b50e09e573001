//! A guest of the renderer: ids, upload memory, packets, frames. What captures and benchmarks have in common.

use std::cell::RefCell;
use std::ops::Range;

use afterimage_stream::packets::*;
use afterimage_stream::{Arena, Encoder, Executor, ObjectId, ObjectKind, Reply, UploadRef};
use afterimage_vulkan::{Options, Renderer};

/// Why something was not executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GuestError {
    /// No device, or none that can do it.
    #[error("{0}")]
    Device(String),
    /// A packet was refused.
    #[error("the renderer refused the packet with sequence number {0}; its log says why")]
    Refused(u32),
}

/// Upload memory of one slot, which each batch begins anew.
#[derive(Default)]
pub struct Uploads(RefCell<Vec<u8>>);

impl Uploads {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.get_mut().clear();
    }

    /// Puts bytes behind those that are there.
    pub fn put(&self, bytes: &[u8]) -> UploadRef {
        let mut all = self.0.borrow_mut();
        let offset = all.len().next_multiple_of(16);
        all.resize(offset, 0);
        all.extend_from_slice(bytes);
        UploadRef { slot: 0, size: bytes.len() as u32, offset: offset as u64 }
    }

    /// The words of a range, after something was read back into it.
    pub fn words(&self, range: &UploadRef) -> Vec<u32> {
        let all = self.0.borrow();
        let bytes = place(&all, range, 0, range.size as usize).map(|place| &all[place]).unwrap_or_default();
        bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_ne_bytes(*bytes)).collect()
    }
}

fn place(all: &[u8], range: &UploadRef, at: u32, len: usize) -> Option<Range<usize>> {
    let first = usize::try_from(range.offset).ok()?.checked_add(at as usize)?;
    let end = first.checked_add(len)?;
    (range.slot == 0 && end <= all.len()).then_some(first..end)
}

impl Arena for Uploads {
    fn slot_size(&self, slot: u32) -> Option<u64> {
        (slot == 0).then_some(self.0.borrow().len() as u64)
    }

    fn copy_out(&self, range: &UploadRef, at: u32, out: &mut [u8]) -> bool {
        let all = self.0.borrow();
        place(&all, range, at, out.len()).is_some_and(|place| {
            out.copy_from_slice(&all[place]);
            true
        })
    }

    fn copy_in(&self, range: &UploadRef, at: u32, bytes: &[u8]) -> bool {
        let mut all = self.0.borrow_mut();
        place(&all, range, at, bytes.len()).is_some_and(|place| {
            all[place].copy_from_slice(bytes);
            true
        })
    }
}

/// A guest and its renderer.
pub struct Guest {
    /// What executes.
    pub renderer: Renderer,
    /// Where packets go.
    pub encoder: Encoder,
    /// Upload memory.
    pub uploads: Uploads,
    serials: [u32; 9],
    frame: u64,
}

impl Guest {
    /// Opens a device, and begins a stream and its first frame. A device without transform feedback of its own is refused unless the
    /// options do without.
    ///
    /// # Errors
    /// [`GuestError::Device`].
    pub fn open(options: Options) -> Result<Self, GuestError> {
        let native = !options.without.transform_feedback;
        let renderer = Renderer::new(options).map_err(|error| GuestError::Device(error.to_string()))?;
        let profile = &renderer.gpu().profile;
        if native && profile.transform_feedback.is_none() {
            let why = "has no VK_EXT_transform_feedback, so there is no native path; the lowered one is there";
            return Err(GuestError::Device(format!("{} {why}", profile.name)));
        }
        let (encoder, uploads) = (Encoder::new(), Uploads::default());
        let mut guest = Self { renderer, encoder, uploads, serials: [0; 9], frame: 1 };
        let name = b"xfb-cases";
        let init = Init { version: Init::VERSION, count: name.len() as u32, process: std::process::id(), guest: 0 };
        guest.encoder.push_tail(&init, name);
        guest.encoder.push(&BeginFrame { frame: 1 });
        Ok(guest)
    }

    /// An id that was never used.
    pub fn id(&mut self, kind: ObjectKind) -> ObjectId {
        self.serials[kind as usize] += 1;
        ObjectId::new(kind, self.serials[kind as usize])
    }

    /// A buffer of words, or of one if there are none.
    pub fn buffer(&mut self, usage: u32, words: &[u32]) -> ObjectId {
        let bytes: &[u8] = bytemuck::cast_slice(words);
        let id = self.room(usage, bytes.len().max(4) as u64);
        if !bytes.is_empty() {
            let data = self.uploads.put(bytes);
            self.encoder.push(&UpdateBuffer { id, flags: 0, offset: 0, data });
        }
        id
    }

    /// A buffer of so many bytes.
    pub fn room(&mut self, usage: u32, size: u64) -> ObjectId {
        let id = self.id(ObjectKind::Buffer);
        self.encoder.push(&CreateBuffer { id, usage, size });
        id
    }

    /// A vertex shader in the IR's text.
    pub fn shader(&mut self, text: &str) -> ObjectId {
        let id = self.id(ObjectKind::Shader);
        let code = self.uploads.put(text.as_bytes());
        self.encoder.push(&CreateShader {
            id,
            stage: Stage::Vertex as u32,
            language: Language::Ir as u32,
            pad: 0,
            code,
        });
        id
    }

    /// Asks for the first bytes of a buffer: where they will be once this is executed.
    pub fn read(&mut self, id: ObjectId, bytes: u64) -> UploadRef {
        let data = self.uploads.put(&vec![0; bytes as usize]);
        self.encoder.push(&ReadBuffer { id, pad: 0, offset: 0, token: 0, data });
        data
    }

    /// Ends the frame without a picture, and begins the next.
    pub fn end_frame(&mut self) {
        self.encoder.push(&Present::nothing(self.frame));
        self.frame += 1;
        self.encoder.push(&BeginFrame { frame: self.frame });
    }

    /// Executes what was encoded, and waits until it is done.
    ///
    /// # Errors
    /// [`GuestError::Refused`] with the first packet that was refused, [`GuestError::Device`] where the device is lost.
    pub fn execute(&mut self) -> Result<Vec<Reply>, GuestError> {
        let batch = std::mem::take(self.encoder.batch());
        let mut replies = Vec::new();
        let result = self.renderer.execute(&batch, &self.uploads, &mut |reply| replies.push(reply));
        let refused = replies.iter().find_map(|reply| match reply {
            Reply::Error { sequence } => Some(*sequence),
            _ => None,
        });
        if let Some(sequence) = refused.or(result.err().map(|error| error.sequence)) {
            return Err(GuestError::Refused(sequence));
        }
        let finished = self.renderer.finish(&mut |reply| replies.push(reply));
        finished.map_err(|error| GuestError::Device(error.to_string()))?;
        Ok(replies)
    }
}
