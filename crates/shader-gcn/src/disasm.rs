//! Instructions and programs as text.

use crate::inst::{Fields, Inst, Operand};
use crate::parse::Program;
use crate::syntax::{self, Modifier, Slot};
use crate::tables::{Encoding, Op, Ty};
use std::fmt::{self, Display, Formatter, Write as _};

impl Display for Operand {
    /// As one word: `s4`, `vcc_lo`, `0x1234`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Sgpr(n) => write!(f, "s{n}"),
            Operand::Vgpr(n) => write!(f, "v{n}"),
            Operand::Ttmp(n) => write!(f, "ttmp{n}"),
            Operand::Int(n) => write!(f, "{n}"),
            Operand::Float(bits) => write!(f, "{:?}", f32::from_bits(*bits)),
            Operand::Literal(word) => write!(f, "{word:#x}"),
            named => {
                f.write_str(syntax::NAMES.iter().find(|(_, operand)| operand == named).map_or("off", |(name, _)| name))
            }
        }
    }
}

/// A register of several words, or a constant of a type.
fn operand(f: &mut Formatter<'_>, operand: Operand, words: u8, ty: Ty) -> fmt::Result {
    let (name, first) = match operand {
        Operand::Literal(word) if syntax::inline(word, ty).is_some() => return write!(f, "lit({word:#x})"),
        Operand::Sgpr(n) if words > 1 => ("s", n),
        Operand::Vgpr(n) if words > 1 => ("v", n),
        Operand::Ttmp(n) if words > 1 => ("ttmp", n),
        _ => {
            let pair = syntax::PAIRS.iter().find(|(_, pair)| words == 2 && *pair == operand);
            return if let Some((name, _)) = pair { f.write_str(name) } else { write!(f, "{operand}") };
        }
    };
    write!(f, "{name}[{first}:{}]", u16::from(first) + u16::from(words) - 1)
}

/// A source with its sign and absolute value.
fn source(f: &mut Formatter<'_>, inst: &Inst, n: usize) -> fmt::Result {
    let (src, ty) = (inst.src[n], inst.src_ty(n));
    let [abs, neg] = [inst.mods.abs, inst.mods.neg].map(|bits| bits >> n & 1 != 0);
    let constant = src.vgpr().is_none() && src.scalar_code().is_none();
    let (open, close) = match (neg, abs) {
        (true, true) => ("-|", "|"),
        (true, false) if constant => ("neg(", ")"),
        (true, false) => ("-", ""),
        (false, true) => ("|", "|"),
        (false, false) => ("", ""),
    };
    f.write_str(open)?;
    match (inst.enc, src) {
        (Encoding::Sopk, Operand::Int(_)) => write!(f, "{:#x}", inst.simm)?,
        (Encoding::Smrd, Operand::Int(offset)) => write!(f, "{offset:#x}")?,
        (Encoding::Smrd, Operand::Literal(word)) if word < 256 => write!(f, "lit({word:#x})")?,
        (Encoding::Smrd, Operand::Literal(word)) => write!(f, "{word:#x}")?,
        _ => operand(f, src, inst.src_dwords(n), ty)?,
    }
    f.write_str(close)
}

fn wait(f: &mut Formatter<'_>, simm: u16) -> fmt::Result {
    if simm & !syntax::NO_WAIT != 0 {
        return write!(f, "{simm:#x}");
    }
    let mut space = "";
    for (name, low, max) in syntax::COUNTERS {
        let count = simm >> low & max;
        if count != max || simm == syntax::NO_WAIT {
            write!(f, "{space}{name}({count})")?;
            space = " ";
        }
    }
    Ok(())
}

fn message(f: &mut Formatter<'_>, simm: u16) -> fmt::Result {
    let (id, op, stream) = (simm & 15, simm >> 4 & 3, simm >> 8 & 3);
    let name = syntax::MESSAGES.iter().find(|(number, _)| *number == id).map(|(_, name)| name);
    let op_name = syntax::GS_OPS[usize::from(op)];
    match (id, name) {
        (syntax::MSG_GS | syntax::MSG_GS_DONE, Some(name)) if op != 0 && simm & !0x33F == 0 => {
            write!(f, "sendmsg({name}, {op_name}, {stream})")
        }
        (syntax::MSG_GS_DONE, Some(name)) if simm == id => write!(f, "sendmsg({name}, {op_name})"),
        (syntax::MSG_GS | syntax::MSG_GS_DONE, _) | (_, None) => write!(f, "{simm:#x}"),
        (_, Some(name)) if simm == id => write!(f, "sendmsg({name})"),
        _ => write!(f, "{simm:#x}"),
    }
}

fn hwreg(f: &mut Formatter<'_>, simm: u16) -> fmt::Result {
    let (id, offset, size) = (simm & 63, simm >> 6 & 31, (simm >> 11) + 1);
    match usize::from(id).checked_sub(1).and_then(|n| syntax::HWREGS.get(n)) {
        Some(name) => write!(f, "hwreg({name}, {offset}, {size})"),
        None => write!(f, "hwreg({id}, {offset}, {size})"),
    }
}

fn export_target(f: &mut Formatter<'_>, target: u8) -> fmt::Result {
    if let Some((name, _)) = syntax::TARGET_NAMES.iter().find(|(_, number)| *number == target) {
        return f.write_str(name);
    }
    match syntax::TARGETS.iter().find(|(_, first, count)| target.checked_sub(*first).is_some_and(|n| n < *count)) {
        Some((name, first, _)) => write!(f, "{name}{}", target - first),
        None => write!(f, "{}{target}", syntax::TARGET_INVALID),
    }
}

fn slot(f: &mut Formatter<'_>, inst: &Inst, slot: Slot, label: bool) -> fmt::Result {
    match slot {
        Slot::Dst => operand(f, inst.dst, inst.dst_dwords(), inst.dst_ty()),
        Slot::Sdst => operand(f, inst.sdst, 2, Ty::Mask),
        Slot::Src(n) => source(f, inst, n),
        Slot::Data if inst.src[3].is_some() => operand(f, inst.src[3], inst.src_dwords(3), inst.src_ty(3)),
        Slot::Data => operand(f, inst.dst, inst.dst_dwords(), inst.dst_ty()),
        Slot::Imm { .. } => write!(f, "{:#x}", inst.simm),
        Slot::Target => match inst.target().filter(|_| label) {
            Some(target) => write!(f, "L{target:04x}"),
            None => write!(f, "{}", inst.simm),
        },
        Slot::Wait => wait(f, inst.simm),
        Slot::Message => message(f, inst.simm),
        Slot::Hwreg => hwreg(f, inst.simm),
        Slot::Parameter => {
            let parameter = inst.interp().unwrap_or_default().parameter;
            f.write_str(syntax::PARAMETERS.get(usize::from(parameter)).unwrap_or(&"invalid"))
        }
        Slot::Attribute => {
            let fields = inst.interp().unwrap_or_default();
            write!(f, "attr{}.{}", fields.attr, char::from(b"xyzw"[usize::from(fields.chan & 3)]))
        }
        Slot::ExportTarget => export_target(f, inst.export().unwrap_or_default().target),
        Slot::Component(n) => {
            let fields = inst.export().unwrap_or_default();
            match fields.en >> n & 1 {
                0 => f.write_str("off"),
                _ => write!(f, "{}", inst.src[if fields.compr { n / 2 } else { n }]),
            }
        }
    }
}

fn modifiers<T>(f: &mut Formatter<'_>, fields: &T, table: &[Modifier<T>]) -> fmt::Result {
    for modifier in table {
        match ((modifier.get)(fields), modifier.max) {
            (0, _) => {}
            (_, None) => write!(f, " {}", modifier.name)?,
            (value, Some(15)) if modifier.name == "dmask" => write!(f, " dmask:{value:#x}")?,
            (value, Some(_)) => write!(f, " {}:{value}", modifier.name)?,
        }
    }
    Ok(())
}

fn instruction(f: &mut Formatter<'_>, inst: &Inst, label: bool) -> fmt::Result {
    let row = inst.op.row();
    f.write_str(row.name)?;
    match inst.enc {
        Encoding::Vop3 if row.encoding != Encoding::Vop3 => f.write_str("_e64")?,
        Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc if row.vop3_number().is_some() && row.op != Op::VNop => {
            f.write_str("_e32")?;
        }
        _ => {}
    }
    let mut comma = " ";
    for part in syntax::slots(row, inst.enc, inst.dst.is_some()) {
        if matches!(part, Slot::Imm { optional: true }) && inst.simm == 0 {
            continue;
        }
        f.write_str(comma)?;
        slot(f, inst, part, label)?;
        comma = if part == Slot::ExportTarget { " " } else { ", " };
    }
    if inst.mods.clamp {
        f.write_str(" clamp")?;
    }
    if inst.mods.omod != 0 {
        write!(f, " {}", syntax::OMOD[usize::from(inst.mods.omod & 3)])?;
    }
    match &inst.fields {
        Fields::None | Fields::Interp(_) => Ok(()),
        Fields::Ds(fields) => modifiers(f, fields, syntax::ds_modifiers(row)),
        Fields::Buffer(fields) if inst.enc == Encoding::Mtbuf => {
            let data = syntax::DATA_FORMATS[usize::from(fields.dfmt & 15)];
            let num = syntax::NUM_FORMATS[usize::from(fields.nfmt & 7)];
            write!(f, " format:[{}{data},{}{num}]", syntax::DATA_FORMAT, syntax::NUM_FORMAT)?;
            modifiers(f, fields, syntax::TYPED)
        }
        Fields::Buffer(fields) => modifiers(f, fields, syntax::BUFFER),
        Fields::Image(fields) => modifiers(f, fields, syntax::IMAGE),
        Fields::Flat(fields) => modifiers(f, fields, syntax::FLAT),
        Fields::Export(fields) => modifiers(f, fields, syntax::EXPORT),
    }
}

impl Display for Inst {
    /// AMD's text, which [`assemble`](crate::assemble) takes; branches have the distance from the next instruction in words.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        instruction(f, self, false)
    }
}

impl Display for Program {
    /// One instruction per line, with its word index and words behind, labels where branches go, and words that cannot be
    /// reached as `.long`. Bits that mean nothing but are set are shown as `unused:FIRST:SECOND`, a modifier of our own, so
    /// that [`assemble`](crate::assemble) gives just the words of [`Program::words`] for it.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut is_target = vec![false; self.words().len()];
        for inst in self.insts() {
            if let Some(slot) = inst.target().and_then(|target| is_target.get_mut(usize::try_from(target).ok()?)) {
                *slot = true;
            }
        }
        let (mut line, mut at) = (String::new(), 0);
        while at < self.words().len() {
            if is_target[at] {
                writeln!(f, "L{at:04x}:")?;
            }
            line.clear();
            let next = match self.at(at as u32).map(|number| &self.insts()[number]) {
                Some(inst) => {
                    let words = &self.words()[at..inst.next() as usize];
                    write!(line, "{}", Labelled { inst, words })?;
                    inst.next() as usize
                }
                None => {
                    write!(line, ".long {:#010x}", self.words()[at])?;
                    at + 1
                }
            };
            write!(f, "    {line:<56} // {at:04x}:")?;
            for word in &self.words()[at..next] {
                write!(f, " {word:08x}")?;
            }
            writeln!(f)?;
            at = next;
        }
        Ok(())
    }
}

/// An instruction of a program: its target is a label, and nothing of its words is lost.
struct Labelled<'a> {
    inst: &'a Inst,
    words: &'a [u32],
}

impl Display for Labelled<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        instruction(f, self.inst, true)?;
        let encoded = self.inst.encode().unwrap_or_default();
        let bits = |n: usize| encoded.get(n).zip(self.words.get(n)).map_or(0, |(ours, theirs)| ours ^ theirs);
        match (bits(0), bits(1)) {
            (0, 0) => Ok(()),
            (first, second) => write!(f, " {}{first:#x}:{second:#x}", syntax::UNUSED),
        }
    }
}
