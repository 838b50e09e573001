//! Writes records one after the other.

use super::{GcapError, LONGEST_NAME, MAGIC, Record};
use std::io::{Error, ErrorKind, Write};

/// Writes a recording. To compress it, give it a compressor.
#[derive(Debug)]
pub struct Writer<W: Write> {
    output: W,
}

impl<W: Write> Writer<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut output: W) -> Result<Self, GcapError> {
        output.write_all(MAGIC)?;
        Ok(Self { output })
    }

    fn payload(&mut self, tag: &[u8; 4], parts: &[&[u8]]) -> Result<(), GcapError> {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let too_long = |_| Error::new(ErrorKind::InvalidInput, "a record holds less than 4 GiB");
        let length = u32::try_from(length).map_err(too_long)?;
        self.output.write_all(tag)?;
        self.output.write_all(&length.to_le_bytes())?;
        parts.iter().try_for_each(|part| self.output.write_all(part))?;
        Ok(self.output.write_all(&[0; 3][..(length.wrapping_neg() % 4) as usize])?)
    }

    fn named(&mut self, tag: &[u8; 4], fields: &[u8], name: &str) -> Result<(), GcapError> {
        if name.len() > LONGEST_NAME as usize {
            return Err(Error::new(ErrorKind::InvalidInput, "a name holds 4096 bytes at most").into());
        }
        self.payload(tag, &[fields, &(name.len() as u32).to_le_bytes(), name.as_bytes()])
    }

    /// Writes a record.
    ///
    /// # Errors
    /// If it cannot be written, or is too large for one.
    pub fn record(&mut self, record: &Record) -> Result<(), GcapError> {
        let longs = |longs: &[u64]| longs.iter().flat_map(|long| long.to_le_bytes()).collect::<Vec<u8>>();
        match record {
            Record::Memory { address, bytes } => self.payload(b"MEM ", &[&address.to_le_bytes(), bytes]),
            Record::Map { address, size } => self.payload(b"MAP ", &[&longs(&[*address, *size])]),
            Record::Submit(it) => {
                let ranges = [u64::from(it.queue), it.draw.0, it.draw.1, it.constant.0, it.constant.1];
                self.payload(b"SUBM", &[&longs(&ranges)])
            }
            Record::Flip(it) => {
                let words = [it.width, it.height, it.pitch, it.format, it.tiling];
                let mut fields = longs(&[it.address]);
                fields.extend(words.iter().flat_map(|word| word.to_le_bytes()));
                self.named(b"FLIP", &fields, &it.name)
            }
            Record::Dump(it) => self.named(b"DUMP", &longs(&[it.address, it.size]), &it.name),
        }
    }

    /// Ends the recording, and gives the output back.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> Result<W, GcapError> {
        self.payload(b"END ", &[])?;
        self.output.flush()?;
        Ok(self.output)
    }
}
