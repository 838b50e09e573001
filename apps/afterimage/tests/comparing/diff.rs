//! `afterimage diff` as a user meets it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn diff(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    command.current_dir(folder).arg("diff").args(arguments).env("NO_COLOR", "1").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A picture of 20 x 20 grey pixels; those of the first row from `from` on are brighter by `by`.
fn picture(path: &Path, from: usize, by: u8) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut encoder = png::Encoder::new(fs::File::create(path).unwrap(), 20, 20);
    encoder.set_color(png::ColorType::Rgb);
    let grey = |i: usize| if (from..20).contains(&(i / 3)) { 100 + by } else { 100 };
    let bytes: Vec<u8> = (0..20 * 20 * 3).map(grey).collect();
    encoder.write_header().unwrap().write_image_data(&bytes).unwrap();
}

/// Goldens and pictures: one exact, one within the tolerance, one with a pixel of 400 beyond it, one missing.
fn folders() -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    for (place, from, by) in [("A/exact", 20, 0), ("A/near by", 0, 3), ("B/pixel", 19, 4)] {
        picture(&temp.path().join(format!("golden/{place}.png")), 20, 0);
        picture(&temp.path().join(format!("picture/{place}.png")), from, by);
    }
    picture(&temp.path().join("golden/B/gone.png"), 20, 0);
    temp
}

#[test]
fn what_matches_is_told_and_the_status_says_whether_all_do() {
    let temp = folders();
    let output = diff(&["golden", "picture"], temp.path());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains("\n2 of 4 match at 99.9 %, 3 at 99 %, 1 exact\n"), "{said}");
    assert!(said.contains("match    A/near by") && said.contains("missing  B/gone"), "{said}");
    assert!(!said.contains('\x1b'), "NO_COLOR is set");

    fs::remove_file(temp.path().join("golden/B/gone.png")).unwrap();
    assert_eq!(diff(&["golden", "picture", "--bar", "99.7"], temp.path()).status.code(), Some(0));
    assert_eq!(diff(&["golden", "picture", "--bar", "99.8"], temp.path()).status.code(), Some(1));
    assert_eq!(diff(&["golden", "picture", "--tolerance", "4"], temp.path()).status.code(), Some(0));
    let misses = diff(&["golden", "picture", "--misses"], temp.path());
    assert!(!text(&misses.stdout).contains("A/exact") && text(&misses.stdout).contains("B/pixel"));
}

#[test]
fn two_files_are_compared_too() {
    let temp = folders();
    let output = diff(&["golden/A/exact.png", "picture/A/exact.png"], temp.path());
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("\n1 of 1 match at 99.9 %, 1 at 99 %, 1 exact\n"));
    assert_eq!(diff(&["golden/A/exact.png", "picture/B"], temp.path()).status.code(), Some(1));
}

#[test]
fn what_cannot_be_compared_is_named() {
    let temp = folders();
    let output = diff(&["nowhere", "picture"], temp.path());
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), String::new()));
    assert!(text(&output.stderr).contains("nowhere does not exist"));
    // A broken golden picture is nobody's miss; a broken picture is one.
    fs::write(temp.path().join("picture/B/pixel.png"), "no picture").unwrap();
    let output = diff(&["golden", "picture"], temp.path());
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("unfit    B/pixel"), "{}", text(&output.stdout));
    fs::write(temp.path().join("golden/B/pixel.png"), "no picture").unwrap();
    let output = diff(&["golden", "picture"], temp.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("golden/B/pixel.png"));
}

#[test]
fn the_report_has_a_page_and_all_its_pictures() {
    let temp = folders();
    let output = diff(&["golden", "picture", "-o", "out/report"], temp.path());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stdout).ends_with("report: out/report/index.html\n"));
    let report = temp.path().join("out/report");
    let page = fs::read_to_string(report.join("index.html")).unwrap();
    let mut shown = 0;
    for link in page.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(report.join(link.replace("%20", " ")).is_file(), "{link}");
        shown += 1;
    }
    assert_eq!(shown, 3 * 3 + 1);
    assert!(page.find("B/gone") < page.find("B/pixel") && page.find("B/pixel") < page.find("A/exact"));
}

#[test]
fn machines_get_json() {
    let temp = folders();
    let output = diff(&["golden", "picture", "--json", "-o", "report"], temp.path());
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["goldens"], 4);
    assert_eq!(value["match"], serde_json::json!({ "bar": 2, "99": 3, "exact": 1 }));
    assert_eq!(value["pictures"][2]["name"], "B/gone");
    assert_eq!(value["pictures"][3]["all"]["largest"], 4);
}
