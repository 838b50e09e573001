//! The viewer's own window: a desk with programs and captures, and what connects it with the display.

mod desk;
mod keys;
mod page;

pub(crate) use keys::{egui_key, full_screen, program_key};

use crate::painter::Painter;
use crate::program::{Notify, View};
use crate::renderer::Start;
use afterimage_vulkan::Options;
use afterimage_window::Handles;
use desk::{Act, Desk, Press};
use egui::ViewportId;
use std::path::Path;
use std::time::{Duration, Instant};
use winit::dpi::LogicalSize;
use winit::event::{ElementState, WindowEvent};
use winit::event_loop::ActiveEventLoop;
use winit::keyboard::ModifiersState;
use winit::window::Window;

/// The window. The painter goes before the window that it draws into.
pub(crate) struct Shell {
    painter: Painter,
    input: egui_winit::State,
    window: Window,
    title: String,
    desk: Desk,
    modifiers: ModifiersState,
    /// Whether nothing of the window can be seen.
    hidden: bool,
    /// When egui wants to be drawn next.
    due: Option<Instant>,
    failed: bool,
}

impl Shell {
    /// Opens the window.
    pub(crate) fn open(
        events: &ActiveEventLoop,
        options: &Options,
        start: Start,
        notify: Notify,
        directory: String,
    ) -> Result<Self, String> {
        let attributes =
            Window::default_attributes().with_title("Afterimage").with_inner_size(LogicalSize::new(1280.0, 800.0));
        let window = events.create_window(attributes).map_err(|error| error.to_string())?;
        let painter = Painter::new(options, Handles::of(&window)?)?;
        let desk = Desk::new(start, notify, directory);
        let scale = Some(window.scale_factor() as f32);
        let input = egui_winit::State::new(desk.ctx.clone(), ViewportId::ROOT, &window, scale, None, Some(4096));
        window.request_redraw();
        Ok(Self {
            painter,
            input,
            window,
            title: String::new(),
            desk,
            modifiers: ModifiersState::empty(),
            hidden: false,
            due: None,
            failed: false,
        })
    }

    /// The window's name.
    pub(crate) fn id(&self) -> winit::window::WindowId {
        self.window.id()
    }

    /// A program has connected.
    pub(crate) fn add(&mut self, view: View) {
        self.desk.add(view);
        self.redraw();
    }

    /// A program is gone, and why, if neither it nor the user wanted that.
    pub(crate) fn remove(&mut self, number: usize, why: Option<String>) {
        self.desk.remove(number, why);
        self.redraw();
    }

    /// Tells the user that something is wrong.
    pub(crate) fn say(&mut self, message: String) {
        self.desk.say(message);
        self.redraw();
    }

    /// Something is to be shown anew.
    pub(crate) fn redraw(&self) {
        self.window.request_redraw();
    }

    /// When the window wants to be drawn though nothing happens.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Opens a capture.
    pub(crate) fn open_capture(&mut self, path: &Path) {
        self.desk.open_capture(path);
        self.redraw();
    }

    /// An event of the window; true if the user wants the viewer to end.
    pub(crate) fn event(&mut self, event: &WindowEvent) -> bool {
        match event {
            WindowEvent::CloseRequested => return true,
            WindowEvent::RedrawRequested => {
                self.draw();
                return false;
            }
            WindowEvent::Occluded(hidden) => {
                self.hidden = *hidden;
                self.desk.watch(!hidden);
                self.redraw();
            }
            WindowEvent::ModifiersChanged(modifiers) => self.modifiers = modifiers.state(),
            WindowEvent::DroppedFile(path) => self.open_capture(path),
            // Synthetic ones were down before the window had the focus: they were meant for another.
            WindowEvent::KeyboardInput { event: key, is_synthetic: false, .. }
                if key.state == ElementState::Pressed =>
            {
                let (control, shift) = (self.modifiers.control_key(), self.modifiers.shift_key());
                let press = egui_key(&key.logical_key).map(|k| Press { key: k, control, shift, again: key.repeat });
                match press.map_or(Act::Other, |press| self.desk.key(press)) {
                    Act::Other => {}
                    Act::Done => {
                        self.redraw();
                        return false;
                    }
                    Act::FullScreen => {
                        full_screen(&self.window);
                        return false;
                    }
                    Act::NormalSize => {
                        self.window.set_fullscreen(None);
                        return false;
                    }
                    Act::End => return true,
                }
            }
            _ => {}
        }
        if self.input.on_window_event(&self.window, event).repaint {
            self.redraw();
        }
        false
    }

    fn draw(&mut self) {
        let size = self.window.inner_size();
        let size = [size.width, size.height];
        if self.failed || size.contains(&0) {
            return;
        }
        self.desk.take_news();
        self.desk.watch(!self.hidden);
        let raw = self.input.take_egui_input(&self.window);
        let ctx = self.desk.ctx.clone();
        let mut output = ctx.run_ui(raw, |ui| self.desk.show(ui));
        self.input.handle_platform_output(&self.window, output.platform_output);
        let title = self.desk.title();
        if title != self.title {
            self.window.set_title(&title);
            self.title = title;
        }
        let delay = output.viewport_output.get(&ViewportId::ROOT).map_or(Duration::MAX, |view| view.repaint_delay);
        self.due = Instant::now().checked_add(delay).filter(|_| delay < Duration::from_secs(3600));
        let primitives = ctx.tessellate(output.shapes, output.pixels_per_point);
        let painted = self.painter.paint(size, &primitives, &output.textures_delta, output.pixels_per_point);
        output.textures_delta.clear();
        if let Err(error) = painted {
            // The programs' pictures and files go on without it.
            tracing::error!("the viewer's window cannot be drawn any more: {error}");
            self.failed = true;
        }
    }
}
