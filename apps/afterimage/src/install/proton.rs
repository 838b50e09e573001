//! A compatibility tool for Steam: an installed Proton with our d3d9.dll instead of its own. Nothing of Proton is copied.
//!
//! Proton copies the d3d9.dll of its DXVK into a game's prefix at each start, over whatever is there, and sets the override. It takes it
//! from its own folder, which it finds by the path that it was started with. So the tool's script (`proton.sh`) starts it from a tree of
//! links to that folder in which only those files are ours: see docs/install.md#steam.

use super::told;
use crate::Failure;
use crate::program::Width;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The script that Steam starts.
const SCRIPT: &str = "afterimage-proton";
const TEXT: &str = include_str!("proton.sh");
/// Folders of Steam's, in the user's home.
const STEAM: [&str; 4] =
    [".steam/root", ".steam/steam", ".local/share/Steam", ".var/app/com.valvesoftware.Steam/.local/share/Steam"];

/// Makes the tool, or makes it anew.
pub(super) fn make(folder: &Path, wraps: Option<&Path>, dlls: Option<&Path>, dry_run: bool) -> Result<(), Failure> {
    let proton = choose(wraps)?;
    let name = proton.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if text(&proton).contains('\n') {
        return Err(Failure::new(format!("{:?}: a path with a line break cannot be wrapped", proton.display())));
    }
    let used = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if used && !folder.join(SCRIPT).is_file() {
        return Err(Failure::new(format!(
            "{} is no folder of a compatibility tool of ours and has something in it: name a new one",
            folder.display()
        )));
    }
    let mut files = vec![
        ("compatibilitytool.vdf".to_owned(), tool(&name).into_bytes()),
        ("toolmanifest.vdf".to_owned(), manifest(&read(&proton.join("toolmanifest.vdf"))).into_bytes()),
        (SCRIPT.to_owned(), TEXT.replace("@PROTON@", &quoted(&text(&proton))).into_bytes()),
    ];
    for width in [Width::W64, Width::W32] {
        let dll = crate::files::dll_in(dlls, width)?;
        let bytes = std::fs::read(&dll).map_err(|error| Failure::file("reading", &dll, error))?;
        files.push((format!("{}/d3d9.dll", width.folder()), bytes));
    }
    for (name, bytes) in files {
        let path = folder.join(&name);
        if dry_run {
            told(&format!("would write {}", path.display()));
            continue;
        }
        let above = afterimage_output::folder_of(&path);
        std::fs::create_dir_all(above).map_err(|error| Failure::file("creating", above, error))?;
        afterimage_output::write(&path, &bytes).map_err(|error| Failure::file("writing", &path, error))?;
        if name == SCRIPT {
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(&path, mode).map_err(|error| Failure::file("making executable", &path, error))?;
        }
        told(&format!("wrote {}", path.display()));
    }
    told(&format!(
        "{} \"Afterimage on {name}\" (of {}). It belongs into compatibilitytools.d of Steam's folder; start Steam again and choose it in a \
         game's properties. To take it away, remove {}.",
        if dry_run { "would make" } else { "made" },
        proton.display(),
        folder.display()
    ));
    Ok(())
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// The Proton that is meant.
fn choose(wraps: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(path) = wraps.filter(|path| path.join("proton").is_file()) {
        return path.canonicalize().map_err(|error| Failure::file("finding", path, error));
    }
    let all = installed();
    let called =
        |path: &&PathBuf, name: &Path| path.file_name().is_some_and(|of| of.eq_ignore_ascii_case(name.as_os_str()));
    let fitting: Vec<&PathBuf> = all.iter().filter(|path| wraps.is_none_or(|name| called(path, name))).collect();
    if let [only] = fitting[..] {
        return Ok(only.clone());
    }
    let list = if all.is_empty() {
        "none is in Steam's folders: install one in Steam's library, under tools".into()
    } else {
        let list: Vec<String> = all.iter().map(|path| format!("\n  {}", path.display())).collect();
        format!("there are:{}", list.concat())
    };
    Err(Failure::new(match wraps {
        Some(name) if fitting.is_empty() => {
            format!("{}: no Proton is called so, nor is it a folder with `proton` in it; {list}", name.display())
        }
        Some(name) => format!("{}: several are called so, name the folder; {list}", name.display()),
        None if all.is_empty() => format!("no Proton to wrap: {list}; or name its folder with --wraps"),
        None => format!("which Proton to wrap? Name one with --wraps; {list}"),
    }))
}

/// Every Proton in Steam's folders.
fn installed() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let mut libraries: Vec<PathBuf> = STEAM.iter().map(|folder| home.join(folder)).collect();
    for steam in libraries.clone() {
        libraries.extend(paths(&read(&steam.join("steamapps/libraryfolders.vdf"))));
    }
    let shelves = libraries.iter().flat_map(|of| [of.join("steamapps/common"), of.join("compatibilitytools.d")]);
    let entries = shelves.filter_map(|shelf| std::fs::read_dir(shelf).ok()).flatten().flatten();
    let tools = entries.map(|entry| entry.path()).filter(|path| path.join("proton").is_file());
    let mut found: Vec<PathBuf> = tools.filter_map(|path| path.canonicalize().ok()).collect();
    found.sort();
    found.dedup();
    found
}

/// The folders in Steam's list of libraries: its lines of a key `path`.
fn paths(list: &str) -> Vec<PathBuf> {
    let values = list.lines().filter_map(|line| value_of(line, "path"));
    values.map(|value| PathBuf::from(value.replace(r"\\", r"\"))).collect()
}

/// The value in a line of a VDF file, `"key" "value"`.
fn value_of<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.trim().strip_prefix('"')?.strip_prefix(key)?.strip_prefix('"')?;
    rest.trim().strip_prefix('"')?.strip_suffix('"')
}

/// What Steam's list of tools says.
fn tool(name: &str) -> String {
    let clean: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let shown: String = name.chars().filter(|c| !c.is_control() && !"\"\\".contains(*c)).collect();
    format!(
        "\"compatibilitytools\"\n{{\n  \"compat_tools\"\n  {{\n    \"afterimage-{clean}\"\n    {{\n      \"install_path\" \".\"\n      \
         \"display_name\" \"Afterimage on {shown}\"\n      \"from_oslist\" \"windows\"\n      \"to_oslist\" \"linux\"\n    }}\n  }}\n}}\n"
    )
}

/// How Steam starts it: in the same container, a tool of Steam's by its number, as the Proton wants for itself.
fn manifest(of_proton: &str) -> String {
    let number = of_proton.lines().find_map(|line| value_of(line, "require_tool_appid"));
    let container = number
        .filter(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
        .map_or_else(String::new, |number| format!("  \"require_tool_appid\" \"{number}\"\n"));
    format!(
        "\"manifest\"\n{{\n  \"version\" \"2\"\n  \"commandline\" \"/{SCRIPT} %verb%\"\n{container}  \"use_sessions\" \"1\"\n  \
         \"compatmanager_layer_name\" \"proton\"\n}}\n"
    )
}

/// As one word of a shell's.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steam_s_lists_are_read() {
        let list = "\"libraryfolders\"\n{\n\t\"0\"\n\t{\n\t\t\"path\"\t\t\"/home/me/.steam\"\n\t}\n\t\"1\"\n\t{\n\t\t\"path\" \"/mnt/a b\"\n\t\t\
                    \"label\" \"\"\n\t\t\"paths\" \"/no\"\n\t}\n}\n";
        assert_eq!(paths(list), [Path::new("/home/me/.steam"), Path::new("/mnt/a b")]);
    }

    #[test]
    fn the_container_is_the_proton_s() {
        let of_proton = "\"manifest\"\n{\n  \"require_tool_appid\" \"1628350\"\n}\n";
        assert!(manifest(of_proton).contains("\"require_tool_appid\" \"1628350\""));
        for none in ["", "\"require_tool_appid\" \"1\\\" \\\"x\""] {
            assert!(!manifest(none).contains("require_tool_appid"));
        }
    }

    #[test]
    fn names_stay_inside_their_quotes() {
        assert!(tool("a\"b\\c\nd").contains("\"Afterimage on abcd\""));
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
