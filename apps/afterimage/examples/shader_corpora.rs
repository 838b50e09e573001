//! Writes captures of our corpora's shaders into a folder, for the material of `afterimage selftest`: `shader_corpora FOLDER`.

#[path = "../tests/shaders/mod.rs"]
mod shaders;

use std::path::PathBuf;

fn main() {
    let folder = PathBuf::from(std::env::args_os().nth(1).expect("the folder"));
    for corpus in shaders::all() {
        let file = folder.join(format!("{}.aftercap", corpus.name));
        shaders::write(&file, &corpus, |_, _| true);
        let bytes = std::fs::metadata(&file).map_or(0, |file| file.len());
        println!("{}: {} shaders, {bytes} bytes", file.display(), corpus.entries.len());
    }
}
