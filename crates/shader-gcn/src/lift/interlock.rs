//! Pixels in the order of their primitives.
//!
//! gfx9 has what is called primitive-ordered pixel shading, and Mesa's compiler writes it for gfx7 too: a wave whose pixels overlap those of
//! earlier ones (its register of collisions says so in bit 31) asks `src_pops_exiting_wave_id` again and again which wave leaves its
//! ordered section, until that is behind the newest of them, and says with the message `ordered_ps_done` that it is through itself. After
//! Mesa's `aco_instruction_selection` (`pops_await_overlapped_waves`) and AMD's "Vega Instruction Set Architecture", section 4.5.
//!
//! Here the host knows who overlaps: the first time that a lane asks, it waits as the host does it, and is told what ends the loop.

use afterimage_ir::{Type, Value, Var};

use super::vector::notation::ir;
use super::{Lifter, Reason};
use crate::inst::Operand;
use crate::io::HwStage;
use crate::resources::user_count;

/// The operation of `s_sendmsg` that ends the ordered section.
pub(super) const ORDERED_PS_DONE: u16 = 7;

/// `LOAD_COLLISION_WAVEID` of `SPI_SHADER_PGM_RSRC2_PS`: the register of collisions is there.
const LOAD_COLLISION: u32 = 1 << 25;

/// What the register of collisions says: there was one (bit 31), with wave 0 (bits 25:16), and this is wave 1 (bits 9:0).
const COLLISION: u32 = 1 << 31 | 1;
/// The wave that leaves then.
const EXITING: i32 = 1;

/// How far a lane is: it has not waited, is in the section, or behind it.
const BEFORE: i32 = 0;
const INSIDE: i32 = 1;
const BEHIND: i32 = 2;

/// Gives the wave its register of collisions, and the program a state, if it is one that waits.
pub(super) fn start(l: &mut Lifter<'_>) {
    let rsrc2 = l.source.registers.rsrc2;
    if rsrc2 & LOAD_COLLISION != 0 {
        // Behind the base of the parameters and the wave's number.
        let behind = 1 + (rsrc2 >> 7 & 1) as u8;
        let collision = l.b.i32(COLLISION as i32);
        l.set_sgpr(user_count(&l.source.registers) + behind, collision);
    }
    if l.flow.insts.iter().any(|inst| inst.src.contains(&Operand::PopsExitingWaveId)) {
        let var = l.b.var("interlock", Type::I32);
        l.kept.interlock = Some(var);
    }
}

/// Does something if the lane is as far as `from`, which it is not behind that.
fn step(l: &mut Lifter<'_>, state: Var, from: i32, to: i32, act: fn(&mut afterimage_ir::Builder)) {
    let b = &mut l.b;
    let now = b.load(state);
    let is = ir!(b, ieq(now, { b.i32(from) }));
    b.begin_if(is);
    act(b);
    let to = b.i32(to);
    b.store(state, to);
    b.end_if();
}

/// `src_pops_exiting_wave_id`.
pub(super) fn exiting(l: &mut Lifter<'_>) -> Value {
    match l.kept.interlock {
        Some(state) if l.source.stage == HwStage::Ps => {
            step(l, state, BEFORE, INSIDE, afterimage_ir::Builder::begin_interlock);
        }
        _ => l.fail(Reason::Unsupported("the order of pixels outside of the pixel stage")),
    }
    l.b.i32(EXITING)
}

/// The end of the ordered section, of which the end of the program is one too.
pub(super) fn done(l: &mut Lifter<'_>) {
    if let (Some(state), HwStage::Ps) = (l.kept.interlock, l.source.stage) {
        step(l, state, INSIDE, BEHIND, afterimage_ir::Builder::end_interlock);
    }
}
