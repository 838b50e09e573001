//! The list of what fails: a line for each shader, with the end that it comes to and the cause.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use xtask::step::{Context, Failure, Result};
use xtask::workspace::Workspace;

/// The list of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct List {
    /// What the device's name has in it.
    device: &'static str,
    /// Where the list is.
    pub(super) file: &'static str,
    /// Its first lines.
    head: &'static str,
}

/// The lists, the first of which has what is by hand for all devices.
pub(super) const LISTS: [List; 2] = [
    List {
        device: "llvmpipe",
        file: "crates/gcn-corpus/known.txt",
        head: "# Shaders of others that are not what they should be, as `cargo xtask gnm corpus` finds it: name, compiler, hardware\n\
               # stage, end: cause. Written by `cargo xtask gnm corpus --bless`, which keeps causes that are there. By hand, for all devices:\n\
               # `NAME races: cause`, what the original leaves is not always the same, so it is not compared; `NAME endless: cause`,\n\
               # it does not end, and would keep a GPU for ever: it is not played; `NAME faults: cause`, its original reads where nothing is,\n\
               # or asks for what no device here has, and a GPU that lost a device over it draws nothing for others for a while: it is\n\
               # not run, and so nothing is compared.\n",
    },
    List {
        device: "NVIDIA",
        file: "crates/gcn-corpus/known-nvidia.txt",
        head: "# As known.txt, which is for lavapipe and has what is by hand; this is what an NVIDIA H200 does.\n",
    },
];

impl List {
    /// The list of a device, if there is one.
    pub(super) fn of(device: &str) -> Option<Self> {
        LISTS.into_iter().find(|list| device.contains(list.device))
    }
}

/// What a line says of a program whose memory is not compared.
const RACES: &str = " races";
/// What a line says of a program that does not end.
const ENDLESS: &str = " endless";
/// What a line says of a program whose original is not run.
const FAULTS: &str = " faults";
/// Characters of a reason that are kept.
const REASON: usize = 140;

/// The ends that a shader comes to, and what they are called in the table.
pub(super) const ENDS: [(&str, &str); 10] = [
    ("equal", "left the memory that their originals leave"),
    ("translated", "of graphics, which are not compared"),
    ("uncompared", "translated, the originals of which do not run here or leave another memory each time"),
    ("unsent", "that the draw does not need: they write nothing"),
    ("differs", "left other memory"),
    ("refused", "refused"),
    ("invalid", "invalid SPIR-V"),
    ("unplayed", "no recording"),
    ("unread", "code that is not read"),
    ("died", "did not end, or took the program with them"),
];

/// What became of a shader.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) compiler: String,
    pub(super) stage: String,
    pub(super) end: String,
    pub(super) why: String,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, compiler, stage, end, why } = self;
        write!(f, "{name}\t{compiler}\t{stage}\t{end}\t{why}")
    }
}

impl Row {
    /// Reads a line between whose cells are tabs.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let cells: Vec<&str> = line.splitn(5, '\t').collect();
        let [name, compiler, stage, end, why] = cells[..] else { return None };
        let [name, compiler, stage, end, why] = [name, compiler, stage, end, why].map(str::to_owned);
        Some(Self { name, compiler, stage, end, why })
    }

    fn key(&self) -> String {
        let Self { name, compiler, stage, end, .. } = self;
        format!("{name}.{compiler} {stage} {end}")
    }

    /// The reason without numbers, so that equal ones are counted together.
    pub(super) fn kind(&self) -> String {
        let mut out = String::new();
        for word in self.why.split_whitespace() {
            let is_number = word.chars().any(|c| c.is_ascii_digit());
            out.push_str(if is_number { "#" } else { word });
            out.push(' ');
        }
        out.chars().take(REASON).collect()
    }
}

/// Whether a row belongs on the list.
pub(super) fn is_failure(row: &Row) -> bool {
    !matches!(row.end.as_str(), "equal" | "translated" | "uncompared" | "unsent")
}

/// Whether the program of a line was run.
fn ran(rows: &[Row], key: &str) -> bool {
    let compilers = ["aco ", "llvm ", "original "];
    let own =
        |rest: &str| rest.strip_prefix('.').is_some_and(|rest| compilers.iter().any(|name| rest.starts_with(name)));
    rows.iter().any(|row| key.strip_prefix(&row.name).is_some_and(own))
}

/// A list, and what is by hand for all devices.
#[derive(Debug, Default)]
pub(super) struct Known {
    rows: BTreeMap<String, String>,
    by_hand: BTreeMap<String, String>,
}

fn read(ws: &Workspace, file: &str) -> Result<BTreeMap<String, String>> {
    let path = ws.root.join(file);
    if !path.is_file() {
        return Ok(BTreeMap::new());
    }
    let text = std::fs::read_to_string(&path).doing(format!("reading {file}"))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let rows = lines.filter_map(|line| line.split_once(": "));
    Ok(rows.map(|(key, why)| (key.to_owned(), why.to_owned())).collect())
}

impl Known {
    /// Reads it; a file that is not there is an empty list, and so is that of a device that has none.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn read(ws: &Workspace, list: Option<List>) -> Result<Self> {
        let is_by_hand = |key: &String| [RACES, ENDLESS, FAULTS].iter().any(|what| key.ends_with(what));
        let (by_hand, listed) = read(ws, LISTS[0].file)?.into_iter().partition(|(key, _)| is_by_hand(key));
        let rows = match list {
            None => BTreeMap::new(),
            Some(list) if list == LISTS[0] => listed,
            Some(list) => read(ws, list.file)?,
        };
        Ok(Self { rows, by_hand })
    }

    /// Whether a program does not end.
    pub(super) fn is_endless(&self, name: &str) -> bool {
        self.by_hand.contains_key(&format!("{name}{ENDLESS}"))
    }

    /// Whether a program's original is not run.
    pub(super) fn has_faults(&self, name: &str) -> bool {
        self.by_hand.contains_key(&format!("{name}{FAULTS}"))
    }

    /// Rows of programs that race are not compared.
    pub(super) fn mark(&self, rows: &mut [Row]) {
        for row in rows.iter_mut().filter(|row| matches!(row.end.as_str(), "equal" | "differs")) {
            if let Some(why) = self.by_hand.get(&format!("{}{RACES}", row.name)) {
                (row.end, row.why) = ("uncompared".to_owned(), format!("it races: {why}"));
            }
        }
    }

    /// Writes it anew; what it says of programs that were not run stays.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn bless(&self, ws: &Workspace, list: List, rows: &[Row]) -> Result {
        let (file, head) = (list.file, list.head);
        let kept = self.rows.iter().filter(|(key, _)| !ran(rows, key));
        let by_hand = self.by_hand.iter().filter(|_| list == LISTS[0]);
        let mut list: BTreeMap<String, String> =
            kept.chain(by_hand).map(|(key, why)| (key.clone(), why.clone())).collect();
        for row in rows.iter().filter(|row| is_failure(row)) {
            let new = || row.why.chars().take(REASON).collect();
            list.insert(row.key(), self.rows.get(&row.key()).cloned().unwrap_or_else(new));
        }
        let mut text = head.to_owned();
        for (key, why) in list {
            let _ = writeln!(text, "{key}: {why}");
        }
        std::fs::write(ws.root.join(file), text).doing(format!("writing {file}"))
    }

    /// Compares it with what was found, of the programs that were run.
    ///
    /// # Errors
    /// With what fails and is not listed, and what is listed and does not fail so.
    pub(super) fn check(&self, file: &str, rows: &[Row]) -> Result {
        let failures: BTreeMap<String, &Row> =
            rows.iter().filter(|row| is_failure(row)).map(|row| (row.key(), row)).collect();
        let new = failures.iter().filter(|(key, _)| !self.rows.contains_key(*key));
        let mended = self.rows.keys().filter(|key| !failures.contains_key(*key) && ran(rows, key));
        let mut text: Vec<String> =
            new.map(|(key, row)| format!("fails and is not listed: {key}: {}", row.why)).collect();
        text.extend(mended.map(|key| format!("is listed and does not fail so: {key}")));
        if text.is_empty() {
            println!("{file}: all that fails is listed, and nothing else");
            return Ok(());
        }
        let advice = "see what is wrong; `--bless` writes the list anew";
        Err(Failure::new(format!("comparing with {file}"), text.join("\n")).advise(advice))
    }
}

#[cfg(test)]
mod tests {
    use super::{Known, LISTS, List, Row};

    fn row(name: &str, end: &str) -> Row {
        Row::parse(&format!("{name}\taco\tcs\t{end}\tword 3 is 0x5")).expect("five cells")
    }

    #[test]
    fn the_list_is_held_in_both_directions() {
        let known = |rows: &[&str], by_hand: &[&str]| {
            let list = |keys: &[&str]| keys.iter().map(|key| ((*key).to_owned(), "why".to_owned())).collect();
            Known { rows: list(rows), by_hand: list(by_hand) }
        };
        let list = known(&["a.aco cs differs"], &["c endless", "d faults"]);
        assert!(list.check("file", &[row("a", "differs"), row("b", "equal")]).is_ok());
        assert!(list.check("file", &[row("a", "equal")]).is_err(), "it does not fail any more");
        assert!(list.check("file", &[row("a", "differs"), row("b", "refused")]).is_err(), "another fails");
        assert!(list.check("file", &[row("b", "equal")]).is_ok(), "it was not run");
        assert_eq!([list.is_endless("a"), list.is_endless("c")], [false, true]);
        assert_eq!([list.has_faults("c"), list.has_faults("d")], [false, true]);
        let race = known(&[], &["a races"]);
        let mut rows = [row("a", "differs"), row("b", "equal")];
        race.mark(&mut rows);
        assert_eq!(rows.each_ref().map(|row| row.end.as_str()), ["uncompared", "equal"]);
        assert!(race.check("file", &rows).is_ok());
        assert_eq!(row("a", "differs").kind(), "word # is # ");
        let of = |device| List::of(device).map(|list| list == LISTS[0]);
        assert_eq!(["llvmpipe (LLVM 19)", "NVIDIA H200", "AMD"].map(of), [Some(true), Some(false), None]);
    }
}
