//! Samplers: S# descriptors as objects of the receiver.

use super::Translator;
use crate::memory::GuestMemory;
use afterimage_gnm_types::{SamplerDescriptor, enums, value::*};
use afterimage_stream::packets::*;
use afterimage_stream::{DeviceFeatures, ObjectId, ObjectKind, Port};
use rustc_hash::FxHashMap;

/// Samplers that are kept.
const MOST: usize = 1024;

/// Values of `FILTER_MODE`.
const FILTER_MODE_MINIMUM: u32 = 1;
const FILTER_MODE_MAXIMUM: u32 = 2;

/// All that a sampler of the host depends on. How anisotropy saves samples where they are not seen (`ANISO_THRESHOLD`,
/// `ANISO_BIAS`, `PERF_MIP`) is the host's own affair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    words: [u32; 4],
    /// Colours are decoded from sRGB.
    srgb: bool,
    /// Texels are integers.
    integer: bool,
    /// The program compares.
    compare: bool,
    /// Smallest level of the image, unsigned 4.8.
    min_lod: u32,
    /// Bits of the border colour, where a table has it.
    border: [u32; 4],
}

/// Samplers that the receiver has.
#[derive(Debug, Default)]
pub(super) struct Samplers(FxHashMap<Key, ObjectId>);

impl Samplers {
    /// The receiver is gone, and with it every sampler.
    pub(super) fn forget(&mut self, port: &mut Port) {
        self.0.drain().for_each(|(_, id)| port.recycle(id));
    }
}

/// An address mode. What clamps or mirrors up to the border, or half of it, has no mode of its own.
fn address(mode: u32) -> Address {
    enums::TEX_CLAMP::of(mode).unwrap_or(match mode {
        SQ_TEX_MIRROR_ONCE_HALF_BORDER | SQ_TEX_MIRROR_ONCE_BORDER => Address::MirrorOnce,
        _ => Address::ClampToBorder,
    })
}

/// A comparison; its field holds no other numbers.
fn compare(number: u32) -> u8 {
    enums::DEPTH_COMPARE::of(number).unwrap_or(Compare::Always) as u8
}

/// What the host is asked for.
fn describe(key: &Key) -> CreateSampler {
    let words = SamplerDescriptor(key.words);
    let linear = |filter: u32| u8::from(filter & 1 == SQ_TEX_XY_FILTER_BILINEAR);
    let (min_lod, max_lod) = words.lods();
    let min_lod = min_lod.max(key.min_lod as f32 / 256.0);
    let filters = [words.xy_mag_filter(), words.xy_min_filter()];
    let anisotropic = filters.iter().any(|filter| *filter >= SQ_TEX_XY_FILTER_ANISO_POINT);
    let one = if key.integer { f32::from_bits(1) } else { 1.0 };
    let border = match words.border_color_type() {
        SQ_TEX_BORDER_COLOR_TRANS_BLACK => [0.0; 4],
        SQ_TEX_BORDER_COLOR_OPAQUE_BLACK => [0.0, 0.0, 0.0, one],
        SQ_TEX_BORDER_COLOR_OPAQUE_WHITE => [one; 4],
        _ if key.integer => key.border.map(f32::from_bits),
        _ => key.border.map(f32::from_bits).map(|channel| if channel.is_finite() { channel } else { 0.0 }),
    };
    let reduction = match words.filter_mode() {
        FILTER_MODE_MINIMUM => CreateSampler::MINIMUM,
        FILTER_MODE_MAXIMUM => CreateSampler::MAXIMUM,
        _ => 0,
    };
    let flags = reduction | if key.integer { CreateSampler::INTEGER_BORDER } else { 0 };
    CreateSampler {
        id: ObjectId::NONE,
        mag: linear(filters[0]),
        min: linear(filters[1]),
        mip: u8::from(words.mip_filter() == SQ_TEX_MIP_FILTER_LINEAR),
        mipmapped: u8::from(words.mip_filter() != SQ_TEX_MIP_FILTER_NONE),
        address: [words.clamp_x(), words.clamp_y(), words.clamp_z()].map(|mode| address(mode) as u8),
        compare_enable: key.compare.into(),
        compare: if key.compare { compare(words.depth_compare_func()) } else { 0 },
        srgb: (key.srgb || words.force_degamma() != 0).into(),
        gather: 0,
        flags,
        lod_bias: words.lod_bias(),
        min_lod,
        max_anisotropy: if anisotropic { (1u32 << words.max_aniso_ratio().min(4)) as f32 } else { 1.0 },
        border,
        max_lod: max_lod.max(min_lod),
    }
}

impl Translator {
    /// The sampler for a descriptor, used with an image of this smallest level.
    pub(super) fn sampler(
        &mut self,
        table: u64,
        memory: &dyn GuestMemory,
        descriptor: SamplerDescriptor,
        use_: SamplerUse,
    ) -> ObjectId {
        let from_table = descriptor.border_color_type() == SQ_TEX_BORDER_COLOR_REGISTER;
        let border = if from_table { self.border_color(table, memory, descriptor) } else { [0; 4] };
        let SamplerUse { srgb, integer, compare, min_lod } = use_;
        let key = Key { words: descriptor.0, srgb, integer, compare, min_lod, border };
        if let Some(id) = self.samplers.0.get(&key) {
            return *id;
        }
        let reduces = matches!(descriptor.filter_mode(), FILTER_MODE_MINIMUM | FILTER_MODE_MAXIMUM);
        if reduces && (compare || self.port.device().features & DeviceFeatures::MINIMUM_FILTER == 0) {
            let why = if compare { "goes with no comparison" } else { "is not supported by the device" };
            self.once.warn(format!("S#.FILTER_MODE of minimum or maximum {why}: texels are blended"));
        }
        let modes = [descriptor.clamp_x(), descriptor.clamp_y(), descriptor.clamp_z()];
        if modes.iter().any(|mode| matches!(*mode, SQ_TEX_CLAMP_HALF_BORDER | SQ_TEX_MIRROR_ONCE_HALF_BORDER)) {
            self.once.warn("S#.CLAMP with half of the border is not supported: all of it is clamped to");
        }
        if modes.contains(&SQ_TEX_MIRROR_ONCE_BORDER) {
            self.once.warn("S#.CLAMP that mirrors once up to the border is not supported: the edge goes on");
        }
        let Ok(id) = self.port.allocate(ObjectKind::Sampler) else { return ObjectId::NONE };
        self.port.push(&CreateSampler { id, ..describe(&key) });
        self.samplers.0.insert(key, id);
        id
    }

    /// A border colour of the table in memory: four floats.
    fn border_color(&mut self, table: u64, memory: &dyn GuestMemory, descriptor: SamplerDescriptor) -> [u32; 4] {
        let at = table + 16 * u64::from(descriptor.border_color_ptr());
        [0, 4, 8, 12].map(|offset| {
            memory.word(at + offset).unwrap_or_else(|| {
                self.once.warn(format!("the border colour at {at:#x} is not mapped: it is black"));
                0
            })
        })
    }

    /// Where too many samplers are kept, drops them all, or tables; those in use are made again. To be called between draws.
    pub(super) fn bound_samplers(&mut self) {
        self.bound_tables();
        if self.samplers.0.len() > MOST {
            self.bindings.forget_textures(&mut self.port);
            self.tables.forget_samplers();
            self.samplers.0.drain().for_each(|(_, id)| self.port.destroy(id));
            self.moved += 1;
        }
    }
}

/// What a sampler is used with.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SamplerUse {
    /// Colours are decoded from sRGB.
    pub(super) srgb: bool,
    /// Texels are integers.
    pub(super) integer: bool,
    /// The program compares.
    pub(super) compare: bool,
    /// Smallest level of the image, unsigned 4.8.
    pub(super) min_lod: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterimage_gnm_types::descriptors::sampler as s;

    #[test]
    fn every_field_has_its_effect() {
        let words = SamplerDescriptor::default()
            .with(s::CLAMP_X, SQ_TEX_MIRROR)
            .with(s::CLAMP_Y, SQ_TEX_CLAMP_BORDER)
            .with(s::CLAMP_Z, SQ_TEX_MIRROR_ONCE_LAST_TEXEL)
            .with(s::XY_MAG_FILTER, SQ_TEX_XY_FILTER_ANISO_BILINEAR)
            .with(s::MIP_FILTER, SQ_TEX_MIP_FILTER_LINEAR)
            .with(s::MAX_ANISO_RATIO, 3)
            .with(s::DEPTH_COMPARE_FUNC, 3)
            .with(s::MIN_LOD, 0x80)
            .with(s::MAX_LOD, 0x380)
            .with(s::LOD_BIAS, 0x3F80)
            .with(s::BORDER_COLOR_TYPE, SQ_TEX_BORDER_COLOR_OPAQUE_WHITE);
        let key = Key { words: words.0, srgb: true, integer: false, compare: true, min_lod: 0x100, border: [0; 4] };
        let sampler = describe(&key);
        assert_eq!([sampler.mag, sampler.min, sampler.mip, sampler.mipmapped], [1, 0, 1, 1]);
        assert_eq!(sampler.address, [Address::Mirror as u8, Address::ClampToBorder as u8, Address::MirrorOnce as u8]);
        assert_eq!((sampler.compare_enable, sampler.compare, sampler.srgb), (1, Compare::LessEqual as u8, 1));
        assert_eq!((sampler.min_lod, sampler.max_lod, sampler.lod_bias), (1.0, 3.5, -0.5));
        assert_eq!((sampler.max_anisotropy, sampler.border), (8.0, [1.0; 4]));
        let plain = describe(&Key { compare: false, ..key });
        assert_eq!((plain.compare_enable, plain.compare), (0, 0));
        let words = words.with(s::FILTER_MODE, FILTER_MODE_MAXIMUM);
        let integers = describe(&Key { words: words.0, integer: true, ..key });
        assert_eq!(integers.border.map(f32::to_bits), [1; 4]);
        assert_eq!(integers.flags, CreateSampler::MAXIMUM | CreateSampler::INTEGER_BORDER);
    }
}
