//! Every row of VOP1, VOP2, VOP3 and VOPC on many operands.

use afterimage_shader_gcn::tables::{Encoding, ROWS, Row, Ty};

use crate::machine::Machine;
use crate::reference::{Operands, Out, compare, compute};

/// Lanes, and thus operands that each instruction is tried on.
const LANES: u32 = 256;
/// Words of memory of a lane: three sources, the destination, a word for vcc; then the result and its mask.
const STRIDE: usize = 28;
const RESULT: usize = 20;
const MASK: usize = 24;

/// Rows that have no result of their own operands, and are tried by themselves.
const ELSEWHERE: &[&str] = &[
    "v_nop",
    "v_clrexcp",
    "v_readfirstlane_b32",
    "v_readlane_b32",
    "v_writelane_b32",
    "v_movreld_b32",
    "v_movrels_b32",
    "v_movrelsd_b32",
];

/// A source of numbers that are always the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.next() as usize % from.len()]
    }

    /// Words of an operand of a type, mostly such that matter.
    fn operand(&mut self, ty: Ty) -> [u32; 4] {
        let mut words = [0; 4].map(|_: u32| self.next());
        let kind = self.next() % 4;
        match ty {
            Ty::F32 if kind > 0 => {
                const FLOATS: [f32; 24] = [
                    0.0,
                    -0.0,
                    1.0,
                    -1.0,
                    0.5,
                    -0.5,
                    1.5,
                    2.5,
                    -2.5,
                    3.0,
                    100.25,
                    -7.75,
                    255.0,
                    256.5,
                    65536.0,
                    1e10,
                    -1e10,
                    1e-10,
                    f32::MAX,
                    f32::MIN,
                    f32::INFINITY,
                    f32::NEG_INFINITY,
                    f32::NAN,
                    f32::MIN_POSITIVE,
                ];
                words[0] = self.pick(&FLOATS).to_bits();
            }
            Ty::F64 => {
                const DOUBLES: [f64; 20] = [
                    0.0,
                    -0.0,
                    1.0,
                    -1.0,
                    0.5,
                    1.5,
                    2.5,
                    -2.5,
                    1e10,
                    -1e100,
                    1e-200,
                    1e300,
                    -1e-300,
                    f64::MAX,
                    f64::MIN,
                    f64::INFINITY,
                    f64::NEG_INFINITY,
                    f64::NAN,
                    f64::MIN_POSITIVE,
                    5e-324,
                ];
                let bits = if kind > 0 {
                    self.pick(&DOUBLES).to_bits()
                } else {
                    u64::from(words[0]) << 32 | u64::from(words[1])
                };
                (words[0], words[1]) = (bits as u32, (bits >> 32) as u32);
            }
            _ if kind > 1 => {
                const INTEGERS: [u32; 22] = [
                    0,
                    1,
                    2,
                    3,
                    7,
                    15,
                    31,
                    32,
                    33,
                    63,
                    255,
                    256,
                    0xffff,
                    0x1_0000,
                    0x7f_ffff,
                    0x80_0000,
                    0xff_ffff,
                    0x7fff_ffff,
                    0x8000_0000,
                    0xffff_ffff,
                    0xffff_fffe,
                    0xffff_8000,
                ];
                words = words.map(|_| self.pick(&INTEGERS));
            }
            _ => {}
        }
        words
    }
}

/// A register or registers from `first` on.
fn registers(first: usize, words: u8) -> String {
    match words {
        1 => format!("v{first}"),
        _ => format!("v[{first}:{}]", first + usize::from(words) - 1),
    }
}

/// The instruction in the form that takes any registers, from v4, v8 and v12 to v16.
fn text(row: &Row, modifiers: &str) -> String {
    let mut operands: Vec<String> = Vec::new();
    if row.encoding == Encoding::Vopc {
        operands.push("s[8:9]".into());
    } else {
        operands.push(registers(16, row.dst[0].dwords()));
        if row.dst[1] == Ty::Mask {
            operands.push("s[8:9]".into());
        }
    }
    let mut first = 4;
    for (n, ty) in row.src.iter().enumerate() {
        match ty {
            Ty::None => {}
            // vcc of division has no place in the text.
            Ty::Mask if row.name.starts_with("v_div_fmas") => {}
            Ty::Mask => operands.push("vcc".into()),
            _ if row.name == "v_madmk_f32" && n == 1 => operands.push("0x40600000".into()),
            _ if row.name == "v_madak_f32" && n == 2 => operands.push("0x40600000".into()),
            _ => {
                operands.push(registers(first, ty.dwords()));
                first += 4;
            }
        }
    }
    let suffix = match row.encoding {
        Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc if row.vop3_number().is_some() => "_e64",
        _ => "",
    };
    format!("{}{suffix} {}{modifiers}", row.name, operands.join(", "))
}

fn program(instruction: &str, has_mask: bool) -> String {
    let mask = if has_mask { "v_cndmask_b32_e64 v20, 0, 1, s[8:9]" } else { "v_mov_b32_e32 v20, 0" };
    format!(
        "v_mul_u32_u24_e32 v0, {bytes}, v0
        buffer_load_dwordx4 v[4:7], v0, s[0:3], 0 offen
        buffer_load_dwordx4 v[8:11], v0, s[0:3], 0 offen offset:16
        buffer_load_dwordx4 v[12:15], v0, s[0:3], 0 offen offset:32
        buffer_load_dwordx4 v[16:19], v0, s[0:3], 0 offen offset:48
        buffer_load_dword v21, v0, s[0:3], 0 offen offset:64
        s_waitcnt 0
        v_cmp_ne_u32_e32 vcc, 0, v21
        {instruction}
        {mask}
        buffer_store_dwordx4 v[16:19], v0, s[0:3], 0 offen offset:{result}
        buffer_store_dword v20, v0, s[0:3], 0 offen offset:{masked}
        s_endpgm",
        bytes = format_args!("{:#x}", STRIDE * 4),
        result = RESULT * 4,
        masked = MASK * 4,
    )
}

/// Runs an instruction on operands of its types and gives operands, result and mask of each lane.
fn try_on(row: &Row, instruction: &str, has_mask: bool, seed: u64) -> Vec<(Operands, [u32; 4], bool)> {
    let mut random = Random(seed);
    let types: Vec<Ty> = {
        let literal = |n: usize| row.name == "v_madmk_f32" && n == 1 || row.name == "v_madak_f32" && n == 2;
        let read = row.src.iter().enumerate().filter(|&(n, &ty)| !matches!(ty, Ty::None | Ty::Mask) && !literal(n));
        read.map(|(_, &ty)| ty).collect()
    };
    let mut memory = vec![0; STRIDE * LANES as usize];
    for lane in memory.chunks_mut(STRIDE) {
        for n in 0..3 {
            let words = random.operand(types.get(n).copied().unwrap_or(Ty::B32));
            lane[4 * n..4 * n + 4].copy_from_slice(&words);
        }
        // Now and then two operands are equal.
        if random.next().is_multiple_of(4) {
            lane.copy_within(0..4, 4 * (1 + random.next() as usize % 2));
        }
        lane[12..16].copy_from_slice(&random.operand(row.dst[0]));
        lane[16] = random.next() & 1;
    }
    let machine = Machine::new(LANES, memory);
    let after = machine.run(&program(instruction, has_mask));
    (0..LANES as usize)
        .map(|lane| {
            let at = lane * STRIDE;
            let words: [[u32; 4]; 4] =
                std::array::from_fn(|n| std::array::from_fn(|word| machine.memory[at + 4 * n + word]));
            let operands = Operands { words, mask: machine.memory[at + 16] != 0, lane: lane as u32 };
            let result = std::array::from_fn(|word| after[at + RESULT + word]);
            (operands, result, after[at + MASK] != 0)
        })
        .collect()
}

fn same(got: f64, wanted: f64) -> bool {
    got.to_bits() == wanted.to_bits() || got.is_nan() && wanted.is_nan()
}

fn agrees(out: Out, got: [u32; 4], mask: bool) -> bool {
    let (float, near) = (f32::from_bits(got[0]), |wanted: f32| {
        let got = f32::from_bits(got[0]);
        got == wanted || got.is_nan() && wanted.is_nan() || (got - wanted).abs() <= 1e-5 * wanted.abs().max(1.0)
    });
    let pair = u64::from(got[0]) | u64::from(got[1]) << 32;
    let is = |wanted: f32| float.to_bits() == wanted.to_bits() || float.is_nan() && wanted.is_nan();
    match out {
        Out::U(wanted) => got[0] == wanted,
        Out::F(wanted) => is(wanted),
        Out::Near(wanted) => near(wanted),
        Out::Q(wanted) => pair == wanted,
        Out::D(wanted) => same(f64::from_bits(pair), wanted),
        Out::W(wanted) => got == wanted,
        Out::UM(wanted, m) => got[0] == wanted && mask == m,
        Out::FM(wanted, m) => is(wanted) && mask == m,
        Out::QM(wanted, m) => pair == wanted && mask == m,
        Out::DM(wanted, m) => same(f64::from_bits(pair), wanted) && mask == m,
    }
}

#[test]
fn every_instruction_computes_what_the_manual_says() {
    let vector = |row: &&Row| matches!(row.encoding, Encoding::Vop1 | Encoding::Vop2 | Encoding::Vop3);
    let mut wrong = Vec::new();
    for row in ROWS.iter().filter(vector).filter(|row| !ELSEWHERE.contains(&row.name)) {
        let mut tried = 0;
        for (operands, got, mask) in try_on(row, &text(row, ""), row.dst[1] == Ty::Mask, row.op as u64) {
            if let Some(out) = compute(row.name, &operands) {
                tried += 1;
                if !agrees(out, got, mask) {
                    wrong.push(format!("{}: {operands:x?} gives {got:x?} {mask}, not {out:x?}", row.name));
                    break;
                }
            }
        }
        if tried < LANES / 2 {
            wrong.push(format!("{} has no expectation", row.name));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_comparison_holds_when_the_manual_says() {
    let mut wrong = Vec::new();
    for row in ROWS.iter().filter(|row| row.encoding == Encoding::Vopc) {
        // What changes exec would leave the rest to fewer lanes: that is put back.
        let instruction = format!("{}\ns_mov_b64 exec, -1", text(row, ""));
        for (operands, _, mask) in try_on(row, &instruction, true, row.op as u64) {
            let wanted = compare(row.name, &operands);
            if wanted != Some(mask) {
                wrong.push(format!("{}: {operands:x?} gives {mask}, not {wanted:?}", row.name));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
