//! The race: who writes what, and who was first.
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
use std::time::Duration;

use doorward_socket::client::Reply;

use super::Editor;
use super::envelope::Envelope;
use super::lines::{From, withdraw};
use super::state::{Ask, Stage, State};

/// A Doorward that did not even read in this time keeps no question from the editor.
const PULSE: Duration = Duration::from_secs(2);

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
    pub fn pass_to_editor(self: &Arc<Self>, lines: &[u8]) -> io::Result<()> {
        let mut editor = lock(&self.editor);
        let mut out = Vec::with_capacity(lines.len());
        let mut new = Vec::new();
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            match Envelope::read(line) {
                Some(envelope) => self.agent_line(line, &envelope, &mut out, &mut new),
                None => {
                    self.batch(line, From::Agent);
                    out.extend_from_slice(line);
                }
            }
        }
        editor.write_all(&out)?;
        drop(editor);
        // Only now: an answer must not overtake the question.
        let mut state = lock(&self.state);
        for key in new {
            if let Some(ask) = state.asks.get_mut(&key) {
                ask.ready = true;
                if ask.hidden.is_some() {
                    self.watch(ask.number);
                }
            }
            state.submit(&key);
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// Passes complete lines of the editor on to the agent.
    pub fn pass_to_agent(&self, lines: &[u8]) -> io::Result<()> {
        let mut agent = lock(&self.agent);
        let mut out = Vec::with_capacity(lines.len());
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            match Envelope::read(line) {
                Some(envelope) => self.editor_line(line, &envelope, &mut out),
                None => {
                    self.batch(line, From::Editor);
                    out.extend_from_slice(line);
                }
            }
        }
        self.changed.notify_all();
        match agent.as_mut() {
            Some(agent) => agent.write_all(&out),
            None => Ok(()),
        }
    }

    /// A line of the agent that is too long to be looked at begins.
    pub fn unseen_of_agent(&self) {
        lock(&self.state).unseen();
        self.changed.notify_all();
    }

    /// A line of the editor that is too long to be looked at begins. It may be
    /// the answer to any open question, so only the editor is asked any more.
    pub fn unseen_of_editor(&self) {
        let mut state = lock(&self.state);
        let open = state.asks.values().filter(|ask| ask.stage == Stage::Open);
        let numbers: Vec<u64> = open.map(|ask| ask.number).collect();
        for number in &numbers {
            withdraw(&mut state, *number);
        }
        drop(state);
        self.changed.notify_all();
        self.give_up(|ask| numbers.contains(&ask.number));
    }

    /// An answer of Doorward on the given connection.
    pub fn take_reply(&self, generation: u64, reply: Reply) {
        match reply {
            Reply::Answer { id, .. } | Reply::Refused { id } if lock(&self.state).beats(id) => {}
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

    fn watch(self: &Arc<Self>, number: u64) {
        let relay = Arc::clone(self);
        std::thread::spawn(move || {
            std::thread::sleep(PULSE);
            let unread = |ask: &Ask| ask.number == number && ask.pulse.is_some();
            let mut state = lock(&relay.state);
            if !state.asks.values().any(unread) {
                return;
            }
            withdraw(&mut state, number);
            drop(state);
            relay.changed.notify_all();
            relay.give_up(|ask| ask.number == number);
        });
    }

    pub fn write_later(self: &Arc<Self>, bytes: Vec<u8>) {
        let relay = Arc::clone(self);
        std::thread::spawn(move || {
            if let Some(agent) = lock(&relay.agent).as_mut() {
                let _ = agent.write_all(&bytes);
            }
        });
    }
}

pub fn cancel(raw: &str) -> Vec<u8> {
    let line = format!(
        r#"{{"jsonrpc":"2.0","method":"$/cancel_request","params":{{"requestId":{raw}}}}}"#
    );
    format!("{line}\n").into_bytes()
}
