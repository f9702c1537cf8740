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
use super::state::{Ask, Call, FRAME, Offered, Stage, State};
use crate::nonce::nonce;

/// Whose line it is: each side counts its ids alone.
#[derive(Clone, Copy)]
pub enum From {
    Agent,
    Editor,
}

impl Relay {
    /// `new` takes the keys of what may be offered once the editor has it.
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
                let fits = envelope
                    .params
                    .is_some_and(|it| it.get().starts_with('{') && it.get().len() < FRAME);
                let offered = Offered::of(method).filter(|_| fits);
                let Some((entry, ask)) = self.taken(&mut state, line, envelope, key, raw, offered)
                else {
                    return out.extend_from_slice(line);
                };
                match (&ask.hidden, ask.towards == ask.raw) {
                    (Some(_), _) => {}
                    (None, true) => out.extend_from_slice(line),
                    (None, false) => out.extend(envelope.with_id(line, &ask.towards)),
                }
                if offered.is_some() {
                    new.push(entry.clone());
                }
                state.asks.insert(entry, ask);
            }
            (Some("$/cancel_request"), None) => self.agent_cancels(&mut state, line, envelope, out),
            (Some("session/update"), None) => {
                out.extend_from_slice(line);
                if let Some(params) = envelope.params {
                    state.update(params.get());
                }
            }
            (None, Some((key, _))) => {
                out.extend_from_slice(line);
                self.agent_answers(&mut state, &key, envelope);
            }
            _ => out.extend_from_slice(line),
        }
    }

    /// A request of the agent that has to be followed, and its key; none if it
    /// just passes.
    fn taken(
        &self,
        state: &mut State,
        line: &[u8],
        envelope: &Envelope<'_>,
        key: Key,
        raw: &str,
        offered: Option<Offered>,
    ) -> Option<(Key, Ask)> {
        let (entry, towards) = match state.asks.get(&key).map(|ask| (ask.stage, ask.number)) {
            // The editor still owes an answer under this id: this one gets
            // another id towards it.
            Some((Stage::Answered, _)) => {
                let name = format!("doorward-{}", state.number());
                let towards = format!("\"{name}\"");
                (Key::Text(name), towards)
            }
            // Twice at once: nobody could say which is answered.
            Some((_, number)) => {
                state.asks.remove(&key);
                withdraw(state, number);
                return None;
            }
            None if offered.is_some() => (key, raw.to_owned()),
            None => return None,
        };
        let open = offered.is_some();
        let hide = open && self.asked == Editor::WhenNeeded;
        let params = envelope.params.filter(|_| open);
        let ask = Ask {
            number: state.number(),
            raw: raw.to_owned(),
            session: envelope.session(),
            method: offered.unwrap_or(Offered::Permission),
            params: params.map_or(String::new(), |it| it.get().to_owned()),
            nonce: if open { nonce() } else { String::new() },
            stage: if open { Stage::Open } else { Stage::Editor },
            hidden: hide.then(|| envelope.with_id(line, &towards)),
            towards,
            held: None,
            sent: 0,
            ready: false,
            pulse: None,
        };
        Some((entry, ask))
    }

    fn agent_cancels(
        self: &Arc<Self>,
        state: &mut State,
        line: &[u8],
        envelope: &Envelope<'_>,
        out: &mut Vec<u8>,
    ) {
        let key = envelope.cancelled().and_then(|id| state.of_agent(&id));
        let Some((key, mut ask)) = key.and_then(|key| state.asks.remove_entry(&key)) else {
            return out.extend_from_slice(line);
        };
        if ask.stage == Stage::Open {
            withdraw(state, ask.number);
        }
        if ask.hidden.is_some() {
            return self.write_later(cancelled(&ask));
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

    fn agent_answers(self: &Arc<Self>, state: &mut State, key: &Key, envelope: &Envelope<'_>) {
        match state.calls.remove(key) {
            Some(Call::Initialize) => {
                state.agent = envelope.agent();
                state.hello();
            }
            Some(Call::Prompt(session)) => self.turn_ended(state, &session),
            Some(Call::Session(place)) => {
                if let Some(session) = envelope.begun() {
                    state.place(&session, &place);
                }
            }
            None => {}
        }
    }

    pub fn editor_line(&self, line: &[u8], envelope: &Envelope<'_>, out: &mut Vec<u8>) {
        let mut state = lock(&self.state);
        match (envelope.method.as_deref(), envelope.id()) {
            (None, Some((key, _))) => editor_answers(&mut state, line, envelope, key, out),
            (Some("session/cancel"), None) => editor_stops(&mut state, line, envelope, out),
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

fn editor_answers(
    state: &mut State,
    line: &[u8],
    envelope: &Envelope<'_>,
    key: Key,
    out: &mut Vec<u8>,
) {
    let offered = state.connected.then_some(state.generation);
    let Some(mut ask) = state.asks.remove(&key) else {
        return out.extend_from_slice(line);
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

/// Doorward hears of it before the agent: no allow can follow.
fn editor_stops(state: &mut State, line: &[u8], envelope: &Envelope<'_>, out: &mut Vec<u8>) {
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
        end(state, &key, out);
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
        out.extend(cancelled(&ask));
    } else {
        ask.stage = Stage::Editor;
        state.asks.insert(key.clone(), ask);
    }
}

pub fn withdraw(state: &mut State, number: u64) {
    state.tell("$/cancel_request", &format!(r#"{{"requestId":{number}}}"#));
}

fn cancelled(ask: &Ask) -> Vec<u8> {
    let (raw, result) = (&ask.raw, ask.method.cancelled());
    let line = format!(r#"{{"jsonrpc":"2.0","id":{raw},"result":{result}}}"#);
    format!("{line}\n").into_bytes()
}
