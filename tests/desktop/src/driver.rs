//! The page in the real window, through WebKitWebDriver (debug builds of the window allow it).

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::world::World;
use crate::{PATIENCE, eventually};

pub struct Driver {
    port: u16,
    process: Child,
}

/// A window that is being driven; it ends with the session.
pub struct Page {
    port: u16,
    session: String,
}

/// A box in the page, in pixels of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Area {
    pub fn middle(&self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }
}

impl Driver {
    pub fn start(world: &World) -> Self {
        // Another program may take the port first; then no driver answers on it.
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = free.expect("a free port").port();
        let process = world
            .command("WebKitWebDriver")
            .arg(format!("--port={port}"))
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("WebKitWebDriver starts");
        eventually("the driver", || call(port, "GET", "/status", None).ok());
        Self { port, process }
    }

    /// Starts the program. Returns when a window of it, or of a process that it started, can be
    /// driven: something else has to make it open one.
    pub fn open(&self, program: &Path, arguments: &[String]) -> Page {
        let browser = json!({"binary": program, "args": arguments});
        let wish = json!({"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": browser}}});
        let answer = call(self.port, "POST", "/session", Some(&wish)).expect("a session");
        let session = answer["sessionId"].as_str().expect("its name").to_owned();
        Page {
            port: self.port,
            session,
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Page {
    fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
        call(
            self.port,
            method,
            &format!("/session/{}{path}", self.session),
            body,
        )
    }

    /// Runs a function body in the page.
    ///
    /// # Errors
    /// What the page threw, or why the driver could not ask it.
    pub fn run(&self, script: &str, arguments: &[Value]) -> Result<Value, String> {
        let body = json!({"script": script, "args": arguments});
        self.call("POST", "/execute/sync", Some(&body))
    }

    /// The script's value, once it is not null.
    pub fn when(&self, what: &str, script: &str, arguments: &[Value]) -> Value {
        eventually(what, || {
            let value = self.run(script, arguments);
            value.ok().filter(|value| !value.is_null())
        })
    }

    /// The first thing with these words in it that a person could press, once it can be pressed.
    pub fn button(&self, words: &str) -> Area {
        const BUTTON: &str = "for (const button of document.querySelectorAll('button')) {
            if (!button.innerText.includes(arguments[0]) || button.disabled) continue;
            if (button.getAttribute('aria-disabled') === 'true') continue;
            if (button.closest('.options-waiting')) continue;
            button.scrollIntoView({block: 'nearest'});
            const area = button.getBoundingClientRect();
            const hit = document.elementFromPoint(area.x + area.width / 2, area.y + area.height / 2);
            if (!button.contains(hit)) continue;
            return [area.x, area.y, area.width, area.height];
        }
        return null;";
        let area = self.when(words, BUTTON, &[json!(words)]);
        let number = |index: usize| area[index].as_f64().unwrap_or_default();
        Area {
            x: number(0),
            y: number(1),
            width: number(2),
            height: number(3),
        }
    }

    /// A click that WebDriver makes on the first button with these words, if there is one.
    pub fn press(&self, words: &str) {
        const FIND: &str = "return [...document.querySelectorAll('button')].find((button) =>
            button.innerText.includes(arguments[0])) ?? null;";
        let found = self.run(FIND, &[json!(words)]).unwrap_or_default();
        let element = found
            .as_object()
            .and_then(|element| element.values().next());
        if let Some(element) = element.and_then(Value::as_str) {
            // It may be gone by now: whoever asked for the click sees that nothing came of it.
            let _ = self.call(
                "POST",
                &format!("/element/{element}/click"),
                Some(&json!({})),
            );
        }
    }

    pub fn text(&self) -> String {
        let text = self.run("return document.body.innerText;", &[]);
        text.ok()
            .and_then(|text| Some(text.as_str()?.to_owned()))
            .unwrap_or_default()
    }

    /// Waits for these words on the page.
    pub fn reads(&self, words: &str) {
        let script = "return document.body.innerText.includes(arguments[0]) ? true : null;";
        self.when(words, script, &[json!(words)]);
    }

    /// The page as a PNG file, after two frames were drawn.
    pub fn picture(&self, file: &Path) {
        let frames = json!({"args": [], "script": "const done = arguments[0];
            requestAnimationFrame(() => requestAnimationFrame(() => done(true)));"});
        self.call("POST", "/execute/async", Some(&frames))
            .expect("two frames");
        let picture = self.call("GET", "/screenshot", None).expect("a picture");
        let bytes = base64(picture.as_str().expect("text"));
        std::fs::write(file, bytes).expect("the picture's file");
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.call("DELETE", "", None);
    }
}

/// One request of the WebDriver protocol.
fn call(port: u16, method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).map_err(failed)?;
    stream
        .set_read_timeout(Some(PATIENCE + Duration::from_secs(20)))
        .map_err(failed)?;
    let body = body.map(Value::to_string).unwrap_or_default();
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
    .map_err(failed)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).map_err(failed)?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").ok_or("no answer")?;
    let mut body: Value = serde_json::from_str(body).map_err(|error| error.to_string())?;
    if head.split(' ').nth(1) == Some("200") {
        Ok(body["value"].take())
    } else {
        Err(body["value"]["message"].to_string())
    }
}

fn base64(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => Some(u32::from(c - b'A')),
        b'a'..=b'z' => Some(u32::from(c - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(c - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u32> = text.bytes().filter_map(value).collect();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.chunks(4) {
        let whole = group.iter().fold(0, |sum, digit| sum << 6 | digit) << (6 * (4 - group.len()));
        bytes.extend_from_slice(&whole.to_be_bytes()[1..group.len()]);
    }
    bytes
}
