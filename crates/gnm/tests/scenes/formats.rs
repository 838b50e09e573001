//! Every data and number format: as textures that are looked at, and as targets whose bytes are.
//!
//! Bits of components are taken from the names of the formats, whose last number is the lowest component.

use crate::both;
use crate::draws::SCREEN;
use crate::rig::{Encoding, LINEAR, Pixel, Scene, texture};
use afterimage_gnm_types::descriptors::sampler;
use afterimage_gnm_types::{SamplerDescriptor, enums, reg, value::*};
use afterimage_stream::{Format, FormatFeatures};

/// Columns and lines of a texture or target.
const WIDTH: u32 = 64;
const HEIGHT: u32 = 8;

/// Bits of each component, the lowest first.
fn fields(data: u32) -> Vec<u32> {
    match data {
        IMG_DATA_FORMAT_GB_GR | IMG_DATA_FORMAT_BG_RG => vec![8, 8],
        IMG_DATA_FORMAT_5_9_9_9 => vec![9, 9, 9, 5],
        _ => {
            let name = enums::IMG_DATA_FORMAT.of(data).unwrap().trim_start_matches('X');
            name.split('_').rev().map(|bits| bits.parse().unwrap()).collect()
        }
    }
}

/// Data formats and the number formats that they go with, but for blocks.
fn pairs() -> Vec<(u32, u32)> {
    let plain = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, IMG_DATA_FORMAT_6_5_5];
    let unsigned = [
        IMG_DATA_FORMAT_5_6_5,
        IMG_DATA_FORMAT_1_5_5_5,
        IMG_DATA_FORMAT_5_5_5_1,
        IMG_DATA_FORMAT_4_4_4_4,
        IMG_DATA_FORMAT_4_4,
    ];
    let mut all: Vec<(u32, u32)> = plain.into_iter().flat_map(|data| (0..7).map(move |num| (data, num))).collect();
    all.extend(unsigned.into_iter().flat_map(|data| [0, 2, 4].map(|num| (data, num))));
    all.extend([1, 3, 10].map(|data| (data, IMG_NUM_FORMAT_SRGB)));
    all.extend([2, 4, 5, 6, 7, 11, 12, 14].map(|data| (data, IMG_NUM_FORMAT_FLOAT)));
    all.extend([IMG_DATA_FORMAT_8_24, IMG_DATA_FORMAT_24_8].into_iter().flat_map(|data| [(data, 0), (data, 4)]));
    all.sort_unstable();
    all
}

/// The bits that stand for a number, in double precision.
fn encode(num: u32, bits: u32, value: f64) -> u64 {
    let most = ((1u64 << bits) - 1) as f64;
    let half = ((1u64 << (bits - 1)) - 1) as f64;
    let mask = (1u64 << bits) - 1;
    let signed = |value: f64| (value.clamp(-half - 1.0, half) as i64) as u64 & mask;
    match num {
        IMG_NUM_FORMAT_UNORM => (value.clamp(0.0, 1.0) * most).round() as u64,
        IMG_NUM_FORMAT_SNORM => signed((value.clamp(-1.0, 1.0) * half).round()),
        IMG_NUM_FORMAT_USCALED | IMG_NUM_FORMAT_UINT => value.clamp(0.0, most) as u64,
        IMG_NUM_FORMAT_SSCALED | IMG_NUM_FORMAT_SINT => signed(value),
        IMG_NUM_FORMAT_SNORM_OGL => signed(((value * most - 1.0) / 2.0).round()),
        IMG_NUM_FORMAT_SRGB if value <= 0.003_130_8 => (value * 12.92 * most).round() as u64,
        IMG_NUM_FORMAT_SRGB => ((1.055 * value.powf(1.0 / 2.4) - 0.055) * most).round() as u64,
        IMG_NUM_FORMAT_FLOAT if bits == 32 => (value as f32).to_bits().into(),
        // A half, of which the shorter ones are the upper bits.
        _ if value == 0.0 => 0,
        _ => {
            let power = value.log2().floor();
            let mantissa = ((value / power.exp2() - 1.0) * 1024.0).round() as u64;
            let half = (((power as i64 + 15) as u64) << 10) + mantissa;
            if bits == 16 { half } else { half >> (15 - bits) }
        }
    }
}

/// Components put together.
fn pack(components: impl Iterator<Item = (u32, u64)>) -> u128 {
    let mut first = 0;
    components.fold(0, |texel, (bits, raw)| {
        let at = first;
        first += bits;
        texel | u128::from(raw) << at
    })
}

/// Red to blue of a gradient, and alpha.
fn gradient(x: u32, y: u32) -> [f64; 4] {
    let (x, y) = (f64::from(x) / f64::from(WIDTH - 1), f64::from(y) / f64::from(HEIGHT - 1));
    [x, y, 1.0 - x, 1.0]
}

/// What brings scaled numbers and integers of so many bits to 1.
fn scale(num: u32, bits: u32) -> f64 {
    match num {
        IMG_NUM_FORMAT_USCALED | IMG_NUM_FORMAT_UINT => ((1u64 << bits) - 1) as f64,
        IMG_NUM_FORMAT_SSCALED | IMG_NUM_FORMAT_SINT => ((1u64 << (bits - 1)) - 1) as f64,
        _ => 1.0,
    }
}

/// The gradient in a format.
fn texels(data: u32, num: u32) -> Vec<u8> {
    let fields = fields(data);
    let bytes = fields.iter().sum::<u32>() / 8;
    let places = (0..WIDTH * HEIGHT).map(|at| (at % WIDTH, at / WIDTH));
    let texel = |(x, y)| {
        let [red, green, blue, _] = gradient(x, y);
        let raw = |value: f64, bits: u32, num| encode(num, bits, value * scale(num, bits));
        let texel = match data {
            // Red and blue are those of the first texel of two.
            IMG_DATA_FORMAT_GB_GR | IMG_DATA_FORMAT_BG_RG => {
                let [even, ..] = gradient(x & !1, y);
                let mut both = [raw(if x % 2 == 0 { even } else { 1.0 - even }, 8, num), raw(green, 8, num)];
                if data == IMG_DATA_FORMAT_BG_RG {
                    both.reverse();
                }
                pack([8, 8].into_iter().zip(both))
            }
            IMG_DATA_FORMAT_5_9_9_9 => {
                let [red, green, blue] = [red, green, blue].map(|value| (value * 256.0).round() as u64);
                pack(fields.iter().copied().zip([red, green, blue, 16]))
            }
            _ => pack(fields.iter().zip(gradient(x, y)).zip(0..).map(|((bits, value), n)| {
                let num = if num == IMG_NUM_FORMAT_SRGB && n < 3 { IMG_NUM_FORMAT_UNORM } else { num };
                (*bits, raw(value, *bits, num))
            })),
        };
        texel.to_le_bytes().into_iter().take(bytes as usize)
    };
    places.flat_map(texel).collect()
}

/// Samples a texture whose T#, S# and factors lie in a table at s[0:1] with the first input; `{convert}` is done to the texel.
fn sample(convert: &str) -> String {
    let mut program = "
        s_mov_b32 m0, s16
        s_load_dwordx8 s[20:27], s[0:1], 0x0
        s_load_dwordx4 s[28:31], s[0:1], 0x8
        s_load_dwordx4 s[32:35], s[0:1], 0xc
        v_interp_p1_f32 v2, v0, attr0.x
        v_interp_p2_f32 v2, v1, attr0.x
        v_interp_p1_f32 v3, v0, attr0.y
        v_interp_p2_f32 v3, v1, attr0.y
        s_waitcnt lgkmcnt(0)
        image_sample v[4:7], v[2:3], s[20:27], s[28:31] dmask:0xf
        s_waitcnt vmcnt(0)\n"
        .to_string();
    for n in 4..8 {
        program += &format!("{convert} v{n}, v{n}\nv_mul_f32 v{n}, s{}, v{n}\n", 28 + n);
    }
    program + "exp mrt0 v4, v5, v6, v7 done vm\ns_endpgm"
}

/// Columns of strips.
const COLUMNS: u32 = 4;

/// What NVIDIA's devices lack.
fn no_small_targets() -> Vec<(Format, u32)> {
    let drawn = FormatFeatures::TARGET | FormatFeatures::BLEND;
    vec![(Format::B5G6R5_UNORM, drawn), (Format::R5G5B5A1_UNORM, drawn)]
}

/// All of every format that numbers of 32 bits can hold, but for that of the picture.
fn only_the_widest() -> Vec<(Format, u32)> {
    let is_wide = |format: &Format| format.info().name.starts_with("R32");
    let is_own = |format: &Format| {
        format.is_depth()
            || format.info().block > 1
            || matches!(*format, Format::R8G8B8A8_UNORM | Format::E5B9G9R9_UFLOAT)
    };
    let others = Format::ALL.iter().copied().filter(|format| !is_wide(format) && !is_own(format));
    others.map(|format| (format, u32::MAX)).collect()
}

#[test]
fn textures_of_every_format() {
    textures(&[]);
}

#[test]
fn textures_of_formats_that_the_device_lacks() {
    textures(&only_the_widest());
}

fn textures(lacks: &[(Format, u32)]) {
    let mut all = pairs();
    all.extend([0, 1, 4].into_iter().flat_map(|num| [(IMG_DATA_FORMAT_GB_GR, num), (IMG_DATA_FORMAT_BG_RG, num)]));
    all.push((IMG_DATA_FORMAT_5_9_9_9, IMG_NUM_FORMAT_FLOAT));
    let lines = (all.len() as u32).div_ceil(COLUMNS) * HEIGHT;
    both("formats", |scene| {
        scene.lacks = lacks.to_vec();
        let target = scene.target(COLUMNS * WIDTH, lines.next_multiple_of(8));
        scene.color(0, &target);
        scene.screen(target.width, target.height, 15);
        let vertex = scene.program(SCREEN);
        scene.vertex(vertex, 1, &[0]);
        let pixels = ["v_mov_b32", "v_cvt_f32_u32", "v_cvt_f32_i32"].map(|convert| scene.program(&sample(convert)));
        let nearest = SamplerDescriptor::default().with(sampler::MAX_LOD, 0xFFF);
        for (at, (data, num)) in (0..).zip(&all) {
            let texels = scene.texels(&texels(*data, *num));
            let image = texture(texels, [WIDTH, HEIGHT], *data, *num);
            let mut factors = [1f32; 4];
            for (factor, bits) in factors.iter_mut().zip(fields(*data)) {
                *factor = (1.0 / scale(*num, bits)) as f32;
            }
            if matches!(*data, IMG_DATA_FORMAT_GB_GR | IMG_DATA_FORMAT_BG_RG) {
                factors = [(1.0 / scale(*num, 8)) as f32; 4];
                factors[3] = 1.0;
            }
            let table: Vec<u32> = image.0.into_iter().chain(nearest.0).chain(factors.map(f32::to_bits)).collect();
            let table = scene.put(&table);
            let pixel = pixels[match *num {
                IMG_NUM_FORMAT_UINT => 1,
                IMG_NUM_FORMAT_SINT => 2,
                _ => 0,
            }];
            let (x, y) = (at % COLUMNS * WIDTH, at / COLUMNS * HEIGHT);
            let (half_width, half_height) = (WIDTH as f32 / 2.0, HEIGHT as f32 / 2.0);
            let viewport = [half_width, x as f32 + half_width, -half_height, y as f32 + half_height, 1.0, 0.0];
            scene.set_floats(reg::PA_CL_VPORT_XSCALE, &viewport);
            scene.pixel(pixel, Pixel::new(1), &[table as u32, (table >> 32) as u32]);
            scene.draw(DI_PT_TRISTRIP, 4);
        }
        target
    });
}

/// Puts out the words in s[0:3].
const PLAIN: &str = "
    v_mov_b32 v0, s0
    v_mov_b32 v1, s1
    v_mov_b32 v2, s2
    v_mov_b32 v3, s3
    exp mrt0 v0, v1, v2, v3 done vm
    s_endpgm
";

/// What is drawn: red to alpha, which no format rounds from the middle between two numbers.
fn drawn(num: u32) -> [f64; 4] {
    match num {
        IMG_NUM_FORMAT_SNORM => [-0.6, 0.4, -0.2, 0.8],
        IMG_NUM_FORMAT_USCALED | IMG_NUM_FORMAT_UINT => [3.0, 200.0, 1.0, 0.0],
        IMG_NUM_FORMAT_SSCALED | IMG_NUM_FORMAT_SINT => [-3.0, 2.0, -100.0, 1.0],
        IMG_NUM_FORMAT_FLOAT => [0.5, 2.0, 0.25, 1.0],
        _ => [1.0 / 3.0, 2.0 / 3.0, 1.0, 0.0],
    }
}

/// The channels in memory, the lowest first.
fn order(count: usize, swap: u32) -> &'static str {
    let orders = match count {
        1 => ["R", "G", "B", "A"],
        2 => ["RG", "RA", "GR", "AR"],
        3 => ["RGB", "RGA", "BGR", "AGR"],
        _ => ["RGBA", "BGRA", "ABGR", "ARGB"],
    };
    orders[swap as usize]
}

#[test]
fn targets_of_every_format_and_order() {
    targets(&[]);
}

#[test]
fn targets_of_formats_that_the_device_does_not_draw_to() {
    targets(&no_small_targets());
    targets(&only_the_widest());
}

/// Draws to the left half of a target of a data and number format and an order. The texel that it has there then.
fn draw_half(scene: &mut Scene, pixel: u64, [data, num, swap]: [u32; 3], address: u64) -> Vec<u8> {
    let fields = fields(data);
    let number = if num == IMG_NUM_FORMAT_SRGB { NUMBER_SRGB } else { num };
    use reg::CB_COLOR0_INFO as I;
    let info = I::FORMAT.bits(data) | I::NUMBER_TYPE.bits(number) | I::COMP_SWAP.bits(swap);
    let slice = WIDTH * HEIGHT / 64 - 1;
    scene.set(reg::CB_COLOR0_BASE, &[(address >> 8) as u32, WIDTH / 8 - 1, slice, 0, info, LINEAR]);
    scene.screen(WIDTH / 2, HEIGHT, 15);
    let colors = drawn(num).map(|value| value as f32);
    let words = colors.map(|color| match num {
        IMG_NUM_FORMAT_UINT => color as u32,
        IMG_NUM_FORMAT_SINT => color as i32 as u32,
        _ => color.to_bits(),
    });
    scene.pixel(pixel, Pixel { exports: 9, inputs: 0, values: 2 }, &words);
    scene.draw(DI_PT_TRISTRIP, 4);
    let channels = order(fields.len(), swap).chars().map(|channel| "RGBA".find(channel).unwrap());
    let texel = pack(fields.iter().zip(channels).map(|(bits, channel)| {
        let num = if num == IMG_NUM_FORMAT_SRGB && channel == 3 { IMG_NUM_FORMAT_UNORM } else { num };
        (*bits, encode(num, *bits, colors[channel].into()))
    }));
    texel.to_le_bytes()[..fields.iter().sum::<u32>() as usize / 8].to_vec()
}

/// Small targets are sampled as textures that are wider than what was drawn to, in whatever formats of the host they are.
#[test]
fn targets_that_the_device_does_not_draw_to_are_sampled() {
    for (encoding, lacks) in [Encoding::Standard, Encoding::Private]
        .into_iter()
        .flat_map(|encoding| [vec![], no_small_targets(), only_the_widest()].map(|lacks| (encoding, lacks)))
    {
        let mut scene = Scene::new(encoding);
        let lacking = lacks.len();
        scene.lacks = lacks;
        let (vertex, plain, sampled) =
            (scene.program(SCREEN), scene.program(PLAIN), scene.program(&sample("v_mov_b32")));
        scene.vertex(vertex, 1, &[0]);
        let mut expected = Vec::new();
        for swap in [SWAP_STD, SWAP_STD_REV] {
            let mut memory = texels(IMG_DATA_FORMAT_5_6_5, IMG_NUM_FORMAT_UNORM);
            let address = scene.texels(&memory);
            let texel = draw_half(&mut scene, plain, [COLOR_5_6_5, NUMBER_UNORM, swap], address);
            for at in (0..WIDTH * HEIGHT).filter(|at| at % WIDTH < WIDTH / 2) {
                memory[2 * at as usize..][..2].copy_from_slice(&texel);
            }
            let image = texture(address, [WIDTH, HEIGHT], IMG_DATA_FORMAT_5_6_5, IMG_NUM_FORMAT_UNORM);
            let nearest = SamplerDescriptor::default().with(sampler::MAX_LOD, 0xFFF);
            let table: Vec<u32> = image.0.into_iter().chain(nearest.0).chain([1f32.to_bits(); 4]).collect();
            let table = scene.put(&table);
            let target = scene.target(WIDTH, HEIGHT);
            scene.color(0, &target);
            scene.screen(WIDTH, HEIGHT, 15);
            scene.pixel(sampled, Pixel::new(1), &[table as u32, (table >> 32) as u32]);
            scene.draw(DI_PT_TRISTRIP, 4);
            // Drawn to once more, now that it is a texture too.
            draw_half(&mut scene, plain, [COLOR_5_6_5, NUMBER_UNORM, swap], address);
            expected.push((address, target, memory));
        }
        let mut ran = scene.run();
        for (address, target, memory) in expected {
            assert_eq!(ran.read(address, memory.len()), memory);
            let pixels = memory.as_chunks::<2>().0.iter().flat_map(|texel| {
                let texel = u32::from(u16::from_le_bytes(*texel));
                [(texel & 31) * 255 / 31, (texel >> 5 & 63) * 255 / 63, (texel >> 11) * 255 / 31, 255]
            });
            let picture = ran.picture(&target);
            let mut both = picture.iter().zip(pixels).enumerate();
            let wrong = both.find(|(_, (a, b))| u32::from(**a).abs_diff(*b) > 1);
            assert_eq!(wrong, None, "{encoding:?}, {lacking} formats less: a byte of the picture of {address:#x}");
        }
        ran.finish();
    }
}

fn targets(lacks: &[(Format, u32)]) {
    for encoding in [Encoding::Standard, Encoding::Private] {
        let mut scene = Scene::new(encoding);
        scene.lacks = lacks.to_vec();
        let (vertex, pixel) = (scene.program(SCREEN), scene.program(PLAIN));
        scene.vertex(vertex, 1, &[0]);
        let mut expected = Vec::new();
        let pairs = pairs().into_iter().filter(|(data, num)| *data <= COLOR_24_8 && *num != IMG_NUM_FORMAT_SNORM_OGL);
        for ((data, num), swap) in pairs.flat_map(|pair| (0..4).map(move |swap| (pair, swap))) {
            let bytes = fields(data).iter().sum::<u32>() / 8;
            // What was there: only columns of the left half are drawn to.
            let mut memory: Vec<u8> = (0..WIDTH * HEIGHT * bytes).map(|at| (at * 151 + at / 7 + data) as u8).collect();
            let address = scene.texels(&memory);
            let texel = draw_half(&mut scene, pixel, [data, num, swap], address);
            for at in (0..WIDTH * HEIGHT).filter(|at| at % WIDTH < WIDTH / 2) {
                memory[(at * bytes) as usize..][..bytes as usize].copy_from_slice(&texel);
            }
            expected.push(((data, num, swap), address, memory));
        }
        let mut ran = scene.run();
        let mut wrong = Vec::new();
        for (format, address, memory) in expected {
            let read = ran.read(address, memory.len());
            // The host encodes sRGB, to within a step.
            let most = u8::from(format.1 == IMG_NUM_FORMAT_SRGB);
            if let Some(at) = read.iter().zip(&memory).position(|(a, b)| a.abs_diff(*b) > most) {
                wrong.push(format!(
                    "{format:?}: byte {at:#x} is {:x?}, not {:x?}",
                    &read[at & !15..][..16],
                    &memory[at & !15..][..16]
                ));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        ran.finish();
    }
}
