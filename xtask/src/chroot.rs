//! A small Debian in a folder, and commands inside of such a root folder, in a mount name space of their own, so that nothing stays mounted.

use std::path::Path;
use std::process::Command;

use crate::setup::apt;
use crate::step::{self, Context as _, Failure, Result};
use crate::workspace::Workspace;

/// Makes a Debian of a release in a folder that is not there yet: the smallest one, and some packages (with commas between them).
///
/// # Errors
/// When it cannot be made: without mmdebstrap, without root, without the mirror.
pub fn make(ws: &Workspace, root: &Path, suite: &str, packages: &str) -> Result {
    let what = format!("making a bare Debian {suite}");
    if !apt::is_root() || !step::on_path("mmdebstrap") {
        return Err(Failure::new(what, "it needs mmdebstrap, and root to run it").advise("apt-get install mmdebstrap"));
    }
    std::fs::create_dir_all(&ws.cache).doing(format!("creating {}", ws.cache.display()))?;
    let mut make = Command::new("mmdebstrap");
    make.args(["--quiet", "--variant=minbase", &format!("--include={packages}"), suite]).arg(root).arg(apt::mirror());
    step::run(ws, &mut make, &what, "see that the mirror can be reached").map(drop)
}

/// Enters the root: folders of this machine are bound, the working folder is kept. `$1` is the root, `$2` the number of folders.
const ENTER: &str = r#"
root=$1; count=$2; shift 2
for dir in /proc /sys /dev /tmp; do mount --rbind "$dir" "$root$dir" || exit 125; done
while [ "$count" -gt 0 ]; do mkdir -p "$root$1" && mount --bind "$1" "$root$1" || exit 125; shift; count=$((count - 1)); done
exec chroot "$root" env -C "$PWD" "$@"
"#;

/// A command that runs inside of `root` and sees `shared` at the same paths.
pub fn command(root: &Path, shared: &[&Path], program: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "sh", "-c", ENTER, "sh"]).arg(root);
    command.arg(shared.len().to_string()).args(shared).arg(program);
    command
}
