//! What is compared: a capture, and how it is drawn.

use super::Args;
use crate::Failure;
use afterimage_capture::{Reader, Uses};
use afterimage_config::{OPTIONS, Problem, Settings, Surroundings, find, guess};
use afterimage_vulkan::{Options, Renderer, ReplayError, Wishes};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One of the two.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) file: PathBuf,
    /// What tells it from the other side, for people.
    pub(super) name: String,
    options: Options,
}

/// Both sides. What is said once is the second one's; the first is as configured.
pub(super) fn of(args: &Args) -> Result<[Side; 2], Failure> {
    let second = args.picture.as_ref().unwrap_or(&args.golden);
    let said = |all: &[String], side: usize| match (all, side) {
        ([_, _, more, ..], _) => Err(Failure::new(format!("{more}: there are two sides, and two were told already"))),
        ([one], 1) => Ok(one.clone()),
        ([_], _) | ([], _) => Ok(String::new()),
        ([a, b], side) => Ok([a, b][side].clone()),
    };
    let side = |number: usize, file: &PathBuf| -> Result<Side, Failure> {
        let mut words: Vec<(&str, String)> = Vec::new();
        for (option, all) in [("device", &args.device), ("without", &args.without)] {
            words.push((option, said(all, number)?));
        }
        let more = said(&args.options, number)?;
        for entry in more.split([';', ' ']).filter(|entry| !entry.is_empty()) {
            let (option, value) = entry.split_once('=').ok_or_else(|| {
                Failure::new(format!("--options {entry}: expected OPTION=VALUE, several with spaces between"))
            })?;
            words.push((option, value.to_owned()));
        }
        words.retain(|(_, value)| !value.is_empty());
        let how: Vec<String> = words.iter().map(|(option, value)| format!("{option}={value}")).collect();
        let name = match (args.picture.is_some(), how.is_empty()) {
            (true, true) => file.display().to_string(),
            (true, false) => format!("{} with {}", file.display(), how.join(" ")),
            (false, true) => format!("{} as configured", file.display()),
            (false, false) => format!("{} with {}", file.display(), how.join(" ")),
        };
        Ok(Side { file: file.clone(), name, options: configured(&words)? })
    };
    Ok([side(0, &args.golden)?, side(1, second)?])
}

/// The configuration of this process but for these options.
fn configured(words: &[(&str, String)]) -> Result<Options, Failure> {
    let mut own: HashMap<String, OsString> = HashMap::new();
    for (option, value) in words {
        let Some(row) = find(option).and_then(|at| OPTIONS.get(at)) else {
            let meant = guess(option).map_or_else(String::new, |name| format!("; did you mean {name}?"));
            return Err(Failure::new(format!("there is no option {option}{meant} `afterimage config` lists them")));
        };
        own.insert(row.variable(), value.into());
    }
    let variable = |name: &str| own.get(name).cloned().or_else(|| std::env::var_os(name));
    let program = std::env::current_exe().unwrap_or_default();
    let settings = Settings::load(&Surroundings { program, variable: &variable });
    let wrong = settings.problems.iter().find(|problem| match problem {
        Problem::Environment { variable, .. } => own.contains_key(variable),
        _ => false,
    });
    if let Some(Problem::Environment { what, .. }) = wrong {
        return Err(Failure::new(what.clone()));
    }
    let mut options = crate::own_process::with(Options::of(&settings));
    // These settings are meant for programs.
    options.wishes = Wishes::default();
    // Pictures that miss what is not ready yet are no pictures.
    options.skip_unready = false;
    Ok(options)
}

impl Side {
    /// A renderer that draws as this side does.
    pub(super) fn renderer(&self) -> Result<Renderer, Failure> {
        self.renderer_with(self.options.clone())
    }

    fn renderer_with(&self, options: Options) -> Result<Renderer, Failure> {
        Renderer::new(options).map_err(|error| Failure::new(format!("{}: {error}", self.name)))
    }

    /// Writes every picture that is shown into a folder. Of a capture that is damaged, what can be read is drawn, and the damage told.
    pub(super) fn pictures(&self, folder: &Path) -> Result<Option<String>, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file("cannot make", folder, error))?;
        let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", self.file.display()));
        let open = || Ok(Reader::open(&self.file)?.with_uses(Arc::new(Uses::open(&self.file)?)));
        let mut reader = open().map_err(|error| Failure::capture(&self.file, &error))?;
        let wishes = Wishes { screenshots: Some(folder.to_owned()), ..self.options.wishes.clone() };
        let options = Options { wishes, ..self.options.clone() };
        let mut renderer = self.renderer_with(options)?;
        let replayed = renderer.replay(&mut reader);
        // What is not there would be taken for a difference, or for nothing.
        crate::outputs::unwritten(renderer.finish_files())?;
        match replayed {
            Ok(replayed) if replayed.errors > 0 => {
                tracing::warn!("{}: {} packets could not be executed", self.name, replayed.errors);
            }
            Ok(_) => {}
            Err(ReplayError::Capture(error)) => {
                tracing::warn!("{}: {error}; what can be read is compared", self.name);
                return Ok(Some(error.to_string()));
            }
            Err(ReplayError::Renderer(error)) => return Err(failed(&error)),
        }
        Ok(None)
    }
}
