//! One capture: drawn in a process of its own, compared with what is stored, and measured.

use super::Renderer;
use super::child::{self, Counted, Ended};
use super::compare::Counts;
use super::material::{Entry, Shot};
use super::private::Private;
use crate::diff::picture::Picture;
use serde::Serialize;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long one replay may take. Drivers that draw on the CPU, with layers, take seconds.
pub(super) const LIMIT: Duration = Duration::from_secs(180);
/// How long the frames that are measured are to be drawn, about.
const MEASURED: Duration = Duration::from_secs(6);
/// How often a capture is drawn for that at least, and at most.
const PASSES: [u64; 2] = [5, 50];

/// How a replay ends that drew everything, with messages of the layer: what `replay` says.
const MESSAGES: &str = "the validation layer had ";

/// What all captures of a run have in common.
#[derive(Debug)]
pub(super) struct Session<'a> {
    /// The material's folder.
    pub(super) folder: &'a Path,
    /// A folder for what comes and goes.
    pub(super) temporary: &'a Path,
    pub(super) renderer: Renderer,
    pub(super) device: Option<&'a str>,
    /// Whether there is a layer that checks what we ask for.
    pub(super) validate: bool,
    pub(super) private: &'a Private,
}

/// What is said of a thing that was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    /// As on the machine that the material is from.
    Right,
    /// Other, but within what devices may choose; or something is to be looked at.
    Alike,
    Wrong,
}

impl Verdict {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Alike => "alike",
            Self::Wrong => "wrong",
        }
    }
}

/// What came of a capture.
#[derive(Debug, Default, Serialize)]
pub(super) struct Tested {
    pub(super) name: String,
    pub(super) guest: String,
    /// What is wrong, each a sentence's worth.
    pub(super) wrong: Vec<String>,
    /// What is to be looked at.
    pub(super) notes: Vec<String>,
    pub(super) pictures: Vec<Compared>,
    /// What the renderer counted.
    pub(super) counted: Option<Statistics>,
    /// How long it takes.
    pub(super) times: Option<Times>,
    /// Warnings and errors of the log, and how often each came.
    pub(super) log: Vec<Counted>,
    /// What the driver said.
    pub(super) driver: Vec<Counted>,
}

/// A picture.
#[derive(Debug, Serialize)]
pub(super) struct Compared {
    pub(super) frame: u64,
    /// `None` where there is nothing to compare.
    pub(super) counts: Option<Counts>,
    #[serde(skip)]
    pub(super) stored: Option<Picture>,
    #[serde(skip)]
    pub(super) drawn: Option<Picture>,
}

/// Figures of a replay.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Statistics {
    pub(super) device: String,
    pub(super) frames: u64,
    pub(super) draws: u64,
    pub(super) skipped_draws: u64,
    /// Shaders that the driver was given.
    pub(super) shaders: u64,
    /// Those that could not be made.
    pub(super) shader_failures: u64,
    pub(super) pipelines: u64,
    /// Messages of the validation layer, where it is there.
    pub(super) validation_messages: Option<u64>,
}

/// How long frames take, in milliseconds, and draws, in microseconds: on the CPU, and on the GPU where that tells.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Times {
    /// The first, for which shaders and pipelines are made.
    pub(super) first_ms: [Option<f64>; 2],
    /// The median of later ones.
    pub(super) later_ms: [Option<f64>; 2],
    /// A draw of the fastest of those: all of the frame divided by its draws. In others the CPU may wait for the GPU.
    pub(super) draw_us: [Option<f64>; 2],
    /// Frames that were measured, with the first.
    pub(super) frames: usize,
}

impl Tested {
    pub(super) fn verdict(&self) -> Verdict {
        match (self.wrong.is_empty(), self.notes.is_empty()) {
            (false, _) => Verdict::Wrong,
            (true, false) => Verdict::Alike,
            (true, true) => Verdict::Right,
        }
    }

    /// What there is to say, the worst first.
    pub(super) fn words(&self) -> String {
        let mut said: Vec<&str> = self.wrong.iter().chain(&self.notes).map(String::as_str).collect();
        let pictures = match self.pictures.len() {
            1 => "every pixel of its picture is the stored one".to_owned(),
            count => format!("every pixel of its {count} pictures is the stored one"),
        };
        if said.is_empty() {
            said.push(&pictures);
        }
        said.join("; ")
    }

    fn take(&mut self, ended: Ended) {
        for (kept, said) in [(&mut self.log, ended.log), (&mut self.driver, ended.driver)] {
            for (line, count) in said {
                match kept.iter_mut().find(|(there, _)| *there == line) {
                    Some((_, all)) => *all = count.max(*all),
                    None => kept.push((line, count)),
                }
            }
        }
    }
}

/// What came of a replay.
struct Drawn {
    ended: Ended,
    /// What the renderer counted, if it came to that.
    counted: Option<Value>,
    /// The folder of pictures.
    pictures: PathBuf,
}

/// Draws, compares and measures a capture.
pub(super) fn test(session: &Session<'_>, entry: &Entry) -> Tested {
    let mut tested = Tested { name: entry.name.clone(), guest: entry.guest.clone(), ..Tested::default() };
    let capture = match entry.stored.check(session.folder) {
        Ok(capture) => capture,
        Err(why) => {
            tested.wrong.push(format!("the material is damaged: {}", session.private.hidden(&why)));
            return tested;
        }
    };
    let mut validated = session.validate;
    let mut drawn = session.draw(&capture, validated);
    let layer = drawn.ended.bad.clone().filter(|_| validated && (drawn.counted.is_none() || !drawn.ended.refused));
    if let Some(bad) = layer {
        // The layer may be one that does not work with this loader or driver.
        validated = false;
        drawn = session.draw(&capture, validated);
        if drawn.ended.bad.is_none() {
            tested.notes.push(format!("with the validation layer: {bad}"));
        }
    }
    let Drawn { mut ended, counted, pictures } = drawn;
    let counted = counted.map(|value| Statistics::of(&value, validated));
    let took = ended.took;
    // What only the layer complains of was drawn all the same.
    let bad = ended.bad.take().filter(|bad| !(ended.refused && bad.contains(MESSAGES)));
    let well = bad.is_none();
    tested.wrong.extend(bad);
    tested.take(ended);
    if let Some(counted) = counted {
        counted.judge(&mut tested);
    }
    for shot in &entry.pictures {
        compare(session, &pictures, shot, well, &mut tested);
    }
    if well && tested.counted.is_some() && session.renderer.is_vulkan() {
        measure(session, &capture, took, &mut tested);
    }
    if !tested.log.is_empty() && tested.wrong.is_empty() {
        let warnings: u64 = tested.log.iter().map(|(_, count)| count).sum();
        tested.notes.push(format!("{warnings} warnings in the log"));
    }
    tested
}

/// Compares one picture.
fn compare(session: &Session<'_>, pictures: &Path, shot: &Shot, well: bool, tested: &mut Tested) {
    let frame = shot.frame;
    let mut compared = Compared { frame, counts: None, stored: None, drawn: None };
    let path = pictures.join(format!("frame-{frame:06}.png"));
    if path.is_file() {
        match Picture::read(&path) {
            Ok(drawn) => compared.drawn = Some(drawn.opaque()),
            Err(why) => tested.wrong.push(session.private.hidden(&why)),
        }
    } else if well {
        tested.wrong.push(format!("frame {frame} was not drawn"));
    }
    match shot.read(session.folder) {
        Ok(stored) => compared.stored = Some(stored.opaque()),
        Err(why) => tested.wrong.push(format!("the material is damaged: {}", session.private.hidden(&why))),
    }
    if let (Some(stored), Some(drawn)) = (&compared.stored, &compared.drawn) {
        match Counts::of(stored, drawn) {
            Ok(counts) => {
                let words = format!("frame {frame}: {}", counts.words());
                match (counts.is_exact(), counts.is_right()) {
                    (true, _) => {}
                    (false, true) => tested.notes.push(words),
                    (false, false) => tested.wrong.push(words),
                }
                compared.counts = Some(counts);
            }
            Err(why) => tested.wrong.push(format!("the picture of frame {frame} {why}")),
        }
    }
    tested.pictures.push(compared);
}

/// Measures frames: without a layer, and with a cache that is empty.
fn measure(session: &Session<'_>, capture: &Path, took: Duration, tested: &mut Tested) {
    let folder = match session.own_folder("times") {
        Ok(folder) => folder,
        Err(why) => return tested.notes.push(why),
    };
    let passes = (MEASURED.as_secs_f64() / took.as_secs_f64().max(0.001)) as u64;
    let passes = passes.clamp(PASSES[0], PASSES[1]);
    let file = folder.join("times.json");
    let mut measured = OsString::from("--measure=");
    measured.push(&file);
    let words = vec![measured, "--warmup".into(), "0".into(), format!("--loop={passes}").into()];
    let mut ended = session.replay(capture, words, false);
    if let Some(bad) = ended.bad.take() {
        tested.wrong.push(format!("drawn {passes} times to be measured, {bad}"));
    }
    tested.take(ended);
    let per_frame = tested.counted.as_ref().map_or(0.0, |counted| counted.draws as f64 / counted.frames.max(1) as f64);
    tested.times = read(&file).and_then(|value| Times::of(&value, per_frame));
}

impl Session<'_> {
    /// Draws a capture's pictures.
    fn draw(&self, capture: &Path, validate: bool) -> Drawn {
        let pictures = match self.own_folder("pictures") {
            Ok(pictures) => pictures,
            Err(why) => {
                let ended = Ended { bad: Some(why), ..Ended::default() };
                return Drawn { ended, counted: None, pictures: self.temporary.to_owned() };
            }
        };
        let figures = pictures.join("stats.json");
        let mut words: Vec<OsString> = vec!["--output".into(), pictures.clone().into()];
        words.extend(["--stats".into(), figures.clone().into()]);
        words.extend(validate.then(|| "--validate".into()));
        let ended = self.replay(capture, words, validate);
        Drawn { ended, counted: read(&figures), pictures }
    }

    /// An empty folder.
    pub(super) fn own_folder(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.temporary.join(name);
        let unmade = |error: std::io::Error| self.private.hidden(&format!("making {}: {error}", folder.display()));
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(unmade(error)),
            _ => {}
        }
        std::fs::create_dir_all(&folder).map_err(unmade)?;
        Ok(folder)
    }

    /// Replays a capture.
    fn replay(&self, capture: &Path, words: Vec<OsString>, validate: bool) -> Ended {
        self.replay_within(capture, words, validate, LIMIT)
    }

    /// The same with another limit of time.
    pub(super) fn replay_within(&self, capture: &Path, words: Vec<OsString>, validate: bool, limit: Duration) -> Ended {
        let command = self
            .own_folder("cache")
            .map_err(std::io::Error::other)
            .and_then(|cache| replay(self.renderer, self.device, capture, words, &cache, validate));
        child::run(command, limit, self.private)
    }
}

/// `afterimage replay` of a capture with these words, and with a folder for what the renderer wants to find again.
pub(super) fn replay(
    renderer: Renderer,
    device: Option<&str>,
    capture: &Path,
    words: Vec<OsString>,
    cache: &Path,
    validate: bool,
) -> std::io::Result<Command> {
    let mut line: Vec<OsString> = vec!["replay".into(), capture.into()];
    line.extend(renderer.arguments().iter().map(OsString::from));
    line.extend(device.iter().flat_map(|device| ["--device".into(), OsString::from(device)]));
    line.extend(words);
    let mut command = child::afterimage(line)?;
    command.env("AFTERIMAGE_CACHE_DIR", cache).env("AFTERIMAGE_VALIDATE", if validate { "on" } else { "off" });
    Ok(command)
}

/// A file of figures, if it is there.
fn read(path: &Path) -> Option<Value> {
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

impl Statistics {
    fn of(value: &Value, validated: bool) -> Self {
        let number = |name: &str| value[name].as_u64().unwrap_or(0);
        Self {
            device: value["device"].as_str().unwrap_or_default().to_owned(),
            frames: number("frames"),
            draws: number("draws"),
            skipped_draws: number("skipped_draws"),
            shaders: number("shaders"),
            shader_failures: number("shader_failures"),
            pipelines: number("pipelines_there"),
            validation_messages: validated.then(|| number("validation_messages")),
        }
    }

    fn judge(self, tested: &mut Tested) {
        let rows = [
            (self.shader_failures, "shaders could not be made"),
            (self.skipped_draws, "draws were left out"),
            (self.validation_messages.unwrap_or(0), "messages of the validation layer"),
        ];
        tested.wrong.extend(rows.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
        tested.counted = Some(self);
    }
}

impl Times {
    /// Of what `replay --measure` writes.
    fn of(value: &Value, draws: f64) -> Option<Self> {
        let frames = value["times_ms"].as_array()?;
        let columns = ["cpu", "gpu"].map(|name| -> Vec<f64> {
            let times = frames.iter().filter_map(|frame| frame[name].as_f64()).collect::<Vec<_>>();
            // A device that does not tell the time says 0.
            if times.iter().any(|time| *time > 0.0) { times } else { Vec::new() }
        });
        let first_ms = columns.each_ref().map(|times| times.first().copied());
        let later_ms = columns.each_ref().map(|times| median(times.get(1..)?));
        let fastest = columns.each_ref().map(|times| times.get(1..)?.iter().copied().min_by(f64::total_cmp));
        let draw_us = fastest.map(|time| time.filter(|_| draws > 0.0).map(|time| time * 1000.0 / draws));
        Some(Self { first_ms, later_ms, draw_us, frames: frames.len() })
    }
}

fn median(times: &[f64]) -> Option<f64> {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_frame_is_apart_from_later_ones() {
        let frame = |cpu: f64, gpu: f64| json!({ "frame": 1, "cpu": cpu, "gpu": gpu });
        let value = json!({ "times_ms": [frame(90.0, 0.0), frame(1.0, 0.0), frame(5.0, 0.0), frame(3.0, 0.0)] });
        let times = Times::of(&value, 10.0).unwrap();
        assert_eq!(times.first_ms, [Some(90.0), None]);
        assert_eq!(times.later_ms, [Some(3.0), None]);
        assert_eq!(times.draw_us, [Some(100.0), None]);
        assert_eq!(Times::of(&value, 0.0).unwrap().draw_us, [None, None]);
        let one = Times::of(&json!({ "times_ms": [frame(2.0, 1.0)] }), 1.0).unwrap();
        assert_eq!((one.first_ms, one.later_ms), ([Some(2.0), Some(1.0)], [None, None]));
    }

    #[test]
    fn verdicts_are_of_what_is_said() {
        let mut tested = Tested::default();
        assert_eq!((tested.verdict(), tested.verdict().name()), (Verdict::Right, "right"));
        tested.notes.push("a warning".into());
        assert_eq!(tested.verdict(), Verdict::Alike);
        let value = json!({ "shader_failures": 2, "validation_messages": 3, "frames": 1, "draws": 4 });
        Statistics::of(&value, false).judge(&mut tested);
        assert_eq!(
            (tested.verdict(), tested.words().as_str()),
            (Verdict::Wrong, "2 shaders could not be made; a warning")
        );
        assert_eq!(Statistics::of(&value, true).validation_messages, Some(3));
    }
}
