//! `afterimage replay` of recordings: many at a time; those of NV2A work with every saved picture, drawn.

use crate::{Failure, gnm, pool};
use afterimage_gnm::gcap::GcapError;
use afterimage_gnm::machine::{Fault, QueueError};
use afterimage_gnm::memory::Unmapped;
use afterimage_gnm::translate::PictureError;
use afterimage_ipc::in_process::InProcessLink;
use afterimage_ipc::{ArenaConfig, in_process};
use afterimage_nv2a::kcap::{Event, Frame, KcapError, Player, Reader};
use afterimage_nv2a::machine::PusherError;
use afterimage_nv2a::memory::OutOfRange;
use afterimage_nv2a::translate::Translator;
use afterimage_output::Channels;
use afterimage_vulkan::{FrameSet, Gpu, Options, Renderer};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// Exit codes; of several failures the greatest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
enum Code {
    Done = 0,
    /// A recording is damaged or wrong.
    Undrawn = 1,
    /// A file could not be read or written.
    File = 3,
    /// The validation layer had messages, or a replay broke off.
    OurFault = 5,
}

/// What `--help` says about them.
pub(crate) const HELP: &str = "\
Exit codes of recordings of NV2A and GNM work (of several failures, the greatest):
  0  every picture was drawn
  1  a recording is damaged, or its commands are wrong; the others were drawn
  2  the command line is wrong; nothing was read
  3  a file could not be read or written
  5  the validation layer had messages, or a replay broke off: a bug of Afterimage";

/// Why a recording was not drawn to its end, or a picture not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Why {
    #[error("{0}; what came before was drawn")]
    Recording(#[from] KcapError),
    #[error("{0}; what came before was drawn")]
    Gcap(#[from] GcapError),
    #[error("{0}")]
    Fault(Box<Fault>),
    #[error("{0}")]
    Submission(QueueError),
    #[error("{0}")]
    Memory(#[from] Unmapped),
    #[error("picture {}: {error}", path.display())]
    Display { path: PathBuf, error: PictureError },
    #[error("{0}")]
    Pusher(PusherError),
    #[error("picture {}: {error}", path.display())]
    Picture { path: PathBuf, error: OutOfRange },
    #[error("cannot write {}: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("{0} files could not be written, see above")]
    Unwritten(u64),
    #[error("{}", .0)]
    Renderer(#[from] afterimage_vulkan::Error),
    #[error("the render thread could not be started: {0}")]
    Thread(io::Error),
    #[error("the validation layer had {0} messages, see above")]
    Validation(u64),
    #[error("the replay broke off, see above")]
    Panic,
}

impl Why {
    fn code(&self) -> Code {
        match self {
            Self::Recording(KcapError::Io(_)) | Self::Gcap(GcapError::Io(_)) => Code::File,
            Self::Write { .. } | Self::Unwritten(_) | Self::Renderer(_) | Self::Thread(_) => Code::File,
            Self::Recording(_) | Self::Pusher(_) | Self::Picture { .. } => Code::Undrawn,
            Self::Gcap(_) | Self::Fault(_) | Self::Submission(_) | Self::Memory(_) | Self::Display { .. } => {
                Code::Undrawn
            }
            Self::Validation(_) | Self::Panic => Code::OurFault,
        }
    }
}

/// What to do with the recordings.
pub(crate) struct Replay<'a> {
    /// Recordings.
    pub(crate) files: &'a [PathBuf],
    /// Folder of the pictures; without it they are drawn and thrown away.
    pub(crate) output: Option<&'a Path>,
    /// Use the validation layer.
    pub(crate) validate: bool,
    /// How many at a time; 0 for as many as there are cores.
    pub(crate) jobs: usize,
    /// Where figures go, as JSON.
    pub(crate) stats: Option<&'a Path>,
    /// Where a capture of what is drawn goes; then there is one recording.
    pub(crate) capture: Option<&'a Path>,
}

/// Whether the file is a recording of NV2A work, by its first bytes.
pub(crate) fn is_recording(path: &Path) -> bool {
    let mut start = Vec::new();
    File::open(path).and_then(|file| io::Read::read_to_end(&mut io::Read::take(file, 4096), &mut start)).is_ok()
        && Reader::knows(&start)
}

/// What became of one recording.
#[derive(Default)]
pub(crate) struct Outcome {
    /// Pictures that were drawn.
    pub(crate) pictures: usize,
    /// What went wrong.
    pub(crate) failures: Vec<Why>,
    /// The renderer's figures, as JSON.
    stats: String,
}

/// A renderer on a thread of its own.
pub(crate) struct Rendering(JoinHandle<Rendered>);

/// What a renderer has to say at its end.
struct Rendered {
    messages: u64,
    unwritten: u64,
    stats: String,
}

impl Rendering {
    /// Starts it; the link is what a guest writes to.
    pub(crate) fn start(mut renderer: Renderer) -> Result<(InProcessLink, Self), Why> {
        let slots = Box::new(renderer.slot_factory());
        let (link, mut receiver) = in_process::pair(ArenaConfig::from_env(), renderer.device_info(), slots);
        let thread = thread::Builder::new().name("render".into()).spawn(move || {
            in_process::serve(&mut receiver, &mut renderer);
            let (unwritten, messages) = (renderer.finish_files(), renderer.validation_messages());
            Rendered { messages, unwritten, stats: renderer.stats_json() }
        });
        Ok((link, Self(thread.map_err(Why::Thread)?)))
    }

    /// Waits for its end, which comes when the link is gone.
    pub(crate) fn finish(self, outcome: &mut Outcome) {
        match self.0.join() {
            Ok(Rendered { messages, unwritten, stats }) => {
                outcome.stats = stats;
                if unwritten > 0 {
                    outcome.failures.push(Why::Unwritten(unwritten));
                }
                if messages > 0 {
                    outcome.failures.push(Why::Validation(messages));
                }
            }
            Err(_) => outcome.failures.push(Why::Panic),
        }
    }
}

/// Draws the recordings. One that fails does not stop the others.
pub(crate) fn replay(args: &Replay<'_>) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let gpu = Gpu::open(&options(args)).map_err(|error| Failure::new(error.to_string()))?;
    let workers = pool::workers(args.jobs, args.files.len());
    let bar = pool::bar(args.files.len(), args.files.len() > 1);
    let next = AtomicUsize::new(0);
    let (mut code, mut pictures, mut failed) = (Code::Done, 0, 0);
    let mut stats = Vec::new();
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..workers {
            let (sender, next, gpu, bar) = (sender.clone(), &next, &gpu, &bar);
            scope.spawn(move || {
                while let Some((index, file)) = pool::take(next, args.files) {
                    bar.set_message(name(file));
                    let drawn = catch_unwind(AssertUnwindSafe(|| draw(args, gpu, file)));
                    let broken = |_| Outcome { failures: vec![Why::Panic], ..Outcome::default() };
                    if sender.send((index, drawn.unwrap_or_else(broken))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        // In the order of the files, whatever the order in which they are done.
        let mut waiting = HashMap::new();
        let mut index = 0;
        for (done, outcome) in receiver {
            bar.inc(1);
            waiting.insert(done, outcome);
            while let Some(Outcome { pictures: more, failures, stats: figures }) = waiting.remove(&index) {
                if !figures.is_empty() {
                    stats.push(figures);
                }
                pictures += more;
                failed += usize::from(!failures.is_empty());
                for why in failures {
                    code = code.max(why.code());
                    bar.suspend(|| crate::complain(&format!("{}: {why}", args.files[index].display())));
                }
                index += 1;
            }
        }
    });
    bar.finish_and_clear();
    if let Some(capture) = args.capture.filter(|_| code != Code::Done) {
        // There may be none: what could not be completed is not left.
        let _gone = fs::remove_file(afterimage_output::part_of(capture));
    }
    let stats = format!("[{}]\n", stats.join(",").trim_end());
    match args.stats {
        Some(path) if path.as_os_str() == "-" => {
            crate::say(&stats);
            return Ok(ExitCode::from(code as u8));
        }
        Some(path) => crate::outputs::write(path, &stats)?,
        None => {}
    }
    let place = args.output.map_or_else(String::new, |folder| format!(" in {}", folder.display()));
    let failed = if failed == 0 { String::new() } else { format!(", {failed} recordings failed") };
    let (recordings, seconds) = (args.files.len(), start.elapsed().as_secs_f32());
    crate::say(&format!("{recordings} recordings, {pictures} pictures{place}{failed}; {seconds:.1} s\n"));
    Ok(ExitCode::from(code as u8))
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn options(args: &Replay<'_>) -> Options {
    let mut options = crate::own_process::options();
    options.validate |= args.validate;
    // Replaying is not what the settings of a program's run were meant for.
    options.wishes.screenshots = None;
    options.wishes.capture_frames = args.capture.map(|_| FrameSet::all());
    options.wishes.capture_file = args.capture.map(Path::to_owned);
    // There are hundreds of recordings of a frame or two.
    options.remember = false;
    options
}

/// Draws one recording with a renderer of its own.
fn draw(args: &Replay<'_>, gpu: &Arc<Gpu>, file: &Path) -> Outcome {
    let mut outcome = Outcome::default();
    let drawn = if gnm::is_recording(file) {
        gnm::draw_into(args, gpu, options(args), file, &mut outcome)
    } else {
        draw_into(args, gpu, file, &mut outcome)
    };
    if let Err(why) = drawn {
        outcome.failures.push(why);
    }
    outcome
}

fn draw_into(args: &Replay<'_>, gpu: &Arc<Gpu>, file: &Path, outcome: &mut Outcome) -> Result<(), Why> {
    let mut player = Player::new(Reader::open(file)?);
    let renderer = Renderer::on(Arc::clone(gpu), options(args))?;
    let (link, rendering) = Rendering::start(renderer)?;
    let mut translator = Translator::new(Box::new(link), &name(file));
    let played = loop {
        match player.step(&mut translator) {
            Ok(None) => break Ok(()),
            Err(error) => break Err(error.into()),
            Ok(Some(Event::Fault(error))) => outcome.failures.push(Why::Pusher(error)),
            Ok(Some(Event::Frame(frame))) => match save(args, &frame, &player) {
                Ok(()) => outcome.pictures += 1,
                Err(why) => outcome.failures.push(why),
            },
            Ok(Some(Event::Ran(_) | Event::Software { .. })) => {}
        }
    };
    // Ends the render thread.
    drop(translator);
    rendering.finish(outcome);
    played
}

fn save(args: &Replay<'_>, frame: &Frame, player: &Player) -> Result<(), Why> {
    let path = frame.path();
    let picture = frame.picture(&player.memory).map_err(|error| Why::Picture { path: path.clone(), error })?;
    let Some(folder) = args.output else { return Ok(()) };
    let path = folder.join(path);
    write_png(&path, [picture.width, picture.height], &picture.rgba).map_err(|error| Why::Write { path, error })
}

/// Writes a picture, four bytes a pixel from red to alpha, and the folders that it is in.
pub(crate) fn write_png(path: &Path, size: [u32; 2], rgba: &[u8]) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    afterimage_output::png(path, size, Channels::Rgba, rgba)
}
