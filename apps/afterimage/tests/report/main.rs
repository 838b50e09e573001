//! `afterimage report`: the page as a browser without a window shows it.
#![allow(missing_docs)]
#![allow(dead_code, reason = "the example of the NV2A uses all of its modules; a test only a part")]

#[path = "../../../../crates/nv2a/examples/scene/console.rs"]
mod console;
#[path = "../../../../crates/nv2a/examples/scene/scene.rs"]
mod scene;
#[path = "../../../../crates/nv2a/examples/scene/shapes.rs"]
mod shapes;

mod chromium;
#[path = "../drivers/mod.rs"]
mod drivers;
mod looks;
mod made;
mod pictures;
mod real;
mod size;

use chromium::Browser;
use made::{SIZE, capture};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn report(file: &Path, page: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("AFTERIMAGE_")) {
        command.env_remove(name);
    }
    let cache = tempfile::tempdir().unwrap();
    command
        .env("AFTERIMAGE_CACHE_DIR", drivers::shared(cache.path()))
        .arg("report")
        .arg(file)
        .arg("-o")
        .arg(page)
        .args(more);
    command.output().unwrap()
}

fn made_report(folder: &Path, frames: u64, more: &[&str]) -> std::path::PathBuf {
    let (file, page) = (folder.join("made.aftercap"), folder.join("report.html"));
    capture(&file, frames, 0);
    let output = report(&file, &page, more);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    page
}

/// The index of a page.
fn index(page: &Path) -> Value {
    let html = std::fs::read_to_string(page).unwrap();
    let (_, rest) = html.split_once("id=\"index\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// Pixels of the first picture that is shown, row by row: what is on the page, which is what is stored but for alpha.
fn shown(browser: &mut Browser) -> Vec<[u8; 4]> {
    // The first, not one behind it that was unpacked before.
    browser.until("Boolean(document.querySelector('#view canvas[data-picture]').dataset.painted)", "true");
    let both = browser.ask(
        "(async () => { const canvas = document.querySelector('#view canvas[data-picture]'); \
         const stored = await pixels(canvas.dataset.picture); \
         const painted = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height); \
         return [[...stored.rgba], [...painted.data]]; })()",
    );
    let pixels = |which: usize| -> Vec<[u8; 4]> {
        let bytes: Vec<u8> = both[which].as_array().unwrap().iter().map(|byte| byte.as_u64().unwrap() as u8).collect();
        bytes.as_chunks().0.to_vec()
    };
    let (stored, painted) = (pixels(0), pixels(1));
    let opaque: Vec<_> = stored.iter().map(|&[r, g, b, _]| [r, g, b, 255]).collect();
    assert!(opaque == painted, "what is painted is what is stored");
    stored
}

/// Colours in the middle of the left and of the right triangle, and where neither is.
fn colors(pixels: &[[u8; 4]]) -> [[u8; 3]; 3] {
    assert_eq!(pixels.len(), (SIZE[0] * SIZE[1]) as usize);
    let at = |x: u32, y: u32| {
        let [red, green, blue, _] = pixels[(y * SIZE[0] + x) as usize];
        [red, green, blue]
    };
    [at(4, 8), at(60, 30), at(28, 44)]
}

const ORANGE: [u8; 3] = [255, 153, 0];
const DARK: [u8; 3] = [0, 0, 51];
const RED: [u8; 3] = [102, 0, 51];

fn waits(browser: &mut Browser, place: &str) {
    browser.until("document.body?.dataset.shown", place);
}

fn view(browser: &mut Browser) -> String {
    browser.text("document.getElementById('view').innerText")
}

#[test]
fn the_page_is_read_with_the_keyboard() {
    let temp = tempfile::tempdir().unwrap();
    let page = made_report(temp.path(), 2, &[]);
    let Some(mut browser) = Browser::open(&page) else { return };
    // It begins behind the last call of the first frame. Calls: clear, draw, draw, present; then the same again.
    waits(&mut browser, "7/3/picture");
    assert_eq!(browser.text("document.querySelector('#warnings summary').textContent"), "no warnings");
    browser.press("Home");
    waits(&mut browser, "7/0/picture");
    assert_eq!(colors(&shown(&mut browser)), [DARK; 3]);
    browser.press("j");
    waits(&mut browser, "7/1/picture");
    assert_eq!(colors(&shown(&mut browser)), [ORANGE, DARK, DARK]);
    browser.press("ArrowDown");
    waits(&mut browser, "7/2/picture");
    let [left, right, none] = colors(&shown(&mut browser));
    assert_eq!((left, none), (ORANGE, DARK));
    assert_eq!((right[1], right[2]), (255, 0), "the texture is green: {right:?}");
    browser.press("k");
    waits(&mut browser, "7/1/picture");

    // The other frame has another colour behind.
    browser.press("]");
    waits(&mut browser, "8/7/picture");
    browser.press("Home");
    waits(&mut browser, "8/4/picture");
    assert_eq!(colors(&shown(&mut browser)), [RED; 3]);
    browser.press("[");
    waits(&mut browser, "7/3/picture");

    // The state in the guest's names, and ours beside them.
    browser.press("k");
    browser.press("2");
    waits(&mut browser, "7/2/state");
    let state = view(&mut browser);
    assert!(
        state.contains("D3DRS_CULLMODE") && state.contains("D3DCULL_NONE") && state.contains("raster.cull"),
        "{state}"
    );
    assert!(state.contains("Direct3D 9"), "{state}");
    // What changed since the draw before.
    browser.press("3");
    waits(&mut browser, "7/2/changes");
    let changes = view(&mut browser);
    assert!(changes.contains("shaders.pixel") && changes.contains("Texture#2"), "{changes}");
    // Both levels of its texture.
    browser.press("4");
    waits(&mut browser, "7/2/textures");
    let textures = view(&mut browser);
    assert!(textures.contains("level 0: 4 x 4") && textures.contains("level 1: 2 x 2"), "{textures}");
    // Its vertices.
    browser.press("5");
    waits(&mut browser, "7/2/vertices");
    let vertices = view(&mut browser);
    assert!(vertices.contains("TriangleList, 3 vertices") && vertices.contains("0 -1 0.5"), "{vertices}");
    browser.until("document.querySelector('canvas.wire').dataset.edges", "3");
    let before = browser.text("document.querySelector('canvas.wire').dataset.turned");
    browser.ask("document.querySelector('canvas.wire').scrollIntoView({ block: 'start' })");
    let place = browser.ask("(() => { const r = document.querySelector('canvas.wire').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()");
    let [x, y] = [0, 1].map(|at| place[at].as_f64().unwrap());
    browser.drag([x, y], [x + 40.0, y + 25.0]);
    browser.until(&format!("document.querySelector('canvas.wire').dataset.turned !== '{before}'"), "true");

    // Its shaders, and a word that is looked for in all of them.
    browser.press("6");
    waits(&mut browser, "7/2/shaders");
    for (language, word) in [(0, "vs_2_0"), (1, "store_output"), (3, "OpEntryPoint"), (4, "metal")] {
        browser.ask(&format!("document.querySelectorAll('#view .choice')[{language}].click()"));
        browser.until(&format!("document.getElementById('code').textContent.includes('{word}')"), "true");
    }
    browser.ask("document.querySelectorAll('#view .choice')[0].click()");
    browser.press("/");
    browser.until("document.activeElement.id", "search");
    for letter in ["t", "e", "x", "l", "d"] {
        browser.press(letter);
    }
    // Each letter looks anew: not what the letters before it have found.
    browser.until("document.querySelector('#view mark').textContent", "texld");
    browser.press("Enter");
    browser.until("document.querySelectorAll('#view mark.on').length", "1");
    assert_eq!(browser.text("document.querySelector('#view mark').textContent"), "texld");
    assert_eq!(browser.text("document.querySelectorAll('#view option').length"), "1", "one shader has it");

    // A word that only another language has leads there.
    browser.press("/");
    for letter in "OpEntry".chars() {
        browser.press(&letter.to_string());
    }
    browser.until("document.querySelector('#view .choice[aria-pressed=true]').textContent", "SPIR-V (1)");
    browser.press("Escape");

    // Other channels of the pictures.
    browser.press("1");
    browser.press("c");
    browser.press("c");
    waits(&mut browser, "7/2/picture");
    browser.until("document.querySelector('#view .choice[aria-pressed=true]').textContent", "alpha alone");
    let grey =
        "document.querySelector('#view canvas[data-painted]')?.getContext('2d').getImageData(4, 8, 1, 1).data.join()";
    browser.until(grey, "255,255,255,255");
    browser.press("c");

    // Help, and a place by its address.
    browser.press("?");
    browser.until("document.getElementById('help').open", "true");
    let keys = browser.text("document.getElementById('keys').innerText");
    for words in ["next call", "frame before", "vertices", "warnings", "search"] {
        assert!(keys.contains(words), "{words}: {keys}");
    }
    browser.press("Escape");
    browser.until("document.getElementById('help').open", "false");
    let url = format!("file://{}#f=8&c=5&t=state", page.display());
    browser.go("about:blank");
    browser.go(&url);
    waits(&mut browser, "8/5/state");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn a_damaged_capture_says_so_first_and_shows_the_rest() {
    let temp = tempfile::tempdir().unwrap();
    let (file, page) = (temp.path().join("cut.aftercap"), temp.path().join("report.html"));
    capture(&file, 4, 20_000);
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let output = report(&file, &page, &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let index = index(&page);
    let first = index["warnings"][0]["text"].as_str().unwrap().to_owned();
    assert!(first.contains("damaged"), "{index}");
    assert!(!index["frames"].as_array().unwrap().is_empty());
    let Some(mut browser) = Browser::open(&page) else { return };
    waits(&mut browser, "7/3/picture");
    let warnings = browser.text("document.getElementById('warnings').innerText");
    assert!(warnings.contains(&first), "{warnings}");
    assert_eq!(browser.text("document.getElementById('warnings').open"), "true");
}
