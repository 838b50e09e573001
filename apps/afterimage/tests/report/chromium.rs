//! A browser without a window, driven through Chromium's DevTools protocol over two pipes: JSON, ended by a zero byte.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// How long the page may take to show something.
const PATIENCE: Duration = Duration::from_secs(180);

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: String,
    number: u64,
    dark: bool,
    /// What the page complained of.
    pub(crate) complaints: Vec<String>,
    _profile: tempfile::TempDir,
}

/// The browser of this machine.
fn found() -> Option<std::path::PathBuf> {
    let paths = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&paths).flat_map(|folder| names.map(|name| folder.join(name))).find(|path| path.is_file())
}

impl Browser {
    /// Starts one with a file open; none, said on standard error, on a machine that has no browser.
    pub(crate) fn open(file: &Path) -> Option<Self> {
        let Some(program) = found() else {
            eprintln!("no chromium: the page is not looked at (apt-get install --no-install-recommends chromium)");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        // The browser reads from file 3 and writes to file 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "sh"])
            .arg(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .args(["--force-color-profile=srgb", "--hide-scrollbars", "--window-size=1280,800"])
            .arg("--remote-debugging-pipe")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut browser = Self {
            child,
            to,
            from,
            session: String::new(),
            number: 0,
            dark: false,
            complaints: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        attached["sessionId"].as_str().unwrap().clone_into(&mut browser.session);
        let size = json!({ "width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": false });
        browser.call("Emulation.setDeviceMetricsOverride", size);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            browser.call(domain, json!({}));
        }
        browser.go(&format!("file://{}", file.display()));
        Some(browser)
    }

    /// Opens a place.
    pub(crate) fn go(&mut self, url: &str) {
        let answer = self.call("Page.navigate", json!({ "url": url }));
        assert!(answer.get("errorText").is_none(), "{url}: {answer}");
    }

    /// Sends a message and waits for its answer, which must be good.
    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.try_call(method, parameters).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Sends a message and waits for its answer.
    fn try_call(&mut self, method: &str, parameters: Value) -> Result<Value, Value> {
        self.number += 1;
        let mut message = json!({ "id": self.number, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).unwrap();
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).unwrap();
            assert_eq!(bytes.pop(), Some(0), "the browser ended");
            let message: Value = serde_json::from_slice(&bytes).unwrap();
            if message["id"] == json!(self.number) {
                return if message.get("error").is_none() { Ok(message["result"].clone()) } else { Err(message) };
            }
            let parameters = &message["params"];
            match message["method"].as_str() {
                Some("Runtime.exceptionThrown") => self.complaints.push(parameters["exceptionDetails"].to_string()),
                Some("Log.entryAdded") => {
                    let text = parameters["entry"]["text"].to_string();
                    // Who waits for a pixel reads it again and again: these tests, not the page.
                    if !text.contains("willReadFrequently") {
                        self.complaints.push(text);
                    }
                }
                _ => {}
            }
        }
    }

    /// What an expression is, promises waited for.
    pub(crate) fn ask(&mut self, expression: &str) -> Value {
        self.try_ask(expression).unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    /// What an expression is, or why it is nothing, as where a page is just going.
    fn try_ask(&mut self, expression: &str) -> Result<Value, Value> {
        let parameters = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.try_call("Runtime.evaluate", parameters)?;
        if answer.get("exceptionDetails").is_some() { Err(answer) } else { Ok(answer["result"]["value"].clone()) }
    }

    /// What an expression is, as text.
    pub(crate) fn text(&mut self, expression: &str) -> String {
        words(self.ask(expression))
    }

    /// Waits until an expression is this text. What it speaks of need not be there yet.
    pub(crate) fn until(&mut self, expression: &str, wanted: &str) {
        let start = Instant::now();
        loop {
            let is = words(self.try_ask(expression).unwrap_or_else(|error| error));
            if is == wanted {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{expression} is {is:?}, not {wanted:?}; {:?}", self.complaints);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses a key, named as in JavaScript's `KeyboardEvent.key`.
    pub(crate) fn press(&mut self, key: &str) {
        let mut down = json!({ "type": "keyDown", "key": key });
        // What the browser itself does with a key goes by its code.
        if let Some((_, code)) = [("Tab", 9), ("Escape", 27)].iter().find(|(name, _)| *name == key) {
            down["windowsVirtualKeyCode"] = json!(code);
        }
        if key.chars().count() == 1 {
            down["text"] = json!(key);
        }
        self.call("Input.dispatchKeyEvent", down);
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key }));
    }

    /// Drags the mouse.
    pub(crate) fn drag(&mut self, from: [f64; 2], to: [f64; 2]) {
        for (kind, [x, y]) in [("mousePressed", from), ("mouseMoved", to), ("mouseReleased", to)] {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Whether the page is to be dark.
    pub(crate) fn dark(&mut self, dark: bool) {
        self.dark = dark;
        self.media("");
    }

    /// Whether the page is to look as on paper.
    pub(crate) fn print(&mut self, print: bool) {
        self.media(if print { "print" } else { "" });
    }

    fn media(&mut self, media: &str) {
        let value = if self.dark { "dark" } else { "light" };
        let features = json!([{ "name": "prefers-color-scheme", "value": value }]);
        self.call("Emulation.setEmulatedMedia", json!({ "media": media, "features": features }));
    }

    /// The page on paper, as a PDF file.
    pub(crate) fn pdf(&mut self) -> Vec<u8> {
        let answer = self.call("Page.printToPDF", json!({ "printBackground": true }));
        bytes(answer["data"].as_str().unwrap())
    }

    /// A picture of the page, as a PNG file.
    pub(crate) fn screenshot(&mut self) -> Vec<u8> {
        let answer = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        bytes(answer["data"].as_str().unwrap())
    }
}

/// A value as text.
fn words(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// The bytes of text in base64.
fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut word, mut bits) = (0u32, 0);
    for letter in text.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => break,
        };
        word = word << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits) as u8);
        }
    }
    bytes
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _status = self.child.wait();
    }
}
