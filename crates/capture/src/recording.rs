//! Recordings of consoles' work, `.kcap` and `.gcap`: what their readers have in common. A recording begins with eight bytes that say
//! what it is, and all of it may be compressed by gzip.

use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// First bytes of a gzip file.
const GZIP: [u8; 2] = [0x1F, 0x8B];

/// Bytes that any compressed recording may hold.
const UNPACKED: u64 = 512 << 20;
/// A larger one may hold so many for each of its own. Memory of a console is seldom compressed to a twentieth.
const RATIO: u64 = 256;

/// A recording is compressed more than any of a console is.
#[derive(Debug, thiserror::Error)]
#[error(
    "more than {limit} bytes come out of its first {bytes}: no console's recording is compressed so much; unpack it by hand if it is one"
)]
struct TooMuch {
    limit: u64,
    bytes: u64,
}

/// Counts the bytes of a file.
struct Counted<R> {
    input: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(out)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// What a compressed file holds, as long as it is not too much for it.
struct Unpacked<R> {
    input: MultiGzDecoder<BufReader<Counted<R>>>,
    read: Arc<AtomicU64>,
    unpacked: u64,
}

impl<R: Read> Unpacked<R> {
    fn new(input: R) -> Self {
        let read = Arc::new(AtomicU64::new(0));
        let counted = Counted { input, read: Arc::clone(&read) };
        Self { input: MultiGzDecoder::new(BufReader::new(counted)), read, unpacked: 0 }
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(out)?;
        self.unpacked += read as u64;
        let bytes = self.read.load(Ordering::Relaxed);
        let limit = bytes.saturating_mul(RATIO).max(UNPACKED);
        if self.unpacked > limit {
            return Err(io::Error::new(ErrorKind::InvalidData, TooMuch { limit, bytes }));
        }
        Ok(read)
    }
}

/// A recording that is being read from front to back.
pub struct Recording {
    input: Box<dyn Read + Send>,
    offset: u64,
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recording").field("offset", &self.offset).finish_non_exhaustive()
    }
}

/// `None` where the file, or what a compressed one holds, ends too early.
fn unless_cut<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

impl Recording {
    /// Opens a file; `None` if it does not begin with `magic`.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(path: &Path, magic: &[u8; 8]) -> io::Result<Option<Self>> {
        Self::new(BufReader::new(File::open(path)?), magic)
    }

    /// Reads the first bytes; `None` if they are not `magic`.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn new(mut input: impl BufRead + Send + 'static, magic: &[u8; 8]) -> io::Result<Option<Self>> {
        let compressed = input.fill_buf()?.starts_with(&GZIP);
        let input: Box<dyn Read + Send> =
            if compressed { Box::new(BufReader::new(Unpacked::new(input))) } else { Box::new(input) };
        let mut recording = Self { input, offset: 0 };
        let first = recording.array()?;
        Ok(first.is_some_and(|first| first == *magic).then_some(recording))
    }

    /// Whether the first bytes of a file are those of a recording; one that is compressed is looked into.
    #[must_use]
    pub fn knows(start: &[u8], magic: &[u8; 8]) -> bool {
        let mut first = [0; 8];
        let compressed = start.starts_with(&GZIP) && MultiGzDecoder::new(start).read_exact(&mut first).is_ok();
        start.starts_with(magic) || compressed && &first == magic
    }

    /// Bytes that were read, of what a compressed file holds.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next few bytes; `None` if the recording ends before.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn array<const N: usize>(&mut self) -> io::Result<Option<[u8; N]>> {
        let mut array = [0; N];
        let read = unless_cut(self.input.read_exact(&mut array))?;
        self.offset += if read.is_some() { N as u64 } else { 0 };
        Ok(read.map(|()| array))
    }

    /// The next bytes; `None` if the recording ends before. Memory is taken as they come, not as the size promises.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn bytes(&mut self, size: u32) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        let read = unless_cut((&mut self.input).take(size.into()).read_to_end(&mut bytes))?;
        if read != Some(size as usize) {
            return Ok(None);
        }
        self.offset += u64::from(size);
        Ok(Some(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::{Cursor, Write};

    const MAGIC: &[u8; 8] = b"MAGIC001";

    #[test]
    fn what_is_compressed_reads_as_what_is_not() {
        let plain = [MAGIC.as_slice(), &[1, 2, 3, 4, 5]].concat();
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(&plain).unwrap();
        for file in [plain, gzip.finish().unwrap()] {
            assert!(Recording::knows(&file, MAGIC) && !Recording::knows(&file, b"MAGIC002"));
            assert!(Recording::new(Cursor::new(file.clone()), b"MAGIC002").unwrap().is_none());
            let mut recording = Recording::new(Cursor::new(file), MAGIC).unwrap().unwrap();
            assert_eq!(recording.array().unwrap(), Some([1, 2]));
            assert_eq!(recording.bytes(2).unwrap(), Some(vec![3, 4]));
            assert_eq!(recording.offset(), 12);
            assert_eq!(recording.bytes(u32::MAX).unwrap(), None);
            assert_eq!(recording.offset(), 12, "as far as something was read");
        }
    }

    #[test]
    fn a_compressed_file_that_holds_much_too_much_is_said_to() {
        // The fastest level of one library makes zeros a 230th, that of another a 260th: the best is a thousandth with both.
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(MAGIC).unwrap();
        let zeros = vec![0; 1 << 20];
        (0..(UNPACKED >> 20) + 1).for_each(|_| gzip.write_all(&zeros).unwrap());
        let file = gzip.finish().unwrap();
        assert!((file.len() as u64) < UNPACKED / RATIO / 2, "{} bytes", file.len());
        let mut recording = Recording::new(Cursor::new(file), MAGIC).unwrap().unwrap();
        let error = loop {
            match recording.bytes(1 << 20) {
                Ok(bytes) => assert!(bytes.is_some(), "it ended"),
                Err(error) => break error.to_string(),
            }
        };
        assert!(error.contains("no console's recording is compressed so much"), "{error}");
        assert!(recording.offset() >= UNPACKED - (1 << 21), "{}", recording.offset());
    }

    #[test]
    fn a_compressed_file_that_is_cut_ends_where_it_is_cut() {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::none());
        gzip.write_all(&[MAGIC.as_slice(), &[7; 64]].concat()).unwrap();
        let mut file = gzip.finish().unwrap();
        file.truncate(file.len() - 40);
        let mut recording = Recording::new(Cursor::new(file), MAGIC).unwrap().unwrap();
        assert_eq!(recording.array().unwrap(), Some([7; 4]));
        assert_eq!(recording.bytes(60).unwrap(), None);
    }
}
