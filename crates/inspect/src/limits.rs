//! How much a capture may cost.

/// How much memory a capture may take, whatever is in the file.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of packets, and of what is noted of each; what comes behind them is left out, and [`Capture::damage`](crate::Capture::damage) says so.
    pub packets: usize,
    /// Bytes of shader code, vertices and indices; what comes behind them is not known to [`Capture::vertices`](crate::Capture::vertices) and
    /// [`Capture::shaders`](crate::Capture::shaders).
    pub data: usize,
    /// Bytes of copies of the state.
    pub snapshots: usize,
}

impl Limits {
    /// Those of a file of so many bytes: a small one does not need what a large one may. 1 GiB of packets, but no more than 32 times the
    /// file, or 128 MiB; of data as much, or 256 MiB.
    #[must_use]
    pub fn of_file(bytes: u64) -> Self {
        let all = Self::default();
        let share = usize::try_from(bytes.saturating_mul(32)).unwrap_or(usize::MAX);
        Self { packets: share.clamp(128 << 20, all.packets), data: share.clamp(256 << 20, all.data), ..all }
    }
}

impl Default for Limits {
    /// 1 GiB of packets, 1 GiB of data (most of it in a file that has no name), 64 MiB of state.
    fn default() -> Self {
        Self { packets: 1 << 30, data: 1 << 30, snapshots: 64 << 20 }
    }
}
