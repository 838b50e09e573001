//! What the texels of every format are, by the names of the formats: components from the highest bit down, with their bits. A second
//! definition beside the table that the translation uses.

use afterimage_texture::nv2a::{Decode, TextureFormat};

/// How far a shown level may be from what is expected, for each of red, green, blue, alpha.
pub(super) type Expected = ([u8; 4], u8);

/// The component `name` of a texel of a format, of which `fields` says where components are: its value and bits.
fn component(fields: &[(char, u32, u32)], name: char, texel: u32) -> Option<(u32, u32)> {
    let (_, at, count) = *fields.iter().find(|(field, ..)| *field == name)?;
    Some((texel >> at & ((1 << count) - 1), count))
}

/// Letter, lowest bit and bits of each component of a name like `A1R5G5B5`.
fn fields(name: &str) -> Vec<(char, u32, u32)> {
    let mut fields: Vec<(char, u32)> = Vec::new();
    for letter in name.chars() {
        match letter.to_digit(10) {
            Some(digit) => {
                let (_, count) = fields.last_mut().expect("a component before its bits");
                *count = 10 * *count + digit;
            }
            None => fields.push((letter, 0)),
        }
    }
    // Components without a number share the bits of the next one (AY8).
    let mut at: u32 = 0;
    let mut out = Vec::new();
    let mut shared = (0, 0);
    for (letter, count) in fields.into_iter().rev() {
        if count == 0 {
            out.push((letter, shared.0, shared.1));
            continue;
        }
        shared = (at, count);
        out.push((letter, at, count));
        at += count;
    }
    out
}

/// A component's bits, over and over, down to eight.
fn widened((value, count): (u32, u32)) -> u32 {
    let mut bits = 0;
    for n in 0..8 {
        bits = bits << 1 | value >> (count - 1 - n % count) & 1;
    }
    bits
}

/// Where the name of a format says what its texels are.
pub(super) fn components(format: TextureFormat) -> &'static str {
    let name = format.info().name;
    let name =
        name.trim_start_matches("SZ_").trim_start_matches("LU_").trim_start_matches("LC_").trim_start_matches("IMAGE_");
    name.trim_start_matches("L_").trim_start_matches("I8_")
}

/// A texel that is neither in a block nor shares its word. `palette` is what an index stands for.
pub(super) fn plain(format: TextureFormat, texel: u32, palette: &[u32]) -> Expected {
    let name = components(format);
    match format.info().decode {
        Decode::Palette => {
            let [blue, green, red, alpha] = palette[texel as usize % palette.len()].to_le_bytes();
            return ([red, green, blue, alpha], 0);
        }
        Decode::YCbCr(_) => {
            let [y, cb, cr, alpha] = texel.to_le_bytes();
            return ([cr, y, cb, alpha], 0);
        }
        _ => {}
    }
    let fields = fields(name);
    let of = |name: char| {
        component(&fields, name, texel).map(|field| if field.1 > 8 { field.0 >> 8 } else { widened(field) } as u8)
    };
    // Levels of sixteen bits are rounded to eight when they are stored.
    let room = u8::from(fields.iter().any(|(_, _, count)| *count > 8));
    let color = match name {
        "Y16" => [255, of('Y').unwrap_or(0), of('Y').unwrap_or(0), 255],
        // Two components fill four.
        "G8B8" | "R8B8" | "R16B16" => {
            let (high, low) = (of(name.chars().next().unwrap_or('G')).unwrap_or(0), of('B').unwrap_or(0));
            if name == "G8B8" { [low, high, low, high] } else { [high, low, low, high] }
        }
        _ => {
            let gray = of('Y').unwrap_or(255);
            let [red, green, blue] = ['R', 'G', 'B'].map(|name| of(name).unwrap_or(gray));
            [red, green, blue, of('A').unwrap_or(255)]
        }
    };
    (color, room)
}

/// The texel of a Y'CbCr format whose two texels share a word of four bytes, before anything becomes RGB: red is Cr, green Y', blue Cb.
pub(super) fn shared(format: TextureFormat, word: u32, odd: bool) -> Expected {
    let byte = |at: u32| (word >> at) as u8;
    let six = |at: u32| widened((word >> at & 0x3F, 6)) as u8;
    let of = match components(format) {
        // Names are from the highest byte down, A being the left texel.
        "CR8YB8CB8YA8" => [byte(24), if odd { byte(16) } else { byte(0) }, byte(8), 255],
        "YB8CR8YA8CB8" => [byte(16), if odd { byte(24) } else { byte(8) }, byte(0), 255],
        _ => {
            let (luma, alpha) = if odd { (six(16), word >> 28) } else { (six(0), word >> 12 & 15) };
            [six(22), luma, six(6), widened((alpha, 4)) as u8]
        }
    };
    (of, 0)
}

/// BT.601 of a texel that [`shared`] or [`plain`] says, in levels.
pub(super) fn converted(([cr, y, cb, alpha], _): Expected) -> Expected {
    let (y, cb, cr) = (1.164_383 * (f32::from(y) - 16.0), f32::from(cb) - 128.0, f32::from(cr) - 128.0);
    let rgb = [y + 1.596_027 * cr, y - 0.391_762 * cb - 0.812_968 * cr, y + 2.017_232 * cb];
    let [red, green, blue] = rgb.map(|level| level.round().clamp(0.0, 255.0) as u8);
    ([red, green, blue, alpha], 4)
}

/// Texel `number` of a block of sixteen. The console makes DXT1's colours of fewer bits, dithered: they are off by up to half a step.
pub(super) fn in_block(format: TextureFormat, block: &[u8], number: usize) -> Expected {
    let bits = |at: usize, count: usize| {
        (0..count).map(|n| u32::from(block[(at + n) / 8] >> ((at + n) % 8) & 1) << n).sum::<u32>()
    };
    let is_dxt1 = components(format).starts_with("DXT1");
    let colors = if is_dxt1 { 0 } else { 64 };
    let ends = [bits(colors, 16), bits(colors + 16, 16)];
    let [first, second] = ends
        .map(|end| [(end >> 11, 5), (end >> 5 & 63, 6), (end & 31, 5)].map(|field| f32::from(widened(field) as u8)));
    let mix = |part: f32| std::array::from_fn::<u8, 3, _>(|i| (first[i] + (second[i] - first[i]) * part).round() as u8);
    let has_hole = is_dxt1 && ends[0] <= ends[1];
    let (rgb, is_hole) = match (bits(colors + 32 + 2 * number, 2), has_hole) {
        (0, _) => (mix(0.0), false),
        (1, _) => (mix(1.0), false),
        (2, true) => (mix(0.5), false),
        (2, false) => (mix(1.0 / 3.0), false),
        (_, true) => ([0; 3], true),
        (_, false) => (mix(2.0 / 3.0), false),
    };
    let alpha = match components(format) {
        name if name.starts_with("DXT1") => {
            if is_hole {
                0
            } else {
                255
            }
        }
        name if name.starts_with("DXT23") => widened((bits(4 * number, 4), 4)),
        _ => {
            let (first, second) = (bits(0, 8), bits(8, 8));
            let between = |part: u32, whole: u32| {
                (f64::from(first * (whole - part) + second * part) / f64::from(whole)).round() as u32
            };
            match (bits(16 + 3 * number, 3), first > second) {
                (0, _) => first,
                (1, _) => second,
                (code, true) => between(code - 1, 7),
                (6, false) => 0,
                (7, false) => 255,
                (code, false) => between(code - 1, 5),
            }
        }
    };
    let [red, green, blue] = rgb;
    let room = match (is_dxt1, is_hole) {
        (true, false) => 8,
        (true, true) => 0,
        _ => 1,
    };
    ([red, green, blue, alpha as u8], room)
}
