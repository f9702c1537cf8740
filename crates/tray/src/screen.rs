//! Whether somebody else may be looking: the screen is locked, or shown to others.
//!
//! Each desktop says it in its own place. A place that is absent, or that answers with an error (as
//! GNOME's stand-in for the screen saver of others does), says nothing; one that is there and does
//! not answer counts as a yes, for then nobody knows.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::timeout;
use zbus::Connection;
use zbus::fdo::DBusProxy;
use zbus::names::BusName;
use zbus::zvariant::OwnedValue;

const PATIENCE: Duration = Duration::from_secs(1);
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
const INTROSPECT: &str = "org.freedesktop.DBus.Introspectable";

struct Place {
    name: &'static str,
    path: &'static str,
    question: Question,
}

enum Question {
    Method(&'static str, &'static str),
    Property(&'static str, &'static str),
    /// Whether an object has children: GNOME has one for each screen cast that runs.
    Children,
}

const SESSION: [Place; 4] = [
    Place {
        name: "org.freedesktop.ScreenSaver",
        path: "/org/freedesktop/ScreenSaver",
        question: Question::Method("org.freedesktop.ScreenSaver", "GetActive"),
    },
    Place {
        name: "org.gnome.ScreenSaver",
        path: "/org/gnome/ScreenSaver",
        question: Question::Method("org.gnome.ScreenSaver", "GetActive"),
    },
    // Plasma's, on while the screen is shared or mirrored.
    Place {
        name: "org.freedesktop.Notifications",
        path: "/org/freedesktop/Notifications",
        question: Question::Property("org.freedesktop.Notifications", "Inhibited"),
    },
    Place {
        name: "org.gnome.Mutter.ScreenCast",
        path: "/org/gnome/Mutter/ScreenCast/Session",
        question: Question::Children,
    },
];

const SYSTEM: Place = Place {
    name: "org.freedesktop.login1",
    path: "/org/freedesktop/login1/session/auto",
    question: Question::Property("org.freedesktop.login1.Session", "LockedHint"),
};

/// Takes a second at most.
pub async fn watched(session: &Connection) -> bool {
    let told = async {
        let here = join_all(SESSION.iter().map(|place| ask(session, place)));
        let (here, locked) = tokio::join!(here, locked());
        locked || here.contains(&true)
    };
    timeout(PATIENCE, told).await.unwrap_or(true)
}

async fn locked() -> bool {
    match Connection::system().await {
        Ok(system) => ask(&system, &SYSTEM).await,
        Err(_) => false,
    }
}

async fn ask(bus: &Connection, place: &Place) -> bool {
    match answer(bus, place).await {
        Ok(yes) => yes,
        Err(zbus::Error::MethodError(..)) => false,
        Err(_) => true,
    }
}

async fn answer(bus: &Connection, place: &Place) -> zbus::Result<bool> {
    // Asked for first, so that no question starts a program.
    let name = BusName::try_from(place.name)?;
    if !DBusProxy::new(bus).await?.name_has_owner(name).await? {
        return Ok(false);
    }
    let (name, path) = (Some(place.name), place.path);
    match place.question {
        Question::Method(interface, method) => {
            let reply = bus
                .call_method(name, path, Some(interface), method, &())
                .await?;
            Ok(reply.body().deserialize()?)
        }
        Question::Property(interface, property) => {
            let which = (interface, property);
            let reply = bus
                .call_method(name, path, Some(PROPERTIES), "Get", &which)
                .await?;
            Ok(reply.body().deserialize::<OwnedValue>()?.try_into()?)
        }
        Question::Children => {
            let reply = bus
                .call_method(name, path, Some(INTROSPECT), "Introspect", &())
                .await?;
            Ok(reply
                .body()
                .deserialize::<String>()?
                .contains("<node name="))
        }
    }
}
