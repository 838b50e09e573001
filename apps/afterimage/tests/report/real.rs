//! A report of a real capture: frames of the NV2A sample scene.

use crate::chromium::Browser;
use crate::console::Console;
use crate::scene::{PITCH, SIZE, Scene};
use crate::{index, report, view, waits};
use afterimage_vulkan::{Options, Renderer};
use std::path::Path;

/// Captures so many frames of the scene while it is drawn.
fn captured(file: &Path, frames: u32) {
    let mut options = Options { cache_dir: None, ..Options::default() };
    options.validate |= std::env::var_os("AFTERIMAGE_VALIDATE").is_some();
    let renderer = Renderer::new(options).expect("a renderer");
    let mut console = Console::new(renderer, "scene");
    let mut device = console.device().expect("a device");
    let mut scene = Scene::new(&mut console, &mut device).expect("the scene");
    assert!(console.nv2a.capture_frames(file, frames.into()));
    for frame in 1..=frames {
        scene.draw(&mut console, &mut device, frame).expect("drawn");
        console.picture(scene.buffer(frame), SIZE, PITCH).expect("shown");
    }
    assert_eq!(console.finish().expect("the thread that draws ends"), 0, "messages of the validation layer");
}

/// The bytes of a PNG file's pixels.
fn decoded(file: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_scene_is_read_draw_by_draw() {
    let temp = tempfile::tempdir().unwrap();
    let (file, page) = (temp.path().join("scene.aftercap"), temp.path().join("report.html"));
    captured(&file, 3);
    let output = report(&file, &page, &["--times"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let index = index(&page);
    assert_eq!(index["warnings"].as_array().map(Vec::len), Some(0), "{}", index["warnings"]);
    let html = std::fs::metadata(&page).unwrap().len();
    assert!(html < 6 << 20, "{html} bytes: what changed is stored, not every picture");
    let Some(mut browser) = Browser::open(&page) else { return };

    let frames = index["frames"].as_array().unwrap();
    let number = |at: usize| frames[at]["number"].as_u64().unwrap();
    let (first, count) = (frames[1]["first"].as_u64().unwrap(), frames[1]["count"].as_u64().unwrap());
    assert!(count > 20, "{count} calls in a frame");
    waits(&mut browser, &format!("{}/{}/picture", number(0), first - 1));
    browser.press("]");
    waits(&mut browser, &format!("{}/{}/picture", number(1), first + count - 1));
    // Each step shows what the replay has there: the pictures grow call by call.
    browser.press("Home");
    let mut seen = std::collections::HashSet::new();
    for call in first..first + count {
        waits(&mut browser, &format!("{}/{call}/picture", number(1)));
        seen.insert(browser.text("document.querySelector('#view canvas').dataset.picture"));
        browser.press("j");
    }
    assert!(seen.len() > 15, "{} different pictures", seen.len());
    let compared = super::pictures::compare(&mut browser, &file);
    assert!(compared > 60, "{compared}");

    // A draw of the middle: where all is there to be looked at.
    let middle =
        "calls.findLast(({ kind, picture }, at) => kind === 'draw' && picture && at < calls.length - 6).number";
    browser.go(&format!("file://{}#f={}&c={first}", page.display(), number(1)));
    waits(&mut browser, &format!("{}/{first}/picture", number(1)));
    let draw = browser.ask(middle).as_u64().unwrap();
    browser.ask(&format!("go(1, {draw})"));
    waits(&mut browser, &format!("{}/{draw}/picture", number(1)));
    // The picture of the documentation.
    browser.dark(false);
    // Only what can be seen is painted: a row that its list has scrolled away may lie within the window and stay empty.
    browser.until(
        "[...document.querySelectorAll('canvas[data-picture]')].filter((canvas) => { \
         const at = canvas.getBoundingClientRect(); \
         const seen = canvas.closest('#frames, #calls, #call').getBoundingClientRect(); \
         return at.bottom > seen.top && at.top < seen.bottom && at.right > seen.left && at.left < seen.right; \
         }).every((canvas) => canvas.dataset.painted)",
        "true",
    );
    let picture = browser.screenshot();
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images/report.png");
    if std::env::var_os("AFTERIMAGE_BLESS").is_some() {
        std::fs::write(&place, &picture).unwrap();
    }
    let (kept, now) = (decoded(&std::fs::read(&place).unwrap()), decoded(&picture));
    assert_eq!(kept.len(), now.len(), "docs/images/report.png is of another size: AFTERIMAGE_BLESS=1 writes it");
    let sum: u64 = kept.iter().zip(&now).map(|(kept, now)| u64::from(kept.abs_diff(*now))).sum();
    // Times of calls, which widths follow, and a machine's fonts differ a little; without the draw's picture the page differs by 47.
    let mean = sum as f64 / now.len() as f64;
    assert!(mean < 20.0, "docs/images/report.png shows another page ({mean:.1} of 255): AFTERIMAGE_BLESS=1 writes it");
    browser.press("2");
    waits(&mut browser, &format!("{}/{draw}/state", number(1)));
    let state = view(&mut browser);
    assert!(state.contains("NV097_SET_") && state.contains("NV2A"), "{state}");
    browser.press("5");
    waits(&mut browser, &format!("{}/{draw}/vertices", number(1)));
    browser.until("Number(document.querySelector('canvas.wire')?.dataset.edges) > 0", "true");
    browser.press("6");
    waits(&mut browser, &format!("{}/{draw}/shaders", number(1)));
    let code = browser.text("document.getElementById('code').textContent");
    assert!(code.lines().count() > 3, "{code}");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

/// How many elements of the page begin with this.
fn count(html: &str, start: &str) -> usize {
    html.matches(&format!("<script type=\"application/octet-stream\" id=\"{start}")).count()
}

#[test]
fn what_a_long_capture_costs_is_bounded() {
    const FRAMES: u32 = 60;
    let temp = tempfile::tempdir().unwrap();
    let (file, page) = (temp.path().join("scene.aftercap"), temp.path().join("report.html"));
    captured(&file, FRAMES);
    let made = |more: &[&str]| {
        let output = report(&file, &page, more);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 2, "the capture and the page");
        (std::fs::read_to_string(&page).unwrap(), index(&page))
    };
    let (html, few) = made(&["--max-pictures", "40", "--max-calls", "200"]);
    let frames = few["frames"].as_array().unwrap();
    assert_eq!(frames.len(), FRAMES as usize, "all are listed");
    let calls: u64 = frames.iter().map(|frame| frame["count"].as_u64().unwrap()).sum();
    assert!(calls > 1000, "{calls} calls");
    // Half of the pictures are of frames, evenly.
    let shown: Vec<usize> = (0..frames.len()).filter(|at| frames[*at]["picture"].is_string()).collect();
    assert!((15..=20).contains(&shown.len()), "{shown:?}");
    assert!(shown.windows(2).all(|pair| pair[1] - pair[0] <= 4) && shown[0] == 0, "{shown:?}");
    let pictures = count(&html, "picture-");
    assert!((41..=80).contains(&pictures), "{pictures}: 40 at most, and a thumbnail of each");
    let details = count(&html, "block-calls-");
    assert!((5..40).contains(&details), "{details} blocks of 200 calls");
    let notes = few["notes"].to_string();
    let said = |left: u64| notes.contains(&format!("pictures of {left} calls were left out, of whole frames"));
    assert!((calls - 200..calls - 160).any(said), "{notes}");
    assert!(notes.contains("--max-calls") && notes.contains("--max-pictures"), "{notes}");
    assert!(html.len() < 6 << 20, "{} bytes", html.len());

    let (all, index) = made(&["--max-pictures", "100000"]);
    assert!(!index["notes"].to_string().contains("left out"), "{}", index["notes"]);
    assert!(count(&all, "picture-") > 10 * pictures, "{}", count(&all, "picture-"));

    // The second frame has a list, and nothing behind it.
    made(&["--max-pictures", "40", "--max-calls", "200"]);
    let Some(mut browser) = Browser::open(&page) else { return };
    let (number, call) = (frames[1]["number"].as_u64().unwrap(), frames[1]["first"].as_u64().unwrap());
    browser.go(&format!("file://{}#f={number}&c={call}&t=state", page.display()));
    waits(&mut browser, &format!("{number}/{call}/state"));
    assert!(view(&mut browser).contains("--max-calls"), "{}", view(&mut browser));
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}
