//! `docs/sandbox.md` is the tables. `AFTERIMAGE_BLESS=1` writes it.
#![cfg(target_os = "linux")]
#![allow(missing_docs)]

use std::path::Path;

#[test]
fn the_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/sandbox.md");
    let page = afterimage_process::sandbox::markdown();
    if std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &page).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == page, "{} is out of date: `cargo xtask bless afterimage-process`", path.display());
}
