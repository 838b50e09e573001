//! A renderer process: draws for the viewer what strangers send, watched and in a sandbox. It may crash, hang or be killed.

#[cfg_attr(target_os = "macos", path = "foreign_macos.rs")]
mod foreign;
mod hold;
mod orders;
mod program;
mod stepper;
mod windows;

use crate::dump;
use crate::graphics::{Device, may_be_confined};
use crate::protocol::{self, Order, Report, Task};
use crate::source::{Source, unwritten};
use afterimage_config::settings;
use afterimage_ipc::shared::Channel;
use afterimage_output::folder_of;
use afterimage_process::ending::HUNG;
use afterimage_process::sandbox::{self, Access, Outcome};
use afterimage_process::socket::Socket;
use afterimage_process::supervise;
use afterimage_vulkan::{Options, OwnProcess};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;

/// The capture that an order names or brings.
fn source(path: Option<PathBuf>, file: Option<OwnedFd>) -> io::Result<Source> {
    match path {
        Some(path) => Ok(Source::File(path)),
        None => Ok(Source::Bytes(protocol::capture(file)?.into())),
    }
}

/// The process's work, from its first order to its end.
pub(crate) fn run(options: Options) -> Result<(), String> {
    let input = io::stdin().as_fd().try_clone_to_owned().map_err(|error| error.to_string())?;
    let socket = Arc::new(Socket::from(input));
    let done = begin(&socket, options);
    if let Err(why) = &done {
        // The viewer says it.
        let _gone = protocol::send(&socket, &Report::Failed(why.clone()), None);
    }
    done
}

fn begin(socket: &Arc<Socket>, mut options: Options) -> Result<(), String> {
    let words = |error: io::Error| error.to_string();
    let Some((order, file)) = protocol::receive::<Order>(socket).map_err(words)? else { return Ok(()) };
    let Order::Begin { task, read, mut write } = order else {
        return Err(format!(
            "the first order is {order:?}: this option is the viewer's own, for its renderer processes"
        ));
    };
    options.own_process = Some(own_process(socket).map_err(|error| format!("opening the journal: {error}"))?);
    write.extend(written(&options));
    write.push(std::env::temp_dir());
    let display = matches!(task, Task::Programs { foreign, windows } if foreign || windows);
    let access = Access { read, write, cache: options.cache_dir.clone(), display };
    // Before there is a second thread.
    confine(|| sandbox::confine_paths(&access));
    match task {
        Task::Programs { foreign, windows } => {
            let display = if display { foreign::Display::open() } else { None };
            // Held for as long as the process lives, and there before the first program.
            let device = Device::open(&options)?;
            confine(|| sandbox::confine_calls(&access));
            protocol::send(socket, &Report::Ready, None).map_err(words)?;
            let windows = windows::Windows::new(socket, display, foreign, windows);
            serve(socket, &device, &options, &windows).map_err(words)
        }
        Task::Step { file: path } => {
            let source = source(path, file).map_err(words)?;
            let device = Device::open(&options)?;
            confine(|| sandbox::confine_calls(&access));
            let stepper = device.stepper(unwritten(&options), &source)?;
            device.around(|| stepper::run(socket, stepper)).map_err(words)
        }
        Task::Dump { file: path, folder, program, number, calls } => {
            let source = source(path, file).map_err(words)?;
            let device = Device::open(&options);
            confine(|| sandbox::confine_calls(&access));
            let path = dump::dump_to(&folder, &dump::Frame { program, number, source, calls }, device, &options)?;
            protocol::send(socket, &Report::Dumped(path), None).map_err(words)
        }
    }
}

/// Gives every program that comes a thread, until the viewer is gone or the last program is.
fn serve(socket: &Arc<Socket>, device: &Device, options: &Options, windows: &Arc<windows::Windows>) -> io::Result<()> {
    let mut programs = program::Programs::default();
    while let Some((order, file)) = protocol::receive::<Order>(socket)? {
        match order {
            Order::Serve { number } => {
                let channel = file.map(File::from).map(Channel::attach).transpose();
                let link = program::Link { number, socket: Arc::clone(socket), windows: Arc::clone(windows) };
                match channel {
                    Ok(Some(channel)) => programs.serve(channel, link, device.clone(), options)?,
                    Ok(None) => link.left(Some("its shared file did not come".into()), 0),
                    Err(error) => link.left(Some(format!("its shared file: {error}")), 0),
                }
            }
            Order::Request { number, request } => programs.request(number, request),
            Order::Window { number, target, window } => windows.opened(number, target, window),
            Order::Begin { .. } | Order::Pictures { .. } | Order::Times(_) => {
                tracing::error!("an order that is not for a renderer of programs: {order:?}");
            }
        }
    }
    // The viewer is gone: its programs wait for the next one, and find it when this process is gone.
    signal_hook::low_level::exit(0);
}

/// What the renderers of this process write into, and who is told of what hangs.
fn own_process(socket: &Arc<Socket>) -> io::Result<OwnProcess> {
    let journal = supervise::given()?;
    let socket = Arc::clone(socket);
    let gpu_timeout = OwnProcess::timeout_of(settings());
    let on_hang = Arc::new(move |hang: &afterimage_vulkan::Hang| {
        let _gone = protocol::send(&socket, &Report::Hung(hang.to_string()), None);
        afterimage_log::finish();
        signal_hook::low_level::exit(i32::from(HUNG));
    });
    // The calls are given up below, where the device is there for all programs.
    Ok(OwnProcess { journal, gpu_timeout, opened: None, on_hang })
}

/// Enters a part of the sandbox, if that is wanted.
fn confine(enter: impl FnOnce() -> Outcome) {
    if settings().sandbox && may_be_confined() {
        enter().log();
    }
}

/// The folders that a renderer of these options writes into.
fn written(options: &Options) -> Vec<PathBuf> {
    let wishes = &options.wishes;
    let files = wishes.stats.iter().chain(&wishes.hud_log).chain(&wishes.capture_file);
    let files = files.map(|file| folder_of(file).to_owned());
    let folders: Vec<PathBuf> = wishes.screenshots.iter().cloned().chain(files).collect();
    for folder in &folders {
        // What cannot be made is told when something is to be written there.
        let _made = std::fs::create_dir_all(folder);
    }
    folders
}
