//! What set-up says before it installs anything, and who has to agree: nobody's machine changes without being told.

use std::io::{IsTerminal as _, Write as _};

use super::{How, Step, apt};
use crate::step::{Context as _, Progress, Result};
use crate::workspace::Workspace;

/// Whether what is missing may be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Consent {
    /// It was said before: `--yes`, or `CI=true`.
    Given,
    /// Somebody is there to be asked.
    Ask,
    /// Nobody is.
    None,
}

/// Who agrees, by the option, the environment's `CI`, and whether there is a terminal.
fn consent(yes: bool, ci: Option<&str>, terminal: bool) -> Consent {
    match ci {
        _ if yes => Consent::Given,
        Some("true" | "1") => Consent::Given,
        _ if terminal => Consent::Ask,
        _ => Consent::None,
    }
}

/// Says what is about to be installed and how large it is, and whether it may be.
///
/// # Errors
/// When the terminal cannot be read.
pub(super) fn asked(ws: &Workspace, todo: &[&Step], yes: bool) -> Result<bool> {
    let terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let ci = std::env::var("CI").ok();
    announce(ws, todo);
    match consent(yes, ci.as_deref(), terminal) {
        Consent::Given => Ok(true),
        Consent::Ask => {
            eprint!("install it? [Y/n] ");
            std::io::stderr().flush().doing("asking")?;
            let mut answer = String::new();
            std::io::stdin().read_line(&mut answer).doing("reading the answer")?;
            Ok(agrees(&answer))
        }
        Consent::None => {
            eprintln!("nobody is here to be asked, so nothing is installed: give --yes, or set CI=true");
            Ok(false)
        }
    }
}

/// Nothing but Enter is a yes; the end of the input is none.
fn agrees(answer: &str) -> bool {
    answer.ends_with('\n') && matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes")
}

fn announce(ws: &Workspace, todo: &[&Step]) {
    eprintln!("set-up installs what is missing:");
    let mut packages = Vec::new();
    for step in todo {
        match step.how {
            How::Packages { names, .. } => {
                eprintln!("  {}: {}", step.what, names.join(" "));
                packages.extend(names);
            }
            How::Ours { size, .. } => eprintln!("  {}: {size} in {}", step.what, ws.cache.display()),
        }
    }
    if !packages.is_empty() {
        let progress = Progress::start("asking apt how much that is");
        let size = apt::size(ws, &packages, &progress);
        progress.finish(&size);
        match size {
            Ok(size) => eprintln!("  Debian's packages with all that they need: {size}"),
            Err(failure) => eprintln!("  how large Debian's packages are is not known: {}", failure.summary()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Consent, agrees, consent};

    #[test]
    fn nothing_is_installed_without_a_word() {
        assert_eq!(consent(false, None, false), Consent::None);
        assert_eq!(consent(false, Some("false"), false), Consent::None);
        assert_eq!(consent(false, Some(""), true), Consent::Ask);
        assert_eq!(consent(false, None, true), Consent::Ask);
        assert_eq!(consent(false, Some("true"), true), Consent::Given);
        assert_eq!(consent(false, Some("1"), false), Consent::Given);
        assert_eq!(consent(true, None, false), Consent::Given);
    }

    #[test]
    fn enter_is_a_yes_and_the_end_of_the_input_is_not() {
        assert!(agrees("\n") && agrees("y\n") && agrees(" Yes \n"));
        assert!(!agrees("") && !agrees("n\n") && !agrees("no\n") && !agrees("what?\n"));
    }
}
