//! A notification daemon: keeps what it is told, and presses its buttons.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zbus::blocking::Connection;
use zbus::message::Header;
use zbus::zvariant::OwnedValue;
use zbus::{interface, names::BusName};

use crate::bus::Bus;
use crate::eventually;

const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";

#[derive(Clone, Debug)]
pub struct Note {
    pub id: u32,
    /// The connection that sent it.
    pub sender: String,
    pub summary: String,
    pub body: String,
    /// Key and label, key and label.
    pub actions: Vec<String>,
    /// Withdrawn by its sender.
    pub closed: bool,
}

impl Note {
    pub fn has(&self, action: &str) -> bool {
        self.actions.iter().step_by(2).any(|key| key == action)
    }
}

#[derive(Clone)]
pub struct Habits {
    pub capabilities: Vec<&'static str>,
    /// So many `Notify` calls are never answered.
    pub hangs: usize,
    /// Signals go to the connection that sent the notification alone, and only that may close it.
    pub private: bool,
    /// Plasma's word for a screen that is shared.
    pub inhibited: bool,
}

#[derive(Default)]
struct State {
    notes: Vec<Note>,
    called: usize,
}

struct Server {
    state: Arc<Mutex<State>>,
    habits: Habits,
}

#[interface(name = "org.freedesktop.Notifications")]
impl Server {
    fn get_capabilities(&self) -> Vec<&'static str> {
        self.habits.capabilities.clone()
    }

    #[expect(clippy::too_many_arguments, reason = "the specification's")]
    async fn notify(
        &self,
        _app: String,
        _replaces: u32,
        _icon: String,
        summary: String,
        body: String,
        actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        _timeout: i32,
        #[zbus(header)] header: Header<'_>,
    ) -> u32 {
        let called = {
            let mut state = lock(&self.state);
            state.called += 1;
            state.called
        };
        if called <= self.habits.hangs {
            std::future::pending::<()>().await;
        }
        let mut state = lock(&self.state);
        let id = u32::try_from(state.notes.len()).unwrap_or(u32::MAX) + 1;
        state.notes.push(Note {
            id,
            sender: header.sender().map(ToString::to_string).unwrap_or_default(),
            summary,
            body,
            actions,
            closed: false,
        });
        id
    }

    fn close_notification(
        &self,
        id: u32,
        #[zbus(header)] header: Header<'_>,
    ) -> zbus::fdo::Result<()> {
        let sender = header.sender().map(ToString::to_string).unwrap_or_default();
        let mut state = lock(&self.state);
        let known =
            |note: &&mut Note| note.id == id && (!self.habits.private || note.sender == sender);
        let Some(note) = state.notes.iter_mut().find(known) else {
            return Err(zbus::fdo::Error::InvalidArgs("no such notification".into()));
        };
        note.closed = true;
        Ok(())
    }

    #[zbus(property)]
    fn inhibited(&self) -> bool {
        self.habits.inhibited
    }
}

pub struct Daemon {
    connection: Connection,
    state: Arc<Mutex<State>>,
    private: bool,
}

impl Daemon {
    pub fn usual() -> Habits {
        Habits {
            capabilities: vec!["body", "body-markup", "actions"],
            hangs: 0,
            private: false,
            inhibited: false,
        }
    }

    pub fn start(bus: &Bus, habits: Habits) -> Self {
        let connection = bus.connect();
        let state = Arc::<Mutex<State>>::default();
        let private = habits.private;
        let server = Server {
            state: Arc::clone(&state),
            habits,
        };
        connection
            .object_server()
            .at(PATH, server)
            .expect("the daemon is served");
        connection.request_name(NAME).expect("the daemon's name");
        Self {
            connection,
            state,
            private,
        }
    }

    pub fn notes(&self) -> Vec<Note> {
        lock(&self.state).notes.clone()
    }

    /// How many `Notify` calls came, answered or not.
    pub fn called(&self) -> usize {
        lock(&self.state).called
    }

    /// The first notification, old or new, that is as told.
    pub fn note_when(&self, what: &str, told: impl Fn(&Note) -> bool) -> Note {
        eventually(what, || self.notes().into_iter().find(&told))
    }

    /// The notification with this in its summary or body.
    pub fn note(&self, words: &str) -> Note {
        self.note_when(words, |note| {
            note.summary.contains(words) || note.body.contains(words)
        })
    }

    /// A person presses a button: the signals that a daemon sends.
    pub fn press(&self, note: &Note, action: &str) {
        let to = self.private.then_some(note.sender.as_str());
        signal(&self.connection, to, "ActionInvoked", &(note.id, action));
        signal(&self.connection, to, "NotificationClosed", &(note.id, 2u32));
    }

    /// A person takes it away.
    pub fn dismiss(&self, note: &Note) {
        let to = self.private.then_some(note.sender.as_str());
        signal(&self.connection, to, "NotificationClosed", &(note.id, 2u32));
    }
}

/// What a process that is no notification daemon can say, to all or to one connection.
pub fn forge(from: &Connection, to: Option<&str>, note: u32, action: &str) {
    signal(from, to, "ActionInvoked", &(note, action));
}

fn signal<B>(from: &Connection, to: Option<&str>, member: &str, body: &B)
where
    B: serde::Serialize + zbus::zvariant::DynamicType,
{
    let to = to.map(|name| BusName::try_from(name).expect("a bus name"));
    from.emit_signal(to, PATH, NAME, member, body)
        .expect("a signal");
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
