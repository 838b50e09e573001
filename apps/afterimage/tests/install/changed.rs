//! What somebody else did in between, records that are none, and faults in the middle.

use crate::stand_in::Stage;
use crate::{bad, dll, everything, good};
use serde_json::{Value, json};
use std::fs;

fn installed() -> Stage {
    let stage = Stage::new(64, true);
    stage.file("system32/d3d9.dll", "Wine's own").link("syswow64/d3d9.dll", "/elsewhere/dxvk.dll");
    stage.overridden(Some(("d3d9", "builtin")));
    good(&stage.run("install", &[]));
    stage
}

type Change = fn(&Stage);

/// What may have been changed, and what is said about it.
const CHANGES: [(Change, &str); 6] = [
    (
        |stage| {
            stage.file("system32/d3d9.dll", "another one's");
        },
        "system32/d3d9.dll is another file",
    ),
    (|stage| fs::remove_file(stage.windows().join("syswow64/d3d9.dll")).unwrap(), "syswow64/d3d9.dll is gone"),
    (
        |stage| {
            fs::remove_file(stage.windows().join("system32/d3d9.dll")).unwrap();
            stage.link("system32/d3d9.dll", "/opt/dxvk/d3d9.dll");
        },
        "system32/d3d9.dll is a link to /opt/dxvk/d3d9.dll",
    ),
    (
        |stage| {
            stage.overridden(Some(("d3d9", "native")));
        },
        "DllOverrides, d3d9 is native",
    ),
    (|stage| fs::remove_file(stage.prefix().join("registry/d3d9")).unwrap(), "d3d9 is no longer set"),
    (
        |stage| fs::remove_file(stage.windows().join("system32/d3d9.dll.before-afterimage")).unwrap(),
        "d3d9.dll.before-afterimage, which was there before it, is gone",
    ),
];

#[test]
fn what_others_changed_is_named_and_kept_unless_forced() {
    for (change, expected) in CHANGES {
        for command in ["install", "uninstall"] {
            let stage = installed();
            change(&stage);
            let changed = everything(&stage.prefix());
            let said = bad(&stage.run(command, &[]));
            assert!(said.contains(expected) && said.contains(&format!("{command} --force")), "{command}: {said}");
            assert_eq!(everything(&stage.prefix()), changed, "{command}: {expected}");

            good(&stage.run(command, &["--force"]));
            if command == "install" {
                assert_eq!(stage.holds("system32/d3d9.dll"), dll(64, "ours"), "{expected}");
                assert_eq!(stage.holds("syswow64/d3d9.dll"), dll(32, "ours"), "{expected}");
                assert_eq!(stage.override_now().as_deref(), Some("native,builtin"));
                continue;
            }
            assert_eq!(stage.override_now().as_deref(), Some("builtin"), "{expected}");
            let link = fs::read_link(stage.windows().join("syswow64/d3d9.dll")).unwrap();
            assert_eq!(link.to_str(), Some("/elsewhere/dxvk.dll"), "{expected}");
            if expected.contains("before-afterimage") {
                assert!(!stage.windows().join("system32/d3d9.dll").exists());
            } else {
                assert_eq!(stage.holds("system32/d3d9.dll"), b"Wine's own", "{expected}");
            }
            assert!(!stage.record().exists());
        }
    }
}

#[test]
fn several_changes_are_all_named() {
    let stage = installed();
    CHANGES[0].0(&stage);
    CHANGES[1].0(&stage);
    CHANGES[3].0(&stage);
    let said = bad(&stage.run("uninstall", &[]));
    assert!([0, 1, 3].into_iter().all(|at| said.contains(CHANGES[at].1)), "{said}");
    // Without Wine the files are looked at.
    let said = bad(&stage.run("uninstall", &["--dry-run"]));
    assert!([0, 1].into_iter().all(|at| said.contains(CHANGES[at].1)), "{said}");
}

#[test]
fn what_somebody_has_put_back_is_as_it_was() {
    let stage = installed();
    stage.file("system32/d3d9.dll", "Wine's own").overridden(Some(("d3d9", "builtin")));
    good(&stage.run("uninstall", &[]));
    assert_eq!(stage.holds("system32/d3d9.dll"), b"Wine's own");
    assert_eq!(stage.override_now().as_deref(), Some("builtin"));
}

#[test]
fn other_overrides_stay() {
    let stage = Stage::new(64, false);
    good(&stage.run("install", &[]));
    // The key is ours, and somebody else's value in it.
    stage.overridden(Some(("d3d11", "native")));
    good(&stage.run("uninstall", &[]));
    let left: Vec<_> = everything(&stage.prefix().join("registry")).into_keys().collect();
    assert_eq!(left, ["d3d11"].map(std::path::PathBuf::from));
}

#[test]
fn a_wine_that_fails_changes_nothing_or_can_be_undone() {
    let stage = Stage::new(64, true);
    stage.file("system32/d3d9.dll", "Wine's own");
    let untouched = everything(&stage.prefix());
    stage.fault("broken", true);
    let said = bad(&stage.run("install", &[]));
    assert!(said.contains("could not load kernel32.dll") && said.contains("reg query"), "{said}");
    assert_eq!(everything(&stage.prefix()), untouched);
    stage.fault("broken", false);

    stage.fault("full", true);
    let said = bad(&stage.run("install", &[]));
    assert!(said.contains("reg: no") && said.contains("afterimage uninstall"), "{said}");
    stage.fault("full", false);
    // Once by going back and once by going on.
    good(&stage.run("uninstall", &["--force"]));
    assert_eq!(everything(&stage.prefix()), untouched);
    stage.fault("full", true);
    bad(&stage.run("install", &[]));
    stage.fault("full", false);
    good(&stage.run("install", &["--force"]));
    good(&stage.run("uninstall", &[]));
    assert_eq!(everything(&stage.prefix()), untouched);
}

#[test]
fn an_installation_that_was_cut_off_at_any_file_is_undone() {
    // The record is there, and of the files some are not yet ours.
    let whole = installed();
    let record = fs::read(whole.record()).unwrap();
    for done in 0..3 {
        let stage = Stage::new(64, true);
        stage.file("system32/d3d9.dll", "Wine's own").link("syswow64/d3d9.dll", "/elsewhere/dxvk.dll");
        stage.overridden(Some(("d3d9", "builtin")));
        let untouched = everything(&stage.prefix());
        fs::write(stage.record(), &record).unwrap();
        let system = stage.windows().join("system32");
        if done > 0 {
            fs::rename(system.join("d3d9.dll"), system.join("d3d9.dll.before-afterimage")).unwrap();
        }
        if done > 1 {
            fs::write(system.join("d3d9.dll"), dll(64, "ours")).unwrap();
        }
        let output = stage.run("uninstall", if done == 1 { &["--force"] } else { &[] });
        good(&output);
        assert_eq!(everything(&stage.prefix()), untouched, "after {done} steps");
    }
}

#[test]
fn the_record_says_what_was_done() {
    let stage = installed();
    let record: Value = serde_json::from_slice(&fs::read(stage.record()).unwrap()).unwrap();
    assert_eq!(record["version"], 1);
    assert!(record["about"].as_str().unwrap().contains("afterimage uninstall"));
    assert_eq!(record["registry"], json!({ "key": true, "value": "builtin" }));
    let files = record["files"].as_array().unwrap();
    assert_eq!((&files[0]["folder"], &files[0]["before"]["kind"]), (&json!("system32"), &json!("file")));
    assert_eq!(files[1]["before"], json!({ "kind": "link", "to": "/elsewhere/dxvk.dll" }));
    assert_eq!(files[1]["ours"].as_array().unwrap().len(), 1);
}

#[test]
fn a_record_that_is_none_touches_nothing() {
    let whole: Value = serde_json::from_slice(&fs::read(installed().record()).unwrap()).unwrap();
    let with = |path: &str, value: Value| {
        let mut record = whole.clone();
        *record.pointer_mut(path).unwrap() = value;
        record.to_string()
    };
    let twice = json!([whole["files"][0].clone(), whole["files"][0].clone()]);
    let records = [
        (String::new(), "no record of an installation"),
        ("[]".into(), "field version is missing"),
        (with("/version", json!(2)), "field version is 2, and this Afterimage reads up to 1"),
        (with("/version", json!("1")), "field version is missing"),
        (with("/files/0/folder", json!("../../../..")), "files[0].folder"),
        (with("/files/1/folder", json!("system32/drivers")), "files[1].folder"),
        (with("/files/0/name", json!("../../../../d3d9.dll")), "files[0].name"),
        (with("/files/0/name", json!("kernel32.dll")), "files[0].name"),
        (with("/files", twice), "files[1].folder"),
        (with("/files/0/before", json!({ "kind": "pipe" })), "unknown variant"),
        (with("/registry", json!({ "key": true, "value": "x", "run": "rm" })), "unknown field"),
    ];
    for (record, expected) in records {
        for command in ["install", "uninstall"] {
            let stage = Stage::new(64, true);
            fs::write(stage.record(), &record).unwrap();
            let untouched = everything(&stage.prefix());
            let said = bad(&stage.run(command, &["--force"]));
            assert!(said.contains(expected) && said.contains("afterimage-install.json"), "{expected}: {said}");
            assert_eq!((everything(&stage.prefix()), stage.calls()), (untouched, String::new()));
        }
    }
}

#[test]
fn what_is_left_of_a_lost_record_is_not_lost_too() {
    let stage = installed();
    fs::remove_file(stage.record()).unwrap();
    let left = everything(&stage.prefix());
    let said = bad(&stage.run("install", &["--force"]));
    assert!(said.contains("before-afterimage is left of an installation"), "{said}");
    assert_eq!(everything(&stage.prefix()), left);
}
