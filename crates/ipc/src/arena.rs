//! Bookkeeping of the upload arena: which slots exist, which frame still uses them, where the next byte goes. No memory
//! is touched here; both transports use it.

use afterimage_config::Settings;
use afterimage_stream::UploadRef;
use std::collections::VecDeque;

/// Most slots an arena can have.
pub const MAX_SLOTS: usize = 64;

/// Slots are whole pages of every platform, and of Windows' allocation granularity.
const GRANULE: u64 = 64 << 10;

/// Most uploads after which a frame ends without a picture.
const MOST_FRAME_BYTES: u64 = 32 << 20;

/// Slots after which further ones are twice as large for every [`MORE`] that there are: there may be few, and whoever needs so many in
/// frames that cannot end sooner needs the limit.
const MANY: u32 = 24;
const MORE: u32 = 8;

/// Sizes of the upload arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArenaConfig {
    /// Frames that the guest may run ahead of the receiver; also the number of slots that rotate in the steady state.
    /// At least 1.
    pub frames: u32,
    /// Bytes of a slot once it has grown to its full size.
    pub slot_bytes: u64,
    /// Bytes of the first slots. Later ones double up to `slot_bytes`: small programs stay small.
    pub first_slot_bytes: u64,
    /// Most bytes of all slots together.
    pub limit_bytes: u64,
}

/// Bytes of slots that the shared-memory link of a 32-bit process maps at once: its address space is the program's.
pub(crate) const MAPPED_IN_32_BITS: u64 = 64 << 20;

/// Bytes of a slot where the device is this processor: it finds in its caches what was written a moment ago, and a short load needs few
/// pages that nobody had before. Measured with lavapipe on 2 cores: 64 MiB of a texture take .03 s instead of .05.
pub const PROCESSOR_SLOT: u64 = 4 << 20;

impl Default for ArenaConfig {
    /// Three slots of 8 MiB that may grow to 4 GiB in all, in a 32-bit process to 1 GiB, of which the shared-memory link maps 64 MiB at
    /// a time: as much as a long load has under way. Larger slots were slower to load through, since caches hold less of them, and took
    /// more memory (`docs/performance.md`).
    fn default() -> Self {
        let limit_bytes = if size_of::<usize>() == 8 { 4 << 30 } else { 1 << 30 };
        Self { frames: 3, slot_bytes: 8 << 20, first_slot_bytes: 8 << 20, limit_bytes }
    }
}

impl ArenaConfig {
    /// The default, with what this process's configuration says: `arena_mb`, the MiB of a full slot, and
    /// `max_frame_latency`.
    #[must_use]
    pub fn from_env() -> Self {
        Self::of(afterimage_config::settings())
    }

    /// The default, with what a configuration says.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        let mut config = Self::default();
        config.frames = settings.max_frame_latency.unwrap_or(config.frames);
        if let Some(megabytes) = settings.arena_mb {
            config.slot_bytes = u64::from(megabytes) << 20;
            config.first_slot_bytes = config.first_slot_bytes.min(config.slot_bytes);
            config.limit_bytes = config.limit_bytes.max(config.slot_bytes * u64::from(config.frames));
        }
        config
    }

    /// These sizes with slots of at most so many bytes.
    #[must_use]
    pub(crate) fn with_slots_of(self, most: u64) -> Self {
        let (slot_bytes, first_slot_bytes) = (self.slot_bytes.min(most), self.first_slot_bytes.min(most));
        Self { slot_bytes, first_slot_bytes, ..self }
    }

    /// [`Link::frame_bytes`](afterimage_stream::Link::frame_bytes): so little that the slots of a long load come back while it goes
    /// on, and so much that a submission costs little beside it.
    #[must_use]
    pub fn frame_bytes(&self) -> u64 {
        self.slot_bytes.saturating_add(self.slot_bytes / 2).min(MOST_FRAME_BYTES)
    }
}

/// What [`Rotation::alloc`] answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The bytes are here.
    At(UploadRef),
    /// A slot of this many bytes is wanted: make it, call [`Rotation::add_slot`] and ask again. If it cannot be made,
    /// call [`Rotation::stop_growing`] and ask again.
    NeedSlot(u64),
    /// No room until an earlier frame is done.
    Wait,
    /// No room, and no earlier frame whose end would make any.
    Full,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Free,
    /// Written in the frame that is being made.
    Current,
    /// Read by the receiver until this frame is done.
    Frame(u64),
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    bytes: u64,
    used: Use,
}

/// Hands out the bytes of slots and rotates them by frame.
#[derive(Debug)]
pub struct Rotation {
    config: ArenaConfig,
    slots: Vec<Slot>,
    /// Slot that small allocations come from, and its first free byte.
    current: Option<(u32, u64)>,
    in_flight: VecDeque<u64>,
    total: u64,
    growing: bool,
}

impl Rotation {
    /// An arena without slots.
    #[must_use]
    pub fn new(config: ArenaConfig) -> Self {
        Self { config, slots: Vec::new(), current: None, in_flight: VecDeque::new(), total: 0, growing: true }
    }

    /// Other sizes, for slots that are made from now on.
    pub fn configure(&mut self, config: ArenaConfig) {
        self.config = config;
    }

    /// The configured sizes.
    #[must_use]
    pub fn config(&self) -> &ArenaConfig {
        &self.config
    }

    /// Reserves bytes. `align` must be a power of two.
    #[inline]
    pub fn alloc(&mut self, size: u32, align: u32) -> Outcome {
        if let Some((slot, next)) = &mut self.current {
            let mask = u64::from(align).wrapping_sub(1);
            let offset = (*next + mask) & !mask;
            let end = offset + u64::from(size);
            if end <= self.slots[*slot as usize].bytes {
                *next = end;
                return Outcome::At(UploadRef { slot: *slot, size, offset });
            }
        }
        self.alloc_elsewhere(size)
    }

    #[cold]
    fn alloc_elsewhere(&mut self, size: u32) -> Outcome {
        let wanted = u64::from(size);
        let free = self.slots.iter().enumerate().filter(|(_, slot)| slot.used == Use::Free && slot.bytes >= wanted);
        if let Some((index, slot)) = free.max_by_key(|(_, slot)| slot.bytes) {
            let (index, room) = (index as u32, slot.bytes - wanted);
            self.slots[index as usize].used = Use::Current;
            // One large upload must not cost the room that is left for many small ones.
            let left = self.current.map_or(0, |(slot, next)| self.slots[slot as usize].bytes - next);
            if room >= left {
                self.current = Some((index, wanted));
            }
            return Outcome::At(UploadRef { slot: index, size, offset: 0 });
        }
        if let Some(bytes) = self.next_slot(wanted) {
            return Outcome::NeedSlot(bytes);
        }
        let later = |slot: &Slot| matches!(slot.used, Use::Frame(_)) && slot.bytes >= wanted;
        if self.slots.iter().any(later) { Outcome::Wait } else { Outcome::Full }
    }

    /// Bytes of the next slot, of which at least `wanted` are, if the arena may still grow.
    fn next_slot(&self, wanted: u64) -> Option<u64> {
        if !self.growing || self.slots.len() >= MAX_SLOTS {
            return None;
        }
        // A frame of uploads takes about two of the first ones.
        let doublings = (self.slots.len() as u32 / self.config.frames.saturating_mul(2).max(1)).min(16);
        let usual = (self.config.first_slot_bytes << doublings).min(self.config.slot_bytes);
        let usual = usual << ((self.slots.len() as u32 + MORE).saturating_sub(MANY) / MORE);
        let left = self.config.limit_bytes.saturating_sub(self.total) / GRANULE * GRANULE;
        let bytes = usual.min(left).max(wanted).next_multiple_of(GRANULE);
        (0 < bytes && bytes <= left).then_some(bytes)
    }

    /// Bytes of a slot that should be made before somebody waits for it: there is no free one, and either frames have not had
    /// one each, or one of them has several.
    #[must_use]
    pub fn wants_spare(&self) -> Option<u64> {
        if self.slots.iter().any(|slot| slot.used == Use::Free) {
            return None;
        }
        let alike = |used: Use| self.slots.iter().filter(|slot| slot.used == used).count();
        let soon = self.slots.len() < self.config.frames as usize || self.slots.iter().any(|slot| alike(slot.used) > 1);
        self.next_slot(0).filter(|_| soon)
    }

    /// A slot of this size exists from now on; its number is the answer.
    pub fn add_slot(&mut self, bytes: u64) -> u32 {
        self.slots.push(Slot { bytes, used: Use::Free });
        self.total += bytes;
        self.slots.len() as u32 - 1
    }

    /// No slot could be made: get along with what there is.
    pub fn stop_growing(&mut self) {
        self.growing = false;
    }

    /// The frame has been submitted: what it wrote belongs to the receiver until [`Rotation::frame_done`].
    pub fn end_frame(&mut self, frame: u64) {
        for slot in &mut self.slots {
            if slot.used == Use::Current {
                slot.used = Use::Frame(frame);
            }
        }
        self.current = None;
        self.in_flight.push_back(frame);
    }

    /// Whether the guest is as far ahead as it may be and has to wait for a frame before it starts another.
    #[must_use]
    pub fn must_wait(&self) -> bool {
        self.in_flight.len() >= self.config.frames.max(1) as usize
    }

    /// Frames that the receiver has not done.
    #[must_use]
    pub fn frames_in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// The receiver has done every frame up to this one.
    pub fn frame_done(&mut self, frame: u64) {
        while self.in_flight.front().is_some_and(|&first| first <= frame) {
            self.in_flight.pop_front();
        }
        for slot in &mut self.slots {
            if matches!(slot.used, Use::Frame(last) if last <= frame) {
                slot.used = Use::Free;
            }
        }
    }

    /// A new receiver: nobody reads what was written before.
    pub fn reset(&mut self) {
        self.in_flight.clear();
        self.current = None;
        for slot in &mut self.slots {
            slot.used = Use::Free;
        }
    }

    /// Bytes of every slot together.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: ArenaConfig =
        ArenaConfig { frames: 2, slot_bytes: 256 << 10, first_slot_bytes: 64 << 10, limit_bytes: 512 << 10 };

    fn place(arena: &mut Rotation, size: u32) -> UploadRef {
        loop {
            match arena.alloc(size, 16) {
                Outcome::At(range) => return range,
                Outcome::NeedSlot(bytes) => {
                    arena.add_slot(bytes);
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn sizes_come_from_the_configuration() {
        let of = |text| ArenaConfig::of(&Settings::of_text("x", std::path::Path::new("f"), text));
        assert_eq!(of(""), ArenaConfig::default());
        let config = of("arena_mb = 2048\nmax_frame_latency = 8\n");
        assert_eq!((config.frames, config.slot_bytes, config.limit_bytes), (8, 2048 << 20, 16 << 30));
        assert_eq!(of("arena_mb = 1").first_slot_bytes, 1 << 20);
        let small = ArenaConfig::default().with_slots_of(4 << 20);
        assert_eq!((small.slot_bytes, small.first_slot_bytes, small.frame_bytes()), (4 << 20, 4 << 20, 6 << 20));
        assert_eq!(ArenaConfig::default().with_slots_of(u64::MAX), ArenaConfig::default());
    }

    /// What a load takes that goes on for long, with as many frames under way as there may be.
    fn long_load(config: ArenaConfig, size: u32) -> u64 {
        let mut arena = Rotation::new(config);
        for frame in 0..40 {
            let mut uploaded = 0;
            // As `Port::upload` does.
            while uploaded + u64::from(size) <= config.frame_bytes() {
                place(&mut arena, size);
                uploaded += u64::from(size);
            }
            arena.end_frame(frame);
            if arena.must_wait() {
                arena.frame_done(frame + 1 - u64::from(config.frames));
            }
        }
        arena.total_bytes()
    }

    #[test]
    fn a_long_load_of_a_32_bit_process_needs_no_more_than_is_mapped() {
        let config = ArenaConfig::default();
        for size in [64 << 10, 349_524, 1 << 20, (1 << 20) + 16, 3 << 20, 4 << 20] {
            assert!(long_load(config, size) <= MAPPED_IN_32_BITS, "uploads of {size}: {}", long_load(config, size));
        }
        assert!(long_load(ArenaConfig { slot_bytes: 16 << 20, ..config }, 1 << 20) > MAPPED_IN_32_BITS);
    }

    #[test]
    fn a_frame_that_does_not_end_gets_all_that_the_limit_allows() {
        let mut arena = Rotation::new(ArenaConfig::default());
        let limit = arena.config().limit_bytes;
        let mut bytes = 0;
        while bytes < limit - (64 << 20) {
            place(&mut arena, 1 << 20);
            bytes += 1 << 20;
        }
        assert!(arena.total_bytes() <= limit && arena.slots.len() <= MAX_SLOTS);
    }

    #[test]
    fn a_slot_is_not_reused_before_its_frame_is_done() {
        let mut arena = Rotation::new(CONFIG);
        let first = place(&mut arena, 100);
        let second = place(&mut arena, 100);
        assert_eq!((first.slot, first.offset, second.slot, second.offset), (0, 0, 0, 112));
        arena.end_frame(1);
        assert!(!arena.must_wait());
        assert_eq!(place(&mut arena, 100).slot, 1);
        arena.end_frame(2);
        assert!(arena.must_wait(), "two frames are in flight");
        arena.frame_done(1);
        assert!(!arena.must_wait());
        let third = place(&mut arena, 100);
        assert_eq!((third.slot, third.offset), (0, 0));
    }

    #[test]
    fn a_frame_that_needs_more_gets_more_slots_up_to_the_limit() {
        let mut arena = Rotation::new(CONFIG);
        let large = place(&mut arena, 200 << 10);
        assert_eq!((large.slot, large.offset), (0, 0));
        for _ in 0..4 {
            // 56 KiB are left in the first slot: too little for these.
            place(&mut arena, 64 << 10);
        }
        assert_eq!(arena.alloc(256 << 10, 16), Outcome::Full);
        arena.end_frame(1);
        assert_eq!(arena.alloc(200 << 10, 16), Outcome::Wait);
        arena.frame_done(1);
        assert_eq!(place(&mut arena, 200 << 10).slot, 0);
        assert!(arena.total_bytes() <= CONFIG.limit_bytes);
    }

    #[test]
    fn a_spare_is_wanted_for_each_frame_and_for_frames_with_much() {
        let mut arena = Rotation::new(ArenaConfig { limit_bytes: 320 << 10, ..CONFIG });
        place(&mut arena, 16);
        assert_eq!(arena.wants_spare(), Some(64 << 10), "the second frame's");
        arena.add_slot(64 << 10);
        assert_eq!(arena.wants_spare(), None, "it is there");
        arena.end_frame(1);
        place(&mut arena, 16);
        assert_eq!(arena.wants_spare(), None, "two frames have a slot each, the first will be done");
        arena.frame_done(1);
        place(&mut arena, 64 << 10);
        assert_eq!(arena.wants_spare(), Some(64 << 10), "a frame has two");
        arena.add_slot(64 << 10);
        place(&mut arena, 64 << 10);
        assert_eq!(arena.wants_spare(), Some(64 << 10));
        arena.add_slot(64 << 10);
        place(&mut arena, 64 << 10);
        assert_eq!(arena.wants_spare(), Some(64 << 10), "what the limit leaves");
        arena.stop_growing();
        assert_eq!(arena.wants_spare(), None);
    }

    #[test]
    fn a_large_upload_leaves_the_small_ones_where_they_are() {
        let mut arena = Rotation::new(ArenaConfig { limit_bytes: 4 << 20, ..CONFIG });
        let small = place(&mut arena, 16);
        let large = place(&mut arena, 256 << 10);
        assert_ne!(small.slot, large.slot);
        let next = place(&mut arena, 16);
        assert_eq!((next.slot, next.offset), (small.slot, 16));
    }

    #[test]
    fn a_new_receiver_frees_everything() {
        let mut arena = Rotation::new(CONFIG);
        place(&mut arena, 16);
        arena.end_frame(7);
        arena.end_frame(8);
        assert!(arena.must_wait());
        arena.reset();
        assert!(!arena.must_wait());
        assert_eq!(place(&mut arena, 16).slot, 0);
    }
}
