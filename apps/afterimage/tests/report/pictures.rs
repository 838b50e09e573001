//! Pictures of the page: those of the replay to the bit, as many as were asked for, unpacked when they are looked at.

use crate::chromium::Browser;
use crate::made::capture;
use crate::{ORANGE, colors, index, made_report, report, shown, waits};
use afterimage_vulkan::{Options, Renderer, Stepper};
use std::collections::HashMap;
use std::path::Path;

/// What the pictures behind all calls are, by a replay of their own: width, height, pixels.
fn replayed(file: &Path) -> HashMap<u64, (u32, u32, Vec<u8>)> {
    let renderer = Renderer::new(Options { cache_dir: None, ..Options::default() }).unwrap();
    let mut stepper = Stepper::open(renderer, file).unwrap();
    let mut pictures = HashMap::new();
    let calls = 0..stepper.calls();
    stepper.pictures(calls, |call, look| drop(pictures.insert(call, (look.width, look.height, look.rgba())))).unwrap();
    pictures
}

/// Compares what each call of the page shows first with the replay's pictures; how many there were.
pub(crate) fn compare(browser: &mut Browser, file: &Path) -> usize {
    let pictures = replayed(file);
    let mut compared = 0;
    let frames = browser.ask("index.frames.length").as_u64().unwrap();
    for frame in 0..frames {
        // FNV-1a of 32 bits, twice, of all bytes.
        let told = browser.ask(&format!(
            "(async () => {{ const found = []; \
             for (const row of (await block('frame-{frame}')).calls) {{ \
               if (!row.picture) continue; \
               const {{ width, height, rgba }} = await pixels(row.picture); \
               let [a, b] = [2166136261, 40503]; \
               for (const byte of rgba) {{ a = Math.imul(a ^ byte, 16777619); b = Math.imul(b + byte, 2654435761); }} \
               found.push([row.number, width, height, a >>> 0, b >>> 0]); \
             }} return found; }})()"
        ));
        for row in told.as_array().unwrap() {
            let [call, width, height, a, b] = [0, 1, 2, 3, 4].map(|at| row[at].as_u64().unwrap());
            let (wide, high, bytes) = &pictures[&call];
            assert_eq!((width, height), (u64::from(*wide), u64::from(*high)), "call {call}");
            let (mut first, mut second) = (2_166_136_261u32, 40503u32);
            for byte in bytes {
                first = (first ^ u32::from(*byte)).wrapping_mul(16_777_619);
                second = second.wrapping_add(u32::from(*byte)).wrapping_mul(2_654_435_761);
            }
            assert_eq!((a, b), (u64::from(first), u64::from(second)), "call {call}: other pixels than the replay's");
            compared += 1;
        }
    }
    assert_eq!(compared, pictures.len(), "each of the replay's pictures is on the page");
    compared
}

#[test]
fn pictures_are_those_of_the_replay_to_the_bit() {
    let temp = tempfile::tempdir().unwrap();
    let page = made_report(temp.path(), 3, &[]);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("data-before"), "some are stored as what changed");
    let Some(mut browser) = Browser::open(&page) else { return };
    waits(&mut browser, "7/3/picture");
    assert_eq!(compare(&mut browser, &temp.path().join("made.aftercap")), 12);
}

#[test]
fn what_is_left_out_is_said() {
    let temp = tempfile::tempdir().unwrap();
    let page = made_report(temp.path(), 3, &["--frames", "8-9", "--max-pictures", "4"]);
    let index = index(&page);
    let frames = index["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 2);
    assert!(frames.iter().all(|frame| frame["picture"].is_string()), "frames come first: {index}");
    let notes = index["notes"].to_string();
    assert!(
        notes.contains("2 of 3 frames") && notes.contains("calls") && notes.contains("4 different ones"),
        "{notes}"
    );
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(!html.contains("://"), "the page fetches nothing");
    if let Some(mut browser) = Browser::open(&page) {
        waits(&mut browser, "8/7/picture");
        browser.press("Home");
        browser.press("j");
        waits(&mut browser, "8/5/picture");
        let said = browser.text("document.getElementById('view').innerText");
        assert!(said.contains("--max-pictures") && said.contains("behind call 4, before this one"), "{said}");
    }

    let file = temp.path().join("made.aftercap");
    let output = report(&file, &page, &["--frames", "70"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("it has 7 to 9"), "{said}");
    let output = report(&file, &page, &["--calls", "5-x"]);
    assert!(!output.status.success(), "a set that is none");
}

#[test]
fn calls_have_times_where_they_are_asked_for() {
    let temp = tempfile::tempdir().unwrap();
    let page = made_report(temp.path(), 2, &["--times"]);
    let notes = index(&page)["notes"].to_string();
    assert!(notes.contains("one at a time"), "{notes}");
    let Some(mut browser) = Browser::open(&page) else { return };
    waits(&mut browser, "7/3/picture");
    // Clears and draws are timed, presents are not.
    let times = browser
        .text("[...document.querySelectorAll('#calls .time')].map((cell) => /[nµm]s$/.test(cell.textContent)).join()");
    assert_eq!(times, "true,true,true,false");
    // The longest has a whole bar, and so has another that took as long within half a hundredth of it.
    let bars =
        browser.text("[...document.querySelectorAll('#calls .bar')].map((bar) => parseInt(bar.style.width)).join()");
    let widths: Vec<u32> = bars.split(',').map(|width| width.parse().unwrap()).collect();
    assert_eq!(widths.iter().max(), Some(&100), "{bars}");
    assert_eq!(widths.len(), 4, "{bars}");
}

/// A page of many megabytes opens with its index, and unpacks only what is looked at.
#[test]
fn of_a_large_page_only_what_is_looked_at_is_unpacked() {
    let temp = tempfile::tempdir().unwrap();
    let page = temp.path().join("report.html");
    let file = temp.path().join("made.aftercap");
    capture(&file, 300, 0);
    let output = report(&file, &page, &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // What a capture of 100 MB brings: pictures that do not compress.
    let mut html = std::fs::read_to_string(&page).unwrap();
    let noise = "A".repeat(1 << 20);
    for number in 0..100 {
        html += &format!("<script type=\"application/octet-stream\" id=\"picture-more-{number}\">{noise}</script>\n");
    }
    std::fs::write(&page, &html).unwrap();
    let Some(mut browser) = Browser::open(&page) else { return };
    waits(&mut browser, "7/3/picture");
    assert_eq!(browser.text("document.querySelectorAll('#frames button').length"), "300");
    // The rows of the frame, the details of its calls; small pictures and those behind one call.
    assert_eq!(browser.text("unpacked.blocks"), "2");
    browser.until("[...document.querySelectorAll('#view canvas')].every((canvas) => canvas.dataset.painted)", "true");
    let pictures = browser.ask("unpacked.pictures").as_u64().unwrap();
    assert!(pictures < 40, "{pictures} pictures are unpacked");
    browser.go(&format!("file://{}#f=306&c=1198", page.display()));
    waits(&mut browser, "306/1198/picture");
    let [left, ..] = colors(&shown(&mut browser));
    assert_eq!(left, ORANGE);
    assert_eq!(browser.text("unpacked.blocks"), "4");
}
