//! What a capture says about itself.

use crate::CaptureError;
use afterimage_stream::packets::Init;

/// Where a capture comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// Version of the packets.
    pub stream_version: u32,
    /// Name of the program.
    pub program: String,
    /// Name of the device that drew it.
    pub device: String,
    /// Which build wrote the file.
    pub build: String,
}

impl Default for Info {
    /// Unknown program and device, this build.
    fn default() -> Self {
        Self {
            stream_version: Init::VERSION,
            program: String::new(),
            device: String::new(),
            build: concat!("afterimage ", env!("CARGO_PKG_VERSION")).into(),
        }
    }
}

/// Longest of the strings, in bytes; longer ones are cut.
const LONGEST: usize = 4096;

impl Info {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for text in [&self.program, &self.device, &self.build] {
            let text = &text[..text.floor_char_boundary(LONGEST)];
            bytes.extend((text.len() as u32).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes
    }

    /// `Err` names the field that is missing or too long.
    pub(crate) fn decode(stream_version: u32, bytes: &[u8]) -> Result<Self, &'static str> {
        fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
            let (head, rest) = bytes.split_first_chunk()?;
            Some((u32::from_le_bytes(*head), rest))
        }
        fn text(bytes: &[u8]) -> Option<(String, &[u8])> {
            let (length, rest) = number(bytes)?;
            let (text, rest) = rest.split_at_checked(length as usize)?;
            let text = String::from_utf8_lossy(text).chars().filter(|c| !c.is_control()).collect();
            (length as usize <= LONGEST).then_some((text, rest))
        }
        let (program, rest) = text(bytes).ok_or("program")?;
        let (device, rest) = text(rest).ok_or("device")?;
        let (build, _) = text(rest).ok_or("build")?;
        Ok(Self { stream_version, program, device, build })
    }

    /// Whether packets of this version can be read.
    pub(crate) fn check(have: u32) -> Result<(), CaptureError> {
        let wanted = Init::VERSION;
        if have == wanted { Ok(()) } else { Err(CaptureError::Version { field: "packet version", have, wanted }) }
    }
}
