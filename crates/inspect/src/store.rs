//! Bytes that are seldom looked at: the first of them in memory, all others in a file that nobody sees.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that stay in memory.
const MEMORY: usize = 32 << 20;

/// Bytes that were stored.
#[derive(Clone, Debug)]
pub(crate) enum Stored {
    Memory(Arc<[u8]>),
    File { at: u64, size: usize },
}

impl Stored {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Memory(bytes) => bytes.len(),
            Self::File { size, .. } => *size,
        }
    }
}

/// Where they are.
#[derive(Debug)]
pub(crate) struct Store {
    /// Bytes that memory still takes.
    left: usize,
    /// The file, once there is one, and its size.
    file: Mutex<Option<(File, u64)>>,
}

impl Store {
    pub(crate) fn new() -> Self {
        Self::with(MEMORY)
    }

    fn with(left: usize) -> Self {
        Self { left, file: Mutex::new(None) }
    }

    /// Stores bytes: in memory where no file takes them.
    pub(crate) fn put(&mut self, bytes: Vec<u8>) -> Stored {
        if let Some(left) = self.left.checked_sub(bytes.len()) {
            self.left = left;
            return Stored::Memory(bytes.into());
        }
        self.append(&bytes).unwrap_or_else(|_| Stored::Memory(bytes.into()))
    }

    fn append(&self, bytes: &[u8]) -> io::Result<Stored> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut out, at) = match file.take() {
            Some(file) => file,
            None => (tempfile::tempfile()?, 0),
        };
        // What was written in part is written over.
        let written = out.seek(SeekFrom::Start(at)).and_then(|_| out.write_all(bytes));
        let end = if written.is_ok() { at + bytes.len() as u64 } else { at };
        *file = Some((out, end));
        written.map(|()| Stored::File { at, size: bytes.len() })
    }

    /// The bytes; `None` where the file does not give them any more.
    pub(crate) fn get(&self, stored: &Stored) -> Option<Arc<[u8]>> {
        match stored {
            Stored::Memory(bytes) => Some(Arc::clone(bytes)),
            Stored::File { at, size } => {
                let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
                let (file, _) = file.as_mut()?;
                let mut bytes = vec![0; *size];
                file.seek(SeekFrom::Start(*at)).and_then(|_| file.read_exact(&mut bytes)).ok()?;
                Some(bytes.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Store, Stored};

    #[test]
    fn what_memory_does_not_take_comes_back_from_the_file() {
        let mut store = Store::with(100);
        let pieces: Vec<Vec<u8>> = (0..50u8).map(|number| vec![number; 10 + usize::from(number)]).collect();
        let stored: Vec<Stored> = pieces.iter().map(|piece| store.put(piece.clone())).collect();
        let in_memory: usize = stored.iter().filter(|one| matches!(one, Stored::Memory(_))).map(Stored::len).sum();
        assert!((51..=100).contains(&in_memory), "{in_memory} bytes");
        for (piece, stored) in pieces.iter().zip(&stored).rev() {
            assert_eq!((stored.len(), store.get(stored).as_deref()), (piece.len(), Some(&piece[..])));
        }
        assert_eq!(Store::with(0).get(&Stored::File { at: 0, size: 1 }), None);
    }
}
