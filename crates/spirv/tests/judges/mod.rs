//! Judges of written SPIR-V: `spirv-val`, and `spirv-cross`, by which MoltenVK makes Metal's language of it.
//!
//! ```ignore
//! #[path = "../../spirv/tests/judges/mod.rs"]
//! mod judges;
//!
//! if judges::are_there() {
//!     judges::judge(&artifact.words).unwrap_or_else(|why| panic!("{name}: {why}"));
//! }
//! ```
//!
//! Without a judge the test says so; with `CI` set it fails.

// Not every test uses all of it.
#![allow(dead_code, unreachable_pub)]

use std::io::Write as _;
use std::process::{Command, Stdio};

const VALIDATOR: (&str, &[&str]) = ("spirv-val", &["--target-env", "vulkan1.3", "-"]);

/// As MoltenVK calls it for macOS 13 on a device with argument buffers of the second tier.
const CROSS: (&str, &[&str]) = (
    "spirv-cross",
    &[
        "-",
        "--msl",
        "--msl-version",
        "30000",
        "--msl-argument-buffers",
        // The second; its help calls the option by another name.
        "--msl-argument-buffer-tier",
        "1",
        "--msl-texture-buffer-native",
        "--msl-check-discarded-frag-stores",
        "--msl-force-active-argument-buffer-resources",
    ],
);

/// Whether both are there.
pub fn are_there() -> bool {
    [VALIDATOR.0, CROSS.0].iter().all(|program| is_there(program))
}

fn is_there(program: &str) -> bool {
    let found = Command::new(program).arg("--help").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let Err(error) = found else { return true };
    let message = format!("{program} cannot be run ({error}), nothing is checked: run `cargo xtask setup`");
    assert!(std::env::var_os("CI").is_none(), "{message}");
    eprintln!("{message}");
    false
}

/// What `spirv-val` says against a module for Vulkan.
///
/// # Errors
/// With its text.
pub fn validate(words: &[u32]) -> Result<(), String> {
    ask(VALIDATOR, words)
}

/// What Debian 12's `spirv-cross` (1.3.239) cannot do and later ones can: atomic operations by address (its issue 2272).
const MENDED: [&str; 1] = ["No backing variable for atomic operation"];

/// Whether MoltenVK could make Metal's language of a module without runtime arrays, whose lengths MoltenVK tells `spirv-cross`, which
/// its command line cannot.
///
/// # Errors
/// With the text of `spirv-cross`.
pub fn cross(words: &[u32]) -> Result<(), String> {
    ask(CROSS, words).or_else(|why| if MENDED.iter().any(|what| why.contains(what)) { Ok(()) } else { Err(why) })
}

/// Both.
///
/// # Errors
/// With what the first says that has something to say.
pub fn judge(words: &[u32]) -> Result<(), String> {
    validate(words)?;
    cross(words)
}

fn ask((program, arguments): (&str, &[&str]), words: &[u32]) -> Result<(), String> {
    let say = |error: std::io::Error| format!("{program}: {error}");
    let mut command = Command::new(program);
    let piped = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().map_err(say)?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    // One that has seen enough reads no further.
    let written = child.stdin.take().map_or(Ok(()), |mut pipe| pipe.write_all(&bytes));
    let output = child.wait_with_output().map_err(say)?;
    if output.status.success() {
        return written.map_err(say);
    }
    Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}
