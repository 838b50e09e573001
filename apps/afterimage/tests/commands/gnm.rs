//! `afterimage replay`, `inspect` and `info` on recordings of GNM work, and GCN shaders, which the tests make themselves.

use crate::recorded::{SQUARES, bytes, recording};
use std::path::Path;
use std::process::{Command, Output};

fn afterimage(arguments: &[&str], file: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("AFTERIMAGE_")) {
        command.env_remove(name);
    }
    let cache = tempfile::tempdir().unwrap();
    command
        .env("AFTERIMAGE_CACHE_DIR", crate::drivers::shared(cache.path()))
        .args(arguments)
        .arg(file)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn pictures_and_dumps_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = recording(folder.path(), false);
    let out = folder.path().join("out");
    let output = afterimage(&["replay", "--validate", "-o", out.to_str().unwrap()], &file);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("1 recordings, 1 pictures"), "{}", text(&output.stdout));
    let words: Vec<u8> = std::fs::read(out.join("squares.bin")).unwrap();
    assert_eq!(words, bytes(&(0..256).map(|at| at * at).collect::<Vec<_>>()));
    let mut reader = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(out.join("front.png")).unwrap()))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (14, 8));
    let expected: Vec<u8> = (0..16 * 8 * 4).filter(|at| at % 64 < 56).map(|at| at as u8).collect();
    assert!(pixels == expected);
}

#[test]
fn a_recording_becomes_a_capture_of_the_same_pixels() {
    let folder = tempfile::tempdir().unwrap();
    let file = recording(folder.path(), false);
    let path = |name: &str| folder.path().join(name).into_os_string().into_string().unwrap();
    let (capture, recorded, replayed) = (path("work.aftercap"), path("recorded"), path("replayed"));
    let output = afterimage(&["replay", "--capture", &capture, "-o", &recorded], &file);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let calls = text(&afterimage(&["inspect"], Path::new(&capture)).stdout);
    assert!(calls.contains("Dispatch") && calls.contains("Present"), "{calls}");
    let output = afterimage(&["replay", "-o", &replayed], Path::new(&capture));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let picture = |path: &Path| {
        let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let channels = info.color_type.samples();
        pixels.chunks_exact(channels).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect::<Vec<_>>()
    };
    let frames: Vec<_> = std::fs::read_dir(&replayed).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [frame] = &frames[..] else { panic!("{frames:?}") };
    assert!(picture(frame) == picture(&Path::new(&recorded).join("front.png")));

    // A capture is one already, and two recordings would be two.
    let again = path("again.aftercap");
    for files in [&[capture.as_str()][..], &[file.to_str().unwrap(), file.to_str().unwrap()]] {
        let output = Command::new(env!("CARGO_BIN_EXE_afterimage"))
            .args(["replay", "--capture", &again])
            .args(files)
            .output()
            .unwrap();
        assert!(!output.status.success() && text(&output.stderr).contains("--capture is for"), "{files:?}");
    }
    assert!(!Path::new(&again).exists());
}

#[test]
fn what_cannot_be_done_is_told_with_its_address_and_the_rest_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let file = recording(folder.path(), true);
    let out = folder.path().join("out");
    let output = afterimage(&["replay", "-o", out.to_str().unwrap()], &file);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.contains("graphics ring") && error.contains("0x2000000000"), "{error}");
    assert!(out.join("front.png").is_file() && out.join("squares.bin").is_file());
}

#[test]
fn packets_registers_programs_and_descriptors_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = recording(folder.path(), false);
    let shown = text(&afterimage(&["inspect"], &file).stdout);
    for expected in [
        "SUBM queue 0",
        "COMPUTE_NUM_THREAD_X = 0x00000040 (NUM_THREAD_FULL=0x40",
        "DISPATCH_DIRECT",
        "dispatch 0: 4 x 1 x 1 groups of 64 x 1 x 1",
        "buffer_store_dword v5, v6, s[0:3], 0 offen",
        "cs buffer 0, written: 1024 bytes at 0x1000020000; BASE_ADDRESS=0x20000",
        "FLIP front: 14 x 8",
    ] {
        assert!(shown.contains(expected), "{expected}\n{shown}");
    }
    let draws = text(&afterimage(&["inspect", "--draws"], &file).stdout);
    assert!(draws.lines().count() == 3 && draws.contains("shown front") && draws.contains("kept  squares"), "{draws}");
    let chosen = text(&afterimage(&["inspect", "--raw", "-m", "dispatch_direct"], &file).stdout);
    assert!(chosen.contains("DISPATCH_DIRECT") && !chosen.contains("SET_SH_REG"), "{chosen}");
    let about = text(&afterimage(&["info"], &file).stdout);
    assert!(
        about.contains("dispatches  1") && about.contains("front.png") && about.contains("damage      none"),
        "{about}"
    );
}

#[test]
fn a_damaged_recording_is_shown_up_to_the_damage() {
    let folder = tempfile::tempdir().unwrap();
    let file = recording(folder.path(), false);
    let mut whole = std::fs::read(&file).unwrap();
    whole.truncate(whole.len() - 20);
    std::fs::write(&file, whole).unwrap();
    let output = afterimage(&["inspect", "--draws"], &file);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("shown front"), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("record 6"), "{}", text(&output.stderr));
}

#[test]
fn code_is_translated_with_a_stage_and_disassembled() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("squares.bin");
    std::fs::write(&file, bytes(&afterimage_shader_gcn::assemble(SQUARES).unwrap())).unwrap();
    let output = afterimage(&["shader", "translate", "--from", "gcn", "--stage", "compute", "--to", "ir"], &file);
    assert!(text(&output.stdout).contains("store_global"), "{}{}", text(&output.stdout), text(&output.stderr));
    let output = afterimage(&["shader", "disasm", "--from", "gcn"], &file);
    assert!(text(&output.stdout).contains("v_mul_u32_u24_e32 v5, v4, v4"), "{}", text(&output.stdout));
    let output = afterimage(&["shader", "translate", "--from", "gcn"], &file);
    assert!(text(&output.stderr).contains("--stage"), "{}", text(&output.stderr));
}
