//! What a test of piglit's sets up for its compute shader, and expects of it: the section `[test]` of a `.shader_test`, as far as it is
//! about buffers and atomic counters. After piglit's `tests/shaders/shader_runner.c`.

use crate::reflect::{Bound, Descriptor, Interface};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How a word is compared with the one that is expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// `==`
    Equal,
    /// `!=`
    Different,
    /// `<`, of unsigned numbers.
    Less,
    /// `>`, of unsigned numbers.
    Greater,
    /// `<=`, of unsigned numbers.
    AtMost,
    /// `>=`, of unsigned numbers.
    AtLeast,
}

/// Relations, as tests and headers have them.
const RELATIONS: [(&str, Relation); 6] = [
    ("==", Relation::Equal),
    ("!=", Relation::Different),
    ("<", Relation::Less),
    (">", Relation::Greater),
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
];

impl Relation {
    /// The relation of a word of a test.
    pub(crate) fn named(name: &str) -> Option<Self> {
        RELATIONS.iter().find(|(text, _)| *text == name).map(|(_, relation)| *relation)
    }

    /// How tests write it.
    pub fn name(self) -> &'static str {
        RELATIONS.iter().find(|(_, relation)| *relation == self).map_or("?", |(name, _)| name)
    }

    /// Whether it holds.
    pub fn holds(self, got: u32, expected: u32) -> bool {
        match self {
            Self::Equal => got == expected,
            Self::Different => got != expected,
            Self::Less => got < expected,
            Self::Greater => got > expected,
            Self::AtMost => got <= expected,
            Self::AtLeast => got >= expected,
        }
    }
}

/// A buffer, as tests name it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Buffer {
    /// Atomic counters of a binding.
    Counters(u32),
    /// The storage buffer of a binding.
    Storage(u32),
}

/// A test.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Test {
    groups: [u32; 3],
    /// What buffers hold that are not zero, by the number of the word.
    held: BTreeMap<Buffer, BTreeMap<u32, u32>>,
    /// Bytes of storage buffers, by binding.
    sizes: BTreeMap<u32, u32>,
    expected: Vec<(Buffer, u32, Relation, u32)>,
}

/// Bytes of a storage buffer at most.
const MOST_BYTES: u32 = 1 << 20;

/// Words of a number of a type.
fn words(kind: &str, text: &str) -> Option<Vec<u32>> {
    let integer = || match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse::<i128>().ok().map(|number| number as u64),
    };
    match kind {
        "int" | "uint" => Some(vec![integer()? as u32]),
        "int64" | "uint64" => integer().map(|number| vec![number as u32, (number >> 32) as u32]),
        "float" => text.parse::<f32>().ok().map(|number| vec![number.to_bits()]),
        _ => None,
    }
}

/// Reads the section of a test. None if it sets or looks at something else than buffers, or dispatches more than once, so that what memory
/// holds says nothing of it.
pub fn parse(section: &str) -> Option<Test> {
    let mut test = Test::default();
    for line in section.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let parts: Vec<&str> = line.split_whitespace().collect();
        let number = |text: &str| text.parse::<u32>().ok();
        let byte_number = |text: &str| words("uint", text).and_then(|words| words.first().copied());
        match parts[..] {
            [] | ["[test]"] => {}
            ["compute", x, y, z] if test.groups == [0; 3] => test.groups = [number(x)?, number(y)?, number(z)?],
            ["atomic", "counters", _] => _ = test.held.entry(Buffer::Counters(0)).or_default(),
            ["atomic", "counter", "buffer", binding, _] => {
                test.held.entry(Buffer::Counters(number(binding)?)).or_default();
            }
            ["atomic", "counter", binding, at, value] => {
                let held = test.held.entry(Buffer::Counters(number(binding)?)).or_default();
                held.insert(number(at)?, number(value)?);
            }
            ["ssbo", binding, bytes] => {
                let (binding, bytes) = (number(binding)?, number(bytes)?);
                if bytes == 0 || bytes > MOST_BYTES {
                    return None;
                }
                test.sizes.insert(binding, bytes);
                test.held.entry(Buffer::Storage(binding)).or_default();
            }
            ["ssbo", binding, "subdata", kind, byte, ref values @ ..] => {
                let held = test.held.entry(Buffer::Storage(number(binding)?)).or_default();
                let first = byte_number(byte)? / 4;
                let mut all = Vec::new();
                for value in values {
                    all.extend(words(kind, value)?);
                }
                held.extend((first..).zip(all));
            }
            ["probe", "atomic", "counter", at, relation, value] => {
                let relation = Relation::named(relation)?;
                test.expected.push((Buffer::Counters(0), number(at)?, relation, number(value)?));
            }
            ["probe", "atomic", "counter", "buffer", binding, at, relation, value] => {
                let (buffer, relation) = (Buffer::Counters(number(binding)?), Relation::named(relation)?);
                test.expected.push((buffer, number(at)?, relation, number(value)?));
            }
            ["probe", "ssbo", kind @ ("int" | "uint"), binding, byte, relation, value] => {
                let (buffer, relation) = (Buffer::Storage(number(binding)?), Relation::named(relation)?);
                // Signed numbers are not in the order of unsigned ones.
                let ordered = kind == "uint" || matches!(relation, Relation::Equal | Relation::Different);
                let [value] = words(kind, value).filter(|_| ordered)?[..] else { return None };
                test.expected.push((buffer, byte_number(byte)? / 4, relation, value));
            }
            _ => return None,
        }
    }
    (test.groups != [0; 3] && !test.expected.is_empty()).then_some(test)
}

impl Test {
    /// Lines of a program's header. None if the program has not the buffers that the test names, each by itself.
    pub fn header(&self, interface: &Interface) -> Option<String> {
        let place = |buffer: &Buffer| {
            let is_it = |descriptor: &&Descriptor| match buffer {
                Buffer::Counters(binding) => descriptor.counters == Some(*binding),
                Buffer::Storage(binding) => {
                    let is_storage = matches!(descriptor.of, Bound::Buffer(_)) && descriptor.counters.is_none();
                    descriptor.binding == *binding && is_storage
                }
            };
            let found: Vec<_> = interface.descriptors.iter().filter(is_it).collect();
            match found[..] {
                [one] if one.count == 1 => Some(format!("{}.{}", one.set, one.binding)),
                _ => None,
            }
        };
        let [x, y, z] = self.groups;
        let mut lines = format!("//! groups {x} {y} {z}\n");
        for (buffer, words) in &self.held {
            // Tests have buffers that their shader does not use.
            let Some(place) = place(buffer) else { continue };
            if let Buffer::Storage(binding) = buffer
                && let Some(bytes) = self.sizes.get(binding)
            {
                let _ = writeln!(lines, "//! sized {place} {bytes}");
            }
            let _ = write!(lines, "//! holds {place}");
            words.iter().for_each(|(at, word)| _ = write!(lines, " {at} {word:#x}"));
            lines.push('\n');
        }
        for (buffer, at, relation, value) in &self.expected {
            let _ = writeln!(lines, "//! expects {} {at} {} {value:#x}", place(buffer)?, relation.name());
        }
        Some(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::Words;

    const TEST: &str = "[test]\natomic counters 2  # two\natomic counter 0 1 7\nssbo 3 32\nssbo 3 subdata int 4 -1 0x10\nssbo 3 subdata \
                        float 16 1.0\ncompute 2 1 1\nprobe atomic counter 1 == 8\nprobe ssbo uint 3 0x4 != 5\n";

    fn descriptor(binding: u32, counters: Option<u32>) -> Descriptor {
        Descriptor { set: 0, binding, count: 1, of: Bound::Buffer(Words::default()), counters }
    }

    #[test]
    fn a_test_becomes_lines_of_a_header() {
        let test = parse(TEST).unwrap();
        let descriptors = vec![descriptor(0, Some(0)), descriptor(3, None)];
        let interface = Interface { descriptors, ..Interface::default() };
        let lines = "//! groups 2 1 1\n//! holds 0.0 1 0x7\n//! sized 0.3 32\n//! holds 0.3 1 0xffffffff 2 0x10 4 0x3f800000\n//! expects 0.0 1 == 0x8\n\
                     //! expects 0.3 1 != 0x5\n";
        assert_eq!(test.header(&interface).as_deref(), Some(lines));
        // The shader has no such buffer, or two things at one place.
        assert_eq!(test.header(&Interface::default()), None);
    }

    #[test]
    fn what_is_about_something_else_is_none() {
        for line in ["uniform int a 1", "probe all rgba 0 1 0 1", "compute 1 1 1", "probe ssbo int 0 0 < 3"] {
            assert_eq!(parse(&format!("{TEST}{line}")), None, "{line}");
        }
        assert_eq!(parse("[test]\ncompute 1 1 1\n"), None);
    }

    #[test]
    fn relations_are_of_unsigned_numbers() {
        for (name, relation) in RELATIONS {
            assert_eq!((Relation::named(name), relation.name()), (Some(relation), name));
            let order = [(1, 2), (2, 2), (u32::MAX, 2)].map(|(got, expected)| relation.holds(got, expected));
            let right = match relation {
                Relation::Equal => [false, true, false],
                Relation::Different => [true, false, true],
                Relation::Less => [true, false, false],
                Relation::Greater => [false, false, true],
                Relation::AtMost => [true, true, false],
                Relation::AtLeast => [false, true, true],
            };
            assert_eq!(order, right, "{name}");
        }
    }
}
