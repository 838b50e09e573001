//! Resources: their memory in this process, what of it the receiver does not have, and how it gets there.

mod buffer;
mod image;
mod region;
mod upload;

pub(crate) use buffer::Buffer;
pub(crate) use image::{Image, ImageDesc, ImageKind, Lock, Sub};
pub(crate) use region::Region;

/// A title with the program's own name before it.
fn titled(name: Option<&str>, title: String) -> String {
    match name {
        Some(name) => format!("{name} ({title})"),
        None => title,
    }
}

/// What a lock hands out. The pointer stays good until the unlock; the start of a resource is aligned to 64 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Locked {
    /// First byte of the locked part.
    pub bits: *mut u8,
    /// Bytes from one row (of blocks) to the next; 0 for buffers.
    pub row_pitch: u32,
    /// Bytes from one depth slice to the next; 0 where there are none.
    pub slice_pitch: u32,
    /// Bytes that may be touched from `bits` on.
    pub size: usize,
}
