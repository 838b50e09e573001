//! Texels of formats that the host lacks, in one of its formats that holds the same numbers.
//!
//! A [`Texel`] is what the hardware makes of a texel's bits, as `shader-gcn`'s `lift::format` does for buffers; a [`Conversion`]
//! carries texels over into a format of the host and back. Filtering and blending there are those of numbers that are at least
//! as precise as the guest's; what is written is rounded once, on its way to memory. After `docs/sources/gnm.md#formats`, and AMD's
//! "Sea Islands Instruction Set Architecture", table 8.13: the highest component is named first.

use afterimage_gnm_types::value::*;
use afterimage_shader_gcn::io::TargetKind;
use afterimage_stream::Format;
use half::f16;

/// How the bits of a component are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Number {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    /// Signed, without a pattern for zero: (2 n + 1) / (2^bits - 1).
    SnormOgl,
    Float,
    Srgb,
}

impl Number {
    fn new(num: u32) -> Option<Self> {
        Some(match num {
            IMG_NUM_FORMAT_UNORM => Self::Unorm,
            IMG_NUM_FORMAT_SNORM => Self::Snorm,
            IMG_NUM_FORMAT_USCALED => Self::Uscaled,
            IMG_NUM_FORMAT_SSCALED => Self::Sscaled,
            IMG_NUM_FORMAT_UINT => Self::Uint,
            IMG_NUM_FORMAT_SINT => Self::Sint,
            IMG_NUM_FORMAT_SNORM_OGL => Self::SnormOgl,
            IMG_NUM_FORMAT_FLOAT => Self::Float,
            IMG_NUM_FORMAT_SRGB => Self::Srgb,
            _ => return None,
        })
    }

    fn is_signed(self) -> bool {
        matches!(self, Self::Snorm | Self::Sscaled | Self::Sint | Self::SnormOgl)
    }

    /// The number that bits stand for.
    fn decode(self, raw: u32, bits: u32) -> f32 {
        let most = greatest(bits - u32::from(self.is_signed()));
        let signed = extended(raw, bits);
        match self {
            Self::Unorm => raw as f32 / most as f32,
            Self::Snorm => (signed as f32 / most as f32).max(-1.0),
            Self::SnormOgl => (signed as f32 * 2.0 + 1.0) / greatest(bits) as f32,
            Self::Uscaled | Self::Uint => raw as f32,
            Self::Sscaled | Self::Sint => signed as f32,
            Self::Float => match bits {
                // Halves without their sign and the lowest bits of their mantissa.
                10 | 11 => f16::from_bits((raw << (15 - bits)) as u16).to_f32(),
                16 => f16::from_bits(raw as u16).to_f32(),
                _ => f32::from_bits(raw),
            },
            Self::Srgb => {
                let encoded = f64::from(raw) / f64::from(most);
                let linear = if encoded <= 0.04045 { encoded / 12.92 } else { ((encoded + 0.055) / 1.055).powf(2.4) };
                linear as f32
            }
        }
    }

    /// The bits that stand for a number, or for the nearest that there is.
    fn encode(self, value: f32, bits: u32) -> u32 {
        let most = f64::from(greatest(bits - u32::from(self.is_signed())));
        let wide = if value.is_nan() { 0.0 } else { f64::from(value) };
        // From floating point, integers saturate.
        let unsigned = |value: f64| value.clamp(0.0, most) as u32;
        let signed = |value: f64| value.clamp(-most - 1.0, most) as i32 as u32 & greatest(bits);
        match self {
            Self::Unorm => unsigned((wide.clamp(0.0, 1.0) * most).round_ties_even()),
            Self::Snorm => signed((wide.clamp(-1.0, 1.0) * most).round_ties_even()),
            Self::SnormOgl => {
                let twice = wide.clamp(-1.0, 1.0) * f64::from(greatest(bits)) - 1.0;
                signed((twice / 2.0).round_ties_even())
            }
            Self::Uscaled | Self::Uint => unsigned(wide.trunc()),
            Self::Sscaled | Self::Sint => signed(wide.trunc()),
            Self::Float => match bits {
                10 | 11 => small_float(f16::from_f32(value), bits),
                16 => f16::from_f32(value).to_bits().into(),
                _ => value.to_bits(),
            },
            Self::Srgb => {
                let linear = wide.clamp(0.0, 1.0);
                let encoded =
                    if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
                unsigned((encoded * most).round_ties_even())
            }
        }
    }
}

/// The greatest number of so many bits.
fn greatest(bits: u32) -> u32 {
    u32::MAX.checked_shr(32 - bits).unwrap_or(0)
}

/// A field of so many bits with its sign.
fn extended(raw: u32, bits: u32) -> i32 {
    ((raw << (32 - bits)) as i32) >> (32 - bits)
}

/// A half as a float of 10 or 11 bits, which has no sign; what is negative becomes 0.
fn small_float(value: f16, bits: u32) -> u32 {
    if value.is_nan() {
        greatest(bits)
    } else if value.is_sign_negative() {
        0
    } else {
        u32::from(value.to_bits()) >> (15 - bits)
    }
}

/// Number formats of a data format, one bit each.
const UNSIGNED: u32 = 1 << IMG_NUM_FORMAT_UNORM | 1 << IMG_NUM_FORMAT_USCALED | 1 << IMG_NUM_FORMAT_UINT;
const WHOLE: u32 = UNSIGNED
    | 1 << IMG_NUM_FORMAT_SNORM
    | 1 << IMG_NUM_FORMAT_SSCALED
    | 1 << IMG_NUM_FORMAT_SINT
    | 1 << IMG_NUM_FORMAT_SNORM_OGL;
const FLOAT: u32 = 1 << IMG_NUM_FORMAT_FLOAT;
const SRGB: u32 = 1 << IMG_NUM_FORMAT_SRGB;
const UNORM_OR_UINT: u32 = 1 << IMG_NUM_FORMAT_UNORM | 1 << IMG_NUM_FORMAT_UINT;

/// Data format, bytes, bits of each component with the first one lowest, number formats that it goes with.
const LAYOUTS: &[(u32, u8, &[u8], u32)] = &[
    (IMG_DATA_FORMAT_8, 1, &[8], WHOLE | SRGB),
    (IMG_DATA_FORMAT_16, 2, &[16], WHOLE | FLOAT),
    (IMG_DATA_FORMAT_8_8, 2, &[8, 8], WHOLE | SRGB),
    (IMG_DATA_FORMAT_32, 4, &[32], WHOLE | FLOAT),
    (IMG_DATA_FORMAT_16_16, 4, &[16, 16], WHOLE | FLOAT),
    (IMG_DATA_FORMAT_10_11_11, 4, &[11, 11, 10], WHOLE | FLOAT),
    (IMG_DATA_FORMAT_11_11_10, 4, &[10, 11, 11], WHOLE | FLOAT),
    (IMG_DATA_FORMAT_10_10_10_2, 4, &[2, 10, 10, 10], WHOLE),
    (IMG_DATA_FORMAT_2_10_10_10, 4, &[10, 10, 10, 2], WHOLE),
    (IMG_DATA_FORMAT_8_8_8_8, 4, &[8, 8, 8, 8], WHOLE | SRGB),
    (IMG_DATA_FORMAT_32_32, 8, &[32, 32], WHOLE | FLOAT),
    (IMG_DATA_FORMAT_16_16_16_16, 8, &[16, 16, 16, 16], WHOLE | FLOAT),
    (IMG_DATA_FORMAT_32_32_32_32, 16, &[32, 32, 32, 32], WHOLE | FLOAT),
    (IMG_DATA_FORMAT_5_6_5, 2, &[5, 6, 5], UNSIGNED),
    (IMG_DATA_FORMAT_1_5_5_5, 2, &[5, 5, 5, 1], UNSIGNED),
    (IMG_DATA_FORMAT_5_5_5_1, 2, &[1, 5, 5, 5], UNSIGNED),
    (IMG_DATA_FORMAT_4_4_4_4, 2, &[4, 4, 4, 4], UNSIGNED),
    (IMG_DATA_FORMAT_4_4, 1, &[4, 4], UNSIGNED),
    (IMG_DATA_FORMAT_6_5_5, 2, &[5, 5, 6], WHOLE),
    (IMG_DATA_FORMAT_8_24, 4, &[24, 8], UNORM_OR_UINT),
    (IMG_DATA_FORMAT_24_8, 4, &[8, 24], UNORM_OR_UINT),
    (IMG_DATA_FORMAT_X24_8_32, 8, &[32, 8], 1 << IMG_NUM_FORMAT_UINT),
    (IMG_DATA_FORMAT_X24_8_32, 8, &[32], FLOAT),
    (IMG_DATA_FORMAT_GB_GR, 2, &[8, 8], 1 << IMG_NUM_FORMAT_SNORM | UNORM_OR_UINT | SRGB),
    (IMG_DATA_FORMAT_BG_RG, 2, &[8, 8], 1 << IMG_NUM_FORMAT_SNORM | UNORM_OR_UINT | SRGB),
];

/// What the bits of a texel are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Texel {
    /// Bytes in memory.
    pub(super) bytes: u8,
    /// Bits of each component, the first one lowest.
    pub(super) layout: &'static [u8],
    number: Number,
    /// Two texels in a line share red and blue: the byte of either that is so. The other is its green.
    shared: Option<u8>,
}

impl Texel {
    /// By `IMG_DATA_FORMAT` and `IMG_NUM_FORMAT`.
    ///
    /// # Errors
    /// Why there is no such texel.
    pub(super) fn new(data: u32, num: u32) -> Result<Self, &'static str> {
        let number = Number::new(num).ok_or("no public document says what these numbers are")?;
        if let Some((_, bytes, layout, _)) = LAYOUTS.iter().find(|row| row.0 == data && row.3 >> num & 1 != 0) {
            let shared = match data {
                IMG_DATA_FORMAT_GB_GR => Some(0),
                IMG_DATA_FORMAT_BG_RG => Some(1),
                _ => None,
            };
            return Ok(Self { bytes: *bytes, layout, number, shared });
        }
        Err(match data {
            _ if LAYOUTS.iter().any(|row| row.0 == data) => "components of so many bits do not hold such numbers",
            IMG_DATA_FORMAT_32_32_32 => "only buffers have three components of 32 bits",
            IMG_DATA_FORMAT_BC1..=IMG_DATA_FORMAT_BC7 | IMG_DATA_FORMAT_5_9_9_9 => {
                "texels of this data format have numbers of their own"
            }
            IMG_DATA_FORMAT_1 | IMG_DATA_FORMAT_1_REVERSED => "texels of one bit are not supported",
            IMG_DATA_FORMAT_FMASK8_S2_F1..=IMG_DATA_FORMAT_FMASK64_S16_F8 => {
                "the fragment mask of a multisampled image is not supported"
            }
            IMG_DATA_FORMAT_32_AS_8..=IMG_DATA_FORMAT_32_AS_32_32_32_32 => {
                "words that stand for other texels are not supported"
            }
            _ => "there is no such data format",
        })
    }

    /// The bits of each component.
    fn fields(&self, texel: u128) -> [u32; 4] {
        let mut first = 0;
        let mut fields = [0; 4];
        for (field, bits) in fields.iter_mut().zip(self.layout) {
            *field = (texel >> first) as u32 & greatest(u32::from(*bits));
            first += u32::from(*bits);
        }
        fields
    }

    /// With colours that are encoded in sRGB.
    pub(super) fn encoded(self) -> Self {
        Self { number: Number::Srgb, ..self }
    }

    /// Of colours that are encoded in sRGB, their numbers as they lie in memory.
    pub(super) fn as_it_lies(self) -> Self {
        Self { number: if self.number == Number::Srgb { Number::Unorm } else { self.number }, ..self }
    }

    /// How shaders see it.
    pub(super) fn kind(&self) -> TargetKind {
        match self.number {
            Number::Uint => TargetKind::Uint,
            Number::Sint => TargetKind::Sint,
            _ => TargetKind::Float,
        }
    }

    /// Whether colours are encoded in sRGB.
    pub(super) fn is_srgb(&self) -> bool {
        self.number == Number::Srgb
    }

    /// How what goes into a channel is read: alpha is never sRGB.
    fn number(&self, channel: u8) -> Number {
        if channel == 3 && self.number == Number::Srgb { Number::Unorm } else { self.number }
    }

    /// Red to alpha, if components are these channels; 0 for those that it lacks, but 1 for alpha.
    pub(super) fn numbers(&self, texel: u128, channels: [u8; 4]) -> [f32; 4] {
        let mut numbers = [0.0, 0.0, 0.0, 1.0];
        for ((field, bits), channel) in self.fields(texel).into_iter().zip(self.layout).zip(channels) {
            numbers[usize::from(channel)] = self.number(channel).decode(field, (*bits).into());
        }
        numbers
    }
}

/// What a channel of a host's format is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Channel {
    /// The guest's bits, with their sign if they have one, and the pattern of 1.
    Raw {
        bytes: u8,
        one: u32,
    },
    Half,
    Single,
    /// The guest's bits: first bit and bits of red, green, blue and alpha.
    Packed([(u8, u8); 4]),
}

/// Formats of the host whose channels have different sizes, of which devices must be able to do everything with every one.
const PACKED: [(Format, [(u8, u8); 4]); 3] = [
    (Format::R5G6B5_UNORM, [(11, 5), (5, 6), (0, 5), (0, 0)]),
    (Format::A1R5G5B5_UNORM, [(10, 5), (5, 5), (0, 5), (15, 1)]),
    (Format::A2B10G10R10_UNORM, [(0, 10), (10, 10), (20, 10), (30, 2)]),
];

/// Formats of the host that hold numbers: of one, two and four channels.
const WIDE: [(Channel, [Format; 3]); 10] = {
    use Channel::*;
    use Format::*;
    [
        (Raw { bytes: 1, one: 0xFF }, [R8_UNORM, R8G8_UNORM, R8G8B8A8_UNORM]),
        (Raw { bytes: 1, one: 0x7F }, [R8_SNORM, R8G8_SNORM, R8G8B8A8_SNORM]),
        (Raw { bytes: 2, one: 0xFFFF }, [R16_UNORM, R16G16_UNORM, R16G16B16A16_UNORM]),
        (Raw { bytes: 2, one: 0x7FFF }, [R16_SNORM, R16G16_SNORM, R16G16B16A16_SNORM]),
        (Raw { bytes: 2, one: 1 }, [R16_UINT, R16G16_UINT, R16G16B16A16_UINT]),
        (Raw { bytes: 2, one: 1 }, [R16_SINT, R16G16_SINT, R16G16B16A16_SINT]),
        (Raw { bytes: 4, one: 1 }, [R32_UINT, R32G32_UINT, R32G32B32A32_UINT]),
        (Raw { bytes: 4, one: 1 }, [R32_SINT, R32G32_SINT, R32G32B32A32_SINT]),
        (Half, [R16_SFLOAT, R16G16_SFLOAT, R16G16B16A16_SFLOAT]),
        (Single, [R32_SFLOAT, R32G32_SFLOAT, R32G32B32A32_SFLOAT]),
    ]
};

/// What format of the host is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The smallest that holds the numbers.
    Fitting,
    /// The smallest but for those that a program cannot write: no sRGB, no channels of different sizes.
    Plain,
    /// The one of the largest channels.
    Widest,
    /// The first component alone, of 32 bits: what is compared of a texel.
    First,
}

/// Texels of the guest as texels of the host, and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Conversion {
    texel: Texel,
    /// Channel of the host's format that is each component.
    channels: [u8; 4],
    channel: Channel,
    /// Channels of the host's format.
    count: u8,
    /// The host's format.
    pub(super) format: Format,
}

impl Conversion {
    /// Components into channels; none of them goes where another does. But for [`Form::Fitting`], sRGB is decoded here.
    pub(super) fn new(texel: Texel, channels: [u8; 4], form: Form) -> Self {
        let fits = |row: &&(Format, [(u8, u8); 4])| {
            let sizes = texel.layout.iter().zip(channels).map(|(bits, channel)| (*bits, row.1[usize::from(channel)].1));
            let used: u8 = row.1.iter().map(|(_, bits)| bits).sum();
            texel.layout.iter().sum::<u8>() == used && sizes.into_iter().all(|(bits, has)| bits == has)
        };
        if let Some((format, places)) = PACKED.iter().find(fits)
            && texel.number == Number::Unorm
            && form == Form::Fitting
        {
            return Self { texel, channels, channel: Channel::Packed(*places), count: 4, format: *format };
        }
        let wide = |format: Format| WIDE.iter().find(|row| row.1[0] == format).unwrap_or(&WIDE[9]);
        let most = texel.layout.iter().copied().max().unwrap_or(0);
        let all = |bits: u8| texel.layout.iter().all(|field| *field == bits);
        let (channel, formats) = *wide(match texel.number {
            Number::Uint if form == Form::Widest => Format::R32_UINT,
            Number::Sint if form == Form::Widest => Format::R32_SINT,
            _ if matches!(form, Form::Widest | Form::First) => Format::R32_SFLOAT,
            Number::Srgb if form == Form::Fitting => Format::R8_UNORM,
            Number::Unorm if all(8) => Format::R8_UNORM,
            Number::Snorm if all(8) => Format::R8_SNORM,
            Number::Unorm if all(16) => Format::R16_UNORM,
            Number::Snorm if all(16) => Format::R16_SNORM,
            Number::Uint if most <= 16 => Format::R16_UINT,
            Number::Sint if most <= 16 => Format::R16_SINT,
            Number::Uint => Format::R32_UINT,
            Number::Sint => Format::R32_SINT,
            // Halves hold whole numbers of 11 bits.
            Number::Uscaled | Number::Sscaled if most <= 11 => Format::R16_SFLOAT,
            Number::Float if most <= 16 => Format::R16_SFLOAT,
            _ => Format::R32_SFLOAT,
        });
        let highest = channels.iter().take(texel.layout.len()).copied().max().unwrap_or(0);
        // Only four channels can be sRGB.
        let at = match highest {
            _ if form == Form::First => 0,
            _ if texel.shared.is_some() || texel.number == Number::Srgb => 2,
            0 => 0,
            1 => 1,
            _ => 2,
        };
        Self { texel, channels, channel, count: 1 << at, format: formats[at] }
    }

    fn host_bytes(&self) -> usize {
        self.format.info().bytes as usize
    }

    /// First bit and bits of a channel of the host.
    fn place(&self, channel: usize) -> (u32, u32) {
        let bits = match self.channel {
            Channel::Raw { bytes, .. } => 8 * u32::from(bytes),
            Channel::Half => 16,
            Channel::Single => 32,
            Channel::Packed(places) => return (places[channel].0.into(), places[channel].1.into()),
        };
        (bits * channel as u32, bits)
    }

    /// Whether colours are encoded in sRGB on the host too.
    pub(super) fn is_srgb(&self) -> bool {
        self.texel.is_srgb() && matches!(self.channel, Channel::Raw { .. })
    }

    fn one(&self) -> u32 {
        match self.channel {
            Channel::Raw { one, .. } => one,
            Channel::Half => f16::ONE.to_bits().into(),
            Channel::Single => 1f32.to_bits(),
            Channel::Packed(places) => greatest(places[3].1.into()),
        }
    }

    /// A component as a channel of the host.
    fn channel_of(&self, number: Number, field: u32, bits: u32) -> u32 {
        match (self.channel, number) {
            (Channel::Raw { .. }, _) if number.is_signed() => extended(field, bits) as u32,
            (Channel::Raw { .. } | Channel::Packed(_), _) => field,
            (Channel::Single, Number::Float) if bits == 32 => field,
            (Channel::Half, Number::Float) if bits == 16 => field,
            (Channel::Half, Number::Float) => field << (15 - bits),
            (Channel::Half, _) => f16::from_f32(number.decode(field, bits)).to_bits().into(),
            (Channel::Single, _) => number.decode(field, bits).to_bits(),
        }
    }

    /// A channel of the host as a component.
    fn field_of(&self, number: Number, channel: u32, bits: u32) -> u32 {
        let most = greatest(bits - u32::from(number.is_signed()));
        match (self.channel, number) {
            (Channel::Raw { bytes, .. }, _) if number.is_signed() => {
                let least = -i64::from(most) - 1;
                let value = i64::from(extended(channel, u32::from(bytes) * 8)).clamp(least, most.into());
                value as u32 & greatest(bits)
            }
            (Channel::Raw { .. } | Channel::Packed(_), _) => channel.min(most),
            (Channel::Single, Number::Float) if bits == 32 => channel,
            (Channel::Half, Number::Float) if bits == 16 => channel,
            (Channel::Half, Number::Float) => small_float(f16::from_bits(channel as u16), bits),
            (Channel::Half, _) => number.encode(f16::from_bits(channel as u16).to_f32(), bits),
            (Channel::Single, _) => number.encode(f32::from_bits(channel), bits),
        }
    }

    /// A texel of the host.
    fn host_texel(&self, texel: u128) -> u128 {
        let mut channels = [0, 0, 0, self.one()];
        for (n, (field, bits)) in self.texel.fields(texel).into_iter().zip(self.texel.layout).enumerate() {
            channels[usize::from(self.channels[n])] =
                self.channel_of(self.texel.number(self.channels[n]), field, (*bits).into());
        }
        self.joined(channels)
    }

    fn joined(&self, channels: [u32; 4]) -> u128 {
        let channels = channels.into_iter().take(self.count.into()).enumerate();
        channels.fold(0, |all, (at, channel)| {
            let (first, bits) = self.place(at);
            all | u128::from(channel & greatest(bits)) << first
        })
    }

    /// A texel of the guest, in place of `old`: bits that are no component's stay.
    fn guest_texel(&self, host: u128, mut old: u128) -> u128 {
        let mut first = 0;
        for (n, bits) in self.texel.layout.iter().enumerate() {
            let bits = u32::from(*bits);
            let (at, size) = self.place(self.channels[n].into());
            let channel = (host >> at) as u32 & greatest(size);
            let mask = u128::from(greatest(bits)) << first;
            old = old & !mask | u128::from(self.field_of(self.texel.number(self.channels[n]), channel, bits)) << first;
            first += bits;
        }
        old
    }

    /// Texels of the host for lines of `width` texels of the guest.
    pub(super) fn decode(&self, width: u32, texels: &[u8]) -> Vec<u8> {
        let (bytes, host_bytes) = (usize::from(self.texel.bytes), self.host_bytes());
        let mut out = Vec::with_capacity(texels.len() / bytes * host_bytes);
        let mut put = |host: u128| out.extend_from_slice(&host.to_le_bytes()[..host_bytes]);
        match self.texel.shared {
            None => texels.chunks_exact(bytes).for_each(|texel| put(self.host_texel(word(texel)))),
            Some(shared) => {
                let (shared, own) = (usize::from(shared), usize::from(shared ^ 1));
                let raw = |byte: u8| self.channel_of(self.texel.number, byte.into(), 8);
                for line in texels.chunks_exact(bytes * (width as usize).max(1)) {
                    for pair in line.chunks(2 * bytes) {
                        // The last of an odd number has no blue.
                        let blue = pair.get(bytes + shared).copied().unwrap_or(0);
                        for texel in pair.chunks_exact(bytes) {
                            put(self.joined([raw(pair[shared]), raw(texel[own]), raw(blue), self.one()]));
                        }
                    }
                }
            }
        }
        out
    }

    /// Puts texels of the host in place of the guest's; those that stand for the same numbers stay as they are, to the bit.
    pub(super) fn encode(&self, host: &[u8], texels: &mut [u8]) {
        if self.texel.shared.is_some() {
            return;
        }
        let bytes = usize::from(self.texel.bytes);
        for (host, texel) in host.chunks_exact(self.host_bytes()).zip(texels.chunks_exact_mut(bytes)) {
            let (host, old) = (word(host), word(texel));
            if self.host_texel(old) != host {
                texel.copy_from_slice(&self.guest_texel(host, old).to_le_bytes()[..bytes]);
            }
        }
    }

    /// Whether what is drawn into it can go back to memory.
    pub(super) fn can_store(&self) -> bool {
        self.texel.shared.is_none() && usize::from(self.count) >= self.texel.layout.len()
    }
}

fn word(bytes: &[u8]) -> u128 {
    let mut all = [0; 16];
    all[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(all)
}

#[cfg(test)]
#[path = "convert/tests.rs"]
mod tests;
