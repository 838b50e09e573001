//! `CHANGELOG.md`: what each version brought, and its day, which is the time of every file of its release.

use xtask::step::{Context as _, Failure, Result};
use xtask::workspace::Workspace;

/// The file.
pub(crate) const FILE: &str = "CHANGELOG.md";
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/// From the first of January 1970 on, a Thursday.
const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

/// A version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    /// As in Cargo.toml.
    pub(crate) number: String,
    day: Day,
    /// What it brought, an entry each.
    pub(crate) entries: Vec<String>,
}

/// A day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Day {
    year: i64,
    month: usize,
    day: i64,
}

impl Day {
    /// `2026-11-28`.
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-').map(str::parse::<i64>);
        let (year, month, day) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
        let good = parts.next().is_none() && (1970..=9999).contains(&year) && (1..=12).contains(&month);
        (good && (1..=31).contains(&day)).then_some(Self { year, month: usize::try_from(month).ok()?, day })
    }

    /// Days since the first of January 1970. Years are counted from March on, so that leap days come last.
    fn since_1970(self) -> i64 {
        let month = i64::try_from(self.month).unwrap_or(1);
        let year = self.year - i64::from(month <= 2);
        let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + self.day - 1;
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
    }
}

impl Version {
    /// The first second of its day, in UTC.
    pub(crate) fn seconds(&self) -> i64 {
        self.day.since_1970() * 86_400
    }

    /// Its day as mail has it.
    pub(crate) fn mail_date(&self) -> String {
        let Day { year, month, day } = self.day;
        let weekday = usize::try_from(self.day.since_1970().rem_euclid(7)).unwrap_or(0);
        format!("{}, {day:02} {} {year} 00:00:00 +0000", WEEKDAYS[weekday], MONTHS[month - 1])
    }
}

/// All versions, the newest first.
///
/// # Errors
/// When the file is not as this reads it, or its first version is not the one that is built.
pub(crate) fn read(ws: &Workspace) -> Result<Vec<Version>> {
    let text = std::fs::read_to_string(ws.root.join(FILE)).doing(format!("reading {FILE}"))?;
    let versions = parse(&text).map_err(|why| {
        Failure::new(format!("reading {FILE}"), why)
            .advise("a version is `## NUMBER, YEAR-MONTH-DAY`, and entries `* `")
    })?;
    let built = env!("CARGO_PKG_VERSION");
    if versions.first().is_none_or(|version| version.number != built) {
        let why = format!("its first version is not {built}, which Cargo.toml has");
        return Err(Failure::new(format!("reading {FILE}"), why).advise("write there what the version brings"));
    }
    Ok(versions)
}

fn parse(text: &str) -> std::result::Result<Vec<Version>, String> {
    let mut versions: Vec<Version> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            let parts = title.split_once(", ").and_then(|(number, day)| Some((number, Day::parse(day)?)));
            let (number, day) = parts.ok_or_else(|| format!("no number and day: {line}"))?;
            versions.push(Version { number: number.to_owned(), day, entries: Vec::new() });
        } else if let (Some(version), Some(entry)) = (versions.last_mut(), line.strip_prefix("* ")) {
            version.entries.push(entry.to_owned());
        } else if let (Some(entry), Some(more)) =
            (versions.last_mut().and_then(|version| version.entries.last_mut()), line.strip_prefix("  "))
        {
            entry.push(' ');
            entry.push_str(more);
        }
    }
    match versions.iter().find(|version| version.entries.is_empty()) {
        Some(empty) => Err(format!("version {} has no entry", empty.number)),
        None => Ok(versions),
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, read};
    use xtask::workspace::Workspace;

    #[test]
    fn days_are_those_of_the_calendar() {
        // What `date -u -d DAY +%s` and `date -R` say.
        for (day, seconds, mail) in [
            ("1970-01-01", 0, "Thu, 01 Jan 1970"),
            ("2000-02-29", 951_782_400, "Tue, 29 Feb 2000"),
            ("2026-11-28", 1_795_824_000, "Sat, 28 Nov 2026"),
            ("2100-03-01", 4_107_542_400, "Mon, 01 Mar 2100"),
        ] {
            let version = parse(&format!("## 1, {day}\n* a\n")).unwrap().remove(0);
            assert_eq!(version.seconds(), seconds, "{day}");
            assert!(version.mail_date().starts_with(mail), "{}", version.mail_date());
        }
    }

    #[test]
    fn versions_and_entries_are_read() {
        let versions = parse(
            "# Changes\n\nText.\n\n## 2.0, 2026-01-02\n\n* one\n  and more\n* two\n\n## 1.0, 2025-01-02\n* three\n",
        );
        let versions = versions.unwrap();
        assert_eq!(versions[0].entries, ["one and more", "two"]);
        assert_eq!(versions[1].number, "1.0");
        for bad in ["## 2.0\n* a\n", "## 2.0, 2026-13-02\n* a\n", "## 2.0, 2026-01-02\n"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_version_that_is_built_is_in_it() {
        read(&Workspace::find()).unwrap();
    }
}
