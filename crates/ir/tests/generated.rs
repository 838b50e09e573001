//! Random valid modules: they verify, and their text reads back as it is.

use afterimage_ir::{Stage, generate, parse, verify};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn text_round_trips(bytes in proptest::collection::vec(any::<u8>(), 0..1500), stage in 0..Stage::ALL.len()) {
        let module = generate(Stage::ALL[stage], &bytes);
        verify(&module).unwrap();
        let text = module.to_string();
        let again = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        prop_assert_eq!(verify(&again), Ok(()));
        prop_assert_eq!(again.to_string(), text);
    }
}
