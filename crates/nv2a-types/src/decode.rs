//! Arguments of methods as text for people: bit fields, enumerations, numbers.

use crate::enums::{self, Names, name_of};
use crate::methods::{Format, method, row_of};
use std::fmt;

/// How a field of bits reads.
#[derive(Clone, Copy, Debug)]
pub enum Reading {
    /// A number.
    Number,
    /// Bits.
    Hex,
    /// Shown if it is set.
    Flag,
    /// A name.
    Name(Names),
    /// A number with so many bits of fraction.
    Fixed(u32),
    /// The same, in two's complement.
    Signed(u32),
    /// One less than the number.
    LessOne,
    /// A number whose power of two is meant.
    Log2,
    /// An input of a combiner: mapping, channel, source. The flag: whether it is an alpha word's.
    Input(bool),
}

/// A field of bits.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name; empty where it is the whole argument.
    pub name: &'static str,
    /// Lowest bit.
    pub low: u32,
    /// Bits.
    pub width: u32,
    /// How it reads.
    pub reading: Reading,
}

macro_rules! layouts {
    ($( $($method:ident)|+ { $( $name:literal $low:literal + $width:literal $reading:expr; )* } )*) => {
        /// Methods and the fields of their arguments. Methods that are not here read as their row's [`Format`] says.
        pub const LAYOUTS: &[(&[u16], &[Field])] = {
            use Reading::*;
            use enums::*;
            &[ $( (
                &[ $( method::$method ),+ ],
                &[ $( Field { name: $name, low: $low, width: $width, reading: $reading } ),* ],
            ) ),* ]
        };
    };
}

layouts! {
    SET_BEGIN_END { "" 0+32 Name(PRIMITIVE); }
    DRAW_ARRAYS { "first" 0+24 Number; "count" 24+8 LessOne; }
    ARRAY_ELEMENT16 { "" 0+16 Number; "" 16+16 Number; }
    ARRAY_ELEMENT32 { "" 0+32 Number; }
    SET_VERTEX_DATA_ARRAY_OFFSET { "memory" 31+1 Name(VERTEX_DMA); "offset" 0+31 Hex; }
    SET_VERTEX_DATA_ARRAY_FORMAT { "type" 0+4 Name(ARRAY_TYPE); "components" 4+4 Number; "stride" 8+24 Number; }
    SET_SURFACE_CLIP_HORIZONTAL { "x" 0+16 Number; "width" 16+16 Number; }
    SET_SURFACE_CLIP_VERTICAL { "y" 0+16 Number; "height" 16+16 Number; }
    SET_SURFACE_FORMAT {
        "color" 0+4 Name(SURFACE_COLOR); "zeta" 4+4 Name(SURFACE_ZETA); "type" 8+4 Name(SURFACE_TYPE);
        "anti-aliasing" 12+4 Name(ANTI_ALIASING); "width" 16+8 Log2; "height" 24+8 Log2;
    }
    SET_SURFACE_PITCH { "color" 0+16 Number; "zeta" 16+16 Number; }
    SET_CONTROL0 {
        "stencil write" 0+1 Flag; "z" 12+1 Name(Z_FORMAT); "w-buffer" 16+1 Flag; "texture perspective" 20+1 Flag;
        "convert CrYCb" 28+4 Number;
    }
    SET_LIGHT_CONTROL { "separate specular" 0+1 Flag; "local eye" 16+1 Flag; "alpha from material specular" 17+1 Flag; }
    SET_COLOR_MATERIAL {
        "emission" 0+2 Name(COLOR_SOURCE); "ambient" 2+2 Name(COLOR_SOURCE); "diffuse" 4+2 Name(COLOR_SOURCE);
        "specular" 6+2 Name(COLOR_SOURCE); "back emission" 8+2 Name(COLOR_SOURCE);
        "back ambient" 10+2 Name(COLOR_SOURCE); "back diffuse" 12+2 Name(COLOR_SOURCE);
        "back specular" 14+2 Name(COLOR_SOURCE);
    }
    SET_FOG_MODE { "" 0+32 Name(FOG_MODE); }
    SET_FOG_GEN_MODE { "" 0+32 Name(FOG_GEN_MODE); }
    SET_WINDOW_CLIP_TYPE { "" 0+32 Name(WINDOW_CLIP); }
    SET_WINDOW_CLIP_HORIZONTAL | SET_WINDOW_CLIP_VERTICAL { "first" 0+12 Number; "last" 16+12 Number; }
    SET_ALPHA_FUNC | SET_DEPTH_FUNC | SET_STENCIL_FUNC { "" 0+32 Name(COMPARE); }
    SET_BLEND_FUNC_SFACTOR | SET_BLEND_FUNC_DFACTOR { "" 0+32 Name(BLEND_FACTOR); }
    SET_BLEND_EQUATION { "" 0+32 Name(BLEND_EQUATION); }
    SET_COLOR_MASK { "B" 0+1 Flag; "G" 8+1 Flag; "R" 16+1 Flag; "A" 24+1 Flag; }
    SET_STENCIL_OP_FAIL | SET_STENCIL_OP_ZFAIL | SET_STENCIL_OP_ZPASS { "" 0+32 Name(STENCIL_OP); }
    SET_SHADE_MODEL { "" 0+32 Name(SHADE_MODEL); }
    SET_LINE_WIDTH | SET_POINT_SIZE { "" 0+32 Fixed(3); }
    SET_FRONT_POLYGON_MODE | SET_BACK_POLYGON_MODE { "" 0+32 Name(POLYGON_MODE); }
    SET_CULL_FACE { "" 0+32 Name(CULL_FACE); }
    SET_FRONT_FACE { "" 0+32 Name(FRONT_FACE); }
    SET_SKIN_MODE { "" 0+32 Name(SKIN_MODE); }
    SET_FLAT_SHADE_OP { "" 0+32 Name(FLAT_SHADE_OP); }
    SET_LOGIC_OP { "" 0+32 Name(LOGIC_OP); }
    SET_LIGHT_ENABLE_MASK {
        "0" 0+2 Name(LIGHT); "1" 2+2 Name(LIGHT); "2" 4+2 Name(LIGHT); "3" 6+2 Name(LIGHT); "4" 8+2 Name(LIGHT);
        "5" 10+2 Name(LIGHT); "6" 12+2 Name(LIGHT); "7" 14+2 Name(LIGHT);
    }
    SET_TEXGEN_S | SET_TEXGEN_T | SET_TEXGEN_R | SET_TEXGEN_Q { "" 0+32 Name(TEXGEN); }
    SET_TEXGEN_VIEW_MODEL { "" 0+32 Name(VIEWER); }
    SET_COMBINER_ALPHA_ICW { "A" 24+8 Input(true); "B" 16+8 Input(true); "C" 8+8 Input(true); "D" 0+8 Input(true); }
    SET_COMBINER_COLOR_ICW { "A" 24+8 Input(false); "B" 16+8 Input(false); "C" 8+8 Input(false); "D" 0+8 Input(false); }
    SET_COMBINER_ALPHA_OCW {
        "AB" 4+4 Name(COMBINER_SOURCE); "CD" 0+4 Name(COMBINER_SOURCE); "AB+CD" 8+4 Name(COMBINER_SOURCE);
        "mux" 14+1 Flag; "bias" 15+1 Flag; "shift" 16+2 Number;
    }
    SET_COMBINER_COLOR_OCW {
        "AB" 4+4 Name(COMBINER_SOURCE); "CD" 0+4 Name(COMBINER_SOURCE); "AB+CD" 8+4 Name(COMBINER_SOURCE);
        "CD dot" 12+1 Flag; "AB dot" 13+1 Flag; "mux" 14+1 Flag; "bias" 15+1 Flag; "shift" 16+2 Number;
        "CD blue to alpha" 18+1 Flag; "AB blue to alpha" 19+1 Flag;
    }
    SET_COMBINER_SPECULAR_FOG_CW0 {
        "A" 24+8 Input(false); "B" 16+8 Input(false); "C" 8+8 Input(false); "D" 0+8 Input(false);
    }
    SET_COMBINER_SPECULAR_FOG_CW1 {
        "E" 24+8 Input(false); "F" 16+8 Input(false); "G" 8+8 Input(true); "clamp v1+r0" 7+1 Flag; "1-v1" 6+1 Flag;
        "1-r0" 5+1 Flag;
    }
    SET_COMBINER_CONTROL {
        "stages" 0+8 Number; "mux on MSB" 8+1 Flag; "own c0" 12+1 Flag; "own c1" 16+1 Flag;
    }
    SET_SHADER_STAGE_PROGRAM {
        "0" 0+5 Name(STAGE_PROGRAM); "1" 5+5 Name(STAGE_PROGRAM); "2" 10+5 Name(STAGE_PROGRAM);
        "3" 15+5 Name(STAGE_PROGRAM);
    }
    SET_DOT_RGBMAPPING { "1" 0+4 Name(DOT_MAPPING); "2" 4+4 Name(DOT_MAPPING); "3" 8+4 Name(DOT_MAPPING); }
    SET_SHADER_OTHER_STAGE_INPUT { "1" 0+16 Number; "2" 16+4 Number; "3" 20+4 Number; }
    SET_SHADER_CLIP_PLANE_MODE { "0" 0+4 Hex; "1" 4+4 Hex; "2" 8+4 Hex; "3" 12+4 Hex; }
    SET_SHADOW_COMPARE_FUNC { "" 0+32 Name(SHADOW_COMPARE); }
    SET_TEXTURE_FORMAT {
        "memory" 0+2 Name(TEXTURE_DMA); "cube" 2+1 Flag; "border" 3+1 Name(BORDER_SOURCE); "dimensions" 4+4 Number;
        "color" 8+8 Name(TEXTURE_COLOR); "levels" 16+4 Number; "u" 20+4 Log2; "v" 24+4 Log2; "p" 28+4 Log2;
    }
    SET_TEXTURE_ADDRESS {
        "u" 0+4 Name(ADDRESS); "wrap u" 4+1 Flag; "v" 8+4 Name(ADDRESS); "wrap v" 12+1 Flag; "p" 16+4 Name(ADDRESS);
        "wrap p" 20+1 Flag; "wrap q" 24+1 Flag;
    }
    SET_TEXTURE_CONTROL0 {
        "enable" 30+1 Flag; "min LOD" 18+12 Fixed(8); "max LOD" 6+12 Fixed(8); "anisotropy" 4+2 Log2;
        "alpha kill" 2+1 Flag; "color key" 0+2 Name(COLOR_KEY);
    }
    SET_TEXTURE_CONTROL1 { "pitch" 16+16 Number; }
    SET_TEXTURE_FILTER {
        "LOD bias" 0+13 Signed(8); "kernel" 13+3 Name(KERNEL); "min" 16+8 Name(MIN_FILTER); "mag" 24+4 Name(MAG_FILTER);
        "signed A" 28+1 Flag; "signed R" 29+1 Flag; "signed G" 30+1 Flag; "signed B" 31+1 Flag;
    }
    SET_TEXTURE_IMAGE_RECT { "width" 16+16 Number; "height" 0+16 Number; }
    SET_TEXTURE_PALETTE { "memory B" 0+1 Flag; "length" 2+2 Name(PALETTE_LENGTH); "offset" 0+32 Hex; }
    SET_ZMIN_MAX_CONTROL { "cull near and far" 0+1 Flag; "z" 4+1 Name(ZCLAMP); "ignore sign of w" 8+1 Flag; }
    SET_ANTI_ALIASING_CONTROL { "on" 0+1 Flag; "sample mask" 16+16 Hex; }
    CLEAR_SURFACE {
        "Z" 0+1 Flag; "stencil" 1+1 Flag; "R" 4+1 Flag; "G" 5+1 Flag; "B" 6+1 Flag; "A" 7+1 Flag;
    }
    SET_CLEAR_RECT_HORIZONTAL | SET_CLEAR_RECT_VERTICAL { "first" 0+16 Number; "last" 16+16 Number; }
    GET_REPORT { "type" 24+8 Name(REPORT); "offset" 0+24 Hex; }
    SET_BEGIN_PATCH0 | SET_BEGIN_TRANSITION0 {
        "v0" 0+4 Number; "v1" 4+4 Number; "v2" 8+4 Number; "v3" 12+4 Number; "v4" 16+4 Number; "v5" 20+4 Number;
        "v6" 24+4 Number; "v7" 28+4 Number;
    }
    SET_BEGIN_PATCH1 | SET_BEGIN_TRANSITION1 {
        "v8" 0+4 Number; "v9" 4+4 Number; "v10" 8+4 Number; "v11" 12+4 Number; "v12" 16+4 Number; "v13" 20+4 Number;
        "v14" 24+4 Number; "v15" 28+4 Number;
    }
    SET_BEGIN_PATCH2 {
        "columns" 0+8 Number; "rows" 8+8 Number; "swatch size" 16+5 Number; "rest of rows" 21+5 Number;
        "rest of columns" 26+5 Number;
    }
    SET_BEGIN_PATCH3 {
        "transitions of columns" 0+3 Name(PATCH_TRANSITIONS); "of rows" 3+3 Name(PATCH_TRANSITIONS); "bits 6" 6+4 Number;
        "bits 10" 10+4 Number; "bits 14" 14+2 Number; "any size" 16+1 Flag; "vectors" 24+8 Number;
    }
    SET_TRANSFORM_EXECUTION_MODE { "" 0+2 Name(EXECUTION_MODE); "range" 2+30 Name(EXECUTION_RANGE); }
}

/// An argument of a method, to be printed.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Byte offset of the method.
    pub method: u16,
    /// The word.
    pub word: u32,
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(row) = row_of(self.method) else { return write!(f, "{:#010x}", self.word) };
        if let Some((_, fields)) = LAYOUTS.iter().find(|(methods, _)| methods.contains(&row.offset)) {
            return write_fields(f, fields, self.word);
        }
        match row.format {
            Format::Float => write!(f, "{}", f32::from_bits(self.word)),
            Format::Hex => write!(f, "{:#x}", self.word),
            Format::Bool => match self.word {
                0 => write!(f, "off"),
                1 => write!(f, "on"),
                word => write!(f, "on ({word:#x})"),
            },
            Format::Halves => write!(f, "{}, {}", self.word & 0xFFFF, self.word >> 16),
            Format::Short => write!(f, "{}, {}", self.word as i16, (self.word >> 16) as i16),
            Format::Bytes => {
                let [a, b, c, d] = self.word.to_le_bytes();
                write!(f, "{a}, {b}, {c}, {d}")
            }
            Format::Color | Format::ColorAbgr => write!(f, "#{:08X}", self.word),
        }
    }
}

fn write_fields(f: &mut fmt::Formatter<'_>, fields: &[Field], word: u32) -> fmt::Result {
    let mut first = true;
    let mut rest = word;
    for field in fields {
        let mask = if field.width == 32 { u32::MAX } else { (1 << field.width) - 1 };
        let value = word >> field.low & mask;
        rest &= !(mask << field.low);
        if matches!(field.reading, Reading::Flag) && value == 0 {
            continue;
        }
        if !std::mem::take(&mut first) {
            f.write_str(", ")?;
        }
        f.write_str(field.name)?;
        if matches!(field.reading, Reading::Flag) {
            continue;
        }
        if !field.name.is_empty() {
            f.write_str(" ")?;
        }
        write_value(f, field, value)?;
    }
    if first {
        f.write_str("0")?;
    }
    // Bits that have no field are shown, so that nothing is hidden.
    if rest != 0 { write!(f, ", other bits {rest:#x}") } else { Ok(()) }
}

fn write_value(f: &mut fmt::Formatter<'_>, field: &Field, value: u32) -> fmt::Result {
    match field.reading {
        Reading::Number => write!(f, "{value}"),
        Reading::Hex => write!(f, "{value:#x}"),
        Reading::Flag => Ok(()),
        Reading::Name(names) => match name_of(names, value) {
            Some(name) => f.write_str(name),
            None => write!(f, "{value:#x}?"),
        },
        Reading::Fixed(bits) => write!(f, "{}", f64::from(value) / f64::from(1u32 << bits)),
        Reading::Signed(bits) => {
            let shift = 32 - field.width;
            write!(f, "{}", f64::from((value << shift) as i32 >> shift) / f64::from(1u32 << bits))
        }
        Reading::LessOne => write!(f, "{}", u64::from(value) + 1),
        Reading::Log2 => write!(f, "{}", 1u64 << value.min(63)),
        Reading::Input(alpha) => write_input(f, alpha, value),
    }
}

/// An input of a combiner as a formula.
fn write_input(f: &mut fmt::Formatter<'_>, alpha: bool, value: u32) -> fmt::Result {
    let source = name_of(enums::COMBINER_SOURCE, value & 15).unwrap_or("?");
    let channel = match (alpha, value >> 4 & 1) {
        _ if value & 15 == 0 => "",
        (_, 1) => ".a",
        (true, _) => ".b",
        (false, _) => ".rgb",
    };
    match value >> 5 & 7 {
        0 => write!(f, "{source}{channel}"),
        1 => write!(f, "1-{source}{channel}"),
        2 => write!(f, "2*{source}{channel}-1"),
        3 => write!(f, "1-2*{source}{channel}"),
        4 => write!(f, "{source}{channel}-0.5"),
        5 => write!(f, "0.5-{source}{channel}"),
        6 => write!(f, "signed {source}{channel}"),
        _ => write!(f, "-{source}{channel}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enumerations::is_enumeration;
    use crate::methods::{METHODS, What};

    /// States whose words have no fields: addresses and references, masks and patterns.
    const WHOLE: &[u16] = &[
        method::SET_CONTEXT_DMA_A,
        method::SET_CONTEXT_DMA_B,
        method::SET_CONTEXT_DMA_STATE,
        method::SET_CONTEXT_DMA_COLOR,
        method::SET_CONTEXT_DMA_ZETA,
        method::SET_CONTEXT_DMA_VERTEX_A,
        method::SET_CONTEXT_DMA_VERTEX_B,
        method::SET_SURFACE_COLOR_OFFSET,
        method::SET_SURFACE_ZETA_OFFSET,
        method::SET_TEXTURE_OFFSET,
        method::SET_TRANSFORM_PROGRAM_START,
        method::SET_ALPHA_REF,
        method::SET_STENCIL_FUNC_REF,
        method::SET_STENCIL_FUNC_MASK,
        method::SET_STENCIL_MASK,
        method::SET_DEPTH_MASK,
        method::SET_STIPPLE_PATERN_0,
    ];

    #[test]
    fn bits_of_states_have_fields_or_are_whole() {
        let has = |offset| LAYOUTS.iter().any(|(methods, _)| methods.contains(&offset));
        for row in METHODS.iter().filter(|row| row.format == Format::Hex && row.what != What::None) {
            assert_ne!(has(row.offset), WHOLE.contains(&row.offset), "{}", row.name);
        }
    }

    /// Methods with names for their numbers that no picture of a console shows to refuse others.
    const TAKES_ALL: &[u16] = &[
        method::SET_FOG_MODE,
        method::SET_FOG_GEN_MODE,
        method::SET_WINDOW_CLIP_TYPE,
        method::SET_SKIN_MODE,
        method::SET_FLAT_SHADE_OP,
        method::SET_LOGIC_OP,
        method::SET_TEXGEN_S,
        method::SET_TEXGEN_T,
        method::SET_TEXGEN_R,
        method::SET_TEXGEN_Q,
        method::SET_TEXGEN_VIEW_MODEL,
        method::SET_SHADOW_COMPARE_FUNC,
    ];

    #[test]
    fn states_with_names_refuse_other_numbers_or_are_known_to_take_all() {
        let names = |fields: &[Field]| matches!(fields, [Field { width: 32, reading: Reading::Name(_), .. }]);
        let methods = LAYOUTS.iter().filter(|(_, fields)| names(fields)).flat_map(|(methods, _)| *methods);
        for offset in methods {
            let row = row_of(*offset).expect("a method");
            let of_state = row.what != What::None;
            assert_ne!(is_enumeration(*offset) || !of_state, TAKES_ALL.contains(offset), "{}", row.name);
        }
    }

    fn text(method: u16, word: u32) -> String {
        Argument { method, word }.to_string()
    }

    #[test]
    fn arguments_read_as_their_methods_say() {
        assert_eq!(text(method::SET_BEGIN_END, 6), "triangle strip");
        assert_eq!(text(method::DRAW_ARRAYS, 0xFF00_0003), "first 3, count 256");
        let surface = "color A8R8G8B8, zeta Z24S8, type pitch, anti-aliasing center 1, width 1, height 1";
        assert_eq!(text(method::SET_SURFACE_FORMAT, 0x128), surface);
        assert_eq!(text(method::CLEAR_SURFACE, 0xF3), "Z, stencil, R, G, B, A");
        assert_eq!(text(method::CLEAR_SURFACE, 0x100), "0, other bits 0x100");
        assert_eq!(
            text(method::SET_TEXTURE_FILTER + 0x40, 0x0202_1FC0),
            "LOD bias -0.25, kernel 0x0?, min linear, mag linear"
        );
        assert_eq!(text(method::SET_COMBINER_COLOR_ICW + 4, 0x0820_0000), "A t0.rgb, B 1-0, C 0, D 0");
        assert_eq!(text(method::SET_COMBINER_ALPHA_ICW, 0x1808_0000), "A t0.a, B t0.b, C 0, D 0");
        assert_eq!(text(method::SET_CLIP_MAX, 1.5f32.to_bits()), "1.5");
        assert_eq!(text(method::SET_DEPTH_FUNC, 3), "0x3?");
        assert_eq!(text(0x1FFC, 3), "0x00000003");
    }

    #[test]
    fn words_of_patches_read_as_their_fields() {
        let attributes = "v0 4, v1 0, v2 3, v3 0, v4 0, v5 0, v6 0, v7 1";
        assert_eq!(text(method::SET_BEGIN_PATCH0, 0x1000_0304), attributes);
        assert_eq!(text(method::SET_BEGIN_TRANSITION0, 0x1000_0304), attributes);
        let counts = "columns 1, rows 2, swatch size 17, rest of rows 3, rest of columns 4, other bits 0x80000000";
        assert_eq!(text(method::SET_BEGIN_PATCH2, 0x8000_0000 | 4 << 26 | 3 << 21 | 17 << 16 | 2 << 8 | 1), counts);
        let rest = "transitions of columns first, reversed, of rows both, bits 6 4, bits 10 0, bits 14 1, any size, vectors 16";
        assert_eq!(text(method::SET_BEGIN_PATCH3, 16 << 24 | 5 << 14 | 4 << 6 | 3 << 3 | 5), rest);
        assert_eq!(text(method::SET_CURVE_COEFFICIENTS + 12, 0.5f32.to_bits()), "0.5");
        assert_eq!(text(method::SET_BEGIN_END_SWATCH, 0x12), "0x12");
    }

    #[test]
    fn every_layout_belongs_to_a_row_and_its_fields_fit() {
        for (methods, fields) in LAYOUTS {
            assert!(methods.iter().all(|&offset| row_of(offset).map(|row| row.offset) == Some(offset)));
            assert!(fields.iter().all(|field| field.width > 0 && field.low + field.width <= 32));
        }
    }
}
