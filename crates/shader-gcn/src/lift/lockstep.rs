//! Lanes of one guest wave that the host has in several waves.
//!
//! A wave of the guest has 64 lanes that run in step: its compiler leaves out barriers among them, since an access of the data share
//! is over before the next one begins. Where the host's waves are smaller, that takes a barrier. If the group is one wave, it is known
//! here where all of its lanes are together: not behind a branch by a lane's own bits, nor behind where some of them have left for
//! good. Where that is not enough, lanes ask each other, or a group of several waves reads from the data share what it has not waited
//! for since it was written, the program is translated again and the lanes of each wave are kept together: no branch goes by a lane's
//! own bit, but by whether any lane of the wave goes there, as in the guest. The module says so
//! ([`guest_waves`](afterimage_ir::Module::guest_waves)), and the pass of that name does the rest for hosts of smaller waves.

use afterimage_ir::{Flags, MAX_WAVE, Op as IrOp};

use super::Lifter;
use super::flow::Flow;
use super::structure::Step;
use crate::io::{HwStage, Source};
use crate::tables::{Condition, Encoding, Op, flag};

/// Accesses of the data share that other lanes may not have made yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Open {
    read: bool,
    written: bool,
}

impl Open {
    /// What either has.
    pub(super) fn or(self, other: Open) -> Open {
        Open { read: self.read || other.read, written: self.written || other.written }
    }

    /// Whether one has to wait for these in front of others.
    fn hinders(self, next: Open) -> bool {
        self.written && (next.read || next.written) || self.read && next.written
    }
}

/// What is known of the data share while a program is translated.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Share {
    pub(super) open: Open,
    /// Whether waves of the group rely on being in step; none before somebody asks.
    in_step: Option<bool>,
    /// Whether lanes were apart where they had to wait.
    missed: bool,
    /// Whether lanes ask each other.
    asks: bool,
    /// So many instructions of the translation were looked at for that.
    seen: usize,
}

/// Comes in front of an access of the data share: waits for the accesses of other lanes that come before it.
pub(super) fn before_access(l: &mut Lifter<'_>, writes: bool) {
    let next = Open { read: !writes, written: writes };
    if l.kept.share.open.hinders(next) {
        wait(l);
    }
    l.kept.share.open = l.kept.share.open.or(next);
}

/// Comes in front of code that only some lanes may run: if it accesses the data share, what comes before it is waited for here.
pub(super) fn before_parting(l: &mut Lifter<'_>, arms: &[&[Step]]) {
    let next = arms.iter().fold(Open::default(), |all, arm| all.or(accesses(l.flow, arm)));
    if l.kept.share.open.hinders(next) {
        wait(l);
    }
}

/// The group waits for all of its lanes.
pub(super) fn waited(l: &mut Lifter<'_>) {
    l.kept.share.open = Open::default();
}

/// Waits for all lanes of the guest's wave, if they are together and rely on that.
fn wait(l: &mut Lifter<'_>) {
    let in_step = l.kept.share.in_step.unwrap_or_else(|| match l.source.stage {
        HwStage::Cs if lanes(l) > MAX_WAVE => exchanges_unwaited(l.flow),
        HwStage::Cs => lanes(l) > 1,
        _ => false,
    });
    l.kept.share.in_step = Some(in_step);
    if !in_step {
        return;
    }
    let several = lanes(l) > MAX_WAVE;
    if l.diverged || several && !l.lockstep {
        l.kept.share.missed = true;
        return;
    }
    if several {
        l.b.wave_barrier();
    } else {
        l.b.barrier();
    }
    waited(l);
}

/// Whether a program reads from the data share what it wrote there, or another lane, without a barrier between: what groups of
/// several waves do only if lanes of one exchange something.
fn exchanges_unwaited(flow: &Flow) -> bool {
    let mut starts = vec![None; flow.blocks.len()];
    starts[0] = Some(false);
    let mut open = vec![0u32];
    while let Some(number) = open.pop() {
        let block = flow.blocks[number as usize];
        let mut written = starts[number as usize].unwrap_or(false);
        for inst in &flow.insts[block.first..block.end] {
            let (accesses, reads) = (inst.accesses_share(), inst.reads_share());
            if reads && written {
                return true;
            }
            written = inst.op != Op::SBarrier && (written || accesses && !reads);
        }
        for to in block.exit.targets() {
            let start = &mut starts[to as usize];
            if start.is_none_or(|start| written && !start) {
                *start = Some(written || start.unwrap_or(false));
                open.push(to);
            }
        }
    }
    false
}

/// How code accesses the data share.
pub(super) fn accesses(flow: &Flow, steps: &[Step]) -> Open {
    let all = |steps: &[Step]| accesses(flow, steps);
    steps.iter().fold(Open::default(), |open, step| {
        open.or(match step {
            Step::Block(number) => {
                let block = flow.blocks[*number as usize];
                let insts = flow.insts[block.first..block.end].iter().filter(|inst| inst.accesses_share());
                insts.fold(Open::default(), |open, inst| {
                    let reads = inst.reads_share();
                    open.or(Open { read: reads, written: !reads })
                })
            }
            Step::If(yes, no) => all(yes).or(all(no)),
            Step::When(_, _, body) | Step::Loop(body) => all(body),
            Step::Set(..) | Step::Break | Step::Continue | Step::Return => Open::default(),
        })
    })
}

fn lanes(l: &Lifter<'_>) -> u32 {
    l.b.module().group.iter().product()
}

/// Whether the lanes of each wave have to be kept together: they ask each other, or are apart where one waits for the others.
pub(super) fn wanted(l: &mut Lifter<'_>) -> bool {
    if l.source.stage != HwStage::Cs || lanes(l) <= 1 {
        return false;
    }
    let asks = |op: IrOp| op.has(Flags::WAVE) || matches!(op, IrOp::LaneIndex | IrOp::WaveSize);
    let insts = &l.b.module().insts;
    let share = &mut l.kept.share;
    share.asks |= insts[share.seen..].iter().any(|inst| asks(inst.op));
    share.seen = insts.len();
    share.asks || share.missed
}

/// Whether the last wave of a group has fewer lanes than others. Programs write registers of the lanes that are not there by setting
/// exec, and read them, so where waves are the guest's there are such lanes, with exec false at first.
pub(super) fn fills_up(source: &Source) -> bool {
    let lanes = source.registers.num_thread.iter().fold(1u32, |lanes, &n| lanes.saturating_mul(n.max(1)));
    source.stage == HwStage::Cs && !lanes.is_multiple_of(MAX_WAVE)
}

/// A work group of whole waves for one of any size.
pub(super) fn whole_waves(group: [u32; 3]) -> [u32; 3] {
    [group.iter().product::<u32>().next_multiple_of(MAX_WAVE), 1, 1]
}

/// Whether the branch at the end of a block is by a scalar that all lanes agree on: a comparison of words, not of masks.
pub(super) fn is_scalar(flow: &Flow, block: u32) -> bool {
    if !matches!(flow.condition(block), Some(Condition::Scc0 | Condition::Scc1)) {
        return false;
    }
    let block = flow.blocks[block as usize];
    let writer = flow.insts[block.first..block.end].iter().rev().find(|inst| inst.has(flag::WRITES_SCC));
    writer.is_some_and(|inst| {
        matches!(inst.enc, Encoding::Sopc | Encoding::Sopk | Encoding::Sop2)
            && (0..2).all(|n| inst.src_ty(n).dwords() <= 1)
    })
}

/// Whether code can leave the construct that it is in.
pub(super) fn leaves(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Break | Step::Continue | Step::Return => true,
        Step::If(yes, no) => leaves(yes) || leaves(no),
        Step::When(_, _, body) => leaves(body),
        Step::Loop(body) => returns(body),
        Step::Block(_) | Step::Set(..) => false,
    })
}

fn returns(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Return => true,
        Step::If(yes, no) => returns(yes) || returns(no),
        Step::When(_, _, body) | Step::Loop(body) => returns(body),
        Step::Block(_) | Step::Set(..) | Step::Break | Step::Continue => false,
    })
}

/// Whether some lanes of a loop's body leave it, or begin its next round, while others do not; or, with `only_returns`, end the
/// program.
pub(super) fn parts_for_good(flow: &Flow, steps: &[Step], only_returns: bool) -> bool {
    let leaves = |steps: &[Step]| if only_returns { returns(steps) } else { leaves(steps) };
    let mut block = None;
    steps.iter().any(|step| match step {
        Step::Block(number) => {
            block = Some(*number);
            false
        }
        Step::If(yes, no) => {
            let lockstep = block.is_some_and(|block| is_scalar(flow, block));
            let arms = [yes, no];
            if lockstep {
                arms.iter().any(|arm| parts_for_good(flow, arm, only_returns))
            } else {
                arms.iter().any(|arm| leaves(arm))
            }
        }
        Step::When(_, _, body) => leaves(body),
        Step::Loop(body) => parts_for_good(flow, body, true),
        Step::Set(..) | Step::Break | Step::Continue | Step::Return => false,
    })
}
