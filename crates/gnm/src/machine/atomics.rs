//! `ATOMIC` and `ATOMIC_GDS`.

use super::fault::FaultKind;
use super::wait::Wait;
use super::{Exec, long};
use afterimage_gnm_types::op;

/// What becomes of a number in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Swap,
    CompareSwap,
    Add,
    Subtract,
    /// What is there is subtracted.
    ReverseSubtract,
    SignedMin,
    Min,
    SignedMax,
    Max,
    And,
    Or,
    Xor,
    /// Bits of a mask are replaced.
    Mask,
    /// Counts up to a number, then from 0 on.
    Increment,
    /// Counts down to 0, then from a number on.
    Decrement,
}

impl Operation {
    /// By its number in `ATOMIC`, and whether it is of 64 bits. Source: PAL's enumeration `TC_OP`.
    fn of_memory(number: u32) -> Option<(Self, bool)> {
        let operation = match number & 31 {
            7 => Self::Swap,
            8 => Self::CompareSwap,
            15 => Self::Add,
            16 => Self::Subtract,
            17 => Self::SignedMin,
            18 => Self::Min,
            19 => Self::SignedMax,
            20 => Self::Max,
            21 => Self::And,
            22 => Self::Or,
            23 => Self::Xor,
            24 => Self::Increment,
            25 => Self::Decrement,
            _ => return None,
        };
        Some((operation, number & 32 != 0))
    }

    /// By its number in `ATOMIC_GDS`, which is that of the DS instruction (`docs/sources/gcn.md#instructions`), with a result or
    /// without.
    fn of_gds(number: u32) -> Option<(Self, bool)> {
        let operation = match number & 31 {
            0 => Self::Add,
            1 => Self::Subtract,
            2 => Self::ReverseSubtract,
            3 => Self::Increment,
            4 => Self::Decrement,
            5 => Self::SignedMin,
            6 => Self::SignedMax,
            7 => Self::Min,
            8 => Self::Max,
            9 => Self::And,
            10 => Self::Or,
            11 => Self::Xor,
            12 => Self::Mask,
            13 => Self::Swap,
            16 => Self::CompareSwap,
            _ => return None,
        };
        Some((operation, number & 64 != 0))
    }

    /// What takes the place of `old`, of which `bits` count. `other` is the number to compare with, or the mask.
    fn apply(self, bits: u32, old: u64, data: u64, other: u64) -> u64 {
        let signed = |value: u64| ((value << (64 - bits)) as i64) >> (64 - bits);
        let pick = |new: bool| if new { data } else { old };
        match self {
            Self::Swap => data,
            Self::CompareSwap => pick(old == other),
            Self::Add => old.wrapping_add(data),
            Self::Subtract => old.wrapping_sub(data),
            Self::ReverseSubtract => data.wrapping_sub(old),
            Self::SignedMin => pick(signed(data) < signed(old)),
            Self::Min => old.min(data),
            Self::SignedMax => pick(signed(data) > signed(old)),
            Self::Max => old.max(data),
            Self::And => old & data,
            Self::Or => old | data,
            Self::Xor => old ^ data,
            Self::Mask => old & !other | data,
            Self::Increment if old >= data => 0,
            Self::Increment => old + 1,
            Self::Decrement if old == 0 || old > data => data,
            Self::Decrement => old - 1,
        }
    }
}

/// A number of 32 bits or 64.
fn number(words: u64, wide: bool) -> u64 {
    if wide { words } else { words & 0xFFFF_FFFF }
}

impl Exec<'_, '_> {
    /// `ATOMIC`: a number in memory. What was there is remembered for `COPY_DATA`.
    pub(super) fn atomic(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        use op::ATOMIC as packet;
        /// Tries until the comparison holds.
        const LOOP: u32 = 1;
        let selected = packet::atomOp.of(body);
        let unknown = FaultKind::Value { field: "atomOp", value: selected.into() };
        let (operation, wide) = Operation::of_memory(selected).ok_or(unknown)?;
        let address = long(body, 1) & !3;
        let (data, compare) = (number(long(body, 3), wide), number(long(body, 5), wide));
        let old = if wide { self.bus.long(address)? } else { self.bus.word(address)?.into() };
        self.context.atomic_result = old;
        if operation == Operation::CompareSwap && packet::command.of(body) == LOOP {
            self.wait_for(Wait::Exchange { address, compare, value: data, wide });
            return Ok(());
        }
        let bits = if wide { 64 } else { 32 };
        let new = operation.apply(bits, old, data, compare);
        Ok(self.bus.write(address, &new.to_le_bytes()[..bits as usize / 8])?)
    }

    /// `ATOMIC_GDS`: a number in the global data share. What was there is remembered for `COPY_DATA`.
    pub(super) fn atomic_gds(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        use op::ATOMIC_GDS as packet;
        let selected = packet::atomOp.of(body);
        let unknown = FaultKind::Value { field: "atomOp", value: selected.into() };
        let (operation, wide) = Operation::of_gds(selected).ok_or(unknown)?;
        let size = if wide { 8 } else { 4 };
        let offset = u64::from(packet::atomDst.of(body))
            + u64::from(packet::atomOffset0.of(body) | packet::atomOffset1.of(body) << 8);
        if offset + size > u64::from(packet::atomSize.of(body)) {
            return Err(FaultKind::Value { field: "the offset in the atomic's part of GDS", value: offset });
        }
        let at = u64::from(packet::atomBase.of(body)) + offset;
        let bytes = self.read_gds(at, size)?;
        let old = bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
        let (first, second) = (number(long(body, 6), wide), number(long(body, 8), wide));
        // With two operands, the first is what is compared with, or the mask.
        let two = matches!(operation, Operation::CompareSwap | Operation::Mask);
        let (data, other) = if two { (second, first) } else { (first, 0) };
        let new = operation.apply(8 * size as u32, old, data, other);
        self.context.gds_atomic_result = old;
        self.write_gds(at, &new.to_le_bytes()[..size as usize])
    }
}
