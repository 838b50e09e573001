//! Where our own libraries and programs are.

use crate::program::{Kind, Width};
use std::path::{Path, PathBuf};

/// Folders that may hold libraries: the one that the user named, around this program, and where the build puts them.
fn folders(user: Option<&Path>, program: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = user.iter().map(|path| path.to_path_buf()).collect();
    if let Some(beside) = program.parent() {
        folders.push(beside.to_path_buf());
        if let Some(above) = beside.parent() {
            folders.push(above.to_path_buf());
            folders.push(above.join("lib/afterimage"));
            // `target/debug/afterimage`: the release tree of `cargo xtask dist`, else the one of the tests.
            folders.push(above.join("dist"));
            folders.push(above.join("dist-dev"));
        }
    }
    folders
}

/// A library that was not found, and where it was looked for.
#[derive(Debug, thiserror::Error)]
#[error(
    "no {} for {}-bit {} in any of {}; build it with `cargo xtask dist`, or name its folder in AFTERIMAGE_DLL_DIR",
    name, width.bits(), if *name == "d3d9.dll" { "Windows programs" } else { "native programs" }, looked.join(", ")
)]
pub(crate) struct NotFound {
    name: &'static str,
    width: Width,
    looked: Vec<String>,
}

/// The folders for a library that the command line does not say the place of.
fn usual() -> Vec<PathBuf> {
    let user = afterimage_config::settings().dll_dir.as_deref();
    let program = std::env::current_exe().and_then(|path| path.canonicalize()).unwrap_or_default();
    folders(user, &program)
}

fn find(
    name: &'static str,
    wanted: impl Fn(Kind) -> bool,
    width: Width,
    folders: &[PathBuf],
) -> Result<PathBuf, NotFound> {
    let candidates = folders.iter().flat_map(|folder| [folder.join(width.folder()), folder.clone()]);
    let found = candidates.map(|folder| folder.join(name)).find(|file| Kind::of(file).is_ok_and(&wanted));
    let file = found.ok_or_else(|| NotFound {
        name,
        width,
        looked: folders.iter().map(|folder| folder.display().to_string()).collect(),
    })?;
    Ok(file.canonicalize().unwrap_or(file))
}

/// `d3d9.dll` of a width.
pub(crate) fn dll(width: Width) -> Result<PathBuf, NotFound> {
    dll_in(None, width)
}

/// `d3d9.dll` of a width, in one folder if that is named.
pub(crate) fn dll_in(folder: Option<&Path>, width: Width) -> Result<PathBuf, NotFound> {
    let folders = folder.map_or_else(usual, |folder| vec![folder.to_owned()]);
    find("d3d9.dll", |kind| kind == Kind::Pe(width), width, &folders)
}

/// The file of our Direct3D for native programs.
pub(crate) const LIBRARY: &str = if cfg!(target_os = "macos") { "libd3d9.dylib" } else { "libd3d9.so" };

/// [`LIBRARY`] of a width.
pub(crate) fn library(width: Width) -> Result<PathBuf, NotFound> {
    find(LIBRARY, |kind| kind.native() == Some(width), width, &usual())
}

/// The viewer's program: beside this one, else in `PATH`.
pub(crate) fn viewer() -> Option<PathBuf> {
    const NAME: &str = "afterimage-viewer";
    let program = std::env::current_exe().ok()?;
    let beside = program.with_file_name(NAME);
    if beside.is_file() { Some(beside) } else { crate::program::in_path(Path::new(NAME)) }
}

/// A folder of what all users share, such as the self-test's material: of the release around this program, or of what the build stages.
///
/// # Errors
/// It is nowhere; the error lists where it was looked for.
pub(crate) fn shared(name: &str) -> Result<PathBuf, Vec<String>> {
    let program = std::env::current_exe().and_then(|path| path.canonicalize()).unwrap_or_default();
    let folders: Vec<PathBuf> = roots(&program).iter().map(|root| root.join("share/afterimage").join(name)).collect();
    match folders.iter().find(|folder| folder.is_dir()) {
        Some(folder) => Ok(folder.clone()),
        None => Err(folders.iter().map(|folder| folder.display().to_string()).collect()),
    }
}

/// Trees that a program may be of: a release's, also within an application of macOS, or those that the build stages.
fn roots(program: &Path) -> Vec<PathBuf> {
    let above = program.parent().and_then(Path::parent);
    above.map_or_else(Vec::new, |above| vec![above.to_owned(), above.join("dist"), above.join("dist-dev")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_s_folder_comes_first_and_the_release_tree_is_known() {
        let folders = folders(Some(Path::new("/mine")), Path::new("/x/target/debug/afterimage"));
        assert_eq!(folders[0], Path::new("/mine"));
        for expected in ["/x/target/debug", "/x/target", "/x/target/dist"] {
            assert!(folders.iter().any(|folder| folder == Path::new(expected)), "{expected}");
        }
        let roots = roots(Path::new("/Applications/Afterimage.app/Contents/MacOS/afterimage"));
        assert_eq!(roots[0], Path::new("/Applications/Afterimage.app/Contents"));
    }
}
