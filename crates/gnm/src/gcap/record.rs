//! What a recording consists of. Source: `docs/sources/recordings.md#gcap`.

use crate::machine::{PIPES, QUEUES, Queue};

/// A record. Addresses are guest addresses, sizes bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// `MEM `: the processor wrote memory, which is mapped by that.
    Memory {
        /// First byte.
        address: u64,
        /// What was written.
        bytes: Vec<u8>,
    },
    /// `MAP `: memory that exists and starts as zeros.
    Map {
        /// First byte.
        address: u64,
        /// Bytes.
        size: u64,
    },
    /// `SUBM`: command buffers that run to their end.
    Submit(Submission),
    /// `FLIP`: a buffer is shown.
    Flip(Picture),
    /// `DUMP`: memory is to be kept as it is.
    Dump(Dump),
}

/// Command buffers of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Submission {
    /// 0 is the graphics ring, 1 to 56 are compute rings.
    pub queue: u32,
    /// Draw command buffer: address and bytes.
    pub draw: (u64, u64),
    /// Constant command buffer: address and bytes, both 0 where there is none.
    pub constant: (u64, u64),
}

impl Submission {
    /// The queue, if there is one of that number.
    #[must_use]
    pub fn queue(&self) -> Option<Queue> {
        let rings = u32::from(PIPES) * u32::from(QUEUES);
        match self.queue {
            0 => Some(Queue::Graphics),
            number if number <= rings => {
                let place = (number - 1) as u8;
                Some(Queue::Compute { pipe: place / QUEUES, queue: place % QUEUES })
            }
            _ => None,
        }
    }
}

/// A buffer that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Its first byte.
    pub address: u64,
    /// Columns, 1 to 16384.
    pub width: u32,
    /// Lines, 1 to 16384.
    pub height: u32,
    /// Pixels from one line to the next, at least the columns and at most 16384.
    pub pitch: u32,
    /// Data format of images.
    pub format: u32,
    /// Tile mode, below 32.
    pub tiling: u32,
    /// The name, without an ending.
    pub name: String,
}

/// Memory that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// Its first byte.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// The name, without an ending.
    pub name: String,
}

impl Picture {
    /// The name as that of a file: `NAME.png`.
    #[must_use]
    pub fn file_name(&self) -> String {
        safe(&self.name) + ".png"
    }
}

impl Dump {
    /// The name as that of a file: `NAME.bin`.
    #[must_use]
    pub fn file_name(&self) -> String {
        safe(&self.name) + ".bin"
    }
}

/// A name that leads nowhere else: what a file system could take for another folder becomes `_`.
fn safe(name: &str) -> String {
    let safe: String =
        name.chars().take(200).map(|c| if c.is_control() || "/\\:*?\"<>|".contains(c) { '_' } else { c }).collect();
    if safe.trim_matches(['.', ' ']).is_empty() { safe.replace(['.', ' '], "_") + "_" } else { safe }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leaves_the_folder() {
        assert_eq!(
            [safe("frame 1"), safe("../../etc/x"), safe(".."), safe("")],
            ["frame 1", ".._.._etc_x", "___", "_"]
        );
    }

    #[test]
    fn queues_have_numbers() {
        let queue = |queue| Submission { queue, draw: (0, 0), constant: (0, 0) }.queue();
        assert_eq!(queue(0), Some(Queue::Graphics));
        assert_eq!(queue(1), Some(Queue::Compute { pipe: 0, queue: 0 }));
        assert_eq!(queue(56), Some(Queue::Compute { pipe: 6, queue: 7 }));
        assert_eq!(queue(57), None);
    }
}
