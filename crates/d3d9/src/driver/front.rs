//! `GetFrontBufferData`: the picture that a swap chain has presented last.
//!
//! A back buffer is the program's again once it is presented, so the picture has to be kept beside it. Only programs that ask
//! pay for that: the first call answers with the back buffer as it stands, and from then on each presented picture is
//! copied, until nobody has asked for a while.

use super::Device;
use crate::error::{Error, Result};
use crate::handle::*;
use crate::memory::Locked;
use afterimage_d3d9_types::*;

/// Frames without a question after which pictures are not kept any more.
const KEPT: u64 = 300;

/// The picture that is kept, as large as what it is shown on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Front {
    pub(super) image: ImageId,
    size: (u32, u32),
    /// The frame of the last question.
    asked: u64,
    /// Where it is for the processor, once [`Device::with_shown`] has asked for that.
    memory: Option<ImageId>,
}

impl Device {
    /// Whether a surface can take what is shown.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] unless it is A8R8G8B8 in system memory.
    pub fn check_front_destination(&self, destination: Surface) -> Result<()> {
        let desc = self.surface_desc(destination)?;
        let fits = desc.Format == D3DFMT_A8R8G8B8 && matches!(desc.Pool, D3DPOOL_SYSTEMMEM | D3DPOOL_SCRATCH);
        if fits { Ok(()) } else { Err(Error::InvalidCall) }
    }

    /// `GetFrontBufferData`: the picture that was presented last, as large as the window (or screen) that shows it, put into
    /// `destination` with its upper left corner at a place. What does not fit is cut off, what is around it stays. Waits for the
    /// GPU.
    ///
    /// # Errors
    /// As [`Device::check_front_destination`].
    pub fn front_buffer_data(&mut self, chain: SwapChainId, destination: Surface, at: POINT) -> Result<()> {
        self.check_front_destination(destination)?;
        let image = self.front(chain)?.image;
        self.copy_to_memory(Surface::of(image), destination, at)
    }

    /// Does something with the picture that was presented last, in memory and as large as the window that shows it: blue, green, red and
    /// something else of each pixel. Waits for the GPU.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a chain that is gone; where there is no memory.
    pub fn with_shown(&mut self, chain: SwapChainId, see: &mut dyn FnMut(&Locked, (u32, u32))) -> Result<()> {
        let Front { image, size: (width, height), memory, .. } = self.front(chain)?;
        let memory = match memory {
            Some(memory) => memory,
            None => {
                let memory = self.create_offscreen_plain(width, height, D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM)?;
                self.objects.images.bind(Some(memory));
                if let Some(front) = self.objects.swap_chains.get_mut(chain).and_then(|chain| chain.front.as_mut()) {
                    front.memory = Some(memory);
                }
                memory
            }
        };
        let memory = Surface::of(memory);
        self.copy_to_memory(Surface::of(image), memory, POINT::default())?;
        let locked = self.lock_surface(memory, None, D3DLOCK_READONLY)?;
        see(&locked, (width, height));
        self.unlock_surface(memory)
    }

    /// The picture of a chain that is kept, from now on if it was not.
    fn front(&mut self, chain: SwapChainId) -> Result<Front> {
        let asked = self.port.frame();
        if let Some(Front { asked: last, .. }) = self.objects.swap_chains.get_mut(chain).and_then(|c| c.front.as_mut())
        {
            *last = asked;
        } else {
            let found = self.objects.swap_chains.get(chain).ok_or(Error::InvalidCall)?;
            // What was shown last is the last in line.
            let (last, own, parameters) = (found.images.last().copied(), found.window, found.parameters);
            let last = last.ok_or(Error::Internal)?;
            let size = self.shown_size(own, &parameters);
            self.make_front(chain, size)?;
            self.keep_shown(chain, last, (None, None), size);
        }
        self.objects.swap_chains.get(chain).and_then(|chain| chain.front).ok_or(Error::Internal)
    }

    /// Makes the image that pictures are kept in, instead of the one before.
    fn make_front(&mut self, chain: SwapChainId, size: (u32, u32)) -> Result<()> {
        self.drop_front(chain);
        let one_sample = (D3DMULTISAMPLE_NONE, 0);
        let target = D3DUSAGE_RENDERTARGET;
        let image = self.create_surface([size.0, size.1, 1], target, D3DFMT_A8R8G8B8, one_sample, false, false)?;
        self.objects.images.bind(Some(image));
        if let Some(chain) = self.objects.swap_chains.get_mut(chain) {
            chain.front = Some(Front { image, size, asked: self.port.frame(), memory: None });
        }
        Ok(())
    }

    /// Keeps no more pictures of a chain.
    pub(super) fn drop_front(&mut self, chain: SwapChainId) {
        let front = self.objects.swap_chains.get_mut(chain).and_then(|chain| chain.front.take());
        if let Some(front) = front {
            self.unbind_handle(Handle::Image(front.image));
            front.memory.into_iter().for_each(|memory| self.unbind_handle(Handle::Image(memory)));
        }
    }

    /// A picture is about to be shown on something of a size: keeps it if the program asks for such.
    pub(super) fn keep_shown(
        &mut self,
        chain: SwapChainId,
        image: ImageId,
        (source, destination): (Option<&RECT>, Option<&RECT>),
        size: (u32, u32),
    ) {
        let Some(front) = self.objects.swap_chains.get(chain).and_then(|chain| chain.front) else { return };
        if self.port.frame() > front.asked + KEPT {
            return self.drop_front(chain);
        }
        if front.size != size && self.make_front(chain, size).is_err() {
            return;
        }
        let Some(kept) = self.objects.swap_chains.get_mut(chain).and_then(|chain| chain.front.as_mut()) else { return };
        // A new image is no new question.
        kept.asked = front.asked;
        let (from, to, linear) = (Surface::of(image), Surface::of(kept.image), D3DTEXF_LINEAR);
        let kept = self.stretch_rect(from, source, to, destination, linear);
        // Rectangles that reach over the edges are the receiver's to clip; here the whole picture stands for them.
        if let Err(error) = kept.or_else(|_| self.stretch_rect(from, None, to, None, linear))
            && self.logged.insert("GetFrontBufferData")
        {
            tracing::warn!(%error, "GetFrontBufferData: presented pictures cannot be copied; it gives the back buffer");
        }
    }
}
