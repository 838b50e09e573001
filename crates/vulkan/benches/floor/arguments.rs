//! The command line, as `bench_d3d9` has it, and what only the floor can do.

use std::path::PathBuf;

/// What the command line may say.
pub(crate) const USAGE: &str = "\
usage: floor [--draws N] [--frames N] [--only PART] [--json FILE] [--merged] [--indirect] [--window] [--validate]
  --draws N    draws a frame (1000)
  --frames N   frames a case (60)
  --only PART  only cases with this in their names
  --json FILE  write the figures there
  --merged     runs of draws that differ in constants, textures and vertices alone become one command each
  --indirect   merged by vkCmdDrawIndirect also where there is vkCmdDrawMultiEXT
  --window     open a window through SDL2, and present to it
  --validate   under Vulkan's validation layer: fails if it says something, and times nothing worth reading";

/// What the command line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// Draws a frame.
    pub(crate) draws: u32,
    /// Frames a case.
    pub(crate) frames: u32,
    /// Part of the names of the cases that are wanted.
    pub(crate) only: Option<String>,
    /// Where the figures go.
    pub(crate) json: Option<PathBuf>,
    /// Whether runs of draws become one command.
    pub(crate) merged: bool,
    /// Whether that command is the one that every device has.
    pub(crate) indirect: bool,
    /// Whether there is a window.
    pub(crate) window: bool,
    /// Whether the validation layer is on.
    pub(crate) validate: bool,
}

impl Default for Arguments {
    fn default() -> Self {
        let (draws, frames, only, json) = (1000, 60, None, None);
        Self { draws, frames, only, json, merged: false, indirect: false, window: false, validate: false }
    }
}

impl Arguments {
    /// Reads the words behind the program's name.
    ///
    /// # Errors
    /// A sentence about the word that is wrong.
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Self, String> {
        // `cargo xtask bench floor` names the file as it does for other benchmarks.
        let json = std::env::var_os("AFTERIMAGE_BENCH_JSON").map(PathBuf::from);
        let mut parsed = Self { json, ..Self::default() };
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--draws" => parsed.draws = number(&word, &value()?)?,
                "--frames" => parsed.frames = number(&word, &value()?)?,
                "--only" => parsed.only = Some(value()?),
                "--json" => parsed.json = Some(value()?.into()),
                "--merged" => parsed.merged = true,
                "--indirect" => (parsed.merged, parsed.indirect) = (true, true),
                "--window" => parsed.window = true,
                "--validate" => parsed.validate = true,
                // What `cargo bench` says to every benchmark.
                "--bench" => {}
                _ => return Err(format!("{word} is no option")),
            }
        }
        Ok(parsed)
    }

    /// Whether a case of this name is wanted.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|part| name.contains(part.as_str()))
    }
}

/// A number of draws or frames.
fn number(option: &str, word: &str) -> Result<u32, String> {
    let number = word.parse().ok().filter(|number| (1..=1_000_000).contains(number));
    number.ok_or_else(|| format!("{option}: {word} is no number from 1 to 1000000"))
}
