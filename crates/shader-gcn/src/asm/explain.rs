//! What an instruction would have taken. It is found by trying: what the assembler takes is what is said.

use super::cursor::Cursor;
use super::error::AsmErrorKind::{self, Encode, Expected, Mnemonic, Modifier, Operand as NotTaken};
use super::line::{Builder, Wrong};
use super::operands::OPERAND;
use crate::inst::{Buffer, Ds, Export, Fields, Flat, Image, Inst, Operand};
use crate::syntax::{self, Slot};
use crate::tables::{Encoding, ROWS, Row, Ty, flag};
use smallvec::SmallVec;

/// Characters of names that are compared with others.
const LONGEST: usize = 64;

/// Operands that are tried, those first that most instructions take.
const TRIED: [&str; 9] = ["v0", "s0", "vcc", "1", "0.5", "0x12345", "off", "s1", "s2"];
/// Modifiers with which they are tried.
const WITH: [&str; 3] = ["", " idxen", " compr"];

/// The name that is most like another, if one is.
pub(super) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    let most = (name.len() / 4).max(2);
    let near = names.filter(|other| other.len().abs_diff(name.len()) <= most);
    let near = near.map(|other| (strsim::osa_distance(other, name), other)).min()?;
    (near.0 <= most).then_some(near.1)
}

/// What is wrong, with what should be there in its place, and at which byte of the line.
pub(super) fn explained(mnemonic: &str, wrong: Wrong) -> (Option<usize>, AsmErrorKind) {
    let Wrong { places, kind } = wrong;
    let row = row(mnemonic);
    let first = places.first().copied();
    let at = first.map(|place| place.at);
    let kind = match (kind, row) {
        (Mnemonic { found, .. }, _) => {
            let (name, suffix) = split(mnemonic);
            let near = nearest(name, ROWS.iter().map(|row| row.name)).map(|near| format!("{near}{suffix}"));
            Mnemonic { found, near }
        }
        (Modifier { found, instruction, .. }, Some(row)) => Modifier { found, instruction, has: modifiers(row) },
        (Expected { wanted, found }, Some(row)) if wanted == OPERAND => {
            let takes = first.and_then(|place| taken(row, mnemonic, place.slot?));
            Expected { wanted: takes.unwrap_or(wanted), found }
        }
        (Encode(error), Some(row)) => {
            // Of operands that are equal, the one that the instruction does not take there.
            let found = places.iter().find(|place| !fits(row, mnemonic, place.slot, place.operand));
            let takes = found.and_then(|place| taken(row, mnemonic, place.slot?));
            match (found, takes) {
                (Some(place), Some(takes)) => {
                    let (instruction, found) = (mnemonic.to_owned(), place.operand.to_string());
                    return (Some(place.at), NotTaken { instruction, takes, found });
                }
                _ => Encode(error),
            }
        }
        (kind, _) => kind,
    };
    (at, kind)
}

/// A mnemonic without `_e32` or `_e64`, and that.
fn split(mnemonic: &str) -> (&str, &str) {
    let suffix = ["_e32", "_e64"].into_iter().find(|suffix| mnemonic.ends_with(suffix)).unwrap_or_default();
    (&mnemonic[..mnemonic.len() - suffix.len()], suffix)
}

fn row(mnemonic: &str) -> Option<&'static Row> {
    let (name, _) = split(mnemonic);
    ROWS.iter().find(|row| row.name == name)
}

/// What stands where operands have a grammar of their own.
fn sample(slot: Slot) -> Option<&'static str> {
    match slot {
        Slot::Imm { .. } | Slot::Target | Slot::Wait | Slot::Message | Slot::Hwreg => Some("0"),
        Slot::Parameter => Some("p0"),
        Slot::Attribute => Some("attr0.x"),
        Slot::ExportTarget => Some("mrt0"),
        Slot::Dst | Slot::Sdst | Slot::Src(_) | Slot::Data | Slot::Component(_) => None,
    }
}

/// Whether operands make an instruction.
fn assembles(mnemonic: &str, slots: &[Slot], operands: &[&str], with: &str) -> bool {
    let mut text = String::new();
    for (at, operand) in operands.iter().enumerate() {
        let between = if at == 0 || slots[at - 1] == Slot::ExportTarget { " " } else { ", " };
        text.push_str(between);
        text.push_str(operand);
    }
    text.push_str(with);
    Builder::line(mnemonic, Cursor::new(&text, 0)).is_ok()
}

/// What most likely is an instruction's operand.
fn likely(row: &Row, slot: Slot) -> &'static str {
    use Encoding::*;
    let is_mask = |ty: Ty| ty == Ty::Mask;
    match (row.encoding, slot) {
        (Smrd, Slot::Src(1)) => "1",
        (Sop1 | Sop2 | Sopc | Sopk | Sopp | Smrd, _) => "s0",
        (Mubuf | Mtbuf, Slot::Src(0)) => "off",
        (Mubuf | Mtbuf | Mimg, Slot::Src(_)) if slot != Slot::Src(0) => "s0",
        (Vopc, Slot::Dst) | (_, Slot::Sdst) => "vcc",
        (_, Slot::Dst) if is_mask(row.dst[0]) => "vcc",
        (_, Slot::Dst) if row.flags & flag::SCALAR_DST != 0 => "s0",
        (_, Slot::Src(n)) if row.src.get(n).copied().is_some_and(is_mask) => "vcc",
        _ => "v0",
    }
}

/// Operands that make an instruction: mostly those that are likely, else what is found by trying.
fn example(row: &Row, mnemonic: &str, slots: &[Slot]) -> Option<Vec<&'static str>> {
    let choices: Vec<Vec<&'static str>> = slots
        .iter()
        .map(|slot| match sample(*slot) {
            Some(sample) => vec![sample],
            None => [likely(row, *slot)].into_iter().chain(TRIED).collect(),
        })
        .collect();
    let count: usize = choices.iter().map(Vec::len).product();
    (0..count).find_map(|mut number| {
        let operands: Vec<&'static str> = choices
            .iter()
            .map(|choices| {
                let choice = choices[number % choices.len()];
                number /= choices.len();
                choice
            })
            .collect();
        WITH.iter().any(|with| assembles(mnemonic, slots, &operands, with)).then_some(operands)
    })
}

/// The operands of an instruction as it is written.
fn slots(row: &Row, mnemonic: &str) -> SmallVec<[Slot; 6]> {
    let encoding = if mnemonic.ends_with("_e64") { Encoding::Vop3 } else { row.encoding };
    syntax::slots(row, encoding, false)
}

/// What an instruction takes at a place among its operands; `None` where that cannot be told.
fn taken(row: &Row, mnemonic: &str, slot: usize) -> Option<String> {
    let slots = slots(row, mnemonic);
    let kind = *slots.get(slot)?;
    let mut operands = example(row, mnemonic, &slots)?;
    let mut takes = Vec::new();
    for tried in TRIED {
        operands[slot] = tried;
        if WITH.iter().any(|with| assembles(mnemonic, &slots, &operands, with)) {
            takes.push(tried);
        }
    }
    let inst = Inst { fields: fields(row), ..Inst::blank(row.op, row.encoding) };
    let words = match kind {
        Slot::Dst => row.dst[0].dwords(),
        Slot::Sdst => row.dst[1].dwords(),
        Slot::Src(n) => inst.src_ty(n).dwords(),
        _ => 1,
    };
    said(&takes, words.max(1))
}

/// Whether an instruction may have an operand at a place.
fn fits(row: &Row, mnemonic: &str, slot: Option<usize>, operand: Operand) -> bool {
    let slots = slots(row, mnemonic);
    let text = operand.to_string();
    let (Some(slot), Some(mut operands)) = (slot, example(row, mnemonic, &slots)) else { return true };
    let Some(place) = operands.get_mut(slot) else { return true };
    *place = &text;
    WITH.iter().any(|with| assembles(mnemonic, &slots, &operands, with))
}

/// Fields by which the types of operands go.
fn fields(row: &Row) -> Fields {
    match row.encoding {
        Encoding::Mubuf | Encoding::Mtbuf => Fields::Buffer(Buffer::default()),
        Encoding::Mimg => Fields::Image(Image::default()),
        Encoding::Exp => Fields::Export(Export::default()),
        Encoding::Ds => Fields::Ds(Ds::default()),
        Encoding::Flat => Fields::Flat(Flat::default()),
        _ => Fields::None,
    }
}

/// Those of [`TRIED`] that are taken, in words.
fn said(takes: &[&str], words: u8) -> Option<String> {
    let has = |tried: &str| takes.contains(&tried);
    let registers = |name: &str, letter: &str, from: &str| match (words, from) {
        (1, "") => format!("a {name} register"),
        (1, from) => format!("a {name} register of {from}"),
        (words, "") => format!("{words} {name} registers, as {letter}[0:{}]", words - 1),
        (words, from) => format!("{words} {name} registers from {from} on, as {letter}[0:{}]", words - 1),
    };
    let mut kinds = Vec::new();
    if has("v0") {
        kinds.push(registers("vector", "v", ""));
    }
    if has("s0") {
        kinds.push(registers(
            "scalar",
            "s",
            match (has("s1"), has("s2")) {
                (true, _) => "",
                (false, true) => "an even number",
                (false, false) => "a multiple of 4",
            },
        ));
    } else if has("vcc") {
        kinds.push("vcc".to_owned());
    }
    match (has("1"), has("0.5"), has("0x12345")) {
        (true, true, true) => kinds.push("a constant".to_owned()),
        (true, true, false) => {
            kinds.push("an inline constant (-16 to 64; 0.5, 1.0, 2.0, 4.0 and their negatives)".to_owned());
        }
        (true, false, _) | (_, _, true) => kinds.push("a number".to_owned()),
        (false, ..) => {}
    }
    if has("off") {
        kinds.push("off".to_owned());
    }
    let last = kinds.pop()?;
    Some(if kinds.is_empty() { last } else { format!("{} or {last}", kinds.join(", ")) })
}

/// The modifiers of an instruction, for a person.
fn modifiers(row: &Row) -> String {
    fn named<T>(table: &[syntax::Modifier<T>]) -> Vec<String> {
        let name = |modifier: &syntax::Modifier<T>| match modifier.max {
            Some(max) => format!("{}:0 to {max}", modifier.name),
            None => modifier.name.to_owned(),
        };
        table.iter().map(name).collect()
    }
    let mut names = match fields(row) {
        Fields::Ds(_) => named(syntax::ds_modifiers(row)),
        Fields::Buffer(_) if row.encoding == Encoding::Mtbuf => named(syntax::TYPED),
        Fields::Buffer(_) => named(syntax::BUFFER),
        Fields::Image(_) => named(syntax::IMAGE),
        Fields::Flat(_) => named(syntax::FLAT),
        Fields::Export(_) => named(syntax::EXPORT),
        Fields::None | Fields::Interp(_) => Vec::new(),
    };
    if row.encoding == Encoding::Mtbuf {
        names.push("format:[NAMES]".to_owned());
    }
    if row.vop3_number().is_some() {
        names.extend(syntax::OMOD[1..].iter().chain(&["clamp"]).map(|name| (*name).to_owned()));
    }
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
