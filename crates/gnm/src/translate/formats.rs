//! Formats of images and colour targets, as the host has them.
//!
//! Every pair of a data format and a number format is one of the host's formats (a row here), is converted into one that holds
//! the same numbers ([`Conversion`]), or is refused with the reason. GCN counts components from the lowest bit of a texel; a row
//! says which channel of the host's format each of them is. Source: `docs/sources/gnm.md#formats`; bit orders of Vulkan's packed
//! formats; `COMP_SWAP` as Mesa uses it (`ac_translate_colorswap`).

use super::convert::{Conversion, Form, Texel};
use afterimage_gnm_types::{enums, value::*};
use afterimage_shader_gcn::io::TargetKind;
use afterimage_stream::packets::Swizzle;
use afterimage_stream::{DeviceInfo, Format, FormatFeatures};

/// How texels of the guest are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct HostFormat {
    /// The format, without sRGB.
    pub(super) format: Format,
    /// Channel of the host's format that is each component.
    components: [u8; 4],
    /// How shaders see it.
    pub(super) kind: TargetKind,
    /// Whether colours are encoded in sRGB.
    pub(super) srgb: bool,
    /// Bytes of an element in memory: a texel, or a block of a compressed format.
    pub(super) element: u32,
    /// What happens to texels on the way from and to memory, if the host's are others.
    pub(super) convert: Option<Conversion>,
    /// The texel in memory, of those that are no blocks; sRGB as it lies there.
    texel: Option<Texel>,
}

const RGBA: [u8; 4] = [0, 1, 2, 3];
const BGRA: [u8; 4] = [2, 1, 0, 3];
const ABGR: [u8; 4] = [3, 2, 1, 0];

macro_rules! image_formats {
    ($( $data:ident $num:ident => $format:ident $components:ident; )*) => {
        /// Data format, number format, and what they are on the host.
        const IMAGES: &[(u32, u32, Format, [u8; 4])] = &[ $( ($data, $num, Format::$format, $components) ),* ];
    };
}

image_formats! {
    IMG_DATA_FORMAT_8 IMG_NUM_FORMAT_UNORM => R8_UNORM RGBA;
    IMG_DATA_FORMAT_8 IMG_NUM_FORMAT_SNORM => R8_SNORM RGBA;
    IMG_DATA_FORMAT_8 IMG_NUM_FORMAT_UINT => R8_UINT RGBA;
    IMG_DATA_FORMAT_8 IMG_NUM_FORMAT_SINT => R8_SINT RGBA;
    IMG_DATA_FORMAT_16 IMG_NUM_FORMAT_UNORM => R16_UNORM RGBA;
    IMG_DATA_FORMAT_16 IMG_NUM_FORMAT_SNORM => R16_SNORM RGBA;
    IMG_DATA_FORMAT_16 IMG_NUM_FORMAT_UINT => R16_UINT RGBA;
    IMG_DATA_FORMAT_16 IMG_NUM_FORMAT_SINT => R16_SINT RGBA;
    IMG_DATA_FORMAT_16 IMG_NUM_FORMAT_FLOAT => R16_SFLOAT RGBA;
    IMG_DATA_FORMAT_8_8 IMG_NUM_FORMAT_UNORM => R8G8_UNORM RGBA;
    IMG_DATA_FORMAT_8_8 IMG_NUM_FORMAT_SNORM => R8G8_SNORM RGBA;
    IMG_DATA_FORMAT_8_8 IMG_NUM_FORMAT_UINT => R8G8_UINT RGBA;
    IMG_DATA_FORMAT_8_8 IMG_NUM_FORMAT_SINT => R8G8_SINT RGBA;
    IMG_DATA_FORMAT_32 IMG_NUM_FORMAT_UINT => R32_UINT RGBA;
    IMG_DATA_FORMAT_32 IMG_NUM_FORMAT_SINT => R32_SINT RGBA;
    IMG_DATA_FORMAT_32 IMG_NUM_FORMAT_FLOAT => R32_SFLOAT RGBA;
    IMG_DATA_FORMAT_16_16 IMG_NUM_FORMAT_UNORM => R16G16_UNORM RGBA;
    IMG_DATA_FORMAT_16_16 IMG_NUM_FORMAT_SNORM => R16G16_SNORM RGBA;
    IMG_DATA_FORMAT_16_16 IMG_NUM_FORMAT_UINT => R16G16_UINT RGBA;
    IMG_DATA_FORMAT_16_16 IMG_NUM_FORMAT_SINT => R16G16_SINT RGBA;
    IMG_DATA_FORMAT_16_16 IMG_NUM_FORMAT_FLOAT => R16G16_SFLOAT RGBA;
    IMG_DATA_FORMAT_10_11_11 IMG_NUM_FORMAT_FLOAT => B10G11R11_UFLOAT RGBA;
    IMG_DATA_FORMAT_2_10_10_10 IMG_NUM_FORMAT_UNORM => A2B10G10R10_UNORM RGBA;
    IMG_DATA_FORMAT_2_10_10_10 IMG_NUM_FORMAT_UINT => A2B10G10R10_UINT RGBA;
    IMG_DATA_FORMAT_8_8_8_8 IMG_NUM_FORMAT_UNORM => R8G8B8A8_UNORM RGBA;
    IMG_DATA_FORMAT_8_8_8_8 IMG_NUM_FORMAT_SNORM => R8G8B8A8_SNORM RGBA;
    IMG_DATA_FORMAT_8_8_8_8 IMG_NUM_FORMAT_UINT => R8G8B8A8_UINT RGBA;
    IMG_DATA_FORMAT_8_8_8_8 IMG_NUM_FORMAT_SINT => R8G8B8A8_SINT RGBA;
    IMG_DATA_FORMAT_32_32 IMG_NUM_FORMAT_UINT => R32G32_UINT RGBA;
    IMG_DATA_FORMAT_32_32 IMG_NUM_FORMAT_SINT => R32G32_SINT RGBA;
    IMG_DATA_FORMAT_32_32 IMG_NUM_FORMAT_FLOAT => R32G32_SFLOAT RGBA;
    IMG_DATA_FORMAT_16_16_16_16 IMG_NUM_FORMAT_UNORM => R16G16B16A16_UNORM RGBA;
    IMG_DATA_FORMAT_16_16_16_16 IMG_NUM_FORMAT_SNORM => R16G16B16A16_SNORM RGBA;
    IMG_DATA_FORMAT_16_16_16_16 IMG_NUM_FORMAT_UINT => R16G16B16A16_UINT RGBA;
    IMG_DATA_FORMAT_16_16_16_16 IMG_NUM_FORMAT_SINT => R16G16B16A16_SINT RGBA;
    IMG_DATA_FORMAT_16_16_16_16 IMG_NUM_FORMAT_FLOAT => R16G16B16A16_SFLOAT RGBA;
    IMG_DATA_FORMAT_32_32_32_32 IMG_NUM_FORMAT_UINT => R32G32B32A32_UINT RGBA;
    IMG_DATA_FORMAT_32_32_32_32 IMG_NUM_FORMAT_SINT => R32G32B32A32_SINT RGBA;
    IMG_DATA_FORMAT_32_32_32_32 IMG_NUM_FORMAT_FLOAT => R32G32B32A32_SFLOAT RGBA;
    IMG_DATA_FORMAT_5_6_5 IMG_NUM_FORMAT_UNORM => B5G6R5_UNORM RGBA;
    IMG_DATA_FORMAT_1_5_5_5 IMG_NUM_FORMAT_UNORM => A1R5G5B5_UNORM BGRA;
    IMG_DATA_FORMAT_5_5_5_1 IMG_NUM_FORMAT_UNORM => R5G5B5A1_UNORM ABGR;
    IMG_DATA_FORMAT_4_4_4_4 IMG_NUM_FORMAT_UNORM => A4R4G4B4_UNORM BGRA;
    IMG_DATA_FORMAT_5_9_9_9 IMG_NUM_FORMAT_FLOAT => E5B9G9R9_UFLOAT RGBA;
    IMG_DATA_FORMAT_BC1 IMG_NUM_FORMAT_UNORM => BC1_RGBA_UNORM RGBA;
    IMG_DATA_FORMAT_BC2 IMG_NUM_FORMAT_UNORM => BC2_UNORM RGBA;
    IMG_DATA_FORMAT_BC3 IMG_NUM_FORMAT_UNORM => BC3_UNORM RGBA;
    IMG_DATA_FORMAT_BC4 IMG_NUM_FORMAT_UNORM => BC4_UNORM RGBA;
    IMG_DATA_FORMAT_BC4 IMG_NUM_FORMAT_SNORM => BC4_SNORM RGBA;
    IMG_DATA_FORMAT_BC5 IMG_NUM_FORMAT_UNORM => BC5_UNORM RGBA;
    IMG_DATA_FORMAT_BC5 IMG_NUM_FORMAT_SNORM => BC5_SNORM RGBA;
    IMG_DATA_FORMAT_BC6 IMG_NUM_FORMAT_UNORM => BC6H_UFLOAT RGBA;
    IMG_DATA_FORMAT_BC6 IMG_NUM_FORMAT_SNORM => BC6H_SFLOAT RGBA;
    IMG_DATA_FORMAT_BC7 IMG_NUM_FORMAT_UNORM => BC7_UNORM RGBA;
}

/// Rows that only colour targets have: in another order of components than images, which views turn around.
const TARGETS: &[(u32, u32, Format, [u8; 4])] = &[
    (IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UNORM, Format::B8G8R8A8_UNORM, BGRA),
    (IMG_DATA_FORMAT_2_10_10_10, IMG_NUM_FORMAT_UNORM, Format::A2R10G10B10_UNORM, BGRA),
    (IMG_DATA_FORMAT_5_6_5, IMG_NUM_FORMAT_UNORM, Format::R5G6B5_UNORM, BGRA),
];

/// How shaders see a number format.
fn kind(num: u32) -> TargetKind {
    match num {
        IMG_NUM_FORMAT_UINT => TargetKind::Uint,
        IMG_NUM_FORMAT_SINT => TargetKind::Sint,
        _ => TargetKind::Float,
    }
}

/// The row of a format, and whether it is sRGB.
fn row(rows: &'static [(u32, u32, Format, [u8; 4])], data: u32, num: u32) -> Option<(Format, [u8; 4], bool)> {
    let find = |num: u32| rows.iter().find(|row| (row.0, row.1) == (data, num));
    if num != IMG_NUM_FORMAT_SRGB {
        return find(num).map(|row| (row.2, row.3, false));
    }
    let row = find(IMG_NUM_FORMAT_UNORM).filter(|row| row.2.info().srgb.is_some())?;
    Some((row.2, row.3, true))
}

/// The format as the host has it.
fn plain(data: u32, num: u32, (format, components, srgb): (Format, [u8; 4], bool)) -> HostFormat {
    let element = format.info().bytes;
    // As it lies in memory.
    let texel = Texel::new(data, if srgb { IMG_NUM_FORMAT_UNORM } else { num }).ok();
    HostFormat { format, components, kind: kind(num), srgb, element, convert: None, texel }
}

/// The format, converted; components go to these channels.
fn converted(data: u32, num: u32, components: [u8; 4], form: Form) -> Result<HostFormat, String> {
    let texel = Texel::new(data, num).map_err(|why| {
        let name = enums::IMG_DATA_FORMAT.of(data).unwrap_or("?");
        let numbers = enums::IMG_NUM_FORMAT.of(num).unwrap_or("?");
        format!("data format {data} ({name}) with numbers {num} ({numbers}): {why}")
    })?;
    Ok(HostFormat::converted(texel, components, form))
}

/// The format of an image that is sampled, by `IMG_DATA_FORMAT` and `IMG_NUM_FORMAT`.
///
/// # Errors
/// Why it cannot be had.
pub(super) fn image(data: u32, num: u32) -> Result<HostFormat, String> {
    match row(IMAGES, data, num) {
        Some(row) => Ok(plain(data, num, row)),
        None => converted(data, num, RGBA, Form::Fitting),
    }
}

/// The format of an image that shaders write. Its view cannot exchange components, nor be sRGB.
///
/// # Errors
/// Why it cannot be had.
pub(super) fn storage(data: u32, num: u32) -> Result<HostFormat, String> {
    // Devices need not store to components that share 16 bits.
    let can = |row: &(Format, [u8; 4], bool)| {
        let name = row.0.info().name;
        row.1 == RGBA && !row.2 && row.0.info().block == 1 && (name.starts_with('R') || row.0.info().bytes == 4)
    };
    match row(IMAGES, data, num).filter(can) {
        Some((Format::E5B9G9R9_UFLOAT, ..)) | None => converted(data, num, RGBA, Form::Plain),
        Some(row) => Ok(plain(data, num, row)),
    }
}

/// Channel that is each of so many components by `COMP_SWAP`.
fn order(count: usize, swap: u32) -> [u8; 4] {
    let orders: [[u8; 4]; 4] = match count {
        1 => [RGBA, [1, 0, 2, 3], [2, 0, 1, 3], [3, 0, 1, 2]],
        2 => [RGBA, [0, 3, 1, 2], [1, 0, 2, 3], [3, 0, 1, 2]],
        3 => [RGBA, [0, 1, 3, 2], BGRA, [3, 1, 0, 2]],
        _ => [RGBA, BGRA, ABGR, [3, 0, 1, 2]],
    };
    orders[(swap & 3) as usize]
}

/// The format of a colour target, by `COLOR_FORMAT`, `SURFACE_NUMBER` and `COMP_SWAP`. The first two count as those of images do
/// but for sRGB.
///
/// # Errors
/// Why it cannot be had.
pub(super) fn color(format: u32, number: u32, swap: u32) -> Result<HostFormat, String> {
    let num = if number == NUMBER_SRGB { IMG_NUM_FORMAT_SRGB } else { number };
    let targets = COLOR_8..=COLOR_24_8;
    // `COLOR_X24_8_32_FLOAT` is not: nobody says what becomes of its other bits.
    let texel = Texel::new(format, num).ok().filter(|_| targets.contains(&format)).ok_or_else(|| {
        let name = enums::COLOR_FORMAT.of(format).unwrap_or("?");
        let numbers = enums::SURFACE_NUMBER.of(number).unwrap_or("?");
        format!("colour format {format} ({name}) with numbers {number} ({numbers}) is none that is drawn to")
    })?;
    let count = texel.layout.len();
    let order = order(count, swap);
    // Four bits a component are something that few devices draw to.
    let fits = |row: &(Format, [u8; 4], bool)| row.1[..count] == order[..count] && format != COLOR_4_4_4_4;
    match row(IMAGES, format, num).filter(fits).or_else(|| row(TARGETS, format, num).filter(fits)) {
        Some(row) => Ok(plain(format, num, row)),
        None => converted(format, num, order, Form::Fitting),
    }
}

/// What an image is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Sampled,
    Storage,
    Target,
}

impl HostFormat {
    fn converted(texel: Texel, components: [u8; 4], form: Form) -> Self {
        let convert = Conversion::new(texel, components, form);
        let srgb = convert.is_srgb();
        Self {
            format: convert.format,
            components,
            kind: texel.kind(),
            srgb,
            element: texel.bytes.into(),
            convert: Some(convert),
            texel: Some(if srgb { texel.as_it_lies() } else { texel }),
        }
    }

    /// The format with which a device can do what it is for: this one, or one that holds the same numbers. This one too where there
    /// is none, so that what is missing has its name.
    pub(super) fn on(self, device: &DeviceInfo, use_: Use) -> Self {
        use FormatFeatures as F;
        let is_float = self.kind == TargetKind::Float;
        let needed = match use_ {
            Use::Sampled => F::SAMPLED | if is_float { F::LINEAR } else { 0 },
            Use::Storage => F::STORAGE,
            Use::Target => F::TARGET | if is_float { F::BLEND } else { 0 },
        };
        let can = |format: Format| device.features(format) & needed == needed;
        let Some(texel) = self.texel.filter(|_| !can(self.format)) else { return self };
        let texel = if self.srgb { texel.encoded() } else { texel };
        let forms = if use_ == Use::Storage { [Form::Plain, Form::Widest] } else { [Form::Fitting, Form::Widest] };
        let others = forms.map(|form| Self::converted(texel, self.components, form));
        others.into_iter().find(|other| can(other.format)).unwrap_or(self)
    }

    /// The format of texels that are compared, where that is another one. The hardware compares the first component of any float; of
    /// colour formats devices need not compare others than these two, and NVIDIA's, asked to, give the texel.
    pub(super) fn compared(self) -> Option<Self> {
        const ABLE: [Format; 2] = [Format::R32_SFLOAT, Format::R16_UNORM];
        let texel = self.texel.filter(|_| self.kind == TargetKind::Float && !ABLE.contains(&self.format))?;
        let texel = if self.srgb { texel.encoded() } else { texel };
        Some(Self::converted(texel, RGBA, Form::First))
    }

    /// Whether what is written can go back to memory.
    pub(super) fn can_store(self) -> bool {
        self.convert.is_none_or(|convert| convert.can_store())
    }

    /// The swizzle of a view for `DST_SEL_X..W`.
    pub(super) fn swizzle(self, select: [u32; 4]) -> [u8; 4] {
        select.map(|select| match select {
            SQ_SEL_1 => Swizzle::One as u8,
            SQ_SEL_X..=SQ_SEL_W => self.components[(select - SQ_SEL_X) as usize],
            _ => Swizzle::Zero as u8,
        })
    }

    /// Of channels that are written, those that memory has. What the host's format has beside them stays as it is.
    pub(super) fn stored(self, channels: u8) -> u8 {
        let Some(texel) = self.texel else { return channels };
        let stored = self.components[..texel.layout.len()].iter().fold(0, |mask, channel| mask | 1 << channel);
        channels & stored
    }

    /// Red to alpha of a texel in memory; none of integers and blocks.
    pub(super) fn numbers(self, texel: u128) -> Option<[f32; 4]> {
        let channels = self.texel.filter(|_| self.kind == TargetKind::Float)?.numbers(texel, self.components);
        channels.iter().all(|channel| channel.is_finite()).then_some(channels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_unique_and_of_the_size_of_the_data_format() {
        for (at, row) in IMAGES.iter().enumerate() {
            assert!(IMAGES[..at].iter().all(|other| (other.0, other.1) != (row.0, row.1)));
            if let Ok(texel) = Texel::new(row.0, row.1) {
                assert_eq!(u32::from(texel.bytes), row.2.info().bytes, "{:?}", row.2);
            }
        }
        let selects = [SQ_SEL_Z, SQ_SEL_Y, SQ_SEL_X, SQ_SEL_1];
        let bytes = image(IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_SRGB).unwrap();
        assert!(bytes.srgb && bytes.format == Format::R8G8B8A8_UNORM);
        assert_eq!(bytes.swizzle(selects), [2, 1, 0, Swizzle::One as u8]);
    }

    #[test]
    fn every_target_is_drawn_to_in_every_order_or_refused_by_name() {
        let mut refused = 0;
        for (format, number, swap) in (0..32).flat_map(|f| (0..8).flat_map(move |n| (0..4).map(move |s| (f, n, s)))) {
            match color(format, number, swap) {
                Ok(host) => {
                    let texel = host.texel.unwrap();
                    let count = texel.layout.len();
                    assert_eq!(host.components[..count], order(count, swap)[..count]);
                    assert_eq!(host.convert.map_or(host.format, |convert| convert.format), host.format);
                    assert_eq!(host.stored(15).count_ones() as usize, count);
                }
                Err(why) => {
                    refused += 1;
                    assert!(why.contains("none that is drawn to"));
                }
            }
        }
        assert!(refused > 0);
        let blue_first = color(COLOR_8_8_8_8, NUMBER_SRGB, SWAP_ALT).unwrap();
        assert_eq!((blue_first.format, blue_first.srgb, blue_first.convert), (Format::B8G8R8A8_UNORM, true, None));
        // Alpha alone: blended as alpha.
        let alpha = color(COLOR_8, NUMBER_UNORM, SWAP_ALT_REV).unwrap();
        assert_eq!((alpha.format, alpha.stored(15), alpha.components[0]), (Format::R8G8B8A8_UNORM, 8, 3));
    }

    /// A device that can do everything but for some things with some formats.
    fn device(lacks: &[(Format, u32)]) -> DeviceInfo {
        let mut device = DeviceInfo { formats: [u32::MAX; 96], ..DeviceInfo::default() };
        lacks.iter().for_each(|(format, features)| device.formats[*format as usize] &= !features);
        device
    }

    #[test]
    fn a_format_with_which_the_device_cannot_do_it_gives_way_to_one_with_which_it_can() {
        use FormatFeatures as F;
        let able = device(&[]);
        let small = color(COLOR_5_6_5, NUMBER_UNORM, SWAP_STD).unwrap();
        assert_eq!(small.on(&able, Use::Target), small);
        // As NVIDIA's are.
        let lacks = device(&[(Format::B5G6R5_UNORM, F::TARGET), (Format::R5G5B5A1_UNORM, F::TARGET)]);
        let target = small.on(&lacks, Use::Target);
        assert_eq!((target.format, target.element, target.stored(15)), (Format::R5G6B5_UNORM, 2, 7));
        assert_eq!(target.convert.unwrap().decode(1, &[0x1F, 0xF8]), [0x1F, 0xF8]);
        assert_eq!(target.convert.unwrap().decode(1, &[0x21, 0x10]), [0x22, 0x08]);
        let texture = image(IMG_DATA_FORMAT_5_6_5, IMG_NUM_FORMAT_UNORM).unwrap();
        assert_eq!(texture.on(&lacks, Use::Sampled), texture);
        let last = color(COLOR_5_5_5_1, NUMBER_UNORM, SWAP_ALT_REV).unwrap();
        let order = |swap| color(COLOR_5_5_5_1, NUMBER_UNORM, swap).unwrap().on(&lacks, Use::Target);
        let formats = [SWAP_STD, SWAP_ALT, SWAP_STD_REV, SWAP_ALT_REV].map(|swap| order(swap).format);
        assert_eq!(last.format, last.on(&lacks, Use::Target).format);
        assert_eq!(formats[2], Format::A1R5G5B5_UNORM);
        // Neither of the two: the widest.
        let blends = F::BLEND;
        let lacks =
            device(&[(Format::B5G6R5_UNORM, blends), (Format::R5G6B5_UNORM, blends), (Format::R16_UNORM, F::LINEAR)]);
        assert_eq!(small.on(&lacks, Use::Target).format, Format::R32G32B32A32_SFLOAT);
        let shorts = image(IMG_DATA_FORMAT_16, IMG_NUM_FORMAT_UNORM).unwrap();
        assert_eq!(shorts.on(&lacks, Use::Sampled).format, Format::R32_SFLOAT);
        assert_eq!(shorts.on(&lacks, Use::Target), shorts);
        // Integers are neither blended nor filtered.
        let lacks = device(&[(Format::R16_UINT, F::BLEND | F::LINEAR | F::STORAGE)]);
        let whole = image(IMG_DATA_FORMAT_16, IMG_NUM_FORMAT_UINT).unwrap();
        assert_eq!([Use::Target, Use::Sampled].map(|use_| whole.on(&lacks, use_)), [whole; 2]);
        assert_eq!(whole.on(&lacks, Use::Storage).format, Format::R32_UINT);
        // sRGB is decoded on the way where the host does not.
        let lacks = device(&[(Format::R8G8B8A8_UNORM, F::TARGET)]);
        let srgb = color(COLOR_8_8_8_8, NUMBER_SRGB, SWAP_STD).unwrap();
        let wide = srgb.on(&lacks, Use::Target);
        assert_eq!((wide.format, wide.srgb), (Format::R32G32B32A32_SFLOAT, false));
        let [red, ..] = wide.numbers(0xFF00_00BC).unwrap();
        assert!((red - 0.502_886_5).abs() < 1e-6, "{red}");
        // Nothing does: the name stays.
        assert_eq!(small.on(&DeviceInfo::default(), Use::Target), small);
    }

    #[test]
    fn what_is_compared_is_the_first_component() {
        let of = |data, num| image(data, num).unwrap().compared();
        let bytes = of(IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UNORM).unwrap();
        assert_eq!((bytes.format, bytes.element, bytes.can_store()), (Format::R32_SFLOAT, 4, false));
        let decoded = bytes.convert.unwrap().decode(2, &[51, 1, 2, 3, 255, 4, 5, 6]);
        assert_eq!(decoded, [0.2f32, 1.0].map(f32::to_le_bytes).concat());
        // The first of those that the host has last.
        let shorts = of(IMG_DATA_FORMAT_1_5_5_5, IMG_NUM_FORMAT_UNORM).unwrap();
        assert_eq!(shorts.convert.unwrap().decode(1, &[31, 0]), 1f32.to_le_bytes());
        assert_eq!(shorts.swizzle([SQ_SEL_X; 4]), [0; 4]);
        let srgb = of(IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_SRGB).unwrap();
        assert!(!srgb.srgb && srgb.convert.unwrap().decode(1, &[188, 0, 0, 0])[3] == 0x3F);
        assert_eq!(of(IMG_DATA_FORMAT_32, IMG_NUM_FORMAT_FLOAT), None);
        assert_eq!(of(IMG_DATA_FORMAT_16, IMG_NUM_FORMAT_UNORM), None);
        assert_eq!(of(IMG_DATA_FORMAT_8, IMG_NUM_FORMAT_UINT), None);
    }

    #[test]
    fn numbers_of_a_texel_are_by_channel() {
        let numbers = |format, number, swap, texel| color(format, number, swap).unwrap().numbers(texel);
        assert_eq!(numbers(COLOR_8_8_8_8, NUMBER_UNORM, SWAP_STD, 0xFF00_00FF), Some([1.0, 0.0, 0.0, 1.0]));
        assert_eq!(numbers(COLOR_8_8_8_8, NUMBER_UNORM, SWAP_ALT, 0x0000_00FF), Some([0.0, 0.0, 1.0, 0.0]));
        let halves = numbers(COLOR_16_16_16_16, NUMBER_FLOAT, SWAP_STD, 0xB800_0001_3C00_0000);
        assert_eq!(halves, Some([0.0, 1.0, 2f32.powi(-24), -0.5]));
        assert_eq!(numbers(COLOR_8, NUMBER_UNORM, SWAP_ALT_REV, 0xFF), Some([0.0, 0.0, 0.0, 1.0]));
        assert_eq!(numbers(COLOR_32, NUMBER_FLOAT, SWAP_STD, 0x7FC0_0000), None);
        assert_eq!(numbers(COLOR_32, NUMBER_UINT, SWAP_STD, 1), None);
    }
}
