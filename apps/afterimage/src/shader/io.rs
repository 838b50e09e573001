//! Files, standard input and standard output as places of shaders.

use super::error::Why;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;

/// Bytes of the largest input that is read.
pub(super) const LARGEST: u64 = 64 << 20;

/// What is written.
#[derive(Debug)]
pub(super) enum Content {
    Text(String),
    Binary(Vec<u8>),
}

impl Content {
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Binary(bytes) => bytes,
        }
    }

    /// Words of a binary format, which are little-endian in files.
    pub(super) fn words(words: &[u32]) -> Self {
        Self::Binary(words.iter().flat_map(|word| word.to_le_bytes()).collect())
    }
}

/// Whether the path stands for standard input or output.
pub(super) fn is_stdio(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// An input's name in messages.
pub(super) fn name(path: &Path) -> String {
    if is_stdio(path) { "standard input".to_owned() } else { path.display().to_string() }
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, Why> {
    let mut bytes = Vec::new();
    let read = if is_stdio(path) {
        io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
    };
    read.map_err(Why::Read)?;
    if bytes.len() as u64 > LARGEST { Err(Why::TooLarge) } else { Ok(bytes) }
}

pub(super) fn text(bytes: &[u8]) -> Result<&str, Why> {
    std::str::from_utf8(bytes).map_err(|error| Why::NotText(error.valid_up_to()))
}

/// Writes a file.
pub(super) fn write(path: &Path, content: &Content) -> Result<(), Why> {
    if is_stdio(path) {
        return print(content);
    }
    afterimage_output::write(path, content.bytes()).map_err(|error| Why::Write { path: path.into(), error })
}

/// Writes to standard output, but nothing binary to a terminal.
pub(super) fn print(content: &Content) -> Result<(), Why> {
    let mut out = io::stdout().lock();
    if matches!(content, Content::Binary(_)) && out.is_terminal() {
        return Err(Why::Terminal);
    }
    match out.write_all(content.bytes()).and_then(|()| out.flush()) {
        // A reader such as `head` has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(|error| Why::Write { path: "standard output".into(), error }),
    }
}
