//! Call sets: what they hold, what is wrong with them, and that their text is what they are.
#![allow(missing_docs)]

use afterimage_inspect::{Call, CallKind, CallSet, Place};
use afterimage_stream::Kind;
use proptest::prelude::*;
use std::io::Write;

fn call(number: u64, kind: CallKind) -> Call {
    Call { number, frame: 1, in_frame: number, kind, packet: Kind::Draw, sequence: 0, place: Place::default() }
}

fn held(text: &str) -> Vec<u64> {
    let set = CallSet::parse(text).unwrap();
    let kinds = CallKind::ALL;
    let calls: Vec<Call> = (0..30).map(|number| call(number, kinds[number as usize % kinds.len()].0)).collect();
    set.among(&calls).map(|call| call.number).collect()
}

#[test]
fn every_form_of_an_entry() {
    assert_eq!(held("12"), [12]);
    assert_eq!(held("3-5, 9"), [3, 4, 5, 9]);
    assert_eq!(held("27-*"), [27, 28, 29]);
    assert_eq!(held("*").len(), 30);
    assert_eq!(held("all").len(), 30);
    assert_eq!(held("0-*/10"), [0, 10, 20]);
    assert_eq!(held("5-29/10"), [5, 15, 25]);
    assert_eq!(held("0-1000/draw"), [0, 6, 12, 18, 24]);
    assert_eq!(held("draw"), held("*/draw"));
    assert_eq!(held("frame"), [5, 11, 17, 23, 29]);
    assert_eq!(held("*/frame"), held("present"));
    assert_eq!(held("*/draw/12"), [0, 12, 24]);
    assert_eq!(held("*/12/draw"), [0, 12, 24]);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (text, place, cause) in [
        ("1,x", "character 3", "\"x\" where a number must be"),
        ("5-2", "character 1", "ends before it begins"),
        ("1,,2", "character 3", "is no entry"),
        ("", "character 1", "is no entry"),
        ("1/draw/clear", "character 1", "two kinds"),
        ("*/0", "character 1", "a step of 0"),
        ("*/2/3", "character 1", "two steps"),
        ("*/drawn", "character 1", "\"drawn\""),
        ("3-", "character 1", "a number missing"),
        ("99999999999999999999", "character 1", "where a number must be"),
    ] {
        let error = CallSet::parse(text).unwrap_err().to_string();
        assert!(error.contains(place) && error.contains(cause), "{text}: {error}");
    }
}

#[test]
fn a_file_has_a_set_a_line() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, "# the ones that are wrong\n3, 4 # both\n\n  20-*/draw").unwrap();
    let name = file.path().display().to_string();
    assert_eq!(held(&format!("1,@{name}")), [1, 3, 4, 24]);
    writeln!(file, "7\n1,?").unwrap();
    let error = CallSet::parse(&format!("@{name}")).unwrap_err().to_string();
    assert!(error.contains(&format!("{name}, line 6, character 3")), "{error}");
    writeln!(file, "@{name}").unwrap();
    let error = CallSet::parse("@/nowhere/at/all").unwrap_err().to_string();
    assert!(error.contains("/nowhere/at/all"), "{error}");
    let mut inside = tempfile::NamedTempFile::new().unwrap();
    writeln!(inside, "@{name}").unwrap();
    let error = CallSet::parse(&format!("@{}", inside.path().display())).unwrap_err().to_string();
    assert!(error.contains("a file inside of a file"), "{error}");
}

#[test]
fn numbers_become_ranges() {
    assert_eq!(CallSet::of([1, 2, 3, 7, 9, 10]).to_string(), "1-3,7,9-10");
    assert_eq!(CallSet::of([u64::MAX - 1, u64::MAX, 0]).to_string(), format!("{}-*,0", u64::MAX - 1));
}

fn entry() -> impl Strategy<Value = String> {
    let range = prop_oneof![
        Just("*".to_owned()),
        (0u64..60).prop_map(|at| at.to_string()),
        (0u64..60, 0u64..60).prop_map(|(first, more)| format!("{first}-{}", first + more)),
        (0u64..60).prop_map(|first| format!("{first}-*")),
        any::<u64>().prop_map(|at| at.to_string()),
    ];
    let kind = prop::sample::select(vec!["", "/draw", "/frame", "/copy", "/all", "/query"]);
    (range, prop_oneof![Just(String::new()), (1u64..12).prop_map(|step| format!("/{step}"))], kind)
        .prop_map(|(range, step, kind)| format!("{range}{step}{kind}"))
}

proptest! {
    #[test]
    fn the_text_of_a_set_is_the_set(entries in prop::collection::vec(entry(), 1..6)) {
        let set = CallSet::parse(&entries.join(",")).unwrap();
        let again = CallSet::parse(&set.to_string()).unwrap();
        prop_assert_eq!(&again, &set);
        for number in 0..130 {
            for (kind, _) in CallKind::ALL {
                let call = call(number, kind);
                let one = entries.iter().any(|entry| CallSet::parse(entry).unwrap().contains(&call));
                prop_assert_eq!(set.contains(&call), one);
            }
        }
    }

    #[test]
    fn any_text_is_a_set_or_an_error(text in "[-0-9*/,@a-z #]{0,20}") {
        if let Ok(set) = CallSet::parse(&text) {
            prop_assert_eq!(CallSet::parse(&set.to_string()).unwrap(), set);
        }
    }
}
