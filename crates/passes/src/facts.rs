//! What is known of float values by the instructions that make them.

use afterimage_ir::{Imm, Module, Op, Value};

/// What holds for every component of a float value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Facts {
    /// Neither infinite nor NaN.
    pub(crate) finite: bool,
    /// NaN, or not below +0: -0 is excluded.
    pub(crate) not_negative: bool,
    /// Neither +0 nor -0.
    pub(crate) not_zero: bool,
}

impl Facts {
    fn and(self, other: Facts) -> Facts {
        Facts {
            finite: self.finite && other.finite,
            not_negative: self.not_negative && other.not_negative,
            not_zero: self.not_zero && other.not_zero,
        }
    }
}

/// How many instructions are looked through.
const DEPTH: u32 = 4;

pub(crate) fn facts(m: &Module, value: Value) -> Facts {
    look(m, value, DEPTH)
}

/// The facts of a constant's components.
pub(crate) fn of_constant(bits: &[u32]) -> Facts {
    let floats = || bits.iter().map(|&b| f32::from_bits(b));
    Facts {
        finite: floats().all(f32::is_finite),
        not_negative: floats().all(|f| f.is_nan() || f.is_sign_positive()),
        not_zero: floats().all(|f| f != 0.0),
    }
}

fn look(m: &Module, value: Value, depth: u32) -> Facts {
    let unknown = Facts::default();
    let Some(inst) = m.def(value).filter(|_| depth > 0) else { return unknown };
    let data = m.inst(inst);
    let arg = |n: usize| look(m, data.args[n], depth - 1);
    match (data.op, data.imm) {
        (Op::Const, Imm::Const(bits)) => of_constant(&bits[..m.ty(value).lanes as usize]),
        (Op::Swizzle, _) => arg(0),
        (Op::Select, _) => arg(1).and(arg(2)),
        (Op::FSat, _) => Facts { finite: true, not_negative: true, not_zero: false },
        (Op::FAbs, _) => Facts { not_negative: true, ..arg(0) },
        (Op::FExp2, _) => Facts { not_negative: true, ..unknown },
        (Op::FMul | Op::FDot | Op::FDotZ, _) if data.args[0] == data.args[1] => Facts { not_negative: true, ..unknown },
        _ => unknown,
    }
}
