//! The line to the broker: answers go to the command that waits for them, all else to the page.
//!
//! Pushes that come before the page listens are held until it says that it is ready; a lost `show`
//! would leave the person in front of the wrong request.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tauri::{AppHandle, Emitter as _, Manager as _};
use tokio::sync::oneshot;

/// Pushes that are held at most before the page is ready; it asks for a snapshot first anyway.
const HELD: usize = 4096;

/// What the page asks and the broker answers; every other line is a push.
const QUESTIONS: [&str; 5] = ["snapshot", "detail", "texts", "edit", "check"];

#[derive(Default)]
struct State {
    /// By question and request.
    waiting: HashMap<(&'static str, u64), VecDeque<oneshot::Sender<Value>>>,
    ready: bool,
    /// The last wish came from a person and wants the keyboard.
    focus: bool,
    held: VecDeque<Value>,
}

pub struct Link {
    writer: Mutex<UnixStream>,
    state: Mutex<State>,
}

impl Link {
    pub fn new(socket: UnixStream) -> Self {
        // A broker that does not read is treated like one that has gone.
        let _ = socket.set_write_timeout(Some(Duration::from_secs(2)));
        Self {
            writer: Mutex::new(socket),
            state: Mutex::new(State::default()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn send(&self, message: &Value) -> Result<(), String> {
        let mut line = message.to_string();
        line.push('\n');
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer
            .write_all(line.as_bytes())
            .map_err(|error| error.to_string())
    }

    /// Sends a question. Answers to questions of one name about one request come in their order.
    pub fn ask(
        &self,
        name: &'static str,
        id: u32,
        question: &Value,
    ) -> Result<oneshot::Receiver<Value>, String> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.state();
        state
            .waiting
            .entry((name, u64::from(id)))
            .or_default()
            .push_back(sender);
        drop(state);
        self.send(question)?;
        Ok(receiver)
    }

    fn answered(&self, name: &'static str, answer: Value) {
        let id = answer.get("id").and_then(Value::as_u64).unwrap_or_default();
        let mut state = self.state();
        let waiting = state
            .waiting
            .get_mut(&(name, id))
            .and_then(VecDeque::pop_front);
        if state
            .waiting
            .get(&(name, id))
            .is_some_and(VecDeque::is_empty)
        {
            state.waiting.remove(&(name, id));
        }
        drop(state);
        if let Some(waiting) = waiting {
            // A command that was given up waits no more.
            let _ = waiting.send(answer);
        }
    }

    /// The page listens: give it what was held, in order.
    pub fn page_ready(&self, app: &AppHandle) {
        let focus;
        let held = {
            let mut state = self.state();
            state.ready = true;
            focus = std::mem::take(&mut state.focus);
            std::mem::take(&mut state.held)
        };
        if focus {
            // Asked before the window was on the screen, the desktop may have let it pass.
            raise(app, true);
        }
        for push in held {
            let _ = app.emit("push", push);
        }
    }

    /// Reads until the socket ends.
    pub fn pump(&self, socket: UnixStream, app: &AppHandle) {
        for line in BufReader::new(socket).lines() {
            let Ok(line) = line else { return };
            if let Ok(message) = serde_json::from_str::<Value>(&line) {
                self.take(message, app);
            }
        }
    }

    fn take(&self, mut message: Value, app: &AppHandle) {
        for name in QUESTIONS {
            if let Some(answer) = message.get_mut(name).map(Value::take) {
                return self.answered(name, answer);
            }
        }
        if let Some(show) = message.get("show") {
            let focus = show.get("focus").and_then(Value::as_bool).unwrap_or(false);
            self.state().focus = focus;
            raise(app, focus);
        }
        {
            let mut state = self.state();
            if !state.ready {
                if state.held.len() == HELD {
                    state.held.pop_front();
                }
                state.held.push_back(message);
                return;
            }
        }
        let _ = app.emit("push", message);
    }
}

/// Brings the window up. Keyboard focus only moves when a person asked for the window: a request
/// that takes the focus would catch a Return that was meant for another program.
fn raise(app: &AppHandle, focus: bool) {
    if let Some(window) = app.get_webview_window("main") {
        let _ = window.show();
        let _ = window.unminimize();
        if focus {
            let _ = window.set_focus();
        }
    }
}
