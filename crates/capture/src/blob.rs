//! A capture's pieces of data in memory: as they are, or in the chunks that they came in.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How much is held.
#[derive(Debug, Default)]
pub(crate) struct Account {
    held: AtomicU64,
    packed: AtomicU64,
}

impl Account {
    /// Bytes of data that are held as they are.
    pub(crate) fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// Bytes of chunks.
    pub(crate) fn packed(&self) -> u64 {
        self.packed.load(Ordering::Relaxed)
    }
}

/// A stored piece of data.
#[derive(Clone, Debug)]
pub(crate) enum Blob {
    /// As it is.
    Held(Arc<Held>),
    /// So many bytes of a chunk's content.
    Packed { chunk: Arc<Packed>, first: usize, bytes: usize },
}

impl Blob {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Held(held) => held.bytes.len(),
            Self::Packed { bytes, .. } => *bytes,
        }
    }
}

/// Bytes as they are.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) bytes: Box<[u8]>,
    account: Arc<Account>,
}

impl Held {
    pub(crate) fn new(bytes: Box<[u8]>, account: &Arc<Account>) -> Arc<Self> {
        account.held.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Arc::new(Self { bytes, account: Arc::clone(account) })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.account.held.fetch_sub(self.bytes.len() as u64, Ordering::Relaxed);
    }
}

/// A chunk as the file has it.
#[derive(Debug)]
pub(crate) struct Packed {
    stored: Box<[u8]>,
    /// Bytes of its content, if it is compressed.
    raw: Option<usize>,
    account: Arc<Account>,
}

impl Packed {
    pub(crate) fn new(stored: Box<[u8]>, raw: Option<usize>, account: &Arc<Account>) -> Arc<Self> {
        account.packed.fetch_add(stored.len() as u64, Ordering::Relaxed);
        Arc::new(Self { stored, raw, account: Arc::clone(account) })
    }

    /// Calls `each` with its content, which is unpacked unless it was lately; false where there is no memory for it.
    fn with(self: &Arc<Self>, lately: &mut Lately, each: impl FnOnce(&[u8])) -> bool {
        let Some(raw) = self.raw else {
            each(&self.stored);
            return true;
        };
        if let Some(at) = lately.chunks.iter().position(|(chunk, _)| Arc::ptr_eq(chunk, self)) {
            lately.chunks[..=at].rotate_right(1);
        } else {
            // First, so that what was there and what comes are not there together.
            while lately.chunks.iter().map(|(_, content)| content.len()).sum::<usize>() + raw > LATELY {
                if lately.chunks.pop().is_none() {
                    break;
                }
            }
            // It was unpacked before, so its size is what it says, and its content whole.
            let Ok(content) = zstd::bulk::decompress(&self.stored, raw) else { return false };
            lately.chunks.insert(0, (Arc::clone(self), content));
        }
        lately.chunks.first().map(|(_, content)| each(content)).is_some()
    }
}

impl Drop for Packed {
    fn drop(&mut self) {
        self.account.packed.fetch_sub(self.stored.len() as u64, Ordering::Relaxed);
    }
}

/// Bytes of chunks that stay unpacked: two of the largest.
const LATELY: usize = 2 * crate::chunk::RAW_LIMIT;

/// Chunks that were unpacked lately, the last one first.
#[derive(Debug, Default)]
pub(crate) struct Lately {
    chunks: Vec<(Arc<Packed>, Vec<u8>)>,
}

impl Blob {
    /// Copies bytes from `from` on; false where they are not to be had.
    pub(crate) fn copy(&self, lately: &mut Lately, from: usize, out: &mut [u8]) -> bool {
        let mut copied = false;
        let mut copy = |content: &[u8], from: usize| {
            if let Some(bytes) = content.get(from..).and_then(|rest| rest.get(..out.len())) {
                out.copy_from_slice(bytes);
                copied = true;
            }
        };
        match self {
            Self::Held(held) => copy(&held.bytes, from),
            Self::Packed { chunk, first, .. } => {
                chunk.with(lately, |content| copy(content, first + from));
            }
        }
        copied
    }
}

#[cfg(test)]
impl<const N: usize> From<[u8; N]> for Blob {
    fn from(bytes: [u8; N]) -> Self {
        Self::Held(Held::new(Box::new(bytes), &Arc::default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_counted_until_it_goes() {
        let account = Arc::<Account>::default();
        let blob = Blob::Held(Held::new(Box::new([1; 100]), &account));
        let other = blob.clone();
        let chunk = Packed::new(Box::new([2; 10]), None, &account);
        assert_eq!((account.held(), account.packed()), (100, 10));
        drop((blob, chunk));
        assert_eq!((account.held(), account.packed()), (100, 0));
        drop(other);
        assert_eq!(account.held(), 0);
    }

    #[test]
    fn few_chunks_stay_unpacked() {
        let (account, mut lately) = (Arc::default(), Lately::default());
        let size = crate::chunk::RAW_LIMIT;
        let blobs: Vec<Blob> = (0..4u8)
            .map(|number| {
                let stored = zstd::bulk::compress(&vec![number; size], 1).unwrap().into_boxed_slice();
                Blob::Packed { chunk: Packed::new(stored, Some(size), &account), first: 5, bytes: 100 }
            })
            .collect();
        for number in [0u8, 1, 1, 0, 2, 3, 0, 3] {
            let mut out = [9; 20];
            assert!(blobs[usize::from(number)].copy(&mut lately, 80, &mut out));
            assert_eq!(out, [number; 20]);
            assert!(lately.chunks.len() <= 2);
        }
        assert!(!blobs[0].copy(&mut lately, size - 10, &mut [0; 20]), "behind the chunk's end");
    }
}
