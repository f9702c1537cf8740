//! Which questions are open, who may still answer them, and what waits to be
//! told to Doorward.
//!
//! It is one value behind one lock that is never held while anything is read
//! or written, so that no side can make another wait.

use std::collections::{HashMap, VecDeque};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use doorward_socket::client;

use super::envelope::Key;
use super::sessions::{Reach, Sessions, Told};
use super::update::{About, Update};

/// What the socket takes in one frame, less an envelope.
pub const FRAME: usize = (8 << 20) - 4096;
/// Above this, updates are dropped: passing on never waits for Doorward.
const QUEUE: usize = 1 << 20;
/// Above this, even questions are not offered: nobody is reading.
const QUEUE_OF_QUESTIONS: usize = 16 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Whoever answers first.
    Open,
    /// Doorward is out of it; the editor's answer passes.
    Editor,
    /// Doorward has answered; the editor still owes one response.
    Answered,
}

/// What Doorward may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offered {
    Permission,
    Form,
}

impl Offered {
    #[must_use]
    pub fn of(method: &str) -> Option<Self> {
        [Self::Permission, Self::Form]
            .into_iter()
            .find(|it| it.name() == method)
    }

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Permission => "session/request_permission",
            Self::Form => "elicitation/create",
        }
    }

    /// The result that says: nobody decides this any more.
    #[must_use]
    pub fn cancelled(self) -> &'static str {
        match self {
            Self::Permission => r#"{"outcome":{"outcome":"cancelled"}}"#,
            Self::Form => r#"{"action":"cancel"}"#,
        }
    }
}

/// A request of the agent towards the editor.
#[derive(Debug)]
pub struct Ask {
    /// Our number on the socket.
    pub number: u64,
    /// The agent's id, as text.
    pub raw: String,
    /// The id that the editor saw, as text.
    pub towards: String,
    pub session: Option<String>,
    pub method: Offered,
    pub params: String,
    pub nonce: String,
    pub stage: Stage,
    /// The line, while the editor has not seen it.
    pub hidden: Option<Vec<u8>>,
    /// The editor's error, while Doorward may still answer.
    pub held: Option<Vec<u8>>,
    /// The connection on which it was submitted; zero for none.
    pub sent: u64,
    /// The editor has it, so Doorward may be asked.
    pub ready: bool,
    /// The number of a call that shows whether Doorward reads, until it does.
    pub pulse: Option<u64>,
}

/// A request of the editor that we want the answer of.
#[derive(Debug)]
pub enum Call {
    Initialize,
    Prompt(String),
    /// A session begins: the members that say where it works.
    Session(Vec<(&'static str, String)>),
}

#[derive(Debug, Default)]
pub struct State {
    /// By the id that the editor answers to.
    pub asks: HashMap<Key, Ask>,
    pub calls: HashMap<Key, Call>,
    pub agent: Option<String>,
    pub sessions: Sessions,
    pub queue: VecDeque<Vec<u8>>,
    queued: usize,
    pub connected: bool,
    stream: Option<UnixStream>,
    pub generation: u64,
    pub wanted: bool,
    pub closing: bool,
    unseen: bool,
    last: u64,
}

impl State {
    pub fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Tells Doorward, if it is there. Where even this finds no room the
    /// connection ends, so that no question stays there that was taken back.
    pub fn tell(&mut self, method: &str, params: &str) {
        if !self.connected {
            return;
        }
        if self.queued < QUEUE_OF_QUESTIONS {
            self.push(client::notification(method, params));
        } else if let Some(stream) = self.stream.take() {
            let _ = stream.shutdown(Shutdown::Both);
            self.connected = false;
        }
    }

    /// Passes an update on, if Doorward keeps up, and keeps what it may need.
    pub fn update(&mut self, params: &str) {
        let Some(update) = Update::read(params) else {
            return;
        };
        if update.about == About::Chatter {
            return;
        }
        let fits = params.len() < FRAME && self.queued + params.len() < QUEUE;
        let reach = match (self.connected, self.sessions.behind(&update.session)) {
            (false, _) => Reach::Absent,
            (true, false) if fits => Reach::Told,
            (true, _) => Reach::Slow,
        };
        if reach == Reach::Told {
            self.push(client::notification("session/update", params));
        }
        self.sessions.keep(update, params, reach);
    }

    /// Says where a session works.
    pub fn place(&mut self, session: &str, members: &[(&'static str, String)]) {
        let id = serde_json::Value::from(session);
        let mut params = format!(r#"{{"sessionId":{id}"#);
        for (name, value) in members {
            params.push_str(&format!(r#","{name}":{value}"#));
        }
        params.push('}');
        if params.len() < FRAME {
            self.tell("doorward/session", &params);
            self.sessions.place(session, params);
        }
    }

    /// A line was too long to be looked at: nobody knows what it changed.
    pub fn unseen(&mut self) {
        self.unseen = true;
        self.tell("doorward/missed", "{}");
    }

    fn push_all(&mut self, told: Vec<Told>) {
        for (method, params) in told {
            self.push(client::notification(method, &params));
        }
    }

    pub fn hello(&mut self) {
        let cwd = std::env::current_dir().unwrap_or_default();
        let cwd = serde_json::Value::from(cwd.to_string_lossy());
        let agent = match &self.agent {
            Some(agent) => format!(r#""agent":{agent},"#),
            None => String::new(),
        };
        let hello = format!(
            r#"{{"version":"{}","protocol":1,{agent}"pid":{},"cwd":{cwd},"origin":"local","program":"acp"}}"#,
            env!("CARGO_PKG_VERSION"),
            std::process::id(),
        );
        self.tell("doorward/hello", &hello);
    }

    /// Offers a question, once per connection.
    pub fn submit(&mut self, key: &Key) {
        let (connected, generation) = (self.connected, self.generation);
        let Some(ask) = self.asks.get(key) else {
            return;
        };
        if ask.stage != Stage::Open || !ask.ready || (connected && ask.sent == generation) {
            return;
        }
        if !connected || self.queued >= QUEUE_OF_QUESTIONS {
            self.wanted = true;
            return;
        }
        // What the question is about comes first, room or not.
        if let Some(session) = ask.session.clone().filter(|it| self.sessions.behind(it)) {
            let rest = self.sessions.rest(&session);
            self.push_all(rest);
        }
        let pulse = self.number();
        let Some(ask) = self.asks.get_mut(key) else {
            return;
        };
        ask.sent = generation;
        ask.pulse = ask.hidden.is_some().then_some(pulse);
        let watched = ask.pulse.is_some();
        let nonce = format!(r#"{{"requestId":{},"nonce":"{}"}}"#, ask.number, ask.nonce);
        let request = client::request(ask.number, ask.method.name(), &ask.params);
        self.push(client::notification("doorward/nonce", &nonce));
        self.push(request);
        if watched {
            self.push(client::request(pulse, "doorward/status", "{}"));
        }
    }

    /// Whether this is the answer to such a call.
    pub fn beats(&mut self, number: u64) -> bool {
        let mut asks = self.asks.values_mut();
        let ask = asks.find(|ask| ask.pulse == Some(number));
        ask.map(|ask| ask.pulse = None).is_some()
    }

    /// The connection is new: say who we are and offer what is open.
    pub fn start(&mut self, stream: Option<UnixStream>) -> u64 {
        self.stream = stream;
        self.queue.clear();
        self.queued = 0;
        self.connected = true;
        self.wanted = false;
        self.generation += 1;
        self.hello();
        if self.unseen {
            self.tell("doorward/missed", "{}");
        }
        let known = self.sessions.all();
        self.push_all(known);
        let mut open: Vec<(u64, Key)> = Vec::new();
        for (key, ask) in &self.asks {
            open.push((ask.number, key.clone()));
        }
        open.sort_by_key(|(number, _)| *number);
        for (_, key) in open {
            self.submit(&key);
        }
        self.generation
    }

    pub fn pop(&mut self) -> Option<Vec<u8>> {
        if self.queue.is_empty()
            && let Some(session) = self.sessions.next_behind()
        {
            let rest = self.sessions.rest(&session);
            self.push_all(rest);
        }
        let frame = self.queue.pop_front()?;
        self.queued -= frame.len();
        Some(frame)
    }

    #[must_use]
    pub fn asking(&self) -> bool {
        self.asks.values().any(|ask| ask.stage == Stage::Open)
    }

    /// The open question behind an id of the agent.
    #[must_use]
    pub fn of_agent(&self, id: &Key) -> Option<Key> {
        let is = |ask: &Ask| Key::read(&ask.raw).as_ref() == Some(id);
        let mut asks = self.asks.iter();
        let found = asks.find(|(_, ask)| ask.stage != Stage::Answered && is(ask));
        found.map(|(key, _)| key.clone())
    }

    #[must_use]
    pub fn open_in(&self, session: &str) -> Vec<Key> {
        self.open_where(|asked| asked == session)
    }

    /// The open questions of a session and of its children.
    #[must_use]
    pub fn open_within(&self, session: &str) -> Vec<Key> {
        self.open_where(|asked| self.sessions.within(asked, session))
    }

    fn open_where(&self, which: impl Fn(&str) -> bool) -> Vec<Key> {
        let mut keys = Vec::new();
        for (key, ask) in &self.asks {
            if ask.stage == Stage::Open && ask.session.as_deref().is_some_and(&which) {
                keys.push(key.clone());
            }
        }
        keys
    }

    #[must_use]
    pub fn numbered(&self, number: u64) -> Option<Key> {
        let mut asks = self.asks.iter();
        let found = asks.find(|(_, ask)| ask.number == number && ask.stage == Stage::Open);
        found.map(|(key, _)| key.clone())
    }

    fn push(&mut self, frame: Vec<u8>) {
        self.queued += frame.len();
        self.queue.push_back(frame);
    }
}
