//! Text to words. The text is the disassembler's and `llvm-mc`'s: an instruction or `.long WORD` per line, labels in front,
//! comments behind `//` or `;`.

mod cursor;
mod error;
mod explain;
mod line;
mod operands;

pub use error::{AsmError, AsmErrorKind, AsmErrors, MOST_ERRORS};

use cursor::Cursor;
use line::Builder;
use rustc_hash::FxHashMap;

/// What is wrong with the lines.
#[derive(Default)]
struct Errors {
    errors: Vec<AsmError>,
    more: usize,
}

impl Errors {
    /// Notes what is wrong at a byte of a line. To say that may take some trying, so it is done for the first ones alone.
    fn add(&mut self, (number, line): (usize, &str), wrong: impl FnOnce() -> (usize, AsmErrorKind)) {
        if self.errors.len() == MOST_ERRORS {
            self.more += 1;
            return;
        }
        let (at, kind) = wrong();
        let column = line.get(..at).unwrap_or(line).chars().count() + 1;
        self.errors.push(AsmError { line: number, column, kind });
    }
}

/// A branch whose distance is not known yet.
struct Branch<'a> {
    line: (usize, &'a str),
    /// Byte of the label in the line.
    label_at: usize,
    label: &'a str,
    /// The word that is to have the distance, and the one that it counts from.
    at: usize,
    next: usize,
}

/// Assembles text: instructions and `.long WORD`, one per line, labels (`name:`) in front of them.
///
/// # Errors
/// Lines that are neither: what is wrong with each of them.
pub fn assemble(text: &str) -> Result<Vec<u32>, AsmErrors> {
    let mut words: Vec<u32> = Vec::new();
    // The word that a label is at, and its line.
    let mut labels: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
    let mut branches = Vec::new();
    let mut errors = Errors::default();
    for (n, whole) in text.lines().enumerate() {
        let line = whole.split("//").next().unwrap_or_default().split(';').next().unwrap_or_default().trim_end();
        let mut at = line.len() - line.trim_start().len();
        let here = (n + 1, whole);
        while let Some((label, rest)) = line[at..].split_once(':')
            && !label.contains(|c: char| c.is_whitespace() || c == ',')
        {
            match labels.get(label) {
                Some((_, line)) => {
                    errors.add(here, || (at, AsmErrorKind::Twice { name: label.to_owned(), line: *line }));
                }
                None => drop(labels.insert(label, (words.len(), n + 1))),
            }
            at = line.len() - rest.trim_start().len();
        }
        if at == line.len() {
            continue;
        }
        let rest = &line[at..];
        let mnemonic = rest.split(char::is_whitespace).next().unwrap_or(rest);
        let mut cursor = Cursor::new(line, at + mnemonic.len());
        if mnemonic == ".long" {
            let found = cursor.all();
            match operands::number(found).and_then(|word| u32::try_from(word).ok()) {
                Some(word) => words.push(word),
                None => errors.add(here, || {
                    let wanted = "a word, 0 to 0xffffffff".into();
                    (cursor.token_at, AsmErrorKind::Expected { wanted, found: found.to_owned() })
                }),
            }
            continue;
        }
        match Builder::line(mnemonic, cursor) {
            Ok((builder, new)) => {
                if let Some(label) = builder.label {
                    let next = words.len() + new.len();
                    branches.push(Branch { line: here, label_at: builder.label_at, label, at: words.len(), next });
                }
                words.extend(new);
            }
            Err(wrong) => errors.add(here, || {
                let (place, kind) = explain::explained(mnemonic, wrong);
                (place.unwrap_or(at), kind)
            }),
        }
    }
    let lines_are_good = errors.errors.is_empty();
    for branch in branches {
        let Branch { line, label_at, label, at, next } = branch;
        let Some((target, _)) = labels.get(label) else {
            errors.add(line, || {
                let near = explain::nearest(label, labels.keys().copied()).map(str::to_owned);
                (label_at, AsmErrorKind::NoLabel { found: label.to_owned(), near })
            });
            continue;
        };
        match i16::try_from(*target as i64 - next as i64) {
            Ok(distance) => words[at] |= u32::from(distance as u16),
            // Where words of other lines are missing, distances mean nothing.
            Err(_) if lines_are_good => errors.add(line, || (label_at, AsmErrorKind::Far(label.to_owned()))),
            Err(_) => {}
        }
    }
    let Errors { mut errors, more } = errors;
    if errors.is_empty() {
        return Ok(words);
    }
    errors.sort_by_key(|error| error.line);
    Err(AsmErrors { errors, more })
}
