//! A prefix, and what stands in for Wine: a script that keeps the override in a file and answers as Wine 8's `reg` does.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Output;
use tempfile::TempDir;

const WINE: &str = r#"#!/bin/sh
echo "$*" >> "${0%/*}/calls"
[ -e "${0%/*}/broken" ] && { echo 'wine: could not load kernel32.dll' >&2; exit 53; }
[ "$1" = reg ] || exit 9
key='HKEY_CURRENT_USER\Software\Wine\DllOverrides'
home=$WINEPREFIX/registry
missing() { printf '\r\nreg: Unable to find the specified registry value\r\n' >&2; exit 1; }
case "$2 $3 $4" in
    "query HKEY_CURRENT_USER\\Software\\Wine ")
        printf 'HKEY_CURRENT_USER\\Software\\Wine\\Debug\r\n'
        [ -d "$home" ] && printf '%s\r\n' "$key"
        exit 0 ;;
    "query $key /v") [ -f "$home/$5" ] || missing; printf '\r\n%s\r\n    %s    REG_SZ    %s\r\n\r\n' "$key" "$5" "$(cat "$home/$5")" ;;
    "query $key ")
        [ -d "$home" ] || missing
        printf '\r\n%s\r\n' "$key"
        for value in "$home"/*; do [ -f "$value" ] && printf '    %s    REG_SZ    %s\r\n' "${value##*/}" "$(cat "$value")"; done
        printf '\r\n' ;;
    "add $key /v") [ -e "${0%/*}/full" ] && { echo 'reg: no' >&2; exit 1; }; mkdir -p "$home"; printf %s "$9" > "$home/$5" ;;
    "delete $key /v") [ -f "$home/$5" ] || missing; rm "$home/$5" ;;
    "delete $key /f") rm -r "$home" ;;
    *) echo "unknown: $*" >&2; exit 8 ;;
esac
"#;

/// A prefix with its Wine, in a folder of its own.
pub(crate) struct Stage {
    temp: TempDir,
}

impl Stage {
    /// Of a width, with syswow64 or not.
    pub(crate) fn new(bits: u32, both: bool) -> Self {
        let stage = Self { temp: tempfile::tempdir().unwrap() };
        let windows = stage.windows();
        fs::create_dir_all(windows.join("system32")).unwrap();
        fs::create_dir_all(stage.path("wine")).unwrap();
        if bits == 64 {
            fs::create_dir_all(windows.join("syswow64")).unwrap();
        }
        if both {
            fs::write(windows.join("syswow64/kernel32.dll"), "Wine's").unwrap();
        }
        let head = format!("WINE REGISTRY Version 2\n;; All keys relative to \\\\Machine\n\n#arch=win{bits}\n");
        fs::write(stage.prefix().join("system.reg"), head).unwrap();
        for (name, script) in
            [("wine", WINE), ("wineserver", "#!/bin/sh\necho \"server $*\" >> \"${0%/*}/calls\"\nexit 1\n")]
        {
            let path = stage.path("wine").join(name);
            fs::write(&path, script).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        super::dlls(&stage.path("dlls"), "ours");
        stage
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    pub(crate) fn prefix(&self) -> PathBuf {
        self.path("prefix")
    }

    pub(crate) fn windows(&self) -> PathBuf {
        self.prefix().join("drive_c/windows")
    }

    /// Puts a file, by its path in `drive_c/windows`.
    pub(crate) fn file(&self, name: &str, content: &str) -> &Self {
        fs::write(self.windows().join(name), content).unwrap();
        self
    }

    /// Puts a link.
    pub(crate) fn link(&self, name: &str, to: &str) -> &Self {
        symlink(to, self.windows().join(name)).unwrap();
        self
    }

    /// Sets an override, or has only the key.
    pub(crate) fn overridden(&self, value: Option<(&str, &str)>) -> &Self {
        let home = self.prefix().join("registry");
        fs::create_dir_all(&home).unwrap();
        if let Some((name, data)) = value {
            fs::write(home.join(name), data).unwrap();
        }
        self
    }

    /// The override, if there is one.
    pub(crate) fn override_now(&self) -> Option<String> {
        fs::read_to_string(self.prefix().join("registry/d3d9")).ok()
    }

    /// Runs a command on the prefix.
    pub(crate) fn run(&self, command: &str, more: &[&str]) -> Output {
        let mut run = super::afterimage(&[command]);
        run.arg(self.prefix())
            .args(more)
            .env("WINE", self.path("wine/wine"))
            .env("AFTERIMAGE_DLL_DIR", self.path("dlls"));
        run.output().unwrap()
    }

    /// How Wine was called so far.
    pub(crate) fn calls(&self) -> String {
        fs::read_to_string(self.path("wine/calls")).unwrap_or_default()
    }

    /// What a file of `drive_c/windows` holds.
    pub(crate) fn holds(&self, name: &str) -> Vec<u8> {
        fs::read(self.windows().join(name)).unwrap()
    }

    pub(crate) fn record(&self) -> PathBuf {
        self.prefix().join("afterimage-install.json")
    }

    /// Makes the stand-in fail from now on, or no longer.
    pub(crate) fn fault(&self, name: &str, on: bool) {
        let file = self.path("wine").join(name);
        if on { fs::write(&file, "").unwrap() } else { fs::remove_file(&file).unwrap() }
    }

    /// A folder beside the prefix.
    pub(crate) fn beside(&self) -> &Path {
        self.temp.path()
    }
}
