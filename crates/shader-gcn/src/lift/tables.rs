//! Images that a program takes out of tables of the receiver's: see [`crate::io::tables`].
//!
//! What shapes and kinds of texels a table's images have is known before, which of them an image is the program finds in its entry; so
//! there is code for each that the instruction can access. The entry's own bits, which the receiver writes, say what is there: whatever
//! else a stranger makes of a table, no image is taken for one of another shape.

use afterimage_abi::tables as abi;
use afterimage_ir::{Builder, Component, Kind, TextureDecl, TextureRef, Type, Value};
use smallvec::SmallVec;

use super::image::{Shape, access, none};
use super::memory::{Place, load_if};
use super::vector::notation::ir;
use super::{ImageRef, Lifter};
use crate::inst::{self, Inst};
use crate::io::{CUBE_LAYERS, FIRST_TABLE, IN_TEXELS, ImageSpec, TableOf, TargetKind, Texels, tables, texture_slots};
use crate::tables::Kind as Sort;

/// What is found in a table.
struct Entry {
    /// Whether anything is.
    there: Value,
    word: Value,
    what: Value,
    /// Its number.
    index: Value,
}

/// What a program's words are found by, as [`tables::tag`] computes it.
fn tag(b: &mut Builder, words: &[Value]) -> Value {
    let [begin, by] = [0, 1].map(|at| tables::HASH.map(|half| half[at]));
    let pair = |b: &mut Builder, [x, y]: [u32; 2]| b.const_bits(Type::I32X2, [x, y, 0, 0]);
    let (mut hash, by) = (pair(b, begin), pair(b, by));
    let shift = pair(b, [tables::HASH_SHIFT; 2]);
    for &word in words {
        let word = b.cast(word, Kind::Int);
        let word = b.construct(&[word, word]);
        hash = ir!(b, imul(ixor(hash, word), by));
        hash = ir!(b, ixor(hash, ushr(hash, shift)));
    }
    hash
}

/// A table's address, bytes and word.
fn binding(l: &mut Lifter, table: u32) -> [Value; 3] {
    let words = l.buffer_words(FIRST_TABLE + table);
    let b = &mut l.b;
    let base = b.resize(words, 2);
    let base = b.cast(base, Kind::Int);
    let [bytes, word] = [2, 3].map(|n| {
        let part = b.extract(words, n);
        b.cast(part, Kind::Int)
    });
    [base, bytes, word]
}

/// The four words of an entry; zeros beyond the table.
fn entry_at(b: &mut Builder, base: Value, bytes: Value, index: Value) -> Value {
    let offset = ir!(b, ishl(index, { b.i32(abi::ENTRY_BYTES.ilog2() as i32) }));
    let place = Place { base, offset, bytes, condition: None, odd: false };
    let inside = place.inside(b, 0, abi::ENTRY_BYTES);
    let address = place.address(b, 0);
    let words = load_if(b, inside, address, 4);
    b.cast(words, Kind::Int)
}

/// Looks words up, with the entry of a class where there is one for each.
fn look_up(l: &mut Lifter, table: u32, words: &[Value], class: Option<Value>) -> Entry {
    let [base, bytes, word] = binding(l, table);
    let b = &mut l.b;
    let tag = tag(b, words);
    let (first, count) = (b.i32(0), b.i32(tables::CLASSES_BIT as i32));
    let bits = b.ubfe(word, first, count);
    let one = b.i32(1);
    let mask = ir!(b, isub(ishl(one, bits), 1));
    let found = [0, 1].map(|half| {
        let place = b.extract(tag, half);
        let mut index = b.iand(place, mask);
        if let Some(class) = class {
            index = ir!(b, iadd(imul(index, ushr(word, { b.i32(tables::CLASSES_BIT as i32) })), class));
        }
        let entry = entry_at(b, base, bytes, index);
        let held = b.resize(entry, 2);
        let same = b.ieq(held, tag);
        let same = b.all(same);
        let what = b.extract(entry, abi::WHAT);
        let there = ir!(b, band(same, ine(what, 0)));
        (entry, there, index)
    });
    let [(first, in_first, first_index), (second, in_second, second_index)] = found;
    let b = &mut l.b;
    let there = b.bor(in_first, in_second);
    let [word, what] = [abi::WORD, abi::WHAT].map(|n| {
        let [first, second] = [first, second].map(|entry| b.extract(entry, n));
        b.select(in_first, first, second)
    });
    let index = b.select(in_first, first_index, second_index);
    Entry { there, word, what, index }
}

/// The word of the entry behind one: the same image, decoded from sRGB.
fn decoded(l: &mut Lifter, table: u32, entry: &Entry) -> Value {
    let [base, bytes, _] = binding(l, table);
    let b = &mut l.b;
    let index = ir!(b, iadd({ entry.index }, 1));
    let behind = entry_at(b, base, bytes, index);
    b.extract(behind, abi::WORD)
}

/// The entry of one descriptor, which is the only one, or that of a class.
fn only(l: &mut Lifter, table: u32, index: Option<Value>) -> Entry {
    let [base, bytes, _] = binding(l, table);
    let b = &mut l.b;
    let index = match index {
        Some(index) => index,
        None => b.i32(0),
    };
    let entry = entry_at(b, base, bytes, index);
    let [word, what] = [abi::WORD, abi::WHAT].map(|n| b.extract(entry, n));
    Entry { there: ir!(b, ine(what, 0)), word, what, index }
}

/// An access of an image that is looked for in tables. If it is in none, it reads as zero.
pub(super) fn lift(l: &mut Lifter, inst: &Inst, fields: inst::Image, image: u32, sampler: Option<u32>) {
    let all = &l.analysis.resources.tables;
    let Some(of_image) = all.get(image as usize) else { return none(l, inst, fields) };
    let of_sampler = sampler.and_then(|sampler| all.get(sampler as usize));
    let spec = |table: u32| l.source.tables.get(table as usize).copied().unwrap_or_default();
    let of_samplers = sampler.map_or(0, |sampler| spec(sampler).samplers);
    let (all_in_texels, decodes) = (of_samplers & tables::ALL_IN_TEXELS != 0, of_samplers & tables::SOME_DECODE != 0);
    let compare = of_sampler.is_some_and(|sampler| sampler.compare);
    let kinds = kinds(inst, fields, spec(image), compare);
    if kinds.is_empty() {
        return none(l, inst, fields);
    }
    let entry = match of_image.of {
        TableOf::Image(_) => only(l, image, None),
        _ => {
            let words = l.read_words(inst.srsrc(), 8);
            // Where some sampler decodes there are two of each.
            let pairs = &l.analysis.resources.table_pairs;
            let decode = |[of, sampler]: &[u32; 2]| *of == image && spec(*sampler).samplers & tables::SOME_DECODE != 0;
            let first = pairs.iter().any(decode).then(|| l.b.i32(0));
            look_up(l, image, &words, first)
        }
    };
    let (mut there, mut word, mut in_texels) = (entry.there, entry.word, None);
    if let (Some(table), Some(of)) = (sampler, of_sampler) {
        let b = &mut l.b;
        let (first, bits) = (b.i32((abi::VALUE_BIT + tables::CLASS_BIT) as i32), b.i32(4));
        let class = b.ubfe(entry.what, first, bits);
        let sampler = match of.of {
            TableOf::Sampler(_) => only(l, table, Some(class)),
            _ => {
                let words = l.read_words(inst.ssamp(), 4);
                look_up(l, table, &words, Some(class))
            }
        };
        let says = |b: &mut Builder, value: u32| {
            let bit = b.i32((value << abi::VALUE_BIT) as i32);
            ir!(b, ine(iand({ sampler.what }, bit), 0))
        };
        if decodes {
            let (other, decodes) = (decoded(l, image, &entry), says(&mut l.b, tables::SAMPLER_DECODES));
            word = l.b.select(decodes, other, word);
        }
        let b = &mut l.b;
        if of_samplers & tables::SOME_IN_TEXELS != 0 {
            in_texels = Some(says(b, tables::SAMPLER_IN_TEXELS));
        }
        there = b.band(there, sampler.there);
        word = b.ior(word, sampler.word);
    }
    let mut open = 0;
    let last = kinds.len() - 1;
    for (n, (kind, component)) in kinds.into_iter().enumerate() {
        let Some(shape) = Shape::new(kind) else { continue };
        let own = abi::what(shape.dim.table(), component as u8) | kind << abi::VALUE_BIT;
        let b = &mut l.b;
        let of_entry = ir!(b, iand({ entry.what }, { b.i32((abi::OWN | tables::KIND << abi::VALUE_BIT) as i32) }));
        let is = ir!(b, band(there, ieq(of_entry, { b.i32(own as i32) })));
        // What reads nothing of the guest's stands for what is not there.
        let null = b.i32(component as i32);
        let spec = ImageSpec {
            kind,
            format: (component as u32) << 16 | if all_in_texels { IN_TEXELS } else { 0 },
            ..ImageSpec::default()
        };
        let image = ImageRef {
            slot: 0,
            storage: false,
            compare,
            spec,
            texels: Texels::Converted,
            word: Some(word),
            present: None,
            in_texels,
        };
        if last == 0 {
            let word = l.b.select(is, word, null);
            return access(l, inst, fields, ImageRef { word: Some(word), present: Some(is), ..image });
        }
        l.b.begin_if(is);
        access(l, inst, fields, image);
        l.b.begin_else();
        open += 1;
        if n == last {
            none(l, inst, fields);
        }
    }
    (0..open).for_each(|_| l.b.end_if());
}

/// Types of images of a table, with what their texels are, that an instruction can access.
fn kinds(
    inst: &Inst,
    fields: inst::Image,
    spec: crate::io::TableSpec,
    compare: bool,
) -> SmallVec<[(u32, TargetKind); 4]> {
    const VOLUME: u32 = 10;
    const CUBE: u32 = 11;
    const SAMPLES: std::ops::RangeInclusive<u32> = 14..=15;
    let sampled = matches!(inst.kind(), Sort::Sample(_) | Sort::Gather(_) | Sort::ImageLod);
    let gathers = matches!(inst.kind(), Sort::Gather(_));
    let can = |kind: u32, component: TargetKind| {
        let is_cube = kind & !CUBE_LAYERS == CUBE;
        let compares = !compare || component == TargetKind::Float && kind != VOLUME;
        Shape::new(kind).is_some()
            && compares
            && (!sampled || !SAMPLES.contains(&kind))
            && (!gathers || kind != VOLUME)
            && (sampled || !is_cube || inst.kind() == Sort::ImageSize)
    };
    let all: SmallVec<[(u32, TargetKind); 4]> =
        [(spec.floats, TargetKind::Float), (spec.uints, TargetKind::Uint), (spec.sints, TargetKind::Sint)]
            .into_iter()
            .flat_map(|(kinds, component)| {
                (0..32).filter(move |kind| kinds >> kind & 1 != 0).map(move |kind| (kind, component))
            })
            .filter(|&(kind, component)| can(kind, component))
            .collect();
    // The instruction says whether a slice or face is among the coordinates.
    let layered = |kind: u32| matches!(kind & !CUBE_LAYERS, CUBE | 12 | 13 | 15);
    let fitting: SmallVec<_> = all.iter().copied().filter(|(kind, _)| layered(*kind) == fields.da).collect();
    if fitting.is_empty() { all } else { fitting }
}

/// The word of a texture that has no slot, out of the table of those.
pub(super) fn beyond_slots(l: &mut Lifter, image: ImageRef) -> ImageRef {
    let (slots, resources) = (texture_slots(l.source.stage) as u32, &l.analysis.resources);
    let table = resources.tables.iter().position(|table| table.of == TableOf::Textures);
    let (Some(table), Some(index), false) = (table, image.slot.checked_sub(slots), image.storage) else { return image };
    let Some(shape) = Shape::new(image.spec.kind) else { return image };
    let component = component(image);
    let b = &mut l.b;
    let index = b.i32(index as i32);
    let entry = only(l, table as u32, Some(index));
    let b = &mut l.b;
    let own = b.i32(abi::what(shape.dim.table(), component as u8) as i32);
    let is = ir!(b, ieq(iand({ entry.what }, { b.i32(abi::OWN as i32) }), own));
    let word = ir!(b, select(is, { entry.word }, { b.i32(component as i32) }));
    ImageRef { word: Some(word), ..image }
}

/// What an image's texels are.
pub(super) fn component(image: ImageRef) -> Component {
    match image.spec.format >> 16 & 3 {
        1 => Component::Uint,
        2 => Component::Sint,
        _ => Component::Float,
    }
}

/// The texture of an image that is in a table, declared when it is first used.
pub(super) fn texture(l: &mut Lifter, image: ImageRef, shape: Shape) -> Option<TextureRef> {
    let decl = TextureDecl {
        slot: TextureDecl::IN_TABLES,
        dim: shape.dim,
        shadow: image.compare,
        component: component(image),
    };
    let known = l.kept.in_tables.iter().find(|(known, _)| *known == decl);
    let texture = match known {
        Some((_, texture)) => *texture,
        None => {
            let texture = l.b.texture(decl);
            l.kept.in_tables.push((decl, texture));
            texture
        }
    };
    Some(TextureRef { texture, word: image.word })
}
