//! What calls need, found from the end of the capture to its start: a call is needed where something that it writes is.

use super::touch::{Facts, Touch};
use afterimage_inspect::{CallKind, CallSet, Capture, Form, Place};
use afterimage_stream::packets::Effect;
use afterimage_stream::{Created, ObjectId, Packet, State};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// What is told of a capture's shaders, at the place that has been read up to.
pub(super) struct Shaders<'a> {
    capture: &'a Capture,
    created: usize,
    by_id: HashMap<ObjectId, usize>,
    /// By number of the shader.
    known: HashMap<usize, Facts>,
    /// Of shaders with the same code.
    by_hash: HashMap<(u128, u32), Facts>,
}

impl<'a> Shaders<'a> {
    pub(super) fn of(capture: &'a Capture) -> Self {
        Self { capture, created: 0, by_id: HashMap::new(), known: HashMap::new(), by_hash: HashMap::new() }
    }

    /// Reads on. Every packet must come here in order.
    pub(super) fn packet(&mut self, packet: &Packet<'_>) {
        if let Packet::CreateShader(body) = packet {
            self.by_id.insert(body.id, self.created);
            self.created += 1;
        }
    }

    /// What a shader looks up and writes. Of one that cannot be translated, everything.
    pub(super) fn facts(&mut self, id: ObjectId) -> Facts {
        let unknown = Facts { slots: u32::MAX, stores: true };
        let Some(&number) = self.by_id.get(&id) else { return unknown };
        if let Some(facts) = self.known.get(&number) {
            return *facts;
        }
        let Some(shader) = self.capture.shaders().get(number) else { return unknown };
        let find = || {
            let Some(slots) = shader.slots() else { return unknown };
            // The instructions that change memory are those with one of these words in their names.
            let stores =
                |text: String| ["store_global", "image_store", "atomic"].iter().any(|word| text.contains(word));
            Facts { slots, stores: shader.text(Form::Ir).map_or(true, stores) }
        };
        let facts = match shader.hash {
            Some(hash) => *self.by_hash.entry((hash, shader.language)).or_insert_with(find),
            None => unknown,
        };
        self.known.insert(number, facts);
        facts
    }
}

/// What a packet is to the search.
#[derive(Clone, Copy, Debug)]
enum Role {
    /// A call, and the capture of vertices that it is part of.
    Call { number: u64, named: bool, group: Option<usize> },
    /// The end of a capture of vertices that nothing ends but its frame.
    End { group: usize },
    /// Writes contents from the guest.
    Update,
    /// Creates an object, perhaps a view of another.
    Create { id: ObjectId, of: Option<ObjectId> },
    /// Says something of an object.
    About { id: ObjectId },
}

/// A packet that may be needed.
struct Step {
    place: Place,
    role: Role,
    touch: Rc<Touch>,
}

/// Touches that were met, each once: of millions of calls most are like others.
#[derive(Default)]
struct Touches(HashSet<Rc<Touch>>);

impl Touches {
    fn one(&mut self, touch: Touch) -> Rc<Touch> {
        match self.0.get(&touch) {
            Some(known) => Rc::clone(known),
            None => {
                let touch = Rc::new(touch);
                self.0.insert(Rc::clone(&touch));
                touch
            }
        }
    }
}

/// What of a capture is kept.
#[derive(Debug, Default)]
pub(super) struct Selection {
    /// In order.
    places: Vec<Place>,
    /// Numbers of the calls among them, in order.
    calls: Vec<u64>,
}

impl Selection {
    /// What the calls of a set need, and themselves.
    pub(super) fn of(capture: &Capture, set: &CallSet) -> Self {
        let Found { steps, mut groups } = Found::of(capture, set);
        let (mut live, mut needed): (HashSet<ObjectId>, HashSet<ObjectId>) = Default::default();
        let mut kept = Self::default();
        for step in steps.into_iter().rev() {
            let writes_live = || step.touch.writes.iter().any(|id| live.contains(id));
            let keep = match step.role {
                Role::Call { named, group, .. } => {
                    let of_group = group.is_some_and(|group| groups[group]);
                    let keep = named || of_group || writes_live();
                    // The end of a group comes first: with it all of the group is kept.
                    if let Some(group) = group.filter(|_| keep && step.touch.ends_feedback) {
                        groups[group] = true;
                    }
                    keep
                }
                Role::End { group } => {
                    groups[group] |= writes_live();
                    // No packet says so; what the group's draws need is found with them.
                    continue;
                }
                Role::Update => writes_live(),
                Role::Create { id, of } => {
                    live.remove(&id);
                    let keep = needed.remove(&id);
                    needed.extend(of.filter(|_| keep));
                    keep
                }
                Role::About { id } => needed.contains(&id),
            };
            if !keep {
                continue;
            }
            kept.places.push(step.place);
            if let Role::Call { number, .. } = step.role {
                kept.calls.push(number);
            }
            for id in &step.touch.replaces {
                live.remove(id);
            }
            let replaced = |id: &&ObjectId| !step.touch.replaces.contains(id);
            live.extend(step.touch.reads.iter().chain(step.touch.writes.iter().filter(replaced)));
            needed.extend(step.touch.objects.iter().chain(&step.touch.reads).chain(&step.touch.writes));
        }
        kept.places.reverse();
        kept.calls.reverse();
        kept
    }

    /// Whether a packet is kept.
    pub(super) fn contains(&self, place: Place) -> bool {
        self.places.binary_search(&place).is_ok()
    }

    /// The numbers of the calls that are kept.
    pub(super) fn calls(&self) -> impl Iterator<Item = u64> {
        self.calls.iter().copied()
    }

    /// Whether one of these calls is kept.
    pub(super) fn any_of(&self, calls: &std::ops::Range<u64>) -> bool {
        let at = self.calls.partition_point(|call| *call < calls.start);
        self.calls.get(at).is_some_and(|call| calls.contains(call))
    }
}

/// All packets that may be needed, and whether a set names a call of each capture of vertices.
struct Found {
    steps: Vec<Step>,
    groups: Vec<bool>,
}

impl Found {
    fn of(capture: &Capture, set: &CallSet) -> Self {
        let mut state = State::default();
        let mut shaders = Shaders::of(capture);
        let (mut steps, mut groups): (Vec<Step>, Vec<bool>) = Default::default();
        let mut touches = Touches::default();
        let mut open = None;
        // Of queries that have begun: the step.
        let mut queries: HashMap<ObjectId, usize> = HashMap::new();
        let mut calls = capture.calls().iter().peekable();
        for (place, packet) in capture.packets(Place::default()) {
            shaders.packet(&packet);
            if let Packet::BeginFrame(_) | Packet::Present(_) = packet
                && let Some(group) = open.take()
            {
                let touch = Touch::of(&Packet::EndFeedback(&Default::default()), &state, &mut |id| shaders.facts(id));
                steps.push(Step { place, role: Role::End { group }, touch: touches.one(touch) });
            }
            if let Packet::BeginFeedback(_) = packet {
                open = Some(groups.len());
                groups.push(false);
            }
            let call = calls.next_if(|call| call.place == place);
            let role = match (Role::of(&packet), call) {
                (Some(role), _) => role,
                (None, Some(call)) => {
                    let named = set.contains(call);
                    if let Some(group) = open {
                        groups[group] |= named;
                    }
                    let group = open.filter(|_| matches!(call.kind, CallKind::Draw | CallKind::Query));
                    Role::Call { number: call.number, named, group }
                }
                (None, None) => {
                    state.apply(&packet);
                    continue;
                }
            };
            let touch = Touch::of(&packet, &state, &mut |id| shaders.facts(id));
            let step = steps.len();
            steps.push(Step { place, role, touch: touches.one(touch) });
            match packet {
                Packet::EndFeedback(_) => open = None,
                // Of a query, either both ends are kept or none; none where only its begin is asked for.
                Packet::BeginQuery(body) => drop(queries.insert(body.id, step)),
                Packet::EndQuery(body) => {
                    if let Some(begin) = queries.remove(&body.id) {
                        let named = steps[step].role.is_named();
                        [begin, step].into_iter().for_each(|at| steps[at].role.name(named));
                    }
                }
                _ => {}
            }
            state.apply(&packet);
        }
        Self { steps, groups }
    }
}

impl Role {
    /// Of a packet that is no call.
    fn of(packet: &Packet<'_>) -> Option<Self> {
        let (mut role, mut uploads) = (None, false);
        packet.effects(|effect| match effect {
            Effect::Creates { id, of } => role = Some(Self::Create { id, of: Some(of).filter(|of| !of.is_none()) }),
            Effect::Declares(id) | Effect::Describes(id) => role = Some(Self::About { id }),
            Effect::Uploads(_) => uploads = true,
            Effect::Writes(..) if uploads => role = Some(Self::Update),
            _ => {}
        });
        role
    }

    fn is_named(&self) -> bool {
        matches!(self, Self::Call { named: true, .. })
    }

    /// Names a query's end, or takes the name back; queries are no part of captures of vertices.
    fn name(&mut self, name: bool) {
        if let Self::Call { named, group, .. } = self {
            (*named, *group) = (name, None);
        }
    }
}

/// Whether an object lives in a state.
pub(super) fn lives(state: &State, id: ObjectId) -> bool {
    state.objects.get(id).is_some()
}

/// Whether a texture is there and has views.
pub(super) fn has_views(state: &State, id: ObjectId) -> bool {
    let textures = state.objects.iter(afterimage_stream::ObjectKind::Texture);
    textures.into_iter().any(|(_, created)| matches!(created, Created::View(view, _) if view.source == id))
}
