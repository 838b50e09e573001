//! `afterimage inspect`: what is in a capture, or in a recording of a console's command buffers.

mod formats;
mod mesh;
mod textures;
mod views;

use crate::{Failure, nv2a};
use afterimage_capture::CaptureError;
use afterimage_inspect::terms::Term;
use afterimage_inspect::{Call, CallSet, Capture};
use clap::Parser;
use formats::FormName;
use serde_json::{Value, json};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Show what a capture holds, or a recording of an Xbox's (NV2A) or a PlayStation 4's (GNM) graphics
/// work.
///
/// Of captures (.aftercap), FILE is followed by what is to be shown:
///   calls      what is done, one call a line (the default); with --call, what it reads and
///              writes, too
///   state      the state in which a call is done, in the names of the host and of the guest
///   changes    what is another in the state than at the call before, in the same names
///   resources  buffers, textures and all other objects, with who reads and writes them
///   textures   textures, or those of a call; with --export, what they hold as PNG and DDS files
///   shaders    shaders; with --shader the code of one, in the form that --as says
///   vertices   vertices of a draw, as its vertex shader reads them; with --as, as CSV or OBJ
/// Calls are the packets that do something, numbered from 0. Sets of calls are as apitrace's:
/// 12,3-7,100-*/draw,*/10,frame or @FILE with one set a line.
///
/// With --export the capture is replayed. A texture of a call is as it is behind the call, any other
/// as it is at its end or the capture's. Each level, layer, face and slice has a PNG file, as people
/// look at it; a texture has a DDS file of all of them, exact to the bit, where DXGI has its format.
///
/// With --json, calls, changes, resources, textures and shaders are arrays, all else is an object. A
/// call has `call`, `frame`, `in_frame`, `kind`, `packet`, `fields`; alone also `before` (packets),
/// `reads`, `writes`. A state has `host` and `constants` (by path), and `guest`: a list of `group`,
/// `name`, `value`, `note`, `host`. Changes have `call`, `changes` (`field`, `before`, `after`) and
/// `guest` (`group`, `name`, `before`, `after`). What is exported has `id`, `name`, `call` (behind
/// which it was read), `description`, `files`, `why` (not all). What is not there is null.
///
/// Of recordings (.kcap, .gcap, also with .gz) it shows the records, and the command buffers by name.
/// A line of an NV2A push buffer is: address, subchannel, class, offset, method, arguments; words of
/// one method stand on one line, and uploaded vertex programs are disassembled. Of GNM work, packets
/// are shown with the fields of the registers that they write, draws with the code of programs that
/// were not seen before, and the descriptors that they read.
///
/// Of a shader file of the PlayStation 4 (.sb) it shows what its header and footer say, slots and
/// attributes by name, where they and the code say different things, and the code.
///
/// Colours go away in a pipe, or with NO_COLOR=1. Through a pager with colours:
/// CLICOLOR_FORCE=1 afterimage inspect FILE | less -R
///
/// Examples:
///   afterimage inspect scene.aftercap
///   afterimage inspect scene.aftercap --frame 12 --calls draw
///   afterimage inspect scene.aftercap state --call 1742
///   afterimage inspect scene.aftercap shaders --shader 3f0c --as msl
///   afterimage inspect scene.aftercap shaders --call 1742 --as all
///   afterimage inspect scene.aftercap vertices --call 1742 --json
///   afterimage inspect scene.aftercap vertices --call 1742 --as obj > draw.obj
///   afterimage inspect scene.aftercap textures --call 1742 --export textures
///   afterimage inspect scene.aftercap changes --calls draw --json | jq '.[] | {call, guest}'
///   afterimage inspect scene.aftercap resources --json | jq '.[] | select(.writes == null) | .description'
///   afterimage inspect scene.kcap.gz --draws
///   afterimage inspect scene.kcap.gz --exec 31 --raw
///   afterimage inspect scene.gcap --method DB_DEPTH_CONTROL --method DRAW_INDEX
#[derive(Debug, Parser)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    #[command(flatten)]
    recordings: nv2a::InspectArgs,
    /// Of captures: this call.
    #[arg(long, value_name = "N", help_heading = "Options of captures")]
    call: Option<u64>,
    /// Of captures: the calls of this frame, numbered as the program numbered it.
    #[arg(long, value_name = "N", conflicts_with = "call", help_heading = "Options of captures")]
    frame: Option<u64>,
    /// Of captures: the calls of this set.
    #[arg(long, value_name = "SET", conflicts_with = "call", help_heading = "Options of captures")]
    calls: Option<CallSet>,
    /// The code of this shader: its id (Shader#3 or 3), or its hash or the beginning of it.
    #[arg(long, value_name = "ID|HASH", help_heading = "Options of captures")]
    shader: Option<String>,
    /// The form of that code, the guest's if nothing is said; or the form of vertices.
    #[arg(
        long = "as",
        value_name = "FORM",
        value_enum,
        conflicts_with = "export",
        help_heading = "Options of captures"
    )]
    form: Option<FormName>,
    /// How many vertices are shown. [default: 100, as CSV and OBJ 200000]
    #[arg(long, value_name = "N", help_heading = "Options of captures")]
    most: Option<usize>,
    /// Write textures into this folder, which is made.
    #[arg(long, value_name = "DIR", help_heading = "Options of captures")]
    export: Option<PathBuf>,
    /// Write JSON.
    #[arg(long, help_heading = "Options of captures")]
    json: bool,
}

/// What is shown of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Calls,
    State,
    Changes,
    Resources,
    Textures,
    Shaders,
    Vertices,
}

impl View {
    const ALL: [(&'static str, Self); 7] = [
        ("calls", Self::Calls),
        ("state", Self::State),
        ("changes", Self::Changes),
        ("resources", Self::Resources),
        ("textures", Self::Textures),
        ("shaders", Self::Shaders),
        ("vertices", Self::Vertices),
    ];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, view)| *view == self).map_or("", |(name, _)| name)
    }

    /// By the arguments behind the file.
    fn of(arguments: &[PathBuf]) -> Result<Self, Failure> {
        let [argument] = arguments else {
            return if arguments.is_empty() { Ok(Self::Calls) } else { Err(Failure::new("one view at a time")) };
        };
        let found = Self::ALL.iter().find(|(name, _)| argument.as_os_str() == *name);
        found.map(|(_, view)| *view).ok_or_else(|| {
            let names = Self::ALL.map(|(name, _)| name).join(", ");
            Failure::new(format!("{}: what is shown of a capture is one of {names}", argument.display()))
        })
    }
}

/// Whether a file is a capture, or the rest of one: anything else is for the readers of recordings to find fault with.
pub(crate) fn is_capture(path: &Path) -> bool {
    !matches!(afterimage_capture::Reader::open(path), Err(CaptureError::Magic | CaptureError::Io { .. }))
}

/// Opens a capture.
pub(crate) fn open(path: &Path) -> Result<Capture, Failure> {
    Capture::open(path).map_err(|error| Failure::capture(path, &error))
}

/// Says what is wrong with a file of which everything else was shown.
pub(crate) fn damaged(path: &Path, capture: &Capture) -> Result<(), Failure> {
    match capture.damage() {
        None => Ok(()),
        Some(damage) => Err(Failure::new(format!("{}: {damage}\nwhat could be read is shown", path.display()))),
    }
}

/// A reader such as `head` has seen enough.
pub(crate) fn is_over(error: &io::Error) -> bool {
    error.kind() == ErrorKind::BrokenPipe
}

/// Writes to standard output what was asked for.
pub(crate) fn inspect(args: &Args) -> Result<ExitCode, Failure> {
    let (file, rest) = args.recordings.files.split_first().ok_or_else(|| Failure::new("no file"))?;
    if crate::shader::is_console_file(file) {
        let text = crate::shader::console_file(file)?;
        return match io::stdout().lock().write_all(text.as_bytes()) {
            Err(error) if !is_over(&error) => Err(Failure::new(format!("writing: {error}"))),
            _ => Ok(ExitCode::SUCCESS),
        };
    }
    if !is_capture(file) {
        if View::of(rest).is_ok() && !nv2a::is_recording(file) && !crate::gnm::is_recording(file) {
            open(file)?;
        }
        let others = [
            ("--call", args.call.is_some()),
            ("--frame", args.frame.is_some()),
            ("--calls", args.calls.is_some()),
            ("--shader", args.shader.is_some()),
            ("--as", args.form.is_some()),
            ("--export", args.export.is_some()),
            ("--json", args.json),
        ];
        if let Some((name, _)) = others.iter().find(|(_, given)| *given) {
            return Err(Failure::new(format!(
                "{}: {name} is for captures (.aftercap), and this is none",
                file.display()
            )));
        }
        return nv2a::inspect(&args.recordings);
    }
    let view = View::of(rest)?;
    args.fits(view)?;
    let capture = open(file)?;
    let calls = args.selected(&capture)?;
    let shown = views::Shown { args, capture: &capture, calls: &calls };
    let written = match view {
        View::Calls => shown.calls(),
        View::State => shown.state(),
        View::Changes => shown.changes(),
        View::Resources => shown.resources(),
        View::Textures => match &args.export {
            Some(folder) => textures::export(&shown, file, folder),
            None => shown.textures(),
        },
        View::Shaders => shown.shaders(),
        View::Vertices => shown.vertices(),
    }?;
    let mut out = io::stdout().lock();
    match out.write_all(written.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if is_over(&error) => Ok(ExitCode::SUCCESS),
        Err(error) => Err(Failure::new(format!("writing: {error}"))),
        Ok(()) => damaged(file, &capture).map(|()| ExitCode::SUCCESS),
    }
}

impl Args {
    /// Whether something is drawn.
    pub(crate) fn draws(&self) -> bool {
        self.export.is_some()
    }

    /// Whether the options are for what is shown.
    fn fits(&self, view: View) -> Result<(), Failure> {
        if self.export.is_some() && view != View::Textures {
            let name = view.name();
            return Err(Failure::new(format!(
                "--export writes textures, not {name}: inspect FILE textures --export DIR"
            )));
        }
        self.form.map_or(Ok(()), |form| form.fits(view))
    }

    /// The calls that are asked for: all, if nothing says which.
    fn selected<'a>(&self, capture: &'a Capture) -> Result<Vec<&'a Call>, Failure> {
        let calls = capture.calls();
        if let Some(number) = self.call {
            let last = calls.len().checked_sub(1);
            let has = last.map_or_else(|| "no calls".into(), |last| format!("calls 0 to {last}"));
            let missing = || Failure::new(format!("there is no call {number}: the capture has {has}"));
            return Ok(vec![capture.call(number).ok_or_else(missing)?]);
        }
        if let Some(number) = self.frame
            && capture.frame(number).is_none()
        {
            let has = match capture.frames() {
                [] => "no frames".into(),
                [only] => format!("frame {}", only.number),
                [first, .., last] => format!("frames {} to {}", first.number, last.number),
            };
            return Err(Failure::new(format!("there is no frame {number}: the capture has {has}")));
        }
        let in_frame = |call: &&Call| self.frame.is_none_or(|frame| call.frame == frame);
        let in_set = |call: &&Call| self.calls.as_ref().is_none_or(|set| set.contains(call));
        Ok(calls.iter().filter(in_frame).filter(in_set).collect())
    }
}

pub(crate) fn term_json(term: &Term) -> Value {
    json!({
        "group": &*term.group, "name": &*term.name, "value": term.value, "note": &*term.note, "host": &*term.host,
    })
}
