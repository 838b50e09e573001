//! Clip distances for devices that have none: the vertex stage hands them on, and the pixel stage throws away what lies outside.
//!
//! Precondition: a verified module; of a vertex shader, whose outputs leave the two locations free. Promise: no clip distance is written
//! any more; a pixel whose distance is below zero is thrown away, which is what clipping would leave of a primitive, to a pixel. Samples
//! of a pixel stay together. All else stays.

use afterimage_ir::{Imm, Input, InputAt, InputDecl, Interp, Kind, Module, Op, OutputAt, Region, Stage, Type};
use smallvec::smallvec;

use crate::rewrite::Cursor;

/// How many distances a vertex shader hands on at each of the two locations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lanes(pub [u8; 2]);

impl Lanes {
    /// In a byte: the first in the low four bits.
    #[must_use]
    pub fn to_byte(self) -> u8 {
        self.0[0] | self.0[1] << 4
    }

    /// From a byte; what no vertex shader can hand on is as much as it can.
    #[must_use]
    pub fn from_byte(byte: u8) -> Self {
        Self([byte & 15, byte >> 4].map(|lanes| lanes.min(4)))
    }

    /// What a module writes.
    #[must_use]
    pub fn of(m: &Module) -> Self {
        let mut lanes = Self::default();
        for output in &m.outputs {
            if let OutputAt::ClipDistance(first) = output.at {
                lanes.0[usize::from(first >= 4)] = output.ty.lanes;
            }
        }
        lanes
    }
}

/// Runs the pass on a vertex shader: clip distances 0 to 3 are written at location `first`, 4 to 7 at the next.
pub fn hand_on(m: &mut Module, first: u8) {
    if m.stage != Stage::Vertex {
        return;
    }
    for output in &mut m.outputs {
        if let OutputAt::ClipDistance(distance) = output.at {
            output.at = OutputAt::Location(first + u8::from(distance >= 4));
        }
    }
}

/// Runs the pass on a pixel shader that follows a vertex shader on which [`hand_on`] has run.
pub fn throw_away(m: &mut Module, first: u8, lanes: Lanes) {
    if m.stage != Stage::Pixel {
        return;
    }
    let body: Region = m.body;
    let rest = std::mem::take(&mut m.regions[body.index()].insts);
    let mut insts = Vec::with_capacity(rest.len() + 8);
    for (location, lanes) in (first..).zip(lanes.0) {
        if lanes == 0 {
            continue;
        }
        let ty = Type::new(Kind::Float, lanes);
        let input = Input::new(m.inputs.len());
        m.inputs.push(InputDecl {
            name: "clip".to_owned(),
            ty,
            at: InputAt::Location(location),
            interp: Interp::Centroid,
            semantic: None,
        });
        let mut cursor = Cursor::new(m, body, &mut insts);
        let distances = cursor.push(Op::LoadInput, Imm::Input(input), smallvec![], ty);
        let zero = cursor.splat(ty, 0);
        let outside = cursor.push(Op::FLt, Imm::None, smallvec![distances, zero], ty.with_kind(Kind::Bool));
        let any = match lanes {
            1 => outside,
            _ => cursor.push(Op::Any, Imm::None, smallvec![outside], Type::BOOL),
        };
        cursor.act(Op::Demote, Imm::None, smallvec![any]);
    }
    insts.extend(rest);
    m.regions[body.index()].insts = insts;
}

#[cfg(test)]
mod tests {
    use afterimage_ir::{parse, verify};

    use super::*;

    const VERTEX: &str = "vertex {
  output out0 \"\" : f32x4 position
  output out1 \"\" : f32x4 clip_distance 0
  output out2 \"\" : f32x2 clip_distance 4
  v0: f32x4 = const 0.0, 0.0, 0.0, 1.0
  v1: f32x2 = const 1.0, -1.0
  store_output out0, v0
  store_output out1, v0
  store_output out2, v1
  return
}";

    #[test]
    fn what_one_stage_hands_on_the_other_looks_at() {
        let mut vertex = parse(VERTEX).unwrap();
        let lanes = Lanes::of(&vertex);
        assert_eq!((lanes, Lanes::from_byte(lanes.to_byte())), (Lanes([4, 2]), lanes));
        hand_on(&mut vertex, 29);
        verify(&vertex).unwrap();
        assert_eq!(Lanes::of(&vertex), Lanes::default(), "{vertex}");
        let mut pixel = parse("pixel {\n  return\n}").unwrap();
        throw_away(&mut pixel, 29, lanes);
        verify(&pixel).unwrap();
        for (output, input) in vertex.outputs[1..].iter().zip(&pixel.inputs) {
            let (OutputAt::Location(a), InputAt::Location(b)) = (output.at, input.at) else {
                panic!("{vertex}{pixel}")
            };
            assert_eq!((a, output.ty), (b, input.ty));
        }
        let text = pixel.to_string();
        assert_eq!(text.matches("demote").count(), 2, "{text}");
    }

    #[test]
    fn one_distance_is_enough_and_none_is_nothing() {
        for (lanes, demotes) in [([1, 0], 1), ([0, 3], 1), ([0, 0], 0)] {
            let mut pixel = parse("pixel {\n  return\n}").unwrap();
            throw_away(&mut pixel, 0, Lanes(lanes));
            verify(&pixel).unwrap();
            assert_eq!(pixel.to_string().matches("demote").count(), demotes, "{pixel}");
        }
    }
}
