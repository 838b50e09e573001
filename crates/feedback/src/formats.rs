//! Vulkan's vertex formats: numbers and names.
//!
//! Source: the enumeration `VkFormat`, in which the formats of one layout have consecutive numbers.

use afterimage_ir::{Kind, Type};
use afterimage_passes::feedback::Fetch;

/// Formats of one layout: first number, what the names begin with, the kinds of numbers in their order, and what the names end with.
type Family = (u32, &'static str, &'static [&'static str], &'static str);

const SMALL: &[&str] = &["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT"];
const HALF: &[&str] = &["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "SFLOAT"];
const WIDE: &[&str] = &["UINT", "SINT", "SFLOAT"];

const FAMILIES: [Family; 21] = [
    (9, "R8", SMALL, ""),
    (16, "R8G8", SMALL, ""),
    (23, "R8G8B8", SMALL, ""),
    (30, "B8G8R8", SMALL, ""),
    (37, "R8G8B8A8", SMALL, ""),
    (44, "B8G8R8A8", SMALL, ""),
    (51, "A8B8G8R8", SMALL, "_PACK32"),
    (58, "A2R10G10B10", SMALL, "_PACK32"),
    (64, "A2B10G10R10", SMALL, "_PACK32"),
    (70, "R16", HALF, ""),
    (77, "R16G16", HALF, ""),
    (84, "R16G16B16", HALF, ""),
    (91, "R16G16B16A16", HALF, ""),
    (98, "R32", WIDE, ""),
    (101, "R32G32", WIDE, ""),
    (104, "R32G32B32", WIDE, ""),
    (107, "R32G32B32A32", WIDE, ""),
    (110, "R64", WIDE, ""),
    (113, "R64G64", WIDE, ""),
    (116, "R64G64B64", WIDE, ""),
    (119, "R64G64B64A64", WIDE, ""),
];

/// A vertex format of Vulkan: bytes are read from memory, and missing components are 0, 0, 0, 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Format {
    /// The number of `VkFormat`.
    pub number: u32,
    layout: &'static str,
    kind: &'static str,
    end: &'static str,
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}_{}{}", self.layout, self.kind, self.end)
    }
}

/// Every vertex format.
pub fn all() -> impl Iterator<Item = Format> {
    FAMILIES.iter().flat_map(|&(first, layout, kinds, end)| {
        kinds.iter().zip(first..).map(move |(kind, number)| Format { number, layout, kind, end })
    })
}

/// The vertex format of a number of `VkFormat`.
pub fn by_number(number: u32) -> Option<Format> {
    all().find(|format| format.number == number)
}

/// The vertex format of a name of Vulkan's, with or without `VK_FORMAT_`.
pub fn by_name(name: &str) -> Option<Format> {
    let name = name.strip_prefix("VK_FORMAT_").unwrap_or(name);
    all().find(|format| format.to_string() == name)
}

impl Format {
    /// How the pass reads it.
    ///
    /// # Panics
    /// Never: a test holds this table against the pass's.
    pub fn fetch(self) -> Fetch {
        Fetch::from_vulkan(self.number).expect("every format here is one of the pass")
    }
}

/// The format in which a shader's input has its own components, of 32 bits each.
pub(crate) fn of(ty: Type) -> Format {
    let lanes = u32::from(ty.lanes.clamp(1, 4)) - 1;
    let kind = if ty.kind == Kind::Float { 2 } else { 0 };
    by_number(98 + 3 * lanes + kind).expect("the formats of 32 bits follow each other")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_of_the_pass_has_its_name() {
        for number in 0..1000 {
            assert_eq!(by_number(number).is_some(), Fetch::from_vulkan(number).is_some(), "{number}");
        }
        for (name, number, bytes) in [
            ("R8_UNORM", 9, 1),
            ("A2B10G10R10_SNORM_PACK32", 65, 4),
            ("R16G16B16A16_SFLOAT", 97, 8),
            ("VK_FORMAT_R32G32B32_SFLOAT", 106, 12),
            ("R64G64B64A64_SFLOAT", 121, 32),
        ] {
            let format = by_name(name).unwrap();
            assert_eq!((format.number, format.fetch().bytes()), (number, bytes));
        }
        assert!(by_name("R8_SRGB").is_none() && by_name("").is_none());
        assert_eq!(of(Type::F32).to_string(), "R32_SFLOAT");
        assert_eq!(of(Type::I32X4).to_string(), "R32G32B32A32_UINT");
    }
}
