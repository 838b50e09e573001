//! What a vertex stage hands to a pixel stage.

use crate::varyings::d3d9::{COLOR_COUNT, COLORS, FIRST_EXTRA, FOG, MAX_EXTRA, TEXCOORD_COUNT, TEXCOORDS};
use bytemuck::{Pod, Zeroable};

macro_rules! usages {
    ($($(#[$doc:meta])* $variant:ident = $number:literal $text:literal,)*) => {
        /// Meaning of a vertex element or varying. Numbers are Direct3D's (`D3DDECLUSAGE_*`), whose pipelines are linked by them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Usage { $($(#[$doc])* $variant = $number),* }

        impl Usage {
            /// All values, with their text in assembly.
            pub const ALL: &'static [(Self, &'static str)] = &[$((Self::$variant, $text)),*];

            /// The value with this number, if there is one.
            #[must_use]
            pub fn from_number(number: u8) -> Option<Self> {
                match number { $($number => Some(Self::$variant),)* _ => None }
            }

            /// Text in assembly.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }
        }
    };
}

usages! {
    /// Position.
    Position = 0 "position",
    /// Blend weights.
    BlendWeight = 1 "blendweight",
    /// Blend indices.
    BlendIndices = 2 "blendindices",
    /// Normal.
    Normal = 3 "normal",
    /// Point size.
    PSize = 4 "psize",
    /// Texture coordinate.
    TexCoord = 5 "texcoord",
    /// Tangent.
    Tangent = 6 "tangent",
    /// Binormal.
    Binormal = 7 "binormal",
    /// Tessellation factor.
    TessFactor = 8 "tessfactor",
    /// Transformed position.
    PositionT = 9 "positiont",
    /// Colour.
    Color = 10 "color",
    /// Fog.
    Fog = 11 "fog",
    /// Depth.
    Depth = 12 "depth",
    /// Displacement map sample.
    Sample = 13 "sample",
}

impl Usage {
    /// The fixed location of a varying with this meaning, if it has one.
    #[must_use]
    pub const fn fixed_location(self, index: u8) -> Option<u8> {
        match self {
            Self::Color if index < COLOR_COUNT => Some(COLORS + index),
            Self::TexCoord if index < TEXCOORD_COUNT => Some(TEXCOORDS + index),
            Self::Fog if index == 0 => Some(FOG),
            _ => None,
        }
    }
}

/// A meaning without a fixed location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Extra {
    /// [`Usage`] as a number, plus one; 0 marks an entry that is not in use.
    pub usage: u8,
    /// Its index.
    pub index: u8,
}

impl Extra {
    fn new(usage: Usage, index: u8) -> Self {
        Self { usage: usage as u8 + 1, index }
    }
}

/// What the vertex stage writes, which the pixel stage is compiled against. A pixel input that the vertex stage does not write reads
/// 0, `COLOR0` reads 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(C)]
pub struct LinkInfo {
    /// Bit n: location n (0 to 10) is written.
    pub mask: u32,
    /// What is at [`FIRST_EXTRA`] on.
    pub extra: [Extra; MAX_EXTRA],
}

impl LinkInfo {
    /// Every fixed location.
    pub const EVERY_FIXED: u32 = (1 << FIRST_EXTRA) - 1;

    /// Of a stage that writes these.
    #[must_use]
    pub fn of(written: impl Iterator<Item = (Usage, u8)>) -> Self {
        let mut link = Self::default();
        for (usage, index) in written {
            match usage.fixed_location(index) {
                Some(location) => link.mask |= 1 << location,
                None => link.add_extra(Extra::new(usage, index)),
            }
        }
        link
    }

    fn add_extra(&mut self, extra: Extra) {
        if !self.extra.contains(&extra)
            && let Some(free) = self.extra.iter_mut().find(|e| e.usage == 0)
        {
            *free = extra;
        }
    }

    /// Location at which the vertex stage writes a varying; `None` if it does not.
    #[must_use]
    pub fn location(&self, usage: Usage, index: u8) -> Option<u8> {
        match usage.fixed_location(index) {
            Some(location) => (self.mask >> location & 1 != 0).then_some(location),
            None => {
                let at = self.extra.iter().position(|e| *e == Extra::new(usage, index))?;
                Some(FIRST_EXTRA + at as u8)
            }
        }
    }

    /// What vertex fog goes by: the fog factor, or the alpha of the specular colour where the vertex stage writes no
    /// factor. With neither there is nothing but fog.
    #[must_use]
    pub fn fog(&self) -> Option<(Usage, u8)> {
        [(Usage::Fog, 0), (Usage::Color, 1)].into_iter().find(|(usage, index)| self.location(*usage, *index).is_some())
    }

    /// The part of the link that a pixel shader with these inputs can see, so that vertex shaders which differ in
    /// other outputs share pixel shaders. `reads_fog`: there may be vertex fog.
    #[must_use]
    pub fn seen_by(&self, inputs: impl Iterator<Item = (Usage, u8)>, reads_fog: bool) -> Self {
        let mut seen = Self::default();
        for (usage, index) in inputs.chain(self.fog().filter(|_| reads_fog)) {
            match (self.location(usage, index), usage.fixed_location(index)) {
                (Some(location), Some(_)) => seen.mask |= 1 << location,
                (Some(location), None) => seen.extra[usize::from(location - FIRST_EXTRA)] = Extra::new(usage, index),
                (None, _) => {}
            }
        }
        seen
    }
}
