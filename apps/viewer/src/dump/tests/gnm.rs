//! GNM: BC1 to BC7 out of a console's memory, in lines and in tiles.

use super::guests::gnm::{START, triangles};
use super::*;
use afterimage_gnm::machine::{Draw, Graphics, Indices};
use afterimage_gnm::memory::GuestMemory;
use afterimage_gnm::translate::Translator;
use afterimage_gnm_types::descriptors::{Bits, image, sampler};
use afterimage_gnm_types::{ImageDescriptor, SamplerDescriptor, value::*};
use afterimage_texture::gnm::{Description, Layout, Pitch, Slices};
use ddsfile::DxgiFormat;

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
fn drawn(data: u32, number: u32, format: Format, tile_mode: u32) -> Arc<Mutex<Recording>> {
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
    let (mut registers, mut memory) = triangles([VERTEX, PIXEL], &user);
    memory.write(TEXELS, &surface(format, tile_mode)).expect("mapped memory");
    let (link, sent) = link();
    let mut graphics = Translator::new(link, "test");
    let draw = Draw { indices: Indices::Auto, count: 3, instances: 1, number: 0, opaque: false };
    graphics.draw(&mut registers, &mut memory, &draw);
    graphics.submit();
    sent
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
