//! Every pair of a data format and a number format, against an independent reading of its name.

use super::super::formats;
use super::*;
use afterimage_gnm_types::enums;
use afterimage_stream::{DeviceInfo, FormatFeatures};

/// Bytes that have no order.
struct Random(u64);

impl Random {
    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let byte = |_| {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 56) as u8
        };
        (0..count).map(byte).collect()
    }
}

/// First bit and bits of each component, of a name such as `2_10_10_10`: its last number is the lowest component.
fn fields(name: &str) -> Option<Vec<(u32, u32)>> {
    let name = name.strip_prefix('X').unwrap_or(name);
    let mut fields = Vec::new();
    let mut first = 0;
    for bits in name.split('_').rev() {
        let bits = bits.parse().ok()?;
        fields.push((first, bits));
        first += bits;
    }
    Some(fields)
}

/// A number of floating point: bits of the exponent and the mantissa, exponents as in a half or single.
fn float(raw: u64, exponent: u32, mantissa: u32, signed: bool) -> f64 {
    let fraction = (raw & ((1 << mantissa) - 1)) as f64 / f64::from(1u32 << mantissa);
    let power = (raw >> mantissa & ((1 << exponent) - 1)) as i32;
    let bias = (1 << (exponent - 1)) - 1;
    let sign = if signed && raw >> (exponent + mantissa) & 1 != 0 { -1.0 } else { 1.0 };
    sign * match power {
        0 => fraction * f64::from(2 - bias - 1).exp2(),
        _ if power == (1 << exponent) - 1 => {
            if fraction == 0.0 {
                f64::INFINITY
            } else {
                f64::NAN
            }
        }
        _ => (1.0 + fraction) * f64::from(power - bias).exp2(),
    }
}

/// What a component is by the manual's equations, in numbers that have room to spare.
fn expected(num: u32, raw: u64, bits: u32) -> f64 {
    let most = ((1u64 << bits) - 1) as f64;
    let half = ((1u64 << (bits - 1)) - 1) as f64;
    let signed = if raw >> (bits - 1) != 0 { raw as f64 - most - 1.0 } else { raw as f64 };
    match num {
        IMG_NUM_FORMAT_UNORM => raw as f64 / most,
        IMG_NUM_FORMAT_SNORM => (signed / half).max(-1.0),
        IMG_NUM_FORMAT_SNORM_OGL => (2.0 * signed + 1.0) / most,
        IMG_NUM_FORMAT_USCALED | IMG_NUM_FORMAT_UINT => raw as f64,
        IMG_NUM_FORMAT_SSCALED | IMG_NUM_FORMAT_SINT => signed,
        IMG_NUM_FORMAT_FLOAT => match bits {
            10 => float(raw, 5, 5, false),
            11 => float(raw, 5, 6, false),
            16 => float(raw, 5, 10, true),
            _ => float(raw, 8, 23, true),
        },
        IMG_NUM_FORMAT_SRGB => {
            let encoded = raw as f64 / most;
            if encoded <= 0.04045 { encoded / 12.92 } else { ((encoded + 0.055) / 1.055).powf(2.4) }
        }
        _ => unreachable!("refused"),
    }
}

/// What the host says that a channel of one of its formats holds, with sRGB decoded or not.
fn held(format: Format, texel: &[u8], channel: usize, srgb: bool) -> f64 {
    let name = format.info().name;
    if let [letters, "UNORM"] = name.split('_').collect::<Vec<_>>()[..]
        && ["R5G6B5", "A1R5G5B5", "A2B10G10R10"].contains(&letters)
    {
        // Bits of packed formats are named from the highest.
        let word = texel.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        let mut first = 8 * format.info().bytes;
        let mut rest = letters;
        while let Some(letter) = rest.chars().next() {
            let end = rest[1..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |at| at + 1);
            let bits: u32 = rest[1..end].parse().unwrap();
            first -= bits;
            if "RGBA".find(letter) == Some(channel) {
                return expected(IMG_NUM_FORMAT_UNORM, word >> first & ((1 << bits) - 1), bits);
            }
            rest = &rest[end..];
        }
        return 1.0;
    }
    let count = name.split('_').next().unwrap_or("").bytes().filter(u8::is_ascii_alphabetic).count();
    if channel >= count {
        return if channel == 3 { 1.0 } else { 0.0 };
    }
    let bytes = texel.len() / count;
    let raw = texel[channel * bytes..][..bytes].iter().rev().fold(0, |raw, byte| raw << 8 | u64::from(*byte));
    let num = match name.rsplit('_').next() {
        Some("UNORM") if srgb && channel < 3 => IMG_NUM_FORMAT_SRGB,
        Some("UNORM") => IMG_NUM_FORMAT_UNORM,
        Some("SNORM") => IMG_NUM_FORMAT_SNORM,
        Some("UINT") => IMG_NUM_FORMAT_UINT,
        Some("SINT") => IMG_NUM_FORMAT_SINT,
        _ => IMG_NUM_FORMAT_FLOAT,
    };
    expected(num, raw, 8 * bytes as u32)
}

fn equal(a: f64, b: f64) -> bool {
    a.is_nan() && b.is_nan() || a == b || (a - b).abs() <= a.abs().max(b.abs()) * 2e-7
}

/// Conversions of every pair of formats, as sampled images, storage images and targets in every order, of devices that can do
/// everything and of those that can only with the widest formats.
fn conversions() -> Vec<(u32, u32, formats::HostFormat)> {
    let mut all = Vec::new();
    for data in 0..64 {
        for num in 0..16 {
            all.extend(
                [formats::image(data, num), formats::storage(data, num)]
                    .into_iter()
                    .flatten()
                    .map(|host| (data, num, host)),
            );
            let number = if num == IMG_NUM_FORMAT_SRGB { NUMBER_SRGB } else { num };
            if num != IMG_NUM_FORMAT_SNORM_OGL && num < 10 && num != 8 {
                let targets = (0..4).filter_map(|swap| formats::color(data, number, swap).ok());
                all.extend(targets.map(|host| (data, num, host)));
            }
        }
    }
    use Format as F;
    let mut least = DeviceInfo::default();
    for wide in
        [F::R32_SFLOAT, F::R32G32_SFLOAT, F::R32G32B32A32_SFLOAT, F::R32_UINT, F::R32G32_UINT, F::R32G32B32A32_UINT]
    {
        least.formats[wide as usize] = u32::MAX;
    }
    let target = FormatFeatures::TARGET | FormatFeatures::BLEND;
    let mut packed = least;
    for format in [F::R5G6B5_UNORM, F::A1R5G5B5_UNORM, F::A2B10G10R10_UNORM] {
        packed.formats[format as usize] = target;
    }
    for device in [least, packed] {
        let others =
            all.clone().into_iter().map(|(data, num, host)| (data, num, host.on(&device, formats::Use::Target)));
        let others: Vec<_> = others.filter(|other| !all.contains(other)).collect();
        all.extend(others);
    }
    all
}

#[test]
fn every_pair_is_a_format_of_the_host_or_converted_or_refused_with_the_reason() {
    let mut counts = [0; 3];
    for (data, num) in (0..64).flat_map(|data| (0..16).map(move |num| (data, num))) {
        match formats::image(data, num) {
            Ok(host) if host.convert.is_none() => counts[0] += 1,
            Ok(_) => counts[1] += 1,
            Err(why) => {
                counts[2] += 1;
                let named = format!("data format {data} ({})", enums::IMG_DATA_FORMAT.of(data).unwrap_or("?"));
                assert!(why.starts_with(&named) && why.contains("): "), "{why}");
            }
        }
    }
    // 54 rows, five of them in sRGB too.
    assert_eq!(counts, [59, 94, 871]);
}

#[test]
fn converted_texels_hold_the_same_numbers() {
    let mut random = Random(7);
    for (data, num, host) in conversions() {
        let Some(convert) = host.convert.filter(Conversion::can_store) else { continue };
        let name = enums::IMG_DATA_FORMAT.of(data).unwrap();
        let mut fields = fields(name).unwrap();
        if data == IMG_DATA_FORMAT_X24_8_32 {
            fields.truncate(if num == IMG_NUM_FORMAT_FLOAT { 1 } else { 2 });
        }
        let bytes = host.element as usize;
        let texels = random.bytes(bytes * 64);
        let converted = convert.decode(64, &texels);
        assert_eq!(converted.len(), 64 * host.format.info().bytes as usize, "{name} {num}");
        for (texel, converted) in texels.chunks_exact(bytes).zip(converted.chunks_exact(converted.len() / 64)) {
            let word = texel.iter().rev().fold(0u128, |word, byte| word << 8 | u128::from(*byte));
            let mut rest: Vec<usize> = (0..4).collect();
            for ((first, bits), channel) in fields.iter().zip(convert.channels) {
                let raw = (word >> first) as u64 & ((1 << bits) - 1);
                let is_alpha = num == IMG_NUM_FORMAT_SRGB && channel == 3;
                let want = expected(if is_alpha { IMG_NUM_FORMAT_UNORM } else { num }, raw, *bits);
                let got = held(host.format, converted, channel.into(), host.srgb);
                assert!(equal(want, got), "{name} {num} in {:?}: {want} {got}", host.format);
                rest.retain(|other| *other != usize::from(channel));
            }
            for channel in rest {
                let nothing = if channel == 3 { 1.0 } else { 0.0 };
                assert_eq!(held(host.format, converted, channel, host.srgb), nothing, "{name} {num}");
            }
        }
    }
}

#[test]
fn texels_come_back_as_they_went() {
    let mut random = Random(7);
    for (data, num, host) in conversions() {
        let Some(convert) = host.convert.filter(Conversion::can_store) else { continue };
        let bytes = host.element as usize;
        let texels = random.bytes(bytes * 64);
        let converted = convert.decode(64, &texels);
        let mut same = texels.clone();
        convert.encode(&converted, &mut same);
        assert_eq!(same, texels, "{data} {num}: nothing was drawn");
        // Over other texels: what they stand for is the same, though -1 has two patterns and numbers of 32 bits are rounded.
        let mut over = random.bytes(bytes * 64);
        convert.encode(&converted, &mut over);
        let again = convert.decode(64, &over);
        let channels = host.format.info().bytes as usize;
        for (at, (a, b)) in converted.chunks_exact(channels).zip(again.chunks_exact(channels)).enumerate() {
            for channel in 0..4 {
                let (a, b) = (held(host.format, a, channel, false), held(host.format, b, channel, false));
                let name = enums::IMG_DATA_FORMAT.of(data).unwrap();
                assert!(equal(a, b), "{name} {num}, texel {at}, channel {channel}: {a} {b}");
            }
        }
    }
}

#[test]
fn numbers_round_to_the_nearest_and_do_not_wrap() {
    assert_eq!([-1.0, 0.5, 2.0, f32::NAN].map(|value| Number::Unorm.encode(value, 10)), [0, 512, 1023, 0]);
    assert_eq!([-2.0, -1.0, 0.0, 9.0].map(|value| Number::Snorm.encode(value, 2)), [3, 3, 0, 1]);
    assert_eq!([-600.0, -512.9, 511.9, 1e9].map(|value| Number::Sscaled.encode(value, 10)), [512, 512, 511, 511]);
    assert_eq!([-1.0, 3.9, 4e9].map(|value| Number::Uscaled.encode(value, 11)), [0, 3, 2047]);
    assert_eq!([-1.0, 1.0].map(|value| Number::SnormOgl.encode(value, 8)), [0x80, 0x7F]);
    assert_eq!([1.0, -1.0, f32::INFINITY].map(|value| Number::Float.encode(value, 11)), [15 << 6, 0, 31 << 6]);
    assert_eq!([0.0, 0.5, 1.0].map(|value| Number::Srgb.encode(value, 8)), [0, 188, 255]);
    assert_eq!(Number::Unorm.encode(1.0, 32), u32::MAX);
}

#[test]
fn pairs_share_red_and_blue() {
    let line = [10, 1, 20, 2, 30, 3];
    let first = formats::image(IMG_DATA_FORMAT_GB_GR, IMG_NUM_FORMAT_UNORM).unwrap().convert.unwrap();
    let second = formats::image(IMG_DATA_FORMAT_BG_RG, IMG_NUM_FORMAT_UNORM).unwrap().convert.unwrap();
    let expected = [10, 1, 20, 255, 10, 2, 20, 255, 30, 3, 0, 255];
    assert_eq!(first.decode(3, &line), expected);
    let swapped: Vec<u8> = line.chunks_exact(2).flat_map(|texel| [texel[1], texel[0]]).collect();
    assert_eq!(second.decode(3, &swapped), expected);
}
