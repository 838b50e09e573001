//! Vertex declarations: which stream and which bytes of its vertices each attribute is read from.
//!
//! Source: `docs/sources/nv2a.md#vertices` for types, `docs/sources/nv2a.md#direct3d-calls` for streams and attributes.

use super::DriverError;
use afterimage_nv2a_types::ATTRIBUTES;

/// Streams of `SetStreamSource`.
pub const STREAMS: usize = 16;

/// Attribute slots by their names in the fixed function.
pub mod slot {
    #![allow(missing_docs, reason = "the names say it")]
    pub const POSITION: usize = 0;
    pub const WEIGHT: usize = 1;
    pub const NORMAL: usize = 2;
    pub const DIFFUSE: usize = 3;
    pub const SPECULAR: usize = 4;
    pub const FOG: usize = 5;
    pub const POINT_SIZE: usize = 6;
    pub const BACK_DIFFUSE: usize = 7;
    pub const BACK_SPECULAR: usize = 8;
    pub const TEXTURE0: usize = 9;
}

macro_rules! element_types {
    ($( $(#[$doc:meta])* $name:ident = $bits:literal, $bytes:literal; )*) => {
        /// Types of attributes. The number is the low byte of `SET_VERTEX_DATA_ARRAY_FORMAT`, which the Xbox's
        /// `D3DVSDT_...` constants equal: type in bits 0 to 3, components in bits 4 to 7.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum ElementType { $( $(#[$doc])* $name = $bits ),* }

        impl ElementType {
            /// Every type.
            pub const ALL: &'static [Self] = &[ $( Self::$name ),* ];

            /// Bytes of an attribute in memory.
            #[must_use]
            pub const fn bytes(self) -> u32 {
                match self { $( Self::$name => $bytes ),* }
            }
        }
    };
}

element_types! {
    /// One float.
    Float1 = 0x12, 4;
    /// Two floats.
    Float2 = 0x22, 8;
    /// Three floats.
    Float3 = 0x32, 12;
    /// Four floats.
    Float4 = 0x42, 16;
    /// Four bytes, blue first, normalised.
    Color = 0x40, 4;
    /// One 16-bit integer, normalised.
    NormShort1 = 0x11, 2;
    /// Two 16-bit integers, normalised.
    NormShort2 = 0x21, 4;
    /// Three 16-bit integers, normalised.
    NormShort3 = 0x31, 6;
    /// Four 16-bit integers, normalised.
    NormShort4 = 0x41, 8;
    /// 11, 11 and 10 signed bits, normalised.
    NormPacked3 = 0x16, 4;
    /// One 16-bit integer.
    Short1 = 0x15, 2;
    /// Two 16-bit integers.
    Short2 = 0x25, 4;
    /// Three 16-bit integers.
    Short3 = 0x35, 6;
    /// Four 16-bit integers.
    Short4 = 0x45, 8;
    /// One byte, normalised.
    PByte1 = 0x14, 1;
    /// Two bytes, normalised.
    PByte2 = 0x24, 2;
    /// Three bytes, normalised.
    PByte3 = 0x34, 3;
    /// Four bytes, red first, normalised.
    PByte4 = 0x44, 4;
}

/// One attribute of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Element {
    /// Attribute slot, 0 to 15.
    pub attribute: u8,
    /// Stream, 0 to 15.
    pub stream: u8,
    /// Bytes from the start of the stream's vertex.
    pub offset: u16,
    /// Type.
    pub ty: ElementType,
}

/// A vertex declaration: at most one element per attribute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declaration {
    elements: [Option<Element>; ATTRIBUTES],
}

impl Declaration {
    /// Checks elements.
    ///
    /// # Errors
    /// [`DriverError::Element`] names the element whose attribute or stream does not exist, or whose attribute another has.
    pub fn new(elements: &[Element]) -> Result<Self, DriverError> {
        let mut declaration = Self::default();
        for (index, element) in elements.iter().enumerate() {
            let slot = declaration.elements.get_mut(usize::from(element.attribute));
            match slot {
                Some(slot @ None) if usize::from(element.stream) < STREAMS => *slot = Some(*element),
                _ => return Err(DriverError::Element { index, attribute: element.attribute, stream: element.stream }),
            }
        }
        Ok(declaration)
    }

    /// The elements, in the order of their attributes.
    pub fn elements(&self) -> impl Iterator<Item = &Element> {
        self.elements.iter().flatten()
    }

    /// The element of an attribute.
    #[must_use]
    pub fn element(&self, attribute: usize) -> Option<&Element> {
        self.elements.get(attribute)?.as_ref()
    }

    /// Words of a vertex in an inline array: each attribute takes whole words.
    #[must_use]
    pub fn inline_words(&self) -> usize {
        self.elements().map(|e| e.ty.bytes().div_ceil(4) as usize).sum()
    }
}
