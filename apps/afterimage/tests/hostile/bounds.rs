//! What commands take of a machine for a small capture that unpacks to much.
#![cfg(target_os = "linux")]

use afterimage_capture::{Info, MemoryArena, Writer};
use afterimage_stream::packets::*;
use afterimage_stream::{Encoder, Format, ObjectId, ObjectKind};
use bytemuck::Zeroable;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

/// Address space that a command gets which opens no device, in KiB.
const ROOM: u64 = 900 << 10;

const TEXTURE: ObjectId = ObjectId::new(ObjectKind::Texture, 1);
const TARGET: ObjectId = ObjectId::new(ObjectKind::Target, 1);

fn begin(path: &Path) -> (Writer<afterimage_output::Output>, Encoder) {
    let mut stream = Encoder::new();
    stream.push(&PresentTarget { id: TARGET, width: 4, height: 4, window_kind: 0, window: 0 });
    stream.push(&CreateTexture {
        usage: CreateTexture::TARGET,
        ..CreateTexture::plain(TEXTURE, Format::B8G8R8A8_UNORM, [4, 4])
    });
    let buffer = ObjectId::new(ObjectKind::Buffer, 1);
    stream.push(&CreateBuffer { id: buffer, usage: CreateBuffer::VERTEX, size: 16 << 20 });
    let mut writer = Writer::create(path, &Info { program: "bomb".into(), ..Info::default() }).unwrap();
    writer.keyframe(stream.batch(), &MemoryArena::default()).unwrap();
    stream.batch().clear();
    (writer, stream)
}

fn end(stream: &mut Encoder, frame: u64) {
    stream.push(&Present { frame, target: TARGET, texture: TEXTURE, ..Present::zeroed() });
}

/// A frame that uploads 120 times 8 MiB of zeros, each with a number of its own, and a frame that does so again.
fn blobs(path: &Path) {
    let (mut writer, mut stream) = begin(path);
    let buffer = ObjectId::new(ObjectKind::Buffer, 1);
    let mut data = vec![0; 8 << 20];
    for frame in 1..=2 {
        stream.push(&BeginFrame { frame });
        writer.batch(stream.batch(), &MemoryArena::default()).unwrap();
        for number in 0..120u64 {
            stream.batch().clear();
            let mut arena = MemoryArena::default();
            data[..8].copy_from_slice(&number.to_le_bytes());
            let data = arena.push(&data);
            stream.push(&UpdateBuffer { id: buffer, flags: 0, offset: 0, data });
            writer.batch(stream.batch(), &arena).unwrap();
        }
        stream.batch().clear();
        end(&mut stream, frame);
        writer.batch(stream.batch(), &MemoryArena::default()).unwrap();
        stream.batch().clear();
    }
    writer.finish().unwrap();
}

/// Four million clears in one frame.
fn calls(path: &Path) {
    let (mut writer, mut stream) = begin(path);
    stream.push(&BeginFrame { frame: 1 });
    let mut targets = SetRenderTargets::default();
    targets.color[0].texture = TEXTURE;
    stream.push(&targets);
    writer.batch(stream.batch(), &MemoryArena::default()).unwrap();
    for _ in 0..64 {
        stream.batch().clear();
        for _ in 0..1 << 16 {
            let clear = Clear { flags: Clear::COLOR, count: 0, color: [0.0; 4], depth: 1.0, ..Clear::zeroed() };
            stream.push_tail(&clear, &[]);
        }
        writer.batch(stream.batch(), &MemoryArena::default()).unwrap();
    }
    stream.batch().clear();
    end(&mut stream, 1);
    writer.batch(stream.batch(), &MemoryArena::default()).unwrap();
    writer.finish().unwrap();
}

/// Samplers whose serials lie as far apart as they may.
fn objects(path: &Path) {
    let (mut writer, mut stream) = begin(path);
    stream.push(&BeginFrame { frame: 1 });
    for kind in [ObjectKind::Sampler, ObjectKind::Query, ObjectKind::Buffer] {
        for number in 1..=250u32 {
            let id = ObjectId::new(kind, number * 60_000);
            match kind {
                ObjectKind::Sampler => stream.push(&CreateSampler { id, ..CreateSampler::zeroed() }),
                ObjectKind::Query => stream.push(&CreateQuery { id, ..CreateQuery::zeroed() }),
                _ => stream.push(&CreateBuffer { id, usage: CreateBuffer::VERTEX, size: 16 }),
            }
        }
    }
    end(&mut stream, 1);
    writer.batch(stream.batch(), &MemoryArena::default()).unwrap();
    writer.finish().unwrap();
}

/// Runs a command in that much room; what it says. It ends by itself, and not for want of memory.
fn run(arguments: &[&str]) -> String {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -v {ROOM}; exec \"$0\" \"$@\"")).arg(env!("CARGO_BIN_EXE_afterimage"));
    let output = command.args(arguments).env("NO_COLOR", "1").output().unwrap();
    let [said, warned] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert_eq!(output.status.signal(), None, "{arguments:?}: {warned}");
    assert!(!warned.contains("panicked") && !warned.contains("memory allocation"), "{arguments:?}: {warned}");
    said + &warned
}

#[test]
fn small_captures_that_unpack_to_much_take_little_memory() {
    let temp = tempfile::tempdir().unwrap();
    type Make = fn(&Path);
    let bombs: [(&str, Make, &str); 3] = [
        ("blobs", blobs, "frames   2 (1 to 2)\n"),
        ("calls", calls, "bytes of packets and notes of them: the rest is left out"),
        ("objects", objects, "frames   1 (1 to 1)"),
    ];
    for (name, make, said) in bombs {
        let file = temp.path().join(name);
        make(&file);
        let bytes = file.metadata().unwrap().len();
        assert!(bytes < 6_000_000, "{name}: {bytes} bytes");
        let file = file.to_str().unwrap();
        let text = run(&["info", file]);
        assert!(text.contains(said), "{name}: {text}");
        let part = temp.path().join("part.aftercap");
        run(&["inspect", file, "objects"]);
        run(&["trim", file, "-o", part.to_str().unwrap(), "--calls", "0"]);
    }
}

/// The file that was found to unpack to 1.08 GB; it is no part of this tree.
#[test]
fn the_bomb_of_blobs_takes_little_memory() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/attack/bomb_blobs.aftercap");
    if !file.exists() {
        eprintln!("skipped: {} is not there", file.display());
        return;
    }
    let file = file.to_str().unwrap();
    run(&["info", file]);
    run(&["inspect", file]);
}
