//! How much memory and work a file may cost.

/// What a reader of a capture may take, whatever is in the file: no number of the file is trusted further than this. What is past a limit
/// is a [`CaptureError::Limit`](crate::CaptureError::Limit) that names it, and the rest of the file, or of the chunk, is left out.
///
/// The defaults are what no capture of a real program comes near to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of data that are held as they are. More is no error: it is held as the file has it, compressed, and unpacked when it is used.
    pub held: u64,
    /// Bytes of compressed chunks that are held instead. Each is a byte of the file, so that a small file cannot ask for much.
    pub packed: u64,
    /// Pieces of data that are kept to be placed again.
    pub blobs: usize,
    /// Pieces of data that can lie in the arena at a time; the busiest frames have some ten thousand.
    pub pieces: usize,
    /// Frames of the index.
    pub frames: usize,
    /// Bytes that any file may have, unpacked.
    pub unpacked: u64,
    /// A larger one may have so many for each of its own: what programs send is seldom compressed to a twentieth.
    pub ratio: u64,
}

impl Limits {
    /// 128 MiB of data as it is, 4 GiB of compressed chunks, 2^21 pieces of data that are kept, 2^20 in the arena, 2^22 frames; 4 GiB
    /// unpacked, or 256 times the file.
    pub const DEFAULT: Self = Self {
        held: 128 << 20,
        packed: 4 << 30,
        blobs: 1 << 21,
        pieces: 1 << 20,
        frames: 1 << 22,
        unpacked: 4 << 30,
        ratio: 256,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
