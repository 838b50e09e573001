//! What handing over packets and uploads costs, beside a plain copy of the same bytes.
#![allow(missing_docs)]

use afterimage_bench::Bench;
use afterimage_ipc::shared::{Found, Host, Options, SharedLink};
use afterimage_ipc::{ArenaConfig, HeapSlots, Received, Receiver, in_process, serve};
use afterimage_stream::{Arena, DeviceInfo, Executor, Link, Reply, StreamError};
use std::hint::black_box;
use std::time::Duration;

/// Words of a batch: about what a hundred draws with a few states each take.
const WORDS: usize = 2048;
/// Batches per sample.
const BATCHES: usize = 64;
/// Bytes of a large upload.
const UPLOAD: usize = 1 << 20;

/// Answers a batch of one word: the number of a frame.
#[derive(Default)]
struct Frames(Vec<u64>);

impl Executor for Frames {
    fn execute(&mut self, batch: &[u64], _: &dyn Arena, _: &mut dyn FnMut(Reply)) -> Result<(), Box<StreamError>> {
        black_box(batch);
        if let [frame] = *batch {
            self.0.push(frame);
        }
        Ok(())
    }

    fn poll(&mut self, replies: &mut dyn FnMut(Reply)) {
        self.0.drain(..).for_each(|frame| replies(Reply::FrameDone { frame }));
    }
}

fn arena() -> ArenaConfig {
    ArenaConfig { frames: 3, slot_bytes: 64 << 20, first_slot_bytes: 64 << 20, limit_bytes: 1 << 30 }
}

/// The cases that are the same for both links.
fn cases(bench: &mut Bench, name: &str, link: &mut dyn Link) {
    let mut frame = 0;
    let mut end_frame = |link: &mut dyn Link| {
        frame += 1;
        link.submit(&mut vec![frame]).unwrap();
        link.end_frame(frame).unwrap();
        while link.poll().is_some() {}
    };
    let mut batch = Vec::with_capacity(WORDS);
    bench.case(&format!("{name}: submit and receive, per batch"), BATCHES, || {
        for _ in 0..BATCHES {
            batch.resize(WORDS, 7);
            link.submit(&mut batch).unwrap();
        }
        end_frame(link);
    });
    bench.case(&format!("{name}: alloc and write 64 bytes"), 4096, || {
        for _ in 0..4096 {
            let range = link.alloc(64, 16).unwrap();
            link.write(&range, 0, &[1; 64]);
        }
        end_frame(link);
    });
    bench.case(&format!("{name}: alloc 64 bytes"), 4096, || {
        for _ in 0..4096 {
            black_box(link.alloc(64, 16).unwrap());
        }
        end_frame(link);
    });
    let texels = vec![3; UPLOAD];
    bench.case(&format!("{name}: alloc and write 1 MiB"), 8, || {
        for _ in 0..8 {
            let range = link.alloc(UPLOAD as u32, 256).unwrap();
            link.write(&range, 0, &texels);
        }
        end_frame(link);
    });
    bench.case(&format!("{name}: frame there and back"), 1, || {
        frame_trip(link, &mut frame);
    });
}

fn frame_trip(link: &mut dyn Link, frame: &mut u64) {
    *frame += 1;
    link.submit(&mut vec![*frame]).unwrap();
    link.end_frame(*frame).unwrap();
    loop {
        if let Reply::FrameDone { frame: done } = link.wait().unwrap()
            && done == *frame
        {
            break;
        }
    }
}

fn main() {
    let mut bench = Bench::new("links");
    let (source, mut target) = (vec![7u64; WORDS], vec![0u64; WORDS]);
    bench.case("memcpy of a batch (16 KiB)", BATCHES, || {
        for _ in 0..BATCHES {
            target.copy_from_slice(black_box(&source));
            black_box(&mut target);
        }
    });
    let (source, mut target) = (vec![7u8; UPLOAD], vec![0u8; UPLOAD]);
    bench.case("memcpy of 1 MiB", 8, || {
        for _ in 0..8 {
            target.copy_from_slice(black_box(&source));
            black_box(&mut target);
        }
    });
    // The arena goes through this much memory before it comes back to the start.
    let (source, mut target) = (vec![7u8; UPLOAD], vec![0u8; 24 * UPLOAD]);
    let mut turn = 0;
    bench.case("memcpy of 1 MiB, to 24 places in turn", 8, || {
        for _ in 0..8 {
            target[turn * UPLOAD..][..UPLOAD].copy_from_slice(black_box(&source));
            turn = (turn + 1) % 24;
        }
        black_box(&mut target);
    });

    // The guest's side alone: nobody takes the lock at the same time.
    let (mut link, mut receiver) = in_process::pair(arena(), DeviceInfo::default(), Box::new(HeapSlots));
    let mut batch = vec![7; WORDS];
    bench.case("in process: submit and take, one thread", BATCHES, || {
        for _ in 0..BATCHES {
            batch.resize(WORDS, 7);
            link.submit(&mut batch).unwrap();
            if let Received::Batch(batch) = receiver.next(Duration::ZERO) {
                receiver.recycle(black_box(batch));
            }
        }
    });
    let render = std::thread::spawn(move || serve(&mut receiver, &mut Frames::default()));
    cases(&mut bench, "in process", &mut link);
    drop(link);
    render.join().unwrap();

    let directory = std::env::temp_dir().join(format!("afterimage-bench-{}", std::process::id()));
    let mut host = Host::open(Some(&directory)).unwrap();
    let viewer = std::thread::spawn(move || {
        loop {
            if let Some(Found::Program(claim)) = host.scan().unwrap().pop() {
                let mut channel = claim.open().unwrap();
                channel.accept(&DeviceInfo::default());
                serve(&mut channel, &mut Frames::default());
                break;
            }
        }
    });
    let options = Options { directory: Some(directory.clone()), arena: arena(), ..Options::default() };
    let mut link = SharedLink::connect(&options).unwrap();
    cases(&mut bench, "shared memory", &mut link);
    drop(link);
    viewer.join().unwrap();
    let _best_effort = std::fs::remove_dir_all(&directory);
    bench.finish().unwrap();
}
