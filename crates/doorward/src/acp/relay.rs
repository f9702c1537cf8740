//! The race: every line of both sides, and every answer of Doorward.
//!
//! Lock order is agent, editor, state. A writer's lock is held from the
//! decision to the write, so that the first to take it wins and nothing can
//! slip in between (a session's cancel is never followed by an allow). The
//! thread that reads the agent never takes the agent's lock: an agent that
//! writes before it reads must not stop us.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use doorward_socket::client::Reply;

use super::Editor;
use super::envelope::{Envelope, Key};
use super::state::{Ask, Call, Stage, State};

pub struct Relay {
    pub socket: Option<PathBuf>,
    pub asked: Editor,
    pub agent: Mutex<Option<File>>,
    pub editor: Mutex<File>,
    pub state: Mutex<State>,
    pub changed: Condvar,
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Relay {
    /// Passes complete lines of the agent on to the editor.
    pub fn from_agent(self: &Arc<Self>, lines: &[u8]) -> io::Result<()> {
        let mut editor = lock(&self.editor);
        let mut out = Vec::with_capacity(lines.len());
        let mut new = Vec::new();
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            match Envelope::read(line) {
                Some(envelope) => self.agent_line(line, &envelope, &mut out, &mut new),
                None => out.extend_from_slice(line),
            }
        }
        editor.write_all(&out)?;
        drop(editor);
        // Only now: an answer must not overtake the question.
        let mut state = lock(&self.state);
        for key in new {
            if let Some(ask) = state.asks.get_mut(&key) {
                ask.ready = true;
            }
            state.submit(&key);
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// Passes complete lines of the editor on to the agent.
    pub fn from_editor(&self, lines: &[u8]) -> io::Result<()> {
        let mut agent = lock(&self.agent);
        let mut out = Vec::with_capacity(lines.len());
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            match Envelope::read(line) {
                Some(envelope) => self.editor_line(line, &envelope, &mut out),
                None => out.extend_from_slice(line),
            }
        }
        self.changed.notify_all();
        match agent.as_mut() {
            Some(agent) => agent.write_all(&out),
            None => Ok(()),
        }
    }

    /// An answer of Doorward on the given connection.
    pub fn from_doorward(&self, generation: u64, reply: Reply) {
        match reply {
            Reply::Answer { id, result } => self.answer(generation, id, &result),
            Reply::Refused { id } => self.give_up(|ask| ask.number == id && ask.sent == generation),
            Reply::Other => {}
        }
    }

    /// Doorward cannot answer these: the editor is asked, its held error goes
    /// through. Questions that the editor has already stay open.
    pub fn lost(&self) {
        self.fall_back(|_| true, Stage::Open);
    }

    /// The editor is gone: nothing that comes later is written.
    pub fn close(&self) {
        *lock(&self.agent) = None;
        let mut state = lock(&self.state);
        let open: Vec<u64> = state.asks.values().map(|ask| ask.number).collect();
        state.asks.clear();
        for number in open {
            withdraw(&mut state, number);
        }
        drop(state);
        self.changed.notify_all();
    }

    fn agent_line(
        self: &Arc<Self>,
        line: &[u8],
        envelope: &Envelope<'_>,
        out: &mut Vec<u8>,
        new: &mut Vec<Key>,
    ) {
        let mut state = lock(&self.state);
        match (envelope.method.as_deref(), envelope.id()) {
            (Some(method), Some((key, raw))) => {
                let offered = method == "session/request_permission"
                    && envelope.params.is_some_and(|it| it.get().starts_with('{'));
                let mut towards = raw.to_owned();
                let mut entry = key.clone();
                let mut bytes = line.to_vec();
                let mut renumbered = false;
                match state.asks.get(&key).map(|ask| (ask.stage, ask.number)) {
                    // The editor still owes an answer under this id: this one
                    // gets another id towards it.
                    Some((Stage::Answered, _)) => {
                        let name = format!("doorward-{}", state.number());
                        towards = format!("\"{name}\"");
                        entry = Key::Text(name);
                        bytes = envelope.with_id(line, &towards);
                        renumbered = true;
                    }
                    // Twice at once: nobody could say which is answered.
                    Some((_, number)) => {
                        state.asks.remove(&key);
                        withdraw(&mut state, number);
                        out.extend_from_slice(line);
                        return;
                    }
                    None => {}
                }
                if !offered && !renumbered {
                    out.extend_from_slice(line);
                    return;
                }
                let hide = offered && self.asked == Editor::WhenNeeded;
                let mut ask = Ask {
                    number: state.number(),
                    raw: raw.to_owned(),
                    towards,
                    session: envelope.session(),
                    params: String::new(),
                    nonce: String::new(),
                    stage: Stage::Editor,
                    hidden: None,
                    held: None,
                    sent: 0,
                    ready: false,
                };
                if offered {
                    ask.params = envelope
                        .params
                        .map_or(String::new(), |it| it.get().to_owned());
                    ask.nonce = crate::nonce::nonce();
                    ask.stage = Stage::Open;
                    new.push(entry.clone());
                }
                if hide {
                    ask.hidden = Some(bytes);
                } else {
                    out.extend_from_slice(&bytes);
                }
                state.asks.insert(entry, ask);
            }
            (Some("$/cancel_request"), None) => {
                let key = envelope.cancelled().and_then(|id| state.of_agent(&id));
                let Some((key, mut ask)) = key.and_then(|key| state.asks.remove_entry(&key)) else {
                    out.extend_from_slice(line);
                    return;
                };
                if ask.stage == Stage::Open {
                    withdraw(&mut state, ask.number);
                }
                if ask.hidden.is_some() {
                    self.write_later(cancelled(&ask.raw));
                    return;
                }
                if ask.towards == ask.raw {
                    out.extend_from_slice(line);
                } else {
                    out.extend_from_slice(&cancel(&ask.towards));
                }
                if let Some(held) = ask.held.take() {
                    self.write_later(held);
                } else {
                    ask.stage = Stage::Editor;
                    state.asks.insert(key, ask);
                }
            }
            (Some("session/update"), None) => {
                out.extend_from_slice(line);
                if let Some(params) = envelope.params {
                    state.tell_if_room("session/update", params.get());
                }
            }
            (None, Some((key, _))) => {
                out.extend_from_slice(line);
                match state.calls.remove(&key) {
                    Some(Call::Initialize) => {
                        state.agent = envelope.agent();
                        state.hello();
                    }
                    Some(Call::Prompt(session)) => self.turn_ended(&mut state, &session),
                    None => {}
                }
            }
            _ => out.extend_from_slice(line),
        }
    }

    fn editor_line(&self, line: &[u8], envelope: &Envelope<'_>, out: &mut Vec<u8>) {
        let mut state = lock(&self.state);
        match (envelope.method.as_deref(), envelope.id()) {
            (None, Some((key, _))) => {
                let offered = state.connected.then_some(state.generation);
                let Some(mut ask) = state.asks.remove(&key) else {
                    out.extend_from_slice(line);
                    return;
                };
                let bytes = if ask.towards == ask.raw {
                    line.to_vec()
                } else {
                    envelope.with_id(line, &ask.raw)
                };
                match ask.stage {
                    Stage::Answered => {}
                    Stage::Editor => out.extend_from_slice(&bytes),
                    Stage::Open if envelope.error.is_some() && Some(ask.sent) == offered => {
                        ask.held = Some(bytes);
                        state.asks.insert(key, ask);
                    }
                    Stage::Open => {
                        out.extend_from_slice(&bytes);
                        let result = envelope.result.map_or("null", |result| result.get());
                        let params = format!(r#"{{"requestId":{},"result":{result}}}"#, ask.number);
                        state.tell("doorward/elsewhere", &params);
                    }
                }
            }
            (Some("session/cancel"), None) => {
                let session = envelope.session().unwrap_or_default();
                let open = state.open_in(&session);
                if !open.is_empty() {
                    let params = format!(r#"{{"sessionId":{}}}"#, serde_json::Value::from(session));
                    state.tell("session/cancel", &params);
                }
                out.extend_from_slice(line);
                for key in open {
                    end(&mut state, &key, out);
                }
            }
            (Some(method), id) => {
                out.extend_from_slice(line);
                let call = match method {
                    "initialize" => Some(Call::Initialize),
                    "session/prompt" => envelope.session().map(Call::Prompt),
                    _ => None,
                };
                if let (Some(call), Some((key, _))) = (call, id) {
                    state.calls.insert(key, call);
                }
            }
            _ => out.extend_from_slice(line),
        }
    }

    fn answer(&self, generation: u64, number: u64, result: &str) {
        let mut agent = lock(&self.agent);
        let mut state = lock(&self.state);
        let Some(key) = state.numbered(number) else {
            return;
        };
        let (Some(ask), Some(pipe)) = (state.asks.get_mut(&key), agent.as_mut()) else {
            return;
        };
        if ask.sent != generation {
            return;
        }
        let line = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, ask.raw);
        let retire = (ask.hidden.is_none() && ask.held.is_none()).then(|| cancel(&ask.towards));
        if retire.is_some() {
            ask.stage = Stage::Answered;
        } else {
            state.asks.remove(&key);
        }
        drop(state);
        let written = pipe.write_all(format!("{line}\n").as_bytes());
        drop(agent);
        if written.is_ok() {
            lock(&self.state).tell(
                "doorward/delivered",
                &format!(r#"{{"requestId":{number}}}"#),
            );
            self.changed.notify_all();
        }
        if let Some(retire) = retire {
            // A closed editor is noticed by the thread that reads the agent.
            let _ = lock(&self.editor).write_all(&retire);
        }
    }

    fn give_up(&self, which: impl Fn(&Ask) -> bool) {
        self.fall_back(which, Stage::Editor);
    }

    /// In two steps, since the agent's lock must not wait for the editor.
    fn fall_back(&self, which: impl Fn(&Ask) -> bool, stage: Stage) {
        let mut agent = lock(&self.agent);
        let mut out = Vec::new();
        lock(&self.state).asks.retain(|_, ask| {
            if ask.stage != Stage::Open || !which(ask) || ask.hidden.is_some() {
                return true;
            }
            ask.stage = stage;
            ask.held.take().map(|held| out.extend(held)).is_none()
        });
        if let Some(agent) = agent.as_mut() {
            let _ = agent.write_all(&out);
        }
        drop(agent);

        let mut editor = lock(&self.editor);
        let mut out = Vec::new();
        for ask in lock(&self.state).asks.values_mut() {
            if ask.stage == Stage::Open && which(ask) && ask.hidden.is_some() {
                ask.stage = stage;
                out.extend(ask.hidden.take().unwrap_or_default());
            }
        }
        let _ = editor.write_all(&out);
    }

    fn turn_ended(self: &Arc<Self>, state: &mut State, session: &str) {
        let open = state.open_in(session);
        if open.is_empty() {
            return;
        }
        let params = format!(r#"{{"sessionId":{}}}"#, serde_json::Value::from(session));
        state.tell("doorward/turn_ended", &params);
        let mut out = Vec::new();
        for key in open {
            end(state, &key, &mut out);
        }
        self.write_later(out);
    }

    fn write_later(self: &Arc<Self>, bytes: Vec<u8>) {
        let relay = Arc::clone(self);
        std::thread::spawn(move || {
            if let Some(agent) = lock(&relay.agent).as_mut() {
                let _ = agent.write_all(&bytes);
            }
        });
    }
}

/// Doorward is out of this one; what the editor cannot say itself is said.
fn end(state: &mut State, key: &Key, out: &mut Vec<u8>) {
    let Some(mut ask) = state.asks.remove(key) else {
        return;
    };
    if let Some(held) = ask.held.take() {
        out.extend(held);
    } else if ask.hidden.is_some() {
        out.extend(cancelled(&ask.raw));
    } else {
        ask.stage = Stage::Editor;
        state.asks.insert(key.clone(), ask);
    }
}

fn withdraw(state: &mut State, number: u64) {
    state.tell("$/cancel_request", &format!(r#"{{"requestId":{number}}}"#));
}

fn cancel(raw: &str) -> Vec<u8> {
    let line = format!(
        r#"{{"jsonrpc":"2.0","method":"$/cancel_request","params":{{"requestId":{raw}}}}}"#
    );
    format!("{line}\n").into_bytes()
}

fn cancelled(raw: &str) -> Vec<u8> {
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":{raw},"result":{{"outcome":{{"outcome":"cancelled"}}}}}}"#
    );
    format!("{line}\n").into_bytes()
}
