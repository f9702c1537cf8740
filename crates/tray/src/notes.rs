//! Desktop notifications.
//!
//! They are sent and heard on one connection of our own: the reply to `Notify` names its sender, and
//! an action counts only if it comes from that very sender. Any process of the session may claim to
//! be the notification daemon, and such a claim must not answer a request. A daemon that is absent
//! or stuck costs a notification and nothing else.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::{Context as _, Result};
use doorward_broker::{Decide, Handle, Push};
use doorward_core::queue::Surface;
use futures_util::StreamExt as _;
use tokio::time::timeout;
use zbus::message::Type;
use zbus::zvariant::Value;
use zbus::{Connection, MatchRule, Message, MessageStream};

use crate::card::{self, Card, FACT, cut};
use crate::window::Opener;

const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";
const PATIENCE: Duration = Duration::from_secs(5);

/// A notification that is out.
struct Sent {
    owner: String,
    ids: Vec<u32>,
    reject: Option<(u32, String)>,
}

struct Notes {
    handle: Handle,
    window: Opener,
    bus: Option<(Connection, MessageStream)>,
    sent: HashMap<u32, Sent>,
}

/// Runs until the broker has gone.
pub fn start(handle: Handle, window: Opener) {
    let mut pushes = handle.subscribe(Surface::Notification);
    let mut notes = Notes {
        handle,
        window,
        bus: None,
        sent: HashMap::new(),
    };
    tokio::spawn(async move {
        loop {
            tokio::select! {
                push = pushes.recv() => match push {
                    Some(Push::Alert { ids }) => {
                        if let Err(error) = notes.alert(&ids).await {
                            tracing::info!(error = format!("{error:#}"), "no notification");
                        }
                    }
                    Some(Push::Settled { id, .. }) => notes.settled(id).await,
                    Some(_) => {}
                    None => return,
                },
                message = heard(&mut notes.bus) => match message {
                    Some(message) => notes.hear(&message),
                    None => {
                        notes.bus = None;
                        notes.sent.clear();
                    }
                },
            }
        }
    });
}

/// The next signal; never, while there is no bus.
async fn heard(bus: &mut Option<(Connection, MessageStream)>) -> Option<Message> {
    match bus {
        Some((_, stream)) => stream.next().await?.ok(),
        None => std::future::pending().await,
    }
}

impl Notes {
    async fn connection(&mut self) -> Result<Connection> {
        if let Some((connection, _)) = &self.bus {
            return Ok(connection.clone());
        }
        let connection = timeout(PATIENCE, Connection::session())
            .await
            .context("no session bus")??;
        let rule = MatchRule::builder()
            .msg_type(Type::Signal)
            .sender(NAME)?
            .path(PATH)?
            .interface(NAME)?
            .member("ActionInvoked")?
            .build();
        let stream = timeout(
            PATIENCE,
            MessageStream::for_match_rule(rule, &connection, None),
        )
        .await
        .context("the session bus does not answer")??;
        self.bus = Some((connection.clone(), stream));
        Ok(connection)
    }

    async fn alert(&mut self, ids: &[u32]) -> Result<()> {
        let connection = self.connection().await?;
        let capabilities = call(&connection, "GetCapabilities", &()).await?;
        let capabilities: Vec<String> = capabilities.body().deserialize()?;
        let able = |name: &str| capabilities.iter().any(|known| known == name);

        // Looked up last: an answer may have come while the daemon was slow.
        let cards = card::among(&self.handle, ids).await;
        if cards.is_empty() {
            return Ok(());
        }
        let note = Note::of(&cards, able("body-markup"));
        let mut actions = Vec::new();
        if able("actions") {
            actions.extend(["default", "Review"]);
            if note.reject.is_some() {
                actions.extend(["reject", "Reject"]);
            }
        }
        let hints = HashMap::from([
            ("urgency", Value::U8(1)),
            ("desktop-entry", Value::from("doorward")),
        ]);
        let body = (
            "Doorward",
            0u32,
            "doorward",
            &note.summary,
            &note.body,
            actions,
            hints,
            -1i32,
        );
        let reply = call(&connection, "Notify", &body).await?;
        let owner = reply
            .header()
            .sender()
            .map(ToString::to_string)
            .unwrap_or_default();
        let id: u32 = reply.body().deserialize()?;
        let ids = cards.iter().map(|card| card.id).collect();
        let reject = match (&note.reject, cards.as_slice()) {
            (Some(option), [card]) => Some((card.revision, option.clone())),
            _ => None,
        };
        self.sent.insert(id, Sent { owner, ids, reject });
        Ok(())
    }

    /// Takes a notification back once nothing that it speaks of waits any more.
    async fn settled(&mut self, id: u32) {
        let mut over = Vec::new();
        for (note, sent) in &mut self.sent {
            sent.ids.retain(|known| *known != id);
            if sent.ids.is_empty() {
                over.push(*note);
            }
        }
        for note in over {
            self.sent.remove(&note);
            if let Some((connection, _)) = &self.bus
                && let Err(error) = call(connection, "CloseNotification", &(note,)).await
            {
                tracing::debug!(
                    error = format!("{error:#}"),
                    "a notification was not withdrawn"
                );
            }
        }
    }

    fn hear(&mut self, message: &Message) {
        let Ok((note, action)) = message.body().deserialize::<(u32, String)>() else {
            return;
        };
        let Some(sent) = self.sent.get(&note) else {
            return;
        };
        let header = message.header();
        if header
            .sender()
            .is_none_or(|sender| sender.as_str() != sent.owner)
        {
            tracing::warn!(sender = ?header.sender(), "an action that the notification daemon did not send");
            return;
        }
        match (action.as_str(), &sent.reject) {
            ("default", _) => self.window.open(sent.ids.first().copied(), true),
            ("reject", Some((revision, option))) => {
                if let [id] = sent.ids[..] {
                    let (revision, option) = (*revision, option.clone());
                    let decide = Decide {
                        id,
                        revision,
                        option,
                        feedback: None,
                        amendment: None,
                    };
                    self.handle.decide(decide, Surface::Notification);
                }
            }
            _ => {}
        }
    }
}

async fn call<B>(connection: &Connection, method: &str, body: &B) -> Result<Message>
where
    B: serde::Serialize + zbus::zvariant::DynamicType,
{
    let reply = connection.call_method(Some(NAME), PATH, Some(NAME), method, body);
    timeout(PATIENCE, reply)
        .await
        .with_context(|| format!("the notification daemon does not answer {method}"))?
        .with_context(|| format!("the notification daemon refused {method}"))
}

#[derive(Debug, PartialEq)]
struct Note {
    summary: String,
    body: String,
    reject: Option<String>,
}

impl Note {
    fn of(cards: &[Card], markup: bool) -> Self {
        let [card] = cards else {
            let mut agents: Vec<&str> = cards.iter().map(|card| card.agent.as_str()).collect();
            agents.dedup();
            return Self {
                summary: format!("{} requests wait", cards.len()),
                body: escape(&cut(&agents.join(", "), FACT), markup),
                reject: None,
            };
        };
        let agent = cut(&card.agent, 40);
        if card.secret() {
            return Self {
                summary: format!("{agent} asks for a decision"),
                body: String::new(),
                reject: None,
            };
        }
        Self {
            summary: format!("{agent} asks: {}", cut(&card.heading, 80)),
            body: escape(&cut(&card.fact, FACT), markup),
            reject: card.only_reject().map(|choice| choice.id.clone()),
        }
    }
}

/// Daemons that read markup show a broken text raw, so nothing in it may look like markup.
fn escape(text: &str, markup: bool) -> String {
    if !markup {
        return text.to_owned();
    }
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::tests::card;

    #[test]
    fn one_request_is_named() {
        let note = Note::of(&[card()], true);
        assert_eq!(note.summary, "Agent asks: Run a & b");
        assert_eq!(note.body, "a &amp; b");
        assert_eq!(note.reject.as_deref(), Some("no"));
        assert_eq!(Note::of(&[card()], false).body, "a & b");
    }

    #[test]
    fn a_secret_is_not_told() {
        let mut card = card();
        card.marks = vec!["secret".into()];
        let note = Note::of(&[card], true);
        assert_eq!(note.summary, "Agent asks for a decision");
        assert_eq!((note.body.as_str(), note.reject), ("", None));
    }

    #[test]
    fn several_requests_are_one_notification() {
        let note = Note::of(&[card(), card()], true);
        assert_eq!(note.summary, "2 requests wait");
        assert_eq!((note.body.as_str(), note.reject), ("Agent", None));
    }
}
