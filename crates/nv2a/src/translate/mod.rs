//! From registers to packets of the stream: [`Translator`] draws for the machine.
//!
//! * `draw`, `vertices`, `primitives`: what came between begin and end, as draws of the host.
//! * `groups`: what each dirty group computes, by the functions in `states`, `shaders`, `constants`, `samplers`. A result is sent where
//!   the receiver has another, so that applying a group too often costs time and never changes a picture.
//! * `surfaces`, `textures`: host images of guest memory. Memory is the truth wherever two views of it differ.
//! * `clear`, `transfer`, `queries`: what is done besides draws.

mod clear;
mod constants;
mod cylinder;
mod draw;
mod groups;
mod outlines;
mod primitives;
mod samplers;
mod samples;
mod shaders;
mod slopes;
mod states;
mod surfaces;
mod textures;
mod transfer;
mod transformed;
mod vertices;

use crate::machine::{Graphics, Kelvin, Primitive};
use crate::memory::GuestMemory;
use afterimage_nv2a_types::Groups;
use afterimage_state::{Figures, apply_dirty, check_clean, checking};
use afterimage_stream::packets::*;
use afterimage_stream::{Link, ObjectId, Once, Port, SampleCount, Sent};
use constants::Constants;
use draw::Draws;
use groups::Applying;
use samplers::Samplers;
use shaders::Shaders;
use std::path::Path;
use surfaces::{Surfaces, Target, Uses};
use textures::Textures;
use transfer::Screen;

/// Draws what the machine hands over, through a link of the stream.
pub struct Translator {
    port: Port,
    sent: Sent,
    /// What is said once.
    once: Once,
    /// What is drawn to.
    target: Target,
    /// The whole of clip space; passes move it.
    viewport: SetViewport,
    /// Rasterisation of points and filled polygons.
    raster: SetRaster,
    surfaces: Surfaces,
    textures: Textures,
    samplers: Samplers,
    screen: Screen,
    shaders: Shaders,
    constants: Constants,
    passed: SampleCount,
    draws: Draws,
    /// What state tracking did in this frame.
    figures: Figures,
}

impl Translator {
    /// Asks the receiver for a capture: [`Link::capture_frames`].
    pub fn capture_frames(&mut self, path: &Path, frames: u64) -> bool {
        self.port.capture_frames(path, frames)
    }

    /// A translator at the guest's end of a link. `name` is the program's, for logs and captures.
    #[must_use]
    pub fn new(link: Box<dyn Link>, name: &str) -> Self {
        Self {
            port: Port::new(link, Init::NV2A, name),
            sent: Sent::default(),
            once: Once::default(),
            target: Target::default(),
            viewport: SetViewport::default(),
            raster: SetRaster::default(),
            surfaces: Surfaces::default(),
            textures: Textures::default(),
            samplers: Samplers::default(),
            screen: Screen::default(),
            shaders: Shaders::default(),
            constants: Constants::default(),
            passed: SampleCount::default(),
            draws: Draws::default(),
            figures: Figures::default(),
        }
    }

    /// Makes the host's state that of the object: surfaces and textures as memory and draws before left them, and every
    /// dirty group but that of the pixel shader, which each pass of a draw has its own of. False if nothing can be drawn to; then the
    /// groups stay dirty.
    fn apply(&mut self, kelvin: &mut Kelvin, memory: &mut dyn GuestMemory, points: bool) -> bool {
        self.recover(kelvin);
        if !self.apply_surfaces(kelvin, memory, Uses::of_draw(kelvin)) {
            return false;
        }
        self.set_points(points, &mut kelvin.registers.tracker);
        kelvin.registers.tracker.drawn();
        self.figures.add(&kelvin.registers.tracker.take_figures());
        self.apply_groups(kelvin, groups::DRAW);
        self.apply_textures(memory);
        true
    }

    /// Applies the dirty groups of a usage level.
    fn apply_groups(&mut self, kelvin: &mut Kelvin, level: Groups) {
        let Ok(()) = apply_dirty(&mut Applying { translator: self, kelvin }, level);
    }

    /// Makes sure behind a draw that no group was missed.
    fn check_groups(&mut self, kelvin: &mut Kelvin) {
        if checking() {
            check_clean(&mut Applying { translator: self, kelvin }, Groups::all());
        }
    }

    /// Notes that a draw may have changed what it was drawn to.
    fn drawn(&mut self, kelvin: &Kelvin) {
        self.mark_drawn(Uses::of_draw(kelvin), self.target.samples());
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
        self.shaders.forget(&mut self.port);
        self.passed.forget(&mut self.port);
        self.constants = Constants::default();
        self.draws.forget();
        kelvin.registers.mark_all();
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
        self.port.flush_if_due();
    }

    fn clear(&mut self, kelvin: &mut Kelvin, memory: &mut dyn GuestMemory, flags: u32) {
        self.clear_surface(kelvin, memory, flags);
        self.port.flush_if_due();
    }

    fn write_back(&mut self, memory: &mut dyn GuestMemory, address: u32, size: u32) {
        self.write_back_range(memory, address, size);
    }

    fn reset_pixel_count(&mut self) {
        self.passed.reset(&mut self.port);
    }

    fn pixel_count(&mut self) -> u32 {
        u32::try_from(self.passed.total(&mut self.port)).unwrap_or(u32::MAX)
    }

    fn flush(&mut self) {
        self.end_frame();
    }
}
