//! What surfaces call and hear: window, tray, notifications, harness.

use crate::broker::Message;
use doorward_core::question::{Answers, FieldError};
use doorward_core::queue::{Ended, Event, Outcome, Refusal, RequestId, Surface};
use doorward_core::view::{Detail, Row, Texts};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io;
use std::path::PathBuf;
use tokio::sync::{mpsc, oneshot};

/// A choice made at a surface.
#[derive(Debug, Clone, Deserialize)]
pub struct Decide {
    pub id: u32,
    pub revision: u32,
    pub option: String,
    #[serde(default)]
    pub feedback: Option<String>,
    #[serde(default)]
    pub amendment: Option<String>,
    /// Of a question: values by field id.
    #[serde(default)]
    pub answers: Option<Answers>,
}

/// What is pushed; bodies are pulled.
#[derive(Debug, Clone)]
pub enum Push {
    Arrived {
        id: u32,
        revision: u32,
    },
    /// 80 ms after the arrival, for those still pending: an instant hook elsewhere withdraws at once.
    Alert {
        ids: Vec<u32>,
    },
    Changed {
        id: u32,
        revision: u32,
    },
    Settled {
        id: u32,
        ended: Ended,
    },
    Refused {
        id: u32,
        why: Refusal,
    },
    Show {
        id: Option<u32>,
    },
}

impl Push {
    /// The line of the surface protocol; `Alert` is for the tray process alone.
    pub fn to_line(&self) -> Option<String> {
        let line = match self {
            Self::Alert { .. } => return None,
            Self::Arrived { id, revision } => json!({"arrived": {"id": id, "revision": revision}}),
            Self::Changed { id, revision } => json!({"changed": {"id": id, "revision": revision}}),
            Self::Settled { id, ended } => json!({"settled": settled(*id, ended)}),
            Self::Refused { id, why } => json!({"refused": {"id": id, "why": why}}),
            Self::Show { id } => json!({"show": {"id": id}}),
        };
        Some(line.to_string())
    }
}

fn settled(id: u32, ended: &Ended) -> Value {
    let mut line = json!({"id": id, "end": ended.end, "outcome": ended.outcome});
    if let Some(why) = ended.why {
        line["why"] = json!(why);
    }
    if let (Some(by), Some(Outcome::Selected(_))) = (ended.by, &ended.outcome) {
        line["by"] = json!(by);
    }
    line
}

/// The surfaces' way to the loop. Every `decide` gets one answer: settled, or refused.
#[derive(Clone)]
pub struct Handle {
    messages: mpsc::UnboundedSender<Message>,
}

impl Handle {
    pub(crate) fn new(messages: mpsc::UnboundedSender<Message>) -> Self {
        Self { messages }
    }

    pub fn subscribe(&self, surface: Surface) -> mpsc::UnboundedReceiver<Push> {
        let (pushes, receiver) = mpsc::unbounded_channel();
        self.send(Message::Subscribe(surface, pushes));
        receiver
    }

    pub fn decide(&self, decide: Decide, surface: Surface) {
        self.send(Message::Decide(decide, surface));
    }

    /// The window has drawn this revision.
    pub fn painted(&self, id: u32, revision: u32) {
        self.send(Message::Look(Event::Painted(RequestId(id), revision)));
    }

    /// A person opened a fold of this revision.
    pub fn opened(&self, id: u32, revision: u32, fold: String) {
        self.send(Message::Look(Event::Opened(RequestId(id), revision, fold)));
    }

    /// What the person has typed so far; kept for the next window.
    pub fn drafted(&self, id: u32, feedback: String) {
        self.send(Message::Look(Event::Drafted(RequestId(id), feedback)));
    }

    /// The texts an editor works on.
    pub async fn texts(&self, id: u32) -> Option<Texts> {
        let (answer, answered) = oneshot::channel();
        self.send(Message::Texts(id, answer));
        answered.await.ok().flatten()
    }

    /// What is wrong with these answers to a question; nothing where they may go back.
    pub async fn check(&self, id: u32, answers: Answers) -> Vec<FieldError> {
        let (wrong, checked) = oneshot::channel();
        self.send(Message::Check(id, answers, wrong));
        checked.await.unwrap_or_default()
    }

    /// The person's version of a proposal; none takes it back.
    pub fn version(&self, id: u32, text: Option<String>) {
        self.send(Message::Version(id, text));
    }

    /// Puts the proposal on disk for an editor: the path of the file, which is watched from now on.
    ///
    /// # Errors
    /// When there is nothing to edit, or the file cannot be written.
    pub async fn stage(&self, id: u32) -> io::Result<PathBuf> {
        let (answer, answered) = oneshot::channel();
        self.send(Message::Stage(id, answer));
        answered.await.map_err(io::Error::other)?
    }

    /// The window was moved, resized or raised.
    pub fn disturbed(&self) {
        self.send(Message::Look(Event::Disturbed));
    }

    /// A new window shows nothing yet.
    pub fn window_started(&self) {
        self.send(Message::Look(Event::WindowStarted));
    }

    /// "Ask me there": the agent's own prompt decides.
    pub fn abstain(&self, id: u32) {
        self.send(Message::Abstain(id));
    }

    pub fn set_paused(&self, paused: bool) {
        self.send(Message::Paused(paused));
    }

    pub async fn snapshot(&self) -> Vec<Row> {
        let (answer, answered) = oneshot::channel();
        self.send(Message::Snapshot(answer));
        answered.await.unwrap_or_default()
    }

    pub async fn detail(&self, id: u32) -> Option<Detail> {
        self.detail_at(id).await.map(|(_, detail)| detail)
    }

    /// The detail with the revision it was made from, so that a decision names what was shown.
    pub async fn detail_at(&self, id: u32) -> Option<(u32, Detail)> {
        let (answer, answered) = oneshot::channel();
        self.send(Message::Detail(id, answer));
        answered.await.ok().flatten()
    }

    /// Hands back everything that waits, removes the socket file and ends the loop.
    pub async fn shutdown(&self) {
        let (done, finished) = oneshot::channel();
        self.send(Message::Shutdown(done));
        // An error means the loop has ended already.
        let _ = finished.await;
    }

    fn send(&self, message: Message) {
        if self.messages.send(message).is_err() {
            tracing::debug!("the broker has ended");
        }
    }
}
