//! The programs of the SPIR-V project, which are used where they are installed.

use super::error::Why;
use std::io::{self, Write};
use std::process::{Command, Stdio};

/// Holds SPIR-V against `spirv-val`.
pub(super) fn validate(words: &[u8]) -> Result<(), Why> {
    feed("spirv-val", &["--target-env", "vulkan1.3", "-"], words)
}

/// Feeds a tool through its standard input; what it prints is why it rejects that.
fn feed(tool: &'static str, args: &[&str], input: &[u8]) -> Result<(), Why> {
    let failed = |error| Why::ToolFailed { tool, error };
    let child =
        Command::new(tool).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match child {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Why::NoTool { tool }),
        child => child.map_err(failed)?,
    };
    // The tool reads all of its input before it prints, so this does not block.
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input).map_err(failed)?;
    }
    let output = child.wait_with_output().map_err(failed)?;
    if output.status.success() {
        return Ok(());
    }
    let message = [output.stdout, output.stderr].concat();
    Err(Why::Rejected { tool, message: String::from_utf8_lossy(&message).trim_end().to_owned() })
}
