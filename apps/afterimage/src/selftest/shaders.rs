//! Shaders of our corpora: compiled in a process of its own, and not run.

use super::child::Counted;
use super::judge::{Session, Verdict};
use super::material::Corpus;
use afterimage_output::part_of;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::ffi::OsString;
use std::time::Duration;

/// How long a corpus may take: a thousand shaders, by a compiler that takes its time.
const LIMIT: Duration = Duration::from_secs(1800);

/// What became of a corpus.
#[derive(Debug, Default, Serialize)]
pub(super) struct Compiled {
    pub(super) name: String,
    pub(super) guest: String,
    /// What is wrong besides with all of it.
    pub(super) wrong: Vec<String>,
    /// Shaders of which pipelines were made.
    pub(super) made: usize,
    /// Those that our own writer refuses, and why.
    pub(super) refused: Vec<(String, String)>,
    /// Those that the driver's compiler does not take, and what it says.
    pub(super) failed: Vec<(String, String)>,
    /// Milliseconds of all, of the median and of the longest.
    pub(super) ms: [f64; 3],
    /// Which one took longest.
    pub(super) longest: String,
    /// What the driver said.
    pub(super) driver: Vec<Counted>,
}

impl Compiled {
    pub(super) fn verdict(&self) -> Verdict {
        match self.wrong.is_empty() && self.failed.is_empty() {
            true => Verdict::Right,
            false => Verdict::Wrong,
        }
    }

    pub(super) fn words(&self) -> String {
        let mut said = self.wrong.clone();
        if let Some((name, why)) = self.failed.first() {
            said.push(format!("{} shaders do not compile, the first is {name}: {why}", self.failed.len()));
        }
        let [all, _, longest] = self.ms;
        let refused = match self.refused.len() {
            0 => String::new(),
            count => format!(", and {count} are refused by name"),
        };
        said.push(format!(
            "pipelines were made of {} shaders in {all:.0} ms, the longest took {longest:.1} ms{refused}",
            self.made
        ));
        said.join("; ")
    }
}

/// Compiles a corpus.
pub(super) fn test(session: &Session<'_>, corpus: &Corpus) -> Compiled {
    let mut compiled = Compiled { name: corpus.name.clone(), guest: corpus.guest.clone(), ..Compiled::default() };
    let hidden = |why: &str| session.private.hidden(why);
    let capture = match corpus.stored.check(session.folder) {
        Ok(capture) => capture,
        Err(why) => {
            compiled.wrong.push(format!("the material is damaged: {}", hidden(&why)));
            return compiled;
        }
    };
    let folder = match session.own_folder("shaders") {
        Ok(folder) => folder,
        Err(why) => {
            compiled.wrong.push(why);
            return compiled;
        }
    };
    let file = folder.join("compile.json");
    let mut words = OsString::from("--compile=");
    words.push(&file);
    let ended = session.replay_within(&capture, vec![words], false, LIMIT);
    let text = std::fs::read_to_string(&file).or_else(|_| std::fs::read_to_string(part_of(&file))).unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    let at = compiled.take(lines, &ended.log);
    if let Some(bad) = ended.bad {
        compiled.wrong.push(match at {
            Some(shader) => format!("at {shader}, {bad}"),
            None => bad,
        });
    }
    compiled.driver = ended.driver;
    compiled
}

/// The name of the shader that a call is there for: the last one that has a name.
fn name(shaders: &Value) -> (String, Vec<String>) {
    let all = shaders.as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let named = all.iter().rev().map(|shader| (text(&shader[0]), text(&shader[1]))).find(|(_, name)| !name.is_empty());
    let ids = all.iter().map(|shader| text(&shader[0])).collect();
    (named.map_or_else(|| "a shader without a name".to_owned(), |(id, name)| format!("{name} ({id})")), ids)
}

/// What the log says of one of these shaders, and whether it was our own writer.
fn reason(ids: &[String], log: &[Counted]) -> (String, bool) {
    let of = |line: &str| {
        ids.iter().any(|id| {
            let behind = line.match_indices(id.as_str()).map(|(at, _)| line[at + id.len()..].chars().next());
            behind.into_iter().any(|next| next.is_none_or(|next| !next.is_ascii_digit()))
        })
    };
    let Some((line, _)) = log.iter().find(|(line, _)| of(line)) else {
        return ("it was left out, and the log does not say why".to_owned(), false);
    };
    let ours = line.contains("cannot be compiled: ") || line.contains("does not support");
    (line.trim_start_matches("ERROR").trim().to_owned(), ours)
}

impl Compiled {
    /// Takes what `replay --compile` has written; the shader that it had begun with and did not come behind.
    fn take(&mut self, lines: impl Iterator<Item = Value>, log: &[Counted]) -> Option<String> {
        let mut begun: HashMap<u64, (String, Vec<String>)> = HashMap::new();
        let (mut times, mut at) = (Vec::new(), None);
        for line in lines {
            let Some(call) = line["call"].as_u64() else { continue };
            if line["shaders"].is_array() {
                let about = name(&line["shaders"]);
                at = Some(about.0.clone());
                begun.insert(call, about);
                continue;
            }
            at = None;
            let (Some((name, ids)), Some(ms)) = (begun.remove(&call), line["ms"].as_f64()) else { continue };
            if line["made"] == true {
                self.made += 1;
                times.push((ms, name));
                continue;
            }
            let (why, ours) = reason(&ids, log);
            if ours { &mut self.refused } else { &mut self.failed }.push((name, why));
        }
        times.sort_by(|one, two| one.0.total_cmp(&two.0));
        let median = times.get(times.len() / 2).map_or(0.0, |(ms, _)| *ms);
        if let Some((longest, name)) = times.last() {
            self.ms = [times.iter().map(|(ms, _)| ms).sum(), median, *longest];
            self.longest.clone_from(name);
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn shaders_are_told_apart_by_what_the_log_says_of_them() {
        let before = |call: u64, pixel: &str| json!({ "call": call, "kind": "draw", "shaders": [[format!("Shader#{}", 2 * call + 1), ""], [pixel, format!("ps {call}")]] });
        let behind = |call: u64, made: bool| json!({ "call": call, "ms": 2.0 + call as f64, "made": made });
        let lines = vec![
            json!({ "device": "one" }),
            before(0, "Shader#2"),
            behind(0, true),
            before(1, "Shader#4"),
            behind(1, false),
            before(2, "Shader#6"),
            behind(2, false),
            before(3, "Shader#8"),
            behind(3, true),
            before(4, "Shader#10"),
        ];
        let log = [
            ("ERROR afterimage: Shader#44 cannot be compiled: no".to_owned(), 1),
            ("ERROR afterimage: Shader#4 cannot be compiled: doubles; its draws are skipped".to_owned(), 1),
            ("ERROR afterimage: a pipeline: Shader#6 does not compile: error: 7; its draws are skipped".to_owned(), 1),
        ];
        let mut compiled = Compiled::default();
        let at = compiled.take(lines.into_iter(), &log);
        assert_eq!((at.as_deref(), compiled.made, compiled.ms), (Some("ps 4 (Shader#10)"), 2, [7.0, 5.0, 5.0]));
        assert_eq!(compiled.longest, "ps 3 (Shader#8)");
        assert!(matches!(&compiled.refused[..], [(name, why)] if name == "ps 1 (Shader#4)" && why.contains("doubles")));
        assert!(matches!(&compiled.failed[..], [(name, why)] if name == "ps 2 (Shader#6)" && why.contains("error: 7")));
        assert_eq!(compiled.verdict(), Verdict::Wrong);
        assert!(compiled.words().contains("1 shaders do not compile"), "{}", compiled.words());
        assert!(compiled.words().contains("and 1 are refused by name"), "{}", compiled.words());
        compiled.failed.clear();
        assert_eq!(compiled.verdict(), Verdict::Right);
    }
}
