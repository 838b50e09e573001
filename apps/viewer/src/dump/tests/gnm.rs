//! GNM: BC1 to BC7 out of a console's memory, in lines and in tiles.

use super::*;
use afterimage_gnm::machine::{Draw, Graphics, Indices, Registers};
use afterimage_gnm::memory::{GuestMemory, Regions};
use afterimage_gnm::translate::Translator;
use afterimage_gnm_types::descriptors::{Bits, image, sampler};
use afterimage_gnm_types::{ImageDescriptor, SamplerDescriptor, reg, value::*};
use afterimage_texture::gnm::{Description, Layout, Pitch, Slices};
use ddsfile::DxgiFormat;

const START: u64 = 0x10_0000_0000;
const COLOR: u64 = START + 0x10_0000;
const TEXELS: u64 = START + 0x20_0000;

const VERTEX: &str = "exp pos0 v0, v0, v0, v0 done\n s_endpgm";
const PIXEL: &str = "image_sample v[0:3], v[0:1], s[0:7], s[8:11] dmask:0xf\n s_waitcnt vmcnt(0)\n \
                     exp mrt0 v0, v1, v2, v3 done vm\n s_endpgm";

/// Numbers of the T#, what the stream has, and what the file says.
const FORMATS: &[(u32, u32, Format, DxgiFormat)] = &[
    (IMG_DATA_FORMAT_BC1, IMG_NUM_FORMAT_UNORM, Format::BC1_RGBA_UNORM, DxgiFormat::BC1_UNorm),
    (IMG_DATA_FORMAT_BC2, IMG_NUM_FORMAT_UNORM, Format::BC2_UNORM, DxgiFormat::BC2_UNorm),
    (IMG_DATA_FORMAT_BC3, IMG_NUM_FORMAT_UNORM, Format::BC3_UNORM, DxgiFormat::BC3_UNorm),
    (IMG_DATA_FORMAT_BC4, IMG_NUM_FORMAT_UNORM, Format::BC4_UNORM, DxgiFormat::BC4_UNorm),
    (IMG_DATA_FORMAT_BC4, IMG_NUM_FORMAT_SNORM, Format::BC4_SNORM, DxgiFormat::BC4_SNorm),
    (IMG_DATA_FORMAT_BC5, IMG_NUM_FORMAT_UNORM, Format::BC5_UNORM, DxgiFormat::BC5_UNorm),
    (IMG_DATA_FORMAT_BC5, IMG_NUM_FORMAT_SNORM, Format::BC5_SNORM, DxgiFormat::BC5_SNorm),
    (IMG_DATA_FORMAT_BC6, IMG_NUM_FORMAT_UNORM, Format::BC6H_UFLOAT, DxgiFormat::BC6H_UF16),
    (IMG_DATA_FORMAT_BC6, IMG_NUM_FORMAT_SNORM, Format::BC6H_SFLOAT, DxgiFormat::BC6H_SF16),
    (IMG_DATA_FORMAT_BC7, IMG_NUM_FORMAT_UNORM, Format::BC7_UNORM, DxgiFormat::BC7_UNorm),
];

const SIZE: [u32; 2] = [512, 128];
const LEVELS: u32 = 3;

/// The texture in memory, in this tile mode.
fn surface(format: Format, tile_mode: u32) -> Vec<u8> {
    let bits = format.info().bytes * 8;
    let layout = Layout::new(&Description {
        block: 4,
        levels: LEVELS,
        pitch: SIZE[0],
        pow2_pad: true,
        ..Description::flat(tile_mode, bits, SIZE[0], SIZE[1])
    })
    .expect("a layout");
    let mut surface = vec![0; layout.bytes as usize];
    for level in 0..LEVELS {
        let rows = blocks(format, level, 0, SIZE);
        let line = format.row_bytes(SIZE[0] >> level) as usize;
        let pitch = Pitch { line, slice: rows.len() };
        layout.tile(&Slices::one(level, 0), &rows, pitch, &mut surface).expect("a level");
    }
    surface
}

/// A draw that samples it.
fn drawn(data: u32, number: u32, format: Format, tile_mode: u32) -> Arc<Mutex<Tape>> {
    let mut memory = Regions::default();
    memory.map(START, 0x40_0000).expect("a range of 48 bits");
    for (at, text) in [(0, VERTEX), (0x100, PIXEL)] {
        let words = afterimage_shader_gcn::assemble(text).expect("a program");
        memory.write(START + at, bytemuck::cast_slice(&words)).expect("mapped memory");
    }
    memory.write(TEXELS, &surface(format, tile_mode)).expect("mapped memory");
    let fields: &[(Bits, u32)] = &[
        (image::TYPE, SQ_RSRC_IMG_2D),
        (image::DATA_FORMAT, data),
        (image::NUM_FORMAT, number),
        (image::WIDTH, SIZE[0] - 1),
        (image::HEIGHT, SIZE[1] - 1),
        (image::PITCH, SIZE[0] - 1),
        (image::TILING_INDEX, tile_mode),
        (image::LAST_LEVEL, LEVELS - 1),
        (image::POW2_PAD, 1),
        (image::DST_SEL_X, 4),
        (image::DST_SEL_Y, 5),
        (image::DST_SEL_Z, 6),
        (image::DST_SEL_W, 7),
    ];
    let texels =
        fields.iter().fold(ImageDescriptor::default().at(TEXELS), |image, (field, to)| image.with(*field, *to));
    let sampler = SamplerDescriptor::default().with(sampler::MAX_LOD, 0xFFF).with(sampler::MIP_FILTER, 1);
    let user = [&texels.0[..], &sampler.0].concat();
    let (link, tape) = deck();
    let mut registers = Registers::new();
    let mut graphics = Translator::new(link, "test");
    let corner = 64 << 16 | 64;
    use reg::CB_COLOR0_INFO as I;
    for (register, values) in [
        (reg::SPI_SHADER_PGM_LO_VS, &[(START >> 8) as u32, 0, 0xC0 << 12, 0][..]),
        (reg::SPI_SHADER_PGM_LO_PS, &[((START + 0x100) >> 8) as u32, 0, 0xC0 << 12, (user.len() as u32) << 1]),
        (reg::SPI_SHADER_USER_DATA_PS_0, &user),
        (
            reg::CB_COLOR0_BASE,
            &[(COLOR >> 8) as u32, 7, 63, 0, I::FORMAT.bits(COLOR_8_8_8_8) | I::LINEAR_GENERAL.bits(1)],
        ),
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
        (reg::VGT_PRIMITIVE_TYPE, &[DI_PT_TRILIST]),
    ] {
        assert_eq!(registers.set_run(register, values), None);
    }
    let draw = Draw { indices: Indices::Auto, count: 3, instances: 1, number: 0, opaque: false };
    graphics.draw(&mut registers, &mut memory, &draw);
    graphics.submit();
    tape
}

#[test]
fn blocks_are_dumped_as_they_lie_behind_the_tiles() {
    // Every format in micro tiles; blocks of both sizes in lines and in macro tiles, too.
    for tile_mode in [13, 8, 14] {
        let both = [IMG_DATA_FORMAT_BC1, IMG_DATA_FORMAT_BC7];
        for &(data, number, format, said) in FORMATS.iter().filter(|row| tile_mode == 13 || both.contains(&row.0)) {
            let files = dumped(&drawn(data, number, format, tile_mode));
            for level in 0..LEVELS {
                let name = format!("{}_level{level}_v", format.info().name);
                let found = file(&files, &name, ".raw");
                assert!(found == blocks(format, level, 0, SIZE), "{format:?}, level {level}, tile mode {tile_mode}");
            }
            let all: Vec<u8> = (0..LEVELS).flat_map(|level| blocks(format, level, 0, SIZE)).collect();
            check_dds(file(&files, format.info().name, ".dds"), said, SIZE, LEVELS, &[all]);
        }
    }
}
