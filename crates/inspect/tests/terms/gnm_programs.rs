//! GNM: V#, T# and S#, words and registers of programs, of draws and of dispatches.

use crate::gnm::{CODE, Rig};
use crate::guests::gnm::START;
use crate::{missing, report};
use afterimage_gnm::machine::{Dispatch, Graphics, Queue};
use afterimage_gnm::memory::GuestMemory;
use afterimage_gnm_types::descriptors::{Bits, buffer, image, sampler};
use afterimage_gnm_types::{BufferDescriptor, ImageDescriptor, SamplerDescriptor, reg, value::*};
use afterimage_inspect::terms::Term;
use afterimage_stream::packets::Init;

const TEXELS: u64 = START + 0x4_0000;
const VERTICES: u64 = START + 0x5_0000;
const TABLE: u64 = START + 0x6_0000;

const SAMPLES: &str = "image_sample v[0:3], v[0:1], s[0:7], s[8:11] dmask:0xf\n s_waitcnt vmcnt(0)\n \
                       exp mrt0 v0, v1, v2, v3 done vm\n s_endpgm";
const COMPARES: &str = "image_sample_c v0, v[0:2], s[0:7], s[8:11] dmask:0x1\n s_waitcnt vmcnt(0)\n \
                        exp mrt0 v0, v0, v0, v0 done vm\n s_endpgm";
const FETCHES: &str = "buffer_load_format_xyzw v[4:7], v0, s[0:3], 0 idxen\n s_waitcnt vmcnt(0)\n \
                       exp pos0 v4, v5, v6, v7 done\n s_endpgm";
const READS: &str = "s_load_dwordx4 s[12:15], s[0:1], 0x4\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v0, s12\n \
                     v_mov_b32 v1, s13\n v_mov_b32 v2, s14\n v_mov_b32 v3, s2\n exp mrt0 v0, v1, v2, v3 done vm\n s_endpgm";
const STORES: &str = "image_sample_lz v[4:7], v[0:1], s[4:11], s[12:15] dmask:0xf\n s_waitcnt vmcnt(0)\n \
                      buffer_store_dword v4, v0, s[0:3], 0 idxen\n s_endpgm";

impl Rig {
    fn program(&mut self, at: u64, text: &str, lo: u32, rsrc: u32, data: u32, user: &[u32]) {
        let words = afterimage_shader_gcn::assemble(text).expect("a program");
        self.memory.write(CODE + at, bytemuck::cast_slice(&words)).expect("mapped memory");
        assert_eq!(self.registers.set_run(lo, &[((CODE + at) >> 8) as u32, 0]), None);
        assert_eq!(self.registers.set_run(rsrc, &[0xC0 << 12, (user.len() as u32) << 1]), None);
        assert_eq!(self.registers.set_run(data, user), None);
    }

    fn pixels(&mut self, text: &str, user: &[u32]) {
        let (lo, rsrc) = (reg::SPI_SHADER_PGM_LO_PS, reg::SPI_SHADER_PGM_LO_PS + 8);
        self.program(0x400, text, lo, rsrc, reg::SPI_SHADER_USER_DATA_PS_0, user);
    }

    fn vertices(&mut self, text: &str, user: &[u32]) {
        let (lo, rsrc) = (reg::SPI_SHADER_PGM_LO_VS, reg::SPI_SHADER_PGM_LO_VS + 8);
        self.program(0x800, text, lo, rsrc, reg::SPI_SHADER_USER_DATA_VS_0, user);
    }
}

fn texels() -> ImageDescriptor {
    let fields: &[(Bits, u32)] = &[
        (image::TYPE, SQ_RSRC_IMG_2D),
        (image::DATA_FORMAT, IMG_DATA_FORMAT_8_8_8_8),
        (image::WIDTH, 63),
        (image::HEIGHT, 63),
        (image::PITCH, 63),
        (image::TILING_INDEX, 8),
        (image::LAST_LEVEL, 3),
        (image::DST_SEL_X, 4),
        (image::DST_SEL_Y, 5),
        (image::DST_SEL_Z, 6),
        (image::DST_SEL_W, 7),
    ];
    fields.iter().fold(ImageDescriptor::default().at(TEXELS), |image, (field, value)| image.with(*field, *value))
}

fn floats() -> BufferDescriptor {
    let fields: &[(Bits, u32)] = &[
        (buffer::STRIDE, 16),
        (buffer::NUM_RECORDS, 3),
        (buffer::DST_SEL_X, 4),
        (buffer::DST_SEL_Y, 5),
        (buffer::DST_SEL_Z, 6),
        (buffer::DST_SEL_W, 7),
        (buffer::NUM_FORMAT, BUF_NUM_FORMAT_FLOAT),
        (buffer::DATA_FORMAT, BUF_DATA_FORMAT_32_32_32_32),
    ];
    fields.iter().fold(BufferDescriptor::default().at(VERTICES), |buffer, (field, value)| buffer.with(*field, *value))
}

fn plain() -> SamplerDescriptor {
    SamplerDescriptor::default().with(sampler::MAX_LOD, 0xFFF)
}

/// A draw that samples with an S#.
fn sampled(text: &str, sampler: SamplerDescriptor) -> Vec<Term> {
    let mut rig = Rig::new();
    rig.pixels(text, &[&texels().0[..], &sampler.0].concat());
    rig.draw()
}

#[test]
fn samplers_are_said_by_name_and_value() {
    let mut failures = Vec::new();
    let mut check = |text: &str, gates: &[(Bits, u32)], field: Bits, value: u32, expected: &str| {
        let sampler = gates.iter().fold(plain(), |sampler, (field, value)| sampler.with(*field, *value));
        let terms = sampled(text, sampler.with(field, value));
        failures.extend(missing(&terms, &format!("S#.{}", field.name), expected));
    };
    let linear: &[(Bits, u32)] = &[(sampler::XY_MAG_FILTER, 1), (sampler::XY_MIN_FILTER, 1), (sampler::MIP_FILTER, 1)];
    let anisotropic: &[(Bits, u32)] = &[(sampler::MAX_ANISO_RATIO, 2)];
    for (field, text, gates) in [
        (sampler::CLAMP_X, SAMPLES, linear),
        (sampler::CLAMP_Y, SAMPLES, linear),
        (sampler::CLAMP_Z, SAMPLES, linear),
        (sampler::XY_MAG_FILTER, SAMPLES, anisotropic),
        (sampler::XY_MIN_FILTER, SAMPLES, anisotropic),
        (sampler::XY_MAG_FILTER, SAMPLES, &[]),
        (sampler::XY_MIN_FILTER, SAMPLES, &[]),
        (sampler::MIP_FILTER, SAMPLES, linear),
        (sampler::DEPTH_COMPARE_FUNC, COMPARES, linear),
        (sampler::BORDER_COLOR_TYPE, SAMPLES, &[(sampler::CLAMP_X, SQ_TEX_CLAMP_BORDER)]),
    ] {
        for (value, name) in field.names.expect("names").rows {
            // The register's colour lies in a table in memory, which is not there.
            let name = if *name == "SQ_TEX_BORDER_COLOR_REGISTER" { "SQ_TEX_BORDER_COLOR_TRANS_BLACK" } else { name };
            check(text, gates, field, *value, name);
        }
    }
    for value in 0..2 {
        check(SAMPLES, &[], sampler::FORCE_DEGAMMA, value, &value.to_string());
    }
    for (value, expected) in [(0, "0 (blend)"), (1, "1 (minimum)"), (2, "2 (maximum)")] {
        check(SAMPLES, linear, sampler::FILTER_MODE, value, expected);
    }
    check(SAMPLES, linear, sampler::MIN_LOD, 0x80, "0x80");
    check(SAMPLES, linear, sampler::MAX_LOD, 0x280, "0x280");
    check(SAMPLES, linear, sampler::LOD_BIAS, 0x3F00, "0x3f00");
    let anisotropic: &[(Bits, u32)] = &[(sampler::XY_MAG_FILTER, 3), (sampler::XY_MIN_FILTER, 3)];
    (1..5).for_each(|ratio| check(SAMPLES, anisotropic, sampler::MAX_ANISO_RATIO, ratio, &ratio.to_string()));
    report(failures);
}

#[test]
fn images_and_where_they_come_from_are_said() {
    let terms = sampled(SAMPLES, plain());
    let expected = [
        ("T#", "surface at 0x1000040000"),
        ("T# user[0:7]", "slot 0"),
        ("T# user[0:7]", "TYPE SQ_RSRC_IMG_2D"),
        ("S# user[8:11]", "slot 0"),
        ("SPI_SHADER_PGM_LO_PS", "Shader#2"),
        ("SPI_SHADER_COL_FORMAT", "0x9"),
        ("SPI_SHADER_POS_FORMAT", "0x4"),
        ("SPI_SHADER_PGM_RSRC2_PS", "0x18"),
    ];
    report(expected.iter().filter_map(|(name, value)| missing(&terms, name, value)).collect());
}

#[test]
fn buffers_are_said_by_name_and_value() {
    let mut failures = Vec::new();
    let mut check = |descriptor: BufferDescriptor, expected: &str| {
        let mut rig = Rig::new();
        rig.vertices(FETCHES, &descriptor.0);
        failures.extend(missing(&rig.draw(), "V# user[0:3]", expected));
    };
    check(floats(), "BASE_ADDRESS 0x1000050000");
    check(floats(), "STRIDE 0x10");
    check(floats().with(buffer::STRIDE, 48), "STRIDE 0x30");
    check(floats().with(buffer::NUM_RECORDS, 5), "NUM_RECORDS 0x5");
    for (value, name) in buffer::DST_SEL_X.names.expect("names").rows.iter().filter(|(value, _)| *value > 0) {
        for field in [buffer::DST_SEL_X, buffer::DST_SEL_Y, buffer::DST_SEL_Z, buffer::DST_SEL_W] {
            check(floats().with(field, *value), &format!("{} {name}", field.name));
        }
    }
    let bytes = floats().with(buffer::DATA_FORMAT, BUF_DATA_FORMAT_8_8_8_8);
    for value in [BUF_NUM_FORMAT_SNORM, BUF_NUM_FORMAT_USCALED, BUF_NUM_FORMAT_SSCALED, BUF_NUM_FORMAT_UINT, 5] {
        let name = buffer::NUM_FORMAT.names.and_then(|names| names.rows.iter().find(|(number, _)| *number == value));
        check(bytes.with(buffer::NUM_FORMAT, value), name.expect("a name").1);
    }
    let integers = floats().with(buffer::NUM_FORMAT, BUF_NUM_FORMAT_UINT);
    for (value, name) in buffer::DATA_FORMAT.names.expect("names").rows {
        // No format is none, and these two are of floats.
        if !matches!(value, 0 | 6 | 7) {
            check(integers.with(buffer::DATA_FORMAT, *value), name);
        }
    }
    report(failures);
}

#[test]
fn attributes_of_fetch_shaders_are_said_with_their_layout() {
    const FETCH: &str = "s_load_dwordx4 s[8:11], s[2:3], 0x0\n s_load_dwordx4 s[12:15], s[2:3], 0x4\n s_waitcnt lgkmcnt(0)\n \
                         buffer_load_format_xyzw v[4:7], v0, s[8:11], 0 idxen\n \
                         buffer_load_format_xy v[8:9], v3, s[12:15], 0 idxen\n s_waitcnt 0x0\n s_setpc_b64 s[0:1]";
    let mut rig = Rig::new();
    let fetch = afterimage_shader_gcn::assemble(FETCH).expect("a program");
    rig.memory.write(CODE + 0x1000, bytemuck::cast_slice(&fetch)).expect("mapped memory");
    let instances = floats().with(buffer::STRIDE, 8).with(buffer::DATA_FORMAT, BUF_DATA_FORMAT_32_32);
    let table = [floats().0, instances.0].concat();
    rig.memory.write(TABLE, bytemuck::cast_slice(&table)).expect("mapped memory");
    let user = [CODE + 0x1000, TABLE].map(|address| [address as u32, (address >> 32) as u32]).concat();
    rig.vertices("s_swappc_b64 s[0:1], s[0:1]\n exp pos0 v4, v5, v8, v9 done\n s_endpgm", &user);
    let terms = rig.draw();
    let expected = [
        ("attribute v[4:7]", "s[2:3]+0x0 by vertex"),
        ("attribute v[4:7]", "STRIDE 0x10"),
        ("attribute v[4:7]", "DATA_FORMAT BUF_DATA_FORMAT_32_32_32_32"),
        ("attribute v[8:9]", "s[2:3]+0x4 by instance"),
        ("attribute v[8:9]", "STRIDE 0x8"),
        ("attribute v[8:9]", "DATA_FORMAT BUF_DATA_FORMAT_32_32"),
    ];
    report(expected.iter().filter_map(|(name, value)| missing(&terms, name, value)).collect());
}

#[test]
fn words_are_said_with_where_they_come_from() {
    let mut rig = Rig::new();
    let words = [1.5f32, -2.0, 0.25, 8.0].map(f32::to_bits);
    rig.memory.write(TABLE + 16, bytemuck::cast_slice(&words)).expect("mapped memory");
    rig.pixels(READS, &[TABLE as u32, (TABLE >> 32) as u32, 3.0f32.to_bits()]);
    let terms = rig.draw();
    let of_words: Vec<&Term> = terms.iter().filter(|term| term.host.starts_with("gcn pixel words")).collect();
    let [words] = of_words[..] else { panic!("{of_words:?}") };
    for (name, value) in [("[user[0:1] + 0x10] of 3", "1.5, -2.0, 0.25"), ("user[2]", "3.0")] {
        assert!(words.name.contains(name) && words.value.contains(value), "{words:?}");
    }
}

/// A dispatch of a program with a buffer, an image and a sampler.
fn dispatched() -> Vec<Term> {
    let mut rig = Rig::new();
    let user = [&floats().0[..], &texels().0, &plain().with(sampler::CLAMP_X, SQ_TEX_MIRROR).0].concat();
    rig.program(0xC00, STORES, reg::COMPUTE_PGM_LO, reg::COMPUTE_PGM_RSRC1, reg::COMPUTE_USER_DATA_0, &user);
    assert_eq!(rig.registers.set_run(reg::COMPUTE_NUM_THREAD_X, &[8, 4, 2]), None);
    let dispatch = Dispatch { first: [3, 2, 1], groups: [2, 1, 1], last: None, initiator: 1 };
    rig.graphics.dispatch(Queue::Graphics, &mut rig.registers, &mut rig.memory, &dispatch);
    rig.graphics.submit();
    rig.seen.dispatch_terms(Init::GNM)
}

/// What is said of a draw and of a dispatch.
pub(crate) fn draws_and_dispatches() -> Vec<Term> {
    [sampled(SAMPLES, plain()), dispatched()].concat()
}

#[test]
fn dispatches_have_terms_of_their_own() {
    let terms = dispatched();
    let expected = [
        ("COMPUTE_PGM_LO", "words of code"),
        ("COMPUTE_PGM_RSRC2", "0x20"),
        ("COMPUTE_NUM_THREAD_X", "0x8"),
        ("COMPUTE_NUM_THREAD_Y", "0x4"),
        ("COMPUTE_NUM_THREAD_Z", "0x2"),
        ("COMPUTE_START_X, Y, Z", "3, 2, 1"),
        ("V# user[0:3]", "BASE_ADDRESS 0x1000050000"),
        ("T# user[4:11]", "surface at 0x1000040000"),
        ("S# user[12:15]", "slot 0"),
        ("S#.CLAMP_X", "SQ_TEX_MIRROR"),
    ];
    report(expected.iter().filter_map(|(name, value)| missing(&terms, name, value)).collect());
    assert!(terms.iter().any(|term| term.host == "compute_textures[0].sampler.address[0]"), "{terms:?}");
    assert!(!terms.iter().any(|term| term.name.starts_with("CB_")), "of draws nothing is said");
}
