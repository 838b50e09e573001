//! One program: a thread with a renderer of its own, so that nothing a program does stops another one.

use crate::foreign;
use crate::hold::Hold;
use crate::keep;
use crate::wishes::{Live, Wishes};
use afterimage_ipc::shared::{Channel, Life};
use afterimage_ipc::{Pump, Receiver as _};
use afterimage_stream::ObjectId;
use afterimage_stream::packets::{Overlay, WindowKind};
use afterimage_stream::{Executor, Reply};
use afterimage_vulkan::{Gpu, Options, Renderer, ash};
use afterimage_window::Handles;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a quiet program's thread sleeps at most before it looks whether it should end.
const LONGEST: Duration = Duration::from_millis(20);
/// How long a program's thread sleeps between looks at what the user wants while the program is paused.
const HELD: Duration = Duration::from_millis(4);
/// How often a paused program is looked at, whether it is still there.
const LOOK: Duration = Duration::from_millis(100);
/// Time between two pictures for the user interface.
const LIVE: Duration = Duration::from_millis(16);
/// The same where the device is the CPU: what the window's drawing takes is missing to the program there.
const LIVE_ON_CPU: Duration = Duration::from_millis(100);
/// What the HUD switch shows.
const HUD: Overlay = Overlay {
    items: Overlay::VERSION
        | Overlay::API
        | Overlay::DEVICE
        | Overlay::FPS
        | Overlay::FRAMETIMES
        | Overlay::DRAWCALLS
        | Overlay::PIPELINES
        | Overlay::MEMORY
        | Overlay::COMPILER,
    scale: 0.0,
    corner: 0,
    pad: [0; 7],
};
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
    Left {
        /// Number of the program.
        number: usize,
        /// What was wrong, if it was not the program or the user that ended it.
        why: Option<String>,
    },
    /// Something of this program is to be shown anew.
    News,
    /// A program was not let in, and why.
    Refused(String),
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
    /// What is wanted of it, and how it is.
    pub(crate) wishes: Arc<Wishes>,
}

/// What a thread is given to do.
struct Work {
    channel: Box<Channel>,
    number: usize,
    notify: Notify,
    foreign: Option<foreign::Display>,
    wishes: Arc<Wishes>,
    /// Time between two pictures for the user interface.
    live: Duration,
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
        if self.work.send(Work { channel, number, notify, foreign, wishes, live: LIVE }).is_err() {
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
        self.view.wishes.stop();
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
    if gpu.profile.kind == ash::vk::PhysicalDeviceType::CPU {
        work.live = LIVE_ON_CPU;
    }
    match Renderer::on(gpu, options.clone()) {
        Ok(renderer) => serve(renderer, options, &mut work),
        Err(error) => eprintln!("afterimage-viewer: {error}"),
    }
    let why = work.channel.failure().or_else(|| ended(work.channel.life()).filter(|why| *why == DIED).map(Into::into));
    match &why {
        Some(why) => eprintln!("afterimage-viewer: {}: {why}", work.channel.program()),
        None => crate::say(&format!("{} disconnected", work.channel.program())),
    }
    // The renderer and its surfaces are gone: the windows may go too.
    work.notify.tell(Event::Left { number: work.number, why });
}

const DIED: &str = "the program has died: it crashed or was killed";

/// That a program has ended, in words.
fn ended(life: Life) -> Option<&'static str> {
    match life {
        Life::Running => None,
        Life::Closed => Some("the program has ended"),
        Life::Died => Some(DIED),
    }
}

/// Draws what the program sends until it ends or the user has had enough.
fn serve(mut renderer: Renderer, options: &Options, work: &mut Work) {
    loop {
        if work.notify.0.is_some() || work.foreign.is_some() {
            show_windows(&mut renderer, work);
        }
        work.channel.accept(&renderer.device_info());
        let mut pump = Pump::default();
        let mut hold = Hold::new(keep::file_name(work.channel.program()), options.clone(), work.notify.clone());
        let mut open = true;
        let mut looked = Instant::now();
        while open && !work.wishes.stop.load(Ordering::SeqCst) && renderer.lost().is_none() {
            if hold.holds() {
                // Nothing is taken from the program: it goes on until its room is full, and waits there.
                let channel = &work.channel;
                renderer.poll(&mut |reply: Reply| channel.reply(reply));
                std::thread::sleep(HELD);
                if looked.elapsed() >= LOOK {
                    looked = Instant::now();
                    open = is_kept(work);
                }
            } else {
                open = pump.step(&mut *work.channel, &mut renderer, LONGEST);
            }
            if hold.step(&mut renderer, &work.wishes) {
                work.notify.tell(Event::News);
            }
            heed_keys(work);
            grant(&mut renderer, work, &hold);
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

/// Looks whether a paused program is still there, and says so to the user; false where it is not and there is nobody to look at
/// what it has shown, and to let it go.
fn is_kept(work: &Work) -> bool {
    let Some(ended) = ended(work.channel.life()) else { return true };
    let news = work.wishes.status().ended.replace(ended) != Some(ended);
    if news {
        tracing::warn!("{}: {ended} while it was paused", work.channel.program());
        work.notify.tell(Event::News);
    }
    work.wishes.kept.load(Ordering::SeqCst)
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
            Ok(Ok(handles)) => handles.surface(instance),
            Ok(Err(error)) => Err(error),
            Err(_) => Err("the user interface does not answer".into()),
        })
    })));
}

/// Takes the keys that were pressed in the program's own window for the user's.
fn heed_keys(work: &mut Work) {
    let wanted = work.channel.wanted();
    if wanted.capture {
        work.wishes.capture();
    }
    if wanted.picture {
        work.wishes.save_picture();
    }
}

/// Does what the user has asked for.
fn grant(renderer: &mut Renderer, work: &Work, hold: &Hold) {
    let wishes = &work.wishes;
    if wishes.capture.swap(false, Ordering::SeqCst) {
        let held = wishes.status().held.clone();
        wishes.say(match held {
            Some(held) => keep::held(work.channel.program(), &held),
            None => {
                let path = keep::capture_file(work.channel.program());
                renderer.capture_next_frames(&path, 1);
                format!("capturing the next frame to {}", path.display())
            }
        });
        work.notify.tell(Event::News);
    }
    if let Some(on) = wishes.hud() {
        renderer.set_overlay(&if on { HUD } else { Overlay::default() });
    }
    let picture = wishes.picture.load(Ordering::SeqCst);
    if picture && hold.holds() {
        wishes.picture.store(false, Ordering::SeqCst);
        let live = wishes.status().live.clone();
        if let Some(live) = live {
            wishes.say(keep::picture(work.channel.program(), &live));
            work.notify.tell(Event::News);
        }
    }
    // Reading pictures back costs time that nobody has to spend for nothing.
    let last = wishes.status().live.as_ref().map(|live| live.taken);
    let due = last.is_none_or(|last| last.elapsed() >= work.live);
    let wanted = picture || hold.is_busy() || (wishes.watched.load(Ordering::SeqCst) && due);
    if wanted == wishes.reading.swap(wanted, Ordering::SeqCst) {
        return;
    }
    if !wanted {
        renderer.set_picture_sink(None);
        return;
    }
    let (name, wishes, notify) = (work.channel.program().to_owned(), Arc::clone(wishes), work.notify.clone());
    renderer.set_picture_sink(Some(Box::new(move |picture| {
        let live = Arc::new(Live {
            frame: picture.frame,
            size: [picture.width, picture.height],
            rgba: picture.rgba.to_vec(),
            taken: Instant::now(),
        });
        wishes.status().live = Some(Arc::clone(&live));
        // Others may be on their way before the sink is taken away; only the first was asked for.
        if wishes.picture.swap(false, Ordering::SeqCst) {
            wishes.say(keep::picture(&name, &live));
        }
        notify.tell(Event::News);
    })));
}
