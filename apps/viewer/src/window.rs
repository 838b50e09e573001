//! Windows: one for each program, showing its newest picture.

use crate::program::{Event, Notify, Shown, View};
use crate::server::Server;
use softbuffer::{Context, Surface};
use std::collections::HashMap;
use std::num::NonZeroU32;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, WindowEvent};
use winit::event_loop::{ActiveEventLoop, EventLoop, OwnedDisplayHandle};
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

    /// Shows the server's programs until it ends, or the last window is closed by the user.
    pub(crate) fn run(self, server: Server) -> Result<(), String> {
        let context = Context::new(self.events.owned_display_handle()).map_err(|error| error.to_string())?;
        let stop = server.stop();
        let proxy = self.events.create_proxy();
        let notify = Notify::new(move |event| {
            // The loop has ended: nobody looks any more.
            let _ended = proxy.send_event(event);
        });
        let serving = std::thread::spawn(move || {
            let result = server.run(&notify);
            notify.tell(Event::Ended);
            result
        });
        let mut windows = Windows { context, views: HashMap::new(), open: HashMap::new(), stop: Arc::clone(&stop) };
        let ran = self.events.run_app(&mut windows).map_err(|error| error.to_string());
        stop.store(true, Ordering::SeqCst);
        let served = serving.join().unwrap_or_else(|_| Err("the server ended in a panic; please report it".into()));
        served.and(ran)
    }
}

type Pixels = Surface<OwnedDisplayHandle, Rc<Window>>;

struct Shell {
    number: usize,
    window: Rc<Window>,
    pixels: Pixels,
}

struct Windows {
    context: Context<OwnedDisplayHandle>,
    /// Programs by number.
    views: HashMap<usize, View>,
    open: HashMap<WindowId, Shell>,
    stop: Arc<AtomicBool>,
}

impl Windows {
    fn shell(&mut self, number: usize) -> Option<&mut Shell> {
        self.open.values_mut().find(|shell| shell.number == number)
    }

    /// Opens the program's window, as large as its picture.
    fn open(&mut self, events: &ActiveEventLoop, number: usize) -> Result<(), String> {
        let Some(view) = self.views.get(&number) else { return Ok(()) };
        let (width, height) = view.picture(|shown| (shown.width, shown.height));
        let attributes = Window::default_attributes()
            .with_title(format!("{} - Afterimage", view.name))
            .with_inner_size(PhysicalSize::new(width.max(1), height.max(1)));
        let window = Rc::new(events.create_window(attributes).map_err(|error| error.to_string())?);
        let pixels = Surface::new(&self.context, Rc::clone(&window)).map_err(|error| error.to_string())?;
        self.open.insert(window.id(), Shell { number, window, pixels });
        Ok(())
    }

    fn close(&mut self, id: WindowId) {
        if let Some(shell) = self.open.remove(&id)
            && let Some(view) = self.views.remove(&shell.number)
        {
            view.stop();
        }
    }

    fn key(&mut self, id: WindowId, key: &Key) {
        match key {
            Key::Named(NamedKey::Escape) => self.close(id),
            Key::Character(text) if text.eq_ignore_ascii_case("q") => self.close(id),
            Key::Named(NamedKey::F10) => {
                if let Some(view) = self.open.get(&id).and_then(|shell| self.views.get(&shell.number)) {
                    view.capture();
                }
            }
            Key::Named(NamedKey::F12) => {
                let view = self.open.get(&id).and_then(|shell| self.views.get(&shell.number));
                match view.map(|view| view.save(Path::new("."))) {
                    Some(Ok(path)) => println!("saved {}", path.display()),
                    Some(Err(error)) => eprintln!("afterimage-viewer: {error}"),
                    None => {}
                }
            }
            _ => {}
        }
    }

    fn draw(&mut self, id: WindowId) {
        let Some(shell) = self.open.get_mut(&id) else { return };
        let Some(view) = self.views.get(&shell.number) else { return };
        let size = shell.window.inner_size();
        let (Some(width), Some(height)) = (NonZeroU32::new(size.width), NonZeroU32::new(size.height)) else { return };
        let drawn = view.picture(|shown| {
            shell.pixels.resize(width, height)?;
            let mut buffer = shell.pixels.buffer_mut()?;
            scale(shown, &mut buffer, size);
            buffer.present()
        });
        if let Err(error) = drawn {
            tracing::warn!("drawing the window of {}: {error}", view.name);
        }
    }
}

/// Fills the window with the picture, keeping its shape; the rest stays black. Nearest texels: pixels stay pixels.
fn scale(shown: &Shown, out: &mut [u32], size: PhysicalSize<u32>) {
    out.fill(0);
    if shown.width == 0 || shown.height == 0 || shown.rgba.is_empty() {
        return;
    }
    let by_width = u64::from(size.width) * u64::from(shown.height) <= u64::from(size.height) * u64::from(shown.width);
    let (width, height) = if by_width {
        (size.width, (u64::from(size.width) * u64::from(shown.height) / u64::from(shown.width)) as u32)
    } else {
        ((u64::from(size.height) * u64::from(shown.width) / u64::from(shown.height)) as u32, size.height)
    };
    let (left, top) = ((size.width - width) / 2, (size.height - height) / 2);
    let columns: Vec<usize> =
        (0..width).map(|x| (u64::from(x) * u64::from(shown.width) / u64::from(width)) as usize * 4).collect();
    for y in 0..height {
        let from = (u64::from(y) * u64::from(shown.height) / u64::from(height)) as usize * shown.width as usize * 4;
        let row = &shown.rgba[from..from + shown.width as usize * 4];
        let start = (top + y) as usize * size.width as usize + left as usize;
        for (pixel, &column) in out[start..start + width as usize].iter_mut().zip(&columns) {
            let [red, green, blue] = [row[column], row[column + 1], row[column + 2]].map(u32::from);
            *pixel = red << 16 | green << 8 | blue;
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
            Event::Picture(number) => {
                if let Some(shell) = self.shell(number) {
                    shell.window.request_redraw();
                } else if let Err(error) = self.open(events, number) {
                    eprintln!("afterimage-viewer: opening a window: {error}");
                    self.views.remove(&number);
                }
            }
            Event::Left(number) => {
                let id = self.shell(number).map(|shell| shell.window.id());
                id.into_iter().for_each(|id| self.close(id));
                self.views.remove(&number);
            }
            Event::Ended => events.exit(),
        }
    }

    fn window_event(&mut self, _: &ActiveEventLoop, id: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::CloseRequested => self.close(id),
            WindowEvent::RedrawRequested | WindowEvent::Resized(_) => self.draw(id),
            WindowEvent::KeyboardInput { event, .. } if event.state == ElementState::Pressed && !event.repeat => {
                self.key(id, &event.logical_key);
            }
            _ => {}
        }
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        self.stop.store(true, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_keeps_its_shape_in_any_window() {
        let shown = Shown { frame: 1, width: 2, height: 1, rgba: vec![255, 0, 0, 0, 0, 0, 255, 0] };
        let mut out = [9; 16];
        scale(&shown, &mut out, PhysicalSize::new(4, 4));
        let (red, blue) = (0xff_0000, 0xff);
        assert_eq!(out, [0, 0, 0, 0, red, red, blue, blue, red, red, blue, blue, 0, 0, 0, 0]);
        let mut out = [9; 3];
        scale(&shown, &mut out, PhysicalSize::new(3, 1));
        assert_eq!(out, [red, blue, 0]);
        scale(&Shown::default(), &mut out, PhysicalSize::new(3, 1));
        assert_eq!(out, [0; 3]);
    }
}
