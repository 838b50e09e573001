//! What registers hold when a program begins: user data, then what `PGM_RSRC2` asks for, and the vector registers of the stage.
//! The order is that of `docs/sources/gcn.md#registers-at-the-start`.

use afterimage_ir::{InputAt, Kind, Value};

use super::Lifter;
use super::inputs::{builtin, instances};
use super::lockstep::fills_up;
use crate::io::{HwStage, groups};
use crate::resources::user_count;

/// Sets the registers that the program begins with.
pub(super) fn lift(l: &mut Lifter<'_>) {
    l.wanted = l.masks.start;
    l.exec_known = true;
    let live = l.b.bool(true);
    l.set_exec(live);
    for (n, word) in l.analysis.users.into_iter().enumerate() {
        if let Some(word) = word {
            let value = l.delivered(word);
            l.set_sgpr(n as u8, value);
        }
    }
    let registers = &l.source.registers;
    let (rsrc1, rsrc2) = (registers.rsrc1, registers.rsrc2);
    let mut next = user_count(registers);
    match l.source.stage {
        HwStage::Cs => {
            for n in 0..3u8 {
                if rsrc2 >> (7 + n) & 1 != 0 {
                    let group = builtin(&mut l.b, InputAt::WorkgroupId);
                    let mut value = l.b.extract(group, n);
                    if registers.groups & groups::START != 0 {
                        let first = axis(l, 0, n);
                        value = l.b.iadd(value, first);
                    }
                    l.set_sgpr(next, value);
                    next += 1;
                }
            }
            if rsrc2 >> 10 & 1 != 0 {
                let value = wave_of_group(l);
                l.set_sgpr(next, value);
            }
            let local = local_id(l);
            for n in 0..3u8 {
                if n <= (rsrc2 >> 11 & 3) as u8 {
                    l.set_vgpr_always(n, local[usize::from(n)]);
                }
            }
            let mut live = l.b.bool(true);
            if registers.groups & groups::PARTIAL != 0 {
                live = in_last_groups(l, local);
            }
            if l.lockstep && fills_up(l.source) {
                let index = builtin(&mut l.b, InputAt::LocalIndex);
                let lanes = l.b.i32(registers.num_thread.iter().map(|&n| n.max(1)).product::<u32>() as i32);
                let there = l.b.ult(index, lanes);
                live = l.b.band(live, there);
            }
            l.set_exec(live);
        }
        HwStage::Vs if l.source.captures() => super::geometry::start_capture(l),
        HwStage::Vs if l.source.is_domain() => super::tessellation::start_domain(l),
        HwStage::Vs => {
            super::geometry::start_uncaptured(l);
            let index = builtin(&mut l.b, InputAt::VertexIndex);
            let vertex = super::geometry::of_index(l, index);
            l.set_vgpr_always(0, vertex);
            if rsrc1 >> 24 & 3 != 0 {
                let instance = builtin(&mut l.b, InputAt::InstanceIndex);
                instances(l, instance);
            }
        }
        HwStage::Ps => {
            super::interlock::start(l);
            super::interpolate::start(l);
        }
        HwStage::Es => super::geometry::start_export(l),
        HwStage::Gs => super::geometry::start_geometry(l),
        HwStage::Ls => super::tessellation::start_local(l),
        HwStage::Hs => super::tessellation::start_hull(l),
    }
}

/// Component `axis` of a register of what the dispatch says.
fn axis(l: &mut Lifter<'_>, register: u32, axis: u8) -> Value {
    let words = l.draw_words(register);
    let word = l.b.extract(words, axis);
    l.b.cast(word, Kind::Int)
}

/// The lane's place in its group.
fn local_id(l: &mut Lifter<'_>) -> [Value; 3] {
    if !l.lockstep || !fills_up(l.source) {
        let local = builtin(&mut l.b, InputAt::LocalId);
        return [0, 1, 2].map(|n| l.b.extract(local, n));
    }
    let index = builtin(&mut l.b, InputAt::LocalIndex);
    let [width, height, _] = l.source.registers.num_thread.map(|n| l.b.i32(n.max(1) as i32));
    let row = l.b.udiv(index, width);
    [l.b.umod(index, width), l.b.umod(row, height), l.b.udiv(row, height)]
}

/// Whether the lane is there, of a group that may be the last of an axis.
fn in_last_groups(l: &mut Lifter<'_>, local: [Value; 3]) -> Value {
    let mut live = l.b.bool(true);
    let counts = axis(l, 0, 3);
    for n in 0..3 {
        let last = axis(l, 1, n);
        let (at, bits, one) = (l.b.i32(groups::lanes_at(n) as i32), l.b.i32(groups::LANE_BITS as i32), l.b.i32(1));
        let less = l.b.ubfe(counts, at, bits);
        let lanes = l.b.iadd(less, one);
        let group = builtin(&mut l.b, InputAt::WorkgroupId);
        let group = l.b.extract(group, n);
        let (before, inside) = (l.b.ult(group, last), l.b.ult(local[usize::from(n)], lanes));
        let here = l.b.bor(before, inside);
        live = l.b.band(live, here);
    }
    live
}

/// Bits 11:6 the number of the wave in its group, bits 5:0 the number of waves.
fn wave_of_group(l: &mut Lifter<'_>) -> Value {
    let lanes = l.source.registers.num_thread.iter().fold(1u32, |lanes, &n| lanes.saturating_mul(n.max(1)));
    let index = builtin(&mut l.b, InputAt::LocalIndex);
    let as_guest = super::vector::numbers_as_guest(l);
    let b = &mut l.b;
    let size = if as_guest { b.i32(64) } else { b.wave_size() };
    let lanes = b.i32(lanes as i32);
    let wave = b.udiv(index, size);
    let (one, six) = (b.i32(1), b.i32(6));
    let more = b.iadd(lanes, size);
    let more = b.isub(more, one);
    let count = b.udiv(more, size);
    let wave = b.ishl(wave, six);
    b.ior(wave, count)
}
