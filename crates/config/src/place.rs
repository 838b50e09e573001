//! What the configuration depends on, and where the file is.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The environment variable that names the file.
pub const VARIABLE: &str = "AFTERIMAGE_CONF";
/// Its name elsewhere.
pub const FILE_NAME: &str = "afterimage.conf";

/// What the configuration depends on.
pub struct Surroundings<'a> {
    /// The program's file: profiles are chosen by its name, and the file may lie beside it.
    pub program: PathBuf,
    /// The environment.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
}

impl Surroundings<'static> {
    /// This process's.
    #[must_use]
    pub fn of_process() -> Self {
        Self { program: std::env::current_exe().unwrap_or_default(), variable: &|name| std::env::var_os(name) }
    }
}

impl Surroundings<'_> {
    /// What a variable says, if it says something.
    pub(crate) fn get(&self, name: &str) -> Option<OsString> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    /// The name that profiles are chosen by.
    #[must_use]
    pub fn name(&self) -> String {
        self.program.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// A Unix path as this process has to write it: Wine shows `/` as drive Z:.
#[must_use]
pub fn host_path(path: &str) -> PathBuf {
    if cfg!(windows) && path.starts_with('/') {
        PathBuf::from(format!("Z:{}", path.replace('/', r"\")))
    } else {
        PathBuf::from(path)
    }
}

/// The user's home. Wine keeps HOME from Windows programs, but tells it under a name of its own, as an NT path.
#[must_use]
pub fn home(variable: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let home = variable("HOME").or_else(|| variable("WINEHOMEDIR").map(|path| path.replacen(r"\??\", "", 1)))?;
    Some(host_path(&home))
}

/// The user's own file, whether or not it is there: `afterimage/afterimage.conf` in `$XDG_CONFIG_HOME`, else in `~/.config`,
/// else in `%APPDATA%`.
#[must_use]
pub fn of_user(around: &Surroundings<'_>) -> Option<PathBuf> {
    let text = |name: &str| around.get(name).and_then(|value| value.into_string().ok());
    let folder = text("XDG_CONFIG_HOME")
        .map(|path| host_path(&path))
        .or_else(|| home(&text).map(|home| home.join(".config")))
        .or_else(|| text("APPDATA").map(PathBuf::from))?;
    Some(folder.join("afterimage").join(FILE_NAME))
}

/// The file that a program's log is in where nobody names one: beside the program.
#[must_use]
pub fn log_beside(program: &Path) -> PathBuf {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    program.with_file_name(format!("afterimage-{name}.log"))
}

/// The file, and whether [`VARIABLE`] names it: then it is taken whether or not it is there.
pub(crate) fn find(around: &Surroundings<'_>) -> Option<(PathBuf, bool)> {
    if let Some(named) = around.get(VARIABLE) {
        return Some((named.to_str().map_or_else(|| PathBuf::from(&named), host_path), true));
    }
    let beside = around.program.parent().map(|folder| folder.join(FILE_NAME));
    [beside, of_user(around)].into_iter().flatten().find(|path| path.is_file()).map(|path| (path, false))
}
