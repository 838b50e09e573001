//! Window procedures put before those of a program's windows.
//!
//! A hooked window's messages come here first. Where the program itself has put a procedure before ours in the meantime,
//! ours stays in the chain and only passes messages on; the program's is never taken away.

use core::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use afterimage_d3d9_types::HWND;

use super::super::Listener;
use super::sys::*;

const GWLP_WNDPROC: i32 = -4;
const WM_ACTIVATEAPP: u32 = 0x1c;
const WM_DISPLAYCHANGE: u32 = 0x7e;
const WM_NCDESTROY: u32 = 0x82;
const WM_SYSCOMMAND: u32 = 0x112;
const SC_RESTORE: usize = 0xf120;

/// A window that our procedure is in the chain of.
#[derive(Clone)]
struct Entry {
    window: HWND,
    /// The procedure that was there before.
    next: isize,
    unicode: bool,
    /// Who is told. `None` once that is over, but the program's own procedure still calls ours.
    listener: Option<Arc<dyn Listener>>,
}

/// In the order of hooking. A window may be there twice: its program has put a procedure on top of ours, and was hooked again.
static ENTRIES: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

thread_local! {
    /// Messages that our procedure is passing on, to know a second visit of the same message from a first one.
    static PASSING: RefCell<Vec<(HWND, u32, usize, isize)>> = const { RefCell::new(Vec::new()) };
}

/// Never held while a message is sent.
fn entries() -> MutexGuard<'static, Vec<Entry>> {
    ENTRIES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn current(window: HWND, unicode: bool) -> isize {
    // SAFETY: the system checks the handle.
    unsafe { if unicode { GetWindowLongPtrW(window, GWLP_WNDPROC) } else { GetWindowLongPtrA(window, GWLP_WNDPROC) } }
}

fn replace(window: HWND, unicode: bool, with: isize) -> isize {
    // SAFETY: the system checks the handle; the procedure is ours, or was there before.
    unsafe {
        if unicode {
            SetWindowLongPtrW(window, GWLP_WNDPROC, with)
        } else {
            SetWindowLongPtrA(window, GWLP_WNDPROC, with)
        }
    }
}

/// A hook, which goes when this is dropped.
pub(crate) struct Hook {
    window: HWND,
    listener: Arc<dyn Listener>,
}

impl Hook {
    /// Hooks a window of this process. `None` for one that is not.
    pub(crate) fn new(window: HWND, listener: Arc<dyn Listener>) -> Option<Self> {
        // SAFETY: the system checks the handle.
        let unicode = unsafe {
            if IsWindow(window) == 0 {
                return None;
            }
            IsWindowUnicode(window) != 0
        };
        let ours = procedure as *const () as isize;
        let hook = Self { window, listener: listener.clone() };
        if current(window, unicode) == ours {
            let mut entries = entries();
            let entry = entries.iter_mut().rfind(|entry| entry.window == window)?;
            entry.listener = Some(listener);
            return Some(hook);
        }
        // First the entry, since messages may come as soon as the procedure is in place.
        let next = current(window, unicode);
        entries().push(Entry { window, next, unicode, listener: Some(listener) });
        if replace(window, unicode, ours) == 0 {
            entries().pop_if(|entry| entry.window == window);
            tracing::warn!(window, "a window of another process cannot be hooked");
            return None;
        }
        Some(hook)
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        let same = |entry: &Entry| {
            entry.window == self.window && entry.listener.as_ref().is_some_and(|l| Arc::ptr_eq(l, &self.listener))
        };
        let Some(entry) = entries().iter().rfind(|entry| same(entry)).cloned() else { return };
        if current(self.window, entry.unicode) == procedure as *const () as isize {
            replace(self.window, entry.unicode, entry.next);
            entries().retain(|entry| !same(entry));
        } else if let Some(entry) = entries().iter_mut().rfind(|entry| same(entry)) {
            entry.listener = None;
        }
    }
}

/// What a message that has arrived here goes on to.
enum Turn {
    /// The entry's listener, then the next procedure.
    First(Entry),
    /// The procedure below: the one above has passed the message on to ours.
    Again(Entry),
    /// There is none.
    End,
}

fn turn(window: HWND, message: (u32, usize, isize)) -> Turn {
    let entries = entries();
    let mut found = entries.iter().rev().filter(|entry| entry.window == window);
    let visit = (window, message.0, message.1, message.2);
    let visits = PASSING.with_borrow(|passing| passing.iter().filter(|passed| **passed == visit).count());
    match (entries.iter().filter(|entry| entry.window == window).count(), visits) {
        (0, _) => Turn::End,
        // With one entry, a message inside of the same message is a new one.
        (1, _) | (_, 0) => found.next().cloned().map_or(Turn::End, Turn::First),
        (_, visits) => found.nth(visits).cloned().map_or(Turn::End, Turn::Again),
    }
}

/// The procedure of hooked windows.
unsafe extern "system" fn procedure(window: HWND, message: u32, w: usize, l: isize) -> isize {
    crate::abi::macros::guard("the window procedure", 0, || {
        let default = |unicode: bool| {
            // SAFETY: what the system has called us with.
            unsafe {
                if unicode { DefWindowProcW(window, message, w, l) } else { DefWindowProcA(window, message, w, l) }
            }
        };
        let entry = match turn(window, (message, w, l)) {
            Turn::End => return default(true),
            Turn::Again(entry) => Entry { listener: None, ..entry },
            Turn::First(entry) => entry,
        };
        if let Some(listener) = &entry.listener {
            if listener.filters() && message != WM_DISPLAYCHANGE {
                return default(entry.unicode);
            }
            match message {
                WM_DISPLAYCHANGE => listener.display_changed(),
                WM_ACTIVATEAPP => listener.activated(w != 0),
                // Restored first, so that the program finds it done.
                WM_SYSCOMMAND if w == SC_RESTORE => {
                    default(entry.unicode);
                }
                _ => {}
            }
        }
        PASSING.with_borrow_mut(|passing| passing.push((window, message, w, l)));
        // SAFETY: the procedure that was there before, with what the system has called us with.
        let result = unsafe {
            if entry.unicode {
                CallWindowProcW(entry.next, window, message, w, l)
            } else {
                CallWindowProcA(entry.next, window, message, w, l)
            }
        };
        PASSING.with_borrow_mut(|passing| passing.pop());
        if message == WM_NCDESTROY {
            entries().retain(|entry| entry.window != window);
        }
        result
    })
}
