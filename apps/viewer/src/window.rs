//! Windows: one for each present target of each program. The programs' renderers draw into them from their threads.

use crate::program::{Event, Notify, View};
use crate::server::Server;
use crate::surface::Handles;
use afterimage_stream::ObjectId;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, WindowEvent};
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::window::{Window, WindowId};

/// A connection to the display.
pub(crate) struct Display {
    events: EventLoop<Event>,
}

impl Display {
    /// Connects to the display, if there is one.
    pub(crate) fn open() -> Result<Self, String> {
        if ["DISPLAY", "WAYLAND_DISPLAY"].iter().all(|name| std::env::var_os(name).is_none_or(|value| value.is_empty()))
        {
            return Err("neither DISPLAY nor WAYLAND_DISPLAY is set".into());
        }
        // winit looks its libraries up at run time and panics where one is missing.
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let built = std::panic::catch_unwind(|| EventLoop::with_user_event().build());
        std::panic::set_hook(hook);
        match built {
            Ok(Ok(events)) => Ok(Self { events }),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("a library for windows is missing (libxkbcommon-x11-0, libxcursor1, libxi6)".into()),
        }
    }

    /// Shows the server's programs until it ends.
    pub(crate) fn run(self, server: Server) -> Result<(), String> {
        let stop = server.stop();
        let proxy = self.events.create_proxy();
        let notify = Notify::new(move |event| {
            // The loop has ended: nobody looks any more.
            let _ended = proxy.send_event(event);
        });
        let mut windows =
            Windows { views: HashMap::new(), open: HashMap::new(), stop: Arc::clone(&stop), serving: None };
        windows.serving = Some(std::thread::spawn(move || {
            let result = server.run(&notify);
            notify.tell(Event::Ended);
            result
        }));
        let ran = self.events.run_app(&mut windows).map_err(|error| error.to_string());
        windows.end().and(ran)
    }
}

struct Shell {
    number: usize,
    target: ObjectId,
    window: Window,
}

struct Windows {
    /// Programs by number.
    views: HashMap<usize, View>,
    open: HashMap<WindowId, Shell>,
    stop: Arc<AtomicBool>,
    serving: Option<std::thread::JoinHandle<Result<(), String>>>,
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

    /// The window of a program's target, opened now if it is new.
    fn window(
        &mut self,
        events: &ActiveEventLoop,
        number: usize,
        target: ObjectId,
        size: PhysicalSize<u32>,
    ) -> Result<Handles, String> {
        if let Some(shell) = self.open.values().find(|shell| (shell.number, shell.target) == (number, target)) {
            return Handles::of(&shell.window);
        }
        let name = self.views.get(&number).map_or("program", |view| &view.name);
        let attributes = Window::default_attributes().with_title(format!("{name} - Afterimage")).with_inner_size(size);
        let window = events.create_window(attributes).map_err(|error| error.to_string())?;
        let handles = Handles::of(&window)?;
        self.open.insert(window.id(), Shell { number, target, window });
        Ok(handles)
    }

    /// The user closes a window: its program is disconnected, which ends its drawing, which ends the window.
    fn close(&self, id: WindowId) {
        if let Some(shell) = self.open.get(&id) {
            shell.window.set_visible(false);
        }
        if let Some(view) = self.view(id) {
            view.stop();
        }
    }

    fn view(&self, id: WindowId) -> Option<&View> {
        self.views.get(&self.open.get(&id)?.number)
    }

    fn key(&self, id: WindowId, key: &Key) {
        match key {
            Key::Named(NamedKey::Escape) => self.close(id),
            Key::Character(text) if text.eq_ignore_ascii_case("q") => self.close(id),
            Key::Named(NamedKey::F10) => self.view(id).into_iter().for_each(View::capture),
            Key::Named(NamedKey::F12) => self.view(id).into_iter().for_each(View::save_picture),
            _ => {}
        }
    }
}

impl ApplicationHandler<Event> for Windows {
    fn resumed(&mut self, _: &ActiveEventLoop) {}

    fn user_event(&mut self, events: &ActiveEventLoop, event: Event) {
        match event {
            Event::Connected(view) => {
                self.views.insert(view.number, view);
            }
            Event::Window { number, target, width, height, reply } => {
                let size = PhysicalSize::new(width.max(1), height.max(1));
                // Whoever asked may have stopped waiting.
                let _late = reply.send(self.window(events, number, target, size));
            }
            Event::Left(number) => {
                self.open.retain(|_, shell| shell.number != number);
                self.views.remove(&number);
            }
            Event::Ended => events.exit(),
        }
    }

    fn window_event(&mut self, _: &ActiveEventLoop, id: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::CloseRequested => self.close(id),
            WindowEvent::KeyboardInput { event, .. } if event.state == ElementState::Pressed && !event.repeat => {
                self.key(id, &event.logical_key);
            }
            _ => {}
        }
    }

    /// The loop ends, and with it the display's connection.
    fn exiting(&mut self, _: &ActiveEventLoop) {
        if let Err(error) = self.end() {
            eprintln!("afterimage-viewer: {error}");
        }
    }
}
