//! The live viewer: receives the command streams of programs over shared memory, draws them, and shows the pictures.
#![deny(unsafe_code)]

mod control;
mod dump;
mod graphics;
mod inspector;
mod keep;
mod painter;
mod program;
mod protocol;
mod render;
mod renderer;
mod server;
mod session;
mod shell;
mod source;
mod window;

use afterimage_config::settings;
use afterimage_log::{Log, Writer};
use afterimage_manual::Shell;
use afterimage_vulkan::{FrameSet, Options};
use clap::{CommandFactory, Parser};
use renderer::Start;
use server::{Server, Until};
use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Shows what programs draw that run with Afterimage, and what is in captures.
///
/// Programs find the viewer through a private directory ($AFTERIMAGE_DIR, else
/// $XDG_RUNTIME_DIR/afterimage, else ~/.local/state/afterimage/run); it may start before or after
/// them. A Windows program under Wine is drawn into its own window; where that cannot be, and with
/// --own-windows, and for every other program, the viewer opens one. Besides, the viewer has a window
/// of its own with the pictures of every program and all that is known of a paused frame or of a
/// capture; not with --headless, --once, --until-input-closes and --on-demand, but always with --shell
/// and with captures.
///
/// Keys:
///   Space             pause the program, or go on (it waits: nothing is taken from it)
///   N                 step one frame
///   Down, Up          step one call of a paused frame or capture (PageDown, PageUp: ten; Home, End: all)
///   1 to 8            what is shown of a call; / looks for calls, F for lines
///   D                 dump the frame into the session's folder: draws as text, textures raw and as PNG
///   F10               capture the next frame, or keep the paused one, as NAME-1.aftercap
///   F12               save a picture as NAME-frame-NNNNNN.png
///   F11               full screen
///   O                 show or hide figures in the program's window
///   Tab               the next program or capture      W  close a capture, or a program that has ended
///   F1, H             help                             Ctrl+Q  end the viewer
/// In a program's window that the viewer opened, Esc and Q disconnect the program (it goes on and
/// waits for another viewer). In a program's own window F10 and F12 work as well, and the program gets
/// them, too; all other keys are the program's.
///
/// Examples:
///   afterimage-viewer
///   afterimage-viewer --own-windows
///   afterimage-viewer scene.aftercap
///   afterimage-viewer --headless -o pictures --frames 1,10-20 --once
#[derive(Debug, Parser)]
#[command(version, verbatim_doc_comment)]
struct Args {
    /// Captures to open.
    #[arg(value_name = "FILE", conflicts_with = "headless")]
    captures: Vec<PathBuf>,
    /// Open the viewer's own window, too.
    #[arg(long, conflicts_with = "headless")]
    shell: bool,
    /// Show no windows.
    #[arg(long)]
    headless: bool,
    /// Show every program in a window of the viewer, also where the program has one. [default: AFTERIMAGE_OWN_WINDOWS=1]
    #[arg(long)]
    own_windows: bool,
    /// Write presented pictures into this folder, as frame-000001.png and so on. [default: AFTERIMAGE_SCREENSHOTS]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Which pictures to write: frame numbers such as 1,5,10-20. [default: every one]
    #[arg(long, value_name = "FRAMES", value_parser = frames)]
    frames: Option<FrameSet>,
    /// End when the last program has disconnected.
    #[arg(long)]
    once: bool,
    /// End when standard input is closed and no program is connected: for programs that start a viewer.
    #[arg(long)]
    until_input_closes: bool,
    /// End when the last program has disconnected, or none has come for a minute: for libraries that start a viewer by need.
    #[arg(long, conflicts_with_all = ["once", "until_input_closes"])]
    on_demand: bool,
    /// Use Vulkan's validation layer.
    #[arg(long)]
    validate: bool,
    /// The directory to serve.
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Be one of the viewer's renderer processes, whose orders come on standard input.
    #[arg(long, hide = true)]
    renderer: bool,
    /// Print the manual page.
    #[arg(long, hide = true, exclusive = true)]
    manual: bool,
    /// Print completions for a shell.
    #[arg(long, hide = true, exclusive = true)]
    completions: Option<Shell>,
}

impl Args {
    /// What whoever makes a package asks for, instead of the viewer.
    fn of_packages(&self) -> Option<Vec<u8>> {
        if self.manual {
            let pages = afterimage_manual::pages(Self::command()).unwrap_or_default();
            return Some(pages.into_iter().flat_map(|page| page.text).collect());
        }
        self.completions.map(|shell| afterimage_manual::completions(Self::command(), shell))
    }

    /// What renderer processes are told on their command line: how to draw.
    fn of_renderers(&self) -> Vec<OsString> {
        let mut arguments = Vec::new();
        if let Some(output) = &self.output {
            arguments.extend(["-o".into(), output.clone().into()]);
        }
        if let Some(frames) = &self.frames {
            arguments.extend(["--frames".into(), frames.to_string().into()]);
        }
        arguments.extend(self.validate.then(|| "--validate".into()));
        arguments
    }

    /// How to draw.
    fn options(&self) -> Options {
        let mut options = Options::from_env();
        options.validate |= self.validate;
        if self.output.is_some() {
            options.wishes.screenshots.clone_from(&self.output);
        }
        if self.frames.is_some() {
            options.wishes.screenshot_frames.clone_from(&self.frames);
        }
        options
    }
}

fn frames(text: &str) -> Result<FrameSet, String> {
    FrameSet::parse(text).ok_or_else(|| "expected frame numbers such as 1,5,10-20".into())
}

/// How long a viewer that was started by need waits for its first program.
const UNUSED: Duration = Duration::from_secs(60);

/// Exit code where a file could not be written.
const UNWRITTEN: i32 = 3;

fn main() -> ! {
    let args = Args::parse();
    if let Some(text) = args.of_packages() {
        let printed = std::io::stdout().write_all(&text).and_then(|()| std::io::stdout().flush());
        std::process::exit(printed.map_or(UNWRITTEN, |()| 0));
    }
    let seen = Writer::new(std::io::stderr(), std::io::stderr().is_terminal());
    let kept = Writer::new(session::Log, false);
    tracing_subscriber::registry()
        .with(afterimage_log::filter(settings(), "winit=error"))
        .with(Log::new(vec![seen, kept]).of_process())
        .init();
    if !args.renderer {
        afterimage_log::tell(settings());
        tracing::info!("afterimage-viewer {}, configuration:\n{}", env!("CARGO_PKG_VERSION"), settings());
    }
    let done = if args.renderer { render::run(args.options()) } else { run(&args) };
    afterimage_log::finish();
    let status = match done {
        Ok(()) if keep::unwritten() > 0 => {
            eprintln!("afterimage-viewer: {} files could not be written, see above", keep::unwritten());
            UNWRITTEN
        }
        Ok(()) => 0,
        Err(error) => {
            eprintln!("afterimage-viewer: {error}");
            1
        }
    };
    // Captures may still be replayed, which nobody waits for: the driver must not be taken down under them, as `exit` does.
    let _unread = std::io::stdout().flush();
    signal_hook::low_level::exit(status)
}

fn run(args: &Args) -> Result<(), String> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        // A second one ends the viewer at once.
        signal_hook::flag::register_conditional_shutdown(signal, 1, Arc::clone(&stop))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)))
            .map_err(|error| format!("catching signals: {error}"))?;
    }
    let until = if args.until_input_closes {
        Until::InputCloses(input_closed())
    } else if args.on_demand {
        Until::Unused(UNUSED)
    } else if args.once {
        Until::LastProgram
    } else {
        Until::Stopped
    };
    // By a program, which wants to be drawn, seen or not.
    let started = args.until_input_closes || args.on_demand;
    let mut display = None;
    let no_library = || !args.headless && !afterimage_window::missing().is_empty();
    if !args.headless {
        match window::Display::open() {
            Ok(opened) => display = Some(opened),
            // Where only libraries are missing, the program may have a window of its own.
            Err(error) if started || no_library() => {
                tracing::warn!("no window can be shown: {error}; going on without");
            }
            Err(error) => return Err(format!("no window can be shown: {error}; use --headless -o DIR for pictures")),
        }
    }
    let own_windows = args.own_windows || settings().own_windows;
    let foreign = (display.is_some() || no_library()) && !own_windows;
    let by_hand = !args.once && !started;
    let start = Start::new(args.of_renderers());
    let shell = (by_hand || args.shell || !args.captures.is_empty()).then(|| (args.options(), start.clone()));
    let mut server = Server::new(args.directory.as_deref(), start, foreign, until, stop)?;
    server.prepare(display.is_some())?;
    say(&format!("waiting for programs in {}", server.directory().display()));
    match display {
        None => server.run(&program::Notify::default()),
        Some(display) => display.run(server, shell, args.captures.clone()),
    }
}

/// Writes a line to standard output, read or not.
pub(crate) fn say(line: &str) {
    let _unread = writeln!(std::io::stdout(), "{line}");
}

/// A flag that is set when standard input has come to its end.
fn input_closed() -> Arc<AtomicBool> {
    let closed = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&closed);
    std::thread::spawn(move || {
        let mut buffer = [0; 256];
        while std::io::stdin().read(&mut buffer).is_ok_and(|count| count > 0) {}
        flag.store(true, Ordering::SeqCst);
    });
    closed
}
