//! What lies where in the shared file.
//!
//! | bytes | what |
//! |---|---|
//! | 0 to 1023 | [`Fixed`], written once by the guest, its magic last |
//! | 1024 to 2047 | single words that both sides watch, a cache line each ([`at`]) |
//! | 2048 to 3071 | the slot table: offset and size of each arena slot |
//! | 3072 to 4095 | [`DeviceInfo`] of the viewer |
//! | 64 KiB | ring of packets, guest to viewer |
//! | after it | ring of replies, viewer to guest |
//! | after it | arena slots, added at the end of the file as the arena grows |

use crate::MAX_SLOTS;
use crate::memory::Region;
use afterimage_stream::{DeviceInfo, packets};
use bytemuck::{Pod, Zeroable};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::OnceLock;

/// Version of this layout. A viewer refuses any other.
pub const VERSION: u32 = 3;

pub(super) const MAGIC: u64 = u64::from_le_bytes(*b"AFTRIMG\x01");
/// Alignment of rings and slots: Windows maps files at multiples of this.
pub(super) const GRANULE: u64 = 64 << 10;
/// Words of the packet ring: 4 MiB.
pub(super) const COMMAND_WORDS: u64 = 1 << 19;
/// Words of the reply ring: 128 KiB.
pub(super) const REPLY_WORDS: u64 = 1 << 14;
/// Bytes from the start of the file to the end of the rings: what both sides map at once.
pub(super) const CONTROL_BYTES: u64 = GRANULE + (COMMAND_WORDS + REPLY_WORDS) * 8;
/// Most bytes of one slot.
const SLOT_LIMIT: u64 = 4 << 30;

/// The versions of the layout (8 bits) and of the packets (24 bits), plus one.
#[cfg_attr(not(unix), allow(dead_code, reason = "viewers run on Unix"))]
pub(super) fn refusal() -> u32 {
    (packets::Init::VERSION << 8 | VERSION) + 1
}

/// Layout and packets of a [`refusal`].
pub(super) fn versions(refusal: u32) -> (u32, u32) {
    let both = refusal.saturating_sub(1);
    (both & 0xff, both >> 8)
}

/// Offsets of the watched words.
pub(super) mod at {
    /// `u32`: number of the viewer, one more for each that claims the file; 0 before the first.
    pub(crate) const EPOCH: u64 = 1024;
    /// `u32`: the epoch for which the guest has emptied the rings.
    pub(crate) const GUEST_EPOCH: u64 = 1024 + 64;
    /// `u32`: 1 when the guest has ended properly.
    pub(crate) const GUEST_CLOSED: u64 = 1024 + 2 * 64;
    /// `u32`: number of valid entries in the slot table.
    pub(crate) const SLOT_COUNT: u64 = 1024 + 3 * 64;
    /// `u32`: 1 while the guest sleeps until there is a reply.
    pub(crate) const GUEST_WAITS: u64 = 1024 + 4 * 64;
    /// `u32`: set by the guest when it looked for a reply in vain, cleared by the viewer.
    pub(crate) const GUEST_ASKS: u64 = 1024 + 5 * 64;
    /// `u32`: what [`super::refusal`] gives of a viewer that cannot read this file.
    pub(crate) const REFUSED: u64 = 1024 + 6 * 64;
    /// `u32`: how often the guest has wanted a capture (lower half) and a picture (upper half).
    pub(crate) const REQUESTS: u64 = 1024 + 7 * 64;
    /// `u64`: words that the guest has put into the packet ring.
    pub(crate) const COMMAND_HEAD: u64 = 1024 + 8 * 64;
    /// `u64`: words that the viewer has taken out.
    pub(crate) const COMMAND_TAIL: u64 = 1024 + 9 * 64;
    /// `u64`: words that the viewer has put into the reply ring.
    pub(crate) const REPLY_HEAD: u64 = 1024 + 10 * 64;
    /// `u64`: words that the guest has taken out.
    pub(crate) const REPLY_TAIL: u64 = 1024 + 11 * 64;
    /// The slot table.
    pub(crate) const SLOTS: u64 = 2048;
    /// The viewer's device.
    pub(crate) const DEVICE: u64 = 3072;
    /// The packet ring.
    pub(crate) const COMMANDS: u64 = super::GRANULE;
    /// The reply ring.
    pub(crate) const REPLIES: u64 = super::GRANULE + super::COMMAND_WORDS * 8;
}

/// The part that does not change.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub(super) struct Fixed {
    /// [`MAGIC`]; written last.
    pub(super) magic: u64,
    /// [`VERSION`].
    pub(super) version: u32,
    /// Version of the packets.
    pub(super) stream_version: u32,
    /// Process id as the guest sees it: under Wine not the kernel's.
    pub(super) process: u32,
    /// Bits of a pointer in the guest.
    pub(super) pointer_bits: u32,
    /// [`COMMAND_WORDS`], so that a dump of the file explains itself.
    pub(super) command_words: u64,
    /// [`REPLY_WORDS`].
    pub(super) reply_words: u64,
    /// A random number of the guest's process: devices of one process may share images, so one renderer has them all.
    pub(super) family: u64,
    /// Name of the program, UTF-8, zero-padded.
    pub(super) program: [u8; 256],
}

/// The number of this process, see [`Fixed::family`]. Nobody can guess it who cannot read the files.
fn family() -> u64 {
    static FAMILY: OnceLock<(u32, u64)> = OnceLock::new();
    // Each state is keyed by the system's random numbers.
    let random = || RandomState::new().build_hasher().finish();
    let (process, number) = *FAMILY.get_or_init(|| (std::process::id(), random()));
    // A process that was forked has the number of its parent, but not its images.
    if process == std::process::id() { number } else { random() }
}

/// An entry of the slot table.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub(super) struct SlotEntry {
    /// Bytes from the start of the file, a multiple of [`GRANULE`].
    pub(super) offset: u64,
    /// Bytes.
    pub(super) bytes: u64,
}

const _: () = {
    assert!(size_of::<Fixed>() <= 1024);
    assert!(size_of::<SlotEntry>() * MAX_SLOTS <= 1024);
    assert!(size_of::<DeviceInfo>() <= 1024);
};

/// Why a viewer cannot read a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// The magic is not there: not one of our files, or not finished yet.
    #[error("not a shared file of Afterimage (field magic at byte 0 is {0:#018x})")]
    Magic(u64),
    /// Made by another version.
    #[error(
        "program {program} was started with layout version {layout} and packet version {stream}, this viewer reads {ours} \
         and {our_stream}: use the d3d9 library and the viewer of one build"
    )]
    Version {
        /// Name of the program.
        program: String,
        /// The file's layout version.
        layout: u32,
        /// The file's packet version.
        stream: u32,
        /// Ours.
        ours: u32,
        /// Ours.
        our_stream: u32,
    },
    /// A number is not what the layout says.
    #[error("field {field} of the header is {value}, expected {expected}")]
    Field {
        /// Its name.
        field: &'static str,
        /// What is there.
        value: u64,
        /// What should be.
        expected: u64,
    },
}

impl Fixed {
    /// The header of a program's new file. The magic is missing.
    pub(super) fn new(program: &str) -> Self {
        let mut name = [0; 256];
        let mut end = program.len().min(255);
        while !program.is_char_boundary(end) {
            end -= 1;
        }
        name[..end].copy_from_slice(&program.as_bytes()[..end]);
        Self {
            magic: 0,
            version: VERSION,
            stream_version: packets::Init::VERSION,
            process: std::process::id(),
            pointer_bits: usize::BITS,
            command_words: COMMAND_WORDS,
            reply_words: REPLY_WORDS,
            family: family(),
            program: name,
        }
    }

    /// Copies the header out and checks it.
    pub(super) fn read(control: &Region) -> Result<Self, HeaderError> {
        let mut fixed = Self::zeroed();
        if !control.read(0, bytemuck::bytes_of_mut(&mut fixed)) || fixed.magic != MAGIC {
            return Err(HeaderError::Magic(fixed.magic));
        }
        if fixed.version != VERSION || fixed.stream_version != packets::Init::VERSION {
            return Err(HeaderError::Version {
                program: fixed.program(),
                layout: fixed.version,
                stream: fixed.stream_version,
                ours: VERSION,
                our_stream: packets::Init::VERSION,
            });
        }
        let expect = |field, value, expected| {
            if value == expected { Ok(()) } else { Err(HeaderError::Field { field, value, expected }) }
        };
        expect("command_words", fixed.command_words, COMMAND_WORDS)?;
        expect("reply_words", fixed.reply_words, REPLY_WORDS)?;
        if fixed.pointer_bits != 32 {
            expect("pointer_bits", u64::from(fixed.pointer_bits), 64)?;
        }
        Ok(fixed)
    }

    /// The program's name, with nothing in it that would upset a terminal.
    pub(super) fn program(&self) -> String {
        let end = self.program.iter().position(|&b| b == 0).unwrap_or(self.program.len());
        String::from_utf8_lossy(&self.program[..end]).chars().map(|c| if c.is_control() { '?' } else { c }).collect()
    }
}

/// Copies an entry of the slot table out and checks it; `None` if there is no such slot, or it is nonsense.
pub(super) fn slot_entry(control: &Region, slot: u32) -> Option<SlotEntry> {
    let count = control.load_u32(at::SLOT_COUNT);
    if slot >= count || slot as usize >= MAX_SLOTS {
        return None;
    }
    let mut entry = SlotEntry::zeroed();
    let place = at::SLOTS + u64::from(slot) * size_of::<SlotEntry>() as u64;
    if !control.read(place, bytemuck::bytes_of_mut(&mut entry)) {
        return None;
    }
    let good = entry.offset >= CONTROL_BYTES
        && entry.offset.is_multiple_of(GRANULE)
        && (1..=SLOT_LIMIT).contains(&entry.bytes)
        && entry.bytes.is_multiple_of(GRANULE)
        && entry.offset.checked_add(entry.bytes).is_some();
    good.then_some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HeapSlots, SlotFactory};

    #[test]
    fn a_damaged_header_names_its_field() {
        let memory = HeapSlots.allocate(GRANULE).unwrap();
        let control = memory.region;
        assert_eq!(Fixed::read(&control).unwrap_err(), HeaderError::Magic(0));
        let good = Fixed { magic: MAGIC, ..Fixed::new("game\n\u{1b}[2J.exe") };
        assert!(control.write(0, bytemuck::bytes_of(&good)));
        assert_eq!(Fixed::read(&control).unwrap().program(), "game??[2J.exe");
        assert!(control.write(0, bytemuck::bytes_of(&Fixed { version: 9, ..good })));
        assert!(Fixed::read(&control).unwrap_err().to_string().contains("layout version 9"));
        assert!(control.write(0, bytemuck::bytes_of(&Fixed { command_words: u64::MAX, ..good })));
        assert!(matches!(Fixed::read(&control), Err(HeaderError::Field { field: "command_words", .. })));
    }

    #[test]
    fn slots_outside_of_the_layout_do_not_exist() {
        let memory = HeapSlots.allocate(GRANULE).unwrap();
        let control = memory.region;
        control.store_u32(at::SLOT_COUNT, u32::MAX);
        let set = |offset, bytes| {
            assert!(control.write(at::SLOTS, bytemuck::bytes_of(&SlotEntry { offset, bytes })));
            slot_entry(&control, 0).is_some()
        };
        assert!(set(CONTROL_BYTES, GRANULE));
        assert!(!set(0, GRANULE), "inside of the rings");
        assert!(!set(CONTROL_BYTES + 1, GRANULE));
        assert!(!set(CONTROL_BYTES, 0));
        assert!(!set(CONTROL_BYTES, SLOT_LIMIT + GRANULE));
        assert!(!set(u64::MAX - GRANULE + 1, GRANULE));
        assert!(slot_entry(&control, MAX_SLOTS as u32).is_none());
    }
}
