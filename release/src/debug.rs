//! Symbols and line numbers go from programs and libraries into files of their own, in a tree of the same layout: unpacked over the
//! release, debuggers find them by the link that stays.

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::build::Width;
use xtask::step::{self, Result};

use crate::files;

/// What strips a file of machine code.
struct Tools {
    objcopy: String,
    strip: String,
}

/// The tools for a file, by how it begins; none if it is no machine code.
fn tools(path: &Path, name: &str) -> Option<Tools> {
    let mut magic = [0; 4];
    std::io::Read::read_exact(&mut std::fs::File::open(path).ok()?, &mut magic).ok()?;
    if magic == *b"\x7fELF" {
        return Some(Tools { objcopy: "objcopy".to_owned(), strip: "strip".to_owned() });
    }
    let width = Width::ALL.into_iter().find(|width| name.contains(&format!("/{}/", width.folder())));
    let width = width.filter(|_| magic.starts_with(b"MZ"))?;
    Some(Tools { objcopy: width.compiler("objcopy"), strip: width.compiler("strip") })
}

/// Machine code of a tree, by its paths in it.
///
/// # Errors
/// When the tree cannot be read.
pub(crate) fn machine_code(tree: &Path) -> Result<Vec<PathBuf>> {
    let mut found = files::list(tree)?;
    found.retain(|file| tools(&tree.join(file), &file.to_string_lossy()).is_some());
    Ok(found)
}

/// Where the debug file of one lies: where debuggers look beside it.
pub(crate) fn place(file: &Path) -> PathBuf {
    let name = format!("{}.debug", file.file_name().unwrap_or_default().to_string_lossy());
    file.with_file_name(".debug").join(name)
}

/// Moves them out of everything in `tree` into `debug`. Files for Windows have a time in them, which is made this one.
///
/// # Errors
/// When binutils, or mingw's for Windows programs, are not there or fail.
pub(crate) fn move_apart(tree: &Path, debug: &Path, seconds: i64) -> Result {
    files::fresh(debug)?;
    for file in machine_code(tree)? {
        let (path, apart) = (tree.join(&file), debug.join(place(&file)));
        let Some(tools) = tools(&path, &file.to_string_lossy()) else { continue };
        files::write(&apart, "")?;
        let what = format!("stripping {}", file.display());
        let run = |command: &mut Command| step::output(command.env("SOURCE_DATE_EPOCH", seconds.to_string()), &what);
        run(Command::new(&tools.objcopy).arg("--only-keep-debug").arg(&path).arg(&apart))?;
        // A library keeps the symbols that programs are linked with.
        run(Command::new(&tools.strip).args(["--strip-unneeded", "--remove-section=.comment"]).arg(&path))?;
        let link = format!("--add-gnu-debuglink={}", apart.display());
        run(Command::new(&tools.objcopy).arg(link).arg(&path))?;
    }
    files::set_rights(debug, &|_| false)
}
