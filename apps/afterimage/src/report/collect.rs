//! What the page says, from the model of the capture: rows of calls, state, changes, vertices, shaders.

use super::blocks::Blocks;
use super::pictures::{Taken, Texture};
use afterimage_inspect::{
    Access, Accesses, Call, CallKind, Capture, Change, Form, NoVertices, ShaderCode, VertexTable, Walk, constants,
    fields, state_fields,
};
use afterimage_stream::describe::Value as Said;
use afterimage_stream::{ObjectId, State};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use xxhash_rust::xxh3::xxh3_64;

/// Calls whose details share a block.
pub(super) const CHUNK: u64 = 32;
/// Changes of one call that are listed at most.
const CHANGES: usize = 2000;
/// Longest text of a row in the list of calls, in bytes.
const LABEL: usize = 120;
/// Vertices of a wireframe at most.
const WIRE: usize = 20_000;

/// Details of calls on their way into blocks.
pub(super) struct Details<'a> {
    capture: &'a Capture,
    taken: &'a Taken,
    vertices: usize,
    shaders: HashMap<ObjectId, Vec<usize>>,
    stored: HashSet<u64>,
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
        Self { capture, taken, vertices, shaders, stored: HashSet::new(), walk: capture.walk(), textures }
    }

    /// Adds the block of a frame's rows, and those of its calls' details.
    pub(super) fn frame(&mut self, place: usize, calls: &[Call], blocks: &mut Blocks) -> std::io::Result<()> {
        let mut rows = Vec::with_capacity(calls.len());
        for piece in calls.chunk_by(|a, b| a.number / CHUNK == b.number / CHUNK) {
            let Some(first) = piece.first() else { continue };
            let mut chunk = Chunk::default();
            for call in piece {
                self.walk.to(call.number);
                let changes = self.walk.changes();
                rows.push(self.row(call, &changes));
                let detail = self.detail(call, &changes, &mut chunk, blocks)?;
                chunk.calls.insert(call.number.to_string(), detail);
            }
            let name = format!("calls-{place}-{}", first.number / CHUNK);
            blocks.add(&name, json!({ "rows": chunk.rows, "calls": chunk.calls }))?;
        }
        blocks.add(&format!("frame-{place}"), json!({ "calls": rows }))
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

    /// The state as numbers of the chunk's rows: the guest's terms, then what they do not tell.
    fn state_rows(&self, chunk: &mut Chunk) -> Vec<usize> {
        let state = self.walk.state();
        let mut rows = Vec::new();
        let mut told = HashSet::new();
        for term in self.walk.terms() {
            let value = if term.note.is_empty() { term.value } else { format!("{}  ({})", term.value, term.note) };
            rows.push(chunk.row([&term.group, &term.name, &value, &term.host]));
            told.insert(term.host.into_owned());
        }
        let group = if rows.is_empty() { "State" } else { "Our names" };
        for field in state_fields(state).into_iter().filter(|field| !told.contains(&field.path)) {
            rows.push(chunk.row([group, &field.path, &field.value.to_string(), &field.path]));
        }
        for field in constants(state).into_iter().filter(|field| !told.contains(&field.path)) {
            rows.push(chunk.row(["Constants", &field.path, &field.value.to_string(), &field.path]));
        }
        rows
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

    fn detail(
        &mut self,
        call: &Call,
        changes: &[Change],
        chunk: &mut Chunk,
        blocks: &mut Blocks,
    ) -> std::io::Result<Value> {
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
            CallKind::Draw => Some(self.vertices(blocks)?),
            _ => None,
        };
        Ok(json!({
            "state": state,
            "changes": rows,
            "more": changes.len().saturating_sub(CHANGES),
            "fields": fields,
            "reads": self.accesses(&reads, call.number),
            "writes": self.accesses(&writes, call.number),
            "textures": textures,
            "shaders": shaders,
            "vertices": vertices,
            "pictures": self.taken.calls.get(&call.number).map(|after| &after.pictures),
        }))
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

    /// Adds the vertices of a draw, once for all that have the same; the name of their block, or why there is none.
    fn vertices(&mut self, blocks: &mut Blocks) -> std::io::Result<Value> {
        let value = match self.walk.vertices(self.vertices.max(WIRE)) {
            Ok(table) => table_value(&table, self.vertices),
            Err(error @ (NoVertices::NoDraw(_) | NoVertices::Indirect)) => {
                return Ok(json!({ "why": error.to_string() }));
            }
        };
        let hash = xxh3_64(value.to_string().as_bytes());
        let name = format!("vertices-{hash:016x}");
        if self.stored.insert(hash) {
            blocks.add(&name, value)?;
        }
        Ok(json!({ "block": name }))
    }
}

/// Rows that calls of a chunk share, and the calls.
#[derive(Default)]
struct Chunk {
    rows: Vec<[String; 4]>,
    known: HashMap<[String; 4], usize>,
    calls: serde_json::Map<String, Value>,
}

impl Chunk {
    fn row(&mut self, row: [&str; 4]) -> usize {
        let row = row.map(str::to_owned);
        *self.known.entry(row).or_insert_with_key(|row| {
            self.rows.push(row.clone());
            self.rows.len() - 1
        })
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

/// Vertices as the page wants them.
fn table_value(table: &VertexTable, most: usize) -> Value {
    let numbers = |values: &[f32]| values.iter().map(f32::to_string).collect::<Vec<_>>().join("  ");
    let columns: Vec<String> = ["#".to_owned(), "vertex".to_owned()]
        .into_iter()
        .chain(table.columns.iter().map(|column| format!("{} ({:?})", column.name, column.format)))
        .collect();
    let rows: Vec<Vec<String>> = (0u64..)
        .zip(table.rows.iter().take(most))
        .map(|(at, row)| {
            let vertex = row.vertex.map_or_else(|| "restart".into(), |vertex| vertex.to_string());
            let cells = row.values.iter().zip(&table.columns).map(|(value, column)| {
                value.map_or_else(|| "?".into(), |value| numbers(&value[..column.components.min(4)]))
            });
            [at.to_string(), vertex].into_iter().chain(cells).collect()
        })
        .collect();
    let position = table
        .columns
        .iter()
        .position(|column| column.name.to_ascii_lowercase().contains("pos"))
        .or_else(|| table.columns.iter().position(|column| column.components >= 2 && !column.per_instance));
    let mut points = Vec::new();
    let mut known = HashMap::new();
    let mut order = Vec::with_capacity(table.rows.len());
    for row in &table.rows {
        let corner = match (row.vertex, position.and_then(|at| row.values[at])) {
            (Some(vertex), Some([x, y, z, _])) if [x, y, z].iter().all(|value| value.is_finite()) => {
                *known.entry(vertex).or_insert_with(|| {
                    points.push([x, y, z]);
                    points.len() as i64 - 1
                })
            }
            _ => -1,
        };
        order.push(corner);
    }
    let mut about =
        format!("{:?}, {} {}", table.topology, table.total, if table.indexed { "indices" } else { "vertices" });
    if table.instances != 1 {
        about += &format!(", {} instances", table.instances);
    }
    if (rows.len() as u64) < table.total {
        about += &format!("; the first {} are in the table (--vertices)", rows.len());
    }
    if (table.rows.len() as u64) < table.total {
        about += &format!("; the first {} are in the wireframe", table.rows.len());
    }
    for note in &table.notes {
        about += &format!("; {note}");
    }
    json!({
        "columns": columns, "rows": rows, "about": about, "topology": format!("{:?}", table.topology),
        "position": position.map(|at| &table.columns[at].name), "points": points, "order": order,
    })
}

/// Adds a block for each shader that a call of the page may use; the index's list of them.
pub(super) fn shaders(capture: &Capture, blocks: &mut Blocks) -> std::io::Result<Vec<Value>> {
    let mut list = Vec::new();
    let mut known: HashMap<(u32, Option<u128>), usize> = HashMap::new();
    for (place, shader) in capture.shaders().iter().enumerate() {
        // Equal code is read once, however often it was created.
        let same = match shader.hash {
            Some(_) => *known.entry((shader.language, shader.hash)).or_insert(place),
            None => place,
        };
        if same == place {
            blocks.add(&format!("shader-{place}"), json!({ "texts": texts(shader) }))?;
        }
        list.push(json!({
            "name": shader.id.to_string(),
            "stage": format!("{:?}", shader.stage).to_lowercase(),
            "hash": shader.hash_text(),
            "block": same,
            "about": format!("{}, {} bytes, created in {}", shader.language_name(), shader.size, shader.created),
        }));
    }
    Ok(list)
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
