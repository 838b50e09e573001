//! `afterimage install` and `uninstall`, on prefixes that a stand-in for Wine has made up: what it does with files, records and faults.
//! `cargo xtask test install` does the same with Wine itself, and runs programs.
#![allow(missing_docs)]

mod changed;
mod prefix;
mod proton;
mod stand_in;
mod verb;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn afterimage(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("AFTERIMAGE_")) {
        command.env_remove(name);
    }
    command.args(arguments);
    command
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&*output.stdout, &*output.stderr].concat()).into_owned()
}

fn good(output: &Output) -> String {
    let said = text(output);
    assert!(output.status.success(), "{said}");
    said
}

fn bad(output: &Output) -> String {
    let said = text(output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    said
}

/// What passes for a library of a width: headers, and something to tell it by.
fn dll(bits: u32, content: &str) -> Vec<u8> {
    let mut bytes = vec![0; 0x80];
    bytes[..2].copy_from_slice(b"MZ");
    bytes[0x3c] = 0x80;
    bytes.extend(b"PE\0\0");
    bytes.extend(if bits == 64 { 0x8664u16 } else { 0x014c }.to_le_bytes());
    bytes.extend(content.as_bytes());
    bytes
}

/// A folder with libraries of both widths, as in a release.
fn dlls(folder: &Path, content: &str) -> PathBuf {
    for (bits, name) in [(64, "x86_64"), (32, "i686")] {
        fs::create_dir_all(folder.join(name)).unwrap();
        fs::write(folder.join(name).join("d3d9.dll"), dll(bits, content)).unwrap();
    }
    folder.to_owned()
}

/// Everything in a folder: links by what they lead to, files by their bytes, mode, and time, and names of folders. The registry, which Wine
/// writes anew, has no times.
fn everything(folder: &Path) -> BTreeMap<PathBuf, String> {
    fn walk(folder: &Path, root: &Path, found: &mut BTreeMap<PathBuf, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let about = path.symlink_metadata().unwrap();
            let name = path.strip_prefix(root).unwrap().to_owned();
            let what = if about.is_symlink() {
                format!("-> {}", fs::read_link(&path).unwrap().display())
            } else if about.is_dir() {
                walk(&path, root, found);
                "folder".into()
            } else {
                let time = if name.starts_with("registry") { (0, 0) } else { (about.mtime(), about.mtime_nsec()) };
                format!("{:o} {time:?} {}", about.mode(), fs::read(&path).unwrap().escape_ascii())
            };
            found.insert(name, what);
        }
    }
    let mut found = BTreeMap::new();
    walk(folder, folder, &mut found);
    found
}
