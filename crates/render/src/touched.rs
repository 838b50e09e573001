//! When a buffer's or a texture's contents were last read and written.

/// Epochs in which a buffer's or a texture's contents were last read and written by shaders and copies.
#[derive(Clone, Copy, Debug, Default)]
pub struct Touched {
    read: u64,
    written: u64,
}

impl Touched {
    /// Whether an access must wait for an earlier one of the same epoch.
    #[inline]
    pub fn conflicts(&self, epoch: u64, writes: bool) -> bool {
        self.written == epoch || (writes && self.read == epoch)
    }

    /// Notes an access in an epoch.
    #[inline]
    pub fn note(&mut self, epoch: u64, writes: bool) {
        let place = if writes { &mut self.written } else { &mut self.read };
        *place = epoch;
    }
}
