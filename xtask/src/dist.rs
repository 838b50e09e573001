//! `cargo xtask dist`: the release tree, as it could be packed and given away.

use xtask::build::{self, Profile, Windows};
use xtask::setup;
use xtask::step::{Failure, Result};
use xtask::workspace::Workspace;

/// What stands beside the programs.
const PAPERS: &[&str] = &["README.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// The command itself.
///
/// # Errors
/// When something cannot be built.
pub(crate) fn main(ws: &Workspace) -> Result {
    let machine = setup::ensure(ws, &setup::Args::default())?;
    let tree = build::tree(ws, &machine, Profile::Release)?;
    for paper in PAPERS {
        build::copy(&ws.root.join(paper), &tree.root().join(paper))?;
    }
    list(tree.root(), tree.root());
    println!("in {}", tree.root().display());
    match &tree.windows {
        Windows::Built => Ok(()),
        Windows::Impossible(why) => {
            println!("without the Windows half: {why}");
            Ok(())
        }
        Windows::Broken(why) => Err(Failure::new("building the Windows half", why)),
    }
}

/// Prints every file with its size.
fn list(folder: &std::path::Path, root: &std::path::Path) {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            list(&path, root);
        } else {
            let size = std::fs::metadata(&path).map_or(0, |meta| meta.len());
            println!("{:>10}  {}", size, path.strip_prefix(root).unwrap_or(&path).display());
        }
    }
}
