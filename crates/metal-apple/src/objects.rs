//! Handles of Metal's objects.

use crate::check;
use crate::check::Formats;
use crate::done::Done;
use afterimage_metal_calls::{Facts, Serial};
use objc2::rc::Retained;
use objc2::runtime::ProtocolObject;
use objc2_foundation::NSRange;
use objc2_metal::{
    MTLBuffer, MTLComputePipelineState, MTLDepthStencilState, MTLDevice, MTLFunction, MTLFunctionType,
    MTLRenderPipelineState, MTLSamplerState, MTLTexture,
};
use std::ptr::NonNull;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

/// How long the GPU may take, and more: it ends what takes longer by itself.
const LONGEST: Duration = Duration::from_secs(60);

/// `MTLDevice`. A clone is the same device.
#[derive(Clone, Debug)]
pub struct Device(pub(crate) Arc<DeviceParts>);

#[derive(Debug)]
pub(crate) struct DeviceParts {
    pub(crate) raw: Retained<ProtocolObject<dyn MTLDevice>>,
    pub(crate) facts: Facts,
}

/// `MTLBuffer`.
#[derive(Clone, Debug)]
pub struct Buffer(pub(crate) Arc<BufferParts>);

#[derive(Debug)]
pub(crate) struct BufferParts {
    pub(crate) raw: Retained<ProtocolObject<dyn MTLBuffer>>,
    /// Bytes.
    pub(crate) length: u64,
    /// Where the CPU has them, but of private ones; so many bytes for as long as the buffer is there.
    contents: Option<NonNull<u8>>,
    /// Whether CPU and GPU have a copy each.
    pub(crate) managed: bool,
    /// `gpuAddress`, or 0.
    pub(crate) address: u64,
    /// Whoever copies to or from `contents` has it, so that threads of ours do not meet there. In it is the command buffer that fetches what the GPU
    /// wrote, all of the buffer, so that nobody else may write before that is done.
    turn: RwLock<Option<(Arc<Done>, Serial)>>,
}

// SAFETY: Metal's buffers may be used, and let go of, by any thread (Apple, "Metal Programming Guide"); what `contents` points to is reached
// by `write` and `read` alone, which take turns.
unsafe impl Send for BufferParts {}
// SAFETY: as above.
unsafe impl Sync for BufferParts {}

impl Buffer {
    /// A buffer whose bytes the CPU reaches unless it is private.
    pub(crate) fn new(
        raw: Retained<ProtocolObject<dyn MTLBuffer>>,
        private: bool,
        managed: bool,
        address: u64,
    ) -> Self {
        let contents = (!private).then(|| raw.contents().cast());
        let length = raw.length() as u64;
        Self(Arc::new(BufferParts { raw, length, contents, managed, address, turn: RwLock::default() }))
    }

    /// Copies bytes in. Whether they fit, and the CPU reaches them.
    pub(crate) fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), String> {
        self.fill(offset, bytes.len(), &mut |place| place.copy_from_slice(bytes))
    }

    /// Has bytes written in place, likewise.
    pub(crate) fn fill(&self, offset: u64, length: usize, fill: &mut dyn FnMut(&mut [u8])) -> Result<(), String> {
        let to = self.place(offset, length)?;
        let mut turn = self.0.turn.write().unwrap_or_else(PoisonError::into_inner);
        if let Some((done, serial)) = &*turn
            && !done.wait(*serial, LONGEST)
        {
            return Err(format!("what the GPU wrote is not fetched after {} s", LONGEST.as_secs()));
        }
        *turn = None;
        // SAFETY: `place` found that so many bytes are there, which have been written since the buffer was made, and this thread has the only
        // turn. That the GPU does not use them meanwhile is what the trait asks of who calls; if it does, it gets some mixture of bytes.
        fill(unsafe { std::slice::from_raw_parts_mut(to.as_ptr().cast(), length) });
        if self.0.managed && length > 0 {
            self.0.raw.didModifyRange(NSRange::new(crate::convert::bytes(offset), length));
        }
        Ok(())
    }

    /// A command buffer that is about to be committed fetches what the GPU wrote.
    pub(crate) fn fetched_by(&self, done: &Arc<Done>, serial: Serial) {
        *self.0.turn.write().unwrap_or_else(PoisonError::into_inner) = Some((done.clone(), serial));
    }

    /// Copies bytes out. Whether they are there, and the CPU reaches them.
    pub(crate) fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<(), String> {
        let from = self.place(offset, bytes.len())?;
        let _turn = self.0.turn.read().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: as in `write`, and nobody writes while others read.
        unsafe { from.copy_to_nonoverlapping(NonNull::from(&mut *bytes).cast(), bytes.len()) };
        Ok(())
    }

    /// Where so many bytes are.
    fn place(&self, offset: u64, size: usize) -> Result<NonNull<u8>, String> {
        let contents = self.0.contents.ok_or("a private buffer")?;
        if !check::fits(offset, size as u64, self.0.length) {
            return Err(format!("{size} bytes from {offset} on of {}", self.0.length));
        }
        // SAFETY: inside of the buffer, whose bytes are there for as long as it is.
        Ok(unsafe { contents.add(crate::convert::bytes(offset)) })
    }
}

/// `MTLTexture`, or a view of one.
#[derive(Clone, Debug)]
pub struct Texture(pub(crate) Arc<TextureParts>);

#[derive(Debug)]
pub(crate) struct TextureParts {
    pub(crate) raw: Retained<ProtocolObject<dyn MTLTexture>>,
    pub(crate) is: check::Texture,
}

// SAFETY: Metal's textures may be used, and let go of, by any thread (Apple, "Metal Programming Guide"); nothing here reaches their memory.
unsafe impl Send for TextureParts {}
// SAFETY: as above.
unsafe impl Sync for TextureParts {}

impl Texture {
    pub(crate) fn new(raw: Retained<ProtocolObject<dyn MTLTexture>>, is: check::Texture) -> Self {
        Self(Arc::new(TextureParts { raw, is }))
    }

    /// A texture that is no view.
    pub(crate) fn root(raw: Retained<ProtocolObject<dyn MTLTexture>>, is: check::Texture) -> Self {
        let root = Retained::as_ptr(&raw).addr();
        Self::new(raw, check::Texture { root, ..is })
    }
}

/// `MTLSamplerState`.
#[derive(Clone, Debug)]
pub struct Sampler(pub(crate) Retained<ProtocolObject<dyn MTLSamplerState>>);

/// `MTLFunction`.
#[derive(Clone, Debug)]
pub struct Function {
    pub(crate) raw: Retained<ProtocolObject<dyn MTLFunction>>,
    pub(crate) ty: MTLFunctionType,
}

/// Bit n of a stage: its functions write to the buffer at index n. Known where that matters: for managed buffers.
pub(crate) type Writes = [u32; 3];

/// `MTLRenderPipelineState`.
#[derive(Clone, Debug)]
pub struct RenderPipeline {
    pub(crate) raw: Retained<ProtocolObject<dyn MTLRenderPipelineState>>,
    pub(crate) formats: Formats,
    pub(crate) writes: Writes,
}

/// `MTLComputePipelineState`.
#[derive(Clone, Debug)]
pub struct ComputePipeline {
    pub(crate) raw: Retained<ProtocolObject<dyn MTLComputePipelineState>>,
    /// `maxTotalThreadsPerThreadgroup`.
    pub(crate) threads: u64,
    pub(crate) writes: Writes,
}

/// `MTLDepthStencilState`.
#[derive(Clone, Debug)]
pub struct DepthStencil {
    pub(crate) raw: Retained<ProtocolObject<dyn MTLDepthStencilState>>,
    /// Whether it tests or writes depth, and stencil: the pass has such an attachment then.
    pub(crate) uses: [bool; 2],
}
