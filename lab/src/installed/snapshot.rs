//! A Wine prefix as it is at a moment, to be compared with another: every file by the hash of its bytes, every link by what it leads to, and
//! the registry by its keys and values, in whatever order Wine wrote them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use xtask::step::{Context, Failure, Result};
use xxhash_rust::xxh3::xxh3_128;

/// Values that Wine sets anew at each start: the time of the drivers' installation.
const TIMES: &[&str] = &["\"DriverDateData\"="];
/// How many differences are told.
const TOLD: usize = 12;

/// What is in a prefix: paths, and keys with the names of their values, with what is there.
pub(super) struct Snapshot(BTreeMap<String, String>);

impl Snapshot {
    /// Of a prefix that no program holds.
    ///
    /// # Errors
    /// When something cannot be read.
    pub(super) fn take(prefix: &Path) -> Result<Self> {
        let mut found = BTreeMap::new();
        walk(prefix, prefix, &mut found)?;
        Ok(Self(found))
    }

    /// Whether another is equal; what differs, if not.
    ///
    /// # Errors
    /// When it is not.
    pub(super) fn same(&self, later: &Self) -> Result {
        let names = self.0.keys().chain(later.0.keys().filter(|name| !self.0.contains_key(*name)));
        let differs = names.filter(|name| self.0.get(*name) != later.0.get(*name));
        let said = |one: Option<&String>| one.map_or("nothing", |text| text).to_owned();
        let lines: Vec<String> = differs
            .map(|name| format!("{name}: {}, then {}", said(self.0.get(name)), said(later.0.get(name))))
            .collect();
        if lines.is_empty() {
            return Ok(());
        }
        let more = lines.len().saturating_sub(TOLD);
        let list = lines[..lines.len().min(TOLD)].join("\n    ");
        Err(Failure::new("the prefix after uninstalling", format!("it is not what it was ({more} more):\n    {list}")))
    }
}

fn walk(folder: &Path, root: &Path, found: &mut BTreeMap<String, String>) -> Result {
    let what = |path: &PathBuf| format!("reading {}", path.display());
    for entry in std::fs::read_dir(folder).doing(what(&folder.to_owned()))? {
        let path = entry.doing(what(&folder.to_owned()))?.path();
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        let about = path.symlink_metadata().doing(what(&path))?;
        if about.is_symlink() {
            let to = std::fs::read_link(&path).doing(what(&path))?;
            found.insert(name, format!("a link to {}", to.display()));
        } else if about.is_dir() {
            walk(&path, root, found)?;
            found.insert(name, "a folder".to_owned());
        } else {
            let bytes = std::fs::read(&path).doing(what(&path))?;
            if folder == root && path.extension().is_some_and(|extension| extension == "reg") {
                found.extend(registry(&name, &String::from_utf8_lossy(&bytes)));
            } else {
                found.insert(name, format!("a file of {} bytes, {:032x}", bytes.len(), xxh3_128(&bytes)));
            }
        }
    }
    Ok(())
}

/// Keys and values of a registry file, without the times at which keys were written.
fn registry(name: &str, text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut key = String::new();
    // A value goes on in the next line behind a backslash.
    let text = text.replace("\\\r\n", "").replace("\\\n", "");
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix('[') {
            let path = rest.rsplit_once(']').map_or(rest, |(path, _time)| path);
            key = format!("{name} [{path}]");
            found.push((key.clone(), "a key".to_owned()));
        } else if !line.is_empty() && !line.starts_with("#time=") && !TIMES.iter().any(|time| line.starts_with(time)) {
            let (value, data) = line.split_once('=').unwrap_or((line, ""));
            found.push((format!("{key} {value}"), data.to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Snapshot {
        Snapshot(registry("user.reg", text).into_iter().collect())
    }

    #[test]
    fn a_registry_is_its_keys_and_values() {
        let one = of(
            "WINE REGISTRY Version 2\n\n[A\\\\B] 1795795757\n#time=1dd7e\n\"x\"=\"1\"\n\"y\"=hex:01,\\\n  02\n\n[C] 1\n",
        );
        let other = of("WINE REGISTRY Version 2\n\n[C] 7\n\n[A\\\\B] 9\n#time=9\n\"y\"=hex:01,  02\n\"x\"=\"1\"\n");
        one.same(&other).expect("only order and times differ");
        for (changed, named) in [
            ("WINE REGISTRY Version 2\n[A\\\\B] 1\n\"x\"=\"2\"\n\"y\"=hex:01,  02\n[C] 1\n", "\"x\""),
            ("WINE REGISTRY Version 2\n[A\\\\B] 1\n\"x\"=\"1\"\n\"y\"=hex:01,  02\n", "[C]"),
            ("WINE REGISTRY Version 2\n[A\\\\B] 1\n\"x\"=\"1\"\n\"y\"=hex:01,  02\n[C] 1\n[D] 1\n", "[D]"),
        ] {
            let why = one.same(&of(changed)).expect_err(named).summary();
            assert!(why.contains(named), "{why}");
        }
    }

    #[test]
    fn a_prefix_is_its_files_too() {
        let temp = tempfile::tempdir().expect("a folder");
        let dll = temp.path().join("drive_c/d3d9.dll");
        std::fs::create_dir(temp.path().join("drive_c")).expect("a folder");
        std::fs::write(&dll, "one").expect("a file");
        let before = Snapshot::take(temp.path()).expect("a snapshot");
        before.same(&Snapshot::take(temp.path()).expect("a snapshot")).expect("nothing has changed");
        std::fs::write(&dll, "two").expect("a file");
        assert!(before.same(&Snapshot::take(temp.path()).expect("a snapshot")).is_err());
        std::fs::remove_file(&dll).expect("a file");
        std::os::unix::fs::symlink("one", &dll).expect("a link");
        let why = before.same(&Snapshot::take(temp.path()).expect("a snapshot")).expect_err("a link").summary();
        assert!(why.contains("drive_c/d3d9.dll: a file of 3 bytes") && why.contains("a link to one"), "{why}");
    }
}
