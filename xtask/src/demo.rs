//! `cargo xtask demo`: the sample programs, every way there is, and shaders in every language, as a table and a page.

use crate::build::{self, Profile};
use crate::matrix::{self, End};
use crate::report;
use crate::setup;
use crate::shaders;
use crate::step::{Failure, Result};
use crate::wine::Wine;
use crate::workspace::Workspace;

/// Arguments of `demo`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only the native half, even where Wine and mingw are there.
    #[arg(long)]
    native_only: bool,
    /// Watch with the validation layers; any message is a failure.
    #[arg(long)]
    validate: bool,
    /// Build as the tests do: quicker to build, slower to run.
    #[arg(long)]
    dev: bool,
}

/// The command itself.
///
/// # Errors
/// When something cannot be built, or a program or its pictures go wrong.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    let machine = setup::ensure(ws, &setup::Args { native_only: args.native_only, check: false })?;
    let tree = build::tree(ws, &machine, if args.dev { Profile::Dev } else { Profile::Release })?;
    let out = ws.target.join("demo");
    let wine = Wine::start(ws, &machine, &tree)?;
    let rows = matrix::run(ws, &tree, &wine, &out, args.validate)?;
    let notes: Vec<String> =
        machine.missing.iter().map(|missing| format!("{}: {}", missing.what, missing.why)).collect();
    let shaders = shaders::translate(ws, &tree)?;
    report::write(&rows, &shaders, &out, &notes)?;
    report::print(&rows, &ws.root);
    for count in shaders.counts() {
        println!("shaders: {count}");
    }
    println!("all pictures: {}", out.join("index.html").display());
    let bad = rows.iter().filter(|row| matches!(row.end, End::Bad(_))).count();
    if bad > 0 {
        return Err(Failure::new("the demo", format!("{bad} of {} runs went wrong", rows.len()))
            .advise("the table says which, and why"));
    }
    Ok(())
}
