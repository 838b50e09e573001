//! `afterimage replay` and `afterimage dump`: what is in a capture.

use crate::{Failure, gnm, nv2a};
use afterimage_capture::{Reader, dump};
use afterimage_stream::Packet;
use afterimage_vulkan::{FrameSet, Options, Renderer, ReplayError};
use clap::Parser;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Draw what captures of programs, or recordings of a console's command buffers, hold.
///
/// Pictures are written as frame-000100.png and so on, numbered as the program numbered its frames. A damaged capture is
/// drawn up to the damage. AFTERIMAGE_FLOAT_RULES=auto|strict|balanced|relaxed says how closely shaders follow Direct3D 9's
/// float rules, as for `afterimage run`.
///
/// Of recordings of an Xbox (.kcap, .kcap.gz), every picture that the program saved is written as
/// DIR/SUITE/NAME.png, in the console's colours; many are drawn in one go.
///
/// Of recordings of GNM work (.gcap, .gcap.gz), every buffer that was shown is written as DIR/NAME.png, and memory that the
/// recording asks for, as the GPU left it, as DIR/NAME.bin. A packet that cannot be done is told with its queue and address,
/// and skipped.
///
/// Examples:
///   afterimage replay scene.aftercap -o pictures
///   afterimage replay scene.aftercap -o pictures --frames 101 --validate
///   afterimage replay scene.aftercap --stats -
///   afterimage replay recordings/*.kcap.gz -o pictures
///   afterimage replay scene.gcap -o out
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
    /// Write figures about the replay, as JSON, into this file; - is standard output. Of recordings it is a list, one entry each.
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// Use Vulkan's validation layer; its messages make the command fail.
    #[arg(long)]
    validate: bool,
    /// How many recordings are drawn at a time. [default: as many as there are cores]
    #[arg(short, long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    jobs: usize,
}

fn frames(text: &str) -> Result<FrameSet, String> {
    FrameSet::parse(text).ok_or_else(|| "expected frame numbers such as 100,105-110".into())
}

/// Draws the capture, or the recordings.
pub(crate) fn replay(args: &Args) -> Result<ExitCode, Failure> {
    match &args.files[..] {
        [file] if !(nv2a::is_recording(file) || gnm::is_recording(file)) => {
            replay_capture(args, file).map(|()| ExitCode::SUCCESS)
        }
        files => {
            if args.frames.is_some() {
                return Err(Failure::new("--frames is for captures, and these are recordings"));
            }
            let (output, stats) = (args.output.as_deref(), args.stats.as_deref());
            nv2a::replay(&nv2a::Replay { files, output, validate: args.validate, jobs: args.jobs, stats })
        }
    }
}

fn replay_capture(args: &Args, file: &Path) -> Result<(), Failure> {
    let mut reader = open(file)?;
    let mut options = Options::from_env();
    options.validate |= args.validate;
    if args.output.is_some() {
        options.screenshots.clone_from(&args.output);
    }
    if args.frames.is_some() {
        options.screenshot_frames.clone_from(&args.frames);
    }
    let to_output = args.stats.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if args.stats.is_some() && !to_output {
        options.stats.clone_from(&args.stats);
    }
    // Replaying is not what the settings of a program's run were meant for.
    (options.capture_frames, options.capture_file) = (None, None);
    let output = options.screenshots.clone();
    let mut renderer = Renderer::new(options).map_err(|error| Failure::new(error.to_string()))?;
    let replayed = renderer.replay(&mut reader);
    let messages = renderer.validation_messages();
    if to_output {
        crate::say(&renderer.stats_json());
    }
    drop(renderer);
    let replayed = replayed.map_err(|error| match error {
        ReplayError::Capture(error) => Failure::new(format!("{}: {error}; what came before was drawn", file.display())),
        ReplayError::Renderer(error) => Failure::new(error.to_string()),
    })?;
    if !to_output {
        let pictures = output.map_or_else(String::new, |folder| format!(", pictures in {}", folder.display()));
        crate::say(&format!("{} frames, {} draws{pictures}\n", replayed.frames, replayed.draws));
    }
    if replayed.frames == 0 {
        return Err(Failure::new(format!("{} holds no whole frame", file.display())));
    }
    match (replayed.errors, messages) {
        (0, 0) => Ok(()),
        (0, messages) => Err(Failure::new(format!("the validation layer had {messages} messages, see above"))),
        (errors, _) => Err(Failure::new(format!("{errors} packets could not be executed, see above"))),
    }
}

fn open(path: &Path) -> Result<Reader<std::io::BufReader<std::fs::File>>, Failure> {
    Reader::open(path).map_err(|error| {
        let text = error.to_string();
        let name = path.display().to_string();
        Failure::new(if text.contains(&name) { text } else { format!("{name}: {text}") })
    })
}

/// What a capture holds, as text.
pub(crate) fn about(path: &Path) -> Result<String, Failure> {
    let mut reader = open(path)?;
    let (mut packets, mut draws, mut frames) = (0u64, 0u64, Vec::new());
    let damage = loop {
        match reader.next() {
            Ok(Some(batch)) => {
                for located in afterimage_stream::Reader::new(&batch.words).flatten() {
                    packets += 1;
                    match located.packet {
                        Packet::BeginFrame(body) => frames.push(body.frame),
                        Packet::Draw(_) | Packet::DrawIndexed(_) => draws += 1,
                        _ => {}
                    }
                }
            }
            Ok(None) => break "none".to_owned(),
            Err(error) => break error.to_string(),
        }
    };
    let info = reader.info();
    let span = match (frames.first(), frames.last()) {
        (Some(first), Some(last)) => format!("{} ({first} to {last})", frames.len()),
        _ => "none".into(),
    };
    Ok(format!(
        "program  {}\ndevice   {}\nbuild    {}\nframes   {span}\npackets  {packets}\ndraws    {draws}\ndamage   {damage}\n",
        info.program, info.device, info.build
    ))
}

/// Show the packets of a capture as text, one a line.
#[derive(Debug, Parser)]
pub(crate) struct DumpArgs {
    /// The capture.
    file: PathBuf,
}

/// Writes the packets to standard output.
pub(crate) fn dump_file(args: &DumpArgs) -> Result<(), Failure> {
    let mut reader = open(&args.file)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let dumped = dump(&mut reader, &mut out);
    let flushed = out.flush();
    match (dumped, flushed) {
        // `afterimage dump | head` has seen enough.
        (Err(afterimage_capture::CaptureError::Io { source, .. }), _) if source.kind() == ErrorKind::BrokenPipe => {
            Ok(())
        }
        (_, Err(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        (Err(error), _) => Err(Failure::new(format!("{}: {error}", args.file.display()))),
        (Ok(()), Err(error)) => Err(Failure::new(format!("writing: {error}"))),
        (Ok(()), Ok(())) => Ok(()),
    }
}
