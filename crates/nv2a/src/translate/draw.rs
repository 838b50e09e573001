//! Draws.

use super::Translator;
use crate::machine::{Kelvin, Primitive};
use crate::memory::GuestMemory;

impl Translator {
    /// Draws what came between begin and end.
    pub(super) fn draw_primitive(&mut self, kelvin: &mut Kelvin, memory: &mut dyn GuestMemory, primitive: &Primitive) {
        if self.apply(kelvin, memory) {
            self.once.warn(format!("{:?} are not drawn", primitive.kind));
            self.drawn(kelvin);
        }
    }
}
