//! Vertices of draws on their way into blocks: each table once, many in a block.

use super::blocks::Blocks;
use super::collect::object;
use super::room::Of;
use afterimage_inspect::VertexTable;
use serde_json::{Value, json};
use std::collections::HashMap;
use xxhash_rust::xxh3::Xxh3;

/// Vertices of draws, many in a block.
#[derive(Default)]
pub(super) struct Tables {
    /// By hash: the number of the block.
    stored: HashMap<u128, usize>,
    /// The number of the block that is being filled, and an object's text but for its end.
    block: usize,
    text: String,
}

/// Bytes of vertices in a block, as text, at which the next one begins.
const TABLES: usize = 128 << 10;

impl Tables {
    /// Adds a table if it is not there yet; where it is.
    pub(super) fn place(&mut self, table: &VertexTable, most: usize, blocks: &mut Blocks) -> std::io::Result<Value> {
        let hash = table_hash(table);
        let name = format!("{hash:032x}");
        if let Some(block) = self.stored.get(&hash) {
            return Ok(json!({ "block": format!("vertices-{block}"), "name": name }));
        }
        self.stored.insert(hash, self.block);
        self.text.push(if self.text.is_empty() { '{' } else { ',' });
        self.text += &format!("\"{name}\":");
        self.text += &table_text(table, most)?;
        let place = json!({ "block": format!("vertices-{}", self.block), "name": name });
        if self.text.len() >= TABLES {
            self.write(blocks)?;
        }
        Ok(place)
    }

    /// Adds the block that is being filled.
    pub(super) fn write(&mut self, blocks: &mut Blocks) -> std::io::Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        // The page says so where they are not.
        let _there =
            blocks.add_text(Of::Details, &format!("vertices-{}", self.block), std::mem::take(&mut self.text) + "}")?;
        self.block += 1;
        Ok(())
    }
}

/// Equal where a table's text is.
fn table_hash(table: &VertexTable) -> u128 {
    let mut hash = Xxh3::new();
    let head = (table.topology, table.indexed, table.total, table.instances, &table.columns, &table.notes);
    hash.update(format!("{head:?}").as_bytes());
    for row in &table.rows {
        hash.update(&[u8::from(row.vertex.is_some())]);
        hash.update(&row.vertex.unwrap_or_default().to_le_bytes());
        for value in &row.values {
            hash.update(&[u8::from(value.is_some())]);
            value.iter().flatten().for_each(|component| hash.update(&component.to_bits().to_le_bytes()));
        }
    }
    hash.digest128()
}

/// Vertices as the page wants them.
fn table_text(table: &VertexTable, most: usize) -> std::io::Result<String> {
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
    Ok(object! {
        "columns": value columns, "rows": value rows, "about": value about, "topology": value format!("{:?}", table.topology),
        "position": value position.map(|at| &table.columns[at].name), "points": value points, "order": value order,
    })
}
