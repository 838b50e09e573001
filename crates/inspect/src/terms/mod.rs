//! A state in the words of the guest that built it: the inverse of what each guest's `translate` writes.
//!
//! A table has a row for each state of the guest that survives in the host's: which field of [`State`] it is read from, and how that
//! value reads in the guest's constants. What the host's state no longer tells (factors while nothing is blended) has no term; where
//! it may be one of several things, the term says the plainest and [`Term::note`] the others.
//!
//! How a value reads derives from the rows that the translation goes by: `enums` of `afterimage-nv2a-types` and
//! `afterimage-gnm-types` and `host` of `afterimage-d3d9-types` have the guest's value, its name and the host's value in one row
//! ([`Pair`]). They stand there, and the host's enumerations below them in `afterimage-abi`, so that neither this crate nor the
//! viewer, which draws nothing of a guest's, needs a guest. Names of states, methods and registers are the tables' constants: one
//! that is not there does not compile.
//!
//! By hand is what no row can say: the field that a state is read from; values that the host has as several numbers (filters, faces,
//! stencil operations with an operand); notes, which tell what formats, the projection or another state make of a value; and names
//! of what no table has (methods of interfaces, fields of the NV2A's methods).
//!
//! Sources: the functions of the same names in `crates/{d3d9,nv2a,gnm}/src/translate`. Tests set each state through the guest to
//! each value and look for it here.

mod d3d9;
mod d3d9_registers;
mod d3d9_shaders;
mod gnm;
mod gnm_shaders;
mod nv2a;
mod nv2a_registers;
mod nv2a_shaders;

use crate::{Capture, Walk};
use afterimage_abi::Pair;
use afterimage_stream::packets::{CreateSampler, Init, VertexBuffer, View};
use afterimage_stream::{Created, Format, ObjectId, Packet, State};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::fmt;

/// A state of the guest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Heading that it stands under: `Depth and stencil`, `Sampler 3`.
    pub group: Cow<'static, str>,
    /// The guest's name: `D3DRS_ZFUNC`, `NV097_SET_DEPTH_FUNC`, `DB_DEPTH_CONTROL.ZFUNC`.
    pub name: Cow<'static, str>,
    /// Its value in the guest's constants: `D3DCMP_LESSEQUAL`.
    pub value: String,
    /// What else the host's field may stand for, or what else it depends on; mostly empty.
    pub note: Cow<'static, str>,
    /// The field that it was read from: `depth_stencil.depth_compare`.
    pub host: Cow<'static, str>,
}

/// The code of a shader as its `CreateShader` packet has it.
pub type Code<'a> = &'a dyn Fn(ObjectId) -> Option<&'a [u8]>;

/// The name of a guest of [`Init::guest`].
#[must_use]
pub fn guest_name(guest: u32) -> Option<&'static str> {
    Some(match guest {
        Init::D3D9 => "Direct3D 9",
        Init::NV2A => "NV2A",
        Init::GNM => "GNM",
        _ => return None,
    })
}

/// What a state is in the words of a guest ([`Init::guest`]); empty for guests that are not known.
#[must_use]
pub fn terms(guest: u32, state: &State) -> Vec<Term> {
    let mut out = Vec::new();
    let tables = match guest {
        Init::D3D9 => d3d9::TABLES,
        Init::NV2A => nv2a::TABLES,
        Init::GNM => gnm::TABLES,
        _ => &[],
    };
    add(tables, state, &mut out);
    out
}

fn add(tables: &[Table], state: &State, out: &mut Vec<Term>) {
    for table in tables {
        for n in 0..table.count {
            out.extend(table.rows.iter().filter_map(|row| row.term(table.group, state, n)));
        }
    }
}

/// As [`terms`], and what only the code of the bound shaders tells: constants by name, what vertices are made of, fixed function.
#[must_use]
pub fn terms_with_code(guest: u32, state: &State, code: Code<'_>) -> Vec<Term> {
    let mut out = terms(guest, state);
    match guest {
        Init::D3D9 => d3d9_shaders::terms(state, code, &mut out),
        Init::NV2A => nv2a_shaders::terms(state, code, &mut out),
        Init::GNM => gnm_shaders::terms(state, code, &mut out),
        _ => {}
    }
    out
}

/// As [`terms_with_code`], of a dispatch of a compute shader: what that reads and writes. Direct3D 9 and the NV2A have none.
#[must_use]
pub fn terms_of_dispatch(guest: u32, state: &State, shader: ObjectId, code: Code<'_>) -> Vec<Term> {
    let mut out = Vec::new();
    if guest == Init::GNM {
        gnm_shaders::dispatched(state, shader, code, &mut out);
        add(gnm::COMPUTE, state, &mut out);
    }
    out
}

impl Capture {
    /// A state in the guest's words: the one in which a call is done, with what the code of its shaders tells.
    #[must_use]
    pub fn terms(&self, call: u64, state: &State) -> Vec<Term> {
        let code = |id| self.shader(id, call)?.code.as_deref();
        match self.call(call).and_then(|call| self.packet(call.place)) {
            Some(Packet::Dispatch(body)) => terms_of_dispatch(self.guest(), state, body.shader, &code),
            _ => terms_with_code(self.guest(), state, &code),
        }
    }
}

impl Walk<'_> {
    /// The state in the guest's words, with what the code of the call's shaders tells.
    #[must_use]
    pub fn terms(&self) -> Vec<Term> {
        self.capture().terms(self.number(), self.state())
    }
}

/// What is another in the guest's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermChange<'a> {
    /// The term before; `None` where there was none.
    pub before: Option<&'a Term>,
    /// The term now.
    pub after: Option<&'a Term>,
}

/// What differs between the terms of two states: first what is new or another, in the order of the terms, then what is gone.
#[must_use]
pub fn changed<'a>(before: &'a [Term], after: &'a [Term]) -> Vec<TermChange<'a>> {
    fn key(term: &Term) -> (&str, &str, &str) {
        (&term.group, &term.name, &term.host)
    }
    let mut old: FxHashMap<_, &Term> = before.iter().map(|term| (key(term), term)).collect();
    let mut changes = Vec::new();
    for term in after {
        let was = old.remove(&key(term));
        if was.is_none_or(|was| was.value != term.value) {
            changes.push(TermChange { before: was, after: Some(term) });
        }
    }
    let gone = before.iter().filter(|term| old.contains_key(&key(term)));
    changes.extend(gone.map(|term| TermChange { before: Some(term), after: None }));
    changes
}

impl fmt::Display for TermChange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |term: Option<&'_ Term>| term.map_or_else(|| "nothing".to_owned(), |term| term.value.clone());
        let (group, name) = self.after.or(self.before).map_or(("", ""), |term| (&*term.group, &*term.name));
        write!(f, "{group}: {name}: {} -> {}", value(self.before), value(self.after))
    }
}

/// A value in the guest's words.
struct Said {
    value: String,
    note: Cow<'static, str>,
}

impl Said {
    fn or(self, note: impl Into<Cow<'static, str>>) -> Option<Self> {
        Some(Self { note: note.into(), ..self })
    }
}

fn say(value: impl Into<String>) -> Said {
    Said { value: value.into(), note: Cow::Borrowed("") }
}

/// A state of the guest, and where it is read from.
struct Row {
    /// With `{n}` for the number of the slot, as in `host`.
    name: &'static str,
    host: &'static str,
    note: &'static str,
    /// The name is that of the first slot: its first 0 is the number.
    of_each: bool,
    read: fn(&State, usize) -> Option<Said>,
}

const fn row(name: &'static str, host: &'static str, read: fn(&State, usize) -> Option<Said>) -> Row {
    Row { name, host, note: "", of_each: false, read }
}

impl Row {
    /// With a note that holds whatever the value is.
    const fn with(self, note: &'static str) -> Self {
        Self { note, ..self }
    }

    /// With the number of the slot in the place of the first 0 of its name.
    const fn of_each(self) -> Self {
        Self { of_each: true, ..self }
    }

    fn term(&self, group: &'static str, state: &State, n: usize) -> Option<Term> {
        let Said { value, note } = (self.read)(state, n)?;
        let note = match (self.note, &*note) {
            (always, "") => Cow::Borrowed(always),
            ("", _) => note,
            (always, now) => Cow::Owned(format!("{now}; {always}")),
        };
        Some(Term {
            group: numbered(group, n),
            name: if self.of_each { self.name.replacen('0', &n.to_string(), 1).into() } else { numbered(self.name, n) },
            value,
            note,
            host: numbered(self.host, n),
        })
    }
}

fn numbered(text: &'static str, n: usize) -> Cow<'static, str> {
    if text.contains("{n}") { Cow::Owned(text.replace("{n}", &n.to_string())) } else { Cow::Borrowed(text) }
}

/// Rows under one heading, for each of so many slots.
struct Table {
    group: &'static str,
    count: usize,
    rows: &'static [Row],
}

/// How the numbers of a host's enumeration read in the guest's constants.
struct Words {
    /// The rows that the guest's translation goes by.
    rows: &'static [Pair],
    text: fn(&Pair) -> String,
    /// What else a number may stand for: what no row tells.
    notes: &'static [(u8, &'static str)],
}

/// Words that are the guest's names.
const fn names(rows: &'static [Pair]) -> Words {
    Words { rows, text: |row| row.name.to_owned(), notes: &[] }
}

/// The word of a number. One that has none is said as it is: the guest does not send it.
fn word(words: &Words, number: u8) -> Option<Said> {
    let note = words.notes.iter().find(|(host, _)| *host == number).map_or("", |(_, note)| *note);
    match words.rows.iter().find(|row| row.host == number) {
        Some(row) => say((words.text)(row)).or(note),
        None => Some(say(format!("? ({number} of the host)"))),
    }
}

fn float(value: f32) -> Option<Said> {
    Some(say(format!("{value:?}")))
}

fn hex(value: u32) -> Option<Said> {
    Some(say(format!("{value:#x}")))
}

/// A colour as a word, 0xAARRGGBB.
fn argb(color: [f32; 4]) -> u32 {
    let [red, green, blue, alpha] = color.map(|channel| (channel.clamp(0.0, 1.0) * 255.0 + 0.5) as u32);
    alpha << 24 | red << 16 | green << 8 | blue
}

/// Bits by their names: `0x5 (RED | BLUE)`.
fn bits(value: u32, names: &[&str]) -> Said {
    let set: Vec<&str> = (0..).zip(names).filter(|(bit, _)| value >> bit & 1 != 0).map(|(_, name)| *name).collect();
    if set.is_empty() { say(format!("{value:#x}")) } else { say(format!("{value:#x} ({})", set.join(" | "))) }
}

/// Four components of a register: as floats where they look like such.
fn register(value: [u32; 4]) -> String {
    // Small numbers, and words of bits, are no floats that anybody sets.
    let looks = |bits: u32| {
        let size = f32::from_bits(bits).abs();
        size == 0.0 || (1e-12..1e31).contains(&size) || size == f32::MAX
    };
    if value.iter().all(|bits| looks(*bits)) {
        let [x, y, z, w] = value.map(f32::from_bits);
        format!("{x:?}, {y:?}, {z:?}, {w:?}")
    } else {
        let [x, y, z, w] = value;
        format!("{x:#x}, {y:#x}, {z:#x}, {w:#x}")
    }
}

/// The sampler of a slot of draws that has one.
fn sampler(state: &State, slot: usize) -> Option<&CreateSampler> {
    match state.objects.get(state.textures.all().get(slot)?.sampler)? {
        Created::Sampler(sampler) => Some(sampler),
        _ => None,
    }
}

/// What a texture is, in a few words.
fn texture_text(state: &State, id: ObjectId) -> String {
    let Some(texture) = state.objects.texture(id) else { return id.to_string() };
    let format = Format::from_bits(texture.format).map_or_else(|| "?".to_owned(), |format| format!("{format:?}"));
    let name = state.objects.name(id).map(|name| format!(" \"{name}\"")).unwrap_or_default();
    let mut text = format!("{id}{name} {format} {} x {}", texture.width, texture.height);
    if texture.depth > 1 {
        text.push_str(&format!(" x {}", texture.depth));
    }
    if texture.layers > 1 {
        text.push_str(&format!(", {} layers", texture.layers));
    }
    if texture.levels > 1 {
        text.push_str(&format!(", {} levels", texture.levels));
    }
    if texture.samples > 1 {
        text.push_str(&format!(", {} samples", texture.samples));
    }
    text
}

/// A target that is bound.
fn view(state: &State, view: View) -> Option<Said> {
    if view.texture.is_none() {
        return None;
    }
    let mut text = texture_text(state, view.texture);
    if view.level != 0 {
        text.push_str(&format!(", level {}", view.level));
    }
    if view.layer != 0 {
        text.push_str(&format!(", layer {}", view.layer));
    }
    Some(say(text))
}

/// The texture of a slot of draws.
fn texture(state: &State, slot: usize) -> Option<Said> {
    let id = state.textures.all().get(slot)?.texture;
    (!id.is_none()).then(|| say(texture_text(state, id)))
}

/// A vertex buffer that is bound.
fn vertex_buffer(state: &State, binding: &VertexBuffer) -> Option<Said> {
    let name = state.objects.name(binding.source).map(|name| format!(" \"{name}\"")).unwrap_or_default();
    (!binding.source.is_none())
        .then(|| say(format!("{}{name}, offset {}, stride {}", binding.source, binding.offset, binding.stride)))
}
