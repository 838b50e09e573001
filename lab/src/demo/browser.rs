//! Pictures of pages, as a browser shows them.

use std::path::Path;
use std::process::Command;

use xtask::step::{self, Failure, Result};

/// Names of browsers that can do it.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Writes what a browser shows of a page, at a place in it (behind `#`), as PNG; or why it cannot be done here.
///
/// # Errors
/// When the browser does not start.
pub(super) fn photograph(page: &Path, place: &str, picture: &Path) -> Result<Option<String>> {
    let Some(browser) = BROWSERS.into_iter().find(|name| step::on_path(name)) else {
        return Ok(Some(format!("none of {} is installed", BROWSERS.join(", "))));
    };
    let _ = std::fs::remove_file(picture);
    let mut command = Command::new("timeout");
    command.args(["-k", "5", "90", browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]);
    command.args(["--window-size=1280,800", "--virtual-time-budget=10000"]);
    command.arg(format!("--screenshot={}", picture.display()));
    command.arg(format!("file://{}#{place}", page.display()));
    step::output(&mut command, "taking a picture of a page")?;
    if picture.is_file() { Ok(None) } else { Err(Failure::new("taking a picture of a page", "the browser wrote none")) }
}
