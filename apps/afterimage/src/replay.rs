//! `afterimage replay`: draws what is in a capture.

mod calls;
mod compile;
mod measure;
mod metal;
mod read;
mod replace;
mod replays;
mod times;
mod window;

use crate::{Failure, gnm, nv2a};
use afterimage_capture::{CaptureError, Reader, Uses};
use afterimage_inspect::CallSet;
use afterimage_render::step::Stepper;
use afterimage_vulkan::{Ahead, FrameSet, Go, Options, Renderer, ReplayError, Replayed, Watch};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use replays::Replays;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Draw what captures of programs, or recordings of a console's command buffers, hold.
///
/// Pictures are written as frame-000100.png and so on, numbered as the program numbered its frames. A
/// damaged capture is drawn up to the damage. AFTERIMAGE_FLOAT_RULES=auto|strict|balanced|relaxed
/// says how closely shaders follow Direct3D 9's float rules, as for `afterimage run`.
///
/// Calls are draws, clears, dispatches, copies, queries and presents, numbered from 0 as `afterimage
/// inspect FILE` lists them. Sets of calls are lists such as 12,3-7,100-*/draw,*/10,frame or @FILE.
/// The picture of a call is what it drew to, cleared, copied to or presented, as texels: 000123.png.
///
/// With --window a capture is played in a window, as fast as it was recorded (60 frames a second
/// where it does not say; waits of more than a second are cut to one), and stays at its last frame,
/// or begins again with --loop. Keys: Space pauses and goes on, N goes on by a frame, Esc or Q
/// closes.
///
/// Of recordings of an Xbox (.kcap, .kcap.gz), every picture that the program saved is written as
/// DIR/SUITE/NAME.png, in the console's colours; many are drawn in one go.
///
/// Of recordings of GNM work (.gcap, .gcap.gz), every buffer that was shown is written as
/// DIR/NAME.png, and memory that the recording asks for, as the GPU left it, as DIR/NAME.bin. A
/// packet that cannot be done is told with its queue and address, and skipped.
///
/// Examples:
///   afterimage replay scene.aftercap -o pictures
///   afterimage replay scene.aftercap -o pictures --frames 101 --validate
///   afterimage replay scene.aftercap --window --loop
///   afterimage replay scene.aftercap --stats -
///   afterimage replay scene.aftercap -o draws --screenshots 0-1000/draw
///   afterimage replay test.aftercap -o pictures --read-backs
///   afterimage replay scene.aftercap -o draw --calls 1742
///   afterimage replay scene.aftercap --measure --loop=10
///   afterimage replay scene.aftercap --times --calls draw
///   afterimage replay scene.aftercap -o pictures --replace-shader 3fa2=mine.spv
///   afterimage replay recordings/*.kcap.gz -o pictures
///   afterimage replay scene.gcap -o out
///   afterimage replay scene.gcap --capture scene.aftercap
#[derive(Debug, Parser)]
#[command(verbatim_doc_comment, after_long_help = nv2a::HELP)]
pub(crate) struct Args {
    /// One capture, or any number of recordings; what a file is, its first bytes say.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Write pictures into this folder.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Which pictures to write: frame numbers such as 100,105-110. [default: every one]
    #[arg(long, value_name = "FRAMES", value_parser = frames)]
    frames: Option<FrameSet>,
    /// Execute a capture up to the last of these calls, and with -o write the picture behind each of them, unless --screenshots says which.
    #[arg(long, value_name = "SET", value_parser = calls, conflicts_with_all = ["repeat", "measure"])]
    calls: Option<CallSet>,
    /// Write the picture behind each of these calls of a capture, as CALL.png. Pictures of frames are then written with --frames only.
    #[arg(long, value_name = "SET", value_parser = calls, requires = "output", conflicts_with_all = ["repeat", "measure"])]
    screenshots: Option<CallSet>,
    /// Write what the program of a capture read back, too: colours and depth as read-TOKEN.png, with the token of the packet.
    #[arg(long, requires = "output", conflicts_with_all = ["calls", "screenshots", "measure", "times", "repeat", "window"])]
    read_backs: bool,
    /// Play a capture in a window.
    #[arg(long, conflicts_with_all = ["calls", "screenshots", "measure"])]
    pub(crate) window: bool,
    /// Draw a capture N times, or until Ctrl-C.
    #[arg(long = "loop", value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    repeat: Option<u64>,
    /// Say how long the frames of a capture take on CPU and GPU: mean, median, percentiles, worst; with a file (- is standard output),
    /// as JSON with each frame's times.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    measure: Option<Option<PathBuf>>,
    /// Replays before those that are measured, in which shaders and pipelines are made. [default: 1]
    #[arg(long, value_name = "N", requires = "measure")]
    warmup: Option<u64>,
    /// Say how long calls of a capture, or those of --calls, take on the GPU, each alone, the longest first; with a file (- is standard
    /// output), as JSON in the order of the calls: `device`, `sum_us`, `calls` (`call`, `frame`, `kind`, `packet`, `gpu_us`: null where
    /// it is not told).
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true,
        conflicts_with_all = ["output", "screenshots", "window", "repeat", "measure"])]
    times: Option<Option<PathBuf>>,
    /// Say of which draws and dispatches of a capture, or of --calls, shaders or pipelines cannot be made, and how long making them takes on
    /// the CPU; with a file, as lines of JSON: `device`, then for each call one before (`call`, `kind`, `shaders`: ids and names) and one
    /// behind it (`call`, `ms`, `made`).
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true,
        conflicts_with_all = ["output", "screenshots", "window", "repeat", "measure", "times"])]
    compile: Option<Option<PathBuf>>,
    /// Draw with the shader in FILE in place of the one whose hash begins so (`afterimage inspect FILE shaders` lists them): SPIR-V
    /// (.spv), IR (.air .ir), Direct3D 9 assembler or tokens (.asm .cso), microcode (.xvu .vsh), GCN (.gcn .sb). May be given again.
    #[arg(long, value_name = "HASH=FILE", value_parser = replace::Replacement::parse)]
    replace_shader: Vec<replace::Replacement>,
    /// What draws a capture.
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Drawn::Vulkan, hide_default_value = true)]
    renderer: Drawn,
    /// Part of the name of the device to draw a capture with, or its number in `afterimage info`.
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// Write figures about the replay, as JSON, into this file; - is standard output. Of recordings it is a list, one entry each.
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// Use Vulkan's validation layer; its messages make the command fail.
    #[arg(long)]
    validate: bool,
    /// Write what a recording draws as a capture, which `report`, `diff`, `trim` and the viewer read. Of one recording.
    #[arg(long, value_name = "FILE")]
    capture: Option<PathBuf>,
    /// How many recordings are drawn at a time. [default: as many as there are cores]
    #[arg(short, long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    jobs: usize,
}

impl Args {
    /// Whether it is drawn in a sandbox. The software Metal starts a compiler, and loads what that makes.
    pub(crate) fn is_confined(&self) -> bool {
        #[cfg(target_os = "linux")]
        return self.renderer != Drawn::MetalSoft;
        #[cfg(not(target_os = "linux"))]
        true
    }
}

/// What draws a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Drawn {
    /// The renderer on Vulkan. This is the default.
    Vulkan,
    /// The renderer on Metal.
    #[cfg(target_os = "macos")]
    Metal,
    /// The renderer on Metal, with a software Metal that needs clang: slow, without a sandbox, and it refuses what Apple's validation
    /// refuses.
    #[cfg(target_os = "linux")]
    MetalSoft,
}

fn frames(text: &str) -> Result<FrameSet, String> {
    FrameSet::parse(text).ok_or_else(|| "expected frame numbers such as 100,105-110".into())
}

fn calls(text: &str) -> Result<CallSet, String> {
    CallSet::parse(text).map_err(|error| error.to_string())
}

/// Draws the capture, or the recordings.
pub(crate) fn replay(args: &Args) -> Result<ExitCode, Failure> {
    match &args.files[..] {
        [file] if !(nv2a::is_recording(file) || gnm::is_recording(file)) => {
            if args.capture.is_some() {
                return Err(Failure::new(
                    "--capture is for recordings: this is a capture already; `afterimage trim` keeps a part of one",
                ));
            }
            if args.renderer != Drawn::Vulkan {
                return on_metal(args, file).map(|()| ExitCode::SUCCESS);
            }
            if let Some(to) = &args.times {
                return times::run(args, file, to.as_deref()).map(|()| ExitCode::SUCCESS);
            }
            if let Some(to) = &args.compile {
                return compile::run(args, file, to.as_deref()).map(|()| ExitCode::SUCCESS);
            }
            let by_calls = args.calls.is_some() || args.screenshots.is_some();
            let done = match (by_calls, args.window) {
                (true, _) => calls::run(args, file),
                (false, true) => window::play(args, file),
                (false, false) => replay_capture(args, file, None),
            };
            done.map(|()| ExitCode::SUCCESS)
        }
        files => {
            let only = [
                ("--renderer", args.renderer != Drawn::Vulkan),
                ("--frames", args.frames.is_some()),
                ("--calls", args.calls.is_some()),
                ("--screenshots", args.screenshots.is_some()),
                ("--window", args.window),
                ("--loop", args.repeat.is_some()),
                ("--measure", args.measure.is_some()),
                ("--times", args.times.is_some()),
                ("--compile", args.compile.is_some()),
                ("--replace-shader", !args.replace_shader.is_empty()),
                ("--read-backs", args.read_backs),
                ("--device", args.device.is_some()),
            ];
            if let Some((name, _)) = only.iter().find(|(_, given)| *given) {
                return Err(Failure::new(format!("{name} is for captures, of which one is replayed at a time")));
            }
            if args.capture.is_some() && files.len() > 1 {
                return Err(Failure::new("--capture is for one recording at a time"));
            }
            let (output, stats, capture) = (args.output.as_deref(), args.stats.as_deref(), args.capture.as_deref());
            nv2a::replay(&nv2a::Replay { files, output, validate: args.validate, jobs: args.jobs, stats, capture })
        }
    }
}

/// Draws a capture with the renderer on Metal, which takes a part of the options.
fn on_metal(args: &Args, file: &Path) -> Result<(), Failure> {
    let of_vulkan = [
        ("--window", args.window),
        ("--loop", args.repeat.is_some()),
        ("--measure", args.measure.is_some()),
        ("--replace-shader", !args.replace_shader.is_empty()),
        ("--validate", args.validate),
    ];
    if let Some((name, _)) = of_vulkan.iter().find(|(_, given)| *given) {
        return Err(Failure::new(format!("{name} is for the renderer on Vulkan")));
    }
    match args.renderer {
        Drawn::Vulkan => replay_capture(args, file, None),
        #[cfg(target_os = "macos")]
        Drawn::Metal => afterimage_metal_apple::pool(|| {
            let device = afterimage_metal_apple::Device::choose(args.device.as_deref());
            metal::run(args, file, device.map_err(|error| Failure::new(error.to_string()))?)
        }),
        #[cfg(target_os = "linux")]
        Drawn::MetalSoft => {
            if args.device.is_some() {
                return Err(Failure::new("--device is for devices: the software Metal is none"));
            }
            afterimage_metal_soft::compiler().map_err(|why| {
                Failure::new(format!("the software Metal needs clang (apt-get install clang-14): {why}"))
            })?;
            let device = afterimage_metal_soft::SoftDevice::new(afterimage_metal_calls::Family::Apple7);
            let compiled = crate::own_process::options().cache_dir.map(|folder| folder.join("metal-soft"));
            metal::run(args, file, compiled.into_iter().fold(device, afterimage_metal_soft::SoftDevice::with_compiled))
        }
    }
}

/// What the renderer is told.
fn options(args: &Args) -> Options {
    let mut options = crate::own_process::options();
    options.validate |= args.validate;
    if args.device.is_some() {
        options.device.clone_from(&args.device);
    }
    if args.output.is_some() {
        options.wishes.screenshots.clone_from(&args.output);
    }
    if args.frames.is_some() {
        options.wishes.screenshot_frames.clone_from(&args.frames);
    }
    if !stats_to_output(args) && args.stats.is_some() {
        options.wishes.stats.clone_from(&args.stats);
    }
    // Replaying is not what the settings of a program's run were meant for.
    (options.wishes.capture_frames, options.wishes.capture_file) = (None, None);
    options
}

fn stats_to_output(args: &Args) -> bool {
    args.stats.as_ref().is_some_and(|path| path.as_os_str() == "-")
}

fn say_stats(args: &Args, renderer: &Renderer) {
    if stats_to_output(args) {
        crate::say(&renderer.stats_json());
    }
}

/// What the numbers of errors, of messages of the validation layer and of files that could not be written mean.
fn outcome(errors: u64, messages: u64, unwritten: u64) -> Result<(), Failure> {
    crate::outputs::unwritten(unwritten)?;
    match (errors, messages) {
        (0, 0) => Ok(()),
        (0, messages) => Err(Failure::new(format!("the validation layer had {messages} messages, see above"))),
        (errors, _) => Err(Failure::new(format!("{errors} packets could not be executed, see above"))),
    }
}

/// How a replay that went from call to call has ended.
struct Ended {
    errors: u64,
    damage: Option<String>,
    messages: u64,
    /// Files that could not be written.
    unwritten: u64,
}

impl Ended {
    /// Lets the renderer finish, and closes it; says its statistics where they are wanted.
    fn of<R: Replays>(args: &Args, file: &Path, stepper: Stepper<R>) -> Result<Self, Failure> {
        let (errors, damage) = (stepper.errors(), stepper.damage().map(str::to_owned));
        let mut renderer = stepper.into_renderer();
        renderer.finish(&mut |_| {}).map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
        let (unwritten, messages) = (renderer.end(), renderer.wrong());
        if stats_to_output(args) {
            crate::say(&renderer.figures());
        }
        Ok(Self { errors, damage, messages, unwritten })
    }

    fn outcome(self, file: &Path) -> Result<(), Failure> {
        match self.damage {
            Some(damage) => Err(damaged(file, &damage)),
            None => outcome(self.errors, self.messages, self.unwritten),
        }
    }
}

/// A progress bar, on terminals.
struct Bar(ProgressBar);

impl Bar {
    fn of_steps(steps: u64) -> Self {
        Self::styled(steps, "{pos}/{len} [{bar:40}] {eta} {wide_msg}")
    }

    /// Of bytes of a file that is read so many times; 0 is without end.
    fn of_bytes(bytes: u64, times: u64) -> Self {
        match times {
            0 => Self::styled(0, "{spinner} {elapsed} {wide_msg}"),
            times => Self::styled(bytes.saturating_mul(times), "{percent:>3}% [{bar:40}] {eta} {wide_msg}"),
        }
    }

    fn styled(length: u64, template: &str) -> Self {
        let bar = ProgressBar::new(length);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self(bar)
    }

    fn step(&self) {
        self.0.inc(1);
    }

    fn end(&self) {
        self.0.finish_and_clear();
    }
}

fn replay_capture(args: &Args, file: &Path, mut player: Option<window::Player>) -> Result<(), Failure> {
    let length = std::fs::metadata(file).map_or(0, |metadata| metadata.len());
    let warmup = args.measure.as_ref().map_or(0, |_| args.warmup.unwrap_or(1));
    // In a window it may be played again.
    let passes = if player.is_some() { 0 } else { args.repeat.unwrap_or(1) };
    let bar = Bar::of_bytes(length, if passes == 0 { 0 } else { passes.saturating_add(warmup) });
    // Before a device is opened for nothing.
    let uses = uses(file)?;
    let mut first = Some(open_with(file, uses.as_ref(), &bar)?);
    let options = options(args);
    let output = options.wishes.screenshots.clone();
    let mut renderer = Renderer::new(options).map_err(|error| Failure::new(error.to_string()))?;
    let replaced = replace::install(args, &mut renderer)?;
    if let Some(player) = &player {
        player.show(&mut renderer)?;
    }
    let reads = read::Reads::of(args)?;
    renderer.set_read_sink(reads.as_ref().map(read::Reads::sink));
    let stop = Arc::new(AtomicBool::new(false));
    if args.repeat.is_some() || player.is_some() {
        // Without the handler, Ctrl-C ends the replay all the same, only without its figures.
        let _handled = signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&stop));
    }
    let (mut times, mut total, mut pass, mut damage) = (Vec::new(), Replayed::default(), 0, None);
    while (passes == 0 || pass < passes.saturating_add(warmup)) && !total.stopped {
        let mut reader = match first.take() {
            Some(reader) => reader,
            None => {
                renderer.restart(&mut |_| {}).map_err(|error| Failure::new(error.to_string()))?;
                open_with(file, uses.as_ref(), &bar)?
            }
        };
        let mut ahead = |ahead: &Ahead| {
            if let Some(frame) = ahead.frame {
                bar.0.set_message(format!("frame {frame}"));
            }
            match &mut player {
                _ if stop.load(Ordering::Relaxed) => Go::End,
                Some(player) => player.ahead(ahead, &stop),
                None => Go::On,
            }
        };
        let measures = args.measure.is_some() && pass >= warmup;
        let times = measures.then_some(&mut times);
        let watch = Watch { ahead: &mut ahead, times, windows: args.window };
        match renderer.replay_watched(&mut reader, watch) {
            Ok(replayed) => {
                total.frames += replayed.frames;
                total.draws += replayed.draws;
                total.errors += replayed.errors;
                total.stopped = replayed.stopped;
            }
            // Space plays what can be read again.
            Err(ReplayError::Capture(error)) if player.as_ref().is_some_and(|player| !player.is_closed()) => {
                damage = Some(error);
            }
            Err(error) => {
                bar.end();
                say_stats(args, &renderer);
                return Err(match error {
                    ReplayError::Capture(error) => damaged(file, &error),
                    ReplayError::Renderer(error) => Failure::new(error.to_string()),
                });
            }
        }
        pass += 1;
    }
    bar.end();
    let unwritten = renderer.finish_files() + reads.as_ref().map_or(0, read::Reads::unwritten);
    let messages = renderer.validation_messages();
    say_stats(args, &renderer);
    if let Some(to) = &args.measure {
        let device = renderer.gpu().profile.name.clone();
        let measured =
            measure::Measured { device: &device, passes: pass.saturating_sub(warmup), warmup, times: &times };
        match to {
            None => crate::say(&measured.text()),
            Some(to) if to.as_os_str() == "-" => crate::say(&format!("{:#}\n", measured.json())),
            Some(to) => crate::outputs::write(to, &format!("{:#}\n", measured.json()))?,
        }
    }
    drop(renderer);
    let to_output = stats_to_output(args) || matches!(&args.measure, Some(Some(to)) if to.as_os_str() == "-");
    if !to_output {
        let pictures = output.map_or_else(String::new, |folder| match unwritten {
            0 => format!(", pictures in {}", folder.display()),
            _ => format!(", not all pictures in {}", folder.display()),
        });
        crate::say(&format!("{} frames, {} draws{pictures}\n", total.frames, total.draws));
    }
    let read = reads.as_ref().map_or(0, read::Reads::read);
    if total.frames == 0 && total.draws == 0 && read == 0 && !total.stopped {
        return Err(Failure::new(format!("{} holds no whole frame and no draw", file.display())));
    }
    replaced.check()?;
    if let Some(error) = damage {
        return Err(damaged(file, &error));
    }
    outcome(total.errors, messages, unwritten)
}

/// What could be read was drawn.
fn damaged(file: &Path, damage: &dyn std::fmt::Display) -> Failure {
    let name = file.display();
    Failure::new(format!(
        "{name}: {damage}\nwhat could be read was drawn; `afterimage trim {name} -o NEW.aftercap --frames A-B` keeps frames that are whole"
    ))
}

/// A capture whose bytes are counted as they are read.
type Counted = Reader<std::io::BufReader<indicatif::ProgressBarIter<File>>>;

/// Opens a capture; its reader keeps what comes again, if that is known, else all that may.
fn open_with(path: &Path, uses: Option<&Arc<Uses>>, bar: &Bar) -> Result<Counted, Failure> {
    let opened = File::open(path).map_err(|source| CaptureError::Io { what: "opening".into(), source });
    let reader = opened
        .and_then(|file| Reader::new(std::io::BufReader::new(bar.0.wrap_read(file))))
        .map_err(|error| Failure::capture(path, &error))?;
    Ok(match uses {
        Some(uses) => reader.with_uses(Arc::clone(uses)),
        None => reader,
    })
}

/// What comes again in a capture, unless it can be read only once.
fn uses(path: &Path) -> Result<Option<Arc<Uses>>, Failure> {
    match path.is_file() {
        true => Uses::open(path).map(|uses| Some(Arc::new(uses))).map_err(|error| Failure::capture(path, &error)),
        false => Ok(None),
    }
}
