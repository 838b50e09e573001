//! Modules that no front end would build: whatever the verifier lets through survives every pass, and can be written.

use afterimage_ir::{parse, verify};
use afterimage_passes::{FloatRules, Options, optimize};
use proptest::prelude::*;

const EVERYTHING: &str = include_str!("../../ir/tests/everything.air");

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_verifies_compiles(
        edits in proptest::collection::vec((0usize..100, 0usize..100, 0..3, "[0-9]{1,2}"), 1..4),
        bindless in any::<bool>(),
    ) {
        let mut lines: Vec<String> = EVERYTHING.lines().map(str::to_owned).collect();
        for (at, to, how, number) in edits {
            let (at, to) = (at % lines.len(), to % lines.len());
            match how {
                0 => {
                    lines.remove(at);
                }
                1 => {
                    let line = lines[at].clone();
                    lines.insert(to, line);
                }
                // Another operand.
                _ => {
                    if let Some(place) = lines[at].rfind('v') {
                        lines[at].truncate(place + 1);
                        lines[at].push_str(&number);
                    }
                }
            }
        }
        let text = lines.join("\n");
        let Ok(mut module) = parse(&text) else { return Ok(()) };
        if verify(&module).is_err() {
            return Ok(());
        }
        optimize(&mut module, &Options { float_rules: FloatRules::Strict });
        prop_assert_eq!(verify(&module), Ok(()));
        let options = afterimage_spirv::Options { bindless, preserve: bindless, debug_names: true, features: afterimage_spirv::Features::ALL };
        prop_assert!(afterimage_spirv::emit(&module, &options).is_ok());
    }
}
