//! Commands inside of another root folder, in a mount name space of their own, so that nothing stays mounted.

use std::path::Path;
use std::process::Command;

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
