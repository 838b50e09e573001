//! Reads records one after the other. Source: `docs/sources/recordings.md#kcap`.

use super::{Frame, FrameError};
use crate::memory::Ram;
use afterimage_capture::Recording;
use std::io::BufRead;
use std::path::Path;

/// A record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// `MEM `: the processor wrote memory.
    Memory {
        /// Physical address.
        address: u32,
        /// What was written.
        bytes: Vec<u8>,
    },
    /// `FILL`: the processor wrote one word again and again.
    Fill {
        /// Physical address.
        address: u32,
        /// Bytes.
        size: u32,
        /// The word.
        word: u32,
    },
    /// `REG `: the processor wrote a register.
    Register {
        /// Offset from the start of the device's addresses.
        offset: u32,
        /// What was written.
        value: u32,
    },
    /// `EXEC`: the pusher runs from GET to PUT.
    Execute {
        /// Where it begins.
        get: u32,
        /// Where it ends.
        put: u32,
    },
    /// `SWI `: the run before ended with this software method.
    Software {
        /// Its argument.
        code: u32,
        /// Its parameters.
        parameters: [u32; 2],
    },
    /// `FRME`: the program saves a picture.
    Frame(Frame),
}

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
pub enum KcapError {
    /// It cannot be read.
    #[error("cannot read it: {0}")]
    Io(#[from] std::io::Error),
    /// It is something else.
    #[error("it is not a recording of NV2A work: it does not begin with KELVCAP1")]
    Magic,
    /// The header has another size of memory than the console.
    #[error("header at 0x8: RAM size is {0:#x}, expected 0x4000000")]
    RamSize(u32),
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
        tag: &'static str,
        /// Offset of its tag.
        offset: u64,
        /// The field.
        field: &'static str,
        /// What it holds.
        value: u32,
        /// What it may hold.
        expected: &'static str,
    },
    /// The text of a frame.
    #[error("record {number} (FRME) at {offset:#x}: {source}")]
    Frame {
        /// Number of the record.
        number: u64,
        /// Offset of its tag.
        offset: u64,
        /// What is wrong.
        source: FrameError,
    },
}

/// Reads a recording, compressed or not.
#[derive(Debug)]
pub struct Reader {
    input: Recording,
    number: u64,
    ended: bool,
}

/// First bytes of a recording.
const MAGIC: &[u8; 8] = b"KELVCAP1";
/// Bytes of the text of a frame at most.
const LONGEST_TEXT: u32 = 4096;

impl Reader {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// If it cannot be read, or is no recording.
    pub fn open(path: &Path) -> Result<Self, KcapError> {
        Self::begin(Recording::open(path, MAGIC)?)
    }

    /// Reads the header of a recording.
    ///
    /// # Errors
    /// If it cannot be read, or is no recording.
    pub fn new(input: impl BufRead + Send + 'static) -> Result<Self, KcapError> {
        Self::begin(Recording::new(input, MAGIC)?)
    }

    fn begin(input: Option<Recording>) -> Result<Self, KcapError> {
        let mut reader = Self { input: input.ok_or(KcapError::Magic)?, number: 0, ended: false };
        let [ram, _] = reader.words(0, ["RAM size", "reserved word"])?;
        if ram != Ram::XBOX {
            return Err(KcapError::RamSize(ram));
        }
        Ok(reader)
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
    pub fn next_record(&mut self) -> Result<Option<Located>, KcapError> {
        if self.ended {
            return Ok(None);
        }
        let (number, offset) = (self.number, self.input.offset());
        let tag = self.words(offset, ["tag"])?[0].to_le_bytes();
        let wrong = |tag, field, value, expected| KcapError::Field { number, tag, offset, field, value, expected };
        let record = match &tag {
            b"MEM " => {
                let [address, size] = self.words(offset, ["address", "byte count"])?;
                check_range("MEM ", address, size, &wrong)?;
                Record::Memory { address, bytes: self.bytes(offset, size, "bytes")? }
            }
            b"FILL" => {
                let [address, size, word] = self.words(offset, ["address", "byte count", "word"])?;
                check_range("FILL", address, size, &wrong)?;
                Record::Fill { address, size, word }
            }
            b"REG " => {
                let [at, value] = self.words(offset, ["offset", "value"])?;
                if at >= 0x0100_0000 || at % 4 != 0 {
                    return Err(wrong("REG ", "offset", at, "a multiple of 4 below 0x1000000"));
                }
                Record::Register { offset: at, value }
            }
            b"EXEC" => {
                let [get, put] = self.words(offset, ["GET", "PUT"])?;
                for (field, value) in [("GET", get), ("PUT", put)] {
                    if value % 4 != 0 {
                        return Err(wrong("EXEC", field, value, "a multiple of 4"));
                    }
                }
                Record::Execute { get, put }
            }
            b"SWI " => {
                let [code, a, b] = self.words(offset, ["code", "A", "B"])?;
                Record::Software { code, parameters: [a, b] }
            }
            b"FRME" => {
                let [size] = self.words(offset, ["byte count"])?;
                if size > LONGEST_TEXT {
                    return Err(wrong("FRME", "byte count", size, "at most 0x1000"));
                }
                let mut text = self.bytes(offset, size.next_multiple_of(4), "text")?;
                text.truncate(size as usize);
                let text = String::from_utf8_lossy(&text);
                Record::Frame(Frame::parse(&text).map_err(|source| KcapError::Frame { number, offset, source })?)
            }
            b"END " => {
                self.ended = true;
                return Ok(None);
            }
            _ => {
                let tag = String::from_utf8_lossy(&tag).into_owned();
                return Err(KcapError::Tag { number, offset, tag });
            }
        };
        self.number += 1;
        Ok(Some(Located { number, offset, record }))
    }

    fn truncated(&self, offset: u64, field: &'static str) -> KcapError {
        KcapError::Truncated { number: self.number, offset, field }
    }

    /// Words of the record at `offset`, with their names.
    fn words<const N: usize>(&mut self, offset: u64, names: [&'static str; N]) -> Result<[u32; N], KcapError> {
        let mut words = [0; N];
        for (word, name) in words.iter_mut().zip(names) {
            let bytes = self.input.array()?;
            *word = u32::from_le_bytes(bytes.ok_or_else(|| self.truncated(offset, name))?);
        }
        Ok(words)
    }

    /// Bytes of the record at `offset`.
    fn bytes(&mut self, offset: u64, size: u32, name: &'static str) -> Result<Vec<u8>, KcapError> {
        self.input.bytes(size)?.ok_or_else(|| self.truncated(offset, name))
    }
}

/// Checks that bytes are in memory.
fn check_range(
    tag: &'static str,
    address: u32,
    size: u32,
    wrong: &dyn Fn(&'static str, &'static str, u32, &'static str) -> KcapError,
) -> Result<(), KcapError> {
    if address >= Ram::XBOX {
        return Err(wrong(tag, "address", address, "below 0x4000000"));
    }
    if !size.is_multiple_of(4) || size > Ram::XBOX - address {
        return Err(wrong(tag, "byte count", size, "a multiple of 4, within memory"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, Write};

    fn file(records: &[u8]) -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        file.extend([Ram::XBOX, 0].iter().flat_map(|word| word.to_le_bytes()));
        file.extend(records);
        file
    }

    fn record(tag: &str, words: &[u32], bytes: &[u8]) -> Vec<u8> {
        let mut record = tag.as_bytes().to_vec();
        record.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        record.extend(bytes);
        record
    }

    fn read(file: Vec<u8>) -> Result<Vec<Record>, KcapError> {
        let mut reader = Reader::new(Cursor::new(file))?;
        let mut records = Vec::new();
        while let Some(located) = reader.next_record()? {
            records.push(located.record);
        }
        Ok(records)
    }

    fn whole() -> Vec<u8> {
        let text = b"color|a|b|addr=0|w=1|h=1|pitch=4|bpp=32";
        let records = [
            record("MEM ", &[16, 4], &[1, 2, 3, 4]),
            record("FILL", &[0x03FF_FFFC, 4, 9], &[]),
            record("REG ", &[0x0060_0800, 7], &[]),
            record("EXEC", &[0, 16], &[]),
            record("SWI ", &[0xFAB, 1, 2], &[]),
            record("FRME", &[text.len() as u32], &[&text[..], &[0]].concat()),
            record("END ", &[], &[]),
        ];
        file(&records.concat())
    }

    #[test]
    fn every_record_is_read_compressed_or_not() {
        let records = read(whole()).unwrap();
        assert_eq!(records[0], Record::Memory { address: 16, bytes: vec![1, 2, 3, 4] });
        assert_eq!(records[4], Record::Software { code: 0xFAB, parameters: [1, 2] });
        assert!(matches!(&records[5], Record::Frame(frame) if frame.name == "b"));
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&whole()).unwrap();
        let gzip = gzip.finish().unwrap();
        assert!(Reader::knows(&gzip) && Reader::knows(&whole()) && !Reader::knows(&gzip[..8]));
        assert_eq!(read(gzip).unwrap(), records);
    }

    #[test]
    fn a_file_that_ends_anywhere_says_where() {
        let whole = whole();
        for end in 0..whole.len() {
            let error = read(whole[..end].to_vec()).unwrap_err();
            match end {
                0..8 => assert!(matches!(error, KcapError::Magic), "{end}: {error}"),
                _ => assert!(matches!(error, KcapError::Truncated { .. }), "{end}: {error}"),
            }
        }
        let error = read(whole[..30].to_vec()).unwrap_err();
        assert_eq!(error.to_string(), "record 0 at 0x10: the file ends before its bytes");
    }

    #[test]
    fn wrong_fields_are_named() {
        let error = |tag, words: &[u32]| read(file(&record(tag, words, &[]))).unwrap_err().to_string();
        assert_eq!(error("WHAT", &[]), "record 0 at 0x10: there is no record of the kind \"WHAT\"");
        let expected = "record 0 (MEM ) at 0x10: byte count is 0xffffffff, expected a multiple of 4, within memory";
        assert_eq!(error("MEM ", &[16, u32::MAX]), expected);
        assert!(error("FILL", &[Ram::XBOX, 0, 0]).contains("address is 0x4000000"));
        assert!(error("REG ", &[0x0100_0000, 0]).contains("offset"));
        assert!(error("EXEC", &[0, 2]).contains("PUT is 0x2"));
        assert!(error("FRME", &[u32::MAX]).contains("byte count"));
        assert_eq!(error("FRME", &[0]), "record 0 (FRME) at 0x10: there is no directory");
    }
}
