//! The last packets of the command stream, read back from where the ports say that they lie.

use core::fmt::{self, Write};

use afterimage_stream::Reader;
use afterimage_stream::black_box::{Span, finished, records, unfinished};

use super::platform;
use super::report::Short;

/// Words of a batch that are read.
pub(super) const MOST_WORDS: usize = 8192;
/// Room for them.
pub(super) type Words = [u64; MOST_WORDS];

/// Packets of a batch that was handed over which are shown.
const OF_SENT: usize = 24;
/// Packets of the open batch which are shown.
const OF_OPEN: usize = 64;
/// Bytes of a packet's line.
const LINE: usize = 240;

/// Writes what can be found of every port.
pub(super) fn write(out: &mut impl Write, words: &mut Words) -> fmt::Result {
    for record in records() {
        writeln!(out, "\nframe {}: the last packets, oldest first", record.frame)?;
        for span in record.sent.iter().filter(|span| span.address != 0) {
            // The end matters.
            let count = span.words.min(MOST_WORDS);
            let read = read(span, span.words - count, &mut words[..count]);
            if read < count {
                writeln!(out, "  (a batch of {} words is gone)", span.words)?;
                continue;
            }
            let start = finished(&words[..count], span.sequence);
            writeln!(out, "  batch of {} words, handed over{}", span.words, of_it(start, count))?;
            list(out, &words[start..count], OF_SENT)?;
        }
        let count = record.open.words.min(MOST_WORDS);
        let read = read(&record.open, 0, &mut words[..count]);
        let count = unfinished(&words[..read], record.open.sequence);
        writeln!(out, "  batch of {count} words, not handed over")?;
        list(out, &words[..count], OF_OPEN)?;
    }
    Ok(())
}

fn of_it(start: usize, count: usize) -> &'static str {
    match start {
        0 => "",
        _ if start == count => ", written over since",
        _ => ", whose start was written over since",
    }
}

/// Reads words of a batch from a place on; the answer is how many could be.
fn read(span: &Span, from: usize, words: &mut [u64]) -> usize {
    if span.address == 0 {
        return 0;
    }
    let address = span.address.wrapping_add(from * 8);
    platform::read_memory(address, bytemuck::cast_slice_mut(words)) / 8
}

/// Writes the last packets of a batch, a line each.
fn list(out: &mut impl Write, words: &[u64], most: usize) -> fmt::Result {
    let total = Reader::new(words).count();
    if total > most {
        writeln!(out, "    ({} more)", total - most)?;
    }
    for located in Reader::new(words).skip(total.saturating_sub(most)).flatten() {
        write!(out, "    {:>8} ", located.header.sequence)?;
        write!(Short { out: &mut *out, left: LINE }, "{:?}", located.packet)?;
        writeln!(out)?;
    }
    Ok(())
}
