//! What pixels begin with, and attributes: VINTRP.
//!
//! The two steps of an interpolation are one here: the host interpolates, and the second step gets what it gave. Which barycentric
//! coordinates the program takes says how; where they are its own, both steps are done here ([`barycentrics`](super::barycentrics)). After
//! AMD's "Sea Islands Instruction Set Architecture", section 12.12, and the register definitions (`SPI_PS_INPUT_*`, `SPI_BARYC_CNTL`).

use afterimage_abi::corners::{self, Corner};
use afterimage_ir::{Input, InputAt, InputDecl, Interp, Semantic, Type, Value};

use super::barycentrics::{Attribute, Extra, INPUTS, Interpolation, PULL_MODEL, Plan, Way, registers};
use super::inputs::builtin;
use super::vector::notation::ir;
use super::vector::write;
use super::{Lifter, Reason};
use crate::inst::Inst;
use crate::tables::Op;

/// Bits of `SPI_PS_INPUT_ENA` from the position on.
const POSITION_X: usize = 8;
const POSITION_W: usize = 11;
const FRONT_FACE: usize = 12;
const ANCILLARY: usize = 13;
const SAMPLE_COVERAGE: usize = 14;
const POSITION_FIXED: usize = 15;

/// Bits of `SPI_BARYC_CNTL`: positions are of the pixel's corner; the front is 1 and the back 0, not 1 and -1.
const POSITION_OF_CORNER: u32 = 1 << 20;
const FRONT_FACE_ALL_BITS: u32 = 1 << 24;

/// Most locations between the stages.
const LOCATIONS: u8 = 32;

/// Sets the vector registers that a pixel begins with: barycentric coordinates only where they are read as they are.
pub(super) fn start(l: &mut Lifter) {
    let plan = Plan::new(l.source, l.flow, l.masks);
    let reads_weights = plan.reads_weights;
    l.kept.interpolation = Some(Interpolation { plan, extra: Vec::new() });
    for (bit, register, _) in registers(l.source) {
        match INPUTS[bit].1 {
            Some(interp) if reads_weights => {
                let weights = weights(l, interp);
                (register..).zip(weights).for_each(|(register, weight)| l.set_vgpr_always(register, weight));
            }
            None if reads_weights && bit == PULL_MODEL => {
                let weights = weights(l, Interp::Smooth);
                let position = builtin(&mut l.b, InputAt::FragCoord);
                let over_w = l.b.extract(position, 3);
                let [i, j] = weights.map(|weight| l.b.fmul(weight, over_w));
                (register..).zip([i, j, over_w]).for_each(|(register, value)| l.set_vgpr_always(register, value));
            }
            _ => {
                if let Some(value) = initial(l, bit) {
                    l.set_vgpr_always(register, value);
                }
            }
        }
    }
}

/// The value of one of the inputs that have one register.
fn initial(l: &mut Lifter, bit: usize) -> Option<Value> {
    let control = l.source.registers.baryc_cntl;
    Some(match bit {
        POSITION_X..=POSITION_W => {
            let position = builtin(&mut l.b, InputAt::FragCoord);
            let b = &mut l.b;
            let value = b.extract(position, (bit - POSITION_X) as u8);
            match bit {
                // The program wants w itself.
                POSITION_W => b.frcp(value),
                8 | 9 if control & POSITION_OF_CORNER != 0 => ir!(b, fsub(value, 0.5)),
                _ => value,
            }
        }
        FRONT_FACE => {
            let front = builtin(&mut l.b, InputAt::FrontFacing);
            let b = &mut l.b;
            let back = b.f32(if control & FRONT_FACE_ALL_BITS != 0 { 0.0 } else { -1.0 });
            ir!(b, select(front, 1.0, back))
        }
        ANCILLARY => {
            let (layer, sample) = (builtin(&mut l.b, InputAt::Layer), builtin(&mut l.b, InputAt::SampleId));
            let b = &mut l.b;
            ir!(b, ior(ishl(layer, 16), ishl(sample, 8)))
        }
        SAMPLE_COVERAGE => builtin(&mut l.b, InputAt::SampleMask),
        POSITION_FIXED => {
            let position = builtin(&mut l.b, InputAt::FragCoord);
            let b = &mut l.b;
            let [x, y] = [0, 1].map(|n| b.extract(position, n));
            ir!(b, ior(f2u(x), ishl(f2u(y), 16)))
        }
        _ => return None,
    })
}

/// Translates an instruction.
pub(super) fn lift(l: &mut Lifter, inst: &Inst) {
    let Some(fields) = inst.interp() else { return };
    let way = l.kept.interpolation.as_ref().map_or(Way::Nothing, |known| known.plan.way(l.at));
    let attribute = Attribute::of(l.source, fields.attr);
    let value = match way {
        // What the first step gives is of use to the second only.
        Way::Nothing => return,
        Way::Host(interp) => {
            let value = interpolated(l, attribute, interp);
            l.b.extract(value, fields.chan)
        }
        Way::Weighed(interp) => weighed(l, attribute, fields.chan, interp),
        Way::Moved => difference(l, attribute, fields.chan, 1 + fields.parameter),
        Way::Step => {
            let second = inst.op == Op::VInterpP2F32;
            let by = difference(l, attribute, fields.chan, if second { 2 } else { 1 });
            let before = if second { l.read(inst.dst) } else { vertex(l, attribute, fields.chan, 0) };
            let weight = l.read(inst.src[0]);
            let b = &mut l.b;
            b.fmad(by, weight, before)
        }
    };
    write(l, inst, value);
}

/// A constant in the place of a parameter: four floats.
fn default(l: &mut Lifter, number: u32) -> Value {
    let [rgb, a] = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]][(number & 3) as usize];
    l.b.f32x4([rgb, rgb, rgb, a])
}

/// An attribute as the host interpolates it: four floats.
fn interpolated(l: &mut Lifter, attribute: Attribute, interp: Interp) -> Value {
    match attribute {
        Attribute::PointSprite => {
            let place = builtin(&mut l.b, InputAt::PointCoord);
            let (zero, one) = (l.b.f32(0.0), l.b.f32(1.0));
            l.b.construct(&[place, zero, one])
        }
        Attribute::Default(number) => default(l, number),
        Attribute::Parameter { location, .. } | Attribute::Raw { location } => {
            input(l, location, interp, &format!("attr{location}"), None)
        }
    }
}

/// An input at a location, declared when it is first read.
fn input(l: &mut Lifter, location: u8, interp: Interp, name: &str, semantic: Option<Semantic>) -> Value {
    let at = InputAt::Location(location);
    let declared = l.b.module().inputs.iter().position(|known| known.at == at && known.interp == interp);
    let input = match declared {
        Some(input) => Input::new(input),
        None => l.b.input(InputDecl { name: name.to_owned(), ty: Type::F32X4, at, interp, semantic }),
    };
    l.b.load_input(input)
}

/// What a geometry shader of the host has for each of a primitive's vertices.
fn corner(l: &mut Lifter, corner: Corner, interp: Interp, name: &str) -> Value {
    let Some(known) = &mut l.kept.interpolation else { return l.b.f32x4([0.0; 4]) };
    let declared = known.extra.iter().find(|extra| extra.corner == corner && extra.interp.shares_location(interp));
    let location = match declared {
        Some(extra) => extra.location,
        None => {
            let location = known.plan.free + known.extra.len() as u8;
            if location >= LOCATIONS {
                l.fail(Reason::TooMany {
                    what: "locations of attributes and of what each vertex has",
                    most: LOCATIONS.into(),
                });
                return l.b.f32x4([0.0; 4]);
            }
            known.extra.push(Extra { corner, interp, location });
            location
        }
    };
    let semantic = Semantic { usage: corners::USAGE, index: corner.index() };
    input(l, location, interp, name, Some(semantic))
}

/// The weights of the second and third vertex, as they are interpolated in some way.
fn weights(l: &mut Lifter, interp: Interp) -> [Value; 2] {
    let weights = corner(l, Corner::Weights, interp, "weights");
    let first = if interp == Interp::Linear { 2 } else { 0 };
    [first, first + 1].map(|n| l.b.extract(weights, n))
}

/// A component of what a vertex has, 0 being the first.
fn vertex(l: &mut Lifter, attribute: Attribute, component: u8, number: u8) -> Value {
    let value = match attribute.location() {
        Some(location) => {
            let which = Corner::Vertex { location, vertex: number };
            corner(l, which, Interp::Flat, &format!("attr{location}_of{number}"))
        }
        None => interpolated(l, attribute, Interp::Flat),
    };
    l.b.extract(value, component)
}

/// P0 (0), P10 (1) or P20 (2) of an attribute: what the first vertex has, and what the others have more.
fn difference(l: &mut Lifter, attribute: Attribute, component: u8, number: u8) -> Value {
    let value = vertex(l, attribute, component, number);
    match attribute {
        _ if number == 0 => value,
        Attribute::Raw { .. } => value,
        // The same at all vertices.
        Attribute::Default(_) | Attribute::PointSprite => l.b.f32(0.0),
        Attribute::Parameter { .. } => {
            let first = vertex(l, attribute, component, 0);
            l.b.fsub(value, first)
        }
    }
}

/// A component of an attribute, interpolated here because the host does it otherwise.
fn weighed(l: &mut Lifter, attribute: Attribute, component: u8, interp: Interp) -> Value {
    let first = vertex(l, attribute, component, 0);
    if interp == Interp::Flat {
        return first;
    }
    let [i, j] = weights(l, interp);
    let [by_i, by_j] = [1, 2].map(|number| difference(l, attribute, component, number));
    let b = &mut l.b;
    let value = b.fmad(by_i, i, first);
    b.fmad(by_j, j, value)
}
