//! Numbers that pages repeat are those of the code: each sentence here is made of constants as the source has them, and stands in its page.

use std::collections::BTreeMap;

use crate::citations;
use xtask::workspace::Workspace;

/// The value of an expression as constants have it: numbers, sums, products and shifts, as far as they go, and names that `named` knows.
fn value(text: &str, named: &dyn Fn(&str) -> Option<u64>) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !" _+*<:".contains(c)).unwrap_or(text.len());
    let spaced = text[..end].replace("<<", " < ").replace('+', " + ").replace('*', " * ");
    let mut words = spaced.split_whitespace();
    let number = |word: &str| {
        if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return named(word);
        }
        let word = word.replace('_', "");
        match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => word.trim_end_matches("usize").trim_end_matches("u64").trim_end_matches("u32").parse().ok(),
        }
    };
    let mut found = number(words.next()?)?;
    while let (Some(operator), Some(word)) = (words.next(), words.next()) {
        let other = || number(word);
        found = match operator {
            "<" => found.checked_shl(other()?.try_into().ok()?)?,
            "*" => found.checked_mul(other()?)?,
            "+" => found.checked_add(other()?)?,
            // What it is converted to.
            "as" => found,
            _ => return None,
        };
    }
    Some(found)
}

/// The source files.
struct Code(BTreeMap<String, String>);

impl Code {
    /// The number behind some text: in a crate, wherever its file lies, or else in any other. `skip` goes on to where it begins.
    fn find(&self, name: &str, before: &str, skip: impl Fn(&str) -> Option<&str>) -> Option<u64> {
        let inside = |path: &str| path.contains(&format!("/{name}/")) || path.starts_with(&format!("{name}/"));
        // A constant that is another one has that one's value, unless it is called the same: then that is in another crate.
        let named = |path: &str| {
            let constant = path.rsplit(':').next().unwrap_or(path);
            // What has a path is from elsewhere: numbers that crates share are in one of their own.
            let name = if path == constant { name } else { "abi" };
            let same = before.ends_with(&format!("const {constant}: "));
            if same { None } else { self.constant_of(name, constant) }
        };
        let behind = |text: &str| {
            let mut places = text.match_indices(before).map(|(at, _)| &text[at + before.len()..]);
            places.find_map(|rest| value(skip(rest)?, &named))
        };
        let own = self.0.iter().filter(|(path, _)| inside(path) && !path.ends_with("xtask/tests/documents/numbers.rs"));
        let others =
            self.0.iter().filter(|(path, _)| !inside(path) && !path.ends_with("xtask/tests/documents/numbers.rs"));
        own.chain(others).find_map(|(_, text)| behind(text))
    }

    /// The number behind some text.
    #[allow(clippy::redundant_closure, reason = "its lifetimes are not general enough")]
    fn number(&self, name: &str, before: &str) -> u64 {
        let found = self.find(name, before, |rest| Some(rest));
        found.unwrap_or_else(|| panic!("there is no number behind `{before}`"))
    }

    /// A constant, whatever its type.
    fn constant_of(&self, name: &str, constant: &str) -> Option<u64> {
        self.find(name, &format!("const {constant}: "), |rest| Some(rest.split_once(';')?.0.split_once('=')?.1))
    }

    /// A constant that is there.
    fn constant(&self, name: &str, constant: &str) -> u64 {
        self.constant_of(name, constant).unwrap_or_else(|| panic!("there is no constant {constant}"))
    }
}

/// The logarithm of a power of two.
fn log2(number: u64) -> u32 {
    assert!(number.is_power_of_two(), "{number}");
    number.trailing_zeros()
}

/// A number of bytes as pages write it.
fn bytes(number: u64) -> String {
    match number {
        n if n >= 1 << 30 && n.is_multiple_of(1 << 30) => format!("{} GiB", n >> 30),
        n if n >= 1 << 20 && n.is_multiple_of(1 << 20) => format!("{} MiB", n >> 20),
        n if n >= 1 << 10 && n.is_multiple_of(1 << 10) => format!("{} KiB", n >> 10),
        n => format!("{n} bytes"),
    }
}

/// A page, and what it must say.
fn sentences(code: &Code) -> Vec<(&'static str, String)> {
    let n = |name, before: &str| code.number(name, before);
    let c = |name, constant| code.constant(name, constant);
    let textures = c("ir", "TEXTURE_SLOTS");
    let compute = c("ir", "COMPUTE_TEXTURE_SLOTS");
    let images = n("abi", "pub const STORAGE_IMAGES: usize =");
    let depth = c("ir", "MAX_DEPTH");
    let push = n("abi", "/// First texture slot's word.\npub const TEXTURES: u32 =");
    let index = c("abi", "TEXTURE_INDEX_BITS");
    let targets = n("stream", "pub color: [View;");
    let chunk = bytes(c("capture", "RAW_LIMIT"));
    let container = c("capture", "VERSION");
    let piece = bytes(c("capture", "PIECE"));
    let window = bytes(c("capture", "WINDOW"));
    let waiting = bytes(c("capture", "WAITING"));
    let held = bytes(n("capture", "held:"));
    let (unpacked, ratio) = (bytes(n("capture", "frames: 1 << 22,\n        unpacked:")), n("capture", "ratio:"));
    let recording = bytes(c("capture", "UNPACKED"));
    let record = bytes(n("gnm", "const LONGEST: u32 ="));
    let of_kind = n("log", "of_kind:");
    let log = n("log", "of_all: 5000, bytes:");
    let shared = c("ipc", "VERSION");
    let packets = log2(c("ipc", "COMMAND_WORDS"));
    let replies = log2(c("ipc", "REPLY_WORDS"));
    let batch = log2(c("ipc", "BATCH_LIMIT"));
    let backlog = log2(c("ipc", "BACKLOG"));
    let requests = c("ipc", "LIMIT");
    let gpu = n("vulkan", "const OF_GPUS: Duration = Duration::from_secs(");
    let cpu = n("vulkan", "const OF_CPUS: Duration = Duration::from_secs(");
    let windows = c("shader-gcn", "WINDOWS");
    // A test of that crate counts them.
    let fitting = n("convert", "assert_eq!(counts, [");
    let converted = n("convert", &format!("assert_eq!(counts, [{fitting},"));
    let (pipes, queues) = (c("gnm", "PIPES"), c("gnm", "QUEUES"));
    assert_eq!((textures, windows), (20, 16), "written in words below");
    vec![
        (
            "docs/ir.md",
            format!(
                "Pixel slots are 0..16, vertex slots 16..{textures}, compute slots {textures}..{}.",
                textures + compute
            ),
        ),
        ("docs/ir.md", format!("storage images (`image(ImageDecl {{ .. }})`, slots 0..{images})")),
        ("docs/ir.md", format!("At most {depth} blocks deep.")),
        (
            "docs/architecture.md",
            format!("from {push} on twenty `u32`, one per texture slot: bits 0 to {} the index", index - 1),
        ),
        ("docs/architecture.md", format!("storage images 0 to {}, by slot on every device", images - 1)),
        ("docs/architecture.md", format!("colour outputs at 0 to {}", targets - 1)),
        ("docs/capture-format.md", format!("container version, {container}")),
        ("docs/capture-format.md", format!("stored length in bytes, at most {chunk}")),
        ("docs/capture-format.md", format!("raw length in bytes, at most {chunk}")),
        ("docs/capture-format.md", format!("Data of more than {piece} is split")),
        ("docs/capture-format.md", format!("less than {window} of other blobs")),
        ("docs/capture-format.md", format!("At most {waiting} of batches wait")),
        ("docs/security.md", format!("Data of a capture is held as it is up to {held}")),
        ("docs/security.md", format!("{unpacked}, or {ratio} times the file")),
        (
            "docs/security.md",
            format!("hold at most {recording}, or {ratio} times the file, and a record of memory at most {record}"),
        ),
        ("docs/gnm.md", format!("A record of memory holds at most {record}")),
        ("docs/security.md", format!("Of a kind {of_kind} lines are written")),
        ("docs/security.md", format!("of all no more than {} KB", log / 1000)),
        ("docs/security.md", format!("A submission may take the GPU {gpu} s, a device that is the CPU {cpu} s")),
        ("docs/shared-memory.md", format!("Version {shared};")),
        (
            "docs/shared-memory.md",
            format!("`u64` words of the packet ring (2^{packets}), `u64` words of the reply ring (2^{replies})"),
        ),
        ("docs/shared-memory.md", format!("each batch of `count` words (at most 2^{batch})")),
        ("docs/shared-memory.md", format!("wait in the viewer up to 2^{backlog}")),
        ("docs/shared-memory.md", format!("captures and pictures {requests} are heard")),
        ("docs/gnm.md", "see memory through sixteen windows".to_owned()),
        ("docs/gnm.md", format!("{fitting} of the {} pairs of data and number format", fitting + converted)),
        ("docs/gnm.md", format!("{textures} + n of compute shaders ({compute})")),
        ("docs/gnm.md", format!("(4 in a vertex shader, {compute} in others)")),
        ("docs/gnm.md", format!("each of the {pipes} x {queues} compute rings")),
    ]
}

/// The sentences that their pages do not have.
fn absent(pages: &BTreeMap<String, String>, sentences: Vec<(&'static str, String)>) -> Vec<String> {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let missing = sentences.iter().filter(|(page, sentence)| {
        let text = pages.get(*page).unwrap_or_else(|| panic!("{page} is not there"));
        !flat(text).contains(&flat(sentence))
    });
    missing.map(|(page, sentence)| format!("{page} does not say \"{sentence}\"")).collect()
}

#[test]
fn numbers_of_the_documentation_are_those_of_the_code() {
    let ws = Workspace::find();
    let code = Code(citations::files(&ws.root, &["rs"]));
    let missing = absent(&citations::files(&ws.root, &["md"]), sentences(&code));
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Numbers that pages have from generated ones.
fn repeated(pages: &BTreeMap<String, String>) -> Vec<(&'static str, String)> {
    let misses = &pages["docs/nv2a-misses.md"];
    let whole = misses.lines().find_map(|line| line.strip_prefix("whole pictures: ")).expect("what matches");
    let numbers: Vec<&str> = whole.split([' ', ',']).filter(|word| word.parse::<u32>().is_ok()).collect();
    let [good, all, nearly, exact] = [0, 1, 2, 4].map(|at| numbers[at]);
    let suite = &pages["docs/d3d9-conformance.md"];
    let row = suite.lines().find(|line| line.starts_with("| in-process |")).expect("a row of ours");
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    let (clean, tests) = cells[8].split_once('/').expect("how many are clean");
    assert_eq!(clean, tests, "README.md says that all are");
    let every = cells[10];
    vec![
        ("README.md", format!("of {all} pictures that a console drew, {good} come out")),
        (
            "docs/what-works.md",
            format!(
                "of {all} pictures that a console drew, {good} come out with 99.9 % of their pixels within 3 levels, \
                 {nearly} with 99 %, {exact} exact"
            ),
        ),
        ("README.md", format!("All {tests} sub-tests of Wine's own Direct3D 9 tests are clean, {every} of them")),
        ("docs/what-works.md", format!("all {tests} sub-tests clean, {every} with every check")),
    ]
}

#[test]
fn numbers_of_generated_pages_are_repeated_as_they_are() {
    let ws = Workspace::find();
    let pages = citations::files(&ws.root, &["md"]);
    let missing = absent(&pages, repeated(&pages));
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn values_are_computed() {
    let value = |text| value(text, &|path| path.ends_with("TWO").then_some(2));
    assert_eq!(value(" 32 << 20;"), Some(32 << 20));
    assert_eq!(value(" 2 * 3 + 1, x"), Some(7));
    assert_eq!(value(" 0xba7c << 4;"), Some(0xba7c0));
    assert_eq!((value(" 800_000,"), value(" 8];"), value(" x;")), (Some(800_000), Some(8), None));
    assert_eq!((value(" slots::TWO as u8;"), value(" TWO + 3]")), (Some(2), Some(5)));
    assert_eq!([32 << 20, 1 << 30, 64 << 10, 5].map(bytes), ["32 MiB", "1 GiB", "64 KiB", "5 bytes"]);
}
