//! Immediate forms of attributes: which slot a method writes, and how its words read.
//!
//! Source: `docs/sources/nv2a.md#vertices`, and the goldens of SetVertexData, Weight_setter and Fog_coord: shorts of colours,
//! texture coordinates and `SET_VERTEX_DATA` are numbers as they are, those of `SET_NORMAL3S` become -1..1, bytes 0..1.

use afterimage_nv2a_types::methods::{METHOD_WORDS, METHODS, method};

/// How the words of a method read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Reading {
    /// An IEEE single each. What is missing is y = z = 0 and w = 1.
    #[default]
    Float,
    /// One IEEE single for all four components.
    Same,
    /// Two signed 16-bit numbers each, low half first.
    Short,
    /// The same, divided by 32767 and not less than -1.
    ShortNormalised,
    /// Four bytes, x first, divided by 255.
    Bytes,
}

/// A word of an immediate form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    /// The attribute.
    pub(super) slot: u8,
    /// Which word of its form this is.
    pub(super) part: u8,
    /// Words of the form.
    pub(super) words: u8,
    /// How they read.
    pub(super) reading: Reading,
}

/// Methods of attributes: the first slot, and how their words read. Instances are one slot apart.
const FORMS: &[(u16, u8, Reading)] = &[
    (method::SET_VERTEX3F, 0, Reading::Float),
    (method::SET_VERTEX4F, 0, Reading::Float),
    (method::SET_NORMAL3F, 2, Reading::Float),
    (method::SET_NORMAL3S, 2, Reading::ShortNormalised),
    (method::SET_DIFFUSE_COLOR4F, 3, Reading::Float),
    (method::SET_DIFFUSE_COLOR3F, 3, Reading::Float),
    (method::SET_DIFFUSE_COLOR4I, 3, Reading::Bytes),
    (method::SET_SPECULAR_COLOR4F, 4, Reading::Float),
    (method::SET_SPECULAR_COLOR3F, 4, Reading::Float),
    (method::SET_SPECULAR_COLOR4I, 4, Reading::Bytes),
    (method::SET_TEXCOORD0_2F, 9, Reading::Float),
    (method::SET_TEXCOORD0_2S, 9, Reading::Short),
    (method::SET_TEXCOORD0_4F, 9, Reading::Float),
    (method::SET_TEXCOORD0_4S, 9, Reading::Short),
    (method::SET_TEXCOORD1_2F, 10, Reading::Float),
    (method::SET_TEXCOORD1_2S, 10, Reading::Short),
    (method::SET_TEXCOORD1_4F, 10, Reading::Float),
    (method::SET_TEXCOORD1_4S, 10, Reading::Short),
    (method::SET_TEXCOORD2_2F, 11, Reading::Float),
    (method::SET_TEXCOORD2_2S, 11, Reading::Short),
    (method::SET_TEXCOORD2_4F, 11, Reading::Float),
    (method::SET_TEXCOORD2_4S, 11, Reading::Short),
    (method::SET_TEXCOORD3_2F, 12, Reading::Float),
    (method::SET_TEXCOORD3_2S, 12, Reading::Short),
    (method::SET_TEXCOORD3_4F, 12, Reading::Float),
    (method::SET_TEXCOORD3_4S, 12, Reading::Short),
    (method::SET_FOG_COORD, 5, Reading::Same),
    (method::SET_WEIGHT1F, 1, Reading::Float),
    (method::SET_WEIGHT2F, 1, Reading::Float),
    (method::SET_WEIGHT3F, 1, Reading::Float),
    (method::SET_WEIGHT4F, 1, Reading::Float),
    (method::SET_VERTEX_DATA2F_M, 0, Reading::Float),
    (method::SET_VERTEX_DATA4F_M, 0, Reading::Float),
    (method::SET_VERTEX_DATA2S, 0, Reading::Short),
    (method::SET_VERTEX_DATA4S_M, 0, Reading::Short),
    (method::SET_VERTEX_DATA4UB, 0, Reading::Bytes),
];

/// Whether the row at an offset is one of them.
pub(super) const fn is_attribute(offset: u16) -> bool {
    let mut i = 0;
    while i < FORMS.len() {
        if FORMS[i].0 == offset {
            return true;
        }
        i += 1;
    }
    false
}

static WORDS: [Option<Form>; METHOD_WORDS] = {
    let mut words = [None; METHOD_WORDS];
    let mut i = 0;
    while i < FORMS.len() {
        let (offset, slot, reading) = FORMS[i];
        let mut row = 0;
        while METHODS[row].offset != offset {
            row += 1;
        }
        let m = &METHODS[row];
        let mut instance = 0;
        while instance < m.count {
            let mut part = 0;
            while part < m.words {
                let at = (offset + instance * m.stride) / 4 + part;
                words[at as usize] =
                    Some(Form { slot: slot + instance as u8, part: part as u8, words: m.words as u8, reading });
                part += 1;
            }
            instance += 1;
        }
        i += 1;
    }
    words
};

/// What the word at a method's byte offset is.
#[inline]
pub(super) fn form_of(at: u16) -> Option<Form> {
    WORDS[usize::from(at / 4) % METHOD_WORDS]
}

impl Form {
    /// Writes the word into the attribute, or all words of the form if they are there: how many.
    #[inline]
    pub(super) fn write(self, attribute: &mut [f32; 4], words: &[u32]) -> usize {
        let all = usize::from(self.words);
        if self.reading == Reading::Float && self.part == 0 && words.len() >= all {
            let mut whole = MISSING;
            for (component, &word) in whole.iter_mut().zip(&words[..all]) {
                *component = f32::from_bits(word);
            }
            *attribute = whole;
            return all;
        }
        self.write_word(attribute, words[0]);
        1
    }

    fn write_word(self, attribute: &mut [f32; 4], word: u32) {
        let halves = [word as i16, (word >> 16) as i16].map(f32::from);
        let part = usize::from(self.part) & 3;
        let components = match self.reading {
            Reading::Float => {
                attribute[part] = f32::from_bits(word);
                usize::from(self.words)
            }
            Reading::Same => {
                *attribute = [f32::from_bits(word); 4];
                4
            }
            Reading::Short | Reading::ShortNormalised => {
                let normalised = self.reading == Reading::ShortNormalised;
                let halves = if normalised { halves.map(|half| (half / 32767.0).max(-1.0)) } else { halves };
                let first = (part & 1) * 2;
                attribute[first..first + 2].copy_from_slice(&halves);
                // The normal's fourth half is no component.
                if normalised { 3 } else { usize::from(self.words) * 2 }
            }
            Reading::Bytes => {
                *attribute = word.to_le_bytes().map(|byte| f32::from(byte) / 255.0);
                4
            }
        };
        let components = components.min(4);
        attribute[components..].copy_from_slice(&MISSING[components..]);
    }
}

/// What components are that a form does not have.
const MISSING: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

#[cfg(test)]
mod tests {
    use super::*;

    fn written(offset: u16, words: &[u32]) -> (u8, [f32; 4]) {
        let mut attribute = [9.0; 4];
        let mut slot = 99;
        for (i, &word) in words.iter().enumerate() {
            let form = form_of(offset + 4 * i as u16).unwrap();
            form.write_word(&mut attribute, word);
            slot = form.slot;
        }
        let mut whole = [9.0; 4];
        let form = form_of(offset).unwrap();
        if form.write(&mut whole, words) == words.len() {
            assert_eq!(whole, attribute);
        }
        (slot, attribute)
    }

    #[test]
    fn every_form_reads_as_it_should() {
        let f = f32::to_bits;
        assert_eq!(written(method::SET_VERTEX3F, &[f(1.0), f(2.0), f(3.0)]), (0, [1.0, 2.0, 3.0, 1.0]));
        assert_eq!(written(method::SET_TEXCOORD2_2S, &[0x8000_7FFF]), (11, [32767.0, -32768.0, 0.0, 1.0]));
        assert_eq!(written(method::SET_NORMAL3S, &[0x8000_7FFF, 0x1234_0000]), (2, [1.0, -1.0, 0.0, 1.0]));
        assert_eq!(written(method::SET_TEXCOORD3_4S, &[0x0002_0001, 0xFFFF_0003]), (12, [1.0, 2.0, 3.0, -1.0]));
        assert_eq!(written(method::SET_DIFFUSE_COLOR4I, &[0xFF00_33FF]), (3, [1.0, 0.2, 0.0, 1.0]));
        assert_eq!(written(method::SET_FOG_COORD, &[f(0.5)]), (5, [0.5; 4]));
        assert_eq!(written(method::SET_WEIGHT2F, &[f(0.5), f(0.25)]), (1, [0.5, 0.25, 0.0, 1.0]));
        assert_eq!(written(method::SET_VERTEX_DATA2F_M + 15 * 8, &[f(5.0), f(6.0)]), (15, [5.0, 6.0, 0.0, 1.0]));
        assert_eq!(written(method::SET_VERTEX_DATA4UB + 3 * 4, &[0x0000_00FF]), (3, [1.0, 0.0, 0.0, 0.0]));
        assert_eq!(form_of(method::SET_EDGE_FLAG), None);
    }
}
