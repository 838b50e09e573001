//! Inputs of pixels of which components are interpolated in several ways.

use afterimage_ir::{Imm, InputAt, Interp, Kind, Module, Op, Stage, Type, Uses, Value};
use smallvec::SmallVec;

use crate::declared::Part;
use crate::emit::Emitter;
use crate::interface;
use crate::spec::{builtin, capability, decoration, glsl, op, storage};
use crate::words::{Id, Words};

/// Whether two ways of interpolating differ in the place alone.
fn differ_in_place(one: Interp, other: Interp) -> bool {
    [one, other].iter().all(|way| matches!(way, Interp::Smooth | Interp::Centroid | Interp::Sample))
}

/// Components of inputs of pixels that have their location in common, because they are interpolated in several ways: each has a variable of
/// its own, and one that two inputs read is interpolated once more where the second wants it.
pub(crate) fn declare(w: &mut Words, m: &Module, uses: &Uses) -> Vec<(usize, [Option<Part>; 4])> {
    let shares = |i: usize| {
        let at = m.inputs[i].at;
        let others = m.inputs.iter().enumerate().filter(|&(n, other)| n != i && uses.inputs[n] && other.at == at);
        m.stage == Stage::Pixel && uses.inputs[i] && matches!(at, InputAt::Location(_)) && others.count() > 0
    };
    let shared: Vec<usize> = (0..m.inputs.len()).filter(|&i| shares(i)).collect();
    if shared.is_empty() {
        return Vec::new();
    }
    // Which components of each are read.
    let mut read = vec![0u8; m.inputs.len()];
    let mut loads: Vec<(Value, usize)> = Vec::new();
    m.for_each_inst(|_, data| {
        if let (Op::LoadInput, Imm::Input(input)) = (data.op, data.imm) {
            loads.extend(data.results.iter().map(|&value| (value, input.index())));
        }
    });
    m.for_each_inst(|_, data| {
        for &(value, input) in loads.iter().filter(|(value, _)| data.args.contains(value)) {
            read[input] |= match (data.op, data.imm) {
                (Op::Swizzle, Imm::Swizzle(swizzle)) => swizzle.lanes().iter().fold(0, |all, lane| all | 1 << lane),
                _ => (1 << m.ty(value).lanes) - 1,
            };
        }
    });
    let float = w.ty(Type::F32);
    let mut variables: Vec<(InputAt, u8, Id, Interp)> = Vec::new();
    let mut out = Vec::new();
    for i in shared {
        let d = &m.inputs[i];
        let InputAt::Location(location) = d.at else { continue };
        let mut parts = [None; 4];
        for component in (0..4u8).filter(|component| read[i] >> component & 1 != 0) {
            let known = variables.iter().find(|known| (known.0, known.1) == (d.at, component));
            parts[usize::from(component)] = Some(match known {
                Some(&(.., variable, interp)) => {
                    let at = (interp != d.interp && differ_in_place(interp, d.interp)).then_some(d.interp);
                    Part { variable, at }
                }
                None => {
                    let variable = w.variable(storage::Input, float);
                    w.decorate(variable, decoration::Location, &[location.into()]);
                    w.decorate(variable, decoration::Component, &[component.into()]);
                    interface::interpolation(w, variable, m.stage, d.interp, Kind::Float);
                    w.name(variable, &d.name);
                    variables.push((d.at, component, variable, d.interp));
                    Part { variable, at: None }
                }
            });
        }
        out.push((i, parts));
    }
    out
}

impl Emitter<'_> {
    /// An input whose components are variables of their own.
    pub(crate) fn load_parts(&mut self, input: usize, full: Type) -> Option<Id> {
        let (_, parts) = *self.interface.parts.iter().find(|(known, _)| *known == input)?;
        let float = self.w.ty(Type::F32);
        let mut components = SmallVec::<[Id; 4]>::new();
        for part in &parts[..usize::from(full.lanes)] {
            components.push(match *part {
                None => self.w.constant(Type::F32, [0; 4]),
                Some(Part { variable, at: None }) => self.w.value(op::Load, float, &[variable]),
                Some(Part { variable, at: Some(at) }) => self.interpolated(variable, at),
            });
        }
        Some(match components[..] {
            [one] => one,
            _ => {
                let ty = self.w.ty(full);
                self.w.value(op::CompositeConstruct, ty, &components)
            }
        })
    }

    /// An input where another way of interpolating has it.
    fn interpolated(&mut self, variable: Id, at: Interp) -> Id {
        self.w.capability(capability::InterpolationFunction);
        let float = self.w.ty(Type::F32);
        match at {
            Interp::Centroid => self.w.ext(glsl::InterpolateAtCentroid, float, &[variable]),
            Interp::Sample => {
                self.w.capability(capability::SampleRateShading);
                let uint = self.w.ty(Type::I32);
                let sample = self.w.builtin_input(builtin::SampleId, uint, true);
                let sample = self.w.value(op::Load, uint, &[sample]);
                self.w.ext(glsl::InterpolateAtSample, float, &[variable, sample])
            }
            Interp::Smooth | Interp::Linear | Interp::Flat => {
                let centre = self.w.constant(Type::new(Kind::Float, 2), [0; 4]);
                self.w.ext(glsl::InterpolateAtOffset, float, &[variable, centre])
            }
        }
    }
}
