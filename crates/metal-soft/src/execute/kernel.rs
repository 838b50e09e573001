//! Dispatches.

use super::{Stopper, bound};
use crate::call::{Group, Lane, Lanes};
use crate::command::{Dispatch, Groups};
use crate::memory::{MOST_LANES, Turn};

pub(super) fn dispatch(turn: &Turn, of: &Dispatch, stopper: &mut Stopper<'_>) {
    stopper.begin(|| format!("pipeline `{}`", of.pipeline.label));
    let count = match &of.groups {
        Groups::Direct(count) => *count,
        Groups::Indirect(buffer, offset) => [0, 4, 8].map(|n| buffer.0.memory.word(turn, offset + n).unwrap_or(0)),
    };
    let size = of.threads;
    let lanes = size.iter().try_fold(1u32, |n, s| n.checked_mul(*s)).unwrap_or(u32::MAX) as usize;
    if lanes == 0 || lanes > MOST_LANES {
        return;
    }
    let function = &of.pipeline.function;
    let bound = bound(&function.compiled.interface, &of.table);
    let mut all = vec![Lane::ZERO; lanes];
    for z in 0..count[2] {
        for y in 0..count[1] {
            for x in 0..count[0] {
                if stopper.ended() {
                    return;
                }
                for (n, lane) in all.iter_mut().enumerate() {
                    let n = n as u32;
                    lane.helper = 0;
                    lane.killed = 0;
                    lane.local = [n % size[0], n / size[0] % size[1], n / size[0] / size[1]];
                }
                let group = Group { size, id: [x, y, z], count };
                stopper.run(function, turn, &bound, &of.table, group, &mut all, Lanes::Threads);
            }
        }
    }
}
