//! The loop: queue and waiters. Only `Effect::Settle` answers an asker.

mod arrivals;
mod askers;
mod proposals;

use crate::connection::{Answer, error_line};
use crate::hook_events;
use crate::staging::{Staged, Staging};
use crate::surface::{Decide, Push};
use doorward_core::question::{Answers, FieldError};
use doorward_core::queue::*;
use doorward_core::request::{Carried, PermissionRequest};
use doorward_core::shown::Prepared;
use doorward_core::view::{self, Detail, Row, Texts};
use doorward_protocols::{Incoming, Reply};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::{mpsc, oneshot};

/// Our JSON-RPC error for "nobody decided here": the agent's own prompt asks.
pub const HANDED_BACK: i64 = -32010;

pub struct Ask {
    pub connection: u64,
    pub id: String,
    pub nonce: Option<String>,
    pub incoming: Incoming,
    pub answers: mpsc::Sender<Answer>,
    pub relay: bool,
}

pub enum Message {
    Ask(Box<Ask>),
    Updated(u64, String, Box<PermissionRequest>),
    Withdraw(u64, String, Why),
    WithdrawSession(u64, String, Why),
    Delivered(u64, String),
    Written(u64, String),
    Applied(u64, String, String, bool),
    HalfClosed(u64),
    Lost(u64),
    HookEvent(String, Value),
    /// A PostToolUse hook that waits for what its agent should be told.
    HookAsked(String, Value, mpsc::Sender<Answer>),
    Status {
        answers: mpsc::Sender<Answer>,
        id: String,
    },
    Open,
    Subscribe(Surface, mpsc::UnboundedSender<Push>),
    Decide(Decide, Surface),
    Look(Event),
    LookedAgain(
        RequestId,
        Option<Box<PermissionRequest>>,
        Option<(Decision, Surface)>,
    ),
    Texts(u32, oneshot::Sender<Option<Texts>>),
    /// What is wrong with these answers.
    Check(u32, Answers, oneshot::Sender<Vec<FieldError>>),
    /// The person's version of a proposal; none takes it back.
    Version(u32, Option<String>),
    Stage(u32, oneshot::Sender<io::Result<PathBuf>>),
    Staged(
        RequestId,
        io::Result<Staged>,
        oneshot::Sender<io::Result<PathBuf>>,
    ),
    /// Something happened at this path among the staged files.
    Touched(PathBuf),
    Reread(RequestId),
    Saved(RequestId, io::Result<Vec<u8>>),
    Abstain(u32),
    Paused(bool),
    Snapshot(oneshot::Sender<Vec<Row>>),
    Detail(u32, oneshot::Sender<Option<(u32, Detail)>>),
    Alert,
    /// Nobody waits for this answer any more.
    Deadline(RequestId),
    Shutdown(oneshot::Sender<()>),
}

/// Who asked, and how to answer.
struct Asker {
    connection: u64,
    id: String,
    nonce: Option<String>,
    reply: Reply,
    answers: mpsc::Sender<Answer>,
    relay: bool,
}

pub struct Loop {
    inbox: mpsc::UnboundedReceiver<Message>,
    messages: mpsc::UnboundedSender<Message>,
    queue: Queue,
    askers: HashMap<RequestId, Asker>,
    surfaces: Vec<(Surface, mpsc::UnboundedSender<Push>)>,
    unannounced: Vec<RequestId>,
    half_closed: HashSet<u64>,
    paused: bool,
    started: Instant,
    opened: Option<Instant>,
    staging: Staging,
    /// Proposals that were touched and not yet read back.
    touched: HashSet<RequestId>,
    socket: PathBuf,
    /// Held for the life of the loop: one primary a user.
    _lock: File,
}

impl Loop {
    pub fn new(
        inbox: mpsc::UnboundedReceiver<Message>,
        messages: mpsc::UnboundedSender<Message>,
        socket: PathBuf,
        lock: File,
    ) -> Self {
        let staging = Staging::new(&socket, messages.clone());
        Self {
            inbox,
            messages,
            queue: Queue::default(),
            askers: HashMap::new(),
            surfaces: vec![],
            unannounced: vec![],
            half_closed: HashSet::new(),
            paused: false,
            started: Instant::now(),
            opened: None,
            staging,
            touched: HashSet::new(),
            socket,
            _lock: lock,
        }
    }

    fn now(&self) -> Now {
        Now {
            wall: wall(),
            steady: self.started.elapsed().as_millis() as Millis,
        }
    }

    pub async fn run(mut self) {
        while let Some(message) = self.inbox.recv().await {
            if let Message::Shutdown(done) = message {
                return self.shut_down(done).await;
            }
            self.take(message);
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Ask(ask) => self.ask(*ask),
            Message::Updated(connection, id, mut request) => {
                if let Some(id) = self.find(connection, &id) {
                    let known = self.queue.entry(id);
                    request.changed |= known.is_some_and(|entry| entry.request.changed);
                    self.apply(Event::Updated(id, Box::new(Prepared::new(*request))));
                }
            }
            Message::Withdraw(connection, id, why) => self.withdraw(connection, &id, why),
            Message::WithdrawSession(connection, session, why) => {
                let of_session = |id: &RequestId| {
                    self.queue
                        .entry(*id)
                        .is_some_and(|e| e.request.session.id == session)
                };
                let ids = self
                    .asked_by(connection)
                    .into_iter()
                    .filter(of_session)
                    .collect();
                self.withdraw_all(ids, why);
            }
            Message::Delivered(connection, id) => self.delivered(connection, &id),
            Message::Written(connection, id) => {
                // A relay reports delivery itself: it may have lost the race.
                if self
                    .find(connection, &id)
                    .is_some_and(|id| !self.askers[&id].relay)
                {
                    self.delivered(connection, &id);
                }
                self.release(connection);
            }
            Message::Applied(connection, session, call, applied) => {
                self.applied(connection, &session, &call, applied)
            }
            Message::HalfClosed(connection) => {
                self.half_closed.insert(connection);
                self.release(connection);
            }
            Message::Lost(connection) => self.lost(connection),
            Message::HookEvent(name, params) => {
                for event in hook_events::events(&self.queue, &name, &params) {
                    self.hook_event(event);
                }
            }
            Message::HookAsked(id, params, answers) => {
                let mut told = None;
                for event in hook_events::events(&self.queue, "PostToolUse", &params) {
                    if let Event::Applied(id, true) = event {
                        told = self.queue.entry(id).and_then(hook_events::told);
                    }
                    self.hook_event(event);
                }
                let result = told.unwrap_or_else(|| json!({}));
                let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
                let _ = answers.try_send(Answer {
                    line,
                    answers: None,
                });
            }
            Message::Status { answers, id } => {
                let result = json!({"version": env!("CARGO_PKG_VERSION"), "waiting": self.queue.pending().count()});
                let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
                let _ = answers.try_send(Answer {
                    line,
                    answers: None,
                });
            }
            Message::Open => self.open(),
            Message::Subscribe(surface, pushes) => self.surfaces.push((surface, pushes)),
            Message::Decide(decide, surface) => {
                let Decide {
                    id,
                    revision,
                    option,
                    feedback,
                    amendment,
                    answers,
                } = decide;
                let decision = Decision {
                    id: RequestId(id),
                    revision,
                    option,
                    feedback,
                    amendment,
                    answers,
                };
                self.decide(decision, surface);
            }
            Message::Look(event) => {
                // A file may have changed since it was read: what is painted is made true again.
                if let Event::Painted(id, _) = event {
                    self.look_again(id, None);
                }
                self.apply(event);
            }
            Message::LookedAgain(id, changed, then) => self.looked_again(id, changed, then),
            Message::Texts(id, answer) => {
                let _ = answer.send(self.texts(RequestId(id)));
            }
            Message::Check(id, answers, wrong) => {
                let entry = self.queue.entry(RequestId(id));
                let _ = wrong.send(entry.map_or(vec![], |it| view::check(it, &answers)));
            }
            Message::Version(id, text) => self.version(RequestId(id), text.as_deref()),
            Message::Stage(id, answer) => self.stage(RequestId(id), answer),
            Message::Staged(id, staged, answer) => self.staged(id, staged, answer),
            Message::Touched(path) => self.touched(&path),
            Message::Reread(id) => self.reread(id),
            Message::Saved(id, read) => self.saved(id, read),
            Message::Abstain(id) => self.apply(Event::HandedBack(RequestId(id), Why::Person)),
            Message::Paused(paused) => self.pause(paused),
            Message::Snapshot(answer) => {
                let _ = answer.send(
                    self.queue
                        .entries()
                        .map(|(id, entry)| view::row(id, entry))
                        .collect(),
                );
            }
            Message::Detail(id, answer) => {
                let entry = self.queue.entry(RequestId(id));
                let _ = answer.send(entry.map(|entry| (entry.revision, view::detail(entry))));
            }
            Message::Alert => self.alert(),
            Message::Deadline(id) => self.apply(Event::HandedBack(id, Why::Deadline)),
            Message::Shutdown(_) => {}
        }
    }

    pub(super) fn apply(&mut self, event: Event) {
        let effects = self.queue.apply(event, self.now());
        self.perform(effects);
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Announce(id, revision) => self.announce(id, revision),
                Effect::Changed(id, revision) => self.push(Push::Changed { id: id.0, revision }),
                Effect::Settle {
                    id,
                    outcome,
                    carried,
                    why,
                } => self.settle(id, &outcome, &carried, why),
                Effect::Ended(id, ended) => {
                    self.staging.drop(id);
                    self.push(Push::Settled { id: id.0, ended });
                }
                Effect::Refuse(id, why, surface) => {
                    let push = Push::Refused { id: id.0, why };
                    self.surfaces
                        .retain(|(to, pushes)| *to != surface || pushes.send(push.clone()).is_ok());
                }
            }
        }
    }

    /// The one place that answers an asker.
    fn settle(&mut self, id: RequestId, outcome: &Outcome, carried: &Carried, why: Option<Why>) {
        let Some(asker) = self.askers.get(&id) else {
            return;
        };
        let result = match outcome {
            Outcome::Selected(option) => asker.reply.selected(option, carried),
            Outcome::Cancelled => asker.reply.cancelled(),
            Outcome::Abstained => None,
        };
        let line = match result {
            Some(result) => format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, asker.id),
            None => error_line(
                &asker.id,
                HANDED_BACK,
                "handed back",
                json!({"reason": why.unwrap_or(Why::NoSurface)}),
            ),
        };
        let answer = Answer {
            line,
            answers: Some(asker.id.clone()),
        };
        if asker.answers.try_send(answer).is_err() {
            tracing::warn!(
                id = id.0,
                "the asker does not read; its answer was not delivered"
            );
            let _ = self.messages.send(Message::Lost(asker.connection));
        }
    }

    fn push(&mut self, push: Push) {
        self.surfaces
            .retain(|(_, pushes)| pushes.send(push.clone()).is_ok());
    }

    fn pause(&mut self, paused: bool) {
        self.paused = paused;
        if paused {
            let waiting: Vec<_> = self.queue.pending().map(|(id, _)| id).collect();
            for id in waiting {
                self.apply(Event::HandedBack(id, Why::Paused));
            }
        }
    }

    /// Raised at most once in 2 s: anybody may ask for it.
    fn open(&mut self) {
        if self
            .opened
            .is_none_or(|at| at.elapsed() >= Duration::from_secs(2))
        {
            self.opened = Some(Instant::now());
            let id = self.queue.pending().next().map(|(id, _)| id.0);
            self.push(Push::Show { id });
        }
    }

    async fn shut_down(mut self, done: oneshot::Sender<()>) {
        let waiting: Vec<_> = self.queue.pending().map(|(id, _)| id).collect();
        for id in waiting {
            self.apply(Event::HandedBack(id, Why::ShuttingDown));
        }
        self.staging.clear();
        if let Err(error) = std::fs::remove_file(&self.socket) {
            tracing::warn!(kind = ?error.kind(), "the socket file could not be removed");
        }
        // The writers get a moment for the last lines.
        tokio::time::sleep(Duration::from_millis(100)).await;
        let _ = done.send(());
    }
}

fn wall() -> Millis {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as Millis)
}
