//! Runs `tests/filetests/*.air`: each file has a module, and behind the mark the source that must come out. No pass runs before.
//! What comes out is judged too.
//!
//! `cargo xtask bless` (or `AFTERIMAGE_BLESS=1`) writes what comes out as what must.

use std::path::Path;

use crate::judge::{Judge, Memory};
use crate::world::{self, World};
use afterimage_ir::{parse, verify};
use afterimage_msl::{Options, emit};

const MARK: &str = "; ---- expected ----\n";

fn check(path: &Path, bless: bool, judge: &mut Judge) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let (input, expected) = text.split_once(MARK).unwrap_or((&text, ""));
    let module = parse(input).map_err(|e| e.to_string())?;
    verify(&module).map_err(|e| e.to_string())?;
    let artifact = emit(&module, &Options::default()).map_err(|e| e.to_string())?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    for world in [0, 1, 5, 9].map(World) {
        let words = (0..world::BYTES as u32 / 4).map(|word| word.wrapping_mul(0x9e37_79b9) >> 7).collect();
        judge.add_on(&name, &module, &artifact, &world, &mut Memory { base: world::BASE, words }, [3, 1, 2]);
    }
    let found = artifact.source;
    if bless && found != expected {
        std::fs::write(path, format!("{input}{MARK}{found}")).map_err(|e| e.to_string())?;
    } else if found != expected {
        return Err(format!("expected:\n{expected}\nfound:\n{found}"));
    }
    Ok(())
}

#[test]
fn filetests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let bless = std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|v| v == "1");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 10, "the file tests are missing");
    let mut judge = Judge::new();
    let failures: Vec<String> = files
        .iter()
        .filter_map(|path| check(path, bless, &mut judge).err().map(|e| format!("{}: {e}", path.display())))
        .collect();
    assert!(failures.is_empty(), "{}\n(`cargo xtask bless` accepts what was found)", failures.join("\n"));
    judge.run().assert();
}
