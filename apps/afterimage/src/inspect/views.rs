//! What `afterimage inspect` shows of a capture, as text and as JSON.

use super::formats::FormName;
use super::{Args, mesh, term_json};
use crate::Failure;
use crate::dump::in_words;
use afterimage_inspect::terms::{Term, changed};
use afterimage_inspect::{
    Access, Accesses, Call, Capture, Resource, ShaderCode, StateField, Uses, constants, fields, fields_json,
    state_fields, value_json,
};
use afterimage_stream::{ObjectId, Packet};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// A capture, and what of it was asked for.
pub(super) struct Shown<'a> {
    pub(super) args: &'a Args,
    pub(super) capture: &'a Capture,
    /// The calls.
    pub(super) calls: &'a [&'a Call],
}

pub(super) type Text = Result<String, Failure>;

/// Vertices in a table, if nothing else is said.
const MOST: usize = 100;

pub(super) fn document(value: &Value) -> Text {
    Ok(format!("{value:#}\n"))
}

/// Columns as wide as what is in them; the last one is as long as it likes.
pub(super) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = header.iter().map(|name| name.len()).collect();
    for row in rows {
        widths.iter_mut().zip(row).for_each(|(width, cell)| *width = (*width).max(cell.chars().count()));
    }
    let mut text = String::new();
    let header: Vec<String> = header.iter().map(|name| (*name).to_owned()).collect();
    for row in std::iter::once(&header).chain(rows) {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        text += cells.join("  ").trim_end();
        text.push('\n');
    }
    text
}

fn list(accesses: &[Access]) -> String {
    let all: Vec<String> = accesses.iter().map(one).collect();
    if all.is_empty() { "nothing".into() } else { all.join(", ") }
}

fn one(access: &Access) -> String {
    let part = access.view.filter(|view| (view.level, view.layer) != (0, 0));
    let part = part.map_or_else(String::new, |view| format!(" level {} layer {}", view.level, view.layer));
    format!("{}{part} as {}", access.id, access.role)
}

fn accesses_json(accesses: &[Access]) -> Value {
    let entry = |access: &Access| {
        let (level, layer) = access.view.map_or((None, None), |view| (Some(view.level), Some(view.layer)));
        json!({ "id": access.id.to_string(), "level": level, "layer": layer, "as": access.role })
    };
    accesses.iter().map(entry).collect()
}

fn state_json(fields: &[StateField]) -> Value {
    Value::Object(fields.iter().map(|field| (field.path.clone(), value_json(&field.value))).collect::<Map<_, _>>())
}

impl Shown<'_> {
    /// The one call that is asked about.
    fn call(&self, what: &str) -> Result<&Call, Failure> {
        match (self.args.call, self.calls) {
            (Some(_), [call]) => Ok(call),
            _ => Err(Failure::new(format!("{what} are those of a call: say which with --call N"))),
        }
    }

    fn call_json(&self, call: &Call) -> Value {
        let packet = self.capture.packet(call.place);
        json!({
            "call": call.number, "frame": call.frame, "in_frame": call.in_frame, "kind": call.kind.name(),
            "sequence": call.sequence, "packet": call.packet.name(),
            "fields": packet.map(|packet| fields_json(&fields(&packet))),
        })
    }

    pub(super) fn calls(&self) -> Text {
        if let (Some(number), [call]) = (self.args.call, self.calls) {
            return self.one_call(number, call);
        }
        if self.args.json {
            return document(&self.calls.iter().map(|call| self.call_json(call)).collect());
        }
        let rows: Vec<Vec<String>> = self
            .calls
            .iter()
            .map(|call| {
                let words = self.capture.packet(call.place).map_or_else(String::new, |packet| in_words(&packet));
                vec![call.number.to_string(), call.frame.to_string(), words]
            })
            .collect();
        let mut text = table(&["call", "frame", "what"], &rows);
        let rejected = self.capture.rejected();
        if rejected > 0 {
            let _ = writeln!(text, "\n{rejected} packets are refused by renderers:");
            for problem in self.capture.problems() {
                let _ = writeln!(text, "frame {}, before call {}: {}", problem.frame, problem.call, problem.text);
            }
        }
        Ok(text)
    }

    fn one_call(&self, number: u64, call: &Call) -> Text {
        let mut walk = self.capture.walk();
        walk.to(number);
        let Accesses { reads, writes } = walk.accesses();
        if self.args.json {
            let mut value = self.call_json(call);
            value["reads"] = accesses_json(&reads);
            value["writes"] = accesses_json(&writes);
            let before = self.capture.packets_of(number).filter(|(place, _)| *place != call.place);
            value["before"] = before
                .map(|(_, packet)| json!({ "packet": packet.kind().name(), "fields": fields_json(&fields(&packet)) }))
                .collect();
            return document(&value);
        }
        let mut text = format!("call {number}, {} of frame {}\n\n", call.in_frame, call.frame);
        for (_, packet) in self.capture.packets_of(number) {
            text += &in_words(&packet);
            text.push('\n');
        }
        let _ = write!(text, "\nreads   {}\nwrites  {}\n", list(&reads), list(&writes));
        Ok(text)
    }

    pub(super) fn state(&self) -> Text {
        let call = self.call("states")?;
        let state = self.capture.state_before(call.number);
        let (host, registers) = (state_fields(&state), constants(&state));
        let guest = self.capture.terms(call.number, &state);
        if self.args.json {
            let guest: Vec<Value> = guest.iter().map(term_json).collect();
            return document(&json!({
                "call": call.number, "host": state_json(&host), "constants": state_json(&registers), "guest": guest,
            }));
        }
        let rows: Vec<Vec<String>> =
            host.iter().chain(&registers).map(|field| vec![field.path.clone(), field.value.to_string()]).collect();
        let mut text = table(&["field", "value"], &rows);
        if !guest.is_empty() {
            let rows: Vec<Vec<String>> = guest
                .iter()
                .map(|term| {
                    vec![term.group.to_string(), term.name.to_string(), term.value.clone(), term.note.to_string()]
                })
                .collect();
            text.push('\n');
            text += &table(&["group", "in the guest's words", "value", "note"], &rows);
        }
        Ok(text)
    }

    pub(super) fn changes(&self) -> Text {
        let mut text = String::new();
        let mut all = Vec::new();
        let mut walk = self.capture.walk();
        // The guest's terms at a call, kept for the next.
        let mut last: (Option<u64>, Vec<Term>) = (None, Vec::new());
        for call in self.calls {
            let before = call.number.checked_sub(1);
            if before != last.0 {
                last.1 = before.map_or_else(Vec::new, |before| {
                    walk.to(before);
                    walk.terms()
                });
            }
            walk.to(call.number);
            let (changes, terms) = (walk.changes(), walk.terms());
            let guest = changed(&last.1, &terms);
            if self.args.json {
                let value = |value: &Option<_>| value.as_ref().map(value_json);
                let said = |term: Option<&Term>| term.map(|term| term.value.clone());
                let changes: Vec<Value> = changes
                    .iter()
                    .map(|change| {
                        json!({ "field": change.path, "before": value(&change.before), "after": value(&change.after) })
                    })
                    .collect();
                let guest: Vec<Value> = guest
                    .iter()
                    .map(|change| {
                        let term = change.after.or(change.before);
                        json!({
                            "group": term.map(|term| &*term.group), "name": term.map(|term| &*term.name),
                            "before": said(change.before), "after": said(change.after),
                        })
                    })
                    .collect();
                all.push(json!({ "call": call.number, "changes": changes, "guest": guest }));
            } else {
                let words = walk.packet().map_or_else(String::new, |packet| in_words(&packet));
                let _ = writeln!(text, "call {}: {words}", call.number);
                for change in changes {
                    let _ = writeln!(text, "  {change}");
                }
                if !guest.is_empty() {
                    text.push_str("  in the guest's words:\n");
                }
                for change in guest {
                    let _ = writeln!(text, "    {change}");
                }
            }
            last = (Some(call.number), terms);
        }
        if self.args.json { document(&Value::Array(all)) } else { Ok(text) }
    }

    pub(super) fn resources(&self) -> Text {
        let resources = self.capture.resources().iter();
        let resources = resources.filter(|resource| self.args.call.is_none_or(|call| resource.lives_at(call)));
        self.listed(&resources.collect::<Vec<_>>())
    }

    /// Resources as a table.
    pub(super) fn listed(&self, resources: &[&Resource]) -> Text {
        if self.args.json {
            let uses = |uses: &Uses| match uses.count {
                0 => Value::Null,
                count => json!({ "calls": count, "first": uses.first, "last": uses.last }),
            };
            let all = resources.iter().map(|resource| {
                json!({
                    "id": resource.id.to_string(), "kind": format!("{:?}", resource.kind), "name": resource.name,
                    "description": resource.description, "bytes": resource.bytes,
                    "created": resource.created.to_string(),
                    "destroyed": resource.destroyed.map(|moment| moment.to_string()), "updates": resource.updates,
                    "reads": uses(&resource.reads), "writes": uses(&resource.writes),
                })
            });
            return document(&all.collect());
        }
        let uses = |uses: &Uses| match uses.count {
            0 => "-".to_owned(),
            1 => uses.first.to_string(),
            count => format!("{}-{} ({count})", uses.first, uses.last),
        };
        let rows: Vec<Vec<String>> = resources
            .iter()
            .map(|resource| {
                let life = match resource.destroyed {
                    Some(end) => format!("{} to {end}", resource.created),
                    None => resource.created.to_string(),
                };
                let name = resource.name.as_ref().map_or_else(String::new, |name| format!("{name:?} "));
                vec![
                    resource.id.to_string(),
                    resource.updates.to_string(),
                    uses(&resource.reads),
                    uses(&resource.writes),
                    life,
                    format!("{name}{}", resource.description),
                ]
            })
            .collect();
        Ok(table(&["id", "updates", "read by calls", "written by", "created", "description"], &rows))
    }

    pub(super) fn shaders(&self) -> Text {
        if let Some(wanted) = &self.args.shader {
            return self.shader(wanted);
        }
        let shaders: Vec<&ShaderCode> = match self.args.call {
            Some(call) => self.bound(call),
            None => self.capture.shaders().iter().collect(),
        };
        if self.args.call.is_some() && self.args.form.is_some_and(|form| form != FormName::Guest) {
            return self.code(&shaders);
        }
        if self.args.json {
            return document(&shaders.iter().map(|shader| Self::shader_json(shader)).collect());
        }
        let rows: Vec<Vec<String>> = shaders
            .iter()
            .map(|shader| {
                vec![
                    shader.id.to_string(),
                    format!("{:?}", shader.stage).to_lowercase(),
                    shader.language_name().to_owned(),
                    shader.size.to_string(),
                    shader.hash_text(),
                    shader.created.to_string(),
                ]
            })
            .collect();
        Ok(table(&["id", "stage", "language", "bytes", "hash", "created"], &rows))
    }

    /// The shaders of a draw, or of a dispatch.
    fn bound(&self, call: u64) -> Vec<&ShaderCode> {
        let packet = self.capture.call(call).and_then(|call| self.capture.packet(call.place));
        let ids: Vec<ObjectId> = match packet {
            Some(Packet::Dispatch(body)) => vec![body.shader],
            _ => {
                let state = self.capture.state_before(call);
                vec![state.shaders.vertex, state.shaders.geometry, state.shaders.pixel]
            }
        };
        ids.into_iter().filter_map(|id| self.capture.shader(id, call)).collect()
    }

    fn shader_json(shader: &ShaderCode) -> Value {
        json!({
            "id": shader.id.to_string(), "stage": format!("{:?}", shader.stage).to_lowercase(),
            "language": shader.language_name(), "bytes": shader.size, "hash": shader.hash_text(),
            "created": shader.created.to_string(),
        })
    }

    /// The code of one shader.
    fn shader(&self, wanted: &str) -> Text {
        let number = wanted.strip_prefix("Shader#").unwrap_or(wanted);
        let hash = wanted.to_ascii_lowercase();
        let by_id = |shader: &&ShaderCode| shader.id.serial().to_string() == number;
        // A hash has letters or is longer than any id.
        let by_hash = |shader: &&ShaderCode| shader.hash_text().starts_with(&hash);
        let all = self.capture.shaders();
        let mut found: Vec<&ShaderCode> = all.iter().filter(by_id).collect();
        if found.is_empty() {
            found = all.iter().filter(by_hash).collect();
        }
        let Some(shader) = found.first() else {
            return Err(Failure::new(format!(
                "no shader has the id or the hash {wanted}: `inspect FILE shaders` lists them"
            )));
        };
        if found.iter().any(|other| other.hash != shader.hash) {
            let hashes: Vec<String> = found.iter().map(|shader| shader.hash_text()).collect();
            return Err(Failure::new(format!("{wanted} is more than one shader: {}", hashes.join(", "))));
        }
        self.code(&[shader])
    }

    /// The code of shaders.
    fn code(&self, shaders: &[&ShaderCode]) -> Text {
        let forms = self.args.form.unwrap_or(FormName::Guest).forms();
        if self.args.json {
            let all = shaders.iter().map(|shader| {
                let mut value = Self::shader_json(shader);
                for form in &forms {
                    value[form.name()] = match shader.text(*form) {
                        Ok(text) => text.into(),
                        Err(why) => json!({ "error": why }),
                    };
                }
                value
            });
            // One that was asked for is said alone.
            let all: Vec<Value> = all.collect();
            return match (&all[..], self.args.shader.is_some()) {
                ([only], true) => document(only),
                _ => document(&Value::Array(all)),
            };
        }
        if let ([form], [shader]) = (&forms[..], shaders) {
            return shader.text(*form).map_err(|why| Failure::new(format!("{}: {why}", shader.id)));
        }
        let mut text = String::new();
        for shader in shaders {
            if shaders.len() > 1 {
                let stage = format!("{:?}", shader.stage).to_lowercase();
                let _ = writeln!(text, "======== {} {stage} {}", shader.id, shader.hash_text());
            }
            for form in &forms {
                let code = shader.text(*form).unwrap_or_else(|why| format!("none: {why}\n"));
                let _ = writeln!(text, "==== {}\n{}", form.name(), code.trim_end());
            }
        }
        Ok(text)
    }

    pub(super) fn vertices(&self) -> Text {
        let call = self.call("vertices")?.number;
        let usual = if self.args.form.is_some() { mesh::MOST } else { MOST };
        let table_of = self.capture.vertices(call, self.args.most.unwrap_or(usual));
        let vertices = table_of.map_err(|error| Failure::new(error.to_string()))?;
        if let Some(form) = self.args.form {
            return mesh::write(form, call, &vertices);
        }
        if self.args.json {
            let columns: Vec<Value> = vertices
                .columns
                .iter()
                .map(|column| {
                    json!({
                        "name": column.name, "location": column.location, "format": format!("{:?}", column.format),
                        "components": column.components, "per_instance": column.per_instance,
                    })
                })
                .collect();
            let rows: Vec<Value> = vertices
                .rows
                .iter()
                .map(|row| {
                    let values = row.values.iter().zip(&vertices.columns);
                    let values: Vec<Value> = values
                        .map(|(value, column)| json!(value.as_ref().map(|value| &value[..column.components])))
                        .collect();
                    json!({ "vertex": row.vertex, "values": values })
                })
                .collect();
            return document(&json!({
                "call": call, "topology": format!("{:?}", vertices.topology), "indexed": vertices.indexed,
                "total": vertices.total, "instances": vertices.instances, "columns": columns, "rows": rows,
                "notes": vertices.notes,
            }));
        }
        let kind = if vertices.indexed { "indices" } else { "vertices" };
        let mut text = format!(
            "call {call}: {:?}, {} {kind}, {} instances\n",
            vertices.topology, vertices.total, vertices.instances
        );
        vertices.notes.iter().for_each(|note| text += &format!("note: {note}\n"));
        let names: Vec<String> = vertices
            .columns
            .iter()
            .map(|column| format!("{} ({:?}, location {})", column.name, column.format, column.location))
            .collect();
        let header: Vec<&str> = ["#", "vertex"].into_iter().chain(names.iter().map(String::as_str)).collect();
        let rows: Vec<Vec<String>> = vertices
            .rows
            .iter()
            .enumerate()
            .map(|(at, row)| {
                let vertex = row.vertex.map_or_else(|| "-".into(), |vertex| vertex.to_string());
                let values = row.values.iter().zip(&vertices.columns).map(|(value, column)| match value {
                    Some(value) => {
                        let parts: Vec<String> = value[..column.components].iter().map(f32::to_string).collect();
                        parts.join(" ")
                    }
                    None => "unknown".into(),
                });
                [at.to_string(), vertex].into_iter().chain(values).collect()
            })
            .collect();
        text += &table(&header, &rows);
        let hidden = vertices.total.saturating_sub(rows.len() as u64);
        if hidden > 0 {
            let _ = writeln!(text, "{hidden} more: --most N shows as many as that");
        }
        Ok(text)
    }
}
