//! Streams with words that are others: whatever they hold, nothing panics, memory is not read beyond its end (the list of calls has the
//! bytes of buffers, and panics there), and the next stream is drawn as if it were the first.

use crate::common::everything::everything;
use afterimage_stream::{Arena, Executor, ObjectId, ObjectKind, Reader, UploadRef};

/// How many streams are tried.
const STREAMS: u64 = 20_000;

/// Numbers that follow each other as if by chance: Marsaglia's xorshift.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

#[test]
fn words_that_are_others_cost_only_their_packets() {
    let mut guest = everything();
    let words = std::mem::take(guest.encoder.batch());
    // What is read back may go anywhere in the arena, also to where shaders and vertices are.
    let whole = UploadRef { slot: 0, size: guest.arena.slot_size(0).expect("a slot") as u32, offset: 0 };
    let mut arena = vec![0; whole.size as usize];
    assert!(guest.arena.copy_out(&whole, 0, &mut arena));
    let headers: Vec<usize> = Reader::new(&words).map(|located| located.unwrap().at).collect();
    guest.renderer.execute(&words, &guest.arena, &mut |_| {}).expect("the stream is right");
    let drawn = guest.renderer.draws();
    assert_eq!(guest.renderer.skipped_draws(), 0);
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    for number in 0..STREAMS {
        guest.renderer.restart(&mut |_| {}).expect("the device is there");
        let mut changed = words.clone();
        for _ in 0..1 + chance.next() % 6 {
            let at = chance.next() as usize % changed.len();
            if headers.contains(&at) {
                continue;
            }
            let old = changed[at];
            let shift = 8 * (chance.next() % 8);
            changed[at] = match chance.next() % 5 {
                0 => old ^ 1 << (chance.next() % 64),
                1 => old & !(0xff << shift) | (chance.next() & 0xff) << shift,
                2 => old & !0xffff_ffff | u64::from(ObjectId::new(ObjectKind::Texture, chance.next() as u32 & 7).0),
                3 => old.wrapping_add(chance.next() & 15),
                _ => chance.next(),
            };
        }
        drop(guest.renderer.execute(&changed, &guest.arena, &mut |_| {}));
        assert!(guest.renderer.lost().is_none(), "stream {number}");
    }
    guest.renderer.restart(&mut |_| {}).expect("the device is there");
    assert!(guest.arena.copy_in(&whole, 0, &arena));
    let (draws, skipped) = (guest.renderer.draws(), guest.renderer.skipped_draws());
    guest.renderer.execute(&words, &guest.arena, &mut |_| {}).expect("the stream is right");
    assert_eq!((guest.renderer.draws() - draws, guest.renderer.skipped_draws() - skipped), (drawn, 0));
}
