//! Pages that may have only so many bytes.

use crate::chromium::Browser;
use crate::made::{capture, snowy};
use crate::{index, report, view, waits};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::Path;

const FRAMES: u64 = 200;
/// Number of the frame with a packet that is rejected.
const WRONG: u64 = 150;

/// A page and what is in it.
struct Page {
    bytes: usize,
    index: Value,
    /// What was said on standard error.
    said: String,
    /// Blocks by name.
    blocks: HashMap<String, Value>,
    /// Of each picture, the one that it is stored as a change of.
    pictures: HashMap<String, Option<String>>,
}

fn made(file: &Path, page: &Path, more: &[&str]) -> Page {
    let output = report(file, page, more);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let html = std::fs::read_to_string(page).unwrap();
    let (mut blocks, mut pictures) = (HashMap::new(), HashMap::new());
    for line in html.lines().filter_map(|line| line.strip_prefix("<script type=\"application/octet-stream\" ")) {
        let (attributes, rest) = line.split_once('>').unwrap();
        let value = |name: &str| {
            let (_, rest) = attributes.split_once(&format!("{name}=\""))?;
            Some(rest.split_once('"')?.0.to_owned())
        };
        let id = value("id").unwrap();
        match id.strip_prefix("block-") {
            Some(name) => {
                let packed = bytes(rest.strip_suffix("</script>").unwrap());
                let mut text = String::new();
                flate2::read::ZlibDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
                blocks.insert(name.to_owned(), serde_json::from_str(&text).unwrap());
            }
            None => drop(pictures.insert(id.strip_prefix("picture-").unwrap().to_owned(), value("data-before"))),
        }
    }
    Page { bytes: html.len(), index: index(page), said, blocks, pictures }
}

/// What base64 stands for.
fn bytes(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = Vec::new();
    for four in text.trim_end_matches('=').as_bytes().chunks(4) {
        let word = (0..4).fold(0u32, |word, at| {
            let letter = four.get(at).map_or(0, |letter| LETTERS.iter().position(|it| it == letter).unwrap());
            word << 6 | letter as u32
        });
        out.extend_from_slice(&word.to_be_bytes()[1..four.len()]);
    }
    out
}

impl Page {
    fn frames(&self) -> &Vec<Value> {
        self.index["frames"].as_array().unwrap()
    }

    fn rows(&self, place: usize) -> &Vec<Value> {
        self.blocks[&format!("frame-{place}")]["calls"].as_array().unwrap()
    }

    /// Whether calls of a frame have details.
    fn details(&self, place: usize) -> bool {
        self.blocks.keys().any(|name| name.starts_with(&format!("calls-{place}-")))
    }

    /// Calls whose rows have a picture.
    fn pictured(&self) -> usize {
        (0..self.frames().len()).map(|at| self.rows(at).iter().filter(|row| row["picture"].is_string()).count()).sum()
    }

    /// Each frame and each call is there, in order, and so is each picture that anything names.
    fn check(&self) {
        let mut named: HashSet<&str> = self.pictures.values().flatten().map(String::as_str).collect();
        let mut next = 0;
        for (place, frame) in self.frames().iter().enumerate() {
            assert_eq!(frame["number"], 7 + place as u64);
            assert_eq!(frame["first"], next);
            let rows = self.rows(place);
            assert_eq!(frame["count"], rows.len());
            named.extend([&frame["picture"], &frame["thumbnail"]].into_iter().filter_map(Value::as_str));
            for row in rows {
                assert_eq!(row["number"], next);
                named.extend([&row["picture"], &row["thumbnail"]].into_iter().filter_map(Value::as_str));
                next += 1;
            }
            let kinds: Vec<_> = rows.iter().map(|row| row["kind"].as_str().unwrap()).collect();
            assert_eq!(kinds, ["clear", "draw", "draw", "present"]);
        }
        assert_eq!(self.frames().len() as u64, FRAMES);
        let missing: Vec<_> = named.into_iter().filter(|picture| !self.pictures.contains_key(*picture)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        let warnings = self.index["warnings"].to_string();
        assert!(warnings.contains("rejected packet in frame 150"), "{warnings}");
    }
}

#[test]
fn a_page_has_no_more_bytes_than_it_may_and_one_without_bound_has_all() {
    let temp = tempfile::tempdir().unwrap();
    let (file, path) = (temp.path().join("snow.aftercap"), temp.path().join("report.html"));
    snowy(&file, FRAMES, WRONG);

    let all = made(&file, &path, &["--max-size", "0"]);
    all.check();
    assert!(all.bytes > 5 << 19, "{} bytes", all.bytes);
    assert!(!all.index["notes"].to_string().contains("left out") && !all.said.contains("left out"), "{}", all.said);
    assert!(all.frames().iter().all(|frame| frame["picture"].is_string()));
    assert!((0..all.frames().len()).all(|place| all.details(place)));
    assert_eq!(all.pictured() as u64, 4 * FRAMES);

    let some = made(&file, &path, &["--max-size", "1"]);
    some.check();
    assert!((800 << 10..=1 << 20).contains(&some.bytes), "{} bytes", some.bytes);
    let notes = some.index["notes"].to_string();
    for said in [&notes, &some.said] {
        assert!(said.contains("pictures of") && said.contains("left out") && said.contains("--max-size"), "{said}");
    }
    // Pictures are spread over all of the capture.
    let shown: Vec<usize> = (0..some.frames().len()).filter(|at| some.frames()[*at]["picture"].is_string()).collect();
    let gap = shown.windows(2).map(|pair| pair[1] - pair[0]).max();
    assert!(shown.len() > 40 && shown.len() < 120 && gap < Some(10) && shown.last() > Some(&190), "{shown:?}");
    let calls = some.pictured() as u64;
    assert!(calls > FRAMES / 4 && calls < 3 * FRAMES, "{calls}");
    // Around what is wrong, everything is told.
    for place in [WRONG - 8, WRONG - 7, WRONG - 6].map(|place| place as usize) {
        assert!(shown.contains(&place) && some.details(place), "{place}: {shown:?}");
        assert!(some.rows(place).iter().all(|row| row["picture"].is_string()), "{:?}", some.rows(place));
    }

    let Some(mut browser) = Browser::open(&path) else { return };
    let bare = (0..some.frames().len()).find(|place| !shown.contains(place)).unwrap();
    let (number, call) = (7 + bare, 4 * bare + 1);
    browser.go(&format!("file://{}#f={number}&c={call}", path.display()));
    waits(&mut browser, &format!("{number}/{call}/picture"));
    assert!(view(&mut browser).contains("--max-size"), "{}", view(&mut browser));
    for key in ["2", "3", "4", "5", "6"] {
        browser.press(key);
    }
    waits(&mut browser, &format!("{number}/{call}/shaders"));
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

/// A page that has not even room for what is to be said of every frame.
#[test]
fn what_does_not_fit_at_all_is_said_to_be_missing() {
    const FRAMES: usize = 4000;
    let temp = tempfile::tempdir().unwrap();
    let (file, path) = (temp.path().join("made.aftercap"), temp.path().join("report.html"));
    capture(&file, FRAMES as u64, 0);
    let page = made(&file, &path, &["--max-size", "1"]);
    assert!((900 << 10..=1 << 20).contains(&page.bytes), "{} bytes", page.bytes);
    assert_eq!(page.frames().len(), FRAMES);
    let listed = (0..FRAMES).filter(|place| page.blocks.contains_key(&format!("frame-{place}"))).count();
    assert!(listed > 100 && listed < FRAMES, "{listed} frames");
    let notes = page.index["notes"].to_string();
    for said in [&notes, &page.said] {
        assert!(said.contains(&format!("calls of {} frames are not listed", FRAMES - listed)), "{said}");
        assert!(said.contains("state, changes and vertices of") && said.contains("texts of 3 shaders"), "{said}");
    }

    let Some(mut browser) = Browser::open(&path) else { return };
    waits(&mut browser, "7/3/picture");
    let last = FRAMES - 1;
    browser.go(&format!("file://{}#f={}", path.display(), 7 + last));
    waits(&mut browser, &format!("{}/{}/picture", 7 + last, 4 * last + 3));
    assert!(browser.text("document.getElementById('title').textContent").contains("--max-size"));
    for tab in ["state", "vertices", "shaders"] {
        browser.ask(&format!("turnTo('{tab}')"));
        waits(&mut browser, &format!("{}/{}/{tab}", 7 + last, 4 * last + 3));
    }
    assert!(view(&mut browser).contains("--max-size"), "{}", view(&mut browser));
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}
