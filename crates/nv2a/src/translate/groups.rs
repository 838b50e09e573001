//! Dirty groups to packets: what each group computes of the registers, and where that goes.
//!
//! Each function computes its result from registers and from the few states that the translation adds ([`KelvinStates`]); what
//! the receiver has already is not sent again.

use super::surfaces::Target;
use super::{Translator, constants, states};
use crate::machine::Kelvin;
use afterimage_nv2a_types::{Group, Groups, KelvinStates};
use afterimage_shader_nv2a::banks::{Bank, ScreenRegister};
use afterimage_shader_nv2a::{fixed, io, pixel};
use afterimage_state::{Apply, Effect, Tracker, trace};
use std::convert::Infallible;

/// What a pass of a draw needs besides the rest of it.
pub(super) const PASS: Groups = Groups::of_bits(1 << Group::Pixel as u64);
/// What a draw needs before its vertices are looked at.
pub(super) const DRAW: Groups = Groups::of_bits(!(1 << Group::Pixel as u64));

/// A translator, and the object whose state it applies.
pub(super) struct Applying<'a> {
    pub(super) translator: &'a mut Translator,
    pub(super) kelvin: &'a mut Kelvin,
}

impl Apply<KelvinStates> for Applying<'_> {
    type Error = Infallible;

    fn tracker(&mut self) -> &mut Tracker<KelvinStates> {
        &mut self.kelvin.registers.tracker
    }

    fn apply(&mut self, group: Group) -> Result<Effect, Infallible> {
        let registers = &self.kelvin.registers;
        let own = &mut *self.translator;
        let bank = |own: &mut Translator, bank, values: &[[u32; 4]]| own.constants.put(&mut own.port, bank, values);
        let changed = match group {
            Group::Screen => {
                let viewport = own.viewport_of(registers);
                let moved = std::mem::replace(&mut own.viewport, viewport) != viewport;
                let constants = own.screen_constants(registers);
                bank(own, Bank::Screen, &constants) | moved
            }
            Group::TransformConstants => {
                let stale = self.kelvin.registers.take_stale_constants();
                own.constants.put_transform(&mut own.port, self.kelvin.registers.constants(), &stale)
            }
            Group::FixedConstants => bank(own, Bank::Fixed, &fixed::constants(registers)),
            Group::PixelConstants => bank(own, Bank::Pixel, &pixel::constants(registers)),
            Group::Vertex => own.apply_vertex(registers),
            Group::Textures => own.apply_stages(self.kelvin),
            Group::Pixel => own.apply_pixel(registers),
            Group::Raster => {
                let raster = states::raster(registers, own.target());
                std::mem::replace(&mut own.raster, raster) != raster
            }
            Group::DepthStencil => {
                let state = own.depth_stencil(registers);
                own.port.put(&mut own.sent.depth_stencil, state)
            }
            Group::Blend => {
                let blend = own.blend(registers);
                own.port.put_without_tail(&mut own.sent.blend, blend)
            }
        };
        Ok(Effect::of(changed))
    }

    fn recompute(&mut self, group: Group) -> Option<String> {
        let registers = &self.kelvin.registers;
        let own = &mut *self.translator;
        let bank = |own: &Translator, bank, values: &[[u32; 4]]| {
            let held = own.constants.held(bank);
            let register = (0..values.len()).find(|at| held.get(*at).copied().unwrap_or_default() != values[*at])?;
            Some(format!("register {register} of bank {bank:?}: {:x?}", values[register]))
        };
        match group {
            Group::Screen => {
                let viewport = own.viewport_of(registers);
                differs(&own.viewport, &viewport).or_else(|| bank(own, Bank::Screen, &own.screen_constants(registers)))
            }
            Group::TransformConstants => bank(own, Bank::Transform, &constants::of_transform(registers.constants())),
            Group::FixedConstants => bank(own, Bank::Fixed, &fixed::constants(registers)),
            Group::PixelConstants => bank(own, Bank::Pixel, &pixel::constants(registers)),
            Group::Vertex => {
                let code = own.vertex_code(registers);
                let stage = own.shaders.vertex.as_ref().map(|stage| &stage.code);
                // Where the shader could not be made there is none.
                stage.and_then(|stage| differs(&Some(stage), &code.as_ref()))
            }
            Group::Textures => own.recompute_stages(self.kelvin),
            Group::Pixel => {
                let key = own.pixel_key(registers);
                own.shaders.pixel.as_ref().and_then(|(held, _)| differs(held, &key))
            }
            Group::Raster => differs(&own.raster, &states::raster(registers, own.target())),
            Group::DepthStencil => {
                let state = own.depth_stencil(registers);
                differs(&own.sent.depth_stencil, &Some(state))
            }
            Group::Blend => {
                let blend = own.blend(registers);
                differs(&own.sent.blend, &Some(blend))
            }
        }
    }
}

/// What is computed now, where that is not what was applied.
pub(super) fn differs<T: PartialEq + std::fmt::Debug>(applied: &T, now: &T) -> Option<String> {
    (applied != now).then(|| format!("{now:?} instead of {applied:?}"))
}

impl Translator {
    /// What is drawn to.
    pub(super) fn target(&self) -> &Target {
        trace::read(KelvinStates::TARGET);
        &self.target
    }

    /// From screen space to clip space.
    fn screen_constants(
        &self,
        registers: &afterimage_nv2a_types::Registers,
    ) -> [[u32; 4]; ScreenRegister::COUNT as usize] {
        trace::read(KelvinStates::CARRIED_FOG);
        let size = Target::SIZE as f32;
        let mut screen = io::screen_constants(registers, size, size);
        screen[usize::from(ScreenRegister::Carried.register())][0] = self.draws.carried_fog.to_bits();
        screen
    }
}
