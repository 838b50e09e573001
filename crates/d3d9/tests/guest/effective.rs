//! Whatever is set in whatever order: at each draw the receiver's state is the same as that of a device that is told
//! everything anew before each draw.

use crate::world;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tracked_state_loses_nothing(
        mixed in prop::bool::weighted(0.2),
        calls in prop::collection::vec(world::call(), 1..120),
    ) {
        let difference = world::difference(mixed, &calls, None);
        prop_assert!(difference.is_none(), "{}", difference.unwrap_or_default());
    }
}
