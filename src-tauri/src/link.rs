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

#[derive(Default)]
struct State {
    snapshots: VecDeque<oneshot::Sender<Value>>,
    details: HashMap<u64, VecDeque<oneshot::Sender<Value>>>,
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

    /// Sends `{"snapshot":{}}`; answers come in the order of the questions.
    pub fn ask_snapshot(&self, message: &Value) -> Result<oneshot::Receiver<Value>, String> {
        let (sender, receiver) = oneshot::channel();
        self.state().snapshots.push_back(sender);
        self.send(message)?;
        Ok(receiver)
    }

    pub fn ask_detail(&self, id: u64, message: &Value) -> Result<oneshot::Receiver<Value>, String> {
        let (sender, receiver) = oneshot::channel();
        self.state()
            .details
            .entry(id)
            .or_default()
            .push_back(sender);
        self.send(message)?;
        Ok(receiver)
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
        if let Some(answer) = message.get_mut("snapshot").map(Value::take) {
            if let Some(waiting) = self.state().snapshots.pop_front() {
                let _ = waiting.send(answer);
            }
            return;
        }
        if let Some(answer) = message.get_mut("detail").map(Value::take) {
            let id = answer.get("id").and_then(Value::as_u64).unwrap_or_default();
            let mut state = self.state();
            let waiting = state.details.get_mut(&id).and_then(VecDeque::pop_front);
            if state.details.get(&id).is_some_and(VecDeque::is_empty) {
                state.details.remove(&id);
            }
            drop(state);
            if let Some(waiting) = waiting {
                let _ = waiting.send(answer);
            }
            return;
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
