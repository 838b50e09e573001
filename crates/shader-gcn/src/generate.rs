//! Instructions and programs out of arbitrary words, for tests and fuzzing.

use crate::inst::{Inst, Operand};
use crate::tables::{Encoding, ROWS, Row};
use std::iter::repeat_n;

/// Every way to write an instruction: its own encoding, and VOP3 where there is that.
pub fn forms() -> impl Iterator<Item = (&'static Row, Encoding)> {
    ROWS.iter().flat_map(|row| {
        let long = row.vop3_number().filter(|_| row.encoding != Encoding::Vop3).map(|_| Encoding::Vop3);
        repeat_n(row, 2).zip([Some(row.encoding), long]).filter_map(|(row, enc)| Some((row, enc?)))
    })
}

/// An instruction of a form whose other fields are those of arbitrary words, if they mean something. Bits without meaning are
/// zero, so that its words come back from its text.
pub fn instruction(row: &Row, enc: Encoding, mut words: [u32; 2]) -> Option<Inst> {
    let number = if enc == Encoding::Vop3 { row.vop3_number()? } else { row.number };
    let pattern = enc.pattern();
    let opcode = ((1 << pattern.width) - 1) << pattern.low;
    words[0] = words[0] & !pattern.mask & !opcode | pattern.word(number);
    let inst = Inst::decode(&words, 0).ok()?;
    let canonical = inst.encode().ok()?;
    Inst::decode(&canonical, 0).ok()
}

/// The same with registers that every instruction can have: scalar ones aligned to four, and no constants but inline ones.
pub fn plain(mut inst: Inst) -> Inst {
    let tame = |operand: Operand| match operand {
        Operand::Vgpr(n) => Operand::Vgpr(n & 0x7F),
        Operand::Literal(_) | Operand::Int(_) | Operand::Float(_) | Operand::VccLo | Operand::None => operand,
        other => Operand::Sgpr(other.scalar_code().unwrap_or(16) & 0x3C),
    };
    inst.dst = tame(inst.dst);
    inst.src = inst.src.map(tame);
    if inst.enc == Encoding::Vop3 {
        inst.sdst = tame(inst.sdst);
    }
    inst
}

/// A program: instructions whose forms and fields arbitrary words decide, with branches among themselves, and an end.
pub fn program(words: &[u32]) -> Vec<u32> {
    let forms: Vec<_> = forms().collect();
    let (rows, _) = words.as_chunks::<3>();
    let mut insts: Vec<_> = rows
        .iter()
        .filter_map(|&[form, a, b]| {
            let (row, enc) = forms[form as usize % forms.len()];
            Some((form >> 16, instruction(row, enc, [a, b])?))
        })
        .collect();
    let mut at = 0;
    for (_, inst) in &mut insts {
        inst.at = at;
        at = inst.next();
    }
    let starts: Vec<u32> = insts.iter().map(|(_, inst)| inst.at).chain([at]).collect();
    let mut out = Vec::new();
    for (choice, inst) in &mut insts {
        if inst.target().is_some() {
            let target = starts[*choice as usize % starts.len()];
            inst.simm = (i64::from(target) - i64::from(inst.next())) as u16;
        }
        out.extend(inst.encode().unwrap_or_default());
    }
    out.push(0xBF81_0000);
    out
}
