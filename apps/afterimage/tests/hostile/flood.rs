//! Captures of packets that a renderer refuses, millions of them: what is logged stays small, and says how many there were.

use afterimage_capture::{Info, MemoryArena, Writer};
use afterimage_stream::packets::*;
use afterimage_stream::{Encoder, Format, ObjectId, ObjectKind};
use bytemuck::Zeroable;
use std::path::Path;
use std::process::{Command, Output};

/// Most that may be logged.
const MOST: usize = 1_000_000;

/// A frame of one packet that is drawn, and then these words.
fn capture(path: &Path, words: &[u64]) {
    let (texture, target) = (ObjectId::new(ObjectKind::Texture, 1), ObjectId::new(ObjectKind::Target, 1));
    let mut stream = Encoder::new();
    stream.push(&PresentTarget { id: target, width: 4, height: 4, window_kind: 0, window: 0 });
    stream.push(&CreateTexture {
        usage: CreateTexture::TARGET,
        ..CreateTexture::plain(texture, Format::B8G8R8A8_UNORM, [4, 4])
    });
    let mut writer = Writer::create(path, &Info { program: "flood".into(), ..Info::default() }).unwrap();
    writer.keyframe(stream.batch(), &MemoryArena::default()).unwrap();
    stream.batch().clear();
    stream.push(&BeginFrame { frame: 1 });
    stream.push(&Present { frame: 1, target, texture, ..Present::zeroed() });
    writer.batch(stream.batch(), &MemoryArena::default()).unwrap();
    for part in words.chunks(1 << 17) {
        writer.batch(part, &MemoryArena::default()).unwrap();
    }
    writer.finish().unwrap();
}

fn run(arguments: &[&str], file: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    command.args(arguments).arg(file).env("NO_COLOR", "1");
    command.output().unwrap()
}

/// What was said on standard error, which is not much.
fn little(output: &Output, what: &str) -> String {
    assert!(output.stderr.len() < MOST, "{what}: {} bytes on standard error", output.stderr.len());
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code().is_some(), "{what}: {} {text}", output.status);
    text
}

/// Headers of packets of one word, numbered one after the other: of a kind that there is not.
fn unknown(count: u32) -> Vec<u64> {
    (0..count).map(|sequence| bytemuck::cast(Header { kind: u16::MAX, units: 1, sequence })).collect()
}

/// Packets of every kind, well-formed in size, with bodies of a generator: each is refused for a reason of its own.
fn nonsense(words: usize) -> Vec<u64> {
    let mut seed = 1u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed.rotate_left(23)
    };
    let (mut stream, mut sequence) = (Vec::new(), 4u32);
    while stream.len() < words {
        let kind = Kind::ALL[(random() % Kind::ALL.len() as u64) as usize];
        let units = 1 + (random() % 24) as u16;
        stream.push(bytemuck::cast(Header { kind: kind as u16, units, sequence }));
        stream.extend((1..units).map(|_| random() >> (random() % 64)));
        sequence = sequence.wrapping_add(1);
    }
    stream
}

#[test]
fn millions_of_bad_packets_make_few_lines_and_a_count() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("unknown.aftercap");
    capture(&file, &unknown(1_500_000));
    assert!(file.metadata().unwrap().len() < 10_000_000);
    let output = run(&["replay"], &file);
    let text = little(&output, "replay");
    assert!(!output.status.success(), "{text}");
    assert!(text.contains("1499980 of 1500000 lines of this kind were left out"), "{text}");
    assert!(text.contains("1500000 packets could not be executed"), "{text}");
    // Whatever else reads it says little, too.
    for arguments in [&["info"][..], &["inspect"], &["report", "-o", "/dev/null"]] {
        little(&run(arguments, &file), arguments[0]);
    }
}

#[test]
fn ten_megabytes_of_nonsense_make_a_small_log() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("nonsense.aftercap");
    capture(&file, &nonsense(10 << 17));
    let text = little(&run(&["replay"], &file), "replay");
    assert!(text.contains("lines of this kind were left out"), "{text}");
    little(&run(&["info"], &file), "info");
}

/// The file that the flood was found with; it is no part of this tree.
#[test]
fn the_bomb_of_warnings_makes_a_small_log() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/attack/bomb_warnings.aftercap");
    if !file.exists() {
        eprintln!("skipped: {} is not there", file.display());
        return;
    }
    little(&run(&["replay"], &file), "replay");
}
