//! The grammar of the text: which operands an instruction has in which order, what its modifiers are called, and the names of
//! registers, messages and targets. The disassembler writes by these tables, the assembler reads by them. It is AMD's text for
//! gfx7, as `llvm-mc -mcpu=bonaire` takes it.

use crate::inst::{Buffer, Ds, Export, Flat, Image, Operand};
use crate::tables::{Encoding, Kind, Op, Row, Ty, flag};
use smallvec::SmallVec;

/// In front of bits that mean nothing in the first and the second word, but are not zero: no modifier of LLVM's.
pub(crate) const UNUSED: &str = "unused:";

/// Something in the list of operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Slot {
    Dst,
    Sdst,
    Src(usize),
    /// The data of MUBUF, MTBUF and MIMG, whichever way it goes.
    Data,
    /// The immediate of SOPP, left out if 0 where it has no meaning.
    Imm {
        optional: bool,
    },
    /// A label, or the distance in words from the next instruction.
    Target,
    /// Counters that are waited for.
    Wait,
    Message,
    /// Field of a hardware register.
    Hwreg,
    /// P10, P20 or P0.
    Parameter,
    /// Attribute and component.
    Attribute,
    /// Target of an export; no comma follows.
    ExportTarget,
    /// Component of an export.
    Component(usize),
}

/// The operands of an instruction. A FLAT atomic operation that `returns` has one more.
pub(crate) fn slots(row: &Row, enc: Encoding, returns: bool) -> SmallVec<[Slot; 6]> {
    let mut out = SmallVec::new();
    let has_dst = row.dst[0] != Ty::None;
    let sources = row.src.iter().take_while(|ty| **ty != Ty::None).count();
    match enc {
        Encoding::Sopp => out.extend(match row.op {
            Op::SWaitcnt => Some(Slot::Wait),
            Op::SSendmsg | Op::SSendmsghalt => Some(Slot::Message),
            _ if matches!(row.kind, Kind::Branch(_)) => Some(Slot::Target),
            Op::SEndpgm | Op::SBarrier | Op::SIcacheInv | Op::STtracedata => Some(Slot::Imm { optional: true }),
            _ => Some(Slot::Imm { optional: false }),
        }),
        Encoding::Sopk => match row.op {
            Op::SGetregB32 => out.extend([Slot::Dst, Slot::Hwreg]),
            Op::SSetregB32 | Op::SSetregImm32B32 => out.extend([Slot::Hwreg, Slot::Src(0)]),
            Op::SCbranchIFork => out.extend([Slot::Src(0), Slot::Target]),
            _ => {
                out.push(if has_dst { Slot::Dst } else { Slot::Src(0) });
                out.push(Slot::Src(sources - 1));
            }
        },
        Encoding::Vintrp => {
            out.extend([Slot::Dst, if sources == 0 { Slot::Parameter } else { Slot::Src(0) }, Slot::Attribute]);
        }
        Encoding::Mubuf | Encoding::Mtbuf | Encoding::Mimg if row.kind == Kind::Control => {}
        Encoding::Mubuf | Encoding::Mtbuf => out.extend([Slot::Data, Slot::Src(0), Slot::Src(1), Slot::Src(2)]),
        Encoding::Mimg => {
            out.extend([Slot::Data, Slot::Src(0), Slot::Src(1)]);
            out.extend(row.kind.has_sampler().then_some(Slot::Src(2)));
        }
        Encoding::Exp => {
            out.push(Slot::ExportTarget);
            out.extend((0..4).map(Slot::Component));
        }
        _ => {
            let atomic = enc == Encoding::Flat && matches!(row.kind, Kind::Atomic(_));
            out.extend((has_dst && (!atomic || returns)).then_some(Slot::Dst));
            out.extend((row.dst[1] != Ty::None).then_some(Slot::Sdst));
            out.extend((0..sources.min(3)).map(Slot::Src));
        }
    }
    out
}

/// A modifier: a name alone, or a name with a value.
pub(crate) struct Modifier<T> {
    pub name: &'static str,
    pub get: fn(&T) -> u32,
    pub set: fn(&mut T, u32),
    /// The greatest value; none for names alone.
    pub max: Option<u32>,
}

macro_rules! modifiers {
    ($name:ident: $ty:ty { $($flag:ident)* } { $($value:ident $text:literal <= $max:literal as $int:ty;)* }) => {
        pub(crate) const $name: &[Modifier<$ty>] = &[
            $(Modifier {
                name: $text, get: |f| u32::from(f.$value), set: |f, v| f.$value = v as $int, max: Some($max),
            },)*
            $(Modifier { name: stringify!($flag), get: |f| f.$flag.into(), set: |f, v| f.$flag = v != 0, max: None },)*
        ];
    };
}

modifiers! { BUFFER: Buffer { idxen offen addr64 glc slc tfe lds } { offset "offset" <= 4095 as u16; } }
modifiers! { TYPED: Buffer { idxen offen addr64 glc slc tfe } { offset "offset" <= 4095 as u16; } }
modifiers! { IMAGE: Image { unorm glc slc da r128 tfe lwe } { dmask "dmask" <= 15 as u8; } }
modifiers! { FLAT: Flat { glc slc tfe } {} }
modifiers! { EXPORT: Export { done compr vm } {} }
modifiers! { TWO_OFFSETS: Ds { gds } { offset0 "offset0" <= 255 as u8; offset1 "offset1" <= 255 as u8; } }

/// Modifiers of DS instructions of one address.
pub(crate) const ONE_OFFSET: &[Modifier<Ds>] = &[
    Modifier {
        name: "offset",
        get: |f| f.offset().into(),
        set: |f, v| [f.offset0, f.offset1] = (v as u16).to_le_bytes(),
        max: Some(0xFFFF),
    },
    Modifier { name: "gds", get: |f| f.gds.into(), set: |f, v| f.gds = v != 0, max: None },
];

/// The modifiers of a DS instruction.
pub(crate) fn ds_modifiers(row: &Row) -> &'static [Modifier<Ds>] {
    if row.flags & flag::TWO_OFFSETS != 0 { TWO_OFFSETS } else { ONE_OFFSET }
}

/// What VOP3 multiplies the result with, by `omod`.
pub(crate) const OMOD: [&str; 4] = ["", "mul:2", "mul:4", "div:2"];

/// Data formats of MTBUF by number, behind [`DATA_FORMAT`].
pub(crate) const DATA_FORMATS: [&str; 16] = [
    "INVALID",
    "8",
    "16",
    "8_8",
    "32",
    "16_16",
    "10_11_11",
    "11_11_10",
    "10_10_10_2",
    "2_10_10_10",
    "8_8_8_8",
    "32_32",
    "16_16_16_16",
    "32_32_32",
    "32_32_32_32",
    "RESERVED_15",
];
pub(crate) const DATA_FORMAT: &str = "BUF_DATA_FORMAT_";
/// The data format where the text has none.
pub(crate) const DEFAULT_DATA_FORMAT: u8 = 1;
/// Number formats of MTBUF by number, behind [`NUM_FORMAT`].
pub(crate) const NUM_FORMATS: [&str; 8] =
    ["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "SNORM_OGL", "FLOAT"];
pub(crate) const NUM_FORMAT: &str = "BUF_NUM_FORMAT_";

/// Counters of `s_waitcnt`: name, lowest bit, greatest value.
pub(crate) const COUNTERS: [(&str, u16, u16); 3] = [("vmcnt", 0, 15), ("expcnt", 4, 7), ("lgkmcnt", 8, 15)];
/// The immediate of `s_waitcnt` that waits for nothing.
pub(crate) const NO_WAIT: u16 = 0xF7F;

/// Messages by number.
pub(crate) const MESSAGES: [(u16, &str); 3] = [(1, "MSG_INTERRUPT"), (MSG_GS, "MSG_GS"), (MSG_GS_DONE, "MSG_GS_DONE")];
pub(crate) const MSG_GS: u16 = 2;
pub(crate) const MSG_GS_DONE: u16 = 3;
/// Operations of the geometry messages.
pub(crate) const GS_OPS: [&str; 4] = ["GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"];

/// Hardware registers from number 1 on.
pub(crate) const HWREGS: [&str; 7] = [
    "HW_REG_MODE",
    "HW_REG_STATUS",
    "HW_REG_TRAPSTS",
    "HW_REG_HW_ID",
    "HW_REG_GPR_ALLOC",
    "HW_REG_LDS_ALLOC",
    "HW_REG_IB_STS",
];

/// What `v_interp_mov_f32` moves.
pub(crate) const PARAMETERS: [&str; 3] = ["p10", "p20", "p0"];

/// Export targets: name, number of the first, how many.
pub(crate) const TARGETS: [(&str, u8, u8); 3] = [("mrt", 0, 8), ("pos", 12, 4), ("param", 32, 32)];
/// Export targets that are alone.
pub(crate) const TARGET_NAMES: [(&str, u8); 2] = [("mrtz", 8), ("null", 9)];
/// Export targets without a meaning have this in front of their number.
pub(crate) const TARGET_INVALID: &str = "invalid_target_";

/// Scalar registers and values that have names of their own.
pub(crate) const NAMES: [(&str, Operand); 17] = [
    ("flat_scratch_lo", Operand::FlatScratchLo),
    ("flat_scratch_hi", Operand::FlatScratchHi),
    ("vcc_lo", Operand::VccLo),
    ("vcc_hi", Operand::VccHi),
    ("tba_lo", Operand::TbaLo),
    ("tba_hi", Operand::TbaHi),
    ("tma_lo", Operand::TmaLo),
    ("tma_hi", Operand::TmaHi),
    ("m0", Operand::M0),
    ("exec_lo", Operand::ExecLo),
    ("exec_hi", Operand::ExecHi),
    ("src_vccz", Operand::Vccz),
    ("src_execz", Operand::Execz),
    ("src_scc", Operand::Scc),
    ("src_lds_direct", Operand::LdsDirect),
    ("src_pops_exiting_wave_id", Operand::PopsExitingWaveId),
    ("off", Operand::None),
];

/// Pairs that have names of their own.
pub(crate) const PAIRS: [(&str, Operand); 5] = [
    ("flat_scratch", Operand::FlatScratchLo),
    ("vcc", Operand::VccLo),
    ("tba", Operand::TbaLo),
    ("tma", Operand::TmaLo),
    ("exec", Operand::ExecLo),
];

/// The operand that a word is without a literal, if there is one: the assembler takes that.
pub(crate) fn inline(word: u32, ty: Ty) -> Option<Operand> {
    let value = if ty.dwords() == 2 { i64::from(word) } else { i64::from(word as i32) };
    if (-16..=64).contains(&value) {
        return Some(Operand::Int(value as i32));
    }
    let float = Operand::Float(word);
    (ty.dwords() == 1 && float.code().is_some()).then_some(float)
}
