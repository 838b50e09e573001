//! What comes into a prefix, and that all of it goes.

use crate::stand_in::Stage;
use crate::{bad, dll, dlls, everything, good};
use std::fs;

/// What there may be before, in a folder of libraries.
const BEFORE: [&str; 4] = ["nothing", "a file", "a link", "another case"];
const OVERRIDES: [Option<Option<(&str, &str)>>; 4] =
    [None, Some(None), Some(Some(("d3d9", "builtin"))), Some(Some(("*d3d9", "native")))];

fn set_out(stage: &Stage, folder: &str, before: &str) {
    match before {
        "a file" => stage.file(&format!("{folder}/d3d9.dll"), "Wine's own"),
        "a link" => stage.link(&format!("{folder}/d3d9.dll"), "../../../elsewhere/dxvk.dll"),
        "another case" => stage.file(&format!("{folder}/D3D9.dll"), "Wine's own"),
        _ => stage,
    };
}

#[test]
fn everything_comes_back() {
    for (bits, both) in [(64, true), (64, false), (32, false)] {
        for before in BEFORE {
            for (at, registry) in OVERRIDES.into_iter().enumerate() {
                let case = format!("{bits} bit, both {both}, {before}, override {registry:?}");
                let stage = Stage::new(bits, both);
                set_out(&stage, "system32", before);
                if both {
                    // Something else than in the other folder.
                    set_out(&stage, "syswow64", BEFORE[at]);
                }
                if let Some(value) = registry {
                    stage.overridden(value);
                }
                let untouched = everything(&stage.prefix());
                let name = |folder: &str, of: &str| {
                    format!("{folder}/{}", if of == "another case" { "D3D9.dll" } else { "d3d9.dll" })
                };

                let said = good(&stage.run("install", &[]));
                assert_eq!(stage.holds(&name("system32", before)), dll(bits, "ours"), "{case}");
                assert!(said.contains("system32/") && said.contains("native,builtin"), "{case}: {said}");
                assert_eq!(said.contains("no syswow64"), bits == 64 && !both, "{case}: {said}");
                if both {
                    assert_eq!(stage.holds(&name("syswow64", BEFORE[at])), dll(32, "ours"), "{case}");
                } else {
                    assert!(!stage.windows().join("syswow64/d3d9.dll").exists(), "{case}");
                }
                assert_eq!(stage.override_now().as_deref(), Some("native,builtin"), "{case}");
                assert!(stage.record().is_file());

                // Once more with the same, and with newer ones; what was there first is kept.
                good(&stage.run("install", &[]));
                let newer = dlls(&stage.path("newer"), "newer");
                let said = good(&stage.run("install", &["--dlls", newer.to_str().unwrap()]));
                assert!(said.contains("renewed"), "{case}: {said}");
                assert_eq!(stage.holds(&name("system32", before)), dll(bits, "newer"), "{case}");

                let said = good(&stage.run("uninstall", &[]));
                assert!(said.contains("nothing of Afterimage is left"), "{case}: {said}");
                assert_eq!(everything(&stage.prefix()), untouched, "{case}");
            }
        }
    }
}

#[test]
fn caches_that_programs_made_go_and_those_that_were_there_stay() {
    let stage = Stage::new(64, true);
    let users = stage.prefix().join("drive_c/users");
    let cache = |user: &str| {
        let folder = users.join(user).join("AppData/Local/afterimage/shaders");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("1.bin"), "code").unwrap();
    };
    cache("had one");
    fs::create_dir_all(users.join("had none/AppData/Local/Temp")).unwrap();
    // What a link leads to is nobody's cache, though it is called so.
    fs::create_dir_all(stage.path("elsewhere/Local/afterimage")).unwrap();
    fs::create_dir_all(users.join("linked")).unwrap();
    std::os::unix::fs::symlink(stage.path("elsewhere"), users.join("linked/AppData")).unwrap();
    let untouched = everything(&stage.prefix());
    good(&stage.run("install", &[]));
    cache("had none");
    let said = good(&stage.run("uninstall", &["--dry-run"]));
    assert!(said.contains("had none/AppData/Local/afterimage") && !said.contains("had one"), "{said}");
    good(&stage.run("uninstall", &[]));
    assert_eq!(everything(&stage.prefix()), untouched);
    assert!(stage.path("elsewhere/Local/afterimage").is_dir());
}

#[test]
fn what_there_was_already_may_be_ours() {
    // Somebody has copied it there by hand, and set the override.
    let stage = Stage::new(64, false);
    fs::write(stage.windows().join("system32/d3d9.dll"), dll(64, "ours")).unwrap();
    stage.overridden(Some(("d3d9", "native,builtin")));
    let untouched = everything(&stage.prefix());
    good(&stage.run("install", &[]));
    good(&stage.run("install", &[]));
    good(&stage.run("uninstall", &[]));
    assert_eq!(everything(&stage.prefix()), untouched);
}

#[test]
fn a_prefix_that_gets_its_32_bit_half_later_gets_ours_too() {
    let stage = Stage::new(64, false);
    good(&stage.run("install", &[]));
    stage.file("syswow64/kernel32.dll", "Wine's").file("syswow64/d3d9.dll", "Wine's own");
    good(&stage.run("install", &[]));
    assert_eq!(stage.holds("syswow64/d3d9.dll"), dll(32, "ours"));
    good(&stage.run("uninstall", &[]));
    assert_eq!(stage.holds("syswow64/d3d9.dll"), b"Wine's own");
    assert!(!stage.windows().join("system32/d3d9.dll").exists());
}

#[test]
fn a_dry_run_changes_nothing_and_starts_nothing() {
    let stage = Stage::new(64, true);
    stage.file("system32/d3d9.dll", "Wine's own");
    let untouched = everything(&stage.prefix());
    let said = good(&stage.run("install", &["--dry-run"]));
    for part in ["system32/d3d9.dll", "syswow64/d3d9.dll", "DllOverrides", "afterimage-install.json"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!((everything(&stage.prefix()), stage.calls()), (untouched, String::new()));

    good(&stage.run("install", &[]));
    let (installed, calls) = (everything(&stage.prefix()), stage.calls());
    let said = good(&stage.run("uninstall", &["--dry-run"]));
    for part in ["would put", "before-afterimage", "would remove", "syswow64/d3d9.dll", "it was not set"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!((everything(&stage.prefix()), stage.calls()), (installed, calls));
}

#[test]
fn a_folder_that_is_no_prefix_is_refused() {
    let stage = Stage::new(64, true);
    let refused = |command: &str| bad(&stage.run(command, &[]));
    fs::rename(stage.prefix(), stage.path("away")).unwrap();
    assert!(refused("install").contains("is no Wine prefix"));
    fs::create_dir(stage.prefix()).unwrap();
    for command in ["install", "uninstall"] {
        let said = refused(command);
        assert!(said.contains("no system.reg") && said.contains("wineboot --init"), "{said}");
    }
    fs::write(stage.prefix().join("system.reg"), "WINE REGISTRY Version 2\n").unwrap();
    assert!(refused("install").contains("no drive_c/windows/system32"));
    fs::remove_dir_all(stage.prefix()).unwrap();
    fs::write(stage.prefix(), "").unwrap();
    assert!(refused("install").contains("it is no folder"));
    fs::remove_file(stage.prefix()).unwrap();
    fs::rename(stage.path("away"), stage.prefix()).unwrap();

    // A prefix, with nothing in it.
    assert!(refused("uninstall").contains("nothing is installed"));
    // Proton's, by what lies beside it, and the folder around it.
    for name in ["tracked_files", "version"] {
        fs::write(stage.beside().join(name), "").unwrap();
    }
    assert!(refused("install").contains("--proton"));
    fs::rename(stage.prefix(), stage.path("pfx")).unwrap();
    let around = crate::afterimage(&["install"]).arg(stage.beside()).output().unwrap();
    assert!(bad(&around).contains("Steam's Proton"));
    assert_eq!(stage.calls(), "");
}

#[test]
fn libraries_of_the_wrong_width_are_not_installed() {
    let stage = Stage::new(64, true);
    fs::write(stage.path("dlls/i686/d3d9.dll"), dll(64, "ours")).unwrap();
    let untouched = everything(&stage.prefix());
    let said = bad(&stage.run("install", &["--dlls", stage.path("dlls").to_str().unwrap()]));
    assert!(said.contains("no d3d9.dll for 32-bit") && said.contains("dlls"), "{said}");
    assert_eq!(everything(&stage.prefix()), untouched);
}

#[test]
fn a_server_that_was_not_there_has_written_everything_when_we_end() {
    let stage = Stage::new(64, false);
    good(&stage.run("install", &[]));
    // The stand-in's server says that it does not run.
    assert!(stage.calls().starts_with("server -k0\n") && stage.calls().ends_with("server -w\n"), "{}", stage.calls());
    // A program holds this one, which is not waited for.
    fs::write(stage.path("wine/wineserver"), "#!/bin/sh\n[ \"$1\" = -k0 ] || echo waited >> \"${0%/*}/calls\"\n")
        .unwrap();
    good(&stage.run("uninstall", &[]));
    assert!(!stage.calls().contains("waited"), "{}", stage.calls());
}
