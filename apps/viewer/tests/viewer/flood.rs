//! A program that sends packets which are refused, and nothing else.

use crate::program::Program;
use afterimage_stream::Link;
use afterimage_stream::packets::Header;
use std::process::{Command, Stdio};

#[test]
fn ten_megabytes_of_bad_packets_make_a_small_log() {
    let temp = tempfile::tempdir().unwrap();
    let mut viewer = Command::new(env!("CARGO_BIN_EXE_afterimage-viewer"));
    viewer.args(["--headless", "--once", "--directory"]).arg(temp.path());
    viewer.env("AFTERIMAGE_CACHE_DIR", temp.path().join("cache")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let viewer = viewer.spawn().unwrap();
    let mut program = Program::named(temp.path(), "flood");
    program.frame(1).unwrap();
    let headers = |kind, units: u16| -> Vec<u64> {
        let header = Header { kind, units, sequence: 7 };
        let mut words = vec![0u64; usize::from(units) * (4096 / usize::from(units))];
        words.chunks_exact_mut(units.into()).for_each(|packet| packet[0] = bytemuck::cast(header));
        words
    };
    // Of a kind that there is not, and clears that are out of order.
    let batches = [headers(u16::MAX, 1), headers(64, 5)];
    for number in 0..320 {
        if program.link.submit(&mut batches[number % 2].clone()).is_err() {
            break;
        }
        // What is refused is told the program, too.
        while program.link.poll().is_some() {}
    }
    drop(program);
    let output = viewer.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert!(output.stderr.len() < 1_000_000, "{} bytes on standard error", output.stderr.len());
    assert!(text.contains("lines of this kind were left out"), "{text}");
}
