//! The effective configuration: the table's defaults, a built-in profile, the file, its sections, the environment, each over the one
//! before.

use crate::built_in::{self, BuiltIn};
use crate::file::{self, MAX_BYTES};
use crate::place::{self, Surroundings};
use crate::table::{OPTIONS, Reader, Values};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The table.
    Default,
    /// The built-in profile of the program.
    BuiltIn,
    /// A line of the file, above its sections.
    File {
        /// The line, from 1.
        line: usize,
    },
    /// A line of a section that fits the program.
    Profile {
        /// The line, from 1.
        line: usize,
        /// What is in the brackets.
        pattern: String,
    },
    /// The option's environment variable.
    Environment,
}

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A line of the file, which is left out.
    #[error("{}:{line}: {what}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// The whole file, which is left out.
    #[error("{}: {what}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// An environment variable, which is left out.
    #[error("environment variable {variable}: {what}")]
    Environment {
        /// Its name.
        variable: String,
        /// What is wrong with it.
        what: String,
    },
}

/// The effective configuration of a program.
#[derive(Clone, Debug)]
pub struct Settings {
    values: Values,
    origins: Vec<Origin>,
    /// What was written for those that are no default.
    written: Vec<OsString>,
    /// The name of the program that it holds for.
    pub program: String,
    /// The built-in profile of the program, if there is one and it is used.
    pub built_in: Option<&'static BuiltIn>,
    /// The file that was read, if there is one.
    pub file: Option<PathBuf>,
    /// What could not be understood, and is left out.
    pub problems: Vec<Problem>,
}

impl Default for Settings {
    /// Every option at its default, for no program.
    fn default() -> Self {
        Self {
            values: Values::default(),
            origins: vec![Origin::Default; OPTIONS.len()],
            written: vec![OsString::new(); OPTIONS.len()],
            program: String::new(),
            built_in: None,
            file: None,
            problems: Vec::new(),
        }
    }
}

impl Deref for Settings {
    type Target = Values;

    fn deref(&self) -> &Values {
        &self.values
    }
}

/// One option's line in a list of the effective configuration.
#[derive(Clone, Copy, Debug)]
pub struct Effective<'a> {
    /// Index of the option in [`OPTIONS`].
    pub option: usize,
    /// The value as it is written; the default's text where nobody wrote one.
    pub value: &'a OsStr,
    /// Where it comes from.
    pub origin: &'a Origin,
}

impl Settings {
    /// Finds and reads the file, and the environment. Never fails: what cannot be understood is in
    /// [`Settings::problems`].
    #[must_use]
    pub fn load(around: &Surroundings<'_>) -> Self {
        let mut settings = Self { program: around.name(), ..Self::default() };
        settings.built_in(around);
        settings.user_file(around);
        settings.environment(around);
        if !settings.built_in_profiles {
            settings.leave_built_in();
        }
        settings
    }

    fn built_in(&mut self, around: &Surroundings<'_>) {
        self.built_in = built_in::find(around);
        for (option, value) in self.built_in.into_iter().flat_map(BuiltIn::settings) {
            self.set(option, value.as_ref(), Origin::BuiltIn);
        }
    }

    /// Takes back what the built-in profile says and nobody else.
    fn leave_built_in(&mut self) {
        self.built_in = None;
        for (option, row) in OPTIONS.iter().enumerate() {
            if self.origins[option] == Origin::BuiltIn {
                self.set(option, row.default.as_ref(), Origin::Default);
            }
        }
    }

    fn user_file(&mut self, around: &Surroundings<'_>) {
        let Some((path, named)) = place::find(around) else { return };
        match read(&path) {
            Ok(text) => self.text(&path, &text),
            // Between the look and the opening, or not ours to read.
            Err(what) => self.problems.push(Problem::File {
                path: path.clone(),
                what: if named { format!("{what} (named by {})", place::VARIABLE) } else { what },
            }),
        }
        self.file = Some(path);
    }

    /// The configuration of a program by a file's text alone.
    #[must_use]
    pub fn of_text(program: &str, path: &Path, text: &str) -> Self {
        let mut settings = Self { program: program.into(), file: Some(path.into()), ..Self::default() };
        settings.text(path, text);
        settings
    }

    fn text(&mut self, path: &Path, text: &str) {
        let (entries, mistakes) = file::parse(text);
        let at = |m: file::Mistake| Problem::Line { path: path.into(), line: m.line, what: m.what };
        self.problems.extend(mistakes.into_iter().map(at));
        for entry in entries {
            let origin = match entry.profile {
                None => Origin::File { line: entry.line },
                Some(pattern) if file::matches(&pattern, &self.program) => {
                    Origin::Profile { line: entry.line, pattern }
                }
                Some(_) => continue,
            };
            self.set(entry.option, entry.value.as_ref(), origin);
        }
    }

    fn environment(&mut self, around: &Surroundings<'_>) {
        for (option, row) in OPTIONS.iter().enumerate() {
            let variable = row.variable();
            let Some(value) = around.get(&variable) else { continue };
            if !self.set(option, &value, Origin::Environment) {
                let what = file::misfit(option, &value.display());
                self.problems.push(Problem::Environment { variable, what });
            }
        }
    }

    /// Stores a value; an empty one is the default. False if it cannot be that.
    fn set(&mut self, option: usize, value: &OsStr, origin: Origin) -> bool {
        let text = if value.is_empty() { OPTIONS[option].default.as_ref() } else { value };
        let good = self.values.set(option, text);
        if good {
            self.written[option] = text.to_owned();
            self.origins[option] = origin;
        }
        good
    }

    /// Every option with its value and where that comes from.
    pub fn effective(&self) -> impl Iterator<Item = Effective<'_>> {
        self.origins.iter().zip(&self.written).enumerate().map(|(option, (origin, written))| {
            let value = if *origin == Origin::Default { OPTIONS[option].default.as_ref() } else { written.as_os_str() };
            Effective { option, value, origin }
        })
    }

    /// Those that somebody has set.
    pub fn changed(&self) -> impl Iterator<Item = Effective<'_>> {
        self.effective().filter(|one| *one.origin != Origin::Default)
    }

    /// What a process that renders for this program has to be told, as variables of its environment: the options of the renderer that
    /// hold for the program and not, by the same environment, for the renderer's own program.
    #[must_use]
    pub fn for_renderer(&self, renderer: &Self) -> Vec<(String, OsString)> {
        let differs = |(ours, theirs): &(Effective<'_>, Effective<'_>)| {
            OPTIONS[ours.option].reader == Reader::Renderer && ours.value != theirs.value
        };
        let both = self.effective().zip(renderer.effective());
        both.filter(differs).map(|(ours, _)| (OPTIONS[ours.option].variable(), ours.value.to_owned())).collect()
    }

    /// Where a value comes from, for a person.
    #[must_use]
    pub fn whence(&self, one: &Effective<'_>) -> String {
        let file = || self.file.as_deref().unwrap_or(Path::new("")).display();
        match one.origin {
            Origin::Default => "default".into(),
            Origin::BuiltIn => "built-in profile".into(),
            Origin::File { line } => format!("{}:{line}", file()),
            Origin::Profile { line, pattern } => format!("{}:{line} [{pattern}]", file()),
            Origin::Environment => OPTIONS[one.option].variable(),
        }
    }
}

impl fmt::Display for Settings {
    /// What differs from the defaults, a line each.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => writeln!(f, "  file: {}", file.display())?,
            None => writeln!(f, "  file: none")?,
        }
        if let Some(row) = self.built_in {
            writeln!(f, "  built-in profile: {row}")?;
        }
        for one in self.changed() {
            writeln!(f, "  {} = {} ({})", OPTIONS[one.option].name, one.value.display(), self.whence(&one))?;
        }
        Ok(())
    }
}

fn read(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    // What is no plain file does not say how long it is, and may have no end.
    let most = MAX_BYTES as u64 + 1;
    File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)).map_err(|error| error.to_string())?;
    if bytes.len() > MAX_BYTES {
        return Err(format!("no configuration: it has more than {MAX_BYTES} bytes"));
    }
    String::from_utf8(bytes)
        .map_err(|error| format!("not UTF-8 from byte {} on: save it as UTF-8", error.utf8_error().valid_up_to()))
}

/// The configuration of this process, read when it is first asked for.
pub fn settings() -> &'static Settings {
    static SETTINGS: OnceLock<Settings> = OnceLock::new();
    SETTINGS.get_or_init(|| Settings::load(&Surroundings::of_process()))
}
