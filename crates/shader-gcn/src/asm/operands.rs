//! Text to operands: registers, constants, and what single instructions have.

use super::error::AsmErrorKind::{self, Expected, Range};
use crate::inst::Operand;
use crate::syntax::{self, Modifier};
use crate::tables::Ty;

pub(super) type Parsed<T> = Result<T, AsmErrorKind>;

pub(super) fn expected<T>(wanted: impl Into<String>, found: &str) -> Parsed<T> {
    Err(Expected { wanted: wanted.into(), found: found.to_owned() })
}

/// A number is out of its range.
fn range<T>(name: &'static str, last: u32, found: &str) -> Parsed<T> {
    Err(Range { name, first: 0, last, found: found.to_owned() })
}

/// The names of a table, for a person.
fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// A whole number, decimal or hexadecimal, within 64 bits.
pub(super) fn number(text: &str) -> Option<i64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i64::try_from(u64::from_str_radix(hex, 16).ok()?).ok()?,
        None if digits.starts_with(|c: char| c.is_ascii_digit()) => digits.parse().ok()?,
        None => return None,
    };
    Some(if negative { -value } else { value })
}

/// A number that fits 16 bits, signed or not.
pub(super) fn half(text: &str) -> Parsed<u16> {
    match number(text) {
        Some(value @ -0x8000..=0xFFFF) => Ok(value as u16),
        _ => expected("a number of 16 bits, -32768 to 65535", text),
    }
}

/// `name(arguments)`.
pub(super) fn call<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.strip_prefix(name)?.trim_start().strip_prefix('(')?.strip_suffix(')')
}

/// Files of registers: what their names begin with, what they are called, and the last one's number.
const FILES: [(&str, &str, u32); 3] =
    [("ttmp", "a trap handler's register", 11), ("v", "a vector register", 255), ("s", "a scalar register", 103)];

/// `v3`, `v[3:4]`: its file's place in [`FILES`], and the number of the first register; `None` if it is no register.
fn register(text: &str) -> Option<Parsed<(usize, u8)>> {
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let (at, rest) = FILES.iter().enumerate().find_map(|(at, (file, ..))| {
        let rest = text.strip_prefix(file)?;
        (rest.starts_with('[') || is_number(rest)).then_some((at, rest))
    })?;
    let (file, name, most) = FILES[at];
    let (first, last) = match rest.strip_prefix('[') {
        Some(range) => match range.strip_suffix(']').map(|range| range.split_once(':').unwrap_or((range, range))) {
            Some(range) => range,
            None => return Some(expected(format!("a closing bracket, as in {file}[0:1]"), text)),
        },
        None => (rest, rest),
    };
    let first = match (first.trim().parse::<u32>(), last.trim().parse::<u32>()) {
        (Ok(first), Ok(last)) if first <= last => first,
        _ => return Some(expected(format!("{name}, as {file}0 or {file}[0:1]"), text)),
    };
    // Of a register of several words the others may have names of their own: s[103:104].
    if first > most {
        return Some(range(name, most, text));
    }
    Some(Ok((at, first as u8)))
}

/// What an operand is, where nobody says it better.
pub(super) const OPERAND: &str = "a register or constant";

/// A register or constant of a type.
pub(super) fn operand(text: &str, ty: Ty) -> Parsed<Operand> {
    let named = syntax::NAMES
        .iter()
        .chain(&syntax::PAIRS)
        .find(|(name, _)| *name == text || name.strip_prefix("src_").is_some_and(|short| short == text));
    if let Some((_, operand)) = named {
        return Ok(*operand);
    }
    if let Some(found) = register(text) {
        let make = [Operand::Ttmp, Operand::Vgpr, Operand::Sgpr];
        return found.map(|(file, number)| make[file](number));
    }
    let word = |text| {
        number(text).and_then(|value| u32::try_from(value).or_else(|_| i32::try_from(value).map(|n| n as u32)).ok())
    };
    if let Some(word) = call(text, "lit").and_then(word) {
        return Ok(Operand::Literal(word));
    }
    if let Some(value @ -16..=64) = number(text) {
        return Ok(Operand::Int(value as i32));
    }
    if let Some(word) = word(text) {
        return Ok(syntax::inline(word, ty).unwrap_or(Operand::Literal(word)));
    }
    match text.parse::<f64>() {
        Ok(value) if text.contains('.') => {
            let float = Operand::Float((value as f32).to_bits());
            Ok(match ty {
                _ if float.code().is_some() && f64::from(value as f32) == value => float,
                Ty::F64 => Operand::Literal((value.to_bits() >> 32) as u32),
                _ => Operand::Literal((value as f32).to_bits()),
            })
        }
        _ => expected(OPERAND, text),
    }
}

/// An inline constant as the literal of the same value.
pub(super) fn literal(operand: Operand) -> Operand {
    match operand {
        Operand::Int(value) => Operand::Literal(value as u32),
        Operand::Float(bits) => Operand::Literal(bits),
        other => other,
    }
}

/// Bits of `s_waitcnt`.
pub(super) fn wait(text: &str) -> Parsed<u16> {
    if let Some(simm) = number(text.trim()) {
        return u16::try_from(simm).or_else(|_| range("s_waitcnt's number", 0xFFFF, text));
    }
    let mut simm = syntax::NO_WAIT;
    for part in text.split([' ', '&', ',']).filter(|part| !part.is_empty()) {
        let counter = syntax::COUNTERS.iter().find_map(|counter| Some((counter, call(part, counter.0)?)));
        let Some((&(name, low, max), count)) = counter else {
            return expected(format!("a counter: {}", list(syntax::COUNTERS.map(|(name, ..)| name))), part);
        };
        match number(count).and_then(|count| u16::try_from(count).ok()) {
            Some(count) if count <= max => simm = simm & !(max << low) | count << low,
            _ => return range(name, max.into(), count),
        }
    }
    Ok(simm)
}

pub(super) fn message(text: &str) -> Parsed<u16> {
    let Some(arguments) = call(text, "sendmsg") else { return half(text) };
    let mut parts = arguments.split(',').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let id = syntax::MESSAGES.iter().find(|(_, known)| *known == name).map(|(id, _)| *id);
    let Some(id) = id.or_else(|| number(name).and_then(|id| u16::try_from(id).ok()).filter(|id| *id < 16)) else {
        return expected(
            format!("a message: {}, or its number, 0 to 15", list(syntax::MESSAGES.map(|(_, name)| name))),
            name,
        );
    };
    let op = match parts.next() {
        None => 0,
        Some(op) => match syntax::GS_OPS.iter().position(|known| *known == op) {
            Some(op) => op as u16,
            None => return expected(format!("an operation of the message: {}", list(syntax::GS_OPS)), op),
        },
    };
    let stream = parts.next().unwrap_or("0");
    match number(stream) {
        Some(number @ 0..=3) => Ok(id | op << 4 | (number as u16) << 8),
        _ => range("the stream", 3, stream),
    }
}

pub(super) fn hwreg(text: &str) -> Parsed<u16> {
    let Some(arguments) = call(text, "hwreg") else { return half(text) };
    let mut parts = arguments.split(',').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let id = syntax::HWREGS.iter().position(|known| *known == name).map(|n| n as i64 + 1).or_else(|| number(name));
    match (id, parts.next().map_or(Some(0), number), parts.next().map_or(Some(32), number)) {
        (Some(id @ 0..=63), Some(offset @ 0..=31), Some(size @ 1..=32)) => {
            Ok((id | offset << 6 | (size - 1) << 11) as u16)
        }
        _ => {
            let names = list(syntax::HWREGS);
            expected(
                format!(
                    "hwreg(NAME, BIT, SIZE): a register of {names} or 0 to 63, a bit of 0 to 31, a size of 1 to 32"
                ),
                text,
            )
        }
    }
}

pub(super) fn export_target(text: &str) -> Parsed<u8> {
    if let Some((_, number)) = syntax::TARGET_NAMES.iter().find(|(name, _)| *name == text) {
        return Ok(*number);
    }
    for (name, first, count) in syntax::TARGETS {
        if let Some(n) = text.strip_prefix(name).and_then(|n| n.parse::<u8>().ok())
            && n < count
        {
            return Ok(first + n);
        }
    }
    match text.strip_prefix(syntax::TARGET_INVALID).and_then(|n| n.parse::<u8>().ok()) {
        Some(n @ 0..=63) => Ok(n),
        _ => expected("an export target: mrt0 to mrt7, mrtz, null, pos0 to pos3, param0 to param31", text),
    }
}

/// Data and number format of MTBUF: by names in brackets, or as one number.
pub(super) fn format(text: &str) -> Parsed<(u8, u8)> {
    let Some(names) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) else {
        return match number(text) {
            Some(both @ 0..=127) => Ok((both as u8 & 15, (both >> 4) as u8)),
            _ => range("format", 127, text),
        };
    };
    let (mut dfmt, mut nfmt) = (syntax::DEFAULT_DATA_FORMAT, 0);
    for name in names.split(',').map(str::trim) {
        let of = |prefix, table: &[&str]| {
            let name = name.strip_prefix(prefix)?;
            table.iter().position(|known| *known == name).map(|n| n as u8)
        };
        match (of(syntax::DATA_FORMAT, &syntax::DATA_FORMATS), of(syntax::NUM_FORMAT, &syntax::NUM_FORMATS)) {
            (Some(n), _) => dfmt = n,
            (_, Some(n)) => nfmt = n,
            _ => {
                let (data, numbers) = (list(syntax::DATA_FORMATS), list(syntax::NUM_FORMATS));
                let wanted = format!("{}{{{data}}} or {}{{{numbers}}}", syntax::DATA_FORMAT, syntax::NUM_FORMAT);
                return expected(wanted, name);
            }
        }
    }
    Ok((dfmt, nfmt))
}

/// Whether a modifier was set.
pub(super) fn modifier<T>(fields: &mut T, table: &[Modifier<T>], text: &str) -> Parsed<bool> {
    let (name, value) = text.split_once(':').map_or((text, None), |(name, value)| (name, Some(value)));
    let Some(modifier) = table.iter().find(|modifier| modifier.name == name) else { return Ok(false) };
    let value = match (value, modifier.max) {
        (None, None) => 1,
        (Some(value), Some(max)) => match number(value).and_then(|value| u32::try_from(value).ok()) {
            Some(value) if value <= max => value,
            _ => return range(modifier.name, max, value),
        },
        _ => return Ok(false),
    };
    (modifier.set)(fields, value);
    Ok(true)
}
