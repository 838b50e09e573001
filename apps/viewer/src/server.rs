//! Finds programs, gives each a thread that draws it, and knows when to end.

use crate::foreign;
use crate::program::{Event, Notify, Program, Spare};
use afterimage_ipc::shared::{Found, Host};
use afterimage_vulkan::Options;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often the directory is looked at: how long a program waits for its viewer.
const SCAN: Duration = Duration::from_millis(10);

/// When the viewer ends by itself.
pub(crate) enum Until {
    /// Never.
    Stopped,
    /// When the last program has disconnected.
    LastProgram,
    /// When this flag is set and no program is connected.
    InputCloses(Arc<AtomicBool>),
}

/// The programs that are connected, and what is needed for the next one.
pub(crate) struct Server {
    host: Host,
    options: Options,
    /// Where programs have windows of their own, if they are drawn into.
    foreign: Option<foreign::Display>,
    until: Until,
    stop: Arc<AtomicBool>,
    programs: Vec<Program>,
    /// Programs so far.
    count: usize,
    spare: Option<Spare>,
}

impl Server {
    /// Serves a directory. A device is opened at once, so that a machine without one says so before a program comes.
    pub(crate) fn new(
        directory: Option<&Path>,
        options: Options,
        foreign: Option<foreign::Display>,
        until: Until,
        stop: Arc<AtomicBool>,
    ) -> Result<Self, String> {
        let host = Host::open(directory).map_err(|error| error.to_string())?;
        let spare = Spare::start(numbered(&options, 0))?;
        Ok(Self { host, options, foreign, until, stop, programs: Vec::new(), count: 0, spare: Some(spare) })
    }

    /// The directory.
    pub(crate) fn directory(&self) -> &Path {
        self.host.directory()
    }

    /// What ends the server from outside.
    pub(crate) fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Serves until there is a reason to end.
    pub(crate) fn run(mut self, notify: &Notify) -> Result<(), String> {
        while !self.stop.load(Ordering::SeqCst) {
            self.scan(notify)?;
            let mut open = Vec::new();
            for program in self.programs.drain(..) {
                if program.is_finished() {
                    program.join();
                } else {
                    open.push(program);
                }
            }
            self.programs = open;
            let end = match &self.until {
                Until::Stopped => false,
                Until::LastProgram => self.count > 0,
                // Once more, for a program that came right before the input was closed.
                Until::InputCloses(closed) => closed.load(Ordering::SeqCst) && !self.scan_again(notify)?,
            };
            if end && self.programs.is_empty() {
                break;
            }
            std::thread::sleep(SCAN);
        }
        for program in &self.programs {
            program.stop();
        }
        self.programs.into_iter().for_each(Program::join);
        Ok(())
    }

    fn scan_again(&mut self, notify: &Notify) -> Result<bool, String> {
        let before = self.count;
        self.scan(notify)?;
        Ok(self.count > before)
    }

    fn scan(&mut self, notify: &Notify) -> Result<(), String> {
        let found =
            self.host.scan().map_err(|error| format!("reading {}: {error}", self.host.directory().display()))?;
        for found in found {
            match found {
                Found::Program(channel) => {
                    let spare = match self.spare.take() {
                        Some(spare) => spare,
                        None => Spare::start(numbered(&self.options, self.count))?,
                    };
                    let (program, bits) = (channel.program(), channel.pointer_bits());
                    crate::say(&format!("{program} (process {}, {bits} bits) connected", channel.process()));
                    self.programs.push(spare.serve(channel, self.count, notify.clone(), self.foreign));
                    self.count += 1;
                }
                Found::Refused(error) => {
                    eprintln!("afterimage-viewer: {error}");
                    notify.tell(Event::Refused(error.to_string()));
                }
            }
        }
        Ok(())
    }
}

/// The options for the program with this number. The first one's files are where the user wanted them; the others get
/// names with a number, so that none overwrites another's.
fn numbered(options: &Options, number: usize) -> Options {
    let mut options = options.clone();
    if number > 0 {
        let rename = |path: &mut PathBuf| {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default();
            path.set_file_name(format!("{stem}-{}{ending}", number + 1));
        };
        if let Some(folder) = &mut options.screenshots {
            folder.push(format!("program-{}", number + 1));
        }
        options.stats.iter_mut().chain(&mut options.capture_file).for_each(rename);
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_program_overwrites_nothing() {
        let options = Options {
            screenshots: Some("shots".into()),
            stats: Some("out/stats.json".into()),
            capture_file: Some("scene".into()),
            ..Options::default()
        };
        assert_eq!(numbered(&options, 0).stats, options.stats);
        let second = numbered(&options, 1);
        assert_eq!(second.screenshots.unwrap(), Path::new("shots/program-2"));
        assert_eq!(second.stats.unwrap(), Path::new("out/stats-2.json"));
        assert_eq!(second.capture_file.unwrap(), Path::new("scene-2"));
    }
}
