//! Reads records one after the other.

use super::{Dump, LONGEST_NAME, MAGIC, Picture, Record, Submission};
use crate::memory::ADDRESS_BITS;
use afterimage_capture::Recording;
use std::io::BufRead;
use std::path::Path;

/// A record, its number and the offset of its tag in the decompressed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// From 0.
    pub number: u64,
    /// In bytes.
    pub offset: u64,
    /// The record.
    pub record: Record,
}

/// What is wrong with a recording.
#[derive(Debug, thiserror::Error)]
pub enum GcapError {
    /// It cannot be read or written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// It is something else.
    #[error("it is not a recording of GNM work: it does not begin with GNMCAP01")]
    Magic,
    /// The file ends inside of a record, or without `END `.
    #[error("record {number} at {offset:#x}: the file ends before its {field}")]
    Truncated {
        /// Number of the record.
        number: u64,
        /// Offset of its tag.
        offset: u64,
        /// What would have come.
        field: &'static str,
    },
    /// A tag that is not known.
    #[error("record {number} at {offset:#x}: there is no record of the kind {tag:?}")]
    Tag {
        /// Number of the record.
        number: u64,
        /// Offset of its tag.
        offset: u64,
        /// The tag.
        tag: String,
    },
    /// A field that is not as it must be.
    #[error("record {number} ({tag}) at {offset:#x}: {field} is {value:#x}, expected {expected}")]
    Field {
        /// Number of the record.
        number: u64,
        /// Its tag.
        tag: String,
        /// Offset of its tag.
        offset: u64,
        /// The field.
        field: &'static str,
        /// What it holds.
        value: u64,
        /// What it may hold.
        expected: &'static str,
    },
}

/// Reads a recording, compressed or not.
#[derive(Debug)]
pub struct Reader {
    input: Recording,
    number: u64,
    ended: bool,
}

/// Bytes of the longest record of memory: more memory is several records.
const LONGEST: u32 = 256 << 20;
/// Bytes of the longest of any other record: what a name needs, and some fields.
const LONGEST_OTHER: u32 = 8192;
/// Columns, lines and pitch of the largest picture.
const LARGEST: u32 = 1 << 14;

/// A record that is being read: its place, and the payload from front to back.
struct Payload {
    number: u64,
    offset: u64,
    tag: [u8; 4],
    bytes: Vec<u8>,
    at: usize,
}

impl Payload {
    fn wrong(&self, field: &'static str, value: u64, expected: &'static str) -> GcapError {
        let tag = String::from_utf8_lossy(&self.tag).trim_end().to_owned();
        GcapError::Field { number: self.number, tag, offset: self.offset, field, value, expected }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], GcapError> {
        let Some(&array) = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) else {
            let length = self.bytes.len() as u64;
            return Err(self.wrong("payload length", length, "what the fields of the record need"));
        };
        self.at += N;
        Ok(array)
    }

    fn word(&mut self) -> Result<u32, GcapError> {
        self.array().map(u32::from_le_bytes)
    }

    fn long(&mut self) -> Result<u64, GcapError> {
        self.array().map(u64::from_le_bytes)
    }

    /// An address and a size, which end below 2^48.
    fn range(&mut self) -> Result<(u64, u64), GcapError> {
        let (address, size) = (self.long()?, self.long()?);
        self.check(address, size)?;
        Ok((address, size))
    }

    fn check(&self, address: u64, size: u64) -> Result<(), GcapError> {
        let inside = address.checked_add(size).is_some_and(|end| end <= 1 << ADDRESS_BITS);
        if inside { Ok(()) } else { Err(self.wrong("address", address, "a range that ends below 2^48")) }
    }

    fn name(&mut self) -> Result<String, GcapError> {
        let length = self.word()?;
        if length > LONGEST_NAME {
            return Err(self.wrong("text length", length.into(), "at most 4096"));
        }
        let Some(bytes) = self.bytes.get(self.at..).and_then(|bytes| bytes.get(..length as usize)) else {
            return Err(self.wrong("text length", length.into(), "at most what is left of the record"));
        };
        let name = String::from_utf8_lossy(bytes).into_owned();
        self.at += length as usize;
        Ok(name)
    }

    fn side(&mut self, field: &'static str) -> Result<u32, GcapError> {
        let value = self.word()?;
        if (1..=LARGEST).contains(&value) { Ok(value) } else { Err(self.wrong(field, value.into(), "1 to 16384")) }
    }

    fn record(mut self) -> Result<Option<Record>, GcapError> {
        let record = match &self.tag {
            b"MEM " => {
                let address = self.long()?;
                let bytes = self.bytes.split_off(self.at);
                self.check(address, bytes.len() as u64)?;
                return Ok(Some(Record::Memory { address, bytes }));
            }
            b"MAP " => {
                let (address, size) = self.range()?;
                Record::Map { address, size }
            }
            b"SUBM" => {
                let (queue, _reserved) = (self.word()?, self.word()?);
                let submission = Submission { queue, draw: self.range()?, constant: self.range()? };
                if submission.queue().is_none() {
                    return Err(self.wrong("queue", queue.into(), "0 to 56"));
                }
                Record::Submit(submission)
            }
            b"FLIP" => {
                let address = self.long()?;
                self.check(address, 0)?;
                let (width, height, pitch) = (self.side("width")?, self.side("height")?, self.side("pitch")?);
                if pitch < width {
                    return Err(self.wrong("pitch", pitch.into(), "at least the width"));
                }
                let (format, tiling) = (self.word()?, self.word()?);
                if tiling > 31 {
                    return Err(self.wrong("tiling index", tiling.into(), "0 to 31"));
                }
                Record::Flip(Picture { address, width, height, pitch, format, tiling, name: self.name()? })
            }
            b"DUMP" => {
                let (address, size) = self.range()?;
                Record::Dump(Dump { address, size, name: self.name()? })
            }
            b"END " => return Ok(None),
            tag => {
                let tag = String::from_utf8_lossy(tag).into_owned();
                return Err(GcapError::Tag { number: self.number, offset: self.offset, tag });
            }
        };
        // Bytes behind a text that fill a word up may be counted.
        if self.at.next_multiple_of(4) < self.bytes.len() {
            return Err(self.wrong("payload length", self.bytes.len() as u64, "what the fields of the record need"));
        }
        Ok(Some(record))
    }
}

impl Reader {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// If it cannot be read, or is no recording.
    pub fn open(path: &Path) -> Result<Self, GcapError> {
        Self::begin(Recording::open(path, MAGIC)?)
    }

    /// Reads the header of a recording.
    ///
    /// # Errors
    /// If it cannot be read, or is no recording.
    pub fn new(input: impl BufRead + Send + 'static) -> Result<Self, GcapError> {
        Self::begin(Recording::new(input, MAGIC)?)
    }

    fn begin(input: Option<Recording>) -> Result<Self, GcapError> {
        Ok(Self { input: input.ok_or(GcapError::Magic)?, number: 0, ended: false })
    }

    /// Whether the first bytes of a file are those of a recording; one that is compressed is looked into.
    #[must_use]
    pub fn knows(start: &[u8]) -> bool {
        Recording::knows(start, MAGIC)
    }

    /// The next record; `None` behind the last.
    ///
    /// # Errors
    /// If the file is damaged; nothing more can be read then.
    pub fn next_record(&mut self) -> Result<Option<Located>, GcapError> {
        if self.ended {
            return Ok(None);
        }
        let result = self.read();
        self.ended = !matches!(result, Ok(Some(_)));
        result
    }

    fn read(&mut self) -> Result<Option<Located>, GcapError> {
        let (number, offset) = (self.number, self.input.offset());
        let cut = |field| GcapError::Truncated { number, offset, field };
        let tag = self.input.array()?.ok_or(cut("tag"))?;
        let length = u32::from_le_bytes(self.input.array()?.ok_or(cut("payload length"))?);
        let (most, expected) = match &tag {
            b"MEM " => (LONGEST, "at most 256 MiB: more memory is several records"),
            _ => (LONGEST_OTHER, "at most 8192"),
        };
        if length > most {
            let payload = Payload { number, offset, tag, bytes: Vec::new(), at: 0 };
            return Err(payload.wrong("payload length", length.into(), expected));
        }
        let bytes = self.input.bytes(length)?.ok_or(cut("payload"))?;
        self.input.bytes(length.wrapping_neg() % 4)?.ok_or(cut("padding"))?;
        let record = Payload { number, offset, tag, bytes, at: 0 }.record()?;
        self.number += 1;
        Ok(record.map(|record| Located { number, offset, record }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Writer;
    use super::*;
    use std::io::{Cursor, Write};

    fn records() -> Vec<Record> {
        let submission = Submission { queue: 9, draw: (0x1000, 8), constant: (0, 0) };
        let picture = Picture { address: 64, width: 3, height: 2, pitch: 4, format: 10, tiling: 8, name: "a b".into() };
        vec![
            Record::Map { address: 0x1_0000_0000, size: 1 << 30 },
            Record::Memory { address: 0x1000, bytes: vec![1, 2, 3, 4, 5] },
            Record::Submit(submission),
            Record::Flip(picture),
            Record::Dump(Dump { address: 0x1000, size: 5, name: "five".into() }),
        ]
    }

    fn file() -> Vec<u8> {
        let mut writer = Writer::new(Vec::new()).unwrap();
        records().iter().for_each(|record| writer.record(record).unwrap());
        writer.finish().unwrap()
    }

    fn read(file: Vec<u8>) -> Result<Vec<Record>, GcapError> {
        let mut reader = Reader::new(Cursor::new(file))?;
        let mut records = Vec::new();
        while let Some(located) = reader.next_record()? {
            records.push(located.record);
        }
        Ok(records)
    }

    #[test]
    fn what_is_written_is_read_compressed_or_not() {
        assert_eq!(read(file()).unwrap(), records());
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&file()).unwrap();
        let compressed = gzip.finish().unwrap();
        assert!(Reader::knows(&compressed) && Reader::knows(&file()) && !Reader::knows(b"GNMCAP02"));
        assert_eq!(read(compressed).unwrap(), records());
    }

    #[test]
    fn a_file_that_is_cut_anywhere_is_an_error_that_says_where() {
        let file = file();
        for length in 0..file.len() {
            let error = read(file[..length].to_vec()).unwrap_err().to_string();
            assert!(error.contains("the file ends before") || length < 8, "{length}: {error}");
        }
    }

    #[test]
    fn a_wrong_field_is_named() {
        let with = |tag: &[u8; 4], payload: &[u8]| {
            let length = (payload.len() as u32).to_le_bytes();
            let mut file = [MAGIC.as_slice(), tag, &length, payload].concat();
            file.resize(file.len().next_multiple_of(4), 0);
            read(file).unwrap_err().to_string()
        };
        assert_eq!(with(b"WHAT", &[]), "record 0 at 0x8: there is no record of the kind \"WHAT\"");
        let error = with(b"MAP ", &[0xFF; 16]);
        assert_eq!(
            error,
            "record 0 (MAP) at 0x8: address is 0xffffffffffffffff, expected a range that ends below 2^48"
        );
        assert!(with(b"MAP ", &[0; 15]).contains("payload length is 0xf"));
        let promised = |tag: &[u8; 4], length: u32| {
            read([MAGIC.as_slice(), tag, &length.to_le_bytes()].concat()).unwrap_err().to_string()
        };
        assert!(promised(b"MEM ", u32::MAX).contains("expected at most 256 MiB: more memory is several records"));
        assert!(promised(b"FLIP", 8193).contains("payload length is 0x2001, expected at most 8192"));
        assert!(promised(b"MEM ", 256 << 20).contains("the file ends before its payload"));
        assert!(with(b"MAP ", &[0; 24]).contains("payload length is 0x18"));
        let mut subm = [0; 40];
        subm[0] = 57;
        assert!(with(b"SUBM", &subm).contains("queue is 0x39, expected 0 to 56"));
        assert!(with(b"DUMP", &[[0; 16].as_slice(), &[9, 0, 0, 0, 65]].concat()).contains("text length is 0x9"));
        assert!(with(b"FLIP", &[0; 32]).contains("width is 0x0, expected 1 to 16384"));
    }
}
