//! Every scalar instruction with a result, on many operands, against what AMD's manual says it computes.

use std::fmt::Write as _;

use afterimage_shader_gcn::Op;
use afterimage_shader_gcn::tables::{Compare, Encoding, Kind, ROWS, Row, Ty};

use crate::Random;
use crate::machine::Machine;

/// Operands that each instruction is tried on.
const TRIES: usize = 40;

/// Rows that are tried elsewhere, or have no result of their operands.
const ELSEWHERE: &[Op] = &[
    Op::SGetregB32,
    Op::SSetregB32,
    Op::SSetregImm32B32,
    Op::SSetvskip,
    Op::SGetpcB64,
    Op::SMovrelsB32,
    Op::SMovrelsB64,
    Op::SMovreldB32,
    Op::SMovreldB64,
    Op::SMemtime,
];

/// What an instruction works on. `a` and `b` are sources, `d` what the destination had.
#[derive(Clone, Copy, Debug)]
struct Operands {
    a: u64,
    b: u64,
    d: u64,
    scc: bool,
    exec: u64,
}

/// What it leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Results {
    d: u64,
    scc: bool,
    exec: u64,
}

fn bits(value: u64, first: u32, count: u32) -> u64 {
    let moved = value.checked_shr(first).unwrap_or(0);
    if count >= 64 { moved } else { moved & ((1 << count) - 1) }
}

/// The field of a value, continued with its sign.
fn signed_field(value: i64, width: u32, first: u32, count: u32) -> i64 {
    let count = count.min(width - first);
    if count == 0 { 0 } else { value << (64 - first - count) >> (64 - count) }
}

fn quads(value: u64) -> impl Iterator<Item = (u32, bool)> {
    (0..16).map(move |n| (n, bits(value, n * 4, 4) != 0))
}

fn compute(row: &Row, o: Operands) -> Results {
    let wide = row.dst[0].dwords() == 2;
    let narrow = |value: u64| if wide { value } else { value & 0xFFFF_FFFF };
    let (a, b) = (o.a as u32, o.b as u32);
    let (ia, ib) = (a as i32, b as i32);
    let keep = |d: u64| Results { d, scc: o.scc, exec: o.exec };
    let counted = |d: u64| Results { d: narrow(d), scc: narrow(d) != 0, exec: o.exec };
    let with = |d: u32, scc: bool| Results { d: d.into(), scc, exec: o.exec };
    let none = u64::from(u32::MAX);
    let found = |n: u32, width: u32| if n == width { none } else { u64::from(n) };
    let saved = |result: u64| Results { d: o.exec, scc: result != 0, exec: result };
    if let Kind::Compare(compare) = row.kind {
        let order = if row.src[0] == Ty::I32 { ia.cmp(&ib) } else { a.cmp(&b) };
        let scc = match compare {
            Compare::Eq => order.is_eq(),
            Compare::Lg => order.is_ne(),
            Compare::Gt => order.is_gt(),
            Compare::Ge => order.is_ge(),
            Compare::Lt => order.is_lt(),
            Compare::Le => order.is_le(),
            other => panic!("{other:?}"),
        };
        return Results { d: o.d, scc, exec: o.exec };
    }
    let carried = u32::from(o.scc);
    match row.op {
        Op::SAddU32 => with(a.wrapping_add(b), a.checked_add(b).is_none()),
        Op::SSubU32 => with(a.wrapping_sub(b), a < b),
        Op::SAddI32 | Op::SAddkI32 => with(a.wrapping_add(b), ia.checked_add(ib).is_none()),
        Op::SSubI32 => with(a.wrapping_sub(b), ia.checked_sub(ib).is_none()),
        Op::SAddcU32 => {
            let sum = u64::from(a) + u64::from(b) + u64::from(carried);
            with(sum as u32, sum >> 32 != 0)
        }
        Op::SSubbU32 => {
            let difference = i64::from(a) - i64::from(b) - i64::from(carried);
            with(difference as u32, difference < 0)
        }
        Op::SMinI32 => with(ia.min(ib) as u32, ia < ib),
        Op::SMinU32 => with(a.min(b), a < b),
        Op::SMaxI32 => with(ia.max(ib) as u32, ia > ib),
        Op::SMaxU32 => with(a.max(b), a > b),
        Op::SCselectB32 | Op::SCselectB64 => keep(narrow(if o.scc { o.a } else { o.b })),
        Op::SCmovB32 | Op::SCmovB64 | Op::SCmovkI32 => keep(narrow(if o.scc { o.a } else { o.d })),
        Op::SAndB32 | Op::SAndB64 => counted(o.a & o.b),
        Op::SOrB32 | Op::SOrB64 => counted(o.a | o.b),
        Op::SXorB32 | Op::SXorB64 => counted(o.a ^ o.b),
        Op::SAndn2B32 | Op::SAndn2B64 => counted(o.a & !o.b),
        Op::SOrn2B32 | Op::SOrn2B64 => counted(o.a | !o.b),
        Op::SNandB32 | Op::SNandB64 => counted(!(o.a & o.b)),
        Op::SNorB32 | Op::SNorB64 => counted(!(o.a | o.b)),
        Op::SXnorB32 | Op::SXnorB64 => counted(!(o.a ^ o.b)),
        Op::SLshlB32 => counted((a << (b & 31)).into()),
        Op::SLshlB64 => counted(o.a << (b & 63)),
        Op::SLshrB32 => counted((a >> (b & 31)).into()),
        Op::SLshrB64 => counted(o.a >> (b & 63)),
        Op::SAshrI32 => counted((ia >> (b & 31)) as u32 as u64),
        Op::SAshrI64 => counted((o.a as i64 >> (b & 63)) as u64),
        Op::SBfmB32 => keep((((1u64 << (a & 31)) - 1) << (b & 31)) & 0xFFFF_FFFF),
        Op::SBfmB64 => keep(((1u64 << (a & 63)) - 1) << (b & 63)),
        Op::SMulI32 | Op::SMulkI32 => keep(a.wrapping_mul(b).into()),
        Op::SBfeU32 => counted(bits(a.into(), b & 31, b >> 16 & 127)),
        Op::SBfeU64 => counted(bits(o.a, b & 63, b >> 16 & 127)),
        Op::SBfeI32 => counted(signed_field(ia.into(), 32, b & 31, b >> 16 & 127) as u32 as u64),
        Op::SBfeI64 => counted(signed_field(o.a as i64, 64, b & 63, b >> 16 & 127) as u64),
        Op::SAbsdiffI32 => counted(ia.wrapping_sub(ib).wrapping_abs() as u32 as u64),
        Op::SMovkI32 | Op::SMovB32 | Op::SMovB64 | Op::SMovFedB32 | Op::SMovRegrdB32 => keep(narrow(o.a)),
        Op::SNotB32 | Op::SNotB64 => counted(!o.a),
        Op::SWqmB32 | Op::SWqmB64 => {
            counted(quads(narrow(o.a)).filter(|quad| quad.1).fold(0, |all, (n, _)| all | 15 << (n * 4)))
        }
        Op::SQuadmaskB32 | Op::SQuadmaskB64 => {
            counted(quads(narrow(o.a)).filter(|quad| quad.1).fold(0, |all, (n, _)| all | 1 << n))
        }
        Op::SBrevB32 => keep(a.reverse_bits().into()),
        Op::SBrevB64 => keep(o.a.reverse_bits()),
        Op::SBcnt0I32B32 => counted(a.count_zeros().into()),
        Op::SBcnt0I32B64 => counted(o.a.count_zeros().into()),
        Op::SBcnt1I32B32 => counted(a.count_ones().into()),
        Op::SBcnt1I32B64 => counted(o.a.count_ones().into()),
        Op::SFf0I32B32 => keep(found(a.trailing_ones(), 32)),
        Op::SFf0I32B64 => keep(found(o.a.trailing_ones(), 64)),
        Op::SFf1I32B32 => keep(found(a.trailing_zeros(), 32)),
        Op::SFf1I32B64 => keep(found(o.a.trailing_zeros(), 64)),
        Op::SFlbitI32B32 => keep(found(a.leading_zeros(), 32)),
        Op::SFlbitI32B64 => keep(found(o.a.leading_zeros(), 64)),
        Op::SFlbitI32 => keep(found((a ^ (ia >> 31) as u32).leading_zeros(), 32)),
        Op::SFlbitI32I64 => keep(found((o.a ^ (o.a as i64 >> 63) as u64).leading_zeros(), 64)),
        Op::SSextI32I8 => keep(a as i8 as u32 as u64),
        Op::SSextI32I16 => keep(a as i16 as u32 as u64),
        Op::SBitset0B32 => keep(o.d & !(1 << (a & 31)) & 0xFFFF_FFFF),
        Op::SBitset1B32 => keep((o.d | 1 << (a & 31)) & 0xFFFF_FFFF),
        Op::SBitset0B64 => keep(o.d & !(1 << (a & 63))),
        Op::SBitset1B64 => keep(o.d | 1 << (a & 63)),
        Op::SAbsI32 => counted(ia.wrapping_abs() as u32 as u64),
        Op::SBitcmp0B32 => Results { scc: a >> (b & 31) & 1 == 0, ..keep(o.d) },
        Op::SBitcmp1B32 => Results { scc: a >> (b & 31) & 1 != 0, ..keep(o.d) },
        Op::SBitcmp0B64 => Results { scc: o.a >> (b & 63) & 1 == 0, ..keep(o.d) },
        Op::SBitcmp1B64 => Results { scc: o.a >> (b & 63) & 1 != 0, ..keep(o.d) },
        Op::SAndSaveexecB64 => saved(o.a & o.exec),
        Op::SOrSaveexecB64 => saved(o.a | o.exec),
        Op::SXorSaveexecB64 => saved(o.a ^ o.exec),
        Op::SAndn2SaveexecB64 => saved(o.a & !o.exec),
        Op::SOrn2SaveexecB64 => saved(o.a | !o.exec),
        Op::SNandSaveexecB64 => saved(!(o.a & o.exec)),
        Op::SNorSaveexecB64 => saved(!(o.a | o.exec)),
        Op::SXnorSaveexecB64 => saved(!(o.a ^ o.exec)),
        other => panic!("{} is not in the reference", other.name()),
    }
}

/// Words of memory that a try has: operands, then results.
const STRIDE: usize = 16;
/// Words of operands.
const INPUTS: usize = 9;

/// The instruction on s[10:11], s[12:13] and s[14:15], or on an immediate, or on what has a name.
fn instruction(row: &Row, immediate: u16, names: [Option<&str>; 2]) -> String {
    let name = row.name;
    let register = |ty: Ty, first: u32| match ty.dwords() {
        1 => format!("s{first}"),
        _ => format!("s[{first}:{}]", first + 1),
    };
    let d = register(row.dst[0], 14);
    let source = |n: usize| names[n].map_or_else(|| register(row.src[n], 10 + 2 * n as u32), str::to_owned);
    match row.encoding {
        Encoding::Sopk => match row.src[1] {
            Ty::None => format!("{name} {d}, {:#x}", immediate),
            _ if row.dst[0] == Ty::None => format!("{name} s14, {:#x}", immediate),
            _ => format!("{name} {d}, {:#x}", immediate),
        },
        Encoding::Sopc => format!("{name} {}, {}", source(0), source(1)),
        Encoding::Sop1 => format!("{name} {d}, {}", source(0)),
        _ => format!("{name} {d}, {}, {}", source(0), source(1)),
    }
}

/// A program that loads operands by lane 0, does the instruction, and stores what it leaves.
fn program(instruction: &str) -> String {
    let mut text = String::from("v_lshlrev_b32 v1, 6, v0\n");
    for n in 0..INPUTS {
        writeln!(
            text,
            "buffer_load_dword v2, v1, s[0:3], 0 offen offset:{}\nv_readfirstlane_b32 s{}, v2",
            n * 4,
            10 + n
        )
        .unwrap();
    }
    // s[17:18] become exec by words.
    text += "s_mov_b32 exec_lo, s17\ns_mov_b32 exec_hi, s18\ns_cmp_lg_u32 s16, 0\n";
    text += instruction;
    text += "\ns_cselect_b32 s16, 1, 0\ns_mov_b32 s18, exec_lo\ns_mov_b32 s19, exec_hi\ns_mov_b64 exec, -1\n";
    for (n, register) in [14, 15, 16, 18, 19].into_iter().enumerate() {
        let at = (INPUTS + n) * 4;
        writeln!(text, "v_mov_b32 v2, s{register}\nbuffer_store_dword v2, v1, s[0:3], 0 offen offset:{at}").unwrap();
    }
    text + "s_endpgm\n"
}

#[test]
fn every_instruction_computes_what_the_manual_says() {
    let mut random = Random(7);
    let mut tried = 0;
    for row in ROWS {
        let scalar = matches!(row.encoding, Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopk | Encoding::Sopc);
        if !scalar || !matches!(row.kind, Kind::Alu | Kind::Compare(_)) || ELSEWHERE.contains(&row.op) {
            continue;
        }
        tried += 1;
        let immediate = random.next() as u16;
        let text = program(&instruction(row, immediate, [None; 2]));
        for _ in 0..TRIES {
            let words: [u32; INPUTS] = std::array::from_fn(|_| random.word());
            let mut operands = Operands::of(&words);
            if row.encoding == Encoding::Sopk {
                let extended =
                    if row.src.contains(&Ty::Uimm16) { u32::from(immediate) } else { immediate as i16 as u32 };
                operands = match row.src[1] {
                    Ty::None => Operands { a: extended.into(), ..operands },
                    _ => Operands { a: words[4].into(), b: extended.into(), ..operands },
                };
            }
            for (ty, value) in row.src.iter().zip([&mut operands.a, &mut operands.b]) {
                if ty.dwords() == 1 {
                    *value &= 0xFFFF_FFFF;
                }
            }
            check(row, &text, &words, operands);
        }
    }
    assert!(tried > 100, "{tried} rows");
}

impl Operands {
    /// Those that a program loads.
    fn of(words: &[u32; INPUTS]) -> Self {
        let pair = |n: usize| u64::from(words[n]) | u64::from(words[n + 1]) << 32;
        Self { a: pair(0), b: pair(2), d: pair(4), scc: words[6] != 0, exec: pair(7) }
    }
}

/// Runs a program on words, and compares what its instruction leaves.
fn check(row: &Row, text: &str, words: &[u32; INPUTS], operands: Operands) {
    // One lane a group of one wave: exec has a bit of it.
    let lanes = 64;
    let mut memory = vec![0; STRIDE * lanes];
    memory[..INPUTS].copy_from_slice(words);
    let left = Machine::new(lanes as u32, memory).run(text);
    let out = &left[INPUTS..];
    let wide = row.dst[0].dwords() != 1;
    let got = Results {
        d: u64::from(out[0]) | if wide { u64::from(out[1]) << 32 } else { 0 },
        scc: out[2] != 0,
        exec: u64::from(out[3]) | u64::from(out[4]) << 32,
    };
    assert_eq!(got, compute(row, operands), "{} of {operands:x?}\n{text}", row.name);
}

/// A bit is followed by zeros, in words and as a mask. ACO makes the sign of a number of 64 bits so.
#[test]
fn bits_are_operands_of_every_width() {
    let mut random = Random(11);
    let encodings = [Encoding::Sop1, Encoding::Sop2, Encoding::Sopc];
    let is_tried = |row: &&Row| encodings.contains(&row.encoding) && matches!(row.kind, Kind::Alu | Kind::Compare(_));
    for row in ROWS.iter().filter(is_tried).filter(|row| !ELSEWHERE.contains(&row.op)) {
        for (n, name) in [(0, "src_scc"), (1, "src_scc"), (0, "src_execz"), (1, "src_execz")] {
            if row.src[n].dwords() == 0 {
                continue;
            }
            let mut names = [None; 2];
            names[n] = Some(name);
            let text = program(&instruction(row, 0, names));
            for round in 0..6 {
                let mut words: [u32; INPUTS] = std::array::from_fn(|_| random.word());
                words[6] = round & 1;
                if round >= 4 {
                    (words[7], words[8]) = (0, 0);
                }
                let mut operands = Operands::of(&words);
                for (ty, value) in row.src.iter().zip([&mut operands.a, &mut operands.b]) {
                    if ty.dwords() == 1 {
                        *value &= 0xFFFF_FFFF;
                    }
                }
                let bit = u64::from(if name == "src_scc" { operands.scc } else { operands.exec == 0 });
                *[&mut operands.a, &mut operands.b][n] = bit;
                check(row, &text, &words, operands);
            }
        }
    }
}

#[test]
fn registers_are_found_by_index() {
    let text = "v_lshlrev_b32 v1, 6, v0
        buffer_load_dword v2, v1, s[0:3], 0 offen
        v_readfirstlane_b32 s20, v2
        s_mov_b32 s10, 100
        s_mov_b32 s11, 101
        s_mov_b32 s12, 102
        s_mov_b32 s13, 103
        s_mov_b32 m0, s20
        s_movrels_b32 s16, s10
        s_movreld_b32 s10, 7
        s_add_u32 s17, s10, s11
        s_add_u32 s18, s12, s13
        v_mov_b32 v3, s16
        v_mov_b32 v4, s17
        v_mov_b32 v5, s18
        buffer_store_dwordx3 v[3:5], v1, s[0:3], 0 offen offset:4
        s_endpgm";
    for (index, expected) in [(0, [100, 108, 205]), (1, [101, 107, 205]), (3, [103, 201, 109])] {
        let mut memory = vec![0; 64];
        memory[0] = index;
        assert_eq!(Machine::new(1, memory).run(text)[1..4], expected);
    }
}

#[test]
fn the_float_mode_reads_as_it_is() {
    let mut machine = Machine::new(1, vec![0; 16]);
    machine.registers.rsrc1 = 0xC0 << 12;
    let text = "s_getreg_b32 s10, hwreg(HW_REG_MODE)
        v_mov_b32 v1, s10
        v_mov_b32 v0, 0
        buffer_store_dword v1, v0, s[0:3], 0 offen
        s_endpgm";
    assert_eq!(machine.run(text)[0], 0xC0);
}
