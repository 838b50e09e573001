//! Pictures of pages, as a browser shows them.

use std::path::Path;
use std::process::Command;

use xtask::step::{self, Failure, Result};

/// Names of browsers that can do it.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The browser of this machine; or why there is none.
fn browser() -> std::result::Result<Command, String> {
    let found = BROWSERS.into_iter().find(|name| step::on_path(name));
    let found = found.ok_or_else(|| format!("none of {} is installed", BROWSERS.join(", ")))?;
    let mut command = Command::new("timeout");
    command.args(["-k", "5", "90", found, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]);
    command.arg("--virtual-time-budget=10000");
    Ok(command)
}

/// How wide a page is that is shown in so many pixels, and how wide it would have to be so that nobody scrolls; or why that is not
/// known here.
///
/// # Errors
/// When the browser does not start, or does not say.
#[cfg(test)]
pub(super) fn widths(page: &str, pixels: u32) -> Result<std::result::Result<(u32, u32), String>> {
    use xtask::step::Context as _;
    let mut command = match browser() {
        Ok(command) => command,
        Err(why) => return Ok(Err(why)),
    };
    let quoted = page.replace('&', "&amp;").replace('"', "&quot;");
    let script = "onload=()=>{const e=document.querySelector('iframe').contentDocument.documentElement;\
                  document.body.innerHTML='WIDTHS '+e.clientWidth+' '+e.scrollWidth+' .'}";
    let frame = format!("<iframe style=\"width:{pixels}px;height:800px;border:0\" srcdoc=\"{quoted}\"></iframe>");
    let folder = tempfile::tempdir().doing("making a folder")?;
    let file = folder.path().join("frame.html");
    std::fs::write(&file, format!("<!doctype html><body>{frame}<script>{script}</script>")).doing("writing a page")?;
    command.arg("--dump-dom").arg(format!("file://{}", file.display()));
    let said = step::output(&mut command, "asking a browser how wide a page is")?;
    let mut numbers = said.split("WIDTHS ").nth(1).unwrap_or_default().split(' ').map_while(|word| word.parse().ok());
    match (numbers.next(), numbers.next()) {
        (Some(shown), Some(scrolled)) => Ok(Ok((shown, scrolled))),
        _ => Err(Failure::new("asking a browser how wide a page is", said)),
    }
}

/// Writes what a browser shows of a page, at a place in it (behind `#`), as PNG; or why it cannot be done here.
///
/// # Errors
/// When the browser does not start.
pub(super) fn photograph(page: &Path, place: &str, picture: &Path) -> Result<Option<String>> {
    let mut command = match browser() {
        Ok(command) => command,
        Err(why) => return Ok(Some(why)),
    };
    let _ = std::fs::remove_file(picture);
    command.arg("--window-size=1280,800");
    command.arg(format!("--screenshot={}", picture.display()));
    command.arg(format!("file://{}#{place}", page.display()));
    step::output(&mut command, "taking a picture of a page")?;
    if picture.is_file() { Ok(None) } else { Err(Failure::new("taking a picture of a page", "the browser wrote none")) }
}
