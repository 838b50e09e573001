//! Programs that do something with a list of names and say before each what they begin: what crashes or hangs is known by name, and
//! the others go on.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use xtask::step::{Context, Result};

/// How one that a worker did not come to the end of ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Bad {
    /// The program ended there.
    Crashed(String),
    /// Nothing was heard for so long.
    Hung,
}

impl Bad {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Crashed(how) => format!("the program ended: {how}"),
            Self::Hung => "no end".to_owned(),
        }
    }
}

fn stop(child: &mut Child) -> String {
    let _ = child.kill();
    child.wait().map_or_else(|why| why.to_string(), |status| status.to_string())
}

/// Runs a program with the names as its last arguments until all were begun. `line` gets what it prints, and says which name a line
/// begins, if it begins one, and in which step. Gives the names at which it did not go on, with the step.
///
/// # Errors
/// When the program cannot be started.
pub(super) fn run(
    command: impl Fn() -> Command,
    names: &[String],
    patience: Duration,
    mut line: impl FnMut(&str) -> Option<(String, String)>,
) -> Result<BTreeMap<String, (String, Bad)>> {
    let mut bad = BTreeMap::new();
    let mut left: Vec<String> = names.to_vec();
    while !left.is_empty() {
        let mut command = command();
        command.args(&left).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().doing(format!("starting {}", command.get_program().to_string_lossy()))?;
        let (send, lines) = mpsc::channel();
        let stdout = child.stdout.take();
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(stdout.into_iter().next()?).split(b'\n') {
                send.send(String::from_utf8_lossy(&line.ok()?).into_owned()).ok()?;
            }
            Some(())
        });
        let mut now: Option<(String, String)> = None;
        let ended = loop {
            match lines.recv_timeout(patience) {
                Ok(text) => {
                    if let Some(begun) = line(&text) {
                        now = Some(begun);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    stop(&mut child);
                    break Some(Bad::Hung);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = child.wait().doing("waiting for a worker")?;
                    // A failure of single names is said by the program itself.
                    break (status.code().is_none_or(|code| code > 1)).then(|| Bad::Crashed(status.to_string()));
                }
            }
        };
        let _ = reader.join();
        let Some(how) = ended else { break };
        let Some((name, step)) = now else {
            // It never begins.
            left.iter().for_each(|name| drop(bad.insert(name.clone(), (String::new(), how.clone()))));
            break;
        };
        let at = left.iter().position(|other| *other == name).unwrap_or(0);
        // What came before was done.
        left.drain(..=at);
        bad.insert(name, (step, how));
    }
    Ok(bad)
}
