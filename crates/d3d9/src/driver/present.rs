//! Swap chains, their windows, and presenting: the end of a frame.

use super::Device;
use super::front::Front;
use crate::error::{Error, Result};
use crate::handle::*;
use crate::machine::Group;
use afterimage_d3d9_types::*;
use afterimage_stream::packets::{self, PresentTarget, Rect, WindowKind};
use afterimage_stream::{ObjectId, ObjectKind};
use smallvec::SmallVec;

/// Where a swap chain's pictures go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// What `handle` is.
    pub kind: WindowKind,
    /// The window; 0 for [`WindowKind::Headless`].
    pub handle: u64,
    /// Width of its client area in pixels, used where the parameters leave the size to us; 0 if that is not known.
    pub width: u32,
    /// Height of its client area in pixels.
    pub height: u32,
}

impl Window {
    /// No window: pictures are made and shown to nobody.
    pub const HEADLESS: Self = Self { kind: WindowKind::Headless, handle: 0, width: 0, height: 0 };
}

/// A present target that the receiver knows.
#[derive(Debug)]
pub(crate) struct Target {
    pub(super) packet: PresentTarget,
    /// Gamma that the receiver knows of, if there is any.
    pub(super) gamma: Option<Box<D3DGAMMARAMP>>,
}

/// A swap chain.
#[derive(Debug)]
pub(crate) struct SwapChain {
    pub(super) parameters: D3DPRESENT_PARAMETERS,
    pub(super) window: Window,
    /// Back buffers.
    pub(crate) images: SmallVec<[ImageId; 3]>,
    /// What the program has set, unless that changes nothing.
    pub(super) gamma: Option<Box<D3DGAMMARAMP>>,
    /// The picture that was presented last, where the program asks for it.
    pub(super) front: Option<Front>,
}

/// Fills in and checks presentation parameters, as `CreateDevice` and `Reset` do.
pub(super) fn complete(parameters: &mut D3DPRESENT_PARAMETERS, window: Window, extended: bool) -> Result<()> {
    let most = if extended { D3DPRESENT_BACK_BUFFERS_MAX_EX } else { D3DPRESENT_BACK_BUFFERS_MAX };
    let effect = parameters.SwapEffect;
    let windowed = parameters.Windowed != FALSE;
    let effect_fits = match effect {
        D3DSWAPEFFECT_DISCARD | D3DSWAPEFFECT_FLIP => true,
        D3DSWAPEFFECT_COPY => parameters.BackBufferCount <= 1,
        D3DSWAPEFFECT_OVERLAY | D3DSWAPEFFECT_FLIPEX => extended,
        _ => false,
    };
    let interval_fits = matches!(
        parameters.PresentationInterval,
        D3DPRESENT_INTERVAL_DEFAULT
            | D3DPRESENT_INTERVAL_ONE
            | D3DPRESENT_INTERVAL_TWO
            | D3DPRESENT_INTERVAL_THREE
            | D3DPRESENT_INTERVAL_FOUR
            | D3DPRESENT_INTERVAL_IMMEDIATE
    );
    let samples_fit = parameters.MultiSampleType == D3DMULTISAMPLE_NONE || effect == D3DSWAPEFFECT_DISCARD;
    if parameters.BackBufferCount > most || !effect_fits || !interval_fits || !samples_fit {
        return Err(Error::InvalidCall);
    }
    parameters.BackBufferCount = parameters.BackBufferCount.max(1);
    if windowed {
        let or = |asked: u32, have: u32| if asked != 0 { asked } else { have.max(1) };
        parameters.BackBufferWidth = or(parameters.BackBufferWidth, window.width);
        parameters.BackBufferHeight = or(parameters.BackBufferHeight, window.height);
        if parameters.BackBufferFormat == D3DFMT_UNKNOWN {
            parameters.BackBufferFormat = D3DFMT_X8R8G8B8;
        }
    } else if parameters.BackBufferWidth == 0 || parameters.BackBufferHeight == 0 {
        return Err(Error::InvalidCall);
    }
    Ok(())
}

/// Checks what `CreateDevice` and `Reset` are given, without doing anything.
///
/// # Errors
/// [`Error::InvalidCall`] for parameters that cannot be.
pub fn check_parameters(parameters: &D3DPRESENT_PARAMETERS, extended: bool) -> Result<()> {
    complete(&mut parameters.clone(), Window::HEADLESS, extended)
}

/// Frames that a receiver may be behind where the program does not say, as on Windows.
const DEFAULT_LATENCY: u32 = 3;

/// A rectangle of the program as one of the stream; empty means all.
fn rect(rect: Option<&RECT>) -> Rect {
    let Some(rect) = rect else { return Rect::default() };
    let length = |first: i32, end: i32| end.saturating_sub(first).max(0) as u32;
    Rect { x: rect.left, y: rect.top, width: length(rect.left, rect.right), height: length(rect.top, rect.bottom) }
}

impl Device {
    pub(super) fn implicit_chain(&self) -> Option<SwapChainId> {
        self.objects.swap_chains.ids().first().copied()
    }

    /// Makes a swap chain with its back buffers.
    pub(super) fn make_chain(
        &mut self,
        parameters: &mut D3DPRESENT_PARAMETERS,
        window: Window,
        held: bool,
    ) -> Result<SwapChainId> {
        complete(parameters, window, self.extended)?;
        let images = self.make_back_buffers(parameters)?;
        self.target(window, parameters)?;
        let chain = SwapChain { parameters: self.stored(parameters), window, images, gamma: None, front: None };
        Ok(self.objects.swap_chains.insert(chain, held))
    }

    /// Parameters as a swap chain gives them back: with the focus window where no other was named.
    pub(super) fn stored(&self, parameters: &D3DPRESENT_PARAMETERS) -> D3DPRESENT_PARAMETERS {
        let window = if parameters.hDeviceWindow == 0 { self.creation.hFocusWindow } else { parameters.hDeviceWindow };
        D3DPRESENT_PARAMETERS { hDeviceWindow: window, ..*parameters }
    }

    pub(super) fn make_back_buffers(&mut self, parameters: &D3DPRESENT_PARAMETERS) -> Result<SmallVec<[ImageId; 3]>> {
        let mut images = SmallVec::new();
        let lockable = parameters.Flags & D3DPRESENTFLAG_LOCKABLE_BACKBUFFER != 0;
        for _ in 0..parameters.BackBufferCount {
            let image = self.create_surface(
                [parameters.BackBufferWidth, parameters.BackBufferHeight, 1],
                D3DUSAGE_RENDERTARGET,
                parameters.BackBufferFormat,
                (parameters.MultiSampleType, parameters.MultiSampleQuality),
                lockable,
                false,
            )?;
            self.objects.images.bind(Some(image));
            images.push(image);
        }
        Ok(images)
    }

    /// How large pictures are shown in a window: as it is, or as the back buffer is where that is not known.
    pub(super) fn shown_size(&self, window: Window, parameters: &D3DPRESENT_PARAMETERS) -> (u32, u32) {
        let or = |asked: u32, have: u32| if asked != 0 { asked } else { have };
        (or(window.width, parameters.BackBufferWidth), or(window.height, parameters.BackBufferHeight))
    }

    /// The present target of a window, declared where it is new or has another size.
    pub(super) fn target(&mut self, window: Window, parameters: &D3DPRESENT_PARAMETERS) -> Result<ObjectId> {
        let (width, height) = self.shown_size(window, parameters);
        let same = |t: &&mut Target| (t.packet.window_kind, t.packet.window) == (window.kind as u32, window.handle);
        if let Some(target) = self.targets.iter_mut().find(same) {
            if (target.packet.width, target.packet.height) != (width, height) {
                (target.packet.width, target.packet.height) = (width, height);
                self.port.push(&target.packet);
            }
            return Ok(target.packet.id);
        }
        let id = self.port.allocate(ObjectKind::Target)?;
        let packet = PresentTarget { id, width, height, window_kind: window.kind as u32, window: window.handle };
        self.port.push(&packet);
        self.targets.push(Target { packet, gamma: None });
        Ok(id)
    }

    /// Exchanges what two handles stand for.
    pub(super) fn swap_images(&mut self, a: ImageId, b: ImageId) {
        let (Some(mut one), Some(mut two)) = (self.objects.images.take(a), self.objects.images.take(b)) else { return };
        std::mem::swap(&mut one.value, &mut two.value);
        self.objects.images.put(a, one);
        self.objects.images.put(b, two);
    }

    /// `CreateAdditionalSwapChain`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for bad parameters.
    pub fn create_swap_chain(&mut self, parameters: &mut D3DPRESENT_PARAMETERS, window: Window) -> Result<SwapChainId> {
        // A device that has the screen has one swap chain, and an additional one cannot have it.
        let implicit = self.implicit_chain().and_then(|chain| self.objects.swap_chains.get(chain));
        if parameters.Windowed == FALSE || implicit.is_some_and(|chain| chain.parameters.Windowed == FALSE) {
            return Err(Error::InvalidCall);
        }
        self.make_chain(parameters, window, true)
    }

    /// The swap chain of a number; 0 is the implicit one.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] if there is none (only the implicit one has a number).
    pub fn swap_chain(&self, index: u32) -> Result<SwapChainId> {
        self.implicit_chain().filter(|_| index == 0).ok_or(Error::InvalidCall)
    }

    fn chain(&self, chain: SwapChainId) -> Result<&SwapChain> {
        self.objects.swap_chains.get(chain).ok_or(Error::InvalidCall)
    }

    /// Parameters of a swap chain as they are now.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a chain that is gone.
    pub fn present_parameters(&self, chain: SwapChainId) -> Result<D3DPRESENT_PARAMETERS> {
        Ok(self.chain(chain)?.parameters)
    }

    /// Where a swap chain's pictures go.
    #[must_use]
    pub fn window(&self, chain: SwapChainId) -> Option<Window> {
        Some(self.chain(chain).ok()?.window)
    }

    /// A back buffer of a swap chain.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] past the last one.
    pub fn back_buffer(&self, chain: SwapChainId, index: u32) -> Result<Surface> {
        let image = self.chain(chain)?.images.get(index as usize).ok_or(Error::InvalidCall)?;
        Ok(Surface::of(*image))
    }

    /// `SetMaximumFrameLatency`: frames that [`Device::present`] lets the receiver be behind. `None` leaves it to the link.
    pub fn set_frame_latency(&mut self, frames: Option<u32>) {
        self.frame_latency = frames;
    }

    /// `GetMaximumFrameLatency`.
    #[must_use]
    pub fn frame_latency(&self) -> u32 {
        self.frame_latency.unwrap_or(DEFAULT_LATENCY)
    }

    /// `Present` of one chain. Ends the frame. `window` overrides where the picture goes. Blocks where the receiver is
    /// too many frames behind. Of `flags`, `D3DPRESENT_DONOTWAIT`, `D3DPRESENT_DONOTFLIP` and `D3DPRESENT_FORCEIMMEDIATE`
    /// have a meaning here; the others concern overlays.
    ///
    /// # Errors
    /// [`Error::DeviceLost`] while there is no receiver; everything goes on by itself when there is one again.
    /// [`Error::WasStillDrawing`] instead of blocking, where the flags ask for that; nothing is shown then.
    pub fn present(
        &mut self,
        chain: SwapChainId,
        source: Option<&RECT>,
        destination: Option<&RECT>,
        window: Option<Window>,
        flags: u32,
    ) -> Result<()> {
        let found = self.chain(chain)?;
        let (parameters, own) = (found.parameters, found.window);
        let image = found.images.first().copied().ok_or(Error::Internal)?;
        if self.recover() || self.port.take_incomplete() {
            // What was drawn of this frame went to the receiver that is gone: the next one is complete.
            return Ok(());
        }
        if self.port.is_lost() {
            return Err(Error::DeviceLost);
        }
        let latency = u64::from(self.frame_latency());
        if flags & D3DPRESENT_DONOTWAIT != 0 && self.port.frames_ahead() >= latency {
            return Err(Error::WasStillDrawing);
        }
        let target = self.target(window.unwrap_or(own), &parameters)?;
        self.send_gamma(chain, target);
        self.settle(image);
        // What goes to another window is not what this chain's shows.
        if window.is_none() {
            self.keep_shown(chain, image, (source, destination), self.shown_size(own, &parameters));
        }
        let interval = match parameters.PresentationInterval {
            _ if flags & D3DPRESENT_FORCEIMMEDIATE != 0 => 0,
            D3DPRESENT_INTERVAL_IMMEDIATE => 0,
            D3DPRESENT_INTERVAL_TWO => 2,
            D3DPRESENT_INTERVAL_THREE => 3,
            D3DPRESENT_INTERVAL_FOUR => 4,
            _ => 1,
        };
        let interval = self.overrides.interval.unwrap_or(interval);
        self.port.push(&packets::StateFigures::from(self.registers.tracker.take_figures()));
        self.port.push(&packets::Present {
            frame: self.port.frame(),
            target,
            texture: self.object(image),
            src: rect(source),
            dst: rect(destination),
            interval,
            pad: 0,
        });
        self.port.end_frame();
        if self.frame_latency.is_some() {
            self.port.wait_for_frames(latency);
        }
        if flags & D3DPRESENT_DONOTFLIP == 0 {
            self.flip(chain);
        }
        self.catch_up();
        self.between_frames();
        // Fresh upload data of the frame is gone with it.
        self.registers.lose_first_stream();
        if self.port.is_lost() { Err(Error::DeviceLost) } else { Ok(()) }
    }

    /// What was shown goes behind the other back buffers, each of which moves up by one.
    fn flip(&mut self, chain: SwapChainId) {
        let Ok(found) = self.chain(chain) else { return };
        if found.images.len() < 2 {
            return;
        }
        let images = found.images.clone();
        for pair in images.windows(2) {
            self.swap_images(pair[0], pair[1]);
        }
        self.registers.tracker.mark(Group::RenderTargets);
    }
}
