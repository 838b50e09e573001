//! Memory of resources in this process.

use bytemuck::{Pod, Zeroable};

/// Unit of allocation, so that what a lock hands out is aligned for any vector instruction.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Zeroed bytes, aligned to 64.
pub(crate) struct Bytes {
    lines: Vec<Line>,
    size: usize,
}

impl Bytes {
    /// `size` zero bytes; none if there is no memory for them.
    pub(crate) fn zeroed(size: usize) -> Option<Self> {
        let count = size.div_ceil(64);
        let mut lines = Vec::new();
        lines.try_reserve_exact(count).ok()?;
        lines.resize(count, Line::zeroed());
        Some(Self { lines, size })
    }

    pub(crate) fn len(&self) -> usize {
        self.size
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.lines)[..self.size]
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.size]
    }

    /// Address of the byte at `offset`, for a program to write through until it unlocks. Made from the vector's own
    /// pointer, so references that are taken and dropped in between do not invalidate it.
    pub(crate) fn pointer(&mut self, offset: usize) -> *mut u8 {
        self.lines.as_mut_ptr().cast::<u8>().wrapping_add(offset.min(self.size))
    }
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.size)
    }
}
