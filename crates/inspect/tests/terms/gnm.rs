//! GNM: fields of registers, through the translator.

use crate::watch::{Seen, watch};
use crate::{missing, report};
use afterimage_gnm::machine::{Draw, Graphics, Indices, Registers};
use afterimage_gnm::memory::{GuestMemory, Regions};
use afterimage_gnm::translate::Translator;
use afterimage_gnm_types::enums::{self, Names};
use afterimage_gnm_types::field::FieldRow;
use afterimage_gnm_types::rows::{ROWS, Register};
use afterimage_gnm_types::{reg, value::*};
use afterimage_inspect::terms::Term;
use afterimage_stream::packets::Init;
use afterimage_stream::{DeviceInfo, Format};
use std::sync::{Arc, Mutex};

pub(crate) const START: u64 = 0x10_0000_0000;
pub(crate) const CODE: u64 = START;
const COLOR: u64 = START + 0x10_0000;
const DEPTH: u64 = START + 0x18_0000;

pub(crate) struct Rig {
    pub(crate) registers: Registers,
    pub(crate) memory: Regions,
    pub(crate) graphics: Translator,
    pub(crate) seen: Arc<Mutex<Seen>>,
}

/// A device that can do everything with every format.
fn device() -> DeviceInfo {
    let mut info = DeviceInfo { max_texture_2d: 16384, max_anisotropy: 16.0, markers: 1, ..DeviceInfo::default() };
    for format in Format::ALL {
        info.formats[*format as usize] = u16::MAX.into();
    }
    info
}

impl Rig {
    /// A triangle list into a colour target, with depth and stencil.
    pub(crate) fn new() -> Self {
        let mut memory = Regions::default();
        memory.map(START, 0x20_0000).expect("a range of 48 bits");
        for (at, text) in
            ["exp pos0 v0, v0, v0, v0 done\n s_endpgm", "exp mrt0 v0, v0, v0, v0 done vm\n s_endpgm"].iter().enumerate()
        {
            let words = afterimage_shader_gcn::assemble(text).expect("a program");
            memory.write(CODE + 256 * at as u64, bytemuck::cast_slice(&words)).expect("mapped memory");
        }
        let (link, seen) = watch(device());
        let mut rig = Self { registers: Registers::new(), memory, graphics: Translator::new(link, "terms"), seen };
        use reg::{CB_COLOR0_INFO as I, DB_STENCIL_INFO as S, DB_Z_INFO as Z};
        let corner = 64 << 16 | 64;
        for (register, values) in [
            (reg::SPI_SHADER_PGM_LO_VS, &[(CODE >> 8) as u32, 0, 0xC0 << 12, 0][..]),
            (reg::SPI_SHADER_PGM_LO_PS, &[((CODE + 256) >> 8) as u32, 0, 0xC0 << 12, 0]),
            (
                reg::CB_COLOR0_BASE,
                &[(COLOR >> 8) as u32, 7, 63, 0, I::FORMAT.bits(COLOR_8_8_8_8) | I::LINEAR_GENERAL.bits(1)],
            ),
            (reg::DB_DEPTH_SIZE, &[31 << 11 | 31]),
            (reg::DB_Z_INFO, &[Z::FORMAT.bits(Z_32_FLOAT) | Z::TILE_MODE_INDEX.bits(2)]),
            (reg::DB_STENCIL_INFO, &[S::FORMAT.bits(1) | S::TILE_MODE_INDEX.bits(2)]),
            (reg::DB_Z_READ_BASE, &[(DEPTH >> 8) as u32]),
            (reg::DB_STENCIL_READ_BASE, &[((DEPTH + 0x4_0000) >> 8) as u32]),
            (reg::PA_SC_CLIPRECT_RULE, &[0xFFFF]),
            (reg::CB_TARGET_MASK, &[15]),
            (reg::CB_SHADER_MASK, &[15]),
            (reg::CB_COLOR_CONTROL, &[1 << 4 | ROP3_COPY << 16]),
            (reg::SPI_SHADER_POS_FORMAT, &[4]),
            (reg::SPI_SHADER_COL_FORMAT, &[9]),
            (reg::PA_SC_SCREEN_SCISSOR_BR, &[corner]),
            (reg::PA_SC_WINDOW_SCISSOR_BR, &[corner]),
            (reg::PA_SC_GENERIC_SCISSOR_BR, &[corner]),
            (reg::PA_SC_AA_MASK_X0Y0_X1Y0, &[0xFFFF_FFFF]),
            (reg::DB_STENCILREFMASK, &[0x01FF_FF00]),
            (reg::DB_STENCILREFMASK_BF, &[0x01FF_FF00]),
            (reg::VGT_PRIMITIVE_TYPE, &[DI_PT_TRILIST]),
        ] {
            assert_eq!(rig.registers.set_run(register, values), None);
        }
        rig
    }

    /// Sets a field by its name, such as `DB_DEPTH_CONTROL.ZFUNC`, or a whole register.
    fn set(&mut self, name: &str, value: u32) {
        let (address, field) = find(name);
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
        let draw = Draw { indices: Indices::Auto, count: 6, instances: 1, number: 0, opaque: false };
        self.graphics.draw(&mut self.registers, &mut self.memory, &draw);
        self.graphics.submit();
        self.seen.lock().unwrap().terms(Init::GNM)
    }
}

/// The register of a name, and its field.
fn find(name: &str) -> (u32, Option<&'static FieldRow>) {
    let (register, field) = name.split_once('.').map_or((name, None), |(register, field)| (register, Some(field)));
    let row: &Register = ROWS.into_iter().flatten().find(|row| row.name == register).expect(name);
    (row.address, field.map(|field| row.fields.iter().find(|row| row.name == field).expect(name)))
}

type Gates = &'static [(&'static str, u32)];

const Z: Gates = &[("DB_DEPTH_CONTROL.Z_ENABLE", 1)];
const STENCIL: Gates = &[("DB_DEPTH_CONTROL.STENCIL_ENABLE", 1)];
const BACK: Gates = &[("DB_DEPTH_CONTROL.STENCIL_ENABLE", 1), ("DB_DEPTH_CONTROL.BACKFACE_ENABLE", 1)];
const BLEND: Gates = &[("CB_BLEND0_CONTROL.ENABLE", 1)];
const SEPARATE: Gates = &[("CB_BLEND0_CONTROL.ENABLE", 1), ("CB_BLEND0_CONTROL.SEPARATE_ALPHA_BLEND", 1)];
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
    name.starts_with("BLEND_BOTH_") || name.starts_with("X_0X")
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

#[test]
fn switches_and_numbers_are_said() {
    let mut failures = Vec::new();
    let mut check = |gates: Gates, name: &str, value: u32, expected: &str| {
        let mut rig = Rig::new();
        gates.iter().for_each(|(name, value)| rig.set(name, *value));
        rig.set(name, value);
        failures.extend(missing(&rig.draw(), name, expected));
    };
    for (switch, gates) in [
        ("DB_DEPTH_CONTROL.Z_ENABLE", &[][..]),
        ("DB_DEPTH_CONTROL.Z_WRITE_ENABLE", Z),
        ("DB_DEPTH_CONTROL.STENCIL_ENABLE", &[]),
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
    ] {
        check(gates, switch, 0, "0");
        check(gates, switch, 1, "1");
    }
    for (field, gates) in [
        ("PA_SU_SC_MODE_CNTL.POLYMODE_FRONT_PTYPE", &[("PA_SU_SC_MODE_CNTL.POLY_MODE", 1)]),
        ("PA_SU_SC_MODE_CNTL.POLYMODE_BACK_PTYPE", &[("PA_SU_SC_MODE_CNTL.POLY_MODE", 1)]),
    ] {
        (0..3).for_each(|value| check(gates, field, value, &value.to_string()));
    }
    check(STENCIL, "DB_STENCILREFMASK.STENCILMASK", 0x3C, "0x3c");
    check(STENCIL, "DB_STENCILREFMASK.STENCILWRITEMASK", 0x0F, "0xf");
    check(
        &[("DB_DEPTH_CONTROL.STENCIL_ENABLE", 1), ("DB_DEPTH_CONTROL.STENCILFUNC", 3)],
        "DB_STENCILREFMASK.STENCILTESTVAL",
        0x5A,
        "0x5a",
    );
    check(BACK, "DB_STENCILREFMASK_BF.STENCILMASK_BF", 0x3C, "0x3c");
    check(BACK, "DB_STENCILREFMASK_BF.STENCILWRITEMASK_BF", 0x0F, "0xf");
    check(
        &[
            ("DB_DEPTH_CONTROL.STENCIL_ENABLE", 1),
            ("DB_DEPTH_CONTROL.BACKFACE_ENABLE", 1),
            ("DB_DEPTH_CONTROL.STENCILFUNC_BF", 3),
        ],
        "DB_STENCILREFMASK_BF.STENCILTESTVAL_BF",
        0x5A,
        "0x5a",
    );
    check(&[], "CB_TARGET_MASK.TARGET0_ENABLE", 5, "0x5 (RED | BLUE)");
    check(&[], "CB_BLEND_RED", 0.25f32.to_bits(), "0.25");
    check(&[], "CB_BLEND_ALPHA", 0.75f32.to_bits(), "0.75");
    check(OFFSET, "PA_SU_POLY_OFFSET_FRONT_SCALE", 32f32.to_bits(), "32.0");
    check(OFFSET, "PA_SU_POLY_OFFSET_FRONT_OFFSET", 4f32.to_bits(), "4.0");
    check(&[], "PA_SU_POINT_SIZE.WIDTH", 0x48, "0x48");
    check(&[], "PA_SU_POINT_MINMAX.MIN_SIZE", 0x10, "0x10");
    check(&[], "PA_SU_POINT_MINMAX.MAX_SIZE", 0x80, "0x80");
    check(&[], "PA_SU_LINE_CNTL.WIDTH", 0x18, "0x18");
    check(&[], "PA_SC_AA_MASK_X0Y0_X1Y0.AA_MASK_X0Y0", 0x3, "0x3");
    let scaled: Gates =
        &[("PA_CL_VTE_CNTL", 0x43F), ("PA_SU_VTX_CNTL.PIX_CENTER", 1), ("PA_CL_CLIP_CNTL.DX_CLIP_SPACE_DEF", 1)];
    for (name, value, expected) in [
        ("PA_CL_VPORT_XSCALE", 16.0f32, "16.0"),
        ("PA_CL_VPORT_YSCALE", 8.0, "8.0"),
        ("PA_CL_VPORT_XOFFSET", 24.0, "24.0"),
        ("PA_CL_VPORT_YOFFSET", 12.0, "12.0"),
        ("PA_CL_VPORT_ZSCALE", 0.5, "0.5"),
        ("PA_CL_VPORT_ZOFFSET", 0.25, "0.25"),
    ] {
        check(scaled, name, value.to_bits(), expected);
    }
    report(failures);
}

#[test]
fn surfaces_have_names() {
    report(missing(&Rig::new().draw(), "CB_COLOR0_BASE", "surface at 0x1000100000").into_iter().collect());
}
