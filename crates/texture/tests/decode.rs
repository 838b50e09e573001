//! Textures decoded level by level are what one gets texel by texel.

use afterimage_texture::nv2a::{
    BORDER, ColorKey, Decode, HostFormat, KeyMode, Layout, Options, Signs, Texture, TextureFormat, decode,
};
use afterimage_texture::swizzle::Morton;
use proptest::prelude::*;

/// SET_TEXTURE_FORMAT.
fn word(format: TextureFormat, dimensions: u32, cube: bool, border: bool, levels: u32, log2: [u32; 3]) -> u32 {
    let flags = u32::from(cube) << 2 | u32::from(!border) << 3;
    log2[2] << 28 | log2[1] << 24 | log2[0] << 20 | levels << 16 | (format as u32) << 8 | dimensions << 4 | flags
}

/// The bytes of a texel of a level, found without any of the code that copies rows.
fn texel(texture: &Texture, face: u32, level: u32, memory: &[u8], [x, y, z]: [u32; 3]) -> (u32, u32) {
    let info = texture.format().info();
    let stored = texture.level(level).expect("a level");
    let (index, parity) = match info.decode {
        Decode::YCbCr(chroma) if chroma.texels_per_word() == 2 => (x / 2, x % 2),
        _ => (x, 0),
    };
    let bytes = if matches!(info.decode, Decode::YCbCr(_)) { 4 } else { info.bytes };
    let at = match info.layout {
        Layout::Linear => u64::from(y) * u64::from(texture.pitch()) + u64::from(index * bytes),
        _ => {
            let order = Morton::new(stored.size.map(u32::ilog2)).expect("a size that is supported");
            u64::from(order.index([x, y, z]) * bytes)
        }
    };
    let at = (texture.face_bytes() * u64::from(face) + stored.offset + at) as usize;
    let byte = |i: u32| memory.get(at + i as usize).map_or(0, |&byte| u32::from(byte));
    ((0..bytes).map(|i| byte(i) << (8 * i)).sum(), parity)
}

/// What a texel of a format that is not made of blocks must decode to.
fn expected(format: TextureFormat, raw: u32, parity: u32, options: &Options<'_>) -> Vec<u8> {
    let color = match format.info().decode {
        Decode::Color(_) => format.color(raw).expect("a colour"),
        Decode::Palette => options.palette[raw as usize % options.palette.len()],
        Decode::YCbCr(chroma) => chroma.texel(raw, parity == 1, options.convert_color_space),
        Decode::Depth(depth) => return depth.value(raw).to_le_bytes().to_vec(),
        Decode::Wide(fields) => {
            let signs = [options.signs.red, options.signs.green, options.signs.blue, options.signs.alpha];
            let of = |i: usize| (fields[i].to_16(raw) as u16).wrapping_add(if signs[i] { 0x8000 } else { 0 });
            return (0..4).flat_map(|i| of(i).to_le_bytes()).collect();
        }
        Decode::Block(_) => unreachable!("not a format of blocks"),
    };
    let color = match options.key {
        Some(key) if key.matches(format, raw) && key.mode == KeyMode::Alpha => color & 0x00FF_FFFF,
        Some(key) if key.matches(format, raw) && key.mode == KeyMode::Color => 0,
        _ => color,
    };
    if !options.signs.any() {
        return color.to_le_bytes().to_vec();
    }
    let component = |at: u32, signed: bool| {
        let byte = f64::from(color >> at & 0xFF);
        let value = if signed { (if byte > 127.0 { byte - 256.0 } else { byte }) / 128.0 } else { byte / 255.0 };
        (value * 32767.0).round() as i16
    };
    let signs = options.signs;
    [component(16, signs.red), component(8, signs.green), component(0, signs.blue), component(24, signs.alpha)]
        .iter()
        .flat_map(|component| component.to_le_bytes())
        .collect()
}

fn formats() -> impl Strategy<Value = TextureFormat> {
    let plain: Vec<_> =
        TextureFormat::ALL.iter().copied().filter(|format| format.info().layout != Layout::Blocks).collect();
    proptest::sample::select(plain)
}

#[derive(Debug)]
struct Case {
    texture: Texture,
    level: u32,
    face: u32,
    memory: Vec<u8>,
    palette: Vec<u32>,
    signs: Signs,
    key: Option<ColorKey>,
    convert: bool,
}

fn cases() -> impl Strategy<Value = Case> {
    let shape = (formats(), 1..4_u32, any::<[bool; 2]>(), [0..5_u32, 0..5_u32, 0..4_u32], 1..6_u32, 0..6_u32);
    let rest = (any::<u64>(), any::<u32>(), 0..40_u32, any::<Option<[bool; 4]>>(), 0..4_u32, 0..4_usize, any::<bool>());
    (shape, rest).prop_map(|((format, dimensions, [cube, border], mut log2, levels, face), rest)| {
        let (seed, rectangle, gap, signs, key, cut, convert) = rest;
        let linear = format.info().layout == Layout::Linear;
        let cube = cube && dimensions == 2 && !linear;
        if cube {
            log2[1] = log2[0];
        }
        let dimensions = if linear { 2 } else { dimensions };
        let (width, height) = (rectangle % 37, rectangle / 64 % 23);
        let pitch = width * format.info().bytes + gap;
        let register = word(format, dimensions, cube, border, levels, log2);
        let texture = Texture::from_registers(register, pitch << 16, width << 16 | height).expect("small");
        let length = texture.bytes() as usize * (4 - cut.min(1)) / 4;
        let memory: Vec<u8> = (0..length as u64)
            .map(|i| (seed.wrapping_mul(i / 3 + 1).rotate_left(17) >> 40) as u8 & (seed >> (i % 7 * 8)) as u8)
            .collect();
        let palette = (0..32 << (seed % 4)).map(|i| (seed as u32).wrapping_mul(i + 1)).collect();
        let signs = signs.map_or(Signs::default(), |[alpha, red, green, blue]| Signs { alpha, red, green, blue });
        let key = memory
            .first_chunk()
            .map(|first| ColorKey { key: u32::from_le_bytes(*first), mode: KeyMode::from_control0(key) });
        let (level, face) = (levels % texture.levels(), face % texture.faces());
        Case { texture, level, face, memory, palette, signs, key, convert }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn levels_are_as_texel_by_texel(case in cases()) {
        let Case { texture, level, face, memory, palette, signs, key, convert } = case;
        let options = Options { palette: &palette, signs, key, convert_color_space: convert };
        let mut out = vec![0xEE; 7];
        let image = decode(&texture, face, level, &memory, &options, &mut out).expect("a level");
        prop_assert_eq!(image.format, HostFormat::of(texture.format(), signs));
        prop_assert_eq!(image.size, texture.level(level).expect("a level").size);
        let mut texels = out.chunks_exact(image.format.bytes() as usize);
        for z in 0..image.size[2] {
            for y in 0..image.size[1] {
                for x in 0..image.size[0] {
                    let (raw, parity) = texel(&texture, face, level, &memory, [x, y, z]);
                    let expected = expected(texture.format(), raw, parity, &options);
                    prop_assert_eq!(texels.next(), Some(&expected[..]), "{} {} {}, texel {:#x}", x, y, z, raw);
                }
            }
        }
        prop_assert!(texels.next().is_none());
    }

    #[test]
    fn registers_of_any_value_do_no_harm(words in any::<[u32; 4]>(), small in any::<bool>(), memory in any::<Vec<u8>>()) {
        // Half of the cases with codes that exist and sides that are not too long.
        let format = if small {
            let code = TextureFormat::ALL[words[3] as usize % TextureFormat::ALL.len()] as u32;
            words[0] & 0x377F_00FF & !0x40 | code << 8
        } else {
            words[0]
        };
        let rectangle = if small { words[2] & 0x007F_007F } else { words[2] };
        if let Ok(texture) = Texture::from_registers(format, words[1], rectangle) {
            let mut out = Vec::new();
            let options = Options { signs: Signs::from_filter(words[3]), ..Options::default() };
            if texture.level(0).is_ok_and(|level| level.bytes <= 1 << 20) {
                for face in 0..=texture.faces() {
                    for level in 0..=texture.levels() {
                        let exists = face < texture.faces() && level < texture.levels();
                        prop_assert_eq!(decode(&texture, face, level, &memory, &options, &mut out).is_ok(), exists);
                    }
                }
            }
        }
    }
}

#[test]
fn blocks_go_to_their_places() {
    // Each block is one colour without alpha: its number in red of five bits, the rest black.
    let format = TextureFormat::L_DXT23_A8R8G8B8;
    let register = word(format, 2, false, false, 3, [3, 2, 0]);
    let texture = Texture::from_registers(register, 0, 0).expect("a texture");
    let memory: Vec<u8> = (0..4_u16)
        .flat_map(|number| {
            let mut block = [0xFF; 16];
            block[8..10].copy_from_slice(&(number << 11).to_le_bytes());
            block[10..].fill(0);
            block
        })
        .collect();
    let mut out = Vec::new();
    let mut reds = |level| {
        let image = decode(&texture, 0, level, &memory, &Options::default(), &mut out).expect("a level");
        (image.size, out.chunks_exact(4).map(|texel| texel[2] >> 3).collect::<Vec<_>>())
    };
    let row = [0, 0, 0, 0, 1, 1, 1, 1];
    assert_eq!(reds(0), ([8, 4, 1], [row; 4].concat()));
    assert_eq!(reds(1), ([4, 2, 1], vec![2; 8]));
    assert_eq!(reds(2), ([2, 1, 1], vec![3; 2]));
}

#[test]
fn slices_of_blocks_lie_by_four() {
    let format = TextureFormat::L_DXT23_A8R8G8B8;
    let texture = Texture::from_registers(word(format, 3, false, false, 1, [3, 2, 3]), 0, 0).expect("a texture");
    let memory: Vec<u8> = (0..16_u16)
        .flat_map(|number| {
            let mut block = [0; 16];
            block[8..10].copy_from_slice(&(number << 11).to_le_bytes());
            block
        })
        .collect();
    let mut out = Vec::new();
    decode(&texture, 0, 0, &memory, &Options::default(), &mut out).expect("a level");
    let at = |x: usize, z: usize| out[((z * 4) * 8 + x) * 4 + 2] >> 3;
    let slices: Vec<_> = (0..8).map(|z| (at(0, z), at(4, z))).collect();
    assert_eq!(slices, [(0, 4), (1, 5), (2, 6), (3, 7), (8, 12), (9, 13), (10, 14), (11, 15)]);
}

#[test]
fn a_stored_border_is_part_of_the_image() {
    let format = TextureFormat::SZ_A8R8G8B8;
    let texture = Texture::from_registers(word(format, 2, false, true, 1, [3, 1, 0]), 0, 0).expect("a texture");
    assert!(texture.has_stored_border());
    let order = Morton::new([4, 4, 0]).expect("small");
    let mut memory = vec![0; 16 * 16 * 4];
    let first = order.index([BORDER, BORDER, 0]) as usize * 4;
    memory[first..first + 4].copy_from_slice(&0x1234_5678_u32.to_le_bytes());
    let mut out = Vec::new();
    let image = decode(&texture, 0, 0, &memory, &Options::default(), &mut out).expect("a level");
    assert_eq!(image.size, [16, 16, 1]);
    let texels: Vec<_> = out.chunks_exact(4).map(|t| u32::from_le_bytes([t[0], t[1], t[2], t[3]])).collect();
    assert_eq!(texels.iter().position(|&texel| texel == 0x1234_5678), Some(4 * 16 + 4));
}
