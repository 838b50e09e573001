//! `afterimage diff` of captures, as a user meets it.

use crate::scene::{self, EDGE, Variant};
use afterimage_capture::{Reader, Writer};
use afterimage_stream::Packet;
use std::path::Path;
use std::process::{Command, Output};

fn diff(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    command.current_dir(folder).arg("diff").args(arguments).env("NO_COLOR", "1").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn scenes(other: Variant) -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    scene::capture(&temp.path().join("a.aftercap"), Variant::Plain);
    scene::capture(&temp.path().join("b.aftercap"), other);
    temp
}

#[test]
fn a_state_that_is_changed_in_the_middle_is_found_to_the_draw() {
    let temp = scenes(Variant::Scissor);
    let output = diff(&["a.aftercap", "b.aftercap", "-o", "report"], temp.path());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains("exact    frame-000001") && said.contains("differs  frame-000002"), "{said}");
    assert!(said.contains("first difference: frame 2, call 8, draw 0 of the frame (Draw)"), "{said}");
    assert!(
        said.contains("in a.aftercap: frame 2, call 8") && said.contains("in b.aftercap: frame 2, call 8"),
        "{said}"
    );
    assert!(said.contains("Texture#1, 32 x 32") && said.contains("scissor.rect.y: 0 -> 8"), "{said}");

    let report = temp.path().join("report");
    let page = std::fs::read_to_string(report.join("index.html")).unwrap();
    assert!(page.contains("frame 2, call 8") && page.contains("src=\"first-difference.png\""), "{page}");
    let file = std::io::BufReader::new(std::fs::File::open(report.join("first-difference.png")).unwrap());
    let reader = png::Decoder::new(file).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (3 * EDGE + 2, EDGE), "one, other, difference");

    let output = diff(&["a.aftercap", "b.aftercap", "--json"], temp.path());
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["first_difference"]["calls"], serde_json::json!([8, 8]));
    assert_eq!(value["first_difference"]["frames"], serde_json::json!([2, 2]));
    assert_eq!(value["pairing"]["by"], "number");
}

#[test]
fn a_difference_that_is_shown_a_frame_later_is_found_where_it_was_drawn() {
    let temp = scenes(Variant::Color);
    let output = diff(&["a.aftercap", "b.aftercap"], temp.path());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains("exact    frame-000001"), "{said}");
    assert!(said.contains("first difference: frame 1, call 3,") && said.contains("pixel float[0]"), "{said}");
}

#[test]
fn calls_that_are_not_the_same_are_told() {
    let temp = scenes(Variant::Shorter);
    let output = diff(&["a.aftercap", "b.aftercap"], temp.path());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("first difference: frame 2, call 8,"), "{}", text(&output.stdout));
}

#[test]
fn captures_that_draw_the_same_match() {
    let temp = scenes(Variant::Plain);
    for arguments in [
        &["a.aftercap", "b.aftercap"][..],
        &["a.aftercap", "--without", "bindless"],
        &[
            "a.aftercap",
            "b.aftercap",
            "--options",
            "float_rules=strict",
            "--options",
            "float_rules=relaxed without=multi_draw",
        ],
    ] {
        let output = diff(arguments, temp.path());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("2 of 2 match"), "{}", text(&output.stdout));
    }
}

/// The same capture with other numbers of frames, and without those before `first`.
fn renumbered(folder: &Path, from: &str, to: &str, by: u64, first: u64) {
    let mut reader = Reader::open(&folder.join(from)).unwrap();
    let mut writer = Writer::create(&folder.join(to), reader.info()).unwrap();
    while let Some(mut batch) = reader.next().unwrap() {
        if batch.keyframe {
            writer.keyframe(&batch.words, reader.arena()).unwrap();
            continue;
        }
        let at: Vec<usize> = afterimage_stream::Reader::new(&batch.words)
            .flatten()
            .filter(|located| matches!(located.packet, Packet::BeginFrame(_) | Packet::Present(_)))
            .map(|located| located.at + 1)
            .collect();
        // The number is the first word of both.
        at.into_iter().for_each(|at| batch.words[at] += by);
        writer.batch(&batch.words, reader.arena()).unwrap();
    }
    writer.finish().unwrap();
    if first > 1 {
        let span = format!("{}-{}", first + by, 2 + by);
        let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
        let output = command.current_dir(folder).args(["trim", to, "-o", "rest", "--frames", &span]).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        std::fs::rename(folder.join("rest"), folder.join(to)).unwrap();
    }
}

#[test]
fn a_capture_that_starts_later_is_compared_from_there() {
    let temp = scenes(Variant::Scissor);
    for (name, of) in [("late-a", "a.aftercap"), ("late-b", "b.aftercap")] {
        renumbered(temp.path(), of, name, 0, 2);
    }
    let output = diff(&["a.aftercap", "late-a"], temp.path());
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}{}", text(&output.stderr));
    assert!(said.contains("1 of 1 match") && said.contains("frames are paired by number\n"), "{said}");
    assert!(said.contains("only in a.aftercap, and not compared: frame 1\n"), "{said}");
    let output = diff(&["late-b", "a.aftercap"], temp.path());
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}{}", text(&output.stderr));
    assert!(said.contains("in late-b: frame 2, call 1\n  in a.aftercap: frame 2, call 8\n"), "{said}");
}

#[test]
fn frames_of_other_numbers_are_paired_by_their_pictures() {
    let temp = scenes(Variant::Scissor);
    renumbered(temp.path(), "a.aftercap", "moved", 100, 1);
    renumbered(temp.path(), "b.aftercap", "late", 100, 2);
    let output = diff(&["a.aftercap", "moved"], temp.path());
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}{}", text(&output.stderr));
    assert!(said.contains("frame-000002 with frame-000102") && said.contains("2 of 2 match"), "{said}");
    // Frame 102 is the most like frame 2, and differs from it.
    let output = diff(&["a.aftercap", "late"], temp.path());
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}{}", text(&output.stderr));
    assert!(said.contains("alike: frame 2 with frame 102"), "{said}");
    assert!(said.contains("in a.aftercap: frame 2, call 8\n  in late: frame 102, call 1\n"), "{said}");
    // In order, and by number, as it is told.
    let output = diff(&["a.aftercap", "late", "--pair", "order"], temp.path());
    let said = text(&output.stdout);
    assert!(output.status.code() == Some(1) && said.contains("in order: frame 1 with frame 102"), "{said}");
    let output = diff(&["a.aftercap", "late", "--pair", "number"], temp.path());
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("--pair order"), "{}", text(&output.stderr));
}

#[test]
fn what_cannot_be_compared_is_told() {
    let temp = scenes(Variant::Plain);
    std::fs::write(temp.path().join("other.txt"), "no capture").unwrap();
    for (arguments, told) in [
        (&["a.aftercap"][..], "--device"),
        (&["a.aftercap", "other.txt"], "is none"),
        (&["a.aftercap", "--options", "flaot_rules=strict"], "did you mean float_rules"),
        (&["a.aftercap", "--options", "float_rules"], "OPTION=VALUE"),
        (&["a.aftercap", "--without", "nonsense"], "nonsense"),
        (&["a.aftercap", "--device", "a", "--device", "b", "--device", "c"], "two sides"),
        (&["other.txt", "other.txt", "--device", "a"], "for captures"),
        (&["a.aftercap", "--device", "no such device"], "no such device"),
    ] {
        let output = diff(arguments, temp.path());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stdout));
        assert!(text(&output.stderr).contains(told), "{arguments:?}: {}", text(&output.stderr));
    }
}

/// A tool on FILE: its arguments, its status where nothing can be read, and where damage lies behind the first frame.
const TOOLS: [(&[&str], [i32; 2]); 7] = [
    (&["info", "FILE"], [1, 0]),
    (&["dump", "FILE"], [1, 1]),
    (&["inspect", "FILE"], [1, 1]),
    (&["trim", "FILE", "-o", "FILE-part.aftercap", "--frames", "1"], [1, 0]),
    (&["diff", "whole", "FILE"], [2, 2]),
    (&["replay", "FILE", "-o", "FILE.pictures"], [1, 1]),
    (&["report", "FILE", "-o", "FILE.html"], [1, 0]),
];

#[test]
fn damaged_files_are_told_of_and_what_is_whole_is_shown() {
    let temp = tempfile::tempdir().unwrap();
    let at = |name: &str| temp.path().join(name);
    scene::capture(&at("whole"), Variant::Plain);
    let whole = std::fs::read(at("whole")).unwrap();
    let mut reader = Reader::new(&whole[..]).unwrap();
    while reader.next().unwrap().is_some() {}
    let second = reader.index().frames[1].1 as usize;
    let flipped = |place: usize| {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x10;
        bytes
    };
    let mut newer = whole.clone();
    newer[8] += 1;
    let check = xxhash_rust::xxh3::xxh3_64(&newer[..16]);
    newer[16..24].copy_from_slice(&check.to_le_bytes());
    // Of each file whether its first frame can be read, and what is said of it.
    let files: [(&str, Option<Vec<u8>>, bool, &str); 11] = [
        ("missing", None, false, "does not exist"),
        ("folder", None, false, "is a folder"),
        ("empty", Some(Vec::new()), false, "empty; capture it again"),
        ("start", Some(whole[..10].to_vec()), false, "capture it again"),
        ("header", Some(whole[..60].to_vec()), false, "capture it again"),
        ("text", Some(b"some text that is no capture at all".to_vec()), false, "none\nis no capture"),
        ("newer", Some(newer), false, "replay it with the build that wrote it"),
        ("cut", Some(whole[..second + 50].to_vec()), true, "the file ends in the middle of it"),
        ("content", Some(flipped(second + 40)), true, "field check sum: the content is damaged"),
        ("chunk", Some(flipped(second + 9)), true, "field header check: the chunk's header is damaged"),
        ("magic", Some(flipped(0)), true, "the file's first 24 bytes are damaged"),
    ];
    std::fs::create_dir(at("folder")).unwrap();
    let check = |&(name, ref bytes, readable, told): &(&str, Option<Vec<u8>>, bool, &str)| {
        if let Some(bytes) = bytes {
            std::fs::write(at(name), bytes).unwrap();
        }
        for (arguments, statuses) in TOOLS {
            let arguments: Vec<String> = arguments.iter().map(|argument| argument.replace("FILE", name)).collect();
            let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
            let output = command.current_dir(temp.path()).args(&arguments).env("NO_COLOR", "1").output().unwrap();
            let (said, complained) = (text(&output.stdout), text(&output.stderr));
            let all = format!("{arguments:?}: {:?}\n{said}\n{complained}", output.status);
            assert_eq!(output.status.code(), Some(statuses[usize::from(readable)]), "{all}");
            assert!(!complained.contains("panicked"), "{all}");
            // A page says it itself.
            if arguments[0] != "report" || !readable {
                assert!(all.contains(name) && told.split('\n').any(|told| all.contains(told)), "{told}: {all}");
            }
            let place = ["at byte", "first 24 bytes"];
            assert!(!readable || arguments[0] == "report" || place.iter().any(|place| all.contains(place)), "{all}");
            match &arguments[0][..] {
                _ if !readable => assert!(said.is_empty(), "{all}"),
                "info" => assert!(said.contains("scene"), "{all}"),
                "dump" => assert!(said.contains("Present { frame: 1,"), "{all}"),
                "inspect" => assert!(said.contains("\n6 "), "{all}"),
                "trim" => {
                    let part = afterimage_inspect::Capture::open(&at(&arguments[3])).unwrap();
                    assert_eq!((part.damage(), part.rejected(), part.frames().len()), (None, 0, 1), "{all}");
                }
                "diff" => assert!(said.contains("exact    frame-000001"), "{all}"),
                "replay" => assert!(at(&arguments[3]).join("frame-000001.png").is_file(), "{all}"),
                _ => assert!(at(&arguments[3]).metadata().unwrap().len() > 10_000, "{all}"),
            }
        }
    };
    std::thread::scope(|scope| {
        files.iter().for_each(|file| drop(scope.spawn(|| check(file))));
    });
}
