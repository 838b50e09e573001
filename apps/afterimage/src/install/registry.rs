//! The DLL override in a prefix's registry, read and written by Wine's own `reg`: while a program of the prefix runs, Wine's server has the
//! registry, and writes its files anew when that program ends.

use super::prefix::Prefix;
use super::record::Override;
use crate::{Failure, wine};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Wine's key above that of overrides; every prefix has it.
const WINE: &str = r"HKEY_CURRENT_USER\Software\Wine";
/// The key of overrides for all programs.
pub(super) const KEY: &str = r"HKEY_CURRENT_USER\Software\Wine\DllOverrides";
/// The library.
pub(super) const VALUE: &str = "d3d9";
/// A library that is no part of Wine first, else Wine's own.
pub(super) const OURS: &str = "native,builtin";

/// A prefix's registry.
#[derive(Debug)]
pub(super) struct Registry {
    wine: PathBuf,
    prefix: PathBuf,
    /// Whether programs of the prefix run, and Wine's server with them.
    busy: bool,
}

impl Registry {
    /// Finds the Wine that can open it.
    pub(super) fn of(prefix: &Prefix) -> Result<Self, Failure> {
        let wine = wine::find(prefix.width)?;
        let mut registry = Self { wine, prefix: prefix.root().to_owned(), busy: false };
        // Signal 0 only asks.
        registry.busy = registry.server("-k0");
        Ok(registry)
    }

    fn server(&self, what: &str) -> bool {
        let Some(server) = wine::server(&self.wine) else { return false };
        let mut command = self.environment(Command::new(server));
        command.arg(what).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    fn environment(&self, mut command: Command) -> Command {
        // Its offers to download Mono and Gecko would wait for an answer, where it brings the prefix up to its own version.
        command.env("WINEPREFIX", &self.prefix).env("WINEDLLOVERRIDES", "mscoree,mshtml=").env_remove("WINEARCH");
        if std::env::var_os("WINEDEBUG").is_none() {
            command.env("WINEDEBUG", "-all");
        }
        command.stdin(Stdio::null());
        command
    }

    fn reg(&self, arguments: &[&str]) -> Result<Output, Failure> {
        let mut command = self.environment(Command::new(&self.wine));
        command.arg("reg").args(arguments);
        command.output().map_err(|error| Failure::file("starting", &self.wine, error))
    }

    fn done(&self, arguments: &[&str]) -> Result<String, Failure> {
        let output = self.reg(arguments)?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = String::from_utf8_lossy(&[output.stderr, output.stdout].concat()).trim().replace('\r', "");
        Err(Failure::new(format!(
            "{} reg {} in {}: {}{said}",
            self.wine.display(),
            arguments.join(" "),
            self.prefix.display(),
            if said.is_empty() { output.status.to_string() } else { String::new() },
        )))
    }

    /// What is set.
    pub(super) fn read(&self) -> Result<Override, Failure> {
        // That a key or a value is not there, and that Wine does not run, is one exit status: this one is there wherever it runs.
        let keys = self.done(&["query", WINE])?;
        if !keys.lines().any(|line| line.trim().eq_ignore_ascii_case(KEY)) {
            return Ok(Override { key: false, value: None });
        }
        let output = self.reg(&["query", KEY, "/v", VALUE])?;
        if !output.status.success() {
            return Ok(Override { key: true, value: None });
        }
        let text = String::from_utf8_lossy(&output.stdout);
        match text.lines().find_map(value_of) {
            Some(("REG_SZ", data)) => Ok(Override { key: true, value: Some(data.to_owned()) }),
            Some((kind, _)) => Err(Failure::new(format!(
                "{KEY}, {VALUE} is a {kind} in {}, which is no override: remove it",
                self.prefix.display()
            ))),
            None => Err(Failure::new(format!("{} reg query {KEY} says: {}", self.wine.display(), text.trim()))),
        }
    }

    /// Sets the override, and looks whether it is set.
    pub(super) fn set(&self, data: &str) -> Result<(), Failure> {
        self.done(&["add", KEY, "/v", VALUE, "/t", "REG_SZ", "/d", data, "/f"])?;
        match self.read()?.value {
            Some(now) if now == data => Ok(()),
            other => Err(Failure::new(format!(
                "{KEY}, {VALUE} is {} after Wine was told to set it to {data:?}",
                other.map_or_else(|| "not set".into(), |other| format!("{other:?}"))
            ))),
        }
    }

    /// Has it as it was.
    pub(super) fn restore(&self, before: &Override) -> Result<(), Failure> {
        let now = self.read()?;
        match &before.value {
            Some(data) if now.value.as_ref() != Some(data) => self.set(data)?,
            None if now.value.is_some() => drop(self.done(&["delete", KEY, "/v", VALUE, "/f"])?),
            _ => {}
        }
        if !before.key && now.key && self.is_empty()? {
            self.done(&["delete", KEY, "/f"])?;
        }
        Ok(())
    }

    /// Whether the key of overrides holds nothing.
    fn is_empty(&self) -> Result<bool, Failure> {
        let text = self.done(&["query", KEY])?;
        Ok(text.lines().all(|line| line.trim().is_empty() || line.trim().eq_ignore_ascii_case(KEY)))
    }

    /// Waits until Wine has written the registry's files, where no program holds it.
    pub(super) fn settle(&self) {
        if !self.busy {
            self.server("-w");
        }
    }
}

impl Override {
    /// What it was, for a person.
    pub(super) fn said(&self) -> String {
        self.value.as_ref().map_or_else(|| " (it was not set)".into(), |data| format!(" (it was {data})"))
    }

    /// What somebody else has changed since ours was set over `before`.
    pub(super) fn differs(&self, before: &Self) -> Option<String> {
        match &self.value {
            Some(now) if now == OURS => None,
            now if *now == before.value => None,
            Some(now) => Some(format!("{KEY}, {VALUE} is {now}")),
            None => Some(format!("{KEY}, {VALUE} is no longer set")),
        }
    }
}

/// Kind and data in a line of what `reg query` writes: name, kind and data, with four blanks before each.
fn value_of(line: &str) -> Option<(&str, &str)> {
    let mut fields = line.trim_end_matches('\r').strip_prefix("    ")?.splitn(3, "    ");
    let name = fields.next()?;
    name.eq_ignore_ascii_case(VALUE).then_some((fields.next()?, fields.next().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_reg_is_read() {
        assert_eq!(value_of("    d3d9    REG_SZ    native,builtin\r"), Some(("REG_SZ", "native,builtin")));
        assert_eq!(value_of("    D3D9    REG_SZ    \r"), Some(("REG_SZ", "")));
        assert_eq!(value_of("    d3d9    REG_DWORD    0x1"), Some(("REG_DWORD", "0x1")));
        for other in ["", r"HKEY_CURRENT_USER\Software\Wine\DllOverrides", "    *d3d9    REG_SZ    builtin", "    d3d9"]
        {
            assert_eq!(value_of(other), None, "{other}");
        }
    }

    #[test]
    fn what_others_set_is_told() {
        let is = |value: Option<&str>| Override { key: true, value: value.map(str::to_owned) };
        let before = is(Some("builtin"));
        assert_eq!(is(Some(OURS)).differs(&before), None);
        assert_eq!(before.differs(&before), None);
        assert!(is(None).differs(&before).unwrap().ends_with("no longer set"));
        assert!(is(Some("native")).differs(&before).unwrap().ends_with("d3d9 is native"));
    }
}
