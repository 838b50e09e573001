//! Starts this program again for each case, with a folder to play in, and says what came of it as Rust's own harness does.

use afterimage_process::sandbox::{WHOLE, landlock_version};
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// A case: its name, and what the process does.
pub(crate) type Case = (&'static str, fn(&Stage));

/// What a case has to play with.
pub(crate) struct Stage {
    /// A folder of the case's own, outside of everything that the sandbox permits.
    pub folder: PathBuf,
}

impl Stage {
    /// A path in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

const CASE: &str = "AFTERIMAGE_SANDBOX_CASE";
const FOLDER: &str = "AFTERIMAGE_SANDBOX_FOLDER";

pub(crate) fn main(cases: &[Case]) -> ExitCode {
    if let Ok(name) = std::env::var(CASE) {
        let folder = PathBuf::from(std::env::var_os(FOLDER).expect("the case's folder"));
        let (_, case) = cases.iter().find(|(case, _)| *case == name).expect("a case of that name");
        case(&Stage { folder });
        return ExitCode::SUCCESS;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        cases.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let filters: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let wanted: Vec<&Case> = cases
        .iter()
        .filter(|(name, _)| filters.is_empty() || filters.iter().any(|part| name.contains(*part)))
        .collect();
    let version = landlock_version();
    if version < WHOLE {
        println!("skipped: {} tests need Landlock {WHOLE} (Linux 6.12), and this kernel has {version}", wanted.len());
        return ExitCode::SUCCESS;
    }
    println!("\nrunning {} tests", wanted.len());
    let mut failed = 0;
    for (name, _) in &wanted {
        let folder = tempfile::tempdir().expect("a folder for the case");
        let output = Command::new(std::env::current_exe().expect("this program"))
            .env(CASE, name)
            .env(FOLDER, folder.path())
            .output()
            .expect("this program again");
        if output.status.success() {
            println!("test {name} ... ok");
        } else {
            failed += 1;
            println!("test {name} ... FAILED\n---- {name}: {} ----", output.status);
            println!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        }
    }
    let word = if failed == 0 { "ok" } else { "FAILED" };
    println!("\ntest result: {word}. {} passed; {failed} failed\n", wanted.len() - failed);
    ExitCode::from(u8::from(failed > 0))
}
