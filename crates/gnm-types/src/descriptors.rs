//! Buffer (V#), image (T#) and sampler (S#) descriptors.
//!
//! Source: `docs/sources/gnm.md#descriptors` (Mesa 25.0.7, `src/amd/registers/gfx7.json`, MIT; meanings from the Sea Islands ISA
//! guide, tables 8.5 and 8.10 to 8.13).

use crate::enums::Names;
use crate::field::mask;

/// Bits of one word of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// The hardware's name.
    pub name: &'static str,
    /// Index of the word.
    pub word: u8,
    /// The lowest bit.
    pub low: u8,
    /// Bits, 1 to 32.
    pub width: u8,
    /// Names of the values.
    pub names: Option<&'static Names>,
}

impl Bits {
    /// The field of a descriptor's words; 0 beyond their end.
    #[must_use]
    pub fn of(&self, words: &[u32]) -> u32 {
        words.get(usize::from(self.word)).map_or(0, |word| word >> self.low & mask(self.width))
    }
}

macro_rules! descriptor {
    ($(#[$doc:meta])* $name:ident $words:literal $module:ident {
        $( $(#[$fdoc:meta])* $get:ident $field:ident $word:literal $low:literal $width:literal $($names:ident)?; )*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name(
            /// The words, as in memory.
            pub [u32; $words],
        );

        #[doc = concat!("Fields of [`", stringify!($name), "`].")]
        pub mod $module {
            use super::Bits;
            $(
                $(#[$fdoc])*
                pub const $field: Bits = Bits {
                    name: stringify!($field), word: $word, low: $low, width: $width,
                    names: descriptor!(@names $($names)?),
                };
            )*
            /// Every field, in order.
            pub const FIELDS: &[Bits] = &[ $( $field ),* ];
        }

        impl $name {
            $(
                $(#[$fdoc])*
                #[must_use]
                #[inline]
                pub const fn $get(&self) -> u32 {
                    self.0[$word] >> $low & mask($width)
                }
            )*

            /// The same with a field replaced by the low bits of a value.
            #[must_use]
            pub const fn with(mut self, field: Bits, value: u32) -> Self {
                let bits = mask(field.width);
                let word = &mut self.0[field.word as usize];
                *word = *word & !(bits << field.low) | (value & bits) << field.low;
                self
            }
        }
    };
    (@names) => { None };
    (@names $names:ident) => { Some(&crate::enums::$names) };
}

descriptor! {
    /// A V#: what a buffer is.
    BufferDescriptor 4 buffer {
        /// Bits 31 to 0 of the address.
        base_address BASE_ADDRESS 0 0 32;
        /// Bits 47 to 32 of the address.
        base_address_hi BASE_ADDRESS_HI 1 0 16;
        /// Bytes of a record; 0 where records are bytes.
        stride STRIDE 1 16 14;
        /// Swizzles banks of the first-level cache; changes nothing that can be read.
        cache_swizzle CACHE_SWIZZLE 1 30 1;
        /// Records are swizzled by `INDEX_STRIDE` and `ELEMENT_SIZE`.
        swizzle_enable SWIZZLE_ENABLE 1 31 1;
        /// Records, or bytes where the stride is 0.
        num_records NUM_RECORDS 2 0 32;
        /// Where the first component comes from.
        dst_sel_x DST_SEL_X 3 0 3 SELECT;
        /// Where the second component comes from.
        dst_sel_y DST_SEL_Y 3 3 3 SELECT;
        /// Where the third component comes from.
        dst_sel_z DST_SEL_Z 3 6 3 SELECT;
        /// Where the fourth component comes from.
        dst_sel_w DST_SEL_W 3 9 3 SELECT;
        /// How components are numbers.
        num_format NUM_FORMAT 3 12 3 BUF_NUM_FORMAT;
        /// Which components there are, and their bits.
        data_format DATA_FORMAT 3 15 4 BUF_DATA_FORMAT;
        /// Bytes of a swizzled element: 2 << n.
        element_size ELEMENT_SIZE 3 19 2;
        /// Records that are swizzled together: 8 << n.
        index_stride INDEX_STRIDE 3 21 2;
        /// The lane's number is added to the index.
        add_tid_enable ADD_TID_ENABLE 3 23 1;
        /// Address translation by the processor's tables.
        atc ATC 3 24 1;
        /// Address hashing.
        hash_enable HASH_ENABLE 3 25 1;
        /// The buffer is a heap.
        heap HEAP 3 26 1;
        /// Type of memory.
        mtype MTYPE 3 27 3;
        /// 0 for buffers.
        kind TYPE 3 30 2;
    }
}

impl BufferDescriptor {
    /// Address of the first byte.
    #[must_use]
    pub const fn address(&self) -> u64 {
        self.base_address() as u64 | (self.base_address_hi() as u64) << 32
    }

    /// Bytes that can be read.
    #[must_use]
    pub const fn size(&self) -> u64 {
        let stride = if self.stride() == 0 { 1 } else { self.stride() as u64 };
        self.num_records() as u64 * stride
    }

    /// Whether it is one: the type is a buffer's.
    #[must_use]
    pub const fn is_buffer(&self) -> bool {
        self.kind() == 0
    }

    /// The same at another address, whose low 48 bits count.
    #[must_use]
    pub const fn at(self, address: u64) -> Self {
        self.with(buffer::BASE_ADDRESS, address as u32).with(buffer::BASE_ADDRESS_HI, (address >> 32) as u32)
    }
}

descriptor! {
    /// A T#: what an image is. A descriptor of four words has zeros behind them.
    ImageDescriptor 8 image {
        /// Bits 39 to 8 of the address.
        base_address BASE_ADDRESS 0 0 32;
        /// Bits 47 to 40 of the address.
        base_address_hi BASE_ADDRESS_HI 1 0 8;
        /// Smallest level that is sampled, unsigned 4.8.
        min_lod MIN_LOD 1 8 12;
        /// Which components there are, and their bits.
        data_format DATA_FORMAT 1 20 6 IMG_DATA_FORMAT;
        /// How components are numbers.
        num_format NUM_FORMAT 1 26 4 IMG_NUM_FORMAT;
        /// Type of memory, low bits.
        mtype MTYPE 1 30 2;
        /// Columns of level 0 minus 1.
        width_minus_1 WIDTH 2 0 14;
        /// Lines of level 0 minus 1.
        height_minus_1 HEIGHT 2 14 14;
        /// Performance hint.
        perf_mod PERF_MOD 2 28 3;
        /// Two fields of lines.
        interlaced INTERLACED 2 31 1;
        /// Where red comes from.
        dst_sel_x DST_SEL_X 3 0 3 SELECT;
        /// Where green comes from.
        dst_sel_y DST_SEL_Y 3 3 3 SELECT;
        /// Where blue comes from.
        dst_sel_z DST_SEL_Z 3 6 3 SELECT;
        /// Where alpha comes from.
        dst_sel_w DST_SEL_W 3 9 3 SELECT;
        /// First level of the view.
        base_level BASE_LEVEL 3 12 4;
        /// Last level of the view; of multisampled images the logarithm of the samples.
        last_level LAST_LEVEL 3 16 4;
        /// Tile mode, see [`crate::tiling`].
        tiling_index TILING_INDEX 3 20 5;
        /// Levels and layers lie as if sizes were powers of two.
        pow2_pad POW2_PAD 3 25 1;
        /// Type of memory, high bit.
        mtype_high MTYPE_HIGH 3 26 1;
        /// Address translation by the processor's tables.
        atc ATC 3 27 1;
        /// Shape: 8 to 15.
        kind TYPE 3 28 4 IMG_TYPE;
        /// Slices of a 3D image, or layers, minus 1.
        depth_minus_1 DEPTH 4 0 13;
        /// Texels from one line to the next, minus 1.
        pitch_minus_1 PITCH 4 13 14;
        /// First layer of the view.
        base_array BASE_ARRAY 5 0 13;
        /// Last layer of the view.
        last_array LAST_ARRAY 5 13 13;
        /// Level below which a warning counts, unsigned 4.8.
        min_lod_warn MIN_LOD_WARN 6 0 12;
        /// Counter of levels.
        counter_bank_id COUNTER_BANK_ID 6 12 8;
        /// Counts levels.
        lod_hdw_cnt_en LOD_HDW_CNT_EN 6 20 1;
    }
}

impl ImageDescriptor {
    /// Address of the first byte.
    #[must_use]
    pub const fn address(&self) -> u64 {
        (self.base_address() as u64) << 8 | (self.base_address_hi() as u64) << 40
    }

    /// Columns of level 0.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.width_minus_1() + 1
    }

    /// Lines of level 0.
    #[must_use]
    pub const fn height(&self) -> u32 {
        self.height_minus_1() + 1
    }

    /// Slices of a 3D image, or layers.
    #[must_use]
    pub const fn depth(&self) -> u32 {
        self.depth_minus_1() + 1
    }

    /// Texels from one line to the next.
    #[must_use]
    pub const fn pitch(&self) -> u32 {
        self.pitch_minus_1() + 1
    }

    /// Whether it is one: the type is an image's.
    #[must_use]
    pub const fn is_image(&self) -> bool {
        self.kind() >= 8
    }

    /// The descriptor of four words, as `s_load_dwordx4` loads it.
    #[must_use]
    pub const fn from_four([a, b, c, d]: [u32; 4]) -> Self {
        Self([a, b, c, d, 0, 0, 0, 0])
    }

    /// The same at another address, a multiple of 256 below 2^48.
    #[must_use]
    pub const fn at(self, address: u64) -> Self {
        self.with(image::BASE_ADDRESS, (address >> 8) as u32).with(image::BASE_ADDRESS_HI, (address >> 40) as u32)
    }
}

descriptor! {
    /// An S#: how an image is sampled.
    SamplerDescriptor 4 sampler {
        /// Address mode of x.
        clamp_x CLAMP_X 0 0 3 TEX_CLAMP;
        /// Address mode of y.
        clamp_y CLAMP_Y 0 3 3 TEX_CLAMP;
        /// Address mode of z.
        clamp_z CLAMP_Z 0 6 3 TEX_CLAMP;
        /// Logarithm of the anisotropy.
        max_aniso_ratio MAX_ANISO_RATIO 0 9 3;
        /// How depth is compared.
        depth_compare_func DEPTH_COMPARE_FUNC 0 12 3 DEPTH_COMPARE;
        /// Coordinates are in texels.
        force_unnormalized FORCE_UNNORMALIZED 0 15 1;
        /// Where anisotropy begins.
        aniso_threshold ANISO_THRESHOLD 0 16 3;
        /// Coordinates are truncated for motion compensation.
        mc_coord_trunc MC_COORD_TRUNC 0 19 1;
        /// Texels are sRGB whatever the image says.
        force_degamma FORCE_DEGAMMA 0 20 1;
        /// Bias of the anisotropy.
        aniso_bias ANISO_BIAS 0 21 6;
        /// Coordinates of point samples are truncated, not rounded.
        trunc_coord TRUNC_COORD 0 27 1;
        /// No filter reaches over the edges of a cube's faces.
        disable_cube_wrap DISABLE_CUBE_WRAP 0 28 1;
        /// Blend, minimum or maximum.
        filter_mode FILTER_MODE 0 29 2;
        /// Smallest level, unsigned 4.8.
        min_lod MIN_LOD 1 0 12;
        /// Largest level, unsigned 4.8.
        max_lod MAX_LOD 1 12 12;
        /// Performance hint.
        perf_mip PERF_MIP 1 24 4;
        /// Performance hint.
        perf_z PERF_Z 1 28 4;
        /// Bias of the level, signed 6.8.
        lod_bias_bits LOD_BIAS 2 0 14;
        /// Second bias of the level.
        lod_bias_sec LOD_BIAS_SEC 2 14 6;
        /// Magnification.
        xy_mag_filter XY_MAG_FILTER 2 20 2 XY_FILTER;
        /// Minification.
        xy_min_filter XY_MIN_FILTER 2 22 2 XY_FILTER;
        /// Filter between slices.
        z_filter Z_FILTER 2 24 2;
        /// Filter between levels.
        mip_filter MIP_FILTER 2 26 2 MIP_FILTER;
        /// The level is clamped before it is rounded.
        mip_point_preclamp MIP_POINT_PRECLAMP 2 28 1;
        /// How the lowest bit is rounded.
        disable_lsb_ceil DISABLE_LSB_CEIL 2 29 1;
        /// Precision of filters.
        filter_prec_fix FILTER_PREC_FIX 2 30 1;
        /// Index in the table of border colours.
        border_color_ptr BORDER_COLOR_PTR 3 0 12;
        /// Depth was 24 bits.
        upgraded_depth UPGRADED_DEPTH 3 29 1;
        /// Where the border colour comes from.
        border_color_type BORDER_COLOR_TYPE 3 30 2 BORDER_COLOR;
    }
}

impl SamplerDescriptor {
    /// Bias of the level.
    #[must_use]
    pub fn lod_bias(&self) -> f32 {
        // Sign extension of 14 bits.
        f32::from(((self.lod_bias_bits() << 2) as i16) >> 2) / 256.0
    }

    /// Smallest and largest level.
    #[must_use]
    pub fn lods(&self) -> (f32, f32) {
        (self.min_lod() as f32 / 256.0, self.max_lod() as f32 / 256.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_read_what_was_put() {
        let buffer =
            BufferDescriptor::default().at(0xABCD_1234_5678).with(buffer::STRIDE, 12).with(buffer::NUM_RECORDS, 10);
        assert_eq!((buffer.address(), buffer.size(), buffer.is_buffer()), (0xABCD_1234_5678, 120, true));
        assert_eq!(buffer.with(buffer::STRIDE, 0).size(), 10);
        let image = ImageDescriptor::default().at(0x12_3456_7800).with(image::WIDTH, 255).with(image::TYPE, 9);
        assert_eq!((image.address(), image.width(), image.is_image()), (0x12_3456_7800, 256, true));
        assert_eq!(image.with(image::PITCH, 0x3FFF).pitch(), 0x4000);
        let sampler = SamplerDescriptor::default().with(sampler::LOD_BIAS, 0x3F00).with(sampler::MAX_LOD, 0xFFF);
        assert_eq!((sampler.lod_bias(), sampler.lods()), (-1.0, (0.0, 15.996_094)));
    }

    #[test]
    fn no_two_fields_share_a_bit() {
        for fields in [buffer::FIELDS, image::FIELDS, sampler::FIELDS] {
            let mut words = [0u32; 8];
            for field in fields {
                let bits = mask(field.width) << field.low;
                assert_eq!(words[usize::from(field.word)] & bits, 0, "{}", field.name);
                words[usize::from(field.word)] |= bits;
            }
        }
    }
}
