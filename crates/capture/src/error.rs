//! What can be wrong with a capture.

use std::io;

/// A capture that cannot be read or written, and where.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The system could not read or write.
    #[error("{what}: {source}")]
    Io {
        /// What was tried, with the file's name where there is one.
        what: String,
        /// The system's answer.
        source: io::Error,
    },
    /// It is something else.
    #[error("not a capture: the file does not begin with the magic of .aftercap files")]
    Magic,
    /// The file's header is damaged, but chunks follow it. They are read as this build's.
    #[error("the file's first 24 bytes are damaged; what follows them is read as this build's version")]
    Header,
    /// It was written by another version.
    #[error("field {field} is {have}, this build reads {wanted}: replay it with the build that wrote it")]
    Version {
        /// `container version` or `packet version`.
        field: &'static str,
        /// The file's.
        have: u32,
        /// Ours.
        wanted: u32,
    },
    /// The file ends too early. All that was read before is good.
    #[error("chunk {chunk} at byte {offset}: the file ends in the middle of it (cut short, or its writer was killed)")]
    Truncated {
        /// Number of the chunk, from 0.
        chunk: u64,
        /// Where it starts in the file.
        offset: u64,
    },
    /// A chunk is damaged, and left out.
    #[error("chunk {chunk} at byte {offset}: field {field}: {cause}")]
    Chunk {
        /// Number of the chunk, from 0.
        chunk: u64,
        /// Where it starts in the file.
        offset: u64,
        /// Name of the field.
        field: &'static str,
        /// What is wrong with it.
        cause: String,
    },
    /// It is larger than any real capture is, and what comes there is left out.
    #[error("chunk {chunk} at byte {offset}: more than {limit} {what}: {advice}")]
    Limit {
        /// Number of the chunk, from 0.
        chunk: u64,
        /// Where it starts in the file.
        offset: u64,
        /// What there is too much of.
        what: &'static str,
        /// How much there may be, of [`Limits`](crate::Limits).
        limit: u64,
        /// What can be done.
        advice: &'static str,
    },
    /// There is no memory for what is in a chunk.
    #[error(
        "chunk {chunk} at byte {offset}: there is no memory for {bytes} bytes of it: close other programs, or `afterimage trim` it elsewhere"
    )]
    Memory {
        /// Number of the chunk, from 0.
        chunk: u64,
        /// Where it starts in the file.
        offset: u64,
        /// So many were wanted.
        bytes: usize,
    },
    /// A record inside of a chunk is damaged; the rest of the chunk is left out.
    #[error("chunk {chunk} at byte {offset}, record at byte {record} of its content: field {field}: {cause}")]
    Record {
        /// Number of the chunk, from 0.
        chunk: u64,
        /// Where the chunk starts in the file.
        offset: u64,
        /// Where the record starts in the unpacked chunk.
        record: usize,
        /// Name of the field.
        field: &'static str,
        /// What is wrong with it.
        cause: String,
    },
}

impl CaptureError {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        |source| Self::Io { what, source }
    }
}
