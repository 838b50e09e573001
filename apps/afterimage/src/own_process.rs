//! Commands that draw what strangers made do it in a process of their own, which is watched and in a sandbox: whatever it does, the
//! command ends with a message and an exit code.

use crate::outputs::{self, Named};
use crate::{Failure, complain};
use afterimage_config::settings;
use afterimage_output::folder_of;
use afterimage_process::ending::HUNG;
use afterimage_process::sandbox::{self, Access};
use afterimage_process::supervise;
use afterimage_vulkan::{Hang, Options, OwnProcess};
use clap::ArgMatches;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Once, OnceLock};

/// What renderers of this process have, if it is such a process.
static OWN: OnceLock<OwnProcess> = OnceLock::new();

/// Starts the process that a command is to work in, and gives its exit code when it has ended; `None` in that process, which is in its
/// sandbox then. To be called while this process has one thread.
pub(crate) fn divide(matches: &ArgMatches, display: bool) -> Result<Option<ExitCode>, Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("a process to draw in: {error}"));
    let named = Named::of(matches);
    let Some(journal) = supervise::given().map_err(failed)? else {
        let made = Made::folders(&named.folders(), named.quiet);
        let code = supervise::supervise(&complain).map_err(failed)?;
        drop(made);
        return Ok(Some(code));
    };
    let access = access(&named, display);
    if settings().sandbox {
        sandbox::confine_paths(&access).log();
    }
    let own = OwnProcess {
        journal: Some(journal),
        gpu_timeout: OwnProcess::timeout_of(settings()),
        opened: Some(Arc::new(move || confine_calls(&access))),
        on_hang: Arc::new(hung),
    };
    // The only one.
    let _first = OWN.set(own);
    Ok(None)
}

/// Options of a renderer, as this process is configured and as it may draw.
pub(crate) fn options() -> Options {
    with(Options::from_env())
}

/// What is wanted of other options is that of this process.
pub(crate) fn with(options: Options) -> Options {
    Options { own_process: OWN.get().cloned(), ..options }
}

fn confine_calls(access: &Access) {
    static ONCE: Once = Once::new();
    if settings().sandbox {
        ONCE.call_once(|| sandbox::confine_calls(access).log());
    }
}

fn hung(hang: &Hang) {
    complain(&hang.to_string());
    afterimage_log::finish();
    signal_hook::low_level::exit(i32::from(HUNG));
}

/// What a command line, and the configuration, have this process reach.
fn access(named: &Named, display: bool) -> Access {
    let configured = Options::from_env();
    let wishes = &configured.wishes;
    let mut write: Vec<PathBuf> = named.folders();
    write.extend(
        named.files().iter().chain(&wishes.stats).chain(&wishes.hud_log).map(|file| folder_of(file).to_owned()),
    );
    write.extend(wishes.screenshots.clone());
    write.push(std::env::temp_dir());
    Access { read: named.reads(), write, cache: configured.cache_dir, display }
}

/// Folders that were made so that the sandbox can name them. Those that stay empty go again; those that are filled are told of.
struct Made {
    /// With the folders above them that were made, too.
    folders: Vec<(PathBuf, Vec<PathBuf>)>,
    quiet: bool,
}

impl Made {
    fn folders(folders: &[PathBuf], quiet: bool) -> Self {
        let mut made = Self { folders: Vec::new(), quiet };
        for folder in folders {
            let missing: Vec<PathBuf> =
                folder.ancestors().take_while(|part| is_missing(part)).map(Path::to_owned).collect();
            // What cannot be made is told when something is to be written there.
            if !missing.is_empty() && std::fs::create_dir_all(folder).is_ok() {
                made.folders.push((folder.clone(), missing));
            }
        }
        made
    }
}

fn is_missing(path: &Path) -> bool {
    !path.as_os_str().is_empty() && !path.exists()
}

impl Drop for Made {
    fn drop(&mut self) {
        for (folder, made) in &self.folders {
            // Where something was written, this fails, as it should.
            made.iter().for_each(|made| drop(std::fs::remove_dir(made)));
            if !self.quiet && folder.is_dir() {
                outputs::made(folder);
            }
        }
    }
}
