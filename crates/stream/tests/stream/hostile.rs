//! Damaged streams: a typed error or a valid reading, never a panic, never unbounded memory.

use crate::common::*;
use afterimage_stream::Header;
use proptest::prelude::*;

proptest! {
    #[test]
    fn any_flipped_word_is_survived(at in 0usize..120, value: u64) {
        let mut out = frame(4);
        let batch = out.batch();
        let at = at % batch.len();
        batch[at] = value;
        let run = run(batch);
        prop_assert!(run.presents <= 1);
        for error in run.errors {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn random_bodies_behind_good_headers_are_survived(kind in 0u16..0x70, body in prop::collection::vec(any::<u64>(), 0..24)) {
        let mut out = frame(0);
        let header = out.len() - 8;
        let sequence = bytemuck::cast::<_, Header>(out.batch()[header]).sequence + 1;
        let batch = out.batch();
        batch.push(bytemuck::cast(Header { kind, units: body.len() as u16 + 1, sequence }));
        batch.extend(body);
        run(batch);
    }

    #[test]
    fn random_words_are_survived(batch in prop::collection::vec(any::<u64>(), 0..200)) {
        run(&batch);
    }
}
