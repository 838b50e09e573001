//! The objects of a capture.

use crate::{Accesses, Capture, Moment};
use afterimage_stream::describe::{Describe, Value};
use afterimage_stream::packets::Effect;
use afterimage_stream::{Created, Format, ObjectId, ObjectKind, Packet, State};
use rustc_hash::FxHashMap;

/// Calls that use an object in one way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// How many.
    pub count: u64,
    /// The first.
    pub first: u64,
    /// The last.
    pub last: u64,
}

impl Uses {
    fn add(&mut self, call: u64) {
        if self.count == 0 {
            self.first = call;
        } else if self.last == call {
            return;
        }
        self.count += 1;
        self.last = call;
    }
}

/// An object of a capture. Ids are used again: an object is its id from its creation to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The id.
    pub id: ObjectId,
    /// What it is.
    pub kind: ObjectKind,
    /// The guest's name for it.
    pub name: Option<String>,
    /// What it is in words: `B8G8R8A8_UNORM 512 x 256, 10 levels, TARGET`.
    pub description: String,
    /// Bytes, as far as they can be told; 0 for what has none.
    pub bytes: u64,
    /// When it was created.
    pub created: Moment,
    /// When it was destroyed, if it was.
    pub destroyed: Option<Moment>,
    /// Packets that replaced bytes or texels of it.
    pub updates: u64,
    /// Calls that read it.
    pub reads: Uses,
    /// Calls that write it.
    pub writes: Uses,
}

impl Resource {
    /// Whether it is there when a call is done.
    #[must_use]
    pub fn lives_at(&self, call: u64) -> bool {
        self.created.is_before(call) && self.destroyed.is_none_or(|end| !end.is_before(call))
    }
}

/// Most bytes of a name.
const NAME: usize = 256;

/// The objects of a capture.
#[derive(Debug, Default)]
pub(crate) struct Resources {
    pub(crate) all: Vec<Resource>,
    /// By id: which of them had it, in order.
    pub(crate) places: FxHashMap<ObjectId, Vec<usize>>,
}

/// Goes through the whole capture once.
pub(crate) fn find(capture: &Capture) -> Resources {
    let mut places: FxHashMap<ObjectId, Vec<usize>> = FxHashMap::default();
    let mut found: Vec<Resource> = Vec::new();
    let mut living: FxHashMap<ObjectId, usize> = FxHashMap::default();
    let mut state = State::default();
    let mut framed = false;
    let mut calls = capture.calls().iter().peekable();
    for (place, packet) in capture.packets(crate::Place::default()) {
        let next = calls.peek().map_or(capture.calls().len() as u64, |call| call.number);
        let moment = Moment::at(!framed, next);
        if let Some(call) = calls.next_if(|call| call.place == place) {
            let accesses = Accesses::of(&state, &packet, |id| capture.shader(id, call.number)?.slots());
            for (list, reads) in [(&accesses.reads, true), (&accesses.writes, false)] {
                for access in list {
                    let Some(resource) = living.get(&access.id).and_then(|at| found.get_mut(*at)) else { continue };
                    (if reads { &mut resource.reads } else { &mut resource.writes }).add(call.number);
                }
            }
        }
        state.apply(&packet);
        let mut touch = |id: ObjectId, touch: &dyn Fn(&mut Resource)| {
            if let Some(resource) = living.get(&id).and_then(|at| found.get_mut(*at)) {
                touch(resource);
            }
        };
        if let Packet::BeginFrame(_) = packet {
            framed = true;
        }
        if let Packet::Name(body, name) = packet {
            touch(body.id, &|resource| {
                let text = String::from_utf8_lossy(&name[..name.len().min(NAME)]);
                resource.name = Some(text.chars().filter(|c| !c.is_control()).collect());
            });
        }
        let (mut updates, mut destroyed) = (false, None);
        packet.effects(|effect| match effect {
            Effect::Uploads(_) => updates = true,
            Effect::Writes(part, _) if updates => touch(part.id, &|resource| resource.updates += 1),
            Effect::Destroys(id) => {
                touch(id, &|resource| resource.destroyed = Some(moment));
                destroyed = Some(id);
            }
            _ => {}
        });
        if let Some(id) = destroyed {
            living.remove(&id);
        }
        let Some(id) = packet.created() else { continue };
        let (Some(kind), Some(object)) = (id.kind(), state.objects.get(id)) else { continue };
        if id.kind() == Some(ObjectKind::Target) && living.contains_key(&id) {
            continue;
        }
        let (description, bytes) = describe(object);
        living.insert(id, found.len());
        places.entry(id).or_default().push(found.len());
        found.push(Resource {
            id,
            kind,
            name: None,
            description,
            bytes,
            created: moment,
            destroyed: None,
            updates: 0,
            reads: Uses::default(),
            writes: Uses::default(),
        });
    }
    Resources { all: found, places }
}

/// What an object is in words, and its bytes.
fn describe(object: &Created) -> (String, u64) {
    let word = |body: &dyn Describe, name: &str| match body.describe() {
        Value::Fields(fields) => {
            fields.iter().find(|field| field.name == name).map_or_else(String::new, |field| field.value.to_string())
        }
        _ => String::new(),
    };
    match object {
        Created::Buffer(body) => (format!("{} bytes, {}", body.size, word(body, "usage")), body.size),
        Created::Texture(texture) => texture_words(texture, &word(texture.as_ref(), "usage")),
        Created::View(view, texture) => {
            let (text, _) = texture_words(texture, "");
            (format!("view of {}, level {}, layer {}: {text}", view.source, view.level, view.layer), 0)
        }
        Created::Sampler(body) => {
            let word = |name| word(body.as_ref(), name);
            let text = format!("mag {}, min {}, mip {}, {}", word("mag"), word("min"), word("mip"), word("address"));
            (text, 0)
        }
        Created::Shader(body) => {
            let language = afterimage_shader::Language::from_number(body.language).map_or("unknown", |l| l.name());
            let text = format!("{}, {language}, {} bytes", word(body.as_ref(), "stage"), body.code.size);
            (text, body.code.size.into())
        }
        Created::Table(entries) => {
            let there = entries.iter().filter(|entry| !entry.texture.is_none() || !entry.sampler.is_none()).count();
            (format!("{} entries, {there} in use", entries.len()), 0)
        }
        Created::VertexInput(attributes) => (format!("{} attributes", attributes.len()), 0),
        Created::Query(body) => (word(body, "kind"), 0),
        Created::Target(body) => {
            (format!("{} x {}, {}", body.width, body.height, word(body.as_ref(), "window_kind")), 0)
        }
    }
}

fn texture_words(texture: &afterimage_stream::packets::CreateTexture, usage: &str) -> (String, u64) {
    let format = Format::from_bits(texture.format);
    let mut text =
        format!("{} {} x {}", format.map_or("unknown", |format| format.info().name), texture.width, texture.height);
    if texture.depth > 1 {
        text += &format!(" x {}", texture.depth);
    }
    if texture.dimension == afterimage_stream::packets::Dimension::Cube as u8 {
        text += " cube";
    }
    for (count, name) in [(texture.layers, "layers"), (texture.levels, "levels"), (texture.samples.into(), "samples")] {
        if count > 1 {
            text += &format!(", {count} {name}");
        }
    }
    if !matches!(usage, "" | "none") {
        text += &format!(", {usage}");
    }
    let bytes = format.map_or(0, |format| {
        let edge = |edge: u32, level: u32| edge.checked_shr(level).unwrap_or(0).max(1);
        let levels = (0..texture.levels.min(32)).map(|level| {
            let slice = format.packed_size(edge(texture.width, level), edge(texture.height, level));
            slice.saturating_mul(edge(texture.depth, level).into())
        });
        let all = levels.fold(0, u64::saturating_add);
        all.saturating_mul(texture.layers.into()).saturating_mul(texture.samples.into())
    });
    (text, bytes)
}
