//! The floor that `cargo xtask bench d3d9 --floor` measures: that it draws in every way that it can, without a message of the
//! validation layer, and its command line. What it takes is no test's business.

#[path = "../benches/floor/mod.rs"]
mod floor;

use floor::Arguments;

fn parse(line: &str) -> Result<Arguments, String> {
    Arguments::parse(line.split_whitespace().map(str::to_owned))
}

#[test]
fn options_are_those_of_the_program_that_it_is_compared_with() {
    let plain = Arguments { json: std::env::var_os("AFTERIMAGE_BENCH_JSON").map(Into::into), ..Arguments::default() };
    assert_eq!(parse("--bench"), Ok(plain.clone()));
    let all = parse("--draws 8 --frames 2 --only state --json out.json --merged --window --validate").unwrap();
    assert_eq!((all.draws, all.frames, all.only.as_deref()), (8, 2, Some("state")));
    assert!(all.merged && !all.indirect && all.window && all.validate && all.json == Some("out.json".into()));
    assert!(all.wants("blend and depth state") && !all.wants("texture") && plain.wants("texture"));
    assert_eq!(parse("--indirect"), Ok(Arguments { merged: true, indirect: true, ..plain }));
    for wrong in ["--draws", "--draws 0", "--frames many", "--draws 2000000", "--faster", "draws"] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
    assert!(floor::USAGE.contains("--indirect"));
}

/// [`floor::run`] looks at pictures before it times anything.
#[test]
fn every_way_draws_without_a_message_of_the_validation_layer() {
    for (merged, indirect) in [(false, false), (true, false), (true, true)] {
        let arguments =
            Arguments { draws: 10, frames: 1, json: None, merged, indirect, validate: true, ..Arguments::default() };
        floor::run(&arguments).expect("a Vulkan device and the validation layer: run `cargo xtask setup`");
    }
}
