//! `afterimage inspect` and `afterimage replay` on recordings of NV2A work, which the tests make themselves.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn afterimage(arguments: &[&str], files: &[&Path]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("AFTERIMAGE_")) {
        command.env_remove(name);
    }
    let cache = tempfile::tempdir().unwrap();
    let output = command
        .env("AFTERIMAGE_CACHE_DIR", crate::drivers::shared(cache.path()))
        .args(arguments)
        .args(files)
        .output()
        .unwrap();
    let known = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with("known-");
    assert!(!std::fs::read_dir(cache.path()).unwrap().flatten().any(known), "a recording has no next run");
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A recording that is being made.
struct Recording(Vec<u8>);

const PUSH: u32 = 0x1000;
const COLOR: u32 = 0x2_0000;

impl Recording {
    fn new() -> Self {
        let mut recording = Self(b"KELVCAP1".to_vec());
        recording.words(&[0x0400_0000, 0]);
        recording
    }

    fn words(&mut self, words: &[u32]) {
        self.0.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }

    fn record(&mut self, tag: &[u8; 4], words: &[u32]) {
        self.0.extend(tag);
        self.words(words);
    }

    /// Objects, and a push buffer that clears a surface of 16 by 8 pixels to a colour.
    fn clear(color: u32) -> Self {
        let mut recording = Self::new();
        for (offset, value) in [
            (0x2210, 0x0300_0100),
            (0x71_0000, 1),
            (0x71_0004, 0x8000_1200),
            (0x71_0008, 2),
            (0x71_000C, 0x8001_1210),
            (0x71_2000, 0x303D),
            (0x71_2004, 0x03FF_FFFF),
            (0x71_2008, 3),
            (0x71_2100, 0x97),
        ] {
            recording.record(b"REG ", &[offset, value]);
        }
        let push = [
            [0x0004_0000, 2].as_slice(),
            &[0x0008_0194, 1, 1],
            &[0x0018_0200, 16 << 16, 8 << 16, 0x128, 64 << 16 | 64, COLOR, 0x4_0000],
            &[0x0014_1D8C, 0xFFFF_FF00, color, 0xF3, 15 << 16, 7 << 16],
            // The rectangle is set now.
            &[0x0004_1D94, 0xF3],
            &[0x0004_17FC, 5],
            &[0x0004_1810, 0x0200_0000],
            &[0x0004_17FC, 0],
        ]
        .concat();
        recording.record(b"MEM ", &[PUSH, 4 * push.len() as u32]);
        recording.words(&push);
        recording.record(b"EXEC", &[PUSH, PUSH + 4 * push.len() as u32]);
        recording
    }

    /// The program saves its picture.
    fn save(&mut self, name: &str) {
        let mut text = format!("color|out\\Suite|{name}|addr={COLOR:x}|w=16|h=8|pitch=64|bpp=32").into_bytes();
        self.record(b"FRME", &[text.len() as u32]);
        text.resize(text.len().next_multiple_of(4), 0);
        self.0.extend(text);
    }

    fn write(mut self, folder: &Path, name: &str) -> PathBuf {
        self.0.extend(b"END ");
        let path = folder.join(name);
        std::fs::write(&path, self.0).unwrap();
        path
    }
}

#[test]
fn inspect_names_methods_and_decodes_their_arguments() {
    let temp = tempfile::tempdir().unwrap();
    let mut recording = Recording::clear(0xFF11_2233);
    recording.save("Picture");
    let file = recording.write(temp.path(), "a.kcap");
    let output = afterimage(&["inspect"], &[&file]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    for expected in [
        "EXEC 0x00001000 to 0x00001068  run 0",
        "SET_SURFACE_FORMAT                     color A8R8G8B8, zeta Z24S8, type pitch",
        "SET_COLOR_CLEAR_VALUE                  #FF112233",
        "CLEAR_SURFACE                          Z, stencil, R, G, B, A",
        "SET_BEGIN_END                          triangles",
        "DRAW_ARRAYS                            first 0, count 3",
        "FRME color Suite/Picture.png: 16 x 8 of 32 bits at 0x00020000, pitch 64",
    ] {
        assert!(said.contains(expected), "{expected}\n{said}");
    }
    assert!(!said.contains('\x1b'), "no colours in a pipe");
    let lines = |arguments: &[&str]| {
        let output = afterimage(&[&["inspect"], arguments].concat(), &[&file]);
        text(&output.stdout).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let draws = lines(&["--draws"]);
    assert_eq!(draws.len(), 4, "{draws:?}");
    assert!(draws[2].contains("draw 0") && draws[2].contains("arrays 0 to 2"), "{draws:?}");
    assert!(draws[3].ends_with("Suite/Picture.png"), "{draws:?}");
    assert_eq!(lines(&["--method", "1810"]).len(), 1);
    assert_eq!(lines(&["--method", "begin_end", "--exec", "0"]).len(), 2);
    assert!(lines(&["--exec", "1"]).is_empty());
    assert!(lines(&["--raw", "--exec", "0"]).iter().any(|line| line.contains("6 arguments, increasing")));
}

#[test]
fn inspect_says_what_is_wrong_and_goes_on_with_the_next() {
    let temp = tempfile::tempdir().unwrap();
    let mut broken = Recording::clear(0);
    broken.record(b"OOPS", &[]);
    let broken = broken.write(temp.path(), "broken.kcap");
    let good = Recording::clear(0).write(temp.path(), "good.kcap");
    let output = afterimage(&["inspect"], &[&broken, &temp.path().join("missing.kcap"), &good]);
    assert_eq!(output.status.code(), Some(1));
    let complaints = text(&output.stderr);
    assert!(complaints.contains("broken.kcap: record 11 at") && complaints.contains("\"OOPS\""), "{complaints}");
    assert!(complaints.contains("missing.kcap: cannot read it"), "{complaints}");
    assert_eq!(text(&output.stdout).matches("CLEAR_SURFACE").count(), 4);
}

#[test]
fn info_counts_what_a_recording_holds() {
    let temp = tempfile::tempdir().unwrap();
    let mut recording = Recording::clear(0);
    recording.save("Picture");
    recording.record(b"EXEC", &[0x3F0_0000, 0x10]);
    recording.record(b"OOPS", &[]);
    let output = afterimage(&["info"], &[&recording.write(temp.path(), "a.kcap")]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    for expected in [
        "records  13\nwritten  104 bytes\nruns     2\ndraws    1\nclears   2\npictures 1\n",
        "\n         Suite/Picture.png\nfault    run 1: push buffer word 0x00000000 at ",
        "\ndamage   record 13 at 0x14c: there is no record of the kind \"OOPS\"\n",
    ] {
        assert!(said.contains(expected), "{expected}\n{said}");
    }
}

#[test]
fn replay_writes_every_picture_and_names_the_files_that_failed() {
    let temp = tempfile::tempdir().unwrap();
    let mut blue = Recording::clear(0xFF11_2233);
    blue.save("Blue");
    blue.save("Again");
    let blue = blue.write(temp.path(), "blue.kcap");
    let mut broken = Recording::clear(0x8000_FF00);
    broken.save("Green");
    broken.record(b"EXEC", &[0x3F0_0000, 0x10]);
    broken.record(b"MEM ", &[0, 5]);
    let broken = broken.write(temp.path(), "broken.kcap");
    let pictures = temp.path().join("pictures");
    let output = afterimage(&["replay", "-o", pictures.to_str().unwrap()], &[&blue, &broken]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let complaints = text(&output.stderr);
    assert!(complaints.contains("broken.kcap: push buffer word") && complaints.contains("there is no memory"));
    assert!(complaints.contains("broken.kcap: record 13 (MEM ) at"), "{complaints}");
    assert!(text(&output.stdout).starts_with("2 recordings, 3 pictures in"), "{}", text(&output.stdout));
    for (name, expected) in
        [("Blue", [0x11, 0x22, 0x33, 0xFF]), ("Again", [0x11, 0x22, 0x33, 0xFF]), ("Green", [0, 0xFF, 0, 0x80])]
    {
        let file = std::fs::File::open(pictures.join("Suite").join(name).with_extension("png")).unwrap();
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (16, 8));
        assert!(pixels.chunks_exact(4).all(|pixel| pixel == expected), "{name}: {:?}", &pixels[..4]);
    }
}

#[test]
fn captures_and_recordings_are_told_apart() {
    let temp = tempfile::tempdir().unwrap();
    let recording = Recording::clear(0).write(temp.path(), "recording.aftercap");
    let output = afterimage(&["replay", "--frames", "1"], &[&recording]);
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("--frames is for captures"), "{}", text(&output.stderr));
    let other = temp.path().join("other.kcap.gz");
    std::fs::write(&other, "something else").unwrap();
    let output = afterimage(&["replay"], &[&other, &recording]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("other.kcap.gz: it is not a recording"), "{}", text(&output.stderr));
}

#[test]
fn recordings_have_figures_each() {
    let temp = tempfile::tempdir().unwrap();
    let recordings = ["one.kcap.gz", "two.kcap.gz"].map(|name| Recording::clear(0).write(temp.path(), name));
    let output = afterimage(&["replay", "--stats", "-"], &[&recordings[0], &recordings[1]]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let figures: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let figures = figures.as_array().unwrap();
    assert_eq!(figures.len(), 2);
    for one in figures {
        assert!(one["guest_state"]["draws"].is_u64() && one["renderer_state"]["applied"].is_u64(), "{one}");
    }
}
