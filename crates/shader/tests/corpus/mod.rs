//! The corpus: a shader for every opcode, version and modifier that the tables call legal or the parser takes all the same, made of
//! the rows of the tables by our own assembler and encoder; more of them written by hand; and HLSL compiled by Wine's compiler (`tests/hlsl`).
//!
//! A row that is added to the tables gets its shaders without anybody's help, as long as `templates.rs` can say what has to
//! stand around it.

// The benchmark uses less of it than the tests.
#![allow(dead_code)]

mod changes;
mod templates;
mod texts;

use afterimage_shader_d3d9::instruction::Relative;
use afterimage_shader_d3d9::io::{RuntimeInfo, TEXTURE_SLOTS, bound};
use afterimage_shader_d3d9::signature::SamplerUse;
use afterimage_shader_d3d9::tables::{Opcode, OpcodeInfo, TextureDimension, Version};
use afterimage_shader_d3d9::{Program, Signature, assemble, tokens_from_bytes};
use std::path::Path;

pub(crate) use changes::{Change, changes};
pub(crate) use texts::assembled;

/// A whole shader.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Version, opcode and what is special.
    pub(crate) name: String,
    /// From version to end token.
    pub(crate) tokens: Vec<u32>,
    /// The state that it is compiled for, but for the link, which is the shader's own.
    pub(crate) runtime: RuntimeInfo,
}

/// Every shader of the corpus.
///
/// # Panics
/// If a template or a text does not assemble, or a file cannot be read: the corpus itself is wrong.
pub(crate) fn all() -> Vec<Entry> {
    let mut entries = generated();
    entries.extend(texts::entries());
    entries.extend(assembled());
    entries.extend(compiled());
    entries
}

/// The opcodes that exist in a version.
pub(crate) fn rows(version: Version) -> impl Iterator<Item = &'static OpcodeInfo> {
    Opcode::TABLE.iter().filter(move |row| row.exists_in(version))
}

/// Those made of the tables.
pub(crate) fn generated() -> Vec<Entry> {
    let mut entries = Vec::new();
    for version in Version::ALL {
        for row in Opcode::TABLE.iter().filter(|row| row.is_taken_in(version)) {
            of_row(row.op, version, &mut entries);
        }
    }
    entries
}

fn of_row(op: Opcode, version: Version, entries: &mut Vec<Entry>) {
    // Two rows may share a mnemonic.
    let name = format!("{version} {} ({op:?})", op.info().name);
    let piece = templates::template(op, version);
    let (plain, place) = plain(op, version);
    let signature = Signature::of(&plain);
    let entry = |what: &str, tokens, runtime| Entry { name: format!("{name}: {what}"), tokens, runtime };
    entries.push(entry("plain", plain.encode(), RuntimeInfo::default()));
    // What only stands in goes the same way as where it exists.
    if !op.info().exists_in(version) {
        return;
    }
    // What may be bound to the slots, as far as it changes the code.
    let asks = |wanted: fn(&SamplerUse) -> bool| signature.samplers.iter().flatten().any(wanted);
    // What two coordinates find in a cube, a volume or a depth texture is open.
    let two = matches!(
        op,
        Opcode::TexM3x2Pad | Opcode::TexM3x2Tex | Opcode::TexReg2Ar | Opcode::TexReg2Gb | Opcode::TexDp3Tex
    );
    let shapes: &[(u8, &str)] = match () {
        () if two => &[(bound::FETCH4, "four texels"), (bound::PROJECTED, "projected")],
        () if asks(|sampler| *sampler == SamplerUse::Undeclared) => &[
            (bound::CUBE, "cube"),
            (bound::D3, "volume"),
            (bound::SHADOW, "depth texture"),
            (bound::FETCH4, "four texels"),
            (bound::PROJECTED, "projected"),
            (bound::CUBE | bound::PROJECTED, "projected cube"),
        ],
        () if asks(|sampler| *sampler == SamplerUse::Declared(TextureDimension::D2)) => &[
            (bound::SHADOW, "depth texture"),
            (bound::FETCH4, "four texels"),
            (bound::CUBE, "cube instead"),
            (bound::D3, "volume instead"),
        ],
        () if asks(|sampler| matches!(sampler, SamplerUse::Declared(_))) => {
            &[(bound::D2, "2D instead"), (bound::D2 | bound::SHADOW, "depth texture instead")]
        }
        () => &[],
    };
    for (bound, shape) in shapes {
        let runtime = RuntimeInfo { textures: [*bound; TEXTURE_SLOTS], ..RuntimeInfo::default() };
        entries.push(entry(shape, plain.encode(), runtime));
    }
    let is_taken = |change: &Change| {
        let mut program = plain.clone();
        program.instructions[place] = change.apply(&plain.instructions[place], version);
        change.is_legal(op, version) || Program::parse(&program.encode()).is_ok()
    };
    let taken: Vec<Change> = changes(op, version).into_iter().filter(is_taken).collect();
    for group in 0..changes::GROUPS {
        let members: Vec<Change> = taken.iter().copied().filter(|change| change.group().0 == group).collect();
        let together = if shares(version, &piece) { templates::slots(version) } else { 1 };
        for (part, members) in members.chunks(together).enumerate() {
            let what = format!("{} {part}", members[0].group().1);
            entries.push(entry(&what, changed(version, &piece, members).encode(), RuntimeInfo::default()));
        }
    }
}

/// Whether several pieces of the template can stand in one shader, each with an instruction of its own to vary.
fn shares(version: Version, piece: &str) -> bool {
    let slots = templates::slots(version);
    slots > 1 && templates::frame(version, &vec![piece.to_owned(); slots]).1.len() == slots
}

/// The shader around pieces of text, and the places of the instructions under test.
fn program(version: Version, pieces: &[String]) -> (Program, Vec<usize>) {
    let (text, places) = templates::frame(version, pieces);
    let tokens = assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    (Program::parse(&tokens).unwrap_or_else(|error| panic!("{error}\n{text}")), places)
}

/// A shader with a piece for each change.
fn changed(version: Version, piece: &str, changes: &[Change]) -> Program {
    let pieces: Vec<String> = changes.iter().map(|change| with_surroundings(piece, *change, version)).collect();
    let (mut program, places) = program(version, &pieces);
    for (change, at) in changes.iter().zip(places) {
        program.instructions[at] = change.apply(&program.instructions[at], version);
    }
    program
}

/// The piece with what a change needs around the instruction.
fn with_surroundings(piece: &str, change: Change, version: Version) -> String {
    if let Change::Relative(_, Relative::Loop) = change {
        let (body, subroutines) = piece.split_once("\n---").unwrap_or((piece, ""));
        let rest = if subroutines.is_empty() { String::new() } else { format!("\n---{subroutines}") };
        return format!("loop aL, i0\n{body}\nendloop{rest}");
    }
    let Some(before) = change.line_before(version) else { return piece.to_owned() };
    let lines = piece.lines().map(|line| match line.split_once('>') {
        // What stands before an instruction of an early place is early too.
        Some((place, _)) => format!("{place}{before}\n{line}"),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The plain shader of an opcode, and the place of its instruction.
pub(crate) fn plain(op: Opcode, version: Version) -> (Program, usize) {
    let (program, places) = program(version, &[templates::template(op, version)]);
    (program, places[0])
}

/// A shader of a version in which the opcode does not exist, with an instruction of it all the same.
pub(crate) fn in_another_version(op: Opcode, version: Version) -> (Program, usize) {
    let home = Version::ALL.into_iter().find(|version| op.info().exists_in(*version));
    let (other, at) = plain(op, home.unwrap_or(version));
    let (mut program, place) = plain(Opcode::Nop, version);
    program.instructions[place] = other.instructions[at];
    (program, place)
}

/// The files of a folder (from that of this crate, which may be another one's neighbour) with an extension, by name.
pub(crate) fn files(folder: &str, extension: &str) -> Vec<(String, Vec<u8>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/shader").join(folder);
    let files = std::fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut paths: Vec<_> = files.flatten().map(|file| file.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (name, bytes)
    };
    paths.into_iter().map(read).collect()
}

/// HLSL of our own as Wine's compiler translates it; `tests/hlsl/README.md` has the recipe.
pub(crate) fn compiled() -> Vec<Entry> {
    let entries = files("tests/hlsl", "cso").into_iter().map(|(name, bytes)| {
        let tokens = tokens_from_bytes(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        Entry { name: format!("hlsl {name}"), tokens, runtime: RuntimeInfo::default() }
    });
    entries.collect()
}
