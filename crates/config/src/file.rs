//! The file: lines `option = value`, comments, and sections `[game.exe]` whose options hold for programs of that name.

use crate::table::{self, OPTIONS};
use crate::value::Kind;
use std::fmt;

/// Most bytes of a file: more is not a configuration.
pub const MAX_BYTES: usize = 1 << 20;
/// Most problems that are told; the rest is counted.
const MAX_PROBLEMS: usize = 20;

/// A line that sets an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its line, from 1.
    pub line: usize,
    /// The section that it stands in; `None` above the first one.
    pub profile: Option<String>,
    /// Index of the option in [`OPTIONS`].
    pub option: usize,
    /// What is written.
    pub value: String,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what is allowed.
    pub what: String,
}

/// Whether a value is one that an option may have.
pub(crate) fn fits(option: usize, value: &str) -> bool {
    table::Values::default().set(option, value.as_ref())
}

/// What to say about a value that an option cannot have.
pub(crate) fn misfit(option: usize, value: &dyn fmt::Display) -> String {
    let row = &OPTIONS[option];
    let words = row.kind.words();
    let value = value.to_string();
    let near = words
        .iter()
        .filter(|_| matches!(row.kind, Kind::Choice(_)) && value.len() <= 64)
        .map(|word| (strsim::damerau_levenshtein(word.name, &value.to_ascii_lowercase()), word.name))
        .min()
        .filter(|(distance, name)| *distance <= (name.len() / 3).max(1));
    let hint = near.map(|(_, name)| format!("; did you mean {name}?")).unwrap_or_default();
    format!("{} = {}: expected {}{hint}", row.name, cut(&value), row.kind.allowed())
}

/// What to say about an option that there is none of.
pub(crate) fn unknown(name: &str) -> String {
    match table::guess(name) {
        Some(near) => format!("{}: there is no such option; did you mean {near}?", cut(name)),
        None => format!("{}: there is no such option (`afterimage config` lists them)", cut(name)),
    }
}

/// The start of a text, fit for a line of a log.
fn cut(text: &str) -> String {
    let clean = |c: char| if c.is_control() { '?' } else { c };
    let mut out: String = text.chars().take(60).map(clean).collect();
    if text.chars().nth(60).is_some() {
        out.push_str("...");
    }
    out
}

/// Reads the text of a file. What cannot be read is left out, and told.
#[must_use]
pub fn parse(text: &str) -> (Vec<Entry>, Vec<Mistake>) {
    let mut entries = Vec::new();
    let mut mistakes = Vec::new();
    let mut hidden = 0;
    let mut wrong = |line, what| {
        if mistakes.len() < MAX_PROBLEMS {
            mistakes.push(Mistake { line, what });
        } else {
            hidden += 1;
        }
    };
    let mut profile: Option<String> = None;
    // Editors of Windows mark the start of the file.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (number, line) in text.lines().enumerate() {
        let (number, line) = (number + 1, line.trim());
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(rest) = line.strip_prefix('[') {
            match rest.strip_suffix(']').map(str::trim) {
                Some(pattern) if !pattern.is_empty() => profile = Some(pattern.to_owned()),
                _ => {
                    wrong(number, format!("{}: expected a program's name in brackets, such as [game.exe]", cut(line)));
                    // What follows was meant for some program, not for all.
                    profile = Some(String::new());
                }
            }
            continue;
        }
        let Some((name, value)) = line.split_once('=') else {
            wrong(number, format!("{}: expected `option = value`, `[program.exe]` or `# comment`", cut(line)));
            continue;
        };
        let (name, value) = (name.trim(), unquoted(value.trim()));
        match table::find(name) {
            None => wrong(number, unknown(name)),
            // An empty value is the default.
            Some(option) if value.is_empty() || fits(option, value) => {
                entries.push(Entry { line: number, profile: profile.clone(), option, value: value.to_owned() });
            }
            Some(option) => wrong(number, misfit(option, &value)),
        }
    }
    if hidden > 0 {
        mistakes.push(Mistake { line: text.lines().count(), what: format!("{hidden} more lines are wrong") });
    }
    (entries, mistakes)
}

/// A value without the quotes that may stand around it.
fn unquoted(value: &str) -> &str {
    value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value)
}

/// Whether a program's name fits a section's: any case, `*` for any characters, `?` for one.
#[must_use]
pub fn matches(pattern: &str, name: &str) -> bool {
    let fold = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<Vec<_>>();
    let (pattern, name) = (fold(pattern), fold(name));
    let (mut p, mut n) = (0, 0);
    // Where to go on if what follows the last star does not fit: one more character belongs to the star.
    let mut back: Option<(usize, usize)> = None;
    while n < name.len() {
        if pattern.get(p) == Some(&'*') {
            p += 1;
            back = Some((p, n));
        } else if pattern.get(p).is_some_and(|&c| c == '?' || c == name[n]) {
            p += 1;
            n += 1;
        } else if let Some((after, start)) = back {
            p = after;
            n = start + 1;
            back = Some((after, n));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_sections_comments_and_quotes() {
        let text = "\u{feff}# all\r\nrenderer = viewer\r\n\r\n[Game.exe]\r\n device = \" RTX \"\r\n;x\r\nhud=\r\n";
        let (entries, mistakes) = parse(text);
        assert_eq!(mistakes, []);
        let seen: Vec<_> =
            entries.iter().map(|e| (e.line, e.profile.as_deref(), OPTIONS[e.option].name, e.value.as_str())).collect();
        assert_eq!(
            seen,
            [
                (2, None, "renderer", "viewer"),
                (5, Some("Game.exe"), "device", " RTX "),
                (7, Some("Game.exe"), "hud", "")
            ]
        );
    }

    #[test]
    fn mistakes_name_line_option_and_what_is_allowed() {
        let text = "renderer = veiwer\narena_mb = 0\nmax_anistropy = 4\nwhat\n[\nhud = fps, speed\n";
        let (entries, mistakes) = parse(text);
        assert!(entries.is_empty());
        let said: Vec<_> = mistakes.iter().map(|m| format!("{}: {}", m.line, m.what)).collect();
        assert_eq!(said[0], "1: renderer = veiwer: expected one of auto, in-process, viewer; did you mean viewer?");
        assert_eq!(said[1], "2: arena_mb = 0: expected a whole number from 1 to 2048");
        assert_eq!(said[2], "3: max_anistropy: there is no such option; did you mean max_anisotropy?");
        assert!(said[3].starts_with("4: what: expected `option = value`"), "{}", said[3]);
        assert!(said[4].starts_with("5: [: expected a program's name"), "{}", said[4]);
        assert!(said[5].starts_with("6: hud = fps, speed: expected any of version, api"), "{}", said[5]);
    }

    #[test]
    fn a_broken_section_holds_for_nobody() {
        let (entries, mistakes) = parse("[game.exe\nvram_mb = 512\n");
        assert_eq!((entries.len(), mistakes.len()), (1, 1));
        assert!(!matches(entries[0].profile.as_deref().unwrap(), "game.exe"));
    }

    #[test]
    fn many_mistakes_are_counted() {
        let (_, mistakes) = parse(&"x\n".repeat(1000));
        assert_eq!(mistakes.len(), MAX_PROBLEMS + 1);
        assert_eq!(mistakes.last().unwrap().what, "980 more lines are wrong");
    }

    #[test]
    fn patterns() {
        for (pattern, name, fits) in [
            ("game.exe", "GAME.EXE", true),
            ("game.exe", "game.exe2", false),
            ("*", "", true),
            ("game*.exe", "game-dx9.exe", true),
            ("*a*b*c", "xxaxxbxxcxxc", true),
            ("*a*b*c", "xxaxxcxxb", false),
            ("ga?e", "game", true),
            ("ga?e", "gae", false),
            ("", "x", false),
            ("Ünreal", "ünREAL", true),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
