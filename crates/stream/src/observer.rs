//! A link whose other end keeps the state that a stream builds up, and notes it at each draw: for tests of what guests send.

use crate::packets::*;
use crate::{Bank, Link, LinkError, NullLink, Reader, Reply, State, TEXTURE_SLOTS, UploadRef};
use crate::{DeviceInfo, Packet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// What a draw is drawn with. Buffers are left out: where they lie says nothing of what they hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Effective {
    /// Targets.
    pub targets: SetRenderTargets,
    /// Viewport.
    pub viewport: SetViewport,
    /// Scissor.
    pub scissor: SetScissor,
    /// Viewports beside the first.
    pub viewports: Vec<FurtherViewport>,
    /// Depth bounds.
    pub depth_bounds: SetDepthBounds,
    /// Rasteriser state.
    pub raster: SetRaster,
    /// Depth and stencil tests.
    pub depth_stencil: SetDepthStencil,
    /// Blending.
    pub blend: SetBlend,
    /// Blending of the first targets, where they have their own.
    pub blend_targets: Vec<BlendTarget>,
    /// Pixel operations.
    pub pixel_ops: SetPixelOps,
    /// Vertex layout.
    pub vertex_input: SetVertexInput,
    /// Shaders.
    pub shaders: SetShaders,
    /// Textures and samplers.
    pub textures: [TextureBinding; TEXTURE_SLOTS],
    /// Registers of every bank, up to the last that is not zero.
    pub constants: Vec<Box<[[u32; 4]]>>,
}

impl Effective {
    /// What the next draw of a state is drawn with.
    #[must_use]
    pub fn of(state: &State) -> Self {
        Self {
            targets: *state.render_targets,
            viewport: *state.viewport,
            scissor: *state.scissor,
            viewports: state.viewports.to_vec(),
            depth_bounds: *state.depth_bounds,
            raster: *state.raster,
            depth_stencil: *state.depth_stencil,
            blend: *state.blend,
            blend_targets: state.blend_targets.to_vec(),
            pixel_ops: *state.pixel_ops,
            vertex_input: *state.vertex_input,
            shaders: *state.shaders,
            textures: *state.textures,
            constants: (0..Bank::COUNT)
                .map(|bank| {
                    let registers = state.bank(bank);
                    let used = registers.iter().rposition(|register| *register != [0; 4]).map_or(0, |last| last + 1);
                    registers[..used].into()
                })
                .collect(),
        }
    }

    /// The first thing that is another in `other`, with both.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<String> {
        macro_rules! compare {
            ($($field:ident)*) => { $(
                if self.$field != other.$field {
                    return Some(format!("{}: {:?} and {:?}", stringify!($field), self.$field, other.$field));
                }
            )* };
        }
        compare!(
            targets viewport scissor viewports depth_bounds raster depth_stencil blend blend_targets pixel_ops vertex_input
            shaders textures
        );
        for ((a, b), bank) in self.constants.iter().zip(&other.constants).zip(&Bank::ALL) {
            let value = |registers: &[[u32; 4]], at: usize| registers.get(at).copied().unwrap_or_default();
            if let Some(at) = (0..a.len().max(b.len())).find(|at| value(a, *at) != value(b, *at)) {
                let (a, b) = (value(a, at), value(b, at));
                return Some(format!("register {at} of bank {}: {a:x?} and {b:x?}", bank.name()));
            }
        }
        None
    }
}

/// The first draw of two runs that is another, with what differs.
#[must_use]
pub fn first_difference(one: &[Effective], other: &[Effective]) -> Option<String> {
    if one.len() != other.len() {
        return Some(format!("{} draws and {}", one.len(), other.len()));
    }
    (0..)
        .zip(one.iter().zip(other))
        .find_map(|(draw, (one, other))| one.difference(other).map(|difference| format!("draw {draw}: {difference}")))
}

/// The receiver: see [`observer`].
struct Observer {
    null: NullLink,
    state: State,
    draws: Arc<Mutex<Vec<Effective>>>,
}

/// A link, and what it has noted of each draw so far.
#[must_use]
pub fn observer(info: DeviceInfo) -> (Box<dyn Link>, Arc<Mutex<Vec<Effective>>>) {
    let draws = Arc::default();
    let link = Observer { null: NullLink::new(info), state: State::default(), draws: Arc::clone(&draws) };
    (Box::new(link), draws)
}

impl Link for Observer {
    fn submit(&mut self, batch: &mut Vec<u64>) -> Result<(), LinkError> {
        for located in Reader::new(batch).map_while(Result::ok) {
            if let Packet::Draw(_) | Packet::DrawIndexed(_) | Packet::DrawIndirect(_) | Packet::DrawByteCount(_) =
                located.packet
            {
                let effective = Effective::of(&self.state);
                self.draws.lock().unwrap_or_else(PoisonError::into_inner).push(effective);
            }
            self.state.apply(&located.packet);
        }
        batch.clear();
        Ok(())
    }

    fn is_idle(&self) -> bool {
        self.null.is_idle()
    }

    fn alloc(&mut self, size: u32, align: u32) -> Result<UploadRef, LinkError> {
        self.null.alloc(size, align)
    }

    fn frame_bytes(&self) -> u64 {
        self.null.frame_bytes()
    }

    fn write(&mut self, range: &UploadRef, at: u32, bytes: &[u8]) {
        self.null.write(range, at, bytes);
    }

    fn read(&mut self, range: &UploadRef, at: u32, out: &mut [u8]) {
        self.null.read(range, at, out);
    }

    fn end_frame(&mut self, frame: u64) -> Result<(), LinkError> {
        self.null.end_frame(frame)
    }

    fn poll(&mut self) -> Option<Reply> {
        self.null.poll()
    }

    fn wait(&mut self) -> Result<Reply, LinkError> {
        self.null.wait()
    }

    fn epoch(&mut self) -> u32 {
        self.null.epoch()
    }

    fn device(&self) -> &DeviceInfo {
        self.null.device()
    }

    fn capture_frames(&mut self, path: &Path, frames: u64) -> bool {
        self.null.capture_frames(path, frames)
    }
}
