//! The loop: requests in from the socket, decisions out, surfaces told. No face of its own.
//!
//! One task owns the queue and the waiters; connections decode on their own tasks. Nothing a connection
//! can send decides, lists or changes policy.

mod broker;
mod connection;
mod disk;
mod hook_events;
mod staging;
mod surface;

pub use surface::{Decide, Handle, Push};

use anyhow::Context as _;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::net::UnixListener;
use tokio::sync::{Semaphore, mpsc};

/// The running broker. It ends with `Handle::shutdown`.
pub struct Broker {
    pub handle: Handle,
    pub socket: PathBuf,
}

/// Takes the endpoint (one primary a user) and serves it.
///
/// # Errors
/// When another process holds the endpoint, or no directory passes the checks.
pub async fn start(socket: Option<PathBuf>) -> anyhow::Result<Broker> {
    let listening =
        doorward_socket::endpoint::listen(socket.as_deref()).context("take the socket")?;
    listening
        .listener
        .set_nonblocking(true)
        .context("make the socket non-blocking")?;
    let listener = UnixListener::from_std(listening.listener).context("serve the socket")?;
    let (messages, inbox) = mpsc::unbounded_channel();
    let path = listening.path.clone();
    tokio::spawn(broker::Loop::new(inbox, messages.clone(), listening.path, listening.lock).run());
    tokio::spawn(accept(listener, messages.clone()));
    Ok(Broker {
        handle: Handle::new(messages),
        socket: path,
    })
}

async fn accept(listener: UnixListener, messages: mpsc::UnboundedSender<broker::Message>) {
    let room = Arc::new(Semaphore::new(doorward_socket::limits::CONNECTIONS));
    let mut number = 0;
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of descriptors, most likely: let some close.
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            continue;
        };
        let ours = stream
            .peer_cred()
            .is_ok_and(|peer| peer.uid() == rustix::process::geteuid().as_raw());
        let Ok(seat) = room.clone().try_acquire_owned() else {
            continue;
        };
        if !ours {
            tracing::warn!("a connection of another user was closed");
            continue;
        }
        number += 1;
        let messages = messages.clone();
        tokio::spawn(async move {
            connection::serve(stream, number, messages).await;
            drop(seat);
        });
    }
}
