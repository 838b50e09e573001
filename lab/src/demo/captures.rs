//! The demo's captures: a sample of each guest is captured, and everything is done with the capture that can be done.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use xtask::build::Tree;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

use super::browser;
use super::page::{Figure, Section, figures, mark, texts};
use super::window::{self, Key};
use crate::matrix::End;
use crate::picture::Picture;
use crate::report::{escape, link};

/// Frames that are captured of programs, and the one that is looked at.
const FRAMES: &str = "30-32";
const FRAME: u64 = 31;
/// Abilities of the device that do not change a picture when they are missing.
const WITHOUT: &str = "bindless,dynamic_state3";
/// Pictures behind calls that are shown.
const STEPS: usize = 8;
/// Bytes that are cut off a capture to show what is made of the rest.
const CUT: usize = 1000;
/// A pixel shader of Direct3D 9 that needs nothing.
const REPLACEMENT: &str = "ps_2_0\ndef c0, 1.0, 0.55, 0.1, 1.0\nmov oC0, c0\n";
/// One that does not end, as a driver may leave a loop after 65,536 rounds.
const ENDLESS: &str = "ps_3_0\ndefi i0, 255, 0, 0, 0\ndef c0, 1.0, 0.0001, 0.5, 0.25\nmov r0, c0\nrep i0\nrep i0\nrep i0\nrep i0\n\
                       mad r0, r0, c0.y, c0.x\nsincos r1.xy, r0.x\nendrep\nendrep\nendrep\nendrep\nmov oC0, r1.x\n";
/// Exit code of a replay whose GPU does not come to an end.
const HUNG: i32 = 124;
/// Lines of a long text that are shown.
const LINES: usize = 400;

/// A guest's sample and its capture.
struct Sample {
    guest: &'static str,
    name: &'static str,
    /// Its folder.
    folder: PathBuf,
    capture: PathBuf,
    /// What was shown of the frame that is looked at, while it was captured.
    live: PathBuf,
    /// A capture of the same frames that differs, and in what; else the capture is held against itself, drawn in another way.
    other: Option<(PathBuf, &'static str)>,
}

/// What came of a sample.
struct Shown {
    html: String,
    end: End,
    line: String,
}

/// Captures samples, and does everything with the captures. All goes into `out/captures`, which is emptied.
///
/// # Errors
/// When the folder cannot be made; what goes wrong with a guest's capture is on the page.
pub(super) fn section(ws: &Workspace, tree: &Tree, out: &Path, validate: bool) -> Result<Section> {
    let folder = out.join("captures");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).doing(format!("creating {}", folder.display()))?;
    let mut section = Section {
        id: "captures",
        title: "Captures",
        what: "A frame of a sample of each guest is captured while it runs: <code>AFTERIMAGE_CAPTURE_FRAMES</code>, or F10 in a \
               window. The file replays anywhere to the same pixels, and every tool reads it: the report in a browser, the viewer, and \
               the commands under each text."
            .to_owned(),
        html: String::new(),
        ends: Vec::new(),
        lines: Vec::new(),
    };
    let tools = Tools { ws, tree, out, validate };
    tools.add(&mut section, tools.direct3d9(&folder));
    tools.add(&mut section, tools.console(&folder, "NV2A", "xbox"));
    tools.add(&mut section, tools.console(&folder, "GNM", "playstation"));
    Ok(section)
}

/// What all steps share.
struct Tools<'a> {
    ws: &'a Workspace,
    tree: &'a Tree,
    out: &'a Path,
    validate: bool,
}

/// What was made of a capture.
struct Made {
    /// Pictures that are not as they should be.
    wrong: Vec<String>,
    /// The frame, replayed.
    replayed: PathBuf,
    /// How many draws the frame has.
    draws: usize,
    /// Some of its draws, and the pictures behind them.
    steps: Vec<(u64, PathBuf)>,
    /// Its last draw.
    last: u64,
    /// What that draw needs, what `trim` said of it, the picture behind it, and how many calls it takes.
    trimmed: PathBuf,
    trim: String,
    after: PathBuf,
    kept: usize,
    /// What `diff` said, and its pictures: this capture, the other, the difference.
    diff: String,
    three: [PathBuf; 3],
    /// The picture with another shader.
    replaced: Option<PathBuf>,
    /// The frame alone.
    alone: PathBuf,
    /// The report, and why there is no picture of it.
    report: PathBuf,
    no_report: Option<String>,
    /// Why there is no picture of the viewer's window.
    viewed: Option<String>,
}

/// Size of a file in KiB; 0 of one that is not there.
fn kib(path: &Path) -> f64 {
    std::fs::metadata(path).map_or(0, |meta| meta.len()) as f64 / 1024.0
}

impl Tools<'_> {
    /// Adds what came of a sample to the section.
    fn add(&self, section: &mut Section, sample: Result<Sample>) {
        let title = sample.as_ref().map(|sample| (sample.guest, sample.name));
        let progress = Progress::start(
            title.map_or_else(|_| "captures".to_owned(), |(guest, name)| format!("{guest}: the capture of {name}")),
        );
        let shown = sample.and_then(|sample| self.show(&sample));
        progress.finish(&shown);
        match shown {
            Ok(Shown { html, end, line }) => {
                section.html.push_str(&html);
                section.ends.push(end);
                section.lines.push(line);
            }
            Err(failure) => {
                eprintln!("{failure}");
                let end = End::Bad(failure.summary());
                let _ = writeln!(section.html, "<p>{}</p>", mark(&end, ""));
                section.lines.push(format!("captures: {}", failure.summary()));
                section.ends.push(end);
            }
        }
    }

    fn afterimage(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.tree.afterimage());
        command
            .args(arguments)
            .current_dir(&self.ws.root)
            .env("AFTERIMAGE_VALIDATE", if self.validate { "1" } else { "0" });
        command
    }

    /// What `afterimage ARGUMENTS...` prints.
    fn said(&self, arguments: &[&str]) -> Result<String> {
        step::output(&mut self.afterimage(arguments), &format!("afterimage {}", arguments.first().unwrap_or(&"")))
    }

    /// Runs a program of ours with a capture of [`FRAMES`] and pictures.
    fn run(
        &self,
        program: &Path,
        arguments: &[&str],
        folder: &Path,
        capture: &Path,
        variables: &[(&str, &str)],
    ) -> Result {
        std::fs::create_dir_all(folder).doing(format!("creating {}", folder.display()))?;
        let mut command = Command::new("timeout");
        command.args(["-k", "5", "120"]).arg(program).args(arguments);
        command
            .env("AFTERIMAGE_RENDERER", "in-process")
            .env("AFTERIMAGE_VALIDATE", if self.validate { "1" } else { "0" });
        command.env("AFTERIMAGE_CAPTURE_FRAMES", FRAMES).env("AFTERIMAGE_CAPTURE_FILE", capture);
        command.envs(variables.iter().copied());
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        step::run(self.ws, &mut command, &format!("capturing {name}"), "").map(drop)
    }

    fn direct3d9(&self, out: &Path) -> Result<Sample> {
        let folder = out.join("d3d9");
        let (capture, other, live) =
            (folder.join("scene.aftercap"), folder.join("other.aftercap"), folder.join("live"));
        let program = self.tree.native_sample("scene");
        let frames = ["--frames", "33"];
        let shots = live.to_string_lossy();
        self.run(
            &program,
            &frames,
            &folder,
            &capture,
            &[("AFTERIMAGE_SCREENSHOTS", &shots), ("AFTERIMAGE_SCREENSHOT_FRAMES", "31")],
        )?;
        self.run(&program, &frames, &folder, &other, &[("AFTERIMAGE_LOD_BIAS", "3")])?;
        Ok(Sample {
            guest: "Direct3D 9",
            name: "scene",
            folder,
            capture,
            live: live.join("frame-000031.png"),
            other: Some((other, "the same frames with AFTERIMAGE_LOD_BIAS=3, which blurs textures")),
        })
    }

    /// A console's sample, which draws with the renderer in its own process.
    fn console(&self, out: &Path, guest: &'static str, name: &'static str) -> Result<Sample> {
        let folder = out.join(name);
        let (capture, live) = (folder.join(format!("{name}.aftercap")), folder.join("live"));
        let shots = live.to_string_lossy();
        self.run(&self.tree.native_sample(name), &["--frames", "33", "--shots", "31", &shots], &folder, &capture, &[])?;
        Ok(Sample { guest, name, live: live.join("frame-000031.png"), folder, capture, other: None })
    }

    /// The calls of a capture, as `inspect --json` has them.
    fn calls(&self, capture: &Path, more: &[&str]) -> Result<Vec<Value>> {
        let text = self.said(&[&["inspect", &capture.to_string_lossy(), "--json"], more].concat())?;
        let calls: Value = serde_json::from_str(&text).doing("reading the calls of a capture")?;
        Ok(calls.as_array().cloned().unwrap_or_default())
    }

    /// Everything that is done with a capture: files in its folder.
    fn make(&self, sample: &Sample) -> Result<Made> {
        let folder = &sample.folder;
        let file = sample.capture.to_string_lossy().into_owned();
        let place = |name: &str| folder.join(name);
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let mut wrong: Vec<String> = Vec::new();
        let mut hold = |what: &str, difference: Option<crate::picture::Difference>| match difference {
            None => {}
            Some(difference) => wrong.push(format!("{what}: {difference}")),
        };

        // The frame, replayed.
        let replayed = place("replayed");
        self.said(&["replay", &file, "-o", &path(&replayed), "--frames", &FRAME.to_string()])?;
        let replayed = replayed.join(format!("frame-{FRAME:06}.png"));
        let live = Picture::read(&sample.live)?;
        hold("the replay", live.difference(&Picture::read(&replayed)?));

        // Draws on the way there.
        let number = FRAME.to_string();
        let draws = self.calls(&sample.capture, &["--frame", &number, "--calls", "draw"])?;
        let draws: Vec<u64> = draws.iter().filter_map(|call| call["call"].as_u64()).collect();
        let Some(last) = draws.last().copied() else {
            return Err(Failure::new("reading a capture", "its frame has no draws"));
        };
        let steps: Vec<u64> = if draws.len() <= STEPS {
            draws.clone()
        } else {
            (1..=STEPS).map(|step| draws[step * draws.len() / STEPS - 1]).collect()
        };
        let set = steps.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        self.said(&["replay", &file, "-o", &path(&place("draws")), "--screenshots", &set])?;
        let behind = |call: u64| place("draws").join(format!("{call:06}.png"));

        // What the last draw needs.
        let trimmed = place("trimmed.aftercap");
        let trim = self.said(&["trim", &file, "-o", &path(&trimmed), "--calls", &last.to_string()])?;
        self.said(&["replay", &path(&trimmed), "-o", &path(&place("trimmed")), "--screenshots", "draw"])?;
        let after = crate::picture::in_folder(&place("trimmed"));
        let after =
            after.last().cloned().ok_or_else(|| Failure::new("replaying a trimmed capture", "it draws nothing"))?;
        hold("the trimmed capture", Picture::read(&behind(last))?.difference(&Picture::read(&after)?));
        let kept = self.calls(&trimmed, &[])?.len();

        // Held against another.
        let diff_out = place("diff");
        let mut command = self.afterimage(&["diff", "--quiet", &file]);
        match &sample.other {
            Some((other, _)) => command.arg(other),
            None => command.args(["--without", WITHOUT]),
        };
        command.arg("-o").arg(&diff_out);
        let said = command.output().doing("starting afterimage diff")?;
        let expected = i32::from(sample.other.is_some());
        if said.status.code() != Some(expected) {
            let text =
                String::from_utf8_lossy(if said.stderr.is_empty() { &said.stdout } else { &said.stderr }).into_owned();
            return Err(Failure { command: Some(step::line_of(&command)), ..Failure::new("comparing captures", text) });
        }
        let diff = String::from_utf8_lossy(&said.stdout).into_owned();
        let three =
            ["golden", "picture", "difference"].map(|part| diff_out.join(part).join(format!("frame-{FRAME:06}.png")));

        let replaced = self.replaced(sample)?;

        // The frame alone.
        let alone = place("frame.aftercap");
        self.said(&["trim", &file, "-o", &path(&alone), "--frames", &number])?;
        self.said(&["replay", &path(&alone), "-o", &path(&place("alone"))])?;
        let picture = Picture::read(&place("alone").join(format!("frame-{FRAME:06}.png")))?;
        hold("the frame alone", live.difference(&picture));

        // The page, and the viewer's window.
        let report = place("report.html");
        self.said(&["report", &file, "-o", &path(&report), "--frames", &number])?;
        let at = format!("f={FRAME}&c={last}");
        let no_report = browser::photograph(&report, &at, &place("report.png"))?;
        let keys = [vec![Key::PageDown; steps_down(&draws, last) / 10], vec![Key::Down; steps_down(&draws, last) % 10]]
            .concat();
        let viewed = if step::on_path("Xvfb") {
            window::photograph(&self.tree.viewer(), &alone, &keys, &place("viewer"), &place("viewer.png"))
                .map(|()| None)?
        } else {
            Some("Xvfb is not installed".to_owned())
        };

        Ok(Made {
            wrong,
            replayed,
            draws: draws.len(),
            steps: steps.into_iter().map(|call| (call, behind(call))).collect(),
            last,
            trimmed,
            trim,
            after,
            kept,
            diff,
            three,
            replaced,
            alone,
            report,
            no_report,
            viewed,
        })
    }

    /// What is done with a capture, and what of it is shown.
    fn show(&self, sample: &Sample) -> Result<Shown> {
        let made = self.make(sample)?;
        let end = if made.wrong.is_empty() { End::Good } else { End::Bad(made.wrong.join("; ")) };
        let mut html = self.pictures(sample, &made, &end);
        html.push_str(&self.read(sample, made.last, &made.trim, &made.diff)?);
        let Sample { guest, name, .. } = sample;
        let line = format!(
            "captures: {guest}: {}",
            match &end {
                End::Bad(why) => why.clone(),
                _ => format!(
                    "{name} replays to the same pixels, {:.0} KiB; trimmed {:.0} KiB; report: {}",
                    kib(&sample.capture),
                    kib(&made.trimmed),
                    made.report.display()
                ),
            }
        );
        Ok(Shown { html, end, line })
    }

    /// The part of the page that pictures make.
    fn pictures(&self, sample: &Sample, made: &Made, end: &End) -> String {
        let Sample { guest, name, folder, .. } = sample;
        let Made { last, kept, alone, trimmed, after, report, .. } = made;
        let place = |name: &str| folder.join(name);
        let command = format!("AFTERIMAGE_CAPTURE_FRAMES={FRAMES} AFTERIMAGE_CAPTURE_FILE={name}.aftercap ./{name}");
        let mut html = format!(
            "<h3>{guest}: {name}</h3>\n<p class=\"sub\"><code>{}</code> wrote <a href=\"{}\">{:.0} KiB</a>; \
             <code>afterimage replay</code> draws {}. Trimmed to the frame alone it is <a \
             href=\"{}\">{:.0} KiB</a>; to the frame's last draw and what that needs, <a href=\"{}\">{:.0} KiB</a>, {kept} calls.</p>\n",
            command,
            link(&sample.capture, self.out),
            kib(&sample.capture),
            mark(end, "the same pixels"),
            link(alone, self.out),
            kib(alone),
            link(trimmed, self.out),
            kib(trimmed),
        );
        let mut shown = vec![
            Figure::new(&sample.live, "live", format!("frame {FRAME}, as it was shown")),
            Figure::new(&made.replayed, "replayed", "from the capture"),
            Figure::new(after, "trimmed", format!("what call {last} leaves, out of {kept} calls")),
        ];
        shown.extend(made.replaced.as_ref().map(|replaced| {
            Figure::new(replaced, "with another shader", "<code>replay --replace-shader HASH=mine.asm</code>")
        }));
        html.push_str(&figures("three", &shown, self.out));
        let mut pair = Vec::new();
        let mut notes = Vec::new();
        match &made.no_report {
            None => pair.push(Figure {
                opens: Some(report.clone()),
                ..Figure::new(
                    place("report.png"),
                    "report",
                    format!(
                        "one page for a browser: <a href=\"{}\">open it</a>; ? shows its keys",
                        link(report, self.out)
                    ),
                )
            }),
            Some(why) => notes.push(format!(
                "<a href=\"{}\">The report</a> (no picture of it: {})",
                link(report, self.out),
                escape(why)
            )),
        }
        match &made.viewed {
            None => pair.push(Figure::new(
                place("viewer.png"),
                "viewer",
                "<code>afterimage-viewer</code> with this frame alone, at its last draw",
            )),
            Some(why) => notes.push(format!("no picture of the viewer's window: {}", escape(why))),
        }
        html.push_str(&figures("two", &pair, self.out));
        if !notes.is_empty() {
            let _ = writeln!(html, "<p class=\"sub\">{}.</p>", notes.join("; "));
        }
        let _ = write!(
            html,
            "<p class=\"sub\">Behind {} of its {} draws: <code>replay --screenshots {}</code></p>\n<div class=\"strip\">",
            made.steps.len(),
            made.draws,
            made.steps.iter().map(|(call, _)| call.to_string()).collect::<Vec<_>>().join(",")
        );
        for (call, picture) in &made.steps {
            let link = link(picture, self.out);
            let _ =
                write!(html, "<a href=\"{link}\"><img src=\"{link}\" alt=\"behind call {call}\" loading=\"lazy\"></a>");
        }
        html.push_str("</div>\n");
        let without = format!("itself, drawn without {WITHOUT}");
        let (against, found) = match &sample.other {
            Some((_, change)) => (*change, "the first call that differs"),
            None => (without.as_str(), "no difference"),
        };
        let _ =
            writeln!(html, "<p class=\"sub\">Held against {against}: <code>afterimage diff</code> finds {found}.</p>");
        html.push_str(&figures(
            "three",
            &[
                Figure::new(&made.three[0], "this capture", ""),
                Figure::new(&made.three[1], "the other", ""),
                Figure::new(&made.three[2], "difference", "16 times as bright"),
            ],
            self.out,
        ));
        html
    }

    /// The hash of the longest pixel shader, where we can write one in the guest's own assembler.
    fn longest(&self, sample: &Sample) -> Result<Option<String>> {
        let shaders = self.shaders(sample)?;
        let pixel = shaders.iter().filter(|shader| shader["stage"] == "pixel" && shader["language"] == "d3d9");
        Ok(pixel
            .max_by_key(|shader| shader["bytes"].as_u64())
            .and_then(|shader| Some(shader["hash"].as_str()?.to_owned())))
    }

    /// What is said of a replay with a pixel shader that does not end.
    fn endless(&self, sample: &Sample) -> Result<Option<(String, String)>> {
        let Some(hash) = self.longest(sample)? else { return Ok(None) };
        let endless = sample.folder.join("endless.asm");
        std::fs::write(&endless, ENDLESS).doing(format!("writing {}", endless.display()))?;
        let file = sample.capture.to_string_lossy();
        let mut replay =
            self.afterimage(&["replay", &file, "--replace-shader", &format!("{hash}={}", endless.display())]);
        let said = replay.env("AFTERIMAGE_GPU_TIMEOUT_S", "3").output().doing("starting afterimage")?;
        let text = String::from_utf8_lossy(&said.stderr).into_owned();
        if said.status.code() != Some(HUNG) {
            return Err(Failure::new("replaying a capture with a shader that does not end", text));
        }
        let title = "<b>with a shader that does not end</b> <code>replay --replace-shader HASH=endless.asm</code>, in a process of its own";
        Ok(Some((title.to_owned(), text)))
    }

    /// The frame with another pixel shader in place of the longest.
    fn replaced(&self, sample: &Sample) -> Result<Option<PathBuf>> {
        let mine = sample.folder.join("mine.asm");
        let Some(hash) = self.longest(sample)? else { return Ok(None) };
        std::fs::write(&mine, REPLACEMENT).doing(format!("writing {}", mine.display()))?;
        let out = sample.folder.join("replaced");
        let (file, folder, number) = (sample.capture.to_string_lossy(), out.to_string_lossy(), FRAME.to_string());
        let shader = format!("{hash}={}", mine.display());
        self.said(&["replay", &file, "-o", &folder, "--frames", &number, "--replace-shader", &shader])?;
        let picture = out.join(format!("frame-{FRAME:06}.png"));
        let same = Picture::read(&picture)?.difference(&Picture::read(&sample.live)?).is_none();
        if same {
            Err(Failure::new("drawing with another shader", "nothing looks different"))
        } else {
            Ok(Some(picture))
        }
    }

    /// Shaders of a capture, as `inspect --json` has them.
    fn shaders(&self, sample: &Sample) -> Result<Vec<Value>> {
        let text = self.said(&["inspect", &sample.capture.to_string_lossy(), "shaders", "--json"])?;
        let shaders: Value = serde_json::from_str(&text).doing("reading the shaders of a capture")?;
        Ok(shaders.as_array().cloned().unwrap_or_default())
    }

    /// What `afterimage info` says of the capture when its last bytes are missing.
    fn cut(&self, sample: &Sample) -> Result<(String, String)> {
        let cut = sample.folder.join("cut.aftercap");
        let bytes = std::fs::read(&sample.capture).doing("reading a capture")?;
        std::fs::write(&cut, &bytes[..bytes.len() - bytes.len().min(CUT)])
            .doing("writing a capture that is cut short")?;
        let said = self.afterimage(&["info", &cut.to_string_lossy()]).output().doing("starting afterimage")?;
        let text = String::from_utf8_lossy(&[said.stdout, said.stderr].concat()).into_owned();
        if !text.contains("in the middle") {
            return Err(Failure::new("reading a capture that is cut short", text));
        }
        Ok((format!("<b>the same, its last {CUT} bytes missing</b> <code>afterimage info CUT</code>"), text))
    }

    /// What the commands say, as texts to be unfolded.
    fn read(&self, sample: &Sample, last: u64, trim: &str, diff: &str) -> Result<String> {
        let file = sample.capture.to_string_lossy().into_owned();
        let (call, frame) = (last.to_string(), FRAME.to_string());
        let short = |text: &str| {
            let lines = text.lines().count();
            if lines <= LINES {
                return text.to_owned();
            }
            let head: Vec<&str> = text.lines().take(LINES).collect();
            format!("{}\n... and {} lines more", head.join("\n"), lines - LINES)
        };
        let view = |command: &str, arguments: &[&str]| -> Result<(String, String)> {
            let said = self.said(&[&[command, &file], arguments].concat())?;
            let words = [&[command, "FILE"], arguments].concat().join(" ");
            Ok((format!("<code>afterimage {}</code>", escape(&words)), short(&said)))
        };
        let mut html = String::new();
        let mut fold = |title: &str, all: &[(String, String)]| {
            let _ = writeln!(html, "<details><summary>{title}</summary>{}</details>", texts(all));
        };
        let told = [
            ("trim FILE -o SMALL --calls ", trim),
            (if sample.other.is_some() { "diff FILE OTHER -o PAGE" } else { "diff FILE --without ... -o PAGE" }, diff),
        ]
        .map(|(words, said)| {
            let call = if words.starts_with("trim") { call.as_str() } else { "" };
            (format!("<code>afterimage {words}{call}</code>"), short(said))
        });
        fold(
            "What is in it, and how it is compared",
            &[
                vec![view("info", &[])?, self.cut(sample)?],
                self.endless(sample)?.into_iter().collect(),
                told.to_vec(),
                vec![view("inspect", &["resources"])?, view("replay", &["--measure"])?],
            ]
            .concat(),
        );
        fold(
            "A call, draw by draw: what was asked, what it changed, in which state",
            &[
                view("inspect", &["--frame", &frame])?,
                view("inspect", &["--call", &call])?,
                view("inspect", &["changes", "--call", &call])?,
                view("inspect", &["state", "--call", &call])?,
                view("dump", &["--guest", "--calls", &call])?,
                view("inspect", &["vertices", "--call", &call, "--most", "20"])?,
            ],
        );
        // Of each kind of shader the longest.
        let shaders = self.shaders(sample)?;
        let kind = |shader: &Value| {
            format!(
                "{} shader, {}",
                shader["stage"].as_str().unwrap_or("?"),
                shader["language"].as_str().unwrap_or("?")
            )
        };
        let mut kinds: Vec<String> = shaders.iter().map(kind).collect();
        kinds.sort();
        kinds.dedup();
        for wanted in kinds {
            let of_kind = shaders.iter().filter(|shader| kind(shader) == wanted);
            let Some(id) =
                of_kind.max_by_key(|shader| shader["bytes"].as_u64()).and_then(|shader| shader["id"].as_str())
            else {
                continue;
            };
            let forms = [
                ("guest", "the guest's"),
                ("ir-optimized", "our IR"),
                ("spirv", "SPIR-V"),
                ("msl", "Metal Shading Language"),
            ];
            let forms = forms.map(|(form, title)| {
                let number = id.trim_start_matches("Shader#");
                // What there is not says why.
                let shown = view("inspect", &["shaders", "--shader", number, "--as", form]);
                let command = format!("<code>afterimage inspect FILE shaders --shader {number} --as {form}</code>");
                (
                    format!("<b>{title}</b> {command}"),
                    shown.map_or_else(|failure| failure.tail.join("\n"), |(_, text)| text),
                )
            });
            fold(&format!("{wanted}, in every language"), &forms);
        }
        Ok(html)
    }
}

/// How many calls lie between the first draw, where the viewer begins, and this one.
fn steps_down(draws: &[u64], last: u64) -> usize {
    draws.first().map_or(0, |first| last.saturating_sub(*first)) as usize
}
