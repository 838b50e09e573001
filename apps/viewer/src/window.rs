//! Windows: one for each present target of each program. The programs' renderer processes draw into them.

use crate::program::{Event, Notify, View};
use crate::renderer::Start;
use crate::server::Server;
use crate::shell::{self, Shell};
use afterimage_vulkan::Options;
use egui::Key;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::window::{Window, WindowId};

/// A connection to the display.
pub(crate) struct Display {
    events: EventLoop<Event>,
}

impl Display {
    /// Connects to the display, if there is one.
    pub(crate) fn open() -> Result<Self, String> {
        Ok(Self { events: afterimage_window::events()? })
    }

    /// Shows the server's programs until it ends; with a window of the viewer's own if there are options for one, and these
    /// captures in it.
    pub(crate) fn run(
        self,
        server: Server,
        shell: Option<(Options, Start)>,
        captures: Vec<PathBuf>,
    ) -> Result<(), String> {
        let stop = server.stop();
        let directory = server.directory().display().to_string();
        let proxy = self.events.create_proxy();
        let notify = Notify::new(move |event| {
            // The loop has ended: nobody looks any more.
            let _ended = proxy.send_event(event);
        });
        let mut windows = Windows {
            views: HashMap::new(),
            open: HashMap::new(),
            stop: Arc::clone(&stop),
            serving: None,
            shell: None,
            wanted: shell.map(|(options, start)| Wanted {
                options,
                start,
                notify: notify.clone(),
                directory,
                captures,
            }),
        };
        windows.serving = Some(std::thread::spawn(move || {
            let result = server.run(&notify);
            notify.tell(Event::Ended);
            result
        }));
        let ran = self.events.run_app(&mut windows).map_err(|error| error.to_string());
        windows.end().and(ran)
    }
}

/// A window of the viewer's own that is not open yet.
struct Wanted {
    options: Options,
    start: Start,
    notify: Notify,
    directory: String,
    captures: Vec<PathBuf>,
}

struct Shown {
    number: usize,
    target: u32,
    window: Window,
}

struct Windows {
    /// Programs by number.
    views: HashMap<usize, View>,
    open: HashMap<WindowId, Shown>,
    stop: Arc<AtomicBool>,
    serving: Option<std::thread::JoinHandle<Result<(), String>>>,
    shell: Option<Shell>,
    wanted: Option<Wanted>,
}

impl Windows {
    /// Waits for the server. The windows and the display live until then: its renderers draw into them.
    fn end(&mut self) -> Result<(), String> {
        self.stop.store(true, Ordering::SeqCst);
        match self.serving.take().map(std::thread::JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(_)) => Err("the server ended in a panic; please report it".into()),
            None => Ok(()),
        }
    }

    /// The X11 number of the window of a program's target, opened now if it is new.
    fn window(
        &mut self,
        events: &ActiveEventLoop,
        number: usize,
        target: u32,
        size: PhysicalSize<u32>,
    ) -> Result<u32, String> {
        if let Some(shown) = self.open.values().find(|shown| (shown.number, shown.target) == (number, target)) {
            return afterimage_window::number(&shown.window);
        }
        let name = self.views.get(&number).map_or("program", |view| &view.name);
        let attributes = Window::default_attributes().with_title(format!("{name} - Afterimage")).with_inner_size(size);
        let window = events.create_window(attributes).map_err(|error| error.to_string())?;
        let x11 = afterimage_window::number(&window)?;
        self.open.insert(window.id(), Shown { number, target, window });
        Ok(x11)
    }

    /// The user closes a window: its program is disconnected, which ends its drawing, which ends the window.
    fn close(&self, id: WindowId) {
        if let Some(shown) = self.open.get(&id) {
            shown.window.set_visible(false);
        }
        if let Some(view) = self.view(id) {
            view.control.stop();
        }
    }

    fn view(&self, id: WindowId) -> Option<&View> {
        self.views.get(&self.open.get(&id)?.number)
    }

    /// A key in a program's window.
    fn key(&self, id: WindowId, key: Key) {
        match key {
            Key::Escape | Key::Q => self.close(id),
            Key::F11 => self.open.get(&id).into_iter().for_each(|shown| shell::full_screen(&shown.window)),
            _ => {
                let _another_key = self.view(id).map(|view| shell::program_key(view, key));
            }
        }
    }
}

impl ApplicationHandler<Event> for Windows {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        let Some(wanted) = self.wanted.take() else { return };
        match Shell::open(events, &wanted.options, wanted.start, wanted.notify, wanted.directory) {
            Ok(shell) => {
                let shell = self.shell.insert(shell);
                wanted.captures.iter().for_each(|path| shell.open_capture(path));
            }
            Err(error) => tracing::error!("the viewer's own window cannot be opened: {error}"),
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        let due = self.shell.as_ref().and_then(Shell::due);
        match (&self.shell, due) {
            (Some(shell), Some(due)) if due <= Instant::now() => shell.redraw(),
            (_, Some(due)) => events.set_control_flow(ControlFlow::WaitUntil(due)),
            (_, None) => events.set_control_flow(ControlFlow::Wait),
        }
    }

    fn user_event(&mut self, events: &ActiveEventLoop, event: Event) {
        match event {
            Event::Connected(view) => {
                if let Some(shell) = &mut self.shell {
                    shell.add(view.clone());
                }
                self.views.insert(view.number, view);
            }
            Event::Window { number, target, width, height, reply } => {
                let size = PhysicalSize::new(width.max(1), height.max(1));
                reply(self.window(events, number, target, size));
            }
            Event::Left { number, why } => {
                self.open.retain(|_, shown| shown.number != number);
                self.views.remove(&number);
                if let Some(shell) = &mut self.shell {
                    shell.remove(number, why);
                }
            }
            Event::News => {
                if let Some(shell) = &self.shell {
                    shell.redraw();
                }
            }
            Event::Refused(why) => {
                if let Some(shell) = &mut self.shell {
                    shell.say(why);
                }
            }
            Event::Ended => events.exit(),
        }
    }

    fn window_event(&mut self, _: &ActiveEventLoop, id: WindowId, event: WindowEvent) {
        if let Some(shell) = self.shell.as_mut().filter(|shell| shell.id() == id) {
            if shell.event(&event) {
                // The server ends, and then the loop.
                self.stop.store(true, Ordering::SeqCst);
            }
            return;
        }
        match event {
            WindowEvent::CloseRequested => self.close(id),
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. }
                if event.state == ElementState::Pressed && !event.repeat =>
            {
                shell::egui_key(&event.logical_key).into_iter().for_each(|key| self.key(id, key));
            }
            _ => {}
        }
    }

    /// The loop ends, and with it the display's connection.
    fn exiting(&mut self, _: &ActiveEventLoop) {
        self.shell = None;
        if let Err(error) = self.end() {
            eprintln!("afterimage-viewer: {error}");
        }
    }
}
