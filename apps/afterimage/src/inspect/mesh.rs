//! Vertices of a draw as files of others: CSV and Wavefront OBJ.

use super::formats::FormName;
use super::views::Text;
use crate::Failure;
use afterimage_inspect::{Column, VertexTable};
use afterimage_stream::packets::Topology;
use std::collections::HashMap;
use std::fmt::Write;

/// Vertices of a file, if nothing else is said.
pub(super) const MOST: usize = 200_000;

/// Writes vertices in a form; what should be known about them goes to standard error.
pub(super) fn write(form: FormName, call: u64, vertices: &VertexTable) -> Text {
    vertices.notes.iter().for_each(|note| eprintln!("note: {note}"));
    let rows = vertices.rows.len();
    if (rows as u64) < vertices.total {
        eprintln!("note: the first {rows} of {} are written; --most says how many", vertices.total);
    }
    match form {
        FormName::Obj => obj(call, vertices),
        _ => Ok(csv(vertices)),
    }
}

/// A value as a cell: in quotes where it needs them.
fn cell(text: &str) -> String {
    let plain = !text.contains(['"', ',', '\n', '\r']);
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

/// A line for each vertex, in the order of the draw; what is not known is empty.
fn csv(vertices: &VertexTable) -> String {
    let mut header = vec!["index".to_owned(), "vertex".to_owned()];
    for column in &vertices.columns {
        let name = |at: usize| format!("{}.{}", column.name, char::from(b"xyzw"[at & 3]));
        header.extend((0..column.components).map(|at| cell(&name(at))));
    }
    let mut text = header.join(",") + "\n";
    for (at, row) in vertices.rows.iter().enumerate() {
        let mut cells = vec![at.to_string(), row.vertex.map_or_else(String::new, |vertex| vertex.to_string())];
        for (value, column) in row.values.iter().zip(&vertices.columns) {
            cells
                .extend((0..column.components).map(|at| value.map_or_else(String::new, |value| value[at].to_string())));
        }
        text += &cells.join(",");
        text.push('\n');
    }
    text
}

/// The first column whose name has a word in it.
fn column(vertices: &VertexTable, words: &[&str]) -> Option<usize> {
    let has = |column: &Column| {
        let name = column.name.to_ascii_lowercase();
        !column.per_instance && words.iter().any(|word| name.contains(word))
    };
    vertices.columns.iter().position(has)
}

/// Points, lines or triangles of the draw, with positions, texture coordinates and normals as its vertex shader reads them.
fn obj(call: u64, vertices: &VertexTable) -> Text {
    let position =
        column(vertices, &["position"]).or_else(|| vertices.columns.iter().position(|one| one.location == 0));
    let Some(position) = position else {
        return Err(Failure::new(format!(
            "call {call} has no positions that could be written as OBJ: {}",
            if vertices.columns.is_empty() {
                "its vertex shader fetches its vertices by itself"
            } else {
                "--as csv has what there is"
            }
        )));
    };
    let (coordinates, normal) = (column(vertices, &["texcoord", "texture"]), column(vertices, &["normal"]));
    let mut text = format!(
        "# Call {call}: what its vertex shader reads, not what it makes of it. v of texture coordinates is turned over, as OBJ has it.\no call_{call}\n"
    );
    let mut places = HashMap::new();
    // Of each vertex of the draw its number in the file, from 1 on.
    let mut order: Vec<Option<u32>> = Vec::with_capacity(vertices.rows.len());
    let mut unknown = 0u64;
    for row in &vertices.rows {
        let known =
            |at: usize| row.values.get(at).copied().flatten().filter(|value| value.iter().all(|part| part.is_finite()));
        let Some(vertex) = row.vertex else {
            order.push(None);
            continue;
        };
        let Some([x, y, z, _]) = known(position) else {
            unknown += 1;
            order.push(None);
            continue;
        };
        let next = places.len() as u32 + 1;
        let place = *places.entry(vertex).or_insert(next);
        order.push(Some(place));
        if place != next {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "v {x} {y} {z}");
        if let Some(at) = coordinates {
            let [u, v, ..] = known(at).unwrap_or_default();
            let _ = writeln!(text, "vt {u} {}", 1.0 - v);
        }
        if let Some(at) = normal {
            let [x, y, z, _] = known(at).unwrap_or_default();
            let _ = writeln!(text, "vn {x} {y} {z}");
        }
    }
    if unknown > 0 {
        eprintln!("note: {unknown} positions are not known, or no finite numbers; what they are of is left out");
    }
    if vertices.topology == Topology::RectList {
        eprintln!("note: rectangles are written as the triangles of the three corners that the draw has of each");
    }
    let corner = |at: u32| match (coordinates, normal) {
        (None, None) => at.to_string(),
        (Some(_), None) => format!("{at}/{at}"),
        (None, Some(_)) => format!("{at}//{at}"),
        (Some(_), Some(_)) => format!("{at}/{at}/{at}"),
    };
    for primitive in primitives(vertices.topology, &order) {
        let letter = ["p", "l", "f"][primitive.len() - 1];
        let corners: Vec<String> = match primitive.len() {
            3 => primitive.iter().map(|at| corner(*at)).collect(),
            _ => primitive.iter().map(u32::to_string).collect(),
        };
        let _ = writeln!(text, "{letter} {}", corners.join(" "));
    }
    Ok(text)
}

fn strip(run: &[u32], all: &mut Vec<Vec<u32>>) {
    all.extend(run.windows(3).enumerate().map(|(at, three)| match at % 2 {
        0 => three.to_vec(),
        _ => vec![three[1], three[0], three[2]],
    }));
}

/// The points, lines and triangles that vertices form; a vertex that is not there begins a strip anew. Triangles of strips go round as the
/// first one does.
fn primitives(topology: Topology, order: &[Option<u32>]) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    for run in order.split(Option::is_none) {
        let run: Vec<u32> = run.iter().copied().flatten().collect();
        match topology {
            Topology::PointList => all.extend(run.iter().map(|at| vec![*at])),
            Topology::LineList => all.extend(run.chunks_exact(2).map(<[u32]>::to_vec)),
            Topology::LineStrip => all.extend(run.windows(2).map(<[u32]>::to_vec)),
            Topology::TriangleList => all.extend(run.chunks_exact(3).map(<[u32]>::to_vec)),
            Topology::TriangleStrip => strip(&run, &mut all),
            Topology::RectList => all.extend(run.chunks_exact(3).map(<[u32]>::to_vec)),
            Topology::LineListAdjacency => all.extend(run.chunks_exact(4).map(|four| four[1..3].to_vec())),
            Topology::LineStripAdjacency => all.extend(run.windows(4).map(|four| four[1..3].to_vec())),
            Topology::TriangleListAdjacency => {
                all.extend(run.chunks_exact(6).map(|six| vec![six[0], six[2], six[4]]));
            }
            Topology::TriangleStripAdjacency => strip(&run.iter().copied().step_by(2).collect::<Vec<_>>(), &mut all),
            Topology::TriangleFan => {
                let pairs = run.get(1..).unwrap_or_default().windows(2);
                all.extend(pairs.map(|two| vec![run[0], two[0], two[1]]));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{Topology, cell, primitives};

    #[test]
    fn vertices_form_what_the_topology_says() {
        let order = [1, 2, 3, 4, 5].map(Some);
        for (topology, expected) in [
            (Topology::PointList, "1 2 3 4 5"),
            (Topology::LineList, "12 34"),
            (Topology::LineStrip, "12 23 34 45"),
            (Topology::TriangleList, "123"),
            (Topology::TriangleStrip, "123 324 345"),
            (Topology::TriangleFan, "123 134 145"),
            (Topology::RectList, "123"),
            (Topology::LineListAdjacency, "23"),
            (Topology::LineStripAdjacency, "23 34"),
            (Topology::TriangleListAdjacency, ""),
            (Topology::TriangleStripAdjacency, "135"),
        ] {
            let words = |primitives: Vec<Vec<u32>>| {
                let word = |one: &Vec<u32>| one.iter().map(u32::to_string).collect::<String>();
                primitives.iter().map(word).collect::<Vec<_>>().join(" ")
            };
            assert_eq!(words(primitives(topology, &order)), expected, "{topology:?}");
            assert_eq!(primitives(topology, &[]).len(), 0);
        }
        let broken = [Some(1), Some(2), Some(3), None, Some(4), Some(5)];
        assert_eq!(primitives(Topology::TriangleStrip, &broken), [[1, 2, 3]]);
        assert_eq!(primitives(Topology::LineStrip, &broken), [[1, 2], [2, 3], [4, 5]]);
    }

    #[test]
    fn cells_are_in_quotes_where_they_need_them() {
        assert_eq!((cell("POSITION.x"), cell("a,\"b\"")), ("POSITION.x".to_owned(), "\"a,\"\"b\"\"\"".to_owned()));
    }
}
