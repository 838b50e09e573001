//! What the page says, from the model of the capture: rows of calls, state, changes, vertices, shaders.

use super::blocks::Blocks;
use super::pictures::{Taken, Texture};
use super::room::Of;
use super::tables::Tables;
use afterimage_inspect::{
    Access, Accesses, Call, CallKind, Capture, Change, Form, NoVertices, ShaderCode, Walk, constants, fields,
    state_fields,
};
use afterimage_stream::describe::Value as Said;
use afterimage_stream::{ObjectId, State};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use xxhash_rust::xxh3::Xxh3;

/// Calls whose details share a block.
pub(super) const CHUNK: u64 = 32;
/// Changes of one call that are listed at most.
const CHANGES: usize = 2000;
/// Longest text of a row in the list of calls, in bytes.
const LABEL: usize = 120;
/// Vertices of a wireframe at most.
const WIRE: usize = 20_000;

/// An object's text in JSON; `raw` values are text in JSON already.
macro_rules! object {
    ($($name:literal: $kind:ident $value:expr),* $(,)?) => {{
        let mut out = String::from("{");
        $(
            if out.len() > 1 {
                out.push(',');
            }
            out += concat!("\"", $name, "\":");
            object!(@$kind out, $value);
        )*
        out.push('}');
        out
    }};
    (@raw $out:ident, $value:expr) => { $out += &$value };
    (@value $out:ident, $value:expr) => { $out += &serde_json::to_string(&$value).map_err(std::io::Error::from)? };
}

pub(super) use object;

/// Details of calls on their way into blocks.
pub(super) struct Details<'a> {
    capture: &'a Capture,
    taken: &'a Taken,
    vertices: usize,
    shaders: HashMap<ObjectId, Vec<usize>>,
    tables: Tables,
    walk: Walk<'a>,
    textures: HashMap<ObjectId, Vec<usize>>,
}

impl<'a> Details<'a> {
    /// For calls in ascending order. `vertices` is how many a draw shows at most.
    pub(super) fn new(capture: &'a Capture, taken: &'a Taken, vertices: usize) -> Self {
        let mut shaders: HashMap<ObjectId, Vec<usize>> = HashMap::new();
        for (at, shader) in capture.shaders().iter().enumerate() {
            shaders.entry(shader.id).or_default().push(at);
        }
        let mut textures: HashMap<ObjectId, Vec<usize>> = HashMap::new();
        for (at, texture) in taken.textures.iter().enumerate() {
            textures.entry(texture.id).or_default().push(at);
        }
        Self { capture, taken, vertices, shaders, tables: Tables::default(), walk: capture.walk(), textures }
    }

    /// Adds the block of a frame's rows, of which the first `shown` have details; whether there is room for it.
    pub(super) fn rows(
        &mut self,
        place: usize,
        calls: &[Call],
        shown: usize,
        blocks: &mut Blocks,
    ) -> std::io::Result<bool> {
        let mut rows = Vec::with_capacity(calls.len());
        let (shown, bare) = calls.split_at(shown);
        for call in shown {
            self.walk.to(call.number);
            let changes = self.walk.changes();
            rows.push(self.row(call, &changes));
        }
        rows.extend(bare.iter().map(|call| self.row(call, &[])));
        blocks.add(Of::Lists, &format!("frame-{place}"), json!({ "calls": rows }))
    }

    /// Adds the blocks of the details of calls of a frame; of how many there was no room.
    pub(super) fn frame(&mut self, place: usize, calls: &[Call], blocks: &mut Blocks) -> std::io::Result<usize> {
        let mut left = 0;
        for piece in calls.chunk_by(|a, b| a.number / CHUNK == b.number / CHUNK) {
            let Some(first) = piece.first() else { continue };
            let mut chunk = Chunk::default();
            for call in piece {
                self.walk.to(call.number);
                let changes = self.walk.changes();
                self.detail(call, &changes, &mut chunk, blocks)?;
            }
            let name = format!("calls-{place}-{}", first.number / CHUNK);
            let text = object! { "rows": value chunk.rows, "calls": raw chunk.calls + "}" };
            if !blocks.add_text(Of::Details, &name, text)? {
                left += piece.len();
            }
        }
        Ok(left)
    }

    /// Adds what waits for more of its kind.
    pub(super) fn finish(mut self, blocks: &mut Blocks) -> std::io::Result<()> {
        self.tables.write(blocks)
    }

    /// A row of the list.
    fn row(&self, call: &Call, changes: &[Change]) -> Value {
        let after = self.taken.calls.get(&call.number);
        let first = after.and_then(|after| after.pictures.first());
        json!({
            "number": call.number,
            "kind": call.kind.name(),
            "label": self.label(call),
            "thumbnail": after.and_then(|after| after.thumbnail.as_ref()),
            "picture": first.map(|(_, id)| id),
            "target": first.map(|(name, _)| name),
            "why": after.and_then(|after| after.why),
            "time": self.taken.times.get(&call.number),
            "changes": summary(changes),
        })
    }

    /// A call in a line: what it is, and the fields that are not nothing.
    fn label(&self, call: &Call) -> String {
        let mut text = format!("{:?}", call.packet);
        if let Some(packet) = self.capture.packet(call.place) {
            for field in fields(&packet) {
                let nothing = match &field.value {
                    Said::Number(number) => *number == 0,
                    Said::Bits(bits) => *bits == 0,
                    Said::Float(_) | Said::Bool(false) => true,
                    Said::Flags(flags) => flags.is_empty(),
                    Said::Id(id) => id.is_none(),
                    Said::List(list) => list.is_empty(),
                    Said::Fields(_) => true,
                    _ => false,
                };
                let one_instance = field.name == "instances" && field.value == Said::Number(1);
                if !(nothing || one_instance || matches!(field.name.as_str(), "pad" | "frame")) {
                    text += &match &field.value {
                        Said::Word(word) => format!(" {word}"),
                        value => format!(" {} {value}", field.name),
                    };
                }
            }
        }
        text.truncate(text.floor_char_boundary(LABEL));
        text
    }

    /// The state as ranges of the chunk's rows: the guest's terms, then what they do not tell.
    fn state_rows(&self, chunk: &mut Chunk) -> Vec<[usize; 2]> {
        let state = self.walk.state();
        let mut rows = Ranges::default();
        let mut told = HashSet::new();
        for term in self.walk.terms() {
            let value = if term.note.is_empty() { term.value } else { format!("{}  ({})", term.value, term.note) };
            rows.push(chunk.row([&term.group, &term.name, &value, &term.host]));
            told.insert(term.host.into_owned());
        }
        let group = if told.is_empty() { "State" } else { "Our names" };
        for field in state_fields(state).into_iter().filter(|field| !told.contains(&field.path)) {
            rows.push(chunk.row([group, &field.path, &field.value.to_string(), &field.path]));
        }
        for field in constants(state).into_iter().filter(|field| !told.contains(&field.path)) {
            rows.push(chunk.row(["Constants", &field.path, &field.value.to_string(), &field.path]));
        }
        rows.0
    }

    /// The shaders that are bound, by their places in the index.
    fn bound(&self, state: &State, call: u64) -> Vec<usize> {
        let ids = [state.shaders.vertex, state.shaders.geometry, state.shaders.pixel];
        ids.into_iter().filter_map(|id| self.shader(id, call)).collect()
    }

    fn shader(&self, id: ObjectId, call: u64) -> Option<usize> {
        let shaders = self.capture.shaders();
        self.shaders.get(&id)?.iter().rev().copied().find(|at| shaders[*at].created.is_before(call))
    }

    /// Adds a call to its chunk.
    fn detail(
        &mut self,
        call: &Call,
        changes: &[Change],
        chunk: &mut Chunk,
        blocks: &mut Blocks,
    ) -> std::io::Result<()> {
        let said = |value: &Option<Said>| value.as_ref().map_or_else(|| "nothing".into(), Said::to_string);
        let rows: Vec<_> = changes
            .iter()
            .take(CHANGES)
            .map(|change| (&change.path, said(&change.before), said(&change.after)))
            .collect();
        let packet = self.capture.packet(call.place);
        let fields: Vec<_> =
            packet.iter().flat_map(fields).map(|field| (field.name, field.value.to_string())).collect();
        let shaders = match packet {
            Some(afterimage_stream::Packet::Dispatch(body)) => {
                self.shader(body.shader, call.number).into_iter().collect()
            }
            _ if call.kind == CallKind::Draw => self.bound(self.walk.state(), call.number),
            _ => Vec::new(),
        };
        let state = self.state_rows(chunk);
        let Accesses { reads, writes } = self.walk.accesses();
        let textures: Vec<_> = reads
            .iter()
            .filter(|access| access.role.contains("texture"))
            .filter_map(|access| Some((&access.role, self.texture(access.id, call.number)?)))
            .collect();
        let vertices = match call.kind {
            CallKind::Draw => self.vertices(blocks)?,
            _ => Value::Null,
        };
        let text = object! {
            "state": value state,
            "changes": value rows,
            "more": value changes.len().saturating_sub(CHANGES),
            "fields": value fields,
            "reads": value self.accesses(&reads, call.number),
            "writes": value self.accesses(&writes, call.number),
            "textures": value textures,
            "shaders": value shaders,
            "vertices": value vertices,
            "pictures": value self.taken.calls.get(&call.number).map(|after| &after.pictures),
        };
        chunk.call(call.number, &text);
        Ok(())
    }

    /// Resources in words.
    fn accesses(&self, list: &[Access], call: u64) -> Vec<String> {
        let said = |access: &Access| {
            let about = self.capture.resource(access.id, call).map(|resource| {
                let name = resource.name.as_ref().map(|name| format!(" {name:?}")).unwrap_or_default();
                format!("{name}: {}", resource.description)
            });
            format!("{}: {}{}", access.role, access.id, about.unwrap_or_default())
        };
        list.iter().map(said).collect()
    }

    /// The place in the index of the texture that an id names in a call.
    fn texture(&self, id: ObjectId, call: u64) -> Option<usize> {
        let created = |call| self.capture.resource(id, call).map(|resource| resource.created);
        let now = created(call);
        let places = self.textures.get(&id)?;
        places.iter().copied().find(|place| created(self.taken.textures[*place].call) == now)
    }

    /// Adds the vertices of a draw, once for all that have the same; where they are, or why there are none.
    fn vertices(&mut self, blocks: &mut Blocks) -> std::io::Result<Value> {
        match self.walk.vertices(self.vertices.max(WIRE)) {
            Ok(table) => self.tables.place(&table, self.vertices, blocks),
            Err(error @ (NoVertices::NoDraw(_) | NoVertices::Indirect)) => Ok(json!({ "why": error.to_string() })),
        }
    }
}

/// Numbers in ascending runs: the first of each, and how many there are.
#[derive(Default)]
struct Ranges(Vec<[usize; 2]>);

impl Ranges {
    fn push(&mut self, number: usize) {
        match self.0.last_mut() {
            Some([first, count]) if *first + *count == number => *count += 1,
            _ => self.0.push([number, 1]),
        }
    }
}

/// Rows that calls of a chunk share, and the calls.
#[derive(Default)]
struct Chunk {
    rows: Vec<[String; 4]>,
    /// By hash of its words.
    known: HashMap<u128, usize>,
    /// An object's text, but for its end.
    calls: String,
}

impl Chunk {
    fn row(&mut self, row: [&str; 4]) -> usize {
        let mut hash = Xxh3::new();
        row.iter().for_each(|words| {
            hash.update(&words.len().to_le_bytes());
            hash.update(words.as_bytes());
        });
        *self.known.entry(hash.digest128()).or_insert_with(|| {
            self.rows.push(row.map(str::to_owned));
            self.rows.len() - 1
        })
    }

    fn call(&mut self, number: u64, text: &str) {
        self.calls.push(if self.calls.is_empty() { '{' } else { ',' });
        self.calls += &format!("\"{number}\":");
        self.calls += text;
    }
}

/// What changed, in few words: the groups of the state.
fn summary(changes: &[Change]) -> String {
    let mut groups: Vec<&str> = Vec::new();
    for change in changes {
        let group = change.path.split(['.', '[']).next().unwrap_or_default();
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    groups.join(", ")
}

/// The index's list of shaders.
pub(super) fn shaders(capture: &Capture) -> Vec<Value> {
    let value = |(same, shader): (usize, &ShaderCode)| {
        json!({
            "name": shader.id.to_string(),
            "stage": format!("{:?}", shader.stage).to_lowercase(),
            "hash": shader.hash_text(),
            "block": same,
            "about": format!("{}, {} bytes, created in {}", shader.language_name(), shader.size, shader.created),
        })
    };
    firsts(capture).zip(capture.shaders()).map(value).collect()
}

/// Adds a block for each shader, as long as so many bytes last; how many there was no room for.
pub(super) fn shader_texts(capture: &Capture, most: u64, blocks: &mut Blocks) -> std::io::Result<usize> {
    let mut left = 0;
    for (place, (same, shader)) in firsts(capture).zip(capture.shaders()).enumerate() {
        let due = same == place;
        if due
            && !(blocks.room().spent(Of::Shaders) < most
                && blocks.add(Of::Shaders, &format!("shader-{place}"), json!({ "texts": texts(shader) }))?)
        {
            left += 1;
        }
    }
    Ok(left)
}

/// The place of the first shader with the same code, of each: equal code is read once, however often it was created.
fn firsts(capture: &Capture) -> impl Iterator<Item = usize> {
    let mut known: HashMap<(u32, u128), usize> = HashMap::new();
    capture.shaders().iter().enumerate().map(move |(place, shader)| match shader.hash {
        Some(hash) => *known.entry((shader.language, hash)).or_insert(place),
        None => place,
    })
}

fn texts(shader: &ShaderCode) -> Vec<(String, String)> {
    let text = |form: Form| shader.text(form).unwrap_or_else(|why| format!("there is no such text: {why}"));
    let name = |form: Form| match form {
        Form::Guest => shader.language_name().to_owned(),
        Form::Ir => "IR".into(),
        Form::IrOptimized => "IR, optimised".into(),
        Form::Spirv => "SPIR-V".into(),
        Form::Msl => "MSL".into(),
    };
    Form::ALL.map(|(form, _)| (name(form), text(form))).to_vec()
}

/// The index's list of textures.
pub(super) fn textures(capture: &Capture, taken: &Taken) -> Vec<Value> {
    let about = |texture: &Texture| {
        let resource = capture.resource(texture.id, texture.call);
        let name =
            resource.and_then(|resource| resource.name.clone()).map(|name| format!("{name}: ")).unwrap_or_default();
        let description = resource.map_or("", |resource| &resource.description);
        format!("{name}{description}; as it was after call {}", texture.call)
    };
    let value = |texture: &Texture| json!({ "id": texture.id.to_string(), "about": about(texture), "levels": texture.levels, "why": texture.why });
    taken.textures.iter().map(value).collect()
}
