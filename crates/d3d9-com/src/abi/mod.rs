//! The binary interface: vtables, identifiers and parameters of every Direct3D 9 interface, from one table.
#![allow(non_snake_case)]

mod interfaces;
pub mod macros;
pub mod pointers;

pub use interfaces::*;
pub(crate) use pointers::Interface;
pub use pointers::{In, Object, Out, OutObject};

use afterimage_d3d9_types::GUID;

/// A row of the interface table.
#[derive(Clone, Copy, Debug)]
pub struct InterfaceInfo {
    /// Name.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// The interface that it extends, or empty.
    pub base: &'static str,
    /// Identifier.
    pub iid: GUID,
    /// Its own methods in vtable order, after those of the base.
    pub methods: &'static [MethodInfo],
}

/// A method of an [`InterfaceInfo`].
#[derive(Clone, Copy, Debug)]
pub struct MethodInfo {
    /// Name.
    pub name: &'static str,
    /// Type of the result, or empty.
    pub result: &'static str,
    /// Names and types, in Rust's spelling.
    pub parameters: &'static [(&'static str, &'static str)],
}

/// Reads an identifier as it is written, `81bdcbca-64d4-426d-ae8d-ad0147f4275c`.
pub(crate) const fn guid(text: &str) -> GUID {
    let text = text.as_bytes();
    assert!(text.len() == 36, "an identifier has 36 characters");
    let mut bytes = [0u8; 16];
    let (mut at, mut digits) = (0, 0);
    while at < text.len() {
        let digit = match text[at] {
            b'-' => {
                at += 1;
                continue;
            }
            c @ b'0'..=b'9' => c - b'0',
            c @ b'a'..=b'f' => c - b'a' + 10,
            _ => panic!("an identifier has hexadecimal digits and dashes"),
        };
        bytes[digits / 2] = bytes[digits / 2] << 4 | digit;
        digits += 1;
        at += 1;
    }
    let b = bytes;
    GUID {
        Data1: u32::from_be_bytes([b[0], b[1], b[2], b[3]]),
        Data2: u16::from_be_bytes([b[4], b[5]]),
        Data3: u16::from_be_bytes([b[6], b[7]]),
        Data4: [b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]],
    }
}

/// Logs a warning the first time that this place is reached.
macro_rules! log_once {
    ($($message:tt)*) => {{
        static LOGGED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
        if !LOGGED.swap(true, std::sync::atomic::Ordering::Relaxed) {
            tracing::warn!("{}", format_args!("{}", $($message)*));
        }
    }};
}
pub(crate) use log_once;
