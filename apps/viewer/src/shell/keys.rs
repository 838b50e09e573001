//! Keys of the viewer's own window.

use crate::program::View;
use egui::Key;
use winit::window::{Fullscreen, Window};

/// Keys for people: what is pressed and what it does.
pub(super) const KEYS: [(&str, &str); 26] = [
    ("Programs", ""),
    ("Space", "pause the program, or go on; paused, it waits until its buffers are taken again"),
    ("N", "step one frame (pauses first)"),
    ("F10", "capture the next frame, or keep the paused one, as NAME-1.aftercap"),
    ("F12", "save a picture as NAME-frame-NNNNNN.png, of a capture as NAME-call-NNNNNN.png"),
    ("D", "dump the frame: a text file with every draw's state, and the textures, in the session's folder"),
    ("O", "show or hide figures in the program's window"),
    ("Paused frames and captures", ""),
    ("Down, Up", "step one call"),
    ("PageDown, PageUp", "step ten calls"),
    ("Home, End", "the first and the last call"),
    ("1 to 8", "state, host state, call, textures, resources, shaders, vertices, timing"),
    ("Left, Right; S", "the language in which a shader is shown; the next shader"),
    ("Shift and arrows, pages", "scroll what is known of the call"),
    ("T", "time the frame's calls on the GPU (done by itself for a paused frame)"),
    ("/", "look for calls: part of the name, or a set such as 3-7/draw"),
    ("F", "look for lines in what is known of the call"),
    ("The window", ""),
    ("Tab, Shift+Tab", "the next or the last program or capture"),
    ("W", "close a capture, or the page of a program that has ended"),
    ("F11", "full screen"),
    ("F1, H", "this help"),
    ("Esc", "leave a field; close the help; close messages; leave full screen"),
    ("Ctrl+Q", "end the viewer; programs go on and wait for another one"),
    ("a file dropped", "open a capture"),
    ("the mouse", "does all of this, too"),
];

/// What a key does to a program; false if that is nothing.
pub(crate) fn program_key(view: &View, key: Key) -> bool {
    let control = &view.control;
    match key {
        Key::Space => control.pause_or_go_on(),
        Key::N => control.step(),
        Key::D => control.dump(),
        Key::O => control.switch_hud(),
        Key::F10 => control.capture(),
        Key::F12 => control.save_picture(),
        _ => return false,
    }
    true
}

/// Fills the screen with a window, or no longer.
pub(crate) fn full_screen(window: &Window) {
    let full = window.fullscreen().is_none().then_some(Fullscreen::Borderless(None));
    window.set_fullscreen(full);
}

/// Egui's name of a key.
pub(crate) fn egui_key(key: &winit::keyboard::Key) -> Option<Key> {
    use winit::keyboard::{Key as Pressed, NamedKey};
    Some(match key {
        Pressed::Named(NamedKey::Space) => Key::Space,
        Pressed::Named(NamedKey::Escape) => Key::Escape,
        Pressed::Named(NamedKey::Tab) => Key::Tab,
        Pressed::Named(NamedKey::Home) => Key::Home,
        Pressed::Named(NamedKey::End) => Key::End,
        Pressed::Named(NamedKey::ArrowDown) => Key::ArrowDown,
        Pressed::Named(NamedKey::ArrowUp) => Key::ArrowUp,
        Pressed::Named(NamedKey::ArrowLeft) => Key::ArrowLeft,
        Pressed::Named(NamedKey::ArrowRight) => Key::ArrowRight,
        Pressed::Named(NamedKey::PageDown) => Key::PageDown,
        Pressed::Named(NamedKey::PageUp) => Key::PageUp,
        Pressed::Named(NamedKey::F1) => Key::F1,
        Pressed::Named(NamedKey::F10) => Key::F10,
        Pressed::Named(NamedKey::F11) => Key::F11,
        Pressed::Named(NamedKey::F12) => Key::F12,
        Pressed::Character(text) if text == " " => Key::Space,
        Pressed::Character(text) => Key::from_name(&text.to_uppercase())?,
        _ => return None,
    })
}
