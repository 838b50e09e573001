//! Inputs of the host that the start of a program is made of.

use afterimage_ir::{Builder, InputAt, InputDecl, Interp, Type, Value};

use super::Lifter;

/// Reads a builtin input.
pub(super) fn builtin(b: &mut Builder, at: InputAt) -> Value {
    let (name, ty) = at.builtin().map_or(("input", Type::I32), |(name, _, ty)| (name, ty));
    b.input_at(at, || InputDecl { name: name.into(), ty, at, interp: Interp::Flat, semantic: None })
}

/// The registers of an instance: its number by both step rates, and as it is, as many as `RSRC1` asks for.
pub(super) fn instances(l: &mut Lifter<'_>, instance: Value) {
    let registers = &l.source.registers;
    let [first, second] = registers.step_rates;
    let count = registers.rsrc1 >> 24 & 3;
    for (n, rate) in [first, second, 1].into_iter().take(count as usize).enumerate() {
        let value = if rate > 1 {
            let rate = l.b.i32(rate as i32);
            l.b.udiv(instance, rate)
        } else {
            instance
        };
        l.set_vgpr_always(n as u8 + 1, value);
    }
}
