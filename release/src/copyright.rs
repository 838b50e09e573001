//! The Debian package's `copyright`, as <https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/> has it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use spdx::LicenseReq;
use xtask::step::Result;

use crate::crates::{self, Crate};
use crate::licences::RUNTIMES;

/// Licences whose texts every Debian has: how SPDX begins its name, and the file.
const COMMON: [(&str, &str); 2] = [("Apache-2.0", "Apache-2.0"), ("GPL-3.0", "GPL-3")];

/// The file's text.
///
/// # Errors
/// When a licence has no text.
pub(crate) fn text(all: &[Crate]) -> Result<String> {
    let mut out = String::from(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
         Upstream-Name: Afterimage\n\
         Comment: Programs and libraries have other projects in them, which are named below by paths that\n \
         are not in this package. Of several licences that their authors allow, the one that is used is\n \
         named. Their own texts: /usr/share/doc/afterimage/licences.txt\n\n\
         Files: *\nCopyright: 2026 The Afterimage authors\nLicense: MIT or Apache-2.0\n",
    );
    let mut licences = BTreeMap::new();
    for text in ["MIT", "Apache-2.0"] {
        names(&crates::chosen(&crates::terms(text)?), &mut licences);
    }
    for one in all {
        let names = names(&crates::chosen(&one.terms), &mut licences);
        let holders = one.holders().join("\n ");
        let _ = write!(out, "\nFiles: crates/{}-{}/*\nCopyright: {holders}\nLicense: {names}\n", one.name, one.version);
    }
    for one in RUNTIMES {
        let names = names(&crates::chosen(&crates::terms(one.terms)?), &mut licences);
        let _ = write!(out, "\nFiles: {}/*\nCopyright: {}\nLicense: {names}\n", one.folder, one.authors);
    }
    for (name, licence) in licences {
        let _ = write!(out, "\nLicense: {name}\n{}", indented(&terms(&licence)?));
    }
    Ok(out)
}

/// The name that Debian has for a licence.
fn name(licence: &LicenseReq) -> String {
    let (plain, addition) = (licence.license.to_string(), &licence.addition);
    let plain = match plain.strip_suffix("-or-later") {
        Some(version) => format!("{}+", version.trim_end_matches(".0")),
        None => plain.replace("-Clause", "-clause"),
    };
    addition.as_ref().map_or(plain.clone(), |addition| format!("{plain} with {addition} exception"))
}

/// The names of all of them, which are to get a text.
fn names(chosen: &[LicenseReq], licences: &mut BTreeMap<String, LicenseReq>) -> String {
    licences.extend(chosen.iter().map(|licence| (name(licence), licence.clone())));
    chosen.iter().map(name).collect::<Vec<_>>().join(" and ")
}

/// A licence's text, or where it is.
fn terms(licence: &LicenseReq) -> Result<String> {
    let plain = licence.license.to_string();
    let Some((_, file)) = COMMON.iter().find(|(begin, _)| plain.starts_with(begin)) else {
        return crates::text(licence);
    };
    let exception = licence.addition.as_ref().and_then(|addition| addition.id()).map_or("", |id| id.text());
    Ok(format!("On Debian systems its text is in /usr/share/common-licenses/{file}.\n\n{exception}")
        .trim_end()
        .to_owned())
}

/// A text as the field's further lines.
fn indented(text: &str) -> String {
    text.lines()
        .map(|line| if line.trim().is_empty() { " .\n".to_owned() } else { format!(" {}\n", line.trim_end()) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::text;
    use crate::crates;
    use std::collections::BTreeSet;
    use xtask::workspace::Workspace;

    /// Paragraphs with a text behind their name are the licences; each that is named has one, and each one is named.
    #[test]
    fn every_licence_that_is_named_has_a_paragraph() {
        let text = text(&crates::shipped(&Workspace::find()).unwrap()).unwrap();
        let (mut named, mut written) = (BTreeSet::new(), BTreeSet::new());
        for paragraph in text.split("\n\n") {
            assert!(paragraph.lines().all(|line| line.starts_with(' ') || line.contains(": ")), "{paragraph}");
            let line = paragraph.lines().find_map(|line| line.strip_prefix("License: ")).unwrap_or_default();
            if paragraph.starts_with("License: ") {
                written.insert(line.to_owned());
            } else {
                let names = line.split(" and ").flat_map(|names| names.split(" or "));
                named.extend(names.filter(|name| !name.is_empty()).map(str::to_owned));
            }
        }
        assert!(named.len() > 5, "{named:?}");
        assert_eq!(named, written);
    }
}
