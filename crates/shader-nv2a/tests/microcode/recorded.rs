//! The programs in the recordings of an Xbox that lie beside the tree.

use afterimage_shader_nv2a::tables::{self, Words};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// `SET_TRANSFORM_PROGRAM`, the methods that take program words.
const PROGRAM: std::ops::Range<u32> = 0x0B00..0x0B80;

/// Each once, with a recording that it is in. None where there are no recordings, which is said.
pub fn programs() -> Option<BTreeMap<Vec<Words>, String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/captures/nv2a");
    let Ok(suites) = std::fs::read_dir(&folder) else {
        eprintln!("{} is absent: no program of a recording is tested", folder.display());
        return None;
    };
    let mut programs: BTreeMap<Vec<Words>, String> = BTreeMap::new();
    for suite in suites.flatten().filter(|entry| entry.path().is_dir()) {
        for file in std::fs::read_dir(suite.path()).expect("folder").flatten() {
            if file.file_name().to_string_lossy().ends_with(".kcap.gz") {
                let name = file.path().display().to_string();
                uploads(&decompressed(&file.path()), |program| {
                    programs.entry(program).or_insert_with(|| name.clone());
                });
            }
        }
    }
    assert!(programs.len() >= 20, "{} distinct programs", programs.len());
    Some(programs)
}

fn decompressed(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).expect("readable");
    flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).expect("a gzip file");
    bytes
}

/// The programs in a recording's memory writes: runs of words for program memory, up to the final bit.
fn uploads(recording: &[u8], mut program: impl FnMut(Vec<Words>)) {
    let word = |at: usize| u32::from_le_bytes(recording[at..at + 4].try_into().expect("four bytes"));
    let mut at = 16;
    let mut code = Vec::new();
    loop {
        let tag: &[u8; 4] = recording[at..at + 4].try_into().expect("four bytes");
        let size = match tag {
            b"MEM " => 8 + word(at + 8) as usize,
            b"FILL" | b"SWI " => 12,
            b"REG " | b"EXEC" => 8,
            b"FRME" => 4 + (word(at + 4) as usize).next_multiple_of(4),
            b"END " => return,
            _ => panic!("byte {at}: no tag of a recording"),
        };
        at += 4;
        if tag == b"MEM " {
            let words: Vec<u32> = (at + 8..at + size).step_by(4).map(word).collect();
            let mut rest = &words[..];
            while let Some((header, after)) = rest.split_first() {
                rest = after;
                let (method, count) = (header & 0x1FFC, (header >> 18 & 0x7FF) as usize);
                let increasing = header & 0xE003_E003 == 0 && count > 0 && count % 4 == 0;
                let fits = PROGRAM.contains(&method) && method + 4 * count as u32 <= PROGRAM.end;
                if let (true, true, Some(arguments)) = (increasing, fits, after.get(..count)) {
                    for instruction in arguments.as_chunks::<4>().0 {
                        code.push(*instruction);
                        if tables::FINAL.get(instruction) != 0 {
                            program(std::mem::take(&mut code));
                        }
                    }
                    rest = &after[count..];
                }
            }
        }
        at += size;
    }
}
