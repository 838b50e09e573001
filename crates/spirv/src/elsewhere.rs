//! Inputs of pixels that have their location in common, because they are interpolated at several places.

use afterimage_ir::{InputAt, Interp, Kind, Module, Stage, Type, Uses};

use crate::emit::Emitter;
use crate::spec::{builtin, capability, glsl, op};
use crate::words::Id;

/// The first input of the module that has the location of this one, if that is another: its variable is interpolated where this one wants it.
pub(crate) fn first(m: &Module, uses: &Uses, input: usize) -> Option<usize> {
    let at = m.inputs[input].at;
    let known = (0..input).find(|&other| uses.inputs[other] && m.inputs[other].at == at);
    known.filter(|_| m.stage == Stage::Pixel && matches!(at, InputAt::Location(_)))
}

impl Emitter<'_> {
    /// An input whose variable is interpolated at another place.
    pub(crate) fn interpolated(&mut self, variable: Id, ty: Type, at: Interp) -> Id {
        self.w.capability(capability::InterpolationFunction);
        let ty = self.w.ty(ty);
        match at {
            Interp::Centroid => self.w.ext(glsl::InterpolateAtCentroid, ty, &[variable]),
            Interp::Sample => {
                self.w.capability(capability::SampleRateShading);
                let uint = self.w.ty(Type::I32);
                let sample = self.w.builtin_input(builtin::SampleId, uint, true);
                let sample = self.w.value(op::Load, uint, &[sample]);
                self.w.ext(glsl::InterpolateAtSample, ty, &[variable, sample])
            }
            Interp::Smooth | Interp::Linear | Interp::Flat => {
                let centre = self.w.constant(Type::new(Kind::Float, 2), [0; 4]);
                self.w.ext(glsl::InterpolateAtOffset, ty, &[variable, centre])
            }
        }
    }
}
