//! `docs/ir.md` against the opcode table: a row per opcode, generated from it. `cargo xtask bless` writes them.

use afterimage_ir::{Flags, ImmKind, OPCODES, OpInfo, parse, verify};
use std::fmt::Write;
use std::path::Path;

const BEGIN: &str = "<!-- The rows below are generated from crates/ir/src/table.rs: cargo xtask bless -->\n";
const END: &str = "<!-- end of the generated rows -->\n";

const FLAGS: [(&str, Flags); 7] = [
    ("commutative", Flags::COMMUTATIVE),
    ("side effect", Flags::SIDE_EFFECT),
    ("terminator", Flags::TERMINATOR),
    ("quad", Flags::QUAD),
    ("guest float", Flags::GUEST_FLOAT),
    ("memory", Flags::MEMORY),
    ("wave", Flags::WAVE),
];

/// A name in the way of the text form.
fn lower(name: String) -> String {
    name.chars().map(|c| c.to_ascii_lowercase()).collect()
}

fn flags(row: &OpInfo) -> String {
    let known = FLAGS.iter().fold(0, |all, (_, flag)| all | flag.0);
    assert_eq!(row.flags.0 & !known, 0, "{} has a flag without a name here", row.name);
    let names = FLAGS.iter().filter(|(_, flag)| row.flags.has(*flag)).map(|(name, _)| *name);
    names.collect::<Vec<_>>().join(", ")
}

/// Tokens as one would write them: the compiler puts spaces between those that came through a macro.
fn source(tokens: &str) -> String {
    let spaced = [(" :: ", "::"), (" : ", ": "), ("! ", "!"), ("|", "\\|")];
    let text = spaced.iter().fold(tokens.to_owned(), |text, (from, to)| text.replace(from, to));
    text.strip_prefix("- ").map_or(text.clone(), |rest| format!("-{rest}"))
}

fn table() -> String {
    let mut text = String::from(
        "| opcode | operands | result | immediate | flags | what it does | meaning of a component |\n|---|---|---|---|---|---|---|\n",
    );
    for row in OPCODES {
        let code = |text: &str| if text.is_empty() { String::new() } else { format!("`{}`", source(text)) };
        let result = row.result.map_or(String::new(), |result| format!("{result:?}"));
        let imm = if row.imm == ImmKind::None { String::new() } else { lower(format!("{:?}", row.imm)) };
        // A doc comment's lines come with the space that they begin with.
        let doc = row.doc.trim().replace("  ", " ").replace('|', "\\|");
        writeln!(
            text,
            "| `{}` | {} | {result} | {imm} | {} | {doc} | {} |",
            row.name,
            code(row.operands),
            flags(row),
            code(row.formula),
        )
        .expect("a string takes all");
    }
    text
}

#[test]
fn the_documentation_has_every_opcode_as_the_table_has_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ir.md");
    let text = std::fs::read_to_string(&path).expect("docs/ir.md");
    let (before, rest) = text.split_once(BEGIN).expect("the line that begins the rows");
    let (rows, after) = rest.split_once(END).expect("the line that ends the rows");
    let table = table();
    if std::env::var_os("AFTERIMAGE_BLESS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).expect("docs/ir.md can be written");
        return;
    }
    for (number, (has, wants)) in rows.lines().zip(table.lines()).enumerate() {
        assert_eq!(has, wants, "row {number} of the opcodes in docs/ir.md is stale: cargo xtask bless");
    }
    assert_eq!(rows.lines().count(), table.lines().count(), "docs/ir.md is stale: cargo xtask bless");
}

#[test]
fn the_documentation_explains_flags_and_immediates() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ir.md")).expect("docs/ir.md");
    let explained = |name: &str| assert!(text.contains(&format!("| {name} |")), "docs/ir.md does not explain `{name}`");
    FLAGS.iter().for_each(|(name, _)| explained(name));
    let immediates = OPCODES.iter().filter(|row| row.imm != ImmKind::None);
    immediates.for_each(|row| explained(&lower(format!("{:?}", row.imm))));
}

#[test]
fn the_text_in_the_documentation_is_a_module() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ir.md")).expect("docs/ir.md");
    let (_, rest) = text.split_once("```text\n").expect("an example");
    let (example, _) = rest.split_once("```\n").expect("its end");
    let module = parse(example).expect("it parses");
    assert_eq!(verify(&module), Ok(()));
    assert_eq!(module.to_string(), example);
}
