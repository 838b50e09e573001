//! Which blobs of a capture are needed how long.

use crate::CaptureError;
use crate::chunk::{ChunkReader, Tag, field, long};
use crate::reader::{PLACE, RECORD_HEADER, moment};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// Blobs that are known; those behind them are kept as long as the format says.
const BLOBS: u64 = 1 << 23;

/// When the blobs of a capture are placed for the last time. A reader that knows it keeps only what comes again: mostly little, where it
/// would keep 1 GiB. See [`Reader::with_uses`](crate::Reader::with_uses).
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// By blob: the moment of its last place; 0 for those that have none.
    last: Vec<u64>,
}

impl Uses {
    /// Reads a file once.
    ///
    /// # Errors
    /// It cannot be opened, is no capture, or one of another version. What is damaged has no uses.
    pub fn open(path: &Path) -> Result<Self, CaptureError> {
        let file = File::open(path).map_err(CaptureError::io(format!("opening {}", path.display())))?;
        Self::of(BufReader::new(file))
    }

    /// The same of any input.
    ///
    /// # Errors
    /// As [`Uses::open`].
    pub fn of(input: impl Read) -> Result<Self, CaptureError> {
        let (mut chunks, ..) = ChunkReader::new(input)?;
        let (mut uses, mut raw) = (Self::default(), Vec::new());
        loop {
            match chunks.next(&mut raw) {
                Ok(Some((Tag::Frames | Tag::Keyframe, place))) => uses.chunk(place.chunk, &raw),
                Ok(Some((Tag::End, _)) | None) | Err(CaptureError::Io { .. }) => return Ok(uses),
                Ok(Some(_)) | Err(_) => {}
            }
        }
    }

    fn chunk(&mut self, chunk: u64, raw: &[u8]) {
        let mut at = 0;
        while at < raw.len() {
            let start = at + RECORD_HEADER;
            let length = field(raw, at + 4) as usize;
            let Some(payload) = raw.get(start..).and_then(|rest| rest.get(..length)) else { return };
            if field(raw, at) == PLACE && length == 24 {
                let blob = long(payload, 16);
                if blob < BLOBS {
                    let blob = blob as usize;
                    if blob >= self.last.len() {
                        self.last.resize(blob + 1, 0);
                    }
                    self.last[blob] = moment(chunk, at);
                }
            }
            at = (start + length).next_multiple_of(8);
        }
    }

    /// Whether a blob is placed behind a moment, or may be.
    pub(crate) fn after(&self, blob: u64, moment: u64) -> bool {
        blob >= BLOBS || self.last.get(blob as usize).is_some_and(|last| *last > moment)
    }
}
