//! What atomic operations of every kind of memory share: buffers, images, the data share.

use afterimage_ir::{AtomicOp, Builder, Value};
use smallvec::SmallVec;

use super::format;
use crate::tables::Atomic;

/// What the IR calls an atomic operation; those that it has no name for are made of others, or refused.
pub(super) fn atomic_op(op: Atomic) -> Option<AtomicOp> {
    Some(match op {
        Atomic::Swap => AtomicOp::Swap,
        Atomic::CmpSwap => AtomicOp::CmpSwap,
        Atomic::Add => AtomicOp::Add,
        Atomic::Sub => AtomicOp::Sub,
        Atomic::Rsub => AtomicOp::RSub,
        Atomic::Smin => AtomicOp::IMin,
        Atomic::Umin => AtomicOp::UMin,
        Atomic::Smax => AtomicOp::IMax,
        Atomic::Umax => AtomicOp::UMax,
        Atomic::And => AtomicOp::And,
        Atomic::Or => AtomicOp::Or,
        Atomic::Xor => AtomicOp::Xor,
        Atomic::Inc => AtomicOp::Inc,
        Atomic::Dec => AtomicOp::Dec,
        Atomic::FcmpSwap => AtomicOp::FCmpSwap,
        Atomic::Fmin => AtomicOp::FMin,
        Atomic::Fmax => AtomicOp::FMax,
        Atomic::Mskor => AtomicOp::MaskOr,
        Atomic::Wrap | Atomic::CondSwap => return None,
    })
}

/// Data of an atomic operation as operands of `lanes` words each.
pub(super) fn split(b: &mut Builder, data: Value, lanes: u8) -> SmallVec<[Value; 2]> {
    let words = format::words(b, data);
    words.chunks(usize::from(lanes.max(1))).map(|part| b.construct(part)).collect()
}
