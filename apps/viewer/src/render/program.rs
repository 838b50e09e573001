//! One program: a thread with a renderer. Devices of one program are on one Vulkan device, so that they can share images.

use super::hold::Hold;
use super::orders::Orders;
use super::windows::Windows;
use crate::graphics::{Device, Draws};
use crate::protocol::{self, Report, Request};
use afterimage_ipc::shared::{Channel, Life};
use afterimage_ipc::{Pump, Receiver as _};
use afterimage_process::ending::LOST;
use afterimage_process::socket::Socket;
use afterimage_stream::Reply;
use afterimage_stream::packets::Overlay;
use afterimage_vulkan::{Options, SurfaceFactory};
use std::collections::HashMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a quiet program's thread sleeps at most before it looks whether it should end.
const LONGEST: Duration = Duration::from_millis(20);
/// How long a program's thread sleeps between looks at what the user wants while the program is paused.
const HELD: Duration = Duration::from_millis(4);
/// How often a paused program is looked at, whether it is still there.
const LOOK: Duration = Duration::from_millis(100);
/// How often the viewer is told how a program is.
const STATE: Duration = Duration::from_millis(100);
/// Time between two pictures for the user interface.
const LIVE: Duration = Duration::from_millis(16);
/// The same where the device is the CPU: what the window's drawing takes is missing to the program there.
const LIVE_ON_CPU: Duration = Duration::from_millis(100);
/// What the HUD switch shows.
const HUD: Overlay = Overlay { items: Overlay::USUAL, scale: 0.0, corner: 0, pad: [0; 7] };

/// A program's way to the viewer.
#[derive(Clone)]
pub(super) struct Link {
    /// The program's number.
    pub(super) number: usize,
    /// Where reports go.
    pub(super) socket: Arc<Socket>,
    /// Windows to draw into.
    pub(super) windows: Arc<Windows>,
}

impl Link {
    /// Tells the viewer something. If it is gone, so is this process soon.
    pub(super) fn tell(&self, report: &Report) {
        let _gone = protocol::send(&self.socket, report, None);
    }

    /// The same with bytes.
    pub(super) fn tell_with(&self, report: &Report, bytes: &[u8]) {
        if let Err(error) = protocol::send_bytes(&self.socket, report, bytes) {
            tracing::error!("{} bytes for the viewer: {error}", bytes.len());
        }
    }

    /// The program is drawn no more.
    pub(super) fn left(&self, why: Option<String>, unwritten: u64) {
        self.tell(&Report::Left { number: self.number, why, unwritten });
    }
}

/// How many programs this process draws.
static DRAWN: AtomicUsize = AtomicUsize::new(0);

/// The programs of this process.
#[derive(Default)]
pub(super) struct Programs(HashMap<usize, Arc<Orders>>);

impl Programs {
    /// Gives a program a thread.
    pub(super) fn serve(&mut self, channel: Channel, link: Link, device: Device, options: &Options) -> io::Result<()> {
        let orders = Arc::new(Orders::default());
        self.0.insert(link.number, Arc::clone(&orders));
        let options = numbered(options, link.number);
        DRAWN.fetch_add(1, Ordering::SeqCst);
        let thread = move || {
            let live = if device.is_cpu() { LIVE_ON_CPU } else { LIVE };
            let mut program = Program { channel, orders, link, live };
            let (why, unwritten) = or_abort(|| {
                let windows = program.link.windows.are_there().then(|| program.windows());
                match device.around(|| device.renderer(options, windows)) {
                    Ok(renderer) => program.serve(&device, renderer),
                    Err(error) => (Some(error), 0),
                }
            });
            let link = program.link.clone();
            drop(program);
            match DRAWN.fetch_sub(1, Ordering::SeqCst) {
                1 => afterimage_log::finish(),
                _ => afterimage_log::settle(),
            }
            // The viewer lets go of the file after this, and of the process if this was its last program.
            link.left(why, unwritten);
        };
        std::thread::Builder::new().name("render".into()).spawn(thread)?;
        Ok(())
    }

    /// The user wants something.
    pub(super) fn request(&self, number: usize, request: Request) {
        // It may have left in the meantime.
        let _left = self.0.get(&number).map(|orders| orders.note(request));
    }
}

/// Does what a program waits for. A panic ends the process as a crash does, so that the viewer gives its programs to another one:
/// without this thread they would wait forever.
fn or_abort<T>(work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_said_by_the_hook| {
        afterimage_log::finish();
        std::process::abort()
    })
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

struct Program {
    channel: Channel,
    orders: Arc<Orders>,
    link: Link,
    /// Time between two pictures for the user interface.
    live: Duration,
}

/// How a program is: pictures presented, draws asked for, and whether it has ended, in words.
type State = (u64, u64, Option<&'static str>);

/// What the viewer has last been told of a program.
#[derive(Default)]
struct Told {
    state: State,
    /// When; `None` if it is to be told at once.
    at: Option<Instant>,
    /// When it got a picture.
    live: Arc<Mutex<Option<Instant>>>,
    /// Whether pictures are being read back.
    reading: bool,
}

impl Program {
    /// Draws what the program sends until it ends or the user has had enough; why it ended, and files that could not be written.
    fn serve(&mut self, device: &Device, mut renderer: Box<dyn Draws>) -> (Option<String>, u64) {
        let renderer = &mut *renderer;
        if let Some(importer) = renderer.importer() {
            self.channel.import_slots(importer);
        }
        self.channel.accept(&renderer.info());
        let (mut pump, mut hold) = (Pump::default(), Hold::default());
        let mut told = Told::default();
        let mut ended = None;
        let (mut open, mut looked) = (true, Instant::now());
        while open && !self.orders.stops() && renderer.loss().is_none() {
            device.around(|| {
                if hold.holds() {
                    // Nothing is taken from the program: it goes on until its room is full, and waits there.
                    let channel = &self.channel;
                    renderer.poll(&mut |reply: Reply| channel.reply(reply));
                    std::thread::sleep(HELD);
                    if looked.elapsed() >= LOOK {
                        looked = Instant::now();
                        ended = self.ended();
                        open = ended.is_none() || self.orders.is_kept();
                    }
                } else {
                    open = pump.step(&mut self.channel, renderer, LONGEST);
                }
                hold.step(renderer, &self.orders, &self.link);
                self.heed_keys();
                self.grant(renderer, &hold, &mut told);
                let (presented, draws) = renderer.counts();
                self.report((presented, draws, ended), &mut told);
            });
        }
        let unwritten = device.around(|| {
            if let Err(error) = renderer.end() {
                tracing::warn!("{}: {error}", self.channel.program());
            }
            renderer.end_files()
        });
        if let Some(lost) = renderer.loss().filter(|_| open) {
            // The viewer starts another process, to which the program sends everything again.
            eprintln!("afterimage-viewer: {}: {lost}; opening the device anew", self.channel.program());
            afterimage_log::finish();
            signal_hook::low_level::exit(LOST.into());
        }
        let why = self.channel.failure();
        let why = why.or_else(|| self.ended().filter(|why| *why == DIED).map(Into::into));
        (why, unwritten)
    }

    /// Looks whether a paused program is still there.
    fn ended(&self) -> Option<&'static str> {
        ended(self.channel.life())
    }

    /// Tells the viewer how the program is, if that is news.
    fn report(&self, state: State, told: &mut Told) {
        let (frames, draws, ended) = state;
        let at_once = ended != told.state.2;
        if state == told.state || (!at_once && told.at.is_some_and(|at| at.elapsed() < STATE)) {
            return;
        }
        if let Some(ended) = ended.filter(|_| at_once) {
            tracing::warn!("{}: {ended} while it was paused", self.channel.program());
        }
        (told.state, told.at) = (state, Some(Instant::now()));
        let ended = ended.map(str::to_owned);
        self.link.tell(&Report::State { number: self.link.number, frames, draws, ended });
    }

    /// Windows to draw into.
    fn windows(&self) -> SurfaceFactory {
        let (number, windows) = (self.link.number, Arc::clone(&self.link.windows));
        let program = self.channel.program().to_owned();
        let mut said = false;
        Box::new(move |target, instance| {
            windows.surface(number, target, instance, &mut |error| {
                if !std::mem::replace(&mut said, true) {
                    tracing::warn!("{program} is shown in a window of the viewer: {error} (said once)");
                }
            })
        })
    }

    /// Takes the keys that were pressed in the program's own window for the user's.
    fn heed_keys(&mut self) {
        let wanted = self.channel.wanted();
        if wanted.capture || wanted.picture {
            let (capture, picture) = (wanted.capture, wanted.picture);
            self.link.tell(&Report::Keys { number: self.link.number, capture, picture });
        }
    }

    /// Does what the user has asked for.
    fn grant(&self, renderer: &mut dyn Draws, hold: &Hold, told: &mut Told) {
        if let Some(on) = self.orders.take_hud() {
            renderer.overlay(&if on { HUD } else { Overlay::default() });
        }
        self.orders.take_notices().iter().for_each(|text| renderer.say(text));
        // Reading pictures back costs time that nobody has to spend for nothing.
        let last = *told.live.lock().unwrap_or_else(PoisonError::into_inner);
        let due = last.is_none_or(|last| last.elapsed() >= self.live);
        let wanted = self.orders.wants_picture() || hold.is_busy() || (self.orders.is_watched() && due);
        if wanted == std::mem::replace(&mut told.reading, wanted) {
            return;
        }
        if !wanted {
            renderer.picture_sink(None);
            return;
        }
        let (link, orders, last) = (self.link.clone(), Arc::clone(&self.orders), Arc::clone(&told.live));
        renderer.picture_sink(Some(Box::new(move |picture| {
            let (number, frame, size) = (link.number, picture.frame, [picture.width, picture.height]);
            // Others may be on their way before the sink is taken away; only the first was asked for.
            let keep = orders.take_picture();
            link.tell_with(&Report::Live { number, frame, size, keep }, picture.rgba);
            *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        })));
    }
}

/// The options for the program with this number. The first one's files are where the user wanted them; the others get
/// names with a number, so that none overwrites another's.
fn numbered(options: &Options, number: usize) -> Options {
    let mut options = options.clone();
    if number > 0 {
        let rename = |path: &mut PathBuf| {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default();
            path.set_file_name(format!("{stem}-{}{ending}", number + 1));
        };
        let wishes = &mut options.wishes;
        if let Some(folder) = &mut wishes.screenshots {
            folder.push(format!("program-{}", number + 1));
        }
        wishes.stats.iter_mut().chain(&mut wishes.hud_log).chain(&mut wishes.capture_file).for_each(rename);
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterimage_process::ending::Ending;
    use afterimage_vulkan::Wishes;
    use std::path::Path;
    use std::process::{Command, Stdio};

    #[test]
    fn a_panic_ends_the_process_as_a_crash_does() {
        const CHILD: &str = "AFTERIMAGE_TEST_PANICS";
        if std::env::var_os(CHILD).is_some() {
            let _never = std::thread::spawn(|| or_abort(|| panic!("as a renderer might"))).join();
            std::process::exit(0);
        }
        let name = "render::program::tests::a_panic_ends_the_process_as_a_crash_does";
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", name, "--nocapture"]).env(CHILD, "1").stdout(Stdio::null()).stderr(Stdio::null());
        assert_eq!(Ending::from(child.status().unwrap()), Ending::Killed(6));
    }

    #[test]
    fn a_second_program_overwrites_nothing() {
        let wishes = Wishes {
            screenshots: Some("shots".into()),
            stats: Some("out/stats.json".into()),
            hud_log: Some("out/figures.csv".into()),
            capture_file: Some("scene".into()),
            ..Wishes::default()
        };
        let options = Options { wishes, ..Options::default() };
        assert_eq!(numbered(&options, 0).wishes.stats, options.wishes.stats);
        let second = numbered(&options, 1).wishes;
        assert_eq!(second.screenshots.unwrap(), Path::new("shots/program-2"));
        assert_eq!(second.stats.unwrap(), Path::new("out/stats-2.json"));
        assert_eq!(second.hud_log.unwrap(), Path::new("out/figures-2.csv"));
        assert_eq!(second.capture_file.unwrap(), Path::new("scene-2"));
    }
}
