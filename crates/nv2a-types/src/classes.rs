//! Names of the graphics classes besides Kelvin, and of their methods, for tools.
//!
//! Sources: `docs/sources/nv2a.md#methods`; names of envytools' `rnndb/graph/nv01_2d.xml`.

/// A class and its methods.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// Its number.
    pub number: u8,
    /// Its name.
    pub name: &'static str,
    /// Offsets of methods and their names. A method that is not here has the name of the last before it, as its continuation.
    methods: &'static [(u16, &'static str)],
}

/// Objects that blits and lines refer to, from an offset on.
const REFERENCES: [&str; 6] = ["SET_CLIP", "SET_PATTERN", "SET_ROP", "SET_BETA", "SET_BETA4", "SET_SURFACES"];

const SURFACES: &[(u16, &str)] = &[
    (0x0184, "SET_DMA_SOURCE"),
    (0x0188, "SET_DMA_DESTINATION"),
    (0x0300, "SET_COLOR_FORMAT"),
    (0x0304, "SET_PITCH"),
    (0x0308, "SET_OFFSET_SOURCE"),
    (0x030C, "SET_OFFSET_DESTINATION"),
];

/// The table.
pub const CLASSES: &[Class] = &[
    Class { number: 0x12, name: "beta", methods: &[(0x0300, "SET_BETA")] },
    Class { number: 0x19, name: "clip", methods: &[(0x0300, "SET_POINT"), (0x0304, "SET_SIZE")] },
    Class { number: 0x30, name: "null", methods: &[] },
    Class {
        number: 0x39,
        name: "memory to memory",
        methods: &[
            (0x0184, "SET_DMA_IN"),
            (0x0188, "SET_DMA_OUT"),
            (0x030C, "OFFSET_IN"),
            (0x0310, "OFFSET_OUT"),
            (0x0314, "PITCH_IN"),
            (0x0318, "PITCH_OUT"),
            (0x031C, "LINE_LENGTH_IN"),
            (0x0320, "LINE_COUNT"),
            (0x0324, "FORMAT"),
            (0x0328, "BUFFER_NOTIFY"),
        ],
    },
    Class { number: 0x42, name: "2D surfaces", methods: SURFACES },
    Class { number: 0x43, name: "rop", methods: &[(0x0300, "SET_ROP")] },
    Class {
        number: 0x44,
        name: "pattern",
        methods: &[
            (0x0300, "SET_COLOR_FORMAT"),
            (0x0304, "SET_MONOCHROME_FORMAT"),
            (0x0308, "SET_MONOCHROME_SHAPE"),
            (0x030C, "SET_PATTERN_SELECT"),
            (0x0310, "SET_MONOCHROME_COLOR0"),
            (0x0314, "SET_MONOCHROME_COLOR1"),
            (0x0318, "SET_MONOCHROME_PATTERN0"),
            (0x031C, "SET_MONOCHROME_PATTERN1"),
            (0x0400, "SET_PATTERN_Y8"),
            (0x0500, "SET_PATTERN_R5G6B5"),
            (0x0600, "SET_PATTERN_X1R5G5B5"),
            (0x0700, "SET_PATTERN_X8R8G8B8"),
        ],
    },
    Class {
        number: 0x5C,
        name: "solid line",
        methods: &[
            (0x0184, REFERENCES[0]),
            (0x0188, REFERENCES[1]),
            (0x018C, REFERENCES[2]),
            (0x0190, REFERENCES[3]),
            (0x0194, REFERENCES[4]),
            (0x0198, REFERENCES[5]),
            (0x02FC, "SET_OPERATION"),
            (0x0300, "SET_COLOR_FORMAT"),
            (0x0304, "SET_COLOR"),
            (0x0400, "LINE"),
            (0x0500, "POLYLINE"),
        ],
    },
    Class { number: 0x62, name: "2D surfaces", methods: SURFACES },
    Class { number: 0x72, name: "beta4", methods: &[(0x0300, "SET_BETA")] },
    Class { number: 0x97, name: "Kelvin", methods: &[] },
    Class {
        number: 0x9F,
        name: "image blit",
        methods: &[
            (0x0184, "SET_COLOR_KEY"),
            (0x0188, REFERENCES[0]),
            (0x018C, REFERENCES[1]),
            (0x0190, REFERENCES[2]),
            (0x0194, REFERENCES[3]),
            (0x0198, REFERENCES[4]),
            (0x019C, REFERENCES[5]),
            (0x02FC, "SET_OPERATION"),
            (0x0300, "CONTROL_POINT_IN"),
            (0x0304, "CONTROL_POINT_OUT"),
            (0x0308, "SIZE"),
        ],
    },
];

/// What every class has.
const COMMON: &[(u16, &str)] =
    &[(0x0000, "SET_OBJECT"), (0x0100, "NO_OPERATION"), (0x0104, "NOTIFY"), (0x0180, "SET_CONTEXT_DMA_NOTIFIES")];

/// A class by its number.
#[must_use]
pub fn class_of(number: u8) -> Option<&'static Class> {
    CLASSES.iter().find(|class| class.number == number)
}

impl Class {
    /// The name of a method that is not Kelvin's, and how many words it lies behind the one that has the name.
    #[must_use]
    pub fn method(&self, offset: u16) -> Option<(&'static str, u16)> {
        if let Some((_, name)) = COMMON.iter().find(|(method, _)| *method == offset) {
            return Some((name, 0));
        }
        let (method, name) = self.methods.iter().rev().find(|(method, _)| *method <= offset)?;
        // Only the last methods of a class are arrays, of up to 64 words.
        let words = (offset - method) / 4;
        (words < 64).then_some((name, words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_have_names() {
        assert!(CLASSES.is_sorted_by_key(|class| class.number));
        assert!(CLASSES.iter().all(|class| class.methods.is_sorted_by_key(|(offset, _)| *offset)));
        let blit = class_of(0x9F).unwrap();
        assert_eq!(blit.method(0x308), Some(("SIZE", 0)));
        assert_eq!(blit.method(0x100), Some(("NO_OPERATION", 0)));
        assert_eq!(class_of(0x5C).unwrap().method(0x404), Some(("LINE", 1)));
        assert_eq!(class_of(0x30).unwrap().method(0x300), None);
        assert!(class_of(0x56).is_none());
    }
}
