//! GNM: fields of registers, through the translator.

use crate::guests::gnm::{COLOR, START, triangles};
use crate::watch::{Seen, watch};
use crate::{missing, report};
use afterimage_gnm::machine::{Draw, Graphics, IndexKind, Indices, Registers};
use afterimage_gnm::memory::{GuestMemory, Regions};
use afterimage_gnm::translate::Translator;
use afterimage_gnm_types::enums::{self, Names};
use afterimage_gnm_types::field::FieldRow;
use afterimage_gnm_types::rows::{ROWS, Register, What};
use afterimage_gnm_types::{Group, reg, value::*};
use afterimage_inspect::terms::Term;
use afterimage_stream::packets::Init;
use afterimage_stream::{DeviceFeatures, DeviceInfo, Format};
use std::collections::BTreeSet;

pub(crate) const CODE: u64 = START;
const DEPTH: u64 = START + 0x18_0000;

pub(crate) struct Rig {
    pub(crate) registers: Registers,
    pub(crate) memory: Regions,
    pub(crate) graphics: Translator,
    pub(crate) seen: Seen,
}

/// A device that can do everything with every format.
fn device() -> DeviceInfo {
    let features = DeviceFeatures::VIEWPORTS | DeviceFeatures::DEPTH_BOUNDS;
    let mut info =
        DeviceInfo { max_texture_2d: 16384, max_anisotropy: 16.0, markers: 1, features, ..DeviceInfo::default() };
    for format in Format::ALL {
        info.formats[*format as usize] = u16::MAX.into();
    }
    info
}

impl Rig {
    /// A triangle list into a colour target, with depth and stencil.
    pub(crate) fn new() -> Self {
        let programs = ["exp pos0 v0, v0, v0, v0 done\n s_endpgm", "exp mrt0 v0, v0, v0, v0 done vm\n s_endpgm"];
        let (registers, memory) = triangles(programs, &[]);
        let (link, seen) = watch(device());
        let mut rig = Self { registers, memory, graphics: Translator::new(link, "terms"), seen };
        use reg::{DB_STENCIL_INFO as S, DB_Z_INFO as Z};
        for (register, values) in [
            (reg::DB_DEPTH_SIZE, &[31 << 11 | 31][..]),
            (reg::DB_Z_INFO, &[Z::FORMAT.bits(Z_32_FLOAT) | Z::TILE_MODE_INDEX.bits(2)]),
            (reg::DB_STENCIL_INFO, &[S::FORMAT.bits(1) | S::TILE_MODE_INDEX.bits(2)]),
            (reg::DB_Z_READ_BASE, &[(DEPTH >> 8) as u32]),
            (reg::DB_STENCIL_READ_BASE, &[((DEPTH + 0x4_0000) >> 8) as u32]),
            (reg::DB_STENCILREFMASK, &[0x01FF_FF00]),
            (reg::DB_STENCILREFMASK_BF, &[0x01FF_FF00]),
        ] {
            assert_eq!(rig.registers.set_run(register, values), None);
        }
        rig
    }

    /// Sets a field by its name, such as `DB_DEPTH_CONTROL.ZFUNC`, or a whole register.
    fn set(&mut self, name: &str, value: u32) {
        let (address, field) = find(name).unwrap_or_else(|| panic!("{name} is no register"));
        let word = match field {
            Some(field) => {
                let mask = u32::MAX >> (32 - field.width) << field.low;
                self.registers.get(address) & !mask | value << field.low & mask
            }
            None => value,
        };
        assert!(self.registers.set(address, word), "{name}");
    }

    pub(crate) fn draw(&mut self) -> Vec<Term> {
        self.draw_with(Indices::Auto)
    }

    fn draw_with(&mut self, indices: Indices) -> Vec<Term> {
        let draw = Draw { indices, count: 6, instances: 1, number: 0, opaque: false };
        self.graphics.draw(&mut self.registers, &mut self.memory, &draw);
        self.graphics.submit();
        self.seen.terms(Init::GNM)
    }
}

/// The address of the register of a name, and its field. Of arrays the name has the number of the instance.
fn find(name: &str) -> Option<(u32, Option<&'static FieldRow>)> {
    let (register, field) = name.split_once('.').map_or((name, None), |(register, field)| (register, Some(field)));
    let instance = |row: &Register, n: u32| {
        let with = row.name.replacen(|c: char| c.is_ascii_digit(), &n.to_string(), 1);
        (with == register || row.count == 1 && row.name == register).then_some(row.address + n * row.stride)
    };
    let mut rows = ROWS.into_iter().flatten();
    let (row, address) = rows.find_map(|row| Some((row, (0..row.count).find_map(|n| instance(row, n))?)))?;
    let of_row = |field: &str| row.fields.iter().find(|row| row.name == field).expect(name);
    Some((address, field.map(of_row)))
}

type Gates = &'static [(&'static str, u32)];

const Z: Gates = &[("DB_DEPTH_CONTROL.Z_ENABLE", 1)];
const STENCIL: Gates = &[("DB_DEPTH_CONTROL.STENCIL_ENABLE", 1)];
const BACK: Gates = &[("DB_DEPTH_CONTROL.STENCIL_ENABLE", 1), ("DB_DEPTH_CONTROL.BACKFACE_ENABLE", 1)];
const BLEND: Gates = &[("CB_BLEND0_CONTROL.ENABLE", 1)];
const SEPARATE: Gates = &[("CB_BLEND0_CONTROL.ENABLE", 1), ("CB_BLEND0_CONTROL.SEPARATE_ALPHA_BLEND", 1)];
const BOUNDS: Gates = &[("DB_DEPTH_CONTROL.DEPTH_BOUNDS_ENABLE", 1), ("DB_DEPTH_BOUNDS_MAX", float(1.0))];
const OFFSET: Gates = &[("PA_SU_SC_MODE_CNTL.POLY_OFFSET_FRONT_ENABLE", 1)];

/// Fields with names for their numbers.
const ENUMERATED: &[(&str, &Names, Gates)] = &[
    ("DB_DEPTH_CONTROL.ZFUNC", &enums::COMPARE_FRAG, Z),
    ("DB_DEPTH_CONTROL.STENCILFUNC", &enums::COMPARE_FRAG, STENCIL),
    ("DB_DEPTH_CONTROL.STENCILFUNC_BF", &enums::COMPARE_FRAG, BACK),
    ("DB_STENCIL_CONTROL.STENCILFAIL", &enums::STENCIL_OP, STENCIL),
    ("DB_STENCIL_CONTROL.STENCILZPASS", &enums::STENCIL_OP, STENCIL),
    ("DB_STENCIL_CONTROL.STENCILZFAIL", &enums::STENCIL_OP, STENCIL),
    ("DB_STENCIL_CONTROL.STENCILFAIL_BF", &enums::STENCIL_OP, BACK),
    ("DB_STENCIL_CONTROL.STENCILZPASS_BF", &enums::STENCIL_OP, BACK),
    ("DB_STENCIL_CONTROL.STENCILZFAIL_BF", &enums::STENCIL_OP, BACK),
    ("CB_BLEND0_CONTROL.COLOR_SRCBLEND", &enums::BLEND_OP, BLEND),
    ("CB_BLEND0_CONTROL.COLOR_DESTBLEND", &enums::BLEND_OP, BLEND),
    ("CB_BLEND0_CONTROL.COLOR_COMB_FCN", &enums::COMB_FUNC, BLEND),
    ("CB_BLEND0_CONTROL.ALPHA_SRCBLEND", &enums::BLEND_OP, SEPARATE),
    ("CB_BLEND0_CONTROL.ALPHA_DESTBLEND", &enums::BLEND_OP, SEPARATE),
    ("CB_BLEND0_CONTROL.ALPHA_COMB_FCN", &enums::COMB_FUNC, SEPARATE),
    ("CB_COLOR_CONTROL.ROP3", &enums::ROP3, &[]),
];

/// Whether the translation says that it does not do this.
fn is_refused(name: &str) -> bool {
    name.starts_with("BLEND_BOTH_")
}

#[test]
fn every_enumeration_is_said_by_name_and_value() {
    let mut failures = Vec::new();
    for (field, names, gates) in ENUMERATED {
        for (value, name) in names.rows.iter().filter(|(_, name)| !is_refused(name)) {
            let mut rig = Rig::new();
            gates.iter().for_each(|(name, value)| rig.set(name, *value));
            // Of operations with a value, the host has those with this one.
            let operand = if matches!(*name, "STENCIL_NAND" | "STENCIL_NOR") { 0xFF } else { 1 };
            rig.set("DB_STENCILREFMASK.STENCILOPVAL", operand);
            rig.set("DB_STENCILREFMASK_BF.STENCILOPVAL_BF", operand);
            rig.set(field, *value);
            failures.extend(missing(&rig.draw(), field, name));
        }
    }
    report(failures);
}

/// Fields that are on or off.
const SWITCHES: &[(&str, Gates)] = &[
    ("DB_DEPTH_CONTROL.Z_ENABLE", &[]),
    ("DB_DEPTH_CONTROL.Z_WRITE_ENABLE", Z),
    ("DB_DEPTH_CONTROL.STENCIL_ENABLE", &[]),
    ("DB_DEPTH_CONTROL.DEPTH_BOUNDS_ENABLE", &[]),
    (
        "DB_DEPTH_CONTROL.BACKFACE_ENABLE",
        &[("DB_DEPTH_CONTROL.STENCIL_ENABLE", 1), ("DB_DEPTH_CONTROL.STENCILFUNC_BF", 3)],
    ),
    ("CB_BLEND0_CONTROL.ENABLE", &[]),
    (
        "CB_BLEND0_CONTROL.SEPARATE_ALPHA_BLEND",
        &[("CB_BLEND0_CONTROL.ENABLE", 1), ("CB_BLEND0_CONTROL.ALPHA_SRCBLEND", 4)],
    ),
    ("PA_SU_SC_MODE_CNTL.CULL_FRONT", &[]),
    ("PA_SU_SC_MODE_CNTL.CULL_BACK", &[]),
    ("PA_SU_SC_MODE_CNTL.FACE", &[]),
    ("PA_SU_SC_MODE_CNTL.POLY_OFFSET_FRONT_ENABLE", &[]),
    ("PA_SU_SC_MODE_CNTL.PROVOKING_VTX_LAST", &[]),
    ("PA_CL_CLIP_CNTL.ZCLIP_NEAR_DISABLE", &[]),
    ("DB_ALPHA_TO_MASK.ALPHA_TO_MASK_ENABLE", &[]),
];

const POLY_MODE: Gates = &[("PA_SU_SC_MODE_CNTL.POLY_MODE", 1)];
const TEST: Gates = &[("DB_DEPTH_CONTROL.STENCIL_ENABLE", 1), ("DB_DEPTH_CONTROL.STENCILFUNC", 3)];
const TEST_BACK: Gates = &[
    ("DB_DEPTH_CONTROL.STENCIL_ENABLE", 1),
    ("DB_DEPTH_CONTROL.BACKFACE_ENABLE", 1),
    ("DB_DEPTH_CONTROL.STENCILFUNC_BF", 3),
];
const SCALED: Gates =
    &[("PA_CL_VTE_CNTL", 0x43F), ("PA_SU_VTX_CNTL.PIX_CENTER", 1), ("PA_CL_CLIP_CNTL.DX_CLIP_SPACE_DEF", 1)];

const fn float(value: f32) -> u32 {
    value.to_bits()
}

/// Registers and fields that take numbers, and how these are said.
const NUMBERS: &[(&str, Gates, u32, &str)] = &[
    ("PA_SU_SC_MODE_CNTL.POLYMODE_FRONT_PTYPE", POLY_MODE, 0, "0"),
    ("PA_SU_SC_MODE_CNTL.POLYMODE_FRONT_PTYPE", POLY_MODE, 1, "1"),
    ("PA_SU_SC_MODE_CNTL.POLYMODE_FRONT_PTYPE", POLY_MODE, 2, "2"),
    ("PA_SU_SC_MODE_CNTL.POLYMODE_BACK_PTYPE", POLY_MODE, 0, "0"),
    ("PA_SU_SC_MODE_CNTL.POLYMODE_BACK_PTYPE", POLY_MODE, 1, "1"),
    ("PA_SU_SC_MODE_CNTL.POLYMODE_BACK_PTYPE", POLY_MODE, 2, "2"),
    ("DB_STENCILREFMASK.STENCILMASK", STENCIL, 0x3C, "0x3c"),
    ("DB_STENCILREFMASK.STENCILWRITEMASK", STENCIL, 0x0F, "0xf"),
    ("DB_STENCILREFMASK.STENCILTESTVAL", TEST, 0x5A, "0x5a"),
    ("DB_STENCILREFMASK_BF.STENCILMASK_BF", BACK, 0x3C, "0x3c"),
    ("DB_STENCILREFMASK_BF.STENCILWRITEMASK_BF", BACK, 0x0F, "0xf"),
    ("DB_STENCILREFMASK_BF.STENCILTESTVAL_BF", TEST_BACK, 0x5A, "0x5a"),
    ("DB_DEPTH_BOUNDS_MIN", BOUNDS, float(0.375), "0.375"),
    ("DB_DEPTH_BOUNDS_MAX", BOUNDS, float(0.625), "0.625"),
    ("CB_TARGET_MASK.TARGET0_ENABLE", &[], 5, "0x5 (RED | BLUE)"),
    ("CB_BLEND_RED", &[], float(0.25), "0.25"),
    ("CB_BLEND_GREEN", &[], float(0.375), "0.375"),
    ("CB_BLEND_BLUE", &[], float(0.625), "0.625"),
    ("CB_BLEND_ALPHA", &[], float(0.75), "0.75"),
    ("PA_SU_POLY_OFFSET_FRONT_SCALE", OFFSET, float(32.0), "32.0"),
    ("PA_SU_POLY_OFFSET_FRONT_OFFSET", OFFSET, float(4.0), "4.0"),
    ("PA_SU_POINT_SIZE.WIDTH", &[], 0x48, "0x48"),
    ("PA_SU_POINT_MINMAX.MIN_SIZE", &[], 0x10, "0x10"),
    ("PA_SU_POINT_MINMAX.MAX_SIZE", &[], 0x80, "0x80"),
    ("PA_SU_LINE_CNTL.WIDTH", &[], 0x18, "0x18"),
    ("PA_SC_AA_MASK_X0Y0_X1Y0.AA_MASK_X0Y0", &[], 0x3, "0x3"),
    ("PA_CL_VPORT_XSCALE", SCALED, float(16.0), "16.0"),
    ("PA_CL_VPORT_YSCALE", SCALED, float(8.0), "8.0"),
    ("PA_CL_VPORT_XOFFSET", SCALED, float(24.0), "24.0"),
    ("PA_CL_VPORT_YOFFSET", SCALED, float(12.0), "12.0"),
    ("PA_CL_VPORT_ZSCALE", SCALED, float(0.5), "0.5"),
    ("PA_CL_VPORT_ZOFFSET", SCALED, float(0.25), "0.25"),
    ("PA_SC_GENERIC_SCISSOR_TL", &[], 6 << 16 | 4, "TL_X 4, TL_Y 6"),
    ("PA_SC_GENERIC_SCISSOR_BR", &[], 40 << 16 | 30, "BR_X 30, BR_Y 40"),
    ("SPI_VS_OUT_CONFIG", &[], 1, "0x1"),
    ("SPI_PS_INPUT_ENA", &[], 1, "0x1"),
    ("SPI_PS_INPUT_ADDR", &[], 1, "0x1"),
    ("SPI_PS_IN_CONTROL", &[], 1, "0x1"),
    ("SPI_BARYC_CNTL", &[], 1, "0x1"),
    ("SPI_SHADER_Z_FORMAT", &[], 1, "0x1"),
    ("DB_SHADER_CONTROL", &[], 1, "0x1"),
    ("PA_CL_VS_OUT_CNTL", &[], 1, "0x1"),
    ("SPI_SHADER_PGM_RSRC2_VS", &[], 1, "0x1"),
];

#[test]
fn switches_and_numbers_are_said() {
    let mut failures = Vec::new();
    let mut check = |gates: Gates, name: &str, value: u32, expected: &str| {
        let mut rig = Rig::new();
        gates.iter().for_each(|(name, value)| rig.set(name, *value));
        rig.set(name, value);
        failures.extend(missing(&rig.draw(), name, expected));
    };
    for (switch, gates) in SWITCHES {
        check(gates, switch, 0, "0");
        check(gates, switch, 1, "1");
    }
    NUMBERS.iter().for_each(|(name, gates, value, expected)| check(gates, name, *value, expected));
    report(failures);
}

/// The name of a state of target 0 with the number of another.
fn of_target(name: &str, n: u32) -> String {
    name.replace("CB_BLEND0_", &format!("CB_BLEND{n}_"))
        .replace("TARGET0_", &format!("TARGET{n}_"))
        .replace("CB_COLOR0_", &format!("CB_COLOR{n}_"))
}

#[test]
fn every_target_has_its_own_states() {
    let mut failures = Vec::new();
    let mut rig = Rig::new();
    let base = |n: u32| COLOR + 0x1_0000 * u64::from(n);
    let mut mask = 0;
    for n in 0..8 {
        for (name, value) in [
            ("CB_COLOR0_BASE", (base(n) >> 8) as u32),
            ("CB_COLOR0_PITCH", 7),
            ("CB_COLOR0_SLICE", 63),
            ("CB_COLOR0_INFO.FORMAT", COLOR_8_8_8_8),
            ("CB_COLOR0_INFO.LINEAR_GENERAL", 1),
            ("CB_BLEND0_CONTROL.ENABLE", 1),
            ("CB_BLEND0_CONTROL.COLOR_SRCBLEND", n),
            ("CB_BLEND0_CONTROL.COLOR_DESTBLEND", (n + 1) % 8),
            ("CB_BLEND0_CONTROL.COLOR_COMB_FCN", n % 5),
        ] {
            rig.set(&of_target(name, n), value);
        }
        mask |= (n + 1) << (4 * n);
    }
    rig.set("DB_DEPTH_CONTROL", 0);
    rig.set("SPI_SHADER_COL_FORMAT", 0x9999_9999);
    rig.set("CB_SHADER_MASK", u32::MAX);
    rig.set("CB_TARGET_MASK", mask);
    let exports: String =
        (0..8).map(|n| format!("exp mrt{n} v0, v0, v0, v0{}\n", if n == 7 { " done vm" } else { "" })).collect();
    let words = afterimage_shader_gcn::assemble(&format!("{exports} s_endpgm")).expect("a program");
    rig.memory.write(CODE + 256, bytemuck::cast_slice(&words)).expect("mapped memory");
    let terms = rig.draw();
    let word = |names: &Names, value: u32| names.rows.iter().find(|row| row.0 == value).expect("a name").1;
    for n in 0..8 {
        for (name, expected) in [
            ("CB_COLOR0_BASE", format!("surface at {:#x}", base(n))),
            ("CB_TARGET_MASK.TARGET0_ENABLE", format!("{:#x}", n + 1)),
            ("CB_BLEND0_CONTROL.ENABLE", "1".to_owned()),
            ("CB_BLEND0_CONTROL.COLOR_SRCBLEND", word(&enums::BLEND_OP, n).to_owned()),
            ("CB_BLEND0_CONTROL.COLOR_DESTBLEND", word(&enums::BLEND_OP, (n + 1) % 8).to_owned()),
            ("CB_BLEND0_CONTROL.COLOR_COMB_FCN", word(&enums::COMB_FUNC, n % 5).to_owned()),
        ] {
            failures.extend(missing(&terms, &of_target(name, n), &expected));
        }
    }
    report(failures);
}

/// Why there is no term of what is read, and of what. A register stands for all of its fields.
const UNSAID: &[(&str, &[&str])] = &[
    (
        "clears and decompression are packets of their own",
        &[
            "DB_RENDER_CONTROL",
            "DB_HTILE_DATA_BASE",
            "DB_HTILE_SURFACE",
            "DB_STENCIL_CLEAR",
            "DB_DEPTH_CLEAR",
            "CB_COLOR0_CMASK",
            "CB_COLOR0_CMASK_SLICE",
            "CB_COLOR0_CLEAR_WORD0",
            "CB_COLOR0_CLEAR_WORD1",
            "CB_COLOR_CONTROL.MODE",
        ],
    ),
    ("queries are packets of their own", &["DB_COUNT_CONTROL"]),
    (
        "of the surface, which its texture has",
        &[
            "DB_Z_INFO",
            "DB_STENCIL_INFO",
            "DB_Z_READ_BASE",
            "DB_STENCIL_READ_BASE",
            "DB_DEPTH_SIZE",
            "CB_COLOR0_PITCH",
            "CB_COLOR0_SLICE",
            "CB_COLOR0_VIEW",
            "CB_COLOR0_INFO",
            "CB_COLOR0_ATTRIB",
        ],
    ),
    (
        "scissors and clip rectangles are cut into one, which PA_SC_GENERIC_SCISSOR_TL and _BR say",
        &[
            "PA_SC_SCREEN_SCISSOR_TL",
            "PA_SC_SCREEN_SCISSOR_BR",
            "PA_SC_WINDOW_OFFSET",
            "PA_SC_WINDOW_SCISSOR_TL",
            "PA_SC_WINDOW_SCISSOR_BR",
            "PA_SC_CLIPRECT_RULE",
            "PA_SC_CLIPRECT_0_TL",
            "PA_SC_CLIPRECT_0_BR",
            "PA_SC_CLIPRECT_1_TL",
            "PA_SC_CLIPRECT_1_BR",
            "PA_SC_CLIPRECT_2_TL",
            "PA_SC_CLIPRECT_2_BR",
            "PA_SC_CLIPRECT_3_TL",
            "PA_SC_CLIPRECT_3_BR",
            "PA_SC_VPORT_SCISSOR_0_TL",
            "PA_SC_VPORT_SCISSOR_0_BR",
            "PA_SC_MODE_CNTL_0.VPORT_SCISSOR_ENABLE",
        ],
    ),
    (
        "nothing is made of it here",
        &[
            "PA_SC_MODE_CNTL_0.MSAA_ENABLE",
            "PA_SC_MODE_CNTL_0.LINE_STIPPLE_ENABLE",
            "PA_SC_MODE_CNTL_0.SEND_UNLIT_STILES_TO_PKR",
            "CB_BLEND0_CONTROL.DISABLE_ROP3",
            "CB_COLOR_CONTROL.DEGAMMA_ENABLE",
            "DB_DEPTH_CONTROL.ENABLE_COLOR_WRITES_ON_DEPTH_FAIL",
            "DB_DEPTH_CONTROL.DISABLE_COLOR_WRITES_ON_DEPTH_PASS",
            "PA_CL_CLIP_CNTL.UCP_ENA_0",
            "PA_CL_CLIP_CNTL.UCP_ENA_1",
            "PA_CL_CLIP_CNTL.UCP_ENA_2",
            "PA_CL_CLIP_CNTL.UCP_ENA_3",
            "PA_CL_CLIP_CNTL.UCP_ENA_4",
            "PA_CL_CLIP_CNTL.UCP_ENA_5",
            "PA_CL_CLIP_CNTL.PS_UCP_Y_SCALE_NEG",
            "PA_CL_CLIP_CNTL.PS_UCP_MODE",
            "PA_CL_CLIP_CNTL.UCP_CULL_ONLY_ENA",
            "PA_CL_CLIP_CNTL.BOUNDARY_EDGE_FLAG_ENA",
            "PA_CL_CLIP_CNTL.DIS_CLIP_ERR_DETECT",
            "PA_CL_CLIP_CNTL.VTX_KILL_OR",
            "PA_CL_CLIP_CNTL.DX_LINEAR_ATTR_CLIP_ENA",
            "PA_CL_CLIP_CNTL.VTE_VPORT_PROVOKE_DISABLE",
            "PA_SU_SC_MODE_CNTL.VTX_WINDOW_OFFSET_ENABLE",
            "PA_SU_SC_MODE_CNTL.PERSP_CORR_DIS",
            "PA_SU_SC_MODE_CNTL.MULTI_PRIM_IB_ENA",
            "DB_ALPHA_TO_MASK.ALPHA_TO_MASK_OFFSET0",
            "DB_ALPHA_TO_MASK.ALPHA_TO_MASK_OFFSET1",
            "DB_ALPHA_TO_MASK.ALPHA_TO_MASK_OFFSET2",
            "DB_ALPHA_TO_MASK.ALPHA_TO_MASK_OFFSET3",
            "DB_ALPHA_TO_MASK.OFFSET_ROUND",
            "PA_SU_VTX_CNTL.ROUND_MODE",
            "PA_SU_VTX_CNTL.QUANT_MODE",
            "PA_SC_AA_MASK_X0Y0_X1Y0.AA_MASK_X1Y0",
        ],
    ),
    ("S#.BORDER_COLOR_TYPE has the colour that lies there", &["TA_BC_BASE_ADDR", "TA_BC_BASE_ADDR_HI"]),
    ("CB_TARGET_MASK says what both leave", &["CB_SHADER_MASK"]),
    ("is in the first vertex, which the program is told", &["VGT_INDX_OFFSET"]),
    (
        "operations with a value become others",
        &["DB_STENCILREFMASK.STENCILOPVAL", "DB_STENCILREFMASK_BF.STENCILOPVAL_BF"],
    ),
    (
        "is not supported, and said so in the log",
        &["PA_SC_VPORT_ZMIN_0", "PA_SC_VPORT_ZMAX_0", "PA_SU_POLY_OFFSET_CLAMP"],
    ),
    ("the note of ZCLIP_NEAR_DISABLE says it", &["PA_CL_CLIP_CNTL.CLIP_DISABLE", "PA_CL_CLIP_CNTL.ZCLIP_FAR_DISABLE"]),
    ("the viewport is said as if it were on", &["PA_CL_CLIP_CNTL.DX_CLIP_SPACE_DEF"]),
    ("draws that it kills are not sent, or only capture", &["PA_CL_CLIP_CNTL.DX_RASTERIZATION_KILL"]),
    ("the fill modes of the faces say it", &["PA_SU_SC_MODE_CNTL.POLY_MODE"]),
    (
        "the note of POLY_OFFSET_FRONT_ENABLE says it",
        &["PA_SU_SC_MODE_CNTL.POLY_OFFSET_BACK_ENABLE", "PA_SU_SC_MODE_CNTL.POLY_OFFSET_PARA_ENABLE"],
    ),
    ("the viewport is said as if all were on", &["PA_CL_VTE_CNTL"]),
    ("points are squares here", &["PA_SU_POINT_SIZE.HEIGHT"]),
    ("is in PA_SU_POLY_OFFSET_FRONT_OFFSET", &["PA_SU_POLY_OFFSET_DB_FMT_CNTL"]),
    ("the note of the front says it", &["PA_SU_POLY_OFFSET_BACK_SCALE", "PA_SU_POLY_OFFSET_BACK_OFFSET"]),
    ("the note of PA_CL_VPORT_XOFFSET says it", &["PA_SU_VTX_CNTL.PIX_CENTER"]),
    ("buffers that are captured into have no terms", &["VGT_STRMOUT_CONFIG"]),
    ("scratch memory has no terms", &["SPI_TMPRING_SIZE", "COMPUTE_TMPRING_SIZE"]),
    ("SPI_SHADER_PGM_LO says the program", &["SPI_SHADER_PGM_HI_PS", "SPI_SHADER_PGM_HI_VS", "COMPUTE_PGM_HI"]),
    (
        "words are said with where programs find them",
        &["SPI_SHADER_USER_DATA_PS_0", "SPI_SHADER_USER_DATA_VS_0", "COMPUTE_USER_DATA_0"],
    ),
    ("is in the draw", &["VGT_PRIMITIVE_TYPE"]),
];

/// What takes more than the program of these draws: inputs, instances, further stages.
const OF_PROGRAMS: &[&str] =
    &["SPI_PS_INPUT_CNTL_0", "VGT_INSTANCE_STEP_RATE_0", "VGT_INSTANCE_STEP_RATE_1", "VGT_SHADER_STAGES_EN"];

/// Groups of what is done behind programs, whose fields have terms; of registers for programs the whole word has one.
const FIELDS: &[Group] = &[Group::Viewport, Group::Scissor, Group::Raster, Group::Blend, Group::DepthStencil];

#[test]
fn every_register_that_is_read_is_said_or_known_to_be_gone() {
    let mut failures = Vec::new();
    let mut said: BTreeSet<String> =
        tried().into_iter().chain(OF_PROGRAMS.iter().copied()).map(str::to_owned).collect();
    // Targets are tried one by one.
    said.extend((1..8).map(|n| of_target("CB_TARGET_MASK.TARGET0_ENABLE", n)));
    said.extend(crate::gnm_programs::draws_and_dispatches().into_iter().map(|term| term.name.into_owned()));
    for row in ROWS.into_iter().flatten() {
        let What::State(groups) = row.what else { continue };
        let by_field = FIELDS.iter().any(|group| groups >> *group as u64 & 1 != 0);
        let fields = if by_field { row.fields } else { &[] };
        let mut names: Vec<String> = fields.iter().map(|field| format!("{}.{}", row.name, field.name)).collect();
        if names.is_empty() {
            names.push(row.name.to_owned());
        }
        for name in names {
            let known = said.contains(&name) || said.contains(row.name);
            let unsaid = UNSAID.iter().flat_map(|(_, names)| *names).any(|other| *other == name || *other == row.name);
            if known == unsaid {
                let what = if known { "is said, and listed as unsaid" } else { "is not tried" };
                failures.push(format!("{name} {what}"));
            }
        }
    }
    for name in UNSAID.iter().flat_map(|(_, names)| *names).chain(OF_PROGRAMS) {
        if find(name).is_none() {
            failures.push(format!("{name} is no register"));
        }
    }
    report(failures);
}

/// What is tried above.
fn tried() -> Vec<&'static str> {
    (ENUMERATED.iter().map(|row| row.0))
        .chain(SWITCHES.iter().map(|row| row.0))
        .chain(NUMBERS.iter().map(|row| row.0))
        .chain(["CB_COLOR0_BASE", "DB_DEPTH_VIEW"])
        .collect()
}

/// What has a term is tried above, and is a register, or a field of one.
#[test]
fn every_term_is_a_field_that_is_tried() {
    let mut rig = Rig::new();
    let gates = [Z, STENCIL, BACK, SEPARATE, OFFSET, SCALED, BOUNDS];
    gates.iter().flat_map(|gates| gates.iter()).for_each(|(name, value)| rig.set(name, *value));
    let tried = tried();
    let mut failures = Vec::new();
    for term in rig.draw().iter().filter(|term| !term.group.starts_with("Program")) {
        if find(&term.name).is_none() {
            failures.push(format!("{} is no register", term.name));
        }
        if !tried.contains(&&*term.name) {
            failures.push(format!("{} is not tried", term.name));
        }
    }
    report(failures);
}

#[test]
fn indices_are_said_by_place_and_type() {
    let mut failures = Vec::new();
    let address = START + 0x1_0040;
    for (kind, name) in
        [(IndexKind::U16, "VGT_INDEX_16"), (IndexKind::U32, "VGT_INDEX_32"), (IndexKind::U8, "VGT_INDEX_32")]
    {
        let terms = Rig::new().draw_with(Indices::Memory { address, kind, available: 6 });
        failures.extend(missing(&terms, "VGT_DMA_INDEX_TYPE.INDEX_TYPE", name));
        if kind != IndexKind::U8 {
            failures.extend(missing(&terms, "VGT_DMA_BASE", &format!("{address:#x}")));
        }
    }
    assert!(!Rig::new().draw().iter().any(|term| term.name.starts_with("VGT_DMA")), "a draw without indices has none");
    report(failures);
}

#[test]
fn surfaces_have_names() {
    let mut rig = Rig::new();
    rig.set("DB_DEPTH_CONTROL.Z_ENABLE", 1);
    let terms = rig.draw();
    let expected = [("CB_COLOR0_BASE", "surface at 0x1000100000"), ("DB_DEPTH_VIEW", "surface at 0x1000180000")];
    report(expected.iter().filter_map(|(name, value)| missing(&terms, name, value)).collect());
}
