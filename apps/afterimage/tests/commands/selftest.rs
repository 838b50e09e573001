//! `afterimage selftest` as an owner of an unknown machine meets it: with material that is made here of a small capture.

use crate::scene::{self, Variant};
use crate::shaders;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn afterimage(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    command.current_dir(folder).args(words).env("NO_COLOR", "1").env("AFTERIMAGE_GPU_TIMEOUT_S", "60");
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Material of these variants of the scene, made by `--make`.
fn material(variants: &[(&str, Variant)]) -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    let mut words = vec!["selftest".to_owned(), "--make".into(), "material".into()];
    for (name, variant) in variants {
        scene::capture(&temp.path().join(format!("{name}.aftercap")), *variant);
        words.push(format!("{name}.aftercap"));
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = afterimage(temp.path(), &words).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    temp
}

/// Tests, and gives what the page has as JSON, too.
fn tested(folder: &Path) -> (Output, String, Value) {
    let line = &["selftest", "--material", "material", "-o", "page.html"];
    finished(folder, afterimage(folder, line).output().unwrap())
}

fn finished(folder: &Path, output: Output) -> (Output, String, Value) {
    let said = text(&output.stderr);
    let page = std::fs::read_to_string(folder.join("page.html")).unwrap_or_else(|error| panic!("{error}: {said}"));
    let (_, json) = page.split_once("id=\"data\">").unwrap();
    let value = serde_json::from_str(json.split_once("</script>").unwrap().0).unwrap();
    (output, page, value)
}

/// Paths of what is in the folder of the material.
fn at(folder: &Path, name: &str) -> PathBuf {
    folder.join("material").join(name)
}

#[test]
fn what_is_drawn_as_stored_is_right() {
    let temp = material(&[("scene", Variant::Plain), ("other", Variant::Color)]);
    let (output, page, data) = tested(temp.path());
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    for part in ["scene", "other", "us a draw on the CPU", "page.html", "please send it back"] {
        assert!(out.contains(part), "no {part} in {out}");
    }
    assert_eq!((&data["verdict"], data["captures"].as_array().unwrap().len()), (&"right".into(), 2), "{page}");
    let capture = &data["captures"][0];
    assert_eq!(capture["pictures"].as_array().unwrap().len(), 2);
    for picture in capture["pictures"].as_array().unwrap() {
        let counts = &picture["counts"];
        assert_eq!((&counts["pixels"], &counts["exact"], &counts["largest"]), (&1024.into(), &1024.into(), &0.into()));
    }
    // Its shaders are a vertex and two pixel shaders.
    let counted = &capture["counted"];
    assert_eq!((&counted["frames"], &counted["draws"], &counted["shader_failures"]), (&2.into(), &5.into(), &0.into()));
    assert!(counted["shaders"].as_u64().unwrap() >= 3 && counted["pipelines"].as_u64().unwrap() >= 2, "{counted}");
    let times = &capture["times"];
    assert!(times["first_ms"][0].as_f64().unwrap() > 0.0 && times["draw_us"][0].as_f64().unwrap() > 0.0, "{times}");
    // What `info` tells of the device stands on the page.
    let device = data["device"].as_str().unwrap();
    let devices = data["machine"]["devices"].as_array().unwrap();
    let known = devices.iter().find(|known| known["name"] == device).unwrap();
    assert!(known["abilities"].as_str().unwrap().contains("driver"), "{known}");
    assert!(page.contains(device) && page.contains("multi-draw"));
    // A page of its own: nothing is fetched or run, every picture is in it, once where it is the stored one.
    assert_eq!(page.matches("<img").count(), 4);
    assert_eq!(page.matches("src=\"data:image/png;base64,").count(), 4);
    assert_eq!(
        (page.matches("src=").count(), page.matches("<script").count(), page.matches("href=").count()),
        (4, 1, 0)
    );
    assert!(!page.contains("{{"));
    assert_eq!(page.matches("<tr").count(), page.matches("</tr>").count());
}

/// Some shaders of every corpus are compiled by the driver, by the software Metal, and none of them is run; what is refused is listed by name.
#[test]
fn shaders_of_our_corpora_are_compiled() {
    let temp = tempfile::tempdir().unwrap();
    scene::capture(&temp.path().join("scene.aftercap"), Variant::Plain);
    let mut words = vec!["selftest".to_owned(), "--make".into(), "material".into(), "scene.aftercap".into()];
    let mut counts = Vec::new();
    // Doubles are refused by Metal's writer.
    let wanted = |at: usize, entry: &shaders::Entry| at.is_multiple_of(97) || entry.name == "double_ops.aco.cs";
    for corpus in shaders::all() {
        let name = format!("{}.aftercap", corpus.name);
        shaders::write(&temp.path().join(&name), &corpus, wanted);
        counts.push(corpus.entries.iter().enumerate().filter(|(at, entry)| wanted(*at, entry)).count());
        words.extend(["--shaders".to_owned(), name]);
    }
    assert!(counts.iter().all(|count| *count >= 3), "{counts:?}");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = afterimage(temp.path(), &words).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut renderers = vec![("vulkan", 0)];
    if cfg!(target_os = "linux") && has_clang() {
        renderers.push(("metal-soft", 1));
    }
    for (renderer, refused) in renderers {
        let line = ["selftest", "--material", "material", "-o", "page.html", "--renderer", renderer];
        let (output, page, data) = finished(temp.path(), afterimage(temp.path(), &line).output().unwrap());
        let out = text(&output.stdout);
        assert!(output.status.success(), "{renderer}: {out}{}", text(&output.stderr));
        let corpora = data["shaders"].as_array().unwrap();
        assert_eq!(corpora.len(), counts.len());
        for (corpus, count) in corpora.iter().zip(&counts) {
            let [made, all] = [&corpus["made"], &corpus["ms"][0]];
            let no = corpus["refused"].as_array().unwrap();
            assert!(corpus["failed"].as_array().unwrap().is_empty() && corpus["wrong"].as_array().unwrap().is_empty());
            assert_eq!(made.as_u64().unwrap() as usize + no.len(), *count, "{renderer}: {corpus}");
            assert!(all.as_f64().unwrap() > 0.0 && page.contains(corpus["name"].as_str().unwrap()), "{corpus}");
        }
        let no = corpora[2]["refused"].as_array().unwrap();
        assert_eq!(no.len(), refused, "{renderer}: {no:?}");
        for one in no {
            let [name, why] = [&one[0], &one[1]].map(|word| word.as_str().unwrap());
            assert!(name.starts_with("double_ops") && why.contains("cannot be compiled"), "{name}: {why}");
            assert!(page.contains(name), "{name}");
        }
    }
}

/// Whether there is a compiler for the software Metal.
fn has_clang() -> bool {
    #[cfg(target_os = "linux")]
    if let Err(why) = afterimage_metal_soft::compiler() {
        eprintln!("not tested with the software Metal, which needs clang: {why}");
        return false;
    }
    true
}

#[test]
fn a_picture_that_is_another_is_wrong() {
    let temp = material(&[("scene", Variant::Plain), ("other", Variant::Color)]);
    // The index has what the pictures should be: another folder's index and pictures stand for a device that draws wrong.
    let index = std::fs::read_to_string(at(temp.path(), "index.json")).unwrap();
    let mut index: Value = serde_json::from_str(&index).unwrap();
    index["captures"][0]["pictures"] = index["captures"][1]["pictures"].clone();
    std::fs::write(at(temp.path(), "index.json"), index.to_string()).unwrap();
    let (output, page, data) = tested(temp.path());
    let out = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{out}");
    assert!(out.contains("1 of 2 captures is wrong") && out.contains("wrong  scene"), "{out}");
    assert!(out.contains("right  other"), "{out}");
    assert!(page.contains("what differs, 16 times") && page.contains("% of the pixels are the stored ones"));
    let verdicts = [0, 1].map(|at| data["captures"][at]["verdict"].as_str().unwrap());
    assert_eq!((data["verdict"].as_str(), verdicts), (Some("wrong"), ["wrong", "right"]));
    // Frame 1 shows A alone; frame 2 has B on its right half, of another colour.
    let counts = |at: usize| &data["captures"][0]["pictures"][at]["counts"];
    assert_eq!(
        (&counts(0)["exact"], &counts(1)["exact"], &counts(1)["other"]),
        (&1024.into(), &512.into(), &512.into())
    );
    assert_eq!(counts(1)["largest"], 127);
}

#[test]
fn damaged_material_is_told_from_a_device_that_draws_wrong() {
    let temp = material(&[("short", Variant::Plain), ("picture", Variant::Plain), ("gone", Variant::Plain)]);
    let capture = std::fs::read(at(temp.path(), "short.aftercap")).unwrap();
    std::fs::write(at(temp.path(), "short.aftercap"), &capture[..capture.len() / 2]).unwrap();
    let mut picture = std::fs::read(at(temp.path(), "picture-2.png")).unwrap();
    *picture.last_mut().unwrap() ^= 1;
    std::fs::write(at(temp.path(), "picture-2.png"), picture).unwrap();
    std::fs::remove_file(at(temp.path(), "gone.aftercap")).unwrap();
    let (output, page, data) = tested(temp.path());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let wrong = |at: usize| data["captures"][at]["wrong"][0].as_str().unwrap();
    for (at, parts) in [
        (0, ["the material is damaged: short.aftercap has", "bytes instead of"]),
        (1, ["the material is damaged: picture-2.png", "is not what it was"]),
        (2, ["the material is damaged: gone.aftercap", "No such file"]),
    ] {
        assert!(parts.iter().all(|part| wrong(at).contains(part)), "{}", wrong(at));
    }
    assert!(page.contains("the material is damaged"));
    // The other picture of that capture is compared all the same.
    assert_eq!(data["captures"][1]["pictures"][0]["counts"]["exact"], 1024);
    // No path of this machine.
    assert!(!page.contains(&temp.path().display().to_string()), "{page}");
    // An index that is cut, and names that lead out of the folder.
    let index = std::fs::read_to_string(at(temp.path(), "index.json")).unwrap();
    std::fs::write(at(temp.path(), "index.json"), &index[..index.len() / 2]).unwrap();
    let output = afterimage(temp.path(), &["selftest", "--material", "material"]).output().unwrap();
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("material/index.json: it is damaged"), "{said}");
    std::fs::write(at(temp.path(), "index.json"), index.replace("\"gone.aftercap\"", "\"../gone.aftercap\"")).unwrap();
    let (_, page, _) = tested(temp.path());
    assert!(page.contains("is no name of a file"));
}

#[test]
fn material_that_is_absent_is_told_with_where_it_was_looked_for() {
    let temp = tempfile::tempdir().unwrap();
    std::fs::create_dir(temp.path().join("bin")).unwrap();
    // Not of a tree that has material, wherever the tests are built.
    let program = temp.path().join("bin/afterimage");
    if std::fs::hard_link(env!("CARGO_BIN_EXE_afterimage"), &program).is_err() {
        std::fs::copy(env!("CARGO_BIN_EXE_afterimage"), &program).unwrap();
    }
    let run = || Command::new(&program).current_dir(temp.path()).arg("selftest").env("NO_COLOR", "1").output().unwrap();
    let said = text(&run().stderr);
    let place = temp.path().canonicalize().unwrap().join("share/afterimage/selftest");
    for part in [&*place.display().to_string(), "cargo xtask selftest", "--material"] {
        assert!(said.contains(part), "no {part} in {said}");
    }
    assert!(!temp.path().join("selftest.html").exists());
    let output = afterimage(temp.path(), &["selftest", "--material", "none"]).output().unwrap();
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("none/index.json"), "{said}");
    // Where a release has it, it is found, also from elsewhere and through a link.
    let made = material(&[("scene", Variant::Plain)]);
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::rename(made.path().join("material"), &place).unwrap();
    let output = run();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    assert!(temp.path().join("selftest.html").is_file());
}

#[test]
fn a_device_that_hangs_leaves_a_page_that_names_the_capture() {
    let temp = material(&[("scene", Variant::Plain), ("endless", Variant::Plain)]);
    // What was drawn with is another capture now, which does not end.
    scene::capture(&at(temp.path(), "endless.aftercap"), Variant::Endless);
    let index = std::fs::read_to_string(at(temp.path(), "index.json")).unwrap();
    let mut index: Value = serde_json::from_str(&index).unwrap();
    let bytes = std::fs::read(at(temp.path(), "endless.aftercap")).unwrap();
    index["captures"][1]["bytes"] = bytes.len().into();
    index["captures"][1]["xxh3"] = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&bytes)).into();
    std::fs::write(at(temp.path(), "index.json"), index.to_string()).unwrap();
    let mut command = afterimage(temp.path(), &["selftest", "--material", "material", "-o", "page.html"]);
    let output = command.env("AFTERIMAGE_GPU_TIMEOUT_S", "3").output().unwrap();
    let (output, page, data) = finished(temp.path(), output);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let verdicts = [0, 1].map(|at| data["captures"][at]["verdict"].as_str().unwrap());
    assert_eq!(verdicts, ["right", "wrong"]);
    let wrong = data["captures"][1]["wrong"][0].as_str().unwrap();
    for part in ["a hang", "frame 1", "pixel shader"] {
        assert!(wrong.contains(part), "no {part} in {wrong}");
    }
    assert!(page.contains("a hang") && page.contains("AFTERIMAGE_GPU_TIMEOUT_S"));
}

/// A driver that crashes as soon as it is loaded.
const CRASHES: &str = "__attribute__((constructor)) static void crash(void) { __builtin_trap(); }\n";

#[test]
fn a_driver_that_crashes_leaves_a_page() {
    let temp = material(&[("scene", Variant::Plain)]);
    let at = |name: &str| temp.path().join(name);
    std::fs::write(at("crash.c"), CRASHES).unwrap();
    let mut compiler = Command::new("cc");
    let built = compiler.current_dir(temp.path()).args(["-shared", "-fPIC", "crash.c", "-o", "libcrash.so"]).status();
    if !built.as_ref().is_ok_and(|status| status.success()) {
        assert!(std::env::var_os("CI").is_none(), "no C compiler makes a driver that crashes: {built:?}");
        eprintln!("skipped: no C compiler makes a driver that crashes: {built:?}");
        return;
    }
    let library = at("libcrash.so").display().to_string();
    let driver = serde_json::json!({
        "file_format_version": "1.0.0",
        "ICD": { "library_path": library, "api_version": "1.3.0" },
    });
    std::fs::write(at("driver.json"), driver.to_string()).unwrap();
    let mut command = afterimage(temp.path(), &["selftest", "--material", "material", "-o", "page.html"]);
    // Of a driver of the system, the sandbox would let it read the library. Loaders know one of these names each.
    command.env("AFTERIMAGE_SANDBOX", "off");
    command.env("VK_DRIVER_FILES", at("driver.json")).env("VK_ICD_FILENAMES", at("driver.json"));
    let (output, page, data) = finished(temp.path(), command.output().unwrap());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let wrong = data["captures"][0]["wrong"][0].as_str().unwrap();
    assert!(wrong.starts_with("it crashed") && wrong.contains("(SIG"), "{wrong}");
    let trouble = data["trouble"][0].as_str().unwrap();
    assert!(trouble.contains("`afterimage info`: it crashed or was killed (SIG"), "{trouble}");
    assert!(page.contains("No device has drawn anything") && data["device"].is_null());
    // What was stored is shown all the same.
    assert_eq!(page.matches("frame 1, stored").count(), 2);
}

#[test]
fn the_page_says_nothing_of_who_made_it() {
    let temp = material(&[("scene", Variant::Plain)]);
    // Whose home it is, nobody learns; a layer or driver may print any path.
    let home = temp.path().join("home/somebody");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::rename(temp.path().join("material"), home.join("material")).unwrap();
    std::fs::remove_file(home.join("material/scene-1.png")).unwrap();
    let driver = home.join("no/driver.json");
    let mut command = afterimage(temp.path(), &["selftest", "-o", "page.html", "--material"]);
    command.arg(home.join("material")).env("HOME", &home).env("VK_ADD_LAYER_PATH", &driver);
    let (output, page, _) = finished(temp.path(), command.output().unwrap());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    assert!(page.contains("~/no/driver.json") && page.contains("scene-1.png"));
    for secret in ["somebody", &temp.path().display().to_string()] {
        assert!(!page.contains(secret), "{secret} is on the page");
    }
}

#[test]
fn help_teaches_and_refuses() {
    let temp = tempfile::tempdir().unwrap();
    let output = afterimage(temp.path(), &["selftest", "--help"]).output().unwrap();
    let said = text(&output.stdout);
    for part in ["--material", "--renderer", "vulkan", "Exit status", "selftest.html"] {
        assert!(said.contains(part), "no {part} in {said}");
    }
    for line in [&["selftest", "--renderer", "glide"][..], &["selftest", "x.aftercap"], &["selftest", "--make", "d"]] {
        let output = afterimage(temp.path(), line).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{line:?}: {}", text(&output.stderr));
    }
    // What presents nothing can be compared with nothing.
    std::fs::write(temp.path().join("none.aftercap"), "").unwrap();
    let output = afterimage(temp.path(), &["selftest", "--make", "d", "none.aftercap"]).output().unwrap();
    assert!(text(&output.stderr).contains("none.aftercap is empty"), "{}", text(&output.stderr));
}
