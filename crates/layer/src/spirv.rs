//! SPIR-V without transform feedback: what a driver gets that has none.
//!
//! Source: the SPIR-V specification, capabilities `TransformFeedback` and `GeometryStreams`, and what they bring.

use std::collections::HashSet;

const MAGIC: u32 = 0x0723_0203;
/// Words before the first instruction.
const HEADER: usize = 5;

/// Numbers of instructions.
mod op {
    pub(super) const ENTRY_POINT: u32 = 15;
    pub(super) const EXECUTION_MODE: u32 = 16;
    pub(super) const CAPABILITY: u32 = 17;
    pub(super) const TYPE_ARRAY: u32 = 28;
    pub(super) const TYPE_RUNTIME_ARRAY: u32 = 29;
    pub(super) const TYPE_POINTER: u32 = 32;
    pub(super) const CONSTANT: u32 = 43;
    pub(super) const VARIABLE: u32 = 59;
    pub(super) const DECORATE: u32 = 71;
    pub(super) const MEMBER_DECORATE: u32 = 72;
    pub(super) const EMIT_VERTEX: u32 = 218;
    pub(super) const END_PRIMITIVE: u32 = 219;
    pub(super) const EMIT_STREAM_VERTEX: u32 = 220;
    pub(super) const END_STREAM_PRIMITIVE: u32 = 221;
}

const CAPABILITY_TRANSFORM_FEEDBACK: u32 = 53;
const CAPABILITY_GEOMETRY_STREAMS: u32 = 54;
const MODE_XFB: u32 = 11;
const CLASS_OUTPUT: u32 = 3;
const DECORATION_STREAM: u32 = 29;
const DECORATION_OFFSET: u32 = 35;
const DECORATION_XFB_BUFFER: u32 = 36;
const DECORATION_XFB_STRIDE: u32 = 37;

/// `OpEntryPoint`'s execution models that can capture, and the one that can not be lowered.
pub(crate) const VERTEX: u32 = 0;
/// Tessellation evaluation.
pub(crate) const EVALUATION: u32 = 2;
/// Geometry.
pub(crate) const GEOMETRY: u32 = 3;

/// An entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) model: u32,
    pub(crate) name: Vec<u8>,
    /// Whether it has the execution mode `Xfb`.
    pub(crate) captures: bool,
}

/// The instructions of a module: number and words, the first included. Ends where one is not whole.
fn each(words: &[u32]) -> impl Iterator<Item = (u32, &[u32])> {
    let mut rest = words.get(HEADER..).filter(|_| words[0] == MAGIC).unwrap_or_default();
    std::iter::from_fn(move || {
        let length = (*rest.first()? >> 16) as usize;
        let (instruction, behind) = rest.split_at_checked(length).filter(|_| length > 0)?;
        rest = behind;
        Some((instruction[0] & 0xffff, instruction))
    })
}

/// The string in words.
fn string(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0).collect()
}

/// The entry points of a module.
pub(crate) fn entries(words: &[u32]) -> Vec<Entry> {
    let (mut found, mut captures) = (Vec::new(), HashSet::new());
    for (op, instruction) in each(words) {
        match (op, &instruction[1..]) {
            (op::ENTRY_POINT, [model, id, name @ ..]) => found.push((*id, *model, string(name))),
            (op::EXECUTION_MODE, [id, MODE_XFB, ..]) => drop(captures.insert(*id)),
            _ => {}
        }
    }
    let entry = |(id, model, name)| Entry { model, name, captures: captures.contains(&id) };
    found.into_iter().map(entry).collect()
}

/// The module without transform feedback and without other streams than the first. `None` if it has neither.
pub(crate) fn strip(words: &[u32]) -> Option<Vec<u32>> {
    let has = |(op, instruction): (u32, &[u32])| {
        op == op::CAPABILITY
            && matches!(instruction.get(1), Some(&(CAPABILITY_TRANSFORM_FEEDBACK | CAPABILITY_GEOMETRY_STREAMS)))
    };
    if !each(words).any(has) {
        return None;
    }
    let outputs = outputs(words);
    let first = |id: &u32| {
        each(words).any(|(op, instruction)| {
            op == op::CONSTANT && instruction.get(2) == Some(id) && instruction.get(3) == Some(&0)
        })
    };
    let feedback = [DECORATION_XFB_BUFFER, DECORATION_XFB_STRIDE, DECORATION_STREAM];
    let mut stripped = words[..HEADER].to_vec();
    for (op, instruction) in each(words) {
        let kept = match (op, &instruction[1..]) {
            (op::CAPABILITY, [capability, ..]) => {
                ![CAPABILITY_TRANSFORM_FEEDBACK, CAPABILITY_GEOMETRY_STREAMS].contains(capability)
            }
            (op::EXECUTION_MODE, [_, mode, ..]) => *mode != MODE_XFB,
            // Of what is no member only captured outputs have an offset.
            (op::DECORATE, [_, decoration, ..]) => *decoration != DECORATION_OFFSET && !feedback.contains(decoration),
            (op::MEMBER_DECORATE, [ty, _, decoration, ..]) => {
                let offset = *decoration == DECORATION_OFFSET && outputs.contains(ty);
                !offset && !feedback.contains(decoration)
            }
            (op::EMIT_STREAM_VERTEX | op::END_STREAM_PRIMITIVE, [stream, ..]) => {
                if first(stream) {
                    let plain = if op == op::EMIT_STREAM_VERTEX { op::EMIT_VERTEX } else { op::END_PRIMITIVE };
                    stripped.push(1 << 16 | plain);
                }
                false
            }
            _ => true,
        };
        if kept {
            stripped.extend_from_slice(instruction);
        }
    }
    Some(stripped)
}

/// Structures that output variables are made of.
fn outputs(words: &[u32]) -> HashSet<u32> {
    let mut types = HashSet::new();
    for (op, instruction) in each(words) {
        if let (op::TYPE_POINTER, [_, CLASS_OUTPUT, to, ..]) = (op, &instruction[1..]) {
            types.insert(*to);
        }
    }
    // Only what a variable is made of counts, but a pointer to part of one does no harm: members of those have no offsets of another kind.
    let variables =
        each(words).any(|(op, instruction)| op == op::VARIABLE && instruction.get(3) == Some(&CLASS_OUTPUT));
    if !variables {
        return HashSet::new();
    }
    // Arrays stand behind what they are of.
    let arrays: Vec<(u32, u32)> = each(words)
        .filter_map(|(op, instruction)| match (op, &instruction[1..]) {
            (op::TYPE_ARRAY | op::TYPE_RUNTIME_ARRAY, [array, of, ..]) => Some((*array, *of)),
            _ => None,
        })
        .collect();
    for (array, of) in arrays.iter().rev() {
        if types.contains(array) {
            types.insert(*of);
        }
    }
    types
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(name: &str) -> Vec<u32> {
        let path = format!("{}/../feedback/tests/shaders/{name}.spv", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    }

    #[test]
    fn what_captures_is_known_and_stripped_of_it() {
        for (name, model) in [("place.vert", VERTEX), ("waves.vert", VERTEX), ("fins.geom", GEOMETRY)] {
            let words = module(name);
            let main = |captures| [Entry { model, name: b"main".to_vec(), captures }];
            assert_eq!(entries(&words), main(true), "{name}");
            let stripped = strip(&words).expect("something to strip");
            assert_eq!(entries(&stripped), main(false), "{name}");
            assert!(strip(&stripped).is_none());
            let left =
                |wanted: &dyn Fn(u32, &[u32]) -> bool| each(&stripped).any(|(op, words)| wanted(op, &words[1..]));
            assert!(!left(
                &|op, words| op == op::DECORATE && matches!(words[1], DECORATION_OFFSET | DECORATION_XFB_BUFFER)
            ));
            assert_eq!(each(&words).map(|(_, words)| words.len()).sum::<usize>() + HEADER, words.len());
        }
        assert!(strip(&module("plain.vert")).is_none());
        assert!(!entries(&module("plain.vert"))[0].captures);
    }

    #[test]
    fn uniform_blocks_keep_their_offsets() {
        let stripped = strip(&module("waves.vert")).expect("something to strip");
        let offsets = |words: &[u32]| {
            each(words).filter(|(op, words)| *op == op::MEMBER_DECORATE && words[3] == DECORATION_OFFSET).count()
        };
        assert!(offsets(&stripped) > 0 && offsets(&stripped) < offsets(&module("waves.vert")) + 1);
    }

    #[test]
    fn what_is_no_module_has_nothing() {
        for words in
            [&[][..], &[MAGIC], &[1, 2, 3, 4, 5, 6], &[MAGIC, 0, 0, 9, 0, 0], &[MAGIC, 0, 0, 9, 0, 0xffff_0011]]
        {
            assert!(entries(words).is_empty() && strip(words).is_none());
        }
    }
}
