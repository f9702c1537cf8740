//! What the notification daemon says, with the sender that the bus vouches for.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use futures_util::StreamExt as _;
use serde::Serialize;
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;
use zbus::fdo::DBusProxy;
use zbus::message::Type;
use zbus::names::BusName;
use zbus::zvariant::DynamicType;
use zbus::{Connection, Message, MessageStream};

use super::PATIENCE;

pub const NAME: &str = "org.freedesktop.Notifications";
pub const PATH: &str = "/org/freedesktop/Notifications";

/// GNOME Shell and dunst address their signals to the connection that sent the notification. A bus
/// that lets this one overhear (`dbus-daemon` does) hands us a copy with the true sender; one that
/// does not (`dbus-broker`) ignores the word.
const SIGNALS: &str = "type='signal',sender='org.freedesktop.Notifications',\
    interface='org.freedesktop.Notifications',path='/org/freedesktop/Notifications',eavesdrop='true'";

#[derive(Debug)]
pub enum Said {
    Action(String),
    Closed,
}

#[derive(Debug)]
pub struct Heard {
    /// The unique name of the connection that said it.
    pub sender: String,
    pub note: u32,
    pub said: Said,
}

/// Our own connection to the session bus, made when it is first needed.
#[derive(Clone)]
pub struct Ears {
    connection: Arc<Mutex<Option<Connection>>>,
    heard: UnboundedSender<Heard>,
}

/// Nothing is heard before the first `connection`.
pub fn open() -> (Ears, UnboundedReceiver<Heard>) {
    let (heard, receiver) = unbounded_channel();
    let ears = Ears {
        connection: Arc::default(),
        heard,
    };
    (ears, receiver)
}

impl Ears {
    /// The connection, which listens already.
    ///
    /// # Errors
    /// When there is no session bus, or it does not answer in time.
    pub async fn connection(&self) -> Result<Connection> {
        let mut slot = self.connection.lock().await;
        if let Some(connection) = &*slot {
            return Ok(connection.clone());
        }
        let connection = timeout(PATIENCE, listening())
            .await
            .context("the session bus does not answer")?
            .context("no session bus")?;
        let stream = MessageStream::from(&connection);
        let ears = self.clone();
        tokio::spawn(async move {
            listen(stream, &ears.heard).await;
            *ears.connection.lock().await = None;
        });
        *slot = Some(connection.clone());
        Ok(connection)
    }

    /// Calls the notification daemon.
    ///
    /// # Errors
    /// When it is absent, refuses, or does not answer in time.
    pub async fn call<B>(&self, method: &str, body: &B) -> Result<Message>
    where
        B: Serialize + DynamicType,
    {
        let connection = self.connection().await?;
        let reply = connection.call_method(Some(NAME), PATH, Some(NAME), method, body);
        timeout(PATIENCE, reply)
            .await
            .with_context(|| format!("the notification daemon does not answer {method}"))?
            .with_context(|| format!("the notification daemon refused {method}"))
    }

    /// Who is the notification daemon now.
    ///
    /// # Errors
    /// When nobody is, or the bus does not answer in time.
    pub async fn owner(&self) -> Result<String> {
        let connection = self.connection().await?;
        let name = BusName::try_from(NAME)?;
        let owner = async {
            DBusProxy::new(&connection)
                .await?
                .get_name_owner(name)
                .await
        };
        let owner = timeout(PATIENCE, owner)
            .await
            .context("the session bus does not answer")?
            .context("nobody has the name of the notification daemon")?;
        Ok(owner.to_string())
    }

    pub async fn owns(&self, sender: &str) -> bool {
        self.owner().await.is_ok_and(|owner| owner == sender)
    }
}

async fn listening() -> zbus::Result<Connection> {
    let connection = Connection::session().await?;
    let bus = Some("org.freedesktop.DBus");
    let path = "/org/freedesktop/DBus";
    connection
        .call_method(bus, path, bus, "AddMatch", &SIGNALS)
        .await?;
    Ok(connection)
}

async fn listen(mut stream: MessageStream, heard: &UnboundedSender<Heard>) {
    while let Some(Ok(message)) = stream.next().await {
        if let Some(said) = understand(&message)
            && heard.send(said).is_err()
        {
            return;
        }
    }
}

fn understand(message: &Message) -> Option<Heard> {
    let header = message.header();
    if header.message_type() != Type::Signal
        || header.interface()? != NAME
        || header.path()? != PATH
    {
        return None;
    }
    let sender = header.sender()?.to_string();
    let body = message.body();
    let (note, said) = match header.member()?.as_str() {
        "ActionInvoked" => {
            let (note, action) = body.deserialize::<(u32, String)>().ok()?;
            (note, Said::Action(action))
        }
        "NotificationClosed" => (body.deserialize::<(u32, u32)>().ok()?.0, Said::Closed),
        _ => return None,
    };
    Some(Heard { sender, note, said })
}
