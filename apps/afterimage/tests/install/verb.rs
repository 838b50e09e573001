//! The verb for winetricks, with stand-ins for the functions that winetricks gives it.

use crate::stand_in::Stage;
use crate::{dll, good};
use std::path::Path;
use std::process::Command;

const FUNCTIONS: &str =
    "w_metadata() { echo \"$1 is of $2\"; }\nw_die() { echo \"died: $*\"; exit 1; }\nw_try() { \"$@\" || exit; }\n";

#[test]
fn winetricks_installs() {
    let stage = Stage::new(64, true);
    let verb = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/afterimage.verb");
    let script = format!("{FUNCTIONS} . '{}'; load_afterimage", verb.display());
    let run = |path: &str| {
        let mut sh = Command::new("/bin/sh");
        sh.args(["-c", &script]).env("PATH", path).env("WINEPREFIX", stage.prefix());
        sh.env("WINE", stage.path("wine/wine")).env("AFTERIMAGE_DLL_DIR", stage.path("dlls")).output().unwrap()
    };
    let without = run("/usr/bin:/bin");
    assert!(crate::text(&without).contains("died: afterimage is not in PATH"), "{}", crate::text(&without));
    let beside = Path::new(env!("CARGO_BIN_EXE_afterimage")).parent().unwrap();
    let said = good(&run(&format!("{}:/usr/bin:/bin", beside.display())));
    assert!(said.contains("afterimage is of dlls"), "{said}");
    assert_eq!(stage.holds("system32/d3d9.dll"), dll(64, "ours"));
}
