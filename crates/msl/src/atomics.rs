//! Atomic operations on words.

use std::fmt::Write as _;

use afterimage_ir::AtomicOp;

use crate::words::Space;

/// How an operation is done.
enum Way {
    /// A function of Metal on unsigned integers.
    Unsigned(&'static str),
    /// A function of Metal on signed ones.
    Signed(&'static str),
    /// This takes the place of `old`, unless somebody has changed that meanwhile.
    Swaps(&'static str),
}

fn way(op: AtomicOp) -> Way {
    match op {
        AtomicOp::Add => Way::Unsigned("atomic_fetch_add_explicit"),
        AtomicOp::Sub => Way::Unsigned("atomic_fetch_sub_explicit"),
        AtomicOp::IMin => Way::Signed("atomic_fetch_min_explicit"),
        AtomicOp::IMax => Way::Signed("atomic_fetch_max_explicit"),
        AtomicOp::UMin => Way::Unsigned("atomic_fetch_min_explicit"),
        AtomicOp::UMax => Way::Unsigned("atomic_fetch_max_explicit"),
        AtomicOp::And => Way::Unsigned("atomic_fetch_and_explicit"),
        AtomicOp::Or => Way::Unsigned("atomic_fetch_or_explicit"),
        AtomicOp::Xor => Way::Unsigned("atomic_fetch_xor_explicit"),
        AtomicOp::Swap => Way::Unsigned("atomic_exchange_explicit"),
        AtomicOp::RSub => Way::Swaps("value - old"),
        AtomicOp::Inc => Way::Swaps("old >= value ? 0u : old + 1u"),
        AtomicOp::Dec => Way::Swaps("old == 0u || old > value ? value : old - 1u"),
        AtomicOp::CmpSwap => Way::Swaps("old == second ? value : old"),
        AtomicOp::FCmpSwap => Way::Swaps("as_type<float>(old) == as_type<float>(second) ? value : old"),
        AtomicOp::FMin => {
            Way::Swaps("as_type<float>(old) <= as_type<float>(value) || isnan(as_type<float>(value)) ? old : value")
        }
        AtomicOp::FMax => {
            Way::Swaps("as_type<float>(old) >= as_type<float>(value) || isnan(as_type<float>(value)) ? old : value")
        }
        AtomicOp::MaskOr => Way::Swaps("(old & ~second) | value"),
    }
}

/// The operation's number.
pub(crate) fn number(op: AtomicOp) -> u32 {
    op as u32
}

/// Writes the function of an operation: it gives what was there.
pub(crate) fn write(out: &mut String, op: AtomicOp, space: Space) {
    let second = if op.operands() > 1 { ", uint second" } else { "" };
    let (name, qualifier) = (space.name(), space.qualifier());
    let _ = write!(
        out,
        "\nstatic inline uint atomic_{}_{name}({}, uint value{second})\n{{\n",
        op.name(),
        space.arguments()
    );
    let word = match space {
        Space::Device => "device_word(address)",
        Space::Shared(words) => {
            let _ = write!(out, "    if (offset >> 2 >= {words}u) {{\n        return 0u;\n    }}\n");
            "memory + (offset >> 2)"
        }
    };
    let integer = if matches!(way(op), Way::Signed(_)) { "int" } else { "uint" };
    let _ = writeln!(
        out,
        "    {qualifier} atomic_{integer}* at = reinterpret_cast<{qualifier} atomic_{integer}*>({word});"
    );
    let _ = match way(op) {
        Way::Unsigned(function) => writeln!(out, "    return {function}(at, value, memory_order_relaxed);"),
        Way::Signed(function) => writeln!(out, "    return uint({function}(at, int(value), memory_order_relaxed));"),
        Way::Swaps(new) => writeln!(
            out,
            "    uint old = atomic_load_explicit(at, memory_order_relaxed);\n    \
             while (!atomic_compare_exchange_weak_explicit(at, &old, {new}, memory_order_relaxed, memory_order_relaxed)) {{\n    }}\n    \
             return old;"
        ),
    };
    out.push_str("}\n");
}
