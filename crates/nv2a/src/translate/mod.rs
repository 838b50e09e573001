//! From registers to packets of the stream: [`Translator`] draws for the machine.
//!
//! * `draw`, `vertices`, `primitives`: what came between begin and end, as draws of the host.
//! * `states`, `shaders`, `constants`: one function per dirty group, applied in the order of [`Group`]. Each builds the whole
//!   packet from the registers, and [`Port::put`] drops it where the receiver has the same already, so that applying a group
//!   too often costs time and never changes a picture.
//! * `surfaces`, `textures`: host images of guest memory. Memory is the truth wherever two views of it differ.
//! * `clear`, `transfer`, `queries`: what is done besides draws.

mod clear;
mod draw;
mod once;
mod samplers;
mod surfaces;
mod textures;
mod transfer;

use crate::machine::{Graphics, Kelvin, Primitive};
use crate::memory::GuestMemory;
use afterimage_nv2a_types::{Group, Groups};
use afterimage_stream::packets::*;
use afterimage_stream::{Link, ObjectId, Port, TEXTURE_SLOTS, VERTEX_BUFFERS};
use once::Once;
use samplers::Samplers;
use surfaces::{Surfaces, Target, Uses};
use textures::Textures;
use transfer::Screen;

/// What the receiver has; `None` where that is not known. Bindings of a new receiver are known: there are none.
#[derive(Debug)]
struct Sent {
    targets: Option<SetRenderTargets>,
    viewport: Option<SetViewport>,
    scissor: Option<SetScissor>,
    raster: Option<SetRaster>,
    depth_stencil: Option<SetDepthStencil>,
    blend: Option<SetBlend>,
    pixel_ops: Option<SetPixelOps>,
    shaders: Option<SetShaders>,
    vertex_input: Option<SetVertexInput>,
    index_buffer: Option<SetIndexBuffer>,
    vertex_buffers: [VertexBuffer; VERTEX_BUFFERS],
    textures: [TextureBinding; TEXTURE_SLOTS],
}

impl Default for Sent {
    fn default() -> Self {
        Self {
            targets: None,
            viewport: None,
            scissor: None,
            raster: None,
            depth_stencil: None,
            blend: None,
            pixel_ops: None,
            shaders: None,
            vertex_input: None,
            index_buffer: Some(SetIndexBuffer::default()),
            vertex_buffers: [VertexBuffer::default(); VERTEX_BUFFERS],
            textures: [TextureBinding::default(); TEXTURE_SLOTS],
        }
    }
}

/// Draws what the machine hands over, through a link of the stream.
pub struct Translator {
    port: Port,
    sent: Sent,
    /// What is said once.
    once: Once,
    /// What is drawn to.
    target: Target,
    surfaces: Surfaces,
    textures: Textures,
    samplers: Samplers,
    screen: Screen,
}

impl Translator {
    /// A translator at the guest's end of a link. `name` is the program's, for logs and captures.
    #[must_use]
    pub fn new(link: Box<dyn Link>, name: &str) -> Self {
        Self {
            port: Port::new(link, Init::NV2A, name),
            sent: Sent::default(),
            once: Once::default(),
            target: Target::default(),
            surfaces: Surfaces::default(),
            textures: Textures::default(),
            samplers: Samplers::default(),
            screen: Screen::default(),
        }
    }

    /// Makes the host's state that of the object: surfaces and textures as memory and draws before left them, then every
    /// dirty group. False if nothing can be drawn to; then the groups stay dirty.
    fn apply(&mut self, kelvin: &mut Kelvin, memory: &mut dyn GuestMemory) -> bool {
        self.recover(kelvin);
        if !self.apply_surfaces(kelvin, memory, Uses::of_draw(kelvin)) {
            return false;
        }
        self.apply_textures(kelvin, memory);
        // A group is clean before it is applied, and marks only later ones: each runs once.
        while let Some(group) = kelvin.registers.dirty.iter().next() {
            kelvin.registers.dirty.clear(group);
            self.apply_group(group, kelvin);
        }
        true
    }

    /// Notes that a draw may have changed what it was drawn to.
    fn drawn(&mut self, kelvin: &Kelvin) {
        self.mark_drawn(Uses::of_draw(kelvin), self.target.samples());
    }

    fn apply_group(&mut self, group: Group, _kelvin: &mut Kelvin) {
        match group {
            // These only mark others, or were seen to before.
            Group::Surface | Group::Control | Group::WindowClip | Group::Textures => {}
            // helper T2: one line a group, such as `Group::Blend => self.apply_blend(kelvin)`.
            Group::Screen
            | Group::Program
            | Group::TransformConstants
            | Group::Fixed
            | Group::FixedConstants
            | Group::Pixel
            | Group::PixelConstants
            | Group::Raster
            | Group::DepthStencil
            | Group::Blend
            | Group::VertexArrays => {}
        }
    }

    /// Where a new receiver has taken the place of a lost one: it knows nothing, so everything is made again from memory
    /// when a draw next needs it. What only the lost one had is gone.
    fn recover(&mut self, kelvin: &mut Kelvin) {
        if !self.port.returned() {
            return;
        }
        self.sent = Sent::default();
        self.target = Target::default();
        self.surfaces.forget(&mut self.port);
        self.textures.forget(&mut self.port);
        self.samplers.forget(&mut self.port);
        self.screen.forget(&mut self.port);
        kelvin.registers.dirty = Groups::all();
    }

    /// Takes a texture out of every binding, then destroys it.
    fn destroy_texture(&mut self, id: ObjectId) {
        for (slot, binding) in self.sent.textures.iter_mut().enumerate() {
            if binding.texture == id && !id.is_none() {
                *binding = TextureBinding::default();
                self.port.push_tail(&SetTextures { first: slot as u32, count: 1 }, &[*binding]);
            }
        }
        if let Some(mut targets) = self.sent.targets {
            let views = targets.color.iter_mut().chain([&mut targets.depth]);
            views.filter(|view| view.texture == id).for_each(|view| *view = View::default());
            self.port.put(&mut self.sent.targets, targets);
        }
        self.port.destroy(id);
    }
}

impl Graphics for Translator {
    fn draw(&mut self, kelvin: &mut Kelvin, memory: &mut dyn GuestMemory, primitive: &Primitive) {
        self.draw_primitive(kelvin, memory, primitive);
        self.port.breathe();
    }

    fn clear(&mut self, kelvin: &mut Kelvin, memory: &mut dyn GuestMemory, flags: u32) {
        self.clear_surface(kelvin, memory, flags);
        self.port.breathe();
    }

    fn write_back(&mut self, memory: &mut dyn GuestMemory, address: u32, size: u32) {
        self.write_back_range(memory, address, size);
    }

    fn reset_pixel_count(&mut self) {}

    fn pixel_count(&mut self) -> u32 {
        0
    }

    fn flush(&mut self) {
        self.end_frame();
    }
}
