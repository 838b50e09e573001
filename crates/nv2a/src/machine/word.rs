//! The words of a push buffer. Source: `docs/sources/nv2a.md#push-buffers`.

/// What a word says when no arguments are pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// GET becomes this address. The old form reaches 512 MiB.
    Jump {
        /// Where to.
        target: u32,
        /// Whether it is the form that older hardware has.
        old: bool,
    },
    /// GET becomes this address; the word behind the call is remembered, one level deep.
    Call {
        /// Where to.
        target: u32,
    },
    /// GET becomes what the call remembered.
    Return,
    /// Arguments follow.
    Method(Header),
    /// Nothing that the hardware knows.
    Reserved,
}

/// Which arguments follow, and whose they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Byte offset of the first method, below 0x2000.
    pub method: u16,
    /// Subchannel, 0 to 7.
    pub subchannel: u8,
    /// Arguments, 0 to 0x7FF.
    pub count: u16,
    /// Whether each argument goes to the method behind that of the argument before; else all go to one.
    pub increasing: bool,
}

/// Bytes of the method space; a method that counts beyond it starts again.
pub(crate) const METHOD_SPACE: u16 = 0x2000;

impl Word {
    /// Decodes a word.
    #[must_use]
    #[inline]
    pub const fn decode(word: u32) -> Self {
        if word & 0xE000_0003 == 0x2000_0000 {
            return Self::Jump { target: word & 0x1FFF_FFFC, old: true };
        }
        match word & 3 {
            1 => return Self::Jump { target: word & 0xFFFF_FFFC, old: false },
            2 => return Self::Call { target: word & 0xFFFF_FFFC },
            _ => {}
        }
        if word == 0x0002_0000 {
            return Self::Return;
        }
        match word & 0xE003_0003 {
            0 => Self::Method(Header::decode(word, true)),
            0x4000_0000 => Self::Method(Header::decode(word, false)),
            _ => Self::Reserved,
        }
    }
}

impl Header {
    const fn decode(word: u32, increasing: bool) -> Self {
        Self {
            method: (word & 0x1FFC) as u16,
            subchannel: (word >> 13 & 7) as u8,
            count: (word >> 18 & 0x7FF) as u16,
            increasing,
        }
    }

    /// The word. Fields are cut to their widths.
    #[must_use]
    pub const fn encode(self) -> u32 {
        let form = if self.increasing { 0 } else { 0x4000_0000 };
        form | (self.count as u32 & 0x7FF) << 18 | (self.subchannel as u32 & 7) << 13 | self.method as u32 & 0x1FFC
    }

    /// What is left behind so many arguments, which must not be more than there are.
    #[must_use]
    #[inline]
    pub(crate) const fn after(self, arguments: u16) -> Self {
        let step = if self.increasing { arguments * 4 } else { 0 };
        Self { method: (self.method + step) % METHOD_SPACE, count: self.count - arguments, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_known() {
        assert_eq!(Word::decode(0x2345_6788), Word::Jump { target: 0x0345_6788, old: true });
        assert_eq!(Word::decode(0xFFFF_FFFD), Word::Jump { target: 0xFFFF_FFFC, old: false });
        assert_eq!(Word::decode(0x0123_4566), Word::Call { target: 0x0123_4564 });
        assert_eq!(Word::decode(0x0002_0000), Word::Return);
        assert_eq!(Word::decode(0xA000_0000), Word::Reserved);
        assert_eq!(Word::decode(0x0001_0000), Word::Reserved);
        assert_eq!(Word::decode(3), Word::Reserved);
        let header = Header { method: 0x1818, subchannel: 5, count: 0x7FF, increasing: false };
        assert_eq!(header.encode(), 0x5FFC_B818);
        assert_eq!(Word::decode(header.encode()), Word::Method(header));
        let nothing = Header { increasing: true, ..Header::default() };
        assert_eq!(Word::decode(0), Word::Method(nothing));
    }

    #[test]
    fn a_method_behind_the_last_is_the_first() {
        let header = Header { method: 0x1FF8, subchannel: 0, count: 0x7FF, increasing: true };
        assert_eq!(header.after(3).method, 4);
        assert_eq!(header.after(0x7FF).count, 0);
        assert_eq!(Header { increasing: false, ..header }.after(9).method, 0x1FF8);
    }
}
