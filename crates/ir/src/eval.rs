//! Computes instructions whose result depends on nothing but their operands' bits. Constant folder and interpreter share it.

use crate::entity::Value;
use crate::module::{Imm, InstData, Module};
use crate::opcode::{Meaning, Op};

/// Bits of an instruction's result, components beyond its type being 0; `bits` gives those of the operands. `None` if the
/// instruction is not a function of its operands, or has no operands.
pub fn evaluate(m: &Module, data: &InstData, bits: impl Fn(Value) -> [u32; 4]) -> Option<[u32; 4]> {
    let &first = data.args.first()?;
    let &result = data.results.first()?;
    let mut out = [0; 4];
    let lanes = m.ty(result).lanes as usize;
    match (data.op.info().meaning, data.op, data.imm) {
        (Meaning::Lanes(compute), ..) => {
            let mut words = [[0; 3]; 4];
            for (a, &arg) in data.args.iter().take(3).enumerate() {
                for (lane, word) in bits(arg).into_iter().enumerate() {
                    words[lane][a] = word;
                }
            }
            for (out, words) in out[..lanes].iter_mut().zip(words) {
                *out = compute(words);
            }
        }
        (Meaning::Reduce(start, step), ..) => {
            let a = bits(first);
            let b = data.args.get(1).map_or([0; 4], |&b| bits(b));
            out[0] = (0..m.ty(first).lanes as usize).fold(start, |acc, l| step(acc, [a[l], b[l], 0]));
        }
        (Meaning::Pairs(compute), ..) => {
            let mut words = [0; 3];
            for (word, &arg) in words.iter_mut().zip(&data.args) {
                let bits = bits(arg);
                *word = u64::from(bits[0]) | u64::from(bits[1]) << 32;
            }
            let word = compute(words);
            out[0] = word as u32;
            out[1] = if lanes > 1 { (word >> 32) as u32 } else { 0 };
        }
        (_, Op::Bitcast, _) => out = bits(first),
        (_, Op::Swizzle, Imm::Swizzle(swizzle)) => {
            let a = bits(first);
            for (out, &lane) in out.iter_mut().zip(swizzle.lanes()) {
                *out = a[lane as usize & 3];
            }
        }
        (_, Op::Shuffle, Imm::Swizzle(select)) => {
            let (a, b) = (bits(first), bits(*data.args.get(1)?));
            let split = m.ty(first).lanes;
            for (out, &lane) in out.iter_mut().zip(select.lanes()) {
                *out = if lane < split { a[lane as usize & 3] } else { b[(lane - split) as usize & 3] };
            }
        }
        (_, Op::Construct, _) => {
            let mut at = 0;
            for &arg in &data.args {
                let count = m.ty(arg).lanes as usize;
                out.get_mut(at..at + count)?.copy_from_slice(&bits(arg)[..count]);
                at += count;
            }
        }
        _ => return None,
    }
    Some(out)
}
