//! `--window`: a capture is played in windows. The main thread has them; another one replays, and waits where the user or the
//! recording's pace says so.

use super::Args;
use crate::Failure;
use afterimage_stream::ObjectId;
use afterimage_vulkan::{Ahead, Go, Renderer};
use afterimage_window::Handles;
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::event_loop::{ActiveEventLoop, EventLoopProxy};
use winit::keyboard::{Key, NamedKey};
use winit::window::{Window, WindowId};

/// Between two frames of captures that do not say when their frames began.
const USUAL: Duration = Duration::from_nanos(16_666_667);
/// The longest wait for a frame: a program that loaded for minutes is not waited for as long again.
const LONGEST: Duration = Duration::from_secs(1);
/// Who is later than this does not try to catch up.
const LATE: Duration = Duration::from_millis(100);
/// How often whoever waits looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);
/// How often the title says how fast it goes.
const TITLE: Duration = Duration::from_millis(250);
/// How long the window's thread may take to open one.
const OPEN: Duration = Duration::from_secs(10);

/// What the thread that replays asks of the one that has the windows.
enum Event {
    Window {
        target: ObjectId,
        size: [u32; 2],
        reply: Sender<Result<Handles, String>>,
    },
    Title(String),
    /// The replay has ended, and every surface with it.
    Ended,
}

/// What the user wants.
#[derive(Default)]
struct Requests {
    closed: bool,
    paused: bool,
    /// Frames to go on by while paused.
    steps: u32,
    /// A window has lost what it showed.
    again: bool,
    /// Windows that were opened.
    windows: usize,
    /// Why nothing can be seen.
    failed: Option<String>,
}

#[derive(Default)]
struct Control {
    requests: Mutex<Requests>,
    changed: Condvar,
}

impl Control {
    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Requests)) {
        change(&mut self.requests());
        self.changed.notify_all();
    }
}

/// Plays a capture until the user closes a window of it.
pub(super) fn play(args: &Args, file: &Path) -> Result<(), Failure> {
    let other_way = "--screenshots SET -o DIR writes pictures of calls, -o DIR those of frames";
    let events = afterimage_window::events::<Event>()
        .map_err(|why| Failure::new(format!("no window can be shown: {why}; {other_way}")))?;
    let control = Arc::new(Control::default());
    let name = file.file_name().map_or_else(|| file.display().to_string(), |name| name.to_string_lossy().into_owned());
    let mut windows = Windows { open: HashMap::new(), title: name.clone(), control: Arc::clone(&control) };
    let proxy = events.create_proxy();
    let replayed = std::thread::scope(|scope| {
        let (ended, control) = (Ended(proxy.clone()), &control);
        let replaying = scope.spawn(move || {
            let _ended = ended;
            let player = Player::new(name, args.repeat.unwrap_or(1), proxy, Arc::clone(control));
            super::replay_capture(args, file, Some(player))
        });
        let ran = events.run_app(&mut windows).map_err(|error| Failure::new(format!("the windows: {error}")));
        control.change(|requests| requests.closed = true);
        let lost = || Err(Failure::new("the replay ended in a panic; please report it"));
        replaying.join().unwrap_or_else(|_| lost()).and(ran)
    });
    match control.requests().failed.take() {
        Some(why) => Err(Failure::new(format!("{}: {why}; {other_way}", file.display()))),
        None => replayed,
    }
}

/// Tells the windows that the replay has ended, however it does.
struct Ended(EventLoopProxy<Event>);

impl Drop for Ended {
    fn drop(&mut self) {
        // Who does not listen any more has ended before.
        let _heard = self.0.send_event(Event::Ended);
    }
}

/// When frames are due.
#[derive(Debug, Default)]
struct Pace {
    due: Option<Instant>,
    /// When the frame before began where the capture was made; and whether there was one.
    before: Option<Option<Duration>>,
    /// Between the last two.
    gap: Duration,
}

impl Pace {
    /// When a frame that began at `time`, or the end of the capture, is due.
    fn next(&mut self, now: Instant, ahead: &Ahead) -> Instant {
        let gap = match (self.before, ahead.frame) {
            (None, _) => Duration::ZERO,
            // The last one is there as long as the one before.
            (Some(_), None) => self.gap,
            (Some(before), Some(_)) => match (before, ahead.time) {
                (Some(before), Some(time)) => time.saturating_sub(before).min(LONGEST),
                _ => USUAL,
            },
        };
        self.gap = gap;
        self.before = ahead.frame.map(|_| ahead.time);
        let due = self.due.map_or(now, |due| due + gap);
        let due = if due + LATE < now { now } else { due };
        *self.due.insert(due)
    }

    /// The wait was another one.
    fn is_now(&mut self, now: Instant) {
        self.due = Some(now);
    }
}

/// What guides the thread that replays.
pub(super) struct Player {
    name: String,
    /// How often it is played before it waits at its end; 0 is always.
    passes: u64,
    pass: u64,
    events: EventLoopProxy<Event>,
    control: Arc<Control>,
    pace: Pace,
    /// When what comes next is due, once that is known.
    due: Option<Instant>,
    /// The frame that is shown.
    frame: Option<u64>,
    /// Pictures shown in passes before, and in this one.
    shown: [u64; 2],
    /// Pictures that had been shown when a step began.
    step: Option<u64>,
    /// Whether it has stopped at the end.
    at_end: bool,
    /// Pictures and time when the title last said how fast it goes, and how fast.
    rate: (u64, Instant, f64),
    title: String,
}

impl Player {
    fn new(name: String, passes: u64, events: EventLoopProxy<Event>, control: Arc<Control>) -> Self {
        Self {
            title: name.clone(),
            name,
            passes,
            pass: 0,
            events,
            control,
            pace: Pace::default(),
            due: None,
            frame: None,
            shown: [0; 2],
            step: None,
            at_end: false,
            rate: (0, Instant::now(), 0.0),
        }
    }

    /// Has a renderer draw into windows.
    pub(super) fn show(&self, renderer: &mut Renderer) -> Result<(), Failure> {
        if !renderer.gpu().instance.surfaces {
            return Err(Failure::new("this Vulkan knows no windows; -o DIR writes pictures"));
        }
        let (events, control) = (self.events.clone(), Arc::clone(&self.control));
        renderer.set_surface_factory(Some(Box::new(move |target, instance| {
            let (reply, answer) = channel();
            let size = [target.width.max(1), target.height.max(1)];
            let asked = events.send_event(Event::Window { target: target.id, size, reply });
            let handles = match asked.is_ok().then(|| answer.recv_timeout(OPEN)) {
                Some(Ok(handles)) => handles,
                _ => Err("the window's thread does not answer".into()),
            };
            let surface = handles.and_then(|handles| handles.surface(instance));
            control.change(|requests| match &surface {
                Ok(_) => requests.windows += 1,
                Err(error) => requests.failed = Some(format!("no window for {}: {error}", target.id)),
            });
            Some(surface)
        })));
        Ok(())
    }

    /// Whether nobody wants to see more.
    pub(super) fn is_closed(&self) -> bool {
        let requests = self.control.requests();
        requests.closed || requests.failed.is_some()
    }

    /// Waits until what is ahead is due or wanted.
    pub(super) fn ahead(&mut self, ahead: &Ahead, stop: &AtomicBool) -> Go {
        if ahead.shown < self.shown[1] {
            self.shown = [self.shown[0] + self.shown[1], 0];
        }
        self.shown[1] = ahead.shown;
        let shown = self.shown[0] + self.shown[1];
        let due = match self.due {
            Some(due) => due,
            None => *self.due.insert(self.pace.next(Instant::now(), ahead)),
        };
        let last = ahead.frame.is_none() && self.passes != 0 && self.pass + 1 >= self.passes;
        let control = Arc::clone(&self.control);
        let mut requests = control.requests();
        if ahead.frame.is_none() && requests.windows == 0 {
            requests.failed.get_or_insert_with(|| "it presents nothing, so no window shows anything".into());
        }
        if last && !self.at_end {
            (self.at_end, requests.paused, self.step) = (true, true, None);
        }
        loop {
            if requests.closed || requests.failed.is_some() || stop.load(Ordering::Relaxed) {
                return Go::End;
            }
            if std::mem::take(&mut requests.again) {
                return Go::Again;
            }
            let now = Instant::now();
            let wait = if requests.paused {
                // A frame without a picture is no step.
                if self.step.is_some_and(|from| from == shown) && !last {
                    break self.pace.is_now(now);
                }
                self.step = None;
                if requests.steps > 0 {
                    requests.steps -= 1;
                    self.step = Some(shown);
                    break self.pace.is_now(now);
                }
                LOOK
            } else {
                (self.step, requests.steps) = (None, 0);
                if due <= now {
                    break;
                }
                due - now
            };
            self.say(shown, requests.paused);
            requests = control.changed.wait_timeout(requests, wait.min(LOOK)).unwrap_or_else(PoisonError::into_inner).0;
        }
        self.say(shown, requests.paused);
        drop(requests);
        self.due = None;
        match ahead.frame {
            Some(frame) => (self.frame, self.at_end) = (Some(frame), false),
            None => self.pass += 1,
        }
        Go::On
    }

    /// Puts the file, the frame that is shown, and how fast it goes into the title.
    fn say(&mut self, shown: u64, paused: bool) {
        let Some(frame) = self.frame else { return };
        let (before, then, _) = self.rate;
        let passed = then.elapsed();
        let due = passed >= TITLE;
        if due {
            self.rate = (shown, Instant::now(), (shown - before) as f64 / passed.as_secs_f64());
        }
        let how = match (paused, self.at_end) {
            (true, true) => "the last one, Space plays again".into(),
            (true, false) => "paused".into(),
            // Not at every frame.
            _ if !due => return,
            _ => format!("{:.1} frames a second", self.rate.2),
        };
        let title = format!("{} - frame {frame}, {how}", self.name);
        if title != self.title {
            self.title.clone_from(&title);
            // Who does not listen any more has closed the windows.
            let _heard = self.events.send_event(Event::Title(title));
        }
    }
}

/// The windows, one for each target of the capture.
struct Windows {
    open: HashMap<ObjectId, Window>,
    title: String,
    control: Arc<Control>,
}

impl Windows {
    fn window(&mut self, events: &ActiveEventLoop, target: ObjectId, size: [u32; 2]) -> Result<Handles, String> {
        if let Some(window) = self.open.get(&target) {
            return Handles::of(window);
        }
        let [width, height] = size;
        let size = PhysicalSize::new(width, height);
        let attributes = Window::default_attributes().with_title(&self.title).with_inner_size(size);
        let window = events.create_window(attributes).map_err(|error| error.to_string())?;
        let handles = Handles::of(&window)?;
        self.open.insert(target, window);
        Ok(handles)
    }

    fn key(&self, key: &KeyEvent) {
        match &key.logical_key {
            Key::Named(NamedKey::Escape) => self.close(),
            Key::Named(NamedKey::Space) if !key.repeat => {
                self.control.change(|requests| requests.paused = !requests.paused);
            }
            Key::Character(text) if text.eq_ignore_ascii_case("q") => self.close(),
            Key::Character(text) if text.eq_ignore_ascii_case("n") => self.control.change(|requests| {
                requests.steps += u32::from(requests.paused);
                requests.paused = true;
            }),
            _ => {}
        }
    }

    /// The replay ends, then the windows.
    fn close(&self) {
        self.control.change(|requests| requests.closed = true);
    }
}

impl ApplicationHandler<Event> for Windows {
    fn resumed(&mut self, _: &ActiveEventLoop) {}

    fn user_event(&mut self, events: &ActiveEventLoop, event: Event) {
        match event {
            Event::Window { target, size, reply } => {
                // Whoever asked may have stopped waiting.
                let _late = reply.send(self.window(events, target, size));
            }
            Event::Title(title) => {
                self.open.values().for_each(|window| window.set_title(&title));
                self.title = title;
            }
            Event::Ended => events.exit(),
        }
    }

    fn window_event(&mut self, _: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::CloseRequested => self.close(),
            WindowEvent::Resized(_) | WindowEvent::RedrawRequested => {
                self.control.change(|requests| requests.again = true);
            }
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. } if event.state == ElementState::Pressed => {
                self.key(&event);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Milliseconds at which frames are due that began at these, and the end; each is drawn at once.
    fn dues(times: &[Option<u64>]) -> Vec<u128> {
        let mut pace = Pace::default();
        let start = Instant::now();
        let mut now = start;
        let mut ahead = |frame, time: Option<u64>| {
            let due = pace.next(now, &Ahead { frame, time: time.map(Duration::from_millis), shown: 0 });
            now = now.max(due);
            (due - start).as_millis()
        };
        let mut dues: Vec<_> = (1..).zip(times).map(|(frame, time)| ahead(Some(frame), *time)).collect();
        dues.push(ahead(None, None));
        dues.push(ahead(Some(1), times[0]));
        dues
    }

    #[test]
    fn frames_are_as_far_apart_as_when_they_were_recorded() {
        assert_eq!(dues(&[Some(500), Some(520), Some(560)]), [0, 20, 60, 100, 100]);
        // A long wait is cut, and times that go back are none.
        assert_eq!(dues(&[Some(0), Some(60_000), Some(3)]), [0, 1000, 1000, 1000, 1000]);
        assert_eq!(dues(&[None, None, Some(7)]), [0, 16, 33, 50, 50]);
    }

    #[test]
    fn who_is_late_goes_on_from_there() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        let mut at = |now: u64, frame: u64| {
            let time = Some(Duration::from_millis(frame * 10));
            let due = pace.next(start + Duration::from_millis(now), &Ahead { frame: Some(frame), time, shown: 0 });
            (due - start).as_millis()
        };
        assert_eq!([at(0, 1), at(15, 2), at(300, 3), at(301, 4)], [0, 10, 300, 310]);
    }
}
