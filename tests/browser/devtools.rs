//! Just enough of the Chrome DevTools Protocol: JSON messages that end in a zero byte, over two pipes.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything may take before a test gives up: against tests that never end, not a measure of speed.
const PATIENCE: Duration = Duration::from_secs(1800);
/// The modifier bit of the shift key.
pub const SHIFT: u32 = 8;

/// Counts as `drawnEarly` the drawings of a page before it has loaded.
const COUNT_DRAWINGS: &str = "window.drawnEarly = 0; const real = HTMLCanvasElement.prototype.getContext; \
    HTMLCanvasElement.prototype.getContext = function (...kind) { \
    drawnEarly += document.readyState !== 'complete'; return real.apply(this, kind); }";

/// A running browser without a window; ends with its value.
pub struct Browser {
    child: Child,
    out: ChildStdin,
    messages: Receiver<Value>,
    events: Vec<Value>,
    next: u64,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Browser {
    /// Starts Chromium with its profile in `folder`; nothing where there is none.
    pub fn start(folder: &Path) -> Option<Browser> {
        Command::new("chromium")
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .ok()?;
        // The protocol goes over descriptors 3 and 4, which the shell makes of our two pipes.
        let script = "exec chromium --remote-debugging-pipe \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null";
        let mut child = Command::new("sh")
            .args([
                "-c",
                script,
                "chromium",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
            ])
            .args([
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
            ])
            .args([
                "--disable-sync",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
            ])
            .arg(format!(
                "--user-data-dir={}",
                folder.join("profile").display()
            ))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = child.stdin.take().unwrap();
        let mut pipe = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            while matches!(pipe.read_until(0, &mut bytes), Ok(n) if n > 0) {
                bytes.pop();
                let message = serde_json::from_slice(&bytes).unwrap();
                bytes.clear();
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Some(Browser {
            child,
            out,
            messages,
            events: Vec::new(),
            next: 0,
        })
    }

    fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        self.next += 1;
        let asked = format!("{method} {params}");
        let mut message = json!({ "id": self.next, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        self.out.write_all(message.to_string().as_bytes()).unwrap();
        self.out.write_all(b"\0").unwrap();
        self.out.flush().unwrap();
        loop {
            let answer = self
                .receive()
                .unwrap_or_else(|| panic!("no answer to {asked}"));
            if answer["id"] == self.next {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
        }
    }

    /// The next message; events are kept.
    fn receive(&mut self) -> Option<Value> {
        let message = self.messages.recv_timeout(PATIENCE).ok()?;
        if message["id"].is_null() {
            self.events.push(message.clone());
        }
        Some(message)
    }

    /// Lets pages save files into `folder` without asking.
    pub fn save_into(&mut self, folder: &Path) {
        let params = json!({ "behavior": "allow", "downloadPath": folder.display().to_string() });
        self.call(None, "Browser.setDownloadBehavior", params);
    }

    /// Opens a file in a window of this size.
    pub fn open(&mut self, file: &Path, width: u32, height: u32) -> Tab<'_> {
        self.open_as(file, (width, height), true)
    }

    /// Opens a file whose scripts do not run.
    pub fn open_without_scripts(&mut self, file: &Path) -> Tab<'_> {
        self.open_as(file, (1280, 900), false)
    }

    fn open_as(&mut self, file: &Path, (width, height): (u32, u32), scripts: bool) -> Tab<'_> {
        self.events.clear();
        let target = self.call(None, "Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = self.call(None, "Target.attachToTarget", attach);
        let session = attached["sessionId"].as_str().unwrap().to_string();
        let mut tab = Tab {
            browser: self,
            session,
        };
        for domain in ["Page", "Runtime", "Log"] {
            tab.call(&format!("{domain}.enable"), json!({}));
        }
        tab.resize(width, height);
        let count = json!({ "source": COUNT_DRAWINGS });
        tab.call("Page.addScriptToEvaluateOnNewDocument", count);
        if !scripts {
            tab.call(
                "Emulation.setScriptExecutionDisabled",
                json!({ "value": true }),
            );
        }
        tab.call(
            "Page.navigate",
            json!({ "url": format!("file://{}", file.display()) }),
        );
        let session = tab.session.clone();
        let loaded = |e: &Value| e["method"] == "Page.loadEventFired" && e["sessionId"] == *session;
        while !tab.browser.events.iter().any(loaded) {
            tab.browser.receive().expect("the page loads");
        }
        if scripts {
            // The first drawings wait until nothing is more urgent.
            tab.eval("new Promise(done => requestIdleCallback(() => done(0), { timeout: 9000 }))");
            tab.frame();
        }
        tab
    }
}

/// An open page.
pub struct Tab<'b> {
    browser: &'b mut Browser,
    session: String,
}

impl Tab<'_> {
    fn call(&mut self, method: &str, params: Value) -> Value {
        self.browser.call(Some(&self.session), method, params)
    }

    /// The value of an expression, awaited where it is a promise.
    pub fn eval(&mut self, expression: &str) -> Value {
        let params =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", params);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {}",
            answer["exceptionDetails"]
        );
        answer["result"]["value"].clone()
    }

    /// An expression whose value is a number, or the text of one.
    pub fn number(&mut self, expression: &str) -> f64 {
        let value = self.eval(expression);
        let text = || value.as_str().and_then(|text| text.parse().ok());
        value
            .as_f64()
            .or_else(text)
            .unwrap_or_else(|| panic!("{expression} is {value}"))
    }

    /// Text of an element.
    pub fn text(&mut self, selector: &str) -> String {
        self.eval(&format!("document.querySelector({selector:?}).textContent"))
            .as_str()
            .unwrap()
            .into()
    }

    /// Waits until an expression holds.
    pub fn wait(&mut self, expression: &str) {
        self.wait_then(expression, "0");
    }

    /// Waits until an expression holds and evaluates another before the page does anything else.
    pub fn wait_then(&mut self, expression: &str, then: &str) {
        self.eval(&format!(
            "new Promise((done, fail) => {{ const look = () => {{ try {{ \
             if (!({expression})) return setTimeout(look, 5); {then}; done(0); \
             }} catch (error) {{ fail(error); }} }}; look(); }})"
        ));
    }

    /// The bytes of a file that the page saves, once it is there.
    pub fn saved(&self, file: &Path) -> Vec<u8> {
        let began = Instant::now();
        loop {
            match std::fs::read(file) {
                Ok(bytes) if !bytes.is_empty() => return bytes,
                _ => std::thread::sleep(Duration::from_millis(5)),
            }
            assert!(
                began.elapsed() < PATIENCE,
                "{} was not saved",
                file.display()
            );
        }
    }

    /// Lets every timer of the page that is due within this time go off.
    pub fn timers(&mut self, milliseconds: u64) {
        self.eval(&format!(
            "new Promise(done => setTimeout(() => done(0), {milliseconds}))"
        ));
    }

    /// Lets what is to be drawn be drawn.
    pub fn frame(&mut self) {
        self.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))");
    }

    pub fn resize(&mut self, width: u32, height: u32) {
        let params =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", params);
    }

    /// Sets a media feature, such as `prefers-color-scheme`.
    pub fn media(&mut self, feature: &str, value: &str) {
        let features = json!([{ "name": feature, "value": value }]);
        self.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
    }

    /// Shows the page as it would be printed.
    pub fn print_media(&mut self) {
        self.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    }

    /// The page printed; the start of the file in Base64 tells what it is.
    pub fn pdf(&mut self) -> String {
        self.call("Page.printToPDF", json!({}))["data"]
            .as_str()
            .unwrap()
            .into()
    }

    /// The middle of an element, brought into sight.
    pub fn middle(&mut self, selector: &str) -> (f64, f64) {
        let place = self.eval(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); \
             e.scrollIntoView({{ block: 'center', behavior: 'instant' }}); \
             const r = e.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; }})()"
        ));
        serde_json::from_value(place).unwrap()
    }

    pub fn mouse(&mut self, kind: &str, x: f64, y: f64) {
        let pressed = kind != "mouseMoved";
        let params = json!({
            "type": kind, "x": x, "y": y, "button": if pressed { "left" } else { "none" },
            "clickCount": u32::from(pressed),
        });
        self.call("Input.dispatchMouseEvent", params);
    }

    pub fn click(&mut self, selector: &str) {
        let (x, y) = self.middle(selector);
        self.mouse("mouseMoved", x, y);
        self.mouse("mousePressed", x, y);
        self.mouse("mouseReleased", x, y);
    }

    /// Presses at one point, moves to another in a few steps, releases.
    pub fn drag(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.mouse("mouseMoved", from.0, from.1);
        self.mouse("mousePressed", from.0, from.1);
        for step in 1..=4 {
            let share = f64::from(step) / 4.0;
            let at = |a: f64, b: f64| a + share * (b - a);
            let params = json!({
                "type": "mouseMoved", "x": at(from.0, to.0), "y": at(from.1, to.1), "button": "left", "buttons": 1,
            });
            self.call("Input.dispatchMouseEvent", params);
        }
        self.mouse("mouseReleased", to.0, to.1);
    }

    pub fn wheel(&mut self, x: f64, y: f64, by: f64) {
        let params = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": by });
        self.call("Input.dispatchMouseEvent", params);
    }

    /// Presses and releases a key where the focus is.
    pub fn key(&mut self, name: &str, modifiers: u32) {
        let (key, text, code) = match name {
            "Space" => (" ", " ", 32),
            "Enter" => ("Enter", "\r", 13),
            "Tab" => ("Tab", "", 9),
            "End" => ("End", "", 35),
            "Home" => ("Home", "", 36),
            "ArrowLeft" => ("ArrowLeft", "", 37),
            "ArrowUp" => ("ArrowUp", "", 38),
            "ArrowRight" => ("ArrowRight", "", 39),
            "ArrowDown" => ("ArrowDown", "", 40),
            other => (other, other, 0),
        };
        let mut down = json!({
            "type": if text.is_empty() { "rawKeyDown" } else { "keyDown" }, "key": key, "code": name,
            "windowsVirtualKeyCode": code, "modifiers": modifiers,
        });
        if !text.is_empty() {
            down["text"] = json!(text);
        }
        self.call("Input.dispatchKeyEvent", down);
        let up = json!({
            "type": "keyUp", "key": key, "code": name, "windowsVirtualKeyCode": code, "modifiers": modifiers,
        });
        self.call("Input.dispatchKeyEvent", up);
    }

    /// Puts a value into a field, as typing or sliding would.
    pub fn set(&mut self, selector: &str, value: &str) {
        self.eval(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.focus(); e.value = {value:?}; \
             e.dispatchEvent(new Event('input', {{ bubbles: true }})); e.blur(); }})()"
        ));
    }

    /// Chooses from a list.
    pub fn choose(&mut self, selector: &str, value: &str) {
        let chosen = self.eval(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.value = {value:?}; \
             e.dispatchEvent(new Event('change', {{ bubbles: true }})); return e.value; }})()"
        ));
        assert_eq!(chosen, value, "{selector} has no such choice");
    }

    /// Errors and exceptions that the page has logged.
    pub fn errors(&mut self) -> Vec<String> {
        // Whatever is under way arrives before an answer does.
        self.eval("0");
        let session = self.session.clone();
        let bad = |e: &&Value| {
            let level = e["params"]["entry"]["level"].as_str().unwrap_or("");
            let kind = e["params"]["type"].as_str().unwrap_or("");
            e["sessionId"] == *session
                && match e["method"].as_str().unwrap_or("") {
                    "Runtime.exceptionThrown" => true,
                    "Runtime.consoleAPICalled" => ["error", "warning", "assert"].contains(&kind),
                    "Log.entryAdded" => ["error", "warning"].contains(&level),
                    _ => false,
                }
        };
        self.browser
            .events
            .iter()
            .filter(bad)
            .map(|e| e["params"].to_string())
            .collect()
    }
}
