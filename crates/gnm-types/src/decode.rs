//! Packets, register writes and descriptors as text.

use crate::descriptors::Bits;
use crate::enums::Names;
use crate::field::mask;
use crate::packets::{Header, Opcode, op};
use crate::registers::Space;
use crate::{markers, rows};
use std::fmt::Write;

/// One field: `NAME=value`, with the value's name where it has one.
fn field(out: &mut String, name: &str, value: u32, width: u8, names: Option<&Names>) {
    let separator = if out.is_empty() { "" } else { " " };
    let known = names.and_then(|names| names.of(value));
    // Writing into a string does not fail.
    let _ = match known {
        Some(known) => write!(out, "{separator}{name}={known}"),
        None if width > 8 => write!(out, "{separator}{name}={value:#x}"),
        None => write!(out, "{separator}{name}={value}"),
    };
}

/// The fields of a word of a register that are not zero; empty where it has none.
#[must_use]
pub fn register_fields(address: u32, value: u32) -> String {
    let mut out = String::new();
    let Some((row, _)) = rows::row_of(address) else { return out };
    for row in row.fields {
        let bits = row.of(value);
        if bits != 0 || row.names.is_some() {
            field(&mut out, row.name, bits, row.width, row.names);
        }
    }
    out
}

/// Beginnings of the names of registers that hold a float.
const FLOATS: [&str; 11] = [
    "CB_BLEND_",
    "DB_DEPTH_BOUNDS_",
    "DB_DEPTH_CLEAR",
    "PA_CL_GB_",
    "PA_CL_POINT_",
    "PA_CL_UCP_",
    "PA_CL_VPORT_",
    "PA_SC_VPORT_Z",
    "PA_SU_POLY_OFFSET_",
    "VGT_HOS_MAX_TESS_LEVEL",
    "VGT_HOS_MIN_TESS_LEVEL",
];
/// Ends of the names of registers that hold an address in units of 256 bytes; where there are several, a stage or number follows.
const ADDRESSES: [&str; 4] = ["_BASE", "_BASE_ADDR", "_CMASK", "_FMASK"];
const ADDRESSES_OF: [&str; 2] = ["_PGM_LO", "STRMOUT_BUFFER_BASE_"];

/// What a register without fields holds, in other words: a float, or an address.
fn meaning(name: &str, value: u32) -> Option<String> {
    let is_float = FLOATS.iter().any(|begin| name.starts_with(begin));
    let is_address =
        ADDRESSES.iter().any(|end| name.ends_with(end)) || ADDRESSES_OF.iter().any(|part| name.contains(part));
    match value {
        0 => None,
        _ if is_float => Some(format!("{:?}", f32::from_bits(value))),
        // That of indices is in bytes.
        _ if is_address && name != "VGT_DMA_BASE" => Some(format!("address {:#x}", u64::from(value) << 8)),
        _ => None,
    }
}

/// A write to a register: `NAME = value (fields)`, or what a value without fields means.
#[must_use]
pub fn register_write(address: u32, value: u32) -> String {
    let name = rows::name_of(address).map_or_else(|| format!("register {address:#07x}"), Into::into);
    let has_fields = rows::row_of(address).is_some_and(|(row, _)| !row.fields.is_empty());
    let said = if has_fields { Some(register_fields(address, value)) } else { meaning(&name, value) };
    match said.filter(|said| !said.is_empty()) {
        None => format!("{name} = {value:#010x}"),
        Some(said) => format!("{name} = {value:#010x} ({said})"),
    }
}

/// The fields of a descriptor that are not zero.
#[must_use]
pub fn descriptor(fields: &[Bits], words: &[u32]) -> String {
    let mut out = String::new();
    for bits in fields {
        let value = bits.of(words);
        if value != 0 || bits.names.is_some() {
            field(&mut out, bits.name, value, bits.width, bits.names);
        }
    }
    out
}

/// The space that a SET or LOAD packet is about.
#[must_use]
pub fn space_of(opcode: Opcode) -> Option<Space> {
    Some(match opcode {
        op::SET_CONTEXT_REG | op::LOAD_CONTEXT_REG | op::CONTEXT_REG_RMW | op::SET_CONTEXT_REG_INDIRECT => {
            Space::Context
        }
        op::SET_SH_REG | op::LOAD_SH_REG | op::SET_SH_REG_OFFSET => Space::Shader,
        op::SET_UCONFIG_REG | op::LOAD_UCONFIG_REG => Space::UserConfig,
        op::SET_CONFIG_REG | op::LOAD_CONFIG_REG => Space::Config,
        _ => return None,
    })
}

/// What a NOP packet says, if it says something.
#[must_use]
pub fn marker(body: &[u32]) -> Option<String> {
    let (&code, rest) = body.split_first()?;
    if code & 0xFFFF_0000 == markers::UPDATE {
        let address = Space::Context.base() + (code & 0xFFFF) * 4;
        let name = rows::name_of(address).map_or_else(|| format!("{address:#x}"), Into::into);
        return Some(format!("update of {name}, which changes nothing"));
    }
    let name = markers::name_of(code)?;
    if !matches!(code, markers::PUSH_MARKER | markers::SET_MARKER | markers::PUSH_COLOR_MARKER) {
        return Some(name.to_owned());
    }
    Some(format!("{name} \"{}\"", marker_text(rest).escape_debug()))
}

/// The text of a marker: bytes up to the first zero.
#[must_use]
pub fn marker_text(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A packet as lines: its name and fields, then what it writes into registers, one a line. `body` is what follows the header,
/// as much as there is.
#[must_use]
pub fn packet(header: u32, body: &[u32]) -> Vec<String> {
    match Header::decode(header) {
        Header::Filler => vec!["filler".to_owned()],
        Header::Reserved => vec![format!("type 1 packet {header:#010x}, which there is not")],
        Header::Registers { address, count } => {
            let mut lines = vec![format!("type 0, {count} registers")];
            lines.extend(writes(address, body));
            lines
        }
        Header::Packet { opcode, count, private, compute, predicated } => {
            let mut line = opcode.to_string();
            if private != 0 {
                let _ = write!(line, " {private:#04x}");
            }
            if compute {
                line.push_str(" (compute)");
            }
            if predicated {
                line.push_str(" (predicated)");
            }
            let Some(row) = opcode.row() else {
                let _ = write!(line, ", {count} words");
                return vec![line];
            };
            if let Some(why) = row.skipped {
                let _ = write!(line, ", skipped: {why}");
                return vec![line];
            }
            if let Some(space) = space_of(opcode).filter(|_| row.data) {
                let mut lines = vec![line];
                lines.extend(set_writes(opcode, space, body));
                return lines;
            }
            let mut fields = String::new();
            for bits in row.fields {
                let value = body.get(usize::from(bits.word)).map(|word| word >> bits.low & mask(bits.width));
                let Some(value) = value else { continue };
                if value != 0 || bits.width == 32 || bits.names.is_some() {
                    field(&mut fields, bits.name, value, bits.width, bits.names);
                }
            }
            if opcode == op::NOP {
                fields = marker(body).unwrap_or_else(|| format!("{count} words"));
            } else if row.data && body.len() > row.least as usize {
                let words = &body[row.least as usize..];
                let shown: Vec<String> = words.iter().take(8).map(|word| format!("{word:#010x}")).collect();
                let more = if words.len() > shown.len() { " ..." } else { "" };
                let _ = write!(fields, ": {}{more}", shown.join(" "));
            }
            if !fields.is_empty() {
                let _ = write!(line, " {fields}");
            }
            vec![line]
        }
    }
}

/// Writes of consecutive registers, a line each; a line for many that are instances of one and become zero.
fn writes(address: u32, values: &[u32]) -> Vec<String> {
    /// Zeros that are shown one by one.
    const FEW: usize = 2;
    let (mut lines, mut at) = (Vec::new(), 0);
    let register = |at: usize| address.saturating_add(4 * at as u32);
    while let Some(&value) = values.get(at) {
        let row = rows::row_of(register(at)).map(|(row, _)| row.address);
        let same = |n: &usize| values[*n] == 0 && rows::row_of(register(*n)).map(|(row, _)| row.address) == row;
        let zeros = if row.is_some() { (at..values.len()).take_while(same).count() } else { 0 };
        if zeros <= FEW {
            lines.push(register_write(register(at), value));
            at += 1;
            continue;
        }
        let [first, last] = [at, at + zeros - 1].map(|at| rows::name_of(register(at)).unwrap_or_default());
        lines.push(format!("{first} to {last} = 0"));
        at += zeros;
    }
    lines
}

fn set_writes(opcode: Opcode, space: Space, body: &[u32]) -> Vec<String> {
    let offset = |word: Option<&u32>| space.base() + (word.copied().unwrap_or(0) & 0xFFFF) * 4;
    match opcode {
        op::LOAD_CONTEXT_REG | op::LOAD_SH_REG | op::LOAD_UCONFIG_REG | op::LOAD_CONFIG_REG => {
            let runs = body.get(2..).unwrap_or(&[]).chunks_exact(2).map(|run| {
                let address = offset(run.first());
                let name = rows::name_of(address).map_or_else(|| format!("register {address:#07x}"), Into::into);
                format!("{} registers from {name} on", run[1] & 0x3FFF)
            });
            let address = op::LOAD_SH_REG::addrLo.of(body) as u64 | u64::from(op::LOAD_SH_REG::addrHi.of(body)) << 32;
            std::iter::once(format!("from {address:#x}")).chain(runs).collect()
        }
        _ => writes(offset(body.first()), body.get(1..).unwrap_or(&[])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_printed_with_their_fields() {
        let lines = packet(0xC001_6900, &[0x200, 0x36]);
        assert_eq!(
            lines,
            [
                "SET_CONTEXT_REG",
                "DB_DEPTH_CONTROL = 0x00000036 (Z_ENABLE=1 Z_WRITE_ENABLE=1 ZFUNC=LEQUAL STENCILFUNC=NEVER STENCILFUNC_BF=NEVER)",
            ]
        );
        assert_eq!(packet(0xC001_6900, &[0x3FF, 1])[1], "register 0x28ffc = 0x00000001");
        let viewport = packet(0xC001_6900, &[0x10F, 0x4280_0000]);
        assert_eq!(viewport[1], "PA_CL_VPORT_XSCALE_0 = 0x42800000 (64.0)");
        assert_eq!(packet(0xC001_6900, &[0x318, 0x0100_0000])[1], "CB_COLOR0_BASE = 0x01000000 (address 0x100000000)");
        let user = packet(0xC006_7600, &[0x4C, 7, 0, 0, 0, 0, 8]);
        let lines = [
            "SET_SH_REG",
            "SPI_SHADER_USER_DATA_VS_0 = 0x00000007",
            "SPI_SHADER_USER_DATA_VS_1 to SPI_SHADER_USER_DATA_VS_4 = 0",
            "SPI_SHADER_USER_DATA_VS_5 = 0x00000008",
        ];
        assert_eq!(user, lines);
    }

    #[test]
    fn packets_are_printed_with_their_fields() {
        let lines = packet(0xC004_4700, &[0x514, 0x1000, 0x2000_0001, 7, 0]);
        assert_eq!(
            lines,
            [
                "EVENT_WRITE_EOP eventType=CACHE_FLUSH_AND_INV_TS_EVENT eventIndex=5 addressLo=0x1000 addressHi=0x1 dataSel=1 \
             dataLo=0x7 dataHi=0x0"
            ]
        );
        assert_eq!(packet(0xC001_1000, &[markers::PUSH_MARKER, 0x0042_4141]), ["NOP PUSH_MARKER \"AAB\""]);
        assert_eq!(packet(0xC000_EE00, &[0]), ["packet 0xee, 1 words"]);
        let lines = packet(0xC003_1000, &[0xC01E_01C4]);
        assert_eq!(lines, ["NOP update of SPI_SHADER_Z_FORMAT, which changes nothing"]);
    }

    #[test]
    fn nothing_is_read_beyond_a_body() {
        for header in (0..=255u32).map(|op| 0xFFFE_0000 | op << 8).chain([0x3FFF_FFFF, 0x8000_0000, 0x4000_0000]) {
            for words in 0..12 {
                assert!(!packet(header, &vec![u32::MAX; words]).is_empty());
            }
        }
    }
}
