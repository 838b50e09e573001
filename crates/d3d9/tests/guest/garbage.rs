//! Whatever a program passes: nothing panics, and every packet that comes of it is one that the receiver accepts.

use crate::calls::Calls;
use afterimage_d3d9_types::{D3DFVF_DIFFUSE, D3DFVF_XYZ};
use proptest::prelude::*;

/// Small numbers, flags, and anything.
fn number() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 0u32..20, 2 => (0u32..32).prop_map(|bit| 1 << bit), 1 => any::<u32>(), 1 => Just(u32::MAX)]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics_and_nothing_is_rejected(
        calls in prop::collection::vec((any::<u32>(), prop::collection::vec(number(), 8)), 1..80)
    ) {
        let mut program = Calls::default();
        program.rig.device.set_fvf(D3DFVF_XYZ | D3DFVF_DIFFUSE).unwrap();
        for (which, numbers) in &calls {
            program.call(*which, numbers.as_slice().try_into().expect("eight of them"));
        }
        let errors = program.rejected();
        prop_assert!(errors.is_empty(), "{errors:#?}");
    }
}
