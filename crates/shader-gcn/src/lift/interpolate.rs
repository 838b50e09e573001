//! What pixels begin with, and attributes: VINTRP.
//!
//! The two steps of an interpolation are one here: the host interpolates, and the second step gets what it gave. Which barycentric
//! coordinates the program takes says how: they are known by the register that they were in when the program began. After AMD's
//! "Sea Islands Instruction Set Architecture", section 12.12, and the register definitions (`SPI_PS_INPUT_*`, `SPI_BARYC_CNTL`).

use afterimage_ir::{Input, InputAt, InputDecl, Interp, Type, Value};

use super::inputs::builtin;
use super::vector::notation::ir;
use super::vector::write;
use super::{Lifter, Reason};
use crate::inst::{Inst, Operand, Registers};
use crate::tables::Op;

/// What `SPI_PS_INPUT_ADDR` gives registers to, by its bits: registers, and how attributes are interpolated with them.
const INPUTS: [(u8, Option<Interp>); 16] = [
    (2, Some(Interp::Sample)),
    (2, Some(Interp::Smooth)),
    (2, Some(Interp::Centroid)),
    (3, None),
    (2, Some(Interp::Linear)),
    (2, Some(Interp::Linear)),
    (2, Some(Interp::Linear)),
    (1, None),
    (1, None),
    (1, None),
    (1, None),
    (1, None),
    (1, None),
    (1, None),
    (1, None),
    (1, None),
];

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

/// Bits of `SPI_PS_INPUT_CNTL_n`.
const FROM_DEFAULT: u32 = 1 << 5;
const FLAT: u32 = 1 << 10;
const POINT_SPRITE: u32 = 1 << 17;

/// Most moves that a barycentric coordinate is followed through.
const MAX_MOVES: u32 = 8;

/// Sets the vector registers that a pixel begins with, but for barycentric coordinates.
pub(super) fn start(l: &mut Lifter) {
    let registers = &l.source.registers;
    let (reserved, filled) = (registers.ps_input_addr | registers.ps_input_ena, registers.ps_input_ena);
    let mut register = 0;
    for (bit, (count, _)) in INPUTS.iter().enumerate() {
        if reserved >> bit & 1 == 0 {
            continue;
        }
        if filled >> bit & 1 != 0
            && let Some(value) = initial(l, bit)
        {
            l.set_vgpr_always(register, value);
        }
        register += count;
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
    let interp = match inst.op {
        // What the first step gives is of use to the second only.
        Op::VInterpP1F32 => return,
        // The second of the two coordinates is read.
        Op::VInterpP2F32 => match interpolation(l, inst.src[0]) {
            Some(interp) => interp,
            None => return l.fail(Reason::Unsupported("interpolation at a place that the program computes")),
        },
        _ if fields.parameter == 2 => Interp::Flat,
        _ => return l.fail(Reason::Unsupported("the difference of an attribute between vertices")),
    };
    let value = attribute(l, fields.attr, fields.chan, interp);
    let value = l.b.extract(value, fields.chan);
    write(l, inst, value);
}

/// Whether two ways of interpolating differ in the place alone.
fn differ_in_place(one: Interp, other: Interp) -> bool {
    [one, other].iter().all(|way| matches!(way, Interp::Smooth | Interp::Centroid | Interp::Sample))
}

/// An attribute of which a component is wanted: four floats.
fn attribute(l: &mut Lifter, number: u8, component: u8, interp: Interp) -> Value {
    let control = l.source.registers.ps_input_cntl.get(usize::from(number)).copied().unwrap_or(number.into());
    if control & POINT_SPRITE != 0 {
        let place = builtin(&mut l.b, InputAt::PointCoord);
        let (zero, one) = (l.b.f32(0.0), l.b.f32(1.0));
        return l.b.construct(&[place, zero, one]);
    }
    if control & FROM_DEFAULT != 0 {
        let [rgb, a] = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]][(control >> 8 & 3) as usize];
        return l.b.f32x4([rgb, rgb, rgb, a]);
    }
    let interp = if control & FLAT != 0 { Interp::Flat } else { interp };
    let location = (control & 31) as u8;
    let at = InputAt::Location(location);
    // Components may be interpolated each in its own way, and one of them at several places.
    let known = l.kept.ways.iter().find(|way| (way.0, way.1) == (location, component)).map(|way| way.2);
    let interp = match known {
        Some(first) if first != interp && !differ_in_place(first, interp) => {
            l.warn("a second way of interpolating a component of an attribute");
            first
        }
        Some(_) => interp,
        None => {
            l.kept.ways.push((location, component, interp));
            interp
        }
    };
    let declared = l.b.module().inputs.iter().position(|known| known.at == at && known.interp == interp);
    let input = match declared {
        Some(input) => Input::new(input),
        None => {
            let name = format!("attr{location}");
            l.b.input(InputDecl { name, ty: Type::F32X4, at, interp, semantic: None })
        }
    };
    l.b.load_input(input)
}

/// How attributes are interpolated with a barycentric coordinate that lies in a register at this instruction: in the way that
/// belongs to where it comes from, or in the only one there is.
fn interpolation(l: &Lifter, operand: Operand) -> Option<Interp> {
    let traced = trace(l, operand, l.at, MAX_MOVES);
    traced.or_else(|| {
        let mut ways = INPUTS.iter().enumerate().filter(|(bit, _)| l.source.registers.ps_input_ena >> bit & 1 != 0);
        let first = ways.find_map(|(_, input)| input.1)?;
        ways.all(|(_, input)| input.1.is_none_or(|way| way == first)).then_some(first)
    })
}

/// Back to where a value was when the program began, through moves, and through choices between the centre and the centroid, which
/// are the same where the pixel is covered.
fn trace(l: &Lifter, operand: Operand, at: usize, moves: u32) -> Option<Interp> {
    let register = operand.vgpr()?;
    let writer = l.flow.insts[..at].iter().rposition(|inst| {
        let covers = |written: &Registers| (0..written.count).any(|n| written.first.word(n) == Some(operand));
        inst.writes().iter().any(covers)
    });
    let Some(writer) = writer else { return initial_way(l, register) };
    let (inst, moves) = (&l.flow.insts[writer], moves.checked_sub(1)?);
    match inst.op {
        Op::VMovB32 => trace(l, inst.src[0], writer, moves),
        Op::VCndmaskB32 => match [0, 1].map(|n| trace(l, inst.src[n], writer, moves)) {
            [Some(first), Some(second)] if first == second => Some(first),
            [Some(first), Some(second)] => [first, second].into_iter().find(|&way| way == Interp::Centroid),
            _ => None,
        },
        _ => None,
    }
}

/// How attributes are interpolated with what a register holds when the program begins.
fn initial_way(l: &Lifter, register: u8) -> Option<Interp> {
    let registers = &l.source.registers;
    let reserved = registers.ps_input_addr | registers.ps_input_ena;
    let mut first = 0;
    for (bit, &(count, way)) in INPUTS.iter().enumerate() {
        if reserved >> bit & 1 == 0 {
            continue;
        }
        if (first..first + count).contains(&register) {
            return way;
        }
        first += count;
    }
    None
}
