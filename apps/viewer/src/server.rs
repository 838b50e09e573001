//! Finds programs, has each drawn by a process of its own, and knows when to end.

use crate::control::Control;
use crate::keep;
use crate::keep::{Held, Live};
use crate::program::{Event, Notify, View};
use crate::protocol::{self, Order, Report, Task};
use crate::renderer::{Renderer, Start};
use afterimage_ipc::shared::{Claim, Found, Host, Life};
use afterimage_process::ending::{Ending, LOST};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often the directory is looked at: how long a program waits for its viewer.
const SCAN: Duration = Duration::from_millis(10);
/// How long programs' processes may take to end when the viewer does, before they are killed.
const PATIENCE: Duration = Duration::from_millis(1500);
/// A program whose renderer dies more often than this within [`RECENT`] is disconnected: it would do it again.
const DEATHS: usize = 3;
const RECENT: Duration = Duration::from_secs(60);

/// When the viewer ends by itself.
pub(crate) enum Until {
    /// Never.
    Stopped,
    /// When the last program has disconnected.
    LastProgram,
    /// When the last program has disconnected, or when none has come for so long.
    Unused(Duration),
    /// When this flag is set and no program is connected.
    InputCloses(Arc<AtomicBool>),
}

/// A program that is drawn.
struct Program {
    claim: Claim,
    view: View,
    /// When its renderer died.
    deaths: Vec<Instant>,
}

impl Program {
    /// Its name, for messages.
    fn name(&self) -> &str {
        &self.view.name
    }

    /// Notes that its renderer has died; whether it gets another one.
    fn gets_another(&mut self) -> bool {
        self.deaths.retain(|death| death.elapsed() < RECENT);
        self.deaths.push(Instant::now());
        self.deaths.len() <= DEATHS && !self.view.control.stops() && self.claim.life() == Life::Running
    }
}

/// The programs of one process of a stranger's: they may share images.
struct Family {
    renderer: Arc<Renderer>,
    programs: Mutex<BTreeMap<usize, Program>>,
    /// Why the process ends, if it said so.
    cause: Mutex<Option<String>>,
    /// Its last program has left: it gets no more. Set while the list is locked.
    retired: AtomicBool,
    /// The process has ended.
    over: AtomicBool,
}

impl Family {
    fn programs(&self) -> MutexGuard<'_, BTreeMap<usize, Program>> {
        self.programs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cause(&self) -> MutexGuard<'_, Option<String>> {
        self.cause.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the process draw a program; gives it back if the process gets no more.
    fn serve(&self, program: Program) -> Option<Program> {
        let mut programs = self.programs();
        if self.retired.load(Ordering::SeqCst) {
            return Some(program);
        }
        let (number, control) = (program.view.number, Arc::clone(&program.view.control));
        // A process that has died is found out by whoever listens to it, and who listens finds the program in the list.
        let _died = self.renderer.tell(&Order::Serve { number }, Some(program.claim.file().as_fd()));
        programs.insert(number, program);
        drop(programs);
        control.drawn_by(Arc::clone(&self.renderer));
        None
    }

    /// Takes a program out of the list; the process ends with its last one.
    fn remove(&self, number: usize) -> Option<Program> {
        let mut programs = self.programs();
        let program = programs.remove(&number);
        if program.is_some() && programs.is_empty() {
            self.retired.store(true, Ordering::SeqCst);
            self.renderer.kill();
        }
        program
    }
}

/// The programs that are connected, and what is needed for the next one.
pub(crate) struct Server {
    host: Host,
    start: Start,
    /// Programs are drawn into their own windows, where that can be.
    foreign: bool,
    until: Until,
    stop: Arc<AtomicBool>,
    families: Vec<(u64, Arc<Family>)>,
    /// Programs so far.
    count: usize,
    spare: Option<Arc<Renderer>>,
}

impl Server {
    /// Serves a directory. `foreign` is whether programs are drawn into their own windows, where that can be.
    pub(crate) fn new(
        directory: Option<&Path>,
        start: Start,
        foreign: bool,
        until: Until,
        stop: Arc<AtomicBool>,
    ) -> Result<Self, String> {
        let host = Host::open(directory).map_err(|error| error.to_string())?;
        Ok(Self { host, start, foreign, until, stop, families: Vec::new(), count: 0, spare: None })
    }

    /// The directory.
    pub(crate) fn directory(&self) -> &Path {
        self.host.directory()
    }

    /// What ends the server from outside.
    pub(crate) fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Starts the first process and waits until its device is open, so that a machine without one says so before a program comes. `shown`
    /// is whether the viewer opens windows.
    pub(crate) fn prepare(&mut self, shown: bool) -> Result<(), String> {
        let renderer = self.start(shown).map_err(|error| format!("starting a renderer process: {error}"))?;
        match renderer.hear() {
            Some((Report::Ready, _)) => {}
            Some((Report::Failed(why), _)) => return Err(why),
            Some((other, _)) => return Err(format!("the renderer process begins with {other:?}")),
            None => return Err(format!("the renderer process {} as it started", renderer.ending())),
        }
        self.spare = Some(renderer);
        Ok(())
    }

    fn start(&self, shown: bool) -> io::Result<Arc<Renderer>> {
        let task = Task::Programs { foreign: self.foreign, windows: shown };
        self.start.renderer(task, Default::default(), None).map(Arc::new)
    }

    /// Serves until there is a reason to end.
    pub(crate) fn run(mut self, notify: &Notify) -> Result<(), String> {
        let start = Instant::now();
        while !self.stop.load(Ordering::SeqCst) {
            self.scan(notify)?;
            self.bury(notify);
            let end = match &self.until {
                Until::Stopped => false,
                Until::LastProgram => self.count > 0,
                Until::Unused(patience) => {
                    let idle = self.families.is_empty() && (self.count > 0 || start.elapsed() > *patience);
                    idle && !self.scan_again(notify)?
                }
                // Once more, for a program that came right before the input was closed.
                Until::InputCloses(closed) => closed.load(Ordering::SeqCst) && !self.scan_again(notify)?,
            };
            if end && self.families.is_empty() {
                break;
            }
            std::thread::sleep(SCAN);
        }
        self.end();
        Ok(())
    }

    /// Disconnects all programs, and ends their processes, whatever they do.
    fn end(&mut self) {
        for (_, family) in &self.families {
            family.programs().values().for_each(|program| program.view.control.stop());
        }
        let start = Instant::now();
        let is_over = |family: &Arc<Family>| family.over.load(Ordering::SeqCst) || family.programs().is_empty();
        while self.families.iter().any(|(_, family)| !is_over(family)) && start.elapsed() < PATIENCE {
            std::thread::sleep(SCAN);
        }
        for (_, family) in &self.families {
            if !is_over(family) {
                for program in family.programs().values() {
                    let does = family.renderer.does();
                    eprintln!(
                        "afterimage-viewer: {}: its renderer does not end and is killed at {does}",
                        program.name()
                    );
                }
            }
            family.renderer.kill();
        }
        // Their programs look for another viewer when the last of them is gone.
        for (_, family) in self.families.drain(..) {
            family.renderer.ending();
        }
    }

    fn scan_again(&mut self, notify: &Notify) -> Result<bool, String> {
        let before = self.count;
        self.scan(notify)?;
        Ok(self.count > before)
    }

    fn scan(&mut self, notify: &Notify) -> Result<(), String> {
        let found =
            self.host.scan().map_err(|error| format!("reading {}: {error}", self.host.directory().display()))?;
        for found in found {
            match found {
                Found::Program(claim) => self.connect(claim, notify),
                Found::Refused(error) => refuse(error.to_string(), notify),
            }
        }
        Ok(())
    }

    fn connect(&mut self, claim: Claim, notify: &Notify) {
        let (name, bits) = (claim.program().to_owned(), claim.pointer_bits());
        let number = self.count;
        crate::say(&format!("{name} (process {}, {bits} bits) connected", claim.process()));
        self.count += 1;
        let control = Arc::new(Control::new(number, &name, self.start.clone(), notify.clone()));
        let view = View { number, name, control };
        notify.tell(Event::Connected(view.clone()));
        self.serve(Program { claim, view, deaths: Vec::new() }, notify);
    }

    /// Has a program drawn by the process of its family, or by a new one.
    fn serve(&mut self, mut program: Program, notify: &Notify) {
        let number = program.claim.family();
        let known = self.families.iter().filter(|(of, family)| *of == number && !family.over.load(Ordering::SeqCst));
        for (_, family) in known {
            match family.serve(program) {
                None => return,
                Some(refused) => program = refused,
            }
        }
        let family = self.spare.take().map_or_else(|| self.start(notify.is_heard()), Ok).and_then(|renderer| {
            let family = Arc::new(Family {
                renderer,
                programs: Mutex::default(),
                cause: Mutex::default(),
                retired: AtomicBool::new(false),
                over: AtomicBool::new(false),
            });
            let (listener, notify) = (Arc::clone(&family), notify.clone());
            std::thread::Builder::new().name("renderer".into()).spawn(move || listen(&listener, &notify))?;
            Ok(family)
        });
        match family {
            Ok(family) => {
                // No program has left it yet.
                let _taken = family.serve(program);
                self.families.push((number, family));
            }
            Err(error) => {
                let why = format!("starting a renderer process: {error}");
                leave(&program, Some(why), notify);
            }
        }
    }

    /// Looks for processes that have ended; what of their programs is still there gets another one.
    fn bury(&mut self, notify: &Notify) {
        let ended = |(_, family): &mut (u64, Arc<Family>)| family.over.load(Ordering::SeqCst);
        let ended: Vec<_> = self.families.extract_if(.., ended).collect();
        for (_, family) in ended {
            let programs = std::mem::take(&mut *family.programs());
            let ending = family.renderer.ending();
            let cause = family.cause().take();
            for mut program in programs.into_values() {
                program.view.control.let_go();
                let lost = ending == Ending::Exited(LOST.into());
                let what = match (ending, &cause) {
                    // It had no more programs when this one came, or lost its device and said so.
                    (Ending::Exited(0), _) => None,
                    _ if lost => None,
                    (_, Some(cause)) => Some(cause.clone()),
                    (ending, None) => Some(format!("its renderer {ending} at {}", family.renderer.does())),
                };
                if let Some(what) = &what {
                    eprintln!("afterimage-viewer: {}: {what}", program.name());
                }
                if program.gets_another() {
                    self.serve(program, notify);
                } else {
                    let last = what.filter(|_| program.claim.life() == Life::Running);
                    leave(&program, last.map(|what| format!("{what}; too often to go on")), notify);
                }
            }
        }
    }
}

fn refuse(why: String, notify: &Notify) {
    eprintln!("afterimage-viewer: {why}");
    notify.tell(Event::Refused(why));
}

/// A program is drawn no more.
fn leave(program: &Program, why: Option<String>, notify: &Notify) {
    program.view.control.let_go();
    match &why {
        Some(why) => eprintln!("afterimage-viewer: {}: {why}", program.name()),
        None => crate::say(&format!("{} disconnected", program.name())),
    }
    // The renderer and its surfaces are gone: the windows may go too.
    notify.tell(Event::Left { number: program.view.number, why });
}

/// Listens to a renderer process until it ends or its last program has left.
fn listen(family: &Arc<Family>, notify: &Notify) {
    while let Some((report, file)) = family.renderer.hear() {
        if let Err(error) = heed(family, report, file, notify) {
            tracing::error!("a renderer process sends what does not fit, and is ended: {error}");
            family.renderer.kill();
        }
    }
    family.over.store(true, Ordering::SeqCst);
}

/// What a report means. Errors are those of what came with it.
fn heed(family: &Arc<Family>, report: Report, file: Option<OwnedFd>, notify: &Notify) -> io::Result<()> {
    let control = |number| family.programs().get(&number).map(|program| Arc::clone(&program.view.control));
    match report {
        Report::Ready => {}
        Report::Failed(why) => {
            family.cause().get_or_insert(why);
        }
        Report::Hung(why) => {
            *family.cause() = Some(why);
        }
        Report::Window { number, target, width, height } => {
            let renderer = Arc::clone(&family.renderer);
            let reply = Box::new(move |window| {
                let _died = renderer.tell(&Order::Window { number, target, window }, None);
            });
            notify.tell(Event::Window { number, target, width, height, reply });
        }
        Report::State { number, frames, draws, ended } => {
            if let Some(control) = control(number) {
                let mut status = control.status();
                (status.frames, status.draws, status.ended) = (frames, draws, ended);
            }
        }
        Report::Live { number, frame, size, keep } => {
            let rgba = protocol::pixels(file, size)?;
            if let Some(control) = control(number) {
                control.picture(Live { frame, size, rgba }, keep);
            }
        }
        Report::Captured { number, frame, purpose } => {
            let bytes = protocol::capture(file)?.into();
            if let Some(control) = control(number) {
                control.captured(Held { frame, bytes }, purpose);
            }
        }
        Report::GoesOn { number, why } => {
            if let Some(control) = control(number) {
                control.goes_on(why);
            }
        }
        Report::Keys { number, capture, picture } => {
            if let Some(control) = control(number) {
                if capture {
                    control.capture();
                }
                if picture {
                    control.save_picture();
                }
            }
        }
        Report::Left { number, why, unwritten } => {
            keep::count_unwritten(unwritten);
            if let Some(program) = family.remove(number) {
                leave(&program, why, notify);
            }
        }
        Report::Picture { .. } | Report::Pictures(_) | Report::Times { .. } | Report::Dumped(_) | Report::Said(_) => {
            let what = format!("{report:?} of a renderer of programs");
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
    }
    notify.tell(Event::News);
    Ok(())
}
