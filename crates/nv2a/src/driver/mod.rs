//! The Xbox's Direct3D draw API: calls in, push buffer out.
//!
//! A [`Device`] turns calls into packets of Kelvin methods, collects them, and writes them to a ring in guest memory when it is
//! kicked. It draws nothing itself: whatever runs the ring does, our [`machine`](crate::machine) or a console.
//!
//! Resources are addresses: the Xbox's `D3DResource` is no more than a header with one, and programs place them themselves. So
//! are formats of methods: the Xbox's enumerations (`D3DCMP_...`, `D3DBLEND_...`) have the hardware's values, and states take
//! them as they are.
//!
//! * [`channel`]: the way to the machine, and the objects it must know. `push`: packets and the ring.
//! * [`declaration`], `vertex_state`, `draw`, `immediate`, [`patch`]: vertices. `record`: recorded push buffers.
//! * [`render_states`], `texture`, [`combine`], [`transform`], `program`, `target`: state.
//!
//! Source: `docs/sources/nv2a.md#direct3d-calls`.

pub mod channel;
pub mod combine;
pub mod declaration;
mod draw;
mod error;
mod immediate;
pub mod patch;
mod program;
mod push;
mod record;
pub mod render_states;
mod target;
mod texture;
pub mod transform;
mod vertex_state;

pub use channel::{Channel, handle, initialize};
pub use declaration::{Declaration, Element, ElementType};
pub use draw::vertices_of;
pub use error::DriverError;
pub use immediate::VERTEX;
pub use program::{PixelShader, VertexShader};
pub use record::{Fixup, PushBuffer};
pub use render_states::RenderState;
pub use target::{ClearColor, SurfaceFormat, Target, Viewport};
pub use texture::{Sampler, Shape, Texture};
pub use vertex_state::StreamSource;

use afterimage_nv2a_types::method;
use afterimage_nv2a_types::methods::METHOD_WORDS;
use push::{Packets, Ring};
use vertex_state::{Arrays, VertexState};

/// Packets that are kept before they are sent without being asked for.
const KICK_WORDS: usize = 16 * 1024;

/// The device of the Xbox's Direct3D.
#[derive(Debug)]
pub struct Device {
    packets: Packets,
    ring: Ring,
    /// Last argument of each method, where it is known.
    sent: Box<[Option<u32>; METHOD_WORDS]>,
    vertex: VertexState,
    immediate: bool,
    /// While recording: the packets from before it.
    recording: Option<Vec<u32>>,
    states: render_states::States,
    transform: transform::State,
    textures: texture::Stages,
    combine: combine::Combine,
    program: program::Bound,
    target: Option<Target>,
    patches: patch::Cache,
}

impl Device {
    /// A device whose ring is `bytes` bytes at `address` of physical memory. Its first packets bind Kelvin and the memory
    /// object ([`initialize`]) and set every state to what the Xbox starts with.
    ///
    /// # Errors
    /// [`DriverError::Ring`] for rings that cannot hold the largest packet.
    pub fn new(address: u32, bytes: u32) -> Result<Self, DriverError> {
        let mut device = Self {
            packets: Packets::default(),
            ring: Ring::new(address, bytes)?,
            sent: Box::new([None; METHOD_WORDS]),
            vertex: VertexState::new(),
            immediate: false,
            recording: None,
            states: render_states::States::default(),
            transform: transform::State::default(),
            textures: texture::Stages::default(),
            combine: combine::Combine::default(),
            program: program::Bound::default(),
            target: None,
            patches: patch::Cache::default(),
        };
        device.packets.method(method::SET_OBJECT, &[handle::KELVIN]);
        for dma in [
            method::SET_CONTEXT_DMA_A,
            method::SET_CONTEXT_DMA_B,
            method::SET_CONTEXT_DMA_COLOR,
            method::SET_CONTEXT_DMA_ZETA,
            method::SET_CONTEXT_DMA_VERTEX_A,
            method::SET_CONTEXT_DMA_VERTEX_B,
            method::SET_CONTEXT_DMA_SEMAPHORE,
            method::SET_CONTEXT_DMA_REPORT,
        ] {
            device.packets.method(dma, &[handle::MEMORY]);
        }
        device.send_all_render_states();
        Ok(device)
    }

    /// The address at which the ring starts: GET and PUT of a machine that has run nothing yet.
    #[must_use]
    pub fn ring_start(&self) -> u32 {
        self.ring.start()
    }

    /// Sends arguments unless the hardware has them already.
    pub(crate) fn emit(&mut self, method: u16, arguments: &[u32]) {
        let at = usize::from(method / 4);
        let known = &mut self.sent[at..at + arguments.len()];
        if known.iter().zip(arguments).any(|(known, argument)| *known != Some(*argument)) {
            known.iter_mut().zip(arguments).for_each(|(known, argument)| *known = Some(*argument));
            self.packets.method(method, arguments);
        }
    }

    /// Sends floats unless the hardware has them already.
    pub(crate) fn emit_floats<const N: usize>(&mut self, method: u16, arguments: [f32; N]) {
        self.emit(method, &arguments.map(f32::to_bits));
    }

    fn forget_arrays(&mut self) {
        self.vertex.sent = Arrays::Unknown;
    }

    /// Methods in words that the device did not write: what it sent to them no longer holds. `words` are whole packets.
    fn forget_methods_in(&mut self, words: &[u32]) {
        let mut at = 0;
        while let Some(&header) = words.get(at) {
            let arguments = push::packet_words(header) - 1;
            let first = (header & 0x1FFC) as usize / 4;
            let methods = if header & push::NON_INCREASING == 0 { arguments } else { 1 };
            self.sent[first..(first + methods).min(METHOD_WORDS)].fill(None);
            at += 1 + arguments;
        }
    }

    /// Packets that the device did not write may have set anything, and a recording may be run after anything.
    fn forget_state(&mut self) {
        self.sent.fill(None);
        self.forget_arrays();
        self.transform.mark_all();
        self.textures.mark_all();
        self.combine.mark();
        self.program.mark();
    }

    /// Sends deferred states: what is made of several settings.
    fn apply(&mut self) {
        self.apply_transform();
        self.apply_textures();
        self.apply_pixel();
        self.apply_program();
    }

    /// Words that wait for [`Device::kick`].
    #[must_use]
    pub fn pending_words(&self) -> usize {
        self.packets.len()
    }

    /// Has everything run that was called so far (`KickPushBuffer`). A recording is not run.
    ///
    /// # Errors
    /// What the channel's memory and pusher say.
    pub fn kick(&mut self, channel: &mut dyn Channel) -> Result<(), DriverError> {
        match &mut self.recording {
            Some(before) => {
                let words = std::mem::take(before);
                self.ring.submit(&words, channel)
            }
            None => {
                let words = self.packets.take();
                self.ring.submit(&words, channel)
            }
        }
    }

    /// Kicks if much is waiting. Programs that draw a lot call this between draws.
    ///
    /// # Errors
    /// As [`Device::kick`].
    pub fn kick_if_due(&mut self, channel: &mut dyn Channel) -> Result<(), DriverError> {
        if self.recording.is_none() && self.packets.len() >= KICK_WORDS { self.kick(channel) } else { Ok(()) }
    }
}
