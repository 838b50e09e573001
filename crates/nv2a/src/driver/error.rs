//! What a call can get wrong.

use crate::memory::OutOfRange;

/// Why a call of the driver did nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// A ring that is no ring.
    #[error("a push buffer of {bytes} bytes at {base:#x}: it takes at least {least} at a multiple of 4")]
    Ring {
        /// Its address.
        base: u32,
        /// Its size.
        bytes: u32,
        /// The smallest.
        least: u32,
    },
    /// An address that must be a multiple of four.
    #[error("address {address:#x} is no multiple of 4")]
    Unaligned {
        /// The address.
        address: u32,
    },
    /// A declaration's element.
    #[error(
        "element {index} of the vertex declaration: attribute {attribute} (0 to 15, each once) from stream {stream} (0 to 15)"
    )]
    Element {
        /// Which.
        index: usize,
        /// Its attribute.
        attribute: u8,
        /// Its stream.
        stream: u8,
    },
    /// A stream that the hardware cannot read.
    #[error("stream {stream} with stride {stride}: streams are 0 to 15, strides below 2^24, vertices below 2 GiB")]
    Stream {
        /// Which.
        stream: usize,
        /// Bytes between vertices.
        stride: u32,
    },
    /// Draws from user memory read stream 0 only.
    #[error("attribute {attribute} is read from stream {stream}, and a draw from user memory has stream 0 only")]
    UserStream {
        /// The attribute.
        attribute: u8,
        /// Its stream.
        stream: u8,
    },
    /// User memory that is too short.
    #[error("vertex {vertex} lies beyond the {bytes} bytes of user memory")]
    UserData {
        /// The vertex.
        vertex: u32,
        /// Bytes given.
        bytes: usize,
    },
    /// More than a draw can have.
    #[error("{count} are more than one draw can have")]
    TooMany {
        /// Vertices or primitives asked for.
        count: u32,
    },
    /// Begin inside of begin and end, or end outside.
    #[error("{}", if *begun { "not allowed between Begin and End" } else { "End without Begin" })]
    Immediate {
        /// Whether there was a begin.
        begun: bool,
    },
    /// A register of `SetVertexData`.
    #[error("vertex data register {register}: they are 0 to 15, and D3DVSDE_VERTEX")]
    Register {
        /// The register.
        register: u32,
    },
    /// Raw words that are no packets.
    #[error("word {at} ({word:#010x}) of the raw push buffer is no whole packet of methods")]
    Packet {
        /// Offset in words.
        at: usize,
        /// The word.
        word: u32,
    },
    /// A recording inside of a recording, or the end of none.
    #[error("{}", if *begun { "a push buffer is being recorded already" } else { "no push buffer is being recorded" })]
    Recording {
        /// Whether one is.
        begun: bool,
    },
    /// A recording that is too long.
    #[error("the recording takes {words} words, and its push buffer has room for {capacity}")]
    PushBufferFull {
        /// Words, with the return.
        words: usize,
        /// Words of memory.
        capacity: usize,
    },
    /// A fixup of what is no argument.
    #[error("fixup of word {offset}, which is no argument of the recorded push buffer")]
    Fixup {
        /// Offset in words.
        offset: usize,
    },
    /// A patch that cannot be tessellated.
    #[error("patch: {0}")]
    Patch(&'static str),
    /// A stage, light, matrix or the like that does not exist.
    #[error("{what} {index}: there are {count}")]
    Index {
        /// What.
        what: &'static str,
        /// Which.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// Values that do not fit into the hardware's fields.
    #[error("{what} {value} does not fit: at most {most}")]
    Range {
        /// What.
        what: &'static str,
        /// Its value.
        value: u32,
        /// The largest.
        most: u32,
    },
    /// A palette that the hardware cannot read.
    #[error("a palette of {entries} entries at {address:#x}: they are 32, 64, 128 or 256, at a multiple of 64")]
    Palette {
        /// Its address.
        address: u32,
        /// Its entries.
        entries: u32,
    },
    /// Something outside of memory.
    #[error(transparent)]
    Memory(#[from] OutOfRange),
    /// The pusher stopped.
    #[error("the pusher stopped: {0}")]
    Pusher(String),
}
