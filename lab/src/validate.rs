//! `cargo xtask validate`: the samples and their captures under Vulkan's validation layers.

use xtask::build::{self, Profile};
use xtask::setup;
use xtask::step::{Failure, Result};
use xtask::workspace::Workspace;

use crate::matrix::{self, End};
use crate::report;
use crate::wine::Wine;

/// The command itself.
///
/// # Errors
/// When a run fails or the layers have anything to say.
pub(crate) fn main(ws: &Workspace) -> Result {
    let machine = setup::ensure(ws, &setup::Args::default())?;
    let tree = build::tree(ws, &machine, Profile::Release)?;
    let wine = Wine::start(ws, &machine, &tree)?;
    let rows = matrix::run(ws, &tree, &wine, &ws.target.join("validate"), true)?;
    report::print(&rows, &ws.root);
    let bad = rows.iter().filter(|row| matches!(row.end, End::Bad(_))).count();
    if bad == 0 {
        return Ok(());
    }
    Err(Failure::new("validation", format!("{bad} of {} runs went wrong", rows.len()))
        .advise("the messages are in target/xtask-logs/"))
}
