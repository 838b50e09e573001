//! NV2A textures and surfaces of any registers, and tiled surfaces of the PlayStation 4 of any description, in any memory. What
//! fits must decode, and what is stored must load again.
#![no_main]

use afterimage_fuzz::Input;
use afterimage_texture::gnm::{Description, Layout, Pitch, Slices};
use afterimage_texture::nv2a::{
    ColorFormat, ColorKey, KeyMode, Options, Signs, Surface, Texture, TextureFormat, decode,
};
use afterimage_texture::swizzle::Region;

/// Larger levels are skipped, since they only take time.
const MAX_BYTES: u64 = 1 << 16;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    match input.byte() % 3 {
        0 => texture(input),
        1 => surface(input),
        _ => tiles(input),
    }
});

fn texture(mut input: Input<'_>) {
    let code = TextureFormat::ALL[usize::from(input.byte()) % TextureFormat::ALL.len()] as u32;
    // The code's upper bit stays as it came, so that some codes are none.
    let format = input.value::<u32>() & !0x7F00 | code << 8;
    let [control1, rectangle, filter]: [u32; 3] = input.value();
    let palette: [u32; 40] = input.value();
    let key = ColorKey { key: input.value(), mode: KeyMode::from_control0(control1) };
    let options = Options {
        palette: &palette[..usize::from(input.byte()) % 41],
        signs: Signs::from_filter(filter),
        key: (filter & 1 == 1).then_some(key),
        convert_color_space: filter & 2 != 0,
    };
    let Ok(texture) = Texture::from_registers(format, control1, rectangle) else { return };
    let memory = input.rest();
    let mut out = Vec::new();
    for face in [0, texture.faces() - 1] {
        for level in 0..texture.levels() {
            if texture.level(level).expect("a level").bytes <= MAX_BYTES {
                let image = decode(&texture, face, level, memory, &options, &mut out).expect("it exists");
                let texels: u32 = image.size.iter().product();
                assert_eq!(out.len() as u64, u64::from(texels) * u64::from(image.format.bytes()));
            }
        }
    }
}

fn surface(mut input: Input<'_>) {
    let [width, height, x, y, rectangle_width, rectangle_height]: [u8; 6] = input.value();
    let Ok(format) = ColorFormat::from_code(u32::from(input.byte() % 16)) else { return };
    let swizzled = input.byte() & 1 == 1;
    let (pitch, host_pitch): (u16, u16) = (input.value(), input.value());
    let surface = if swizzled {
        Surface::swizzled(format.bytes(), u32::from(width % 16), u32::from(height % 16))
    } else {
        Surface::by_pitch(format.bytes(), width.into(), height.into(), pitch.into())
    };
    let Ok(surface) = surface else { return };
    let region = Region::rectangle(x.into(), y.into(), rectangle_width.into(), rectangle_height.into());
    let colors = input.rest();
    let mut memory = vec![0; surface.plane().span().min(MAX_BYTES) as usize];
    let stored = surface.store(format, colors, host_pitch.into(), &mut memory, region).is_ok();
    let mut again = colors.to_vec();
    let loaded = surface.load(format, &memory, region, &mut again, host_pitch.into()).is_ok();
    assert_eq!(stored, loaded);
    // Rows that do not overlap come back as the format keeps them.
    if stored && !region.is_empty() && (swizzled || u32::from(pitch) >= region.size[0] * format.bytes()) {
        let row = |bytes: &[u8]| {
            let color = |c: &[u8]| format.encode(u32::from_le_bytes([c[0], c[1], c[2], c[3]]));
            bytes[..region.size[0] as usize * 4].chunks_exact(4).map(color).collect::<Vec<_>>()
        };
        assert_eq!(row(colors), row(&again));
    }
}

fn tiles(mut input: Input<'_>) {
    let [tile_mode, bits, shape, level, slice]: [u8; 5] = input.value();
    let [width, height]: [u16; 2] = input.value();
    let [depth, layers, levels, pitch]: [u8; 4] = input.value();
    let description = Description {
        tile_mode: (tile_mode % 33).into(),
        bits: 8 << (bits % 6),
        block: if shape & 1 == 0 { 1 } else { 4 },
        width: (width % 300).into(),
        height: (height % 80).into(),
        depth: (depth % 12).into(),
        layers: (layers % 8).into(),
        levels: (levels % 10).into(),
        samples: 1 << (shape >> 4 & 3),
        pitch: u32::from(pitch) * 8,
        pow2_pad: shape & 2 != 0,
        bank_swizzle: (shape >> 4).into(),
    };
    let Ok(layout) = Layout::new(&description) else { return };
    let part = Slices { sample: u32::from(shape >> 2 & 3), ..Slices::one((level % 8).into(), (slice % 8).into()) };
    let Ok(&size) = layout.level_at(part.level) else { return };
    if layout.bytes > MAX_BYTES * 64 {
        return;
    }
    let line = (size.width * layout.element) as usize;
    let pitch = Pitch { line, slice: line * size.height as usize };
    let mut surface: Vec<u8> = input.rest().iter().copied().cycle().take(layout.bytes as usize).collect();
    surface.resize(layout.bytes as usize, 1);
    let (mut rows, mut again) = (vec![0; pitch.slice], vec![0; pitch.slice]);
    if layout.detile(&part, &surface, &mut rows, pitch).is_ok() {
        let before = surface.clone();
        layout.tile(&part, &rows, pitch, &mut surface).expect("as it was read");
        assert_eq!(surface, before);
        rows.reverse();
        layout.tile(&part, &rows, pitch, &mut surface).expect("as it was read");
        layout.detile(&part, &surface, &mut again, pitch).expect("as it was read");
        assert_eq!(rows, again);
    }
}
