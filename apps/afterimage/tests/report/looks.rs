//! How the page looks, in the dark, in the light, on paper, and for who uses no mouse or sees little.

use crate::chromium::Browser;
use crate::{made_report, waits};

/// Texts whose contrast with what is behind them is less than 4.5 to 1, as the WCAG count it.
const FAINT: &str = "(() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const over = (top, alpha, under) => top.map((value, at) => value * alpha + under[at] * (1 - alpha));
  const light = (color) => {
    const [r, g, b] = color.map((value) => value / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const canvas = document.createElement('i');
  canvas.style.color = 'Canvas';
  document.body.append(canvas);
  const base = parse(getComputedStyle(canvas).color).slice(0, 3);
  canvas.remove();
  const faint = [];
  let texts = 0;
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode());) {
    const element = node.parentElement;
    if (!node.data.trim() || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'OPTION'].includes(element.tagName) || !element.checkVisibility()) continue;
    if (element.closest('.off')) continue;
    texts += 1;
    const chain = [];
    for (let up = element; up; up = up.parentElement) chain.unshift(up);
    let [behind, opacity] = [base, 1];
    for (const up of chain) {
      const style = getComputedStyle(up);
      const [r, g, b, alpha = 1] = parse(style.backgroundColor);
      behind = over([r, g, b], alpha, behind);
      opacity *= Number(style.opacity);
    }
    const [r, g, b, alpha = 1] = parse(getComputedStyle(element).color);
    const [one, other] = [light(over([r, g, b], alpha * opacity, behind)), light(behind)].sort((x, y) => y - x);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < 4.5) faint.push(`${ratio.toFixed(2)}: ${node.data.trim()}`);
  }
  return texts > 20 ? faint : [`only ${texts} texts`];
})()";

#[test]
fn every_text_is_seen_in_the_dark_and_in_the_light() {
    let temp = tempfile::tempdir().unwrap();
    let page = made_report(temp.path(), 2, &["--frames", "7"]);
    let Some(mut browser) = Browser::open(&page) else { return };
    waits(&mut browser, "7/3/picture");
    browser.press("k");
    let mut pictures = Vec::new();
    for dark in [false, true] {
        browser.dark(dark);
        for (key, tab) in
            [("1", "picture"), ("2", "state"), ("3", "changes"), ("4", "textures"), ("5", "vertices"), ("6", "shaders")]
        {
            browser.press(key);
            waits(&mut browser, &format!("7/2/{tab}"));
            let faint = browser.ask(FAINT);
            assert_eq!(faint, serde_json::json!([]), "dark {dark}, {tab}");
        }
        pictures.push(browser.screenshot());
    }
    assert_ne!(pictures[0], pictures[1]);
}

#[test]
fn nobody_needs_a_mouse_or_eyes() {
    let temp = tempfile::tempdir().unwrap();
    let page = made_report(temp.path(), 2, &[]);
    let Some(mut browser) = Browser::open(&page) else { return };
    waits(&mut browser, "7/3/picture");
    // What is reached with Tab is seen to be, and stays reached while calls are stepped through.
    let mut reached = Vec::new();
    for _ in 0..8 {
        browser.press("Tab");
        reached.push(browser.text("document.activeElement.id || document.activeElement.tagName"));
        let outline = browser.text("getComputedStyle(document.activeElement).outlineStyle");
        assert_ne!(outline, "none", "{reached:?}");
    }
    assert_eq!(&reached[..4], ["search", "help-button", "SUMMARY", "BUTTON"], "{reached:?}");
    assert_eq!(&reached[4..6], ["calls", "tab-picture"], "{reached:?}");
    browser.ask("document.getElementById('tab-state').click()");
    waits(&mut browser, "7/3/state");
    browser.ask("document.getElementById('tab-state').focus()");
    browser.press("k");
    waits(&mut browser, "7/2/state");
    assert_eq!(browser.text("document.activeElement.id"), "tab-state");
    assert_eq!(browser.text("document.getElementById('calls').getAttribute('aria-activedescendant')"), "call-2");
    browser.press("ArrowLeft");
    waits(&mut browser, "7/2/picture");
    // Each picture has words, but for small ones beside words.
    let bare = "[...document.querySelectorAll('canvas, img')].filter((it) => !it.closest('#calls, #frames') && !it.getAttribute('aria-label')).length";
    assert_eq!(browser.text(bare), "0");
    assert_eq!(browser.text("document.querySelectorAll('h1').length"), "1");
    // A wireframe is turned with keys, which leave the call alone.
    browser.press("5");
    waits(&mut browser, "7/2/vertices");
    browser.until("Boolean(document.querySelector('canvas.wire').dataset.turned)", "true");
    let before = browser.text("document.querySelector('canvas.wire').dataset.turned");
    browser.ask("document.querySelector('canvas.wire').focus()");
    browser.press("ArrowRight");
    browser.until(&format!("document.querySelector('canvas.wire').dataset.turned !== '{before}'"), "true");
    assert_eq!(browser.text("document.body.dataset.shown"), "7/2/vertices");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn on_paper_nothing_is_cut_off() {
    let temp = tempfile::tempdir().unwrap();
    let page = made_report(temp.path(), 2, &[]);
    let Some(mut browser) = Browser::open(&page) else { return };
    waits(&mut browser, "7/3/picture");
    browser.press("k");
    browser.press("2");
    waits(&mut browser, "7/2/state");
    browser.dark(true);
    browser.print(true);
    let shown = |what: &str| format!("document.querySelector('{what}').checkVisibility()");
    for (what, is) in
        [("#tabs", "false"), ("#search", "false"), ("#title", "true"), ("#state", "true"), ("#about", "true")]
    {
        assert_eq!(browser.text(&shown(what)), is, "{what}");
    }
    assert_eq!(
        browser.text("[...document.querySelectorAll('#calls li')].filter((row) => row.checkVisibility()).length"),
        "1"
    );
    // Nothing scrolls in itself, and paper is light.
    let cut = "[...document.querySelectorAll('body *')].filter((it) => it.checkVisibility() && it.scrollHeight > it.clientHeight + 2 \
               && ['auto', 'scroll', 'hidden'].includes(getComputedStyle(it).overflowY) && it.clientHeight > 100).map((it) => it.id || it.tagName).join()";
    assert_eq!(browser.text(cut), "");
    assert_eq!(browser.text("getComputedStyle(document.documentElement).colorScheme"), "light");
    let paper = browser.pdf();
    assert!(paper.starts_with(b"%PDF"));
    let pages = |pdf: &[u8]| pdf.windows(12).filter(|bytes| bytes == b"/Type /Page\n").count();
    assert!(pages(&paper) >= 2, "a state of many rows takes more than one page: {}", pages(&paper));
}
