//! How cargo runs the test programs of the workspace: through this program, as a user may have it. So several cargos share them, each
//! with what no other has begun, and `--quick` leaves some out ([`quick`]); features and with them all that is built stay those of the
//! whole test.

use std::ffi::OsString;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, ExitCode};

use xtask::step::{self, Context as _, Failure, Result};

use crate::crates::Extent;
use crate::quick;

/// What this program is called with to run a test program: then how much is tested, the folder of what has begun, and the program's line.
pub(crate) const COMMAND: &str = "run-test-program";

/// Has cargo run test programs through [`run`] of this program, whose file is `this`. Cargos with the same folder share them; it is empty
/// when the first one starts.
///
/// # Errors
/// When the compiler cannot be asked what it builds for.
pub(crate) fn watch(cargo: &mut Command, this: &Path, extent: Extent, begun: &Path) -> Result {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = step::output(Command::new(rustc).arg("-vV"), "asking the compiler for its target")?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or_else(|| Failure::new("asking the compiler for its target", &version))?;
    let key = format!("CARGO_TARGET_{}_RUNNER", host.to_uppercase().replace(['-', '.'], "_"));
    cargo.env(key, format!("{} {COMMAND} {} {}", this.display(), extent.name(), begun.display()));
    Ok(())
}

/// Runs a test program in place of this one, unless it is left out or has begun; cargo has set the environment and the folder.
///
/// # Errors
/// When it cannot be started, or nobody can tell whether it has begun.
pub(crate) fn run(line: &[OsString]) -> Result<ExitCode> {
    let [extent, begun, program, arguments @ ..] = line else {
        return Err(Failure::new(COMMAND, "no program is named"));
    };
    if !begin(Path::new(begun), program)? {
        return Ok(ExitCode::SUCCESS);
    }
    if *extent == *Extent::Quick.name() && quick::leaves_out(Path::new(program)) {
        return Ok(ExitCode::SUCCESS);
    }
    step::replace(Command::new(program).args(arguments), "starting a test program")
}

/// Whether a program had not begun.
fn begin(begun: &Path, program: &OsString) -> Result<bool> {
    // By its whole path: programs of documentation all have the same name.
    let name = program.to_string_lossy().replace('/', "%");
    match File::create_new(begun.join(&name)) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error).doing(format!("noting in {} that {name} begins", begun.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::begin;

    #[test]
    fn a_program_begins_once() {
        let begun = std::env::temp_dir().join(format!("afterimage-begun-{}", std::process::id()));
        std::fs::create_dir_all(&begun).unwrap();
        let all = || ["/t/a", "/t/b", "/u/a"].map(|program| begin(&begun, &program.into()).unwrap());
        assert_eq!(all(), [true; 3]);
        assert_eq!(all(), [false; 3]);
        std::fs::remove_dir_all(&begun).unwrap();
        assert!(begin(&begun, &"/t/a".into()).is_err());
    }
}
