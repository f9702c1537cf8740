//! Desktop notifications: what is out, and what a click on one means.
//!
//! notify-rust sends each on a connection of its own, and a daemon may address its signals to that
//! connection alone, where notify-rust does not look at who sent them. So a connection of ours
//! listens too, and only what it hears from the owner of the notification name can answer. What only
//! notify-rust heard may have been said by any process of the session: it opens the window at most.

mod ears;
mod send;
mod text;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use doorward_broker::{Decide, Handle, Push};
use doorward_core::queue::Surface;
use notify_rust::{NotificationHandle, NotificationResponse};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep, timeout};

use crate::settings::Settings;
use crate::window::Opener;
use ears::{Ears, Heard, Said};
use send::{Button, Sent};

/// A daemon that takes longer is as good as absent.
const PATIENCE: Duration = Duration::from_secs(5);
/// Notifications that may be on their way at once; a daemon that answers none costs so many tasks.
const SENDING: usize = 4;
/// Notifications that may be out at once: each holds a connection, and nobody reads more of them.
const OUT: usize = 16;
/// Signals that are kept while a notification is being sent.
const EARLY: usize = 64;
/// How long a click that notify-rust heard waits for our own connection to hear it too.
const GRACE: Duration = Duration::from_millis(300);
/// Anybody may forge such a click: the window is raised for it at most so often.
const RAISE: Duration = Duration::from_secs(2);

/// A notification that is out.
struct Out {
    note: u32,
    owner: String,
    ids: Vec<u32>,
    buttons: Vec<Button>,
    handle: Arc<NotificationHandle>,
    unchecked: AbortHandle,
}

struct Notes {
    handle: Handle,
    window: Opener,
    settings: Settings,
    ears: Ears,
    /// Requests that wait for a free sender.
    due: Vec<u32>,
    sending: JoinSet<Result<Option<Sent>>>,
    out: Vec<Out>,
    /// What was said of notifications that are perhaps still being sent: the daemon's signal may
    /// overtake its own reply.
    early: Vec<Heard>,
    unchecked: UnboundedSender<u32>,
    raised: Option<Instant>,
}

/// Runs until the broker has gone.
pub fn start(handle: Handle, pushes: UnboundedReceiver<Push>, window: Opener, settings: Settings) {
    let (ears, heard) = ears::open();
    let (unchecked, clicked) = unbounded_channel();
    let notes = Notes {
        handle,
        window,
        settings,
        ears,
        due: Vec::new(),
        sending: JoinSet::new(),
        out: Vec::new(),
        early: Vec::new(),
        unchecked,
        raised: None,
    };
    tokio::spawn(notes.run(pushes, heard, clicked));
}

impl Notes {
    async fn run(
        mut self,
        mut pushes: UnboundedReceiver<Push>,
        mut heard: UnboundedReceiver<Heard>,
        mut clicked: UnboundedReceiver<u32>,
    ) {
        loop {
            tokio::select! {
                push = pushes.recv() => match push {
                    Some(Push::Alert { ids }) => self.due.extend(ids),
                    Some(Push::Settled { id, .. }) => self.settled(id),
                    Some(Push::Refused { id, .. }) => self.window.open(Some(id), true),
                    Some(_) => {}
                    None => return,
                },
                Some(ended) = self.sending.join_next() => match ended {
                    Ok(Ok(Some(sent))) => self.sent(sent).await,
                    Ok(Ok(None)) => {}
                    // Its words are the daemon's: they may quote what was to be shown.
                    Ok(Err(_)) => tracing::info!("no notification"),
                    Err(_) => tracing::warn!("a notification was not sent"),
                },
                Some(heard) = heard.recv() => self.hear(heard).await,
                Some(note) = clicked.recv() => self.unchecked(note),
            }
            self.send();
            if self.sending.is_empty() {
                self.early.clear();
            }
        }
    }

    fn send(&mut self) {
        if self.due.is_empty() || self.sending.len() >= SENDING {
            return;
        }
        let ids = std::mem::take(&mut self.due);
        let (handle, ears) = (self.handle.clone(), self.ears.clone());
        self.sending
            .spawn(send::send(handle, ears, self.settings.clone(), ids));
    }

    async fn sent(&mut self, sent: Sent) {
        let note = sent.handle.id();
        let handle = Arc::new(sent.handle);
        let unchecked = tokio::spawn(click(Arc::clone(&handle), note, self.unchecked.clone()));
        self.out.push(Out {
            note,
            owner: sent.owner,
            ids: sent.ids,
            buttons: sent.buttons,
            handle,
            unchecked: unchecked.abort_handle(),
        });
        // Answered while the daemon was slow: its `settled` has come and gone.
        let waiting = self.handle.snapshot().await;
        let ended = |id: &u32| {
            !waiting
                .iter()
                .any(|row| row.id == *id && row.ended.is_none())
        };
        let ids = self.out[self.out.len() - 1].ids.clone();
        for id in ids.into_iter().filter(ended) {
            self.settled(id);
        }
        if self.out.len() > OUT {
            withdraw(self.out.remove(0));
        }
        let (said, rest) = std::mem::take(&mut self.early)
            .into_iter()
            .partition(|heard| heard.note == note);
        self.early = rest;
        let said: Vec<Heard> = said;
        for heard in said {
            self.hear(heard).await;
        }
    }

    /// Takes a notification back once nothing that it speaks of waits any more.
    fn settled(&mut self, id: u32) {
        self.due.retain(|known| *known != id);
        for out in &mut self.out {
            out.ids.retain(|known| *known != id);
        }
        for over in self.out.extract_if(.., |out| out.ids.is_empty()) {
            withdraw(over);
        }
    }

    async fn hear(&mut self, heard: Heard) {
        let known = |out: &Out| out.note == heard.note && out.owner == heard.sender;
        let Some(place) = self.out.iter().position(known) else {
            if !self.sending.is_empty() && self.early.len() < EARLY {
                self.early.push(heard);
            }
            return;
        };
        if !self.ears.owns(&heard.sender).await {
            tracing::warn!("a notification's action came from another process");
            return;
        }
        // Either way the daemon takes this notification down, or should.
        let out = self.out.remove(place);
        let Said::Action(action) = heard.said else {
            return out.unchecked.abort();
        };
        if action == "default" {
            self.window.open(out.ids.first().copied(), true);
        } else if let Some(button) = out.buttons.iter().find(|button| button.action == action) {
            self.answer(button);
        }
        withdraw(out);
    }

    fn answer(&self, button: &Button) {
        let decide = Decide {
            id: button.id,
            revision: button.revision,
            option: button.option.clone(),
            feedback: None,
            amendment: None,
            answers: None,
        };
        self.handle.decide(decide, Surface::Notification);
    }

    /// A click that nobody vouches for.
    fn unchecked(&mut self, note: u32) {
        let Some(out) = self.out.iter().find(|out| out.note == note) else {
            return;
        };
        if self.raised.is_none_or(|at| at.elapsed() >= RAISE) {
            self.raised = Some(Instant::now());
            self.window.open(out.ids.first().copied(), false);
        }
    }
}

/// Ends when somebody clicks, after our own connection has had its time to hear the same.
async fn click(handle: Arc<NotificationHandle>, note: u32, clicked: UnboundedSender<u32>) {
    let mut acted = false;
    handle
        .wait_for_action_async(|response: &NotificationResponse| {
            acted = !matches!(response, NotificationResponse::Closed(_));
        })
        .await;
    if acted {
        sleep(GRACE).await;
        let _ = clicked.send(note);
    }
}

/// Through the connection that sent it: some daemons let no other close a notification.
fn withdraw(out: Out) {
    out.unchecked.abort();
    tokio::spawn(async move {
        if timeout(PATIENCE, out.handle.close_async()).await.is_err() {
            tracing::debug!("a notification was not withdrawn");
        }
    });
}
