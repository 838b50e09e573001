//! One program: a thread with a renderer of its own, so that nothing a program does stops another one.

use afterimage_ipc::Pump;
use afterimage_ipc::shared::Channel;
use afterimage_vulkan::{Options, Renderer};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a quiet program's thread sleeps at most before it looks whether it should end.
const LONGEST: Duration = Duration::from_millis(20);

/// What the user interface is told.
pub(crate) enum Event {
    /// A program has connected.
    Connected(View),
    /// A program has a new picture.
    Picture(usize),
    /// A program is gone.
    Left(usize),
    /// The server has ended.
    Ended,
}

/// Tells the user interface, if there is one.
#[derive(Clone, Default)]
pub(crate) struct Notify(Option<Arc<Mutex<dyn Fn(Event) + Send>>>);

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
    shared: Arc<Shared>,
}

/// A picture, opaque, rows from the top, red, green, blue, alpha in a byte each.
#[derive(Clone, Default)]
pub(crate) struct Shown {
    pub(crate) frame: u64,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) rgba: Vec<u8>,
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    /// Set to capture the next frame.
    capture: AtomicBool,
    /// The newest picture. It stays when the program has gone.
    picture: Mutex<Shown>,
}

impl View {
    /// Uses the newest picture.
    pub(crate) fn picture<R>(&self, use_it: impl FnOnce(&Shown) -> R) -> R {
        use_it(&self.shared.picture.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Disconnects the program.
    pub(crate) fn stop(&self) {
        self.shared.stop.store(true, Ordering::SeqCst);
    }

    /// Captures the next frame.
    pub(crate) fn capture(&self) {
        self.shared.capture.store(true, Ordering::SeqCst);
    }

    /// Writes the newest picture to a file in the folder, and says where.
    pub(crate) fn save(&self, folder: &Path) -> Result<PathBuf, String> {
        let shown = self.picture(Shown::clone);
        if shown.rgba.is_empty() {
            return Err("there is no picture yet".into());
        }
        let path = folder.join(format!("{}-frame-{:06}.png", file_name(&self.name), shown.frame));
        let rgb: Vec<u8> = shown.rgba.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
        let write = || -> Result<(), png::EncodingError> {
            let file = std::io::BufWriter::new(std::fs::File::create(&path)?);
            let mut encoder = png::Encoder::new(file, shown.width, shown.height);
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_depth(png::BitDepth::Eight);
            encoder.write_header()?.write_image_data(&rgb)
        };
        write().map(|()| path.clone()).map_err(|error| format!("writing {}: {error}", path.display()))
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

/// What a thread is given to do.
struct Work {
    channel: Box<Channel>,
    number: usize,
    notify: Notify,
    shared: Arc<Shared>,
}

/// A thread with a renderer that waits for its program.
pub(crate) struct Spare {
    work: Sender<Work>,
    thread: JoinHandle<()>,
}

impl Spare {
    /// Starts the thread and waits until its renderer is there.
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
    pub(crate) fn serve(self, channel: Box<Channel>, number: usize, notify: Notify) -> Program {
        let shared = Arc::new(Shared::default());
        let view = View { number, name: channel.program().to_owned(), shared: Arc::clone(&shared) };
        notify.tell(Event::Connected(view.clone()));
        if self.work.send(Work { channel, number, notify, shared }).is_err() {
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
    let renderer = match Renderer::new(options.clone()) {
        Ok(renderer) => renderer,
        Err(error) => {
            let _nobody_waits = ready.send(Err(error.to_string()));
            return;
        }
    };
    if ready.send(Ok(())).is_err() {
        return;
    }
    let Ok(work) = works.recv() else { return };
    serve(renderer, options, work);
}

fn serve(mut renderer: Renderer, options: &Options, work: Work) {
    let Work { mut channel, number, notify, shared } = work;
    loop {
        // Reading pictures back costs time that nobody has to spend without a window.
        if notify.0.is_some() {
            let (slot, notify) = (Arc::clone(&shared), notify.clone());
            renderer.set_picture_sink(Some(Box::new(move |picture| {
                let mut shown = slot.picture.lock().unwrap_or_else(PoisonError::into_inner);
                (shown.frame, shown.width, shown.height) = (picture.frame, picture.width, picture.height);
                shown.rgba.clear();
                shown.rgba.extend_from_slice(picture.rgba);
                drop(shown);
                notify.tell(Event::Picture(number));
            })));
        }
        channel.accept(&renderer.device_info());
        let mut pump = Pump::default();
        let mut open = true;
        while open && !shared.stop.load(Ordering::SeqCst) && renderer.lost().is_none() {
            open = pump.step(&mut *channel, &mut renderer, LONGEST);
            if shared.capture.swap(false, Ordering::SeqCst) {
                let path = capture_file(channel.program());
                println!("capturing the next frame to {}", path.display());
                renderer.capture_next_frames(&path, 1);
            }
        }
        if let Err(error) = renderer.finish(&mut |_| {}) {
            tracing::warn!("{}: {error}", channel.program());
        }
        let Some(lost) = renderer.lost().filter(|_| open) else { break };
        eprintln!("afterimage-viewer: {}: {lost}; opening the device anew", channel.program());
        drop(renderer);
        // The program sends everything again to the new one.
        renderer = match Renderer::new(options.clone()) {
            Ok(renderer) => renderer,
            Err(error) => {
                eprintln!("afterimage-viewer: {error}");
                notify.tell(Event::Left(number));
                return;
            }
        };
    }
    match channel.failure() {
        Some(failure) => eprintln!("afterimage-viewer: {}: {failure}", channel.program()),
        None => println!("{} disconnected", channel.program()),
    }
    notify.tell(Event::Left(number));
}
