//! The compatibility tool, with a stand-in for Proton that does what Proton does with the library: copies it from its own folder, which it
//! finds by its path, into the prefix; and writes down how it was called.

use crate::{afterimage, bad, dll, dlls, everything, good};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROTON: &str = r#"#!/bin/sh
own=${0%/*}
windows=$STEAM_COMPAT_DATA_PATH/pfx/drive_c/windows
mkdir -p "$windows/system32" "$windows/syswow64"
for library in d3d9 d3d11; do
    cp "$own/LONG/$library.dll" "$windows/system32/$library.dll" || exit 1
    cp "$own/SHORT/$library.dll" "$windows/syswow64/$library.dll" || exit 1
done
{ echo "$own"; echo "$WINEDLLOVERRIDES"; printf '<%s>\n' "$@"; } > "$STEAM_COMPAT_DATA_PATH/called"
exit 7
"#;
/// Where 64- and 32-bit libraries lie, in newer versions and in older ones.
const LAYOUTS: [(&str, &str); 2] = [
    ("files/lib/wine/dxvk/x86_64-windows", "files/lib/wine/dxvk/i386-windows"),
    ("dist/lib64/wine/dxvk", "dist/lib/wine/dxvk"),
];

fn executable(path: &Path, script: &str) {
    fs::write(path, script).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn proton(folder: &Path, (long, short): (&str, &str)) {
    for (bits, inside) in [(64, long), (32, short)] {
        fs::create_dir_all(folder.join(inside)).unwrap();
        for name in ["d3d9.dll", "d3d11.dll"] {
            fs::write(folder.join(inside).join(name), dll(bits, &format!("DXVK's {name}"))).unwrap();
        }
    }
    fs::create_dir_all(folder.join("files/bin")).unwrap();
    fs::write(folder.join("files/bin/wine"), "Wine").unwrap();
    fs::write(folder.join(".hidden"), "").unwrap();
    fs::write(folder.join("version"), "1700000000 9.0-1\n").unwrap();
    fs::write(folder.join("toolmanifest.vdf"), "\"manifest\"\n{\n  \"require_tool_appid\" \"1628350\"\n}\n").unwrap();
    executable(&folder.join("proton"), &PROTON.replace("LONG", long).replace("SHORT", short));
}

/// Steam's folders in a home, with a Proton; and where a tool goes.
struct Home(tempfile::TempDir);

impl Home {
    fn new(layout: (&str, &str)) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        proton(&home.proton("It's Proton 9.0"), layout);
        dlls(&home.at("dlls"), "ours");
        home
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn proton(&self, name: &str) -> PathBuf {
        self.at(".local/share/Steam/steamapps/common").join(name)
    }

    fn tool(&self) -> PathBuf {
        self.at(".local/share/Steam/compatibilitytools.d/afterimage")
    }

    fn make(&self, more: &[&str]) -> Output {
        let mut command = afterimage(&["install", "--proton"]);
        command.arg(self.tool()).args(more).env("HOME", self.0.path()).env("AFTERIMAGE_DLL_DIR", self.at("dlls"));
        command.output().unwrap()
    }

    /// Starts a game as Steam does.
    fn play(&self, overrides: &str) -> Output {
        fs::create_dir_all(self.at("data")).unwrap();
        let mut command = Command::new(self.tool().join("afterimage-proton"));
        command.args(["waitforexitandrun", r"C:\a game\it's.exe", "-x", ""]).env("HOME", self.0.path());
        command.env("STEAM_COMPAT_DATA_PATH", self.at("data")).env("WINEDLLOVERRIDES", overrides).output().unwrap()
    }

    fn in_prefix(&self, name: &str) -> Vec<u8> {
        fs::read(self.at("data/pfx/drive_c/windows").join(name)).unwrap()
    }
}

#[test]
fn the_proton_puts_our_library_into_the_prefix() {
    for layout in LAYOUTS {
        let home = Home::new(layout);
        let wrapped = everything(&home.proton("It's Proton 9.0"));
        good(&home.make(&[]));
        let output = home.play("dinput8=n");
        assert_eq!(output.status.code(), Some(7), "{}", crate::text(&output));
        for (name, content) in [
            ("system32/d3d9.dll", dll(64, "ours")),
            ("syswow64/d3d9.dll", dll(32, "ours")),
            ("system32/d3d11.dll", dll(64, "DXVK's d3d11.dll")),
            ("syswow64/d3d11.dll", dll(32, "DXVK's d3d11.dll")),
        ] {
            assert_eq!(home.in_prefix(name), content, "{name}");
        }
        let called = fs::read_to_string(home.at("data/called")).unwrap();
        let expected = format!(
            "{}\ndinput8=n;d3d9=n,b\n<waitforexitandrun>\n<C:\\a game\\it's.exe>\n<-x>\n<>\n",
            home.tool().join("proton").display()
        );
        assert_eq!(called, expected);
        // Neither changed nor copied: in the tool's tree is nothing but folders and links.
        assert_eq!(everything(&home.proton("It's Proton 9.0")), wrapped);
        let tree = everything(&home.tool().join("proton"));
        let other = |what: &&String| !what.starts_with("-> ") && *what != "folder";
        assert_eq!(tree.values().filter(other).count(), 1, "{tree:?}");
        assert!(tree.contains_key(Path::new(".hidden")));
        assert_eq!(fs::read_to_string(home.tool().join("proton/files/bin/wine")).unwrap(), "Wine");
    }
}

#[test]
fn another_version_of_it_is_linked_anew() {
    let home = Home::new(LAYOUTS[1]);
    good(&home.make(&[]));
    home.play("");
    let wrapped = home.proton("It's Proton 9.0");
    fs::remove_dir_all(&wrapped).unwrap();
    let said = crate::text(&home.play(""));
    assert!(said.contains("there is no Proton in") && said.contains("--wraps NAME"), "{said}");
    proton(&wrapped, LAYOUTS[0]);
    fs::write(wrapped.join("version"), "1800000000 10.0-1\n").unwrap();
    assert_eq!(home.play("").status.code(), Some(7));
    assert_eq!(home.in_prefix("syswow64/d3d9.dll"), dll(32, "ours"));
    assert!(!home.tool().join("proton/dist").exists());

    // Our libraries of another day.
    dlls(&home.at("dlls"), "newer");
    good(&home.make(&[]));
    home.play("");
    assert_eq!(home.in_prefix("system32/d3d9.dll"), dll(64, "newer"));

    // One without DXVK, which we could not help.
    fs::remove_dir_all(wrapped.join("files/lib")).unwrap();
    fs::write(wrapped.join("version"), "1900000000 11.0-1\n").unwrap();
    let said = crate::text(&home.play(""));
    assert!(said.contains("no d3d9.dll of DXVK"), "{said}");
}

#[test]
fn a_folder_that_cannot_be_written_has_its_tree_among_the_caches() {
    let home = Home::new(LAYOUTS[0]);
    good(&home.make(&[]));
    fs::set_permissions(home.tool(), fs::Permissions::from_mode(0o555)).unwrap();
    let for_root = fs::write(home.tool().join("probe"), "").is_ok();
    assert_eq!(home.play("").status.code(), Some(7));
    assert_eq!(home.in_prefix("system32/d3d9.dll"), dll(64, "ours"));
    // Nothing keeps root out.
    assert_eq!(home.at(".cache/afterimage/proton/afterimage/proton").exists(), !for_root);
    fs::set_permissions(home.tool(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn steam_is_told_what_the_proton_needs() {
    let home = Home::new(LAYOUTS[0]);
    let said = good(&home.make(&["--dry-run"]));
    assert!(said.contains("would write") && !home.tool().exists(), "{said}");
    good(&home.make(&[]));
    let file = |name: &str| fs::read_to_string(home.tool().join(name)).unwrap();
    let manifest = file("toolmanifest.vdf");
    assert!(manifest.contains("\"/afterimage-proton %verb%\"") && manifest.contains("\"1628350\""), "{manifest}");
    let tool = file("compatibilitytool.vdf");
    assert!(
        tool.contains("\"Afterimage on It's Proton 9.0\"") && tool.contains("\"afterimage-it-s-proton-9-0\""),
        "{tool}"
    );
}

#[test]
fn which_proton_is_asked_where_there_is_a_choice() {
    let home = Home::new(LAYOUTS[0]);
    let library = home.at("another disk");
    proton(&library.join("steamapps/common/Proton 8.0"), LAYOUTS[1]);
    let list = format!("\"libraryfolders\"\n{{\n\t\"1\"\n\t{{\n\t\t\"path\"\t\t\"{}\"\n\t}}\n}}\n", library.display());
    fs::write(home.at(".local/share/Steam/steamapps/libraryfolders.vdf"), list).unwrap();
    let said = bad(&home.make(&[]));
    assert!(said.contains("It's Proton 9.0") && said.contains("Proton 8.0") && said.contains("--wraps"), "{said}");
    let said = bad(&home.make(&["--wraps", "Proton 7.0"]));
    assert!(said.contains("no Proton is called so") && said.contains("Proton 8.0"), "{said}");
    assert!(good(&home.make(&["--wraps", "proton 8.0"])).contains("Afterimage on Proton 8.0"));
    let folder = home.proton("It's Proton 9.0");
    assert!(good(&home.make(&["--wraps", folder.to_str().unwrap()])).contains("It's Proton 9.0"));

    let none = Home(tempfile::tempdir().unwrap());
    assert!(bad(&none.make(&[])).contains("no Proton to wrap"));
}

#[test]
fn a_folder_of_others_is_left_alone() {
    let home = Home::new(LAYOUTS[0]);
    fs::create_dir_all(home.tool()).unwrap();
    fs::write(home.tool().join("save game"), "").unwrap();
    let said = bad(&home.make(&[]));
    assert!(said.contains("has something in it"), "{said}");
    assert_eq!(everything(&home.tool()).len(), 1);
}
