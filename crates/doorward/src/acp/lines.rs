//! What each line means for the open questions.
//!
//! Nothing is written here: what passes, and what is said besides, is put into
//! `out` by the thread that holds the writer's lock. Row numbers are those of
//! the relay's tests.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Editor;
use super::envelope::{Envelope, Key};
use super::relay::{Relay, cancel, lock};
use super::state::{Ask, Call, FRAME, Stage, State};

/// Whose line it is: each side counts its ids alone.
#[derive(Clone, Copy)]
pub enum From {
    Agent,
    Editor,
}

impl Relay {
    pub fn agent_line(
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
                    && envelope
                        .params
                        .is_some_and(|it| it.get().starts_with('{') && it.get().len() < FRAME);
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
                    pulse: None,
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
                    state.update(params.get());
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
                    Some(Call::Session(place)) => {
                        if let Some(session) = envelope.begun() {
                            state.place(&session, &place);
                        }
                    }
                    None => {}
                }
            }
            _ => out.extend_from_slice(line),
        }
    }

    pub fn editor_line(&self, line: &[u8], envelope: &Envelope<'_>, out: &mut Vec<u8>) {
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
                let open = state.open_within(&session);
                let of = |key: &Key| state.asks.get(key).and_then(|ask| ask.session.clone());
                // By name, since Doorward may not know whose children they are.
                let sessions: BTreeSet<String> = open.iter().filter_map(of).collect();
                for session in sessions {
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
                    "session/new" | "session/fork" => Some(Call::Session(envelope.place())),
                    "session/load" | "session/resume" => {
                        // Its history comes before its result.
                        if let Some(session) = envelope.session() {
                            state.place(&session, &envelope.place());
                        }
                        None
                    }
                    _ => None,
                };
                if let (Some(call), Some((key, _))) = (call, id) {
                    state.calls.insert(key, call);
                }
            }
            _ => out.extend_from_slice(line),
        }
    }

    /// A batch passes as it is, but what it answers or takes back is asked no more.
    pub fn batch(&self, line: &[u8], from: From) {
        let Some(batch) = Envelope::batch(line) else {
            return;
        };
        let mut state = lock(&self.state);
        for envelope in batch {
            let key = match (from, envelope.method.as_deref(), envelope.id()) {
                (From::Editor, None, Some((key, _))) => Some(key),
                (From::Agent, Some("$/cancel_request"), None) => {
                    envelope.cancelled().and_then(|id| state.of_agent(&id))
                }
                _ => None,
            };
            let open = |key: &Key| {
                state
                    .asks
                    .get(key)
                    .is_some_and(|it| it.stage == Stage::Open)
            };
            if let Some(ask) = key.filter(open).and_then(|key| state.asks.remove(&key)) {
                withdraw(&mut state, ask.number);
            }
        }
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

pub fn withdraw(state: &mut State, number: u64) {
    state.tell("$/cancel_request", &format!(r#"{{"requestId":{number}}}"#));
}

fn cancelled(raw: &str) -> Vec<u8> {
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":{raw},"result":{{"outcome":{{"outcome":"cancelled"}}}}}}"#
    );
    format!("{line}\n").into_bytes()
}
