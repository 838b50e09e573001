//! `afterimage diff` of two captures that were equal until one of them was changed: somewhere in its packets or in its data, never in its
//! container, so that both are drawn and compared. It ends, and what it says is what replays of both show.
//!
//! `AFTERIMAGE_DIFF_ROUNDS=1000 cargo test --workspace --test comparing mutated` tries more.

use crate::scene::{self, Variant};
use afterimage_capture::{Info, Reader, Writer};
use afterimage_stream::{Arena, UploadRef};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

/// Changes that are tried each time.
const ROUNDS: u64 = 24;

/// Random numbers, always the same ones.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word ^ (word >> 32)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }
}

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// A bit of a packet's body.
    Bit,
    /// A number of 32 bits in a packet's body, to one that is often wrong.
    Number,
    /// A packet is not there.
    Drop,
    /// A packet is there twice.
    Twice,
    /// A packet comes before the one that it came after.
    Swap,
    /// A byte of what packets refer to.
    Data,
}

impl Change {
    const ALL: [Self; 6] = [Self::Bit, Self::Number, Self::Drop, Self::Twice, Self::Swap, Self::Data];
}

/// An arena of which a byte is another one.
struct Changed<'a> {
    arena: &'a dyn Arena,
    slot: u32,
    byte: u64,
}

impl Arena for Changed<'_> {
    fn slot_size(&self, slot: u32) -> Option<u64> {
        self.arena.slot_size(slot)
    }

    fn copy_out(&self, range: &UploadRef, at: u32, out: &mut [u8]) -> bool {
        let there = self.arena.copy_out(range, at, out);
        let inside = self.byte.checked_sub(range.offset + u64::from(at)).filter(|_| range.slot == self.slot);
        if let Some(byte) = inside.and_then(|inside| out.get_mut(usize::try_from(inside).ok()?)) {
            *byte ^= 0x55;
        }
        there
    }

    fn copy_in(&self, _: &UploadRef, _: u32, _: &[u8]) -> bool {
        false
    }
}

/// The packets of a batch, each with its header.
fn packets(words: &[u64]) -> Vec<Vec<u64>> {
    let located = afterimage_stream::Reader::new(words).map(Result::unwrap);
    located.map(|one| words[one.at..one.at + usize::from(one.header.units)].to_vec()).collect()
}

/// Writes a capture that differs from another in one thing, and says which.
fn mutate(from: &Path, to: &Path, seed: u64) -> String {
    let mut random = Random(seed);
    let change = Change::ALL[(seed % Change::ALL.len() as u64) as usize];
    // Of all packets, those of the keyframe included; of data, where it lies.
    let (mut count, mut data) = (0, Vec::new());
    let mut reader = Reader::open(from).unwrap();
    while let Some(batch) = reader.next().unwrap() {
        for located in afterimage_stream::Reader::new(&batch.words).map(Result::unwrap) {
            count += 1;
            located.packet.uploads(reader.arena(), |range| data.push(range));
        }
    }
    let target = random.below(count);
    let range = data[random.below(data.len())];
    let byte = range.offset + random.next() % u64::from(range.size.max(1));
    let mut said = format!("{change:?} of packet {target}");
    let mut reader = Reader::open(from).unwrap();
    let mut writer = Writer::create(to, &Info::default()).unwrap();
    let (mut first, mut next) = (0, 0u32);
    while let Some(batch) = reader.next().unwrap() {
        let mut all = packets(&batch.words);
        let here = (first..first + all.len()).contains(&target).then(|| target - first);
        first += all.len();
        if let Some(at) = here {
            let words = all[at].len();
            match change {
                Change::Bit | Change::Number if words > 1 => {
                    let word = 1 + random.below(words - 1);
                    let before = all[at][word];
                    if change == Change::Bit {
                        all[at][word] ^= 1 << random.below(64);
                    } else {
                        let wrong = [0, 1, 2, 7, 31, 255, 4096, 65_535, 1 << 24, u32::MAX >> 1, u32::MAX, 0x7f80_0000];
                        let (number, shift) = (u64::from(wrong[random.below(wrong.len())]), 32 * random.below(2));
                        all[at][word] = before & !(u64::from(u32::MAX) << shift) | number << shift;
                    }
                    said += &format!(", word {word}: {before:#x} to {:#x}", all[at][word]);
                }
                Change::Drop => drop(all.remove(at)),
                Change::Twice => all.insert(at, all[at].clone()),
                Change::Swap if at > 0 => all.swap(at - 1, at),
                _ => {}
            }
        }
        let mut words = all.concat();
        let count = all.len() as u32;
        next = next.wrapping_add(count);
        afterimage_stream::renumber(&mut words, next);
        let changed = Changed { arena: reader.arena(), slot: range.slot, byte };
        let arena: &dyn Arena = if change == Change::Data { &changed } else { reader.arena() };
        if batch.keyframe {
            writer.keyframe(&words, arena).unwrap();
        } else {
            writer.batch(&words, arena).unwrap();
        }
    }
    writer.finish().unwrap();
    if change == Change::Data {
        said = format!("byte {byte} of slot {}", range.slot);
    }
    said
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    command.current_dir(folder).args(arguments).env("NO_COLOR", "1");
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The pictures that a replay writes, by their names.
fn pictures(folder: &Path, file: &str) -> BTreeMap<String, Vec<u8>> {
    let to = folder.join("pictures");
    // Of one that shows nothing there is no folder.
    let _none = std::fs::remove_dir_all(&to);
    run(folder, &["replay", file, "-o", "pictures"]);
    let entries = std::fs::read_dir(&to).into_iter().flatten().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())).collect()
}

#[test]
fn a_changed_capture_is_compared_and_what_differs_is_named() {
    let rounds = std::env::var("AFTERIMAGE_DIFF_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    scene::capture(&folder.join("a.aftercap"), Variant::Plain);
    let golden = pictures(folder, "a.aftercap");
    assert_eq!(golden.len(), 2);
    let mut outcomes = [0; 3];
    for seed in 0..rounds {
        let what = mutate(&folder.join("a.aftercap"), &folder.join("b.aftercap"), seed);
        let shown = pictures(folder, "b.aftercap");
        // Whichever comes first, and whatever is written besides.
        let files = if seed % 2 == 0 { ["a.aftercap", "b.aftercap"] } else { ["b.aftercap", "a.aftercap"] };
        let more = match seed % 3 {
            0 => &["--json"][..],
            1 => &["-o", "report"],
            _ => &[],
        };
        let output = run(folder, &[&["diff", files[0], files[1], "--tolerance", "0", "--bar", "100"], more].concat());
        let [said, warned] = [text(&output.stdout), text(&output.stderr)];
        let all = format!("round {seed}, {what}: {}\n{said}\n{warned}", output.status);
        assert!(!warned.contains("panicked"), "{all}");
        let code = output.status.code().unwrap_or_else(|| panic!("{all}"));
        let common: Vec<&String> = golden.keys().filter(|name| shown.contains_key(*name)).collect();
        match code {
            // Frames before and behind those of both are not compared.
            0 => assert!(!common.is_empty() && common.iter().all(|name| golden[*name] == shown[*name]), "{all}"),
            1 => {
                assert!(
                    common.iter().any(|name| golden[*name] != shown[*name]) || shown.len() != golden.len(),
                    "{all}"
                );
                assert!(said.contains("differ") || said.contains("missing") || said.contains("unfit"), "{all}");
            }
            2 => assert!(warned.contains("afterimage: ") && warned.contains(".aftercap"), "{all}"),
            _ => panic!("{all}"),
        }
        outcomes[code as usize] += 1;
    }
    println!("{outcomes:?}");
    let [same, differs, neither] = outcomes;
    assert!(same > 0 && differs > 0 && neither * 4 < rounds, "same, different, not compared: {outcomes:?}");
}
