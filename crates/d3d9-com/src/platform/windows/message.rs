//! A message box, for what a program's user has to know.

use super::sys::MessageBoxW;

/// Shows a text and asks whether to try again; waits for the answer.
pub(crate) fn ask_again(title: &str, text: &str) -> bool {
    const RETRY_CANCEL: u32 = 5;
    const ICON_ERROR: u32 = 0x10;
    const SET_FOREGROUND: u32 = 0x1_0000;
    const RETRY: i32 = 4;
    let wide = |text: &str| text.encode_utf16().filter(|&unit| unit != 0).chain([0]).collect::<Vec<_>>();
    let (title, text) = (wide(title), wide(text));
    // SAFETY: no owner is needed; both texts end, and live as long as the call.
    unsafe { MessageBoxW(0, text.as_ptr(), title.as_ptr(), RETRY_CANCEL | ICON_ERROR | SET_FOREGROUND) == RETRY }
}
