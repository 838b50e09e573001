//! State by paths, and what differs between two states.

use afterimage_stream::describe::{Describe, Value, register};
use afterimage_stream::packets::{CreateSampler, Packet, Stage, TextureBinding, VertexAttribute};
use afterimage_stream::{Bank, Created, ObjectId, State};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// A value of the state.
#[derive(Clone, Debug, PartialEq)]
pub struct StateField {
    /// Where it is: `raster.cull`, `textures[3].sampler.mag`.
    pub path: String,
    /// What it is.
    pub value: Value,
}

/// What is another in one state than in another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// As [`StateField::path`], or a register: `vertex float[12]`.
    pub path: String,
    /// The value before; `None` where nothing was bound.
    pub before: Option<Value>,
    /// The value now.
    pub after: Option<Value>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |value: &Option<Value>| value.as_ref().map_or_else(|| "nothing".to_owned(), Value::to_string);
        write!(f, "{}: {} -> {}", self.path, show(&self.before), show(&self.after))
    }
}

/// Is told of groups by name: what they say in one state and in another, `None` where nothing is bound.
type Each<'e> = dyn FnMut(&str, Option<&dyn Describe>, Option<&dyn Describe>) + 'e;

fn pair<T: Describe + PartialEq>(name: fmt::Arguments<'_>, pair: [Option<&T>; 2], each: &mut Each<'_>) {
    let [before, after] = pair;
    if before != after {
        fn group<T: Describe>(group: &T) -> &dyn Describe {
            group
        }
        each(&name.to_string(), before.map(group), after.map(group));
    }
}

/// The groups of the state that differ. Without a state before, all that is there is new.
fn groups(before: Option<&State>, after: &State, each: &mut Each<'_>) {
    macro_rules! of {
        ($state:ident => $value:expr) => {
            [before.and_then(|$state| $value), {
                let $state = after;
                $value
            }]
        };
    }
    macro_rules! whole {
        ($($field:ident)*) => {
            $(pair(format_args!(stringify!($field)), of!(state => Some(state.$field.get())), each);)*
        };
    }
    // Slots that are not bound are as if they were not there.
    macro_rules! slots {
        ($name:literal, $state:ident => $slots:expr, $slot:ident => $bound:expr) => {
            let [before, after] = of!($state => Some($slots));
            for (at, now) in after.into_iter().flatten().enumerate() {
                let then = before.and_then(|slots| slots.get(at));
                pair(format_args!($name, at), [then, Some(now)].map(|slot| slot.filter(|$slot| !$bound.is_none())), each);
            }
        };
    }
    whole!(render_targets viewport scissor);
    let viewports = before.map_or(0, |state| state.viewports.len()).max(after.viewports.len());
    for at in 0..viewports {
        pair(format_args!("viewports[{}]", at + 1), of!(state => state.viewports.get().get(at)), each);
    }
    whole!(raster depth_stencil depth_bounds blend);
    let targets = before.map_or(0, |state| state.blend_targets.len()).max(after.blend_targets.len());
    for target in 0..targets {
        pair(format_args!("blend_targets[{target}]"), of!(state => state.blend_targets.get().get(target)), each);
    }
    whole!(pixel_ops vertex_input shaders);
    slots!("vertex_buffers[{}]", state => state.vertex_buffers.all(), buffer => buffer.source);
    whole!(index_buffer);
    textures("textures", before.map(|state| (state, &state.textures.all()[..])), (after, after.textures.all()), each);
    let compute = before.map(|state| (state, &state.compute_textures.all()[..]));
    textures("compute_textures", compute, (after, after.compute_textures.all()), each);
    for (stage, name) in [(Stage::Vertex, "vertex"), (Stage::Pixel, "pixel"), (Stage::Compute, "compute")] {
        slots!("{name}_storage[{}]", state => state.storage(stage), binding => binding.buffer);
        slots!("{name}_images[{}]", state => state.storage_images(stage), image => image.view.texture);
    }
    slots!("feedback_buffers[{}]", state => &state.feedback_buffers, buffer => buffer.buffer);
    let (old, new) = (before.map_or(&[][..], attributes), attributes(after));
    for at in 0..old.len().max(new.len()) {
        pair(format_args!("vertex_input.attributes[{at}]"), [old.get(at), new.get(at)], each);
    }
}

/// Slots of textures, each with its sampler's own fields behind it.
fn textures(
    name: &str,
    before: Option<(&State, &[TextureBinding])>,
    after: (&State, &[TextureBinding]),
    each: &mut Each<'_>,
) {
    fn bound<'s>(
        (state, slots): (&'s State, &'s [TextureBinding]),
        slot: usize,
    ) -> Option<(&'s State, &'s TextureBinding)> {
        slots.get(slot).filter(|binding| !binding.texture.is_none()).map(|binding| (state, binding))
    }
    fn sampler<'s>((state, binding): (&'s State, &'s TextureBinding)) -> Option<&'s CreateSampler> {
        match state.objects.get(binding.sampler) {
            Some(Created::Sampler(sampler)) => Some(sampler),
            _ => None,
        }
    }
    for slot in 0..after.1.len() {
        let slots = [before.and_then(|before| bound(before, slot)), bound(after, slot)];
        pair(format_args!("{name}[{slot}]"), slots.map(|slot| slot.map(|(_, binding)| binding)), each);
        pair(format_args!("{name}[{slot}].sampler"), slots.map(|slot| slot.and_then(sampler)), each);
    }
}

fn attributes(state: &State) -> &[VertexAttribute] {
    match state.objects.get(state.vertex_input.id) {
        Some(Created::VertexInput(attributes)) => attributes,
        _ => &[],
    }
}

/// The fields of a group, but those of colour targets that are none.
fn leaves(state: &State, name: &str, group: &dyn Describe, each: &mut dyn FnMut(&str, &Value)) {
    group.describe().leaves(name, &mut |path, value| {
        if !(path.starts_with("render_targets.color") && unbound(state, path)) {
            each(path, value);
        }
    });
}

/// The whole state but for constants; slots with nothing bound are left out.
#[must_use]
pub fn state_fields(state: &State) -> Vec<StateField> {
    let mut fields = Vec::new();
    groups(None, state, &mut |name, _, group| {
        group.into_iter().for_each(|group| {
            leaves(state, name, group, &mut |path, value| {
                fields.push(StateField { path: path.to_owned(), value: value.clone() });
            });
        });
    });
    fields
}

/// Whether a path is of a colour target that is none.
fn unbound(state: &State, path: &str) -> bool {
    let number = path.trim_start_matches("render_targets.color[").split(']').next();
    let target =
        number.and_then(|number| number.parse::<usize>().ok()).and_then(|at| state.render_targets.color.get(at));
    target.is_some_and(|view| view.texture == ObjectId::NONE)
}

/// Registers of every bank that are not zero.
#[must_use]
pub fn constants(state: &State) -> Vec<StateField> {
    let mut fields = Vec::new();
    for (number, bank) in Bank::ALL.iter().enumerate() {
        for (at, value) in state.bank(number).iter().enumerate().filter(|(_, value)| **value != [0; 4]) {
            fields.push(StateField { path: format!("{}[{at}]", bank.name()), value: register(number, *value) });
        }
    }
    fields
}

/// What differs between two states, constants too.
#[must_use]
pub fn changes_between(before: &State, after: &State) -> Vec<Change> {
    changes_in(before, after, None)
}

/// Registers of each bank that were set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registers {
    banks: [Range<usize>; Bank::COUNT],
}

impl Registers {
    pub(crate) fn packet(&mut self, packet: &Packet<'_>) {
        let Packet::SetConstants(body, registers) = packet else { return };
        let Some(bank) = self.banks.get_mut(usize::from(body.bank)) else { return };
        let set = usize::from(body.first)..usize::from(body.first) + registers.len();
        *bank = if bank.start == bank.end { set } else { bank.start.min(set.start)..bank.end.max(set.end) };
    }
}

/// What differs; `registers` are all that can, where that is known.
pub(crate) fn changes_in(before: &State, after: &State, registers: Option<&Registers>) -> Vec<Change> {
    let mut old: BTreeMap<String, Value> = BTreeMap::new();
    let mut new = Vec::new();
    groups(Some(before), after, &mut |name, one, other| {
        one.into_iter().for_each(|group| {
            leaves(before, name, group, &mut |path, value| drop(old.insert(path.to_owned(), value.clone())));
        });
        other.into_iter().for_each(|group| {
            leaves(after, name, group, &mut |path, value| new.push((path.to_owned(), value.clone())));
        });
    });
    let mut changes = Vec::new();
    for (path, value) in new {
        let before = old.remove(&path);
        if before.as_ref() != Some(&value) {
            changes.push(Change { path, before, after: Some(value) });
        }
    }
    changes.extend(old.into_iter().map(|(path, value)| Change { path, before: Some(value), after: None }));
    for (number, bank) in Bank::ALL.iter().enumerate() {
        let (old, new) = (before.bank(number), after.bank(number));
        let set = registers.map_or(0..new.len(), |registers| registers.banks[number].clone());
        let set = set.start.min(new.len())..set.end.min(new.len());
        if old[set.clone()] == new[set.clone()] {
            continue;
        }
        let both = set.clone().zip(old[set.clone()].iter().zip(&new[set]));
        for (at, (old, new)) in both.filter(|(_, (old, new))| old != new) {
            let (before, after) = (Some(register(number, *old)), Some(register(number, *new)));
            changes.push(Change { path: format!("{}[{at}]", bank.name()), before, after });
        }
    }
    changes
}
