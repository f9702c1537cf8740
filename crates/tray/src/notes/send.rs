//! One notification on its way: what it may say, and who took it.

use anyhow::{Context as _, Result};
use doorward_broker::Handle;
use notify_rust::{Hint, Notification, NotificationHandle, Urgency};
use tokio::time::timeout;

use super::PATIENCE;
use super::ears::Ears;
use super::text::{Manner, Note};
use crate::card::{self, Card};
use crate::screen;
use crate::settings::Settings;

/// A button that answers, by the key of its action.
#[derive(Clone)]
pub struct Button {
    pub action: &'static str,
    pub id: u32,
    pub revision: u32,
    pub option: String,
}

pub struct Sent {
    pub handle: NotificationHandle,
    /// The unique name of the daemon that took it; empty where it changed meanwhile.
    pub owner: String,
    pub ids: Vec<u32>,
    pub buttons: Vec<Button>,
}

/// Sends one notification for those of `ids` that still wait; none if none does.
///
/// # Errors
/// When there is no daemon, or it does not answer in time.
pub async fn send(
    handle: Handle,
    ears: Ears,
    settings: Settings,
    ids: Vec<u32>,
) -> Result<Option<Sent>> {
    let capabilities = ears.call("GetCapabilities", &()).await?;
    let capabilities: Vec<String> = capabilities.body().deserialize()?;
    let able = |name: &str| capabilities.iter().any(|known| known == name);
    let watched = screen::watched(&ears.connection().await?).await;
    let before = ears.owner().await?;

    // Looked up last: an answer may have come while the daemon was slow.
    let cards = card::among(&handle, &ids).await;
    if cards.is_empty() {
        return Ok(None);
    }
    let manner = Manner {
        markup: able("body-markup"),
        names_only: settings.notification_names_only || watched,
        allows: settings.notification_allow,
    };
    let note = Note::of(&cards, manner);
    let mut message = message(&note);
    let mut buttons = Vec::new();
    if able("actions") {
        message.action("default", "Review");
        if let [card] = &cards[..] {
            buttons = self::buttons(card, &note, &mut message);
        }
    }
    let handle = timeout(PATIENCE, message.show_async())
        .await
        .context("the notification daemon does not answer Notify")?
        .context("the notification daemon refused Notify")?;
    let owner = ears.owner().await?;
    Ok(Some(Sent {
        handle,
        owner: if owner == before {
            owner
        } else {
            String::new()
        },
        ids: cards.iter().map(|card| card.id).collect(),
        buttons,
    }))
}

fn buttons(card: &Card, note: &Note, message: &mut Notification) -> Vec<Button> {
    let mut buttons = Vec::new();
    let wanted = [
        ("allow", "Allow once", &note.allow),
        ("reject", "Reject", &note.reject),
    ];
    for (action, label, option) in wanted {
        if let Some(option) = option {
            message.action(action, label);
            buttons.push(Button {
                action,
                id: card.id,
                revision: card.revision,
                option: option.clone(),
            });
        }
    }
    buttons
}

fn message(note: &Note) -> Notification {
    let mut message = Notification::new();
    message
        .appname("Doorward")
        .icon("doorward")
        .summary(&note.summary)
        .body(&note.body)
        .urgency(Urgency::Normal)
        .hint(Hint::DesktopEntry("doorward".into()));
    message
}
