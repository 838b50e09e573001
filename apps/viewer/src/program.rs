//! One program: a thread with a renderer of its own, so that nothing a program does stops another one.

use crate::foreign;
use crate::picture;
use crate::surface::{self, Handles};
use afterimage_ipc::Pump;
use afterimage_ipc::shared::Channel;
use afterimage_stream::ObjectId;
use afterimage_stream::packets::WindowKind;
use afterimage_vulkan::{Gpu, Options, Renderer};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a quiet program's thread sleeps at most before it looks whether it should end.
const LONGEST: Duration = Duration::from_millis(20);
/// How long the user interface may take to open a window.
const WINDOW: Duration = Duration::from_secs(10);

/// What the user interface is told.
pub(crate) enum Event {
    /// A program has connected.
    Connected(View),
    /// A program wants a window.
    Window {
        /// Number of the program.
        number: usize,
        /// Which of its windows.
        target: ObjectId,
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
        /// Where the answer goes.
        reply: Sender<Result<Handles, String>>,
    },
    /// A program is gone, and nothing uses its windows any more.
    Left(usize),
    /// The server has ended.
    Ended,
}

type Tell = dyn Fn(Event) + Send;

/// Tells the user interface, if there is one.
#[derive(Clone, Default)]
pub(crate) struct Notify(Option<Arc<Mutex<Tell>>>);

impl Notify {
    /// Calls `tell`, from any thread.
    pub(crate) fn new(tell: impl Fn(Event) + Send + 'static) -> Self {
        Self(Some(Arc::new(Mutex::new(tell))))
    }

    pub(crate) fn tell(&self, event: Event) {
        if let Some(tell) = &self.0 {
            tell.lock().unwrap_or_else(PoisonError::into_inner)(event);
        }
    }
}

/// What the user interface has of a program.
#[derive(Clone)]
pub(crate) struct View {
    /// Number of the program.
    pub(crate) number: usize,
    /// Its name.
    pub(crate) name: String,
    wishes: Arc<Wishes>,
}

/// What the user wants of a program's thread.
#[derive(Default)]
struct Wishes {
    stop: AtomicBool,
    capture: AtomicBool,
    picture: AtomicBool,
    /// Granted: the picture is written.
    saved: AtomicBool,
}

impl View {
    /// Disconnects the program.
    pub(crate) fn stop(&self) {
        self.wishes.stop.store(true, Ordering::SeqCst);
    }

    /// Captures the next frame.
    pub(crate) fn capture(&self) {
        self.wishes.capture.store(true, Ordering::SeqCst);
    }

    /// Saves the picture of the next frame.
    pub(crate) fn save_picture(&self) {
        self.wishes.picture.store(true, Ordering::SeqCst);
    }
}

/// What a thread is given to do.
struct Work {
    channel: Box<Channel>,
    number: usize,
    notify: Notify,
    foreign: Option<foreign::Display>,
    wishes: Arc<Wishes>,
}

/// A thread with an open device that waits for its program. Not a renderer yet: one that ends writes figures about a run.
pub(crate) struct Spare {
    work: Sender<Work>,
    thread: JoinHandle<()>,
}

impl Spare {
    /// Starts the thread and waits until its device is there.
    pub(crate) fn start(options: Options) -> Result<Self, String> {
        let (ready, readiness) = channel();
        let (work, works) = channel();
        let thread = std::thread::Builder::new()
            .name("render".into())
            .spawn(move || thread(&options, &ready, &works))
            .map_err(|error| format!("starting a thread: {error}"))?;
        match readiness.recv() {
            Ok(Ok(())) => Ok(Self { work, thread }),
            Ok(Err(error)) => Err(error),
            Err(_) => Err("the renderer's thread ended while it started".into()),
        }
    }

    /// Serves a program from now on.
    pub(crate) fn serve(
        self,
        channel: Box<Channel>,
        number: usize,
        notify: Notify,
        foreign: Option<foreign::Display>,
    ) -> Program {
        let wishes = Arc::new(Wishes::default());
        let view = View { number, name: channel.program().to_owned(), wishes: Arc::clone(&wishes) };
        notify.tell(Event::Connected(view.clone()));
        if self.work.send(Work { channel, number, notify, foreign, wishes }).is_err() {
            tracing::error!("the renderer's thread is gone");
        }
        Program { view, thread: self.thread }
    }
}

/// A program that is served.
pub(crate) struct Program {
    view: View,
    thread: JoinHandle<()>,
}

impl Program {
    pub(crate) fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    pub(crate) fn stop(&self) {
        self.view.stop();
    }

    pub(crate) fn join(self) {
        if self.thread.join().is_err() {
            eprintln!("afterimage-viewer: drawing {} ended in a panic; please report it", self.view.name);
        }
    }
}

fn thread(options: &Options, ready: &Sender<Result<(), String>>, works: &Receiver<Work>) {
    let mut gpu = match Gpu::common(options) {
        Ok(gpu) => gpu,
        Err(error) => {
            let _nobody_waits = ready.send(Err(error.to_string()));
            return;
        }
    };
    if ready.send(Ok(())).is_err() {
        return;
    }
    let Ok(mut work) = works.recv() else { return };
    if gpu.is_lost() {
        // Another program's end of it.
        match Gpu::common(options) {
            Ok(other) => gpu = other,
            Err(error) => eprintln!("afterimage-viewer: {error}"),
        }
    }
    match Renderer::on(gpu, options.clone()) {
        Ok(renderer) => serve(renderer, options, &mut work),
        Err(error) => eprintln!("afterimage-viewer: {error}"),
    }
    match work.channel.failure() {
        Some(failure) => eprintln!("afterimage-viewer: {}: {failure}", work.channel.program()),
        None => crate::say(&format!("{} disconnected", work.channel.program())),
    }
    // The renderer and its surfaces are gone: the windows may go too.
    work.notify.tell(Event::Left(work.number));
}

/// Draws what the program sends until it ends or the user has had enough.
fn serve(mut renderer: Renderer, options: &Options, work: &mut Work) {
    loop {
        if work.notify.0.is_some() {
            show_windows(&mut renderer, work);
        }
        work.channel.accept(&renderer.device_info());
        let mut pump = Pump::default();
        let mut open = true;
        while open && !work.wishes.stop.load(Ordering::SeqCst) && renderer.lost().is_none() {
            open = pump.step(&mut *work.channel, &mut renderer, LONGEST);
            grant(&mut renderer, work);
        }
        if let Err(error) = renderer.finish(&mut |_| {}) {
            tracing::warn!("{}: {error}", work.channel.program());
        }
        let Some(lost) = renderer.lost().filter(|_| open) else { break };
        eprintln!("afterimage-viewer: {}: {lost}; opening the device anew", work.channel.program());
        drop(renderer);
        // The program sends everything again to the new one.
        let other = Gpu::common(options).and_then(|gpu| Renderer::on(gpu, options.clone()));
        renderer = match other {
            Ok(renderer) => renderer,
            Err(error) => {
                eprintln!("afterimage-viewer: {error}");
                return;
            }
        };
    }
}

/// Gives the renderer the program's own windows where it can, and else asks the user interface for some.
fn show_windows(renderer: &mut Renderer, work: &Work) {
    let (notify, number, foreign) = (work.notify.clone(), work.number, work.foreign);
    let program = work.channel.program().to_owned();
    let mut said = false;
    renderer.set_surface_factory(Some(Box::new(move |target, instance| {
        if let Some(display) = foreign
            && target.window_kind == WindowKind::X11 as u32
        {
            match display.surface(target, instance) {
                Ok(surface) => return Some(Ok(surface)),
                Err(error) if !said => {
                    tracing::warn!("{program} is shown in a window of the viewer: {error} (said once)");
                    said = true;
                }
                Err(_) => {}
            }
        }
        let (reply, answer) = channel();
        let (width, height) = (target.width, target.height);
        notify.tell(Event::Window { number, target: target.id, width, height, reply });
        Some(match answer.recv_timeout(WINDOW) {
            Ok(Ok(handles)) => surface::make(instance, handles),
            Ok(Err(error)) => Err(error),
            Err(_) => Err("the user interface does not answer".into()),
        })
    })));
}

/// Does what the user has asked for.
fn grant(renderer: &mut Renderer, work: &Work) {
    if work.wishes.capture.swap(false, Ordering::SeqCst) {
        let path = capture_file(work.channel.program());
        eprintln!("capturing the next frame to {}", path.display());
        renderer.capture_next_frames(&path, 1);
    }
    if work.wishes.picture.swap(false, Ordering::SeqCst) {
        let (name, wishes) = (file_name(work.channel.program()), Arc::clone(&work.wishes));
        renderer.set_picture_sink(Some(Box::new(move |picture| {
            // Others may be on their way before the sink is taken away; only the first was asked for.
            if !wishes.saved.swap(true, Ordering::SeqCst) {
                let path = PathBuf::from(format!("{name}-frame-{:06}.png", picture.frame));
                match picture::write(&path, picture) {
                    Ok(()) => eprintln!("saved {}", path.display()),
                    Err(error) => eprintln!("afterimage-viewer: writing {}: {error}", path.display()),
                }
            }
        })));
    }
    // Reading pictures back costs time that nobody has to spend for nothing.
    if work.wishes.saved.load(Ordering::SeqCst) {
        renderer.set_picture_sink(None);
        work.wishes.saved.store(false, Ordering::SeqCst);
    }
}

/// A program's name as part of a file name.
fn file_name(program: &str) -> String {
    program.chars().map(|c| if c.is_alphanumeric() || ".-_".contains(c) { c } else { '_' }).collect()
}

/// Where a capture that the user asked for goes: a name that is not taken.
fn capture_file(program: &str) -> PathBuf {
    let name = file_name(program);
    let free = (1..).map(|number| PathBuf::from(format!("{name}-{number}.aftercap"))).find(|path| !path.exists());
    free.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_names_make_harmless_file_names() {
        assert_eq!(file_name("../my game.exe"), ".._my_game.exe");
    }
}
